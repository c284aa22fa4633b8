//! What a run leaves undecided when it ends: an eviction that is due, or a node whose loss nobody has noticed. That
//! something did not come says nothing then.

use super::super::evictions::evictions;
use super::super::properties::Property;
use super::claims;
use super::objects::{Meant, is_taint};
use super::prelude::*;
use super::verdict::Empty;
use crate::api::taint::UNREACHABLE;
use crate::language::Quantity;

/// What is to come when a run ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coming {
    /// The pod that is to be evicted; none is of the node itself.
    pod: Option<PodId>,
    /// Where it is.
    node: NodeId,
    /// When its eviction timer runs out; none where the node is lost and not Unknown yet.
    due: Option<Time>,
}

impl Coming {
    /// All that is to come after the end of a run.
    pub(super) fn after(analysis: &Analysis<'_>) -> Vec<Self> {
        let mut follow = Follow::new(analysis);
        while follow.step().is_some() {}
        let horizon = analysis.horizon();
        // A timer that ran out and is still held has done what it could.
        let timer = |pod: &PodState| {
            let record = analysis.trace.get(follow.timer(pod)?)?;
            let What::TimerSet(seconds) = record.what else { return None };
            let due = record.at.saturating_add(Dur::from_secs(seconds.into()));
            Some(due).filter(|due| *due > horizon)
        };
        let is_unnoticed = |node: &NodeFlags| {
            node.exists && node.silent && node.ready == Some(ConditionStatus::True)
        };
        let unreachable = Taint::new(UNREACHABLE, Effect::NoExecute);
        let operators = analysis.plan.profile.taint_eviction.comparison_operators;
        let stays = |id: PodId| {
            let own = follow.tolerations(id).iter().find(|t| t.tolerates(&unreachable, operators));
            own.is_some_and(|own| own.toleration_seconds.is_none())
        };
        let of_pod = |(id, pod): (PodId, &PodState)| {
            let node = pod.node_id()?;
            let due = timer(pod);
            let is_lost = || is_unnoticed(&follow.node(node)) && pod.is_active() && !stays(id);
            (due.is_some() || is_lost()).then_some(Coming { pod: Some(id), node, due })
        };
        let lost = follow.nodes().filter(|(_, flags)| is_unnoticed(flags));
        let of_nodes = lost.map(|(node, _)| Coming { pod: None, node, due: None });
        follow.pods().filter_map(of_pod).chain(of_nodes).collect()
    }

    /// In words.
    fn said(&self, run: &Run<'_>) -> String {
        match self.pod.zip(self.due) {
            Some((pod, due)) => {
                format!("the eviction of {} is due at {}", run.analysis.pod_name(pod), time(due))
            }
            None => {
                format!("{} is lost, and not Unknown yet", run.analysis.node_name(self.node))
            }
        }
    }
}

/// Why it says nothing that this was met, where what would break it comes after the end.
pub(super) fn why(run: &Run<'_>, come: &[Coming], what: &Expected) -> Option<Empty> {
    let horizon = run.analysis.horizon();
    let first = match what {
        Expected::Seen(sought) if sought.count.most == 0 && sought.times.during.1 >= horizon => {
            of_records(run, come, sought)
        }
        Expected::Figure { comparison, during, .. } if during.1 >= horizon => {
            of_claim(run, come, &Claim::Compare(comparison.clone()))
        }
        Expected::Throughout { claim, stretch, .. } if stretch.1 >= horizon => {
            of_claim(run, come, claim)
        }
        Expected::Property { property, stretch, wanted: false } if stretch.1 >= horizon => {
            // These are about evictions, of which there was none.
            let is_of_evictions = matches!(
                property,
                Property::PodStuck(_)
                    | Property::NeedlessEviction
                    | Property::WrongPod
                    | Property::EvictLoop(_)
            );
            let mut pods = come.iter().filter(|c| is_of_evictions && c.pod.is_some());
            pods.next().filter(|_| evictions(run.analysis).is_empty())
        }
        _ => None,
    }?;
    let why = format!("the run ends before it is decided: {}", first.said(run));
    Some(Empty { why, help: "make `horizon` longer" })
}

/// The first that is to come of the records that are looked for.
fn of_records<'r>(run: &Run<'_>, come: &'r [Coming], sought: &Sought) -> Option<&'r Coming> {
    let is_one = |c: &Coming| match &sought.what {
        Kind::Evicted { by: None | Some(EvictionCause::Taint) } | Kind::Deleted { by: None } => {
            c.pod.is_some()
        }
        Kind::Deleted { by: Some(by) } => c.pod.is_some() && *by == Actor::TaintEviction.as_str(),
        Kind::TimerSet => c.pod.is_some() && c.due.is_none(),
        Kind::Tainted(t) => {
            let taint = |effect| is_taint(t, &Taint::new(UNREACHABLE, effect));
            c.pod.is_none() && (taint(Effect::NoExecute) || taint(Effect::NoSchedule))
        }
        Kind::Condition(NodeConditionType::Ready, ConditionStatus::Unknown) => c.pod.is_none(),
        _ => false,
    };
    let meant = Meant::by(run, sought).ok()?;
    come.iter().find(|c| {
        is_one(c) && c.pod.is_none_or(|pod| meant.is_pod(pod)) && meant.is_on(Some(c.node))
    })
}

/// The first that is to come of evictions, where a claim is about these alone, there was none, and it decides on the
/// claim how many there are.
fn of_claim<'r>(run: &Run<'_>, come: &'r [Coming], claim: &Claim) -> Option<&'r Coming> {
    let mut first = None;
    for c in claims::comparisons(claim) {
        let is_none = || run.values(c).iter().all(|v| v.1 == 0);
        if !matches!(c.quantity, Quantity::Evicted(_)) || !is_none() {
            return None;
        }
        let is_its = |pod| run.is_pod_of(c.workloads.as_ref(), pod);
        let its: Vec<&Coming> =
            come.iter().filter(|coming| coming.pod.is_some_and(is_its)).collect();
        let holds = |n: u64| c.relation.holds(n, c.limit);
        if (1..=its.len() as u64).any(|n| holds(n) != holds(0)) {
            first = first.or(its.first().copied());
        }
    }
    first
}
