//! What the controllers of an exported cluster remember, looked up.

use super::declared::Declared;
use crate::language::Memory as Written;
use crate::language::values::past_micros as past;
use crate::plan::{CountedBefore, FailedBefore, Memory, PodIndex, Waited};
use crate::scenario::prelude::*;

const SECOND_US: i64 = 1_000_000;

/// Reads what is remembered; an object that is not declared is a mistake.
pub(super) fn memory(written: &Written, declared: &Declared, place: &Spot) -> Memory {
    let mut memory = Memory {
        office_us: place.read("office", &written.office, past),
        pass: place.read("pass", &written.pass, values::span),
        passed_us: place.read("passed", &written.passed, past),
        ..Memory::default()
    };
    let nodes = &declared.nodes;
    for (name, text) in &written.leases {
        let place = place.part("leases").part(name);
        let node = found("node", name, nodes.by_name.get(name), nodes.incomplete, &place);
        let renewed = node.and_then(|node| Some((node, place.take(past(text))?)));
        memory.leases_us.extend(renewed);
    }
    for (name, text) in &written.bound {
        let place = place.part("bound").part(name);
        let bound = pod(name, declared, &place).and_then(|p| Some((p, place.take(past(text))?)));
        memory.bound_us.extend(bound);
    }
    waiting(written, declared, &mut memory, place);
    attached(written, declared, &mut memory, place);
    failures(written, declared, &mut memory, place);
    budgets(written, declared, &mut memory, place);
    memory
}

/// What was found of that name, or a complaint, unless what there is was not all read.
fn found<T: Copy>(
    kind: &str,
    name: &str,
    found: Option<&T>,
    incomplete: bool,
    place: &Spot,
) -> Option<T> {
    if found.is_none() && !incomplete {
        place.add_name(Problem::new(format!("there is no {kind} `{name}`")));
    }
    found.copied()
}

fn pod(name: &str, declared: &Declared, place: &Spot) -> Option<PodIndex> {
    let pods = &declared.pods;
    found("pod", name, pods.by_name.get(name), pods.incomplete, place)
}

fn waiting(written: &Written, declared: &Declared, memory: &mut Memory, place: &Spot) {
    for (name, waits) in &written.waiting {
        let place = place.part("waiting").part(name);
        let Some(pod) = pod(name, declared, &place) else { continue };
        let last = waits.last.as_deref().map(past).transpose();
        let both = past(&waits.since).and_then(|since| Ok((since, last?)));
        if let Some((since_us, last_us)) = place.take(both) {
            let tries = waits.tries.map(|n| n.max(1));
            memory.waiting.insert(pod, Waited { since_us, tries, last_us });
        }
    }
}

fn attached(written: &Written, declared: &Declared, memory: &mut Memory, place: &Spot) {
    let pods = &declared.pods;
    for (name, node) in &written.attached {
        let place = place.part("attached").part(name);
        let Some(pod) = pod(name, declared, &place) else { continue };
        let claims = &pods.templates[pods.plans[pod as usize].template as usize].claims;
        if !claims.iter().any(|c| c.attach) {
            place.add_name(Problem::new(format!("pod `{name}` has no volume that is attached")));
        } else if let Some(node) = place.take(declared.nodes.named(node)) {
            memory.attached.insert(pod, node);
        }
    }
}

fn failures(written: &Written, declared: &Declared, memory: &mut Memory, place: &Spot) {
    let workloads = &declared.workloads;
    for (name, failed) in &written.failures {
        let place = place.part("failures").part(name);
        let full = format!("{}/{name}", WorkloadKind::Job.as_str());
        let job = workloads.by_name.get(&full);
        let Some(job) = found("Job", name, job, workloads.incomplete, &place) else { continue };
        let both = past(&failed.from).and_then(|from| Ok((from, past(&failed.until)?)));
        let ordered = both.and_then(|(from, until)| {
            if from > until || failed.least > failed.most {
                return Err(Problem::new("`least` is more than `most`, or `from` after `until`"));
            }
            Ok((from.div_euclid(SECOND_US), until.div_euclid(SECOND_US)))
        });
        if let Some(last) = place.take(ordered) {
            let failures = (failed.least, failed.most);
            memory.failures.insert(job, FailedBefore { failures, last });
        }
    }
}

fn budgets(written: &Written, declared: &Declared, memory: &mut Memory, place: &Spot) {
    let budgets = &declared.budgets;
    for (name, counted) in &written.budgets {
        let place = place.part("budgets").part(name);
        let full = format!("PodDisruptionBudget/{name}");
        let index = budgets.plans.iter().position(|b| b.name == full);
        let index = found("disruption budget", name, index.as_ref(), budgets.incomplete, &place);
        let Some(index) = index else { continue };
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
            let pod = declared.pods.by_name.get(format!("{namespace}/{pod}").as_str());
            let at = pod.and_then(|pod| Some((*pod, place.take(past(at))?.div_euclid(SECOND_US))));
            before.disrupted.extend(at);
        }
        memory.budgets.insert(index as u32, before);
    }
}
