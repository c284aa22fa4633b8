//! Which settings a plan chooses: what is set now, several each for itself and together, and values that cost
//! something without failures.

use super::spec::{Bound, FIGURES};
use super::tests::{TOLERATION, planner, scenario};
use super::{Objective, answer};
use crate::lab::shards::Desk;
use crate::lab::sweep::Axis;
use crate::lab::threads::Stopped;
use crate::scenario::{Loaded, parse};
use std::cell::Cell;
use std::path::Path;

/// What is set now stands among the values under its own, whoever says it: the scenario, in whatever spelling it is asked
/// for, or the API server, which adds 300 s. Of workloads that differ there is no such value.
#[test]
fn what_is_set_now_is_one_of_the_values() {
    let text = r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..1}")], workloads: [
        Deployment(name: "said", template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)])),
        Deployment(name: "silent")],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))]))"#;
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let now = |path: &str, values: &[&str]| {
        let mut p = planner(&loaded, values, &[]);
        path.clone_into(&mut p.sweep.axes[0].path);
        p.look_for_now(&|| true).expect("it builds");
        let values = p.sweep.axes[0].values.join(",");
        (p.now, values)
    };
    let of = |name: &str| TOLERATION.replace('*', name);
    let named = |place, values: &str| (Some(place), values.to_owned());
    assert_eq!(now(&of("said"), &["0", "300", "none"]), named(1, "0,60,300,none"));
    let long = of("Deployment/said").replace("[unreachable]", "[node.kubernetes.io/unreachable]");
    assert_eq!(now(&long, &["0"]), named(1, "0,60"));
    assert_eq!(now(&of("silent"), &["0", "600"]), named(1, "0,300,600"));
    assert_eq!(now(&of("*"), &["0"]), (None, "0".to_owned()));
    let grace = "flags.kube-controller-manager.node-monitor-grace-period";
    assert_eq!(now(grace, &["40s", "1m"]), named(1, "40s,50s,1m"));
    let mut twice = planner(&loaded, &["50s", "1m", "50000ms"], &[]);
    grace.clone_into(&mut twice.sweep.axes[0].path);
    let Err(Stopped::Problems(said)) = twice.look_for_now(&|| true) else {
        panic!("one is there twice")
    };
    assert!(said.0[0].message.ends_with("has one value twice, as 50s and as 50000ms"), "{said}");
    // Machines boot for 30 s, and a pod has 30 s to end, where nobody says otherwise.
    assert_eq!(now("timing.kubelet.boot", &["0s", "30s"]), named(1, "0s,30s"));
    assert_eq!(now("timing.kubelet.boot", &["60s", "0s"]), named(0, "30s,60s,0s"));
    let ends = "workloads.silent.template.terminationGracePeriodSeconds";
    assert_eq!(now(ends, &["60", "30"]), named(1, "60,30"));
}

/// Two workloads with a toleration each, on nodes with so much cpu for pods of one cpu; pods tolerate
/// a lost node for ever where nothing else is set.
fn two_workloads(nodes: &str, cpu: u32, api: u32) -> Loaded {
    let template = r#"template: (requests: {"cpu": "1"}, tolerations: [
        (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute)])"#;
    let text = format!(
        r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "{nodes}", capacity: {{"cpu": "{cpu}", "pods": "10"}})],
        workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All), {template}),
            Deployment(name: "api", replicas: {api}, placement: Spread(All), {template})],
        faults: (models: [(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Fixed("1h"))]))"#
    );
    parse("p.ron", text.clone().into_bytes(), Path::new(""))
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A plan of the tolerations of both, each for itself.
fn both_apart(loaded: &Loaded) -> (super::Kept, Objective) {
    let mut p = planner(loaded, &["0", "300"], &[]);
    p.sweep.axes = ["web", "Deployment/default/api"]
        .map(|name| Axis {
            path: TOLERATION.replace('*', name),
            values: vec!["0".to_owned(), "none".to_owned()],
        })
        .to_vec();
    assert!(p.may_be_apart().expect("it builds"));
    p.apart = Some(vec![None, None]);
    p.look_for_now(&|| true).expect("it builds");
    assert_eq!(p.apart, Some(vec![Some(1), Some(1)]));
    let kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    (kept, p.objective)
}

