//! What a run meant for each workload: how many of its pods could be used, for how long too few,
//! and what replaced the lost.
//!
//! Definitions:
//! * *wanted*: how many pods a workload asks for; of a DaemonSet as [`daemons`](super::daemons) has
//!   it, of a Job as [`wanted`](super::wanted).
//! * *unavailable*: the time in which fewer pods are available than wanted. It is counted from the
//!   first time at which enough of them are, so that starting up is no outage; if they never are,
//!   from the workload's beginning.
//! * *lost*: a pod whose deletion begins, or that is gone without one, or that fails; not one that
//!   its own controller takes away because there are too many.
//! * *replacement*: of a StatefulSet the same name's next life; of a DaemonSet the next pod of that
//!   node; of the others the next pod that is created, the oldest loss first.
//! * *stuck*: pods that are still Terminating at the end of the run although their grace period was
//!   over before.
//!
//! A pod is available once it has been Ready for `minReadySeconds`, which count from the whole
//! second in which it became so; those that are Ready at the start have been for long enough. The
//! pods of a Deployment are those of its ReplicaSets.

use super::daemons::Daemons;
use super::job_ends;
use super::outcomes::measured;
use super::prelude::*;
use super::wanted::Wanted;
use std::collections::VecDeque;

pub(crate) use super::outcomes::{Replacement, WorkloadOutcome, Workloads};
pub(crate) use super::owners::Owners;

/// What a run meant for each of its workloads.
pub(crate) fn workloads(analysis: &Analysis<'_>) -> Workloads {
    let owners = Owners::new(analysis);
    if owners.is_empty() {
        return Workloads::default();
    }
    let mut walk = Walk::new(analysis, owners);
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        walk.record(id, r);
    }
    walk.finish()
}

/// A workload while walking through the trace.
struct Open {
    kind: WorkloadKind,
    outcome: WorkloadOutcome,
    /// `minReadySeconds`
    min_ready: Dur,
    /// Losses without a replacement, the oldest first.
    losses: VecDeque<RecordId>,
}

impl Open {
    /// So many pods more are available from now on.
    fn add_available(&mut self, at: Time, more: i32) {
        let before = self.outcome.available.last().map_or(0, |step| step.1);
        set(&mut self.outcome.available, at, before.wrapping_add_signed(more));
    }
}

struct Walk<'a> {
    analysis: &'a Analysis<'a>,
    owners: Owners,
    wanted: Wanted<'a>,
    follow: Follow<'a>,
    daemons: Daemons,
    /// By workload; none for those that another one owns.
    open: Vec<Option<Open>>,
    /// Losses of StatefulSets by workload and pod, those of DaemonSets by workload and node.
    lost: BTreeMap<(WorkloadId, u32), RecordId>,
    /// The loss that a pod makes up for.
    replaces: BTreeMap<PodId, RecordId>,
    /// By pod: when its grace period is over, while it is being deleted.
    over: BTreeMap<PodId, Time>,
    found: BTreeMap<RecordId, Replacement>,
    /// Ready pods that are not available yet, by when they are, and the other way round.
    ripening: BTreeSet<(Time, PodId)>,
    due: BTreeMap<PodId, Time>,
}

impl<'a> Walk<'a> {
    fn new(analysis: &'a Analysis<'a>, owners: Owners) -> Self {
        let names = &analysis.trace.names;
        let min_ready: BTreeMap<&str, i32> =
            analysis.plan.workloads.iter().map(|w| (&*w.name, w.min_ready_seconds)).collect();
        let open = |(i, root): (usize, &WorkloadId)| {
            let id = WorkloadId(i as u32);
            let seconds = min_ready.get(names.workload_name(id)).copied().unwrap_or(0);
            let kind = names.workload_name(id).split('/').next().and_then(WorkloadKind::parse)?;
            let (wanted, available) = (vec![(Time::ZERO, 0)], vec![(Time::ZERO, 0)]);
            (*root == id).then(|| Open {
                kind,
                outcome: WorkloadOutcome { id, wanted, available, ..WorkloadOutcome::default() },
                min_ready: Dur::from_secs(u64::try_from(seconds).unwrap_or(0)),
                losses: VecDeque::new(),
            })
        };
        let open = owners.root.iter().enumerate().map(open).collect();
        let follow = Follow::new(analysis);
        let mut walk = Walk {
            daemons: Daemons::new(&follow, &owners),
            analysis,
            owners,
            wanted: job_ends::wanted(analysis),
            follow,
            open,
            lost: BTreeMap::new(),
            replaces: BTreeMap::new(),
            over: BTreeMap::new(),
            found: BTreeMap::new(),
            ripening: BTreeSet::new(),
            due: BTreeMap::new(),
        };
        for (set, desired) in walk.daemons.all().collect::<Vec<_>>() {
            walk.want(set, Time::ZERO, desired);
        }
        for (pod, state) in (0..).map(PodId).zip(&analysis.pods).filter(|(_, p)| p.exists) {
            if let Some(w) = walk.owners.of(analysis, pod) {
                walk.count(w, Time::ZERO, pod, &PodState::default(), state);
            }
        }
        walk
    }

