//! The file of the smallest scenario.

use super::goal::Goal;
use super::judge::{Judge, Seen};
use crate::analysis::properties::Property;
use crate::language::text::Tree;
use crate::language::{Claim, Expectation};

/// The file of the result: what it violates is its doc and what it expects.
pub(super) fn finished(tree: &Tree, judge: &Judge<'_>, seen: &Seen) -> String {
    let mut tree = tree.clone();
    let written = tree.field("kubernetes").and_then(Tree::text);
    let release = written.unwrap_or(&seen.release).to_owned();
    let doc = match judge.goal {
        Goal::Violates(property) => {
            format!("Violates {property} on Kubernetes {release}: {}.", seen.text)
        }
        Goal::Fails(_) => seen.text.clone(),
    };
    begin(&mut tree, "version", [("doc", &doc), ("kubernetes", &release)]);
    if let Goal::Violates(property) = judge.goal {
        // What is expected and not met stays as it was written.
        let text = property.to_string();
        if let Some(tape) = tree.field_mut("tape") {
            begin(tape, "choices", [("release", &release), ("property", &text)]);
        }
        if property != Property::Expect {
            let expect = Expectation::Violates(Claim::Property(text));
            tree.put("expect", Tree::of(&[expect][..]).value);
        }
    }
    tree.file()
}

/// Writes two texts behind a field, in place of what has their names.
fn begin(tree: &mut Tree, behind: &str, texts: [(&str, &String); 2]) {
    let Some(fields) = tree.parts_mut() else {
        return;
    };
    fields.retain(|f| texts.iter().all(|(name, _)| !f.is_named(name)));
    let place = fields.iter().position(|f| f.is_named(behind));
    let place = place.map_or(0, |i| i + 1);
    let texts = texts.map(|(name, text)| Tree::of(text).named(name));
    fields.splice(place..place, texts);
}
