//! Writes a value into a part of a scenario: into its tree, by what the types of the language say
//! of the field, and from there into the part as a file is read.

use super::called::Target;
use super::read::{Segment, of_flag, toleration_seconds, without_brackets};
use crate::language::duration::whole_seconds;
use crate::language::text::tree::Value;
use crate::scenario::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Fields of which one takes the place of the other.
const EITHER: [[&str; 2]; 5] = [
    ["name", "names"],
    ["node", "nodes"],
    ["pod", "pods"],
    ["count", "replicas"],
    ["minAvailable", "maxUnavailable"],
];

/// Types with brackets whose values can be set, as they stand in a file.
const AS_IN_A_FILE: [&str; 3] = ["NodeSelector", "PodSelector", "Placement"];

/// The value with which a flag or a gate is as if nothing were said of it, which is how a release has it that does not know it.
pub(super) const UNSAID: &str = "none";

/// The steps to what was put; none where there is no such field.
pub(super) type Put = Result<Option<Place>, Problem>;

/// Lists that a path goes into by numbers, and what each of their elements is called.
const LISTS: [(&str, &str); 5] = [
    ("initContainers", CONTAINER),
    ("containers", CONTAINER),
    ("resourceClaims", "claim"),
    ("requests", "request"),
    ("firstAvailable", "alternative"),
];

/// A container beside a pod's main one, which also goes by its name.
const CONTAINER: &str = "container";

/// Sets the field of something that a path leads to; the steps to it, nothing if there is no such
/// field.
pub(super) fn change<T: Serialize + DeserializeOwned>(
    of: &mut T,
    target: Target,
    path: &[Segment],
    value: &str,
) -> Put {
    let mut tree = Tree::of(of);
    let steps = edit(&mut tree, target, path, value)?;
    if steps.is_some() {
        *of = tree.typed().map_err(|mistake| mistake.words())?;
    }
    Ok(steps)
}

fn edit(tree: &mut Tree, target: Target, path: &[Segment], value: &str) -> Put {
    if !is_way(target, path) {
        return Ok(None);
    }
    for above in above(target, path) {
        let above = above.iter().map(|name| Segment { name: (*name).to_owned(), index: None });
        let way: Vec<Segment> = above.chain(path.iter().cloned()).collect();
        let names: Vec<&str> = way.iter().map(|segment| &*segment.name).collect();
        // What a list holds is of another type.
        if way.iter().any(Segment::is_in_list) || is_field(target, tree, &names) {
            let steps = put(tree, target.shape(), &way, value)?;
            if steps.is_some() {
                return Ok(steps);
            }
        }
    }
    Ok(None)
}

/// What may stand before a path: `timeline.cut.duration` is a field of what the entry does.
fn above(target: Target, path: &[Segment]) -> &'static [&'static [&'static str]] {
    match (target, path) {
        (Target::Timeline, [_]) => &[&["do"], &["do", "drain"], &["do", "nodes"], &[]],
        _ => &[&[]],
    }
}

/// Whether a path goes into no list, or into those of pods as it may: to the seconds of their
/// tolerations and of their claims' ones, or into a container.
fn is_way(target: Target, path: &[Segment]) -> bool {
    let is_pod = matches!(target, Target::Pods | Target::Workloads);
    let mut lists = path.iter().filter(|segment| segment.is_in_list());
    let is_of = |list: &Segment, containers: bool| {
        let of =
            |(name, what): &(&str, &str)| *name == list.name && (*what == CONTAINER) == containers;
        LISTS.iter().any(of)
    };
    match path {
        [above @ .., list, Segment { name, index: None }]
            if list.is_in_list() && list.name == "tolerations" && name == "tolerationSeconds" =>
        {
            is_pod && above.iter().filter(|s| s.is_in_list()).all(|list| is_of(list, false))
        }
        _ => lists.next().is_none_or(|first| is_pod && is_of(first, true)),
    }
}

/// Whether something has such a field, as far as its type does not say that.
pub(super) fn is_field(target: Target, tree: &Tree, path: &[&str]) -> bool {
    match (target, path) {
        // The file that it names has been read.
        (Target::Scenario, ["cluster" | "version", ..]) => false,
        // Another number of nodes is often wanted; other names would only leave what refers to them
        // without what it means.
        (Target::Nodes, ["names"]) => true,
        (_, ["name" | "names" | "namespace"]) => false,
        (Target::Workloads, _) => path.iter().all(|field| Workload::has(tree.word(), field)),
        _ => true,
    }
}

