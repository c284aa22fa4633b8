//! From a scenario's text to a [`Plan`](crate::plan::Plan), with every mistake of a file named with
//! its place.

mod attach;
#[cfg(test)]
mod drawn_tests;
mod existing;
pub mod expectations;
mod form;
mod load;
#[cfg(test)]
mod load_tests;
mod loaded;
#[cfg(test)]
mod mangled_tests;
mod paths;
mod prelude;
mod preset;
mod resolve;
#[cfg(test)]
mod tests;
mod what_if;
#[cfg(test)]
mod what_if_tests;

pub(crate) use attach::{history, history_of};
pub(crate) use load::{FILE_BYTES_MAX, parse_packed, parse_packed_file, parse_stored};
pub use load::{load, parse, read};
pub use loaded::Loaded;
pub use paths::split_values;
pub(crate) use paths::{Setting, WorkloadsAt, parted, set_now, settings, workloads_at};
pub(crate) use preset::{preset_text, starter, use_preset};
pub(crate) use resolve::{
    Away, Drawn, LONGEST_S, Model, OUTAGES_MAX, Object, Outage, Tilt, YEAR_S, drawn, instead,
    replace_timeline, rule_for,
};
pub use resolve::{NODES_MAX, Overrides, PODS_MAX, build, changed, expecting, seed, switch_on};
pub(crate) use what_if::what_if;
