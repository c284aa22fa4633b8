//! Says what moved since an older release: which recordings its profile does not give, and which of the
//! changes between the two releases explain that.
//!
//! A change explains a recording that the release's profile gives, and that it would not give without
//! the change. Changes that only matter together are named as that.

use super::args::ConformArgs;
use super::recordings::is_release;
use super::report::Answer;
use crate::conformance::{Models, Options, Verdict, check_plan};
use crate::recorded::{PlanError, Recorded, read};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use taintsim::analysis::diff::switch_names;
use taintsim::language::Problem;
use taintsim::plan::Plan;
use taintsim::profiles;
use taintsim::report::trials::{Came, Case, Failed, Tested};

/// What explains a recording of which no single change does.
const TOGETHER: &str = "several changes together";

/// A recording that the older release does not give.
struct Moved {
    release: String,
    scenario: String,
    /// How it differs from what the older release does.
    difference: Vec<String>,
    /// The switches that explain it; none where nothing does.
    by: Option<Vec<String>>,
}

/// What came of all of them.
pub(super) struct Since<'a> {
    since: &'a str,
    /// How many recordings there were.
    all: usize,
    moved: Vec<Moved>,
}

/// Holds the recordings in these files against the profile of an older release.
pub(super) fn moved<'a>(
    files: &[PathBuf],
    args: &ConformArgs,
    since: &'a str,
    models: Models<'_>,
) -> Result<Since<'a>, String> {
    profiles::profile(since).map_err(|e| {
        format!("error: --since: {e}\n  help: {}", e.hint.as_deref().unwrap_or_default())
    })?;
    let options = Options { rows: args.diff, ..Options::default() };
    let of_file = |file: &PathBuf| -> Result<Vec<Option<Moved>>, String> {
        let recorded = read(file).map_err(|e| format!("error: {} {e}", file.display()))?;
        let wanted = args.release.as_deref();
        let is_wanted = |r: &Recorded| wanted.is_none_or(|w| is_release(&r.release, w));
        let recorded = recorded.into_par_iter().filter(is_wanted);
        Ok(recorded.map(|r| look(&r, since, models, options)).collect())
    };
    let lists: Result<Vec<_>, String> = files.par_iter().map(of_file).collect();
    let all: Vec<Option<Moved>> = lists?.into_iter().flatten().collect();
    Ok(Since { since, all: all.len(), moved: all.into_iter().flatten().collect() })
}

/// Looks at one recording; nothing if the older release gives it too, or if the model has no such
/// scenario.
fn look(recorded: &Recorded, since: &str, models: Models<'_>, options: Options) -> Option<Moved> {
    let differs =
        |plan: Result<Plan, PlanError>| match check_plan(plan, &recorded.observed, models, options)
            .verdict
        {
            Verdict::Differs(text) => Some(text),
            _ => None,
        };
    let before = Recorded { release: since.to_owned(), ..recorded.clone() };
    let difference = differs(before.plan())?;
    let gates = &recorded.gates();
    let own = profiles::with_gates(&recorded.release, gates).ok();
    // A release without a profile has none that could explain anything.
    let by = own.filter(|own| differs(recorded.plan_with(own.clone())).is_none()).map(|own| {
        let without = profiles::without_each(&recorded.release, since, gates).unwrap_or_default();
        let needed =
            without.into_iter().filter(|p| differs(recorded.plan_with(p.clone())).is_some());
        let names: Vec<String> = needed.flat_map(|p| switch_names(&p, &own)).collect();
        if names.is_empty() { vec![TOGETHER.to_owned()] } else { names }
    });
    Some(Moved {
        release: recorded.release.clone(),
        scenario: recorded.scenario.name.clone(),
        difference: difference
            .lines()
            .take(options.rows.saturating_add(1))
            .map(str::to_owned)
            .collect(),
        by,
    })
}

impl Since<'_> {
    /// Whose scenarios each switch explains.
    fn by_switch(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for m in &self.moved {
            for switch in m.by.iter().flatten() {
                all.entry(switch).or_default().push(&m.scenario);
            }
        }
        all
    }
}

impl Answer for Since<'_> {
    fn counts(&self) -> (usize, usize) {
        (self.all, self.moved.iter().filter(|m| m.by.is_none()).count())
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for m in &self.moved {
            let by = m.by.as_ref().map_or("UNEXPLAINED".to_owned(), |by| by.join(", "));
            writeln!(out, "{:<9} {}: {by}", m.release, m.scenario)?;
            for line in &m.difference {
                writeln!(out, "    {line}")?;
            }
        }
        let by_switch = self.by_switch();
        if !by_switch.is_empty() {
            writeln!(out, "\nBy switch:")?;
        }
        for (switch, scenarios) in by_switch {
            writeln!(out, "{:>6}  {switch}: {}", scenarios.len(), scenarios.join(", "))?;
        }
        let (all, unexplained) = self.counts();
        let moved = self.moved.len();
        writeln!(
            out,
            "\n{moved} of {all} recordings moved since {}, {unexplained} of them unexplained",
            self.since
        )
    }

    fn document(&self) -> Value {
        let one = |m: &Moved| json!({ "release": m.release, "scenario": m.scenario, "by": m.by, "difference": m.difference });
        let (all, unexplained) = self.counts();
        let moved: Vec<Value> = self.moved.iter().map(one).collect();
        json!({ "since": self.since, "recordings": all, "unexplained": unexplained, "moved": moved })
    }

    fn suite(&self) -> Tested {
        let case = |m: &Moved| {
            let failed = || {
                let problem = Problem::new(format!("moved since {}", self.since));
                Came::Failed(Failed::other("unexplained", problem, m.difference.clone()))
            };
            Case {
                name: m.scenario.clone(),
                came: m.by.as_ref().map_or_else(failed, |_| Came::Met),
            }
        };
        let name = format!("moved since {}", self.since);
        Tested::only(name.clone(), name, self.moved.iter().map(case).collect())
    }
}