/// Room for everybody: who is evicted is up again at once, whatever becomes of others. Together the
/// settings cost what they cost one by one, and each is chosen for itself.
#[test]
fn workloads_with_room_do_not_touch_each_other() {
    let loaded = two_workloads("n-{0..3}", 8, 4);
    let (mut kept, objective) = both_apart(&loaded);
    for extra in kept.extras(&objective, 0.95) {
        assert!(!extra.touches && extra.extra.abs() < 1.0, "{extra:?}");
    }
    let parts = kept.each_apart();
    assert_eq!(parts.len(), 2);
    for part in &parts {
        let a = answer(part, &objective, &[], 0.95);
        let values: Vec<&str> = a.rows.iter().map(|r| r.values[0].as_str()).collect();
        assert_eq!((values, a.best, a.now), (vec!["0", "none"], 0, 1));
        // 48 outages a year of an hour; evicted after some 52 s and up 2 s later: 59.1 minutes.
        let saved = a.rows[1].cost - a.rows[0].cost;
        assert!((saved / (48.0 * 59.1) - 1.0).abs() < 0.01, "{saved}");
        // Of its own four pods; the other four wait for 48 hours a year whatever becomes of these.
        assert_eq!(part.own.len(), 1);
        let [(missing, _), (evicted, _), _] = a.rows[0].own[0];
        let others = a.rows[0].figures[0] - missing;
        assert!((evicted - 48.0).abs() < 1e-6, "{evicted}");
        assert!((others / 2_880.0 - 1.0).abs() < 0.01, "{others}");
        let [(missing, _), (evicted, _), _] = a.rows[1].own[0];
        assert!((missing / 2_880.0 - 1.0).abs() < 0.01 && evicted.abs() < 1e-6);
        assert!(a.guaranteed);
    }
    assert!(kept.check().is_ok());
    // What a row costs without failures, and after how many outages its pods were missing still, stays its own.
    kept.standing = (0..kept.rows.len()).flat_map(|row| [row as f64; FIGURES.len()]).collect();
    kept.open = (0..kept.rows.len() as u64).collect();
    for (part, group) in kept.each_apart().iter().zip(&kept.apart) {
        for (place, row) in group.rows.iter().enumerate() {
            assert_eq!(part.standing(place)[0], *row as f64);
            assert_eq!(part.open[place], *row as u64);
        }
    }
}

/// Four nodes with room for two pods each, and seven pods: whoever is evicted alone finds the one
/// place that is free, of two the second one waits for its node to come back. Three of four nodes
/// have two pods: 36 outages a year in which 59.1 minutes are not saved twice.
#[test]
fn workloads_that_share_the_last_place_touch_each_other() {
    let loaded = two_workloads("n-{0..3}", 2, 3);
    let (kept, objective) = both_apart(&loaded);
    let extras = kept.extras(&objective, 0.95);
    let first = &extras[0];
    assert_eq!(first.values, ["0", "0"]);
    assert!(first.touches, "{first:?}");
    let (expected, i) = (36.0 * 59.1, first.interval);
    assert!(i.low <= expected && expected <= i.high, "{first:?}");
    assert!(i.high - i.low < 0.2 * expected, "{first:?}");
    // Nothing is changed where all stay as they are.
    assert!(!extras[1].touches && extras[1].extra.abs() < 1e-6, "{extras:?}");
}

