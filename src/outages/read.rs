//! Tells which form a history has, and reads it.
//!
//! Our own form: CSV with a heading, `node,start,end`, and where `looked_from,looked_to` stand there, too, from when to
//! when somebody looked; further columns are left aside. Times are seconds, or RFC 3339. Spreadsheets write semicolons or
//! tabs in place of commas. A node without times never failed.

use super::history::{History, Raw, lines, of_kubectl, wrong};
use super::{archives, prometheus};
use crate::language::{HistoryFormat, Problem};

/// Reads a history; its form is told by its content where none is given.
///
/// # Errors
/// Where it is wrong, and what is: lines that are none of that form, ends before beginnings,
/// outages of one node that overlap, no outage at all.
pub(crate) fn read(text: &str, format: Option<HistoryFormat>) -> Result<History, Problem> {
    // Spreadsheets put a mark before the text that says that it is Unicode.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = format.map_or_else(|| guessed(text), Ok)?;
    let raw = match format {
        HistoryFormat::Csv => read_csv(text),
        HistoryFormat::Prometheus => prometheus::read(text),
        HistoryFormat::Fta => archives::fta(text),
        HistoryFormat::Google => archives::google(text),
        HistoryFormat::SimGrid => archives::simgrid(text),
    }?;
    raw.finish()
}

/// The form of a text by its first lines.
fn guessed(text: &str) -> Result<HistoryFormat, Problem> {
    let first = heading(text);
    if first.is_empty() {
        return Err(Problem::new("there is nothing in it"));
    }
    if ["apiVersion:", "kind:", "items:", "- apiVersion:"].iter().any(|key| first.starts_with(key))
    {
        return Err(of_kubectl());
    }
    let words = first.split_whitespace().count();
    // Behind a heading there may be, events of that archive begin with their number.
    let mut begins = lines(text).take(2).map(|(_, line)| line);
    let is_numbered = begins.any(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    Ok(if first.starts_with('{') && first.contains("machine_id") {
        HistoryFormat::Google
    } else if first.starts_with('{') {
        HistoryFormat::Prometheus
    } else if words >= 8 && is_numbered {
        HistoryFormat::Fta
    } else if is_heading(first) {
        HistoryFormat::Csv
    } else if first.split(',').count() >= 3 && first.starts_with(|c: char| c.is_ascii_digit()) {
        HistoryFormat::Google
    } else if words == 2 {
        HistoryFormat::SimGrid
    } else {
        return Err(Problem::new(
            "this is no history of outages: known are CSV with a heading (node,start,end), a range of kube_node_status_condition from Prometheus, \
             event_trace.tab of the Failure Trace Archive, machine events of Google's cluster data, and state files of SimGrid",
        ));
    })
}

/// Nobody looks at nodes for 30 years.
const MOST_S: f64 = 30.0 * 365.0 * 86_400.0;

fn read_csv(text: &str) -> Result<Raw, Problem> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .trim(csv::Trim::All)
        // An end that is missing is an outage that goes on, with the comma or without.
        .flexible(true)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|e| wrong(1, e.to_string()))?.clone();
    let place = |name: &str| {
        let mut all = (0..heading.len()).filter(|i| heading[*i].eq_ignore_ascii_case(name));
        let (first, twice) = (all.next(), all.next().is_some());
        let two = || wrong(1, format!("there are two columns `{name}`"));
        if twice { Err(two()) } else { Ok(first) }
    };
    let column = |name: &str| {
        let none = format!("there is no column `{name}`; a history has node,start,end");
        place(name)?.ok_or_else(|| wrong(1, none))
    };
    let own @ [node, start, end] = [column("node")?, column("start")?, column("end")?];
    let looked = [place("looked_from")?, place("looked_to")?];
    let mut raw = Raw::default();
    raw.history.failures_only = true;
    // From when and to when somebody looked, each with the line that says it first.
    let mut span: [Option<(f64, usize)>; 2] = [None; 2];
    // What follows a quote that is never closed would be one long field, and what stands between two that
    // should not be there as well; neither a name nor a time has more than a line.
    let is_open = text.bytes().filter(|b| *b == b'"').count() % 2 == 1;
    for (i, row) in reader.records().enumerate() {
        let row = row.map_err(|e| {
            let line = e.position().map_or(i + 2, |p| p.line() as usize);
            wrong(line, e.to_string())
        })?;
        let line = row.position().map_or(i + 2, |p| p.line() as usize);
        let is_one = |i: usize| (is_open || own.contains(&i)) && row[i].contains('\n');
        if (0..row.len()).any(is_one) {
            return Err(wrong(line, "a quote is opened here and not closed in its line"));
        }
        let field = |column: usize| row.get(column).unwrap_or_default();
        if field(node).is_empty() {
            return Err(wrong(line, "the node's name is missing"));
        }
        for (column, said) in looked.into_iter().zip(&mut span) {
            let Some(column) = column.filter(|i| !field(*i).is_empty()) else { continue };
            let time = field(column);
            let at = seconds(time, line)?;
            raw.saw(at, line)?;
            let (first, of) = *said.get_or_insert((at, line));
            if first != at {
                let text = format!(
                    "{} is {time}, which is another time than in line {of}",
                    &heading[column]
                );
                let help = "it is the same in each line: nodes that somebody looked at for longer are a file of their own";
                return Err(wrong(line, text).help(help));
            }
        }
        let [from, to] = [f64::NEG_INFINITY, f64::INFINITY];
        let (from, to) = (span[0].map_or(from, |at| at.0), span[1].map_or(to, |at| at.0));
        if to <= from {
            return Err(wrong(line, "looked_to is not after looked_from"));
        }
        if field(start).is_empty() && field(end).is_empty() {
            raw.node(field(node));
            raw.history.failures_only = false;
            continue;
        }
        let begin = seconds(field(start), line)?;
        if begin < from || begin > to {
            let text = "this outage begins when nobody looked: see looked_from, looked_to";
            return Err(wrong(line, text));
        }
        if field(end).is_empty() {
            raw.saw(begin, line)?;
            raw.node(field(node)).push((begin, None, line));
            continue;
        }
        raw.add(field(node), begin, seconds(field(end), line)?, line)?;
    }
    // A 0 beside a date is a time of 1970.
    if raw.looked.is_some_and(|(from, to)| to - from > MOST_S) {
        let help = "write all times as seconds, or all as 2026-01-31T10:00:00Z";
        return Err(Problem::new("its times are more than 30 years apart").help(help));
    }
    Ok(raw)
}

/// What stands between the fields of the heading.
fn delimiter(text: &str) -> u8 {
    let heading = heading(text);
    let found = [b',', b';', b'\t'];
    let is_there = |d: &&u8| heading.bytes().any(|b| b == **d);
    *found.iter().find(is_there).unwrap_or(&b',')
}

/// The first line that says something.
fn heading(text: &str) -> &str {
    lines(text).next().map_or("", |(_, line)| line)
}

/// The line is the heading of such a file.
fn is_heading(line: &str) -> bool {
    line.split([',', ';', '\t'])
        .any(|f| f.trim().trim_matches('"').trim().eq_ignore_ascii_case("node"))
}

/// A time in seconds.
fn seconds(text: &str, line: usize) -> Result<f64, Problem> {
    if let Ok(seconds) = text.parse::<f64>()
        && seconds.is_finite()
    {
        return Ok(seconds);
    }
    chrono::DateTime::parse_from_rfc3339(text).map(|t| t.timestamp_micros() as f64 / 1e6).map_err(
        |_| wrong(line, format!("{text:?} is no time: write seconds, or 2026-01-31T10:00:00Z")),
    )
}
