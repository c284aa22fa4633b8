//! The drains of nodes, how long each took, and ended ones in words; disruption budgets in words.

use super::names::ranges;
use super::prelude::*;

/// A drain of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Drain {
    pub(crate) node: NodeId,
    pub(crate) from: Time,
    /// Until when; the end of the run where it goes on.
    pub(crate) to: Time,
    /// How it ended; nothing where it goes on.
    outcome: Option<DrainOutcome>,
}

impl Drain {
    /// Whether the run ends before it does.
    pub(crate) fn goes_on(&self) -> bool {
        self.outcome.is_none()
    }

    /// How it ended, and how long it took where that says something.
    pub(crate) fn words(&self) -> String {
        let took = short(whole(self.to.since(self.from)));
        match self.outcome {
            Some(DrainOutcome::Drained) => format!("drained in {took}"),
            Some(DrainOutcome::TimedOut) => format!("not drained in {took}"),
            // It is so at once.
            Some(DrainOutcome::Refused) => "drain refused".to_owned(),
            None => format!("drain goes on after {took}"),
        }
    }
}

/// The drains of a run, by when they ended. One that goes on began when it cordoned its node.
pub(crate) fn drains(analysis: &Analysis<'_>) -> Vec<Drain> {
    let (plan, trace) = (analysis.plan, analysis.trace);
    let is_drain = |r: &Record| {
        let cause = trace.get(r.cause).filter(|c| c.what == What::FaultBegan);
        let mut acts = plan.actions.iter().filter(|a| cause.is_some_and(|c| a.entry == c.object));
        acts.any(|a| matches!(a.act, Do::Drain(..) | Do::Maintain(..)))
    };
    let mut found = Vec::new();
    let mut open: BTreeMap<NodeId, Time> = BTreeMap::new();
    for r in trace.iter() {
        let Some(node) = r.node() else { continue };
        match r.what {
            What::NodeUnschedulable(true) if r.actor == Actor::User && is_drain(r) => {
                open.insert(node, r.at);
            }
            What::NodeUnschedulable(false) => _ = open.remove(&node),
            What::DrainEnded(_) => {
                open.remove(&node);
                found.extend(trace.drain_end(r).map(|end| Drain {
                    node,
                    from: r.at.saturating_sub(end.took),
                    to: r.at,
                    outcome: Some(end.outcome),
                }));
            }
            _ => {}
        }
    }
    let to = analysis.horizon();
    found.extend(open.into_iter().map(|(node, from)| Drain { node, from, to, outcome: None }));
    found
}

/// How the drain of a node ended.
pub(super) fn drain_ended(analysis: &Analysis<'_>, node: &str, end: &DrainEnd) -> String {
    let (pods, took) = (|n: usize| counted(n as u64, "pod"), short(whole(end.took)));
    match end.outcome {
        DrainOutcome::Drained => {
            format!("{node} drained, {} gone in {took}", pods(end.gone as usize))
        }
        DrainOutcome::TimedOut => format!(
            "{node} not drained: timed out after {took}, {}",
            left_behind(analysis, &end.left)
        ),
        DrainOutcome::Refused => {
            let words = analysis.trace.names.text_of(end.words);
            let error = words.split_once("due to error:").or_else(|| words.split_once("\nerror:"));
            let reason = error.map_or(words, |(_, why)| why.trim_start());
            let reason = reason.strip_suffix(", continuing command...").unwrap_or(reason);
            format!("{node} not drained: {reason}")
        }
    }
}

/// What the sentence on timers that run already begins with; behind it stand pods.
pub(crate) const KEPT: &str = "eviction timers that run already stay as they are, whatever seconds their pods tolerate by now: ";