/// The same where the first values and the last ones change nothing: an hour is never over sooner
/// than ten of them. The values between, which are recommended of each setting, touch each other.
#[test]
fn settings_that_touch_each_other_at_the_recommended_values_alone_are_found_out() {
    let loaded = two_workloads("n-{0..3}", 2, 3);
    let mut p = planner(&loaded, &["0", "300"], &[]);
    let values = ["none", "0", "36000"].map(str::to_owned).to_vec();
    p.sweep.axes = ["web", "Deployment/default/api"]
        .map(|name| Axis { path: TOLERATION.replace('*', name), values: values.clone() })
        .to_vec();
    p.apart = Some(vec![None, None]);
    p.look_for_now(&|| true).expect("it builds");
    let mut kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    let ends = kept.extras(&p.objective, 0.95);
    assert!(ends.iter().all(|e| !e.touches && e.extra.abs() < 1e-6), "{ends:?}");
    let best = vec!["0".to_owned(); 2];
    assert!(!kept.is_tried(&best));
    let beside = p.beside(&kept, &[best[..1].to_vec(), best[..1].to_vec()]);
    let beside = beside.expect("something to be tried");
    let tried = beside.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    // Nothing changed, each changed alone, and both.
    assert_eq!((tried.rows.len(), tried.moments.n()), (4, kept.moments.n()));
    kept.tried = Some(Box::new(tried));
    assert!(kept.check().is_ok() && kept.is_tried(&best));
    let extras = kept.extras(&p.objective, 0.95);
    let found = extras.iter().find(|e| e.values == best).expect("it was tried");
    let expected = 36.0 * 59.1;
    let i = found.interval;
    assert!(found.touches && i.low <= expected && expected <= i.high, "{found:?}");
    assert!(i.high - i.low < 0.2 * expected, "{found:?}");
    // One of them alone is no combination.
    assert!(kept.is_tried(&["0".to_owned(), super::AS_IT_IS.to_owned()]));
    assert!(p.beside(&kept, &[best.clone(), vec![super::AS_IT_IS.to_owned()]]).is_none());
}

/// A Deployment that no node has room for.
const BROKEN: &str =
    r#"Deployment(name: "broken", replicas: 1, template: (requests: {"cpu": "100"}))"#;

/// One replica where two are needed is below the need in every minute of a year, whatever fails; and so it is beside a
/// workload that is below its need with any number.
#[test]
fn what_a_value_costs_without_failures_is_in_its_cost() {
    for beside in ["", BROKEN] {
        of_a_value_without_failures(beside);
    }
}

fn of_a_value_without_failures(beside: &str) {
    let text = format!(
        r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{{0..3}}", capacity: {{"cpu": "4", "pods": "110"}})],
        workloads: [Deployment(name: "web", replicas: 3, needs: 2, placement: Spread(All)), {beside}],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))]))"#
    );
    let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["1", "3"], &["missing=0", "below=1"]);
    "workloads.web.replicas".clone_into(&mut p.sweep.axes[0].path);
    p.look_for_now(&|| true).expect("it builds");
    assert_eq!(p.now, Some(1));
    let kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    let a = answer(&kept, &p.objective, &[], 0.95);
    let year_min = 365.0 * 1_440.0;
    assert!((kept.standing(0)[1] / year_min - 1.0).abs() < 1e-9, "{:?}", kept.standing(0));
    assert!(kept.standing(1).iter().all(|f| *f == 0.0), "{:?}", kept.standing(1));
    assert!((a.rows[0].cost / year_min - 1.0).abs() < 0.01, "{}", a.rows[0].cost);
    assert_eq!((a.best, a.guaranteed), (1, true));
    assert!(kept.check().is_ok());
    // The runs went on until this was known for these prices, without limits, and as sure as that.
    let limit = Bound::parse("evicted<=1000000/y").expect("a limit");
    assert!(!answer(&kept, &p.objective, &[limit], 0.95).guaranteed);
    assert!(!answer(&kept, &p.objective, &[], 0.99).guaranteed);
    // Where evictions are dear one replica is best all the same, and a third of the outages are a third of what these
    // cost, not of the rest.
    let dear = p.objective.clone().with(&["evicted=30000".to_owned()], None).expect("prices");
    let a = answer(&kept, &dear, &[], 0.95);
    assert_eq!((a.best, a.guaranteed), (0, false));
    let of_rate = a.sensitivities.iter().find(|s| s.name == "rate of node").expect("a model");
    let third = year_min + (a.rows[0].cost - year_min) / 3.0;
    assert!((of_rate.costs[0] / third - 1.0).abs() < 1e-6, "{of_rate:?} {third}");
}

