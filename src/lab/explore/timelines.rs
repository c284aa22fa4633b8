//! How other timelines are drawn, and how what was found in one is made small.
//!
//! What people know of an incident is seldom right to the millisecond, and races are a matter of milliseconds. So
//! entries move, within a slack, to where in the run as it is written something happens that they may
//! race with, and faults come where something happens.

use super::changes::{Change, Changing, Of};
use super::coverage::orders;
use super::one;
use crate::lab::dice::Dice;
use crate::lab::prelude::*;
use crate::trace::{Record, What};

/// One time in so many something comes anywhere, and not near a record.
const ANYWHERE: u64 = 4;
/// How many causes may lie between an entry and what is taken to be about the same.
const STEPS: usize = 3;
/// How near to a record something comes is 0 to 9 times ten to one less than this microseconds.
const TENS: u64 = 6;
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
    /// The orders of things that some run had.
    seen: BTreeSet<u64>,
    horizon: Dur,
    nodes: Vec<String>,
}

/// A timeline, and when things happen in its run.
struct Timeline {
    /// Faults that are added in it.
    faults: Vec<Change>,
    /// When entries come in it, in the order in which they are written.
    entries: Vec<(Dur, Near)>,
    /// When anything happens.
    anything: Near,
}

impl<'a> Known<'a> {
    /// The timeline that is written, by its run in the default order.
    pub(super) fn new(changing: &'a Changing<'a>, plan: &Plan, trace: &Trace) -> Self {
        let horizon = Dur::from_nanos(plan.horizon.as_nanos());
        let names = &trace.names;
        let nodes = names.node_ids().map(|id| names.node_name(id).to_owned()).collect();
        let seen = orders(trace);
        let mut known = Self { changing, timelines: Vec::new(), seen, horizon, nodes };
        known.timelines.push(known.timeline(&[], trace));
        known
    }

    /// The orders of things in a run that none before had.
    pub(super) fn unseen(&self, trace: &Trace) -> Vec<u64> {
        orders(trace).difference(&self.seen).copied().collect()
    }

    /// Adds a timeline whose run had these orders, if none before had some of them; where there are too many, in the
    /// place of the oldest but that which is written.
    pub(super) fn add(&mut self, changes: &[Change], orders: Vec<u64>) {
        let before = self.seen.len();
        self.seen.extend(orders);
        if self.seen.len() > before
            && let Some(plan) = (self.changing.plan)(changes)
        {
            if self.timelines.len() >= KNOWN {
                self.timelines.remove(1);
            }
            self.timelines.push(self.timeline(changes, &one::run(&plan, &[]).trace));
        }
    }

    fn timeline(&self, changes: &[Change], trace: &Trace) -> Timeline {
        let slack = self.changing.slack;
        let entry = |written: &Change| {
            let at = changes.iter().find(|c| c.of == written.of).map_or(written.at, |c| c.at);
            (at, Near::of(at, (written.at, slack), trace))
        };
        Timeline {
            faults: changes.iter().filter(|c| matches!(c.of, Of::Fault(_))).cloned().collect(),
            entries: self.changing.entries.iter().map(entry).collect(),
            anything: Near::of(Dur::ZERO, (Dur::ZERO, self.horizon), trace),
        }
    }

    /// Some changes, and the plan with them; none where that is no scenario.
    pub(super) fn drawn(&self, seed: u64) -> Option<(Vec<Change>, Plan)> {
        let mut dice = Dice::new(seed);
        // Half of them begin with what is written.
        let all = self.timelines.len();
        let known = match (dice.once_in(2), dice.once_in(2)) {
            (true, _) => 0,
            (_, true) => all - 1 - dice.index(all.min(LATEST)),
            _ => dice.index(all),
        };
        let timeline = &self.timelines[known];
        let mut changes = timeline.faults.clone();
        if changes.is_empty() {
            for fault in self.changing.faults.drawn(&self.nodes, &mut dice) {
                let at = timeline.anything.place((Dur::ZERO, self.horizon), &mut dice);
                changes.push(Change { of: Of::Fault(fault), at });
            }
        }
        // Where faults were added, entries stay half of the time.
        let stay = changes.len() > timeline.faults.len() && dice.once_in(2);
        changes.extend(self.moved(timeline, stay, &mut dice));
        let plan = (self.changing.plan)(&changes)?;
        Some((changes, plan))
    }

    /// Entries at other times. They keep their order.
    fn moved(&self, timeline: &Timeline, stay: bool, dice: &mut Dice) -> Vec<Change> {
        let (count, slack) = (timeline.entries.len(), self.changing.slack);
        // One of them in half of all runs, two in a quarter, and so on.
        let many = if stay || slack == Dur::ZERO { 0 } else { (dice.halving() + 1).min(count) };
        let chosen: BTreeSet<usize> = (0..many).map(|_| dice.index(count)).collect();
        let mut earliest = Dur::ZERO;
        let mut moves = Vec::new();
        for (i, (written, (at, near))) in
            self.changing.entries.iter().zip(&timeline.entries).enumerate()
        {
            let at = match chosen.contains(&i) {
                true => near.place((written.at, slack), dice),
                false => *at,
            };
            earliest = at.max(earliest);
            if earliest != written.at {
                moves.push(Change { at: earliest, ..written.clone() });
            }
        }
        moves
    }
}

/// When something happens within the slack of an entry.
#[derive(Default)]
struct Near {
    /// To what the entry is about.
    own: Vec<Dur>,
    /// To anything.
    all: Vec<Dur>,
}

impl Near {
    /// Of an entry that comes at a time in a run, and may come not further from another than a slack.
    fn of(at: Dur, (from, slack): (Dur, Dur), trace: &Trace) -> Self {
        let about = |r: &Record| (r.node(), r.pod(), r.workload());
        // How far each record is from the entry, by causes.
        let mut far: Vec<usize> = Vec::with_capacity(trace.len());
        let mut own = BTreeSet::new();
        for r in trace.iter() {
            let cause = far.get(r.cause as usize).map_or(STEPS, |f| f + 1);
            let is_it = r.what == What::FaultBegan && r.at.as_nanos() == at.as_nanos();
            let steps = if is_it { 0 } else { cause };
            far.push(steps);
            if (1..=STEPS).contains(&steps) {
                own.insert(about(r));
            }
        }
        own.remove(&(None, None, None));
        let mut near = Self::default();
        for r in trace.iter() {
            let then = Dur::from_nanos(r.at.as_nanos());
            if then.as_nanos().abs_diff(from.as_nanos()) > slack.as_nanos() {
                continue;
            }
            near.all.push(then);
            if own.contains(&about(r)) {
                near.own.push(then);
            }
        }
        near.all.dedup();
        near.own.dedup();
        near
    }

    /// A time not further from another than a slack.
    fn place(&self, (from, slack): (Dur, Dur), dice: &mut Dice) -> Dur {
        let least = from.as_nanos().saturating_sub(slack.as_nanos());
        let most = from.as_nanos() + slack.as_nanos();
        let records = if self.own.is_empty() || dice.once_in(2) { &self.all } else { &self.own };
        if records.is_empty() || dice.once_in(ANYWHERE) {
            return Dur::from_nanos(least + dice.below(most - least + 1));
        }
        let record = records[dice.index(records.len())].as_nanos();
        // How near it has to be is not known: any order of magnitude is as likely.
        let by = dice.below(10) * 10_u64.pow(dice.below(TENS) as u32) * 1_000;
        let at = if dice.once_in(2) { record.saturating_sub(by) } else { record + by };
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
