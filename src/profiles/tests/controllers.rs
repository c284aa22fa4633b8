//! The switches of the controllers, of the scheduler and of evictions.

use super::*;
use crate::kernel::Dur;
use crate::plan::Profile;
use crate::plan::switches::kubelet::EvictionMessage;
use crate::plan::switches::node_lifecycle::{ConditionTaints, EvictionMode, Requeue};
use crate::plan::switches::scheduler::{FitWords, ImageScores, InternalErrors, TaintMessage};
use crate::plan::switches::taint_eviction::{DisruptionTarget, FinishedEntry};

#[test]
fn taint_eviction_switches() {
    boundary(
        "S1",
        |p| p.taint_eviction.forever_cancels,
        &["1.6.0", "1.15.12", "1.16.13", "1.17.11", "1.18.8"],
        &["1.16.14", "1.17.12", "1.18.9", "1.19.0", "1.37.1"],
    );
    use DisruptionTarget::{Apply, Off, PatchIfChanged};
    check(
        "S11",
        |p| p.taint_eviction.disruption_target,
        &[
            ("1.24.17", Off),
            ("1.25.16", Off),
            ("1.26.0", Apply),
            ("1.26.10", Apply),
            ("1.26.11", PatchIfChanged),
            ("1.27.0", Apply),
            ("1.27.7", Apply),
            ("1.27.8", PatchIfChanged),
            ("1.28.0", Apply),
            ("1.28.3", Apply),
            ("1.28.4", PatchIfChanged),
            ("1.29.0", PatchIfChanged),
            ("1.34.0", PatchIfChanged),
            ("1.37.1", PatchIfChanged),
        ],
    );
    let of = |p: &Profile| p.taint_eviction.separate_controller;
    boundary("S15", of, &["1.28.15"], &["1.29.0", "1.34.0", "1.37.0"]);
    boundary("S17", |p| p.taint_eviction.one_clock_reading, &["1.29.15"], &["1.30.0", "1.37.0"]);
    check(
        "S19",
        |p| p.taint_eviction.finished_entry,
        &[
            ("1.6.0", FinishedEntry::Nil),
            ("1.32.13", FinishedEntry::Nil),
            ("1.33.0", FinishedEntry::Deleted),
        ],
    );
    boundary("S21", |p| p.taint_eviction.cancelled_flag, &["1.34.12"], &["1.35.0", "1.37.1"]);
    let of = |p: &Profile| p.taint_eviction.comparison_operators;
    boundary("S24", of, &["1.34.0", "1.35.0", "1.36.0", "1.37.1"], &[]);
    check(
        "workers",
        |p| p.taint_eviction.workers,
        &[("1.6.0", 1), ("1.10.13", 1), ("1.11.0", 8), ("1.37.1", 8)],
    );
    boundary(
        "live list",
        |p| p.taint_eviction.pods_by_live_list,
        &["1.14.8", "1.15.5", "1.16.0", "1.37.1"],
        &["1.6.0", "1.13.12", "1.14.7", "1.15.4"],
    );
}

#[test]
fn eviction_switches() {
    boundary("S53", |p| p.kubelet.eviction.soft_grace_is_capped, &["1.31.14"], &["1.32.0"]);
    boundary("S54", |p| p.kubelet.eviction.fails_first, &["1.22.0", "1.37.1"], &["1.21.14"]);
    boundary("S55", |p| p.kubelet.eviction.disruption_target, &["1.25.16"], &["1.26.0", "1.37.1"]);
    check(
        "S56",
        |p| p.kubelet.eviction.message,
        &[("1.25.16", EvictionMessage::Exceeds), ("1.26.0", EvictionMessage::WithThreshold)],
    );
    boundary("S57", |p| p.kubelet.eviction.ranks_processes, &["1.18.20"], &["1.19.0", "1.37.1"]);
    boundary("S58", |p| p.kubelet.eviction.image_inodes_by_default, &["1.29.6"], &["1.30.0"]);
}

