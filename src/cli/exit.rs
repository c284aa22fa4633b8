//! Exit codes.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// All is well.
    Fine = 0,
    /// An expectation failed, or runs or recordings differ.
    Differs = 1,
    /// The command line or an input is wrong.
    Input = 2,
    /// A defect of the program, or something cannot be written or read.
    Internal = 3,
    /// Nothing was selected.
    Nothing = 4,
    /// Shards of a work plan are to be done before there is a result.
    Unfinished = 5,
    /// Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// The code itself.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
