//! What a failing node does to a pod with a disk: each wait by arithmetic, from upstream's constants.
//!
//! `pkg/controller/volume/attachdetach`: a loop every 100 ms, six minutes until a volume is detached by force;
//! `pkg/volume/csi/csi_attacher.go`: an operation looks for its VolumeAttachment after half a second and up to a
//! tenth of that more; kubelets say every ten seconds which volumes are in use.

use super::plans::{drawn, plan};
use taintsim::analysis::Analysis;
use taintsim::analysis::explain::{Question, explain, find};
use taintsim::kernel::{Choices, Time};
use taintsim::plan::Plan;
use taintsim::sim::{run, run_eager};
use taintsim::trace::{Trace, What};

/// Three nodes of a zone and one of another; a pod with a disk on `a-0`, whose machine stops for good after a
/// minute, and which tolerates that for 30 s.
fn cluster(volume: &str, version: &str, more: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "30m", timing: Ideal,
            nodes: [(names: "a-{{0..2}}", zone: "a"), (name: "b-0", zone: "b")],
            workloads: [Deployment(name: "web", replicas: 1, placement: Node("a-0"), template: (volumes: [{volume}],
                tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 30)]))],
            timeline: [(at: "60s", do: Crash(nodes: Node("a-0"))), {more}])"#
    )
}

pub(super) fn ran(text: &str) -> (Plan, Trace) {
    let plan = plan(text);
    let trace = run(&plan, Choices::seeded(1));
    (plan, trace)
}

/// When records with these words were written, in milliseconds.
pub(super) fn times(trace: &Trace, words: &str) -> Vec<u64> {
    let lines = trace.iter().map(|r| {
        let f = trace.fields(r);
        let parts = [Some(f.what), f.reason.as_deref(), f.node.as_deref(), f.status];
        (r.at.as_millis(), parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    });
    lines.filter(|(_, line)| line.contains(words)).map(|(at, _)| at).collect()
}

/// The words of events with that reason.
pub(super) fn messages(trace: &Trace, reason: &str) -> Vec<String> {
    let fields = trace.iter().map(|r| trace.fields(r));
    let told = fields.filter(|f| f.reason.as_deref() == Some(reason));
    told.filter_map(|f| f.message).collect()
}

/// When the first pod began to be deleted, and the last became Running.
fn deleted(trace: &Trace) -> u64 {
    let found = trace.iter().find(|r| matches!(r.what, What::PodDeleting(_)));
    found.map_or(0, |r| r.at.as_millis())
}

fn running(trace: &Trace) -> Vec<u64> {
    times(trace, "pod-phase Running").into_iter().filter(|at| *at > 0).collect()
}

#[track_caller]
pub(super) fn within(at: u64, from: u64, to: u64) {
    assert!((from..=to).contains(&at), "{at} is not within {from} to {to}");
}

/// A pod that is bound at 60 s, and whose kubelet hears of it within half a second. What a driver has attached after 118 s the
/// kubelet finds before its sync gives up after 123 s (`podAttachAndMountTimeout`). With 124 s the disk is there at 184 s, when
/// nobody looks: the next sync comes 10 to 15 s after 183 s, and is looked for once a second. Then it starts, for 2 s.
#[test]
fn a_kubelet_that_gave_up_waiting_for_a_disk_looks_again_later() {
    for (attach, from, to) in [("118s", 180_000, 185_500), ("124s", 195_000, 201_500)] {
        let (_, trace) = ran(&format!(
            r#"Scenario(version: 1, kubernetes: "1.36", horizon: "10m", timing: Custom(attacher: (attach: "{attach}", detach: "5s")),
                nodes: [(name: "n-0")],
                timeline: [(at: "60s", do: CreatePod(pod: (name: "p", on: Unbound, pod_start: "2s", volumes: [(claim: "d")])))])"#
        ));
        within(running(&trace)[0], from, to);
    }
}