/// Four nodes with a pod of `web` each, all of which it needs, are lost twelve times a year each, one at a time. A lost node is
/// tainted after 40 to 55 s, and a new pod is up two seconds after the toleration is over: 48 · 49.5 s are 39.6 minutes below
/// need a year, and 48 · 349.5 s are 279.6. That `broken` always is below its need hides none of them.
#[test]
fn who_is_always_below_its_need_hides_nobody() {
    let text = format!(
        r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{{0..3}}", capacity: {{"cpu": "4", "pods": "110"}})],
        workloads: [{BROKEN}, Deployment(name: "web", replicas: 4, needs: 4, placement: Spread(All), template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 300)]))],
        faults: (models: [(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Fixed("30m"))]))"#
    );
    let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["0", "300"], &["missing=0", "below=1"]);
    "workloads.web.template.tolerations[unreachable].tolerationSeconds"
        .clone_into(&mut p.sweep.axes[0].path);
    let kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    assert_eq!(kept.always_below.iter().collect::<Vec<_>>(), ["Deployment/default/broken"]);
    let a = answer(&kept, &p.objective, &[], 0.95);
    for (row, minutes) in a.rows.iter().zip([39.6, 279.6]) {
        assert!((row.cost - minutes).abs() < 48.0 * 2.5 / 60.0, "{row:?}");
    }
    assert_eq!((a.best, a.same.as_slice()), (0, &[0][..]));
    // There is a formula, which knows nothing of minutes below need.
    assert!(kept.closed.is_some() && a.rows.iter().all(|row| row.closed.is_none()));
    assert_eq!(a.closed_best, None);
}

/// What changes nothing that is run is nothing to choose.
#[test]
fn a_setting_that_changes_nothing_is_refused() {
    let loaded = scenario(
        "Deployment",
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))"#,
    );
    let mut p = planner(&loaded, &["10m", "30m"], &[]);
    "horizon".clone_into(&mut p.sweep.axes[0].path);
    let refused = p.look_for_now(&|| true).expect_err("it changes nothing").to_string();
    assert!(refused.contains("no value of `horizon` changes anything here"), "{refused}");
}

/// The controller of a DaemonSet overwrites how long its pods tolerate a lost node
/// (`pkg/controller/daemon/util/daemonset_util.go: AddOrUpdateDaemonPodTolerations`): that is said instead.
#[test]
fn what_a_controller_overwrites_is_refused() {
    let text = r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..1}")], workloads: [DaemonSet(name: "agent", placement: Each(All))],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))]))"#;
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let of = |key: &str| {
        let mut p = planner(&loaded, &["0", "300"], &[]);
        let path = TOLERATION.replace('*', "agent").replace("unreachable", key);
        path.clone_into(&mut p.sweep.axes[0].path);
        p.look_for_now(&|| true).err().map(|refused| refused.to_string())
    };
    for key in ["unreachable", "not-ready"] {
        let refused = of(key).expect("it changes nothing");
        let why = "`tolerationSeconds` of DaemonSet default/agent changes nothing: its controller";
        assert!(
            refused.contains("no value of `workloads.agent") && refused.contains(why),
            "{refused}"
        );
    }
}

/// From 1.13 on the gate TaintBasedEvictions is on, and nothing heeds `--pod-eviction-timeout`; in 1.12 it says when pods of lost
/// nodes are deleted.
#[test]
fn a_time_out_that_nothing_heeds_is_refused() {
    let of = |version: &str| {
        let faults =
            r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))"#;
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "1h", nodes: [(names: "n-{{0..1}}")],
            workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All))], faults: (models: [{faults}]))"#
        );
        let loaded = parse("p.ron", text.into_bytes(), Path::new("")).expect("a scenario");
        let mut p = planner(&loaded, &["5m", "1m"], &[]);
        "flags.kube-controller-manager.pod-eviction-timeout".clone_into(&mut p.sweep.axes[0].path);
        p.look_for_now(&|| true).err().map(|refused| refused.to_string())
    };
    let refused = of("1.13").expect("it changes nothing");
    let why = "`pod-eviction-timeout` changes nothing.";
    assert!(refused.contains("changes anything here") && refused.contains(why), "{refused}");
    assert_eq!(of("1.12"), None);
}

