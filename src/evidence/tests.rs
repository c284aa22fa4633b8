//! Every kind of file, told apart and read, and what is wrong with one said.

use super::file::Evidence;
use super::heard::Heard;
use super::outage::Outage;
use super::statement::Said;
use crate::import::{SECOND_US, Stamp, parse_time};
use serde_json::json;

fn heard(texts: &[(&str, &str)]) -> Heard {
    let one = |(file, text): &(&str, &str)| Evidence {
        file: (*file).to_owned(),
        text: (*text).to_owned(),
    };
    Heard::of(&texts.iter().map(one).collect::<Vec<_>>())
}

fn said(file: &str, text: &str) -> Vec<Said> {
    heard(&[(file, text)]).statements.into_iter().map(|s| s.said).collect()
}

fn node(name: &str) -> Said {
    Said::NodeUnknown { node: name.to_owned() }
}

/// `metadata.name` of a pod is a DNS subdomain; one that is none would end the reading of all.
#[test]
fn an_event_of_a_pod_that_there_cannot_be_is_left_out() {
    let event = |name: &str| {
        json!({"kind": "Event", "apiVersion": "v1", "metadata": {"name": "x"}, "reason": "TaintManagerEviction",
            "message": "Marking for deletion Pod a/x", "firstTimestamp": "2026-11-20T04:42:51Z",
            "involvedObject": {"kind": "Pod", "namespace": "a", "name": name}})
    };
    let items = [event("p"), event("../../etc\u{1b}[31m")];
    let list = json!({"kind": "List", "apiVersion": "v1", "items": items}).to_string();
    let all = heard(&[("e.json", &list)]);
    assert_eq!(all.statements.len(), 1);
    let said = "1 event without a time or an object, left out";
    assert!(all.notes.iter().any(|note| note.contains(said)), "{:?}", all.notes);
    // Of a page of a list the server has more.
    let page = json!({"kind": "EventList", "apiVersion": "v1", "metadata": {"continue": "eyJ2"}, "items": items});
    let all = heard(&[("e.json", &page.to_string())]);
    assert!(
        all.notes[0].starts_with("e.json: left out: it is a part of a list"),
        "{:?}",
        all.notes
    );
}

/// 0x18e9a734b70fb0c7 ns are 1,795,149,771,335,250,119 ns after 1970, 04:42:51.335250 of the day.
#[test]
fn the_name_of_an_event_has_its_exact_time() {
    let event = |name: &str| {
        format!(
            r#"{{"kind": "List", "apiVersion": "v1", "items": [{{"kind": "Event", "apiVersion": "v1",
            "metadata": {{"name": "{name}"}}, "involvedObject": {{"kind": "Node", "name": "extra-d1"}},
            "reason": "NodeNotReady", "message": "Node extra-d1 status is now: NodeNotReady",
            "firstTimestamp": "2026-11-20T04:42:51Z", "source": {{"component": "node-controller"}}}}]}}"#
        )
    };
    let of = |name: &str| {
        let all = heard(&[("e.json", &event(name))]).statements;
        (all[0].at, all[0].within_us, all[0].said.clone())
    };
    let exact = Stamp(1_795_149_771_335_250);
    assert_eq!(of("extra-d1.18e9a734b70fb0c7"), (exact, 0, node("extra-d1")));
    // Without it the second is all that is known.
    let second = Stamp(1_795_149_771_999_999);
    assert_eq!(of("extra-d1"), (second, 999_999, node("extra-d1")));
}

#[test]
fn newer_events_say_the_same() {
    let text = r#"
apiVersion: v1
kind: List
items:
- apiVersion: events.k8s.io/v1
  kind: Event
  metadata: {name: p.x}
  eventTime: "2026-11-20T04:47:46.5Z"
  reason: TaintManagerEviction
  note: Marking for deletion Pod shop/api-1
  regarding: {kind: Pod, name: api-1, namespace: shop}
  reportingController: taint-eviction-controller
"#;
    let all = heard(&[("e.yaml", text)]).statements;
    let said = Said::Evicted { pod: "shop/api-1".to_owned() };
    assert_eq!((all.len(), &all[0].said, all[0].within_us), (1, &said, 0));
}

