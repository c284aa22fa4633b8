//! Columns of numbers and texts, in a form that a page reads fast and that deflates well.
//!
//! A little-endian `u32` says how long the header is; the header is JSON; the columns follow one
//! after the other as the header's `columns` lists them. A column of numbers is written plane by
//! plane, the lowest bytes of all its numbers first, with as many planes as its largest number
//! needs. Where numbers follow each other closely it is the differences that are written, those
//! below zero interleaved with those above. Times are in milliseconds, which take more than 32 bits
//! in a run of seven weeks. Texts are written as what each has in common with the
//! one before it, in bytes, and what is new. `extra/web/columns.js` reads it.

use crate::files::shown;
use serde_json::{Map, Value, json};

/// Columns while they are gathered.
pub(super) struct Columns {
    header: Map<String, Value>,
    listed: Vec<Value>,
    bytes: Vec<u8>,
}

impl Columns {
    /// No columns yet; `kind` says to the page what it is of.
    pub(super) fn new(kind: &str) -> Self {
        let header = Map::from_iter([("kind".to_owned(), kind.into())]);
        Columns { header, listed: Vec::new(), bytes: Vec::new() }
    }

    /// A value of the header.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.header.insert(name.to_owned(), harmless(value));
    }

    /// Numbers of which each is near the one before.
    pub(super) fn near<N: Into<u64>>(&mut self, name: &str, values: impl IntoIterator<Item = N>) {
        let mut before = 0_u64;
        let differences = values.into_iter().map(|value| {
            let value = value.into();
            let difference = value.wrapping_sub(before).cast_signed();
            before = value;
            ((difference << 1) ^ (difference >> 63)).cast_unsigned()
        });
        self.planes(name, "near", &differences.collect::<Vec<u64>>());
    }

    /// Numbers that say what kind something is, or which.
    pub(super) fn codes(&mut self, name: &str, values: impl IntoIterator<Item = u32>) {
        self.planes(name, "codes", &values.into_iter().map(u64::from).collect::<Vec<u64>>());
    }

    fn planes(&mut self, name: &str, form: &str, values: &[u64]) {
        let most = values.iter().copied().max().unwrap_or(0);
        let planes = (64 - most.leading_zeros()).div_ceil(8);
        for plane in 0..planes {
            let byte = |value: &u64| value.to_le_bytes()[plane as usize];
            self.bytes.extend(values.iter().map(byte));
        }
        self.listed
            .push(json!({ "name": name, "form": form, "count": values.len(), "planes": planes }));
    }

    pub(super) fn texts<'a>(&mut self, name: &str, values: impl IntoIterator<Item = &'a str>) {
        let (mut same, mut new, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = String::new();
        for value in values {
            let value = shown(value);
            let common = before.bytes().zip(value.bytes()).take_while(|(a, b)| a == b).count();
            same.push(common as u64);
            new.push((value.len() - common) as u64);
            bytes.extend_from_slice(&value.as_bytes()[common..]);
            before = value.into_owned();
        }
        self.planes(&format!("{name}.same"), "codes", &same);
        self.planes(&format!("{name}.new"), "codes", &new);
        let (count, length) = (same.len(), bytes.len());
        self.listed.push(json!({ "name": name, "form": "texts", "count": count, "bytes": length }));
        self.bytes.extend(bytes);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.header.insert("columns".to_owned(), Value::Array(self.listed));
        let header = Value::Object(self.header).to_string();
        let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
        [&length.to_le_bytes()[..], header.as_bytes(), &self.bytes].concat()
    }
}

/// The same value with texts in which nothing acts.
fn harmless(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(shown(&text).into_owned()),
        Value::Array(all) => all.into_iter().map(harmless).collect(),
        Value::Object(all) => {
            let field =
                |(name, value): (String, Value)| (shown(&name).into_owned(), harmless(value));
            Value::Object(all.into_iter().map(field).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 300 after 10 is a difference of 290, written as 580 = 0x0244; 10 after 0 is 20, and
    /// 299 after 300 is -1, written as 1. Lowest bytes first: 14 44 01, then 00 02 00.
    #[test]
    fn numbers_are_written_plane_by_plane() {
        let mut columns = Columns::new("test");
        columns.near("at", [10_u32, 300, 299]);
        let all = columns.finish();
        let header = u32::from_le_bytes(all[..4].try_into().unwrap()) as usize;
        assert_eq!(all[4 + header..], [0x14, 0x44, 0x01, 0x00, 0x02, 0x00]);
        let header: Value = serde_json::from_slice(&all[4..4 + header]).unwrap();
        assert_eq!(
            header["columns"],
            json!([{ "name": "at", "form": "near", "count": 3, "planes": 2 }])
        );
    }

    /// Sixty days are 5,184,000,000 ms, twice as much is 10,368,000,000 = 0x2_69FB_2000; a
    /// millisecond before is -1, written as 1.
    #[test]
    fn times_of_long_runs_keep_their_milliseconds() {
        let mut columns = Columns::new("test");
        columns.near("at", [5_184_000_000_u64, 5_183_999_999]);
        let all = columns.finish();
        assert!(all.ends_with(&[0x00, 1, 0x20, 0, 0xFB, 0, 0x69, 0, 0x02, 0]));
    }

    /// `web-2` has four bytes in common with `web-1`; what would turn the direction of a text is
    /// shown instead.
    #[test]
    fn texts_say_what_is_new_and_nothing_in_them_acts() {
        let mut columns = Columns::new("test");
        columns.texts("name", ["web-1", "web-2", "\u{202e}x"]);
        columns.set("title", json!(["a\u{202e}b"]));
        let all = columns.finish();
        let header = u32::from_le_bytes(all[..4].try_into().unwrap()) as usize;
        let bytes = &all[4 + header..];
        assert_eq!(bytes[..3], [0, 4, 0]);
        assert_eq!(bytes[3..6], [5, 1, 9]);
        assert_eq!(&bytes[6..], b"web-12\\u{202e}x");
        let header: Value = serde_json::from_slice(&all[4..4 + header]).unwrap();
        assert_eq!(header["title"], json!(["a\\u{202e}b"]));
    }
}
