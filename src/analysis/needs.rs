//! What workloads need: what the scenario says, otherwise what the budgets over their pods demand, the
//! highest of several, otherwise one pod; and nothing while they ask for no pods.
//!
//! A budget counts the pods of all workloads that its selector matches together
//! (`pkg/controller/disruption/disruption.go: getExpectedPodCount`). Of what it demands a workload needs what
//! is left if the others have all the pods that they ask for: with fewer of its own the budget is broken,
//! however well the others fare.

use super::prelude::*;
use crate::plan::BudgetPlan;

/// What a workload needs.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Need {
    /// What the scenario says: this number, or this share, of the pods that it asks for.
    Said(IntOrPercent),
    /// What a budget demands that is over other workloads, too, and over so many pods without one.
    Budget { rule: BudgetRule, others: Vec<usize>, bare: u32 },
}

/// What workloads need, and which of them share budgets. Workloads go by the numbers of their ids.
pub(super) struct Needs {
    /// By workload; none of one of which nothing is said.
    all: Vec<Vec<Need>>,
    /// By workload, those that need more or fewer pods as it asks for others.
    concerned: Vec<Vec<usize>>,
}

impl Needs {
    pub(super) fn new(analysis: &Analysis<'_>, owners: &Owners) -> Self {
        let (plan, names) = (analysis.plan, &analysis.trace.names);
        let own = |w: &WorkloadPlan| {
            names.find_workload(&w.name).filter(|id| owners.root_of(*id) == Some(*id))
        };
        let workloads: BTreeMap<usize, &WorkloadPlan> =
            plan.workloads.iter().filter_map(|w| Some((own(w)?.index(), w))).collect();
        let count = names.workloads();
        let mut needs = Needs { all: vec![Vec::new(); count], concerned: vec![Vec::new(); count] };
        for (i, w) in &workloads {
            needs.all[*i].extend(w.needs.map(Need::Said));
        }
        for budget in plan.budgets.iter().filter(|b| b.rule != BudgetRule::Neither) {
            let is_over = |name: &str, template: u32| {
                let template = plan.templates.get(template as usize);
                namespace_of(&budget.name) == namespace_of(name)
                    && template.is_some_and(|t| budget.selector.matches(&t.labels))
            };
            let over = workloads.iter().filter(|(_, w)| is_over(&w.name, w.template));
            let over: Vec<usize> = over.map(|(i, _)| *i).collect();
            let has_no_owner = |pod| owners.of(analysis, pod).is_none();
            let is_bare = |p: &&PodPlan| {
                p.start != PodStart::Absent
                    && is_over(&p.name, p.template)
                    && names.find_pod(&p.name).is_some_and(has_no_owner)
            };
            let bare = if over.is_empty() { 0 } else { plan.pods.iter().filter(is_bare).count() };
            needs.add(budget, &over, u32::try_from(bare).unwrap_or(u32::MAX));
        }
        needs
    }

    /// Adds what a budget over some workloads demands of those of which the scenario says nothing.
    fn add(&mut self, budget: &BudgetPlan, over: &[usize], bare: u32) {
        for &own in over {
            if matches!(self.all[own].first(), Some(Need::Said(_))) {
                continue;
            }
            let others: Vec<usize> = over.iter().copied().filter(|other| *other != own).collect();
            others.iter().for_each(|other| self.concerned[*other].push(own));
            self.all[own].push(Need::Budget { rule: budget.rule, others, bare });
        }
    }

    /// How many pods a workload needs, as workloads ask for so many.
    pub(super) fn of(&self, workload: usize, asked: impl Fn(usize) -> u32) -> u32 {
        let own = asked(workload);
        if own == 0 {
            return 0;
        }
        let need = |need: &Need| match need {
            Need::Said(n) => n.of(signed(own)),
            Need::Budget { rule, others, bare } => {
                let others = others.iter().fold(0, |sum: u32, o| sum.saturating_add(asked(*o)));
                left_to(*rule, own, others, *bare)
            }
        };
        let needs = self.all.get(workload).into_iter().flatten().map(need).max();
        needs.map_or(1, |n| u32::try_from(n).unwrap_or(0))
    }

