//! A workload over time, and what its course cost.

use super::prelude::*;

pub(crate) use crate::scenario::expectations::BARE;

/// How many pods of a workload there are, by what the API says and by what is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Count {
    /// Pods that it asks for.
    pub(crate) desired: u32,
    /// Pods that it needs.
    pub(crate) needed: u32,
    /// Pods that are up.
    pub(crate) up: u32,
    /// Pods that the API says are ready.
    pub(crate) ready: u32,
    /// Containers that run although their pod is being deleted or gone.
    pub(crate) ghosts: u32,
    /// Pods that are ready and not up.
    pub(crate) dead: u32,
    /// Pods that are being deleted and that the API says are ready, and those of them that do not serve.
    pub(crate) serving: u32,
    pub(crate) serving_dead: u32,
    /// Pods that are Pending.
    pub(crate) pending: u32,
}

/// A workload over time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Served {
    /// `Kind/namespace/name`, or [`BARE`].
    pub(crate) name: String,
    /// Which workload; none for pods without one.
    pub(crate) id: Option<WorkloadId>,
    /// Its pods, from each time on. Times rise; the first is zero.
    pub(crate) counts: Vec<(Time, Count)>,
    /// From when on its costs are counted; none if it never asked for a pod, or the timeline took pods
    /// away, or held them up, while its first ones were being made, and it never had them all.
    pub(crate) from: Option<Time>,
    /// It was never whole, and is counted all the same, as its pods were held up before something of the
    /// timeline took pods away: what did.
    pub(crate) held_up: Option<Since>,
    /// The record that says how it has ended, if it is a Job that has.
    pub(crate) ended: Option<Record>,
    /// What the run cost it.
    pub(crate) costs: Costs,
    /// Whether pods of it ran at the start.
    pub(super) ran: bool,
    /// How many of its pods are held up, from each time on: the scheduler finds no node for them, or they do not start.
    pub(super) held: Steps,
    /// When it was below its need, and when pods were desired and none was up.
    pub(super) below: Spans,
    pub(super) none_up: Spans,
}

/// What came of the timeline before a workload was first whole, and when that was; none where it never was.
pub(crate) type Late = (Since, Option<Time>);

/// Something that is counted of a workload's pods.
type Counted = fn(&Count) -> u32;

impl Served {
    /// What is counted of it over time, by name.
    pub(crate) const FIGURES: [(&'static str, Counted); 7] = [
        ("desired", |c| c.desired),
        ("needed", |c| c.needed),
        ("up", |c| c.up),
        ("ready", |c| c.ready),
        ("ghosts", |c| c.ghosts),
        ("dead_endpoints", |c| c.dead),
        ("pending_pods", |c| c.pending),
    ];

    /// A figure over time: its value at its beginning, and at each of its changes.
    pub(crate) fn course(&self, figure: Counted) -> Steps {
        let mut steps = Steps::new();
        self.counts.iter().for_each(|(at, count)| set(&mut steps, *at, figure(count)));
        steps
    }

    /// Whether it is a Job that has failed: nobody makes the pods that it lacks.
    pub(crate) fn has_failed(&self) -> bool {
        self.ended.is_some_and(|r| matches!(r.what, What::Noted(Note::JobFailed, _)))
    }

    /// Its pods at the end of the run.
    pub(crate) fn at_end(&self) -> Count {
        self.counts.last().map_or_else(Count::default, |c| c.1)
    }

    /// When it first asked for a pod.
    pub(super) fn asked(&self) -> Option<Time> {
        self.counts.iter().find(|c| c.1.desired > 0).map(|c| c.0)
    }

    /// Where something of the timeline that takes pods away, or holds them up, came while its first pods were still
    /// being made, and so before its costs are counted: what, and when they are counted from; none
    /// where it was never whole.
    pub(crate) fn late(&self, analysis: &Analysis<'_>) -> Option<Late> {
        self.id?;
        let until = self.from.unwrap_or(analysis.horizon());
        let harm = analysis.first_hindrance(self.asked()?, until)?;
        let first = self.counts.iter().find(|c| Some(c.0) == self.from);
        let is_whole = first.is_some_and(|(_, c)| c.up >= c.desired);
        (self.from.is_none() || is_whole).then_some((harm, self.from))
    }

    /// Whether nothing could be missing of what is counted: it was late, and nothing was done to it once it was whole, if it
    /// ever was.
    pub(super) fn is_uncounted(&self, analysis: &Analysis<'_>) -> bool {
        let is_over = |from| analysis.first_harm(from, analysis.horizon()).is_none();
        self.costs.missing_ns == 0
            && self.costs.requests_lost == 0
            && self.late(analysis).is_some_and(|(_, from)| from.is_none_or(is_over))
    }

    /// The time that counts as spans, each with the pods that it had then.
    pub(crate) fn spans(&self, horizon: Time) -> impl Iterator<Item = (Time, Time, Count)> {
        let from = self.from.unwrap_or(Time::MAX);
        self.counts.iter().enumerate().filter_map(move |(i, &(at, count))| {
            let end = self.counts.get(i + 1).map_or(horizon, |next| next.0).min(horizon);
            let begin = at.max(from);
            (begin < end).then_some((begin, end, count))
        })
    }
}

/// `counted from 25m55s on, when it was first whole; cut b came before`
pub(crate) fn counted_from(analysis: &Analysis<'_>, (harm, from): Late) -> Option<String> {
    let entry = analysis.entry_name(harm.entry)?;
    let Some(from) = from else {
        return Some(format!("not counted, as it was never whole; {entry} came before"));
    };
    let from = short(Dur::from_secs(from.as_secs()));
    Some(format!("counted from {from} on, when it was first whole; {entry} came before"))
}

/// All workloads over time, and what the run cost them together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Serving {
    /// By name, pods without a workload last.
    pub(crate) workloads: Vec<Served>,
    pub(crate) whole: Costs,
    /// Of those that something replaces: without pods that have no workload, which once lost are
    /// missing for as long as anybody looks. Where there are no workloads, of all.
    pub(crate) replaced: Costs,
}

