//! The settings of a recorded scenario: controllers, flags, delays and limits.

use super::format::{GoDuration, LimitsSpec, RecordedScenario};
use super::plan_error::{PlanError, invalid};
use taintsim::kernel::Dur;
use taintsim::plan::{
    Controllers, Delay, Flags, Imitated, KubeletMode, Limits, Profile, Real, SchedulerSettings,
    Strategy, Timing, UserMode,
};
use taintsim::trace::Actor;

/// The shortest period of anything that recurs; a shorter one would be all that a run is busy with.
const SHORTEST_PERIOD: Dur = Dur::from_millis(1);
/// client-go's default limits (`rest/config.go: DefaultQPS, DefaultBurst`), which stand where a
/// limit is given as zero.
const DEFAULT_LIMITS: Limits = Limits { qps: 5.0, burst: 10 };

/// Whether a controller runs, as a plan says it.
type Runs = fn(&mut Controllers) -> &mut bool;

/// The controllers beside those of node failure handling, each with a client of its own. The
/// recorder knows them by the names of their actors.
pub(super) const OTHERS: [(Actor, Runs); 13] = [
    (Actor::PodGc, |c| &mut c.pod_gc),
    (Actor::GarbageCollector, |c| &mut c.garbage_collector),
    (Actor::ReplicaSet, |c| &mut c.replica_set),
    (Actor::StatefulSet, |c| &mut c.stateful_set),
    (Actor::DaemonSet, |c| &mut c.daemon_set),
    (Actor::Deployment, |c| &mut c.deployment),
    (Actor::Job, |c| &mut c.job),
    (Actor::Disruption, |c| &mut c.disruption),
    (Actor::Scheduler, |c| &mut c.scheduler),
    (Actor::Cloud, |c| &mut c.cloud),
    (Actor::AttachDetach, |c| &mut c.attach_detach),
    (Actor::DeviceTaintEviction, |c| &mut c.device_taint_eviction),
    (Actor::ResourceClaim, |c| &mut c.resource_claim),
];

/// The controller that binds claims. In the model it is part of whatever makes volumes.
const BINDER: &str = "persistent-volume";

fn is_modelled(controller: &str) -> bool {
    let always = [Actor::NodeLifecycle, Actor::TaintEviction].into_iter();
    let mut all = always.chain(OTHERS.map(|(actor, _)| actor));
    controller == BINDER || all.any(|actor| actor.as_str() == controller)
}

/// What a scenario needs and the model does not have.
pub(super) fn not_modelled(sc: &RecordedScenario, separate: bool) -> Vec<String> {
    let mut out = Vec::new();
    if !sc.api.storage.0.is_zero() {
        out.push("delays within an eviction".to_owned());
    }
    let created = sc.actions.iter().filter_map(|a| a.pod_spec.as_ref());
    let templates = sc.workloads.iter().map(|w| &w.template);
    if (sc.pods.iter().chain(created).chain(templates)).any(|p| !p.finalizers.is_empty()) {
        out.push("finalizers of pods".to_owned());
    }
    if let Some(wanted) = &sc.controllers {
        out.extend(wanted.iter().filter(|c| !is_modelled(c)).cloned());
        let missing = |name: &str| !wanted.iter().any(|c| c == name);
        // Up to 1.28 the taint manager is a part of the node lifecycle controller, and comes with
        // it.
        if missing("node-lifecycle") || separate && missing("taint-eviction") {
            out.push("a run without node-lifecycle or taint-eviction".to_owned());
        }
    }
    out
}

/// The controllers that run.
pub(super) fn controllers(sc: &RecordedScenario) -> Controllers {
    let wanted =
        |name: &str| sc.controllers.as_ref().is_some_and(|all| all.iter().any(|c| c == name));
    let mut controllers = Controllers::default();
    for (actor, runs) in OTHERS {
        *runs(&mut controllers) = wanted(actor.as_str());
    }
    controllers
}

/// The configuration of the scheduler.
pub(super) fn scheduler(sc: &RecordedScenario) -> Result<SchedulerSettings, PlanError> {
    let default = SchedulerSettings::default();
    let Some(said) = &sc.scheduler else {
        return Ok(default);
    };
    let strategy = match &*said.scoring_strategy {
        "" | "LeastAllocated" => Strategy::LeastAllocated,
        "MostAllocated" => Strategy::MostAllocated,
        other => {
            return Err(invalid(format!(
                "a scoring strategy is LeastAllocated or MostAllocated, not {other:?}"
            )));
        }
    };
    Ok(SchedulerSettings {
        percentage_of_nodes_to_score: said.percentage_of_nodes_to_score.unwrap_or(0),
        strategy,
        preemption: said.preemption.unwrap_or(default.preemption),
    })
}

/// A duration, or the default where it is zero (`quantities.go: or`).
pub(super) fn or(given: GoDuration, default: Dur) -> Dur {
    if given.0.is_zero() { default } else { given.0 }
}

