//! What the program knows of the terminal: colours and width. Diagnostics go to standard error
//! through here.

use crate::api::words::rows;
use crate::files::{Escaped, Form, shown};
use crate::language::Problems;
use crate::report::text::fold;
use crate::report::{diagnostics, tables};
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

rows! {
    /// When to write colours.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
    pub(crate) enum ColorWhen {
        /// On a terminal; NO_COLOR and CLICOLOR_FORCE are heeded
        #[default]
        Auto = (ColorChoice::Auto, clap::ColorChoice::Auto),
        /// Always
        Always = (ColorChoice::Always, clap::ColorChoice::Always),
        /// Never
        Never = (ColorChoice::Never, clap::ColorChoice::Never),
    }

    /// The same for our output and for that of clap.
    pub(crate) fn choices -> (ColorChoice, clap::ColorChoice);
}

/// `--color`, which is read ahead of all else: mistakes in the rest are coloured, too.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ColorArg {
    /// When to write colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    #[arg(display_order = 1000)]
    color: ColorWhen,
}

/// The width of lines where there is no terminal to ask.
const WIDTH: usize = 100;
/// Lines are not made longer than this on a wide terminal: nobody reads across it.
const WIDTH_MAX: usize = 160;
/// Nor shorter than this on a narrow one.
const WIDTH_MIN: usize = 60;

/// Standard output, in which what others named is escaped.
type Out = Escaped<BufWriter<Heard>>;

/// Standard output, whose reader may go away: `taintsim … | head`. That is no error, and a command comes to what it
/// would come to for somebody who reads on.
#[derive(Debug)]
pub struct Heard(StdoutLock<'static>);

/// Whether the reader of standard output has gone.
static IS_UNREAD: AtomicBool = AtomicBool::new(false);

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_unread(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_unread(self.0.flush(), ())
    }
}

/// What became of a write, which is `done` where nobody reads it.
pub(crate) fn unless_unread<T>(became: io::Result<T>, done: T) -> io::Result<T> {
    match became {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            IS_UNREAD.store(true, Relaxed);
            Ok(done)
        }
        became => became,
    }
}

/// Whether nobody reads on, which ends what would go on for ever.
pub(crate) fn is_unread() -> bool {
    IS_UNREAD.load(Relaxed)
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default();

/// Where the program writes, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal {
    /// Whether standard output takes colours.
    pub(crate) colour: bool,
    /// Whether standard error takes colours.
    pub(crate) error_colour: bool,
    /// Whether standard error is a terminal.
    pub(crate) is_error_terminal: bool,
    /// How many characters fit into a line.
    pub(crate) width: usize,
    /// Whether notes and errors are folded, too: a terminal, or COLUMNS, says how wide. Otherwise
    /// each is one line, as readers of logs expect it.
    pub(crate) folds_notes: bool,
    /// Whether neither progress nor what only explains is shown.
    pub(crate) quiet: bool,
}

impl Terminal {
    /// Looks at the terminal.
    pub(crate) fn new(when: ColorWhen) -> Self {
        when.choices().0.write_global();
        let takes = |choice: ColorChoice| choice != ColorChoice::Never;
        let size = terminal_size::terminal_size_of(io::stdout())
            .or_else(|| terminal_size::terminal_size_of(io::stderr()));
        let columns = size.map(|(columns, _)| usize::from(columns.0)).or_else(asked_width);
        Self {
            colour: takes(AutoStream::choice(&io::stdout())),
            error_colour: takes(AutoStream::choice(&io::stderr())),
            is_error_terminal: io::stderr().is_terminal(),
            width: columns.unwrap_or(WIDTH).clamp(WIDTH_MIN, WIDTH_MAX),
            folds_notes: columns.is_some(),
            quiet: false,
        }
    }

    /// The same, for a command that is to show no progress where it is `quiet`.
    #[must_use]
    pub fn quietly(&self, quiet: bool) -> Self {
        Self { quiet, ..*self }
    }

    /// Standard output, for data; what others named is escaped in it. It has to be flushed at the
    /// end, so that its errors are seen.
    pub fn out(&self) -> Out {
        self.out_as(None)
    }

    /// Standard output for results, where they are a table in its form; it has to be flushed at the
    /// end.
    pub(crate) fn out_as(&self, table: Option<tables::Form>) -> Out {
        let is_binary = table == Some(tables::Form::Parquet);
        let form = if is_binary { Form::Binary } else { form(self.colour) };
        Escaped::new(BufWriter::with_capacity(1 << 16, Heard(io::stdout().lock())), form)
    }

    /// How text for people is laid out.
    pub(crate) fn style(&self) -> crate::report::Style {
        crate::report::Style { colour: self.colour, width: self.width }
    }

    /// Says that something went wrong, and what may help.
    pub(crate) fn error(&self, text: &str, help: Option<&str>) {
        let mut said =
            format!("{}: {}\n", self.painted("error", ERROR), self.folded(&shown(text), 7));
        if let Some(help) = help {
            said +=
                &format!("  {}: {}\n", self.painted("help", HELP), self.folded(&shown(help), 8));
        }
        say(&said);
    }

    /// A text that begins at a column, each of its lines folded to the width.
    fn folded(&self, text: &str, column: usize) -> String {
        if !self.folds_notes {
            return text.to_owned();
        }
        let fold_line = |(i, line): (usize, &str)| {
            let begins = if i == 0 { column } else { 0 };
            // What is laid out already, an excerpt say, stays as it is.
            if begins + line.chars().count() <= self.width || line.starts_with(' ') {
                return line.to_owned();
            }
            fold(line, self.width.saturating_sub(column)).join(&format!("\n{:column$}", ""))
        };
        text.lines().enumerate().map(fold_line).collect::<Vec<_>>().join("\n")
    }

    /// Says something that is neither data nor an error.
    pub fn note(&self, text: &str) {
        say(&format!("{}\n", self.folded(&shown(text), 0)));
    }

    /// Says what only explains, which nobody asked for: not where it is to be quiet.
    pub(crate) fn aside<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) {
        texts.into_iter().filter(|_| !self.quiet).for_each(|text| self.note(text.as_ref()));
    }

    /// Draws what is wrong with a scenario.
    pub(crate) fn problems(&self, problems: &Problems) {
        let draw = if self.folds_notes { diagnostics::draw_folded } else { diagnostics::draw };
        say(&draw(problems, self.error_colour, self.width));
    }

    fn painted(&self, text: &str, style: Style) -> String {
        if self.error_colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// What COLUMNS says, as a shell or the caller sets it.
#[expect(clippy::disallowed_methods, reason = "how wide lines are printed changes no result")]
fn asked_width() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.trim().parse().ok()
}

/// How a text is escaped that may have colours of ours.
pub(crate) fn form(colour: bool) -> Form {
    if colour { Form::Coloured } else { Form::Plain }
}

/// Writes to standard error. If that fails, there is no other place to report it.
fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
