//! Pod groups to templates and pods.

use super::super::names;
use super::super::problem::Problem;
use super::super::spec::{self, Placement, PodGroup, PodStart as Written, StaticPod};
use super::super::syntax::Place;
use super::complaints::Complaints;
use super::nodes::{checked_labels, resources, status, with};
use super::priorities::Priorities;
use super::scheduling::scheduling;
use super::select::{Nodes, Pods, PodsOf};
use super::{PODS_MAX, checks, values};
use crate::api::meta::{OwnerReference, Timestamp};
use crate::api::pod::{Deletion, PodCondition, PodPhase, PodReason, PodSource, PodTemplate};
use crate::api::taint::Effect;
use crate::api::toleration::{Operator, Toleration};
use crate::plan::{NodeIndex, PodIndex, PodPlan, PodStart};

/// Whether the gate TaintTolerationComparisonOperators is on: `Lt` and `Gt` are valid.
pub(super) type ComparisonOperators = bool;

/// What pods and workloads are looked up in.
pub(super) struct Lookup<'a> {
    pub(super) nodes: &'a Nodes,
    pub(super) priorities: &'a Priorities,
    pub(super) operators: ComparisonOperators,
}

impl Pods {
    /// Keeps a template; pods refer to it by this number.
    pub(super) fn template(&mut self, template: PodTemplate) -> u32 {
        self.templates.push(template);
        self.templates.len() as u32 - 1
    }

    /// Declares the pods of a group. `created_later` is for pods that an entry of the timeline
    /// creates.
    pub(super) fn declare(
        &mut self,
        group: &PodGroup,
        place: &Place,
        created_later: bool,
        lookup: &Lookup<'_>,
        complaints: &mut Complaints,
    ) -> Vec<PodIndex> {
        let first = self.plans.len() as PodIndex;
        let pods = self.places(group, place, lookup.nodes, complaints);
        let template = template(group, place, created_later, lookup, complaints);
        let start = start(group, place, created_later, complaints);
        let Some(pods) = pods else {
            self.incomplete = true;
            return Vec::new();
        };
        let namespace = group.namespace.as_deref().unwrap_or("default");
        if let Err(problem) = checks::namespace(namespace) {
            complaints.add(with(place, "namespace"), problem);
        }
        let template = self.template(template);
        self.push(
            namespace,
            pods,
            template,
            start,
            created_later,
            &name_place(group, place),
            complaints,
        );
        let declared = first..self.plans.len() as PodIndex;
        for text in [
            group.name.as_deref(),
            group
                .names
                .as_ref()
                .and_then(|n| n.texts().first())
                .map(|t| names::stem(t)),
        ]
        .into_iter()
        .flatten()
        {
            self.groups.push(PodsOf {
                name: text.to_owned(),
                of: format!("pods/{namespace}"),
                pods: declared.clone(),
            });
        }
        declared.collect()
    }

