//! The rungs of a verdict, on small recordings made by hand, with a stand-in for the model.

use super::{Evidence, Model, Models, Options, Verdict, check, compare};
use crate::recorded::{Line, Outcome, Recorded, parse, sort_lines};
use std::sync::Arc;
use taintsim::kernel::{Endless, Time};
use taintsim::plan::Plan;
use taintsim::trace::{Actor, EventText, NO_RECORD, Record, Trace, What};

/// "Marking for deletion" of pods at these seconds.
fn marks(of: &[(u64, &str)]) -> Vec<Line> {
    let line = |&(s, pod): &(u64, &str)| Line {
        t_ns: s * 1_000_000_000,
        actor: "taint-eviction".into(),
        what: "event".into(),
        object: format!("Pod/default/{pod}"),
        kind: "Normal".into(),
        reason: "TaintManagerEviction".into(),
        message: format!("Marking for deletion Pod default/{pod}"),
        ..Line::default()
    };
    let mut lines: Vec<Line> = of.iter().map(line).collect();
    sort_lines(&mut lines);
    lines
}

/// The same from a trace, as the model would write it.
fn trace(of: &[(u64, &str)]) -> Trace {
    let mut trace = Trace::default();
    for &(s, pod) in of {
        let object = trace.names.pod(&format!("default/{pod}")).0;
        let what = What::PodEvent(EventText::MarkingForDeletion, false, 1);
        trace.push(Record {
            at: Time::from_secs(s),
            cause: NO_RECORD,
            saw: NO_RECORD,
            object,
            what,
            actor: Actor::TaintEviction,
        });
    }
    trace
}

fn outcome(count: u32, of: &[(u64, &str)]) -> Outcome {
    Outcome { count, lines: Arc::new(marks(of)) }
}

const AB: [(u64, &str); 2] = [(10, "a"), (20, "b")];
const BA: [(u64, &str); 2] = [(10, "b"), (20, "a")];
const CA: [(u64, &str); 2] = [(10, "c"), (20, "a")];

#[test]
fn a_run_equals_an_outcome_or_only_its_shape() {
    assert_eq!(compare(&marks(&AB), &[outcome(10, &AB)], 1), Some(Verdict::Exact));
    assert_eq!(
        compare(&marks(&BA), &[outcome(10, &AB)], 1),
        None,
        "one outcome has to be met, names and all"
    );
    let both = [outcome(7, &AB), outcome(3, &BA)];
    assert_eq!(compare(&marks(&BA), &both, 2), Some(Verdict::Member(1)));
    assert_eq!(
        compare(&marks(&CA), &both, 2),
        Some(Verdict::Shape(0)),
        "names are taken out of objects and messages alike"
    );
    assert_eq!(compare(&marks(&[(10, "c"), (21, "a")]), &both, 2), None);
}

fn recorded(distinct: u32, outcomes: &[(u32, &[(u64, &str)])]) -> Recorded {
    let text =
        r#"{"kubernetes": "v1.34.4", "scenario": {"name": "s", "horizon": "1m"}, "kinds": {}}"#;
    let mut recorded = parse(text.as_bytes()).unwrap().remove(0);
    let outcomes = outcomes.iter().map(|(count, of)| outcome(*count, of)).collect();
    recorded.observed = crate::recorded::Observed::Timelines { runs: 10, distinct, outcomes };
    recorded
}

/// The verdict on a model whose runs are these, by seed; the last one is that of all further seeds.
fn verdict(recorded: &Recorded, runs: &[&[(u64, &str)]]) -> (Verdict, u64) {
    let model = |_: &Plan, seed: u64| trace(runs[(seed as usize).min(runs.len() - 1)]);
    let checked = check(recorded, both_ways(&model), Options::default());
    (checked.verdict, checked.seed)
}

/// A model for which drawing the order within an instant changes nothing.
fn both_ways<'a>(model: &'a Model<'a>) -> Models<'a> {
    Models { seeded: model, drawn: model }
}

/// Two controllers that do something in one instant always come in the same order where only seeds decide.
#[test]
fn an_order_within_an_instant_may_meet_what_no_seed_does() {
    let both = recorded(2, &[(5, &AB), (5, &BA)]);
    let seeded = |_: &Plan, _: u64| trace(&[(11, "a")]);
    let drawn = |_: &Plan, seed: u64| trace(if seed == 4 { &BA } else { &[(11, "a")] });
    let checked = check(&both, Models { seeded: &seeded, drawn: &drawn }, Options::default());
    assert_eq!((checked.verdict, checked.seed), (Verdict::Member(1), 4));
}

