//! The scheduler's parts against upstream's own tests and the arithmetic of its sources: filters,
//! scores, preemption.

mod index;
mod queue;
mod settings;

use std::rc::Rc;
use taintsim::api::budget::{Budget, BudgetRule, BudgetStatus, IntOrPercent};
use taintsim::api::labels::{Labels, Selector};
use taintsim::api::meta::{ConditionStatus, Timestamp, Uid};
use taintsim::api::names::{NodeId, PodId, WorkloadId};
use taintsim::api::node::{LABEL_ZONE, Node, NodeCondition, NodeConditionType, NodeReason};
use taintsim::api::pod::{
    Deletion, Pod, PodCondition, PodPhase, PodReason, PodTemplate, Unscheduled,
};
use taintsim::api::quantity::{Quantity, Resources};
use taintsim::api::scheduling::{
    HostPort, PodAffinity, PodAffinityTerm, SchedulingSpec, TopologySpreadConstraint,
};
use taintsim::api::taint::{Effect, Taint};
use taintsim::api::toleration::{Operator, Toleration};
use taintsim::controllers::scheduler::algorithm::{Algorithm, Choice, Incoming, Outcome};
use taintsim::controllers::scheduler::cache::Cache;
use taintsim::controllers::scheduler::node_info::NodeInfo;
use taintsim::controllers::scheduler::nominator::Nominator;
use taintsim::controllers::scheduler::plugins::{
    balanced_allocation, node_resources_fit, pod_topology_spread_score, taint_toleration,
};
use taintsim::controllers::scheduler::preemption::{Attempt, Evaluator};
use taintsim::controllers::scheduler::shape::Shape;
use taintsim::plan::Strategy;
use taintsim::plan::switches::scheduler::{Balance, SpreadScore, Switches};
use taintsim::profiles::profile;

fn switches(release: &str) -> Switches {
    profile(release).unwrap_or_else(|e| panic!("{e}")).scheduler
}

fn choice(release: &str) -> Choice {
    Choice {
        switches: switches(release),
        percentage_of_nodes_to_score: 0,
        strategy: Strategy::LeastAllocated,
        indexed: true,
    }
}

fn amounts(of: &[(&str, &str)]) -> Resources {
    of.iter()
        .map(|(n, q)| ((*n).to_owned(), Quantity::parse(q).unwrap_or_else(|e| panic!("{e}"))))
        .collect()
}

fn labels(text: &str) -> Labels {
    text.split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect()
}

