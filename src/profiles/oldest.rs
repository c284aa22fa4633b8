//! The oldest release known, from which [`super::steps`] goes on.
//!
//! A switch that is not named is off, or the first of its variants: such is the oldest release.
//!
//! It rests on reading upstream's source alone: no recording checks it.

use crate::kernel::Dur;
use crate::plan::log_forms::LogForms;
use crate::plan::switches::api_fields::ApiField;
use crate::plan::switches::eviction::EvictionRules;
use crate::plan::switches::{
    attach_detach, cloud, device_taint_eviction, disruption, kubelet, node_lifecycle,
    persistent_volume, pod_gc, scheduler, taint_eviction, workload,
};
use crate::plan::{Profile, WatchRetry};

/// Kubernetes 1.6.0.
pub(super) fn oldest() -> Profile {
    Profile {
        release: String::new(),
        recorded: false,
        node_lifecycle: node_lifecycle::Switches {
            taint_on_observed: true,
            pass_workers: 1,
            start_amid_pass: 60,
            lock_across_calls: true,
            exclude_master_names: true,
            out_of_disk: true,
            alpha_taint_keys: true,
            beta_zone_labels: true,
            timeout_mode_available: true,
            ..Default::default()
        },
        taint_eviction: taint_eviction::Switches {
            workers: 1,
            pods_by_live_list: true,
            ..Default::default()
        },
        kubelet: kubelet::Switches {
            verifies_unreported: true,
            // Every status update is posted, 10 s apart.
            report_frequency: Dur::from_secs(10),
            eviction: kubelet::EvictionSwitches { fails_first: true, ..Default::default() },
            life: kubelet::LifeSwitches {
                crash_loop_backoff: (Dur::from_secs(10), Dur::from_secs(300)),
                ..Default::default()
            },
            ..Default::default()
        },
        scheduler: scheduler::Switches {
            weights: scheduler::Weights {
                taint_toleration: 1,
                node_affinity: 1,
                topology_spread: 1,
                inter_pod_affinity: 1,
            },
            node_affinity_message: "node(s) didn't match node selector",
            pod_affinity_also: Some("node(s) didn't match pod affinity/anti-affinity"),
            checks_node_condition: true,
            checks_pressure: true,
            general_predicates: true,
            narrow_search_resets_start: true,
            selector_spread: true,
            nodes_wake_volumes: true,
            lets_in: 125,
            lets_in_woken: 125,
            lets_in_after_failure: 125,
            hears_pod_updates: true,
            bindings_wake: true,
            retries: scheduler::Retries::ByTime,
            unschedulable_flush: Dur::from_secs(60),
            update_ends_backoff: true,
            requeue_after_get: true,
            status_by_update: true,
            preemption_tries_all: true,
            any_terminating_blocks: true,
            clears_hopeless_nomination: true,
            preemption_gets_pod: true,
            first_series_count: 1,
            ..Default::default()
        },
        pod_gc: pod_gc::Switches::default(),
        disruption: disruption::Switches { resync: Some(Dur::from_secs(30)), ..Default::default() },
        cloud: cloud::Switches {
            initializes_in_handler: true,
            message_as_reason: true,
            ..Default::default()
        },
        attach_detach: attach_detach::Switches {
            timeout_text: Some("attachment timeout for volume"),
            ..Default::default()
        },
        persistent_volume: persistent_volume::Switches::default(),
        device_taint_eviction: device_taint_eviction::Switches::default(),
        eviction: EvictionRules {
            drain_asks_for_groups: true,
            drain_stops_at_failure: true,
            drain_unmanaged: "Pods not managed by ReplicationController, ReplicaSet, Job, DaemonSet or StatefulSet",
            drain_error: "error:",
            ..Default::default()
        },
        workload: workload::Switches {
            job: workload::JobSwitches {
                retry: (Dur::from_secs(10), Dur::from_secs(360)),
                backoff_limit: workload::BackoffLimit::Absent,
                gets_before_status: true,
                tells_end_before_status: true,
                ..Default::default()
            },
            ..Default::default()
        },
        event_goroutines: true,
        watch_retry: WatchRetry::Fixed(Dur::from_secs(1)),
        request_retries: 9,
        retries_watches: false,
        streams_first_lists: false,
        log: LogForms::default(),
        node_monitor_grace_period: Dur::from_secs(40),
        taint_nodes_by_condition: false,
        proxy_terminating_endpoints: false,
        dropped_fields: ApiField::ALL.into_iter().map(|field| (field, None)).collect(),
    }
}
