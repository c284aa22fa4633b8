//! Tests of the guided search.

use super::exchange::in_orders;
use super::near::{MILLI, Miss, Near};
use super::reach;
use super::wish::Wish;
use crate::conformance::lines;
use crate::recorded::{Line, Outcome, parse, sort_lines};
use std::sync::Arc;
use taintsim::kernel::Choices;
use taintsim::kernel::choice::{Drawn, Span};
use taintsim::plan::Plan;
use taintsim::sim;

/// Twelve pods that are alike on a node that dies, and clients that have to wait for their
/// turn.
fn throttled() -> Plan {
    let pods: Vec<String> = (10..22)
        .map(|i| {
            let toleration =
                r#"{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "operator": "Exists", "tolerationSeconds": 60}"#;
            format!(r#"{{"name": "p{i}", "node": "n2", "tolerations": [{toleration}]}}"#)
        })
        .collect();
    let text = format!(
        r#"{{"kubernetes": "v1.34.4", "kinds": {{}}, "scenario": {{"name": "s", "horizon": "200s", "clients": {{"*": {{"qps": 20, "burst": 4}}}},
        "nodes": [{{"name": "n1", "zone": "a", "lease_offset": "1.3s", "status_offset": "3.7s"}},
            {{"name": "n2", "zone": "a", "lease_offset": "2.5s", "status_offset": "4.8s"}},
            {{"name": "n3", "zone": "a", "lease_offset": "6.1s", "status_offset": "7.9s"}}],
        "pods": [{}], "actions": [{{"at": "64.7s", "do": "cut", "nodes": ["n2"]}}]}}}}"#,
        pods.join(", ")
    );
    parse(text.as_bytes()).unwrap().remove(0).plan().unwrap()
}

#[test]
fn a_whole_instant_is_put_into_another_order() {
    let plan = throttled();
    let run = |choices| lines(&sim::search(&plan, choices).trace);
    let usual = run(Choices::default_order());
    // As the pods are alike, their evictions may come in the opposite order as well; each of
    // them waits for three tokens.
    let mut wanted = usual.clone();
    for line in wanted.iter_mut().filter(|l| l.actor == "taint-eviction") {
        let other = |text: &str| {
            (10..22)
                .find(|i| text.contains(&format!("p{i}")))
                .map(|i| (format!("p{i}"), format!("p{}", 31 - i)))
        };
        for text in [&mut line.pod, &mut line.object, &mut line.message] {
            if let Some((from, to)) = other(text) {
                *text = text.replace(&from, &to);
            }
        }
    }
    sort_lines(&mut wanted);
    let moved = usual.iter().filter(|l| !wanted.contains(l)).count();
    assert!(moved > 24, "most of 36 records are at the time of another now: {moved}");
    let found = reach(&plan, &[Outcome { count: 1, lines: Arc::new(wanted.clone()) }], 300);
    assert!(found.missed.is_empty(), "{found:?}");
    assert_eq!(run(Choices::tape(found.tapes[&0].clone(), Choices::default_order())), wanted);
}

fn at(ms: u64, pod: &str) -> Line {
    Line {
        t_ns: ms * MILLI,
        actor: "kubelet".into(),
        what: "pod-gone".into(),
        pod: pod.into(),
        ..Line::default()
    }
}

#[test]
fn a_miss_names_the_first_record_of_either_that_the_other_has_not() {
    let (wanted, ours) =
        ([at(1, "a"), at(3, "c"), at(4, "d")], [at(1, "a"), at(2, "b"), at(3, "c")]);
    assert_eq!(
        Miss::of(&ours, &wanted),
        Miss { shared: 1, of: 3, parts: (Some(at(4, "d")), Some(at(2, "b"))) }
    );
    assert_eq!(Miss::of(&wanted, &wanted).parts, (None, None));
}

#[test]
fn nearer_is_who_departs_later_and_then_who_has_more_of_that_millisecond() {
    let wanted = [at(1, "a"), at(3, "b"), at(3, "c"), at(9, "d")];
    let near = |ours: &[Line]| Near::of(ours, &wanted);
    let steps = [
        near(&[at(1, "a"), at(2, "x"), at(3, "b"), at(3, "c"), at(9, "d")]),
        near(&[at(1, "a"), at(3, "x"), at(3, "y")]),
        near(&[at(1, "a"), at(3, "c"), at(3, "x")]),
        near(&[at(1, "a"), at(3, "c")]),
        near(&[at(1, "a"), at(3, "b"), at(3, "c")]),
        near(&wanted),
    ];
    assert!(steps.is_sorted() && steps.windows(2).all(|w| w[0] < w[1]), "{steps:?}");
}

#[test]
fn a_wanted_object_changes_places_and_the_others_keep_theirs() {
    let drawn = |object| Drawn {
        point: "order",
        object,
        ordinal: 0,
        span: Span::Rank,
        value: Span::MIDDLE,
    };
    let ranks: Vec<Drawn> = (1..=4).map(drawn).collect();
    let orders = |wanted: &[u64], instead: &[u64]| -> Vec<Vec<u64>> {
        let wish = Wish { wanted: wanted.to_vec(), instead: instead.to_vec() };
        // The place of each is its value.
        in_orders(&ranks, &wish)
            .iter()
            .map(|(_, tape)| tape.iter().map(|d| d.object * 10 + d.value).collect())
            .collect()
    };
    assert_eq!(orders(&[4], &[2]), [[10, 41, 32, 23]]);
    assert_eq!(orders(&[3], &[]), [[30, 21, 12]], "it comes first");
    assert_eq!(orders(&[], &[3]), [[10, 21, 42, 33]], "what came too soon comes last");
    assert!(orders(&[2], &[3]).is_empty() && orders(&[7], &[]).is_empty());
}
