//! A release's behaviour: the switches of every component, and the defaults that changed.
//!
//! Plain values: which release has which is said in one place, `scenario::profiles`.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use super::log_forms::LogForms;
use super::switches::api_fields::ApiField;
use super::switches::eviction::EvictionRules;
use super::switches::{
    attach_detach, cloud, device_taint_eviction, disruption, kubelet, node_lifecycle,
    persistent_volume, pod_gc, scheduler, taint_eviction, workload,
};
use crate::kernel::Dur;
use std::collections::BTreeMap;

/// After how long a watch that was refused is asked for again (`reflector.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchRetry {
    /// Always the same, up to 1.19.
    Fixed(Dur),
    /// A pause that grows, and begins anew where there was none for two minutes (1.20 on).
    Grows,
    /// One that begins anew every two minutes (1.36 on): `Backoff.DelayWithReset` counts them from when it
    /// began anew last.
    GrowsAnew,
}

/// A release's behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The release, `v1.34.4`.
    pub release: String,
    /// Whether timelines recorded from this minor release were checked against the model.
    pub(crate) recorded: bool,
    /// The node lifecycle controller's switches.
    pub node_lifecycle: node_lifecycle::Switches,
    /// The taint eviction controller's switches.
    pub taint_eviction: taint_eviction::Switches,
    /// The kubelet's switches.
    pub(crate) kubelet: kubelet::Switches,
    /// The scheduler's switches.
    pub scheduler: scheduler::Switches,
    /// The pod garbage collector's switches.
    pub(crate) pod_gc: pod_gc::Switches,
    /// The workload controllers' switches.
    pub workload: workload::Switches,
    /// The disruption controller's switches.
    pub(crate) disruption: disruption::Switches,
    /// The cloud controllers' switches.
    pub(crate) cloud: cloud::Switches,
    /// The attach/detach controller's switches.
    pub(crate) attach_detach: attach_detach::Switches,
    /// The switches of the controller that binds claims.
    pub(crate) persistent_volume: persistent_volume::Switches,
    /// The device taint eviction controller's switches.
    pub(crate) device_taint_eviction: device_taint_eviction::Switches,
    /// What the eviction subresource does.
    pub(crate) eviction: EvictionRules,
    /// Each event is handed to the recorder's queue by a goroutine of its own, up to 1.20
    /// (`record/event.go: generateEvent`).
    pub(crate) event_goroutines: bool,
    /// After how long a watch that was refused is asked for again.
    pub(crate) watch_retry: WatchRetry,
    /// How often client-go sends a request again that is answered 429 with Retry-After: nine times
    /// up to 1.18, ten from 1.19 on (`rest/request.go: maxRetries`).
    pub(crate) request_retries: u32,
    /// It does so with requests for watches, too (1.22 on); before, a list follows.
    pub(crate) retries_watches: bool,
    /// The first lists of kube-controller-manager come as streams of what etcd has (1.32, and from 1.34 on), and not
    /// from a watch cache that may be behind (S75).
    pub(crate) streams_first_lists: bool,
    /// In which words its controllers write their logs.
    pub(crate) log: LogForms,
    /// Default of `--node-monitor-grace-period` (S18).
    pub node_monitor_grace_period: Dur,
    /// The admission plugin TaintNodesByCondition is on: a new node gets not-ready:NoSchedule
    /// (1.12.6, 1.13.3, 1.14.0 on).
    pub(crate) taint_nodes_by_condition: bool,
    /// Where no endpoint is ready, kube-proxy sends requests to those that are serving and terminating (S119).
    pub(crate) proxy_terminating_endpoints: bool,
    /// The fields that its API server drops (S86), each with the feature gate that would have it stored; none where the
    /// release does not know the field.
    pub(crate) dropped_fields: BTreeMap<ApiField, Option<&'static str>>,
}

impl Profile {
    /// The release as it is told: `1.34.4`.
    pub fn released(&self) -> &str {
        self.release.trim_start_matches('v')
    }

    /// Its API server stores these fields.
    pub(crate) fn stores(&mut self, fields: &[ApiField]) {
        self.dropped_fields.retain(|field, _| !fields.contains(field));
    }

    /// Its API server stores a field if that gate is on.
    pub(crate) fn stores_if(&mut self, field: ApiField, gate: &'static str, on: bool) {
        self.stores(&[field]);
        if !on {
            self.dropped_fields.insert(field, Some(gate));
        }
    }
}
