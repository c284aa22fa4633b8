//! The verdict for programs.

use super::verdict::Verdict;
use serde_json::{Value, json};

/// `start`, `timeline`, `evictions` with both times and how far apart they are, `only_simulated`,
/// `deletions` by others, and `verdict`.
pub(crate) fn document(verdict: &Verdict) -> Value {
    let clock = verdict.clock;
    let evictions: Vec<Value> = verdict
        .matched
        .pairs
        .iter()
        .map(|p| {
            json!({
                "pod": p.pod,
                "recorded": clock.rfc3339(p.recorded),
                "simulated": p.simulated.map(|at| clock.rfc3339(at)),
                "share": p.share,
                "apart_s": p.apart_ms().map(|ms| ms as f64 / 1e3),
                "stands_in": p.stands_in,
                "reordered": p.reordered,
                "explained": p.is_explained(verdict.tolerance),
            })
        })
        .collect();
    let only: Vec<Value> = verdict
        .matched
        .only_simulated
        .iter()
        .map(|(pod, at)| json!({"pod": pod, "simulated": clock.rfc3339(*at)}))
        .collect();
    let deletions: Vec<Value> = verdict
        .deletions
        .iter()
        .map(|(pod, (at, by))| json!({"pod": pod, "at": clock.rfc3339(*at), "by": by}))
        .collect();
    json!({
        "start": clock.begins(),
        "notes": verdict.notes,
        "timeline": verdict.told,
        "evictions": evictions,
        "only_simulated": only,
        "deletions": deletions,
        "explained": verdict.matched.explained(verdict.tolerance),
        "recorded": verdict.matched.pairs.len(),
        "seeds": verdict.seeds,
        "verdict": verdict.sentence(),
    })
}
