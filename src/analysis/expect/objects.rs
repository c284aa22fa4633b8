//! Which pods an expectation means, which of them wait at a moment, and the records that it looks
//! for.

use super::super::explain::is_of_filter;
use super::prelude::*;
use crate::api::labels::Labels;
use crate::language::did_you_mean;
use crate::plan::NodeIndex;
use crate::scenario::expectations::{TaintSought, glob};

/// The pods and the nodes that records are looked for of; where none are named all are meant.
pub(super) struct Meant {
    pods: Option<Vec<bool>>,
    nodes: Option<BTreeSet<NodeId>>,
}

impl Meant {
    /// Those of what is sought.
    ///
    /// # Errors
    /// As [`selected`].
    pub(super) fn by(run: &Run<'_>, sought: &Sought) -> Result<Self, Wrong> {
        let pods = sought.pods.as_ref().map(|pods| selected(run, pods)).transpose()?;
        let ids = |nodes| node_ids(run, nodes);
        Ok(Self { pods, nodes: sought.nodes.as_ref().map(ids) })
    }

    pub(super) fn is_pod(&self, pod: PodId) -> bool {
        self.pods.as_ref().is_none_or(|pods| pods.get(pod.index()) == Some(&true))
    }

    pub(super) fn is_on(&self, node: Option<NodeId>) -> bool {
        self.nodes.as_ref().is_none_or(|nodes| node.is_some_and(|on| nodes.contains(&on)))
    }
}

/// Nodes of the plan by their ids in the run.
pub(super) fn node_ids(run: &Run<'_>, nodes: &BTreeSet<NodeIndex>) -> BTreeSet<NodeId> {
    nodes.iter().map(|&i| run.analysis.node_id(i)).collect()
}

/// The pods that were on one of the nodes at some time of a stretch.
pub(super) fn were_on(
    run: &Run<'_>,
    nodes: &BTreeSet<NodeIndex>,
    (from, to): Stretch,
) -> BTreeSet<PodId> {
    let nodes = node_ids(run, nodes);
    let mut follow = Follow::new(run.analysis);
    let mut found = BTreeSet::new();
    while let Some((_, r, step)) = follow.step_until(to) {
        if r.at >= from && step.on().is_some_and(|on| nodes.contains(&on)) {
            found.extend(r.pod());
        }
    }
    // Where nothing happened to a pod in the stretch, it is still where it was.
    let is_on = |pod: &PodState| pod.node_id().is_some_and(|on| nodes.contains(&on));
    found.extend(follow.pods().filter(|(_, pod)| is_on(pod)).map(|(id, _)| id));
    found
}

/// For each pod of the run whether it is meant.
///
/// # Errors
/// None of them is: neither the scenario nor the run has such a pod.
pub(super) fn selected(run: &Run<'_>, pods: &Pods) -> Result<Vec<bool>, Wrong> {
    let analysis = run.analysis;
    let names = &analysis.trace.names;
    // A pod that never comes to be has the scenario's.
    let (plan, trace) = (analysis.plan, analysis.trace);
    let planned = |p: &PodPlan| {
        Some((names.find_pod(&p.name)?, &plan.templates.get(p.template as usize)?.labels))
    };
    let made =
        trace.templates.iter().filter_map(|(id, t)| Some((trace.get(*id)?.pod()?, &t.labels)));
    let all = if pods.labels.is_empty() { 0 } else { usize::MAX };
    let labels = plan.pods.iter().filter_map(planned).chain(made).take(all);
    let labels: BTreeMap<PodId, &Labels> = labels.collect();
    let fits = |id: PodId| {
        pods.has(analysis.pod_name(id), labels.get(&id).copied())
            && run.is_pod_of(pods.workloads.as_ref(), id)
    };
    let found: Vec<bool> = (0..analysis.pod_count() as u32).map(|i| fits(PodId(i))).collect();
    // A workload without pods is known from the scenario, by whatever its pods would be called or labelled; what else
    // selects nothing is a slip.
    let would_fit = |w: &WorkloadPlan| {
        let own = own_name(w);
        let template = plan.templates.get(w.template as usize);
        // Others have no numbers.
        let is_numbered = matches!(w.kind, WorkloadKind::StatefulSet | WorkloadKind::Job);
        let name = format!("{own}-{}", if is_numbered { "0" } else { "x" });
        pods.names.is_none()
            && pods.has(&name, template.map(|t| &t.labels))
            && pods.workloads.as_ref().is_none_or(|all| all.contains(&w.name))
    };
    if !found.contains(&true)
        && !pods.written.is_empty()
        && !analysis.plan.workloads.iter().any(would_fit)
    {
        let message = format!("neither the scenario nor the run has such a pod: {}", pods.written);
        let names = "the names of the pods that a run creates are in its events.jsonl; `*` stands for any letters";
        // A name that was guessed from that of its workload.
        let is_guessed = |w: &&WorkloadPlan| {
            let guessed = pods.glob.as_ref().and_then(|glob| glob.strip_prefix(own_name(w)));
            guessed.is_some_and(|rest| rest.starts_with('-') && !rest.contains('*'))
        };
        let meant = analysis.plan.workloads.iter().find(is_guessed);
        let help = meant.map_or(names.to_owned(), |w| {
            format!("`workload: {:?}` is all pods of it; {names}", short_name(&w.name))
        });
        return Err(Wrong { message, help: Some(help) });
    }
    Ok(found)
}

