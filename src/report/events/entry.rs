//! What a record says beside its fields: the entry of the timeline, or the node that controllers
//! died with.

use crate::analysis::Analysis;
use crate::api::names::NodeId;
use crate::trace::{Actor, Record, What};

/// The entry of the timeline, or the node, that a record is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Entry<'a> {
    /// The entry's name.
    pub(crate) name: Option<&'a str>,
    /// Its place in the timeline.
    pub(crate) index: Option<u32>,
    /// The node that controllers stopped with.
    pub(crate) node: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// That of a record.
    pub(crate) fn of(analysis: &'a Analysis<'a>, r: &Record) -> Self {
        match r.what {
            What::FaultBegan | What::FaultEnded | What::Refused(_) | What::CutShort(_) => {
                let entry = analysis.plan.timeline.get(r.object as usize);
                Entry { name: entry.map(|e| e.name.as_str()), index: Some(r.object), node: None }
            }
            What::ControllersStopped if r.actor == Actor::User => {
                Entry { index: Some(r.object), ..Entry::default() }
            }
            What::ControllersStopped => {
                Entry { node: Some(analysis.node_name(NodeId(r.object))), ..Entry::default() }
            }
            _ => Entry::default(),
        }
    }
}
