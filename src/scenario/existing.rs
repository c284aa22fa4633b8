//! What a setting changes in pods that exist: those of an export, or written under `pods`, have
//! their own tolerations, and a template or a flag of the API server says only what new pods get.
//! Whoever asks "what if it were 60 s?" means the cluster after a rollout, so the pods are changed
//! as if each had been made anew, and a run says how many; [`Existing::Keep`] leaves them.
//!
//! A template reaches the pods that its workload owns, those of a Deployment through its
//! ReplicaSets, but none that has ended or is being deleted. The two flags of the admission plugin
//! DefaultTolerationSeconds reach the pods that have what it adds
//! (`plugin/pkg/admission/defaulttolerationseconds/admission.go`, v1.34: key, `Exists`,
//! `NoExecute`, the default's seconds), unless their template or the defaults of their namespace
//! say so themselves.

use super::names;
use super::spec::{
    Effect, Existing, FlagValue, Flags, Operator, Phase, PodGroup, PodStart, PodTemplate,
    QuantityText, Scenario, Toleration, Workload, WorkloadGroup,
};
use crate::api::taint::{NOT_READY, UNREACHABLE};
use std::collections::BTreeMap;

/// What an export says beside its objects, and where they begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exported {
    /// Flags of the control plane, read from its pods.
    pub flags: Flags,
    /// Its feature gates.
    pub feature_gates: BTreeMap<String, bool>,
    /// How many pod groups the scenario writes itself; those behind them are the export's.
    pub own_pods: usize,
}

/// Pod groups that a setting reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    /// Places in [`Scenario::pods`].
    groups: Vec<usize>,
    /// What is said of them, behind "3 existing pods".
    said: String,
}

impl Reached {
    /// The sentence, with the numbers of pods that the groups stand for; nothing if there are none.
    pub(super) fn sentence(&self, pods: &dyn Fn(usize) -> usize) -> Option<String> {
        let count: usize = self.groups.iter().map(|&i| pods(i)).sum();
        (count > 0).then(|| {
            format!(
                "{count} existing {}{}",
                if count == 1 { "pod" } else { "pods" },
                self.said
            )
        })
    }
}

/// The seconds that the plugin gives where no flag says otherwise.
const DEFAULT_SECONDS: i64 = 300;

/// Takes what changed in templates and in the default tolerations' flags to the pods that exist.
/// `was` is the scenario before its settings were changed.
pub(super) fn roll_out(
    spec: &mut Scenario,
    was: &Scenario,
    exported: Option<&Exported>,
) -> Vec<Reached> {
    let mut reached = templates(spec, was);
    for (key, flag, short) in [
        (
            NOT_READY,
            "default-not-ready-toleration-seconds",
            "not-ready",
        ),
        (
            UNREACHABLE,
            "default-unreachable-toleration-seconds",
            "unreachable",
        ),
    ] {
        reached.extend(defaults(spec, was, exported, key, flag, short));
    }
    reached
}

