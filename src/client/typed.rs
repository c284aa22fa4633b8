//! Requests by what they ask for (`client-go/kubernetes`: the typed clients), and those that several
//! controllers make in the same way.

use super::request::Client;
use crate::api::taint::Taint;
use crate::client::prelude::*;
use crate::trace::EventBody;

/// `UpdateTaintBackoff`: five tries, sleeps of 100 ms and up to as much again.
const TAINT_TRIES: u32 = 5;
const TAINT_BACKOFF: Dur = Dur::from_millis(100);

impl Client {
    /// GET of a node.
    pub(crate) async fn get_node(&self, id: NodeId) -> ApiResult<Rc<Node>> {
        self.get(self.node_object(id), move |api, _| api.get_node(id)).await
    }

    /// GET of a pod.
    pub(crate) async fn get_pod(&self, id: PodId) -> ApiResult<Rc<Pod>> {
        self.get(self.pod_object(id), move |api, _| api.pod(id).ok_or(ApiError::NotFound)).await
    }

    /// DELETE of a pod, with a grace period and the uid that it has to have, where they are given.
    pub(crate) async fn delete_pod(
        &self,
        id: PodId,
        grace: Option<i64>,
        uid: Option<Uid>,
    ) -> ApiResult {
        self.call(self.pod_object(id), move |api, by| api.delete_pod(by, id, grace, uid)).await
    }

    /// UPDATE of a pod's status.
    pub(crate) async fn update_pod_status(&self, new: Rc<Pod>) -> ApiResult<Rc<Pod>> {
        self.call(self.pod_object(new.id), move |api, by| api.update_pod_status(by, &new)).await
    }

    /// PATCH that takes the finalizer of Jobs off a pod.
    pub(crate) async fn remove_job_finalizer(&self, id: PodId, uid: Uid) -> ApiResult<Rc<Pod>> {
        self.call(self.pod_object(id), move |api, by| api.remove_job_finalizer(by, id, uid)).await
    }

    /// PATCH of all taints of a node, of that version if one is given.
    pub(crate) async fn patch_node_taints(
        &self,
        id: NodeId,
        version: Option<u64>,
        taints: Vec<Taint>,
    ) -> ApiResult {
        let (object, patch) = (self.node_object(id), (Some(taints), None));
        self.call(object, move |api, by| api.patch_node(by, id, version, patch).map(|_| ())).await
    }

    /// `AddOrUpdateTaintOnNode`, `RemoveTaintOffNode`: GET, edit, PATCH of the whole list, tried again
    /// on a conflict. `edit` says whether it changed anything; `has_version`: the PATCH holds only for
    /// the version that was read; `backoff` draws the pauses. False if a request failed.
    pub(crate) async fn edit_taints(
        &self,
        id: NodeId,
        has_version: bool,
        backoff: PointId,
        edit: impl Fn(&mut Vec<Taint>) -> bool,
    ) -> bool {
        let ctx = self.api().ctx().clone();
        for tries in 1..=TAINT_TRIES {
            let Ok(old) = self.get_node(id).await else { return false };
            let mut taints = old.taints.clone();
            if !edit(&mut taints) {
                return true;
            }
            ctx.set_saw(old.record);
            let version = has_version.then_some(old.resource_version);
            match self.patch_node_taints(id, version, taints).await {
                Ok(()) => return true,
                Err(ApiError::Conflict) if tries < TAINT_TRIES => {
                    self.back_off(TAINT_BACKOFF, backoff, id).await
                }
                Err(_) => return false,
            }
        }
        false
    }

    /// `recordEvent`: PATCH of an event that `was_seen` before, else POST, or where that is gone. An
    /// event is its name, its body, whether it stands for similar ones, and its count.
    pub(super) async fn record_event(
        &self,
        about: Object,
        (name, body, combined, count): (EventName, EventBody, bool, u32),
        was_seen: bool,
    ) -> ApiResult {
        if was_seen {
            let patched = self
                .call(about, move |api, by| api.patch_event(by, name, body, combined, count))
                .await;
            if patched != Err(ApiError::NotFound) {
                return patched;
            }
        }
        self.call(about, move |api, by| api.create_event(by, name, body, combined, count)).await
    }

    /// A pause about a node, between once and twice as long (`Jitter: 1.0`).
    pub(crate) async fn back_off(&self, pause: Dur, point: PointId, node: NodeId) {
        let ctx = self.api().ctx().clone();
        let extra = ctx.uniform(point, self.node_object(node), 0, pause.as_nanos() - 1);
        ctx.sleep(pause + Dur::from_nanos(extra)).await;
    }
}
