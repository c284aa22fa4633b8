//! What a finished run means: timelines, summaries, curves, lanes, evictions and causes as
//! functions of a [`Trace`](crate::trace::Trace) and the [`Plan`](crate::plan::Plan) it came
//! from.
//!
//! Nothing here sees the simulator, draws a random number or does IO. [`Analysis`] holds what all
//! of them share: the state the cluster started in and, for every record, the entry of the timeline
//! that led to it. Each function then walks the trace once, with `state::Follow` keeping the
//! state of nodes and pods as the records tell it; a trace of a million records takes a few tens of
//! milliseconds per walk.
//!
//! Words used throughout:
//! * A pod that is not finished is *evicted* when a controller that reacts to node failure sets its
//!   deletionTimestamp, or deletes it at once: the taint eviction controller, or the node lifecycle
//!   controller in the mode of `--pod-eviction-timeout`. One life of a pod is evicted at most once.
//! * A pod is *available* when it is Running, its condition Ready is True and it is not being
//!   deleted, as the API has it: a pod on a node that fell silent is available until its Ready
//!   condition is set to False.
//! * A node is *away* when its kubelet cannot reach the API server, or its Ready condition is not
//!   True.

mod attachments;
pub(crate) mod below_need;
mod beneath;
pub(crate) mod causes;
pub(crate) mod clock;
pub(crate) mod costs;
pub(crate) mod course;
pub mod curves;
mod daemons;
pub mod diff;
pub mod disruption;
pub(crate) mod drains;
pub mod evictions;
pub mod expect;
pub mod explain;
pub(crate) mod facts;
mod frees;
pub(crate) mod job_ends;
mod kept;
pub mod lanes;
pub(crate) mod matching;
pub(crate) mod moment;
mod names;
mod needs;
mod objects;
mod origins;
mod outcomes;
mod owners;
mod prelude;
pub mod properties;
mod rows;
mod served;
pub(crate) mod serving;
pub(crate) mod setting;
mod sorted;
pub(crate) mod state;
pub(crate) mod statistics;
mod steps;
pub mod summary;
#[cfg(test)]
pub(crate) mod tests;
pub mod timeline;
pub(crate) mod truth;
mod wanted;
pub(crate) mod words;
pub(crate) mod workloads;

pub use costs::{Costs, Figure};
pub(crate) use curves::Curves;
pub(crate) use evictions::Eviction;
pub(crate) use frees::Frees;
pub(crate) use kept::Kept;
pub(crate) use lanes::Lanes;
pub(crate) use names::{ranges, shortened, size_in_words, stem};
pub(crate) use owners::Owners;
pub(crate) use serving::Serving;
pub use setting::Analysis;
pub(crate) use statistics::{Interval, Sample, Spread};
pub use summary::{DEFAULT_NEEDLESS_WINDOW, Metrics, Summary, metrics};
pub(crate) use workloads::Workloads;
