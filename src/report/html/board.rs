//! What a page shows that is not one run: parts one below the other, each of a kind that a module
//! of the page draws.

use crate::report::charts;
use serde::Serialize;
use serde_json::Value;

/// A page's parts with what stands above them.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Board {
    pub(crate) title: String,
    /// What it is about, in a sentence.
    pub(crate) doc: String,
    /// Release, timing, seeds.
    pub(crate) subtitle: String,
    /// What else a person should know.
    pub(crate) notes: Vec<String>,
    /// From the top.
    pub(crate) parts: Vec<Part>,
}

/// A part of a page.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub(crate) enum Part {
    /// A text with its own lines.
    Text { title: String, text: String },
    /// Sentences, each with the command that shows more.
    List { title: String, items: Vec<Item> },
    /// A table with search and order.
    Table(Table),
    /// Figures over the values of a setting, with bands.
    Curve(Curve),
    /// Points in a plane, and the line of those that no other one is better than.
    Points {
        title: String,
        across: String,
        up: String,
        /// Where each is, and its name.
        points: Vec<(f64, f64, String)>,
        /// From where to where it may be, from left to right and from bottom to top.
        spans: Vec<[(f64, f64); 2]>,
        /// What is beyond these, from left to right and from bottom to top, stands at the ends of
        /// the scales with its number.
        highest: [Option<f64>; 2],
    },
    /// For each row a span with a mark in it.
    Bars { title: String, unit: String, marks: &'static str, rows: Vec<Bar> },
    /// A figure for each pair of a row and a column.
    Heat(Heat),
    /// Runs of the page, one at a time, chosen by a slider; those of a diff both at once.
    Runs(Runs),
    /// Steps of processes, one after the other.
    Steps(Steps),
}

/// A sentence of a list.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Item {
    pub(crate) text: String,
    pub(crate) command: Option<String>,
}

/// A table; cells are texts, numbers, numbers with the ends of their intervals, or nothing.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Value>,
    /// By row the name of its run in the page, where it has one.
    pub(crate) runs: Vec<Option<String>>,
}

/// Lines over the rows of a table.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Curve {
    pub(crate) title: String,
    /// What the rows are values of.
    pub(crate) across: String,
    /// The rows, or where they stand on the axis.
    pub(crate) ticks: Vec<String>,
    /// Where each row stands, if not one after the other.
    pub(crate) at: Option<Vec<f64>>,
    pub(crate) lines: Vec<Line>,
    /// The first and the last row of those that cannot be told apart from the best.
    pub(crate) flat: Option<(usize, usize)>,
    /// A row, and what it is.
    pub(crate) marks: Vec<(usize, String)>,
    /// Values above this are off the scale: they are named at its upper end, and no line leads there.
    pub(crate) highest: Option<f64>,
}

/// A line of a curve; a row may have no value.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) values: Vec<Option<f64>>,
    pub(crate) low: Vec<Option<f64>>,
    pub(crate) high: Vec<Option<f64>>,
}

/// A span with a mark in it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) low: f64,
    pub(crate) mark: f64,
    pub(crate) high: f64,
}

/// A figure for each pair of a row and a column.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Heat {
    pub(crate) title: String,
    pub(crate) unit: String,
    /// What it leaves out, in sentences.
    pub(crate) left_out: Vec<String>,
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<String>,
    pub(crate) values: Vec<Vec<Option<f64>>>,
    /// By row the name of its run in the page, where it has one.
    pub(crate) runs: Vec<Option<String>>,
}

/// Runs of the page.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Runs {
    pub(crate) title: String,
    /// What is chosen: the settings of a sweep, say.
    pub(crate) of: String,
    /// The name of a value, and of its run in the page.
    pub(crate) runs: Vec<(String, String)>,
    /// Both are shown one above the other, and what differs is marked.
    pub(crate) beside: bool,
}

/// Steps of processes.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Steps {
    pub(crate) title: String,
    /// Whose steps there are.
    pub(crate) processes: Vec<String>,
    pub(crate) steps: Vec<Taken>,
}

/// A step that a process took.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Taken {
    /// In seconds.
    pub(crate) at: f64,
    pub(crate) process: usize,
    /// What it had seen, and what it wrote, a line each.
    pub(crate) saw: Vec<String>,
    pub(crate) wrote: Vec<String>,
    /// `fault` where it is what a violation is about, `involved` where it led to it, `deviation`
    /// where chance chose otherwise than usual.
    pub(crate) mark: Option<&'static str>,
}

/// As a chart has it, whose points are the rows.
impl From<charts::Line> for Line {
    fn from(line: charts::Line) -> Self {
        let (low, high) = line.band.iter().map(|b| (Some(b.0), Some(b.1))).unzip();
        let values = line.points.iter().map(|p| Some(p.1)).collect();
        Line { name: line.name, values, low, high }
    }
}

impl Part {
    /// Sentences without commands.
    pub(crate) fn list(title: impl Into<String>, texts: impl IntoIterator<Item = String>) -> Self {
        let item = |text| Item { text, command: None };
        Self::List { title: title.into(), items: texts.into_iter().map(item).collect() }
    }

    /// What the program printed, as it is.
    pub(crate) fn text(title: &str, text: String) -> Self {
        Self::Text { title: title.to_owned(), text }
    }
}

impl Table {
    /// A table without runs.
    pub(crate) fn new<C: Into<String>, R: Into<Value>>(
        title: &str,
        columns: impl IntoIterator<Item = C>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let columns = columns.into_iter().map(C::into).collect();
        let rows: Vec<Value> = rows.into_iter().map(R::into).collect();
        Table { title: title.to_owned(), columns, runs: vec![None; rows.len()], rows }
    }
}
