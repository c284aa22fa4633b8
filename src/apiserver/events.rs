//! Writes of events, and their records.

use super::error::ApiError;
use super::event_store::EventName;
use super::server::ApiServer;
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
    ) -> Result<(), ApiError> {
        self.ctx.writes(self.keys.events.of(name.bucket()));
        if !self.store.with(|s| s.events.insert(name)) {
            return Err(ApiError::AlreadyExists);
        }
        self.store.with(|s| s.next_version());
        self.record_event(actor, name, body, combined, count);
        Ok(())
    }

    /// PATCH of an event that happened again.
    pub(crate) fn patch_event(
        &self,
        actor: Actor,
        name: EventName,
        body: EventBody,
        combined: bool,
        count: u32,
    ) -> Result<(), ApiError> {
        self.ctx.reads(self.keys.events.of(name.bucket()));
        if !self.store.with(|s| s.events.contains(name)) {
            return Err(ApiError::NotFound);
        }
        self.store.with(|s| s.next_version());
        self.record_event(actor, name, body, combined, count);
        Ok(())
    }

    fn record_event(
        &self,
        actor: Actor,
        name: EventName,
        body: EventBody,
        combined: bool,
        count: u32,
    ) {
        let message = || {
            self.trace.with(|t| {
                t.messages.push(Message {
                    body,
                    combined,
                    count,
                });
                t.messages.len() as u32 - 1
            })
        };
        match name {
            EventName::Node(id, _) => {
                self.record_node(actor, id, What::NodeEvent(body.text, combined, count))
            }
            EventName::Pod(id, _) if body.arg == EventBody::NO_ARG => {
                self.record_pod(actor, id, What::PodEvent(body.text, combined, count))
            }
            EventName::Pod(id, _) => self.record_pod(actor, id, What::PodMessage(message())),
            EventName::Workload(id, _) => {
                self.record_workload(actor, id, What::WorkloadMessage(message()))
            }
        };
    }
}