/// Notes from when on the costs of a workload are counted: from the start of one that ran then, else from
/// when it was first whole. One that never was is counted from when it first asked for a pod, unless the
/// timeline took pods away, or held them up, while they were being made: nobody can tell what is missing because of that.
/// Where some were held up by then, it was not that which kept it from being whole.
pub(super) fn begin(analysis: &Analysis<'_>, served: &mut Served) {
    let is_whole = |c: &&(Time, Count)| c.1.desired > 0 && c.1.up >= c.1.desired;
    let whole = served.counts.iter().find(is_whole).map(|c| c.0);
    served.from = if served.ran { Some(Time::ZERO) } else { whole };
    let Some(asked) = served.asked().filter(|_| served.from.is_none()) else { return };
    let harm = analysis.first_hindrance(asked, analysis.horizon()).filter(|_| served.id.is_some());
    let before = |harm: &Since| served.held.partition_point(|(at, _)| *at < harm.at);
    let is_held = |harm: &Since| served.held[..before(harm)].last().is_some_and(|held| held.1 > 0);
    served.held_up = harm.filter(is_held);
    if harm.is_none() || served.held_up.is_some() {
        served.from = Some(asked);
    }
}

/// Spans of time in their order, each from a time to another; none touches the next.
pub(super) type Spans = Vec<(Time, Time)>;

/// Sums up what a workload's course cost, and notes when it was below its need, and had none up; `falls_back`: where no pod is
/// ready, requests go to those that are being deleted and still serve.
pub(super) fn reckon(served: &mut Served, horizon: Time, falls_back: bool) {
    let (mut below, mut none) = (Spans::new(), Spans::new());
    let mut costs = served.costs;
    let has_clients = has_clients(&served.name);
    for (from, to, c) in served.spans(horizon) {
        let lasts = to.since(from);
        let ns = u128::from(lasts.as_nanos());
        costs.missing_ns += ns * u128::from(c.desired.saturating_sub(c.up));
        costs.ghost_ns += ns * u128::from(c.ghosts);
        costs.pending_ns += ns * u128::from(c.pending);
        if has_clients && c.desired > 0 {
            let requests = ns * u128::from(c.desired);
            costs.requests += requests;
            let (dead, of) = match c.ready {
                0 if falls_back => (c.serving_dead, c.serving),
                ready => (c.dead, ready),
            };
            let to_dead = (requests * u128::from(dead)).checked_div(of.into());
            costs.requests_lost += to_dead.unwrap_or(requests);
            costs.observed = costs.observed.saturating_add(lasts);
        }
        if c.up < c.needed {
            extend(&mut below, from, to);
        }
        if c.desired > 0 && c.up == 0 {
            extend(&mut none, from, to);
        }
    }
    costs.pending_at_end = served.at_end().pending.into();
    (costs.below_need, costs.none_up) = (together(below.clone()), together(none.clone()));
    costs.longest_below_need =
        below.iter().map(|(from, to)| to.since(*from)).max().unwrap_or(Dur::ZERO);
    served.costs = costs;
    (served.below, served.none_up) = (below, none);
}

