//! The difference of two runs, or of two sides over many seeds, as text and as JSON.
//!
//! What a person must know first comes first: what it costs, then who was evicted, pending,
//! tainted; noise behind that, and at the end what was set differently, with what the releases
//! themselves do differently last.

mod costs;
mod json;
mod seeds;

pub use json::{document, over_seeds};
pub use seeds::{SeedSide, write as write_over_seeds};

use super::clock::{absolute, short};
use super::text::{BOLD, DIM, GREEN, PLAIN, RED, Style, YELLOW, counted, fold, painted};
use crate::analysis::diff::{
    Change, Difference, Fate, Group, Noise, Occurrence, Pair, SettingChange, Settings,
};
use crate::analysis::words::{self, ranges};
use crate::analysis::{Analysis, causes, grouped};
use crate::kernel::{Dur, Time};
use crate::plan::Plan;
use crate::report::Source;
use crate::trace::RecordId;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// One of the two runs.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The run.
    pub analysis: &'a Analysis<'a>,
    /// Where it came from.
    pub source: &'a Source,
}

/// Rows of a part of the text; the rest is counted.
const ROWS: usize = 40;
/// Settings are listed up to so many in each part.
const SETTINGS: usize = 40;
/// Steps of a chain of causes.
const STEPS: usize = 12;

/// Writes the difference for people.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut dyn Write,
    sides: [Side<'_>; 2],
    d: &Difference,
    style: Style,
) -> io::Result<()> {
    let mut p = Printer { out, style };
    let said = |s: Side<'_>| {
        header(
            s.analysis.plan,
            s.source,
            &format!("seed {}", s.source.seed),
        )
    };
    p.header(sides.map(said), sides.map(|s| s.analysis.plan))?;
    if d.is_empty() {
        let same = p.paint(
            "Both runs came to the same: nobody was evicted, tainted or placed otherwise.",
            GREEN,
        );
        writeln!(p.out, "{same}")?;
        if d.settings.others.is_empty() && d.settings.switches.is_empty() {
            return Ok(());
        }
        writeln!(p.out)?;
        return p.settings(&d.settings);
    }
    p.costs(d)?;
    p.first(sides, d)?;
    p.groups(d)?;
    p.noise(&noise(d))?;
    p.settings(&d.settings)
}

/// What is told of a side: where it comes from, and what was changed in it.
fn header(plan: &Plan, source: &Source, seeds: &str) -> String {
    let release = plan.profile.release.trim_start_matches('v');
    let mut line = format!(
        "{}: Kubernetes {release}, timing {}, {seeds}",
        source.file, plan.timing.name
    );
    let set = source
        .set
        .iter()
        .filter(|s| !s.starts_with("kubernetes=") && !s.starts_with("timing="));
    line.extend(set.map(|s| format!(", {s}")));
    line
}

/// How often what says next to nothing is said, by why and what.
fn noise(d: &Difference) -> Vec<(Noise, String, u64)> {
    let mut found: BTreeMap<(Noise, &str), u64> = BTreeMap::new();
    for g in &d.groups {
        if let Some(noise) = g.noise {
            *found.entry((noise, &g.what)).or_default() += g.pairs.len() as u64;
        }
    }
    found
        .into_iter()
        .map(|((noise, what), n)| (noise, what.to_owned(), n))
        .collect()
}

struct Printer<'a> {
    out: &'a mut dyn Write,
    style: Style,
}

