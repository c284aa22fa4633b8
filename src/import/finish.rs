//! From all objects to one cluster: time zero, leases, groups of like nodes and pods.

use super::cluster::ImportedCluster;
use super::control_plane::ControlPlane;
use super::devices::Devices;
use super::disks::Disks;
use super::gathered::Gathered;
use super::input::Input;
use super::leader::Leader;
use super::node::{LeaseSeen, NamedNode, NodeShape, is_unknown};
use super::pace::Pace;
use super::pod::{NamedPod, PodShape};
use super::readiness::Readiness;
use super::scheduling::{self, RawBudget};
use super::times::{OVERDUE_US, POSTED_US, RENEWED_US};
use super::workload::RawWorkload;
use super::{
    containers, control_plane, document, ends, groups, hooks, images, remembered, replica_sets,
};
use crate::import::prelude::*;
use crate::profiles;

/// The gates of taints of devices, of devices at all, which is off in 1.33, of DeviceTaintRules, and of requests with alternatives.
const TAINTS_GATE: &str = "DRADeviceTaints";
const DEVICES_GATE: &str = "DynamicResourceAllocation";
const RULES_GATE: &str = "DRADeviceTaintRules";
const LISTS_GATE: &str = "DRAPrioritizedList";

/// The lease of the controllers' leader.
const MANAGER: &str = "kube-controller-manager";

/// When each node's lease was renewed, and for how many seconds.
type Renewals = BTreeMap<String, (Stamp, Option<i64>)>;

impl Gathered {
    /// The cluster of everything that was gathered.
    fn finish(mut self) -> Result<ImportedCluster> {
        let releases = &mut self.summary.releases;
        releases.control_plane = control_plane::release(&self.pods);
        self.nodes.iter().for_each(|n| releases.take_kubelet(&n.status.node_info.kubelet_version));
        self.make_replica_sets()?;
        self.adopt();
        let injected = self.take_injected();
        let (zero, renewed) = self.times()?;
        let office = self.office(zero)?;
        let passed = self.passed(zero);
        let places = self.places();
        let readiness = Readiness::of(&self)?;
        // The gate NodeLease is off in 1.12 and 1.13.
        let has_leases = |r: String| profiles::profile(&r).is_ok_and(|p| p.kubelet.leases);
        let has_leases = self.summary.releases.taken().is_none_or(has_leases);
        self.summary.by_posts = !has_leases && renewed.is_empty();
        let mut shapes = self.node_shapes(zero, &renewed, &readiness)?;
        let kubelets = (&self.kubelets[..], &shapes[..]);
        let mut control_plane = control_plane::read(&self.pods, kubelets, &mut self.summary);
        if !has_leases && !renewed.is_empty() {
            control_plane.feature_gates.entry("NodeLease".to_owned()).or_insert(true);
        }
        for (name, shape) in &mut shapes {
            shape.kubelet = control_plane.of_nodes.remove(name).unwrap_or_default();
        }
        let disks = Disks::of(&self, &shapes);
        let devices = self.give_devices(&mut shapes, zero, &mut control_plane)?;
        let mut bound = self.pod_shapes(zero, (&disks, &shapes), &devices)?;
        // When the leases of the nodes that are plainly healthy were renewed, from time zero.
        let healthy = shapes.iter().filter(|(_, shape)| shape.start.is_none());
        let lease = |(name, _): &NamedNode| {
            Some((name.clone(), micros(renewed.get(name)?.0.us_since(zero).min(0))))
        };
        let leases = healthy.filter_map(lease).collect();
        let own = Memory { office, passed, leases, ..Memory::default() };
        let memory = remembered::memory(&self, &bound, zero, own)?;
        shapes.extend(self.deleted(&bound, &memory));
        self.lives.values_mut().for_each(|steps| steps.sort());
        let mut pace = Pace::of(&self.pods, &self.workloads, &self.lives, &disks, zero);
        for (name, _, shape) in &mut bound {
            if let Some((_, pod)) = self.pods.get(&format!("{}/{name}", shape.namespace)) {
                pace.tell_of_ends(pod, shape, zero);
            }
        }
        pace.set_sizes(&images::sizes(&self.nodes, &pace.images()));
        let images_listed = images::tell_of_nodes(&self.nodes, &pace.images(), &mut shapes);
        let podless = self.podless();
        let mut summary = Summary { podless, ..self.summary };
        let priorities = groups::priorities(&self.classes, &bound);
        let mut workloads =
            convert(&self.workloads, &priorities, (&disks, &devices), &mut summary)?;
        let priority_classes = groups::priority_classes(&self.classes, priorities, &workloads);
        let budget = |(place, b): &(Place, RawBudget)| scheduling::budget(b).map_err(at(place));
        let budgets = self.budgets.placed().map(budget).collect::<Result<Vec<_>, _>>()?;
        let (nodes, mut pods) = (groups::nodes(shapes), groups::pods(bound));
        pace.set(&mut workloads, &mut pods);
        (summary.paces, summary.unknown_paces) = (pace.told, pace.unknown);
        (summary.ends, summary.images_listed) = (pace.told_of_ends, images_listed);
        (summary.claims, summary.lack_volumes) = (disks.notes, disks.lack_volumes);
        summary.slices = self.devices.slices.len();
        summary.named.extend(devices.notes);
        summary.named.extend(readiness.notes);
        summary.named.extend(injected);
        summary.named.extend(self.storage.note());
        Ok(ImportedCluster {
            memory,
            nodes,
            pods,
            priority_classes,
            budgets,
            namespaces: self.namespaces.iter().cloned().collect(),
            resource_claims: devices.claims.into_values().collect(),
            device_taint_rules: devices.rules,
            readiness_rules: readiness.rules,
            workloads,
            control_plane,
            summary,
            places,
        })
    }