/// The `namespace/name` of a workload.
fn own_name(w: &WorkloadPlan) -> &str {
    w.name.split_once('/').map_or("", |(_, own)| own)
}

/// Reasons of events by the kinds of objects that they are told of; all others are told of pods.
const KINDS: [(&str, &str); 9] = [
    (
        "Node",
        "RegisteredNode RemovingNode NodeNotReady NodeReady DeletingAllPods DeletingNode Synced Shutdown EvictionThresholdMet TaintAdded TaintRemoved FreeDiskSpaceFailed ImageGCFailed",
    ),
    ("Pod", "NodeNotReady Shutdown"),
    (
        "ReplicaSet StatefulSet DaemonSet Job",
        "SuccessfulCreate SuccessfulDelete FailedCreate FailedDelete",
    ),
    ("StatefulSet", "RecreatingFailedPod RecreatingTerminatedPod"),
    ("Deployment", "ScalingReplicaSet"),
    ("DaemonSet", "FailedPlacement FailedDaemonPod SucceededDaemonPod"),
    ("Job", "BackoffLimitExceeded PodFailurePolicy Completed"),
    (
        "PodDisruptionBudget",
        "NoPods CalculateExpectedPodCountFailed NoControllers NoControllerRef UnmanagedPods",
    ),
    (
        "PersistentVolumeClaim",
        "WaitForFirstConsumer WaitForPodScheduled ExternalProvisioning Provisioning ProvisioningSucceeded ProvisioningFailed",
    ),
];

/// Of which kinds of objects an event with this reason is told.
fn kinds_of(reason: &str) -> Vec<&'static str> {
    let is_told = |(_, reasons): &&(_, &str)| reasons.split(' ').any(|r| r == reason);
    let kinds = KINDS.iter().filter(is_told).flat_map(|(kinds, _)| kinds.split(' '));
    let kinds = Vec::from_iter(kinds);
    if kinds.is_empty() { vec!["Pod"] } else { kinds }
}

