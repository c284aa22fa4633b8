//! Rows of a timeline, and what they say in words.

use super::disruption::{Disruptions, Pace, disruptions};
use super::drains::{budget_name, drain_ended, stand};
use super::facts::{Fact, NO_TIMER};
use super::prelude::*;
use super::words;

/// How many nodes are named in a row; of more only the number is given.
const NAMED: usize = 3;

/// A row of the timeline: one fact, of one or many nodes or pods.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// When it first became true.
    pub first: Time,
    /// When it last became true.
    pub(crate) last: Time,
    /// What happened.
    pub(crate) fact: Fact,
    /// What the times are given relative to.
    pub(crate) since: Option<Since>,
    /// The nodes it is about, or that its pods are on; by id, each once.
    pub(crate) nodes: Vec<NodeId>,
    /// How many pods it is about, each once.
    pub(crate) pods: u32,
    /// The pod it is about, where it is only one.
    pub(crate) pod: Option<PodId>,
    /// How many records it stands for.
    pub(crate) count: u32,
    /// The first of its records; its causes explain it.
    pub(crate) record: RecordId,
    /// The row in words, without its times: "834 nodes of zone b tainted unreachable:NoExecute".
    pub text: String,
}

/// What it takes to put rows into words.
pub(super) struct Text<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    /// Those that facts refer to.
    taints: &'a [Taint],
    /// Where a zone's state does not say how fast its nodes are tainted.
    disrupted: OnceCell<Disruptions>,
}

impl<'a> Text<'a> {
    /// `taints` are those that facts refer to.
    pub(super) fn new(analysis: &'a Analysis<'a>, taints: &'a [Taint]) -> Self {
        Text { analysis, taints, disrupted: OnceCell::new() }
    }

    pub(super) fn row(&self, row: &Row) -> String {
        match row.fact {
            Fact::EntryBegan(entry) => return self.entry(row, entry, "begins", "begin"),
            Fact::EntryEnded(entry) => return self.entry(row, entry, "ends", "end"),
            Fact::EvictionRefused(budget) => return self.eviction_refused(row, budget),
            Fact::DrainEnded(outcome) => return self.drain_ended(row, outcome),
            Fact::Zone(key, state) if row.count == 1 => {
                return self.zone(key, state, Some(row.first));
            }
            Fact::BudgetCreated(_) | Fact::BudgetChanged(_) | Fact::BudgetDeleted(_)
                if let Some(r) = self.analysis.trace.get(row.record).filter(|_| row.count == 1) =>
            {
                return words::record(self.analysis, r);
            }
            // One without an object says all that there is to say.
            fact if row.pods == 0 && row.nodes.is_empty() => return times(row, &self.verb(fact)),
            _ => {}
        }
        let subject = match row.fact {
            Fact::PodCreated(Some(w))
            | Fact::PodBound(Some(w))
            | Fact::PodRunning(w)
            | Fact::PodPending(Some(w), _) => self.replicas(row, w),
            _ => self.subject(row),
        };
        let objects = if row.pods > 0 { row.pods } else { row.nodes.len() as u32 };
        let several = |said: String| if objects > 1 { words::of_several(&said) } else { said };
        let told = match row.fact {
            Fact::TimerSet(seconds) => {
                format!("eviction timer of {} s set for {subject}", grouped(seconds.into()))
            }
            Fact::TimerCancelled => format!("eviction timer cancelled for {subject}"),
            Fact::PodBound(_) => {
                format!("{subject} {}", several(format!("bound to {}", self.nodes(&row.nodes))))
            }
            fact => format!("{subject} {}", several(self.verb(fact))),
        };
        if row.count > objects {
            return format!("{told}, {} times", grouped(row.count.into()));
        }
        told
    }

