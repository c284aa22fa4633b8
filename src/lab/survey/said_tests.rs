//! What surveys of small clusters say in words, and what is said of a workload that is short of pods.

use super::hit::whole;
use super::run::longest;
use super::still::Why;
use super::tests::{kinds, survey, surveyed};
use super::{How, Kind, Surveyed, Wanted};
use crate::analysis::clock::short;
use crate::analysis::disruption::{Disrupted, Pace};
use crate::kernel::{Dur, Time};
use crate::lab::shards::Desk;
use crate::scenario::parse;
use crate::trace::ZoneState;
use std::path::Path;

pub(super) fn of_text(text: &str, wanted: Wanted, lasts: u64) -> Surveyed {
    lost_by(How::default(), text, wanted, lasts)
}

pub(super) fn lost_by(how: How, text: &str, wanted: Wanted, lasts: u64) -> Surveyed {
    let loaded = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).expect(text);
    let mut survey = survey(&loaded, wanted);
    (survey.how, survey.lasts) = (how, Dur::from_secs(lasts));
    survey.run(2, &|_| true, Desk::Here).expect("it runs")
}

pub(super) fn only(name: &str) -> Wanted {
    Wanted { only: vec![name.to_owned()], ..Wanted::default() }
}

/// The pod tolerates its lost node for 549 s. The taint comes within 55 s, so that the eviction
/// does between 589 and 604 s and mostly before the 600 s are over; by then the replacement is bound
/// at once, for there is room, and only starts.
#[test]
fn a_pod_that_is_bound_and_starts_is_not_pending() {
    let done = of_text(
        r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "a-{0..3}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: 1, placement: Node("a-0"), template: (tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 549)]))])"#,
        only("node/a-0"),
        600,
    );
    let lost = &done.lost[0];
    assert_eq!(lost.damage.figures.pending, 0, "{:?}", lost.damage.hits);
    assert!(done.findings.iter().all(|f| !f.text.contains("Pending")));
}

/// With all three nodes every zone is FullDisruption, and no limiter lets a node through (`handleDisruption`: `SwapLimiter(0)`).
#[test]
fn where_all_is_dark_evictions_stop() {
    let text = r#"Scenario(version: 1, horizon: "60m", nodes: [(names: "a-{0..2}", zone: "a"), (names: "b-{0..2}", zone: "b")],
        workloads: [Deployment(name: "web", replicas: 6, needs: 5, placement: Spread(All))])"#;
    let lead = |text: &str| of_text(text, only("zone/a"), 1_800).lead.join(" ");
    let dark = lead(&text.replace(r#", (names: "b-{0..2}", zone: "b")"#, ""));
    assert!(dark.contains("web (all zones are dark: evictions stop)"), "{dark}");
    assert!(!lead(text).contains("dark"));
}

/// Two pods of each of three zones, no more than one apart: with zone a lost b and c have two each,
/// and a third in either is two more than a's none. Each of the six nodes has 4 cores, and five of
/// them half empty, so that no core is missing.
#[test]
fn room_is_missing_only_where_room_would_do() {
    let spread = r#"topologySpreadConstraints: [(maxSkew: 1, topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: DoNotSchedule, labelSelector: (matchLabels: {"app": "web"}))]"#;
    let text = |places: &str, filler: u32| {
        format!(
            r#"Scenario(version: 1, horizon: "60m",
            nodes: [(names: "a-{{0..1}}", zone: "a"), (names: "b-{{0..1}}", zone: "b"), (names: "c-{{0..1}}", zone: "c")],
            workloads: [
                Deployment(name: "web", replicas: 6, placement: Spread(All), template: (requests: {{"cpu": "1"}}, {places})),
                Deployment(name: "filler", replicas: {filler}, placement: Nodes(["b-0", "b-1", "c-0", "c-1"]), template: (requests: {{"cpu": "2500m"}})),
            ])"#
        )
    };
    let zone = |text: &str| of_text(text, only("zone/a"), 1_800);
    let web = |done: &Surveyed| {
        let hits = &done.lost[0].damage.hits;
        hits.iter().find(|h| h.workload.ends_with("/web")).cloned()
    };
    // Whether a filler takes the last core of some nodes or not.
    for filler in [1, 4] {
        let done = zone(&text(spread, filler));
        let web = web(&done).expect("web");
        assert_eq!((web.pending, web.held, web.cores), (2, 2, None), "{web:?}");
        assert_eq!(web.still.map(|s| s.why), Some(Why::Held));
        let said =
            |f: &super::Finding| f.text.contains("DoNotSchedule") && !f.text.contains("missing");
        assert!(done.findings.iter().any(said), "{:#?}", done.findings);
    }
    // Without the constraint it is room: half a core is left on each of four nodes.
    let web = web(&zone(&text("", 4))).expect("web");
    assert_eq!((web.pending, web.held, web.cores), (2, 0, Some(2.0)));
}

