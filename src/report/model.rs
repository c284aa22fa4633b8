//! A run's report: what every format of it is made from.
//!
//! Times of a run as the clock on the wall has them, for runs that begin at a known instant.

use super::being_made::still_being_made;
use super::prelude::*;
use crate::analysis::timeline::{DEFAULT_ROWS, Row, collapsed};
use crate::analysis::{Eviction, Serving, Summary, Workloads, size_in_words, summary, workloads};
use crate::files::{Fingerprint, called};
use chrono::{DateTime, SecondsFormat, Utc};
use std::sync::Arc;

/// A time of the run as a span, `25m55s`, to the second.
fn time(at: Time) -> String {
    short(Dur::from_secs(at.as_secs()))
}

/// Where a run came from, as far as plan and trace do not say.
#[derive(Clone, Debug)]
pub struct Source {
    /// The scenario's file as it was given, or what stands for it: `-` for standard input.
    pub file: String,
    /// The scenario's text.
    pub text: Arc<String>,
    /// What the scenario was read from, for the manifest.
    pub fingerprint: Fingerprint,
    /// What `--set` changed, as given.
    pub set: Vec<String>,
    /// The seed of the run.
    pub seed: u64,
}

/// What stands above a chart.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// The scenario's name.
    pub(crate) title: String,
    /// Release, timing, seed, size.
    pub(crate) subtitle: String,
    /// What the scenario says of itself, in one line; empty where it says nothing.
    pub(crate) doc: String,
}

/// A run with what is said of it.
#[derive(Debug)]
pub struct Report<'a> {
    /// The run.
    pub analysis: &'a Analysis<'a>,
    /// Where it came from.
    pub(crate) source: &'a Source,
    /// The timeline.
    pub(crate) rows: Vec<Row>,
    /// Facts of different workloads or entries are one of its rows.
    pub(crate) together: bool,
    /// The summary.
    pub summary: Summary,
    /// What the API says became of each workload.
    pub workloads: Workloads,
    /// What served, and what it cost.
    pub serving: Serving,
    /// The evictions, in the order in which they happened.
    pub(crate) evictions: Vec<Eviction<'a>>,
}

impl<'a> Report<'a> {
    /// Makes timeline and summary; `window` is how soon a node must be back for an eviction to have
    /// been needless.
    pub fn new(analysis: &'a Analysis<'a>, source: &'a Source, window: Dur) -> Self {
        let (summary, serving, evictions) = summary::with_evictions(analysis, window);
        let (rows, together) = collapsed(analysis, DEFAULT_ROWS);
        Report {
            analysis,
            source,
            rows,
            together,
            summary,
            workloads: workloads::workloads(analysis),
            serving,
            evictions,
        }
    }

    /// "1.34.4" of "v1.34.4".
    pub(crate) fn release(&self) -> &'a str {
        self.analysis.plan.profile.released()
    }

    /// What a file of its own says of the run, by name.
    pub(crate) fn about(&self) -> [(&'static str, String); 4] {
        let plan = self.analysis.plan;
        [
            ("scenario", plan.name.clone()),
            ("kubernetes", self.release().to_owned()),
            ("timing", plan.timing.name.to_string()),
            ("seed", self.source.seed.to_string()),
        ]
    }

    /// What a person should know before the figures are believed: the notes of the plan, and which
    /// workloads were not whole yet when something was done to them.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.analysis.plan.notes.clone();
        notes.extend(self.not_whole_yet());
        notes
    }

    /// The same, each behind the place of what it names in a scenario that points at no other file.
    pub(crate) fn placed_notes(&self) -> Vec<String> {
        let Source { file, text, fingerprint, .. } = self.source;
        let source = crate::language::Source { name: called(file).into(), text: text.clone() };
        let mut notes = self.notes();
        if fingerprint.inputs.is_empty() {
            notes.iter_mut().for_each(|note| *note = source.noted(note).to_string());
        }
        notes
    }

    /// One sentence for all workloads that something hit before they were first whole, the last
    /// to be whole first.
    fn not_whole_yet(&self) -> Option<String> {
        let all = &self.serving.workloads;
        let late = all.iter().filter_map(|w| Some((w, w.late(self.analysis)?)));
        let mut late: Vec<_> = late.collect();
        late.sort_by_key(|(_, (_, from))| std::cmp::Reverse(from.unwrap_or(Time::MAX)));
        let (_, (harm, _)) = late.iter().min_by_key(|(_, (harm, _))| harm.at)?;
        let entry = self.analysis.plan.timeline.get(harm.entry as usize)?;
        let named = late.iter().map(|(w, (_, from))| {
            let name = w.name.replacen('/', " ", 1);
            let whole =
                from.map_or("never whole".to_owned(), |at| format!("whole at {}", time(at)));
            format!("{name} ({whole})")
        });
        let came = format!("`{}` came, at {}", entry.name, time(harm.at));
        Some(still_being_made(&came, &named.collect::<Vec<_>>()))
    }

    /// What stands above the charts.
    pub fn heading(&self) -> Heading {
        let plan = self.analysis.plan;
        let checked = if plan.profile.recorded { "" } else { " (not checked against recordings)" };
        let (release, timing, seed) = (self.release(), &plan.timing.name, self.source.seed);
        let size = size_in_words(&plan.size());
        Heading {
            title: plan.name.clone(),
            subtitle: format!(
                "Kubernetes {release}{checked}, timing {timing}, seed {seed}: {size}"
            ),
            doc: plan.doc.lines().next().unwrap_or_default().to_owned(),
        }
    }
}

/// When a run begins, in microseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WallClock(pub i64);

impl WallClock {
    /// A time of the run in microseconds since 1970.
    pub(crate) fn micros(self, at: Time) -> i64 {
        let us = i64::try_from(at.as_nanos() / 1_000).unwrap_or(i64::MAX);
        self.0.saturating_add(us)
    }

    fn at(self, at: Time) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.micros(at)).unwrap_or_default()
    }

    /// `2026-11-21T02:30:05.620Z`
    #[must_use]
    pub(crate) fn rfc3339(self, at: Time) -> String {
        self.at(at).to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// `2026-11-21T02:29:57Z`, of the beginning.
    #[must_use]
    pub(crate) fn begins(self) -> String {
        self.at(Time::ZERO).to_rfc3339_opts(SecondsFormat::AutoSi, true)
    }

    /// `02:30:05`; the fraction is cut off.
    #[must_use]
    pub(crate) fn clock(self, at: Time) -> String {
        self.at(at).format("%H:%M:%S").to_string()
    }
}

/// `in 3m12s`, to the second.
#[cfg(feature = "cli")]
pub(crate) fn from_now(at: Time) -> String {
    format!("in {}", short(Dur::from_secs(at.as_secs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_clock() {
        // 2026-11-21T02:29:57Z by `date -u -d … +%s`.
        let clock = WallClock(1_795_228_197_000_000);
        assert_eq!(clock.begins(), "2026-11-21T02:29:57Z");
        let at = Time::from_millis(8_620);
        assert_eq!(clock.rfc3339(at), "2026-11-21T02:30:05.620Z");
        assert_eq!(clock.clock(at), "02:30:05");
        assert_eq!(from_now(Time::from_millis(192_900)), "in 3m12s");
    }
}
