//! Texts and numbers for the fields of the language that mean something: which of them refer to
//! what, and what they may be.
//!
//! Most draws are likely to be accepted, some are extreme, and some are wrong: what a scenario
//! refuses is left out of it.

use serde_json::{Map, Value, json};
use taintsim::kernel::Dur;
use taintsim::lab::dice::Dice;
use taintsim::language::duration;
use taintsim::language::{PLUGINS, known_flags};
use taintsim::profiles;

const NODES: [&str; 12] =
    ["a-0", "a-1", "a-2", "a-3", "b-0", "b-1", "b-2", "c-0", "c-1", "d-0", "n-0", "n-1"];
const PODS: [&str; 10] =
    ["p-0", "p-1", "q-0", "q-1", "r-0", "s-0", "db-0", "db-1", "new-0", "new-1"];
const WORKLOADS: [&str; 10] = [
    "web",
    "db",
    "agent",
    "batch",
    "old",
    "shop/web",
    "late",
    "StatefulSet/db",
    "Deployment/web",
    "batch-2",
];
const BUDGETS: [&str; 5] = ["min", "max", "pct", "shop/min", "later"];
pub(super) const NAMESPACES: [&str; 4] = ["default", "shop", "kube-system", "batch"];
const LABELS: [&str; 5] =
    ["app", "tier", "topology.kubernetes.io/zone", "kubernetes.io/hostname", "example.com/pool"];
const VALUES: [&str; 7] = ["web", "db", "a", "b", "gold", "1", ""];
const RESOURCES: [&str; 6] =
    ["cpu", "memory", "pods", "ephemeral-storage", "nvidia.com/gpu", "hugepages-2Mi"];
/// What kubelets watch, and how much of it is used.
const USED: [&str; 6] = ["memory", "memory", "ephemeral-storage", "pids", "inodes", "imagefs"];
const USAGES: [&str; 7] = [
    "1Gi",
    "1Gi + 20Mi/s",
    "500Mi + 50Mi/s up to 14Gi",
    "150%",
    "200Mi, 45s: 9Gi",
    "10 + 1/s",
    "3Gi, 1m: 1Gi, 3m: 4Gi + 100Mi/m",
];
/// Thresholds of eviction.
const THRESHOLDS: [&str; 5] = [
    "memory.available<100Mi",
    "memory.available<30%,nodefs.available<10%",
    "memory.available<10Gi",
    "nodefs.available<20%,imagefs.available<15%,nodefs.inodesFree<5%",
    "pid.available<10%,memory.available<1Gi",
];
const EXCLUDED: [&str; 3] = [
    "node.kubernetes.io/exclude-from-external-load-balancers",
    "node.kubernetes.io/exclude-disruption",
    "node-role.kubernetes.io/master",
];
const TAINTS: [&str; 9] = [
    "maintenance",
    "dedicated",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/out-of-service",
    "node.kubernetes.io/memory-pressure",
    "node.cloudprovider.kubernetes.io/shutdown",
    "example.com/gpu",
];
const REASONS: [&str; 6] = [
    "TaintManagerEviction",
    "NodeNotReady",
    "NodeReady",
    "FailedScheduling",
    "Killing",
    "SuccessfulCreate",
];
const POINTS: [&str; 8] = [
    "next",
    "watch-held",
    "crash",
    "coalesce",
    "select",
    "go-map-order",
    "pass-overhead",
    "heartbeat-phase",
];
/// Figures that are a duration.
const DURATIONS: [&str; 4] =
    ["unavailable_seconds", "below_need", "longest_below_need", "longest_gap"];
/// Integers that are legal somewhere, and at the edge.
const EXTREMES: [i64; 10] = [
    0,
    1,
    -1,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    i32::MAX as i64,
    i32::MIN as i64,
    1 << 53,
    4_294_967_295,
];

/// Selectors of labels, as text.
const SELECTORS: [&str; 6] =
    ["app=web", "tier=gold", "app", "!tier", "app in (web, db)", "topology.kubernetes.io/zone=a"];
/// Objects of choices.
const OBJECTS: [&str; 7] =
    ["n-0", "a-0", "pods", "nodes", "default/p-0", "", "poddisruptionbudgets"];
