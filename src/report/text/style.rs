//! How texts look: width, colours, folding, counted nouns.

use anstyle::{AnsiColor, Style as Ansi};
use std::borrow::Cow;

pub(crate) use crate::analysis::counted;

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
/// its own.
pub(crate) fn fold(text: &str, room: usize) -> Vec<String> {
    let options = textwrap::Options::new(room)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect()
}
