//! taintsim for Python: the extension `taintsim._taintsim`, on which the package stands.
//!
//! It runs scenarios and answers the commands sweep, survey, plan and forecast in the process of
//! the interpreter, by the doors that the crate has for this (`taintsim::cli::asked`), and hands
//! tables over by Arrow's C stream interface. What a person calls is written in Python, in
//! `taintsim/`; its stubs are in `taintsim/_taintsim.pyi`.
//!
//! * `cells`, `table`: columns that Arrow's consumers take without a copy.
//! * `refusal`: what is wrong, as exceptions.
//! * `heeding`: the interpreter's lock let go while something runs, and Ctrl-C heard.
//! * `run`, `found`: a run, and what a command found.
//! * `functions`: what the package calls.

mod cells;
mod found;
mod functions;
mod heeding;
mod refusal;
mod run;
mod table;

use pyo3::prelude::*;

/// The extension.
#[pymodule]
mod _taintsim {
    #[pymodule_export]
    use super::found::Found;
    #[pymodule_export]
    use super::functions::{ask, check, main, run, schema};
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::table::Table;
}