/// Kinds of owners.
const OWNERS: [&str; 6] = ["ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Node", "Widget"];
/// Names of priority classes.
const CLASSES: [&str; 5] =
    ["high", "low", "never", "system-node-critical", "system-cluster-critical"];
/// Who does something.
const ACTORS: [&str; 6] =
    ["taint-eviction", "pod-gc", "scheduler", "user", "node-lifecycle", "node-pressure"];

/// The names of what the scenario has so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) nodes: Vec<String>,
    pub(super) pods: Vec<String>,
    pub(super) workloads: Vec<String>,
    /// Groups of nodes and entries so far: each gets a name of its own.
    pub(super) groups: usize,
    pub(super) entries: usize,
    /// How long the run lasts.
    pub(super) seconds: u64,
    /// Nodes have devices.
    pub(super) devices: bool,
    /// There are rules of the node readiness controller.
    pub(super) readiness: bool,
}

impl Known {
    /// One of these names, or seldom one that is not there.
    fn one(dice: &mut Dice, known: &[String], others: &[&str]) -> String {
        if known.is_empty() || dice.once_in(20) {
            return dice.one(others).to_owned();
        }
        known[dice.below(known.len() as u64) as usize].clone()
    }

    fn entry(&self, dice: &mut Dice) -> String {
        format!("e{}", dice.below(self.entries as u64 + 1))
    }
}

/// The most nodes of a group; large numbers are drawn seldom.
const MOST_NODES: u64 = 60;