    /// What a fact says of its object; of a fact that has none, all of it.
    pub(super) fn verb(&self, fact: Fact) -> String {
        let text = |id| self.analysis.trace.names.text_of(id);
        let verb = fact.look().verb;
        match fact {
            Fact::BackOff(seconds) => format!("in CrashLoopBackOff, {seconds} s"),
            Fact::EntryBegan(entry) => format!("{} begins", self.entry_name(entry)),
            Fact::EntryEnded(entry) => format!("{} ends", self.entry_name(entry)),
            Fact::Refused(text, entry) => self.refused(text, entry),
            Fact::Zone(key, state) => self.zone(key, state, None),
            Fact::ConditionTrue(kind) => format!("{} True", kind.as_str()),
            Fact::ConditionFalse(kind) => format!("{} False", kind.as_str()),
            Fact::Tainted(taint) => format!("tainted {}", self.taint(taint)),
            Fact::Untainted(taint) => format!("untainted {}", self.taint(taint)),
            Fact::PodPending(_, why) => format!("pending: {}", text(why)),
            Fact::Evicted(seconds) if ![0, NO_TIMER].contains(&seconds) => {
                format!("evicted after {} s", grouped(seconds.into()))
            }
            Fact::EvictedBy(cause) => format!("evicted by {}", cause.by()),
            Fact::EvictionRefused(budget) => {
                format!("eviction refused by {}", budget_name(self.analysis, budget))
            }
            Fact::BudgetCreated(budget)
            | Fact::BudgetChanged(budget)
            | Fact::BudgetDeleted(budget) => {
                format!("{} {verb}", budget_name(self.analysis, budget))
            }
            Fact::CutShort(why, entry) => {
                format!("{} stops: {}", self.entry_name(entry), text(why))
            }
            Fact::RuleSays(said) => words::rule_says(self.analysis, said),
            Fact::JobComplete(job) => format!("{} {verb}", self.job(job)),
            Fact::JobFailed(job, why) => {
                format!("{} {}", self.job(job), words::job_failed(self.analysis, why))
            }
            Fact::PodDeleted(actor) if actor != Actor::Scheduler => {
                format!("deleted by {}", actor.by())
            }
            _ => verb.to_owned(),
        }
    }

    /// `Job default/sum`, or several of which none is named.
    fn job(&self, job: WorkloadId) -> String {
        match job.index() < self.analysis.trace.names.workloads() {
            true => self.analysis.workload_in_words(job),
            false => "Jobs".to_owned(),
        }
    }

    /// `default/web-0 of a-0: eviction refused 240 times (429): budget default/web needs …`
    fn eviction_refused(&self, row: &Row, budget: WorkloadId) -> String {
        let trace = self.analysis.trace;
        let subject = self.subject(row);
        let times = match row.count {
            0 | 1 => String::new(),
            n => format!(" {} times", grouped(n.into())),
        };
        match trace.get(row.record).and_then(|r| trace.budget(r)) {
            Some(b) if budget.index() < trace.names.workloads() => {
                let (status, why) = (b.refusal.as_str(), stand(self.analysis, b));
                // Of several the last may be refused as the budget stood then.
                let is_refusal = |r: &&Record| matches!(r.what, What::EvictionRefused(_));
                let all = trace.iter().skip(row.record as usize).take_while(|r| r.at <= row.last);
                let all = all.filter(is_refusal).filter_map(|r| trace.budget(r));
                let last = all.filter(|b| row.count > 1 && b.budget == budget).last();
                let last = last.map(|b| stand(self.analysis, b)).filter(|last| *last != why);
                let last = last.map_or(String::new(), |last| format!(", the last time as {last}"));
                format!("{subject}: eviction refused{times} ({status}): {why}{last}")
            }
            _ => format!("{subject}: eviction refused{times} by several budgets"),
        }
    }

    fn drain_ended(&self, row: &Row, outcome: DrainOutcome) -> String {
        let trace = self.analysis.trace;
        let one = trace.get(row.record).filter(|_| row.count == 1);
        match (one.and_then(|r| trace.drain_end(r)), row.nodes.as_slice()) {
            (Some(end), &[node]) => drain_ended(self.analysis, self.analysis.node_name(node), end),
            _ => {
                let said =
                    format!("{} {}", self.nodes(&row.nodes), self.verb(Fact::DrainEnded(outcome)));
                if row.count as usize > row.nodes.len() { times(row, &said) } else { said }
            }
        }
    }

