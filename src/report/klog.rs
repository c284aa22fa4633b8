//! A run as the lines that the release's own controllers write to their logs, in klog's format.
//!
//! Where a scenario does not say when it begins, time is the recorder's: the run starts at
//! 2000-01-01T00:00:00Z, of which klog's header shows month, day and time of day; the process is number 1. Messages, files and levels are those of
//! upstream's source at the last patch of each minor release where a form begins
//! (`plan::log_forms`); the numbers of lines are those of one release
//! of each form (of 1.34.4 for today's), so that a line can be found, and not compared.
//!
//! All processes are in one log, as if kube-controller-manager and kube-scheduler wrote to one
//! file. A line stands where its record stands, so that a controller seems to notice a change of a
//! pod when it is made. An event is logged when it is stored, and not at all if the correlator
//! drops it. That a node "is healthy again" is logged of nodes that had a taint, and not of those
//! that only waited for one. `timeAdded` of a taint is the time at which it was written; durations
//! are to the millisecond. The words are compared with logs of the recorder in `tests/logs`.
//!
//! Left out is what has no record: heartbeats that arrive, passes that find a silent node still
//! silent, how many nodes the scheduler looked at, times in conditions, uids, resource versions,
//! what is logged when a process starts, and what StatefulSets, DaemonSets and Jobs say of each
//! sync.

mod format;
mod log;
mod node_lifecycle;
mod prelude;
mod statements;
mod taint_eviction;

use self::log::{Log, creations, text};
use self::prelude::*;
use self::statements::Said;
use crate::api::pod::PodConditionType;

/// What a file of the log begins with, which tells it from one of a cluster: klog gives its files such a head (`rotateFile`).
pub const HEAD: &str = "Running on machine: taintsim\nLog line format: [IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n";

/// Writes the log up to that level.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, analysis: &Analysis<'_>, level: u8) -> io::Result<()> {
    let mut log = Log::new(analysis, level);
    let mut follow = Follow::new(analysis);
    let mut timers = Timers::default();
    let batches = creations(analysis);
    for (r, id) in analysis.trace.iter().zip(0..) {
        timers.due(r, |at, pod| log.fired(at, pod));
        if let Some(batch) = batches.get(&id) {
            log.too_few(r.at, batch);
        }
        log.marking(r, &follow);
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
            (What::ClaimMessage(message), _) => {
                // What external-provisioner says is in the log of that.
                use EventText::{Provisioning, ProvisioningFailed, ProvisioningSucceeded};
                let text = self.analysis.trace.messages[message as usize].body.text;
                if !matches!(text, Provisioning | ProvisioningFailed | ProvisioningSucceeded) {
                    self.event(r);
                }
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
