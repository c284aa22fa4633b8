//! The text of a failed attempt (`framework/types.go: FitError.Error`).

use crate::controllers::scheduler::prelude::*;

/// What the event of a pod says when there are no nodes.
pub(crate) const NO_NODES: &str = "no nodes available to schedule pods";
/// What preemption says of nodes that it cannot help with.
const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";
/// An event's note is not longer (`NoteLengthLimit`).
const NOTE_LENGTH_LIMIT: usize = 1024;

/// Counts of nodes by reason.
#[derive(Default)]
pub(super) struct Histogram<'a>(BTreeMap<&'a str, usize>);

impl<'a> Histogram<'a> {
    /// Whether nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts nodes in that have these reasons.
    pub(super) fn add(&mut self, reasons: impl Iterator<Item = &'a str>, nodes: usize) {
        for reason in reasons {
            *self.0.entry(reason).or_insert(0) += nodes;
        }
    }

    /// "2 this, 1 that", sorted as text.
    pub(super) fn text(&self) -> String {
        let mut parts: Vec<String> =
            self.0.iter().map(|(reason, nodes)| format!("{nodes} {reason}")).collect();
        parts.sort_unstable();
        parts.join(", ")
    }
}

/// Each reason of a rejection.
pub(super) fn reasons(r: &Rejection) -> impl Iterator<Item = &str> {
    r.reasons.iter().map(|reason| &**reason)
}

/// What preemption says where it helps on no node: the reasons of the dry runs, and of `nodes`
/// those that were not tried are beyond help.
pub(crate) fn no_candidates<'a>(
    nodes: usize,
    dry_runs: impl Iterator<Item = &'a Rejection>,
) -> String {
    let mut histogram = Histogram::default();
    let mut beyond_help = nodes;
    for r in dry_runs {
        histogram.add(reasons(r), 1);
        beyond_help -= 1;
    }
    if beyond_help > 0 {
        histogram.add([NOT_HELPFUL].into_iter(), beyond_help);
    }
    format!("0/{nodes} nodes are available: {}.", histogram.text())
}

/// A text as it fits an event (`truncateMessage`).
pub(crate) fn note(text: &str) -> String {
    const SUFFIX: &str = " ...";
    if text.len() <= NOTE_LENGTH_LIMIT {
        return text.to_owned();
    }
    let mut end = NOTE_LENGTH_LIMIT - SUFFIX.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{SUFFIX}", &text[..end])
}
