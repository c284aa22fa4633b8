//! Applies one `PATH=VALUE` to a scenario.

use super::called::{self, Called, Target};
use super::edit::{Put, change};
use super::known::{self, custom, custom_timing, flag_value, kubelet_timing, timing};
use super::read::{OF_TIMELINE, Segment, segments, split, taint_key};
use crate::scenario::prelude::*;
use std::mem;

/// Changes the scenario; the places of the values that it wrote, whose problems are then about the
/// `--set`.
pub(crate) fn set(spec: &mut Scenario, text: &str) -> Result<Vec<Place>, Problem> {
    let (path, value) = split(text)?;
    let mut all = segments(path)?;
    let taint = all.iter_mut().find(|s| s.name == "tolerations").and_then(|s| s.index.as_mut());
    if let Some(key) = taint {
        *key = taint_key(spec, key)?;
    }
    let (first, rest) = all.split_first().ok_or_else(|| unknown(spec, path))?;
    let Some(target) = Target::of(&first.name) else {
        let steps = setting(spec, &all, path, value)?;
        return Ok(vec![steps.ok_or_else(|| unknown(spec, path))?]);
    };
    // A cluster in which nothing is done: the one list that is often wanted empty.
    if (path, value.trim()) == ("timeline", "[]") {
        spec.timeline.clear();
        return Ok(vec![at!["timeline"]]);
    }
    // One more entry, as a file writes it.
    if path == "timeline[+]" {
        let entry = Tree::read(value.trim()).and_then(|tree| tree.typed::<Entry>());
        let help = "as in a file: `timeline[+]=(at: \"40s\", do: Reboot(node: \"a-1\"))`";
        let is_entry = value.trim().starts_with('(');
        spec.timeline.push(entry.map_err(|mistake| match mistake.words() {
            words if is_entry => words.or_help(help),
            words => words.maybe_help(Some(help.to_owned())),
        })?);
        return Ok(vec![at!["timeline", spec.timeline.len() - 1]]);
    }
    let (elements, fields) = elements(first, rest, target, spec, path)?;
    // Said even where there is no element that could have such a field.
    if fields.is_empty() {
        return Err(unknown(spec, path));
    }
    let mut places = Vec::new();
    for i in elements {
        let steps = element(spec, target, i, fields, value)?.ok_or_else(|| unknown(spec, path))?;
        places.push([at![first.name.as_str(), i], steps].concat());
    }
    Ok(places)
}

/// Sets a field of the element of that number; the steps from the element to it, nothing if there
/// is no such field.
fn element(spec: &mut Scenario, target: Target, i: usize, fields: &[Segment], value: &str) -> Put {
    match target {
        Target::Scenario => Ok(None),
        Target::Nodes => change(&mut spec.nodes[i], target, fields, value),
        Target::Pods => change(&mut spec.pods[i], target, fields, value),
        Target::Workloads => change(&mut spec.workloads[i], target, fields, value),
        Target::Budgets => change(&mut spec.pod_disruption_budgets[i], target, fields, value),
        Target::Timeline => change(&mut spec.timeline[i], target, fields, value),
    }
}

/// Sets what is no element of a list.
fn setting(spec: &mut Scenario, all: &[Segment], path: &str, value: &str) -> Put {
    if all.iter().any(Segment::is_in_list) {
        return Ok(None);
    }
    let names: Vec<&str> = all.iter().map(|segment| &*segment.name).collect();
    match names[..] {
        ["timing"] => {
            spec.timing = Some(timing(value, spec.timing.as_ref())?);
            return Ok(Some(at!["timing"]));
        }
        ["timing", figure] => custom_timing(spec, path, figure)?,
        ["timing", "kubelet", _] => kubelet_timing(spec, path)?,
        ["timing", _, _, ..] => custom(spec, path)?,
        ["flags", component, flag] => return flag_value(spec, component, flag, value).map(Some),
        ["controllers", name] if Shape::of("Controllers").part(name).is_none() => {
            let known = Shape::of("Controllers").fields().map(|(n, _)| n);
            let text = format!("`{name}` is not a controller that can be switched off");
            return Err(Problem::new(text).meant(name, known));
        }
        _ => {}
    }
    // The scenario's own fields are few; what it lists may be much, and stays as it is.
    let mut lists = Scenario::default();
    swap_lists(spec, &mut lists);
    let changed = change(spec, Target::Scenario, all, value);
    swap_lists(spec, &mut lists);
    changed
}

