//! A forecast as a page: when what comes to whom, over the seeds, for each course.

use super::said::Outlook;
use crate::analysis::course::Happening;
use crate::lab::forecast::Foreseen;
use crate::report::html::board::{Bar, Board, Part, Table};
use serde_json::Value;

/// More spans are left to the table.
const BARS: usize = 40;

/// The page of a forecast: the courses by name, the one without anybody's doing first; `text` is
/// what was printed.
pub(crate) fn board(courses: &[(String, Outlook<'_>)], text: String) -> Board {
    let mut parts = vec![Part::text("What comes", text)];
    for (name, outlook) in courses {
        let title = match courses.len() {
            1 => "All that comes".to_owned(),
            _ => format!("All that comes: {name}"),
        };
        let evicted = outlook
            .forecast
            .happenings
            .iter()
            .filter(|f| f.what == Happening::PodDeleted);
        let bars: Vec<Bar> = evicted.take(BARS).map(bar).collect();
        if !bars.is_empty() {
            parts.push(Part::Bars {
                title: format!("When pods are deleted: {name}"),
                unit: "minutes from the export; nine in ten of the seeds, and their middle"
                    .to_owned(),
                rows: bars,
            });
        }
        parts.push(Part::Table(table(&title, outlook)));
    }
    let first = courses.first().map(|(_, o)| o);
    Board {
        title: "Forecast".to_owned(),
        doc: first.map_or(String::new(), |o| {
            format!("From an export of {}.", o.clock.begins())
        }),
        subtitle: first.map_or(String::new(), |o| o.head.clone()),
        notes: first.map_or(Vec::new(), |o| o.notes.to_vec()),
        parts,
    }
}

fn bar(f: &Foreseen) -> Bar {
    let minutes = |t: crate::kernel::Time| t.as_nanos() as f64 / 60e9;
    Bar {
        name: f.object.clone(),
        low: minutes(f.when.low),
        mark: minutes(f.when.median),
        high: minutes(f.when.high),
    }
}

fn table(title: &str, outlook: &Outlook<'_>) -> Table {
    let row = |f: &Foreseen| -> Vec<Value> {
        vec![
            f.object.as_str().into(),
            f.what.as_str().into(),
            outlook.clock.rfc3339(f.when.low).into(),
            outlook.clock.rfc3339(f.when.median).into(),
            outlook.clock.rfc3339(f.when.high).into(),
            (f.when.share * 100.0).into(),
            f.node.clone().unwrap_or_default().into(),
        ]
    };
    let columns = [
        "object",
        "what",
        "one in twenty before",
        "middle",
        "one in twenty after",
        "% of seeds",
        "node",
    ];
    Table::new(
        title,
        &columns,
        outlook.forecast.happenings.iter().map(row).collect(),
    )
}
