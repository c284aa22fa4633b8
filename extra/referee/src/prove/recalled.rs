//! A recorded run as a trace, for properties to be looked for in it.
//!
//! What a recording has are the changes that the API server saw. What it has not is taken from the
//! plan, which says it exactly: when kubelets are out of reach, when the controllers' process dies,
//! when a user changes a pod's tolerations. What a pod was made from is taken from a run of the model: it follows
//! from its name. Master disruption begins with the next pass of the monitor after the last node turned not Ready: it is taken to begin
//! [`LATE`] after that, and to end with the first that is Ready, and not to begin at all where controllers or their API server are ever
//! away. Left out is all else that only controllers know: countdowns, queues, zones.

use crate::conformance::pods;
use crate::recorded::Line;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::rc::Rc;
use taintsim::api::kubectl_taint::parse_recorded;
use taintsim::api::meta::ConditionStatus;
use taintsim::api::names::{NodeId, PodId};
use taintsim::api::node::{NodeConditionType, NodeReason};
use taintsim::api::pod::{PodConditionType, PodPhase, PodReason, PodTemplate};
use taintsim::api::taint::Taint;
use taintsim::kernel::{Dur, Time};
use taintsim::plan::{Do, NodeFault, Plan, Whom};
use taintsim::trace::{Actor, NO_RECORD, Record, TaintChange, Trace, What};

/// How long no node has to be Ready for master disruption to be certain: passes of the monitor are 5 s apart and take their time.
const LATE: Dur = Dur::from_secs(30);

/// A recorded run as a trace. `ours` is a run of the model of the same plan.
///
/// # Errors
/// What cannot be told of the recording.
pub(super) fn trace_of(
    written: &[(Time, Line)],
    plan: &Plan,
    ours: &Trace,
) -> Result<Trace, String> {
    let mut recalled = Recalled::new(ours);
    let mut unseen = unseen(plan, ours);
    unseen.extend(master_disruption(written, plan));
    unseen.sort_by_key(|unseen| unseen.at);
    let mut unseen = unseen.into_iter().peekable();
    for (at, line) in written {
        while let Some(unseen) = unseen.next_if(|unseen| unseen.at <= *at) {
            recalled.take_unseen(unseen);
        }
        recalled.take(*at, line)?;
    }
    unseen.for_each(|unseen| recalled.take_unseen(unseen));
    recalled.trace.horizon = plan.horizon;
    // What the recorder was steered to hold up, it has held up for as long.
    recalled.trace.held_up.clone_from(&ours.held_up);
    Ok(recalled.trace)
}

/// What no recording has.
struct Unseen {
    at: Time,
    what: UnseenWhat,
}

enum UnseenWhat {
    Node(String, What),
    Tolerations(String, Rc<PodTemplate>),
    Controllers(What),
}

/// What the plan says and no recording, in order of time.
fn unseen(plan: &Plan, ours: &Trace) -> Vec<Unseen> {
    let mut all = Vec::new();
    for action in &plan.actions {
        let (at, act) = (action.at, &action.act);
        let of: &[What] = match act {
            Do::Fail(_, NodeFault::Cut(_)) => &[What::NodeSilent],
            Do::Recover(_, NodeFault::Cut(_)) => &[What::NodeHeard],
            Do::Fail(_, NodeFault::Off) => &[What::NodeSilent, What::MachineOff],
            Do::Recover(_, NodeFault::Off) => &[What::NodeHeard, What::MachineOn],
            Do::RestartControllers(_) => &[],
            _ => continue,
        };
        match act {
            Do::Fail(nodes, _) | Do::Recover(nodes, _) => {
                let names = nodes.iter().map(|n| &plan.nodes[*n as usize].name);
                let each = names.flat_map(|name| of.iter().map(|what| (name.clone(), *what)));
                all.extend(
                    each.map(|(name, what)| Unseen { at, what: UnseenWhat::Node(name, what) }),
                );
            }
            Do::RestartControllers(downtime) => {
                let stopped = UnseenWhat::Controllers(What::ControllersStopped);
                let started = UnseenWhat::Controllers(What::ControllersStarted);
                all.push(Unseen { at, what: stopped });
                all.push(Unseen { at: at.saturating_add(*downtime), what: started });
            }
            _ => {}
        }
    }
    for (id, template) in &ours.templates {
        if let Some(r) = ours.get(*id).filter(|r| r.what == What::PodTolerations)
            && let Some(pod) = r.pod()
        {
            let name = ours.names.pod_name(pod).to_owned();
            let what = UnseenWhat::Tolerations(name, template.clone());
            all.push(Unseen { at: r.at, what });
        }
    }
    all
}

