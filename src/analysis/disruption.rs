//! Why evictions pause: the states of zones over time with the pace that each allows, and master
//! disruption.

use super::prelude::*;

/// How fast nodes of a zone are tainted in a state that is not normal
/// (`node_lifecycle_controller.go: setLimiterInZone`).
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Pace {
    /// One node per this span, at the rate of `--node-eviction-rate`.
    Usual(Dur),
    /// One node per this span, at the rate of `--secondary-node-eviction-rate`.
    Slow(Dur),
    /// None: the zone has no more nodes than `--large-cluster-size-threshold`.
    Stopped,
    /// None: the rate of the flag is zero.
    Zero,
    /// None, although the rate is above zero: it is exactly 1, and tainting was stopped before.
    Kept,
}

impl Pace {
    /// The pace of a zone of `nodes` nodes; none in a state that needs no mention.
    pub(crate) fn of(plan: &Plan, state: ZoneState, nodes: usize) -> Option<Self> {
        let f = &plan.flags;
        let is_large = nodes as i64 > i64::from(f.large_cluster_size_threshold);
        match state {
            ZoneState::PartialDisruption if is_large => {
                Some(time_per_node(f.secondary_node_eviction_rate).map_or(Self::Zero, Self::Slow))
            }
            ZoneState::PartialDisruption => Some(Self::Stopped),
            ZoneState::FullDisruption => {
                Some(time_per_node(f.node_eviction_rate).map_or(Self::Zero, Self::Usual))
            }
            ZoneState::Initial | ZoneState::Normal | ZoneState::Empty => None,
        }
    }

    /// Whether nobody is tainted.
    pub(crate) fn is_stopped(self) -> bool {
        matches!(self, Self::Stopped | Self::Zero | Self::Kept)
    }

    pub(crate) fn words(self, plan: &Plan) -> String {
        match self {
            Self::Usual(every) => format!("no node is Ready, one is tainted every {every}"),
            Self::Slow(every) => format!("evictions slow down to one node every {every}"),
            Self::Stopped => format!(
                "evictions stop (no more than {} nodes)",
                plan.flags.large_cluster_size_threshold
            ),
            Self::Zero => "evictions stop (the rate is zero)".to_owned(),
            Self::Kept => "evictions stay stopped: the rate is exactly 1".to_owned(),
        }
    }
}

/// How long a rate leaves between two nodes; none where it is zero.
pub(crate) fn time_per_node(rate: f32) -> Option<Dur> {
    (rate > 0.0).then(|| Dur::from_millis((1_000.0 / f64::from(rate)).round() as u64))
}

/// A zone of `nodes` nodes enters a state; whether it is tainted no more than before, although the
/// rate of the state is above zero. `never`: its limiter lets nothing through, as far as records
/// tell. `SwapLimiter` leaves the limiter alone if its rate is the same, and the one that lets
/// nothing through says that its rate is 1 (`flowcontrol: fakeNeverRateLimiter.QPS`).
fn enter(never: &mut bool, plan: &Plan, state: ZoneState, nodes: usize) -> bool {
    let f = &plan.flags;
    let rate = match state {
        ZoneState::Normal | ZoneState::FullDisruption => f.node_eviction_rate,
        ZoneState::PartialDisruption => match Pace::of(plan, state, nodes) {
            Some(Pace::Slow(_)) => f.secondary_node_eviction_rate,
            _ => 0.0,
        },
        ZoneState::Initial | ZoneState::Empty => return false,
    };
    let kept = *never && rate == 1.0;
    *never = kept || rate <= 0.0;
    kept
}

/// A state of a zone that is not normal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Disrupted {
    pub(crate) from: Time,
    /// Until when; the end of the run where it lasts.
    pub(crate) to: Time,
    /// The state that it changed to.
    pub(crate) state: ZoneState,
    /// What it allows.
    pub pace: Pace,
}

/// Trouble of the control plane.
#[derive(Clone, PartialEq, Debug)]
pub struct Troubled {
    /// From when.
    pub from: Time,
    /// Until when; the end of the run where it lasts.
    pub to: Time,
    /// The name of the entry of the timeline; nothing where it is the controllers' process that is
    /// down.
    pub entry: Option<String>,
}

/// Why evictions pause in a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Disruptions {
    /// What troubles API servers, watches and requests for some time, and when no controller runs;
    /// by when it began.
    pub control_plane: Vec<Troubled>,
    /// When every zone was fully disrupted: from and until.
    pub master: Vec<(Time, Time)>,
    /// The zones that were disrupted at some time, by name; empty is the name of nodes without a
    /// zone.
    pub zones: BTreeMap<String, Vec<Disrupted>>,
}

