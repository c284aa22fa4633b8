//! How far a command is: a bar on a terminal, a plain line every few seconds elsewhere, nothing in
//! the first second.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "progress is told by the clock of the wall, on stderr only, and by several threads in a sweep"
)]

use super::interrupt;
use super::terminal::Terminal;
use crate::files::line;
use crate::lab::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Runs shorter than this show nothing.
const QUIET_FOR: Duration = Duration::from_secs(1);
/// The time between two lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// How long something takes, by the clock on the wall.
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// It begins now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since then.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Shows how far a command is. Threads may share it.
pub struct Progress {
    terminal: Terminal,
    name: String,
    /// Says how much of how much is done.
    words: fn(done: u64, all: u64) -> String,
    all: u64,
    counted: AtomicU64,
    begun: Instant,
    shown: Mutex<Shown>,
}

/// What is on the screen.
struct Shown {
    /// Nothing is to be shown.
    quiet: bool,
    bar: Option<ProgressBar>,
    next: Duration,
}

impl Progress {
    /// Nothing is done yet; `all` is 0 where nobody knows how much there is. Where the terminal is
    /// quiet, nothing will ever be shown.
    pub fn new(terminal: &Terminal, name: &str, all: u64, words: fn(u64, u64) -> String) -> Self {
        let shown = Shown { quiet: terminal.quiet, bar: None, next: QUIET_FOR };
        Self {
            terminal: *terminal,
            name: line(name).into_owned(),
            words,
            all,
            counted: AtomicU64::new(0),
            begun: Instant::now(),
            shown: Mutex::new(shown),
        }
    }

    /// Says something else, in a line of its own.
    pub(crate) fn note(&self, text: &str) {
        if !self.shown.lock().unwrap_or_else(PoisonError::into_inner).quiet {
            self.terminal.note(text);
        }
    }

    /// Says how much is done.
    pub fn set(&self, done: u64) {
        let elapsed = self.begun.elapsed();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.quiet || elapsed < shown.next {
            return;
        }
        let words = (self.words)(done, self.all);
        if self.terminal.is_error_terminal {
            let bar = shown.bar.get_or_insert_with(|| self.bar());
            bar.set_message(words);
            bar.set_position(done);
            // The bar itself draws no more often than eyes can see.
            return;
        }
        let percent = done.saturating_mul(100).checked_div(self.all);
        let part = percent.map_or(String::new(), |percent| format!(" ({percent}%)"));
        self.terminal.note(&format!("{}: {words}{part}", self.name));
        shown.next = elapsed + BETWEEN_LINES;
    }

    /// Counts runs as they are done; false once Ctrl-C was pressed.
    pub(crate) fn goes_on(&self, event: Event) -> bool {
        let one = u64::from(event == Event::Done);
        self.reaches(self.counted.fetch_add(one, Relaxed) + one)
    }

    /// Says how much is done; false once Ctrl-C was pressed.
    pub(crate) fn reaches(&self, done: u64) -> bool {
        self.set(done);
        !interrupt::asked()
    }

    /// Does what it shows, which ends soon after Ctrl-C. Nothing is shown any more then.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let came = interrupt::heeding(work);
        self.clear();
        came
    }

    /// How many were counted.
    pub(crate) fn counted(&self) -> u64 {
        self.counted.load(Relaxed)
    }

    /// All is done, and now something else is.
    pub(crate) fn then(&self, words: &str) {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &shown.bar {
            bar.set_position(self.all);
            bar.set_message(words.to_owned());
            bar.tick();
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.quiet = true;
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn bar(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(self.all), ProgressDrawTarget::stderr())
            .with_elapsed(self.begun.elapsed());
        let template = if self.all == 0 {
            "{prefix} {msg}"
        } else {
            "{prefix} {bar:32.cyan/dim} {msg}, {eta} left"
        };
        // The template is a constant; if it were wrong there would still be a bar.
        bar.set_style(
            ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━╸─"),
        );
        bar.set_prefix(self.name.clone());
        bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