    /// Time zero, and when each node's lease was renewed.
    fn times(&mut self) -> Result<(Stamp, Renewals)> {
        let mut times = Times::default();
        let mut renewed = BTreeMap::new();
        for (name, (place, lease)) in self.control.by_name() {
            if let Some(t) = time("renewTime", &lease.spec.renew_time).map_err(at(place))? {
                times.control(name, t);
            }
        }
        for (place, node) in self.nodes.placed() {
            node.note_times(&mut times).map_err(at(place))?;
        }
        for (place, pod) in self.pods.placed() {
            pod.note_times(&mut times).map_err(at(place))?;
        }
        self.devices.note_times(&mut times)?;
        for (name, (place, RawLease { spec, .. })) in self.leases.by_name() {
            if !self.nodes.contains(name) {
                self.summary.stray_leases += 1;
                continue;
            }
            // A lease that was never renewed says nothing.
            if let Some(t) = time("renewTime", &spec.renew_time).map_err(at(place))? {
                times.heartbeat(t);
                renewed.insert(name.clone(), (t, spec.lease_duration_seconds));
            }
        }
        // By its lease, or where none was exported by its conditions.
        let posted = self.nodes.by_name().filter_map(|(name, (_, n))| Some((name, n.posted()?)));
        let heard: Vec<(&String, Stamp)> = match renewed.is_empty() {
            true => posted.collect(),
            false => posted.filter_map(|(name, _)| Some((name, renewed.get(name)?.0))).collect(),
        };
        let period = if renewed.is_empty() { POSTED_US } else { RENEWED_US };
        times.compare(heard.iter().map(|(_, t)| *t).collect(), period);
        let ahead = heard.into_iter().filter(|(_, t)| times.is_ahead(*t));
        self.summary.ahead = ahead.map(|(name, _)| name.clone()).collect();
        self.summary.ahead_of_most = times.agreed.is_some();
        // What is no leader's here is of no use but for its time.
        let others = self.control.by_name().filter(|(name, _)| *name != MANAGER).count();
        if others > 0 {
            *self.summary.kinds.entry("Lease".to_owned()).or_default() += others;
        }
        self.summary.leases = renewed.len();
        let (zero, zero_is) = times.zero().unzip();
        self.summary.unheeded = zero.and_then(|zero| times.unheeded(zero));
        self.summary.time_zero = zero;
        self.summary.zero_is = zero_is.unwrap_or_default();
        Ok((zero.unwrap_or_default(), renewed))
    }

    /// Since when the leader of kube-controller-manager has held office, if its lease is kept up. A
    /// lease that nobody renews tells nothing of who leads.
    fn office(&mut self, zero: Stamp) -> Result<Option<DurationText>> {
        let Some((place, RawLease { spec, .. })) = self.control.get(MANAGER) else {
            self.summary.leader = Leader::NotExported;
            return Ok(None);
        };
        let stamp = |field, text: &str| time(field, text).map_err(at(place));
        let renewed = stamp("renewTime", &spec.renew_time)?;
        let acquired = stamp("acquireTime", &spec.acquire_time)?;
        let duration = spec.lease_duration_seconds.unwrap_or(15).clamp(1, 3600);
        let Some(renewed) = renewed.filter(|r| zero.us_since(*r) <= 2 * duration * SECOND_US)
        else {
            self.summary.leader = Leader::Silent(renewed);
            return Ok(None);
        };
        let since = acquired.unwrap_or(renewed).min(zero);
        self.summary.leader = Leader::Since(since);
        Ok(Some(micros(since.us_since(zero))))
    }

