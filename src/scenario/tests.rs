//! The scenarios under `tests/scenarios`: each valid one against what it comes down to, each
//! invalid one against what is reported about it. Both were written by hand and compared.

use super::{Overrides, load, parse, seed};
use crate::api::node::reaches;
use crate::api::toleration::Toleration;
use crate::api::volume::Reach;
use crate::kernel::Dur;
use crate::plan::{Do, KubeletMode, NodeFault, NodeIndex, NodeStart, Plan, UserMode};
use crate::scenario::build;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn file(name: &str) -> PathBuf {
    Path::new("tests/scenarios").join(name)
}

fn plan(name: &str) -> Plan {
    let loaded = load(&file(name)).unwrap_or_else(|p| panic!("{p}"));
    build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"))
}

fn files(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(file(folder)).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".ron"))
        .collect();
    names.sort();
    names.into_iter().map(|n| format!("{folder}/{n}")).collect()
}

/// A fault of nodes in a few words, or its end.
fn of_fault(names: &str, fault: NodeFault, holds: bool) -> String {
    let either = |begins: &str, ends: &str| format!("{}{names}", if holds { begins } else { ends });
    match fault {
        NodeFault::Cut(_) => either("Cut", "Heal"),
        NodeFault::Isolated => either("Isolate", "Reconnect"),
        NodeFault::Off => either("Crash", "Boot"),
        NodeFault::Shutdown(_) => either("ShutDown", "Boot"),
        NodeFault::NoKubelet => either("StopKubelet", "StartKubelet"),
        NodeFault::SlowHeartbeats(d) if holds => {
            format!("HeartbeatPeriod{names} {}s", d.as_nanos() as f64 / 1e9)
        }
        NodeFault::SlowHeartbeats(_) => format!("HeartbeatPeriod{names} -"),
        NodeFault::Condition(kind, status) => {
            let status = if holds { status } else { kind.healthy() };
            format!("Condition{names} {}={status}", kind.as_str())
        }
        NodeFault::Runtime(how) => format!("Runtime{names} {:?}", holds.then_some(how)),
        NodeFault::ClockSkew(ns) => format!("ClockSkew{names} {}ns", if holds { ns } else { 0 }),
    }
}

