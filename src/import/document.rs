//! From text to objects: JSON or YAML, one document or several, single objects, lists of any kind,
//! and bare arrays of objects, as `jq .items` prints them.
//!
//! Objects are read in one pass. As kubectl prints `apiVersion` and `kind` before `spec`, the
//! fields of a kind that is modelled go straight into its types, and those of any other kind are
//! passed over. Where the order is another one (`kubectl get --raw`, other tools), they are kept
//! aside until the kind is known. What is needed to name an object in an error is noted in a
//! [`Cursor`] on the way, because a parser knows only lines.
//!
//! Nesting has a limit: 128 levels in JSON (deeper values that nobody reads are passed over without
//! recursion), and that of [`yaml`](super::yaml).

use super::error::{ImportError, Place};
use super::fields::Wrong;
use super::input::Input;
use super::seeds::{Cursor, ObjectSeed, Take};
use super::yaml;
use serde::de::DeserializeSeed;

/// Reads every object of an input, in order.
///
/// # Errors
/// The text is no JSON or YAML, a value has the wrong type, or a document is no Kubernetes object.
pub(super) fn read(input: &Input, take: &mut Take<'_>) -> Result<(), ImportError> {
    let mut documents = split(&input.text);
    documents.retain(|d| !is_blank(d.text));
    let several = documents.len() > 1;
    for (i, document) in documents.iter().enumerate() {
        let number = several.then_some(i + 1);
        let place = Place { file: input.file.clone(), document: number, ..Place::default() };
        let reader = Reader { input, document, place };
        reader.read(take)?;
    }
    Ok(())
}

/// A document of a file.
struct Document<'a> {
    text: &'a str,
    /// How many lines of the file come before it.
    lines_before: usize,
}

/// Cuts a file at the lines `---` and `...`, which no YAML document may contain at the beginning of
/// a line (YAML 1.2.2, production 206, `c-forbidden`), and JSON cannot.
fn split(text: &str) -> Vec<Document<'_>> {
    let mut documents = Vec::new();
    let (mut start, mut lines_before) = (0, 0);
    let mut offset = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let marker = ["---", "..."].iter().any(|m| {
            line.strip_prefix(m)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
        });
        if marker {
            documents.push(Document { text: &text[start..offset], lines_before });
            // What follows the marker on its line belongs to the next document.
            (start, lines_before) = (offset + 3, number);
        }
        offset += line.len();
    }
    documents.push(Document { text: &text[start..], lines_before });
    documents
}

/// Nothing but white space, comments and directives.
fn is_blank(text: &str) -> bool {
    text.lines().all(|l| {
        let l = l.trim();
        l.is_empty() || l.starts_with('#') || l.starts_with("%YAML") || l.starts_with("%TAG")
    })
}

/// JSON begins with a brace and a quoted name, or with a bracket; YAML in flow style seldom quotes.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let object = |rest: &str| rest.is_empty() || rest.starts_with(['"', '}']);
    match text.strip_prefix('[').map(str::trim_start) {
        Some("") => true,
        Some(inside) => {
            inside.starts_with(['[', ']'])
                || inside.strip_prefix('{').is_some_and(|r| object(r.trim_start()))
        }
        None => text.strip_prefix('{').is_some_and(|r| object(r.trim_start())),
    }
}

/// Reads one document, or several JSON values one after another.
struct Reader<'a> {
    input: &'a Input,
    document: &'a Document<'a>,
    place: Place,
}

