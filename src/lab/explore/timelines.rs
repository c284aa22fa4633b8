//! How other timelines are drawn, and how what was found in one is made small.
//!
//! What people know of an incident is seldom right to the millisecond, and races are a matter of milliseconds. So
//! entries move, within a slack, to where in the run as it is written something happens that they may
//! race with, and faults come where something happens.
//!
//! A race is among things at few nodes. Where much else goes on a timeline is changed at the nodes of one entry: what
//! has to do with them moves, to when something happens there, and it goes on from what is new there.

use super::changes::{Change, Changing, Of};
use super::coverage::{Nodes, by_node, kind, orders};
use super::one;
use crate::lab::prelude::*;

/// One time in so many something comes anywhere, and not near a record.
const ANYWHERE: u64 = 4;
/// One time in so many it may come near a record of any node.
const ELSEWHERE: u64 = 8;
/// How many causes may lie between an entry and what is taken to be about the same.
const STEPS: usize = 3;
/// How near to a record something comes is 0 to 9 times ten to one less than this microseconds, where the slack is as much.
const TENS: u32 = 7;
/// No more timelines are kept to be changed again than these.
const KNOWN: usize = 256;
/// Half of those that are changed again are among so many latest.
const LATEST: usize = 16;

/// What changes are drawn from: timelines of which runs are known, the first of them that which is written.
///
/// Many races need two things at their right times. So a timeline in whose run things come in an order, or so soon
/// one after the other, as in none before it goes on to be changed.
pub(super) struct Known<'a> {
    changing: &'a Changing<'a>,
    timelines: Vec<Timeline>,
    /// The orders of things that some run had, each with the nodes that were looked at.
    seen: BTreeSet<u64>,
    horizon: Dur,
    nodes: Vec<String>,
    /// The nodes of each entry.
    at: Vec<Nodes>,
}

/// A timeline that was drawn.
pub(super) struct Other {
    /// At which nodes it is otherwise.
    pub at: Nodes,
    /// What is otherwise.
    pub changes: Vec<Change>,
    /// It with that.
    pub plan: Plan,
}

impl<'a> Known<'a> {
    /// The timeline that is written, by its run in the default order.
    pub(super) fn new(changing: &'a Changing<'a>, plan: &Plan, trace: &Trace) -> Self {
        let horizon = Dur::from_nanos(plan.horizon.as_nanos());
        let names = &trace.names;
        let nodes = names.node_ids().map(|id| names.node_name(id).to_owned()).collect();
        let at: Vec<Nodes> = changing.entries.iter().map(|e| nodes_of(e.at, trace)).collect();
        let mut known =
            Self { changing, timelines: Vec::new(), seen: BTreeSet::new(), horizon, nodes, at };
        for at in known.at.iter().cloned().chain([Nodes::new()]).collect::<BTreeSet<_>>() {
            let orders = known.unseen(&at, trace);
            known.seen.extend(orders);
        }
        known.timelines.push(known.timeline(&[], Nodes::new(), trace));
        known
    }

    /// The orders of things at some nodes in a run that none before had.
    pub(super) fn unseen(&self, at: &Nodes, trace: &Trace) -> Vec<u64> {
        let there = at.iter().fold(0, |sum, node| fold(sum, u64::from(*node)));
        let orders = orders(trace, at).into_iter().map(|order| fold(there, order));
        orders.filter(|order| !self.seen.contains(order)).collect()
    }

    /// Adds a timeline whose run had these orders at some nodes, if none before had some of them; where there are too
    /// many, in the place of the oldest but that which is written.
    pub(super) fn add(&mut self, changes: &[Change], (at, orders): (Nodes, Vec<u64>)) {
        let before = self.seen.len();
        self.seen.extend(orders);
        if self.seen.len() > before
            && let Some(plan) = (self.changing.plan)(changes)
        {
            if self.timelines.len() >= KNOWN {
                self.timelines.remove(1);
            }
            self.timelines.push(self.timeline(changes, at, &one::run(&plan, &[]).trace));
        }
    }

