//! What a run leaves undecided when it ends. A node whose loss nobody has noticed or whose turn has not come, an eviction
//! that is due, and a pod that is Terminating may yet make records: that there was none, or none more, says nothing then.

use super::super::disruption::disruptions;
use super::super::properties::Property;
use super::claims;
use super::objects::{Hit, Meant, is_taint};
use super::prelude::*;
use super::verdict::Empty;
use crate::api::taint::UNREACHABLE;
use crate::language::Quantity;

/// What comes of the loss of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// It is Unknown.
    Unknown,
    /// It has its NoExecute taint.
    Tainted,
    /// A pod of it is not Ready.
    Unready,
    /// It has its eviction timer.
    Timed,
    /// It is evicted.
    Evicted,
    /// It is gone.
    Gone,
    /// Another takes its place.
    Made,
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
    /// What may come of it.
    brings: Vec<Stage>,
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
        let lost = |node| {
            let (flags, name) = (follow.node(node), analysis.node_name(node));
            match flags.health() {
                Health::Silent => Some(format!("{name} is lost, and not Unknown yet")),
                Health::Unknown | Health::NotReady if flags.no_execute == 0 => {
                    Some(format!("{name} waits in its zone's queue"))
                }
                _ => None,
            }
        };
        // A timer that ran out and is still held has done what it could.
        let timer = |pod: &PodState| {
            let record = analysis.trace.get(follow.timer(pod)?)?;
            let What::TimerSet(seconds) = record.what else { return None };
            let due = record.at.saturating_add(Dur::from_secs(seconds.into()));
            Some(due).filter(|due| *due > horizon)
        };
        let unreachable = Taint::new(UNREACHABLE, Effect::NoExecute);
        let operators = plan.profile.taint_eviction.comparison_operators;
        let stays = |id: PodId| {
            let own = follow.tolerations(id).iter().find(|t| t.tolerates(&unreachable, operators));
            own.is_some_and(|own| own.toleration_seconds.is_none())
        };
        // One of a StatefulSet is made anew only once it is gone, and one that nobody owns never.
        let names = &analysis.trace.names;
        let is_replaced = |id| {
            let owner = names.owner_of(id).map(|owner| names.workload_name(owner));
            owner.is_some_and(|name| !name.starts_with("StatefulSet/"))
        };
        let of_pod = |(id, pod): (PodId, &PodState)| {
            let (node, name) = (pod.node_id()?, analysis.pod_name(id));
            let (said, mut brings) = if let Some(due) = timer(pod) {
                let said = format!("the eviction of {name} is due at {}", time(due));
                (said, vec![Stage::Evicted, Stage::Made])
            } else if pod.deleting && !follow.node(node).silent {
                (format!("{name} is Terminating"), vec![Stage::Gone])
            } else {
                let goes = !is_stopped(node) && !stays(id);
                let brings = [Stage::Timed, Stage::Evicted, Stage::Made];
                let said = lost(node).filter(|_| pod.is_active())?;
                (said, brings.into_iter().filter(|_| goes).collect())
            };
            brings.retain(|stage| *stage != Stage::Made || is_replaced(id));
            brings.extend(pod.is_available().then_some(Stage::Unready));
            Some(Coming { pod: Some(id), node, said, brings })
        };
        let of_node = |(node, flags): (NodeId, NodeFlags)| {
            let unknown = (flags.health() == Health::Silent).then_some(Stage::Unknown);
            let is_tainted = !plan.evicts_by_timeout() && !is_stopped(node);
            let brings = unknown.into_iter().chain(is_tainted.then_some(Stage::Tainted)).collect();
            Some(Coming { pod: None, node, said: lost(node)?, brings })
        };
        follow.pods().filter_map(of_pod).chain(follow.nodes().filter_map(of_node)).collect()
    }
}

/// Why it says nothing that this was met, for what may come after the end; `hits` are the records of each of its parts.
pub(super) fn why(
    run: &Run<'_>,
    come: &[Coming],
    what: &Expected,
    hits: &[Vec<Hit>],
) -> Option<Empty> {
    let (end, first) = match what {
        Expected::Seen(sought) => (sought.times.during.1, of_records(run, come, sought, hits)),
        Expected::Figure { comparison, during, .. } => (during.1, of_figure(run, come, comparison)),
        Expected::Throughout { claim, stretch, .. } => {
            let mut all = claims::comparisons(claim).into_iter();
            (stretch.1, all.find_map(|c| of_figure(run, come, c)))
        }
        Expected::Property { property, stretch, wanted: false } => {
            use Property::{EvictLoop, NeedlessEviction, PodStuck, WrongPod};
            let is_its =
                matches!(property, PodStuck(_) | NeedlessEviction | WrongPod | EvictLoop(_));
            (stretch.1, come.iter().find(|c| is_its && c.brings.contains(&Stage::Evicted)))
        }
        _ => return None,
    };
    let first = first.filter(|_| end >= run.analysis.horizon())?;
    Some(Empty::open(format!("the run ends before it is decided: {}", first.said)))
}

