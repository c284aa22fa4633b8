//! The start of the controllers' process.

use super::cluster::Cluster;
use super::controllers::{Maker, Part};
use super::process::Process;
use crate::client::{Hold, InformerFactory, InformerTiming};
use crate::kernel::Dur;
use crate::trace::{Actor, What};
use std::rc::Rc;

/// A new process looks this soon after its start whether its caches are filled, and then this
/// often.
const FIRST_LOOK: Dur = Dur::from_micros(1);
const SYNC_POLL: Dur = Dur::from_millis(100);

impl Cluster {
    /// Starts a fresh process: new clients, new caches, new controllers.
    pub(super) fn start_controllers(self: &Rc<Self>) {
        let record = self.api.record(Actor::User, 0, What::ControllersStarted);
        self.ctx.set_cause(record);
        let group = self.ctx.group();
        let warm = self.plan.warm_start && self.ctx.now() == self.plan.controllers_start;
        let informers = self.new_informers(warm);
        let parts = Maker::new(self, group, &informers, warm).all();
        self.process.with(|p| {
            *p = Some(Rc::new(Process {
                group,
                informers: informers.clone(),
            }))
        });
        let ctx = self.ctx.clone();
        self.ctx.spawn(group, async move {
            let look = ctx.now() + FIRST_LOOK;
            informers.start().await;
            let late = ctx.now().since(look).as_nanos();
            let polls = late.div_ceil(SYNC_POLL.as_nanos());
            ctx.sleep_until(look + SYNC_POLL * polls).await;
            for Part { name, controller } in parts {
                match name {
                    Some(name) => ctx.under(name, || controller.run(warm)),
                    None => controller.run(warm),
                }
            }
        });
    }

    fn new_informers(&self, warm: bool) -> Rc<InformerFactory> {
        let (timing, perturb) = (&self.plan.timing, &self.plan.perturb);
        InformerFactory::new(
            &self.api,
            InformerTiming {
                request: timing.request.max,
                response: timing.response.max,
                watch: timing.watch,
                reconnects: timing.reconnects,
                watch_retry: self.plan.profile.watch_retry,
                retries: {
                    let of = &self.plan.profile;
                    (of.request_retries, of.retries_watches)
                },
                made: (!warm).then(|| self.ctx.now()),
            },
            &self.lags,
            Hold {
                stale: perturb.stale,
                broken: perturb.coalesce,
            },
        )
    }
}