    /// When the node lifecycle controller of this leader was last seen in a pass.
    fn passed(&mut self, zero: Stamp) -> Option<DurationText> {
        let since = if let Leader::Since(at) = self.summary.leader { at } else { Stamp(i64::MIN) };
        let last = self.passes.range(since..=zero).next_back().copied()?;
        self.summary.passed = Some(last);
        Some(micros(last.us_since(zero)))
    }

    /// The nodes with their shapes; where there are none, those that pods name.
    fn node_shapes(
        &mut self,
        zero: Stamp,
        renewed: &Renewals,
        readiness: &Readiness,
    ) -> Result<Vec<NamedNode>> {
        let mut drivers = self.drivers_of_nodes();
        let summary = &mut self.summary;
        let mut shapes = Vec::with_capacity(self.nodes.len());
        for (place, node) in self.nodes.placed() {
            let lease = match renewed.get(&node.name) {
                Some((t, duration)) => LeaseSeen::Renewed(*t, *duration),
                // It is posted as often as leases are renewed.
                None if summary.by_posts => {
                    node.posted().map_or(LeaseSeen::NotExported, |t| LeaseSeen::Renewed(t, None))
                }
                None if renewed.is_empty() => LeaseSeen::NotExported,
                None => LeaseSeen::Missing,
            };
            let mut unmodelled = |kind: &str| {
                if !readiness.asks_for(kind) {
                    *summary.conditions.entry(kind.to_owned()).or_default() += 1;
                }
            };
            let mut shape = node.shape(zero, lease, &mut unmodelled).map_err(at(place))?;
            readiness.tell_of_node(node, &mut shape).map_err(at(place))?;
            let of_rules = |t: &Taint| t.key.starts_with("readiness.k8s.io/");
            let lacks = self.readiness_rules.len() == 0 && shape.taints.iter().any(of_rules);
            summary.lack_rules += usize::from(lacks);
            shape.allocatable.extend(drivers.remove(&node.name).unwrap_or_default());
            let labels = fields::labels("metadata.labels", &node.meta.labels);
            shape.allocatable.extend(self.capacities.of(&labels.map_err(at(place))?));
            let silent_us = if let LeaseSeen::Renewed(t, _) = lease { zero.us_since(t) } else { 0 };
            match &shape.start {
                Some(NodeStart::Imported { conditions, cut_off: true, .. }) => {
                    summary.cut_off.push(node.name.clone());
                    if !is_unknown(conditions) {
                        summary.unnoticed.push(node.name.clone());
                        summary.overdue.extend((silent_us > OVERDUE_US).then(|| node.name.clone()));
                    }
                }
                _ if lease == LeaseSeen::Missing => summary.leaseless.push(node.name.clone()),
                _ => (),
            }
            for what in node.said() {
                summary.said_by_nodes.entry(what).or_default().push(node.name.clone());
            }
            let posted = node.posted().filter(|_| lease == LeaseSeen::NotExported);
            let late = posted.filter(|t| zero.us_since(*t) > POSTED_US);
            summary.unposted.extend(late.map(|_| node.name.clone()));
            let is_sized = ["cpu", "memory"].iter().all(|r| shape.allocatable.contains_key(*r));
            summary.of_no_size.extend((!is_sized).then(|| node.name.clone()));
            shapes.push((node.name.clone(), shape));
        }
        if self.nodes.len() == 0 {
            let named: BTreeSet<&str> = self.pods.iter().filter_map(RawPod::node).collect();
            summary.made_up = named.into_iter().map(str::to_owned).collect();
            for name in &summary.made_up {
                fields::name("spec.nodeName", name)
                    .map_err(|wrong| of_pod_on(&self.pods, name, wrong))?;
                shapes.push((name.clone(), NodeShape::default()));
            }
        }
        summary.nodes = shapes.len();
        Ok(shapes)
    }

