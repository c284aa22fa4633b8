//! The words of RON: names, texts, numbers, and the blanks and comments between them.

use super::mistake::Mistake;

/// Reads one word after the other.
pub(super) struct Words<'a> {
    /// All of the text.
    pub(super) text: &'a str,
    /// How many of its bytes were read.
    pub(super) at: usize,
}

impl<'a> Words<'a> {
    /// What is still to be read.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Reads this character if it comes next; whether it does.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// What is wrong with what comes next.
    pub(super) fn wrong(&self, text: impl Into<String>) -> Mistake {
        Mistake::said(text).at(self.at, self.at..self.at)
    }

    /// What helps where the quotes of a word processor stand in this line.
    pub(super) fn curly(&self) -> Option<String> {
        let at = self.text.floor_char_boundary(self.at);
        let start = self.text[..at].rfind('\n').map_or(0, |i| i + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let is_so = line.contains(['“', '”', '„']) || self.text[at..].starts_with(['‘', '’']);
        is_so.then(|| "texts stand in straight quotes, `\"…\"`, not in curly ones".to_owned())
    }

    /// Skips spaces and comments.
    pub(super) fn blank(&mut self) -> Result<(), Mistake> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(is_blank).len();
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                self.comment()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Skips a comment in which others may stand.
    fn comment(&mut self) -> Result<(), Mistake> {
        let unclosed = self.wrong("unclosed block comment");
        let (bytes, mut open) = (self.text.as_bytes(), 0_usize);
        loop {
            match bytes.get(self.at..self.at + 2) {
                Some(b"/*") => open += 1,
                Some(b"*/") => open -= 1,
                Some(_) => {
                    self.at += 1;
                    continue;
                }
                None => return Err(unclosed),
            }
            self.at += 2;
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// The name of a field if one stands here, with its colon still to come: `pod_gc`, and also
    /// `kube-apiserver` and `"kube-apiserver"`, which mean `kube_apiserver`.
    pub(super) fn field_name(&mut self) -> Result<Option<String>, Mistake> {
        let start = self.at;
        let name =
            if self.peek() == Some('"') { Some(self.string()?) } else { self.dashed_identifier() };
        let end = self.at;
        let is_name = name.is_some() && {
            self.blank()?;
            self.peek() == Some(':')
        };
        self.at = if is_name { end } else { start };
        Ok(name.filter(|_| is_name).map(|n| n.replace('-', "_")))
    }

    /// An identifier, in which dashes may stand.
    pub(super) fn dashed_identifier(&mut self) -> Option<String> {
        let mut name = self.identifier()?.to_owned();
        while self.eat('-') {
            name.push('-');
            name.push_str(self.identifier()?);
        }
        Some(name)
    }

    /// A name, without the `r#` that may stand before it.
    pub(super) fn identifier(&mut self) -> Option<&'a str> {
        let is_raw = self.rest().starts_with("r#");
        let body = if is_raw { self.at + 2 } else { self.at };
        let rest = &self.text[body..];
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        self.at = body + length;
        Some(&rest[..length])
    }

    /// A number, or what begins like one.
    pub(super) fn number(&mut self) -> &'a str {
        self.take("+-._")
    }

    /// A word, with what no word of RON has: a text without its quotes is told by what it should be, `pod-stuck`,
    /// `v1.34`, `a=b:NoExecute`.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        let word = self.identifier()?;
        self.at -= word.len();
        let (start, word) = (self.at, self.take("-._:="));
        self.at = start + word.trim_end_matches([':', '=']).len();
        Some(&self.text[start..self.at])
    }

