//! The file of the smallest scenario.

use super::goal::Goal;
use super::judge::{Judge, Seen};
use crate::language::text::layout::Piece;
use crate::language::{Claim, Expectation};

/// The file of the result: what it violates is its doc and what it expects.
pub(super) fn finished(tree: &Piece, judge: &Judge<'_>, seen: &Seen) -> String {
    let mut tree = tree.clone();
    let Some((.., fields)) = &mut tree.body else {
        return tree.file();
    };
    let written = fields.iter().find_map(|f| {
        f.head
            .strip_prefix("kubernetes: ")?
            .strip_prefix('"')?
            .strip_suffix('"')
    });
    let release = written.unwrap_or(&seen.release).to_owned();
    fields.retain(|f| {
        !["doc:", "kubernetes:"]
            .iter()
            .any(|name| f.head.starts_with(name))
    });
    let doc = match judge.goal {
        Goal::Violates(property) => format!(
            "Violates {property} on Kubernetes {release}: {}.",
            seen.text
        ),
        Goal::Fails(_) => seen.text.clone(),
    };
    let field = |name: &str, value: Piece| Piece {
        head: format!("{name}: {}", value.head),
        body: value.body,
    };
    let place = fields
        .iter()
        .position(|f| f.head.starts_with("version:"))
        .map_or(0, |i| i + 1);
    fields.insert(place, field("doc", Piece::of(doc.as_str())));
    fields.insert(place + 1, field("kubernetes", Piece::of(release.as_str())));
    let Goal::Violates(property) = judge.goal else {
        return tree.file();
    };
    if let Some((.., tape)) = fields
        .iter_mut()
        .find(|f| f.head.starts_with("tape:"))
        .and_then(|f| f.body.as_mut())
    {
        let of_release = field("release", Piece::of(release.as_str()));
        let property = field("property", Piece::of(property.to_string().as_str()));
        tape.retain(|f| {
            !["property:", "release:"]
                .iter()
                .any(|name| f.head.starts_with(name))
        });
        let place = 1.min(tape.len());
        tape.splice(place..place, [of_release, property]);
    }
    let expect = Expectation::Violates(Claim::Property(property.to_string()));
    fields.push(field("expect", Piece::of(&[expect][..])));
    tree.file()
}
