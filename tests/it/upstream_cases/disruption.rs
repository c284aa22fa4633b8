//! `test/integration/evictions/evictions_test.go`, `test/integration/disruption`, kubectl's
//! `drain_test.go`: the eviction subresource, the disruption controller, and `kubectl drain`.
//!
//! Pods are in the state that a case begins with, and no kubelet touches one that is not being
//! deleted.

use super::{done_by, imported, scenario_of};
use taintsim::api::meta::{ConditionStatus, Timestamp};
use taintsim::api::pod::PodPhase::{Failed, Pending, Running, Succeeded};
use taintsim::api::pod::{PodCondition, PodReason};
use taintsim::kernel::Choices;
use taintsim::plan::{Plan, PodStart};
use taintsim::sim::run;
use taintsim::trace::What;

/// Node `n` with pods in these states, drained for twelve seconds from 10 s on with these flags, in
/// a cluster with these further fields.
fn drained(release: &str, pods: &[(&str, PodStart)], flags: &str, fields: &str) -> Plan {
    // A kubelet would say that it is ready otherwise.
    let probed = |name: &str| match name.ends_with("unready") {
        true => r#", readinessProbe: (), serves_after: "1h""#,
        false => "",
    };
    let listed: Vec<String> = pods
        .iter()
        .map(|(name, _)| {
            let probed = probed(name);
            format!(r#"(name: "{name}", on: Node("n"), labels: {{ "app": "web" }}{probed})"#)
        })
        .collect();
    let mut plan = scenario_of(
        release,
        r#"Custom(request: "0s", response: "0s", watch: "0s", kubelet: Real(pod_start: "1h", pod_stop: "100s"))"#,
        &format!(
            r#"horizon: "2m", nodes: [(name: "n")], pods: [{}], {fields} timeline: [(at: "10s", do: Drain(node: "n", timeout: "12s", {flags}))]"#,
            listed.join(", ")
        ),
    );
    for (pod, (_, start)) in plan.pods.iter_mut().zip(pods) {
        pod.start = *start;
    }
    plan
}

/// The pods that were evicted, by name.
fn evicted(plan: &Plan) -> Vec<String> {
    let done = done_by("user", plan).into_iter().filter(|l| l.contains("EvictionByEvictionAPI"));
    done.filter_map(|l| Some(l.split_once("default/")?.1.split(' ').next()?.to_owned())).collect()
}

/// What kubectl printed of failures.
fn printed(plan: &Plan) -> Vec<String> {
    let trace = run(plan, Choices::default_order());
    let says = |what: &What| matches!(what, What::Refused(_) | What::DrainEnded(_));
    trace.iter().filter(|r| says(&r.what)).filter_map(|r| trace.fields(r).message).collect()
}

/// The pods whose evictions the API server refused until kubectl gave up.
fn refused(plan: &Plan) -> Vec<String> {
    // Up to 1.19 without `pods/`.
    let printed = printed(plan).join("").replace("evicting pods/", "evicting pod ");
    printed
        .split("error when evicting pod \"")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .collect()
}

/// A budget that keeps this many pods.
fn keeps(pods: u32, policy: &str) -> String {
    format!(
        r#"podDisruptionBudgets: [(name: "web", selector: (matchLabels: {{ "app": "web" }}), minAvailable: {pods}, unhealthyPodEvictionPolicy: {policy})],"#
    )
}

/// Some pods of each kind of state.
fn states() -> [(&'static str, PodStart); 5] {
    [
        ("failed", imported(Failed, false, false)),
        ("pending", imported(Pending, false, false)),
        ("running", imported(Running, true, false)),
        ("succeeded", imported(Succeeded, false, false)),
        ("terminating", imported(Running, true, true)),
    ]
}

/// `TestEviction`, `TestTerminalPodEviction`: a budget that allows nothing holds a running pod up
/// (429). What has ended goes without a look at it; so does, from 1.19 on, what has not started or
/// is being deleted already.
#[test]
fn a_budget_protects_what_runs() {
    let outcome = |release| {
        let plan = drained(release, &states(), "force: true", &keeps(5, "IfHealthyBudget"));
        (
            refused(&plan),
            done_by("user", &plan).iter().filter(|l| l.starts_with("10000 pod-gone")).count(),
        )
    };
    // Up to 1.11 its budget is asked of each.
    assert_eq!(outcome("1.11"), (states().map(|(name, _)| name.to_owned()).to_vec(), 0));
    assert_eq!(
        outcome("1.18"),
        (vec!["pending".to_owned(), "running".to_owned(), "terminating".to_owned()], 2)
    );
    assert_eq!(outcome("1.34"), (vec!["running".to_owned()], 2));
    let plan = drained("1.34", &states(), "force: true", &keeps(5, "IfHealthyBudget"));
    assert_eq!(evicted(&plan), ["failed", "pending", "succeeded", "terminating"]);
}

/// `TestEvictionWithUnhealthyPodEvictionPolicy`: a pod that is not ready goes while enough others
/// are, or always, as the policy says. Its budget is not charged: of two ready pods one may still
/// go.
#[test]
fn a_pod_that_is_not_ready_may_go_for_nothing() {
    let (ready, unready) = (imported(Running, true, false), imported(Running, false, false));
    let two = [("ready", ready), ("unready", unready)];
    let outcome = |release, pods: &[(&str, PodStart)], keep, policy| {
        let plan = drained(release, pods, "force: true", &keeps(keep, policy));
        (evicted(&plan).join(" "), refused(&plan).join(" "))
    };
    let pair = |evicted: &str, refused: &str| (evicted.to_owned(), refused.to_owned());
    assert_eq!(outcome("1.34", &two, 2, "IfHealthyBudget"), pair("", "ready unready"));
    assert_eq!(outcome("1.34", &two, 2, "AlwaysAllow"), pair("unready", "ready"));
    assert_eq!(outcome("1.34", &two, 1, "IfHealthyBudget"), pair("unready", "ready"));
    // Up to 1.26 the policy is not stored unless its gate is on.
    assert_eq!(outcome("1.26", &two, 2, "AlwaysAllow"), pair("", "ready unready"));
    assert_eq!(outcome("1.27", &two, 2, "AlwaysAllow"), pair("unready", "ready"));
    let three = [("a-unready", unready), ("b-ready", ready), ("c-ready", ready)];
    assert_eq!(outcome("1.34", &three, 1, "AlwaysAllow"), pair("a-unready b-ready", "c-ready"));
}

/// `TestStalePodDisruption`: the condition DisruptionTarget of a pod that nobody deletes is taken
/// back two minutes after it was set; that of a pod that is being deleted or has ended stays.
#[test]
fn a_disruption_that_does_not_come_is_taken_back() {
    let mut pods = states();
    for (_, start) in &mut pods {
        if let PodStart::Imported { disruption_target, .. } = start {
            let (status, reason) = (ConditionStatus::True, PodReason::EvictionByEvictionApi);
            *disruption_target =
                Some(PodCondition { status, reason, last_transition_time: Timestamp(0) });
        }
    }
    let taken_back = |release| {
        let mut plan = drained(release, &pods, "", &keeps(5, "IfHealthyBudget"));
        plan.actions.clear();
        done_by("disruption", &plan)
    };
    let expected = ["pending", "running"]
        .map(|pod| format!("120000 pod-condition default/{pod} DisruptionTarget False"));
    assert_eq!(taken_back("1.34"), expected);
    assert!(taken_back("1.25").is_empty());
}

/// `TestDrain`: what kubectl will not take away without being told to stops the whole node, which
/// is cordoned by then: neither that pod nor the ReplicaSet's is evicted. That "cannot delete" is
/// there twice in one of the texts is upstream's, from 1.30 to 1.35.
#[test]
fn a_drain_refuses_what_no_flag_allows() {
    let outcome = |pod: &str, flags: &str| {
        let fields = format!(
            r#"horizon: "1m", nodes: [(name: "n")], timeline: [(at: "10s", do: Drain(node: "n", {flags}))],
               pods: [(name: "a", on: Node("n"), owner: (kind: "ReplicaSet", name: "a")), (name: "b", on: Node("n"), {pod})]"#
        );
        let plan = scenario_of("1.34", "Ideal", &fields);
        assert!(done_by("user", &plan).contains(&"10000 node-unschedulable n".to_owned()));
        (evicted(&plan).join(" "), printed(&plan).join("\n"))
    };
    let stopped = |why: &str| {
        (
            String::new(),
            format!(
                "error: unable to drain node \"n\" due to error: cannot delete {why}: default/b, continuing command..."
            ),
        )
    };
    let (daemon, local) = (
        r#"owner: (kind: "DaemonSet", name: "b")"#,
        r#"owner: (kind: "Job", name: "b"), empty_dir: true"#,
    );
    assert_eq!(
        outcome(daemon, ""),
        stopped("DaemonSet-managed Pods (use --ignore-daemonsets to ignore)")
    );
    assert_eq!(outcome(daemon, "ignore_daemonsets: true"), ("a".to_owned(), String::new()));
    assert_eq!(
        outcome("", ""),
        stopped("cannot delete Pods that declare no controller (use --force to override)")
    );
    assert_eq!(outcome("", "force: true"), ("a b".to_owned(), String::new()));
    assert_eq!(
        outcome(local, "force: true"),
        stopped("Pods with local storage (use --delete-emptydir-data to override)")
    );
    assert_eq!(outcome(local, "delete_emptydir_data: true"), ("a b".to_owned(), String::new()));
}

/// The pods of a DaemonSet that is gone go with `--force` alone: it is deleted at 9 s, and its pod
/// takes a kubelet five seconds more.
#[test]
fn a_drain_forces_orphans_out() {
    let outcome = |flags: &str| {
        let plan = scenario_of(
            "1.34",
            r#"Custom(request: "0s", response: "0s", watch: "0s", kubelet: Real(pod_start: "1s", pod_stop: "5s"))"#,
            &format!(
                r#"horizon: "1m", nodes: [(name: "n")], workloads: [DaemonSet(name: "b", placement: Each(All))],
                   timeline: [(at: "9s", do: DeleteWorkload(workload: "b")), (at: "10s", do: Drain(node: "n", {flags}))]"#
            ),
        );
        (evicted(&plan).len(), printed(&plan).join("\n"))
    };
    let why = r#"cannot delete daemonsets.apps "b" not found: default/b-n, continuing command..."#;
    assert_eq!(
        outcome("ignore_daemonsets: true"),
        (0, format!("error: unable to drain node \"n\" due to error: {why}"))
    );
    assert_eq!(outcome("force: true"), (1, String::new()));
}

/// One ready pod, and a budget that would keep it if it were about it. A budget without a selector is about no pod; an
/// empty selector is every pod from 1.21 on, and before, in `policy/v1beta1`, none (`disruption.go: getPodsForPdb`,
/// v1.18.20: `if sel.Empty()`). With neither number no pod is expected, so that `disruptionsAllowed` is zero
/// (`getExpectedPodCount`). What is out of the common is told.
#[test]
fn budgets_without_a_selector_or_without_a_number() {
    let outcome = |release: &str, budget: &str| {
        let fields = format!("podDisruptionBudgets: [(name: \"b\", {budget})],");
        let ready = [("web", imported(Running, true, false))];
        let plan = drained(release, &ready, "force: true", &fields);
        let told = |text: &str| plan.notes.iter().any(|note| note.starts_with(text));
        let (no_selector, no_number) =
            (told("Budget default/b has no selector"), told("Budget default/b has neither"));
        (refused(&plan).join(" "), no_selector, no_number)
    };
    let kept = |no_number| ("web".to_owned(), false, no_number);
    let goes = (String::new(), true, false);
    for release in ["1.18", "1.20", "1.21", "1.34"] {
        assert_eq!(outcome(release, "minAvailable: 1"), goes, "{release}");
        let by_label = "selector: (matchLabels: { \"app\": \"web\" })";
        assert_eq!(outcome(release, by_label), kept(true), "{release}");
        let empty = outcome(release, "selector: (), minAvailable: 1");
        let expected = if release < "1.21" { goes.clone() } else { kept(false) };
        assert_eq!(empty, expected, "{release}");
    }
}
