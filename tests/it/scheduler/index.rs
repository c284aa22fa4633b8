//! What the scheduler keeps up to date gives the same result as working everything out anew for
//! each pod.

#[path = "../../../benches/workloads/placement.rs"]
mod placement;

use super::{anti_affinity, bind, choice, labels, node, pod, selector, set_node, template};
use std::rc::Rc;
use taintsim::api::meta::Timestamp;
use taintsim::api::names::NodeId;
use taintsim::api::node::LABEL_ZONE;
use taintsim::api::pod::{Deletion, Pod, PodTemplate};
use taintsim::api::scheduling::{
    NodeNameRequirement, NodeSelectorTerm, SchedulingSpec, TopologySpreadConstraint,
};
use taintsim::api::taint::{Effect, Taint};
use taintsim::api::toleration::{Operator, Toleration};
use taintsim::controllers::scheduler::algorithm::{Algorithm, Choice, Incoming, Outcome, Tied};
use taintsim::controllers::scheduler::nominator::Nominator;

#[derive(Clone, Debug)]
enum Step {
    Node { id: u32, zone: u8, cpu: u8, taint: u8, cordon: bool },
    NodeGone(u32),
    Place { kind: usize },
    PodGone(usize),
    Terminate(usize),
}

fn steps() -> impl proptest::strategy::Strategy<Value = Vec<Step>> {
    use proptest::prelude::*;
    let node = (0..8_u32, 0..3_u8, 1..5_u8, 0..4_u8, proptest::bool::weighted(0.1));
    let step = prop_oneof![
        2 => node.prop_map(|(id, zone, cpu, taint, cordon)| Step::Node { id, zone, cpu, taint, cordon }),
        1 => (0..8_u32).prop_map(Step::NodeGone),
        8 => (0..9_usize).prop_map(|kind| Step::Place { kind }),
        2 => (0..64_usize).prop_map(Step::PodGone),
        1 => (0..64_usize).prop_map(Step::Terminate),
    ];
    proptest::collection::vec(step, 1..80)
}

/// Kinds of pods that between them use every plugin.
fn kinds() -> Vec<Rc<PodTemplate>> {
    let spread = |hard, key: &str| TopologySpreadConstraint {
        max_skew: 1,
        topology_key: key.into(),
        hard,
        selector: Some(selector("app=web")),
        min_domains: 1,
        honor_affinity: true,
        honor_taints: false,
        match_label_keys: Vec::new(),
    };
    let web = |spec: SchedulingSpec| PodTemplate {
        labels: labels("app=web"),
        scheduling: Some(Rc::new(spec)),
        ..template(&[("cpu", "500m"), ("memory", "1Gi")])
    };
    let zone = LABEL_ZONE;
    let tolerant =
        Toleration { key: "k1".into(), operator: Operator::Exists, ..Toleration::default() };
    let named = |names: &[&str]| {
        let name = |name: &&str| NodeSelectorTerm {
            match_fields: vec![NodeNameRequirement { name: (*name).to_owned(), is: true }],
            ..NodeSelectorTerm::default()
        };
        let scheduling = SchedulingSpec {
            required_nodes: Some(names.iter().map(name).collect()),
            ..SchedulingSpec::default()
        };
        PodTemplate { scheduling: Some(Rc::new(scheduling)), ..template(&[("cpu", "100m")]) }
    };
    let all = [
        PodTemplate {
            labels: labels("app=web"),
            ..template(&[("cpu", "500m"), ("memory", "1Gi")])
        },
        PodTemplate { tolerations: vec![tolerant], ..template(&[("cpu", "300m")]) },
        web(SchedulingSpec {
            topology_spread: vec![spread(true, zone)],
            ..SchedulingSpec::default()
        }),
        web(SchedulingSpec {
            topology_spread: vec![spread(false, zone), spread(false, "kubernetes.io/hostname")],
            ..SchedulingSpec::default()
        }),
        PodTemplate {
            labels: labels("app=db"),
            scheduling: Some(Rc::new(anti_affinity())),
            ..template(&[])
        },
        PodTemplate {
            node_selector: labels(&format!("{zone}=b")),
            labels: labels("app=web"),
            ..template(&[("cpu", "1")])
        },
        named(&["n1"]),
        named(&["n5", "n2", "n100"]),
        named(&["n0", "n1", "n2", "n3", "n4", "n5"]),
    ];
    all.into_iter().map(Rc::new).collect()
}

