//! Finds for each record of a run the moment of the timeline that led to it.

use super::beneath::*;
use super::causes::{Kind, Mark, Marks, NONE, Since};
use super::objects::is_failure_key;

/// The marks of a run.
pub(super) fn marks(plan: &Plan, trace: &Trace) -> Marks {
    let node_count = trace.names.nodes();
    let mut zones: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    let beta = plan.profile.node_lifecycle.beta_zone_labels;
    for (i, node) in (0..).zip(&plan.nodes) {
        zones.entry(zone_key(&node.labels, beta)).or_default().push(NodeId(i));
    }
    let mut finder = Finder {
        plan,
        trace,
        marks: Marks {
            of_node: vec![Vec::new(); node_count],
            off: vec![Vec::new(); node_count],
            ..Marks::default()
        },
        by_moment: BTreeMap::new(),
        zones,
        zone_states: BTreeMap::new(),
        nodes: vec![NEW; node_count],
        bound: BTreeMap::new(),
        detached: BTreeMap::new(),
    };
    finder.read_plan();
    finder.marks.of_record.reserve(trace.len());
    for (id, r) in trace.iter().enumerate() {
        let mark = finder.mark_of(id, r);
        finder.marks.of_record.push(mark);
        finder.takes(r, mark);
        match r.what {
            What::MachineOff => {
                let off = finder.marks.off.get_mut(r.object as usize);
                off.into_iter().for_each(|off| off.push(id as RecordId));
            }
            What::PodBound(_) => _ = finder.bound.insert(r.object, (id as RecordId, mark)),
            What::Noted(Note::AttachmentGone, claim) => {
                let hit = finder.marks.hit(r.node().as_slice(), r.at, |_| true);
                finder.detached.insert(claim, if mark == NONE { hit } else { mark });
            }
            _ => {}
        }
    }
    finder.marks
}

/// Finds the marks of a run.
struct Finder<'a> {
    plan: &'a Plan,
    trace: &'a Trace,
    marks: Marks,
    /// Which mark stands for which moment of the timeline.
    by_moment: BTreeMap<Since, u32>,
    /// The nodes of each zone, by its key.
    zones: BTreeMap<String, Vec<NodeId>>,
    /// How bad each zone's latest state is, by the text of its key.
    zone_states: BTreeMap<u32, u8>,
    /// By the id of the node.
    nodes: Vec<State>,
    /// The record with which each pod came to its node, and its mark, by the id of the pod.
    bound: BTreeMap<u32, (RecordId, u32)>,
    /// The mark by which each volume was detached last, by the text of its claim's name.
    detached: BTreeMap<u32, u32>,
}

/// The marks of what holds of a node.
#[derive(Clone)]
struct State {
    /// That of the fault it fell silent by, while it is silent.
    silent: Option<u32>,
    /// That of its creation.
    made: u32,
    /// That of the status of its Ready condition.
    ready: u32,
    /// That of its NoExecute taints.
    tainted: u32,
}

/// A node of which nothing is told yet.
const NEW: State = State { silent: None, made: NONE, ready: NONE, tainted: NONE };