/// A plan in a few words a line.
fn words(plan: &Plan) -> String {
    let mut out = String::new();
    let name = |n: &NodeIndex| plan.nodes[*n as usize].name.as_str();
    let names =
        |nodes: &[NodeIndex]| nodes.iter().map(|n| format!(" {}", name(n))).collect::<String>();
    let tolerations = |all: &[Toleration]| {
        let one = |t: &Toleration| {
            let parts = [t.key.as_str(), t.operator.as_str(), t.effect.map_or("", |e| e.as_str())];
            parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" ")
        };
        format!("[{}]", all.iter().map(one).collect::<Vec<_>>().join(", "))
    };
    for node in &plan.nodes {
        let label = |key: &str| node.labels.get(key).cloned().unwrap_or_default();
        let (region, zone) =
            (label("topology.kubernetes.io/region"), label("topology.kubernetes.io/zone"));
        write!(out, "node {} zone {region}/{zone}", node.name).unwrap();
        for (i, taint) in node.taints.iter().enumerate() {
            write!(out, "{}{taint}", if i == 0 { " taints " } else { " " }).unwrap();
        }
        writeln!(out, "{}", if node.start == NodeStart::Absent { " joins later" } else { "" })
            .unwrap();
    }
    for pod in &plan.pods {
        let template = &plan.templates[pod.template as usize];
        write!(out, "pod {} on {} {:?}", pod.name, pod.node.as_ref().map_or("-", name), pod.start)
            .unwrap();
        if let Some(owner) = &template.owner {
            write!(out, " of {}/{}", owner.kind, owner.name).unwrap();
        }
        if !template.tolerations.is_empty() {
            write!(out, " tolerates {}", tolerations(&template.tolerations)).unwrap();
        }
        out.push('\n');
    }
    for w in &plan.workloads {
        let template = &plan.templates[w.template as usize];
        let selector = w.selector.as_selector().unwrap();
        write!(
            out,
            "workload {} selects {selector} {:?} labels {:?}",
            w.name, w.spec, template.labels
        )
        .unwrap();
        if let Some(owner) = w.owner {
            write!(out, " of {}", plan.workloads[owner as usize].name).unwrap();
        }
        if let Some(priority) = template.priority {
            write!(out, " priority {priority}").unwrap();
        }
        if w.min_ready_seconds > 0 {
            write!(out, " minReadySeconds {}", w.min_ready_seconds).unwrap();
        }
        out.push('\n');
    }
    let workload = |w: &u32| &plan.workloads[*w as usize].name;
    let pod = |p: &u32| &plan.pods[*p as usize].name;
    let seconds = |d: &Dur| format!("{}s", d.as_nanos() as f64 / 1e9);
    for action in &plan.actions {
        let entry = &plan.timeline[action.entry as usize];
        write!(out, "{}s {:?} {:?} ", action.at.as_nanos() as f64 / 1e9, entry.name, action.phase)
            .unwrap();
        let act = match &action.act {
            Do::Fail(n, fault) => of_fault(&names(n), *fault, true),
            Do::Recover(n, fault) => of_fault(&names(n), *fault, false),
            Do::ApiDown => "ApiDown".to_owned(),
            Do::ApiUp(_) => "ApiUp".to_owned(),
            Do::Registry(fails) => format!("Registry({fails:?})"),
            Do::RefuseVolumes(drivers) => format!("RefuseVolumes {drivers:?}"),
            Do::WatchLag(r, d) => format!("WatchLag {r:?} {}", seconds(d)),
            Do::StallWatches(r, d) => format!("StallWatches {r:?} {}", seconds(d)),
            Do::ExpireWatches(r) => format!("ExpireWatches {r:?}"),
            Do::LoseWatches(r) => format!("LoseWatches {r:?}"),
            Do::RejectRequests(clients, d) => format!("RejectRequests {clients:?} {}", seconds(d)),
            Do::ServersDie(gone, all) => format!("ServersDie {gone} of {all}"),
            Do::ReplaceLeader(who) => format!("ReplaceLeader {who:?}"),
            Do::RestartControllers(d) => format!("RestartControllers {}", seconds(d)),
            Do::Over => "Over".to_owned(),
            Do::AddNode(n) => format!("AddNode {}", name(n)),
            Do::DeleteNode(n) => format!("DeleteNode{}", names(n)),
            Do::Taint(n, edit) => {
                let add: Vec<String> = edit.add.iter().map(ToString::to_string).collect();
                let remove: Vec<String> = edit
                    .remove
                    .iter()
                    .map(|(k, e)| e.map_or_else(|| k.clone(), |e| format!("{k}:{e}")))
                    .collect();
                format!("Taint{} +[{}] -[{}]", names(n), add.join(" "), remove.join(" "))
            }
            Do::Cordon(n, on) => format!("Cordon{} {on}", names(n)),
            Do::Label(n, labels) => {
                let labels = labels.iter().map(|(k, v)| {
                    v.as_ref().map_or_else(|| format!(" {k}-"), |v| format!(" {k}={v}"))
                });
                format!("Label{}{}", names(n), labels.collect::<String>())
            }
            Do::Instance(n, instance) => format!("Instance{} {instance:?}", names(n)),
            Do::Drain(n, options) => format!("Drain{} {options:?}", names(n)),
            Do::CreatePod(p) => format!("CreatePod {}", pod(p)),
            Do::DeletePod(p, grace) => {
                format!("DeletePod {} {}", pod(p), grace.map_or("-".to_owned(), |g| g.to_string()))
            }
            Do::BindPod(p, n) => format!("BindPod {} {}", pod(p), name(n)),
            Do::PatchTolerations(p, t) => format!("PatchTolerations {} {}", pod(p), tolerations(t)),
            Do::Scale(w, n) => format!("Scale {} {n}", workload(w)),
            Do::CreateWorkload(w) => format!("CreateWorkload {}", workload(w)),
            Do::CreateBudget(b) => format!("CreateBudget {}", plan.budgets[*b as usize].name),
            Do::PatchBudget(b, rule) => format!(
                "PatchBudget {} {} {}",
                plan.budgets[*b as usize].name,
                rule.field(),
                rule.amount()
            ),
            Do::CreateDeviceTaintRule(rule) => format!("CreateDeviceTaintRule {}", rule.name),
            Do::CreateReadinessRule(rule) => format!("CreateReadinessRule {}", rule.name),
            Do::DeleteReadinessRule(name) => format!("DeleteReadinessRule {name}"),
            Do::SetCondition(n, kind, status) => {
                format!("SetCondition {} {kind} {status:?}", names(n))
            }
            Do::UpdateDeviceTaintRule(rule) => format!("UpdateDeviceTaintRule {}", rule.name),
            Do::DeleteDeviceTaintRule(name) => format!("DeleteDeviceTaintRule {name}"),
            Do::TaintDevices(n, edit) => format!("TaintDevices {} {}", names(n), edit.taint),
            Do::DeleteBudget(b) => format!("DeleteBudget {}", plan.budgets[*b as usize].name),
            Do::Maintain(n, how) => format!("Maintain{} {how:?}", names(n)),
            Do::DeleteWorkload(w, how) => {
                format!("DeleteWorkload {} {}", workload(w), how.as_str())
            }
        };
        writeln!(out, "{act}").unwrap();
    }
    out
}

