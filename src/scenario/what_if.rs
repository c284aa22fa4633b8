//! Another course that a person might take: commands as they are typed, read into entries of a
//! timeline.

use super::paths::toleration_seconds;
use super::resolve::PODS_MAX;
use crate::api::spelling;
use crate::scenario::prelude::*;

/// When what is asked for is done, after the start of the run: a moment later, once controllers
/// have looked around.
const AT: &str = "1s";
/// Where no other is given, how long a process of controllers is away when it is restarted.
const DOWNTIME: &str = "2s";

const HELP: &str = "one of `kubectl taint nodes NODE… KEY=VALUE:EFFECT`, `kubectl cordon NODE`, \
`kubectl uncordon NODE`, `kubectl drain NODE`, `kubectl delete node NODE`, \
`kubectl delete pod [-n NAMESPACE] POD… [--force]`, `kubectl scale [-n NAMESPACE] deployment/NAME --replicas=N`, \
`patch tolerations [NAMESPACE/]WORKLOAD SECONDS|none`, `kube-controller-manager restart [DOWNTIME]`, `heal NODE…`; \
each with ` @TIME` behind it, so long after the start";

/// Reads a command of a person's, and when it is given: ` @10m` behind it is so long after the start.
///
/// # Errors
/// It is none of those that are known, or lacks something.
pub(crate) fn what_if(text: &str, spec: &Scenario) -> Result<Vec<Entry>, Problem> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let at = words.pop_if(|w| w.starts_with('@')).map_or(AT, |w| &w[1..]);
    let after = duration::parse(at)
        .map_err(|e| Problem::new(format!("`{text}`: {e}")).maybe_help(e.hint))?;
    let horizon = duration::parse(&spec.horizon);
    if horizon.is_ok_and(|horizon| after >= horizon) {
        let problem = Problem::new(format!("`{text}` is not before the end of what is looked at"));
        return Err(problem.help("look farther ahead with --horizon"));
    }
    let steps = match words.as_slice() {
        ["heal", names @ ..] => vec![heal(names, spec)?],
        ["kubectl", rest @ ..] => kubectl(rest, spec)?,
        ["patch", "tolerations", workload, seconds] => patch_tolerations(workload, seconds, spec)?,
        ["kube-controller-manager", "restart", rest @ ..] => vec![restart(rest)?],
        _ => return Err(unknown(text)),
    };
    let entry = |step| Entry { at: at.into(), name: None, step, every: None, times: None };
    Ok(steps.into_iter().map(entry).collect())
}

fn unknown(text: &str) -> Problem {
    Problem::new(format!("`{text}` is no course that can be tried")).help(HELP)
}

/// `heal b-03`: nodes that are silent are back, as with `--heal-after`.
fn heal(names: &[&str], spec: &Scenario) -> Result<Step, Problem> {
    let for_good = |e: &Entry| matches!(e.step, Step::Crash { duration: None, .. });
    if spec.timeline.iter().any(for_good) {
        let problem = Problem::new("`heal` brings no machine back that is told to die for good");
        return Err(problem.help("`--heal-after TIME` has machines of `--dies` come back"));
    }
    let words = Words::of(names).known()?;
    Ok(Step::Heal { node: None, nodes: words.nodes(&words.plain)? })
}

fn restart(rest: &[&str]) -> Result<Step, Problem> {
    let text = rest.first().copied().unwrap_or(DOWNTIME);
    duration::parse(text).map_err(|e| Problem::new(e.to_string()))?;
    Ok(Step::ControllerRestart { downtime: Some(text.into()), kind: Some(RestartKind::Same) })
}