fn put(tree: &mut Tree, shape: Shape, path: &[Segment], value: &str) -> Put {
    let Some((Segment { name, index }, rest)) = path.split_first() else { return Ok(None) };
    let first = name.as_str();
    let Some(inner) = shape.within(tree).part(first) else { return Ok(None) };
    if let Some(key) = index {
        return put_in_list(tree, (first, inner), key, rest, value);
    }
    if rest.is_empty() {
        let Some(value) = written(inner, value.trim())? else { return Ok(None) };
        for either in EITHER.iter().filter(|either| either.contains(&first)) {
            if let Some(parts) = tree.parts_mut() {
                parts.retain(|p| !either.iter().any(|name| p.is_named(name)));
            }
        }
        tree.put(first, value);
        return Ok(Some(at![first]));
    }
    if tree.field(first).is_none() {
        let open = match inner.kind() {
            Kind::Struct => '(',
            Kind::Map(_) => '{',
            _ => return Ok(None),
        };
        tree.put(first, Value::brackets(open, Vec::new()));
    }
    let Some(part) = tree.field_mut(first) else { return Ok(None) };
    if let [Segment { name, index: None }] = rest
        && value.trim() == UNSAID
        && ["kubelet", "feature_gates"].contains(&first)
    {
        part.parts_mut().into_iter().for_each(|parts| parts.retain(|p| !p.is_named(name)));
        return Ok(Some(at![first, name.as_str()]));
    }
    // Flags of a pool's kubelets are written as those of all are.
    let is_flag = first == "kubelet" && matches!(inner.kind(), Kind::Map(_));
    let value = if is_flag { of_flag(value) } else { value.to_owned() };
    let steps = put(part, inner, rest, &value)?;
    Ok(steps.map(|steps| [at![first], steps].concat()))
}

/// Sets a field of an element of a list, which goes by its number; tolerations go by their taint.
fn put_in_list(
    tree: &mut Tree,
    (list, shape): (&str, Shape),
    key: &str,
    rest: &[Segment],
    value: &str,
) -> Put {
    if list == "tolerations" {
        let there = tree.field(list).map_or_else(|| Ok(Vec::new()), Tree::typed);
        let mut tolerations = there.map_err(|mistake| mistake.words())?;
        let steps = toleration_seconds(&mut tolerations, key, value)?;
        tree.put(list, Tree::of(&tolerations).value);
        return Ok(Some(steps));
    }
    let Some((_, what)) = LISTS.iter().find(|(name, _)| *name == list) else { return Ok(None) };
    let parts = tree.field_mut(list).and_then(Tree::parts_mut);
    let parts = parts.map(Vec::as_mut_slice).unwrap_or_default();
    let count = parts.len();
    let names: Vec<&str> = parts.iter().filter_map(|p| p.field("name")?.text()).collect();
    let number = key.parse::<usize>();
    if *what == CONTAINER && number.is_err() && !names.contains(&key) {
        return Err(Problem::new(format!("`{key}` is none of the {list}")).meant(key, names));
    }
    let named = names.iter().position(|name| *name == key);
    let place = named.or(number.ok().filter(|i| *i < count)).ok_or_else(|| {
        Problem::new(format!("there is no {what} number {key}: {count} are written, from 0"))
    })?;
    if matches!(rest, [field] if field.name == "name") {
        return Ok(None);
    }
    let steps = put(&mut parts[place], shape.item(place), rest, value)?;
    Ok(steps.map(|steps| [at![list, place], steps].concat()))
}

/// Whether a field of a type can be set.
pub(super) fn is_plain(shape: Shape) -> bool {
    match shape.kind() {
        Kind::Text | Kind::Whole | Kind::Fraction | Kind::Truth => true,
        Kind::Words(_) | Kind::Texts => true,
        Kind::Variants => AS_IN_A_FILE.contains(&shape.name),
        Kind::Map(_) | Kind::Struct | Kind::Other => false,
    }
}

