//! What a loss did: to each workload that it touched, and in all; names, numbers and times as findings
//! write them.
//!
//! Every figure is what differs from the run without the loss, B - A as `diff` has it: more is
//! worse. The times below need are counted workload by workload. Why a workload was still short of
//! pods when the loss ended is what would not have changed however long the loss had lasted.

use super::losses::Loss;
use super::pressed::Pressed;
use super::still::{Freed, Still, Why};
use super::tainted::Evicted;
use crate::analysis::disruption::Pace;
use crate::analysis::serving::{Count, Served};
use crate::lab::prelude::*;

/// What a loss cost in all.
#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Figures {
    /// How many workloads were below what they need for longer than without the loss; pods without one are
    /// none.
    pub(crate) workloads_down: usize,
    /// The longest of these times.
    pub(crate) down: Dur,
    /// The sum of them, each in seconds as it is told.
    pub(crate) down_sum_s: u64,
    /// Replica-minutes missing.
    pub(crate) missing_minutes: f64,
    /// Requests lost, as minutes in which all were lost.
    pub(crate) lost_minutes: f64,
    /// Pods that waited for a node when the loss ended.
    pub(crate) pending: i64,
    /// Pods evicted.
    pub(crate) evicted: i64,
    /// Pods evicted although their node was back soon.
    pub(crate) needless: i64,
    /// Pods whose deletion did not end before the loss did, of workloads that do not replace them before.
    pub(crate) stuck: i64,
    /// Pods that are not up again when the run ends, long after the loss.
    pub(crate) not_back: i64,
}

/// What a loss did to a workload.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Hit {
    /// `Kind/namespace/name`, or the name of pods without a workload.
    pub(crate) workload: String,
    /// What kind it is; none of pods without one.
    pub(crate) kind: Option<WorkloadKind>,
    /// How many pods it wanted when the loss began.
    pub(crate) desired: u32,
    /// How many of them were up, had nothing been lost.
    pub(super) up: u32,
    /// How many of them were up when the loss had just begun.
    pub(crate) spared: u32,
    /// How many fewer were up when the loss ended than without it.
    pub(crate) gone: i64,
    /// For how much longer it was below its need than without the loss; of less than [`SLIGHT`] nothing.
    pub(crate) down: Dur,
    /// Replica-minutes missing.
    pub(crate) missing_minutes: f64,
    /// Pods that waited for a node when the loss ended.
    pub(crate) pending: i64,
    /// Why, in the scheduler's words.
    pub(crate) why: Option<String>,
    /// How many of them would wait all the same if the nodes that are left had room without end.
    pub(crate) held: i64,
    /// Why, in the scheduler's words.
    pub(crate) held_by: Option<String>,
    /// What the others ask for of CPU, in cores, and of memory, in GiB, each where the scheduler
    /// says that it is short.
    pub(crate) cores: Option<f64>,
    pub(crate) gibibytes: Option<f64>,
    /// Pods whose deletion did not end before the loss did, of workloads that do not replace them before.
    pub(crate) stuck: i64,
    /// Pods that waited for a volume that could not be attached to their node when the loss ended.
    pub(crate) unattached: i64,
    /// Pods that sat on lost nodes when the loss ended, not evicted.
    pub(crate) left: i64,
    /// How long after the loss began the last of these would have been evicted, had it gone on;
    /// none where one was not within [`LATER`].
    pub(crate) evicted_after: Option<Dur>,
    /// Its pods have volumes of which nothing is known, so that they are not simulated: its figures are the least that they
    /// can be.
    pub(crate) not_simulated: bool,
    /// The volumes of those on lost nodes.
    pub(super) kept: BTreeSet<Kept>,
    /// What the out-of-service taint and deleting the lost nodes would have done, where it waits for them.
    pub(super) freed: [Option<Freed>; 2],
    /// The pod, and its node, that is stuck without the loss, too, and before whose end no pod behind it is made: `db-0 on a-0`.
    pub(super) behind: Option<String>,
    /// What held the workload down when the loss ended, if anything did.
    pub(crate) still: Option<Still>,
    /// Pods that are not up again when the run ends, and why.
    pub(crate) not_back: i64,
    pub(crate) why_not_back: Option<Why>,
    /// How it failed, if it is a Job that does and would not without the loss:
    /// `failed: BackoffLimitExceeded (…)`.
    pub(crate) failed: Option<String>,
    /// It is a Job that has ended when the loss does, and its condition waits for its Terminating pods.
    pub(crate) unfinished: bool,
}

