//! Figures over time as step functions, and their limits.

use super::super::evictions::evictions;
use super::super::serving::{BARE, Count, Served, static_pods};
use super::super::steps::by_millis;
use super::super::workloads::WorkloadOutcome;
use super::nearest::{Near, amiss, nearest};
use super::never::{acts, is_asked, never_timed};
use super::prelude::*;
use crate::scenario::expectations::Relation;

const SECOND: Dur = Dur::from_secs(1);

/// A step function: the value from each time on. Times rise; the first is zero.
pub(super) type Values = Vec<(Time, u64)>;

/// The sum of step functions.
fn sum(all: &[Values]) -> Values {
    let times: BTreeSet<Time> = all.iter().flatten().map(|v| v.0).chain([Time::ZERO]).collect();
    let mut out = Values::new();
    for t in times {
        set(&mut out, t, all.iter().map(|values| value_at(values, t)).sum());
    }
    out
}

/// The workloads that are named, pods without one by [`BARE`]; none is all of them, and those.
type Who<'a> = Option<&'a BTreeSet<String>>;

/// The parts of a step function that lie in a stretch: from when, to when, and the value.
pub(super) fn parts(values: &Values, (from, to): Stretch) -> Vec<(Time, Time, u64)> {
    let mut out = vec![(from, to, value_at(values, from))];
    for &(t, value) in values.iter().filter(|v| v.0 > from && v.0 <= to) {
        if let Some(last) = out.last_mut() {
            last.1 = t;
        }
        out.push((t, to, value));
    }
    out
}

/// The stretches in which a step function has such values, one after the other where only the value differs.
pub(super) fn stretches(
    parts: &[(Time, Time, u64)],
    is_such: impl Fn(u64) -> bool,
) -> Vec<Stretch> {
    let mut out: Vec<Stretch> = Vec::new();
    for &(from, to, _) in parts.iter().filter(|part| is_such(part.2)) {
        match out.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => out.push((from, to)),
        }
    }
    out
}

