//! What charts draw in lanes: health, taints and evictions over time, of each node or of each zone
//! as a whole.
//!
//! The order of lanes: by zone, and in a zone by name as people count, `n-9` before `n-10`.
//!
//! From when on something happens in a run, and from when on nothing does any more.

use super::drains::{Drain, drains};
use super::prelude::*;
use super::workloads::workloads;

/// The taints of a node at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tainted {
    /// It has a NoSchedule taint.
    pub(crate) no_schedule: bool,
    /// It has a NoExecute taint.
    pub(crate) no_execute: bool,
}

/// What the volumes of a node say at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Volumes {
    /// It holds some, and is not Ready.
    pub(crate) held: bool,
    /// Pods of it wait for some.
    pub(crate) awaited: bool,
}

/// A node over time. Each list says from when on something holds; times rise, the first is zero.
#[derive(Clone, Debug, Default)]
pub struct NodeLane {
    /// Whose lane it is.
    pub(crate) node: NodeId,
    pub(crate) health: Vec<(Time, Health)>,
    pub(crate) taints: Vec<(Time, Tainted)>,
    pub(crate) volumes: Vec<(Time, Volumes)>,
    /// How many of its pods were evicted at which instant.
    pub(crate) evictions: Vec<(Time, u32)>,
    /// How many of its pods were preempted at which instant.
    pub(crate) preemptions: Vec<(Time, u32)>,
    /// How many of its pods ended at which instant, as it was told to go off.
    pub(crate) shut_down: Vec<(Time, u32)>,
    /// How many pods its kubelet did not admit at which instant.
    pub(crate) turned_away: Vec<(Time, u32)>,
    pub(crate) drains: Vec<Drain>,
    /// How many pods that replace evicted ones became ready on it at which instant.
    pub(crate) replacements: Vec<(Time, u32)>,
    /// How many eviction timers run of its pods.
    pub(crate) timers: Vec<(Time, u32)>,
}

/// A zone over time.
#[derive(Clone, Debug, Default)]
pub struct ZoneLane {
    /// Its name; empty for nodes without zone labels.
    pub(crate) zone: String,
    /// How many nodes it has at most.
    pub(crate) nodes: u32,
    /// How many nodes are in which health, in the order of `Health::ALL`.
    pub(crate) health: Vec<(Time, [u32; Health::ALL.len()])>,
    /// How many nodes have a NoExecute taint.
    pub(crate) tainted: Vec<(Time, u32)>,
    /// How many pods were evicted at which instant.
    pub(crate) evictions: Vec<(Time, u32)>,
    /// How many pods were preempted in all.
    pub(crate) preempted: u32,
    /// How many pods ended in all, as their nodes were told to go off.
    pub(crate) shut_down: u32,
    /// How many pods its kubelets did not admit in all.
    pub(crate) turned_away: u32,
    /// How many of its nodes were drained in all, or tried to.
    pub(crate) drains: u32,
}

/// All lanes of a run.
#[derive(Clone, Debug)]
pub enum Lanes {
    /// One per node that exists at some time, by zone and name.
    Nodes(Vec<NodeLane>),
    /// One per zone, by name.
    Zones(Vec<ZoneLane>),
}

/// The lanes of a run: of nodes if there are no more than `most_nodes`, otherwise of zones.
pub fn lanes(analysis: &Analysis<'_>, most_nodes: usize) -> Lanes {
    if analysis.plan.nodes.len() <= most_nodes {
        Lanes::Nodes(node_lanes(analysis))
    } else {
        Lanes::Zones(zone_lanes(analysis))
    }
}

fn count(steps: &mut Vec<(Time, u32)>, at: Time) {
    match steps.last_mut() {
        Some(last) if last.0 == at => last.1 += 1,
        _ => steps.push((at, 1)),
    }
}

fn tainted(n: NodeFlags) -> Tainted {
    Tainted { no_schedule: n.exists && n.no_schedule > 0, no_execute: n.exists && n.no_execute > 0 }
}

fn volumes(n: NodeFlags) -> Volumes {
    Volumes { held: n.holds_volumes(), awaited: n.unattached > 0 }
}

