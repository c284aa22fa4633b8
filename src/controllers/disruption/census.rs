//! The pods of each budget, counted as they change: a sync needs numbers, and which workloads the
//! pods belong to, but no pod.

use super::tally::Tally;
use crate::api::budget::Budget;
use crate::api::labels::Selectors;
use crate::controllers::prelude::*;

/// The pods of all budgets.
#[derive(Default)]
pub(super) struct Census {
    tallies: BTreeMap<WorkloadId, Tally>,
    /// By namespace.
    selectors: BTreeMap<Rc<str>, Selectors<WorkloadId>>,
    /// Budgets that are not counted yet.
    fresh: BTreeSet<WorkloadId>,
    /// By pod: the budgets that select it, by id.
    of_pod: Vec<Rc<[WorkloadId]>>,
    none: Rc<[WorkloadId]>,
}

impl Census {
    /// Takes in a budget, if it was not known, or selects other pods than before: one that was
    /// deleted and created anew.
    pub(super) fn add_budget(&mut self, budget: &Budget) {
        if self.tallies.get(&budget.id).is_some_and(|t| t.selector != budget.selector) {
            self.remove_budget(budget);
        }
        if !self.tallies.contains_key(&budget.id) {
            self.selectors
                .entry(budget.namespace.clone())
                .or_default()
                .insert(&budget.selector, budget.id);
            self.tallies.insert(budget.id, Tally::new(&budget.selector));
            self.fresh.insert(budget.id);
        }
    }

    /// Forgets a budget that was deleted.
    pub(super) fn remove_budget(&mut self, budget: &Budget) {
        let Some(tally) = self.tallies.remove(&budget.id) else { return };
        if let Some(selectors) = self.selectors.get_mut(&budget.namespace) {
            selectors.remove(&tally.selector, budget.id);
        }
        self.fresh.remove(&budget.id);
        for of in self.of_pod.iter_mut().filter(|of| of.contains(&budget.id)) {
            *of = of.iter().copied().filter(|id| *id != budget.id).collect();
        }
    }

    /// Whether there are budgets whose pods are still to be [counted](Self::count).
    pub(super) fn is_behind(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Counts all pods for the budgets that are new.
    pub(super) fn count<'a>(&mut self, pods: &[Rc<Pod>], namespace: impl Fn(&Pod) -> &'a str) {
        let fresh = std::mem::take(&mut self.fresh);
        for pod in pods {
            let ids = self.selecting(pod, namespace(pod));
            self.each(ids.iter().filter(|id| fresh.contains(id)), |tally| tally.add(pod));
            *self.of(pod.id) = ids;
        }
    }

    fn of(&mut self, pod: PodId) -> &mut Rc<[WorkloadId]> {
        if self.of_pod.len() <= pod.index() {
            self.of_pod.resize(pod.index() + 1, self.none.clone());
        }
        &mut self.of_pod[pod.index()]
    }