    fn timeline(&self, changes: &[Change], at: Nodes, trace: &Trace) -> Timeline {
        let entry = |written: &Change| {
            changes.iter().find(|c| c.of == written.of).map_or(written.at, |c| c.at)
        };
        Timeline {
            at,
            faults: changes.iter().filter(|c| matches!(c.of, Of::Fault(_))).cloned().collect(),
            entries: self.changing.entries.iter().map(entry).collect(),
            moments: moments(trace),
        }
    }

    /// Some changes, and the plan with them; none where that is no scenario.
    pub(super) fn drawn(&self, seed: u64) -> Option<Other> {
        let mut dice = Dice::new(seed);
        let mut at = self.at.get(dice.index(self.at.len())).cloned().unwrap_or_default();
        let timeline = self.begin(&at, &mut dice);
        let mut changes = timeline.faults.clone();
        if changes.is_empty() {
            let (all, anywhere) = (Nodes::new(), (Dur::ZERO, self.horizon));
            for fault in self.changing.faults.drawn(&self.nodes, &mut dice) {
                let at = timeline.place(&all, anywhere, &mut dice);
                changes.push(Change { of: Of::Fault(fault), at });
            }
        }
        // Where faults were added, entries stay half of the time.
        let stay = changes.len() > timeline.faults.len() && dice.once_in(2);
        let moved = if stay { Vec::new() } else { self.moved(timeline, &at, &mut dice) };
        if !changes.is_empty() {
            // They may be at any node.
            at = Nodes::new();
        }
        changes.extend(moved);
        let plan = (self.changing.plan)(&changes)?;
        Some(Other { at, changes, plan })
    }

    /// A timeline to change at some nodes: half of the time that which is written.
    fn begin(&self, at: &Nodes, dice: &mut Dice) -> &Timeline {
        let there: Vec<&Timeline> = self.timelines.iter().filter(|t| meet(&t.at, at)).collect();
        let all = there.len();
        match (dice.once_in(2), dice.once_in(2)) {
            (true, _) => &self.timelines[0],
            (_, true) => there[all - 1 - dice.index(all.min(LATEST))],
            _ => there[dice.index(all)],
        }
    }

    /// Entries that have to do with some nodes, at other times. They keep their order.
    fn moved(&self, timeline: &Timeline, at: &Nodes, dice: &mut Dice) -> Vec<Change> {
        let (entries, slack) = (&self.changing.entries, self.changing.slack);
        let there: Vec<usize> = (0..entries.len()).filter(|i| meet(&self.at[*i], at)).collect();
        // One of them in half of all runs, two in a quarter, and so on.
        let many = if slack == Dur::ZERO { 0 } else { (dice.halving() + 1).min(there.len()) };
        let chosen: BTreeSet<usize> = (0..many).map(|_| there[dice.index(there.len())]).collect();
        let mut times = timeline.entries.clone();
        chosen.iter().for_each(|i| times[*i] = timeline.place(at, (entries[*i].at, slack), dice));
        // Those before one that moved give way as far as they may, and so do those behind it.
        let (mut latest, mut earliest) = (Dur::MAX, Dur::ZERO);
        for i in there.iter().rev() {
            let least = entries[*i].at.saturating_sub(slack);
            match chosen.contains(i) {
                true => latest = times[*i].min(latest),
                false => times[*i] = times[*i].min(latest).max(least),
            }
        }
        for i in &there {
            earliest = times[*i].max(earliest);
            times[*i] = earliest;
        }
        let moved = entries.iter().zip(times).filter(|(written, at)| written.at != *at);
        moved.map(|(written, at)| Change { at, ..written.clone() }).collect()
    }
}

/// Whether some nodes are among others; what has to do with none has to do with all.
fn meet(some: &Nodes, others: &Nodes) -> bool {
    some.is_empty() || others.is_empty() || !some.is_disjoint(others)
}

