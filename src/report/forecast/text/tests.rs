//! Names that are long, in eighty columns, and what is counted over seeds.

use super::super::Basis;
use super::*;
use crate::analysis::course::Course;
use crate::lab::Forecast;
use crate::report::{Style, WallClock};

/// A node's name of 41 characters beside a zone's of 40 does not fit into eighty columns.
#[test]
fn long_names_of_zones_and_nodes_stand_below_each_other() {
    let mut out = Vec::new();
    let style = Style { colour: false, width: 80 };
    let mut p = Printer::new(&mut out, style);
    let node = "ip-10-1-0-0.eu-central-1.compute.internal";
    p.item("40 nodes of eu-central-1/eu-central-1a", node).unwrap();
    p.item("a", node).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines.iter().all(|l| l.len() <= 80), "{text}");
    assert_eq!(lines[1].find(node), lines[2].find(node), "{text}");
}

/// What is printed of courses, with one space between its words.
fn printed(courses: &[Course]) -> String {
    let basis = Basis {
        clock: WallClock(0),
        silent: Vec::new(),
        course: String::new(),
        head: String::new(),
        notes: Vec::new(),
        horizon: Time::from_secs(60),
        open: None,
    };
    let forecast = Forecast::of(courses);
    let outlook = Outlook { basis: &basis, name: "as it is", forecast: &forecast };
    let mut out = Vec::new();
    let mut p = Printer::new(&mut out, Style { colour: false, width: 100 });
    write(&mut p, &outlook, false).unwrap();
    write_beside(&mut p, &[outlook, outlook]).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One pod has no room in each of five seeds: of a in three of them, of b in two. Thirteen are
/// stuck, on n1 in three seeds and on n2 in two, one of the latter without the thirteenth.
#[test]
fn what_is_left_is_said_as_seeds_have_it() {
    let of = |seed: usize| {
        let (one, node) = if seed < 3 { ("a", "n1") } else { ("b", "n2") };
        let mut course = Course::default();
        course.pending.insert(format!("x/{one}"), "no room".to_owned());
        course.workloads.insert(format!("x/{one}"), format!("Deployment x/{one}"));
        for i in 1..=if seed == 4 { 12 } else { 13 } {
            course.stuck.insert(format!("x/old-{i}"), node.to_owned());
        }
        course
    };
    let said = printed(&(0..5).map(of).collect::<Vec<_>>());
    for wanted in [
        "13 pods (12 to 13) are Terminating on nodes that do not answer at the end.",
        "1 pod is Pending at the end.",
        "Deployment x/a 1 pod: no room (in 60 % of the seeds)",
        "Deployment x/b 1 pod: no room (in 40 % of the seeds)",
        "without a workload 13 pods (12 to 13) on n",
        "13 (12 to 13) stuck, 1 Pending at the end",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}
