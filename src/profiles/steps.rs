//! The steps from Kubernetes 1.6.0 to the newest release.
//!
//! A step says from which releases on it holds, carried-back patches included, and what it changes.
//! Steps are applied in order, so that a later one may take back or refine an earlier one. Where a
//! feature gate decides, the step says what the release does with the gate on, and [`super::gates`]
//! takes it away where it is off. `S` numbers are rows of the list of behaviour switches in
//! docs/model.md; S24 and S25 are gates alone, and S26 is a fix that is in no release.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use crate::kernel::Dur;
use crate::plan::log_forms::{EvictionLog, WorkerLog};
use crate::plan::switches::api_fields::ApiField;
use crate::plan::switches::{
    disruption, kubelet, node_lifecycle, scheduler, taint_eviction, workload,
};
use crate::plan::{Profile, WatchRetry};
use disruption::{NoScale, UnmanagedPods};
use kubelet::RefusedAtStart::{Ends, RunsOn};
use kubelet::{
    EvictionMessage, FirstTry, NoSeconds, Pulled, ReportOffset, ShutdownPhase, TooLittle,
};
use node_lifecycle::{ConditionTaints, Requeue};
use scheduler::{
    Balance, BindErrorText, FilterOrder, FitText, FitWords, ImageScores, InternalErrors,
    PreemptedText, PreemptionWrites, Retries, SpreadScore, TaintMessage, Weights,
};
use taint_eviction::{DisruptionTarget, FinishedEntry};
use workload::{BackoffLimit, ScalingText, TerminalPods};

/// One change.
pub(super) struct Step {
    /// The (minor, patch) from which on it holds: in each minor release listed from that patch on,
    /// and in all later ones.
    pub(super) since: &'static [(u32, u32)],
    /// What it changes.
    pub(super) change: fn(&mut Profile),
}

pub(super) const fn step(since: &'static [(u32, u32)], change: fn(&mut Profile)) -> Step {
    Step { since, change }
}

