//! The build itself: a scenario with its overrides in, a plan out.

use super::super::existing::{Reached, roll_out};
use super::super::expectations::Expectations;
use super::super::load::{Damage, Loaded};
use super::super::paths;
use super::super::problem::{Problem, Problems, Source};
use super::super::profiles::{self, GateError};
use super::super::spec::{self, NodeStart, PodStart, Scenario, Step, Timing as WrittenTiming};
use super::super::syntax::{Place, at};
use super::budgets::Budgets;
use super::complaints::{Complaints, Overridden};
use super::expect::Reader;
use super::nodes::Defaults;
use super::pods::Lookup;
use super::priorities::Priorities;
use super::select::{Nodes, Pods};
use super::workloads::Workloads;
use super::{flags, namespaces, scheduling, timeline, timing, values};
use crate::api::taint::UNINITIALIZED;
use crate::api::workload::WorkloadKind;
use crate::files;
use crate::kernel::{Dur, Time};
use crate::plan::{Controllers, Do, NodePlan, Plan, PodPlan, Profile, WorkloadPlan};
use std::collections::BTreeMap;

/// The most nodes of a cluster, forty times what Kubernetes supports.
pub const NODES_MAX: u64 = 200_000;
/// The most pods of a cluster, thirty times what Kubernetes supports.
pub const PODS_MAX: u64 = 5_000_000;

/// The release of a scenario that names none: the newest one that timelines were recorded from and
/// that is still common.
pub(super) const KUBERNETES: &str = "1.34";
/// The seed of a scenario that names none.
const SEED: u64 = 1;

/// What a command line changes in a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--kubernetes`
    pub kubernetes: Option<String>,
    /// `--timing`: `ideal` or `typical`
    pub timing: Option<String>,
    /// `--seed`
    pub seed: Option<u64>,
    /// Every `--set`, `PATH=VALUE`, in their order.
    pub sets: Vec<String>,
}

impl Overrides {
    /// All but the seed as `PATH=VALUE`.
    pub fn as_sets(&self) -> Vec<String> {
        let own = [("kubernetes", &self.kubernetes), ("timing", &self.timing)];
        let own = own
            .into_iter()
            .filter_map(|(path, value)| value.as_ref().map(|v| format!("{path}={v}")));
        own.chain(self.sets.iter().cloned()).collect()
    }
}

/// The seed of a run.
pub fn seed(loaded: &Loaded, overrides: &Overrides) -> Result<u64, Problems> {
    overrides.seed.map_or_else(
        || overridden(loaded, overrides).map(|c| c.spec.seed.unwrap_or(SEED)),
        Ok,
    )
}

/// The plan of a run.
///
/// # Errors
/// Everything that is wrong with the scenario or the overrides, each with its place.
pub fn build(loaded: &Loaded, overrides: &Overrides) -> Result<Plan, Problems> {
    expecting(loaded, overrides).map(|(plan, _)| plan)
}

/// The plan of a run, and what the scenario expects of it.
///
/// # Errors
/// As [`build`].
pub fn expecting(loaded: &Loaded, overrides: &Overrides) -> Result<(Plan, Expectations), Problems> {
    let changed = overridden(loaded, overrides)?;
    let mut complaints = Complaints::default();
    let seed = overrides.seed.or(changed.spec.seed).unwrap_or(SEED);
    let plan = plan(&changed, loaded, seed, Damage::default(), &mut complaints);
    complaints.finish(&loaded.source, &loaded.source.text, &changed.sets)?;
    // Without a complaint there is a plan; this message would be a fault of ours.
    plan.ok_or_else(|| {
        Problems::one(Problem::new(
            "this scenario cannot be built, and nothing says why: please report it",
        ))
    })
}

/// Mistakes of meaning in what is left of a scenario with mistakes of form; `left` is its text with
/// those blanked out.
pub(in crate::scenario) fn mistakes(loaded: &Loaded, left: &str, damage: Damage) -> Vec<Problem> {
    let mut complaints = Complaints::default();
    let as_read = Changed {
        spec: loaded.spec.clone(),
        sets: Vec::new(),
        notes: Vec::new(),
        reached: Vec::new(),
    };
    plan(&as_read, loaded, SEED, damage, &mut complaints);
    complaints
        .finish(&loaded.source, left, &[])
        .map_or_else(|problems| problems.0, |()| Vec::new())
}