fn swap_lists(a: &mut Scenario, b: &mut Scenario) {
    macro_rules! swap {
        ($($list:ident)*) => { $(mem::swap(&mut a.$list, &mut b.$list);)* };
    }
    swap! { nodes pods workloads priority_classes pod_disruption_budgets namespaces timeline expect tape }
}

fn unknown(spec: &Scenario, path: &str) -> Problem {
    let known = known::known_paths(spec);
    let problem = Problem::new(format!("`{path}` is not a path that can be set"));
    let normal = path.replace('_', "-");
    let help = did_you_mean(path, &known)
        .or_else(|| did_you_mean(&normal, &known))
        .or_else(|| ending_so(&normal, &known))
        .or_else(|| following(path, &known));
    problem.help(help.unwrap_or_else(|| {
        let first = known.iter().map(|k| k.split(['.', '[']).next().unwrap_or(k));
        let first: BTreeSet<&str> = first.collect();
        format!("paths begin with {}", Vec::from_iter(first).join(", "))
    }))
}

/// Where a field stands of which only the name was typed, or the name and a wrong way to it.
fn ending_so(path: &str, known: &[String]) -> Option<String> {
    fn last(path: &str) -> &str {
        path.rsplit('.').next().unwrap_or(path)
    }
    let word = last(path);
    let mut there: Vec<_> = known.iter().filter(|k| last(k).eq_ignore_ascii_case(word)).collect();
    if let Some((first, _)) = path.split_once('.') {
        let begin_so = |k: &&String| k.split('.').next() == Some(first);
        if there.iter().any(begin_so) {
            there.retain(begin_so);
        }
    }
    match there[..] {
        [] => None,
        [one] => Some(format!("did you mean `{one}`?")),
        _ => {
            let there = few(5, there.iter().map(|k| format!("`{k}`")));
            Some(format!("`{word}` is in {there}"))
        }
    }
}

/// What could follow the longest beginning that is right.
fn following(path: &str, known: &[String]) -> Option<String> {
    let mut beginning = path;
    while !beginning.is_empty() {
        let there = known.iter().filter(|k| k.starts_with(beginning));
        if let Some(help) = did_you_mean_or_list("", there) {
            return Some(help);
        }
        beginning = &beginning[..beginning.rfind(['.', '['])?];
    }
    None
}

