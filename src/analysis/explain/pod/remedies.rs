//! What would have kept a pod from being evicted.

use super::super::explanation::{Explanation, Remedy};
use super::super::rules;
use super::inquiry::Inquiry;
use super::seen::Moment;
use super::steps::deciding;
use crate::analysis::clock::absolute;
use crate::analysis::words::short_taint;
use crate::api::names::PodId;
use crate::api::taint::Taint;

/// What would have kept it: seconds that outlast the taint, or a toleration where there is none.
pub(super) fn remedies(
    of: &Inquiry<'_>,
    pod: PodId,
    evicted: &Moment<'_>,
    set: &Moment<'_>,
    found: &mut Explanation,
) {
    let analysis = of.question.analysis;
    let Some(node) = evicted.node else { return };
    let name = analysis.node_name(node);
    let gone = of.untainted(node, evicted.at);
    match deciding(of, set) {
        Some(Some(t)) => {
            let Some(gone) = gone else {
                let text = format!(
                    "only a toleration for ever would have kept it: {name} was still tainted at the end of the run"
                );
                found.remedies.push(Remedy {
                    text,
                    set: rules::seconds_path(of.question, of.origins(), pod, &t.key, "none"),
                });
                return;
            };
            let seconds = gone.since(set.at).as_nanos().div_ceil(1_000_000_000);
            let text = format!(
                "with tolerationSeconds >= {seconds} this pod would have stayed: {name} was free of NoExecute taints at {}",
                absolute(gone)
            );
            found.remedies.push(Remedy {
                text,
                set: rules::seconds_path(
                    of.question,
                    of.origins(),
                    pod,
                    &t.key,
                    &seconds.to_string(),
                ),
            });
        }
        Some(None) => {}
        None => {
            let tolerated = |t: &&&Taint| set.tolerations.iter().any(|own| own.tolerates(t, false));
            let missing: Vec<&&Taint> = set.taints.iter().filter(|t| !tolerated(t)).collect();
            if let [one] = missing[..] {
                let text = format!("a toleration for {} would have kept it", short_taint(one));
                found.remedies.push(Remedy {
                    text,
                    set: rules::seconds_path(of.question, of.origins(), pod, &one.key, "none"),
                });
            } else if !missing.is_empty() {
                let all: Vec<String> = missing.iter().map(|t| short_taint(t)).collect();
                found.remedies.push(rules::only_words(format!(
                    "tolerations for {} would have kept it",
                    all.join(" and ")
                )));
            }
        }
    }
}
