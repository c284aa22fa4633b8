//! Workloads, and the pods of theirs that run when the run starts.
//!
//! Names of pods are what their controllers would call them where that is known: `db-0` of a
//! StatefulSet. Others are numbered, `web-0`, where upstream makes up letters; those of a DaemonSet
//! carry their node's name.

use super::super::names;
use super::super::problem::{Problem, did_you_mean};
use super::super::spec::{
    self, FlagValue, Placement, PodFailurePolicyAction, PodManagementPolicy, RestartPolicy,
    Workload, WorkloadGroup,
};
use super::super::syntax::{Place, at};
use super::complaints::Complaints;
use super::nodes::with;
use super::pods::{Lookup, placed, pod_template};
use super::select::{Nothing, Pods, PodsOf};
use super::{PODS_MAX, checks};
use crate::api::budget::IntOrPercent;
use crate::api::labels::{LabelSelector, LabelSelectorRequirement};
use crate::api::meta::OwnerReference;
use crate::api::pod::PodTemplate;
use crate::api::taint::{self, Effect};
use crate::api::toleration::{Operator, Toleration};
use crate::api::workload::{
    JobSpec, PodFailurePolicyRule, PodReplacementPolicy, WorkloadKind, WorkloadSpec, is_called,
    pod_template_hash, short_name, told_apart,
};
use crate::plan::{NodeIndex, PodPlan, PodStart, WorkloadIndex, WorkloadPlan};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The workloads that were declared so far.
#[derive(Default)]
pub(super) struct Workloads {
    /// In the order of their declaration, owners before what they own.
    pub(super) plans: Vec<WorkloadPlan>,
    /// By `Kind/namespace/name`; of several lives of one name, the first.
    pub(super) by_name: BTreeMap<String, WorkloadIndex>,
    /// ReplicaSets that nobody wrote: those of Deployments whose pods run already.
    pub(super) implied: BTreeMap<WorkloadIndex, WorkloadIndex>,
    /// StatefulSets whose pods are not there yet.
    pub(super) numbered: Vec<Numbered>,
    /// Workloads that could not be declared for a mistake of their own.
    pub(super) incomplete: bool,
}

/// Fields that not all kinds have, and the kinds that do.
type Own = (
    &'static str,
    fn(&WorkloadGroup) -> bool,
    &'static [WorkloadKind],
);

const OWN: [Own; 11] = {
    use WorkloadKind::{DaemonSet, Deployment, Job, ReplicaSet, StatefulSet};
    [
        ("deployment", |g| g.deployment.is_some(), &[ReplicaSet]),
        (
            "replicas",
            |g| g.replicas.is_some(),
            &[Deployment, ReplicaSet, StatefulSet],
        ),
        (
            "minReadySeconds",
            |g| g.min_ready_seconds.is_some(),
            &[Deployment, ReplicaSet, StatefulSet, DaemonSet],
        ),
        (
            "podManagementPolicy",
            |g| g.pod_management_policy.is_some(),
            &[StatefulSet],
        ),
        ("ordinals", |g| g.ordinals.is_some(), &[StatefulSet]),
        ("parallelism", |g| g.parallelism.is_some(), &[Job]),
        ("completions", |g| g.completions.is_some(), &[Job]),
        ("backoffLimit", |g| g.backoff_limit.is_some(), &[Job]),
        (
            "podReplacementPolicy",
            |g| g.pod_replacement_policy.is_some(),
            &[Job],
        ),
        (
            "podFailurePolicy",
            |g| g.pod_failure_policy.is_some(),
            &[Job],
        ),
        (
            "restartPolicy",
            |g| g.template.restart_policy.is_some(),
            &[Job],
        ),
    ]
};

/// The kind of a workload.
pub(super) fn kind(workload: &Workload) -> WorkloadKind {
    match workload {
        Workload::Deployment(_) => WorkloadKind::Deployment,
        Workload::ReplicaSet(_) => WorkloadKind::ReplicaSet,
        Workload::StatefulSet(_) => WorkloadKind::StatefulSet,
        Workload::DaemonSet(_) => WorkloadKind::DaemonSet,
        Workload::Job(_) => WorkloadKind::Job,
    }
}

