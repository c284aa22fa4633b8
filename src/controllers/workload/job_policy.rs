//! Which pods of a Job count as failed, and what its failure policy makes of them.

use crate::api::workload::{JobSpec, PodFailurePolicyAction, PodFailurePolicyRule};
use crate::controllers::workload::prelude::*;

/// What a release makes of the failures of a Job's pods.
pub(super) struct JobPolicy(pub(super) JobSwitches);

impl JobPolicy {
    /// `isPodFailed`: a pod whose deletion has begun counts as failed, unless only failed ones are
    /// replaced.
    pub(super) fn is_failed(&self, pod: &Pod, spec: &JobSpec) -> bool {
        if pod.phase == PodPhase::Failed {
            return true;
        }
        if !self.0.tracking_finalizers || self.0.fail_by_phase(spec) {
            return false;
        }
        pod.is_terminating() && pod.phase != PodPhase::Succeeded
    }

    /// The rule of a failure policy that a pod meets.
    fn rule(&self, spec: &JobSpec, pod: &Pod) -> Option<(usize, PodFailurePolicyRule)> {
        self.0.rule(spec, pod.disruption_target?.status)
    }

    /// Whether a failure of the pod counts towards the limit.
    pub(super) fn counts(&self, spec: &JobSpec, pod: &Pod) -> bool {
        self.rule(spec, pod).is_none_or(|(_, r)| r.action != PodFailurePolicyAction::Ignore)
    }

    /// `getFailJobMessage`
    pub(super) fn fail_job_message(
        &self,
        client: &Client,
        spec: &JobSpec,
        pods: &[Rc<Pod>],
    ) -> Option<String> {
        pods.iter().filter(|p| self.is_failed(p, spec)).find_map(|p| {
            let rule = self.rule(spec, p);
            let (index, _) = rule.filter(|(_, r)| r.action == PodFailurePolicyAction::FailJob)?;
            let name = client.api().names(|n| n.pod_name(p.id).to_owned());
            Some(format!(
                "Pod {name} has condition DisruptionTarget matching FailJob rule at index {index}"
            ))
        })
    }
}
