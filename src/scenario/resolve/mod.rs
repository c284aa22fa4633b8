//! From what a file says to a [`Plan`](crate::plan::Plan): names are looked up, texts are read,
//! releases and limits are checked, the timeline is spread out. Everything that is wrong is found
//! in one go.

mod assembly;
mod assumed;
mod budgets;
mod checks;
mod declared;
mod describe;
mod device_claims;
mod devices;
mod draw;
mod dropped;
mod expect;
mod faults;
mod group_names;
mod idle;
mod kubelets;
mod lives;
mod memory;
mod models;
mod namespaces;
mod nodes;
mod notes;
mod outages;
mod overlap;
mod overrides;
mod pod_names;
mod pods;
mod prelude;
mod primitive;
mod priorities;
mod read_models;
mod readiness;
mod resolved;
mod scheduling;
mod select;
mod spans;
mod tape;
mod timeline;
mod timing;
mod volumes;
mod when;
mod workload_fields;
mod workload_groups;
mod workload_pods;

pub(crate) use assembly::Drawn;
pub(crate) use devices::rule_for;
pub(crate) use draw::LONGEST_S;
pub use group_names::{NODES_MAX, PODS_MAX};
pub(crate) use models::{Model, Object, Tilt, YEAR_S};
pub(crate) use outages::{Away, Outage, instead, replace_timeline};
pub use overrides::Overrides;
pub(crate) use read_models::{OUTAGES_MAX, group_of, no_group};
pub use resolved::{build, changed, expecting, seed};
pub(crate) use resolved::{drawn, mistakes};
pub use tape::switch_on;
