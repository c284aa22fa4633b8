//! The assembly of a plan from all parts of a scenario, each read by a file of its own, and from the
//! profile of the release that it names.

use super::declared::Declared;
use super::expect::Reader;
use super::kubelets::Kubelets;
use super::models::Models;
use super::outages::Outage;
use super::overrides::Changed;
use super::prelude::*;
use super::primitive::World;
use super::{
    assumed, devices, dropped, idle, memory, nodes, notes, read_models, tape, timeline, timing,
};
use crate::api::taint::UNINITIALIZED;
use crate::language::Timing as WrittenTiming;
use crate::plan::Controllers;
use crate::profiles::{self, ProfileError};
use crate::{files, import};

/// The plan of a run, and what the scenario expects of it; nothing if there is a complaint.
pub(super) fn plan(
    changed: &Changed,
    loaded: &Loaded,
    seed: u64,
    damage: Damage,
    complaints: &Complaints,
) -> Option<(Drawn, Expectations)> {
    let spec = &changed.spec;
    check_version(spec, damage, complaints);
    let begins = begins(spec, complaints);
    let profile = profile(spec, complaints)?;
    let end = horizon(spec, damage, complaints).map(|h| Time::from_nanos(h.as_nanos()));
    let settings = flags::read(&spec.flags, &profile, complaints);
    let (timing, times) = timing::read(spec.timing.as_ref(), &settings, &profile, complaints);
    let whole = complaints.at(at![]);
    let controllers_start = whole.read("controllers_start", &spec.controllers_start, values::span);
    let kubelets = Kubelets::read(&settings, timing.kubelet, (spec, &profile), complaints);
    let declared = Declared::read(spec, &kubelets, &profile, damage, complaints);
    let rules = devices::at_start(spec, (&declared.pods, &declared.nodes), &profile, complaints);
    let world = World {
        rules: &devices::rules(spec),
        nodes: &declared.nodes,
        pods: &declared.pods,
        workloads: &declared.workloads,
        budgets: &declared.budgets,
        profile: &profile,
        leader_election: timing.leader_election,
        added: &declared.added,
    };
    let entries = (&spec.timeline[..], &loaded.spec.timeline[..]);
    let (written, moments) = timeline::expand(entries, end, damage.entries, &world, complaints);
    check_prices(spec, complaints);
    // What a machine takes to boot; imitated kubelets are there at once.
    let boot = match timing.kubelet {
        KubeletMode::Real(real) => real.boot,
        KubeletMode::Imitated(_) => Dur::ZERO,
    };
    let models = read_models::read(spec, loaded, &declared.nodes, boot, end, complaints);
    let reader = Reader {
        moments: &moments,
        horizon: end?,
        nodes: &declared.nodes,
        pods: &declared.pods,
        workloads: &declared.workloads,
    };
    let expectations =
        reader.read(spec, (seed, profile.release.as_str()), &loaded.source.text, complaints);
    let controllers = controllers(&spec.controllers, &declared, &written.actions);
    let (perturb, tape) = tape::read(spec, &profile, (controllers, &settings.flags), complaints);
    let memory =
        spec.memory.as_ref().map(|m| memory::memory(m, &declared, &complaints.at(at!["memory"])));
    let eviction = kubelets.eviction;
    let says_when_to_evict = settings.kubelet.eviction.any();
    if !complaints.is_empty() {
        return None;
    }
    let warm_start = controllers_start.is_none() && is_warm(spec, memory.is_some());
    let mut plan = Plan {
        name: loaded.name.clone(),
        doc: files::shown(&spec.doc).into_owned(),
        begins,
        notes: notes::of_changes(changed, &declared, &settings, &timing),
        horizon: end?,
        flags: settings.flags,
        eviction: eviction?,
        admission: settings.admission,
        controllers_start: Time::from_nanos(controllers_start.map_or(0, Dur::as_nanos)),
        warm_start,
        memory: memory.filter(|_| warm_start),
        timing,
        profile,
        controllers,
        nodes: declared.nodes.plans,
        scheduler: declared.scheduler,
        provisions: declared.pods.templates.iter().any(PodTemplate::provisions),
        templates: declared.pods.templates,
        pods: declared.pods.plans,
        workloads: declared.workloads.plans,
        budgets: declared.budgets.plans,
        namespaces: declared.namespaces,
        timeline: Vec::new(),
        actions: Vec::new(),
        has_devices: spec.nodes.iter().any(|group| !group.devices.is_empty()),
        device_taint_rules: rules,
        readiness: declared.readiness,
        lease_records: spec.lease_records,
        perturb,
        tape,
    };
    times.give(&mut plan.templates);
    nodes::list_images(&mut plan);
    let dropped = dropped::drop_fields(&mut plan, &declared.workloads.without_ordinals);
    plan.notes.extend(dropped);
    plan.notes.extend(notes::of_plan(&plan, &written));
    plan.notes.extend(idle::of(&plan, &written, spec, says_when_to_evict));
    plan.notes.extend(assumed::of(loaded, spec, &plan));
    Some((Drawn::new(plan, models?, written, seed), expectations))
}

