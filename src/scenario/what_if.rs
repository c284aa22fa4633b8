//! Another course that a person might take: commands as they are typed, read into entries of a
//! timeline.

use super::paths::toleration_seconds;
use crate::api::spelling;
use crate::api::taint::{NOT_READY, UNREACHABLE};
use crate::scenario::prelude::*;

/// When what is asked for is done, after the start of the run: a moment later, once controllers
/// have looked around.
const AT: &str = "1s";
/// Where no other is given, how long a process of controllers is away when it is restarted.
const DOWNTIME: &str = "2s";

const HELP: &str = "one of `kubectl taint nodes NODE… KEY=VALUE:EFFECT`, `kubectl cordon NODE`, \
`kubectl uncordon NODE`, `kubectl drain NODE`, `kubectl delete node NODE`, \
`kubectl delete pod [-n NAMESPACE] POD [--force]`, `kubectl scale [-n NAMESPACE] deployment/NAME --replicas=N`, \
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
        ["kubectl", rest @ ..] => kubectl(rest)?,
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
    let nodes = Words::of(names).known()?.nodes(names)?;
    Ok(Step::Heal { node: None, nodes })
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
    const VALUED: &'static str = "-n --namespace -l --selector --grace-period --replicas --context \
        --kubeconfig --as --timeout --skip-wait-for-delete-timeout";
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
                let near = spelling::nearest(name, known());
                Err(Problem::new(format!("the flag `{name}` is not known here"))
                    .maybe_help(near.map(|n| format!("did you mean `{n}`?"))))
            }
        }
    }

    /// A flag's duration; none, as kubectl has it, for zero.
    fn span(&self, name: &str) -> Result<Option<DurationText>, Problem> {
        let Some(text) = self.flag(&[name]) else { return Ok(None) };
        let wrong = |e: &dyn std::fmt::Display| Problem::new(format!("{name}={text}: {e}"));
        let span = match text {
            "0" => return Ok(None),
            text => duration::parse(text).map_err(|e| wrong(&e))?,
        };
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

    /// The nodes that are named, or selected by label, or all.
    fn nodes(&self, names: &[&str]) -> Result<Option<NodeSelector>, Problem> {
        if let Some(selector) = self.flag(&["-l", "--selector"]) {
            return Ok(Some(NodeSelector::Label(selector.to_owned())));
        }
        if self.is_set("--all") {
            return Ok(Some(NodeSelector::All));
        }
        let strip =
            |n: &&str| n.trim_start_matches("nodes/").trim_start_matches("node/").to_owned();
        let names: Vec<String> = names.iter().map(strip).collect();
        if names.is_empty() {
            return Err(Problem::new("this command names no node")
                .help("a node's name, `-l KEY=VALUE`, or `--all`"));
        }
        Ok(Some(NodeSelector::Nodes(names)))
    }
}

