//! What each record makes the controllers say: message, level, file and line, in the words of the
//! release.

use super::Batch;
use super::format::{
    Severity, Timed, Value, go_duration, go_time, header, structured, taints_fields, taints_json,
    taints_plain, taints_pointers,
};
use crate::analysis::Analysis;
use crate::analysis::state::{Follow, NO_NODE, Step};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
use crate::api::node::{NodeConditionType, NodeReason};
use crate::api::pod::PodConditionType;
use crate::api::taint::{Effect, NOT_READY, Taint, UNREACHABLE};
use crate::api::workload::short_name;
use crate::kernel::{Dur, Time};
use crate::plan::log_forms::{EvictionLog, LogForms, WorkerLog};
use crate::plan::switches::taint_eviction::FinishedEntry;
use crate::trace::{Actor, EventText, Note, Record, What};
use std::collections::{BTreeMap, BTreeSet};

/// Files of upstream.
const LIFECYCLE: &str = "node_lifecycle_controller.go";
const HELPERS: &str = "controller_utils.go";
const WORKERS: &str = "timed_workers.go";

/// A log while it is written.
pub(super) struct Log<'a> {
    analysis: &'a Analysis<'a>,
    forms: LogForms,
    level: u8,
    /// What is written so far and not handed on.
    pub(super) text: String,
    /// Status and reason of each node's conditions, where a record told of it.
    conditions: BTreeMap<(u32, NodeConditionType), (ConditionStatus, NodeReason)>,
    /// Pods whose eviction ended well and left an entry.
    entries: BTreeSet<u32>,
    /// All zones are fully disrupted; or, since when that is over.
    dark: bool,
    light_since: Option<Time>,
    /// When the node lifecycle controller wrote a taint.
    written: BTreeMap<(u32, String, Effect), Time>,
}

/// Keys and values behind a message, or free words; each with its file and line.
type Form<'f> = Result<(Place<'f>, &'f str, &'f [(&'f str, Value)]), (Place<'f>, String)>;
/// A file and the number of a line.
type Place<'f> = (&'f str, u32);

/// A text.
fn text(value: impl Into<String>) -> Value {
    Value::Text(value.into())
}