#[test]
fn node_lifecycle_switches() {
    use Requeue::{Correct, HeapDuplicates, Never};
    check(
        "S2",
        |p| p.node_lifecycle.requeue,
        &[
            ("1.17.17", Never),
            ("1.18.16", Never),
            ("1.18.17", Correct),
            ("1.19.0", HeapDuplicates),
            ("1.19.8", HeapDuplicates),
            ("1.19.9", Correct),
            ("1.20.0", HeapDuplicates),
            ("1.20.4", HeapDuplicates),
            ("1.20.5", Correct),
            ("1.21.0", Correct),
            ("1.37.1", Correct),
        ],
    );
    boundary("S3", |p| p.node_lifecycle.pod_event, &["1.18.20"], &["1.19.0", "1.37.1"]);
    let of = |p: &Profile| p.node_lifecycle.exclude_master_names;
    boundary("S4", of, &["1.21.0", "1.22.0"], &["1.6.0", "1.15.0", "1.16.0", "1.20.15"]);
    boundary(
        "S5",
        |p| p.node_lifecycle.exclude_label,
        &["1.15.12", "1.16.0", "1.18.20"],
        &["1.19.0", "1.20.0", "1.21.0", "1.22.0"],
    );
    let of = |p: &Profile| p.cloud.taint_patch_has_version;
    boundary("cloud: versions in patches", of, &["1.22.17", "1.23.12"], &["1.23.17", "1.26.0"]);
    boundary(
        "cloud: initialization by a queue",
        |p| !p.cloud.initializes_in_handler,
        &["1.18.20", "1.19.16"],
        &["1.20.0", "1.37.1"],
    );
    boundary(
        "cloud: the reason of a node's deletion",
        |p| !p.cloud.message_as_reason,
        &["1.18.20", "1.20.15"],
        &["1.21.0", "1.37.1"],
    );
    boundary(
        "S85",
        |p| p.disruption.empty_selects_all,
        &["1.6.0", "1.20.15"],
        &["1.21.0", "1.37.1"],
    );
    boundary(
        "S8",
        |p| p.node_lifecycle.taint_patch_has_version,
        &["1.22.17", "1.23.12", "1.24.7", "1.25.3"],
        &["1.23.13", "1.24.8", "1.25.4", "1.26.0", "1.37.1"],
    );
    boundary(
        "S12",
        |p| p.node_lifecycle.lock_across_calls,
        &["1.25.0", "1.37.1"],
        &["1.6.0", "1.24.17"],
    );
    check("S13", |p| p.node_lifecycle.pass_workers, &[("1.26.15", 1), ("1.27.0", 8)]);
    let lets_in = |p: &Profile| (p.scheduler.lets_in, p.scheduler.lets_in_after_failure);
    check("S59", lets_in, &[("1.34.12", (125, 125)), ("1.35.0", (0, 400))]);
    let woken = [("1.26.15", 125), ("1.27.0", 600), ("1.33.0", 125), ("1.35.0", 0)];
    check("S59", |p| p.scheduler.lets_in_woken, &woken);
    check(
        "S66",
        |p| p.scheduler.internal_errors,
        &[
            ("1.25.16", InternalErrors::Final),
            ("1.26.0", InternalErrors::StatusRetried),
            ("1.36.3", InternalErrors::StatusRetried),
            ("1.37.0", InternalErrors::BindingRetried),
        ],
    );
    check(
        "S34",
        |p| p.node_lifecycle.start_amid_pass,
        &[("1.26.15", 60), ("1.27.0", 940), ("1.35.4", 940), ("1.36.0", 650)],
    );
    boundary(
        "S14",
        |p| p.node_lifecycle.timeout_mode_available,
        &["1.27.0", "1.37.1"],
        &["1.6.0", "1.26.15"],
    );
    boundary("S16", |p| p.node_lifecycle.retry_without_ready, &["1.29.15"], &["1.30.0"]);
    let seconds = Dur::from_secs;
    check(
        "S18",
        |p| p.node_monitor_grace_period,
        &[("1.6.0", seconds(40)), ("1.31.14", seconds(40)), ("1.32.0", seconds(50))],
    );
    boundary(
        "S20",
        |p| p.node_lifecycle.taint_on_observed,
        &["1.34.0", "1.37.1"],
        &["1.6.0", "1.33.13"],
    );
    boundary("S25", |p| p.node_lifecycle.lease_circuit_breaker, &["1.36.5"], &["1.37.0", "1.37.1"]);
    use EvictionMode::{Taints, Timeout};
    check(
        "S31",
        |p| p.node_lifecycle.eviction_mode,
        &[
            ("1.6.0", Timeout),
            ("1.12.10", Timeout),
            ("1.13.0", Taints),
            ("1.18.0", Taints),
            ("1.20.0", Taints),
            ("1.37.1", Taints),
        ],
    );
}

