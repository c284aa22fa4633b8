//! The scheduler and its loops (`scheduler.go: Run`): the one that tries one pod after the other,
//! and the two that flush the queue.

use super::core::{Config, Core};
use super::handlers::{Attachments, Claims, Handlers};
use super::recalled::recall_waiting;
use super::schedule_one::ScheduleOne;
use crate::client::SeriesRecorder;
use crate::controllers::prelude::*;
use crate::plan::Waited;

/// How often pods whose back-off is over are looked for, and pods that have waited for too long.
const BACKOFF_FLUSH: Dur = Dur::from_secs(1);

const LEFTOVER_FLUSH: Dur = Dur::from_secs(30);

/// The scheduler.
pub(crate) struct Controller {
    core: Rc<Core>,
    schedule_one: Rc<ScheduleOne>,
    /// Pods that were tried before the start, until the caches are filled.
    waits: Shared<BTreeMap<PodId, Waited>>,
    /// A tick of both flushers; all others lie a multiple of their period before or after it.
    ticks_at: Cell<Time>,
}

impl Controller {
    /// A scheduler that hears of nodes and pods but does not run yet.
    pub(crate) fn new(config: Config, context: ControllerContext<SeriesRecorder>) -> Rc<Self> {
        let core = Core::new(config, context);
        let handlers = Handlers::new(&core);
        core.informers.on_node(handlers.clone());
        core.informers.on_pod(handlers.clone());
        if config.devices {
            core.informers.on_slices(handlers.clone());
            core.informers.on_rule(handlers.clone());
            core.informers.on_claim(handlers.clone());
        }
        if core.switches().attachments_count {
            core.api().watch(Rc::new(Attachments(Rc::downgrade(&core))));
        }
        if config.provisions {
            core.api().watch(Rc::new(Claims(Rc::downgrade(&core))));
        }
        Rc::new(Controller {
            schedule_one: ScheduleOne::new(&core, &handlers),
            waits: Shared::default(),
            ticks_at: Cell::new(core.ctx.now()),
            core,
        })
    }

    /// Remembers pods that were tried before the start.
    pub(crate) fn recall(&self, waits: BTreeMap<PodId, Waited>) {
        self.waits.with(|w| *w = waits);
    }

    /// Starts the loop and the two flushers (`Run`); the caches are filled. `warm`: they have been
    /// running for long, so that their next ticks come some time within a period.
    pub(crate) fn run(self: &Rc<Self>, warm: bool) {
        // One phase of the longer period is one of the shorter too, as both began at one time.
        let ctx = &self.core.ctx;
        let phase = ctx.point("scheduler-flush-phase");
        let phase = if warm { ctx.phase(phase, LEFTOVER_FLUSH) } else { Dur::ZERO };
        self.ticks_at.set(ctx.now() + phase);
        let waits = self.waits.with(std::mem::take);
        recall_waiting(&self.core, waits);
        let c = self.clone();
        self.core.ctx.spawn(self.core.group, async move {
            let mut woken = false;
            loop {
                if c.core.ctx.is_choosing() && c.core.state.with(|s| s.queue.is_ready()) {
                    let s = c.core.switches();
                    let odds = if woken { s.lets_in_woken } else { s.lets_in };
                    // Informers deliver before a pod is taken from the queue.
                    let point = c.core.ctx.point("scheduling-pop");
                    c.core.ctx.yield_point(point, odds).await;
                }
                let next = c.core.state.with(|s| s.queue.pop());
                woken = next.is_none();
                match next {
                    Some(entry) => c.schedule_one.schedule_one(entry).await,
                    None => c.core.ctx.parked(|t| c.core.parked.idle.set(Some(t))).await,
                }
            }
        });
        let c = self.clone();
        self.core.ctx.spawn(self.core.group, async move { c.flush_backoff_q_completed().await });
        let c = self.clone();
        self.core
            .ctx
            .spawn(self.core.group, async move { c.flush_unschedulable_pods_leftover().await });
    }

    /// Looks at the back-off queue every second (`flushBackoffQCompleted`), from the start on or,
    /// where it gives pods to an idle scheduler, at whole seconds. Looks at an empty queue are left
    /// out.
    async fn flush_backoff_q_completed(&self) {
        loop {
            if !self.core.state.with(|s| s.queue.has_backoff()) {
                self.core.ctx.parked(|t| self.core.parked.no_backoff.set(Some(t))).await;
                continue;
            }
            let pops = self.core.switches().pops_from_backoff;
            let from = if pops { Time::ZERO } else { self.ticks_at.get() };
            self.sleep_to_tick(from, BACKOFF_FLUSH).await;
            self.core.state.with(|s| s.queue.flush_backoff_q_completed(self.core.ctx.now()));
            self.core.broadcast();
        }
    }

    /// Looks every 30 s for pods that have waited for too long (`flushUnschedulablePodsLeftover`).
    async fn flush_unschedulable_pods_leftover(&self) {
        loop {
            if !self.core.state.with(|s| s.queue.has_unschedulable()) {
                self.core.ctx.parked(|t| self.core.parked.no_leftover.set(Some(t))).await;
                continue;
            }
            self.sleep_to_tick(self.ticks_at.get(), LEFTOVER_FLUSH).await;
            let (now, cause) = (self.core.ctx.now(), self.core.ctx.cause());
            self.core.state.with(|s| s.queue.flush_unschedulable_pods_leftover(now, cause));
            self.core.broadcast();
        }
    }

    /// Sleeps until the next of the ticks that come every `period`, one of them at `tick`.
    async fn sleep_to_tick(&self, tick: Time, period: Dur) {
        let (now, of) = (self.core.ctx.now(), |t: Time| t.as_nanos() % period.as_nanos());
        let since_last = (of(now) + period.as_nanos() - of(tick)) % period.as_nanos();
        self.core.ctx.sleep_until(now + Dur::from_nanos(period.as_nanos() - since_last)).await;
    }
}