/// A workload's namespace, kind and name, in this order.
type Full = (String, &'static str, String);

fn full_names(workload: &Workload) -> Vec<Full> {
    let group = workload.group();
    let namespace = group.namespace.as_deref().unwrap_or("default");
    let texts = group.name.as_ref().map_or(
        group.names.as_ref().map_or(&[][..], |n| n.texts()),
        std::slice::from_ref,
    );
    // Texts that are no names are complained about elsewhere.
    let names = texts
        .iter()
        .flat_map(|text| names::expand(text, 100_000).unwrap_or_default());
    names
        .map(|name| (namespace.to_owned(), workload.kind(), name))
        .collect()
}

/// Finds the workload that a pod belongs to in the eyes of people: its owner, or the Deployment of
/// the ReplicaSet that owns it.
struct Owners(BTreeMap<Full, usize>);

impl Owners {
    fn new(spec: &Scenario) -> Self {
        let mut all = BTreeMap::new();
        let each = || spec.workloads.iter().enumerate();
        each().for_each(|(i, w)| all.extend(full_names(w).into_iter().map(|full| (full, i))));
        for (_, set) in each().filter(|(_, w)| w.kind() == "ReplicaSet") {
            let Some(deployment) = &set.group().deployment else {
                continue;
            };
            for full in full_names(set) {
                if let Some(&i) = all.get(&(full.0.clone(), "Deployment", deployment.clone())) {
                    all.insert(full, i);
                }
            }
        }
        Self(all)
    }

    fn of(&self, pod: &PodGroup) -> Option<usize> {
        let owner = pod.owner.as_ref()?;
        let kind = [
            "Deployment",
            "ReplicaSet",
            "StatefulSet",
            "DaemonSet",
            "Job",
        ]
        .into_iter()
        .find(|k| *k == owner.kind)?;
        let namespace = pod.namespace.as_deref().unwrap_or("default").to_owned();
        let own = self.0.get(&(namespace.clone(), kind, owner.name.clone()));
        own.copied().or_else(|| {
            // A ReplicaSet that is not in the files: its name is the Deployment's and the hash that
            // its pods carry.
            let hash = pod
                .labels
                .get("pod-template-hash")
                .filter(|_| kind == "ReplicaSet")?;
            let deployment = owner.name.strip_suffix(hash.as_str())?.strip_suffix('-')?;
            self.0
                .get(&(namespace, "Deployment", deployment.to_owned()))
                .copied()
        })
    }
}

/// Whether a rollout would replace these pods: not those that have ended, or that go already.
fn stands(pod: &PodGroup) -> bool {
    !matches!(
        pod.start,
        Some(
            PodStart::Imported {
                phase: Phase::Succeeded | Phase::Failed,
                ..
            } | PodStart::Imported {
                deletion: Some(_),
                ..
            }
        )
    )
}

/// Takes changed templates to the pods and ReplicaSets of their workloads.
fn templates(spec: &mut Scenario, was: &Scenario) -> Vec<Reached> {
    let changed = |i: usize| {
        was.workloads
            .get(i)
            .zip(spec.workloads.get(i))
            .filter(|(a, b)| a.group().template != b.group().template)
    };
    let changes: BTreeMap<usize, (PodTemplate, PodTemplate)> = (0..spec.workloads.len())
        .filter_map(|i| {
            changed(i).map(|(a, b)| (i, (a.group().template.clone(), b.group().template.clone())))
        })
        .collect();
    if changes.is_empty() {
        return Vec::new();
    }
    let owners = Owners::new(spec);
    for i in 0..spec.workloads.len() {
        // What a Deployment's template says now is what its next pods are made from; its ReplicaSet
        // is the one that makes them.
        let owner = full_names(&spec.workloads[i])
            .first()
            .and_then(|full| owners.0.get(full))
            .copied();
        if let Some((before, after)) = owner
            .filter(|o| *o != i && !changes.contains_key(&i))
            .and_then(|o| changes.get(&o))
        {
            carry(
                before,
                after,
                of_template(&mut spec.workloads[i].group_mut().template),
            );
        }
    }
    let keep = spec.existing == Some(Existing::Keep);
    let mut reached: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
    for p in 0..spec.pods.len() {
        let Some(owner) = owners.of(&spec.pods[p]).filter(|_| stands(&spec.pods[p])) else {
            continue;
        };
        let Some((before, after)) = changes.get(&owner) else {
            continue;
        };
        let mut made = spec.pods[p].clone();
        carry(before, after, of_pod(&mut made));
        if spec.workloads[owner].kind() == "DaemonSet" {
            by_daemon_set(&mut made.tolerations);
        }
        let other = made != spec.pods[p];
        if other && !keep {
            spec.pods[p] = made;
        }
        reached.entry((owner, other)).or_default().push(p);
    }
    let one = |((owner, other), groups): ((usize, bool), Vec<usize>)| {
        let workload = &spec.workloads[owner];
        let of = format!(" of {} {}", workload.kind(), written(workload.group()));
        let said = match (other, keep) {
            (true, true) => format!(
                "{of} stay as they are, without what its template says now (existing: Keep)"
            ),
            (true, false) => match workload.kind() {
                "ReplicaSet" | "Job" => format!("{of} changed as if made anew from its template"),
                _ => format!("{of} changed as by a rollout"),
            },
            (false, _) if workload.kind() == "DaemonSet" => {
                format!(
                    "{of} stay as they are: its controller lets them tolerate not-ready and unreachable for ever"
                )
            }
            (false, _) => return None,
        };
        Some(Reached { groups, said })
    };
    reached.into_iter().filter_map(one).collect()
}

/// `shop/web`
fn written(group: &WorkloadGroup) -> String {
    let name = group.name.as_deref().or_else(|| {
        group
            .names
            .as_ref()
            .and_then(|n| n.texts().first())
            .map(String::as_str)
    });
    format!(
        "{}/{}",
        group.namespace.as_deref().unwrap_or("default"),
        name.unwrap_or("?")
    )
}

/// What a path into a template can change, in a template or in pods.
struct Fields<'a> {
    labels: &'a mut BTreeMap<String, String>,
    tolerations: &'a mut Vec<Toleration>,
    grace: &'a mut Option<i64>,
    priority: &'a mut Option<i32>,
    priority_class: &'a mut Option<String>,
    requests: &'a mut BTreeMap<String, QuantityText>,
}

