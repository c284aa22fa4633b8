//! What the controllers of an exported cluster remember, looked up.

use super::declared::Declared;
use crate::language::Memory as Written;
use crate::language::values::past_micros as past;
use crate::plan::{Age, CountedBefore, FailedBefore, Memory, Waited};
use crate::scenario::prelude::*;

const SECOND_US: i64 = 1_000_000;

/// Reads what is remembered; an object that is not declared is a mistake.
pub(super) fn memory(written: &Written, declared: &Declared, place: &Spot) -> Memory {
    let Declared { nodes, pods, .. } = declared;
    let pod = |name: &str, place: &Spot| {
        found("pod", name, pods.by_name.get(name).copied(), pods.incomplete, place)
    };
    Memory {
        office_us: place.read("office", &written.office, past),
        pass: place.read("pass", &written.pass, values::span),
        passed_us: place.read("passed", &written.passed, past),
        leases_us: each("leases", &written.leases, place, |name, text, place| {
            let node = nodes.by_name.get(name).copied();
            let node = found("node", name, node, nodes.incomplete, place)?;
            Some((node, place.take(past(text))?))
        }),
        bound_us: each("bound", &written.bound, place, |name, text, place| {
            Some((pod(name, place)?, place.take(past(text))?))
        }),
        waiting: each("waiting", &written.waiting, place, |name, waits, place| {
            let pod = pod(name, place)?;
            let last = waits.last.as_deref().map(past).transpose();
            let both = past(&waits.since).and_then(|since| Ok((since, last?)));
            let (since_us, last_us) = place.take(both)?;
            Some((pod, Waited { since_us, tries: waits.tries.map(|n| n.max(1)), last_us }))
        }),
        ages: each("ages", &written.ages, place, |name, age, place| {
            let read = |field: &str, text: &Option<DurationText>| {
                place.read(field, text, past).map(to_second).map(Timestamp)
            };
            let created = read("created", &Some(age.created.clone()))?;
            let started = read("started", &age.started).unwrap_or(created);
            Some((pod(name, place)?, Age { created, started, ready: read("ready", &age.ready) }))
        }),
        attached: each("attached", &written.attached, place, |name, node, place| {
            let pod = pod(name, place)?;
            let claims = &pods.templates[pods.plans[pod as usize].template as usize].claims;
            if claims.iter().any(|c| c.attach) {
                return Some((pod, place.take(nodes.named(node))?));
            }
            place.add_name(Problem::new(format!("pod `{name}` has no volume that is attached")));
            None
        }),
        detach_requested_us: each(
            "detach_requested",
            &written.detach_requested,
            place,
            |name, since, place| {
                if !written.attached.contains_key(name) {
                    place.add_name(Problem::new(format!("pod `{name}` is not under `attached`")));
                }
                Some((pod(name, place)?, place.take(stretch(&since.from, &since.until))?))
            },
        ),
        failures: each("failures", &written.failures, place, |name, failed, place| {
            let workloads = &declared.workloads;
            let job = workloads.by_name.get(&format!("{}/{name}", WorkloadKind::Job.as_str()));
            let job = found("Job", name, job.copied(), workloads.incomplete, place)?;
            let (from, until) = place.take(stretch(&failed.from, &failed.until))?;
            if failed.least > failed.most {
                place.say("`least` is more than `most`");
            }
            let failures = (failed.least, failed.most);
            Some((job, FailedBefore { failures, last: (to_second(from), to_second(until)) }))
        }),
        budgets: each("budgets", &written.budgets, place, |name, counted, place| {
            let (full, budgets) = (format!("PodDisruptionBudget/{name}"), &declared.budgets);
            let index = budgets.plans.iter().position(|b| b.name == full);
            let index = found("disruption budget", name, index, budgets.incomplete, place)?;
            let namespace = name.split('/').next().unwrap_or_default();
            // A pod that is gone by now is one that nobody waits for.
            let granted = |(pod, at): (&String, &DurationText)| {
                let pod = pods.by_name.get(format!("{namespace}/{pod}").as_str())?;
                Some((*pod, to_second(place.take(past(at))?)))
            };
            let before = CountedBefore {
                allowed: counted.allowed,
                healthy: counted.healthy,
                desired: counted.desired,
                expected: counted.expected,
                disrupted: counted.disrupted.iter().filter_map(granted).collect(),
            };
            Some((index as u32, before))
        }),
    }
}

/// Two times before the start, in their order.
fn stretch(from: &str, until: &str) -> Result<(i64, i64), Problem> {
    match (past(from)?, past(until)?) {
        (from, until) if from > until => Err(Problem::new("`from` is after `until`")),
        both => Ok(both),
    }
}

fn to_second(us: i64) -> i64 {
    us.div_euclid(SECOND_US)
}

/// What is said of each object that is found, by its name.
fn each<T, K: Ord, V>(
    field: &str,
    written: &BTreeMap<String, T>,
    place: &Spot,
    said: impl Fn(&str, &T, &Spot) -> Option<(K, V)>,
) -> BTreeMap<K, V> {
    let all = written.iter();
    all.filter_map(|(name, of)| said(name, of, &place.part(field).part(name))).collect()
}

/// What was found of that name, or a complaint, unless what there is was not all read.
fn found<T>(kind: &str, name: &str, found: Option<T>, incomplete: bool, place: &Spot) -> Option<T> {
    if found.is_none() && !incomplete {
        place.add_name(Problem::new(format!("there is no {kind} `{name}`")));
    }
    found
}
