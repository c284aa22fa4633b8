//! The verdict for programs.

use super::verdict::Verdict;
use crate::analysis::matching::Pair;
use crate::report::tables::{Cell, Field, Kind, Rows, cells, columns, object};
use serde_json::{Value, json};

/// What is told of a recorded eviction.
fn fields<'v>() -> [Field<(&'v Verdict, &'v Pair)>; 8] {
    [
        ("pod", Kind::Text, |(_, p)| Cell::text(Some(p.pod.clone()))),
        ("recorded", Kind::Instant, |(v, p)| Cell::instant(v.clock, p.recorded)),
        ("simulated", Kind::Instant, |(v, p)| {
            p.simulated.map_or(Cell::Empty, |at| Cell::instant(v.clock, at))
        }),
        ("share", Kind::Number, |(_, p)| Cell::number(Some(p.share))),
        ("apart_s", Kind::Number, |(_, p)| Cell::number(p.apart_ms().map(|ms| ms as f64 / 1e3))),
        ("stands_in", Kind::Truth, |(_, p)| Cell::Truth(p.stands_in)),
        ("reordered", Kind::Truth, |(_, p)| Cell::Truth(p.reordered)),
        ("explained", Kind::Truth, |(v, p)| Cell::Truth(p.is_explained(v.tolerance))),
    ]
}

/// `start`, `timeline`, `evictions` with both times and how far apart they are, `only_simulated`,
/// `deletions` by others, and `verdict`.
pub(crate) fn document(verdict: &Verdict) -> Value {
    let clock = verdict.clock;
    let Verdict { matched, deletions, .. } = verdict;
    let eviction = |pair| object(&fields(), (verdict, pair));
    let only = matched.only_simulated.iter();
    let only = only.map(|(pod, at)| json!({"pod": pod, "simulated": clock.rfc3339(*at)}));
    let deletions = deletions.iter();
    let deletions =
        deletions.map(|(pod, (at, by))| json!({"pod": pod, "at": clock.rfc3339(*at), "by": by}));
    json!({
        "start": clock.begins(),
        "notes": verdict.notes,
        "timeline": verdict.told,
        "evictions": matched.pairs.iter().map(eviction).collect::<Value>(),
        "only_simulated": only.collect::<Value>(),
        "deletions": deletions.collect::<Value>(),
        "explained": matched.explained(verdict.tolerance),
        "recorded": matched.pairs.len(),
        "seeds": verdict.seeds,
        "verdict": verdict.sentence(),
    })
}

/// A row for each eviction that was recorded, and then for each that only the simulation has.
pub(crate) fn table(verdict: &Verdict) -> Rows {
    let fields = fields();
    let recorded = |pair| cells(&fields, (verdict, pair));
    let mut rows: Vec<Vec<Cell<'_>>> = verdict.matched.pairs.iter().map(recorded).collect();
    for (pod, at) in &verdict.matched.only_simulated {
        let mut row = vec![Cell::Empty; fields.len()];
        (row[0], row[2]) = (Cell::text(Some(pod.clone())), Cell::instant(verdict.clock, *at));
        rows.push(row);
    }
    Rows { name: "incident", columns: columns(&fields), rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::matching::Matched;
    use crate::kernel::{Dur, Time};
    use crate::report::WallClock;
    use crate::report::tables::tests::{csv_of_both, is_told};
    use std::collections::BTreeMap;

    #[test]
    fn what_was_not_recorded_stands_below_what_was() {
        let pair = Pair {
            pod: "shop/a".to_owned(),
            recorded: Time::from_secs(3),
            simulated: Some(Time::from_millis(4_250)),
            share: 1.0,
            stands_in: false,
            reordered: true,
        };
        let only_simulated = vec![("shop/b".to_owned(), Time::from_secs(63))];
        let verdict = Verdict {
            // 2026-11-21T02:29:57Z by `date -u -d … +%s`.
            clock: WallClock(1_795_228_197_000_000),
            told: Vec::new(),
            matched: Matched { pairs: vec![pair], only_simulated },
            tolerance: Dur::from_secs(2),
            deletions: BTreeMap::new(),
            seeds: 1,
            notes: Vec::new(),
        };
        let table = table(&verdict);
        is_told(&table, &[]);
        let expected = "\
pod,recorded,simulated,share,apart_s,stands_in,reordered,explained
shop/a,2026-11-21T02:30:00.000Z,2026-11-21T02:30:01.250Z,1,1.25,false,true,true
shop/b,,2026-11-21T02:31:00.000Z,,,,,
";
        assert_eq!(csv_of_both(&table), expected);
    }
}
