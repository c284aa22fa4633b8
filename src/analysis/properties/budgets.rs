//! `budget-overdrawn`: the eviction API grants an eviction for which a budget has no room.
//!
//! A budget has room as long as more of its pods are Ready, and not being deleted, than it needs. What
//! it needs is what its status says, which is what the eviction was held against. The API server
//! takes that from the status, too, and knows no more than the disruption controller wrote there: a
//! grant is one too many where for the whole bound there was no room for it, those that were granted
//! meanwhile counted. The default bound is that of the other controllers' work: watches that pause
//! for up to a minute.
//!
//! Left out: evictions of pods that are not Ready, which take nothing from what is healthy, and those
//! that no budget is charged for.

use super::super::drains::budget_name;
use super::prelude::*;
use crate::api::labels::Selector;

/// A budget that evictions are charged to.
struct Budget<'a> {
    /// `namespace/`, as its pods' names begin.
    prefix: String,
    selector: &'a Selector,
    /// How many of its pods are healthy, over time.
    healthy: Vec<(Time, u32)>,
    /// When evictions of healthy pods were granted.
    granted: Vec<Time>,
}

impl<'a> Budget<'a> {
    /// One of the plan; `PodDisruptionBudget/namespace/name`.
    fn of(analysis: &'a Analysis<'a>, id: WorkloadId) -> Option<Self> {
        let name = analysis.trace.names.workload_name(id);
        let planned = analysis.plan.budgets.iter().find(|b| b.name == name)?;
        let namespace = name.split('/').nth(1)?;
        Some(Self {
            prefix: format!("{namespace}/"),
            selector: &planned.selector,
            healthy: vec![(Time::ZERO, 0)],
            granted: Vec::new(),
        })
    }

    fn selects(&self, follow: &Follow<'_>, analysis: &Analysis<'_>, pod: PodId) -> bool {
        let template = follow.template(pod);
        template.is_some_and(|template| self.selector.matches(&template.labels))
            && analysis.pod_name(pod).starts_with(&self.prefix)
    }

    /// One pod more is healthy, or one less.
    fn count(&mut self, at: Time, is_healthy: bool) {
        let now = self.healthy.last().map_or(0, |step| step.1);
        let now = if is_healthy { now + 1 } else { now.saturating_sub(1) };
        set(&mut self.healthy, at, now);
    }

    /// When there was room last, with so many that have to be healthy; evictions that were granted
    /// since then take from it.
    fn room_until(&self, now: Time, desired: i64) -> Option<Time> {
        let ends = self.healthy.iter().skip(1).map(|step| Some(step.0)).chain([None]);
        let mut spans: Vec<_> = self.healthy.iter().map(|step| step.1).zip(ends).collect();
        spans.reverse();
        spans.into_iter().find_map(|(healthy, end)| {
            let since = end.map_or(0, |end| self.granted.iter().filter(|at| **at >= end).count());
            (i64::from(healthy) - since as i64 > desired).then_some(end.unwrap_or(now))
        })
    }
}

pub(super) fn overdrawn<'a>(analysis: &'a Analysis<'a>, found: &mut Found, within: Dur) {
    let charged = |r: &Record| -> Option<&'a BudgetState> {
        matches!(r.what, What::EvictionGranted(_)).then(|| analysis.trace.budget(r))?
    };
    let ids: BTreeSet<WorkloadId> =
        analysis.trace.iter().filter_map(charged).map(|state| state.budget).collect();
    let budget = |id| Some((id, Budget::of(analysis, id)?));
    let mut budgets: BTreeMap<_, _> = ids.into_iter().filter_map(budget).collect();
    if budgets.is_empty() {
        return;
    }
    let is_healthy = |pod: &PodState| pod.exists && pod.ready && !pod.deleting;
    let mut follow = Follow::new(analysis);
    while let Some((id, r, step)) = follow.step() {
        let Some((pod, before, after)) = step.pod else { continue };
        // Of pods from the start the labels come with the record of their creation.
        let told = matches!(r.what, What::PodCreated(_)) && r.at == Time::ZERO;
        let (was, is) = (is_healthy(&before) && !told, is_healthy(&after));
        if was != is {
            let of_it = budgets.values_mut().filter(|b| b.selects(&follow, analysis, pod));
            of_it.for_each(|budget| budget.count(r.at, is));
        }
        let Some(state) = charged(r).filter(|_| is) else { continue };
        let Some(budget) = budgets.get_mut(&state.budget) else { continue };
        let room = budget.room_until(r.at, state.desired.into()).unwrap_or(Time::ZERO);
        budget.granted.push(r.at);
        if analysis.due(room, within).is_none_or(|over| over >= r.at) {
            continue;
        }
        let (name, of) = (analysis.pod_name(pod), budget_name(analysis, state.budget));
        let healthy = budget.healthy.last().map_or(0, |step| step.1);
        let text = format!(
            "{name} was evicted through the API at {:#} although {of} has had no room for it since {room:#}: it needs {} and has {healthy}",
            r.at,
            counted(state.desired, "healthy pod")
        );
        found.add(r.at, (Some(pod), after.node_id()), text, &[id]);
    }
}