fn extend(spans: &mut Spans, from: Time, to: Time) {
    match spans.last_mut() {
        Some(last) if last.1 == from => last.1 = to,
        _ => spans.push((from, to)),
    }
}

/// How long any of some spans holds.
pub(super) fn together(mut spans: Spans) -> Dur {
    spans.sort_unstable();
    let (mut sum, mut until) = (Dur::ZERO, Time::ZERO);
    for (from, to) in spans {
        let from = from.max(until);
        if to > from {
            sum = sum.saturating_add(to.since(from));
            until = to;
        }
    }
    sum
}

/// The most pods of all workloads together that were Pending at one time.
pub(super) fn most_pending(workloads: &[Served]) -> u64 {
    let mut changes: Vec<(Time, i64)> = Vec::new();
    for w in workloads {
        let mut before = 0;
        for (at, c) in &w.counts {
            if c.pending != before {
                changes.push((*at, i64::from(c.pending) - i64::from(before)));
                before = c.pending;
            }
        }
    }
    changes.sort_unstable();
    let (mut now, mut most) = (0, 0);
    // Within an instant those that are placed come first, as the change is negative.
    for (_, by) in changes {
        now += by;
        most = most.max(now);
    }
    u64::try_from(most).unwrap_or(0)
}

impl Costs {
    /// Adds what can be added: times in which something held are not sums.
    pub(super) fn add(&mut self, of: &Costs) {
        self.missing_ns += of.missing_ns;
        self.ghost_ns += of.ghost_ns;
        self.pending_ns += of.pending_ns;
        self.requests += of.requests;
        self.requests_lost += of.requests_lost;
        self.restarts += of.restarts;
        self.pending_at_end += of.pending_at_end;
        self.observed = self.observed.max(of.observed);
        self.longest_below_need = self.longest_below_need.max(of.longest_below_need);
        self.longest_pending = self.longest_pending.max(of.longest_pending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::costs::Figure;

    /// What an hour costs a workload of this name: of four pods none is there from 10:00 to 10:34, and from 20:00 to 60:00
    /// none is asked for.
    fn an_hour_of(name: &str) -> Costs {
        let at = Time::from_secs;
        let count = |desired: u32, up| Count {
            desired,
            needed: desired.min(1),
            up,
            ready: up,
            ..Count::default()
        };
        let counts = [(0, 4, 4), (600, 4, 0), (634, 4, 4), (1_200, 0, 0)];
        let mut served = Served {
            name: name.to_owned(),
            id: None,
            counts: counts.map(|(s, desired, up)| (at(s), count(desired, up))).to_vec(),
            from: Some(Time::ZERO),
            ..Served::default()
        };
        reckon(&mut served, at(3_600), true);
        served.costs
    }

    /// Of the requests of 1,200 s those of 34 s are lost.
    #[test]
    fn who_asks_for_no_pod_has_no_requests() {
        let costs = an_hour_of("Deployment/default/web");
        assert_eq!(costs.observed, Dur::from_secs(1_200));
        let minutes = Figure::RequestsLostMinutes.of(&costs);
        assert!((minutes * 60.0 - 34.0).abs() < 1e-9, "{minutes}");
    }

    /// A Job's pods are missing for 4 · 34 s like those of others, but no client notices.
    #[test]
    fn a_job_has_no_requests() {
        let costs = an_hour_of("Job/default/batch");
        assert_eq!(costs.missing_ns, 136_000_000_000);
        assert_eq!((costs.requests, costs.requests_lost, costs.observed), (0, 0, Dur::ZERO));
    }
}
