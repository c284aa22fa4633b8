//! `taintsim settings`: every path of a scenario that `--set` takes, and what it is set to.

use super::given::given;
use super::prelude::*;
use super::shards::Inputs;
use crate::report::settings::{document, table, write};

/// Arguments of `taintsim settings`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SettingsArgs {
    /// A scenario, or what `kubectl get … -o json` printed; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only paths with all of these words in them
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Only those that are not as nothing said would leave them
    #[arg(long)]
    changed: bool,
    #[command(flatten)]
    change: ChangeArgs,
    /// Another value for something in the scenario; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    output: OutputArg<TableFormat>,
    /// Do not say what was taken from an export
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn settings(args: &SettingsArgs, terminal: &Terminal) -> Outcome {
    args.output.form.fits(false)?;
    let loaded = given(&args.file, &Inputs::default(), &terminal.quietly(args.quiet))?;
    let overrides = args.change.overrides(args.sets.clone());
    let plan = scenario::build(&loaded, &overrides)?;
    let spec = scenario::changed(&loaded, &overrides)?;
    let mut all = scenario::settings(&spec, &plan);
    let words: Vec<String> = args.words.iter().map(|w| w.to_lowercase()).collect();
    all.retain(|setting| {
        let path = setting.path.to_lowercase();
        words.iter().all(|w| path.contains(w)) && !(args.changed && setting.is_default())
    });
    if all.is_empty() {
        let all_defaults = "every setting has its default";
        let has_words = format!("no setting has `{}` in its name", args.words.join("` and `"));
        let why = if words.is_empty() { all_defaults } else { &has_words };
        terminal.error(why, Some("leave words out, or --changed"));
        return Ok(Exit::Nothing);
    }
    let document = || document(&loaded.name, &all);
    args.output.form.print(terminal, |p| write(p, &all), document, || table(&all))?;
    Ok(Exit::Fine)
}
