//! YAML: limits, messages, and long lists in parallel.
//!
//! A YAML parser is slow, some ten megabytes a second. kubectl prints the items of a list in block
//! style at the left margin, where each begins with `- `. Such items are parsed in chunks, several
//! at a time; should that fail for any reason (an alias to another item, a mistake), the document
//! is parsed as a whole, which also finds the right place to complain about. Either way leads to
//! the same objects.

use super::raw::Raw;
use super::seeds::{Cursor, DocumentSeed, ItemsSeed, ObjectSeed};
use rayon::prelude::*;
use serde::de::DeserializeSeed;
use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

/// How deep YAML may be nested; objects of the Kubernetes API stay below a hundred.
const MAX_DEPTH: usize = 200;

/// The number of items in a chunk.
const CHUNK: usize = 200;

/// Parses a document, which is one object or an array of objects.
pub(super) fn parse(text: &str, cursor: &Cursor) -> Result<Raw, Error> {
    if let Some(raw) = List::find(text).and_then(List::parse) {
        return Ok(raw);
    }
    serde_saphyr::with_deserializer_from_str_with_options(text, options(text.len()), |de| {
        DocumentSeed { cursor }.deserialize(de)
    })
}

/// A list whose items stand at the left margin.
struct List<'t> {
    /// The text before `items:` and that behind the items: kind, metadata.
    head: String,
    /// The items, several to a chunk.
    chunks: Vec<&'t str>,
}

impl<'t> List<'t> {
    /// A list that is long enough to be worth it. Only a comment, an empty line, an indented line
    /// or another item can follow an item at the left margin, whatever is in it: in a block mapping
    /// all content is indented (YAML 1.2.2, 8.2).
    fn find(text: &'t str) -> Option<Self> {
        let start = if text.starts_with("items:") { 0 } else { text.find("\nitems:")? + 1 };
        let first = start + text[start..].find('\n')? + 1;
        if text[start..first].trim_end() != "items:" {
            return None;
        }
        let (mut chunks, mut items, mut begun, mut offset) = (Vec::new(), 0, first, first);
        for line in text[first..].split_inclusive('\n') {
            if line.starts_with("- ") {
                if items > 0 && items % CHUNK == 0 {
                    chunks.push(&text[begun..offset]);
                    begun = offset;
                }
                items += 1;
            } else if !line.starts_with([' ', '#', '\n', '\r']) {
                break;
            }
            offset += line.len();
        }
        chunks.push(&text[begun..offset]);
        (chunks.len() > 1)
            .then(|| List { head: [&text[..start], &text[offset..]].concat(), chunks })
    }

    /// The list, or nothing if any part of it does not parse on its own.
    fn parse(self) -> Option<Raw> {
        let items = |text: &&str| {
            let cursor = Cursor::default();
            let seed = ItemsSeed { cursor: &cursor, of_list: None };
            serde_saphyr::with_deserializer_from_str_with_options(text, options(text.len()), |de| {
                seed.deserialize(de)
            })
            .ok()?
        };
        let parts: Option<Vec<Vec<Raw>>> = self.chunks.par_iter().map(items).collect();
        let cursor = Cursor::default();
        let seed = ObjectSeed { cursor: &cursor, of_list: None };
        let head = serde_saphyr::with_deserializer_from_str_with_options(
            &self.head,
            options(self.head.len()),
            |de| seed.deserialize(de),
        );
        let mut raw = head.ok()?;
        // A second `items` is a mistake, which the whole document's parser names.
        if raw.items.is_some() {
            return None;
        }
        raw.items = Some(parts?.into_iter().flatten().collect());
        Some(raw)
    }
}

/// The budget grows with the text, so that an export of any size loads: without aliases a text of n
/// bytes cannot have more than n nodes. What aliases blow up is limited on its own.
fn options(bytes: usize) -> serde_saphyr::Options {
    let room = bytes + 1024;
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 3 * room,
            max_nodes: room,
            max_total_scalar_bytes: room,
            max_depth: MAX_DEPTH,
        },
        with_snippet: false,
    }
}

const BOMB: &str =
    "far more values than so small a text should hold: aliases that multiply each other";

/// serde_saphyr's message, in the words of somebody who reads an export and not a parser.
pub(super) fn message(e: &serde_saphyr::Error) -> String {
    let mut cause = e;
    while let Error::AliasError { error, .. } | Error::WithSnippet { error, .. } = cause {
        cause = error;
    }
    match cause {
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            return format!("nested deeper than {MAX_DEPTH} levels");
        }
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            return BOMB.to_owned();
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            return "an anchor that holds an alias to itself".to_owned();
        }
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            return format!("the key `{key}` is there twice");
        }
        _ => {}
    }
    let text = cause.to_string();
    // Its messages may end with the position, which an error here shows in another way.
    let text = text.split_once(" at line ").map_or(text.as_str(), |(head, _)| head);
    match text.lines().next().unwrap_or_default() {
        "expected mapping start" => "expected a map (`key: value`)".to_owned(),
        "expected string scalar" => "expected a single text".to_owned(),
        "invalid i32" | "invalid i64" => "expected a whole number".to_owned(),
        "invalid bool" => "expected true or false".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(text: &str) -> Option<(String, usize)> {
        List::find(text).map(|l| (l.head, l.chunks.len()))
    }

    #[test]
    fn long_lists_are_cut_between_items() {
        let items = |n: usize| "- a: |\n    text\n\n# comment\n  b:\n  - c\n".repeat(n);
        let list = |n: usize| format!("apiVersion: v1\nitems:\n{}kind: List\n", items(n));
        assert_eq!(chunks(&list(200)), None, "one chunk");
        assert_eq!(chunks(&list(201)), Some(("apiVersion: v1\nkind: List\n".to_owned(), 2)));
        assert_eq!(chunks(&list(600)).unwrap().1, 3);
        assert_eq!(chunks(&format!("items:\n{}", items(201))), Some((String::new(), 2)));
    }

    #[test]
    fn other_lists_are_left_alone() {
        for text in [
            "kind: Pod\n",
            "items: [1, 2]\n",
            "items:\n",
            "x:\n  items:\n  - a\n",
            "items: # none\n- a\n",
            "items:",
        ] {
            assert_eq!(chunks(text), None, "{text}");
        }
    }
}
