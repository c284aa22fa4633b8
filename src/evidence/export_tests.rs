//! What an export from after an outage tells of it, beside other files that tell less.

use super::audit_tests::{at, line, log};
use super::file::Evidence;
use super::heard::Heard;
use super::written::{Reconstruction, Watchfulness, reconstruct};
use crate::import::Asked;
use crate::kernel::Dur;
use crate::language::Problem;
use serde_json::{Value, json};

const CONTROLLER: &str = "system:serviceaccount:kube-system:node-controller";

/// So many seconds after 04:40.
fn clock(s: u32) -> String {
    format!("2026-11-20T04:{:02}:{:02}Z", 40 + s / 60, s % 60)
}

/// A node whose Ready is so since then, with its last heartbeat.
fn node(name: &str, status: &str, since: &str, heartbeat: &str, spec: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec,
        "status": {"conditions": [{"type": "Ready", "status": status, "lastHeartbeatTime": heartbeat,
            "lastTransitionTime": since}]}})
}

fn healthy(name: &str, heartbeat: u32, spec: Value) -> Value {
    node(name, "True", "2026-11-19T04:40:00Z", &clock(heartbeat), spec)
}

/// `a-1`, Unknown and tainted since then.
fn lost(since: &str) -> Value {
    let taint = |effect| json!({"key": "node.kubernetes.io/unreachable", "effect": effect, "timeAdded": since});
    let taints = json!({"taints": [taint("NoSchedule"), taint("NoExecute")]});
    node("a-1", "Unknown", since, "2026-11-20T03:38:00Z", taints)
}

fn lease(node: &str, renewed: &str) -> Value {
    json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": node, "namespace": "kube-node-lease"}, "spec": {"renewTime": renewed}})
}

