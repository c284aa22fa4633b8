//! Which faults have every heartbeat simulated, and until when.
//!
//! By default the heartbeats of healthy nodes are computed, on the ground that they arrive and
//! arrive in time. While the API server answers nobody, or the watches of nodes or leases lag or
//! stall, they do not; and some time later what was late has come. Watches of anything else carry no
//! heartbeat, and nothing is simulated for them. A fault of the heartbeats of certain nodes is the
//! business of their kubelets.

use crate::plan::Resource;
use crate::sim::prelude::*;

/// For this long after the end of a fault heartbeats are still simulated: more than any delay of a
/// watch but a fault's.
const AFTER: Dur = Dur::from_secs(20);
/// A watch that has to list anew has done so by then: its first pause is 1.6 s at the most.
const LISTS_WITHIN: Dur = Dur::from_secs(2);

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    Api,
    Lag(Resource),
    Stall(Resource),
    Expired,
}

/// What is wrong, and until when it makes a difference.
pub(super) struct Awake {
    kubelets: Rc<Kubelets>,
    until: Shared<BTreeMap<Trouble, Time>>,
    /// The longest lag so far.
    lag: Cell<Dur>,
}

impl Awake {
    /// Nothing is wrong yet.
    pub(super) fn new(kubelets: &Rc<Kubelets>) -> Self {
        Self { kubelets: kubelets.clone(), until: Shared::default(), lag: Cell::default() }
    }

    /// An action is about to be done, now: keeps kubelets awake as long as it makes a difference.
    pub(super) fn before(&self, act: &Do, now: Time) {
        let carries_none = match act {
            Do::WatchLag(r, _) | Do::StallWatches(r, _) | Do::ExpireWatches(Some(r)) => {
                !matches!(r, Resource::Nodes | Resource::Leases)
            }
            _ => false,
        };
        if carries_none {
            return;
        }
        let after = |wait: Dur| now.saturating_add(wait).saturating_add(AFTER);
        let (trouble, until) = match *act {
            Do::ApiDown | Do::ServersDie(..) => (Trouble::Api, Time::MAX),
            Do::ApiUp(_) => (Trouble::Api, after(Dur::ZERO)),
            Do::WatchLag(r, lag) if lag.is_zero() => (Trouble::Lag(r), after(self.lag.get())),
            Do::WatchLag(r, lag) => {
                self.lag.set(lag.max(self.lag.get()));
                (Trouble::Lag(r), Time::MAX)
            }
            Do::ExpireWatches(_) => (Trouble::Expired, after(LISTS_WITHIN)),
            Do::StallWatches(r, lasts) => (Trouble::Stall(r), after(lasts)),
            _ => return,
        };
        let until = self.until.with(|all| {
            // A stall that a shorter one follows has its effects to its own end.
            let before = all.get(&trouble).copied();
            let longer = before.filter(|_| matches!(trouble, Trouble::Stall(_)));
            all.insert(trouble, longer.map_or(until, |l| l.max(until)));
            all.values().copied().max().unwrap_or(until)
        });
        self.kubelets.stay_awake(until);
    }

    /// Watches that an outage of the API server broke are back by then.
    pub(super) fn until_watches_are_back(&self, back: Time) {
        let until = self.until.with(|all| {
            let until = all.entry(Trouble::Api).or_default();
            *until = back.saturating_add(AFTER).max(*until);
            all.values().copied().max().unwrap_or_default()
        });
        self.kubelets.stay_awake(until);
    }
}
