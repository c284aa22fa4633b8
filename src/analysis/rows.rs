//! Rows of a timeline, and what they say in words.

use super::budgets::{budget_name, stand};
use super::causes::Since;
use super::disruption::{Pace, disruptions};
use super::drains::drain_ended;
use super::facts::{BudgetChange, Fact, NO_TIMER};
use super::names::{by, grouped};
use super::setting::{Analysis, zone_name};
use super::words;
use super::workloads::said;
use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
use crate::kernel::Time;
use crate::trace::{Actor, DrainOutcome, RecordId, What, ZoneState};

/// How many nodes are named in a row; of more only the number is given.
const NAMED: usize = 3;

/// A row of the timeline: one fact, of one or many nodes or pods.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// When it first became true.
    pub first: Time,
    /// When it last became true.
    pub last: Time,
    /// What happened.
    pub fact: Fact,
    /// What the times are given relative to.
    pub since: Option<Since>,
    /// The nodes it is about, or that its pods are on; by id, each once.
    pub nodes: Vec<NodeId>,
    /// How many pods it is about.
    pub pods: u32,
    /// The pod it is about, where it is only one.
    pub pod: Option<PodId>,
    /// How many records it stands for.
    pub count: u32,
    /// The first of its records; its causes explain it.
    pub record: RecordId,
    /// The row in words, without its times: "834 nodes of zone b tainted unreachable:NoExecute".
    pub text: String,
}

/// What it takes to put rows into words.
pub(super) struct Text<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) taints: &'a [String],
}

