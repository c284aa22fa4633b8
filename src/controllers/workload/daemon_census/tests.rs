//! The census held against counting anew.

use super::*;
use crate::api::meta::{ConditionStatus, OwnerReference, Timestamp};
use crate::api::names::WorkloadId;
use crate::api::pod::{Deletion, PodCondition, PodReason};
use std::collections::BTreeMap;

const LIFE: Uid = Uid(7);
const SWITCHES: DaemonSetSwitches = DaemonSetSwitches {
    scheduled: true,
    backs_off: true,
    status_after_error: true,
    replaces_succeeded: true,
    ended_pods_make_room: true,
    node_queue: true,
    waits_for_own_writes: false,
    comparison_operators: false,
};

fn pod(
    id: u32,
    (node, phase, ready, terminating, life): (Option<u32>, PodPhase, bool, bool, u64),
) -> Rc<Pod> {
    let owner = OwnerReference {
        kind: "DaemonSet".to_owned(),
        name: "agent".to_owned(),
        object: Some((WorkloadId(0), Uid(life))),
    };
    let condition = PodCondition {
        status: ConditionStatus::True,
        reason: PodReason::None,
        last_transition_time: Timestamp(i64::from(id)),
    };
    Rc::new(Pod {
        id: PodId(id),
        uid: Uid(u64::from(id)),
        resource_version: 0,
        record: 0,
        template: Rc::new(PodTemplate { owner: Some(owner), ..PodTemplate::default() }),
        creation_timestamp: Timestamp(i64::from(id % 3)),
        start_time: None,
        job_finalizer: false,
        stuck: None,
        has_claims: false,
        unscheduled: None,
        node: node.map(NodeId),
        deletion: terminating
            .then_some(Deletion { timestamp: Timestamp(0), grace_period_seconds: 0 }),
        phase,
        evicted: false,
        restarts: Default::default(),
        ready: ready.then_some(condition),
        disruption_target: None,
    })
}

/// Pods that are not on a node are pinned to one, by number here.
fn node_of(pod: &Pod) -> Option<NodeId> {
    pod.node.or(Some(NodeId(pod.id.0 % 5)))
}

/// What a sync reads of a census.
type Read = (Numbers, Vec<(NodeId, ShouldRun, Vec<PodId>)>, Vec<Vec<PodId>>);

fn read(census: &mut DaemonCensus, pods: &BTreeMap<u32, Rc<Pod>>, now: i64) -> Read {
    let here = |ids: &[PodId]| ids.iter().map(|id| pods[&id.0].clone()).collect();
    census.take_pods(|_| None, here, |p| p.ready.is_some_and(|c| c.last_transition_time.0 <= now));
    let wanting =
        census.wanting().map(|(node, should, ids)| (node, should, ids.to_vec())).collect();
    (census.numbers(), wanting, census.stranded().map(<[PodId]>::to_vec).collect())
}

fn workload() -> Workload {
    use crate::api::workload::{Lasting, WorkloadKind, WorkloadSpec, WorkloadStatus};
    let lasting = Lasting {
        id: WorkloadId(0),
        kind: WorkloadKind::DaemonSet,
        uid: LIFE,
        creation_timestamp: Timestamp(0),
        deletion: None,
        owner: None,
        selector: Rc::default(),
        template: Rc::default(),
        pinned: None,
        min_ready_seconds: 10,
        spec: WorkloadSpec::DaemonSet,
    };
    Workload {
        resource_version: 0,
        generation: 1,
        record: 0,
        status: WorkloadStatus::default(),
        lasting: Rc::new(lasting),
    }
}

#[derive(Clone, Debug)]
enum Step {
    Node(u32, Option<(bool, bool)>),
    Pod(u32, Option<(Option<u32>, PodPhase, bool, bool, u64)>),
    Sync,
}

fn steps() -> impl proptest::strategy::Strategy<Value = Vec<Step>> {
    use proptest::prelude::*;
    let phase = proptest::sample::select(vec![
        PodPhase::Pending,
        PodPhase::Running,
        PodPhase::Failed,
        PodPhase::Succeeded,
    ]);
    let state = (proptest::option::of(0..6_u32), phase, any::<bool>(), any::<bool>(), 6..8_u64);
    let step = prop_oneof![
        2 => (0..6_u32, proptest::option::weighted(0.8, any::<(bool, bool)>())).prop_map(|(n, s)| Step::Node(n, s)),
        6 => (0..12_u32, proptest::option::weighted(0.8, state)).prop_map(|(p, s)| Step::Pod(p, s)),
        3 => Just(Step::Sync),
    ];
    proptest::collection::vec(step, 1..60)
}

proptest::proptest! {
    /// What is kept up to date says the same as what is worked out anew, and nodes change only
    /// when a sync begins.
    #[test]
    fn as_counted_anew(steps in steps()) {
        let ds = workload();
        let (mut kept, mut nodes, mut pods) = (DaemonCensus::new(LIFE, SWITCHES), BTreeMap::new(), BTreeMap::new());
        for (now, step) in steps.into_iter().enumerate() {
            match step {
                Step::Node(node, state) => {
                    kept.node_changed(NodeId(node));
                    match state {
                        // Where a pod may not stay none is made.
                        Some((run, stay)) => nodes.insert(node, ShouldRun { want: run && stay, run: run && stay, stay }),
                        None => nodes.remove(&node),
                    };
                }
                Step::Pod(id, state) => {
                    let new = state.map(|state| pod(id, state));
                    let old = match &new {
                        Some(new) => pods.insert(id, new.clone()),
                        None => pods.remove(&id),
                    };
                    kept.pod_changed(old.as_deref(), new.as_deref(), node_of);
                }
                Step::Sync => {
                    let all = || nodes.keys().map(|n| NodeId(*n)).collect::<Vec<_>>();
                    let should = |n: NodeId| nodes.get(&n.0).copied();
                    let mut anew = DaemonCensus::new(LIFE, SWITCHES);
                    for pod in pods.values() {
                        anew.pod_changed(None, Some(pod), node_of);
                    }
                    for census in [&mut kept, &mut anew] {
                        census.take_nodes(&ds, all, should);
                    }
                    proptest::prop_assert_eq!(read(&mut kept, &pods, now as i64 / 5), read(&mut anew, &pods, now as i64 / 5));
                }
            }
        }
    }
}

/// Three nodes of which the third takes no pod: one lacks a pod, one has a ready one, and the
/// third has one too many. After a while the ready one is available.
#[test]
fn three_nodes() {
    let mut census = DaemonCensus::new(LIFE, SWITCHES);
    let ready = |id, node| pod(id, (Some(node), PodPhase::Running, true, false, LIFE.0));
    let pods = BTreeMap::from([(4, ready(4, 1)), (5, ready(5, 2))]);
    for pod in pods.values() {
        census.pod_changed(None, Some(pod), node_of);
    }
    let should = |n: NodeId| Some(ShouldRun { want: n.0 < 2, run: n.0 < 2, stay: n.0 < 2 });
    census.take_nodes(&workload(), || (0..3).map(NodeId).collect(), should);
    let numbers = Numbers { desired: 2, misscheduled: 1, scheduled: 1, ready: 1, available: 0 };
    let (run, stop) = (ShouldRun { want: true, run: true, stay: true }, ShouldRun::default());
    let wanting = vec![(NodeId(0), run, vec![]), (NodeId(2), stop, vec![PodId(5)])];
    assert_eq!(read(&mut census, &pods, 3), (numbers, wanting.clone(), vec![]));
    assert_eq!(read(&mut census, &pods, 4), (Numbers { available: 1, ..numbers }, wanting, vec![]));
}
