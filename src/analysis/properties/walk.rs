//! A walk through a trace with what several properties ask for: lives of pods, who is on which
//! node, when a pod has to go.

use crate::analysis::prelude::*;

/// The present life of a pod's name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// The record of its creation, or [`NO_RECORD`] of one from the start.
    pub(super) created: RecordId,
    /// Since when it has its tolerations.
    pub(super) tolerations_at: Time,
    /// Since when its Ready condition is what it is, and the record of that, or [`NO_RECORD`].
    pub(super) ready_at: Time,
    pub(super) ready: RecordId,
    /// Its Ready condition was True before.
    pub(super) was_ready: bool,
}

impl Life {
    /// One that began then.
    fn new(created: RecordId, at: Time, was_ready: bool) -> Self {
        Self { created, tolerations_at: at, ready_at: at, ready: NO_RECORD, was_ready }
    }
}

/// Walks through a trace.
pub(super) struct Walk<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) follow: Follow<'a>,
    lives: Vec<Life>,
    /// Node and pod, of pods that are bound.
    bound: BTreeSet<(u32, u32)>,
    /// By node: since when its health is what it is.
    pub(super) healthy_at: Vec<Time>,
    /// By node: the record of that, or [`NO_RECORD`].
    pub(super) health: Vec<RecordId>,
    /// By node: when its machine booted last; the start of the run if it did not.
    pub(super) booted_at: Vec<Time>,
    /// By node: when its taints changed last, as they do when it is deleted; the start of the run if they
    /// did not.
    pub(super) tainted_at: Vec<Time>,
}

/// How long a pod may stay on its node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due<'a> {
    /// When it has to go.
    pub(super) at: Time,
    /// The taint that says so.
    pub(super) taint: Held<'a>,
    /// For how many seconds the pod tolerates it.
    pub(super) seconds: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>) -> Self {
        let follow = Follow::new(analysis);
        let life = |(_, p): (PodId, &PodState)| Life::new(NO_RECORD, Time::ZERO, p.ready);
        let lives = follow.pods().map(life).collect();
        let bound = follow.pods().filter_map(|(id, p)| Some((p.node_id()?.0, id.0))).collect();
        let healthy_at = vec![Time::ZERO; analysis.node_count()];
        let (booted_at, tainted_at) = (healthy_at.clone(), healthy_at.clone());
        let health = vec![NO_RECORD; healthy_at.len()];
        Walk { analysis, follow, lives, bound, healthy_at, health, booted_at, tainted_at }
    }

    /// Takes the next record in, until there is none.
    pub(super) fn step(&mut self) -> Option<(RecordId, &'a Record, Step)> {
        let (id, r, step) = self.follow.step()?;
        self.take(id, r, &step);
        Some((id, r, step))
    }

    /// Takes one record in.
    pub(super) fn apply(&mut self, id: RecordId, r: &Record) -> Step {
        let step = self.follow.apply(id, r);
        self.take(id, r, &step);
        step
    }

    /// Takes in what a record changed.
    fn take(&mut self, id: RecordId, r: &Record, step: &Step) {
        if let Some((node, before, after)) = step.node
            && before.health() != after.health()
        {
            self.healthy_at[node.index()] = r.at;
            self.health[node.index()] = id;
        }
        if let (Some((node, ..)), What::MachineOn) = (step.node, r.what) {
            self.booted_at[node.index()] = r.at;
        }
        if let (Some((node, ..)), What::NodeTaints(_) | What::NodeDeleted) = (step.node, r.what) {
            self.tainted_at[node.index()] = r.at;
        }
        let Some((pod, before, after)) = step.pod else { return };
        let life = &mut self.lives[pod.index()];
        match r.what {
            What::PodCreated(_) => *life = Life::new(id, r.at, after.ready),
            What::PodTolerations => life.tolerations_at = r.at,
            _ if before.ready != after.ready => {
                (life.ready_at, life.ready) = (r.at, id);
                life.was_ready |= after.ready;
            }
            _ => {}
        }
        if before.node != after.node {
            self.bound.remove(&(before.node, pod.0));
            if after.node != NO_NODE {
                self.bound.insert((after.node, pod.0));
            }
        }
    }

    pub(super) fn life(&self, pod: PodId) -> Life {
        self.lives[pod.index()]
    }

    pub(super) fn pods_on(&self, node: NodeId) -> impl Iterator<Item = PodId> {
        self.bound.range((node.0, 0)..=(node.0, u32::MAX)).map(|(_, pod)| PodId(*pod))
    }

    /// When a pod has to go, if at all: for each NoExecute taint of its node the first toleration
    /// of its own that matches says how long; that time runs from when both the taint and the pod
    /// were on the node. `lenient`: that the node changed from not-ready to unreachable, or back,
    /// does not begin a new time.
    pub(super) fn due(&self, id: PodId, pod: &PodState, lenient: bool) -> Option<Due<'a>> {
        let node = pod.node_id()?;
        let operators = self.analysis.plan.profile.taint_eviction.comparison_operators;
        let tolerations = self.follow.tolerations(id);
        let mut due: Option<Due<'a>> = None;
        for taint in self.follow.taints(node).iter().filter(|h| h.is_no_execute()) {
            let own = tolerations.iter().find(|t| t.tolerates(taint.taint, operators));
            let seconds = match own.map(|t| t.toleration_seconds) {
                None => 0,
                Some(None) => continue,
                Some(Some(seconds)) => u64::try_from(seconds).unwrap_or(0),
            };
            let since = if lenient { taint.failing_since } else { taint.since };
            let wait = Dur::from_secs(1).checked_mul(seconds).unwrap_or(Dur::MAX);
            let at = since.max(pod.bound_at).checked_add(wait).unwrap_or(Time::MAX);
            if due.is_none_or(|d| at < d.at) {
                due = Some(Due { at, taint: *taint, seconds });
            }
        }
        due
    }

    /// The name of the node of a pod.
    pub(super) fn node_of(&self, pod: &PodState) -> &'a str {
        pod.node_id().map_or("no node", |n| self.analysis.node_name(n))
    }
}

/// The pod that taint eviction begins to delete with a record, or deletes at once, as it was
/// before.
pub(super) fn evicted(step: &Step, r: &Record) -> Option<(PodId, PodState)> {
    step.deletion_begins().filter(|_| r.actor == Actor::TaintEviction)
}

/// `unreachable:NoExecute`
pub(super) fn short(held: &Held<'_>) -> String {
    format!("{}:{}", short_key(&held.taint.key), held.taint.effect)
}
