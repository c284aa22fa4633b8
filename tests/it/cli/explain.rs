//! `explain`: what it says of shipped scenarios, and that what it says would have changed the
//! outcome does, when the scenario is run again with that change.

use super::{Scratch, unfolded};
use serde_json::Value;
use std::fs;
use std::path::Path;

pub(super) fn scenario(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name).display().to_string()
}

pub(super) fn json(scratch: &Scratch, args: &[&str]) -> Value {
    let called = scratch.call(&[&["explain", "--quiet", "--format", "json"], args].concat());
    assert_eq!(called.code, 0, "{args:?}: {}", called.stderr);
    serde_json::from_str(&called.stdout).expect("is JSON")
}

pub(super) fn verdict(scratch: &Scratch, args: &[&str]) -> String {
    json(scratch, args)["verdict"].as_str().expect("a text").to_owned()
}

/// The changes that an explanation names, as arguments of `--set`.
pub(super) fn remedies(document: &Value) -> Vec<String> {
    let list = document["would_have_changed_it"].as_array().expect("a list");
    list.iter().filter_map(|r| r["set"].as_str().map(str::to_owned)).collect()
}

/// The same change with another number of seconds.
pub(super) fn by(set: &str, more: i64) -> String {
    let (path, seconds) = set.split_once('=').expect("PATH=VALUE");
    format!("{path}={}", seconds.parse::<i64>().expect("seconds") + more)
}

/// The countdown of 5 s begins when the taint is seen, at 10.005 s, and ends at 15.005 s. The untaint is seen at 15.035 s,
/// after GET and before DELETE, which goes on. With 6 s, the 5.03 s until the untaint rounded up, the pod stays.
#[test]
fn an_eviction_that_is_cancelled_too_late_has_its_timer() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "40s",
        timing: Custom(request: "20ms", response: "20ms", watch: "5ms", user: Raw),
        nodes: [(name: "n1"), (name: "n2")],
        pods: [(name: "p1", on: Node("n1"), tolerations: [(key: "k", operator: Exists, effect: NoExecute, tolerationSeconds: 5)])],
        timeline: [(at: "10s", do: Taint(node: "n1", taint: "k:NoExecute")), (at: "15.03s", do: Untaint(node: "n1", taint: "k"))])"#;
    scratch.write("late.ron", text);
    let late = json(&scratch, &["late.ron", "p1"]);
    let rules: Vec<&str> = late["steps"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|s| s["rule"].as_str())
        .filter(|rule| rule.starts_with("too late:") || *rule == "the timer ran out")
        .collect();
    assert_eq!(rules.len(), 2, "{late:#}");
    assert!(rules[0].starts_with("too late:"), "{late:#}");
    let set = remedies(&late);
    assert_eq!(set, ["pods.p1.tolerations[k].tolerationSeconds=6"]);
    let kept = verdict(&scratch, &["late.ron", "p1", "--set", &set[0]]);
    assert!(!kept.contains("evicted at"), "{kept}");
}

/// A cut of 330 s is over at 6:30, and a kubelet connects when it dials next: it can be heard then, and is when it is Ready, which a
/// grace period has to last until.
#[test]
fn a_node_that_can_be_heard_is_not_heard_yet() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "15m", nodes: [(names: "n-{0..3}", zone: "a")],
        timeline: [(at: "1m", name: "cut", do: Partition(nodes: Nodes(["n-0"]), duration: "330s"))])"#;
    scratch.write("cut.ron", text);
    let cut = json(&scratch, &["cut.ron", "node/n-0", "--seed", "3"]);
    let steps = cut["steps"].as_array().expect("a list");
    let place = |said: &str| {
        let is_it = |s: &Value| s["text"].as_str().is_some_and(|text| text.starts_with(said));
        steps.iter().position(is_it).unwrap_or_else(|| panic!("{said}: {cut:#}"))
    };
    assert!(place("n-0 can be heard again") < place("n-0: Ready is True"));
    let remedy = cut["would_have_changed_it"].to_string();
    assert!(remedy.contains("it was Ready again at 6:"), "{cut:#}");
}

/// `rapid-taint.ron` deletes db-0 first at 101.35 s: of a run that begins at 02:29:57 that is at
/// 02:31:38, and 350 ms.
#[test]
fn times_are_by_the_clock_where_a_run_has_one() {
    let scratch = Scratch::new();
    let text = fs::read_to_string(scenario("rapid-taint.ron")).expect("is there");
    let text = text.replacen("version: 1,", "version: 1, begins: \"2026-11-21T02:29:57Z\",", 1);
    let text: Vec<&str> = text.lines().filter(|l| !l.contains("golden:")).collect();
    scratch.write("clock.ron", text.join("\n"));
    let document = json(&scratch, &["clock.ron", "db-0", "--at", "1m42s"]);
    let steps = document["steps"].as_array().expect("a list");
    let deleted = steps
        .iter()
        .find(|s| s["text"].as_str().is_some_and(|t| t.contains("deleted by the taint")))
        .expect("the deletion");
    assert_eq!(deleted["at"], "2026-11-21T02:31:38.350Z");
    let called = scratch.call(&["explain", "-q", "clock.ron", "db-0", "--at", "1m42s"]);
    assert!(called.stdout.contains("02:31:38"), "{}", called.stdout);
    for begins in ["yesterday T02", "1969-12-31T23"] {
        scratch.write("clock.ron", text.join("\n").replace("2026-11-21T02", begins));
        let called = scratch.call(&["explain", "-q", "clock.ron", "db-0"]);
        assert_eq!(called.code, 2, "{}", called.stderr);
        assert!(called.stderr.contains("no time of the API from 1970 on"), "{}", called.stderr);
    }
}

