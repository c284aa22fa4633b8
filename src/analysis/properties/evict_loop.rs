//! `evict-loop`: a workload's pods are placed on a node and evicted from it, again and again.
//!
//! Rounds are counted: an eviction counts when its pod was created after the eviction that counted
//! last, so that several pods that leave a node together are one. Pods without a workload are
//! counted by name.

use super::super::setting::Analysis;
use super::super::workloads::Owners;
use super::property::Property;
use super::violation::Violation;
use super::walk::{Walk, evicted, records};
use crate::api::names::{NodeId, PodId, WorkloadId};
use crate::trace::{NO_RECORD, RecordId};
use std::collections::BTreeMap;

/// Whose pods are counted together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    Workload(WorkloadId),
    Pod(PodId),
}

pub(super) fn check<'a>(analysis: &'a Analysis<'a>, more_than: u32) -> Vec<Violation> {
    let mut walk = Walk::new(analysis);
    let mut found = Vec::new();
    let owners = Owners::new(analysis);
    let mut rounds: BTreeMap<(Whose, NodeId), (u32, RecordId, RecordId)> = BTreeMap::new();
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        let created = r.pod().map_or(NO_RECORD, |p| walk.life(p).created);
        let step = walk.apply(id, r);
        let Some((pod, before)) = evicted(&step, r) else {
            continue;
        };
        let Some(node) = before.node_id() else {
            continue;
        };
        let whose = owners.of(analysis, pod).map_or(Whose::Pod(pod), Whose::Workload);
        let (count, first, last) = rounds.entry((whose, node)).or_insert((0, id, NO_RECORD));
        let is_next = *last == NO_RECORD || created != NO_RECORD && created > *last;
        if !is_next {
            continue;
        }
        (*count, *last) = (*count + 1, id);
        if *count != more_than.saturating_add(1) {
            continue;
        }
        let name = match whose {
            Whose::Pod(pod) => walk.pod_name(pod),
            Whose::Workload(w) => walk.trace().names.workload_name(w),
        };
        found.push(Violation {
            property: Property::EvictLoop { more_than },
            at: r.at,
            pod: Some(pod),
            node: Some(node),
            text: format!(
                "{name} was evicted from {} for the {count}th time at {}",
                walk.node_name(node),
                r.at
            ),
            records: records(&[*first, created, id]),
        });
    }
    found
}
