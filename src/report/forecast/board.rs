//! A forecast as a page and as a chart: how many are evicted by when, who is when, and all that
//! comes, for each course.

use super::said::{FEW, Outlook, done, node, number, volumes};
use crate::analysis::course::{Goes, Happening};
use crate::lab::forecast::{Foreseen, Queue};
use crate::report::Heading;
use crate::report::charts::{self, Drawing, Plane};
use crate::report::html::board::{Bar, Board, Curve, Line, Part, Table};
use crate::report::prelude::*;

/// More spans are left to the table.
const BARS: usize = 40;
/// What ranges are, wherever they stand.
const RANGE: &str = "nine in ten of the seeds";
/// What is counted over time, in its words.
const COUNTED: [(Happening, &str); 3] = [
    (Happening::PodDeleted, "pods"),
    (Happening::PodBound, "pods on a new node"),
    (Happening::NodeNoExecute, "nodes that get a NoExecute taint"),
];

/// The page of a forecast: the courses by name, the one without anybody's doing first; `text` is
/// what was printed.
pub(crate) fn board(courses: &[Outlook<'_>], text: String) -> Board {
    let mut parts = Vec::new();
    let titled = |what: &str, outlook: &Outlook<'_>| match courses.len() {
        1 => what.to_owned(),
        _ => format!("{what}: {}", outlook.name),
    };
    for outlook in courses {
        let mut items = outlook.answer();
        let volumes = volumes(outlook).into_iter().take(FEW);
        items.extend(volumes.map(|(of, said)| format!("{of}: {said}.")));
        if items.is_empty() {
            items.push(outlook.nothing());
        }
        parts.push(Part::list(titled("What comes", outlook), items));
        if outlook.forecast.happenings.is_empty() {
            continue;
        }
        let curve = curve(outlook, titled("How many by when", outlook));
        if !curve.lines.is_empty() {
            parts.push(Part::Curve(curve));
        }
        let mut rows = bars(outlook);
        // Decimals of a minute are no time that anybody reads.
        let (has_bars, is_short) = (!rows.is_empty(), rows.iter().all(|row| row.high < 5.0));
        let (unit, each) = if is_short { ("seconds", 60.0) } else { ("minutes", 1.0) };
        for row in &mut rows {
            (row.low, row.mark, row.high) = (row.low * each, row.mark * each, row.high * each);
        }
        let title = titled("Who is when", outlook);
        let unit = format!(
            "{unit} from now, {}; from the first to the last in {RANGE}, and the middle",
            outlook.clock(Time::ZERO)
        );
        let bars = Part::Bars { title, unit, marks: "the middle", rows };
        // Only pods and volumes may move, and nobody go.
        parts.extend(Some(bars).filter(|_| has_bars));
    }
    for outlook in courses {
        if !outlook.forecast.happenings.is_empty() {
            parts.push(Part::Table(table(&titled("All that comes", outlook), outlook)));
        }
    }
    parts.push(Part::text("As it was printed", text));
    let first = courses.first();
    Board {
        title: "Forecast".to_owned(),
        doc: first
            .map_or(String::new(), |o| format!("From an export of {}.", o.basis.clock.begins())),
        subtitle: first.map_or(String::new(), |o| o.basis.head.clone()),
        notes: first.map_or(Vec::new(), Outlook::notes),
        parts,
    }
}

fn minutes(t: Time) -> f64 {
    t.as_nanos() as f64 / 60e9
}

/// What is counted of all workloads together, over minutes from now.
fn lines(outlook: &Outlook<'_>) -> impl Iterator<Item = charts::Line> {
    let line = move |(what, name): (Happening, &str)| {
        let counts = &outlook.span(what, None)?.counts;
        let points = outlook.forecast.times.iter().zip(counts);
        Some(charts::Line {
            name: match what {
                Happening::PodDeleted => format!("{name} {}", done(&outlook.of(what))),
                _ => name.to_owned(),
            },
            points: points.map(|(t, c)| (minutes(*t), c.median as f64)).collect(),
            band: counts.iter().map(|c| (c.low as f64, c.high as f64)).collect(),
            band_of: Some(RANGE),
            ..charts::Line::default()
        })
    };
    COUNTED.into_iter().filter_map(line)
}