    /// The devices of nodes and pods. Where there are taints or rules, the gates that they need are taken to be on.
    fn give_devices(
        &self,
        shapes: &mut [NamedNode],
        zero: Stamp,
        control_plane: &mut ControlPlane,
    ) -> Result<Devices> {
        let version = self.summary.releases.taken().unwrap_or_else(|| KUBERNETES.to_owned());
        let mut gates = control_plane.feature_gates.clone();
        let of_devices = |gate: &str| [DEVICES_GATE, LISTS_GATE].contains(&gate);
        gates.retain(|gate, _| gate.starts_with("DRADeviceTaint") || of_devices(gate));
        let known = |gates: &BTreeMap<String, bool>| profiles::with_gates(&version, gates);
        let Ok(mut profile) = known(&gates).or_else(|_| known(&BTreeMap::new())) else {
            return Ok(Devices::default());
        };
        if !profile.device_taint_eviction.taints && self.devices.has_taints() {
            // No more than are needed.
            for needed in [&[TAINTS_GATE][..], &[TAINTS_GATE, DEVICES_GATE]] {
                let mut gates = gates.clone();
                needed.iter().for_each(|gate| _ = gates.entry((*gate).to_owned()).or_insert(true));
                let tainted = known(&gates).ok().filter(|p| p.device_taint_eviction.taints);
                if let Some(tainted) = tainted {
                    let needed = needed.iter().map(|gate| ((*gate).to_owned(), true));
                    control_plane.feature_gates.extend(needed);
                    profile = tainted;
                    break;
                }
            }
        }
        let mut devices = Devices::of(self, shapes, zero, &profile)?;
        devices.tell_of_nodes(shapes);
        if !devices.rules.is_empty() && !profile.device_taint_eviction.rules {
            control_plane.feature_gates.insert(RULES_GATE.to_owned(), true);
        }
        let has_lists = profile.device_taint_eviction.taints && self.devices.has_lists();
        if has_lists && !profile.scheduler.prioritized_list {
            control_plane.feature_gates.insert(LISTS_GATE.to_owned(), true);
        }
        Ok(devices)
    }

    /// The pods with their shapes, without those whose node is not in the files.
    fn pod_shapes(
        &mut self,
        zero: Stamp,
        (disks, nodes): (&Disks, &[NamedNode]),
        devices: &Devices,
    ) -> Result<Vec<NamedPod>> {
        let mut summary = std::mem::take(&mut self.summary);
        // Without any nodes those are made up that pods name.
        let made_up = self.nodes.len() == 0;
        let mut bound = Vec::with_capacity(self.pods.len());
        for (place, pod) in self.pods.placed() {
            let node = match pod.node() {
                Some(node) if !made_up && !self.knows(node) => {
                    summary.orphans.push(pod.full_name());
                    continue;
                }
                node => node,
            };
            let mut shape = pod.shape(zero).map_err(at(place))?;
            let of_node = node.and_then(|name| Some((name, &self.nodes.get(name)?.1)));
            let lives = of_node.filter(|(name, _)| !summary.cut_off.iter().any(|n| n == name));
            shape.stuck = pod.stuck(zero, lives.and_then(|(_, node)| node.well_since()));
            // With a node its kubelet and its devices are deleted.
            let there = node.filter(|_| made_up || of_node.is_some());
            if shape.start == PodStart::Pending && shape.stuck.is_none() && there.is_some() {
                shape.start = pod.starting(zero, disks.attaches(pod)).unwrap_or(shape.start);
            }
            ends::tell_of_pod(pod, &mut shape.template, zero);
            shape.template.pod_stop = hooks::stop(hooks::longest(&pod.spec)).map(HowLong::Always);
            disks.tell_of_pod(pod, nodes, &mut shape);
            if there == node {
                devices.tell_of_pod(pod, &mut shape);
            }
            let owned = |full: &str| self.workloads.contains(full);
            note_pod(pod, node, &shape, &owned, &mut summary);
            bound.push((pod.name.clone(), node.map(str::to_owned), shape));
        }
        summary.pods = bound.len();
        self.summary = summary;
        Ok(bound)
    }

    /// The nodes that were deleted before, as far as pods are on them or wait for volumes that are attached to them.
    fn deleted(&mut self, bound: &[NamedPod], memory: &Memory) -> Vec<NamedNode> {
        let named = bound.iter().filter_map(|(_, node, _)| node.as_ref());
        let named = named.chain(memory.attached.values()).filter(|node| !self.nodes.contains(node));
        let named: BTreeSet<&String> = named.filter(|node| self.knows(node)).collect();
        self.summary.deleted = named.into_iter().cloned().collect();
        let start = Some(NodeStart::Deleted);
        let shape = NodeShape { start, ..NodeShape::default() };
        self.summary.deleted.iter().map(|name| (name.clone(), shape.clone())).collect()
    }
}

