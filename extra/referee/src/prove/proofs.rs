//! What is said of a tape: of one release, of several, or of one without and with a pull request's change.

use super::kept::Remade;
use super::report::{Proof, Verdict};
use crate::classes::{fisher, interval};
use crate::conform::report::Answer;
use serde_json::{Value, json};
use std::io::{self, Write};
use taintsim::analysis::properties::Property;
use taintsim::language::Problem;
use taintsim::report::trials::{Came, Case, Failed, Tested};

/// How likely it may be at most that a race is not seen with a change by chance.
const LEVEL: f64 = 0.01;

/// All that is said.
pub(super) struct Proofs {
    pub(super) file: String,
    /// Of each release, or without a change and with it.
    pub(super) proofs: Vec<Proof>,
    /// What a change moved beside that.
    pub(super) patch: Option<Patched>,
}

/// A pull request's change.
pub(super) struct Patched {
    pub(super) file: String,
    /// What is looked for in the records.
    pub(super) property: Property,
    pub(super) remade: Remade,
}

/// Whether a change removes a race.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mended {
    /// Nothing that was confirmed without it was seen with it, which is no chance.
    Gone,
    /// It was seen with it, too.
    There,
    /// It was not seen with it, and so seldom without it that this may be chance.
    Seldom,
    /// It was not confirmed without it, or is not known with it.
    Unknown,
}

impl Mended {
    fn word(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::There => "still there",
            Self::Seldom => "seldom",
            Self::Unknown => "not known",
        }
    }
}

impl Proofs {
    /// Of how many runs how many violate the property, without the change and with it.
    fn sides(&self) -> Option<[(u64, u64); 2]> {
        match self.proofs.as_slice() {
            [without, with] => Some([without.report()?.counts(), with.report()?.counts()]),
            _ => None,
        }
    }

    /// Whether the change removes the race, and how likely so great a difference is by chance.
    fn mended(&self) -> (Mended, f64) {
        let verdicts: Vec<Verdict> = self.proofs.iter().map(Proof::verdict).collect();
        let Some([(a, of_a), (b, of_b)]) = self.sides() else { return (Mended::Unknown, 1.0) };
        let chance = fisher((a, b), (of_a - a, of_b - b));
        let mended = match verdicts[..] {
            [Verdict::Confirmed, Verdict::Confirmed] => Mended::There,
            [Verdict::Confirmed, Verdict::NotSeen] if chance <= LEVEL => Mended::Gone,
            [Verdict::Confirmed, Verdict::NotSeen] => Mended::Seldom,
            _ => Mended::Unknown,
        };
        (mended, chance)
    }

    fn headline(&self, patch: &Patched) -> String {
        let (mended, _) = self.mended();
        let share = |(count, of): (u64, u64)| {
            let (low, high) = interval(count, of);
            format!("{count} of {of} runs ({:.0} % to {:.0} %)", 100.0 * low, 100.0 * high)
        };
        let said = match mended {
            Mended::Gone => "gone with",
            Mended::There => "still there with",
            Mended::Seldom => "too seldom without it to say more than that it was not seen with",
            Mended::Unknown => "not known with",
        };
        let counts = self.sides().map(|[without, with]| {
            format!(
                ": {} in {} without it, in {} with it",
                patch.property,
                share(without),
                share(with)
            )
        });
        format!("{said} {}{}", patch.file, counts.unwrap_or_default())
    }
}

impl Answer for Proofs {
    fn counts(&self) -> (usize, usize) {
        if self.patch.is_some() {
            return match self.mended().0 {
                Mended::Gone => (1, 0),
                Mended::There => (1, 1),
                Mended::Seldom | Mended::Unknown => (0, 0),
            };
        }
        let of = |verdict| self.proofs.iter().filter(|p| p.verdict() == verdict).count();
        let not_seen = of(Verdict::NotSeen);
        (of(Verdict::Confirmed) + not_seen, not_seen)
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(patch) = &self.patch else {
            return self.proofs.iter().try_for_each(|proof| proof.write(out));
        };
        writeln!(out, "{}", self.headline(patch))?;
        let with = self.proofs.last().and_then(Proof::report);
        if let Some(applied) = with.and_then(|report| report.patch.as_ref()) {
            writeln!(out, "in the program: {}", applied.applied.join(", "))?;
            if !applied.left_out.is_empty() {
                let left_out = applied.left_out.join(", ");
                writeln!(out, "left out, as the recorder does not link it: {left_out}")?;
            }
        }
        patch.remade.write(out)?;
        for (side, proof) in ["without", "with"].into_iter().zip(&self.proofs) {
            writeln!(out, "\n{side} {}:", patch.file)?;
            proof.write(out)?;
        }
        Ok(())
    }

    fn document(&self) -> Value {
        let proofs: Vec<Value> = self.proofs.iter().map(Proof::document).collect();
        let Some(patch) = &self.patch else {
            return json!({ "file": self.file, "proofs": proofs });
        };
        let (mended, chance) = self.mended();
        let with = self.proofs.last().and_then(Proof::report);
        let applied = with.and_then(|report| report.patch.clone()).unwrap_or_default();
        json!({
            "file": self.file,
            "proofs": proofs,
            "patch": {
                "file": patch.file,
                "verdict": mended.word(),
                "probability": chance,
                "applied": applied.applied,
                "left_out": applied.left_out,
                "recordings": patch.remade.document(),
            },
        })
    }

    fn suite(&self) -> Tested {
        let cases = match &self.patch {
            None => self.proofs.iter().map(Proof::case).collect(),
            Some(patch) => {
                let came = match self.mended().0 {
                    Mended::Gone => Came::Met,
                    Mended::There => {
                        let problem = Problem::new(self.headline(patch));
                        Came::Failed(Failed::other(Mended::There.word(), problem, Vec::new()))
                    }
                    Mended::Seldom | Mended::Unknown => Came::Undecided(self.headline(patch)),
                };
                vec![Case { name: patch.file.clone(), came }]
            }
        };
        Tested::only(self.file.clone(), self.file.clone(), cases)
    }
}
