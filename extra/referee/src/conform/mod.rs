//! `taintsim conform`: replays recorded timelines in the model and says where it parts from
//! upstream.
//!
//! stdout has one line per recording, under those that differ where they do, then the counts by
//! release and by kind of scenario and a last line with the totals; stderr has what could not be
//! read.

mod args;
mod counts;
mod odds;
pub(crate) mod record;
pub(crate) mod recordings;
pub(crate) mod report;
pub(crate) mod run;
mod since;

pub use args::ConformArgs;
pub use counts::Counts;
pub use run::{MODELS, run};

use std::io::{self, Write};
use taintsim::cli::{Exit, Failure, Outcome, Progress, Terminal, missing};
use taintsim::files::{Escaped, Form};

/// Runs the command.
pub fn conform(args: &ConformArgs, terminal: &Terminal) -> Outcome {
    if let Some(problem) = args.paths.iter().find_map(|path| missing(path)) {
        return Err(Failure::Input(problem));
    }
    let mut out = terminal.out();
    let progress =
        Progress::new(terminal, "conform", 0, |done, _| format!("{done} recordings compared"));
    // Without a lock: a panic of the model in another thread has to be able to say so.
    let code = run(
        args,
        MODELS,
        &|done| progress.set(done),
        &mut out,
        &mut Escaped::new(io::stderr(), Form::Plain),
    )?;
    progress.clear();
    out.flush()?;
    Ok(exit_of(code))
}

/// What an exit code is called.
pub(crate) fn exit_of(code: u8) -> Exit {
    let all = [Exit::Differs, Exit::Input, Exit::Nothing];
    all.into_iter().find(|e| e.code() == code).unwrap_or(Exit::Fine)
}
