//! How long pods take, where it is drawn: each start by itself, by the pod's name, whatever else is
//! set; told by an export, and what a plan makes of it.

use super::cli::{Scratch, unfolded};
use super::plans::{built, plan};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use taintsim::api::names::stable_hash;
use taintsim::kernel::choice::Deviation;
use taintsim::kernel::{Choices, Time};
use taintsim::sim::{run, run_eager};
use taintsim::trace::{Note, Record, Trace, What};

/// Four nodes, a Deployment whose pods take 1 to 8 s, and a StatefulSet; a node crashes and boots.
const WEB: &str = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "20m", nodes: [(names: "n-{0..3}", zone: "a")],
    workloads: [
        Deployment(name: "web", replicas: 12, template: (pod_start: Values(["1s", "2s", "3s", "4s", "5s", "6s", "7s", "8s"]))),
        StatefulSet(name: "db", replicas: 3, template: (pod_start: Uniform("2s", "9s"), pod_stop: Exponential(mean: "4s"))),
    ],
    timeline: [
        (at: "2m", do: Crash(nodes: Nodes(["n-1"]), duration: "30s")),
        (at: "4m", do: DeletePod(pods: Group("db"))),
        (at: "5m", do: Crash(nodes: Nodes(["n-2"]), duration: "8m")),
    ])"#;

/// From binding to the first start of containers, in whole milliseconds, by pod.
fn starts(trace: &Trace) -> BTreeMap<String, u64> {
    let (mut bound, mut took) = (BTreeMap::new(), BTreeMap::new());
    for r in trace.iter() {
        let Some(pod) = trace.fields(r).pod else { continue };
        match r.what {
            What::PodBound(_) => _ = bound.entry(pod).or_insert(r.at),
            What::ContainersStarted(_) if bound.contains_key(&pod) => {
                let since = r.at.since(bound[&pod]).as_millis();
                took.entry(pod).or_insert(since);
            }
            _ => {}
        }
    }
    took
}

#[test]
fn each_start_is_drawn_and_no_other_setting_changes_it() {
    let trace = run(&plan(WEB), Choices::seeded(5));
    let web: Vec<u64> =
        starts(&trace).iter().filter(|(n, _)| n.contains("web")).map(|(_, s)| *s).collect();
    // Some milliseconds until the kubelet hears of it; then whole seconds from 1 to 8.
    assert!(web.iter().all(|s| (1_000..8_100).contains(s) && s % 1_000 < 100), "{web:?}");
    let kinds: std::collections::BTreeSet<u64> = web.iter().map(|s| s / 1_000).collect();
    assert!(kinds.len() >= 4, "{web:?}");
    // The pods that both runs have start as fast in both, give or take what a kubelet needs to
    // hear of them: with another period of passes, another toleration, another pod_stop.
    let told = |trace: &Trace| -> BTreeMap<String, u64> {
        starts(trace).into_iter().map(|(n, s)| (n, (s + 50) / 100)).collect()
    };
    for set in [
        "flags.kube-controller-manager.node-monitor-period=2s",
        "workloads.db.template.pod_start=3s",
        "workloads.web.template.pod_stop=Uniform(\"1s\", \"2s\")",
    ] {
        let other = told(&run(&built(WEB, &[set]).unwrap(), Choices::seeded(5)));
        let own = told(&trace);
        let web = |n: &&String| n.contains("web") && other.contains_key(*n);
        let both: Vec<&String> = own.keys().filter(web).collect();
        assert!(both.len() >= 12, "{set}: {both:?}");
        for name in both {
            assert!(own[name].abs_diff(other[name]) <= 1, "{set}: {name}");
        }
    }
    // Another seed is another draw.
    assert_ne!(told(&trace), told(&run(&plan(WEB), Choices::seeded(6))));
}

#[test]
fn what_is_computed_is_what_is_simulated() {
    for timing in [
        "Typical",
        "Ideal",
        "Custom(kubelet: Real(pod_start: LogNormal(median: \"5s\", sigma: 1.0)))",
    ] {
        let text = WEB.replace("version: 1,", &format!("version: 1, timing: {timing},"));
        for seed in 1..6 {
            let (lazy, eager) = (
                run(&plan(&text), Choices::seeded(seed)),
                run_eager(&plan(&text), Choices::seeded(seed)),
            );
            assert!(lazy.iter().eq(eager.iter()), "{timing}, seed {seed}");
        }
    }
}