/// What a scenario says, with the command line's changes; its nodes and pods may come from an
/// export.
///
/// # Errors
/// What is wrong with the changes, each with its place.
pub fn changed(loaded: &Loaded, overrides: &Overrides) -> Result<Scenario, Problems> {
    let mut spec = overridden(loaded, overrides)?.spec;
    spec.seed = overrides.seed.or(spec.seed);
    Ok(spec)
}

/// A scenario with the command line's changes.
struct Changed {
    spec: Scenario,
    /// What each `--set` wrote.
    sets: Vec<Overridden>,
    /// What a person should know of it, but for what is said of pods.
    notes: Vec<String>,
    /// Pods that exist and that the changes reach.
    reached: Vec<Reached>,
}

/// The scenario with the command line's changes, and what these mean for pods that exist.
fn overridden(loaded: &Loaded, overrides: &Overrides) -> Result<Changed, Problems> {
    let mut spec = loaded.spec.clone();
    let (mut sets, mut problems) = (Vec::new(), Vec::new());
    let own = [
        ("kubernetes", &overrides.kubernetes),
        ("timing", &overrides.timing),
    ];
    let own = own.into_iter().filter_map(|(path, value)| {
        value
            .as_ref()
            .map(|v| (format!("--{path}"), format!("{path}={v}")))
    });
    let given = overrides
        .sets
        .iter()
        .map(|text| ("--set".to_owned(), text.clone()));
    for (name, text) in own.chain(given) {
        let source = Source::new(&name, text);
        match paths::set(&mut spec, &source.text) {
            Ok(places) => sets.extend(places.into_iter().map(|place| Overridden {
                place,
                source: source.clone(),
            })),
            Err(problem) => {
                // What the message names first is what it is about.
                let named = problem
                    .message
                    .strip_prefix('`')
                    .and_then(|m| source.text.find(m.split('`').next()?).map(|at| (at, m)));
                let part = named.and_then(|(at, m)| {
                    Some(at..at + m.split('`').next().filter(|n| !n.is_empty())?.len())
                });
                let bytes = part.unwrap_or(0..source.text.len());
                problems.push(problem.at(&source, bytes));
            }
        }
    }
    if !problems.is_empty() {
        return Err(Problems(problems));
    }
    let notes = loaded.exported.as_ref().map_or_else(Vec::new, |exported| {
        flags::take_settings(
            spec.kubernetes.as_deref(),
            exported,
            &mut spec.flags,
            &mut spec.feature_gates,
        )
    });
    let reached = roll_out(&mut spec, &loaded.spec, loaded.exported.as_ref());
    Ok(Changed {
        spec,
        sets,
        notes,
        reached,
    })
}

fn profile(spec: &Scenario, complaints: &mut Complaints) -> Option<Profile> {
    let version = spec.kubernetes.as_deref().unwrap_or(KUBERNETES);
    let problem = match profiles::with_gates(version, &spec.feature_gates) {
        Ok(profile) => return Some(profile),
        Err(error) => Problem::new(error.to_string()).maybe_help(error.hint()),
    };
    // One gate after the other, so that each mistake is named.
    let mut named = false;
    for (name, value) in &spec.feature_gates {
        match profiles::with_gates(version, &BTreeMap::from([(name.clone(), *value)])) {
            Ok(_) => {}
            Err(GateError::Release(_)) => break,
            Err(error) => {
                complaints.add_name(
                    at!["feature_gates", name],
                    Problem::new(error.to_string()).maybe_help(error.hint()),
                );
                named = true;
            }
        }
    }
    if !named {
        complaints.add(at!["kubernetes"], problem);
    }
    // The release without gates, so that the rest can be looked at.
    profiles::profile(version)
        .or_else(|_| profiles::profile(KUBERNETES))
        .ok()
}