/// The plans of an outage that is to be seen are those of its rows alone, and when the time is up none is made.
#[test]
fn an_outage_to_be_seen_ends_with_the_time() {
    let faults =
        r#"(name: "node", nodes: All, do: Crash, rate: PerNodeYear(1), lasts: Fixed("10m"))"#;
    let loaded = scenario("Deployment", faults);
    let p = planner(&loaded, &["0", "60", "none"], &[]);
    assert!(matches!(p.sample(0, &[0, 2], &|| false), Err(Stopped::Asked)));
    let looks = Cell::new(0);
    let sample = p.sample(0, &[0, 2], &|| looks.replace(looks.get() + 1) < 2);
    assert!(sample.is_ok_and(|sample| sample.is_none_or(|sample| sample.runs.len() == 2)));
    let sample = p.sample(0, &[0, 2], &|| true).expect("it is not stopped").expect("an outage");
    assert_eq!(sample.runs.len(), 2);
}

/// Up to 1.12 the gate TaintBasedEvictions is off: pods of lost nodes are deleted 5 minutes after their last heartbeat
/// (`--pod-eviction-timeout`), whatever they tolerate. By formula as in runs, all values cost the same, and no time tells more.
#[test]
fn a_toleration_that_a_release_does_not_heed_is_not_chosen_by() {
    let text = r#"Scenario(version: 1, kubernetes: "1.12", horizon: "1h", nodes: [(names: "n-{0..3}")], workloads: [
        Deployment(name: "web", replicas: 4, placement: Spread(All), template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 30)]))],
        faults: (models: [(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Uniform("1m", "20m"))]))"#;
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["30", "60", "300"], &[]);
    p.precision = 0.3;
    let told = p.told_of_values().expect("it builds");
    let of = |note: &String| note.contains("`tolerationSeconds` of default/web changes nothing");
    assert!(told.len() == 1 && told.iter().all(of), "{told:?}");
    let kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    let answer = answer(&kept, &p.objective, &[], 0.95);
    let first = &answer.rows[0];
    for row in &answer.rows {
        assert_eq!((row.cost, row.closed, row.more), (first.cost, first.closed, 0.0));
    }
    // 48 outages a year of 60 to 1,200 s. Those longer than 300 - 1 s, 901 of 1,140, miss a pod for that and a start of 2 s, and the
    // others for as long as they last, 179.5 s on average: 48 * (901 * 301 + 239 * 179.5) / 1,140 / 60 = 220.4 minutes.
    let closed = first.closed.expect("there is a formula");
    assert!((closed - 220.4).abs() < 1.0, "{closed}");
    assert!((first.cost - closed).abs() < 0.1 * closed, "{} {closed}", first.cost);
    assert_eq!(answer.same, [0, 1, 2]);
}

/// A pod that takes another 1,000 MiB each second has all 4 GiB of its node before its kubelet looks, every ten seconds, in each run.
#[test]
fn values_with_which_nodes_run_out_of_memory_are_known() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "1h",
        nodes: [(names: "n-{0..3}", capacity: {"cpu": "4", "memory": "4Gi", "pods": "10"})],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All), template: (usage: {"memory": "1000Mi"}))],
        faults: (models: [(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Fixed("10m"))]))"#;
    let loaded = parse("p.ron", text.as_bytes().to_vec(), Path::new("")).expect("a scenario");
    let mut p = planner(&loaded, &["1000Mi", "1000Mi + 1000Mi/s"], &[]);
    "workloads.web.template.usage.memory".clone_into(&mut p.sweep.axes[0].path);
    p.precision = 0.5;
    let kept = p.run(2, &|_, _, _| true, Desk::Here).expect("it runs");
    assert_eq!(kept.used_up, [0, kept.moments.n()]);
}
