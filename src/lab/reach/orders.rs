//! Orders of whole instants that bring a run nearer to an outcome: what the outcome has at another
//! time than the run is followed back to the steps that it comes of, and these change places.
//!
//! Where many goroutines come to a limited client in one instant, who of them gets which token is
//! told by records that are seconds away. Of records of one kind, the steps that they come of are
//! sorted by the recorded times, all at once; a single one goes to the place of the step that led
//! to something at the time at which its record should come.

use super::{MILLI, Other, time_of};
use crate::api::names::stable_hash;
use crate::kernel::Time;
use crate::kernel::choice::{Deviation, Drawn, Span};
use crate::scenario::recorded::Line;
use crate::sim::Searched;
use std::collections::{BTreeMap, BTreeSet};

/// So many instants before a record are looked at.
const INSTANTS: usize = 4;
/// And so many records of those that come at a wrong time.
const WRONG: usize = 4;
/// In each, so many steps that one comes of.
const LEVELS: usize = 4;
/// And so many places for one of them.
const PLACES: usize = 4;
/// So many walks over each small map before an instant.
const WALKS: usize = 4;
/// And so many orders of large ones, and of ties.
const RANKS: usize = 12;
/// A record comes of steps no further back than this.
const LINKS: usize = 200;

/// The times at which an outcome has each record, by its text without the time.
pub(super) struct Wanted<'a> {
    lines: &'a [Line],
    times: BTreeMap<String, Vec<u64>>,
}

impl<'a> Wanted<'a> {
    pub(super) fn of(lines: &'a [Line]) -> Self {
        let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for line in lines {
            times.entry(timeless(line)).or_default().push(line.t_ns);
        }
        Self { lines, times }
    }

    /// When the outcome has each of these records; the second time for the second of several that
    /// are equal.
    fn times(&self, lines: &[Line]) -> Vec<Option<u64>> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut time = |line: &Line| {
            let text = timeless(line);
            let times = self.times.get(&text)?;
            let nth = seen.entry(text).or_default();
            *nth += 1;
            times.get(*nth - 1).copied()
        };
        lines.iter().map(&mut time).collect()
    }
}

fn timeless(line: &Line) -> String {
    Line {
        t_ns: 0,
        ..line.clone()
    }
    .json()
}

/// A run beside an outcome.
struct View<'a> {
    run: &'a Searched,
    lines: &'a [Line],
    /// The step that made each record.
    made: Vec<usize>,
    /// The step that made the one before it of the same actor about the same object.
    led: Vec<Option<usize>>,
    /// When the outcome has it.
    times: Vec<Option<u64>>,
    /// The hashes of what each is about.
    about: Vec<Vec<u64>>,
}

/// How a record is followed back to a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    /// By what posted what.
    Posted,
    /// By what its actor last did about the object: what came of the answer.
    Answered,
    /// By the object. What goes through a queue is posted by its reader.
    About,
}

impl View<'_> {
    fn at(&self, step: usize) -> Time {
        self.run.notes.steps[step].at
    }

    /// The steps that a record may come of, by instant, the latest first. In each instant they are
    /// in order.
    fn roots(&self, record: usize, way: Way) -> Vec<Vec<usize>> {
        let steps = &self.run.notes.steps;
        let mut out: Vec<Vec<usize>> = Vec::new();
        let mut add = |step: usize| match out.last_mut() {
            Some(last) if self.at(last[0]) == self.at(step) => last.insert(0, step),
            _ => out.push(vec![step]),
        };
        match way {
            Way::Posted => {
                let mut step = self.made[record];
                for _ in 0..LINKS {
                    add(step);
                    let Some(before) = steps[step].posted_in.checked_sub(1) else {
                        break;
                    };
                    step = before as usize;
                }
            }
            Way::Answered => {
                if let Some(led) = self.led[record] {
                    let answers = (led + 1..=self.made[record])
                        .rev()
                        .filter(|s| steps[*s].posted_in == steps[led].posted_in);
                    answers.take(LEVELS).for_each(add);
                }
            }
            Way::About => {
                let is_about = |s: &usize| {
                    steps[*s].name.object != 0
                        && self.about[record].contains(&steps[*s].name.object)
                };
                (0..=self.made[record])
                    .rev()
                    .filter(is_about)
                    .take(LINKS)
                    .for_each(add);
            }
        }
        out
    }

    fn instant(&self, at: Time) -> std::ops::Range<usize> {
        let steps = &self.run.notes.steps;
        steps.partition_point(|s| s.at < at)..steps.partition_point(|s| s.at <= at)
    }
}

