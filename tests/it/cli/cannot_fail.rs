//! What is met whatever happens, and is told.

use super::warnings::said_by_a_test;
use super::{Scratch, unfolded};

/// A node is lost a minute after the start, and a pod of three evicted some five minutes later. Each
/// of the first lines of a pair is met for want of what it is about, and the second is met by the run.
#[test]
fn what_cannot_fail_in_this_run_is_told() {
    let scratch = Scratch::new();
    let told = [
        (
            r#"Whenever(that: Evicted(workload: "web"), then: Phase(workload: "web", phase: Running), each: Workload, within: "19m")"#,
            "the run ends before it is over",
        ),
        (
            r#"Whenever(that: Evicted(workload: "web"), then: Phase(workload: "web", phase: Running), each: Workload, within: "1m")"#,
            "",
        ),
        (
            r#"Pending(workload: "web", count: 0, reason: "Insuficient cpu")"#,
            "no pod ever waited for a reason with `Insuficient cpu`",
        ),
        (r#"Pending(workload: "web", count: 0, reason: "Insufficient cpu")"#, ""),
        (
            r#"Until(that: AtMost(of: evicted("web"), is: 0), until: AtLeast(of: up("web"), is: 3))"#,
            "it is over at 0s",
        ),
        (
            r#"Until(that: AtMost(of: evicted("web"), is: 0), until: AtLeast(of: timers("*"), is: 1))"#,
            "",
        ),
        (
            r#"Tainted(taint: "unreachable:PreferNoSchedule", count: 0)"#,
            "nothing sets a taint `unreachable:PreferNoSchedule`",
        ),
        (r#"Tainted(taint: "memory-pressure:NoSchedule", count: 0)"#, ""),
        ("Never(BudgetOverdrawn)", "there is no disruption budget"),
        ("Never(JobStalled)", "there is no Job"),
        ("Never(PodStuck)", ""),
    ];
    let expect: String = told.iter().map(|(line, _)| format!("            {line},\n")).collect();
    let text = format!(
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..2}}")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))],
        timeline: [(at: "1m", name: "c", do: Crash(node: "a-1"))],
        expect: [
{expect}        ])"#
    );
    let said = said_by_a_test(&scratch, &text);
    for (line, (expectation, why)) in (5..).zip(told) {
        let place = said.find(&format!("so.ron:{line}:13: ")).map(|at| &said[at..]);
        assert_eq!(place.is_some(), !why.is_empty(), "{expectation}: {said}");
        assert!(place.is_none_or(|p| p.split("so.ron").nth(1).unwrap().contains(why)), "{said}");
    }
}

/// The same said in several ways: of five pods six are never missing; nothing happens before the crash at 5m; nobody is drained,
/// no usage is said, and no message of that reason has such a word; a workload that asks for no pods has none.
#[test]
fn whatever_way_it_is_said() {
    let scratch = Scratch::new();
    let none = "the run has no such pod";
    let told = [
        (r#"AtMost(of: unavailable("web"), is: 5)"#, "never more than 5"),
        (r#"Never(AtLeast(of: unavailable("web"), is: 6))"#, "never more than 5"),
        (r#"Always(Not(AtLeast(of: unavailable("web"), is: 6)))"#, "never more than 5"),
        (r#"Never(AtLeast(of: unavailable("web"), is: 5))"#, ""),
        (r#"Never(Not(AtLeast(of: up("web"), is: 0)))"#, "at least 0 is so"),
        (r#"NotEvicted(during: ("1m", "2m"))"#, "the first that happens is c, at 5m"),
        (
            r#"Never(During(between: ("1m", "2m"), that: AtLeast(of: terminating("*"), is: 1)))"#,
            "the first that happens is c, at 5m",
        ),
        (r#"NotEvicted(by: "api-eviction")"#, "no node is drained"),
        (r#"NotEvicted(by: "drain-delete")"#, "no node is drained"),
        (r#"NotEvicted(by: "node-pressure")"#, "nothing says what pods or nodes use"),
        (
            r#"Event(reason: "TaintManagerEviction", message: "Marking for deletoin", count: 0)"#,
            "no event TaintManagerEviction ever has a message",
        ),
        (r#"Event(reason: "TaintManagerEviction", message: "Cancelling deletion", count: 0)"#, ""),
        (
            r#"PodCondition(workload: "web", type: Ready, status: Unknown, count: 0)"#,
            "ever becomes Unknown",
        ),
        ("Never(RunsTwice)", "there is no StatefulSet"),
        (r#"NotEvicted(workload: "api")"#, none),
        (r#"NotEvicted(label: "app=api")"#, none),
        (r#"NotEvicted(pod: "api-*")"#, none),
        (r#"Created(workload: "api", count: 0)"#, none),
        (r#"TimerSet(workload: "api", count: 0)"#, none),
        (r#"Pending(workload: "api", count: 0)"#, none),
        (r#"AtMost(of: evicted("api"), is: 0)"#, "never more than 0"),
        (r#"AtMost(of: pending("api"), is: 0)"#, "never more than 0"),
        (r#"AtMost(of: below_need("api"), is: "0s")"#, "never more than 0s"),
        (r#"Equal(of: unavailable("api"), is: 0)"#, "never more than 0"),
    ];
    let expect: String = told.iter().map(|(line, _)| format!("            {line},\n")).collect();
    let text = format!(
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..4}}")],
        workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All)), Deployment(name: "api", replicas: 0)],
        timeline: [(at: "5m", name: "c", do: Crash(node: "a-0"))],
        expect: [
{expect}        ])"#
    );
    let said = said_by_a_test(&scratch, &text);
    for (line, (expectation, why)) in (5..).zip(told) {
        let place = said.find(&format!("so.ron:{line}:13: ")).map(|at| &said[at..]);
        assert_eq!(place.is_some(), !why.is_empty(), "{expectation}: {said}");
        assert!(place.is_none_or(|p| p.split("so.ron").nth(1).unwrap().contains(why)), "{said}");
    }
}

/// Of three pods four are never up, whatever happens; three are, until the node is lost.
#[test]
fn what_cannot_be_met_is_told_as_that() {
    let scratch = Scratch::new();
    let never = "never are more than 3 asked for, so that it cannot be met";
    for (limit, is_told) in [(4, true), (3, false)] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..2}}")],
            workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))],
            timeline: [(at: "1m", name: "c", do: Crash(node: "a-1"))],
            expect: [AtLeast(of: up("web"), is: {limit})])"#
        );
        scratch.write("no.ron", text);
        let tested = scratch.call(&["test", "no.ron"]);
        assert_eq!(tested.code, 1, "{}", tested.stdout);
        let said = tested.stdout + &tested.stderr;
        let said = unfolded(&said);
        assert_eq!(said.contains(never), is_told, "{said}");
    }
}