/// When master disruption begins and ends, as far as that is certain.
fn master_disruption(written: &[(Time, Line)], plan: &Plan) -> Vec<Unseen> {
    let is_away = |act: &Do| matches!(act, Do::RestartControllers(_) | Do::ApiDown);
    let mut all = Vec::new();
    if plan.perturb.crash != Whom::NOBODY || plan.actions.iter().any(|a| is_away(&a.act)) {
        return all;
    }
    let mut ready: BTreeMap<&str, bool> = BTreeMap::new();
    let mut dark_since = None;
    let end = (plan.horizon, None);
    for (at, line) in written.iter().map(|(at, line)| (*at, Some(line))).chain([end]) {
        let was_dark = dark_since.filter(|since| at.since(*since) >= LATE);
        match line.map(|line| (line.what.as_str(), line)) {
            Some(("node-created", line)) => _ = ready.insert(&line.node, true),
            Some(("node-deleted", line)) => _ = ready.remove(line.node.as_str()),
            Some(("node-condition", line)) if line.kind == "Ready" => {
                ready.insert(&line.node, line.status == "True");
            }
            None => {}
            _ => continue,
        }
        let is_dark = !ready.is_empty() && ready.values().all(|ready| !ready);
        if is_dark && line.is_some() {
            dark_since = dark_since.or(Some(at));
            continue;
        }
        dark_since = None;
        if let Some(since) = was_dark {
            let certain = since.saturating_add(LATE);
            let states =
                [(certain, What::MasterDisruptionEntered), (at, What::MasterDisruptionLeft)];
            all.extend(states.map(|(at, what)| Unseen { at, what: UnseenWhat::Controllers(what) }));
        }
    }
    all
}

struct Recalled {
    trace: Trace,
    /// The names of the pods of the model's run by what recordings call them.
    names: BTreeMap<String, String>,
    /// What pods were made from in the model's run, by what recordings call them.
    templates: BTreeMap<String, Rc<PodTemplate>>,
}

impl Recalled {
    fn new(ours: &Trace) -> Self {
        let names = pods(ours);
        let mut by_name = BTreeMap::new();
        for (id, template) in &ours.templates {
            let record = ours.get(*id).filter(|r| matches!(r.what, What::PodCreated(_)));
            if let Some(pod) = record.and_then(Record::pod) {
                let name = ours.names.pod_name(pod);
                by_name.entry(name).or_insert_with(|| template.clone());
            }
        }
        let made = names.iter().filter_map(|(recorded, name)| {
            Some((recorded.clone(), by_name.get(name.as_str())?.clone()))
        });
        let templates = made.collect();
        Self { trace: Trace::of(ours.names.clone()), names, templates }
    }

    fn node(&mut self, name: &str) -> NodeId {
        self.trace.names.node(name)
    }

    fn pod(&mut self, name: &str) -> PodId {
        let name = self.names.get(name).map_or(name, String::as_str);
        self.trace.names.pod(name)
    }

    fn push(&mut self, at: Time, actor: Actor, object: u32, what: What) -> u32 {
        self.trace.push(Record { at, cause: NO_RECORD, saw: NO_RECORD, object, what, actor })
    }

    fn take_unseen(&mut self, Unseen { at, what }: Unseen) {
        match what {
            UnseenWhat::Node(name, what) => {
                let node = self.node(&name);
                self.push(at, Actor::User, node.0, what);
            }
            UnseenWhat::Controllers(what) => {
                self.push(at, Actor::User, 0, what);
            }
            UnseenWhat::Tolerations(name, template) => {
                let pod = self.trace.names.pod(&name);
                let id = self.push(at, Actor::User, pod.0, What::PodTolerations);
                self.trace.templates.push((id, template));
            }
        }
    }

