//! Primitive steps with offsets from the beginning of their entry.

use super::world::World;
use crate::kernel::Dur;
use crate::language::NodeSelector;
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, at};
use crate::plan::{Do, NodeIndex, Phase};

/// One primitive step: when, from the beginning of its entry; which part of the entry; what.
pub(super) type Primitive = (Dur, Phase, Do);

/// The beginning of an entry.
pub(super) const START: Dur = Dur::from_nanos(0);

/// How many nodes a step names, and the step itself.
pub(super) fn weight(act: &Do) -> u64 {
    1 + act.nodes().map_or(0, |nodes| nodes.len() as u64)
}

/// The entry whose steps are read.
pub(super) struct Of<'a> {
    /// Its number in the timeline.
    pub(super) i: usize,
    /// How long it lasts, if it ends.
    pub(super) lasts: Option<Dur>,
    /// What its steps are looked up in.
    pub(super) world: &'a World<'a>,
}

impl Of<'_> {
    /// The place of the entry's step.
    pub(super) fn place(&self) -> Place {
        at!["timeline", self.i, "do"]
    }

    /// The place of a field of the entry's step.
    pub(super) fn at(&self, field: &'static str) -> Place {
        at!["timeline", self.i, "do", field]
    }

    /// The nodes that it names.
    pub(super) fn nodes(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        complaints: &mut Complaints,
    ) -> Option<Vec<NodeIndex>> {
        self.world.target_nodes(self.i, node.as_deref(), nodes.as_ref(), complaints)
    }

    /// What begins, and what ends it.
    pub(super) fn lasting(&self, begin: Do, end: Do) -> Option<Vec<Primitive>> {
        let mut steps = vec![(START, Phase::Begin, begin)];
        steps.extend(self.lasts.map(|d| (d, Phase::End, end)));
        Some(steps)
    }

    /// A step for each object that the entry adds.
    pub(super) fn each_added(&self, act: impl Fn(u32) -> Do) -> Option<Vec<Primitive>> {
        each(self.world.added.get(&self.i)?, act)
    }
}

/// A single step.
pub(super) fn once(act: Do) -> Option<Vec<Primitive>> {
    Some(vec![(START, Phase::Begin, act)])
}

/// The same for each of several: the first begins the entry.
pub(super) fn each(all: &[u32], act: impl Fn(u32) -> Do) -> Option<Vec<Primitive>> {
    Some(
        all.iter()
            .enumerate()
            .map(|(k, &x)| (START, if k == 0 { Phase::Begin } else { Phase::Step }, act(x)))
            .collect(),
    )
}