/// The nodes of what an entry that comes at a time led to.
fn nodes_of(at: Dur, trace: &Trace) -> Nodes {
    // How far each record is from the entry, by causes.
    let mut far: Vec<usize> = Vec::with_capacity(trace.len());
    let mut nodes = Nodes::new();
    for (r, node) in by_node(trace) {
        let cause = far.get(r.cause as usize).map_or(usize::MAX, |f| f.saturating_add(1));
        let is_it = r.what == What::FaultBegan && r.at.as_nanos() == at.as_nanos();
        let steps = if is_it { 0 } else { cause };
        far.push(steps);
        if (1..=STEPS).contains(&steps) {
            nodes.extend(node);
        }
    }
    nodes
}

/// A timeline, and when things happen in its run.
struct Timeline {
    /// The nodes at which things came as in no run before.
    at: Nodes,
    /// Faults that are added in it.
    faults: Vec<Change>,
    /// When entries come in it, in the order in which they are written.
    entries: Vec<Dur>,
    /// By kind.
    moments: Vec<Moment>,
}

/// When something happens.
#[derive(PartialEq)]
struct Moment {
    at: u64,
    kind: u64,
    node: Option<u32>,
}

fn moments(trace: &Trace) -> Vec<Moment> {
    let mut moments = Vec::new();
    for (r, node) in by_node(trace).filter(|(r, node)| r.pod().is_none() || node.is_some()) {
        let (at, kind) = (r.at.as_nanos(), kind(r, trace));
        moments.push(Moment { at, kind, node });
        // Where a countdown is cancelled nothing else says when it would have ended.
        if let What::TimerSet(seconds) = r.what {
            let at = at + Dur::from_secs(u64::from(seconds)).as_nanos();
            moments.push(Moment { at, kind: !kind, node });
        }
    }
    moments.dedup();
    moments.sort_by_key(|moment| moment.kind);
    moments
}

impl Timeline {
    /// A time not further from another than a slack, mostly near to something that happens at some nodes.
    fn place(&self, at: &Nodes, (from, slack): (Dur, Dur), dice: &mut Dice) -> Dur {
        let least = from.as_nanos().saturating_sub(slack.as_nanos());
        let most = from.as_nanos() + slack.as_nanos();
        let everywhere = dice.once_in(ELSEWHERE) || at.is_empty();
        let is_there = |moment: &&Moment| {
            (least..=most).contains(&moment.at)
                && (everywhere || moment.node.is_none_or(|node| at.contains(&node)))
        };
        let there: Vec<&Moment> = self.moments.iter().filter(is_there).collect();
        // What is rare counts as much as what happens all the time.
        let kinds: Vec<&[&Moment]> = there.chunk_by(|a, b| a.kind == b.kind).collect();
        let kind = dice.index(kinds.len());
        let anywhere = dice.once_in(ANYWHERE);
        let Some(moments) = kinds.get(kind).filter(|_| !anywhere) else {
            return Dur::from_nanos(least + dice.below(most - least + 1));
        };
        let moment = moments[dice.index(moments.len())].at;
        // How near it has to be is not known: any order of magnitude up to the slack is as likely.
        let tens = (slack.as_nanos() / 1_000).max(10).ilog10().min(TENS);
        let by = dice.below(10) * 10_u64.pow(dice.below(u64::from(tens)) as u32) * 1_000;
        let at = if dice.once_in(2) { moment.saturating_sub(by) } else { moment + by };
        Dur::from_nanos(at.clamp(least, most))
    }
}

