//! `event_trace.tab` of the Failure Trace Archive: nine columns, of which the third is the node, the
//! sixth the state (0 is down, 1 is up), the seventh and eighth its begin and end in seconds.
//!
//! Machine events of Google's cluster data: CSV of 2011 (microseconds, machine, 0 is added and 1
//! is removed), or JSON lines of 2019 (`ADD` is 1, `REMOVE` is 2). A machine is away from its
//! removal until it is added again.
//!
//! A state file of SimGrid: `date 0` is off, `date 1` is on, from 0 s on; `LOOPAFTER x` repeats all of it x
//! seconds behind the last date, `PERIODICITY x` every x seconds, wherever they stand (`ProfileBuilder.cpp`). It is about one
//! resource, which is called `host` here.

use super::history::{LATEST_S, Raw, lines, seconds, wrong};
use crate::language::Problem;

pub(super) fn fta(text: &str) -> Result<Raw, Problem> {
    let mut raw = Raw::default();
    for (place, (i, line)) in lines(text).enumerate() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // A heading.
        if place == 0 && fields.first().is_some_and(|f| f.parse::<f64>().is_err()) {
            continue;
        }
        let &[_, _, node, _, _, state, start, end, ..] = fields.as_slice() else {
            return Err(wrong(i, format!("{} columns, where an event has nine", fields.len())));
        };
        let number = |text: &str| seconds(text, f64::NEG_INFINITY, i);
        let (start, end) = (number(start)?, number(end)?);
        raw.node(node);
        raw.saw(start, i)?;
        raw.saw(end, i)?;
        match state {
            "0" => raw.add(node, start, end, i)?,
            "1" => {}
            other => return Err(wrong(i, format!("{other:?} is no state: 0 is down, 1 is up"))),
        }
    }
    Ok(raw)
}

pub(super) fn google(text: &str) -> Result<Raw, Problem> {
    let mut raw = Raw::default();
    for (i, line) in lines(text) {
        let event = if line.starts_with('{') { google_json(line) } else { google_csv(line) };
        let Some((at, machine, is_up)) = event.filter(|(at, ..)| at.is_finite()) else {
            let text = "this is no machine event: a time, a machine and what happened to it";
            return Err(wrong(i, text));
        };
        // 2^63 - 1 is what came after the end of the trace.
        if at > LATEST_S {
            continue;
        }
        raw.saw(at, i)?;
        raw.node(&machine);
        is_up.map_or(Ok(()), |is_up| raw.state(&machine, at, is_up, i))?;
    }
    Ok(raw)
}

/// When something happened to which machine, and whether it is up now, where that tells.
type Event = (f64, String, Option<bool>);

fn google_csv(line: &str) -> Option<Event> {
    let mut fields = line.split(',').map(str::trim);
    let at: f64 = fields.next()?.parse().ok()?;
    let machine = fields.next().filter(|m| !m.is_empty())?.to_owned();
    let what = match fields.next()? {
        "0" => Some(true),
        "1" => Some(false),
        "2" => None,
        _ => return None,
    };
    Some((at / 1e6, machine, what))
}

fn google_json(line: &str) -> Option<Event> {
    let event: serde_json::Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| match &event[name] {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let at: f64 = text("time").unwrap_or_else(|| "0".to_owned()).parse().ok()?;
    let what = match text("type")?.as_str() {
        "1" | "ADD" => Some(true),
        "2" | "REMOVE" => Some(false),
        _ => None,
    };
    Some((at / 1e6, text("machine_id")?, what))
}

pub(super) fn simgrid(text: &str) -> Result<Raw, Problem> {
    let mut raw = Raw::default();
    let (mut last, mut round) = (0.0, None);
    raw.node("host");
    raw.saw(last, 1)?;
    for (i, line) in lines(text) {
        let mut words = line.split_whitespace();
        let (Some(first), Some(second), None) = (words.next(), words.next(), words.next()) else {
            return Err(wrong(i, "a line has a date and a state, 0 or 1"));
        };
        let number = |text: &str| seconds(text, 0.0, i);
        if ["LOOPAFTER", "PERIODICITY"].contains(&first) {
            if round.replace((i, first == "PERIODICITY", number(second)?)).is_some() {
                return Err(wrong(i, "when it begins anew is said twice"));
            }
            continue;
        }
        let at = number(first)?;
        if at < last {
            return Err(wrong(i, "dates do not rise"));
        }
        last = at;
        match second.parse::<f64>() {
            Ok(state) if [0.0, 1.0].contains(&state) => raw.state("host", at, state > 0.0, i)?,
            _ => return Err(wrong(i, format!("{second:?} is no state: 0 or 1"))),
        }
    }
    if let Some((i, is_period, span)) = round {
        let end = if is_period { span } else { last + span };
        if end < last {
            return Err(wrong(i, format!("it begins anew after {end} s, before its last date")));
        }
        raw.state("host", end, true, i)?;
    }
    Ok(raw)
}
