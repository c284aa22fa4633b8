//! A run that is over.

use crate::refusal::defect;
use crate::table::Table;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::mpsc::{Sender, channel};
use taintsim::analysis::Analysis;
use taintsim::analysis::curves::curves;
use taintsim::cli::asked::{Ran, Refused};
use taintsim::kernel::Dur;
use taintsim::report::tables::{curves_table, evictions_table, records_table};
use taintsim::report::{Report, Style, json, text};

/// A question to a run.
type Question = Box<dyn FnOnce(&Ran) + Send>;

/// A run. What it is made of is shared without locks and stays on the thread that ran it, which
/// sleeps until it is asked something and ends with this.
#[pyclass(frozen, module = "taintsim._taintsim")]
pub(crate) struct Run {
    thread: Sender<Question>,
    /// The process that has the thread: a fork of it has not.
    process: u32,
    seed: u64,
    records: usize,
    /// How soon a node must be back for an eviction to have been needless.
    window: Dur,
}

impl Run {
    /// Runs a scenario, sends what is asked from then on, and answers for as long as somebody may
    /// ask.
    pub(crate) fn begin(
        run: impl FnOnce() -> Result<Ran, Refused>,
        window: Dur,
        send: Sender<Result<Self, Refused>>,
    ) {
        let ran = match run() {
            Ok(ran) => ran,
            Err(refused) => {
                // Whoever does not wait any longer needs no answer.
                let _ = send.send(Err(refused));
                return;
            }
        };
        let (thread, questions) = channel::<Question>();
        let handle = Run {
            thread,
            process: std::process::id(),
            seed: ran.source.seed,
            records: ran.trace.len(),
            window,
        };
        let _ = send.send(Ok(handle));
        drop(send);
        questions.iter().for_each(|question| question(&ran));
    }

    /// Asks the run something, with the interpreter's lock let go.
    fn asked<T: Send + 'static>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&Ran) -> T + Send + 'static,
    ) -> PyResult<T> {
        if std::process::id() != self.process {
            let text =
                "a run stays in the process that made it: run the scenario again in this one";
            return Err(PyRuntimeError::new_err(text));
        }
        let (send, sent) = channel();
        let question = move |ran: &Ran| {
            let _ = send.send(ask(ran));
        };
        let gone = || defect("a question ended the run's thread");
        py.detach(move || {
            self.thread.send(Box::new(question)).map_err(|_| gone())?;
            sent.recv().map_err(|_| gone())
        })
    }

    /// Asks the run's report something.
    fn told<T: Send + 'static>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&Ran, &Report<'_>) -> T + Send + 'static,
    ) -> PyResult<T> {
        let window = self.window;
        self.asked(py, move |ran| {
            let analysis = Analysis::new(&ran.plan, &ran.trace);
            ask(ran, &Report::new(&analysis, &ran.source, window))
        })
    }
}

#[pymethods]
impl Run {
    /// The seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// How many records there are.
    fn __len__(&self) -> usize {
        self.records
    }

    /// The document that `taintsim run -o json` prints, as text.
    fn document(&self, py: Python<'_>) -> PyResult<String> {
        let said = self.told(py, |_, report| {
            let mut out = Vec::new();
            json::write(&mut out, &json::document(report, None, &[])).map(|()| out)
        });
        String::from_utf8(said??).map_err(defect)
    }

    /// What `taintsim run` prints.
    fn text(&self, py: Python<'_>, width: usize) -> PyResult<String> {
        let said = self.told(py, move |_, report| {
            let mut out = Vec::new();
            let style = Style { colour: false, width };
            text::write(&mut out, report, None, style).map(|()| out)
        });
        String::from_utf8(said??).map_err(defect)
    }

    /// The page that shows the run in a browser.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let page = self.told(py, |ran, report| ran.page(report))?;
        String::from_utf8(page).map_err(defect)
    }

    /// Everything that happened.
    fn records(&self, py: Python<'_>) -> PyResult<Table> {
        self.asked(py, |ran| Table::of(&records_table(&Analysis::new(&ran.plan, &ran.trace))))?
    }

    /// A row for each eviction.
    fn evictions(&self, py: Python<'_>) -> PyResult<Table> {
        self.told(py, |_, report| Table::of(&evictions_table(report)))?
    }

    /// How many pods and nodes were in which state.
    fn curves(&self, py: Python<'_>) -> PyResult<Table> {
        self.told(py, |_, report| {
            let curves = curves(report.analysis);
            Table::of(&curves_table(&curves, &report.serving))
        })?
    }
}
