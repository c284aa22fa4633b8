//! Requests by what they ask for (`client-go/kubernetes`: the typed clients), and those that several
//! controllers make in the same way.
//!
//! Among them is the eviction subresource, in the steps that it takes at the API server: what is read may have
//! changed by the time it is written (`pkg/registry/core/pod/storage/eviction.go`, `Create`).

use super::request::{Client, RETRY_AFTER, Tried};
use crate::api::taint::Taint;
use crate::apiserver::{Begun, Eviction};
use crate::client::prelude::*;
use crate::plan::switches::eviction::EvictionRules;
use crate::trace::{BudgetState, Message};

/// `EvictionsRetry`: a budget that was changed by somebody else is read and charged again after half
/// a second, by chance up to a tenth longer, so often at the most.
const STEPS: u32 = 20;
const PAUSE: Dur = Dur::from_millis(500);
const JITTER: Dur = Dur::from_millis(50);
/// The Retry-After where a budget has not been counted yet (`createTooManyRequestsError`).
const RETRY_UNCOUNTED: Dur = Dur::from_secs(10);

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
    /// event is its name and what it says.
    pub(super) async fn record_event(
        &self,
        about: Object,
        (name, event): (EventName, Message),
        was_seen: bool,
    ) -> ApiResult {
        if was_seen {
            let patched = self.call(about, move |api, by| api.patch_event(by, name, event)).await;
            if patched != Err(ApiError::NotFound) {
                return patched;
            }
        }
        self.call(about, move |api, by| api.create_event(by, name, event)).await
    }

    /// A pause about a node, between once and twice as long (`Jitter: 1.0`).
    pub(crate) async fn back_off(&self, pause: Dur, point: PointId, node: NodeId) {
        let ctx = self.api().ctx().clone();
        let extra = ctx.uniform(point, self.node_object(node), 0, pause.as_nanos() - 1);
        ctx.sleep(pause + Dur::from_nanos(extra)).await;
    }

    /// POST of an eviction, which is sent again as any request is that is answered 429 with a
    /// Retry-After. What a budget forbids has none.
    ///
    /// # Errors
    /// Those of `ApiServer::evict`; `Conflict` where others changed the budget twenty times,
    /// `Rejected`.
    pub(crate) async fn evict(
        &self,
        about: Object,
        rules: EvictionRules,
        id: PodId,
        grace: Option<i64>,
    ) -> ApiResult {
        let (how, mut left) = (Eviction { rules, grace }, self.retries());
        loop {
            let (pause, error) = match self.evict_once(about, how, id).await {
                Ok(Err(ApiError::NotCounted)) if rules.uncounted_has_retry_after => {
                    (RETRY_UNCOUNTED, ApiError::TooManyRequests)
                }
                Ok(Err(ApiError::NotCounted)) => return Err(ApiError::TooManyRequests),
                Ok(reply) => return reply,
                Err(()) => (RETRY_AFTER, ApiError::Rejected),
            };
            if left == 0 {
                return Err(error);
            }
            left -= 1;
            self.api().ctx().sleep(pause).await;
        }
    }

    async fn evict_once(&self, about: Object, how: Eviction, id: PodId) -> Tried<(), ()> {
        if !self.has_steps() {
            let whole = self.send(about, move |api, actor| api.evict(actor, how, id));
            return match whole.await {
                Ok(Ok(Some(begun))) => Ok(self.evict_in_steps(about, how, begun).await),
                Ok(done) => Ok(done.map(|_| ())),
                Err(_) => Err(()),
            };
        }
        let begun = self.send(about, move |api, actor| api.pod_to_evict(actor, how, id));
        match begun.await {
            Ok(Ok(begun)) => Ok(self.evict_in_steps(about, how, begun).await),
            Ok(Err(error)) => Ok(Err(error)),
            Err(_) => Err(()),
        }
    }

    async fn evict_in_steps(
        &self,
        about: Object,
        how: Eviction,
        (pod, budget): Begun,
    ) -> ApiResult {
        let charged = match budget {
            Some(budget) => Some(self.charge(about, &pod, budget).await?),
            None => None,
        };
        self.step(about, move |api, actor| api.evict_charged(actor, how, (&pod, charged))).await
    }

    /// `RetryOnConflict` around `checkAndDecrement`.
    async fn charge(
        &self,
        about: Object,
        pod: &Rc<Pod>,
        mut budget: Rc<Budget>,
    ) -> ApiResult<BudgetState> {
        let ctx = self.api().ctx().clone();
        let point = ctx.point("eviction-retry");
        for _ in 1..STEPS {
            match self.charge_once(about, pod, &budget).await {
                Err(ApiError::Conflict) => {}
                done => return done,
            }
            let jitter = ctx.uniform(point, about, 0, JITTER.as_nanos());
            ctx.sleep(PAUSE + Dur::from_nanos(jitter)).await;
            let id = budget.id;
            let read = self.step(about, move |api, _| api.budget(id).ok_or(ApiError::NotFound));
            budget = read.await?;
        }
        self.charge_once(about, pod, &budget).await
    }

    async fn charge_once(
        &self,
        about: Object,
        pod: &Rc<Pod>,
        budget: &Rc<Budget>,
    ) -> ApiResult<BudgetState> {
        let (pod, budget) = (pod.clone(), budget.clone());
        self.step(about, move |api, actor| api.check_and_decrement(actor, &pod, &budget)).await
    }
}
