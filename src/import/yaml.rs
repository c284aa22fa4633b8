//! YAML: limits and messages. `no_yaml.rs` stands in for it in a program without the feature of
//! that name.

use super::seeds::{Cursor, ObjectSeed, Raw};
use serde::de::DeserializeSeed;
use serde_json::Value;
use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

/// How deep YAML may be nested; objects of the Kubernetes API stay below a hundred.
const MAX_DEPTH: usize = 200;

/// Parses a document, which is one object or an array of objects.
///
/// # Errors
/// What is wrong, behind its line and column from 1; zero is unknown.
pub(super) fn parse(text: &str, cursor: &Cursor) -> Result<Raw, (usize, usize, String)> {
    let read =
        serde_saphyr::with_deserializer_from_str_with_options(text, options(text.len()), |de| {
            ObjectSeed::document(cursor).deserialize(de)
        });
    read.map_err(|e| {
        let place = e.location();
        let (line, column) = place.map_or((0, 0), |l| (l.line() as usize, l.column() as usize));
        (line, column, message(&e))
    })
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

/// A text as values, one for each document; what is wrong in the parser's own words.
pub(crate) fn values(text: &str) -> Result<Vec<Value>, String> {
    serde_saphyr::from_multiple(text).map_err(|e| e.to_string())
}

/// A text of one document as a value.
pub(super) fn value(text: &str) -> Option<Value> {
    serde_saphyr::from_str(text).ok()
}

const BOMB: &str =
    "far more values than so small a text should hold: aliases that multiply each other";

/// serde_saphyr's message, in the words of somebody who reads an export and not a parser.
fn message(e: &Error) -> String {
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
        | Error::AliasReplayStackDepthExceeded { .. } => return BOMB.to_owned(),
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
