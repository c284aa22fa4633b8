//! Settings reach pods that exist, or leave them.

use crate::api::taint::{NOT_READY, UNREACHABLE};
use crate::plan::Plan;
use crate::scenario::{Overrides, build, parse};
use std::path::Path;

/// A plan of the export of a healthy cluster: six pods of shop/web with 30 s of their own,
/// twelve that have 300 s by admission (four of api, three each of db and train, debug and
/// too-big), one with an unreachable toleration of its own for ever, a DaemonSet of twelve.
fn plan(rest: &str, sets: &[&str]) -> Plan {
    let text = format!(
        r#"(version: 1, horizon: "30m", cluster: From("tests/exports/healthy-all.json.gz"), {rest})"#
    );
    let loaded = parse("f.ron", text.into_bytes(), Path::new("")).unwrap_or_else(|p| panic!("{p}"));
    let overrides =
        Overrides { sets: sets.iter().map(|s| (*s).to_owned()).collect(), ..Overrides::default() };
    about_changes(build(&loaded, &overrides).unwrap_or_else(|p| panic!("{p}")))
}

/// The plan with the notes alone that tell of pods that a setting changed.
fn about_changes(mut plan: Plan) -> Plan {
    plan.notes.retain(|n| !n.starts_with("Assumed:") && !n.starts_with("The export:"));
    plan
}

/// How many pods whose names begin like this tolerate a taint for this many seconds; `None` is for
/// ever.
fn tolerating(plan: &Plan, pods: &str, key: &str, seconds: Option<i64>) -> usize {
    let of = plan.pods.iter().filter(|p| p.name.starts_with(pods));
    let own = |template: u32| {
        plan.templates[template as usize]
            .tolerations
            .iter()
            .any(|t| t.key == key && t.toleration_seconds == seconds)
    };
    of.filter(|p| own(p.template)).count()
}

#[test]
fn a_template_reaches_the_pods_of_its_workload_as_a_rollout_would() {
    let path = "workloads.web.template.tolerations[unreachable].tolerationSeconds";
    let rolled = plan("", &[&format!("{path}=60")]);
    assert_eq!(rolled.notes, ["6 existing pods of Deployment shop/web changed as by a rollout"]);
    assert_eq!(tolerating(&rolled, "shop/web-", UNREACHABLE, Some(60)), 6);
    assert_eq!(
        tolerating(&rolled, "shop/web-", NOT_READY, Some(30)),
        6,
        "the other toleration stays"
    );
    // The ReplicaSet makes the next pods.
    let set = rolled.workloads.iter().find(|w| w.name.starts_with("ReplicaSet/shop/web-")).unwrap();
    assert!(
        rolled.templates[set.template as usize]
            .tolerations
            .iter()
            .any(|t| t.key == UNREACHABLE && t.toleration_seconds == Some(60))
    );
    // What the pods have already changes nothing, and is not said.
    assert!(plan("", &[&format!("{path}=30")]).notes.is_empty());
    let kept = plan("existing: Keep", &[&format!("{path}=60")]);
    assert_eq!(
        kept.notes,
        [
            "6 existing pods of Deployment shop/web stay as they are, without what its template says now (existing: Keep)"
        ]
    );
    assert_eq!(tolerating(&kept, "shop/web-", UNREACHABLE, Some(30)), 6);
    assert_eq!(plan("", &[&format!("{path}=60"), "existing=keep"]).notes, kept.notes);
    assert_eq!(
        plan("existing: keep", &[&format!("{path}=60"), "existing=rollout"]).notes,
        rolled.notes
    );
}