#[test]
fn the_early_era_of_the_node_lifecycle_controller() {
    use ConditionTaints::{Mapped, Off};
    check(
        "condition taints",
        |p| p.node_lifecycle.condition_taints,
        &[
            ("1.7.16", Off),
            ("1.8.0", Off),
            ("1.11.10", Off),
            ("1.12.0", Mapped),
            ("1.17.0", Mapped),
            ("1.18.0", Mapped),
        ],
    );
    boundary("swap", |p| p.node_lifecycle.swap_without_limiter, &["1.6.1"], &["1.6.2", "1.7.0"]);
    boundary("alpha keys", |p| p.node_lifecycle.alpha_taint_keys, &["1.9.0"], &["1.6.0", "1.8.15"]);
    boundary(
        "renaming",
        |p| p.node_lifecycle.rename_alpha_taints,
        &["1.8.15", "1.14.0"],
        &["1.9.0", "1.13.12"],
    );
    boundary("pid taint", |p| p.node_lifecycle.pid_pressure_taint, &["1.9.11"], &["1.10.0"]);
    boundary("pid unknown", |p| p.node_lifecycle.pid_pressure_unknown, &["1.12.10"], &["1.13.0"]);
    boundary("out of disk", |p| p.node_lifecycle.out_of_disk, &["1.14.0"], &["1.6.0", "1.13.12"]);
    boundary(
        "zone labels",
        |p| p.node_lifecycle.beta_zone_labels,
        &["1.17.0"],
        &["1.6.0", "1.16.15"],
    );
    let late = ["1.15.11", "1.16.8", "1.17.0", "1.37.1"];
    boundary(
        "pod workers",
        |p| p.node_lifecycle.pod_workers,
        &["1.14.10", "1.15.10", "1.16.7"],
        &late,
    );
    boundary(
        "later pods",
        |p| p.node_lifecycle.evicted_node_sheds_new_pods,
        &["1.15.10", "1.16.7"],
        &late,
    );
    boundary(
        "admission",
        |p| p.taint_nodes_by_condition,
        &["1.11.10", "1.12.5", "1.13.2"],
        &["1.12.6", "1.13.3", "1.14.0", "1.37.1"],
    );
    boundary("leases", |p| p.node_lifecycle.leases, &["1.12.10", "1.13.12"], &["1.14.0", "1.37.1"]);
}

