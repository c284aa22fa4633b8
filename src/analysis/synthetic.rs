//! Traces made by hand and by rule for the tests of analysis and report: no simulator, only
//! records.

use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId, WorkloadId};
use crate::api::node::{LABEL_ZONE, NodeConditionType, NodeReason};
use crate::api::pod::{PodConditionType, PodPhase, PodReason, PodTemplate};
use crate::api::taint::{Effect, NOT_READY, Taint, UNREACHABLE};
use crate::api::toleration::{Operator, Toleration};
use crate::kernel::{Dur, Time};
use crate::plan::{
    Action, Admission, Connections, Controllers, Delay, Do, Flags, Imitated, KubeletMode, NodePlan,
    NodeStart, Phase, Plan, PodPlan, PodStart, SchedulerSettings, TimelineEntry, Timing, UserMode,
};
use crate::profiles;
use crate::trace::{Actor, NO_RECORD, Record, RecordId, TaintChange, Trace, What, ZoneState};
use std::rc::Rc;

/// Milliseconds from the start.
pub(crate) fn ms(ms: u64) -> Time {
    Time::from_millis(ms)
}

fn timing() -> Timing {
    let none = Delay::constant(Dur::ZERO);
    let second = Dur::from_secs(1);
    Timing {
        name: "Ideal".to_owned(),
        request: none,
        response: none,
        watch: none,
        pass_overhead: Dur::from_micros(1),
        pod_gc_overhead: Dur::from_micros(1),
        clock_advances: false,
        node_lifecycle_client: None,
        taint_eviction_client: None,
        clients: std::collections::BTreeMap::new(),
        step: Delay::constant(Dur::ZERO),
        reconnects: false,
        leader_election: None,
        kubelet: KubeletMode::Imitated(Imitated {
            start: second,
            stop: second,
            status_report: Dur::from_secs(300),
            repost_pod_ready: true,
        }),
        user: UserMode::Raw,
    }
}

fn flags() -> Flags {
    Flags {
        node_monitor_period: Dur::from_secs(5),
        node_monitor_grace_period: Dur::from_secs(50),
        node_startup_grace_period: Dur::from_secs(60),
        node_eviction_rate: 0.1,
        secondary_node_eviction_rate: 0.01,
        large_cluster_size_threshold: 50,
        unhealthy_zone_threshold: 0.55,
        pod_eviction_timeout: Dur::from_secs(300),
        enable_taint_manager: true,
        terminated_pod_gc_threshold: 12_500,
        default_not_ready_toleration_seconds: 300,
        default_unreachable_toleration_seconds: 300,
    }
}

/// A plan and a trace that are written record by record. Records may be written in any order of
/// time.
pub(crate) struct Run {
    pub(crate) plan: Plan,
    trace: Trace,
    records: Vec<Record>,
    templates: Vec<(RecordId, Rc<PodTemplate>)>,
}

impl Run {
    /// An empty cluster.
    pub(crate) fn new(name: &str, horizon: Time) -> Self {
        let plan = Plan {
            name: name.to_owned(),
            doc: "Made for a test.".to_owned(),
            begins: None,
            notes: Vec::new(),
            horizon,
            profile: profiles::profile("1.34.4").expect("is a release"),
            flags: flags(),
            timing: timing(),
            admission: Admission {
                default_toleration_seconds: true,
                taint_nodes_by_condition: true,
                pod_toleration_restriction: false,
                extended_resource_toleration: false,
            },
            controllers_start: Time::ZERO,
            warm_start: false,
            memory: None,
            nodes: Vec::new(),
            templates: vec![PodTemplate::default()],
            pods: Vec::new(),
            controllers: Controllers::default(),
            scheduler: SchedulerSettings::default(),
            workloads: Vec::new(),
            budgets: Vec::new(),
            namespaces: std::collections::BTreeMap::new(),
            timeline: Vec::new(),
            actions: Vec::new(),
            perturb: crate::plan::Perturb::default(),
            tape: None,
        };
        let mut trace = Trace::default();
        trace.horizon = horizon;
        Run {
            plan,
            trace,
            records: Vec::new(),
            templates: Vec::new(),
        }
    }