    /// What stands here of letters, digits and these.
    fn take(&mut self, others: &str) -> &'a str {
        let rest = self.rest();
        let ends = |c: char| !(c.is_alphanumeric() || others.contains(c));
        let length = rest.find(ends).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// A character in single quotes, as written.
    pub(super) fn character(&mut self) -> Result<&'a str, Mistake> {
        let rest = self.rest();
        let skip = if rest[1..].starts_with('\\') { 3 } else { 2 };
        let close = rest.char_indices().skip(skip).find(|(_, c)| *c == '\'');
        let length = close.ok_or_else(|| self.wrong("expected char"))?.0 + 1;
        self.at += length;
        Ok(&rest[..length])
    }

    /// A text in quotes, with its escapes resolved.
    pub(super) fn string(&mut self) -> Result<String, Mistake> {
        let unclosed =
            Mistake::said("this text has no closing quote").at(self.at, self.at..self.at + 1);
        self.at += 1;
        let mut content = Vec::new();
        loop {
            let rest = self.rest();
            let Some(length) = rest.find(['"', '\\']) else { return Err(unclosed) };
            content.extend_from_slice(&rest.as_bytes()[..length]);
            let escape = self.at + length;
            self.at = escape + 1;
            if rest.as_bytes()[length] == b'"' {
                // Bytes that are written one by one may be no text.
                let wrong = || Mistake::said("not a valid byte-escaped Unicode character");
                return String::from_utf8(content).map_err(|_| wrong().at(escape, escape..self.at));
            }
            self.escape(&mut content)
                .map_err(|what| Mistake::said(what).at(escape, escape..self.at))?;
        }
    }

    /// What stands for something else, behind its backslash.
    fn escape(&mut self, content: &mut Vec<u8>) -> Result<(), &'static str> {
        let c = self.peek().ok_or("this text has no closing quote")?;
        self.at += c.len_utf8();
        match c {
            '\'' | '"' | '\\' => content.push(c as u8),
            'n' => content.push(b'\n'),
            'r' => content.push(b'\r'),
            't' => content.push(b'\t'),
            '0' => content.push(b'\0'),
            'x' => {
                let digits = self.rest().get(..2).filter(|d| is_hex(d));
                let byte = digits.and_then(|d| u8::from_str_radix(d, 16).ok());
                content.push(byte.ok_or("non-hex digit found")?);
                self.at += 2;
            }
            'u' => {
                let inside = self.rest().strip_prefix('{').and_then(|r| {
                    let length = r.as_bytes().iter().take(7).position(|b| *b == b'}')?;
                    Some(&r[..length])
                });
                let inside = inside.filter(|d| is_hex(d));
                let c = inside
                    .and_then(|d| u32::from_str_radix(d, 16).ok())
                    .and_then(char::from_u32)
                    .ok_or("not a valid Unicode-escaped character")?;
                content.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                self.at += inside.map_or(0, str::len) + 2;
            }
            // A text goes on in the next line.
            '\n' => self.skip_indent(),
            '\r' if self.eat('\n') => self.skip_indent(),
            _ => return Err("unknown escape character"),
        }
        Ok(())
    }

    fn skip_indent(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// A text without escapes, `r"…"` or `r#"…"#`, if one stands here.
    pub(super) fn raw_string(&mut self) -> Result<Option<String>, Mistake> {
        let Some(rest) = self.rest().strip_prefix('r') else { return Ok(None) };
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let Some(body) = rest[hashes..].strip_prefix('"') else { return Ok(None) };
        let close = format!("\"{}", "#".repeat(hashes));
        let length = body.find(&close).ok_or_else(|| {
            Mistake::said("this text has no closing quote").at(self.at, self.at..self.at + 1)
        })?;
        self.at += 1 + hashes + 1 + length + close.len();
        Ok(Some(body[..length].to_owned()))
    }
}

fn is_hex(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// What RON takes for white space.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r' | '\u{85}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
}

/// A whole number as it may be written: `-5`, `1_000`, `0xff`; the nearest that there is where it
/// is too large.
pub(super) fn whole(word: &str) -> Option<i128> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let (base, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ => (10, digits),
    };
    if digits.is_empty() || digits.starts_with('_') {
        return None;
    }
    let mut number = 0_i128;
    for c in digits.chars().filter(|c| *c != '_') {
        let digit = i128::from(c.to_digit(base)?);
        number = number.saturating_mul(i128::from(base)).saturating_add(digit);
    }
    Some(if word.starts_with('-') { -number } else { number })
}

/// A number with a fraction or an exponent, or without either.
pub(super) fn fraction(word: &str) -> Option<f64> {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    if matches!(unsigned, "inf" | "NaN") {
        return word.parse().ok();
    }
    // An underscore stands behind a digit.
    let odd = |(i, c): (usize, char)| match c {
        '_' => !unsigned[..i].ends_with(|c: char| c.is_ascii_digit() || "eE_".contains(c)),
        c => !(c.is_ascii_digit() || "eE.+-".contains(c)),
    };
    if unsigned.char_indices().any(odd) {
        return None;
    }
    word.replace('_', "").parse().ok()
}
