//! What frees the pods and volumes of lost nodes, as far as a release and its flags have it.

use super::prelude::*;

/// What there is of that, beside the node's return and deletions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Frees {
    /// Pods on nodes that are tainted node.kubernetes.io/out-of-service are deleted for good, and their volumes detached
    /// (S10, S38).
    pub(crate) out_of_service: bool,
    /// A volume that nobody wants on a node is detached from it by force, 6 minutes later.
    detaches_by_force: bool,
}

impl Frees {
    /// All that a release may have.
    pub(crate) const ALL: Self = Self { out_of_service: true, detaches_by_force: true };

    /// In a plan's release, with its flags.
    pub(crate) fn of(plan: &Plan) -> Self {
        let never = plan.flags.disable_force_detach_on_timeout;
        Self {
            out_of_service: plan.profile.pod_gc.out_of_service,
            detaches_by_force: !(plan.profile.attach_detach.force_detach_flag && never),
        }
    }

    /// What frees a volume that is attached to a lost node.
    pub(crate) fn volume(self) -> String {
        let taint = match self.out_of_service {
            true => {
                ", the taint node.kubernetes.io/out-of-service (only for a machine that is off for certain)"
            }
            false => "",
        };
        let deleting = match self.detaches_by_force {
            true => ", deleting the node or the pod by force, and then 6 minutes".to_owned(),
            false => format!("; no deletion does{}", self.never_by_force()),
        };
        format!("the node's return{taint}{deleting}")
    }

    /// What frees the name or the claim of a pod on a lost node, and what that leaves of its volume.
    pub(crate) fn pod(self) -> String {
        let stays = self.after_deletion();
        format!("{}; after the last two the volume {stays}", self.successor(false))
    }

    /// What lets another pod of a workload, `Kind/namespace/name`, be made in the place of one on a lost node. A Job counts its pods
    /// before they may go, by their phase, which whoever deletes by force does not say, and who collects the pods of a node that is gone
    /// does.
    pub(crate) fn of_workload(self, plan: &Plan, workload: &str) -> String {
        let frees = self.successor(workload.starts_with("Job/"));
        let but = self.frail(plan, workload, "the Job").map(|fails| format!("; but {fails}"));
        frees + &but.unwrap_or_default()
    }

    /// That a workload is a Job which waits for its pods to end, and fails as they do.
    pub(crate) fn frail(self, plan: &Plan, workload: &str, called: &str) -> Option<String> {
        let is_one = plan.successors_wait(workload) && plan.fails_with_a_pod(workload);
        is_one.then(|| self.fails(called))
    }

    /// That these Jobs fail by what frees others: who collects pods says that they have failed.
    pub(crate) fn fails(self, jobs: &str) -> String {
        let both = match self.out_of_service {
            true => "the out-of-service taint and deleting the node fail",
            false => "deleting the node fails",
        };
        format!(
            "{both} the pods, and by that {jobs} for good; the node's return does, too, unless their containers end with 0"
        )
    }

    fn successor(self, of_job: bool) -> String {
        let taint = match self.out_of_service {
            true => " the out-of-service taint (only for a machine that is off for certain),",
            false => "",
        };
        let deleting = match of_job {
            true => "or deleting the node changes that; deleting the pod by force does not",
            false => "deleting the node, or the pod by force, changes that",
        };
        format!("the node's return,{taint} {deleting}")
    }

    /// What becomes of a volume whose pod or node is deleted by force.
    pub(crate) fn after_deletion(self) -> String {
        let long = if self.detaches_by_force { " for 6 minutes" } else { self.never_by_force() };
        format!("stays attached{long}")
    }

    /// How soon a volume begins to be detached.
    pub(crate) fn how_soon(self) -> String {
        let taint =
            if self.out_of_service { "; within 20s of the taint out-of-service" } else { "" };
        let deleted = match self.detaches_by_force {
            true => "; or 6 minutes after its pod is gone by force or with its node".to_owned(),
            false => format!("; not when pod or node are deleted{}", self.never_by_force()),
        };
        format!("when its node is back and says so, within 10s{taint}{deleted}")
    }

    /// Why a volume stays attached for good, behind that it does.
    pub(crate) fn never_by_force(self) -> &'static str {
        if self.detaches_by_force { "" } else { ", with --disable-force-detach-on-timeout=true" }
    }

    /// A node whose volumes become free: `is back, is deleted or has the out-of-service taint`.
    pub(crate) fn node(self) -> &'static str {
        match (self.detaches_by_force, self.out_of_service) {
            (true, true) => "is back, is deleted or has the out-of-service taint",
            (true, false) => "is back or is deleted",
            (false, true) => "is back or has the out-of-service taint",
            (false, false) => "is back",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before 1.26 there is no such taint (NodeOutOfServiceVolumeDetach); with --disable-force-detach-on-timeout=true, from 1.30
    /// on, nothing is detached because time goes by.
    #[test]
    fn only_what_there_is_is_advised() {
        let (all, by_force) = (Frees::ALL, Frees { out_of_service: false, ..Frees::ALL });
        let taint = Frees { detaches_by_force: false, ..Frees::ALL };
        let said = |f: Frees| [f.volume(), f.pod(), f.how_soon(), f.node().to_owned()];
        for (frees, has_taint, minutes) in
            [(all, true, true), (by_force, false, true), (taint, true, false)]
        {
            for text in said(frees) {
                assert_eq!(text.contains("out-of-service"), has_taint, "{text}");
            }
            for text in [frees.volume(), frees.pod(), frees.how_soon()] {
                assert_eq!(text.contains("6 minutes"), minutes, "{text}");
                assert_eq!(text.contains("--disable-force-detach"), !minutes, "{text}");
            }
        }
        assert_eq!(taint.node(), "is back or has the out-of-service taint");
        assert_eq!(
            taint.volume(),
            "the node's return, the taint node.kubernetes.io/out-of-service (only for a machine that is off for certain); \
             no deletion does, with --disable-force-detach-on-timeout=true"
        );
    }
}