    fn open(&mut self, id: WorkloadId) -> Option<&mut Open> {
        self.open.get_mut(id.index())?.as_mut()
    }

    fn record(&mut self, id: RecordId, r: &Record) {
        self.ripen(r.at);
        let step = self.follow.apply(id, r);
        for set in self.daemons.record(&self.follow, &self.owners, r, &step) {
            self.want(set, r.at, self.daemons.desired(set).unwrap_or_default());
        }
        if let Some((w, wanted)) = self.wanted.take(r, &step)
            && self.daemons.desired(w).is_none()
        {
            self.want(w, r.at, wanted);
        }
        if let Some(why) = self.analysis.trace.failed_create(r)
            && let Some(w) = r.workload().and_then(|w| self.owners.root_of(w))
            && let Some(open) = self.open(w)
        {
            open.outcome.why_not_created = Some(why);
        }
        if let Some(pod) = r.pod()
            && let Some(w) = self.owners.of(self.analysis, pod)
        {
            self.pod(id, r, w, pod, &step);
        }
    }

    /// A workload asks for so many pods from now on.
    fn want(&mut self, id: WorkloadId, at: Time, wanted: u32) {
        if let Some(open) = self.open(id) {
            set(&mut open.outcome.wanted, at, wanted);
        }
    }

    /// Takes a change of a pod into the counts of its workload.
    fn count(&mut self, id: WorkloadId, at: Time, pod: PodId, before: &PodState, after: &PodState) {
        let Some(open) = self.open.get_mut(id.index()).and_then(Option::as_mut) else { return };
        let min_ready = open.min_ready;
        match (before.is_available(), after.is_available()) {
            (false, true) if at == Time::ZERO || min_ready.is_zero() => {
                self.became_available(id, at, pod)
            }
            (false, true) => {
                let due = Time::from_secs(at.as_secs()).saturating_add(min_ready);
                self.due.insert(pod, due);
                self.ripening.insert((due, pod));
            }
            (true, false) => match self.due.remove(&pod) {
                Some(due) => drop(self.ripening.remove(&(due, pod))),
                None => open.add_available(at, -1),
            },
            _ => {}
        }
    }

    fn became_available(&mut self, id: WorkloadId, at: Time, pod: PodId) {
        if let Some(open) = self.open(id) {
            open.add_available(at, 1);
        }
        if let Some(found) = self.replaces.get(&pod).and_then(|loss| self.found.get_mut(loss)) {
            found.ready_at.get_or_insert(at);
        }
    }

    /// Counts the pods that have been Ready for long enough by then.
    fn ripen(&mut self, now: Time) {
        while let Some((at, pod)) = self.ripening.first().copied().filter(|(at, _)| *at <= now) {
            self.ripening.pop_first();
            self.due.remove(&pod);
            if let Some(w) = self.owners.of(self.analysis, pod) {
                self.became_available(w, at, pod);
            }
        }
    }

    fn pod(&mut self, id: RecordId, r: &Record, w: WorkloadId, pod: PodId, step: &Step) {
        if let Some((why, 0..=1)) = self.analysis.trace.failed_scheduling(r)
            && let Some(open) = self.open(w)
        {
            open.outcome.why_pending = Some(why);
        }
        if let Some(Err(why)) = self.analysis.trace.attached(r)
            && let Some(open) = self.open(w)
        {
            open.outcome.why_unattached = Some(why);
        }
        let Some((_, before, after)) = step.pod else { return };
        match r.what {
            What::PodDeleting(grace) => {
                self.over.insert(pod, r.at.saturating_add(Dur::from_secs(grace.into())));
            }
            What::PodGone => _ = self.over.remove(&pod),
            _ => {}
        }
        let (was_lost, moved) = (!before.is_active(), before.node != after.node);
        let created = was_lost && matches!(r.what, What::PodCreated(_));
        if !after.is_active() {
            if !was_lost {
                self.lost((id, r), w, pod, &before);
            }
        } else if moved || created {
            self.arrived(r, w, pod, &after, created);
        }
        self.count(w, r.at, pod, &before, &after);
        let node = after.node_id().filter(|_| after.exists && !after.deleting);
        if let Some(found) = self.replaces.get(&pod).and_then(|loss| self.found.get_mut(loss)) {
            found.node = node.or(found.node);
        }
        if !after.is_active() {
            self.replaces.remove(&pod);
        }
    }