/// `pkg/controller/statefulset` and `pkg/controller/daemon` at the patches around each change.
#[test]
fn stateful_and_daemon_set_switches() {
    use crate::plan::switches::workload::TerminalPods::{Delete, Recreate, RecreateFailed};
    let ended = [
        ("1.18.20", RecreateFailed),
        ("1.27.8", RecreateFailed),
        ("1.27.9", Recreate),
        ("1.28.4", RecreateFailed),
        ("1.28.5", Recreate),
        ("1.28.11", Delete),
        ("1.29.5", Recreate),
        ("1.29.6", Delete),
        ("1.30.1", Recreate),
        ("1.30.2", Delete),
        ("1.31.0", Delete),
    ];
    check("ended pods", |p| p.workload.stateful_set.terminal_pods, &ended);
    boundary(
        "batches",
        |p| p.workload.stateful_set.batches,
        &["1.25.11", "1.26.6", "1.27.3"],
        &["1.25.12", "1.26.7", "1.27.4", "1.28.0"],
    );
    boundary(
        "minReadySeconds",
        |p| p.workload.stateful_set.min_ready_seconds,
        &["1.21.14", "1.22.17"],
        &["1.23.0", "1.27.0", "1.37.1"],
    );
    let own_writes: [fn(&Profile) -> bool; 4] = [
        |p| p.workload.waits_for_own_writes,
        |p| p.workload.stateful_set.waits_for_own_writes,
        |p| p.workload.daemon_set.waits_for_own_writes,
        |p| p.workload.job.waits_for_own_writes,
    ];
    for of in own_writes {
        boundary("own writes", of, &["1.35.0"], &["1.36.0", "1.37.1"]);
    }
    boundary(
        "status after error",
        |p| p.workload.daemon_set.status_after_error,
        &["1.25.5", "1.26.0"],
        &["1.25.6", "1.26.1", "1.27.0"],
    );
    boundary(
        "succeeded daemon pods",
        |p| p.workload.daemon_set.replaces_succeeded,
        &["1.25.16", "1.26.4"],
        &["1.26.5", "1.27.0"],
    );
    boundary(
        "ended daemon pods",
        |p| p.workload.daemon_set.ended_pods_make_room,
        &["1.26.6", "1.27.3"],
        &["1.26.7", "1.27.4", "1.28.0"],
    );
    boundary("node queue", |p| p.workload.daemon_set.node_queue, &["1.32.13"], &["1.33.0"]);
}

#[test]
fn scheduler_and_pod_gc_switches() {
    boundary(
        "S10",
        |p| p.pod_gc.out_of_service,
        &["1.23.17", "1.24.0", "1.25.16"],
        &["1.26.0", "1.28.0", "1.32.0", "1.37.1"],
    );
    boundary(
        "S11",
        |p| p.pod_gc.marks_failed,
        &["1.24.17", "1.25.0"],
        &["1.26.0", "1.31.0", "1.34.0"],
    );
    boundary(
        "S11",
        |p| p.pod_gc.disruption_target,
        &["1.24.17", "1.25.0"],
        &["1.26.0", "1.31.0", "1.34.0"],
    );
    boundary(
        "S27",
        |p| p.scheduler.queueing_hints,
        &["1.27.16", "1.28.5", "1.28.15", "1.29.0", "1.31.14"],
        &["1.28.0", "1.28.4", "1.32.0", "1.34.0", "1.37.1"],
    );
    let before = |last| ["1.22.0", last];
    boundary("S68", |p| p.scheduler.claim_in_use_text, &before("1.33.13"), &["1.34.0", "1.37.1"]);
    boundary(
        "S69",
        |p| p.scheduler.preempts_claim_holders,
        &before("1.26.15"),
        &["1.27.0", "1.37.1"],
    );
    boundary("S70", |p| p.scheduler.skips_free_claims, &before("1.27.16"), &["1.28.0", "1.37.1"]);
    boundary("S71", |p| p.scheduler.nominates_expected, &before("1.34.9"), &["1.35.0", "1.37.1"]);
    boundary("S124", |p| p.scheduler.misses_drivers, &["1.34.9", "1.36.3"], &["1.37.1"]);
    assert!(gated("1.35.0", &[("VolumeLimitScaling", true)]).unwrap().scheduler.misses_drivers);
    let manager = |p: &Profile| p.streams_first_lists;
    boundary("S75", manager, &["1.31.14", "1.33.13"], &["1.32.0", "1.34.0", "1.37.1"]);
    let of = |p: &Profile| p.scheduler.streams_first_lists;
    boundary("S75", of, &["1.33.13", "1.34.12"], &["1.35.0", "1.37.1"]);
    boundary("S76", |p| p.workload.job.ready_pods, &["1.18.20", "1.23.17"], &["1.24.0", "1.37.1"]);
    let unready = |p: &Profile| p.workload.job.deleted_are_unready;
    boundary("S98", unready, &["1.24.17", "1.30.14"], &["1.31.0", "1.37.1"]);
    boundary(
        "S84",
        |p| p.scheduler.storage_capacity,
        &["1.18.20", "1.20.15"],
        &["1.21.0", "1.37.1"],
    );
    let names = |p: &Profile| p.persistent_volume.names_waiting_pods;
    boundary("S87", names, &["1.18.20"], &["1.19.0", "1.37.1"]);
    let verifies = |p: &Profile| p.persistent_volume.says_what_to_verify;
    boundary("S88", verifies, &["1.22.0", "1.27.16"], &["1.28.0", "1.37.1"]);
}