    /// Declares pods one by one. `place` is that of their names.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is another part of a pod; a struct would only rename them"
    )]
    pub(super) fn push(
        &mut self,
        namespace: &str,
        pods: Vec<(String, Option<NodeIndex>)>,
        template: u32,
        start: PodStart,
        created_later: bool,
        place: &Place,
        complaints: &mut Complaints,
    ) {
        for (name, node) in pods {
            if let Err(problem) = checks::object_name("pod", &name) {
                complaints.add(place.clone(), problem);
                self.incomplete = true;
                break;
            }
            let full: Box<str> = format!("{namespace}/{name}").into();
            let known = self
                .by_name
                .entry(full.clone())
                .or_insert(self.plans.len() as PodIndex);
            // A pod that is created later may be another life of a name.
            if *known != self.plans.len() as PodIndex && !created_later {
                complaints.say(place.clone(), format!("pod `{full}` is declared twice"));
                break;
            }
            self.plans.push(PodPlan {
                name: full,
                template,
                node,
                start,
            });
        }
    }

    /// The names of a group's pods, each with its node.
    fn places(
        &self,
        group: &PodGroup,
        place: &Place,
        nodes: &Nodes,
        complaints: &mut Complaints,
    ) -> Option<Vec<(String, Option<NodeIndex>)>> {
        let count = match (group.count, group.replicas) {
            (Some(_), Some(_)) => {
                complaints.say(
                    with(place, "replicas"),
                    "`count` and `replicas` mean the same; give one of them",
                );
                return None;
            }
            (count, replicas) => count.or(replicas),
        };
        let count_place = || {
            with(
                place,
                if group.replicas.is_some() {
                    "replicas"
                } else {
                    "count"
                },
            )
        };
        let on_nodes = placed(&group.on, &with(place, "on"), nodes, complaints)?;
        if let Placement::Each(_) | Placement::PerNode { .. } = &group.on {
            return self.per_node(
                group,
                place,
                count.map(|_| count_place()),
                nodes,
                &on_nodes,
                complaints,
            );
        }
        let names = self.names(group, count, place, &count_place, complaints)?;
        if on_nodes.is_empty() && group.on != Placement::Unbound {
            complaints.say(with(place, "on"), "no node is named here");
            return None;
        }
        let node = |i: usize| {
            if on_nodes.is_empty() {
                None
            } else {
                Some(on_nodes[i % on_nodes.len()])
            }
        };
        Some(
            names
                .into_iter()
                .enumerate()
                .map(|(i, name)| (name, node(i)))
                .collect(),
        )
    }

    /// How many more pods there may be.
    pub(super) fn left(&self) -> u64 {
        PODS_MAX - self.plans.len() as u64
    }

    /// `agent-NODE`, `web-NODE-0`: names that do not change when a node is added.
    fn per_node(
        &self,
        group: &PodGroup,
        place: &Place,
        counted: Option<Place>,
        nodes: &Nodes,
        on: &[NodeIndex],
        complaints: &mut Complaints,
    ) -> Option<Vec<(String, Option<NodeIndex>)>> {
        let Some(name) = &group.name else {
            complaints.say(
                place.clone(),
                "pods on each node need a `name`, to which their node's name is added",
            );
            return None;
        };
        if let Some(counted) = counted {
            complaints.say(counted, "the number of these pods follows from their nodes");
            return None;
        }
        if !is_short(name, place, complaints) {
            return None;
        }
        let each = if let Placement::PerNode { count, .. } = &group.on {
            Some(*count)
        } else {
            None
        };
        if each
            .unwrap_or(1)
            .checked_mul(on.len() as u64)
            .is_none_or(|n| n > self.left())
        {
            complaints.say(
                with(place, "on"),
                format!("there would be more than {PODS_MAX} pods, the limit of a cluster"),
            );
            return None;
        }
        let of = |node: NodeIndex| {
            let stem = format!("{name}-{}", nodes.plans[node as usize].name);
            match each {
                None => vec![(stem, Some(node))],
                Some(count) => (0..count)
                    .map(|i| (format!("{stem}-{i}"), Some(node)))
                    .collect(),
            }
        };
        Some(on.iter().flat_map(|&node| of(node)).collect())
    }

    fn names(
        &self,
        group: &PodGroup,
        count: Option<u64>,
        place: &Place,
        count_place: &dyn Fn() -> Place,
        complaints: &mut Complaints,
    ) -> Option<Vec<String>> {
        let too_many = || format!("a cluster has at most {PODS_MAX} pods");
        let texts = match (&group.name, &group.names) {
            (Some(_), Some(_)) => {
                complaints.say(
                    with(place, "names"),
                    "a pod group has either `name` or `names`, not both",
                );
                return None;
            }
            (None, None) => {
                let help =
                    "`name: \"a\"` for one pod or with `count`, `names: \"db-{0..2}\"` for several";
                complaints.add(
                    place.clone(),
                    Problem::new("this pod group has no name").help(help),
                );
                return None;
            }
            (Some(name), None) if name.contains(['{', '}']) => {
                complaints.add(
                    with(place, "name"),
                    Problem::new("`name` has no ranges").help("ranges belong to `names`"),
                );
                return None;
            }
            (Some(name), None) => {
                let Some(count) = count else {
                    if self.left() == 0 {
                        complaints.say(with(place, "name"), too_many());
                        return None;
                    }
                    return Some(vec![name.clone()]);
                };
                if count > self.left() {
                    complaints.add(
                        count_place(),
                        Problem::new(format!("{count} pods are too many")).help(too_many()),
                    );
                    return None;
                }
                if !is_short(name, place, complaints) {
                    return None;
                }
                return Some((0..count).map(|i| format!("{name}-{i}")).collect());
            }
            (None, Some(_)) if count.is_some() => {
                complaints.say(
                    count_place(),
                    "the number of these pods follows from `names`",
                );
                return None;
            }
            (None, Some(names)) => names.texts(),
        };
        let mut all = Vec::new();
        for text in texts {
            match names::expand(text, self.left().saturating_sub(all.len() as u64)) {
                Ok(names) => all.extend(names),
                Err(error) => {
                    let help = matches!(error, names::NamesError::TooMany { .. }).then(too_many);
                    complaints.add(
                        with(place, "names"),
                        Problem::new(error.to_string()).maybe_help(help),
                    );
                    return None;
                }
            }
        }
        Some(all)
    }
}