/// What is refused of a timeline, and what of it changes nothing. Those of the entries from that one on, a sentence each: what kubectl or the API server refuse, drains
/// that do not end, nodes that are to come back although they were not silent, or to be cordoned or not as they are already, and timers that other seconds do not change.
pub(crate) fn refusals(analysis: &Analysis<'_>, from: u32) -> Vec<String> {
    let (plan, trace) = (analysis.plan, analysis.trace);
    let (mut said, mut cordoned) = (Vec::new(), BTreeSet::new());
    let is_cordoned = plan.nodes.iter().filter(|n| n.unschedulable);
    let mut closed: BTreeSet<&str> = is_cordoned.map(|n| n.name.as_str()).collect();
    // Of an entry that is done to several pods the first alone has it for a cause: the plan has them all.
    let mut patched: BTreeSet<&str> = BTreeSet::new();
    for action in plan.actions.iter().filter(|a| a.entry >= from) {
        let Do::PatchTolerations(pod, _) = action.act else { continue };
        patched.extend(plan.pods.get(pod as usize).map(|p| &*p.name));
    }
    let mut kept: BTreeSet<PodId> = BTreeSet::new();
    // By pod how its budget stood when its eviction was last refused.
    let mut held: BTreeMap<PodId, &BudgetState> = BTreeMap::new();
    let mut follow = Follow::new(analysis);
    for (id, r) in (0..).zip(trace.iter()) {
        let node = r.node();
        let was_silent = node.is_some_and(|node| follow.node(node).silent);
        follow.apply(id, r);
        match (r.what, node, r.pod()) {
            (What::NodeUnschedulable(close), Some(node), _) => {
                let (name, set) = (analysis.node_name(node), &mut closed);
                _ = if close { set.insert(name) } else { set.remove(name) };
            }
            (What::TimerSet(_) | What::TimerCancelled, _, Some(pod)) => _ = kept.remove(&pod),
            // Upstream's `processPodOnNode` leaves a timer that began before, but for a toleration for ever.
            (What::PodTolerations, _, Some(pod)) if patched.contains(analysis.pod_name(pod)) => {
                kept.extend(follow.timer(&follow.pod(pod)).map(|_| pod));
            }
            (What::EvictionRefused(_), _, Some(pod)) => {
                held.extend(trace.budget(r).map(|state| (pod, state)));
            }
            (What::Refused(text), ..) if r.object >= from => {
                said.push(trace.names.text_of(TextId(text)).to_owned());
            }
            _ => {}
        }
        let entry = chain(trace, id).find(|(_, c)| c.what == What::FaultBegan);
        let Some((began, _)) = entry.filter(|(_, c)| c.object >= from) else { continue };
        let name = || node.map_or("", |node| analysis.node_name(node));
        match r.what {
            What::DrainEnded(_) => {
                let end = trace.drain_end(r).filter(|end| end.outcome != DrainOutcome::Drained);
                said.extend(end.map(|end| drain_ended(analysis, name(), end)));
            }
            What::NodeUnschedulable(true) => cordoned.extend(node),
            What::NetworkBack if r.cause == began && !was_silent => {
                said.push(format!("{} is not silent", name()));
            }
            What::FaultBegan => said.extend(already(plan, r.object, &closed)),
            _ => {}
        }
    }
    let kept: Vec<&str> = kept.into_iter().map(|pod| analysis.pod_name(pod)).collect();
    said.extend((!kept.is_empty()).then(|| format!("{KEPT}{}", ranges(&kept))));
    let open = drains(analysis).into_iter().filter(|d| d.goes_on() && cordoned.contains(&d.node));
    said.extend(open.map(|d| {
        let (name, waits) = (analysis.node_name(d.node), waits_for(&follow, &held, d.node));
        format!("{name} not drained: {}{}", d.words(), waits.unwrap_or_default())
    }));
    said
}

/// For which pods the drain of a node waits when the run ends, and which budgets keep them; nothing where it has not come to that node.
fn waits_for(
    follow: &Follow<'_>,
    held: &BTreeMap<PodId, &BudgetState>,
    node: NodeId,
) -> Option<String> {
    let analysis = follow.analysis();
    let on_it = follow.pods().filter(|(_, pod)| pod.exists && pod.node_id() == Some(node));
    let left = on_it.filter(|(id, pod)| pod.deleting || held.contains_key(id));
    let (pods, states): (Vec<PodId>, Vec<_>) =
        left.map(|(id, pod)| (id, held.get(&id).filter(|_| !pod.deleting))).unzip();
    let whys: BTreeSet<String> =
        states.into_iter().flatten().map(|state| format!("; {}", stand(analysis, state))).collect();
    (!pods.is_empty())
        .then(|| format!(", {}{}", left_behind(analysis, &pods), String::from_iter(whys)))
}

