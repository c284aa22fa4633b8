//! Why there can be none of the records that are looked for, whatever happens in a run.

use super::objects::{Meant, is_taint, selected, were_on};
use super::prelude::*;
use crate::api::probe::ProbeType;
use crate::api::taint::{
    NOT_READY, NOT_READY_ALPHA, SET_BY_KUBERNETES, UNREACHABLE, UNREACHABLE_ALPHA,
};
use crate::plan::switches::taint_eviction::DisruptionTarget;
use crate::plan::{Action, KubeletMode, NodeFault};
use crate::scenario::expectations::TaintSought;
use crate::trace::ObjectKind;

/// Why there can be no such record.
pub(super) fn never(run: &Run<'_>, sought: &Sought) -> Option<String> {
    let plan = run.analysis.plan;
    let asks_for_none =
        |pods: &Pods| pods.workloads.is_some() && run.have_no_pods(pods.workloads.as_ref());
    // Of pods that are asked for and not made it says something that none is.
    let comes_of_pods = !matches!(sought.what, Kind::Created | Kind::Event { .. });
    let of_pods = sought.pods.as_ref().filter(|pods| comes_of_pods || asks_for_none(pods));
    let of_kind = || match &sought.what {
        Kind::Tainted(taint) | Kind::Untainted(taint) => never_set(run, taint),
        // Those of nodes alone do.
        Kind::PodCondition(_, ConditionStatus::Unknown) => {
            Some("no condition of a pod ever becomes Unknown here".to_owned())
        }
        Kind::PodCondition(PodConditionType::DisruptionTarget, _) => {
            let profile = &plan.profile;
            let marks = profile.taint_eviction.disruption_target != DisruptionTarget::Off
                || profile.eviction.adds_disruption_target
                || profile.pod_gc.disruption_target
                || profile.kubelet.eviction.disruption_target
                || profile.kubelet.shutdown_disruption_target;
            (!marks).then(|| "nobody sets the condition DisruptionTarget in such a run".to_owned())
        }
        Kind::Bound => idle(plan, Actor::Scheduler),
        Kind::TimerSet | Kind::TimerCancelled | Kind::EvictionFailed => never_timed(plan),
        Kind::Event { reason, message: part, .. } => {
            let is_killing = reason == EventText::Killing.as_str();
            let killed = is_killing.then(|| never_killed(run, sought, part.as_ref())).flatten();
            let told = || never_told(plan, reason);
            killed.or_else(|| never_said(reason, part.as_ref()?)).or_else(told)
        }
        Kind::Condition(kind, ConditionStatus::True) if *kind != NodeConditionType::Ready => {
            let is_its =
                |fault: &NodeFault| matches!(fault, NodeFault::Condition(k, _) if k == kind);
            let sets = |a: &Action| matches!(&a.act, Do::Fail(_, fault) if is_its(fault));
            let is_said = |n: &NodePlan| matches!(n.start, NodeStart::Imported { .. });
            let may_be = plan.actions.iter().any(sets) || plan.nodes.iter().any(is_said);
            let why = never_by(plan, EvictionCause::Pressure).filter(|_| !may_be);
            why.map(|why| format!("no entry of the timeline sets it, and {why}"))
        }
        Kind::Evicted { by } => never_by(plan, (*by)?),
        Kind::Deleted { by } => {
            let by = Actor::parse(by.as_ref()?)?;
            (!acts(plan, by)).then(|| format!("{} deletes no pods in this scenario", by.by()))
        }
        _ => None,
    };
    let lacks = of_pods.and_then(|pods| without_pods(run, pods)).or_else(of_kind);
    lacks.or_else(|| never_there(run, sought))
}

/// That no pod that is meant is on the nodes that are meant. That none comes there, or runs there, says something all the same.
fn never_there(run: &Run<'_>, sought: &Sought) -> Option<String> {
    let what = &sought.what;
    let is_of_place = matches!(
        what,
        Kind::Event { .. }
            | Kind::Created
            | Kind::Bound
            | Kind::Phase(PodPhase::Running)
            | Kind::PodCondition(PodConditionType::Ready, ConditionStatus::True)
    );
    let nodes = sought.nodes.as_ref().filter(|_| what.is_about_pods() && !is_of_place)?;
    let meant = Meant::by(run, sought).ok()?;
    let mut there = were_on(run, nodes, sought.times.during).into_iter();
    let is_none = !there.any(|pod| meant.is_pod(pod));
    is_none.then(|| "no such pod is there at any time that is looked at".to_owned())
}

