//! What is said of the runs of a release that were recorded.

use super::judge::{Judged, Tape};
use super::runs::{Applied, Run};
use super::steer::Steered;
use crate::classes::interval;
use crate::conformance::Difference;
use serde_json::{Value, json};
use std::io::{self, Write};
use taintsim::analysis::properties::Property;
use taintsim::language::Problem;
use taintsim::report::trials::{Came, Case, Failed};

/// What came of a release.
pub(super) enum Proof {
    /// The recorder cannot be told the scenario: its file, and why.
    NotSaid { release: String, file: String, missing: Vec<String> },
    /// Runs were recorded.
    Recorded(Box<Report>),
}

/// Whether the property was seen violated in the runs of a release.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Verdict {
    Confirmed,
    NotSeen,
    NotKnown,
    NotSaid,
}

impl Verdict {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotSeen => "not seen",
            Self::NotKnown => "not known",
            Self::NotSaid => "not said",
        }
    }
}

/// What the recorder was told of a tape.
#[derive(Clone)]
pub(super) struct Steering {
    pub(super) steered: Steered,
    /// How many deviations do not come up in what the recorder is told.
    pub(super) unmet: usize,
    /// What had to give way.
    pub(super) notes: Vec<&'static str>,
}

/// What came of all runs.
pub(super) struct Report {
    release: String,
    property: Property,
    /// How the tape violates the property, in the model.
    tape: Option<String>,
    steering: Steering,
    judged: Vec<Judged>,
    /// In how many runs all came about that they were steered to.
    met: usize,
    /// Where the nearest run parts from the tape, if none violates the property.
    parts: Option<String>,
    /// What of a change is in the program.
    pub(super) patch: Option<Applied>,
}

impl Report {
    /// What came of runs of a release; of a difference so many rows are shown.
    pub(super) fn new(
        tape: &Tape<'_>,
        release: String,
        steering: Steering,
        runs: &[Run],
        rows: usize,
    ) -> Self {
        let judged: Vec<Judged> = runs.iter().map(|run| tape.judge(run)).collect();
        let met = runs.iter().filter(|run| run.unmet == 0).count();
        let (property, violates) = (tape.property, tape.violates().map(str::to_owned));
        let mut report = Self {
            release,
            property,
            tape: violates,
            steering,
            judged,
            met,
            parts: None,
            patch: None,
        };
        if report.verdict() == Verdict::NotSeen {
            let all = runs.iter().map(|run| run.lines.as_slice());
            let nearest = Difference::nearest(all, tape.lines());
            report.parts = nearest.map(|(_, nearest)| nearest.render(rows));
        }
        report
    }

