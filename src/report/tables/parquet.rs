//! Tables as Parquet: columns with their types, packed with Snappy, which DuckDB, pandas and Polars
//! read as they are.
//!
//! Every column may be empty. Text is UTF-8, whole numbers are 64 bits, numbers and seconds are
//! doubles, a list is a list of text. The file's metadata says whose table it is, under names that
//! begin with `taintsim.`; `taintsim.schema` is [`SCHEMA`]. The same rows give the same bytes.

use super::table::{About, Cell, Column, Kind, SCHEMA, Table, given_number};
use crate::report::prelude::*;
use ::parquet::basic::{
    Compression, ConvertedType, Encoding, LogicalType, Repetition, TimeUnit, Type,
};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{ColumnPath, Type as Schema};
use std::sync::Arc;

/// The rows of a group, which are gathered and written at once.
const GROUP_ROWS: usize = 1 << 17;

/// Texts of which nearly every row has another one, much like the one before: a dictionary of them
/// would be the column once more.
const OF_ITS_OWN: [&str; 4] = ["pod", "replacement", "object", "message"];

/// Writes a table; `about` is what else the file says of itself, by name.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(out: &mut dyn Write, table: &dyn Table, about: &About<'_>) -> io::Result<()> {
    let columns = table.columns();
    let schema = Arc::new(schema(table.name(), &columns).map_err(failed)?);
    let properties = Arc::new(properties(table.name(), &columns, about));
    // What is written must be able to move between threads, which `out` may not: a group is written
    // to memory, and then handed on.
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).map_err(failed)?;
    let mut group: Vec<Gathered> = columns.iter().map(|c| Gathered::new(c.kind)).collect();
    let mut rows = 0;
    table.rows(&mut |row| {
        for (gathered, cell) in group.iter_mut().zip(row) {
            gathered.push(cell);
        }
        rows += 1;
        if rows % GROUP_ROWS == 0 {
            write_group(&mut file, &mut group)?;
            hand_on(&mut file, out)?;
        }
        Ok(())
    })?;
    if rows % GROUP_ROWS != 0 {
        write_group(&mut file, &mut group)?;
    }
    file.finish().map_err(failed)?;
    hand_on(&mut file, out)
}

/// Writes what was gathered, and leaves nothing.
fn write_group(file: &mut SerializedFileWriter<Vec<u8>>, group: &mut [Gathered]) -> io::Result<()> {
    let mut writer = file.next_row_group().map_err(failed)?;
    for gathered in group {
        if let Some(column) = writer.next_column().map_err(failed)? {
            gathered.write(column).map_err(failed)?;
        }
    }
    writer.close().map_err(failed)?;
    Ok(())
}

/// Hands on what has been written so far.
fn hand_on(file: &mut SerializedFileWriter<Vec<u8>>, out: &mut dyn Write) -> io::Result<()> {
    file.flush()?;
    out.write_all(&std::mem::take(file.inner_mut()))
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => io::Error::other(source),
        other => io::Error::other(other.to_string()),
    }
}

fn properties(name: &str, columns: &[Column], about: &About<'_>) -> WriterProperties {
    let says = |name: &str, value: String| KeyValue::new(format!("taintsim.{name}"), value);
    let mut said = vec![
        says("table", name.to_owned()),
        says("schema", SCHEMA.to_string()),
        says("version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    said.extend(about.iter().map(|(name, value)| says(name, value.clone())));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(said));
    // Most whole numbers are ids, each a little more than the one before.
    let whole = columns.iter().filter(|c| matches!(c.kind, Kind::Whole | Kind::Natural));
    let whole = whole.map(|c| (c.name.to_string(), Encoding::DELTA_BINARY_PACKED));
    let own = OF_ITS_OWN.map(|name| (name.to_owned(), Encoding::DELTA_BYTE_ARRAY));
    for (name, encoding) in whole.chain(own) {
        let path = ColumnPath::new(vec![name]);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, encoding);
    }
    properties.build()
}

fn schema(name: &str, columns: &[Column]) -> Result<Schema, ParquetError> {
    let fields: Result<Vec<_>, _> = columns.iter().map(|c| field(c).map(Arc::new)).collect();
    Schema::group_type_builder(name).with_fields(fields?).build()
}

fn field(column: &Column) -> Result<Schema, ParquetError> {
    let typed = |name: &str, repetition, (kind, logical, converted)| {
        Schema::primitive_type_builder(name, kind)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .with_converted_type(converted)
            .build()
    };
    let text = (Type::BYTE_ARRAY, Some(LogicalType::String), ConvertedType::UTF8);
    let plain = |kind| (kind, None, ConvertedType::NONE);
    let whole = |logical, converted| (Type::INT64, Some(logical), converted);
    let kind = match column.kind {
        Kind::Text => text,
        Kind::Natural => whole(LogicalType::integer(64, false), ConvertedType::UINT_64),
        Kind::Whole => plain(Type::INT64),
        Kind::Instant => {
            let micros = LogicalType::timestamp(true, TimeUnit::MICROS);
            whole(micros, ConvertedType::TIMESTAMP_MICROS)
        }
        Kind::Number | Kind::Seconds => plain(Type::DOUBLE),
        Kind::Truth => plain(Type::BOOLEAN),
        // The three levels that the format's page on lists asks for.
        Kind::Texts => {
            let element = typed("element", Repetition::REQUIRED, text)?;
            let list = Schema::group_type_builder("list")
                .with_repetition(Repetition::REPEATED)
                .with_fields(vec![Arc::new(element)])
                .build()?;
            return Schema::group_type_builder(&column.name)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::List))
                .with_converted_type(ConvertedType::LIST)
                .with_fields(vec![Arc::new(list)])
                .build();
        }
    };
    typed(&column.name, Repetition::OPTIONAL, kind)
}