fn plan(
    changed: &Changed,
    loaded: &Loaded,
    seed: u64,
    damage: Damage,
    complaints: &mut Complaints,
) -> Option<(Plan, Expectations)> {
    let spec = &changed.spec;
    match spec.version {
        1 => {}
        0 if damage.header => {}
        0 => complaints.add(
            Place::new(),
            Problem::new("`version` is missing")
                .help("the version of the language is 1: `version: 1`"),
        ),
        other => complaints.add(
            at!["version"],
            Problem::new(format!(
                "version {other} of the scenario language is not known"
            ))
            .help("this version of taintsim reads `version: 1`"),
        ),
    }
    let profile = profile(spec, complaints)?;
    let horizon = match spec.horizon.as_str() {
        "" if damage.header => None,
        "" => {
            complaints.add(
                Place::new(),
                Problem::new("`horizon` is missing").help("the end of the run: `horizon: \"30m\"`"),
            );
            None
        }
        text => complaints.take(at!["horizon"], values::positive(text)),
    };
    let settings = flags::read(&spec.flags, &profile, complaints);
    let timing = timing::read(spec.timing.as_ref(), &settings, &profile, complaints);
    let controllers_start = spec
        .controllers_start
        .as_ref()
        .and_then(|t| complaints.take(at!["controllers_start"], values::span(t.as_str())));

    let defaults = Defaults {
        lease_period: timing::lease_period(&settings.kubelet),
        status_period: Dur::from_secs(10),
    };
    let mut nodes = Nodes {
        incomplete: damage.nodes,
        labels_incomplete: damage.node_labels,
        ..Nodes::default()
    };
    for (i, group) in spec.nodes.iter().enumerate() {
        nodes.declare(group, &at!["nodes", i], false, &defaults, complaints);
    }
    let mut pods = Pods {
        incomplete: damage.pods,
        ..Pods::default()
    };
    let priorities = Priorities::read(&spec.priority_classes, complaints);
    let scheduler = scheduling::settings(&spec.scheduler, complaints);
    let mut budgets = Budgets::default();
    for (i, budget) in spec.pod_disruption_budgets.iter().enumerate() {
        budgets.declare(budget, &at!["podDisruptionBudgets", i], false, complaints);
    }
    let operators = profile.taint_eviction.comparison_operators;
    let namespaces = namespaces::read(&spec.namespaces, operators, complaints);
    let mut workloads = Workloads {
        incomplete: damage.workloads,
        ..Workloads::default()
    };
    let lookup = Lookup {
        nodes: &nodes,
        priorities: &priorities,
        operators,
    };
    for (i, workload) in spec.workloads.iter().enumerate() {
        workloads.declare(
            workload,
            &at!["workloads", i],
            false,
            &mut pods,
            &lookup,
            complaints,
        );
    }
    let mut declared = Vec::with_capacity(spec.pods.len());
    for (i, group) in spec.pods.iter().enumerate() {
        declared.push(
            pods.declare(group, &at!["pods", i], false, &lookup, complaints)
                .len(),
        );
    }
    let reached = changed
        .reached
        .iter()
        .filter_map(|r| r.sentence(&|i| declared.get(i).copied().unwrap_or(0)));
    let notes = changed.notes.iter().cloned().chain(reached).collect();
    // Nodes, pods and workloads that come later: known to every entry, whatever its time.
    let mut added = BTreeMap::new();
    for (i, entry) in spec.timeline.iter().enumerate() {
        if let Step::AddNode { node } = &entry.step {
            let again = node
                .name
                .as_ref()
                .and_then(|name| nodes.by_name.get(name))
                .copied();
            let indices = match again {
                // A node that was deleted joins again as it was declared.
                Some(index) if is_name_alone(node) => vec![index],
                Some(_) => {
                    complaints.add(
                        at!["timeline", i, "do", "node"],
                        Problem::new("a node of this name is declared; it joins again as it is")
                            .help("give only its `name`"),
                    );
                    Vec::new()
                }
                None => nodes.declare(
                    node,
                    &at!["timeline", i, "do", "node"],
                    true,
                    &defaults,
                    complaints,
                ),
            };
            added.insert(i, indices);
        }
    }
    let lookup = Lookup {
        nodes: &nodes,
        priorities: &priorities,
        operators,
    };
    for (i, entry) in spec.timeline.iter().enumerate() {
        match &entry.step {
            Step::CreatePod { pod } => {
                added.insert(
                    i,
                    pods.declare(
                        pod,
                        &at!["timeline", i, "do", "pod"],
                        true,
                        &lookup,
                        complaints,
                    ),
                );
            }
            Step::CreateWorkload { workload } => {
                let place = at!["timeline", i, "do", "workload"];
                added.insert(
                    i,
                    workloads.declare(workload, &place, true, &mut pods, &lookup, complaints),
                );
            }
            Step::CreateBudget { budget } => {
                let declared = budgets.declare(
                    budget,
                    &at!["timeline", i, "do", "budget"],
                    true,
                    complaints,
                );
                added.insert(i, declared.into_iter().collect());
            }
            _ => {}
        }
    }
    workloads.name_pods(&mut pods);
    workloads.need(&spec.needs, complaints);
    let end = horizon.map(|h| Time::from_nanos(h.as_nanos()));
    let world = super::steps::World {
        nodes: &nodes,
        pods: &pods,
        workloads: &workloads,
        budgets: &budgets,
        profile: &profile,
        added: &added,
    };
    let (entries, actions, moments) =
        timeline::expand(&spec.timeline, end, damage.entries, &world, complaints);

    let reader = Reader {
        moments: &moments,
        horizon: end?,
        nodes: &nodes,
        pods: &pods,
        workloads: &workloads,
    };
    let of = super::expect::Of {
        seed,
        release: &profile.release,
    };
    let expectations = reader.read(spec, of, &loaded.source.text, complaints);

    let (perturb, tape) = super::tape::read(spec.tape.as_ref(), &profile.release, complaints);

    if !complaints.is_empty() {
        return None;
    }
    let imported = spec.cluster.is_some()
        || spec
            .nodes
            .iter()
            .any(|g| matches!(g.start, Some(NodeStart::Imported { .. })))
        || spec
            .pods
            .iter()
            .any(|g| matches!(g.start, Some(PodStart::Imported { .. })));
    let waits = |n: &NodePlan| n.taints.iter().any(|t| t.key == UNINITIALIZED);
    let cloud =
        actions.iter().any(|a| matches!(a.act, Do::Instance(..))) || nodes.plans.iter().any(waits);
    let plan = Plan {
        name: loaded.name.clone(),
        doc: files::shown(&spec.doc).into_owned(),
        notes,
        horizon: end?,
        flags: settings.flags,
        admission: settings.admission,
        controllers_start: Time::from_nanos(controllers_start.map_or(0, Dur::as_nanos)),
        // People describe a cluster that runs. An import's timers are not known: they start over,
        // as after a restart; so do recorded timelines, which `Ideal` equals.
        warm_start: controllers_start.is_none()
            && !imported
            && spec.timing != Some(WrittenTiming::Ideal),
        timing,
        profile,
        nodes: nodes.plans,
        controllers: controllers(
            &spec.controllers,
            &workloads.plans,
            &pods.plans,
            budgets.plans.len(),
            cloud,
        ),
        scheduler,
        templates: pods.templates,
        pods: pods.plans,
        workloads: workloads.plans,
        budgets: budgets.plans,
        namespaces,
        timeline: entries,
        actions,
        perturb,
        tape,
    };
    Some((plan, expectations))
}

