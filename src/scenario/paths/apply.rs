//! Applies one `PATH=VALUE` to a scenario.

use super::super::build::known_flags;
use super::super::duration;
use super::super::load::options;
use super::super::problem::{Problem, did_you_mean, did_you_mean_or_list};
use super::super::spec::{
    Cut, DelayText, DurationText, Effect, Entry, Existing, FlagValue, NodeGroup, NodeSelector,
    OneOrMany, Operator, PodGroup, QuantityText, Scenario, Step, Timing, Toleration,
};
use super::super::syntax::{Place, at};
use super::called::{self, Called};
use super::known;
use super::read::{Segment, segments, split};
use super::workloads;
use crate::api::taint;

/// Changes the scenario; the places of the values that it wrote, whose problems are then about the
/// `--set`.
pub(in crate::scenario) fn set(spec: &mut Scenario, text: &str) -> Result<Vec<Place>, Problem> {
    let (path, value) = split(text)?;
    let all = segments(path)?;
    let (first, rest) = all.split_first().ok_or_else(|| unknown(spec, path))?;
    let plain = first.index.is_none();
    match (first.name.as_str(), rest) {
        ("horizon", []) if plain => spec.horizon = value.into(),
        ("kubernetes", []) if plain => spec.kubernetes = Some(value.to_owned()),
        ("seed", []) if plain => spec.seed = Some(number(value, 0, u64::MAX)?),
        ("controllers_start", []) if plain => spec.controllers_start = Some(value.into()),
        ("existing", []) if plain => spec.existing = Some(existing(value)?),
        ("timing", []) if plain => spec.timing = Some(timing(value, spec.timing.as_ref())?),
        ("timing", [field]) if plain => timing_field(spec, path, &field.name, value)?,
        ("feature_gates", [gate]) if plain => {
            spec.feature_gates
                .insert(gate.name.clone(), boolean(value)?);
            return Ok(vec![at!["feature_gates", &gate.name]]);
        }
        ("flags", [component, flag]) if plain => return flag_value(spec, component, flag, value),
        ("nodes", rest) => {
            let (groups, fields) = groups(first, rest, &Called::nodes(spec), "node group", path)?;
            let mut places = Vec::new();
            for i in groups {
                let steps = node_field(&mut spec.nodes[i], fields, value)?
                    .ok_or_else(|| unknown(spec, path))?;
                places.push([at!["nodes", i], steps].concat());
            }
            return Ok(places);
        }
        ("pods", rest) => {
            let (groups, fields) = groups(first, rest, &Called::pods(spec), "pod group", path)?;
            let mut places = Vec::new();
            for i in groups {
                let steps = pod_field(&mut spec.pods[i], fields, value)?
                    .ok_or_else(|| unknown(spec, path))?;
                places.push([at!["pods", i], steps].concat());
            }
            return Ok(places);
        }
        ("workloads", rest) => {
            let (groups, fields) = groups(first, rest, &Called::workloads(spec), "workload", path)?;
            let mut places = Vec::new();
            for i in groups {
                let steps = workloads::field(&mut spec.workloads[i], fields, value)?
                    .ok_or_else(|| unknown(spec, path))?;
                places.push([at!["workloads", i], steps].concat());
            }
            return Ok(places);
        }
        ("controllers", [controller]) if plain => {
            workloads::controller(&mut spec.controllers, &controller.name, value)?
        }
        ("podDisruptionBudgets", rest) => {
            let (budgets, fields) = groups(
                first,
                rest,
                &Called::budgets(spec),
                "disruption budget",
                path,
            )?;
            let [
                Segment {
                    name: field,
                    index: None,
                },
            ] = fields
            else {
                return Err(unknown(spec, path));
            };
            let mut places = Vec::new();
            for i in budgets {
                let budget = &mut spec.pod_disruption_budgets[i];
                // A budget asks for one of the two.
                let value = Some(FlagValue::Text(value.trim().to_owned()));
                (budget.min_available, budget.max_unavailable) = match field.as_str() {
                    "minAvailable" => (value, None),
                    "maxUnavailable" => (None, value),
                    _ => return Err(unknown(spec, path)),
                };
                places.push(at!["podDisruptionBudgets", i, field]);
            }
            return Ok(places);
        }
        ("timeline", rest) => {
            let (entries, fields) = groups(first, rest, &Called::entries(spec), "entry", path)?;
            let mut places = Vec::new();
            for i in entries {
                let field = match fields {
                    [field] if field.index.is_none() => field.name.as_str(),
                    _ => return Err(unknown(spec, path)),
                };
                let steps = entry_field(&mut spec.timeline[i], field, value)?
                    .ok_or_else(|| unknown(spec, path))?;
                places.push([at!["timeline", i], steps].concat());
            }
            return Ok(places);
        }
        _ => return Err(unknown(spec, path)),
    }
    Ok(vec![all.iter().map(|s| s.name.as_str().into()).collect()])
}

