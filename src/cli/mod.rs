//! The command line: a file or a folder for each command.
//!
//! stdout is data, stderr is progress and diagnostics; `exit` has the exit codes. Nothing below
//! this module looks at a terminal, the environment or a clock of the machine.

mod args;
pub mod asked;
mod command_line;
mod complete;
mod completions;
mod diff;
mod dispatch;
mod explain;
mod explore;
mod explore_args;
mod failure;
mod faults;
mod file;
mod findings;
mod finished;
mod forecast;
mod forecasts;
mod given;
mod golden;
mod html;
mod import;
mod incident;
mod init;
pub mod interrupt;
mod man;
mod managed;
mod odds;
mod outages;
mod output;
mod plan;
mod plan_page;
mod plan_volumes;
mod playground;
mod prelude;
mod progress;
pub mod readers;
mod replay;
mod report;
mod run;
mod scenarios;
mod settings;
mod shards;
mod shrink;
mod survey;
mod sweep;
mod terminal;
mod test;
mod tool;
mod validate;

pub use args::{duration, jobs};
pub use dispatch::{exit_code, main, program};
pub use explore_args::releases;
pub use failure::{Exit, Failure, Outcome};
pub use file::{missing, write_whole};
pub use output::{CheckFormat, Format, OutputArg};
pub use progress::{Progress, Stopwatch};
pub use replay::load_any;
pub use run::load;
pub use terminal::Terminal;
