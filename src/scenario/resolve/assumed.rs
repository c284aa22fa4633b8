//! What a run takes for granted, and what an export brought along: sentences for the notes of its
//! plan.

use super::listed::{in_short, listed, owners};
use super::prelude::*;
use crate::api::pod::Stuck;
use crate::api::toleration::matching_tolerations;
use crate::kernel::Spread;
use crate::language::clauses;
use crate::language::duration::format as seconds;
use crate::plan::NodeStart;

/// How many distributions of how long pods take are told one by one.
const SPREADS: usize = 5;

/// The sentences about a plan; `spec` is the scenario with all changes.
pub(super) fn of(loaded: &Loaded, spec: &Scenario, plan: &Plan) -> Vec<String> {
    let [starts, stops] = drawn_paces(plan);
    let taken = [
        release(loaded, spec),
        unsized_nodes(loaded),
        in_an_outage(plan),
        gone_at_once(plan),
        paces(spec, plan),
        starts,
        stops,
        half_done(plan),
        stopped_well(plan),
        attacher(spec, plan),
        held(plan),
    ];
    let stands = as_it_stands(loaded).into_iter();
    let taken = taken.into_iter().chain(unfinished(plan));
    let stands = stands.chain(spec.notes.iter().cloned()).chain(whole_histories(loaded));
    stands.chain(taken.flatten()).collect()
}

/// Histories of outages of which the store of metrics said that some of them may be lacking.
fn whole_histories(loaded: &Loaded) -> impl Iterator<Item = String> {
    let warned = loaded.histories.iter().filter(|(_, history)| !history.warnings.is_empty());
    warned.map(|(file, history)| {
        let said = history.warnings.join("; ");
        format!("Assumed: {file} lacks no nodes and no times, though its store warned: {said}.")
    })
}

/// An export that was given as a scenario.
fn as_it_stands(loaded: &Loaded) -> Option<String> {
    let summary = loaded.imported.as_ref().filter(|s| s.as_scenario)?;
    Some(format!("The export: {} is run as `taintsim import` takes it.", summary.files.join(", ")))
}

/// The release, where the scenario says none: that of the export, or for want of one the default.
fn release(loaded: &Loaded, spec: &Scenario) -> Option<String> {
    let summary = loaded.imported.as_ref()?;
    let exported = loaded.exported.as_ref().and_then(|exported| exported.release.as_ref());
    let releases = &summary.releases;
    let is_known = releases.own().is_some();
    // An export that is given as a scenario says the one that is taken in place of its own.
    let taken = releases.taken().filter(|_| summary.as_scenario && !is_known);
    if spec.kubernetes.as_ref() != exported.or(taken.as_ref()) {
        return None;
    }
    let newest = if spec.kubernetes.is_some() { ", the newest that is" } else { "" };
    let release = spec.kubernetes.as_deref().unwrap_or(KUBERNETES);
    Some(match releases.decides() {
        None => format!(
            "The export: of which release it is, it does not say. Kubernetes {release} is simulated; --kubernetes says another."
        ),
        Some((.., whose)) if is_known => format!(
            "The export: Kubernetes {release}, the release of its {whose}, as nothing says another."
        ),
        Some((_, of, whose)) => format!(
            "The export: its {whose} is of {of}, which is not known here. Kubernetes {release} is simulated{newest}; --kubernetes says another."
        ),
    })
}

/// Nodes of which an export says no size.
fn unsized_nodes(loaded: &Loaded) -> Option<String> {
    let names = &loaded.imported.as_ref()?.of_no_size;
    let names = listed(names.iter().map(String::as_str))?;
    Some(format!(
        "The export: the size of {names} is not in it. What is missing of 4 cores, 16Gi and room for 110 pods is taken to be there."
    ))
}

/// Nodes that were not well when the export was taken.
fn in_an_outage(plan: &Plan) -> Option<String> {
    let is_exported = |n: &&NodePlan| !matches!(n.start, NodeStart::Absent);
    let unwell = |n: &&NodePlan| match &n.start {
        NodeStart::Imported { cut, .. } => *cut || n.start.ready() != Some(ConditionStatus::True),
        _ => false,
    };
    let names: BTreeSet<&str> = plan.nodes.iter().filter(unwell).map(|n| n.name.as_str()).collect();
    let all = plan.nodes.iter().filter(is_exported).count();
    let (n, names) = (names.len(), listed(names)?);
    let were = if n == 1 { "was" } else { "were" };
    Some(format!(
        "The export: it was taken in an outage. {n} of {all} nodes {were} silent or not Ready ({names}): what comes of that is in the figures."
    ))
}

