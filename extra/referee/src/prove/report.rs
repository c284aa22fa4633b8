//! What is said of the runs that were recorded.

use super::judge::{Judged, Tape};
use super::runs::Run;
use super::steer::Steered;
use crate::conformance::Difference;
use std::io::{self, Write};
use taintsim::cli::Exit;

/// What came of all runs.
pub(super) struct Report<'a> {
    tape: &'a Tape<'a>,
    release: &'a str,
    steering: Steering<'a>,
    runs: &'a [Run],
    judged: Vec<Judged>,
}

/// What the recorder was told of a tape.
pub(super) struct Steering<'a> {
    pub(super) steered: &'a Steered,
    /// How many deviations do not come up in what the recorder is told.
    pub(super) unmet: usize,
    /// What had to give way.
    pub(super) notes: &'a [&'static str],
}

impl<'a> Report<'a> {
    pub(super) fn new(
        tape: &'a Tape<'a>,
        release: &'a str,
        steering: Steering<'a>,
        runs: &'a [Run],
    ) -> Self {
        let judged = runs.iter().map(|run| tape.judge(run)).collect();
        Self { tape, release, steering, runs, judged }
    }

    fn violating(&self) -> impl Iterator<Item = &str> {
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
        self.equal() > 0 && self.tape.violates().is_some()
    }

    /// The exit code.
    pub(super) fn exit(&self) -> Exit {
        match (self.violating().next(), self.unknown()) {
            (Some(_), _) => Exit::Fine,
            (None, Some(_)) => Exit::Nothing,
            (None, None) if self.parts_in_order() => Exit::Nothing,
            (None, None) => Exit::Differs,
        }
    }

    pub(super) fn write(&self, out: &mut dyn Write, rows: usize) -> io::Result<()> {
        let (property, release) = (&self.tape.property, self.release);
        let (all, violating, equal) = (self.runs.len(), self.violating().count(), self.equal());
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
            self.parts(out, rows)?;
        }
        match self.tape.violates() {
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
            let met = self.runs.iter().filter(|run| run.unmet == 0).count();
            write!(out, ", which all came about in {met} of {} runs", self.runs.len())?;
        }
        if !steered.left.is_empty() {
            write!(out, "; left to chance: {}", steered.left.join(", "))?;
        }
        if *unmet > 0 {
            write!(out, "; {unmet} do not come up as the recorder is told it")?;
        }
        writeln!(out)
    }

    /// Where the nearest run parts from the tape.
    fn parts(&self, out: &mut dyn Write, rows: usize) -> io::Result<()> {
        let all = self.runs.iter().map(|run| run.lines.as_slice());
        let Some((_, nearest)) = Difference::nearest(all, self.tape.lines()) else {
            return Ok(());
        };
        write!(out, "the nearest run and the tape (the model): {}", nearest.render(rows))
    }
}
