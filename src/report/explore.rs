//! What a search of the race lab found, for people and for programs.

use super::odds::{drawn, of_drawn};
use super::results::*;
use crate::analysis::properties::Property;
use crate::api::words::rows;
use crate::lab::explore::{Change, Of, Reached, Report, Violated};
use crate::report::html::board::Item;
use crate::report::text::fold;

/// How many outcomes are shown.
const OUTCOMES: usize = 10;

/// A search that is over, under one release.
pub(crate) struct Searched<'a> {
    /// The release, as it was asked for.
    pub(crate) release: String,
    /// The most deviations, or PCT's depth.
    pub(crate) depth: u32,
    /// How timelines may be otherwise, in words.
    pub(crate) changes: String,
    /// What was found.
    pub(crate) report: &'a Report,
    /// The file of each violation's tape, in their order.
    pub(crate) tapes: Vec<String>,
    /// The folder of each violation's report, in their order, where reports are asked for.
    pub(crate) reports: Vec<String>,
}

rows! {
    /// What a search says of a property.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Says {
        /// It does not hold.
        Violated = "violated",
        /// It holds in all runs of the search, and there are more.
        NotFound = "not found",
        /// It holds in every run with as many deviations as were asked for.
        Exhausted = "exhausted",
        /// It holds where that can be said: of some runs the horizon came before its bound was over.
        Undecided = "undecided",
        /// No run was made, which says nothing.
        NotTried = "not tried",
    }

    pub(crate) fn words -> &'static str;
}

impl Says {
    /// What a report says of a property.
    pub(crate) fn of(report: &Report, property: &Property) -> Self {
        match report.violations.iter().any(|v| v.property == *property) {
            true => Self::Violated,
            false => Self::without(report, property),
        }
    }

    /// What it says of a property of which it has no violation.
    pub(crate) fn without(report: &Report, property: &Property) -> Self {
        match report.all_runs() {
            0 => Self::NotTried,
            _ if report.undecided.contains_key(property) => Self::Undecided,
            _ if report.exhausted => Self::Exhausted,
            _ => Self::NotFound,
        }
    }
}

/// Writes one search for people.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(p: &mut Printer<'_>, searched: &Searched<'_>) -> io::Result<()> {
    let r = searched.report;
    let mut said = counted(r.runs, "run");
    if r.pruned > 0 || r.skipped > 0 {
        let (cut, left) = (grouped(r.pruned), grouped(r.skipped));
        said += &format!(", {cut} of them cut short in a known state; ");
        said += &format!("{left} swaps of independent steps left out");
    }
    if r.states > 0 {
        said += &format!("; {}", counted(r.states, "state"));
    }
    p.folded(&said, 0, PLAIN)?;
    let out = &mut *p.out;
    match (r.complete, r.exhausted) {
        (true, _) => writeln!(out, "exhausted: there are no other runs")?,
        (_, true) => {
            let depth = deviations(searched);
            writeln!(out, "exhausted: every run with up to {depth} from the default order")?;
        }
        _ => writeln!(out, "not exhausted: there are more runs")?,
    }
    write_outcomes(p, searched)?;
    write_violations(p, searched)?;
    undecided(r).map_or(Ok(()), |open| p.folded(&open, 2, PLAIN))
}

/// The properties of which some runs say nothing, and how many runs do not.
fn undecided(r: &Report) -> Option<String> {
    let open = r.undecided.iter().map(|(p, n)| format!("{p} in {}", counted(*n, "run")));
    let open = open.collect::<Vec<_>>().join(", ");
    let came = "undecided, as the horizon came before the bound was over";
    (!open.is_empty()).then(|| format!("{came}: {open}"))
}