/// Whether a name can be that of a pod once something is added to it: looked at before as many
/// names are made of it as there are pods.
fn is_short(name: &str, place: &Place, complaints: &mut Complaints) -> bool {
    let long = name.len() > NAME_BYTES_MAX;
    let problem = if long {
        checks::object_name("pod", name)
    } else {
        Ok(())
    };
    complaints.take(with(place, "name"), problem).is_some()
}

/// The longest name of an object.
const NAME_BYTES_MAX: usize = 253;

/// The nodes that a placement names, in the order in which pods are put on them.
pub(super) fn placed(
    on: &Placement,
    place: &Place,
    nodes: &Nodes,
    complaints: &mut Complaints,
) -> Option<Vec<NodeIndex>> {
    let mut selected = |selector: &spec::NodeSelector, place: Place| {
        nodes
            .select(selector)
            .map_err(|problem| {
                problem
                    .into_iter()
                    .for_each(|p| complaints.add(place.clone(), p))
            })
            .ok()
    };
    match on {
        Placement::Unbound => Some(Vec::new()),
        Placement::Node(name) => selected(&spec::NodeSelector::Node(name.clone()), place.clone()),
        Placement::Nodes(names) if names.iter().all(|n| !n.contains('{')) => {
            // One by one, in this order and with repetitions.
            let mut all = Vec::with_capacity(names.len());
            for (i, name) in names.iter().enumerate() {
                match nodes.by_name.get(name.as_str()) {
                    Some(&node) => all.push(node),
                    None => all.extend(selected(
                        &spec::NodeSelector::Node(name.clone()),
                        with(&with(place, 0), i),
                    )?),
                }
            }
            Some(all)
        }
        Placement::Nodes(names) => {
            selected(&spec::NodeSelector::Nodes(names.clone()), place.clone())
        }
        Placement::Spread(selector) | Placement::Each(selector) => {
            selected(selector, with(place, 0))
        }
        Placement::PerNode {
            nodes: selector, ..
        } => selected(selector, with(place, "nodes")),
    }
}

fn name_place(group: &PodGroup, place: &Place) -> Place {
    with(
        place,
        if group.names.is_some() {
            "names"
        } else {
            "name"
        },
    )
}

fn template(
    group: &PodGroup,
    place: &Place,
    created_later: bool,
    lookup: &Lookup<'_>,
    complaints: &mut Complaints,
) -> PodTemplate {
    let source = match group.static_pod {
        None => PodSource::Api,
        Some(StaticPod::File) => PodSource::File,
        Some(StaticPod::Url) => PodSource::Url,
    };
    let written = spec::PodTemplate {
        labels: group.labels.clone(),
        tolerations: group.tolerations.clone(),
        termination_grace_period_seconds: group.termination_grace_period_seconds,
        node_selector: group.node_selector.clone(),
        requests: group.requests.clone(),
        priority: group.priority,
        priority_class_name: group.priority_class_name.clone(),
        affinity: group.affinity.clone(),
        topology_spread_constraints: group.topology_spread_constraints.clone(),
        ports: group.ports.clone(),
        scheduling_gates: group.scheduling_gates.clone(),
        preemption_policy: group.preemption_policy,
        container_requests: group.container_requests.clone(),
        empty_dir: group.empty_dir,
        pod_deletion_cost: group.pod_deletion_cost,
        ..spec::PodTemplate::default()
    };
    let mut template = pod_template(&written, place, !created_later, lookup, complaints);
    template.owner = group.owner.as_ref().map(|o| OwnerReference {
        kind: o.kind.clone(),
        name: o.name.clone(),
        object: None,
    });
    template.source = source;
    if source == PodSource::File {
        // The kubelet appends it to what it reads from a file (`pkg/kubelet/config/common.go:
        // applyDefaults`), and the mirror in the API has it.
        let all = Toleration {
            operator: Operator::Exists,
            effect: Some(Effect::NoExecute),
            ..Toleration::default()
        };
        template.tolerations.push(all);
    }
    template
}

/// A template of pods without its owner. Pods that are there have the priority they were admitted
/// with, whatever their class says now.
pub(super) fn pod_template(
    written: &spec::PodTemplate,
    place: &Place,
    admitted: bool,
    lookup: &Lookup<'_>,
    complaints: &mut Complaints,
) -> PodTemplate {
    if written
        .termination_grace_period_seconds
        .is_some_and(|s| s < 0)
    {
        complaints.say(
            with(place, "terminationGracePeriodSeconds"),
            "must be greater than or equal to 0",
        );
    }
    PodTemplate {
        labels: checked_labels(&written.labels, &with(place, "labels"), complaints),
        owner: None,
        source: PodSource::Api,
        tolerations: tolerations(
            &written.tolerations,
            &with(place, "tolerations"),
            lookup.operators,
            complaints,
        ),
        termination_grace_period_seconds: written.termination_grace_period_seconds,
        node_selector: checked_labels(
            &written.node_selector,
            &with(place, "nodeSelector"),
            complaints,
        ),
        requests: resources(&written.requests, &with(place, "requests"), complaints)
            .unwrap_or_default(),
        empty_dir: written.empty_dir,
        deletion_cost: written.pod_deletion_cost.unwrap_or(0),
        priority: lookup.priorities.of(written, place, admitted, complaints),
        priority_class_name: written.priority_class_name.clone().unwrap_or_default(),
        scheduling: scheduling(
            written,
            lookup.priorities.never_preempts(written),
            place,
            complaints,
        ),
    }
}