#[test]
fn valid_scenarios_come_down_to_what_is_written_beside_them() {
    for name in files("valid") {
        let words = words(&plan(&name));
        if let Ok(expected) = std::fs::read_to_string(file(&name.replace(".ron", ".txt"))) {
            assert_eq!(words, expected, "{name} comes down to\n{words}");
        }
    }
}

#[test]
fn invalid_scenarios_are_told_what_is_written_beside_them() {
    for name in files("invalid") {
        let result = load(&file(&name)).and_then(|loaded| build(&loaded, &Overrides::default()));
        let said = result
            .map(|_| ())
            .expect_err(&name)
            .to_string()
            .replace(&file(&name).display().to_string(), "FILE")
            + "\n";
        let expected =
            std::fs::read_to_string(file(&name.replace(".ron", ".txt"))).unwrap_or_default();
        assert_eq!(said, expected, "about {name} is said\n{said}");
    }
}

#[test]
fn flags_and_figures_arrive() {
    let plan = plan("valid/custom.ron");
    assert_eq!((plan.name.as_str(), plan.doc.as_str()), ("custom", "Flags, gates and figures."));
    assert!(plan.profile.release.starts_with("v1.26."), "{}", plan.profile.release);
    assert_eq!(
        (plan.horizon.as_secs(), plan.controllers_start.as_secs(), plan.warm_start),
        (90, 2, false)
    );
    let flags = &plan.flags;
    assert_eq!(
        (flags.node_monitor_period, flags.node_monitor_grace_period),
        (Dur::from_secs(2), Dur::from_secs(40)),
        "1.26 has 40 s"
    );
    assert_eq!((flags.node_eviction_rate, flags.unhealthy_zone_threshold), (1.0, 0.75));
    assert_eq!(
        (flags.pod_eviction_timeout, flags.enable_taint_manager),
        (Dur::from_secs(60), false)
    );
    assert_eq!(
        (flags.default_not_ready_toleration_seconds, flags.default_unreachable_toleration_seconds),
        (30, 300)
    );
    assert_eq!(
        (plan.admission.default_toleration_seconds, plan.admission.taint_nodes_by_condition),
        (true, false)
    );
    let timing = &plan.timing;
    assert_eq!((timing.name.as_str(), timing.user), ("Custom", UserMode::Raw));
    assert_eq!(
        (timing.request.min, timing.request.max),
        (Dur::from_millis(3), Dur::from_millis(3))
    );
    assert_eq!((timing.watch.min, timing.watch.max), (Dur::from_millis(1), Dur::from_millis(2)));
    // The flag holds for both clients; the figure that is stated for one of them wins.
    let limits = [timing.node_lifecycle_client, timing.taint_eviction_client]
        .map(|l| l.map(|l| (l.qps, l.burst)));
    assert_eq!(limits, [Some((50.0, 30)), Some((5.0, 6))]);
    let KubeletMode::Real(real) = timing.kubelet else { panic!("{:?}", timing.kubelet) };
    // The report frequency inherits an explicit update frequency.
    let frequencies = [
        real.node_status_update_frequency,
        real.node_status_report_frequency,
        real.node_lease_duration,
        real.pod_start,
    ];
    assert_eq!(frequencies, [5, 5, 20, 7].map(Dur::from_secs));
    assert_eq!(plan.nodes[0].lease_period, Dur::from_secs(5), "a quarter of the lease's duration");
}