    /// A Ready node; its index in the plan and its id.
    pub(crate) fn node(&mut self, name: &str, zone: &str) -> u32 {
        let mut labels = crate::api::labels::Labels::new();
        if !zone.is_empty() {
            labels.insert(LABEL_ZONE.to_owned(), zone.to_owned());
        }
        self.plan.nodes.push(NodePlan {
            name: name.to_owned(),
            labels: Rc::new(labels),
            taints: Vec::new(),
            unschedulable: false,
            allocatable: Default::default(),
            lease_offset: Dur::ZERO,
            lease_period: Dur::from_secs(10),
            status_offset: Dur::ZERO,
            start: NodeStart::Ready,
        });
        self.trace.names.node(name).0
    }

    /// A pod that runs from the start; its index in the plan and its id.
    pub(crate) fn pod(&mut self, name: &str, node: u32) -> u32 {
        self.plan.pods.push(PodPlan {
            name: name.into(),
            template: 0,
            node: Some(node),
            start: PodStart::Running,
        });
        self.trace.names.pod(name).0
    }

    /// A Deployment and its ReplicaSet; their ids.
    pub(crate) fn workload(&mut self, deployment: &str, set: &str) -> (u32, u32) {
        (
            self.trace.names.workload(deployment).0,
            self.trace.names.workload(set).0,
        )
    }

    /// A pod that a workload creates later; its id.
    pub(crate) fn replica(&mut self, name: &str, owner: u32) -> u32 {
        let pod = self.trace.names.pod(name).0;
        self.owned(pod, owner);
        pod
    }

    /// A pod belongs to a workload.
    pub(crate) fn owned(&mut self, pod: u32, owner: u32) {
        self.trace.names.set_owner(PodId(pod), WorkloadId(owner));
    }

    /// An entry of the timeline with the records of its beginning and its end; the record of its
    /// beginning, and of its end.
    pub(crate) fn entry(
        &mut self,
        name: &str,
        at: Time,
        ends: Option<Time>,
        begin: Do,
        end: Option<Do>,
    ) -> (RecordId, RecordId) {
        let is_fault = matches!(begin, Do::Cut(..) | Do::Crash(_));
        let entry = self.plan.timeline.len() as u32;
        self.plan.timeline.push(TimelineEntry {
            at,
            name: name.to_owned(),
            ends,
            is_fault,
        });
        self.plan.actions.push(Action {
            at,
            entry,
            phase: Phase::Begin,
            act: begin,
        });
        let began = self.record(at, NO_RECORD, Actor::User, What::FaultBegan, entry);
        let ended = match (ends, end) {
            (Some(at), Some(act)) => {
                self.plan.actions.push(Action {
                    at,
                    entry,
                    phase: Phase::End,
                    act,
                });
                self.record(at, began, Actor::User, What::FaultEnded, entry)
            }
            _ => NO_RECORD,
        };
        (began, ended)
    }

    /// Any record; what is given back names it as a cause.
    pub(crate) fn record(
        &mut self,
        at: Time,
        cause: RecordId,
        actor: Actor,
        what: What,
        object: u32,
    ) -> RecordId {
        self.records.push(Record {
            at,
            cause,
            saw: NO_RECORD,
            object,
            what,
            actor,
        });
        self.records.len() as u32 - 1
    }

    /// A record by the node lifecycle controller.
    pub(crate) fn lifecycle(
        &mut self,
        at: Time,
        cause: RecordId,
        what: What,
        object: u32,
    ) -> RecordId {
        self.record(at, cause, Actor::NodeLifecycle, what, object)
    }

    /// A record by the taint eviction controller.
    pub(crate) fn eviction(
        &mut self,
        at: Time,
        cause: RecordId,
        what: What,
        object: u32,
    ) -> RecordId {
        self.record(at, cause, Actor::TaintEviction, what, object)
    }

    /// A pod is created on a node with these tolerations.
    pub(crate) fn created(
        &mut self,
        at: Time,
        pod: u32,
        node: u32,
        tolerations: &[Toleration],
    ) -> RecordId {
        let record = self.record(
            at,
            NO_RECORD,
            Actor::User,
            What::pod_created(Some(NodeId(node))),
            pod,
        );
        self.template(record, tolerations);
        record
    }

    /// A pod has these tolerations from a record on.
    pub(crate) fn template(&mut self, record: RecordId, tolerations: &[Toleration]) {
        let template = PodTemplate {
            tolerations: tolerations.to_vec(),
            ..PodTemplate::default()
        };
        self.templates.push((record, Rc::new(template)));
    }

