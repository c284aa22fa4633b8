//! The report as text for a terminal or a log: header, timeline, summary, workloads, where the
//! files are.

use super::clock::{absolute, short, whole};
use super::model::Report;
use super::output::Written;
use crate::analysis::facts::Fact;
use crate::analysis::serving::{Count, Served};
use crate::analysis::state::Health;
use crate::analysis::timeline::Row;
use crate::analysis::{Costs, Figure, Spread, Summary, grouped};
use crate::kernel::Dur;
use crate::trace::{DrainOutcome, EvictionCause};
use anstyle::{AnsiColor, Style as Ansi};
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
        Style {
            colour: false,
            width: 100,
        }
    }
}

/// A column that explains is not narrower than this, however narrow the terminal is.
const NARROWEST: usize = 16;
/// Names of entries are shortened to this where they follow a time.
const ENTRY_NAME: usize = 24;

pub(super) const BOLD: Ansi = Ansi::new().bold();
pub(super) const DIM: Ansi = Ansi::new().dimmed();
pub(super) const RED: Ansi = AnsiColor::Red.on_default().bold();
pub(super) const YELLOW: Ansi = AnsiColor::Yellow.on_default();
pub(super) const GREEN: Ansi = AnsiColor::Green.on_default();
pub(super) const MAGENTA: Ansi = AnsiColor::Magenta.on_default();
pub(super) const PLAIN: Ansi = Ansi::new();

/// Writes the report; `written` says where its files are, if there are any.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut dyn Write,
    report: &Report<'_>,
    written: Option<&Written>,
    style: Style,
) -> io::Result<()> {
    let mut p = Printer { out, style };
    p.header(report)?;
    p.timeline(report)?;
    p.summary(&report.summary)?;
    p.workloads(report)?;
    p.files(written)
}

struct Printer<'o> {
    out: &'o mut dyn Write,
    style: Style,
}