/// What a workload's volumes leave to be done in a loss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bound {
    /// Nothing, as it has none.
    Free,
    /// They have to be detached first.
    Detached,
    /// They are lost with the loss.
    Lost,
    /// They are not simulated.
    Unknown,
}

impl Bound {
    pub(super) fn of(hit: &Hit) -> Self {
        match hit.kept.iter().any(|kept| kept.out_of_reach) {
            _ if hit.not_simulated => Self::Unknown,
            true => Self::Lost,
            false if hit.kept.is_empty() => Self::Free,
            false => Self::Detached,
        }
    }
}

/// Times that differ by less come of other draws: a loss shifts those after it, so that pods of a Job which
/// it does not touch follow each other some milliseconds sooner or later.
const SLIGHT: Dur = Dur::from_secs(1);

/// How much longer than asked for a loss lasts where pods were left on lost nodes, to see when they
/// would have been evicted.
pub(super) const LATER: Dur = Dur::from_secs(3_600);

/// What is kept of a run: of each workload its course in figures, and how it stood at a moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    whole: Metrics,
    pub(super) workloads: BTreeMap<String, Of>,
}

/// A workload in a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Of {
    costs: Costs,
    pub(super) moment: Moment,
    pub(super) why: Option<String>,
    /// The lowest of its pods that is stuck or left, `shop/db-0 on a-0`.
    lowest: Option<String>,
    pub(super) count: Count,
    /// Fewer of its pods were up than it needs, at the moment.
    below: bool,
    /// Its pods when the loss had just begun.
    at_once: Count,
    /// How it stands when the run ends.
    end: (Moment, Count),
    /// How it failed, if it is a Job that has.
    pub(super) failed: Option<String>,
    /// It is a Job that had ended by the moment, and its condition waited for its pods.
    unfinished: bool,
}

impl Seen {
    /// Of a finished run; `begin` and `at` are the moments at which the loss begins and is over.
    pub(super) fn new(
        analysis: &Analysis<'_>,
        (metrics, serving): (Metrics, &Serving),
        (begin, at): (Time, Time),
    ) -> Self {
        let [moments, ends] = [at, analysis.horizon()].map(|at| moment(analysis, at));
        let of = |s: &Served| {
            let (count, last) = (count_before(s, at), count_before(s, analysis.horizon()));
            let [moment, end] =
                [&moments, &ends].map(|m| m.get(&s.id).copied().unwrap_or_default());
            let text = |t| analysis.trace.names.text_of(t).to_owned();
            let seen = Of {
                costs: s.costs,
                moment,
                why: moment.why.map(text),
                lowest: moment.lowest.map(|(pod, node)| {
                    format!("{} on {}", analysis.pod_name(pod), analysis.node_name(node))
                }),
                count,
                below: count.up < count.needed,
                at_once: count_before(s, begin.saturating_add(Dur::from_millis(1))),
                end: (end, last),
                failed: s.ended.filter(|_| s.has_failed()).map(|r| words::job_end(analysis, &r)),
                unfinished: s
                    .ended
                    .is_some_and(|r| r.at <= at && words::awaited(analysis, &r, at).is_some()),
            };
            (s.name.clone(), seen)
        };
        Seen { whole: metrics, workloads: serving.workloads.iter().map(of).collect() }
    }
    /// What people call the workloads that are below what they need at the moment.
    pub(super) fn below(&self) -> Vec<String> {
        let below = self.workloads.iter().filter(|(_, of)| of.below);
        below.map(|(name, _)| called(name).to_owned()).collect()
    }
}

