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
use chrono::{NaiveDate, NaiveDateTime};

/// How far into a line its header may begin: behind a time and a stream's name.
const HEADER_AT_MOST: usize = 64;

/// A line's header and message.
struct Line<'a> {
    month: u32,
    day: u32,
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
        let begins = |at: usize| -> Option<&'a str> {
            let rest = line.get(at..)?;
            let b = rest.as_bytes();
            let digits = |from: usize, to: usize| {
                b.get(from..to).is_some_and(|d| d.iter().all(u8::is_ascii_digit))
            };
            let is_header = b.len() > 30
                && matches!(b[0], b'I' | b'W' | b'E' | b'F')
                && digits(1, 5)
                && b[5] == b' '
                && b[8] == b':'
                && b[11] == b':'
                && digits(6, 8)
                && digits(9, 11)
                && digits(12, 14);
            is_header.then_some(rest)
        };
        let at = (0..HEADER_AT_MOST.min(line.len())).find(|at| begins(*at).is_some())?;
        let rest = begins(at)?;
        let (header, message) = rest.split_once("] ")?;
        let year = line[..at].split_whitespace().find_map(parse_time);
        let (month, day) = (header.get(1..3)?.parse().ok()?, header.get(3..5)?.parse().ok()?);
        let clock = header.get(6..)?.split(' ').next()?;
        Some(Line { month, day, clock, message, year: year.map(year_of) })
    }

    fn at(&self, year: i32) -> Option<Stamp> {
        let date = NaiveDate::from_ymd_opt(self.year.unwrap_or(year), self.month, self.day)?;
        let text = format!("{date} {}", self.clock);
        let time = NaiveDateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f").ok()?;
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
                let end = if rest.starts_with('[') {
                    rest.find(']').map_or(rest.len(), |i| i + 1)
                } else {
                    rest.find(' ').unwrap_or(rest.len())
                };
                Some(rest[..end].to_owned())
            }
            Some(quoted) => {
                let mut value = String::new();
                let mut chars = quoted.chars();
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => value.extend(chars.next()),
                        c => value.push(c),
                    }
                }
                Some(value)
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
        "Node is healthy again, removed all taints" => Said::NodeReady { node: node()? },
        "Deleting pod" | "NoExecuteTaintManager is deleting pod" => Said::Evicted { pod: pod()? },
        "Added taint to node" => {
            let list = serde_json::from_str(&values.get("taint")?).unwrap_or_default();
            let taints = audit::taints(&list);
            Said::Tainted { node: node()?, taints: (!taints.is_empty()).then_some(taints)? }
        }
        "Adding TimedWorkerQueue item and to be fired at firedTime" => {
            let time = |key| go_time(&values.get(key)?);
            let us = time("firedTime")?.0 - time("createTime")?.0;
            Said::TimerSet { pod: values.get("item")?, seconds: (us + 500_000) / 1_000_000 }
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
    if message.starts_with("NoExecuteTaintManager is deleting Pod: ")
        || message.starts_with("NoExecuteTaintManager is deleting pod ")
    {
        return Some(Said::Evicted { pod: last() });
    }
    if message.starts_with("Recording status change NodeNotReady event message for node ") {
        return Some(Said::NodeUnknown { node: last() });
    }
    if let Some(rest) = message.strip_prefix("Adding TimedWorkerQueue item ") {
        let (pod, times) = rest.split_once(" at ")?;
        let (created, fired) = times.split_once(" to be fired at ")?;
        let us = go_time(fired)?.0 - go_time(created)?.0;
        return Some(Said::TimerSet { pod: pod.to_owned(), seconds: (us + 500_000) / 1_000_000 });
    }
    if let Some(rest) = message.strip_prefix("Node ")
        && let Some((node, rest)) = rest.split_once(' ')
    {
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

/// `2000-01-01 00:06:45.100001001 +0000 UTC m=+0.1`
fn go_time(text: &str) -> Option<Stamp> {
    let mut words = text.split(' ');
    let (date, clock, zone) = (words.next()?, words.next()?, words.next()?);
    let zone = zone.get(..3).zip(zone.get(3..5)).map(|(h, m)| format!("{h}:{m}"))?;
    parse_time(&format!("{date}T{clock}{zone}"))
}
