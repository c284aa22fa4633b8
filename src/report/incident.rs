//! The verdict on a past outage: what of it the simulation explains, for people, for programs and
//! as a page with both times of each eviction and the reconstruction as a run.

use super::prelude::*;
use crate::analysis::matching::{Matched, Pair};
use crate::files::line;
use crate::report::html::board::{Board, Curve, Line, Part, Runs, Table};
use crate::report::model::WallClock;
use crate::report::short;
use crate::report::tables::{Cell, Field, Kind, Rows, cells, columns, object};
use crate::report::text::{BOLD, DIM, GREEN, PLAIN, Printer, RED};

/// What was recorded, what was simulated, and who else had a hand in it.
pub(crate) struct Verdict {
    /// Time zero of the simulation.
    pub(crate) clock: WallClock,
    /// What happened, a sentence each.
    pub(crate) told: Vec<String>,
    pub(crate) matched: Matched,
    /// How far a simulated time may be from the recorded one.
    pub(crate) tolerance: Dur,
    /// Pods that others deleted: when, and who.
    pub(crate) deletions: BTreeMap<String, (Time, String)>,
    /// How many seeds were run.
    pub(crate) seeds: u64,
    /// The notes of the plan.
    pub(crate) notes: Vec<String>,
}

impl Verdict {
    /// `118 of 120 evictions explained within 2s; 2 deletions came from user X through the API`
    fn sentence(&self) -> String {
        let all = self.matched.pairs.len() as u64;
        let mut parts = vec![match all {
            0 => "no eviction was recorded".to_owned(),
            _ => format!(
                "{} of {} explained within {}",
                self.matched.explained(self.tolerance),
                counted(all, "eviction"),
                short(self.tolerance)
            ),
        }];
        let only = self.matched.only_simulated.len() as u64;
        if only > 0 {
            parts.push(format!("{} simulated that nobody recorded", counted(only, "eviction")));
        }
        let mut by: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, who) in self.deletions.values() {
            *by.entry(who).or_default() += 1;
        }
        for (who, n) in by {
            let through = if who.contains("API") { "" } else { " through the API" };
            parts.push(format!("{} came from {who}{through}", counted(n, "deletion")));
        }
        parts.join("; ")
    }
}

/// What is told of a recorded eviction.
fn fields<'v>() -> [Field<(&'v Verdict, &'v Pair)>; 8] {
    [
        ("pod", Kind::Text, |(_, p)| Cell::text(Some(p.pod.clone()))),
        ("recorded", Kind::Instant, |(v, p)| Cell::instant(v.clock, p.recorded)),
        ("simulated", Kind::Instant, |(v, p)| {
            p.simulated.map_or(Cell::Empty, |at| Cell::instant(v.clock, at))
        }),
        ("share", Kind::Number, |(_, p)| Cell::number(Some(p.share))),
        ("apart_s", Kind::Number, |(_, p)| Cell::number(p.apart_ms().map(|ms| ms as f64 / 1e3))),
        ("stands_in", Kind::Truth, |(_, p)| Cell::Truth(p.stands_in)),
        ("reordered", Kind::Truth, |(_, p)| Cell::Truth(p.reordered)),
        ("explained", Kind::Truth, |(v, p)| Cell::Truth(p.is_explained(v.tolerance))),
    ]
}

/// `start`, `timeline`, `evictions` with both times and how far apart they are, `only_simulated`,
/// `deletions` by others, and `verdict`.
pub(crate) fn document(verdict: &Verdict) -> Value {
    let clock = verdict.clock;
    let Verdict { matched, deletions, .. } = verdict;
    let eviction = |pair| object(&fields(), (verdict, pair));
    let only = matched.only_simulated.iter();
    let only = only.map(|(pod, at)| json!({"pod": pod, "simulated": clock.rfc3339(*at)}));
    let deletions = deletions.iter();
    let deletions =
        deletions.map(|(pod, (at, by))| json!({"pod": pod, "at": clock.rfc3339(*at), "by": by}));
    json!({
        "start": clock.begins(),
        "notes": verdict.notes,
        "timeline": verdict.told,
        "evictions": matched.pairs.iter().map(eviction).collect::<Value>(),
        "only_simulated": only.collect::<Value>(),
        "deletions": deletions.collect::<Value>(),
        "explained": matched.explained(verdict.tolerance),
        "recorded": matched.pairs.len(),
        "seeds": verdict.seeds,
        "verdict": verdict.sentence(),
    })
}

/// A row for each eviction that was recorded, and then for each that only the simulation has.
pub(crate) fn table(verdict: &Verdict) -> Rows {
    let fields = fields();
    let recorded = |pair| cells(&fields, (verdict, pair));
    let mut rows: Vec<Vec<Cell<'_>>> = verdict.matched.pairs.iter().map(recorded).collect();
    for (pod, at) in &verdict.matched.only_simulated {
        let mut row = vec![Cell::Empty; fields.len()];
        (row[0], row[2]) = (Cell::text(Some(pod.clone())), Cell::instant(verdict.clock, *at));
        rows.push(row);
    }
    Rows { name: "incident", columns: columns(&fields), rows }
}