/// `pkg/kubelet/eviction/helpers.go: nodeLowMessageFmt`, and what is said of a pod that takes more of the disk than it
/// may; `pkg/scheduler/framework/preemption`: "Preempted by pod %v on node %v".
#[test]
fn what_kubelets_and_the_scheduler_take_is_deleted_by_others() {
    let event = |pod: &str, reason: &str, message: &str, component: &str| {
        json!({"kind": "Event", "firstTimestamp": "2026-03-14T08:31:30Z", "reason": reason, "message": message,
            "involvedObject": {"kind": "Pod", "namespace": "k", "name": pod}, "source": {"component": component}})
    };
    let low = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi.";
    let full = "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ";
    let events = json!({"kind": "List", "items": [
        event("low", "Evicted", low, "kubelet"),
        event("full", "Evicted", full, "kubelet"),
        event("lo", "Preempted", "Preempted by pod 5d1a on node p3", "default-scheduler"),
        event("other", "Evicted", "by a controller of somebody's own", "mover"),
    ]});
    let outage = Outage::of(&heard(&[("e.json", &events.to_string())]).statements);
    let by: Vec<_> = outage.each_deletion().map(|(pod, d)| (&**pod, &*d.by)).collect();
    let wanted = [
        ("k/full", "the kubelet (eviction)"),
        ("k/lo", "the scheduler (preemption)"),
        ("k/low", "the kubelet (eviction, memory)"),
    ];
    assert_eq!(by, wanted);
    // Some time in its second.
    let at = parse_time("2026-03-14T08:31:30Z").map(|at| Stamp(at.0 + SECOND_US - 1));
    assert_eq!((outage.begins(), outage.ends()), (at, at));
}

#[test]
fn half_a_line_of_an_audit_log_is_told() {
    let line = |verb: &str, user: &str| {
        format!(
            r#"{{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete","verb":"{verb}","user":{{"username":"{user}"}},"objectRef":{{"resource":"pods","namespace":"shop","name":"web-0"}},"responseStatus":{{"code":200}},"stageTimestamp":"2026-11-20T04:47:46.5Z"}}"#
        )
    };
    let text = format!(
        "{}\n{}\n{}",
        line("delete", "someone"),
        line("get", "someone"),
        &line("delete", "joe")[..90]
    );
    let heard = heard(&[("audit.log", &text)]);
    let said =
        Said::Deleted { pod: "shop/web-0".to_owned(), by: "someone".to_owned(), grace: None };
    assert_eq!(heard.statements.len(), 1);
    assert_eq!(heard.statements[0].said, said);
    assert!(
        heard.notes.iter().any(|n| n.contains("the first of them line 3: left out")),
        "{:?}",
        heard.notes
    );
}

#[test]
fn logs_of_both_forms_say_the_same() {
    let log = r#"I1121 02:29:45.458000   11997 controller_utils.go:186] "Recording status change event message for node" status="NodeNotReady" node="a-0"
I1121 02:30:06.714000       1 taint_eviction.go:112] "Deleting pod" controller="taint-eviction-controller" pod="default/stp-4"
I1121 02:29:45.458000   11997 controller_utils.go:186] Recording status change NodeNotReady event message for node a-0
I1121 02:31:00.000000       1 node_lifecycle_controller.go:800] "Node is healthy again, removing all taints" node="a-0"
I1121 02:31:00.000000       1 node_lifecycle_controller.go:799] "Node is healthy again, removed all taints" node="a-0"
1972-11-21T02:30:06.714Z stderr F I1121 02:30:06.714000       1 taint_manager.go:105] NoExecuteTaintManager is deleting Pod: default/stp-4
"#;
    let all = heard(&[("kcm.log", log)]);
    let evicted = Said::Evicted { pod: "default/stp-4".to_owned() };
    let said: Vec<&Said> = all.statements.iter().map(|s| &s.said).collect();
    assert_eq!(said.iter().filter(|s| ***s == node("a-0")).count(), 2);
    assert_eq!(said.iter().filter(|s| ***s == evicted).count(), 2);
    // In the words of up to 1.31, and of later releases.
    let back = Said::NodeReady { node: "a-0".to_owned() };
    assert_eq!(said.iter().filter(|s| ***s == back).count(), 2);
    assert!(all.notes.iter().any(|n| n.contains("leaves the year out")));
}