impl Workloads {
    /// Declares a workload, or several that are alike, with the pods that it starts with.
    pub(super) fn declare(
        &mut self,
        written: &Workload,
        place: &Place,
        created_later: bool,
        pods: &mut Pods,
        lookup: &Lookup<'_>,
        complaints: &mut Complaints,
    ) -> Vec<WorkloadIndex> {
        let (kind, group) = (kind(written), written.group());
        for (field, given, kinds) in OWN {
            if given(group) && !kinds.contains(&kind) {
                let place = if field == "restartPolicy" {
                    with(&with(place, "template"), field)
                } else {
                    with(place, field)
                };
                complaints.add(
                    place,
                    Problem::new(format!("a {} has no `{field}`", kind.as_str()))
                        .maybe_help(instead(kind, field)),
                );
            }
        }
        let Some(names) = called(group, place, complaints) else {
            self.incomplete = true;
            return Vec::new();
        };
        let namespace = group.namespace.as_deref().unwrap_or("default");
        if let Err(problem) = checks::namespace(namespace) {
            complaints.add(with(place, "namespace"), problem);
        }
        let template = pod_template(
            &group.template,
            &with(place, "template"),
            false,
            lookup,
            complaints,
        );
        let node = group.template.node_name.as_ref().and_then(|name| {
            let found = lookup.nodes.named(name);
            found
                .map_err(|p| {
                    p.into_iter()
                        .for_each(|p| complaints.add(with(&with(place, "template"), "nodeName"), p))
                })
                .ok()
        });
        let spec = spec(kind, group, place, complaints);
        let min_ready_seconds = at_least_zero(
            group.min_ready_seconds,
            0,
            "minReadySeconds",
            place,
            complaints,
        );
        let selector = group
            .selector
            .as_ref()
            .map(|s| read_selector(s, &template, place, complaints));
        let owner = group
            .deployment
            .as_ref()
            .and_then(|name| self.deployment(namespace, name, place, complaints));
        let needs = group
            .needs
            .as_ref()
            .and_then(|n| needed(n, with(place, "needs"), complaints));
        let made = Declared {
            kind,
            namespace,
            template,
            selector,
            spec,
            min_ready_seconds,
            needs,
            node,
            owner,
            on: OnceCell::new(),
        };
        names
            .iter()
            .filter_map(|name| {
                self.one(
                    name,
                    group,
                    place,
                    created_later,
                    &made,
                    pods,
                    lookup,
                    complaints,
                )
            })
            .collect()
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is another part of the scenario; a struct would only rename them"
    )]
    fn one(
        &mut self,
        name: &str,
        group: &WorkloadGroup,
        place: &Place,
        created_later: bool,
        made: &Declared<'_>,
        pods: &mut Pods,
        lookup: &Lookup<'_>,
        complaints: &mut Complaints,
    ) -> Option<WorkloadIndex> {
        let names = with(
            place,
            if group.names.is_some() {
                "names"
            } else {
                "name"
            },
        );
        let kind = made.kind;
        if let Err(problem) = checks::object_name(kind.as_str(), name) {
            complaints.add(names, problem);
            self.incomplete = true;
            return None;
        }
        let full = format!("{}/{}/{name}", kind.as_str(), made.namespace);
        let index = self.plans.len() as WorkloadIndex;
        if self.by_name.contains_key(&full) && !created_later {
            complaints.say(
                names,
                format!(
                    "{} `{}/{name}` is declared twice",
                    kind.as_str(),
                    made.namespace
                ),
            );
            return None;
        }
        let mut template = made.template.clone();
        let selector = made.selector.clone().unwrap_or_else(|| {
            let label = ("app".to_owned(), name.to_owned());
            if template
                .labels
                .insert(label.0.clone(), label.1.clone())
                .is_some_and(|old| old != name)
            {
                let help = "`selector: (matchLabels: { … })` with labels of the template";
                let problem = Problem::new(format!(
                    "without a `selector` the pods are those with app={name}"
                ))
                .help(help);
                complaints.add(
                    with(&with(&with(place, "template"), "labels"), "app"),
                    problem,
                );
            }
            LabelSelector {
                match_labels: BTreeMap::from([label]),
                ..LabelSelector::default()
            }
        });
        let plan = WorkloadPlan {
            name: full,
            kind,
            owner: made.owner,
            selector: Rc::new(selector),
            template: pods.template(template.clone()),
            node: made.node,
            min_ready_seconds: made.min_ready_seconds,
            needs: made.needs,
            spec: made.spec.clone(),
        };
        let fits = plan.spec.replicas() as u64 <= pods.left();
        // It can be named even so.
        self.by_name.entry(plan.name.clone()).or_insert(index);
        self.plans.push(plan);
        if !fits {
            complaints.say(
                place.clone(),
                format!("there would be more than {PODS_MAX} pods, the limit of a cluster"),
            );
            return None;
        }
        let first = pods.plans.len() as u32;
        if let Some(on) = &group.placement {
            if created_later {
                complaints.say(
                    with(place, "placement"),
                    "the pods of a workload that is created later come from its controller",
                );
            } else {
                self.place(
                    index,
                    name,
                    on,
                    place,
                    &names,
                    template.clone(),
                    made,
                    pods,
                    lookup,
                    complaints,
                );
            }
        }
        if first < pods.plans.len() as u32 {
            pods.groups.push(PodsOf {
                name: name.to_owned(),
                of: pods_of(kind, made.namespace),
                pods: first..pods.plans.len() as u32,
            });
        } else if let WorkloadSpec::StatefulSet {
            replicas,
            first_ordinal,
            ..
        } = made.spec
        {
            let names = (0..replicas)
                .map(|i| {
                    format!(
                        "{}/{name}-{}",
                        made.namespace,
                        first_ordinal.saturating_add(i)
                    )
                })
                .collect();
            template.owner = owner_of(kind, name);
            let of = pods_of(kind, made.namespace);
            self.numbered.push(Numbered {
                set: name.to_owned(),
                of,
                names,
                template: pods.template(template),
            });
        }
        Some(index)
    }

    /// Declares the pods of a workload that run from the start, and the ReplicaSet of a Deployment
    /// in between.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is another part of the scenario; a struct would only rename them"
    )]
    fn place(
        &mut self,
        index: WorkloadIndex,
        name: &str,
        on: &Placement,
        place: &Place,
        names: &Place,
        mut template: PodTemplate,
        made: &Declared<'_>,
        pods: &mut Pods,
        lookup: &Lookup<'_>,
        complaints: &mut Complaints,
    ) {
        let at = with(place, "placement");
        let daemon = made.kind == WorkloadKind::DaemonSet;
        let fits = match on {
            Placement::Each(_) => daemon,
            Placement::Node(_) | Placement::Nodes(_) | Placement::Spread(_) => !daemon,
            Placement::PerNode { .. } | Placement::Unbound => false,
        };
        if !fits {
            let help = if daemon {
                "`placement: Each(All)`"
            } else {
                "one of `Node`, `Nodes`, `Spread`"
            };
            complaints.add(
                at,
                Problem::new(format!(
                    "pods of a {} are not placed like this",
                    made.kind.as_str()
                ))
                .help(help),
            );
            return;
        }
        let Some(nodes) = made
            .on
            .get_or_init(|| placed(on, &at, lookup.nodes, complaints))
        else {
            return;
        };
        if nodes.is_empty() {
            complaints.say(at, "no node is named here");
            return;
        }
        let (mut owner, mut owner_kind) = (name.to_owned(), made.kind);
        if let WorkloadSpec::Deployment { replicas } = made.spec {
            (owner, owner_kind) = (
                replica_set_of(made.namespace, name),
                WorkloadKind::ReplicaSet,
            );
            let set = WorkloadPlan {
                name: format!("ReplicaSet/{}/{owner}", made.namespace),
                kind: WorkloadKind::ReplicaSet,
                owner: Some(index),
                spec: WorkloadSpec::ReplicaSet { replicas },
                ..self.plans[index as usize].clone()
            };
            self.implied
                .insert(index, self.plans.len() as WorkloadIndex);
            self.plans.push(set);
        }
        let count = self.plans[index as usize].spec.replicas().max(0) as usize;
        let node = |i: usize| Some(nodes[i % nodes.len()]);
        let placed: Vec<(String, Option<NodeIndex>)> = match made.spec {
            WorkloadSpec::DaemonSet => nodes
                .iter()
                .map(|&n| {
                    (
                        format!("{name}-{}", lookup.nodes.plans[n as usize].name),
                        Some(n),
                    )
                })
                .collect(),
            WorkloadSpec::StatefulSet { first_ordinal, .. } => (0..count)
                .map(|i| {
                    (
                        format!("{name}-{}", i64::from(first_ordinal) + i as i64),
                        node(i),
                    )
                })
                .collect(),
            _ => (0..count)
                .map(|i| (format!("{owner}-{i}"), node(i)))
                .collect(),
        };
        if placed.len() as u64 > pods.left() {
            complaints.say(
                at,
                format!("there would be more than {PODS_MAX} pods, the limit of a cluster"),
            );
            return;
        }
        if daemon {
            daemon_tolerations(&mut template.tolerations);
        }
        template.owner = owner_of(owner_kind, &owner);
        let template = pods.template(template);
        pods.push(
            made.namespace,
            placed,
            template,
            PodStart::Running,
            false,
            names,
            complaints,
        );
    }

    /// Declares the pods whose names are known although their controller creates them, but for
    /// those that are there.
    pub(super) fn name_pods(&mut self, pods: &mut Pods) {
        for Numbered {
            set,
            of,
            names,
            template,
        } in self.numbered.drain(..)
        {
            let first = pods.plans.len() as u32;
            for name in names {
                let name: Box<str> = name.into();
                if !pods.by_name.contains_key(&name) {
                    pods.by_name.insert(name.clone(), pods.plans.len() as u32);
                    pods.plans.push(PodPlan {
                        name,
                        template,
                        node: None,
                        start: PodStart::Absent,
                    });
                }
            }
            pods.groups.push(PodsOf {
                name: set,
                of,
                pods: first..pods.plans.len() as u32,
            });
        }
    }

    /// Takes in how many pods workloads need, by their names.
    pub(super) fn need(
        &mut self,
        needs: &BTreeMap<String, FlagValue>,
        complaints: &mut Complaints,
    ) {
        for (name, value) in needs {
            let place = with(&at!["needs"], name);
            let index = self.named(name).map_err(|problem| {
                problem
                    .into_iter()
                    .for_each(|p| complaints.add(place.clone(), p))
            });
            if let (Ok(index), Some(read)) = (index, needed(value, place, complaints)) {
                self.plans[index as usize].needs = Some(read);
            }
        }
    }

    /// The Deployment that a ReplicaSet names.
    fn deployment(
        &self,
        namespace: &str,
        name: &str,
        place: &Place,
        complaints: &mut Complaints,
    ) -> Option<WorkloadIndex> {
        let found = self
            .by_name
            .get(&format!("Deployment/{namespace}/{name}"))
            .copied();
        if found.is_none() && !self.incomplete {
            let all = self
                .plans
                .iter()
                .filter(|w| w.kind == WorkloadKind::Deployment)
                .map(|w| short_name(&w.name));
            let problem = Problem::new(format!(
                "there is no Deployment `{namespace}/{name}` before this"
            ))
            .maybe_help(did_you_mean(name, all));
            complaints.add(with(place, "deployment"), problem);
        }
        found
    }

    /// The workload that a person names: `web`, `shop/web`, `Deployment/web`,
    /// `Deployment/shop/web`.
    pub(super) fn named(&self, text: &str) -> Result<WorkloadIndex, Nothing> {
        let written = |i: WorkloadIndex| !self.implied.values().any(|&set| set == i);
        let found: Vec<(&str, WorkloadIndex)> = self
            .by_name
            .iter()
            .filter(|(full, i)| is_called(full, text) && written(**i))
            .map(|(full, i)| (full.as_str(), *i))
            .collect();
        match found.as_slice() {
            [(_, one)] => Ok(*one),
            [] => Err((!self.incomplete).then(|| {
                let all = self
                    .by_name
                    .keys()
                    .flat_map(|full| [short_name(full), full.as_str()]);
                Problem::new(format!("there is no workload `{text}`"))
                    .maybe_help(did_you_mean(text, all))
            })),
            several => {
                let names = several.iter().map(|(full, _)| *full);
                Err(Some(ambiguous(
                    text,
                    "workload",
                    several
                        .iter()
                        .map(|(full, _)| told_apart(full, names.clone())),
                )))
            }
        }
    }
}

