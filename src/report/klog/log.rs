//! A log while it is written: what it knows, and how a line gets into it.

use super::format::{Severity, Value, header, structured};
use super::statements::{Place, Statement};
use crate::analysis::Analysis;
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId};
use crate::api::node::{NodeConditionType, NodeReason};
use crate::api::taint::Effect;
use crate::kernel::Time;
use crate::plan::log_forms::LogForms;
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

/// Keys and the values behind them.
pub(super) type Values<'v> = &'v [(&'v str, Value)];

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

    /// A line of free words.
    pub(super) fn line(
        &mut self,
        at: Time,
        level: u8,
        severity: Severity,
        place: Place,
        message: &str,
    ) {
        if level <= self.level {
            self.text.push_str(&header(at, severity, place));
            self.text.push_str(message);
            self.text.push('\n');
        }
    }

    /// A message with keys and values; `form` says which of its places holds.
    pub(super) fn say<const FORMS: usize>(
        &mut self,
        at: Time,
        said: Statement<FORMS>,
        form: usize,
        values: Values<'_>,
    ) {
        if said.level <= self.level {
            let line = structured(said.message, values);
            self.line(at, said.level, Severity::Info, said.places[form], &line);
        }
    }

    /// A message with keys and values where it is structured, and otherwise in free words.
    pub(super) fn say_or<const FORMS: usize>(
        &mut self,
        at: Time,
        said: Statement<FORMS>,
        (form, structured): (usize, bool),
        values: Values<'_>,
        words: &str,
    ) {
        if structured {
            self.say(at, said, form, values);
        } else {
            self.line(at, said.level, Severity::Info, said.places[form], words);
        }
    }

    /// A message of two forms: structured, and in free words.
    pub(super) fn say_either(
        &mut self,
        at: Time,
        said: Statement<2>,
        structured: bool,
        values: Values<'_>,
        words: &str,
    ) {
        let form = usize::from(!structured);
        self.say_or(at, said, (form, structured), values, words);
    }
}