/// The pods of a workload just before a time.
fn count_before(served: &Served, at: Time) -> Count {
    let i = served.counts.partition_point(|c| c.0 < at);
    served.counts[i.max(1) - 1].1
}

/// What a loss did, beside the run without it.
pub(super) fn hits(plan: &Plan, without: &Seen, with: &Seen) -> (Figures, Vec<Hit>) {
    let nothing = Of::default();
    let not_simulated = plan.with_volumes();
    let one = |(name, of): (&String, &Of)| {
        hit(plan, name, without.workloads.get(name).unwrap_or(&nothing), of)
    };
    let mut hits: Vec<Hit> = with.workloads.iter().map(one).filter(Hit::is_one).collect();
    // A pod without a workload goes by its own name.
    let bare = not_simulated.iter().any(|name| name.matches('/').count() == 1);
    for hit in &mut hits {
        hit.not_simulated = hit.kind.map_or(bare, |_| not_simulated.contains(&hit.workload));
    }
    let more = |f: Figure| f.of(&with.whole.costs) - f.of(&without.whole.costs);
    let count = |f: fn(&Metrics) -> u64| f(&with.whole) as i64 - f(&without.whole) as i64;
    // Pods without a workload stand for themselves, and are none that needs some of them.
    let workloads = hits.iter().filter(|h| h.kind.is_some());
    let down: Vec<Dur> = workloads.map(|h| h.down).filter(|d| !d.is_zero()).collect();
    let figures = Figures {
        workloads_down: down.len(),
        down: down.iter().copied().max().unwrap_or(Dur::ZERO),
        down_sum_s: down.iter().map(|d| whole(*d).as_secs()).sum(),
        missing_minutes: more(Figure::ReplicaMinutesMissing),
        lost_minutes: more(Figure::RequestsLostMinutes),
        pending: hits.iter().map(|h| h.pending).sum(),
        evicted: count(|m| m.evicted),
        needless: count(|m| m.needless),
        stuck: hits.iter().map(|h| h.stuck).sum(),
        not_back: hits.iter().map(|h| h.not_back).sum(),
    };
    (figures, hits)
}

fn hit(plan: &Plan, name: &str, without: &Of, with: &Of) -> Hit {
    let more = |f: fn(&Moment) -> u64| f(&with.moment) as i64 - f(&without.moment) as i64;
    let pending = more(|m| m.pending);
    let planned = plan.workloads.iter().find(|w| w.name == name);
    let why = with.why.clone().filter(|_| pending > 0);
    let longer = with.costs.below_need.saturating_sub(without.costs.below_need);
    let mut hit = Hit {
        workload: name.to_owned(),
        kind: planned.map(|w| w.kind),
        desired: with.at_once.desired,
        up: without.at_once.up,
        spared: with.at_once.up,
        gone: i64::from(without.count.up) - i64::from(with.count.up),
        down: if longer < SLIGHT { Dur::ZERO } else { longer },
        missing_minutes: Figure::ReplicaMinutesMissing.of(&with.costs)
            - Figure::ReplicaMinutesMissing.of(&without.costs),
        pending,
        why,
        // Of the others a new pod comes as soon as the deletion begins.
        stuck: if plan.successors_wait(name) { more(|m| m.stuck) } else { 0 },
        unattached: more(|m| m.unattached),
        left: more(|m| m.left),
        failed: with.failed.clone().filter(|_| without.failed.is_none()),
        unfinished: with.unfinished && !without.unfinished,
        ..Hit::default()
    };
    let below = with.below && !without.below;
    if hit.failed.is_some() {
        let lacks = |(_, c): &(Moment, Count)| i64::from(c.desired.saturating_sub(c.up));
        hit.still = Some(Still { why: Why::JobFailed, below });
        hit.not_back = lacks(&with.end) - lacks(&without.end);
        hit.why_not_back = Some(Why::JobFailed);
        return hit;
    }
    let is_short = |a: &Count, b: &Count| a.up < a.desired && a.up < b.up;
    if is_short(&with.count, &without.count) {
        let why = Why::of(plan, name, &with.moment, &without.moment);
        hit.still = Some(Still { why, below });
        // Only what is behind it waits for it; what comes before it would be the lowest itself.
        let in_order = matches!(
            planned.map(|w| &w.spec),
            Some(WorkloadSpec::StatefulSet { parallel: false, .. })
        );
        let lowest = with.lowest.as_ref().filter(|_| in_order && why == Why::Waits);
        hit.behind = lowest.filter(|lowest| without.lowest.as_ref() == Some(lowest)).cloned();
    }
    let ((end, last), (other, others)) = (with.end, without.end);
    if is_short(&last, &others) {
        hit.not_back = i64::from(others.up - last.up);
        hit.why_not_back = Some(Why::of(plan, name, &end, &other));
    }
    hit
}

