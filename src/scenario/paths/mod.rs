//! Paths into a scenario, for `--set PATH=VALUE` and for sweeps, `--set PATH=V1,V2,…`.
//!
//! A path is a list of names with dots in between, as the fields stand in the file;
//! docs/scenario-language.md lists those most used. The types of the language say which fields there
//! are and what is written for each (`edit`): what a path leads into (`called`), a node group say,
//! is written as a tree, its field replaced, and the tree read again as a file is. What is no plain
//! field has a place of its own: the seconds of tolerations, timings, flags of components.
//!
//! A group goes by its name as it is written, or up to its first range (`a` for `a-{00..09}`), or
//! by `*` with all others; a workload may have its namespace and kind before its name, and pods
//! their namespace (`called`). A name that fits several is refused. Numbers from 0 in brackets do,
//! too: `nodes[0].zone`. A name with a dot in it stands in double quotes. Containers of a pod go by either in brackets
//! (`edit`).

mod apply;
mod called;
mod edit;
mod known;
mod now;
mod read;
mod unsaid;

pub(super) use apply::set;
#[cfg(test)]
pub(crate) use known::known_paths;
pub(crate) use known::{Setting, settings};
pub(crate) use now::{WorkloadsAt, set_now, workloads_at};
pub(crate) use read::parted;
pub use read::split_values;
pub(super) use read::toleration_seconds;