/// `2 pods left: shop/web-0, shop/web-1`
fn left_behind(analysis: &Analysis<'_>, pods: &[PodId]) -> String {
    let names = few(LEFT, pods.iter().map(|pod| analysis.pod_name(*pod)));
    format!("{} left: {names}", counted(pods.len() as u64, "pod"))
}

/// The nodes that an entry cordons, or uncordons, although they are so already, as kubectl says it
/// (`RunCordonOrUncordon`), by those that are cordoned.
fn already(plan: &Plan, entry: u32, closed: &BTreeSet<&str>) -> Vec<String> {
    let mut said = Vec::new();
    for a in plan.actions.iter().filter(|a| a.entry == entry) {
        let Do::Cordon(nodes, close) = &a.act else { continue };
        let word = if *close { "cordoned" } else { "uncordoned" };
        let names = nodes.iter().map(|node| plan.nodes[*node as usize].name.as_str());
        let are_so = names.filter(|name| closed.contains(name) == *close);
        said.extend(are_so.map(|name| format!("node/{name} already {word}")));
    }
    said
}

/// A span without what is below a second, as people time drains; short ones to the millisecond.
fn whole(took: Dur) -> Dur {
    let ms = took.as_millis();
    Dur::from_millis(if took < Dur::from_secs(10) { ms } else { ms / 1_000 * 1_000 })
}

/// How many of the pods that a drain left behind are named.
const LEFT: usize = 4;

/// A budget's name: `budget default/web`.
pub(super) fn budget_name(analysis: &Analysis<'_>, budget: WorkloadId) -> String {
    let full = analysis.trace.names.workload_name(budget);
    format!("budget {}", full.split_once('/').map_or(full, |(_, name)| name))
}

/// What a budget asks for: `minAvailable 80%`.
pub(super) fn asks(rule: BudgetRule) -> String {
    format!("{} {}", rule.field(), rule.amount())
}

/// Why a budget allows what it allows: `budget default/web (minAvailable 80%: 4 of 4, rounded up)
/// has 4 healthy pods and allows none to go`.
pub(super) fn stand(analysis: &Analysis<'_>, b: &BudgetState) -> String {
    let name = budget_name(analysis, b.budget);
    match b.refusal {
        Refusal::Several => {
            "several disruption budgets select it, which the eviction API does not support"
                .to_owned()
        }
        Refusal::NotObserved => {
            format!("{name} ({}) has not been looked at since it changed", asks(b.rule))
        }
        _ if b.rule == BudgetRule::Neither => {
            format!("{name} has neither minAvailable nor maxUnavailable, and so never allows one")
        }
        Refusal::NotKept => format!("{name} has too many evictions that do not show yet"),
        _ if b.never_allows() => format!("{name} {}, and so never allows one", needs(b)),
        refusal => {
            let is_spent = refusal == Refusal::NotAllowed && b.healthy > b.desired;
            let spent = if is_spent { ", and others are on their way out" } else { "" };
            format!("{name} {}; {} of {} healthy{spent}", needs(b), b.healthy, b.expected)
        }
    }
}

/// How many healthy pods a budget needs, and how that follows: `needs 4 of 4 (minAvailable 80% =
/// 3.2, rounded up)`.
fn needs(b: &BudgetState) -> String {
    let (rule, expected) = (asks(b.rule), b.expected);
    let how = match b.rule.amount() {
        IntOrPercent::Int(_) => String::new(),
        IntOrPercent::Percent(share) => {
            let hundredths = i64::from(share) * i64::from(expected);
            let rounded = if hundredths % 100 == 0 { "" } else { ", rounded up" };
            let exact = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            format!(" = {}{rounded}", exact.trim_end_matches('0').trim_end_matches('.'))
        }
    };
    format!("needs {} of {expected} ({rule}{how})", b.desired)
}
