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
    /// None, as in every other zone: master disruption (`handleDisruption`: `SwapLimiter(0)` for each).
    Master,
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
        matches!(self, Self::Stopped | Self::Zero | Self::Kept | Self::Master)
    }

    pub(crate) fn words(self, plan: &Plan) -> String {
        let suffers = if plan.evicts_by_timeout() { "loses its pods" } else { "is tainted" };
        match self {
            Self::Usual(every) => format!("no node is Ready, one {suffers} every {every}"),
            Self::Slow(every) => format!("evictions slow down to one node every {every}"),
            Self::Stopped => format!(
                "evictions stop (no more than {} nodes)",
                plan.flags.large_cluster_size_threshold
            ),
            Self::Zero => "evictions stop (the rate is zero)".to_owned(),
            Self::Kept => "evictions stay stopped: the rate is exactly 1".to_owned(),
            Self::Master => format!("no node of any zone is Ready, none {suffers}"),
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

    /// The zones that were disrupted, as people count.
    pub(crate) fn by_zone(&self) -> Vec<(&str, &[Disrupted])> {
        let mut zones: Vec<(&str, &[Disrupted])> =
            self.zones.iter().map(|(zone, all)| (zone.as_str(), all.as_slice())).collect();
        zones.sort_by(|a, b| as_people_count(a.0).cmp(&as_people_count(b.0)));
        zones
    }

    /// The pace of a zone then, where it is disrupted.
    pub(crate) fn pace(&self, zone: &str, at: Time) -> Option<Pace> {
        let last = self.zones.get(zone).and_then(|all| all.iter().rfind(|d| d.from <= at));
        last.filter(|d| at < d.to).map(|d| d.pace)
    }

    /// Whether some zone was in that state at some time.
    pub(crate) fn has(&self, state: ZoneState) -> bool {
        self.zones.values().flatten().any(|d| d.state == state)
    }

    /// Takes in the state of a zone that a record tells; `never` as of [`enter`], for each zone.
    fn zone(&mut self, analysis: &Analysis<'_>, never: &mut [bool], r: &Record, state: ZoneState) {
        let horizon = analysis.horizon();
        let name = analysis.zone_told(r);
        // A controller that starts anew leaves no master disruption that it did not enter.
        if self.in_master(horizon) && state != ZoneState::FullDisruption {
            self.leave_master(analysis, never, r.at);
        }
        // Of this instant it is the first limiter after the one that let nothing through.
        if self.master.last().is_some_and(|m| m.1 == r.at)
            && let Some(z) = analysis.find_zone(&name)
        {
            never[usize::from(z)] = true;
        }
        let pace = match self.in_master(horizon) {
            true => Some(Pace::Master),
            false => pace_from(analysis, never, &name, state),
        };
        if pace.is_none() && !self.zones.contains_key(&name) {
            return;
        }
        let zone = self.zones.entry(name).or_default();
        if zone.last().is_some_and(|d| d.to == horizon && d.state == state) {
            return;
        }
        turn(zone, (r.at, horizon), pace.map(|pace| (state, pace)));
    }

    /// Whether every zone is fully disrupted in what was read so far.
    fn in_master(&self, horizon: Time) -> bool {
        self.master.last().is_some_and(|m| m.1 == horizon)
    }

    /// Every zone is fully disrupted: all limiters let nothing through.
    fn enter_master(&mut self, horizon: Time, never: &mut [bool], at: Time) {
        if !self.in_master(horizon) {
            self.master.push((at, horizon));
        }
        never.fill(true);
        for zone in self.zones.values_mut() {
            let is_full = |d: &Disrupted| d.to == horizon && d.state == ZoneState::FullDisruption;
            if zone.last().is_some_and(is_full) {
                turn(zone, (at, horizon), Some((ZoneState::FullDisruption, Pace::Master)));
            }
        }
    }

    /// That is over: limiters are those of the zones' states again. What those of other states are,
    /// records of this instant tell.
    fn leave_master(&mut self, analysis: &Analysis<'_>, never: &mut [bool], at: Time) {
        let horizon = analysis.horizon();
        if let Some(last) = self.master.last_mut() {
            last.1 = at;
        }
        for (name, zone) in &mut self.zones {
            if zone.last().is_some_and(|d| d.to == horizon && d.pace == Pace::Master) {
                let full = ZoneState::FullDisruption;
                let pace = pace_from(analysis, never, name, full);
                turn(zone, (at, horizon), pace.map(|pace| (full, pace)));
            }
        }
    }
}

/// The pace of a zone that enters a state; `never` as of [`enter`], for each zone.
fn pace_from(
    analysis: &Analysis<'_>,
    never: &mut [bool],
    zone: &str,
    state: ZoneState,
) -> Option<Pace> {
    let (plan, place) = (analysis.plan, analysis.find_zone(zone));
    let size = place.map_or(0, |z| analysis.zone_size(z));
    let kept = place.is_some_and(|z| enter(&mut never[usize::from(z)], plan, state, size));
    if kept { Some(Pace::Kept) } else { Pace::of(plan, state, size) }
}

/// What a zone is in ends, and this begins, from one time to another.
fn turn(zone: &mut Vec<Disrupted>, (from, to): (Time, Time), next: Option<(ZoneState, Pace)>) {
    if let Some(last) = zone.last_mut().filter(|d| d.to == to) {
        last.to = from;
    }
    zone.pop_if(|last| last.from == last.to);
    zone.extend(next.map(|(state, pace)| Disrupted { from, to, state, pace }));
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
                found.enter_master(horizon, &mut never, r.at);
            }
            What::MasterDisruptionLeft => found.leave_master(analysis, &mut never, r.at),
            What::Zone(ZoneState::Initial | ZoneState::Empty) => {}
            What::Zone(state) => found.zone(analysis, &mut never, r, state),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::synthetic::{Run, ms};

    #[test]
    fn zones_are_in_the_order_in_which_people_count() {
        let mut run = Run::new("many", ms(60_000));
        for zone in ["z10", "z6", "z11"] {
            run.node(zone, zone);
            let text = run.text(&format!(":\0:{zone}"));
            run.lifecycle(ms(1_000), NO_RECORD, What::Zone(ZoneState::FullDisruption), text);
        }
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        assert_eq!(analysis.zones, ["z6", "z10", "z11"]);
        assert_eq!(analysis.find_zone("z10"), Some(1));
        // The nodes came in the other order.
        assert_eq!(analysis.zone_of, [1, 0, 2]);
        let found = disruptions(&analysis);
        let names: Vec<&str> = found.by_zone().into_iter().map(|(zone, _)| zone).collect();
        assert_eq!(names, ["z6", "z10", "z11"]);
    }

    /// Zone a is dark at 100 s, b at 200 s, where tainting ends in both (`handleDisruption`: `SwapLimiter(0)` for every
    /// zone); at 300 s a is back, and b is tainted at --node-eviction-rate=0.1, one node in 10 s.
    #[test]
    fn nobody_is_tainted_while_every_zone_is_dark() {
        let mut run = Run::new("dark", ms(400_000));
        let [a, b] = ["a", "b"].map(|zone| {
            run.node(zone, zone);
            run.text(&format!(":\0:{zone}"))
        });
        for (at, what, object) in [
            (100_000, What::Zone(ZoneState::FullDisruption), a),
            (200_000, What::MasterDisruptionEntered, 0),
            (200_000, What::Zone(ZoneState::FullDisruption), b),
            (300_000, What::MasterDisruptionLeft, 0),
            (300_000, What::Zone(ZoneState::Normal), a),
        ] {
            run.lifecycle(ms(at), NO_RECORD, what, object);
        }
        let (plan, trace) = run.finish();
        let found = disruptions(&Analysis::new(&plan, &trace));
        let of = |zone| -> Vec<_> {
            let all = found.zones.get(zone).into_iter().flatten();
            all.map(|d| (d.from.as_secs(), d.to.as_secs(), d.pace)).collect()
        };
        let usual = Pace::Usual(Dur::from_secs(10));
        assert_eq!(of("a"), [(100, 200, usual), (200, 300, Pace::Master)]);
        assert_eq!(of("b"), [(200, 300, Pace::Master), (300, 400, usual)]);
        assert_eq!(found.master, [(ms(200_000), ms(300_000))]);
    }
}
