//! What a run leaves undecided when it ends: what lasts, and what is under way and may yet make records. That an expectation was
//! met says nothing where this may break it. One that asks what comes first, or until when, is decided once it is met.

use super::super::disruption::disruptions;
use super::super::properties::Property;
use super::figures::{named, parts, stretches};
use super::objects::{Hit, Meant, is_taint};
use super::prelude::*;
use super::verdict::Empty;
use crate::api::taint::UNREACHABLE;
use crate::language::Quantity;
use crate::scenario::expectations::{TaintSought, Times};

const EVICTED: Kind = Kind::Evicted { by: None };
const UNKNOWN: Kind = Kind::Condition(NodeConditionType::Ready, ConditionStatus::Unknown);
const UNREADY: Kind = Kind::PodCondition(PodConditionType::Ready, ConditionStatus::False);

fn tainted(effect: Effect) -> Kind {
    Kind::Tainted(TaintSought { key: UNREACHABLE.to_owned(), value: None, effect: Some(effect) })
}

fn event(text: EventText) -> Kind {
    Kind::Event { reason: text.as_str().to_owned(), message: None, object: None }
}

/// What comes of a pod that takes the place of another, wherever that is.
fn made() -> [Kind; 4] {
    [Kind::Created, Kind::Bound, event(EventText::Scheduled), Kind::Phase(PodPhase::Running)]
}

/// What comes of an eviction.
fn evicted(by: EvictionCause) -> Vec<Kind> {
    let events = [EventText::MarkingForDeletion, EventText::NodeControllerEviction].map(event);
    let all = [Kind::Evicted { by: Some(by) }, Kind::Deleted { by: Some(by.as_str().to_owned()) }];
    all.into_iter().chain(events).collect()
}

/// Whether a record of this kind is one that is looked for.
fn is_such(sought: &Kind, kind: &Kind) -> bool {
    match (sought, kind) {
        (Kind::Tainted(t), Kind::Tainted(x)) => {
            x.effect.is_some_and(|effect| is_taint(t, &Taint::new(&x.key, effect)))
        }
        (Kind::Evicted { by: None }, Kind::Evicted { .. })
        | (Kind::Deleted { by: None }, Kind::Deleted { .. }) => true,
        _ => sought == kind,
    }
}

/// What is under way when a run ends.
#[derive(Debug)]
pub(super) struct Coming {
    /// The pod that it happens to; none where it is the node itself.
    pod: Option<PodId>,
    /// Where it is.
    node: NodeId,
    /// What is under way, in words.
    said: String,
    /// What records may come of it.
    brings: Vec<Kind>,
}