/// The controllers that run: all but those that are switched off, and those that would find nothing
/// to do in the whole run.
fn controllers(
    written: &spec::Controllers,
    workloads: &[WorkloadPlan],
    pods: &[PodPlan],
    budgets: usize,
    cloud: bool,
) -> Controllers {
    let any = |kind| workloads.iter().any(|w| w.kind == kind);
    let on = |wanted: Option<bool>, needed: bool| wanted.unwrap_or(true) && needed;
    let deployments = any(WorkloadKind::Deployment);
    Controllers {
        cloud: on(written.cloud, cloud),
        disruption: on(written.disruption, budgets > 0),
        pod_gc: on(written.pod_gc, true),
        deployment: on(written.deployment, deployments),
        replica_set: on(
            written.replica_set,
            deployments || any(WorkloadKind::ReplicaSet),
        ),
        stateful_set: on(written.stateful_set, any(WorkloadKind::StatefulSet)),
        daemon_set: on(written.daemon_set, any(WorkloadKind::DaemonSet)),
        job: on(written.job, any(WorkloadKind::Job)),
        scheduler: on(
            written.scheduler,
            !workloads.is_empty() || pods.iter().any(|p| p.node.is_none()),
        ),
    }
}

fn is_name_alone(group: &spec::NodeGroup) -> bool {
    let bare = spec::NodeGroup {
        name: group.name.clone(),
        ..Default::default()
    };
    *group == bare
}
