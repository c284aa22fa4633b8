//! Disruption budgets in words.

use super::setting::Analysis;
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::names::WorkloadId;
use crate::trace::{BudgetState, Refusal};

/// A budget's name: `budget default/web`.
pub(super) fn budget_name(analysis: &Analysis<'_>, budget: WorkloadId) -> String {
    let full = analysis.trace.names.workload_name(budget);
    format!("budget {}", full.split_once('/').map_or(full, |(_, name)| name))
}

/// What a budget asks for: `minAvailable 80%`.
pub(super) fn asks(rule: BudgetRule) -> String {
    format!("{} {}", rule.field(), rule.amount())
}

/// Why a budget allows what it allows: `budget default/web (minAvailable 80%: 4 of 4, rounded up)
/// has 4 healthy pods and allows none to go`.
pub(super) fn stand(analysis: &Analysis<'_>, b: &BudgetState) -> String {
    let name = budget_name(analysis, b.budget);
    match b.refusal {
        Refusal::Several => {
            return "several disruption budgets select it, which the eviction API does not support"
                .to_owned();
        }
        Refusal::NotObserved => {
            return format!("{name} ({}) has not been looked at since it changed", asks(b.rule));
        }
        Refusal::NotKept => return format!("{name} has too many evictions that do not show yet"),
        Refusal::None | Refusal::NotAllowed => {}
    }
    if b.never_allows() {
        return format!("{name} {}, and so never allows one", needs(b));
    }
    let spent = if b.refusal == Refusal::NotAllowed && b.healthy > b.desired {
        ", and others are on their way out"
    } else {
        ""
    };
    format!("{name} {}; {} of {} healthy{spent}", needs(b), b.healthy, b.expected)
}

/// How many healthy pods a budget needs, and how that follows: `needs 4 of 4 (minAvailable 80% =
/// 3.2, rounded up)`.
pub(super) fn needs(b: &BudgetState) -> String {
    let (rule, expected) = (asks(b.rule), b.expected);
    let how = match b.rule.amount() {
        IntOrPercent::Int(_) => String::new(),
        IntOrPercent::Percent(share) => {
            let hundredths = i64::from(share) * i64::from(expected);
            let rounded = if hundredths % 100 == 0 { "" } else { ", rounded up" };
            let exact = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            format!(" = {}{rounded}", exact.trim_end_matches('0').trim_end_matches('.'))
        }
    };
    format!("needs {} of {expected} ({rule}{how})", b.desired)
}