impl Reader<'_> {
    fn read(&self, take: &mut Take<'_>) -> Result<(), ImportError> {
        let text = self.document.text;
        if is_json(text) {
            return self.json(text, take, |e| (e.line(), e.column()));
        }
        let json = yaml::to_json(text).map_err(|wrong| {
            // Of what was read up to there is the name of the object.
            let cursor = Cursor::default();
            let mut before = serde_json::Deserializer::from_str(&wrong.json);
            drop(ObjectSeed::document(&cursor).deserialize(&mut before));
            self.syntax(&cursor, wrong.line, wrong.column, wrong.message)
        })?;
        // It is all on one line.
        self.json(&json, take, |e| yaml::place(text, e.column()))
    }

    /// Reads a text of JSON, in which what is wrong has the line and column that `place` gives.
    fn json(
        &self,
        text: &str,
        take: &mut Take<'_>,
        place: impl Fn(&serde_json::Error) -> (usize, usize),
    ) -> Result<(), ImportError> {
        let mut de = serde_json::Deserializer::from_str(text);
        let mut number = 1;
        loop {
            let cursor = Cursor::default();
            let raw = ObjectSeed::document(&cursor).deserialize(&mut de).map_err(|e| {
                let (line, column) = place(&e);
                let message = if e.is_eof() {
                    "the JSON ends in the middle: is the file cut short?".to_owned()
                } else if number > 1 && e.is_syntax() {
                    "text behind the JSON: standard error in the file? Keep it out (`2>/dev/null`)"
                        .to_owned()
                } else {
                    match Wrong::from(e).0 {
                        m if m.starts_with("invalid type: sequence, expected an object of") => {
                            "a list stands where an object of the Kubernetes API should: `jq flatten` makes one list of lists".to_owned()
                        }
                        other => unlike(&other).unwrap_or(other),
                    }
                };
                self.syntax(&cursor, line, column, message)
            })?;
            // Any line may be the last one of YAML, but for a list of kubectl's: its kind stands behind its items.
            if raw.is_list_without_kind() && !is_json(self.document.text) {
                let message = "the YAML ends in the middle, without the `kind` of its list: is the file cut short?";
                let last = self.document.text.lines().count();
                return Err(self.syntax(&cursor, last, 1, message.to_owned()));
            }
            let is_last = de.end().is_ok();
            let mut place = self.place.clone();
            if number > 1 || !is_last {
                place.document.get_or_insert(number);
            }
            raw.flatten(place, take)?;
            if is_last {
                return Ok(());
            }
            number += 1;
        }
    }

    /// An error of a parser at a line and column of the document, from 1; zero is unknown.
    fn syntax(&self, cursor: &Cursor, line: usize, column: usize, message: String) -> ImportError {
        let mut place = cursor.place(&self.place);
        let mut shown = String::new();
        if line > 0 {
            let number = self.document.lines_before + line;
            place.line = Some(number);
            shown = excerpt(&self.input.text, number, column);
        }
        ImportError::Wrong(format!("{place}: {message}{shown}"))
    }
}

/// `invalid type: X, expected Y` in the words of JSON, which has objects, lists, texts and numbers.
fn unlike(message: &str) -> Option<String> {
    let message = message.strip_prefix("invalid ")?;
    let (found, expected) = message.split_once(": ")?.1.rsplit_once(", expected ")?;
    let expected = match expected {
        "a string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        e if e.starts_with("struct ") => "an object",
        "i32" | "u32" => "a whole number of 32 bits",
        "i64" | "u64" => "a whole number of 64 bits",
        other => other,
    };
    let words = [
        ("map", "an object"),
        ("sequence", "a list"),
        ("string ", "the text "),
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("boolean ", ""),
    ];
    let word = words.iter().find_map(|(of, word)| Some((word, found.strip_prefix(of)?)));
    let found = word.map_or(found.to_owned(), |(word, rest)| format!("{word}{rest}"));
    Some(format!("expected {expected}, found {found}"))
}

/// The line in question and a caret under the column, both cut to a width that fits a terminal.
fn excerpt(text: &str, line: usize, column: usize) -> String {
    const WIDTH: usize = 100;
    let Some(found) = text.lines().nth(line - 1) else { return String::new() };
    let column = column.max(1);
    let from = if column > WIDTH { column - WIDTH / 2 } else { 0 };
    let shown = found.chars().skip(from).take(WIDTH);
    let shown: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.trim().is_empty() {
        return String::new();
    }
    format!(
        "\n  | {shown}\n  | {:>width$}",
        "^",
        width = (column - from).min(shown.chars().count() + 1)
    )
}