/// Every change, oldest first.
pub(super) static STEPS: &[Step] = &[
    // Logs.
    step(&[(17, 0)], |p| p.log.expired_at_2 = true),
    step(&[(16, 14), (17, 12), (18, 9), (19, 0)], |p| p.log.forever_cancelling = true),
    step(&[(19, 0)], |p| p.log.events = true),
    step(&[(21, 0)], |p| p.event_goroutines = false),
    step(&[(20, 0)], |p| p.watch_retry = WatchRetry::Grows),
    step(&[(36, 0)], |p| p.watch_retry = WatchRetry::GrowsAnew),
    // Requests that are answered 429
    step(&[(19, 0)], |p| p.request_retries = 10),
    step(&[(22, 0)], |p| (p.retries_watches, p.proxy_terminating_endpoints) = (true, true)), // S119
    // S75: kube-controller-manager asks so from 1.32 on but in 1.33, where the API server would not answer either
    step(&[(32, 0)], |p| p.streams_first_lists = true),
    step(&[(33, 0)], |p| p.streams_first_lists = false),
    step(&[(34, 0)], |p| p.streams_first_lists = true),
    step(&[(35, 0)], |p| p.scheduler.streams_first_lists = true),
    step(&[(21, 0)], |p| p.log.taint_eviction = EvictionLog::Structured),
    step(&[(23, 0)], |p| (p.log.node_helpers, p.log.pod_gc) = (true, true)),
    step(&[(24, 0)], |p| p.log.bound_at_2 = true),
    step(&[(27, 0)], |p| {
        (p.log.node_lifecycle, p.log.timed_workers) = (true, WorkerLog::Structured)
    }),
    step(&[(29, 0)], |p| p.log.taint_eviction = EvictionLog::OwnController),
    step(&[(31, 0)], |p| p.log.events_at_3 = true),
    step(&[(32, 0)], |p| p.log.healthy_removed = true),
    step(&[(33, 0)], |p| p.log.timed_workers = WorkerLog::EachStep),
    // The early era.
    step(&[(6, 2)], |p| p.node_lifecycle.swap_without_limiter = true),
    step(&[(8, 0)], |p| p.node_lifecycle.condition_taints = ConditionTaints::TrueOnly),
    step(&[(9, 0)], |p| p.node_lifecycle.alpha_taint_keys = false),
    step(&[(9, 0)], |p| p.node_lifecycle.rename_alpha_taints = true),
    step(&[(10, 0)], |p| p.node_lifecycle.pid_pressure_taint = true),
    step(&[(11, 0)], |p| p.taint_eviction.workers = 8),
    step(&[(11, 0)], |p| p.scheduler.retries = Retries::AtOnce), // S113
    step(&[(14, 0)], |p| p.scheduler.retries = Retries::BackOff),
    step(&[(12, 0)], |p| p.node_lifecycle.condition_taints = ConditionTaints::Mapped),
    // With the gate NodeLease; the node lifecycle controller does not read them yet.
    step(&[(12, 0)], |p| p.kubelet.leases = true),
    step(&[(12, 6), (13, 3), (14, 0)], |p| p.taint_nodes_by_condition = true),
    step(&[(13, 0)], |p| {
        p.node_lifecycle.leases = true;
        p.node_lifecycle.pid_pressure_unknown = true;
        p.kubelet.report_frequency = Dur::from_secs(60);
    }),
    step(&[(14, 0)], |p| p.node_lifecycle.out_of_disk = false),
    step(&[(14, 0)], |p| p.node_lifecycle.rename_alpha_taints = false),
    step(&[(14, 8), (15, 5), (16, 0)], |p| p.taint_eviction.pods_by_live_list = false),
    step(&[(15, 11), (16, 8), (17, 0)], |p| p.node_lifecycle.pod_workers = true),
    step(&[(15, 11), (16, 8), (17, 0)], |p| p.node_lifecycle.evicted_node_sheds_new_pods = true),
    step(&[(17, 0)], |p| {
        (p.node_lifecycle.beta_zone_labels, p.pod_gc.quarantine) = (false, true); // S105
        p.kubelet.report_frequency = Dur::from_secs(300);
        p.scheduler.general_predicates = false; // S97
    }),
    // S1
    step(&[(16, 14), (17, 12), (18, 9), (19, 0)], |p| p.taint_eviction.forever_cancels = true),
    step(&[(18, 0)], |p| p.scheduler.taint_message = TaintMessage::NamesTaint),
    step(&[(19, 0)], |p| p.node_lifecycle.requeue = Requeue::HeapDuplicates), // S2
    step(&[(18, 17), (19, 9), (20, 5), (21, 0)], |p| p.node_lifecycle.requeue = Requeue::Correct),
    step(&[(19, 0)], |p| p.node_lifecycle.pod_event = true), // S3
    step(&[(21, 0)], |p| p.node_lifecycle.exclude_master_names = false), // S4
    step(&[(16, 0)], |p| p.node_lifecycle.exclude_label = true), // S5
    step(&[(20, 8), (21, 2), (22, 0)], |p| p.kubelet.lease_jitter = true), // S6
    step(&[(23, 0)], |p| p.kubelet.status_jitter = true),    // S7
    // S8
    step(&[(23, 13), (24, 8), (25, 4), (26, 0)], |p| {
        (p.node_lifecycle.taint_patch_has_version, p.cloud.taint_patch_has_version) = (true, true);
    }),
    // S9
    step(&[(24, 0)], |p| p.kubelet.no_execute_admission = true),
    // S10
    step(&[(24, 0)], |p| p.pod_gc.out_of_service = true),
    // S11: 1.25 patches, 1.26 to the back-ported fix applies at every try
    step(&[(25, 0)], |p| {
        p.taint_eviction.disruption_target = DisruptionTarget::PatchIfChanged;
        p.pod_gc.marks_failed = true;
        p.pod_gc.disruption_target = true;
        p.pod_gc.settable_period = true;
    }),
    step(&[(26, 0)], |p| p.taint_eviction.disruption_target = DisruptionTarget::Apply),
    step(&[(26, 11), (27, 8), (28, 4), (29, 0)], |p| {
        p.taint_eviction.disruption_target = DisruptionTarget::PatchIfChanged
    }),
    // S12
    step(&[(25, 0)], |p| p.node_lifecycle.lock_across_calls = false),
    // S13, S14, S30, S34
    step(&[(27, 0)], |p| {
        p.node_lifecycle.pass_workers = 8;
        p.node_lifecycle.start_amid_pass = 940;
        p.node_lifecycle.timeout_mode_available = false;
        p.kubelet.terminal_phase_before_removal = true;
    }),
    step(&[(36, 0)], |p| p.node_lifecycle.start_amid_pass = 650),
    // S15
    step(&[(29, 0)], |p| p.taint_eviction.separate_controller = true),
    // S16
    step(&[(30, 0)], |p| p.node_lifecycle.retry_without_ready = true),
    // S17
    step(&[(30, 0)], |p| p.taint_eviction.one_clock_reading = true),
    // S18
    step(&[(32, 0)], |p| p.node_monitor_grace_period = Dur::from_secs(50)),
    // S19
    step(&[(33, 0)], |p| p.taint_eviction.finished_entry = FinishedEntry::Deleted),
    // S20
    step(&[(34, 0)], |p| p.node_lifecycle.taint_on_observed = false),
    // S21
    step(&[(35, 0)], |p| p.taint_eviction.cancelled_flag = true),
    // S35
    step(&[(18, 19), (19, 11), (20, 7), (21, 1), (22, 0)], |p| p.kubelet.waits_for_node = true),
    // S22, S32, S33
    step(&[(31, 0)], |p| p.kubelet.first_try = FirstTry::Informer),
    step(&[(31, 0)], |p| p.kubelet.rejection_says_why = true),
    step(&[(22, 0)], |p| p.kubelet.refused_at_start = RunsOn),
    step(&[(27, 0)], |p| p.kubelet.refused_at_start = Ends),
    // S23: partial in 1.32.0, taken back in 1.32.3
    step(&[(32, 0)], |p| p.kubelet.report_offset = ReportOffset::AfterChange),
    step(&[(32, 3)], |p| p.kubelet.report_offset = ReportOffset::None),
    step(&[(34, 0)], |p| p.kubelet.report_offset = ReportOffset::AfterChangeOrFirst),
    // S44 to S50, and S67: a machine that goes off
    step(&[(20, 0)], |p| p.kubelet.graceful_shutdown = true),
    step(&[(22, 0)], |p| {
        p.kubelet.shutdown_phase = ShutdownPhase::Failed;
        p.kubelet.no_seconds = NoSeconds::IsPodsOwn;
        p.kubelet.shutdown_says_node = true;
    }),
    step(&[(23, 0)], |p| {
        let k = &mut p.kubelet;
        (k.shutdown_by_priority, k.shutdown_in_groups, k.shutdown_event) = (true, true, true);
    }),
    step(&[(26, 0)], |p| p.kubelet.shutdown_disruption_target = true),
    step(&[(26, 0)], |p| p.kubelet.life.back_off_says_which = true),
    step(&[(27, 0)], |p| p.kubelet.shutdown_phase = ShutdownPhase::ByExitCode),
    step(&[(28, 0)], |p| p.kubelet.two_seconds = true),
    step(&[(31, 0)], |p| p.kubelet.no_seconds = NoSeconds::IsOne),
    // S52 to S58: node-pressure eviction
    step(&[(19, 0)], |p| p.kubelet.eviction.ranks_processes = true),
    step(&[(22, 0)], |p| p.kubelet.eviction.fails_first = false),
    step(&[(26, 0)], |p| p.kubelet.eviction.disruption_target = true),
    step(&[(26, 0)], |p| p.kubelet.eviction.message = EvictionMessage::WithThreshold),
    step(&[(30, 0)], |p| p.kubelet.eviction.image_inodes_by_default = true),
    step(&[(32, 0)], |p| p.kubelet.eviction.soft_grace_is_capped = true),
    // S61 to S65: probes and restarts
    step(&[(21, 0)], |p| p.kubelet.life.probes_at_once = true),
    step(&[(32, 0)], |p| p.kubelet.life.resets_period = true),
    step(&[(35, 0)], |p| {
        (p.kubelet.life.waits_for_backoff, p.kubelet.life.keeps_results) = (true, true);
    }),
    step(&[(33, 0)], |p| {
        p.kubelet.life.crash_loop_backoff = (Dur::from_secs(1), Dur::from_secs(60));
    }),
    // S93, S94: images that nobody uses
    step(&[(26, 0)], |p| p.kubelet.images.too_little = TooLittle::AttemptedToFree),
    step(&[(29, 0)], |p| p.kubelet.images.found_at_start = true),
    step(&[(35, 0)], |p| p.kubelet.images.too_little = TooLittle::Insufficient),
    // S72 to S74: image pulls
    step(&[(19, 0)], |p| p.kubelet.life.pulled = Pulled::Took),
    step(&[(23, 17), (24, 11), (25, 6), (26, 0)], |p| {
        p.kubelet.life.pulled = Pulled::Waited;
    }),
    step(&[(30, 0)], |p| p.kubelet.life.pulled = Pulled::Size),
    step(&[(33, 0)], |p| p.kubelet.life.checks_pulled_secrets = true),
    step(&[(27, 0)], |p| p.kubelet.life.max_parallel_image_pulls = true),
    // S27
    step(&[(28, 0)], |p| p.scheduler.queueing_hints = true),
    // S28
    step(&[(23, 0)], |p| {
        p.scheduler.weights = Weights {
            taint_toleration: 3,
            node_affinity: 2,
            topology_spread: 2,
            inter_pod_affinity: 2,
        };
    }),
    // S29
    step(&[(24, 0)], |p| p.scheduler.unschedulable_flush = Dur::from_secs(300)),
    step(&[(24, 0)], |p| p.scheduler.taint_message = TaintMessage::Untolerated),
    step(&[(34, 0)], |p| p.scheduler.taint_message = TaintMessage::UntoleratedPlural),
    // The eviction subresource and the disruption controller
    step(&[(12, 0)], |p| p.eviction.ended_pods_are_free = true), // S114
    step(&[(19, 0)], |p| p.eviction.unstarted_pods_are_free = true),
    step(&[(20, 0)], |p| p.eviction.unready_pods_are_free = true),
    step(&[(21, 0)], |p| {
        (p.disruption.resync, p.disruption.failure_is_condition) = (None, true);
        p.disruption.empty_selects_all = true; // S85
        p.disruption.no_scale = NoScale::EveryKind;
    }),
    step(&[(25, 0)], |p| {
        p.eviction.adds_disruption_target = true;
        p.disruption.resets_stale_condition = true;
        p.disruption.no_scale = NoScale::ByKind;
    }),
    step(&[(22, 0)], |p| p.eviction.drain_asks_for_groups = false),
    step(&[(22, 0)], |p| p.disruption.unmanaged_pods = UnmanagedPods::Ignored),
    step(&[(27, 0)], |p| p.disruption.unmanaged_pods = UnmanagedPods::Told),
    step(&[(27, 0)], |p| p.pod_gc.evicted_first = true), // S109
    step(&[(21, 0)], |p| p.eviction.uncounted_has_retry_after = true),
    step(&[(23, 0)], |p| p.eviction.drain_stops_at_failure = false),
    step(&[(32, 0)], |p| p.eviction.drain_polls_from_start = true),
    step(&[(35, 0)], |p| p.eviction.drain_rereads_refused_pods = true),
    // S111
    step(&[(20, 0)], |p| p.eviction.drain_says_emptydir = true),
    step(&[(24, 0)], |p| p.eviction.drain_unmanaged = "Pods declare no controller"),
    step(&[(27, 0)], |p| p.eviction.drain_says_terminate = true),
    step(&[(30, 0)], |p| {
        p.eviction.drain_unmanaged = "cannot delete Pods that declare no controller";
    }),
    step(&[(31, 0)], |p| p.eviction.drain_error = "error: "),
    step(&[(36, 0)], |p| p.eviction.drain_unmanaged = "Pods that declare no controller"),
    // The cloud controllers
    step(&[(20, 0)], |p| p.cloud.initializes_in_handler = false),
    step(&[(21, 0)], |p| p.cloud.message_as_reason = false),
    // The scheduler's other changes, release by release
    step(&[(20, 0)], |p| p.scheduler.bind_error_text = BindErrorText::Rejected),
    step(&[(23, 0)], |p| p.scheduler.failed_binding_moves_pods = true),
    step(&[(26, 0)], |p| p.scheduler.bind_error_text = BindErrorText::Running),
    step(&[(19, 0)], |p| {
        let s = &mut p.scheduler;
        s.filter_order = FilterOrder::ResourcesEarlySpreadFirst;
        s.weights.topology_spread = 2;
        s.spread_score = SpreadScore::Truncated;
        (s.requeue_after_get, s.status_by_update) = (false, false);
        (s.hopeless_nomination_frees, s.never_preempts) = (true, true);
        s.preemption_writes = PreemptionWrites::DeletionsFirst;
    }),
    step(&[(20, 0)], |p| {
        let s = &mut p.scheduler;
        s.filter_order = FilterOrder::TaintsEarly;
        s.node_affinity_message = "node(s) didn't match Pod's node affinity";
        s.pod_affinity_also = Some("node(s) didn't match pod affinity/anti-affinity rules");
        (s.selector_spread, s.default_spread) = (false, true);
        (s.preemption_tries_all, s.preemption_gets_pod) = (false, false);
    }),
    step(&[(21, 0)], |p| {
        p.scheduler.update_ends_backoff = false;
        p.scheduler.affinity_scores_by_range = true; // S115
        p.scheduler.node_affinity_message = "node(s) didn't match Pod's node affinity/selector";
    }),
    step(&[(22, 0)], |p| {
        let s = &mut p.scheduler;
        s.pod_affinity_also = None;
        s.nominated_node_first = true;
        s.balance = Balance::Plain;
        s.wakes_registered = true;
    }),
    step(&[(19, 0)], |p| p.scheduler.failure_is_of_newest = true),
    step(&[(19, 0)], |p| p.scheduler.affinity_needs_keys = true), // S116
    step(&[(19, 0)], |p| p.scheduler.spread_counts_all = true),   // S117
    step(&[(24, 0)], |p| p.scheduler.spread_counts_all = false),
    step(&[(24, 0)], |p| p.scheduler.affinity_narrows = true),
    step(&[(25, 0)], |p| p.scheduler.failure_is_of_newest = false),
    step(&[(23, 0)], |p| {
        p.scheduler.preempted_text = PreemptedText::ByAPod;
        p.scheduler.clears_useless_nomination = true;
        p.scheduler.binds_by_uid = true;
    }),
    step(&[(24, 0)], |p| p.scheduler.spread_score = SpreadScore::Rounded),
    step(&[(24, 0)], |p| p.scheduler.fit_text = FitText::WithPreemption),
    step(&[(26, 0)], |p| {
        let s = &mut p.scheduler;
        s.fit_text = FitText::TwoStops;
        s.marks_victims = true;
        s.internal_errors = InternalErrors::StatusRetried;
        s.victims_in_parallel = true;
        s.confirmed_pods_last = true;
        s.old_victim_reason = true;
        s.scheduling_gates = true;
        s.first_series_count = 2;
    }),
    step(&[(27, 0)], |p| {
        let s = &mut p.scheduler;
        s.narrow_search_resets_start = false;
        s.any_terminating_blocks = false;
        s.old_victim_reason = false;
    }),
    step(&[(26, 11), (27, 8), (28, 4), (29, 0)], |p| {
        p.scheduler.victims_get_preemptors_status = true
    }),
    step(&[(28, 14), (29, 9), (30, 5), (31, 1)], |p| {
        p.scheduler.victims_get_preemptors_status = false
    }),
    step(&[(29, 11), (30, 7), (31, 3), (32, 0)], |p| p.scheduler.sorts_victims = true),
    step(&[(28, 0)], |p| p.scheduler.fit_ignores_unrequested = true),
    step(&[(29, 0)], |p| {
        let s = &mut p.scheduler;
        s.fit_text = FitText::OneStop;
        s.errors_back_off = true;
        s.waits_by_context = true;
        s.preempted_text = PreemptedText::ByUid;
    }),
    step(&[(30, 0)], |p| p.scheduler.several_node_changes = true),
    step(&[(30, 0)], |p| p.scheduler.taint_changes_wake_all = true),
    // S96
    step(&[(19, 0)], |p| p.scheduler.image_scores = ImageScores::Containers),
    step(&[(30, 0)], |p| p.scheduler.image_scores = ImageScores::WithInit),
    step(&[(31, 0)], |p| p.scheduler.spread_woken_by_pods = true),
    step(&[(31, 0)], |p| p.scheduler.hears_pod_updates = false),
    step(&[(32, 0)], |p| {
        p.scheduler.left_out_counted = true;
        p.scheduler.deleted_node_wakes = true; // S118
        p.scheduler.taint_changes_wake_unasked = true;
        p.scheduler.preemption_writes = PreemptionWrites::Async;
    }),
    step(&[(33, 0)], |p| {
        let s = &mut p.scheduler;
        s.balance = Balance::SkipsBestEffort;
        s.nominations_wake = true;
        s.pops_from_backoff = true;
        (s.dynamic_resources, s.claims_text) = (true, true);
    }),
    step(&[(34, 0)], |p| {
        let s = &mut p.scheduler;
        s.fit_knows_too_large = true;
        s.clears_hopeless_nomination = false;
        s.backoff_counts_rejections = true;
    }),
    step(&[(35, 0)], |p| {
        p.scheduler.ties_by_heap = true;
        p.scheduler.bindings_wake = false;
        p.scheduler.spares_terminating = true;
    }),
    // S59
    step(&[(27, 0)], |p| p.scheduler.lets_in_woken = 600),
    step(&[(33, 0)], |p| p.scheduler.lets_in_woken = 125),
    step(&[(35, 0)], |p| {
        p.scheduler.lets_in = 0;
        p.scheduler.lets_in_woken = 0;
        p.scheduler.lets_in_after_failure = 400;
    }),
    step(&[(36, 0)], |p| p.scheduler.balance = Balance::Improvement),
    step(&[(37, 0)], |p| {
        p.scheduler.taint_changes_wake_unasked = false;
        p.scheduler.claims_text = false;
        p.scheduler.preemption_told = true;
        p.scheduler.internal_errors = InternalErrors::BindingRetried;
    }),
    // Workload controllers
    step(&[(21, 0)], |p| p.workload.logarithmic_scale_down = true),
    step(&[(21, 0)], |p| p.workload.pod_deletion_cost = true),
    step(&[(25, 0)], |p| p.workload.scaling_text = ScalingText::ToFrom),
    step(&[(32, 0)], |p| p.workload.scaling_text = ScalingText::FromTo),
    // S110
    step(&[(32, 0)], |p| p.workload.sidecar_restarts = true),
    step(&[(32, 0)], |p| p.workload.job.sidecar_restarts = true),
    step(&[(33, 0)], |p| p.workload.terminating_replicas = true),
    step(&[(34, 0)], |p| p.workload.exact_availability_check = true),
    step(&[(22, 0)], |p| p.workload.stateful_set.min_ready_seconds = true),
    step(&[(23, 0)], |p| p.workload.stateful_set.status_after_error = true),
    step(&[(25, 12), (26, 7), (27, 4), (28, 0)], |p| p.workload.stateful_set.batches = true),
    step(&[(27, 9), (28, 5), (29, 0)], |p| {
        p.workload.stateful_set.terminal_pods = TerminalPods::Recreate
    }),
    step(&[(28, 11), (29, 6), (30, 2), (31, 0)], |p| {
        p.workload.stateful_set.terminal_pods = TerminalPods::Delete
    }),
    step(&[(34, 0)], |p| p.workload.stateful_set.unavailable_blocks = true),
    step(&[(35, 0)], |p| p.workload.stateful_set.capital_words = true),
    step(&[(36, 0)], |p| {
        let w = &mut p.workload;
        w.stateful_set.exact_availability_check = true;
        w.stateful_set.missing_is_deleted = true;
        let waits = [
            &mut w.waits_for_own_writes,
            &mut w.stateful_set.waits_for_own_writes,
            &mut w.daemon_set.waits_for_own_writes,
            &mut w.job.waits_for_own_writes,
        ];
        waits.into_iter().for_each(|switch| *switch = true);
    }),
    step(&[(12, 0)], |p| p.workload.daemon_set.scheduled = true),
    step(&[(12, 0)], |p| p.workload.daemon_set.backs_off = true),
    step(&[(25, 6), (26, 1), (27, 0)], |p| p.workload.daemon_set.status_after_error = true),
    step(&[(26, 5), (27, 0)], |p| p.workload.daemon_set.replaces_succeeded = true),
    step(&[(26, 7), (27, 4), (28, 0)], |p| p.workload.daemon_set.ended_pods_make_room = true),
    step(&[(33, 0)], |p| p.workload.daemon_set.node_queue = true),
    // S112
    step(&[(8, 0)], |p| p.workload.job.backoff_limit = BackoffLimit::Requeues),
    step(&[(20, 0)], |p| p.workload.job.backoff_limit = BackoffLimit::Failures),
    step(&[(23, 0)], |p| p.workload.job.gets_before_status = false),
    // Batches of 500 ms are in 1.23 already, but behind the gate JobReadyPods, which is off there.
    step(&[(24, 0)], |p| p.workload.job.batch_period = Dur::from_secs(1)),
    step(&[(24, 0)], |p| p.workload.job.ready_pods = true),
    step(&[(22, 0)], |p| p.workload.job.tracking_finalizers = true),
    step(&[(25, 0)], |p| p.workload.job.pod_failure_policy = true),
    step(&[(26, 0)], |p| p.workload.job.tells_end_before_status = false),
    step(&[(27, 0)], |p| p.workload.job.failure_backoff = Some(Dur::from_secs(360))),
    step(&[(28, 0)], |p| {
        let w = &mut p.workload.job;
        w.failure_backoff = Some(Dur::from_secs(600));
        w.retry = (Dur::from_secs(1), Dur::from_secs(60));
        (w.batches_backoff, w.failure_policy_waits, w.pod_replacement_policy) = (true, true, true);
    }),
    step(&[(31, 0)], |p| p.workload.job.delays_terminal_condition = true),
    step(&[(31, 0)], |p| p.workload.job.deleted_are_unready = true),
    step(&[(30, 0)], |p| p.workload.job.validates_ready = true),
    step(&[(36, 3), (37, 0)], |p| p.workload.job.counts_active_in_backoff = true),
    // S86
    step(&[(11, 0)], |p| p.stores(&[ApiField::Priority])),
    step(&[(18, 0)], |p| p.stores(&[ApiField::TopologySpreadConstraints, ApiField::StartupProbe])),
    step(&[(19, 0)], |p| p.stores(&[ApiField::PreemptionPolicy])),
    step(&[(22, 0)], |p| p.stores(&[ApiField::NamespaceSelector])),
    step(&[(23, 0)], |p| p.stores(&[ApiField::MinReadySeconds])),
    step(&[(25, 0)], |p| p.stores(&[ApiField::ProbeGracePeriod])),
    step(&[(26, 0)], |p| p.stores(&[ApiField::NodeInclusionPolicies, ApiField::PodFailurePolicy])),
    step(&[(27, 0)], |p| {
        p.stores(&[ApiField::MinDomains, ApiField::MatchLabelKeys, ApiField::SchedulingGates]);
        p.stores(&[ApiField::Ordinals, ApiField::UnhealthyPodEvictionPolicy]);
    }),
    step(&[(29, 0)], |p| p.stores(&[ApiField::PodReplacementPolicy])),
    step(&[(29, 0)], |p| p.stores(&[ApiField::ContainerRestartPolicy])),
    // S89, S103, S104
    step(&[(8, 0)], |p| p.scheduler.fit_words = FitWords::Predicates),
    step(&[(9, 0)], |p| p.scheduler.fit_words = FitWords::Names),
    step(&[(10, 0)], |p| p.scheduler.fit_words = FitWords::Described),
    step(&[(18, 0)], |p| p.scheduler.too_many_pods = true),
    step(&[(8, 0)], |p| p.scheduler.checks_node_condition = false),
    step(&[(11, 0)], |p| p.scheduler.checks_pressure = false),
    step(&[(11, 0)], |p| p.scheduler.checks_pid_pressure = true),
];