fn pod(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop"},
        "spec": {"nodeName": "a-1"}, "status": {"phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}]}})
}

fn export(items: &[Value]) -> Evidence {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    Evidence { file: "after.json".to_owned(), text: list.to_string() }
}

fn reconstructed(files: &[Evidence]) -> Result<Reconstruction, Problem> {
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    reconstruct(Heard::of(files), watchfulness, ("test", &Asked::default()))
}

/// A quarter of a second after that.
fn evicted(s: u32) -> Value {
    line(&at(s), "Metadata", CONTROLLER, "delete", "pods/shop/web-0", json!({}))
}

fn given_up(s: u32) -> Value {
    line(&at(s), "Metadata", CONTROLLER, "patch", "nodes/a-1/status", json!({}))
}

/// A node is given up at 100.25 s: the run begins 65 s before, to the second below, at 35 s. What was
/// cordoned at 50 s, and tainted at 300 s, comes 15 and 265 s later, at the end of that second; and
/// neither this nor a heartbeat of 38 s moves time zero, at which leases are as fresh as can be.
#[test]
fn what_came_later_is_taken_back_and_comes_in_its_time() {
    let cordon = json!({"unschedulable": true, "taints": [{"key": "node.kubernetes.io/unschedulable",
        "effect": "NoSchedule", "timeAdded": clock(50)}]});
    let taint = json!({"taints": [{"key": "dedicated", "value": "x", "effect": "NoExecute",
        "timeAdded": clock(300)}]});
    let items = [
        lost(&clock(100)),
        healthy("b-03", 600, taint),
        healthy("c-1", 38, cordon),
        pod("web-0"),
        lease("b-03", &clock(600)),
    ];
    let was = reconstructed(&[log(&[given_up(100), evicted(400)]), export(&items)]).unwrap();
    assert_eq!(was.start.to_rfc3339(), "2026-11-20T04:40:35Z");
    let (before, timeline) = was.text.split_at(was.text.find("timeline:").unwrap());
    assert!(!before.contains("dedicated") && !before.contains("unschedulable"), "{before}");
    assert!(before.contains(r#""b-03": "0s", "c-1": "0s""#), "{before}");
    for entry in [
        r#"(at: "15.999999s", do: Cordon(node: "c-1"))"#,
        r#"(at: "4m25.999999s", do: Taint(node: "b-03", taint: ["dedicated=x:NoExecute"], overwrite: true))"#,
    ] {
        assert!(timeline.contains(entry), "{entry}\n{timeline}");
    }
}

/// An uncordoned node was cordoned before.
#[test]
fn what_is_uncordoned_was_cordoned() {
    let body = json!({"spec": {"unschedulable": null}});
    let uncordon = line(&at(120), "Request", "jane", "patch", "nodes/b-03", body);
    let items = [lost(&clock(100)), healthy("b-03", 600, json!({})), pod("web-0")];
    let was =
        reconstructed(&[log(&[given_up(100), uncordon, evicted(400)]), export(&items)]).unwrap();
    let (before, timeline) = was.text.split_at(was.text.find("timeline:").unwrap());
    assert!(before.contains("unschedulable: true"), "{before}");
    assert!(timeline.contains(r#"Uncordon(node: "b-03")"#), "{timeline}");
}

/// The log tells of the eviction alone. The export has the node Unknown since some time in the second
/// 99, which begins the run at 34 s, and its lease, renewed at 48.5 s; half of 10.2 s later it is silent, 19.6 s
/// after the start. What jane did in between is told, too.
#[test]
fn an_export_tells_since_when_a_node_was_silent() {
    let cordon = json!({"spec": {"unschedulable": true}});
    let cordon = line(&at(200), "Request", "jane", "patch", "nodes/b-03", cordon);
    let items = [
        lost(&clock(99)),
        healthy("b-03", 600, json!({"unschedulable": true})),
        pod("web-0"),
        lease("a-1", "2026-11-20T04:40:48.500000Z"),
        lease("b-03", &clock(600)),
    ];
    let was = reconstructed(&[log(&[cordon, evicted(399)]), export(&items)]).unwrap();
    assert_eq!(was.start.to_rfc3339(), "2026-11-20T04:40:34Z");
    assert!(was.text.contains(r#"(at: "19.6s", do: Partition(node: "a-1"))"#), "{}", was.text);
    let told = was.told.join("\n");
    for part in [
        "given up at 2026-11-20T04:41:39Z (after.json, item 1)",
        "last heard of at 2026-11-20T04:40:48.500000Z (after.json, item 4)",
        "jane cordons b-03",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}

/// A node that was lost at 03:59 is of another outage than the eviction at 04:46:40.25. The run begins 65 s
/// before that, at 04:45:35, 46 min 25 s after its last renewal: it is as silent then, unless it was heard of
/// since.
#[test]
fn who_was_silent_before_the_start_stays_so() {
    let long = "2026-11-20T04:00:00Z";
    let items = [
        lost(long),
        healthy("b-03", 600, json!({})),
        pod("web-0"),
        lease("a-1", "2026-11-20T03:59:10Z"),
        lease("b-03", &clock(600)),
    ];
    let ready = json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    let back = line(&at(60), "Request", "system:node:a-1", "patch", "nodes/a-1/status", ready);
    for (lines, silent) in [(vec![evicted(400)], true), (vec![back, evicted(400)], false)] {
        let was = reconstructed(&[log(&lines), export(&items)]).unwrap();
        assert_eq!(was.start.to_rfc3339(), "2026-11-20T04:45:35Z");
        assert_eq!(was.text.contains("\"-46m25s\""), silent, "{}", was.text);
        assert_eq!(was.text.contains("cut_off: true"), silent, "{}", was.text);
    }
}

/// `web-0` is evicted at 400.25 s from a node that is given up at 100.25 s, and made anew under its name on
/// another at 500.25 s: at the start, 35 s, it was on the first, whether an export has its successor or not.
#[test]
fn a_pod_that_was_made_anew_is_the_one_that_was_evicted_before() {
    let scheduler = "system:kube-scheduler";
    let bound = |s, node: &str| {
        let target = json!({"target": {"kind": "Node", "name": node}});
        line(&at(s), "Request", scheduler, "create", "pods/shop/web-0/binding", target)
    };
    let lines = log(&[bound(10, "a-1"), given_up(100), evicted(400), bound(500, "b-03")]);
    let mut anew = pod("web-0");
    anew["metadata"]["creationTimestamp"] = clock(500).into();
    anew["metadata"]["labels"] = json!({"app": "web"});
    anew["spec"]["nodeName"] = "b-03".into();
    let export = export(&[lost(&clock(100)), healthy("b-03", 600, json!({})), anew]);
    for (files, label) in [(vec![lines.clone()], false), (vec![lines, export], true)] {
        let was = reconstructed(&files).unwrap();
        assert_eq!(was.start.to_rfc3339(), "2026-11-20T04:40:35Z");
        assert!(was.text.contains(r#"on: Node("a-1")"#), "{}", was.text);
        assert!(!was.text.contains(r#"on: Node("b-03")"#), "{}", was.text);
        assert_eq!(was.text.contains(r#""app": "web""#), label, "{}", was.text);
    }
}

/// The first pass that can gives a node up 40.04 s after it last heard of it, and each that comes says how long
/// that is by then: eight periods of 5 s are at least a grace period that is longer than seven. With 50 s in its
/// place the node would have been given up at the tenth.
#[test]
fn a_log_tells_the_grace_period() {
    let line = |clock: &str, duration: &str, status: &str| {
        format!(
            "I1120 {clock}       1 node_lifecycle_controller.go:952] \"Node hasn't been updated\" node=\"a-1\" duration=\"{duration}\" nodeConditionType=\"Ready\" currentCondition=\"&NodeCondition{{Type:Ready,Status:{status},LastHeartbeatTime:2026-11-20 04:40:59 +0000 UTC,}}\"\n"
        )
    };
    let text = [
        line("04:41:40.250000", "40.04s", "True"),
        line("04:41:45.250000", "45.045s", "Unknown"),
        "I1120 04:41:40.260000       1 controller_utils.go:186] \"Recording status change event message for node\" status=\"NodeNotReady\" node=\"a-1\"\n".to_owned(),
    ];
    let log = Evidence { file: "kcm.log".to_owned(), text: text.concat() };
    let flag = r#""node-monitor-grace-period": "40s""#;
    for (assumed, told) in [(50, true), (40, false), (20, true)] {
        let watchfulness =
            Watchfulness { grace: Dur::from_secs(assumed), period: Dur::from_secs(5) };
        let heard = Heard::of(std::slice::from_ref(&log));
        let was = reconstruct(heard, watchfulness, ("test", &Asked::default())).unwrap();
        assert_eq!(was.text.contains(flag), told, "{}", was.text);
        let said = format!(
            "40.04s after they were last heard of (kcm.log, line 1), and not when {assumed}s are over"
        );
        assert_eq!(was.notes.iter().any(|n| n.contains(&said)), told, "{:?}", was.notes);
        assert!(was.told.join("\n").contains("the grace period of 40 s"), "{:?}", was.told);
    }
}

/// A metric with samples every 15 s alone tells between when and when a node was given up.
#[test]
fn a_sample_is_no_time_of_giving_up() {
    // 04:40:00, :15, :30 and :45.
    let text = r#"{"status": "success", "data": {"resultType": "matrix", "result": [{"metric":
        {"__name__": "kube_node_status_condition", "node": "a-1", "condition": "Ready", "status": "true"},
        "values": [[1795149600, "1"], [1795149615, "1"], [1795149630, "1"], [1795149645, "0"]]}]}}"#;
    let metric = Evidence { file: "prom.json".to_owned(), text: text.to_owned() };
    let told = |files: &[Evidence]| reconstructed(files).unwrap().told.join("\n");
    let between = "given up between 2026-11-20T04:40:30Z and 2026-11-20T04:40:45Z (prom.json";
    let alone = told(std::slice::from_ref(&metric));
    assert!(alone.contains(between), "{alone}");
    // The export has the second.
    let items = [lost(&clock(32)), healthy("b-03", 600, json!({}))];
    let both = told(&[metric, export(&items)]);
    assert!(both.contains("given up at 2026-11-20T04:40:32Z (after.json"), "{both}");
}

/// A mean over a step of 0.75 at 04:40:30 is neither Ready nor not: a-1 was given up between the 1 of :15 and the 0 of :45, and came
/// back between that and the 1 of 04:41:15. Two of five samples say nothing.
#[test]
fn a_mean_of_samples_is_no_state() {
    let text = r#"{"status": "success", "data": {"resultType": "matrix", "result": [{"metric":
        {"__name__": "kube_node_status_condition", "node": "a-1", "condition": "Ready", "status": "true"},
        "values": [[1795149615, "1"], [1795149630, "0.75"], [1795149645, "0"], [1795149660, "0.6"], [1795149675, "1"]]}]}}"#;
    let was = reconstructed(&[Evidence { file: "prom.json".to_owned(), text: text.to_owned() }]);
    let was = was.unwrap();
    let told = was.told.join("\n");
    let between = "given up between 2026-11-20T04:40:15Z and 2026-11-20T04:40:45Z (prom.json";
    assert!(told.contains(between), "{told}");
    let means = "prom.json: 2 samples are neither 0 nor 1, and left out: a mean";
    assert!(was.notes.iter().any(|n| n.starts_with(means)), "{:?}", was.notes);
}

/// klog has no year. The export has it; without one nothing names a node.
#[test]
fn an_export_has_the_year_of_a_log() {
    let text = "I1120 04:46:39.250000       1 taint_eviction.go:111] \"Deleting pod\" controller=\"taint-eviction-controller\" pod=\"shop/web-0\"\n";
    let log = Evidence { file: "kcm.log".to_owned(), text: text.to_owned() };
    let items = [lost(&clock(99)), healthy("b-03", 600, json!({})), pod("web-0")];
    let was = reconstructed(&[log.clone(), export(&items)]).unwrap();
    let evicted = was.outage.evictions["shop/web-0"].at.to_rfc3339();
    assert_eq!(evicted, "2026-11-20T04:46:39.250000Z");
    let error = reconstructed(&[log]).unwrap_err().to_string();
    assert!(error.starts_with("evictions are told, and no node"), "{error}");
}

/// An event tells of a cordon a quarter of a second before the audit log does, which knows who it was.
#[test]
fn of_two_witnesses_the_one_counts_that_knows_who_it_was() {
    let event = json!({"kind": "Event", "apiVersion": "v1", "metadata": {"name": "b-03.x"},
        "involvedObject": {"kind": "Node", "name": "b-03"}, "reason": "NodeNotSchedulable",
        "eventTime": "2026-11-20T04:42:00.100000Z"});
    let events = Evidence { file: "events.json".to_owned(), text: event.to_string() };
    let cordon = json!({"spec": {"unschedulable": true}});
    let cordon = line(&at(120), "Request", "jane", "patch", "nodes/b-03", cordon);
    let was = reconstructed(&[events, log(&[given_up(100), cordon])]).unwrap();
    let cordons: Vec<&String> = was.told.iter().filter(|t| t.contains("cordons")).collect();
    assert_eq!(cordons, ["2026-11-20T04:42:00.250000Z: jane cordons b-03 (audit.log, line 2)"]);
}

/// A pod's deletion ends at 04:48:00, half a minute after it began: 04:47:30, between the samples of :30 and
/// :45. Of a pod whose grace period is longer than it takes to the sample, the sample is all that is known.
/// Where its node had been given up it is an eviction; elsewhere nobody knows who deleted it.
#[test]
fn a_deletion_begins_a_grace_period_before_its_timestamp() {
    let answer = |metric: &str, values: &str| {
        format!(r#"{{"metric": {{"__name__": {metric}}}, "values": [{values}]}}"#)
    };
    let of = |node: &str, ends: u64| {
        let all = [
            answer(
                r#""kube_node_status_condition", "node": "a-1", "condition": "Ready", "status": "true""#,
                r#"[1795149750, "1"], [1795149765, "0"]"#,
            ),
            answer(
                &format!(
                    r#""kube_pod_info", "namespace": "shop", "pod": "web-0", "node": "{node}""#
                ),
                r#"[1795149750, "1"]"#,
            ),
            answer(
                r#""kube_pod_deletion_timestamp", "namespace": "shop", "pod": "web-0""#,
                &format!(r#"[1795150065, "{ends}"], [1795150080, "{ends}"]"#),
            ),
        ];
        let text = format!(
            r#"{{"status": "success", "data": {{"resultType": "matrix", "result": [{}]}}}}"#,
            all.join(",")
        );
        reconstructed(&[Evidence { file: "prom.json".to_owned(), text }]).unwrap().outage
    };
    for (ends, began, within_us) in [
        (1_795_150_080, "2026-11-20T04:47:30.999999Z", 999_999),
        (1_795_150_170, "2026-11-20T04:47:45Z", 15_000_000),
    ] {
        let outage = of("a-1", ends);
        let known = &outage.evictions["shop/web-0"];
        assert_eq!((known.at.to_rfc3339().as_str(), known.within_us), (began, within_us));
        assert!(outage.deletions.is_empty());
    }
    let outage = of("b-03", 1_795_150_080);
    assert!(outage.evictions.is_empty());
    assert!(outage.deletions["shop/web-0"][0].by.contains("does not say who"));
}