    fn each<'a>(
        &mut self,
        budgets: impl Iterator<Item = &'a WorkloadId>,
        change: impl Fn(&mut Tally),
    ) {
        for id in budgets {
            if let Some(tally) = self.tallies.get_mut(id) {
                change(tally);
            }
        }
    }

    fn selecting(&self, pod: &Pod, namespace: &str) -> Rc<[WorkloadId]> {
        let Some(selectors) = self.selectors.get(namespace) else { return self.none.clone() };
        let labels = &pod.template.labels;
        let selects =
            |id: &WorkloadId| self.tallies.get(id).is_some_and(|t| t.selector.matches(labels));
        let mut ids: Vec<WorkloadId> = selectors.candidates(labels).filter(selects).collect();
        ids.sort_unstable();
        if ids.is_empty() { self.none.clone() } else { ids.into() }
    }

    /// Takes another version of a pod in the place of the old one.
    pub(super) fn pod_changed(
        &mut self,
        old: Option<&Pod>,
        new: Option<&Pod>,
        namespace: impl FnOnce() -> Rc<str>,
    ) {
        let Some(id) = new.or(old).map(|p| p.id) else { return };
        let before = self.of(id).clone();
        let after = match (old, new) {
            (Some(old), Some(new)) if Rc::ptr_eq(&old.template, &new.template) => before.clone(),
            (_, Some(new)) => self.selecting(new, &namespace()),
            (_, None) => self.none.clone(),
        };
        if let (Some(old), Some(new), true) = (old, new, Rc::ptr_eq(&before, &after)) {
            return self.each(before.iter(), |tally| tally.replace(old, new));
        }
        if let Some(old) = old {
            self.each(before.iter(), |tally| tally.remove(old));
        }
        if let Some(new) = new {
            self.each(after.iter(), |tally| tally.add(new));
        }
        *self.of(id) = after;
    }

    /// The budgets that select a pod: one that is there, or one that was.
    pub(super) fn budgets_of(
        &mut self,
        pod: &Pod,
        is_there: bool,
        namespace: impl FnOnce() -> Rc<str>,
    ) -> Rc<[WorkloadId]> {
        if is_there { self.of(pod.id).clone() } else { self.selecting(pod, &namespace()) }
    }

    /// What is known of a budget's pods.
    pub(super) fn tally(&mut self, budget: WorkloadId) -> Option<&mut Tally> {
        self.tallies.get_mut(&budget)
    }

    /// Whether a budget selects a pod that is there.
    pub(super) fn selects(&self, budget: WorkloadId, pod: PodId) -> bool {
        self.of_pod.get(pod.index()).is_some_and(|of| of.binary_search(&budget).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tally::Owner;
    use super::super::tally::Scale;
    use super::super::tally::is_healthy;
    use super::*;
    use crate::api::budget::{BudgetRule, BudgetStatus, IntOrPercent};
    use crate::api::labels::Selector;
    use crate::api::meta::Uid;
    use crate::api::meta::{ConditionStatus, OwnerReference, Timestamp};
    use crate::api::pod::{Deletion, PodCondition, PodPhase, PodReason, PodTemplate};

    /// Whether it is ready, being deleted, its label, its owner, and whether its template is a new
    /// one.
    type State = (bool, bool, u8, Option<(u32, u64)>);

    fn template(label: u8, owner: Option<(u32, u64)>) -> Rc<PodTemplate> {
        let owner = owner.map(|(id, uid)| OwnerReference {
            kind: "ReplicaSet".to_owned(),
            name: "web".to_owned(),
            object: Some((WorkloadId(id), Uid(uid))),
        });
        let labels = [("app".to_owned(), format!("v{label}"))].into();
        Rc::new(PodTemplate { labels, owner, ..PodTemplate::default() })
    }

    fn pod(id: u32, (ready, terminating, label, owner): State) -> Rc<Pod> {
        let condition = PodCondition {
            status: ConditionStatus::True,
            reason: PodReason::None,
            last_transition_time: Timestamp(0),
        };
        Rc::new(Pod {
            id: PodId(id),
            uid: Uid(u64::from(id)),
            resource_version: 0,
            record: 0,
            template: template(label, owner),
            creation_timestamp: Timestamp(0),
            start_time: None,
            job_finalizer: false,
            stuck: None,
            has_claims: false,
            unscheduled: None,
            node: None,
            deletion: terminating
                .then_some(Deletion { timestamp: Timestamp(0), grace_period_seconds: 0 }),
            phase: PodPhase::Running,
            evicted: false,
            restarts: Default::default(),
            ready: ready.then_some(condition),
            disruption_target: None,
        })
    }

    fn budget(id: u32, selector: &str) -> Budget {
        Budget {
            id: WorkloadId(id),
            uid: Uid(0),
            resource_version: 0,
            generation: 1,
            namespace: "default".into(),
            selector: Rc::new(Selector::parse(selector).expect("a selector")),
            rule: BudgetRule::MaxUnavailable(IntOrPercent::Int(1)),
            always_allow_unhealthy: false,
            status: BudgetStatus::default(),
        }
    }

    /// What `getExpectedScale` finds over all pods: the sum, the pods that it can't go on at, and
    /// those without a controller.
    fn expected_plainly(
        pods: &[&Rc<Pod>],
        scale: &impl Fn(Owner) -> Scale,
    ) -> (i32, BTreeSet<(PodId, Owner)>, BTreeSet<PodId>) {
        let (mut scales, mut unscaled, mut unmanaged) =
            (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        for pod in pods {
            match pod.controller().map(|owner| (owner, scale(owner))) {
                Some((_, Scale::Of(top, replicas))) => drop(scales.insert(top, replicas)),
                Some((owner, Scale::Unknown)) => drop(unscaled.insert((pod.id, owner))),
                None => drop(unmanaged.insert(pod.id)),
            }
        }
        (scales.values().sum(), unscaled, unmanaged)
    }

    #[derive(Clone, Debug)]
    enum Step {
        Budget(usize),
        Gone(usize),
        Pod(u32, Option<State>),
        /// Another version of a pod with the template that it has.
        Ready(u32, bool),
        Scale(u32, u8),
        Sync,
    }

    fn steps() -> impl proptest::strategy::Strategy<Value = Vec<Step>> {
        use proptest::prelude::*;
        let owner = proptest::option::weighted(0.9, (0..4_u32, 0..2_u64));
        let state = (any::<bool>(), any::<bool>(), 0..3_u8, owner);
        let step = prop_oneof![
            2 => (0..4_usize).prop_map(Step::Budget),
            1 => (0..4_usize).prop_map(Step::Gone),
            6 => (0..10_u32, proptest::option::weighted(0.8, state)).prop_map(|(p, s)| Step::Pod(p, s)),
            3 => (0..10_u32, any::<bool>()).prop_map(|(p, r)| Step::Ready(p, r)),
            2 => (0..4_u32, 0..6_u8).prop_map(|(w, n)| Step::Scale(w, n)),
            3 => Just(Step::Sync),
        ];
        proptest::collection::vec(step, 1..80)
    }

    proptest::proptest! {
        /// What is kept up to date says the same as a look at every pod.
        #[test]
        fn as_counted_plainly(steps in steps()) {
            let budgets = [budget(9, "app=v0"), budget(5, "app in (v0,v1)"), budget(7, "app"), budget(3, "!app")];
            let (mut census, mut known, mut pods) = (Census::default(), BTreeSet::new(), BTreeMap::<u32, Rc<Pod>>::new());
            // Workloads 2 and 3 belong to one at the top where they have a scale; 4 and 5 are no
            // scale.
            let (mut scales, mut changes) = ([1_u8, 2, 3, 4], Vec::new());
            for step in steps {
                let (id, new) = match step {
                    Step::Budget(i) => {
                        census.add_budget(&budgets[i]);
                        known.insert(i);
                        continue;
                    }
                    Step::Gone(i) => {
                        census.remove_budget(&budgets[i]);
                        known.remove(&i);
                        continue;
                    }
                    Step::Scale(workload, n) => {
                        scales[workload as usize] = n;
                        // Those at one top change together.
                        changes.extend(if workload < 2 { vec![workload] } else { vec![2, 3] }.into_iter().map(WorkloadId));
                        continue;
                    }
                    Step::Sync => {
                        if census.is_behind() {
                            census.count(&pods.values().cloned().collect::<Vec<_>>(), |_| "default");
                        }
                        let top = scales[2];
                        let scale = |(id, uid): Owner| match (id.0, uid.0, scales[id.0 as usize]) {
                            (_, 1, _) | (0 | 1, _, 4 | 5) => Scale::Unknown,
                            (0 | 1, _, n) => Scale::Of(Uid(u64::from(id.0)), i32::from(n)),
                            _ => Scale::Of(Uid(100), i32::from(top)),
                        };
                        for i in &known {
                            let of = &budgets[*i];
                            let selected: Vec<_> = pods.values().filter(|p| of.selector.matches(&p.template.labels)).collect();
                            let healthy = selected.iter().filter(|p| is_healthy(p)).count() as i32;
                            let tally = census.tally(of.id).expect("a budget that is known");
                            let since = tally.seen_changes.unwrap_or(changes.len());
                            tally.take_scales(changes.len(), &changes[since..], scale);
                            proptest::prop_assert_eq!((tally.pods, tally.healthy), (selected.len(), healthy));
                            let found = (tally.expected, tally.unscaled().into_iter().collect(), tally.unmanaged.clone());
                            proptest::prop_assert_eq!(found, expected_plainly(&selected, &scale));
                            let of_census: Vec<u32> = (0..10).filter(|p| census.selects(of.id, PodId(*p))).collect();
                            proptest::prop_assert_eq!(of_census, selected.iter().map(|p| p.id.0).collect::<Vec<_>>());
                        }
                        continue;
                    }
                    Step::Pod(id, state) => (id, state.map(|state| pod(id, state))),
                    Step::Ready(id, ready) => {
                        let Some(old) = pods.get(&id) else { continue };
                        (id, Some(Rc::new(Pod { template: old.template.clone(), ..(*pod(id, (ready, false, 0, None))).clone() })))
                    }
                };
                if census.is_behind() {
                    census.count(&pods.values().cloned().collect::<Vec<_>>(), |_| "default");
                }
                let old = match &new {
                    Some(new) => pods.insert(id, new.clone()),
                    None => pods.remove(&id),
                };
                census.pod_changed(old.as_deref(), new.as_deref(), || "default".into());
                if let Some(p) = new.as_ref().or(old.as_ref()) {
                    let selecting = census.budgets_of(p, new.is_some(), || "default".into());
                    let selects = |i: &&usize| budgets[**i].selector.matches(&p.template.labels);
                    let mut wanted: Vec<_> = known.iter().filter(selects).map(|i| budgets[*i].id).collect();
                    wanted.sort_unstable();
                    proptest::prop_assert_eq!(&*selecting, &*wanted);
                }
            }
        }
    }
}