fn play(release: &str, percentage: u32, indexed: bool, steps: &[Step]) -> Vec<String> {
    let mut algorithm = Algorithm::new(Choice {
        indexed,
        percentage_of_nodes_to_score: percentage,
        ..choice(release)
    });
    let (kinds, owners) = (kinds(), Rc::new(selector("app=web")));
    let (mut placed, mut log, mut seed) = (Vec::<(Pod, u32)>::new(), Vec::new(), 7_u32);
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Node { id, zone, cpu, taint, cordon } => {
                let zone = ["a", "b", ""][usize::from(*zone)];
                let mut new = node(
                    *id,
                    zone,
                    &[("cpu", &cpu.to_string()), ("memory", "8Gi"), ("pods", "12")],
                );
                new.unschedulable = *cordon;
                new.taints = match taint {
                    1 => vec![Taint::new("k1", Effect::PreferNoSchedule)],
                    2 => vec![
                        Taint::new("k1", Effect::NoSchedule),
                        Taint::new("k2", Effect::PreferNoSchedule),
                    ],
                    _ => Vec::new(),
                };
                set_node(&mut algorithm, new);
            }
            Step::NodeGone(id) => algorithm.cache.remove_node(NodeId(*id)),
            Step::Place { kind } => {
                let new = pod(i as u32, &kinds[*kind]);
                let shape = algorithm.cache.shape(&new.template, "default");
                let (waiting, owners) = (Rc::new(new.clone()), (*kind == 0).then_some(&owners));
                let of =
                    Incoming { pod: &waiting, shape: &shape, owners, volumes: None, devices: None };
                let mut pick = |tied: Tied| {
                    seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
                    match tied {
                        Tied::ByLot(ties) | Tied::InHeap(ties) => seed % ties,
                        Tied::Overtaken(nodes, _) => seed % nodes.min(3),
                    }
                };
                let outcome = algorithm.schedule_pod(of, &Nominator::default(), &mut pick);
                log.push(match &outcome {
                    Outcome::Fits(node) => format!("{kind} on {}", node.0),
                    Outcome::NoNodes => "no nodes".to_owned(),
                    Outcome::Unfit(d) => {
                        d.text("", &algorithm.rejections, &algorithm.choice.switches)
                    }
                });
                if let Outcome::Fits(node) = outcome {
                    algorithm.cache.assume(&waiting, &shape, node);
                    placed.push((new, node.0));
                }
            }
            Step::PodGone(n) if !placed.is_empty() => {
                let (gone, _) = placed.swap_remove(n % placed.len());
                algorithm.cache.remove_pod(gone.id);
            }
            Step::Terminate(n) if !placed.is_empty() => {
                let n = n % placed.len();
                placed[n].0.deletion =
                    Some(Deletion { timestamp: Timestamp(30), grace_period_seconds: 30 });
                bind(&mut algorithm, placed[n].0.clone(), placed[n].1);
            }
            _ => {}
        }
    }
    log
}

proptest::proptest! {
    /// What is kept up to date gives the same nodes and the same reasons as working everything out
    /// anew for each pod.
    #[test]
    fn the_index_changes_nothing(steps in steps(), release in proptest::sample::select(vec!["1.18", "1.19", "1.22", "1.34", "1.36"])) {
        proptest::prop_assert_eq!(play(release, 0, true, &steps), play(release, 0, false, &steps));
    }
}

/// The same in a cluster that is searched only in part: 120 nodes, of which the first 100 that will
/// do are enough.
#[test]
fn the_index_changes_nothing_in_large_clusters() {
    let mut all: Vec<Step> = (0..120)
        .map(|id| Step::Node {
            id,
            zone: (id % 3) as u8,
            cpu: 1 + (id % 4) as u8,
            taint: (id % 5) as u8,
            cordon: id % 11 == 0,
        })
        .collect();
    all.extend((0..700).map(|i| match i % 9 {
        7 => Step::PodGone(i * 13),
        8 => Step::Terminate(i * 5),
        k => Step::Place { kind: if i % 4 == 0 { 6 + k % 3 } else { k % 6 } },
    }));
    for release in ["1.24", "1.35"] {
        assert_eq!(play(release, 50, true, &all), play(release, 50, false, &all), "{release}");
    }
}

/// The bench's placements, at a size at which the search ends early.
#[test]
fn the_bench_places_pods_as_the_plain_scan_does() {
    assert_eq!(placement::place(300, 2_000, true), placement::place(300, 2_000, false));
}
