//! What became of a workload: when it had too few pods, which it lost and to whom, what replaced
//! them, and what is still missing.

use super::super::job_ends::JobEnds;
use super::super::serving::counted_from;
use super::super::workloads::{Replacement, WorkloadOutcome, workloads};
use super::drain::Refusals;
use super::not_ready::NotReady;
use super::prelude::*;
use super::rules;
use crate::analysis::state::Step as Change;

/// A loss: when, which record, which pod on which node, and what was done to it, by whom.
type Loss<'a> = (Time, RecordId, &'a str, &'a str, (&'static str, Actor));

/// A stretch in which too few pods were available: from, to, and how many too few at worst.
type Missing = (Time, Time, u32);

/// Explains several workloads at once, which takes a few walks through the trace in all.
pub(crate) fn explain_workloads(question: Question<'_>, ids: &[WorkloadId]) -> Vec<Explanation> {
    let found = workloads(question.analysis);
    let owners = Owners::new(question.analysis);
    let ends = JobEnds::new(question.analysis);
    let lost = Lost::all(question, &owners, ids);
    let mut replaced: BTreeMap<WorkloadId, Vec<&Replacement>> = BTreeMap::new();
    for next in found.replacements.values() {
        if let Some(owner) = owners.of(question.analysis, next.pod) {
            replaced.entry(owner).or_default().push(next);
        }
    }
    let one = |(id, lost): (&WorkloadId, Lost<'_>)| {
        let outcome = found.outcomes.iter().find(|o| o.id == *id);
        let replaced = replaced.get(id).map_or(&[][..], Vec::as_slice);
        outcome.map_or_else(Explanation::default, |o| told(question, o, &ends, lost, replaced))
    };
    question.with_troubles(ids.iter().zip(lost).map(one))
}

/// What became of a workload with that outcome.
fn told(
    question: Question<'_>,
    outcome: &WorkloadOutcome,
    ends: &JobEnds<'_>,
    lost: Lost<'_>,
    replacements: &[&Replacement],
) -> Explanation {
    let mut missing = outcome.gaps(question.until);
    let all = missing.len();
    // What follows upon a Job's pod that is done has to start.
    let is_job = question.analysis.trace.names.workload_name(outcome.id).starts_with("Job/");
    let is_harm = |from, to| lost.harms.range(from..=to).next().is_some();
    missing.retain(|&(from, to, _)| !is_job || to == question.until || is_harm(from, to));
    let has_lost = !lost.groups.is_empty();
    let mut steps: Vec<Step> = lost.groups.iter().map(|g| self::lost(question, ends, g)).collect();
    let ended = ends.of(outcome.id, question.until);
    steps.extend(ended.map(|ended| question.step(ended, None)));
    steps.extend(done(question, &ends.done_of(outcome.id, question.until), outcome.id));
    steps.extend(lost.refused.steps(question));
    steps.extend(missing.iter().flat_map(|few| too_few(*few, question.until)));
    steps.extend(replaced(question, replacements));
    steps.sort_by_key(|s| s.at);
    let mut notes = notes(question, outcome, &lost.not_ready);
    if has_lost || !missing.is_empty() {
        notes.push(
            "available is what the API says, where pods on a node that died count until their conditions \
             say otherwise; `run` counts pods that were not up"
                .to_owned(),
        );
        let pods = "`explain` of one of its pods tells why that pod was lost, was not Ready, or waited for a node";
        notes.push(pods.to_owned());
    }
    let object = question.analysis.workload_in_words(outcome.id);
    let mut verdict = verdict(question, outcome, &missing);
    if missing.is_empty() && all > 0 {
        verdict += " but while the next ones started after those that were done";
    }
    if let Some((_, r)) = ended {
        let lacks = words::unfinished(question.analysis, r, question.until);
        let (end, at) = (words::job_end(question.analysis, r), absolute(r.at));
        verdict = format!("{end} at {at}{lacks}; {verdict}");
    }
    Explanation { object, verdict, steps, remedies: Vec::new(), notes }
}

