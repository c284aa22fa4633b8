//! From what a file says to a [`Plan`]: names are looked up, texts are read, releases and limits
//! are checked, the timeline is spread out. Everything that is wrong is found in one go.

mod budgets;
mod checks;
mod complaints;
mod describe;
mod expect;
mod flags;
mod maintain;
mod namespaces;
mod nodes;
mod overlap;
mod pods;
mod priorities;
mod resolved;
mod scheduling;
mod select;
mod steps;
mod tape;
mod timeline;
mod timing;
mod values;
mod when;
mod workloads;

pub use flags::known as known_flags;
pub(in crate::scenario) use flags::{check as check_flag, known_plugin, take_settings};
pub(in crate::scenario) use resolved::mistakes;
pub use resolved::{NODES_MAX, Overrides, PODS_MAX, build, changed, expecting, seed};
pub use tape::object_hash;