impl Hit {
    /// Whether the scheduler says that room is short for its pods.
    pub(super) fn lacks_room(&self) -> bool {
        let why = self.why.as_deref().unwrap_or_default();
        self.pending > 0 && (why.contains("Insufficient") || why.contains("Too many pods"))
    }

    /// Whether more room may help its pods: it is short, or nodes that run short are tainted for it.
    pub(super) fn may_lack_room(&self, pressed: &Pressed) -> bool {
        self.lacks_room() || self.pending > 0 && !pressed.is_empty()
    }

    /// Whether it is short of pods that sit on lost nodes, and that an eviction would have made anew.
    pub(super) fn is_left(&self) -> bool {
        let made_anew = |s: Still| !matches!(s.why, Why::JobFailed | Why::Waits);
        let is_made = self.kind.is_some_and(|kind| kind != WorkloadKind::DaemonSet);
        self.left > 0 && is_made && self.still.is_some_and(made_anew)
    }

    /// What becomes of its pods where room does not matter: how many are still without a node, and
    /// why.
    pub(super) fn hold(&mut self, plan: &Plan, held: i64, by: Option<String>) {
        self.held = held.clamp(0, self.pending);
        self.held_by = by.filter(|_| self.held > 0);
        if let Some(still) = &mut self.still
            && still.why == Why::NoRoom
            && self.held == self.pending
        {
            still.why = Why::Held;
        }
        let planned = plan.workloads.iter().find(|w| w.name == self.workload);
        let template = planned.and_then(|w| plan.templates.get(w.template as usize));
        let waits_for_room = (self.pending - self.held) as f64;
        let short_of = |resource: &str| {
            let why = self.why.as_ref()?;
            if waits_for_room == 0.0 || !why.contains(&format!("Insufficient {resource}")) {
                return None;
            }
            let asked = template?.requests.get(resource)?.milli_value() as f64;
            Some(asked * waits_for_room / 1e3)
        };
        let (cores, memory) = (short_of("cpu"), short_of("memory"));
        (self.cores, self.gibibytes) = (cores, memory.map(|m| m / f64::from(1 << 30)));
    }

    /// Whether anything was done to it.
    fn is_one(&self) -> bool {
        !self.down.is_zero()
            || self.missing_minutes.abs() * 60.0 >= SLIGHT.as_secs_f64()
            || self.pending != 0
            || self.stuck != 0
            || self.left != 0
            || self.not_back != 0
    }

    /// What people call the workload: `web`, `shop/web`.
    pub(crate) fn name(&self) -> &str {
        called(&self.workload)
    }

    /// What `explain` calls it: `statefulset/db`; none of pods without a workload.
    pub(crate) fn object(&self) -> Option<String> {
        let (kind, _) = self.workload.split_once('/').filter(|_| self.kind.is_some())?;
        Some(format!("{}/{}", kind.to_lowercase(), self.name()))
    }
}