/// Zone b is cut at 10:00 for seven minutes. The pods that were evicted would have stayed with the
/// seconds that explain names, and with one less they would not have; and with the grace period
/// that it names.
#[test]
fn what_would_have_kept_a_pod_keeps_it() {
    let scratch = Scratch::new();
    for (file, pod) in [
        ("zone-partition.ron", "db-2"),
        ("zone-partition.ron", "db-1"),
        ("zone-lost-without-room.ron", "web-vpzhh7zqb4-3"),
        ("noexecute-taint.ron", "half-a-minute"),
        ("noexecute-taint.ron", "zero"),
    ] {
        let file = scenario(file);
        let document = json(&scratch, &[&file, pod]);
        assert!(
            document["verdict"].as_str().is_some_and(|v| v.starts_with("evicted at ")),
            "{document}"
        );
        let sets = remedies(&document);
        let seconds = sets
            .iter()
            .find(|s| s.contains("tolerationSeconds"))
            .unwrap_or_else(|| panic!("{document}"));
        let with = verdict(&scratch, &[&file, pod, "--set", seconds]);
        assert!(with.starts_with("not evicted"), "{pod} with {seconds}: {with}");
        let less = by(seconds, -1);
        let with = verdict(&scratch, &[&file, pod, "--set", &less]);
        assert!(with.starts_with("evicted at "), "{pod} with {less}: {with}");
        for grace in sets.iter().filter(|s| s.contains("grace-period")) {
            let with = verdict(&scratch, &[&file, pod, "--set", grace]);
            assert!(with.starts_with("not evicted"), "{pod} with {grace}: {with}");
        }
    }
}

/// The other way round: the most seconds with which a pod that stayed would have been evicted.
#[test]
fn what_would_have_evicted_a_pod_evicts_it() {
    let scratch = Scratch::new();
    for (file, pod) in [("flapping-node.ron", "patient"), ("noexecute-taint.ron", "two-minutes")] {
        let file = scenario(file);
        let document = json(&scratch, &[&file, pod]);
        assert!(
            document["verdict"]
                .as_str()
                .is_some_and(|v| v.starts_with("not evicted: its timer of ")),
            "{document}"
        );
        let sets = remedies(&document);
        let [seconds] = &sets[..] else { panic!("{document}") };
        assert!(
            verdict(&scratch, &[&file, pod, "--set", seconds]).starts_with("evicted at "),
            "{seconds}"
        );
        let more = by(seconds, 1);
        assert!(
            verdict(&scratch, &[&file, pod, "--set", &more]).starts_with("not evicted"),
            "{more}"
        );
    }
}

/// A pod without a toleration for a user's taint would have stayed with one.
#[test]
fn a_missing_toleration_is_named() {
    let scratch = Scratch::new();
    let file = scenario("noexecute-taint.ron");
    let document = json(&scratch, &[&file, "stranger"]);
    let sets = remedies(&document);
    assert_eq!(sets, ["pods.stranger.tolerations[maintenance].tolerationSeconds=none"]);
    assert_eq!(
        verdict(&scratch, &[&file, "stranger", "--set", &sets[0]]),
        "not evicted: it tolerates the NoExecute taints of node-0 for ever"
    );
}

/// The arithmetic of scenarios/one-node-lost.ron: heartbeat 53 s, pass 55 s, cut 61 s, Unknown 105
/// s, taint 105.1 s, evicted 405.1 s.
#[test]
fn the_chain_from_the_last_heartbeat_to_the_delete() {
    let scratch = Scratch::new();
    fs::copy(scenario("one-node-lost.ron"), scratch.path("one.ron")).expect("can be copied");
    let text = scratch.call(&["explain", "one.ron", "default/web-0"]).stdout;
    let expected = "\
pod default/web-0
  evicted at 6:45.100 from node-0

  0:53.000         the last heartbeat of node-0 that arrives: its lease is renewed
  0:55.000    +2s  the last pass that finds a new heartbeat of node-0: its grace period begins
  1:01.000    +6s  cut
  1:01.000    +0s  node-0 falls silent: its kubelet no longer reaches the API server
  1:01.000    +0s  clients no longer reach the pods of node-0
  1:45.000   +44s  node-0: Ready is Unknown
                     --node-monitor-grace-period=50s: Unknown at the first pass after it, and there
                     is a pass every --node-monitor-period=5s
  1:45.000    +0s  node-0 waits in its zone's queue for the NoExecute taint
                     switch node_lifecycle.taint_on_observed=false: the pass that turns the node
                     Unknown queues it (from 1.34)
  1:45.000    +0s  node-0 tainted unreachable:NoSchedule
  1:45.100  +0.1s  node-0 tainted unreachable:NoExecute
                     --node-eviction-rate=0.1, one node of the zone every 10s; it was the first in
                     its zone's queue
  1:45.100    +0s  default/web-0: eviction timer of 300 s set
                     toleration of unreachable:NoExecute for 300 s, by admission: kube-apiserver
                     --default-unreachable-toleration-seconds=300
  6:45.100    +5m  default/web-0 deleted by the taint eviction controller, with a grace period of 30
                   s
                     the timer ran out

What would have changed it
  only a toleration for ever would have kept it: node-0 was still tainted at the end of the run
    --set pods.web.tolerations[unreachable].tolerationSeconds=none

  it is Terminating to the end of the run: no kubelet says that its containers have stopped
";
    assert_eq!(text, expected, "\n{text}");
    // The pass of 1.33 decides by the condition it read before, and taints one pass later.
    let older = json(&scratch, &["one.ron", "web-0", "--kubernetes", "1.33"]);
    let rules: String = older["steps"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|s| s["rule"].as_str())
        .collect();
    assert!(rules.contains("switch node_lifecycle.taint_on_observed=true"), "{rules}");
    assert_eq!(older["verdict"], "evicted at 6:50.100 from node-0");
    // Before the timer runs out it is one that runs.
    let before = json(&scratch, &["one.ron", "web-0", "--at", "6:45"]);
    assert_eq!(
        before["verdict"],
        "not evicted by 6:45.000: its timer of 300 s runs until 6:45.100"
    );
}

