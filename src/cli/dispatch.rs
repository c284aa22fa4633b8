//! From arguments to a command, and from its end to an exit code.

use super::command_line::{Cli, Command};
use super::prelude::*;
use super::shards::{Again, With, Work, gather, shard};
use super::terminal::{ColorArg, ColorWhen, form};
use super::{
    complete, completions, diff, explain, explore, faults, forecast, import, incident, init, man,
    odds, outages, plan, playground, replay, report, run, settings, shrink, survey, sweep, test,
    tool, validate,
};
use crate::api::spelling;
use crate::kernel::Endless;
use crate::lab::endless::gave_up;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::process::ExitCode;

/// Runs the command line; the first argument is the program's name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    exit_code(args).into()
}

/// As [`main`], for a program of another language that has this one within it: the exit code as a
/// number.
pub fn exit_code(args: impl IntoIterator<Item = OsString>) -> u8 {
    guarded(args, Cli::command(), |cli: Cli, arguments, terminal| {
        let Some(command) = cli.command else {
            // The help that a call without arguments gets: data, on standard output.
            let help = in_words(&Cli::command().render_help(), terminal.colour);
            return print_text(terminal, |out| write!(out, "{help}"));
        };
        call(&command, &Work::here(arguments), terminal)
    })
}

/// A program that is one command, with the manners of this one: colours, signals, how mistakes are
/// said, exit codes.
pub fn program<A: clap::Args>(
    name: &'static str,
    args: impl IntoIterator<Item = OsString>,
    run: impl FnOnce(&A, &Terminal) -> Outcome,
) -> ExitCode {
    let command = Alone::<A>::command().name(name);
    guarded(args, command, |alone: Alone<A>, _, terminal| run(&alone.args, terminal)).into()
}

// The command line of a program that is one command. What its arguments say of themselves is what its help begins with.
#[derive(clap::Parser)]
#[command(version, max_term_width = 110)]
struct Alone<A: clap::Args> {
    #[command(flatten)]
    color: ColorArg,
    #[command(flatten)]
    args: A,
}

/// Runs a program: a panic is a defect, and a run that has no end a mistake in what was asked.
fn guarded<P: FromArgMatches>(
    args: impl IntoIterator<Item = OsString>,
    program: clap::Command,
    run: impl FnOnce(P, &[OsString], &Terminal) -> Outcome,
) -> u8 {
    std::panic::set_hook(Box::new(defect));
    let args: Vec<OsString> = args.into_iter().collect();
    let when = color(&args);
    let ended = catch_unwind(AssertUnwindSafe(|| start(args, when, program, run)));
    let exit = ended.unwrap_or_else(|payload| {
        payload.downcast_ref::<Endless>().map_or(Exit::Internal, |endless| {
            Failure::Input(gave_up(endless)).report(&Terminal::new(when))
        })
    });
    exit.code()
}

fn start<P: FromArgMatches>(
    args: Vec<OsString>,
    when: ColorWhen,
    program: clap::Command,
    run: impl FnOnce(P, &[OsString], &Terminal) -> Outcome,
) -> Exit {
    let terminal = Terminal::new(when);
    let arguments = args.get(1..).unwrap_or_default().to_vec();
    let matches = program.color(when.choices().1).try_get_matches_from(args);
    match matches.and_then(|m| P::from_arg_matches(&m)) {
        Ok(understood) => {
            interrupt::listen();
            run(understood, &arguments, &terminal)
                .unwrap_or_else(|failure| failure.report(&terminal))
        }
        Err(error) => {
            if let Some(failure) = tool::run(&error, &arguments) {
                return failure.report(&terminal);
            }
            let error = advised(error);
            match say(&error, &terminal) {
                Err(e) if !error.use_stderr() => Failure::from(e).report(&terminal),
                _ if error.use_stderr() => Exit::Input,
                _ => Exit::Fine,
            }
        }
    }
}

