//! What the ReplicaSet controller says when it makes pods.

use super::format::Value;
use super::log::{Log, text};
use super::statements::Said;
use crate::analysis::Analysis;
use crate::api::names::WorkloadId;
use crate::kernel::{Dur, Time};
use crate::trace::{Actor, RecordId, What};
use std::collections::BTreeMap;

/// Pods that a ReplicaSet makes in one go.
pub(super) struct Batch {
    workload: u32,
    wanted: i32,
    creating: u32,
}

/// By the record of the first pod: the pods that a ReplicaSet makes in one sync, which all have one
/// cause.
pub(super) fn creations(analysis: &Analysis<'_>) -> BTreeMap<RecordId, Batch> {
    let trace = analysis.trace;
    let mut batches: BTreeMap<RecordId, Batch> = BTreeMap::new();
    let mut latest: BTreeMap<u32, (RecordId, Time, RecordId)> = BTreeMap::new();
    let mut wanted: BTreeMap<u32, i32> = BTreeMap::new();
    for (r, id) in trace.iter().zip(0..) {
        match r.what {
            What::WorkloadCreated(n) | What::WorkloadScaled(n) => drop(wanted.insert(r.object, n)),
            What::PodCreated(_) if r.actor == Actor::ReplicaSet => {
                let Some(owner) = r.pod().and_then(|p| trace.names.owner_of(p)) else {
                    continue;
                };
                let first = latest.get(&owner.0).filter(|(_, at, cause)| {
                    *cause == r.cause && r.at.since(*at) < Dur::from_secs(1)
                });
                let first = first.map_or(id, |f| f.0);
                latest.insert(owner.0, (first, r.at, r.cause));
                let batch = || Batch {
                    workload: owner.0,
                    wanted: wanted.get(&owner.0).copied().unwrap_or(0),
                    creating: 0,
                };
                batches.entry(first).or_insert_with(batch).creating += 1;
            }
            _ => {}
        }
    }
    batches
}

impl Log<'_> {
    /// A ReplicaSet is about to make pods.
    pub(super) fn too_few(&mut self, at: Time, batch: &Batch) {
        let full = self.analysis.trace.names.workload_name(WorkloadId(batch.workload));
        let name = full.split_once('/').map_or(full, |(_, name)| name);
        let values = [
            ("replicaSet", text(name)),
            ("need", Value::Raw(batch.wanted.to_string())),
            ("creating", Value::Raw(batch.creating.to_string())),
        ];
        self.say(at, Said::TooFew, &values);
    }
}
