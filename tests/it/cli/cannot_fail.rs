//! What is met whatever happens, and is told.

use super::warnings::said_by_a_test;
use super::{Scratch, unfolded};

/// Each of these expectations of a scenario, which is given without them, is met, and told to say nothing for that reason; where none is
/// given, it is not told of.
fn each_is_told(scenario: &str, told: &[(&str, &str)]) {
    let expect: String = told.iter().map(|(line, _)| format!("            {line},\n")).collect();
    let text = format!("{scenario}\n        expect: [\n{expect}        ])");
    let said = said_by_a_test(&Scratch::new(), &text);
    for (line, (expectation, why)) in (5..).zip(told) {
        let place = said.find(&format!("so.ron:{line}:13: ")).map(|at| &said[at..]);
        assert_eq!(place.is_some(), !why.is_empty(), "{expectation}: {said}");
        assert!(place.is_none_or(|p| p.split("so.ron").nth(1).unwrap().contains(why)), "{said}");
    }
}

/// A node is lost a minute after the start, and a pod of three evicted some five minutes later. Each
/// of the first lines of a pair is met for want of what it is about, and the second is met by the run.
#[test]
fn what_cannot_fail_in_this_run_is_told() {
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
        (
            r#"Tainted(taint: "memory-pressure:NoExecute", count: 0)"#,
            "nothing sets a taint `memory-pressure:NoExecute`",
        ),
        (
            r#"Tainted(taint: "unreachable=yes", count: 0)"#,
            "nothing sets a taint `unreachable=yes`",
        ),
        ("Never(BudgetOverdrawn)", "there is no disruption budget"),
        ("Never(JobStalled)", "there is no Job"),
        ("Never(PodStuck)", ""),
    ];
    each_is_told(
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))],
        timeline: [(at: "1m", name: "c", do: Crash(node: "a-1"))],"#,
        &told,
    );
}