#[test]
fn why_a_pod_was_not_evicted() {
    let scratch = Scratch::new();
    for (file, pod, said) in [
        (
            "one-node-lost.ron",
            "agent-node-0",
            "it tolerates the NoExecute taints of node-0 for ever",
        ),
        ("one-node-lost.ron", "web-1", "its node node-1 was healthy all the time"),
        (
            "flapping-node.ron",
            "careless",
            "short was silent, but not for longer than --node-monitor-grace-period=50s",
        ),
        ("master-disruption.ron", "web-a-0", "all zones were fully disrupted"),
    ] {
        let verdict = verdict(&scratch, &[&scenario(file), pod]);
        assert!(verdict.starts_with("not evicted") && verdict.contains(said), "{pod}: {verdict}");
    }
    let drained = verdict(&scratch, &[&scenario("drain-with-budget.ron"), "web-vpzhh7zqb4-0"]);
    assert_eq!(drained, "evicted at 1:05.000 from node-0 by the eviction API (drain)");
}

/// 10,000 MiB, of which 8,000 are used, and 10 more each second: from 97.6 s on less than 1 GiB is left, which the kubelet finds
/// at 1:40 and the node's status tells at 1:44. A minute later the pod is evicted, and its containers have 30 s.
#[test]
fn what_a_kubelet_is_about_to_evict_is_told() {
    let scratch = Scratch::new();
    scratch.write(
        "soft.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "20m",
    flags: (kubelet: {"eviction-hard": "memory.available<100Mi", "eviction-soft": "memory.available<1Gi",
        "eviction-soft-grace-period": "memory.available=1m", "eviction-max-pod-grace-period": 30}),
    nodes: [(names: "n-{0..1}", capacity: {"memory": "10000Mi"}, lease_offset: "3s", status_offset: "4s")],
    workloads: [
        Deployment(name: "leaky", replicas: 1, placement: Node("n-0"), template: (requests: {"memory": "1000Mi"},
            terminationGracePeriodSeconds: 60, pod_stop: "45s", usage: {"memory": "1000Mi + 10Mi/s"})),
        Deployment(name: "big", replicas: 1, placement: Node("n-0"), template: (requests: {"memory": "7000Mi"}, usage: {"memory": "7000Mi"})),
    ])"#,
    );
    let of = |at: &str| json(&scratch, &["soft.ron", "leaky-bw6p9v4dqs-0", "--at", at]);
    assert_eq!(
        of("2m50s")["verdict"],
        "not evicted by 2:50.000: its kubelet evicts it for node pressure since 2:40.000, and its containers have yet to stop"
    );
    let before = of("1m50s");
    assert_eq!(
        before["verdict"],
        "not evicted by 1:50.000: n-0 has MemoryPressure, and its kubelet is to evict it at 2:40.000 unless that is over before"
    );
    let notes = before["notes"].to_string();
    assert!(notes.contains("eviction-soft-grace-period, memory.available=1m"), "{notes}");
}

/// The machine is off at once, as an imitated kubelet has no grace periods, and boots at 5:00: the pod has failed then, before
/// its timer is cancelled at 5:05. Its successor there ends five minutes after it was up, at 10:02.
#[test]
fn what_a_pod_ended_with_is_told_before_what_came_after() {
    let scratch = Scratch::new();
    scratch.write(
        "ended.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "20m", timing: Ideal,
    nodes: [(names: "n-{0..1}", zone: "a")],
    workloads: [Job(name: "sum", completions: 3, parallelism: 2, placement: Nodes(["n-0", "n-1"]), template: (ends: (after: "5m"), pod_stop: "3s"))],
    timeline: [(at: "2m", name: "down", do: Shutdown(node: "n-0", duration: "3m"))])"#,
    );
    let of = |pod: &str| verdict(&scratch, &["ended.ron", pod]);
    assert_eq!(of("sum-0"), "not evicted: it ended at 5:00.000 and is Failed");
    let next = of("sum-7kmgl");
    assert!(
        next.starts_with("not evicted: its timer of 300 s was cancelled at 5:05.000"),
        "{next}"
    );
    assert!(next.ends_with("; it ended at 10:02.000 and is Succeeded"), "{next}");
}

