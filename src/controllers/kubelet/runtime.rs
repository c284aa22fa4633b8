//! A container runtime that fails, and when its kubelet notices.
//!
//! `pkg/kubelet/kubelet.go` (`updateRuntimeUp`, every 5 s) and `runtime.go` (`runtimeErrors`,
//! `maxWaitForContainerRuntime`), v1.34: a runtime that says that it is not ready counts at once, one
//! that does not answer 30 s after it last did. The status loop posts what it finds.

use super::kubelets::Kubelets;
use super::notices::Notices;
use crate::api::meta::ConditionStatus;
use crate::api::names::NodeId;
use crate::api::node::NodeConditionType;
use crate::kernel::{Class, Dur};
use crate::plan::{KubeletMode, RuntimeFails};

/// How often a kubelet asks its runtime.
const CHECKS: Dur = Dur::from_secs(5);
/// How long after its last answer a runtime counts as down.
const MAX_WAIT: Dur = Dur::from_secs(30);

impl Kubelets {
    /// A node's container runtime fails, or works again.
    pub(crate) fn runtime(&self, node: NodeId, fails: Option<RuntimeFails>) {
        let now = self.ctx.now();
        let check = match self.mode {
            KubeletMode::Imitated(_) => Dur::ZERO,
            KubeletMode::Real(_) => Dur::from_nanos(self.ctx.uniform(
                self.points.runtime,
                self.object(node),
                0,
                CHECKS.as_nanos(),
            )),
        };
        let (at, status) = match fails {
            Some(RuntimeFails::Ready) => (now + check, ConditionStatus::False),
            Some(RuntimeFails::Status) => {
                (now + MAX_WAIT.saturating_sub(check), ConditionStatus::False)
            }
            None => (now + check, ConditionStatus::True),
        };
        self.with(node, |k| k.runtime = Some((at, status)));
        if let Some(handler) = self.runtimes.get() {
            self.ctx.post_at(at, Class::Source, handler, node);
        }
    }

    /// A kubelet notices what has become of its runtime, unless something else has since.
    pub(super) fn notices_runtime(&self, node: NodeId) {
        let now = self.ctx.now();
        let due = self.with(node, |k| k.runtime.take_if(|(at, _)| *at == now));
        let Some(Some((_, status))) = due else {
            return;
        };
        self.touched(node);
        self.with(node, |k| {
            if let Some(c) = k.view.iter_mut().find(|c| c.0 == NodeConditionType::Ready)
                && c.1 != Some(status)
            {
                c.1 = Some(status);
                k.view_changed.get_or_insert(now);
            }
        });
    }
}