impl Disruptions {
    /// There were none.
    pub(crate) fn is_empty(&self) -> bool {
        self.control_plane.is_empty() && self.master.is_empty() && self.zones.is_empty()
    }

    /// Whether a zone is tainted no more than before then, although the rate of its state is above
    /// zero.
    pub(crate) fn is_kept(&self, zone: &str, at: Time) -> bool {
        let last = self.zones.get(zone).and_then(|all| all.iter().rfind(|d| d.from <= at));
        last.is_some_and(|d| at < d.to && d.pace == Pace::Kept)
    }

    /// Whether some zone was in that state at some time.
    pub(crate) fn has(&self, state: ZoneState) -> bool {
        self.zones.values().flatten().any(|d| d.state == state)
    }

    /// Takes in the state of a zone that a record tells; `never` as of [`enter`], for each zone.
    fn zone(&mut self, analysis: &Analysis<'_>, never: &mut [bool], r: &Record, state: ZoneState) {
        let (plan, horizon) = (analysis.plan, analysis.horizon());
        let name = analysis.zone_told(r);
        let place = analysis.find_zone(&name);
        let size = place.map_or(0, |z| analysis.zone_size(z));
        // A controller that starts anew leaves no master disruption that it did not enter.
        let open = self.master.last_mut().filter(|m| m.1 == horizon);
        if let Some(last) = open.filter(|_| state != ZoneState::FullDisruption) {
            last.1 = r.at;
        }
        let in_master = self.master.last().is_some_and(|m| m.1 == horizon);
        let kept = !in_master
            && place.is_some_and(|z| enter(&mut never[usize::from(z)], plan, state, size));
        let pace = if kept { Some(Pace::Kept) } else { Pace::of(plan, state, size) };
        if pace.is_none() && !self.zones.contains_key(&name) {
            return;
        }
        let zone = self.zones.entry(name).or_default();
        match zone.last_mut().filter(|d| d.to == horizon) {
            Some(last) if last.state == state => return,
            Some(last) => last.to = r.at,
            None => {}
        }
        zone.extend(pace.map(|pace| Disrupted { from: r.at, to: horizon, state, pace }));
    }
}

/// The disruptions of a run. A controller that starts finds states anew; what it finds again goes
/// on.
pub fn disruptions(analysis: &Analysis<'_>) -> Disruptions {
    let horizon = analysis.horizon();
    let mut found = Disruptions::default();
    let plan = analysis.plan;
    let about = |entry: u32| {
        let mut acts = plan.actions.iter().filter(|a| a.entry == entry);
        acts.any(|a| a.act.is_of_control_plane())
    };
    // What is open, by its entry; the controllers have none.
    let mut open: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    let mut never = vec![false; analysis.zones.len()];
    for r in analysis.trace.iter() {
        match r.what {
            What::FaultBegan | What::ControllersStopped => {
                let entry = (r.what == What::FaultBegan).then_some(r.object);
                // Who is down already goes on being so: there is one start for all stops before it.
                let is_up = !open.contains_key(&None);
                if entry.map_or(is_up, |entry| plan.lasts(entry) && about(entry)) {
                    open.insert(entry, found.control_plane.len());
                    let entry = entry.and_then(|entry| plan.timeline.get(entry as usize));
                    let entry = entry.map(|e| e.name.clone());
                    found.control_plane.push(Troubled { from: r.at, to: horizon, entry });
                }
            }
            What::FaultEnded | What::ControllersStarted => {
                if r.what == What::ControllersStarted {
                    never.fill(false);
                }
                let ended = (r.what == What::FaultEnded).then_some(r.object);
                if let Some(i) = open.remove(&ended) {
                    found.control_plane[i].to = r.at;
                }
            }
            What::MasterDisruptionEntered => {
                if found.master.last().is_none_or(|m| m.1 != horizon) {
                    found.master.push((r.at, horizon));
                }
                never.fill(true);
            }
            What::MasterDisruptionLeft => {
                if let Some(last) = found.master.last_mut() {
                    last.1 = r.at;
                }
            }
            What::Zone(ZoneState::Initial | ZoneState::Empty) => {}
            What::Zone(state) => found.zone(analysis, &mut never, r, state),
            _ => {}
        }
    }
    found
}