/// That the run has none of the pods that are meant.
pub(super) fn without_pods(run: &Run<'_>, pods: &Pods) -> Option<String> {
    let is_none = !pods.written.is_empty() && !selected(run, pods).ok()?.contains(&true);
    is_none.then(|| format!("the run has no such pod: {}", pods.written))
}

/// Why nothing is evicted by that in such a run, whatever happens.
fn never_by(plan: &Plan, cause: EvictionCause) -> Option<String> {
    let drains = |by_deletion: bool| {
        plan.actions.iter().any(|a| match &a.act {
            Do::Drain(_, options) => options.disable_eviction == by_deletion,
            Do::Maintain(_, maintenance) => maintenance.drain.disable_eviction == by_deletion,
            _ => false,
        })
    };
    let why = match cause {
        EvictionCause::Taint if !plan.flags.enable_taint_manager => {
            "--enable-taint-manager=false evicts nobody by taints"
        }
        EvictionCause::Timeout if !plan.profile.node_lifecycle.timeout_mode_available => {
            return Some(format!(
                "Kubernetes {} has no pod-eviction-timeout",
                plan.profile.release
            ));
        }
        EvictionCause::DeviceTaint if plan.nodes.iter().all(|n| n.devices.is_empty()) => {
            "no node has devices"
        }
        EvictionCause::Api if !drains(false) => "no node is drained through the eviction API",
        EvictionCause::DrainDelete if !drains(true) => "no node is drained with --disable-eviction",
        EvictionCause::Pressure if !plan.states_usage() && !plan.collects_images() => {
            "nothing says what pods or nodes use (`usage`)"
        }
        _ => return None,
    };
    Some(why.to_owned())
}

/// Why nobody's pods are timed in such a run.
pub(super) fn never_timed(plan: &Plan) -> Option<String> {
    never_by(plan, EvictionCause::DeviceTaint).and(never_by(plan, EvictionCause::Taint))
}

/// Why a controller does nothing in such a run.
fn idle(plan: &Plan, by: Actor) -> Option<String> {
    (!acts(plan, by)).then(|| format!("{} has nothing to do", by.by()))
}

/// Whether somebody may send requests in such a run: a controller where it has something to do, and the user by an entry of the
/// timeline that deletes or drains, as only those are counted.
pub(super) fn acts(plan: &Plan, actor: Actor) -> bool {
    let is_by_user =
        |a: &Action| matches!(a.act, Do::DeletePod(..) | Do::Drain(..) | Do::Maintain(..));
    match actor {
        Actor::User => plan.actions.iter().any(is_by_user),
        _ => actor == Actor::Kubelet || plan.clients().contains(&actor),
    }
}

/// Whether a record may be of a request of its own: that an entry of the timeline begins is of none, and what comes with an eviction
/// is of the request for that.
pub(super) fn is_asked(r: &Record) -> bool {
    let comes = r.actor == Actor::User && matches!(r.what, What::PodCondition(..));
    !comes && r.what.kind().1 != ObjectKind::Entry
}

/// Why there is no Killing, which upstream's `killContainer` says of every container that it stops: no pod that is meant has a
/// probe that kills, or it is to be none although some were deleted.
fn never_killed(run: &Run<'_>, sought: &Sought, part: Option<&String>) -> Option<String> {
    let meant = Meant::by(run, sought).ok()?;
    let kills = [ProbeType::Liveness, ProbeType::Startup];
    let is_probed = |t: &PodTemplate| {
        t.lives().any(|life| kills.iter().any(|which| life.probe(*which).is_some()))
    };
    let (mut follow, mut probed, mut deleted) = (Follow::new(run.analysis), false, false);
    while let Some((_, _, step)) = follow.step() {
        let pod = step.pod.map(|pod| pod.0).filter(|pod| meant.is_pod(*pod));
        probed |= pod.and_then(|pod| follow.template(pod)).is_some_and(is_probed);
        deleted |= pod.is_some() && step.deletion_begins().is_some();
    }
    let is_of_all = sought.count.most == 0 && part.is_none_or(|part| !part.contains("probe"));
    let why = match probed {
        false => "there is no such probe",
        true if deleted && is_of_all => "pods were deleted, which stops theirs, too",
        true => return None,
    };
    let of_probes = "Killing is told here of containers that a failed probe has killed alone";
    Some(format!("{of_probes}, and {why}"))
}