#[test]
fn switches_of_the_oldest_schedulers_and_of_their_words() {
    let ends = |last| ["1.6.0", "1.7.16", last];
    let checks = |p: &Profile| !p.scheduler.checks_node_condition;
    boundary("S89", checks, &ends("1.11.10"), &["1.12.0", "1.37.1"]);
    boundary("S89", |p| !p.scheduler.checks_pressure, &ends("1.11.10"), &["1.12.0", "1.37.1"]);
    boundary("S89", |p| p.scheduler.checks_pid_pressure, &ends("1.10.13"), &["1.11.0", "1.11.10"]);
    use FitWords::{Described, Following, Names, Predicates};
    let words = [
        ("1.6.0", Following),
        ("1.7.16", Following),
        ("1.8.0", Predicates),
        ("1.8.15", Predicates),
        ("1.9.0", Names),
        ("1.9.11", Names),
        ("1.10.0", Described),
        ("1.37.1", Described),
    ];
    check("S103", |p| p.scheduler.fit_words, &words);
    boundary("S105", |p| p.pod_gc.quarantine, &ends("1.16.15"), &["1.17.0", "1.37.1"]);
    boundary("S104", |p| p.scheduler.too_many_pods, &ends("1.17.17"), &["1.18.0", "1.37.1"]);
    let scheduled = |p: &Profile| p.workload.daemon_set.scheduled;
    boundary("S102", scheduled, &ends("1.11.10"), &["1.12.0", "1.37.1"]);
    let backs_off = |p: &Profile| p.workload.daemon_set.backs_off;
    boundary("S102", backs_off, &ends("1.11.10"), &["1.12.0", "1.37.1"]);
    let first = |p: &Profile| !p.scheduler.general_predicates;
    boundary("S97", first, &ends("1.16.15"), &["1.17.0", "1.37.1"]);
    check("S28", |p| p.scheduler.weights.taint_toleration, &[("1.22.17", 1), ("1.23.0", 3)]);
    check(
        "S29",
        |p| p.scheduler.unschedulable_flush,
        &[("1.23.17", Dur::from_secs(60)), ("1.24.0", Dur::from_secs(300))],
    );
    use TaintMessage::{NamesTaint, Plain, Untolerated, UntoleratedPlural};
    let messages = [
        ("1.17.17", Plain),
        ("1.18.0", NamesTaint),
        ("1.23.17", NamesTaint),
        ("1.24.0", Untolerated),
        ("1.34.0", UntoleratedPlural),
    ];
    check("message", |p| p.scheduler.taint_message, &messages);
    boundary(
        "a scheduler's PATCH of a pod's status",
        |p| !p.scheduler.status_by_update && p.scheduler.hopeless_nomination_frees,
        &["1.17.17", "1.18.0", "1.18.20"],
        &["1.19.0", "1.19.16", "1.37.1"],
    );
}