fn of_template(t: &mut PodTemplate) -> Fields<'_> {
    Fields {
        labels: &mut t.labels,
        tolerations: &mut t.tolerations,
        grace: &mut t.termination_grace_period_seconds,
        priority: &mut t.priority,
        priority_class: &mut t.priority_class_name,
        requests: &mut t.requests,
    }
}

fn of_pod(p: &mut PodGroup) -> Fields<'_> {
    Fields {
        labels: &mut p.labels,
        tolerations: &mut p.tolerations,
        grace: &mut p.termination_grace_period_seconds,
        priority: &mut p.priority,
        priority_class: &mut p.priority_class_name,
        requests: &mut p.requests,
    }
}

/// Takes what differs between two states of a template to something that was made from the first.
fn carry(before: &PodTemplate, after: &PodTemplate, to: Fields<'_>) {
    let new = |(key, value): &(&String, &String)| before.labels.get(*key) != Some(*value);
    to.labels.extend(
        after
            .labels
            .iter()
            .filter(new)
            .map(|(k, v)| (k.clone(), v.clone())),
    );
    let new = |(key, value): &(&String, &QuantityText)| before.requests.get(*key) != Some(*value);
    to.requests.extend(
        after
            .requests
            .iter()
            .filter(new)
            .map(|(k, v)| (k.clone(), v.clone())),
    );
    if before.termination_grace_period_seconds != after.termination_grace_period_seconds {
        *to.grace = after.termination_grace_period_seconds;
    }
    if (before.priority, &before.priority_class_name)
        != (after.priority, &after.priority_class_name)
    {
        // A pod without a priority of its own gets that of its class.
        (*to.priority, *to.priority_class) = (after.priority, after.priority_class_name.clone());
    }
    for (i, toleration) in after.tolerations.iter().enumerate() {
        let old = before.tolerations.get(i);
        if old == Some(toleration) {
            continue;
        }
        // The template's own, or what admission had added because the template had none.
        let alike = |t: &Toleration| {
            (&t.key, t.operator, &t.value)
                == (&toleration.key, toleration.operator, &toleration.value)
                && (t.effect == toleration.effect
                    || t.effect.is_none() && toleration.effect == Some(Effect::NoExecute))
        };
        let there = to
            .tolerations
            .iter()
            .position(|t| Some(t) == old)
            .or_else(|| to.tolerations.iter().position(alike));
        match there {
            Some(j) => to.tolerations[j] = toleration.clone(),
            None => to.tolerations.push(toleration.clone()),
        }
    }
}

fn is_failing(t: &Toleration) -> bool {
    (t.key == NOT_READY || t.key == UNREACHABLE)
        && t.operator == Some(Operator::Exists)
        && t.effect == Some(Effect::NoExecute)
}

