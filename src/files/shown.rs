//! Texts that a person or a cluster wrote, as others may see them: nothing in them moves a cursor,
//! sets a title, turns the direction of what follows, breaks a line or is a formula.
//!
//! What is written as a whole goes through [`Escaped`], which knows nothing of what stands where:
//! no form that the program writes has such characters of its own. What must stay on its line goes
//! through [`line()`] first.

use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a character does something instead of showing something: controls, marks of direction,
/// separators of lines.
pub(crate) fn acts(c: char) -> bool {
    matches!(c,
        '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

/// What standard input is called wherever the name of a file would stand.
pub(crate) const STDIN: &str = "stdin";

/// What people call an input of the command line; `-` is standard input.
pub(crate) fn called(file: &str) -> &str {
    if file == "-" { STDIN } else { file }
}

/// A text of one or several lines, with `\u{1b}` for an escape character, and so on.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, acts)
}

/// A text that stays on its line: as [`shown()`], with `\n` for the end of a line.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| acts(c) || c == '\n' || c == '\t')
}

fn escaped(text: &str, bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if bad(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// A field of text in a CSV file. Spreadsheets take what begins with one of these characters for a
/// formula, unless an apostrophe stands before it, which they do not show.
pub(crate) fn cell(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The form of what is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Text of any kind: for people, CSV, SVG, log lines.
    Plain,
    /// Text for a terminal, in which the program's own colours pass.
    Coloured,
    /// JSON, in which such characters stand in strings alone.
    Json,
    /// Not text at all.
    Binary,
}

/// A writer that lets no character pass that does something instead of showing something.
#[derive(Debug)]
pub struct Escaped<W: Write> {
    out: W,
    form: Form,
    /// The beginning of a character, or of a colour, whose rest comes with the next write.
    begun: Vec<u8>,
}

/// The bytes that begin a character that acts: looked up, as every byte of every file goes through
/// here.
const MAY_ACT: [bool; 256] = {
    let mut all = [false; 256];
    let mut b = 0;
    while b < 256 {
        all[b] = matches!(b, 0..=0x08 | 0x0b..=0x1f | 0x7f | 0xc2 | 0xd8 | 0xe2 | 0xef | 0xf3);
        b += 1;
    }
    all
};

/// No colour of ours is longer.
const COLOUR_BYTES_MAX: usize = 24;

impl<W: Write> Escaped<W> {
    /// Writes to `out`.
    pub fn new(out: W, form: Form) -> Self {
        Self { out, form, begun: Vec::new() }
    }

    /// Writes what was begun and does not go on.
    ///
    /// # Errors
    /// Those of what it writes to.
    fn end(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        match begun.split_first() {
            Some((0x1b, rest)) => {
                self.escape('\x1b')?;
                self.out.write_all(rest)
            }
            _ => self.out.write_all(&begun),
        }
    }

    fn escape(&mut self, c: char) -> io::Result<()> {
        match self.form {
            Form::Json => {
                let mut units = [0; 2];
                c.encode_utf16(&mut units)
                    .iter()
                    .try_for_each(|unit| write!(self.out, "\\u{unit:04x}"))
            }
            _ => write!(self.out, "{}", c.escape_default()),
        }
    }

    /// Writes whole characters, and gives how many bytes it took; the rest is the beginning of one.
    fn characters(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (mut done, mut at) = (0, 0);
        while at < bytes.len() {
            if !MAY_ACT[usize::from(bytes[at])] {
                at += 1;
                continue;
            }
            let length = match bytes[at] {
                0xc2 | 0xd8 => 2,
                0xe2 | 0xef => 3,
                0xf3 => 4,
                0x1b if self.form == Form::Coloured => colour(&bytes[at..]),
                _ => 1,
            };
            let Some(found) = bytes.get(at..at + length).filter(|_| length > 0) else {
                self.out.write_all(&bytes[done..at])?;
                return Ok(at);
            };
            let is_colour = found[0] == 0x1b && length > 1;
            let c = std::str::from_utf8(found).ok().and_then(|s| s.chars().next());
            if let Some(c) = c.filter(|c| acts(*c) && !is_colour) {
                self.out.write_all(&bytes[done..at])?;
                self.escape(c)?;
                done = at + length;
            }
            at += length;
        }
        self.out.write_all(&bytes[done..])?;
        Ok(bytes.len())
    }
}

/// How long the colour is that begins here: `ESC [ 1;31 m`. One byte if it is none, and nothing if
/// its end is still to be written.
fn colour(bytes: &[u8]) -> usize {
    for (i, b) in bytes.iter().enumerate().skip(1).take(COLOUR_BYTES_MAX) {
        match (i, b) {
            (1, b'[') => {}
            (1, _) => return 1,
            (_, b'm') => return i + 1,
            (_, b'0'..=b'9' | b';') => {}
            _ => return 1,
        }
    }
    if bytes.len() > COLOUR_BYTES_MAX { 1 } else { 0 }
}

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.form == Form::Binary {
            return self.out.write(bytes);
        }
        let mut all = Cow::Borrowed(bytes);
        if !self.begun.is_empty() {
            all = Cow::Owned([std::mem::take(&mut self.begun), bytes.to_vec()].concat());
        }
        let done = self.characters(&all)?;
        self.begun.extend_from_slice(&all[done..]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Drop for Escaped<W> {
    fn drop(&mut self) {
        // Nothing of ours ends in the middle of a character.
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(form: Form, pieces: &[&[u8]]) -> String {
        let mut bytes = Vec::new();
        let mut out = Escaped::new(&mut bytes, form);
        pieces.iter().for_each(|p| out.write_all(p).unwrap());
        drop(out);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_acts_is_written_out() {
        let text = "a\u{1b}[2Jb\u{9b}c\u{202e}d\u{7f}\r\tä…─\u{e0041}\n";
        assert_eq!(shown(text), "a\\u{1b}[2Jb\\u{9b}c\\u{202e}d\\u{7f}\\r\tä…─\\u{e0041}\n");
        assert_eq!(line("a\nb\t"), "a\\nb\\t");
        assert_eq!(through(Form::Plain, &[text.as_bytes()]), shown(text));
        // Wherever it is cut.
        for at in 0..text.len() {
            let (a, b) = text.as_bytes().split_at(at);
            assert_eq!(through(Form::Plain, &[a, b]), shown(text), "at {at}");
        }
    }

    #[test]
    fn colours_pass_where_there_are_colours() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{1b}[2J";
        let passed = "\u{1b}[1;31mred\u{1b}[0m \\u{1b}]0;title\\u{7} \\u{1b}[2J";
        for at in 0..text.len() {
            let (a, b) = text.as_bytes().split_at(at);
            assert_eq!(through(Form::Coloured, &[a, b]), passed, "at {at}");
        }
        assert_eq!(through(Form::Coloured, &["\u{1b}[3".as_bytes()]), "\\u{1b}[3");
        assert!(!through(Form::Plain, &[text.as_bytes()]).contains('\u{1b}'));
    }

    #[test]
    fn json_stays_json() {
        let text = serde_json::to_string("\u{9b}\u{202e}\u{7f}\u{e0041}\u{1b}ä").unwrap();
        let written = through(Form::Json, &[text.as_bytes()]);
        assert_eq!(written, r#""\u009b\u202e\u007f\udb40\udc41\u001bä""#);
        assert_eq!(
            serde_json::from_str::<String>(&written).unwrap(),
            "\u{9b}\u{202e}\u{7f}\u{e0041}\u{1b}ä"
        );
    }

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1", "+1", "-1", "@a", "\t=1", "\r=1"] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        assert_eq!(cell("a=1"), "a=1");
    }
}
