//! By when something has to happen.
//!
//! While no controller runs, the API server answers nobody, requests are rejected or a watch stands still, nothing that
//! controllers do comes about in time, nor can it be said that it will not. A bound within which that was so counts from its
//! end. For what a search holds up see [`Analysis::due`].

use crate::analysis::prelude::*;

/// The bound of a property by which controllers or kubelets have to do something.
pub(super) struct Bound<'a> {
    analysis: &'a Analysis<'a>,
    within: Dur,
    /// When they could not, in order of its beginning.
    held_up: Vec<(Time, Time)>,
}

impl<'a> Bound<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>, within: Dur) -> Self {
        let holds_up =
            |act: &Do| matches!(act, Do::ApiDown | Do::StallWatches(..) | Do::RejectRequests(..));
        let acts = analysis.plan.actions.iter().filter(|a| holds_up(&a.act));
        let entries: BTreeSet<u32> = acts.map(|a| a.entry).collect();
        // What is open since when, by its entry; the controllers have none.
        let mut open: BTreeMap<Option<u32>, Time> = BTreeMap::new();
        let mut held_up = Vec::new();
        for r in analysis.trace.iter() {
            let who = match r.what {
                What::ControllersStopped | What::ControllersStarted => None,
                What::FaultBegan | What::FaultEnded if entries.contains(&r.object) => {
                    Some(r.object)
                }
                _ => continue,
            };
            if matches!(r.what, What::ControllersStopped | What::FaultBegan) {
                open.entry(who).or_insert(r.at);
            } else if let Some(from) = open.remove(&who) {
                held_up.push((from, r.at));
            } else if who.is_none() && held_up.is_empty() {
                // They had not been there from the start.
                held_up.push((Time::ZERO, r.at));
            }
        }
        held_up.extend(open.into_values().map(|from| (from, Time::MAX)));
        held_up.sort_unstable();
        Self { analysis, within, held_up }
    }

    /// When something is overdue that should have happened since then; none where that is beyond the end of time.
    pub(super) fn due(&self, since: Time) -> Option<Time> {
        let mut due = self.analysis.due(since, self.within)?;
        for &(from, to) in &self.held_up {
            if from <= due && to > since {
                due = due.max(self.analysis.due(to, self.within)?);
            }
        }
        Some(due)
    }
}