/// The words of a command of kubectl's, flags apart.
struct Words<'a> {
    plain: Vec<&'a str>,
    flags: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    /// Flags that take a value, of the commands that are known.
    const VALUED: &'static str = "-n --namespace -l --selector --field-selector --grace-period \
        --replicas --context --kubeconfig --as --timeout --skip-wait-for-delete-timeout";
    /// Flags without one that change what is done, or that make no difference here.
    const PLAIN: &'static str = "--all --force --overwrite --ignore-daemonsets --delete-emptydir-data \
        --disable-eviction --now --wait --ignore-not-found --cascade";

    fn of(words: &[&'a str]) -> Self {
        let mut all = Words { plain: Vec::new(), flags: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match (word.starts_with('-'), word.split_once('=')) {
                (false, _) => all.plain.push(word),
                (true, Some((name, value))) => {
                    all.flags.push((name, value.trim_matches(['"', '\''])))
                }
                (true, None) if Self::VALUED.split(' ').any(|flag| flag == *word) => {
                    all.flags.push((word, words.next().copied().unwrap_or_default()));
                }
                (true, None) => all.flags.push((word, "true")),
            }
        }
        all
    }

    /// Flags that are not known are refused: they might change everything.
    fn known(self) -> Result<Self, Problem> {
        let known = || Self::VALUED.split(' ').chain(Self::PLAIN.split(' '));
        let strange = self.flags.iter().find(|f| known().all(|k| k != f.0));
        match strange {
            None => Ok(self),
            Some(("--dry-run", _)) => Err(Problem::new("`--dry-run` does nothing")
                .help("leave it out: a forecast writes to no cluster")),
            Some((name, _)) => {
                let problem = Problem::new(format!("the flag `{name}` is not known here"));
                Err(problem.maybe_help(did_you_mean(name, known())))
            }
        }
    }

    /// A flag's duration; none, as kubectl has it, for zero.
    fn span(&self, name: &str) -> Result<Option<DurationText>, Problem> {
        let Some(text) = self.flag(&[name]) else { return Ok(None) };
        let wrong = |e| Problem::new(format!("{name}={text}: {e}"));
        let span = duration::parse(text).map_err(wrong)?;
        Ok((span.as_nanos() > 0).then(|| text.into()))
    }

    fn flag(&self, names: &[&str]) -> Option<&'a str> {
        let of = |f: &&(&str, &str)| names.contains(&f.0);
        self.flags.iter().find(of).map(|f| f.1)
    }

    /// Where objects are: `default` if nothing is said, as without a context that says otherwise.
    fn namespace(&self) -> &'a str {
        self.flag(&["-n", "--namespace"]).unwrap_or("default")
    }

    fn is_set(&self, name: &str) -> bool {
        self.flag(&[name]).is_some_and(|v| v != "false")
    }

    /// Which objects are meant is said by names, by selectors or by `--all`, as kubectl has it: in one way.
    fn one_way(&self, names: &[&str], what: &str) -> Result<(), Problem> {
        let selects = self.flag(&["-l", "--selector", "--field-selector"]).is_some();
        let ways = [!names.is_empty(), selects, self.is_set("--all")];
        let text = match ways.iter().filter(|is_said| **is_said).count() {
            0 => format!("this command names no {what}"),
            1 => return Ok(()),
            _ => "names, a selector and `--all` exclude each other".to_owned(),
        };
        Err(Problem::new(text).help(format!("a {what}'s name, `-l KEY=VALUE`, or `--all`")))
    }

    /// The nodes that are named, or selected by label, or all.
    fn nodes(&self, names: &[&str]) -> Result<Option<NodeSelector>, Problem> {
        self.one_way(names, "node")?;
        if self.flag(&["--field-selector"]).is_some() {
            return Err(Problem::new("`--field-selector` selects pods alone here"));
        }
        let strip =
            |n: &&str| n.trim_start_matches("nodes/").trim_start_matches("node/").to_owned();
        Ok(Some(match self.flag(&["-l", "--selector"]) {
            Some(selector) => NodeSelector::Label(selector.to_owned()),
            None if names.is_empty() => NodeSelector::All,
            None => NodeSelector::Nodes(names.iter().map(strip).collect()),
        }))
    }
}

fn kubectl(rest: &[&str], spec: &Scenario) -> Result<Vec<Step>, Problem> {
    let words = Words::of(rest).known()?;
    let deleted = |types| of_type(words.plain.strip_prefix(&["delete"])?, types);
    if let Some(names) = deleted(["pod", "pods", "po"]) {
        return delete_pods(&words, &names, spec);
    }
    let node = None;
    if let Some(names) = deleted(["node", "nodes", "no"]) {
        return Ok(vec![Step::DeleteNode { node, nodes: words.nodes(&names)? }]);
    }
    match words.plain.as_slice() {
        ["taint", "node" | "nodes" | "no", rest @ ..] => taint(&words, rest),
        ["cordon", names @ ..] => Ok(vec![Step::Cordon { node, nodes: words.nodes(names)? }]),
        ["uncordon", names @ ..] => Ok(vec![Step::Uncordon { node, nodes: words.nodes(names)? }]),
        ["drain", names @ ..] => Ok(vec![Step::Drain {
            node,
            nodes: words.nodes(names)?,
            force: words.is_set("--force"),
            ignore_daemonsets: words.is_set("--ignore-daemonsets"),
            delete_emptydir_data: words.is_set("--delete-emptydir-data"),
            disable_eviction: words.is_set("--disable-eviction"),
            grace_period_seconds: seconds(&words)?,
            timeout: words.span("--timeout")?,
            skip_wait_for_delete_timeout: words.span("--skip-wait-for-delete-timeout")?,
        }]),
        ["scale", rest @ ..] => scale(&words, rest),
        _ => {
            let known = ["taint", "cordon", "uncordon", "drain", "delete", "scale"];
            let word = words.plain.first().copied().unwrap_or_default();
            let near = spelling::nearest(word, known).filter(|n| *n != word);
            let near = near.map(|n| format!("did you mean `kubectl {n}`?"));
            Err(unknown(&format!("kubectl {}", rest.join(" "))).maybe_help(near))
        }
    }
}