/// Six nodes of a lost zone are tainted one each 100 s, the first 40 to 55 s into the loss, and each
/// pod is evicted 300 s later: the last one 500 s behind the first, at 840 to 855 s.
#[test]
fn what_the_queue_reaches_too_late_is_said_to_come_later() {
    let text = r#"Scenario(version: 1, horizon: "60m",
        flags: (kube-controller-manager: {"node-eviction-rate": 0.01}),
        nodes: [(names: "a-{0..5}", zone: "a"), (names: "b-{0..5}", zone: "b")],
        workloads: [
            Deployment(name: "web", replicas: 6, placement: Nodes(["a-0", "a-1", "a-2", "a-3", "a-4", "a-5"])),
            Deployment(name: "api", replicas: 6, placement: Nodes(["a-0", "a-1", "a-2", "a-3", "a-4", "a-5"])),
        ])"#;
    let done = of_text(text, only("zone/a"), 600);
    let range = Dur::from_secs(835)..Dur::from_secs(865);
    for hit in &done.lost[0].damage.hits {
        let after = hit.evicted_after.expect("it is evicted in the end");
        assert!(range.contains(&after), "{hit:?}");
    }
    let of: Vec<&str> = (done.findings.iter())
        .map(|f| f.text.as_str())
        .filter(|t| t.contains("not evicted after 10m"))
        .collect();
    assert_eq!(of.len(), 1, "one finding for one reason: {of:#?}");
    assert!(of[0].contains("2 workloads (api, web)"), "{}", of[0]);
}

/// What has volumes is marked, and no remedy is given that a lost zone's volume defeats.
#[test]
fn volumes_are_said_not_to_be_simulated() {
    let text = r#"Scenario(version: 1, horizon: "30m",
        nodes: [(names: "a-{0..1}", zone: "a"), (names: "b-{0..1}", zone: "b")],
        workloads: [
            StatefulSet(name: "db", replicas: 2, needs: "100%", placement: Nodes(["a-0", "b-0"]), template: (persistent_volumes: true)),
            Deployment(name: "one", replicas: 1, placement: Node("a-1"), template: (persistent_volumes: true)),
            Deployment(name: "web", replicas: 1, placement: Node("b-1")),
        ])"#;
    let done = of_text(text, kinds(&[Kind::Zone]), 600);
    for lost in &done.lost {
        for hit in &lost.damage.hits {
            assert_eq!(hit.not_simulated, !hit.workload.ends_with("/web"), "{hit:?}");
        }
        assert!(lost.is_least());
    }
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    assert!(texts.iter().all(|t| !t.contains("deleting the node does")), "{texts:#?}");
    let one = texts.iter().find(|t| t.starts_with("one has a single pod"));
    assert!(one.is_some_and(|t| t.contains("not known")), "{texts:#?}");
}