/// Pods whose nodes have a NoExecute taint from the start that they do not tolerate.
fn gone_at_once(plan: &Plan) -> Option<String> {
    let operators = plan.profile.taint_eviction.comparison_operators;
    let goes = |p: &&PodPlan| {
        let lives = p.start.runs() && !p.start.is_deleting();
        let node = p.node.and_then(|n| plan.nodes.get(n as usize));
        let template = plan.templates.get(p.template as usize);
        let (Some(node), Some(template), true) = (node, template, lives) else { return false };
        let taints = node.taints.iter().filter(|t| t.effect == Effect::NoExecute);
        let taints: Vec<_> = taints.cloned().collect();
        matching_tolerations(&taints, &template.tolerations, operators).is_none_or(|used| {
            let seconds = used.iter().filter_map(|t| t.toleration_seconds);
            seconds.min().is_some_and(|s| s <= 0)
        })
    };
    let names: BTreeSet<&str> = plan.pods.iter().filter(goes).map(|p| &*p.name).collect();
    let (pods, has) = match names.len() {
        1 => ("1 pod".to_owned(), "its node has"),
        n => (format!("{n} pods"), "their nodes have"),
    };
    let names = listed(names)?;
    Some(format!(
        "Evicted at second 0: {pods} ({names}), for a NoExecute taint that {has} from the start and that is not tolerated."
    ))
}

/// Pods that are held as they are when the run begins, and those that go on to end.
fn unfinished(plan: &Plan) -> [Option<String>; 4] {
    let alive = |p: &PodPlan| {
        let node = p.node.and_then(|n| plan.nodes.get(n as usize));
        let is_out = |start: &NodeStart| {
            matches!(start, NodeStart::Imported { cut: true, .. } | NodeStart::Absent)
        };
        node.is_some_and(|n| !is_out(&n.start))
    };
    let kinds = [
        (
            Some(Stuck::Finalizer),
            true,
            "that are Terminating with a finalizer stay so, as nobody takes it off",
        ),
        (
            Some(Stuck::Kubelet),
            true,
            "that are Terminating past their grace period, though their kubelets live, stay so",
        ),
        (Some(Stuck::Kubelet), false, "whose image could not be pulled stay Pending"),
        (None, true, "that are Terminating otherwise end as if they were told to at the start"),
    ];
    kinds.map(|(stuck, deleting, what)| {
        let is_so = |p: &&PodPlan| {
            let goes_on = p.start.runs() && alive(p);
            (p.stuck, p.start.is_deleting()) == (stuck, deleting) && (stuck.is_some() || goes_on)
        };
        let names: BTreeSet<&str> = plan.pods.iter().filter(is_so).map(|p| &*p.name).collect();
        let names = (names.len(), listed(names)?);
        Some(format!("Assumed: pods {what} ({}: {}).", names.0, names.1))
    })
}

/// How long pods take to start and to stop, where nothing says so.
fn paces(spec: &Scenario, plan: &Plan) -> Option<String> {
    let KubeletMode::Real(real) = plan.timing.kubelet else { return None };
    let asks = |w: &WorkloadPlan| w.kind == WorkloadKind::DaemonSet || w.spec.replicas() > 0;
    let is_scaled = || spec.timeline.iter().any(|e| matches!(e.step, Step::Scale { .. }));
    if plan.pods.is_empty() && !plan.workloads.iter().any(asks) && !is_scaled() {
        return None;
    }
    let (start_said, stop_said) = match &spec.timing {
        Some(Timing::Custom {
            kubelet: Some(KubeletTiming::Real { pod_start, pod_stop, .. }),
            ..
        }) => (pod_start.is_some(), pod_stop.is_some()),
        _ => (false, false),
    };
    let all = Rc::new(plan.owners(&|_| true));
    let those = |is_so: &dyn Fn(&PodTemplate) -> bool| match plan.templates.iter().all(is_so) {
        true => all.clone(),
        false => Rc::new(plan.owners(is_so)),
    };
    let starts = those(&|t| !start_said && t.start.is_none());
    let stops = those(&|t| !stop_said && t.stop.is_none());
    let of = |names: &BTreeSet<String>| {
        let some = if *names == *all { None } else { listed(names.iter().map(|n| in_short(n))) };
        some.map_or(String::new(), |names| format!(" of {names}"))
    };
    let who = |names: &BTreeSet<String>| match of(names) {
        said if said.is_empty() => "all pods".to_owned(),
        said => format!("pods{said}"),
    };
    // Of these it is the time up to the first.
    let inits = plan.templates.iter().any(|t| t.start.is_none() && t.main() > 0);
    let beside = if inits { " beside their init containers" } else { "" };
    let start = format!("{} from binding to Ready{beside}", seconds(real.pod_start));
    let stop = format!("{} to stop", seconds(real.pod_stop));
    let (text, both) = match (starts.is_empty(), stops.is_empty()) {
        (true, true) => return None,
        (false, true) => (format!("pods{} take {start}", of(&starts)), false),
        (true, false) => (format!("pods{} take {stop}", of(&stops)), false),
        (false, false) if of(&starts) == of(&stops) => {
            (format!("pods{} take {start} and {stop}", of(&starts)), true)
        }
        (false, false) => (format!("{} take {start}, {} {stop}", who(&starts), who(&stops)), true),
    };
    let field = if starts.is_empty() { "pod_stop" } else { "pod_start" };
    let fields = match both {
        true => "`template.pod_start` and `template.pod_stop` say".to_owned(),
        false => format!("`template.{field}` says"),
    };
    Some(format!(
        "Assumed: {text}. A workload's {fields} otherwise, or --set timing.kubelet.{field}=20s."
    ))
}