    /// Those whose needs change with how many pods a workload asks for, but for its own.
    pub(super) fn concerned(&self, workload: usize) -> &[usize] {
        self.concerned.get(workload).map_or(&[], Vec::as_slice)
    }
}

fn signed(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

/// What a budget demands of a workload that asks for `own` pods, while others under it have all of theirs. A
/// number is one of all pods; a share is one of those that workloads ask for, rounded up.
fn left_to(rule: BudgetRule, own: u32, others: u32, bare: u32) -> i32 {
    let (own, others, bare) = (signed(own), signed(others), signed(bare));
    let all = own.saturating_add(others);
    match rule {
        BudgetRule::MinAvailable(n @ IntOrPercent::Int(_)) => {
            n.of(all).saturating_sub(others).saturating_sub(bare)
        }
        BudgetRule::MinAvailable(share) => share.of(all).saturating_sub(others),
        BudgetRule::MaxUnavailable(n) => own.saturating_sub(n.of(all)),
        BudgetRule::Neither => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scaled to none, or a Job that is done.
    #[test]
    fn who_asks_for_no_pod_needs_none() {
        let said = Need::Said(IntOrPercent::Int(2));
        let needs = Needs { all: vec![vec![said]], concerned: vec![Vec::new()] };
        assert_eq!([0, 1, 3].map(|own| needs.of(0, |_| own)), [0, 2, 2]);
    }

    /// Of three pods, beside another three and one without a workload.
    #[test]
    fn a_budget_leaves_what_others_do_not_make_up_for() {
        use BudgetRule::{MaxUnavailable, MinAvailable};
        use IntOrPercent::{Int, Percent};
        for (rule, alone, beside) in [
            // 4 pods of 7, of which 3 and 1 are others.
            (MinAvailable(Int(4)), 4, 0),
            (MinAvailable(Int(6)), 6, 2),
            // 60 % of 3 are 1.8, rounded up 2; of 6 they are 3.6, 4.
            (MinAvailable(Percent(60)), 2, 1),
            (MaxUnavailable(Int(1)), 2, 2),
            // 50 % of 3 are 1.5, rounded up 2; of 6 they are 3.
            (MaxUnavailable(Percent(50)), 1, 0),
        ] {
            assert_eq!(left_to(rule, 3, 0, 0), alone, "{rule:?}");
            assert_eq!(left_to(rule, 3, 3, 1), beside, "{rule:?}");
        }
    }

    /// `p` and `q` share a budget of 5. As `q` is scaled from 3 to 1, `p` comes to need all of its three. Of `r`, which the
    /// budget is over, too, the scenario says what it needs.
    #[test]
    fn needs_follow_what_others_ask_for() {
        let (p, q, r) = (0, 1, 2);
        let mut needs = Needs { all: vec![Vec::new(); 3], concerned: vec![Vec::new(); 3] };
        needs.all[r].push(Need::Said(IntOrPercent::Percent(50)));
        let rule = BudgetRule::MinAvailable(IntOrPercent::Int(5));
        let selector = crate::api::labels::Selector::default();
        let name = "PodDisruptionBudget/default/all".to_owned();
        let budget = BudgetPlan { name, selector, rule, always_allow_unhealthy: false };
        needs.add(&budget, &[p, q, r], 0);
        for (asked, needed) in
            [([3, 3, 1], [1, 1, 1]), ([3, 1, 1], [3, 1, 1]), ([3, 1, 4], [0, 0, 2])]
        {
            assert_eq!([p, q, r].map(|w| needs.of(w, |other| asked[other])), needed, "{asked:?}");
        }
        assert_eq!((needs.concerned(q), needs.concerned(r)), (&[p][..], &[p, q][..]));
    }
}