/// A name that fits several, each with a name that says which.
pub(super) fn ambiguous(text: &str, what: &str, names: impl Iterator<Item = String>) -> Problem {
    const LISTED: usize = 8;
    let mut all: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let count = all.len();
    if count > LISTED {
        all.truncate(LISTED);
        all.push(format!("{} more", count - LISTED));
    }
    let last = all.pop().unwrap_or_default();
    Problem::new(format!(
        "`{text}` names {count} {what}s: {} and {last}",
        all.join(", ")
    ))
    .help("say which, with what stands before its name")
}

/// The pods that a StatefulSet will make: entries of the timeline may name them.
pub(super) struct Numbered {
    set: String,
    of: String,
    names: Vec<String>,
    template: u32,
}

/// What is the same for all workloads of a group.
struct Declared<'a> {
    kind: WorkloadKind,
    namespace: &'a str,
    template: PodTemplate,
    selector: Option<LabelSelector>,
    spec: WorkloadSpec,
    min_ready_seconds: i32,
    needs: Option<IntOrPercent>,
    node: Option<NodeIndex>,
    owner: Option<WorkloadIndex>,
    /// The nodes that its pods are placed on, one after the other; found out for the first of
    /// several that are alike.
    on: OnceCell<Option<Vec<NodeIndex>>>,
}

