//! `events.jsonl`: every record of a run, one JSON object per line, in order.
//!
//! The fields are those of `trace::Fields`, under the names that recorded timelines use (`type`,
//! `status`, `reason`, `message`, `count`, `value`, `grace`, `added`, `removed`), with `id`,
//! `t_ns`, `actor`, `what`, and `cause` and `saw`, which are ids or null. Of an attempt to place a
//! pod, `filters` are those that rejected nodes: `plugin`, `reason`, the `count` of nodes, and
//! `nodes`, each a name or `first..last` of those that stand between them in `names.json`; without
//! nodes the pod itself was rejected. Of an eviction that was granted or refused, `budget` is the
//! disruption budget that was asked, with its `status`. Of the end of a drain, `count` pods are
//! gone and `left` are not. Of a fault or a refusal, `entry` is the name of the entry of the
//! timeline and `entry_index` its place there. Written by hand and not through a serialiser,
//! because a large outage has millions of them. An export: whoever wants the run again runs it.

use super::prelude::*;
use crate::files::{fnv1a64, fnv1a64_more};
use crate::trace::{Actor, Fields, NO_RECORD, Stand, Told};

/// The name of the file; packed, it ends in `.gz`.
pub(crate) const FILE: &str = "events.jsonl";

/// How much is gathered before it is handed on, in bytes.
const CHUNK: usize = 1 << 16;

/// The entry of the timeline, or the node, that a record is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Entry<'a> {
    /// The entry's name.
    pub(crate) name: Option<&'a str>,
    /// Its place in the timeline.
    pub(crate) index: Option<u32>,
    /// The node that controllers stopped with.
    pub(crate) node: Option<&'a str>,
}

impl<'a> Entry<'a> {
    pub(crate) fn of(analysis: &'a Analysis<'a>, r: &Record) -> Self {
        match r.what {
            What::FaultBegan | What::FaultEnded | What::Refused(_) | What::CutShort(_) => {
                let entry = analysis.plan.timeline.get(r.object as usize);
                Entry { name: entry.map(|e| e.name.as_str()), index: Some(r.object), node: None }
            }
            What::ControllersStopped if r.actor == Actor::User => {
                Entry { index: Some(r.object), ..Entry::default() }
            }
            What::ControllersStopped => {
                Entry { node: Some(analysis.node_name(NodeId(r.object))), ..Entry::default() }
            }
            _ => Entry::default(),
        }
    }
}

/// Writes all records. Gives the hash of what was written, by which a run is known again.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, analysis: &Analysis<'_>) -> io::Result<u64> {
    let mut hash = fnv1a64(b"");
    let mut buffer = Vec::with_capacity(CHUNK + 4_096);
    for (id, r) in analysis.trace.iter().enumerate() {
        line(&mut buffer, analysis, id as RecordId, r);
        if buffer.len() >= CHUNK {
            hash = fnv1a64_more(hash, &buffer);
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)?;
    Ok(fnv1a64_more(hash, &buffer))
}

fn line(b: &mut Vec<u8>, analysis: &Analysis<'_>, id: RecordId, r: &Record) {
    b.extend_from_slice(b"{\"id\":");
    number(b, id.into());
    b.extend_from_slice(b",\"t_ns\":");
    number(b, r.at.as_nanos());
    text(b, "actor", r.actor.as_str());
    let f = analysis.trace.fields(r);
    text(b, "what", f.what);
    fields(b, &f, matches!(r.what, What::PodDeleting(_)));
    let about = Entry::of(analysis, r);
    if let Some(name) = about.name {
        text(b, "entry", name);
    }
    if let Some(index) = about.index {
        key(b, "entry_index");
        number(b, index.into());
    }
    if let Some(node) = about.node {
        text(b, "node", node);
    }
    reference(b, "cause", r.cause);
    reference(b, "saw", r.saw);
    b.extend_from_slice(b"}\n");
}

