//! The workloads of the model: clusters and outages of a given size, as plans.

use std::collections::BTreeMap;
use std::rc::Rc;
use taintsim::api::kubectl_taint::TaintEdit;
use taintsim::api::labels::LabelSelector;
use taintsim::api::meta::OwnerReference;
use taintsim::api::pod::PodTemplate;
use taintsim::api::quantity::Quantity;
use taintsim::api::taint::{Effect, Taint};
use taintsim::api::toleration::{Operator, Toleration};
use taintsim::api::workload::{WorkloadKind, WorkloadSpec};
use taintsim::kernel::{Dur, Time};
use taintsim::plan::{
    Action, Admission, Connections, Controllers, Do, Eviction, Flags, NodeFault, NodePlan,
    NodeStart, Perturb, Phase, Plan, PodPlan, PodStart, Readiness, SchedulerSettings,
    TimelineEntry, Timing, WorkloadPlan,
};
use taintsim::profiles::profile;

/// A cluster of `nodes` nodes dealt over zones, with `pods` running pods on each of those that
/// `with_pods` says.
pub(crate) fn cluster(nodes: usize, zones: &[&str], pods: usize, horizon: Time) -> Plan {
    let profile = profile("1.34").expect("a release that is in the table");
    let mut plan = Plan {
        name: "bench".to_owned(),
        doc: String::new(),
        begins: None,
        notes: Vec::new(),
        horizon,
        flags: Flags::defaults(&profile),
        eviction: Eviction::defaults(&profile),
        profile,
        timing: Timing::ideal(),
        admission: Admission {
            default_toleration_seconds: true,
            taint_nodes_by_condition: true,
            pod_toleration_restriction: false,
            extended_resource_toleration: false,
        },
        controllers_start: Time::ZERO,
        warm_start: true,
        memory: None,
        nodes: Vec::new(),
        templates: vec![PodTemplate::default()],
        pods: Vec::new(),
        controllers: Controllers::default(),
        scheduler: SchedulerSettings::default(),
        workloads: Vec::new(),
        budgets: Vec::new(),
        namespaces: BTreeMap::new(),
        timeline: Vec::new(),
        actions: Vec::new(),
        perturb: Perturb::default(),
        has_devices: false,
        provisions: false,
        device_taint_rules: Vec::new(),
        readiness: Readiness::default(),
        lease_records: false,
        tape: None,
    };
    for i in 0..nodes {
        add_node(&mut plan, format!("n{i:05}"), zones[i % zones.len()], i as u64);
        for p in 0..pods {
            plan.pods.push(PodPlan {
                name: format!("default/p{i:05}-{p:02}").into(),
                template: 0,
                node: Some(i as u32),
                start: PodStart::Running,
                devices: None,
                restarts: 0,
                stuck: None,
            });
        }
    }
    plan
}

/// One more node, whose heartbeats have an offset of their own.
pub(crate) fn add_node(plan: &mut Plan, name: String, zone: &str, seed: u64) {
    let offset = |k: u64| {
        Dur::from_millis(
            1 + (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 13).wrapping_mul(k) % 9_998,
        )
    };
    let labels = BTreeMap::from([
        ("kubernetes.io/hostname".to_owned(), name.clone()),
        ("topology.kubernetes.io/zone".to_owned(), zone.to_owned()),
    ]);
    plan.nodes.push(NodePlan {
        name,
        labels: Rc::new(labels),
        taints: Vec::new(),
        unschedulable: false,
        allocatable: Rc::default(),
        lease_offset: offset(1),
        lease_period: Dur::from_secs(10),
        status_offset: offset(3),
        kubelet: None,
        usage: None,
        images: Rc::default(),
        devices: Rc::default(),
        readiness: None,
        bootstrap_completed: Rc::default(),
        start: NodeStart::Ready,
    });
}

fn act(plan: &mut Plan, at: Time, name: &str, act: Do) {
    let entry = plan.timeline.len() as u32;
    plan.timeline.push(TimelineEntry { at, name: name.to_owned(), ends: None, is_fault: true });
    plan.actions.push(Action { at, entry, phase: Phase::Begin, act });
}

