//! Evictions by the eviction API: who holds a drain up, whether that can ever end, and what would
//! let it go on.

use super::super::drains::budget_name;
use super::prelude::*;

/// For so long a budget takes a pod for one whose eviction was granted and is still to be seen (`DeletionTimeout`).
const TAKEN_FOR_EVICTED: Dur = Dur::from_secs(120);

/// Refusals of one budget: the first, how many, and the time of the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// The first refusal.
    pub(super) first: RecordId,
    pub(super) since: Time,
    last: RecordId,
    until: Time,
    times: u64,
}

/// Refusals by budget.
#[derive(Clone, Debug, Default)]
pub(super) struct Refusals(BTreeMap<WorkloadId, Held>);

impl Refusals {
    /// Takes a record in, if it is a refusal.
    pub(super) fn add(&mut self, question: Question<'_>, id: RecordId, r: &Record) {
        let (What::EvictionRefused(_), Some(state)) = (r.what, question.analysis.trace.budget(r))
        else {
            return;
        };
        let new = Held { first: id, since: r.at, last: id, until: r.at, times: 0 };
        let held = self.0.entry(state.budget).or_insert(new);
        (held.last, held.until, held.times) = (id, r.at, held.times + 1);
    }

    pub(super) fn held(&self) -> impl Iterator<Item = &Held> {
        self.0.values()
    }

    pub(super) fn last(&self) -> Option<Time> {
        self.0.values().map(|h| h.until).max()
    }

    /// A step for each budget.
    pub(super) fn steps(&self, question: Question<'_>) -> Vec<Step> {
        let analysis = question.analysis;
        let say = |h: &Held| {
            let r = analysis.trace.get(h.first)?;
            let times = match h.times {
                1 => String::new(),
                n => format!("refused {} times until {}: ", grouped(n), absolute(h.until)),
            };
            let again = analysis.trace.budget(r).is_some_and(|b| b.refusal.is_tried_again());
            let then = if again { "tries again after 5 s" } else { "does not try again" };
            Some(question.step((h.first, r), Some(format!("{times}kubectl {then}"))))
        };
        self.0.values().filter_map(say).collect()
    }

    /// The budgets as they stood at their last refusals.
    fn states<'a>(&self, question: Question<'a>) -> Vec<&'a BudgetState> {
        let trace = question.analysis.trace;
        self.0.values().filter_map(|h| trace.budget(trace.get(h.last)?)).collect()
    }

    /// `budget default/web held its eviction up`
    pub(super) fn verdict(&self, question: Question<'_>, what: &str) -> String {
        let states = self.states(question);
        let name = |s: &&BudgetState| budget_name(question.analysis, s.budget);
        let names = states.iter().map(name).collect::<Vec<_>>().join(" and ");
        if states.iter().any(|s| s.refusal == Refusal::Several) {
            return format!("{names} is one of several over one pod, so that {what} fails");
        }
        let never = states.iter().any(|s| s.never_allows());
        format!("{names} held {what} up{}", if never { ", and would for ever" } else { "" })
    }

    /// Pods that a budget does not take for healthy although they are Ready: one of that name was evicted
    /// without a grace period just before, and its budget knows evicted pods by their names
    /// (`pkg/controller/disruption/disruption.go: buildDisruptedPodMap`).
    pub(super) fn namesakes(&self, question: Question<'_>) -> Vec<String> {
        let (analysis, trace) = (question.analysis, question.analysis.trace);
        let mut follow = Follow::new(analysis);
        let mut evicted: BTreeMap<PodId, (WorkloadId, Time)> = BTreeMap::new();
        let mut found = BTreeMap::new();
        while let Some((id, r, step)) = follow.step_until(question.until) {
            match (r.what, step.pod) {
                (What::PodGone, Some((pod, before, _))) if !before.deleting => {
                    let budget = |(_, c): Told<'_>| match c.what {
                        What::EvictionGranted(_) => trace.budget(c).map(|state| state.budget),
                        _ => None,
                    };
                    let charged = chain(trace, id).take(3).find_map(budget);
                    evicted.extend(charged.map(|budget| (pod, (budget, r.at))));
                }
                (What::EvictionRefused(_), _) => {
                    let by = trace.budget(r).map(|state| state.budget);
                    let counts = |(pod, (budget, at)): &(&PodId, &(WorkloadId, Time))| {
                        by == Some(*budget)
                            && self.0.contains_key(budget)
                            && r.at < at.saturating_add(TAKEN_FOR_EVICTED)
                            && follow.pod(**pod).is_available()
                    };
                    let taken = evicted.iter().filter(counts);
                    found.extend(taken.map(|(pod, (_, at))| (*pod, *at)));
                }
                _ => {}
            }
        }
        let say = |(pod, at): (PodId, Time)| {
            format!(
                "{} was evicted at {} without a grace period, and gone at once: its budget takes the pod that came in its place for the \
                 one that is about to go, and not for healthy, for two minutes",
                analysis.pod_name(pod),
                absolute(at)
            )
        };
        found.into_iter().map(say).collect()
    }

    /// What would have let it go on.
    pub(super) fn remedies(&self, question: Question<'_>, pod: Option<PodId>) -> Vec<Remedy> {
        let analysis = question.analysis;
        let mut found = Vec::new();
        for state in self.states(question).into_iter().filter(|s| s.never_allows()) {
            let name = budget_name(analysis, state.budget);
            if let (Some((replicas, text)), Some(pod)) = (enough(state), pod) {
                let owner = Owners::new(analysis).of(analysis, pod);
                let owner = owner.map(|w| short_name(analysis.trace.names.workload_name(w)));
                let all = || analysis.plan.workloads.iter().map(|w| short_name(&w.name));
                let unique = |n: &&str| all().filter(|name| name == n).count() == 1;
                let path = |w| format!("workloads.{w}.replicas={replicas}");
                let text =
                    format!("with {replicas} replicas {name} would let one go at a time: {text}");
                found.push(Remedy { text, set: owner.filter(unique).map(path) });
            }
            let budget = name.trim_start_matches("budget ");
            let instead = format!("`PatchBudget(budget: \"{budget}\", maxUnavailable: 1)`");
            found.push(Remedy { text: format!(
                "with maxUnavailable 1 instead {name} would let one go at a time, whatever there are: {instead}"
            ), set: None });
        }
        found
    }
}

/// How many pods there would have to be for a share to leave one of them over, and the arithmetic.
fn enough(state: &BudgetState) -> Option<(i32, String)> {
    let BudgetRule::MinAvailable(share @ IntOrPercent::Percent(p)) = state.rule else {
        return None;
    };
    // One is left over once the rest, (100 - p) % of them, is one whole pod.
    let left = Some(100 - p).filter(|left| *left > 0)?;
    let replicas = 100 / left + i32::from(100 % left != 0);
    Some((replicas, format!("{share} of {replicas}, rounded up, is {}", share.of(replicas))))
}
