//! What happened to a pod, sorted by what it means for an eviction.

use super::super::drain::Refusals;
use super::super::noted::Noted;
use super::super::pending::Attempt;
use super::super::prelude::*;
use crate::analysis::state::Step;

/// What is asked of a pod and its node at a moment.
pub(super) struct Moment<'a> {
    pub(super) at: Time,
    pub(super) record: RecordId,
    pub(super) r: &'a Record,
    pub(super) node: Option<NodeId>,
    /// The NoExecute taints that the taint eviction controller knew of.
    pub(super) taints: Vec<&'a Taint>,
    pub(super) tolerations: &'a [Toleration],
}

/// A timer: when it was set, and for how long.
pub(super) struct Timer<'a> {
    pub(super) set: Moment<'a>,
    pub(super) seconds: u32,
    /// How much longer it runs, if it was set before the run, of which the seconds are what is left.
    pub(super) beyond: Option<Dur>,
}

impl Timer<'_> {
    /// When it runs out.
    pub(super) fn due(&self) -> Time {
        let runs = Dur::from_secs(self.seconds.into()) + self.beyond.unwrap_or(Dur::ZERO);
        self.set.at.saturating_add(runs)
    }

    /// Whether that cancels it when it has run out already, so that its eviction goes on.
    pub(super) fn cancelled_too_late(&self, cancelled: &Moment<'_>) -> bool {
        cancelled.record > self.set.record && cancelled.at >= self.due()
    }
}

/// For how long a toleration lets a pod stay. A timer began so long before it is due, if that was before the run, too.
pub(super) fn stay(t: &Toleration) -> Dur {
    Dur::from_secs(t.toleration_seconds.and_then(|s| u64::try_from(s).ok()).unwrap_or(0))
}

/// What happened in one life of a pod: others of its name came before and after it.
#[derive(Default)]
pub(super) struct Seen<'a> {
    pub(super) timers: Vec<Timer<'a>>,
    pub(super) cancelled: Vec<Moment<'a>>,
    /// Evictions with the timer that led to each, an index into `timers`.
    pub(super) evicted: Vec<(Moment<'a>, Option<usize>)>,
    pub(super) forever: Vec<Moment<'a>>,
    pub(super) exists: Vec<Moment<'a>>,
    pub(super) failed: Vec<Moment<'a>>,
    /// Deletions by somebody else.
    pub(super) deleted: Vec<Moment<'a>>,
    /// When its kubelet said that it has ended.
    pub(super) ended: Vec<Moment<'a>>,
    /// When it was made, if that was in the run.
    pub(super) created: Option<Moment<'a>>,
    pub(super) bound: Vec<Moment<'a>>,
    /// What the scheduler reported, the same only once in a row.
    pub(super) told: Vec<Attempt>,
    /// The records with which the scheduler could not place it.
    pub(super) unplaced: Vec<RecordId>,
    /// What was said of its volumes: whether they were attached, and that its kubelet does not see so yet.
    pub(super) volumes: Vec<RecordId>,
    /// Other tolerations that it got.
    pub(super) tolerations: Vec<Moment<'a>>,
    /// Timers that died with the controllers' process.
    pub(super) lost: Vec<Moment<'a>>,
    /// Evictions that budgets refused.
    pub(super) refused: Refusals,
    /// What its kubelet said of it while its node was short of something.
    pub(super) pressed: Vec<RecordId>,
    /// What is noted of its containers: that it serves or does not, has ended or failed a probe, and backs off; and of the pull of its image.
    pub(super) own: Vec<RecordId>,
    /// What holds of them by that.
    pub(super) noted: Noted<'a>,
    /// Its Ready condition was written for its node last, and not by its kubelet.
    pub(super) ready_for_node: bool,
    /// As what is called that is when the question is asked.
    pub(super) state: PodState,
    /// The nodes that it was on and is on.
    pub(super) nodes: BTreeSet<NodeId>,
}

/// The NoExecute taints that the taint eviction controller knows of, per node.
struct Known<'a>(Vec<&'a [Taint]>);

impl<'a> Known<'a> {
    fn record(&mut self, trace: &'a Trace, r: &Record) {
        let taints = match r.what {
            What::Noted(Note::TaintsKnown, change) => {
                trace.taints.get(change as usize).map_or(&[][..], |c| &c.added)
            }
            What::Noted(Note::TaintsGone, _) => &[],
            _ => return,
        };
        if let Some(slot) = self.0.get_mut(r.object as usize) {
            *slot = taints;
        }
    }

    /// What is asked of a pod in that state at a record.
    fn moment(
        &self,
        (record, r): Told<'a>,
        state: &PodState,
        tolerations: &'a [Toleration],
    ) -> Moment<'a> {
        let node = state.node_id();
        let taints = node.and_then(|n| self.0.get(n.index())).into_iter().copied().flatten();
        Moment { at: r.at, record, r, node, taints: taints.collect(), tolerations }
    }
}

