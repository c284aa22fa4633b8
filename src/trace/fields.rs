//! A record's parts as texts, under the names that recorded timelines and `events.jsonl` use.

use super::event::{Message, event_message, event_reason};
use super::note::{Note, ObjectKind};
use super::{BudgetState, Record, Rejection, Trace, What};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId, TextId, WorkloadId};
use crate::api::probe::ProbeType;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A record as named texts; the shape of a line of `events.jsonl`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fields {
    /// The kind of record, `node-taints` say.
    pub what: &'static str,
    /// The node it is about, or that a pod is on.
    pub node: Option<String>,
    /// The pod it is about, `namespace/name`.
    pub pod: Option<String>,
    /// The object of an event, or the claim of a volume, `Kind/namespace/name`.
    pub object: Option<String>,
    /// The type of a condition or event.
    pub kind: Option<&'static str>,
    /// The status of a condition, or a phase.
    pub status: Option<&'static str>,
    /// The reason of a condition or event.
    pub reason: Option<Cow<'static, str>>,
    /// The message of an event, or any other text.
    pub message: Option<String>,
    /// `spec.unschedulable`
    pub value: Option<bool>,
    /// The grace period of a deletion, or the seconds of a timer.
    pub seconds: Option<u32>,
    /// A span in milliseconds.
    pub(crate) millis: Option<u32>,
    /// How often an event was seen, if more than once.
    pub count: Option<u32>,
    /// How many pods a workload asks for.
    pub(crate) replicas: Option<i32>,
    /// Taints that were added.
    pub added: Vec<String>,
    /// Taints that were removed.
    pub removed: Vec<String>,
    /// The disruption budget that it is about, and how it stood.
    pub(crate) budget: Option<BudgetState>,
    /// Pods that a drain left behind, `namespace/name`.
    pub(crate) left: Vec<String>,
    /// What filters said of nodes, a reason each.
    pub(crate) filters: Vec<Told>,
}

impl Fields {
    /// A condition and its status; no reason is none.
    fn condition(&mut self, kind: &'static str, status: ConditionStatus, reason: &'static str) {
        (self.kind, self.status) = (Some(kind), Some(status.as_str()));
        self.reason = Some(reason).filter(|r| !r.is_empty()).map(Cow::from);
    }
}

/// The nodes that a filter rejects for one reason; without any the pod is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Told {
    /// Who rejects, and why.
    pub(crate) rejection: Rejection,
    /// How many nodes.
    pub(crate) count: usize,
    /// Their names, those of neighbours as `first..last`.
    pub(crate) nodes: Vec<String>,
}

impl Trace {
    /// A record's parts as texts.
    pub fn fields(&self, r: &Record) -> Fields {
        let names = &self.names;
        let node_name = |node| Some(names.node_name(node).to_owned());
        let workload_name = || Some(names.workload_name(WorkloadId(r.object)).to_owned());
        let (what, object) = r.what.kind();
        let mut f = Fields { what, ..Fields::default() };
        match object {
            ObjectKind::Node => f.node = node_name(NodeId(r.object)),
            ObjectKind::Pod => f.pod = Some(names.pod_name(PodId(r.object)).to_owned()),
            ObjectKind::Workload => f.object = workload_name(),
            ObjectKind::Claim => f.object = Some(self.claim(r.object)),
            ObjectKind::Zone => f.object = Some(names.text_of(TextId(r.object)).replace('\0', "")),
            ObjectKind::Budget | ObjectKind::Entry | ObjectKind::Nothing => {}
        }
        match r.what {
            What::NodeCondition(kind, is, why) => f.condition(kind.as_str(), is, why.as_str()),
            What::PodCondition(kind, is, why) => f.condition(kind.as_str(), is, why.as_str()),
            What::PodConditionGone(kind) => f.kind = Some(kind.as_str()),
            What::NodeTaints(change) => {
                let change = &self.taints[change as usize];
                f.added = change.added.iter().map(ToString::to_string).collect();
                f.removed = change.removed.iter().map(ToString::to_string).collect();
            }
            What::NodeUnschedulable(value) => f.value = Some(value),
            What::PodCreated(node) => f.node = What::created_on(node).and_then(node_name),
            What::PodBound(node)
            | What::ContainersStarted(node)
            | What::ContainersStopped(node) => f.node = node_name(NodeId(node)),
            What::PodPhase(phase) => f.status = Some(phase.as_str()),
            What::PodDeleting(seconds) | What::TimerSet(seconds) => f.seconds = Some(seconds),
            What::PodUnplaced(_) => f.filters = self.told(r),
            What::NodeEvent(text, combined, count) | What::PodEvent(text, combined, count) => {
                self.fill_event(&mut f, &Message { body: text.into(), combined, count });
            }
            What::NodeMessage(index)
            | What::PodMessage(index)
            | What::WorkloadMessage(index)
            | What::ClaimMessage(index) => {
                self.fill_event(&mut f, &self.messages[index as usize]);
            }
            What::WorkloadCreated(n) | What::WorkloadScaled(n) => f.replicas = Some(n),
            What::BudgetDeleted => f.object = workload_name(),
            What::Zone(state) => f.status = Some(state.as_str()),
            What::Noted(note, arg) => self.fill_note(&mut f, note, arg),
            What::Refused(text) | What::CutShort(text) => {
                f.message = Some(names.text_of(TextId(text)).to_owned());
            }
            What::EvictionGranted(_) | What::BudgetCreated(_) | What::BudgetChanged(_) => {
                f.budget = self.budget(r).copied();
            }
            What::EvictionRefused(_) => {
                f.budget = self.budget(r).copied();
                f.reason = f.budget.map(|b| b.refusal.as_str().into());
            }
            What::DrainEnded(end) => self.fill_drain(&mut f, end),
            // The others have nothing but their object.
            _ => {}
        }
        f
    }