impl Finder<'_> {
    /// Takes in the moments of the plan.
    fn read_plan(&mut self) {
        for a in &self.plan.actions {
            // What a partition means to clients happens together with what it means to kubelets, and
            // is no moment of its own.
            if let Do::Fail(_, NodeFault::Isolated) | Do::Recover(_, NodeFault::Isolated) = a.act {
                continue;
            }
            let Some(entry) = self.plan.timeline.get(a.entry as usize) else { continue };
            let since = Since { at: a.at, entry: a.entry, ended: a.phase == Phase::End };
            let is_back = matches!(a.act, Do::Recover(..) | Do::ApiUp(_));
            let recovers = since.ended || is_back;
            let kind = match a.act.nodes() {
                _ if recovers && (entry.is_fault || is_back) && !leaves_ready(&a.act) => {
                    Kind::Relief
                }
                _ if recovers => Kind::Other,
                _ if entry.is_fault && leaves_ready(&a.act) => Kind::Strain,
                _ if entry.is_fault => Kind::Harm,
                Some(_) => Kind::Action,
                None => Kind::Other,
            };
            let mark = self.mark_at(since, kind);
            let Marks { of_node, of_all, .. } = &mut self.marks;
            match a.act.nodes() {
                // A lag or a refusal of requests takes no node away, and its end brings none back.
                None if entry.is_fault => of_all.push(mark),
                Some(nodes) if entry.is_fault || recovers => {
                    nodes.iter().for_each(|n| of_node[*n as usize].push(mark));
                }
                _ => {}
            }
        }
    }

    /// The mark of a moment of the timeline; a new one if there is none yet.
    fn mark_at(&mut self, since: Since, kind: Kind) -> u32 {
        let ends = self.plan.timeline.get(since.entry as usize).and_then(|entry| entry.ends);
        let until = if since.ended { since.at } else { ends.unwrap_or(Time::MAX) };
        let new = || self.marks.push(Mark { since, kind, until, parent: NONE });
        *self.by_moment.entry(since).or_insert_with(new)
    }

    /// The mark that led to a record, given the marks of all records before it.
    fn mark_of(&mut self, id: usize, r: &Record) -> u32 {
        let inherited =
            if (r.cause as usize) < id { self.marks.of_record[r.cause as usize] } else { NONE };
        match r.what {
            What::FaultBegan | What::FaultEnded => self.of_entry(r, inherited),
            // A maintenance comes to each node at its own time.
            What::MachineOff | What::MachineOn if self.is_of_maintenance(inherited) => {
                self.of_maintenance(r, inherited)
            }
            What::NodeCondition(kind, status, _) => self.of_condition(r, (kind, status), inherited),
            What::Zone(state) => self.of_zone(r, state, inherited),
            What::MasterDisruptionEntered | What::MasterDisruptionLeft => {
                let all: Vec<NodeId> = self.zones.values().flatten().copied().collect();
                let entered = r.what == What::MasterDisruptionEntered;
                self.marks.later(inherited, self.of_readiness(&all, r.at, entered))
            }
            // A volume that was elsewhere comes as it is free, and its attachment has no other cause.
            What::Noted(Note::AttachmentCreated, claim) if inherited == NONE => {
                self.detached.get(&claim).copied().unwrap_or(NONE)
            }
            _ => self.of_version(r).map_or(inherited, |node| self.by_state(r, node, inherited)),
        }
    }

    /// The node whose version was read and led to a record. That version explains it only as far as
    /// it tells of it: it has been written by whoever wrote last, for whatever reason.
    fn of_version(&self, r: &Record) -> Option<&State> {
        let by = matches!(r.actor, Actor::NodeLifecycle | Actor::TaintEviction | Actor::Kubelet);
        let read = self.trace.get(r.cause).filter(|_| by)?;
        let told = match read.what {
            What::NodeCondition(NodeConditionType::Ready, ..) => r.actor == Actor::NodeLifecycle,
            What::NodeTaints(_) => r.actor == Actor::TaintEviction && self.changes_no_execute(read),
            What::NodeCondition(..) | What::NodeUnschedulable(_) | What::Noted(..) => false,
            _ => true,
        };
        self.nodes.get(read.node().filter(|_| !told)?.index())
    }

    /// The mark of what a controller does about a node, by what it goes by.
    fn by_state(&self, r: &Record, node: &State, inherited: u32) -> u32 {
        let of_failure =
            |c: &TaintChange| c.added.iter().chain(&c.removed).all(|t| is_failure_key(&t.key));
        match r.actor {
            Actor::NodeLifecycle if self.trace.taint_change(r).is_none_or(of_failure) => node.ready,
            Actor::TaintEviction => node.tainted,
            // What its node was through before a pod came there did not bring it there.
            Actor::Kubelet => match r.pod().and_then(|pod| self.bound.get(&pod.0)) {
                Some((id, mark)) if *id > r.cause && *mark != NONE => *mark,
                _ => self.not_by_hand(inherited),
            },
            _ => inherited,
        }
    }

    /// A mark, unless it is that of a user's change.
    fn not_by_hand(&self, mark: u32) -> u32 {
        if self.marks.get(mark).is_some_and(|m| m.kind == Kind::Action) { NONE } else { mark }
    }

    /// The mark of a condition's new status. A controller finds that a node is silent, whoever wrote
    /// its object since; a kubelet posts what happened to its node.
    fn of_condition(
        &self,
        r: &Record,
        (kind, status): (NodeConditionType, ConditionStatus),
        inherited: u32,
    ) -> u32 {
        let of_ready = kind == NodeConditionType::Ready;
        let by_lifecycle = r.actor == Actor::NodeLifecycle;
        if status == ConditionStatus::Unknown && (of_ready || by_lifecycle) {
            return self.of_readiness(r.node().as_slice(), r.at, true);
        }
        let read = self.of_version(r);
        if of_ready {
            let made = read.map_or(inherited, |node| node.made);
            self.marks.later(made, self.of_readiness(r.node().as_slice(), r.at, false))
        } else {
            read.map_or(inherited, |_| self.not_by_hand(inherited))
        }
    }

    /// The latest mark by which nodes are Ready or not; with `worse` the latest fault: that by which
    /// it fell silent of a node that is, not another one that hit it since.
    fn of_readiness(&self, nodes: &[NodeId], at: Time, worse: bool) -> u32 {
        if !worse {
            return self.marks.hit(nodes, at, Kind::moves_ready);
        }
        let silent = |n: &NodeId| self.nodes.get(n.index()).and_then(|node| node.silent);
        let harm = |n: &NodeId| {
            silent(n).unwrap_or_else(|| self.marks.hit_itself(*n, at, |k| k == Kind::Harm))
        };
        let own = nodes.iter().map(harm).fold(NONE, |one, other| self.marks.later(one, other));
        match nodes.iter().any(|n| silent(n).is_none()) || nodes.is_empty() {
            true => self.marks.or_all(own, at, |k| k == Kind::Harm),
            false => own,
        }
    }

    /// Takes in what a record says of a node, and its mark.
    fn takes(&mut self, r: &Record, mark: u32) {
        let Some(n) = r.node() else { return };
        let changes_no_execute = self.changes_no_execute(r);
        let Some(node) = self.nodes.get_mut(n.index()) else { return };
        match r.what {
            What::NodeCreated => {
                *node = State { silent: None, made: mark, ready: mark, tainted: mark };
            }
            What::NodeCondition(NodeConditionType::Ready, ..) => node.ready = mark,
            What::NodeTaints(_) if changes_no_execute => node.tainted = mark,
            What::MachineOff | What::NodeSilent if node.silent.is_none() => {
                let by = self.marks.get(mark).filter(|m| m.kind == Kind::Harm).map(|_| mark);
                let hit = || self.marks.hit_itself(n, r.at, |k| k == Kind::Harm);
                node.silent = Some(by.unwrap_or_else(hit));
            }
            What::NodeHeard => node.silent = None,
            _ => {}
        }
    }

    fn changes_no_execute(&self, r: &Record) -> bool {
        self.trace.taint_change(r).is_some_and(|c| {
            c.added.iter().chain(&c.removed).any(|t| t.effect == Effect::NoExecute)
        })
    }

    /// The mark of a zone's new state: a fault of its nodes, where the state is a worse one.
    fn of_zone(&mut self, r: &Record, state: ZoneState, inherited: u32) -> u32 {
        let bad = match state {
            ZoneState::FullDisruption => 2,
            ZoneState::PartialDisruption => 1,
            _ => 0,
        };
        let before = self.zone_states.insert(r.object, bad).unwrap_or(0);
        let key = self.trace.names.text_of(TextId(r.object));
        let nodes = self.zones.get(key).map(Vec::as_slice).unwrap_or_default();
        self.marks.later(inherited, self.of_readiness(nodes, r.at, bad > before))
    }

    /// The mark of an entry of the timeline that begins or ends with this record.
    fn of_entry(&mut self, r: &Record, inherited: u32) -> u32 {
        if r.object as usize >= self.plan.timeline.len() {
            return inherited;
        }
        let since = Since { at: r.at, entry: r.object, ended: r.what == What::FaultEnded };
        // Of several actions of one instant the later ones come some nanoseconds after it.
        let first = Since { at: r.at.whole_millis(), entry: 0, ended: false };
        let mut planned = self.by_moment.range(first..=since).map(|(since, _)| *since).rev();
        let is_its = |s: &Since| (s.entry, s.ended) == (since.entry, since.ended);
        let since = planned.find(is_its).unwrap_or(since);
        let mark = self.mark_at(since, Kind::Other);
        if mark != inherited {
            self.marks.marks[mark as usize].parent = inherited;
        }
        mark
    }

    /// The mark of a machine that a maintenance turns off or on with this record.
    fn of_maintenance(&mut self, r: &Record, inherited: u32) -> u32 {
        let ended = r.what == What::MachineOn;
        let marks = &mut self.marks;
        let mark = marks.push(Mark {
            since: Since { at: r.at, entry: marks.marks[inherited as usize].since.entry, ended },
            kind: if ended { Kind::Relief } else { Kind::Harm },
            until: if ended { r.at } else { Time::MAX },
            parent: inherited,
        });
        if let Some(of_node) = marks.of_node.get_mut(r.object as usize) {
            let place = of_node.partition_point(|&o| marks.marks[o as usize].since.at <= r.at);
            of_node.insert(place, mark);
        }
        mark
    }

    /// Whether a mark is the beginning of an entry that ends when the run says so: a maintenance.
    fn is_of_maintenance(&self, mark: u32) -> bool {
        let mark = self.marks.get(mark).filter(|m| m.kind == Kind::Action);
        mark.map(|m| m.since.entry).is_some_and(|entry| {
            let planned = self.plan.timeline.get(entry as usize);
            planned.is_some_and(|t| t.ends.is_none()) && self.plan.lasts(entry)
        })
    }
}