/// A disk of a lost zone is out of reach, whatever is done to the zone's nodes; that of one lost
/// node is free at once for the taint, and 6 minutes (`maxWaitForUnmountDuration`) after the pod is
/// gone for a node that is deleted. A local one is lost with its node.
#[test]
fn what_frees_a_disk_depends_on_what_is_lost() {
    let text = r#"Scenario(version: 1, horizon: "30m",
        nodes: [(names: "a-{0..1}", zone: "a"), (names: "b-{0..1}", zone: "b")],
        workloads: [
            StatefulSet(name: "db", replicas: 1, placement: Node("a-0"), template: (volumes: [(claim: "10Gi")])),
            StatefulSet(name: "log", replicas: 1, placement: Node("a-1"), template: (volumes: [(claim: "1Gi", reach: Node)])),
        ])"#;
    let text_of = |kind, of: &str| {
        let done = of_text(text, kinds(&[kind]), 600);
        let texts = done.findings.into_iter().map(|f| f.text);
        texts.filter(|t| t.contains("no tolerationSeconds") && t.contains(of)).collect::<String>()
    };
    let zone = text_of(Kind::Zone, "db");
    let of_zone = "no node left reaches volumes of claims default/data-db-0, default/data-log-0, each of which is reached from one of node a-1, zone a alone. What frees them: the return of these";
    assert!(zone.contains(of_zone), "{zone}");
    assert!(!zone.contains("taint"), "{zone}");
    let node = text_of(Kind::Node, "db");
    assert!(node.contains("out-of-service taint does") && node.contains("6 minutes"), "{node}");
    let local = text_of(Kind::Node, "log");
    assert!(
        local.contains("which is reached from node a-1 alone. What frees it: the node's return"),
        "{local}"
    );
    assert!(!local.contains("6 minutes"), "{local}");
}

/// A Deployment's pod is made anew at once: of a lost node its volume stays attached to that, and of a lost zone no node
/// left reaches it. Both name it, and where it is reached from.
#[test]
fn a_volume_that_keeps_a_pod_is_named() {
    let text = r#"Scenario(version: 1, horizon: "30m",
        nodes: [(names: "a-{0..1}", zone: "a"), (names: "b-{0..1}", zone: "b")],
        workloads: [Deployment(name: "web", replicas: 1, placement: Node("a-0"),
            template: (volumes: [(claim: "web-data", zone: "a")]))])"#;
    let done = of_text(text, kinds(&[Kind::Node, Kind::Zone]), 600);
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    let of = |start: &str| *texts.iter().find(|t| t.starts_with(start)).expect(start);
    assert!(
        of("node a-0").contains("as volume of claim default/web-data stays attached"),
        "{texts:#?}"
    );
    assert!(of("zone a").contains("whatever room there is: volume of claim default/web-data, which is reached from zone a alone. What frees it: a node there, back, or new once the lost ones are deleted"), "{texts:#?}");
    let lead = done.lead.join(" ");
    assert!(lead.ends_with("for as long as a loss lasts: web (its volume stays attached to the lost node, or no node left reaches the volumes)."), "{lead}");
}

#[test]
fn a_kind_that_is_not_there_does_not_stop_the_others() {
    let rack = Kind::parse("label=topology.example/rack").expect("a kind");
    let done = surveyed(kinds(&[Kind::Zone, rack]), 1);
    assert_eq!(done.lost.len(), 2);
    assert_eq!(done.skipped, ["Left out: no node has a label `topology.example/rack`."]);
}

/// A zone whose nodes are found out in two passes is partly disrupted for five seconds, and fully
/// for the 550 that are left of a loss of ten minutes; what was before the loss, and goes on behind
/// it, is not counted.
#[test]
fn a_zone_is_said_to_be_as_it_was_for_longest() {
    let state = |from, to, state, pace| Disrupted {
        from: Time::from_secs(from),
        to: Time::from_secs(to),
        state,
        pace,
    };
    let partly = |from, to| state(from, to, ZoneState::PartialDisruption, Pace::Stopped);
    let usual = Pace::Usual(Dur::from_secs(10));
    let fully = |from, to| state(from, to, ZoneState::FullDisruption, usual);
    let loss = (Time::from_secs(150), Time::from_secs(750));
    assert_eq!(longest(&[partly(195, 200), fully(200, 1_900)], loss), Some(usual));
    assert_eq!(
        longest(&[partly(0, 450), fully(451, 750), partly(750, 9_000)], loss),
        Some(Pace::Stopped)
    );
    assert_eq!(longest(&[partly(0, 150), fully(750, 800)], loss), None);
}

