//! `taintsim odds`: how often a property is violated.

use super::Scratch;
use serde_json::Value;
use std::path::Path;

fn asked(dir: &Scratch, args: &[&str]) -> Value {
    let called = dir.call(&[&["odds"], args, &["-q", "-o", "json"]].concat());
    assert_eq!(called.code, 0, "{}", called.stderr);
    serde_json::from_str(&called.stdout).expect("JSON")
}

fn interval(of: &Value) -> [f64; 2] {
    [0, 1].map(|i| of["interval"][i].as_f64().expect("a number"))
}

/// A pod is deleted in its predecessor's place in so many of the runs that are drawn as they come; in fewer than
/// thirty of 150, so that as many are led there: both ways of counting have to agree.
#[test]
fn what_is_led_there_comes_as_often_as_what_is_drawn() {
    let dir = Scratch::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/races/successor-evicted.ron");
    let file = file.to_str().expect("a path");
    let of = |runs: &str, seed: &str| {
        asked(&dir, &[file, "--of", "wrong-pod", "--runs", runs, "--seed", seed])
    };
    let many = of("3000", "1");
    // The scenario's 1.34 is its last patch, told as in all documents.
    assert_eq!(many["kubernetes"], "1.34.12");
    let few = of("150", "700000");
    let drawn = interval(&many["drawn"]);
    let along = &few["along"];
    let led = interval(along);
    assert!(led[0] <= drawn[1] && drawn[0] <= led[1] && led[1] > 0.0, "{drawn:?} {led:?}");
    let ways = along["ways"].as_array().expect("ways");
    assert!(!ways.is_empty() && along["share"].as_f64() > Some(0.0));
    for way in ways {
        assert!(way["violated"].as_u64() > Some(0), "{way:#}");
        for held in way["held"].as_array().expect("choices") {
            let odds = held["odds"].as_f64().expect("odds");
            assert!(odds > 0.0 && odds <= 1.0, "{held}");
        }
    }
    // What a tape says of its violation stands above the way to it, and not what its scenario says of itself.
    let (scenario, said) = (std::fs::read_to_string(file).expect("a scenario"), "db-0 is hit");
    dir.write(
        "t.ron",
        format!(
            r#"Tape(version: 1, doc: "v1.34.12: {said}", file: "s.ron", scenario: {scenario:?},
            tape: Tape(choices: 1, property: Some("wrong-pod"), deviations: []))"#
        ),
    );
    let taped = asked(&dir, &["t.ron", "--runs", "150", "--seed", "700000"]);
    assert_eq!(taped["along"]["ways"][0]["text"], said);
    // Whatever was seen, the same seed says it again, on any number of threads.
    let args = [file, "--of", "wrong-pod", "--runs", "150", "--seed", "700000"];
    assert_eq!(asked(&dir, &[&args[..], &["--jobs", "1"]].concat()), few);
}

/// Evicted is the pod only if three requests of 1 to 21 ms each take less than 4.687 ms together, of which 3 ms are the least: in
/// 1.687³ / 6 of 20³ parts, 0.00010 of runs. Ranges that are made wider in turns have half of that and more.
#[test]
fn no_choice_takes_what_a_way_has_for_all() {
    let dir = Scratch::new();
    dir.write(
        "rare.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "42s",
            timing: Custom(request: "1ms..21ms", response: "1ms", watch: "1ms", user: Raw, clients: (taint_eviction: Unlimited)),
            nodes: [(names: "n-{1..2}", zone: "a")], pods: [(name: "p", on: Node("n-1"),
                tolerations: [(key: "m", operator: Exists, effect: NoExecute, tolerationSeconds: 30)])],
            timeline: [(at: "10s", do: Taint(node: "n-1", taint: "m:NoExecute")),
                (at: "40.007687s", do: DeletePod(pod: "p"))],
            expect: [NotEvicted(pod: "p")])"#,
    );
    let rare = asked(&dir, &["rare.ron", "--of", "expect", "--runs", "300"]);
    let share = rare["along"]["share"].as_f64().expect("a share");
    assert!((0.000_03..0.000_2).contains(&share), "{rare:#}");
    for held in rare["along"]["ways"][0]["held"].as_array().expect("choices") {
        // A twentieth of a range is 1 ms.
        assert!(held["odds"].as_f64() > Some(0.01), "{held}");
    }
}

