//! What became of a zone: its states, the rate that held in each, and what it cost.

use super::super::disruption::{Disruptions, Pace, disruptions};
use super::super::evictions::evictions;
use super::prelude::*;
use super::{node, rules};
use std::ops::Range;

/// When something became true of a node, and which record says so.
type Turned = (Time, RecordId, NodeId);

rows! {
    /// What becomes true of nodes, in the order in which it is told.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Turn {
        Silent = "silent",
        Unready = "not Ready any more",
        Tainted = "tainted NoExecute",
        /// By others than node lifecycle.
        TaintedByOthers = "tainted NoExecute by others",
        Cordoned = "cordoned",
        Heard = "can be heard again",
    }
    /// In words that follow their names.
    fn words -> &'static str;
}

/// Explains zones, given by their places in the list of zones, in one walk through the trace.
pub(crate) fn explain_zones(question: Question<'_>, zones: Range<u16>) -> Vec<Explanation> {
    use What::{ControllersStarted, MasterDisruptionEntered, MasterDisruptionLeft, Zone};
    let analysis = question.analysis;
    let disrupted = disruptions(analysis);
    let courses = zones.map(|zone| (zone, Course::new(question, zone)));
    let mut courses: BTreeMap<u16, Course<'_>> = courses.collect();
    courses.values_mut().for_each(Course::begin);
    let zone_of = |n: NodeId| analysis.zone_of.get(n.index());
    for (r, id) in analysis.trace.iter().zip(0..).take_while(|(r, _)| r.at <= question.until) {
        // Most records are about pods and leases, which no zone tells of.
        let of_node = r.node().and_then(zone_of).and_then(|zone| courses.get_mut(zone));
        match r.what {
            Zone(_) | MasterDisruptionEntered | MasterDisruptionLeft | ControllersStarted => {
                courses.values_mut().for_each(|c| c.record(id, r, &disrupted));
            }
            _ => of_node.into_iter().for_each(|c| c.record(id, r, &disrupted)),
        }
    }
    for evicted in evictions(analysis).iter().filter(|e| e.at <= question.until) {
        let course = evicted.node.and_then(zone_of).and_then(|zone| courses.get_mut(zone));
        course.into_iter().for_each(|c| c.lost += 1);
    }
    question.with_troubles(courses.into_values().map(Course::finish))
}

/// What happens to a zone.
struct Course<'a> {
    question: Question<'a>,
    name: &'a str,
    /// Its nodes, with what the run began with.
    nodes: Vec<(NodeId, node::AtStart)>,
    steps: Vec<Step>,
    state: ZoneState,
    /// How fast its nodes are tainted, where it is disrupted.
    pace: Option<Pace>,
    /// Since when its nodes are silent, and how long the longest was that is over.
    silent_since: BTreeMap<u32, Time>,
    silence: Dur,
    /// A node of it was not Ready at some time.
    was_unready: bool,
    /// Nodes that turned since the last steps about them.
    turned: BTreeMap<Turn, Vec<Turned>>,
    /// All nodes that were tainted during the run, or when it began.
    all_tainted: BTreeSet<u32>,
    /// How many pods were evicted from its nodes.
    lost: usize,
}

impl<'a> Course<'a> {
    fn new(question: Question<'a>, zone: u16) -> Self {
        let analysis = question.analysis;
        let nodes = (0..analysis.node_count() as u32).map(NodeId);
        let own = nodes.filter(|n| analysis.zone_of.get(n.index()) == Some(&zone));
        Course {
            question,
            name: analysis.zones.get(usize::from(zone)).map_or("", String::as_str),
            nodes: own.map(|n| (n, node::at_start(question, n))).collect(),
            steps: Vec::new(),
            state: ZoneState::Normal,
            pace: None,
            silent_since: BTreeMap::new(),
            silence: Dur::ZERO,
            was_unready: false,
            turned: BTreeMap::new(),
            all_tainted: BTreeSet::new(),
            lost: 0,
        }
    }

    /// What was so when the run began.
    fn begin(&mut self) {
        let began = |what: &str, of: &dyn Fn(&node::AtStart) -> bool| {
            let nodes = self.nodes.iter().filter(|(_, before)| of(before));
            let name = |(n, _): &(NodeId, _)| self.question.analysis.node_name(*n);
            let names: Vec<&str> = nodes.map(name).collect();
            let text = format!("{} {what} when the run began", ranges(&names));
            (!names.is_empty()).then_some(Step::without_record(Time::ZERO, text))
        };
        self.was_unready = self.nodes.iter().any(|(_, before)| before.unready);
        let unready = began("not Ready", &|b| b.unready);
        let silent = began("silent", &|b| b.silent);
        let tainted = began("tainted NoExecute", &|b| b.no_execute);
        self.steps.extend(unready.into_iter().chain(silent).chain(tainted));
        let before = self.nodes.iter().filter(|(_, before)| before.no_execute);
        self.all_tainted.extend(before.map(|(n, _)| n.0));
    }

