//! The paths that a scenario has, and what they are set to; those to what holds for the whole run and is
//! more than a field: `timing.watch`, `flags.kubelet.FLAG`.

use super::called::{Called, Target, paths_of, quoted};
use super::edit::{UNSAID, is_field, is_plain};
use super::read::{keys, of_flag, seconds_in, seconds_of};
use super::unsaid::{constant, unsaid};
use crate::language::flags::{known as known_flags, values as flag_values};
use crate::language::text::tree::Value;
use crate::language::values::SEED;
use crate::scenario::prelude::*;

/// A path that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// As `--set` takes it.
    pub(crate) path: String,
    /// What it is set to; nothing where what the language's page tells of it holds.
    pub(crate) value: Option<String>,
    /// What it would be if nothing were said, where that is one value.
    pub(crate) default: Option<String>,
}

impl Setting {
    /// Whether it says no more than nothing would.
    pub(crate) fn is_default(&self) -> bool {
        self.value == self.default
    }
}

/// What is written at a path, if anything is, and what holds otherwise because of what is written elsewhere.
type Written = (String, Option<String>, Option<String>);

/// Every path of a scenario, with what it is set to under its release.
pub(crate) fn settings(spec: &Scenario, plan: &Plan) -> Vec<Setting> {
    let mut flags = flag_values(&spec.flags, &plan.profile).into_iter().peekable();
    let mut all = Vec::new();
    for (path, written, otherwise) in written(spec) {
        let default = match path.as_str() {
            "kubernetes" => Some(KUBERNETES.to_owned()),
            "seed" => Some(SEED.to_string()),
            "timing" => Some("Typical".to_owned()),
            _ if path.starts_with("flags.") => {
                // One that this release does not have cannot be set.
                let is_it = |(of, name, _): &(&str, &str, _)| path == flag_path(of, name);
                let Some((_, _, values)) = flags.next_if(is_it) else { continue };
                let [value, default] = values.map(|v| Some(v).filter(|v| !v.is_empty()));
                // What the release decides, where nothing else does.
                let decided = unsaid(plan, &path).filter(|_| value.is_none());
                let [value, default] = [value, default].map(|v| v.or_else(|| decided.clone()));
                all.push(Setting { path, value, default });
                continue;
            }
            _ if path.ends_with(".tolerationSeconds") => otherwise.or_else(|| unsaid(plan, &path)),
            // What is written of delays the plan has in place of their defaults.
            _ => constant(&path).or_else(|| unsaid(plan, &path).filter(|_| written.is_none())),
        };
        let value = written.or_else(|| default.clone());
        all.push(Setting { path, value, default });
    }
    all
}

/// Every path of a scenario that can be set, apart from labels, resources and feature gates that
/// are not written yet; for suggestions.
pub(crate) fn known_paths(spec: &Scenario) -> Vec<String> {
    written(spec).into_iter().map(|(path, ..)| path).collect()
}

/// The path of a component's flag.
pub(super) fn flag_path(component: &str, flag: &str) -> String {
    format!("flags.{}.{flag}", component.replace('_', "-"))
}

/// The paths of a scenario, and what is written there; of flags the paths alone.
fn written(spec: &Scenario) -> Vec<Written> {
    let tree = Tree::of(spec);
    let mut paths = Vec::new();
    for (name, shape) in Shape::scenario().fields() {
        let part = tree.field(name);
        match (Target::of(name), name) {
            (Some(target), _) => {
                let parts = part.map_or(&[][..], Tree::parts);
                for (i, own) in paths_of(name, &Called::all(target, spec)).iter().enumerate() {
                    of_element(spec, target, (&parts[i], i), own, &mut paths);
                }
            }
            (None, "flags") => {
                paths.extend(known_flags().map(|(of, flag)| (flag_path(of, flag), None, None)))
            }
            (None, "timing") => {
                let word = part.map(|tree| tree.word().to_owned());
                paths.push(("timing".to_owned(), word, None));
                let custom = shape.within(&Value::word("Custom").into());
                below(part, custom, "timing", &mut paths);
                let kubelet = part.and_then(|tree| tree.field("kubelet"));
                let real = Shape::of("KubeletTiming").within(&Value::word("Real").into());
                below(kubelet, real, "timing.kubelet", &mut paths);
            }
            (None, _) if !is_field(Target::Scenario, &tree, &[name]) => {}
            (None, _) => reached(part, shape, name, &mut paths),
        }
    }
    paths
}