/// In no time no run is drawn, and nothing is known: 0 to 1.
#[test]
fn what_is_known_when_the_time_is_over_is_told() {
    let dir = Scratch::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/races/successor-evicted.ron");
    let file = file.to_str().expect("a path");
    let told = asked(&dir, &[file, "--of", "wrong-pod", "--time", "0s"]);
    assert_eq!(told["drawn"]["runs"], 0);
    assert_eq!(interval(&told), [0.0, 1.0]);
    assert_eq!((&told["interrupted"], &told["under_way"]), (&Value::Bool(true), &Value::from(0)));
    let told = asked(&dir, &[file, "--of", "wrong-pod", "--time", "1h", "--runs", "150"]);
    assert_eq!(told["interrupted"], false);
}

/// A start in a full outage taints a node in 2 of 30 of upstream's starts in real time under 1.23, with five nodes: 2 to 21
/// of 100 (Wilson); and in 27 of 40 under 1.37: 52 to 80 of 100, of which each of three zones has its part. The odds
/// lie where these intervals meet those of 400 drawn runs.
#[test]
fn odds_that_were_measured_are_met() {
    let dir = Scratch::new();
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/measured/restart-in-full-outage.ron"),
    )
    .expect("the scenario");
    let begin = text.find("    guards:").expect("what it guards");
    let expects =
        r#"expect: [Tainted(taint: "unreachable:NoExecute", during: ("240s", "250s"), count: 0)])"#;
    dir.write("start.ron", format!("{}{expects}", &text[..begin]));
    let of = |release: &str| {
        let args = ["start.ron", "--of", "expect", "--runs", "400"];
        interval(&asked(&dir, &[&args[..], &["--kubernetes", release]].concat())["drawn"])
    };
    let [low, high] = of("1.23");
    assert!(low <= 0.21 && high >= 0.018, "{low} {high}");
    let [low, _] = of("1.34");
    assert!(low > 0.21, "{low}");
}

#[test]
fn what_nobody_can_count_is_refused() {
    let dir = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "3m", nodes: [(name: "n")], pods: [(name: "p", on: Node("n"))],
        timeline: [(at: "30s", do: Partition(node: "n", duration: "5s"))])"#;
    dir.write("calm.ron", text);
    for (args, said) in [
        (&["calm.ron"][..], "no property is given"),
        (&["calm.ron", "--of", "expect"], "expects nothing"),
        (&["calm.ron", "--of", "deterministic"], "two runs"),
        (&["calm.ron", "--of", "pod-lost"], "known are"),
    ] {
        let called = dir.call(&[&["odds"], args].concat());
        assert_eq!(called.code, 2, "{args:?}: {}", called.stderr);
        let stderr = called.stderr.to_lowercase();
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }
    let called = dir.call(&["odds", "calm.ron", "--of", "pod-stuck", "--runs", "100", "-q"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    // 1 - 0.025^(1/100).
    let none = "none of 100 drawn runs (at most 3.7 %)";
    assert!(called.stdout.contains(none), "{}", called.stdout);
}

/// The Job's pod is on a node that is cut off from 20 s on, evicted some two minutes later with 30 s of grace, and by its policy not
/// replaced before it has Failed. The bound is eleven minutes: a run of five says nothing, and one of twenty that it is so.
#[test]
fn a_run_that_is_over_before_the_bound_decides_nothing() {
    let dir = Scratch::new();
    dir.write(
        "job.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "5m", nodes: [(names: "n-{0..1}")],
            workloads: [Job(name: "sum", podReplacementPolicy: Failed, placement: Node("n-0"),
                podFailurePolicy: (rules: [(action: Ignore, onPodConditions: [(type: DisruptionTarget)])]),
                template: (restartPolicy: Never, ends: (after: "1h"), tolerations: [
                    (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)]))],
            timeline: [(at: "20s", do: Partition(nodes: Node("n-0")))],
            expect: [Never(JobStalled)])"#,
    );
    let odds = ["odds", "job.ron", "--of", "job-stalled", "--runs", "100", "--search", "1"];
    let called = dir.call(&odds);
    let came = "of the others the horizon came before the bound was over: with them 100 of 100";
    assert!(super::unfolded(&called.stdout).contains(came), "{}", called.stdout);
    // They may all violate it, or none.
    assert!(called.stdout.contains("\n0 % to 100 % of runs\n"), "{}", called.stdout);
    let narrow = dir.narrow(&odds).stdout;
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    let of = |more: &[&str]| asked(&dir, &[&odds[1..], more].concat());
    let short = of(&[]);
    assert_eq!((&short["undecided"], interval(&short)), (&100.into(), [0.0, 1.0]));
    let long = of(&["--set", "horizon=20m"]);
    assert_eq!((&long["undecided"], &long["drawn"]["violated"]), (&0.into(), &100.into()));
    let found = dir.call(&["explore", "job.ron", "-p", "job-stalled", "--depth", "0", "-q"]);
    let open = "undecided, as the horizon came before the bound was over: job-stalled(11m) in ";
    assert!(super::unfolded(&found.stdout).contains(open), "{}", found.stdout);
    let range = ["--depth", "0", "-q", "--kubernetes", "1.33..1.34"];
    let releases = dir.call(&[&["explore", "job.ron", "-p", "job-stalled"], &range[..]].concat());
    let said = super::unfolded(&releases.stdout);
    assert!(said.contains("undecided undecided"), "{said}");
    assert_eq!(said.matches(&format!(": {open}")).count(), 2, "{said}");
    let tested = dir.call(&["test", "job.ron"]);
    let said = "Never: the horizon came before the bound of job-stalled(11m) was over";
    assert!(super::unfolded(&tested.stdout).contains(said), "{}", tested.stdout);
}

