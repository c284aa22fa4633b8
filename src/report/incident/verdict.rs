//! The verdict on a past outage: what of it the simulation explains.

use crate::analysis::matching::Matched;
use crate::kernel::{Dur, Time};
use crate::report::short;
use crate::report::text::counted;
use crate::report::wall_clock::WallClock;
use std::collections::BTreeMap;

/// What was recorded, what was simulated, and who else had a hand in it.
pub(crate) struct Verdict {
    /// Time zero of the simulation.
    pub(crate) clock: WallClock,
    /// What happened, a sentence each.
    pub(crate) told: Vec<String>,
    pub(crate) matched: Matched,
    /// How far a simulated time may be from the recorded one.
    pub(crate) tolerance: Dur,
    /// Pods that others deleted: when, and who.
    pub(crate) deletions: BTreeMap<String, (Time, String)>,
    /// How many seeds were run.
    pub(crate) seeds: u64,
    /// The notes of the plan.
    pub(crate) notes: Vec<String>,
}

impl Verdict {
    /// `118 of 120 evictions explained within 2s; 2 deletions came from user X through the API`
    pub(crate) fn sentence(&self) -> String {
        let all = self.matched.pairs.len() as u64;
        let mut parts = vec![match all {
            0 => "no eviction was recorded".to_owned(),
            _ => format!(
                "{} of {} explained within {}",
                self.matched.explained(self.tolerance),
                counted(all, "eviction"),
                short(self.tolerance)
            ),
        }];
        let only = self.matched.only_simulated.len() as u64;
        if only > 0 {
            parts.push(format!("{} simulated that nobody recorded", counted(only, "eviction")));
        }
        let mut by: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, who) in self.deletions.values() {
            *by.entry(who).or_default() += 1;
        }
        for (who, n) in by {
            let through = if who.contains("API") { "" } else { " through the API" };
            parts.push(format!("{} came from {who}{through}", counted(n, "deletion")));
        }
        parts.join("; ")
    }
}