    fn lost(&mut self, (id, r): Told<'_>, w: WorkloadId, pod: PodId, before: &PodState) {
        let Some(open) = self.open.get_mut(w.index()).and_then(Option::as_mut) else { return };
        let too_many = matches!(r.actor, Actor::ReplicaSet | Actor::Deployment)
            || r.actor == Actor::StatefulSet && !before.phase.is_terminal();
        // A Job's pod that has succeeded has done what it was for.
        let done = open.kind == WorkloadKind::Job && r.what == What::PodPhase(PodPhase::Succeeded);
        if too_many || done || before.phase == PodPhase::Succeeded {
            return;
        }
        open.outcome.lost += 1;
        match open.kind {
            WorkloadKind::StatefulSet => drop(self.lost.insert((w, pod.0), id)),
            WorkloadKind::DaemonSet => drop(self.lost.insert((w, before.node), id)),
            WorkloadKind::Deployment | WorkloadKind::ReplicaSet | WorkloadKind::Job => {
                open.losses.push_back(id)
            }
        }
    }

    /// A pod was created, or bound.
    fn arrived(&mut self, r: &Record, w: WorkloadId, pod: PodId, after: &PodState, created: bool) {
        let Some(open) = self.open.get_mut(w.index()).and_then(Option::as_mut) else { return };
        if created {
            open.outcome.why_not_created = None;
        }
        let loss = match open.kind {
            WorkloadKind::StatefulSet if created => self.lost.remove(&(w, pod.0)),
            WorkloadKind::DaemonSet if after.node != NO_NODE => self.lost.remove(&(w, after.node)),
            WorkloadKind::StatefulSet | WorkloadKind::DaemonSet => None,
            _ if created => open.losses.pop_front(),
            _ => None,
        };
        if let Some(loss) = loss {
            open.outcome.replaced += 1;
            self.replaces.insert(pod, loss);
            let next = Replacement { pod, created_at: r.at, node: None, ready_at: None };
            self.found.insert(loss, next);
        }
    }

