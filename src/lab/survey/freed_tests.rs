//! What is advised to who waits for lost nodes, where it helps and where it does not.

use super::losses::{How, Wanted};
use super::said_tests::{lost_by, of_text, only};
use super::still::Why;

/// What is said of the loss that is asked for, by StatefulSets.
fn said(text: &str, loss: &str, lasts: u64) -> String {
    let done = of_text(text, only(loss), lasts);
    let all = done.findings.into_iter().map(|f| f.text);
    all.filter(|text| text.contains("no tolerationSeconds")).collect()
}

/// A set with one pod on n-0, of two nodes with 4 cores each.
fn one(release: &str, flags: &str, template: &str) -> String {
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "{release}", horizon: "30m", {flags} nodes: [(names: "n-{{0..1}}", zone: "a")],
        workloads: [StatefulSet(name: "w", replicas: 1, placement: Node("n-0"), template: ({template}))])"#
    );
    said(&text, "node/n-0", 600)
}

/// The set may use n-0 alone, or asks for more than any node has left: what frees its name makes a pod, and no room.
#[test]
fn a_new_pod_that_no_node_takes_is_no_help() {
    let both = "that; the out-of-service taint or deleting the node lets a new pod be made, which finds no node: 0/2 nodes are available: ";
    let selector = one("1.34", "", r#"nodeSelector: {"kubernetes.io/hostname": "n-0"}"#);
    assert!(selector.contains(both), "{selector}");
    // Each of two nodes with 4 cores has one pod of 3.
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "n-{0..1}", capacity: {"cpu": "4", "pods": "10"})],
        workloads: [StatefulSet(name: "w", replicas: 2, placement: Spread(All), template: (requests: {"cpu": "3"}))])"#;
    let room = said(text, "node/n-0", 600);
    assert!(room.contains(both) && room.contains("1 Insufficient cpu"), "{room}");
}

/// Two pods of each of three zones, no more than one apart. Tainted nodes of a lost zone count, and have none: with a third
/// in b or c the skew would be 3 - 0. A zone whose nodes are deleted is none, and b and c have 3 each.
#[test]
fn each_remedy_is_told_for_itself() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "60m",
        nodes: [(names: "a-{0..1}", zone: "a"), (names: "b-{0..1}", zone: "b"), (names: "c-{0..1}", zone: "c")],
        workloads: [StatefulSet(name: "web", replicas: 6, placement: Spread(All), template: (requests: {"cpu": "1"},
            topologySpreadConstraints: [(maxSkew: 1, topologyKey: "topology.kubernetes.io/zone",
                whenUnsatisfiable: DoNotSchedule, labelSelector: (matchLabels: {"app": "web"}))]))])"#;
    let text = said(text, "zone/a", 1_800);
    let each = "that, deleting the node does; the out-of-service taint lets a new pod be made, which finds no node: 0/6 nodes";
    assert!(text.contains(each) && text.contains("topology spread"), "{text}");
}

/// The pods of both Jobs are evicted some 350 s into a loss of 20 minutes. One makes another then; of the other one it is gone
/// once its node is back, or out of service, or deleted.
#[test]
fn a_job_that_replaces_failed_pods_alone_waits_for_its_node() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "n-{0..1}", zone: "a")],
        workloads: [Job(name: "waits", podReplacementPolicy: Failed, placement: Node("n-0")), Job(name: "other", placement: Node("n-0"))])"#;
    let done = of_text(text, only("node/n-0"), 1_200);
    let lead =
        "Below what they need for as long as a loss lasts: waits (a Job waits for its node).";
    assert_eq!(done.lead.last().map(String::as_str), Some(lead));
    assert_eq!(done.lost[0].damage.figures.stuck, 1);
    let said = "node n-0 lost: waits is below what it needs until its node is back; no tolerationSeconds changes that, the out-of-service taint or deleting the node does";
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    assert!(texts.len() == 2 && texts[0] == said, "{texts:#?}");
    assert!(texts[1].starts_with("other has a single pod: it is down for 5m"), "{texts:#?}");
    // Cut off, its pod works on until it is evicted.
    let done = lost_by(How::Network, text, only("node/n-0"), 1_200);
    let said = "node n-0 lost: once evicted, waits is below what it needs until its node is back; pods that are not evicted work on: a tolerationSeconds longer than the loss keeps them up";
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    assert_eq!(texts.first(), Some(&said), "{texts:#?}");
}

