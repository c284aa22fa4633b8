//! Whose requests API Priority and Fairness rejects (429, `apiserver/pkg/server/filters/
//! priority-and-fairness.go`). Which those are, and for how long, is stated; its levels and queues
//! are left out.

use crate::apiserver::prelude::*;
use crate::plan::Clients;
use std::cell::{Cell, RefCell};

/// Until when requests are rejected.
#[derive(Default)]
pub(crate) struct Rejections {
    /// Whether any ever was.
    any: Cell<bool>,
    of_all: Cell<Time>,
    of_some: RefCell<BTreeMap<Actor, Time>>,
}

impl Rejections {
    /// Rejects the requests of these clients until then. A time that is shorter than one before it
    /// changes nothing.
    pub(crate) fn begin(&self, clients: &Clients, until: Time) {
        self.any.set(true);
        match clients {
            Clients::All => self.of_all.set(until.max(self.of_all.get())),
            Clients::Of(actors) => {
                let mut all = self.of_some.borrow_mut();
                for &actor in actors {
                    let now = all.entry(actor).or_default();
                    *now = until.max(*now);
                }
            }
        }
    }

    /// Whether requests of this client that arrive at `now` are rejected.
    pub(crate) fn concern(&self, owner: Actor, now: Time) -> bool {
        if !self.any.get() {
            return false;
        }
        let of_some = self.of_some.borrow();
        now < self.of_all.get() || of_some.get(&owner).is_some_and(|&until| now < until)
    }

    /// Until when everybody's requests are rejected, lists and watches among them.
    pub(crate) fn of_all_until(&self) -> Time {
        self.of_all.get()
    }
}