fn node_lanes(analysis: &Analysis<'_>) -> Vec<NodeLane> {
    let mut follow = Follow::new(analysis);
    let lane = |(node, n): (NodeId, NodeFlags)| NodeLane {
        node,
        health: vec![(Time::ZERO, n.health())],
        taints: vec![(Time::ZERO, tainted(n))],
        volumes: vec![(Time::ZERO, volumes(n))],
        timers: vec![(Time::ZERO, 0)],
        ..NodeLane::default()
    };
    let mut lanes: Vec<NodeLane> = follow.nodes().map(lane).collect();
    let mut running: Vec<BTreeSet<PodId>> = vec![BTreeSet::new(); lanes.len()];
    while let Some((id, r, step)) = follow.step() {
        if r.what == What::ControllersStopped {
            for (lane, pods) in lanes.iter_mut().zip(&mut running) {
                pods.clear();
                set(&mut lane.timers, r.at, 0);
            }
        }
        if let Some((pod, before, after)) = step.pod
            && let Some(node) = before.node_id().or(after.node_id())
        {
            let (lane, pods) = (&mut lanes[node.index()], &mut running[node.index()]);
            match follow.timer(&after) {
                Some(_) => pods.insert(pod),
                None => pods.remove(&pod),
            };
            set(&mut lane.timers, r.at, pods.len() as u32);
        }
        if let Some((n, _, after)) = step.changed_node() {
            let lane = &mut lanes[n.index()];
            set(&mut lane.health, r.at, after.health());
            set(&mut lane.taints, r.at, tainted(after));
            set(&mut lane.volumes, r.at, volumes(after));
        }
        let mut lost = |pod: Option<(PodId, PodState)>, of: fn(&mut NodeLane) -> &mut Steps| {
            if let Some(lane) = pod.and_then(|(_, pod)| lanes.get_mut(pod.node_id()?.index())) {
                count(of(lane), r.at);
            }
        };
        lost(step.eviction(r), |lane| &mut lane.evictions);
        lost(step.preemption(r), |lane| &mut lane.preemptions);
        lost(step.shut_down(analysis, id, r), |lane| &mut lane.shut_down);
        lost(follow.turned_away(r), |lane| &mut lane.turned_away);
    }
    drains(analysis).into_iter().for_each(|drain| lanes[drain.node.index()].drains.push(drain));
    let replaced = workloads(analysis).replacements.into_values();
    let mut replaced: Vec<(Time, NodeId)> =
        replaced.filter_map(|r| Some((r.ready_at?, r.node?))).collect();
    replaced.sort_unstable();
    replaced.into_iter().for_each(|(at, node)| count(&mut lanes[node.index()].replacements, at));
    let mut by_id: Vec<Option<NodeLane>> = lanes.into_iter().map(Some).collect();
    let planned = (0..analysis.plan.nodes.len() as u32).map(NodeId);
    let nodes = by_zone_and_name(analysis, planned.collect()).into_iter();
    let exists = |lane: &NodeLane| lane.health.iter().any(|h| h.1 != Health::Absent);
    nodes.filter_map(|node| by_id[node.index()].take()).filter(exists).collect()
}