    /// The Ready condition of a node turns to that status.
    pub(crate) fn ready(
        &mut self,
        at: Time,
        cause: RecordId,
        node: u32,
        status: ConditionStatus,
    ) -> RecordId {
        let (actor, reason) = match status {
            ConditionStatus::True => (Actor::Kubelet, NodeReason::KubeletReady),
            ConditionStatus::False => (Actor::Kubelet, NodeReason::KubeletNotReady),
            ConditionStatus::Unknown => (Actor::NodeLifecycle, NodeReason::NodeStatusUnknown),
        };
        self.record(
            at,
            cause,
            actor,
            What::NodeCondition(NodeConditionType::Ready, status, reason),
            node,
        )
    }

    /// Taints of a node change in one write.
    pub(crate) fn taints(
        &mut self,
        at: Time,
        cause: RecordId,
        actor: Actor,
        node: u32,
        added: &[Taint],
        removed: &[Taint],
    ) -> RecordId {
        self.trace.taints.push(TaintChange {
            added: added.to_vec(),
            removed: removed.to_vec(),
        });
        let change = self.trace.taints.len() as u32 - 1;
        self.record(at, cause, actor, What::NodeTaints(change), node)
    }

    /// A text, for records that refer to one.
    pub(crate) fn text(&mut self, text: &str) -> u32 {
        self.trace.names.text(text).0
    }

    /// The plan, and the trace with its records in order of time and causes to match.
    pub(crate) fn finish(self) -> (Plan, Trace) {
        let mut order: Vec<u32> = (0..self.records.len() as u32).collect();
        order.sort_by_key(|&i| self.records[i as usize].at);
        let mut place = vec![0; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(p, &i)| place[i as usize] = p as u32);
        let mut trace = self.trace;
        let horizon = trace.horizon;
        for r in order
            .iter()
            .map(|&i| self.records[i as usize])
            .take_while(|r| r.at <= horizon)
        {
            let cause = if r.cause == NO_RECORD {
                NO_RECORD
            } else {
                place[r.cause as usize]
            };
            trace.push(Record { cause, ..r });
        }
        trace.templates = self
            .templates
            .into_iter()
            .map(|(r, t)| (place[r as usize], t))
            .collect();
        trace.templates.sort_by_key(|t| t.0);
        let mut plan = self.plan;
        plan.actions.sort_by_key(|a| a.at);
        (plan, trace)
    }
}

/// `unreachable:NoExecute`, `unreachable:NoSchedule` and so on.
pub(crate) fn taint(key: &str, effect: Effect) -> Taint {
    Taint::new(key, effect)
}

/// A toleration of every taint of a key for a number of seconds, or for ever.
pub(crate) fn tolerates(key: &str, seconds: Option<i64>) -> Toleration {
    Toleration {
        key: key.to_owned(),
        operator: Operator::Exists,
        toleration_seconds: seconds,
        ..Toleration::default()
    }
}

/// One node of three cut off at 61.7 s and back at 500 s, as the recorded timeline
/// `cut-one-of-three` has it up to the first eviction: Unknown at 105 s, NoExecute at 105.1 s; p2
/// has the default 300 s, p3 tolerates for ever, p1 is elsewhere.
pub(crate) fn one_node_lost() -> (Plan, Trace) {
    let mut run = Run::new("cut-one-of-three", ms(600_000));
    let [n1, n2, _] = ["n1", "n2", "n3"].map(|n| run.node(n, "a"));
    let [_, p2, p3] =
        [("default/p1", n1), ("default/p2", n2), ("default/p3", n2)].map(|(p, n)| run.pod(p, n));
    for n in 0..3 {
        run.record(ms(0), NO_RECORD, Actor::User, What::NodeCreated, n);
    }
    for (p, n) in [(0, n1), (1, n2), (2, n2)] {
        run.record(
            ms(0),
            NO_RECORD,
            Actor::User,
            What::pod_created(Some(NodeId(n))),
            p,
        );
    }
    let (cut, healed) = run.entry(
        "cut n2",
        ms(61_700),
        Some(ms(500_000)),
        Do::Cut(vec![n2], Connections::Dropped),
        Some(Do::Heal(vec![n2])),
    );
    let silent = run.record(ms(61_700), cut, Actor::User, What::NodeSilent, n2);
    let unknown = run.ready(ms(105_000), silent, n2, ConditionStatus::Unknown);
    let no_schedule = taint(UNREACHABLE, Effect::NoSchedule);
    let no_execute = taint(UNREACHABLE, Effect::NoExecute);
    run.taints(
        ms(105_000),
        unknown,
        Actor::NodeLifecycle,
        n2,
        std::slice::from_ref(&no_schedule),
        &[],
    );
    for p in [p2, p3] {
        let what = What::PodCondition(
            PodConditionType::Ready,
            ConditionStatus::False,
            PodReason::None,
        );
        run.lifecycle(ms(105_000), unknown, what, p);
    }
    let tainted = run.taints(
        ms(105_100),
        unknown,
        Actor::NodeLifecycle,
        n2,
        std::slice::from_ref(&no_execute),
        &[],
    );
    let timer = run.eviction(ms(105_100), tainted, What::TimerSet(300), p2);
    let deleting = run.eviction(ms(405_100), timer, What::PodDeleting(30), p2);
    let heard = run.record(ms(500_000), healed, Actor::User, What::NodeHeard, n2);
    run.record(
        ms(500_000),
        deleting,
        Actor::Kubelet,
        What::ContainersStopped(n2),
        p2,
    );
    let gone = run.record(ms(500_000), deleting, Actor::Kubelet, What::PodGone, p2);
    assert_ne!(gone, NO_RECORD);
    let ready = run.ready(ms(504_801), heard, n2, ConditionStatus::True);
    let what = What::PodCondition(
        PodConditionType::Ready,
        ConditionStatus::True,
        PodReason::None,
    );
    run.record(ms(504_801), heard, Actor::Kubelet, what, p3);
    run.taints(
        ms(504_801),
        ready,
        Actor::NodeLifecycle,
        n2,
        &[],
        std::slice::from_ref(&no_schedule),
    );
    run.taints(
        ms(505_000),
        ready,
        Actor::NodeLifecycle,
        n2,
        &[],
        std::slice::from_ref(&no_execute),
    );
    run.finish()
}

