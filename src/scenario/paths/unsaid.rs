//! What holds where nothing is said: by upstream, by the release, or by what else a scenario says.

use crate::plan::{Delay, Signal, Threshold};
use crate::scenario::prelude::*;

/// By the ends of paths into objects, what upstream gives to fields without a value: `pkg/apis/core/v1/defaults.go`, and that of
/// apps, batch and policy. Those of probes are left out: of a pod without one they say nothing.
const CONSTANT: [(&str, &str); 10] = [
    (".schedulerName", "default-scheduler"),
    (".podDeletionCost", "0"),
    (".exit_code", "0"),
    (".unschedulable", "false"),
    (".minReadySeconds", "0"),
    (".maxSurge", "25%"),
    (".podManagementPolicy", "OrderedReady"),
    (".parallelism", "1"),
    (".backoffLimit", "6"),
    (".unhealthyPodEvictionPolicy", "IfHealthyBudget"),
];

/// What a setting is without a word, whatever else there is: of controllers all run that have something to do.
pub(super) fn constant(path: &str) -> Option<String> {
    let runs = path.starts_with("controllers.") && path != "controllers.restarted";
    let ends = || CONSTANT.iter().find(|(end, _)| path.ends_with(end)).map(|(_, value)| *value);
    Some("true").filter(|_| runs).or_else(ends).map(str::to_owned)
}

/// The seconds that the API server adds to a toleration, or a setting of the run that the plan has; none of an ideal
/// timing, whose figures cannot be set.
pub(super) fn unsaid(plan: &Plan, path: &str) -> Option<String> {
    let flags = &plan.flags;
    let added = |s: i64| plan.admission.default_toleration_seconds.then(|| s.to_string());
    if path.contains("[unreachable].") {
        return added(flags.default_unreachable_toleration_seconds);
    } else if path.contains("[not-ready].") {
        return added(flags.default_not_ready_toleration_seconds);
    } else if let Some(flag) = path.strip_prefix("flags.kubelet.") {
        return of_kubelets(plan, flag);
    }
    match path {
        "scheduler.scoringStrategy" => Some(format!("{:?}", plan.scheduler.strategy)),
        "scheduler.preemption" => Some(plan.scheduler.preemption.to_string()),
        _ => of_timing(plan, path),
    }
}

/// What a flag of all kubelets comes to.
fn of_kubelets(plan: &Plan, flag: &str) -> Option<String> {
    let (images, eviction) = (plan.flags.kubelet.image_gc_policy(), &plan.eviction);
    let real = match plan.timing.kubelet {
        KubeletMode::Real(real) => Some(real),
        KubeletMode::Imitated(_) => None,
    };
    let hard = || {
        let own = |t: &&Threshold| t.is_hard() && t.signal != Signal::AllocatableMemoryAvailable;
        let said = |t: &Threshold| format!("{}<{}", t.signal.as_str(), t.value);
        let all: Vec<String> = eviction.thresholds.iter().filter(own).map(said).collect();
        Some(all.join(",")).filter(|all| !all.is_empty())
    };
    Some(match flag {
        "node-status-update-frequency" => real?.node_status_update_frequency.to_string(),
        "node-status-report-frequency" => real?.node_status_report_frequency.to_string(),
        "node-lease-duration-seconds" => real?.node_lease_duration.as_secs().to_string(),
        "serialize-image-pulls" => (plan.flags.kubelet.image_pulls_at_a_time() == 1).to_string(),
        "image-gc-high-threshold" => images.high.to_string(),
        "image-gc-low-threshold" => images.low.to_string(),
        "minimum-image-ttl-duration" => images.min_age.to_string(),
        "eviction-hard" => hard()?,
        "eviction-pressure-transition-period" => eviction.pressure_transition_period.to_string(),
        "eviction-max-pod-grace-period" => eviction.max_pod_grace_period_seconds.to_string(),
        _ => return None,
    })
}

/// A figure of the timing as the language writes it.
fn of_timing(plan: &Plan, path: &str) -> Option<String> {
    let timing = &plan.timing;
    let KubeletMode::Real(real) = timing.kubelet else { return None };
    let Delay { min, max } = match path {
        "timing.request" => timing.request,
        "timing.response" => timing.response,
        "timing.watch" => timing.watch,
        "timing.pass_overhead" => Delay::constant(timing.pass_overhead),
        "timing.attacher.attach" => Delay::constant(timing.attacher.0),
        "timing.attacher.detach" => Delay::constant(timing.attacher.1),
        "timing.kubelet.pod_start" => Delay::constant(real.pod_start),
        "timing.kubelet.pod_stop" => Delay::constant(real.pod_stop),
        "timing.kubelet.boot" => Delay::constant(real.boot),
        "timing.user" => return Some(format!("{:?}", timing.user)),
        _ => return None,
    };
    Some(if min == max { min.to_string() } else { format!("{min}..{max}") })
}

#[cfg(test)]
mod tests {
    use super::super::settings;
    use crate::scenario::{Overrides, build, parse};
    use std::path::Path;

    /// `pkg/kubelet/apis/config/v1beta1/defaults.go`: a status is reported as often as it is updated where that alone is said.
    #[test]
    fn what_a_release_decides_is_told() {
        let text = r#"Scenario(version: 1, horizon: "1h", kubernetes: "1.34", nodes: [(name: "a")], workloads: [Deployment(name: "web")],
            flags: (kubelet: {"node-status-update-frequency": "20s"}))"#;
        let loaded = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap();
        let plan = build(&loaded, &Overrides::default()).unwrap();
        let all = settings(&loaded.spec, &plan);
        let hard = "memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,imagefs.available<15%,imagefs.inodesFree<5%";
        for (path, value, is_default) in [
            ("flags.kubelet.node-status-update-frequency", "20s", false),
            ("flags.kubelet.node-status-report-frequency", "20s", true),
            ("flags.kubelet.node-lease-duration-seconds", "40", true),
            ("flags.kubelet.image-gc-high-threshold", "85", true),
            ("flags.kubelet.eviction-hard", hard, true),
            ("flags.kubelet.eviction-pressure-transition-period", "5m0s", true),
            ("controllers.job", "true", true),
            ("scheduler.scoringStrategy", "LeastAllocated", true),
            ("workloads.web.minReadySeconds", "0", true),
        ] {
            let one = all.iter().find(|s| s.path == path).expect(path);
            let said = (one.value.as_deref(), one.is_default());
            assert_eq!(said, (Some(value), is_default), "{path}");
        }
    }
}
