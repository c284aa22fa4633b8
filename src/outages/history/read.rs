//! Tells which form a history has, and reads it.

use super::raw::{History, HistoryError};
use super::{csv, fta, google, prometheus, simgrid};
use crate::language::HistoryFormat;

/// Reads a history; its form is told by its content where none is given.
///
/// # Errors
/// Where it is wrong, and what is: lines that are none of that form, ends before beginnings,
/// outages of one node that overlap, no outage at all.
pub(crate) fn read(text: &str, format: Option<HistoryFormat>) -> Result<History, HistoryError> {
    // Spreadsheets put a mark before the text that says that it is Unicode.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = match format {
        Some(format) => format,
        None => guessed(text)?,
    };
    let raw = match format {
        HistoryFormat::Csv => csv::read(text),
        HistoryFormat::Prometheus => prometheus::read(text),
        HistoryFormat::Fta => fta::read(text),
        HistoryFormat::Google => google::read(text),
        HistoryFormat::SimGrid => simgrid::read(text),
    }?;
    raw.finish()
}

/// The form of a text by its first lines.
fn guessed(text: &str) -> Result<HistoryFormat, HistoryError> {
    let first = csv::heading(text);
    if first.is_empty() {
        return Err(HistoryError::Whole("there is nothing in it".to_owned()));
    }
    let words = first.split_whitespace().count();
    Ok(if first.starts_with('{') && first.contains("machine_id") {
        HistoryFormat::Google
    } else if first.starts_with('{') {
        HistoryFormat::Prometheus
    } else if words >= 8 {
        HistoryFormat::Fta
    } else if csv::is_heading(first) {
        HistoryFormat::Csv
    } else if first.split(',').count() >= 3 && first.starts_with(|c: char| c.is_ascii_digit()) {
        HistoryFormat::Google
    } else if words == 2 {
        HistoryFormat::SimGrid
    } else {
        return Err(HistoryError::Whole(
            "this is no history of outages: known are CSV with a heading (node,start,end), a range of kube_node_status_condition from Prometheus, \
             event_trace.tab of the Failure Trace Archive, machine events of Google's cluster data, and state files of SimGrid"
                .to_owned(),
        ));
    })
}