/// Adds the paths of an element of a list.
fn of_element(
    spec: &Scenario,
    target: Target,
    (tree, i): (&Tree, usize),
    own: &str,
    paths: &mut Vec<Written>,
) {
    let mut all = Vec::new();
    below(Some(tree), target.shape(), own, &mut all);
    // The pods themselves, or those that a workload makes.
    let pods = match target {
        Target::Pods => {
            let pod = &spec.pods[i];
            Some((own.to_owned(), &pod.tolerations, &pod.resource_claims, Some(tree)))
        }
        Target::Workloads => {
            let pod = &spec.workloads[i].group().template;
            let own = format!("{own}.template");
            Some((own, &pod.tolerations, &pod.resource_claims, tree.field("template")))
        }
        _ => None,
    };
    if let Some((own, tolerations, claims, _)) = &pods {
        let seconds =
            |of: &str, key: &str| format!("{own}{of}.tolerations[{key}].tolerationSeconds");
        // Where one is for all taints the API server adds none, and to a DaemonSet's pods its controller adds them.
        let is_for_all =
            |t: &&Toleration| t.key.is_empty() && t.effect.is_none_or(|e| e == Effect::NoExecute);
        let for_all = tolerations.iter().find(is_for_all).map(seconds_in);
        let group = spec.workloads.get(i).filter(|_| target == Target::Workloads);
        let is_daemon = group.is_some_and(|group| group.kind() == WorkloadKind::DaemonSet);
        let otherwise = for_all.or_else(|| is_daemon.then(|| "none".to_owned()));
        let one = |key| (seconds("", key), seconds_of(tolerations, key), otherwise.clone());
        paths.extend(keys(tolerations).map(one));
        for (i, claim) in claims.iter().enumerate() {
            for (within, list) in claim.tolerations() {
                let of = format!(".resourceClaims[{i}]{within}");
                let path =
                    |(j, t): (usize, _)| (seconds(&of, &j.to_string()), Some(seconds_in(t)), None);
                paths.extend(list.iter().enumerate().map(path));
            }
        }
    }
    if target == Target::Timeline
        && let Some(part) = tree.field("do")
    {
        let step = Shape::of("Step");
        below(Some(part), step, own, &mut all);
        for inner in ["drain", "nodes"] {
            if let Some(shape) = step.within(part).part(inner) {
                below(part.field(inner), shape, own, &mut all);
            }
        }
    }
    all.retain(|(path, ..)| {
        let names: Vec<&str> = path[own.len() + 1..].split('.').collect();
        is_field(target, tree, &names)
    });
    paths.extend(all);
    if let Some((own, .., Some(tree))) = pods {
        of_containers(tree, &own, paths);
    }
}

/// Adds the paths of the containers of a pod beside its main one.
fn of_containers(pod: &Tree, own: &str, paths: &mut Vec<Written>) {
    for name in ["initContainers", "containers"] {
        for (i, part) in pod.field(name).map_or(&[][..], Tree::parts).iter().enumerate() {
            let own = format!("{own}.{name}[{i}]");
            let mut all = Vec::new();
            below(Some(part), Shape::of("Container"), &own, &mut all);
            all.retain(|(path, ..)| path[own.len()..] != *".name");
            paths.extend(all);
        }
    }
}

/// Adds the paths of the fields of something, and of what they hold.
fn below(tree: Option<&Tree>, shape: Shape, own: &str, paths: &mut Vec<Written>) {
    let shape = tree.map_or(shape, |tree| shape.within(tree));
    for (name, inner) in shape.fields() {
        let part = tree.and_then(|tree| tree.field(name));
        reached(part, inner, &format!("{own}.{name}"), paths);
    }
}

