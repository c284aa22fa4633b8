//! A delay: constant, or uniform between two values.

use crate::kernel::Dur;

/// A delay: constant, or uniform between two values, drawn each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Delay {
    /// At least.
    pub min: Dur,
    /// At most.
    pub max: Dur,
}

impl Delay {
    /// The same delay each time.
    pub const fn constant(d: Dur) -> Self {
        Delay { min: d, max: d }
    }

    /// Whether nothing is drawn.
    pub(crate) fn is_constant(self) -> bool {
        self.min == self.max
    }
}