/// Nothing happens for a day.
pub(crate) fn healthy_day(nodes: usize) -> Plan {
    cluster(nodes, &["a", "b", "c"], 0, Time::from_secs(86_400))
}

/// All nodes of three zones go dark at 60 s; one live node in a fourth zone, so that the zones are
/// Full and not the cluster; ten nodes per second and zone; eleven minutes.
pub(crate) fn outage(nodes: usize, pods: usize) -> Plan {
    let mut plan = cluster(nodes, &["a", "b", "c"], pods, Time::from_secs(660));
    add_node(&mut plan, "live".to_owned(), "d", 77);
    plan.flags.node_eviction_rate = 10.0;
    act(
        &mut plan,
        Time::from_secs(60),
        "dark",
        Do::Fail((0..nodes as u32).collect(), NodeFault::Cut(Connections::Dropped)),
    );
    plan
}

/// The same without the live node and at the default rate: master disruption, healed at eight
/// minutes.
pub(crate) fn master_disruption(nodes: usize, pods: usize) -> Plan {
    let mut plan = cluster(nodes, &["a", "b", "c"], pods, Time::from_secs(660));
    act(
        &mut plan,
        Time::from_secs(60),
        "dark",
        Do::Fail((0..nodes as u32).collect(), NodeFault::Cut(Connections::Dropped)),
    );
    act(
        &mut plan,
        Time::from_secs(480),
        "light",
        Do::Recover((0..nodes as u32).collect(), NodeFault::Cut(Connections::Dropped)),
    );
    plan
}

/// A user's NoExecute taint on all nodes at once: every pod is deleted in one instant.
pub(crate) fn tainted_at_once(nodes: usize, pods: usize) -> Plan {
    let mut plan = cluster(nodes, &["a", "b", "c"], pods, Time::from_secs(120));
    let taint = Taint::new("maintenance", Effect::NoExecute);
    let edit = TaintEdit { add: vec![taint], ..TaintEdit::default() };
    act(&mut plan, Time::from_secs(60), "taint", Do::Taint((0..nodes as u32).collect(), edit));
    plan
}

/// The real stack's case: 1,000 nodes, 10,000 pods that tolerate silence for 30 s, 111 nodes of one
/// zone dark, `Typical` timing with client limits. On a real control plane it was 1,188 s from the
/// cut to the last deletion.
pub(crate) fn real_stack() -> Plan {
    let mut plan = cluster(1_000, &["a", "b", "c"], 10, Time::from_secs(1_300));
    plan.templates[0].tolerations = vec![
        tolerates("node.kubernetes.io/unreachable", 30),
        tolerates("node.kubernetes.io/not-ready", 30),
    ];
    plan.timing = typical();
    act(
        &mut plan,
        Time::from_secs(60),
        "dark",
        Do::Fail((0..111).map(|i| i * 9).collect(), NodeFault::Cut(Connections::Dropped)),
    );
    plan
}

/// One run of a sweep: 100 nodes, 1,000 pods, an hour in which one node fails for good, `Typical`
/// timing.
pub(crate) fn one_of_a_sweep() -> Plan {
    let mut plan = cluster(100, &["a", "b", "c"], 10, Time::from_secs(3_600));
    plan.timing = typical();
    act(
        &mut plan,
        Time::from_secs(600),
        "dark",
        Do::Fail(vec![17], NodeFault::Cut(Connections::Dropped)),
    );
    plan
}

/// One zone of three goes dark at 60 s, nodes of it are tainted at ten per second; eleven minutes.
pub(crate) fn a_zone_of_three(nodes: usize, pods: usize) -> Plan {
    let mut plan = cluster(nodes, &["a", "b", "c"], pods, Time::from_secs(660));
    plan.flags.node_eviction_rate = 10.0;
    act(
        &mut plan,
        Time::from_secs(60),
        "dark",
        Do::Fail((0..nodes as u32).step_by(3).collect(), NodeFault::Cut(Connections::Dropped)),
    );
    plan
}