impl Printer<'_> {
    fn paint(&self, text: &str, ansi: anstyle::Style) -> String {
        painted(text, ansi, self.style)
    }

    /// Writes a text from a column on, folded to the width.
    fn folded(&mut self, text: &str, column: usize, ansi: anstyle::Style) -> io::Result<()> {
        let room = self.style.width.saturating_sub(column).max(30);
        for (i, line) in fold(text, room).iter().enumerate() {
            if i > 0 {
                write!(self.out, "{:column$}", "")?;
            }
            writeln!(self.out, "{}", self.paint(line, ansi))?;
        }
        Ok(())
    }

    fn title(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", self.paint(text, BOLD))
    }

    /// Where the sides come from, and what a person should know of how their plans came about, each
    /// sentence once.
    fn header(&mut self, sides: [String; 2], [a, b]: [&Plan; 2]) -> io::Result<()> {
        for (letter, line) in ["A", "B"].into_iter().zip(sides) {
            write!(self.out, "{}  ", self.paint(letter, BOLD))?;
            self.folded(&line, 3, PLAIN)?;
        }
        for note in a
            .notes
            .iter()
            .chain(b.notes.iter().filter(|n| !a.notes.contains(n)))
        {
            write!(self.out, "   ")?;
            self.folded(note, 3, YELLOW)?;
        }
        writeln!(self.out)
    }

    /// What was set differently; what the releases do differently last.
    fn settings(&mut self, s: &Settings) -> io::Result<()> {
        self.objects(s)?;
        if !s.others.is_empty() {
            let list = &s.others;
            self.title("Settings that differ")?;
            let said = |v: &Option<String>| v.clone().unwrap_or_else(|| "-".to_owned());
            let shown = &list[..list.len().min(SETTINGS)];
            let width =
                |of: &dyn Fn(&SettingChange) -> usize| shown.iter().map(of).max().unwrap_or(0);
            let (name, a) = (
                width(&|c| c.name.chars().count()),
                width(&|c| said(&c.a).chars().count()).max(1),
            );
            for c in shown {
                write!(self.out, "  {:name$}  {:a$}  ", c.name, said(&c.a))?;
                self.folded(&said(&c.b), name + a + 6, PLAIN)?;
            }
            if list.len() > SETTINGS {
                writeln!(self.out, "  {} more", list.len() - SETTINGS)?;
            }
            writeln!(self.out)?;
        }
        if !s.switches.is_empty() {
            self.title("Internal switches of the releases that differ")?;
            let sides = s
                .release
                .as_ref()
                .map_or(["first", "second"], |(a, b)| [a, b])
                .map(|side| side.trim_start_matches('v'));
            for c in s.switches.iter().take(SETTINGS) {
                let name = || {
                    (
                        c.name.clone(),
                        [&c.a, &c.b].map(|v| v.clone().unwrap_or_default()),
                    )
                };
                let (about, values) = c.prose.clone().unwrap_or_else(name);
                write!(self.out, "  ")?;
                self.folded(&about, 2, PLAIN)?;
                for (side, value) in sides.iter().zip(&values) {
                    write!(self.out, "    {side}: ")?;
                    self.folded(value, side.len() + 6, DIM)?;
                }
            }
            if s.switches.len() > SETTINGS {
                writeln!(
                    self.out,
                    "  {} more; `--format json` has them all",
                    s.switches.len() - SETTINGS
                )?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }

    /// One line for each sort of noise.
    fn noise(&mut self, found: &[(Noise, String, u64)]) -> io::Result<()> {
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
                let whats: Vec<String> = of
                    .iter()
                    .map(|(_, what, n)| format!("{what} {}", grouped(*n)))
                    .collect();
                write!(self.out, "  ")?;
                self.folded(
                    &format!("{} {said}: {}", grouped(all), whats.join(", ")),
                    4,
                    DIM,
                )?;
            }
        }
        writeln!(self.out)
    }

    fn objects(&mut self, s: &Settings) -> io::Result<()> {
        if !s.objects_differ() {
            return Ok(());
        }
        self.title("Only in one of the clusters")?;
        for (what, sides) in [
            ("nodes", &s.nodes),
            ("pods", &s.pods),
            ("entries of the timeline", &s.entries),
        ] {
            for (letter, names) in ["A", "B"].into_iter().zip(sides) {
                if !names.is_empty() {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    write!(self.out, "  {letter}  ")?;
                    self.folded(&format!("{what}: {}", ranges(&names)), 5, PLAIN)?;
                }
            }
        }
        writeln!(self.out)
    }

    fn first(&mut self, sides: [Side<'_>; 2], d: &Difference) -> io::Result<()> {
        let Some(first) = &d.first else { return Ok(()) };
        let subject = subject_of(&first.pair);
        let what = if subject.is_empty() {
            first.what.clone()
        } else {
            format!("{subject} {}", first.what)
        };
        let how = how(&first.change, shift(&first.pair).map(|s| (s, s)));
        self.title("Where they part")?;
        write!(self.out, "  ")?;
        self.folded(&format!("{what}: {how}"), 2, YELLOW)?;
        for (i, letter) in ["A", "B"].into_iter().enumerate() {
            match first.of(i) {
                None => writeln!(
                    self.out,
                    "  {letter}  {}",
                    self.paint("does not happen", DIM)
                )?,
                Some(o) => {
                    let steps = steps(sides[i].analysis, o.record);
                    for (n, (at, text)) in steps.iter().enumerate() {
                        let letter = if n == 0 { letter } else { " " };
                        write!(self.out, "  {letter}  {:>10}  ", absolute(*at))?;
                        self.folded(text, 17, PLAIN)?;
                    }
                }
            }
        }
        writeln!(self.out)
    }

    fn groups(&mut self, d: &Difference) -> io::Result<()> {
        // Noise is last.
        let groups = &d.groups[..d.groups.iter().take_while(|g| g.noise.is_none()).count()];
        if groups.is_empty() {
            return Ok(());
        }
        self.title("What differs")?;
        let shown = &groups[..groups.len().min(ROWS)];
        let cells: Vec<[String; 2]> = shown.iter().map(|g| [0, 1].map(|i| times(g, i))).collect();
        let width = |i: usize| {
            cells
                .iter()
                .map(|c| c[i].chars().count())
                .max()
                .unwrap_or(0)
                .max(1)
        };
        let (first, second) = (width(0), width(1));
        writeln!(
            self.out,
            "  {}",
            self.paint(&format!("{:>first$}  {:>second$}", "A", "B"), DIM)
        )?;
        for (group, [a, b]) in shown.iter().zip(&cells) {
            write!(self.out, "  {a:>first$}  {b:>second$}  ")?;
            let ansi = match group.change {
                Change::OnlyA | Change::OnlyB if group.what.starts_with("evicted") => RED,
                Change::OnlyA | Change::OnlyB => YELLOW,
                _ => PLAIN,
            };
            self.folded(&group_text(group), first + second + 6, ansi)?;
        }
        if groups.len() > ROWS {
            let rest: usize = groups[ROWS..].iter().map(|g| g.pairs.len()).sum();
            writeln!(
                self.out,
                "  {} more like these; --format json has all",
                grouped(rest as u64)
            )?;
        }
        writeln!(self.out)
    }
}

