//! A log while it is written: what it knows, how a line gets into it, and what the broadcaster of
//! events, the pod garbage collector, the ReplicaSet controller and the scheduler say.

use super::format::{Value, Values, go_time, header, structured};
use super::prelude::*;
use super::statements::{Said, Speaker, Statement};
use crate::plan::log_forms::LogForms;

/// A log while it is written.
pub(super) struct Log<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) forms: LogForms,
    level: u8,
    /// What is written so far and not handed on.
    pub(super) text: String,
    /// The conditions of nodes.
    pub(super) conditions: BTreeMap<(u32, NodeConditionType), Condition>,
    /// Pods whose eviction ended well and left an entry.
    pub(super) entries: BTreeSet<u32>,
    /// Nodes whose pods were set to not Ready, and that were not Ready since.
    pub(super) marked: BTreeSet<u32>,
    /// Whether all zones are fully disrupted.
    pub(super) dark: bool,
    /// Since when they are no longer, if they ever were.
    pub(super) light_since: Option<Time>,
    /// When the node lifecycle controller wrote a taint.
    pub(super) written: BTreeMap<(u32, String, Effect), Time>,
}

/// What a condition of a node says.
type Condition = (ConditionStatus, NodeReason);

pub(super) fn text(value: impl Into<String>) -> Value {
    Value::Text(value.into())
}

impl<'a> Log<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>, level: u8) -> Self {
        Log {
            analysis,
            forms: analysis.plan.profile.log,
            level,
            text: String::new(),
            conditions: BTreeMap::new(),
            entries: BTreeSet::new(),
            marked: BTreeSet::new(),
            dark: false,
            light_since: None,
            written: BTreeMap::new(),
        }
    }

    /// A time of the run since 1970; where nothing is said runs begin with the year 2000.
    pub(super) fn clock(&self, at: Time) -> Time {
        let begins = self.analysis.plan.begins.unwrap_or(946_684_800_000_000);
        at + Dur::from_micros(u64::try_from(begins).unwrap_or(0))
    }

    /// A time of the run as a value.
    pub(super) fn time(&self, at: Time) -> Value {
        text(go_time(self.clock(at)))
    }

    pub(super) fn node(&self, id: u32) -> &'a str {
        self.analysis.node_name(NodeId(id))
    }

    pub(super) fn pod(&self, id: u32) -> &'a str {
        self.analysis.pod_name(PodId(id))
    }

    /// Says something in the form of the release: with keys and values, or in the table's words.
    pub(super) fn say(&mut self, at: Time, said: Said, values: Values<'_>) {
        self.write(at, said, values, None);
    }

    /// Something of the pod of a record.
    pub(super) fn say_of_pod(&mut self, r: &Record, said: Said) {
        self.say(r.at, said, &[("pod", text(self.pod(r.object)))]);
    }

    /// Something of the node of a record.
    pub(super) fn say_of_node(&mut self, r: &Record, said: Said) {
        self.say(r.at, said, &[("node", text(self.node(r.object)))]);
    }

    /// Something of the pod of a record, and of a node.
    pub(super) fn say_of_both(&mut self, r: &Record, said: Said, node: &str) {
        self.say(r.at, said, &[("pod", text(self.pod(r.object))), ("node", text(node))]);
    }

    /// A condition of the node of a record, as it was set last.
    pub(super) fn condition(&self, r: &Record, kind: NodeConditionType) -> Option<Condition> {
        self.conditions.get(&(r.object, kind)).copied()
    }

    /// Whether taint eviction is a controller of its own.
    pub(super) fn has_own_controller(&self) -> bool {
        self.forms.taint_eviction == EvictionLog::OwnController
    }

    /// Says something of which free words say more than the values.
    pub(super) fn say_in_words(&mut self, at: Time, said: Said, values: Values<'_>, words: &str) {
        self.write(at, said, values, Some(words));
    }

    fn write(&mut self, at: Time, said: Said, values: Values<'_>, words: Option<&str>) {
        let statement = said.statement().filter(|s| self.level_of(said, s) <= self.level);
        let Some(statement) = statement else { return };
        let (form, is_structured) = self.form(statement.by);
        let line = match words {
            _ if is_structured => structured(&statement.message, values),
            Some(words) => words.to_owned(),
            None => statement.words(values),
        };
        let header = header(self.clock(at), statement.severity, statement.place(form));
        self.text.extend([header.as_str(), &line, "\n"]);
    }

    /// The level from which on something is written.
    fn level_of(&self, said: Said, statement: &Statement) -> u8 {
        match said {
            Said::NotUpdated if self.forms.expired_at_2 => 2,
            Said::Event if self.forms.events_at_3 => 3,
            Said::Bound if !self.forms.bound_at_2 => 0,
            _ => statement.level,
        }
    }

    /// Which of its forms a speaker's messages have, and whether that has keys and values.
    fn form(&self, by: Speaker) -> (usize, bool) {
        let forms = self.forms;
        let either = |structured: bool| (usize::from(!structured), structured);
        // Of three forms the newest comes first.
        let one_of = |age: usize| (2 - age, age > 0);
        let of_three = |structured: bool, newest: bool| {
            one_of(usize::from(structured) + usize::from(structured && newest))
        };
        match by {
            Speaker::Eviction => one_of(forms.taint_eviction as usize),
            Speaker::Worker => one_of(forms.timed_workers as usize),
            Speaker::Lifecycle => either(forms.node_lifecycle),
            Speaker::Helpers => either(forms.node_helpers),
            Speaker::ReplicaSet => either(forms.events),
            Speaker::Broadcaster => of_three(forms.events, forms.events_at_3),
            Speaker::Scheduler => of_three(forms.events, forms.bound_at_2),
            Speaker::PodGc => (0, forms.pod_gc),
        }
    }

    pub(super) fn event(&mut self, r: &Record) {
        let fields = self.analysis.trace.fields(r);
        let object = fields.object.unwrap_or_default();
        let (kind, name) = object.split_once('/').unwrap_or(("", &object));
        let version = match kind {
            // Before 1.29 the taint manager did not fill it in.
            "Pod" if r.actor == Actor::TaintEviction && !self.has_own_controller() => "",
            "Node" | "Pod" | "PersistentVolumeClaim" => "v1",
            "Job" => "batch/v1",
            _ => "apps/v1",
        };
        let (reason, event_type) = (fields.reason.unwrap_or_default(), fields.kind.unwrap_or(""));
        let message = fields.message.unwrap_or_default();
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
        self.say_in_words(r.at, Said::Event, &values, &words);
    }

    /// A pod whose node is gone, or that has none and is Terminating, is deleted.
    pub(super) fn collected(&mut self, r: &Record, step: &Step) {
        let Some((_, before, _)) = step.pod else { return };
        let deleted = if let Some(node) = before.node_id() {
            self.say_of_both(r, Said::Orphaned, self.node(node.0));
            Said::OrphanedDeleted
        } else {
            self.say_of_pod(r, Said::Unscheduled);
            Said::UnscheduledDeleted
        };
        self.say_of_pod(r, Said::ForceDeleting);
        self.say_of_pod(r, deleted);
    }
}

