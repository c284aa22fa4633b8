//! Tables: what they say, and that Parquet says the same as CSV.

use super::{Cell, Column, Each, Kind, Table, csv, curves_table, evictions_table, records_table};
use crate::analysis::curves::curves;
use crate::analysis::tests::synthetic_runs::one_node_lost;
use crate::kernel::Time;
use crate::report::tests::with_report;
use std::io;

fn csv_of(table: &dyn Table) -> String {
    let mut out = Vec::new();
    csv::write(&mut out, table).expect("memory takes it");
    String::from_utf8(out).expect("is UTF-8")
}

/// A table as CSV, as which Parquet says the same.
pub(crate) fn csv_of_both(table: &dyn Table) -> String {
    #[cfg(feature = "parquet")]
    read_back::same(table);
    csv_of(table)
}

/// Every column of a table is told on the page of tables, but for those named by what was asked.
pub(crate) fn is_told(table: &dyn Table, asked: &[&str]) {
    let page = include_str!("../../../docs/data.md");
    for column in table.columns() {
        let name = format!("`{}`", column.name);
        let is_asked = asked.iter().any(|a| *a == column.name);
        assert!(is_asked || page.contains(&name), "{name}");
    }
}

/// Every kind of cell.
struct Kinds {
    rows: usize,
}

impl Table for Kinds {
    fn name(&self) -> &'static str {
        "kinds"
    }

    fn columns(&self) -> Vec<Column> {
        Column::all(&[
            ("text", Kind::Text),
            ("texts", Kind::Texts),
            ("whole", Kind::Whole),
            ("natural", Kind::Natural),
            ("number", Kind::Number),
            ("at_s", Kind::Seconds),
            ("truth", Kind::Truth),
            ("given", Kind::Number),
            ("at", Kind::Instant),
        ])
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        for row in 0..self.rows {
            if row % 3 == 2 {
                each(&[const { Cell::Empty }; 9])?;
                continue;
            }
            let items = ["=a".to_owned(), "ü \"b\"".to_owned()];
            each(&[
                Cell::Text("=formula".into()),
                Cell::Texts(items[row % 3..].to_vec().into()),
                Cell::Whole(-1 - row as i64),
                Cell::Natural(u64::MAX - row as u64),
                Cell::Number(0.25),
                Cell::Seconds(Time::from_nanos(405_100_001_003)),
                Cell::Truth(row % 2 == 0),
                Cell::Given("-7".into()),
                // `date -u -d 2026-11-21T02:29:57Z +%s`
                Cell::Instant(1_795_228_197_620_000),
            ])?;
        }
        Ok(())
    }
}

#[test]
fn csv_has_no_formulas_and_numbers_as_they_were_given() {
    let expected = "\
text,texts,whole,natural,number,at_s,truth,given,at
'=formula,\"[\"\"=a\"\",\"\"ü \\\"\"b\\\"\"\"\"]\",-1,18446744073709551615,0.25,405.100001003,true,-7,2026-11-21T02:29:57.620Z
'=formula,\"[\"\"ü \\\"\"b\\\"\"\"\"]\",-2,18446744073709551614,0.25,405.100001003,false,-7,2026-11-21T02:29:57.620Z
,,,,,,,,
";
    assert_eq!(csv_of(&Kinds { rows: 3 }), expected);
}

#[test]
fn a_curve_has_a_row_for_each_change() {
    // Two nodes; n2 is cut off at 61.7 s, and its pod p2 is evicted at 405.1 s.
    let text = with_report(&one_node_lost(), |report| {
        csv_of(&curves_table(&curves(report.analysis), &report.serving))
    });
    let evicted: Vec<&str> = text.lines().filter(|l| l.contains(",evicted,")).collect();
    assert_eq!(evicted, ["0,,evicted,0", "405.1,,evicted,1"]);
    assert!(text.contains("0,pods without a workload,desired,"), "{text}");
}

