//! PodDisruptionBudgets, and the eviction subresource that keeps to them
//! (`pkg/registry/core/pod/storage/eviction.go`).
//!
//! An eviction may be one step, or come in its parts (`client/typed.rs`), between which others may
//! change the budget.

use super::store::ALL;
use super::{ApiError, ApiResult, ApiServer, Stored};
use crate::api::budget::{BudgetRule, BudgetStatus};
use crate::api::pod::PodReason;
use crate::apiserver::prelude::*;
use crate::kernel::{Object, replace};
use crate::plan::switches::eviction::EvictionRules;
use crate::trace::{BudgetState, NO_BUDGET, Refusal};

/// More evictions than this may not be granted without being seen (`MaxDisruptedPodSize`).
const MAX_DISRUPTED_POD_SIZE: usize = 2000;

/// Of 1,000 evictions that come in the instant of another one of the same budget, so many have read that
/// before the other has charged it: fitted to recordings of `drain-percent` and `drain-budget`.
const BESIDE: u32 = 500;

/// By which rules a pod is evicted, and with which grace period, if not its own.
#[derive(Clone, Copy)]
pub(crate) struct Eviction {
    pub(crate) rules: EvictionRules,
    pub(crate) grace: Option<i64>,
}

/// What an eviction has read: the pod, and the budget that is to be charged, if one is.
pub(crate) type Begun = (Rc<Pod>, Option<Rc<Budget>>);

impl ApiServer {
    /// Creates a budget, of a uid of its own. One that exists from the start of a run is not recorded.
    ///
    /// # Errors
    /// `AlreadyExists`.
    pub(crate) fn create_budget(&self, actor: Actor, mut budget: Budget) -> Stored<Budget> {
        if self.budget(budget.id).is_some() {
            return Err(ApiError::AlreadyExists);
        }
        budget.uid = self.store.with(|s| s.next_uid());
        if self.ctx.now() == Time::ZERO {
            return Ok(self.commit_budget(budget));
        }
        let record = self.record_budget(actor, &budget, What::BudgetCreated);
        Ok(self.with_cause(record, || self.commit_budget(budget)))
    }

