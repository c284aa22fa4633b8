//! Which controllers say something at a record.

use super::log::Log;
use crate::analysis::state::Step;
use crate::api::meta::ConditionStatus;
use crate::api::pod::PodConditionType;
use crate::kernel::Time;
use crate::trace::{Actor, Note, Record, What};

impl Log<'_> {
    /// What a record makes the controllers say.
    pub(super) fn record(&mut self, r: &Record, step: &Step) {
        match (r.what, r.actor) {
            (What::Noted(note, arg), _) => self.noted(r, note, arg, step),
            (What::TimerSet(seconds), _) => self.timer_set(r, seconds),
            (What::TimerCancelled, _) => self.timer_cancelled(r),
            (What::PodDeleting(_), Actor::TaintEviction) => self.worker_finished(r),
            (What::EvictionFailed, _) => self.worker_failed(r),
            (What::NodeQueued, _) => self.queued(r),
            (What::PodGone, actor) => {
                if actor == Actor::PodGc {
                    self.collected(r, step);
                }
                self.pod_gone(r);
            }
            (What::PodCreated(_) | What::PodTolerations, _) if r.at > Time::ZERO => {
                self.pod_noticed(r)
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
            (What::MasterDisruptionEntered, _) => self.all_dark(r),
            (What::MasterDisruptionLeft, _) => self.some_ready(r),
            (What::NodeEvent(event, ..), Actor::NodeLifecycle) => {
                self.node_event(r, event);
                self.event(r);
            }
            (What::PodBound(node), actor) => {
                if actor == Actor::Scheduler {
                    self.bound(r, node);
                }
                self.pod_noticed(r);
            }
            (What::PodMessage(message), Actor::Scheduler) => self.unschedulable(r, message),
            (What::PodDeleting(_), Actor::PodGc) => self.collected(r, step),
            (
                What::NodeEvent(..)
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
            Note::LastHeartbeat | Note::RenewalUnseen | Note::LeaseRenewed => {}
            Note::ZoneQueue => self.zone_metric(r),
            Note::TaintsKnown => {
                let analysis = self.analysis;
                let taints = analysis.trace.taints.get(arg as usize).map_or(&[][..], |c| &c.added);
                self.known(r, taints);
            }
            Note::TaintsGone => {
                self.known(r, &[]);
                if arg != 0 {
                    self.taints_gone(r);
                }
            }
            Note::NotTolerated => self.not_tolerated(r, step),
            Note::ToleratesForever => self.tolerates_forever(r),
            Note::WorkExists => self.work_exists(r),
        }
    }
}
