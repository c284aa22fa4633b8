//! `taintsim gather`: puts the shards of a work plan together.

use super::kept::{Kept, State};
use super::packed::Packed;
use super::{ReadAgain, With, Work};
use crate::cli::prelude::*;
use crate::lab::Away;
use crate::language::clauses;
use crate::report::trials::quoted;

/// How many shards are named that are not there.
const NAMED: usize = 10;

/// Arguments of `taintsim gather`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct GatherArgs {
    /// The work plan: the folder that --plan-shards wrote
    #[arg(value_name = "DIR")]
    plan: PathBuf,
    /// The folder of the result files, where it is not that of the work plan
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// The folder for results, as --out of the command itself [default: output]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// In which form to print results on standard output, of those that the command itself has
    /// [default: as it was planned]
    #[arg(long, short = 'o', alias = "format", value_name = "FORMAT")]
    output: Option<String>,
}

/// Runs the command.
pub(crate) fn gather(args: &GatherArgs, read_again: ReadAgain<'_>, terminal: &Terminal) -> Outcome {
    let packed = Packed::open(&args.plan)?;
    let kept = Kept::new(&packed, args.results.as_deref().unwrap_or(&args.plan));
    let with = With { out: args.out.clone(), jobs: None, output: args.output.clone() };
    let again = read_again(&packed.arguments, &with).ok_or_else(|| packed.not_understood())?;
    let work = Work::part(packed.inputs()?, &kept, None, packed.shards);
    match again(&work, terminal) {
        Err(Failure::Elsewhere(Away::Missing(round))) => {
            Err(Failure::Unfinished(missing(args, &packed, &kept, round)))
        }
        ended => ended,
    }
}

/// What of a round is not there, and how to make up for it.
fn missing(args: &GatherArgs, packed: &Packed, kept: &Kept<'_>, round: u32) -> Problem {
    let mut lacking: Vec<(u32, Option<String>)> = Vec::new();
    for shard in 0..packed.shards {
        match kept.state(round, shard) {
            State::Whole(_) => {}
            State::Missing => lacking.push((shard, None)),
            State::Damaged(what) => {
                let place = kept.place(round, shard);
                lacking.push((shard, Some(format!("{}: {what}", place.display()))));
            }
        }
    }
    let command = |shard: &str| {
        let path = |path: &Path| quoted(&path.display().to_string());
        let results = args.results.iter().map(|r| format!(" --results {}", path(r)));
        format!("taintsim shard {} {shard}{}", path(&args.plan), results.collect::<String>())
    };
    let (n, of) = (lacking.len(), packed.shards);
    let plan = args.plan.display();
    if n == of as usize && lacking.iter().all(|(_, what)| what.is_none()) {
        let text = match round {
            0 => format!("no shard of {plan} is done yet"),
            round => format!("round {round} of {plan} is next: what is known so far is not enough"),
        };
        let help = format!("`{}` for each I from 0 to {}", command("I"), of - 1);
        return Problem::new(text).help(help);
    }
    let line = |(shard, what): &(u32, Option<String>)| match what {
        None => format!("shard {shard} is missing"),
        Some(what) => format!("shard {shard} is no good: {what}"),
    };
    let lines = clauses(NAMED, lacking.iter().map(line));
    let in_round = if round == 0 { String::new() } else { format!(" in round {round}") };
    let text = format!("{plan} lacks {n} of {of} shards{in_round}: {lines}");
    let commands = lacking.iter().take(NAMED);
    let commands = commands.map(|(shard, _)| format!("`{}`", command(&shard.to_string())));
    let commands: Vec<String> = commands.collect();
    let more = if n > NAMED { ", and so on" } else { "" };
    Problem::new(text).help(format!("{}{more}", commands.join(", ")))
}