#[test]
fn drains_and_ends_of_jobs() {
    boundary(
        "a drain asks for the subresource only",
        |p| !p.eviction.drain_asks_for_groups,
        &["1.18.20", "1.21.14"],
        &["1.22.0", "1.37.1"],
    );
    boundary(
        "a drain goes on after a failure",
        |p| !p.eviction.drain_stops_at_failure,
        &["1.18.20", "1.22.17"],
        &["1.23.0", "1.37.1"],
    );
    boundary(
        "a drain polls from the start",
        |p| p.eviction.drain_polls_from_start,
        &["1.18.20", "1.31.14"],
        &["1.32.0", "1.37.1"],
    );
    boundary(
        "a drain reads refused pods again",
        |p| p.eviction.drain_rereads_refused_pods,
        &["1.18.20", "1.34.4"],
        &["1.35.0", "1.37.1"],
    );
    boundary(
        "a Job's end is told once it is written",
        |p| !p.workload.job.tells_end_before_status,
        &["1.18.20", "1.25.16"],
        &["1.26.0", "1.37.1"],
    );
}

#[test]
fn attach_detach_switches() {
    let looks_after =
        |p: &Profile| p.attach_detach.looks_after.map_or(0, |after| after.as_millis());
    check(
        "S36, S107",
        looks_after,
        &[("1.20.15", 0), ("1.21.14", 525), ("1.22.17", 525), ("1.23.17", 500)],
    );
    // `GenerateDetachVolumeFunc`
    boundary(
        "S120",
        |p| p.attach_detach.failed_detach_is_uncertain,
        &["1.16.15", "1.25.16", "1.26.9", "1.27.6", "1.28.2"],
        &["1.26.10", "1.27.7", "1.28.3", "1.29.0", "1.37.1"],
    );
    // `csi_attacher.go`
    let text = |of: Option<&str>| of.and_then(|t| t.split(' ').next()).unwrap_or_default().len();
    let texts = [("1.16.15", 10), ("1.17.17", 16), ("1.20.15", 16), ("1.21.14", 6), ("1.23.17", 6)];
    for (version, letters) in texts.into_iter().chain([("1.24.17", 0), ("1.37.1", 0)]) {
        let profile = profile(version).unwrap();
        assert_eq!(text(profile.attach_detach.timeout_text), letters, "S121 in {version}");
    }
    // `podDelete` of `attach_detach_controller.go`
    let hears = |p: &Profile| p.attach_detach.hears_of_unseen_ends;
    boundary("S122", hears, &["1.18.20", "1.35.4"], &["1.36.0", "1.37.1"]);
}

/// `EventsToRegister` of `volumebinding/volume_binding.go` in 1.22.17 and 1.23.17.
#[test]
fn what_wakes_pods_that_wait_for_volumes() {
    let by_any = |p: &Profile| p.scheduler.nodes_wake_volumes;
    boundary(
        "S108",
        |p| !p.scheduler.nodes_wake_volumes,
        &["1.18.20", "1.22.17"],
        &["1.23.17", "1.34.4"],
    );
    assert!(by_any(&profile("1.22.17").unwrap()));
}

