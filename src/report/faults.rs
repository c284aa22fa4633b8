//! What fault models come to: how often each fails by its figures, and what one seed drew.

use super::results::*;
use crate::analysis::statistics::nearest_rank;
use crate::report::html::board::{self, Bar, Board, Part};
use crate::report::text::{self, Filled};
use crate::scenario::{Away, Drawn, Model, Outage, YEAR_S};

/// What was drawn of a scenario.
#[derive(Clone, Copy)]
pub(crate) struct Told<'a> {
    /// The scenario's name.
    pub(crate) name: &'a str,
    pub(crate) seed: u64,
    /// For how long.
    pub(crate) window: Dur,
    pub(crate) drawn: &'a Drawn,
    pub(crate) outages: &'a [Outage],
}

impl Told<'_> {
    fn line(&self) -> String {
        let nodes = counted(self.drawn.plan.nodes.len(), "node");
        format!("{nodes}, seed {}, {}", self.seed, short(self.window))
    }

    /// What is told of each model.
    fn rows(&self) -> impl Iterator<Item = [String; 7]> {
        self.drawn.models.list.iter().map(|m| row(self, m))
    }
}

/// What is told of each model.
const COLUMNS: [&str; 7] =
    ["model", "of", "expected", "drawn", "node-outages", "median", "longest"];

/// Writes a table with a row for each model.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, told: Told<'_>) -> io::Result<()> {
    writeln!(p.out, "{}\n  {}\n", told.name, told.line())?;
    let rows: Vec<_> = told.rows().collect();
    let cells = |i: usize| rows.iter().map(|row| row[i].clone()).collect();
    let columns = COLUMNS.into_iter().enumerate().map(|(i, name)| (name.to_owned(), cells(i)));
    let columns: Vec<Filled> = columns.collect();
    writeln!(p.out, "{}\n", text::table(&columns, Some(p.style.width), |i| i < 2))?;
    let note = "Expected: outages in that time by the model's figures, of all its nodes or groups together. `-o scenario` writes what was drawn as a timeline.";
    p.folded(note, 0, PLAIN)
}

/// The page of what was drawn: how many outages, how long they last, and the table; `text` is what
/// was printed.
pub(crate) fn board_of(told: Told<'_>, text: String) -> Board {
    let said = |[name, of, expected, drawn, nodes, ..]: [String; 7]| {
        format!("{name}, of {of}: outages expected {expected}, drawn {drawn}; nodes away {nodes}")
    };
    let minutes = |d: Dur| d.as_nanos() as f64 / 60e9;
    let bar = |m: &Model| {
        let spans = lengths(&of_model(m, told.outages));
        let middle = nearest_rank(&spans, 50)?;
        let [low, mark, high] = [*spans.first()?, middle, *spans.last()?].map(minutes);
        Some(Bar { name: m.name.clone(), low, mark, high })
    };
    Board {
        title: format!("{}: faults", told.name),
        subtitle: told.line(),
        parts: vec![
            Part::list("What was drawn", told.rows().map(said)),
            Part::Bars {
                title: "How long outages last, from the shortest to the longest".to_owned(),
                unit: "minutes".to_owned(),
                marks: "the median",
                rows: told.drawn.models.list.iter().filter_map(bar).collect(),
            },
            Part::Table(board::Table::new("By model", COLUMNS, told.rows())),
            Part::text("As it was printed", text),
        ],
        ..Board::default()
    }
}

/// How long outages last, the shortest first.
fn lengths(outages: &[&Outage]) -> Vec<Dur> {
    let mut spans: Vec<Dur> = outages.iter().filter_map(|o| o.lasts).collect();
    spans.sort_unstable();
    spans
}