fn zone_lanes(analysis: &Analysis<'_>) -> Vec<ZoneLane> {
    let mut follow = Follow::new(analysis);
    let lane = |z: usize| ZoneLane {
        zone: analysis.zones.get(z).cloned().unwrap_or_default(),
        health: vec![(Time::ZERO, [0; Health::ALL.len()])],
        tainted: vec![(Time::ZERO, 0)],
        ..ZoneLane::default()
    };
    let mut lanes: Vec<ZoneLane> = (0..analysis.zones.len().max(1)).map(lane).collect();
    let zone = |node: NodeId| usize::from(analysis.zone_of[node.index()]);
    let zone_of = |(_, pod): (PodId, PodState)| pod.node_id().map_or(0, zone);
    for (node, n) in follow.nodes() {
        let lane = &mut lanes[zone(node)];
        lane.nodes += 1;
        lane.health[0].1[n.health().index()] += 1;
        lane.tainted[0].1 += u32::from(tainted(n).no_execute);
    }
    while let Some((id, r, step)) = follow.step() {
        if let Some((n, before, after)) = step.node
            && before != after
        {
            let lane = &mut lanes[zone(n)];
            let mut health = lane.health[lane.health.len() - 1].1;
            health[before.health().index()] -= 1;
            health[after.health().index()] += 1;
            set(&mut lane.health, r.at, health);
            let [was, is] = [before, after].map(|n| u32::from(tainted(n).no_execute));
            let with_taint = lane.tainted[lane.tainted.len() - 1].1 + is - was;
            set(&mut lane.tainted, r.at, with_taint);
        }
        step.eviction(r).into_iter().for_each(|e| count(&mut lanes[zone_of(e)].evictions, r.at));
        step.preemption(r).into_iter().for_each(|p| lanes[zone_of(p)].preempted += 1);
        let ended = step.shut_down(analysis, id, r);
        ended.into_iter().for_each(|pod| lanes[zone_of(pod)].shut_down += 1);
        follow.turned_away(r).into_iter().for_each(|p| lanes[zone_of(p)].turned_away += 1);
    }
    drains(analysis).iter().for_each(|drain| lanes[zone(drain.node)].drains += 1);
    lanes
}

/// The nodes that exist at some time, in the order of their lanes.
pub(crate) fn by_zone_and_name(analysis: &Analysis<'_>, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let name = |n: NodeId| as_people_count(analysis.node_name(n));
    nodes.sort_by_cached_key(|&n| (analysis.zone_of[n.index()], name(n)));
    nodes
}

/// From when on nothing happens any more: a tenth after the last record, on a whole minute, or the
/// end of the run. Charts and pages show a run up to there first.
pub(crate) fn quiet_from(analysis: &Analysis<'_>) -> Time {
    let horizon = analysis.horizon();
    let last = analysis.trace.iter().last().map_or(horizon, |r| r.at);
    after(last).min(horizon)
}

/// From when on something happens: a tenth of the time from there on before the first entry of the
/// timeline or the first record that charts show, on a whole minute, or the start of the run where
/// that would save less than an eighth of the time until `quiet`.
pub(crate) fn busy_from(analysis: &Analysis<'_>, quiet: Time) -> Time {
    let shown = |r: &&Record| {
        r.at > Time::ZERO
            && !matches!(r.what, What::Zone(_) | What::Noted(..) | What::ControllersStarted)
    };
    let entries = analysis.plan.timeline.iter().map(|e| e.at);
    let first = analysis.trace.iter().find(shown).map(|r| r.at);
    before(entries.chain(first).min().unwrap_or_default(), quiet)
}

/// A tenth before a time, on a whole minute.
fn before(first: Time, quiet: Time) -> Time {
    let margin = quiet.since(first.min(quiet)).as_nanos() / 10;
    let from = Time::from_nanos(first.as_nanos().saturating_sub(margin.max(1)));
    let from = Time::from_secs(from.as_secs() / 60 * 60);
    if from.as_nanos() < quiet.as_nanos() / 8 { Time::ZERO } else { from }
}

/// A tenth after a time, on a whole minute.
fn after(last: Time) -> Time {
    let last = last.saturating_add(Dur::from_nanos(last.as_nanos() / 10));
    let minutes = last.as_secs().div_ceil(60).max(1);
    Time::from_secs(minutes * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fault at 10 of 20 minutes: a minute before it. One at 1 of 9 minutes is not worth a cut.
    #[test]
    fn it_begins_a_tenth_before_the_first_event() {
        let minutes = |m: u64| Time::from_secs(m * 60);
        assert_eq!(before(minutes(10), minutes(20)), minutes(9));
        assert_eq!(before(minutes(1), minutes(9)), Time::ZERO);
        assert_eq!(before(Time::ZERO, minutes(9)), Time::ZERO);
        assert_eq!(before(minutes(30), minutes(20)), minutes(29));
    }

    /// 1,000 s and a tenth are 1,100 s, which is 18.3 minutes: 19. Nothing at all is a minute.
    #[test]
    fn it_is_a_whole_minute_after_the_last_record() {
        assert_eq!(after(Time::from_secs(1_000)), Time::from_secs(19 * 60));
        assert_eq!(after(Time::ZERO), Time::from_secs(60));
    }
}
