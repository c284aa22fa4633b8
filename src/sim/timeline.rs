//! The timeline of a run: when each fault and each action of a user begins.

use super::cluster::Cluster;
use super::world::{Turn, World};
use crate::kernel::{Handler, PointId};
use crate::plan::{Action, NodeFault};
use crate::sim::prelude::*;
use crate::trace::NO_RECORD;
use std::rc::Weak;

/// How many times in a thousand an action comes after all that those before it at its time have set off, a
/// nanosecond later, and not before it: with that the second of two has the first behind it in 515 of 540 runs of
/// upstream's controllers from 1.29 on (`taint-readd-same-instant`, recorded on an idle machine).
const APART: u32 = 930;

/// The same up to 1.28, where the node lifecycle controller hands nodes over to the taint manager: in 536 of 660 runs of
/// eleven releases. What of that makes the difference is not known.
const APART_OF_ONE: u32 = 725;

/// Runs the actions of a plan, each at its time. Of several at one instant, a later one may come
/// before or after what the earlier ones set off in that instant; that is chance.
pub(super) struct Timeline {
    cluster: Weak<Cluster>,
    together: PointId,
    /// The instant whose actions are held, and until when the last of them is.
    held: Cell<Option<(Time, Time)>>,
}

impl Handler for Timeline {
    type Argument = Turn;

    fn handle(&self, turn: Turn) {
        let Some(cluster) = self.cluster.upgrade() else { return };
        let World { ctx, plan, turns, .. } = &*cluster.world;
        ctx.set_cause(NO_RECORD);
        let (index, waited) = match turn {
            Turn::Action { index, waited } => (index as usize, waited),
            Turn::Start => return cluster.leader.start(None),
            Turn::RenewDeadline(outage) => return cluster.leader.renew_deadline(outage),
            Turn::Restarted(n) => return cluster.leader.start(plan.actions.get(n as usize)),
        };
        let together = index > 0 && plan.actions[index - 1].at == plan.actions[index].at;
        if together && !waited {
            let about = Object { id: index as u32, hash: index as u64 };
            let held = self.held.get().filter(|(since, _)| *since == ctx.now());
            let mut until = held.map_or(ctx.now(), |(_, until)| until);
            let is_apart = plan.profile.taint_eviction.separate_controller;
            let apart = if is_apart { APART } else { APART_OF_ONE };
            if ctx.chance(self.together, about, apart) {
                until += Dur::from_nanos(1);
            }
            if until > ctx.now() {
                self.held.set(Some((ctx.now(), until)));
                return turns.post(until, Turn::Action { index: index as u32, waited: true });
            }
        }
        cluster.act(&plan.actions[index]);
        for attached in plan.actions[index + 1..].iter().take_while(|a| is_attached(a)) {
            cluster.act(attached);
        }
    }

    /// The entries of a timeline keep their order; what they do besides writing to the store is
    /// declared where they do it.
    fn name(&self, _: Turn) -> Name {
        Name::of("timeline", Keys::UNDECLARED).goroutine()
    }
}

impl Timeline {
    /// Schedules the start of the controllers and all actions, in the plan's order where times are
    /// equal.
    pub(super) fn schedule(cluster: &Rc<Cluster>) {
        let World { ctx, plan, turns, .. } = &*cluster.world;
        let together = ctx.point("actions-of-one-instant");
        let timeline =
            Timeline { cluster: Rc::downgrade(cluster), together, held: Cell::new(None) };
        turns.go_to(ctx.register(Rc::new(timeline)));
        turns.post(plan.controllers_start, Turn::Start);
        for (index, action) in (0..).zip(&plan.actions).filter(|(_, a)| !is_attached(a)) {
            turns.post(action.at, Turn::Action { index, waited: false });
            if let Do::RestartControllers(downtime) = action.act {
                turns.post(action.at.saturating_add(downtime), Turn::Restarted(index));
            }
        }
    }
}

/// Whether an action is done in one with the one before it: what a partition means to clients,
/// which no controller sees, is no step that something else could come before.
fn is_attached(action: &Action) -> bool {
    matches!(action.act, Do::Fail(_, fault) | Do::Recover(_, fault) if fault == NodeFault::Isolated)
}