/// `taint_eviction.go: handleNodeUpdate` notes a node's NoExecute taints; `node_lifecycle_controller.go:
/// processTaintBaseEviction` says that a node is NotReady at the pass that finds it so, 2.5 s after the
/// middle of the period before. What was there before this leader has the time that is in the taint,
/// to its second.
#[test]
fn logs_tell_of_taints_and_of_nodes_that_are_not_ready() {
    let noted = |clock: &str, node: &str, taints: &str| {
        format!(
            "I1130 {clock}       1 taint_eviction.go:555] \"Updating known taints on node\" node=\"{node}\" taints={taints}\n"
        )
    };
    let found = "I1130 12:00:02.500000       1 node_lifecycle_controller.go:794] \"Node is NotReady. Adding it to the Taint queue\" node=\"a-1\" timeStamp=\"2026-11-30 12:00:02.500000 +0000 UTC\"\n";
    let of = |log: &str| Outage::of(&heard(&[("kcm.log", log)]).statements);
    let at = |time: &str| parse_time(time).unwrap();
    let middle = of(found);
    assert_eq!(middle.not_ready[0].since.at, at("2026-11-30T12:00:00Z"));
    assert_eq!(middle.pass.unwrap().at, at("2026-11-30T12:00:02.5Z"));
    // With its NoSchedule taint, which is put on at once, it is known better.
    let added = "I1130 12:00:00.600000       1 controller_utils.go:211] \"Added taint to node\" taint=[{\"key\":\"node.kubernetes.io/not-ready\",\"effect\":\"NoSchedule\",\"timeAdded\":\"2026-11-30T12:00:00Z\"}] node=\"a-1\"\n";
    let both = of(&format!("{added}{found}"));
    let since: Vec<_> = both.not_ready.iter().map(|f| f.since.at).collect();
    assert_eq!(since, [at("2026-11-30T12:00:00.6Z")]);
    // A leader that took over, and somebody's taint that comes and goes.
    let old = r#"[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2026-11-30T12:01:45Z"}]"#;
    let hand = r#"[{"key":"maint","value":"x","effect":"NoExecute"}]"#;
    let log = noted("12:03:02.100000", "a-2", old)
        + &noted("12:03:03.000000", "a-3", hand)
        + &noted("12:04:03.000000", "a-3", "[]");
    let outage = of(&log);
    let silence = &outage.silences[0];
    assert_eq!(silence.node, "a-2");
    assert_eq!(silence.since.when(), "at 2026-11-30T12:01:45Z");
    let are: Vec<&Said> = outage.actions.iter().map(|a| &a.0.said).collect();
    let is = |taints: &[&str]| Said::NoExecuteAre {
        node: "a-3".to_owned(),
        taints: taints.iter().map(|t| (*t).to_owned()).collect(),
    };
    assert_eq!(are, [&is(&["maint=x:NoExecute"]), &is(&[])]);
}

