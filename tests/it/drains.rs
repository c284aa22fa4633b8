//! Drains, budgets that change, and rolling maintenances: what is counted, told and explained.

use super::plans::{drawn, plan};
use taintsim::analysis::Analysis;
use taintsim::analysis::disruption::{Pace, disruptions};
use taintsim::analysis::evictions::evictions;
use taintsim::analysis::explain::{Question, explain, find};
use taintsim::analysis::summary::summary;
use taintsim::analysis::timeline::{DEFAULT_ROWS, timeline};
use taintsim::kernel::{Choices, Dur, Time};
use taintsim::plan::Plan;
use taintsim::sim::{run, run_eager};
use taintsim::trace::{DrainOutcome, EvictionCause, Record, Trace, What};

fn plan_of(timing: &str, fields: &str) -> Plan {
    let text = format!("Scenario(version: 1, kubernetes: \"1.34\", timing: {timing}, {fields})");
    plan(&text)
}

/// What a scenario is refused with.
fn problem(fields: &str) -> String {
    let text = format!("Scenario(version: 1, kubernetes: \"1.34\", timing: Ideal, {fields})");
    drawn(&text).expect_err("this builds")
}

fn ran(fields: &str) -> (Plan, Trace) {
    let plan = plan_of("Ideal", fields);
    let trace = run(&plan, Choices::default_order());
    (plan, trace)
}

/// The rows of a timeline from ten seconds on, with their first times in milliseconds.
fn rows(plan: &Plan, trace: &Trace) -> Vec<String> {
    let analysis = Analysis::new(plan, trace);
    timeline(&analysis, DEFAULT_ROWS)
        .iter()
        .map(|r| format!("{} {}", r.first.as_millis(), r.text))
        .collect()
}

/// When records of a kind were written, in milliseconds.
fn times(trace: &Trace, is: impl Fn(&What) -> bool) -> Vec<u64> {
    trace.iter().filter(|r| is(&r.what)).map(|r| r.at.as_millis()).collect()
}

fn outcomes(trace: &Trace) -> Vec<(u64, DrainOutcome, usize)> {
    let ends = trace.iter().filter_map(|r| match r.what {
        What::DrainEnded(end) => Some((
            r.at.as_millis(),
            trace.drains[end as usize].outcome,
            trace.drains[end as usize].left.len(),
        )),
        _ => None,
    });
    ends.collect()
}

/// Ninety-nine pods on one node, no budget: the drain evicts every one of them, for which somebody
/// asked.
#[test]
fn a_drain_of_ninety_nine_pods_evicts_ninety_nine() {
    let fields = |flags: &str| {
        format!(
            r#"horizon: "2m", nodes: [(names: "n-{{0..3}}")], workloads: [Deployment(name: "web", replicas: 99, placement: Node("n-0"))],
               timeline: [(at: "10s", do: Drain(node: "n-0", {flags}))]"#
        )
    };
    for (flags, cause) in
        [("", EvictionCause::Api), ("disable_eviction: true", EvictionCause::DrainDelete)]
    {
        let (plan, trace) = ran(&fields(flags));
        let analysis = Analysis::new(&plan, &trace);
        let s = summary(&analysis, Dur::from_secs(300));
        assert_eq!((s.metrics.evicted, s.metrics.needless, s.metrics.undecided), (99, 0, 0));
        assert_eq!(s.evicted_by.into_iter().collect::<Vec<_>>(), [(cause, 99)]);
        assert!(
            evictions(&analysis)
                .iter()
                .all(|e| e.cause == cause && e.taint.is_none() && !e.is_for_node_failure())
        );
    }
}

