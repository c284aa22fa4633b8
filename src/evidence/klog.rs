//! Logs of kube-controller-manager and kube-scheduler in klog's forms: structured (`"Deleting pod"
//! pod="shop/web-0"`), as JSON, and, of older releases, in whole sentences. `kubectl logs --timestamps` and
//! container runtimes put a time of their own before each line, which has the year that klog leaves
//! out.

use super::audit;
use super::events::Told;
use super::heard::Heard;
use super::outage::is_own;
use crate::api::taint::{NOT_READY, UNREACHABLE};
use crate::evidence::prelude::*;
use crate::import::parse_time;
use crate::language::duration;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime};
use std::borrow::Cow;

/// How far into a line its header may begin: behind a time and a stream's name.
const HEADER_AT_MOST: usize = 64;

/// How a header begins: a letter for the severity, and figures.
const HEADER: &str = "I0000 00:00:00";

/// How many lines are looked at to tell what a file is.
const FIRST_LINES: usize = 20;

/// The keys of a line in JSON that are no values of its message (`component-base/logs/json: NewJSONLogger`).
const OF_LINE: [&str; 5] = ["ts", "logger", "caller", "msg", "v"];

/// The controller that evicts pods for taints of nodes, as it calls itself.
const TAINT_EVICTION: &str = "taint-eviction-controller";

/// When a line was written, and its message.
type Line<'a> = (Stamp, Cow<'a, str>);

/// Whether a text begins as a log does.
pub(super) fn is_log(text: &str) -> bool {
    text.lines()
        .take(FIRST_LINES)
        .any(|line| in_json(line).is_some() || in_text(line, SOME_TIME).is_some())
}

/// `{"ts":1732156931508.564,"caller":"…","msg":"Deleting pod","v":0,"pod":{"name":"web-0","namespace":"shop"}}`, with its
/// message as the other form has it.
fn in_json(line: &str) -> Option<Line<'_>> {
    let at = line.find('{').filter(|at| *at < HEADER_AT_MOST)?;
    let all: serde_json::Map<String, Value> = serde_json::from_str(&line[at..]).ok()?;
    // In milliseconds; upstream's documentation shows seconds.
    let (ts, msg) = (all.get("ts")?.as_f64()?, all.get("msg")?);
    let us = if ts < 1e11 { ts * 1e6 } else { ts * 1e3 };
    let values = all.iter().filter(|(key, _)| !OF_LINE.contains(&key.as_str()));
    let one = |(key, value): (&String, &Value)| {
        let name = [&value["namespace"], &value["name"]].map(Value::as_str);
        let name = name.into_iter().flatten().collect::<Vec<_>>().join("/");
        if name.is_empty() { format!(" {key}={value}") } else { format!(" {key}=\"{name}\"") }
    };
    let values: String = values.map(one).collect();
    let message =
        if values.is_empty() { msg.as_str()?.to_owned() } else { format!("{msg}{values}") };
    Some((Stamp(us.round() as i64), message.into()))
}

/// `I1121 02:02:11.508564   11997 job_controller.go:619] message`, of the year in which that is within half a year
/// of this time, or of that which the line begins with.
fn in_text(line: &str, near: Stamp) -> Option<Line<'_>> {
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
    let near = line[..at].split_whitespace().find_map(parse_time).unwrap_or(near);
    let end = header[HEADER.len()..].find(' ').map_or(header.len(), |i| HEADER.len() + i);
    let year = DateTime::from_timestamp_micros(near.0)?.year();
    let in_year = |year: i32| {
        let time = format!("{year} {}", &header[1..end]);
        let time = NaiveDateTime::parse_from_str(&time, "%Y %m%d %H:%M:%S%.f").ok()?;
        Some(Stamp(time.and_utc().timestamp_micros()))
    };
    let mut of_years = [year, year - 1, year + 1].into_iter().filter_map(in_year);
    Some((of_years.find(|at| at.0.abs_diff(near.0) <= HALF_YEAR_US)?, message.into()))
}

const HALF_YEAR_US: u64 = 183 * 86_400_000_000;
/// A log that nothing tells the year of is of one with a 29th of February: from the middle of it no day is farther away.
pub(super) const SOME_YEAR: i32 = 1972;
const SOME_TIME: Stamp = Stamp((2 * 365 + 183) * 86_400_000_000);

/// A time about that of a log, by its lines in JSON, or the days in its messages.
pub(super) fn time_in(text: &str) -> Option<Stamp> {
    const KEYS: [&str; 3] = ["createTime=\"", "timeStamp=\"", "\"timeAdded\":\""];
    let of = |key: &str| {
        let day = text[text.find(key)? + key.len()..].get(..10)?;
        let day = NaiveDate::parse_from_str(day, "%F").ok()?.and_time(NaiveTime::MIN);
        Some(Stamp(day.and_utc().timestamp_micros()))
    };
    let dated = text.lines().take(FIRST_LINES).find_map(in_json);
    dated.map(|(at, _)| at).or_else(|| KEYS.iter().find_map(|key| of(key)))
}

