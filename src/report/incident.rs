//! The verdict on a past outage: what of it the simulation explains, for people, for programs and
//! as a page with both times of each eviction and the reconstruction as a run.

use super::forecast::number;
use super::results::*;
use crate::analysis::matching::{Matched, Pair, Way};
use crate::lab::forecast::Count;
use crate::report::html::board::{Board, Curve, Line, Part, Runs, Table};
use crate::report::model::WallClock;

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
    pub(crate) deletions: Vec<(String, Time, String)>,
    /// When the runs end.
    pub(crate) horizon: Time,
    /// How many seeds were run; none where healthy nodes are missing, and what runs would say is not known.
    pub(crate) seeds: u64,
    /// The notes of the plan.
    pub(crate) notes: Vec<String>,
}

impl Verdict {
    /// How many of the recorded evictions a run explains.
    fn explained(&self) -> Count {
        Count::of(self.matched.explained.iter().copied())
    }

    /// How many are explained in any run.
    fn can_be(&self) -> u64 {
        self.matched.pairs.iter().filter(|p| p.is_explained()).count() as u64
    }

    /// Nothing of what no run said.
    fn known<'c>(&self, cell: Cell<'c>) -> Cell<'c> {
        if self.seeds == 0 { Cell::Empty } else { cell }
    }

    /// Whether half the runs or more explain every eviction.
    pub(crate) fn is_explained(&self) -> bool {
        self.explained().median == self.matched.pairs.len() as u64
    }

    /// `112 (98 to 120) of 120 evictions explained within 2s, 120 can be; 2 deletions came from user X through
    /// the API`
    fn sentence(&self) -> String {
        let all = self.matched.pairs.len() as u64;
        let (explained, can_be) = (self.explained(), self.can_be());
        let (of, within) = (counted(all, "eviction"), short(self.tolerance));
        let more =
            if can_be > explained.median { format!(", {can_be} can be") } else { String::new() };
        let mut parts = vec![match all {
            0 => "no eviction was recorded".to_owned(),
            _ if self.seeds == 0 => {
                format!("not known of {of}: the nodes that did not fail are named nowhere")
            }
            _ => format!("{} of {of} explained within {within}{more}", number(&explained)),
        }];
        let only = self.matched.only_simulated.len() as u64;
        if only > 0 {
            parts.push(format!("{} simulated that nobody recorded", counted(only, "eviction")));
        }
        let mut by: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, _, who) in &self.deletions {
            *by.entry(who).or_default() += 1;
        }
        for (who, n) in by {
            let is_told = who.contains("API") || who.starts_with("the ");
            let through = if is_told { "" } else { " through the API" };
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
            p.simulated.map_or(Cell::Empty, |(at, _)| Cell::instant(v.clock, at))
        }),
        ("share", Kind::Number, |(_, p)| Cell::number(Some(p.share))),
        ("apart_s", Kind::Number, |(_, p)| Cell::number(p.apart_ms().map(|ms| ms as f64 / 1e3))),
        ("stands_in", Kind::Truth, |(v, p)| v.known(Cell::Truth(p.is(Way::StandsIn)))),
        ("reordered", Kind::Truth, |(v, p)| v.known(Cell::Truth(p.is(Way::Reordered)))),
        ("explained", Kind::Truth, |(v, p)| v.known(Cell::Truth(p.is_explained()))),
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
        deletions.map(|(pod, at, by)| json!({"pod": pod, "at": clock.rfc3339(*at), "by": by}));
    json!({
        "start": clock.begins(),
        "notes": verdict.notes,
        "timeline": verdict.told,
        "evictions": matched.pairs.iter().map(eviction).collect::<Value>(),
        "only_simulated": only.collect::<Value>(),
        "deletions": deletions.collect::<Value>(),
        "explained": verdict.known(Cell::Natural(verdict.explained().median)).json(),
        "can_be_explained": verdict.known(Cell::Natural(verdict.can_be())).json(),
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
    p.part(&format!("An outage, simulated from {} on", verdict.clock.begins()))?;
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
        let left = all.saturating_sub(most);
        let n = counted(left as u64, &format!("more {what}"));
        self.untold(left, &format!("{n}: `--all`, `-o json`"))
    }

    fn held_against(&mut self, verdict: &Verdict, most: usize) -> io::Result<()> {
        let pairs = &verdict.matched.pairs;
        if pairs.is_empty() {
            return Ok(());
        }
        self.part("Evictions, recorded and simulated")?;
        if verdict.seeds > 0 {
            let seeds = counted(verdict.seeds, "seed");
            let said_of = format!("of {seeds} the nearest, and in how many it is so");
            writeln!(self.out, "  {}", self.painted(&said_of, DIM))?;
        }
        // What is not explained is what there is to look at.
        let mut shown: Vec<&Pair> = pairs.iter().collect();
        if shown.len() > most {
            shown.sort_by(|a, b| a.share.total_cmp(&b.share));
        }
        for pair in shown.into_iter().take(most) {
            let (_, colour) = word(pair);
            let (at, said) = (verdict.clock.clock(pair.recorded), said(verdict, pair));
            self.folded(&format!("  {:<36} {at}  {said}", line(&pair.pod)), 4, colour)?;
        }
        self.more(pairs.len(), most, "eviction")
    }

    fn others(&mut self, verdict: &Verdict, most: usize) -> io::Result<()> {
        let only = &verdict.matched.only_simulated;
        for (pod, at) in only.iter().take(most) {
            let at = verdict.clock.clock(*at);
            self.folded(&format!("  {:<36} not recorded, simulated {at}", line(pod)), 4, RED)?;
        }
        self.more(only.len(), most, "simulated eviction")?;
        if verdict.deletions.is_empty() {
            return Ok(());
        }
        self.part("Deleted by others")?;
        for (pod, at, by) in verdict.deletions.iter().take(most) {
            let text = format!("  {:<36} {}  by {}", line(pod), verdict.clock.clock(*at), line(by));
            self.folded(&text, 4, DIM)?;
        }
        self.more(verdict.deletions.len(), most, "deletion")
    }
}

