//! What a run leaves undecided when it ends: what lasts, and what is under way and may yet make records. That an expectation was
//! met says nothing where this may break it. One that asks what comes first, or until when, is decided once it is met.

use super::super::disruption::disruptions;
use super::super::drains::drains;
use super::super::properties::Property;
use super::figures::{named, parts, stretches};
use super::follows;
use super::objects::{Hit, Meant, is_taint, selected, waiting};
use super::prelude::*;
use super::verdict::Empty;
use crate::api::taint::{NOT_READY, UNREACHABLE};
use crate::scenario::expectations::{TaintSought, Times, glob};

const EVICTED: Kind = Kind::Evicted { by: None };
const DRAINED: Kind = Kind::Evicted { by: Some(EvictionCause::Api) };
const UNKNOWN: Kind = Kind::Condition(NodeConditionType::Ready, ConditionStatus::Unknown);
const BACK: Kind = Kind::Condition(NodeConditionType::Ready, ConditionStatus::True);
const READY: Kind = Kind::PodCondition(PodConditionType::Ready, ConditionStatus::True);
const UNREADY: Kind = Kind::PodCondition(PodConditionType::Ready, ConditionStatus::False);
const RUNNING: Kind = Kind::Phase(PodPhase::Running);

fn taint(key: &str, effect: Effect) -> TaintSought {
    TaintSought { key: key.to_owned(), value: None, effect: Some(effect) }
}

fn event(text: EventText) -> Kind {
    Kind::Event { reason: text.as_str().to_owned(), message: None, object: None }
}

/// What comes of a pod that takes the place of another, wherever that is.
fn made() -> [Kind; 5] {
    [Kind::Created, Kind::Bound, event(EventText::Scheduled), RUNNING, READY]
}

/// What comes of an eviction.
fn evicted(by: EvictionCause) -> Vec<Kind> {
    let (actor, told) = match by {
        EvictionCause::Taint => (Actor::TaintEviction, Some(EventText::MarkingForDeletion)),
        EvictionCause::Timeout => (Actor::NodeLifecycle, Some(EventText::NodeControllerEviction)),
        _ => (Actor::User, None),
    };
    let deleted = Kind::Deleted { by: Some(actor.as_str().to_owned()) };
    [Kind::Evicted { by: Some(by) }, deleted].into_iter().chain(told.map(event)).collect()
}

/// Whether a record of this kind is one that is looked for. What an event says is not known yet: it may say whatever one of
/// its reason may.
fn is_such(sought: &Kind, kind: &Kind) -> bool {
    match (sought, kind) {
        (Kind::Tainted(t), Kind::Tainted(x)) | (Kind::Untainted(t), Kind::Untainted(x)) => {
            x.effect.is_some_and(|effect| is_taint(t, &Taint::new(&x.key, effect)))
        }
        (Kind::Evicted { by: None }, Kind::Evicted { .. })
        | (Kind::Deleted { by: None }, Kind::Deleted { .. }) => true,
        (Kind::Event { reason, .. }, Kind::Event { reason: told, .. }) => reason == told,
        _ => sought == kind,
    }
}

/// What is under way when a run ends.
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

/// Whether a node is heard, and says that it is well, or has yet to say so.
fn is_back(flags: NodeFlags) -> bool {
    !flags.silent && matches!(flags.health(), Health::Unknown | Health::Ready)
}

/// The key of the taint of a node that is lost.
fn key(flags: NodeFlags) -> &'static str {
    if flags.health() == Health::NotReady { NOT_READY } else { UNREACHABLE }
}