/// A text of the type or field of this name; `of` is the type that the field is in.
pub(super) fn text(dice: &mut Dice, names: &Known, of: &str, field: &str) -> String {
    let known = match (of, field) {
        (_, "kubernetes") => return release(dice),
        ("NodeDevices", "names") => dice.one(&["gpu-{0..3}", "gpu-{0..1}", "gpu-0", "nic-0"]),
        ("DeviceClaim", "resourceClaimName") => "shared",
        ("VolumeClaim" | "ProvisioningOutage", "driver") => {
            dice.one(&["ebs.csi.aws.com", "fast.example"])
        }
        (_, "driver") => {
            if dice.once_in(5) {
                "nic.example.com"
            } else {
                "gpu.example.com"
            }
        }
        (_, "device") => dice.one(&["gpu-0", "gpu-1", "nic-0"]),
        ("NodeReadinessRule", "name")
        | ("DeleteNodeReadinessRule", "rule")
        | ("NodeGroup", "bootstrapCompleted") => dice.one(&["cni", "agent"]),
        ("NodeReadinessRule", "taint") => dice.one(&[
            "readiness.k8s.io/cni=pending:NoSchedule",
            "readiness.k8s.io/agent:NoExecute",
            "readiness.k8s.io/agent:PreferNoSchedule",
        ]),
        ("ConditionRequirement" | "SetCondition", "type") | ("NodeGroup", "conditions") => {
            dice.one(&["CniReady", "CniReady", "AgentHealthy", "example.com/Driver"])
        }
        (_, "node_readiness_controller") => dice.one(&["0.4.1", "0.5.0"]),
        (_, "rule") | ("DeviceTaintRule", "name") => dice.one(&["broken", "all"]),
        ("DeviceTaintRule", "taint") if dice.once_in(4) => "ecc=bad:None",
        ("TaintDevices" | "UntaintDevices" | "DeviceTaintRule", "taint") => {
            dice.one(&["ecc=bad:NoExecute", "ecc:NoSchedule", "hot:NoExecute"])
        }
        (_, "pool" | "Node" | "Nodes" | "node" | "nodeName" | "leases" | "value of attached") => {
            return Known::one(dice, &names.nodes, &NODES);
        }
        (_, "pod" | "Pod" | "Pods") | ("Counted", "disrupted") => {
            return Known::one(dice, &names.pods, &PODS);
        }
        ("Memory", "waiting" | "bound" | "ages" | "attached" | "detach_requested") => {
            return format!("default/{}", Known::one(dice, &names.pods, &PODS));
        }
        ("Memory", "failures") => dice.one(&["default/batch", "default/batch-1", "shop/batch"]),
        ("Memory", "budgets") => dice.one(&["default/min", "default/max", "shop/pct"]),
        (_, "Group") => dice.one(&["p", "q", "r", "web", "db", "p-0"]),
        ("Quantity", "not_ready_nodes") => dice.one(&["a", "b", "c"]),
        ("Quantity", "requests") => {
            dice.one(&["taint-eviction", "node-lifecycle", "scheduler", "pod-gc"])
        }
        ("Quantity", _) if dice.once_in(4) => "*",
        (_, "workload" | "deployment" | "needs") | ("Quantity", _) => {
            return Known::one(dice, &names.workloads, &WORKLOADS);
        }
        (_, "budget") => dice.one(&BUDGETS),
        (_, "zone" | "Zone" | "allowedTopologies") => dice.one(&["a", "b", "c", "", "us-east-1a"]),
        (_, "region" | "Region") => dice.one(&["east", "west", ""]),
        (_, "Label" | "label") => dice.one(&SELECTORS),
        (_, "namespace" | "namespaces") | ("Namespace", "name" | "names") => dice.one(&NAMESPACES),
        (_, "topologyKey" | "matchLabelKeys" | "ByLabel") => dice.one(&LABELS),
        ("FaultModel", "name") => return format!("m{}", dice.below(9)),
        ("Scenario", "feature_gates") => gate(dice),
        (_, "property" | "Property") => dice.one(&taintsim::analysis::properties::Property::NAMES),
        (_, "perturb") => dice.one(&[
            "stale",
            "crash",
            "coalesce",
            "request",
            "request of taint-eviction",
            "stale of kube-scheduler",
        ]),
        ("Deviation", "0") => dice.one(&POINTS),
        ("Deviation", "1") => dice.one(&OBJECTS),
        (_, "taints" | "taint") => {
            let is_removal = of == "Untaint" || dice.once_in(6);
            return taint(dice, is_removal);
        }
        ("NodeGroup" | "NodeDevices", "taintsAdded") => return taint(dice, false),
        ("Toleration", "key") => dice.one(&TAINTS),
        ("NodeRequirement" | "LabelSelectorRequirement", "key") => dice.one(&LABELS),
        ("NodeRequirement" | "LabelSelectorRequirement" | "Toleration", "value" | "values") => {
            dice.one(&VALUES)
        }
        (_, "labels" | "nodeSelector" | "matchLabels") if dice.once_in(8) => dice.one(&EXCLUDED),
        (_, "labels" | "nodeSelector" | "matchLabels") => dice.one(&LABELS),
        (_, "value of labels" | "value of nodeSelector" | "value of matchLabels") => {
            dice.one(&VALUES)
        }
        (_, "usage") => dice.one(&USED),
        (_, "requests" | "capacity" | "container_requests") => dice.one(&RESOURCES),
        ("Flags", component) | ("NodeGroup", component @ "kubelet") => {
            return flag(dice, component);
        }
        ("Owner", "kind") => dice.one(&OWNERS),
        ("Owner", "name") => dice.one(&["web", "db", "agent", "batch", "x"]),
        ("HostPort", "hostIP") => dice.one(&["", "10.0.0.1", "0.0.0.0"]),
        ("PriorityClass", "name") | (_, "priorityClassName") => dice.one(&CLASSES),
        ("PodDisruptionBudget", "name") => dice.one(&["min", "max", "pct", "later"]),
        ("WorkloadGroup", "name") => dice.one(&["web", "db", "agent", "batch", "old", "late"]),
        ("WorkloadGroup", "names") => dice.one(&["web-{1..3}", "batch-{1,2}", "db"]),
        ("NodeGroup", "name") => {
            return if dice.once_in(12) {
                "n-0".to_owned()
            } else {
                format!("{}-0", letter(names.groups))
            };
        }
        ("NodeGroup", "names") => return nodes(dice, names.groups),
        ("PodGroup", "name") => dice.one(&["p", "q", "r", "s", "new"]),
        ("PodGroup", "names") => {
            dice.one(&["p-{0..4}", "q-{0..2}", "r-0", "s-{0,1}", "new-{0..1}"])
        }
        ("VolumeClaim", "claim") => dice.one(&["10Gi", "data", "logs", "shared"]),
        ("VolumeClaim", "volume") => dice.one(&["pv-1", "pv-2"]),
        ("SchedulingGate", "name") => dice.one(&["example.com/wait", "quota"]),
        ("Entry", "name") if dice.once_in(20) => return names.entry(dice),
        ("Entry", "name") => return format!("e{}", names.entries),
        (_, "reason" | "message") => dice.one(&REASONS),
        (_, "object") => dice.one(&["node/a-0", "pod/p-0", "a-0"]),
        ("Image", "name") | (_, "images") => dice.one(&["web:1", "web:2", "db"]),
        ("ApiOutage", "of") => dice.one(&["one of three", "1 of 2", "two of 3"]),
        (_, "spread") | ("HowLong", _) => return span(dice),
        (_, "at") => return time(dice, names),
        (_, "by") => dice.one(&ACTORS),
        (_, "begins") => dice.one(&["2026-11-20T04:41:17Z", "1999-12-31T23:59:59.999999+01:00"]),
        (_, "doc") => dice.one(&["", "a doc", "über \"quotes\" \\ and\nlines"]),
        _ => dice.one(&["x", "web", "a-0", "", "a/b"]),
    };
    known.to_owned()
}