fn curve(outlook: &Outlook<'_>, title: String) -> Curve {
    let times = &outlook.forecast.times;
    Curve {
        title,
        across: format!("UTC; the bands hold {RANGE}"),
        ticks: times.iter().map(|t| outlook.clock(*t)).collect(),
        at: Some(times.iter().map(|t| minutes(*t)).collect()),
        lines: lines(outlook).map(Line::from).collect(),
        marks: vec![(0, "now".to_owned())],
        ..Curve::default()
    }
}

/// The times of queues, of nodes beside them, and of workloads, those that lose most first.
fn bars(outlook: &Outlook<'_>) -> Vec<Bar> {
    let forecast = outlook.forecast;
    let bar = |name: String, low: Time, mark: f64, high: Time| {
        let (low, high) = (minutes(low), minutes(high));
        Bar { name, low, mark, high }
    };
    let queue = |q: &Queue| {
        let name = format!("NoExecute: {} {}", counted(q.nodes as u64, "node"), q.zone);
        let middle = (minutes(q.first.median) + minutes(q.last.median)) / 2.0;
        bar(name, q.first.low, middle, q.last.high)
    };
    let queued = |f: &&&Foreseen| forecast.queues.iter().any(|q| q.names.contains(&f.object));
    let mut rows: Vec<Bar> = forecast.queues.iter().map(queue).collect();
    let tainted = outlook.of(Happening::NodeNoExecute);
    rows.extend(tainted.iter().filter(|f| !queued(f)).take(BARS).map(|f| {
        let name = format!("NoExecute: {}", f.object);
        bar(name, f.when.low, minutes(f.when.median), f.when.high)
    }));
    let mut by_workload = Vec::from_iter(outlook.by_workload(&[Happening::PodDeleted]));
    by_workload.sort_by_key(|(name, pods)| (std::cmp::Reverse(pods.len()), *name));
    let left = BARS.saturating_sub(rows.len());
    rows.extend(by_workload.into_iter().take(left).map(|(of, pods)| {
        let all = outlook.span(Happening::PodDeleted, Some(of));
        let (low, high) = all.map_or((Time::ZERO, Time::ZERO), |b| (b.first.low, b.last.high));
        let word = done(&pods);
        let name = match pods.as_slice() {
            [one] => format!("{word}: {}", one.object),
            _ => format!("{word}: {} {of}", all.map_or(String::new(), |b| number(&b.all))),
        };
        // Of an even number that between the two in the middle.
        let half = pods.len() / 2;
        let of_middle = [pods.get(half), pods.get(pods.len().saturating_sub(half + 1))];
        let middle: f64 = of_middle.into_iter().flatten().map(|f| minutes(f.when.median)).sum();
        bar(name, low, middle / 2.0, high)
    }));
    rows
}

fn table(title: &str, outlook: &Outlook<'_>) -> Table {
    let row = |f: &Foreseen| {
        let times = [f.when.low, f.when.median, f.when.high];
        // Their ends are whole seconds, and so is what stands between.
        let whole = |at: Time| {
            let text = outlook.basis.clock.rfc3339(at).replacen('T', " ", 1);
            text.split_once('.').map_or(String::new(), |(seconds, _)| format!("{seconds}Z"))
        };
        let [mut low, median, mut high] = times.map(whole);
        // One seed has no range.
        if f.in_seeds.len() <= 1 {
            (low, high) = Default::default();
        }
        let node = node(f).unwrap_or_default();
        let what = f.goes.map_or(f.what.in_words(), Goes::as_str);
        json!([f.object, what, low, median, high, f.when.share * 100.0, node])
    };
    let columns = [
        "object",
        "what",
        "hardly before",
        "most likely about",
        "hardly after",
        "% of seeds",
        "node",
    ];
    // What is sure comes first.
    let mut all: Vec<&Foreseen> = outlook.forecast.happenings.iter().collect();
    all.sort_by(|a, b| b.when.share.total_cmp(&a.when.share));
    Table::new(title, columns, all.into_iter().map(row))
}