impl Printer<'_> {
    fn painted(&self, text: &str, ansi: Ansi) -> String {
        painted(text, ansi, self.style)
    }

    /// Writes a text that begins at that column, folded between words to the width.
    fn folded(&mut self, text: &str, column: usize, ansi: Ansi) -> io::Result<()> {
        let room = self.style.width.saturating_sub(column).max(NARROWEST);
        for (i, line) in fold(text, room).iter().enumerate() {
            if i > 0 {
                write!(self.out, "{:column$}", "")?;
            }
            writeln!(self.out, "{}", self.painted(line, ansi))?;
        }
        Ok(())
    }

    fn header(&mut self, report: &Report<'_>) -> io::Result<()> {
        let plan = report.analysis.plan;
        let (nodes, pods) = report.size();
        writeln!(self.out, "{}", self.painted(&plan.name, BOLD))?;
        if !plan.doc.is_empty() {
            write!(self.out, "  ")?;
            self.folded(&plan.doc, 2, PLAIN)?;
        }
        let line = format!(
            "Kubernetes {}, timing {}, seed {}, {}, {}, {}",
            report.release(),
            plan.timing.name,
            report.source.seed,
            counted(nodes, "node"),
            counted(pods, "pod"),
            short(Dur::from_nanos(report.analysis.horizon().as_nanos()))
        );
        write!(self.out, "  ")?;
        self.folded(&line, 2, PLAIN)?;
        if !plan.profile.recorded {
            write!(self.out, "  ")?;
            self.folded(
                "This release was not checked against recordings.",
                2,
                YELLOW,
            )?;
        }
        for note in &plan.notes {
            write!(self.out, "  ")?;
            self.folded(note, 2, YELLOW)?;
        }
        writeln!(self.out)
    }

    fn timeline(&mut self, report: &Report<'_>) -> io::Result<()> {
        let cells: Vec<(String, String)> = report
            .rows
            .iter()
            .map(|r| (times(r), relative(report, r)))
            .collect();
        let width = |least: usize, of: &dyn Fn(&(String, String)) -> &str| {
            cells
                .iter()
                .map(|c| of(c).chars().count())
                .max()
                .unwrap_or(0)
                .max(least)
        };
        let (first, second) = (width(9, &|c| &c.0), width(0, &|c| &c.1));
        if report.rows.is_empty() {
            writeln!(
                self.out,
                "Nothing happened to the nodes and pods of this cluster.\n"
            )?;
            return Ok(());
        }
        for (row, (times, relative)) in report.rows.iter().zip(&cells) {
            let relative = self.painted(&format!("{relative:second$}"), DIM);
            write!(self.out, "{times:>first$}  {relative}  ")?;
            self.folded(&row.text, first + second + 4, paint(row.fact))?;
        }
        writeln!(self.out)
    }

    fn line(&mut self, name: &str, said: &str) -> io::Result<()> {
        write!(self.out, "  {name:<18}")?;
        self.folded(said, 20, PLAIN)
    }

    fn summary(&mut self, s: &Summary) -> io::Result<()> {
        let m = &s.metrics;
        writeln!(self.out, "{}", self.painted("Summary", BOLD))?;
        let mut evicted = counted(m.evicted, "pod");
        if m.evicted > 0 {
            // One cause that is the usual one needs no word.
            if s.evicted_by.keys().any(|c| *c != EvictionCause::Taint) {
                let by: Vec<String> = s
                    .evicted_by
                    .iter()
                    .map(|(cause, n)| format!("{} by {}", grouped(*n), cause.by()))
                    .collect();
                evicted.push_str(&format!(": {}", by.join(", ")));
            }
            // What a drain evicts is not needless: somebody asked for it.
            if s.evicted_by
                .keys()
                .any(|c| matches!(c, EvictionCause::Taint | EvictionCause::Timeout))
            {
                let back = short(m.window);
                evicted.push_str(&format!(
                    ", {} needlessly (the node was back within {back}",
                    grouped(m.needless)
                ));
                if m.undecided > 0 {
                    evicted.push_str(&format!(
                        "; {} undecided when the run ended",
                        grouped(m.undecided)
                    ));
                }
                evicted.push(')');
            }
        }
        self.line("evicted", &evicted)?;
        self.line(
            "kept",
            &format!(
                "{} that had a timer or a tainted node",
                counted(s.kept, "pod")
            ),
        )?;
        self.line("pending timers", &grouped(s.pending_timers))?;
        if s.evictions_failed > 0 {
            self.line("failed evictions", &grouped(s.evictions_failed))?;
        }
        if s.evictions_refused > 0 {
            self.line(
                "refused evictions",
                &format!(
                    "{}, each tried again after 5 s",
                    grouped(s.evictions_refused)
                ),
            )?;
        }
        if s.nodes_not_drained > 0 {
            self.line("not drained", &counted(s.nodes_not_drained, "node"))?;
        }
        if s.refused > 0 {
            self.line("kubectl refused", &grouped(s.refused))?;
        }
        if !s.deletions.is_empty() {
            let by: Vec<String> = s
                .deletions
                .iter()
                .map(|(actor, n)| format!("{} {}", actor.as_str(), grouped(*n)))
                .collect();
            self.line("deletions", &by.join(", "))?;
        }
        self.line("not up", &missing(&m.costs))?;
        self.line("requests lost", &requests_lost(&m.costs))?;
        if m.costs.ghost_ns > 0 {
            let text = format!(
                "{} of pods that were deleted or gone and ran on",
                tenths(m.costs.ghost_ns, "minute")
            );
            self.line("ghosts", &text)?;
        }
        if m.costs.most_pending > 0 {
            self.line("pending", &pending(&m.costs))?;
        }
        if m.costs.restarts > 0 {
            self.line(
                "restarts",
                &format!(
                    "{} had their containers started anew",
                    counted(m.costs.restarts, "pod")
                ),
            )?;
        }
        self.line("nodes Unknown", &spread(s.nodes_unknown, m.detection))?;
        self.line("nodes NoExecute", &spread(s.nodes_tainted, m.tainting))?;
        let of = |c| s.evicted_by.get(&c).copied().unwrap_or(0);
        let by_controllers = of(EvictionCause::Taint) + of(EvictionCause::Timeout);
        if m.eviction.is_some() {
            self.line("eviction latency", &spread(by_controllers, m.eviction))?;
        }
        self.line("at the end", &end(s))?;
        writeln!(self.out)
    }

    /// One line for each workload that fared badly, and one for the others together.
    fn workloads(&mut self, report: &Report<'_>) -> io::Result<()> {
        let all = &report.serving.workloads;
        if all.iter().all(|w| w.id.is_none()) {
            return Ok(());
        }
        writeln!(self.out, "{}", self.painted("Workloads", BOLD))?;
        let mut bad: Vec<&Served> = all.iter().filter(|w| !is_well(report, w)).collect();
        bad.sort_by_key(|w| std::cmp::Reverse(w.costs.missing_ns));
        for w in bad.iter().take(WORKLOADS) {
            let said = format!("{}: {}", w.name.replacen('/', " ", 1), outcome(report, w));
            for (i, line) in fold(&said, self.style.width.saturating_sub(4).max(NARROWEST))
                .iter()
                .enumerate()
            {
                writeln!(self.out, "{}{line}", if i == 0 { "  " } else { "    " })?;
            }
        }
        if bad.len() > WORKLOADS {
            writeln!(
                self.out,
                "  {} more fared badly: see summary.json",
                grouped((bad.len() - WORKLOADS) as u64)
            )?;
        }
        let well = all.len() - bad.len();
        if well > 0 {
            let other = if bad.is_empty() { "" } else { "other " };
            let evicted: u64 = all
                .iter()
                .filter(|w| is_well(report, w))
                .map(|w| w.costs.evicted)
                .sum();
            let though = if evicted == 0 {
                String::new()
            } else {
                format!(
                    ", though {} of theirs were evicted",
                    counted(evicted, "pod")
                )
            };
            writeln!(
                self.out,
                "  {} always had all their pods up{though}",
                counted(well as u64, &format!("{other}workload"))
            )?;
        }
        writeln!(self.out)
    }

    fn files(&mut self, written: Option<&Written>) -> io::Result<()> {
        if let Some(w) = written {
            let names: Vec<&str> = w.files.iter().map(|f| f.0.as_str()).collect();
            self.folded(
                &format!("Files in {}: {}", w.folder.display(), names.join(", ")),
                0,
                PLAIN,
            )?;
        }
        self.folded(
            "One seed is one sample: another draws other delays and orders.",
            0,
            DIM,
        )
    }
}

