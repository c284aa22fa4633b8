//! Goes through the records of a run, and writes what the controllers say at each.

use super::log::{Log, creations, text};
use super::prelude::*;
use super::statements::Said;
use crate::api::pod::PodConditionType;

/// Writes the log up to that level.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, analysis: &Analysis<'_>, level: u8) -> io::Result<()> {
    let mut log = Log::new(analysis, level);
    let mut follow = Follow::new(analysis);
    let mut timers = Timers::default();
    let (batches, marked) = (creations(analysis), markings(analysis));
    for (r, id) in analysis.trace.iter().zip(0..) {
        timers.due(r, |at, pod| log.fired(at, pod));
        if let Some(batch) = batches.get(&id) {
            log.too_few(r.at, batch);
        }
        if marked.contains(&id) {
            log.marking(r, &follow);
        }
        let step = follow.apply(id, r);
        log.record(r, &step);
        timers.record(r);
        if log.text.len() > 1 << 16 {
            out.write_all(log.text.as_bytes())?;
            log.text.clear();
        }
    }
    out.write_all(log.text.as_bytes())
}

impl Log<'_> {
    /// What a record makes the controllers say.
    fn record(&mut self, r: &Record, step: &Step) {
        match (r.what, r.actor) {
            (What::Noted(note, arg), _) => self.noted(r, note, arg, step),
            (What::TimerSet(seconds), _) => self.timer_set(r, seconds),
            (What::TimerCancelled, _) => self.timer_cancelled(r),
            (What::PodDeleting(_), Actor::TaintEviction) => self.worker_finished(r),
            (What::EvictionFailed, _) if self.forms.timed_workers != WorkerLog::Printf => {
                self.say(r.at, Said::Failed, &[("err", text("the server did not answer"))]);
            }
            (What::NodeQueued, _) => self.queued(r),
            (What::PodGone, actor) => {
                if actor == Actor::PodGc {
                    self.collected(r, step);
                }
                self.pod_gone(r);
            }
            (What::PodCreated(_) | What::PodTolerations, _) if r.at > Time::ZERO => {
                self.say_of_pod(r, Said::PodUpdated)
            }
            (What::NodeTaints(change), Actor::NodeLifecycle) => self.tainted(r, change),
            (What::NodeCondition(kind, status, reason), _) => {
                self.conditions.insert((r.object, kind), (status, reason));
            }
            (
                What::PodCondition(PodConditionType::Ready, ConditionStatus::False, _),
                Actor::NodeLifecycle,
            ) => self.pod_not_ready(r),
            (What::Zone(state), _) => self.zone(r, state),
            (What::MasterDisruptionEntered, _) => {
                self.dark = true;
                self.say(r.at, Said::AllDark, &[]);
            }
            (What::MasterDisruptionLeft, _) => {
                (self.dark, self.light_since) = (false, Some(r.at));
                self.say(r.at, Said::SomeReady, &[]);
            }
            (What::NodeEvent(event, ..), Actor::NodeLifecycle) => {
                self.node_event(r, event);
                self.event(r);
            }
            (What::PodBound(node), actor) => {
                if actor == Actor::Scheduler {
                    self.say_of_both(r, Said::Bound, self.node(node));
                }
                self.say_of_pod(r, Said::PodUpdated);
            }
            (What::PodMessage(_), Actor::Scheduler) => self.unschedulable(r),
            (What::PodDeleting(_), Actor::PodGc) => self.collected(r, step),
            (
                What::NodeEvent(..)
                | What::NodeMessage(_)
                | What::PodEvent(..)
                | What::PodMessage(_)
                | What::WorkloadMessage(_),
                actor,
            ) if !matches!(actor, Actor::Scheduler | Actor::Kubelet) => {
                self.event(r);
            }
            _ => {}
        }
    }

    /// What is said where a controller noted something.
    fn noted(&mut self, r: &Record, note: Note, arg: u32, step: &Step) {
        match note {
            Note::NodeExpired => self.expired(r, arg),
            Note::ZoneQueue => {
                let zone = self.analysis.trace.names.text_of(TextId(r.object));
                self.say(r.at, Said::ZoneMetric, &[("zone", text(zone))]);
            }
            Note::TaintsKnown => {
                let analysis = self.analysis;
                let taints = analysis.trace.taints.get(arg as usize).map_or(&[][..], |c| &c.added);
                self.known(r, taints);
            }
            Note::TaintsGone => {
                self.known(r, &[]);
                if arg != 0 {
                    self.say_of_node(r, Said::TaintsGone);
                }
            }
            Note::NotTolerated => self.not_tolerated(r, step),
            Note::ToleratesForever => self.tolerates_forever(r),
            Note::WorkExists => self.work_exists(r),
            // Of the rest these logs say nothing.
            _ => {}
        }
    }
}

/// The eviction timers that run, by when they run out.
#[derive(Default)]
struct Timers {
    due: BTreeSet<(Time, u32)>,
    of_pod: BTreeMap<u32, Time>,
}

impl Timers {
    /// Those that ran out before a record.
    fn due(&mut self, r: &Record, mut fired: impl FnMut(Time, u32)) {
        let ends_it = |pod: u32| matches!(r.what, What::TimerCancelled) && r.object == pod;
        while let Some(&(at, pod)) = self.due.first() {
            // A cancellation in the instant in which a timer would fire comes before it.
            if at > r.at || at == r.at && ends_it(pod) {
                break;
            }
            self.remove(pod);
            fired(at, pod);
        }
    }

    fn record(&mut self, r: &Record) {
        match r.what {
            What::TimerSet(seconds) => {
                let at = r.at.saturating_add(Dur::from_secs(seconds.into()));
                self.remove(r.object);
                self.due.insert((at, r.object));
                self.of_pod.insert(r.object, at);
            }
            What::TimerCancelled => self.remove(r.object),
            What::ControllersStopped => *self = Self::default(),
            _ => {}
        }
    }

    fn remove(&mut self, pod: u32) {
        if let Some(at) = self.of_pod.remove(&pod) {
            self.due.remove(&(at, pod));
        }
    }
}

/// Where the node lifecycle controller begins to set the pods of a node to not Ready: at the first
/// pod, or at the event of the node, which stands alone where there is no pod.
fn markings(analysis: &Analysis<'_>) -> BTreeSet<RecordId> {
    let mut marked = BTreeSet::new();
    let mut done: BTreeSet<u32> = BTreeSet::new();
    let mut follow = Follow::new(analysis);
    for (r, id) in analysis.trace.iter().zip(0..) {
        let step = follow.apply(id, r);
        match r.what {
            What::NodeCondition(NodeConditionType::Ready, ConditionStatus::True, _) => {
                done.remove(&r.object);
            }
            What::NodeEvent(EventText::NodeNotReady, ..)
                if r.actor == Actor::NodeLifecycle && done.insert(r.object) =>
            {
                marked.insert(id);
            }
            What::PodCondition(PodConditionType::Ready, ConditionStatus::False, _)
                if r.actor == Actor::NodeLifecycle =>
            {
                if let Some((_, _, pod)) = step.pod
                    && done.insert(pod.node)
                {
                    marked.insert(id);
                }
            }
            _ => {}
        }
    }
    marked
}
