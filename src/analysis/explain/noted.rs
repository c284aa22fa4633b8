//! What is noted of the containers and the image of a pod, as far as it tells why the pod is not Ready.
//!
//! Notes name a container that starts while others have yet to. Init containers and sidecars start one after the other, each for the
//! first time once those before it are done, so that the pod waits for the last that did so.

use super::prelude::*;
use crate::api::container::{Container, Role};

/// What holds of the containers of a pod by the notes of its life.
#[derive(Clone, Copy, Default)]
pub(super) struct Noted<'a> {
    /// The last note, and its argument. That a container ended or was killed holds until one is started.
    pub(super) last: Option<(Note, u32)>,
    /// The container that this is about, by name where the pod has several; once one has ended also that it serves no more.
    pub(super) name: Option<&'a str>,
    /// Before it backed off, or ended, its container was killed for a probe.
    pub(super) is_killed: bool,
    /// The exit code of the container with whose end the pod ceased to serve.
    ended: Option<u32>,
    /// Whether all of them serve, where that was noted.
    serves: Option<bool>,
    /// The last container that started for the first time since the machine did, before all had.
    started: Option<&'a str>,
}

impl<'a> Noted<'a> {
    /// Takes in a record about the pod.
    pub(super) fn take(&mut self, trace: &'a Trace, r: &Record) {
        match r.what {
            What::PodCreated(_) => *self = Self::default(),
            What::ContainersStarted(_) => {
                self.name = None;
                use Note::{BackOff, ContainerEnded, ContainerServes, ContainerUnhealthy};
                self.last = match self.last {
                    Some((ContainerEnded | BackOff | ContainerUnhealthy, _)) => {
                        Some((ContainerServes, (self.serves != Some(false)).into()))
                    }
                    last => last.filter(|(note, _)| !is_start(*note)),
                };
            }
            What::Noted(note, arg) if Note::OF_CONTAINERS.contains(&note) => {
                let (arg, name) = note.parts(arg);
                if !matches!(
                    (note, self.last),
                    (Note::ContainerServes, Some((Note::ContainerEnded, _)))
                ) {
                    self.name = name.map(|name| trace.names.text_of(name));
                }
                self.ended = match (note, self.last) {
                    (Note::ContainerServes, Some((Note::ContainerEnded, code))) => Some(code),
                    (Note::ContainerEnded, _) => Some(arg),
                    _ => None,
                };
                if note == Note::ContainerServes {
                    self.serves = Some(arg > 0);
                }
                if note == Note::ContainerStarted {
                    self.started = Some(trace.names.text_of(TextId(arg)));
                }
                let cause = trace.get(r.cause).map(|c| c.what);
                self.is_killed = matches!(cause, Some(What::Noted(Note::ContainerUnhealthy, _)));
                self.last = Some((note, arg));
            }
            _ => {}
        }
    }

    /// The machine of its node stops: its init containers run anew.
    pub(super) fn starts_over(&mut self) {
        self.started = None;
    }

    /// What a pod does that is bound and has not started: of its init containers and sidecars it waits for the one that started last,
    /// or, before that is known, for all.
    pub(super) fn start(&self, template: Option<&PodTemplate>) -> String {
        let all = template.map_or(&[][..], |t| &t.containers[..t.main()]);
        let of = |name: &str| all.iter().find(|c| &*c.name == name);
        match (self.started.map(of), all) {
            (Some(Some(c)), _) | (None, [c]) => waits_for(c),
            (Some(None), _) | (None, []) => "its containers start".to_owned(),
            (None, _) => {
                let names: Vec<&str> = all.iter().map(|c| &*c.name).collect();
                let names = names.join(", ");
                format!("it waits for its init containers {names}, not all of which are done")
            }
        }
    }

    /// Of a pod that has not started: nothing is noted but which of its containers started, if it has any that go before others.
    pub(super) fn is_initializing(&self, template: &PodTemplate) -> bool {
        self.last.map_or(template.main() > 0, |(note, _)| is_start(note))
    }

    /// With what the container has exited that has ended last, and is not started again; of several.
    pub(super) fn done(&self, template: &PodTemplate) -> Option<u32> {
        let code = self.ended.filter(|_| !template.containers.is_empty())?;
        let restarts = template.restart_policy.restarts(i32::try_from(code).unwrap_or(i32::MAX));
        (!restarts).then_some(code)
    }
}

/// Whether a note is of the start of one container.
fn is_start(note: Note) -> bool {
    matches!(note, Note::ContainerStarted | Note::ContainerRestarted)
}

/// That a pod waits for one of those before its others.
fn waits_for(c: &Container) -> String {
    let name = &c.name;
    match c.role {
        Role::Sidecar => format!("it waits for sidecar {name}, which has not started"),
        _ => format!("it waits for init container {name}, which has not ended"),
    }
}
