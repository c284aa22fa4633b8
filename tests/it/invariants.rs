//! The invariants notice what they are there for; every other test that runs a plan holds its run
//! to them.

use std::path::Path;
use std::rc::Rc;
use taintsim::api::quantity::Quantity;
use taintsim::kernel::{Choices, Time};
use taintsim::plan::{NodePlan, Plan};
use taintsim::scenario::{Overrides, build, load};
use taintsim::sim::run;
use taintsim::trace::{Record, RecordId, Trace, What};
use taintsim_referee::invariants::first_broken;

/// Panics with what a run does that no run may do.
pub(crate) fn hold(plan: &Plan, trace: &Trace, what: &str) {
    if let Some(broken) = first_broken(plan, trace) {
        panic!("{what}: {broken}");
    }
}

/// The run of a shipped scenario, with its records changed; and what the checkers say of it.
fn of_changed(
    file: &str,
    mut plan: impl FnMut(&mut Plan),
    change: impl Fn(RecordId, Record) -> Vec<Record>,
) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(file);
    let mut built = build(&load(&path).unwrap(), &Overrides::default()).unwrap();
    let mut trace = run(&built, Choices::default_order());
    let records: Vec<Record> = trace.iter().copied().collect();
    let mut changed = Trace::of(std::mem::take(&mut trace.names));
    (changed.taints, changed.templates, changed.horizon) =
        (trace.taints, trace.templates, trace.horizon);
    for (id, record) in records.into_iter().enumerate() {
        for r in change(id as RecordId, record) {
            changed.push(r);
        }
    }
    plan(&mut built);
    first_broken(&built, &changed)
}

#[test]
fn every_checker_notices_what_it_is_there_for() {
    let twice = |r: Record, again: bool| if again { vec![r, r] } else { vec![r] };
    let said = |file, change: &dyn Fn(RecordId, Record) -> Vec<Record>| {
        of_changed(file, |_| (), change).unwrap_or_default()
    };
    assert_eq!(said("zone-lost-with-room.ron", &|_, r| vec![r]), "");
    for (part, broken) in [
        (
            "was not yet there",
            said("zone-partition.ron", &|id, r| {
                vec![Record { cause: if id == 50 { 50 } else { r.cause }, ..r }]
            }),
        ),
        (
            "it is earlier than",
            said("zone-partition.ron", &|_, r| {
                vec![Record { at: if r.what == What::NodeHeard { Time::ZERO } else { r.at }, ..r }]
            }),
        ),
        (
            "it was bound to",
            said("zone-lost-with-room.ron", &|_, r| twice(r, matches!(r.what, What::PodBound(_)))),
        ),
        (
            "there is no such pod",
            said("zone-partition.ron", &|_, r| twice(r, r.what == What::PodGone)),
        ),
        (
            "it was so before",
            said("zone-partition.ron", &|_, r| twice(r, matches!(r.what, What::NodeCondition(..)))),
        ),
        (
            "not shortened",
            said("zone-partition.ron", &|_, r| twice(r, matches!(r.what, What::PodDeleting(_)))),
        ),
        (
            "it has a timer",
            said("zone-partition.ron", &|_, r| twice(r, matches!(r.what, What::TimerSet(_)))),
        ),
        // Ten times as fast, zone b is tainted at one node per second where one in ten is allowed.
        (
            "its limiter allows",
            said("zone-partition.ron", &|_, r| {
                vec![Record { at: Time::from_nanos(r.at.as_nanos() / 10), ..r }]
            }),
        ),
        (
            "its pods ask for",
            of_changed(
                "zone-lost-without-room.ron",
                |p| p.nodes.iter_mut().for_each(halve),
                |_, r| vec![r],
            )
            .unwrap_or_default(),
        ),
    ] {
        assert!(broken.contains(part), "{part:?} is not in {broken:?}");
    }
}

fn halve(node: &mut NodePlan) {
    let half = |q: &Quantity| Quantity::from_milli((q.milli_value() / 2) as i64);
    node.allocatable =
        Rc::new(node.allocatable.iter().map(|(name, q)| (name.clone(), half(q))).collect());
}
