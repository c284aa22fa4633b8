//! The timeline of a run: when each fault and each action of a user begins.

use super::cluster::Cluster;
use crate::kernel::{Class, Handler, HandlerId, Keys, Name, Object, PointId};
use crate::plan::{Action, Do};
use crate::trace::NO_RECORD;
use std::cell::Cell;
use std::rc::{Rc, Weak};

/// Runs the actions of a plan, each at its time. Of several at one instant, a later one may come
/// before or after what the earlier ones set off in that instant; that is chance.
pub(super) struct Timeline {
    cluster: Weak<Cluster>,
    handler: Cell<Option<HandlerId>>,
    together: PointId,
}

/// This bit of the argument says that an action has let others go before it.
const WAITED: u64 = 1 << 62;

/// The argument that means "start the controllers" instead of an action's index; with a restart's
/// index, that its entry ends.
const START: u64 = 1 << 61;

pub(super) const FIRST_START: u64 = START | (START - 1);

impl Handler for Timeline {
    fn handle(&self, arg: u64) {
        let Some(cluster) = self.cluster.upgrade() else {
            return;
        };
        let ctx = &cluster.ctx;
        ctx.set_cause(NO_RECORD);
        let index = (arg & !(WAITED | START)) as usize;
        let plan = cluster.plan.clone();
        if arg & START != 0 {
            cluster.restarted(plan.actions.get(index));
            return;
        }
        let together = index > 0 && plan.actions[index - 1].at == plan.actions[index].at;
        if together
            && arg & WAITED == 0
            && ctx.choose(
                self.together,
                Object {
                    id: index as u32,
                    hash: index as u64,
                },
                2,
            ) == 1
        {
            if let Some(handler) = self.handler.get() {
                ctx.post_at(ctx.now(), Class::Timer, handler, arg | WAITED);
            }
            return;
        }
        cluster.act(&plan.actions[index]);
        for attached in plan.actions[index + 1..]
            .iter()
            .take_while(|a| is_attached(a))
        {
            cluster.act(attached);
        }
    }

    /// The entries of a timeline keep their order; what they do besides writing to the store is
    /// declared where they do it.
    fn name(&self, _: u64) -> Name {
        Name::of("timeline", Keys::UNDECLARED).stream()
    }
}

impl Timeline {
    /// Schedules the start of the controllers and all actions, in the plan's order where times are
    /// equal.
    pub(super) fn schedule(cluster: &Rc<Cluster>) {
        let together = cluster.ctx.point("actions-of-one-instant");
        let timeline = Rc::new(Timeline {
            cluster: Rc::downgrade(cluster),
            handler: Cell::new(None),
            together,
        });
        let handler = cluster.ctx.register(timeline.clone());
        timeline.handler.set(Some(handler));
        cluster.timeline.set(Some(handler));
        cluster.ctx.post_at(
            cluster.plan.controllers_start,
            Class::Outside,
            handler,
            FIRST_START,
        );
        for (index, action) in cluster
            .plan
            .actions
            .iter()
            .enumerate()
            .filter(|(_, a)| !is_attached(a))
        {
            cluster
                .ctx
                .post_at(action.at, Class::Outside, handler, index as u64);
            if let Do::RestartControllers(downtime) = action.act {
                cluster.ctx.post_at(
                    action.at.saturating_add(downtime),
                    Class::Outside,
                    handler,
                    START | index as u64,
                );
            }
        }
    }
}

/// Whether an action is done in one with the one before it: what a partition means to clients,
/// which no controller sees, is no step that something else could come before.
fn is_attached(action: &Action) -> bool {
    matches!(action.act, Do::Isolate(_) | Do::Reconnect(_))
}
