//! Which pods of a workload are not Ready at a moment, and why.

use super::prelude::*;

/// The pods of a workload at the moment in question.
#[derive(Default)]
pub(super) struct NotReady {
    /// What was last noted of the containers and the image of a pod.
    noted: BTreeMap<PodId, &'static str>,
    /// Why the last of its pods that the scheduler could not place could not be placed.
    pub(super) why_pending: Option<TextId>,
    /// Why its controller could create none of its pods any more, where that is so.
    pub(super) why_not_created: Option<TextId>,
    /// Pods that are bound to no node.
    pub(super) pending: u64,
    /// Pods that are bound, have not started, and of which nothing is noted.
    pub(super) starting: u64,
    /// Pods that are bound, have not started, and of which something is.
    pub(super) held: u64,
    /// Pods that are being deleted.
    pub(super) terminating: u64,
    /// How many others are not Ready, by what is noted of them.
    by_reason: BTreeMap<&'static str, u64>,
}

impl NotReady {
    /// Takes in a record about one of the pods, up to the moment.
    pub(super) fn take(&mut self, trace: &Trace, pod: PodId, r: &Record) {
        if let Some((why, _)) = trace.failed_scheduling(r) {
            self.why_pending = Some(why);
        }
        match r.what {
            What::PodCreated(_) => {
                self.why_not_created = None;
                self.noted.remove(&pod);
            }
            What::PodGone => _ = self.noted.remove(&pod),
            What::Noted(note, arg) => {
                let cause = trace.get(r.cause).map(|c| c.what);
                let is_killed = matches!(cause, Some(What::Noted(Note::ContainerUnhealthy, _)));
                self.noted.extend(reason(note, arg, is_killed).map(|why| (pod, why)));
            }
            _ => {}
        }
    }

    /// Counts a pod that is so at the moment; whether its node is `well`, which else is why it is not Ready.
    pub(super) fn count(&mut self, pod: PodId, state: &PodState, well: bool) {
        let is_fine = !state.deleting && (state.ready || state.phase.is_terminal());
        if !state.exists || is_fine {
            return;
        }
        let noted = self.noted.get(&pod).copied().filter(|_| well);
        match (state.deleting, state.node_id(), noted) {
            (true, ..) => self.terminating += 1,
            (_, None, _) => self.pending += 1,
            (.., Some(why)) => {
                self.held += u64::from(state.is_pending());
                *self.by_reason.entry(why).or_default() += 1;
            }
            (.., None) => self.starting += u64::from(state.is_pending()),
        }
    }

    /// How many are not Ready for which reason, by the reason.
    pub(super) fn reasons(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.by_reason.iter().map(|(why, n)| (*why, *n))
    }
}

/// Why a pod is not Ready of which that was noted last; whether a probe had killed its container.
fn reason(note: Note, arg: u32, is_killed: bool) -> Option<&'static str> {
    Some(match note {
        Note::ImagePulling => "the pull of the image is waited for",
        Note::ImagePulled => "the image was pulled, and the container starts",
        Note::ImagePullFailed => "the image could not be pulled (ImagePullBackOff)",
        Note::BackOff if is_killed => {
            "the container is killed for a probe again and again (CrashLoopBackOff)"
        }
        Note::BackOff => "the container ended again and again (CrashLoopBackOff)",
        Note::ContainerEnded => "the container has ended",
        Note::ContainerUnhealthy => "the container is killed for a probe",
        Note::ContainerServes if arg == 0 => "the container does not serve",
        Note::ContainerServes => "no probe has found yet that the container serves",
        _ => return None,
    })
}