/// How many pods it has, and for how long it had too few.
fn verdict(question: Question<'_>, outcome: &WorkloadOutcome, missing: &[Missing]) -> String {
    let until = question.until;
    let [available, wanted] =
        [&outcome.available, &outcome.wanted].map(|steps| grouped(value_at(steps, until).into()));
    let mut verdict = format!("{available} of {wanted} pods available at {}", absolute(until));
    let late = outcome.late(question.analysis, until);
    let counted = late.and_then(|late| counted_from(question.analysis, late));
    if let Some(counted) = &counted {
        verdict += &format!("; {counted}");
    }
    match (missing.first(), missing.iter().map(|m| m.2).max()) {
        (Some((from, ..)), Some(most)) => {
            let spans = missing.iter().map(|(from, to, _)| lasted((*from, *to)));
            let total = to_the_millisecond(spans.fold(Dur::ZERO, Dur::saturating_add));
            let (from, most) = (absolute(*from), grouped(most.into()));
            verdict +=
                &format!("; too few from {from} on, for {total} in all, at worst {most} missing");
        }
        _ if counted.is_some() => verdict.push_str("; it never had too few from then on"),
        _ => verdict.push_str("; it never had too few"),
    }
    verdict
}

/// The steps of a stretch in which it had too few pods.
fn too_few((from, to, most): Missing, until: Time) -> impl Iterator<Item = Step> {
    let most = grouped(most.into());
    let text = format!("too few pods available from here on, at worst {most} too few");
    let begins = Step::without_record(from, text);
    let again = || Step::without_record(to, "enough pods are available again".to_owned());
    let ends = (to < until).then(again);
    std::iter::once(begins).chain(ends)
}

/// The pods of a Job that were told to stop with work left and count as done: why nothing takes their place.
fn done(question: Question<'_>, all: &[Told<'_>], job: WorkloadId) -> Option<Step> {
    let analysis = question.analysis;
    let (&(first, r), (_, last)) = (all.first()?, all.last()?);
    let (name, to) = (analysis.trace.names.workload_name(job), until_the_last(r.at, last.at));
    let text = match all.len() {
        1 => words::record(analysis, r),
        n => format!("{} pods that were told to stop are Succeeded{to}", grouped(n as u64)),
    };
    let rule = Some(rules::of_done(analysis.plan, name));
    Some(Step { at: r.at, text, rule, record: Some(first) })
}

/// The pods that were created in place of lost ones.
fn replaced(question: Question<'_>, replacements: &[&Replacement]) -> Option<Step> {
    let until = question.until;
    let replaced = replacements.iter().filter(|next| next.created_at <= until);
    let made: BTreeSet<Time> = replaced.clone().map(|next| next.created_at).collect();
    let (first, last) = (*made.first()?, *made.last()?);
    let is_ready = |next: &&&Replacement| next.ready_at.is_some_and(|at| at <= until);
    let ready = replaced.clone().filter(is_ready).count();
    let at = replaced.clone().filter(is_ready).filter_map(|next| next.ready_at).max();
    let at = at.map_or(String::new(), absolute);
    let to = if last > first { format!(", the last at {}", absolute(last)) } else { String::new() };
    let text = match (replaced.count(), ready) {
        (1, 0) => "1 pod is created in place of a lost one; it does not get Ready".to_owned(),
        (1, _) => format!("1 pod is created in place of a lost one; it gets Ready at {at}"),
        (n, ready) => {
            let (n, get) = (grouped(n as u64), if ready == 1 { "gets" } else { "get" });
            let at = if ready == 0 { at } else { format!(", the last at {at}") };
            let ready = grouped(ready as u64);
            format!(
                "{n} pods are created in place of lost ones{to}; {ready} of them {get} Ready{at}"
            )
        }
    };
    Some(Step::without_record(first, text))
}

