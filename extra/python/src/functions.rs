//! What the package calls.

use crate::found::Found;
use crate::heeding::heeding;
use crate::refusal::{refused, wrong};
use crate::run::Run;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use taintsim::cli::asked::{self, Refused};
use taintsim::language::duration;
use taintsim::scenario::{self, Overrides};

/// Runs the command line, `taintsim …`, and returns its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let code = taintsim::cli::exit_code(arguments);
        // The interpreter knows nothing of what is still to be written; if it cannot be, the
        // command has said so.
        let _ = std::io::stdout().flush();
        code
    })
}

/// The JSON Schema of the scenario language.
#[pyfunction]
pub(crate) fn schema() -> String {
    taintsim::language::schema().to_string()
}

/// Finds every mistake in a scenario.
#[pyfunction]
#[pyo3(signature = (file, text))]
pub(crate) fn check(py: Python<'_>, file: &str, text: Option<Vec<u8>>) -> PyResult<()> {
    let checked = py.detach(|| {
        let loaded = match text {
            Some(bytes) => scenario::parse(file, bytes, Path::new("")),
            None => scenario::load(Path::new(file)),
        };
        scenario::expecting(&loaded?, &Overrides::default()).map(drop)
    });
    checked.map_err(|problems| wrong(py, &problems))
}

/// Runs a scenario.
#[pyfunction]
#[pyo3(signature = (file, text, kubernetes, timing, seed, sets, needless_within))]
#[expect(clippy::too_many_arguments, reason = "the package names them; nobody else calls this")]
pub(crate) fn run(
    py: Python<'_>,
    file: String,
    text: Option<Vec<u8>>,
    kubernetes: Option<String>,
    timing: Option<String>,
    seed: Option<u64>,
    sets: Vec<String>,
    needless_within: &str,
) -> PyResult<Run> {
    let window = duration::parse(needless_within)
        .map_err(|error| refused(py, &Refused::Input(format!("needless_within: {error}"))))?;
    let overrides = Overrides { kubernetes, timing, seed, at_once: sets.len(), sets, other: None };
    let ran = heeding(py, move |send| {
        Run::begin(|| asked::run(&file, text, overrides), window, send);
    })?;
    ran.map_err(|refusal| refused(py, &refusal))
}

/// Answers a command: its words, and the texts that stand for files.
#[pyfunction]
pub(crate) fn ask(
    py: Python<'_>,
    words: Vec<String>,
    texts: BTreeMap<String, Vec<u8>>,
) -> PyResult<Found> {
    let answer = heeding(py, move |send| {
        // Whoever does not wait any longer needs no answer.
        let _ = send.send(asked::ask(&words, texts));
    })?;
    answer.map(Found::new).map_err(|refusal| refused(py, &refusal))
}