/// 80 % of 4 is 3.2, rounded up 4: of four healthy pods none may go. kubectl asks at 10, 15, 20 and
/// 25 s, and gives node n-0 up at 30 s, after its twenty seconds; those of n-1 begin then: 30, 35,
/// 40, 45 s, and the end at 50 s.
#[test]
fn a_share_that_rounds_up_to_all_never_lets_one_go() {
    let (plan, trace) = ran(r#"horizon: "2m", nodes: [(names: "n-{0..3}", zone: "a")],
           workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All))],
           podDisruptionBudgets: [(name: "web", selector: (matchLabels: { "app": "web" }), minAvailable: "80%")],
           timeline: [(at: "10s", name: "drain", do: Drain(nodes: Nodes(["n-0", "n-1"]), timeout: "20s"))]"#);
    let refused = times(&trace, |w| matches!(w, What::EvictionRefused(_)));
    assert_eq!(refused, [10, 15, 20, 25, 30, 35, 40, 45].map(|s| s * 1_000));
    assert_eq!(
        outcomes(&trace),
        [(30_000, DrainOutcome::TimedOut, 1), (50_000, DrainOutcome::TimedOut, 1)]
    );

    let rows = rows(&plan, &trace);
    let told: Vec<&String> = rows.iter().filter(|r| r.contains("refused")).collect();
    assert_eq!(told.len(), 2, "{rows:?}");
    assert!(
        told[0]
            .contains("eviction refused 4 times (429): budget default/web needs 4 of 4 (minAvailable 80% = 3.2, rounded up), and so never")
    );
    assert!(
        rows.iter().any(|r| r
            .starts_with("30000 n-0 not drained: timed out after 20s, 1 pod left: default/web-")),
        "{rows:?}"
    );

    let analysis = Analysis::new(&plan, &trace);
    let about = |name: &str| {
        let question = Question { analysis: &analysis, until: analysis.horizon(), groups: &[] };
        explain(question, &find(&analysis, name).unwrap())
    };
    let pod = trace
        .iter()
        .find(|r| matches!(r.what, What::EvictionRefused(_)))
        .and_then(|r| r.pod())
        .unwrap();
    let told = about(&format!("pod/{}", analysis.pod_name(pod)));
    assert_eq!(
        told.verdict,
        "not evicted: budget default/web held its eviction up, and would for ever"
    );
    // 100 / (100 - 80) = 5: four of five are kept, and one may go.
    assert_eq!(told.remedies[0].set.as_deref(), Some("workloads.web.replicas=5"));
    assert!(told.remedies[0].text.ends_with("80% of 5, rounded up, is 4"), "{told:?}");
    assert!(
        about("node/n-0")
            .verdict
            .ends_with("budget default/web held its drain up, and would for ever")
    );
}