/// Which of its pods are pending, not started, not Ready or stuck at the moment in question.
fn notes(question: Question<'_>, outcome: &WorkloadOutcome, now: &NotReady<'_>) -> Vec<String> {
    let (analysis, mut notes) = (question.analysis, Vec::new());
    let are = |n: u64| format!("{} of its pods {}", grouped(n), if n == 1 { "is" } else { "are" });
    let is_the_end = question.until == analysis.horizon();
    let when = match is_the_end {
        true => "at the end".to_owned(),
        false => format!("at {}", absolute(question.until)),
    };
    let [available, wanted] =
        [&outcome.available, &outcome.wanted].map(|steps| value_at(steps, question.until));
    if let Some(why) = now.why_not_created.filter(|_| available < wanted) {
        let why = analysis.trace.names.text_of(why);
        notes.push(format!("no more of its pods can be created {when}: {why}"));
    }
    let said = |why: Option<TextId>| {
        why.map_or(String::new(), |why| format!(": {}", analysis.trace.names.text_of(why)))
    };
    if now.pending > 0 {
        notes.push(format!("{} pending {when}{}", are(now.pending), said(now.why_pending)));
    }
    if now.unattached > 0 {
        let why = said(outcome.why_unattached.filter(|_| is_the_end));
        notes.push(format!("{} waiting for a volume {when}{why}", are(now.unattached)));
    }
    if now.starting > 0 {
        notes.push(format!("{} starting {when}", are(now.starting)));
    }
    notes.extend(now.reasons().map(|(why, n)| format!("{} not Ready {when}: {why}", are(n))));
    match is_the_end {
        true if outcome.stuck > 0 => {
            let waits = rules::waits(analysis.plan, analysis.trace.names.workload_name(outcome.id));
            let waits = waits.map_or(String::new(), |waits| format!(": {waits}"));
            notes.push(format!("{} stuck Terminating at the end{waits}", are(outcome.stuck)));
        }
        false if now.terminating > 0 => {
            notes.push(format!("{} Terminating {when}", are(now.terminating)));
        }
        _ => {}
    }
    notes
}

/// What a workload lost.
#[derive(Default)]
struct Lost<'a> {
    /// Its lost pods, those of one cause and a minute together.
    groups: Vec<Vec<Loss<'a>>>,
    /// The evictions of its pods that budgets refused, which is what a drain waits for.
    refused: Refusals,
    /// Its pods at the moment in question.
    not_ready: NotReady<'a>,
    /// When one of its pods was lost, ceased to be available though it was not done, or found no node.
    harms: BTreeSet<Time>,
}

impl<'a> Lost<'a> {
    /// What each of these workloads lost, in one walk.
    fn all(question: Question<'a>, owners: &Owners, ids: &[WorkloadId]) -> Vec<Self> {
        let analysis = question.analysis;
        let places: BTreeMap<WorkloadId, usize> = ids.iter().copied().zip(0..).collect();
        let mut follow = Follow::new(analysis);
        let mut all: Vec<Lost<'a>> = ids.iter().map(|_| Lost::default()).collect();
        while let Some((id, r, step)) = follow.step_until(question.until) {
            if let Some(why) = analysis.trace.failed_create(r)
                && let Some(root) = r.workload().and_then(|w| owners.root_of(w))
                && let Some(place) = places.get(&root)
            {
                all[*place].not_ready.why_not_created = Some(why);
            }
            if r.what == What::MachineOff {
                let is_there = |pod| follow.pod(pod).node_id() == r.node();
                all.iter_mut().for_each(|lost| lost.not_ready.machine_off(is_there));
            }
            let owner = r.pod().and_then(|pod| owners.of(analysis, pod));
            let Some(place) = owner.and_then(|owner| places.get(&owner)) else { continue };
            all[*place].refused.add(question, id, r);
            let of = r.pod().into_iter();
            of.for_each(|pod| all[*place].not_ready.take(analysis.trace, pod, r));
            let is_of_job = analysis.trace.names.workload_name(ids[*place]).starts_with("Job/");
            let done = done_to(&step, r, is_of_job);
            let code = |(_, c): Told<'_>| match c.what {
                What::Noted(note @ Note::ContainerEnded, arg) => Some(note.parts(arg).0),
                _ => None,
            };
            let is_down = step.pod.is_some_and(|(_, a, b)| a.is_available() && !b.is_available())
                && chain(analysis.trace, id).find_map(code) != Some(0);
            if done.is_some() || is_down || analysis.trace.failed_scheduling(r).is_some() {
                all[*place].harms.insert(r.at);
            }
            if let Some((pod, before, what)) = done {
                let node = before.node_id().map_or("", |n| analysis.node_name(n));
                all[*place].add((r.at, id, analysis.pod_name(pod), node, (what, r.actor)));
            }
        }
        for (pod, state) in follow.pods() {
            let place = owners.of(analysis, pod).and_then(|owner| places.get(&owner));
            let Some(place) = place else { continue };
            let well = state.node_id().is_some_and(|n| follow.node(n).is_back());
            all[*place].not_ready.count(pod, state, follow.template(pod), well);
        }
        all
    }

    /// Takes a loss in.
    fn add(&mut self, loss: Loss<'a>) {
        let (at, .., done) = loss;
        let is_close = |last: &Loss<'_>| at.since(last.0) <= Dur::from_secs(60);
        match self.groups.iter_mut().rfind(|g| g[0].4 == done && is_close(&g[g.len() - 1])) {
            Some(group) => group.push(loss),
            None => self.groups.push(vec![loss]),
        }
    }
}