impl Coming {
    /// All that is under way at the end of a run.
    pub(super) fn after(analysis: &Analysis<'_>) -> Vec<Self> {
        let mut follow = Follow::new(analysis);
        while follow.step().is_some() {}
        let (plan, horizon, paused) = (analysis.plan, analysis.horizon(), disruptions(analysis));
        let open = drains(analysis).into_iter().filter(|drain| drain.goes_on());
        let drained: BTreeSet<NodeId> = open.map(|drain| drain.node).collect();
        // Nobody's turn comes where tainting has stopped.
        let is_stopped = |node| {
            let last = paused.zones.get(analysis.zone_name(node)).and_then(|all| all.last());
            last.is_some_and(|d| d.to == horizon && d.pace.is_stopped())
                || plan.flags.node_eviction_rate <= 0.0
        };
        let lost = |node, flags: NodeFlags| {
            let is_next = flags.no_execute == 0 && !is_back(flags);
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
            Some(record.at.saturating_add(Dur::from_secs(seconds.into())))
                .filter(|at| *at > horizon)
        };
        let operators = plan.profile.taint_eviction.comparison_operators;
        let by_timeout = plan.evicts_by_timeout();
        let by = if by_timeout { EvictionCause::Timeout } else { EvictionCause::Taint };
        let of_pod = |(id, pod): (PodId, &PodState)| {
            let (node, name) = (pod.node_id()?, analysis.pod_name(id));
            let (flags, names) = (follow.node(node), &analysis.trace.names);
            let is_heard = flags.exists && !flags.silent;
            let starts = is_back(flags) && pod.is_active() && !pod.ready;
            let owner = names.owner_of(id).map_or("", |owner| names.workload_name(owner));
            let kind = owner.split('/').next().unwrap_or_default();
            let is_drained = drained.contains(&node) && !matches!(kind, "" | "DaemonSet");
            let (said, mut brings) = if let Some(due) = timer(pod) {
                let cancelled = is_back(flags).then_some(Kind::TimerCancelled);
                let brings = evicted(by).into_iter().chain(cancelled).collect();
                (format!("the eviction of {name} is due at {}", time(due)), brings)
            } else if pod.deleting && is_heard {
                (format!("{name} is Terminating"), Vec::new())
            } else if let Some(said) = lost(node, flags).filter(|_| pod.is_active()) {
                let taint = Taint::new(key(flags), Effect::NoExecute);
                let own = follow.tolerations(id).iter().find(|t| t.tolerates(&taint, operators));
                let stays = own.is_some_and(|own| own.toleration_seconds.is_none());
                let goes = !is_stopped(node) && !stays;
                let brings = evicted(by).into_iter().chain([Kind::TimerSet]).filter(|_| goes);
                (said, brings.collect())
            } else if is_drained && pod.is_active() {
                let said = format!("the drain of {} goes on", analysis.node_name(node));
                (said, evicted(EvictionCause::Api))
            } else {
                (format!("{name} is not Ready yet"), Vec::new())
            };
            if pod.deleting || !brings.is_empty() {
                brings.extend(is_heard.then_some(Kind::Gone));
                // One of a StatefulSet is made anew only once it is gone, and one that nobody owns never.
                let is_made = if kind == "StatefulSet" { is_heard } else { !pod.deleting };
                brings.extend(made().into_iter().filter(|_| is_made && !kind.is_empty()));
            }
            let is_lost = lost(node, flags).is_some();
            if pod.is_available() && (is_lost || !brings.is_empty()) {
                brings.push(UNREADY);
                brings.extend(is_lost.then(|| event(EventText::NodeNotReady)));
            }
            brings.extend([READY, RUNNING].into_iter().filter(|_| starts));
            Some(Coming { pod: Some(id), node, said, brings })
        };
        let of_node = |(node, flags): (NodeId, NodeFlags)| {
            let (lost, is_tainted) = (lost(node, flags), !by_timeout && !is_stopped(node));
            let tainted = |effect| Kind::Tainted(taint(key(flags), effect));
            let mut brings = match flags.health() {
                Health::Silent => {
                    vec![UNKNOWN, tainted(Effect::NoSchedule), event(EventText::NodeNotReady)]
                }
                Health::Unknown if is_back(flags) => vec![BACK, event(EventText::NodeReady)],
                _ => Vec::new(),
            };
            if lost.is_some() {
                brings.extend(is_tainted.then(|| tainted(Effect::NoExecute)));
            } else if is_back(flags) {
                let held = follow.taints(node).iter().map(|held| held.taint);
                let of_loss = held.filter(|held| is_failure_key(&held.key));
                brings.extend(of_loss.map(|held| Kind::Untainted(taint(&held.key, held.effect))));
            }
            let back = || format!("{} is back, and not well yet", analysis.node_name(node));
            Coming { pod: None, node, said: lost.unwrap_or_else(back), brings }
        };
        let all = follow.pods().filter_map(of_pod).chain(follow.nodes().map(of_node));
        let all: Vec<Self> = all.filter(|coming| !coming.brings.is_empty()).collect();
        // Where a budget holds up a drain, only what else is under way gives it room.
        let is_stuck = all.iter().all(|coming| coming.brings(&DRAINED));
        if is_stuck { Vec::new() } else { all }
    }

