//! A container runtime that fails, and when its kubelet notices.
//!
//! `pkg/kubelet/kubelet.go` (`updateRuntimeUp`, every 5 s) and `runtime.go` (`runtimeErrors`,
//! `maxWaitForContainerRuntime`), v1.34: a runtime that says that it is not ready counts at once, one
//! that does not answer 30 s after it last did. The status loop posts what it finds.

use super::asleep::Sleepers;
use crate::controllers::kubelet::prelude::*;
use crate::plan::RuntimeFails;

/// How often a kubelet asks its runtime.
const CHECKS: Dur = Dur::from_secs(5);
/// How long after its last answer a runtime counts as down.
const MAX_WAIT: Dur = Dur::from_secs(30);

/// The container runtimes of all nodes.
pub(super) struct Runtimes {
    nodes: Rc<Nodes>,
    sleepers: Rc<Sleepers>,
    /// What a runtime has come to, and when its kubelet will notice.
    news: ByNode<Option<(Time, ConditionStatus)>>,
    /// Looks at a runtime.
    checker: HandlerId<NodeId>,
    check: PointId,
}

impl Runtimes {
    /// All work.
    pub(super) fn new(
        nodes: &Rc<Nodes>,
        sleepers: &Rc<Sleepers>,
        checker: HandlerId<NodeId>,
    ) -> Self {
        Self {
            nodes: nodes.clone(),
            sleepers: sleepers.clone(),
            news: ByNode::default(),
            checker,
            check: nodes.ctx.point("runtime-check"),
        }
    }

    /// A node has a kubelet from now on, and its runtime works.
    pub(super) fn join(&self, node: NodeId) {
        self.news.join(node, None);
    }

    /// A node's container runtime fails, or works again.
    pub(super) fn fails(&self, node: NodeId, fails: Option<RuntimeFails>) {
        let ctx = &self.nodes.ctx;
        let now = ctx.now();
        let check = match self.nodes.mode {
            KubeletMode::Imitated(_) => Dur::ZERO,
            KubeletMode::Real(_) => {
                let object = self.nodes.object(node);
                Dur::from_nanos(ctx.uniform(self.check, object, 0, CHECKS.as_nanos()))
            }
        };
        let (at, status) = match fails {
            Some(RuntimeFails::Ready) => (now + check, ConditionStatus::False),
            Some(RuntimeFails::Status) => {
                (now + MAX_WAIT.saturating_sub(check), ConditionStatus::False)
            }
            None => (now + check, ConditionStatus::True),
        };
        self.news.with(node, |n| *n = Some((at, status)));
        ctx.post_at(at, Class::Source, self.checker, node);
    }

    /// A kubelet notices what has become of its runtime, unless something else has since.
    pub(super) fn check(&self, node: NodeId) {
        let now = self.nodes.now();
        let due = self.news.with(node, |n| n.take_if(|(at, _)| *at == now));
        let Some(Some((_, status))) = due else { return };
        self.sleepers.wake_up(node);
        self.nodes.with(node, |k| {
            if let Some(c) = k.view.iter_mut().find(|c| c.0 == NodeConditionType::Ready)
                && c.1 != Some(status)
            {
                c.1 = Some(status);
                k.view_changed.get_or_insert(now);
            }
        });
    }
}