    fn take(&mut self, at: Time, line: &Line) -> Result<(), String> {
        let Some(what) = self.what(line)? else { return Ok(()) };
        let actor = Actor::parse(&line.actor)
            .ok_or_else(|| format!("nobody here is called {:?}", line.actor))?;
        let is_of_pod = !line.pod.is_empty();
        let object = if is_of_pod { self.pod(&line.pod).0 } else { self.node(&line.node).0 };
        let id = self.push(at, actor, object, what);
        if matches!(what, What::PodCreated(_)) {
            let template = self.template(&line.pod)?;
            self.trace.templates.push((id, template));
        }
        Ok(())
    }

    /// What a pod is made from; one that the model's run has not is made as others of its workload.
    fn template(&self, name: &str) -> Result<Rc<PodTemplate>, String> {
        if let Some(template) = self.templates.get(name) {
            return Ok(template.clone());
        }
        let workload = |name: &str| name.rsplit_once('-').map(|(of, _)| of.to_owned());
        let of = workload(name);
        let other = self
            .templates
            .iter()
            .find(|(other, t)| t.owner.is_some() && of.is_some() && workload(other) == of);
        other.map(|(_, template)| template.clone()).ok_or_else(|| {
            format!("what {name} was made from is not known, as no run of the model has it")
        })
    }

    /// What a record says, if it is one that properties look at.
    fn what(&mut self, line: &Line) -> Result<Option<What>, String> {
        let strange = |of: &str, word: &str| format!("{of} {word:?} is not known here");
        let status = || {
            ConditionStatus::parse(&line.status).ok_or_else(|| strange("a status", &line.status))
        };
        Ok(Some(match line.what.as_str() {
            "node-created" => What::NodeCreated,
            "node-deleted" => What::NodeDeleted,
            "node-condition" => {
                let kind = NodeConditionType::parse(&line.kind)
                    .ok_or_else(|| strange("a condition", &line.kind))?;
                let reason = NodeReason::parse(&line.reason).unwrap_or(NodeReason::None);
                What::NodeCondition(kind, status()?, reason)
            }
            "node-taints" => {
                let change =
                    TaintChange { added: taints(&line.added)?, removed: taints(&line.removed)? };
                self.trace.taints.push(change);
                What::NodeTaints(self.trace.taints.len() as u32 - 1)
            }
            "node-unschedulable" => What::NodeUnschedulable(line.value == Some(true)),
            "pod-created" if line.node.is_empty() => What::PodCreated(None),
            "pod-created" => What::PodCreated(NonZeroU32::new(self.node(&line.node).0 + 1)),
            "pod-bound" => What::PodBound(self.node(&line.node).0),
            "pod-phase" => What::PodPhase(
                PodPhase::parse(&line.status).ok_or_else(|| strange("a phase", &line.status))?,
            ),
            "pod-condition" => {
                let kind = PodConditionType::parse(&line.kind)
                    .ok_or_else(|| strange("a condition", &line.kind))?;
                let reason = PodReason::parse(&line.reason).unwrap_or(PodReason::None);
                What::PodCondition(kind, status()?, reason)
            }
            "pod-condition-gone" => What::PodConditionGone(
                PodConditionType::parse(&line.kind)
                    .ok_or_else(|| strange("a condition", &line.kind))?,
            ),
            "pod-deleting" => {
                What::PodDeleting(u32::try_from(line.grace.unwrap_or(0)).unwrap_or(0))
            }
            "pod-gone" => What::PodGone,
            // No property that is judged by records looks at events, volumes or devices.
            _ => return Ok(None),
        }))
    }
}

fn taints(texts: &[String]) -> Result<Vec<Taint>, String> {
    let one = |text: &String| {
        let edit = parse_recorded(text, false).map_err(|e| format!("the taint {text:?}: {e}"))?;
        edit.add.into_iter().next().ok_or_else(|| format!("{text:?} is no taint"))
    };
    texts.iter().map(one).collect()
}
