//! Leader election: who is in charge when the controllers' process has died, and when.
//!
//! `client-go/tools/leaderelection/leaderelection.go`, v1.34: a leader renews its lease every retry
//! period, and exits where it could not for the renew deadline. A candidate looks every retry period,
//! by chance up to 2.2 of them (`JitterFactor`); it takes over when it has seen the lease unchanged
//! for its whole duration. What it goes by is when it saw the lease itself, so that a process that
//! is started again waits out its own old one.

use super::awake::Awake;
use super::controller_manager::ControllerManager;
use super::world::{Turn, World};
use crate::client::connection::BROKEN;
use crate::plan::{Action, LeaderElection, Successor, WatchCache};
use crate::sim::prelude::*;

/// From taking office to the start of the controllers: measured of kube-controller-manager 1.34.4.
const TAKING_OFFICE: (Dur, Dur) = (Dur::from_millis(1_200), Dur::from_millis(1_500));

/// Whether the controllers are in charge, and what outages of the API server mean to that.
pub(super) struct Leader {
    world: Rc<World>,
    manager: Rc<ControllerManager>,
    awake: Rc<Awake>,
    /// How many outages there were.
    outages: Cell<u32>,
    /// The entry of the timeline of the latest.
    entry: Cell<u32>,
    /// The last try of a leader to renew before its deadline, in the latest.
    last_try: Cell<Time>,
    /// When the latest ended.
    up_since: Cell<Time>,
    /// A process waits for the API server.
    waits: Cell<bool>,
}

impl Leader {
    /// Nobody yet.
    pub(super) fn new(
        world: &Rc<World>,
        manager: &Rc<ControllerManager>,
        awake: &Rc<Awake>,
    ) -> Self {
        Self {
            world: world.clone(),
            manager: manager.clone(),
            awake: awake.clone(),
            outages: Cell::default(),
            entry: Cell::default(),
            last_try: Cell::default(),
            up_since: Cell::default(),
            waits: Cell::default(),
        }
    }

    fn drawn(&self, least: Dur, most: Dur) -> Dur {
        let point = self.world.ctx.point("leader-election");
        let nobody = Object { id: 0, hash: 0 };
        Dur::from_nanos(self.world.ctx.uniform(point, nobody, least.as_nanos(), most.as_nanos()))
    }

    /// From one look of a candidate to the next.
    fn until_next_look(&self, e: LeaderElection) -> Dur {
        e.retry_period + self.drawn(Dur::ZERO, Dur::from_nanos(e.retry_period.as_nanos() / 5 * 6))
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
        let Some(e) = self.world.plan.timing.leader_election else { return };
        let now = self.world.ctx.now();
        let seen = match successor {
            Successor::Same(after) => now.saturating_add(after),
            Successor::Standby => {
                let renewed = now.saturating_sub(self.drawn(Dur::ZERO, e.retry_period));
                renewed + self.drawn(Dur::ZERO, self.until_next_look(e))
            }
        };
        let starts = self.takes_over(e, seen);
        self.manager.die(starts.since(now), entry);
        self.world.turns.post(starts, Turn::Start);
    }

    /// The API server refuses everybody from now on: a leader gives up after its deadline.
    pub(super) fn api_goes_down(&self, entry: u32) {
        if self.world.api.is_down() {
            return;
        }
        let now = self.world.ctx.now();
        self.world.kubelets.api_server(true, WatchCache::Kept);
        for informers in self.manager.informers() {
            informers.server_gone();
        }
        self.outages.set(self.outages.get() + 1);
        self.entry.set(entry);
        if let Some(e) = self.world.plan.timing.leader_election {
            let first_try = now + self.drawn(Dur::ZERO, e.retry_period);
            let tries = e.renew_deadline.as_nanos().saturating_sub(1) / e.retry_period.as_nanos();
            self.last_try.set(first_try + e.retry_period * tries);
            let deadline = first_try.saturating_add(e.renew_deadline);
            self.world.turns.post(deadline, Turn::RenewDeadline(self.outages.get()));
        }
    }

    /// The API server answers again.
    pub(super) fn api_comes_up(&self, cache: WatchCache) {
        let now = self.world.ctx.now();
        self.world.kubelets.api_server(false, cache);
        if let Some(attacher) = &self.world.attacher {
            attacher.server_is_back();
        }
        self.up_since.set(now);
        for informers in self.manager.informers() {
            self.awake.until_watches_are_back(informers.server_back(cache));
        }
        if self.waits.take() {
            let starts = match self.world.plan.timing.leader_election {
                Some(e) => self.takes_over(e, now + self.drawn(Dur::ZERO, self.until_next_look(e))),
                None => now,
            };
            self.manager.stay_down(starts);
            self.world.turns.post(starts, Turn::Start);
        }
    }

    /// A leader's deadline in an outage of that number is over: it exits unless it renewed in time,
    /// and is started again at once.
    pub(super) fn renew_deadline(&self, outage: u32) {
        let renewed = !self.world.api.is_down() && self.up_since.get() <= self.last_try.get();
        let leads = self.manager.runs();
        if outage != self.outages.get() || renewed || !leads {
            return;
        }
        if self.world.api.is_down() {
            self.manager.die(Dur::ZERO, self.entry.get());
            self.waits.set(true);
        } else {
            self.replace_leader(Successor::Same(Dur::ZERO), self.entry.get());
        }
    }

    /// Some of the API servers behind a balancer die: of those who were connected to one, kubelets find
    /// that out for themselves. A leader whose requests hang can't renew, and exits; the same process
    /// is started again, with a connection to another server. Without leader election it finds its
    /// connection dead.
    pub(super) fn servers_die(&self, entry: u32, (gone, all): (u32, u32)) {
        let now = self.world.ctx.now();
        self.world.kubelets.servers_die((gone, all));
        if !self.manager.runs() {
            return;
        }
        let nobody = Object { id: 1, hash: 1 };
        let point = self.world.ctx.point("server-of-a-connection");
        let hit = self.world.ctx.uniform(point, nobody, 0, u64::from(all) - 1) < u64::from(gone);
        if !hit || !self.world.plan.timing.reconnects {
            return;
        }
        match self.world.plan.timing.leader_election {
            Some(e) => {
                let exits = self.drawn(Dur::ZERO, e.retry_period) + e.renew_deadline;
                self.replace_leader(Successor::Same(exits), entry);
            }
            None => {
                self.manager.hang(now + BROKEN);
                for informers in self.manager.informers() {
                    self.awake.until_watches_are_back(informers.server_lost(now + BROKEN));
                }
            }
        }
    }

    /// The controllers start, for the first time or as the end of a restart. While another restart
    /// keeps them down, that one starts them.
    pub(super) fn start(&self, restart: Option<&Action>) {
        let World { ctx, plan, api, .. } = &*self.world;
        if let Some(action) = restart
            && plan.timeline.get(action.entry as usize).is_some_and(|e| e.ends.is_some())
        {
            ctx.set_cause(api.record(Actor::User, action.entry, What::FaultEnded));
        }
        if !self.manager.may_start() {
            return;
        }
        if plan.timing.reconnects && api.is_down() {
            self.waits.set(true);
        } else {
            self.manager.start();
        }
    }
}
