//! A forecast for programs.

use super::said::Outlook;
use crate::kernel::Time;
use crate::lab::forecast::{ByWhen, Count, Foreseen};
use serde_json::{Value, json};

/// `{"version": 1, "at": …, "notes": […], "events": [{"what", "object", "low", "median", "high", "share", "node",
/// "workload"}], "by_when": [{"what", "workload", "by": [{"at", "low", "median", "high"}]}]}`, times
/// in RFC 3339. How many have come by when is of all pods where `workload` is null.
pub(crate) fn document(outlook: &Outlook<'_>) -> Value {
    let event = |f: &Foreseen| {
        json!({
            "what": f.what.as_str(),
            "object": f.object,
            "low": outlook.clock.rfc3339(f.when.low),
            "median": outlook.clock.rfc3339(f.when.median),
            "high": outlook.clock.rfc3339(f.when.high),
            "share": f.when.share,
            "node": f.node,
            "workload": f.workload.as_deref().map(workload),
        })
    };
    let times = &outlook.forecast.times;
    let by_when = |b: &ByWhen| {
        let by = |(at, c): (&Time, &Count)| json!({ "at": outlook.clock.rfc3339(*at), "low": c.low, "median": c.median, "high": c.high });
        json!({
            "what": b.what.as_str(),
            "workload": b.workload.as_deref().map(workload),
            "by": times.iter().zip(&b.counts).map(by).collect::<Vec<_>>(),
        })
    };
    let counts: Vec<Value> = outlook.forecast.by_when.iter().map(by_when).collect();
    let events: Vec<Value> = outlook.forecast.happenings.iter().map(event).collect();
    json!({ "version": 1, "at": outlook.clock.begins(), "notes": outlook.notes, "events": events, "by_when": counts })
}

/// A workload as every other table calls it; people read `Deployment shop/web`.
fn workload(said: &str) -> String {
    said.replacen(' ', "/", 1)
}
