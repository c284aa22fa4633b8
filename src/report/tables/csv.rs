//! Tables as CSV: a heading, then a line for each row; what is empty is empty, lists are JSON.

use super::table::{Cell, Table, given_number};
use crate::analysis::clock::seconds;
use crate::files::cell;
use crate::report::model::WallClock;
use crate::report::prelude::*;
use std::borrow::Cow;

/// Writes a table.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, table: &dyn Table) -> io::Result<()> {
    let mut csv = ::csv::Writer::from_writer(&mut *out);
    let columns = table.columns();
    csv.write_record(columns.iter().map(|c| cell(&c.name).into_owned())).map_err(as_written)?;
    csv.flush()?;
    drop(csv);
    write_on(out, table)
}

/// Writes the rows of a table below those of one with the same columns.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_on(out: &mut dyn Write, table: &dyn Table) -> io::Result<()> {
    let mut csv = ::csv::Writer::from_writer(out);
    table.rows(&mut |row| {
        for c in row {
            csv.write_field(field(c).as_bytes()).map_err(as_written)?;
        }
        csv.write_record(None::<&[u8]>).map_err(as_written)
    })?;
    csv.flush()
}

/// The error of whatever is written to, of the kind that it had there.
fn as_written(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A cell as text, which is no formula.
fn field<'c>(c: &'c Cell<'_>) -> Cow<'c, str> {
    match c {
        Cell::Empty => Cow::Borrowed(""),
        Cell::Texts(texts) => serde_json::Value::from(texts.to_vec()).to_string().into(),
        Cell::Whole(n) => n.to_string().into(),
        Cell::Natural(n) => n.to_string().into(),
        Cell::Number(n) => number(*n).into(),
        Cell::Seconds(t) => seconds(*t).into(),
        Cell::Instant(us) => WallClock(*us).rfc3339(Time::ZERO).into(),
        Cell::Truth(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        Cell::Given(text) if given_number(text).is_some() => Cow::Borrowed(text),
        Cell::Text(text) | Cell::Given(text) => cell(text),
    }
}

/// Up to six digits behind the point, and none that say nothing.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::table::{Column, Kind, Rows};
    use super::*;

    /// The crate `csv` holds 8 KiB back: what is shorter is written at the end, what is longer at once.
    #[test]
    fn what_cannot_be_written_says_why_however_long_it_is() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for bytes in [1, 9000] {
            let rows = vec![vec![Cell::Text("x".repeat(bytes).into())]];
            let table = Rows { name: "rows", columns: Column::all(&[("a", Kind::Text)]), rows };
            let error = write_on(&mut Full, &table).expect_err("it is full");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{bytes}");
        }
    }

    #[test]
    fn numbers_say_no_more_than_they_must() {
        assert_eq!(
            [0.0, -0.0, 12.0, 0.5, 1.0 / 3.0, -0.0000001, 1e9].map(number),
            ["0", "0", "12", "0.5", "0.333333", "0", "1000000000"]
        );
    }
}