impl Run<'_> {
    pub(super) fn outcomes(&self, names: Who<'_>) -> Vec<&(String, WorkloadOutcome)> {
        let is_its = |w: &&(String, _)| names.is_none_or(|n| n.contains(&w.0));
        self.workloads().iter().filter(is_its).collect()
    }

    /// The sum of steps of workloads.
    fn steps(&self, names: Who<'_>, of: impl Fn(&WorkloadOutcome) -> Steps) -> Values {
        let wide = |steps: Steps| steps.into_iter().map(|(t, n)| (t, u64::from(n))).collect();
        let all: Vec<Values> = self.outcomes(names).into_iter().map(|(_, o)| wide(of(o))).collect();
        sum(&all)
    }

    pub(super) fn servings(&self, names: Who<'_>) -> Vec<&Served> {
        let is_its = |w: &&Served| names.is_none_or(|n| n.contains(&w.name));
        self.serving().workloads.iter().filter(is_its).collect()
    }

    /// A count of workloads over time; nothing before the time from which on they are counted.
    fn served(&self, names: Who<'_>, of: fn(&Count) -> u32) -> Values {
        let horizon = self.analysis.horizon();
        let one = |w: &&Served| {
            let mut values = vec![(Time::ZERO, 0)];
            w.spans(horizon).for_each(|(from, _, count)| set(&mut values, from, of(&count).into()));
            values
        };
        sum(&self.servings(names).iter().map(one).collect::<Vec<_>>())
    }

    /// The workload or zone that a figure is of, or a pod; of all of them, the one that is worst at a time.
    fn object_of(&self, c: &Comparison, at: Time) -> Option<Object> {
        let pod = |names, waits| {
            nearest(self, &self.pods_of(names), at, (waits, Near::Never)).map(Object::Pod)
        };
        match (&c.quantity, &c.workloads) {
            (Quantity::NotReadyNodes(zone), _) => {
                let named = self.analysis.find_zone(zone);
                named.or_else(|| self.worst_zone(at)).map(Object::Zone)
            }
            (Quantity::Requests(_), _) => None,
            (Quantity::Timers(_), names) => pod(names.as_ref(), false),
            (_, None) => self.object_of(&of_one(c, self.worst(&c.quantity, at)?), at),
            // Of pods without a workload one tells.
            (_, names) => self.workload_of(names.as_ref()).or_else(|| pod(names.as_ref(), true)),
        }
    }

    /// The zone with the most nodes that are not Ready.
    fn worst_zone(&self, at: Time) -> Option<u16> {
        let lack = |zone: &String| value_at(&self.not_ready(zone), at);
        let each = self.analysis.zones.iter().map(lack).zip(0..);
        each.filter(|z| z.0 > 0).min_by_key(|z| Reverse(z.0)).map(|z| z.1)
    }

    /// Whose figure is the worst; of what has no better or worse, who lacks the most pods.
    fn worst(&self, quantity: &Quantity, at: Time) -> Option<&str> {
        let of = |w: &Served| -> u128 {
            let n = value_at(&w.counts, at);
            u128::from(match quantity {
                Quantity::Evicted(_) => return w.costs.evicted.into(),
                Quantity::Ghosts(_) => n.ghosts,
                Quantity::DeadEndpoints(_) => n.dead,
                quantity if quantity.is_span() => return w.costs.missing_ns,
                _ => n.desired.saturating_sub(n.up),
            })
        };
        let all = self.serving().workloads.iter().map(|w| (of(w), &*w.name));
        all.filter(|w| w.0 > 0).min_by_key(|w| Reverse(w.0)).map(|w| w.1)
    }

    /// The first of these workloads that the run has.
    pub(super) fn workload_of(&self, names: Who<'_>) -> Option<Object> {
        let known = &self.analysis.trace.names;
        names?.iter().find_map(|name| known.find_workload(name)).map(Object::Workload)
    }

    /// Whether a record decides on a figure at a time.
    fn decides(&self, c: &Comparison, at: Time, r: &Record) -> bool {
        match &c.quantity {
            Quantity::NotReadyNodes(_) => false,
            Quantity::Requests(by) => {
                let is_its = by == "*" || r.actor.as_str() == by;
                is_its && is_asked(r) && self.counted_at(r.at.as_nanos() / SECOND.as_nanos()) == at
            }
            quantity => {
                let is_of_its = |pod| self.is_pod_of(c.workloads.as_ref(), pod);
                r.at == at && !quantity.is_span() && r.pod().is_some_and(is_of_its)
            }
        }
    }

    /// Whether a pod is one of these workloads.
    pub(super) fn is_pod_of(&self, names: Who<'_>, pod: PodId) -> bool {
        let owner = || self.owners.of(self.analysis, pod);
        let name = |w| self.analysis.trace.names.workload_name(w);
        names.is_none_or(|n| n.contains(owner().map_or(BARE, name)))
    }

    /// The pods of these workloads. Static ones belong to their machine.
    fn pods_of(&self, names: Who<'_>) -> Vec<PodId> {
        let of_machines = static_pods(self.analysis);
        let all = (0..self.analysis.pod_count() as u32).map(PodId);
        all.filter(|p| self.is_pod_of(names, *p) && !of_machines.contains(p)).collect()
    }

    /// A figure over time, by the millisecond.
    pub(super) fn values(&self, c: &Comparison) -> Values {
        by_millis(self.exact(c))
    }

    /// The same by the nanosecond.
    fn exact(&self, c: &Comparison) -> Values {
        let names = c.workloads.as_ref();
        let spans = || self.spans(&c.quantity, names).into_iter().map(|s| lasted(s.0).as_nanos());
        // Some are one number for a whole run.
        let whole = |n: u64| vec![(Time::ZERO, n)];
        match &c.quantity {
            Quantity::Available(_) => self.steps(names, |o| o.available.clone()),
            Quantity::Unavailable(_) => self.steps(names, |o| o.missing(self.analysis.horizon())),
            Quantity::Requests(by) => self.requests(by),
            Quantity::NotReadyNodes(zone) => self.not_ready(zone),
            Quantity::Evicted(_) => self.evicted(names),
            Quantity::Pending(_) => self.counted_pods(names, |_, pod| pod.is_pending()),
            Quantity::Terminating(_) => self.counted_pods(names, |_, p| p.exists && p.deleting),
            Quantity::Timers(_) => self.counted_pods(names, |f, pod| f.timer(pod).is_some()),
            Quantity::Up(_) => self.served(names, |c| c.up),
            Quantity::Missing(_) => self.served(names, |c| c.desired.saturating_sub(c.up)),
            Quantity::Ghosts(_) => self.served(names, |c| c.ghosts),
            Quantity::DeadEndpoints(_) => self.served(names, |c| c.dead),
            quantity if adds_up(quantity) => whole(spans().sum()),
            _ => whole(spans().max().unwrap_or(0)),
        }
    }

    /// The stretches that a duration adds up, or is the longest of, as they begin, and whose they are. Where they add up, as
    /// far as no other one counts the same time.
    pub(super) fn spans(&self, quantity: &Quantity, names: Who<'_>) -> Vec<(Stretch, &str)> {
        let mut all: Vec<(Stretch, &str)> = match quantity {
            Quantity::BelowNeed(_) | Quantity::LongestBelowNeed(_) => {
                let all = self.servings(names).into_iter();
                all.flat_map(|w| w.below.iter().map(move |span| (*span, &*w.name))).collect()
            }
            _ => {
                let gaps = |o: &WorkloadOutcome| o.gaps(self.analysis.horizon()).into_iter();
                let all = self.outcomes(names).into_iter();
                all.flat_map(|(name, o)| gaps(o).map(move |g| ((g.0, g.1), &**name))).collect()
            }
        };
        all.sort_unstable();
        let mut counted = Time::ZERO;
        for ((from, to), _) in all.iter_mut().filter(|_| adds_up(quantity)) {
            *from = counted.clamp(*from, *to);
            counted = counted.max(*to);
        }
        all
    }

    /// When a duration comes to more than its limit, and whose stretch that is.
    fn exceeded(&self, c: &Comparison) -> Option<(Time, &str)> {
        let mut left = Dur::from_nanos(c.limit);
        for (span, whose) in self.spans(&c.quantity, c.workloads.as_ref()) {
            if lasted(span) > left {
                return Some((span.0.saturating_add(left), whose));
            }
            left = left.saturating_sub(if adds_up(&c.quantity) { lasted(span) } else { Dur::ZERO });
        }
        None
    }

    /// The most that a figure can come to in this run, of those that have such an end: as many as there are of what it
    /// counts, and of durations the whole run.
    fn most(&self, c: &Comparison) -> Option<u64> {
        let names = c.workloads.as_ref();
        let highest = |values: Values| values.iter().map(|v| v.1).max();
        let whole = self.analysis.horizon().since(Time::ZERO).as_nanos();
        match &c.quantity {
            Quantity::NotReadyNodes(zone) => Some(self.nodes_of(zone).len() as u64),
            Quantity::Requests(by) => (!acts(self.analysis.plan, Actor::parse(by)?)).then_some(0),
            _ if self.have_no_pods(names) => Some(0),
            Quantity::Timers(_) => never_timed(self.analysis.plan).map(|_| 0),
            Quantity::Missing(_) => highest(self.served(names, |c| c.desired)),
            Quantity::Unavailable(_) => highest(self.steps(names, |o| o.wanted.clone())),
            quantity => quantity.is_span().then_some(whole),
        }
    }

    /// Whether workloads ask for no pods at any time of the run, and have none.
    pub(super) fn have_no_pods(&self, names: Who<'_>) -> bool {
        self.served(names, |c| c.desired).iter().all(|v| v.1 == 0) && self.pods_of(names).is_empty()
    }

    /// How many pods are asked for at most, of a figure of those that are there.
    fn asked(&self, c: &Comparison) -> Option<u64> {
        let is_of_those = matches!(c.quantity, Quantity::Up(_) | Quantity::Available(_));
        let asked = is_of_those.then(|| self.served(c.workloads.as_ref(), |c| c.desired))?;
        asked.iter().map(|v| v.1).max()
    }

    /// How many nodes of a zone are not Ready.
    fn not_ready(&self, zone: &str) -> Values {
        self.counted(&self.nodes_of(zone), Record::node, |follow, node| {
            let node = follow.node(node);
            node.exists && node.ready != Some(ConditionStatus::True)
        })
    }

    fn nodes_of(&self, zone: &str) -> BTreeSet<NodeId> {
        let all = (0..self.analysis.node_count() as u32).map(NodeId);
        all.filter(|n| zone == "*" || self.analysis.zone_name(*n) == zone).collect()
    }

    /// The requests of an actor, or of all, each second's at its end: a trace does not say when in it they came.
    fn requests(&self, by: &str) -> Values {
        let all = self.analysis.trace.requests.iter();
        let of = all.filter(|(actor, _)| by == "*" || actor.as_str() == by);
        let at = |second: &u64| self.counted_at(*second);
        let steps = of.map(|(_, steps)| steps.iter().map(|(s, n)| (at(s), *n)).collect());
        sum(&steps.collect::<Vec<_>>())
    }

    /// The end of a second, given by the number of those before it; of the last one that of the run.
    fn counted_at(&self, second: u64) -> Time {
        Time::from_nanos((second + 1) * SECOND.as_nanos()).min(self.analysis.horizon())
    }

    /// How many pods of these workloads were evicted by then.
    fn evicted(&self, names: Who<'_>) -> Values {
        let mut values = vec![(Time::ZERO, 0)];
        let evictions = evictions(self.analysis);
        let own = evictions.iter().filter(|e| self.is_pod_of(names, e.pod));
        (1..).zip(own).for_each(|(n, e)| set(&mut values, e.at, n));
        values
    }

    /// The second from which on there are enough pods, of what fails from the start of the run on, in this stretch,
    /// where the run makes its first pods: it lacks none that was lost.
    pub(super) fn begins_short(
        &self,
        all: &[&Comparison],
        (from, to): Stretch,
        during: Stretch,
    ) -> Option<String> {
        let is_of_those =
            |c: &&Comparison| matches!(c.quantity, Quantity::Up(_) | Quantity::Available(_));
        if from > Time::ZERO || to >= during.1 || !all.iter().all(is_of_those) {
            return None;
        }
        let at_start = Follow::new(self.analysis);
        let mut pods = all.iter().flat_map(|c| self.pods_of(c.workloads.as_ref()));
        let second = to.as_nanos().div_ceil(SECOND.as_nanos());
        let was = pods.any(|p| at_start.pod(p).exists);
        (!was).then(|| short(Dur::from_secs(second)))
    }

    /// How many pods of these workloads have a mark over time.
    fn counted_pods(&self, names: Who<'_>, has: impl Fn(&Follow<'_>, &PodState) -> bool) -> Values {
        let pods = self.pods_of(names).into_iter().collect();
        self.counted(&pods, Record::pod, |follow, pod| has(follow, &follow.pod(pod)))
    }

    /// How many of some objects have a mark over time; `of` says which one a record is about.
    fn counted<T: Copy + Ord>(
        &self,
        all: &BTreeSet<T>,
        of: fn(&Record) -> Option<T>,
        has: impl Fn(&Follow<'_>, T) -> bool,
    ) -> Values {
        let mut follow = Follow::new(self.analysis);
        let mut marked: BTreeSet<T> = all.iter().copied().filter(|o| has(&follow, *o)).collect();
        let mut values = vec![(Time::ZERO, marked.len() as u64)];
        while let Some((_, r, _)) = follow.step() {
            match of(r).filter(|o| all.contains(o)) {
                Some(object) if has(&follow, object) => _ = marked.insert(object),
                Some(object) => _ = marked.remove(&object),
                // Timers die with their process.
                None if r.what == What::ControllersStopped => marked.retain(|o| has(&follow, *o)),
                None => {}
            }
            set(&mut values, r.at, marked.len() as u64);
        }
        values
    }
}

