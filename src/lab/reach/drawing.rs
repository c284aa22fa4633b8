//! Other values of what is drawn: of arbitrary orders, and of walks over small maps.

use super::beside::{INSTANTS, View, WRONG, Way};
use super::instants::{MILLI, ranked, time_of};
use super::start::Other;
use crate::api::names::stable_hash;
use crate::kernel::choice::{Deviation, Drawn, Span};
use crate::recorded::Line;
use std::collections::{BTreeMap, BTreeSet};

/// How many walks over each small map before an instant are tried.
const WALKS: usize = 4;
/// How many orders of large maps, and of ties, are tried.
const RANKS: usize = 12;

impl View<'_> {
    /// Sorts arbitrary orders of what the records of a kind are about.
    pub(super) fn rank(&self, kind: &str, until: u64, out: &mut Vec<Other>) {
        let mut times: BTreeMap<u64, u64> = BTreeMap::new();
        let mut is_about = |i: usize, time: u64| {
            // What happens to a pod may depend on what happened to its node.
            let node = self.node_of(i).map(stable_hash);
            self.about[i]
                .iter()
                .copied()
                .chain(node)
                .for_each(|o| _ = times.entry(o).or_insert(time));
        };
        for (i, line) in self.lines.iter().enumerate() {
            if let Some(time) = self.times[i]
                .filter(|t| (*t).max(line.t_ns) >= until && line.envelope_kind() == kind)
            {
                is_about(i, time);
            }
        }
        let mut groups: Vec<(u64, &[Drawn])> = ranked(&self.run.choices)
            .into_iter()
            .map(|(from, g)| (time_of(self.run, from), g))
            .collect();
        groups.retain(|g| g.0 <= until + MILLI);
        // The nearest first.
        for (at, ranks) in groups.into_iter().rev().take(RANKS) {
            let mut order: Vec<&Drawn> = ranks.iter().collect();
            order.sort_by_key(|d| d.value);
            let before: Vec<u64> = order.iter().map(|d| d.object).collect();
            let mut known: Vec<&Drawn> = order
                .iter()
                .copied()
                .filter(|d| times.contains_key(&d.object))
                .collect();
            known.sort_by_key(|d| times[&d.object]);
            let mut known = known.into_iter();
            for place in &mut order {
                if times.contains_key(&place.object) {
                    *place = known.next().unwrap_or(place);
                }
            }
            if order.iter().map(|d| d.object).ne(before) {
                let deviations = order
                    .iter()
                    .enumerate()
                    .map(|(place, d)| Deviation {
                        value: place as u64,
                        ..(**d).into()
                    })
                    .collect();
                out.push(Other {
                    at,
                    deviations,
                    order: None,
                    replaced: Vec::new(),
                    strict: true,
                });
            }
        }
    }

    /// Other walks over small maps before the instants that led to a record which only one of the
    /// two has at its time. For one that the run lacks, these instants are as long before it as
    /// those of a record of its kind about the same object.
    pub(super) fn walks(&self, wanted: &[Line], until: u64, out: &mut Vec<Other>) {
        let is_like = |a: &Line, b: &Line| {
            (&a.object, &a.pod, &a.node) == (&b.object, &b.pod, &b.node)
                && a.envelope_kind() == b.envelope_kind()
        };
        let odd = (0..self.lines.len())
            .filter(|i| self.times[*i] != Some(self.lines[*i].t_ns))
            .map(|i| (i, self.lines[i].t_ns));
        let missing = wanted
            .iter()
            .filter(|w| w.t_ns == until && !self.lines.contains(w));
        let like = missing.filter_map(|w| {
            self.lines
                .iter()
                .rposition(|l| is_like(l, w))
                .map(|i| (i, w.t_ns))
        });
        let mut said = BTreeSet::new();
        for (record, time) in like.chain(odd.filter(|o| o.1 == until)).take(WRONG) {
            let there = self.lines[record].t_ns;
            for roots in self.roots(record, Way::Posted).into_iter().take(INSTANTS) {
                let Some(at) = (self.at(roots[0]).as_nanos() + time).checked_sub(there) else {
                    continue;
                };
                for drawn in self.walks_before(at) {
                    if said.insert((drawn.point, drawn.object, drawn.ordinal)) {
                        let deviations = vec![Deviation {
                            value: u64::from(drawn.value == 0),
                            ..(*drawn).into()
                        }];
                        out.push(Other {
                            at,
                            deviations,
                            order: None,
                            replaced: Vec::new(),
                            strict: true,
                        });
                    }
                }
            }
        }
    }

    /// The last walks over each small map up to a time, the latest first.
    fn walks_before(&self, at: u64) -> impl Iterator<Item = &Drawn> {
        let (steps, choices) = (&self.run.notes.steps, &self.run.choices);
        let before = steps.partition_point(|s| s.at.as_nanos() <= at);
        let to = steps
            .get(before)
            .map_or(choices.len(), |s| s.choices as usize);
        let mut of_point: BTreeMap<&str, usize> = BTreeMap::new();
        let walks = choices[..to]
            .iter()
            .rev()
            .filter(|d| matches!(d.span, Span::Alternatives(_)));
        walks.filter(move |d| {
            let n = of_point.entry(d.point).or_default();
            *n += 1;
            *n <= WALKS
        })
    }
}