/// A text with a syntax of its own, by the name of its type.
pub(super) fn typed(
    dice: &mut Dice,
    names: &Known,
    kind: &str,
    of: &str,
    field: &str,
) -> Option<Value> {
    Some(match kind {
        "DurationText"
            if [
                "skew",
                "renewTime",
                "lastHeartbeatTime",
                "lastTransitionTime",
                "timestamp",
                "taintsAdded",
                "office",
                "passed",
                "leases",
            ]
            .contains(&field)
                || ["Waiting", "Failures", "Counted", "Age"].contains(&of) =>
        {
            let sign = if dice.once_in(3) { "" } else { "-" };
            format!("{sign}{}", span(dice)).into()
        }
        "DurationText" if field == "horizon" => dice.one(&["1m", "5m", "8m", "12m", "20m"]).into(),
        "DurationText" => span(dice).into(),
        "TimeText" if of == "Entry" && dice.once_in(6) => format!(
            "{}{} + {}",
            if dice.once_in(2) { "end of " } else { "" },
            names.entry(dice),
            span(dice)
        )
        .into(),
        "TimeText" => time(dice, names).into(),
        "DelayText" => {
            let low = dice.one(&["0s", "1ms", "2ms", "40ms", "1s", "12s"]);
            if dice.once_in(2) {
                low.into()
            } else {
                format!("{low}..{}", dice.one(&["2ms", "50ms", "3s", "20s"])).into()
            }
        }
        "UsageText" => dice.one(&USAGES).into(),
        "QuantityText" if of == "Image" => dice.one(&["9Mi", "300Mi", "2Gi"]).into(),
        "QuantityText" if field == "unused_images" => dice.one(&["1Gi", "20Gi"]).into(),
        "QuantityText" if dice.once_in(12) => {
            dice.one(&["9000P", "9223372036854775807", "-1", "1e-3", "0", "8Ei"]).into()
        }
        "QuantityText" => {
            dice.one(&["100m", "500m", "1", "2", "16", "64Mi", "4Gi", "110", "0"]).into()
        }
        "FlagValue" if of == "Flags" || of == "NodeGroup" => flag_value(dice, field),
        "FlagValue" if of == "Prices" => dice.below(5).into(),
        "FlagValue" if dice.once_in(2) => format!("{}%", dice.below(101)).into(),
        "FlagValue" => dice.below(5).into(),
        _ => return None,
    })
}