/// Which filter said no on how many nodes: as many nodes in all as the cluster has.
#[test]
fn why_a_pod_is_pending() {
    let scratch = Scratch::new();
    scratch.write(
        "full.ron",
        r#"Scenario(
    version: 1, timing: Ideal, horizon: "2m",
    nodes: [
        (names: "a-{0..2}", capacity: { "cpu": "1", "memory": "8Gi", "pods": "110" }),
        (name: "b", taints: ["dedicated=x:NoSchedule"], capacity: { "cpu": "8", "memory": "8Gi", "pods": "110" }),
    ],
    workloads: [Deployment(name: "big", replicas: 1, template: (requests: { "cpu": "2" }))],
)"#,
    );
    let run = scratch.call(&["run", "full.ron"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let names: Value =
        serde_json::from_str(&scratch.text("output/full/names.json")).expect("is JSON");
    let pod = names["pods"][0].as_str().expect("a pod").to_owned();
    let document = json(&scratch, &["output/full", &pod]);
    let verdict = document["verdict"].as_str().expect("a text");
    assert!(verdict.starts_with("pending at 2:00.000: no node suits; NodeResourcesFit on 3 nodes, TaintToleration on 1 node"), "{verdict}");
    let of_workload = json(&scratch, &["output/full", "big"]);
    assert!(of_workload["notes"].to_string().contains("3 Insufficient cpu"), "{of_workload}");
}

/// A pod with scheduling gates comes to no attempt (`pkg/scheduler/framework/plugins/schedulinggates: PreEnqueue`); before
/// 1.27 the API server drops the field, and it is bound.
#[test]
fn a_pod_that_is_gated_is_said_to_be() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "1m", nodes: [(name: "a")],
    pods: [(name: "p", on: Unbound, schedulingGates: [(name: "x.io/a"), (name: "x.io/b")])])"#;
    scratch.write("gated.ron", text);
    let gated = "pending at 1:00.000: not to be scheduled before its schedulingGates are removed: x.io/a, x.io/b";
    assert_eq!(verdict(&scratch, &["gated.ron", "p"]), gated);
    scratch.write("gated.ron", text.replace("1.34", "1.26"));
    let bound = verdict(&scratch, &["gated.ron", "p"]);
    assert!(bound.starts_with("not evicted"), "{bound}");
}

/// Its rule is made at 10.7 s, so that its `timeAdded` is 10 s, and the toleration of 60 s is over at 70 s.
#[test]
fn an_eviction_for_a_device_names_taint_rule_and_toleration() {
    let scratch = Scratch::new();
    let told = json(&scratch, &[&scenario("device-taint.ron"), "train-0"]);
    let steps: Vec<String> = steps(&told).into_iter().map(|s| s.1).collect();
    let why = "default/train-0 has a tainted device: ecc=bad:NoExecute of gpu-0 of gpu-node-1, by the rule broken, tolerated for 60 s from its timeAdded on, 10s";
    assert!(steps.iter().any(|s| s == why), "{steps:#?}");
    let verdict = told["verdict"].as_str().expect("a text");
    let short = " from gpu-node-1 for a taint of its devices: ecc=bad:NoExecute of gpu-0 of gpu-node-1, by the rule broken";
    assert!(verdict.ends_with(short), "{verdict}");
}

/// The node that its predecessor was evicted from is not its own: what is tolerated there says nothing of it.
#[test]
fn a_pod_without_a_node_is_not_told_of_tolerations() {
    let scratch = Scratch::new();
    scratch.write(
        "lost.ron",
        r#"Scenario(
    version: 1, timing: Ideal, horizon: "12m",
    nodes: [(names: "a-{0..1}", zone: "a", capacity: { "cpu": "1", "memory": "8Gi", "pods": "110" })],
    workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All), template: (requests: { "cpu": "1" }))],
    timeline: [(at: "1m", do: Partition(nodes: Node("a-1")))],
)"#,
    );
    let run = scratch.call(&["run", "lost.ron"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let names: Value =
        serde_json::from_str(&scratch.text("output/lost/names.json")).expect("is JSON");
    let pods = names["pods"].as_array().expect("pods");
    let unbound: Vec<String> = pods
        .iter()
        .map(|pod| json(&scratch, &["output/lost", pod.as_str().expect("a name")]).to_string())
        .filter(|told| told.contains("no node suits"))
        .collect();
    assert_eq!(unbound.len(), 1, "{unbound:#?}");
    for word in ["tolerationSeconds", "NoExecute", "evict"] {
        assert!(!unbound[0].contains(word), "{word}: {}", unbound[0]);
    }
}

#[test]
fn names_that_are_none_or_several() {
    let scratch = Scratch::new();
    scratch.write(
        "names.ron",
        r#"Scenario(version: 1, horizon: "1m", nodes: [(names: "web", zone: "web"), (name: "n-1")],
    pods: [(name: "web", on: Node("web")), (name: "web", namespace: "other", on: Node("n-1")), (name: "db-0", on: Node("n-1"))])"#,
    );
    let call = |object: &str| scratch.call(&["explain", "names.ron", object]);
    call("web").fails(
        2,
        &["`web` may be any of pod/default/web, pod/other/web, node/web, zone/web", "say which"],
    );
    call("pod/web").fails(2, &["pod/default/web, pod/other/web"]);
    for object in [
        "node/web",
        "zone/web",
        "default/web",
        "pod/other/web",
        "n-1",
        "node/n-1",
        "db-0",
        "POD/db-0",
    ] {
        assert_eq!(call(object).code, 0, "{object}: {}", call(object).stderr);
    }
    call("bd-0")
        .fails(2, &["there is no pod, node, workload or zone `bd-0`", "did you mean `db-0`?"]);
    call("node/n-2").fails(2, &["did you mean `node/n-1`?"]);
    call("db").fails(2, &["did you mean `db-0`?"]);
    call("zone/x/y").fails(2, &["there is no"]);
    for at in ["never", "17", "1:99"] {
        scratch
            .call(&["explain", "names.ron", "db-0", "--at", at])
            .fails(2, &["is no time", "17:02.5"]);
    }
    scratch
        .call(&["explain", "names.ron", "db-0", "--at", "2m"])
        .fails(2, &["after the end of the run, 1:00.000"]);
}

