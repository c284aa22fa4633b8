//! A run's input as plain data: what `scenario` writes, `sim` runs, and `analysis` and `report`
//! read.

mod delay;
mod eviction;
mod kubelet;
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

pub use delay::Delay;
pub(crate) use eviction::with_allocatable;
pub use eviction::{Amount, Eviction, Signal, Threshold};
pub use kubelet::{Imitated, KubeletMode, Real};
pub use objects::{
    BudgetIndex, BudgetPlan, NamespaceTolerations, NodeIndex, NodePlan, NodeStart, PodIndex,
    PodPlan, PodStart, Readiness, WorkloadIndex, WorkloadPlan,
};
pub(crate) use perturb::Unknown;
pub use perturb::{Perturb, Whom};
pub use profile::Profile;
pub(crate) use profile::WatchRetry;
pub use resource::Resource;
pub(crate) use run::{CountedBefore, FailedBefore, Waited};
pub use run::{Memory, Plan};
pub use settings::{Admission, Controllers, Flags, PriorityPeriods, SchedulerSettings, Strategy};
pub(crate) use size::Size;
pub use timeline::{
    Action, Clients, Connections, DeviceTaintEdit, Do, DrainOptions, IfNotDrained, Instance,
    Maintenance, NewRule, NodeFault, Phase, RuntimeFails, Successor, TimelineEntry, WatchCache,
};
pub use timing::{LeaderElection, Limits, Timing, UserMode};