    /// A user changes what a budget asks for (`kubectl patch`); the same again is no change. The
    /// disruption controller counts anew, and until it has, evictions are refused.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn set_budget_rule(
        &self,
        actor: Actor,
        id: WorkloadId,
        rule: BudgetRule,
    ) -> Stored<Budget> {
        let old = self.budget(id).ok_or(ApiError::NotFound)?;
        if old.rule == rule {
            return Ok(old);
        }
        let new = Budget { rule, generation: old.generation + 1, ..(*old).clone() };
        let record = self.record_budget(actor, &new, What::BudgetChanged);
        Ok(self.with_cause(record, || self.commit_budget(new)))
    }

    /// Deletes a budget.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn delete_budget(&self, actor: Actor, id: WorkloadId) -> ApiResult {
        let old = self.budget(id).ok_or(ApiError::NotFound)?;
        self.take_out(self.keys.budgets, id.index(), |s| &mut s.budgets);
        let record = self.record_workload(actor, id, What::BudgetDeleted);
        self.with_cause(record, || self.tell(|w| w.budget(Some(&old), None)));
        Ok(())
    }

    /// Records what a budget asks for from now on.
    fn record_budget(&self, actor: Actor, budget: &Budget, what: fn(u32) -> What) -> RecordId {
        let kept = self.trace.with(|t| t.keep_budget(state(budget, Refusal::None)));
        self.record_workload(actor, budget.id, what(kept))
    }

    /// A budget, the version stored now.
    pub(crate) fn budget(&self, id: WorkloadId) -> Option<Rc<Budget>> {
        self.reads(self.keys.budgets, id.index());
        self.store.with(|s| s.budgets.get(id.index()).cloned().flatten())
    }

    /// All budgets, by id.
    pub(crate) fn budgets(&self) -> Vec<Rc<Budget>> {
        self.ctx.reads(self.keys.budgets.of(ALL));
        self.store.with(|s| s.budgets.iter().flatten().cloned().collect())
    }

    /// PUT of the status of a budget that was read before: refused if it has changed since.
    pub(crate) fn update_budget_status(
        &self,
        read: &Budget,
        status: BudgetStatus,
    ) -> Stored<Budget> {
        let old = self.budget(read.id).ok_or(ApiError::NotFound)?;
        let touch = || drop(self.commit_budget((*old).clone()));
        if old.uid != read.uid
            || self.is_outdated(read.resource_version, old.resource_version, touch)
        {
            return Err(ApiError::Conflict);
        }
        if old.status == status {
            return Ok(old);
        }
        Ok(self.commit_budget(Budget { status, ..(*old).clone() }))
    }

    fn commit_budget(&self, mut new: Budget) -> Rc<Budget> {
        self.writes(self.keys.budgets, new.id.index());
        new.resource_version = self.store.with(|s| s.next_version());
        let new = Rc::new(new);
        let old = self.store.with(|s| replace(&mut s.budgets, new.id.index(), Some(new.clone())));
        self.tell(|w| w.budget(old.as_ref(), Some(&new)));
        new
    }

    /// POST of an eviction in one step: the pod's budget is checked and charged, then the pod is
    /// deleted with this grace period or its own. Where another one charged the budget in this instant
    /// after this one had read it, what was read comes back, to be charged in vain.
    ///
    /// # Errors
    /// `TooManyRequests` where the budget forbids it for now, `NotCounted`, `Forbidden` and `Internal` where it
    /// can't be kept.
    pub(crate) fn evict(&self, actor: Actor, how: Eviction, id: PodId) -> ApiResult<Option<Begun>> {
        let (pod, budget) = self.pod_to_evict(actor, how, id)?;
        let mut charged = None;
        if let Some(budget) = budget {
            if let Some(read) = self.read_beside_another(&pod, &budget) {
                return Ok(Some((pod, Some(read))));
            }
            charged = Some(self.check_and_decrement(actor, &pod, &budget)?);
            *self.charged.borrow_mut() = Some((budget, self.ctx.now()));
        }
        self.evict_charged(actor, how, (&pod, charged))?;
        Ok(None)
    }

    /// The budget as an eviction that takes no time has read it before another one charged it in this
    /// instant, if it has. No more than one has: the recordings are of two processors.
    fn read_beside_another(&self, pod: &Pod, budget: &Budget) -> Option<Rc<Budget>> {
        let mut charged = self.charged.borrow_mut();
        charged.as_ref().filter(|(read, at)| read.id == budget.id && *at == self.ctx.now())?;
        let object = Object { id: pod.id.0, hash: self.names(|n| n.pod_hash(pod.id)) };
        if !self.ctx.yields(self.ctx.point("eviction-beside"), object, BESIDE) {
            return None;
        }
        self.writes(self.keys.budgets, budget.id.index());
        charged.take().map(|(read, _)| read)
    }

    /// The beginning of an eviction: the pod, and the budget that is to be charged, if one is.
    ///
    /// # Errors
    /// `NotFound`; `Internal` where several budgets select it.
    pub(crate) fn pod_to_evict(&self, actor: Actor, how: Eviction, id: PodId) -> ApiResult<Begun> {
        let pod = self.pod(id).ok_or(ApiError::NotFound)?;
        let free = how.rules.ended_pods_are_free && pod.phase.is_terminal()
            || how.rules.unstarted_pods_are_free
                && (pod.phase == PodPhase::Pending || pod.is_terminating());
        let budget = if free { None } else { self.budget_to_charge(actor, &pod, how.rules)? };
        Ok((pod, budget))
    }

    /// The end of an eviction, with the budget that was charged as it stood before.
    pub(crate) fn evict_charged(
        &self,
        actor: Actor,
        how: Eviction,
        (pod, charged): (&Pod, Option<BudgetState>),
    ) -> ApiResult {
        if pod.is_terminating() {
            return self.evict_granted(actor, how, pod);
        }
        let budget = charged.map_or(NO_BUDGET, |state| self.trace.with(|t| t.keep_budget(state)));
        let granted = self.record_pod(actor, pod.id, What::EvictionGranted(budget));
        self.with_cause(granted, || self.evict_granted(actor, how, pod))
    }

    /// DELETE of a pod by `kubectl drain --disable-eviction`: no budget is asked.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn drain_deletes(&self, actor: Actor, id: PodId, grace: Option<i64>) -> ApiResult {
        if self.pod(id).ok_or(ApiError::NotFound)?.is_terminating() {
            return self.delete_pod(actor, id, grace, None);
        }
        let record = self.record_pod(actor, id, What::DrainDeletes);
        self.with_cause(record, || self.delete_pod(actor, id, grace, None))
    }

    /// What follows once nothing holds an eviction up.
    fn evict_granted(&self, actor: Actor, how: Eviction, pod: &Pod) -> ApiResult {
        if how.rules.adds_disruption_target {
            let (reason, now) = (PodReason::EvictionByEvictionApi, self.timestamp());
            let condition = PodCondition::new(ConditionStatus::True, reason, now);
            self.patch_disruption_target(actor, pod.id, pod.uid, condition)?;
        }
        self.delete_pod(actor, pod.id, how.grace, Some(pod.uid))
    }

    /// The budget that an eviction of a pod is charged to; a refusal is recorded.
    fn budget_to_charge(
        &self,
        actor: Actor,
        pod: &Pod,
        rules: EvictionRules,
    ) -> ApiResult<Option<Rc<Budget>>> {
        let namespace = self.names(|n| namespace_of(n.pod_name(pod.id)).to_owned());
        let mut budgets = self.budgets();
        budgets.retain(|b| *b.namespace == *namespace && b.selector.matches(&pod.template.labels));
        let budget = match budgets.as_slice() {
            [] => return Ok(None),
            [one] => one,
            [first, ..] => {
                return Err(self.refuse(actor, pod, first, (Refusal::Several, ApiError::Internal)));
            }
        };
        let status = &budget.status;
        let met = status.current_healthy >= status.desired_healthy && status.desired_healthy > 0;
        let spared = rules.unready_pods_are_free
            && !pod.is_ready()
            && (budget.always_allow_unhealthy || met);
        Ok((!spared).then(|| budget.clone()))
    }

    /// `checkAndDecrement` of a budget that was read before. Gives the budget as it stood before; a
    /// refusal is recorded.
    ///
    /// # Errors
    /// `Conflict` where it has changed since; `NotCounted`, `TooManyRequests`, `Forbidden`.
    pub(crate) fn check_and_decrement(
        &self,
        actor: Actor,
        pod: &Pod,
        budget: &Budget,
    ) -> ApiResult<BudgetState> {
        let status = &budget.status;
        let refuse = |refusal| Err(self.refuse(actor, pod, budget, refusal));
        if status.observed_generation < budget.generation {
            return refuse((Refusal::NotObserved, ApiError::NotCounted));
        }
        let granted = status.disrupted_pods.len();
        if status.disruptions_allowed < 0 || granted > MAX_DISRUPTED_POD_SIZE {
            return refuse((Refusal::NotKept, ApiError::Forbidden));
        }
        if status.disruptions_allowed == 0 {
            return refuse((Refusal::NotAllowed, ApiError::TooManyRequests));
        }
        let mut charged = status.clone();
        charged.disruptions_allowed -= 1;
        charged.disrupted_pods.insert(pod.id, self.timestamp());
        self.update_budget_status(budget, charged)?;
        Ok(state(budget, Refusal::None))
    }

    /// Records that a budget refuses an eviction.
    fn refuse(
        &self,
        actor: Actor,
        pod: &Pod,
        budget: &Budget,
        (refusal, error): (Refusal, ApiError),
    ) -> ApiError {
        let state = self.trace.with(|t| t.keep_budget(state(budget, refusal)));
        self.record_pod(actor, pod.id, What::EvictionRefused(state));
        error
    }
}

/// How a budget stands, for a record.
fn state(budget: &Budget, refusal: Refusal) -> BudgetState {
    let status = &budget.status;
    BudgetState {
        budget: budget.id,
        rule: budget.rule,
        expected: status.expected_pods,
        desired: status.desired_healthy,
        healthy: status.current_healthy,
        allowed: status.disruptions_allowed,
        refusal,
    }
}
