//! What is noted of the containers and the image of a pod, as far as it tells why the pod is not Ready.
//!
//! Notes do not name a container. Init containers end one after the other, so that those that have ended are the first ones; of a
//! pod whose sidecars end as well it is not known which of them have.

use super::prelude::*;
use crate::api::container::Role;
use crate::api::pod::PodTemplate;

/// What holds of the containers of a pod by the notes of its life.
#[derive(Clone, Copy, Default)]
pub(super) struct Noted {
    /// The last note, and its argument. That a container ended or was killed holds until one is started.
    pub(super) last: Option<(Note, u32)>,
    /// Before it backed off, or ended, its container was killed for a probe.
    pub(super) is_killed: bool,
    /// The exit code of the container with whose end the pod ceased to serve.
    ended: Option<u32>,
    /// Whether all of them serve, where that was noted.
    serves: Option<bool>,
    /// How many init containers have ended well since the machine started.
    inits: usize,
}

impl Noted {
    /// Takes in a record about the pod.
    pub(super) fn take(&mut self, trace: &Trace, r: &Record) {
        match r.what {
            What::PodCreated(_) => *self = Self::default(),
            What::ContainersStarted(_) => {
                let is_past = |(note, _): &(Note, u32)| {
                    matches!(note, Note::ContainerEnded | Note::BackOff | Note::ContainerUnhealthy)
                };
                if self.last.as_ref().is_some_and(is_past) {
                    let serves = self.serves != Some(false);
                    self.last = Some((Note::ContainerServes, serves.into()));
                }
            }
            What::Noted(note, arg) if is_own(note) => {
                self.ended = match (note, self.last) {
                    (Note::ContainerServes, Some((Note::ContainerEnded, code))) => Some(code),
                    (Note::ContainerEnded, _) => Some(arg),
                    _ => None,
                };
                if note == Note::ContainerServes {
                    self.serves = Some(arg > 0);
                }
                self.inits += usize::from((note, arg) == (Note::ContainerEnded, 0));
                let cause = trace.get(r.cause).map(|c| c.what);
                self.is_killed = matches!(cause, Some(What::Noted(Note::ContainerUnhealthy, _)));
                self.last = Some((note, arg));
            }
            _ => {}
        }
    }

    /// The machine of its node stops: its init containers run anew.
    pub(super) fn starts_over(&mut self) {
        self.inits = 0;
    }

    /// Its init containers that have not ended.
    pub(super) fn inits_left<'t>(&self, template: &'t PodTemplate) -> Vec<&'t str> {
        let all = || template.containers.iter();
        let inits = all().filter(|c| c.role == Role::Init);
        let ends = all().any(|c| c.role == Role::Sidecar && c.life.ends.is_some());
        inits.skip(if ends { 0 } else { self.inits }).map(|c| &*c.name).collect()
    }

    /// Of a pod that has not started: nothing is noted of what it does, and it waits for an init container, or is past the last.
    pub(super) fn is_initializing(&self, template: &PodTemplate) -> bool {
        match self.last {
            Some((Note::ContainerEnded, 0)) => template.main() > 0,
            Some((Note::ImagePulled, _)) | None => !self.inits_left(template).is_empty(),
            _ => false,
        }
    }

    /// With what the container has exited that has ended last, and is not started again; of several.
    pub(super) fn done(&self, template: &PodTemplate) -> Option<u32> {
        let code = self.ended.filter(|_| !template.containers.is_empty())?;
        let restarts = template.restart_policy.restarts(i32::try_from(code).unwrap_or(i32::MAX));
        (!restarts).then_some(code)
    }
}

/// Whether a note is of a pod's containers or of its image.
pub(super) fn is_own(note: Note) -> bool {
    matches!(
        note,
        Note::ContainerServes
            | Note::ContainerEnded
            | Note::ContainerUnhealthy
            | Note::BackOff
            | Note::ImagePulling
            | Note::ImagePulled
            | Note::ImagePullFailed
    )
}

/// What a pod does that is bound and has not started, by its init containers that have not ended.
pub(super) fn start(inits: &[&str]) -> String {
    match inits {
        [] => "its containers start".to_owned(),
        [one] => format!("waits for init container {one}, which has not ended"),
        all => {
            format!("waits for its init containers {}, not all of which have ended", all.join(", "))
        }
    }
}