/// Refuses events of a reason that is told of no such object, and a pattern that no object of the scenario or of the run fits, as
/// events name them.
fn can_have_events(
    run: &Run<'_>,
    sought: &Sought,
    (reason, pattern): (&str, Option<&String>),
) -> Result<(), Wrong> {
    let kinds = kinds_of(reason);
    let other = |what: &str| Wrong {
        message: format!("events {reason} are of kind {} alone, and {what}", kinds.join(", ")),
        help: Some(
            "`object` names one as `Node/a-0`, `Pod/default/web-0` or `Job/default/sum`".to_owned(),
        ),
    };
    if sought.pods.is_some() && !kinds.contains(&"Pod") {
        return Err(other("this is about pods"));
    } else if sought.nodes.is_some() && !kinds.contains(&"Pod") && !kinds.contains(&"Node") {
        return Err(other("this is about nodes and what is on them"));
    }
    let Some(pattern) = pattern else { return Ok(()) };
    let (plan, names) = (run.analysis.plan, &run.analysis.trace.names);
    let nodes = plan.nodes.iter().map(|n| format!("Node/{}", n.name));
    let pods = names.pod_ids().map(|id| format!("Pod/{}", names.pod_name(id)));
    let of_run = names.workload_ids().map(|id| names.workload_name(id).to_owned());
    let budgets = plan.budgets.iter().map(|b| b.name.clone());
    // A workload that makes no pods in this run is known from the scenario, and so are its pods.
    let known =
        plan.workloads.iter().flat_map(|w| [w.name.to_string(), format!("Pod/{}-0", own_name(w))]);
    let all = nodes.chain(of_run).chain(known).chain(budgets).chain(claims(run)).chain(pods);
    let all: Vec<String> = all.collect();
    let fitting = all.iter().filter(|name| glob(pattern, name));
    let mut fitting = fitting.filter_map(|name| Some(name.split_once('/')?.0)).peekable();
    if fitting.peek().is_some() {
        let any = fitting.any(|kind| kinds.contains(&kind));
        return if any { Ok(()) } else { Err(other(&format!("{pattern} is none"))) };
    }
    let help = did_you_mean(pattern, all.iter().map(String::as_str));
    let form = || "as `Node/a-0` or `Pod/default/web-0`; `*` stands for any letters".to_owned();
    let message = format!("neither the scenario nor the run has such an object: {pattern}");
    Err(Wrong { message, help: help.or_else(|| Some(form())) })
}

/// The claims of all pods, as events name them.
fn claims(run: &Run<'_>) -> Vec<String> {
    let (plan, trace) = (run.analysis.plan, run.analysis.trace);
    let planned = |p: &PodPlan| {
        Some((trace.names.find_pod(&p.name)?, &plan.templates.get(p.template as usize)?.claims))
    };
    let made =
        trace.templates.iter().filter_map(|(id, t)| Some((trace.get(*id)?.pod()?, &t.claims)));
    let all = plan.pods.iter().filter_map(planned).chain(made);
    let name =
        |pod, claim| format!("PersistentVolumeClaim/{}", run.analysis.claim_name(claim, pod));
    all.flat_map(|(pod, claims)| claims.iter().map(move |claim| name(pod, claim))).collect()
}

/// Whether as many of the pods as expected, those that fit, are Pending at that moment, for that reason.
pub(super) fn judge_pending(
    run: &Run<'_>,
    (pods, fits): (&Pods, &[bool]),
    count: Count,
    at: Time,
    reason: Option<&str>,
) -> Option<Failed> {
    let waits = waiting(run, fits, at);
    let is_counted = |w: &Waiting<'_>| reason.is_none_or(|part| w.2.contains(part));
    let counted: Vec<Waiting<'_>> = waits.iter().copied().filter(is_counted).collect();
    let n = counted.len() as u64;
    if (count.least..=count.most).contains(&n) {
        return None;
    }
    let of = words::of_pods(pods);
    let for_reason = reason.map(|r| format!(" for {r:?}")).unwrap_or_default();
    let mut got = n.to_string();
    if waits.len() != counted.len() {
        got += &format!(", and {} for another reason", waits.len() - counted.len());
    }
    let evidence = if counted.is_empty() { &waits } else { &counted };
    let expected = format!("pending pods{of} at {}{for_reason}: {}", time(at), words::count(count));
    let records = evidence.iter().map(|w| w.1).filter(|r| *r != NO_RECORD).take(RECORDS).collect();
    // A pod that waits explains too many of them; too few, one that waits for another reason, or what
    // became of those that do not.
    let one = || {
        let mut all = (0..fits.len() as u32).map(PodId).filter(|id| fits[id.index()]);
        all.next().filter(|_| all.next().is_none()).map(Object::Pod)
    };
    let of_all = || run.workload_of(pods.workloads.as_ref()).or_else(one);
    let failed = run.failed(expected, got, records);
    let about = match evidence.first() {
        Some((pod, ..)) if n > count.most => Some((Object::Pod(*pod), Some(at))),
        _ => failed.about.or_else(|| Some((of_all()?, Some(at)))),
    };
    Some(Failed { about, way: n.cmp(&count.most.min(n.max(count.least))), ..failed })
}