/// Writes the outcomes, the most frequent ones first.
fn write_outcomes(p: &mut Printer<'_>, searched: &Searched<'_>) -> io::Result<()> {
    let r = searched.report;
    writeln!(p.out, "\n{}", counted(r.outcomes.len() as u64, "outcome"))?;
    list(p, &r.outcomes)?;
    if let Some(beside) = &r.beside {
        let out = &mut *p.out;
        let drawn = counted(beside.runs, "run");
        let more = grouped(beside.outcomes.iter().map(|o| o.runs).sum());
        write!(out, "{drawn} with all choices drawn: ")?;
        match beside.outcomes.len() as u64 {
            0 => writeln!(out, "no other outcome")?,
            n => writeln!(
                out,
                "{more} of them have {} that no run above has",
                counted(n, "outcome")
            )?,
        }
        list(p, &beside.outcomes)?;
    }
    if r.changed > 0 {
        let runs = counted(r.changed, "run");
        p.folded(&format!("{runs} with other timelines: {}", searched.changes), 0, PLAIN)?;
    }
    if !r.untried.is_empty() {
        writeln!(p.out, "no time for a run of: {}", r.untried.join(", "))?;
    }
    writeln!(p.out)
}

/// Writes some outcomes, each with its count.
fn list(p: &mut Printer<'_>, outcomes: &[Reached]) -> io::Result<()> {
    let width = outcomes.iter().map(|o| grouped(o.runs).len()).max().unwrap_or(1);
    for o in outcomes.iter().take(OUTCOMES) {
        write!(p.out, "  {:>width$} × ", grouped(o.runs))?;
        p.folded(o.told(), width + 5, PLAIN)?;
    }
    if outcomes.len() > OUTCOMES {
        let more = counted((outcomes.len() - OUTCOMES) as u64, "more outcome");
        let runs = counted(outcomes[OUTCOMES..].iter().map(|o| o.runs).sum::<u64>(), "run");
        writeln!(p.out, "  and {more}, of {runs}; -o json names all")?;
    }
    Ok(())
}

/// More violations than this of one property in one run are told as one, and have one tape.
const ALIKE: usize = 3;

/// For each violation the one whose tape shows it, by its place: itself, or the first of many that its run shows of its property.
pub(crate) fn shown_by(all: &[Violated]) -> Vec<usize> {
    let mut firsts: Vec<usize> = Vec::with_capacity(all.len());
    for v in all {
        // Tapes of drawn runs are long: each is held against one of each run.
        let of_first = |j: &usize| (&all[*j].tape, &all[*j].changes) == (&v.tape, &v.changes);
        let first = (0..firsts.len()).filter(|j| firsts[*j] == *j).find(of_first);
        firsts.push(first.unwrap_or(firsts.len()));
    }
    let one = |(i, &first): (usize, &usize)| {
        let is_alike = |j: &usize| (firsts[*j], all[*j].property) == (first, all[i].property);
        let alike: Vec<usize> = (0..all.len()).filter(is_alike).collect();
        if alike.len() > ALIKE { alike[0] } else { i }
    };
    firsts.iter().enumerate().map(one).collect()
}

/// What a violation comes of, wherever it is: of which property, whose, and what it takes: faults, entries at other times,
/// and kinds of choices, where these are few.
type Cause<'a> = (Property, &'a str, BTreeSet<String>);

/// The same by `words`: entries are alike that make the same words true, but for names and numbers.
fn cause(v: &Violated, by_words: bool) -> Cause<'_> {
    let is_kept = |w: &&str| !w.contains(char::is_numeric) && !v.about.split(' ').any(|n| n == *w);
    let change = |change: &Change| match &change.of {
        Of::Fault(text) => text.split('(').next().unwrap_or_default().to_owned(),
        Of::Entry(_) if by_words => v.text.split(' ').filter(is_kept).collect(),
        Of::Entry(entry) => format!("timeline[{entry}]"),
    };
    let many = (!v.is_small).then(|| "many choices".to_owned());
    let few = v.tape.iter().filter(|_| v.is_small).map(|d| d.point.to_string());
    (v.property, &v.whose, v.changes.iter().map(change).chain(few).chain(many).collect())
}