/// What comes before the name of a workload's pods as a group.
fn pods_of(kind: WorkloadKind, namespace: &str) -> String {
    format!("{}/{namespace}", kind.as_str())
}

fn owner_of(kind: WorkloadKind, name: &str) -> Option<OwnerReference> {
    Some(OwnerReference {
        kind: kind.as_str().to_owned(),
        name: name.to_owned(),
        object: None,
    })
}

/// The name of a Deployment's ReplicaSet, as its controller would make it up
/// (`controllers/workload/deployment.rs`).
fn replica_set_of(namespace: &str, deployment: &str) -> String {
    format!(
        "{deployment}-{}",
        pod_template_hash(&format!("Deployment/{namespace}/{deployment}"))
    )
}

/// What the controller gives to each pod of a DaemonSet
/// (`pkg/controller/daemon/util/daemonset_util.go: AddOrUpdateDaemonPodTolerations`).
fn daemon_tolerations(tolerations: &mut Vec<Toleration>) {
    let always = [
        (taint::NOT_READY, Effect::NoExecute),
        (taint::UNREACHABLE, Effect::NoExecute),
        (taint::DISK_PRESSURE, Effect::NoSchedule),
        (taint::MEMORY_PRESSURE, Effect::NoSchedule),
        (taint::PID_PRESSURE, Effect::NoSchedule),
        (taint::UNSCHEDULABLE, Effect::NoSchedule),
    ];
    for (key, effect) in always {
        let added = Toleration {
            key: key.to_owned(),
            operator: Operator::Exists,
            effect: Some(effect),
            ..Toleration::default()
        };
        match tolerations.iter_mut().find(|t| {
            t.key == added.key && t.operator == added.operator && t.effect == added.effect
        }) {
            Some(there) => *there = added,
            None => tolerations.push(added),
        }
    }
}

