//! The paths that a scenario has.

use super::called::{paths_of, quoted};
use super::edit::{is_field, is_plain};
use super::target::Target;
use super::tolerations::keys;
use crate::language::flags::known as known_flags;
use crate::language::text::Tree;
use crate::language::text::tree::Value;
use crate::language::{Kind, Scenario, Shape};

/// Every path of a scenario that can be set, apart from labels, resources and feature gates that
/// are not written yet; for suggestions and completion.
pub(crate) fn known_paths(spec: &Scenario) -> Vec<String> {
    let tree = Tree::of(spec);
    let mut paths = Vec::new();
    for (name, shape) in Shape::scenario().fields() {
        let part = tree.field(name);
        match (Target::of(name), name) {
            (Some(target), _) => {
                let parts = part.map_or(&[][..], Tree::parts);
                for (i, own) in paths_of(name, &target.called(spec)).iter().enumerate() {
                    of_element(spec, target, (&parts[i], i), own, &mut paths);
                }
            }
            (None, "flags") => paths.extend(
                known_flags().map(|(of, flag)| format!("flags.{}.{flag}", of.replace('_', "-"))),
            ),
            (None, "timing") => {
                paths.push("timing".to_owned());
                let custom = shape.within(&Value::word("Custom").into());
                below(None, custom, "timing", &mut paths);
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
    paths: &mut Vec<String>,
) {
    let mut all = Vec::new();
    below(Some(tree), target.shape(), own, &mut all);
    let mut tolerations = |list: &str, written| {
        let path = |key| format!("{own}.{list}[{key}].tolerationSeconds");
        paths.extend(keys(written).map(path));
    };
    match target {
        Target::Pods => tolerations("tolerations", &spec.pods[i].tolerations),
        Target::Workloads => {
            let template = &spec.workloads[i].group().template;
            tolerations("template.tolerations", &template.tolerations);
        }
        Target::Timeline => {
            let step = Shape::of("Step");
            if let Some(part) = tree.field("do") {
                below(Some(part), step, own, &mut all);
                for inner in ["drain", "nodes"] {
                    if let Some(shape) = step.within(part).part(inner) {
                        below(part.field(inner), shape, own, &mut all);
                    }
                }
            }
        }
        Target::Scenario | Target::Nodes | Target::Budgets => {}
    }
    all.retain(|path| {
        let names: Vec<&str> = path[own.len() + 1..].split('.').collect();
        is_field(target, tree, &names)
    });
    paths.extend(all);
}

/// Adds the paths of the fields of something, and of what they hold.
fn below(tree: Option<&Tree>, shape: Shape, own: &str, paths: &mut Vec<String>) {
    let shape = tree.map_or(shape, |tree| shape.within(tree));
    for (name, inner) in shape.fields() {
        let part = tree.and_then(|tree| tree.field(name));
        reached(part, inner, &format!("{own}.{name}"), paths);
    }
}

/// Adds the path of a value that can be set, or those of what it holds.
fn reached(tree: Option<&Tree>, shape: Shape, own: &str, paths: &mut Vec<String>) {
    match shape.kind() {
        Kind::Map(of) if is_plain(of) => {
            let keys = tree
                .into_iter()
                .flat_map(Tree::parts)
                .filter_map(Tree::name);
            paths.extend(keys.map(|key| format!("{own}.{}", quoted(key))));
        }
        Kind::Struct if tree.is_some() || shape.may_be_empty() => below(tree, shape, own, paths),
        _ if is_plain(shape) => paths.push(own.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::super::set;
    use std::path::Path;

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
            let problem = set(&mut spec, &format!("{path}=?"))
                .err()
                .map(|p| p.message)
                .unwrap_or_default();
            assert!(!problem.contains("is not a path"), "{problem}");
        }
    }
}
