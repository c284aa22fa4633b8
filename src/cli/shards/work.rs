//! How a command with many runs does them.

use super::packed::{self, Inputs, SHARDS_MAX};
use crate::cli::output::Keeping;
use crate::cli::prelude::*;
use crate::lab::{Keeper, Shared};

/// The option that makes a work plan of a command.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PlanShardsArgs {
    /// Run nothing: cut the runs into N shards for other machines, and write what these need to the
    /// folder --out, a work plan. `taintsim shard` does a shard, `taintsim gather` puts them together
    #[arg(long, value_name = "N", requires = "out", value_parser = clap::value_parser!(u32).range(1..=i64::from(SHARDS_MAX)))]
    plan_shards: Option<u32>,
}

/// What is said anew when the command of a work plan is called again.
#[derive(Clone, Debug, Default)]
pub(crate) struct With {
    /// The folder for results, where one is named.
    pub(crate) out: Option<PathBuf>,
    /// How many runs at once.
    pub(crate) jobs: Option<u16>,
    /// In which form results are printed.
    pub(crate) output: Option<String>,
}

impl With {
    /// The folder for results: not that of the work plan, which the command was planned with.
    pub(crate) fn folder(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| "output".into())
    }
}

/// The command of a work plan, ready to be called again.
pub(crate) type Again = Box<dyn FnOnce(&Work<'_>, &Terminal) -> Outcome>;

/// Reads the command of a work plan from its arguments.
pub(crate) type ReadAgain<'a> = &'a dyn Fn(&[String], &With) -> Option<Again>;

/// How a command with many runs does them: here, or as one of several machines.
pub(crate) struct Work<'a> {
    /// Its files.
    pub(crate) inputs: Inputs,
    arguments: &'a [OsString],
    shared: Option<Shared<'a>>,
    is_shard: bool,
    /// Where what is found goes in place of being printed.
    keeping: Option<&'a Keeping>,
}

impl<'a> Work<'a> {
    /// All of it here; `arguments` are those of the command line, behind the program's name.
    pub(crate) fn here(arguments: &'a [OsString]) -> Self {
        Self { inputs: Inputs::default(), arguments, shared: None, is_shard: false, keeping: None }
    }

    /// All of it here, for a program that wants what is found and no print.
    pub(crate) fn asked(inputs: Inputs, keeping: &'a Keeping) -> Self {
        Self { inputs, keeping: Some(keeping), ..Self::here(&[]) }
    }

    /// A part of a work plan: the shard `mine` of so many, or what all of them found.
    pub(super) fn part(inputs: Inputs, keeper: &'a dyn Keeper, mine: Option<u32>, of: u32) -> Self {
        let shared = Some(Shared::new(keeper, of, mine, interrupt::asked));
        Self { inputs, shared, is_shard: mine.is_some(), ..Self::here(&[]) }
    }

    /// Who does the runs.
    pub(crate) fn desk(&self) -> Desk<'_> {
        self.shared.as_ref().map_or(Desk::Here, Desk::Shared)
    }

    /// Whether the command writes its results: a shard leaves that to whoever gathers.
    pub(crate) fn writes(&self) -> bool {
        !self.is_shard && self.keeping.is_none()
    }

    /// Keeps what was found for whoever asked for it; whether somebody did, so that it is not
    /// printed.
    pub(crate) fn keep(&self, found: impl FnOnce() -> Result<Found>) -> Result<bool> {
        let Some(keeping) = self.keeping else { return Ok(false) };
        keeping.replace(Some(found()?));
        Ok(true)
    }

    /// Writes a work plan instead, if that was asked for; `loaded` are the scenarios, in their
    /// order on the command line.
    pub(crate) fn planned(
        &self,
        args: &PlanShardsArgs,
        out: &Path,
        loaded: &[&Loaded],
        terminal: &Terminal,
    ) -> Option<Outcome> {
        let shards = args.plan_shards.filter(|_| self.shared.is_none())?;
        let read = self.inputs.read.borrow();
        Some(packed::pack((self.arguments, shards), &read, loaded, out, terminal))
    }
}

impl PlanShardsArgs {
    /// Refuses what a work plan cannot have.
    pub(crate) fn refuses(&self, is_asked: bool, what: &str, help: &str) -> Result<()> {
        let is_wrong = is_asked && self.plan_shards.is_some();
        refuse_if(is_wrong, format!("a work plan cannot have {what}"), help)
    }

    /// Whether a work plan is made, or done.
    pub(crate) fn is_asked(&self) -> bool {
        self.plan_shards.is_some()
    }
}
