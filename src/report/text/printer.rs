//! What prints a report: texts in colour, folded to the width.

use super::style::{PLAIN, Style, YELLOW, fold, painted};
use crate::files::line;
use anstyle::Style as Ansi;
use std::io::{self, Write};

/// A column that explains is not narrower than this, however narrow the terminal is.
pub(super) const NARROWEST: usize = 16;

/// What prints.
pub(crate) struct Printer<'o> {
    pub(crate) out: &'o mut dyn Write,
    pub(crate) style: Style,
}

impl Printer<'_> {
    /// A text in a colour, where there are colours.
    pub(crate) fn painted(&self, text: &str, ansi: Ansi) -> String {
        painted(text, ansi, self.style)
    }

    /// Writes a text that begins at that column, folded between words to the width.
    pub(crate) fn folded(&mut self, text: &str, column: usize, ansi: Ansi) -> io::Result<()> {
        let room = self.style.width.saturating_sub(column).max(NARROWEST);
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
        for note in notes {
            self.indented(&line(note), 2, YELLOW)?;
        }
        Ok(())
    }

    /// A line of a list: its name, and what is said.
    pub(super) fn line(&mut self, name: &str, said: &str) -> io::Result<()> {
        write!(self.out, "  {name:<18}")?;
        self.folded(said, 20, PLAIN)
    }
}