/// The outages of a model that take nodes away.
fn of_model<'a>(model: &Model, outages: &'a [Outage]) -> Vec<&'a Outage> {
    let is_its = |o: &&Outage| {
        let rest = o.name.strip_prefix(model.name.as_str());
        let number = rest.and_then(|r| r.strip_prefix(' '));
        number.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    };
    let takes =
        |o: &&Outage| matches!(o.what, Away::Machines | Away::Network(_) | Away::Maintained(..));
    outages.iter().filter(is_its).filter(takes).collect()
}

fn row(told: &Told<'_>, model: &Model) -> [String; 7] {
    let own = of_model(model, told.outages);
    let nodes: usize = own.iter().map(|o| o.nodes.len()).sum();
    let events: BTreeSet<&str> =
        own.iter().map(|o| o.name.split(": ").next().unwrap_or(&o.name)).collect();
    let spans = lengths(&own);
    let rounded = |d: Dur| short(Dur::from_secs((d.as_millis() + 500) / 1000));
    let span = |d: Option<Dur>| d.map_or("-".to_owned(), rounded);
    let groups = model.objects.iter().any(|o| o.nodes.len() > 1);
    let years = told.window.as_secs_f64() / YEAR_S;
    let expected = model.per_year() * years;
    [
        model.name.clone(),
        counted(model.objects.len() as u64, if groups { "group" } else { "node" }),
        if expected < 10.0 { format!("{expected:.1}") } else { grouped(expected.round() as u64) },
        grouped(events.len() as u64),
        grouped(nodes as u64),
        span(nearest_rank(&spans, 50)),
        span(spans.last().copied()),
    ]
}

/// The same as JSON, with every outage.
pub(crate) fn document(told: Told<'_>) -> Value {
    let Told { drawn, outages, .. } = told;
    let name = |n: &u32| drawn.plan.nodes[*n as usize].name.clone();
    let model = |m: &Model| json!({ "name": m.name, "objects": m.objects.len(), "per_year": m.per_year(), "drawn": of_model(m, outages).len() });
    let outage = |o: &Outage| {
        json!({
            "name": o.name,
            "at_s": o.at.as_secs_f64(),
            "lasts_s": o.lasts.map(Dur::as_secs_f64),
            "do": kind(&o.what),
            "nodes": o.nodes.iter().map(name).collect::<Vec<String>>(),
        })
    };
    json!({
        "version": 1,
        "scenario": told.name,
        "seed": told.seed,
        "window_s": told.window.as_secs_f64(),
        "models": drawn.models.list.iter().map(model).collect::<Vec<_>>(),
        "outages": outages.iter().map(outage).collect::<Vec<_>>(),
    })
}

/// The outages as a history: a row for each node that is away.
pub(crate) fn history(told: Told<'_>) -> Rows {
    let fields: [Field<(&str, &Outage, Dur)>; 4] = [
        ("node", Kind::Text, |(node, ..)| Cell::text(Some(node.to_owned()))),
        ("start", Kind::Seconds, |(_, o, _)| Cell::Seconds(o.at)),
        ("end", Kind::Seconds, |(_, o, lasts)| Cell::Seconds(o.at.saturating_add(lasts))),
        ("kind", Kind::Text, |(_, o, _)| Cell::Text(kind(&o.what).into())),
    ];
    let name = |node: &u32| told.drawn.plan.nodes[*node as usize].name.as_str();
    let over = told.outages.iter().filter_map(|o| Some((o, o.lasts?)));
    let away = over.flat_map(|(o, lasts)| o.nodes.iter().map(move |node| (name(node), o, lasts)));
    Rows::of("history", &fields, away)
}

fn kind(what: &Away) -> &'static str {
    match what {
        Away::Machines => "crash",
        Away::Network(_) => "partition",
        Away::Maintained(..) => "maintain",
        Away::Drained(_) => "drain",
        Away::OutOfService => "taint",
        Away::Deleted => "delete",
        Away::Joins => "join",
        Away::Controllers => "controllers",
        Away::ApiServer => "api",
        Away::Tainted(_) | Away::Rule(_) | Away::NoRule(_) => "devices",
    }
}