#[test]
fn another_seed_may_meet_a_recorded_outcome() {
    let both = recorded(2, &[(5, &AB), (5, &BA)]);
    assert_eq!(verdict(&both, &[&AB]), (Verdict::Member(0), 0));
    assert_eq!(verdict(&both, &[&[(11, "a")], &[(12, "a")], &BA]), (Verdict::Member(1), 2));
    assert!(matches!(verdict(&both, &[&[(11, "a")]]), (Verdict::Differs(_), 0)));
}

#[test]
fn an_incomplete_recording_leaves_open_what_it_cannot_tell() {
    // Three outcomes were seen, and two are kept, which differ in when "b" is marked.
    let early: [(u64, &str); 2] = [(10, "a"), (20, "b")];
    let late: [(u64, &str); 2] = [(10, "a"), (30, "b")];
    let incomplete = recorded(3, &[(5, &early), (3, &late)]);
    let between: &[(u64, &str)] = &[(10, "a"), (25, "b")];
    assert_eq!(verdict(&incomplete, &[between]).0, Verdict::Unrecorded(Evidence::Consistent));
    // 1 % of 30 s is 300 ms: 31 s is outside.
    assert!(matches!(verdict(&incomplete, &[&[(10, "a"), (31, "b")]]).0, Verdict::Differs(_)));
    let complete = recorded(2, &[(5, &early), (5, &late)]);
    assert!(matches!(verdict(&complete, &[between]).0, Verdict::Differs(_)));
    let shape_of_another: &[(u64, &str)] = &[(10, "c"), (30, "b")];
    assert_eq!(
        verdict(&incomplete, &[&[(40, "a")], shape_of_another]),
        (Verdict::Unrecorded(Evidence::Shape(1)), 1)
    );
}

#[test]
fn one_outcome_of_ten_leaves_everything_open() {
    let one = [(10_u64, "a"), (20, "b")];
    let other = [(90_u64, "c"), (99, "d")];
    assert_eq!(
        verdict(&recorded(10, &[(1, &one)]), &[&other]).0,
        Verdict::Unrecorded(Evidence::Few)
    );
    assert!(matches!(verdict(&recorded(2, &[(1, &one)]), &[&other]).0, Verdict::Differs(_)));
}

#[test]
fn a_difference_is_told_with_the_nearest_outcome() {
    let both = recorded(2, &[(5, &AB), (5, &[(10, "c"), (21, "d")])]);
    let (Verdict::Differs(text), _) = verdict(&both, &[&[(10, "c"), (22, "d")]]) else {
        panic!("it does not differ")
    };
    assert!(
        text.starts_with(
            "nearest of 2 outcomes kept of 2 is number 2: first difference at 21.000 s"
        ),
        "{text}"
    );
}

#[test]
fn a_panic_of_the_model_is_a_difference() {
    let one = recorded(1, &[(10, &AB)]);
    let model = |_: &Plan, _: u64| -> Trace { panic!("as the test wants it") };
    assert!(
        matches!(check(&one, both_ways(&model), Options::default()).verdict, Verdict::Differs(text) if text.contains("panics with seed 0"))
    );
}

/// Nothing ends a circle without delays but chance, which the order of an instant stands for.
#[test]
fn a_run_without_an_end_is_one_order_of_an_instant() {
    let both = recorded(2, &[(5, &AB), (5, &BA)]);
    let endless = |_: &Plan, _: u64| -> Trace {
        std::panic::panic_any(Endless::Spins { at: Time::ZERO, steps: 9, kind: "k".into() })
    };
    let drawn = |plan: &Plan, seed: u64| if seed == 4 { trace(&BA) } else { endless(plan, seed) };
    let checked = check(&both, Models { seeded: &endless, drawn: &drawn }, Options::default());
    assert_eq!((checked.verdict, checked.seed), (Verdict::Member(1), 4));
    let checked = check(&both, both_ways(&endless), Options::default());
    assert!(
        matches!(checked.verdict, Verdict::Differs(text) if text.contains("the run does not go on"))
    );
}

#[test]
fn reached_outcomes_are_counted_over_the_seeds() {
    let both = recorded(2, &[(5, &AB), (5, &BA)]);
    let model = |_: &Plan, seed: u64| trace(if seed == 3 { &BA } else { &AB });
    let reached = |seeds| {
        check(&both, both_ways(&model), Options { timeline_seeds: seeds, ..Options::default() })
            .reached
    };
    assert_eq!(reached(1), None);
    assert_eq!(reached(3).map(|r| (r.outcomes.len(), r.of, r.seeds)), Some((1, 2, 3)));
    assert_eq!(reached(4).map(|r| r.outcomes.len()), Some(2));
}
