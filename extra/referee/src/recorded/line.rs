//! One record of a recorded timeline, in the recorder's own form and order.

use serde::{Deserialize, Serialize};

/// One observable fact. The fields stand in the order in which the recorder writes them, and empty
/// ones are not written, so that the JSON text sorts as the recorder's does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Nanoseconds from the start of the run, truncated to a millisecond.
    pub t_ns: u64,
    /// Who did it.
    pub actor: String,
    /// The kind of record.
    pub what: String,
    /// The node it is about, or that a pod is on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The pod it is about, `namespace/name`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pod: String,
    /// The claim of a volume, `namespace/name`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub volume: String,
    /// The object of an event, `Kind/namespace/name` or `Kind/name`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// The type of a condition or an event.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The status of a condition, or a phase.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// The reason of a condition or an event.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The message of an event.
    #[serde(default, skip_serializing_if = "String::is_empty", deserialize_with = "message")]
    pub message: String,
    /// `spec.unschedulable`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// The grace period of a deletion, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace: Option<i64>,
    /// How often an event was seen, if more than once.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "more_than_one")]
    pub count: u32,
    /// Taints that were added, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Taints that were removed, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

fn message<'de, D: serde::Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    String::deserialize(d).map(|text| without_uids(&text))
}

/// A message with `UID` for each uid: those of a recording count objects that the model has not,
/// namespaces say.
pub fn without_uids(text: &str) -> String {
    let is_uid = |word: &str| {
        let parts: Vec<usize> = word.split('-').map(str::len).collect();
        parts == [8, 4, 4, 4, 12] && word.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
    };
    if !text.split(' ').any(is_uid) {
        return text.to_owned();
    }
    text.split(' ')
        .map(|word| if is_uid(word) { "UID" } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Up to 1.25 a series of events begins with a count of one, which says no more than none.
fn more_than_one<'de, D: serde::Deserializer<'de>>(d: D) -> Result<u32, D::Error> {
    u32::deserialize(d).map(|n| if n > 1 { n } else { 0 })
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Line {
    /// The record as JSON text in the recorder's form.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The time in whole milliseconds.
    pub fn ms(&self) -> u64 {
        self.t_ns / 1_000_000
    }

    /// The kind that envelopes count by: actor, what, and, where there are any, type, status,
    /// reason and the signed taints, sorted.
    pub(crate) fn envelope_kind(&self) -> String {
        let mut taints: Vec<String> = self
            .added
            .iter()
            .map(|t| format!("+{t}"))
            .chain(self.removed.iter().map(|t| format!("-{t}")))
            .collect();
        taints.sort();
        let mut out = format!("{} {}", self.actor, self.what);
        for part in [&self.kind, &self.status, &self.reason]
            .into_iter()
            .filter(|p| !p.is_empty())
            .chain(&taints)
        {
            out.push(' ');
            out.push_str(part);
        }
        out
    }
}

/// Sorts records as the recorder does: by time, then by their JSON text.
pub fn sort_lines(lines: &mut [Line]) {
    lines.sort_by_cached_key(|l| (l.t_ns, l.json()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_recorders() {
        // Two records of traces/v1.34.4/cut-one-of-three.json as the recorder itself prints them:
        // no blanks, no HTML escapes, empty fields left out, but an `unschedulable` of false kept.
        for text in [
            r#"{"t_ns":105000000000,"actor":"node-lifecycle","what":"event","object":"Node/n2","type":"Normal","reason":"NodeNotReady","message":"Node n2 status is now: NodeNotReady"}"#,
            r#"{"t_ns":0,"actor":"user","what":"pod-created","node":"n1","pod":"default/p1"}"#,
            r#"{"t_ns":1000000,"actor":"user","what":"node-unschedulable","node":"n1","value":false}"#,
            r#"{"t_ns":1000000,"actor":"user","what":"pod-deleting","pod":"default/p","grace":0}"#,
        ] {
            let line: Line = serde_json::from_str(text).unwrap();
            assert_eq!(line.json(), text);
        }
    }

    #[test]
    fn kinds_are_those_of_the_envelopes() {
        // A key of envelopes/v1.34.4/limits-zone-dark-10.json; '+' sorts before '-'.
        let line = Line {
            actor: "node-lifecycle".into(),
            what: "node-taints".into(),
            node: "n".into(),
            ..Line::default()
        };
        let one =
            Line { added: vec!["node.kubernetes.io/unreachable:NoExecute".into()], ..line.clone() };
        assert_eq!(
            one.envelope_kind(),
            "node-lifecycle node-taints +node.kubernetes.io/unreachable:NoExecute"
        );
        let two =
            Line { added: vec!["z:NoExecute".into()], removed: vec!["a:NoExecute".into()], ..line };
        assert_eq!(two.envelope_kind(), "node-lifecycle node-taints +z:NoExecute -a:NoExecute");
    }

    #[test]
    fn uids_are_all_alike() {
        let text = "Preempted by pod 00000000-0000-4000-8000-00000000001a on node n1";
        assert_eq!(without_uids(text), "Preempted by pod UID on node n1");
        for other in [
            "00000000-0000-4000-8000-00000000001",
            "web-5468c74c4d-x7x2k on node",
            "zzzzzzzz-0000-4000-8000-00000000001a",
            "",
        ] {
            assert_eq!(without_uids(other), other);
        }
    }

    #[test]
    fn lines_sort_by_number_not_by_digits() {
        let at = |t_ns| Line { t_ns, ..Line::default() };
        let mut lines = vec![at(10_000_000), at(9_000_000)];
        sort_lines(&mut lines);
        assert_eq!(lines[0].t_ns, 9_000_000);
    }
}