/// `--logging-format=json` says the same (`component-base/logs/json`): in milliseconds, objects by name and namespace
/// (`klog/v2: ObjectRef.MarshalLog`), and times among the values as that of the line (`epochMillisTimeEncoder`), so that of a
/// timer only the pod is known. 1,795,228,185,458 ms are 2026-11-21T02:29:45.458Z by `date -u -d @1795228185`. A line
/// that is cut short is told, by its number.
#[test]
fn a_log_in_json_says_the_same() {
    let text = r#"2026-11-21T02:29:45.4Z I1121 02:29:45.458000       1 x.go:1] "Recording status change event message for node" status="NodeNotReady" node="a-0"
I1121 02:29:45.500000       1 x.go:1] "Updating known taints on node" node="a-0" taints=[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2026-11-21T02:29:45Z"}]
I1121 02:29:45.500000       1 x.go:1] "Adding TimedWorkerQueue item and to be fired at firedTime" item="default/stp-4" createTime="2026-11-21 02:29:45.5 +0000 UTC m=+1.5" firedTime="2026-11-21 02:34:45.5 +0000 UTC m=+301.5"
I1121 02:29:46.000000       1 x.go:1] "Event occurred" object="default/stp-4" fieldPath="" kind="Pod" apiVersion="v1" type="Normal" reason="Scheduled" message="a \"b\" to a-0"
I1121 02:30:06.714000       1 x.go:1] "Deleting pod" controller="taint-eviction-controller" pod="default/stp-4"
I1121 02:30:07.000000       1 x.go:1] successfully acquired lease kube-system/kube-controller-manager
"#;
    let json = r#"{"ts":1795228185458,"caller":"node/x.go:1","msg":"Recording status change event message for node","v":2,"status":"NodeNotReady","node":"a-0"}
2026-11-21T02:29:45.5Z stderr F {"ts":1795228185500.0,"caller":"x.go:1","msg":"Updating known taints on node","v":4,"node":{"name":"a-0"},"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2026-11-21T02:29:45Z"}]}
{"ts":1795228185500.0,"caller":"x.go:1","msg":"Adding TimedWorkerQueue item and to be fired at firedTime","v":4,"item":"default/stp-4","createTime":1795228185500.0,"firedTime":1795228185500.1}
{"ts":1795228186000,"caller":"x.go:1","msg":"Event occurred","v":0,"object":{"name":"stp-4","namespace":"default"},"fieldPath":"","kind":"Pod","apiVersion":"v1","type":"Normal","reason":"Scheduled","message":"a \"b\" to a-0"}
{"ts":1795228206714.0,"logger":"taint-eviction-controller","caller":"x.go:1","msg":"Deleting pod","controller":"taint-eviction-controller","pod":{"name":"stp-4","namespace":"default"}}
{"ts":1795228207000,"caller":"x.go:1","msg":"successfully acquired lease kube-system/kube-controller-manager","v":0}
{"ts":1795228208000,"caller":"x.go:1","msg":"Deleting pod","contr
"#;
    let of = |text: &str| {
        let all = heard(&[("kcm.log", text)]);
        let said = all.statements.into_iter().map(|s| (s.at, s.said, s.place.number));
        (said.collect::<Vec<_>>(), all.notes)
    };
    let (mut in_text, _) = of(text);
    let (in_json, notes) = of(json);
    let timer = |seconds| Said::TimerSet { pod: "default/stp-4".to_owned(), seconds };
    let set = in_text.iter_mut().find(|(_, said, _)| *said == timer(Some(300))).unwrap();
    set.1 = timer(None);
    assert_eq!(in_text, in_json);
    assert_eq!((in_json[0].0, in_json.len()), (Stamp(1_795_228_185_458_000), 7));
    let wanted = [
        "kcm.log: a log of 6 lines, of which 5 tell something",
        "kcm.log: 1 line is no whole line of a log in JSON, the first of them line 7: left out",
    ];
    assert_eq!(notes, wanted);
    // JSON of something else.
    let other = r#"{"ts":"2026-11-21T02:29:45Z","msg":"x"}"#;
    assert!(
        of(other).1[0].starts_with("kcm.log: left out: it holds no objects of the Kubernetes API")
    );
}