/// A pod that its kubelet ends is lost as one that is deleted: at 1:51, by arithmetic in the scenario's own
/// expectations, and at 1:05, 5 s after the machine is told to go off.
#[test]
fn a_workload_tells_which_pods_their_kubelet_ended() {
    let scratch = Scratch::new();
    let steps = |file: &str, object: &str| {
        let document = json(&scratch, &[file, object]);
        let steps = document["steps"].as_array().expect("a list").clone();
        let text = |s: &Value| {
            format!(
                "{} {}",
                s["at"].as_str().unwrap_or_default(),
                s["text"].as_str().unwrap_or_default()
            )
        };
        steps.iter().map(text).collect::<Vec<_>>()
    };
    let pressed = steps(&scenario("memory-leak.ron"), "deployment/leaky");
    let evicted: Vec<_> =
        pressed.iter().filter(|s| s.contains("evicted for node pressure by the kubelet")).collect();
    assert_eq!(evicted.len(), 2, "{pressed:#?}");
    assert!(evicted[0].contains("of node-1"), "{pressed:#?}");
    let made = pressed
        .iter()
        .filter(|s| s.contains("are created in place of lost ones; 2 of them get Ready"));
    assert!(made.count() <= 1, "{pressed:#?}");
    let off = steps(&scenario("graceful-shutdown.ron"), "deployment/web");
    assert!(off.iter().any(|s| s.contains("of a-0 ended by the kubelet")), "{off:#?}");
    assert!(
        off.iter().any(|s| s.contains("1 pod is created in place of a lost one; it gets Ready")),
        "{off:#?}"
    );
}

/// Every object of every shipped scenario has an answer, in every form and at every minute of the
/// run.
#[test]
fn every_object_has_an_answer() {
    use taintsim::analysis::Analysis;
    use taintsim::analysis::explain::{Question, explain, find};
    use taintsim::kernel::{Choices, Time};
    use taintsim::report::{Style, explain as form};
    use taintsim::scenario::{self as language, Overrides};
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut asked = 0;
    for entry in fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()) {
        if entry.extension().is_none_or(|e| e != "ron") {
            continue;
        }
        let loaded = language::load(&entry).unwrap_or_else(|e| panic!("{e}"));
        let plan =
            language::build(&loaded, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        let trace = taintsim::sim::run(&plan, Choices::seeded(1));
        let analysis = Analysis::new(&plan, &trace);
        let names = &trace.names;
        let mut objects: Vec<String> = (0..names.pods() as u32)
            .map(|i| format!("pod/{}", names.pod_name(taintsim::api::names::PodId(i))))
            .collect();
        objects.truncate(12);
        objects.extend(plan.nodes.iter().take(4).map(|n| format!("node/{}", n.name)));
        objects.extend(plan.workloads.iter().filter(|w| w.owner.is_none()).map(|w| w.name.clone()));
        objects
            .extend(analysis.zones.iter().filter(|z| !z.is_empty()).map(|z| format!("zone/{z}")));
        for name in &objects {
            let Ok(object) = find(&analysis, name) else { panic!("{}: {name}", entry.display()) };
            for until in [Time::ZERO, Time::from_nanos(plan.horizon.as_nanos() / 2), plan.horizon] {
                let found = explain(Question { analysis: &analysis, until, groups: &[] }, &object);
                assert!(
                    !found.verdict.is_empty() && !found.object.is_empty(),
                    "{}: {name}",
                    entry.display()
                );
                let mut out = Vec::new();
                form::write(&mut out, &found, None, Style { colour: true, width: 0 })
                    .expect("memory takes it");
                form::mermaid(&mut out, &found).expect("memory takes it");
                assert!(form::document(&found, None)["verdict"].is_string());
                asked += 1;
            }
        }
    }
    assert!(asked > 500, "{asked}");
}

/// The steps of an explanation with their rules, those of one object.
pub(super) fn steps(document: &Value) -> Vec<(f64, String, String)> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let step =
        |s: &Value| (s["at_s"].as_f64().unwrap_or_default(), text(&s["text"]), text(&s["rule"]));
    document["steps"].as_array().expect("a list").iter().map(step).collect()
}

/// scenarios/controller-restart.ron: a countdown of 120 s from 105.1 s on, the process stops at 150
/// s and is back at 165 s.
#[test]
fn a_restart_loses_a_countdown_and_takes_a_taint_off() {
    let scratch = Scratch::new();
    let file = scenario("controller-restart.ron");
    for release in ["1.34", "1.33"] {
        let pod = json(&scratch, &[&file, "web", "--kubernetes", release]);
        let said = steps(&pod);
        let timers: Vec<f64> = said
            .iter()
            .filter(|s| s.1.contains("eviction timer of 120 s set"))
            .map(|s| s.0.round())
            .collect();
        assert_eq!(timers, [if release == "1.34" { 105.0 } else { 110.0 }, 165.0], "{pod}");
        let stopped = said.iter().find(|s| s.1.contains("controllers stopped")).expect("a step");
        let due = if release == "1.34" { "3:45.100" } else { "3:50.100" };
        assert_eq!(
            stopped.2,
            format!("the countdown died with the process; it would have ended at {due}")
        );
        let untainted =
            said.iter().find(|s| s.1.contains("untainted unreachable:NoExecute")).expect("a step");
        assert!(
            untainted.2.contains("a new process") && untainted.2.contains("markNodeAsReachable"),
            "{untainted:?}"
        );
        let again =
            said.iter().rfind(|s| s.1.contains("waits in its zone's queue")).expect("a step");
        assert!(
            again.0 > 160.0 && again.2.contains("it is so already when the new process"),
            "{again:?}"
        );
        assert!(said.windows(2).all(|w| w[0].0 <= w[1].0), "{said:?}");
    }
}

