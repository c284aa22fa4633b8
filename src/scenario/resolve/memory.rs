//! What the controllers of an exported cluster remember, looked up.

use super::declared::Declared;
use crate::language::Memory as Written;
use crate::plan::{CountedBefore, FailedBefore, Memory, Waited};
use crate::scenario::prelude::*;

const SECOND_US: i64 = 1_000_000;

/// Reads what is remembered; an object that is not declared is a mistake.
pub(super) fn memory(written: &Written, declared: &Declared, place: &Spot<'_>) -> Memory {
    let mut memory = Memory::default();
    if let Some(office) = &written.office {
        memory.office_us = place.part("office").take(values::past_micros(office.as_str()));
    }
    if let Some(pass) = &written.pass {
        memory.pass = place.part("pass").take(values::span(pass.as_str()));
    }
    if let Some(passed) = &written.passed {
        memory.passed_us = place.part("passed").take(values::past_micros(passed.as_str()));
    }
    let nodes = &declared.nodes;
    for (name, text) in &written.leases {
        let place = place.part("leases").part(name);
        let Some(node) = nodes.by_name.get(name) else {
            missing("node", name, nodes.incomplete, place);
            continue;
        };
        if let Some(us) = place.take(values::past_micros(text.as_str())) {
            memory.leases_us.insert(*node, us);
        }
    }
    waiting(written, declared, &mut memory, place);
    attached(written, declared, &mut memory, place);
    failures(written, declared, &mut memory, place);
    budgets(written, declared, &mut memory, place);
    memory
}

fn missing(kind: &str, name: &str, incomplete: bool, place: Spot<'_>) {
    if !incomplete {
        place.add_name(Problem::new(format!("there is no {kind} `{name}`")));
    }
}

fn waiting(written: &Written, declared: &Declared, memory: &mut Memory, place: &Spot<'_>) {
    for (name, waits) in &written.waiting {
        let place = place.part("waiting").part(name);
        let Some(pod) = declared.pods.by_name.get(name.as_str()) else {
            missing("pod", name, declared.pods.incomplete, place);
            continue;
        };
        let past = |text: &language::DurationText| values::past_micros(text.as_str());
        let last = waits.last.as_ref().map(past).transpose();
        let both = past(&waits.since).and_then(|since| Ok((since, last?)));
        if let Some((since_us, last_us)) = place.take(both) {
            let tries = waits.tries.map(|n| n.max(1));
            let waited = Waited { since_us, tries, last_us };
            memory.waiting.insert(*pod, waited);
        }
    }
}

fn attached(written: &Written, declared: &Declared, memory: &mut Memory, place: &Spot<'_>) {
    for (name, node) in &written.attached {
        let place = place.part("attached").part(name);
        let Some(pod) = declared.pods.by_name.get(name.as_str()) else {
            missing("pod", name, declared.pods.incomplete, place);
            continue;
        };
        let plan = &declared.pods.plans[*pod as usize];
        let claims = &declared.pods.templates[plan.template as usize].claims;
        if !claims.iter().any(|c| c.attach) {
            place.add_name(Problem::new(format!("pod `{name}` has no volume that is attached")));
        } else if let Some(node) = place.take(declared.nodes.named(node)) {
            memory.attached.insert(*pod, node);
        }
    }
}

fn failures(written: &Written, declared: &Declared, memory: &mut Memory, place: &Spot<'_>) {
    let workloads = &declared.workloads;
    for (name, failed) in &written.failures {
        let place = place.part("failures").part(name);
        let full = format!("{}/{name}", WorkloadKind::Job.as_str());
        let Some(job) = workloads.by_name.get(&full) else {
            missing("Job", name, workloads.incomplete, place);
            continue;
        };
        let past = |text: &language::DurationText| values::past_micros(text.as_str());
        let both = past(&failed.from).and_then(|from| Ok((from, past(&failed.until)?)));
        let ordered = both.and_then(|(from, until)| {
            if from > until || failed.least > failed.most {
                return Err(Problem::new("`least` is more than `most`, or `from` after `until`"));
            }
            Ok((from.div_euclid(SECOND_US), until.div_euclid(SECOND_US)))
        });
        if let Some(last) = place.take(ordered) {
            let failures = (failed.least, failed.most);
            memory.failures.insert(*job, FailedBefore { failures, last });
        }
    }
}

fn budgets(written: &Written, declared: &Declared, memory: &mut Memory, place: &Spot<'_>) {
    for (name, counted) in &written.budgets {
        let place = place.part("budgets").part(name);
        let full = format!("PodDisruptionBudget/{name}");
        let Some(index) = declared.budgets.plans.iter().position(|b| b.name == full) else {
            let incomplete = declared.budgets.incomplete;
            missing("disruption budget", name, incomplete, place);
            continue;
        };
        let mut before = CountedBefore {
            allowed: counted.allowed,
            healthy: counted.healthy,
            desired: counted.desired,
            expected: counted.expected,
            ..CountedBefore::default()
        };
        let namespace = name.split('/').next().unwrap_or_default();
        for (pod, at) in &counted.disrupted {
            // A pod that is gone by now is one that nobody waits for.
            let Some(pod) = declared.pods.by_name.get(format!("{namespace}/{pod}").as_str()) else {
                continue;
            };
            let at = place.take(values::past_micros(at.as_str()));
            if let Some(us) = at {
                before.disrupted.insert(*pod, us.div_euclid(SECOND_US));
            }
        }
        memory.budgets.insert(index as u32, before);
    }
}