/// Which violations are told, and which are like each: of the same cause elsewhere, or of one run that shows many.
pub(crate) fn told(all: &[Violated]) -> Vec<(usize, Vec<usize>)> {
    let both = |v| [false, true].map(|by_words| cause(v, by_words));
    let (shown_by, causes) = (shown_by(all), all.iter().map(both).collect::<Vec<_>>());
    let mut told: Vec<(usize, Vec<usize>)> = Vec::new();
    for (i, shown) in shown_by.iter().enumerate() {
        let has_its = |j: usize| (0..2).any(|which| causes[j][which] == causes[i][which]);
        let is_like = |j: usize| has_its(j) || shown_by[j] == *shown;
        match told.iter_mut().find(|(j, _)| is_like(*j)) {
            Some((_, alike)) => alike.push(i),
            None => told.push((i, Vec::new())),
        }
    }
    told
}

/// How many more are alike; few are named.
fn more_alike(all: &[Violated], alike: &[usize]) -> String {
    let named = alike.iter().map(|i| all[*i].about.trim().replace(' ', " on "));
    let named = joined(named.filter(|_| alike.len() <= ALIKE), ", ");
    let named = named.map_or(String::new(), |named| format!(": {named}"));
    format!("and {} more alike{named}", grouped(alike.len() as u64))
}

/// Writes the violations, each with its tape.
fn write_violations(p: &mut Printer<'_>, searched: &Searched<'_>) -> io::Result<()> {
    let r = searched.report;
    if r.violations.is_empty() {
        return writeln!(p.out, "no violation");
    }
    let told = told(&r.violations);
    write!(p.out, "{}", counted(r.violations.len() as u64, "violation"))?;
    if told.len() < r.violations.len() {
        write!(p.out, ", told as {}", grouped(told.len() as u64))?;
    }
    writeln!(p.out)?;
    for (i, alike) in told {
        let v = &r.violations[i];
        let property = v.property.to_string();
        // The property is in colour, and the line folded as if it were not.
        let text = fold(&format!("{property}, {}", how(v)), p.style.width.saturating_sub(6));
        let text = text.join("\n      ");
        let rest = text.strip_prefix(&property).unwrap_or_default();
        writeln!(p.out, "  {}{rest}", p.painted(&property, RED))?;
        if let Some((count, of)) = v.drawn {
            let is_other = |w: &Violated| w.property == v.property && w.about != v.about;
            let alone = if r.violations.iter().any(is_other) { ", this one alone" } else { "" };
            let said = format!("drawn as upstream comes to it{alone}: {}", of_drawn(count, of));
            p.indented(&said, 6, PLAIN)?;
        }
        leads(p, searched, (i, &alike))?;
    }
    Ok(())
}

/// What shows a violation, and how many are told by it.
fn leads(
    p: &mut Printer<'_>,
    searched: &Searched<'_>,
    (i, alike): (usize, &[usize]),
) -> io::Result<()> {
    if let Some(file) = searched.tapes.get(i) {
        writeln!(p.out, "      taintsim replay {file}")?;
    }
    if let Some(folder) = searched.reports.get(i) {
        writeln!(p.out, "      report in {folder}")?;
    }
    if alike.is_empty() {
        return Ok(());
    }
    let more = more_alike(&searched.report.violations, alike);
    p.indented(&format!("{more}; -o json names all"), 6, PLAIN)
}

/// With how many deviations a property does not hold, how often, and why.
fn how(v: &Violated) -> String {
    let from = match v.tape.len() {
        0 => "in the default order".to_owned(),
        n if n < 2 || v.is_small => format!("with {}", counted(n, "deviation")),
        n => format!("with {n} deviations (there was no time to look for fewer)"),
    };
    let with = match (v.changes.is_empty(), v.tape.is_empty()) {
        (true, _) => String::new(),
        (_, true) => format!(" with {}", changes(v)),
        (_, false) => format!(" and {}", changes(v)),
    };
    format!("{from}{with}, in {}: {}", counted(v.runs, "run"), v.text)
}