/// A DaemonSet's controller overwrites what a template says of the taints of failing nodes
/// (`pkg/controller/daemon/util/ daemonset_util.go: AddOrUpdateDaemonPodTolerations`).
fn by_daemon_set(tolerations: &mut [Toleration]) {
    tolerations
        .iter_mut()
        .filter(|t| is_failing(t))
        .for_each(|t| t.toleration_seconds = None);
}

fn seconds_of(flags: &Flags, flag: &str) -> Option<i64> {
    match flags.kube_apiserver.get(flag)? {
        FlagValue::Int(n) => Some(*n),
        FlagValue::Text(text) => text.parse().ok(),
        FlagValue::Bool(_) | FlagValue::Float(_) => None,
    }
}

/// Takes another default of the plugin DefaultTolerationSeconds to the pods that have the former
/// one.
fn defaults(
    spec: &mut Scenario,
    was: &Scenario,
    exported: Option<&Exported>,
    key: &str,
    flag: &str,
    short: &str,
) -> Option<Reached> {
    let new = seconds_of(&spec.flags, flag)?;
    let disabled = spec
        .flags
        .kube_apiserver
        .get("disable-admission-plugins")
        .map(ToString::to_string)
        .unwrap_or_default();
    if disabled
        .split(',')
        .any(|name| name.trim() == "DefaultTolerationSeconds")
    {
        return None;
    }
    let of_export = exported.map(|e| seconds_of(&e.flags, flag).unwrap_or(DEFAULT_SECONDS));
    let of_file = [Some(DEFAULT_SECONDS), seconds_of(&was.flags, flag)];
    let former = |p: usize| match (of_export, exported) {
        (Some(seconds), Some(e)) if p >= e.own_pods => [Some(seconds), None],
        _ => of_file,
    };
    let added = |t: &Toleration, p: usize| {
        t.key == key
            && is_failing(t)
            && t.toleration_seconds
                .is_some_and(|s| s != new && former(p).contains(&Some(s)))
    };
    let candidates: Vec<usize> = (0..spec.pods.len())
        .filter(|&p| stands(&spec.pods[p]) && spec.pods[p].tolerations.iter().any(|t| added(t, p)))
        .collect();
    if candidates.is_empty() {
        return None;
    }
    let owners = Owners::new(spec);
    let states = |t: &Toleration| {
        (t.key == key || t.key.is_empty()) && t.effect.is_none_or(|e| e == Effect::NoExecute)
    };
    let own = |p: usize| {
        let pod = &spec.pods[p];
        let namespace = pod.namespace.as_deref().unwrap_or("default");
        let defaults = spec
            .namespaces
            .iter()
            .find(|n| n.name.as_deref() == Some(namespace))
            .and_then(|n| n.default_tolerations.as_ref());
        if defaults.is_some_and(|all| all.iter().any(states)) {
            return true;
        }
        match owners.of(pod) {
            Some(owner) => spec.workloads[owner]
                .group()
                .template
                .tolerations
                .iter()
                .any(states),
            // A pod that is written without an owner has what somebody wrote; in an export nobody
            // can tell.
            None => pod.owner.is_none() && exported.is_none_or(|e| p < e.own_pods),
        }
    };
    let groups: Vec<usize> = candidates.into_iter().filter(|&p| !own(p)).collect();
    let keep = spec.existing == Some(Existing::Keep);
    let mut seconds: Vec<i64> = Vec::new();
    for &p in &groups {
        let former: Vec<usize> = (0..spec.pods[p].tolerations.len())
            .filter(|&i| added(&spec.pods[p].tolerations[i], p))
            .collect();
        for i in former {
            let toleration = &mut spec.pods[p].tolerations[i];
            seconds.extend(toleration.toleration_seconds);
            if !keep {
                toleration.toleration_seconds = Some(new);
            }
        }
    }
    seconds.sort_unstable();
    seconds.dedup();
    let seconds = seconds
        .iter()
        .map(|s| format!("{s} s"))
        .collect::<Vec<_>>()
        .join(" or ");
    let said = if keep {
        format!(
            " keep the {seconds} for {short} that DefaultTolerationSeconds had added (existing: Keep)"
        )
    } else {
        format!(
            " changed as by a rollout: those with the {seconds} for {short} that DefaultTolerationSeconds had added"
        )
    };
    Some(Reached { groups, said })
}