/// Fewer changes with which what was found is so, too, each at a time that is as round as that allows.
pub fn fewer(
    changes: &[Change],
    written: &[Change],
    is_so: &dyn Fn(&[Change]) -> bool,
) -> Vec<Change> {
    let mut changes = changes.to_vec();
    for i in (0..changes.len()).rev() {
        let mut without = changes.clone();
        without.remove(i);
        if is_so(&without) {
            changes = without;
        }
    }
    for i in 0..changes.len() {
        let at = changes[i].at.as_nanos();
        let is_as_written = |at: Dur| written.iter().any(|w| w.of == changes[i].of && w.at == at);
        let rounder = (3..=9).rev().flat_map(|digits| {
            let unit = 10_u64.pow(digits);
            [at / unit * unit, at / unit * unit + unit].map(Dur::from_nanos)
        });
        let found = rounder.filter(|at| !is_as_written(*at)).find_map(|at| {
            let mut rounder = changes.clone();
            rounder[i].at = at;
            is_so(&rounder).then_some(rounder)
        });
        changes = found.unwrap_or(changes);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::explore::Faults;
    use crate::language::duration::parse;
    use std::path::Path;

    /// The countdown of 5 s would end at 15 s, and the taint goes before. Meanwhile much goes on at another node.
    const CANCELLED: &str = r#"(
        version: 1, kubernetes: "1.34", horizon: "60s", timing: Custom(user: Raw),
        nodes: [(name: "a"), (names: "b-{0..3}")],
        pods: [
            (name: "web", on: Node("a"), tolerations: [(key: "m", operator: Exists, effect: NoExecute, tolerationSeconds: 5)]),
            (name: "busy", count: 8, on: Node("b-0")),
        ],
        timeline: [
            (at: "10s", do: Taint(node: "a", taint: "m:NoExecute")),
            (at: "11s", do: Taint(node: "b-0", taint: "x:NoSchedule")),
            (at: "12s", do: Untaint(node: "a", taint: "m:NoExecute")),
            (at: "13s", do: Untaint(node: "b-0", taint: "x:NoSchedule")),
            (at: "14s", do: DeletePod(pods: Group("busy"))),
        ],
    )"#;

    /// The changes of 4,000 timelines that are drawn of that.
    fn drawn(slack: Dur) -> Vec<Vec<(usize, Dur)>> {
        let loaded = scenario::parse("s.ron", CANCELLED.into(), Path::new("")).unwrap();
        let plan = |_: &[Change]| scenario::build(&loaded, &Overrides::default()).ok();
        let at = |i: usize| parse(&loaded.spec.timeline[i].at.0).unwrap();
        let entries = (0..5).map(|i| Change { of: Of::Entry(i), at: at(i) }).collect();
        let changing = Changing { plan: &plan, entries, slack, faults: Faults::default() };
        let written = plan(&[]).unwrap();
        let known = Known::new(&changing, &written, &one::run(&written, &[]).trace);
        let of = |change: &Change| match change.of {
            Of::Entry(i) => (i, change.at),
            Of::Fault(_) => unreachable!("none may be added"),
        };
        let drawn = (0..4_000).filter_map(|seed| known.drawn(seed));
        drawn.map(|other| other.changes.iter().map(of).collect()).collect()
    }

    #[test]
    fn what_moves_has_to_do_with_one_node_and_keeps_its_order() {
        let slack = Dur::from_secs(5);
        let written = [10, 11, 12, 13, 14].map(Dur::from_secs);
        for moved in drawn(slack) {
            let places: BTreeSet<bool> = moved.iter().map(|(i, _)| [0, 2].contains(i)).collect();
            assert!(places.len() <= 1, "{moved:?}");
            let mut times = written;
            for (i, at) in &moved {
                let off = at.as_nanos().abs_diff(written[*i].as_nanos());
                assert!(off <= slack.as_nanos(), "{moved:?}");
                times[*i] = *at;
            }
            let in_order = |of: &[usize]| of.is_sorted_by_key(|i| times[*i]);
            assert!(in_order(&[0, 2]) && in_order(&[1, 3, 4]), "{moved:?}");
        }
    }

    /// Of 4,000 timelines, the taint's going moves in one of five at the least: two entries of five are about its node, and it
    /// is one of these. Three of four of these times are near a record, of some ten kinds, half of them behind it, and four of
    /// six orders of magnitude are below 10 ms: 20. Of 800 times anywhere within 5 s two would be.
    #[test]
    fn an_entry_comes_where_a_countdown_would_end_that_it_cancels() {
        let due = Dur::from_secs(15);
        let amid = due..due + Dur::from_millis(20);
        let near =
            |moved: &&Vec<(usize, Dur)>| moved.iter().any(|(i, at)| *i == 2 && amid.contains(at));
        let near = drawn(Dur::from_secs(5)).iter().filter(near).count();
        assert!(near >= 10, "{near}");
    }
}
