//! Which of the explanations of a pod is the right one.

use super::super::explanation::{Explanation, Question};
use super::super::node::Stories;
use super::evicted::evicted;
use super::imported::imported;
use super::inquiry::Inquiry;
use super::seen::{Moment, Seen, gather};
use super::stayed::stayed;
use crate::analysis::clock::absolute;
use crate::analysis::names::by;
use crate::api::names::PodId;

/// Explains a pod.
pub(crate) fn explain(question: Question<'_>, pod: PodId) -> Explanation {
    explain_all(question, &[pod], &Stories::default()).pop().unwrap_or_default()
}

/// Explains several pods at once, which takes a few walks through the trace in all; `stories` are
/// those of nodes that were told already.
pub(crate) fn explain_all<'a>(
    question: Question<'a>,
    pods: &[PodId],
    stories: &'a Stories,
) -> Vec<Explanation> {
    let all = gather(question, pods);
    let nodes = all.iter().flat_map(Seen::nodes);
    let of = Inquiry::new(question, nodes, stories);
    let one = |(pod, seen): (&PodId, &Seen<'_>)| told(&of, *pod, seen);
    pods.iter().zip(&all).map(one).collect()
}

/// What became of a pod to which this happened.
fn told(of: &Inquiry<'_>, pod: PodId, seen: &Seen<'_>) -> Explanation {
    let mut found = Explanation {
        object: format!("pod {}", of.question.analysis.pod_name(pod)),
        ..Explanation::default()
    };
    let by_other = seen.deleted.last();
    match seen.evicted.last() {
        Some((moment, timer)) if by_other.is_none_or(|m| m.at < moment.at) => {
            let timer = timer.map(|i| &seen.timers[i]);
            evicted(of, pod, seen, moment, timer, &mut found);
        }
        _ => match by_other {
            Some(moment) => deleted(of.question, moment, &mut found),
            None if seen.created.is_empty() && imported(of, pod, seen, &mut found) => {}
            None => stayed(of, pod, seen, &mut found),
        },
    }
    found
}

fn deleted(question: Question<'_>, moment: &Moment<'_>, found: &mut Explanation) {
    let analysis = question.analysis;
    let Some(r) = analysis.trace.get(moment.record) else {
        return;
    };
    let from = moment.node.map_or(String::new(), |n| format!(" on {}", analysis.node_name(n)));
    found.verdict =
        format!("not evicted: deleted at {} by {}{from}", absolute(moment.at), by(r.actor));
    found.steps = question.led_to(moment.record);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::tests::synthetic_runs::{one_node_lost, outage};
    use crate::api::names::NodeId;
    use crate::kernel::Time;

    /// Told together, every pod has the story that it has alone. p2 of the lost node was tainted
    /// at 105.1 s and tolerates 300 s: 6:45.1.
    #[test]
    fn several_pods_are_told_as_each_alone() {
        for (plan, trace) in [one_node_lost(), outage(4, 3, 1)] {
            let analysis = Analysis::new(&plan, &trace);
            let pods: Vec<PodId> = (0..analysis.pod_count() as u32).map(PodId).collect();
            for until in [Time::from_secs(120), analysis.horizon()] {
                let question = Question { analysis: &analysis, until, groups: &[] };
                let alone: Vec<_> = pods.iter().map(|p| explain(question, *p)).collect();
                let nodes: Vec<NodeId> = (0..analysis.node_count() as u32).map(NodeId).collect();
                for stories in [Stories::default(), Stories::new(question, &nodes)] {
                    assert_eq!(explain_all(question, &pods, &stories), alone);
                }
                let evicted = alone.iter().filter(|e| {
                    e.verdict.starts_with("evicted at 6:45.1") && e.object.ends_with("p2")
                });
                let lost = plan.name == "cut-one-of-three" && until == analysis.horizon();
                assert_eq!(evicted.count(), usize::from(lost));
            }
        }
    }
}