/// A pod that may take half an hour to stop is not replaced in ten minutes either; one that tolerates
/// everything is never evicted, which no queue explains.
#[test]
fn a_long_grace_period_and_a_toleration_without_end_are_told() {
    let text = r#"Scenario(version: 1, horizon: "60m",
        nodes: [(names: "a-{0..2}")],
        workloads: [
            StatefulSet(name: "db", replicas: 1, placement: Node("a-0"), template: (terminationGracePeriodSeconds: 1800)),
            Deployment(name: "web", replicas: 1, placement: Node("a-0"), template: (tolerations: [(operator: Exists)])),
        ])"#;
    let done = of_text(text, only("node/a-0"), 600);
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    assert!(texts[0].contains("db is below what it needs until its node is back"), "{texts:#?}");
    assert!(texts[1].contains("web not evicted after 10m"), "{texts:#?}");
    assert!(texts[1].contains("nor ever: they tolerate the taint"), "{texts:#?}");
    assert_eq!(done.lost[0].damage.figures.stuck, 1);
    let of_two = text.replace(
        "replicas: 1, placement: Node(\"a-0\"), template: (term",
        "replicas: 6, template: (term",
    );
    let zone =
        of_two.replace("a-{0..2}\"", "a-{0..2}\", zone: \"a\"), (name: \"b-0\", zone: \"b\"");
    let done = of_text(&zone, only("zone/a"), 600);
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    assert!(texts.iter().any(|t| t.contains("until its nodes are back")), "{texts:#?}");
}

/// Where no node has the label there is nothing to spread over; a lost zone beside two others is.
#[test]
fn a_label_that_no_node_has_is_told_apart_from_a_skew() {
    use super::holder::Holder;
    let skew = "0/9 nodes are available: 3 node(s) didn't match pod topology spread constraints";
    let none = format!("{skew} (missing required label)");
    let both = format!(
        "{skew}, 1 node(s) didn't match pod topology spread constraints (missing required label)"
    );
    let of_label = "a topologySpreadConstraint on a label that no node left has";
    assert_eq!(Holder::of(&none).brief(), of_label);
    for why in [skew, &both] {
        assert_eq!(Holder::of(why).brief(), "a topologySpreadConstraint", "{why}");
    }
}

#[test]
fn where_there_are_no_pods_nothing_is_praised() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "a-{0..2}")])"#;
    let done = of_text(text, only("node/a-0"), 600);
    assert_eq!(done.lead, ["There are no pods, so that nothing is lost with a node."]);
}

/// web finds no node from the start: no loss takes it further down, which is not to say that all is
/// well.
#[test]
fn who_is_down_without_a_loss_is_named() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "a-{0..2}")], workloads: [
        Deployment(name: "web", replicas: 2, template: (nodeSelector: {"disk": "ssd"})),
        Deployment(name: "api", replicas: 3, placement: Spread(All))])"#;
    let done = of_text(text, only("node/a-0"), 600);
    assert_eq!(
        done.lead,
        [
            "Below what they need without any loss: web.",
            "None of these losses takes another workload below what it needs."
        ]
    );
}

/// A budget counts the pods of both: four of six, so that each needs one where the other has its three.
#[test]
fn a_budget_over_two_workloads_is_no_need_of_each() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "n-{0..5}")],
        podDisruptionBudgets: [(name: "both", selector: (matchLabels: {"tier": "x"}), minAvailable: 4)],
        workloads: [
            Deployment(name: "p", replicas: 3, placement: Nodes(["n-0", "n-1", "n-2"]), template: (labels: {"app": "p", "tier": "x"})),
            Deployment(name: "q", replicas: 3, placement: Nodes(["n-3", "n-4", "n-5"]), template: (labels: {"app": "q", "tier": "x"})),
        ])"#;
    let done = of_text(text, kinds(&[Kind::Node]), 600);
    assert_eq!(done.lead, ["None of these losses takes a workload below what it needs."]);
    assert!(done.lost.iter().all(|lost| lost.damage.figures.workloads_down == 0));
}

