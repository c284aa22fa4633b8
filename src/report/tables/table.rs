//! What a table is: its columns, and what stands in them.

use crate::report::model::WallClock;
use crate::report::prelude::*;
use std::borrow::Cow;

/// Which columns tables have, and what they hold: raised when one goes away, is called otherwise or
/// holds something else. More columns do not raise it.
pub(crate) const SCHEMA: u32 = 1;

/// What a table is of, by name.
pub(crate) type About<'a> = [(&'a str, String)];

/// What takes the rows of a table, one after the other; each has as many cells as there are columns.
pub type Each<'e> = dyn FnMut(&[Cell<'_>]) -> io::Result<()> + 'e;

/// Columns and rows.
pub trait Table {
    /// Its name, and that of its files without their ending.
    fn name(&self) -> &'static str;

    /// Its columns.
    fn columns(&self) -> Vec<Column>;

    /// Hands over all rows in their order.
    ///
    /// # Errors
    /// Those of `each`, at once.
    fn rows(&self, each: &mut Each<'_>) -> io::Result<()>;
}

/// A table that is in memory: the result of a command.
#[derive(Clone, Debug)]
pub struct Rows {
    pub(crate) name: &'static str,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell<'static>>>,
}

impl Table for Rows {
    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        self.rows.iter().try_for_each(|row| each(row))
    }
}

/// A table whose rows are handed over by a function, as there may be many.
pub(crate) struct Streamed<F> {
    pub(crate) name: &'static str,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: F,
}

impl<F: Fn(&mut Each<'_>) -> io::Result<()>> Table for Streamed<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        (self.rows)(each)
    }
}

impl Rows {
    /// A table of these fields, with a row for each of what `rows` has.
    pub(crate) fn of<R: Copy>(
        name: &'static str,
        fields: &[Field<R>],
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let rows = rows.into_iter().map(|row| cells(fields, row)).collect();
        Rows { name, columns: columns(fields), rows }
    }
}

/// A field of what a row is made of: its name, what it holds, and what stands in its cell.
pub(crate) type Field<R> = (&'static str, Kind, fn(R) -> Cell<'static>);

/// The columns of these fields.
pub(crate) fn columns<R>(fields: &[Field<R>]) -> Vec<Column> {
    fields.iter().map(|(name, kind, _)| Column::new(*name, *kind)).collect()
}

/// Texts in the order in which they first come.
pub(crate) fn distinct<'t, T: Ord + ?Sized>(texts: impl Iterator<Item = &'t T>) -> Vec<&'t T> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(*text)).collect()
}

/// The cells of these fields.
pub(crate) fn cells<R: Copy>(fields: &[Field<R>], row: R) -> Vec<Cell<'static>> {
    fields.iter().map(|(_, _, cell)| cell(row)).collect()
}

/// The same as an object of JSON.
pub(crate) fn object<R: Copy>(fields: &[Field<R>], row: R) -> Value {
    let field = |(name, _, cell): &Field<R>| ((*name).to_owned(), cell(row).json());
    fields.iter().map(field).collect::<Map<String, Value>>().into()
}

/// What all cells of a column are, if they are not empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Text.
    Text,
    /// A list of texts.
    Texts,
    /// A whole number.
    Whole,
    /// A whole number that is not negative and may be larger than the largest signed one: a seed.
    Natural,
    /// A number.
    Number,
    /// Seconds from the start of the run.
    Seconds,
    /// A time of the clock on the wall.
    Instant,
    /// True or false.
    Truth,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name; one that ends in `_s` is in seconds, one in `_ns` in nanoseconds.
    pub name: Cow<'static, str>,
    /// What it holds.
    pub kind: Kind,
}