/// The settings by which entries of the timeline come at other times.
fn changes(v: &Violated) -> String {
    v.changes.iter().map(Change::set).collect::<Vec<_>>().join(", ")
}

/// What searches found, a sentence each, with the command that shows a violation.
pub(crate) fn answer(searches: &[Searched<'_>], properties: &[Property]) -> Vec<Item> {
    let mut items = Vec::new();
    for s in searches {
        let of = format!("Kubernetes {}", s.release);
        for (i, alike) in told(&s.report.violations) {
            let (v, Some(tape)) = (&s.report.violations[i], s.tapes.get(i)) else { continue };
            let mut text = format!("{of}: {} is violated, {}", v.property, how(v));
            if !alike.is_empty() {
                text += &format!("; {}", more_alike(&s.report.violations, &alike));
            }
            items.push(Item { text, command: Some(format!("taintsim replay {tape}")) });
        }
        for says in [Says::Exhausted, Says::NotFound, Says::Undecided, Says::NotTried] {
            let list = properties.iter().filter(|p| Says::of(s.report, p) == says);
            let list: Vec<String> = list.map(Property::to_string).collect();
            if list.is_empty() {
                continue;
            }
            let said = match says {
                Says::Exhausted => format!("no violation in any run with up to {}", deviations(s)),
                Says::NotTried => "no run was made, as the time was over".to_owned(),
                Says::Undecided => {
                    "no violation where that can be said, for of some runs the horizon came before \
                     the bound was over"
                        .to_owned()
                }
                _ => {
                    let runs = counted(s.report.all_runs(), "run");
                    format!("no violation in {runs}, and there are more")
                }
            };
            let text = format!("{of}: {said}: {}", list.join(", "));
            items.push(Item { text, command: None });
        }
    }
    items
}

fn deviations(s: &Searched<'_>) -> String {
    counted(u64::from(s.depth), "deviation")
}

/// Writes the table of several releases.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_table(
    p: &mut Printer<'_>,
    searches: &[Searched<'_>],
    properties: &[Property],
) -> io::Result<()> {
    let out = &mut *p.out;
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    let row = |name: String, of: &dyn Fn(&Searched<'_>) -> String| -> Vec<String> {
        std::iter::once(name).chain(searches.iter().map(of)).collect()
    };
    table.set_header(row("property".to_owned(), &|s| s.release.clone()));
    for p in properties {
        table.add_row(row(p.to_string(), &|s| Says::of(s.report, p).words().to_owned()));
    }
    table.add_row(row("runs".to_owned(), &|s| grouped(s.report.all_runs())));
    writeln!(out, "{}", table.trim_fmt())?;
    if let Some(s) = searches.iter().find(|s| s.report.exhausted) {
        let (depth, drawn) = (deviations(s), grouped(s.report.all_runs() - s.report.runs));
        writeln!(out, "exhausted: in no run with up to {depth}, nor in {drawn} drawn ones")?;
    }
    for s in searches {
        if let Some(open) = undecided(s.report) {
            p.folded(&format!("{}: {open}", s.release), 2, PLAIN)?;
        }
    }
    writeln!(p.out)?;
    for s in searches {
        for (i, alike) in told(&s.report.violations) {
            let v = &s.report.violations[i];
            p.folded(&format!("{} {}: {}", s.release, v.property, v.text), 6, PLAIN)?;
            leads(p, s, (i, &alike))?;
        }
    }
    Ok(())
}

impl Searched<'_> {
    /// The release as other commands' documents and tables tell it.
    fn released(&self) -> &str {
        self.release.trim_start_matches('v')
    }
}