    /// Of how many runs how many violate the property.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.violating().count() as u64, self.judged.len() as u64)
    }

    pub(super) fn violating(&self) -> impl Iterator<Item = &str> {
        self.judged.iter().filter_map(|j| j.violates.as_deref())
    }

    fn equal(&self) -> usize {
        self.judged.iter().filter(|j| j.equal).count()
    }

    /// Why it is not known of a run whether it violates the property.
    fn unknown(&self) -> Option<&str> {
        self.judged.iter().find_map(|j| j.unknown.as_deref())
    }

    /// Whether runs come out as the tape, and do not violate what it does: within a millisecond their order is another.
    fn parts_in_order(&self) -> bool {
        self.equal() > 0 && self.tape.is_some()
    }

    pub(super) fn verdict(&self) -> Verdict {
        match (self.violating().next(), self.unknown()) {
            (Some(_), _) => Verdict::Confirmed,
            (None, Some(_)) => Verdict::NotKnown,
            (None, None) if self.parts_in_order() => Verdict::NotKnown,
            (None, None) => Verdict::NotSeen,
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (property, release) = (&self.property, &self.release);
        let (all, violating, equal) = (self.judged.len(), self.violating().count(), self.equal());
        let as_tape = match equal {
            0 => "none comes out as the tape in every record".to_owned(),
            1 => "1 comes out as the tape, record by record".to_owned(),
            n => format!("{n} come out as the tape, record by record"),
        };
        if let Some(text) = self.violating().next() {
            writeln!(
                out,
                "confirmed on {release}: {violating} of {all} runs violate {property}; {as_tape}"
            )?;
            writeln!(out, "  {text}")?;
        } else if let Some(why) = self.unknown() {
            writeln!(out, "not known on {release}, of {all} runs; {as_tape}: {why}")?;
        } else if self.parts_in_order() {
            writeln!(
                out,
                "not known on {release}: {equal} of {all} runs come out as the tape to the millisecond, and do not violate {property} to the nanosecond"
            )?;
        } else {
            writeln!(out, "not seen in {all} runs of {release}: {property}")?;
            if let Some(parts) = &self.parts {
                write!(out, "the nearest run and the tape (the model): {parts}")?;
            }
        }
        match &self.tape {
            Some(text) => writeln!(out, "the tape: {text}")?,
            None => writeln!(
                out,
                "the tape: it does not violate {property} in the model either, as the recorder is told it"
            )?,
        }
        self.told(out)
    }

    /// What the recorder was told, and what of it came about.
    fn told(&self, out: &mut dyn Write) -> io::Result<()> {
        let Steering { steered, unmet, notes } = &self.steering;
        if !notes.is_empty() {
            writeln!(out, "as the recorder is told it: {}", notes.join("; "))?;
        }
        let all = steered.all() + unmet;
        if all == 0 {
            return Ok(());
        }
        write!(out, "steered: {} of {all} deviations", steered.said.len())?;
        if !steered.said.is_empty() {
            let met = self.met;
            write!(out, ", which all came about in {met} of {} runs", self.judged.len())?;
        }
        if !steered.left.is_empty() {
            write!(out, "; left to chance: {}", steered.left.join(", "))?;
        }
        if *unmet > 0 {
            write!(out, "; {unmet} do not come up as the recorder is told it")?;
        }
        writeln!(out)
    }

    fn document(&self) -> Value {
        let (violating, runs) = self.counts();
        let (low, high) = interval(violating, runs);
        let Steering { steered, unmet, notes } = &self.steering;
        json!({
            "release": self.release,
            "verdict": self.verdict().word(),
            "property": self.property.to_string(),
            "runs": runs,
            "violating": violating,
            "low": low,
            "high": high,
            "as_tape": self.equal(),
            "detail": self.violating().next().or(self.unknown()),
            "tape": self.tape,
            "told": notes,
            "steered": {
                "of": steered.all() + unmet,
                "said": steered.said,
                "came_about": self.met,
                "left": steered.left,
                "unmet": unmet,
            },
            "difference": self.parts.as_deref().map(|p| p.lines().collect::<Vec<_>>()).unwrap_or_default(),
        })
    }
}

impl Proof {
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Self::NotSaid { .. } => Verdict::NotSaid,
            Self::Recorded(report) => report.verdict(),
        }
    }

    pub(super) fn report(&self) -> Option<&Report> {
        match self {
            Self::NotSaid { .. } => None,
            Self::Recorded(report) => Some(report),
        }
    }

    fn release(&self) -> &str {
        match self {
            Self::NotSaid { release, .. } => release,
            Self::Recorded(report) => &report.release,
        }
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::NotSaid { file, missing, .. } => {
                writeln!(out, "not said: the recorder cannot be told all of {file}:")?;
                missing.iter().try_for_each(|what| writeln!(out, "  {what}"))
            }
            Self::Recorded(report) => report.write(out),
        }
    }

    pub(super) fn document(&self) -> Value {
        match self {
            Self::NotSaid { release, missing, .. } => {
                json!({ "release": release, "verdict": Verdict::NotSaid.word(), "missing": missing })
            }
            Self::Recorded(report) => report.document(),
        }
    }

    /// As a test case, which the release passes on which the tape is confirmed.
    pub(super) fn case(&self) -> Case {
        let verdict = self.verdict();
        let came = match (verdict, self.report()) {
            (Verdict::Confirmed, _) => Came::Met,
            (Verdict::NotSeen, Some(report)) => {
                let text = format!(
                    "{} in {} runs: {}",
                    verdict.word(),
                    report.counts().1,
                    report.property
                );
                let parts = report.parts.iter().flat_map(|p| p.lines()).map(str::to_owned);
                Came::Failed(Failed::other(verdict.word(), Problem::new(text), parts.collect()))
            }
            _ => Came::Undecided(verdict.word().to_owned()),
        };
        Case { name: self.release().to_owned(), came }
    }
}
