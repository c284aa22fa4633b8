//! `events.jsonl`: every record of a run, one JSON object per line, in order.
//!
//! The fields are those of `trace::Fields`, under the names that recorded timelines use (`type`,
//! `status`, `reason`, `message`, `count`, `value`, `grace`, `added`, `removed`), with `id`,
//! `t_ns`, `actor`, `what`, and `cause` and `saw`, which are ids or null. Of an attempt to place a
//! pod, `filters` are those that rejected nodes: `plugin`, `reason`, the `count` of nodes, and
//! `nodes`, each a name or `first..last` of those that stand between them in `names.json`; without
//! nodes the pod itself was rejected. Of an eviction that was granted or refused, `budget` is the
//! disruption budget that was asked, with its `status`. Of the end of a drain, `count` pods are
//! gone and `left` are not. Of a fault or a refusal, `entry` is the name of the entry of the
//! timeline and `entry_index` its place there. Written by hand and not through a serialiser,
//! because a large outage has millions of them. [`read`] is the way back.

mod entry;
mod event;
mod line;
mod read;
mod tables;
mod write;

pub(crate) use entry::Entry;
pub use read::{BadLine, read};
pub use write::write;

/// The name of the file; packed, it ends in `.gz`.
pub(crate) const FILE: &str = "events.jsonl";