/// Six nodes of a zone, each full with a pod of 3 cores, are lost for 380 s. They are tainted one every 10 s, the first 45 to 65 s
/// after the loss, and their pods are evicted 300 s later, two by 375 s and the last after 395 s. Both are told: who is Pending
/// already, and who is still to be.
#[test]
fn who_is_not_evicted_yet_is_told_beside_who_finds_no_room() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [
            (names: "a-{0..5}", zone: "a", capacity: {"cpu": "4", "pods": "10"}),
            (names: "b-{0..5}", zone: "b", capacity: {"cpu": "4", "pods": "10"}),
            (names: "c-{0..5}", zone: "c", capacity: {"cpu": "4", "pods": "10"}),
        ],
        workloads: [Deployment(name: "web", replicas: 18, placement: Spread(All), template: (requests: {"cpu": "3"}))])"#;
    let done = of_text(text, only("zone/a"), 380);
    let hit = &done.lost[0].damage.hits[0];
    let (pending, left) = (hit.pending, hit.left);
    assert!(pending >= 2 && left >= 1 && (5..=6).contains(&(pending + left)), "{hit:?}");
    assert_eq!(hit.cores, Some(3.0 * pending as f64));
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    let cores = 3 * pending;
    let room = format!(
        "{pending} pods of web Pending for as long as it lasts, {cores} cores missing so far: "
    );
    assert!(texts[0].contains(&room), "{texts:#?}");
    let pods = if left == 1 { "1 pod".to_owned() } else { format!("{left} pods") };
    assert!(texts[1].contains(&format!("{pods} of web not evicted after 6m20s")), "{texts:#?}");
    assert!(texts[1].contains("the last would be evicted 6m"), "{texts:#?}");
}

/// Of 4 cores on n-0 the agent has 1 and front 2. The pod that takes the place of front's on n-1 needs 2 and preempts the agent,
/// whose next pod finds none of the 4 free, also when n-1 is back.
#[test]
fn a_pod_of_a_daemon_set_that_is_preempted_is_told() {
    let text = r#"Scenario(version: 1, horizon: "30m",
        nodes: [(names: "n-{0..1}", capacity: {"cpu": "4", "memory": "8Gi", "pods": "110"})],
        priorityClasses: [(name: "high", value: 1000)],
        workloads: [
            DaemonSet(name: "agent", template: (labels: {"app": "agent"}, requests: {"cpu": "1"})),
            Deployment(name: "front", replicas: 2, placement: Nodes(["n-0", "n-1"]),
                template: (labels: {"app": "front"}, requests: {"cpu": "2"}, priorityClassName: "high")),
        ])"#;
    let done = of_text(text, only("node/n-1"), 600);
    let lost = &done.lost[0];
    let agent = lost.damage.hits.iter().find(|h| h.workload.ends_with("/agent")).expect("agent");
    assert_eq!((agent.pending, agent.cores, agent.not_back), (1, Some(1.0), 1));
    assert_eq!(lost.why_not_back(), ["no node"]);
    let said = "node n-1 lost: 1 pod of agent Pending for as long as it lasts, 1 core missing: ";
    assert!(done.findings.iter().any(|f| f.text.starts_with(said)), "{:#?}", done.findings);
}

/// The new pod finds no node before the old one is gone, which has nothing to do with taints: "untolerated taint(s)" is said of the lost nodes.
#[test]
fn a_claim_in_use_is_told_apart_from_taints() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 1, placement: Node("a-0"),
            template: (volumes: [(claim: "data", access: RWOP)]))])"#;
    let done = of_text(text, only("node/a-0"), 600);
    let said = "web Pending for as long as it lasts, whatever room there is: a claim with ReadWriteOncePod, which the pod on the lost node uses";
    assert!(done.findings.iter().any(|f| f.text.contains(said)), "{:#?}", done.findings);
    let lead = done.lead.join(" ");
    assert!(lead.contains("web (its claim is in use by the pod on the lost node)"), "{lead}");
}

/// Where it is not said which taints nodes have, any other reason comes first.
#[test]
fn taints_of_nodes_count_where_nothing_else_is_said() {
    use super::holder::Holder;
    let brief = |why: &str| Holder::of(&format!("0/4 nodes are available: {why}.")).brief();
    let many = "3 node(s) had untolerated taint(s)";
    assert_eq!(brief(many), "taints of the nodes left");
    assert_eq!(
        brief(&format!("{many}, 1 node(s) were unschedulable")),
        "the nodes left are cordoned"
    );
    let one = "1 node(s) had untolerated taint {gpu: }, 1 node(s) were unschedulable";
    assert_eq!(brief(one), "taints of the nodes left");
}