#[test]
fn a_command_line_changes_a_scenario() {
    let loaded = load(&file("valid/timeline.ron")).unwrap();
    let overrides = Overrides {
        kubernetes: Some("1.20.2".to_owned()),
        timing: Some("Ideal".to_owned()),
        sets: vec![
            "timeline.cut b.at=11m".to_owned(),
            "nodes.b.zone=z".to_owned(),
            "timeline.cut b-1.at=1m".to_owned(),
        ],
        ..Overrides::default()
    };
    // Zone b is no more, and `cut b` refers to it: the mistake is the file's, where `Zone("b")`
    // stands.
    let said = build(&loaded, &overrides).unwrap_err().to_string();
    assert!(said.contains(":11:57: there is no zone `b`\n  help: one of `a`, `c`, `z`"), "{said}");
    let overrides = Overrides { sets: vec!["timeline.cut b.at=11m".to_owned()], ..overrides };
    let plan = build(&loaded, &overrides).unwrap();
    assert_eq!((plan.profile.release.as_str(), plan.timing.name.as_str()), ("v1.20.2", "Ideal"));
    // 11 min, and 5 min after that.
    assert_eq!([plan.timeline[0].at.as_secs(), plan.timeline[1].at.as_secs()], [660, 960]);
    assert_eq!(seed(&loaded, &overrides), Ok(1));
    let nine = Overrides { seed: Some(9), ..overrides };
    assert_eq!(seed(&loaded, &nine), Ok(9));
    // Of `--seed` and `--set seed=…` the second counts, as of `--kubernetes` and `--set kubernetes=…`.
    assert_eq!(seed(&loaded, &Overrides { sets: vec!["seed=3".to_owned()], ..nine }), Ok(3));
}

/// An expectation's time, and one of an entry that is added, are relative to an entry of the file that a setting takes away; a name
/// that no entry has is another mistake.
#[test]
fn an_entry_that_a_setting_takes_away_is_named() {
    let text = |time: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "n-{{0..1}}")],
            timeline: [(name: "cut", at: "1m", do: Reboot(node: "n-0")), (name: "cut b-1", at: "2m", do: Reboot(node: "n-1"))],
            expect: [Condition(node: "n-0", type: Ready, status: Unknown, after: "{time}")])"#
        )
    };
    let said = |time: &str, sets: &[&str]| {
        let loaded = parse("s.ron", text(time).into_bytes(), Path::new("")).unwrap();
        let sets = sets.iter().map(|s| (*s).to_owned()).collect();
        let built = build(&loaded, &Overrides { sets, ..Overrides::default() });
        built.err().map(|problems| problems.to_string()).unwrap_or_default()
    };
    for (time, name) in [("cut + 5m", "cut"), ("cut b-1", "cut b-1"), ("end of cut + 1m", "cut")] {
        let told = said(time, &["timeline=[]"]);
        let all =
            format!("the entry `{name}` is not there: the setting `timeline=[]` took it away");
        assert!(told.starts_with("s.ron:3:") && told.contains(&all), "{told}");
    }
    let added = r#"timeline[+]=(at: "cut + 1s", do: Reboot(node: "n-0"))"#;
    let told = said("1m", &["timeline=[]", added]);
    assert!(
        told.starts_with("--set:1:") && told.contains("the entry `cut` is not there"),
        "{told}"
    );
    assert!(said("cit + 5m", &["timeline=[]"]).contains("there is no entry named `cit`"));
    assert_eq!(said("cut + 5m", &[]), "");
}

/// Two regions have a zone 1 (`GetZoneKey`: region and zone), and one of them has a zone 2.
#[test]
fn a_zone_of_several_regions_is_named_with_its_region() {
    let lost = |zone: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "1m",
            nodes: [(name: "e", zone: "1", region: "eu"), (name: "u", zone: "1", region: "us"), (name: "v", zone: "2", region: "us")],
            timeline: [(at: "1s", do: Crash(nodes: Zone("{zone}")))])"#
        );
        let loaded = parse("s.ron", text.into_bytes(), Path::new("")).unwrap();
        let nodes = |plan: Plan| match &plan.actions[0].act {
            Do::Fail(nodes, NodeFault::Off) => nodes.to_vec(),
            other => panic!("{other:?}"),
        };
        build(&loaded, &Overrides::default()).map(nodes)
    };
    assert_eq!(["eu/1", "us/1", "2", "us/2"].map(|z| lost(z).unwrap()), [[0], [1], [2], [2]]);
    let said = lost("1").unwrap_err().to_string();
    assert!(said.contains("`1` names 2 zones: `eu/1`, `us/1`"), "{said}");
    let said = lost("eu/2").unwrap_err().to_string();
    assert!(said.contains("there is no zone `eu/2`"), "{said}");
}

