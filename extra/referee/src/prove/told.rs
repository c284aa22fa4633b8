//! What the recorder is told: a plan without its tape, in the recorder's language, and what that
//! leaves of it.

use crate::recorded::{Recorded, parse, scenario_of};
use taintsim::kernel::Dur;
use taintsim::plan::{Delay, Imitated, KubeletMode, NodePlan, Perturb, Plan, Timing, UserMode};

/// A plan as the recorder is told it.
pub(super) struct Told {
    /// The recorder's scenario.
    pub(super) text: String,
    /// What that scenario means, with the tape of the plan.
    pub(super) plan: Plan,
    /// What had to give way.
    pub(super) notes: Vec<&'static str>,
}

/// A plan as it is told to the recorder of a release (`v1.34.4`).
///
/// # Errors
/// What the recorder cannot say, sorted.
pub(super) fn told(plan: &Plan, release: &str) -> Result<Told, Vec<String>> {
    let mut notes = Vec::new();
    // One that is imitated has nothing of its configuration but how often it is heard.
    let imitated = |node: &NodePlan| {
        let kubelet = node.kubelet.clone();
        let kubelet = kubelet.filter(|own| matches!(own.mode, KubeletMode::Imitated(_)));
        NodePlan { kubelet, ..node.clone() }
    };
    let sayable = Plan {
        timing: timing(&plan.timing, &mut notes),
        nodes: plan.nodes.iter().map(imitated).collect(),
        warm_start: false,
        perturb: Perturb::default(),
        tape: None,
        ..plan.clone()
    };
    if plan.warm_start {
        notes.push("controllers start when the run starts");
    }
    let text = scenario_of(&sayable)?;
    let read = read_again(&text, release).map_err(|e| vec![e])?;
    let meant = read.plan().map_err(|e| vec![e.to_string()])?;
    let mut timing = meant.timing.clone();
    // Where delays are the same each time nobody asks how long one is.
    let has = |point| plan.tape.iter().flatten().any(|d| d.point == point);
    if has("request-latency") {
        timing.request = plan.timing.request;
    }
    if has("response-latency") {
        timing.response = plan.timing.response;
    }
    if has("pod-uid") {
        notes.push("the uids of pods go up");
    }
    let plan = Plan { timing, perturb: plan.perturb, tape: plan.tape.clone(), ..meant };
    Ok(Told { text, plan, notes })
}

/// A scenario of the recorder as a recording of that release has it.
fn read_again(text: &str, release: &str) -> Result<Recorded, String> {
    let whole = format!(
        r#"{{"kubernetes": {release:?}, "outcomes": [{{"count": 0, "events": []}}], "scenario": {text}}}"#
    );
    let mut all = parse(whole.as_bytes()).map_err(|e| format!("the scenario {e}"))?;
    all.pop().ok_or_else(|| "the scenario is not there".to_owned())
}

/// Times and manners as the recorder has them. A tape takes the least of each range where it does not
/// say otherwise.
fn timing(of: &Timing, notes: &mut Vec<&'static str>) -> Timing {
    let mut constant = |delay: Delay| {
        if delay.min != delay.max {
            notes.push("delays are the least of their ranges");
        }
        Delay::constant(delay.min)
    };
    let (request, response, watch) =
        (constant(of.request), constant(of.response), constant(of.watch));
    notes.dedup();
    let kubelet = match of.kubelet {
        KubeletMode::Imitated(kubelet) => kubelet,
        KubeletMode::Real(kubelet) => {
            notes.push("kubelets are imitated");
            Imitated { start: kubelet.pod_start, stop: kubelet.pod_stop, ..Imitated::default() }
        }
    };
    if of.user != UserMode::Raw {
        notes.push("the user writes straight into the store, not with kubectl");
    }
    Timing {
        request,
        response,
        watch,
        step: Delay::constant(Dur::ZERO),
        pod_gc_overhead: Dur::from_micros(1),
        clock_advances: false,
        reconnects: false,
        leader_election: None,
        kubelet: KubeletMode::Imitated(kubelet),
        user: UserMode::Raw,
        ..of.clone()
    }
}
