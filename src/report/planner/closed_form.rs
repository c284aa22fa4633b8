//! What the closed form says beside the simulation, and what tells the two apart.

use super::told::{Told, amount, plural};
use crate::lab::planner::{BY_FORMULA, Counting, EVICTED, FIGURES, MISSING};

/// Places in [`FIGURES`].
const PENDING: usize = 6;

/// The value that is best by formula, and what simulation adds.
pub(super) fn closed(told: &Told<'_>) -> Option<String> {
    let (a, kept) = (told.answer, told.kept);
    let unknown = told.objective.unknown_to_formulas();
    if kept.closed.is_some() && !unknown.is_empty() {
        let unknown: Vec<&str> = unknown.into_iter().map(plural).collect();
        return Some(format!("none: it has no {}", unknown.join(", ")));
    }
    let closed = a.closed_best.zip(a.rows[a.best].closed).filter(|_| a.wanted.is_none());
    let Some((best, by_formula)) = closed else {
        return (!kept.no_closed.is_empty()).then(|| format!("none: {}", kept.no_closed));
    };
    let simulated = a.rows[a.best].cost;
    let mut text = if best == a.best {
        format!("{} as well", told.name(best))
    } else {
        let less = by_formula - a.rows[best].closed.unwrap_or(by_formula);
        format!("prefers {}, by {} {} a year", told.name(best), amount(less), told.objective.unit)
    };
    let (formula, simulation) = (amount(by_formula), amount(simulated));
    text += &format!("; {formula} by formula, {simulation} simulated for {}", told.name(a.best));
    text.extend(difference(told, simulated - by_formula));
    if !kept.closed_without.is_empty() {
        text += &format!("; it leaves out {}", kept.closed_without.join(", "));
    }
    let waiting = a.rows[a.best].waiting;
    if waiting > 0.0 {
        let (waiting, unit) =
            (amount(waiting * told.objective.prices[MISSING]), &told.objective.unit);
        text += &format!(
            "; {waiting} {unit} of it are of pods of StatefulSets, of Jobs that replace failed pods alone, with disks, or that no other node suits or has room for, which wait for their nodes whatever is tolerated"
        );
    }
    Some(text)
}

/// What simulation adds to the closed form, where that is more than chance and a twentieth of what outages cost.
fn difference(told: &Told<'_>, more: f64) -> Option<String> {
    let (a, kept) = (told.answer, told.kept);
    let best = &a.rows[a.best];
    let half = (best.interval.high - best.cost).max(best.cost - best.interval.low);
    let failing = best.cost - kept.standing_cost(told.objective, a.best);
    if more.abs() <= half.max(0.05 * failing.abs()) {
        return None;
    }
    if more < 0.0 {
        let less = amount(-more);
        // One outage at a time does not overlap with another.
        let why = match kept.counting.0 {
            Counting::Years => {
                "; it may be outages that overlap, which it counts twice, or nodes that fail again while they are empty"
            }
            Counting::Outages => "",
        };
        return Some(format!(": {less} less than by formula{why}"));
    }
    // Who is Pending is missing, too.
    let pending = best.figures[PENDING].min(best.figures[MISSING]) * told.objective.prices[MISSING];
    let is_priced = |f: &usize| told.objective.prices[*f] > 0.0;
    let is_open = kept.open.get(a.best).is_some_and(|n| *n > 0);
    let may_be = [
        (!kept.closed_without.is_empty(), "what it leaves out"),
        (
            (0..FIGURES.len()).any(|f| !BY_FORMULA.contains(&f) && is_priced(&f)),
            "the price of what it does not know of",
        ),
        (
            best.figures[EVICTED] > 0.0,
            "evictions that queue behind rates of zones and limits of clients",
        ),
        (is_open, "pods that are not back when a run ends"),
    ];
    let may_be: Vec<&str> = may_be.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
    Some(added(more, pending, &may_be.join(", or ")))
}

/// So much more than by formula, of which pods that were Pending may be a part, and other things the rest.
fn added(more: f64, pending: f64, may_be: &str) -> String {
    let mut text = format!(": {} more than by formula", amount(more));
    let mut rest = "it";
    if pending >= 0.05 * more {
        text += &format!(", up to {} of it for pods that were Pending", amount(pending.min(more)));
        rest = "the rest";
    }
    if pending < 0.95 * more && !may_be.is_empty() {
        text += &format!("; {rest} may be {may_be}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::added;

    /// What is left of 35.8 where 36 were Pending is nothing that needs a reason; nor is there a rest of all.
    #[test]
    fn only_a_rest_has_other_reasons() {
        let pending = ": 35.8 more than by formula, up to 35.8 of it for pods that were Pending";
        assert_eq!(added(35.8, 36.0, "queues"), pending);
        assert_eq!(added(777.0, 0.0, "queues"), ": 777 more than by formula; it may be queues");
        assert_eq!(added(777.0, 0.0, ""), ": 777 more than by formula");
        let both = ": 100 more than by formula, up to 40 of it for pods that were Pending; the rest may be queues";
        assert_eq!(added(100.0, 40.0, "queues"), both);
    }
}
