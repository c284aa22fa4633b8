//! A recorded scenario as a plan, with exactly the delays it states and the recorder's defaults for
//! the rest.
//!
//! The recorder is the reference (`extra/recorder/source/`: `run.go`, `clients.go`, `actions.go`,
//! `objects.go`, `kubelet.go`). Where the recorder would do nothing (deleting a
//! pod that never existed), nothing is planned; where it would have crashed (cutting a node that
//! never existed), the scenario is refused.

use super::builder::Builder;
use super::exported::{start_of_node, start_of_pod};
use super::file::Recorded;
use super::format::{NamespaceSpec, RecordedScenario, TolerationSpec};
use super::objects::tolerations;
use super::plan_error::{PlanError, invalid};
use super::settings::{controllers, flags, not_modelled, scheduler, timing};
use std::collections::BTreeMap;
use taintsim::api::pod::PodTemplate;
use taintsim::kernel::{Dur, Time};
use taintsim::plan::{
    Admission, Eviction, NamespaceTolerations, Perturb, Plan, Profile, Readiness,
};
use taintsim::profiles;

/// The longest horizon that is taken, 366 days; a longer one is a mistake, and would take
/// nearly for ever to run.
const LONGEST_HORIZON: Dur = Dur::from_secs(366 * 24 * 3600);

/// The gates without which nobody heeds taints of devices, or alternatives of requests.
const DEVICE_GATES: [&str; 4] =
    ["DynamicResourceAllocation", "DRADeviceTaints", "DRADeviceTaintRules", "DRAPrioritizedList"];

impl Recorded {
    /// The plan that replays this recording: its scenario under the profile of its release.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let profile = profiles::with_gates(&self.release, &self.gates());
        self.plan_with(profile.map_err(|e| invalid(e.to_string()))?)
    }

    /// The gates that are set: those that devices need, as far as the release has them, and those that the scenario names.
    pub fn gates(&self) -> BTreeMap<String, bool> {
        let (release, sc) = (&self.release, &*self.scenario);
        let joining = sc.actions.iter().filter_map(|a| a.spec.as_ref());
        let has_devices = sc.nodes.iter().chain(joining).any(|n| !n.devices.is_empty());
        let on = DEVICE_GATES.map(|gate| BTreeMap::from([(gate.to_owned(), true)]));
        let known = on.into_iter().filter(|gate| profiles::with_gates(release, gate).is_ok());
        let needed = known.filter(|_| has_devices).flatten();
        needed.chain(sc.gates.clone()).collect()
    }

    /// The same under another profile.
    pub fn plan_with(&self, profile: Profile) -> Result<Plan, PlanError> {
        build(&self.scenario, profile)
    }
}

pub(super) fn build(sc: &RecordedScenario, profile: Profile) -> Result<Plan, PlanError> {
    let missing = not_modelled(sc, profile.taint_eviction.separate_controller);
    if !missing.is_empty() {
        return Err(PlanError::NotModelled(missing));
    }
    let mut b = Builder {
        upstream: sc.kubelets == "upstream",
        volume_limit: sc.volume_limit,
        ..Builder::default()
    };
    objects(&mut b, sc)?;
    let mut last = Time::ZERO;
    for a in &sc.actions {
        // The recorder works through the list; an action that comes too early in it is done when
        // its turn comes.
        last = last.max(Time::ZERO + a.at.0);
        b.action(last, a)?;
    }
    // The recorder works through all actions, even those beyond the horizon.
    let horizon = (Time::ZERO + sc.horizon.0).max(last);
    if horizon.since(Time::ZERO) > LONGEST_HORIZON {
        return Err(invalid(format!("a horizon of {horizon} is longer than {LONGEST_HORIZON}")));
    }
    // What an action ends later stands beside it so far.
    b.actions.sort_by_key(|a| a.at);
    let flags = flags(sc, &profile)?;
    Ok(Plan {
        name: sc.name.clone(),
        doc: sc.doc.clone(),
        begins: None,
        notes: Vec::new(),
        horizon,
        flags,
        eviction: Eviction::defaults(&profile),
        timing: timing(sc)?,
        admission: admission(sc),
        warm_start: false,
        memory: None,
        controllers_start: Time::ZERO + sc.controllers_start.0,
        profile,
        nodes: b.nodes,
        provisions: b.templates.iter().any(PodTemplate::provisions),
        templates: b.templates,
        pods: b.pods,
        controllers: controllers(sc),
        scheduler: scheduler(sc)?,
        workloads: b.workloads,
        budgets: b.budgets,
        namespaces: namespaces(sc)?,
        timeline: b.timeline,
        actions: b.actions,
        has_devices: b.has_devices,
        device_taint_rules: Vec::new(),
        readiness: Readiness::default(),
        lease_records: false,
        perturb: Perturb::default(),
        tape: None,
    })
}

/// What is there from the start.
fn objects(b: &mut Builder, sc: &RecordedScenario) -> Result<(), PlanError> {
    for n in &sc.nodes {
        b.node(n, start_of_node(n)?)?;
    }
    b.set_clocks(&sc.nodes);
    for claim in &sc.claims {
        b.claim(claim)?;
    }
    for p in &sc.pods {
        b.pod(p, start_of_pod(p)?)?;
    }
    for w in &sc.workloads {
        b.workload(w)?;
    }
    for budget in &sc.budgets {
        b.budget(budget)?;
    }
    Ok(())
}

/// The admission plugins of the recorder's API server.
fn admission(sc: &RecordedScenario) -> Admission {
    let given = sc.admission.as_ref();
    let has = |plugin: &str| given.is_some_and(|a| a.iter().any(|p| p == plugin));
    Admission {
        default_toleration_seconds: given.is_none() || has("DefaultTolerationSeconds"),
        taint_nodes_by_condition: true,
        pod_toleration_restriction: has("PodTolerationRestriction"),
        extended_resource_toleration: has("ExtendedResourceToleration"),
    }
}

fn namespaces(sc: &RecordedScenario) -> Result<BTreeMap<String, NamespaceTolerations>, PlanError> {
    let list = |given: &Option<Vec<TolerationSpec>>| {
        given.as_ref().map(|all| tolerations(all)).transpose()
    };
    let one = |(name, spec): (&String, &NamespaceSpec)| {
        let read = NamespaceTolerations {
            defaults: list(&spec.default_tolerations)?,
            whitelist: list(&spec.tolerations_whitelist)?,
        };
        Ok((name.clone(), read))
    };
    sc.namespaces.iter().map(one).collect()
}
