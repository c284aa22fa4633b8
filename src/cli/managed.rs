//! What may be set where somebody else runs the control plane.

use super::prelude::*;
use crate::api::words::rows;

rows! {
    /// Who runs the control plane.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
    pub(super) enum Managed {
        /// Amazon EKS
        Eks = "Amazon EKS",
        /// Azure AKS
        Aks = "Azure AKS",
        /// Google GKE
        Gke = "Google GKE",
        /// OpenShift: one of three latency profiles
        Openshift = "OpenShift",
    }

    fn name -> &'static str;
}

/// The profiles of OpenShift (`workerLatencyProfile` of openshift/api, config/v1): grace period, and
/// default tolerations in seconds.
const PROFILES: [(&str, &str, &str); 3] = [
    ("Default", "40s", "300"),
    ("MediumUpdateAverageReaction", "2m", "60"),
    ("LowUpdateSlowReaction", "5m", "60"),
];

/// How the paths of settings begin that are flags of the control plane.
const FLAGS: [&str; 5] = [
    "flags.kube-controller-manager",
    "flags.kube_controller_manager",
    "flags.kube-apiserver",
    "flags.kube_apiserver",
    "feature_gates",
];

/// Refuses what cannot be set there; otherwise says what a person should know.
///
/// # Errors
/// A flag of the control plane, or one of its values.
pub(super) fn refused(managed: Managed, axes: &[Axis]) -> Result<Vec<String>, Problem> {
    let is_flag = |axis: &&Axis| FLAGS.iter().any(|flag| axis.path.starts_with(flag));
    for axis in axes.iter().filter(is_flag) {
        if managed == Managed::Openshift {
            profile(axis)?;
            continue;
        }
        let (path, name) = (&axis.path, managed.name());
        let text = format!("`{path}` cannot be set on {name}: it runs the control plane");
        return Err(Problem::new(text).help(
            "what can be set there: tolerationSeconds of pods, replicas, disruption budgets, topology spread, spare nodes",
        ));
    }
    Ok(vec![format!("On {}, settings of the control plane are left as they are.", managed.name())])
}

/// On OpenShift these come in three profiles.
fn profile(axis: &Axis) -> Result<(), Problem> {
    let is_known = |value: &String| {
        let grace = axis.path.ends_with("node-monitor-grace-period");
        let default = axis.path.contains("default-not-ready-toleration-seconds")
            || axis.path.contains("default-unreachable-toleration-seconds");
        PROFILES.iter().any(|(_, g, t)| grace && value == g || default && value == t)
    };
    match axis.values.iter().find(|v| !is_known(v)) {
        None => Ok(()),
        Some(value) => {
            let known: Vec<String> = PROFILES
                .iter()
                .map(|(name, grace, toleration)| {
                    format!("{name}: grace period {grace}, default tolerations {toleration} s")
                })
                .collect();
            let text =
                format!("`{}={value}` is none of OpenShift's worker latency profiles", axis.path);
            Err(Problem::new(text).help(known.join("; ")))
        }
    }
}
