//! Simulation kernel: knows nothing of Kubernetes, does no IO, cannot fail.
//!
//! A [`Kernel`] owns an event queue and processes (`async fn`s in virtual time); everything else
//! reaches it through a [`Ctx`]. Whatever a real cluster leaves to chance is asked of [`Choices`].
//! Wrong use from inside the program (parking outside a process, a re-entered `Shared`) panics;
//! nothing that a user can write leads there.

mod chances;
pub mod choice;
mod core;
mod ctx;
mod executor;
mod heap;
mod process;
pub(crate) mod queue;
pub mod search;
mod searcher;
mod spread;
pub(crate) mod sync;
mod table;
#[cfg(test)]
mod tests;
mod time;
mod turns;

pub(crate) use choice::GROUP_SLOTS;
pub use choice::{Choices, Object, PointId};
pub(crate) use core::{Argument, Handler, HandlerId};
pub use ctx::Ctx;
pub use executor::{Endless, Kernel};
pub(crate) use heap::Heap;
pub(crate) use process::{Group, Ticket, Work};
pub use queue::{Class, EventKey, EventQueue};
pub(crate) use queue::{Idler, Lane};
pub(crate) use search::{Key, Keys, Name};
pub(crate) use searcher::Room;
pub use spread::Spread;
pub use sync::Chan;
pub(crate) use sync::{Either, Held, Join, Lock, Shared, Waiters, select2};
pub(crate) use table::{HashIndex, Numbers, replace, slot, swap};
pub use time::{Dur, Time};
pub(crate) use turns::NEXT;
