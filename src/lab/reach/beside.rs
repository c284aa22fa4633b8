//! A run compared with a recorded outcome: when each record should come, and which steps led to it.

use super::start::Other;
use crate::api::names::stable_hash;
use crate::kernel::Time;
use crate::kernel::choice::Deviation;
use crate::recorded::Line;
use crate::sim::Searched;
use std::collections::BTreeMap;

/// How many instants before a record are looked at.
pub(super) const INSTANTS: usize = 4;
/// How many records are looked at of those that come at a wrong time.
pub(super) const WRONG: usize = 4;
/// How many steps of one instant are looked at, of those that led to one record.
pub(super) const LEVELS: usize = 4;
/// How many steps back the steps that led to a record are looked for.
const LINKS: usize = 200;

/// The times at which an outcome has each record, by its text without the time.
pub(super) struct Wanted<'a> {
    pub(super) lines: &'a [Line],
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

/// A run compared with an outcome.
pub(super) struct View<'a> {
    pub(super) run: &'a Searched,
    pub(super) lines: &'a [Line],
    /// The step that made each record.
    pub(super) made: Vec<usize>,
    /// The step that made the one before it of the same actor about the same object.
    led: Vec<Option<usize>>,
    /// When the outcome has it.
    pub(super) times: Vec<Option<u64>>,
    /// The hashes of what each is about.
    pub(super) about: Vec<Vec<u64>>,
}

/// How a record is followed back to a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Way {
    /// By what posted what.
    Posted,
    /// By the answer to what its actor last did about the object.
    Answered,
    /// By the object. What goes through a queue is posted by its reader.
    About,
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
    // For a record about a pod, the pod says more than the node.
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

impl<'a> View<'a> {
    pub(super) fn of(
        run: &'a Searched,
        records: &[usize],
        lines: &'a [Line],
        wanted: &Wanted<'_>,
    ) -> Self {
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
        View {
            run,
            lines,
            made,
            led,
            times: wanted.times(lines),
            about,
        }
    }

    pub(super) fn at(&self, step: usize) -> Time {
        self.run.notes.steps[step].at
    }

    /// The steps that may have led to a record, by instant, the latest first. In each instant they
    /// are in order.
    pub(super) fn roots(&self, record: usize, way: Way) -> Vec<Vec<usize>> {
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

    pub(super) fn instant(&self, at: Time) -> std::ops::Range<usize> {
        let steps = &self.run.notes.steps;
        steps.partition_point(|s| s.at < at)..steps.partition_point(|s| s.at <= at)
    }

    /// The node of the pod that a record is about.
    pub(super) fn node_of(&self, record: usize) -> Option<&str> {
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

    pub(super) fn other(&self, at: Time, steps: &[usize], deviations: Vec<Deviation>) -> Other {
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
