//! Machine events of Google's cluster data: CSV of 2011 (microseconds, machine, 0 is added and 1
//! is removed), or JSON lines of 2019 (`ADD` is 1, `REMOVE` is 2). A machine is away from its
//! removal until it is added again.

use super::raw::{HistoryError, Raw, lines, wrong};
use std::collections::BTreeMap;

pub(super) fn read(text: &str) -> Result<Raw, HistoryError> {
    let mut raw = Raw::default();
    let mut away: BTreeMap<String, f64> = BTreeMap::new();
    for (i, line) in lines(text) {
        let event = if line.starts_with('{') { json(line) } else { csv(line) };
        let Some((at, machine, what)) = event else {
            return Err(wrong(
                i,
                "this is no machine event: a time, a machine and what happened to it",
            ));
        };
        raw.saw(at);
        raw.node(&machine);
        match what {
            Event::Added => {
                if let Some(since) = away.remove(&machine) {
                    raw.add(&machine, since, at, i)?;
                }
            }
            Event::Removed => drop(away.entry(machine).or_insert(at)),
            Event::Other => {}
        }
    }
    raw.open = away.len();
    Ok(raw)
}

enum Event {
    Added,
    Removed,
    Other,
}

fn csv(line: &str) -> Option<(f64, String, Event)> {
    let mut fields = line.split(',').map(str::trim);
    let at: f64 = fields.next()?.parse().ok()?;
    let machine = fields.next().filter(|m| !m.is_empty())?.to_owned();
    let what = match fields.next()? {
        "0" => Event::Added,
        "1" => Event::Removed,
        "2" => Event::Other,
        _ => return None,
    };
    Some((at / 1e6, machine, what))
}

fn json(line: &str) -> Option<(f64, String, Event)> {
    let event: serde_json::Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| match &event[name] {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let at: f64 = text("time").unwrap_or_else(|| "0".to_owned()).parse().ok()?;
    let what = match text("type")?.as_str() {
        "1" | "ADD" => Event::Added,
        "2" | "REMOVE" => Event::Removed,
        _ => Event::Other,
    };
    Some((at / 1e6, text("machine_id")?, what))
}