/// So many workloads are told of one by one.
const WORKLOADS: usize = 12;

/// It always had as many pods up as it asks for, and nothing waits.
fn is_well(report: &Report<'_>, w: &Served) -> bool {
    w.costs.missing_ns == 0 && w.costs.pending_at_end == 0 && stuck(report, w) == 0
}

/// How many of its pods still are Terminating at the end, after their grace period.
fn stuck(report: &Report<'_>, w: &Served) -> u64 {
    report
        .workloads
        .outcomes
        .iter()
        .find(|o| Some(o.id) == w.id)
        .map_or(0, |o| o.stuck)
}

/// `28 of 30 up at the end, at worst 20; 34.2 replica-minutes missing; …`
fn outcome(report: &Report<'_>, w: &Served) -> String {
    let Count { desired, up, .. } = w.at_end();
    let mut said = format!(
        "{} of {} up at the end",
        grouped(up.into()),
        grouped(desired.into())
    );
    let horizon = report.analysis.horizon();
    if let Some(least) = w
        .spans(horizon)
        .filter(|(.., c)| c.up < c.desired)
        .map(|(.., c)| c.up)
        .min()
    {
        said.push_str(&format!(
            ", at worst {}; {}",
            grouped(least.into()),
            missing(&w.costs)
        ));
    }
    if w.costs.requests_lost > 0 {
        said.push_str(&format!("; requests lost: {}", requests_lost(&w.costs)));
    }
    if w.costs.ghost_ns >= 60_000_000_000 {
        said.push_str(&format!("; ghosts: {}", tenths(w.costs.ghost_ns, "minute")));
    }
    if w.costs.evicted > 0 {
        said.push_str(&format!("; {} evicted", grouped(w.costs.evicted)));
    }
    if let Some(o) = report
        .workloads
        .outcomes
        .iter()
        .find(|o| Some(o.id) == w.id)
    {
        if o.lost > 0 {
            said.push_str(&format!(
                "; {} lost, {} replaced",
                grouped(o.lost),
                grouped(o.replaced)
            ));
        }
        if o.stuck > 0 {
            said.push_str(&format!("; {} stuck Terminating", grouped(o.stuck)));
        }
        if o.pending > 0 {
            said.push_str(&format!("; {} pending", grouped(o.pending)));
            if let Some(why) = o.why_pending {
                said.push_str(&format!(" ({})", report.analysis.trace.names.text_of(why)));
            }
        }
    }
    said
}

