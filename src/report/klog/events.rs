//! Events, as the broadcaster of the controllers logs them.

use super::log::{Log, text};
use super::statements::Said;
use crate::plan::log_forms::EvictionLog;
use crate::trace::{Actor, Record};

impl Log<'_> {
    /// An event.
    pub(super) fn event(&mut self, r: &Record) {
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
            fields.reason.as_deref().unwrap_or(""),
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
        self.say_in_words(r.at, Said::Event, &values, &words);
    }
}