/// What people call a workload; pods without one have no kind.
fn called(workload: &str) -> &str {
    let name = workload.split_once('/').map_or(workload, |(_, name)| name);
    name.strip_prefix("default/").unwrap_or(name)
}

/// `up to 14 pods`, or `14 pods` of a single loss.
pub(super) fn up_to(of: usize, n: i64, what: &str) -> String {
    let up_to = if of > 1 { "up to " } else { "" };
    format!("{up_to}{}", counted(n.max(0), what))
}

/// To the second, as people tell downtimes.
pub(super) fn whole(d: Dur) -> Dur {
    Dur::from_secs((d.as_millis() + 500) / 1000)
}

/// A loss and what it did.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lost {
    /// What was lost.
    pub(crate) loss: Loss,
    /// What that did.
    pub(crate) damage: Damage,
}

impl Lost {
    /// Whether its figures are the least that they can be: a workload that it hit has volumes, which
    /// are not simulated.
    pub(crate) fn is_least(&self) -> bool {
        self.damage.hits.iter().any(|h| h.not_simulated)
    }

    /// For how long a workload is below its need, the longest of them; `least` comes before a time. A Job that failed is so
    /// for good.
    pub(crate) fn down(&self, least: &str) -> String {
        let fails = |h: &Hit| h.failed.is_some() && !h.down.is_zero();
        match self.damage.hits.iter().any(fails) {
            true => "for good".to_owned(),
            false => format!("for {least}{}", short(whole(self.damage.figures.down))),
        }
    }

    /// Why pods are not back when the run ends, a word for each reason.
    pub(crate) fn why_not_back(&self) -> Vec<String> {
        let words = self.damage.hits.iter().filter_map(|h| h.why_not_back).map(Why::word);
        BTreeSet::from_iter(words).into_iter().map(str::to_owned).collect()
    }
}

/// What a loss did.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
pub(crate) struct Damage {
    /// In all.
    pub(crate) figures: Figures,
    /// By workload, those that were touched, by name.
    pub(crate) hits: Vec<Hit>,
    /// The zones in which nodes were tainted slower than usual, or not at all, each with how.
    pub(crate) paced: Vec<(String, Pace)>,
    /// How many nodes and pods it took away.
    pub(crate) size: (usize, usize),
    /// Who was evicted for a taint of devices, if it is one.
    pub(crate) evicted: Option<Evicted>,
    /// Which of the nodes that are left ran short of something while it lasted.
    pub(crate) pressed: Pressed,
}

/// No figure of a loss is larger.
const FIGURE_MAX: f64 = 1e18;

/// No number of pods or workloads is larger.
const COUNT_MAX: u64 = 1 << 48;

fn are_counts(all: &[i64]) -> bool {
    all.iter().all(|n| n.unsigned_abs() <= COUNT_MAX)
}

impl Damage {
    /// Whether no node of any zone was Ready for most of it (master disruption).
    pub(super) fn is_dark(&self) -> bool {
        self.paced.iter().any(|(_, pace)| *pace == Pace::Master)
    }

    /// Whether figures from a file can be reckoned with.
    pub(super) fn is_sound(&self) -> bool {
        let of_hit = |h: &Hit| {
            let counts = [h.gone, h.pending, h.unattached, h.stuck, h.left, h.not_back];
            let parts = [Some(h.missing_minutes), h.cores, h.gibibytes];
            are_counts(&counts) && parts.iter().flatten().all(|x| x.abs() <= FIGURE_MAX)
        };
        let f = &self.figures;
        let parts = [f.missing_minutes, f.lost_minutes];
        f.workloads_down as u64 <= COUNT_MAX
            && are_counts(&[f.pending, f.evicted, f.needless, f.stuck, f.not_back])
            && parts.iter().all(|x| x.abs() <= FIGURE_MAX)
            && self.hits.iter().all(of_hit)
            && self.pressed.evicted() <= COUNT_MAX
    }
}