fn unknown(spec: &Scenario, path: &str) -> Problem {
    let known = known::known_paths(spec);
    let problem = Problem::new(format!("`{path}` is not a path that can be set"));
    let normal = path.replace('_', "-");
    match did_you_mean(path, known.iter().map(String::as_str))
        .or_else(|| did_you_mean(&normal, known.iter().map(String::as_str)))
    {
        Some(help) => problem.help(help),
        None => {
            // What could follow the longest beginning that is right.
            let mut beginning = path;
            loop {
                let following: Vec<&str> = known
                    .iter()
                    .map(String::as_str)
                    .filter(|k| k.starts_with(beginning))
                    .collect();
                if !following.is_empty() && !beginning.is_empty() {
                    return problem.maybe_help(did_you_mean_or_list("", &following));
                }
                match beginning.rfind(['.', '[']) {
                    Some(end) => beginning = &beginning[..end],
                    None => break,
                }
            }
            problem.help(
                "paths begin with horizon, kubernetes, timing, seed, controllers_start, feature_gates, flags, controllers, existing, nodes, pods, workloads or timeline",
            )
        }
    }
}

/// Which groups are meant, and the rest of the path.
fn groups<'a>(
    first: &Segment,
    rest: &'a [Segment],
    all: &[Called],
    what: &str,
    path: &str,
) -> Result<(Vec<usize>, &'a [Segment]), Problem> {
    if let Some(index) = &first.index {
        let i: usize = index
            .parse()
            .map_err(|_| Problem::new(format!("`{path}`: [{index}] is not a number")))?;
        return if i < all.len() {
            Ok((vec![i], rest))
        } else {
            Err(Problem::new(format!(
                "there is no {what} number {i}; they count from 0"
            )))
        };
    }
    let Some((group, fields)) = rest.split_first() else {
        return Err(Problem::new(format!("`{path}` names no {what}")));
    };
    Ok((called::find(&first.name, what, &group.name, all)?, fields))
}

pub(super) fn number(value: &str, least: u64, most: u64) -> Result<u64, Problem> {
    match value.trim().parse::<u64>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        Ok(n) => Err(Problem::new(format!(
            "{n} is not between {least} and {most}"
        ))),
        Err(_) => Err(Problem::new(format!(
            "expected a whole number, found `{value}`"
        ))),
    }
}

pub(super) fn integer(value: &str) -> Result<i64, Problem> {
    value.trim().parse().map_err(|_| {
        let help = duration::whole_seconds(value)
            .map(|s| format!("`{}` is {s} seconds: write {s}", value.trim()));
        Problem::new(format!("expected a whole number, found `{value}`")).maybe_help(help)
    })
}

pub(super) fn boolean(value: &str) -> Result<bool, Problem> {
    value
        .trim()
        .parse()
        .map_err(|_| Problem::new(format!("expected true or false, found `{value}`")))
}