    fn finish(mut self) -> Workloads {
        let horizon = self.analysis.horizon();
        self.ripen(horizon);
        for (pod, state) in self.follow.pods().filter(|(_, p)| p.exists) {
            let owner = self.owners.of(self.analysis, pod);
            let open = owner.and_then(|w| self.open.get_mut(w.index())?.as_mut());
            let Some(Open { outcome, .. }) = open else { continue };
            let over = self.over.get(&pod).is_some_and(|&t| t < horizon);
            let (waits, bound) = (state.is_pending(), state.node_id().is_some());
            outcome.pending += u64::from(waits && !bound);
            outcome.unattached += u64::from(bound && state.is_unattached());
            outcome.starting += u64::from(waits && bound && !state.is_unattached());
            outcome.stuck += u64::from(state.deleting && over);
        }
        let mut open: Vec<Open> = self.open.into_iter().flatten().collect();
        let names = &self.analysis.trace.names;
        open.sort_by_key(|o| (o.kind, names.workload_name(o.outcome.id)));
        let outcomes = open.into_iter().map(|o| measured(o.outcome, horizon)).collect();
        Workloads { outcomes, replacements: self.found }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::synthetic::{Run, ms};
    use super::*;
    use crate::api::meta::ConditionStatus;
    use crate::api::pod::{PodConditionType, PodReason};
    use crate::api::workload::WorkloadSpec;
    use crate::plan::WorkloadPlan;
    use crate::trace::{EventBody, EventText, Message, NO_RECORD};
    use std::rc::Rc;

    const READY: What =
        What::PodCondition(PodConditionType::Ready, ConditionStatus::True, PodReason::None);
    const UNREADY: What =
        What::PodCondition(PodConditionType::Ready, ConditionStatus::False, PodReason::None);

    /// A Deployment of two. At 10 s one pod is NotReady, at 40 s it is evicted and replaced; the
    /// new pod is pending until 60 s and Ready at 62 s. At 80 s the Deployment is scaled to three,
    /// and the third pod waits to the end, 100 s.
    fn run() -> (crate::plan::Plan, crate::trace::Trace, [u32; 4]) {
        let mut run = Run::new("w", ms(100_000));
        let node = run.node("n", "a");
        let old = [run.pod("default/web-x-0", node), run.pod("default/web-x-1", node)];
        let (web, set) = run.workload("Deployment/default/web", "ReplicaSet/default/web-x");
        let new = [run.replica("default/web-x-2", set), run.replica("default/web-x-3", set)];
        old.iter().for_each(|&p| run.owned(p, set));
        let mut at =
            |s: u64, actor, what, object| run.record(ms(s * 1000), NO_RECORD, actor, what, object);
        at(0, Actor::User, What::WorkloadCreated(2), web);
        at(0, Actor::Deployment, What::WorkloadCreated(2), set);
        at(10, Actor::NodeLifecycle, UNREADY, old[1]);
        let lost = at(40, Actor::TaintEviction, What::PodDeleting(30), old[1]);
        at(40, Actor::ReplicaSet, What::PodCreated(None), new[0]);
        at(60, Actor::Scheduler, What::PodBound(node), new[0]);
        at(62, Actor::Kubelet, What::PodPhase(PodPhase::Running), new[0]);
        at(62, Actor::Kubelet, READY, new[0]);
        at(80, Actor::User, What::WorkloadScaled(3), web);
        at(80, Actor::ReplicaSet, What::PodCreated(None), new[1]);
        at(80, Actor::Scheduler, What::PodMessage(0), new[1]);
        let why = run.text("0/1 nodes are available: 1 Too many pods.");
        let (plan, mut trace) = run.finish();
        trace.messages.push(Message {
            body: EventBody { text: EventText::FailedScheduling, arg: why },
            combined: false,
            count: 1,
        });
        (plan, trace, [web, lost, new[0], node])
    }

    #[test]
    fn what_was_missing_and_what_replaced_it() {
        let (plan, trace, [web, lost, new, node]) = run();
        let found = workloads(&Analysis::new(&plan, &trace));
        let [o] = found.outcomes.as_slice() else {
            panic!("the ReplicaSet is the Deployment's: {:?}", found.outcomes)
        };
        assert_eq!(o.id, WorkloadId(web));
        let s = |s: u64| ms(s * 1000);
        assert_eq!(o.wanted, [(s(0), 2), (s(80), 3)]);
        assert_eq!(o.available, [(s(0), 2), (s(10), 1), (s(62), 2)]);
        // 10 s to 62 s, and 80 s to 100 s; one pod each time.
        assert_eq!((o.unavailable, o.longest_gap), (Dur::from_secs(72), Dur::from_secs(52)));
        // The third pod of the scaling makes up for nothing. The grace period of the first ended at
        // 70 s.
        assert_eq!((o.least_available, o.lost, o.replaced, o.pending, o.stuck), (1, 1, 1, 1, 1));
        assert_eq!(
            o.why_pending.map(|t| trace.names.text_of(t)),
            Some("0/1 nodes are available: 1 Too many pods.")
        );
        let expected = Replacement {
            pod: PodId(new),
            created_at: s(40),
            node: Some(NodeId(node)),
            ready_at: Some(s(62)),
        };
        assert_eq!(found.replacements.into_iter().collect::<Vec<_>>(), [(lost, expected)]);
    }

    /// The same with `minReadySeconds: 10`: the new pod, Ready at 62 s, is available from 72 s on;
    /// the old ones are from the start.
    #[test]
    fn a_pod_is_available_once_it_was_ready_for_long_enough() {
        let (mut plan, trace, [_, lost, ..]) = run();
        plan.workloads.push(WorkloadPlan {
            name: "Deployment/default/web".to_owned(),
            kind: WorkloadKind::Deployment,
            owner: None,
            selector: Rc::default(),
            template: 0,
            node: None,
            min_ready_seconds: 10,
            needs: None,
            spec: WorkloadSpec::Deployment { replicas: 2, max_surge: IntOrPercent::Int(1) },
        });
        let found = workloads(&Analysis::new(&plan, &trace));
        let s = |s: u64| ms(s * 1000);
        let o = &found.outcomes[0];
        assert_eq!(o.available, [(s(0), 2), (s(10), 1), (s(72), 2)]);
        // 10 s to 72 s, and 80 s to 100 s.
        assert_eq!((o.unavailable, o.longest_gap), (Dur::from_secs(82), Dur::from_secs(62)));
        assert_eq!(found.replacements[&lost].ready_at, Some(s(72)));
    }
}