/// When a stretch of a window begins, and its last moment: of the millisecond before the one in which it ends, or of its only one.
pub(super) fn asked((from, to): Stretch, window: Stretch) -> Stretch {
    let of_first = from.saturating_add(Dur::from_nanos(999_999)).min(window.1);
    let last = to.saturating_sub(Dur::from_nanos(1)).max(of_first);
    (from, if to == window.1 { to } else { last })
}

/// A failure of figures from one time to another, with the records that decide on them at the first; without any, what the
/// figures are of explains it, as it is at the second.
pub(super) fn failed(
    run: &Run<'_>,
    expected: String,
    got: String,
    figures: &[&Comparison],
    (from, to): Stretch,
) -> Failed {
    let all = (0..).zip(run.analysis.trace.iter());
    // The last change in the first millisecond. What there is from the start no record decided on.
    let last = |c: &Comparison| run.exact(c).into_iter().rfind(|v| v.0.whole_millis() == from);
    let times = figures.iter().map(|c| (c, last(c).map_or(from, |v| v.0)));
    let times = Vec::from_iter(times.filter(|(_, at)| *at > Time::ZERO));
    let deciding = all.filter(|(_, r)| times.iter().any(|(c, at)| run.decides(c, *at, r)));
    let records: Vec<RecordId> = deciding.map(|(id, _)| id).take(RECORDS).collect();
    let amiss = || figures.iter().find_map(|c| amiss(run, c, to));
    let object = || amiss().or_else(|| figures.iter().find_map(|c| run.object_of(c, to)));
    let object = if records.is_empty() { object() } else { None };
    let mut failed = run.failed(expected, got, records).about(object);
    // Of a limit that is kept on one side there is one way to break it.
    if let [c] = figures
        && c.relation == Relation::Equal
    {
        failed.way = value_at(&run.values(c), from).cmp(&c.limit);
    }
    if let Some((_, at)) = &mut failed.about {
        // What a request was for only those after it show.
        *at = at.or((to < run.analysis.horizon()).then_some(to));
        *at = at.filter(|_| !figures.iter().any(|c| matches!(c.quantity, Quantity::Requests(_))));
    }
    failed
}

