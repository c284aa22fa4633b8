//! Logs of kube-controller-manager and kube-scheduler in klog's forms: structured (`"Deleting pod"
//! pod="shop/web-0"`) and, of older releases, in whole sentences. `kubectl logs --timestamps` and
//! container runtimes put a time of their own before each line, which has the year that klog leaves
//! out.

use super::audit;
use super::events::Told;
use super::heard::Heard;
use crate::evidence::prelude::*;
use crate::import::parse_time;
use crate::language::duration;
use chrono::{DateTime, NaiveDateTime};

/// How far into a line its header may begin: behind a time and a stream's name.
const HEADER_AT_MOST: usize = 64;

/// How a header begins: a letter for the severity, and figures.
const HEADER: &str = "I0000 00:00:00";

/// A line's header and message.
struct Line<'a> {
    /// `1121 02:02:11.508564`
    clock: &'a str,
    message: &'a str,
    /// The year of a time before the header.
    year: Option<i32>,
}

/// Whether a text begins as a log does.
pub(super) fn is_log(text: &str) -> bool {
    text.lines().take(20).any(|line| Line::read(line).is_some())
}

impl<'a> Line<'a> {
    /// `I1121 02:02:11.508564   11997 job_controller.go:619] message`
    fn read(line: &'a str) -> Option<Self> {
        let fits = |(is, wanted): (u8, u8)| match wanted {
            b'I' => b"IWEF".contains(&is),
            b'0' => is.is_ascii_digit(),
            _ => is == wanted,
        };
        let begins = |at: &usize| {
            let rest = &line.as_bytes()[*at..];
            rest.len() > 30 && rest.iter().copied().zip(HEADER.bytes()).all(fits)
        };
        let at = (0..HEADER_AT_MOST.min(line.len())).find(begins)?;
        let (header, message) = line[at..].split_once("] ")?;
        let year = line[..at].split_whitespace().find_map(parse_time);
        let end = header[HEADER.len()..].find(' ').map_or(header.len(), |i| HEADER.len() + i);
        Some(Line { clock: &header[1..end], message, year: year.map(year_of) })
    }

    fn at(&self, year: i32) -> Option<Stamp> {
        let text = format!("{} {}", self.year.unwrap_or(year), self.clock);
        let time = NaiveDateTime::parse_from_str(&text, "%Y %m%d %H:%M:%S%.f").ok()?;
        Some(Stamp(time.and_utc().timestamp_micros()))
    }
}

/// The year of a log that nothing tells the year of: one with a 29th of February.
pub(super) const SOME_YEAR: i32 = 1972;

/// The year of a time.
pub(super) fn year_of(at: Stamp) -> i32 {
    use chrono::Datelike;
    chrono::DateTime::from_timestamp_micros(at.0).map_or(SOME_YEAR, |t| t.year())
}

/// The year that a log tells by the times in its messages.
pub(super) fn year_in(text: &str) -> Option<i32> {
    const KEYS: [&str; 3] = ["createTime=\"", "timeStamp=\"", "\"timeAdded\":\""];
    let of = |key: &str| text[text.find(key)? + key.len()..].get(..4)?.parse::<i32>().ok();
    KEYS.iter().find_map(|key| of(key))
}

/// Takes a whole log in: how many lines are klog's, and how many of them tell something.
pub(super) fn take(text: &str, file: &str, year: i32, heard: &mut Heard) -> (usize, usize) {
    let (mut lines, mut told) = (0, 0);
    // A worker sets the timers of a node's pods right after it has noted the node's taints.
    let mut tainted: Option<String> = None;
    for (number, text) in (1..).zip(text.lines()) {
        let Some(line) = Line::read(text) else { continue };
        lines += 1;
        tainted = noted_taints_of(line.message).or(tainted);
        let Some((at, said)) = line.at(year).zip(said(line.message)) else { continue };
        told += 1;
        let place = Place { file: file.to_owned(), unit: "line", number };
        if let (Said::TimerSet { pod, .. }, Some(node)) = (&said, &tainted) {
            let (pod, node) = (pod.clone(), node.clone());
            heard.say(at, 0, Said::On { pod, node }, place.clone());
        }
        heard.say(at, 0, said, place);
    }
    (lines, told)
}

/// The node of which the taint eviction controller notes the taints.
fn noted_taints_of(message: &str) -> Option<String> {
    if let Some(values) = message.strip_prefix("\"Updating known taints on node\"") {
        return Values(values).get("node");
    }
    Some(message.strip_prefix("Updating known taints on node ")?.split(':').next()?.to_owned())
}

/// What a message says.
fn said(message: &str) -> Option<Said> {
    let message = message.trim();
    if let Some(rest) = message.strip_prefix('"') {
        let (words, values) = rest.split_once('"')?;
        return structured(words, &Values(values));
    }
    unstructured(message)
}

/// `key="value"` pairs behind a message; what is in brackets instead of quotes stays as it is.
struct Values<'a>(&'a str);

