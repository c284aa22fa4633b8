//! The machines that faults and maintenances keep off.

use super::world::World;
use crate::sim::prelude::*;
use std::collections::BTreeSet;

/// What keeps a machine off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OffBy {
    /// A fault of the timeline.
    Fault,
    /// A maintenance.
    Maintenance,
    /// It was told to go off.
    Shutdown,
}

/// The machines that are off, and why. One that two things keep off boots when both have ended.
pub(super) struct Machines {
    world: Rc<World>,
    off: Shared<BTreeSet<(NodeId, OffBy)>>,
}

impl Machines {
    /// All are on.
    pub(super) fn new(world: &Rc<World>) -> Self {
        Self { world: world.clone(), off: Shared::default() }
    }

    /// A machine stops, if it has not.
    pub(super) fn switch_off(&self, node: NodeId, by: OffBy) {
        self.off.with(|o| o.insert((node, by)));
        self.world.kubelets.crash(node);
    }

    /// A machine is told to go off; with `at_most`, it is off after this time in any case.
    pub(super) fn shut_down(&self, node: NodeId, at_most: Option<Dur>) {
        self.off.with(|o| o.insert((node, OffBy::Shutdown)));
        self.world.kubelets.shut_down(node, at_most);
    }

    /// A machine boots, if nothing else keeps it off.
    pub(super) fn switch_on(&self, node: NodeId, by: OffBy) {
        let free = self.off.with(|o| {
            o.remove(&(node, by));
            let all = [OffBy::Fault, OffBy::Maintenance, OffBy::Shutdown];
            !all.into_iter().any(|by| o.contains(&(node, by)))
        });
        if free {
            self.world.kubelets.boot(node);
        }
    }

    /// A node is deleted: what joins under its name is another machine.
    pub(super) fn forget(&self, node: NodeId) {
        self.off.with(|o| o.retain(|(n, _)| *n != node));
    }
}