/// What half the runs make of it, or any: in a word, and its colour.
fn word(pair: &Pair) -> (&'static str, anstyle::Style) {
    match pair.share {
        0.5.. => ("explained", GREEN),
        share if share.is_nan() => ("not known", YELLOW),
        _ if pair.is_explained() => ("can be explained", YELLOW),
        _ => ("not explained", RED),
    }
}

fn said(verdict: &Verdict, pair: &Pair) -> String {
    let (Some((simulated, way)), Some(ms)) = (pair.simulated, pair.apart_ms()) else {
        return if verdict.seeds == 0 { "not known" } else { "not simulated" }.to_owned();
    };
    let word = if ms < 0 { "earlier" } else { "later" };
    let other = match way {
        Way::StandsIn => ", another pod of its workload",
        Way::Reordered => ", in its place in the zone's queue",
        Way::Own => "",
    };
    let (at, share) = (verdict.clock.clock(simulated), pair.share * 100.0);
    let away = match ms.unsigned_abs() {
        0 => "at the same time".to_owned(),
        1..100 => format!("less than 0.1 s {word}"),
        ms => format!("{}.{} s {word}", ms / 1_000, ms % 1_000 / 100),
    };
    format!("{at}{other} ({away}; {share:.0} %)")
}

/// The page of a verdict; `text` is what was printed, `run` the name of the reconstruction's run in
/// the page.
pub(crate) fn board(verdict: &Verdict, text: String, run: Option<String>) -> Board {
    let mut parts = vec![Part::list("Verdict", [format!("{}.", verdict.sentence())])];
    parts.extend(curve(verdict).map(Part::Curve));
    if !verdict.told.is_empty() {
        parts.push(Part::list("What happened", verdict.told.clone()));
    }
    if let Some(run) = run {
        let (title, of) = ("As it is simulated".to_owned(), "course".to_owned());
        let runs = vec![("as it was".to_owned(), run)];
        parts.push(Part::Runs(Runs { title, of, runs, beside: false }));
    }
    let evictions = evictions(verdict);
    if !evictions.rows.is_empty() {
        parts.push(Part::Table(evictions));
    }
    parts.push(Part::text("As it was printed", text));
    let seeds = counted(verdict.seeds, "seed");
    Board {
        title: "Incident".to_owned(),
        doc: String::new(),
        subtitle: format!("{seeds}; begins at {}", verdict.clock.begins()),
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
    let nearest = pairs.iter().filter_map(|p| p.simulated);
    let simulated: Vec<Time> = nearest.map(|(at, _)| at).chain(alone).collect();
    let last = recorded.iter().chain(&simulated).max().filter(|_| verdict.seeds > 0)?.as_secs() + 1;
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
    let Rows { columns, rows, .. } = table(verdict);
    let rows = rows.iter().map(|row| row.iter().map(Cell::json).collect::<Value>());
    Table::new("Evictions", columns.into_iter().map(|c| c.name), rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::matching::Matched;
    use crate::kernel::{Dur, Time};
    use crate::report::WallClock;
    use crate::report::tables::tests::{csv_of_both, is_told};

    fn verdict() -> Verdict {
        let pair = Pair {
            pod: "shop/a".to_owned(),
            recorded: Time::from_secs(3),
            simulated: Some((Time::from_millis(4_250), Way::Reordered)),
            share: 1.0,
        };
        let only_simulated = vec![("shop/b".to_owned(), Time::from_secs(63))];
        Verdict {
            // 2026-11-21T02:29:57Z by `date -u -d … +%s`.
            clock: WallClock(1_795_228_197_000_000),
            told: Vec::new(),
            matched: Matched { pairs: vec![pair], explained: vec![1], only_simulated },
            tolerance: Dur::from_secs(2),
            deletions: Vec::new(),
            horizon: Time::from_secs(60),
            seeds: 1,
            notes: Vec::new(),
        }
    }

    #[test]
    fn what_is_nearly_at_the_same_time_is_not_nothing_earlier() {
        let mut verdict = verdict();
        for (millis, words) in [
            (3_000, "(at the same time; 67 %)"),
            (2_970, "(less than 0.1 s earlier; 67 %)"),
            (3_100, "(0.1 s later; 67 %)"),
            (4_250, "(1.2 s later; 67 %)"),
        ] {
            let pair = &mut verdict.matched.pairs[0];
            let at = Time::from_millis(millis);
            (pair.simulated, pair.share) = (Some((at, Way::Reordered)), 2.0 / 3.0);
            let said = said(&verdict, &verdict.matched.pairs[0]);
            assert!(said.ends_with(words), "{said}");
        }
    }

    /// Of 20 seeds one explains both evictions: 1 in 20 is below the range that is told, and 1 in 20
    /// above it. Of 3 seeds two do.
    #[test]
    fn the_verdict_claims_no_more_than_half_the_seeds_do() {
        let mut verdict = verdict();
        let pair = Pair { share: 0.05, ..verdict.matched.pairs[0].clone() };
        verdict.matched = Matched { pairs: vec![pair; 2], ..Matched::default() };
        let mut of = |explained: Vec<u64>| {
            verdict.matched.explained = explained;
            (verdict.sentence(), verdict.is_explained())
        };
        let mut seeds = vec![0; 20];
        seeds[18] = 2;
        let said = "0 (0 to 2) of 2 evictions explained within 2s, 2 can be";
        assert_eq!(of(seeds), (said.to_owned(), false));
        let said = "2 (0 to 2) of 2 evictions explained within 2s";
        assert_eq!(of(vec![2, 0, 2]), (said.to_owned(), true));
    }

    #[test]
    fn what_was_not_recorded_stands_below_what_was() {
        let table = table(&verdict());
        is_told(&table, &[]);
        let expected = "\
pod,recorded,simulated,share,apart_s,stands_in,reordered,explained
shop/a,2026-11-21T02:30:00.000Z,2026-11-21T02:30:01.250Z,1,1.25,false,true,true
shop/b,,2026-11-21T02:31:00.000Z,,,,,
";
        assert_eq!(csv_of_both(&table), expected);
    }
}