/// Node a-0, last heard at 53 s, is tainted at 105.1 s and takes the zone's token; a-1, last heard
/// at 58 s, is queued at 110 s and waits for the next one, 10 s after the first.
#[test]
fn a_node_that_waits_as_the_first_of_its_queue_is_told_for_what() {
    let scratch = Scratch::new();
    scratch.write(
        "two.ron",
        r#"Scenario(
    version: 1, timing: Ideal, horizon: "5m",
    nodes: [
        (names: "a-{0,2,3,4}", zone: "z", lease_offset: "3s", status_offset: "4s"),
        (name: "a-1", zone: "z", lease_offset: "8s", status_offset: "4s"),
    ],
    timeline: [(at: "61s", do: Partition(nodes: Nodes(["a-0", "a-1"]))), (at: "4m", do: DeleteNode(node: "a-4"))],
)"#,
    );
    let document = json(&scratch, &["two.ron", "a-1"]);
    let said = steps(&document);
    let tainted =
        said.iter().find(|s| s.1.contains("tainted unreachable:NoExecute")).expect("a step");
    assert!((tainted.0 - 115.1).abs() < 0.05, "{tainted:?}");
    assert!(tainted.2.ends_with("it was the first in its zone's queue, and the zone's last token went to a-0 at 1:45.100"), "{tainted:?}");
    let gone = verdict(&scratch, &["two.ron", "a-4"]);
    assert!(gone.ends_with("at 5:00.000 there is no such node"), "{gone}");
}

/// What a drain waited for, told of the pod and of its workload: the budget's refusal at 60 s, and
/// 5 s until kubectl tries again.
#[test]
fn a_drains_delay_names_the_refusal() {
    let scratch = Scratch::new();
    let file = scenario("drain-with-budget.ron");
    let pod = json(&scratch, &[&file, "web-vpzhh7zqb4-0"]);
    assert!(
        pod["notes"].to_string().contains("budget default/web held its eviction up for 5s"),
        "{pod}"
    );
    for object in ["web-vpzhh7zqb4-0", "deployment/web", "node-0"] {
        let said = steps(&json(&scratch, &[&file, object]));
        let refused = said
            .iter()
            .find(|s| s.1.contains("refused (429)"))
            .unwrap_or_else(|| panic!("{object}: {said:?}"));
        assert!(
            refused.0.round() == 60.0 && refused.2.contains("kubectl tries again after 5 s"),
            "{object}: {refused:?}"
        );
    }
}

/// A taint at 40 s leaves a pod 30 s. The taint manager's requests are rejected from 68 to 72.5 s: those
/// of 70 s are sent again each second, and taken at 73 s. What was over before the taint is not told.
#[test]
fn requests_that_are_rejected_are_told_of_among_the_steps() {
    let scratch = Scratch::new();
    scratch.write(
        "rejected.ron",
        r#"Scenario(
            version: 1, kubernetes: "1.34", timing: Ideal, horizon: "3m", nodes: [(name: "n")],
            pods: [(name: "p", on: Node("n"), tolerations: [(key: "k", operator: Exists, effect: NoExecute, tolerationSeconds: 30)])],
            timeline: [
                (at: "10s", do: WatchLag(resource: Pods, lag: "1ms", duration: "5s")),
                (at: "40s", do: Taint(node: "n", taint: "k=v:NoExecute")),
                (at: "68s", do: TooManyRequests(clients: [TaintEviction], duration: "4500ms")),
            ],
        )"#,
    );
    let document = json(&scratch, &["rejected.ron", "p"]);
    let told: Vec<(f64, String)> = steps(&document)
        .into_iter()
        .map(|(at, text, _)| (at, text))
        .filter(|(_, text)| {
            text.contains("too many requests") || text.contains("deleted") || text.contains("lag")
        })
        .collect();
    let words: Vec<&str> = told.iter().map(|(_, text)| &**text).collect();
    assert_eq!(
        words[..2],
        ["too many requests of TaintEviction begins", "too many requests of TaintEviction ends"]
    );
    assert!(
        words.len() == 3 && words[2].contains("deleted by the taint eviction controller"),
        "{words:?}"
    );
    let times: Vec<f64> = told.iter().map(|(at, _)| (at * 1000.0).round() / 1000.0).collect();
    assert_eq!(times, [68.0, 72.5, 73.0]);
}

/// Both nodes of zone b are drained, and one is tainted by a person: their zone tells of it as they do.
/// Of two pods that only fit there one is put off by the budget of `db`, and nothing is lost of that.
#[test]
fn a_zone_tells_of_drains_and_of_taints_of_others() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(name: "a-0", zone: "a"), (names: "b-{0..1}", zone: "b")],
        workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("b-0")),
            Deployment(name: "web", replicas: 1, placement: Node("b-1"), template: (nodeSelector: {"topology.kubernetes.io/zone": "b"}))],
        podDisruptionBudgets: [(name: "db", selector: (matchLabels: {"app": "db"}), minAvailable: 1)],
        timeline: [(at: "2m", do: Drain(nodes: Zone("b"))), (at: "5m", do: Taint(node: "b-1", taint: "k:NoExecute"))])"#;
    scratch.write("z.ron", text);
    let zone = json(&scratch, &["z.ron", "zone/b"]);
    let said = zone["verdict"].as_str().expect("a verdict");
    assert!(said.starts_with("1 of its 2 nodes tainted NoExecute, 1 pod evicted"), "{said}");
    let steps: Vec<String> = steps(&zone).into_iter().map(|s| s.1).collect();
    assert!(steps.iter().any(|s| s.starts_with("b-0..b-1 cordoned")), "{steps:?}");
    assert!(steps.iter().any(|s| s == "b-1 tainted NoExecute by others"), "{steps:?}");
    let of = |object: &str| scratch.call(&["explain", "z.ron", object]).stdout;
    assert!(!of("statefulset/db").contains("why that pod was lost"), "{}", of("statefulset/db"));
    assert!(of("deployment/web").contains("1 of its pods is pending at the end"));
}

