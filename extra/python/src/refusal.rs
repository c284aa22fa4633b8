//! What is wrong, as exceptions: what a person wrote is a `taintsim.InputError`, with every mistake
//! and its place; what cannot be read is an `OSError`; Ctrl-C a `KeyboardInterrupt`.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use std::fmt::Display;
use taintsim::cli::asked::Refused;
use taintsim::language::{Problem, Problems};
use taintsim::report::diagnostics;

/// How wide mistakes are drawn.
const WIDTH: usize = 100;

/// A refusal as an exception.
pub(crate) fn refused(py: Python<'_>, refused: &Refused) -> PyErr {
    match refused {
        Refused::Problems(problems) => wrong(py, problems),
        Refused::Input(text) => input_error(py, text.trim_end(), Vec::new()),
        Refused::Io(text) => PyOSError::new_err(text.clone()),
        Refused::Interrupted => PyKeyboardInterrupt::new_err(()),
    }
}

/// Mistakes as an exception, drawn as the program draws them.
pub(crate) fn wrong(py: Python<'_>, problems: &Problems) -> PyErr {
    let text = diagnostics::draw(problems, false, WIDTH);
    let each = problems.0.iter().map(told).collect();
    input_error(py, text.trim_end(), each)
}

/// Something that cannot be: a defect of this program.
pub(crate) fn defect(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(format!("this is a defect of taintsim: {error}"))
}

/// Message, help, source, line, column.
type Told = (String, Option<String>, Option<String>, Option<usize>, Option<usize>);

fn told(problem: &Problem) -> Told {
    let place = problem.line_and_column();
    (
        problem.message.clone(),
        problem.help.clone(),
        problem.source().map(str::to_owned),
        place.map(|(line, _)| line),
        place.map(|(_, column)| column),
    )
}

/// `taintsim.InputError`, which is written in Python.
fn input_error(py: Python<'_>, text: &str, problems: Vec<Told>) -> PyErr {
    let made = py
        .import("taintsim._errors")
        .and_then(|errors| errors.getattr("InputError"))
        .and_then(|class| class.call_method1("_of", (text, problems)));
    made.map_or_else(|error| error, PyErr::from_value)
}
