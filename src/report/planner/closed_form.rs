//! What the closed form says beside the simulation, and what tells the two apart.

use super::told::{Told, amount, plural};
use crate::lab::planner::{BY_FORMULA, Counting, FIGURES, MISSING};

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
    let waiting = a.rows[a.best].waiting;
    if waiting > 0.0 {
        let (waiting, unit) =
            (amount(waiting * told.objective.prices[MISSING]), &told.objective.unit);
        text += &format!(
            "; {waiting} {unit} of it are of pods of StatefulSets or with disks, which wait for their nodes whatever is tolerated"
        );
    }
    Some(text)
}

/// What simulation adds to the closed form, where that is more than chance and a twentieth.
fn difference(told: &Told<'_>, more: f64) -> Option<String> {
    let (a, kept) = (told.answer, told.kept);
    let best = &a.rows[a.best];
    let half = (best.interval.high - best.cost).max(best.cost - best.interval.low);
    if more.abs() <= half.max(0.05 * best.cost.abs()) {
        return None;
    }
    if more < 0.0 {
        let less = amount(-more);
        // One outage at a time does not overlap with another.
        let why = match kept.counting.0 {
            Counting::Years => {
                ", as outages overlap, which it counts twice, and as a node that fails again soon is still empty"
            }
            Counting::Outages => "",
        };
        return Some(format!(": {less} less than by formula{why}"));
    }
    let mut text = format!(": {} more than by formula", amount(more));
    // Who is Pending is missing, too.
    let pending = best.figures[PENDING].min(best.figures[MISSING]) * told.objective.prices[MISSING];
    if pending >= 0.05 * more {
        let most = amount(pending.min(more));
        text += &format!(", {most} of it for pods that were Pending");
    }
    let mut others = Vec::new();
    if !kept.closed_without.is_empty() {
        others.push(format!("comes from {}", kept.closed_without.join(", ")));
    }
    let is_priced = |f: &usize| told.objective.prices[*f] > 0.0;
    if (0..FIGURES.len()).any(|f| !BY_FORMULA.contains(&f) && is_priced(&f)) {
        others.push("is the price of what it does not know of".to_owned());
    }
    others.push(
        "is evictions that queue behind rates of zones and limits of clients, or pods that are not back when a run ends"
            .to_owned(),
    );
    text += &format!("; the rest {}", others.join(", or "));
    Some(text)
}
