//! `taintsim faults`: what fault models come to, and one drawn year as a scenario.

use super::given::given;
use super::html::{HtmlArg, page};
use super::prelude::*;
use super::shards::Inputs;
use crate::language::Tree;
use crate::report::Style;
use crate::report::faults::{Told, board_of, document, history, write};
use crate::scenario::{preset_text, use_preset};
use clap::ValueEnum;

/// Arguments of `taintsim faults`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FaultsArgs {
    /// A scenario with fault models, or what kubectl printed, with --preset; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "show")]
    file: Option<PathBuf>,
    /// Fault models in place of the scenario's: on-prem, cloud, spot, edge, grid, lab
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Print a preset, with the source of each figure, to copy it into a scenario
    #[arg(long, value_name = "PRESET", conflicts_with_all = ["file", "preset", "window", "sets", "kubernetes", "timing", "seed", "html"])]
    show: Option<String>,
    /// How long to draw for [default: a year]
    #[arg(long = "for", value_name = "DURATION", value_parser = duration, default_value = "8760h")]
    window: Dur,
    #[command(flatten)]
    out: ScenarioOut,
    #[command(flatten)]
    change: ChangeArgs,
    /// Another value for something in the scenario; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Do not say what was taken from an export
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    html: HtmlArg,
}

impl FaultsArgs {
    /// The form of what is printed; none for a scenario, as where nothing but a file is named.
    fn form(&self, file: Option<&Path>) -> Result<Option<TableFormat>> {
        let usual = if file.is_some() { "scenario" } else { "text" };
        match self.out.form().unwrap_or(usual) {
            "scenario" => Ok(None),
            word => TableFormat::from_str(word, false)
                .map(Some)
                .map_err(|_| no_such_form(word, &["text", "json", "scenario", "csv", "parquet"])),
        }
    }
}

/// Runs the command.
pub(crate) fn faults(args: &FaultsArgs, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.quiet);
    let file = args.out.file(args.file.as_slice())?;
    let form = args.form(file)?;
    args.html.fits()?;
    if let Some(table) = form.and_then(TableFormat::of_table) {
        can_print(table, file)?;
    }
    if let Some(name) = &args.show {
        return write_text(file, preset_text(name)?, terminal);
    }
    // Without `--show` there is a file.
    let from = args.file.as_deref().unwrap_or(Path::new("-"));
    let mut loaded = given(from, &Inputs::default(), terminal)?;
    let overrides = args.change.overrides(args.sets.clone());
    let notes = with_preset(&mut loaded, &overrides, args.preset.as_deref())?;
    terminal.aside(&notes);
    lasting(&mut loaded, args.window)?;
    let drawn = scenario::drawn(&loaded, &overrides)?;
    if drawn.models.list.is_empty() {
        return Err(Failure::Input(no_models()));
    }
    let seed = scenario::seed(&loaded, &overrides)?;
    let outages = drawn.models.draw(seed, args.window);
    let (name, window) = (&loaded.name, args.window);
    let told = Told { name, seed, window, drawn: &drawn, outages: &outages };
    let text = |p: &mut Printer<'_>| write(p, told);
    args.html.write(|| page(text, |said| board_of(told, said), Vec::new()))?;
    let Some(form) = form else {
        let mut spec = scenario::changed(&loaded, &overrides)?;
        scenario::instead(&mut spec, &drawn.plan, &outages);
        return write_text(file, &Tree::of(&spec).file(), terminal);
    };
    if let Some(file) = file {
        let mut bytes = Vec::new();
        form.write(&mut bytes, Style::default(), text, || document(told), || history(told))?;
        write_whole(file, &bytes)?;
    } else {
        form.print(terminal, text, || document(told), || history(told))?;
    }
    Ok(Exit::Fine)
}

/// Gives a scenario the faults of a preset, if one is asked for; what of it does not fit.
pub(super) fn with_preset(
    loaded: &mut Loaded,
    overrides: &Overrides,
    name: Option<&str>,
) -> Result<Vec<String>> {
    let Some(name) = name else { return Ok(Vec::new()) };
    // Its own models may be about something else.
    loaded.spec.faults = None;
    let plan = scenario::build(loaded, overrides)?;
    use_preset(loaded, &plan, name).map_err(Failure::Input)
}

/// What to do where nothing says how things fail.
pub(super) fn no_models() -> Problem {
    Problem::new("nothing says how things fail here")
        .help("give the scenario `faults`, or name a preset: `--preset on-prem` (cloud, spot, edge, grid, lab)")
}

/// Makes a scenario's run as long as what is drawn.
fn lasting(loaded: &mut Loaded, window: Dur) -> Result<()> {
    let most = crate::language::values::SPAN_MAX;
    if window.is_zero() || window > most {
        let problem = Problem::new("faults are drawn for a moment to a year: `--for 8760h`");
        return Err(Failure::Input(problem));
    }
    loaded.spec.horizon = crate::language::duration::format(window).into();
    Ok(())
}
