//! Which fields and words of the language a scenario has: `Partition.cut`, `Effect=NoExecute`.

use std::collections::BTreeSet;
use taintsim::language::text::Tree;
use taintsim::language::{Kind, PLUGINS, Scenario, Shape, known_flags};
use taintsim::profiles;

/// What a scenario has of the language.
pub(super) fn used(spec: &Scenario) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    walk(Shape::scenario(), "", &Tree::of(spec), &mut all);
    all
}

/// Which of the components' flags, of the API server's admission plugins and of the feature gates
/// it sets.
pub(super) fn settings(spec: &Scenario) -> BTreeSet<String> {
    let flags = &spec.flags;
    let components = [
        ("kube_controller_manager", &flags.kube_controller_manager),
        ("kube_apiserver", &flags.kube_apiserver),
        ("kubelet", &flags.kubelet),
    ];
    let mut all: BTreeSet<String> = spec.feature_gates.keys().map(|g| gate(g)).collect();
    for (component, given) in components {
        for (name, value) in given {
            all.insert(flag(component, name));
            if name.ends_with("-plugins") {
                all.extend(value.to_string().split(',').map(|p| format!("plugin {p}")));
            }
        }
    }
    all
}

fn flag(component: &str, name: &str) -> String {
    format!("{component} --{name}")
}

fn gate(name: &str) -> String {
    format!("feature gate {name}")
}

/// Everything that the language has, with every flag, plugin and feature gate.
pub fn everything() -> BTreeSet<String> {
    let mut all: BTreeSet<String> = known_flags().map(|(c, name)| flag(c, name)).collect();
    all.extend(PLUGINS.map(|plugin| format!("plugin {plugin}")));
    all.extend(profiles::gate_names().map(gate));
    for shape in Shape::all() {
        all.extend(shape.fields().map(|(field, _)| format!("{}.{field}", shape.name)));
        for (word, held) in shape.variants() {
            let sign = if held.is_some() { '.' } else { '=' };
            all.insert(format!("{}{sign}{word}", shape.name));
            // The fields of a variant go by its name, unless they are those of a type.
            let own = held.filter(|held| held.name.is_empty());
            let fields = own.into_iter().flat_map(Shape::fields);
            all.extend(fields.map(|(field, _)| format!("{word}.{field}")));
        }
    }
    all
}

/// Adds what a value has; `of` is what it stands in, if its type has no name.
fn walk(shape: Shape, of: &str, tree: &Tree, all: &mut BTreeSet<String>) {
    let of = if shape.name.is_empty() { of } else { shape.name };
    match shape.kind() {
        Kind::Words(_) | Kind::Variants if tree.open().is_none() => {
            all.insert(format!("{of}={}", tree.word()));
        }
        Kind::Variants => {
            all.insert(format!("{of}.{}", tree.word()));
            let held = shape.within(tree);
            if matches!(held.kind(), Kind::Struct) {
                fields(held, tree.word(), tree, all);
            } else {
                let parts = tree.parts().iter();
                parts.for_each(|part| walk(held, of, part, all));
            }
        }
        Kind::Struct => fields(shape, of, tree, all),
        Kind::Map(inner) => tree.parts().iter().for_each(|p| walk(inner, of, p, all)),
        _ => {
            let parts = tree.parts().iter().enumerate();
            parts.for_each(|(i, part)| walk(shape.item(i), of, part, all));
        }
    }
}

/// Adds the fields of a struct, and what they have.
fn fields(shape: Shape, of: &str, tree: &Tree, all: &mut BTreeSet<String>) {
    let of = if shape.name.is_empty() { of } else { shape.name };
    for part in tree.parts() {
        let Some(name) = part.name() else { continue };
        all.insert(format!("{of}.{name}"));
        if let Some(inner) = shape.part(name) {
            walk(inner, of, part, all);
        }
    }
}