/// With what such records come.
fn stage(sought: &Sought) -> Option<Stage> {
    let sets = |t, effect| is_taint(t, &Taint::new(UNREACHABLE, effect));
    let is_its = |by: &String| by == Actor::TaintEviction.as_str();
    Some(match &sought.what {
        Kind::Condition(NodeConditionType::Ready, ConditionStatus::Unknown) => Stage::Unknown,
        Kind::Tainted(t) if sets(t, Effect::NoExecute) => Stage::Tainted,
        Kind::Tainted(t) if sets(t, Effect::NoSchedule) => Stage::Unknown,
        Kind::PodCondition(PodConditionType::Ready, ConditionStatus::False) => Stage::Unready,
        Kind::TimerSet => Stage::Timed,
        Kind::Evicted { by: None | Some(EvictionCause::Taint | EvictionCause::Timeout) } => {
            Stage::Evicted
        }
        Kind::Deleted { by } if by.as_ref().is_none_or(is_its) => Stage::Evicted,
        Kind::Gone => Stage::Gone,
        Kind::Created | Kind::Bound | Kind::Phase(PodPhase::Running) => Stage::Made,
        Kind::Event { reason, message: None, object: None } => match EventText::parse(reason)? {
            EventText::NodeNotReady if sought.pods.is_some() => Stage::Unready,
            EventText::NodeNotReady => Stage::Unknown,
            EventText::MarkingForDeletion | EventText::NodeControllerEviction => Stage::Evicted,
            EventText::Scheduled => Stage::Made,
            _ => return None,
        },
        _ => return None,
    })
}

/// The first that is to come of the records that are looked for, where none have to come, and these would be too many.
fn of_records<'r>(
    run: &Run<'_>,
    come: &'r [Coming],
    sought: &Sought,
    hits: &[Vec<Hit>],
) -> Option<&'r Coming> {
    let (stage, meant) = (stage(sought)?, Meant::by(run, sought).ok()?);
    let is_one = |c: &&Coming| {
        // What takes its place may come anywhere.
        c.brings.contains(&stage)
            && c.pod.is_none_or(|pod| meant.is_pod(pod))
            && (stage == Stage::Made || meant.is_on(Some(c.node)))
    };
    let its: Vec<&Coming> = come.iter().filter(is_one).collect();
    let n = (hits[0].len() + its.len()) as u64;
    its.first().copied().filter(|_| sought.count.least == 0 && n > sought.count.most)
}

/// The first that is to come of what a figure counts, where that may change whether it keeps its limit.
fn of_figure<'r>(run: &Run<'_>, come: &'r [Coming], c: &Comparison) -> Option<&'r Coming> {
    use Quantity as Q;
    let stage = match &c.quantity {
        Q::NotReadyNodes(_) => Stage::Unknown,
        Q::Available(_) | Q::Unavailable(_) => Stage::Unready,
        Q::Timers(_) => Stage::Timed,
        Q::Pending(_) => Stage::Made,
        // What is true changes with the fault itself, and how many requests something takes is not known.
        Q::Up(_) | Q::Missing(_) | Q::DeadEndpoints(_) | Q::Ghosts(_) | Q::Requests(_) => {
            return None;
        }
        _ => Stage::Evicted,
    };
    let is_its = |x: &&Coming| match (x.pod, &c.quantity) {
        (Some(pod), _) => run.is_pod_of(c.workloads.as_ref(), pod),
        (None, Q::NotReadyNodes(zone)) => zone == "*" || run.analysis.zone_name(x.node) == zone,
        _ => false,
    };
    let brings = come.iter().filter(|x| x.brings.contains(&stage));
    let its: Vec<&Coming> = brings.filter(is_its).collect();
    // It is not known by how much a span grows.
    let n = if c.quantity.is_span() { u64::MAX } else { its.len() as u64 };
    let now = value_at(&run.values(c), run.analysis.horizon());
    let least = if stage == Stage::Unready { now.saturating_sub(n) } else { now };
    let most = if matches!(c.quantity, Q::Available(_)) { now } else { now.saturating_add(n) };
    let holds = |n: &u64| c.relation.holds(*n, c.limit);
    let all = [least, most, c.limit.clamp(least, most)];
    its.first().copied().filter(|_| all.iter().any(|n| holds(n) != holds(&now)))
}
