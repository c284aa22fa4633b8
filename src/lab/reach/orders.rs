//! Orders of whole instants that bring a run nearer to an outcome: what the outcome has at another
//! time than the run is followed back to the steps that led to it, and these change places.
//!
//! Where many goroutines come to a limited client in one instant, records that come seconds later
//! show which of them got which token. For records of one kind, the steps that led to them are
//! sorted by the recorded times, all at once; a single one goes to the place of the step that led
//! to something at the time at which its record should come.

use super::beside::{INSTANTS, View, WRONG, Wanted, Way};
use super::start::Other;
use crate::recorded::Line;
use crate::sim::Searched;
use std::collections::BTreeSet;

/// Other orders that bring records to their times, the best last.
pub(super) fn orders(
    run: &Searched,
    records: &[usize],
    lines: &[Line],
    wanted: &Wanted<'_>,
    until: u64,
) -> Vec<Other> {
    let view = View::of(run, records, lines, wanted);
    let is_wrong = |i: &usize| {
        view.times[*i].is_some_and(|t| t != lines[*i].t_ns && t.min(lines[*i].t_ns) <= until)
    };
    let mut wrong: Vec<usize> = (0..lines.len()).filter(is_wrong).collect();
    wrong.sort_by_key(|i| lines[*i].t_ns.min(view.times[*i].unwrap_or(u64::MAX)));
    wrong.truncate(WRONG);
    let mut out: Vec<Other> = Vec::new();
    let mut sorted = BTreeSet::new();
    let mut ranks = Vec::new();
    let mut late = BTreeSet::new();
    for record in wrong {
        let mut places = Vec::new();
        let kind = lines[record].envelope_kind();
        for way in [Way::Posted, Way::Answered, Way::About] {
            for roots in view.roots(record, way).into_iter().take(INSTANTS) {
                let at = view.at(roots[0]);
                if sorted.insert((kind.clone(), way, at)) {
                    view.sort(&kind, way, at, &mut out);
                }
                view.place(record, &roots, &mut places);
            }
        }
        view.late(record, &mut late, &mut places);
        out.append(&mut places);
        view.rank(&kind, until, &mut ranks);
    }
    // What only the run has may have come before something of its kind that should have been first.
    let is_odd = |i: &usize| view.times[*i].is_none() && lines[*i].t_ns <= until;
    for record in (0..lines.len()).filter(is_odd).take(WRONG) {
        for way in [Way::Answered, Way::Posted] {
            for roots in view.roots(record, way).into_iter().take(INSTANTS) {
                view.behind_peers(roots[roots.len() - 1], &mut out);
            }
        }
        view.actors(record, &mut out);
        view.late(record, &mut late, &mut out);
    }
    view.walks(wanted.lines, until, &mut out);
    out.append(&mut ranks);
    out.reverse();
    out
}
