//! Events, as far as they tell what controllers remember: the scheduler's tries, and when the node
//! lifecycle controller passed over its nodes.

use super::fields::Fields;
use super::times::{SECOND_US, Stamp, parse_time};
use crate::language::duration::parse_signed;
use serde_json::Value;

/// What the node lifecycle controller says of nodes and their pods while it passes over them
/// (`monitorNodeHealth`).
const OF_PASSES: [&str; 3] = ["RegisteredNode", "NodeNotReady", "RemovingNode"];

/// The fields of an event that are read, beside its kind and name.
pub(super) const EVENT_FIELDS: [&str; 15] = [
    "involvedObject",
    "regarding",
    "reason",
    "message",
    "series",
    "count",
    "deprecatedCount",
    "lastTimestamp",
    "deprecatedLastTimestamp",
    "eventTime",
    "firstTimestamp",
    "source",
    "deprecatedSource",
    "reportingComponent",
    "reportingController",
];

/// What an event tells of a pod's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PodStep {
    /// The scheduler bound it.
    Scheduled,
    /// Its kubelet has the image of a container of it: the pull took so many microseconds, without and with
    /// its wait, and none where the node had it.
    Pulled(i64, i64),
    /// Its kubelet started a container of it.
    Started,
    /// Its kubelet stops a container of it, as it is being deleted.
    Killing,
}

/// The name of an event and its fields, of both groups.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RawEvent {
    pub(super) name: String,
    pub(super) fields: Fields,
}

impl RawEvent {
    fn field(&self, name: &str) -> &Value {
        self.fields.get(name).unwrap_or(&Value::Null)
    }

    /// The pod that it is about, if it is about one.
    fn pod(&self) -> Option<String> {
        let about = about(|name| self.field(name));
        let name = about["name"].as_str().filter(|_| about["kind"] == "Pod")?;
        Some(format!("{}/{name}", about["namespace"].as_str().unwrap_or("default")))
    }

    /// When it came last, and how often it came.
    fn last(&self) -> Option<(Stamp, u64)> {
        let series = self.field("series");
        let counts = [self.field("count"), self.field("deprecatedCount"), &series["count"]];
        let count = counts.iter().filter_map(|c| c.as_u64()).max();
        let times = [
            &series["lastObservedTime"],
            self.field("lastTimestamp"),
            self.field("deprecatedLastTimestamp"),
            self.field("eventTime"),
            self.field("firstTimestamp"),
        ];
        let last = times.iter().filter_map(|t| parse_time(t.as_str()?)).max()?;
        Some((last, count.unwrap_or(1)))
    }

    /// Of one that tells of a pod's life: the pod, what, and when last.
    pub(super) fn of_life(&self) -> Option<(String, PodStep, Stamp)> {
        let message = || self.field("message").as_str().unwrap_or_default();
        let step = match self.field("reason").as_str()? {
            "Scheduled" => PodStep::Scheduled,
            "Started" => PodStep::Started,
            "Pulled" => {
                let (took, waited) = pull(message())?;
                PodStep::Pulled(took, waited)
            }
            "Killing" if message().starts_with("Stopping container") => PodStep::Killing,
            _ => return None,
        };
        let (pod, (last, _)) = (self.pod()?, self.last()?);
        Some((pod, step, made(&self.name, last).unwrap_or(last)))
    }

    /// Of one that says that the scheduler found no node for a pod: the pod, how often it says so,
    /// and when last.
    pub(super) fn failed_scheduling(&self) -> Option<(String, u32, Stamp)> {
        if self.field("reason") != "FailedScheduling" {
            return None;
        }
        let (pod, (last, count)) = (self.pod()?, self.last()?);
        Some((pod, u32::try_from(count).unwrap_or(u32::MAX).max(1), last))
    }

    /// Of one that the node lifecycle controller made in a pass: when, at the latest.
    pub(super) fn passed(&self) -> Option<Stamp> {
        let is_of_pass = OF_PASSES.iter().any(|r| self.field("reason") == r);
        if !is_of_pass || component(|name| self.field(name)) != "node-controller" {
            return None;
        }
        let (last, _) = self.last()?;
        Some(made(&self.name, last).unwrap_or(last))
    }
}

/// What an event of either group is about, by its fields.
pub(crate) fn about<'v>(field: impl Fn(&str) -> &'v Value) -> &'v Value {
    let about = field("involvedObject");
    if about.is_null() { field("regarding") } else { about }
}