fn existing(value: &str) -> Result<Existing, Problem> {
    match value.trim().to_lowercase().as_str() {
        "rollout" => Ok(Existing::Rollout),
        "keep" => Ok(Existing::Keep),
        other => Err(
            Problem::new(format!("`{value}` is not what becomes of pods that exist"))
                .maybe_help(did_you_mean_or_list(other, &["keep", "rollout"])),
        ),
    }
}

fn timing(value: &str, present: Option<&Timing>) -> Result<Timing, Problem> {
    match value.trim().to_lowercase().as_str() {
        "ideal" => Ok(Timing::Ideal),
        "typical" => Ok(Timing::Typical),
        "custom" => match present {
            Some(custom @ Timing::Custom { .. }) => Ok(custom.clone()),
            _ => Err(Problem::new("this scenario states no `Custom` timing")
                .help("set single figures: `timing.watch=20ms`")),
        },
        _ => Err(Problem::new(format!("`{value}` is not a timing"))
            .maybe_help(did_you_mean_or_list(value, &["ideal", "typical"]))),
    }
}

fn timing_field(spec: &mut Scenario, path: &str, field: &str, value: &str) -> Result<(), Problem> {
    if spec.timing == Some(Timing::Ideal) {
        return Err(Problem::new(format!(
            "`{path}`: the timing is `Ideal`, whose figures are fixed"
        ))
        .help("set `timing=typical` first"));
    }
    if !matches!(spec.timing, Some(Timing::Custom { .. })) {
        let none = Timing::Custom {
            request: None,
            response: None,
            watch: None,
            pass_overhead: None,
            clients: None,
            kubelet: None,
            user: None,
        };
        spec.timing = Some(none);
    }
    let Some(Timing::Custom {
        request,
        response,
        watch,
        pass_overhead,
        ..
    }) = &mut spec.timing
    else {
        return Ok(());
    };
    match field {
        "request" => *request = Some(DelayText::from(value)),
        "response" => *response = Some(DelayText::from(value)),
        "watch" => *watch = Some(DelayText::from(value)),
        "pass_overhead" => *pass_overhead = Some(DurationText::from(value)),
        _ => {
            let known = ["request", "response", "watch", "pass_overhead"];
            return Err(Problem::new(format!(
                "`{field}` is not a figure of the timing that can be set"
            ))
            .maybe_help(did_you_mean_or_list(field, &known)));
        }
    }
    Ok(())
}

fn flag_value(
    spec: &mut Scenario,
    component: &Segment,
    flag: &Segment,
    value: &str,
) -> Result<Vec<Place>, Problem> {
    let name = component.name.replace('-', "_");
    let mut components: Vec<&str> = known_flags().map(|(c, _)| c).collect();
    components.dedup();
    let Some(&known) = components.iter().find(|c| **c == name) else {
        let shown: Vec<String> = components.iter().map(|c| c.replace('_', "-")).collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        return Err(
            Problem::new(format!("`{}` is not a component", component.name))
                .maybe_help(did_you_mean_or_list(&component.name, &shown)),
        );
    };
    let flags: Vec<&str> = known_flags()
        .filter(|(c, _)| *c == known)
        .map(|(_, f)| f)
        .collect();
    let wanted = flag.name.replace('_', "-");
    let Some(&flag) = flags.iter().find(|f| **f == wanted) else {
        let problem = Problem::new(format!(
            "`{}` is not a flag of {} that is modelled",
            flag.name,
            known.replace('_', "-")
        ));
        return Err(problem.maybe_help(did_you_mean_or_list(&wanted, &flags)));
    };
    let map = match known {
        "kube_controller_manager" => &mut spec.flags.kube_controller_manager,
        "kube_apiserver" => &mut spec.flags.kube_apiserver,
        _ => &mut spec.flags.kubelet,
    };
    map.insert(flag.to_owned(), FlagValue::Text(value.to_owned()));
    Ok(vec![at!["flags", known, flag]])
}