/// Whether a limit is kept, or is not, whatever happens, and why: no figure is less than nothing, and none is more
/// than all.
pub(super) fn fixed(run: &Run<'_>, c: &Comparison) -> Option<(bool, String)> {
    if c.relation == Relation::AtLeast && c.limit == 0 {
        return Some((true, "at least 0 is so whatever happens".to_owned()));
    }
    let most = run.most(c)?;
    let is_so = match c.relation {
        Relation::AtMost => (c.limit >= most).then_some(true),
        Relation::Equal if most == 0 => Some(c.limit == 0),
        Relation::AtLeast | Relation::Equal => (c.limit > most).then_some(false),
    };
    let most = number(&c.quantity, most);
    Some((is_so?, format!("{} is never more than {most}, whatever happens", named(&c.quantity))))
}

/// Whether a figure is how long something is so in all: at a time at which it is of several, it counts once.
fn adds_up(quantity: &Quantity) -> bool {
    matches!(quantity, Quantity::BelowNeed(_) | Quantity::UnavailableSeconds(_))
}

/// A figure of one workload alone.
fn of_one(c: &Comparison, whose: &str) -> Comparison {
    Comparison { workloads: Some(BTreeSet::from([whose.to_owned()])), ..c.clone() }
}

/// A figure in words.
pub(super) fn named(q: &Quantity) -> String {
    let (what, of) = q.parts();
    format!("{what}({of:?})")
}