#[test]
fn every_column_is_told_on_the_page_of_tables() {
    let page = include_str!("../../../docs/data.md");
    with_report(&one_node_lost(), |report| {
        let curves = curves(report.analysis);
        let of_a_run: [&dyn Table; 3] = [
            &records_table(report.analysis),
            &evictions_table(report),
            &curves_table(&curves, &report.serving),
        ];
        for table in of_a_run {
            for column in table.columns() {
                let name = format!("`{}`", column.name);
                assert!(page.contains(&name), "{name} of {}", table.name());
            }
        }
    });
}

#[cfg(feature = "parquet")]
pub(super) mod read_back {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;

    fn parquet_of(table: &dyn Table) -> SerializedFileReader<bytes::Bytes> {
        let mut out = Vec::new();
        let about = [("seed", "7".to_owned())];
        super::super::parquet::write(&mut out, table, &about).expect("memory takes it");
        SerializedFileReader::new(bytes::Bytes::from(out)).expect("it is Parquet")
    }

    fn as_csv(field: &Field, kind: Kind) -> String {
        match field {
            Field::Null => String::new(),
            Field::Str(text) if kind == Kind::Text => crate::files::cell(text).into_owned(),
            Field::Long(n) => n.to_string(),
            Field::ULong(n) => n.to_string(),
            Field::Bool(b) => b.to_string(),
            Field::Double(n) => n.to_string(),
            Field::TimestampMicros(us) => crate::report::WallClock(*us).rfc3339(Time::ZERO),
            Field::ListInternal(list) => {
                let text = |item: &Field| match item {
                    Field::Str(text) => text.clone(),
                    other => panic!("{other:?} in a list of text"),
                };
                let items: Vec<String> = list.elements().iter().map(text).collect();
                serde_json::Value::from(items).to_string()
            }
            other => panic!("{other:?} in a column of {kind:?}"),
        }
    }

    /// Holds a table's Parquet to its CSV, cell by cell; numbers are the same to the last digit
    /// that CSV has.
    pub(in super::super) fn same(table: &dyn Table) -> usize {
        let file = parquet_of(table);
        let columns = table.columns();
        let text = csv_of(table);
        let mut csv = ::csv::Reader::from_reader(text.as_bytes());
        let heading = csv.headers().expect("a heading").clone();
        let mut lines = csv.records();
        let mut rows = 0;
        for row in file.get_row_iter(None).expect("rows") {
            let (row, line) = (row.expect("a row"), lines.next().expect("a line").expect("CSV"));
            for (i, (name, field)) in row.get_column_iter().enumerate() {
                assert_eq!((name.as_str(), name.as_str()), (&*columns[i].name, &heading[i]));
                let (found, said) = (as_csv(field, columns[i].kind), &line[i]);
                let equal = match (found.parse::<f64>(), said.parse::<f64>()) {
                    (Ok(a), Ok(b)) if matches!(field, Field::Double(_)) => (a - b).abs() < 1e-6,
                    _ => found == said,
                };
                assert!(equal, "row {rows}, {name}: {found:?} and {said:?}");
            }
            rows += 1;
        }
        assert!(lines.next().is_none(), "CSV has more rows");
        rows
    }

    #[test]
    fn parquet_says_what_csv_says() {
        with_report(&one_node_lost(), |report| {
            let curves = curves(report.analysis);
            assert_eq!(same(&records_table(report.analysis)), report.analysis.trace.len());
            assert_eq!(same(&evictions_table(report)), 1);
            assert!(same(&curves_table(&curves, &report.serving)) > 9);
        });
    }

    #[test]
    fn every_kind_comes_back_in_groups_and_without_any_row() {
        for rows in [0, 3, (1 << 17) + 2] {
            assert_eq!(same(&Kinds { rows }), rows);
        }
        let metadata = parquet_of(&Kinds { rows: (1 << 17) + 2 }).metadata().clone();
        assert_eq!(metadata.num_row_groups(), 2);
        let said = metadata.file_metadata().key_value_metadata().expect("some");
        let said: Vec<(&str, Option<&str>)> =
            said.iter().map(|k| (k.key.as_str(), k.value.as_deref())).collect();
        assert_eq!(said[..2], [("taintsim.table", Some("kinds")), ("taintsim.schema", Some("1"))]);
        assert_eq!(said[3], ("taintsim.seed", Some("7")));
    }
}
