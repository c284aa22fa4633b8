//! `taintsim shard`: does one shard of a work plan.

use super::engines::{self, Engine};
use super::kept::Kept;
use super::packed::Packed;
use super::{ReadAgain, With, Work};
use crate::analysis::grouped;
use crate::cli::failure::Exit;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::terminal::Terminal;
use crate::lab::Away;
use crate::language::Problem;
use std::path::{Path, PathBuf};

/// Arguments of `taintsim shard`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ShardArgs {
    /// The work plan: the folder that --plan-shards wrote
    #[arg(value_name = "DIR")]
    plan: PathBuf,
    /// The number of the shard, from 0
    #[arg(value_name = "I", required_unless_present = "engine")]
    shard: Option<u32>,
    /// The folder for the result file, where it is not that of the work plan
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Do nothing but write what does every shard: a script for a job array of Slurm, or the
    /// manifest of an indexed Job of Kubernetes, beside the work plan
    #[arg(long = "for", value_name = "ENGINE", value_enum, conflicts_with_all = ["shard", "results", "jobs"])]
    engine: Option<Engine>,
    /// The container image of the manifest
    #[arg(
        long,
        value_name = "IMAGE",
        requires = "engine",
        default_value = engines::IMAGE
    )]
    image: String,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

/// Runs the command.
pub(crate) fn shard(args: &ShardArgs, read_again: ReadAgain<'_>, terminal: &Terminal) -> Outcome {
    let packed = Packed::open(&args.plan)?;
    // Without an engine there is a shard.
    let (None, Some(shard)) = (args.engine, args.shard) else {
        return engines::write(&packed, args.engine, &args.image, terminal);
    };
    if shard >= packed.shards {
        let text =
            format!("{} has no shard {shard}: it has {}", args.plan.display(), packed.shards);
        let help = format!("shards are numbered from 0 to {}", packed.shards - 1);
        return Err(Failure::Input(Problem::new(text).help(help)));
    }
    let kept = Kept::new(&packed, args.results.as_deref().unwrap_or(&args.plan));
    let with = With { out: None, jobs: args.jobs, output: None };
    let again = read_again(&packed.arguments, &with).ok_or_else(|| packed.not_understood())?;
    let work = Work::part(packed.inputs()?, &kept, (Some(shard), packed.shards));
    let ended = again(&work, terminal);
    let Err(Failure::Elsewhere(away)) = ended else {
        return ended;
    };
    let of = |round: u32| match round {
        0 => format!("shard {shard} of {}", packed.shards),
        round => format!("shard {shard} of {} in round {round}", packed.shards),
    };
    let text = match away {
        Away::Kept(round) => match kept.write()? {
            Some((place, pieces)) => said(&of(round), pieces, &place),
            None => format!("{} has nothing to do", of(round)),
        },
        Away::Before(round) => format!("{} is done already", of(round)),
        Away::All | Away::Missing(_) => {
            format!("every shard of {} is done", args.plan.display())
        }
    };
    terminal.note(&text);
    Ok(Exit::Fine)
}

fn said(of: &str, pieces: u64, place: &Path) -> String {
    let s = if pieces == 1 { "" } else { "s" };
    let place = place.display();
    format!("{of}: {} piece{s} of work, in {place}", grouped(pieces))
}
