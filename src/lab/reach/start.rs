//! What a run is made of: a tape of deviations, and orders of whole instants.

use crate::kernel::choice::{Coming, Deviation, Orders};
use crate::kernel::{Choices, Time};

/// What a run is made of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Start {
    /// Sorted.
    pub(super) tape: Vec<Deviation>,
    /// Orders of whole instants; what the tape says goes before these.
    pub(super) orders: Orders,
}

impl Start {
    pub(super) fn choices(&self) -> Choices {
        Choices::tape(
            self.tape.clone(),
            Choices::ordered(self.orders.clone(), Choices::default_order()),
        )
    }

    pub(super) fn with(&self, other: &Other) -> Self {
        let mut start = self.clone();
        start
            .tape
            .retain(|d| !other.replaced.iter().any(|o| is_about_the_same(d, o)));
        start.tape = with(&start.tape, other.deviations.clone());
        if let Some((at, order)) = &other.order {
            start.orders.put(*at, order.clone());
        }
        start
    }
}

/// Other choices of a run, made at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Other {
    /// When, in nanoseconds.
    pub(super) at: u64,
    pub(super) deviations: Vec<Deviation>,
    /// Another order of a whole instant.
    pub(super) order: Option<(Time, Vec<Coming>)>,
    pub(super) replaced: Vec<Deviation>,
    /// The search goes on from the run with it only if more records are at their times there.
    pub(super) strict: bool,
}

impl Other {
    pub(super) fn of((at, deviations): (u64, Vec<Deviation>)) -> Self {
        Self {
            at,
            deviations,
            ..Self::default()
        }
    }
}

/// A tape with other choices laid over it, sorted.
fn with(tape: &[Deviation], others: Vec<Deviation>) -> Vec<Deviation> {
    let kept = tape
        .iter()
        .filter(|d| !others.iter().any(|o| is_about_the_same(d, o)))
        .cloned();
    let mut tape: Vec<Deviation> = kept.chain(others.iter().cloned()).collect();
    tape.sort();
    tape
}

pub(super) fn is_about_the_same(a: &Deviation, b: &Deviation) -> bool {
    (&a.point, a.object, a.ordinal) == (&b.point, b.object, b.ordinal)
}
