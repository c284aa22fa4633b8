//! Writes of events, and their records.

use super::{ApiError, ApiResult, ApiServer, EventName};
use crate::trace::{Actor, EventBody, Message, What};

impl ApiServer {
    /// POST of an event.
    pub(crate) fn create_event(
        &self,
        actor: Actor,
        name: EventName,
        body: EventBody,
        combined: bool,
        count: u32,
    ) -> ApiResult {
        self.ctx.writes(self.keys.events.of(name.bucket()));
        if !self.store.with(|s| s.events.insert(name, body.text)) {
            return Err(ApiError::AlreadyExists);
        }
        self.store.with(|s| s.next_version());
        self.record_event(actor, name, Message { body, combined, count });
        Ok(())
    }

    /// PATCH of an event that happened again: its message and its count. The reason stays, which may be
    /// another one where two events about one object were made in one instant.
    pub(crate) fn patch_event(
        &self,
        actor: Actor,
        name: EventName,
        mut body: EventBody,
        combined: bool,
        count: u32,
    ) -> ApiResult {
        self.ctx.reads(self.keys.events.of(name.bucket()));
        if !self.store.with(|s| s.events.contains(name)) {
            return Err(ApiError::NotFound);
        }
        if let EventName::Workload(workload, at) = name
            && let Some(reason) = self.store.with_ref(|s| s.events.reason_of(workload, at))
        {
            body.text = reason;
        }
        self.store.with(|s| s.next_version());
        self.record_event(actor, name, Message { body, combined, count });
        Ok(())
    }

    fn record_event(&self, actor: Actor, name: EventName, event: Message) {
        let message = || self.trace.with(|t| t.keep_message(event));
        let Message { body: EventBody { text, arg }, combined, count } = event;
        let is_plain = arg == EventBody::NO_ARG;
        let (object, what) = match name {
            EventName::Node(id, _) if is_plain => (id.0, What::NodeEvent(text, combined, count)),
            EventName::Node(id, _) => (id.0, What::NodeMessage(message())),
            EventName::Pod(id, _) if is_plain => (id.0, What::PodEvent(text, combined, count)),
            EventName::Pod(id, _) => (id.0, What::PodMessage(message())),
            EventName::Workload(id, _) => (id.0, What::WorkloadMessage(message())),
        };
        self.record(actor, object, what);
    }
}
