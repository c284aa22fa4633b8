//! The death of the controllers' process.

use super::cluster::Cluster;
use crate::client::Wrote;
use crate::kernel::Dur;
use std::rc::Rc;

/// How soon a process that died is back: started again where it was, or, once its lease has run
/// out, on another machine.
const SAME_MACHINE: Dur = Dur::from_secs(1);

const ANOTHER_MACHINE: Dur = Dur::from_secs(20);

/// The process dies at most this often in a run where that is left to the choices.
const CRASHES_MOST: u32 = 3;

impl Cluster {
    /// What a write of the controllers may set off where a crash is left to the choices: the
    /// process dies, and a new one starts.
    pub(super) fn crashes(self: &Rc<Self>) -> Option<Wrote> {
        if !self.plan.perturb.crash {
            return None;
        }
        let (me, point) = (Rc::downgrade(self), self.ctx.point("crash"));
        Some(Rc::new(move |about| {
            let Some(cluster) = me.upgrade().filter(|c| c.crashes.get() < CRASHES_MOST) else {
                return;
            };
            let after = match cluster.ctx.choose(point, about, 3) {
                0 => return,
                1 => SAME_MACHINE,
                _ => ANOTHER_MACHINE,
            };
            cluster.crashes.set(cluster.crashes.get() + 1);
            cluster.ctx.writes(cluster.ctx.keys("crashes").of(0));
            cluster.crash(after);
        }))
    }

    /// Kills the process: requests already sent are applied, nothing else happens.
    pub(super) fn stop_controllers(&self) {
        if let Some(p) = self.process.with(Option::take) {
            p.informers.stop();
            self.ctx.kill(p.group);
        }
    }
}
