//! A run's input as plain data: what `scenario` writes, `sim` runs, and `analysis` and `report`
//! read.

mod eviction;
pub(crate) mod log_forms;
mod objects;
mod perturb;
mod profile;
mod resource;
mod run;
mod settings;
mod size;
pub mod switches;
mod timeline;
mod timing;

pub(crate) use eviction::with_allocatable;
pub use eviction::{Amount, Eviction, Signal, Threshold};
pub use objects::*;
pub(crate) use perturb::Unknown;
pub use perturb::{Perturb, Whom};
pub use profile::Profile;
pub(crate) use profile::WatchRetry;
pub use resource::Resource;
pub(crate) use run::{CountedBefore, FailedBefore, Waited};
pub use run::{Memory, Plan};
pub use settings::{Admission, Controllers, Flags, PriorityPeriods, SchedulerSettings, Strategy};
pub(crate) use size::Size;
pub use timeline::*;
pub use timing::*;