/// A driver takes longer than two minutes (`csiTimeout`), and the pod is gone by then: what was not attached in time is taken for
/// mounted (`AddVolumeNode`) until the controller hears of the node again, whatever changed there (`nodeUpdate`,
/// `processVolumesInUse`). The attempt of 60 s fails at 180 s. A healthy node's status is posted when it last
/// loses the volume, at 90 to 100 s, and then, as nothing changes, 150 to 450 s later (`delayAfterNodeStatusChange`). A node that is cut off is
/// heard of when its label changes at 340 s; the second attempt has failed by 301 s, and the six minutes are over at 660 s.
#[test]
fn what_was_not_attached_in_time_seems_mounted_until_the_node_is_heard_of() {
    let cut = r#"(at: "59s", do: Partition(node: "n-0", duration: "20m")), (at: "200s", do: DeletePod(pod: "p", gracePeriodSeconds: 0)),
        (at: "340s", do: Label(node: "n-0", labels: {"a": "b"}))"#;
    let healthy = r#"(at: "90s", do: DeletePod(pod: "p", gracePeriodSeconds: 0))"#;
    for (attach, timeline, from, to) in
        [("130s", healthy, 240_000, 551_000), ("400s", cut, 340_000, 341_000)]
    {
        let plan = plan(&format!(
            r#"Scenario(version: 1, kubernetes: "1.36", horizon: "650s", timing: Custom(attacher: (attach: "{attach}", detach: "5s")),
                nodes: [(name: "n-0")],
                timeline: [(at: "60s", do: CreatePod(pod: (name: "p", on: Unbound, volumes: [(claim: "d")], tolerations: [(operator: Exists)]))), {timeline}])"#
        ));
        let [lazy, eager] =
            [run, run_eager].map(|run| times(&run(&plan, Choices::seeded(1)), "attachment-"));
        assert_eq!(lazy, eager, "{attach}");
        let trace = run(&plan, Choices::seeded(1));
        within(times(&trace, "attachment-deleting")[0], from, to);
    }
}

/// A driver takes 190 s to let go of a disk that is wanted elsewhere; detaching begins by 37 s, and is given up two minutes later, by
/// 158 s. From then on the disk may be attached or not, and the other node has it within seconds. Up to 1.25 it counts as
/// attached until the driver is done, at 210 s at the earliest (S120).
#[test]
fn a_disk_whose_detaching_failed_may_be_attached_elsewhere() {
    for (version, from, to) in [("1.34", 145_000, 175_000), ("1.25", 210_000, 300_000)] {
        let (_, trace) = ran(&format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "8m", timing: Custom(attacher: (attach: "1s", detach: "190s")),
                nodes: [(names: "n-{{0..1}}", zone: "a")],
                pods: [(name: "p", on: Node("n-0"), volumes: [(claim: "d", zone: "a")])],
                timeline: [(at: "20s", do: DeletePod(pod: "p", gracePeriodSeconds: 0)),
                    (at: "31s", do: CreatePod(pod: (name: "q", on: Node("n-1"), volumes: [(claim: "d", zone: "a")])))])"#
        ));
        within(running(&trace)[0], from, to);
    }
}

/// Up to 1.20 an operation watches its VolumeAttachment itself, and fails where that watch is closed (`csi_attacher.go:
/// waitForVolumeAttachDetachStatus`); from 1.21 on it looks into the cache. Either way the driver goes on, from 20 s to 80 s, and the pod
/// runs when it is through: after the longest pause of an operation that failed first at 40 s, which doubles from 0.5 s, and of a kubelet.
#[test]
fn an_attachment_whose_watch_is_closed_fails() {
    let closed = r#"AttachVolume.Attach failed for volume "default-d" : volume attachment watch channel had been closed"#;
    for (version, fails) in [("1.20", true), ("1.21", false)] {
        let (_, trace) = ran(&format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "8m", timing: Custom(attacher: (attach: "60s", detach: "5s")),
                nodes: [(names: "n-{{0..1}}", zone: "a")],
                timeline: [(at: "20s", do: CreatePod(pod: (name: "q", on: Node("n-1"), volumes: [(claim: "d", zone: "a")]))),
                    (at: "40s", do: ApiOutage(duration: "1s", watch_cache: Kept))])"#
        ));
        let told = messages(&trace, "FailedAttachVolume");
        assert_eq!(told.iter().any(|m| m == closed), fails, "{version}: {told:?}");
        within(running(&trace)[0], 80_000, 130_000);
    }
}