/// The steps from the group to the field that was set; nothing if there is no such field.
fn node_field(
    group: &mut NodeGroup,
    fields: &[Segment],
    value: &str,
) -> Result<Option<Place>, Problem> {
    let text = || value.to_owned();
    let steps = match names_of(fields).as_slice() {
        ["names"] => {
            group.name = None;
            group.names = Some(OneOrMany::One(text()));
            at!["names"]
        }
        ["zone"] => {
            group.zone = Some(text());
            at!["zone"]
        }
        ["region"] => {
            group.region = Some(text());
            at!["region"]
        }
        ["unschedulable"] => {
            group.unschedulable = boolean(value)?;
            at!["unschedulable"]
        }
        ["taints"] => {
            group.taints = value
                .split(',')
                .map(|t| t.trim().to_owned())
                .filter(|t| !t.is_empty())
                .collect();
            at!["taints"]
        }
        ["lease_offset"] => {
            group.lease_offset = Some(value.into());
            at!["lease_offset"]
        }
        ["lease_period"] => {
            group.lease_period = Some(value.into());
            at!["lease_period"]
        }
        ["status_offset"] => {
            group.status_offset = Some(value.into());
            at!["status_offset"]
        }
        ["labels", key] => {
            group.labels.insert((*key).to_owned(), text());
            at!["labels", *key]
        }
        ["capacity", resource] => {
            group
                .capacity
                .insert((*resource).to_owned(), QuantityText::from(value));
            at!["capacity", *resource]
        }
        _ => return Ok(None),
    };
    Ok(Some(steps))
}

/// The names of a path's rest, where none has brackets.
pub(super) fn names_of(fields: &[Segment]) -> Vec<&str> {
    if fields.iter().any(|f| f.index.is_some()) {
        Vec::new()
    } else {
        fields.iter().map(|f| f.name.as_str()).collect()
    }
}

fn pod_field(
    group: &mut PodGroup,
    fields: &[Segment],
    value: &str,
) -> Result<Option<Place>, Problem> {
    if let [
        Segment {
            name,
            index: Some(key),
        },
        Segment {
            name: field,
            index: None,
        },
    ] = fields
        && name == "tolerations"
        && field == "tolerationSeconds"
    {
        return toleration_seconds(&mut group.tolerations, key, value).map(Some);
    }
    let steps = match names_of(fields).as_slice() {
        [name @ ("count" | "replicas")] => {
            let count = number(value, 0, u64::MAX)?;
            // Both mean the same: the one that is written is replaced.
            let field = if group.replicas.is_some() {
                &mut group.replicas
            } else {
                &mut group.count
            };
            *field = Some(count);
            at![*name]
        }
        ["terminationGracePeriodSeconds"] => {
            group.termination_grace_period_seconds = Some(integer(value)?);
            at!["terminationGracePeriodSeconds"]
        }
        ["priority"] => {
            let priority = i32::try_from(integer(value)?)
                .map_err(|_| Problem::new(format!("{value} is out of range")))?;
            group.priority = Some(priority);
            at!["priority"]
        }
        ["labels", key] => {
            group.labels.insert((*key).to_owned(), value.to_owned());
            at!["labels", *key]
        }
        ["requests", resource] => {
            group
                .requests
                .insert((*resource).to_owned(), QuantityText::from(value));
            at!["requests", *resource]
        }
        _ => return Ok(None),
    };
    Ok(Some(steps))
}

/// Taint keys that may be written without `node.kubernetes.io/`.
const WELL_KNOWN: [&str; 8] = [
    taint::NOT_READY,
    taint::UNREACHABLE,
    taint::UNSCHEDULABLE,
    taint::MEMORY_PRESSURE,
    taint::DISK_PRESSURE,
    taint::PID_PRESSURE,
    taint::NETWORK_UNAVAILABLE,
    taint::OUT_OF_SERVICE,
];

/// The key without its prefix.
pub(super) fn short(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, name)| name)
}

