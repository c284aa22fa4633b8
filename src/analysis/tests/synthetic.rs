//! Traces made by hand and by rule for the tests of analysis and report: no simulator, only
//! records.

use crate::analysis::prelude::*;
use crate::api::node::{LABEL_ZONE, NodeReason};
use crate::api::pod::PodTemplate;
use crate::api::taint::Effect;
use crate::api::toleration::Operator;
use crate::plan::{
    Action, Admission, Controllers, Delay, Eviction, Flags, NodeFault, NodePlan, Phase, PodPlan,
    PodStart, Readiness, SchedulerSettings, TimelineEntry, Timing,
};
use crate::profiles;
use std::rc::Rc;

/// Milliseconds from the start.
pub(crate) fn ms(ms: u64) -> Time {
    Time::from_millis(ms)
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
        let profile = profiles::profile("1.34.4").expect("is a release");
        let plan = Plan {
            name: name.to_owned(),
            doc: "Made for a test.".to_owned(),
            begins: None,
            notes: Vec::new(),
            horizon,
            flags: Flags::defaults(&profile),
            eviction: Eviction::defaults(&profile),
            profile,
            timing: Timing { response: Delay::constant(Dur::ZERO), ..Timing::ideal() },
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
            has_devices: false,
            provisions: false,
            device_taint_rules: Vec::new(),
            readiness: Readiness::default(),
            lease_records: false,
            perturb: crate::plan::Perturb::default(),
            tape: None,
        };
        let mut trace = Trace::default();
        trace.horizon = horizon;
        Run { plan, trace, records: Vec::new(), templates: Vec::new() }
    }

    /// A Ready node; its index in the plan and its id.
    pub(crate) fn node(&mut self, name: &str, zone: &str) -> u32 {
        let mut labels = crate::api::labels::Labels::new();
        if !zone.is_empty() {
            labels.insert(LABEL_ZONE.to_owned(), zone.to_owned());
        }
        self.plan.nodes.push(NodePlan {
            images: Rc::default(),
            name: name.to_owned(),
            labels: Rc::new(labels),
            taints: Vec::new(),
            unschedulable: false,
            allocatable: Default::default(),
            lease_offset: Dur::ZERO,
            lease_period: Dur::from_secs(10),
            status_offset: Dur::ZERO,
            kubelet: None,
            usage: None,
            devices: Rc::default(),
            readiness: None,
            bootstrap_completed: Rc::default(),
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
            devices: None,
            restarts: 0,
            stuck: None,
        });
        self.trace.names.pod(name).0
    }

    /// A Deployment and its ReplicaSet; their ids.
    pub(crate) fn workload(&mut self, deployment: &str, set: &str) -> (u32, u32) {
        (self.trace.names.workload(deployment).0, self.trace.names.workload(set).0)
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
        let is_fault = matches!(begin, Do::Fail(_, NodeFault::Cut(_) | NodeFault::Off));
        let entry = self.plan.timeline.len() as u32;
        self.plan.timeline.push(TimelineEntry { at, name: name.to_owned(), ends, is_fault });
        self.plan.actions.push(Action { at, entry, phase: Phase::Begin, act: begin });
        let began = self.record(at, NO_RECORD, Actor::User, What::FaultBegan, entry);
        let ended = match (ends, end) {
            (Some(at), Some(act)) => {
                self.plan.actions.push(Action { at, entry, phase: Phase::End, act });
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
        self.records.push(Record { at, cause, saw: NO_RECORD, object, what, actor });
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
        let record =
            self.record(at, NO_RECORD, Actor::User, What::pod_created(Some(NodeId(node))), pod);
        self.template(record, tolerations);
        record
    }

    /// A pod has these tolerations from a record on.
    pub(crate) fn template(&mut self, record: RecordId, tolerations: &[Toleration]) {
        let template = PodTemplate { tolerations: tolerations.to_vec(), ..PodTemplate::default() };
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
        self.trace.taints.push(TaintChange { added: added.to_vec(), removed: removed.to_vec() });
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
        order.iter().enumerate().for_each(|(p, &i)| place[i as usize] = p as u32);
        let mut trace = self.trace;
        let horizon = trace.horizon;
        for r in order.iter().map(|&i| self.records[i as usize]).take_while(|r| r.at <= horizon) {
            let cause = if r.cause == NO_RECORD { NO_RECORD } else { place[r.cause as usize] };
            trace.push(Record { cause, ..r });
        }
        trace.templates = self.templates.into_iter().map(|(r, t)| (place[r as usize], t)).collect();
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

/// The id of a pod by its name.
pub(crate) fn pod_id(trace: &Trace, name: &str) -> PodId {
    trace.names.find_pod(name).expect("the pod is in the trace")
}
