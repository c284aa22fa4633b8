//! The paths that a scenario has, and what they are set to.

use super::called::{Called, paths_of, quoted};
use super::edit::{is_field, is_plain};
use super::target::Target;
use super::tolerations::{keys, seconds_of};
use crate::language::flags::{known as known_flags, values as flag_values};
use crate::language::text::Tree;
use crate::language::text::tree::Value;
use crate::language::values::{KUBERNETES, SEED};
use crate::language::{Kind, Scenario, Shape};
use crate::plan::Profile;

/// A path that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// As `--set` takes it.
    pub(crate) path: String,
    /// What it is set to; nothing where what the language's page tells of it holds.
    pub(crate) value: Option<String>,
    /// What it would be if nothing were said, where that is one value for every scenario.
    pub(crate) default: Option<String>,
}

impl Setting {
    /// Whether it says no more than nothing would.
    pub(crate) fn is_default(&self) -> bool {
        self.value == self.default
    }
}

/// What is written at a path, if anything is.
type Written = (String, Option<String>);

/// Every path of a scenario, with what it is set to under its release.
pub(crate) fn settings(spec: &Scenario, profile: &Profile) -> Vec<Setting> {
    let mut flags = flag_values(&spec.flags, profile).into_iter().peekable();
    let mut all = Vec::new();
    for (path, written) in written(spec) {
        let default = match path.as_str() {
            "kubernetes" => Some(KUBERNETES.to_owned()),
            "seed" => Some(SEED.to_string()),
            "timing" => Some("Typical".to_owned()),
            _ if path.starts_with("flags.") => {
                // One that this release does not have cannot be set.
                let is_it = |(of, name, _): &(&str, &str, _)| path == flag_path(of, name);
                let Some((_, _, values)) = flags.next_if(is_it) else {
                    continue;
                };
                let [value, default] = values.map(|v| Some(v).filter(|v| !v.is_empty()));
                all.push(Setting { path, value, default });
                continue;
            }
            _ => None,
        };
        let value = written.or_else(|| default.clone());
        all.push(Setting { path, value, default });
    }
    all
}

/// Every path of a scenario that can be set, apart from labels, resources and feature gates that
/// are not written yet; for suggestions.
pub(crate) fn known_paths(spec: &Scenario) -> Vec<String> {
    written(spec).into_iter().map(|(path, _)| path).collect()
}

/// The path of a component's flag.
fn flag_path(component: &str, flag: &str) -> String {
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
                paths.extend(known_flags().map(|(of, flag)| (flag_path(of, flag), None)))
            }
            (None, "timing") => {
                let word = part.map(|tree| tree.word().to_owned());
                paths.push(("timing".to_owned(), word));
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
    let mut tolerations = |list: &str, written| {
        let path = |key| {
            let path = format!("{own}.{list}[{key}].tolerationSeconds");
            (path, seconds_of(written, key))
        };
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
    all.retain(|(path, _)| {
        let names: Vec<&str> = path[own.len() + 1..].split('.').collect();
        is_field(target, tree, &names)
    });
    paths.extend(all);
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
                Some((path, Some(shown(part))))
            };
            paths.extend(parts.filter_map(path));
        }
        Kind::Struct if tree.is_some() || shape.may_be_empty() => below(tree, shape, own, paths),
        _ if is_plain(shape) => paths.push((own.to_owned(), tree.map(shown))),
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
            let problem =
                set(&mut spec, &format!("{path}=?")).err().map(|p| p.message).unwrap_or_default();
            assert!(!problem.contains("is not a path"), "{problem}");
        }
    }
}