/// With five replicas, as the explanation says, one may go at a time.
#[test]
fn what_the_explanation_says_would_help_helps() {
    let (_, trace) = ran(r#"horizon: "2m", nodes: [(names: "n-{0..3}", zone: "a")],
           workloads: [Deployment(name: "web", replicas: 5, placement: Spread(All))],
           podDisruptionBudgets: [(name: "web", selector: (matchLabels: { "app": "web" }), minAvailable: "80%")],
           timeline: [(at: "10s", name: "drain", do: Drain(node: "n-1", timeout: "20s"))]"#);
    assert_eq!(outcomes(&trace), [(11_000, DrainOutcome::Drained, 0)]);
}

/// The budget allows none until 22 s; the next try of kubectl after that is at 25 s. Two may go
/// then, whoever asks first; their replacements run at 26 s, and the others go at 30 s. At 40 s a
/// new budget of the old name keeps all four again.
#[test]
fn budgets_change_in_a_timeline() {
    let (plan, trace) = ran(r#"horizon: "2m", nodes: [(names: "n-{0..3}", zone: "a")],
           workloads: [Deployment(name: "web", replicas: 4, placement: Node("n-0"))],
           podDisruptionBudgets: [(name: "web", selector: (matchLabels: { "app": "web" }), minAvailable: 4)],
           timeline: [
               (at: "10s", do: Drain(node: "n-0")),
               (at: "22s", do: PatchBudget(budget: "web", maxUnavailable: "50%")),
               (at: "35s", do: DeleteBudget(budget: "default/web")),
               (at: "40s", do: CreateBudget(budget: (name: "web", selector: (matchLabels: { "app": "web" }), minAvailable: "100%"))),
               (at: "50s", do: Drain(nodes: Nodes(["n-1", "n-2", "n-3"]), timeout: "5s")),
           ]"#);
    let granted = times(&trace, |w| matches!(w, What::EvictionGranted(_)));
    assert_eq!(granted, [25_000, 25_000, 30_000, 30_000]);
    let rows = rows(&plan, &trace);
    for row in [
        "22000 budget default/web changed: maxUnavailable 50%",
        "35000 budget default/web deleted",
        "40000 budget default/web created: minAvailable 100%",
    ] {
        assert!(rows.iter().any(|r| r == row), "{row} is not in {rows:#?}");
    }
    assert!(
        outcomes(&trace)[1..].iter().all(|o| o.1 == DrainOutcome::TimedOut),
        "{:?}",
        outcomes(&trace)
    );
}

/// Without a budget what a drain waits for goes at its next try.
#[test]
fn a_deleted_budget_holds_nothing_up() {
    let (_, trace) = ran(
        r#"horizon: "1m", nodes: [(names: "n-{0..1}")], workloads: [Deployment(name: "web", replicas: 1, placement: Node("n-0"))],
           podDisruptionBudgets: [(name: "web", selector: (matchLabels: { "app": "web" }), minAvailable: 1)],
           timeline: [(at: "10s", do: Drain(node: "n-0")), (at: "17s", do: DeleteBudget(budget: "web"))]"#,
    );
    assert_eq!(times(&trace, |w| matches!(w, What::EvictionRefused(_))), [10_000, 15_000]);
    assert_eq!(times(&trace, |w| matches!(w, What::EvictionGranted(_))), [20_000]);
}

#[test]
fn names_of_budgets_are_found_or_refused_with_candidates() {
    let two = r#"horizon: "1m", nodes: [(name: "n")], podDisruptionBudgets: [
        (name: "web", namespace: "shop", selector: (), minAvailable: 1), (name: "web", selector: (), minAvailable: 1)],"#;
    let act = |act: &str| problem(&format!("{two} timeline: [(at: \"1s\", do: {act})]"));
    let said = act(r#"DeleteBudget(budget: "web")"#);
    assert!(said.contains("`web` names 2 budgets: `default/web`, `shop/web`"), "{said}");
    let said = act(r#"DeleteBudget(budget: "shop/wed")"#);
    assert!(
        said.contains("there is no disruption budget `shop/wed`") && said.contains("`shop/web`"),
        "{said}"
    );
    let said = act(r#"PatchBudget(budget: "shop/web")"#);
    assert!(said.contains("this changes nothing of the budget"), "{said}");
    let said = act(r#"PatchBudget(budget: "shop/web", minAvailable: 1, maxUnavailable: 1)"#);
    assert!(said.contains("cannot be both set"), "{said}");
    let said = act(r#"PatchBudget(budget: "shop/web", minAvailable: "101%")"#);
    assert!(said.contains("must not be greater than 100%"), "{said}");
    let said = act(r#"Maintain(nodes: All, off: "500ms")"#);
    assert!(said.contains("at least a second"), "{said}");
    let said = act(r#"Maintain(nodes: All, off: "1m", at_a_time: "0%")"#);
    assert!(said.contains("between 1% and 100%"), "{said}");
}

/// Four nodes, of which n-1 holds a pod that its budget never lets go, drained with a timeout of
/// ten seconds (given up at the try at 20 s of a drain that begins at 10 s): a maintenance stops
/// there, skips it, or switches it off all the same.
#[test]
fn a_drain_that_fails_stops_is_skipped_or_gone_over() {
    let of = |then: &str| {
        let (plan, trace) = ran(&format!(
            r#"horizon: "20m", nodes: [(names: "n-{{0..3}}", zone: "a", lease_offset: "5s", status_offset: "6s")],
               workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("n-1"))],
               podDisruptionBudgets: [(name: "db", selector: (matchLabels: {{ "app": "db" }}), maxUnavailable: 0)],
               timeline: [(at: "10s", name: "m", do: Maintain(nodes: Nodes(["n-1", "n-2", "n-3"]), off: "1m", drain: (timeout: "10s"), {then}))]"#
        ));
        let on = |r: &taintsim::trace::Record| {
            r.node().map_or("", |n| trace.names.node_name(n)).to_owned()
        };
        let off: Vec<String> =
            trace.iter().filter(|r| r.what == What::NodeSilent).map(on).collect();
        let kept: Vec<String> =
            trace.iter().filter(|r| r.what == What::NodeUnschedulable(true)).map(on).collect();
        let uncordoned = trace.iter().filter(|r| r.what == What::NodeUnschedulable(false)).count();
        let ended = times(&trace, |w| *w == What::FaultEnded).len();
        assert_eq!(outcomes(&trace)[0], (20_000, DrainOutcome::TimedOut, 1));
        let stops = rows(&plan, &trace).into_iter().find(|r| r.contains("stops"));
        (off.join(" "), kept.join(" "), uncordoned, ended, stops)
    };
    let all = "n-1 n-2 n-3".to_owned();
    let stops = Some("20000 m stops: n-1 could not be drained; 2 of 3 nodes not begun".to_owned());
    assert_eq!(of(""), (String::new(), "n-1".to_owned(), 0, 1, stops));
    assert_eq!(of("if_not_drained: Skip"), ("n-2 n-3".to_owned(), all.clone(), 3, 1, None));
    assert_eq!(of("if_not_drained: GoOn"), (all.clone(), all.clone(), 3, 1, None));
    assert_eq!(of("if_not_drained: GoOn, then: Leave"), (all.clone(), all, 0, 1, None));
}

/// 50 % of five nodes are two (2.5, rounded down): never more than two machines are off, and each
/// of the five once.
#[test]
fn so_many_nodes_at_a_time_are_off() {
    let fields = r#"horizon: "30m", nodes: [(names: "n-{0..5}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: 6, placement: Spread(All)), DaemonSet(name: "agent", placement: Each(All))],
        podDisruptionBudgets: [(name: "web", selector: (matchLabels: { "app": "web" }), maxUnavailable: 1)],
        timeline: [(at: "1m", do: Maintain(nodes: Nodes(["n-{0..4}"]), at_a_time: "50%", off: "90s"))]"#;
    for seed in 1..4 {
        let plan = plan_of("Typical", fields);
        let trace = run(&plan, Choices::seeded(seed));
        let (mut off, mut most, mut all) = (0i32, 0, 0);
        for r in trace.iter() {
            match r.what {
                What::NodeSilent => (off, all) = (off + 1, all + 1),
                What::NodeHeard => off -= 1,
                _ => {}
            }
            most = most.max(off);
        }
        assert_eq!((off, most, all), (0, 2, 5), "seed {seed}");
        assert_eq!(times(&trace, |w| *w == What::FaultEnded).len(), 1);
        // What is computed is what is simulated.
        let eager = run_eager(&plan, Choices::seeded(seed));
        assert!(trace.iter().eq(eager.iter()), "seed {seed}");
    }
}

/// A machine that a crash keeps off does not come back with the end of its maintenance, nor the
/// other way round: the crash lasts from 30 s to 300 s, the maintenance begins at 60 s and ends its
/// own two minutes at about 180 s.
#[test]
fn a_crash_and_a_maintenance_keep_a_machine_off_together() {
    let back = |lasts: &str| {
        let (_, trace) = ran(&format!(
            r#"horizon: "20m", nodes: [(names: "n-{{0..2}}", zone: "a")], timeline: [
                (at: "30s", do: Crash(node: "n-0", duration: "{lasts}")), (at: "60s", do: Maintain(node: "n-0", off: "2m"))]"#
        ));
        (times(&trace, |w| *w == What::NodeSilent), times(&trace, |w| *w == What::NodeHeard))
    };
    assert_eq!(back("270s"), (vec![30_000], vec![300_000]));
    assert_eq!(back("90s"), (vec![30_000], vec![180_000]));
}

/// Half a zone of six is PartialDisruption, and six are no more than fifty: nobody is tainted. With
/// a threshold of five one node is, every 100 s.
#[test]
fn zone_states_say_why_evictions_pause() {
    let of = |flags: &str| {
        let (plan, trace) = ran(&format!(
            r#"horizon: "5m", nodes: [(names: "a-{{0..5}}", zone: "a"), (names: "b-{{0..5}}", zone: "b")], {flags}
               timeline: [(at: "10s", do: Partition(nodes: Nodes(["b-{{0..3}}"])))]"#
        ));
        let analysis = Analysis::new(&plan, &trace);
        let found = disruptions(&analysis);
        assert!(found.master.is_empty() && found.zones.len() == 1);
        let row =
            rows(&plan, &trace).into_iter().find(|r| r.contains("PartialDisruption")).unwrap();
        (
            found.zones["b"].iter().map(|d| d.pace).collect::<Vec<_>>(),
            row.split_once(' ').unwrap().1.to_owned(),
        )
    };
    assert_eq!(
        of(""),
        (
            vec![Pace::Stopped],
            "zone b: PartialDisruption: evictions stop (no more than 50 nodes)".to_owned()
        )
    );
    let slow = of(r#"flags: (kube-controller-manager: { "large-cluster-size-threshold": 5 }),"#);
    let row = "zone b: PartialDisruption: evictions slow down to one node every 1m40s".to_owned();
    assert_eq!(slow, (vec![Pace::Slow(Dur::from_secs(100))], row));
}

/// Controllers that are killed while they are down start once, and a controller that starts anew
/// within a master disruption goes on with it, or finds none.
#[test]
fn nested_trouble_of_the_control_plane_ends_when_it_is_over() {
    let of = |cut: &str, restarts: &str| {
        let (plan, trace) = ran(&format!(
            r#"horizon: "20m", nodes: [(names: "a-{{0..2}}", zone: "a"), (names: "b-{{0..2}}", zone: "b")],
               timeline: [(at: "1m", do: Partition(nodes: All, duration: "{cut}")), {restarts}]"#
        ));
        disruptions(&Analysis::new(&plan, &trace))
    };
    let restart = |at: &str, downtime: &str| {
        format!(
            r#"(at: "{at}", name: "restart at {at}", do: ControllerRestart(downtime: "{downtime}")),"#
        )
    };
    // The outer one is over at 4 + 3 = 7 minutes, the inner one at 5 + 1 = 6.
    let nested = of("3m30s", &(restart("4m", "3m") + &restart("5m", "1m")));
    let seconds = |t: Time| t.as_secs();
    let down: Vec<_> = nested
        .control_plane
        .iter()
        .filter(|t| t.entry.is_none())
        .map(|t| (seconds(t.from), seconds(t.to)))
        .collect();
    assert_eq!(down, [(240, 420)]);
    // The nodes were back at 4:30, which the controllers of 7:00 see first.
    let ends: Vec<_> = nested.master.iter().map(|m| seconds(m.1)).collect();
    assert_eq!(ends, [420]);
    // Nodes that are back at 9:00 send heartbeats within ten seconds.
    let entered_again = of("8m", &restart("4m", "30s"));
    let ends: Vec<_> = entered_again.master.iter().map(|m| seconds(m.1)).collect();
    assert!(matches!(ends[..], [540..=555]), "{ends:?}");
}

/// The name of an evicted pod is that of its successor. Where the pod is gone at once, its budget goes on waiting for that name
/// to be deleted, two minutes from the whole second in which the eviction was granted (`DeletionTimeout`), and takes the
/// successor for unhealthy. Then it is counted again as if that had failed, 5 ms later (`processNextRecheckWorkItem`), and an
/// event is written, 1 ms under way. Evicted at 10.7 s: 130.006 s, and the next one may go.
#[test]
fn a_successor_is_expected_to_be_deleted_for_two_minutes() {
    let plan = plan_of(
        r#"Custom(request: "1ms", response: "2ms", watch: "1ms", user: Raw)"#,
        r#"horizon: "3m", nodes: [(names: "n-{0..2}", zone: "a")],
           workloads: [StatefulSet(name: "db", replicas: 3, podManagementPolicy: Parallel, placement: Spread(All),
               template: (terminationGracePeriodSeconds: 0))],
           podDisruptionBudgets: [(name: "db", selector: (matchLabels: { "app": "db" }), minAvailable: 2)],
           timeline: [(at: "10.7s", do: Drain(node: "n-0")), (at: "125s", do: Drain(node: "n-1"))]"#,
    );
    let trace = run(&plan, Choices::default_order());
    let is_told = |r: &&Record| trace.fields(r).reason.is_some_and(|why| why == "NotDeleted");
    let told: Vec<u64> = trace.iter().filter(is_told).map(|r| r.at.as_millis()).collect();
    assert_eq!(told, [130_006]);
    // From 125 s on it is asked each five seconds.
    let granted = times(&trace, |w| matches!(w, What::EvictionGranted(_)));
    assert!(granted.len() == 2 && (130_006..130_100).contains(&granted[1]), "{granted:?}");
}

/// The second pod is asked for at 1:00.5, when the first, which stops for a second, is counted beside the one in its place: five of
/// seven are healthy. From then on five of six are, until the new one is Ready at 1:20.
#[test]
fn the_last_refusal_is_told_where_it_is_otherwise() {
    let plan = plan_of(
        "Typical",
        r#"horizon: "5m", nodes: [(names: "n-{1..3}")],
        workloads: [Deployment(name: "web", replicas: 6, placement: Spread(All), template: (labels: {"app": "web"}, pod_start: "20s"))],
        podDisruptionBudgets: [(name: "web", selector: (matchLabels: {"app": "web"}), minAvailable: 5)],
        timeline: [(at: "60s", do: Drain(node: "n-1"))]"#,
    );
    let rows = rows(&plan, &run(&plan, Choices::default_order()));
    let said = "budget default/web needs 5 of 7 (minAvailable 5); 5 of 7 healthy, the last time as budget default/web needs 5 of 6 (minAvailable 5); 5 of 6 healthy";
    assert!(rows.iter().any(|row| row.ends_with(said)), "{rows:#?}");
}

/// kubectl's client has 5 requests a second and 10 at once. Of 60 pods the last is deleted some 10.6 s after the first, and each is gone
/// 18 s and its kubelet's second or two later. A look asks for all, and takes 12 s: the first begins at 70.6 s, the second at 82.6 s, 2 s
/// and more behind the pods' ends. `--timeout` begins with the first look, and is over at 90.6 s, amid the second, which is finished:
/// at 94.6 s all are gone (`deletePods`, `waitForDelete`).
#[test]
fn deletions_are_waited_for_in_rounds() {
    let plan = plan_of(
        "Typical",
        r#"horizon: "3m", nodes: [(names: "n-{0..1}")],
           workloads: [ReplicaSet(name: "web", replicas: 60, placement: Node("n-0"), template: (pod_start: "1s", pod_stop: "18s"))],
           timeline: [(at: "60s", do: Drain(node: "n-0", disable_eviction: true, timeout: "20s"))]"#,
    );
    let ended = outcomes(&run(&plan, Choices::default_order()));
    assert!(matches!(ended[..], [(94_000..96_000, DrainOutcome::Drained, 0)]), "{ended:?}");
}

/// A pod takes 50 s to stop, and kubectl gives it 10.5 s. Up to 1.31 an eviction's time is seen to be over by the next look, at 21 s;
/// of deletions, whose time begins after the first look, by the last one, which comes when it is over (`wait.PollImmediate`). From 1.32 on
/// nobody looks again (`PollUntilContextTimeout`).
#[test]
fn a_drain_gives_up_as_its_kubectl_does() {
    let told = |release: &str, deletes: bool| {
        let plan = plan(&format!(
            r#"Scenario(version: 1, kubernetes: "{release}", timing: Ideal, horizon: "1m", nodes: [(names: "n-{{0..1}}")],
                workloads: [ReplicaSet(name: "web", placement: Node("n-0"), template: (terminationGracePeriodSeconds: 60, pod_stop: "50s"))],
                timeline: [(at: "10s", do: Drain(node: "n-0", timeout: "10500ms", disable_eviction: {deletes}))])"#
        ));
        let trace = run(&plan, Choices::default_order());
        let (at, outcome, left) = outcomes(&trace)[0];
        assert_eq!((outcome, left), (DrainOutcome::TimedOut, 1), "{release}");
        let end = trace.iter().find(|r| matches!(r.what, What::DrainEnded(_))).unwrap();
        let words = trace.fields(end).message.unwrap();
        (at, words.strip_prefix("error: unable to drain node \"n-0\"").unwrap().to_owned())
    };
    let global = "global timeout reached: 10.5s";
    let old = format!("error when waiting for pod \"web-0\" terminating: {global}");
    let new = "error when waiting for pod \"web-0\" in namespace \"default\" to terminate";
    for (release, deletes, at, words) in [
        ("1.22", false, 21_000, format!(", aborting command...\nerror: {old}")),
        ("1.26", false, 21_000, format!(" due to error:{old}, continuing command...")),
        ("1.31", false, 21_000, format!(" due to error: {new}: {global}, continuing command...")),
        (
            "1.32",
            false,
            20_500,
            format!(" due to error: {new}: context deadline exceeded, continuing command..."),
        ),
        (
            "1.31",
            true,
            20_500,
            " due to error: timed out waiting for the condition, continuing command...".to_owned(),
        ),
        (
            "1.32",
            true,
            20_500,
            " due to error: context deadline exceeded, continuing command...".to_owned(),
        ),
    ] {
        assert_eq!(told(release, deletes), (at, words), "{release}");
    }
}

/// What kubectl does not delete without being told to, by release (`filters.go`).
#[test]
fn a_drain_refuses_in_the_words_of_its_release() {
    let unmanaged =
        "Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet";
    for (release, local, unmanaged) in [
        ("1.19", "local", unmanaged),
        ("1.23", "emptydir", unmanaged),
        ("1.24", "emptydir", "Pods declare no controller"),
        ("1.29", "emptydir", "Pods declare no controller"),
        ("1.30", "emptydir", "cannot delete Pods that declare no controller"),
        ("1.35", "emptydir", "cannot delete Pods that declare no controller"),
        ("1.36", "emptydir", "Pods that declare no controller"),
    ] {
        let plan = plan(&format!(
            r#"Scenario(version: 1, kubernetes: "{release}", timing: Ideal, horizon: "1m", nodes: [(name: "n")],
                pods: [(name: "a", on: Node("n"), empty_dir: true), (name: "b", on: Node("n"))],
                timeline: [(at: "10s", do: Drain(node: "n"))])"#
        ));
        let trace = run(&plan, Choices::default_order());
        let words: Vec<_> = trace.iter().filter_map(|r| trace.fields(r).message).collect();
        for why in [
            format!(
                "cannot delete Pods with local storage (use --delete-{local}-data to override): default/a"
            ),
            format!("cannot delete {unmanaged} (use --force to override): default/b"),
        ] {
            assert!(words.iter().any(|w| w.contains(&why)), "{release}: {words:?}");
        }
    }
}

/// The pod of a node that is cut off at 50 s is to be gone at 65 s. kubectl looks every second from 60 s on, and waits no longer once
/// more than ten whole seconds are over since (`shouldSkipPod`): ten at 75 s, eleven at 76 s.
#[test]
fn whole_seconds_are_waited_for_a_pod_that_does_not_go() {
    let (_, trace) = ran(r#"horizon: "5m", nodes: [(names: "n-{0..1}")],
           workloads: [ReplicaSet(name: "web", placement: Node("n-0"), template: (terminationGracePeriodSeconds: 5))],
           timeline: [(at: "50s", do: Partition(node: "n-0")), (at: "60s", do: Drain(node: "n-0", skip_wait_for_delete_timeout: "10s"))]"#);
    assert_eq!(outcomes(&trace), [(76_000, DrainOutcome::Drained, 0)]);
}
