//! What became of a pod: evicted, and by which rule; not evicted, and why not; deleted by somebody
//! else; pending.

mod case;
mod evicted;
mod imported;
mod inquiry;
mod ordered;
mod prelude;
mod seen;
mod stayed;
mod volumes;

use super::node::Stories;
use inquiry::Inquiry;
use prelude::*;
use seen::gather;

/// Explains several pods at once, which takes a few walks through the trace in all; `stories` are
/// those of nodes that were told already.
pub(crate) fn explain_pods<'a>(
    question: Question<'a>,
    pods: &[PodId],
    stories: &'a Stories,
) -> Vec<Explanation> {
    let all = gather(question, pods);
    let of = Inquiry::new(question, &all, stories);
    let one = |(pod, lives): (&PodId, &Vec<Seen<'a>>)| told(&of, *pod, lives);
    question.with_troubles(pods.iter().zip(&all).map(one))
}

/// What became of a pod that has had these lives: of the last that somebody ended, and of one after it.
fn told<'a>(of: &Inquiry<'a>, pod: PodId, lives: &[Seen<'a>]) -> Explanation {
    let last = lives.len() - 1;
    let ended = lives.iter().rposition(|seen| seen.ends().next().is_some());
    let mut case = Case::new(of, pod, lives, ended.unwrap_or(last));
    match ended {
        Some(_) => case.ended(),
        None if last == 0 && case.imported() => {}
        None => case.stayed(),
    }
    case.in_order();
    if ended.is_some_and(|ended| ended < last && lives[last].state.exists) {
        case.lives_again(Case::new(of, pod, lives, last));
    }
    case.found
}

impl Case<'_, '_> {
    /// Explains a pod that was evicted or deleted.
    fn ended(&mut self) {
        let seen = self.seen;
        // Its kubelet's eviction leaves a pod that has Failed, which somebody else may clear away.
        let clears = |m: &Moment<'_>, by: &Moment<'_>| by.at >= m.at && m.r.actor == Actor::Kubelet;
        match (seen.evicted.last(), seen.deleted.last()) {
            (Some((m, _)), Some(by)) if clears(m, by) => {
                self.evicted(m, None);
                self.cleared(by);
            }
            (Some((m, timer)), by) if by.is_none_or(|by| by.at < m.at) => {
                self.evicted(m, timer.map(|i| &seen.timers[i]));
            }
            (_, by) => by.into_iter().for_each(|by| self.deleted(by)),
        }
    }

    /// Explains a pod that somebody else deleted.
    fn deleted(&mut self, moment: &Moment<'_>) {
        let (at, by, on) =
            (absolute(moment.at), moment.r.actor.by(), self.place("on", moment.node));
        if self.not_admitted(moment.record) {
            self.found.add([self.of.step(moment, None)]);
            return self.cleared(moment);
        }
        let ended = self.seen.ended.iter().rfind(|m| m.record < moment.record);
        let mut first = String::new();
        if let (Some(ended), Some(node)) = (ended, moment.node)
            && self.analysis().is_of_shutdown(ended.record, node)
        {
            let name = self.analysis().node_name(node);
            let ended_at = absolute(ended.at);
            first =
                format!("ended at {ended_at} by its kubelet, as {name} was told to go off, and ");
            self.found.steps = self.of.question.led_to(ended.record);
        } else if let Some(ended) = ended
            && EvictionCause::of(moment.r, None).is_some()
        {
            // What has ended loses nothing by being cleared away: that is no eviction.
            first = format!("it had ended at {}, and was ", absolute(ended.at));
            self.found.add([self.of.step(ended, None)]);
        }
        self.found.add(self.led_to_deletion(moment));
        let gone = self.of.gone(self.pod, moment.record).filter(|(id, r)| {
            *id != moment.record && r.at <= self.of.question.until && r.actor == Actor::User
        });
        self.found.add(gone.map(|gone| self.of.question.step(gone, Some(FORCED.to_owned()))));
        if !first.is_empty() {
            self.found.sort();
        }
        let failed = self.of.job_ends().why_deleted(self.pod, self.of.question.until);
        let why = failed.map(|(_, r)| format!(", as {}", words::record(self.analysis(), r)));
        let off = || rules::of_daemon_set(self.analysis(), moment.record);
        let why = why.or_else(|| off().map(|off| format!(": {off}"))).unwrap_or_default();
        self.found.add(failed.map(|found| self.of.question.step(found, None)));
        self.found.verdict = format!("not evicted: {first}deleted at {at} by {by}{on}{why}");
    }

    /// Adds to what became of a pod that has Failed who cleared it away.
    fn cleared(&mut self, by: &Moment<'_>) {
        let (at, by) = (absolute(by.at), by.r.actor.by());
        self.found.verdict += &format!("; cleared away at {at} by {by}");
    }

    /// What led to its deletion: nothing that happened to pods before it was made, which may be what its controller has
    /// waited since.
    fn led_to_deletion(&self, moment: &Moment<'_>) -> Vec<Step> {
        let (trace, made) = (self.analysis().trace, &self.seen.created);
        let is_of_other = |id: RecordId| {
            let is_before = made.as_ref().is_some_and(|made| id < made.record);
            is_before && trace.get(id).is_some_and(|r| r.pod().is_some())
        };
        let mut led = self.of.question.led_to(moment.record);
        led.retain(|step| !step.record.is_some_and(is_of_other));
        led
    }

    /// Adds to what became of a pod what one of its name that came after it waits for, or what kept it.
    fn lives_again(&mut self, mut now: Self) {
        let state = &now.seen.state;
        match state.node_id() {
            None => now.stayed(),
            Some(node) if now.kept(node) => {}
            Some(node) if state.ready => {
                // What it has waited for is over, and was because of what became of the one before.
                now.waited_for_a_volume(node);
                self.found.add(now.found.steps);
                return self.found.sort();
            }
            Some(node) => now.untainted(node),
        }
        let found = now.found;
        self.found.verdict += &format!("; the one of its name after it: {}", found.verdict);
        self.found.add(found.steps);
        self.found.sort();
        self.found.notes.extend(found.notes);
        self.found.remedies.extend(found.remedies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::tests::synthetic_runs::{one_node_lost, outage};
    use crate::api::names::NodeId;
    use crate::kernel::Time;

    /// Told together, every pod has the story that it has alone. p2 of the lost node was tainted
    /// at 105.1 s and tolerates 300 s: 6:45.1.
    #[test]
    fn several_pods_are_told_as_each_alone() {
        for (plan, trace) in [one_node_lost(), outage(4, 3, 1)] {
            let analysis = Analysis::new(&plan, &trace);
            let pods: Vec<PodId> = (0..analysis.pod_count() as u32).map(PodId).collect();
            for until in [Time::from_secs(120), analysis.horizon()] {
                let question = Question { analysis: &analysis, until, groups: &[] };
                let alone: Vec<_> = pods
                    .iter()
                    .flat_map(|p| explain_pods(question, &[*p], &Stories::default()))
                    .collect();
                let nodes: Vec<NodeId> = (0..analysis.node_count() as u32).map(NodeId).collect();
                for stories in [Stories::default(), Stories::new(question, &nodes)] {
                    assert_eq!(explain_pods(question, &pods, &stories), alone);
                }
                let evicted = alone.iter().filter(|e| {
                    e.verdict.starts_with("evicted at 6:45.1") && e.object.ends_with("p2")
                });
                let lost = plan.name == "cut-one-of-three" && until == analysis.horizon();
                assert_eq!(evicted.count(), usize::from(lost));
            }
        }
    }
}