/// A number of a field.
pub(super) fn number(dice: &mut Dice, of: &str, field: &str, is_signed: bool) -> Value {
    if dice.once_in(25) {
        let extreme = EXTREMES[dice.below(EXTREMES.len() as u64) as usize];
        return if is_signed { extreme.into() } else { extreme.unsigned_abs().into() };
    }
    let (low, high) = match (of, field) {
        ("PodGroup", "count" | "replicas") => (0, 12),
        (_, "replicas" | "parallelism" | "completions") => (0, 9),
        (_, "terminationGracePeriodSeconds" | "gracePeriodSeconds") => (0, 60),
        (_, "tolerationSeconds") => (-1, 320),
        (_, "priority" | "value") => (-10, 1_000),
        (_, "weight") => (1, 100),
        (_, "maxSkew" | "minDomains") => (1, 4),
        (_, "hostPort") => (80, 83),
        (_, "times") => (1, 4),
        ("DeviceClaim" | "DeviceRequest" | "DeviceSubRequest", "count") => (1, 2),
        (_, "backoffLimit" | "start") => (0, 3),
        (_, "percentageOfNodesToScore") => (0, 100),
        (_, "minReadySeconds") => (0, 40),
        (_, "exit_code") => (0, 3),
        (_, "burst") => (1, 50),
        ("Deviation", _) => (0, 5),
        ("Tape", "choices") => (1, 1),
        _ => (0, 10),
    };
    let drawn: i64 = low + dice.below((high - low + 1) as u64) as i64;
    if is_signed { drawn.into() } else { drawn.unsigned_abs().into() }
}

/// A number with a fraction.
pub(super) fn fraction(dice: &mut Dice, field: &str) -> Value {
    match field {
        "qps" => dice.below(40) as f64 + 0.5,
        // Often enough that a run of minutes has some.
        "PerNodeYear" | "PerGroupYear" => dice.below(100_000) as f64 + 0.5,
        _ => (dice.below(10) + 1) as f64 / 10.0,
    }
    .into()
}

/// What a claim on devices asks for is given in one way.
fn agree_of_requests(object: &mut Map<String, Value>) {
    if let Some(list) = ["requests", "firstAvailable"].into_iter().find(|l| object.contains_key(*l))
    {
        object.retain(|field, _| field == list);
    }
    if object.get("allocationMode").is_some_and(|mode| mode == "All") {
        object.remove("count");
    }
}

/// Makes fields agree that depend on each other, mostly.
pub(super) fn agree(dice: &mut Dice, of: &str, object: &mut Map<String, Value>) {
    if dice.once_in(12) {
        return;
    }
    let operator = object.get("operator").and_then(Value::as_str).unwrap_or_default().to_owned();
    match (of, operator.as_str()) {
        ("NodeRequirement" | "LabelSelectorRequirement", "Exists" | "DoesNotExist") => {
            object.remove("values");
        }
        ("NodeRequirement", "Gt" | "Lt") => {
            object.insert("values".to_owned(), vec!["1"].into());
        }
        ("NodeRequirement" | "LabelSelectorRequirement", _) => {
            object.insert("values".to_owned(), vec![dice.one(&VALUES)].into());
        }
        ("DeviceClaim", _) if object.contains_key("resourceClaimName") => {
            object.retain(|field, _| field == "resourceClaimName");
        }
        ("DeviceClaim" | "DeviceRequest" | "DeviceSubRequest", _) => agree_of_requests(object),
        ("Probe", _) => {
            // Only a readiness probe has another one, and not this.
            object.remove("successThreshold");
        }
        ("Container", _) => agree_of_probes(object),
        ("PodTemplate" | "PodGroup", _) => {
            agree_of_lives(object);
            agree_of_containers(object);
            agree_of_starts(object);
        }
        ("VolumeClaim", _) => agree_of_claims(object),
        ("Toleration", "Lt" | "Gt") => {
            object.insert("value".to_owned(), "5".into());
        }
        ("Toleration", "Exists") => {
            object.remove("value");
        }
        ("FaultModel", _) => agree_of_faults(object),
        ("Whenever", _) => {
            let parts =
                object.iter_mut().filter(|(name, _)| ["that", "then"].contains(&name.as_str()));
            records_alone(parts.map(|(_, part)| part));
        }
        ("Expectation", _) => {
            let parts = object.get_mut("Order").and_then(Value::as_array_mut);
            records_alone(parts.into_iter().flatten());
        }
        ("Memory", _) => {
            // What nobody wants where it is is attached there.
            let held: Vec<String> = object
                .get("attached")
                .and_then(Value::as_object)
                .map_or_else(Vec::new, |all| all.keys().cloned().collect());
            if let Some(all) = object.get_mut("detach_requested").and_then(Value::as_object_mut) {
                *all = held
                    .into_iter()
                    .zip(std::mem::take(all).into_iter().map(|(_, since)| since))
                    .collect();
            }
        }
        ("DetachRequested", _) => stretch(dice, object),
        ("Failures", _) => {
            stretch(dice, object);
            let least = object.get("least").cloned().unwrap_or_default();
            object.insert("most".to_owned(), least);
        }
        ("NodeTerm", _) => {
            // The only field of a node that can be selected by is its name, and only one.
            for requirement in
                object.get_mut("matchFields").and_then(Value::as_array_mut).into_iter().flatten()
            {
                *requirement = json!({ "key": "metadata.name", "operator": dice.one(&["In", "NotIn"]), "values": [dice.one(&NODES)] });
            }
        }
        ("Comparison" | "Limit", _)
            if figure_of(object).is_some_and(|f| DURATIONS.contains(&f)) =>
        {
            object.insert("is".to_owned(), span(dice).into());
        }
        _ => {}
    }
    // Only what leaves a node has a countdown.
    if of == "Toleration" && object.get("effect").is_some_and(|e| e != "NoExecute") {
        object.remove("tolerationSeconds");
    }
}

