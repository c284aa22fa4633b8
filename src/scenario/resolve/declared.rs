//! The objects of a scenario: those that it starts with, and those that entries of its timeline
//! add.

use super::budgets::Budgets;
use super::device_claims::SharedClaims;
use super::kubelets::Kubelets;
use super::nodes::Defaults;
use super::pods::Lookup;
use super::prelude::*;
use super::priorities::Priorities;
use super::{device_claims, namespaces, readiness, scheduling};

/// Everything that is declared.
pub(super) struct Declared {
    pub(super) nodes: Nodes,
    pub(super) pods: Pods,
    pub(super) workloads: Workloads,
    pub(super) budgets: Budgets,
    pub(super) namespaces: BTreeMap<String, NamespaceTolerations>,
    pub(super) scheduler: SchedulerSettings,
    pub(super) readiness: Readiness,
    /// How many pods each group under `pods` has.
    pub(super) pods_of_groups: Vec<usize>,
    /// The nodes, pods, workloads or budgets that an entry of that number adds.
    pub(super) added: BTreeMap<usize, Vec<u32>>,
}

impl Declared {
    /// Reads all objects, as a release takes them.
    pub(super) fn read(
        spec: &Scenario,
        kubelets: &Kubelets,
        profile: &Profile,
        damage: Damage,
        complaints: &Complaints,
    ) -> Self {
        let defaults = Defaults { kubelets, devices: profile.device_taint_eviction.taints };
        let mut nodes = Nodes {
            incomplete: damage.nodes,
            labels_incomplete: damage.node_labels,
            ..Nodes::default()
        };
        for (place, group) in complaints.at(at!["nodes"]).each(&spec.nodes) {
            nodes.declare(group, &place, false, &defaults);
        }
        let priorities = Priorities::read(&spec.priority_classes, complaints);
        let scheduler = scheduling::settings(&spec.scheduler, complaints);
        let empty_selects_all = profile.disruption.empty_selects_all;
        let mut budgets = Budgets { empty_selects_all, ..Budgets::default() };
        for (i, budget) in spec.pod_disruption_budgets.iter().enumerate() {
            budgets.declare(budget, &complaints.at(at!["podDisruptionBudgets", i]), false);
        }
        let operators = profile.taint_eviction.comparison_operators;
        let mut declared = Self {
            nodes,
            pods: Pods { incomplete: damage.pods, ..Pods::default() },
            workloads: Workloads { incomplete: damage.workloads, ..Workloads::default() },
            budgets,
            namespaces: namespaces::read(&spec.namespaces, operators, complaints),
            scheduler,
            readiness: readiness::read(spec, complaints),
            pods_of_groups: Vec::with_capacity(spec.pods.len()),
            added: BTreeMap::new(),
        };
        let known = (&declared.nodes, profile.scheduler.prioritized_list);
        let claims = device_claims::shared(&spec.resource_claims, known, complaints);
        declared.at_the_start(spec, (&priorities, &claims), profile, complaints);
        // Nodes, pods and workloads that come later: known to every entry, whatever its time.
        declared.nodes_later(&spec.timeline, &defaults, complaints);
        declared.others_later(spec, (&priorities, &claims), profile, complaints);
        declared.workloads.name_pods(&mut declared.pods);
        declared.workloads.need(&spec.needs, complaints);
        declared
    }

    /// The workloads and pods that the scenario starts with.
    fn at_the_start(
        &mut self,
        spec: &Scenario,
        (priorities, claims): (&Priorities, &SharedClaims),
        profile: &Profile,
        complaints: &Complaints,
    ) {
        let lookup = Lookup { nodes: &self.nodes, claims, priorities, profile };
        for (place, workload) in complaints.at(at!["workloads"]).each(&spec.workloads) {
            self.workloads.declare(workload, &place, false, &mut self.pods, &lookup);
        }
        for (place, group) in complaints.at(at!["pods"]).each(&spec.pods) {
            let pods = self.pods.declare(group, &place, false, &lookup);
            self.pods_of_groups.push(pods.len());
        }
    }

    /// The nodes that entries of the timeline add.
    fn nodes_later(&mut self, timeline: &[Entry], defaults: &Defaults, complaints: &Complaints) {
        for (i, entry) in timeline.iter().enumerate() {
            let Step::AddNode { node } = &entry.step else { continue };
            let place = complaints.at(at!["timeline", i, "do", "node"]);
            let again = node.name.as_ref().and_then(|name| self.nodes.by_name.get(name)).copied();
            let indices = match again {
                // A node that was deleted joins again as it was declared.
                Some(index) if is_name_alone(node) => vec![index],
                Some(_) => {
                    let text = "a node of this name is declared; it joins again as it is";
                    place.add(Problem::new(text).help("give only its `name`"));
                    Vec::new()
                }
                None => self.nodes.declare(node, &place, true, defaults),
            };
            self.added.insert(i, indices);
        }
    }

    /// The pods, workloads and budgets that entries of the timeline create.
    fn others_later(
        &mut self,
        spec: &Scenario,
        (priorities, claims): (&Priorities, &SharedClaims),
        profile: &Profile,
        complaints: &Complaints,
    ) {
        let lookup = Lookup { nodes: &self.nodes, claims, priorities, profile };
        for (i, entry) in spec.timeline.iter().enumerate() {
            let place = |part: &str| complaints.at(at!["timeline", i, "do", part]);
            let indices = match &entry.step {
                Step::CreatePod { pod } => self.pods.declare(pod, &place("pod"), true, &lookup),
                Step::CreateWorkload { workload } => {
                    let place = place("workload");
                    self.workloads.declare(workload, &place, true, &mut self.pods, &lookup)
                }
                Step::CreateBudget { budget } => {
                    self.budgets.declare(budget, &place("budget"), true).into_iter().collect()
                }
                _ => continue,
            };
            self.added.insert(i, indices);
        }
    }
}

fn is_name_alone(group: &language::NodeGroup) -> bool {
    let bare = language::NodeGroup { name: group.name.clone(), ..Default::default() };
    *group == bare
}