#[test]
fn a_toleration_that_admission_had_added_gives_way_to_the_templates() {
    let rolled =
        plan("", &["workloads.shop/db.template.tolerations[unreachable].tolerationSeconds=none"]);
    assert_eq!(rolled.notes, ["3 existing pods of StatefulSet shop/db changed as by a rollout"]);
    assert_eq!(tolerating(&rolled, "shop/db-", UNREACHABLE, None), 3);
    assert_eq!(
        (
            tolerating(&rolled, "shop/db-", UNREACHABLE, Some(300)),
            tolerating(&rolled, "shop/db-", NOT_READY, Some(300))
        ),
        (0, 3)
    );
    let other = plan(
        "",
        &[
            "workloads.api.template.terminationGracePeriodSeconds=5",
            "workloads.api.template.requests.cpu=2",
        ],
    );
    assert_eq!(other.notes, ["4 existing pods of Deployment shop/api changed as by a rollout"]);
    let agents =
        plan("", &["workloads.node-agent.template.tolerations[unreachable].tolerationSeconds=60"]);
    assert!(
        agents.notes.len() == 1 && agents.notes[0].contains("of DaemonSet kube-system/node-agent"),
        "{:?}",
        agents.notes
    );
    assert_eq!(
        tolerating(&agents, "kube-system/node-agent", UNREACHABLE, Some(60)),
        0,
        "its controller lets them stay for ever"
    );
}

#[test]
fn another_default_reaches_what_the_admission_plugin_had_added() {
    let set = "flags.kube-apiserver.default-unreachable-toleration-seconds";
    let note = "12 existing pods changed as by a rollout: those with the 300 s for unreachable that DefaultTolerationSeconds had added";
    let rolled = plan("", &[&format!("{set}=60")]);
    assert_eq!(rolled.notes, [note]);
    // 4 + 3 + 3 + 2; the four of the finished Job stay as they ended.
    assert_eq!(tolerating(&rolled, "", UNREACHABLE, Some(60)), 12);
    assert_eq!(tolerating(&rolled, "batch/", UNREACHABLE, Some(300)), 4);
    assert_eq!(
        tolerating(&rolled, "shop/web-", UNREACHABLE, Some(30)),
        6,
        "their template says so itself"
    );
    assert_eq!(tolerating(&rolled, "default/cache", UNREACHABLE, None), 1);
    assert_eq!(tolerating(&rolled, "", NOT_READY, Some(60)), 0);
    // In the file it means the same.
    let flags = r#"flags: (kube-apiserver: {"default-unreachable-toleration-seconds": 60})"#;
    assert_eq!(plan(flags, &[]).notes, [note]);
    assert!(plan("", &[&format!("{set}=300")]).notes.is_empty());
    // cache lacks one of its own for not-ready, so that it is the thirteenth.
    let set = "flags.kube-apiserver.default-not-ready-toleration-seconds=7";
    assert_eq!(tolerating(&plan("", &[set]), "", NOT_READY, Some(7)), 13);
    let kept = plan("existing: Keep", &[set]);
    assert_eq!(
        kept.notes,
        [
            "13 existing pods keep the 300 s for not-ready that DefaultTolerationSeconds had added (existing: Keep)"
        ]
    );
    assert_eq!(tolerating(&kept, "", NOT_READY, Some(7)), 0);
}

#[test]
fn what_a_scenario_writes_without_an_owner_is_a_users() {
    let pods = |owner: &str| {
        let text = format!(
            r#"(version: 1, horizon: "1m", nodes: [(name: "n")], workloads: [ReplicaSet(name: "web")], pods: [(name: "p", on: Node("n"), {owner}
            tolerations: [(key: "{UNREACHABLE}", operator: Exists, effect: NoExecute, tolerationSeconds: 300)])])"#
        );
        let loaded = parse("f.ron", text.into_bytes(), Path::new("")).unwrap();
        let sets =
            vec!["flags.kube-apiserver.default-unreachable-toleration-seconds=60".to_owned()];
        let overrides = Overrides { sets, ..Overrides::default() };
        about_changes(build(&loaded, &overrides).unwrap())
    };
    assert!(pods("").notes.is_empty());
    assert_eq!(pods("owner: (kind: \"ReplicaSet\", name: \"web\"),").notes.len(), 1);
}
