//! What most parts of this controller name, beside what every controller does. The parts that stand here take the
//! prelude of all controllers themselves.

pub(super) use super::core::{Core, create_pods, seconds, slow_start_batch};
pub(super) use super::daemon_pods::ShouldRun;
pub(super) use super::job_memory::JobMemory;
pub(super) use crate::api::workload::WorkloadStatus;
pub(super) use crate::client::RateLimiter;
pub(super) use crate::controllers::prelude::*;
pub(super) use crate::plan::switches::workload::JobSwitches;