/// A rule-made outage: three zones, `pods` on each node; half of the nodes of zone b (all of them
/// in a small cluster) are cut off at 10 minutes for 7 minutes, a few nodes of zone a report
/// NotReady, one node of zone c flaps. It looks like a run; it makes no claim to be one.
pub(crate) fn outage(nodes: u32, pods: u32, rate_per_s: u64) -> (Plan, Trace) {
    let mut run = Run::new("zone-partition", Time::from_secs(1_800));
    let zones = ["a", "b", "c"];
    for i in 0..nodes {
        let zone = zones[(i % 3) as usize];
        let n = run.node(&format!("{zone}-{:02}", i / 3), zone);
        run.record(Time::ZERO, NO_RECORD, Actor::User, What::NodeCreated, n);
    }
    for i in 0..nodes * pods {
        let p = run.pod(&format!("default/web-{i}"), i / pods);
        run.record(
            Time::ZERO,
            NO_RECORD,
            Actor::User,
            What::pod_created(Some(NodeId(i / pods))),
            p,
        );
    }
    let victims: Vec<u32> = (0..nodes).filter(|n| n % 3 == 1).collect();
    let flapping: Vec<u32> = (0..nodes)
        .filter(|n| n % 3 == 2)
        .take(1 + nodes as usize / 500)
        .collect();
    let pressed: Vec<u32> = (0..nodes)
        .filter(|n| n % 3 == 0)
        .take(nodes as usize / 25)
        .collect();
    cut(
        &mut run,
        "cut b",
        ms(600_000),
        ms(1_020_000),
        &victims,
        pods,
        rate_per_s,
    );
    for (k, at) in [120_000, 220_000, 340_000].into_iter().enumerate() {
        cut(
            &mut run,
            &format!("flap {}", k + 1),
            ms(at),
            ms(at + 70_000),
            &flapping,
            pods,
            rate_per_s,
        );
    }
    not_ready(&mut run, ms(1_200_000), &pressed, pods);
    let (zone, from, to) = (run.text(":\0:b"), ms(650_000), ms(1_025_000));
    run.lifecycle(from, NO_RECORD, What::Zone(ZoneState::FullDisruption), zone);
    run.lifecycle(to, NO_RECORD, What::Zone(ZoneState::Normal), zone);
    run.finish()
}