/// Whether it is about a condition of nodes that is not Ready.
fn leaves_ready(act: &Do) -> bool {
    let (Do::Fail(_, fault) | Do::Recover(_, fault)) = act else { return false };
    matches!(fault, NodeFault::Condition(kind, _) if *kind != NodeConditionType::Ready)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::tests::synthetic::{Run, ms, taint};
    use crate::api::pod::PodPhase;
    use crate::api::taint::UNREACHABLE;
    use crate::kernel::Dur;
    use crate::plan::Connections;
    use crate::trace::NO_RECORD;

    /// A node goes off at 300 s, and is Unknown at 345.954 s and tainted at 346.036 s, each time on a version that somebody
    /// else wrote since; it is cut off, too, when it has been off for 30 s. Of its pods the first two go for that taint, one
    /// of them after controllers were restarted that read the latest version; the third goes for a taint set by hand at 350 s.
    #[test]
    fn what_a_node_fell_silent_by_counts_whoever_wrote_its_object_since() {
        let mut run = Run::new("dead and cordoned", ms(900_000));
        let n = run.node("n", "a");
        let pods = ["default/first", "default/second", "default/third"].map(|p| run.pod(p, n));
        let off = Do::Fail(vec![n], NodeFault::Off);
        let (crash, _) = run.entry("crash", ms(300_000), None, off, None);
        run.record(ms(300_000), crash, Actor::User, What::MachineOff, n);
        run.record(ms(300_000), crash, Actor::User, What::NodeSilent, n);
        let by_hand = |run: &mut Run, at, what| {
            let (began, _) = run.entry("by hand", at, None, Do::Cordon(vec![n], true), None);
            run.record(at, began, Actor::User, what, n)
        };
        let cordoned = by_hand(&mut run, ms(320_000), What::NodeUnschedulable(true));
        let cut = Do::Fail(vec![n], NodeFault::Cut(Connections::Dropped));
        run.entry("cut", ms(330_000), None, cut, None);
        let unknown = run.ready(ms(345_954), cordoned, n, ConditionStatus::Unknown);
        let read = by_hand(&mut run, ms(346_000), What::NodeUnschedulable(false));
        let key = [taint(UNREACHABLE, Effect::NoExecute)];
        let tainted = run.taints(ms(346_036), read, Actor::NodeLifecycle, n, &key, &[]);
        let timer = run.eviction(ms(346_043), tainted, What::TimerSet(300), pods[0]);
        let read = by_hand(&mut run, ms(347_000), What::NodeUnschedulable(true));
        let timer_anew = run.eviction(ms(349_000), read, What::TimerSet(300), pods[1]);
        let (began, _) =
            run.entry("taint", ms(350_000), None, Do::Label(vec![n], Vec::new()), None);
        let key = [taint("k", Effect::NoExecute)];
        let own = run.taints(ms(350_000), began, Actor::User, n, &key, &[]);
        let third = run.eviction(ms(350_017), own, What::PodDeleting(30), pods[2]);
        let first = run.eviction(ms(646_043), timer, What::PodDeleting(30), pods[0]);
        let second = run.eviction(ms(649_000), timer_anew, What::PodDeleting(30), pods[1]);
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let from = |id| analysis.fault_of(id, Some(NodeId(n))).map(|since| (since.at, since.entry));
        let crash = Some((ms(300_000), 0));
        assert_eq!([unknown, tainted, first, second].map(from), [crash; 4]);
        assert_eq!(from(third), Some((ms(350_000), 5)));
        assert_eq!(
            [unknown, tainted, first].map(|id| analysis.since_of(id, None).map(|s| s.at)),
            [Some(ms(300_000)); 3]
        );
    }

    /// Node a is off from 60 s to 240 s and tainted by that, b from 360 s to 1,560 s. A pod comes from b to a, where it runs
    /// as soon as its volume is there, which b has until it is back: neither is counted from what a was through.
    #[test]
    fn what_comes_to_a_node_later_is_not_counted_from_what_hit_it_before() {
        let mut run = Run::new("disk", ms(3_600_000));
        let [a, b] = ["a", "b"].map(|name| run.node(name, "z"));
        let (set, _) = run.workload("Deployment/default/store", "ReplicaSet/default/store-1");
        let new = run.replica("default/new", set);
        let off = |n| (Do::Fail(vec![n], NodeFault::Off), Do::Recover(vec![n], NodeFault::Off));
        let (fails, back) = off(a);
        let (_, a_back) = run.entry("off", ms(60_000), Some(ms(240_000)), fails, Some(back));
        let (fails, back) = off(b);
        let (b_off, _) = run.entry("dead", ms(360_000), Some(ms(1_560_000)), fails, Some(back));
        let key = [taint(UNREACHABLE, Effect::NoExecute)];
        let untainted = run.taints(ms(246_000), a_back, Actor::NodeLifecycle, a, &[], &key);
        run.record(ms(700_000), b_off, Actor::Scheduler, What::PodBound(a), new);
        let claim = run.text("default/data");
        for (at, node, note) in
            [(1_606_000, b, Note::AttachmentGone), (1_607_000, a, Note::AttachmentCreated)]
        {
            let what = What::Noted(note, claim);
            run.record(ms(at), NO_RECORD, Actor::AttachDetach, what, node);
        }
        let runs = What::PodPhase(PodPhase::Running);
        run.record(ms(1_613_000), untainted, Actor::Kubelet, runs, new);
        let (plan, trace) = run.finish();
        let analysis = Analysis::new(&plan, &trace);
        let is_told = |what| matches!(what, What::Noted(..) | What::PodPhase(_));
        let told = (0..).zip(trace.iter()).filter(|(_, r)| is_told(r.what)).map(|(id, r)| {
            let node = if r.node().is_some() { r.object } else { a };
            analysis.since_of(id, Some(NodeId(node))).map(|since| (since.entry, since.ended))
        });
        assert_eq!(Vec::from_iter(told), [(1, true), (1, true), (1, false)].map(Some));
    }

    /// Memory is short on a node from 20 s on, and it is heard too rarely from 10 s on: it is Unknown at 70 s for the latter.
    #[test]
    fn a_node_is_not_unknown_for_another_condition() {
        let mut run = Run::new("slow and short", ms(100_000));
        let n = run.node("n", "a");
        let short = NodeFault::Condition(NodeConditionType::MemoryPressure, ConditionStatus::True);
        let slow = NodeFault::SlowHeartbeats(Dur::from_secs(90));
        for (name, at, fault) in [("slow", 10_000, slow), ("short", 20_000, short)] {
            run.entry(name, ms(at), None, Do::Fail(vec![n], fault), None);
            run.plan.timeline.last_mut().unwrap().is_fault = true;
        }
        let unknown = run.ready(ms(70_000), NO_RECORD, n, ConditionStatus::Unknown);
        let (plan, trace) = run.finish();
        let since = Analysis::new(&plan, &trace).fault_of(unknown, Some(NodeId(n)));
        assert_eq!(since, Some(Since { at: ms(10_000), entry: 0, ended: false }));
    }
}
