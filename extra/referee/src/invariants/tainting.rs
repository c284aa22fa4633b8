//! No zone gets its NoExecute taints faster than its limiter allows (`rate_limited_queue.go`: a
//! bucket of one token): in any stretch of time one taint, and `--node-eviction-rate` per second,
//! and one for each limiter that is made anew in it, with the zone's queue or its state.

use std::collections::BTreeMap;
use taintsim::api::names::TextId;
use taintsim::api::node::zone_key;
use taintsim::api::taint::{Effect, NOT_READY, Taint, UNREACHABLE};
use taintsim::kernel::{Dur, Time};
use taintsim::plan::{Action, Do, Plan};
use taintsim::trace::{Actor, Note, Record, Trace, What};

/// The longest time between a token and the taint for it: a pass waits for the writes before it.
const LATE: Dur = Dur::from_secs(5);
/// The same where requests take no time: the next turn of the loop, if the first write was refused.
const NEXT_TURN: Dur = Dur::from_millis(100);

/// What a taint may wait for where requests are rejected: client-go sends one that is answered 429
/// again after its Retry-After, which is a second, up to ten times (`rest/with_retry.go`), and the
/// token is taken before the two requests for a taint, which read the node and patch it.
const REJECTED: Dur = Dur::from_secs(20);

/// How long a request may wait for the limit of a client that has pods to mark and to evict.
const CROWD: Dur = Dur::from_secs(60);

/// How late the controller may see that a taint is gone: later than any watch except one that is
/// held up.
const UNHEARD: Dur = Dur::from_secs(60);

pub(super) struct Tainting<'a> {
    trace: &'a Trace,
    /// Nodes per second; none where the question does not arise.
    rate: Option<f64>,
    /// How late a taint may be written after its token was taken.
    late: Dur,
    zone_of: Vec<String>,
    /// Whether a node has a NoExecute taint for failure, or until when it had one: another in its
    /// place is not limited, and the controller may not have heard yet that it is gone.
    tainted: Vec<Tainted>,
    zones: BTreeMap<String, Zone>,
}

#[derive(Default)]
struct Zone {
    /// How many limiters were made anew so far.
    anew: usize,
    /// The taints so far, with what `anew` was at each.
    taints: Vec<(Time, usize)>,
}

/// What a node has of the NoExecute taints for failure.
#[derive(Clone, Copy, Default)]
struct Tainted {
    /// Those it has, in the order of [`FOR_FAILURE`]: while one is swapped for the other, both.
    now: [bool; 2],
    /// When it last lost one.
    until: Option<Time>,
}

const FOR_FAILURE: [&str; 2] = [NOT_READY, UNREACHABLE];

impl Tainted {
    fn of(taints: &[Taint]) -> Self {
        let mut tainted = Tainted::default();
        tainted.set(taints, true);
        tainted
    }

    /// Says whether one of the taints is for failure.
    fn set(&mut self, taints: &[Taint], present: bool) -> bool {
        let mut any = false;
        for taint in taints.iter().filter(|t| t.effect == Effect::NoExecute) {
            if let Some(i) = FOR_FAILURE.iter().position(|key| **key == *taint.key) {
                self.now[i] = present;
                any = true;
            }
        }
        any
    }
}

impl<'a> Tainting<'a> {
    pub(super) fn new(plan: &Plan, trace: &'a Trace) -> Self {
        // Labels that change move nodes between zones, and a bigger secondary rate is another
        // limit.
        let fixed = !plan.actions.iter().any(|a| matches!(a.act, Do::Label(..)));
        let rate = plan.flags.node_eviction_rate.max(plan.flags.secondary_node_eviction_rate);
        // All of a limiter's turns are exact where nothing waits and requests take no time.
        let round_trips =
            plan.timing.request.max.saturating_add(plan.timing.response.max).saturating_mul(4);
        // A client's limit makes requests wait for those before them: a few of each node, and of
        // pods as many as are made and evicted meanwhile.
        let crowd = if plan.pods.is_empty() && plan.workloads.is_empty() {
            0.0
        } else {
            CROWD.as_secs_f64()
        };
        let turns = plan
            .timing
            .node_lifecycle_client
            .map_or(0.0, |l| crowd + 6.0 * plan.nodes.len() as f64 / f64::from(l.qps));
        let at_best = if plan.timing.node_lifecycle_client.is_none() && round_trips.is_zero() {
            NEXT_TURN
        } else {
            LATE.saturating_add(round_trips).saturating_add(Dur::from_millis((turns * 1e3) as u64))
        };
        let is_rejected = |a: &Action| matches!(a.act, Do::RejectRequests(..));
        let rejected = match plan.actions.iter().any(is_rejected) {
            true => REJECTED,
            false => Dur::ZERO,
        };
        Tainting {
            trace,
            rate: fixed.then_some(f64::from(rate)),
            late: at_best.saturating_add(rejected),
            zone_of: plan
                .nodes
                .iter()
                .map(|n| zone_key(&n.labels, plan.profile.node_lifecycle.beta_zone_labels))
                .collect(),
            tainted: plan.nodes.iter().map(|n| Tainted::of(&n.taints)).collect(),
            zones: BTreeMap::new(),
        }
    }

    fn taint(&mut self, node: usize, at: Time) -> Option<String> {
        let rate = self.rate?;
        let name = &self.zone_of[node];
        let zone = self.zones.entry(name.clone()).or_default();
        zone.taints.push((at, zone.anew));
        // Of the last taints it is enough to look at as many as a minute of them.
        for (i, (first, anew)) in zone.taints.iter().enumerate().rev().take(64) {
            let taints = zone.taints.len() - i;
            let allowed = 1.0
                + rate * (at.since(*first) + self.late).as_secs_f64()
                + (zone.anew - anew) as f64;
            if taints as f64 > allowed + 1e-6 {
                return Some(format!(
                    "{taints} nodes of zone {name:?} since {first}, and its limiter allows {allowed:.1}"
                ));
            }
        }
        None
    }
}

impl Tainting<'_> {
    pub(super) fn see(&mut self, record: &Record) -> Option<String> {
        match record.what {
            What::Zone(_) | What::Noted(Note::ZoneQueue, _) => {
                let zone = self.trace.names.text_of(TextId(record.object)).to_owned();
                self.zones.entry(zone).or_default().anew += 1;
            }
            What::ControllersStarted => self.zones.clear(),
            What::MasterDisruptionEntered | What::MasterDisruptionLeft => {
                self.zones.values_mut().for_each(|z| z.anew += 1)
            }
            What::NodeCreated => {
                if let Some(tainted) = self.tainted.get_mut(record.object as usize) {
                    *tainted = Tainted::default();
                }
            }
            What::NodeTaints(change) => {
                let change = &self.trace.taints[change as usize];
                let node = record.object as usize;
                let tainted = self.tainted.get_mut(node)?;
                let is_new = tainted.now == [false; 2]
                    && tainted.until.is_none_or(|at| record.at.since(at) > UNHEARD);
                if tainted.set(&change.removed, false) {
                    tainted.until = Some(record.at);
                }
                let adds = tainted.set(&change.added, true);
                if adds && is_new && record.actor == Actor::NodeLifecycle {
                    return self.taint(node, record.at);
                }
            }
            _ => {}
        }
        None
    }
}
