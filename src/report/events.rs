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
//! timeline and `entry_index` its place there. What a record has is listed once, for this and for the table of records.
//! Written by hand and not through a serialiser, because a large outage has millions of them. An export: whoever wants the run again runs it.

use super::prelude::*;
use super::tables::{Cell, FIELDS, Row};
use crate::files::{fnv1a64, fnv1a64_more};
use crate::trace::BudgetState;

/// The name of the file; packed, it ends in `.gz`.
pub(crate) const FILE: &str = "events.jsonl";

/// How much is gathered before it is handed on, in bytes.
const CHUNK: usize = 1 << 16;

/// Writes all records. Gives the hash of what was written, by which a run is known again.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, analysis: &Analysis<'_>) -> io::Result<u64> {
    let mut hash = fnv1a64(b"");
    let mut buffer = Vec::with_capacity(CHUNK + 4_096);
    for row in Row::all(analysis) {
        line(&mut buffer, &row)?;
        if buffer.len() >= CHUNK {
            hash = fnv1a64_more(hash, &buffer);
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)?;
    Ok(fnv1a64_more(hash, &buffer))
}

/// What is empty is left out, but for the references to other records.
fn line(b: &mut Vec<u8>, row: &Row<'_>) -> io::Result<()> {
    let begun = b.len();
    for (name, _, cell) in &FIELDS {
        let cell = cell(row);
        // Most are empty.
        if matches!(cell, Cell::Empty) && !matches!(*name, "cause" | "saw") {
            continue;
        }
        match (*name, cell) {
            ("budget", Cell::Text(name)) => {
                row.fields.budget.iter().try_for_each(|budget| stand(b, &name, budget))?;
            }
            (part, _) if part.starts_with("budget_") => {}
            ("filters", Cell::Texts(said)) => {
                list(b, name, &said, |b, f| b.extend_from_slice(f.as_bytes()))
            }
            (_, Cell::Texts(texts)) => list(b, name, &texts, string),
            (_, Cell::Text(said)) => text(b, name, &said),
            (_, cell) => {
                key(b, name);
                serde_json::to_writer(&mut *b, &cell.json())?;
            }
        }
    }
    // Each field begins with a comma.
    b[begun] = b'{';
    b.extend_from_slice(b"}\n");
    Ok(())
}

/// A disruption budget: its name, what it asks for, and its status.
fn stand(b: &mut Vec<u8>, name: &str, of: &BudgetState) -> io::Result<()> {
    b.extend_from_slice(b",\"budget\":{\"name\":");
    string(b, name);
    text(b, "rule", of.rule.field());
    text(b, "amount", &of.rule.amount().to_string());
    let names = ["expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed"];
    for (name, value) in names.into_iter().zip([of.expected, of.desired, of.healthy, of.allowed]) {
        write!(b, ",\"{name}\":{value}")?;
    }
    b.push(b'}');
    Ok(())
}

fn list(b: &mut Vec<u8>, name: &str, texts: &[String], one: fn(&mut Vec<u8>, &str)) {
    key(b, name);
    for (i, text) in texts.iter().enumerate() {
        b.push(if i == 0 { b'[' } else { b',' });
        one(b, text);
    }
    b.push(b']');
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
    fn strings_are_those_of_json() {
        for s in ["plain", "quote \" and \\", "tab\tand\u{0}zero", "ümläut–", ""] {
            let mut b = Vec::new();
            string(&mut b, s);
            assert_eq!(serde_json::from_slice::<String>(&b).expect("is JSON"), s);
        }
    }
}