/// Why it says nothing that no pod waits for such a reason: none ever did in the run, and it is none
/// of those that the scheduler is known to give.
pub(super) fn never_for(run: &Run<'_>, reason: &str) -> Option<String> {
    let trace = run.analysis.trace;
    let mut given = trace.iter().filter_map(|r| trace.failed_scheduling(r));
    let is_known =
        is_of_filter(reason) || given.any(|(text, _)| trace.names.text_of(text).contains(reason));
    (!is_known).then(|| format!("no pod ever waited for a reason with `{reason}` in this run"))
}

/// A pod that waits, with the record of its latest FailedScheduling event, or [`NO_RECORD`], and
/// what that says.
type Waiting<'a> = (PodId, RecordId, &'a str);

/// The selected pods that are Pending at a moment.
pub(super) fn waiting<'a>(run: &Run<'a>, fits: &[bool], at: Time) -> Vec<Waiting<'a>> {
    let analysis = run.analysis;
    let mut follow = Follow::new(analysis);
    let mut why: BTreeMap<PodId, (RecordId, &str)> = BTreeMap::new();
    while let Some((id, r, _)) = follow.step_until(at) {
        if let Some((text, _)) = analysis.trace.failed_scheduling(r) {
            why.insert(PodId(r.object), (id, analysis.trace.names.text_of(text)));
        } else if let (What::PodCreated(_) | What::PodBound(_), Some(pod)) = (r.what, r.pod()) {
            // What the scheduler said of another one of that name, or before it found a node, is over.
            why.remove(&pod);
        }
    }
    let waits =
        follow.pods().filter(|(id, p)| p.is_pending() && fits.get(id.index()) == Some(&true));
    let why = |id: PodId| why.get(&id).copied().unwrap_or((NO_RECORD, ""));
    waits.map(|(id, _)| (id, why(id).0, why(id).1)).collect()
}

/// A record that was looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// By the millisecond.
    pub(super) at: Time,
    pub(super) record: RecordId,
    pub(super) object: u32,
    /// The record with which its pod was created, which tells it from others of that name.
    pub(super) created: RecordId,
    /// The node of its pod, or that it is about.
    pub(super) node: Option<NodeId>,
}

/// A search under way.
struct Search<'a> {
    sought: &'a Sought,
    meant: Meant,
    hits: Vec<Hit>,
}

/// The records that each expectation looks for, in one walk through the trace: a list for each that
/// is about records, and for each part of an order or of what follows what.
pub(super) fn find(run: &Run<'_>, expectations: &[Expectation]) -> Vec<Result<Vec<Hit>, Wrong>> {
    let all = expectations.iter().flat_map(|e| e.what.records());
    let mut searches: Vec<Result<Search<'_>, Wrong>> = all
        .map(|sought| {
            if let Kind::Event { reason, object, .. } = &sought.what {
                can_have_events(run, sought, (reason, object.as_ref()))?;
            }
            Ok(Search { sought, meant: Meant::by(run, sought)?, hits: Vec::new() })
        })
        .collect();
    if searches.iter().any(Result::is_ok) {
        let mut follow = Follow::new(run.analysis);
        let mut created: BTreeMap<PodId, RecordId> = BTreeMap::new();
        while let Some((id, r, step)) = follow.step() {
            if let (What::PodCreated(_), Some(pod)) = (r.what, r.pod()) {
                created.insert(pod, id);
            }
            let created = || r.pod().and_then(|pod| created.get(&pod)).copied();
            for search in searches.iter_mut().flatten() {
                if search.finds(run, r, &step) {
                    let (at, object, node) = (r.at.whole_millis(), r.object, step.on());
                    let created = created().unwrap_or(NO_RECORD);
                    search.hits.push(Hit { at, record: id, object, created, node });
                }
            }
        }
    }
    searches.into_iter().map(|s| s.map(|s| s.hits)).collect()
}