/// The records that led to one, the first cause first, the record itself last.
fn steps(analysis: &Analysis<'_>, record: RecordId) -> Vec<(Time, String)> {
    let chain = causes::chain(analysis.trace, record).take(STEPS);
    // That an object exists from the start explains nothing.
    let told = chain.filter(|(id, r)| *id == record || r.at > Time::ZERO);
    let mut steps: Vec<(Time, String)> = told
        .map(|(_, r)| (r.at, words::record(analysis, r)))
        .collect();
    steps.reverse();
    steps
}

fn shift(pair: &Pair) -> Option<Dur> {
    let (a, b) = (pair.a?.at, pair.b?.at);
    Some(a.max(b).since(a.min(b)))
}

/// To the millisecond, and to the tenth of a second where it is longer than ten.
fn rounded(d: Dur) -> String {
    let unit = if d >= Dur::from_secs(10) { 100 } else { 1 };
    short(Dur::from_millis((d.as_millis() + unit / 2) / unit * unit))
}

/// `5s earlier in B`, `only in A`.
fn how(change: &Change, shift: Option<(Dur, Dur)>) -> String {
    let by = shift.map_or(String::new(), |(least, most)| {
        let (least, most) = (rounded(least), rounded(most));
        if least == most {
            least
        } else {
            format!("{least} to {most}")
        }
    });
    match change {
        Change::OnlyA => "only in A".to_owned(),
        Change::OnlyB => "only in B".to_owned(),
        Change::Earlier => format!("{by} earlier in B"),
        Change::Later => format!("{by} later in B"),
        Change::Otherwise(a, b) if a.is_empty() && b.is_empty() => "elsewhere in B".to_owned(),
        Change::Otherwise(a, b) => format!("{a} in A, {b} in B"),
    }
}

