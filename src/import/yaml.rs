//! YAML, written as the JSON that means the same, so that one reader does for both. `no_yaml.rs`
//! stands in for it in a program without the feature of that name.
//!
//! Values without quotes are what the core schema of YAML 1.2 takes them for. Merge keys (`<<`) are
//! of YAML 1.1, and kubectl prints none.

use super::error::WrongYaml;
use granit_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How deep YAML may be nested; objects of the Kubernetes API stay below a hundred.
const MAX_DEPTH: usize = 200;

/// How many times the text what aliases repeat may be.
const REPEATED: usize = 8;

/// A text as JSON, one value in each line for each of its documents.
///
/// # Errors
/// It is no YAML, or has what JSON cannot say.
pub fn to_json(text: &str) -> Result<String, WrongYaml> {
    let mut writer = Writer { room: REPEATED * text.len() + 1024, ..Writer::default() };
    for event in Parser::new_from_str(text) {
        let (at, message) = match event {
            Ok((event, span)) => match writer.event(event) {
                Ok(()) => continue,
                Err(message) => (span.start, message),
            },
            Err(e) => (*e.marker(), e.kind().to_string()),
        };
        return Err(WrongYaml {
            line: at.line(),
            column: at.col() + 1,
            message,
            json: writer.json,
        });
    }
    Ok(writer.json)
}

/// Line and column, from 1, of the value at a byte of the JSON that a text came to.
pub(super) fn place(text: &str, byte: usize) -> (usize, usize) {
    let mut writer = Writer { room: usize::MAX, ..Writer::default() };
    let mut at = Marker::default();
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let before = writer.json.len();
        if writer.event(event).is_err() || before >= byte {
            break;
        }
        if writer.json.len() > before {
            at = span.start;
        }
    }
    (at.line(), at.col() + 1)
}

/// A list or a map that is not at its end.
struct Open<'a> {
    anchor: usize,
    /// Where it begins in the JSON.
    from: usize,
    map: Option<Map<'a>>,
}

#[derive(Default)]
struct Map<'a> {
    keys: BTreeSet<Cow<'a, str>>,
    /// The last key waits for its value.
    at_value: bool,
}

#[derive(Default)]
struct Writer<'a> {
    json: String,
    open: Vec<Open<'a>>,
    /// Where in the JSON what has an anchor stands.
    anchors: BTreeMap<usize, Range<usize>>,
    /// How many bytes aliases may still repeat.
    room: usize,
}

impl<'a> Writer<'a> {
    fn event(&mut self, event: Event<'a>) -> Result<(), String> {
        match event {
            Event::Scalar(key, ..) if self.map().is_some_and(|map| !map.at_value) => self.key(key),
            Event::Scalar(text, style, anchor, tag) => {
                let from = self.value()?;
                let is_text = style != ScalarStyle::Plain
                    || tag.as_deref().and_then(Tag::core_suffix) == Some("str");
                let known = if is_text { None } else { plain(&text) };
                self.json.push_str(&known.unwrap_or_else(|| quoted(&text)));
                self.anchor(anchor, from);
                Ok(())
            }
            Event::Alias(anchor) => {
                self.value()?;
                let Some(range) = self.anchors.get(&anchor) else {
                    return Err("an anchor that holds an alias to itself".to_owned());
                };
                let Some(room) = self.room.checked_sub(range.len()) else {
                    return Err("far more values than so small a text should hold: aliases that multiply each other".to_owned());
                };
                self.room = room;
                let repeated = self.json[range.clone()].to_owned();
                self.json.push_str(&repeated);
                Ok(())
            }
            Event::SequenceStart(_, anchor, _) => self.open(anchor, '[', None),
            Event::MappingStart(_, anchor, _) => self.open(anchor, '{', Some(Map::default())),
            Event::SequenceEnd => self.close(']'),
            Event::MappingEnd => self.close('}'),
            _ => Ok(()),
        }
    }

