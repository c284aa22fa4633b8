//! Ends a run in which a workload makes one pod in place of the other without any delay.
//!
//! A node that is short of something refuses pods until the scheduler hears of it, and nothing of upstream's paces those
//! that are made in their place but how long requests and watches take, and the clients' limits. Where neither are
//! simulated there would be a thousand million in a second.

use super::bounds::objects;
use crate::api::pod::Pod;
use crate::apiserver::Watcher;
use crate::kernel::Endless;
use crate::sim::prelude::*;

/// What counts as at once: reading a status before it is written takes a nanosecond.
const AT_ONCE: Dur = Dur::from_millis(1);

/// What a workload has made of late.
#[derive(Clone, Copy)]
struct Made {
    since: Time,
    pods: u64,
    last: PodId,
}

/// Hears of every pod that is made.
pub(super) struct Remakes {
    api: Rc<ApiServer>,
    /// More than any workload can make at once where its pods stay.
    most: u64,
    made: Shared<BTreeMap<WorkloadId, Made>>,
}

impl Remakes {
    /// Hears of the pods that are made from now on.
    pub(super) fn watch(api: &Rc<ApiServer>, plan: &Plan) {
        let most = 10_000 + objects(plan).saturating_mul(2);
        let made = Shared::new(BTreeMap::new());
        api.watch(Rc::new(Self { api: api.clone(), most, made }));
    }

    /// Ends the run.
    fn give_up(&self, owner: WorkloadId, Made { pods, last, .. }: Made, at: Time) {
        let api = &self.api;
        let node = api.pod(last).and_then(|pod| pod.node);
        // People wrote the Deployment, and not its ReplicaSet.
        let made_by = api.workload(owner).and_then(|w| w.owner).map_or(owner, |(id, _)| id);
        let (workload, node) = api.names(|n| {
            let workload = n.workload_name(made_by).to_owned();
            (workload, node.map(|id| n.node_name(id).to_owned()))
        });
        std::panic::panic_any(Endless::Remakes { at, pods, workload, node })
    }
}

impl Watcher for Remakes {
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        let (None, Some(new)) = (old, new) else { return };
        let Some((owner, _)) = new.controller() else { return };
        let now = self.api.ctx().now();
        let before = self.made.with(|made| {
            let fresh = Made { since: now, pods: 0, last: new.id };
            let entry = made.entry(owner).or_insert(fresh);
            if now > entry.since + AT_ONCE {
                *entry = fresh;
            }
            let before = *entry;
            (entry.pods, entry.last) = (before.pods + 1, new.id);
            before
        });
        if before.pods > self.most {
            self.give_up(owner, before, now);
        }
    }
}
