//! Store changes as trace records; the same facts that recorded timelines hold;
//! and writes of events.

use super::{ApiError, ApiResult, ApiServer, EventName};
use crate::api::pod::PodConditionType;
use crate::apiserver::prelude::*;
use crate::trace::{DrainEnd, EventBody, Message, Record, TaintChange, keep};

impl ApiServer {
    /// Writes a record about an object now, with the cause and the version that the running step
    /// has.
    pub(crate) fn record(&self, actor: Actor, object: u32, what: What) -> RecordId {
        let (at, cause, saw) = (self.ctx.now(), self.ctx.cause(), self.ctx.saw());
        self.trace.with(|t| t.push(Record { at, cause, saw, object, what, actor }))
    }

    /// Keeps how the drain of a node ended, for a record to refer to.
    pub(crate) fn keep_drain(&self, end: DrainEnd) -> u32 {
        self.trace.with(|t| keep(&mut t.drains, end))
    }

    /// Counts a request of a client that reaches the server now.
    pub(crate) fn count_request(&self, actor: Actor) {
        self.trace.with(|t| t.count_request(actor, self.ctx.now()));
    }

    /// Notes that a search holds up a request from now on.
    pub(crate) fn note_held_up(&self, lasts: Dur) {
        self.trace.with(|t| t.held_up.push((self.ctx.now(), lasts)));
    }

    /// Notes that a search holds up a watch from now on.
    pub(crate) fn note_watch_held_up(&self, lasts: Dur) {
        self.note_held_up(lasts);
        self.watches_held_up.set(self.watches_held_up.get().saturating_add(lasts));
    }

    /// For how long a search has held up watches so far, all of them together.
    pub(crate) fn watches_held_up(&self) -> Dur {
        self.watches_held_up.get()
    }

    /// Writes a record about a node.
    pub(crate) fn record_node(&self, actor: Actor, node: NodeId, what: What) -> RecordId {
        self.record(actor, node.0, what)
    }

    /// Writes a record about a pod.
    pub(crate) fn record_pod(&self, actor: Actor, pod: PodId, what: What) -> RecordId {
        self.record(actor, pod.0, what)
    }

    /// Writes a record about a workload.
    pub(crate) fn record_workload(&self, actor: Actor, id: WorkloadId, what: What) -> RecordId {
        self.record(actor, id.0, what)
    }

    /// Writes a record about a text.
    pub(crate) fn record_text(&self, actor: Actor, text: TextId, what: What) -> RecordId {
        self.record(actor, text.0, what)
    }

    /// Records what a write changed of a node and returns the version's record: the last one
    /// written, or the old version's.
    pub(super) fn record_node_change(
        &self,
        actor: Actor,
        old: Option<&Node>,
        new: &Node,
    ) -> RecordId {
        let mut last = match old {
            Some(o) => o.record,
            None => self.record_node(actor, new.id, What::NodeCreated),
        };
        if let Some(old) = old {
            for c in &new.conditions {
                if old.condition(c.kind).is_none_or(|was| was.status != c.status) {
                    let what = What::NodeCondition(c.kind, c.status, c.reason);
                    last = self.record_node(actor, new.id, what);
                }
            }
        }
        last = self.record_readiness_change(actor, old, new).unwrap_or(last);
        let none = Vec::new();
        let before = old.map_or(&none, |o| &o.taints);
        if *before != new.taints {
            let (added, removed) = (minus(&new.taints, before), minus(before, &new.taints));
            if !added.is_empty() || !removed.is_empty() {
                let change = TaintChange { added, removed };
                let index = self.trace.with(|t| keep(&mut t.taints, change));
                last = self.record_node(actor, new.id, What::NodeTaints(index));
            }
        }
        if new.unschedulable != old.is_some_and(|o| o.unschedulable) {
            last = self.record_node(actor, new.id, What::NodeUnschedulable(new.unschedulable));
        }
        last
    }

    /// Records what a write changed of a node's other conditions, and whose bootstrap it completed.
    fn record_readiness_change(
        &self,
        actor: Actor,
        old: Option<&Node>,
        new: &Node,
    ) -> Option<RecordId> {
        let (is, was) = (new.readiness.as_ref()?, old?.readiness.clone().unwrap_or_default());
        let mut last = None;
        let mut note =
            |note, text| last = Some(self.record_node(actor, new.id, What::Noted(note, text)));
        for (kind, status) in &is.conditions {
            if was.conditions.get(kind) != Some(status) {
                let text = format!("{kind}={}", status.as_str());
                note(Note::AgentCondition, self.names(|n| n.text(&text)).0);
            }
        }
        for (uid, rule) in &is.completed {
            if !was.completed.contains_key(uid) {
                note(Note::BootstrapCompleted, rule.0);
            }
        }
        last
    }