/// Takes from parts what is asked of records together: such a part is about each of them, or the first.
fn records_alone<'v>(parts: impl Iterator<Item = &'v mut Value>) {
    for part in parts.filter_map(Value::as_object_mut) {
        if let Some(none) = part.remove("NotEvicted") {
            part.insert("Evicted".to_owned(), none);
        }
        for seen in part.values_mut().filter_map(Value::as_object_mut) {
            seen.retain(|field, _| !HOW_MANY_AND_WHEN.contains(&field.as_str()));
        }
    }
}

/// What is asked of records together, not of each.
const HOW_MANY_AND_WHEN: [&str; 7] =
    ["count", "at", "after", "before", "between", "first", "spread"];

/// What probes see is said where there are any, and what follows from a container's end where it has one.
fn agree_of_lives(object: &mut Map<String, Value>) {
    agree_of_probes(object);
    if !["livenessProbe", "startupProbe", "ends"].iter().any(|end| object.contains_key(*end)) {
        object.remove("restartPolicy");
    }
}

/// Those of one container.
fn agree_of_probes(object: &mut Map<String, Value>) {
    let probes = ["readinessProbe", "livenessProbe", "startupProbe"];
    let probed = probes.iter().any(|p| object.contains_key(*p));
    if let Some(readiness) = object.get_mut("readinessProbe").and_then(Value::as_object_mut) {
        readiness.remove("terminationGracePeriodSeconds");
    }
    if !probed {
        object.remove("serves_after");
        object.remove("serves_for");
    }
}

/// Containers have names of their own. An init container that is no sidecar ends, and nothing probes it; no other has a policy.
fn agree_of_containers(object: &mut Map<String, Value>) {
    for (field, init) in [("initContainers", true), ("containers", false)] {
        let all = object.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
        for (i, one) in all.filter_map(Value::as_object_mut).enumerate() {
            one.insert("name".to_owned(), format!("{}-{i}", field.to_lowercase()).into());
            if !init {
                one.remove("restartPolicy");
            } else if !one.contains_key("restartPolicy") {
                one.retain(|field, _| ["name", "image", "ends"].contains(&field.as_str()));
                one.entry("ends").or_insert_with(|| json!({"after": "5s"}));
            }
            if let Some(ends) = one.get_mut("ends").and_then(Value::as_object_mut) {
                ends.remove("ran");
            }
        }
    }
}