/// The names of objects of one type, which stands before them or, `TYPE/NAME`, before each; none if
/// one is of another.
fn of_type<'a>(words: &[&'a str], types: [&str; 3]) -> Option<Vec<&'a str>> {
    match words {
        [] => None,
        [kind, names @ ..] if types.contains(kind) => Some(names.to_vec()),
        _ => {
            let name = |word: &&'a str| word.split_once('/').filter(|of| types.contains(&of.0));
            words.iter().map(|word| Some(name(word)?.1)).collect()
        }
    }
}

/// The grace period; none, as kubectl has it, for one below zero, -1 say.
fn seconds(words: &Words) -> Result<Option<i64>, Problem> {
    let Some(text) = words.flag(&["--grace-period"]) else { return Ok(None) };
    let wrong = || Problem::new(format!("--grace-period={text} is no number of seconds"));
    let seconds = text.parse().map_err(|_| wrong())?;
    Ok(Some(seconds).filter(|s| *s >= 0))
}

/// `kubectl taint nodes a b key=value:Effect key:Effect-`
fn taint(words: &Words, rest: &[&str]) -> Result<Vec<Step>, Problem> {
    let is_taint = |w: &&str| w.contains(['=', ':']) || w.ends_with('-');
    let (taints, names): (Vec<&str>, Vec<&str>) = rest.iter().partition(|w| is_taint(w));
    let (removed, added): (Vec<&str>, Vec<&str>) = taints.iter().partition(|t| t.ends_with('-'));
    if taints.is_empty() {
        return Err(Problem::new("`kubectl taint` without a taint")
            .help("`KEY=VALUE:NoExecute`, or `KEY:NoExecute-` to take it away"));
    }
    let nodes = words.nodes(&names)?;
    let many = |list: Vec<&str>| {
        let one = |t: &str| t.trim_end_matches('-').to_owned();
        OneOrMany::Many(list.into_iter().map(one).collect())
    };
    let mut steps = Vec::new();
    if !removed.is_empty() {
        steps.push(Step::Untaint { node: None, nodes: nodes.clone(), taint: many(removed) });
    }
    if !added.is_empty() {
        steps.push(Step::Taint {
            node: None,
            nodes,
            taint: many(added),
            overwrite: words.is_set("--overwrite"),
        });
    }
    Ok(steps)
}

/// The namespace of a group's pods.
fn namespace(group: &PodGroup) -> &str {
    group.namespace.as_deref().unwrap_or("default")
}

/// The pods of a group, each with the node that it is on; with none where it is bound to none.
fn pods(group: &PodGroup) -> Result<Vec<(String, &str)>, Problem> {
    let texts = group.name.iter().chain(group.names.iter().flat_map(OneOrMany::texts));
    let names: Result<Vec<_>, _> = texts.map(|text| names::expand(text, PODS_MAX)).collect();
    let on = |i: usize| match &group.on {
        Placement::Node(node) => node.as_str(),
        Placement::Nodes(nodes) => nodes.get(i).map_or("", String::as_str),
        _ => "",
    };
    let names = names.map_err(Problem::new)?.into_iter().flatten().enumerate();
    Ok(names.map(|(i, name)| (format!("{}/{name}", namespace(group)), on(i))).collect())
}

/// The pods of the command's namespace that `-l`, `--field-selector` and `--all` mean.
fn selected(words: &Words, spec: &Scenario) -> Result<Vec<String>, Problem> {
    let labels = words.flag(&["-l", "--selector"]).unwrap_or_default();
    let labels = Selector::parse(labels).map_err(Problem::new)?;
    let field = words.flag(&["--field-selector"]);
    let node = field.and_then(|text| text.strip_prefix("spec.nodeName="));
    if let (Some(text), None) = (field, node) {
        let problem = Problem::new(format!("--field-selector={text} is not known here"));
        return Err(problem.help("`--field-selector spec.nodeName=NODE`"));
    }
    let of = |g: &&PodGroup| namespace(g) == words.namespace() && labels.matches(&g.labels);
    let all: Result<Vec<_>, _> = spec.pods.iter().filter(of).map(pods).collect();
    let is_on = |on: &str| node.is_none_or(|node| node.trim_start_matches('=') == on);
    let found = all?.into_iter().flatten().filter(|(_, on)| is_on(on));
    let found: Vec<String> = found.map(|(name, _)| name).collect();
    let none = || Problem::new("this selects no pod").help("`-n NAMESPACE` if it is not `default`");
    if found.is_empty() { Err(none()) } else { Ok(found) }
}