/// How long pods take to start, and to stop, where that is drawn.
fn drawn_paces(plan: &Plan) -> [Option<String>; 2] {
    type Of = fn(&PodTemplate) -> Option<&Spread>;
    let all: [(&str, &str, Of); 2] = [
        ("from binding to Ready", "pod_start", |t| t.start.as_ref()),
        ("to stop", "pod_stop", |t| t.stop.as_ref()),
    ];
    all.map(|(what, field, of)| {
        let mut spreads: Vec<&Spread> = Vec::new();
        for spread in plan.templates.iter().filter_map(of).filter(|s| s.varies()) {
            if !spreads.contains(&spread) {
                spreads.push(spread);
            }
        }
        let said = |spread: &&Spread| {
            let names = owners(plan, |t| of(t) == Some(*spread)).unwrap_or_default();
            let mean = Dur::from_millis((spread.mean_s() * 1e3).round() as u64);
            format!(
                "{names} {} on average, nine in ten within {} (drawn among {})",
                seconds(mean),
                seconds(spread.quantile(0.9).whole_millis()),
                spread.count()
            )
        };
        let told = clauses(SPREADS, spreads.iter().map(said));
        (!told.is_empty()).then(|| {
            format!(
                "Assumed: how long pods take {what} is drawn each time, as their `template.{field}` says: {told}."
            )
        })
    })
}

/// Containers that end by themselves, and that have run for a while when the run begins.
fn half_done(plan: &Plan) -> Option<String> {
    let has_run = |t: &PodTemplate| t.lives().any(|life| !life.ran.is_zero());
    let names = owners(plan, has_run)?;
    Some(format!(
        "Assumed: pods of {names} that run already end once they have run for as long as others do; those that have run for longer end at once. `ends.ran` of pods says how long they have run."
    ))
}

/// With what containers of Jobs exit when they are asked to stop, where nothing says so: from 1.27 on the phase of their pods goes
/// by it (S30). Imitated kubelets post none.
fn stopped_well(plan: &Plan) -> Option<String> {
    let goes_by_it = matches!(plan.timing.kubelet, KubeletMode::Real(_))
        && plan.profile.kubelet.terminal_phase_before_removal;
    let is_so = |w: &&WorkloadPlan| w.kind == WorkloadKind::Job && plan.exit_code_of(w).is_none();
    let jobs = plan.workloads.iter().filter(|w| goes_by_it && is_so(w));
    let names = listed(jobs.map(|w| in_short(&w.name)))?;
    Some(format!(
        "Assumed: containers of {names} exit with 0 when they are asked to stop, so that a pod that is evicted with work left may count as done. `template.exit_code: 143` says otherwise."
    ))
}

/// How long a driver takes to attach and detach volumes, where nothing says so.
fn attacher(spec: &Scenario, plan: &Plan) -> Option<String> {
    let said = match &spec.timing {
        Some(Timing::Ideal) => return None,
        Some(Timing::Custom { attacher: Some(said), .. }) => said.clone(),
        _ => AttacherTiming::default(),
    };
    let (attach, detach) = plan.timing.attacher;
    let (attach, detach) = (
        said.attach.is_none().then(|| format!("{} to attach", seconds(attach))),
        said.detach.is_none().then(|| format!("{} to detach", seconds(detach))),
    );
    let field = if attach.is_some() { "attach" } else { "detach" };
    let times: Vec<String> = [attach, detach].into_iter().flatten().collect();
    let any = plan.templates.iter().any(|t| t.claims.iter().any(|c| c.attach));
    (any && !times.is_empty()).then(|| {
        format!(
            "Assumed: volumes take {}, whichever nodes are lost, and no time to mount. --set timing.attacher.{field}=10s says otherwise.",
            times.join(" and ")
        )
    })
}

/// Volumes that are attached where no pod has them, and for how long nobody has wanted them there.
fn held(plan: &Plan) -> Option<String> {
    let memory = plan.memory.as_ref().filter(|m| !m.attached.is_empty())?;
    let held = |(pod, node): (&u32, &u32)| {
        let since = memory.detach_requested_us.get(pod).map(|(from, until)| {
            let [least, most] =
                [until, from].map(|us| seconds(Dur::from_micros(us.unsigned_abs())));
            format!(", unwanted there for {least} to {most}")
        });
        let (pod, node) = (&plan.pods[*pod as usize].name, &plan.nodes[*node as usize].name);
        format!("of {pod} to {node}{}", since.unwrap_or_default())
    };
    let held: Vec<String> = memory.attached.iter().map(held).collect();
    let held = listed(held.iter().map(String::as_str))?;
    Some(format!(
        "The export: volumes are still attached where no pod has them ({held}). The 6 minutes until they are detached by force are counted from then, drawn where that is a range, or else from time zero, which is later than they began."
    ))
}
