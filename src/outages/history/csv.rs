//! Our own form: CSV with a heading, `node,start,end`; further columns are left aside. Times are
//! seconds, or RFC 3339.

use super::raw::{HistoryError, Raw, wrong};

pub(super) fn read(text: &str) -> Result<Raw, HistoryError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let heading = reader
        .headers()
        .map_err(|e| wrong(1, e.to_string()))?
        .clone();
    let column = |name: &str| {
        heading
            .iter()
            .position(|h| h.eq_ignore_ascii_case(name))
            .ok_or_else(|| {
                wrong(
                    1,
                    format!("there is no column `{name}`; a history has node,start,end"),
                )
            })
    };
    let (node, start, end) = (column("node")?, column("start")?, column("end")?);
    let mut raw = Raw::default();
    for (i, row) in reader.records().enumerate() {
        let row = row.map_err(|e| {
            let line = e.position().map_or(i + 2, |p| p.line() as usize);
            wrong(line, e.to_string())
        })?;
        let line = row.position().map_or(i + 2, |p| p.line() as usize);
        let field = |column: usize| row.get(column).unwrap_or_default();
        if field(node).is_empty() {
            return Err(wrong(line, "the node's name is missing"));
        }
        let begin = seconds(field(start), line)?;
        if field(end).is_empty() {
            raw.saw(begin);
            raw.open += 1;
            continue;
        }
        raw.add(field(node), begin, seconds(field(end), line)?, line)?;
    }
    Ok(raw)
}

/// A time in seconds.
fn seconds(text: &str, line: usize) -> Result<f64, HistoryError> {
    if let Ok(seconds) = text.parse::<f64>()
        && seconds.is_finite()
    {
        return Ok(seconds);
    }
    chrono::DateTime::parse_from_rfc3339(text)
        .map(|t| t.timestamp_micros() as f64 / 1e6)
        .map_err(|_| {
            wrong(
                line,
                format!("{text:?} is no time: write seconds, or 2026-01-31T10:00:00Z"),
            )
        })
}