    /// `unreachable:NoExecute`
    fn taint(&self, index: u32) -> String {
        self.taints.get(index as usize).map_or_else(String::new, words::short_taint)
    }

    fn entry_name(&self, entry: u32) -> &str {
        self.analysis.entry_name(entry).unwrap_or_default()
    }

    fn entry(&self, row: &Row, entry: u32, one: &str, many: &str) -> String {
        match self.analysis.entry_name(entry) {
            None => format!("{} entries of the timeline {many}", grouped(row.count.into())),
            // What does not last neither begins nor ends.
            Some(name) if !self.analysis.plan.lasts(entry) && one == "begins" => times(row, name),
            Some(name) => times(row, &format!("{name} {one}")),
        }
    }

    fn refused(&self, text: TextId, entry: u32) -> String {
        let of = match self.entry_name(entry) {
            "" => String::new(),
            name => format!(" {name}"),
        };
        format!("refused{of}: {}", self.analysis.trace.names.text_of(text))
    }

    fn zone(&self, key: TextId, state: ZoneState, at: Option<Time>) -> String {
        let name = zone_name(self.analysis.trace.names.text_of(key));
        let zone = zone_in_words(&name);
        let nodes = self.analysis.find_zone(&name).map_or(0, |z| self.analysis.zone_size(z));
        let plan = self.analysis.plan;
        let told = |at| self.disrupted.get_or_init(|| disruptions(self.analysis)).pace(&name, at);
        // A rate of 1 may be kept from being one, and a zone without a Ready node may be one of many,
        // which only the whole course tells.
        let of_one =
            plan.flags.node_eviction_rate == 1.0 || plan.flags.secondary_node_eviction_rate == 1.0;
        let pace = at.filter(|_| of_one || state == ZoneState::FullDisruption).and_then(told);
        let pace = pace.or_else(|| Pace::of(plan, state, nodes));
        let pace = pace.map_or_else(String::new, |p| format!(": {}", p.words(plan)));
        format!("{zone}: {}{pace}", state.as_str())
    }

    fn subject(&self, row: &Row) -> String {
        match (row.pods, row.pod) {
            (0, _) => self.nodes(&row.nodes),
            (_, Some(pod)) => format!("{}{}", self.analysis.pod_name(pod), self.placed(row, "of")),
            (n, None) => format!("{} pods{}", grouped(n.into()), self.placed(row, "of")),
        }
    }

    /// ` of b-0, b-1`, with such a word before the nodes; nothing where there are none.
    fn placed(&self, row: &Row, word: &str) -> String {
        // Where they were bound to is said at the end.
        if row.nodes.is_empty() || matches!(row.fact, Fact::PodBound(_)) {
            return String::new();
        }
        format!(" {word} {}", self.nodes(&row.nodes))
    }

    /// `Deployment default/web: 3 pods on b-0, b-1`
    fn replicas(&self, row: &Row, workload: WorkloadId) -> String {
        let on = self.placed(row, "on");
        let n = grouped(row.pods.into());
        match row.pod {
            Some(pod) => format!("{}{on}", self.analysis.pod_name(pod)),
            None if workload.index() >= self.analysis.trace.names.workloads() => {
                format!("{n} pods of workloads{on}")
            }
            None => format!("{}: {n} pods{on}", self.analysis.workload_in_words(workload)),
        }
    }

    fn nodes(&self, nodes: &[NodeId]) -> String {
        if nodes.len() <= NAMED {
            let names: Vec<&str> = nodes.iter().map(|&n| self.analysis.node_name(n)).collect();
            return names.join(", ");
        }
        let count = grouped(nodes.len() as u64);
        let zones: BTreeSet<&str> = nodes.iter().map(|n| self.analysis.zone_name(*n)).collect();
        match zones.len() {
            1 if zones.contains("") => format!("{count} nodes"),
            1 => format!("{count} nodes of zone {}", self.analysis.zone_name(nodes[0])),
            n => format!("{count} nodes of {n} zones"),
        }
    }
}

fn times(row: &Row, said: &str) -> String {
    match row.count {
        0 | 1 => said.to_owned(),
        n => format!("{said} ({} times)", grouped(n.into())),
    }
}