    /// A claim, given by the number of the text of its name.
    fn claim(&self, name: u32) -> String {
        format!("PersistentVolumeClaim/{}", self.names.text_of(TextId(name)))
    }

    fn fill_event(&self, f: &mut Fields, event: &Message) {
        // An event names its object in one field, with its kind.
        let (node, pod) = (f.node.take(), f.pod.take());
        let (kind, name) = match (node, pod) {
            (Some(node), _) => ("Node/", node),
            (_, Some(pod)) => ("Pod/", pod),
            (None, None) => ("", f.object.take().unwrap_or_default()),
        };
        f.object = Some(format!("{kind}{name}"));
        f.kind = Some(event.body.text.row().0);
        f.reason = Some(event_reason(event.body.text, &name));
        let message = event_message(event.body, &name, &self.names);
        f.message = Some(if event.combined {
            format!("(combined from similar events): {message}")
        } else {
            message
        });
        f.count = Some(event.count).filter(|&n| n > 1);
    }

    fn fill_note(&self, f: &mut Fields, note: Note, arg: u32) {
        let (arg, container) = note.parts(arg);
        f.message = container.map(|name| self.names.text_of(name).to_owned());
        match note {
            Note::NodeExpired
            | Note::LastHeartbeat
            | Note::LeaseForgotten
            | Note::RenewalUnseen
            | Note::TimerRecalled
            | Note::ImagePulled => f.millis = Some(arg),
            Note::TaintsKnown => {
                let known = &self.taints[arg as usize].added;
                f.added = known.iter().map(ToString::to_string).collect();
            }
            Note::TaintsGone => f.value = Some(arg != 0),
            note if Note::OF_VOLUMES.contains(&note) => f.object = Some(self.claim(arg)),
            Note::ReadinessRuleCreated | Note::ReadinessRuleGone | Note::BootstrapCompleted => {
                f.object = Some(format!("NodeReadinessRule/{}", self.names.text_of(TextId(arg))));
            }
            Note::AgentCondition
            | Note::ImageDeleted
            | Note::ReadinessEvaluated
            | Note::DevicesAllocated
            | Note::ContainerStarted
            | Note::ContainerRestarted
            | Note::DeviceEvictionReason => {
                f.message = Some(self.names.text_of(TextId(arg)).to_owned());
            }
            Note::RuleCondition => {
                let [rule, reason, status, message] = self.rule_condition(TextId(arg));
                f.object = Some(format!("DeviceTaintRule/{rule}"));
                f.kind = Some("EvictionInProgress");
                f.status = ConditionStatus::parse(status).map(ConditionStatus::as_str);
                f.reason = Some(Cow::from(reason.to_owned()));
                f.message = Some(message.to_owned()).filter(|m| !m.is_empty());
            }
            Note::JobComplete | Note::JobFailed => {
                let (reason, message) = self.job_end(TextId(arg));
                f.reason = Some(Cow::from(reason.to_owned()));
                f.message = Some(message.to_owned());
            }
            Note::DeviceEvictionSet | Note::BackOff | Note::ImagePullFailed => {
                f.seconds = Some(arg)
            }
            Note::ContainerServes => f.value = Some(arg != 0),
            Note::ContainerEnded | Note::ImagePulling => f.count = Some(arg),
            Note::ContainerUnhealthy => {
                f.kind = Some(ProbeType::ALL.get(arg as usize).map_or("", |p| p.as_str()));
            }
            // The others have nothing but their object.
            _ => {}
        }
    }