/// Whether a figure keeps its limit.
pub(super) fn judge(
    run: &Run<'_>,
    c: &Comparison,
    longest: Option<Dur>,
    during: Stretch,
) -> Option<Failed> {
    let values = run.values(c);
    let is_span = c.quantity.is_span();
    // What adds up in the course of a run is compared where it stands at the end, unless it may not
    // grow past its limit.
    let adds_up = matches!(c.quantity, Quantity::Evicted(_) | Quantity::Requests(_))
        && c.relation != Relation::AtMost;
    let during = if is_span || adds_up { (during.1, during.1) } else { during };
    let looked_at = parts(&values, during);
    let is_broken = |value: u64| !c.relation.holds(value, c.limit);
    let broken = stretches(&looked_at, is_broken);
    if let Some(&(from, to)) = broken.first() {
        // The first of some of them, how many others there are, and the value that is the farthest from the limit.
        let told = |all: &[Stretch]| {
            let ((from, to), (_, end)) = (all[0], all[all.len() - 1]);
            let value = value_at(&values, from);
            let got = match is_span {
                true => number(&c.quantity, value),
                false if lasted((from, to)).is_zero() => format!("{value} at {}", time(from)),
                false => format!("{value} {}", stretch((from, to))),
            };
            let within = looked_at.iter().filter(|part| part.0 >= from && part.1 <= end);
            let values = within.map(|part| part.2).filter(|value| is_broken(*value));
            let worst = values.min_by_key(|value| Reverse(value.abs_diff(c.limit)));
            let worst = worst.filter(|worst| *worst != value);
            let worst = worst.map_or(String::new(), |worst| format!(", at worst {worst}"));
            format!("{got}{}{worst}", further(all))
        };
        if let Some(whole) = run.begins_short(&[c], (from, to), during) {
            let end = time(during.1);
            let got = format!(
                "{}, before its pods are there: `during: (\"{whole}\", \"{end}\")` leaves that out",
                told(&broken[..1])
            );
            // What explains it is what fails all the same.
            let Some(&later) = broken.get(1) else {
                return Some(run.failed(expected(c, longest), got, Vec::new()));
            };
            let got = format!("{got}; later it is {}", told(&broken[1..]));
            return Some(failed(run, expected(c, longest), got, &[c], asked(later, during)));
        }
        let is_short = |asked: &u64| c.relation != Relation::AtMost && c.limit > *asked;
        let never = run.asked(c).filter(is_short);
        let never = never.map_or(String::new(), |n| {
            format!("; never are more than {n} asked for, so that it cannot be met")
        });
        let got = told(&broken) + &never;
        // What cannot be met has no reason but that.
        let of_none = usize::from(!never.is_empty());
        let exceeded = is_span.then(|| run.exceeded(c)).flatten();
        let asked = exceeded.map_or(asked((from, to), during), |(at, _)| (at, at));
        let its = exceeded.map_or_else(|| c.clone(), |(_, whose)| of_one(c, whose));
        return Some(failed(run, expected(c, longest), got, &[&its][of_none..], asked));
    }
    let longest = longest?;
    // What is looked at says which stretches, not how much of them.
    let whole = parts(&values, (Time::ZERO, run.analysis.horizon()));
    let above = stretches(&whole, |value| value > 0).into_iter();
    let mut met = above.filter(|above| above.0 <= during.1 && above.1 > during.0);
    let (from, to) = met.find(|above| lasted(*above) > longest)?;
    let value = number(&c.quantity, value_at(&values, from));
    let got = format!("{value} from {}, and not zero until {}", time(from), time(to));
    let asked = from.saturating_add(longest);
    let failed = failed(run, expected(c, Some(longest)), got, &[c], (from, asked));
    // It was not too long before that.
    Some(Failed { about: failed.about.map(|(object, _)| (object, Some(asked))), ..failed })
}

/// A value of a figure in words.
fn number(quantity: &Quantity, n: u64) -> String {
    if quantity.is_span() { span(Dur::from_nanos(n)) } else { n.to_string() }
}

/// What was expected of a figure, in words.
fn expected(c: &Comparison, longest: Option<Dur>) -> String {
    let (relation, limit) = (c.relation.words(), number(&c.quantity, c.limit));
    let longest = longest.map_or(String::new(), |longest| {
        format!(", and other than zero for {} at a stretch at the longest", span(longest))
    });
    format!("{} {relation} {limit}{longest}", named(&c.quantity))
}
