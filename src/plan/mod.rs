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

pub use eviction::*;
pub use objects::*;
pub use perturb::*;
pub use profile::*;
pub use resource::Resource;
pub use run::*;
pub use settings::*;
pub(crate) use size::Size;
pub use timeline::*;
pub use timing::*;
