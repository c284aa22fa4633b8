//! Paths into entries of the timeline: `timeline.cut b.duration`.

use super::values::{int32, integer, number, word};
use crate::language::Problem;
use crate::language::text::place::{Place, at};
use crate::language::text::ron_options::options;
use crate::language::{Cut, DurationText, Entry, FlagValue, NodeSelector, OneOrMany, Step};

/// The fields of a step that can be set.
pub(super) fn fields(step: &Step) -> &'static [&'static str] {
    match step {
        Step::Partition {
            nodes: Some(NodeSelector::Share { .. }),
            ..
        }
        | Step::Crash {
            nodes: Some(NodeSelector::Share { .. }),
            ..
        } => &["duration", "fraction"],
        Step::Partition { .. } => &["duration", "cut"],
        Step::Crash { .. }
        | Step::Condition { .. }
        | Step::ApiOutage { .. }
        | Step::WatchStall { .. } => &["duration"],
        Step::Flap { .. } => &["down", "up", "cut"],
        Step::SlowHeartbeats { .. } => &["period", "duration"],
        Step::WatchLag { .. } => &["lag", "duration"],
        Step::ControllerRestart { .. } => &["downtime"],
        Step::ClockSkew { .. } => &["skew", "duration"],
        Step::Taint { .. } | Step::Untaint { .. } => &["taint"],
        Step::DeletePod { .. } => &["gracePeriodSeconds"],
        Step::Scale { .. } => &["replicas"],
        Step::Drain { .. } => &["timeout", "gracePeriodSeconds"],
        Step::Maintain { .. } => &["at_a_time", "off", "timeout"],
        Step::PatchBudget { .. } => &["minAvailable", "maxUnavailable"],
        _ => &[],
    }
}

/// The nodes that a step is about, if it says so with a selector.
fn nodes_of(step: &mut Step) -> Option<&mut NodeSelector> {
    targets_of(step)?.1.as_mut()
}

/// Where a step says which nodes it is about: by one name, or by a selector.
pub(super) fn targets_of(
    step: &mut Step,
) -> Option<(&mut Option<String>, &mut Option<NodeSelector>)> {
    match step {
        Step::Partition { node, nodes, .. }
        | Step::Heal { node, nodes, .. }
        | Step::Crash { node, nodes, .. }
        | Step::Reboot { node, nodes, .. }
        | Step::Flap { node, nodes, .. }
        | Step::SlowHeartbeats { node, nodes, .. }
        | Step::Condition { node, nodes, .. }
        | Step::ClockSkew { node, nodes, .. }
        | Step::DeleteNode { node, nodes, .. }
        | Step::Taint { node, nodes, .. }
        | Step::Untaint { node, nodes, .. }
        | Step::Cordon { node, nodes, .. }
        | Step::Uncordon { node, nodes, .. }
        | Step::Drain { node, nodes, .. }
        | Step::Maintain { node, nodes, .. }
        | Step::Instance { node, nodes, .. }
        | Step::Label { node, nodes, .. } => Some((node, nodes)),
        Step::ApiOutage { .. }
        | Step::WatchLag { .. }
        | Step::WatchStall { .. }
        | Step::ControllerRestart { .. }
        | Step::AddNode { .. }
        | Step::CreatePod { .. }
        | Step::DeletePod { .. }
        | Step::BindPod { .. }
        | Step::PatchTolerations { .. }
        | Step::Scale { .. }
        | Step::CreateWorkload { .. }
        | Step::DeleteWorkload { .. }
        | Step::CreateBudget { .. }
        | Step::PatchBudget { .. }
        | Step::DeleteBudget { .. } => None,
    }
}

/// The steps from the entry to the field that was set; nothing if there is no such field.
pub(super) fn field(entry: &mut Entry, field: &str, value: &str) -> Result<Option<Place>, Problem> {
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
            let Some((node, nodes)) = targets_of(step) else {
                return Ok(None);
            };
            (*node, *nodes) = (None, Some(selector(value)?));
        }
        ("node", _) => {
            let Some((node, nodes)) = targets_of(step) else {
                return Ok(None);
            };
            (*node, *nodes) = (Some(value.trim().to_owned()), None);
        }
        ("cut", Step::Partition { cut, .. } | Step::Flap { cut, .. }) => {
            *cut = word(
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
        ("replicas", Step::Scale { replicas, .. }) => *replicas = int32(value)?,
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
            let Some(fraction) = nodes_of(step).and_then(share) else {
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