#[test]
fn what_nothing_can_violate_is_told() {
    let dir = Scratch::new();
    let nodes = r#"Scenario(version: 1, horizon: "1m", nodes: [(name: "n")], "#;
    dir.write("calm.ron", format!(r#"{nodes} pods: [(name: "p", on: Node("n"))])"#));
    let idle = "nothing harms a node or pod in this scenario, which has no timeline";
    for (property, why) in [("job-stalled(11m)", "there is no Job"), ("pod-stuck(1m)", idle)] {
        let odds = dir.call(&["odds", "calm.ron", "--of", property]);
        assert!(odds.stdout.ends_with(&format!("\n\nin no run: {why}\n")), "{}", odds.stdout);
        let document = asked(&dir, &["calm.ron", "--of", property]);
        assert_eq!((interval(&document), &document["impossible"]), ([0.0, 0.0], &why.into()));
        let explored = dir.call(&["explore", "calm.ron", "-p", property]);
        let said = format!("nothing can violate {property}: {why}");
        assert!(super::unfolded(&explored.stderr).contains(&said), "{}", explored.stderr);
        assert!(explored.stdout.starts_with("1 run, "), "{}", explored.stdout);
    }
    let cordon = r#"timeline: [(at: "10s", do: Cordon(node: "n"))])"#;
    dir.write("cordon.ron", format!("{nodes} {cordon}"));
    let explored = dir.call(&["explore", "cordon.ron"]);
    let said = super::unfolded(&explored.stderr);
    for why in
        ["nothing but cordons is in the timeline, which harm no node or pod", "there is no pod"]
    {
        assert!(said.contains(&format!(": {why}")), "{said}");
    }
    assert!(explored.stdout.starts_with("1 run, "), "{}", explored.stdout);
    // Where something is added it happens.
    let faults = ["explore", "calm.ron", "-p", "pod-stuck", "--faults", "controller-restart<=1"];
    let explored = dir.call(&[&faults[..], &["--runs", "9"]].concat());
    assert!(!explored.stderr.contains("nothing can violate"), "{}", explored.stderr);
}

/// Latencies are constant, and the pod's countdown of a second ends with the untaint's news, 1 s and 2 ms after the taint's: which is
/// first is an order within one instant, that seeds do not change and `odds` draws.
#[test]
fn seeds_take_the_usual_order_and_say_so() {
    let dir = Scratch::new();
    dir.write(
        "tie.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "2500ms", seeds: 30,
            timing: Custom(request: "2ms", response: "2ms", watch: "2ms", user: Raw, kubelet: Imitated(start: "0s", stop: "0s")),
            nodes: [(names: "n-{0..1}")], pods: [(name: "p", on: Node("n-0"), terminationGracePeriodSeconds: 0,
                tolerations: [(key: "m", operator: Exists, effect: NoExecute, tolerationSeconds: 1)])],
            expect: [Never(NeedlessEviction)],
            timeline: [(at: "500ms", do: Taint(node: "n-0", taint: "m:NoExecute")),
                (at: "1500ms", do: Untaint(node: "n-0", taint: "m"))])"#,
    );
    let tested = dir.call(&["test", "tie.ron"]);
    assert_eq!(tested.code, 0, "{}", tested.stdout);
    let said = "in its usual order: `taintsim odds tie.ron --of expect` draws that, too";
    assert!(super::unfolded(&tested.stdout).contains(said), "{}", tested.stdout);
    let drawn = asked(&dir, &["tie.ron", "--of", "expect", "--runs", "100"]);
    assert!(drawn["drawn"]["violated"].as_u64() > Some(0), "{drawn:#}");
    let one = dir.call(&["test", "tie.ron", "--set", "seeds=1"]);
    assert!(!super::unfolded(&one.stdout).contains("usual order"), "{}", one.stdout);
}