    fn brings(&self, what: &Kind) -> bool {
        self.brings.iter().any(|kind| is_such(what, kind))
    }

    /// Whether it brings a record that is looked for. A pod that is made in the place of another goes by the name of that one.
    fn is_of(&self, run: &Run<'_>, sought: &Sought, meant: &Meant) -> bool {
        let is_made = || made().iter().any(|kind| is_such(&sought.what, kind));
        let is_anywhere = self.brings.contains(&Kind::Created) && is_made();
        let is_about = |pattern: &str| match self.pod {
            Some(pod) => glob(pattern, &format!("Pod/{}", run.analysis.pod_name(pod))),
            None => glob(pattern, &format!("Node/{}", run.analysis.node_name(self.node))),
        };
        self.brings(&sought.what)
            && !matches!(&sought.what, Kind::Event { object: Some(o), .. } if !is_about(o))
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
    let horizon = run.analysis.horizon();
    let (end, said) = match what {
        Expected::Pending { pods, count, at, reason: None } => {
            (*at, of_pending(run, come, (pods, *count)))
        }
        Expected::Seen(sought) => {
            (sought.times.during.1, of_records(run, come, sought, hits[0].len()))
        }
        Expected::Figure { comparison: c, longest, during } => {
            let limit = of_claim(run, come, &Claim::Compare(c.clone()), false);
            let limit = limit.filter(|_| during.1 >= horizon);
            // A stretch counts whole, wherever it is looked at.
            (horizon, limit.or_else(|| longest.and_then(|_| lasts(run, c, during.1))))
        }
        Expected::Throughout { claim, stretch, wanted } => {
            (stretch.1, of_claim(run, come, claim, !wanted))
        }
        Expected::Property { property, stretch, wanted: false } => {
            use Property::{EvictLoop, NeedlessEviction, PodStuck, WrongPod};
            let is_its =
                matches!(property, PodStuck(_) | NeedlessEviction | WrongPod | EvictLoop(_));
            // A drain is wanted.
            let is_bad = |c: &&Coming| c.brings(&EVICTED) && !c.brings(&DRAINED);
            let first = come.iter().filter(is_bad).find(|_| is_its);
            (stretch.1, first.map(|c| c.said.clone()))
        }
        Expected::Whenever { within, .. } => {
            return follows::undecided(run, *within, &hits[0]).map(Empty::open);
        }
        _ => return None,
    };
    let said = said.filter(|_| end >= horizon)?;
    Some(Empty::open(format!("the run ends before it is decided: {said}")))
}

/// The first that is to come of the records that are looked for, `n` of which came, where more would be too many or too late.
fn of_records(run: &Run<'_>, come: &[Coming], sought: &Sought, n: usize) -> Option<String> {
    let meant = Meant::by(run, sought).ok()?;
    let its: Vec<&Coming> = come.iter().filter(|c| c.is_of(run, sought, &meant)).collect();
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

/// The first that is to come by which as many pods as expected are no longer Pending, or more are than that.
fn of_pending(run: &Run<'_>, come: &[Coming], (pods, count): (&Pods, Count)) -> Option<String> {
    let fits = selected(run, pods).ok()?;
    let now = waiting(run, &fits, run.analysis.horizon()).len() as u64;
    let is_its = |c: &&Coming| c.pod.is_some_and(|pod| fits.get(pod.index()) == Some(&true));
    let its: Vec<&Coming> = come.iter().filter(is_its).collect();
    change(&its, [Kind::Created, RUNNING], now, |n| (count.least..=count.most).contains(&n))
}

/// The first that is to come with which a number is no longer, or comes to be, what it is to be: it rises by one kind of
/// records, and falls by another. What brings both falls first where the number is of Ready pods, and rises first else.
fn change(
    its: &[&Coming],
    [up, down]: [Kind; 2],
    now: u64,
    is_so: impl Fn(u64) -> bool,
) -> Option<String> {
    let falls = |c: &Coming| c.brings(&down) && (up == READY || !c.brings(&up));
    let changes = |n: u64| is_so(n) != is_so(now);
    let rising = (now + 1..).zip(its.iter().filter(|c| c.brings(&up)));
    let falling = (0..now).rev().zip(its.iter().filter(|c| falls(c)));
    rising.chain(falling).find(|(n, _)| changes(*n)).map(|(_, c)| c.said.clone())
}

/// The first that is to come of what a figure counts, where that may change whether it keeps its limit.
fn of_figure(run: &Run<'_>, come: &[Coming], c: &Comparison, now: u64) -> Option<String> {
    use Quantity as Q;
    let kinds = match &c.quantity {
        Q::NotReadyNodes(_) => [UNKNOWN, BACK],
        Q::Available(_) => [READY, UNREADY],
        Q::Unavailable(_) => [UNREADY, READY],
        Q::Timers(_) => [Kind::TimerSet, EVICTED],
        Q::Pending(_) => [Kind::Created, RUNNING],
        Q::Terminating(_) => [EVICTED, Kind::Gone],
        // What is true changes with the fault itself, and how many requests something takes is not known.
        Q::Up(_) | Q::Missing(_) | Q::DeadEndpoints(_) | Q::Ghosts(_) | Q::Requests(_) => {
            return None;
        }
        // The others only rise.
        _ => [EVICTED, EVICTED],
    };
    let is_its = |x: &&Coming| match (x.pod, &c.quantity) {
        (Some(pod), _) => run.is_pod_of(c.workloads.as_ref(), pod),
        (None, Q::NotReadyNodes(zone)) => zone == "*" || run.analysis.zone_name(x.node) == zone,
        _ => false,
    };
    let its: Vec<&Coming> = come.iter().filter(is_its).collect();
    let holds = |n: u64| c.relation.holds(n, c.limit);
    if !c.quantity.is_span() {
        return change(&its, kinds, now, holds);
    }
    // It is not known by how much a span grows.
    let first = its.iter().find(|x| x.brings(&EVICTED)).map(|x| x.said.clone());
    first.or_else(|| lasts(run, c, Time::MAX)).filter(|_| holds(u64::MAX) != holds(now))
}

/// Since when a figure is other than zero as the run ends, or a stretch lasts that a duration counts, if it began by then.
fn lasts(run: &Run<'_>, c: &Comparison, by: Time) -> Option<String> {
    let horizon = run.analysis.horizon();
    let all = match c.quantity.is_span() {
        true => run.spans(&c.quantity, c.workloads.as_ref()).iter().map(|s| s.0).collect(),
        false => stretches(&parts(&run.values(c), (Time::ZERO, horizon)), |value| value > 0),
    };
    let last = all.into_iter().find(|stretch| stretch.1 >= horizon && stretch.0 <= by)?;
    Some(format!("what {} counts lasts, from {} on", named(&c.quantity), time(last.0)))
}