impl Column {
    /// Columns of fixed names.
    pub(crate) fn all(named: &[(&'static str, Kind)]) -> Vec<Self> {
        let column = |&(name, kind)| Column::new(name, kind);
        named.iter().map(column).collect()
    }

    /// Of the values that a setting was given, by its path: numbers if all of them can be read as
    /// some, and they are no releases of Kubernetes, of which 1.30 is another than 1.3.
    pub(crate) fn given<'a>(path: &str, mut values: impl Iterator<Item = &'a str>) -> Self {
        let numbers = path != "kubernetes" && values.all(|v| given_number(v).is_some());
        Column::new(path.to_owned(), if numbers { Kind::Number } else { Kind::Text })
    }

    /// A column.
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, kind: Kind) -> Self {
        Column { name: name.into(), kind }
    }
}

/// What stands in a cell: nothing, or what the column's kind says.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<'a> {
    /// Nothing: it did not happen, or does not apply.
    Empty,
    /// Text.
    Text(Cow<'a, str>),
    /// A list of texts.
    Texts(Cow<'a, [String]>),
    /// A whole number.
    Whole(i64),
    /// One that is not negative.
    Natural(u64),
    /// A number.
    Number(f64),
    /// A time, written in seconds.
    Seconds(Time),
    /// A time of the clock on the wall, in microseconds since 1970.
    Instant(i64),
    /// True or false.
    Truth(bool),
    /// A value as somebody gave it, in a column of numbers or of text.
    Given(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// Text, where there is some.
    pub(crate) fn text(text: Option<impl Into<Cow<'a, str>>>) -> Self {
        text.map_or(Cell::Empty, |t| Cell::Text(t.into()))
    }

    /// A list, unless it has no items.
    pub(crate) fn texts(texts: impl Into<Cow<'a, [String]>>) -> Self {
        let texts = texts.into();
        if texts.is_empty() { Cell::Empty } else { Cell::Texts(texts) }
    }

    /// A whole number, where there is one.
    pub(crate) fn whole(number: Option<impl Into<i64>>) -> Self {
        number.map_or(Cell::Empty, |n| Cell::Whole(n.into()))
    }

    /// A number, where there is one; as in JSON what is not finite is none.
    pub(crate) fn number(number: Option<f64>) -> Self {
        number.filter(|n| n.is_finite()).map_or(Cell::Empty, Cell::Number)
    }

    /// A time, where there is one.
    pub(crate) fn seconds(time: Option<Time>) -> Self {
        time.map_or(Cell::Empty, Cell::Seconds)
    }

    /// A time of the clock on the wall, to the millisecond as it is written.
    pub(crate) fn instant(clock: WallClock, at: Time) -> Self {
        Cell::Instant(clock.micros(at) / 1_000 * 1_000)
    }

    /// What stands in it, as a document has it.
    pub(crate) fn json(&self) -> Value {
        match self {
            Cell::Empty => Value::Null,
            Cell::Text(text) | Cell::Given(text) => text.as_ref().into(),
            Cell::Texts(texts) => texts.to_vec().into(),
            Cell::Whole(n) => (*n).into(),
            Cell::Natural(n) => (*n).into(),
            Cell::Number(n) => (*n).into(),
            Cell::Seconds(t) => t.as_secs_f64().into(),
            Cell::Instant(us) => WallClock(*us).rfc3339(Time::ZERO).into(),
            Cell::Truth(value) => (*value).into(),
        }
    }
}

/// The number that a given value is, if it is one.
pub(crate) fn given_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|n: &f64| n.is_finite())
}

#[cfg(test)]
mod tests {
    use super::{Column, Kind};

    #[test]
    fn a_release_is_no_number() {
        let are = |path: &str, values: &[&str]| {
            Column::given(path, values.iter().copied()).kind == Kind::Number
        };
        assert!(are("workloads.web.replicas", &["10", "2.50", "1e3"]));
        assert!(!are("workloads.web.replicas", &["10", "none"]));
        assert!(!are("workloads.web.replicas", &["10", "inf"]));
        // 1.3 and 1.30 are two releases.
        assert!(!are("kubernetes", &["1.3", "1.30"]));
    }
}