/// mixed asks for 3 of 4 cores. Without a-0 it finds room on b-1; without zone a its pod on b-0 leaves one core there, and
/// f's 2 cores two on b-1. Lost nodes are tainted, and deleted ones are not there.
#[test]
fn what_is_said_of_a_workload_and_a_loss_no_other_finding_denies() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "30m",
        nodes: [(names: "a-{0..1}", zone: "a", capacity: {"cpu": "4", "pods": "10"}), (names: "b-{0..1}", zone: "b", capacity: {"cpu": "4", "pods": "10"})],
        workloads: [StatefulSet(name: "mixed", replicas: 2, placement: Nodes(["a-0", "b-0"]), template: (requests: {"cpu": "3"})),
            StatefulSet(name: "ok", replicas: 1, placement: Node("a-0"), template: (requests: {"cpu": "500m"})),
            Deployment(name: "f", replicas: 1, placement: Node("a-1"), template: (requests: {"cpu": "2"}))])"#;
    let losses = ["node/a-0", "zone/a"].map(str::to_owned).to_vec();
    let done = of_text(text, Wanted { only: losses, ..Wanted::default() }, 600);
    let texts: Vec<String> = done.findings.into_iter().map(|f| f.text).collect();
    let all = texts.iter().filter(|t| t.contains("no tolerationSeconds"));
    let mixed: Vec<&String> = all.clone().filter(|t| t.contains("mixed")).collect();
    let of = |loss: &str| mixed.iter().filter(|t| t.starts_with(loss)).count();
    assert_eq!((mixed.len(), of("node a-0 lost: "), of("zone a lost: ")), (2, 1, 1), "{texts:#?}");
    assert!(all.clone().any(|t| t.starts_with("node a-0, or zone a lost: ok is")), "{texts:#?}");
    let each = "0/4 nodes are available: 2 Insufficient cpu, 2 node(s) had untolerated taint(s); with the node deleted: 0/2 nodes are available: 2 Insufficient cpu";
    assert!(mixed.iter().any(|t| t.ends_with(each)), "{texts:#?}");
}

/// The taint frees pods and volumes from 1.26 on (gate NodeOutOfServiceVolumeDetach).
#[test]
fn a_taint_that_a_release_does_not_know_is_not_advised() {
    let disk = r#"volumes: [(claim: "1Gi")]"#;
    let none = "no tolerationSeconds changes that, deleting the node does";
    assert!(one("1.25", "", "").ends_with(none));
    assert!(
        one("1.25", "", disk)
            .ends_with(&format!("{none}, whose volumes are detached 6 minutes later"))
    );
    assert!(
        one("1.26", "", "").ends_with("that, the out-of-service taint or deleting the node does")
    );
}