/// `34.2 replica-minutes missing; below need for 5m40s, at most 5m40s at a stretch; none up for 3m`
fn missing(costs: &Costs) -> String {
    let mut said = format!("{} missing", tenths(costs.missing_ns, "replica-minute"));
    if !costs.below_need.is_zero() {
        said.push_str(&format!(
            "; below need for {}",
            short(nearest_ms(costs.below_need))
        ));
        if costs.longest_below_need < costs.below_need {
            said.push_str(&format!(
                ", at most {} at a stretch",
                short(nearest_ms(costs.longest_below_need))
            ));
        }
    }
    if !costs.none_up.is_zero() {
        said.push_str(&format!(
            "; none up for {}",
            short(nearest_ms(costs.none_up))
        ));
    }
    said
}

/// `4.1 %, as if all had been lost for 1m14s`
fn requests_lost(costs: &Costs) -> String {
    if costs.requests_lost == 0 {
        return "none".to_owned();
    }
    let thousandths = (costs.requests_lost * 100_000).div_ceil(costs.requests.max(1));
    let seconds = Figure::RequestsLostMinutes.of(costs) * 60.0;
    let span = short(Dur::from_millis((seconds * 1000.0).round() as u64));
    format!(
        "{}.{:03} %, as if all had been lost for {span}",
        thousandths / 1_000,
        thousandths % 1_000
    )
}

/// `3 pods at the end, 12 at one time, the longest for 10m`
fn pending(costs: &Costs) -> String {
    let (end, most) = (
        counted(costs.pending_at_end, "pod"),
        grouped(costs.most_pending),
    );
    format!(
        "{end} at the end, {most} at one time, one of them for {}",
        short(nearest_ms(costs.longest_pending))
    )
}

/// `12.3 minutes` of pod-nanoseconds; what would read as none is told in seconds.
fn tenths(ns: u128, unit: &str) -> String {
    if (1..3_000_000_000).contains(&ns) {
        return format!(
            "{:.3} {}s",
            ns as f64 / 1e9,
            unit.replace("minute", "second")
        );
    }
    let tenths = (ns + 3_000_000_000) / 6_000_000_000;
    format!("{}.{} {unit}s", grouped((tenths / 10) as u64), tenths % 10)
}

/// A text in a colour, where the style has colours.
pub(super) fn painted(text: &str, ansi: Ansi, style: Style) -> String {
    if style.colour && !ansi.is_plain() {
        format!("{ansi}{text}{ansi:#}")
    } else {
        text.to_owned()
    }
}

/// `1 pod`, `1,234 pods`
pub(super) fn counted(n: u64, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{} {what}s", grouped(n))
    }
}

/// Without what is less than a millisecond.
fn whole_ms(d: Dur) -> Dur {
    Dur::from_millis(d.as_millis())
}

/// To the nearest millisecond.
fn nearest_ms(d: Dur) -> Dur {
    whole_ms(d.saturating_add(Dur::from_micros(500)))
}

/// "834, +50.5s to +2m20s after the fault, median +1m10s"
fn spread(count: u64, s: Option<Spread>) -> String {
    let count = grouped(count);
    match s {
        None => count,
        Some(s) => {
            let [min, median, max] = [s.min, s.median, s.max].map(|d| short(whole_ms(d)));
            if min == max {
                format!("{count}, +{min} after the fault")
            } else {
                format!("{count}, +{min} to +{max} after the fault, median +{median}")
            }
        }
    }
}

fn end(s: &Summary) -> String {
    let parts = |list: &[(u64, &str)]| {
        let said: Vec<String> = list
            .iter()
            .filter(|p| p.0 > 0)
            .map(|(n, what)| format!("{} {what}", grouped(*n)))
            .collect();
        if said.is_empty() {
            "none".to_owned()
        } else {
            said.join(", ")
        }
    };
    let node = |h: Health| s.end.nodes[h.index()];
    let nodes = parts(&[
        (node(Health::Ready), "Ready"),
        (node(Health::Silent), "silent"),
        (node(Health::Unknown), "Unknown"),
        (node(Health::NotReady), "NotReady"),
    ]);
    let tainted = if s.end.nodes_no_execute > 0 {
        format!(" ({} with NoExecute)", grouped(s.end.nodes_no_execute))
    } else {
        String::new()
    };
    let e = &s.end;
    let pods = parts(&[
        (e.available, "running and ready"),
        (e.dead, "ready by the API and not up"),
        (e.not_ready, "running, not ready"),
        (e.pending, "pending"),
        (e.terminating, "terminating"),
        (e.finished, "finished"),
    ]);
    format!("nodes: {nodes}{tainted}; pods: {pods}")
}