/// What a kind has instead of a field.
fn instead(kind: WorkloadKind, field: &str) -> Option<String> {
    let text = match (kind, field) {
        (WorkloadKind::DaemonSet, "replicas") => "it has a pod on each node that suits",
        (WorkloadKind::Job, "replicas") => "it has `parallelism` and `completions`",
        (_, "restartPolicy") => "its pods are always restarted",
        _ => return None,
    };
    Some(text.to_owned())
}

/// The names of a group's workloads.
fn called(
    group: &WorkloadGroup,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<Vec<String>> {
    let texts = match (&group.name, &group.names) {
        (Some(_), Some(_)) => {
            complaints.say(
                with(place, "names"),
                "a workload has either `name` or `names`, not both",
            );
            return None;
        }
        (None, None) => {
            let help = "`name: \"web\"`, or `names: \"web-{0..9}\"` for several that are alike";
            complaints.add(
                place.clone(),
                Problem::new("this workload has no name").help(help),
            );
            return None;
        }
        (Some(name), None) if name.contains(['{', '}']) => {
            complaints.add(
                with(place, "name"),
                Problem::new("`name` is the name of one workload").help("ranges belong to `names`"),
            );
            return None;
        }
        (Some(name), None) => return Some(vec![name.clone()]),
        (None, Some(names)) => names.texts(),
    };
    let mut all = Vec::new();
    for text in texts {
        match names::expand(text, WORKLOADS_MAX.saturating_sub(all.len() as u64)) {
            Ok(names) => all.extend(names),
            Err(error) => {
                complaints.say(with(place, "names"), error.to_string());
                return None;
            }
        }
    }
    Some(all)
}

/// How many workloads one group may stand for.
const WORKLOADS_MAX: u64 = 200_000;

fn at_least_zero(
    value: Option<i32>,
    default: i32,
    field: &str,
    place: &Place,
    complaints: &mut Complaints,
) -> i32 {
    match value {
        Some(n) if n < 0 => {
            complaints.say(with(place, field), "must be greater than or equal to 0");
            default
        }
        Some(n) => n,
        None => default,
    }
}

/// `needs`: a number of pods, or a share of those that it asks for.
fn needed(value: &FlagValue, place: Place, complaints: &mut Complaints) -> Option<IntOrPercent> {
    let text = value.to_string();
    let read = IntOrPercent::parse(&text)
        .filter(|n| !matches!(n, IntOrPercent::Percent(share) if *share > 100));
    if read.is_none() {
        let problem = Problem::new(format!("`{text}` is no number of pods"))
            .help("a number, `8`, or a share of those it asks for, `\"80%\"`");
        complaints.add(place, problem);
    }
    read
}

fn spec(
    kind: WorkloadKind,
    group: &WorkloadGroup,
    place: &Place,
    complaints: &mut Complaints,
) -> WorkloadSpec {
    let mut number =
        |value, default, field| at_least_zero(value, default, field, place, complaints);
    let replicas = number(group.replicas, 1, "replicas");
    match kind {
        WorkloadKind::Deployment => WorkloadSpec::Deployment { replicas },
        WorkloadKind::ReplicaSet => WorkloadSpec::ReplicaSet { replicas },
        WorkloadKind::StatefulSet => WorkloadSpec::StatefulSet {
            replicas,
            parallel: group.pod_management_policy == Some(PodManagementPolicy::Parallel),
            first_ordinal: number(group.ordinals.map(|o| o.start), 0, "ordinals"),
        },
        WorkloadKind::DaemonSet => WorkloadSpec::DaemonSet,
        WorkloadKind::Job => {
            let parallelism = number(group.parallelism, 1, "parallelism");
            // `pkg/apis/batch/v1/defaults.go`: with neither it is one pod.
            let completions = group
                .completions
                .map(|n| number(Some(n), 1, "completions"))
                .or(group.parallelism.is_none().then_some(1));
            let backoff_limit = number(group.backoff_limit, 6, "backoffLimit");
            let rules = group
                .pod_failure_policy
                .as_ref()
                .map_or(&[][..], |p| &p.rules);
            let on_failure = group.template.restart_policy == Some(RestartPolicy::OnFailure);
            if on_failure && group.pod_failure_policy.is_some() {
                let text = "only \"Never\" is supported when podFailurePolicy is specified";
                complaints.say(with(&with(place, "template"), "restartPolicy"), text);
            }
            WorkloadSpec::Job(JobSpec {
                parallelism,
                completions,
                backoff_limit,
                pod_replacement_policy: group.pod_replacement_policy.map(|p| match p {
                    spec::PodReplacementPolicy::TerminatingOrFailed => {
                        PodReplacementPolicy::TerminatingOrFailed
                    }
                    spec::PodReplacementPolicy::Failed => PodReplacementPolicy::Failed,
                }),
                pod_failure_policy: rules
                    .iter()
                    .filter(|r| !r.on_pod_conditions.is_empty())
                    .map(|r| match r.action {
                        PodFailurePolicyAction::Ignore => PodFailurePolicyRule::IgnoreDisruption,
                        PodFailurePolicyAction::FailJob => {
                            PodFailurePolicyRule::FailJobOnDisruption
                        }
                        PodFailurePolicyAction::Count => PodFailurePolicyRule::CountDisruption,
                    })
                    .collect(),
                restart_never: !on_failure,
            })
        }
    }
}

fn read_selector(
    written: &spec::LabelSelector,
    template: &PodTemplate,
    place: &Place,
    complaints: &mut Complaints,
) -> LabelSelector {
    let read = label_selector(written);
    let place = with(place, "selector");
    match read.as_selector() {
        Err(error) => complaints.say(place, error.to_string()),
        Ok(selector) if selector.is_empty() => complaints.say(place, "empty selector is invalid"),
        Ok(selector) if !selector.matches(&template.labels) => {
            complaints.say(place, "`selector` does not match template `labels`")
        }
        Ok(_) => {}
    }
    read
}

/// A selector as it is written.
pub(super) fn label_selector(written: &spec::LabelSelector) -> LabelSelector {
    LabelSelector {
        match_labels: written.match_labels.clone(),
        match_expressions: written
            .match_expressions
            .iter()
            .map(|e| LabelSelectorRequirement {
                key: e.key.clone(),
                operator: format!("{:?}", e.operator),
                values: e.values.clone(),
            })
            .collect(),
    }
}