fn kubectl(rest: &[&str]) -> Result<Vec<Step>, Problem> {
    let words = Words::of(rest).known()?;
    let deleted = |types| of_type(words.plain.strip_prefix(&["delete"])?, types);
    if let Some(names) = deleted(["pod", "pods", "po"]).filter(|names| !names.is_empty()) {
        return delete_pods(&words, &names);
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

/// `kubectl delete pod -n shop web-0 --force`
fn delete_pods(words: &Words, names: &[&str]) -> Result<Vec<Step>, Problem> {
    let namespace = words.namespace();
    let full = |name: &&str| match name.contains('/') {
        true => (*name).to_owned(),
        false => format!("{namespace}/{name}"),
    };
    let grace = match (seconds(words)?, words.is_set("--force")) {
        (None, true) => Some(0),
        (None, false) if words.is_set("--now") => Some(1),
        // Without --force kubectl makes 1 of 0, lest data be lost by accident (`DeleteOptions.Complete`).
        (Some(0), false) => Some(1),
        (given, _) => given,
    };
    Ok(vec![Step::DeletePod {
        pod: None,
        pods: Some(PodSelector::Pods(names.iter().map(full).collect())),
        grace_period_seconds: grace,
    }])
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
    let (namespace, name) = workload.split_once('/').unwrap_or(("default", workload));
    let of = |group: &PodGroup| group.namespace.clone().unwrap_or_else(|| "default".to_owned());
    let is_called_so = |group: &&PodGroup| {
        let owns = |o: &Owner| o.name == name || owned_by(spec, &of(group), &o.name, name);
        group.on != Placement::Unbound && group.owner.as_ref().is_some_and(owns)
    };
    let called_so = spec.pods.iter().filter(is_called_so);
    let (here, others): (Vec<_>, Vec<_>) = called_so.partition(|group| of(group) == namespace);
    if here.is_empty() {
        let meant = others.first().map(|group| format!("did you mean `{}/{name}`?", of(group)));
        return Err(Problem::new(format!("no pod of `{namespace}/{name}` is in the export"))
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

fn patch(group: &PodGroup, seconds: &str) -> Result<Step, Problem> {
    let mut tolerations = group.tolerations.clone();
    for key in [NOT_READY, UNREACHABLE] {
        toleration_seconds(&mut tolerations, key, seconds)?;
    }
    let namespace = group.namespace.as_deref().unwrap_or("default");
    let full = |name: &String| format!("{namespace}/{name}");
    let many = group.names.iter().flat_map(OneOrMany::texts);
    let names: Vec<String> = group.name.iter().chain(many).map(full).collect();
    Ok(Step::PatchTolerations { pod: None, pods: Some(PodSelector::Pods(names)), tolerations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Tree;

    fn steps(text: &str) -> Result<Vec<Step>, String> {
        let entries = what_if(text, &Scenario::default()).map_err(|p| p.to_string())?;
        Ok(entries.into_iter().map(|e| e.step).collect())
    }

    /// As kubectl takes them (`kubectl COMMAND --help`, 1.34).
    #[test]
    fn commands_are_read_in_every_spelling() {
        for (texts, wanted) in [
            (
                &[
                    "kubectl delete pod web-0 -n shop",
                    "kubectl -n shop delete po/web-0",
                    "kubectl delete pods web-0 --namespace=shop",
                ][..],
                r#"DeletePod(pods:Some(Pods(["shop/web-0"])))"#,
            ),
            (
                &["kubectl delete pod web-0 --now", "kubectl delete pod web-0 --grace-period=0"],
                r#"DeletePod(pods:Some(Pods(["default/web-0"])),gracePeriodSeconds:Some(1))"#,
            ),
            (
                &["kubectl delete pod web-0 --force --grace-period=-1"],
                r#"DeletePod(pods:Some(Pods(["default/web-0"])),gracePeriodSeconds:Some(0))"#,
            ),
            (&["kubectl drain b-03 --grace-period=-1"], r#"Drain(nodes:Some(Nodes(["b-03"])))"#),
            (
                &["kubectl delete node b-03", "kubectl delete node/b-03"],
                r#"DeleteNode(nodes:Some(Nodes(["b-03"])))"#,
            ),
            (
                &[
                    "kubectl scale deployment web --replicas=5",
                    "kubectl scale deploy/web --replicas 5",
                ],
                r#"Scale(workload:"Deployment/default/web",replicas:5)"#,
            ),
            (
                &["kubectl scale -n shop --replicas=5 sts/db"],
                r#"Scale(workload:"StatefulSet/shop/db",replicas:5)"#,
            ),
            (
                &["kubectl cordon node/b-03", "kubectl --context blue cordon b-03"],
                r#"Cordon(nodes:Some(Nodes(["b-03"])))"#,
            ),
            (
                &["kubectl drain b-03 --ignore-daemonsets --timeout=5m"],
                r#"Drain(nodes:Some(Nodes(["b-03"])),ignore_daemonsets:true,timeout:Some("5m"))"#,
            ),
            (&["heal b-03 @10m"], r#"Heal(nodes:Some(Nodes(["b-03"])))"#),
            (&["kubectl drain b-03 --timeout=0s"], r#"Drain(nodes:Some(Nodes(["b-03"])))"#),
        ] {
            let wanted = Tree::read(wanted).and_then(|t| t.typed::<Step>()).unwrap();
            for text in texts {
                assert_eq!(steps(text).as_deref(), Ok(&[wanted.clone()][..]), "{text}");
            }
        }
    }

    /// A toleration of the taint that bars the scheduler has no seconds, nor has one for every effect
    /// (`ValidateTolerations`: "effect must be 'NoExecute' when `tolerationSeconds` is set").
    #[test]
    fn seconds_are_of_the_toleration_that_has_some() {
        let own =
            |effect| Toleration { key: UNREACHABLE.to_owned(), effect, ..Toleration::default() };
        let patched = |effects: [Option<Effect>; 2], seconds: &str| {
            let tolerations = effects.map(own).to_vec();
            let group = PodGroup { tolerations, ..PodGroup::default() };
            let Ok(Step::PatchTolerations { tolerations, .. }) = patch(&group, seconds) else {
                panic!()
            };
            tolerations.iter().map(|t| t.toleration_seconds).collect::<Vec<_>>()
        };
        let effects = [Some(Effect::NoSchedule), Some(Effect::NoExecute)];
        assert_eq!(patched(effects, "600"), [None, Some(600), Some(600)]);
        assert_eq!(patched(effects, "none"), [None; 3]);
        let every = [Some(Effect::NoSchedule), None];
        assert_eq!(patched(every, "600"), [None, None, Some(600), Some(600)]);
        assert!(patch(&PodGroup::default(), "soon").is_err());
    }

    /// Two workloads of one name in two namespaces: what does not say which means that of `default`, as
    /// with kubectl's commands.
    #[test]
    fn tolerations_are_of_one_namespace() {
        let group = |namespace: Option<&str>| PodGroup {
            namespace: namespace.map(str::to_owned),
            name: Some("web-0".to_owned()),
            owner: Some(Owner { kind: "StatefulSet".to_owned(), name: "web".to_owned() }),
            on: Placement::Node("n".to_owned()),
            ..PodGroup::default()
        };
        let patched = |text: &str, namespaces: &[Option<&str>]| {
            let pods = namespaces.iter().map(|of| group(*of)).collect();
            let spec = Scenario { pods, ..Scenario::default() };
            let entries = what_if(text, &spec).map_err(|p| p.to_string())?;
            let one = |e: Entry| match e.step {
                Step::PatchTolerations { pods: Some(PodSelector::Pods(pods)), .. } => pods,
                _ => Vec::new(),
            };
            Ok::<Vec<String>, String>(entries.into_iter().flat_map(one).collect())
        };
        let both = [None, Some("shop")];
        assert_eq!(patched("patch tolerations web 600", &both).unwrap(), ["default/web-0"]);
        assert_eq!(patched("patch tolerations shop/web 600", &both).unwrap(), ["shop/web-0"]);
        let said = patched("patch tolerations web 600", &both[1..]).unwrap_err();
        let elsewhere =
            "no pod of `default/web` is in the export\n  help: did you mean `shop/web`?";
        assert_eq!(said, elsewhere);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for (text, wanted) in [
            ("kubectl delete pod web-0 --dry-run=client", "`--dry-run` does nothing"),
            (
                "kubectl drain b-03 --ignore-daemonset",
                "the flag `--ignore-daemonset` is not known here",
            ),
            ("kubectl drain b-03 --timeout=soon", "--timeout=soon: "),
            (
                "kubectl delete deployment/web",
                "`kubectl delete deployment/web` is no course that can be tried",
            ),
            ("kubectl cordon", "this command names no node"),
            ("kubectl scale deployment/web", "`kubectl scale` needs a workload and a number"),
            ("kubectl scale rs/web --replicas=-1", "`kubectl scale` needs a workload and a number"),
            ("reboot", "`reboot` is no course that can be tried"),
        ] {
            let said = steps(text).unwrap_err();
            assert!(said.contains(wanted), "{text}: {said}");
        }
    }
}
