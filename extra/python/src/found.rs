//! What a command found.

use crate::refusal::defect;
use crate::table::Table;
use pyo3::prelude::*;
use taintsim::cli::asked::Answer;
use taintsim::report::json;

/// What a command found: its document, its tables, its page.
#[pyclass(frozen, module = "taintsim._taintsim")]
pub(crate) struct Found {
    answer: Answer,
}

impl Found {
    pub(crate) fn new(answer: Answer) -> Self {
        Found { answer }
    }
}

#[pymethods]
impl Found {
    /// The document that the command prints as JSON, as text.
    fn document(&self, py: Python<'_>) -> PyResult<String> {
        let mut out = Vec::new();
        py.detach(|| json::write(&mut out, &self.answer.document))?;
        String::from_utf8(out).map_err(defect)
    }

    /// What the command prints.
    fn text(&self) -> &str {
        &self.answer.text
    }

    /// Whether every limit was kept that was named.
    #[getter]
    fn is_kept(&self) -> bool {
        self.answer.is_kept
    }

    /// The page that shows it in a browser.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let page = py.detach(|| self.answer.page());
        String::from_utf8(page).map_err(defect)
    }

    /// A table of it: `rows` of all commands, `runs` of a sweep, `workloads` of a survey.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        py.detach(|| match self.answer.table(name) {
            Some(table) => Table::of(table),
            None => Err(defect(format!("no table {name}"))),
        })
    }
}
