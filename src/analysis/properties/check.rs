//! Which checker finds the violations of which property.

use super::super::setting::Analysis;
use super::property::Property;
use super::violation::Violation;
use super::{
    evict_loop, false_unknown, needless_eviction, never_ready, never_tainted, pod_stuck,
    stale_ready, taint_lost, taint_stale, timer_reset, wrong_pod,
};

/// The places in a run where a property does not hold, in order of time.
pub fn check(property: &Property, analysis: &Analysis<'_>) -> Vec<Violation> {
    let mut found = match *property {
        Property::PodStuck { within } => pod_stuck::check(analysis, within),
        Property::NeedlessEviction => needless_eviction::check(analysis),
        Property::WrongPod => wrong_pod::check(analysis),
        Property::TimerReset => timer_reset::check(analysis),
        Property::TaintLost => taint_lost::check(analysis),
        Property::TaintStale { within } => taint_stale::check(analysis, within),
        Property::NeverReady { within } => never_ready::check(analysis, within),
        Property::NeverTainted { within } => never_tainted::check(analysis, within),
        Property::EvictLoop { more_than } => evict_loop::check(analysis, more_than),
        Property::FalseUnknown { silent } => false_unknown::check(analysis, silent),
        Property::StaleReady { within } => stale_ready::check(analysis, within),
        Property::Deterministic | Property::Expect => Vec::new(),
    };
    found.sort_by_key(|v| (v.at, v.node, v.pod));
    for violation in &mut found {
        violation.records.sort_unstable();
        violation.records.dedup();
    }
    found
}