/// Which component says it, in either group; nothing where none is named.
pub(crate) fn component<'v>(field: impl Fn(&str) -> &'v Value) -> &'v str {
    let all = [
        &field("source")["component"],
        &field("deprecatedSource")["component"],
        field("reportingComponent"),
        field("reportingController"),
    ];
    all.into_iter().filter_map(Value::as_str).find(|t| !t.is_empty()).unwrap_or_default()
}

/// How long a pull took by what the event Pulled says (`pkg/kubelet/images/image_manager.go`,
/// `pullImage`): `Successfully pulled image "web" in 5.2s (5.3s including waiting). Image size: …`,
/// in older releases without what was waited. In microseconds, without and with that.
fn pull(message: &str) -> Option<(i64, i64)> {
    if message.contains("already present on machine") {
        return Some((0, 0));
    }
    let (_, spans) = message.strip_prefix("Successfully pulled image ")?.rsplit_once("\" in ")?;
    let waited = spans.split_once(" (").and_then(|(_, rest)| rest.split_once(" including waiting"));
    let micros = |span: &str| Some((parse_signed(span).ok()? / 1_000).max(1));
    let took = micros(spans.split(' ').next()?.trim_end_matches('.'))?;
    Some((took, waited.map_or(Some(took), |(span, _)| micros(span))?))
}

/// The time of an event's making by its name, if that is within the second that it states: the
/// recorder of client-go ends the name with the nanoseconds, in hexadecimal
/// (`tools/record/event.go: makeEvent`).
pub(crate) fn made(name: &str, stated: Stamp) -> Option<Stamp> {
    let (_, hex) = name.rsplit_once('.')?;
    let made = Stamp(i64::from_str_radix(hex, 16).ok()? / 1_000);
    (0..SECOND_US).contains(&made.us_since(stated)).then_some(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// As a real cluster (v1.34) has it: made at 04:40:51.178431.
    fn registered() -> Value {
        json!({"reason": "RegisteredNode", "source": {"component": "node-controller"}, "count": 1,
            "involvedObject": {"kind": "Node", "name": "cp-1"},
            "firstTimestamp": "2026-11-20T04:40:51Z", "lastTimestamp": "2026-11-20T04:40:51Z"})
    }

    fn event(name: &str, fields: &Value) -> RawEvent {
        let known = EVENT_FIELDS.iter().map(|f| (*f, fields[*f].clone()));
        let there = known.filter(|(_, v)| !v.is_null());
        RawEvent { name: name.to_owned(), fields: there.collect() }
    }

    #[test]
    fn what_a_pull_took_waiting_included() {
        let said = "Successfully pulled image \"r/web:1 in 2\" in 5.2s (1m5.3s including waiting)";
        let both = Some((5_200_000, 65_300_000));
        assert_eq!(pull(said), both);
        assert_eq!(pull(&format!("{said}. Image size: 12 bytes.")), both);
        assert_eq!(
            pull("Successfully pulled image \"web\" in 345.6789ms"),
            Some((345_678, 345_678))
        );
        assert_eq!(pull("Container image \"web\" already present on machine"), Some((0, 0)));
        assert_eq!(pull("Successfully pulled image \"web\""), None);
    }

    #[test]
    fn a_pass_is_told_by_what_the_controller_says_in_it() {
        let second = parse_time("2026-11-20T04:40:51Z").unwrap();
        let name = format!("cp-1.{:x}", (second.0 + 178_431) * 1_000);
        assert_eq!(event(&name, &registered()).passed(), Some(Stamp(second.0 + 178_431)));
        // One that came again came in the second that it says.
        let mut again = registered();
        again["count"] = 2.into();
        again["lastTimestamp"] = "2026-11-20T04:41:51Z".into();
        assert_eq!(event(&name, &again).passed(), Some(Stamp(second.0 + 60_000_000)));
        // events.k8s.io/v1
        let new = json!({"reason": "NodeNotReady", "reportingController": "node-controller",
            "regarding": {"kind": "Pod", "name": "web-1"}, "eventTime": "2026-11-20T04:40:51.250000Z"});
        assert_eq!(event("x", &new).passed(), Some(Stamp(second.0 + 250_000)));
        let mut others = registered();
        others["source"]["component"] = "kubelet".into();
        assert_eq!(event(&name, &others).passed(), None);
        others = registered();
        others["reason"] = "Starting".into();
        assert_eq!(event(&name, &others).passed(), None);
    }
}
