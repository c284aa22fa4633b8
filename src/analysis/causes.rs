//! The moments of the timeline that led to what happened, for each record and for each node, and
//! walks along the causes of records.

use super::beneath::*;

/// The entry of the timeline that something is counted from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Since {
    /// When that entry began, or ended.
    pub(crate) at: Time,
    /// Index into [`Plan::timeline`](crate::plan::Plan::timeline).
    pub(crate) entry: u32,
    /// Whether its end is meant, not its beginning.
    pub(crate) ended: bool,
}

/// Stands for "no mark".
pub(super) const NONE: u32 = u32::MAX;

/// A moment of the timeline that things are counted from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) since: Since,
    pub(super) kind: Kind,
    /// When what began is over, as far as the plan says.
    pub(super) until: Time,
    /// What led to it itself, or [`NONE`].
    pub(super) parent: u32,
}

/// What a moment of the timeline means for nodes and pods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A fault begins that may make nodes silent, or not Ready.
    Harm,
    /// A fault begins that leaves both alone: another condition.
    Strain,
    /// A harm ends, or nodes are back.
    Relief,
    /// Nodes or pods are changed by a user.
    Action,
    /// Something else ends; or it is no cause of its own, as a restart of the controllers or a lag of
    /// watches: what follows was under way before.
    Other,
}

impl Kind {
    /// A fault begins.
    pub(super) fn is_fault(self) -> bool {
        matches!(self, Self::Harm | Self::Strain)
    }

    /// Nodes may become Ready by it, or cease to be.
    pub(super) fn moves_ready(self) -> bool {
        matches!(self, Self::Harm | Self::Relief)
    }
}

/// For each record the moment of the timeline that led to it, and for each node the moments that
/// hit it.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    pub(super) marks: Vec<Mark>,
    /// Per record an index into `marks`, or [`NONE`].
    pub(super) of_record: Vec<u32>,
    /// Per node the marks of faults and recoveries that hit it, in time order.
    pub(super) of_node: Vec<Vec<u32>>,
    /// The same of outages of the API servers, which hit all nodes.
    pub(super) of_all: Vec<u32>,
    /// Per node the records with which its machine went off.
    pub(super) off: Vec<Vec<RecordId>>,
}

impl Marks {
    /// Whether the machine of a node went off between two records.
    pub(super) fn went_off(&self, node: NodeId, from: RecordId, until: RecordId) -> bool {
        let Some(off) = self.off.get(node.index()) else { return false };
        let next = off.partition_point(|id| *id <= from);
        off.get(next).is_some_and(|id| *id < until)
    }

    /// The mark that led to a record.
    pub(super) fn own(&self, id: RecordId) -> Option<&Mark> {
        self.get(*self.of_record.get(id as usize)?)
    }

    /// A mark by its place; none for [`NONE`].
    pub(super) fn get(&self, mark: u32) -> Option<&Mark> {
        self.marks.get(mark as usize)
    }

    /// Takes in another mark; its place.
    pub(super) fn push(&mut self, mark: Mark) -> u32 {
        self.marks.push(mark);
        self.marks.len() as u32 - 1
    }

    /// The later of two; the first where they are of one time.
    pub(super) fn later(&self, a: u32, b: u32) -> u32 {
        let at = |m: u32| self.get(m).map(|m| m.since.at);
        if at(b) > at(a) { b } else { a }
    }

    /// The latest mark of some kinds up to a time that hit one of these nodes, or all.
    pub(super) fn hit(&self, nodes: &[NodeId], until: Time, is_one: fn(Kind) -> bool) -> u32 {
        let of_nodes = nodes.iter().map(|n| self.hit_itself(*n, until, is_one));
        self.or_all(of_nodes.fold(NONE, |one, other| self.later(one, other)), until, is_one)
    }

    /// The latest mark of some kinds up to a time that hit a node by itself.
    pub(super) fn hit_itself(&self, node: NodeId, until: Time, is_one: fn(Kind) -> bool) -> u32 {
        self.of_node.get(node.index()).map_or(NONE, |marks| self.latest(marks, until, is_one))
    }