/// Pods that a ReplicaSet makes in one go.
pub(super) struct Batch {
    workload: u32,
    wanted: i32,
    creating: u32,
}

/// By the record of the first pod: the pods that a ReplicaSet makes in one sync, which all have one
/// cause.
pub(super) fn creations(analysis: &Analysis<'_>) -> BTreeMap<RecordId, Batch> {
    let trace = analysis.trace;
    let mut batches: BTreeMap<RecordId, Batch> = BTreeMap::new();
    let mut latest: BTreeMap<u32, (RecordId, Time, RecordId)> = BTreeMap::new();
    let mut wanted: BTreeMap<u32, i32> = BTreeMap::new();
    for (r, id) in trace.iter().zip(0..) {
        match r.what {
            What::WorkloadCreated(n) | What::WorkloadScaled(n) => drop(wanted.insert(r.object, n)),
            What::PodCreated(_) if r.actor == Actor::ReplicaSet => {
                let Some(owner) = r.pod().and_then(|p| trace.names.owner_of(p)) else { continue };
                let first = latest.get(&owner.0).filter(|(_, at, cause)| {
                    *cause == r.cause && r.at.since(*at) < Dur::from_secs(1)
                });
                let first = first.map_or(id, |f| f.0);
                latest.insert(owner.0, (first, r.at, r.cause));
                let wanted = wanted.get(&owner.0).copied().unwrap_or(0);
                let batch = Batch { workload: owner.0, wanted, creating: 0 };
                batches.entry(first).or_insert(batch).creating += 1;
            }
            _ => {}
        }
    }
    batches
}

impl Log<'_> {
    /// A ReplicaSet is about to make pods.
    pub(super) fn too_few(&mut self, at: Time, batch: &Batch) {
        let full = self.analysis.trace.names.workload_name(WorkloadId(batch.workload));
        let name = full.split_once('/').map_or(full, |(_, name)| name);
        let values = [
            ("replicaSet", text(name)),
            ("need", Value::Raw(batch.wanted.to_string())),
            ("creating", Value::Raw(batch.creating.to_string())),
        ];
        self.say(at, Said::TooFew, &values);
    }

    /// A pod finds no node.
    pub(super) fn unschedulable(&mut self, r: &Record) {
        let trace = self.analysis.trace;
        let Some((why, _)) = trace.failed_scheduling(r) else { return };
        let values = [("pod", text(self.pod(r.object))), ("err", text(trace.names.text_of(why)))];
        self.say(r.at, Said::Unschedulable, &values);
    }
}
