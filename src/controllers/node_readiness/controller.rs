//! Both reconcilers with their queues, and what they hear (`SetupWithManager`).

use super::rule_readiness_controller::RuleReadinessController;
use super::{node_reconciler, rule_reconciler};
use crate::api::names::{NodeId, TextId};
use crate::api::node::Node;
use crate::api::readiness::NodeReadinessRule;
use crate::client::{
    ControllerContext, QueueKey, RateLimiter, ResourceEventHandler, SeriesRecorder, WorkQueue,
};
use crate::kernel::{Ctx, Dur, Group};
use std::rc::Rc;

/// The node readiness controller.
pub(crate) struct Controller {
    core: RuleReadinessController,
    group: Group,
    nodes: WorkQueue<NodeId>,
    rules: WorkQueue<TextId>,
}

impl Controller {
    /// A controller that hears of nodes and rules but does not work yet.
    pub(crate) fn new(context: ControllerContext<SeriesRecorder>, is_exclusive: bool) -> Rc<Self> {
        let (ctx, group, informers) =
            (context.ctx.clone(), context.group, context.informers.clone());
        let controller = Rc::new(Self {
            core: RuleReadinessController::new(context, is_exclusive),
            nodes: queue(&ctx, group),
            rules: queue(&ctx, group),
            group,
        });
        informers.on_node(controller.clone());
        informers.on_readiness_rule(controller.clone());
        controller
    }

    /// Starts a worker for rules and one for nodes (`MaxConcurrentReconciles`); the caches are filled.
    pub(crate) fn run(self: &Rc<Self>) {
        let c = self.clone();
        self.core.ctx.spawn(self.group, async move {
            let rule = async |name| match rule_reconciler::reconcile(&c.core, name).await {
                Err(_) => c.rules.add_rate_limited(name),
                Ok(again) => {
                    c.rules.forget(name);
                    if !again.is_zero() {
                        c.rules.add_after(again, name);
                    }
                }
            };
            c.rules.work_once(rule).await;
        });
        let c = self.clone();
        self.core.ctx.spawn(self.group, async move {
            c.nodes.work(async |node| node_reconciler::reconcile(&c.core, node).await).await;
        });
    }
}

/// A queue with the limiter that controller-runtime gives to it.
fn queue<K: QueueKey>(ctx: &Ctx, group: Group) -> WorkQueue<K> {
    let limiter = RateLimiter::exponential(Dur::from_millis(5), Dur::from_secs(1000));
    WorkQueue::with_limiter(ctx, group, limiter)
}

impl ResourceEventHandler<Node> for Controller {
    fn on_change(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        let is_to_reconcile =
            |(o, n): (&Rc<Node>, &Rc<Node>)| node_reconciler::is_to_reconcile(o, n);
        if let Some(node) = new.or(old)
            && old.zip(new).is_none_or(is_to_reconcile)
        {
            self.nodes.add(node.id);
        }
    }
}

impl ResourceEventHandler<NodeReadinessRule> for Controller {
    /// `GenerationChangedPredicate`: nothing of a rule but its deletion changes the generation.
    fn on_change(&self, old: Option<&Rc<NodeReadinessRule>>, new: Option<&Rc<NodeReadinessRule>>) {
        if let Some(rule) = new.or(old)
            && old.zip(new).is_none_or(|(o, n)| o.deleting != n.deleting)
        {
            self.rules.add(rule.name);
        }
    }
}
