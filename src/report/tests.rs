//! Reports of traces made by hand, compared with what they must say.

use super::charts::{self, Chart, MOST_NODE_LANES};
use super::{
    Report, Source, Style, TableForms, Written, events, json, manifest, tables, text, write_folder,
};
use crate::analysis::curves::curves;
use crate::analysis::lanes::lanes;
use crate::analysis::tests::synthetic_runs::{one_node_lost, outage};
use crate::analysis::{Analysis, DEFAULT_NEEDLESS_WINDOW};
use crate::files::Fingerprint;
use crate::plan::Plan;
use crate::trace::Trace;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// Of a scenario with the text `foobar`, which points at nothing.
fn fingerprint() -> Fingerprint {
    Fingerprint { bytes: 6, hash: 0x8594_4171_f739_67e8, inputs: Vec::new() }
}

fn source() -> Source {
    Source {
        file: "scenarios/cut.ron".to_owned(),
        text: Arc::new("foobar".to_owned()),
        fingerprint: fingerprint(),
        set: Vec::new(),
        seed: 7,
    }
}

pub(super) fn with_report<T>(
    (plan, trace): &(Plan, Trace),
    use_it: impl FnOnce(&Report<'_>) -> T,
) -> T {
    let analysis = Analysis::new(plan, trace);
    let source = source();
    use_it(&Report::new(&analysis, &source, DEFAULT_NEEDLESS_WINDOW))
}

fn text_of(report: &Report<'_>, style: Style) -> String {
    let written = Written {
        folder: PathBuf::from("output/cut"),
        files: vec![("events.jsonl".to_owned(), 1), ("pods.svg".to_owned(), 2)],
    };
    let mut out = Vec::new();
    text::write(&mut out, report, Some(&written), style).expect("memory takes it");
    String::from_utf8(out).expect("is UTF-8")
}

#[test]
fn the_text_tells_the_run() {
    let said = with_report(&one_node_lost(), |r| text_of(r, Style { colour: false, width: 110 }));
    // Latencies: 105 - 61.7, 105.1 - 61.7, 405.1 - 61.7. Missing: p2 from 405.1 s to 600 s, 194.9 s
    // are 3.25 minutes; a ghost until 500 s, 94.9 s are 1.58 minutes.
    let expected = "\
cut-one-of-three
  Made for a test.
  Kubernetes 1.34.4, timing Ideal, seed 7, 3 nodes, 3 pods, 10m

 1:01.700                              cut n2 begins
 1:01.700  +0s after cut n2            n2 silent
 1:45.000  +43.3s after cut n2         n2 Unknown
 1:45.000  +43.3s after cut n2         n2 tainted unreachable:NoSchedule
 1:45.100  +43.4s after cut n2         n2 tainted unreachable:NoExecute
 1:45.100  +43.4s after cut n2         eviction timer of 300 s set for default/p2 of n2
 6:45.100  +5m43.4s after cut n2       default/p2 of n2 evicted after 300 s
 8:20.000                              cut n2 ends
 8:20.000  +0s after cut n2 ended      n2 can be heard again
 8:20.000  +7m18.3s after cut n2       default/p2 of n2 gone
 8:24.801  +4.801s after cut n2 ended  n2 Ready again
 8:24.801  +4.801s after cut n2 ended  n2 untainted unreachable:NoSchedule
 8:25.000  +5s after cut n2 ended      n2 untainted unreachable:NoExecute

Summary
  evicted           1 pod, 1 needlessly (the node was back within 5m)
  kept              1 pod that had a timer or a node tainted NoExecute
  pending timers    0
  deletions         taint-eviction 1
  missing           3.2 replica-minutes missing
  requests lost     none
  ghosts            1.6 minutes of pods that were deleted or gone, and still up
  nodes Unknown     1, +43.3s after the fault
  nodes NoExecute   1, +43.4s after the fault
  eviction latency  1, +5m43.4s after the fault
  at the end        nodes: 3 Ready; pods: 2 running and ready

Files in output/cut: events.jsonl, pods.svg
One seed is one sample: another draws other delays and orders.
";
    assert_eq!(said, expected, "\n{said}");
}

#[test]
fn colour_only_when_told_and_lines_keep_to_the_width() {
    let run = outage(30, 2, 1);
    with_report(&run, |r| {
        assert!(!text_of(r, Style::default()).contains('\u{1b}'));
        let coloured = text_of(r, Style { colour: true, width: 100 });
        assert!(coloured.contains('\u{1b}'));
        let wide = text_of(r, Style { colour: false, width: 90 });
        for line in wide.lines() {
            assert!(line.chars().count() <= 90, "{} characters: {line}", line.chars().count());
        }
        // However narrow the terminal, no panic and no endless column.
        text_of(r, Style { colour: false, width: 0 });
    });
}

#[test]
fn every_record_is_a_line_of_json() {
    let (plan, trace) = one_node_lost();
    let analysis = Analysis::new(&plan, &trace);
    let mut out = Vec::new();
    events::write(&mut out, &analysis).expect("memory takes it");
    let text = String::from_utf8(out).expect("is UTF-8");
    let lines: Vec<Value> =
        text.lines().map(|l| serde_json::from_str(l).expect("is JSON")).collect();
    assert_eq!(lines.len(), trace.len());
    for (i, line) in lines.iter().enumerate() {
        assert_eq!(line["id"], i);
        assert!(line["cause"].is_null() || line["cause"].as_u64() < Some(i as u64), "{line}");
    }
    let find = |what: &str| {
        text.lines().find(|l| l.contains(&format!("\"what\":\"{what}\""))).unwrap_or_default()
    };
    assert_eq!(
        find("fault-began"),
        r#"{"id":6,"t_ns":61700000000,"actor":"user","what":"fault-began","entry":"cut n2","entry_index":0,"cause":null,"saw":null}"#
    );
    // After six creations: fault, silence, Unknown, NoSchedule, two pods not Ready, NoExecute,
    // timer, and then the deletion.
    assert_eq!(
        find("pod-deleting"),
        r#"{"id":14,"t_ns":405100000000,"actor":"taint-eviction","what":"pod-deleting","pod":"default/p2","grace":30,"cause":13,"saw":null}"#
    );
    assert!(
        find("node-taints")
            .contains(r#""node":"n2","added":["node.kubernetes.io/unreachable:NoSchedule"]"#)
    );
}

#[test]
fn the_table_of_evictions_has_a_row_for_each() {
    let mut out = Vec::new();
    with_report(&one_node_lost(), |report| {
        tables::csv::write(&mut out, &tables::evictions_table(report)).expect("memory takes it");
    });
    let header = "time_s,pod,namespace,node,zone,workload,cause,taint,toleration_seconds,timer_set_s,fault,since_fault_s,gone_s,node_back_s,needless,replacement,replacement_node,replacement_created_s,replacement_ready_s,time_to_ready_s,record,cause_record";
    // The node was back after 99.7 s, within five minutes: needless. Nothing owns the pod.
    let row = "405.1,p2,default,n2,a,,taint-eviction,node.kubernetes.io/unreachable:NoExecute,300,105.1,cut n2,343.4,500,504.801,true,,,,,,14,13";
    assert_eq!(String::from_utf8(out).expect("is UTF-8"), format!("{header}\n{row}\n"));
}

#[test]
fn the_documents_hold_what_programs_ask_for() {
    with_report(&one_node_lost(), |r| {
        let doc = json::document(r, Some("output/cut"), &[("events.jsonl".to_owned(), 1)]);
        assert_eq!(doc["run"]["kubernetes"], "1.34.4");
        assert_eq!(doc["run"]["seed"], 7);
        assert_eq!(doc["summary"]["evicted"], 1);
        assert_eq!(doc["summary"]["eviction_latency"]["median_s"], 343.4);
        assert_eq!(doc["summary"]["deletions"]["taint-eviction"], 1);
        let evicted = doc["timeline"]
            .as_array()
            .and_then(|rows| rows.iter().find(|r| r["what"] == "evicted"))
            .expect("one is");
        assert_eq!(
            (&evicted["first_s"], &evicted["since"]["first_after_s"]),
            (&Value::from(405.1), &Value::from(343.4))
        );
        assert_eq!(doc["files"]["names"][0], "events.jsonl");
        assert_eq!(json::summary_document(r)["summary"], doc["summary"]);

        let m = manifest::whole(manifest::of_run(r, 0x2a), &[("events.jsonl".to_owned(), 12)]);
        // The published hash of "foobar".
        assert_eq!(m["scenario"]["hash"], "fnv1a64:85944171f73967e8");
        assert_eq!(m["flags"]["kube-controller-manager"]["node-eviction-rate"], 0.1);
        assert_eq!(m["flags"]["kube-controller-manager"]["node-monitor-grace-period"], "50s");
        assert!(
            m["flags"]["kube-controller-manager"].get("pod-eviction-timeout").is_none(),
            "1.34 has no such flag"
        );
        assert_eq!(m["files"][0]["bytes"], 12);
    });
}

#[test]
fn charts_are_the_same_twice_and_name_what_they_show() {
    let run = outage(30, 2, 1);
    with_report(&run, |r| {
        let analysis = r.analysis;
        let (nodes, zones, curves) =
            (lanes(analysis, MOST_NODE_LANES), lanes(analysis, 0), curves(analysis));
        for (chart, labels) in [
            (Chart::Timeline(&nodes), &["a-00", "c-09", "NoExecute taint", "cut b", "10:00"][..]),
            (Chart::Timeline(&zones), &["zone a", "zone c", "10 nodes", "evicted"]),
            (
                Chart::Pods(&curves),
                &["running and ready", "evicted so far", "flap 1", "minutes:seconds"],
            ),
        ] {
            let svg = charts::draw(chart, &r.heading(), analysis).svg().expect("can be drawn");
            for label in labels {
                assert!(svg.contains(label), "no {label} in {chart:?}");
            }
            assert_eq!(
                svg,
                charts::draw(chart, &r.heading(), analysis).svg().expect("can be drawn")
            );
            let png = charts::draw(chart, &r.heading(), analysis).png().expect("can be drawn");
            assert!(png.starts_with(b"\x89PNG\r\n"));
            assert!(
                png == charts::draw(chart, &r.heading(), analysis).png().expect("can be drawn")
            );
        }
    });
}

#[test]
fn charts_of_many_nodes_stay_small_and_odd_runs_are_drawn() {
    with_report(&outage(5_000, 1, 10), |r| {
        let lanes = lanes(r.analysis, MOST_NODE_LANES);
        let drawing = charts::draw(Chart::Timeline(&lanes), &r.heading(), r.analysis);
        let svg = drawing.svg().expect("can be drawn");
        assert!(svg.len() < 2_000_000, "{} bytes", svg.len());
    });
    // Nothing at all: no node, no time.
    let empty = crate::analysis::tests::synthetic::Run::new("empty <&>", crate::kernel::Time::ZERO)
        .finish();
    with_report(&empty, |r| {
        for chart in [
            Chart::Timeline(&lanes(r.analysis, 0)),
            Chart::Timeline(&lanes(r.analysis, 9)),
            Chart::Pods(&curves(r.analysis)),
        ] {
            let svg = charts::draw(chart, &r.heading(), r.analysis).svg().expect("can be drawn");
            assert!(svg.contains("empty &lt;&amp;&gt;"));
        }
    });
}

#[test]
fn the_folder_of_a_run_is_complete() {
    let parent = std::env::temp_dir().join(format!("taintsim-{}-folder", std::process::id()));
    let written = with_report(&one_node_lost(), |r| {
        write_folder(r, &parent, (None, TableForms::default()), |_| ())
    })
    .expect("can be written");
    let names: Vec<&str> = written.files.iter().map(|f| f.0.as_str()).collect();
    let expected = "events.jsonl evictions.csv summary.json timeline.svg timeline.png pods.svg pods.png names.json scenario.ron manifest.json";
    assert_eq!(names.join(" "), expected);
    for (name, bytes) in &written.files {
        let length = std::fs::metadata(written.folder.join(name)).map(|m| m.len()).ok();
        assert_eq!(length, Some(*bytes), "{name}");
    }
    let _ = std::fs::remove_dir_all(&parent);
}

/// Writes the folders of rule-made outages of 3, 100 and 5,000 nodes into the temporary folder of
/// the system, with the time each part takes, for those who change how they look.
#[test]
#[ignore = "writes charts to be looked at"]
fn gallery() {
    let parent = std::env::temp_dir().join("taintsim-gallery");
    for (name, run) in [
        ("one", one_node_lost()),
        ("3", outage(3, 10, 1)),
        ("30", outage(30, 10, 1)),
        ("60", outage(60, 10, 1)),
        ("100", outage(100, 20, 1)),
        ("5000", outage(5_000, 30, 10)),
    ] {
        let (mut plan, trace) = run;
        plan.name = format!("{}-{name}", plan.name);
        let analysis = Analysis::new(&plan, &trace);
        let source = source();
        let report = Report::new(&analysis, &source, DEFAULT_NEEDLESS_WINDOW);
        let written = write_folder(&report, &parent, (None, TableForms::default()), |_| ())
            .expect("can be written");
        let mut out = std::io::stderr();
        text::write(&mut out, &report, Some(&written), Style { colour: false, width: 120 })
            .expect("can be written");
    }
}