/// Each run of the Job ends after 5 min, and nobody makes the next one while the controllers are gone: no node has a part in it.
#[test]
fn a_job_without_its_controller_is_not_down_for_its_node() {
    let text = r#"Scenario(version: 1, horizon: "60m", nodes: [(names: "a-{0..2}")],
        workloads: [Job(name: "batch", completions: 9, template: (ends: (after: "5m")))])"#;
    let done = of_text(text, only("controller"), 1200);
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(
        texts[0].starts_with("controller lost: batch is below what it needs for 1"),
        "{texts:?}"
    );
    assert!(texts[0].ends_with(", as nobody makes pods meanwhile"), "{texts:?}");
}

/// A pod alone on its node is evicted 300 s after that node is tainted, at 40 to 50 s. With its zone,
/// whose six nodes are tainted one each 100 s, the last one is evicted 500 s later.
#[test]
fn what_a_single_pod_loses_with_its_node_is_not_what_it_loses_with_its_zone() {
    let one =
        |i: u32| format!(r#"Deployment(name: "w{i}", replicas: 1, placement: Node("a-{i}")),"#);
    let text = format!(
        r#"Scenario(version: 1, horizon: "60m",
        flags: (kube-controller-manager: {{"node-eviction-rate": 0.01}}),
        nodes: [(names: "a-{{0..5}}", zone: "a"), (names: "b-{{0..5}}", zone: "b")],
        workloads: [{}])"#,
        (0..6).map(one).collect::<String>()
    );
    let done = of_text(&text, kinds(&[Kind::Node, Kind::Zone]), 1800);
    let down = |kind: &str| {
        let lost = done.lost.iter().filter(|l| l.loss.name().starts_with(kind));
        lost.flat_map(|l| &l.damage.hits).map(|h| h.down).max().expect("one is hit")
    };
    let (node, zone) = (whole(down("node/a")), whole(down("zone/a")));
    assert!(zone > node + Dur::from_secs(480), "{node:?}, {zone:?}");
    let said =
        format!("up to {} when that pod's node is lost; {} with zone/a", short(node), short(zone));
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    assert!(texts.iter().any(|t| t.contains(&said)), "no {said:?}: {texts:#?}");
}

/// The Job may not lose a pod. Its node is lost for half an hour, which is longer than the pod is waited for; without
/// that all four end at 40 min, before the run does.
#[test]
fn a_job_that_a_loss_makes_fail_is_not_back_after_it() {
    let text = r#"Scenario(version: 1, horizon: "60m", nodes: [(names: "a-{0..3}", zone: "a")],
        workloads: [Job(name: "sum", parallelism: 4, completions: 4, backoffLimit: 0, placement: Spread(All), template: (ends: (after: "40m")))])"#;
    let done = of_text(text, only("node/a-0"), 1_800);
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    let expected = "node a-0 lost: sum failed: BackoffLimitExceeded (Job has reached the specified backoff limit). Nobody makes its pods anew";
    assert_eq!(texts, [expected]);
    assert_eq!(done.lead[1..], ["Jobs that fail, and are not done by anybody: sum.", WAITS]);
    assert!(done.lead[0].ends_with("takes 1 workload below what it needs for good."));
    let lost = &done.lost[0];
    assert_eq!((lost.damage.figures.not_back, lost.down("≥").as_str()), (4, "for good"));
    assert_eq!(lost.why_not_back(), ["Job failed"]);
}

const WAITS: &str =
    "Jobs that have ended, but whose condition waits for their Terminating pods: sum.";

/// Evicted some six minutes after its node was lost, the pod is made anew, and done ten minutes later: the loss lasts for
/// half an hour, in which the old one stays Terminating. Up to 1.30 the Job is Complete all the same.
#[test]
fn a_job_that_is_not_complete_while_its_node_is_lost_is_told() {
    for (release, waits) in [("1.34", true), ("1.30", false)] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{release}", horizon: "60m", nodes: [(names: "a-{{0..1}}", zone: "a")],
            workloads: [Job(name: "sum", placement: Node("a-0"), template: (ends: (after: "10m")))])"#
        );
        let done = of_text(&text, only("node/a-0"), 1_800);
        assert_eq!(done.lead.iter().any(|said| said == WAITS), waits, "{:?}", done.lead);
    }
}