/// The volume of a pod that is being deleted on a silent node stays: nobody says that its containers do not
/// run (`IsPodTerminated`), so that the six minutes never begin.
#[test]
fn an_evicted_pod_holds_its_disk_for_ever() {
    let (plan, trace) = ran(&cluster(r#"(claim: "data")"#, "1.34", ""));
    assert!(times(&trace, "attachment-deleting").is_empty());
    assert!(running(&trace).is_empty());
    // At the first turn of the loop after the successor was bound.
    within(times(&trace, "FailedAttachVolume")[0], deleted(&trace), deleted(&trace) + 101);
    let told = messages(&trace, "FailedAttachVolume");
    let pods: Vec<&str> = plan.pods.iter().map(|p| p.name.split_once('/').unwrap().1).collect();
    assert_eq!(
        told,
        [format!(
            r#"Multi-Attach error for volume "default-data" Volume is already used by pod(s) {}"#,
            pods[0]
        )]
    );
    let analysis = Analysis::new(&plan, &trace);
    let question = Question { analysis: &analysis, until: Time::from_secs(900), groups: &[] };
    let successor =
        trace.names.aliases().map(|(name, _)| name).find(|n| n.contains("web-")).unwrap();
    let object = find(&analysis, &format!("pod/{successor}")).unwrap();
    let verdict = explain(question, &object).verdict;
    assert!(
        verdict.contains("the 6 minutes after which a volume is detached by force have not begun"),
        "{verdict}"
    );
}

/// A pod that is deleted by force at 5:00 wants its volume no more; the loop notices within 100 ms, and waits
/// for more than six minutes from then on. Then VolumeAttachment and node's status change hands: half a second
/// and a tenth for each operation, a turn of each loop between them, and a second for the pod's start.
#[test]
fn six_minutes_after_a_forced_deletion_the_disk_moves() {
    let more = r#"(at: "5m", do: DeletePod(pods: Group("web"), gracePeriodSeconds: 0))"#;
    for (version, moves) in [("1.34", true), ("1.23", true)] {
        let (plan, trace) = ran(&cluster(r#"(claim: "data")"#, version, more));
        let analysis = Analysis::new(&plan, &trace);
        let question = Question { analysis: &analysis, until: Time::from_secs(900), groups: &[] };
        let successor =
            trace.names.aliases().map(|(name, _)| name).find(|n| n.contains("web-")).unwrap();
        let told = explain(question, &find(&analysis, &format!("pod/{successor}")).unwrap());
        // Its predecessor, silent from 60 s on, is evicted 30 s after its node is; the VolumeAttachment is attached as soon as
        // it is created, which is at 660.600 s or a little later (below).
        assert!(told.verdict.contains("it waited from 2:"), "{}", told.verdict);
        assert!(
            told.verdict.contains(" to 11:00.")
                && told.verdict.ends_with("for its volume default/data, which a-0 had"),
            "{}",
            told.verdict
        );
        let detached = times(&trace, "attachment-deleting a-0");
        assert_eq!(detached.len(), usize::from(moves), "{version}");
        within(detached[0], 660_100, 660_301);
        within(times(&trace, "attachment-created a-")[1], 660_600, 661_052);
        let last = *running(&trace).last().unwrap();
        within(last, 660_100 + 500 + 500 + 1_000, 660_301 + 650 + 650 + 200 + 1_000);
    }
    let flag =
        r#"flags: (kube_controller_manager: {"disable-force-detach-on-timeout": true}), horizon:"#;
    let text = cluster(r#"(claim: "data")"#, "1.34", more).replacen("horizon:", flag, 1);
    assert!(times(&ran(&text).1, "attachment-deleting").is_empty());
    // The flag is of 1.30.
    let text = text.replace("1.34", "1.29");
    assert!(drawn(&text).is_err());
}

/// Out of service: the pod garbage collector deletes the pod at its next pass, every 20 s, and the volume is
/// detached at the next turn of the loop, whatever the node says (1.26 on; before only with the gate).
#[test]
fn a_node_out_of_service_gives_its_disk_away_at_once() {
    let more = r#"(at: "5m", do: Taint(nodes: Node("a-0"), taint: "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"))"#;
    let (_, trace) = ran(&cluster(r#"(claim: "data")"#, "1.34", more));
    let gone = times(&trace, "pod-gone")[0];
    within(gone, 300_000, 320_001);
    within(times(&trace, "attachment-deleting a-0")[0], gone, gone + 101);
    within(*running(&trace).last().unwrap(), gone + 2_000, gone + 101 + 650 + 650 + 200 + 1_000);
    let (_, old) = ran(&cluster(r#"(claim: "data")"#, "1.24", more));
    assert!(times(&old, "attachment-deleting").is_empty());
}

/// What several nodes may have at once is waited for by nobody: from its binding the pod takes the status
/// report of its node, at most ten seconds, and its second of start; a file share that is not attached only the
/// latter.
#[test]
fn what_many_may_have_does_not_wait() {
    let (_, trace) = ran(&cluster(r#"(claim: "data", access: RWX, attach: true)"#, "1.34", ""));
    within(running(&trace)[0], deleted(&trace) + 1_000, deleted(&trace) + 11_201);
    let (_, share) = ran(&cluster(r#"(claim: "data", access: RWX)"#, "1.34", ""));
    within(running(&share)[0], deleted(&share) + 1_000, deleted(&share) + 1_001);
    assert!(times(&share, "attachment-").is_empty());
}

/// A local volume is reached from its node alone, and one of a zone from that zone.
#[test]
fn a_disk_that_no_other_node_reaches_holds_its_pod_back() {
    let (_, trace) = ran(&cluster(r#"(claim: "data", reach: Node)"#, "1.34", ""));
    assert!(running(&trace).is_empty());
    let text = "3 node(s) didn't match PersistentVolume's node affinity";
    assert!(messages(&trace, "FailedScheduling").iter().all(|m| m.contains(text)));
    let (_, old) = ran(&cluster(r#"(claim: "data", reach: Node)"#, "1.32", ""));
    let text = "3 node(s) had volume node affinity conflict";
    assert!(messages(&old, "FailedScheduling").iter().any(|m| m.contains(text)));
    let zone = cluster(r#"(claim: "data")"#, "1.34", r#"(at: "61s", do: Crash(nodes: Zone("a")))"#);
    let (_, lost) = ran(&zone);
    assert!(running(&lost).is_empty());
    let text = "1 node(s) didn't match PersistentVolume's node affinity";
    assert!(messages(&lost, "FailedScheduling").iter().any(|m| m.contains(text)));
}

/// A second pod for a volume that only one pod may use waits until the first is gone: a drain deletes it within
/// its second of stopping.
#[test]
fn one_pod_alone_has_a_read_write_once_pod_disk() {
    for (version, said) in RWOP_TEXTS {
        let text = cluster(r#"(claim: "data", access: RWOP)"#, version, "");
        let (_, trace) = ran(&text.replace(
            "(at: \"60s\", do: Crash(nodes: Node(\"a-0\")))",
            "(at: \"60s\", do: Scale(workload: \"web\", replicas: 2))",
        ));
        assert!(running(&trace).is_empty());
        assert!(messages(&trace, "FailedScheduling").iter().all(|m| m.contains(said)));
        assert!(!messages(&trace, "FailedScheduling").is_empty());
    }
    // Where there is no such mode, that is told.
    for (version, told) in [("1.21", true), ("1.26", true), ("1.27", false)] {
        let (plan, _) = ran(&cluster(r#"(claim: "data", access: RWOP)"#, version, ""));
        let notes = plan.notes.join("\n");
        assert_eq!(notes.contains("`access: RWOP` of default/web counts as RWO"), told, "{notes}");
    }
}

/// `ErrReasonReadWriteOncePodConflict`
const RWOP_TEXTS: [(&str, &str); 2] = [
    (
        "1.33",
        "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
    ),
    (
        "1.34",
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    ),
];

/// A pod of higher priority wants the claim that one on `a-1` has. Of all pods that are weaker, one on each node without a
/// volume among them, that one alone makes room: with all others back (`SelectVictimsOnNode`) the count of users is 0, with it 1;
/// on other nodes it stays 1 whoever is taken away. Up to 1.26, where the gate is off, nobody asks.
#[test]
fn who_has_a_read_write_once_pod_claim_is_preempted() {
    let text = r#"Scenario(version: 1, kubernetes: "VERSION", horizon: "5m", timing: Ideal, GATES
        nodes: [(names: "a-{0..2}", zone: "a")],
        workloads: [
            Deployment(name: "other", replicas: 3, placement: Nodes(["a-0", "a-1", "a-2"])),
            Deployment(name: "weak", replicas: 1, placement: Node("a-1"), template: (volumes: [(claim: "data", access: RWOP)])),
            Deployment(name: "strong", replicas: 0, template: (priority: 1000, volumes: [(claim: "data", access: RWOP)])),
        ],
        timeline: [(at: "60s", do: Scale(workload: "strong", replicas: 1))])"#;
    let gates = r#"feature_gates: {"ReadWriteOncePod": true},"#;
    for (version, gates, preempts) in
        [("1.26", gates, false), ("1.27", "", true), ("1.34", "", true)]
    {
        let (_, trace) = ran(&text.replace("VERSION", version).replace("GATES", gates));
        let pods = |of: fn(&What) -> bool| -> Vec<String> {
            let found = trace.iter().filter(|r| r.at > Time::ZERO && of(&r.what));
            found.filter_map(|r| trace.fields(r).pod).collect()
        };
        let gone = pods(|what| matches!(what, What::PodDeleting(_)));
        let weak = gone.iter().filter(|name| name.contains("weak-")).count();
        let wanted = usize::from(preempts);
        assert_eq!((gone.len(), weak), (wanted, wanted), "{version}: {gone:?}");
        // It has the claim, and the successor of the other, which is weaker, waits.
        let bound = pods(|what| matches!(what, What::PodBound(_)));
        let strong = bound.iter().filter(|name| name.contains("strong-")).count();
        assert_eq!((bound.len(), strong), (wanted, wanted), "{version}: {bound:?}");
    }
}

/// What is wrong with a claim is said where it stands.
#[test]
fn mistakes_are_said_at_their_places() {
    let say = |volume: &str| {
        let text = cluster(volume, "1.34", "");
        drawn(&text).err().unwrap_or_else(|| panic!("{volume} builds"))
    };
    for (volume, said) in [
        (r#"(claim: "data", zone: "c")"#, "there is no zone `c`"),
        (r#"(claim: "data", node: "c-0")"#, "c-0"),
        (r#"(claim: "Da ta")"#, "claim `Da ta`"),
        (r#"(claim: "data", zone: "a", node: "a-0")"#, "not both"),
        (r#"(claim: "data", reach: Everywhere, zone: "a")"#, "neither `zone` nor `node`"),
        (r#"(claim: "data", access: RWY)"#, "RWY"),
        (r#"(claim: "data", reach: Node, binding: Immediate)"#, "no node is chosen yet"),
    ] {
        let found = say(volume);
        assert!(found.contains(said), "{volume}:\n{found}");
    }
}

/// Two nodes that take so many disks each, and a pod with a disk on either. The first is deleted at a minute.
fn full(version: &str, limit: u32, driver: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "20m", timing: Ideal,
            nodes: [(names: "a-{{0..1}}", zone: "a", capacity: {{"attachable-volumes-csi-disks.csi.example": "{limit}"}})],
            workloads: [StatefulSet(name: "db", replicas: 2, placement: Nodes(["a-0", "a-1"]), template: (volumes: [(claim: "data"{driver})]))],
            timeline: [(at: "60s", do: DeletePod(pods: Pod("db-0"))), (at: "2m", do: DeleteNode(nodes: Node("a-0")))])"#
    )
}

/// What the scheduler said of pods that found no node, each thing once.
fn refusals(trace: &Trace) -> Vec<String> {
    let mut said: Vec<String> = messages(trace, "FailedScheduling");
    said.dedup();
    said
}

/// A node takes as many volumes of a driver as its CSINode says, and of others any number
/// (`nodevolumelimits/csi.go: Filter`): a node that has one and takes one is full, one that takes two is not.
/// The pod that lost its node waits; 6 s for a pod whose node is gone that nobody has deleted are not in it.
#[test]
fn a_node_takes_so_many_volumes() {
    let said = |text: &str| refusals(&ran(text).1).join(" ");
    assert!(said(&full("1.31", 1, "")).contains("1 node(s) exceed max volume count"));
    assert!(!said(&full("1.31", 2, "")).contains("max volume count"));
    let other = full("1.31", 1, r#", driver: "other.csi.example""#);
    assert!(!said(&other).contains("max volume count"));
}

/// The drained node's disk is free, and the only other node lacks its driver. The scheduler binds the pod there all the same, as a CSINode
/// without an entry has no limit (`nodevolumelimits/csi.go: Filter`), and external-attacher refuses to attach it (`getNodeID`): the
/// pod never starts. Deleted there, and sent back, it has its disk again: nothing was attached that would have to be detached first.
#[test]
fn a_node_without_the_driver_attaches_nothing() {
    for version in ["1.20", "1.34", "1.37"] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "10m", timing: Ideal,
                nodes: [(name: "a-0", zone: "a"), (name: "a-1", zone: "a", capacity: {{"csinode-lacks-disks.csi.example": "1"}})],
                workloads: [Deployment(name: "web", replicas: 1, placement: Node("a-0"), template: (volumes: [(claim: "data")]))],
                timeline: [(at: "60s", do: Drain(node: "a-0")), (at: "5m", do: Uncordon(node: "a-0")),
                    (at: "5m", do: Drain(node: "a-1"))])"#
        );
        let (_, trace) = ran(&text);
        let told = messages(&trace, "FailedAttachVolume");
        let refused = r#"AttachVolume.Attach failed for volume "default-data" : CSINode a-1 does not contain driver disks.csi.example"#;
        assert!(told.iter().any(|m| m == refused), "{version}: {told:?}");
        let starts = running(&trace);
        assert!(matches!(starts[..], [at] if at > 300_000), "{version}: {starts:?}");
        let attached = times(&trace, "attachment-attached");
        assert!(attached.iter().all(|at| *at == 0 || *at > 300_000), "{version}: {attached:?}");
    }
}

/// From 1.37 on such a node is none for the pod, where the driver's object says so (`checkCSIDriverOnNode`).
#[test]
fn a_node_without_a_driver_that_is_asked_for_is_passed_over() {
    for (version, passes) in [("1.36", false), ("1.37", true)] {
        let (_, trace) = ran(&format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "10m", timing: Ideal,
                nodes: [(name: "a-0", zone: "a"), (name: "a-1", zone: "a", capacity: {{"csinode-lacks-disks.csi.example": "1",
                    "csidriver-prevents-disks.csi.example": "1"}})],
                workloads: [Deployment(name: "web", replicas: 1, placement: Node("a-0"), template: (volumes: [(claim: "data")]))],
                timeline: [(at: "60s", do: Drain(node: "a-0"))])"#
        ));
        let said = "1 disks.csi.example CSI driver is not installed on the node";
        assert_eq!(refusals(&trace).iter().any(|m| m.contains(said)), passes, "{version}");
    }
}

/// From 1.32 on what is attached counts beside what pods use (`getNodeVolumeAttachmentInfo`), so that a pod that
/// comes again to its node while its disk is attached there finds the node full by its own disk: it is counted
/// as attached and as new. Up to 1.31 it is bound at once.
#[test]
fn a_disk_that_is_still_attached_counts_twice() {
    for (version, waits) in [("1.31", false), ("1.32", true)] {
        let (_, trace) = ran(&full(version, 1, ""));
        let before = |at: u64| at < 120_000;
        let refused = trace.iter().any(|r| {
            let f = trace.fields(r);
            before(r.at.as_millis())
                && f.reason.as_deref() == Some("FailedScheduling")
                && f.message.is_some_and(|m| m.contains("max volume count"))
        });
        assert_eq!(refused, waits, "{version}");
        // Either way it runs again: there is a place for it once the disk is detached.
        assert!(running(&trace).iter().any(|at| before(*at)), "{version}");
    }
}

/// A pod of a StatefulSet on the first of two nodes in each of two zones, and a second one from one minute on, whose
/// disk takes 8.5 s to make.
pub(super) fn grows(version: &str, more: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "5m", timing: Ideal,
            nodes: [(names: "a-{{0..1}}", zone: "a"), (names: "b-{{0..1}}", zone: "b")],
            workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("a-0"), template: (volumes: [(claim: "data", provision: "8500ms")]))],
            timeline: [(at: "60s", do: Scale(workload: "db", replicas: 2)), {more}])"#
    )
}

/// The nodes of records with these words after the start.
pub(super) fn nodes(trace: &Trace, words: &str) -> Vec<String> {
    let later = trace.iter().filter(|r| r.at > Time::ZERO).map(|r| trace.fields(r));
    later.filter(|f| f.what == words).filter_map(|f| f.node).collect()
}

/// The scheduler chooses a node at once, and looks every second from then on (`BindPodVolumes`: `PollUntilContextTimeout`
/// with a second): a disk that is there after 8.5 s is seen after 9. The pod that was there from the start had its own.
#[test]
fn a_new_disk_is_made_for_the_node_that_is_chosen() {
    for version in ["1.18", "1.27", "1.34", "1.37"] {
        let (plan, trace) = ran(&grows(version, ""));
        let (asked, made) =
            (times(&trace, "provisioning "), times(&trace, "provisioning-succeeded"));
        assert_eq!((asked.len(), made.len()), (1, 1), "{version}");
        within(asked[0], 60_000, 60_100);
        assert_eq!(made[0], asked[0] + 8_500, "{version}");
        let bound: Vec<u64> = times(&trace, "pod-bound").into_iter().filter(|t| *t > 0).collect();
        assert_eq!(bound, [asked[0] + 9_000], "{version}");
        assert_eq!(nodes(&trace, "pod-bound"), nodes(&trace, "provisioning"), "{version}");
        assert!(messages(&trace, "FailedScheduling").is_empty(), "{version}");
        let analysis = Analysis::new(&plan, &trace);
        let verdict = |until| {
            let question = Question { analysis: &analysis, until, groups: &[] };
            explain(question, &find(&analysis, "pod/db-1").unwrap()).verdict
        };
        let said = verdict(Time::from_secs(65));
        assert!(said.contains("its volume default/data-db-1 is being made since 1:00"), "{said}");
    }
}

/// Its node is deleted while its disk is made: the scheduler sees that with its next look, and finds no other node as
/// long as the claim says that one. Once the disk is there, the other node of its zone will do.
#[test]
fn a_disk_that_is_made_for_a_node_that_is_gone_stays_in_its_zone() {
    let (_, trace) = ran(&grows("1.34", ""));
    let chosen = nodes(&trace, "provisioning").remove(0);
    let other = format!("{}-{}", &chosen[..1], if chosen.ends_with('0') { 1 } else { 0 });
    let more = format!(r#"(at: "62.5s", do: DeleteNode(nodes: Node("{chosen}")))"#);
    let (_, trace) = ran(&grows("1.34", &more));
    let said = refusals(&trace);
    let gone = format!(
        r#"running PreBind plugin "VolumeBinding": binding volumes: failed to get node "{chosen}": node "{chosen}" not found"#
    );
    assert_eq!(said[0], gone);
    let text =
        "0/3 nodes are available: 3 node(s) didn't find available persistent volumes to bind.";
    assert!(said[1].starts_with(text), "{said:?}");
    let failed = times(&trace, "FailedScheduling");
    within(failed[0], 63_000, 63_100);
    assert!(nodes(&trace, "pod-bound").contains(&other), "{said:?}");
    let made = times(&trace, "provisioning-succeeded")[0];
    let bound: Vec<u64> = times(&trace, "pod-bound").into_iter().filter(|t| *t > 0).collect();
    // After a back-off of ten seconds at most, and its first second.
    within(bound[0], made, made + 11_000);
}

/// Two pods that share a claim come at once: while the disk is made for a node, the other pod fits there alone. Without
/// that they would go to two nodes.
#[test]
fn who_shares_a_claim_waits_for_the_same_node() {
    let text = |provision| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "2m", timing: Ideal, nodes: [(names: "a-{{0..2}}", zone: "a")],
            workloads: [Deployment(name: "web", replicas: 0, template: (volumes: [(claim: "data"{provision})]))],
            timeline: [(at: "10s", do: Scale(workload: "web", replicas: 2))])"#
        )
    };
    let (_, trace) = ran(&text(r#", provision: "5s""#));
    let on = nodes(&trace, "pod-bound");
    assert_eq!((on.len(), nodes(&trace, "provisioning").len()), (2, 1));
    assert_eq!(on[0], on[1]);
    let (_, trace) = ran(&text(""));
    let on = nodes(&trace, "pod-bound");
    assert_ne!(on[0], on[1]);
}

/// The second pod does not wait for the first.
const PARALLEL: &str = "replicas: 1, podManagementPolicy: Parallel";

/// With `Immediate` a volume is made in the zone that the claim's name decides: the hash of `db` (FNV-1, 32 bits) is
/// 1836525763, and 1836525763 + 1, the pod's number, is even, so that of `data-db-1` is in the first of two zones. The pod
/// is tried at once, in vain, and again when the volume is there, before its claim is bound. From 1.33 on an idle scheduler takes
/// it from its back-off then; before it waits for two failures' 2 s, and for the next whole second.
#[test]
fn an_immediate_disk_is_where_its_name_says() {
    let now = r#"provision: "8500ms", binding: Immediate"#;
    for (version, more) in [
        ("1.20", String::new()),
        ("1.32", String::new()),
        ("1.33", String::new()),
        ("1.34", String::new()),
        ("1.37", String::new()),
        // The zone is lost: the volume is made there all the same.
        ("1.34", r#"(at: "10s", do: Crash(nodes: Zone("a")))"#.to_owned()),
    ] {
        let (plan, trace) = ran(&grows(version, &more)
            .replace(r#"provision: "8500ms""#, now)
            .replace("replicas: 1", PARALLEL));
        let asked = times(&trace, "provisioning-immediately")[0];
        within(asked, 60_000, 60_100);
        assert_eq!(times(&trace, "provisioned-immediately"), [asked + 8_500]);
        let said = refusals(&trace);
        assert!(said[0].contains("pod has unbound immediate PersistentVolumeClaims"), "{said:?}");
        // DynamicResources, which is there from 1.34 on, was not asked before, and finds no state of its own (`getStateData`).
        let has_devices = matches!(version, "1.34" | "1.37");
        assert_eq!(said[0].ends_with("PersistentVolumeClaims. not found"), has_devices, "{said:?}");
        let on = nodes(&trace, "pod-bound");
        if more.is_empty() {
            assert!(on.len() == 1 && on[0].starts_with("a-"), "{version}: {on:?}");
            let bound: Vec<u64> =
                times(&trace, "pod-bound").into_iter().filter(|t| *t > 0).collect();
            let made = asked + 8_500;
            match version {
                "1.20" | "1.32" => within(bound[0], made + 2_000, made + 3_100),
                _ => within(bound[0], made, made + 200),
            }
        } else {
            assert!(on.is_empty(), "{on:?}");
            let analysis = Analysis::new(&plan, &trace);
            let question =
                Question { analysis: &analysis, until: Time::from_secs(65), groups: &[] };
            let told = explain(question, &find(&analysis, "pod/db-1").unwrap()).verdict;
            assert!(told.contains("no node suits; VolumeBinding"), "{told}");
        }
    }
}
