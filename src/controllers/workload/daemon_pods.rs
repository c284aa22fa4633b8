//! Where a DaemonSet's pods belong, and what is added to their template
//! (`pkg/controller/daemon/util/daemonset_util.go`, `daemon_controller.go: NodeShouldRunDaemonPod`,
//! v1.34).
//!
//! A daemon pod is pinned to its node by node affinity and bound by the scheduler. Left out: pods
//! on the host's network, which tolerate network-unavailable too.

use crate::api::scheduling::{NodeNameRequirement, NodeSelectorTerm, SchedulingSpec};
use crate::api::taint::{
    DISK_PRESSURE, MEMORY_PRESSURE, NOT_READY, PID_PRESSURE, UNREACHABLE, UNSCHEDULABLE,
};
use crate::api::toleration::{Operator, Toleration};
use crate::controllers::prelude::*;

/// What every daemon pod tolerates for ever. That a node is not ready keeps new ones away all the
/// same, by its NoSchedule taint.
const TOLERATED: [(&str, Effect); 6] = [
    (NOT_READY, Effect::NoExecute),
    (UNREACHABLE, Effect::NoExecute),
    (DISK_PRESSURE, Effect::NoSchedule),
    (MEMORY_PRESSURE, Effect::NoSchedule),
    (PID_PRESSURE, Effect::NoSchedule),
    (UNSCHEDULABLE, Effect::NoSchedule),
];

/// What a DaemonSet makes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ShouldRun {
    /// A pod is to be made where there is none.
    pub(super) run: bool,
    /// A pod that is there may stay.
    pub(super) stay: bool,
}

/// The template of a DaemonSet's pods, as one version of it has it, and that of each node.
pub(super) struct DaemonTemplate {
    source: Rc<PodTemplate>,
    template: PodTemplate,
    by_node: BTreeMap<NodeId, Rc<PodTemplate>>,
}

impl DaemonTemplate {
    /// `CreatePodTemplate`
    pub(super) fn new(ds: &Workload) -> Self {
        let mut template = (*ds.template).clone();
        for (key, effect) in TOLERATED {
            add_or_update(&mut template.tolerations, key, effect);
        }
        DaemonTemplate { source: ds.template.clone(), template, by_node: BTreeMap::new() }
    }

    /// Whether it is that of the DaemonSet as it is now.
    pub(super) fn is_of(&self, ds: &Workload) -> bool {
        Rc::ptr_eq(&self.source, &ds.template)
    }

    /// `NodeShouldRunDaemonPod`: neither resources nor whether the node is cordoned or ready
    /// matter.
    pub(super) fn should_run(
        &self,
        ds: &Workload,
        node: &Node,
        name: &str,
        comparison_operators: bool,
    ) -> ShouldRun {
        let admitted = self.template.admits_node(name, &node.labels);
        if ds.pinned.is_some_and(|n| n != node.id) || !admitted {
            return ShouldRun { run: false, stay: false };
        }
        let tolerated = |t: &Taint| {
            self.template.tolerations.iter().any(|x| x.tolerates(t, comparison_operators))
        };
        let free_of =
            |effect: Effect| node.taints.iter().all(|t| t.effect != effect || tolerated(t));
        let stay = free_of(Effect::NoExecute);
        ShouldRun { run: stay && free_of(Effect::NoSchedule), stay }
    }

    /// The template of the pod on a node: what it required of nodes is replaced by the node's name
    /// (`ReplaceDaemonSetPodNodeNameNodeAffinity`).
    pub(super) fn pinned_to(&mut self, node: NodeId, name: &str) -> Rc<PodTemplate> {
        let template = &self.template;
        let pinned = || {
            let term = NodeSelectorTerm {
                match_fields: vec![NodeNameRequirement { name: name.to_owned(), is: true }],
                ..NodeSelectorTerm::default()
            };
            let mut scheduling: SchedulingSpec =
                template.scheduling.as_deref().cloned().unwrap_or_default();
            scheduling.required_nodes = Some(vec![term]);
            Rc::new(PodTemplate { scheduling: Some(Rc::new(scheduling)), ..template.clone() })
        };
        self.by_node.entry(node).or_insert_with(pinned).clone()
    }
}

/// `AddOrUpdateTolerationInPodSpec`: one that is equal except for its seconds loses them.
fn add_or_update(tolerations: &mut Vec<Toleration>, key: &str, effect: Effect) {
    let same = |t: &&mut Toleration| {
        t.key == key
            && t.effect == Some(effect)
            && t.operator == Operator::Exists
            && t.value.is_empty()
    };
    let wanted = Toleration {
        key: key.to_owned(),
        operator: Operator::Exists,
        effect: Some(effect),
        ..Toleration::default()
    };
    match tolerations.iter_mut().find(same) {
        Some(t) => *t = wanted,
        None => tolerations.push(wanted),
    }
}