impl Text<'_> {
    pub(super) fn row(&self, row: &Row) -> String {
        match row.fact {
            Fact::EntryBegan(entry) => return self.entry(row, entry, "begins", "begin"),
            Fact::EntryEnded(entry) => return self.entry(row, entry, "ends", "end"),
            Fact::EvictionRefused(budget) => return self.eviction_refused(row, budget),
            Fact::DrainEnded(outcome) => return self.drain_ended(row, outcome),
            Fact::Zone(key, state) if row.count == 1 => {
                return self.zone(key, state, Some(row.first));
            }
            Fact::Budget(..)
                if let Some(r) = self.analysis.trace.get(row.record).filter(|_| row.count == 1) =>
            {
                return words::record(self.analysis, r);
            }
            Fact::Budget(..)
            | Fact::CutShort(..)
            | Fact::Refused(..)
            | Fact::ControllersStarted
            | Fact::ControllersStopped
            | Fact::MasterDisruptionEntered
            | Fact::MasterDisruptionLeft
            | Fact::Zone(..) => return times(row, &self.verb(row.fact)),
            _ => {}
        }
        let said = match row.fact {
            Fact::ReplicaBound(_) => format!("bound to {}", self.nodes(&row.nodes)),
            fact => self.verb(fact),
        };
        let subject = match row.fact {
            Fact::ReplicaCreated(w)
            | Fact::ReplicaBound(w)
            | Fact::ReplicaRunning(w)
            | Fact::ReplicaPending(w, _) => self.replicas(row, w),
            _ => self.subject(row),
        };
        match row.fact {
            Fact::TimerSet(seconds) => {
                return format!(
                    "eviction timer of {} s set for {subject}",
                    grouped(seconds.into())
                );
            }
            Fact::TimerCancelled => return format!("eviction timer cancelled for {subject}"),
            _ => {}
        }
        let objects = if row.pods > 0 { row.pods } else { row.nodes.len() as u32 };
        if row.count > objects {
            format!("{subject} {said}, {} times", grouped(row.count.into()))
        } else {
            format!("{subject} {said}")
        }
    }

    /// What a fact says of its object; of a fact that has none, all of it.
    pub(super) fn verb(&self, fact: Fact) -> String {
        let begins = |entry, verb| format!("{} {verb}", self.entry_name(entry));
        match fact {
            Fact::EntryBegan(entry) => begins(entry, "begins"),
            Fact::EntryEnded(entry) => begins(entry, "ends"),
            Fact::Refused(text, entry) => self.refused(text, entry),
            Fact::ControllersStarted => "controllers started".to_owned(),
            Fact::ControllersStopped => "controllers stopped; their timers are lost".to_owned(),
            Fact::MasterDisruptionEntered => {
                "master disruption: no node of any zone is Ready, so taints come off and evictions stop".to_owned()
            }
            Fact::MasterDisruptionLeft => "master disruption is over: evictions resume".to_owned(),
            Fact::Zone(key, state) => self.zone(key, state, None),
            Fact::NodeJoined => "joined".to_owned(),
            Fact::NodeDeleted => "deleted".to_owned(),
            Fact::Silent => "silent".to_owned(),
            Fact::Heard => "heard again".to_owned(),
            Fact::MachineOff => "off".to_owned(),
            Fact::MachineOn => "booted".to_owned(),
            Fact::Unknown => "Unknown".to_owned(),
            Fact::NotReady => "NotReady".to_owned(),
            Fact::Ready => "Ready again".to_owned(),
            Fact::ConditionTrue(kind) => format!("{} True", kind.as_str()),
            Fact::ConditionFalse(kind) => format!("{} False", kind.as_str()),
            Fact::Tainted(taint) => format!("tainted {}", self.taint(taint)),
            Fact::Untainted(taint) => format!("untainted {}", self.taint(taint)),
            Fact::Cordoned => "cordoned".to_owned(),
            Fact::Uncordoned => "uncordoned".to_owned(),
            Fact::PodCreated | Fact::ReplicaCreated(_) => "created".to_owned(),
            Fact::PodBound | Fact::ReplicaBound(_) => "bound".to_owned(),
            Fact::ReplicaRunning(_) => "running".to_owned(),
            Fact::PodPending(why) | Fact::ReplicaPending(_, why) => format!("pending: {}", self.analysis.trace.names.text_of(why)),
            Fact::TimerSet(_) => "eviction timer set".to_owned(),
            Fact::TimerCancelled => "eviction timer cancelled".to_owned(),
            Fact::Evicted(NO_TIMER) => "evicted".to_owned(),
            Fact::Evicted(0) => "evicted at once".to_owned(),
            Fact::Evicted(seconds) => format!("evicted after {} s", grouped(seconds.into())),
            Fact::EvictedBy(cause) => format!("evicted by {}", cause.by()),
            Fact::EvictionRefused(budget) => format!("eviction refused by {}", budget_name(self.analysis, budget)),
            Fact::DrainEnded(DrainOutcome::Drained) => "drained".to_owned(),
            Fact::DrainEnded(DrainOutcome::TimedOut) => "not drained: timed out".to_owned(),
            Fact::DrainEnded(DrainOutcome::Refused) => "not drained: refused".to_owned(),
            Fact::Budget(budget, change) => {
                let verb = match change {
                    BudgetChange::Created => "created",
                    BudgetChange::Changed => "changed",
                    BudgetChange::Deleted => "deleted",
                };
                format!("{} {verb}", budget_name(self.analysis, budget))
            }
            Fact::CutShort(text, entry) => format!("{} stops: {}", self.entry_name(entry), self.analysis.trace.names.text_of(text)),
            Fact::PodDeleted(Actor::Scheduler) => "preempted by the scheduler".to_owned(),
            Fact::PodDeleted(actor) => format!("deleted by {}", by(actor)),
            Fact::EvictionFailed => "not evicted: five tries failed".to_owned(),
            Fact::PodFailed => "Failed".to_owned(),
            Fact::PodSucceeded => "Succeeded".to_owned(),
            Fact::PodGone => "gone".to_owned(),
        }
    }

    /// `default/web-0 of a-0: eviction refused 240 times (429): budget default/web needs …`
    fn eviction_refused(&self, row: &Row, budget: WorkloadId) -> String {
        let trace = self.analysis.trace;
        let subject = self.subject(row);
        let times = if row.count > 1 {
            format!(" {} times", grouped(row.count.into()))
        } else {
            String::new()
        };
        let state = match trace.get(row.record).map(|r| r.what) {
            Some(What::EvictionRefused(state)) => trace.budgets.get(state as usize),
            _ => None,
        };
        match state {
            Some(b) if budget.index() < trace.names.workloads() => {
                format!(
                    "{subject}: eviction refused{times} ({}): {}",
                    b.refusal.as_str(),
                    stand(self.analysis, b)
                )
            }
            _ => format!("{subject}: eviction refused{times} by several budgets"),
        }
    }

    fn drain_ended(&self, row: &Row, outcome: DrainOutcome) -> String {
        let end = match self.analysis.trace.get(row.record).map(|r| r.what) {
            Some(What::DrainEnded(end)) if row.count == 1 => {
                self.analysis.trace.drains.get(end as usize)
            }
            _ => None,
        };
        match (end, row.nodes.as_slice()) {
            (Some(end), &[node]) => drain_ended(self.analysis, self.analysis.node_name(node), end),
            _ => {
                let said =
                    format!("{} {}", self.nodes(&row.nodes), self.verb(Fact::DrainEnded(outcome)));
                if row.count as usize > row.nodes.len() { times(row, &said) } else { said }
            }
        }
    }

    fn taint(&self, index: u32) -> &str {
        self.taints.get(index as usize).map_or("", String::as_str)
    }

    fn entry_name(&self, entry: u32) -> &str {
        self.analysis.plan.timeline.get(entry as usize).map_or("", |e| &e.name)
    }

    fn entry(&self, row: &Row, entry: u32, one: &str, many: &str) -> String {
        match self.analysis.plan.timeline.get(entry as usize) {
            None => format!("{} entries of the timeline {many}", grouped(row.count.into())),
            // What does not last neither begins nor ends.
            Some(e) if !self.analysis.plan.lasts(entry) && one == "begins" => times(row, &e.name),
            Some(e) => times(row, &format!("{} {one}", e.name)),
        }
    }

    fn refused(&self, text: TextId, entry: u32) -> String {
        let name = self.entry_name(entry);
        let message = self.analysis.trace.names.text_of(text);
        if name.is_empty() {
            format!("refused: {message}")
        } else {
            format!("refused {name}: {message}")
        }
    }

    fn zone(&self, key: TextId, state: ZoneState, at: Option<Time>) -> String {
        let name = zone_name(self.analysis.trace.names.text_of(key));
        let zone = if name.is_empty() {
            "nodes without a zone".to_owned()
        } else {
            format!("zone {name}")
        };
        let nodes = self.analysis.zones.iter().position(|z| *z == name);
        let nodes = nodes.map_or(0, |zone| {
            self.analysis.zone_of.iter().filter(|z| usize::from(**z) == zone).count()
        });
        let plan = self.analysis.plan;
        let kept = || {
            let found = disruptions(self.analysis);
            let own = found.zones.get(&name).into_iter().flatten();
            own.into_iter().find(|d| Some(d.from) == at).map(|d| d.pace)
        };
        // A rate of 1 may be kept from being one, which only the whole course tells.
        let of_one =
            plan.flags.node_eviction_rate == 1.0 || plan.flags.secondary_node_eviction_rate == 1.0;
        let pace = of_one.then(kept).flatten();
        let pace = pace.or_else(|| Pace::of(plan, state, nodes));
        let pace = pace.map_or_else(String::new, |p| format!(": {}", p.words(plan)));
        format!("{zone}: {}{pace}", state.as_str())
    }

    fn subject(&self, row: &Row) -> String {
        match (row.pods, row.pod) {
            (0, _) => self.nodes(&row.nodes),
            (_, Some(pod)) => {
                let name = self.analysis.pod_name(pod);
                if row.nodes.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name} of {}", self.nodes(&row.nodes))
                }
            }
            (n, None) if row.nodes.is_empty() => format!("{} pods", grouped(n.into())),
            (n, None) => format!("{} pods of {}", grouped(n.into()), self.nodes(&row.nodes)),
        }
    }

    /// `Deployment default/web: 3 pods on b-0, b-1`
    fn replicas(&self, row: &Row, workload: WorkloadId) -> String {
        // Where they were bound to is said at the end.
        let on = if row.nodes.is_empty() || matches!(row.fact, Fact::ReplicaBound(_)) {
            String::new()
        } else {
            format!(" on {}", self.nodes(&row.nodes))
        };
        match row.pod {
            Some(pod) => format!("{}{on}", self.analysis.pod_name(pod)),
            None if workload.index() >= self.analysis.trace.names.workloads() => {
                format!("{} pods of workloads{on}", grouped(row.pods.into()))
            }
            None => {
                format!("{}: {} pods{on}", said(self.analysis, workload), grouped(row.pods.into()))
            }
        }
    }

    fn nodes(&self, nodes: &[NodeId]) -> String {
        if nodes.len() <= NAMED {
            let names: Vec<&str> = nodes.iter().map(|&n| self.analysis.node_name(n)).collect();
            return names.join(", ");
        }
        let count = grouped(nodes.len() as u64);
        let mut zones: Vec<u16> = nodes.iter().map(|n| self.analysis.zone_of[n.index()]).collect();
        zones.sort_unstable();
        zones.dedup();
        match zones[..] {
            [one] if self.analysis.zones[usize::from(one)].is_empty() => format!("{count} nodes"),
            [one] => format!("{count} nodes of zone {}", self.analysis.zones[usize::from(one)]),
            _ => format!("{count} nodes of {} zones", zones.len()),
        }
    }
}

fn times(row: &Row, said: &str) -> String {
    if row.count > 1 {
        format!("{said} ({} times)", grouped(row.count.into()))
    } else {
        said.to_owned()
    }
}
