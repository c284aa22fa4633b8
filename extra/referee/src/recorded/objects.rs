//! The objects of a recorded scenario, as the recorder makes them.

use super::format::{
    AmountSpec, BudgetSpec, DeviceClaimSpec, DeviceRequestSpec, DeviceTaintSpec, DevicesSpec,
    NodeSpec, PodSpec, TolerationSpec, VolumeSpec,
};
use super::plan_error::{PlanError, invalid};
use std::collections::BTreeMap;
use std::rc::Rc;
use taintsim::api::budget::{BudgetRule, IntOrPercent};
use taintsim::api::device::{
    Device, DeviceClaim, DeviceRequest, DeviceSelector, ExactDeviceRequest,
};
use taintsim::api::kubectl_taint::{self, TaintEdit};
use taintsim::api::labels::{LabelSelector, Labels};
use taintsim::api::node::{LABEL_REGION, LABEL_REGION_BETA, LABEL_ZONE, LABEL_ZONE_BETA};
use taintsim::api::pod::{PodSource, PodTemplate};
use taintsim::api::quantity::{Quantity, Resources};
use taintsim::api::scheduling::SchedulingSpec;
use taintsim::api::taint::{Effect, Taint};
use taintsim::api::toleration::{Operator, Toleration};
use taintsim::api::volume::{AccessMode, BindingMode, Claim, DEFAULT_DRIVER, Reach};
use taintsim::plan::BudgetPlan;

/// The template of a pod.
pub(super) fn template(spec: &PodSpec) -> Result<PodTemplate, PlanError> {
    if spec.grace.is_some_and(|g| !(0..=i64::from(i32::MAX)).contains(&g)) {
        return Err(invalid(format!(
            "pod {:?} has a grace period of {} s",
            spec.name,
            spec.grace.unwrap_or_default()
        )));
    }
    let never_preempts = spec.preemption_policy.as_deref() == Some("Never");
    let mut template = PodTemplate {
        labels: spec.labels.clone(),
        tolerations: tolerations(&spec.tolerations)?,
        termination_grace_period_seconds: spec.grace,
        node_selector: spec.node_selector.clone(),
        priority: spec.priority,
        scheduling: never_preempts
            .then(|| Rc::new(SchedulingSpec { never_preempts, ..SchedulingSpec::default() })),
        requests: resources(spec.requests.iter().map(|(r, q)| (r.as_str(), q.as_str())).collect())?,
        deletion_cost: number(spec, DELETION_COST)?,
        exit_code: Some(number(spec, EXIT_CODE)?).filter(|code| *code != 0),
        source: source(spec)?,
        claims: spec.volumes.iter().map(claim).collect::<Result<_, _>>()?,
        devices: spec.device_claims.iter().map(device_claim).collect::<Result<_, _>>()?,
        ..PodTemplate::default()
    };
    if let Some(rest) = &spec.spec {
        rest.lay(&mut template)?;
    }
    Ok(template)
}

/// A claim on devices. Of one that exists by itself it is the name alone.
pub(super) fn device_claim(spec: &DeviceClaimSpec) -> Result<DeviceClaim, PlanError> {
    let only = std::slice::from_ref(&spec.only);
    let requests = if spec.requests.is_empty() { only } else { &spec.requests };
    let requests = requests.iter().map(request).collect::<Result<_, _>>()?;
    let shared = Some(spec.shared.as_str().into()).filter(|_| !spec.shared.is_empty());
    Ok(DeviceClaim { requests, shared })
}

fn request(spec: &DeviceRequestSpec) -> Result<DeviceRequest, PlanError> {
    if spec.first_available.is_empty() {
        return Ok(DeviceRequest::Exactly(exactly(spec)?));
    }
    let list = spec.first_available.iter().map(exactly).collect::<Result<_, _>>()?;
    Ok(DeviceRequest::FirstAvailable(list))
}

fn exactly(spec: &DeviceRequestSpec) -> Result<ExactDeviceRequest, PlanError> {
    let count = match &*spec.allocation_mode {
        "" | "ExactCount" => Some(spec.count.max(1)),
        "All" => None,
        other => return Err(invalid(format!("{other:?} is no mode of allocation"))),
    };
    let tolerations = tolerations(&spec.tolerations)?.into();
    Ok(ExactDeviceRequest { driver: spec.driver.clone(), count, tolerations })
}