/// Tolerations that the API accepts; complaints about the others.
pub(super) fn tolerations(
    written: &[spec::Toleration],
    place: &Place,
    operators: ComparisonOperators,
    complaints: &mut Complaints,
) -> Vec<Toleration> {
    let mut all = Vec::with_capacity(written.len());
    for toleration in written {
        let read = Toleration {
            key: toleration.key.clone(),
            operator: match toleration.operator {
                None | Some(spec::Operator::Equal) => Operator::Equal,
                Some(spec::Operator::Exists) => Operator::Exists,
                Some(spec::Operator::Lt) => Operator::Lt,
                Some(spec::Operator::Gt) => Operator::Gt,
            },
            value: toleration.value.clone(),
            effect: toleration.effect.map(|e| match e {
                spec::Effect::NoSchedule => Effect::NoSchedule,
                spec::Effect::PreferNoSchedule => Effect::PreferNoSchedule,
                spec::Effect::NoExecute => Effect::NoExecute,
            }),
            toleration_seconds: toleration.toleration_seconds,
        };
        all.push(read);
    }
    checks::tolerations(&all, place, operators, complaints);
    all
}

fn start(
    group: &PodGroup,
    place: &Place,
    created_later: bool,
    complaints: &mut Complaints,
) -> PodStart {
    let place = with(place, "start");
    let bound = group.on != Placement::Unbound;
    match &group.start {
        None if created_later => PodStart::Absent,
        Some(_) if created_later => {
            complaints.say(
                place,
                "a pod that is created later starts when its kubelet starts it",
            );
            PodStart::Absent
        }
        Some(Written::Pending) => PodStart::Pending,
        Some(Written::Running) if !bound => {
            complaints.say(place, "a pod that is bound to no node cannot be running");
            PodStart::Pending
        }
        None if !bound => PodStart::Pending,
        None | Some(Written::Running) => PodStart::Running,
        Some(Written::Imported {
            phase,
            ready,
            disruption_target,
            deletion,
        }) => {
            let mut read = |c: &Option<spec::PodCondition>, field: &str| {
                let c = c.as_ref()?;
                let time = with(&with(&place, field), "lastTransitionTime");
                Some(PodCondition {
                    status: status(c.status),
                    reason: match c.reason {
                        None => PodReason::None,
                        Some(spec::PodReason::DeletionByTaintManager) => {
                            PodReason::DeletionByTaintManager
                        }
                        Some(spec::PodReason::DeletionByPodGC) => PodReason::DeletionByPodGc,
                        Some(spec::PodReason::EvictionByEvictionAPI) => {
                            PodReason::EvictionByEvictionApi
                        }
                        Some(spec::PodReason::PreemptionByScheduler) => {
                            PodReason::PreemptionByScheduler
                        }
                    },
                    last_transition_time: Timestamp(complaints.take(
                        time,
                        values::stored_seconds(c.last_transition_time.as_str()),
                    )?),
                })
            };
            let (ready, disruption_target) = (
                read(ready, "ready"),
                read(disruption_target, "disruptionTarget"),
            );
            let deletion = deletion.as_ref().and_then(|d| {
                let at = with(&with(&place, "deletion"), "timestamp");
                if d.grace_period_seconds < 0 {
                    complaints.say(
                        with(&with(&place, "deletion"), "gracePeriodSeconds"),
                        "must be greater than or equal to 0",
                    );
                }
                let timestamp =
                    Timestamp(complaints.take(at, values::stored_seconds(d.timestamp.as_str()))?);
                Some(Deletion {
                    timestamp,
                    grace_period_seconds: d.grace_period_seconds,
                })
            });
            let phase = match phase {
                spec::Phase::Pending => PodPhase::Pending,
                spec::Phase::Running => PodPhase::Running,
                spec::Phase::Succeeded => PodPhase::Succeeded,
                spec::Phase::Failed => PodPhase::Failed,
            };
            PodStart::Imported {
                phase,
                ready,
                disruption_target,
                deletion,
            }
        }
    }
}
