//! What else must hold of a run: its results can be written, and it can be held against what its
//! scenario expects.

use std::io;
use taintsim::analysis::expect::verdicts;
use taintsim::analysis::{Analysis, DEFAULT_NEEDLESS_WINDOW};
use taintsim::kernel::search::fold;
use taintsim::plan::Plan;
use taintsim::report::{Report, Source, Style, events, json, text};
use taintsim::scenario::{self, Loaded, Overrides};
use taintsim::trace::Trace;

/// Writes the records of a run, its timeline and its summary. The number stands for all that was
/// written: the same for the same run on every machine.
///
/// # Errors
/// What the scenario expects cannot be understood, or something cannot be written.
pub fn results(loaded: &Loaded, plan: &Plan, trace: &Trace) -> Result<u64, String> {
    let (_, expectations) =
        scenario::expecting(loaded, &Overrides::default()).map_err(|e| e.to_string())?;
    let analysis = Analysis::new(plan, trace);
    // Whether they are met is chance.
    drop(verdicts(&expectations.list, &analysis));
    let source = Source {
        file: "soak.ron".to_owned(),
        text: loaded.source.text.clone(),
        fingerprint: loaded.fingerprint(),
        set: Vec::new(),
        seed: loaded.spec.seed.unwrap_or_default(),
    };
    let out = written(&analysis, &source).map_err(|e| e.to_string())?;
    Ok(out.iter().fold(0, |hash, byte| fold(hash, u64::from(*byte))))
}

fn written(analysis: &Analysis<'_>, source: &Source) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    events::write(&mut out, analysis)?;
    let report = Report::new(analysis, source, DEFAULT_NEEDLESS_WINDOW);
    text::write(&mut out, &report, None, Style::default())?;
    json::write(&mut out, &json::summary_document(&report))?;
    Ok(out)
}
