//! The difference of two runs as text and as JSON.

use super::clock::{absolute, short};
use super::text::{BOLD, DIM, GREEN, PLAIN, RED, Style, YELLOW, counted, fold, painted};
use crate::analysis::diff::{Change, Difference, Fate, First, Group, Occurrence, Pair, SettingChange};
use crate::analysis::words::{self, ranges};
use crate::analysis::{Analysis, causes, grouped};
use crate::kernel::{Dur, Time};
use crate::report::Source;
use crate::trace::RecordId;
use serde_json::{Value, json};
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
pub fn write(out: &mut dyn Write, sides: [Side<'_>; 2], d: &Difference, style: Style) -> io::Result<()> {
    let mut p = Printer { out, sides, style };
    p.header()?;
    p.settings(d)?;
    if d.is_empty() {
        return writeln!(p.out, "{}", p.paint("Both runs came to the same: nobody was evicted, tainted or placed otherwise.", GREEN));
    }
    p.first(d)?;
    p.objects(d)?;
    p.groups(d)?;
    p.workloads(d)
}

struct Printer<'a> {
    out: &'a mut dyn Write,
    sides: [Side<'a>; 2],
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

    fn header(&mut self) -> io::Result<()> {
        for (letter, side) in ["A", "B"].into_iter().zip(self.sides) {
            let plan = side.analysis.plan;
            let release = plan.profile.release.trim_start_matches('v');
            let mut line = format!("{}: Kubernetes {release}, timing {}, seed {}", side.source.file, plan.timing.name, side.source.seed);
            let set = side.source.set.iter().filter(|s| !s.starts_with("kubernetes=") && !s.starts_with("timing="));
            line.extend(set.map(|s| format!(", {s}")));
            write!(self.out, "{}  ", self.paint(letter, BOLD))?;
            self.folded(&line, 3, PLAIN)?;
        }
        writeln!(self.out)
    }

    fn settings(&mut self, d: &Difference) -> io::Result<()> {
        let s = &d.settings;
        for (title, list) in [("Switches that differ", &s.switches), ("Settings that differ", &s.others)] {
            if list.is_empty() {
                continue;
            }
            self.title(title)?;
            let said = |v: &Option<String>| v.clone().unwrap_or_else(|| "-".to_owned());
            let shown = &list[..list.len().min(SETTINGS)];
            let width = |of: &dyn Fn(&SettingChange) -> usize| shown.iter().map(of).max().unwrap_or(0);
            let (name, a) = (width(&|c| c.name.chars().count()), width(&|c| said(&c.a).chars().count()).max(1));
            for c in shown {
                write!(self.out, "  {:name$}  {:a$}  ", c.name, said(&c.a))?;
                self.folded(&said(&c.b), name + a + 6, PLAIN)?;
            }
            if list.len() > SETTINGS {
                writeln!(self.out, "  {} more", list.len() - SETTINGS)?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn objects(&mut self, d: &Difference) -> io::Result<()> {
        let s = &d.settings;
        if !s.objects_differ() {
            return Ok(());
        }
        self.title("Only in one of the clusters")?;
        for (what, sides) in [("nodes", &s.nodes), ("pods", &s.pods), ("entries of the timeline", &s.entries)] {
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

    fn first(&mut self, d: &Difference) -> io::Result<()> {
        let Some(first) = &d.first else { return Ok(()) };
        let subject = subject_of(&first.pair);
        let what = if subject.is_empty() { first.what.clone() } else { format!("{subject} {}", first.what) };
        let how = how(&first.change, shift(&first.pair).map(|s| (s, s)));
        self.title("Where they part")?;
        write!(self.out, "  ")?;
        self.folded(&format!("{what}: {how}"), 2, YELLOW)?;
        for (i, letter) in ["A", "B"].into_iter().enumerate() {
            match first.of(i) {
                None => writeln!(self.out, "  {letter}  {}", self.paint("does not happen", DIM))?,
                Some(o) => {
                    let steps = steps(self.sides[i].analysis, o.record);
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
        if d.groups.is_empty() {
            return Ok(());
        }
        self.title("What differs")?;
        let [a, b] = d.evicted.map(grouped);
        if d.evicted[0] != d.evicted[1] {
            writeln!(self.out, "  pods evicted: {a} in A, {b} in B")?;
        }
        let shown = &d.groups[..d.groups.len().min(ROWS)];
        let cells: Vec<[String; 2]> = shown.iter().map(|g| [0, 1].map(|i| times(g, i))).collect();
        let width = |i: usize| cells.iter().map(|c| c[i].chars().count()).max().unwrap_or(0).max(1);
        let (first, second) = (width(0), width(1));
        writeln!(self.out, "  {}", self.paint(&format!("{:>first$}  {:>second$}", "A", "B"), DIM))?;
        for (group, [a, b]) in shown.iter().zip(&cells) {
            write!(self.out, "  {a:>first$}  {b:>second$}  ")?;
            let ansi = match group.change {
                Change::OnlyA | Change::OnlyB if group.what.starts_with("evicted") => RED,
                Change::OnlyA | Change::OnlyB => YELLOW,
                _ => PLAIN,
            };
            self.folded(&group_text(group), first + second + 6, ansi)?;
        }
        if d.groups.len() > ROWS {
            let rest: usize = d.groups[ROWS..].iter().map(|g| g.pairs.len()).sum();
            writeln!(self.out, "  {} more like these; --format json has all", grouped(rest as u64))?;
        }
        writeln!(self.out)
    }

    fn workloads(&mut self, d: &Difference) -> io::Result<()> {
        if d.workloads.is_empty() {
            return Ok(());
        }
        self.title("Workloads")?;
        for w in d.workloads.iter().take(ROWS) {
            write!(self.out, "  {}  ", w.name)?;
            let text = match &w.sides {
                [Some(a), Some(b)] => fates(a, b),
                [Some(_), None] => "only in A".to_owned(),
                _ => "only in B".to_owned(),
            };
            self.folded(&text, 4, PLAIN)?;
        }
        if d.workloads.len() > ROWS {
            writeln!(self.out, "  {} more workloads; --format json has all", d.workloads.len() - ROWS)?;
        }
        writeln!(self.out)
    }
}

/// The records that led to one, the first cause first, the record itself last.
fn steps(analysis: &Analysis<'_>, record: RecordId) -> Vec<(Time, String)> {
    let chain = causes::chain(analysis.trace, record).take(STEPS);
    // That an object exists from the start explains nothing.
    let told = chain.filter(|(id, r)| *id == record || r.at > Time::ZERO);
    let mut steps: Vec<(Time, String)> = told.map(|(_, r)| (r.at, words::record(analysis, r))).collect();
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
        if least == most { least } else { format!("{least} to {most}") }
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
    let on = if nodes.is_empty() { String::new() } else { format!(" on {}", ranges(&nodes)) };
    let subject = match (has_pods, pods.len()) {
        (true, 1) => subject_of(&g.pairs[0]),
        (true, n) => {
            let of = g.of.as_ref().map_or(String::new(), |of| format!(" of {of}"));
            format!("{}{of}{on}", counted(n as u64, "pod"))
        }
        (false, _) => ranges(&nodes),
    };
    let times = match objects.checked_div(pods.len().max(nodes.len()).max(1)) {
        Some(n) if n > 1 => format!(", {} times", grouped(objects as u64)),
        _ => String::new(),
    };
    let what = if subject.is_empty() { g.what.clone() } else { format!("{subject} {}", g.what) };
    let beside = match (&g.change, &g.details) {
        (Change::Otherwise(..), _) | (_, [None, None]) => String::new(),
        (_, [Some(a), Some(b)]) if a == b => format!(" {a}"),
        (_, [Some(a), Some(b)]) => format!(" ({a} in A, {b} in B)"),
        (_, [Some(one), None] | [None, Some(one)]) => format!(" {one}"),
    };
    format!("{what}{beside}{times}: {}", how(&g.change, g.shift()))
}

/// When the facts of a group happened in a run: `6:45.100`, or the first and the last.
fn times(g: &Group, side: usize) -> String {
    let of = |p: &Pair| if side == 0 { p.a } else { p.b };
    let at = |o: Occurrence| o.at;
    let all = g.pairs.iter().filter_map(of).map(at);
    match (all.clone().min(), all.max()) {
        (Some(first), Some(last)) if last.since(first) < Dur::from_secs(1) => absolute(first),
        (Some(first), Some(last)) => format!("{}–{}", super::clock::whole(first), super::clock::whole(last)),
        _ => "–".to_owned(),
    }
}

/// `too few pods for 5m40s in A, 5m35s in B; lost 10, 9`
fn fates(a: &Fate, b: &Fate) -> String {
    let mut said = Vec::new();
    let ms = |d: Dur| short(Dur::from_millis((d.as_micros() + 500) / 1_000));
    let mut times = |what: &str, a: Dur, b: Dur| {
        if ms(a) != ms(b) {
            said.push(format!("{what} {} in A, {} in B", ms(a), ms(b)));
        }
    };
    times("too few pods for", a.unavailable, b.unavailable);
    times("at a stretch for", a.longest_gap, b.longest_gap);
    for (what, a, b) in [
        ("available at worst", u64::from(a.least_available), u64::from(b.least_available)),
        ("available at the end", u64::from(a.available), u64::from(b.available)),
        ("lost", a.lost, b.lost),
        ("replaced", a.replaced, b.replaced),
        ("pending at the end", a.pending, b.pending),
        ("stuck Terminating", a.stuck, b.stuck),
    ] {
        if a != b {
            said.push(format!("{what} {} in A, {} in B", grouped(a), grouped(b)));
        }
    }
    said.join("; ")
}

/// The difference as a document.
pub fn document(sides: [Side<'_>; 2], d: &Difference) -> Value {
    let run = |s: Side<'_>| {
        json!({
            "scenario": s.analysis.plan.name,
            "file": s.source.file,
            "kubernetes": s.analysis.plan.profile.release.trim_start_matches('v'),
            "timing": s.analysis.plan.timing.name,
            "seed": s.source.seed,
            "set": s.source.set,
        })
    };
    let change = |c: &SettingChange| json!({ "name": c.name, "a": c.a, "b": c.b });
    let changes = |list: &[SettingChange]| list.iter().map(change).collect::<Vec<_>>();
    let only = |sides: &[Vec<String>; 2]| json!({ "a": sides[0], "b": sides[1] });
    let chain = |first: &First, i: usize| -> Value {
        let Some(o) = first.of(i) else { return Value::Null };
        steps(sides[i].analysis, o.record)
            .into_iter()
            .map(|(at, text)| json!({ "at_s": at.as_nanos() as f64 / 1e9, "text": text }))
            .collect()
    };
    let first = d.first.as_ref().map(
        |f| json!({ "what": f.what, "change": name(&f.change), "object": pair(&f.pair), "causes": { "a": chain(f, 0), "b": chain(f, 1) } }),
    );
    json!({
        "same": d.is_empty(),
        "a": run(sides[0]),
        "b": run(sides[1]),
        "switches": changes(&d.settings.switches),
        "settings": changes(&d.settings.others),
        "only": { "nodes": only(&d.settings.nodes), "pods": only(&d.settings.pods), "entries": only(&d.settings.entries) },
        "pods_evicted": { "a": d.evicted[0], "b": d.evicted[1] },
        "first": first,
        "groups": d.groups.iter().map(group).collect::<Vec<_>>(),
        "workloads": d.workloads.iter().map(|w| json!({
            "name": w.name,
            "a": w.sides[0].as_ref().map(fate),
            "b": w.sides[1].as_ref().map(fate),
        })).collect::<Vec<_>>(),
    })
}

fn name(change: &Change) -> &'static str {
    match change {
        Change::OnlyA => "only-a",
        Change::OnlyB => "only-b",
        Change::Earlier => "earlier",
        Change::Later => "later",
        Change::Otherwise(..) => "otherwise",
    }
}

fn pair(p: &Pair) -> Value {
    let at = |o: Option<Occurrence>| o.map(|o| json!({ "at_s": o.at.as_nanos() as f64 / 1e9, "record": o.record }));
    json!({ "pod": p.pod, "node": p.node, "a": at(p.a), "b": at(p.b) })
}

fn group(g: &Group) -> Value {
    json!({
        "text": group_text(g),
        "what": g.what,
        "change": name(&g.change),
        "of": g.of,
        "a": g.details[0],
        "b": g.details[1],
        "shift_s": g.shift().map(|(least, most)| [least, most].map(|d| d.as_nanos() as f64 / 1e9)),
        "objects": g.pairs.iter().map(pair).collect::<Vec<_>>(),
    })
}

fn fate(f: &Fate) -> Value {
    let s = |d: Dur| d.as_nanos() as f64 / 1e9;
    json!({
        "unavailable_s": s(f.unavailable),
        "longest_gap_s": s(f.longest_gap),
        "replica_seconds_missing": f.missing_ns as f64 / 1e9,
        "least_available": f.least_available,
        "available_at_the_end": f.available,
        "lost": f.lost,
        "replacements": f.replaced,
        "pending": f.pending,
        "stuck_terminating": f.stuck,
    })
}
