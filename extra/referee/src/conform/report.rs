//! What is printed of one recording, and what is to be printed of all.

use crate::conformance::{Checked, Evidence, Verdict, show};
use crate::reach::Reach;
use crate::recorded::{Observed, Recorded};
use serde_json::{Value, json};
use std::io::{self, Write};
use taintsim::language::Problem;
use taintsim::report::trials::{Came, Case, Failed, Tested};

/// What came of all recordings, in each form in which it is written.
pub(crate) trait Answer {
    /// How many there are, and how many are not as they should be.
    fn counts(&self) -> (usize, usize);
    /// For people.
    fn text(&self, out: &mut dyn Write) -> io::Result<()>;
    /// For programs.
    fn document(&self) -> Value;
    /// As a test suite, in which what is not as it should be fails.
    fn suite(&self) -> Tested;
}

/// A line, and below it what differs.
pub(super) fn report(
    recorded: &Recorded,
    checked: &Checked,
    reach: Option<&Reach>,
    rows: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Recorded { release, scenario, observed, kubelets } = recorded;
    let envelope = if matches!(observed, Observed::Envelope { .. }) { " (envelope)" } else { "" };
    write!(out, "{:<12} {release:<9} {}{envelope}", checked.verdict.word(), scenario.name)?;
    if kubelets.is_some() {
        write!(out, " (kubelets with upstream's loops)")?;
    }
    verdict(checked, observed, out)?;
    if let Some(reached) = &checked.reached {
        write!(
            out,
            "; {} of {} kept outcomes reached over {} seeds",
            reached.outcomes.len(),
            reached.of,
            reached.seeds
        )?;
    }
    if let Some(reach) = reach {
        searched(reach, out)?;
    }
    writeln!(out)?;
    if let Verdict::Differs(text) = &checked.verdict {
        if !scenario.doc.is_empty() {
            writeln!(out, "    {}", scenario.doc)?;
        }
        // Of a difference's text, the first line says what and the others show it.
        for line in text.lines().take(rows.saturating_add(1)) {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

/// The same as JSON.
pub(super) fn document(
    recorded: &Recorded,
    checked: &Checked,
    reach: Option<&Reach>,
    rows: usize,
) -> io::Result<Value> {
    let mut said = Vec::new();
    verdict(checked, &recorded.observed, &mut said)?;
    let said = String::from_utf8_lossy(&said);
    let differs = match &checked.verdict {
        Verdict::Differs(text) => text.lines().take(rows.saturating_add(1)).collect(),
        _ => Vec::new(),
    };
    Ok(json!({
        "release": recorded.release,
        "scenario": recorded.scenario.name,
        "envelope": matches!(recorded.observed, Observed::Envelope { .. }),
        "kubelets": recorded.kubelets.as_ref().map(|k| json!({ "upstream": k.upstream, "imitated": k.imitated })),
        "verdict": checked.verdict.word(),
        "detail": said.trim_start_matches(": "),
        "difference": differs,
        "searched": reach.map(|r| json!({ "reached": r.tapes.len(), "of": r.of })),
    }))
}

/// The same as a test case, whose name is the recording's.
pub(super) fn case(recorded: &Recorded, checked: &Checked, rows: usize) -> io::Result<Case> {
    let mut said = Vec::new();
    verdict(checked, &recorded.observed, &mut said)?;
    let said = String::from_utf8_lossy(&said);
    let came = match &checked.verdict {
        Verdict::Exact | Verdict::Member(_) | Verdict::Inside => Came::Met,
        Verdict::Shape(_) | Verdict::Unrecorded(_) | Verdict::NotModelled(_) => {
            Came::Undecided(format!("{}{said}", checked.verdict.word()))
        }
        Verdict::Differs(text) => {
            let mut lines = text.lines().map(str::to_owned);
            let problem = Problem::new(lines.next().unwrap_or_default());
            Came::Failed(Failed::other("differs", problem, lines.take(rows).collect()))
        }
    };
    let name = recorded.scenario.name.clone();
    Ok(Case { name, came })
}

/// What the verdict says beside its word.
fn verdict(checked: &Checked, observed: &Observed, out: &mut dyn Write) -> io::Result<()> {
    match (&checked.verdict, observed) {
        (Verdict::NotModelled(what), _) => write!(out, ": {}", what.join(", "))?,
        (Verdict::Member(i), Observed::Timelines { distinct, .. }) => {
            write!(out, ": outcome {} of {distinct}", i + 1)?;
            match (checked.seed, checked.drawn) {
                (0, _) => {}
                (seed, false) => write!(out, ", with seed {seed}")?,
                (seed, true) => {
                    write!(out, ", with seed {seed} and a drawn order within each instant")?
                }
            }
        }
        (Verdict::Unrecorded(Evidence::Shape(i)), _) => {
            write!(out, ": outcome {} but for names, with seed {}", i + 1, checked.seed)?
        }
        (Verdict::Inside | Verdict::Unrecorded(Evidence::Chance), _)
            if !checked.detail.is_empty() =>
        {
            write!(out, ": {}", checked.detail)?
        }
        (Verdict::Unrecorded(Evidence::Consistent), _) => {
            write!(out, ": agrees with what the kept outcomes share")?;
            if checked.seed != 0 {
                write!(out, ", with seed {}", checked.seed)?;
            }
        }
        (Verdict::Unrecorded(Evidence::Few), Observed::Timelines { distinct, outcomes, .. }) => {
            write!(out, ": too few are kept to say, {} of {distinct} outcomes", outcomes.len())?
        }
        (Verdict::Shape(i), Observed::Timelines { distinct, .. }) => {
            write!(out, ": outcome {} of {distinct} but for names", i + 1)?
        }
        _ => {}
    }
    Ok(())
}

/// Which outcomes a search reached, and how near it came to the others.
fn searched(reach: &Reach, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "; reached {} of {}", reach.tapes.len(), reach.of)?;
    for (i, miss) in &reach.missed {
        write!(out, "\n    outcome {} missed after {} of {} records", i + 1, miss.shared, miss.of)?;
        for (sign, line) in [('-', &miss.parts.0), ('+', &miss.parts.1)] {
            if let Some(line) = line {
                write!(out, "\n    {sign} {}", show(line))?;
            }
        }
    }
    Ok(())
}