#[test]
fn device_taint_switches() {
    let taints = |p: &Profile| p.device_taint_eviction.taints;
    boundary("S60", taints, &["1.33.0", "1.35.9"], &["1.36.0", "1.37.0"]);
    let rules = |p: &Profile| p.device_taint_eviction.rules; // off in 1.36 (`kube_features.go`)
    boundary("S60", rules, &["1.35.9", "1.36.3"], &["1.37.0", "1.37.1"]);
    assert!(rules(&gated("1.36", &[("DRADeviceTaintRules", true)]).unwrap()));
    let devices = |p: &Profile| p.scheduler.dynamic_resources;
    boundary("S106", devices, &["1.18.20", "1.33.13"], &["1.34.0", "1.37.1"]);
    let neither = [("DRADeviceTaints", false), ("DRADeviceTaintRules", false)];
    assert!(!rules(&gated("1.37", &neither).unwrap()));
    // Dynamic resource allocation itself is off in 1.33, and rules have a gate of their own from 1.35 on.
    let on = |version: &str, gates: &[&str]| {
        let gates: Vec<_> = gates.iter().map(|gate| (*gate, true)).collect();
        let profile = gated(version, &gates).unwrap();
        (taints(&profile), rules(&profile), profile.scheduler.claims_text)
    };
    assert_eq!(on("1.33", &["DRADeviceTaints"]), (false, false, false));
    let both = ["DynamicResourceAllocation", "DRADeviceTaints"];
    assert_eq!(on("1.33", &both), (true, true, true));
    assert_eq!(on("1.34", &["DRADeviceTaints"]), (true, true, true));
    assert_eq!(on("1.35", &["DRADeviceTaints"]), (true, false, true));
    assert_eq!(on("1.35", &["DRADeviceTaints", "DRADeviceTaintRules"]), (true, true, true));

    let (before, from) = (&["1.33.13", "1.34.11"], &["1.35.0", "1.37.1"]);
    boundary("S77", |p| p.device_taint_eviction.allocated_tolerations, before, from);
    boundary("S78", |p| p.device_taint_eviction.work_queue, before, from);
    let delayed = |p: &Profile| p.device_taint_eviction.delayed_status;
    boundary("S79", delayed, &["1.34.11", "1.35.0", "1.35.2"], &["1.35.3", "1.36.0", "1.37.1"]);
    let (before, from) = (&["1.34.11", "1.35.8"], &["1.36.0", "1.37.1"]);
    boundary("S80", |p| p.device_taint_eviction.evicted_pods, before, from);
    boundary("S81", |p| p.device_taint_eviction.every_consumer, before, from);
    boundary("S82", |p| p.device_taint_eviction.bumps_time_added, before, from);
    boundary("S83", |p| p.scheduler.deallocated_text, before, from);
    // `allocateOne` goes on without `subRequestIndex` in 0.33.0, .13, 0.34.0 to .12, 0.35.0 and .4, and with it in 0.36.0.
    boundary("S123", |p| p.scheduler.whole_alternatives, before, from);
    // `kube_features.go`: off in 1.33, on from 1.34; #134711 is in 1.35.0.
    let lists = |p: &Profile| p.scheduler.prioritized_list;
    boundary("S90", lists, &["1.33.0", "1.33.13"], &["1.34.0", "1.37.1"]);
    assert!(lists(&gated("1.33", &[("DRAPrioritizedList", true)]).unwrap()));
    assert!(!lists(&gated("1.36", &[("DRAPrioritizedList", false)]).unwrap()));
    assert!(gated("1.37", &[("DRAPrioritizedList", false)]).is_err());
    boundary("S91", |p| p.scheduler.scores_devices, &["1.34.11"], &["1.35.0", "1.37.1"]);
}

#[test]
fn images_of_several_containers() {
    let per_container = |p: &Profile| p.scheduler.image_scores != ImageScores::AsOne;
    boundary("S96", per_container, &["1.18.20"], &["1.19.16", "1.37.1"]);
    let with_init = |p: &Profile| p.scheduler.image_scores == ImageScores::WithInit;
    boundary("S96", with_init, &["1.29.15"], &["1.30.14", "1.37.1"]);
}

/// `byEvictionAndCreationTimestamp` is in 1.27.0 and not in 1.26.15, `compareMaxContainerRestarts` in 1.32.0 and not in 1.31.14.
#[test]
fn which_pods_go_first() {
    boundary("S109", |p| p.pod_gc.evicted_first, &["1.18.20", "1.26.15"], &["1.27.0", "1.37.1"]);
    let (before, from) = (&["1.18.20", "1.31.14"], &["1.32.0", "1.37.1"]);
    boundary("S110", |p| p.workload.sidecar_restarts, before, from);
    boundary("S110", |p| p.workload.job.sidecar_restarts, before, from);
}
