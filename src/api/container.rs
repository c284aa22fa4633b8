//! Containers of a pod (`v1.Container`) beside its main one, and their images.

use super::probe::Life;
use crate::api::prelude::*;

/// What a pod's main container is called, as nothing else is said of its name.
pub(crate) const MAIN: &str = "main";

/// What a container beside a pod's main one is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// An init container: what comes after it starts once it has ended well.
    Init,
    /// An init container with `restartPolicy: Always` (KEP-753): what comes after it starts once it has started, and it runs
    /// on beside the others.
    Sidecar,
    /// One of `spec.containers`.
    #[default]
    Beside,
}

/// How often containers of a pod were started again (`restartCount`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Restarts {
    /// All of them together.
    pub(crate) all: u32,
    /// That one of `spec.containers` for which it is most.
    pub(crate) most: u32,
    /// The same of sidecars.
    pub(crate) sidecars: u32,
}

impl Restarts {
    /// A container was started again so often.
    pub(crate) fn add(&mut self, role: Role, count: u32) {
        self.all += count;
        match role {
            Role::Init => {}
            Role::Sidecar => self.sidecars = self.sidecars.max(count),
            Role::Beside => self.most = self.most.max(count),
        }
    }
}

/// A container beside a pod's main one.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    /// `name`
    pub(crate) name: Rc<str>,
    /// What it is for.
    pub(crate) role: Role,
    /// Its image, where pulls are simulated.
    pub(crate) image: Option<Rc<Image>>,
    /// Its probes, and what is said of its life.
    pub(crate) life: Rc<Life>,
}

/// An image, as far as it matters here: a name, under which a node has it or not, and how long it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Pods that name it alike share what a node has.
    pub(crate) name: Rc<str>,
    /// How long it takes to pull it onto a node that does not have it.
    pub(crate) pull: Spread,
    /// How long a pull takes where the node has it: the registry is asked, and nothing is loaded.
    pub(crate) check: Dur,
    /// How many bytes it takes up on a node; 0 where that is not known.
    pub(crate) size: i64,
    /// `imagePullPolicy: Always`: it is pulled whether the node has it or not.
    pub(crate) always: bool,
}