impl Values<'_> {
    fn get(&self, key: &str) -> Option<String> {
        let start = self.0.find(&format!(" {key}="))? + key.len() + 2;
        let rest = &self.0[start..];
        match rest.strip_prefix('"') {
            None => {
                let list = rest.starts_with('[');
                let end = if list { rest.find(']').map(|i| i + 1) } else { rest.find(' ') };
                Some(rest[..end.unwrap_or(rest.len())].to_owned())
            }
            Some(quoted) => {
                let mut chars = quoted.chars();
                let next = || match chars.next()? {
                    '"' => None,
                    '\\' => chars.next(),
                    c => Some(c),
                };
                Some(std::iter::from_fn(next).collect())
            }
        }
    }
}

fn structured(words: &str, values: &Values<'_>) -> Option<Said> {
    let node = || values.get("node");
    let pod = || values.get("pod");
    Some(match words {
        "Recording status change event message for node" => Said::NodeUnknown { node: node()? },
        "Node hasn't been updated" => {
            // Each later pass says it again.
            let is_first = !values.get("currentCondition")?.contains("Status:Unknown");
            let after = duration::parse(&values.get("duration")?).ok().filter(|_| is_first)?;
            Said::NodeOverdue { node: node()?, after }
        }
        "Node is unresponsive. Adding it to the Taint queue" => Said::NodeUnknown { node: node()? },
        _ if words.starts_with("Node is healthy again, ") => Said::NodeReady { node: node()? },
        "Deleting pod" | "NoExecuteTaintManager is deleting pod" => Said::Evicted { pod: pod()? },
        "Added taint to node" => {
            let list = serde_json::from_str(&values.get("taint")?).unwrap_or_default();
            let taints = audit::taints(&list);
            Said::Tainted { node: node()?, taints: (!taints.is_empty()).then_some(taints)? }
        }
        "Adding TimedWorkerQueue item and to be fired at firedTime" => {
            let [pod, created, fired] = ["item", "createTime", "firedTime"].map(|k| values.get(k));
            timer(pod?, &created?, &fired?)?
        }
        "Controller detected that zone is now in new state" => {
            Said::Zone { zone: values.get("zone")?, state: values.get("newState")? }
        }
        "Successfully bound pod to node" => Said::Bound { pod: pod()?, node: node()? },
        "Unable to schedule pod; no fit; waiting" => Said::Unschedulable { pod: pod()? },
        "Event occurred" => {
            let (object, kind) = (values.get("object")?, values.get("kind")?);
            let (namespace, name) = object.split_once('/').unwrap_or(("", &object));
            let (reason, message) = (values.get("reason")?, values.get("message")?);
            let (kind, reason, message) = (&*kind, &*reason, &*message);
            Told { kind, namespace, name, reason, message, component: "" }.said()?
        }
        _ => return None,
    })
}

/// Sentences of releases before structured logs, and messages of client-go, which never have it.
fn unstructured(message: &str) -> Option<Said> {
    let last = || message.rsplit(' ').next().unwrap_or_default().trim_end_matches('.').to_owned();
    if message.starts_with("successfully acquired lease ") {
        let lease = last();
        let component = lease.rsplit('/').next()?.to_owned();
        return Some(Said::Leader { component });
    }
    if message.starts_with("NoExecuteTaintManager is deleting ") {
        return Some(Said::Evicted { pod: last() });
    }
    if message.starts_with("Recording status change NodeNotReady event message for node ") {
        return Some(Said::NodeUnknown { node: last() });
    }
    if let Some(rest) = message.strip_prefix("Adding TimedWorkerQueue item ") {
        let (pod, times) = rest.split_once(" at ")?;
        let (created, fired) = times.split_once(" to be fired at ")?;
        return timer(pod.to_owned(), created, fired);
    }
    if let Some((node, rest)) = message.strip_prefix("Node ").and_then(|r| r.split_once(' ')) {
        let node = node.to_owned();
        if rest.starts_with("is unresponsive as of ") {
            return Some(Said::NodeUnknown { node });
        }
        if rest.starts_with("is healthy again") {
            return Some(Said::NodeReady { node });
        }
    }
    let reference = message.strip_prefix("Event(v1.ObjectReference{")?;
    let (object, rest) = reference.split_once("}): ")?;
    let field = |name: &str| {
        let start = object.find(&format!("{name}:\""))? + name.len() + 2;
        object[start..].split('"').next()
    };
    let (_, rest) = rest.split_once("reason: '")?;
    let (reason, message) = rest.split_once("' ")?;
    let (kind, namespace, name) = (field("Kind")?, field("Namespace")?, field("Name")?);
    Told { kind, namespace, name, reason, message, component: "" }.said()
}

fn timer(pod: String, created: &str, fired: &str) -> Option<Said> {
    let us = go_time(fired)?.0.saturating_sub(go_time(created)?.0);
    Some(Said::TimerSet { pod, seconds: us.saturating_add(500_000) / 1_000_000 })
}

/// `2000-01-01 00:06:45.100001001 +0000 UTC m=+0.1`
fn go_time(text: &str) -> Option<Stamp> {
    let (time, _) = DateTime::parse_and_remainder(text, "%F %T%.f %z").ok()?;
    Some(Stamp(time.timestamp_micros()))
}