/// The devices of a node.
pub(super) fn devices(specs: &[DevicesSpec]) -> Rc<[Device]> {
    let of = |spec: &DevicesSpec| {
        let driver = spec.driver.clone();
        let device = move |name: &String| Device {
            driver: driver.clone(),
            name: name.clone(),
            pool: None,
            taints: Vec::new(),
        };
        spec.names.iter().map(device).collect::<Vec<_>>()
    };
    specs.iter().flat_map(of).collect()
}

/// Which devices a taint is of, the taint, and whether its effect is None.
pub(super) fn device_taint(
    spec: &DeviceTaintSpec,
) -> Result<(DeviceSelector, Taint, bool), PlanError> {
    let given = |text: &String| Some(text.clone()).filter(|t| !t.is_empty());
    let (driver, pool, device) = (given(&spec.driver), given(&spec.pool), given(&spec.device));
    let previews = spec.effect == "None";
    let effect = if previews { Some(Effect::NoExecute) } else { Effect::parse(&spec.effect) };
    let effect =
        effect.ok_or_else(|| invalid(format!("{:?} is no effect of a taint", spec.effect)))?;
    let taint = Taint { value: spec.value.clone(), ..Taint::new(&spec.key, effect) };
    Ok((DeviceSelector { driver, pool, device }, taint, previews))
}

/// A claim; whether it is one of the pod alone, its owner says.
fn claim(spec: &VolumeSpec) -> Result<Claim, PlanError> {
    let access = match &*spec.access {
        "" => AccessMode::ReadWriteOnce,
        mode => AccessMode::parse(mode)
            .ok_or_else(|| invalid(format!("{mode:?} is no access mode of a volume")))?,
    };
    // Where a volume may be made that waits for a node, its StorageClass says.
    let waits = !spec.provision.0.is_zero() && !spec.immediate;
    let reach = match (&*spec.zone, &*spec.host) {
        ("", "") if !spec.zonal => Reach::Everywhere,
        (zone, "") if waits || zone.is_empty() => Reach::Zone(None),
        ("", host) => Reach::Node(Some(host.to_owned())),
        (zone, _) => Reach::Zone(Some(zone.to_owned())),
    };
    let attach = !matches!(reach, Reach::Node(_));
    let name = spec.claim.clone();
    let driver = attach.then(|| DEFAULT_DRIVER.to_owned());
    Ok(Claim {
        name,
        per_pod: false,
        access,
        reach,
        allowed_topologies: Some(spec.zone.clone())
            .filter(|z| waits && !z.is_empty())
            .into_iter()
            .collect(),
        storage: None,
        attach,
        driver,
        volume: None,
        binding: match spec.immediate {
            true => BindingMode::Immediate,
            false => BindingMode::WaitForFirstConsumer,
        },
        provision: Some(spec.provision.0).filter(|p| !p.is_zero()),
        assumed: false,
    })
}

/// The claims of a StatefulSet's pods are its templates of claims; a pod that is listed by itself may
/// name its own.
pub(super) fn claims_of_set(claims: &mut [Claim], pod: &str) {
    for claim in claims {
        let own = claim.name.strip_suffix(pod).and_then(|c| c.strip_suffix('-'));
        claim.name = own.map_or(claim.name.clone(), str::to_owned);
        claim.per_pod = true;
    }
}

/// Where its kubelet has a pod from (`kubelet_static.go`).
fn source(spec: &PodSpec) -> Result<PodSource, PlanError> {
    Ok(match &*spec.source {
        "" => PodSource::Api,
        "file" => PodSource::File,
        "url" => PodSource::Url,
        other => {
            return Err(invalid(format!("a static pod is from a file or a url, not {other:?}")));
        }
    })
}

/// The annotation by which a ReplicaSet chooses whom to delete.
pub(super) const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
/// The recorder's own, with what containers exit when they are asked to end (`agent_pods.go`).
const EXIT_CODE: &str = "exit-code";

/// A number that an annotation of a pod says.
fn number(spec: &PodSpec, annotation: &str) -> Result<i32, PlanError> {
    spec.annotations.get(annotation).map_or(Ok(0), |text| {
        text.parse().map_err(|_| invalid(format!("{annotation}: {text:?} is no number")))
    })
}

/// A disruption budget.
pub(super) fn budget(spec: &BudgetSpec) -> Result<BudgetPlan, PlanError> {
    let rule = rule(spec)?;
    let by_labels =
        || LabelSelector { match_labels: spec.labels.clone(), ..LabelSelector::default() };
    let selector = spec.selector.as_ref().map_or_else(|| Ok(by_labels()), |s| s.read())?;
    let selector =
        selector.as_selector().map_err(|e| invalid(format!("budget {:?}: {e}", spec.name)))?;
    Ok(BudgetPlan {
        name: budget_name(spec),
        selector,
        rule,
        always_allow_unhealthy: spec.unhealthy_pod_eviction_policy == "AlwaysAllow",
    })
}