/// How many lines are klog's, how many of them tell something, and the numbers of those in JSON that are broken.
type Counts = (usize, usize, Vec<usize>);

/// Takes the whole text of a file in, which is of about this time. Each line is near to the one before: a log may go on
/// over New Year.
pub(super) fn take((text, file): (&str, &str), of: Option<Stamp>, heard: &mut Heard) -> Counts {
    let (mut lines, mut told, mut broken) = (0, 0, Vec::new());
    let mut near = of.unwrap_or(SOME_TIME);
    // A worker sets the timers of a node's pods right after it has noted the node's taints.
    let mut tainted: Option<String> = None;
    for (number, text) in (1..).zip(text.lines()) {
        let Some((at, message)) = in_json(text).or_else(|| in_text(text, near)) else {
            broken.extend(text.starts_with('{').then_some(number));
            continue;
        };
        (lines, near) = (lines + 1, at);
        let place = Place { file: file.to_owned(), unit: "line", number };
        if let Some((node, list)) = noted_taints(&message) {
            for taint in list.as_array().into_iter().flatten() {
                // One that was there before this leader was is dated.
                let added = time(&taint["timeAdded"]).map(end_of_second);
                let (at, within_us) = added.filter(|added| added.0 < at).unwrap_or((at, 0));
                let said = taint["key"].as_str().and_then(|key| by_controllers(&node, key));
                said.into_iter().for_each(|said| heard.say(at, within_us, said, place.clone()));
            }
            let taints = audit::taints(&list);
            if list.is_array() && (taints.is_empty() || taints.iter().any(|t| !is_own(t))) {
                heard.say(at, 0, Said::NoExecuteAre { node: node.clone(), taints }, place.clone());
            }
            tainted = Some(node);
        }
        let Some(said) = said(&message) else { continue };
        told += 1;
        if let (Said::TimerSet { pod, .. }, Some(node)) = (&said, &tainted) {
            let (pod, node) = (pod.clone(), node.clone());
            heard.say(at, 0, Said::On { pod, node }, place.clone());
        }
        heard.say(at, 0, said, place);
    }
    (lines, told, broken)
}

/// The node of which the taint eviction controller notes the NoExecute taints, and these, which a sentence
/// does not have as JSON.
fn noted_taints(message: &str) -> Option<(String, Value)> {
    if let Some(values) = message.strip_prefix("\"Updating known taints on node\"").map(Values) {
        return Some((values.get("node")?, values.json("taints")));
    }
    let (node, _) = message.strip_prefix("Updating known taints on node ")?.split_once(':')?;
    Some((node.to_owned(), Value::Null))
}

