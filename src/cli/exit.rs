//! Exit codes.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
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

/// What each tells whoever called the program.
pub(crate) const MEANINGS: [(Exit, &str); 7] = [
    (Exit::Fine, "fine"),
    (Exit::Differs, "an expectation is not met; runs or recordings differ"),
    (Exit::Input, "wrong usage or input"),
    (Exit::Internal, "internal error, or something cannot be read or written"),
    (Exit::Nothing, "nothing was selected"),
    (Exit::Unfinished, "shards of a work plan are to be done"),
    (Exit::Interrupted, "interrupted"),
];

impl Exit {
    /// The code itself.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