#[cfg(test)]
mod tests {
    use crate::api::taint::{NOT_READY, UNREACHABLE};
    use crate::plan::Plan;
    use crate::scenario::{Overrides, build, parse};
    use std::path::Path;

    /// A plan of the export of a healthy cluster: six pods of shop/web with 30 s of their own,
    /// twelve that have 300 s by admission (four of api, three each of db and train, debug and
    /// too-big), one with an unreachable toleration of its own for ever, a DaemonSet of twelve.
    fn plan(rest: &str, sets: &[&str]) -> Plan {
        let text = format!(
            r#"(version: 1, horizon: "30m", cluster: From("tests/exports/healthy-all.json.gz"), {rest})"#
        );
        let loaded =
            parse("f.ron", text.into_bytes(), Path::new("")).unwrap_or_else(|p| panic!("{p}"));
        let overrides = Overrides {
            sets: sets.iter().map(|s| (*s).to_owned()).collect(),
            ..Overrides::default()
        };
        build(&loaded, &overrides).unwrap_or_else(|p| panic!("{p}"))
    }

    /// How many pods of names that begin so tolerate a taint for so many seconds; none is for ever.
    fn tolerating(plan: &Plan, pods: &str, key: &str, seconds: Option<i64>) -> usize {
        let of = plan.pods.iter().filter(|p| p.name.starts_with(pods));
        let own = |template: u32| {
            plan.templates[template as usize]
                .tolerations
                .iter()
                .any(|t| t.key == key && t.toleration_seconds == seconds)
        };
        of.filter(|p| own(p.template)).count()
    }

    #[test]
    fn a_template_reaches_the_pods_of_its_workload_as_a_rollout_would() {
        let path = "workloads.web.template.tolerations[unreachable].tolerationSeconds";
        let rolled = plan("", &[&format!("{path}=60")]);
        assert_eq!(
            rolled.notes,
            ["6 existing pods of Deployment shop/web changed as by a rollout"]
        );
        assert_eq!(tolerating(&rolled, "shop/web-", UNREACHABLE, Some(60)), 6);
        assert_eq!(
            tolerating(&rolled, "shop/web-", NOT_READY, Some(30)),
            6,
            "the other toleration stays"
        );
        // The ReplicaSet makes the next pods.
        let set = rolled
            .workloads
            .iter()
            .find(|w| w.name.starts_with("ReplicaSet/shop/web-"))
            .unwrap();
        assert!(
            rolled.templates[set.template as usize]
                .tolerations
                .iter()
                .any(|t| t.key == UNREACHABLE && t.toleration_seconds == Some(60))
        );
        // What the pods have already changes nothing, and is not said.
        assert!(plan("", &[&format!("{path}=30")]).notes.is_empty());
        let kept = plan("existing: Keep", &[&format!("{path}=60")]);
        assert_eq!(
            kept.notes,
            [
                "6 existing pods of Deployment shop/web stay as they are, without what its template says now (existing: Keep)"
            ]
        );
        assert_eq!(tolerating(&kept, "shop/web-", UNREACHABLE, Some(30)), 6);
        assert_eq!(
            plan("", &[&format!("{path}=60"), "existing=keep"]).notes,
            kept.notes
        );
        assert_eq!(
            plan(
                "existing: keep",
                &[&format!("{path}=60"), "existing=rollout"]
            )
            .notes,
            rolled.notes
        );
    }

