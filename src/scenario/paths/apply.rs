//! Applies one `PATH=VALUE` to a scenario.

use super::called::{self, Called};
use super::groups::{node_field, pod_field};
use super::read::{Segment, segments, split};
use super::settings::{existing, flag_value, timing, timing_field};
use super::values::{boolean, number};
use super::{known, timeline, workloads};
use crate::language::Problem;
use crate::language::text::place::{Place, at};
use crate::language::text::{did_you_mean, did_you_mean_or_list};
use crate::language::{FlagValue, PodDisruptionBudget, Scenario};

/// Changes the scenario; the places of the values that it wrote, whose problems are then about the
/// `--set`.
pub(crate) fn set(spec: &mut Scenario, text: &str) -> Result<Vec<Place>, Problem> {
    let (path, value) = split(text)?;
    let all = segments(path)?;
    let (first, rest) = all.split_first().ok_or_else(|| unknown(spec, path))?;
    let list = match first.name.as_str() {
        "nodes" => List::Nodes,
        "pods" => List::Pods,
        "workloads" => List::Workloads,
        "podDisruptionBudgets" => List::Budgets,
        "timeline" => List::Timeline,
        _ if first.index.is_some() => return Err(unknown(spec, path)),
        _ => return setting(spec, &all, path, value),
    };
    let (elements, fields) = elements(first, rest, &list.called(spec), list.what(), path)?;
    // Said even where there is no budget that could have such a field.
    if matches!(list, List::Budgets) && !matches!(fields, [Segment { index: None, .. }]) {
        return Err(unknown(spec, path));
    }
    let mut places = Vec::new();
    for i in elements {
        let steps = list
            .field(spec, i, fields, value)?
            .ok_or_else(|| unknown(spec, path))?;
        places.push([at![first.name.as_str(), i], steps].concat());
    }
    Ok(places)
}

/// Sets what is no element of a list.
fn setting(
    spec: &mut Scenario,
    all: &[Segment],
    path: &str,
    value: &str,
) -> Result<Vec<Place>, Problem> {
    let (first, rest) = all.split_first().ok_or_else(|| unknown(spec, path))?;
    match (first.name.as_str(), rest) {
        ("horizon", []) => spec.horizon = value.into(),
        ("kubernetes", []) => spec.kubernetes = Some(value.to_owned()),
        ("seed", []) => spec.seed = Some(number(value, 0, u64::MAX)?),
        ("controllers_start", []) => spec.controllers_start = Some(value.into()),
        ("existing", []) => spec.existing = Some(existing(value)?),
        ("timing", []) => spec.timing = Some(timing(value, spec.timing.as_ref())?),
        ("timing", [field]) => timing_field(spec, path, &field.name, value)?,
        ("feature_gates", [gate]) => {
            spec.feature_gates
                .insert(gate.name.clone(), boolean(value)?);
            return Ok(vec![at!["feature_gates", &gate.name]]);
        }
        ("flags", [component, flag]) => return flag_value(spec, component, flag, value),
        ("controllers", [controller]) => {
            workloads::controller(&mut spec.controllers, &controller.name, value)?
        }
        _ => return Err(unknown(spec, path)),
    }
    Ok(vec![all.iter().map(|s| s.name.as_str().into()).collect()])
}

/// A list at the top of a scenario whose elements have paths.
#[derive(Clone, Copy)]
enum List {
    Nodes,
    Pods,
    Workloads,
    Budgets,
    Timeline,
}

impl List {
    /// What an element is called in messages.
    fn what(self) -> &'static str {
        match self {
            Self::Nodes => "node group",
            Self::Pods => "pod group",
            Self::Workloads => "workload",
            Self::Budgets => "disruption budget",
            Self::Timeline => "entry",
        }
    }

    /// What its elements are called in paths.
    fn called(self, spec: &Scenario) -> Vec<Called> {
        match self {
            Self::Nodes => Called::nodes(spec),
            Self::Pods => Called::pods(spec),
            Self::Workloads => Called::workloads(spec),
            Self::Budgets => Called::budgets(spec),
            Self::Timeline => Called::entries(spec),
        }
    }

    /// Sets a field of the element of that number; the steps from the element to it, nothing if
    /// there is no such field.
    fn field(
        self,
        spec: &mut Scenario,
        i: usize,
        fields: &[Segment],
        value: &str,
    ) -> Result<Option<Place>, Problem> {
        match self {
            Self::Nodes => node_field(&mut spec.nodes[i], fields, value),
            Self::Pods => pod_field(&mut spec.pods[i], fields, value),
            Self::Workloads => workloads::field(&mut spec.workloads[i], fields, value),
            Self::Budgets => Ok(budget_field(
                &mut spec.pod_disruption_budgets[i],
                fields,
                value,
            )),
            Self::Timeline => match fields {
                [field] if field.index.is_none() => {
                    timeline::field(&mut spec.timeline[i], &field.name, value)
                }
                _ => Ok(None),
            },
        }
    }
}

/// Sets what a budget asks for: one of the two takes the place of the other.
fn budget_field(
    budget: &mut PodDisruptionBudget,
    fields: &[Segment],
    value: &str,
) -> Option<Place> {
    let [
        Segment {
            name: field,
            index: None,
        },
    ] = fields
    else {
        return None;
    };
    let value = Some(FlagValue::Text(value.trim().to_owned()));
    (budget.min_available, budget.max_unavailable) = match field.as_str() {
        "minAvailable" => (value, None),
        "maxUnavailable" => (None, value),
        _ => return None,
    };
    Some(at![field])
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

/// Which elements are meant, and the rest of the path.
fn elements<'a>(
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

#[cfg(test)]
mod tests {
    use super::super::super::{Overrides, parse};
    use super::set;
    use crate::language::{FlagValue, Scenario, Timing};
    use crate::scenario::build;
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
                p.tolerations.iter().map(|t| {
                    (
                        t.key.rsplit('/').next().unwrap_or_default(),
                        t.toleration_seconds,
                    )
                })
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
