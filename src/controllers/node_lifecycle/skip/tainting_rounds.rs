//! The rounds of the NoExecute loop are skipped while all queues are empty.

use super::super::controller::Controller;
use crate::kernel::Dur;
use std::rc::Rc;

impl Controller {
    /// Runs the eviction pass for ever, first after `wait`, except while all queues are empty.
    pub(crate) async fn eviction_loop(self: Rc<Self>, wait: Dur, period: Dur) {
        if wait > Dur::ZERO {
            self.ctx.sleep(wait).await;
        }
        loop {
            self.do_no_execute_tainting_pass().await;
            let began = self.ctx.now();
            if !self.lazy || !self.queues_are_empty() {
                self.ctx.sleep(period).await;
                continue;
            }
            if !self.ctx.is_searching() {
                self.ctx.idle(self.idler, period).await;
                continue;
            }
            // A search tries other orders within an instant anyway, and each event that does
            // nothing would be one more order to try.
            self.ctx
                .parked(|ticket| self.rest.with(|r| r.tainting_waits = Some(ticket)))
                .await;
            let waited = self.ctx.now().since(began).as_nanos();
            let periods = waited.div_ceil(period.as_nanos()).max(1);
            let missed =
                waited == periods * period.as_nanos() && self.rest.with(|r| r.tainting_missed);
            let next = began + period * (periods + u64::from(missed));
            // What others have posted in this instant comes after a pass of this instant.
            if next > self.ctx.now() {
                self.ctx.sleep_until(next).await;
            }
        }
    }
}
