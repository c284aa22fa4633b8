//! Label selectors from a scenario to the API.

use crate::api::labels::{LabelSelector, LabelSelectorRequirement, Selector};
use crate::language;
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::place::Place;

/// A selector as it is written.
pub(super) fn label_selector(written: &language::LabelSelector) -> LabelSelector {
    LabelSelector {
        match_labels: written.match_labels.clone(),
        match_expressions: written
            .match_expressions
            .iter()
            .map(|e| LabelSelectorRequirement {
                key: e.key.clone(),
                operator: format!("{:?}", e.operator),
                values: e.values.clone(),
            })
            .collect(),
    }
}

/// A selector that the API accepts, or else a complaint.
pub(super) fn selector(
    written: &language::LabelSelector,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<Selector> {
    complaints.take(
        place.clone(),
        label_selector(written).as_selector().map_err(|e| Problem::new(e.to_string())),
    )
}
