//! A pod that the scheduler is to place, with what filters and scores read of it.

use super::plugins::dynamic_resources::PodDevices;
use super::plugins::volume_binding::PodVolumes;
use crate::controllers::scheduler::prelude::*;

/// A pod to be placed.
#[derive(Clone, Copy)]
pub struct Incoming<'a> {
    /// The pod to be placed.
    pub pod: &'a Rc<Pod>,
    /// Its shape.
    pub shape: &'a Rc<Shape>,
    /// The selector of its owner, where it has one that selects.
    pub owners: Option<&'a Rc<Selector>>,
    /// Its volumes, if it has any.
    pub volumes: Option<&'a PodVolumes<'a>>,
    /// What it claims of devices, if it does.
    pub devices: Option<&'a PodDevices<'a>>,
}