/// Everything up to the time of the question that happened to each of these pods, in one walk: for each the life that it may
/// have had when the run began, and those that began in it.
pub(super) fn gather<'a>(question: Question<'a>, pods: &[PodId]) -> Vec<Vec<Seen<'a>>> {
    let analysis = question.analysis;
    let trace = analysis.trace;
    let mut places = vec![None; analysis.pod_count()];
    for (place, pod) in pods.iter().enumerate() {
        places[pod.index()] = Some(place);
    }
    let mut follow = Follow::new(analysis);
    let mut known = Known(vec![&[]; analysis.node_count()]);
    // Of each its lives so far, the present one last.
    let mut all: Vec<Vec<Seen<'a>>> = pods.iter().map(|_| vec![Seen::default()]).collect();
    for (id, r) in (0..).zip(trace.iter()).take_while(|(_, r)| r.at <= question.until) {
        if r.what == What::ControllersStopped {
            // Every timer ends with the process.
            for (seen, pod) in all.iter_mut().filter_map(|lives| lives.last_mut()).zip(pods) {
                let state = follow.pod(*pod);
                let moment = || known.moment((id, r), &state, follow.tolerations(*pod));
                seen.lost.extend(follow.timer(&state).map(|_| moment()));
            }
        }
        if r.what == What::MachineOff {
            for (seen, pod) in all.iter_mut().filter_map(|lives| lives.last_mut()).zip(pods) {
                if follow.pod(*pod).node_id() == r.node() {
                    seen.noted.starts_over();
                }
            }
        }
        let step = follow.apply(id, r);
        known.record(trace, r);
        let Some((pod, before, after)) = step.pod else { continue };
        let Some(place) = places[pod.index()] else { continue };
        let moment = |state: &PodState| known.moment((id, r), state, follow.tolerations(pod));
        if matches!(r.what, What::PodCreated(_)) && r.at > Time::ZERO {
            all[place].push(Seen { created: Some(moment(&after)), ..Seen::default() });
        }
        let Some(seen) = all[place].last_mut() else { continue };
        seen.refused.add(question, id, r);
        seen.noted.take(trace, r);
        seen.nodes.extend(before.node_id().into_iter().chain(after.node_id()));
        let unseen = matches!(r.what, What::Noted(Note::VolumesUnseen, _));
        if unseen || trace.attached(r).is_some() {
            seen.volumes.push(id);
        }
        let is_refused = trace.said_of_pod(r) == Some(EventText::RefusedUnderPressure);
        if is_refused || trace.evicts_under_pressure(r) {
            seen.pressed.push(id);
        }
        match r.what {
            What::PodPhase(_) if step.eviction(r).is_some() => {
                seen.evicted.push((moment(&before), None));
            }
            What::PodDeleting(_) | What::PodGone => {
                seen.removal(r, &step, || moment(&before), follow.timer(&before));
            }
            What::PodUnplaced(_) => {
                seen.unplaced.push(id);
                let attempt = Attempt::new(analysis, id, r);
                if seen.told.last().is_none_or(|last| last.rejections != attempt.rejections) {
                    seen.told.push(attempt);
                }
            }
            _ => seen.record(id, r, || moment(&after)),
        }
    }
    for (lives, pod) in all.iter_mut().zip(pods) {
        for seen in lives {
            seen.state = follow.pod(*pod);
            seen.nodes.extend(seen.state.node_id());
        }
    }
    all
}

impl<'a> Seen<'a> {
    /// A record about the pod that does not take it away.
    fn record(&mut self, id: RecordId, r: &Record, after: impl FnOnce() -> Moment<'a>) {
        match r.what {
            What::TimerSet(seconds) => {
                self.timers.push(Timer { set: after(), seconds, beyond: None });
            }
            What::Noted(Note::TimerRecalled, ms) => {
                let last = self.timers.last_mut().into_iter();
                last.for_each(|timer| timer.beyond = Some(Dur::from_millis(ms.into())));
            }
            What::TimerCancelled => self.cancelled.push(after()),
            What::Noted(Note::ToleratesForever, _) => self.forever.push(after()),
            What::Noted(Note::WorkExists, _) => self.exists.push(after()),
            What::Noted(note, _) if Note::OF_CONTAINERS.contains(&note) => self.own.push(id),
            What::EvictionFailed => self.failed.push(after()),
            What::PodPhase(phase) if phase.is_terminal() && r.actor == Actor::Kubelet => {
                self.ended.push(after());
            }
            What::PodBound(_) if r.at > Time::ZERO => self.bound.push(after()),
            What::PodTolerations => self.tolerations.push(after()),
            What::PodCondition(PodConditionType::Ready, ..) => {
                self.ready_for_node = r.actor == Actor::NodeLifecycle;
            }
            _ => {}
        }
    }

    /// The evictions and deletions with which it ended.
    pub(super) fn ends(&self) -> impl Iterator<Item = &Moment<'a>> {
        self.evicted.iter().map(|(m, _)| m).chain(&self.deleted)
    }

    /// The timer that was cancelled last, if it had run out by then: its eviction was under way, and goes on.
    fn under_way(&self) -> Option<usize> {
        let timer = self.timers.last()?;
        let too_late = self.cancelled.last().is_some_and(|c| timer.cancelled_too_late(c));
        too_late.then(|| self.timers.len() - 1)
    }

    /// A record with which the deletion of the pod begins or ends; `timer` is the record of the
    /// timer that ran before it.
    fn removal(
        &mut self,
        r: &Record,
        step: &Step,
        before: impl FnOnce() -> Moment<'a>,
        timer: Option<RecordId>,
    ) {
        if step.eviction(r).is_some() {
            let led = timer
                .and_then(|t| self.timers.iter().position(|own| own.set.record == t))
                .or_else(|| self.under_way().filter(|_| r.actor == Actor::TaintEviction));
            self.evicted.push((before(), led));
        } else if step.deletion_begins().is_some() {
            self.deleted.push(before());
        }
    }
}