fn fields(b: &mut Vec<u8>, f: &Fields, is_deletion: bool) {
    let texts = [
        ("node", f.node.as_deref()),
        ("pod", f.pod.as_deref()),
        ("object", f.object.as_deref()),
        ("type", f.kind),
        ("status", f.status),
        ("reason", f.reason.as_deref()),
        ("message", f.message.as_deref()),
    ];
    for (key, value) in texts {
        if let Some(value) = value {
            text(b, key, value);
        }
    }
    if let Some(value) = f.value {
        self::key(b, "value");
        b.extend_from_slice(if value { b"true" } else { b"false" });
    }
    for (name, value) in [
        (if is_deletion { "grace" } else { "seconds" }, f.seconds),
        ("millis", f.millis),
        ("count", f.count),
    ] {
        if let Some(value) = value {
            key(b, name);
            number(b, value.into());
        }
    }
    if let Some(value) = f.replicas {
        key(b, "replicas");
        b.extend_from_slice(value.to_string().as_bytes());
    }
    for (name, taints) in [("added", &f.added), ("removed", &f.removed)] {
        if !taints.is_empty() {
            key(b, name);
            list(b, taints);
        }
    }
    if let Some(budget) = &f.budget {
        stand(b, budget);
    }
    if !f.left.is_empty() {
        key(b, "left");
        list(b, &f.left);
    }
    filters(b, &f.filters);
}

/// A disruption budget: its name, what it asks for, and its status.
fn stand(b: &mut Vec<u8>, budget: &Stand) {
    b.extend_from_slice(b",\"budget\":{\"name\":");
    string(b, &budget.name);
    text(b, "rule", budget.rule);
    text(b, "amount", &budget.amount);
    for (name, value) in ["expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed"]
        .into_iter()
        .zip(budget.status)
    {
        key(b, name);
        b.extend_from_slice(value.to_string().as_bytes());
    }
    b.push(b'}');
}

fn list(b: &mut Vec<u8>, texts: &[String]) {
    for (i, text) in texts.iter().enumerate() {
        b.push(if i == 0 { b'[' } else { b',' });
        string(b, text);
    }
    b.push(b']');
}

fn filters(b: &mut Vec<u8>, told: &[Told]) {
    for (i, Told { rejection, count, nodes }) in told.iter().enumerate() {
        b.extend_from_slice(if i == 0 { b",\"filters\":[{" } else { b",{" });
        b.extend_from_slice(b"\"plugin\":");
        string(b, rejection.plugin);
        text(b, "reason", &rejection.reason);
        key(b, "count");
        number(b, *count as u64);
        key(b, "nodes");
        b.push(b'[');
        for (i, node) in nodes.iter().enumerate() {
            if i > 0 {
                b.push(b',');
            }
            string(b, node);
        }
        b.extend_from_slice(if i + 1 == told.len() { b"]}]" } else { b"]}" });
    }
}

fn key(b: &mut Vec<u8>, name: &str) {
    b.extend_from_slice(b",\"");
    b.extend_from_slice(name.as_bytes());
    b.extend_from_slice(b"\":");
}

fn text(b: &mut Vec<u8>, name: &str, value: &str) {
    key(b, name);
    string(b, value);
}

fn reference(b: &mut Vec<u8>, name: &str, id: RecordId) {
    key(b, name);
    if id == NO_RECORD { b.extend_from_slice(b"null") } else { number(b, id.into()) }
}

fn number(b: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    b.extend_from_slice(&digits[at..]);
}

/// A string of JSON: quotes, backslashes and control characters escaped, everything else as it is.
fn string(b: &mut Vec<u8>, value: &str) {
    b.push(b'"');
    if value.bytes().all(|c| c >= 0x20 && c != b'"' && c != b'\\') {
        b.extend_from_slice(value.as_bytes());
    } else {
        for c in value.bytes() {
            match c {
                b'"' | b'\\' => b.extend_from_slice(&[b'\\', c]),
                0..0x20 => b.extend_from_slice(format!("\\u{c:04x}").as_bytes()),
                _ => b.push(c),
            }
        }
    }
    b.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_numbers_are_those_of_json() {
        for s in ["plain", "quote \" and \\", "tab\tand\u{0}zero", "ümläut–", ""] {
            let mut b = Vec::new();
            string(&mut b, s);
            assert_eq!(serde_json::from_slice::<String>(&b).expect("is JSON"), s);
        }
        for n in [0, 9, 10, u64::MAX] {
            let mut b = Vec::new();
            number(&mut b, n);
            assert_eq!(String::from_utf8(b).expect("is ASCII"), n.to_string());
        }
    }
}