/// The same said in several ways: of five pods six are never missing; nothing happens before the crash at 5m; nobody is drained,
/// no usage is said, and no message of that reason has such a word; a workload that asks for no pods has none.
#[test]
fn whatever_way_it_is_said() {
    let none = "the run has no such pod";
    let told = [
        (r#"AtMost(of: unavailable("web"), is: 5)"#, "never more than 5"),
        (r#"Never(AtLeast(of: unavailable("web"), is: 6))"#, "never more than 5"),
        (r#"Always(Not(AtLeast(of: unavailable("web"), is: 6)))"#, "never more than 5"),
        (r#"Never(AtLeast(of: unavailable("web"), is: 5))"#, ""),
        (r#"Never(Not(AtLeast(of: up("web"), is: 0)))"#, "at least 0 is so"),
        (r#"NotEvicted(during: ("1m", "2m"))"#, "the first that happens is c, at 5m"),
        (r#"NotEvicted(during: ("1m", "5m"))"#, "the first that happens is c, at 5m"),
        (r#"NotEvicted(during: ("1m", "5m1s"))"#, ""),
        (
            r#"Never(During(between: ("1m", "2m"), that: AtLeast(of: terminating("*"), is: 1)))"#,
            "the first that happens is c, at 5m",
        ),
        (r#"NotEvicted(by: "api-eviction")"#, "no node is drained"),
        (r#"NotEvicted(by: "drain-delete")"#, "no node is drained"),
        (r#"NotEvicted(by: "node-pressure")"#, "nothing says what pods or nodes use"),
        (r#"Evicted(by: "node-pressure", count: "0..5")"#, "nothing says what pods or nodes use"),
        (
            r#"Event(reason: "TaintManagerEviction", message: "Marking for deletoin", count: 0)"#,
            "no event TaintManagerEviction ever has a message",
        ),
        (r#"Event(reason: "TaintManagerEviction", message: "Cancelling deletion", count: 0)"#, ""),
        (r#"Event(reason: "Killing", count: 0)"#, "and there is no such probe"),
        (
            r#"PodCondition(workload: "web", type: Ready, status: Unknown, count: 0)"#,
            "ever becomes Unknown",
        ),
        ("Never(RunsTwice)", "there is no StatefulSet"),
        (r#"AtMost(of: requests("user"), is: 3)"#, r#"requests("user") is never more than 0"#),
        (
            r#"Never(AtLeast(of: requests("job"), is: 1))"#,
            r#"requests("job") is never more than 0"#,
        ),
        (r#"AtMost(of: requests("scheduler"), is: 100000)"#, ""),
        (r#"Deleted(by: "user", count: 0)"#, "the user deletes no pods in this scenario"),
        (r#"Deleted(by: "job", count: 0)"#, "the Job controller deletes no pods"),
        (r#"Deleted(by: "pod-gc", count: 0)"#, ""),
        (
            r#"Until(that: AtLeast(of: up("web"), is: 0), until: AtLeast(of: evicted("*"), is: 1))"#,
            "at least 0 is so",
        ),
        (
            r#"Whenever(that: Evicted(by: "device-taint-eviction"), then: Created(), each: Workload)"#,
            "no node has devices",
        ),
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
    each_is_told(
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..4}")],
        workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All)), Deployment(name: "api", replicas: 0)],
        timeline: [(at: "5m", name: "c", do: Crash(node: "a-0"))],"#,
        &told,
    );
}

/// Nothing here has an image, a probe, usage, volumes, devices or a priority, is a Job or ruled, and no machine is shut down; and nobody
/// says that a node is back where kubelets are those of `timing: Ideal`.
#[test]
fn what_nothing_here_makes_is_told() {
    let [idle, usage, image] =
        ["has nothing to do", "nothing says what pods or nodes use", "with an `image` alone"];
    let event = |reason: &str| format!(r#"Event(reason: "{reason}", count: 0)"#);
    let is = |kind: &str| format!("Condition(type: {kind}, status: True, count: 0)");
    let told = [
        (event("Pulled"), image),
        (event("BackOff"), image),
        (event("Unhealthy"), "there is no probe"),
        (event("Evicted"), usage),
        (event("EvictionThresholdMet"), usage),
        (event("ImageGCFailed"), usage),
        (event("FailedAttachVolume"), idle),
        (event("TaintAdded"), idle),
        (event("Completed"), idle),
        (event("Preempted"), "no pod has a priority above zero"),
        (event("NodeShutdown"), "no machine is shut down"),
        (event("DeviceTaintManagerEviction"), "no node has devices"),
        (event("NodeControllerEviction"), "has no pod-eviction-timeout"),
        (event("NodeReady"), "the kubelets of `timing: Ideal` do not tell of it"),
        (event("FailedCreate"), ""),
        (is("MemoryPressure"), "no entry of the timeline sets it, and nothing says"),
        (is("NetworkUnavailable"), "no entry of the timeline sets it, and nothing says"),
    ];
    let told: Vec<(&str, &str)> = told.iter().map(|(e, why)| (e.as_str(), *why)).collect();
    each_is_told(
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "20m", nodes: [(names: "a-{0..4}")],
        workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All))],
        timeline: [(at: "5m", name: "c", do: Crash(node: "a-0"))],"#,
        &told,
    );
}

/// Without a scheduler nobody binds a pod or says why not; without a taint manager no pod has a timer; and 1.20 has no condition
/// DisruptionTarget, which 1.26 has first.
#[test]
fn what_nobody_is_there_for_is_told() {
    let of = |release: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "{release}", horizon: "10m", nodes: [(names: "a-{{0..1}}")], controllers: (scheduler: false),
        workloads: [Deployment(name: "web", replicas: 2, placement: Node("a-0"))],
        timeline: [(at: "1m", name: "d", do: Drain(node: "a-0"))],"#
        )
    };
    let idle = "the scheduler has nothing to do";
    let marked = "PodCondition(type: DisruptionTarget, status: True, count: 0)";
    let without = "flags: (kube-controller-manager: {\"enable-taint-manager\": false}), timeline";
    let [evicts, marks] = [
        "--enable-taint-manager=false evicts nobody",
        "nobody sets the condition DisruptionTarget",
    ];
    let told = [
        ("Bound(count: 0)", idle),
        (r#"Event(reason: "FailedScheduling", count: 0)"#, idle),
        ("TimerSet(count: 0)", evicts),
        ("EvictionFailed(count: 0)", evicts),
        (r#"AtMost(of: timers("*"), is: 0)"#, "never more than 0"),
        (marked, marks),
    ];
    each_is_told(&of("1.20").replace("timeline", without), &told);
    let deleted = of("1.26").replace("Drain(node: \"a-0\")", "DeletePod(pods: All)");
    each_is_told(&deleted, &[(marked, "")]);
}

/// Nothing comes of a crash at 5m before that, whatever is looked for.
#[test]
fn what_is_looked_at_before_anything_happens_is_told() {
    let window = r#"count: 0, during: ("0s", "4m")"#;
    let all = [
        r#"Deleted(workload: "web", "#,
        r#"Gone(workload: "web", "#,
        r#"Created(workload: "web", "#,
        r#"Bound(workload: "web", "#,
        r#"PodCondition(type: Ready, status: False, "#,
        "Phase(phase: Failed, ",
        r#"Tainted(taint: "unreachable", "#,
        r#"Untainted(taint: "unreachable", "#,
        "Condition(type: Ready, status: Unknown, ",
        r#"Cordoned(node: "a-0", "#,
        r#"ZoneState(zone: "a", state: PartialDisruption, "#,
        r#"Event(reason: "TaintManagerEviction", "#,
    ];
    let mut all: Vec<String> = all.iter().map(|start| format!("{start}{window})")).collect();
    all.push(r#"Pending(workload: "web", count: 0, at: "4m")"#.to_owned());
    all.push(r#"Never(During(between: ("0s", "4m"), that: PodStuck))"#.to_owned());
    let why = "the first that happens is c, at 5m";
    let told: Vec<(&str, &str)> = all.iter().map(|e| (e.as_str(), why)).collect();
    each_is_told(
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..4}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All))],
        timeline: [(at: "5m", name: "c", do: Crash(node: "a-0"))],"#,
        &told,
    );
}

/// Where there is no pod at all, there is none to lack, in whatever words.
#[test]
fn of_no_pods_none_is_missing() {
    let figures = ["unavailable", "missing", "evicted", "timers"]
        .map(|f| format!("AtMost(of: {f}(\"*\"), is: 0)"));
    let spans = ["longest_gap", "unavailable_seconds", "below_need", "longest_below_need"];
    let spans = spans.map(|f| format!("AtMost(of: {f}(\"*\"), is: \"0s\")"));
    let told: Vec<(&str, &str)> =
        figures.iter().chain(&spans).map(|e| (e.as_str(), "never more than 0")).collect();
    each_is_told(
        r#"Scenario(version: 1, horizon: "20m",
        nodes: [(names: "a-{0..1}")],
        timeline: [(at: "5m", name: "c", do: Crash(node: "a-0"))],"#,
        &told,
    );
}

/// Killing is told of what a probe has killed alone. Pods of `web` have none; of `probed`, whose probe never fails, upstream's kubelets
/// say it as one is deleted (`killContainer`), but not that it was for a probe.
#[test]
fn what_kubelets_kill_without_a_probe_is_not_told() {
    let [none, deleted] = ["and there is no such probe", "and pods were deleted"];
    let told = [
        (r#"Event(reason: "Killing", workload: "web", count: 0)"#, none),
        (r#"Event(reason: "Killing", workload: "probed", count: 0)"#, deleted),
        (r#"Event(reason: "Killing", count: 0)"#, deleted),
        (r#"Event(reason: "Killing", count: 0, message: "failed liveness probe")"#, ""),
        (r#"Event(reason: "Killing", workload: "kept", count: 0)"#, ""),
    ];
    each_is_told(
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 1, placement: Spread(All)), Deployment(name: "probed", replicas: 1, placement: Spread(All), template: (livenessProbe: ())), Deployment(name: "kept", replicas: 1, placement: Spread(All), template: (livenessProbe: ()))],
        timeline: [(at: "5m", name: "d", do: DeletePod(pods: Group("probed")))],"#,
        &told,
    );
}

/// Where all pods are there from the start, a stretch that ends before anything is done says no more of them than of
/// evictions; where they are made first, it says that they come to be.
#[test]
fn what_is_over_before_anything_is_done() {
    let text = |placement: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..4}}")],
            workloads: [Deployment(name: "web", replicas: 5{placement})],
            timeline: [(at: "5m", name: "c", do: Crash(node: "a-0"))],"#
        )
    };
    let early = r#"AtLeast(of: available("web"), is: 5, during: ("1m", "4m"))"#;
    let first = "the first that happens is c, at 5m";
    let placed = [
        (early, first),
        (
            r#"Always(During(between: ("0s", "4m"), that: AtMost(of: missing("web"), is: 0)))"#,
            first,
        ),
        (r#"AtLeast(of: available("web"), is: 4, during: ("0s", "6m"))"#, ""),
    ];
    each_is_told(&text(", placement: Spread(All)"), &placed);
    each_is_told(&text(""), &[(early, "")]);
}

/// A node is lost at 5m, and its pod of five tolerates that for 300 s: it is evicted after 10m45s, and nothing of that is decided
/// by 10m. By 5m46s the node is Unknown, and its pod not Ready, by the first pass after the grace of 50 s, and its NoExecute
/// taint is to come; and by 5m20s nobody has noticed anything, which takes 40 s at the least. By 20m all of it is decided, but
/// that the pod is gone, which takes a kubelet. What tolerates the loss for good becomes not Ready, and that is all.
#[test]
fn what_comes_after_the_end_is_told() {
    let scratch = Scratch::new();
    let (due, lost) = ("the eviction of default/web-", "a-0 is silent, and not Unknown yet");
    let waits = "a-0 waits in its zone's queue";
    let told = [
        (r#"NotEvicted(workload: "web")"#, ["", due, waits, lost]),
        (r#"Evicted(workload: "web", count: "0..1")"#, ["", "", "", ""]),
        (r#"Deleted(workload: "web", count: 0, during: ("0s", "5m10s"))"#, ["", "", "", ""]),
        (r#"Created(workload: "web", count: 0)"#, ["", due, waits, lost]),
        (r#"Gone(workload: "web", count: 0)"#, ["", "", "", ""]),
        (r#"TimerSet(workload: "web", count: 0)"#, ["", "", waits, lost]),
        (
            r#"PodCondition(workload: "web", type: Ready, status: False, count: 0)"#,
            ["", "", "", lost],
        ),
        (r#"Event(reason: "NodeNotReady", count: 0)"#, ["", "", "", lost]),
        // What it is to say and of whom changes nothing of that, but where nothing happens to that one.
        (r#"Event(reason: "NodeNotReady", message: "not ready", count: 0)"#, ["", "", "", lost]),
        (r#"Event(reason: "NodeNotReady", object: "Node/a-0", count: 0)"#, ["", "", "", lost]),
        (r#"Event(reason: "NodeNotReady", object: "Node/a-1", count: 0)"#, ["", "", "", ""]),
        (
            r#"Event(reason: "TaintManagerEviction", message: "Marking for", object: "Pod/default/web-*", count: 0)"#,
            ["", due, waits, lost],
        ),
        (
            r#"Event(reason: "Scheduled", message: "assigned default/web-", count: 0)"#,
            ["", due, waits, lost],
        ),
        (r#"AtMost(of: evicted("web"), is: 0)"#, ["", due, waits, lost]),
        (r#"AtMost(of: evicted("web"), is: 1)"#, ["", "", "", ""]),
        (r#"AtMost(of: timers("*"), is: 0)"#, ["", "", waits, lost]),
        (r#"AtMost(of: unavailable("web"), is: 0)"#, ["", "", "", lost]),
        (r#"AtLeast(of: available("web"), is: 5)"#, ["", "", "", lost]),
        (r#"AtMost(of: not_ready_nodes("*"), is: 0)"#, ["", "", "", lost]),
        (r#"AtMost(of: longest_gap("web"), is: "5m10s")"#, ["", due, waits, lost]),
        (r#"Never(AtLeast(of: evicted("*"), is: 1))"#, ["", due, waits, lost]),
        ("Never(NeedlessEviction)", ["", due, waits, lost]),
        (r#"NotEvicted(workload: "stays")"#, ["", "", "", ""]),
        (
            r#"PodCondition(workload: "stays", type: Ready, status: False, count: 0)"#,
            ["", "", "", lost],
        ),
        (r#"Tainted(taint: "unreachable:NoExecute", count: 0)"#, ["", "", waits, lost]),
        (r#"Condition(type: Ready, status: Unknown, count: 0)"#, ["", "", "", lost]),
        (r#"Condition(node: "a-1", type: Ready, status: Unknown, count: 0)"#, ["", "", "", ""]),
    ];
    for (expectation, whys) in told {
        for (horizon, why) in ["20m", "10m", "5m46s", "5m20s"].into_iter().zip(whys) {
            let text = format!(
                r#"Scenario(version: 1, horizon: "{horizon}", nodes: [(names: "a-{{0..4}}")],
                workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All)), DaemonSet(name: "stays")],
                timeline: [(at: "5m", name: "c", do: Crash(node: "a-0"))],
                expect: [{expectation}])"#
            );
            let said = said_of(&scratch, &text);
            let is_told = said.contains("the run ends before it is decided");
            assert_eq!(is_told, !why.is_empty(), "{expectation} {horizon}: {said}");
            assert!(said.contains(why), "{expectation} {horizon}: {said}");
        }
    }
}

/// What a test says, whatever comes of it.
fn said_of(scratch: &Scratch, text: &str) -> String {
    scratch.write("so.ron", text);
    let tested = scratch.call(&["test", "so.ron"]);
    unfolded(&format!("{}{}", tested.stdout, tested.stderr))
}

/// A drain evicts one pod of five at 2m, and a node is lost at 5m, whose pods are due after 10m45s: one more is more than 1.
/// At 20m nothing is under way. In a zone of four nodes, two of which are lost, tainting has stopped, and what waits in the
/// queue is not to come.
#[test]
fn more_may_come_where_some_came() {
    let scratch = Scratch::new();
    let of = |horizon: &str, nodes: &str, timeline: &str, expectation: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "{horizon}", nodes: [{nodes}],
            workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All))],
            timeline: [{timeline}], expect: [{expectation}])"#
        );
        said_of(&scratch, &text).contains("the run ends before it is decided")
    };
    let five = r#"(names: "a-{0..4}", zone: "a")"#;
    let drained = r#"(at: "2m", do: Drain(node: "a-3")), (at: "5m", do: Crash(node: "a-0"))"#;
    for (expectation, is_told) in [
        (r#"AtMost(of: evicted("web"), is: 1)"#, true),
        (r#"AtMost(of: evicted("web"), is: 9)"#, false),
        (r#"Evicted(workload: "web", count: "0..1")"#, true),
        (r#"Evicted(workload: "web", count: "0..9")"#, false),
        (
            r#"Always(All([AtMost(of: evicted("web"), is: 1), AtLeast(of: up("web"), is: 1)]))"#,
            true,
        ),
        ("Never(PodStuck)", true),
        // What has to be so often, so early or so close together may still be more, later and farther apart.
        (r#"Evicted(workload: "web", count: 1)"#, true),
        (r#"Evicted(workload: "web", before: "3m")"#, true),
        (r#"Evicted(workload: "web", spread: "..1m")"#, true),
        (r#"Evicted(workload: "web", first: ("1m", "3m"))"#, false),
        (r#"Evicted(workload: "web", after: "1m")"#, false),
        (r#"Evicted(workload: "web", by: "api-eviction", count: 1)"#, false),
        (r#"Created(workload: "web", count: 1)"#, true),
        (r#"Phase(workload: "web", phase: Running, count: 6)"#, true),
        // Of several claims one decides against all, and all together against any.
        (
            r#"Always(AnyOf([AtMost(of: evicted("web"), is: 1), AtLeast(of: up("web"), is: 1)]))"#,
            false,
        ),
        (
            r#"Always(AnyOf([AtMost(of: evicted("web"), is: 1), AtLeast(of: evicted("web"), is: 9)]))"#,
            true,
        ),
        (r#"Never(Not(AtMost(of: evicted("web"), is: 1)))"#, true),
        (
            r#"Never(All([AtLeast(of: evicted("web"), is: 2), AtLeast(of: evicted("web"), is: 9)]))"#,
            false,
        ),
    ] {
        assert_eq!(of("10m", five, drained, expectation), is_told, "{expectation}");
        assert!(!of("20m", five, drained, expectation), "{expectation}");
    }
    let stopped = r#"(names: "a-{0..3}", zone: "a"), (names: "b-{0..3}", zone: "b")"#;
    let half = r#"(at: "5m", do: Crash(nodes: Nodes(["a-0", "a-1", "a-2"])))"#;
    assert!(!of("20m", stopped, half, r#"Evicted(workload: "web", count: "0..1")"#));
    assert!(of("5m20s", stopped, half, r#"Evicted(workload: "web", count: "0..1")"#));
}

/// A drain asks a pod to go, which takes 5 minutes to end, half a minute before the run is over.
#[test]
fn a_pod_that_is_terminating_is_not_gone_yet() {
    let scratch = Scratch::new();
    for (horizon, kind, what, is_told) in [
        ("2m30s", "Deployment", "Gone", true),
        ("20m", "Deployment", "Gone", false),
        // Its successor has its name, and one of a Deployment comes at once.
        ("2m30s", "StatefulSet", "Created", true),
        ("2m30s", "Deployment", "Evicted", false),
    ] {
        let n = u8::from(what == "Evicted");
        let text = format!(
            r#"Scenario(version: 1, horizon: "{horizon}", nodes: [(names: "a-{{0..1}}")],
            workloads: [{kind}(name: "web", replicas: 1, placement: Node("a-0"), template: (terminationGracePeriodSeconds: 600, pod_stop: "5m"))],
            timeline: [(at: "2m", do: Drain(node: "a-0"))],
            expect: [{what}(workload: "web", count: {n})])"#
        );
        let said = said_of(&scratch, &text);
        let is_said = said.contains("the run ends before it is decided: default/web-");
        assert_eq!(is_said && said.contains(" is Terminating"), is_told, "{said}");
    }
}

/// What is under way at the end, but for what a lost node brings:
/// - a pod that takes a minute to start is Pending, and not Ready, half a minute later;
/// - kubelets post Ready False by 10 s after 2m, and the next pass, one in 5 s, queues the nodes: at 2m20s one of two is tainted
///   not-ready:NoExecute, and the other waits, for at --node-eviction-rate=0.01 its turn comes 100 s later;
/// - a node is heard again at 8m, and posts Ready a moment later at the soonest, after which a pass takes its taints away;
/// - a budget of 3 lets one of 4 pods go, and the next one only once its successor, which takes a minute, is Ready. Where no
///   successor can be placed, nothing is to come.
#[test]
fn what_starts_recovers_or_drains_is_told() {
    let scratch = Scratch::new();
    let of = |horizon: &str, timeline: &str, expectation: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "{horizon}", nodes: [(names: "a-{{0..3}}")],
            flags: (kube_controller_manager: {{ "node-eviction-rate": 0.01 }}),
            podDisruptionBudgets: [(name: "b", selector: (matchLabels: {{"app": "web"}}), minAvailable: 3)],
            workloads: [
                Deployment(name: "web", replicas: 4, placement: Node("a-0"), template: (labels: {{"app": "web"}}, pod_start: "1m")),
                DaemonSet(name: "agent"),
            ],
            timeline: [{timeline}], expect: [{expectation}])"#
        );
        said_of(&scratch, &text)
    };
    let deleted = r#"(at: "2m", do: DeletePod(pods: Group("web")))"#;
    let drain = r#"(at: "2m", do: Drain(node: "a-0", ignore_daemonsets: true))"#;
    let alone = r#"(at: "1m", do: Cordon(nodes: Nodes(["a-{1..3}"]))), (at: "2m", do: Drain(node: "a-0", ignore_daemonsets: true))"#;
    let cut = r#"(at: "1m", do: Partition(node: "a-1", duration: "7m"))"#;
    let starts = " is not Ready yet";
    for (horizon, timeline, expectation, why) in [
        ("2m30s", deleted, r#"Pending(workload: "web", count: 4)"#, starts),
        ("2m30s", deleted, r#"Pending(workload: "web", count: "0..4")"#, ""),
        ("2m30s", deleted, r#"Pending(workload: "web", count: 4, at: "2m20s")"#, ""),
        (
            "2m30s",
            deleted,
            r#"PodCondition(workload: "web", type: Ready, status: True, count: 0, during: ("2m", "2m30s"))"#,
            starts,
        ),
        (
            "2m30s",
            deleted,
            r#"AtLeast(of: pending("web"), is: 4, during: ("2m1s", "2m30s"))"#,
            starts,
        ),
        ("4m", deleted, r#"Pending(workload: "web", count: 0)"#, ""),
        ("2m30s", drain, r#"Evicted(by: "api-eviction", count: 1)"#, "the drain of a-0 goes on"),
        ("2m30s", drain, r#"AtMost(of: evicted("web"), is: 1)"#, "the drain of a-0 goes on"),
        ("2m30s", drain, r#"Deleted(by: "user", count: 1)"#, "the drain of a-0 goes on"),
        ("20m", drain, r#"Evicted(by: "api-eviction", count: 4)"#, ""),
        ("20m", alone, r#"Evicted(by: "api-eviction", count: 1)"#, ""),
        (
            "2m20s",
            r#"(at: "2m", do: Condition(nodes: Nodes(["a-{2..3}"]), type: Ready, status: False))"#,
            r#"Tainted(taint: "not-ready:NoExecute", count: "0..1")"#,
            "waits in its zone's queue",
        ),
        (
            "8m1ms",
            cut,
            r#"Untainted(taint: "unreachable", count: 0)"#,
            "a-1 is back, and not well yet",
        ),
        ("20m", cut, r#"Untainted(taint: "unreachable:NoExecute", count: 1)"#, ""),
    ] {
        let said = of(horizon, timeline, expectation);
        let is_told = said.contains("the run ends before it is decided");
        assert_eq!(is_told, !why.is_empty(), "{expectation} {horizon}: {said}");
        assert!(said.contains(why), "{expectation} {horizon}: {said}");
    }
}

/// What begins as the run ends can do nothing, and no node is Unknown before its grace of 50 s is over, which begins with its last
/// heartbeat, 10 s and 4 % before the fault at the earliest: 39.6 s before the end of 10m is 9m20.4s. It is told without a run.
#[test]
fn what_begins_at_the_end_is_told() {
    let scratch = Scratch::new();
    for (at, is_told) in [("10m", true), ("9m", false)] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{{0..4}}")],
            workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All))],
            timeline: [(at: "{at}", name: "late", do: Crash(node: "a-0"))])"#
        );
        scratch.write("late.ron", text);
        let read = scratch.call(&["validate", "late.ron"]);
        let said = read.stdout + &read.stderr;
        let said = unfolded(&said);
        assert_eq!(said.contains("so that nothing comes of it: late"), is_told, "{said}");
    }
    for (at, fault, is_told) in [
        ("9m21s", r#"Crash(node: "a-0")"#, true),
        ("9m36s", r#"Partition(node: "a-0", duration: "1m")"#, true),
        ("9m36s", r#"Partition(node: "a-0", duration: "10s")"#, false),
        ("9m36s", r#"Cordon(node: "a-0")"#, false),
        ("9m20s", r#"Crash(node: "a-0")"#, false),
    ] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{{0..4}}")],
            timeline: [(at: "{at}", name: "late", do: {fault})])"#
        );
        scratch.write("late.ron", text);
        let read = scratch.call(&["validate", "late.ron"]);
        let said = read.stdout + &read.stderr;
        let why = "--node-monitor-grace-period (50s) is over: late";
        assert_eq!(unfolded(&said).contains(why), is_told, "{at} {fault}: {said}");
    }
}

/// As above a node is Unknown 39.6 s after the fault at the earliest, and its pod is evicted 300 s later, by `--default-unreachable-toleration-seconds`:
/// of 10m that leaves 4m20.4s. One that tolerates it for a minute goes by then.
#[test]
fn what_ends_before_evictions_is_told_without_a_run() {
    let scratch = Scratch::new();
    let short = r#", template: (tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)])"#;
    let drained = r#"Evicted(workload: "web")"#;
    let stays = r#"NotEvicted(workload: "web")"#;
    for (at, more, expectation, is_told) in [
        ("5m", "", stays, true),
        ("4m21s", "", stays, true),
        ("4m20s", "", stays, false),
        ("5m", short, stays, false),
        ("5m", "", drained, false),
    ] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{{0..4}}")],
            workloads: [Deployment(name: "web", replicas: 5{more})],
            timeline: [(at: "{at}", name: "late", do: Crash(node: "a-0"))], expect: [{expectation}])"#
        );
        scratch.write("late.ron", text);
        let read = scratch.call(&["validate", "late.ron"]);
        let said = unfolded(&(read.stdout + &read.stderr));
        let why = "(50s) is over, and no pod is evicted for 5m after that: late";
        assert_eq!(said.contains(why), is_told, "{at} {more} {expectation}: {said}");
    }
}

/// What agents post is no condition of Kubernetes' own, in quotes or not.
#[test]
fn a_condition_of_an_agent_is_told_where_it_belongs() {
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(name: "a")], expect: [Condition(node: "a", type: "CniReady", status: False)])"#;
    assert!(said_of(&Scratch::new(), text).contains("what agents post is of `SetCondition` alone"));
}

/// Without nodes, pods or a timeline nothing can be violated, and where pods stay as they are none is missing; what waits to be
/// scheduled may not be.
#[test]
fn where_nothing_happens_nothing_is_met() {
    let scratch = Scratch::new();
    let placed = r#"nodes: [(names: "a-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All))],"#;
    let made =
        r#"nodes: [(names: "a-{0..1}")], workloads: [Deployment(name: "web", replicas: 2)],"#;
    let absent = r#"Deleted(workload: "web", count: 0)"#;
    for (what, expectation, is_told) in [
        ("", "Never(PodStuck)", true),
        (placed, "Never(TaintLost)", true),
        (placed, r#"AtMost(of: unavailable("web"), is: 0)"#, true),
        (placed, absent, true),
        (placed, r#"Tainted(taint: "unreachable", count: 0)"#, true),
        (placed, r#"AtMost(of: requests("*"), is: 100000)"#, false),
        (made, "Never(NotReplaced)", false),
        (made, absent, false),
        (made, r#"Created(workload: "web", count: 2)"#, false),
        (made, "Never(PodStuck)", true),
    ] {
        let text =
            format!(r#"Scenario(version: 1, horizon: "20m", {what} expect: [{expectation}])"#);
        let said = said_by_a_test(&scratch, &text);
        assert_eq!(
            said.contains("nothing harms a node or pod in this scenario"),
            is_told,
            "{expectation}: {said}"
        );
    }
}

/// A part that can never be true keeps the whole from it: of five pods six are never missing, and no node has devices.
#[test]
fn parts_that_cannot_be_met_are_told() {
    let scratch = Scratch::new();
    let never =
        r#"unavailable("web") is never more than 5, whatever happens, so that it cannot be met"#;
    for (expectation, said) in [
        (
            r#"Eventually(that: All([AtLeast(of: unavailable("web"), is: 6), AtLeast(of: evicted("web"), is: 1)]))"#,
            never,
        ),
        (
            r#"Until(that: AtLeast(of: up("web"), is: 1), until: AtLeast(of: unavailable("web"), is: 6))"#,
            never,
        ),
        (
            r#"Order([Evicted(workload: "web"), Evicted(by: "device-taint-eviction")])"#,
            "no evictions by device-taint-eviction; no node has devices",
        ),
        (
            r#"Whenever(that: Evicted(workload: "web"), then: Evicted(by: "device-taint-eviction"), each: Workload)"#,
            "; no node has devices",
        ),
        // Nor is it a matter of the end of the run, which comes before 19 minutes are over.
        (
            r#"Whenever(that: Evicted(workload: "web"), then: Evicted(by: "device-taint-eviction"), each: Workload, within: "19m")"#,
            "Whenever: no node has devices",
        ),
    ] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..4}}")],
            workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All))],
            timeline: [(at: "5m", name: "c", do: Crash(node: "a-0"))], expect: [{expectation}])"#
        );
        let told = said_of(&scratch, &text);
        assert!(told.contains(said), "{expectation}: {told}");
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

/// A node that dies at 5:00 is Unknown between 5:40 and 5:50, and its pod of a StatefulSet is never made anew, for the old one never
/// goes: at 20m that lasts, and nobody knows for how long. A Deployment's pod is evicted five minutes later, and made anew. At 8m
/// nobody knows yet whether that takes longer than three minutes, or four.
#[test]
fn what_lasts_at_the_end_of_a_run_is_told() {
    let scenario = |horizon: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "{horizon}", nodes: [(names: "a-{{0..2}}")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All)), StatefulSet(name: "db", replicas: 1, placement: Node("a-1"))],
        timeline: [(at: "5m", name: "c", do: Crash(node: "a-1"))],"#
        )
    };
    let lasts = |of: &str| {
        format!(r#"the run ends before it is decided: what {of} counts lasts, from 5m4"#)
    };
    let due = "the run ends before it is decided: the eviction of default/web-";
    let [of_db, gap, sum, of_web] = [
        r#"unavailable("db")"#,
        r#"longest_gap("db")"#,
        r#"unavailable_seconds("db")"#,
        r#"unavailable("web")"#,
    ]
    .map(lasts);
    each_is_told(
        &scenario("20m"),
        &[
            (r#"AtMost(of: unavailable("db"), is: 1, longest: "16m")"#, &of_db),
            (r#"AtMost(of: longest_gap("db"), is: "16m")"#, &gap),
            (r#"AtMost(of: unavailable_seconds("db"), is: "16m")"#, &sum),
            (r#"AtLeast(of: unavailable_seconds("db"), is: "1m")"#, ""),
            (r#"AtMost(of: longest_gap("web"), is: "8m")"#, ""),
            (r#"AtMost(of: unavailable("web"), is: 1, longest: "8m")"#, ""),
        ],
    );
    each_is_told(
        &scenario("8m"),
        &[
            (r#"AtMost(of: unavailable("web"), is: 1, longest: "3m")"#, &of_web),
            (r#"AtMost(of: longest_gap("web"), is: "4m")"#, due),
            (r#"AtMost(of: unavailable("web"), is: 0, during: ("0s", "5m1s"))"#, ""),
        ],
    );
}

/// Zone e is lost, and all pods are in zone a. That none comes to be there says something.
#[test]
fn of_a_place_without_pods_nothing_is_lost() {
    let none = "no such pod is there at any time that is looked at";
    each_is_told(
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..2}", zone: "a"), (names: "e-{0..1}", zone: "e", taints: ["own=x:NoSchedule"])],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(Zone("a")))],
        timeline: [(at: "2m", name: "cut", do: Partition(nodes: Zone("e"), duration: "15m"))],"#,
        &[
            (r#"NotEvicted(zone: "e")"#, none),
            (r#"NotEvicted(zone: "e", workload: "web")"#, none),
            (r#"Gone(node: "e-0", count: 0)"#, none),
            (r#"TimerSet(zone: "e", count: 0)"#, none),
            (r#"PodCondition(zone: "e", type: Ready, status: False, count: 0)"#, none),
            (r#"Bound(zone: "e", count: 0)"#, ""),
            (r#"Phase(zone: "e", phase: Running, count: 0)"#, ""),
            (r#"NotEvicted(zone: "a")"#, ""),
            (r#"Event(reason: "NodeNotReady", zone: "e", count: "1..")"#, ""),
        ],
    );
}
