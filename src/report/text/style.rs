//! How texts look, their width, colours, folding and counted nouns, and what prints them.

use crate::files::line;
use crate::report::files::Written;
use anstyle::{AnsiColor, Style as Ansi};
use std::borrow::Cow;
use std::io::{self, Write};

/// How the text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether to write colours.
    pub colour: bool,
    /// How many characters fit into a line; what is longer is continued below its column.
    pub width: usize,
}

impl Default for Style {
    /// Without colours, 100 characters wide.
    fn default() -> Self {
        Style { colour: false, width: 100 }
    }
}

pub(crate) const BOLD: Ansi = Ansi::new().bold();
pub(crate) const DIM: Ansi = Ansi::new().dimmed();
pub(crate) const RED: Ansi = AnsiColor::Red.on_default().bold();
pub(crate) const YELLOW: Ansi = AnsiColor::Yellow.on_default();
pub(crate) const GREEN: Ansi = AnsiColor::Green.on_default();
pub(super) const MAGENTA: Ansi = AnsiColor::Magenta.on_default();
pub(crate) const PLAIN: Ansi = Ansi::new();

/// A text in a colour, where the style has colours.
pub(crate) fn painted(text: &str, ansi: Ansi, style: Style) -> String {
    if style.colour && !ansi.is_plain() { format!("{ansi}{text}{ansi:#}") } else { text.to_owned() }
}

/// Breaks a text between words into lines of at most `room` characters; a longer word has a line of
/// its own. A number and its per cent stay together.
pub(crate) fn fold(text: &str, room: usize) -> Vec<String> {
    const TOGETHER: &str = "\u{a0}%";
    let options = textwrap::Options::new(room)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    if !text.contains(" %") {
        return textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect();
    }
    let text = text.replace(" %", TOGETHER);
    textwrap::wrap(&text, options).iter().map(|line| line.replace(TOGETHER, " %")).collect()
}

/// Texts one behind the other; none where there are none.
pub(crate) fn joined(texts: impl IntoIterator<Item = String>, between: &str) -> Option<String> {
    texts.into_iter().reduce(|all, text| all + between + &text)
}

/// A column that explains is not narrower than this, however narrow the terminal is.
const NARROWEST: usize = 16;

/// What prints.
pub(crate) struct Printer<'o> {
    pub(crate) out: &'o mut dyn Write,
    pub(crate) style: Style,
    /// The room that a folded text has at least, however far right it begins.
    narrowest: usize,
}

impl<'o> Printer<'o> {
    pub(crate) fn new(out: &'o mut dyn Write, style: Style) -> Self {
        Printer { out, style, narrowest: NARROWEST }
    }

    /// Prints whole sentences from here on, which read badly in less room.
    pub(crate) fn of_sentences(&mut self) {
        self.narrowest = 30;
    }

    /// A text in a colour, where there are colours.
    pub(crate) fn painted(&self, text: &str, ansi: Ansi) -> String {
        painted(text, ansi, self.style)
    }

    /// Writes a text that begins at that column, folded between words to the width.
    pub(crate) fn folded(&mut self, text: &str, column: usize, ansi: Ansi) -> io::Result<()> {
        let room = self.style.width.saturating_sub(column).max(self.narrowest);
        for (i, line) in fold(text, room).iter().enumerate() {
            if i > 0 {
                write!(self.out, "{:column$}", "")?;
            }
            writeln!(self.out, "{}", self.painted(line, ansi))?;
        }
        Ok(())
    }

    /// Writes an indented text, folded between words to the width.
    pub(crate) fn indented(&mut self, text: &str, indent: usize, ansi: Ansi) -> io::Result<()> {
        write!(self.out, "{:indent$}", "")?;
        self.folded(text, indent, ansi)
    }

    /// The notes of a plan, each in a paragraph of its own below a title.
    pub(crate) fn notes(&mut self, notes: &[String]) -> io::Result<()> {
        notes.iter().try_for_each(|note| self.indented(&line(note), 2, YELLOW))
    }

    /// The title of a part.
    pub(crate) fn title(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", self.painted(text, BOLD))
    }

    /// The title of a part, below an empty line.
    pub(crate) fn part(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out)?;
        self.title(text)
    }

    /// Where the files of a result are.
    pub(crate) fn files(&mut self, written: &Written) -> io::Result<()> {
        let text = format!("Files in {}: {}", written.folder.display(), written.names().join(", "));
        self.folded(&text, 0, PLAIN)
    }

    /// A line of a list: its name, and what is said.
    pub(super) fn line(&mut self, name: &str, said: &str) -> io::Result<()> {
        write!(self.out, "  {name:<18}")?;
        self.folded(said, 20, PLAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `about 67` would have room in the first line.
    #[test]
    fn a_number_keeps_its_per_cent() {
        assert_eq!(fold("about 67 % of all", 8), ["about", "67 % of", "all"]);
    }
}
