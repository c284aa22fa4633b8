//! A forecast for programs.

use super::said::Outlook;
use crate::lab::forecast::Foreseen;
use serde_json::{Value, json};

/// `{"version": 1, "at": …, "notes": […], "events": [{"what", "object", "low", "median", "high", "share", "node",
/// "workload"}]}`, times in RFC 3339.
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
            // As every other table calls it; people read `Deployment shop/web`.
            "workload": f.workload.as_ref().map(|w| w.replacen(' ', "/", 1)),
        })
    };
    let events: Vec<Value> = outlook.forecast.happenings.iter().map(event).collect();
    json!({ "version": 1, "at": outlook.clock.begins(), "notes": outlook.notes, "events": events })
}
