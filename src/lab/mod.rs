//! Many runs: the same scenario with other values and other seeds, two sides over the same seeds,
//! scenarios compared with what they expect, and the race lab.
//!
//! Nothing here does IO. What comes out does not depend on how many threads worked on it.

pub mod dice;
pub(crate) mod endless;
pub mod explore;
pub(crate) mod forecast;
pub(crate) mod pairs;
mod placed;
pub(crate) mod planner;
mod prelude;
pub mod replay;
pub(crate) mod shards;
pub mod shrink;
pub(crate) mod survey;
pub(crate) mod sweep;
pub mod tape;
mod threads;
pub mod trial;

pub(crate) use forecast::{Forecast, Forecasting};
pub(crate) use pairs::Pairs;
pub(crate) use shards::{Desk, Keeper, Shared};
pub(crate) use sweep::{Axis, Case, FirstRow, Prepared, Sweep, pieces_of};
pub use threads::Away;
pub(crate) use threads::{Event, Stopped};
pub use trial::Trial;
pub(crate) use trial::not_violable;
