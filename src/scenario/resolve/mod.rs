//! From what a file says to a [`Plan`](crate::plan::Plan): names are looked up, texts are read,
//! releases and limits are checked, the timeline is spread out. Everything that is wrong is found
//! in one go.

mod actions;
mod assembly;
mod assumed;
mod budgets;
mod checks;
mod conditions;
mod declared;
mod describe;
mod draw;
mod expect;
mod faults;
mod found;
mod label_selector;
mod limits;
mod maintain;
mod memory;
mod models;
mod namespaces;
mod nodes;
mod notes;
mod outages;
mod overlap;
mod overrides;
mod pod_names;
mod pod_start;
mod pod_templates;
mod pods;
mod primitive;
mod priorities;
mod profile;
mod read_models;
mod resolved;
mod scheduling;
mod select;
mod steps;
mod tape;
mod timeline;
mod timing;
mod when;
mod workload_fields;
mod workload_groups;
mod workload_pods;
mod workloads;
mod world;

pub(crate) use draw::{LONGEST_S, Tilt};
pub use limits::{NODES_MAX, PODS_MAX};
pub(crate) use models::{Drawn, Model, Object, YEAR_S};
pub(crate) use outages::{Away, Outage, instead, replace_timeline};
pub use overrides::Overrides;
pub(crate) use resolved::drawn;
pub(super) use resolved::mistakes;
pub use resolved::{build, changed, expecting, seed};
pub use tape::object_hash;