/// At most this many evictions, and other events, are listed one by one by default.
const FEW: usize = 12;

/// Writes the verdict, what was, and each eviction with its own; of many only those that are not
/// explained, or `all`.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, verdict: &Verdict, all: bool) -> io::Result<()> {
    p.folded(&line(&format!("Verdict: {}.", verdict.sentence())), 0, BOLD)?;
    writeln!(p.out)?;
    let title = format!("An outage from {} on", verdict.clock.begins());
    writeln!(p.out, "{}", p.painted(&title, BOLD))?;
    p.notes(&verdict.notes)?;
    let most = if all { usize::MAX } else { FEW };
    for told in verdict.told.iter().take(most) {
        write!(p.out, "  ")?;
        p.folded(&line(told), 4, PLAIN)?;
    }
    p.more(verdict.told.len(), most, "thing")?;
    if verdict.told.is_empty() {
        writeln!(p.out, "  Nobody did anything, and no node fell silent while it lasted.")?;
    }
    p.held_against(verdict, most)?;
    p.others(verdict, most)
}

impl Printer<'_> {
    /// How many more there are than were told.
    fn more(&mut self, all: usize, most: usize, what: &str) -> io::Result<()> {
        if all <= most {
            return Ok(());
        }
        let n = counted((all - most) as u64, &format!("more {what}"));
        let said = format!("  {n}: `--all`, `-o json`");
        writeln!(self.out, "{}", self.painted(&said, DIM))
    }

    fn held_against(&mut self, verdict: &Verdict, most: usize) -> io::Result<()> {
        let pairs = &verdict.matched.pairs;
        if pairs.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        writeln!(self.out, "{}", self.painted("Evictions, recorded and simulated", BOLD))?;
        let said_of =
            format!("of {} the nearest, and in how many it is so", counted(verdict.seeds, "seed"));
        writeln!(self.out, "  {}", self.painted(&said_of, DIM))?;
        // What is not explained is what there is to look at.
        let mut shown: Vec<&Pair> = pairs.iter().collect();
        if shown.len() > most {
            shown.sort_by_key(|p| p.is_explained(verdict.tolerance));
        }
        for pair in shown.into_iter().take(most) {
            let explained = pair.is_explained(verdict.tolerance);
            let said = said(verdict, pair);
            let text =
                format!("  {:<36} {}  {said}", line(&pair.pod), verdict.clock.clock(pair.recorded));
            let colour = if explained { GREEN } else { RED };
            self.folded(&text, 4, colour)?;
        }
        self.more(pairs.len(), most, "eviction")
    }

    fn others(&mut self, verdict: &Verdict, most: usize) -> io::Result<()> {
        let only = &verdict.matched.only_simulated;
        for (pod, at) in only.iter().take(most) {
            let at = verdict.clock.clock(*at);
            let text = format!("  {:<36} not recorded, simulated {at}", line(pod));
            self.folded(&text, 4, RED)?;
        }
        self.more(only.len(), most, "simulated eviction")?;
        if verdict.deletions.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        writeln!(self.out, "{}", self.painted("Deleted by others", BOLD))?;
        for (pod, (at, by)) in verdict.deletions.iter().take(most) {
            let text = format!("  {:<36} {}  by {}", line(pod), verdict.clock.clock(*at), line(by));
            self.folded(&text, 4, DIM)?;
        }
        self.more(verdict.deletions.len(), most, "deletion")
    }
}

fn said(verdict: &Verdict, pair: &Pair) -> String {
    let (Some(simulated), Some(ms)) = (pair.simulated, pair.apart_ms()) else {
        return "not simulated".to_owned();
    };
    let word = if ms < 0 { "earlier" } else { "later" };
    let other = match (pair.stands_in, pair.reordered) {
        (true, _) => ", another pod of its workload",
        (false, true) => ", in its place in the zone's queue",
        (false, false) => "",
    };
    format!(
        "{}{other} ({}.{} s {word}; {:.0} %)",
        verdict.clock.clock(simulated),
        ms.abs() / 1_000,
        ms.abs() % 1_000 / 100,
        pair.share * 100.0
    )
}

