//! A run as the lines that the release's own controllers write to their logs, in klog's format.
//!
//! Time is the recorder's: the run starts at 2000-01-01T00:00:00Z, of which klog's header shows
//! month, day and time of day; the process is number 1. Messages, files and levels are those of
//! upstream's source at the last patch of each minor release where a form begins
//! (`plan::log_forms`); the numbers of lines are those of one release
//! of each form (of 1.34.4 for today's), so that a line can be found, and not compared.
//!
//! All processes are in one log, as if kube-controller-manager and kube-scheduler wrote to one
//! file. A line stands where its record stands, so that a controller seems to notice a change of a
//! pod when it is made. An event is logged when it is stored, and not at all if the correlator
//! drops it. That a node "is healthy again" is logged of nodes that had a taint, and not of those
//! that only waited for one. `timeAdded` of a taint is the time at which it was written; durations
//! are to the millisecond. The words are compared with logs of the recorder in `tests/logs`.
//!
//! Left out is what has no record: heartbeats that arrive, passes that find a silent node still
//! silent, how many nodes the scheduler looked at, times in conditions, uids, resource versions,
//! what is logged when a process starts, and what StatefulSets, DaemonSets and Jobs say of each
//! sync.

mod format;
mod log;
mod node_lifecycle;
mod prelude;
mod statements;
mod taint_eviction;
mod write;

pub use write::write;
