//! Ended drains in words.

use super::clock::short;
use super::names::grouped;
use super::setting::Analysis;
use crate::kernel::Dur;
use crate::trace::{DrainEnd, DrainOutcome};

/// How the drain of a node ended.
pub(super) fn drain_ended(analysis: &Analysis<'_>, node: &str, end: &DrainEnd) -> String {
    let pods = |n: usize| {
        if n == 1 {
            "1 pod".to_owned()
        } else {
            format!("{} pods", grouped(n as u64))
        }
    };
    let left = || {
        let names: Vec<&str> = end
            .left
            .iter()
            .take(LEFT)
            .map(|p| analysis.pod_name(*p))
            .collect();
        let more = if end.left.len() > LEFT { ", …" } else { "" };
        format!("{} left: {}{more}", pods(end.left.len()), names.join(", "))
    };
    match end.outcome {
        DrainOutcome::Drained => format!(
            "{node} drained, {} gone in {}",
            pods(end.gone as usize),
            short(whole(end.took))
        ),
        DrainOutcome::TimedOut => format!(
            "{node} not drained: timed out after {}, {}",
            short(whole(end.took)),
            left()
        ),
        DrainOutcome::Refused => {
            let words = analysis.trace.names.text_of(end.words);
            let reason = words
                .split_once("due to error: ")
                .map_or(words, |(_, why)| why);
            format!(
                "{node} not drained: {}",
                reason
                    .strip_suffix(", continuing command...")
                    .unwrap_or(reason)
            )
        }
    }
}

/// A span without what is below a second, as people time drains; short ones to the millisecond.
fn whole(took: Dur) -> Dur {
    if took < Dur::from_secs(10) {
        Dur::from_millis(took.as_millis())
    } else {
        Dur::from_secs(took.as_millis() / 1_000)
    }
}

/// How many of the pods that a drain left behind are named.
const LEFT: usize = 4;
