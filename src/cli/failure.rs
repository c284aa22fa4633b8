//! Exit codes; and why a command ended before its end, how that is said, and with which code.

use super::terminal::Terminal;
use crate::files::said;
use crate::import::ImportError;
use crate::lab::{Away, Stopped};
use crate::language::{Problem, Problems};
use crate::report::FileError;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Why a command ended.
#[derive(Debug)]
pub enum Failure {
    /// A scenario, or what the command line changes in it, is wrong.
    Problems(Problems),
    /// Something else that was given is wrong.
    Input(Problem),
    /// Something cannot be read, written or made.
    Io(String),
    /// Ctrl-C; the text says what became of the work.
    Interrupted(String),
    /// The work goes on on other machines.
    Elsewhere(Away),
    /// The time was over before anything was known; the help says what to do.
    Unknown(Problem),
    /// There is more to do before there is a result; the text says what, and the help how.
    Unfinished(Problem),
}

/// What a part of a command came to.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// How a command ended.
pub type Outcome = Result<Exit>;

impl Failure {
    /// Something that was given is wrong; and what may help.
    pub(crate) fn input(text: impl ToString, help: impl Into<String>) -> Self {
        Self::Input(Problem::new(text).help(help))
    }

    /// Many runs that have no result; `text` says what became of those that were stopped.
    pub(crate) fn stopped(why: Stopped, text: impl FnOnce() -> String) -> Self {
        if let Stopped::Asked = why { Self::Interrupted(text()) } else { why.into() }
    }

    /// A failure to write a file.
    pub(crate) fn write(path: &Path, error: &io::Error) -> Self {
        Self::Io(format!("cannot write {}: {}", path.display(), said(error)))
    }

    /// Says it on standard error, and gives the exit code.
    pub(crate) fn report(self, terminal: &Terminal) -> Exit {
        match &self {
            Self::Problems(problems) => terminal.problems(problems),
            Self::Input(p) | Self::Unknown(p) | Self::Unfinished(p) => {
                terminal.error(&p.message, p.help.as_deref());
            }
            Self::Io(text) => terminal.error(text, None),
            Self::Interrupted(text) => terminal.note(text),
            // `taintsim shard` and `taintsim gather` say it in their own words.
            Self::Elsewhere(_) => {}
        }
        match self {
            Self::Problems(_) | Self::Input(_) => Exit::Input,
            Self::Io(_) => Exit::Internal,
            Self::Unknown(_) => Exit::Nothing,
            Self::Interrupted(_) => Exit::Interrupted,
            Self::Unfinished(_) | Self::Elsewhere(_) => Exit::Unfinished,
        }
    }
}

/// Many runs that have no result; those that were stopped say so in words of their own.
/// Refuses what is asked for where it is `wrong`.
pub(crate) fn refuse_if(wrong: bool, text: impl ToString, help: impl Into<String>) -> Result<()> {
    if wrong { Err(Failure::input(text, help)) } else { Ok(()) }
}

/// Ends a command that was interrupted, once what it has found is out.
pub(crate) fn interrupted_if(was: bool, text: &str) -> Result<()> {
    if was { Err(Failure::Interrupted(text.to_owned())) } else { Ok(()) }
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Problems(problems) => Self::Problems(problems),
            Stopped::Threads(error) => Self::Io(format!("cannot start threads: {error}")),
            Stopped::Asked => Self::Interrupted("interrupted before anything was known".to_owned()),
            Stopped::Elsewhere(away) => Self::Elsewhere(away),
        }
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        Self::Input(Problem::new(error.to_string()))
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Input(problem)
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Problems(problems)
    }
}

/// A folder of results that cannot be written.
impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let text = error.to_string();
        match error {
            FileError::NotOurs { .. } | FileError::Name { .. } => {
                Self::input(text, "name another folder with --out")
            }
            FileError::Changed { .. } => Self::Input(Problem::new(text)),
            FileError::More { .. } => {
                Self::input(text, "move it away, or name another folder with --out")
            }
            FileError::Failed(_) => Self::Io(text),
        }
    }
}

/// An error of standard output, the only writer whose errors are passed on as they are.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(format!("cannot write to standard output: {}", said(&error)))
    }
}

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
    /// Nothing was selected, or nothing is known yet.
    Nothing = 4,
    /// Shards of a work plan are to be done before there is a result.
    Unfinished = 5,
    /// Ctrl-C.
    Interrupted = 130,
}

/// What each tells whoever called the program.
pub(crate) const MEANINGS: [(Exit, &str); 7] = [
    (Exit::Fine, "fine"),
    (
        Exit::Differs,
        "an expectation is not met; runs or recordings differ; a property is violated; a limit that was asked for is broken",
    ),
    (Exit::Input, "wrong usage or input"),
    (Exit::Internal, "internal error, or something cannot be read or written"),
    (Exit::Nothing, "nothing was selected, or nothing is known yet"),
    (Exit::Unfinished, "shards of a work plan are to be done"),
    (Exit::Interrupted, "interrupted"),
];

impl Exit {
    /// Fine, or not as it should be.
    pub(crate) fn fine_if(is_fine: bool) -> Self {
        if is_fine { Self::Fine } else { Self::Differs }
    }

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
