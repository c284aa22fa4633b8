//! A plan as a scenario of the recorder, to be recorded.
//!
//! What the recorder cannot say is named, all of it at once. Reading the scenario back gives a plan
//! that does the same: labels that the recorder adds to nodes by itself are the only difference.

use super::missing::{Missing, unless};
use super::say_actions::{READINESS, actions};
use super::say_objects::{budgets, nodes, pods, resource_claims, tolerations, workloads};
use super::settings::OTHERS;
use serde_json::{Map, Value, json};
use taintsim::api::pod::PodTemplate;
use taintsim::api::probe::RestartPolicy;
use taintsim::api::volume::{BindingMode, DEFAULT_DRIVER, Reach, attach_limit_key};
use taintsim::kernel::Dur;
use taintsim::plan::{
    Action, Controllers, Delay, Do, KubeletMode, Limits, NamespaceTolerations, NodeFault, Perturb,
    Plan, SchedulerSettings, Strategy, UserMode,
};
use taintsim::trace::Actor;

/// The scenario as JSON text.
///
/// # Errors
/// What the recorder cannot say, sorted.
pub fn scenario_of(plan: &Plan) -> Result<String, Vec<String>> {
    let mut missing = Missing::new();
    let mut scenario = json!({
        "name": plan.name,
        "doc": plan.doc,
        "horizon": plan.horizon.to_string(),
        "controllers_start": plan.controllers_start.to_string(),
        "flags": flags(plan),
        "api": api(plan, &mut missing),
        "attacher": {
            "attach": plan.timing.attacher.0.to_string(),
            "detach": plan.timing.attacher.1.to_string(),
        },
        "volume_limit": volume_limit(plan, &mut missing),
        "pass_overhead": plan.timing.pass_overhead.to_string(),
        "clients": clients(plan),
        "admission": admission(plan, &mut missing),
        "controllers": controllers(plan.controllers),
        "kubelet": kubelet(plan, &mut missing),
        "namespaces": namespaces(plan),
        "nodes": nodes(plan),
        "pods": pods(plan, &mut missing),
        "workloads": workloads(plan),
        "budgets": budgets(plan),
        "actions": actions(plan, &mut missing),
    });
    let claims = resource_claims(plan);
    if !claims.is_empty() {
        scenario["resourceClaims"] = claims.into();
    }
    if plan.scheduler != SchedulerSettings::default() {
        scenario["scheduler"] = scheduler(&plan.scheduler);
    }
    rest(plan, &mut missing);
    volumes(plan, &mut missing);
    pressure(plan, &mut missing);
    if missing.is_empty() { Ok(scenario.to_string()) } else { Err(missing.into_iter().collect()) }
}

/// How many disks each node takes.
fn volume_limit(plan: &Plan, missing: &mut Missing) -> Value {
    let key = attach_limit_key(DEFAULT_DRIVER);
    let limits: Vec<_> = plan.nodes.iter().map(|n| n.allocatable.get(&key)).collect();
    let alike = limits.windows(2).all(|two| two[0] == two[1]);
    unless(alike, "nodes that take different numbers of volumes", missing);
    limits.first().copied().flatten().map_or(Value::Null, |limit| json!(limit.value()))
}

/// Volumes of which the recorder cannot be told.
fn volumes(plan: &Plan, missing: &mut Missing) {
    for claim in plan.templates.iter().flat_map(|t| &t.claims) {
        let is_said = match &claim.reach {
            Reach::Everywhere => claim.attach,
            Reach::Zone(zone) => zone.is_some() && claim.attach,
            Reach::Node(node) => node.is_some(),
        };
        let what =
            "volumes that need not be attached, or whose zone or node is that of their first pod";
        unless(is_said, what, missing);
        let is_there = claim.provision.is_none() && claim.binding == BindingMode::default();
        unless(is_there, "volumes that are still to be made", missing);
        unless(claim.volume.is_none(), "volumes with names of their own", missing);
        let driver = claim.driver.as_deref();
        unless(driver.is_none_or(|d| d == DEFAULT_DRIVER), "drivers with names", missing);
    }
}

/// Node-pressure eviction, which the recorder does not run.
fn pressure(plan: &Plan, missing: &mut Missing) {
    unless(!plan.states_usage(), "what pods or nodes use", missing);
    unless(plan.readiness.rules.is_empty(), READINESS, missing);
    let mut devices = plan.nodes.iter().flat_map(|n| n.devices.iter());
    let plain = devices.all(|d| d.pool.is_none() && d.taints.is_empty());
    unless(plain, "devices that are tainted from the start, or in pools with names", missing);
    let first = plan.pods.iter().all(|p| p.devices.is_none());
    unless(first, "devices that a pod has by their names", missing);
    let no_rules = plan.device_taint_rules.is_empty();
    unless(no_rules, "rules of devices that are there from the start", missing);
}