/// `DeviceTaintManagerEviction` (`device_taint_eviction.go`, 1.33 on), and the lock of up to 1.19 (`endpointslock.go`).
#[test]
fn events_of_other_words_say_the_same() {
    let of = |kind: &str, name: &str, (reason, message): (&str, &str)| {
        let event = json!({"kind": "Event", "apiVersion": "v1", "metadata": {"name": "x"},
            "reason": reason, "message": message, "eventTime": "2026-11-20T04:40:00.5Z",
            "involvedObject": {"kind": kind, "namespace": "shop", "name": name}});
        said("e.json", &event.to_string())
    };
    let taint = |message: &str| of("Pod", "p", ("DeviceTaintManagerEviction", message));
    assert_eq!(taint("Marking for deletion"), [Said::Evicted { pod: "shop/p".to_owned() }]);
    assert_eq!(taint("Cancelling deletion"), []);
    let manager = "kube-controller-manager";
    let leads = of("Endpoints", manager, ("LeaderElection", "cp-2_1 became leader"));
    assert_eq!(leads, [Said::Leader { component: manager.to_owned() }]);
}

/// `RealPodControl.DeletePod` names the workload (1.19 on), the taint eviction controller itself, that of device taints
/// nobody (1.33 to 1.35), and the pod's uid (`NamespacedObject.String`); since 1.36 it says it in other words.
#[test]
fn who_deletes_a_pod_stands_in_the_line() {
    let evicted = || vec![Said::Evicted { pod: "shop/web-0".to_owned() }];
    let bound = || vec![Said::Bound { pod: "shop/web-0".to_owned(), node: "a-0".to_owned() }];
    let json = |controller: &str| {
        format!(
            r#"{{"ts":1795149700250,"msg":"Deleting pod","v":2,"controller":"{controller}","pod":{{"name":"web-0","namespace":"shop"}}}}"#
        )
    };
    let text = |line: &str| format!("I1120 04:41:40.250000       1 x.go:1] {line}");
    let ours =
        r#""Deleting pod" logger="x" controller="taint-eviction-controller" pod="shop/web-0""#;
    for (line, is) in [
        (text(ours), evicted()),
        (json("taint-eviction-controller"), evicted()),
        (text(r#""Deleting pod" controller="web-5c7d" pod="shop/web-0""#), Vec::new()),
        (json("web-5c7d"), Vec::new()),
        (text("Controller web-5c7d deleting pod shop/web-0"), Vec::new()),
        (text(r#""Deleting pod" logger="x" pod="shop/web-0:5d1a-07""#), evicted()),
        (text(r#""Evicted pod by deleting it" pod="shop/web-0:5d1a-07" latency="1ms""#), evicted()),
        (text("Starting deletion of pod shop/web-0"), evicted()),
        (
            text(
                "pod shop/web-0 is bound successfully on node \"a-0\", 9 nodes evaluated, 9 nodes were found feasible.",
            ),
            bound(),
        ),
        (
            text(
                "pod shop/web-0 is bound successfully on node a-0, 9 nodes evaluated, 9 nodes were found feasible",
            ),
            bound(),
        ),
        (
            text("Node a-0 is ready again, cancelled pod eviction"),
            vec![Said::NodeReady { node: "a-0".to_owned() }],
        ),
    ] {
        assert_eq!(said("kcm.log", &(line.clone() + "\n")), is, "{line}");
    }
}

/// A node is given up 15 s before the year is over, and a pod of it is evicted 300 s later. Of which year either is, a day in
/// the log says, or another file, of before or after New Year: 2026-12-31T23:59:45Z is 1,798,761,585 s after 1970
/// (`date -u -d`). Of neither nothing is known but that they are near to each other.
#[test]
fn a_log_goes_on_over_new_year() {
    let log = |before: &str, created: &str| {
        format!(
            r#"{before}I1231 23:59:45.000000       1 x.go:1] "Recording status change event message for node" status="NodeNotReady" node="a-0"
I1231 23:59:45.100000       1 x.go:1] "Adding TimedWorkerQueue item and to be fired at firedTime" item="default/p"{created} firedTime="2027-01-01 00:04:45.1 +0000 UTC"
I0101 00:04:45.100000       1 x.go:1] "Deleting pod" controller="taint-eviction-controller" pod="default/p"
"#
        )
    };
    let created = r#" createTime="2026-12-31 23:59:45.1 +0000 UTC""#;
    let late = r#" createTime="2027-01-01 00:00:00.0 +0000 UTC""#;
    let times = |files: &[(&str, &str)]| {
        let all = heard(files).statements.into_iter().filter(|s| s.place.file == "kcm.log");
        all.map(|s| s.at.0).collect::<Vec<_>>()
    };
    let given_up = 1_798_761_585_000_000;
    let right = |of: &[i64], given_up: i64| {
        assert_eq!((of.first(), of.last()), (Some(&given_up), Some(&(given_up + 300_100_000))));
    };
    right(&times(&[("kcm.log", &log("", created))]), given_up);
    right(&times(&[("kcm.log", &log("", late))]), given_up);
    // The runtime wrote the first line down in the new year.
    right(&times(&[("kcm.log", &log("2027-01-01T00:00:00.1Z ", ""))]), given_up);
    for at in ["2026-12-31T23:59:45Z", "2027-01-01T00:04:45Z"] {
        let event = json!({"kind": "Event", "apiVersion": "v1", "metadata": {"name": "x"},
            "reason": "NodeNotReady", "message": "Node a-1 status is now: NodeNotReady",
            "firstTimestamp": at, "involvedObject": {"kind": "Node", "name": "a-1"},
            "source": {"component": "node-controller"}});
        right(&times(&[("e.json", &event.to_string()), ("kcm.log", &log("", ""))]), given_up);
    }
    // 31 December 1972 is 54 years, of 13 leap days, before: 54 * 365 + 13 = 19,723 days.
    right(&times(&[("kcm.log", &log("", ""))]), given_up - 19_723 * 86_400_000_000);
}

#[test]
fn a_log_of_another_component_is_told() {
    let log = "I1121 02:29:45.458000   11997 kubelet.go:186] \"SyncLoop\" verb=\"x\"\n";
    let all = heard(&[("kubelet.log", log), ("x.bin", "\u{1}\u{2}: [")]);
    assert!(all.statements.is_empty());
    assert!(all.notes[1].contains("none of which tells something"), "{:?}", all.notes);
    assert!(all.notes[0].starts_with("x.bin: left out"), "{:?}", all.notes);
}

/// Events tell of an eviction at 02:30:06, a log of the same at 02:35:06: five minutes. A second log
/// that is half a second late is of the same clock.
#[test]
fn two_clocks_apart_are_told() {
    let event = r#"{"kind": "List", "apiVersion": "v1", "items": [{"kind": "Event", "apiVersion": "v1",
        "metadata": {"name": "stp-4.x", "namespace": "default"}, "reason": "TaintManagerEviction",
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "stp-4"},
        "message": "Marking for deletion Pod default/stp-4",
        "firstTimestamp": "2026-11-21T02:30:06Z", "source": {"component": "taint-eviction-controller"}}]}"#;
    let log = |clock: &str| {
        format!(
            "I1121 {clock}       1 taint_eviction.go:112] \"Deleting pod\" controller=\"taint-eviction-controller\" pod=\"default/stp-4\"\n"
        )
    };
    let told = |clock: &str| {
        let all = heard(&[("e.json", event), ("kcm.log", &log(clock))]);
        all.notes.into_iter().find(|n| n.contains("another clock"))
    };
    let note = told("02:35:07.500000").unwrap();
    assert!(note.starts_with("kcm.log tells of 1 thing 300 s later than e.json does"), "{note}");
    assert_eq!(told("02:30:07.400000"), None);
}