impl Search<'_> {
    fn finds(&self, run: &Run<'_>, r: &Record, step: &Step) -> bool {
        let during = self.sought.times.during;
        if r.at < during.0 || r.at > during.1 || !self.is_sought(run, r, step) {
            return false;
        }
        // An expectation about pods means no events of other objects.
        r.pod().map_or(self.sought.pods.is_none(), |pod| self.meant.is_pod(pod))
            && self.meant.is_on(step.on())
    }

    fn is_sought(&self, run: &Run<'_>, r: &Record, step: &Step) -> bool {
        let trace = run.analysis.trace;
        let change = || trace.taint_change(r).into_iter();
        let created = || step.pod.is_some_and(|(_, before, after)| !before.exists && after.exists);
        match &self.sought.what {
            Kind::Evicted { by } => {
                let cause =
                    step.eviction(r).and_then(|(_, before)| EvictionCause::of(r, before.asked));
                cause.is_some_and(|c| by.is_none_or(|by| by == c))
            }
            Kind::Deleted { by } => {
                step.deletion_begins().is_some()
                    && by.as_ref().is_none_or(|by| r.actor.as_str() == by)
            }
            Kind::Gone => r.what == What::PodGone,
            Kind::Created => matches!(r.what, What::PodCreated(_)) && created(),
            Kind::Bound => matches!(r.what, What::PodBound(_)),
            Kind::Phase(phase) => r.what == What::PodPhase(*phase),
            Kind::PodCondition(kind, status) => {
                matches!(r.what, What::PodCondition(k, s, _) if k == *kind && s == *status)
            }
            Kind::TimerSet => matches!(r.what, What::TimerSet(_)),
            Kind::TimerCancelled => r.what == What::TimerCancelled,
            Kind::EvictionFailed => r.what == What::EvictionFailed,
            Kind::Tainted(t) => change().any(|c| c.added.iter().any(|x| is_taint(t, x))),
            Kind::Untainted(t) => change().any(|c| c.removed.iter().any(|x| is_taint(t, x))),
            Kind::Condition(kind, status) => {
                matches!(r.what, What::NodeCondition(k, s, _) if k == *kind && s == *status)
            }
            Kind::Unschedulable(value) => r.what == What::NodeUnschedulable(*value),
            Kind::Zone(state, zone) => {
                r.what == What::Zone(*state)
                    && zone.as_ref().is_none_or(|z| run.analysis.zone_told(r) == *z)
            }
            Kind::MasterDisruption { entered: true } => r.what == What::MasterDisruptionEntered,
            Kind::MasterDisruption { entered: false } => r.what == What::MasterDisruptionLeft,
            Kind::Event { reason, message, object } => {
                is_event(trace, r, reason, message.as_ref(), object.as_ref())
            }
        }
    }
}

/// Whether a record is an event of this reason, with this part of a message, about an object whose
/// name fits this pattern.
fn is_event(
    trace: &Trace,
    r: &Record,
    reason: &str,
    message: Option<&String>,
    object: Option<&String>,
) -> bool {
    let text = match r.what {
        What::NodeEvent(text, ..) | What::PodEvent(text, ..) => text,
        What::NodeMessage(m)
        | What::PodMessage(m)
        | What::WorkloadMessage(m)
        | What::ClaimMessage(m) => trace.messages[m as usize].body.text,
        _ => return false,
    };
    if text.as_str() != reason {
        return false;
    }
    let fields = trace.fields(r);
    let has = |part: &String| fields.message.as_ref().is_some_and(|m| m.contains(part.as_str()));
    let about = |pattern: &String| fields.object.as_ref().is_some_and(|o| glob(pattern, o));
    message.is_none_or(has) && object.is_none_or(about)
}

/// Whether it is the taint that is looked for.
pub(super) fn is_taint(sought: &TaintSought, taint: &Taint) -> bool {
    (sought.key == taint.key || sought.key == short_key(&taint.key))
        && sought.value.as_ref().is_none_or(|v| *v == taint.value)
        && sought.effect.is_none_or(|e| e == taint.effect)
}

/// Whether one record may be both the one and the other, which then comes with it: the deletion of a
/// pod by force is its end. A write that takes a taint away and sets it anew does it in that order.
pub(super) fn may_be_one(one: &Kind, other: &Kind) -> bool {
    match (one, other) {
        (Kind::Tainted(a), Kind::Untainted(b)) | (Kind::Untainted(b), Kind::Tainted(a)) => {
            short_key(&a.key) != short_key(&b.key)
        }
        _ => std::mem::discriminant(one) != std::mem::discriminant(other),
    }
}
