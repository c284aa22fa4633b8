//! The image of a pod's container, and how long it takes to get it onto a node.

use crate::kernel::{Dur, Spread};
use std::rc::Rc;

/// An image, as far as it matters here: a name, under which a node has it or not, and how long it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Pods that name it alike share what a node has.
    pub(crate) name: Rc<str>,
    /// How long it takes to pull it onto a node that does not have it.
    pub(crate) pull: Spread,
    /// How long a pull takes where the node has it: the registry is asked, and nothing is loaded.
    pub(crate) check: Dur,
    /// `imagePullPolicy: Always`: it is pulled whether the node has it or not.
    pub(crate) always: bool,
}
