//! Where a DaemonSet's pods belong, and what is added to their template
//! (`pkg/controller/daemon/util/daemonset_util.go`, `daemon_controller.go: NodeShouldRunDaemonPod`,
//! v1.34).
//!
//! A daemon pod is pinned to its node by node affinity and bound by the scheduler; up to 1.11 the
//! controller binds it itself, where the node has what it asks for (S102). Left out: pods
//! on the host's network, which tolerate network-unavailable too.

use crate::api::quantity::Resources;
use crate::api::scheduling::{HostPort, NodeNameRequirement, NodeSelectorTerm, SchedulingSpec};
use crate::api::toleration::add_daemon_tolerations;
use crate::controllers::prelude::*;

/// What a DaemonSet makes of a node.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct ShouldRun {
    /// The node is one of those that are to have a pod (`wantToRun`).
    pub(super) want: bool,
    /// A pod is to be made where there is none: up to 1.11 the node has room for it, too.
    pub(super) run: bool,
    /// A pod that is there may stay.
    pub(super) stay: bool,
}

/// The template of a DaemonSet's pods, as one version of it has it, and that of each node.
pub(super) struct DaemonTemplate {
    source: Rc<PodTemplate>,
    template: Rc<PodTemplate>,
    by_node: BTreeMap<NodeId, Rc<PodTemplate>>,
}

impl DaemonTemplate {
    /// `CreatePodTemplate`
    pub(super) fn new(ds: &Workload) -> Self {
        let mut template = (*ds.template).clone();
        add_daemon_tolerations(&mut template.tolerations);
        let template = Rc::new(template);
        DaemonTemplate { source: ds.template.clone(), template, by_node: BTreeMap::new() }
    }

    /// Whether it is that of the DaemonSet as it is now.
    pub(super) fn is_of(&self, ds: &Workload) -> bool {
        Rc::ptr_eq(&self.source, &ds.template)
    }

    /// `NodeShouldRunDaemonPod`: neither resources nor whether the node is cordoned or ready
    /// matter. Up to 1.11 resources and host ports do beside these `others` (`GeneralPredicates`).
    pub(super) fn should_run(
        &self,
        ds: &Workload,
        node: &Node,
        name: &str,
        comparison_operators: bool,
        others: Option<&[Rc<Pod>]>,
    ) -> ShouldRun {
        let admitted = self.template.admits_node(name, &node.labels);
        let no_port = others.is_some_and(|o| lacks_a_port(&self.template, o));
        if ds.pinned.is_some_and(|n| n != node.id) || !admitted || no_port {
            return ShouldRun::default();
        }
        let tolerated = |t: &Taint| {
            self.template.tolerations.iter().any(|x| x.tolerates(t, comparison_operators))
        };
        let free_of =
            |effect: Effect| node.taints.iter().all(|t| t.effect != effect || tolerated(t));
        let stay = free_of(Effect::NoExecute);
        let want = stay && free_of(Effect::NoSchedule);
        let full = others.is_some_and(|o| lacking(&self.template, node, o).is_some());
        ShouldRun { want, run: want && !full, stay }
    }

    /// The template of the pod on a node: what it required of nodes is replaced by the node's name
    /// (`ReplaceDaemonSetPodNodeNameNodeAffinity`). Without one it is that of all pods, which are bound as they are made.
    pub(super) fn on(&mut self, node: NodeId, name: Option<&str>) -> Rc<PodTemplate> {
        let template = &self.template;
        let Some(name) = name else { return template.clone() };
        let pinned = || {
            let term = NodeSelectorTerm {
                match_fields: vec![NodeNameRequirement { name: name.to_owned(), is: true }],
                ..NodeSelectorTerm::default()
            };
            let mut scheduling: SchedulingSpec =
                template.scheduling.as_deref().cloned().unwrap_or_default();
            scheduling.required_nodes = Some(vec![term]);
            Rc::new(PodTemplate { scheduling: Some(Rc::new(scheduling)), ..(**template).clone() })
        };
        self.by_node.entry(node).or_insert_with(pinned).clone()
    }
}

/// Whether a host port of a DaemonSet's pod is taken by one of these others (`PodFitsHostPorts`).
fn lacks_a_port(template: &PodTemplate, others: &[Rc<Pod>]) -> bool {
    let taken =
        |p: &Rc<Pod>| host_ports(&p.template).any(|q| host_ports(template).any(|w| w.conflicts(q)));
    others.iter().any(taken)
}

fn host_ports(template: &PodTemplate) -> impl Iterator<Item = &HostPort> {
    template.scheduling.iter().flat_map(|s| &s.host_ports)
}

/// What a node has too little of for a DaemonSet's pod beside these others, in the words of the controller that binds it
/// (`predicates.go`, `PodFitsResources`, 1.11): of several the last.
pub(super) fn lacking(template: &PodTemplate, node: &Node, others: &[Rc<Pod>]) -> Option<String> {
    let amount = |of: &Resources, name: &str| {
        of.get(name).map_or(0, |q| if name == "cpu" { q.milli_value() } else { q.value() })
    };
    let wanted = &template.requests;
    let is_scalar = |name: &&str| name.contains('/') || name.starts_with("hugepages-");
    let scalars = wanted.keys().map(String::as_str).filter(is_scalar);
    let always = ["cpu", "memory", "ephemeral-storage"];
    let asks = scalars.clone().next().is_some() || always.iter().any(|n| amount(wanted, n) > 0);
    let used = |name| others.iter().map(|p| amount(&p.template.requests, name)).sum::<i128>();
    let names = always.into_iter().chain(scalars).filter(|_| asks);
    let amounts = names.map(|name| (name, amount(wanted, name), used(name)));
    let mut all = std::iter::once(("pods", 1, others.len() as i128)).chain(amounts);
    let (name, requested, used) = all.rfind(|(n, r, u)| r + u > amount(&node.allocatable, n))?;
    let capacity = amount(&node.allocatable, name);
    Some(format!(
        "Node didn't have enough resource: {name}, requested: {requested}, used: {used}, capacity: {capacity}"
    ))
}
