//! Cells of the program's tables as Arrow's columns, and these as Python's values.

use crate::refusal::defect;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMicrosecondBuilder, UInt64Builder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, TimeUnit};
use chrono::DateTime;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use std::sync::Arc;
use taintsim::report::tables::{Cell, Kind};

/// Where times of the clock on the wall are told.
const ZONE: &str = "UTC";

/// A column that is being filled.
pub(crate) enum Cells {
    Text(StringBuilder),
    Texts(ListBuilder<StringBuilder>),
    Whole(Int64Builder),
    Natural(UInt64Builder),
    /// Seconds, too: those of a year are right to a few nanoseconds.
    Number(Float64Builder),
    Truth(BooleanBuilder),
    Instant(TimestampMicrosecondBuilder),
}

impl Cells {
    /// An empty column.
    pub(crate) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Texts => Self::Texts(ListBuilder::new(StringBuilder::new())),
            Kind::Whole => Self::Whole(Int64Builder::new()),
            Kind::Natural => Self::Natural(UInt64Builder::new()),
            Kind::Number | Kind::Seconds => Self::Number(Float64Builder::new()),
            Kind::Truth => Self::Truth(BooleanBuilder::new()),
            Kind::Instant => Self::Instant(TimestampMicrosecondBuilder::new().with_timezone(ZONE)),
        }
    }

    /// Its type.
    pub(crate) fn kind(&self) -> DataType {
        match self {
            Self::Text(_) => DataType::Utf8,
            Self::Texts(_) => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
            Self::Whole(_) => DataType::Int64,
            Self::Natural(_) => DataType::UInt64,
            Self::Number(_) => DataType::Float64,
            Self::Truth(_) => DataType::Boolean,
            Self::Instant(_) => DataType::Timestamp(TimeUnit::Microsecond, Some(ZONE.into())),
        }
    }

    /// One more cell; empty, too, where it is of another kind than the column.
    pub(crate) fn push(&mut self, cell: &Cell<'_>) {
        match self {
            Self::Text(cells) => cells.append_option(match cell {
                Cell::Text(text) | Cell::Given(text) => Some(text.as_ref()),
                _ => None,
            }),
            Self::Texts(cells) => match cell {
                Cell::Texts(texts) => cells.append_value(texts.iter().map(Some)),
                _ => cells.append_null(),
            },
            Self::Whole(cells) => cells.append_option(match cell {
                Cell::Whole(number) => Some(*number),
                _ => None,
            }),
            Self::Natural(cells) => cells.append_option(match cell {
                Cell::Natural(number) => Some(*number),
                _ => None,
            }),
            Self::Number(cells) => cells.append_option(match cell {
                Cell::Number(number) => Some(*number),
                Cell::Seconds(time) => Some(time.as_nanos() as f64 / 1e9),
                Cell::Given(text) => text.parse().ok(),
                _ => None,
            }),
            Self::Truth(cells) => cells.append_option(match cell {
                Cell::Truth(truth) => Some(*truth),
                _ => None,
            }),
            Self::Instant(cells) => cells.append_option(match cell {
                Cell::Instant(micros) => Some(*micros),
                _ => None,
            }),
        }
    }

    /// What was filled in; the column is empty again.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(cells) => ArrayBuilder::finish(cells),
            Self::Texts(cells) => ArrayBuilder::finish(cells),
            Self::Whole(cells) => ArrayBuilder::finish(cells),
            Self::Natural(cells) => ArrayBuilder::finish(cells),
            Self::Number(cells) => ArrayBuilder::finish(cells),
            Self::Truth(cells) => ArrayBuilder::finish(cells),
            Self::Instant(cells) => ArrayBuilder::finish(cells),
        }
    }
}

/// A cell as Python has it.
pub(crate) fn value<'py>(
    py: Python<'py>,
    cells: &ArrayRef,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if cells.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match cells.data_type() {
        DataType::Int64 => cells.as_primitive::<Int64Type>().value(row).into_bound_py_any(py),
        DataType::UInt64 => cells.as_primitive::<UInt64Type>().value(row).into_bound_py_any(py),
        DataType::Float64 => cells.as_primitive::<Float64Type>().value(row).into_bound_py_any(py),
        DataType::Boolean => cells.as_boolean().value(row).into_bound_py_any(py),
        DataType::Utf8 => cells.as_string::<i32>().value(row).into_bound_py_any(py),
        DataType::List(_) => {
            let texts = cells.as_list::<i32>().value(row);
            let texts: Vec<Option<&str>> = texts.as_string::<i32>().iter().collect();
            texts.into_bound_py_any(py)
        }
        DataType::Timestamp(..) => {
            let micros = cells.as_primitive::<TimestampMicrosecondType>().value(row);
            DateTime::from_timestamp_micros(micros).into_bound_py_any(py)
        }
        other => Err(defect(format!("cells of {other}"))),
    }
}