/// A value as it is written for a type; nothing if a value of that type cannot be set.
fn written(shape: Shape, value: &str) -> Result<Option<Value>, Problem> {
    if !is_plain(shape) {
        return Ok(None);
    }
    let wrong = |wanted: &str| {
        let problem = Problem::new(format!("expected {wanted}, found `{value}`"));
        match value.contains(',') {
            true => problem.help("one value; `taintsim sweep` and `taintsim plan` try several"),
            false => problem,
        }
    };
    let written = match shape.kind() {
        Kind::Whole if value.parse::<i128>().is_err() => {
            let help = whole_seconds(value).map(|s| format!("`{value}` is {s} seconds: write {s}"));
            return Err(wrong("a whole number").maybe_help(help));
        }
        Kind::Fraction if value.parse::<f64>().is_err() => return Err(wrong("a number")),
        Kind::Truth if value.parse::<bool>().is_err() => return Err(wrong("true or false")),
        Kind::Whole | Kind::Fraction | Kind::Truth => Value::word(value),
        Kind::Words(words) => {
            let word = words.iter().find(|w| w.eq_ignore_ascii_case(value));
            Value::word(word.ok_or_else(|| {
                Problem::new(format!("`{value}` is none of the values of this field"))
                    .meant(value, &words)
            })?)
        }
        Kind::Texts => {
            let texts = without_brackets(value).split(',').map(|t| t.trim().trim_matches('"'));
            let texts = texts.filter(|t| !t.is_empty());
            Value::brackets('[', texts.map(|t| Tree::from(Value::text(t))).collect())
        }
        Kind::Variants => as_in_a_file(shape, value)?,
        Kind::Text if shape.name == "HowLong" && value.ends_with(')') => {
            as_in_a_file(shape, value)?
        }
        _ => Value::text(value),
    };
    Ok(Some(written))
}

/// `Zone("b")`, `Nodes(["a-0"])`, `All`.
fn as_in_a_file(shape: Shape, value: &str) -> Result<Value, Problem> {
    let read = Tree::read(value);
    if shape.name == "NodeSelector" {
        let nodes = read.and_then(|tree| tree.typed::<NodeSelector>().map(|_| tree.value));
        return nodes.map_err(|_| {
            Problem::new(format!("`{value}` is no selection of nodes"))
                .help("as in a file: `All`, `Node(\"x\")`, `Nodes([\"x\", \"y-{0..3}\"])`, `Zone(\"b\")`, `Label(\"k=v\")`, `Share(of: Zone(\"b\"), fraction: 0.5)`")
        });
    }
    read.map(|tree| tree.value).map_err(|m| m.words())
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::super::{known_paths, set};
    use std::path::Path;

    #[test]
    fn containers_are_set_by_number_or_name() {
        let text = r#"Scenario(version: 1, horizon: "1m", nodes: [],
            pods: [(name: "p", on: Unbound, containers: [(name: "log", serves_after: "1s", readinessProbe: ())])],
            workloads: [ReplicaSet(name: "web", template: (initContainers: [(name: "a", ends: (after: "1s")), (name: "b", ends: (after: "2s"))]))])"#;
        let mut spec = parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap().spec;
        let of_web = "workloads.web.template.initContainers";
        for path in known_paths(&spec) {
            let refused = set(&mut spec.clone(), &format!("{path}=?")).err();
            assert!(refused.is_none_or(|p| !p.message.contains("is not a path")), "{path}");
        }
        let known = known_paths(&spec);
        let ends = format!("{of_web}[1].ends.after");
        for path in [&ends, "pods.p.containers[0].readinessProbe.periodSeconds"] {
            assert!(known.iter().any(|known| known == path), "{path} in {known:?}");
        }
        assert!(!known.iter().any(|known| known.ends_with("].name")));
        let [place] = &set(&mut spec, &format!("{ends}=7s")).unwrap()[..] else { panic!() };
        assert!(format!("{place:?}").contains("initContainers"), "{place:?}");
        set(&mut spec, &format!("{of_web}[a].ends.after=5s")).unwrap();
        set(&mut spec, "pods.p.containers[log].serves_after=9s").unwrap();
        let init = &spec.workloads[0].group_mut().template.init_containers;
        assert_eq!(format!("{:?}", init[0].ends).matches("5s").count(), 1);
        assert_eq!(format!("{:?}", init[1].ends).matches("7s").count(), 1);
        assert!(format!("{:?}", spec.pods[0].containers[0].serves_after).contains("9s"));
        for (path, why) in [
            (
                format!("{of_web}[2].ends.after"),
                "there is no container number 2: 2 are written, from 0",
            ),
            (format!("{of_web}[c].ends.after"), "`c` is none of the initContainers"),
            (format!("{of_web}[a].name"), "is not a path that can be set"),
        ] {
            let problem = set(&mut spec, &format!("{path}=1s")).unwrap_err().message;
            assert!(problem.contains(why), "{problem}");
        }
    }
}