/// Imitated kubelets take a second for a pod that says nothing, and the pod's own time otherwise, which its grace period of
/// 30 s cuts short.
#[test]
fn imitated_kubelets_heed_how_long_a_pod_takes_to_stop() {
    let text = r#"Scenario(version: 1, timing: Ideal, horizon: "5m", nodes: [(names: "a-{0..2}")],
        pods: [
            (name: "usual", on: Node("a-0")),
            (name: "slow", on: Node("a-0"), pod_stop: "20s"),
            (name: "slower", on: Node("a-1"), pod_stop: "1m", terminationGracePeriodSeconds: 30),
        ],
        workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("a-2"), template: (pod_stop: "20s"))],
        timeline: [(at: "2m", do: DeletePod(pods: All))])"#;
    let trace = run(&plan(text), Choices::default_order());
    for (name, at) in [("usual", 121), ("slow", 140), ("slower", 150), ("db-0", 140)] {
        let is_its = |r: &&Record| {
            r.what == What::PodGone && {
                let pod = trace.fields(r).pod;
                pod.is_some_and(|pod| pod == format!("default/{name}"))
            }
        };
        let gone: Vec<u64> = trace.iter().filter(is_its).map(|r| r.at.as_millis()).collect();
        assert_eq!(gone, [at * 1_000], "{name}");
    }
}

/// `killPod`: what runs has a grace of 30 s. Where containers have all ended and wait to be started again, or wait for images, nothing runs:
/// the pod ends at once, and goes when its kubelet lists containers next, within a second; with `Ideal` at once.
#[test]
fn a_pod_of_which_nothing_runs_takes_no_time_to_stop() {
    let ends = |after: u32| format!(r#"ends: (after: "{after}s", exit_code: 3)"#);
    let image = r#"image: (name: "q", pull: "4m")"#;
    let pods = [
        ("one", ends(20), 48),
        ("all", format!(r#"{}, containers: [(name: "b", {})]"#, ends(20), ends(20)), 48),
        ("init", format!(r#"initContainers: [(name: "i", {})]"#, ends(20)), 48),
        ("image", image.to_owned(), 48),
        ("later", format!(r#"{image}, initContainers: [(name: "i", ends: (after: "5s"))]"#), 48),
        ("runs", ends(200), 78),
        ("runs-init", format!(r#"initContainers: [(name: "i", {})]"#, ends(200)), 78),
        ("runs-other", format!(r#"{}, containers: [(name: "b")]"#, ends(20)), 78),
    ];
    let written = pods.each_ref().map(|(name, more, _)| {
        format!(r#"(name: "{name}", on: Node("n"), start: Pending, pod_stop: "60s", {more})"#)
    });
    for (timing, late) in [("Ideal", 0), ("Typical", 1_200)] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.34", timing: {timing}, horizon: "5m", nodes: [(name: "n")],
                pods: [{}], timeline: [(at: "48s", do: DeletePod(pods: All))])"#,
            written.join(", ")
        );
        let trace = run(&plan(&text), Choices::seeded(1));
        for (name, _, at) in &pods {
            let is_its = |r: &&Record| {
                r.what == What::PodGone
                    && trace.fields(r).pod.is_some_and(|pod| pod == format!("default/{name}"))
            };
            let gone: Vec<u64> = trace.iter().filter(is_its).map(|r| r.at.as_millis()).collect();
            let within = at * 1_000..=at * 1_000 + late;
            assert!(gone.len() == 1 && within.contains(&gone[0]), "{timing}: {name} {gone:?}");
        }
    }
}

/// Without chance the shortest is taken, and a tape chooses another: the third of three.
#[test]
fn a_start_is_a_choice_like_others() {
    let text = r#"Scenario(version: 1, horizon: "2m", timing: Ideal, nodes: [(name: "a")],
        pods: [(name: "p", on: Node("a"), start: Pending, pod_start: Values(["9s", "4s", "30s"]))])"#;
    let running = |choices: Choices| {
        let trace = run(&plan(text), choices);
        let started = trace.iter().find(|r| matches!(r.what, What::ContainersStarted(_)));
        started.map(|r| r.at.as_millis() / 1_000)
    };
    assert_eq!(running(Choices::default_order()), Some(4));
    let hash = stable_hash("default/p");
    let third = Deviation { point: "pod-start".into(), object: hash, ordinal: 0, value: 2 };
    assert_eq!(running(Choices::tape(vec![third], Choices::default_order())), Some(30));
}

#[test]
fn a_distribution_is_read_wherever_a_span_is() {
    let of = |written: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "2m", nodes: [(name: "a")], workloads: [Deployment(name: "web", replicas: 1, template: (pod_start: {written}))])"#
        )
    };
    for good in [
        "\"2s\"",
        "Fixed(\"2s\")",
        "Exponential(mean: \"3s\")",
        "Weibull(shape: 0.7, scale: \"3s\")",
        "LogNormal(median: \"5s\", sigma: 0.5)",
        "Uniform(\"1s\", \"3s\")",
        "Values([\"1s\", \"2s\"])",
    ] {
        assert!(built(&of(good), &[]).is_ok(), "{good}: {:?}", built(&of(good), &[]).err());
        // And by --set, there and of the kubelets.
        let value = good.trim_matches('"');
        for path in ["workloads.web.template.pod_start", "timing.kubelet.pod_stop"] {
            let set = format!("{path}={value}");
            let set = built(&of("\"1s\""), &[&set]);
            assert!(set.is_ok(), "{path}={value}: {:?}", set.err());
        }
    }
    for (bad, said) in [
        ("Uniform(\"3s\", \"1s\")", "the second span is not longer than the first one"),
        ("Values([])", "there is no value in it"),
        ("LogNormal(median: \"5s\", sigma: 0)", "0 is not above 0"),
        ("Empirical(\"a.csv\")", "`Empirical` is a file of outages"),
        ("Normal(mean: \"5s\")", "Exponential"),
        ("5", "a duration in quotes, or a distribution such as Uniform(\"2s\", \"8s\")"),
        ("\"-5s\"", "-5s is negative"),
    ] {
        let problem = built(&of(bad), &[]).unwrap_err();
        assert!(problem.contains(said), "{bad}: {problem}");
    }
}

/// Ten nodes, and a Deployment of 24 pods, the half of which took `first` seconds to start, and the
/// others `second`.
fn export(first: u32, second: u32) -> String {
    let at = |s: u32| format!("2026-03-01T11:{:02}:{:02}Z", s / 60, s % 60);
    let condition =
        |kind: &str, s| json!({"type": kind, "status": "True", "lastTransitionTime": at(s)});
    let owner = |kind: &str, name: &str| json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "controller": true}]);
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": {}});
    let spec =
        json!({"replicas": 24, "selector": {"matchLabels": {"app": "web"}}, "template": template});
    let node = |i: u32| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("n-{i}")},
            "status": {"nodeInfo": {"kubeletVersion": "v1.34.4"}, "allocatable": {"cpu": "16", "pods": "110"},
                "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T12:00:00Z", "lastTransitionTime": at(0)}]}})
    };
    let pod = |i: u32| {
        let took = if i.is_multiple_of(2) { first } else { second };
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("web-1-{i}"), "labels": {"app": "web"}, "ownerReferences": owner("ReplicaSet", "web-1")},
            "spec": {"nodeName": format!("n-{}", i % 10)},
            "status": {"phase": "Running", "conditions": [condition("PodScheduled", 60), condition("Ready", 60 + took)]}})
    };
    let mut items: Vec<Value> = (0..10).map(node).chain((0..24).map(pod)).collect();
    items.push(json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}));
    items.push(json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web-1", "ownerReferences": owner("Deployment", "web")}, "spec": spec}));
    Value::from(items).to_string()
}