/// Each of two pods gets a node once the run has begun: the nodes that have one are lost alone, and four that have none as one.
#[test]
fn nodes_are_alike_by_the_pods_that_they_have_when_a_loss_begins() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "n-{0..5}")],
        workloads: [Deployment(name: "one", replicas: 1), StatefulSet(name: "db", replicas: 1)])"#;
    let done = of_text(text, kinds(&[Kind::Node]), 600);
    let of = |l: &super::Lost| {
        let figures = l.damage.figures;
        (l.loss.count(), l.damage.size.1, figures.workloads_down, figures.stuck)
    };
    let mut all: Vec<_> = done.lost.iter().map(of).collect();
    all.sort_unstable();
    assert_eq!(all, [(1, 1, 1, 0), (1, 1, 1, 1), (4, 0, 0, 0)]);
    assert_eq!((done.losses, done.asked), (6, 6));
}

/// The pods end after 3 min, at 180 s and more. The controllers are away from 150 to 170 s: what differs is when later pods start,
/// by some milliseconds of latency.
#[test]
fn another_draw_is_no_effect_of_a_loss() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "n-{0..2}")],
        workloads: [
            Deployment(name: "web", replicas: 2, placement: Node("n-0")),
            Job(name: "sum", parallelism: 2, completions: 8, placement: Node("n-1"), template: (ends: (after: "3m"), restartPolicy: Never)),
        ])"#;
    let done = of_text(text, only("controller"), 20);
    let damage = &done.lost[0].damage;
    assert_eq!((damage.figures.workloads_down, damage.hits.len()), (0, 0), "{:?}", damage.hits);
    assert!(done.findings.is_empty(), "{:#?}", done.findings);
}

/// Two of the pods complete at 5 min, after which the third, evicted with its node, is the only one asked for.
#[test]
fn a_job_that_has_completed_in_part_had_several_pods() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "n-{0..3}")],
        workloads: [Job(name: "sum", parallelism: 3, completions: 3, placement: Nodes(["n-0", "n-1", "n-2"]), template: (ends: (after: "5m")))])"#;
    let done = of_text(text, only("node/n-0"), 600);
    let sum = &done.lost[0].damage.hits[0];
    assert_eq!((sum.desired, sum.spared), (3, 2));
    let [finding] = done.findings.as_slice() else { panic!("{:#?}", done.findings) };
    assert!(
        finding.text.starts_with("node n-0 lost: sum is below what it needs for 3m"),
        "{finding:?}"
    );
}

/// 80 % of six pods are 4.8, rounded up 5: a node may be lost, and no zone of three.
#[test]
fn a_daemon_set_below_its_need_is_told() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "a-{0..2}", zone: "a"), (names: "b-{0..2}", zone: "b")],
        workloads: [DaemonSet(name: "log", placement: Each(All), needs: "80%")])"#;
    let done = of_text(text, kinds(&[Kind::Node, Kind::Zone]), 600);
    let told = "any zone lost: log is below what it needs until enough nodes are back, as a DaemonSet's pods belong to their nodes";
    assert_eq!(done.findings.iter().filter(|f| f.text.contains("log")).count(), 1);
    assert_eq!(done.findings[0].text, told);
    let lead = "Below what they need for as long as a loss lasts: log (a DaemonSet's pods wait for their nodes).";
    assert_eq!(done.lead.last().map(String::as_str), Some(lead));
}

/// The node `dead` is silent from the start. Of `part` one pod is there and the other on a-0; of `gone` both are there.
#[test]
fn pods_that_are_down_before_a_loss_are_not_said_to_go_with_it() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "a-{0..1}", zone: "a"), (name: "dead", zone: "b", start: Silent)],
        workloads: [
            Deployment(name: "part", replicas: 2, placement: Nodes(["a-0", "dead"]), template: (tolerations: [(operator: Exists)])),
            Deployment(name: "gone", replicas: 2, placement: Node("dead"), template: (tolerations: [(operator: Exists)])),
        ])"#;
    let done = of_text(text, kinds(&[Kind::Node, Kind::Zone]), 600);
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    assert!(texts.contains(&"part: all pods that are up (1 of 2) are on node a-0"), "{texts:#?}");
    assert!(texts.iter().all(|t| !t.contains("gone")), "{texts:#?}");
}