/// Sets the seconds of the tolerations of a taint's key, or of the one of that number; adds one
/// where there is none.
pub(super) fn toleration_seconds(
    tolerations: &mut Vec<Toleration>,
    key: &str,
    value: &str,
) -> Result<Place, Problem> {
    let seconds = match value.trim() {
        "none" => None,
        _ => Some(integer(value).map_err(|p| p.or_help("whole seconds, or `none` for ever"))?),
    };
    if let Ok(i) = key.parse::<usize>() {
        let count = tolerations.len();
        let toleration = tolerations.get_mut(i).ok_or_else(|| {
            Problem::new(format!(
                "there is no toleration number {i}: {count} are written, from 0"
            ))
        })?;
        toleration.toleration_seconds = seconds;
        return Ok(at!["tolerations", i]);
    }
    // Those for other effects have no seconds.
    let meant = |t: &Toleration| {
        (t.key == key || short(&t.key) == key)
            && t.effect.is_none_or(|e| e == Effect::NoExecute)
            && !t.key.is_empty()
    };
    let mut place = None;
    for (i, toleration) in tolerations.iter_mut().enumerate().filter(|(_, t)| meant(t)) {
        toleration.toleration_seconds = seconds;
        place.get_or_insert(at!["tolerations", i]);
    }
    if let Some(place) = place {
        return Ok(place);
    }
    let full = match WELL_KNOWN
        .into_iter()
        .find(|k| *k == key || short(k) == key)
    {
        Some(full) => full.to_owned(),
        None if key.contains('/') => key.to_owned(),
        None => {
            let near = WELL_KNOWN
                .into_iter()
                .map(short)
                .chain(tolerations.iter().map(|t| short(&t.key)));
            if let Some(help) = did_you_mean(key, near) {
                return Err(Problem::new(format!("no toleration here is for `{key}`")).help(help));
            }
            key.to_owned()
        }
    };
    let added = Toleration {
        key: full,
        operator: Some(Operator::Exists),
        effect: Some(Effect::NoExecute),
        toleration_seconds: seconds,
        ..Toleration::default()
    };
    tolerations.push(added);
    Ok(at!["tolerations", tolerations.len() - 1])
}

fn entry_field(entry: &mut Entry, field: &str, value: &str) -> Result<Option<Place>, Problem> {
    match field {
        "at" => entry.at = value.into(),
        "every" => entry.every = Some(value.into()),
        "times" if !matches!(entry.step, Step::Flap { .. }) => {
            entry.times = Some(number(value, 1, u64::from(u32::MAX))? as u32)
        }
        _ => return step_field(&mut entry.step, field, value),
    }
    Ok(Some(at![field]))
}

