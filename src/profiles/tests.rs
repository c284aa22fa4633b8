//! Every switch at its boundaries: the release before a change, and the first one with it. The
//! releases are those of the reference's list of switches, written out again here and not computed
//! from the table under test.

use super::oldest::oldest;
use super::steps::STEPS;
use super::*;
use crate::kernel::Dur;
use crate::plan::Profile;
use crate::plan::switches::kubelet::{
    EvictionMessage, FirstTry, KillGrace, NoSeconds, Pulled, RefusedAtStart, ReportOffset,
    ShutdownPhase,
};
use crate::plan::switches::node_lifecycle::{ConditionTaints, EvictionMode, Requeue};
use crate::plan::switches::scheduler::{InternalErrors, PreemptionWrites, TaintMessage};
use crate::plan::switches::taint_eviction::{DisruptionTarget, FinishedEntry};
use std::collections::BTreeMap;
use std::fmt::Debug;

fn check<T: PartialEq + Debug>(row: &str, read: fn(&Profile) -> T, expected: &[(&str, T)]) {
    for (version, value) in expected {
        let profile = profile(version).unwrap_or_else(|e| panic!("{row}: {version}: {e}"));
        assert_eq!(&read(&profile), value, "{row} in {version}");
    }
}

/// A change that holds from certain patches on: `before` are the releases without it, `from` those
/// with it.
fn boundary(row: &str, read: fn(&Profile) -> bool, before: &[&str], from: &[&str]) {
    let without = before.iter().map(|v| (*v, false));
    let with = from.iter().map(|v| (*v, true));
    check(row, read, &without.chain(with).collect::<Vec<_>>());
}

/// A later step overrides an earlier one of the same switch: in the order of releases they have to
/// say what they say in the order of the table, for every release.
#[test]
fn steps_of_one_switch_stand_in_release_order() {
    let mut sorted: Vec<_> = STEPS.iter().collect();
    sorted.sort_by_key(|step| step.since.iter().max());
    for release in Release::all_minors() {
        let (mut as_listed, mut in_order) = (oldest(), oldest());
        for (listed, next) in STEPS.iter().zip(&sorted) {
            for (step, profile) in [(listed, &mut as_listed), (*next, &mut in_order)] {
                if release.has(step.since) {
                    (step.change)(profile);
                }
            }
        }
        assert!(as_listed == in_order, "{release}");
    }
}

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
    check(
        "S52",
        |p| p.kubelet.eviction.kill_grace,
        &[
            ("1.21.14", KillGrace::AsAsked),
            ("1.22.0", KillGrace::NoneIsOwn),
            ("1.30.14", KillGrace::NoneIsOwn),
            ("1.31.0", KillGrace::Second),
            ("1.37.1", KillGrace::Second),
        ],
    );
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

#[test]
fn switches_of_a_machine_that_goes_off() {
    // The gate is off in 1.20.
    boundary(
        "S44",
        |p| p.kubelet.graceful_shutdown,
        &["1.19.16", "1.20.15"],
        &["1.21.0", "1.37.1"],
    );
    let on = |version| gated(version, &[("GracefulNodeShutdown", true)]).unwrap();
    assert!(on("1.20.0").kubelet.graceful_shutdown);
    boundary("S45", |p| p.kubelet.shutdown_by_priority, &["1.22.17", "1.23.17"], &["1.24.0"]);
    boundary("S46", |p| p.kubelet.shutdown_in_groups, &["1.22.17"], &["1.23.0"]);
    check(
        "S47",
        |p| p.kubelet.shutdown_phase,
        &[
            ("1.21.14", ShutdownPhase::FailedBefore),
            ("1.22.0", ShutdownPhase::Failed),
            ("1.26.15", ShutdownPhase::Failed),
            ("1.27.0", ShutdownPhase::ByExitCode),
            ("1.37.1", ShutdownPhase::ByExitCode),
        ],
    );
    boundary("S48", |p| p.kubelet.shutdown_disruption_target, &["1.25.16"], &["1.26.0", "1.31.0"]);
    check(
        "S49",
        |p| p.kubelet.shutdown_no_seconds,
        &[
            ("1.21.14", NoSeconds::Kills),
            ("1.22.0", NoSeconds::IsPodsOwn),
            ("1.30.14", NoSeconds::IsPodsOwn),
            ("1.31.0", NoSeconds::IsOne),
        ],
    );
    boundary("S49", |p| p.kubelet.shutdown_two_seconds, &["1.27.16"], &["1.28.0"]);
    boundary("S50", |p| p.kubelet.shutdown_says_node, &["1.21.14"], &["1.22.0"]);
    boundary("S50", |p| p.kubelet.shutdown_event, &["1.22.17"], &["1.23.0"]);
}

