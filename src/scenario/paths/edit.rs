//! Writes a value into a part of a scenario: into its tree, by what the types of the language say
//! of the field, and from there into the part as a file is read.

use super::called::Target;
use super::read::without_brackets;
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

/// The steps to what was put; none where there is no such field.
pub(super) type Put = Result<Option<Place>, Problem>;

/// Sets the field of something that a path leads to; the steps to it, nothing if there is no such
/// field.
pub(super) fn change<T: Serialize + DeserializeOwned>(
    of: &mut T,
    target: Target,
    path: &[&str],
    value: &str,
) -> Put {
    let mut tree = Tree::of(of);
    let steps = edit(&mut tree, target, path, value)?;
    if steps.is_some() {
        *of = tree.typed().map_err(|mistake| mistake.words())?;
    }
    Ok(steps)
}

/// The same of something of that type, by the field itself.
pub(super) fn change_part<T: Serialize + DeserializeOwned>(
    of: &mut T,
    shape: Shape,
    path: &[&str],
    value: &str,
) -> Put {
    let mut tree = Tree::of(of);
    let steps = put(&mut tree, shape, path, value)?;
    if steps.is_some() {
        *of = tree.typed().map_err(|mistake| mistake.words())?;
    }
    Ok(steps)
}

fn edit(tree: &mut Tree, target: Target, path: &[&str], value: &str) -> Put {
    for way in ways(target, path) {
        if is_field(target, tree, &way) {
            let steps = put(tree, target.shape(), &way, value)?;
            if steps.is_some() {
                return Ok(steps);
            }
        }
    }
    Ok(None)
}

/// The ways that a path may mean: `timeline.cut.duration` is a field of what the entry does.
fn ways<'a>(target: Target, path: &[&'a str]) -> Vec<Vec<&'a str>> {
    match (target, path) {
        (Target::Timeline, [field]) => vec![
            vec!["do", field],
            vec!["do", "drain", field],
            vec!["do", "nodes", field],
            vec![field],
        ],
        _ => vec![path.to_vec()],
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

fn put(tree: &mut Tree, shape: Shape, path: &[&str], value: &str) -> Put {
    let Some((first, rest)) = path.split_first() else { return Ok(None) };
    let Some(inner) = shape.within(tree).part(first) else { return Ok(None) };
    if rest.is_empty() {
        let Some(value) = written(inner, value.trim())? else { return Ok(None) };
        for either in EITHER.iter().filter(|either| either.contains(first)) {
            if let Some(parts) = tree.parts_mut() {
                parts.retain(|p| !either.iter().any(|name| p.is_named(name)));
            }
        }
        tree.put(first, value);
        return Ok(Some(at![*first]));
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
    let steps = put(part, inner, rest, value)?;
    Ok(steps.map(|steps| [at![*first], steps].concat()))
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
