//! Placing pods of ReplicaSets on empty nodes: the scheduler's search and scores alone.

use std::rc::Rc;
use taintsim::api::labels::{Labels, Selector};
use taintsim::api::meta::{Timestamp, Uid};
use taintsim::api::names::{NodeId, PodId};
use taintsim::api::node::{LABEL_HOSTNAME, LABEL_ZONE, Node};
use taintsim::api::pod::{Pod, PodPhase, PodTemplate};
use taintsim::api::quantity::{Quantity, Resources};
use taintsim::controllers::scheduler::algorithm::{Algorithm, Choice, Incoming, Outcome};
use taintsim::controllers::scheduler::nominator::Nominator;
use taintsim::plan::Strategy;
use taintsim::profiles::profile;

/// Pods of one ReplicaSet.
const REPLICAS: usize = 100;

fn amounts(of: &[(&str, i64)]) -> Resources {
    of.iter().map(|(name, n)| ((*name).to_owned(), Quantity::from_milli(*n * 1000))).collect()
}

fn node(id: u32) -> Node {
    let zone = ["a", "b", "c"][id as usize % 3];
    let labels: Labels =
        [(LABEL_HOSTNAME.to_owned(), format!("n{id}")), (LABEL_ZONE.to_owned(), zone.to_owned())]
            .into();
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
        allocatable: Rc::new(amounts(&[("cpu", 32), ("memory", 128 << 30), ("pods", 110)])),
        images: None,
        volumes: None,
        readiness: None,
    }
}

fn pod(id: u32, template: &Rc<PodTemplate>) -> Rc<Pod> {
    Rc::new(Pod {
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
    })
}

/// Places so many pods by the default plugins of 1.34, the first of several equal nodes each time;
/// a checksum of where they went.
pub(crate) fn place(nodes: u32, pods: usize, indexed: bool) -> u64 {
    let switches = profile("1.34").expect("a release that is in the table").scheduler;
    let choice = Choice {
        switches,
        percentage_of_nodes_to_score: 0,
        strategy: Strategy::LeastAllocated,
        indexed,
    };
    let mut algorithm = Algorithm::new(choice);
    for id in 0..nodes {
        algorithm.cache.set_node(&Rc::new(node(id)), &format!("n{id}"));
    }
    let (nominator, mut checksum) = (Nominator::default(), 0_u64);
    for first in (0..pods).step_by(REPLICAS) {
        let name = format!("web-{}", first / REPLICAS);
        let selector = Rc::new(Selector::parse(&format!("app={name}")).expect("a selector"));
        let labels = [("app".to_owned(), name)].into();
        let template = Rc::new(PodTemplate {
            labels,
            requests: amounts(&[("cpu", 1), ("memory", 2 << 30)]),
            ..PodTemplate::default()
        });
        let shape = algorithm.cache.shape(&template, "default");
        for id in first..pods.min(first + REPLICAS) {
            let pod = pod(id as u32, &template);
            let of = Incoming {
                pod: &pod,
                shape: &shape,
                owners: Some(&selector),
                volumes: None,
                devices: None,
            };
            let Outcome::Fits(on) = algorithm.schedule_pod(of, &nominator, &mut |_| 0) else {
                panic!("there is room")
            };
            algorithm.cache.assume(&pod, &shape, on);
            checksum = checksum.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(on.0);
        }
    }
    checksum
}