/// Adds the path of a value that can be set, or those of what it holds.
fn reached(tree: Option<&Tree>, shape: Shape, own: &str, paths: &mut Vec<Written>) {
    match shape.kind() {
        Kind::Map(of) if is_plain(of) => {
            let parts = tree.into_iter().flat_map(Tree::parts);
            let path = |part: &Tree| {
                let path = format!("{own}.{}", quoted(part.name()?));
                Some((path, Some(shown(part)), None))
            };
            paths.extend(parts.filter_map(path));
        }
        Kind::Struct if tree.is_some() || shape.may_be_empty() => below(tree, shape, own, paths),
        _ if is_plain(shape) => paths.push((own.to_owned(), tree.map(shown), None)),
        _ => {}
    }
}

/// A value as `--set` takes it.
fn shown(tree: &Tree) -> String {
    match (tree.text(), tree.open()) {
        (Some(text), _) => text.to_owned(),
        (None, Some('[')) => tree.parts().iter().map(shown).collect::<Vec<_>>().join(","),
        (None, _) => Tree::from(tree.value.clone()).flat(),
    }
}

pub(super) fn timing(value: &str, present: Option<&Timing>) -> Result<Timing, Problem> {
    match value.trim().to_lowercase().as_str() {
        "ideal" => Ok(Timing::Ideal),
        "typical" => Ok(Timing::Typical),
        "custom" => match present {
            Some(custom @ Timing::Custom { .. }) => Ok(custom.clone()),
            _ => Err(Problem::new("this scenario states no `Custom` timing")
                .help("set single figures: `timing.watch=20ms`")),
        },
        _ => {
            Err(Problem::new(format!("`{value}` is not a timing"))
                .meant(value, ["ideal", "typical"]))
        }
    }
}

/// Makes the timing one whose kubelets' figures can be set.
pub(super) fn kubelet_timing(spec: &mut Scenario, path: &str) -> Result<(), Problem> {
    custom(spec, path)?;
    if let Some(Timing::Custom { kubelet, .. }) = &mut spec.timing {
        kubelet.get_or_insert(KubeletTiming::Real { pod_start: None, pod_stop: None, boot: None });
    }
    Ok(())
}

/// Makes the timing one whose figures can be set.
pub(super) fn custom(spec: &mut Scenario, path: &str) -> Result<(), Problem> {
    if spec.timing == Some(Timing::Ideal) {
        let text = format!("`{path}`: the timing is `Ideal`, whose figures are fixed");
        return Err(Problem::new(text).help("set `timing=typical` first"));
    }
    if !matches!(spec.timing, Some(Timing::Custom { .. })) {
        let custom = Tree::read("Custom()").map_err(|mistake| mistake.words())?;
        spec.timing = Some(custom.typed().map_err(|mistake| mistake.words())?);
    }
    Ok(())
}

/// Makes the timing one whose figures can be set; refuses what is no figure.
pub(super) fn custom_timing(spec: &mut Scenario, path: &str, figure: &str) -> Result<(), Problem> {
    let shape = Shape::of("Timing").within(&Value::word("Custom").into());
    let known = shape.fields().filter(|(_, shape)| is_plain(*shape));
    let known: Vec<&str> = known.map(|(name, _)| name).collect();
    if !known.contains(&figure) {
        let text = format!("`{figure}` is not a figure of the timing that can be set");
        return Err(Problem::new(text).meant(figure, &known));
    }
    custom(spec, path)
}

pub(super) fn flag_value(
    spec: &mut Scenario,
    component: &str,
    flag: &str,
    value: &str,
) -> Result<Place, Problem> {
    let name = component.replace('-', "_");
    let mut components: Vec<&str> = known_flags().map(|(c, _)| c).collect();
    components.dedup();
    let Some(&known) = components.iter().find(|c| **c == name) else {
        let shown = components.iter().map(|c| c.replace('_', "-"));
        let problem = Problem::new(format!("`{component}` is not a component"));
        return Err(problem.meant(component, shown));
    };
    let flags: Vec<&str> = known_flags().filter(|(c, _)| *c == known).map(|(_, f)| f).collect();
    let wanted = flag.replace('_', "-");
    let Some(&flag) = flags.iter().find(|f| **f == wanted) else {
        let of = known.replace('_', "-");
        let problem = Problem::new(format!("`{flag}` is not a flag of {of} that is modelled"));
        return Err(problem.meant(&wanted, &flags));
    };
    let map = spec.flags.component_mut(known);
    match value.trim() {
        UNSAID => drop(map.remove(flag)),
        value => drop(map.insert(flag.to_owned(), FlagValue::Text(of_flag(value)))),
    }
    Ok(at!["flags", known, flag])
}