/// Which elements are meant, and the rest of the path.
pub(super) fn elements<'a>(
    first: &Segment,
    rest: &'a [Segment],
    target: Target,
    spec: &Scenario,
    path: &str,
) -> Result<(Vec<usize>, &'a [Segment]), Problem> {
    let (what, all) = (target.what(), Called::all(target, spec));
    let form = || match target {
        Target::Timeline => OF_TIMELINE.to_owned(),
        _ => format!("`{}.NAME.FIELD=VALUE`", first.name),
    };
    if let Some(index) = &first.index {
        let i: usize = index.parse().map_err(|_| {
            let problem = Problem::new(format!("`{path}`: [{index}] is not a number"));
            problem.help(match index.parse::<i64>() {
                Ok(_) => format!("a number from 0 to {}", all.len().saturating_sub(1)),
                Err(_) if index.is_empty() => form(),
                Err(_) => format!("by its name it is `{}.{index}`", first.name),
            })
        })?;
        return match i < all.len() {
            true => Ok((vec![i], rest)),
            false => Err(Problem::new(format!("there is no {what} number {i}; they count from 0"))),
        };
    }
    let Some((group, fields)) = rest.split_first() else {
        return Err(Problem::new(format!("`{path}` names no {what}")).help(form()));
    };
    Ok((called::find(&first.name, what, &group.name, &all)?, fields))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Overrides, parse};
    use super::super::{known_paths, split_values};
    use super::set;
    use crate::language::{FlagValue, Scenario, Timing};
    use crate::scenario::build;
    use std::path::Path;

    const GROUPS: &str = include_str!("../../../tests/scenarios/valid/bare-pods.ron");

    fn starting() -> Scenario {
        parse("s.ron", GROUPS.as_bytes().to_vec(), Path::new("")).unwrap().spec
    }

    fn problem(text: &str) -> String {
        set(&mut starting(), text).map_or_else(|p| p.to_string(), |places| format!("{places:?}"))
    }

    #[test]
    fn a_timeline_is_left_out_as_a_whole() {
        let mut spec = starting();
        assert!(!spec.timeline.is_empty());
        set(&mut spec, "timeline=[]").unwrap();
        assert!(spec.timeline.is_empty());
        assert!(problem("timeline=[(at: \"1m\")]").contains("`timeline=[]` leaves out all of it"));
        assert!(!problem("nodes=[]").contains("leaves out"));
    }

    #[test]
    fn tolerations_of_claims_are_set_by_their_place() {
        let text = r#"Scenario(version: 1, horizon: "1m", nodes: [], workloads: [ReplicaSet(name: "web", template: (
            resourceClaims: [(), (tolerations: [(operator: Exists, effect: NoExecute)])]))])"#;
        let mut spec = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap().spec;
        let path = "workloads.web.template.resourceClaims[1].tolerations[0].tolerationSeconds";
        assert!(known_paths(&spec).iter().any(|known| known == path));
        let [place] = &set(&mut spec, &format!("{path}=9")).unwrap()[..] else { panic!() };
        let steps = ["workloads", "template", "resourceClaims", "tolerations"];
        assert!(steps.iter().all(|step| format!("{place:?}").contains(step)), "{place:?}");
        let claims = &spec.workloads[0].group_mut().template.resource_claims;
        assert_eq!(claims[1].tolerations[0].toleration_seconds, Some(9));
        let other = set(&mut spec, &format!("{}=9", path.replace("Claims[1]", "Claims[2]")));
        assert_eq!(
            other.unwrap_err().to_string(),
            "there is no claim number 2: 2 are written, from 0"
        );
        let requests = "[(tolerations: [(effect: NoExecute)]), (firstAvailable: [(), (tolerations: [(effect: NoExecute)])])]";
        let text = text.replace("[(), (tol", &format!("[(requests: {requests}), (tol"));
        let mut spec = parse("s.ron", text.into_bytes(), Path::new("")).unwrap().spec;
        for part in ["requests[0]", "requests[1].firstAvailable[1]"] {
            let path = path.replace("Claims[1]", &format!("Claims[0].{part}"));
            assert!(known_paths(&spec).contains(&path), "{path}");
            set(&mut spec, &format!("{path}=9")).unwrap();
        }
        let requests = &spec.workloads[0].group_mut().template.resource_claims[0].requests;
        let requests = requests.as_ref().unwrap();
        assert_eq!(requests[0].tolerations[0].toleration_seconds, Some(9));
        assert_eq!(
            requests[1].first_available.as_ref().unwrap()[1].tolerations[0].toleration_seconds,
            Some(9)
        );
        let other = path.replace("Claims[1]", "Claims[0].requests[1].firstAvailable[2]");
        assert_eq!(
            set(&mut spec, &format!("{other}=9")).unwrap_err().to_string(),
            "there is no alternative number 2: 2 are written, from 0"
        );
    }

    /// One that has a prefix goes without it, too, where no other is called so.
    #[test]
    fn a_toleration_is_for_a_taint_that_the_scenario_has() {
        let text = r#"Scenario(version: 1, horizon: "1m", nodes: [(name: "a", taints: ["x.io/gpu=b:NoExecute"])], pods: [(name: "p", on: Node("a"))],
            timeline: [(at: "1s", do: Taint(node: "a", taint: ["x.io/two:NoExecute", "y.io/two:NoExecute-", "own:NoExecute"]))])"#;
        let keys = |key: &str| {
            let mut spec = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap().spec;
            set(&mut spec, &format!("pods.p.tolerations[{key}].tolerationSeconds=5")).ok()?;
            Some(spec.pods[0].tolerations[0].key.clone())
        };
        for key in ["x.io/gpu", "gpu"] {
            assert_eq!(keys(key).as_deref(), Some("x.io/gpu"));
        }
        for key in ["y.io/two", "own"] {
            assert_eq!(keys(key).as_deref(), Some(key));
        }
        assert_eq!((keys("two"), keys("a"), keys("z.io/own")), (None, None, None));
    }

    #[test]
    fn a_list_in_brackets_is_one_value() {
        let (path, values) =
            split_values("nodes.a.taints=[x=1:NoExecute, y=2:NoSchedule],[],\"z\"").unwrap();
        let taints = |value: &String| {
            let mut spec = starting();
            set(&mut spec, &format!("{path}={value}")).unwrap();
            let texts: Vec<String> = spec.nodes[0].taints.iter().map(ToString::to_string).collect();
            texts.join(" ")
        };
        let found: Vec<String> = values.iter().map(taints).collect();
        assert_eq!(found, ["x=1:NoExecute y=2:NoSchedule", "", "z"]);
        let flag = "flags.kube-apiserver.disable-admission-plugins";
        let mut spec = starting();
        set(&mut spec, &format!("{flag}=[TaintNodesByCondition,DefaultTolerationSeconds]"))
            .unwrap();
        assert_eq!(
            spec.flags.kube_apiserver["disable-admission-plugins"],
            FlagValue::Text("TaintNodesByCondition,DefaultTolerationSeconds".to_owned())
        );
        // The same of a pool's kubelets; quotes and `\` have commas part nothing, either.
        let path = "nodes.a.kubelet.eviction-hard";
        let both = "memory.available<500Mi,nodefs.available<10%";
        let escaped = both.replace(',', "\\,");
        let text = format!("{path}=[{both}],\"{both}\",{escaped},memory.available<1Gi");
        let (_, values) = split_values(&text).unwrap();
        let written = |of: &str, value: &String| {
            let mut spec = starting();
            set(&mut spec, &format!("{of}={value}")).unwrap();
            let map = if of == path { &spec.nodes[0].kubelet } else { &spec.flags.kubelet };
            map["eviction-hard"].to_string()
        };
        for of in [path, "flags.kubelet.eviction-hard"] {
            let found: Vec<String> = values.iter().map(|value| written(of, value)).collect();
            assert_eq!(found, [both, both, both, "memory.available<1Gi"]);
        }
        assert!(problem("pods.web.count=3,4").contains("taintsim sweep"));
        assert!(problem("timeline[cut b].at=1s").contains("`timeline.cut b`"));
        assert!(problem("timeline[-1].at=1s").contains("a number from 0 to "));
        assert!(problem("timeline[]=1").contains("`timeline=[]` leaves out all of it"));
    }

    #[test]
    fn an_entry_is_added_as_a_file_writes_it() {
        let mut spec = starting();
        let before = spec.timeline.len();
        set(&mut spec, "timeline[+]=(at: \"40s\", do: Reboot(node: \"n\"))").unwrap();
        assert_eq!((spec.timeline.len(), &*spec.timeline[before].at.0), (before + 1, "40s"));
        assert!(problem("timeline[+]=(at: \"40s\", do: Rebot(node: \"n\"))").contains("Reboot"));
        assert!(problem("timeline[+]=40s").contains("as in a file: `timeline[+]=(at: "));
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
        assert_eq!((&*spec.horizon, spec.timing), ("5m", Some(Timing::Ideal)));
        assert_eq!(
            spec.flags.kube_controller_manager["node-monitor-period"],
            FlagValue::Text("1s".to_owned())
        );
        assert_eq!(
            (spec.nodes[0].zone.as_deref(), &*spec.nodes[1].capacity["cpu"]),
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
                    .map(|t| (t.key.rsplit('/').next().unwrap_or_default(), t.toleration_seconds))
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
        assert_eq!(&*spec.timeline[1].at, "3s");
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
        assert_eq!(problem("pods.web.count=x"), "expected a whole number, found `x`");
        assert_eq!(problem("pods[7].count=1"), "there is no pod group number 7; they count from 0");
        assert_eq!(
            problem("pods.web.tolerations[unreachble].tolerationSeconds=5"),
            "no taint and no toleration here has the key `unreachble`\n  help: did you mean `unreachable`?"
        );
        for key in ["not", "u", "web"] {
            let said = problem(&format!("pods.web.tolerations[{key}].tolerationSeconds=5"));
            assert!(said.contains("`\n  help: one of `not-ready`, `unreachable`, "), "{said}");
        }
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
            problem("node_monitor_grace_period=50s"),
            "`node_monitor_grace_period` is not a path that can be set\n  help: did you mean `flags.kube-controller-manager.node-monitor-grace-period`?"
        );
        assert_eq!(
            problem("count=5"),
            "`count` is not a path that can be set\n  help: `count` is in `pods.web.count`, `pods.agent.count`"
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

    #[test]
    fn paths_of_workloads() {
        let text = "(version: 1, horizon: \"1m\", workloads: [Deployment(name: \"web\", replicas: 3), StatefulSet(names: \"db-{0..1}\"), Job(name: \"sum\")])";
        let mut spec = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap().spec;
        for path in known_paths(&spec) {
            let problem =
                set(&mut spec, &format!("{path}=?")).err().map(|p| p.message).unwrap_or_default();
            assert!(!problem.contains("is not a path"), "{problem}");
        }
        for text in [
            "workloads.web.replicas=7",
            "workloads.*.template.tolerations[unreachable].tolerationSeconds=60",
            "workloads[1].podManagementPolicy=parallel",
            "workloads.db.template.requests.cpu=2",
            "controllers.pod_gc=false",
        ] {
            assert!(set(&mut spec, text).is_ok(), "{text}");
        }
        let group = |i: usize| spec.workloads[i].group().clone();
        assert_eq!((group(0).replicas, spec.controllers.pod_gc), (Some(7), Some(false)));
        assert_eq!(
            group(1).pod_management_policy,
            Some(crate::language::PodManagementPolicy::Parallel)
        );
        assert!((0..3).all(|i| group(i).template.tolerations[0].toleration_seconds == Some(60)));
        assert_eq!(&*group(1).template.requests["cpu"], "2");
        let problem = |text: &str, spec: &mut _| set(spec, text).unwrap_err().to_string();
        assert_eq!(
            problem("workloads.sum.replicas=2", &mut spec),
            "`workloads.sum.replicas` is not a path that can be set\n  help: did you mean `workloads.web.replicas`?"
        );
        assert_eq!(
            problem("workloads.wbe.replicas=2", &mut spec),
            "there is no workload `wbe`\n  help: did you mean `web`?"
        );
        assert_eq!(
            problem("workloads.db.podManagementPolicy=paralel", &mut spec),
            "`paralel` is none of the values of this field\n  help: did you mean `Parallel`?"
        );
        assert_eq!(
            problem("controllers.podgc=false", &mut spec),
            "`podgc` is not a controller that can be switched off\n  help: did you mean `pod_gc`?"
        );
    }
}