/// ReplicaSets of so many pods each, made as the cluster's user writes them, and the controllers
/// that work for them.
fn replica_sets(plan: &mut Plan, count: usize, replicas: usize) {
    for i in 0..count {
        let name = format!("w{i:05}");
        let labels = BTreeMap::from([("app".to_owned(), name.clone())]);
        let requests = [("cpu", 1_000), ("memory", (2 << 30) * 1_000)]
            .map(|(r, n)| (r.to_owned(), Quantity::from_milli(n)));
        plan.workloads.push(WorkloadPlan {
            name: format!("ReplicaSet/default/{name}"),
            kind: WorkloadKind::ReplicaSet,
            owner: None,
            selector: Rc::new(LabelSelector {
                match_labels: labels.clone(),
                ..LabelSelector::default()
            }),
            template: plan.templates.len() as u32,
            node: None,
            min_ready_seconds: 0,
            needs: None,
            spec: WorkloadSpec::ReplicaSet {
                replicas: replicas as i32,
                revision: 0,
                max_replicas: 0,
            },
        });
        plan.templates.push(PodTemplate {
            labels,
            requests: requests.into(),
            ..PodTemplate::default()
        });
    }
    plan.controllers =
        Controllers { pod_gc: true, replica_set: true, scheduler: true, ..Controllers::default() };
}

/// What each node of the placements has: room for 32 pods of a ReplicaSet.
fn capacity(plan: &mut Plan) {
    let amounts = [("cpu", 32_000), ("memory", (128 << 30) * 1_000), ("pods", 110_000)];
    let allocatable = Rc::new(amounts.map(|(r, n)| (r.to_owned(), Quantity::from_milli(n))).into());
    for node in &mut plan.nodes {
        node.allocatable = Rc::clone(&allocatable);
    }
}

/// ReplicaSets of 100 pods each on empty nodes of three zones, 30 pods per node.
pub(crate) fn placement(nodes: usize) -> Plan {
    let mut plan = cluster(nodes, &["a", "b", "c"], 0, Time::from_secs(300));
    replica_sets(&mut plan, nodes * 30 / 100, 100);
    capacity(&mut plan);
    plan
}

/// The outage, of as many ReplicaSets as nodes with 30 pods each on 30 nodes, and as many live
/// nodes in a fourth zone.
pub(crate) fn outage_with_room(nodes: usize) -> Plan {
    const REPLICAS: usize = 30;
    let mut plan = cluster(nodes, &["a", "b", "c"], 0, Time::from_secs(660));
    for i in 0..nodes {
        add_node(&mut plan, format!("live{i:05}"), "d", (nodes + i) as u64);
    }
    replica_sets(&mut plan, nodes, REPLICAS);
    capacity(&mut plan);
    for set in 0..nodes {
        let name = format!("w{set:05}");
        let owner =
            OwnerReference { kind: "ReplicaSet".to_owned(), name: name.clone(), object: None };
        let template = PodTemplate { owner: Some(owner), ..plan.templates[set + 1].clone() };
        for i in 0..REPLICAS {
            plan.pods.push(PodPlan {
                name: format!("default/{name}-{i:02}").into(),
                template: plan.templates.len() as u32,
                node: Some(((set * REPLICAS + i) % nodes) as u32),
                start: PodStart::Running,
                devices: None,
                restarts: 0,
                stuck: None,
            });
        }
        plan.templates.push(template);
    }
    plan.flags.node_eviction_rate = 10.0;
    act(
        &mut plan,
        Time::from_secs(60),
        "dark",
        Do::Fail((0..nodes as u32).collect(), NodeFault::Cut(Connections::Dropped)),
    );
    plan
}

/// `Typical` timing, as the scenario language has it.
pub(crate) fn typical() -> Timing {
    let starter = br#"Scenario(version: 1, horizon: "1m", nodes: [(names: "n")])"#.to_vec();
    let loaded = taintsim::scenario::parse("typical.ron", starter, std::path::Path::new("."))
        .expect("a scenario that is right");
    taintsim::scenario::build(&loaded, &taintsim::scenario::Overrides::default())
        .expect("and can be built")
        .timing
}

fn tolerates(key: &str, seconds: i64) -> Toleration {
    Toleration {
        key: key.to_owned(),
        operator: Operator::Exists,
        value: String::new(),
        effect: Some(Effect::NoExecute),
        toleration_seconds: Some(seconds),
    }
}