/// Every node is cut off for an hour twelve times a year, so that 24 pods are evicted 12 times each:
/// 288 evictions. Each pod is missing until its replacement serves. With starts of 20 and 40 s, 30 s
/// on average, and not 2 s, that is 28 s longer: 288 · 28 s are 134.4 replica-minutes a year, by
/// formula and, within two standard errors of the starts that were drawn (39 outages of 2.4 pods,
/// 10 s / √94 is 1.03 s of 28), by simulation. Where nobody is ever evicted nothing starts.
#[test]
fn a_plan_goes_by_the_starts_that_an_export_shows() {
    let scratch = Scratch::new();
    scratch.write("slow.json", export(20, 40));
    // Ready in the second in which they were bound: nothing is known of their starts.
    scratch.write("unknown.json", export(0, 0));
    let scenario = |file: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "30m", cluster: From("{file}"),
                faults: (models: [(name: "cut", nodes: All, do: Partition(), rate: PerNodeYear(12.0), lasts: Fixed("1h"))]))"#
        )
    };
    let figures = |file: &str| {
        scratch.write("a.ron", scenario(file));
        let called = scratch.call(&[
            "plan",
            "a.ron",
            "--choose",
            "workloads.web.template.tolerations[unreachable].tolerationSeconds=60,none",
            "--count",
            "outages",
            "--precision",
            "5%",
            "--budget",
            "1h",
            "-q",
            "-o",
            "json",
        ]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        let plan: Value = serde_json::from_str(&called.stdout).expect("JSON");
        let notes = plan.to_string();
        let row = |value: &str| {
            plan["rows"].as_array().unwrap().iter().find(|r| r["values"][0] == value).unwrap()
        };
        let figure = |value: &str, name: &str| row(value)["figures"][name].as_f64().unwrap();
        let missing = |value: &str| figure(value, "replica_minutes_missing");
        let closed = row("60")["closed_form"].as_f64().unwrap();
        ([missing("60"), figure("60", "evicted"), missing("none"), closed], notes)
    };
    let ([slow, evicted, never, closed_slow], said) = figures("slow.json");
    let ([fast, evicted_fast, never_fast, closed_fast], said_fast) = figures("unknown.json");
    let near = |a: f64, b: f64, within: f64| assert!((a - b).abs() <= within * b, "{a} {b}");
    near(evicted, 288.0, 0.03);
    near(evicted_fast, 288.0, 0.03);
    near(slow - fast, 134.4, 0.075);
    near(closed_slow - closed_fast, 134.4, 1e-6);
    near(never, never_fast, 0.001);
    assert!(
        said.contains("default/web 30s on average, nine in ten within 40s (drawn among 24)"),
        "{said}"
    );
    assert!(said_fast.contains("pods take 2s from binding to Ready"), "{said_fast}");
}