impl Coming {
    /// All that is under way at the end of a run.
    pub(super) fn after(analysis: &Analysis<'_>) -> Vec<Self> {
        let mut follow = Follow::new(analysis);
        while follow.step().is_some() {}
        let (plan, horizon, paused) = (analysis.plan, analysis.horizon(), disruptions(analysis));
        // Nobody's turn comes where tainting has stopped.
        let is_stopped = |node| {
            let last = paused.zones.get(analysis.zone_name(node)).and_then(|all| all.last());
            last.is_some_and(|d| d.to == horizon && d.pace.is_stopped())
                || plan.flags.node_eviction_rate <= 0.0
        };
        let lost = |node, flags: NodeFlags| {
            let is_next = flags.no_execute == 0;
            let said = match flags.health() {
                Health::Silent => "is silent, and not Unknown yet",
                Health::Unknown | Health::NotReady if is_next => "waits in its zone's queue",
                _ => return None,
            };
            Some(format!("{} {said}", analysis.node_name(node)))
        };
        // A timer that ran out and is still held has done what it could.
        let timer = |pod: &PodState| {
            let record = analysis.trace.get(follow.timer(pod)?)?;
            let What::TimerSet(seconds) = record.what else { return None };
            let due = record.at.saturating_add(Dur::from_secs(seconds.into()));
            Some(due).filter(|due| *due > horizon)
        };
        let operators = plan.profile.taint_eviction.comparison_operators;
        let unreachable = Taint::new(UNREACHABLE, Effect::NoExecute);
        let stays = |id: PodId| {
            let own = follow.tolerations(id).iter().find(|t| t.tolerates(&unreachable, operators));
            own.is_some_and(|own| own.toleration_seconds.is_none())
        };
        let by_timeout = plan.evicts_by_timeout();
        let by = if by_timeout { EvictionCause::Timeout } else { EvictionCause::Taint };
        let names = &analysis.trace.names;
        let of_pod = |(id, pod): (PodId, &PodState)| {
            let (node, name) = (pod.node_id()?, analysis.pod_name(id));
            let flags = follow.node(node);
            let is_heard = flags.exists && !flags.silent;
            let owner = names.owner_of(id).map_or("", |owner| names.workload_name(owner));
            let (said, mut brings) = if let Some(due) = timer(pod) {
                (format!("the eviction of {name} is due at {}", time(due)), evicted(by))
            } else if pod.deleting && is_heard {
                (format!("{name} is Terminating"), Vec::new())
            } else {
                let goes = !is_stopped(node) && !stays(id);
                let brings = evicted(by).into_iter().chain([Kind::TimerSet]);
                let said = lost(node, flags).filter(|_| pod.is_active())?;
                (said, brings.filter(|_| goes).collect())
            };
            if pod.deleting || !brings.is_empty() {
                brings.extend(is_heard.then_some(Kind::Gone));
                // One of a StatefulSet is made anew only once it is gone, and one that nobody owns never.
                let is_set = owner.starts_with("StatefulSet/");
                let is_made = if is_set { is_heard } else { !pod.deleting };
                brings.extend(made().into_iter().filter(|_| is_made && !owner.is_empty()));
            }
            if pod.is_available() {
                brings.push(UNREADY);
                brings.extend(lost(node, flags).map(|_| event(EventText::NodeNotReady)));
            }
            Some(Coming { pod: Some(id), node, said, brings })
        };
        let of_node = |(node, flags): (NodeId, NodeFlags)| {
            let mut brings = Vec::new();
            if flags.health() == Health::Silent {
                brings.extend([UNKNOWN, tainted(Effect::NoSchedule)]);
                brings.push(event(EventText::NodeNotReady));
            }
            let is_tainted = !by_timeout && !is_stopped(node);
            brings.extend(is_tainted.then(|| tainted(Effect::NoExecute)));
            Some(Coming { pod: None, node, said: lost(node, flags)?, brings })
        };
        follow.pods().filter_map(of_pod).chain(follow.nodes().filter_map(of_node)).collect()
    }

    fn brings(&self, what: &Kind) -> bool {
        self.brings.iter().any(|kind| is_such(what, kind))
    }

    /// Whether it brings a record that is looked for.
    fn is_of(&self, sought: &Sought, meant: &Meant) -> bool {
        let is_anywhere = self.brings.contains(&Kind::Created) && made().contains(&sought.what);
        self.brings(&sought.what)
            && self.pod.map_or(sought.pods.is_none(), |pod| meant.is_pod(pod))
            && (is_anywhere || meant.is_on(Some(self.node)))
    }
}

/// Why it says nothing that this was met, for what may come after the end; `hits` are the records of each of its parts.
pub(super) fn why(
    run: &Run<'_>,
    come: &[Coming],
    what: &Expected,
    hits: &[Vec<Hit>],
) -> Option<Empty> {
    let (end, said) = match what {
        Expected::Seen(sought) => {
            (sought.times.during.1, of_records(run, come, sought, hits[0].len()))
        }
        Expected::Figure { comparison: c, longest, during } => {
            let limit = of_claim(run, come, &Claim::Compare(c.clone()), false);
            (during.1, limit.or_else(|| longest.and_then(|_| lasts(run, c))))
        }
        Expected::Throughout { claim, stretch, wanted } => {
            (stretch.1, of_claim(run, come, claim, !wanted))
        }
        Expected::Property { property, stretch, wanted: false } => {
            use Property::{EvictLoop, NeedlessEviction, PodStuck, WrongPod};
            let is_its =
                matches!(property, PodStuck(_) | NeedlessEviction | WrongPod | EvictLoop(_));
            let first = come.iter().find(|c| is_its && c.brings(&EVICTED));
            (stretch.1, first.map(|c| c.said.clone()))
        }
        _ => return None,
    };
    let said = said.filter(|_| end >= run.analysis.horizon())?;
    Some(Empty::open(format!("the run ends before it is decided: {said}")))
}