/// `10:50.500`, or `10:52–12:20` of a row that takes a second or more.
fn times(r: &Row) -> String {
    if r.last.since(r.first) < Dur::from_secs(1) {
        absolute(r.first)
    } else {
        format!("{}–{}", whole(r.first), whole(r.last))
    }
}

/// `+50.5s after cut b`, or `+50.5s to 2m20s after cut b`.
fn relative(report: &Report<'_>, r: &Row) -> String {
    let Some(since) = r.since else {
        return String::new();
    };
    let Some(entry) = report.analysis.plan.timeline.get(since.entry as usize) else {
        return String::new();
    };
    let (first, last) = (
        whole_ms(r.first.since(since.at)),
        whole_ms(r.last.since(since.at)),
    );
    let mut name: String = entry.name.chars().take(ENTRY_NAME).collect();
    if entry.name.chars().count() > ENTRY_NAME {
        name.push('…');
    }
    // Sixty seconds apart, milliseconds do not help.
    let rounded = |d: Dur| {
        if r.last.since(r.first) >= Dur::from_secs(10) {
            Dur::from_secs(d.as_secs())
        } else {
            d
        }
    };
    let span = if last.saturating_sub(first) < Dur::from_secs(1) {
        short(first)
    } else {
        format!("{} to {}", short(rounded(first)), short(rounded(last)))
    };
    // A maintenance comes to each node at its own time.
    match (since.at != entry.at && entry.ends.is_none(), since.ended) {
        (true, false) => format!("+{span} after off in {name}"),
        (true, true) => format!("+{span} after boot in {name}"),
        (false, true) => format!("+{span} after {name} ended"),
        (false, false) => format!("+{span} after {name}"),
    }
}

fn paint(fact: Fact) -> Ansi {
    match fact {
        Fact::EntryBegan(_) | Fact::EntryEnded(_) => BOLD,
        Fact::Evicted(_)
        | Fact::EvictedBy(_)
        | Fact::EvictionFailed
        | Fact::CutShort(..)
        | Fact::Refused(..)
        | Fact::ControllersStopped => RED,
        Fact::Silent
        | Fact::MachineOff
        | Fact::Unknown
        | Fact::NotReady
        | Fact::Tainted(_)
        | Fact::ConditionTrue(_)
        | Fact::PodFailed => YELLOW,
        Fact::PodPending(_) | Fact::ReplicaPending(..) | Fact::EvictionRefused(_) => YELLOW,
        Fact::DrainEnded(DrainOutcome::Drained) => GREEN,
        Fact::DrainEnded(_) => RED,
        Fact::Zone(..) | Fact::MasterDisruptionEntered | Fact::MasterDisruptionLeft => MAGENTA,
        Fact::Heard
        | Fact::MachineOn
        | Fact::Ready
        | Fact::Untainted(_)
        | Fact::TimerCancelled
        | Fact::ConditionFalse(_)
        | Fact::ControllersStarted => GREEN,
        Fact::NodeJoined
        | Fact::NodeDeleted
        | Fact::Budget(..)
        | Fact::Cordoned
        | Fact::Uncordoned
        | Fact::PodCreated
        | Fact::PodBound
        | Fact::ReplicaCreated(_)
        | Fact::ReplicaBound(_)
        | Fact::ReplicaRunning(_)
        | Fact::TimerSet(_)
        | Fact::PodDeleted(_)
        | Fact::PodSucceeded
        | Fact::PodGone => PLAIN,
    }
}

/// Breaks a text between words into lines of at most `room` characters; a longer word has a line of
/// its own.
pub fn fold(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let fits = used == 0 || used + 1 + length <= room;
        if !fits {
            lines.push(String::new());
            used = 0;
        }
        let line = lines.last_mut().expect("there always is a line");
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    lines
}