    /// A mark of some nodes, or else the latest one that hit all nodes up to that time. Among faults
    /// an outage of the API servers that is over gives way to one of the nodes that lasts.
    pub(super) fn or_all(&self, own: u32, until: Time, is_one: fn(Kind) -> bool) -> u32 {
        let all = self.latest(&self.of_all, until, is_one);
        let lasts = |m: u32| self.get(m).is_some_and(|m| m.until > until);
        let of_faults = !is_one(Kind::Relief);
        if of_faults && lasts(own) && !lasts(all) { own } else { self.later(own, all) }
    }

    fn latest(&self, marks: &[u32], until: Time, is_one: fn(Kind) -> bool) -> u32 {
        let due = marks.partition_point(|&m| self.marks[m as usize].since.at <= until);
        let counts = |m: &u32| is_one(self.marks[*m as usize].kind);
        marks[..due].iter().rev().copied().find(counts).unwrap_or(NONE)
    }
}

/// A record with its number.
pub(crate) type Told<'a> = (RecordId, &'a Record);

/// A record and those that led to it, latest first.
///
/// A cause always comes before its effect in a trace; a link that does not is left out, so
/// that the walk ends.
pub(crate) fn chain(trace: &Trace, id: RecordId) -> impl Iterator<Item = Told<'_>> {
    std::iter::successors(trace.get(id).map(|r| (id, r)), move |&(id, r)| {
        if r.cause < id { trace.get(r.cause).map(|c| (r.cause, c)) } else { None }
    })
}