/// How far a start is is told of its first init container, of the main one where there is none, or of none.
fn agree_of_starts(object: &mut Map<String, Value>) {
    let inits = object.get("initContainers").and_then(Value::as_array);
    let init = inits.and_then(|all| all.first()?.get("name").cloned());
    let start = object.get_mut("start").and_then(|start| start.get_mut("Starting"));
    let Some(start) = start.and_then(Value::as_object_mut) else { return };
    if !start.contains_key("turn") {
        start.remove("ran");
        return;
    }
    start.remove("waited");
    if init.is_none() {
        start.remove("ran");
    }
    start.insert("turn".to_owned(), init.unwrap_or_else(|| "main".into()));
}

/// Where a volume lies is said once, and only one that is made once a node is chosen asks for storage.
fn agree_of_claims(object: &mut Map<String, Value>) {
    if ["zone", "node", "volume"].iter().any(|place| object.contains_key(*place)) {
        object.remove("allowedTopologies");
    }
    let is_immediate = object.get("binding").is_some_and(|binding| binding == "Immediate");
    if is_immediate || !object.contains_key("storageClassName") {
        object.remove("storageClassName");
        object.remove("size");
    } else {
        object.entry("size").or_insert_with(|| "10Gi".into());
    }
}

/// Two times before the start, in their order.
fn stretch(dice: &mut Dice, object: &mut Map<String, Value>) {
    object.insert("from".to_owned(), dice.one(&["-5m", "-70s", "-31s"]).into());
    object.insert("until".to_owned(), dice.one(&["-30s", "-2s", "-1ms"]).into());
}

/// What a fault model has goes with what fails, and with what happens.
fn agree_of_faults(object: &mut Map<String, Value>) {
    if object.contains_key("groups") {
        if let Some(rate) = object.get_mut("rate").and_then(Value::as_object_mut)
            && let Some(of_nodes) = rate.remove("PerNodeYear")
        {
            rate.insert("PerGroupYear".to_owned(), of_nodes);
        }
    } else {
        for of_groups in ["hits", "within", "apart"] {
            object.remove(of_groups);
        }
        if let Some(rate) = object.get_mut("rate").and_then(Value::as_object_mut)
            && let Some(of_groups) = rate.remove("PerGroupYear")
        {
            rate.insert("PerNodeYear".to_owned(), of_groups);
        }
    }
    object.remove("trace");
    if object.get("do").is_some_and(|act| act.get("Reclaim").is_some()) {
        object.remove("lasts");
    }
}

/// The figure of a comparison.
fn figure_of(comparison: &Map<String, Value>) -> Option<&str> {
    Some(comparison.get("of")?.as_object()?.keys().next()?.as_str())
}

fn release(dice: &mut Dice) -> String {
    // Patch releases between the first and the last of a minor differ, too.
    let minors: Vec<_> = profiles::Release::all_minors().collect();
    let last = minors[dice.below(minors.len() as u64) as usize];
    if last.stage.is_some() || dice.once_in(2) {
        last.short()
    } else {
        format!("1.{}.{}", last.minor, dice.below(u64::from(last.patch) + 1))
    }
}

fn gate(dice: &mut Dice) -> &'static str {
    let all: Vec<&'static str> = profiles::gate_names().collect();
    all[dice.below(all.len() as u64) as usize]
}

fn flag(dice: &mut Dice, component: &str) -> String {
    let all: Vec<&str> =
        known_flags().filter(|(of, _)| *of == component).map(|(_, name)| name).collect();
    if all.is_empty() { String::new() } else { dice.one(&all).to_owned() }
}

