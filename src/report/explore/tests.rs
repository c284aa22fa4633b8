//! Tests of what is told of a search.

use super::*;
use crate::kernel::choice::Deviation;
use crate::report::tables::tests::{csv_of_both, is_told};

fn violated(text: &str, whose: &str) -> Violated {
    Violated {
        property: Property::PodStuck(crate::kernel::Dur::from_secs(60)),
        about: String::new(),
        whose: whose.to_owned(),
        text: text.to_owned(),
        runs: 3,
        changes: Vec::new(),
        tape: Vec::new(),
        is_small: true,
        drawn: None,
    }
}

/// Two pods of one set are one finding, each in a run of its own; another workload's pod, and one that takes a fault, are
/// others.
#[test]
fn what_differs_only_in_where_it_is_is_told_once() {
    let by = |fault: &str, v: Violated| {
        let of = Of::Fault(format!("{fault}(nodes: Node(\"n-1\"))"));
        Violated { changes: vec![Change { of, at: Dur::ZERO }], ..v }
    };
    let all = [
        violated("db-0 is still on n-0", "default/db"),
        violated("db-1 is still on n-1", "default/db"),
        violated("web-0 is still on n-1", "default/web"),
        by("Crash", violated("db-2 is still on n-2", "default/db")),
        by("Reboot", violated("db-2 is still on n-2", "default/db")),
        by("Crash", violated("db-0 is still on n-0", "default/db")),
        Violated { is_small: false, ..violated("db-3 is still on n-0", "default/db") },
    ];
    let own = |(object, v): (u64, Violated)| {
        let deviation = Deviation { point: "next".into(), object, ordinal: 0, value: 1 };
        Violated { tape: vec![deviation], ..v }
    };
    let all: Vec<Violated> = (0..).zip(all).map(own).collect();
    let alone = |i: usize| (i, Vec::new());
    assert_eq!(told(&all), [(0, vec![1]), alone(2), (3, vec![5]), alone(4), alone(6)]);
}

/// The entry that taints a node comes sooner: of either node it is the same that comes of it. What comes of the same entry is
/// one finding in whatever words, and another entry that comes to something else another.
#[test]
fn entries_that_come_to_the_same_are_told_once() {
    let of = |entry: usize, node: &str, text: &str| Violated {
        about: format!(" {node}"),
        changes: vec![Change { of: Of::Entry(entry), at: Dur::from_secs(10) }],
        ..violated(&text.replace('@', node), "")
    };
    let all = [
        of(1, "blue", "@ lost a taint at 10.1s"),
        of(3, "red", "@ lost a taint at 20.1s"),
        of(1, "blue", "@ is untainted"),
        of(4, "red", "@ never got it"),
    ];
    assert_eq!(told(&all), [(0, vec![1, 2]), (3, Vec::new())]);
    assert_eq!(more_alike(&all, &[1, 2]), "and 2 more alike: red, blue");
}

/// A run that shows four pods stuck has one tape for them, another that shows two has one for each, as has what the
/// first shows of another property.
#[test]
fn many_violations_of_one_run_have_one_tape() {
    let drawn = |object: u64, v: Violated| {
        let deviation = Deviation { point: "next".into(), object, ordinal: 0, value: 1 };
        Violated { tape: vec![deviation], ..v }
    };
    let stuck = |run: u64, whose: &str| drawn(run, violated("is still on n-0", whose));
    let other = Violated { property: Property::WrongPod, ..stuck(1, "default/a") };
    let mut all: Vec<Violated> = ["a", "b", "c", "d"].map(|name| stuck(1, name)).into();
    all.insert(1, stuck(2, "e"));
    all.extend([stuck(2, "f"), other]);
    assert_eq!(shown_by(&all), [0, 1, 0, 0, 0, 5, 6]);
    assert_eq!(told(&all).len(), 4, "the four are told as one");
}

#[test]
fn a_search_has_a_row_for_each_property_and_more_where_several_outcomes_violate_one() {
    let stuck = Property::PodStuck(crate::kernel::Dur::from_secs(60));
    let violated = |text: &str| violated(text, "");
    let report = Report {
        runs: 6,
        exhausted: true,
        violations: ["a", "b"].map(violated).into(),
        ..Report::default()
    };
    let searched = Searched {
        release: "v1.34.4".to_owned(),
        depth: 1,
        changes: String::new(),
        report: &report,
        tapes: ["1.ron", "2.ron"].map(str::to_owned).into(),
        reports: Vec::new(),
    };
    // Of another release the time let no run be made.
    let (none, release) = (Report::default(), "v1.35.0".to_owned());
    let untried = Searched {
        release,
        report: &none,
        tapes: Vec::new(),
        reports: Vec::new(),
        changes: String::new(),
        depth: 1,
    };
    let (searches, properties) = ([searched, untried], [stuck, Property::NeedlessEviction, stuck]);
    // The release as a run tells it, so that tables can be joined.
    let document = document("rapid", &searches, &properties);
    assert_eq!(document["searches"][0]["kubernetes"], "1.34.4");
    assert_eq!(document["scenario"], "rapid", "whose table it is, says its metadata");
    let table = table(&searches, &properties);
    is_told(&table, &[]);
    let expected = "\
kubernetes,property,found,text,runs,changes,deviations,small,tape
1.34.4,pod-stuck(1m),violated,a,3,,0,true,1.ron
1.34.4,pod-stuck(1m),violated,b,3,,0,true,2.ron
1.34.4,needless-eviction,exhausted,,,,,,
1.35.0,pod-stuck(1m),not tried,,,,,,
1.35.0,needless-eviction,not tried,,,,,,
";
    assert_eq!(csv_of_both(&table), expected);
}