/// `kubectl delete pod -n shop web-0 --force`, `kubectl delete pods -l app=web`
fn delete_pods(words: &Words, names: &[&str], spec: &Scenario) -> Result<Vec<Step>, Problem> {
    words.one_way(names, "pod")?;
    let full = |name: &&str| match name.contains('/') {
        true => (*name).to_owned(),
        false => format!("{}/{name}", words.namespace()),
    };
    let grace = match (seconds(words)?, words.is_set("--force")) {
        (None, true) => Some(0),
        (None, false) if words.is_set("--now") => Some(1),
        // Without --force kubectl makes 1 of 0, lest data be lost by accident (`DeleteOptions.Complete`).
        (Some(0), false) => Some(1),
        (given, _) => given,
    };
    let pods = match names {
        [] => selected(words, spec)?,
        names => names.iter().map(full).collect(),
    };
    let pods = Some(PodSelector::Pods(pods));
    Ok(vec![Step::DeletePod { pod: None, pods, grace_period_seconds: grace }])
}

/// `kubectl scale deployment/web --replicas=5`
fn scale(words: &Words, rest: &[&str]) -> Result<Vec<Step>, Problem> {
    let (kind, name) = match rest {
        [kind, name] => (*kind, *name),
        [one] => one.split_once('/').unwrap_or(("", one)),
        _ => ("", ""),
    };
    let kind = match kind {
        "deployment" | "deployments" | "deploy" | "deployment.apps" => "Deployment/",
        "statefulset" | "statefulsets" | "sts" | "statefulset.apps" => "StatefulSet/",
        "replicaset" | "replicasets" | "rs" | "replicaset.apps" => "ReplicaSet/",
        _ => "",
    };
    let replicas = words.flag(&["--replicas"]).and_then(|n| n.parse::<i32>().ok());
    let Some(replicas) = replicas.filter(|n| *n >= 0 && !name.is_empty()) else {
        return Err(Problem::new("`kubectl scale` needs a workload and a number")
            .help("`kubectl scale deployment/web --replicas=5`"));
    };
    let workload = format!("{kind}{}/{name}", words.namespace());
    Ok(vec![Step::Scale { workload, replicas }])
}

/// `patch tolerations web 600`: the pods that a workload has tolerate not-ready and unreachable for
/// so many seconds from now on, or `none`, for ever; it is that of namespace `default`, as `shop/web` is that of another.
fn patch_tolerations(workload: &str, seconds: &str, spec: &Scenario) -> Result<Vec<Step>, Problem> {
    let (own, name) = workload.split_once('/').unwrap_or(("default", workload));
    let is_called_so = |group: &&PodGroup| {
        let owns = |o: &Owner| o.name == name || owned_by(spec, namespace(group), &o.name, name);
        group.on != Placement::Unbound && group.owner.as_ref().is_some_and(owns)
    };
    let called_so = spec.pods.iter().filter(is_called_so);
    let (here, others): (Vec<_>, Vec<_>) = called_so.partition(|group| namespace(group) == own);
    if here.is_empty() {
        let of = others.first().map(|group| namespace(group));
        let meant = of.map(|of| format!("did you mean `{of}/{name}`?"));
        return Err(Problem::new(format!("no pod of `{own}/{name}` is in the export"))
            .maybe_help(meant)
            .or_help(
                "the name of a Deployment, StatefulSet, DaemonSet or Job, or `NAMESPACE/NAME`",
            ));
    }
    here.into_iter().map(|group| patch(group, seconds.trim_end_matches('s'))).collect()
}

/// Whether a ReplicaSet of that name belongs to a Deployment.
fn owned_by(spec: &Scenario, namespace: &str, replica_set: &str, deployment: &str) -> bool {
    spec.workloads.iter().any(|w| {
        let Workload::ReplicaSet(group) = w else { return false };
        group.namespace.as_deref().unwrap_or("default") == namespace
            && group.name.as_deref() == Some(replica_set)
            && group.deployment.as_deref() == Some(deployment)
    })
}

/// Tolerations of the pods of a group, for so many seconds.
pub(super) fn patch(group: &PodGroup, seconds: &str) -> Result<Step, Problem> {
    let mut tolerations = group.tolerations.clone();
    for key in [NOT_READY, UNREACHABLE] {
        toleration_seconds(&mut tolerations, key, seconds)?;
    }
    let names = pods(group)?.into_iter().map(|(name, _)| name).collect();
    Ok(Step::PatchTolerations { pod: None, pods: Some(PodSelector::Pods(names)), tolerations })
}
