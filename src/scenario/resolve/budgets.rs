//! Disruption budgets: what the API accepts, and complaints about the rest.

use super::prelude::*;
use super::scheduling::selector;

/// The disruption budgets of a scenario, those of the timeline last.
#[derive(Default)]
pub(super) struct Budgets {
    pub(super) plans: Vec<BudgetPlan>,
    /// The release has `policy/v1`, in which an empty selector selects every pod of the namespace; in `policy/v1beta1` it
    /// selects none, as one that is missing does in both.
    pub(super) empty_selects_all: bool,
    /// Budgets could not be declared for a mistake of their own.
    pub(super) incomplete: bool,
}

impl Budgets {
    /// Declares a budget. One that is created later may have the name of one that was deleted
    /// before.
    pub(super) fn declare(
        &mut self,
        budget: &PodDisruptionBudget,
        place: &Spot,
        created_later: bool,
    ) -> Option<BudgetIndex> {
        let namespace = budget.namespace.as_deref().unwrap_or("default");
        let named = checks::object_name("disruption budget", &budget.name);
        if place.part("name").take(named).is_some() {
            place.part("namespace").take(checks::namespace(namespace));
        }
        let rule = rule(budget.min_available.as_ref(), budget.max_unavailable.as_ref(), place);
        let name = format!("PodDisruptionBudget/{namespace}/{}", budget.name);
        if !created_later && self.plans.iter().any(|b| b.name == name) {
            let text = format!("disruption budget `{namespace}/{}` is declared twice", budget.name);
            place.part("name").say(text);
        }
        let selector = self.selector(budget.selector.as_ref(), &place.part("selector"));
        let (Some(rule), Some(selector)) = (rule, selector) else {
            self.incomplete = true;
            return None;
        };
        let always_allow_unhealthy =
            budget.unhealthy_pod_eviction_policy == Some(UnhealthyPodEvictionPolicy::AlwaysAllow);
        self.plans.push(BudgetPlan { name, selector, rule, always_allow_unhealthy });
        Some(self.plans.len() as BudgetIndex - 1)
    }

    /// The pods that a budget is about (`pkg/registry/core/pod/storage/eviction.go`, v1.18: "a PDB with a nil or empty
    /// selector … should match nothing").
    fn selector(&self, written: Option<&LabelSelector>, place: &Spot) -> Option<Selector> {
        let Some(written) = written else { return Some(Selector::nothing()) };
        let selector = selector(written, place)?;
        let is_nothing = selector.is_empty() && !self.empty_selects_all;
        Some(if is_nothing { Selector::nothing() } else { selector })
    }

    /// The budget of that name: `web`, `shop/web`, `PodDisruptionBudget/shop/web`.
    pub(super) fn named(&self, text: &str) -> Result<BudgetIndex, Nothing> {
        let all = (0..).zip(&self.plans).map(|(i, budget)| (budget.name.as_str(), i));
        one_of(text, "budget", all)?.ok_or_else(|| {
            (!self.incomplete).then(|| {
                let all = self.plans.iter().flat_map(|b| [short_name(&b.name), shown(&b.name)]);
                Problem::new(format!("there is no disruption budget `{text}`"))
                    .meant(text, all)
                    .or_help("the scenario has none: `podDisruptionBudgets: [(name: …)]`, or `CreateBudget`")
            })
        })
    }
}

/// A budget's namespace and name.
fn shown(full: &str) -> &str {
    full.split_once('/').map_or(full, |(_, name)| name)
}

/// What a budget asks for: one of the two fields, or nothing.
pub(super) fn rule(
    min_available: Option<&FlagValue>,
    max_unavailable: Option<&FlagValue>,
    place: &Spot,
) -> Option<BudgetRule> {
    let amount = |value: &FlagValue, field: &'static str| {
        match place.part(field).take(checks::number_or_share(value, "25%"))? {
            // `apimachinery/pkg/util/validation`: `IsNotMoreThan100Percent`
            IntOrPercent::Percent(101..) => {
                place.part(field).deny(format!("`{field}` must not be greater than 100%"))
            }
            amount => Some(amount),
        }
    };
    match (min_available, max_unavailable) {
        (Some(_), Some(_)) => {
            place.part("maxUnavailable").deny("minAvailable and maxUnavailable cannot be both set")
        }
        (Some(min), None) => amount(min, "minAvailable").map(BudgetRule::MinAvailable),
        (None, Some(max)) => amount(max, "maxUnavailable").map(BudgetRule::MaxUnavailable),
        (None, None) => Some(BudgetRule::Neither),
    }
}
