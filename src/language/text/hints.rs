//! Hints beside mistakes of form: what was meant by what is written.

use super::problem::spelt;
use super::tree::Tree;
use crate::language::duration::whole_seconds;

/// No longer texts are said again in a hint, in bytes.
pub(super) const SHORT: usize = 60;

/// The number that a text stands for: `"30"` is 30, and `"2m"` is 120 in a field of seconds.
pub(super) fn number_meant(field: Option<&str>, text: &str) -> Option<String> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(format!("write {number}"));
    }
    let seconds = whole_seconds(text).filter(|_| field.is_some_and(|f| f.ends_with("Seconds")))?;
    Some(format!("write {seconds}: these are whole seconds"))
}

/// The one that is meant by `"true"`, or `True`.
pub(super) fn truth_meant(tree: &Tree) -> Option<String> {
    let word = tree.text().or(tree.bare_word())?.to_lowercase();
    word.parse::<bool>().ok().map(|truth| format!("write `{truth}`"))
}

/// How a text is written that stands without its quotes, or in others; or a taint that stands in fields of its own.
pub(super) fn in_quotes(tree: &Tree) -> Option<String> {
    let part = |name| tree.field(name).and_then(|part| part.text().or(part.bare_word()));
    let value = part("value").map_or(String::new(), |value| format!("={value}"));
    let taint = || Some(format!("{}{value}:{}", part("key")?, part("effect")?));
    let text = tree.bare_word().map(|word| word.trim_matches('\'').to_owned()).or_else(taint)?;
    (text.len() <= SHORT).then(|| format!("write `\"{text}\"`"))
}

/// How nodes or pods are selected that are named without a word: `"a-0"`, or `["a-0", "a-1"]`.
pub(super) fn selected(tree: &Tree, one: &str) -> Option<String> {
    let names: Vec<&str> = tree.parts().iter().filter_map(Tree::text).collect();
    match tree.text() {
        Some(name) if name.len() <= SHORT => Some(format!("{one}(\"{name}\")")),
        None if !names.is_empty() && tree.open() == Some('[') => {
            let list = format!("{names:?}");
            (list.len() <= 4 * SHORT).then(|| format!("{one}s({list})"))
        }
        _ => None,
    }
}

/// Where several stand in the field of one, `node: ["a-0"]`, and there is a field for them.
pub(super) fn several(field: &Tree, known: &[&str]) -> Option<String> {
    let (one, _) = (field.name()?, field.open()?);
    let many = known.iter().find(|many| many.strip_suffix('s') == Some(one))?;
    let as_list = match one {
        "node" => selected(field, "Node"),
        "pod" => selected(field, "Pod"),
        _ => None,
    };
    Some(format!("several are `{many}: {}`", as_list.as_deref().unwrap_or("…")))
}

/// How a struct with these fields is written.
pub(super) fn by_name(known: &[&str]) -> String {
    const SHOWN: usize = 4;
    let more = if known.len() > SHOWN { ", …" } else { "" };
    let known: Vec<String> =
        known.iter().take(SHOWN).map(|name| format!("{}: …", spelt(name))).collect();
    format!("write `({}{more})`", known.join(", "))
}