#[test]
fn kubelet_switches() {
    boundary("leases", |p| p.kubelet.leases, &["1.6.0", "1.13.12"], &["1.14.0", "1.37.1"]);
    boundary(
        "S6",
        |p| p.kubelet.lease_jitter,
        &["1.20.7", "1.21.1", "1.22.0"],
        &["1.20.8", "1.21.2", "1.22.1", "1.23.0"],
    );
    boundary("S7", |p| p.kubelet.status_jitter, &["1.22.17"], &["1.23.0"]);
    boundary("S9", |p| p.kubelet.no_execute_admission, &["1.23.17"], &["1.24.0"]);
    boundary("S32", |p| p.kubelet.rejection_says_why, &["1.30.14"], &["1.31.0"]);
    boundary(
        "S35",
        |p| p.kubelet.waits_for_node,
        &["1.18.18", "1.19.10", "1.20.6", "1.21.0"],
        &["1.18.19", "1.19.11", "1.20.7", "1.21.1", "1.22.0"],
    );
    check(
        "S22",
        |p| p.kubelet.first_try,
        &[("1.30.14", FirstTry::Get), ("1.31.0", FirstTry::Informer)],
    );
    check(
        "S33",
        |p| p.kubelet.refused_at_start,
        &[
            ("1.21.14", RefusedAtStart::FailsAtOnce),
            ("1.22.0", RefusedAtStart::RunsOn),
            ("1.26.15", RefusedAtStart::RunsOn),
            ("1.27.0", RefusedAtStart::Ends),
        ],
    );
    use ReportOffset::{AfterChange, AfterChangeOrFirst, None};
    check(
        "S23",
        |p| p.kubelet.report_offset,
        &[
            ("1.31.14", None),
            ("1.32.0", AfterChange),
            ("1.32.2", AfterChange),
            ("1.32.3", None),
            ("1.33.0", None),
            ("1.34.0", AfterChangeOrFirst),
            ("1.37.1", AfterChangeOrFirst),
        ],
    );
    boundary("S30", |p| p.kubelet.terminal_phase_before_removal, &["1.26.15"], &["1.27.0"]);
    let (ten, sixty, five) = (Dur::from_secs(10), Dur::from_secs(60), Dur::from_secs(300));
    let report = [
        ("1.12.10", ten),
        ("1.13.0", sixty),
        ("1.16.15", sixty),
        ("1.17.0", five),
        ("1.37.1", five),
    ];
    check("report frequency", |p| p.kubelet.report_frequency, &report);
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
    let manager = |p: &Profile| p.streams_first_lists;
    boundary("S75", manager, &["1.31.14", "1.33.13"], &["1.32.0", "1.34.0", "1.37.1"]);
    let of = |p: &Profile| p.scheduler.streams_first_lists;
    boundary("S75", of, &["1.33.13", "1.34.12"], &["1.35.0", "1.37.1"]);
    boundary("S76", |p| p.workload.job.ready_pods, &["1.18.20", "1.23.17"], &["1.24.0", "1.37.1"]);
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
fn releases_are_read_as_people_write_them() {
    for (text, release) in [
        ("1.32", "v1.32.13"),
        ("v1.32", "v1.32.13"),
        ("1.20.2", "v1.20.2"),
        ("v1.20.2", "v1.20.2"),
        ("1.6.0", "v1.6.0"),
        ("v1.34.4+k3s1", "v1.34.4"),
        ("v1.29.3-eks-a737599", "v1.29.3"),
        ("1.37", "v1.37.1"),
        ("1.38-alpha", "v1.38.0-alpha.0"),
        ("v1.38.0-alpha.0+abc", "v1.38.0-alpha.0"),
    ] {
        assert_eq!(profile(text).map(|p| p.release), Ok(release.to_owned()), "{text}");
    }
}

#[test]
fn unknown_releases_are_refused_with_what_there_is() {
    for (text, message, hint) in [
        ("1.5", "Kubernetes 1.5 is not known", "1.6 to 1.37 are known"),
        ("1.39", "Kubernetes 1.39 is not known", "1.6 to 1.37 are known"),
        (
            "1.38",
            "Kubernetes 1.38 is not known yet",
            "write \"1.38-alpha\" for its pre-release v1.38.0-alpha.0; 1.6 to 1.37 are known",
        ),
        (
            "1.38.0",
            "Kubernetes 1.38.0 is not known yet",
            "write \"1.38-alpha\" for its pre-release v1.38.0-alpha.0; 1.6 to 1.37 are known",
        ),
        ("2.0", "Kubernetes 2.0 is not known", "1.6 to 1.37 are known"),
        (
            "1.32.99",
            "Kubernetes 1.32.99 is not known: the last known patch of 1.32 is v1.32.13",
            "write \"1.32\" for v1.32.13",
        ),
        (
            "1.37.0-rc.1",
            "1.37.0-rc.1 is a release before the release",
            "of those only \"1.38-alpha\", v1.38.0-alpha.0, is modelled; 1.6 to 1.37 are known",
        ),
        (
            "v1.38.0-alpha.1",
            "1.38.0-alpha.1 is a release before the release",
            "of those only \"1.38-alpha\", v1.38.0-alpha.0, is modelled; 1.6 to 1.37 are known",
        ),
    ] {
        let error = profile(text).expect_err(text);
        assert_eq!((error.to_string().as_str(), error.hint().as_str()), (message, hint));
    }
    for text in [
        "",
        "1",
        "v",
        "latest",
        "1.x",
        "1.20.2.3",
        "1..2",
        "-1.20",
        "1.99999999999999999999",
        "１.３４",
    ] {
        assert!(matches!(profile(text), Err(UnknownRelease::Syntax(_))), "{text:?}");
    }
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

/// It comes after all that are out, and what it is called for short is read as itself.
#[test]
fn the_pre_release_sorts_after_the_releases() {
    let all: Vec<Release> = Release::all_minors().collect();
    assert!(all.is_sorted());
    let short = ["1.6", "1.37", "1.38-alpha"].map(str::to_owned);
    assert_eq!([all[0], all[31], all[32]].map(Release::short), short);
    assert!(all.iter().all(|r| Release::parse(&r.short()) == Ok(*r)));
}

/// v1.38.0-alpha.0 is the commit at which the branch of 1.37 begins: its gates are those of 1.37.1, and what
/// that release mends is nothing that is modelled.
#[test]
fn the_pre_release_does_what_the_release_before_it_does() {
    let (pre, last) = (profile("1.38-alpha").unwrap(), profile("1.37.1").unwrap());
    assert_eq!(Profile { release: last.release.clone(), ..pre }, last);
    let [pre, last] = ["1.38-alpha", "1.37.1"].map(|text| Release::parse(text).unwrap());
    assert_eq!(gates_of(pre), gates_of(last));
}

/// Between 1.32 and 1.33 node failure handling changed in S19 alone; the gate SchedulerPopFromBackoffQ, which 1.32 has not, is on.
#[test]
fn a_release_without_each_of_its_changes() {
    let own = profile("1.33").unwrap();
    let without = without_each("1.33", "1.32", &BTreeMap::new()).unwrap();
    let differ = |differs: &dyn Fn(&Profile) -> bool| without.iter().filter(|p| differs(p)).count();
    assert!(without.iter().all(|p| *p != own && p.release == own.release));
    assert_eq!(differ(&|p| p.taint_eviction != own.taint_eviction), 1);
    assert_eq!(differ(&|p| p.node_lifecycle != own.node_lifecycle), 0);
    // The step of the scheduler, in which it is one switch of three, and the gate.
    assert_eq!(differ(&|p| !p.scheduler.pops_from_backoff), 2);
    let set = BTreeMap::from([("SchedulerPopFromBackoffQ".to_owned(), true)]);
    assert_eq!(without_each("1.33", "1.32", &set).unwrap().len(), without.len() - 1);
    assert_eq!(without_each("1.33", "1.33", &BTreeMap::new()), Ok(Vec::new()));
}

#[test]
fn recorded_minors_are_marked() {
    let recorded: Vec<u32> =
        Release::all_minors().filter(|r| r.recorded()).map(|r| r.minor).collect();
    assert_eq!(recorded, (18..=38).collect::<Vec<u32>>());
    // 1.6 to 1.37, and 1.38-alpha.
    assert_eq!(Release::all_minors().count(), 33);
    // The releases that the recordings name.
    for text in [
        "1.18.20",
        "1.19.16",
        "1.20.15",
        "1.21.14",
        "1.22.17",
        "1.23.17",
        "1.24.17",
        "1.25.16",
        "1.26.15",
        "1.27.16",
        "1.28.15",
        "1.29.6",
        "1.30.14",
        "1.31.14",
        "1.32.13",
        "1.33.13",
        "1.34.4",
        "1.35.4",
        "1.36.3",
        "1.37.1",
        "1.38.0-alpha.0",
    ] {
        assert!(profile(text).is_ok_and(|p| p.recorded), "{text}");
    }
}

fn gated(version: &str, settings: &[(&str, bool)]) -> Result<Profile, GateError> {
    with_gates(version, &settings.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect())
}

#[test]
fn gates_switch_what_they_switch_upstream() {
    let read = |version: &str, gate: &str, on: bool, read: fn(&Profile) -> bool| {
        read(&gated(version, &[(gate, on)]).unwrap())
    };
    assert!(read("1.12", "TaintBasedEvictions", true, |p| p.node_lifecycle.eviction_mode
        == EvictionMode::Taints));
    assert!(read("1.17", "TaintBasedEvictions", false, |p| p.node_lifecycle.eviction_mode
        == EvictionMode::Timeout));
    assert!(read("1.8", "TaintNodesByCondition", true, |p| p.node_lifecycle.condition_taints
        == ConditionTaints::TrueOnly));
    assert!(read("1.16", "TaintNodesByCondition", false, |p| p.node_lifecycle.condition_taints
        == ConditionTaints::Off));
    assert!(read("1.16", "TaintNodesByCondition", false, |p| !p.taint_nodes_by_condition));
    assert!(read("1.12", "NodeLease", true, |p| p.kubelet.leases && !p.node_lifecycle.leases));
    assert!(read("1.13", "NodeLease", true, |p| p.kubelet.leases && p.node_lifecycle.leases));
    assert!(read("1.16", "NodeLease", false, |p| !p.kubelet.leases && !p.node_lifecycle.leases));
    assert!(read("1.20", "LegacyNodeRoleBehavior", false, |p| !p
        .node_lifecycle
        .exclude_master_names));
    assert!(read("1.18", "NodeDisruptionExclusion", true, |p| p.node_lifecycle.exclude_label));
    assert!(read("1.20", "NodeDisruptionExclusion", false, |p| !p.node_lifecycle.exclude_label));
    // 1.25 patches what changed; server-side apply came with 1.26.
    assert!(read("1.25", "PodDisruptionConditions", true, |p| {
        p.taint_eviction.disruption_target == DisruptionTarget::PatchIfChanged
            && p.pod_gc.marks_failed
    }));
    assert!(read("1.30", "PodDisruptionConditions", false, |p| p.taint_eviction.disruption_target
        == DisruptionTarget::Off));
    assert!(read("1.33", "SeparateTaintEvictionController", false, |p| !p
        .taint_eviction
        .separate_controller));
    assert!(read("1.35", "TaintTolerationComparisonOperators", true, |p| p
        .taint_eviction
        .comparison_operators));
    assert!(read("1.37", "NodeControllerLeaseCircuitBreaker", false, |p| !p
        .node_lifecycle
        .lease_circuit_breaker));
    assert!(read("1.24", "NodeOutOfServiceVolumeDetach", true, |p| p.pod_gc.out_of_service));
    assert!(read("1.28.5", "SchedulerQueueingHints", true, |p| p.scheduler.queueing_hints));
    assert!(read("1.26", "PodSchedulingReadiness", true, |p| p.scheduler.scheduling_gates));
    assert!(read("1.29", "PodSchedulingReadiness", false, |p| !p.scheduler.scheduling_gates));
    assert!(read("1.32", "SchedulerAsyncPreemption", true, |p| p.scheduler.preemption_writes
        == PreemptionWrites::Async));
    assert!(read("1.37", "SchedulerAsyncPreemption", false, |p| p.scheduler.preemption_writes
        == PreemptionWrites::DeletionsFirst));
    assert!(read("1.33", "SchedulerPopFromBackoffQ", false, |p| !p.scheduler.pops_from_backoff));
}

#[test]
fn a_gate_set_to_its_default_changes_nothing() {
    for release in Release::all_minors() {
        let version = release.to_string();
        for gate in gates_of(release) {
            assert_eq!(
                gated(&version, &[(gate.name, gate.default)]),
                Ok(profile(&version).unwrap()),
                "{version} {}",
                gate.name
            );
        }
    }
}

#[test]
fn device_taint_switches() {
    boundary(
        "S60",
        |p| p.device_taint_eviction.taints,
        &["1.33.0", "1.35.9"],
        &["1.36.0", "1.37.0"],
    );
    // Its gate is off in 1.36 (`kube_features.go`).
    let rules = |p: &Profile| p.device_taint_eviction.rules;
    boundary("S60", rules, &["1.35.9", "1.36.3"], &["1.37.0", "1.37.1"]);
    assert!(rules(&gated("1.36", &[("DRADeviceTaintRules", true)]).unwrap()));
    let neither = [("DRADeviceTaints", false), ("DRADeviceTaintRules", true)];
    assert!(!rules(&gated("1.37", &neither).unwrap()));
}

#[test]
fn probe_switches() {
    boundary(
        "S61",
        |p| p.kubelet.life.probes_at_once,
        &["1.18.20", "1.20.15"],
        &["1.21.14", "1.37.1"],
    );
    boundary(
        "S67",
        |p| p.kubelet.life.back_off_says_which,
        &["1.18.20", "1.25.16"],
        &["1.26.15", "1.37.1"],
    );
    boundary("S62", |p| p.kubelet.life.resets_period, &["1.31.14"], &["1.32.9", "1.37.1"]);
    boundary("S63", |p| p.kubelet.life.waits_for_backoff, &["1.34.4"], &["1.35.0", "1.37.1"]);
    boundary("S64", |p| p.kubelet.life.keeps_results, &["1.34.4"], &["1.35.0", "1.37.1"]);
    let restart = [("ChangeContainerStatusOnKubeletRestart", true)];
    assert!(!gated("1.37", &restart).unwrap().kubelet.life.keeps_results);
    // `newCrashLoopBackOff` (`pkg/kubelet/kubelet.go`), in seconds; the gate that reduces it is off by default.
    let backoff = |p: Profile| {
        let (first, most) = p.kubelet.life.crash_loop_backoff;
        (first.as_nanos() / 1_000_000_000, most.as_nanos() / 1_000_000_000)
    };
    for version in ["1.18.20", "1.33.4", "1.35.0", "1.37.1"] {
        assert_eq!(backoff(profile(version).unwrap()), (10, 300), "S65 {version}");
    }
    let reduced = ("ReduceDefaultCrashLoopBackOffDecay", true);
    assert_eq!(backoff(gated("1.33", &[reduced]).unwrap()), (1, 60));
    assert_eq!(backoff(gated("1.37", &[reduced]).unwrap()), (1, 300));
    let alone = [reduced, ("KubeletCrashLoopBackOffMax", false)];
    assert_eq!(backoff(gated("1.37", &alone).unwrap()), (1, 60));
}

/// The texts of `image_manager.go`, read at the releases beside each boundary; of 1.24 at .10 and .17.
#[test]
fn pull_switches() {
    let of = |versions: &[&str], what| {
        for version in versions {
            assert_eq!(profile(version).unwrap().kubelet.life.pulled, what, "S72 {version}");
        }
    };
    of(&["1.18.20"], Pulled::Image);
    of(&["1.19.0", "1.23.15", "1.24.10", "1.25.6"], Pulled::Took);
    of(&["1.23.17", "1.24.17", "1.25.7", "1.26.0", "1.29.6"], Pulled::Waited);
    of(&["1.30.0", "1.37.1"], Pulled::Size);
    let checks = |p: &Profile| p.kubelet.life.checks_pulled_secrets;
    boundary("S73", checks, &["1.33.4", "1.34.4"], &["1.35.0", "1.37.1"]);
    let gate = "KubeletEnsureSecretPulledImages";
    assert!(checks(&gated("1.34", &[(gate, true)]).unwrap()));
    assert!(!checks(&gated("1.37", &[(gate, false)]).unwrap()));
    let most = |p: &Profile| p.kubelet.life.max_parallel_image_pulls;
    boundary("S74", most, &["1.18.20", "1.26.15"], &["1.27.16", "1.37.1"]);
}

#[test]
fn gates_that_cannot_be_set_are_refused() {
    for (version, gate, value, message, hint) in [
        (
            "1.34",
            "TaintBasedEviction",
            true,
            "unrecognized feature gate: TaintBasedEviction",
            Some("did you mean TaintBasedEvictions?"),
        ),
        (
            "1.34",
            "TaintBasedEvictions",
            true,
            "unrecognized feature gate: TaintBasedEvictions: v1.34.12 does not have it",
            Some("TaintBasedEvictions exists 1.6 to 1.19"),
        ),
        (
            "1.34.4",
            "TaintTolerationComparisonOperators",
            true,
            "unrecognized feature gate: TaintTolerationComparisonOperators: v1.34.4 does not have it",
            Some("TaintTolerationComparisonOperators exists from 1.35 on"),
        ),
        (
            "1.34.4",
            "SeparateTaintEvictionController",
            false,
            "cannot set feature gate SeparateTaintEvictionController to false, feature is locked to true in v1.34.4",
            None,
        ),
        (
            "1.21",
            "LegacyNodeRoleBehavior",
            true,
            "cannot set feature gate LegacyNodeRoleBehavior to true, feature is locked to false in v1.21.14",
            None,
        ),
        (
            "1.23",
            "Nonsense",
            true,
            "unrecognized feature gate: Nonsense",
            Some(
                "gates that change something here: ReadWriteOncePod, GracefulNodeShutdown, GracefulNodeShutdownBasedOnPodPriority, LogarithmicScaleDown, PodDeletionCost, JobTrackingWithFinalizers, StatefulSetMinReadySeconds",
            ),
        ),
        (
            "1.33",
            "Nonsense",
            true,
            "unrecognized feature gate: Nonsense",
            Some(
                "gates that change something here: PodDisruptionConditions, ReduceDefaultCrashLoopBackOffDecay, KubeletCrashLoopBackOffMax, KubeletEnsureSecretPulledImages, GracefulNodeShutdown, GracefulNodeShutdownBasedOnPodPriority, SeparateTaintEvictionController, SchedulerQueueingHints, \
                 PodSchedulingReadiness, SchedulerAsyncPreemption, SchedulerPopFromBackoffQ, LogarithmicScaleDown, PodDeletionCost, DeploymentReplicaSetTerminatingReplicas, JobManagedBy, JobPodReplacementPolicy",
            ),
        ),
        ("1.99", "NodeLease", true, "Kubernetes 1.99 is not known", Some("1.6 to 1.37 are known")),
    ] {
        let error = gated(version, &[(gate, value)]).expect_err(gate);
        assert_eq!((error.to_string().as_str(), error.hint().as_deref()), (message, hint));
    }
}
