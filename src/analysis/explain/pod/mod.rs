//! What became of a pod: evicted, and by which rule; not evicted, and why not; deleted by somebody
//! else; pending.

mod case;
mod evicted;
mod imported;
mod inquiry;
mod ordered;
mod seen;
mod stayed;
mod volumes;

use super::node::Stories;
use super::prelude::*;
use case::{Case, FORCED};
use inquiry::Inquiry;
use seen::{Moment, Seen, gather};

/// Explains several pods at once, which takes a few walks through the trace in all; `stories` are
/// those of nodes that were told already.
pub(crate) fn explain_pods<'a>(
    question: Question<'a>,
    pods: &[PodId],
    stories: &'a Stories,
) -> Vec<Explanation> {
    let all = gather(question, pods);
    let of = Inquiry::new(question, &all, stories);
    let one = |(pod, seen): (&PodId, &Seen<'a>)| told(&of, *pod, seen);
    question.with_troubles(pods.iter().zip(&all).map(one))
}

/// What became of a pod to which this happened.
fn told<'a>(of: &Inquiry<'a>, pod: PodId, seen: &Seen<'a>) -> Explanation {
    let object = format!("pod {}", of.question.analysis.pod_name(pod));
    let mut case = Case { of, pod, seen, found: Explanation { object, ..Explanation::default() } };
    let by_other = seen.deleted.last();
    match seen.evicted.last() {
        Some((moment, timer)) if by_other.is_none_or(|m| m.at < moment.at) => {
            case.evicted(moment, timer.map(|i| &seen.timers[i]));
        }
        Some((moment, _)) if by_other.is_some_and(|by| seen.is_cleared(moment, by)) => {
            case.evicted(moment, None);
            case.cleared(by_other);
        }
        _ => match by_other {
            Some(moment) => case.deleted(moment),
            None if seen.created.is_empty() && case.imported() => {}
            None => case.stayed(),
        },
    }
    case.in_order();
    case.lives_again();
    case.found
}

impl Case<'_, '_> {
    /// Explains a pod that somebody else deleted.
    fn deleted(&mut self, moment: &Moment<'_>) {
        let (at, by, on) =
            (absolute(moment.at), moment.r.actor.by(), self.place("on", moment.node));
        let made = self.seen.created.iter().rfind(|m| m.record < moment.record);
        if self.refused(made, moment) {
            return;
        }
        let ended = self.seen.ended.iter().rfind(|m| m.record < moment.record);
        let ended = ended.filter(|m| made.is_none_or(|made| made.record < m.record));
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
        self.found.add(self.led_to_deletion(made, moment));
        let gone = self.of.gone(self.pod, moment.record).filter(|(id, r)| {
            *id != moment.record && r.at <= self.of.question.until && r.actor == Actor::User
        });
        self.found.add(gone.map(|gone| self.of.question.step(gone, Some(FORCED.to_owned()))));
        if !first.is_empty() {
            self.found.sort();
        }
        let failed = self.of.failed_job(self.pod);
        let why = failed.map(|(_, r)| format!(", as {}", words::record(self.analysis(), r)));
        // The controller deletes what it would not make there.
        let is_off = moment.r.actor == Actor::DaemonSet
            && self.found.steps.iter().any(|s| s.text.ends_with(":NoExecute"));
        let off = is_off.then(|| ", as it does not tolerate that taint".to_owned());
        let why = why.or(off).unwrap_or_default();
        self.found.add(failed.map(|found| self.of.question.step(found, None)));
        self.found.verdict = format!("not evicted: {first}deleted at {at} by {by}{on}{why}");
    }

    /// Explains a pod that its kubelet had not admitted under pressure before it was deleted; whether it is such a pod.
    fn refused(&mut self, made: Option<&Moment<'_>>, moment: &Moment<'_>) -> bool {
        let (of, seen, trace) = (self.of, self.seen, self.analysis().trace);
        let from = made.map_or(0, |m| m.record);
        let life = from..moment.record;
        let is_refusal = |id: &RecordId| {
            let said = trace.get(*id).and_then(|r| trace.said_of_pod(r));
            life.contains(id) && said == Some(EventText::RefusedUnderPressure)
        };
        let Some(refusal) = seen.pressed.iter().copied().rfind(is_refusal) else { return false };
        let bound = seen.bound.iter().rfind(|m| life.contains(&m.record));
        let came = made.into_iter().chain(bound).map(|m| of.step(m, None));
        let said: Vec<Step> = of.question.steps([refusal]).collect();
        let at = said.first().map_or(moment.at, |s| s.at);
        let verdict = format!("not admitted at {} by its kubelet: node pressure", absolute(at));
        self.tell(verdict, came.chain(said));
        self.found.add([of.step(moment, None)]);
        self.cleared(Some(moment));
        true
    }

    /// Adds to what became of a pod that has Failed who cleared it away.
    fn cleared(&mut self, by: Option<&Moment<'_>>) {
        if let Some(m) = by {
            let (at, by) = (absolute(m.at), m.r.actor.by());
            self.found.verdict += &format!("; cleared away at {at} by {by}");
        }
    }

    /// What led to the deletion of a pod that was made at a moment: nothing that happened to pods before that, which
    /// may be what its controller has waited since.
    fn led_to_deletion(&self, made: Option<&Moment<'_>>, moment: &Moment<'_>) -> Vec<Step> {
        let trace = self.analysis().trace;
        let is_of_other = |id: RecordId| {
            let is_before = made.is_some_and(|made| id < made.record);
            is_before && trace.get(id).is_some_and(|r| r.pod().is_some())
        };
        let mut led = self.of.question.led_to(moment.record);
        led.retain(|step| !step.record.is_some_and(is_of_other));
        led
    }

    /// Adds to what became of a pod what one of its name that came after it waits for.
    fn lives_again(&mut self) {
        let seen = self.seen;
        let ended = seen.evicted.iter().map(|(m, _)| m).chain(&seen.deleted);
        let last = ended.map(|m| m.record).max();
        let again = seen.created.last().filter(|made| last.is_some_and(|last| made.record > last));
        if again.is_none() || !seen.state.exists {
            return;
        }
        let (of, pod, object) = (self.of, self.pod, self.found.object.clone());
        let mut now =
            Case { of, pod, seen, found: Explanation { object, ..Explanation::default() } };
        match seen.state.node_id() {
            // What it has waited for is over, and was because of what became of the one before.
            Some(node) if seen.state.ready => {
                now.waited_for_a_volume(node);
                if !now.found.steps.is_empty() {
                    self.found.add(now.found.steps);
                    self.found.sort();
                }
                return;
            }
            None => now.stayed(),
            Some(node)
                if now.waits_for_a_volume(node)
                    || now.is_not_ready_by_itself()
                    || now.starts(node) => {}
            Some(_) => return,
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
