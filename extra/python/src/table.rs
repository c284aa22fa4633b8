//! Tables: columns of numbers and texts, which leave by Arrow's PyCapsule protocol. Whoever takes
//! one shares its memory.

use crate::cells::{Cells, value};
use crate::refusal::defect;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, ffi};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::io;
use std::sync::Arc;
use taintsim::report::tables;

/// How many rows a batch has, so that its texts stay below the two gigabytes that Arrow's usual
/// columns of text hold.
const BATCH_ROWS: usize = 1 << 18;

/// A table.
#[pyclass(frozen, module = "taintsim")]
pub(crate) struct Table {
    name: String,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// One of the program's own tables, as it is written as CSV and Parquet.
    pub(crate) fn of(table: &dyn tables::Table) -> PyResult<Self> {
        let columns = table.columns();
        let mut cells: Vec<Cells> = columns.iter().map(|c| Cells::of(c.kind)).collect();
        let field =
            |(c, cells): (&tables::Column, &Cells)| Field::new(&*c.name, cells.kind(), true);
        let fields: Vec<Field> = columns.iter().zip(&cells).map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let (mut batches, mut rows) = (Vec::new(), 0_usize);
        let mut finish = |cells: &mut Vec<Cells>| {
            let arrays = cells.iter_mut().map(Cells::finish).collect();
            let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
            batches.push(batch.map_err(io::Error::other)?);
            Ok::<_, io::Error>(())
        };
        table.rows(&mut |row| {
            for (cells, cell) in cells.iter_mut().zip(row) {
                cells.push(cell);
            }
            rows += 1;
            match rows % BATCH_ROWS {
                0 => finish(&mut cells),
                _ => Ok(()),
            }
        })?;
        finish(&mut cells)?;
        Ok(Table { name: table.name().to_owned(), schema, batches })
    }
}

#[pymethods]
impl Table {
    /// What it is a table of.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The names of its columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = self.schema.fields();
        fields.iter().map(|f| f.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        let names = self.column_names().join(", ");
        format!("<taintsim.Table {}: {} rows of {names}>", self.name, self.__len__())
    }

    /// Its rows as dictionaries, where no library for tables is at hand.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        let names = self.column_names();
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                let of = PyDict::new(py);
                for (name, cells) in names.iter().zip(batch.columns()) {
                    of.set_item(name, value(py, cells, row)?)?;
                }
                rows.append(of)?;
            }
        }
        Ok(rows)
    }

    /// The columns' names and types, by Arrow's PyCapsule protocol.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = ffi::FFI_ArrowSchema::try_from(self.schema.as_ref());
        PyCapsule::new_with_value(py, schema.map_err(defect)?, c"arrow_schema")
    }

    /// The table, by Arrow's PyCapsule protocol. Another schema that is asked for is not made: the
    /// protocol leaves that to whoever asks.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok::<_, ArrowError>);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