impl<'a> Log<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>, level: u8) -> Self {
        let forms = analysis.plan.profile.log;
        Log {
            analysis,
            forms,
            level,
            text: String::new(),
            conditions: BTreeMap::new(),
            entries: BTreeSet::new(),
            dark: false,
            light_since: None,
            written: BTreeMap::new(),
        }
    }

    fn line(&mut self, at: Time, level: u8, severity: Severity, place: (&str, u32), message: &str) {
        if level <= self.level {
            self.text.push_str(&header(at, severity, place));
            self.text.push_str(message);
            self.text.push('\n');
        }
    }

    /// In one of two forms: keys and values, or free words; each with its place.
    fn say(&mut self, at: Time, level: u8, form: Form<'_>) {
        if level > self.level {
            return;
        }
        match form {
            Ok((place, message, values)) => self.line(
                at,
                level,
                Severity::Info,
                place,
                &structured(message, values),
            ),
            Err((place, words)) => self.line(at, level, Severity::Info, place, &words),
        }
    }

    fn node(&self, id: u32) -> &'a str {
        self.analysis.node_name(NodeId(id))
    }

    fn pod(&self, id: u32) -> &'a str {
        self.analysis.pod_name(PodId(id))
    }

    /// The file of the taint eviction controller, and the number of a line there: of 1.34, of 1.26,
    /// of 1.20.
    fn eviction_place(&self, lines: [u32; 3]) -> (&'static str, u32) {
        match self.forms.taint_eviction {
            EvictionLog::OwnController => ("taint_eviction.go", lines[0]),
            EvictionLog::Structured => ("taint_manager.go", lines[1]),
            EvictionLog::Printf => ("taint_manager.go", lines[2]),
        }
    }

    /// What the taint eviction controller says, in either form.
    fn eviction(
        &mut self,
        at: Time,
        level: u8,
        lines: [u32; 3],
        message: &str,
        values: &[(&str, Value)],
        words: String,
    ) {
        let place = self.eviction_place(lines);
        let structured = self.forms.taint_eviction != EvictionLog::Printf;
        self.say(
            at,
            level,
            if structured {
                Ok((place, message, values))
            } else {
                Err((place, words))
            },
        );
    }

    /// What the node lifecycle controller says, in either form.
    fn lifecycle(
        &mut self,
        at: Time,
        level: u8,
        lines: [u32; 2],
        message: &str,
        values: &[(&str, Value)],
        words: String,
    ) {
        let structured = self.forms.node_lifecycle;
        self.say(
            at,
            level,
            if structured {
                Ok(((LIFECYCLE, lines[0]), message, values))
            } else {
                Err(((LIFECYCLE, lines[1]), words))
            },
        );
    }

    /// What the helpers of node controllers say, in either form.
    fn helper(
        &mut self,
        at: Time,
        level: u8,
        lines: [u32; 2],
        message: &str,
        values: &[(&str, Value)],
        words: String,
    ) {
        let structured = self.forms.node_helpers;
        self.say(
            at,
            level,
            if structured {
                Ok(((HELPERS, lines[0]), message, values))
            } else {
                Err(((HELPERS, lines[1]), words))
            },
        );
    }

    /// Taints with the times at which they were written to a node.
    fn timed(&self, node: u32, taints: &'a [Taint]) -> Vec<Timed<'a>> {
        taints
            .iter()
            .map(|t| {
                (
                    t,
                    self.written.get(&(node, t.key.clone(), t.effect)).copied(),
                )
            })
            .collect()
    }

    fn json(&self, taints: &[Timed<'_>], otherwise: fn(&[Timed<'_>]) -> String) -> Value {
        Value::Raw(if self.forms.node_lifecycle {
            taints_json(taints)
        } else {
            otherwise(taints)
        })
    }

    /// A list of taints that nobody made if it is empty.
    fn pointers(&self, taints: &[Timed<'_>]) -> Value {
        if taints.is_empty() && self.forms.node_lifecycle {
            Value::Raw("null".to_owned())
        } else {
            self.json(taints, taints_pointers)
        }
    }

    /// What a record makes the controllers say.
    pub(super) fn record(&mut self, r: &Record, step: &Step) {
        match (r.what, r.actor) {
            (What::Noted(note, arg), _) => self.noted(r, note, arg, step),
            (What::TimerSet(seconds), _) => self.timer_set(r, seconds),
            (What::TimerCancelled, _) => self.timer_cancelled(r),
            (What::PodDeleting(_), Actor::TaintEviction) => self.worker_finished(r),
            (What::EvictionFailed, _) if self.forms.timed_workers != WorkerLog::Printf => {
                let line = "\"TaintEvictionController: timed worker failed\" err=\"the server did not answer\"";
                self.line(r.at, 0, Severity::Error, (WORKERS, 67), line);
            }
            (What::NodeQueued, _) => self.queued(r),
            (What::PodGone, actor) => {
                if actor == Actor::PodGc {
                    self.collected(r, step);
                }
                let pod = self.pod(r.object);
                let words = format!("Noticed pod deletion: types.NamespacedName{{{pod}}}");
                self.eviction(
                    r.at,
                    4,
                    [500, 417, 385],
                    "Noticed pod deletion",
                    &[("pod", text(pod))],
                    words,
                );
                if self.entries.remove(&r.object) {
                    self.timer_cancelled(r);
                }
            }
            (What::PodCreated(_) | What::PodTolerations, _) if r.at > Time::ZERO => {
                self.pod_noticed(r)
            }
            (What::NodeTaints(change), Actor::NodeLifecycle) => self.tainted(r, change),
            (What::NodeCondition(kind, status, reason), _) => {
                self.conditions.insert((r.object, kind), (status, reason));
            }
            (
                What::PodCondition(PodConditionType::Ready, ConditionStatus::False, _),
                Actor::NodeLifecycle,
            ) => {
                let pod = self.pod(r.object);
                let name = if self.forms.node_lifecycle {
                    pod
                } else {
                    short_name(pod)
                };
                let words = format!("Updating ready status of pod {name} to false");
                self.helper(
                    r.at,
                    2,
                    [144, 140],
                    "Updating ready status of pod to false",
                    &[("pod", text(name))],
                    words,
                );
            }
            // What zones become with the beginning and the end of master disruption is not told.
            (What::Zone(_), _)
                if self.dark
                    || self
                        .light_since
                        .is_some_and(|at| r.at.since(at) < Dur::from_secs(1)) => {}
            (What::Zone(state), _) => {
                let zone = self.analysis.trace.names.text_of(TextId(r.object));
                let words = format!(
                    "Controller detected that zone {zone} is now in state {}.",
                    state.as_str()
                );
                let values = [("zone", text(zone)), ("newState", text(state.as_str()))];
                self.lifecycle(
                    r.at,
                    0,
                    [1067, 1254],
                    "Controller detected that zone is now in new state",
                    &values,
                    words,
                );
            }
            (What::MasterDisruptionEntered, _) => {
                self.dark = true;
                let message = "Controller detected that all Nodes are not-Ready. Entering master disruption mode";
                self.lifecycle(r.at, 0, [1025, 1204], message, &[], format!("{message}."));
            }
            (What::MasterDisruptionLeft, _) => {
                (self.dark, self.light_since) = (false, Some(r.at));
                let message =
                    "Controller detected that some Nodes are Ready. Exiting master disruption mode";
                self.lifecycle(r.at, 0, [1044, 1231], message, &[], format!("{message}."));
            }
            (What::NodeEvent(event, ..), Actor::NodeLifecycle) => {
                self.node_event(r, event);
                self.event(r);
            }
            (What::PodBound(node), actor) => {
                if actor == Actor::Scheduler {
                    self.bound(r, node);
                }
                self.pod_noticed(r);
            }
            (What::PodMessage(message), Actor::Scheduler) => self.unschedulable(r, message),
            (What::PodDeleting(_), Actor::PodGc) => self.collected(r, step),
            (
                What::NodeEvent(..)
                | What::PodEvent(..)
                | What::PodMessage(_)
                | What::WorkloadMessage(_),
                actor,
            ) if !matches!(actor, Actor::Scheduler | Actor::Kubelet) => {
                self.event(r);
            }
            _ => {}
        }
    }

    fn noted(&mut self, r: &Record, note: Note, arg: u32, step: &Step) {
        match note {
            Note::NodeExpired => self.expired(r, arg),
            Note::LastHeartbeat => {}
            Note::ZoneQueue => {
                let zone = self.analysis.trace.names.text_of(TextId(r.object));
                let words = format!("Initializing eviction metric for zone: {zone}");
                self.lifecycle(
                    r.at,
                    0,
                    [1221, 1438],
                    "Initializing eviction metric for zone",
                    &[("zone", text(zone))],
                    words,
                );
            }
            Note::TaintsKnown => {
                let analysis = self.analysis;
                let taints = analysis
                    .trace
                    .taints
                    .get(arg as usize)
                    .map_or(&[][..], |c| &c.added);
                self.known(r, taints);
            }
            Note::TaintsGone => {
                self.known(r, &[]);
                if arg != 0 {
                    let node = self.node(r.object);
                    let message =
                        "All taints were removed from the node. Cancelling all evictions...";
                    let words = format!(
                        "All taints were removed from the Node {node}. Cancelling all evictions..."
                    );
                    self.eviction(
                        r.at,
                        4,
                        [577, 493, 461],
                        message,
                        &[("node", text(node))],
                        words,
                    );
                }
            }
            Note::NotTolerated => {
                let pod = self.pod(r.object);
                let node = step
                    .pod
                    .and_then(|(_, before, _)| before.node_id())
                    .map_or("", |n| self.node(n.0));
                let words =
                    format!("Not all taints are tolerated after update for Pod {pod} on {node}");
                let message = "Not all taints are tolerated after update for pod on node";
                self.eviction(
                    r.at,
                    2,
                    [466, 384, 352],
                    message,
                    &[("pod", text(pod)), ("node", text(node))],
                    words,
                );
            }
            Note::ToleratesForever => {
                let pod = self.pod(r.object);
                let message = "Current tolerations for pod tolerate forever, cancelling any scheduled deletion";
                let words = if self.forms.forever_cancelling {
                    format!(
                        "Current tolerations for {pod} tolerate forever, cancelling any scheduled deletion."
                    )
                } else {
                    format!(
                        "New tolerations for {pod} tolerate forever. Scheduled deletion won't be cancelled if already scheduled."
                    )
                };
                self.eviction(
                    r.at,
                    4,
                    [475, 393, 361],
                    message,
                    &[("pod", text(pod))],
                    words,
                );
            }
            Note::WorkExists => self.work_exists(r),
        }
    }

    fn known(&mut self, r: &Record, taints: &'a [Taint]) {
        let node = self.node(r.object);
        let timed = self.timed(r.object, taints);
        let words = format!("Noticed node update: scheduler.nodeUpdateItem{{nodeName:{node:?}}}");
        let noticed = if self.forms.node_lifecycle {
            text(node)
        } else {
            Value::Raw(format!("{{nodeName:{node}}}"))
        };
        self.eviction(
            r.at,
            4,
            [551, 467, 435],
            "Noticed node update",
            &[("node", noticed)],
            words,
        );
        let words = format!(
            "Updating known taints on node {node}: {}",
            taints_plain(&timed)
        );
        let values = [
            ("node", text(node)),
            ("taints", self.json(&timed, taints_fields)),
        ];
        self.eviction(
            r.at,
            4,
            [556, 472, 440],
            "Updating known taints on node",
            &values,
            words,
        );
    }

    /// The taint eviction controller looks at a pod.
    fn pod_noticed(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let words = format!("Noticed pod update: types.NamespacedName{{{pod}}}");
        self.eviction(
            r.at,
            4,
            [515, 432, 400],
            "Noticed pod update",
            &[("pod", text(pod))],
            words,
        );
    }

    fn timer_set(&mut self, r: &Record, seconds: u32) {
        let pod = self.pod(r.object);
        let (from, to) = (
            go_time(r.at),
            go_time(r.at.saturating_add(Dur::from_secs(seconds.into()))),
        );
        let words = format!("Adding TimedWorkerQueue item {pod} at {from} to be fired at {to}");
        let values = [
            ("item", text(pod)),
            ("createTime", text(from)),
            ("firedTime", text(to)),
        ];
        self.worker(
            r.at,
            [136, 123, 119],
            "Adding TimedWorkerQueue item and to be fired at firedTime",
            &values,
            words,
        );
    }

    fn timer_cancelled(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let now = go_time(r.at);
        let words = format!("Cancelling TimedWorkerQueue item {pod} at {now}");
        self.worker(
            r.at,
            [175, 142, 138],
            "Cancelling TimedWorkerQueue item",
            &[("item", text(pod)), ("time", text(now))],
            words,
        );
    }

    /// What timed workers say at level 4; the numbers of lines are of 1.34, of 1.32, of 1.26.
    fn worker(
        &mut self,
        at: Time,
        lines: [u32; 3],
        message: &str,
        values: &[(&str, Value)],
        words: String,
    ) {
        match self.forms.timed_workers {
            WorkerLog::EachStep => self.say(at, 4, Ok(((WORKERS, lines[0]), message, values))),
            WorkerLog::Structured => self.say(at, 4, Ok(((WORKERS, lines[1]), message, values))),
            WorkerLog::Printf => self.say(at, 4, Err(((WORKERS, lines[2]), words))),
        }
    }

    fn work_exists(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let (namespace, name) = pod.split_once('/').unwrap_or(("", pod));
        match self.forms.timed_workers {
            WorkerLog::EachStep => {
                let values = [("item", text(pod)), ("createTime", text(go_time(r.at)))];
                self.say(
                    r.at,
                    4,
                    Ok((
                        (WORKERS, 133),
                        "Trying to add already existing work, skipping",
                        &values,
                    )),
                );
            }
            WorkerLog::Structured => {
                let args = format!(
                    "{{\"NamespacedName\":{{\"Namespace\":{namespace:?},\"Name\":{name:?}}}}}"
                );
                self.say(
                    r.at,
                    0,
                    Ok((
                        (WORKERS, 128),
                        "Trying to add already existing work, skipping",
                        &[("args", Value::Raw(args))],
                    )),
                );
            }
            WorkerLog::Printf => {
                let words = format!(
                    "Trying to add already existing work for &{{NamespacedName:{pod}}}. Skipping."
                );
                self.line(r.at, 0, Severity::Warning, (WORKERS, 124), &words);
            }
        }
    }

    /// A timer ran out, and its pod's deletion begins.
    pub(super) fn fired(&mut self, at: Time, id: u32) {
        let pod = self.pod(id);
        if self.forms.timed_workers == WorkerLog::EachStep {
            self.say(
                at,
                4,
                Ok((
                    (WORKERS, 113),
                    "Firing worker",
                    &[("item", text(pod)), ("firedTime", text(go_time(at)))],
                )),
            );
        }
        if self.forms.taint_eviction == EvictionLog::OwnController {
            let values = [
                ("controller", text("taint-eviction-controller")),
                ("pod", text(pod)),
            ];
            self.say(
                at,
                0,
                Ok((("taint_eviction.go", 111), "Deleting pod", &values)),
            );
        } else {
            let words = format!("NoExecuteTaintManager is deleting Pod: {pod}");
            self.eviction(
                at,
                0,
                [0, 106, 106],
                "NoExecuteTaintManager is deleting pod",
                &[("pod", text(pod))],
                words,
            );
        }
    }

    fn worker_finished(&mut self, r: &Record) {
        if self.analysis.plan.profile.taint_eviction.finished_entry == FinishedEntry::Nil {
            self.entries.insert(r.object);
        }
        if self.forms.timed_workers == WorkerLog::EachStep {
            let values = [
                ("item", text(self.pod(r.object))),
                ("err", Value::Raw("null".to_owned())),
            ];
            self.say(
                r.at,
                4,
                Ok(((WORKERS, 117), "Worker finished, removing", &values)),
            );
        }
    }

    /// The conditions that are set to Unknown, each with how long nothing was heard.
    fn expired(&mut self, r: &Record, ms: u32) {
        let switches = &self.analysis.plan.profile.node_lifecycle;
        let node = self.node(r.object);
        let duration = go_duration(Dur::from_millis(ms.into()));
        let level = if self.forms.expired_at_2 { 2 } else { 4 };
        let kinds = [
            (NodeConditionType::Ready, true),
            (NodeConditionType::OutOfDisk, switches.out_of_disk),
            (NodeConditionType::MemoryPressure, true),
            (NodeConditionType::DiskPressure, true),
            (
                NodeConditionType::PidPressure,
                switches.pid_pressure_unknown,
            ),
        ];
        for (kind, _) in kinds.into_iter().filter(|k| k.1) {
            let healthy = if kind == NodeConditionType::Ready {
                ConditionStatus::True
            } else {
                ConditionStatus::False
            };
            let (status, reason) = self
                .conditions
                .get(&(r.object, kind))
                .copied()
                .unwrap_or_else(|| (healthy, NodeReason::of_kubelet(kind, healthy)));
            let condition = format!(
                "&NodeCondition{{Type:{},Status:{status},Reason:{},}}",
                kind.as_str(),
                reason.as_str()
            );
            let words = format!(
                "node {node} hasn't been updated for {duration}. Last {} is: {condition}",
                kind.as_str()
            );
            let values = [
                ("node", text(node)),
                ("duration", text(duration.clone())),
                ("nodeConditionType", text(kind.as_str())),
                ("currentCondition", text(condition)),
            ];
            self.lifecycle(
                r.at,
                level,
                [952, 1132],
                "Node hasn't been updated",
                &values,
                words,
            );
        }
    }

    fn queued(&mut self, r: &Record) {
        let node = self.node(r.object);
        let not_ready = self
            .conditions
            .get(&(r.object, NodeConditionType::Ready))
            .is_some_and(|c| c.0 == ConditionStatus::False);
        let now = go_time(r.at);
        let (what, lines) = if not_ready {
            ("NotReady", [781, 909])
        } else {
            ("unresponsive", [791, 922])
        };
        let words = format!("Node {node} is {what} as of {now}. Adding it to the Taint queue.");
        let message = if not_ready {
            "Node is NotReady. Adding it to the Taint queue"
        } else {
            "Node is unresponsive. Adding it to the Taint queue"
        };
        self.lifecycle(
            r.at,
            2,
            lines,
            message,
            &[("node", text(node)), ("timeStamp", text(now))],
            words,
        );
    }

    fn tainted(&mut self, r: &Record, change: u32) {
        let analysis = self.analysis;
        let Some(change) = analysis.trace.taints.get(change as usize) else {
            return;
        };
        let node = self.node(r.object);
        for t in &change.added {
            self.written
                .insert((r.object, t.key.clone(), t.effect), r.at);
        }
        let (added, mut removed) = (
            self.timed(r.object, &change.added),
            self.timed(r.object, &change.removed),
        );
        // What was read from the API has no fraction of a second.
        removed
            .iter_mut()
            .for_each(|t| t.1 = t.1.map(|at| Time::from_secs(at.as_secs())));
        let no_execute =
            |taints: &[Timed<'_>]| taints.iter().any(|t| t.0.effect == Effect::NoExecute);
        if added.is_empty() && no_execute(&removed) {
            let ready = self
                .conditions
                .get(&(r.object, NodeConditionType::Ready))
                .is_none_or(|c| c.0 == ConditionStatus::True);
            // Taints also come off when all zones are dark, which is not told of each node.
            if !ready {
                return;
            }
            let verb = if self.forms.healthy_removed {
                "removed"
            } else {
                "removing"
            };
            let words = format!("Node {node} is healthy again, removing all taints");
            self.lifecycle(
                r.at,
                2,
                [799, 933],
                &format!("Node is healthy again, {verb} all taints"),
                &[("node", text(node))],
                words,
            );
        } else {
            // The opposite taint is taken off whether it is there or not.
            let opposite = match change
                .added
                .iter()
                .find(|t| t.effect == Effect::NoExecute)
                .map(|t| t.key.as_str())
            {
                Some(UNREACHABLE) => Some(Taint::new(NOT_READY, Effect::NoExecute)),
                Some(NOT_READY) => Some(Taint::new(UNREACHABLE, Effect::NoExecute)),
                _ => None,
            };
            if let Some(opposite) = opposite.as_ref().filter(|_| removed.is_empty()) {
                removed.push((opposite, None));
            }
            let words = format!("Added {} Taint to Node {node}", taints_pointers(&added));
            let values = [("taint", self.pointers(&added)), ("node", text(node))];
            self.helper(r.at, 4, [211, 209], "Added taint to node", &values, words);
            let words = format!(
                "Made sure that Node {node} has no {} Taint",
                taints_pointers(&removed)
            );
            let values = [("node", text(node)), ("taint", self.pointers(&removed))];
            self.helper(
                r.at,
                4,
                [223, 221],
                "Made sure that node has no taint",
                &values,
                words,
            );
        }
        for t in &change.removed {
            self.written.remove(&(r.object, t.key.clone(), t.effect));
        }
    }

    /// The pods of a node are about to be set to not Ready; `r` is the record of the first one, or
    /// of the node's event.
    pub(super) fn marking(&mut self, r: &Record, follow: &Follow<'_>) {
        let node = r.pod().map_or(r.object, |pod| follow.pod(pod).node);
        if node != NO_NODE {
            let node = self.node(node);
            let words = format!("Update ready status of pods on node [{node}]");
            self.helper(
                r.at,
                2,
                [123, 122],
                "Update ready status of pods on node",
                &[("node", text(node))],
                words,
            );
        }
    }

    fn node_event(&mut self, r: &Record, event: EventText) {
        let node = self.node(r.object);
        match event {
            EventText::RegisteredNode => {
                let words = format!("Controller observed a new Node: {node:?}");
                self.lifecycle(
                    r.at,
                    1,
                    [675, 810],
                    "Controller observed a new Node",
                    &[("node", text(node))],
                    words,
                );
            }
            EventText::RemovingNode => {
                let words = format!("Controller observed a Node deletion: {node}");
                self.lifecycle(
                    r.at,
                    1,
                    [683, 822],
                    "Controller observed a Node deletion",
                    &[("node", text(node))],
                    words,
                );
            }
            _ => {}
        }
        if event == EventText::NodeNotReady {
            let words =
                format!("Recording status change NodeNotReady event message for node {node}");
            let values = [("status", text("NodeNotReady")), ("node", text(node))];
            self.helper(
                r.at,
                2,
                [186, 185],
                "Recording status change event message for node",
                &values,
                words,
            );
        } else {
            let fields = self.analysis.trace.fields(r);
            let message = fields.message.unwrap_or_default();
            let event = message
                .strip_prefix(&format!("Node {node} event: "))
                .unwrap_or(&message)
                .to_owned();
            let words = format!("Recording {event} event message for node {node}");
            self.helper(
                r.at,
                2,
                [173, 172],
                "Recording event message for node",
                &[("event", text(event)), ("node", text(node))],
                words,
            );
        }
    }

    /// An event, as the broadcaster of the controllers tells of it.
    fn event(&mut self, r: &Record) {
        let fields = self.analysis.trace.fields(r);
        let object = fields.object.unwrap_or_default();
        let (kind, name) = object.split_once('/').unwrap_or(("", &object));
        let version = match kind {
            // Before 1.29 the taint manager did not fill it in.
            "Pod"
                if r.actor == Actor::TaintEviction
                    && self.forms.taint_eviction != EvictionLog::OwnController =>
            {
                ""
            }
            "Node" | "Pod" => "v1",
            "Job" => "batch/v1",
            _ => "apps/v1",
        };
        let (reason, message, event_type) = (
            fields.reason.unwrap_or(""),
            fields.message.unwrap_or_default(),
            fields.kind.unwrap_or(""),
        );
        let (namespace, short) = name.split_once('/').unwrap_or(("", name));
        let words = format!(
            "Event(v1.ObjectReference{{Kind:{kind:?}, Namespace:{namespace:?}, Name:{short:?}, UID:\"\", APIVersion:{version:?}, \
             ResourceVersion:\"\", FieldPath:\"\"}}): type: '{event_type}' reason: '{reason}' {message}"
        );
        let values = [
            ("object", text(name)),
            ("fieldPath", text("")),
            ("kind", text(kind)),
            ("apiVersion", text(version)),
            ("type", text(event_type)),
            ("reason", text(reason)),
            ("message", text(message)),
        ];
        let line = if self.forms.events_at_3 { 389 } else { 294 };
        let level = if self.forms.events_at_3 { 3 } else { 0 };
        let form = if self.forms.events {
            Ok((("event.go", line), "Event occurred", &values[..]))
        } else {
            Err((("event.go", 278), words))
        };
        self.say(r.at, level, form);
    }

    fn bound(&mut self, r: &Record, node: u32) {
        let (pod, node) = (self.pod(r.object), self.node(node));
        let values = [("pod", text(pod)), ("node", text(node))];
        let form = match (self.forms.events, self.forms.bound_at_2) {
            (true, true) => Ok((
                ("schedule_one.go", 346),
                "Successfully bound pod to node",
                &values[..],
            )),
            (true, false) => Ok((
                ("scheduler.go", 623),
                "Successfully bound pod to node",
                &values[..],
            )),
            (false, _) => Err((
                ("scheduler.go", 742),
                format!("pod {pod} is bound successfully on node {node:?}"),
            )),
        };
        self.say(r.at, if self.forms.bound_at_2 { 2 } else { 0 }, form);
    }

    fn unschedulable(&mut self, r: &Record, message: u32) {
        let trace = self.analysis.trace;
        let Some(m) = trace
            .messages
            .get(message as usize)
            .filter(|m| m.body.text == EventText::FailedScheduling)
        else {
            return;
        };
        let (pod, why) = (self.pod(r.object), trace.names.text_of(TextId(m.body.arg)));
        let values = [("pod", text(pod)), ("err", text(why))];
        let form = match (self.forms.events, self.forms.bound_at_2) {
            (true, true) => Ok((
                ("schedule_one.go", 1077),
                "Unable to schedule pod; no fit; waiting",
                &values[..],
            )),
            (true, false) => Ok((
                ("factory.go", 209),
                "Unable to schedule pod; no fit; waiting",
                &values[..],
            )),
            (false, _) => Err((
                ("factory.go", 462),
                format!("Unable to schedule {pod}: no fit: {why}; waiting"),
            )),
        };
        self.say(r.at, 2, form);
    }

    fn collected(&mut self, r: &Record, step: &Step) {
        let Some((_, before, _)) = step.pod else {
            return;
        };
        let pod = self.pod(r.object);
        let node = before.node_id().map_or("", |n| self.node(n.0));
        let structured = self.forms.pod_gc;
        let mut say =
            |level: u8, line: u32, message: &str, values: &[(&str, Value)], words: String| {
                let place = ("gc_controller.go", line);
                self.say(
                    r.at,
                    level,
                    if structured {
                        Ok((place, message, values))
                    } else {
                        Err((place, words))
                    },
                );
            };
        let orphaned = before.node != NO_NODE;
        if orphaned {
            let words = format!("Found orphaned Pod {pod} assigned to the Node {node}. Deleting.");
            say(
                2,
                247,
                "Found orphaned Pod assigned to the Node, deleting",
                &[("pod", text(pod)), ("node", text(node))],
                words,
            );
        } else {
            let words = format!(
                "Found unscheduled terminating Pod {pod} not assigned to any Node. Deleting."
            );
            say(
                2,
                306,
                "Found unscheduled terminating Pod not assigned to any Node, deleting",
                &[("pod", text(pod))],
                words,
            );
        }
        say(
            0,
            343,
            "PodGC is force deleting Pod",
            &[("pod", text(pod))],
            format!("PodGC is force deleting Pod: {pod}"),
        );
        let what = if orphaned {
            "orphaned"
        } else {
            "unscheduled terminating"
        };
        let words = format!("Forced deletion of {what} Pod {pod} succeeded");
        say(
            0,
            if orphaned { 259 } else { 311 },
            &format!("Forced deletion of {what} Pod succeeded"),
            &[("pod", text(pod))],
            words,
        );
    }

    /// A ReplicaSet is about to make pods.
    pub(super) fn too_few(&mut self, at: Time, batch: &Batch) {
        let full = self
            .analysis
            .trace
            .names
            .workload_name(WorkloadId(batch.workload));
        let name = full.split_once('/').map_or(full, |(_, name)| name);
        let words = format!(
            "Too few replicas for ReplicaSet {name}, need {}, creating {}",
            batch.wanted, batch.creating
        );
        let values = [
            ("replicaSet", text(name)),
            ("need", Value::Raw(batch.wanted.to_string())),
            ("creating", Value::Raw(batch.creating.to_string())),
        ];
        let form = if self.forms.events {
            Ok((("replica_set.go", 615), "Too few replicas", &values[..]))
        } else {
            Err((("replica_set.go", 563), words))
        };
        self.say(at, 2, form);
    }
}