#[cfg(test)]
mod tests {
    use super::super::set;
    use crate::scenario::{Overrides, build, parse};
    use std::path::Path;

    /// 1.27 has no --enable-taint-manager (`cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go`), and a file that
    /// sets it for 1.26 is taken by 1.27 all the same. A label may be `none`.
    #[test]
    fn nothing_is_said_any_more_of_a_flag_that_is_none() {
        let text = r#"(version: 1, horizon: "1m", kubernetes: "1.26", flags: (kube_controller_manager: {"enable-taint-manager": false}),
            feature_gates: {"NodeOutOfServiceVolumeDetach": false, "JobPodFailurePolicy": true},
            nodes: [(name: "a", kubelet: {"registry-qps": 7}, labels: {"x": "y"})])"#;
        let mut spec = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap().spec;
        for path in [
            "flags.kube-controller-manager.enable-taint-manager",
            "flags.kubelet.registry-qps",
            "feature_gates.NodeOutOfServiceVolumeDetach",
            "nodes.a.kubelet.registry-qps",
            "nodes.a.labels.x",
        ] {
            assert!(set(&mut spec, &format!("{path}=none")).is_ok(), "{path}");
        }
        assert!(spec.flags.kube_controller_manager.is_empty() && spec.flags.kubelet.is_empty());
        assert_eq!(spec.feature_gates.keys().collect::<Vec<_>>(), ["JobPodFailurePolicy"]);
        assert!(spec.nodes[0].kubelet.is_empty());
        assert_eq!(spec.nodes[0].labels["x"], "none");
    }

    /// The API server adds 300 s, but not beside a toleration of all taints (`defaulttolerationseconds/admission.go`), and
    /// the controller of a DaemonSet some without an end (`daemon/util: AddOrUpdateDaemonPodTolerations`).
    #[test]
    fn what_holds_without_a_word_is_told() {
        let text = r#"Scenario(version: 1, horizon: "1h", nodes: [(name: "a")], workloads: [
            Deployment(name: "web"), DaemonSet(name: "agent"), Deployment(name: "all", template: (tolerations: [
                (operator: Exists, effect: NoExecute, tolerationSeconds: 7)]))])"#;
        let loaded = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap();
        let plan = build(&loaded, &Overrides::default()).unwrap();
        let all = super::settings(&loaded.spec, &plan);
        for (name, seconds) in [("web", "300"), ("agent", "none"), ("all", "7")] {
            let path =
                format!("workloads.{name}.template.tolerations[unreachable].tolerationSeconds");
            let one = all.iter().find(|s| s.path == path).unwrap();
            assert_eq!((one.value.as_deref(), one.is_default()), (Some(seconds), true), "{name}");
        }
    }

    #[test]
    fn the_paths_of_a_scenario_are_listed() {
        let mut spec = parse(
            "s.ron",
            include_bytes!("../../../tests/scenarios/valid/bare-pods.ron").to_vec(),
            Path::new(""),
        )
        .unwrap()
        .spec;
        let paths = super::known_paths(&spec);
        for path in [
            "horizon",
            "flags.kubelet.node-lease-duration-seconds",
            "nodes.a.zone",
            "pods.web.labels.app",
            "timeline.cut b.duration",
        ] {
            assert!(paths.iter().any(|p| p == path), "{path} in {paths:?}");
        }
        // Each of them is a path: what is refused is the value alone.
        for path in paths {
            let problem =
                set(&mut spec, &format!("{path}=?")).err().map(|p| p.message).unwrap_or_default();
            assert!(!problem.contains("is not a path"), "{problem}");
        }
    }
}