/// Why there is no such event: none of that reason can have such a message, which may be misspelt.
fn never_said(reason: &str, part: &str) -> Option<String> {
    let may = EventText::ALL.iter().any(|text| text.as_str() == reason && text.may_say(part));
    (!may).then(|| format!("no event {reason} ever has a message with `{part}`"))
}

/// Why nobody tells of that in such a run, whatever happens.
fn never_told(plan: &Plan, reason: &str) -> Option<String> {
    use EventText as T;
    let any = |has: fn(&PodTemplate) -> bool| plan.templates.iter().any(has);
    let without = |is_there: bool, why: &str| (!is_there).then(|| why.to_owned());
    let idle = |by: Actor| idle(plan, by);
    // The first of those that have the reason.
    match EventText::parse(reason)? {
        T::MarkingForDeletion => never_by(plan, EvictionCause::Taint),
        T::DeletingAllPods | T::NodeControllerEviction => never_by(plan, EvictionCause::Timeout),
        T::DeviceMarkingForDeletion => never_by(plan, EvictionCause::DeviceTaint),
        T::Evicted | T::ReclaimMemory | T::FreeDiskSpaceFailed | T::ImageGcFailed => {
            never_by(plan, EvictionCause::Pressure)
        }
        T::NodeReady => {
            let is_real = matches!(plan.timing.kubelet, KubeletMode::Real(_));
            without(is_real, "the kubelets of `timing: Ideal` do not tell of it")
        }
        T::NodeShutdown | T::Shutdown => {
            let is_one =
                |act: &Do| matches!(act, Do::Fail(_, NodeFault::Shutdown(_)) | Do::Maintain(..));
            without(plan.actions.iter().any(|a| is_one(&a.act)), "no machine is shut down")
        }
        T::Unhealthy => {
            let is_probed = any(|t| t.lives().any(|life| life.probes.iter().any(Option::is_some)));
            without(is_probed, "there is no probe")
        }
        T::BackOff | T::Pulling | T::Pulled | T::Failed => {
            let is_told = any(|t| t.images().next().is_some())
                || reason == T::BackOff.as_str() && any(PodTemplate::has_lives);
            without(is_told, "it is told of containers with an `image` alone, and none has one")
        }
        T::Preempted => without(preempts(plan), "no pod has a priority above zero"),
        T::Scheduled | T::FailedScheduling => idle(Actor::Scheduler),
        T::DeletingNode | T::NodeSynced => idle(Actor::Cloud),
        T::JobCompleted | T::BackoffLimitExceeded | T::PodFailurePolicy => idle(Actor::Job),
        T::SuccessfulAttachVolume | T::FailedAttachVolume => idle(Actor::AttachDetach),
        T::TaintAdded | T::TaintRemoved => idle(Actor::NodeReadiness),
        _ => None,
    }
}

/// Whether a pod may have to make room for another one.
pub(super) fn preempts(plan: &Plan) -> bool {
    plan.templates.iter().any(|t| t.priority.is_some_and(|p| p > 0))
}

/// Why it says nothing that there was no such taint: nothing in the run sets one of that key, which
/// may be misspelt, or none with that value or effect.
fn never_set(run: &Run<'_>, sought: &TaintSought) -> Option<String> {
    let (plan, trace) = (run.analysis.plan, run.analysis.trace);
    let changes = || trace.iter().filter_map(|r| trace.taint_change(r));
    let is_set = |sought: &TaintSought| {
        let is_its = |taint: &Taint| is_taint(sought, taint);
        let evict = [NOT_READY, UNREACHABLE, NOT_READY_ALPHA, UNREACHABLE_ALPHA];
        let may_be = |key: &&str| {
            let evicts = evict.contains(key) && is_its(&Taint::new(key, Effect::NoExecute));
            evicts || is_its(&Taint::new(key, Effect::NoSchedule))
        };
        SET_BY_KUBERNETES.iter().any(may_be)
            || plan.nodes.iter().any(|n| n.taints.iter().any(is_its))
            || plan.readiness.rules.iter().any(|rule| is_its(&rule.taint))
            || changes().any(|c| c.added.iter().chain(&c.removed).any(is_its))
    };
    let of_key = TaintSought { key: sought.key.clone(), value: None, effect: None };
    let TaintSought { key, value, effect } = [&of_key, sought].into_iter().find(|s| !is_set(s))?;
    let value = value.as_ref().map(|value| format!("={value}")).unwrap_or_default();
    let effect = effect.map(|effect| format!(":{effect}")).unwrap_or_default();
    Some(format!("nothing sets a taint `{key}{value}{effect}` in this run"))
}