/// The first that is to come of the records that are looked for, `n` of which came, where more would be too many or too late.
fn of_records(run: &Run<'_>, come: &[Coming], sought: &Sought, n: usize) -> Option<String> {
    let meant = Meant::by(run, sought).ok()?;
    let its: Vec<&Coming> = come.iter().filter(|c| c.is_of(sought, &meant)).collect();
    let Times { at, before, first, spread, .. } = &sought.times;
    let is_short = spread.is_some_and(|(_, most)| most < Dur::MAX);
    let is_late = before.is_some() || !at.is_empty() || is_short || first.is_some() && n == 0;
    let is_open = is_late || (n + its.len()) as u64 > sought.count.most;
    its.first().filter(|_| is_open).map(|c| c.said.clone())
}

/// What is under way by which a claim may come to hold, or not to; no words where that is so already.
fn of_claim(run: &Run<'_>, come: &[Coming], claim: &Claim, wanted: bool) -> Option<String> {
    let each = |claims: &[Claim]| -> Vec<Option<String>> {
        claims.iter().map(|claim| of_claim(run, come, claim, wanted)).collect()
    };
    match claim {
        Claim::Compare(c) => {
            let now = value_at(&run.values(c), run.analysis.horizon());
            let is_so = c.relation.holds(now, c.limit) == wanted;
            if is_so { Some(String::new()) } else { of_figure(run, come, c, now) }
        }
        // One decides against all, and for any; else it takes all.
        Claim::All(claims) if !wanted => each(claims).into_iter().flatten().next(),
        Claim::AnyOf(claims) if wanted => each(claims).into_iter().flatten().next(),
        Claim::All(claims) | Claim::AnyOf(claims) => {
            each(claims).into_iter().collect::<Option<Vec<_>>>()?.into_iter().max()
        }
        Claim::Not(claim) => of_claim(run, come, claim, !wanted),
    }
}

/// The first that is to come of what a figure counts, where that may change whether it keeps its limit.
fn of_figure(run: &Run<'_>, come: &[Coming], c: &Comparison, now: u64) -> Option<String> {
    use Quantity as Q;
    let falls = matches!(c.quantity, Q::Available(_) | Q::Unavailable(_));
    let what = match &c.quantity {
        Q::NotReadyNodes(_) => UNKNOWN,
        Q::Available(_) | Q::Unavailable(_) => UNREADY,
        Q::Timers(_) => Kind::TimerSet,
        Q::Pending(_) => Kind::Created,
        // What is true changes with the fault itself, and how many requests something takes is not known.
        Q::Up(_) | Q::Missing(_) | Q::DeadEndpoints(_) | Q::Ghosts(_) | Q::Requests(_) => {
            return None;
        }
        _ => EVICTED,
    };
    let is_its = |x: &&Coming| match (x.pod, &c.quantity) {
        (Some(pod), _) => run.is_pod_of(c.workloads.as_ref(), pod),
        (None, Q::NotReadyNodes(zone)) => zone == "*" || run.analysis.zone_name(x.node) == zone,
        _ => false,
    };
    let its = || come.iter().filter(|x| x.brings(&what)).filter(is_its);
    // It is not known by how much a span grows.
    let is_span = c.quantity.is_span();
    let n = if is_span { u64::MAX } else { its().count() as u64 };
    let least = if falls { now.saturating_sub(n) } else { now };
    let most = if matches!(c.quantity, Q::Available(_)) { now } else { now.saturating_add(n) };
    let holds = |n: &u64| c.relation.holds(*n, c.limit);
    let all = [least, most, c.limit.clamp(least, most)];
    let lasting = || lasts(run, c).filter(|_| is_span);
    let may_change = all.iter().any(|n| holds(n) != holds(&now));
    may_change.then(|| its().next().map(|c| c.said.clone()).or_else(lasting)).flatten()
}

/// Since when a figure is other than zero as the run ends, or a stretch lasts that a duration counts.
fn lasts(run: &Run<'_>, c: &Comparison) -> Option<String> {
    let horizon = run.analysis.horizon();
    let all = match c.quantity.is_span() {
        true => run.spans(&c.quantity, c.workloads.as_ref()),
        false => stretches(&parts(&run.values(c), (Time::ZERO, horizon)), |value| value > 0),
    };
    let last = all.into_iter().find(|stretch| stretch.1 >= horizon)?;
    Some(format!("what {} counts lasts, from {} on", named(&c.quantity), time(last.0)))
}
