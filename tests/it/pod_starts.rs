//! How long pods take, where it is drawn: each start by itself, by the pod's name, whatever else is
//! set.

use std::collections::BTreeMap;
use std::path::Path;
use taintsim::api::names::stable_hash;
use taintsim::kernel::Choices;
use taintsim::kernel::choice::Deviation;
use taintsim::plan::Plan;
use taintsim::scenario::{self, Overrides};
use taintsim::sim::{run, run_eager};
use taintsim::trace::{Trace, What};

fn built(text: &str, sets: &[&str]) -> Result<Plan, String> {
    let loaded = scenario::parse("case.ron", text.as_bytes().to_vec(), Path::new(""));
    let sets = sets.iter().map(|s| (*s).to_owned()).collect();
    loaded
        .and_then(|l| scenario::build(&l, &Overrides { sets, ..Overrides::default() }))
        .map_err(|p| p.to_string())
}

fn plan(text: &str, sets: &[&str]) -> Plan {
    built(text, sets).unwrap_or_else(|p| panic!("{p}"))
}

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
    let trace = run(&plan(WEB, &[]), Choices::seeded(5));
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
        let other = told(&run(&plan(WEB, &[set]), Choices::seeded(5)));
        let own = told(&trace);
        let web = |n: &&String| n.contains("web") && other.contains_key(*n);
        let both: Vec<&String> = own.keys().filter(web).collect();
        assert!(both.len() >= 12, "{set}: {both:?}");
        for name in both {
            assert!(own[name].abs_diff(other[name]) <= 1, "{set}: {name}");
        }
    }
    // Another seed is another draw.
    assert_ne!(told(&trace), told(&run(&plan(WEB, &[]), Choices::seeded(6))));
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
                run(&plan(&text, &[]), Choices::seeded(seed)),
                run_eager(&plan(&text, &[]), Choices::seeded(seed)),
            );
            assert!(lazy.iter().eq(eager.iter()), "{timing}, seed {seed}");
        }
    }
}

/// Without chance the shortest is taken, and a tape chooses another: the third of three.
#[test]
fn a_start_is_a_choice_like_others() {
    let text = r#"Scenario(version: 1, horizon: "2m", timing: Ideal, nodes: [(name: "a")],
        pods: [(name: "p", on: Node("a"), start: Pending, pod_start: Values(["9s", "4s", "30s"]))])"#;
    let running = |choices: Choices| {
        let trace = run(&plan(text, &[]), choices);
        let started = trace.iter().find(|r| matches!(r.what, What::ContainersStarted(_)));
        started.map(|r| r.at.as_millis() / 1_000)
    };
    assert_eq!(running(Choices::default_order()), Some(4));
    let hash = stable_hash("default/p");
    let third = Deviation { point: "pod-start".to_owned(), object: hash, ordinal: 0, value: 2 };
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
