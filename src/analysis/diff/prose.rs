//! What a switch of a release means, in prose: what its documentation says, for people who do not
//! read the source.
//!
//! The texts are those of the fields and variants themselves, read from the files that define them,
//! so that there is one place for each and none is forgotten.

use std::collections::BTreeMap;

/// The files that define switches, by the name of the field of `Profile` that holds them; those of
/// `Profile` itself without one.
const FILES: [(&str, &str, &str); 10] = [
    ("", "Profile", include_str!("../../plan/profile.rs")),
    ("node_lifecycle", "Switches", include_str!("../../plan/switches/node_lifecycle.rs")),
    ("taint_eviction", "Switches", include_str!("../../plan/switches/taint_eviction.rs")),
    ("kubelet", "Switches", include_str!("../../plan/switches/kubelet.rs")),
    ("scheduler", "Switches", include_str!("../../plan/switches/scheduler.rs")),
    ("pod_gc", "Switches", include_str!("../../plan/switches/pod_gc.rs")),
    ("workload", "Switches", include_str!("../../plan/switches/workload.rs")),
    ("cloud", "Switches", include_str!("../../plan/switches/cloud.rs")),
    ("disruption", "Switches", include_str!("../../plan/switches/disruption.rs")),
    ("eviction", "EvictionRules", include_str!("../../plan/switches/eviction.rs")),
];

/// The documentation of a file's types: by type and field or variant, the text and the field's own
/// type.
struct Docs<'a>(BTreeMap<(&'a str, &'a str), (String, &'a str)>);

impl<'a> Docs<'a> {
    fn read(file: &'a str) -> Self {
        let (mut found, mut of, mut doc) = (BTreeMap::new(), "", String::new());
        for line in file.lines().map(str::trim) {
            let mut seen = ["pub(crate) ", "pub "].into_iter();
            let line = seen.find_map(|seen| line.strip_prefix(seen)).unwrap_or(line);
            if let Some(text) = line.strip_prefix("///") {
                doc.push(' ');
                doc.push_str(text.trim());
                continue;
            }
            if let Some(name) = line.strip_prefix("struct ").or(line.strip_prefix("enum ")) {
                of = name.split([' ', '<', '(']).next().unwrap_or(name);
            } else if let Some(field) = line.strip_suffix(',') {
                let (name, kind) = field
                    .split_once(": ")
                    .unwrap_or((field.split(['(', ' ']).next().unwrap_or(field), ""));
                found.entry((of, name)).or_insert((std::mem::take(&mut doc), kind));
            }
            if !line.starts_with("#[") {
                doc.clear();
            }
        }
        Docs(found)
    }
}

/// What a switch is about, and what its values mean; the values alone where they speak for
/// themselves.
pub(super) fn told(name: &str, values: [Option<&str>; 2]) -> Option<(String, [String; 2])> {
    let (first, rest) = name.split_once('.').unwrap_or(("", name));
    let (_, root, file) = FILES.iter().find(|(field, ..)| *field == first)?;
    let docs = Docs::read(file);
    let (mut of, mut about) = (*root, None);
    for field in rest.split('.') {
        let (doc, kind) = docs.0.get(&(of, field))?;
        about = Some(doc);
        of = kind.trim_start_matches("Option<").trim_end_matches('>');
    }
    let variant = |value: Option<&str>| match value {
        None | Some("None") if !docs.0.contains_key(&(of, "None")) => "none".to_owned(),
        Some("true") => "yes".to_owned(),
        Some("false") => "no".to_owned(),
        value => {
            let value = value.unwrap_or("None");
            let name = value.split(['(', ' ']).next().unwrap_or(value);
            docs.0.get(&(of, name)).map_or_else(|| plain(value), |(doc, _)| sentence(doc))
        }
    };
    Some((sentence(about?), values.map(variant)))
}

/// A value without the words that it has in the source: `Some("x")` is `x`.
pub(super) fn plain(value: &str) -> String {
    let inner =
        value.strip_prefix("Some(").and_then(|v| v.strip_suffix(')')).unwrap_or(value).trim();
    let inner =
        inner.strip_suffix(".0").filter(|n| n.bytes().all(|b| b.is_ascii_digit())).unwrap_or(inner);
    if inner == "None" { "none".to_owned() } else { inner.trim_matches('"').to_owned() }
}

/// A documentation as a sentence without its full stop, without the marks of code and the numbers
/// of docs/model.md's rows.
fn sentence(doc: &str) -> String {
    let text = doc.replace('`', "");
    let mut parts = text.split(" (S");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // ` (S20)` goes, ` (S27, gate …)` is ` (gate …)`.
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        match (rest.strip_prefix(')'), rest.strip_prefix(", ")) {
            (Some(rest), _) if rest.len() < part.len() - 1 => out.push_str(rest),
            (_, Some(rest)) => out.push_str(&format!(" ({rest}")),
            _ => out.push_str(&format!(" (S{part}")),
        }
    }
    out.trim().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::settings::Settings;
    use super::*;
    use crate::profiles::{Release, profile};

    /// Between any two minor releases that follow one another, and between the first and the last
    /// of them.
    #[test]
    fn every_switch_of_every_release_has_its_prose() {
        let all: Vec<_> =
            Release::all_minors().map(|r| profile(&r.to_string()).expect("a release")).collect();
        let ends = [all[0].clone(), all[all.len() - 1].clone()];
        let mut told = 0;
        for pair in all.windows(2).chain([&ends[..]]) {
            for change in Settings::switches(&pair[0], &pair[1]) {
                let prose =
                    change.prose.unwrap_or_else(|| panic!("{} has no documentation", change.name));
                assert!(prose.0.contains(' '), "{}: {prose:?}", change.name);
                for text in [&prose.0, &prose.1[0], &prose.1[1]] {
                    let debug = ["Some(", "None", "true", "false", "Dur(", "`", "::"]
                        .iter()
                        .find(|mark| text.contains(**mark));
                    assert_eq!(debug, None, "{}: {text}", change.name);
                }
                told += 1;
            }
        }
        assert!(told > 100, "{told}");
    }

    #[test]
    fn the_documentation_of_a_field_is_its_prose() {
        let lifecycle = told("node_lifecycle.taint_on_observed", [Some("true"), Some("false")]);
        let about = "The taint decision follows the Ready condition read before this pass's update (up to 1.33), not the current one";
        assert_eq!(lifecycle, Some((about.to_owned(), ["yes".to_owned(), "no".to_owned()])));
        let entry = told("taint_eviction.finished_entry", [Some("Nil"), Some("Deleted")]);
        assert_eq!(
            entry.map(|e| e.1),
            Some(["Nil, up to 1.32".to_owned(), "Nothing, from 1.33".to_owned()])
        );
        assert_eq!(
            told("scheduler.weights.taint_toleration", [Some("1"), Some("3")]).map(|t| t.1),
            Some(["1".to_owned(), "3".to_owned()])
        );
        assert_eq!(
            ["Some(5s)", "None", "20.0", "Kubectl"].map(plain),
            ["5s", "none", "20", "Kubectl"]
        );
    }
}