/// Other orders that bring records to their times, the best last.
pub(super) fn orders(
    run: &Searched,
    records: &[usize],
    lines: &[Line],
    wanted: &Wanted<'_>,
    until: u64,
) -> Vec<Other> {
    let last = run.notes.steps.len().saturating_sub(1);
    let step_of = |record: usize| {
        run.records
            .partition_point(|n| *n as usize <= record)
            .min(last)
    };
    let made: Vec<usize> = records.iter().map(|record| step_of(*record)).collect();
    let mut aliases: Vec<(String, String)> = run.trace.names.aliases().collect();
    aliases.sort_by_key(|(_, alias)| std::cmp::Reverse(alias.len()));
    let about: Vec<Vec<u64>> = lines.iter().map(|line| about(line, &aliases)).collect();
    let led = (0..lines.len())
        .map(|i| {
            let is_before =
                |j: &usize| records[*j] < records[i] && lines[*j].actor == lines[i].actor;
            let before = (0..i)
                .filter(is_before)
                .filter(|j| about[*j].iter().any(|o| about[i].contains(o)));
            before
                .max_by_key(|j| records[*j])
                .map(|j| step_of(records[j]))
        })
        .collect();
    let view = View {
        run,
        lines,
        made,
        led,
        times: wanted.times(lines),
        about,
    };
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

impl View<'_> {
    /// Sorts what the records of a kind come of in an instant by the recorded times.
    fn sort(&self, kind: &str, way: Way, at: Time, out: &mut Vec<Other>) {
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
        if threads.len() < 2 {
            return;
        }
        // Those of one time stay in the order of the run.
        threads.sort_by_key(|t| (t.0, t.1[0]));
        let range = self.instant(at);
        let usual: Vec<usize> = range.clone().collect();
        let mut steps = usual.clone();
        for level in 0..LEVELS {
            let wanted: Vec<usize> = threads
                .iter()
                .filter_map(|t| t.1.get(level).copied())
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
        // The same once all have let the others go first: then the first half of what they do is in
        // one order, and the second in another.
        let mut of_threads: BTreeSet<usize> =
            threads.iter().flat_map(|t| t.1.iter().copied()).collect();
        let yields = self.yields(of_threads.iter().copied());
        let front = of_threads.first().map_or(range.start, |s| *s);
        let mut first: Vec<usize> = of_threads.iter().copied().collect();
        let mut last: Vec<usize> = threads
            .iter()
            .filter_map(|t| t.1.iter().max().copied())
            .collect();
        if way != Way::Posted {
            first = (0..LEVELS)
                .flat_map(|level| threads.iter().filter_map(move |t| t.1.get(level).copied()))
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

    /// Puts steps that a record comes of where the one is that led to something at the time at
    /// which the record should come: a single one later, or all of them sooner.
    fn place(&self, record: usize, roots: &[usize], out: &mut Vec<Other>) {
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

    /// Has what a watch delivers come last in the instants in which something was done that a
    /// record comes of: it was done without it.
    fn late(&self, record: usize, said: &mut BTreeSet<usize>, out: &mut Vec<Other>) {
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
    fn behind_peers(&self, root: usize, out: &mut Vec<Other>) {
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
    fn actors(&self, record: usize, out: &mut Vec<Other>) {
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

    /// The node of the pod that a record is about.
    fn node_of(&self, record: usize) -> Option<&str> {
        let pod = |l: &Line| {
            if l.pod.is_empty() {
                l.object.strip_prefix("Pod/").map(str::to_owned)
            } else {
                Some(l.pod.clone())
            }
        };
        let pod = pod(&self.lines[record])?;
        self.lines
            .iter()
            .find(|l| l.pod == pod && !l.node.is_empty())
            .map(|l| &*l.node)
    }

    /// Sorts arbitrary orders of what the records of a kind are about.
    fn rank(&self, kind: &str, until: u64, out: &mut Vec<Other>) {
        let mut times: BTreeMap<u64, u64> = BTreeMap::new();
        let mut is_about = |i: usize, time: u64| {
            // What happens to a pod may hang on what happened to its node.
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
        let mut groups: Vec<(u64, &[Drawn])> = super::ranked(&self.run.choices)
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

    /// Other walks over small maps before the instants in which a record came about that only one
    /// of the two has at its time: of one that the run has not, as long before as one of its kind
    /// about the same object did.
    fn walks(&self, wanted: &[Line], until: u64, out: &mut Vec<Other>) {
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
                let before = self
                    .run
                    .notes
                    .steps
                    .partition_point(|s| s.at.as_nanos() <= at);
                let to = self
                    .run
                    .notes
                    .steps
                    .get(before)
                    .map_or(self.run.choices.len(), |s| s.choices as usize);
                let mut of_point: BTreeMap<&str, usize> = BTreeMap::new();
                let mut is_near = |d: &&Drawn| {
                    let n = of_point.entry(d.point).or_default();
                    *n += usize::from(matches!(d.span, Span::Alternatives(_)));
                    (1..=WALKS).contains(n)
                };
                for drawn in self.run.choices[..to]
                    .iter()
                    .rev()
                    .filter(|d| matches!(d.span, Span::Alternatives(_)))
                    .filter(|d| is_near(d))
                {
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

    /// The choices of some steps to let the others of the instant go first, by place, where they
    /// did not.
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

    fn other(&self, at: Time, steps: &[usize], deviations: Vec<Deviation>) -> Other {
        let range = self.instant(at);
        let turns = self
            .run
            .notes
            .asked
            .iter()
            .filter(|a| range.contains(&(a.step as usize)));
        let replaced = turns
            .map(|a| self.run.choices[a.choice as usize].into())
            .collect();
        let order = steps
            .iter()
            .map(|s| &self.run.notes.steps[*s])
            .map(|s| (s.name.hash(), u64::from(s.event)))
            .collect();
        Other {
            at: at.as_nanos(),
            deviations,
            order: Some((at, order)),
            replaced,
            strict: true,
        }
    }
}

/// The hashes of what a record is about.
fn about(line: &Line, aliases: &[(String, String)]) -> Vec<u64> {
    let object = line
        .object
        .split_once('/')
        .map(|(_, name)| name.to_owned())
        .unwrap_or_default();
    let named = |text: &String| {
        stable_hash(&aliases.iter().fold(text.clone(), |text, (name, alias)| {
            text.replace(alias, name)
        }))
    };
    // Of a pod's record the pod says more than the node.
    let node = if line.pod.is_empty() {
        line.node.clone()
    } else {
        String::new()
    };
    [node, line.pod.clone(), object]
        .iter()
        .filter(|text| !text.is_empty())
        .map(named)
        .collect()
}
