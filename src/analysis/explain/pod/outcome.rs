//! Which of the explanations of a pod is the right one.

use super::super::explanation::{Explanation, Question, Step};
use super::evicted::evicted;
use super::imported::imported;
use super::seen::{Moment, gather};
use super::stayed::stayed;
use crate::analysis::causes::chain;
use crate::analysis::clock::absolute;
use crate::analysis::names::by;
use crate::analysis::words;
use crate::api::names::PodId;
use crate::kernel::Time;

/// Explains a pod.
pub(crate) fn explain(question: Question<'_>, pod: PodId) -> Explanation {
    let analysis = question.analysis;
    let seen = gather(question, pod);
    let mut found = Explanation {
        object: format!("pod {}", analysis.pod_name(pod)),
        ..Explanation::default()
    };
    let by_other = seen.deleted.last();
    match seen.evicted.last() {
        Some((moment, timer)) if by_other.is_none_or(|m| m.at < moment.at) => {
            evicted(
                question,
                pod,
                &seen,
                moment,
                timer.map(|i| &seen.timers[i]),
                &mut found,
            );
        }
        _ => match by_other {
            Some(moment) => deleted(question, moment, &mut found),
            None if seen.created.is_empty() && imported(question, pod, &seen, &mut found) => {}
            None => stayed(question, pod, &seen, &mut found),
        },
    }
    found
}

fn deleted(question: Question<'_>, moment: &Moment<'_>, found: &mut Explanation) {
    let analysis = question.analysis;
    let Some(r) = analysis.trace.get(moment.record) else {
        return;
    };
    let from = moment
        .node
        .map_or(String::new(), |n| format!(" on {}", analysis.node_name(n)));
    found.verdict = format!(
        "not evicted: deleted at {} by {}{from}",
        absolute(moment.at),
        by(r.actor)
    );
    let mut steps: Vec<Step> = chain(analysis.trace, moment.record)
        .filter(|(id, r)| *id == moment.record || r.at > Time::ZERO)
        .map(|(id, r)| Step {
            at: r.at,
            text: words::record(analysis, r),
            rule: None,
            record: Some(id),
        })
        .collect();
    steps.reverse();
    found.steps = steps;
}
