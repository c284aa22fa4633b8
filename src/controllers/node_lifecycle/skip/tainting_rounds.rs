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
        // Where requests take a whole number of periods, replies come in the instant of a pass, and
        // with them much else whose turn was fixed within the period before: after the pass's own
        // turn, which a skipped pass does not have.
        let round_trip = self.client.round_trip().as_nanos();
        let in_step = round_trip > 0 && round_trip.is_multiple_of(period.as_nanos());
        loop {
            self.do_no_execute_tainting_pass().await;
            let began = self.ctx.now();
            if !self.lazy || in_step || !self.queues_are_empty() {
                self.ctx.sleep(period).await;
                continue;
            }
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
