//! The text of a failed attempt (`framework/types.go: FitError.Error`).

use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::FitText;

/// What the event of a pod says when there are no nodes.
pub(crate) const NO_NODES: &str = "no nodes available to schedule pods";
/// What preemption says of nodes that it cannot help with.
const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";
/// An event's note is not longer (`NoteLengthLimit`).
const NOTE_LENGTH_LIMIT: usize = 1024;

/// Counts of nodes by reason.
#[derive(Default)]
struct Histogram<'a>(BTreeMap<&'a str, usize>);

impl<'a> Histogram<'a> {
    fn add(&mut self, reasons: impl Iterator<Item = &'a str>, nodes: usize) {
        for reason in reasons {
            *self.0.entry(reason).or_insert(0) += nodes;
        }
    }

    /// "2 this, 1 that", sorted as text.
    fn text(&self) -> String {
        let mut parts: Vec<String> =
            self.0.iter().map(|(reason, nodes)| format!("{nodes} {reason}")).collect();
        parts.sort_unstable();
        parts.join(", ")
    }
}

fn reasons(r: &Rejection) -> impl Iterator<Item = &str> {
    r.reasons.iter().map(|reason| &**reason)
}

/// Why nodes reject a pod.
pub struct Failure<'a> {
    /// How many nodes there are.
    pub nodes: usize,
    /// Those that were looked at.
    pub rejected: &'a [(NodeId, u32)],
    /// Why the others are out, where that is said.
    pub left_out: Option<&'a str>,
    /// A rejection before any node was looked at.
    pub at_once: Option<&'a Rejection>,
    /// What came of preemption, if it was tried.
    pub post_filter: &'a str,
}

impl Failure<'_> {
    /// "0/3 nodes are available: …"
    pub fn text(&self, rejections: &Rejections, switches: &Switches) -> String {
        let mut histogram = Histogram::default();
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        for (_, number) in self.rejected {
            *numbers.entry(*number).or_insert(0) += 1;
        }
        for (number, nodes) in &numbers {
            if let Some(r) = rejections.get(*number) {
                histogram.add(reasons(r), *nodes);
            }
        }
        if let Some(reason) = self.left_out.filter(|_| self.rejected.len() < self.nodes) {
            histogram.add([reason].into_iter(), self.nodes - self.rejected.len());
        }
        let mut text = format!("0/{} nodes are available:", self.nodes);
        let old = matches!(switches.fit_text, FitText::Reasons | FitText::WithPreemption);
        match self.at_once {
            Some(r) if !old => text += &format!(" {}.", reasons(r).collect::<Vec<_>>().join(", ")),
            Some(r) => {
                histogram.add(reasons(r), self.nodes);
                text += &format!(" {}.", histogram.text());
            }
            None if old || !histogram.0.is_empty() => text += &format!(" {}.", histogram.text()),
            None => {}
        }
        let more = if switches.fit_text == FitText::Reasons { "" } else { self.post_filter };
        if !more.is_empty() {
            text += &format!(
                " {more}{}",
                if switches.fit_text == FitText::TwoStops { "." } else { "" }
            );
        }
        text
    }
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