/// Draws how many are evicted by when.
pub(crate) fn chart(outlook: &Outlook<'_>) -> Drawing {
    charts::draw_plane(&plane(outlook))
}

/// As many sentences as have room in one line below a title.
fn first_of(sentences: &[String]) -> String {
    const CHARS: usize = 140;
    let mut all = (0..=sentences.len()).rev().map(|n| sentences[..n].join(" "));
    all.find(|all| all.chars().count() <= CHARS).unwrap_or_default()
}

fn plane(outlook: &Outlook<'_>) -> Plane {
    let (times, basis) = (&outlook.forecast.times, outlook.basis);
    // Where nothing happens there is still a time in which it does not.
    let whole = [Time::ZERO, basis.horizon];
    let shown = if times.is_empty() { &whole[..] } else { times };
    let ticks = shown.iter().step_by((shown.len() / 10).max(1));
    let doc = match outlook.forecast.happenings.is_empty() {
        true => outlook.nothing(),
        false => first_of(&outlook.answer()),
    };
    Plane {
        heading: Heading {
            title: format!("How many are {} by when", done(&outlook.of(Happening::PodDeleted))),
            subtitle: format!("from an export of {}; {}", basis.clock.begins(), basis.head),
            doc,
        },
        across: "UTC".to_owned(),
        up: "pods, nodes".to_owned(),
        ticks: ticks.map(|t| (minutes(*t), outlook.clock(*t))).collect(),
        lines: lines(outlook).collect(),
        marks: vec![(0.0, 0.0, "now".to_owned())],
        from_zero: true,
        ..Plane::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Frees;
    use crate::lab::forecast::{Forecast, When};
    use crate::report::WallClock;
    use crate::report::forecast::Basis;

    /// A volume moves, and nobody goes: it is told, and there is no chart of who goes when.
    #[test]
    fn a_course_on_which_nobody_goes_has_no_bars() {
        let at = Time::from_secs(20);
        let basis = Basis {
            ran: serde_json::Value::Null,
            clock: WallClock(9 * 3_600_000_000),
            silent: Vec::new(),
            course: String::new(),
            head: String::new(),
            notes: Vec::new(),
            horizon: Time::from_secs(1_800),
            open: None,
            tainted: false,
            frees: Frees::ALL,
        };
        let attached = Foreseen {
            what: Happening::VolumeAttached,
            object: "shop/data".to_owned(),
            when: When { low: at, median: at, high: at, share: 1.0 },
            node: Some("n3".to_owned()),
            node_share: 1.0,
            workload: None,
            goes: None,
            in_seeds: vec![0],
        };
        let forecast = Forecast { happenings: vec![attached], ..Forecast::default() };
        let outlook = Outlook { basis: &basis, name: "heal n1", forecast: &forecast };
        let board = board(&[outlook], String::new());
        assert!(!board.parts.iter().any(|part| matches!(part, Part::Bars { .. })));
        let [Part::List { items, .. }, ..] = &board.parts[..] else { panic!("no list") };
        let told: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(told, ["shop/data: attached 09:00:20 (in 20s) to n3."]);
        let table = board.parts.iter().find_map(|part| match part {
            Part::Table(table) => Some(json!(table.rows)),
            _ => None,
        });
        let at = "1970-01-01 09:00:20Z";
        let row = json!([["shop/data", "attached", "", at, "", 100.0, "n3"]]);
        assert_eq!(table, Some(row));
        // Half an hour after nine.
        assert_eq!(outlook.nothing(), "Nothing happens in the 30m looked ahead (to 09:30:00).");
    }

    #[test]
    fn a_charts_line_ends_with_a_sentence() {
        let said = ["a".repeat(69), "b".repeat(69), "c.".to_owned()];
        // 69, a space and 69.
        assert_eq!(first_of(&said), format!("{} {}", said[0], said[1]));
    }
}