    /// A rule's name, and the reason, the status and the message of its condition.
    pub(crate) fn rule_condition(&self, text: TextId) -> [&str; 4] {
        let mut lines = self.names.text_of(text).splitn(4, '\n');
        std::array::from_fn(|_| lines.next().unwrap_or_default())
    }

    /// The reason and the message with which a Job ended.
    pub(crate) fn job_end(&self, text: TextId) -> (&str, &str) {
        self.names.text_of(text).split_once('\n').unwrap_or_default()
    }

    fn fill_drain(&self, f: &mut Fields, end: u32) {
        let (names, end) = (&self.names, &self.drains[end as usize]);
        f.status = Some(end.outcome.as_str());
        f.millis = Some(u32::try_from(end.took.as_millis()).unwrap_or(u32::MAX));
        f.count = Some(end.gone);
        f.left = end.left.iter().map(|p| names.pod_name(*p).to_owned()).collect();
        f.message = Some(names.text_of(end.words).to_owned()).filter(|m| !m.is_empty());
    }

    /// The verdicts of a failed attempt by reason, sorted.
    fn told(&self, r: &Record) -> Vec<Told> {
        let mut told: BTreeMap<&Rejection, (usize, Vec<String>)> = BTreeMap::new();
        for (first, nodes, rejection) in self.verdict_runs(r) {
            let (count, names) = told.entry(rejection).or_default();
            *count += nodes as usize;
            let Some(first) = first else { continue };
            let name = self.names.node_name(first);
            names.push(match nodes {
                1 => name.to_owned(),
                n => format!("{name}..{}", self.names.node_name(NodeId(first.0 + n - 1))),
            });
        }
        told.into_iter()
            .map(|(rejection, (count, nodes))| Told { rejection: rejection.clone(), count, nodes })
            .collect()
    }

    /// A record in one line, without its time: `node-lifecycle node-condition b-00 Ready Unknown
    /// NodeStatusUnknown`.
    pub(crate) fn sentence(&self, r: &Record) -> String {
        let (f, names) = (self.fields(r), &self.names);
        let mut parts = vec![r.actor.as_str().to_owned(), f.what.to_owned()];
        parts.extend([f.pod, f.object].into_iter().flatten());
        parts.extend(f.node.map(|node| if parts.len() > 2 { format!("on {node}") } else { node }));
        let kinds = [f.kind, f.status, f.reason.as_deref()];
        parts.extend(kinds.into_iter().flatten().map(str::to_owned));
        parts.extend(f.added.into_iter().map(|t| format!("+{t}")));
        parts.extend(f.removed.into_iter().map(|t| format!("-{t}")));
        parts.extend(f.seconds.map(|s| format!("{s}s")));
        parts.extend(f.value.map(|v| v.to_string()));
        parts.extend(f.replicas.map(|n| format!("replicas {n}")));
        parts.extend(f.filters.into_iter().map(|t| match (t.rejection.plugin, t.count) {
            (plugin, 0) => plugin.to_owned(),
            (plugin, count) => format!("{plugin} on {count}"),
        }));
        parts.extend(f.budget.map(|b| {
            let BudgetState { budget, rule, expected, desired, healthy, allowed, .. } = b;
            let state =
                format!("{healthy} of {expected} healthy, needs {desired}, allows {allowed}");
            let name = names.workload_name(budget);
            format!("{name} {} {}: {state}", rule.field(), rule.amount())
        }));
        parts.extend(f.left.into_iter().map(|p| format!("left {p}")));
        parts.extend(f.message.map(|m| format!("{m:?}")));
        parts.join(" ")
    }
}