/// The whitelist of the namespace lacks a toleration of the pods: upstream's words are those of
/// `plugin/pkg/admission/podtolerationrestriction/admission.go: Validate`, after the ReplicaSet's own (`controller_utils.go`).
#[test]
fn what_refuses_a_workloads_pods_is_named() {
    let scratch = Scratch::new();
    let file = scenario("namespace-tolerations.ron");
    let why = "Error creating: pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";
    let notes = json(&scratch, &[&file, "replicaset/lab/greedy"])["notes"].to_string();
    let said = format!("no more of its pods can be created at the end: {why}");
    assert!(notes.contains(&said), "{notes}");
    let run = scratch.call(&["run", &file]).stdout;
    let lines: Vec<&str> = run.split_whitespace().collect();
    let said = format!("no more of its pods can be created ({why})");
    assert_eq!(lines.join(" ").matches(&said).count(), 1, "{run}");
    let plain = json(&scratch, &[&file, "replicaset/lab/plain"])["notes"].to_string();
    assert!(!plain.contains("can be created"), "{plain}");
}

/// A node is deleted: PodGC deletes its two pods by force, with their failure said before (from 1.26 on) and
/// without. The workload tells of them, as it tells of those in their place.
#[test]
fn a_workload_tells_what_pod_gc_deleted() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 6, placement: Spread(All))],
        timeline: [(at: "1m", do: DeleteNode(nodes: Node("a-1")))])"#;
    scratch.write("gone.ron", text);
    for release in ["1.34", "1.24"] {
        let web = json(&scratch, &["gone.ron", "deployment/web", "--kubernetes", release]);
        let steps: Vec<String> = steps(&web).into_iter().map(|s| s.1).collect();
        let lost = steps.iter().filter(|s| s.starts_with("2 pods of a-1 deleted by ")).count();
        assert_eq!(lost, 1, "{release}: {steps:?}");
        assert!(steps.iter().any(|s| s.starts_with("2 pods are created")), "{steps:?}");
    }
}

/// A node that is cut off gets a taint that admission gave tolerations for, and one by hand that nobody
/// tolerates: the latter alone is why its pod goes at once.
#[test]
fn of_several_taints_those_are_named_that_are_not_tolerated() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{0..1}")],
        workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("a-1"))],
        timeline: [(at: "1m", do: Partition(node: "a-1")), (at: "4m", do: Taint(node: "a-1", taint: "k:NoExecute"))])"#;
    scratch.write("two.ron", text);
    let db = json(&scratch, &["two.ron", "pod/db-0"]);
    let rules: Vec<String> = steps(&db).into_iter().map(|s| s.2).collect();
    assert!(rules.iter().any(|r| r == "no toleration for k:NoExecute: at once"), "{rules:?}");
}

/// db-0 is on a lost node, and db-2 is drained: nobody makes it anew before db-0 is Ready. A Parallel set does.
#[test]
fn what_waits_in_a_statefulsets_order_is_told_of_both() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, timing: Ideal, horizon: "15m", nodes: [(names: "n-{0..3}")],
        workloads: [StatefulSet(name: "db", replicas: 3, placement: Nodes(["n-0", "n-1", "n-2"]))],
        timeline: [(at: "1m", do: Crash(node: "n-0")), (at: "3m", do: Drain(node: "n-2"))])"#;
    scratch.write("ordered.ron", text);
    scratch.write(
        "parallel.ron",
        text.replace("replicas: 3", "replicas: 3, podManagementPolicy: Parallel"),
    );
    let notes = |file: &str, pod: &str| json(&scratch, &[file, pod])["notes"].to_string();
    let first = notes("ordered.ron", "pod/db-0");
    let said =
        "StatefulSet default/db is OrderedReady: default/db-2 is not made before this one is Ready";
    assert!(first.contains(said), "{first}");
    let last = notes("ordered.ron", "pod/db-2");
    assert!(
        last.contains("default/db-0 is not Ready: StatefulSet default/db is OrderedReady"),
        "{last}"
    );
    for pod in ["pod/db-0", "pod/db-1", "pod/db-2"] {
        assert!(!notes("parallel.ron", pod).contains("OrderedReady"), "{pod}");
    }
    assert!(!notes("ordered.ron", "pod/db-1").contains("OrderedReady"), "it is Ready");
}