/// What has no field of its own.
fn rest(plan: &Plan, missing: &mut Missing) {
    let t = &plan.timing;
    unless(
        plan.templates.iter().all(|t| t.start.is_none() && t.stop.is_none()),
        "pods that take their own time to start or stop (`pod_start`, `pod_stop`)",
        missing,
    );
    unless(
        plan.templates.iter().all(|t| t.life.is_none()),
        "probes, and containers that end by themselves",
        missing,
    );
    let ends = |t: &PodTemplate| t.restart_policy == RestartPolicy::Never;
    let is_off = |a: &Action| matches!(a.act, Do::Fail(_, NodeFault::Off));
    unless(
        !plan.templates.iter().any(ends) || !plan.actions.iter().any(is_off),
        "pods that end with their machine (restartPolicy Never)",
        missing,
    );
    unless(plan.templates.iter().all(|t| t.image.is_none()), "pulls of images (`image`)", missing);
    unless(
        plan.templates.iter().all(|t| t.containers.is_empty()),
        "pods of several containers (`initContainers`, `containers`)",
        missing,
    );
    unless(
        !plan.warm_start,
        "controllers that run when the run starts (`timing: Ideal` starts them)",
        missing,
    );
    unless(!t.clock_advances, "clocks that go on between two readings (`timing: Ideal`)", missing);
    unless(t.user == UserMode::Raw, "a user who writes with kubectl (`timing: Ideal`)", missing);
    unless(
        t.pod_gc_overhead == Dur::from_micros(1),
        "the time that a pass of the pod garbage collector takes",
        missing,
    );
    unless(
        plan.perturb == Perturb::default() && plan.tape.is_none(),
        "trouble that is left to the choices, and tapes",
        missing,
    );
}

fn scheduler(s: &SchedulerSettings) -> Value {
    json!({
        "percentageOfNodesToScore": s.percentage_of_nodes_to_score,
        "scoringStrategy": match s.strategy {
            Strategy::LeastAllocated => "LeastAllocated",
            Strategy::MostAllocated => "MostAllocated",
        },
        "preemption": s.preemption,
    })
}

fn flags(plan: &Plan) -> Value {
    let f = &plan.flags;
    json!({
        "pod-eviction-timeout": f.pod_eviction_timeout.to_string(),
        "enable-taint-manager": f.enable_taint_manager,
        "terminated-pod-gc-threshold": f.terminated_pod_gc_threshold,
        "disable-force-detach-on-timeout": f.disable_force_detach_on_timeout,
        "node-monitor-period": f.node_monitor_period.to_string(),
        "node-monitor-grace-period": f.node_monitor_grace_period.to_string(),
        "node-startup-grace-period": f.node_startup_grace_period.to_string(),
        "node-eviction-rate": f.node_eviction_rate,
        "secondary-node-eviction-rate": f.secondary_node_eviction_rate,
        "large-cluster-size-threshold": f.large_cluster_size_threshold,
        "unhealthy-zone-threshold": f.unhealthy_zone_threshold,
        "default-not-ready-toleration-seconds": f.default_not_ready_toleration_seconds,
        "default-unreachable-toleration-seconds": f.default_unreachable_toleration_seconds,
    })
}

fn api(plan: &Plan, missing: &mut Missing) -> Value {
    let t = &plan.timing;
    let mut constant = |d: Delay| {
        unless(
            d.min == d.max,
            "delays that are drawn (`timing: Ideal` has none, `Custom` may have constant ones)",
            missing,
        );
        d.min.to_string()
    };
    json!({"request": constant(t.request), "response": constant(t.response), "watch": constant(t.watch)})
}

fn clients(plan: &Plan) -> Value {
    let t = &plan.timing;
    let limits = |l: &Limits| json!({"qps": l.qps, "burst": l.burst});
    let mut out: Map<String, Value> =
        t.clients.iter().map(|(actor, l)| (actor.as_str().to_owned(), limits(l))).collect();
    let own = [
        ("node-lifecycle", &t.node_lifecycle_client),
        ("taint-eviction", &t.taint_eviction_client),
    ];
    out.extend(
        own.into_iter().filter_map(|(name, l)| Some((name.to_owned(), limits(l.as_ref()?)))),
    );
    Value::Object(out)
}

fn admission(plan: &Plan, missing: &mut Missing) -> Value {
    let a = &plan.admission;
    unless(
        a.taint_nodes_by_condition || !plan.actions.iter().any(|a| matches!(a.act, Do::AddNode(_))),
        "a cluster without the admission plugin TaintNodesByCondition",
        missing,
    );
    let plugins = [
        ("DefaultTolerationSeconds", a.default_toleration_seconds),
        ("PodTolerationRestriction", a.pod_toleration_restriction),
        ("ExtendedResourceToleration", a.extended_resource_toleration),
    ];
    let on = plugins.into_iter().filter(|(_, on)| *on).map(|(n, _)| n);
    on.collect()
}

fn namespaces(plan: &Plan) -> Value {
    let one = |(name, said): (&String, &NamespaceTolerations)| {
        let mut fields = Map::new();
        for (field, list) in
            [("defaultTolerations", &said.defaults), ("tolerationsWhitelist", &said.whitelist)]
        {
            if let Some(all) = list {
                fields.insert(field.to_owned(), tolerations(all));
            }
        }
        (name.clone(), Value::Object(fields))
    };
    Value::Object(plan.namespaces.iter().map(one).collect())
}

fn controllers(mut c: Controllers) -> Value {
    let on = OTHERS.into_iter().filter(|(_, runs)| *runs(&mut c)).map(|(actor, _)| actor);
    [Actor::NodeLifecycle, Actor::TaintEviction].into_iter().chain(on).map(Actor::as_str).collect()
}

fn kubelet(plan: &Plan, missing: &mut Missing) -> Value {
    let mut own = plan.nodes.iter().filter_map(|n| n.kubelet.as_ref());
    let alike = own.all(|own| own.mode == plan.timing.kubelet);
    unless(alike, "nodes whose kubelets are heard at different intervals", missing);
    match &plan.timing.kubelet {
        KubeletMode::Imitated(k) => json!({
            "start": k.start.to_string(),
            "stop": k.stop.to_string(),
            "status_report": k.status_report.to_string(),
            "repost_pod_ready": k.repost_pod_ready,
        }),
        KubeletMode::Real(_) => {
            missing.insert("kubelets with loops of their own (`timing: Ideal`)".to_owned());
            Value::Null
        }
    }
}
