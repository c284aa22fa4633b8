//! Costs and spans of time in words.

use super::style::counted;
use crate::analysis::clock::short;
use crate::analysis::{Costs, Figure, grouped};
use crate::kernel::Dur;

/// `34.2 replica-minutes missing; below need for 5m40s, at most 5m40s at a stretch; none up for 3m`
pub(super) fn missing(costs: &Costs) -> String {
    let mut said = format!("{} missing", tenths(costs.missing_ns, "replica-minute"));
    if !costs.below_need.is_zero() {
        said.push_str(&format!("; below need for {}", short(nearest_ms(costs.below_need))));
        if costs.longest_below_need < costs.below_need {
            said.push_str(&format!(
                ", at most {} at a stretch",
                short(nearest_ms(costs.longest_below_need))
            ));
        }
    }
    if !costs.none_up.is_zero() {
        said.push_str(&format!("; none up for {}", short(nearest_ms(costs.none_up))));
    }
    said
}

/// `4.1 %, as if all had been lost for 1m14s`
pub(super) fn requests_lost(costs: &Costs) -> String {
    if costs.requests_lost == 0 {
        return "none".to_owned();
    }
    let thousandths = (costs.requests_lost * 100_000).div_ceil(costs.requests.max(1));
    let seconds = Figure::RequestsLostMinutes.of(costs) * 60.0;
    let span = short(Dur::from_millis((seconds * 1000.0).round() as u64));
    format!(
        "{}.{:03} %, as if all had been lost for {span}",
        thousandths / 1_000,
        thousandths % 1_000
    )
}

/// `3 pods at the end, 12 at one time, the longest for 10m`
pub(super) fn pending(costs: &Costs) -> String {
    let (end, most) = (counted(costs.pending_at_end, "pod"), grouped(costs.most_pending));
    format!(
        "{end} at the end, {most} at one time, one of them for {}",
        short(nearest_ms(costs.longest_pending))
    )
}

/// `12.3 minutes` of pod-nanoseconds; what would read as none is written in seconds.
pub(crate) fn tenths(ns: u128, unit: &str) -> String {
    if (1..3_000_000_000).contains(&ns) {
        return format!("{:.3} {}s", ns as f64 / 1e9, unit.replace("minute", "second"));
    }
    let tenths = (ns + 3_000_000_000) / 6_000_000_000;
    format!("{}.{} {unit}s", grouped((tenths / 10) as u64), tenths % 10)
}

/// Without what is less than a millisecond.
pub(super) fn whole_ms(d: Dur) -> Dur {
    Dur::from_millis(d.as_millis())
}

/// To the nearest millisecond.
fn nearest_ms(d: Dur) -> Dur {
    whole_ms(d.saturating_add(Dur::from_micros(500)))
}