/// Without a grace period db-0 is gone at once. With seed 5 the next one is there before its budget has counted, which
/// takes it for evicted up to 120 s after 1:00 (docs/model.md): of the tries of 1:30 to 2:55, each 5 s, all are refused.
#[test]
fn a_successor_that_a_budget_takes_for_evicted_is_named() {
    let scratch = Scratch::new();
    scratch.write(
        "graceless.ron",
        r#"Scenario(version: 1, horizon: "6m", nodes: [(names: "n-{0..4}")],
        workloads: [StatefulSet(name: "db", replicas: 3, placement: Nodes(["n-0", "n-1", "n-2"]),
            template: (labels: {"app": "db"}, terminationGracePeriodSeconds: 0))],
        podDisruptionBudgets: [(name: "db", selector: (matchLabels: {"app": "db"}), maxUnavailable: 1)],
        timeline: [(at: "1m", do: Drain(node: "n-0")), (at: "1m30s", do: Drain(node: "n-1"))])"#,
    );
    let told = |seed: &str| json(&scratch, &["graceless.ron", "pod/db-1", "--seed", seed]);
    let held = told("5");
    let notes = held["notes"].to_string();
    assert!(notes.contains("default/db-0 was evicted at 1:00."), "{held}");
    assert!(notes.contains("and not for healthy, for two minutes"), "{held}");
    assert!(steps(&held).iter().any(|s| s.2.contains("refused 18 times until 2:55.")), "{held}");
    // With seed 1 the budget has counted before, and refuses nothing.
    assert!(!told("1")["notes"].to_string().contains("two minutes"));
}

/// By the timeline the taint goes at 5:00, and the pod is bound in the same instant.
#[test]
fn a_pod_tells_how_long_it_had_no_node() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", timing: Ideal,
        nodes: [(name: "a-0", taints: ["x:NoSchedule"])], pods: [(name: "p", on: Unbound)],
        timeline: [(at: "5m", do: Untaint(node: "a-0", taint: "x:NoSchedule"))])"#;
    scratch.write("late.ron", text);
    let document = json(&scratch, &["late.ron", "p"]);
    let verdict = document["verdict"].as_str().expect("a text");
    assert!(verdict.ends_with("; it was pending from 0:00.000 to 5:00.000"), "{verdict}");
    let rule = document["steps"][0]["rule"].as_str().expect("what the scheduler said");
    assert!(rule.starts_with("TaintToleration says no to 1 node: a-0"), "{rule}");
}

/// The pod on the lost node has the claim until its node is back at 27:00 and says that it has ended.
#[test]
fn a_workload_tells_when_its_new_pod_is_ready() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "40m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 1, placement: Node("a-0"),
            template: (volumes: [(claim: "data", access: RWOP)]))],
        timeline: [(at: "2m", do: Crash(node: "a-0", duration: "25m"))])"#;
    scratch.write("rwop.ron", text);
    let document = json(&scratch, &["rwop.ron", "deployment/web"]);
    let steps = document["steps"].as_array().expect("a list").iter();
    let mut texts = steps.filter_map(|s| s["text"].as_str());
    let made = texts.find(|t| t.contains("in place of a lost one")).expect("a new pod");
    assert!(made.contains("it gets Ready at 27:"), "{made}");
}

/// Up to 1.12 nodes get no NoExecute taints by default: the zone's queue holds nodes whose pods are deleted, `--pod-eviction-timeout`
/// after their last heartbeat (`doEvictionPass`), one in ten seconds.
#[test]
fn where_nothing_is_tainted_nothing_is_said_of_taints() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.11", horizon: "20m",
        nodes: [(names: "n-{0..3}", zone: "a"), (names: "m-{0..3}", zone: "b")],
        workloads: [Deployment(name: "web", replicas: 8, placement: Spread(All))],
        timeline: [(at: "2m", do: Crash(nodes: Zone("a"), duration: "10m"))])"#;
    scratch.write("old.ron", text);
    let words = |call: &[&str]| unfolded(&scratch.call(call).stdout);
    let zone = words(&["explain", "old.ron", "zone/a"]);
    let node = words(&["explain", "old.ron", "node/n-0"]);
    let ran = words(&["run", "old.ron", "--summary"]);
    assert!(!zone.contains("taint") && !node.contains("taint"), "{zone} {node}");
    for (said, part) in [
        (&zone, "4 pods evicted from its 4 nodes"),
        (&zone, "no node of it is Ready: its nodes lose their pods at --node-eviction-rate=0.1"),
        (&node, "waits in its zone's queue for its pods to be deleted --pod-eviction-timeout=5m"),
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!ran.contains("is tainted") && !ran.contains("nodes NoExecute"), "{ran}");
    let chart = scratch.text("output/old/timeline.svg");
    assert!(chart.contains("waiting for eviction") && !chart.contains("waiting for taint"));
}

/// Of four CPUs each pod wants three.
#[test]
fn a_pod_tells_whom_it_preempted() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "5m", nodes: [(names: "a-{0..1}", capacity: {"cpu": "4"})],
        priorityClasses: [(name: "high", value: 1000)],
        workloads: [Deployment(name: "low", replicas: 2, placement: Spread(All), template: (requests: {"cpu": "3"}))],
        timeline: [(at: "1m", do: CreatePod(pod: (name: "hi", on: Unbound, priorityClassName: "high", requests: {"cpu": "3"})))])"#;
    scratch.write("preempts.ron", text);
    let document = json(&scratch, &["preempts.ron", "pod/default/hi"]);
    let verdict = document["verdict"].as_str().expect("a text");
    assert!(verdict.contains("; it was pending from 1:00.000 to "), "{verdict}");
    assert!(verdict.contains(", as the scheduler preempted default/low-"), "{verdict}");
    let steps = document["steps"].as_array().expect("a list").iter();
    let mut texts = steps.filter_map(|s| s["text"].as_str());
    assert!(texts.any(|t| t.contains("deleted by the scheduler")), "{document}");
}
