//! `false-unknown`: a healthy node is marked Unknown.
//!
//! A node is healthy if its kubelet reaches the API server, however slowly, or was cut off from it
//! for no longer than the bound allows.

use super::super::setting::Analysis;
use super::property::Property;
use super::violation::Violation;
use super::walk::{Walk, records};
use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::kernel::{Dur, Time};
use crate::trace::{Actor, NO_RECORD, RecordId, What};

pub(super) fn check<'a>(analysis: &'a Analysis<'a>, silent: Dur) -> Vec<Violation> {
    let mut walk = Walk::new(analysis);
    let mut found = Vec::new();
    // By node: since when it is silent, and the record that says so.
    let mut since: Vec<(Time, RecordId)> = vec![(Time::ZERO, NO_RECORD); analysis.node_count()];
    for (id, r) in analysis.trace.iter().enumerate() {
        let id = id as RecordId;
        let step = walk.apply(id, r);
        let Some((node, before, after)) = step.node else {
            continue;
        };
        if after.silent && !before.silent {
            since[node.index()] = (r.at, id);
        }
        let marked = matches!(
            r.what,
            What::NodeCondition(NodeConditionType::Ready, ConditionStatus::Unknown, _)
        );
        if !marked || r.actor != Actor::NodeLifecycle || before.ready == after.ready {
            continue;
        }
        let (from, record) = since[node.index()];
        let borne = analysis.due(from, silent).unwrap_or(Time::MAX);
        if after.silent && r.at > borne {
            continue;
        }
        let name = walk.node_name(node);
        let why = if after.silent {
            format!("silent only since {from}")
        } else {
            "in touch".to_owned()
        };
        found.push(Violation {
            property: Property::FalseUnknown { silent },
            at: r.at,
            pod: None,
            node: Some(node),
            text: format!(
                "{name} was marked Unknown at {} although its kubelet was {why}",
                r.at
            ),
            records: records(&[if after.silent { record } else { NO_RECORD }, id]),
        });
    }
    found
}
