//! A state file of SimGrid: `date 0` is off, `date 1` is on; `LOOPAFTER x` repeats all of it x
//! seconds behind the last date. It is about one resource, which is called `host` here.

use super::raw::{HistoryError, Raw, lines, seconds, wrong};

pub(super) fn read(text: &str) -> Result<Raw, HistoryError> {
    let mut raw = Raw::default();
    let mut since: Option<f64> = None;
    let mut last = f64::NEG_INFINITY;
    raw.node("host");
    for (i, line) in lines(text) {
        let mut words = line.split_whitespace();
        let (Some(first), Some(second), None) = (words.next(), words.next(), words.next()) else {
            return Err(wrong(i, "a line has a date and a state, 0 or 1"));
        };
        let number = |text: &str| seconds(text, 0.0, i);
        if ["LOOPAFTER", "PERIODICITY"].contains(&first) {
            // The next round begins then.
            raw.saw(last.max(0.0) + number(second)?);
            if let Some(begin) = since.take() {
                raw.add("host", begin, last.max(0.0) + number(second)?, i)?;
            }
            continue;
        }
        let at = number(first)?;
        if at < last {
            return Err(wrong(i, "dates do not rise"));
        }
        last = at;
        raw.saw(at);
        match (since, second) {
            (None, "0") => since = Some(at),
            (Some(begin), "1") => {
                raw.add("host", begin, at, i)?;
                since = None;
            }
            (_, "0" | "1") => {}
            (_, other) => return Err(wrong(i, format!("{other:?} is no state: 0 or 1"))),
        }
    }
    raw.open = usize::from(since.is_some());
    Ok(raw)
}
