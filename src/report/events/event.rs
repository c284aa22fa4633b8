//! Events: which text one has, and about which object it is.

use super::line::{Line, node_of, pod_of};
use crate::api::names::{Names, NodeId, PodId, WorkloadId};
use crate::api::workload::namespace_of;
use crate::trace::{EventBody, EventText, Message, Trace, What, event_message, event_reason};

/// What begins the message of an event that stands for several.
const COMBINED: &str = "(combined from similar events): ";

/// The object of an event.
enum About {
    Node(NodeId),
    Pod(PodId),
    Workload(WorkloadId),
}

/// An event: which text it is follows from reason and message, as those of a text are always the
/// same.
pub(super) fn event(line: &Line, trace: &mut Trace) -> Result<(u32, What), String> {
    let full = line.object.as_deref().ok_or("`object` is missing")?;
    let (reason, message) =
        (line.reason.as_deref().unwrap_or(""), line.message.as_deref().unwrap_or(""));
    let (combined, message) =
        message.strip_prefix(COMBINED).map_or((false, message), |rest| (true, rest));
    let count = line.count.unwrap_or(1);
    let (about, name) = about(full, &trace.names)?;
    let body = EventText::all()
        .filter(|t| event_reason(*t, name) == reason)
        .filter_map(|text| body(text, full, name, message, &trace.names))
        .next()
        .ok_or_else(|| format!("there is no event {reason} {message:?}"))?;
    let mut told = || {
        trace.messages.push(Message { body, combined, count });
        trace.messages.len() as u32 - 1
    };
    Ok(match about {
        About::Node(id) => (id.0, What::NodeEvent(body.text, combined, count)),
        About::Pod(id) if body.arg == EventBody::NO_ARG => {
            (id.0, What::PodEvent(body.text, combined, count))
        }
        About::Pod(id) => (id.0, What::PodMessage(told())),
        About::Workload(id) => (id.0, What::WorkloadMessage(told())),
    })
}

/// The object of an event, with its name: `Node/NAME`, `Pod/NAMESPACE/NAME`, or a workload.
fn about<'n>(full: &'n str, names: &Names) -> Result<(About, &'n str), String> {
    Ok(match full.split_once('/') {
        Some(("Node", name)) => (About::Node(node_of(names, Some(name))?), name),
        Some(("Pod", name)) => (About::Pod(pod_of(names, Some(name))?), name),
        _ => (
            About::Workload(
                names
                    .find_workload(full)
                    .ok_or_else(|| format!("`{full}` is no name of this run"))?,
            ),
            full,
        ),
    })
}

/// The event with a text, if its message is this one.
fn body(
    text: EventText,
    full: &str,
    name: &str,
    message: &str,
    names: &Names,
) -> Option<EventBody> {
    let pod = |prefix| {
        names.find_pod(&format!("{}/{}", namespace_of(full), message.strip_prefix(prefix)?))
    };
    let body = match text {
        EventText::CreatedPod => EventBody::of_pod(text, pod("Created pod: ")?),
        EventText::DeletedPod => EventBody::of_pod(text, pod("Deleted pod: ")?),
        EventText::Scheduled => {
            EventBody::of_node(text, names.find_node(message.rsplit_once(" to ")?.1)?)
        }
        EventText::NodeControllerEviction => {
            EventBody::of_node(text, names.find_node(message.rsplit_once(" from Node ")?.1)?)
        }
        _ if text.has_words() => EventBody::of_words(text, names.find_text(message)?),
        _ => text.into(),
    };
    (event_message(body, name, names) == message).then_some(body)
}