/// Volumes, and the outages of their drivers, name zones as selectors do. A volume whose zone no region tells apart is
/// reached from all that are called so, as its node affinity says no more.
#[test]
fn zones_of_volumes_are_named_as_those_of_nodes() {
    let built = |zone: &str, refused: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "1m",
            nodes: [(name: "e", zone: "1", region: "eu"), (name: "u", zone: "1", region: "us"), (name: "v", zone: "2", region: "us"), (name: "w", zone: "", region: "west")],
            pods: [(name: "p", on: Unbound, volumes: [(claim: "d", zone: "{zone}"), (claim: "m", provision: "8s", allowedTopologies: ["{zone}"])])],
            timeline: [(at: "1s", do: ProvisioningOutage(zone: "{refused}"))])"#
        );
        let loaded = parse("s.ron", text.into_bytes(), Path::new("")).unwrap();
        build(&loaded, &Overrides::default()).map_err(|problems| problems.to_string())
    };
    let reached = |zone: &str| {
        let plan = built(zone, "2").unwrap();
        let claims = &plan.templates[plan.pods[0].template as usize].claims;
        let Reach::Zone(Some(named)) = &claims[0].reach else { panic!("{:?}", claims[0].reach) };
        assert_eq!(claims[1].allowed_topologies, std::slice::from_ref(named));
        let nodes = plan.nodes.iter().filter(|n| reaches(&n.labels, &claims[0].reach));
        (named.clone(), nodes.map(|n| n.name.as_str()).collect::<String>())
    };
    let said = ["eu/1", "us/1", "2", "us/2", "1", "west"].map(reached);
    let wanted =
        [("eu/1", "e"), ("us/1", "u"), ("us/2", "v"), ("us/2", "v"), ("1", "eu"), ("west", "w")];
    assert_eq!(said, wanted.map(|(zone, nodes)| (zone.to_owned(), nodes.to_owned())));
    let said = built("eu/2", "2").unwrap_err();
    assert!(said.contains("there is no zone `eu/2`"), "{said}");
    let refused = |zone: &str| match &built("2", zone)?.actions[0].act {
        Do::RefuseVolumes(all) => Ok(all[0].zone.clone().unwrap_or_default()),
        other => panic!("{other:?}"),
    };
    assert_eq!(["2", "eu/1"].map(refused), [Ok("us/2".to_owned()), Ok("eu/1".to_owned())]);
    let said: String = refused("1").unwrap_err();
    assert!(said.contains("`1` names 2 zones: `eu/1`, `us/1`"), "{said}");
}

#[test]
fn ideal_offsets_depend_on_the_name_alone() {
    let loaded = load(&file("valid/timeline.ron")).unwrap();
    let ideal = |sets: &[&str]| {
        let sets = sets.iter().map(|s| (*s).to_owned()).collect();
        build(
            &loaded,
            &Overrides { timing: Some("ideal".to_owned()), sets, ..Overrides::default() },
        )
        .unwrap()
    };
    let (few, many) = (ideal(&[]), ideal(&["nodes.a.names=a-{0..9}"]));
    let offsets = |plan: &Plan, name: &str| {
        let node = plan.nodes.iter().find(|n| n.name == name).unwrap();
        (node.lease_offset, node.status_offset)
    };
    assert_eq!(offsets(&few, "b-1"), offsets(&many, "b-1"), "other nodes do not matter");
    for node in &many.nodes {
        assert!(
            node.lease_offset < node.lease_period && node.lease_offset.as_nanos() % 1_000_000 == 0,
            "{node:?}"
        );
    }
}

#[test]
fn the_documentation_s_scenarios_build() {
    let text = std::fs::read_to_string("docs/scenario-language.md").unwrap();
    let blocks: Vec<&str> =
        text.split("```ron\n").skip(1).filter_map(|b| b.split("```").next()).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        let loaded = super::parse("docs", block.as_bytes().to_vec(), Path::new(""))
            .unwrap_or_else(|p| panic!("{p}"));
        build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    }
}