/// What it says of a node that controllers have put a taint on it.
fn by_controllers(node: &str, taint: &str) -> Option<Said> {
    let node = node.to_owned();
    match taint.split([':', '=']).next()? {
        UNREACHABLE => Some(Said::NodeUnknown { node }),
        NOT_READY => Some(Said::KubeletNotReady { node }),
        _ => None,
    }
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
    fn json(&self, key: &str) -> Value {
        self.get(key).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

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
    // Its uid may follow.
    let pod = || Some(values.get("pod")?.split(':').next()?.to_owned());
    Some(match words {
        "Recording status change event message for node"
        | "Node is unresponsive. Adding it to the Taint queue" => {
            Said::NodeUnknown { node: node()? }
        }
        "Node hasn't been updated" => {
            // Each later pass says it again.
            let is_first = !values.get("currentCondition")?.contains("Status:Unknown");
            let after = duration::parse(&values.get("duration")?).ok().filter(|_| is_first)?;
            Said::NodeOverdue { node: node()?, after }
        }
        "Node is NotReady. Adding it to the Taint queue" => Said::FoundNotReady { node: node()? },
        "Controller observed a new Node" | "Creating timestamp entry for newly observed Node" => {
            Said::NodeRegistered { node: node()? }
        }
        "Controller observed a Node deletion" => by_somebody(node()?),
        "Successfully acquired lease" => leads(values.get("lock")?),
        _ if words.starts_with("Node is healthy again, ") => Said::NodeReady { node: node()? },
        _ if words.starts_with("Found orphaned Pod assigned to the Node, deleting") => {
            Said::Orphaned { pod: pod()?, node: node()? }
        }
        // A workload's deletes pods in the same words, and names the workload (`RealPodControl.DeletePod`); that of device
        // taints names none.
        "Deleting pod" if values.get("controller").is_some_and(|by| by != TAINT_EVICTION) => {
            return None;
        }
        "Deleting pod" | "NoExecuteTaintManager is deleting pod" | "Evicted pod by deleting it" => {
            Said::Evicted { pod: pod()? }
        }
        "Added taint to node" => {
            let (node, taints) = (node()?, audit::taints(&values.json("taint")));
            by_controllers(&node, taints.first()?).unwrap_or(Said::Tainted { node, taints })
        }
        "Adding TimedWorkerQueue item and to be fired at firedTime" => {
            let [pod, created, fired] = ["item", "createTime", "firedTime"].map(|k| values.get(k));
            timer(pod?, &created?, &fired?)
        }
        "Successfully bound pod to node" => Said::Bound { pod: pod()?, node: node()? },
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

/// What a sentence says of the one that it names.
type Of = (&'static str, fn(String) -> Said);

/// By how sentences begin that end with a name.
const OF_LAST: [Of; 10] = [
    ("Controller observed a new Node: ", |node| Said::NodeRegistered { node }),
    ("Controller observed a Node deletion: ", by_somebody),
    ("deleting node since it is no longer present in cloud provider: ", by_cloud),
    ("Deleting node since it is no longer present in cloud provider: ", by_cloud),
    ("Deleting node (no longer present in cloud provider): ", by_cloud),
    ("Starting deletion of pod ", |pod| Said::Evicted { pod }),
    ("Creating timestamp entry for newly observed Node ", |node| Said::NodeRegistered { node }),
    ("successfully acquired lease ", leads),
    ("NoExecuteTaintManager is deleting ", |pod| Said::Evicted { pod }),
    ("Recording status change NodeNotReady event", |node| Said::NodeUnknown { node }),
];

/// By how those go on that begin with a node's name.
const OF_NODE: [Of; 4] = [
    ("is unresponsive as of ", |node| Said::NodeUnknown { node }),
    ("is NotReady as of ", |node| Said::FoundNotReady { node }),
    ("is healthy again", |node| Said::NodeReady { node }),
    ("is ready again", |node| Said::NodeReady { node }),
];

/// What a sentence says of a pod and a node.
type OfBoth = (&'static str, &'static str, &'static str, fn(String, String) -> Said);

/// By what stands before a pod, between it and a node, and behind that.
const OF_BOTH: [OfBoth; 2] = [
    ("Found orphaned Pod ", " assigned to the Node ", ". Deleting", |pod, node| Said::Orphaned {
        pod,
        node,
    }),
    ("pod ", " is bound successfully on node ", ",", |pod, node| Said::Bound { pod, node }),
];

fn by_somebody(node: String) -> Said {
    Said::NodeDeleted { node, by: SOMEBODY.to_owned() }
}

fn by_cloud(node: String) -> Said {
    Said::NodeDeleted { node, by: CLOUD.to_owned() }
}

/// `kube-system/kube-controller-manager`
fn leads(lease: String) -> Said {
    Said::Leader { component: lease.rsplit('/').next().unwrap_or(&lease).to_owned() }
}

/// Sentences of releases before structured logs, and messages of client-go, which never have it.
fn unstructured(message: &str) -> Option<Said> {
    let said = |all: &[Of], words: &str, name: &str| {
        let of = all.iter().find(|(begin, _)| words.starts_with(begin));
        of.map(|(_, of)| of(name.trim_matches(['.', '"']).to_owned()))
    };
    let of_last = said(&OF_LAST, message, message.rsplit(' ').next()?);
    let node = message.strip_prefix("Node ").and_then(|rest| rest.split_once(' '));
    let of_node = || node.and_then(|(node, rest)| said(&OF_NODE, rest, node));
    if let Some(said) = of_last.or_else(of_node) {
        return Some(said);
    }
    for (before, between, behind, of) in OF_BOTH {
        let both = message.strip_prefix(before).and_then(|rest| rest.split_once(between));
        // Up to 1.12 an orphan's namespace is not told.
        if let Some((pod, rest)) = both.filter(|(pod, _)| pod.contains('/')) {
            let node = rest.split(behind).next()?.trim_matches('"');
            return Some(of(pod.to_owned(), node.to_owned()));
        }
    }
    if let Some(rest) = message.strip_prefix("Adding TimedWorkerQueue item ") {
        let (pod, times) = rest.split_once(" at ")?;
        let (created, fired) = times.split_once(" to be fired at ")?;
        return Some(timer(pod.to_owned(), created, fired));
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

/// Of values in JSON the times are not known: each is when the line was written (`epochMillisTimeEncoder`).
fn timer(pod: String, created: &str, fired: &str) -> Said {
    let us = go_time(fired).zip(go_time(created)).map(|(to, from)| to.0.saturating_sub(from.0));
    Said::TimerSet { pod, seconds: us.map(|us| us.saturating_add(500_000) / 1_000_000) }
}

/// `2000-01-01 00:06:45.100001001 +0000 UTC m=+0.1`
fn go_time(text: &str) -> Option<Stamp> {
    let (time, _) = DateTime::parse_and_remainder(text, "%F %T%.f %z").ok()?;
    Some(Stamp(time.timestamp_micros()))
}
