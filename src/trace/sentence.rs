//! A record in one line, for those who read.

use super::record::Record;
use super::records::Trace;

impl Trace {
    /// A record in one line, without its time: `node-lifecycle node-condition b-00 Ready Unknown
    /// NodeStatusUnknown`.
    pub(crate) fn sentence(&self, r: &Record) -> String {
        let f = self.fields(r);
        let mut parts = vec![r.actor.as_str().to_owned(), f.what.to_owned()];
        parts.extend([f.pod, f.object].into_iter().flatten());
        parts.extend(f.node.map(|node| if parts.len() > 2 { format!("on {node}") } else { node }));
        parts.extend(
            [f.kind, f.status, f.reason.as_deref()].into_iter().flatten().map(str::to_owned),
        );
        parts.extend(f.added.into_iter().map(|t| format!("+{t}")));
        parts.extend(f.removed.into_iter().map(|t| format!("-{t}")));
        parts.extend(f.seconds.map(|s| format!("{s}s")));
        parts.extend(f.value.map(|v| v.to_string()));
        parts.extend(f.replicas.map(|n| format!("replicas {n}")));
        parts.extend(f.filters.into_iter().map(|t| {
            if t.count > 0 {
                format!("{} on {}", t.rejection.plugin, t.count)
            } else {
                t.rejection.plugin.to_owned()
            }
        }));
        parts.extend(f.budget.map(|b| {
            let [expected, desired, healthy, allowed] = b.status;
            format!(
                "{} {} {}: {healthy} of {expected} healthy, needs {desired}, allows {allowed}",
                b.name, b.rule, b.amount
            )
        }));
        parts.extend(f.left.into_iter().map(|p| format!("left {p}")));
        parts.extend(f.message.map(|m| format!("{m:?}")));
        parts.join(" ")
    }
}
