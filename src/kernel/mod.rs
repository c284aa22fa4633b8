//! Simulation kernel: knows nothing of Kubernetes, does no IO, cannot fail.
//!
//! A [`Kernel`] owns an event queue and processes (`async fn`s in virtual time); everything else
//! reaches it through a [`Ctx`]. Whatever a real cluster leaves to chance is asked of [`Choices`].
//! Wrong use from inside the program (parking outside a process, a re-entered [`Shared`]) panics;
//! nothing that a user can write leads there.

pub mod choice;
mod class;
mod ctx;
mod executor;
mod hash_index;
mod process;
pub mod queue;
pub mod search;
mod searcher;
mod shared;
pub mod sync;
mod texts;
mod time;

pub use choice::{Choices, Object, PointId};
pub use class::Class;
pub use ctx::{Ctx, Handler, HandlerId, NONE};
pub use executor::{Endless, Kernel, NEXT};
pub use hash_index::HashIndex;
pub use process::{Group, Ticket};
pub use queue::{EventKey, EventQueue, Lane};
pub use search::{Key, Keys, Name};
pub use searcher::Room;
pub use shared::Shared;
pub use sync::{Chan, Either, Held, Join, Lock, Waiters, select2};
pub use time::{Dur, Time};
