//! The timeline of a run: when each fault and each action of a user begins.

use super::cluster::Cluster;
use super::turn::Turn;
use crate::kernel::{Class, Dur, Handler, HandlerId, Keys, Name, Object, PointId, Time};
use crate::plan::{Action, Do};
use crate::trace::NO_RECORD;
use std::cell::Cell;
use std::rc::{Rc, Weak};

/// How many times in a thousand an action comes after all that those before it at its time have set off, a
/// nanosecond later, and not before it: so it was in 133 of 160 runs of upstream's controllers from 1.29 on
/// (`taint-readd-same-instant`).
const APART: u32 = 850;

/// The same up to 1.28, where the node lifecycle controller hands nodes over to the taint manager: in 42 of 140 runs of
/// eleven releases. What of that makes the difference is not known.
const APART_OF_ONE: u32 = 300;

/// Runs the actions of a plan, each at its time. Of several at one instant, a later one may come
/// before or after what the earlier ones set off in that instant; that is chance.
pub(super) struct Timeline {
    cluster: Weak<Cluster>,
    handler: Cell<Option<HandlerId<Turn>>>,
    together: PointId,
    /// The instant whose actions are held, and until when the last of them is.
    held: Cell<Option<(Time, Time)>>,
}

impl Handler for Timeline {
    type Argument = Turn;

    fn handle(&self, turn: Turn) {
        let Some(cluster) = self.cluster.upgrade() else {
            return;
        };
        let ctx = &cluster.ctx;
        ctx.set_cause(NO_RECORD);
        let plan = cluster.plan.clone();
        let (index, waited) = match turn {
            Turn::Action { index, waited } => (index as usize, waited),
            Turn::Start => return cluster.restarted(None),
            Turn::RenewDeadline(outage) => return cluster.renew_deadline(outage),
            Turn::Restarted(index) => return cluster.restarted(plan.actions.get(index as usize)),
        };
        let together = index > 0 && plan.actions[index - 1].at == plan.actions[index].at;
        if together && !waited {
            let about = Object {
                id: index as u32,
                hash: index as u64,
            };
            let held = self.held.get().filter(|(since, _)| *since == ctx.now());
            let mut until = held.map_or(ctx.now(), |(_, until)| until);
            let apart = match plan.profile.taint_eviction.separate_controller {
                true => APART,
                false => APART_OF_ONE,
            };
            if ctx.chance(self.together, about, apart) {
                until += Dur::from_nanos(1);
            }
            if let Some(handler) = self.handler.get().filter(|_| until > ctx.now()) {
                self.held.set(Some((ctx.now(), until)));
                let index = index as u32;
                let turn = Turn::Action {
                    index,
                    waited: true,
                };
                ctx.post_at(until, Class::Outside, handler, turn);
                return;
            }
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
    fn name(&self, _: Turn) -> Name {
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
            held: Cell::new(None),
        });
        let handler = cluster.ctx.register(timeline.clone());
        timeline.handler.set(Some(handler));
        cluster.timeline.set(Some(handler));
        cluster.ctx.post_at(
            cluster.plan.controllers_start,
            Class::Outside,
            handler,
            Turn::Start,
        );
        for (index, action) in cluster
            .plan
            .actions
            .iter()
            .enumerate()
            .filter(|(_, a)| !is_attached(a))
        {
            cluster.ctx.post_at(
                action.at,
                Class::Outside,
                handler,
                Turn::Action {
                    index: index as u32,
                    waited: false,
                },
            );
            if let Do::RestartControllers(downtime) = action.act {
                cluster.ctx.post_at(
                    action.at.saturating_add(downtime),
                    Class::Outside,
                    handler,
                    Turn::Restarted(index as u32),
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