/// A plan whose faults are drawn: the same scenario with other seeds has other faults.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    /// The plan, with the faults of the seed that was asked for last.
    pub(crate) plan: Plan,
    /// The models.
    pub(crate) models: Models,
    /// The timeline as the file has it, before anything was drawn.
    written: timeline::Written,
    /// The seed of the faults that the plan has, if it has those of one.
    seed: Option<u64>,
}

impl Drawn {
    /// A plan with what its fault models draw for that seed.
    fn new(plan: Plan, mut models: Models, written: timeline::Written, seed: u64) -> Self {
        models.graceful = plan.nodes.iter().map(|n| plan.shuts_down_gracefully(n)).collect();
        let mut drawn = Drawn { plan, models, written, seed: None };
        drawn.of(seed);
        drawn
    }

    /// The plan of a seed.
    pub(crate) fn of(&mut self, seed: u64) -> &Plan {
        let window = self.plan.horizon.since(Time::ZERO);
        if self.seed != Some(seed) && (self.seed.is_none() || !self.models.list.is_empty()) {
            let outages = self.models.draw(seed, window);
            self.with(&outages);
            self.seed = Some(seed);
        }
        &self.plan
    }

    /// The plan with these outages beside what its file says, and nothing else.
    pub(crate) fn with(&mut self, outages: &[Outage]) -> &Plan {
        self.written.put(&mut self.plan, outages);
        self.seed = None;
        &self.plan
    }
}

/// Complains about prices that are none. They are for whoever plans, and nothing of a run.
fn check_prices(spec: &Scenario, complaints: &Complaints) {
    let Some(given) = &spec.prices else { return };
    for (name, value) in given.each() {
        let read = prices::price(&value.to_string(), given.currency.as_deref());
        complaints.at(at!["prices", name]).take(read);
    }
}

/// When a run begins by the clock on the wall.
fn begins(spec: &Scenario, complaints: &Complaints) -> Option<i64> {
    let text = spec.begins.as_deref()?;
    let stamp = import::parse_time(text).filter(|stamp| import::YEARS.contains(stamp));
    if stamp.is_none() {
        let problem = Problem::new(format!("{text:?} is no time of the API from 1970 on"));
        complaints.at(at!["begins"]).add(problem.help("write \"2026-11-20T04:41:17Z\""));
    }
    stamp.map(|s| s.0)
}

/// Complains about a version of the language that is missing, or not known.
fn check_version(spec: &Scenario, damage: Damage, complaints: &Complaints) {
    match spec.version {
        Some(1) => {}
        None if damage.header => {}
        None => {
            let help = "the version of the language is 1: `version: 1`";
            complaints.at(at![]).add(Problem::new("`version` is missing").help(help));
        }
        Some(other) => {
            let text = format!("version {other} of the scenario language is not known");
            let problem = Problem::new(text).help("this version of taintsim reads `version: 1`");
            complaints.at(at!["version"]).add(problem);
        }
    }
}

/// The end of the run.
fn horizon(spec: &Scenario, damage: Damage, complaints: &Complaints) -> Option<Dur> {
    match &*spec.horizon {
        "" if damage.header => None,
        "" => {
            let help = "the end of the run: `horizon: \"30m\"`";
            complaints
                .at(at!["horizon"])
                .refuse(Problem::new("`horizon` is missing or empty").help(help))
        }
        text => complaints.at(at!["horizon"]).take(values::positive(text)),
    }
}

/// Whether the controllers have been running. People describe a cluster that runs. Of an export whose
/// controllers' memory is not written timers are not known: they start over, as after a restart; so
/// do recorded timelines, which `Ideal` equals.
fn is_warm(spec: &Scenario, has_memory: bool) -> bool {
    !spec.controllers.restarted
        && (!is_imported(spec) || has_memory)
        && spec.timing != Some(WrittenTiming::Ideal)
}