/// Two nodes and a pod on 20 November 2026, beside events of a year before, of a year after, of no time
/// at all and of the last there is: the one eviction is where the outage is, though others are more.
/// Alone, one without a time is of no outage; one of another year is one.
#[test]
fn one_wrong_time_moves_no_outage() {
    let event = |at: &str, kind: &str, reason: &str, name: &str| {
        format!(
            r#"{{"kind": "Event", "apiVersion": "v1", "metadata": {{"name": "x"}}, "reason": "{reason}",
            "involvedObject": {{"kind": "{kind}", "name": "{name}"}}, "firstTimestamp": "{at}",
            "message": "Marking for deletion Pod default/{name}",
            "source": {{"component": "{}"}}}}"#,
            if kind == "Node" { "node-controller" } else { "taint-eviction-controller" }
        )
    };
    let given_up = |at: &str, name: &str| event(at, "Node", "NodeNotReady", name);
    let list = |all: &[String]| {
        format!(r#"{{"kind": "List", "apiVersion": "v1", "items": [{}]}}"#, all.join(","))
    };
    let far = |at: &str| given_up(at, "z");
    let all = list(&[
        far("1970-01-01T00:00:00Z"),
        given_up("2026-11-20T04:42:51Z", "a"),
        far("2025-11-20T04:42:51Z"),
        far("2025-11-20T04:42:52Z"),
        given_up("2026-11-20T04:42:51Z", "b"),
        far("2025-11-20T04:42:53Z"),
        far("2025-11-20T04:42:54Z"),
        event("2026-11-20T04:48:01Z", "Pod", "TaintManagerEviction", "p"),
        far("2027-11-20T04:42:51Z"),
        far("9999-12-31T23:59:59Z"),
    ]);
    let heard_of = heard(&[("e.json", &all)]);
    let mut said: Vec<&str> =
        heard_of.statements.iter().map(|s| s.said.node().unwrap_or("p")).collect();
    said.sort_unstable();
    assert_eq!(said, ["a", "b", "p"], "{:?}", heard_of.notes);
    let noted = |part: &str| {
        let found = heard_of.notes.iter().any(|n| n.contains(part));
        assert!(found, "{part}: {:?}", heard_of.notes);
    };
    noted("2 statements are of a time that no outage has, 1970-01-01T00:00:00");
    noted("5 statements are of quite another time than the others, 2025-11-20T04:42:51");
    noted("in e.json, item 3");
    for (at, left) in [("1970-01-01T00:00:00Z", 0), ("2025-11-20T04:42:51Z", 1)] {
        let alone = heard(&[("e.json", &list(&[far(at)]))]);
        assert_eq!(alone.statements.len(), left);
        assert!(!alone.notes.iter().any(|n| n.contains("the others")));
    }
}