/// Notes what the summary says of a pod. `owned`: whether there is a workload of that full name.
fn note_pod(
    pod: &RawPod,
    node: Option<&str>,
    shape: &PodShape,
    owned: &dyn Fn(&str) -> bool,
    summary: &mut Summary,
) {
    pod.unmodelled(&mut |field| *summary.pod_fields.entry(field.to_owned()).or_default() += 1);
    if !pod.spec.resource_claims.is_empty() && shape.template.resource_claims.is_empty() {
        *summary.pod_fields.entry("resourceClaims".to_owned()).or_default() += 1;
    }
    if containers::is_unserved(&shape.template) {
        summary.unserved.push(pod.full_name());
    }
    if let Some(told) = ends::told_of_pod(&shape.template) {
        summary.looping.push(format!("{} ({told})", pod.full_name()));
    }
    if node.is_none() {
        summary.unbound.push(pod.full_name());
    }
    let is_owned = |owner: &Owner| {
        let Owner { kind, name } = owner;
        WorkloadKind::parse(kind).is_none() || owned(&format!("{kind}/{}/{name}", pod.namespace))
    };
    if let Some(owner) = shape.owner.as_ref().filter(|_| pod.has_status() && !shape.start.is_over())
    {
        summary.ownerless += usize::from(!is_owned(owner));
        // Static pods belong to their node, whose kubelet makes them.
        if WorkloadKind::parse(&owner.kind).is_none() && owner.kind != "Node" {
            *summary.foreign.entry(owner.kind.clone()).or_default() += 1;
        }
    }
    if !shape.owner.as_ref().is_some_and(is_owned) {
        summary.note_volumes(&shape.template, pod.full_name());
    }
    summary.unadmitted +=
        usize::from(node.is_some() && pod.has_status() && !shape.has_default_tolerations());
    summary.terminating +=
        usize::from(matches!(shape.start, PodStart::Imported { deletion: Some(_), .. }));
    summary.stuck.extend(shape.stuck.map(|_| pod.full_name()));
}

/// Workloads as a scenario has them, Deployments first.
fn convert(
    raw: &Named<RawWorkload>,
    priorities: &BTreeMap<String, i32>,
    (disks, devices): (&Disks, &Devices),
    summary: &mut Summary,
) -> Result<Vec<Workload>> {
    let mut in_order: Vec<&(Place, RawWorkload)> = raw.placed().collect();
    in_order.sort_by_key(|(_, w)| w.kind != WorkloadKind::Deployment);
    let rollouts = replica_sets::rollouts(raw);
    let mut all = Vec::new();
    for (place, workload) in in_order {
        let name = format!("{}/{}", workload.namespace, workload.name);
        for field in workload.unmodelled() {
            summary.job_fields.entry(field).or_default().push(name.clone());
        }
        if let Some(why) = workload.is_over() {
            *summary.over.entry(why.to_owned()).or_default() += 1;
            continue;
        }
        let mut left_out =
            |what: &'static str| *summary.pod_fields.entry(what.to_owned()).or_default() += 1;
        let known = |name: &str| raw.contains(name);
        let mut converted =
            workload.convert(&known, priorities, &mut left_out).map_err(at(place))?;
        if workload.deployment().is_some_and(|deployment| rollouts.contains(&deployment)) {
            workload.tell_of_rollout(converted.group_mut());
        }
        disks.tell_of_workload(workload, &mut converted.group_mut().template);
        devices.tell_of_workload(workload, &mut converted.group_mut().template);
        let group = converted.group();
        if group.deployment.is_none() {
            summary.note_volumes(&group.template, name.clone());
        }
        all.push(converted);
        if workload.kind != WorkloadKind::ReplicaSet || !summary.made_sets.contains(&name) {
            *summary.workloads.entry(workload.kind.as_str().to_owned()).or_default() += 1;
        }
    }
    Ok(all)
}

/// An error of the first pod that names this node.
fn of_pod_on(pods: &Named<RawPod>, node: &str, wrong: Wrong) -> ImportError {
    let pod = pods.placed().find(|(_, p)| p.node() == Some(node));
    at(&pod.map(|(place, _)| place.clone()).unwrap_or_default())(wrong)
}

impl ImportedCluster {
    /// Makes a cluster of what several inputs hold together.
    ///
    /// # Errors
    /// An input is no export, an object is not as the API would have accepted it, or there is
    /// nothing in them that is modelled.
    pub fn read(inputs: &[Input]) -> Result<Self, ImportError> {
        let mut gathered = Gathered::default();
        for input in inputs {
            gathered.summary.files.push(input.file.clone());
            document::read(input, &mut |place, meta, body| gathered.take(place, meta, body))?;
        }
        let cluster = gathered.finish()?;
        let empty = cluster.workloads.is_empty()
            && cluster.budgets.is_empty()
            && cluster.namespaces.is_empty();
        if empty && cluster.priority_classes.is_empty() { cluster.simulable() } else { Ok(cluster) }
    }
}