fn step_field(step: &mut Step, field: &str, value: &str) -> Result<Option<Place>, Problem> {
    let span = DurationText::from(value);
    match (field, &mut *step) {
        (
            "duration",
            Step::Partition { duration, .. }
            | Step::Crash { duration, .. }
            | Step::SlowHeartbeats { duration, .. }
            | Step::Condition { duration, .. }
            | Step::ApiOutage { duration }
            | Step::WatchLag { duration, .. }
            | Step::ClockSkew { duration, .. },
        ) => *duration = Some(span),
        ("nodes", _) => {
            let Some((node, nodes)) = known::targets_of(step) else {
                return Ok(None);
            };
            (*node, *nodes) = (None, Some(selector(value)?));
        }
        ("node", _) => {
            let Some((node, nodes)) = known::targets_of(step) else {
                return Ok(None);
            };
            (*node, *nodes) = (Some(value.trim().to_owned()), None);
        }
        ("cut", Step::Partition { cut, .. } | Step::Flap { cut, .. }) => {
            *cut = workloads::word(
                value,
                &[("Network", Cut::Network), ("ApiServer", Cut::ApiServer)],
            )?;
        }
        ("duration", Step::WatchStall { duration, .. }) => *duration = span,
        ("down", Step::Flap { down, .. }) => *down = span,
        ("up", Step::Flap { up, .. }) => *up = span,
        ("times", Step::Flap { times, .. }) => {
            *times = number(value, 1, u64::from(u32::MAX))? as u32
        }
        ("period", Step::SlowHeartbeats { period, .. }) => *period = span,
        ("lag", Step::WatchLag { lag, .. }) => *lag = span,
        ("skew", Step::ClockSkew { skew, .. }) => *skew = span,
        ("downtime", Step::ControllerRestart { downtime }) => *downtime = span,
        ("taint", Step::Taint { taint, .. } | Step::Untaint { taint, .. }) => {
            *taint = OneOrMany::One(value.to_owned())
        }
        ("replicas", Step::Scale { replicas, .. }) => *replicas = workloads::int32(value)?,
        ("timeout", Step::Drain { timeout, .. }) => *timeout = Some(span),
        ("timeout", Step::Maintain { drain, .. }) => {
            drain.timeout = Some(span);
            return Ok(Some(at!["do", "drain", "timeout"]));
        }
        ("off", Step::Maintain { off, .. }) => *off = span,
        ("at_a_time", Step::Maintain { at_a_time, .. }) => {
            *at_a_time = Some(FlagValue::Text(value.to_owned()))
        }
        // One takes the place of the other.
        (
            "minAvailable",
            Step::PatchBudget {
                min_available,
                max_unavailable,
                ..
            },
        ) => {
            (*min_available, *max_unavailable) = (Some(FlagValue::Text(value.to_owned())), None);
        }
        (
            "maxUnavailable",
            Step::PatchBudget {
                min_available,
                max_unavailable,
                ..
            },
        ) => {
            (*min_available, *max_unavailable) = (None, Some(FlagValue::Text(value.to_owned())));
        }
        (
            "gracePeriodSeconds",
            Step::DeletePod {
                grace_period_seconds,
                ..
            }
            | Step::Drain {
                grace_period_seconds,
                ..
            },
        ) => *grace_period_seconds = Some(integer(value)?),
        ("fraction", _) => {
            let Some(fraction) = known::nodes_of(step).and_then(share) else {
                return Ok(None);
            };
            *fraction = value
                .trim()
                .parse()
                .map_err(|_| Problem::new(format!("expected a number, found `{value}`")))?;
            return Ok(Some(at!["do", "nodes"]));
        }
        _ => return Ok(None),
    }
    Ok(Some(at!["do", field]))
}

/// Nodes as they stand in a file: `Zone("b")`, `Nodes(["a-0"])`, `All`.
fn selector(value: &str) -> Result<NodeSelector, Problem> {
    options().from_str(value.trim()).map_err(|_| {
        Problem::new(format!("`{}` is no selection of nodes", value.trim()))
            .help("as in a file: `All`, `Node(\"x\")`, `Nodes([\"x\", \"y-{0..3}\"])`, `Zone(\"b\")`, `Label(\"k=v\")`, `Share(of: Zone(\"b\"), fraction: 0.5)`")
    })
}