    /// Records what a write changed of a pod and returns the version's record: the last one
    /// written, or the old version's.
    pub(super) fn record_pod_change(&self, actor: Actor, old: Option<&Pod>, new: &Pod) -> RecordId {
        let mut last = match old {
            Some(o) => o.record,
            None => self.record_template(actor, new, What::pod_created(new.node)),
        };
        if let Some(old) = old
            && !Rc::ptr_eq(&old.template, &new.template)
            && old.template.tolerations != new.template.tolerations
        {
            last = self.record_template(actor, new, What::PodTolerations);
        }
        if let (Some(old), Some(node)) = (old, new.node)
            && old.node != new.node
        {
            last = self.record_pod(actor, new.id, What::PodBound(node.0));
        }
        if new.phase != old.map_or(PodPhase::Pending, |o| o.phase) {
            last = self.record_pod(actor, new.id, What::PodPhase(new.phase));
        }
        let mut condition = |kind, was: Option<PodCondition>, is: Option<PodCondition>| {
            if let Some(c) = is
                && was.is_none_or(|w| w.status != c.status)
            {
                last = self.record_pod(actor, new.id, What::PodCondition(kind, c.status, c.reason));
            }
            // A scheduler that gives its victim the preemptor's status shows in the phase.
            if actor == Actor::Kubelet && was.is_some() && is.is_none() {
                last = self.record_pod(actor, new.id, What::PodConditionGone(kind));
            }
        };
        condition(PodConditionType::Ready, old.and_then(|o| o.ready), new.ready);
        let target = old.and_then(|o| o.disruption_target);
        condition(PodConditionType::DisruptionTarget, target, new.disruption_target);
        let grace = |pod: &Pod| pod.deletion.map(|d| d.grace_period_seconds);
        if let Some(d) = new.deletion
            && old.and_then(grace) != Some(d.grace_period_seconds)
        {
            let grace = u32::try_from(d.grace_period_seconds).unwrap_or(u32::MAX);
            last = self.record_pod(actor, new.id, What::PodDeleting(grace));
        }
        last
    }

    /// Records what brought a pod its template, and the template with it.
    fn record_template(&self, actor: Actor, pod: &Pod, what: What) -> RecordId {
        let record = self.record_pod(actor, pod.id, what);
        self.trace.with(|t| t.templates.push((record, pod.template.clone())));
        record
    }

    /// Records the NoExecute taints of a node that a controller knows of.
    pub(crate) fn record_taints_known(&self, actor: Actor, node: NodeId, taints: &[Taint]) {
        let known = TaintChange { added: taints.to_vec(), removed: Vec::new() };
        let index = self.trace.with(|t| keep(&mut t.taints, known));
        self.record_node(actor, node, What::Noted(Note::TaintsKnown, index));
    }

    /// Records that an object is gone.
    pub(super) fn record_gone(&self, actor: Actor, object: u32, what: What) -> RecordId {
        let id = self.record(actor, object, what);
        debug_assert_ne!(id, NO_RECORD, "a trace holds fewer records than that");
        id
    }

    /// POST of an event.
    pub(crate) fn create_event(&self, actor: Actor, name: EventName, event: Message) -> ApiResult {
        self.ctx.writes(self.keys.events.of(name.bucket()));
        if !self.store.with(|s| s.events.insert(name, event.body.text)) {
            return Err(ApiError::AlreadyExists);
        }
        self.store.with(|s| s.next_version());
        self.record_event(actor, name, event);
        Ok(())
    }

    /// PATCH of an event that changes nothing of it.
    pub(crate) fn patch_event_in_vain(&self, name: EventName) -> ApiResult {
        self.ctx.reads(self.keys.events.of(name.bucket()));
        if self.store.with(|s| s.events.contains(name)) { Ok(()) } else { Err(ApiError::NotFound) }
    }

    /// PATCH of an event that happened again: its message and its count. The reason stays, which may be
    /// another one where two events about one object were made in one instant.
    pub(crate) fn patch_event(
        &self,
        actor: Actor,
        name: EventName,
        mut event: Message,
    ) -> ApiResult {
        self.patch_event_in_vain(name)?;
        if let EventName::Workload(workload, at) = name
            && let Some(reason) = self.store.with_ref(|s| s.events.reason_of(workload, at))
        {
            event.body.text = reason;
        }
        self.store.with(|s| s.next_version());
        self.record_event(actor, name, event);
        Ok(())
    }

    fn record_event(&self, actor: Actor, name: EventName, event: Message) {
        let message = || self.trace.with(|t| keep(&mut t.messages, event));
        let Message { body: EventBody { text, arg }, combined, count } = event;
        let is_plain = arg == EventBody::NO_ARG;
        let (object, what) = match name {
            EventName::Node(id, _) if is_plain => (id.0, What::NodeEvent(text, combined, count)),
            EventName::Node(id, _) => (id.0, What::NodeMessage(message())),
            EventName::Pod(id, _) if is_plain => (id.0, What::PodEvent(text, combined, count)),
            EventName::Pod(id, _) => (id.0, What::PodMessage(message())),
            EventName::Workload(id, _) => (id.0, What::WorkloadMessage(message())),
            EventName::Claim(id, _) => (id.0, What::ClaimMessage(message())),
        };
        self.record(actor, object, what);
    }
}

/// Taints of `a` whose key, value and effect are not in `b`, sorted by their text.
fn minus(a: &[Taint], b: &[Taint]) -> Vec<Taint> {
    let same = |x: &Taint, y: &Taint| x.matches(y) && x.value == y.value;
    let mut out: Vec<Taint> = a.iter().filter(|t| !b.iter().any(|u| same(t, u))).cloned().collect();
    out.sort_by_cached_key(ToString::to_string);
    out
}