/// Calls a command, with the runs of `work` where they can be shared.
pub(super) fn call(command: &Command, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    match command {
        Command::Run(args) => run::run(args, terminal),
        Command::Test(args) => test::test(args, terminal),
        Command::Diff(args) => diff::diff(args, terminal),
        Command::Explain(args) => explain::explain(args, terminal),
        Command::Report(args) => report::report(args, terminal),
        Command::Sweep(args) => sweep::sweep(args, work, terminal),
        Command::Survey(args) => survey::survey(args, work, terminal),
        Command::Plan(args) => plan::plan(args, work, terminal),
        Command::Faults(args) => faults::faults(args, terminal),
        Command::Outages(args) => outages::outages(args, terminal),
        Command::Explore(args) => explore::explore(args, work, terminal),
        Command::Shard(args) => shard::shard(args, &read_again, terminal),
        Command::Gather(args) => gather::gather(args, &read_again, terminal),
        Command::Replay(args) => replay::replay(args, terminal),
        Command::Odds(args) => odds::odds(args, terminal),
        Command::Shrink(args) => shrink::shrink_command(args, terminal),
        Command::Import(args) => import::import(args, terminal),
        Command::Forecast(args) => forecast::forecast(args, work, terminal),
        Command::Incident(args) => incident::incident(args, terminal),
        Command::Settings(args) => settings::settings(args, terminal),
        Command::Validate(args) => validate::validate(args, terminal),
        Command::Init(args) => init::init(args, terminal),
        Command::Schema(args) => init::schema(args, terminal),
        Command::Playground(args) => playground::playground(args, terminal),
        Command::Completions(args) => completions::completions(args, &Cli::command(), terminal),
        Command::Complete(args) => complete::complete(args, Cli::command(), terminal),
        Command::Man(args) => man::man(args, Cli::command(), terminal),
    }
}

/// The command of a work plan, which was understood when it was planned.
fn read_again(arguments: &[String], with: &With) -> Option<Again> {
    let program = std::iter::once("taintsim").chain(arguments.iter().map(String::as_str));
    let matches = Cli::command().try_get_matches_from(program).ok()?;
    let mut command = Cli::from_arg_matches(&matches).ok()?.command?;
    let said = match &mut command {
        Command::Sweep(args) => args.with(with),
        Command::Survey(args) => args.with(with),
        Command::Plan(args) => args.with(with),
        Command::Explore(args) => args.with(with),
        _ => return None,
    };
    Some(Box::new(move |work, terminal| said.and_then(|()| call(&command, work, terminal))))
}

/// What clap has to say, with what it quotes of the command line escaped.
fn say(error: &clap::Error, terminal: &Terminal) -> io::Result<()> {
    let said = error.render();
    let colour = if error.use_stderr() { terminal.error_colour } else { terminal.colour };
    let text = in_words(&said, colour);
    let out: &mut dyn Write = if error.use_stderr() {
        &mut Escaped::new(io::stderr(), form(colour))
    } else {
        &mut terminal.out()
    };
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A text of clap's, in colour or not.
pub(super) fn in_words(said: &StyledStr, colour: bool) -> String {
    let text = if colour { said.ansi().to_string() } else { said.to_string() };
    text.replace("invalid digit found in string", "a whole number is wanted")
}

/// What `--color` says, looked up ahead of everything else: mistakes in the rest are reported in
/// colour, too, or not.
fn color(args: &[OsString]) -> ColorWhen {
    let read =
        |text: &str| <ColorWhen as clap::ValueEnum>::from_str(text, false).unwrap_or_default();
    let mut args = args.iter().skip(1).filter_map(|a| a.to_str()).take_while(|a| *a != "--");
    while let Some(arg) = args.next() {
        match arg.strip_prefix("--color") {
            Some("") => return args.next().map_or(ColorWhen::Auto, read),
            Some(rest) if rest.starts_with('=') => return read(&rest[1..]),
            _ => {}
        }
    }
    ColorWhen::Auto
}

/// A scenario in the place of a command gets the command to use; a misspelt command gets the nearest
/// one, where clap might name a hidden one. What is no option but a number below
/// zero is told as that.
pub(super) fn advised(mut error: clap::Error) -> clap::Error {
    let ways = [no_table, no_run, no_file, negative, no_seeds];
    if let Some(advice) = ways.into_iter().find_map(|way| way(&error)) {
        let advice = ContextValue::StyledStrs(vec![StyledStr::from(advice.to_owned())]);
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, advice);
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    if word.ends_with(".ron") || Path::new(word).is_file() {
        let advice = StyledStr::from(format!("to simulate a scenario, use `taintsim run {word}`"));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice]));
    } else {
        let program = Cli::command();
        let names =
            program.get_subcommands().filter(|c| !c.is_hide_set()).map(clap::Command::get_name);
        let near = spelling::nearest(word, names);
        error.remove(ContextKind::SuggestedSubcommand);
        if let Some(near) = near {
            let near = ContextValue::Strings(vec![near.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, near);
        }
    }
    error
}