/// The pod that is lost with a record, as it was before, and what is done to it: it is deleted, or its kubelet
/// ends it, as its machine is told to go off or short of something, or does not admit it. PodGC, and who
/// deletes by force, leave no time between, and PodGC may say first that it has failed. What a Job is for is no
/// loss.
fn done_to(step: &Change, r: &Record, is_of_job: bool) -> Option<(PodId, PodState, &'static str)> {
    let (pod, before, _) = step.pod?;
    let what = match r.what {
        What::PodGone if before.phase.is_terminal() => return None,
        What::PodDeleting(_) | What::PodGone => step.deletion_begins().map(|_| "deleted")?,
        What::PodPhase(PodPhase::Failed)
            if r.actor == Actor::PodGc && !before.deleting && !before.phase.is_terminal() =>
        {
            "deleted"
        }
        What::PodPhase(PodPhase::Succeeded) if is_of_job => return None,
        What::PodPhase(phase) if r.actor == Actor::Kubelet && phase.is_terminal() => {
            let is_over = before.deleting || before.phase.is_terminal();
            let pressure = step.eviction(r).is_some();
            (!is_over).then_some(if pressure { "evicted for node pressure" } else { "ended" })?
        }
        _ => return None,
    };
    Some((pod, before, what))
}

/// The step for lost pods that are reported together.
fn lost(question: Question<'_>, ends: &JobEnds<'_>, group: &[Loss<'_>]) -> Step {
    let analysis = question.analysis;
    let &(at, record, pod, _, (what, actor)) = &group[0];
    let last = group[group.len() - 1].0;
    let nodes: Vec<&str> = group.iter().map(|l| l.3).filter(|n| !n.is_empty()).collect();
    let on = if nodes.is_empty() { String::new() } else { format!(" of {}", ranges(&nodes)) };
    let (by, to) = (actor.by(), until_the_last(at, last));
    let text = match group.len() {
        1 => format!("{pod}{on} {what} by {by}"),
        n => format!("{} pods{on} {what} by {by}{to}", grouped(n as u64)),
    };
    let of = analysis.trace.get(record).and_then(Record::pod).filter(|_| actor == Actor::Job);
    let failed = of.and_then(|pod| ends.why_deleted(pod, question.until));
    let is_timer = |(_, c): &Told<'_>| matches!(c.what, What::TimerSet(_));
    let timer = || within_life(analysis.trace, record).find(is_timer);
    let rule = failed.or_else(timer).map(|(_, c)| words::record(analysis, c));
    let rule = rule.or_else(|| rules::of_daemon_set(analysis, record));
    Step { at, text, rule, record: Some(record) }
}