    fn map(&mut self) -> Option<&mut Map<'a>> {
        self.open.last_mut()?.map.as_mut()
    }

    fn key(&mut self, key: Cow<'a, str>) -> Result<(), String> {
        if key == "<<" {
            return Err("a merge key (`<<`): write out what it stands for".to_owned());
        }
        let json = quoted(&key);
        let Some(map) = self.map() else { return Ok(()) };
        map.at_value = true;
        if !map.keys.insert(key) {
            return Err(format!("the key {} is there twice", json.replace('"', "`")));
        }
        self.comma();
        self.json.push_str(&json);
        self.json.push(':');
        Ok(())
    }

    /// Before a value, whose place in the JSON is returned.
    fn value(&mut self) -> Result<usize, String> {
        match self.open.last_mut() {
            Some(Open { map: None, .. }) => self.comma(),
            Some(Open { map: Some(map), .. }) if map.at_value => map.at_value = false,
            Some(_) => return Err("a key that is no text".to_owned()),
            None if !self.json.is_empty() => self.json.push('\n'),
            None => {}
        }
        Ok(self.json.len())
    }

    fn comma(&mut self) {
        if !self.json.ends_with(['[', '{']) {
            self.json.push(',');
        }
    }

    fn open(&mut self, anchor: usize, bracket: char, map: Option<Map<'a>>) -> Result<(), String> {
        let from = self.value()?;
        if self.open.len() == MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.open.push(Open { anchor, from, map });
        self.json.push(bracket);
        Ok(())
    }

    fn close(&mut self, bracket: char) -> Result<(), String> {
        self.json.push(bracket);
        if let Some(Open { anchor, from, .. }) = self.open.pop() {
            self.anchor(anchor, from);
        }
        Ok(())
    }

    /// Notes what has an anchor, which is 0 where it has none.
    fn anchor(&mut self, anchor: usize, from: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, from..self.json.len());
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What stands without quotes and is no text.
fn plain(text: &str) -> Option<String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Some("null".to_owned()),
        "true" | "True" | "TRUE" => Some("true".to_owned()),
        "false" | "False" | "FALSE" => Some("false".to_owned()),
        _ if !text
            .starts_with(['+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) =>
        {
            None
        }
        _ if serde_json::from_str::<serde_json::Number>(text).is_ok() => Some(text.to_owned()),
        // `+1`, `01`, `.5` and `5.` are numbers, too.
        _ => {
            let digits = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
            let number = text.parse().ok().filter(|n: &f64| digits && n.is_finite())?;
            let whole = text.parse::<i64>().map(|n| n.to_string());
            Some(whole.unwrap_or_else(|_| number.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chapter 10.3.2 of YAML 1.2.2 says which values without quotes are no texts.
    #[test]
    fn values_are_those_of_the_core_schema() {
        let text = "a: [1, +2, 03, .5, 6., 7e1, -8.25, 1.2.3, 10.0.0.1, -x, 2026-01-01T00:00:00Z, 100m]\n\
            b: [~, null, NULL, true, False, yes, \"true\", '1', !!str 5, .inf, .nan]\n\
            c: |\n  two\n  lines\nd: \"a\\\"\\t\u{e9}\"\ne: {}\n1: []\nf:\n";
        assert_eq!(
            to_json(text).unwrap(),
            "{\"a\":[1,2,3,0.5,6,7e1,-8.25,\"1.2.3\",\"10.0.0.1\",\"-x\",\"2026-01-01T00:00:00Z\",\"100m\"],\
             \"b\":[null,null,null,true,false,\"yes\",\"true\",\"1\",\"5\",\".inf\",\".nan\"],\
             \"c\":\"two\\nlines\\n\",\"d\":\"a\\\"\\t\u{e9}\",\"e\":{},\"1\":[],\"f\":null}"
        );
    }

    #[test]
    fn an_alias_is_what_its_anchor_stands_before() {
        let text = "a: &a {b: &b [1], c: *b}\nd: *a\n---\n- &e x\n- *e\n";
        assert_eq!(
            to_json(text).unwrap(),
            "{\"a\":{\"b\":[1],\"c\":[1]},\"d\":{\"b\":[1],\"c\":[1]}}\n[\"x\",\"x\"]"
        );
    }

    #[test]
    fn what_json_cannot_say_has_its_place() {
        for (text, line, column, message) in [
            ("a: 1\nb: 2\na: 3\n", 3, 1, "the key `a` is there twice"),
            ("a: &a [*a]\n", 1, 8, "an anchor that holds an alias to itself"),
            (
                "a: &a {b: c}\nd:\n  <<: *a\n",
                3,
                3,
                "a merge key (`<<`): write out what it stands for",
            ),
            ("? [a, b]\n: c\n", 1, 3, "a key that is no text"),
        ] {
            let wrong = to_json(text).unwrap_err();
            assert_eq!(
                (wrong.line, wrong.column, &*wrong.message),
                (line, column, message),
                "{text}"
            );
        }
    }

    /// Each value of the JSON is found where it stands in the YAML.
    #[test]
    fn a_byte_of_the_json_has_its_place() {
        let text = "a:\n  b: [x, yy]\n  c:\n    d: 1\n";
        let json = to_json(text).unwrap();
        assert_eq!(json, r#"{"a":{"b":["x","yy"],"c":{"d":1}}}"#);
        for (value, line, column) in [("\"x\"", 2, 7), ("\"yy\"", 2, 10), ("1", 4, 8)] {
            let end = json.find(value).unwrap() + value.len();
            assert_eq!(place(text, end), (line, column), "{value}");
        }
    }
}
