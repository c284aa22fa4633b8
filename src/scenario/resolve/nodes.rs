//! Node groups to nodes.

use super::checks::{checked_labels, resources};
use super::kubelets::Kubelets;
use super::prelude::*;
use super::{devices, readiness};
use crate::api::node::{
    LABEL_HOSTNAME, LABEL_REGION, LABEL_REGION_BETA, LABEL_ZONE, LABEL_ZONE_BETA, NodeCondition,
    NodeReason,
};
use crate::api::quantity::Quantity;
use crate::api::usage::NodeUsage;
use crate::language::NodeStart as Written;
use crate::plan::NodeStart;

/// What the groups' nodes have where a group does not say.
pub(super) struct Defaults<'a> {
    /// What their kubelets have.
    pub(super) kubelets: &'a Kubelets<'a>,
    /// The release has device taints.
    pub(super) devices: bool,
}

/// Imitated kubelets check their status this often.
const STATUS_PERIOD: Dur = Dur::from_secs(10);

/// The capacity of a node, as far as it does not state it.
const CAPACITY: [(&str, &str); 3] = [("cpu", "4"), ("memory", "16Gi"), ("pods", "110")];

impl Nodes {
    /// Declares the nodes of a group. `joins` is for nodes that an entry of the timeline adds.
    pub(super) fn declare(
        &mut self,
        group: &NodeGroup,
        place: &Spot,
        joins: bool,
        defaults: &Defaults,
    ) -> Vec<NodeIndex> {
        let before = self.plans.len();
        let part = |step: &str| place.part(step);
        let called = GroupNames {
            name: &group.name,
            names: &group.names,
            place,
            what: "node group",
            single: "`name` is the name of one node",
            example: "`name: \"a\"` for one node, `names: \"a-{00..09}\"` for several",
        };
        let Some(names) = self.names(&called) else {
            self.incomplete = true;
            return Vec::new();
        };
        let labels = labels(group, place);
        let mut taints = taints(&group.taints, place);
        checks::times_added(&mut taints, &group.taints_added, &part("taintsAdded"));
        let usual =
            |(name, text): (&str, &str)| Some((name.to_owned(), Quantity::parse(text).ok()?));
        let mut allocatable: Resources = CAPACITY.into_iter().filter_map(usual).collect();
        allocatable.extend(resources(&group.capacity, &part("capacity")).unwrap_or_default());
        let usage = own_usage(group, &allocatable, place);
        let allocatable = Rc::new(allocatable);
        let (kubelet, usual) = defaults.kubelets.of_group(&group.kubelet, &part("kubelet"));
        let lease_period = place.read("lease_period", &group.lease_period, values::positive);
        let lease_period = lease_period.unwrap_or(usual);
        let lease_offset = place.read("lease_offset", &group.lease_offset, values::span);
        let status_offset = place.read("status_offset", &group.status_offset, values::span);
        let image = |name: &String| checks::image_name(name, &part("images"));
        let images: Rc<[Rc<str>]> = group.images.iter().filter_map(image).collect();
        let devices = devices::of_group(&group.devices, &part("devices"), defaults.devices);
        let readiness = readiness::of_group(&group.conditions, &part("conditions"));
        if joins && !group.bootstrap_completed.is_empty() {
            part("bootstrapCompleted").say("a node that joins later has completed no bootstrap");
        }
        let bootstrap_completed: Rc<[String]> = group.bootstrap_completed.clone().into();
        let start = start(group, place, joins);
        for name in names {
            if let Err(problem) = checks::object_name("node", &name) {
                called.at().add(problem);
                self.incomplete = true;
                break;
            }
            if self.by_name.contains_key(&name) {
                called.at().say(format!("node `{name}` is declared twice"));
                break;
            }
            self.by_name.insert(name.clone(), self.plans.len() as NodeIndex);
            let mut labels = labels.clone();
            labels.entry(LABEL_HOSTNAME.to_owned()).or_insert_with(|| name.clone());
            self.plans.push(NodePlan {
                lease_offset: lease_offset.unwrap_or_else(|| spread(&name, "lease", lease_period)),
                status_offset: status_offset
                    .unwrap_or_else(|| spread(&name, "status", STATUS_PERIOD)),
                labels: Rc::new(labels),
                taints: taints.clone(),
                unschedulable: group.unschedulable,
                allocatable: allocatable.clone(),
                kubelet: kubelet.clone(),
                usage: usage.clone(),
                images: images.clone(),
                devices: devices.clone(),
                readiness: readiness.clone(),
                bootstrap_completed: bootstrap_completed.clone(),
                lease_period,
                start: start.clone(),
                name,
            });
        }
        (before as NodeIndex..self.plans.len() as NodeIndex).collect()
    }

    fn names(&self, names: &GroupNames) -> Option<Vec<String>> {
        let limit = || format!("a cluster has at most {NODES_MAX} nodes");
        let left = NODES_MAX - self.plans.len() as u64;
        match names.written()? {
            Names::One(_) if left == 0 => names.at().deny(limit()),
            Names::One(name) => Some(vec![name.to_owned()]),
            Names::Several(texts) => {
                let all = names.expanded(texts, left, Some(limit()))?;
                if all.is_empty() {
                    return names.at().deny("this list of names is empty");
                }
                Some(all)
            }
        }
    }
}