/// The same of one life of a pod: without what led to its creation and its place, which is about the
/// pods before and other nodes.
pub(crate) fn within_life(trace: &Trace, id: RecordId) -> impl Iterator<Item = Told<'_>> {
    chain(trace, id).take_while(|(_, r)| !matches!(r.what, What::PodCreated(_) | What::PodBound(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::state::Follow;
    use crate::analysis::tests::synthetic::{Run, ms};
    use crate::api::pod::PodPhase;
    use crate::kernel::Dur;
    use crate::plan::{Connections, Do, NodeFault, Resource, WatchCache};
    use crate::trace::{Actor, NO_RECORD, ZoneState};

    /// A zone's states are counted from what hit its nodes, or from an outage of the API servers
    /// while that lasts: not from a lag of watches, and not from an outage that is over.
    #[test]
    fn zones_are_reckoned_from_what_hit_their_nodes() {
        let mut run = Run::new("zones", ms(2_000_000));
        let [a, b1, b2] = [("a", "a"), ("b1", "b"), ("b2", "b")].map(|(n, z)| run.node(n, z));
        let lag = |lag| Do::WatchLag(Resource::Nodes, Dur::from_secs(lag));
        let cut = || NodeFault::Cut(Connections::Dropped);
        let off = Do::Fail(vec![a], NodeFault::Off);
        run.entry("a off", ms(30_000), None, off, None);
        run.entry("lag", ms(60_000), Some(ms(90_000)), lag(10), Some(lag(0)));
        let (begin, end) = (Do::Fail(vec![b1, b2], cut()), Do::Recover(vec![b1, b2], cut()));
        run.entry("cut b", ms(600_000), Some(ms(900_000)), begin, Some(end));
        for (name, from, to) in [("api", 630_000, 635_000), ("api again", 1_000_000, 1_060_000)] {
            run.entry(name, ms(from), Some(ms(to)), Do::ApiDown, Some(Do::ApiUp(WatchCache::Lost)));
            run.plan.timeline.last_mut().unwrap().is_fault = true;
        }
        let zone = run.text(":\0:b");
        for (at, what, object) in [
            (1, What::Zone(ZoneState::Normal), zone),
            (646_265, What::Zone(ZoneState::FullDisruption), zone),
            (647_000, What::MasterDisruptionEntered, 0),
            (901_000, What::MasterDisruptionLeft, 0),
            (901_529, What::Zone(ZoneState::Normal), zone),
            (1_040_000, What::Zone(ZoneState::PartialDisruption), zone),
        ] {
            run.lifecycle(ms(at), NO_RECORD, what, object);
        }
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let of_zones = (0..).zip(trace.iter()).filter(|(_, r)| {
            let master =
                matches!(r.what, What::MasterDisruptionEntered | What::MasterDisruptionLeft);
            master || matches!(r.what, What::Zone(_))
        });
        let told: Vec<Option<Since>> =
            of_zones.map(|(id, _)| analysis.since_of(id, None)).collect();
        let since = |at, entry, ended| Some(Since { at: ms(at), entry, ended });
        let (cut, healed) = (since(600_000, 2, false), since(900_000, 2, true));
        assert_eq!(told, [None, cut, cut, healed, healed, since(1_000_000, 4, false)]);
    }

    /// Of two drains at one instant the second begins a nanosecond later (`sim::cluster`); what it does is counted from
    /// the instant that both were planned for.
    #[test]
    fn what_begins_a_nanosecond_late_is_counted_from_when_it_was_planned() {
        let mut run = Run::new("drains", ms(120_000));
        let nodes = ["a", "b"].map(|name| run.node(name, "z"));
        for (node, name) in nodes.into_iter().zip(["first", "second"]) {
            run.entry(name, ms(60_000), None, Do::Cordon(vec![node], true), None);
        }
        let late = ms(60_000) + Dur::from_nanos(1);
        let began = run.record(late, NO_RECORD, Actor::User, What::FaultBegan, 1);
        let cordoned =
            run.record(ms(60_007), began, Actor::User, What::NodeUnschedulable(true), nodes[1]);
        let (plan, trace) = run.finish();
        let since = Analysis::new(&plan, &trace).since_of(cordoned, None);
        assert_eq!(since, Some(Since { at: ms(60_000), entry: 1, ended: false }));
    }

    /// Of three pods one after the other, each made as the one before has ended, the first ends with node a, which is told
    /// to go off at 60 s and is off at 63 s. The second ends on b, which is well; the third on a, which has booted again.
    #[test]
    fn only_pods_of_the_node_itself_end_with_it_and_only_before_it_is_off() {
        let mut run = Run::new("off", ms(600_000));
        let [a, b] = ["a", "b"].map(|name| run.node(name, "z"));
        let first = run.pod("default/first", a);
        let (job, _) = run.workload("Job/default/sum", "Job/default/sum");
        let [second, third] =
            ["default/second", "default/third"].map(|name| run.replica(name, job));
        let off = Do::Fail(vec![a], NodeFault::Shutdown(None));
        let (began, _) = run.entry("down", ms(60_000), None, off, None);
        let succeeded = What::PodPhase(PodPhase::Succeeded);
        let mut ended = run.record(ms(63_000), began, Actor::Kubelet, succeeded, first);
        run.record(ms(63_000), began, Actor::User, What::MachineOff, a);
        run.record(ms(200_000), NO_RECORD, Actor::User, What::MachineOn, a);
        for (at, pod, node) in [(64_000, second, b), (300_000, third, a)] {
            let made = What::pod_created(Some(NodeId(node)));
            let made = run.record(ms(at), ended, Actor::Job, made, pod);
            let runs = What::PodPhase(PodPhase::Running);
            let runs = run.record(ms(at + 2_000), made, Actor::Kubelet, runs, pod);
            ended = run.record(ms(at + 60_000), runs, Actor::Kubelet, succeeded, pod);
        }
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let mut follow = Follow::new(&analysis);
        let mut found = Vec::new();
        while let Some((id, r, step)) = follow.step() {
            found.extend(step.shut_down(&analysis, id, r).map(|(pod, _)| (pod.0, r.at)));
        }
        assert_eq!(found, [(first, ms(63_000))]);
    }
}