/// What was found, as JSON.
pub(crate) fn document(
    scenario: &str,
    searches: &[Searched<'_>],
    properties: &[Property],
) -> Value {
    let one = |s: &Searched<'_>| {
        let r = s.report;
        let says = properties.iter().map(|p| (p.to_string(), Says::of(r, p).words().into()));
        let outcomes = |outcomes: &[Reached]| -> Vec<Value> {
            let one = |o: &Reached| json!({ "runs": o.runs, "outcome": o.told() });
            outcomes.iter().map(one).collect()
        };
        let violation = |(i, v): (usize, &Violated)| {
            let mut told = json!({
                "property": v.property.to_string(),
                "text": v.text,
                "runs": v.runs,
                "changes": v.changes.iter().map(Change::set).collect::<Vec<_>>(),
                "deviations": v.tape.len(),
                "small": v.is_small,
                "drawn": v.drawn.map(drawn),
                "tape": s.tapes.get(i),
            });
            if let Some(folder) = s.reports.get(i) {
                told["report"] = folder.as_str().into();
            }
            told
        };
        json!({
            "kubernetes": s.released(),
            "depth": s.depth,
            "runs": r.runs,
            "pruned": r.pruned,
            "skipped": r.skipped,
            "states": (r.states > 0).then_some(r.states),
            "exhausted": r.exhausted,
            "complete": r.complete,
            "undecided": r.undecided.iter().map(|(p, n)| (p.to_string(), (*n).into())).collect::<Map<String, Value>>(),
            "changed": r.changed,
            "untried": r.untried,
            "drawn_beside": r.beside.as_ref().map(|b| json!({ "runs": b.runs, "outcomes": outcomes(&b.outcomes) })),
            "properties": says.collect::<Map<String, Value>>(),
            "outcomes": outcomes(&r.outcomes),
            "violations": r.violations.iter().enumerate().map(violation).collect::<Vec<_>>(),
        })
    };
    json!({
        "taintsim": env!("CARGO_PKG_VERSION"),
        "scenario": scenario,
        "searches": searches.iter().map(one).collect::<Vec<_>>(),
    })
}

/// A property under a release, and an outcome that violates it, with the file of a run that leads
/// there.
type Found<'s> = (&'s Searched<'s>, &'s Property, Option<(&'s Violated, Option<&'s String>)>);

/// A row for each property under each release, and where it does not hold one for each outcome that
/// violates it, with a run that leads there.
pub(crate) fn table(searches: &[Searched<'_>], properties: &[Property]) -> Rows {
    let fields: [Field<Found<'_>>; 9] = [
        ("kubernetes", Kind::Text, |(s, ..)| Cell::text(Some(s.released().to_owned()))),
        ("property", Kind::Text, |(_, property, _)| Cell::Text(property.to_string().into())),
        ("found", Kind::Text, |(s, p, _)| Cell::Text(Says::of(s.report, p).words().into())),
        ("text", Kind::Text, |(.., v)| Cell::text(v.map(|v| v.0.text.clone()))),
        ("runs", Kind::Natural, |(.., v)| v.map_or(Cell::Empty, |v| Cell::Natural(v.0.runs))),
        ("changes", Kind::Text, |(.., v)| {
            Cell::text(v.map(|v| changes(v.0)).filter(|c| !c.is_empty()))
        }),
        ("deviations", Kind::Whole, |(.., v)| Cell::whole(v.map(|v| v.0.tape.len() as i64))),
        ("small", Kind::Truth, |(.., v)| v.map_or(Cell::Empty, |v| Cell::Truth(v.0.is_small))),
        ("tape", Kind::Text, |(.., v)| Cell::text(v.and_then(|v| v.1.cloned()))),
    ];
    let mut rows: Vec<Found<'_>> = Vec::new();
    for s in searches {
        for property in distinct(properties.iter()) {
            let violations = s.report.violations.iter().enumerate();
            let of_it = violations.filter(|(_, v)| v.property == *property);
            let before = rows.len();
            rows.extend(of_it.map(|(i, v)| (s, property, Some((v, s.tapes.get(i))))));
            if rows.len() == before {
                rows.push((s, property, None));
            }
        }
    }
    Rows::of("explore", &fields, rows)
}

#[cfg(test)]
mod tests;