fn share(selector: &mut NodeSelector) -> Option<&mut f64> {
    if let NodeSelector::Share { fraction, .. } = selector {
        Some(fraction)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Overrides, build, parse};
    use super::*;
    use std::path::Path;

    const GROUPS: &str = include_str!("../../../tests/scenarios/valid/bare-pods.ron");

    fn starting() -> Scenario {
        parse("s.ron", GROUPS.as_bytes().to_vec(), Path::new(""))
            .unwrap()
            .spec
    }

    fn problem(text: &str) -> String {
        set(&mut starting(), text).map_or_else(|p| p.to_string(), |places| format!("{places:?}"))
    }

    #[test]
    fn values_arrive_where_the_path_says() {
        let mut spec = starting();
        for text in [
            "horizon=5m",
            "timing=ideal",
            "flags.kube-controller-manager.node-monitor-period=1s",
            "nodes.a.zone=c",
            "nodes[1].capacity.cpu=16",
            "nodes.b-{0..4}.names=b-{0..9}",
            "pods.web.count=7",
            "pods.*.tolerations[unreachable].tolerationSeconds=60",
            "pods.agent.tolerations[memory-pressure].tolerationSeconds=5",
            "pods.web.tolerations[1].tolerationSeconds=none",
            "timeline.cut b.duration=1m",
            "timeline[1].at=3s",
        ] {
            assert!(set(&mut spec, text).is_ok(), "{text}");
        }
        assert_eq!(
            (spec.horizon.as_str(), spec.timing),
            ("5m", Some(Timing::Ideal))
        );
        assert_eq!(
            spec.flags.kube_controller_manager["node-monitor-period"],
            FlagValue::Text("1s".to_owned())
        );
        assert_eq!(
            (
                spec.nodes[0].zone.as_deref(),
                spec.nodes[1].capacity["cpu"].as_str()
            ),
            (Some("c"), "16")
        );
        assert_eq!(spec.nodes[1].names, Some("b-{0..9}".into()));
        assert_eq!(spec.pods[0].count, Some(7));
        let seconds: Vec<_> = spec
            .pods
            .iter()
            .flat_map(|p| {
                p.tolerations
                    .iter()
                    .map(|t| (short(&t.key), t.toleration_seconds))
            })
            .collect();
        let expected = [
            ("unreachable", Some(60)),
            ("not-ready", None),
            ("unreachable", Some(60)),
            ("not-ready", None),
            ("memory-pressure", Some(5)),
        ];
        assert_eq!(seconds, expected);
        assert_eq!(spec.timeline[1].at.as_str(), "3s");
    }

    #[test]
    fn what_cannot_be_set_gets_a_suggestion() {
        assert_eq!(
            problem("horizn=5m"),
            "`horizn` is not a path that can be set\n  help: did you mean `horizon`?"
        );
        assert_eq!(
            problem("pods.wb.count=5"),
            "there is no pod group `wb`\n  help: did you mean `web`?"
        );
        assert_eq!(
            problem("pods.web.cuont=5"),
            "`pods.web.cuont` is not a path that can be set\n  help: did you mean `pods.web.count`?"
        );
        assert_eq!(
            problem("pods.web.count=x"),
            "expected a whole number, found `x`"
        );
        assert_eq!(
            problem("pods[7].count=1"),
            "there is no pod group number 7; they count from 0"
        );
        assert_eq!(
            problem("pods.web.tolerations[unreachble].tolerationSeconds=5"),
            "no toleration here is for `unreachble`\n  help: did you mean `unreachable`?"
        );
        assert_eq!(
            problem("flags.kubelt.x=5"),
            "`kubelt` is not a component\n  help: did you mean `kubelet`?"
        );
        assert_eq!(
            problem("flags.kube-controller-manager.node-monitor-graceperiod=5s"),
            "`node-monitor-graceperiod` is not a flag of kube-controller-manager that is modelled\n  help: did you mean `node-monitor-grace-period`?"
        );
        assert_eq!(
            problem("timeline.cut b.lag=5s"),
            "`timeline.cut b.lag` is not a path that can be set\n  help: did you mean `timeline.cut b.at`?"
        );
        assert_eq!(
            problem("timing=idael"),
            "`idael` is not a timing\n  help: did you mean `ideal`?"
        );
    }

    #[test]
    fn a_bad_value_is_the_set_s_problem() {
        let loaded = parse("s.ron", GROUPS.as_bytes().to_vec(), Path::new("")).unwrap();
        let overrides = Overrides {
            sets: vec!["timeline.cut b.duration=-3s".to_owned()],
            ..Overrides::default()
        };
        let problems = build(&loaded, &overrides).unwrap_err().to_string();
        assert!(problems.starts_with("--set:1:1: "), "{problems}");
    }
}