/// A value of a flag of a component, mostly of the kind that it takes.
fn flag_value(dice: &mut Dice, name: &str) -> Value {
    if dice.once_in(15) {
        return any_flag_value(dice);
    }
    match name {
        "eviction-hard" | "eviction-soft" => return dice.one(&THRESHOLDS).into(),
        "eviction-soft-grace-period" => return "memory.available=45s,nodefs.available=1m".into(),
        // With several pulls at a time it has to be off.
        "serialize-image-pulls" => return dice.once_in(6).into(),
        "max-container-restart-period" => {
            return dice.one(&["1s", "8s", "20s", "1m", "5m", "6m"]).into();
        }
        "registry-qps" => return dice.below(7).into(),
        "image-gc-high-threshold" => return (*dice.one(&[&81, &85, &90, &100])).into(),
        "image-gc-low-threshold" => return (*dice.one(&[&0, &10, &50, &79, &80])).into(),
        "image-maximum-gc-age" => return dice.one(&["3m", "10m", "1h"]).into(),
        "eviction-minimum-reclaim" => return "memory.available=500Mi,imagefs.available=5%".into(),
        _ => {}
    }
    let ends = |with: &[&str]| with.iter().any(|w| name.ends_with(w));
    if ends(&["-plugins"]) {
        let mut some = vec![dice.one(&PLUGINS)];
        if dice.once_in(3) {
            some.push(dice.one(&PLUGINS));
        }
        return some.join(",").into();
    }
    if ends(&["-period", "-timeout", "-duration", "-deadline", "-frequency"]) {
        return span(dice).into();
    }
    if ends(&["-rate", "-qps"]) {
        return (*dice.one(&[&0.1, &0.5, &1.0, &5.0, &20.0, &100.5, &0.001])).into();
    }
    match name {
        "unhealthy-zone-threshold" => (dice.below(11) as f64 / 10.0).into(),
        "leader-elect" | "enable-taint-manager" | "disable-force-detach-on-timeout" => {
            dice.once_in(2).into()
        }
        "shutdown-grace-period-critical-pods" => dice.one(&["0s", "1s", "2s", "5s"]).into(),
        "shutdown-grace-period-by-pod-priority" => {
            dice.one(&["0=20", "0=20,2000000000=10", "-10=3,0=0,1000=5,2000000000=0"]).into()
        }
        "terminated-pod-gc-threshold" => (*dice.one(&[&-1, &0, &1, &2, &10, &12_500])).into(),
        _ if name.starts_with("default-") => number(dice, "Toleration", "tolerationSeconds", true),
        _ => (*dice.one(&[&1, &2, &3, &10, &40, &50, &100])).into(),
    }
}

/// A value of any kind.
fn any_flag_value(dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 => dice.once_in(2).into(),
        1 => dice.below(200).into(),
        2 => (dice.below(20) as f64 / 10.0).into(),
        _ => dice.one(&["0s", "1s", "5s", "40s", "10s", "1m", "5m", "300", "0.55", "-1"]).into(),
    }
}

/// Each group of nodes has a letter.
fn letter(group: usize) -> char {
    char::from(b'a' + (group % 26) as u8)
}

/// Names of up to sixty nodes, mostly of few.
fn nodes(dice: &mut Dice, group: usize) -> String {
    let letter = letter(group);
    let last = if dice.once_in(8) { dice.below(MOST_NODES) } else { dice.below(6) };
    format!("{letter}-{{0..{last}}}")
}

fn taint(dice: &mut Dice, is_removal: bool) -> String {
    let key = dice.one(&TAINTS);
    let effect = dice.one(&["NoSchedule", "PreferNoSchedule", "NoExecute", "NoExecute"]);
    match (is_removal, dice.below(3)) {
        (true, 0) => format!("{key}:{effect}-"),
        (true, _) => format!("{key}-"),
        (false, 0) => format!("{key}=v:{effect}"),
        (false, _) => format!("{key}:{effect}"),
    }
}

/// A time within the run. Odd ones keep what happens off the instants of passes and heartbeats;
/// round ones do not.
fn time(dice: &mut Dice, names: &Known) -> String {
    let seconds = dice.below(names.seconds);
    if dice.once_in(3) {
        format!("{seconds}s")
    } else {
        format!("{seconds}.{:03}s", dice.below(1_000))
    }
}

/// A span of time: mostly seconds and minutes, now and then what a format or a sum may break at.
fn span(dice: &mut Dice) -> String {
    if dice.once_in(30) {
        let extreme = ["0s", "1ns", "2562047h47m16.854775807s", "24h", "8760h", "999999999ns"];
        return dice.one(&extreme).to_owned();
    }
    if dice.once_in(2) {
        return dice
            .one(&["0s", "1s", "2s", "5s", "10s", "30s", "40s", "50s", "1m", "90s", "2m", "5m"])
            .to_owned();
    }
    duration::format(Dur::from_millis(dice.below(120_000)))
}