/// Whether nodes or pods come from an export, or are written with the state of one.
fn is_imported(spec: &Scenario) -> bool {
    spec.cluster.is_some()
        || spec.nodes.iter().any(|g| matches!(g.start, Some(NodeStart::Imported { .. })))
        || spec.pods.iter().any(|g| matches!(g.start, Some(PodStart::Imported { .. })))
}

/// Whether the cloud's controllers have something to do: an instance changes its state, or a node
/// waits to be initialized.
fn needs_cloud(actions: &[Action], nodes: &[NodePlan]) -> bool {
    let waits = |n: &NodePlan| n.taints.iter().any(|t| t.key == UNINITIALIZED);
    actions.iter().any(|a| matches!(a.act, Do::Instance(..))) || nodes.iter().any(waits)
}

/// Whether the node readiness controller has a rule at any time.
fn needs_readiness(actions: &[Action], readiness: &Readiness) -> bool {
    !readiness.rules.is_empty()
        || actions.iter().any(|a| matches!(a.act, Do::CreateReadinessRule(_)))
}

/// The controllers that run: all but those that are switched off, and those that would find nothing
/// to do in the whole run.
fn controllers(
    written: &language::Controllers,
    declared: &Declared,
    actions: &[Action],
) -> Controllers {
    let (nodes, pods) = (&declared.nodes.plans, &declared.pods);
    let workloads = &declared.workloads.plans;
    let any = |kind| workloads.iter().any(|w| w.kind == kind);
    let on = |wanted: Option<bool>, needed: bool| wanted.unwrap_or(true) && needed;
    let deployments = any(WorkloadKind::Deployment);
    let deletes = actions.iter().any(|a| matches!(a.act, Do::DeleteWorkload(..)));
    let schedules = !workloads.is_empty() || pods.plans.iter().any(|p| p.node.is_none());
    let devices = nodes.iter().any(|n| !n.devices.is_empty());
    let attaches = pods.templates.iter().any(|t| t.claims.iter().any(|c| c.attach));
    Controllers {
        attach_detach: on(written.attach_detach, attaches),
        device_taint_eviction: on(written.device_taint_eviction, devices),
        resource_claim: on(written.resource_claim, devices),
        node_readiness: on(written.node_readiness, needs_readiness(actions, &declared.readiness)),
        cloud: on(written.cloud, needs_cloud(actions, nodes)),
        disruption: on(written.disruption, !declared.budgets.plans.is_empty()),
        pod_gc: on(written.pod_gc, true),
        garbage_collector: on(written.garbage_collector, deletes),
        deployment: on(written.deployment, deployments),
        replica_set: on(written.replica_set, deployments || any(WorkloadKind::ReplicaSet)),
        stateful_set: on(written.stateful_set, any(WorkloadKind::StatefulSet)),
        daemon_set: on(written.daemon_set, any(WorkloadKind::DaemonSet)),
        job: on(written.job, any(WorkloadKind::Job)),
        scheduler: on(written.scheduler, schedules),
    }
}

/// The profile; where the release or a gate is not known, that of a known release, so that the rest
/// of the scenario can be looked at.
fn profile(spec: &Scenario, complaints: &Complaints) -> Option<Profile> {
    let version = spec.kubernetes.as_deref().unwrap_or(KUBERNETES);
    let together = match profiles::with_gates(version, &spec.feature_gates) {
        Ok(profile) => return Some(profile),
        Err(error) => error,
    };
    let problem = |error: ProfileError| Problem::new(&error).maybe_help(error.hint);
    match profiles::profile(version) {
        Err(error) => {
            complaints.at(at!["kubernetes"]).add(problem(error));
            profiles::profile(KUBERNETES).ok()
        }
        Ok(without_gates) => {
            // One gate after the other, so that each mistake is named.
            let mut wrong = spec.feature_gates.iter().filter_map(|(name, value)| {
                Some((name, profiles::check_gate(version, name, *value).err()?))
            });
            let Some(first) = wrong.next() else {
                complaints.at(at!["feature_gates"]).add(problem(together));
                return Some(without_gates);
            };
            for (name, error) in [first].into_iter().chain(wrong) {
                complaints.at(at!["feature_gates", name]).add_name(problem(error));
            }
            Some(without_gates)
        }
    }
}
