//! `event_trace.tab` of the Failure Trace Archive: nine columns, of which the third is the node, the
//! sixth the state (0 is down, 1 is up), the seventh and eighth its begin and end in seconds.

use super::raw::{HistoryError, Raw, lines, seconds, wrong};

pub(super) fn read(text: &str) -> Result<Raw, HistoryError> {
    let mut raw = Raw::default();
    let mut first = true;
    for (i, line) in lines(text) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_heading = first && fields.first().is_some_and(|f| f.parse::<f64>().is_err());
        first = false;
        if is_heading {
            continue;
        }
        let &[_, _, node, _, _, state, start, end, ..] = fields.as_slice() else {
            let text = format!("{} columns, where an event has nine", fields.len());
            return Err(wrong(i, text));
        };
        let number = |text: &str| seconds(text, f64::NEG_INFINITY, i);
        let (start, end) = (number(start)?, number(end)?);
        match state {
            "0" => raw.add(node, start, end, i)?,
            "1" => {
                raw.node(node);
                raw.saw(start);
                raw.saw(end);
            }
            other => {
                let text = format!("{other:?} is no state: 0 is down, 1 is up");
                return Err(wrong(i, text));
            }
        }
    }
    Ok(raw)
}