/// What to do where runs are to be changed, or written, that are kept.
fn no_run(error: &clap::Error) -> Option<&'static str> {
    let names = |kind| match error.get(kind) {
        Some(ContextValue::Strings(args)) => args.iter().any(|arg| arg.starts_with("--kept")),
        _ => said(error, kind).starts_with("--kept"),
    };
    let is_kept = names(ContextKind::InvalidArg) || names(ContextKind::PriorArg);
    (error.kind() == ErrorKind::ArgumentConflict && is_kept).then_some(
        "--kept answers from runs that are over, of the scenario that they were of, and writes no folder: say --price, --currency, --within and \
         --confidence with it, and `-o json > FILE` to keep the answer; without --kept FILE is run anew",
    )
}

/// What a mistake is about, where that is one text.
fn said(error: &clap::Error, kind: ContextKind) -> &str {
    if let Some(ContextValue::String(text)) = error.get(kind) { text } else { "" }
}

/// What to do where a table is asked for of a command that prints none.
fn no_table(error: &clap::Error) -> Option<&'static str> {
    let is_asked = said(error, ContextKind::InvalidArg).starts_with("--output")
        && ["csv", "parquet"].contains(&said(error, ContextKind::InvalidValue));
    is_asked.then_some(
        "this command prints no table; a run's are written by `run --records csv` and printed by `report DIR -o csv`, and test, sweep, diff, \
         survey, plan, outages, faults, explore, forecast and incident print theirs",
    )
}

/// What to do where a file is named for the page of a command whose page stands in its folder of results.
fn no_file(error: &clap::Error) -> Option<&'static str> {
    let is_page = said(error, ContextKind::InvalidArg) == "--html";
    (is_page && error.kind() == ErrorKind::TooManyValues).then_some(
        "run, sweep and plan write their page, report.html, into the folder of results, which --out names: say --html alone",
    )
}

/// What to do about `--for -5m`, which is taken for an option.
fn negative(error: &clap::Error) -> Option<&'static str> {
    let rest = said(error, ContextKind::InvalidArg).strip_prefix('-');
    let is_number = rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_number.then_some("no option takes a number or a duration below zero")
}

/// What to do where a command runs as many seeds as its scenario says, or one.
fn no_seeds(error: &clap::Error) -> Option<&'static str> {
    (said(error, ContextKind::InvalidArg) == "--seeds")
        .then_some("with how many seeds `test` runs it a scenario says: `--set seeds=50`")
}

/// Prints what a panic says: it is a defect of this program, and not a mistake in its input.
fn defect(info: &PanicHookInfo<'_>) {
    // `gave_up` reports it.
    if info.payload().is::<Endless>() {
        return;
    }
    let what = info.payload_as_str().unwrap_or("something unexpected");
    let place =
        info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
    let mut text = format!("internal error: {what}{place}\n");
    text.push_str("This is a defect of taintsim. Please report it with this message, the command line and the scenario.\n");
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        text.push_str(&backtrace.to_string());
    }
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
