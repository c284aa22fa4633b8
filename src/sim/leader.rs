//! Leader election: who is in charge when the controllers' process has died, and when.
//!
//! `client-go/tools/leaderelection/leaderelection.go`, v1.34: a leader renews its lease every retry
//! period, and exits where it could not for the renew deadline. A candidate looks every retry period,
//! by chance up to 2.2 of them (`JitterFactor`); it takes over when it has seen the lease unchanged
//! for its whole duration. What it goes by is when it saw the lease itself, so that a process that
//! is started again waits out its own old one.

use super::cluster::Cluster;
use super::turn::Turn;
use crate::client::connection::BROKEN;
use crate::kernel::{Class, Dur, Object, Time};
use crate::plan::{LeaderElection, Successor, WatchCache};
use std::rc::Rc;

/// From taking office to the start of the controllers: measured of kube-controller-manager 1.34.4.
const TAKING_OFFICE: (Dur, Dur) = (Dur::from_millis(1_200), Dur::from_millis(1_500));

impl Cluster {
    fn drawn(&self, least: Dur, most: Dur) -> Dur {
        let point = self.ctx.point("leader-election");
        let nobody = Object { id: 0, hash: 0 };
        let drawn = self
            .ctx
            .uniform(point, nobody, least.as_nanos(), most.as_nanos());
        Dur::from_nanos(drawn)
    }

    /// From one look of a candidate to the next.
    fn until_next_look(&self, e: LeaderElection) -> Dur {
        let jitter = Dur::from_nanos(e.retry_period.as_nanos() / 5 * 6);
        e.retry_period + self.drawn(Dur::ZERO, jitter)
    }

    /// When the controllers start under a candidate that saw the old lease first at `seen`.
    fn takes_over(&self, e: LeaderElection, seen: Time) -> Time {
        let mut look = seen;
        while look < seen.saturating_add(e.lease_duration) {
            look = look.saturating_add(self.until_next_look(e));
        }
        look.saturating_add(self.drawn(TAKING_OFFICE.0, TAKING_OFFICE.1))
    }

    /// The controllers' process dies, and a successor takes over.
    pub(super) fn replace_leader(&self, successor: Successor, entry: u32) {
        let Some(e) = self.plan.timing.leader_election else {
            return;
        };
        let now = self.ctx.now();
        let seen = match successor {
            Successor::Same(after) => now.saturating_add(after),
            Successor::Standby => {
                let renewed = now.saturating_sub(self.drawn(Dur::ZERO, e.retry_period));
                renewed + self.drawn(Dur::ZERO, self.until_next_look(e))
            }
        };
        let starts = self.takes_over(e, seen);
        self.die(starts.since(now), entry);
        self.post(starts, Turn::Start);
    }

    fn post(&self, at: Time, turn: Turn) {
        if let Some(handler) = self.timeline.get() {
            self.ctx.post_at(at, Class::Outside, handler, turn);
        }
    }

    /// The API server refuses everybody from now on: a leader gives up after its deadline.
    pub(super) fn api_goes_down(&self, entry: u32) {
        if self.api.is_down() {
            return;
        }
        let now = self.ctx.now();
        self.kubelets.api_server(true, WatchCache::Kept);
        if let Some(p) = self.process.with(|p| p.clone()) {
            p.informers.server_gone();
        }
        let office = &self.office;
        office.outages.set(office.outages.get() + 1);
        office.entry.set(entry);
        if let Some(e) = self.plan.timing.leader_election {
            let first_try = now + self.drawn(Dur::ZERO, e.retry_period);
            let tries = e.renew_deadline.as_nanos().saturating_sub(1) / e.retry_period.as_nanos();
            office.last_try.set(first_try + e.retry_period * tries);
            let deadline = first_try.saturating_add(e.renew_deadline);
            self.post(deadline, Turn::RenewDeadline(office.outages.get()));
        }
    }

    /// The API server answers again.
    pub(super) fn api_comes_up(self: &Rc<Self>, cache: WatchCache) {
        let now = self.ctx.now();
        self.kubelets.api_server(false, cache);
        self.office.up_since.set(now);
        if let Some(p) = self.process.with(|p| p.clone()) {
            let back = p.informers.server_back(cache);
            self.awake.until_watches_are_back(back, &self.kubelets);
        }
        if self.office.waits.take() {
            let starts = match self.plan.timing.leader_election {
                Some(e) => {
                    let seen = now + self.drawn(Dur::ZERO, self.until_next_look(e));
                    self.takes_over(e, seen)
                }
                None => now,
            };
            self.down_until.set(self.down_until.get().max(starts));
            self.post(starts, Turn::Start);
        }
    }

    /// A leader's deadline in an outage of that number is over: it exits unless it renewed in time,
    /// and is started again at once.
    pub(super) fn renew_deadline(&self, outage: u32) {
        let office = &self.office;
        let renewed = !self.api.is_down() && office.up_since.get() <= office.last_try.get();
        let leads = self.process.with(|p| p.is_some());
        if outage != office.outages.get() || renewed || !leads {
            return;
        }
        if self.api.is_down() {
            self.die(Dur::ZERO, office.entry.get());
            office.waits.set(true);
        } else {
            self.replace_leader(Successor::Same(Dur::ZERO), office.entry.get());
        }
    }

    /// Some of the API servers behind a balancer die: of those who were connected to one, kubelets find
    /// that out for themselves. A leader whose requests hang can't renew, and exits; the same process
    /// is started again, with a connection to another server. Without leader election it finds its
    /// connection dead.
    pub(super) fn servers_die(&self, entry: u32, (gone, all): (u32, u32)) {
        let now = self.ctx.now();
        self.kubelets.servers_die((gone, all));
        let Some(p) = self.process.with(|p| p.clone()) else {
            return;
        };
        let nobody = Object { id: 1, hash: 1 };
        let point = self.ctx.point("server-of-a-connection");
        let hit = self.ctx.uniform(point, nobody, 0, u64::from(all) - 1) < u64::from(gone);
        if !hit || !self.plan.timing.reconnects {
            return;
        }
        match self.plan.timing.leader_election {
            Some(e) => {
                let exits = self.drawn(Dur::ZERO, e.retry_period) + e.renew_deadline;
                self.replace_leader(Successor::Same(exits), entry);
            }
            None => {
                self.hangs_until.set(now + BROKEN);
                let back = p.informers.server_lost(now + BROKEN);
                self.awake.until_watches_are_back(back, &self.kubelets);
            }
        }
    }

    /// Whether a process that would start now has to wait for the API server.
    pub(super) fn waits_for_the_api(&self) -> bool {
        let waits = self.plan.timing.reconnects && self.api.is_down();
        if waits {
            self.office.waits.set(true);
        }
        waits
    }
}
