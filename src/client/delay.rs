//! A delay: constant, or uniform between two values.

use crate::kernel::{Ctx, Dur, Object, PointId};

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
    pub fn is_constant(self) -> bool {
        self.min == self.max
    }

    /// One such delay.
    pub fn draw(self, ctx: &Ctx, point: PointId, object: Object) -> Dur {
        if self.is_constant() {
            self.min
        } else {
            Dur::from_nanos(ctx.uniform(point, object, self.min.as_nanos(), self.max.as_nanos()))
        }
    }
}