/// With --disable-force-detach-on-timeout=true (1.30 on) nothing detaches the volume of a node that is gone.
#[test]
fn a_volume_that_is_never_detached_by_force_is_told() {
    let flags = r#"flags: (kube-controller-manager: {"disable-force-detach-on-timeout": true}),"#;
    let text = one("1.34", flags, r#"volumes: [(claim: "1Gi")]"#);
    let said = "that, the out-of-service taint does (only for a machine that is off for certain); deleting the node lets a new pod be made, \
                whose volume stays attached, with --disable-force-detach-on-timeout=true";
    assert!(text.ends_with(said), "{text}");
}

/// Up to 1.27 the API server drops that `mesh` is a sidecar (`dropDisabledFields`: SidecarContainers is alpha in 1.28), so that the
/// pod that is made anew waits for its end for ever, and so does one whose machine was off for a minute, which nobody evicts; one
/// without it is back. In 1.29 both are, but not where `mesh` fails each time.
#[test]
fn a_pod_whose_release_knows_no_sidecars_is_not_on_its_way() {
    let of = |release: &str, mesh: &str, lost_s: u64| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{release}", horizon: "40m", nodes: [(names: "a-{{0..2}}", zone: "a")], workloads: [
            Deployment(name: "web", replicas: 2, placement: Nodes(["a-0", "a-1"]), template: (initContainers: [(name: "mesh", {mesh})])),
            Deployment(name: "api", replicas: 2, placement: Nodes(["a-0", "a-1"]))])"#
        );
        let done = of_text(&text, only("node/a-0"), lost_s);
        let hits = done.lost[0].damage.hits.clone();
        let said = done.findings.iter().any(|f| f.text.contains("an init container never ends"));
        (hits.iter().filter_map(|h| h.why_not_back).collect::<Vec<_>>(), said)
    };
    let sidecar = "restartPolicy: Always";
    assert_eq!(of("1.24", sidecar, 1_200), (vec![Why::Endless], true));
    assert_eq!(of("1.24", sidecar, 60).0, [Why::Endless]);
    for lost_s in [60, 1_200] {
        assert_eq!(of("1.29", sidecar, lost_s), (Vec::new(), false));
    }
    let fails = r#"ends: (after: "5s", exit_code: 1)"#;
    assert_eq!(of("1.29", fails, 1_200), (vec![Why::Endless], true));
}

/// A rule fails this Job with the first pod that is disrupted and has failed: as that of n-0 has once its machine is back. Whoever
/// collects the pods of a node that is out of service or deleted says the same.
#[test]
fn a_job_that_fails_with_its_pod_has_no_remedy() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "30m", nodes: [(names: "n-{0..1}", zone: "a")],
        workloads: [Job(name: "frail", placement: Node("n-0"), template: (restartPolicy: Never),
            podFailurePolicy: (rules: [(action: FailJob, onPodConditions: [(type: DisruptionTarget)])]))])"#;
    let done = of_text(text, only("node/n-0"), 1_200);
    let wanted = "Nobody makes its pods anew; the out-of-service taint and deleting the node fail the pods, and by that it for good; \
                  the node's return does, too, unless their containers end with 0";
    let all = done.findings.iter().map(|f| f.text.as_str());
    let said = Vec::from_iter(all.filter(|text| text.contains("frail failed: PodFailurePolicy")));
    assert!(said.len() == 1 && said[0].ends_with(wanted), "{:?}", done.findings);
}

/// db-0 is evicted from a-0 before the loss of c-0 is over, and stuck there. db-2 comes after it (`podManagementPolicy: OrderedReady`), whatever is
/// done to c-0. The other way round db-0 comes first, for which db-2 does not matter.
#[test]
fn a_pod_behind_one_that_is_stuck_elsewhere_waits_for_that_one() {
    let text = |silent: &str| {
        let node = |name: &str| match name == silent {
            true => format!(r#"(name: "{name}", start: Imported(cut_off: true))"#),
            false => format!(r#"(name: "{name}")"#),
        };
        format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "60m", nodes: [{}],
            workloads: [StatefulSet(name: "db", replicas: 3, placement: Nodes(["a-0", "b-0", "c-0"]))])"#,
            ["a-0", "b-0", "c-0", "d-0"].map(node).join(", ")
        )
    };
    let behind = said(&text("a-0"), "node/c-0", 1_200);
    let wanted = "db is short of its pods until default/db-0 on a-0 is gone, which no pod behind it is made before; \
                  no tolerationSeconds changes that, nor does what is done to the node that is lost: free it first";
    assert!(behind.ends_with(wanted), "{behind}");
    let first = said(&text("c-0"), "node/a-0", 1_200);
    assert!(first.ends_with("that, the out-of-service taint or deleting the node does"), "{first}");
}