    /// A record about one of its nodes, or about none.
    fn record(&mut self, id: RecordId, r: &Record, disrupted: &Disruptions) {
        let analysis = self.question.analysis;
        let mut turned = |turn| {
            self.turned.entry(turn).or_default().push((r.at, id, NodeId(r.object)));
        };
        match r.what {
            What::Zone(new) if analysis.zone_told(r) == self.name => {
                let nodes = self.nodes.len();
                self.flush(rules::zone(analysis.plan, self.state, nodes, self.pace));
                self.pace = disrupted.pace(self.name, r.at);
                if new != self.state {
                    let rule = rules::zone(analysis.plan, new, nodes, self.pace);
                    self.steps.push(self.question.step((id, r), rule));
                }
                self.state = new;
            }
            What::ControllersStarted => self.pace = None,
            What::MasterDisruptionEntered | What::MasterDisruptionLeft => {
                self.flush(None);
                self.pace = disrupted.pace(self.name, r.at);
                self.steps.push(self.question.step((id, r), None));
            }
            What::NodeCondition(NodeConditionType::Ready, status, _)
                if status != ConditionStatus::True =>
            {
                self.was_unready = true;
                turned(Turn::Unready);
            }
            What::NodeSilent if r.at > Time::ZERO => {
                self.silent_since.insert(r.object, r.at);
                turned(Turn::Silent);
            }
            What::NodeHeard => {
                if let Some(since) = self.silent_since.remove(&r.object) {
                    self.silence = self.silence.max(r.at.since(since));
                    turned(Turn::Heard);
                }
            }
            What::NodeTaints(_) => {
                let change = analysis.trace.taint_change(r);
                if change.is_some_and(TaintChange::adds_no_execute)
                    && self.all_tainted.insert(r.object)
                {
                    let own = r.actor == Actor::NodeLifecycle;
                    turned(if own { Turn::Tainted } else { Turn::TaintedByOthers });
                }
            }
            What::NodeUnschedulable(true) => turned(Turn::Cordoned),
            _ => {}
        }
    }

    /// The steps for the nodes that turned since the last ones; `rule` is that of the taints.
    fn flush(&mut self, rule: Option<String>) {
        for (turn, of) in std::mem::take(&mut self.turned) {
            let rule = rule.clone().filter(|_| turn == Turn::Tainted);
            self.steps.extend(self.together(&of, turn, rule));
        }
    }

    /// One step for what several nodes have in common; none where there are none.
    fn together(&self, of: &[Turned], turn: Turn, rule: Option<String>) -> Option<Step> {
        let (&(at, record, _), &(last, ..)) = (of.first()?, of.last()?);
        let nodes: BTreeSet<NodeId> = of.iter().map(|(_, _, n)| *n).collect();
        let name = |n: NodeId| self.question.analysis.node_name(n);
        let names: Vec<&str> = nodes.into_iter().map(name).collect();
        let (until, words) = (until_the_last(at, last), turn.words());
        let text = format!("{} {words}{until}", ranges(&names));
        Some(Step { at, text, rule, record: Some(record) })
    }

    /// All of it.
    fn finish(mut self) -> Explanation {
        let plan = self.question.analysis.plan;
        self.flush(rules::zone(plan, self.state, self.nodes.len(), self.pace));
        self.steps.sort_by_key(|s| s.at);
        Explanation {
            object: format!("zone {}", self.name),
            verdict: self.verdict(),
            steps: self.steps,
            ..Explanation::default()
        }
    }

    fn verdict(&self) -> String {
        let until = self.question.until;
        let open = self.silent_since.values().map(|since| until.since(*since)).max();
        let silence = self.silence.max(open.unwrap_or_default());
        if self.steps.is_empty() && self.lost == 0 {
            return "none of its nodes was silent, not Ready, cordoned or tainted NoExecute"
                .to_owned();
        }
        let plan = self.question.analysis.plan;
        let said =
            if self.state == ZoneState::Empty { "without a state" } else { self.state.as_str() };
        let (pods, until) = (counted(self.lost as u64, "pod"), absolute(until));
        let tainted = |nodes: &str| format!("{nodes} NoExecute, {pods} evicted");
        let lost = match (self.all_tainted.len(), self.nodes.len()) {
            (0, all) if plan.evicts_by_timeout() => {
                format!("{pods} evicted from its {}", counted(all as u64, "node"))
            }
            (0, 1) => tainted("its only node not tainted"),
            (_, 1) => tainted("its only node tainted"),
            (n, all) => {
                let all = counted(all as u64, "node");
                tainted(&format!("{} of its {all} tainted", grouped(n as u64)))
            }
        };
        let ready = match silence {
            Dur::ZERO => String::new(),
            _ if self.was_unready => String::new(),
            silence => {
                format!("no node of it was not Ready: {}; ", rules::within_grace(plan, silence))
            }
        };
        format!("{ready}{lost}; at {until} it is {said}")
    }
}