/// A period that is not too short.
pub(super) fn period(what: &str, d: Dur) -> Result<Dur, PlanError> {
    if d < SHORTEST_PERIOD {
        Err(invalid(format!("{what} of {d} is shorter than {SHORTEST_PERIOD}")))
    } else {
        Ok(d)
    }
}

/// The flags that the controllers run with.
pub(super) fn flags(sc: &RecordedScenario, profile: &Profile) -> Result<Flags, PlanError> {
    let f = &sc.flags;
    let d = Flags::defaults(profile);
    let node_monitor_period = or(f.node_monitor_period, d.node_monitor_period);
    Ok(Flags {
        node_monitor_period: period("node-monitor-period", node_monitor_period)?,
        node_monitor_grace_period: or(f.node_monitor_grace_period, d.node_monitor_grace_period),
        node_startup_grace_period: or(f.node_startup_grace_period, d.node_startup_grace_period),
        node_eviction_rate: f.node_eviction_rate.unwrap_or(d.node_eviction_rate),
        secondary_node_eviction_rate: f
            .secondary_node_eviction_rate
            .unwrap_or(d.secondary_node_eviction_rate),
        large_cluster_size_threshold: f
            .large_cluster_size_threshold
            .unwrap_or(d.large_cluster_size_threshold),
        unhealthy_zone_threshold: f.unhealthy_zone_threshold.unwrap_or(d.unhealthy_zone_threshold),
        pod_eviction_timeout: or(f.pod_eviction_timeout, d.pod_eviction_timeout),
        enable_taint_manager: f.enable_taint_manager.unwrap_or(d.enable_taint_manager),
        terminated_pod_gc_threshold: f
            .terminated_pod_gc_threshold
            .unwrap_or(d.terminated_pod_gc_threshold),
        disable_force_detach_on_timeout: f
            .disable_force_detach_on_timeout
            .unwrap_or(d.disable_force_detach_on_timeout),
        default_not_ready_toleration_seconds: f
            .default_not_ready_toleration_seconds
            .unwrap_or(d.default_not_ready_toleration_seconds),
        default_unreachable_toleration_seconds: f
            .default_unreachable_toleration_seconds
            .unwrap_or(d.default_unreachable_toleration_seconds),
        // Its kubelets have none of these.
        ..d
    })
}

/// The delays and limits.
pub(super) fn timing(sc: &RecordedScenario) -> Result<Timing, PlanError> {
    let constant = |d: Dur| Delay { min: d, max: d };
    let limits =
        |actor: &str| sc.clients.get(actor).or_else(|| sc.clients.get("*")).and_then(client_limits);
    Ok(Timing {
        name: "Recorded".to_owned(),
        request: constant(sc.api.request.0),
        response: constant(sc.api.response.map_or(Dur::from_nanos(1), |d| d.0)),
        watch: constant(sc.api.watch.0),
        pass_overhead: sc.pass_overhead.map_or(Dur::from_micros(1), |d| d.0),
        // The recorder's own, whatever the scenario has for the monitor (`adapter.go`).
        pod_gc_overhead: Dur::from_micros(1),
        clock_advances: false,
        // `api_write.go: create`
        numbered_uids: true,
        node_lifecycle_client: limits("node-lifecycle"),
        taint_eviction_client: limits("taint-eviction"),
        clients: OTHERS
            .into_iter()
            .filter_map(|(actor, _)| Some((actor, limits(actor.as_str())?)))
            .collect(),
        step: Delay::constant(Dur::ZERO),
        reconnects: true,
        leader_election: None,
        attacher: (sc.attacher.attach.0, sc.attacher.detach.0),
        kubelet: kubelet(sc)?,
        user: UserMode::Raw,
    })
}

/// The kubelets: imitated ones, or those whose loops are upstream's own (`agents.go`).
fn kubelet(sc: &RecordedScenario) -> Result<KubeletMode, PlanError> {
    let second = Dur::from_secs(1);
    let k = &sc.kubelet;
    let [start, stop] = [k.start, k.stop].map(|d| d.map_or(second, |d| d.0));
    let status_report = or(k.status_report, Dur::from_secs(300));
    match &*sc.kubelets {
        "" | "imitated" => Ok(KubeletMode::Imitated(Imitated {
            start,
            stop,
            status_report,
            repost_pod_ready: k.repost_pod_ready.unwrap_or(true),
        })),
        "upstream" => Ok(KubeletMode::Real(Real {
            node_lease_duration: Dur::from_secs(40),
            node_status_update_frequency: Dur::from_secs(10),
            node_status_report_frequency: status_report,
            pod_start: start,
            pod_stop: stop,
            boot: Dur::ZERO,
            recorded: true,
        })),
        other => Err(invalid(format!("kubelets are imitated or upstream, not {other:?}"))),
    }
}

/// The limits as client-go takes them: zero is its default, a negative rate is unlimited.
fn client_limits(l: &LimitsSpec) -> Option<Limits> {
    let qps = if l.qps == 0.0 { DEFAULT_LIMITS.qps } else { l.qps };
    let burst = if l.burst == 0 { DEFAULT_LIMITS.burst } else { l.burst };
    (qps > 0.0).then_some(Limits { qps, burst })
}
