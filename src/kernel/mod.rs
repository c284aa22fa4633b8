//! Simulation kernel: knows nothing of Kubernetes, does no IO, cannot fail.
//!
//! A [`Kernel`] owns an event queue and processes (`async fn`s in virtual time); everything else
//! reaches it through a [`Ctx`]. Whatever a real cluster leaves to chance is asked of [`Choices`].
//! Wrong use from inside the program (parking outside a process, a re-entered [`Shared`]) panics;
//! nothing that a user can write leads there.

mod chances;
pub mod choice;
mod class;
mod core;
mod ctx;
mod declared;
mod endless;
mod executor;
mod hash_index;
mod process;
pub mod queue;
mod room;
pub mod search;
mod searcher;
mod shared;
mod stepping;
pub mod sync;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod time;
mod turns;

pub use choice::{Choices, Object, PointId};
pub use class::Class;
pub use core::{Argument, Handler, HandlerId, NONE};
pub use ctx::Ctx;
pub use endless::Endless;
pub use executor::Kernel;
pub use hash_index::HashIndex;
pub use process::{Group, Ticket};
pub use queue::{EventKey, EventQueue, Idler, Lane};
pub use room::Room;
pub use search::{Key, Keys, Name};
pub use shared::Shared;
pub use sync::{Chan, Either, Held, Join, Lock, Waiters, select2};
pub(crate) use table::slot;
pub use time::{Dur, Time};
pub use turns::NEXT;