    #[test]
    fn a_toleration_that_admission_had_added_gives_way_to_the_templates() {
        let rolled = plan(
            "",
            &["workloads.shop/db.template.tolerations[unreachable].tolerationSeconds=none"],
        );
        assert_eq!(
            rolled.notes,
            ["3 existing pods of StatefulSet shop/db changed as by a rollout"]
        );
        assert_eq!(tolerating(&rolled, "shop/db-", UNREACHABLE, None), 3);
        assert_eq!(
            (
                tolerating(&rolled, "shop/db-", UNREACHABLE, Some(300)),
                tolerating(&rolled, "shop/db-", NOT_READY, Some(300))
            ),
            (0, 3)
        );
        let other = plan(
            "",
            &[
                "workloads.api.template.terminationGracePeriodSeconds=5",
                "workloads.api.template.requests.cpu=2",
            ],
        );
        assert_eq!(
            other.notes,
            ["4 existing pods of Deployment shop/api changed as by a rollout"]
        );
        let agents = plan(
            "",
            &["workloads.node-agent.template.tolerations[unreachable].tolerationSeconds=60"],
        );
        assert!(
            agents.notes.len() == 1
                && agents.notes[0].contains("of DaemonSet kube-system/node-agent"),
            "{:?}",
            agents.notes
        );
        assert_eq!(
            tolerating(&agents, "kube-system/node-agent", UNREACHABLE, Some(60)),
            0,
            "its controller lets them stay for ever"
        );
    }

    #[test]
    fn another_default_reaches_what_the_admission_plugin_had_added() {
        let set = "flags.kube-apiserver.default-unreachable-toleration-seconds";
        let note = "12 existing pods changed as by a rollout: those with the 300 s for unreachable that DefaultTolerationSeconds had added";
        let rolled = plan("", &[&format!("{set}=60")]);
        assert_eq!(rolled.notes, [note]);
        // 4 + 3 + 3 + 2; the four of the finished Job stay as they ended.
        assert_eq!(tolerating(&rolled, "", UNREACHABLE, Some(60)), 12);
        assert_eq!(tolerating(&rolled, "batch/", UNREACHABLE, Some(300)), 4);
        assert_eq!(
            tolerating(&rolled, "shop/web-", UNREACHABLE, Some(30)),
            6,
            "their template says so itself"
        );
        assert_eq!(tolerating(&rolled, "default/cache", UNREACHABLE, None), 1);
        assert_eq!(tolerating(&rolled, "", NOT_READY, Some(60)), 0);
        // In the file it means the same.
        let flags = r#"flags: (kube-apiserver: {"default-unreachable-toleration-seconds": 60})"#;
        assert_eq!(plan(flags, &[]).notes, [note]);
        assert!(plan("", &[&format!("{set}=300")]).notes.is_empty());
        // cache lacks one of its own for not-ready, so that it is the thirteenth.
        let set = "flags.kube-apiserver.default-not-ready-toleration-seconds=7";
        assert_eq!(tolerating(&plan("", &[set]), "", NOT_READY, Some(7)), 13);
        let kept = plan("existing: Keep", &[set]);
        assert_eq!(
            kept.notes,
            [
                "13 existing pods keep the 300 s for not-ready that DefaultTolerationSeconds had added (existing: Keep)"
            ]
        );
        assert_eq!(tolerating(&kept, "", NOT_READY, Some(7)), 0);
    }

    #[test]
    fn what_a_scenario_writes_without_an_owner_is_a_users() {
        let pods = |owner: &str| {
            let text = format!(
                r#"(version: 1, horizon: "1m", nodes: [(name: "n")], workloads: [ReplicaSet(name: "web")], pods: [(name: "p", on: Node("n"), {owner}
                tolerations: [(key: "{UNREACHABLE}", operator: Exists, effect: NoExecute, tolerationSeconds: 300)])])"#
            );
            let loaded = parse("f.ron", text.into_bytes(), Path::new("")).unwrap();
            let sets =
                vec!["flags.kube-apiserver.default-unreachable-toleration-seconds=60".to_owned()];
            build(
                &loaded,
                &Overrides {
                    sets,
                    ..Overrides::default()
                },
            )
            .unwrap()
        };
        assert!(pods("").notes.is_empty());
        assert_eq!(
            pods("owner: (kind: \"ReplicaSet\", name: \"web\"),")
                .notes
                .len(),
            1
        );
    }
}