fn selector(text: &str) -> Selector {
    Selector::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// Node `n<id>` with its host name, and zone `zone` if that is not empty.
fn node(id: u32, zone: &str, of: &[(&str, &str)]) -> Node {
    let mut labels = labels(&format!("kubernetes.io/hostname=n{id}"));
    if !zone.is_empty() {
        labels.insert(LABEL_ZONE.to_owned(), zone.to_owned());
    }
    Node {
        id: NodeId(id),
        uid: Uid(u64::from(id)),
        resource_version: 0,
        record: 0,
        creation_timestamp: Timestamp(0),
        labels: Rc::new(labels),
        taints: Vec::new(),
        unschedulable: false,
        conditions: Vec::new(),
        allocatable: Rc::new(amounts(of)),
        images: None,
        volumes: None,
        readiness: None,
    }
}

const ROOMY: &[(&str, &str)] = &[("cpu", "4"), ("memory", "16Gi"), ("pods", "110")];

fn pod(id: u32, template: &Rc<PodTemplate>) -> Pod {
    Pod {
        id: PodId(id),
        uid: Uid(u64::from(id)),
        resource_version: 0,
        record: 0,
        template: template.clone(),
        creation_timestamp: Timestamp(0),
        start_time: None,
        job_finalizer: false,
        stuck: None,
        has_claims: false,
        unscheduled: None,
        node: None,
        deletion: None,
        phase: PodPhase::Pending,
        evicted: false,
        restarts: Default::default(),
        ready: None,
        disruption_target: None,
    }
}

fn template(requests: &[(&str, &str)]) -> PodTemplate {
    PodTemplate { requests: amounts(requests), ..PodTemplate::default() }
}

fn set_node(algorithm: &mut Algorithm, node: Node) {
    let name = format!("n{}", node.id.0);
    algorithm.cache.set_node(&Rc::new(node), &name);
}

/// Binds a pod to a node.
fn bind(algorithm: &mut Algorithm, pod: Pod, node: u32) {
    let shape = algorithm.cache.shape(&pod.template, "default");
    algorithm.cache.set_pod(&Rc::new(Pod { node: Some(NodeId(node)), ..pod }), &shape);
}

fn schedule(
    algorithm: &mut Algorithm,
    pod: &Rc<Pod>,
    owners: Option<&Rc<Selector>>,
    nominator: &Nominator,
) -> Outcome {
    let shape = algorithm.cache.shape(&pod.template, "default");
    algorithm.schedule_pod(
        Incoming { pod, shape: &shape, owners, volumes: None, devices: None },
        nominator,
        &mut |_| 0,
    )
}

fn place(algorithm: &mut Algorithm, pod: Pod) -> Result<u32, String> {
    let switches = algorithm.choice.switches;
    match schedule(algorithm, &Rc::new(pod), None, &Nominator::default()) {
        Outcome::Fits(node) => Ok(node.0),
        Outcome::NoNodes => Err("no nodes".to_owned()),
        Outcome::Unfit(d) => Err(d.text("", &algorithm.rejections, &switches)),
    }
}

fn info_of(node: &Node) -> NodeInfo {
    NodeInfo { node: Some(Rc::new(node.clone())), ..NodeInfo::empty(node) }
}

fn shape(template: PodTemplate) -> Rc<Shape> {
    Cache::new(true, true).shape(&Rc::new(template), "default")
}

/// Upstream's `TestLeastAllocatedScoringStrategy` and the reference, §1.5: 3000m and 5000 bytes on
/// 4000m and 10000 bytes score (25 + 50) / 2 = 37; on 6000m and 10000 bytes (50 + 50) / 2 = 50.
/// Full nodes the other way round: (75 + 50) / 2 = 62.
#[test]
fn least_and_most_allocated() {
    use Strategy::{LeastAllocated, MostAllocated};
    let pod = shape(template(&[("cpu", "3"), ("memory", "5000")]));
    let of = |cpu, how| {
        node_resources_fit::score(
            &pod,
            &info_of(&node(1, "", &[("cpu", cpu), ("memory", "10000")])),
            how,
        )
    };
    assert_eq!(
        [
            of("4", LeastAllocated),
            of("6", LeastAllocated),
            of("4", MostAllocated),
            of("6", MostAllocated)
        ],
        [37, 50, 62, 50]
    );
}

/// 3000m of 4000m and 5000 of 10000 bytes: 0.75 and 0.5, half the difference is 0.125, so 87; up to
/// 1.21 the whole difference, so 75. An empty node is balanced (100), so from 1.36 the score is 50
/// + (50 + 87 - 100) / 2 = 68.
#[test]
fn balance_by_release() {
    let pod = shape(template(&[("cpu", "3"), ("memory", "5000")]));
    let info = info_of(&node(1, "", &[("cpu", "4"), ("memory", "10000")]));
    let of = |how| balanced_allocation::score(&pod, &info, how);
    assert_eq!(
        [
            of(Balance::WithDefaults),
            of(Balance::Plain),
            of(Balance::SkipsBestEffort),
            of(Balance::Improvement)
        ],
        [75, 87, 87, 68]
    );
    let idle = shape(template(&[]));
    assert_eq!(balanced_allocation::score(&idle, &info, Balance::SkipsBestEffort), 0);
    assert_eq!(balanced_allocation::score(&idle, &info, Balance::Plain), 100);
}

/// The reference, §1.5: of four nodes with 0, 1, 2, 1 taints the scores are 100, 50, 0, 50 for most
/// 2; without any, all 100.
#[test]
fn soft_taints() {
    assert_eq!([0, 1, 2, 1].map(|n| taint_toleration::normalize(n, 2)), [100, 50, 0, 50]);
    assert_eq!(taint_toleration::normalize(0, 0), 100);
    let mut tainted = node(1, "", ROOMY);
    tainted.taints =
        vec![Taint::new("a", Effect::PreferNoSchedule), Taint::new("b", Effect::PreferNoSchedule)];
    let tolerates = |effect| {
        let own = Toleration {
            key: "a".into(),
            operator: Operator::Exists,
            effect,
            ..Toleration::default()
        };
        taint_toleration::score(
            &shape(PodTemplate { tolerations: vec![own], ..template(&[]) }),
            &tainted,
            false,
        )
    };
    assert_eq!(
        [
            tolerates(None),
            tolerates(Some(Effect::PreferNoSchedule)),
            tolerates(Some(Effect::NoSchedule))
        ],
        [1, 1, 2]
    );
}

/// Upstream's `TestPodTopologySpreadScore`, "one constraint on node, all 4 nodes are candidates",
/// pods spread as 2/1/0/3: the weight is ln(4 + 2) = 1.79. Rounded from 1.24: 4, 2, 0, 5, so (5 -
/// s) / 5: 20, 60, 100, 0. Truncated before: 3, 1, 0, 5, so 40, 80, 100, 0. In 1.18 a plain sum
/// against the total: (6 - s) / 6: 66, 83, 100, 50.
#[test]
fn spread_by_release() {
    let mut algorithm = Algorithm::new(choice("1.34"));
    let like = Rc::new(PodTemplate { labels: labels("foo=bar"), ..template(&[]) });
    for (i, pods) in [2, 1, 0, 3].into_iter().enumerate() {
        set_node(&mut algorithm, node(i as u32, "", ROOMY));
        for k in 0..pods {
            bind(&mut algorithm, pod(10 * i as u32 + k, &like), i as u32);
        }
    }
    let constraint = TopologySpreadConstraint {
        max_skew: 1,
        topology_key: "kubernetes.io/hostname".into(),
        hard: false,
        selector: Some(selector("foo")),
        min_domains: 1,
        honor_affinity: true,
        honor_taints: false,
        match_label_keys: Vec::new(),
    };
    let spec = SchedulingSpec { topology_spread: vec![constraint], ..SchedulingSpec::default() };
    let incoming = Rc::new(PodTemplate { scheduling: Some(Rc::new(spec)), ..(*like).clone() });
    let shape = algorithm.cache.shape(&incoming, "default");
    let nodes: Vec<NodeId> = (0..4).map(NodeId).collect();
    for (how, expected) in [
        (SpreadScore::Rounded, [20, 60, 100, 0]),
        (SpreadScore::Truncated, [40, 80, 100, 0]),
        (SpreadScore::PlainSum, [66, 83, 100, 50]),
    ] {
        let switches = Switches { spread_score: how, ..switches("1.34") };
        let raw = pod_topology_spread_score::score(
            &shape,
            &shape.soft_spread,
            true,
            (&nodes, None),
            &mut algorithm.cache,
            &switches,
        );
        let of_class = pod_topology_spread_score::normalize(&raw.of_class, how);
        let scores: Vec<i64> = raw.class_of.iter().map(|class| of_class[*class as usize]).collect();
        assert_eq!(scores, expected, "{how:?}");
    }
}

/// Nodes 2 and 3 of seven are the best. Up to 1.34 either may be chosen, and the default is the
/// first. From 1.35 on it is the one that comes first in a heap read from its root down, left
/// before right: 0, 1, 3, 4, 2, 5, 6 (the reference, §1.6).
#[test]
fn ties_by_release() {
    for (release, expected) in [("1.34", 2), ("1.35", 3)] {
        let mut algorithm = Algorithm::new(choice(release));
        for id in 0..7 {
            let cpu = if id == 2 || id == 3 { "16" } else { "4" };
            set_node(
                &mut algorithm,
                node(id, "", &[("cpu", cpu), ("memory", "16Gi"), ("pods", "110")]),
            );
        }
        let wants = Rc::new(template(&[("cpu", "1"), ("memory", "1Gi")]));
        assert_eq!(place(&mut algorithm, pod(1, &wants)), Ok(expected), "{release}");
    }
}

/// A zone whose only node is dead and tainted still counts for a spread unless it says otherwise,
/// so that a second pod fits nowhere (`nodeTaintsPolicy`, the reference, §1.3).
#[test]
fn a_dead_zone_counts_for_a_spread() {
    for (honor_taints, expected) in [
        (
            false,
            Err(
                "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) had untolerated taint(s).",
            ),
        ),
        (true, Ok(1)),
    ] {
        let constraint = TopologySpreadConstraint {
            max_skew: 1,
            topology_key: LABEL_ZONE.into(),
            hard: true,
            selector: Some(selector("app=web")),
            min_domains: 1,
            honor_affinity: true,
            honor_taints,
            match_label_keys: Vec::new(),
        };
        let scheduling = Some(Rc::new(SchedulingSpec {
            topology_spread: vec![constraint],
            ..SchedulingSpec::default()
        }));
        let web = Rc::new(PodTemplate { labels: labels("app=web"), scheduling, ..template(&[]) });
        let mut algorithm = Algorithm::new(choice("1.34"));
        set_node(&mut algorithm, node(1, "a", ROOMY));
        set_node(
            &mut algorithm,
            Node {
                taints: vec![Taint::new("node.kubernetes.io/unreachable", Effect::NoSchedule)],
                ..node(2, "b", ROOMY)
            },
        );
        bind(&mut algorithm, pod(1, &web), 1);
        assert_eq!(
            place(&mut algorithm, pod(2, &web)),
            expected.map_err(str::to_owned),
            "{honor_taints}"
        );
    }
}

/// The reference, §1.3: the first of each zone, then the second of each. A zone that was emptied
/// comes last when it returns.
#[test]
fn nodes_are_tried_zone_by_zone() {
    let mut cache = Cache::new(true, true);
    let put = |cache: &mut Cache, id, zone| cache.set_node(&Rc::new(node(id, zone, ROOMY)), "");
    for (id, zone) in [(1, "a"), (2, "a"), (3, "b"), (4, "a"), (5, "c"), (6, "b")] {
        put(&mut cache, id, zone);
    }
    let list = |cache: &Cache| cache.list().iter().map(|n| n.0).collect::<Vec<_>>();
    assert_eq!(list(&cache), [1, 3, 5, 2, 6, 4]);
    cache.remove_node(NodeId(5));
    put(&mut cache, 2, "b");
    put(&mut cache, 5, "c");
    assert_eq!(list(&cache), [1, 3, 5, 4, 6, 2]);
}

/// Upstream's `TestTaintTolerationFilter`: one of two taints tolerated is not enough. The texts are
/// those of recorded timelines.
#[test]
fn rejections_by_release() {
    for (release, expected) in [
        (
            "1.18",
            "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had taint {k: v}, that the pod didn't tolerate, 1 node(s) were unschedulable.",
        ),
        (
            "1.24",
            "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable.",
        ),
        (
            "1.34",
            "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.",
        ),
    ] {
        let mut algorithm = Algorithm::new(choice(release));
        let mut tainted = node(1, "a", ROOMY);
        tainted.taints = vec![
            Taint::new("known", Effect::NoSchedule),
            Taint { value: "v".into(), ..Taint::new("k", Effect::NoExecute) },
        ];
        set_node(&mut algorithm, tainted);
        set_node(&mut algorithm, Node { unschedulable: true, ..node(2, "a", ROOMY) });
        set_node(&mut algorithm, node(3, "a", &[("cpu", "1"), ("memory", "1Gi"), ("pods", "110")]));
        let known =
            Toleration { key: "known".into(), operator: Operator::Exists, ..Toleration::default() };
        let wants = Rc::new(PodTemplate { tolerations: vec![known], ..template(&[("cpu", "2")]) });
        assert_eq!(place(&mut algorithm, pod(1, &wants)), Err(expected.to_owned()), "{release}");
    }
}

/// The words are those of `predicates/error.go` of 1.11.10. CheckNodeCondition tells all that it has against a node,
/// and memory pressure is against BestEffort pods alone. From 1.12 on taints say all that, of which there are none here,
/// but that a node is cordoned.
#[test]
fn conditions_keep_pods_off_up_to_1_11() {
    use ConditionStatus::{False, True, Unknown};
    use NodeConditionType::{DiskPressure, MemoryPressure, NetworkUnavailable, PidPressure, Ready};
    let with = |id, kind, status| Node {
        conditions: vec![NodeCondition {
            kind,
            status,
            reason: NodeReason::None,
            last_heartbeat_time: Timestamp(0),
            last_transition_time: Timestamp(0),
        }],
        ..node(id, "a", ROOMY)
    };
    let cluster = |release| {
        let mut algorithm = Algorithm::new(choice(release));
        set_node(&mut algorithm, Node { unschedulable: true, ..with(1, Ready, Unknown) });
        for (id, kind) in [(2, NetworkUnavailable), (3, MemoryPressure), (4, DiskPressure)] {
            set_node(&mut algorithm, with(id, kind, True));
        }
        algorithm
    };
    let (free, modest) = (Rc::new(template(&[])), Rc::new(template(&[("cpu", "1")])));
    // The names of predicates are those of `algorithm/predicates/error.go` (S103).
    let names = "NodeNetworkUnavailable (1), NodeNotReady (1), NodeUnderDiskPressure (1), NodeUnderMemoryPressure (1), NodeUnschedulable (1).";
    let none = "No nodes are available that match all of the";
    for (release, refused) in [
        ("1.6", format!("{none} following predicates:: {names}")),
        ("1.7", format!("{none} following predicates:: {names}")),
        ("1.8", format!("{none} predicates: {names}")),
        (
            "1.9",
            "0/4 nodes are available: 1 NodeNetworkUnavailable, 1 NodeNotReady, 1 NodeUnderDiskPressure, \
             1 NodeUnderMemoryPressure, 1 NodeUnschedulable."
                .to_owned(),
        ),
        (
            "1.11",
            "0/4 nodes are available: 1 node(s) had disk pressure, 1 node(s) had memory pressure, \
             1 node(s) had unavailable network, 1 node(s) were not ready, 1 node(s) were unschedulable."
                .to_owned(),
        ),
    ] {
        let (mut algorithm, third) = (cluster(release), with(3, MemoryPressure, True));
        set_node(&mut algorithm, third.clone());
        assert_eq!(place(&mut algorithm, pod(1, &free)), Err(refused), "{release}");
        assert_eq!(place(&mut algorithm, pod(2, &modest)), Ok(3), "{release}");
        // What is remembered of a node goes with its conditions, though nothing else of it changes.
        let change = |to: Node| Node { conditions: to.conditions, ..third.clone() };
        set_node(&mut algorithm, change(with(3, MemoryPressure, False)));
        assert_eq!(place(&mut algorithm, pod(1, &free)), Ok(3), "{release}");
        set_node(&mut algorithm, change(with(3, Ready, False)));
        assert!(place(&mut algorithm, pod(2, &modest)).is_err(), "{release}");
    }
    assert!(place(&mut cluster("1.12"), pod(1, &free)).is_ok());
    // CheckNodePIDPressure came with 1.11.
    for (release, fits) in [("1.10", true), ("1.11", false), ("1.12", true)] {
        let mut algorithm = Algorithm::new(choice(release));
        set_node(&mut algorithm, with(1, PidPressure, True));
        assert_eq!(place(&mut algorithm, pod(1, &free)).is_ok(), fits, "{release}");
    }
}

/// A full node that is also tainted: up to 1.9 all predicates are asked (`podFitsOnNode`), up to 1.19 resources are looked at
/// before taints, later after them (§1.1).
#[test]
fn the_first_filter_gives_the_reason() {
    for (release, expected) in [
        ("1.9", "1 Insufficient cpu, 1 PodToleratesNodeTaints."),
        ("1.10", "1 Insufficient cpu."),
        ("1.19", "1 Insufficient cpu."),
        ("1.20", "1 node(s) had taint {k: }, that the pod didn't tolerate."),
    ] {
        let mut algorithm = Algorithm::new(choice(release));
        let taints = vec![Taint::new("k", Effect::NoSchedule)];
        set_node(&mut algorithm, Node { taints, ..node(1, "a", &[("cpu", "1"), ("pods", "110")]) });
        let refused = place(&mut algorithm, pod(1, &Rc::new(template(&[("cpu", "2")]))));
        assert_eq!(refused, Err(format!("0/1 nodes are available: {expected}")), "{release}");
    }
}

/// What other pods are asked about comes beside what the node lacks, up to 1.9 (`InterPodAffinityMatches`), and one more pod than a
/// node takes has a name of its own from 1.18 on (`noderesources/fit.go`).
#[test]
fn all_predicates_are_told_up_to_1_9() {
    for (release, expected) in [
        ("1.9", "1 Insufficient pods, 1 MatchInterPodAffinity, 1 PodAffinityRulesNotMatch."),
        ("1.10", "1 Insufficient pods."),
        ("1.17", "1 Insufficient pods."),
        ("1.18", "1 Too many pods."),
    ] {
        let mut algorithm = Algorithm::new(choice(release));
        set_node(&mut algorithm, node(1, "a", &[("cpu", "1"), ("pods", "0")]));
        let pod_affinity = anti_affinity().pod_anti_affinity;
        let scheduling =
            Some(Rc::new(SchedulingSpec { pod_affinity, ..SchedulingSpec::default() }));
        let lonely = Rc::new(PodTemplate { scheduling, ..template(&[]) });
        let refused = place(&mut algorithm, pod(1, &lonely));
        assert_eq!(refused, Err(format!("0/1 nodes are available: {expected}")), "{release}");
    }
}

/// `GeneralPredicates` of `pkg/scheduler/algorithm/predicates/predicates.go`, 1.11.10 and 1.16.15: `PodFitsResources`, then
/// `PodFitsHost`, `PodFitsHostPorts` and `PodMatchNodeSelector`, whose reasons are put together; taints come later and are
/// not asked of a node that it rejects. In 1.17.17 (`framework/plugins/default_registry.go`) they are plugins in that order, and
/// `RunFilterPlugins` ends with the first.
#[test]
fn general_predicates_say_all_up_to_1_16() {
    for (release, expected) in [
        ("1.11", "2 node(s) didn't match node selector, 3 Insufficient cpu."),
        ("1.16", "2 node(s) didn't match node selector, 3 Insufficient cpu."),
        ("1.17", "1 node(s) didn't match node selector, 3 Insufficient cpu."),
        ("1.19", "1 node(s) didn't match node selector, 3 Insufficient cpu."),
    ] {
        let mut algorithm = Algorithm::new(choice(release));
        let small = [("cpu", "1"), ("pods", "110")];
        let taints = vec![Taint::new("t", Effect::NoSchedule)];
        let with = |k: &str, of: Node| Node { labels: labels(k).into(), ..of };
        set_node(&mut algorithm, with("k=v", node(1, "a", &small)));
        set_node(&mut algorithm, Node { taints, ..with("k=v", node(2, "a", &small)) });
        set_node(&mut algorithm, with("k=w", node(3, "a", &small)));
        set_node(&mut algorithm, with("k=w", node(4, "a", ROOMY)));
        let wants = PodTemplate { node_selector: labels("k=v"), ..template(&[("cpu", "2")]) };
        let refused = place(&mut algorithm, pod(1, &Rc::new(wants)));
        assert_eq!(refused, Err(format!("0/4 nodes are available: {expected}")), "{release}");
    }
}

fn anti_affinity() -> SchedulingSpec {
    let term = PodAffinityTerm {
        selector: Some(selector("app=db")),
        namespaces: Vec::new(),
        all_namespaces: false,
        topology_key: LABEL_ZONE.into(),
    };
    SchedulingSpec {
        pod_anti_affinity: PodAffinity { required: vec![term], preferred: Vec::new() },
        ..SchedulingSpec::default()
    }
}

/// §0: a terminating pod keeps its anti-affinity; and required anti-affinity of pods that are there
/// binds newcomers that have none.
#[test]
fn terminating_pods_keep_others_away() {
    let mut algorithm = Algorithm::new(choice("1.34"));
    set_node(&mut algorithm, node(1, "a", ROOMY));
    set_node(&mut algorithm, node(2, "b", ROOMY));
    let db = Rc::new(PodTemplate {
        labels: labels("app=db"),
        scheduling: Some(Rc::new(anti_affinity())),
        ..template(&[])
    });
    let going = Pod {
        deletion: Some(Deletion { timestamp: Timestamp(30), grace_period_seconds: 30 }),
        ..pod(1, &db)
    };
    bind(&mut algorithm, going, 1);
    assert_eq!(place(&mut algorithm, pod(2, &db)), Ok(2));
    bind(&mut algorithm, pod(2, &db), 2);
    let plain = Rc::new(PodTemplate { labels: labels("app=db"), ..template(&[]) });
    assert_eq!(
        place(&mut algorithm, pod(3, &plain)),
        Err("0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules."
            .to_owned())
    );
    assert_eq!(
        place(&mut algorithm, pod(3, &db)),
        Err("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.".to_owned())
    );
}

fn of_priority(priority: i32, requests: &[(&str, &str)]) -> Rc<PodTemplate> {
    Rc::new(PodTemplate { priority: Some(priority), labels: labels("app=x"), ..template(requests) })
}

/// What preemption finds for a pod that fits nowhere: node and victims, or why not.
fn attempt(
    algorithm: &mut Algorithm,
    pod: &Rc<Pod>,
    budgets: &[Rc<Budget>],
) -> Result<(u32, Vec<u32>), String> {
    let nominator = Nominator::default();
    let Outcome::Unfit(diagnosis) = schedule(algorithm, pod, None, &nominator) else {
        panic!("it fits")
    };
    let shape = algorithm.cache.shape(&pod.template, "default");
    let evaluator = Evaluator {
        algorithm,
        of: Incoming { pod, shape: &shape, owners: None, volumes: None, devices: None },
        diagnosis: &diagnosis,
        nominator: &nominator,
        budgets,
        now: Timestamp(100),
    };
    match evaluator.preempt(&mut |_| 0) {
        Attempt::Found(c) => Ok((c.node.0, c.victims.iter().map(|p| p.pod.id.0).collect())),
        Attempt::Hopeless(why) | Attempt::NoVictims(why) => Err(why),
        Attempt::NotEligible(why) => Err(why.to_owned()),
    }
}

/// Upstream's `TestDryRunPreemption`: "pod with the medium priority is evicted, the low one that is
/// small may stay". 4 CPU: low 1, medium 3; the newcomer wants 3, so without both it fits, with the
/// low one too, so only the medium one has to go.
#[test]
fn small_victims_are_reprieved() {
    let mut algorithm = Algorithm::new(choice("1.34"));
    set_node(&mut algorithm, node(1, "a", ROOMY));
    bind(&mut algorithm, pod(1, &of_priority(0, &[("cpu", "1")])), 1);
    bind(&mut algorithm, pod(2, &of_priority(100, &[("cpu", "3")])), 1);
    let high = Rc::new(pod(3, &of_priority(1000, &[("cpu", "3")])));
    assert_eq!(attempt(&mut algorithm, &high, &[]), Ok((1, vec![2])));
    // Nothing is gained where everybody is as important; upstream's `TestPostFilter` has the text.
    let equal = Rc::new(pod(4, &of_priority(0, &[("cpu", "1")])));
    assert_eq!(
        attempt(&mut algorithm, &equal, &[]),
        Err("0/1 nodes are available: 1 No preemption victims found for incoming pod.".to_owned())
    );
}

/// Upstream's `TestPostFilter`, "mixed reasons", on three nodes: on one there is too little even
/// without victims, on two there are none. (Since 1.34 a request that exceeds the node is beyond
/// help, so the first node is merely full of equals.)
#[test]
fn preemption_tells_why_it_does_not_help() {
    let mut algorithm = Algorithm::new(choice("1.33"));
    for i in 1..=3 {
        set_node(&mut algorithm, node(i, "a", &[("cpu", "2"), ("pods", "9")]));
    }
    bind(&mut algorithm, pod(1, &of_priority(0, &[("cpu", "1")])), 1);
    bind(&mut algorithm, pod(2, &of_priority(9, &[("cpu", "2")])), 1);
    bind(&mut algorithm, pod(3, &of_priority(9, &[("cpu", "2")])), 2);
    bind(&mut algorithm, pod(4, &of_priority(9, &[("cpu", "2")])), 3);
    let middle = Rc::new(pod(5, &of_priority(5, &[("cpu", "1")])));
    assert_eq!(
        attempt(&mut algorithm, &middle, &[]),
        Err("0/3 nodes are available: 1 Insufficient cpu, 2 No preemption victims found for incoming pod.".to_owned())
    );
}

/// Upstream's `TestSelectBestCandidate`: lowest highest priority first, then fewest victims, then
/// the victim that started last.
#[test]
fn the_cheapest_node_is_chosen() {
    let full = |victims: &[(u32, u32, i32, i64)]| {
        let mut algorithm = Algorithm::new(choice("1.34"));
        set_node(&mut algorithm, node(1, "a", ROOMY));
        set_node(&mut algorithm, node(2, "a", ROOMY));
        let cpu = |on: u32| {
            if victims.iter().filter(|v| v.1 == on).count() == 1 { "4" } else { "2" }
        };
        for (id, on, priority, started) in victims {
            let start_time = Some(Timestamp(*started));
            bind(
                &mut algorithm,
                Pod { start_time, ..pod(*id, &of_priority(*priority, &[("cpu", cpu(*on))])) },
                *on,
            );
        }
        attempt(&mut algorithm, &Rc::new(pod(9, &of_priority(1000, &[("cpu", "4")]))), &[])
    };
    assert_eq!(full(&[(1, 1, 100, 0), (2, 2, 10, 0)]), Ok((2, vec![2])));
    assert_eq!(full(&[(1, 1, 10, 0), (2, 1, 10, 0), (3, 2, 10, 0)]), Ok((2, vec![3])));
    assert_eq!(full(&[(1, 1, 10, 5), (2, 2, 10, 50)]), Ok((2, vec![2])));
}

/// A budget that allows no disruption of pods with such labels.
fn guarding(pods: &str) -> Rc<Budget> {
    Rc::new(Budget {
        id: WorkloadId(0),
        uid: Uid(0),
        resource_version: 0,
        generation: 1,
        namespace: "default".into(),
        selector: Rc::new(selector(pods)),
        rule: BudgetRule::MinAvailable(IntOrPercent::Int(1)),
        always_allow_unhealthy: false,
        status: BudgetStatus::default(),
    })
}

/// Upstream's `TestPDBInPreemption`: a pod of higher priority is chosen where the lower one is
/// protected by a budget.
#[test]
fn budgets_are_preferred_to_priorities() {
    let mut algorithm = Algorithm::new(choice("1.34"));
    set_node(&mut algorithm, node(1, "a", ROOMY));
    set_node(&mut algorithm, node(2, "a", ROOMY));
    let guarded = Rc::new(PodTemplate {
        labels: labels("app=guarded"),
        ..(*of_priority(0, &[("cpu", "4")])).clone()
    });
    bind(&mut algorithm, pod(1, &guarded), 1);
    bind(&mut algorithm, pod(2, &of_priority(100, &[("cpu", "4")])), 2);
    let high = Rc::new(pod(3, &of_priority(1000, &[("cpu", "4")])));
    assert_eq!(attempt(&mut algorithm, &high, &[guarding("app=guarded")]), Ok((2, vec![2])));
    assert_eq!(attempt(&mut algorithm, &high, &[]), Ok((1, vec![1])));
}

/// `cache.go: updatePod` takes a pod away, so that the last of its node's list takes its place, and
/// adds it again: when 1 of [1, 2, 3, 4] changes, the list is [4, 2, 3, 1]. Of equally important
/// pods the first in the list are reprieved first, and the last has to go.
#[test]
fn of_equals_the_one_that_changed_last_has_to_go() {
    let victim = |release: &str, changed: &[u32], assumed: bool| {
        let mut algorithm = Algorithm::new(choice(release));
        set_node(&mut algorithm, node(1, "a", ROOMY));
        let small = of_priority(0, &[("cpu", "1")]);
        for i in 1..=4 {
            if assumed {
                let shape = algorithm.cache.shape(&small, "default");
                algorithm.cache.assume(&Rc::new(pod(i, &small)), &shape, NodeId(1));
            } else {
                bind(&mut algorithm, pod(i, &small), 1);
            }
        }
        changed.iter().for_each(|i| bind(&mut algorithm, pod(*i, &small), 1));
        attempt(&mut algorithm, &Rc::new(pod(9, &of_priority(100, &[("cpu", "1")]))), &[])
    };
    assert_eq!(victim("1.34", &[], false), Ok((1, vec![4])));
    assert_eq!(victim("1.34", &[1], false), Ok((1, vec![1])));
    assert_eq!(victim("1.20", &[1, 2], false), Ok((1, vec![2])));
    // That a binding is seen counts as a change from 1.26 on (`AddPod`).
    assert_eq!(victim("1.26", &[2], true), Ok((1, vec![2])));
    assert_eq!(victim("1.25", &[2], true), Ok((1, vec![4])));
    assert_eq!(victim("1.25", &[2, 2], true), Ok((1, vec![2])));
}

/// Two nodes, on each a pod that a budget protects and one of higher priority, and both have to go:
/// up to 1.31.2 the protected one is first, and its priority stands for the highest of the node;
/// from 1.31.3 victims are sorted once more (`SelectVictimsOnNode`).
#[test]
fn victims_are_sorted_at_the_end_from_1_31_3() {
    let found = |release: &str| {
        let mut algorithm = Algorithm::new(choice(release));
        let half = |priority| of_priority(priority, &[("cpu", "2")]);
        for (on, guarded, free) in [(1, 0, 100), (2, 10, 50)] {
            set_node(&mut algorithm, node(on, "a", ROOMY));
            let guarded =
                Rc::new(PodTemplate { labels: labels("app=guarded"), ..(*half(guarded)).clone() });
            bind(&mut algorithm, pod(2 * on, &guarded), on);
            bind(&mut algorithm, pod(2 * on + 1, &half(free)), on);
        }
        let high = Rc::new(pod(9, &of_priority(1000, &[("cpu", "4")])));
        attempt(&mut algorithm, &high, &[guarding("app=guarded")])
    };
    assert_eq!(found("1.31.2"), Ok((1, vec![2, 3])), "0 is less than 10");
    assert_eq!(found("1.31.3"), Ok((2, vec![5, 4])), "50 is less than 100");
}

/// Upstream's `TestNonPreemption` and `TestPodEligibleToPreemptOthers`: from 1.27 only victims of
/// the scheduler itself that still terminate keep a pod from preempting more.
#[test]
fn who_may_preempt() {
    let never = SchedulingSpec { never_preempts: true, ..SchedulingSpec::default() };
    let asks = |release: &str, own: Option<SchedulingSpec>, reason: PodReason| {
        let mut algorithm = Algorithm::new(choice(release));
        set_node(&mut algorithm, node(1, "a", ROOMY));
        let mark = PodCondition {
            status: ConditionStatus::True,
            reason,
            last_transition_time: Timestamp(0),
        };
        let going = Pod {
            deletion: Some(Deletion { timestamp: Timestamp(30), grace_period_seconds: 30 }),
            disruption_target: Some(mark),
            ..pod(1, &of_priority(0, &[("cpu", "4")]))
        };
        bind(&mut algorithm, going, 1);
        let nominated = Unscheduled { nominated: Some(NodeId(1)), ..Unscheduled::default() };
        let template = PodTemplate {
            scheduling: own.map(Rc::new),
            ..(*of_priority(1000, &[("cpu", "4")])).clone()
        };
        attempt(
            &mut algorithm,
            &Rc::new(Pod { unscheduled: Some(Rc::new(nominated)), ..pod(2, &Rc::new(template)) }),
            &[],
        )
    };
    let waits = Err("not eligible due to a terminating pod on the nominated node.".to_owned());
    assert_eq!(
        asks("1.34", Some(never), PodReason::None),
        Err("not eligible due to preemptionPolicy=Never.".to_owned())
    );
    assert_eq!(asks("1.34", None, PodReason::PreemptionByScheduler), waits);
    assert_eq!(asks("1.34", None, PodReason::DeletionByTaintManager), Ok((1, vec![1])));
    assert_eq!(asks("1.26", None, PodReason::DeletionByTaintManager), waits);
}

/// Upstream's `TestPreemptionStarvation` and `TestPreferNominatedNode`: room that victims leave is
/// the nominated pod's, not that of one of lower priority; and the nominated node is taken though
/// another is emptier.
#[test]
fn nominated_pods_come_first() {
    let mut algorithm = Algorithm::new(choice("1.34"));
    set_node(&mut algorithm, node(1, "a", ROOMY));
    let high = Rc::new(pod(1, &of_priority(1000, &[("cpu", "3")])));
    let mut nominator = Nominator::default();
    let shape = algorithm.cache.shape(&high.template, "default");
    nominator.add((high.clone(), shape), NodeId(1));
    let low = Rc::new(pod(2, &of_priority(0, &[("cpu", "2")])));
    assert!(matches!(schedule(&mut algorithm, &low, None, &nominator), Outcome::Unfit(_)));
    let highest = Rc::new(pod(3, &of_priority(2000, &[("cpu", "2")])));
    assert!(matches!(
        schedule(&mut algorithm, &highest, None, &nominator),
        Outcome::Fits(NodeId(1))
    ));
    set_node(&mut algorithm, node(2, "a", ROOMY));
    bind(&mut algorithm, pod(4, &of_priority(0, &[("cpu", "1")])), 1);
    let nominated = Unscheduled { nominated: Some(NodeId(1)), ..Unscheduled::default() };
    let high = Rc::new(Pod { unscheduled: Some(Rc::new(nominated)), ..(*high).clone() });
    assert!(matches!(
        schedule(&mut algorithm, &high, None, &Nominator::default()),
        Outcome::Fits(NodeId(1))
    ));
}