/// `PodDisruptionBudget/namespace/name`
pub(super) fn budget_name(spec: &BudgetSpec) -> String {
    format!("PodDisruptionBudget/{}", pod_name(&spec.namespace, &spec.name))
}

/// What a budget asks for.
pub(super) fn rule(spec: &BudgetSpec) -> Result<BudgetRule, PlanError> {
    let amount = |given: &AmountSpec| match given {
        AmountSpec::Number(n) => Ok(IntOrPercent::Int(*n)),
        AmountSpec::Percentage(text) => IntOrPercent::parse(text)
            .filter(|_| text.ends_with('%'))
            .ok_or_else(|| invalid(format!("budget {:?}: {text:?} is no share", spec.name))),
    };
    match (&spec.min_available, &spec.max_unavailable) {
        (Some(min), None) => Ok(BudgetRule::MinAvailable(amount(min)?)),
        (None, Some(max)) => Ok(BudgetRule::MaxUnavailable(amount(max)?)),
        (None, None) => Ok(BudgetRule::Neither),
        _ => Err(invalid(format!("budget {:?} asks for two things", spec.name))),
    }
}

/// `namespace/name`
pub(super) fn pod_name(namespace: &str, name: &str) -> String {
    format!("{}/{name}", if namespace.is_empty() { "default" } else { namespace })
}

/// The labels a node gets (`objects.go: nodeObject`).
pub(super) fn node_labels(spec: &NodeSpec) -> Labels {
    let mut labels = Labels::new();
    let mut set = |key: &str, value: &str| labels.insert(key.to_owned(), value.to_owned());
    set("kubernetes.io/hostname", &spec.name);
    for key in ["kubernetes.io/os", "beta.kubernetes.io/os"] {
        set(key, "linux");
    }
    for key in ["kubernetes.io/arch", "beta.kubernetes.io/arch"] {
        set(key, "amd64");
    }
    for (value, stable, beta) in
        [(&spec.region, LABEL_REGION, LABEL_REGION_BETA), (&spec.zone, LABEL_ZONE, LABEL_ZONE_BETA)]
    {
        if !value.is_empty() {
            set(stable, value);
            set(beta, value);
        }
    }
    labels.extend(spec.labels.clone());
    labels
}

/// Amounts of resources.
pub(super) fn resources(given: BTreeMap<&str, &str>) -> Result<Resources, PlanError> {
    let parse = |(name, text): (&str, &str)| {
        let amount = Quantity::parse(text).map_err(|e| invalid(format!("{name}: {e}")))?;
        Ok((name.to_owned(), amount))
    };
    given.into_iter().map(parse).collect()
}

/// The taints of one write. Of two with the same key and effect the last one stands, in its place.
pub(super) fn taint_edit(text: &str, removes: bool) -> Result<TaintEdit, PlanError> {
    if text.is_empty() {
        return Err(invalid("there is no taint"));
    }
    let mut edit = kubectl_taint::parse_recorded(text, removes)
        .map_err(|e| invalid(format!("{text:?}: {e}")))?;
    let mut add: Vec<Taint> = Vec::new();
    for taint in edit.add {
        add.retain(|t| !t.matches(&taint));
        add.push(taint);
    }
    (edit.add, edit.overwrite) = (add, true);
    Ok(edit)
}

/// Tolerations as the API has them.
pub(super) fn tolerations(given: &[TolerationSpec]) -> Result<Vec<Toleration>, PlanError> {
    given.iter().map(toleration).collect()
}

fn toleration(t: &TolerationSpec) -> Result<Toleration, PlanError> {
    let operator = match t.operator.as_str() {
        "" | "Equal" => Operator::Equal,
        "Exists" => Operator::Exists,
        "Lt" => Operator::Lt,
        "Gt" => Operator::Gt,
        other => return Err(invalid(format!("{other:?} is no operator of a toleration"))),
    };
    let effect = if t.effect.is_empty() {
        None
    } else {
        Some(
            Effect::parse(&t.effect)
                .ok_or_else(|| invalid(format!("{:?} is no effect of a taint", t.effect)))?,
        )
    };
    Ok(Toleration {
        key: t.key.clone(),
        operator,
        value: t.value.clone(),
        effect,
        toleration_seconds: t.toleration_seconds,
    })
}