/// The values of a column, and of each row how deep it goes: 0 is empty, and 1 a value. Of a list 1
/// is one without items and 2 an item, and `repeats` is 1 where an item goes on the row before.
struct Gathered {
    values: Values,
    depths: Vec<i16>,
    repeats: Vec<i16>,
}

enum Values {
    Texts { values: Vec<ByteArray>, is_list: bool },
    Whole(Vec<i64>),
    Numbers(Vec<f64>),
    Truths(Vec<bool>),
}

impl Gathered {
    fn new(kind: Kind) -> Self {
        let texts = |is_list| Values::Texts { values: Vec::new(), is_list };
        Gathered {
            values: match kind {
                Kind::Text => texts(false),
                Kind::Texts => texts(true),
                Kind::Whole | Kind::Natural | Kind::Instant => Values::Whole(Vec::new()),
                Kind::Number | Kind::Seconds => Values::Numbers(Vec::new()),
                Kind::Truth => Values::Truths(Vec::new()),
            },
            depths: Vec::new(),
            repeats: Vec::new(),
        }
    }

    /// Takes the cell of a row; one of another kind than the column's counts as empty.
    fn push(&mut self, cell: &Cell<'_>) {
        let is_value = match (&mut self.values, cell) {
            (Values::Texts { values, is_list: true }, Cell::Texts(items)) => {
                for (i, item) in items.iter().enumerate() {
                    values.push(item.as_str().into());
                    self.depths.push(2);
                    self.repeats.push(i16::from(i > 0));
                }
                if !items.is_empty() {
                    return;
                }
                true
            }
            (Values::Texts { values, .. }, Cell::Text(text) | Cell::Given(text)) => {
                put(values, (&**text).into())
            }
            (Values::Whole(values), Cell::Whole(n) | Cell::Instant(n)) => put(values, *n),
            // The format keeps both in the same bits.
            (Values::Whole(values), Cell::Natural(n)) => put(values, n.cast_signed()),
            (Values::Numbers(values), Cell::Number(n)) => put(values, *n),
            (Values::Numbers(values), Cell::Seconds(t)) => put(values, t.as_nanos() as f64 / 1e9),
            (Values::Numbers(values), Cell::Given(text)) => {
                given_number(text).is_some_and(|n| put(values, n))
            }
            (Values::Truths(values), Cell::Truth(value)) => put(values, *value),
            _ => false,
        };
        self.depths.push(i16::from(is_value));
        self.repeats.push(0);
    }

    fn write(&mut self, column: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let depths = std::mem::take(&mut self.depths);
        let repeats = std::mem::take(&mut self.repeats);
        match &mut self.values {
            Values::Texts { values, is_list } => {
                let repeats = is_list.then_some(repeats.as_slice());
                batch::<ByteArrayType>(column, values, &depths, repeats)
            }
            Values::Whole(values) => batch::<Int64Type>(column, values, &depths, None),
            Values::Numbers(values) => batch::<DoubleType>(column, values, &depths, None),
            Values::Truths(values) => batch::<BoolType>(column, values, &depths, None),
        }
    }
}

/// Puts a value to the others.
fn put<T>(values: &mut Vec<T>, value: T) -> bool {
    values.push(value);
    true
}

fn batch<T: DataType>(
    mut column: SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    depths: &[i16],
    repeats: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let writer = column.typed::<T>();
    writer.write_batch(values, Some(depths), repeats)?;
    values.clear();
    column.close()
}
