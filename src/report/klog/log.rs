//! A log while it is written: what it knows, and how a line gets into it.

use super::format::{Value, Values, header, structured};
use super::statements::{Said, Speaker, Statement};
use crate::analysis::Analysis;
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId};
use crate::api::node::{NodeConditionType, NodeReason};
use crate::api::taint::Effect;
use crate::kernel::Time;
use crate::plan::log_forms::{EvictionLog, LogForms, WorkerLog};
use std::collections::{BTreeMap, BTreeSet};

/// A log while it is written.
pub(super) struct Log<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) forms: LogForms,
    level: u8,
    /// What is written so far and not handed on.
    pub(super) text: String,
    /// Status and reason of each node's conditions, where a record has them.
    pub(super) conditions: BTreeMap<(u32, NodeConditionType), (ConditionStatus, NodeReason)>,
    /// Pods whose eviction ended well and left an entry.
    pub(super) entries: BTreeSet<u32>,
    /// Whether all zones are fully disrupted.
    pub(super) dark: bool,
    /// Since when they are no longer, if they ever were.
    pub(super) light_since: Option<Time>,
    /// When the node lifecycle controller wrote a taint.
    pub(super) written: BTreeMap<(u32, String, Effect), Time>,
}

/// A text.
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
            dark: false,
            light_since: None,
            written: BTreeMap::new(),
        }
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

    /// Says something of which free words say more than the values.
    pub(super) fn say_in_words(&mut self, at: Time, said: Said, values: Values<'_>, words: &str) {
        self.write(at, said, values, Some(words));
    }

    fn write(&mut self, at: Time, said: Said, values: Values<'_>, words: Option<&str>) {
        let Some(statement) = said.statement().filter(|s| self.level_of(said, s) <= self.level)
        else {
            return;
        };
        let (form, is_structured) = self.form(statement.by);
        let line = match words {
            _ if is_structured => structured(&statement.message, values),
            Some(words) => words.to_owned(),
            None => statement.words(values),
        };
        self.text.push_str(&header(at, statement.severity, statement.place(form)));
        self.text.push_str(&line);
        self.text.push('\n');
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
        let of_three = |structured: bool, newest: bool| match (structured, newest) {
            (true, true) => (0, true),
            (true, false) => (1, true),
            (false, _) => (2, false),
        };
        match by {
            Speaker::Eviction => match forms.taint_eviction {
                EvictionLog::OwnController => (0, true),
                EvictionLog::Structured => (1, true),
                EvictionLog::Printf => (2, false),
            },
            Speaker::Worker => match forms.timed_workers {
                WorkerLog::EachStep => (0, true),
                WorkerLog::Structured => (1, true),
                WorkerLog::Printf => (2, false),
            },
            Speaker::Lifecycle => either(forms.node_lifecycle),
            Speaker::Helpers => either(forms.node_helpers),
            Speaker::ReplicaSet => either(forms.events),
            Speaker::Broadcaster => of_three(forms.events, forms.events_at_3),
            Speaker::Scheduler => of_three(forms.events, forms.bound_at_2),
            Speaker::PodGc => (0, forms.pod_gc),
        }
    }
}
