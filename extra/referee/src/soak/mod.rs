//! Soaking: random scenarios of the whole language, each run in every way there is and held to
//! everything that must hold.
//!
//! [`random`] makes the scenario of a seed, [`check`] runs it, [`soak`] does so for many seeds, and
//! [`smallest`] takes from a scenario that fails what its failure does not need. [`healthy`] makes
//! clusters in which nothing is wrong, for the properties that must not say that something is.

mod checks;
mod command;
mod draw;
mod healthy;
mod many;
mod results;
mod scenario;
mod used;
mod words;
mod written;

pub use checks::{Also, Failed, Verdict, check, note_panics};
pub use command::{SoakArgs, command};
pub(crate) use healthy::UPSTREAM;
pub(crate) use healthy::hunted;
pub use healthy::{Alarm, alarms, healthy};
pub use many::{Found, Soaked, smallest, soak, text_of};
pub use results::results;
pub use scenario::{Random, random};
pub use used::everything;
