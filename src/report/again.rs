//! A run written and read again: what a folder of results holds must give the same run.

use super::{Source, Style, events, json, model::Report, names_json, text};
use crate::analysis::{Analysis, DEFAULT_NEEDLESS_WINDOW};
use crate::kernel::search::fold;
use crate::plan::Plan;
use crate::trace::Trace;
use std::io;

/// Writes the records of a run, its timeline and its summary, and reads the records again. The
/// number stands for all that was written: the same for the same run on every machine.
///
/// # Errors
/// What cannot be read, or what is different when it is read again.
pub fn read_again(plan: &Plan, trace: &Trace, source: &Source) -> Result<u64, String> {
    let written = records(plan, trace)?;
    let mut names = Vec::new();
    names_json::write(&mut names, trace).map_err(|e| e.to_string())?;
    let again = names_json::read(&names)?;
    let lines = String::from_utf8(written).map_err(|e| e.to_string())?;
    let again = events::read(&lines, again).map_err(|e| e.to_string())?;
    if let Some(id) = again.iter().zip(trace.iter()).position(|(a, b)| a != b) {
        return Err(format!(
            "record {id} was read as another: {}",
            lines.lines().nth(id).unwrap_or_default()
        ));
    }
    if again.len() != trace.len()
        || again.messages != trace.messages
        || again.requests != trace.requests
    {
        return Err("fewer records, messages or requests were read than there are".to_owned());
    }
    if records(plan, &again)? != lines.as_bytes() {
        return Err("written again, the records are others".to_owned());
    }
    let said = said(plan, trace, source).map_err(|e| e.to_string())?;
    if said != self::said(plan, &again, source).map_err(|e| e.to_string())? {
        return Err("of what was read, timeline or summary says something else".to_owned());
    }
    Ok(lines.bytes().chain(said).fold(0, |hash, byte| fold(hash, u64::from(byte))))
}

fn records(plan: &Plan, trace: &Trace) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    events::write(&mut out, &Analysis::new(plan, trace)).map_err(|e| e.to_string())?;
    Ok(out)
}

/// Timeline and summary, as text and as JSON.
fn said(plan: &Plan, trace: &Trace, source: &Source) -> io::Result<Vec<u8>> {
    let analysis = Analysis::new(plan, trace);
    let report = Report::new(&analysis, source, DEFAULT_NEEDLESS_WINDOW);
    let mut out = Vec::new();
    text::write(&mut out, &report, None, Style::default())?;
    json::write(&mut out, &json::summary_document(&report))?;
    Ok(out)
}
