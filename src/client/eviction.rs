//! The eviction subresource, in the steps that it takes at the API server: what is read may have
//! changed by the time it is written (`pkg/registry/core/pod/storage/eviction.go`, `Create`).

use super::request::{Client, RETRY_AFTER, Tried};
use crate::apiserver::{Begun, Eviction};
use crate::client::prelude::*;
use crate::plan::switches::eviction::EvictionRules;
use crate::trace::BudgetState;

/// `EvictionsRetry`: a budget that was changed by somebody else is read and charged again after half
/// a second, by chance up to a tenth longer, so often at the most.
const STEPS: u32 = 20;
const PAUSE: Dur = Dur::from_millis(500);
const JITTER: Dur = Dur::from_millis(50);
/// The Retry-After where a budget has not been counted yet (`createTooManyRequestsError`).
const RETRY_UNCOUNTED: Dur = Dur::from_secs(10);

impl Client {
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
