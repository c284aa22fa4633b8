//! Says of each recording of several outcomes whether the model comes to them as often.

use super::args::ConformArgs;
use super::recordings::is_release;
use super::report::Answer;
use crate::classes::rejected;
use crate::conformance::{Marginal, Odds, odds};
use crate::decided::Decided;
use crate::recorded::{Recorded, read};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taintsim::language::Problem;
use taintsim::report::trials::{Came, Case, Failed, Tested};
use taintsim::sim;

/// How likely it may be at most that any is rejected by chance.
const LEVEL: f64 = 0.01;

/// How many runs of each recording are drawn to see which choices decide something.
const LOOKED: u64 = 5;

/// Of one recording.
struct Row {
    release: String,
    scenario: String,
    odds: Odds,
    decided: Decided,
}

/// What came of all of them.
pub(super) struct Compared {
    rows: Vec<Row>,
    /// Up to which probability they are rejected.
    rejected: Option<f64>,
}

/// Compares the recordings in these files, the greatest differences first; `told` hears how many are done.
pub(super) fn compared(
    files: &[PathBuf],
    args: &ConformArgs,
    seeds: u64,
    told: &(dyn Fn(u64) + Sync),
) -> Result<Compared, String> {
    let done = AtomicU64::new(0);
    let row = |recorded: Recorded| {
        let row = row(&recorded, seeds);
        told(done.fetch_add(1, Relaxed) + 1);
        row
    };
    let rows = |file: &PathBuf| -> Result<Vec<Row>, String> {
        let recorded = read(file).map_err(|e| format!("error: {} {e}", file.display()))?;
        let is_wanted = |r: &Recorded| {
            let wanted = args.release.as_deref();
            wanted.is_none_or(|w| is_release(&r.release, w))
        };
        let recorded = recorded.into_par_iter().filter(is_wanted);
        Ok(recorded.filter_map(row).collect())
    };
    let lists: Result<Vec<_>, String> = files.par_iter().map(rows).collect();
    let mut rows: Vec<Row> = lists?.into_iter().flatten().collect();
    rows.sort_by(|a, b| a.odds.probability.total_cmp(&b.odds.probability));
    let mut all: Vec<f64> = rows.iter().map(|r| r.odds.probability).collect();
    let rejected = rejected(&mut all, LEVEL);
    Ok(Compared { rows, rejected })
}

fn row(recorded: &Recorded, seeds: u64) -> Option<Row> {
    let odds = odds(recorded, &sim::draw, seeds)?;
    let plan = recorded.plan().ok()?;
    let mut decided = Decided::default();
    (1..=LOOKED).for_each(|seed| decided.look(&plan, seed));
    Some(Row {
        release: recorded.release.clone(),
        scenario: recorded.scenario.name.clone(),
        odds,
        decided,
    })
}

impl Compared {
    fn rejects(&self, row: &Row) -> bool {
        self.rejected.is_some_and(|level| row.odds.probability <= level)
    }

    /// The choice points, those that decided something most often first.
    fn decided(&self) -> Vec<(&'static str, (u64, u64))> {
        let mut sum = Decided::default();
        self.rows.iter().for_each(|row| sum.add(&row.decided));
        let mut all: Vec<_> = sum.0.into_iter().collect();
        all.sort_by_key(|(point, (_, decided))| (Reverse(*decided), *point));
        all
    }
}

impl Answer for Compared {
    fn counts(&self) -> (usize, usize) {
        (self.rows.len(), self.rows.iter().filter(|r| self.rejects(r)).count())
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (all, rejected) = self.counts();
        // Of those that are alike the one that differs the most says how near the others are.
        let shown = all.min(rejected + 1);
        for row in &self.rows[..shown] {
            let word = if self.rejects(row) { "REJECTED" } else { "alike" };
            let Row { release, scenario, odds, .. } = row;
            writeln!(out, "{word:<9} {release:<9} {scenario}: {}", said(odds))?;
        }
        if all > shown {
            writeln!(out, "alike     {} more", all - shown)?;
        }
        writeln!(out, "\n{all} recordings compared, {rejected} rejected at {} %", LEVEL * 100.0)?;
        let runs = all as u64 * LOOKED;
        writeln!(out, "\nWhat decided something, of {runs} drawn runs:")?;
        for (point, (came, decided)) in self.decided() {
            if decided > 0 {
                writeln!(out, "{decided:>6} of {came:>4}  {point}")?;
            }
        }
        Ok(())
    }

    fn document(&self) -> Value {
        let marginal = |m: &Marginal| {
            let classes = m.classes.iter();
            let classes = classes.map(|(name, (upstream, ours))| json!({ "class": name, "upstream": upstream, "model": ours }));
            json!({ "what": m.name, "probability": m.probability, "classes": classes.collect::<Vec<_>>() })
        };
        let row = |row: &Row| {
            json!({
                "release": row.release,
                "scenario": row.scenario,
                "runs": row.odds.of.0,
                "seeds": row.odds.of.1,
                "probability": row.odds.probability,
                "rejected": self.rejects(row),
                "compared": row.odds.marginals.iter().map(marginal).collect::<Vec<_>>(),
            })
        };
        let (compared, rejected) = self.counts();
        json!({
            "level": LEVEL,
            "compared": compared,
            "rejected": rejected,
            "choices": self.decided().iter().map(|(point, (came, decided))| json!({ "point": point, "runs": came, "decided": decided })).collect::<Vec<_>>(),
            "recordings": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }

    fn suite(&self) -> Tested {
        let case = |row: &Row| Case {
            name: format!("{} {}", row.release, row.scenario),
            came: if self.rejects(row) {
                let problem = Problem::new(said(&row.odds));
                Came::Failed(Failed::other("odds", problem, Vec::new()))
            } else {
                Came::Met
            },
        };
        Tested::only("odds".into(), "odds".into(), self.rows.iter().map(case).collect())
    }
}

/// The greatest difference in words: "outcomes 40 20 of 60, here 31 29 of 60, p 0.13".
fn said(odds: &Odds) -> String {
    let (runs, seeds) = odds.of;
    let mut text = String::new();
    let Some(worst) = odds.marginals.first() else {
        return text;
    };
    let side = |of: fn(&(u64, u64)) -> u64| {
        let counts = worst.classes.iter().map(|(_, n)| of(n).to_string());
        counts.collect::<Vec<_>>().join(" ")
    };
    let _ = write!(
        text,
        "{} {} of {runs}, here {} of {seeds}, p {:.2e}",
        worst.name,
        side(|n| n.0),
        side(|n| n.1),
        odds.probability
    );
    if odds.marginals.len() > 1 {
        let _ = write!(text, " of {} compared", odds.marginals.len());
    }
    text
}
