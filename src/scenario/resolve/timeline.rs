//! The timeline of a plan: each entry at each of its times, as primitive steps in order.

use super::describe::describe;
use super::faults::{lasts, primitives};
use super::prelude::*;
use super::primitive::{Primitive, Reader, World, weight};
use super::when::{self, Occurrences, Resolver};
use crate::files;

/// The most steps of a timeline.
const STEPS_MAX: u64 = 1_000_000;

/// The timeline as it is written: its entries, and its steps before overlaps are taken out.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    pub(super) entries: Vec<TimelineEntry>,
    pub(super) actions: Vec<Action>,
    /// Entries that come more often than the run is long, with how often they do within it.
    late: Vec<String>,
}

impl Written {
    /// What is said of entries some of whose times are after the end of the run.
    pub(super) fn too_late(&self, horizon: Time) -> Option<String> {
        let names = few(4, self.late.iter().map(String::as_str));
        let run = duration::format(horizon.since(Time::ZERO));
        (!names.is_empty()).then(|| format!(
            "The run ends at {run}, before all times of {names}: the others are in no figure. A longer `horizon` has them."
        ))
    }

    /// Adds an entry that begins at that time, with its steps.
    pub(super) fn push(
        &mut self,
        at: Time,
        name: String,
        lasts: Option<Dur>,
        steps: Vec<Primitive>,
    ) {
        let entry = self.entries.len() as u32;
        self.entries.push(TimelineEntry {
            at,
            name,
            ends: lasts.map(|d| at.saturating_add(d)),
            is_fault: steps.iter().any(|(_, _, act)| act.is_fault()),
        });
        self.actions.extend(steps.into_iter().map(|(offset, phase, act)| Action {
            at: at.saturating_add(offset),
            entry,
            phase,
            act,
        }));
    }
}

/// Entries and steps of the timeline, the steps sorted by time; those of one time stand in the
/// order of the file. With them, what finds times that are relative to entries.
pub(super) fn expand<'a>(
    (entries, in_file): (&'a [Entry], &'a [Entry]),
    horizon: Option<Time>,
    incomplete: bool,
    world: &World,
    complaints: &'a Complaints,
) -> (Written, Resolver<'a>) {
    let lengths: Vec<Option<Dur>> =
        entries.iter().enumerate().map(|(i, e)| lasts(i, &e.step, complaints)).collect();
    let moments = when::resolve((entries, in_file), &lengths, incomplete, complaints);
    let (mut written, mut mentions) = (Written::default(), 0u64);
    for (i, entry) in entries.iter().enumerate() {
        let lasts = lengths[i];
        let steps = primitives(Reader { i, step: &entry.step, lasts, world, complaints });
        let (Some(steps), Some(when), Some(horizon)) = (steps, moments.of(i), horizon) else {
            continue;
        };
        if when.first > horizon {
            let text = format!("this is after the end of the run, {}", horizon.since(Time::ZERO));
            let problem = Problem::new(text).help("make `horizon` longer");
            complaints.at(at!["timeline", i, "at"]).add(problem);
            continue;
        }
        let times = u64::from(when.times);
        let named: u64 = steps.iter().map(|(_, _, act)| weight(act)).sum();
        mentions = mentions.saturating_add(named.saturating_mul(times));
        // An entry that does nothing is reported as well, and counts as one step.
        let left = STEPS_MAX - written.actions.len() as u64;
        if (steps.len().max(1) as u64).saturating_mul(times) > left || mentions > MENTIONS_MAX {
            let field = if entry.times.is_some() { "times" } else { "do" };
            let text = "the timeline would be too long: too many steps, or too many nodes in them";
            complaints.at(at!["timeline", i, field]).say(text);
            return (written, moments);
        }
        repeat(entry, when, &steps, horizon, &mut written);
    }
    written.actions.sort_by_key(|a| a.at);
    (written, moments)
}

/// Writes an entry at each of its times that lies within the run.
fn repeat(
    entry: &Entry,
    when: Occurrences,
    steps: &[Primitive],
    horizon: Time,
    written: &mut Written,
) {
    // The name as it is shown everywhere: characters that move a cursor or break a line are
    // written out.
    let name = files::line(entry.name.as_deref().unwrap_or(&describe(&entry.step))).into_owned();
    for n in 0..when.times {
        let begin = when.begin(n);
        if begin > horizon {
            written.late.push(format!("{name} ({n} of {})", when.times));
            break;
        }
        let name = match when.times {
            1 => name.clone(),
            all => format!("{name} ({} of {all})", n + 1),
        };
        written.push(begin, name, when.lasts, steps.to_vec());
    }
}
