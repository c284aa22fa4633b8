//! What the controllers of a process are made with.

use super::factory::InformerFactory;
use super::recorder::EventRecorder;
use super::request::Client;
use crate::client::prelude::*;

/// What a controller is made with (`ControllerContext` of kube-controller-manager): its process,
/// the caches that it shares with others, its client, and its recorder of events, if it has one.
#[derive(Clone)]
pub(crate) struct ControllerContext<R = EventRecorder> {
    pub(crate) ctx: Ctx,
    pub(crate) group: Group,
    pub(crate) client: Client,
    pub(crate) informers: Rc<InformerFactory>,
    pub(crate) recorder: R,
}