/// Where nodes list their images, those of pods that run when the run begins are among them.
pub(super) fn list_images(plan: &mut Plan) {
    let lists = plan.lists_images();
    for pod in plan.pods.iter().filter(|p| lists && p.start.phase() == Some(PodPhase::Running)) {
        let own = plan.templates[pod.template as usize].images().map(|image| &image.name);
        if let Some(node) = pod.node {
            let images = &mut plan.nodes[node as usize].images;
            *images = images.iter().chain(own).cloned().collect();
        }
    }
}

/// How the nodes of a group start.
fn start(group: &NodeGroup, place: &Spot, joins: bool) -> NodeStart {
    match &group.start {
        None | Some(Written::Ready) if joins => NodeStart::Absent,
        Some(_) if joins => {
            place.part("start").say("a node that joins later cannot start otherwise");
            NodeStart::Absent
        }
        None | Some(Written::Ready) => NodeStart::Ready,
        Some(Written::Silent) => NodeStart::Silent,
        Some(Written::Deleted) => NodeStart::Absent,
        Some(Written::Imported { conditions, renew_time, created, cut_off }) => {
            let place = place.part("start");
            for (i, c) in conditions.iter().enumerate() {
                if conditions[..i].iter().any(|before| before.kind == c.kind) {
                    let text = format!("the condition {:?} is given twice", c.kind);
                    place.part("conditions").part(i).say(text);
                }
            }
            let read = |(i, c)| condition(c, i, &place);
            NodeStart::Imported {
                conditions: (0..).zip(conditions).filter_map(read).collect(),
                lease_renewed_us: place.read("renewTime", renew_time, values::past_micros),
                created: place.read("created", created, past_seconds),
                cut: *cut_off,
            }
        }
    }
}

/// A time in whole seconds that is not after the start.
fn past_seconds(text: &str) -> Result<Timestamp, Problem> {
    values::past_micros(text).and_then(|_| values::stored_seconds(text)).map(Timestamp)
}

/// What the nodes of a group use themselves, if anything is said of that. Shares are of what there is.
fn own_usage(group: &NodeGroup, capacity: &Resources, place: &Spot) -> Option<Rc<NodeUsage>> {
    let images = group.unused_images.iter().map(|q| ("unused_images".to_owned(), q.clone()));
    let images = resources(&images.collect(), place).unwrap_or_default();
    let unused_images = images.values().map(|q| i64::try_from(q.value()).unwrap_or(i64::MAX)).sum();
    let own = checks::usages(&group.usage, capacity, &place.part("usage"));
    (own.is_some() || unused_images > 0).then(|| {
        let own = own.as_deref().cloned().unwrap_or_default();
        Rc::new(NodeUsage { own, unused_images })
    })
}

/// An offset within a period in whole milliseconds that depends on the node's name alone.
fn spread(name: &str, what: &str, period: Dur) -> Dur {
    let steps = period.as_millis().max(1);
    Dur::from_millis(stable_hash(&format!("{what}/{name}")) % steps)
}

fn labels(group: &NodeGroup, place: &Spot) -> Labels {
    let mut all = checked_labels(&group.labels, &place.part("labels"));
    let topology = [
        ("zone", &group.zone, LABEL_ZONE, LABEL_ZONE_BETA),
        ("region", &group.region, LABEL_REGION, LABEL_REGION_BETA),
    ];
    for (field, value, stable, beta) in topology {
        let Some(value) = value else { continue };
        place.part(field).take(checks::label_value(value));
        for key in [stable, beta] {
            if all.insert(key.to_owned(), value.clone()).is_some_and(|old| old != *value) {
                let text = format!("`{field}` and the label {key} say different things");
                place.part(field).say(text);
            }
        }
    }
    all
}

fn taints(texts: &[String], place: &Spot) -> Vec<Taint> {
    let mut taints: Vec<Taint> = Vec::new();
    for (place, text) in place.part("taints").each(texts) {
        let Some(taint) = place.take(checks::taint(text)) else { continue };
        if taints.iter().any(|t| t.matches(&taint)) {
            place.say("taints must be unique by key and effect pair");
        } else {
            taints.push(taint);
        }
    }
    taints
}

fn condition(written: &Condition, i: usize, place: &Spot) -> Option<NodeCondition> {
    let place = place.part("conditions").part(i);
    let time = |text: &DurationText, field: &str| {
        place.part(field).take(values::stored_seconds(text)).map(Timestamp)
    };
    let last_heartbeat_time = time(&written.last_heartbeat_time, "lastHeartbeatTime");
    let last_transition_time = time(&written.last_transition_time, "lastTransitionTime");
    Some(NodeCondition {
        kind: written.kind.of_api(),
        status: written.status,
        reason: NodeReason::parse(&written.reason).unwrap_or(NodeReason::None),
        last_heartbeat_time: last_heartbeat_time?,
        last_transition_time: last_transition_time?,
    })
}