/// The page of a verdict; `text` is what was printed, `run` the name of the reconstruction's run in
/// the page.
pub(crate) fn board(verdict: &Verdict, text: String, run: Option<String>) -> Board {
    let mut parts = vec![Part::list("Verdict", [format!("{}.", verdict.sentence())])];
    parts.extend(curve(verdict).map(Part::Curve));
    if !verdict.told.is_empty() {
        parts.push(Part::list("What happened", verdict.told.clone()));
    }
    parts.extend(run.map(|run| {
        Part::Runs(Runs {
            title: "As it is simulated".to_owned(),
            of: "course".to_owned(),
            runs: vec![("as it was".to_owned(), run)],
            beside: false,
        })
    }));
    let evictions = evictions(verdict);
    if !evictions.rows.is_empty() {
        parts.push(Part::Table(evictions));
    }
    parts.push(Part::text("As it was printed", text));
    Board {
        title: "Incident".to_owned(),
        doc: String::new(),
        subtitle: format!(
            "{}; begins at {}",
            counted(verdict.seeds, "seed"),
            verdict.clock.begins()
        ),
        notes: verdict.notes.clone(),
        parts,
    }
}

/// The points of a line, at most.
const POINTS: u64 = 60;

/// How many were evicted by when, as it was recorded and as it was simulated.
fn curve(verdict: &Verdict) -> Option<Curve> {
    let pairs = &verdict.matched.pairs;
    let recorded: Vec<Time> = pairs.iter().map(|p| p.recorded).collect();
    let alone = verdict.matched.only_simulated.iter().map(|(_, at)| *at);
    let simulated: Vec<Time> = pairs.iter().filter_map(|p| p.simulated).chain(alone).collect();
    let last = recorded.iter().chain(&simulated).max()?.as_secs() + 1;
    let step = last.div_ceil(POINTS);
    let times: Vec<Time> = (0..=last.div_ceil(step)).map(|i| Time::from_secs(i * step)).collect();
    let line = |name: &str, of: &[Time]| {
        let by = |t: &Time| Some(of.iter().filter(|at| *at <= t).count() as f64);
        Line {
            name: name.to_owned(),
            values: times.iter().map(by).collect(),
            low: vec![None; times.len()],
            high: vec![None; times.len()],
        }
    };
    Some(Curve {
        title: "How many were evicted by when".to_owned(),
        across: "UTC".to_owned(),
        ticks: times.iter().map(|t| verdict.clock.clock(*t)).collect(),
        at: Some(times.iter().map(|t| t.as_secs() as f64 / 60.0).collect()),
        lines: vec![line("recorded", &recorded), line("simulated", &simulated)],
        ..Curve::default()
    })
}

fn evictions(verdict: &Verdict) -> Table {
    let rows = verdict.matched.pairs.iter().map(|p| -> Vec<Value> {
        let explained = p.is_explained(verdict.tolerance);
        vec![
            p.pod.as_str().into(),
            verdict.clock.rfc3339(p.recorded).into(),
            p.simulated.map(|at| verdict.clock.rfc3339(at)).into(),
            p.apart_ms().map(|ms| ms as f64 / 1e3).into(),
            (p.share * 100.0).into(),
            if explained { "explained" } else { "not explained" }.into(),
        ]
    });
    let only = verdict.matched.only_simulated.iter().map(|(pod, at)| -> Vec<Value> {
        let at = verdict.clock.rfc3339(*at);
        vec![
            pod.as_str().into(),
            Value::Null,
            at.into(),
            Value::Null,
            Value::Null,
            "only simulated".into(),
        ]
    });
    let columns = ["pod", "recorded", "simulated", "apart, seconds", "% of seeds", "verdict"];
    Table::new("Evictions", columns, rows.chain(only).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::matching::Matched;
    use crate::kernel::{Dur, Time};
    use crate::report::WallClock;
    use crate::report::tables::tests::{csv_of_both, is_told};
    use std::collections::BTreeMap;

    #[test]
    fn what_was_not_recorded_stands_below_what_was() {
        let pair = Pair {
            pod: "shop/a".to_owned(),
            recorded: Time::from_secs(3),
            simulated: Some(Time::from_millis(4_250)),
            share: 1.0,
            stands_in: false,
            reordered: true,
        };
        let only_simulated = vec![("shop/b".to_owned(), Time::from_secs(63))];
        let verdict = Verdict {
            // 2026-11-21T02:29:57Z by `date -u -d … +%s`.
            clock: WallClock(1_795_228_197_000_000),
            told: Vec::new(),
            matched: Matched { pairs: vec![pair], only_simulated },
            tolerance: Dur::from_secs(2),
            deletions: BTreeMap::new(),
            seeds: 1,
            notes: Vec::new(),
        };
        let table = table(&verdict);
        is_told(&table, &[]);
        let expected = "\
pod,recorded,simulated,share,apart_s,stands_in,reordered,explained
shop/a,2026-11-21T02:30:00.000Z,2026-11-21T02:30:01.250Z,1,1.25,false,true,true
shop/b,,2026-11-21T02:31:00.000Z,,,,,
";
        assert_eq!(csv_of_both(&table), expected);
    }
}