fn subject_of(pair: &Pair) -> String {
    match (&pair.pod, &pair.node) {
        (Some(pod), Some(node)) => format!("{pod} of {node}"),
        (Some(pod), None) => pod.clone(),
        (None, Some(node)) => node.clone(),
        (None, None) => String::new(),
    }
}

/// `27 pods of Deployment default/web on b-00..b-08 evicted: 5s earlier in B`
fn group_text(g: &Group) -> String {
    let mut nodes: Vec<&str> = g.pairs.iter().filter_map(|p| p.node.as_deref()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let (objects, has_pods) = (g.pairs.len(), g.pairs.iter().any(|p| p.pod.is_some()));
    let mut pods: Vec<&str> = g.pairs.iter().filter_map(|p| p.pod.as_deref()).collect();
    pods.sort_unstable();
    pods.dedup();
    let on = if nodes.is_empty() {
        String::new()
    } else {
        format!(" on {}", ranges(&nodes))
    };
    let subject = match (has_pods, pods.len()) {
        (true, 1) => subject_of(&g.pairs[0]),
        (true, n) => {
            let of =
                g.of.as_ref()
                    .map_or(String::new(), |of| format!(" of {of}"));
            format!("{}{of}{on}", counted(n as u64, "pod"))
        }
        (false, _) => ranges(&nodes),
    };
    let times = match objects.checked_div(pods.len().max(nodes.len()).max(1)) {
        Some(n) if n > 1 => format!(", {} times", grouped(objects as u64)),
        _ => String::new(),
    };
    let what = if subject.is_empty() {
        g.what.clone()
    } else {
        format!("{subject} {}", g.what)
    };
    let beside = match (&g.change, &g.details) {
        (Change::OnlyA | Change::OnlyB | Change::Earlier | Change::Later, details)
            if g.what == PENDING =>
        {
            why(details)
        }
        (Change::Otherwise(..), _) | (_, [None, None]) => String::new(),
        (_, [Some(a), Some(b)]) if a == b => format!(" {a}"),
        (_, [Some(a), Some(b)]) => format!(" ({a} in A, {b} in B)"),
        (_, [Some(one), None] | [None, Some(one)]) => format!(" {one}"),
    };
    format!("{what}{beside}{times}: {}", how(&g.change, g.shift()))
}

/// What is said of pods that find no node.
const PENDING: &str = "pending";

/// Why pods are pending, in the scheduler's words, unless these differ: other words are noise.
fn why(details: &[Option<String>; 2]) -> String {
    match details {
        [Some(a), Some(b)] if a != b => String::new(),
        [Some(why), _] | [None, Some(why)] => format!(" ({why})"),
        [None, None] => String::new(),
    }
}

/// When the facts of a group happened in a run: `6:45.100`, or the first and the last.
fn times(g: &Group, side: usize) -> String {
    let of = |p: &Pair| if side == 0 { p.a } else { p.b };
    let at = |o: Occurrence| o.at;
    let all = g.pairs.iter().filter_map(of).map(at);
    match (all.clone().min(), all.max()) {
        (Some(first), Some(last)) if last.since(first) < Dur::from_secs(1) => absolute(first),
        (Some(first), Some(last)) => format!(
            "{}–{}",
            super::clock::whole(first),
            super::clock::whole(last)
        ),
        _ => "–".to_owned(),
    }
}

/// `pods up at worst 10 in A, 9 in B; lost 10 in A, 9 in B`
fn fates(a: &Fate, b: &Fate) -> String {
    let mut said = Vec::new();
    for (what, a, b) in [
        (
            "pods up at worst",
            u64::from(a.least_up),
            u64::from(b.least_up),
        ),
        ("up at the end", u64::from(a.up), u64::from(b.up)),
        (
            "desired at the end",
            u64::from(a.desired),
            u64::from(b.desired),
        ),
        ("lost", a.lost, b.lost),
        ("replaced", a.replaced, b.replaced),
        ("stuck Terminating", a.stuck, b.stuck),
    ] {
        if a != b {
            said.push(format!("{what} {} in A, {} in B", grouped(a), grouped(b)));
        }
    }
    said.join("; ")
}
