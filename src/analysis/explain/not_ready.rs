//! Which pods of a workload are not Ready at a moment, and why.

use super::noted::Noted;
use super::prelude::*;

/// The pods of a workload at the moment in question.
#[derive(Default)]
pub(super) struct NotReady<'a> {
    /// What is noted of the containers and the image of a pod.
    noted: BTreeMap<PodId, Noted<'a>>,
    /// Why the last of its pods that the scheduler could not place could not be placed.
    pub(super) why_pending: Option<TextId>,
    /// Why its controller could create none of its pods any more, where that is so.
    pub(super) why_not_created: Option<TextId>,
    /// Pods that are bound to no node.
    pub(super) pending: u64,
    /// Pods that are bound, have not started, and of which nothing is noted.
    pub(super) starting: u64,
    /// Pods that are bound, and to whose node a volume is not attached.
    pub(super) unattached: u64,
    /// Pods that are being deleted.
    pub(super) terminating: u64,
    /// How many others are not Ready, by what is noted of them.
    by_reason: BTreeMap<String, u64>,
}

impl<'a> NotReady<'a> {
    /// Takes in a record about one of the pods, up to the moment.
    pub(super) fn take(&mut self, trace: &'a Trace, pod: PodId, r: &Record) {
        if let Some((why, _)) = trace.failed_scheduling(r) {
            self.why_pending = Some(why);
        }
        if matches!(r.what, What::PodCreated(_)) {
            self.why_not_created = None;
        }
        self.noted.entry(pod).or_default().take(trace, r);
    }

    /// A machine stops, on which these pods are.
    pub(super) fn machine_off(&mut self, is_there: impl Fn(PodId) -> bool) {
        let there = self.noted.iter_mut().filter(|(pod, _)| is_there(**pod));
        there.for_each(|(_, noted)| noted.starts_over());
    }

    /// Counts a pod that is so at the moment; whether its node is `well`, which else is why it is not Ready.
    pub(super) fn count(
        &mut self,
        pod: PodId,
        state: &PodState,
        of: Option<&PodTemplate>,
        well: bool,
    ) {
        let is_fine = !state.deleting && (state.ready || state.phase.is_terminal());
        if !state.exists || is_fine {
            return;
        }
        let noted = self.noted.get(&pod).filter(|_| well);
        let noted = noted.and_then(|n| reason(n, state.is_pending(), of));
        match (state.deleting, state.node_id(), noted) {
            (true, ..) => self.terminating += 1,
            (_, None, _) => self.pending += 1,
            _ if state.is_unattached() => self.unattached += 1,
            (.., Some(why)) => *self.by_reason.entry(why).or_default() += 1,
            (.., None) => self.starting += u64::from(state.is_pending()),
        }
    }

    /// How many are not Ready for which reason, by the reason.
    pub(super) fn reasons(&self) -> impl Iterator<Item = (&str, u64)> {
        self.by_reason.iter().map(|(why, n)| (&**why, *n))
    }
}

/// Why a pod is not Ready of which that is noted; whether it has yet to start, and what it was made from.
fn reason(noted: &Noted<'_>, is_pending: bool, of: Option<&PodTemplate>) -> Option<String> {
    if of.is_some_and(|t| is_pending && noted.is_initializing(t)) {
        return Some(noted.start(of));
    }
    let (note, arg) = noted.last?;
    let done = of.and_then(|t| noted.done(t));
    let why = match note {
        Note::ContainerServes | Note::ContainerEnded if done.is_some() => {
            "the container has ended, and is not started again"
        }
        Note::ImagePulling => "the pull of the image is waited for",
        Note::ImagePulled => "the image was pulled, and the container starts",
        Note::ImagePullFailed => "the image could not be pulled (ImagePullBackOff)",
        Note::BackOff if noted.is_killed => {
            "the container is killed for a probe again and again (CrashLoopBackOff)"
        }
        Note::BackOff => "the container ended again and again (CrashLoopBackOff)",
        Note::ContainerEnded => "the container has ended",
        Note::ContainerUnhealthy => "the container is killed for a probe",
        Note::ContainerServes if arg == 0 => "the container does not serve",
        Note::ContainerServes => "no probe has found yet that the container serves",
        _ => return None,
    };
    Some(match noted.name {
        Some(name) => why.replace("the container", &format!("container {name}")),
        None => why.to_owned(),
    })
}