/// Nodes are cut off and come back: Unknown in batches of eight, NoExecute at a rate, a third of
/// the pods evicted after 60 s.
fn cut(run: &mut Run, name: &str, from: Time, to: Time, nodes: &[u32], pods: u32, rate_per_s: u64) {
    let (begin, end) = run.entry(
        name,
        from,
        Some(to),
        Do::Cut(nodes.to_vec(), Connections::Dropped),
        Some(Do::Heal(nodes.to_vec())),
    );
    let no_schedule = [taint(UNREACHABLE, Effect::NoSchedule)];
    let no_execute = [taint(UNREACHABLE, Effect::NoExecute)];
    for (k, &n) in (0..).zip(nodes) {
        let silent = run.record(from, begin, Actor::User, What::NodeSilent, n);
        let heard = run.record(to, end, Actor::User, What::NodeHeard, n);
        let unknown_at = ms(from.as_millis() + 50_400 + k / 8 * 90 + k % 5 * 5);
        let back_at = ms(to.as_millis() + 400 + k * 7_919 % 9_600);
        if unknown_at > to {
            continue;
        }
        let by = Actor::NodeLifecycle;
        let unknown = run.ready(unknown_at, silent, n, ConditionStatus::Unknown);
        run.taints(unknown_at, unknown, by, n, &no_schedule, &[]);
        let back = run.ready(back_at, heard, n, ConditionStatus::True);
        let untainted_at = ms(back_at.as_millis() + 30);
        run.taints(untainted_at, back, by, n, &[], &no_schedule);
        for p in n * pods..(n + 1) * pods {
            let at = ms(unknown_at.as_millis() + 40);
            run.lifecycle(at, unknown, pod_ready(ConditionStatus::False), p);
        }
        let tainted_at = ms(unknown_at.as_millis() + 100 + k * 1000 / rate_per_s);
        let tainted = (tainted_at < to).then(|| {
            let untainted_at = ms(back_at.as_millis() + 2_000);
            run.taints(untainted_at, back, by, n, &[], &no_execute);
            run.taints(tainted_at, unknown, by, n, &no_execute, &[])
        });
        for p in n * pods..(n + 1) * pods {
            evict_or_recover(run, p, (tainted_at, tainted), (back_at, back), to);
        }
    }
}

/// What becomes of a pod of a node that was cut off until `to`: it is evicted if its timer, set
/// with the taint, runs out before the node is back.
fn evict_or_recover(
    run: &mut Run,
    p: u32,
    (tainted_at, tainted): (Time, Option<RecordId>),
    (back_at, back): (Time, RecordId),
    to: Time,
) {
    let seconds = if p.is_multiple_of(3) { 60 } else { 300 };
    let timer = tainted.map(|t| run.eviction(tainted_at, t, What::TimerSet(seconds), p));
    let due = ms(tainted_at.as_millis() + u64::from(seconds) * 1_000 + u64::from(p % 7));
    match timer {
        Some(timer) if due < back_at => {
            let deleting = run.eviction(due, timer, What::PodDeleting(30), p);
            let gone_at = ms(to.max(due).as_millis() + 1_000);
            run.record(gone_at, deleting, Actor::Kubelet, What::PodGone, p);
        }
        timer => {
            let ready_at = ms(back_at.as_millis() + 10);
            let ready = pod_ready(ConditionStatus::True);
            run.record(ready_at, back, Actor::Kubelet, ready, p);
            if timer.is_some() {
                let cancelled_at = ms(back_at.as_millis() + 2_001);
                run.eviction(cancelled_at, back, What::TimerCancelled, p);
            }
        }
    }
}

/// A pod's condition Ready turns.
fn pod_ready(status: ConditionStatus) -> What {
    What::PodCondition(PodConditionType::Ready, status, PodReason::None)
}

/// Nodes report NotReady themselves; their pods are deleted at once and are gone a second later.
fn not_ready(run: &mut Run, at: Time, nodes: &[u32], pods: u32) {
    let no_execute = taint(NOT_READY, Effect::NoExecute);
    for (k, &n) in (0..).zip(nodes) {
        let at = ms(at.as_millis() + k * 10_000);
        let condition = run.ready(at, NO_RECORD, n, ConditionStatus::False);
        let tainted = run.taints(
            ms(at.as_millis() + 100),
            condition,
            Actor::NodeLifecycle,
            n,
            std::slice::from_ref(&no_execute),
            &[],
        );
        for p in n * pods..(n + 1) * pods {
            let deleting = run.eviction(ms(at.as_millis() + 120), tainted, What::PodDeleting(1), p);
            run.record(
                ms(at.as_millis() + 1_120),
                deleting,
                Actor::Kubelet,
                What::PodPhase(PodPhase::Succeeded),
                p,
            );
            run.record(
                ms(at.as_millis() + 1_121),
                deleting,
                Actor::Kubelet,
                What::PodGone,
                p,
            );
        }
    }
}

/// The id of a pod by its name.
pub(crate) fn pod_id(trace: &Trace, name: &str) -> PodId {
    trace.names.find_pod(name).expect("the pod is in the trace")
}
