//! Other orders of the steps of one instant.

use super::beside::{INSTANTS, LEVELS, View, Way};
use super::instants::MILLI;
use super::start::Other;
use crate::kernel::Time;
use crate::kernel::choice::{Deviation, Span};
use std::collections::{BTreeMap, BTreeSet};

/// How many places are tried for one step.
const PLACES: usize = 4;

impl View<'_> {
    /// Sorts the steps of an instant that led to the records of a kind by the recorded times.
    pub(super) fn sort(&self, kind: &str, way: Way, at: Time, out: &mut Vec<Other>) {
        let threads = self.threads(kind, way, at);
        if threads.len() < 2 {
            return;
        }
        let range = self.instant(at);
        let mut steps: Vec<usize> = range.clone().collect();
        for level in 0..LEVELS {
            let wanted: Vec<usize> = threads
                .iter()
                .filter_map(|t| t.get(level).copied())
                .collect();
            let mut places = wanted.clone();
            places.sort_unstable();
            if places.windows(2).any(|w| w[0] == w[1]) {
                break;
            }
            for (place, step) in places.iter().zip(&wanted) {
                steps[place - range.start] = *step;
            }
            if wanted != places {
                out.push(self.other(at, &steps, Vec::new()));
            }
        }
        self.sort_halves(&threads, way, at, out);
    }

    /// The steps of an instant that led to each record of a kind, by the recorded times.
    fn threads(&self, kind: &str, way: Way, at: Time) -> Vec<Vec<usize>> {
        let mut threads: Vec<(u64, Vec<usize>)> = Vec::new();
        for (i, line) in self.lines.iter().enumerate() {
            let Some(time) = self.times[i].filter(|_| line.t_ns >= at.as_nanos() / MILLI * MILLI)
            else {
                continue;
            };
            if line.envelope_kind() == kind
                && let Some(mut steps) =
                    self.roots(i, way).into_iter().find(|s| self.at(s[0]) == at)
                && !threads.iter().any(|t| t.1 == steps)
            {
                if way != Way::About {
                    steps.reverse();
                }
                threads.push((time, steps));
            }
        }
        // Those of one time stay in the order of the run.
        threads.sort_by_key(|t| (t.0, t.1[0]));
        threads.into_iter().map(|t| t.1).collect()
    }

    /// The same once all have let the others go first: then the first half of what they do is in
    /// one order, and the second in another.
    fn sort_halves(&self, threads: &[Vec<usize>], way: Way, at: Time, out: &mut Vec<Other>) {
        let range = self.instant(at);
        let mut of_threads: BTreeSet<usize> = threads.iter().flatten().copied().collect();
        let yields = self.yields(of_threads.iter().copied());
        let front = of_threads.first().map_or(range.start, |s| *s);
        let mut first: Vec<usize> = of_threads.iter().copied().collect();
        let mut last: Vec<usize> = threads
            .iter()
            .filter_map(|t| t.iter().max().copied())
            .collect();
        if way != Way::Posted {
            first = (0..LEVELS)
                .flat_map(|level| threads.iter().filter_map(move |t| t.get(level).copied()))
                .collect();
            last.sort_unstable();
        }
        let mut last_places = last.clone();
        last_places.sort_unstable();
        last_places
            .iter()
            .for_each(|step| _ = of_threads.remove(step));
        let mut halves: Vec<usize> = (range.start..front).chain(first).collect();
        let rest = (front..range.end).filter(|s| !of_threads.contains(s));
        halves.extend(rest.map(|s| last_places.binary_search(&s).map_or(s, |place| last[place])));
        for yields in yields {
            out.push(self.other(at, &halves, yields));
        }
    }

    /// Moves the steps that led to a record to the place of the step that led to something at the
    /// time at which the record should come: a single one later, or all of them sooner.
    pub(super) fn place(&self, record: usize, roots: &[usize], out: &mut Vec<Other>) {
        let (Some(time), at) = (self.times[record], self.at(roots[0])) else {
            return;
        };
        let later = time > self.lines[record].t_ns;
        let range = self.instant(at);
        let steps = &self.run.notes.steps;
        let is_there = |s: &usize| steps[*s].at.as_nanos() / MILLI * MILLI == time;
        let first = steps.partition_point(|s| s.at.as_nanos() < time);
        let mut there: Vec<usize> = Vec::new();
        for mut step in (first..steps.len()).take_while(is_there) {
            while let Some(before) = steps[step]
                .posted_in
                .checked_sub(1)
                .filter(|_| self.at(step) > at)
            {
                step = before as usize;
            }
            if range.contains(&step) && there.len() < PLACES && !there.contains(&step) {
                there.push(step);
            }
        }
        let mut put = |moved: &[usize], there: usize| {
            let mut steps: Vec<usize> = range.clone().filter(|s| !moved.contains(s)).collect();
            let place = steps.partition_point(|s| if later { *s <= there } else { *s < there });
            steps.splice(place..place, moved.iter().copied());
            out.push(self.other(at, &steps, Vec::new()));
        };
        for there in there {
            if later {
                roots
                    .iter()
                    .rev()
                    .filter(|root| **root < there)
                    .for_each(|root| put(&[*root], there));
            } else if let Some(behind) = roots
                .get(roots.partition_point(|root| *root <= there)..)
                .filter(|b| !b.is_empty())
            {
                put(behind, there);
            }
        }
    }

    /// Puts what a watch delivers last in the instants in which the steps that led to a record were
    /// made: they were made without knowing of it.
    pub(super) fn late(&self, record: usize, said: &mut BTreeSet<usize>, out: &mut Vec<Other>) {
        for roots in self.roots(record, Way::Posted).into_iter().take(INSTANTS) {
            let range = self.instant(self.at(roots[0]));
            for step in range
                .clone()
                .filter(|s| self.run.notes.steps[*s].name.is_stream)
            {
                if step + 1 < range.end && said.insert(step) {
                    let order: Vec<usize> =
                        range.clone().filter(|s| *s != step).chain([step]).collect();
                    out.push(self.other(self.at(step), &order, Vec::new()));
                }
            }
        }
    }

    /// Puts a step behind others of its name and instant.
    pub(super) fn behind_peers(&self, root: usize, out: &mut Vec<Other>) {
        let (steps, at) = (&self.run.notes.steps, self.at(root));
        let range = self.instant(at);
        let is_peer = |s: &usize| steps[*s].name.what == steps[root].name.what;
        for peer in (root + 1..range.end).filter(is_peer).take(PLACES) {
            let mut order: Vec<usize> = range.clone().filter(|s| *s != root).collect();
            order.insert(peer - range.start, root);
            out.push(self.other(at, &order, Vec::new()));
        }
    }

    /// The same of the steps of its actor shortly before a record, where there are several in one
    /// instant.
    pub(super) fn actors(&self, record: usize, out: &mut Vec<Other>) {
        let steps = &self.run.notes.steps[..self.made[record]];
        let own: Vec<usize> = (0..steps.len())
            .rev()
            .filter(|s| steps[*s].name.what == self.lines[record].actor)
            .collect();
        let together = own.windows(2).filter(|w| self.at(w[0]) == self.at(w[1]));
        together
            .take(INSTANTS)
            .for_each(|w| self.behind_peers(w[1], out));
    }

    /// The choices by which some steps, which did not, let the others of the instant go first; one
    /// list for each place.
    fn yields(&self, of: impl Iterator<Item = usize>) -> Vec<Vec<Deviation>> {
        let steps = &self.run.notes.steps;
        let mut open: BTreeMap<&str, Vec<Deviation>> = BTreeMap::new();
        for step in of {
            let to = steps
                .get(step + 1)
                .map_or(self.run.choices.len(), |s| s.choices as usize);
            for drawn in &self.run.choices[steps[step].choices as usize..to] {
                if drawn.span == Span::Yield && drawn.value == 0 {
                    open.entry(drawn.point).or_default().push(Deviation {
                        value: 1,
                        ..(*drawn).into()
                    });
                }
            }
        }
        open.into_values().filter(|all| all.len() > 1).collect()
    }
}
