//! What prints differences: the layout, and the parts that both kinds of differences have.

use crate::analysis::diff::{Noise, SettingChange, Settings};
use crate::analysis::words::ranges;
use crate::files::called;
use crate::report::results::*;
use crate::report::{Source, not_whole_yet};
use unicode_width::UnicodeWidthStr;

/// Rows of a part of the text; the rest is counted.
pub(super) const ROWS: usize = 40;
/// The most settings that are listed in each part.
const SETTINGS: usize = 40;

/// The line on a side: where it comes from, and what was changed in it.
pub(super) fn header(plan: &Plan, source: &Source, seeds: &str) -> String {
    let release = plan.profile.released();
    let (file, timing) = (called(&source.file), &plan.timing.name);
    let is_told =
        |s: &&String| ["kubernetes=", "timing=", "seed="].iter().any(|of| s.starts_with(of));
    let set = source.set.iter().filter(|s| !is_told(s)).map(|s| format!(", {s}"));
    format!("{file}: Kubernetes {release}, timing {timing}, {seeds}{}", set.collect::<String>())
}

/// What a person should know of how two plans came about, each sentence once, and of what was not whole in
/// their runs.
pub(super) fn notes([a, b]: [&Plan; 2], late: &[Vec<Vec<String>>; 2]) -> Vec<String> {
    let of_b = b.notes.iter().filter(|n| !a.notes.contains(n));
    let rows = ["A", "B"].iter().zip(late).map(|(side, runs)| ((*side).to_owned(), runs.clone()));
    let late = not_whole_yet("side", &rows.collect::<Vec<_>>());
    a.notes.iter().chain(of_b).cloned().chain(late).collect()
}

impl Printer<'_> {
    /// Where the sides come from, and what a person should know of them.
    pub(super) fn sides(&mut self, sides: [String; 2], notes: &[String]) -> io::Result<()> {
        for (letter, line) in ["A", "B"].into_iter().zip(sides) {
            write!(self.out, "{}  ", self.painted(letter, BOLD))?;
            self.folded(&line, 3, PLAIN)?;
        }
        notes.iter().try_for_each(|note| self.indented(note, 3, YELLOW))?;
        writeln!(self.out)
    }

    /// What was set differently, and what only one side has: the causes, which come first.
    pub(super) fn causes(&mut self, s: &Settings) -> io::Result<()> {
        self.own_settings(s)?;
        self.objects(s)
    }

    /// The settings that differ, those that are not written in a file too: another release has other
    /// defaults.
    fn own_settings(&mut self, s: &Settings) -> io::Result<()> {
        let list = &s.others;
        if list.is_empty() {
            return Ok(());
        }
        self.title("Settings that differ")?;
        let said = |v: &Option<String>| v.clone().unwrap_or_else(|| "-".to_owned());
        let shown = &list[..list.len().min(SETTINGS)];
        let width = |of: &dyn Fn(&SettingChange) -> usize| shown.iter().map(of).max().unwrap_or(0);
        let name = width(&|c| c.name.width());
        let [a, b] = [width(&|c| said(&c.a).width()), width(&|c| said(&c.b).width())];
        for c in shown {
            if name + a + b + 6 > self.style.width {
                self.of_sides(&c.name, ["A", "B"], [&said(&c.a), &said(&c.b)])?;
            } else {
                writeln!(self.out, "  {:name$}  {:a$}  {}", c.name, said(&c.a), said(&c.b))?;
            }
        }
        if list.len() > SETTINGS {
            writeln!(self.out, "  {} more", list.len() - SETTINGS)?;
        }
        writeln!(self.out)
    }

    /// What the releases themselves do differently.
    pub(super) fn switches(&mut self, s: &Settings) -> io::Result<()> {
        if s.switches.is_empty() {
            return Ok(());
        }
        self.title("Internal switches of the releases that differ")?;
        let sides = s.release.as_ref().map_or(["first", "second"], |(a, b)| [a, b]);
        let sides = sides.map(|side| side.trim_start_matches('v'));
        for c in s.switches.iter().take(SETTINGS) {
            let name = || (c.name.clone(), [&c.a, &c.b].map(|v| v.clone().unwrap_or_default()));
            let (about, values) = c.prose.clone().unwrap_or_else(name);
            self.of_sides(&about, sides, values.each_ref().map(String::as_str))?;
        }
        if s.switches.len() > SETTINGS {
            writeln!(self.out, "  {} more; `-o json` has them all", s.switches.len() - SETTINGS)?;
        }
        writeln!(self.out)
    }

    /// What holds on each side, below what it is about.
    fn of_sides(&mut self, about: &str, sides: [&str; 2], values: [&str; 2]) -> io::Result<()> {
        self.indented(about, 2, PLAIN)?;
        sides.iter().zip(values).try_for_each(|(side, value)| {
            write!(self.out, "    {side}: ")?;
            self.folded(value, side.len() + 6, DIM)
        })
    }

    /// One line for each sort of noise.
    pub(super) fn noise(&mut self, found: &[(Noise, String, u64)]) -> io::Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        self.title("Noise")?;
        for (noise, said) in [
            (Noise::Slight, "less than a second earlier or later"),
            (Noise::Another, "another object of the same kind instead"),
            (Noise::Words, "the same in other words"),
        ] {
            let of: Vec<&(Noise, String, u64)> = found.iter().filter(|f| f.0 == noise).collect();
            if !of.is_empty() {
                let all: u64 = of.iter().map(|f| f.2).sum();
                let whats = of.iter().map(|(_, what, n)| format!("{} × {what}", grouped(*n)));
                let whats = whats.collect::<Vec<_>>().join(", ");
                write!(self.out, "  ")?;
                self.folded(&format!("{} {said}: {whats}", grouped(all)), 4, DIM)?;
            }
        }
        writeln!(self.out)
    }

    fn objects(&mut self, s: &Settings) -> io::Result<()> {
        if !s.objects_differ() {
            return Ok(());
        }
        self.title("Only in one of the clusters")?;
        let all = [("nodes", &s.nodes), ("pods", &s.pods), ("entries of the timeline", &s.entries)];
        for (what, sides) in all {
            for (letter, names) in ["A", "B"].into_iter().zip(sides) {
                if !names.is_empty() {
                    write!(self.out, "  {letter}  ")?;
                    self.folded(&format!("{what}: {}", ranges(names)), 5, PLAIN)?;
                }
            }
        }
        writeln!(self.out)
    }
}
