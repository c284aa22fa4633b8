//! The words of RON: names, texts, numbers, and the blanks and comments between them.

/// Reads one word after the other.
pub(crate) struct Reader<'a> {
    /// All of the text.
    pub(crate) text: &'a str,
    /// How many of its bytes were read.
    pub(crate) at: usize,
}

impl Reader<'_> {
    /// What is still to be read.
    pub(crate) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The next character.
    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Reads this character if it comes next; whether it does.
    pub(crate) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// Skips spaces and comments; nothing if a block comment never ends.
    pub(crate) fn blank(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            let skipped = rest.len() - rest.trim_start().len();
            self.at += skipped;
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                self.at += 2;
                let mut open = 1;
                while open > 0 {
                    let next = self.rest().find("*/")?;
                    match self.rest()[..next].find("/*") {
                        Some(inner) => (self.at, open) = (self.at + inner + 2, open + 1),
                        None => (self.at, open) = (self.at + next + 2, open - 1),
                    }
                }
            } else if skipped == 0 {
                return Some(());
            }
        }
    }

    /// The name of a field if one stands here, with its colon still to come. A name with dashes is
    /// read as `undashed` writes it.
    pub(crate) fn field_name(&mut self) -> Option<String> {
        let start = self.at;
        let name = if self.peek() == Some('"') {
            self.string()
        } else {
            self.dashed_identifier()
        };
        let end = self.at;
        let colon = name.is_some() && self.blank().is_some() && self.peek() == Some(':');
        self.at = if colon { end } else { start };
        name.filter(|_| colon).map(|n| n.replace('-', "_"))
    }

    /// An identifier, in which dashes may stand as in `kube-apiserver`.
    fn dashed_identifier(&mut self) -> Option<String> {
        let mut name = self.identifier()?;
        while self.rest().starts_with('-') {
            self.at += 1;
            name.push('-');
            name.push_str(&self.identifier()?);
        }
        Some(name)
    }

    /// A name; `r#` may stand before it.
    pub(crate) fn identifier(&mut self) -> Option<String> {
        let start = self.at;
        let raw = self.rest().starts_with("r#");
        let body = if raw { start + 2 } else { start };
        let length = self.text[body..]
            .char_indices()
            .find(|&(_, c)| !(c.is_alphanumeric() || c == '_' || raw && "+-.".contains(c)))
            .map_or(self.text.len() - body, |(i, _)| i);
        if length == 0 {
            return None;
        }
        self.at = body + length;
        Some(self.text[body..self.at].to_owned())
    }

    /// A number.
    pub(crate) fn number(&mut self) {
        let rest = self.rest();
        self.at += rest
            .find(|c: char| !(c.is_alphanumeric() || "+-._".contains(c)))
            .unwrap_or(rest.len());
    }

    /// A character in single quotes.
    pub(crate) fn character(&mut self) -> Option<()> {
        let rest = &self.rest()[1..];
        let skip = if rest.starts_with('\\') {
            2
        } else {
            rest.chars().next()?.len_utf8()
        };
        self.at += 1 + skip + rest.get(skip..)?.find('\'')? + 1;
        Some(())
    }

    /// A text in quotes, with simple escapes resolved: enough to compare keys.
    pub(crate) fn string(&mut self) -> Option<String> {
        if !self.eat('"') {
            return None;
        }
        let mut content = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Some(content);
                }
                '\\' => content.extend(chars.next().map(|(_, c)| c)),
                c => content.push(c),
            }
        }
        None
    }

    /// A text without escapes, `r"…"` or `r#"…"#`.
    pub(crate) fn raw_string(&mut self) -> Option<()> {
        let rest = self.rest().strip_prefix('r')?;
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let body = rest[hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        let length = body.find(&close)?;
        self.at += 1 + hashes + 1 + length + close.len();
        Some(())
    }
}