/// A sample of a time that no clock says is none, so that the first one of the run is Ready.
#[test]
fn samples_of_impossible_times_are_left_out() {
    let text = r#"{"status": "success", "data": {"resultType": "matrix", "result": [{"metric":
        {"__name__": "kube_node_status_condition", "node": "a", "condition": "Ready", "status": "true"},
        "values": [[-22337203683600, "1"], [1795149630, "1"], [1795149660, "0"], [1e300, "1"]]}]}}"#;
    let all = heard(&[("p.json", text)]).statements;
    let found: Vec<(Stamp, i64)> = all.iter().map(|s| (s.at, s.within_us)).collect();
    assert_eq!(found, [(Stamp(1_795_149_660_000_000), 30_000_000)]);
}

/// A sample every 30 s: true at 0 and 30, false at 60.
#[test]
fn samples_tell_between_when_and_when() {
    let text = r#"{"status": "success", "data": {"resultType": "matrix", "result": [{"metric":
        {"__name__": "kube_node_status_condition", "node": "a", "condition": "Ready", "status": "true"},
        "values": [[1795149600, "1"], [1795149630, "1"], [1795149660, "0"]]}]}}"#;
    let of =
        heard(&[("p.json", &text.replace(r#""status": "success","#, r#""isPartial": true,"#))]);
    let partial = "p.json: some of it may be lacking: isPartial: true".to_owned();
    assert!(of.notes.contains(&partial), "{:?}", of.notes);
    let all = heard(&[("p.json", text)]).statements;
    let said = Said::NodeNotReady { node: "a".to_owned() };
    assert_eq!(all.len(), 1);
    assert_eq!(
        (all[0].at, all[0].within_us, &all[0].said),
        (Stamp(1_795_149_660_000_000), 30_000_000, &said)
    );
}
