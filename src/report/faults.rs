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

    /// The outages, and for how long each takes nodes away, if it does: until its machines are on
    /// again, or others join in their place. What a drain takes before only a run knows.
    fn lasting(&self) -> impl Iterator<Item = (&Outage, Option<Dur>)> {
        let mut joins = BTreeMap::new();
        let lasts = |o: &Outage| match o.what {
            Away::Joins => {
                joins.extend(o.nodes.iter().map(|n| (*n, o.at)));
                None
            }
            Away::Maintained(_, off) => Some(off),
            Away::Machines | Away::Network(_) => {
                o.lasts.or_else(|| Some(joins.get(o.nodes.first()?)?.since(o.at)))
            }
            _ => None,
        };
        // From the end on, the last join that was met is the next one.
        let backwards: Vec<Option<Dur>> = self.outages.iter().rev().map(lasts).collect();
        self.outages.iter().zip(backwards.into_iter().rev())
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
    let mut columns: Vec<Filled> = columns.collect();
    // Names end their lines at dashes; numbers, cut in two, would be read as others.
    let room = p.style.width.saturating_sub(columns[1..].iter().map(text::width).sum()).max(16);
    let options = textwrap::Options::new(room).break_words(false);
    let options = options.word_separator(textwrap::WordSeparator::AsciiSpace);
    columns[0].1.iter_mut().for_each(|name| *name = textwrap::fill(name, &options));
    let figures = columns.split_off(2);
    for columns in text::tables(&columns, figures, p.style.width) {
        writeln!(p.out, "{}\n", text::table(&columns, |i| i < 2))?;
    }
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
        let (.., spans) = of_model(m, told);
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

/// How many outages of a model there are, one where a group's nodes go one by one; of how many nodes;
/// and how long they last, the shortest first.
fn of_model(model: &Model, told: Told<'_>) -> (usize, usize, Vec<Dur>) {
    let (mut events, mut nodes, mut spans) = (BTreeSet::new(), 0, Vec::new());
    for (o, lasts) in told.lasting() {
        // `m 2 1 of n-0` is the first outage of a model `m 2`, and none of `m`.
        let rest = o.name.strip_prefix(model.name.as_str()).and_then(|r| r.strip_prefix(' '));
        let is_number = |r: &&str| r.split(" of ").next().is_some_and(|n| n.parse::<u64>().is_ok());
        let (Some(event), Some(lasts)) = (rest.filter(is_number), lasts) else { continue };
        events.insert(event.split(": ").next());
        nodes += o.nodes.len();
        spans.push(lasts);
    }
    spans.sort_unstable();
    (events.len(), nodes, spans)
}

fn row(told: &Told<'_>, model: &Model) -> [String; 7] {
    let (events, nodes, spans) = of_model(model, *told);
    let rounded = |d: Dur| short(Dur::from_secs((d.as_millis() + 500) / 1000));
    let span = |d: Option<Dur>| d.map_or("-".to_owned(), rounded);
    let groups = model.objects.iter().any(|o| o.nodes.len() > 1);
    let years = told.window.as_secs_f64() / YEAR_S;
    let expected = model.per_year() * years;
    [
        model.name.clone(),
        counted(model.objects.len() as u64, if groups { "group" } else { "node" }),
        if expected < 10.0 { format!("{expected:.1}") } else { grouped(expected.round() as u64) },
        grouped(events as u64),
        grouped(nodes as u64),
        span(nearest_rank(&spans, 50)),
        span(spans.last().copied()),
    ]
}

/// The same as JSON, with every outage.
pub(crate) fn document(told: Told<'_>) -> Value {
    let drawn = told.drawn;
    let name = |n: &u32| drawn.plan.nodes[*n as usize].name.clone();
    let model = |m: &Model| {
        let (events, nodes, _) = of_model(m, told);
        json!({ "name": m.name, "objects": m.objects.len(), "per_year": m.per_year(), "drawn": events, "node_outages": nodes })
    };
    let outage = |(o, lasts): (&Outage, Option<Dur>)| {
        json!({
            "name": o.name,
            "at_s": o.at.as_secs_f64(),
            "lasts_s": lasts.map(Dur::as_secs_f64),
            "do": kind(&o.what),
            "nodes": o.nodes.iter().map(name).collect::<Vec<String>>(),
        })
    };
    json!({
        "scenario": told.name,
        "seed": told.seed,
        "window_s": told.window.as_secs_f64(),
        "models": drawn.models.list.iter().map(model).collect::<Vec<_>>(),
        "outages": told.lasting().map(outage).collect::<Vec<_>>(),
    })
}

/// The outages as a history: a row for each node and time that it is away, and one without times for
/// each that never is. What overlaps is one outage, called by what came first. From when to when was drawn stands in
/// each of them.
pub(crate) fn history(told: Told<'_>) -> Rows {
    type Row<'a> = (&'a str, Option<(Time, Time, &'static str)>, Time);
    let fields: [Field<Row<'_>>; 6] = [
        ("node", Kind::Text, |row| Cell::text(Some(row.0.to_owned()))),
        ("start", Kind::Seconds, |row| Cell::seconds(row.1.map(|a| a.0))),
        ("end", Kind::Seconds, |row| Cell::seconds(row.1.map(|a| a.1))),
        ("kind", Kind::Text, |row| Cell::text(row.1.map(|a| a.2))),
        ("looked_from", Kind::Seconds, |_| Cell::seconds(Some(Time::ZERO))),
        ("looked_to", Kind::Seconds, |row| Cell::seconds(Some(row.2))),
    ];
    let over = Time::ZERO.saturating_add(told.window);
    let mut rows: Vec<Row<'_>> = Vec::new();
    let nodes = &told.drawn.plan.nodes;
    // The last row of each node.
    let mut last: Vec<Option<usize>> = vec![None; nodes.len()];
    for (o, lasts) in told.lasting() {
        let Some(end) = lasts.map(|lasts| o.at.saturating_add(lasts)) else { continue };
        for &node in &o.nodes {
            let (name, last) = (nodes[node as usize].name.as_str(), &mut last[node as usize]);
            match last.and_then(|i| rows[i].1.as_mut()) {
                Some(away) if o.at <= away.1 => away.1 = away.1.max(end),
                _ => {
                    *last = Some(rows.len());
                    rows.push((name, Some((o.at, end, kind(&o.what))), over));
                }
            }
        }
    }
    let well = nodes.iter().zip(last).filter(|(_, last)| last.is_none());
    rows.extend(well.map(|(node, _)| (node.name.as_str(), None, over)));
    Rows::of("history", &fields, rows)
}

fn kind(what: &Away) -> &'static str {
    match what {
        Away::Machines => "crash",
        Away::Network(_) => "partition",
        Away::Maintained(..) => "maintain",
        Away::Drained(_) => "drain",
        Away::Told(_) => "shutdown",
        Away::OutOfService => "taint",
        Away::Deleted => "delete",
        Away::Joins => "join",
        Away::Controllers => "controllers",
        Away::ApiServer => "api",
        Away::Tainted(_) | Away::Rule(_) | Away::NoRule(_) => "devices",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Cut;
    use crate::report::Style;
    use crate::report::tables::tests::csv_of_both;
    use crate::scenario::{Overrides, drawn, parse};
    use std::path::Path;

    /// Of 60 columns `3 nodes` and the figures take 57 with the space behind them, so that a name has 16. Beside it
    /// and the nodes three figures have room; the others follow below the same names.
    #[test]
    fn a_long_name_ends_its_lines_at_dashes() {
        let text = r#"Scenario(version: 1, horizon: "2h", nodes: [(names: "n-{0..2}")], faults: (models: [
            (name: "the-top-of-rack-switch-of-a-row-in-the-hall", nodes: All, do: Crash, rate: PerNodeYear(1), lasts: Fixed("1m"))]))"#;
        let loaded = parse("f.ron", text.into(), Path::new("")).unwrap();
        let drawn = drawn(&loaded, &Overrides::default()).unwrap();
        let (drawn, window) = (&drawn, Dur::from_secs(7_200));
        let told = Told { name: "f", seed: 1, window, drawn, outages: &[] };
        let mut out = Vec::new();
        let style = Style { width: 60, ..Style::default() };
        write(&mut Printer::new(&mut out, style), told).unwrap();
        let text = String::from_utf8(out).unwrap();
        for line in ["the-top-of-rack-  3 nodes", "switch-of-a-row-", "in-the-hall"] {
            assert_eq!(text.matches(line).count(), 2, "{line}: {text}");
        }
    }

    /// What is reclaimed at 2,120 s joins at 2,300 s, and who is away from 3,000 s on is deleted half
    /// an hour later and joins after three minutes more: 3,000 + 1,800 + 180 = 4,980. The crash from
    /// 10 to 110 s and the cut from 50 to 150 s are one outage of `n-0`, with that of another model, `m 2`, five seconds
    /// before, and `n-2` never fails. That are four outages of `m`, the first of which takes its nodes one by one, and
    /// 1 + 2 + 1 + 1 + 2 = 7 of nodes; and one of `m 2`.
    #[test]
    fn every_outage_has_an_end_and_every_node_a_row() {
        let text = r#"Scenario(version: 1, horizon: "2h", nodes: [(names: "n-{0..2}", zone: "z")],
            faults: (models: [(name: "m", groups: Zones, do: Crash, rate: PerGroupYear(1), lasts: Fixed("1m")),
                (name: "m 2", nodes: All, do: Crash, rate: PerNodeYear(1), lasts: Fixed("1m"))]))"#;
        let loaded = parse("f.ron", text.into(), Path::new("")).unwrap();
        let drawn = drawn(&loaded, &Overrides::default()).unwrap();
        let (time, dur) = (Time::from_secs, Dur::from_secs);
        let of = |at, lasts: Option<u64>, name: &str, nodes: &[u32], what| Outage {
            at: time(at),
            lasts: lasts.map(dur),
            name: format!("m {name}"),
            nodes: nodes.to_vec(),
            what,
        };
        let outages = [
            of(5, Some(5), "2 1 of n-0", &[0], Away::Machines),
            of(10, Some(100), "1 of z: n-0", &[0], Away::Machines),
            of(50, Some(100), "1 of z: n-1", &[0, 1], Away::Network(Cut::Network)),
            of(1_000, None, "2 of z", &[1], Away::Maintained(1, dur(600))),
            of(2_000, None, "3 of z, notice", &[0], Away::Drained(dur(120))),
            of(2_120, None, "3 of z", &[0], Away::Machines),
            of(2_120, None, "3 of z, deleted", &[0], Away::Deleted),
            of(2_300, None, "3 of z, replaced", &[0], Away::Joins),
            of(3_000, None, "4 of z", &[0, 1], Away::Machines),
            of(4_800, None, "4 of z, deleted", &[0, 1], Away::Deleted),
            of(4_980, None, "4 of z, n-0 replaced", &[0], Away::Joins),
            of(4_980, None, "4 of z, n-1 replaced", &[1], Away::Joins),
        ];
        let (drawn, outages) = (&drawn, &outages[..]);
        let told = Told { name: "f", seed: 1, window: dur(7_200), drawn, outages };
        let expected = "\
node,start,end,kind,looked_from,looked_to
n-0,5,150,crash,0,7200
n-1,50,150,partition,0,7200
n-1,1000,1600,maintain,0,7200
n-0,2120,2300,crash,0,7200
n-0,3000,4980,crash,0,7200
n-1,3000,4980,crash,0,7200
n-2,,,,0,7200
";
        assert_eq!(csv_of_both(&history(told)), expected);
        let document = document(told);
        let model = &document["models"][0];
        assert_eq!([&model["drawn"], &model["node_outages"]], [4, 7]);
        assert_eq!(document["models"][1]["drawn"], 1);
        // 100, 100, 180, 600 and 1,980 s.
        assert_eq!(row(&told, &drawn.models.list[0])[5..], ["3m", "33m"]);
    }
}