/// What `import` says of them, and writes: a scenario that runs as the export does.
#[test]
fn an_import_says_of_how_many_starts_it_knows() {
    let scratch = Scratch::new();
    scratch.write("slow.json", export(20, 40));
    let called = scratch.call(&["import", "slow.json"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let said = unfolded(&called.stderr);
    let told = "pods' time to start, by conditions and events, of 1 workload: default/web 30s, nine in ten within 40s (drawn among 24)";
    assert!(said.contains(told), "{said}");
    assert!(said.contains("pods' time to stop, of 1 workload: default/web"), "{said}");
    assert!(called.stdout.contains("pod_start: Values(["), "{}", called.stdout);
    scratch.write("b.ron", called.stdout);
    let line = |file: &str| {
        let ran = scratch.call(&["run", file, "-q", "-o", "json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout.contains("default/web 30s on average")
    };
    assert!(line("b.ron") && line("slow.json"));
}

/// When containers of a pod ended by themselves and ran, in milliseconds, and how often a volume was attached after the start.
fn goes_on(start: &str, more: &str) -> (Vec<u64>, Vec<u64>, usize) {
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "5m", nodes: [(name: "n", zone: "a")],
            pods: [(name: "p", on: Node("n"), pod_start: "12s", volumes: [(claim: "data")], start: {start}, {more})])"#
    );
    let trace = run(&plan(&text), Choices::seeded(1));
    let at = |is_it: &dyn Fn(&What) -> bool| -> Vec<u64> {
        trace.iter().filter(|r| is_it(&r.what)).map(|r| r.at.as_millis()).collect()
    };
    let attached = trace.iter().filter(|r| r.at > Time::ZERO);
    let attached = attached.filter(|r| trace.fields(r).what.contains("attach")).count();
    let ended = at(&|what| matches!(what, What::Noted(Note::ContainerEnded, _)));
    (ended, at(&|what| matches!(what, What::ContainersStarted(_))), attached)
}

/// Of 12 s 5 are over: 7 are left. Of the init container's 20 s 4 are over, 16 are left, and the second's 3 come then; where the
/// first is done these begin at once, and where both are the main container does. With `Ideal` a kubelet notices ends at once. The
/// disk is there: nobody attaches it.
#[test]
fn a_start_goes_on_from_where_it_was() {
    assert_eq!(goes_on(r#"Starting(waited: "5s")"#, ""), (vec![], vec![7_000], 0));
    let inits = r#"initContainers: [(name: "a", ends: (after: "20s")), (name: "mesh", restartPolicy: Always), (name: "b", ends: (after: "3s"))]"#;
    let of = |start: &str| goes_on(start, inits);
    assert_eq!(of(r#"Starting(turn: "a", ran: "4s")"#), (vec![16_000, 19_000], vec![19_000], 0));
    assert_eq!(of(r#"Starting(turn: "b")"#), (vec![3_000], vec![3_000], 0));
    assert_eq!(of(r#"Starting(turn: "b", ran: "1s")"#), (vec![2_000], vec![2_000], 0));
    assert_eq!(of(r#"Starting(turn: "main")"#), (vec![], vec![0], 0));
    // Its first container comes after the 7 s, as that of a pod that begins after 12 s does.
    let (ended, started, attached) = of(r#"Starting(waited: "5s")"#);
    assert_eq!((ended, started, attached), (vec![27_000, 30_000], vec![30_000], 0));
    let (_, _, attached) = of("Pending");
    assert!(attached > 0);
}

/// What does not go together is said where it stands.
#[test]
fn how_far_a_start_is_has_to_be_told_of_one_container() {
    for (start, why) in [
        (r#"Starting(turn: "b")"#, "no init container is called \"b\""),
        (
            r#"Starting(turn: "a", waited: "1s")"#,
            "of a container that was started, the start is over",
        ),
        (r#"Starting(ran: "1s")"#, "this is for an init container, which `turn` names"),
        (
            r#"Starting(turn: "main", ran: "1s")"#,
            "this is for an init container, which `turn` names",
        ),
    ] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "5m", nodes: [(name: "n")],
                pods: [(name: "p", on: Node("n"), start: {start}, initContainers: [(name: "a", ends: (after: "2s"))])])"#
        );
        let said = built(&text, &[]).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
}
