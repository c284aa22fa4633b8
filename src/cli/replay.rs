//! `taintsim replay`: runs a tape again, and prints who did what, having seen what.

use super::html::{HtmlArg, page};
use super::prelude::*;
use crate::analysis::expect;
use crate::analysis::properties::{PropertyError, Violation, check};
use crate::lab::explore::drawn;
use crate::lab::replay::departure;
use crate::language::{Source, Tree, at};
use crate::report::html::board::Part;
use crate::report::odds::{drawn as drawn_document, of_drawn};
use crate::report::replay::{Replayed, document, lanes, write};

/// Arguments of `taintsim replay`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// A tape that `explore` wrote, or a scenario with a tape in it
    #[arg(value_name = "TAPE")]
    file: PathBuf,
    /// What to look for [default: the property of the tape]
    #[arg(long = "property", short, value_name = "PROPERTY", value_parser = |text: &str| Property::parse(text).map_err(|e| e.to_string()))]
    properties: Vec<Property>,
    #[command(flatten)]
    output: OutputArg<Format>,
    #[command(flatten)]
    html: HtmlArg,
}

/// A tape file, or a scenario with a tape in it; with what changes it.
fn load_taped(file: &Path) -> Result<(Loaded, Overrides, Source)> {
    let (loaded, overrides, source) = load(file)?;
    let text = format!("{} is a scenario without a tape", shown(file));
    let help = "`taintsim explore` writes tapes; `taintsim run` runs a scenario";
    refuse_if(loaded.spec.tape.is_none(), text, help)?;
    Ok((loaded, overrides, source))
}

/// A tape file, or a scenario; with what changes it.
pub fn load_any(file: &Path) -> Result<(Loaded, Overrides)> {
    load(file).map(|(loaded, overrides, _)| (loaded, overrides))
}

/// The same, with what the file holds itself.
pub(super) fn load(file: &Path) -> Result<(Loaded, Overrides, Source)> {
    // Read once: a pipe has nothing left for a second reader.
    let shown = shown(file);
    let bytes = if is_stdin(file) { stdin()? } else { scenario::read(file)? };
    // What is not text is reported as a mistake of a scenario.
    if let Ok(text) = files::text(bytes.clone())
        && Tape::is_one(&text)
    {
        let tape = Tape::read(&shown, &text)?;
        // Paths in the scenario are relative to where it was.
        let folder = Path::new(&tape.file).parent().map(Path::to_path_buf).unwrap_or_default();
        return Ok((tape.loaded(&folder)?, tape.overrides(), Source::new(&shown, text)));
    }
    let loaded = scenario::parse(&shown, bytes, file.parent().unwrap_or(Path::new("")))?;
    let source = loaded.source.clone();
    Ok((loaded, Overrides::default(), source))
}

/// What a search told of the violation whose tape a file holds.
pub(super) fn told(source: &Source) -> Option<String> {
    let doc = Tape::read(&source.name, &source.text).ok()?.doc;
    Some(doc.split_once(": ")?.1.to_owned())
}

/// Runs the command.
pub(crate) fn replay(args: &ReplayArgs, terminal: &Terminal) -> Outcome {
    args.html.fits()?;
    let (loaded, overrides, source) = load_taped(&args.file)?;
    // Nothing but the file says what is run.
    let named = |p: Problem| if p.source().is_some() { p } else { p.about(&source.name) };
    let plan = scenario::build(&loaded, &overrides)
        .map_err(|found| Problems(found.0.into_iter().map(named).collect()))?;
    let properties = properties(args, &loaded, &source)?;
    let run = interrupt::heeding(|| sim::replay_watched(&plan, &|| !interrupt::asked()));
    interrupted_if(run.known, "interrupted")?;
    let texts = Texts::of(&run);
    let parts = departure(&run, plan.tape.as_deref().unwrap_or_default(), &texts);
    let violations = match parts {
        Some(_) => Vec::new(),
        None => violated(&properties, &loaded, &overrides, &Analysis::new(&plan, &run.trace))?,
    };
    let often = match violations.is_empty() {
        true => None,
        false => how_often(&loaded, &overrides, &properties, run.trace.len() as u64)?,
    };
    let mut out = terminal.out();
    let taken = steps(&run, &texts, &violations, parts.as_ref());
    let (steps, departure) = (&taken, parts.as_ref());
    let told = Replayed { trace: &run.trace, steps, violations: &violations, departure };
    if args.output.form == Format::Json {
        let mut found = document(&plan, told);
        found["drawn"] = often.map_or(Value::Null, drawn_document);
        json::write(&mut out, &found)?;
    } else {
        heading(&mut out, &plan)?;
        let mut p = Printer::new(&mut out, terminal.style());
        write(&mut p, told)?;
        if parts.is_none() && violations.is_empty() && !properties.is_empty() {
            let names: Vec<String> = properties.iter().map(Property::to_string).collect();
            writeln!(out, "no violation of {}", names.join(", "))?;
        }
        if let Some((count, of)) = often {
            let drawn = of_drawn(count, of);
            writeln!(out, "Drawn as upstream comes to it, it is violated in {drawn}.")?;
        }
    }
    out.flush()?;
    args.html.write(|| {
        let print = |p: &mut Printer<'_>| {
            heading(p.out, &plan)?;
            write(p, told)
        };
        page(print, |_| board(&plan, told), Vec::new())
    })?;
    Ok(Exit::fine_if(parts.is_none() && violations.is_empty()))
}

/// Where a run of a scenario violates one of the properties.
pub(super) fn violated(
    properties: &[Property],
    loaded: &Loaded,
    overrides: &Overrides,
    analysis: &Analysis<'_>,
) -> Result<Vec<Violation>, Problems> {
    let mut all: Vec<Violation> = properties.iter().flat_map(|p| check(p, analysis)).collect();
    if properties.contains(&Property::Expect) {
        let expected = scenario::expecting(loaded, overrides)?.1.list;
        all.extend(expect::violations(&expected, analysis).into_iter().map(|(_, v)| v));
    }
    Ok(all)
}

/// The plan of a scenario that was built before, without its tape.
pub(super) fn untaped(loaded: &Loaded, overrides: &Overrides) -> Plan {
    let plan = scenario::build(loaded, overrides);
    Plan { tape: None, ..plan.unwrap_or_else(|_| unreachable!("it was built before")) }
}

/// No more runs are drawn than these to say how often a violation is, and no fewer.
const RUNS: (u64, u64) = (16, 256);
/// How many records are worth that.
const RECORDS: u64 = 400_000;

/// In how many of how many runs that are drawn as upstream comes to them one of the properties is
/// violated, as many as there is time for where a run has so many records. None where nobody knows: how
/// often the trouble of a tape comes, or a program that differs from itself.
fn how_often(
    loaded: &Loaded,
    overrides: &Overrides,
    properties: &[Property],
    records: u64,
) -> Result<Option<(u64, u64)>> {
    let make = || untaped(loaded, overrides);
    let is_troubled = !make().perturb.names().is_empty();
    if is_troubled || properties.contains(&Property::Deterministic) {
        return Ok(None);
    }
    let expected = scenario::expecting(loaded, overrides)?.1.list;
    let seed = scenario::seed(loaded, overrides)?;
    let search = Explore::drawing(&make, properties, &expected, seed);
    let runs = (RECORDS / records.max(1)).clamp(RUNS.0, RUNS.1);
    let pool = threads(None::<u16>)?;
    let count = interrupt::heeding(|| drawn(&search, runs, &pool, &|| !interrupt::asked()));
    Ok(count.map(|count| (count, runs)))
}

/// What to look for: as asked, and otherwise the property of the tape.
fn properties(args: &ReplayArgs, loaded: &Loaded, source: &Source) -> Result<Vec<Property>> {
    let mut properties = args.properties.clone();
    if properties.is_empty() {
        let named = loaded.spec.tape.as_ref().and_then(|t| t.property.as_deref());
        let parsed = named.map(Property::parse).transpose();
        let wrong = |e: PropertyError| Problems::one(in_tape(Problem::new(e), "property", source));
        properties.extend(parsed.map_err(wrong)?);
    }
    Ok(properties)
}

/// A problem with a field of a tape, where that stands in the text of a tape, or of a scenario that has one.
fn in_tape(problem: Problem, field: &str, source: &Source) -> Problem {
    let tree = Tree::read(&source.text).ok();
    let place = at!["tape", field];
    match tree.and_then(|tree| tree.find(&place).map(Tree::bytes)) {
        Some(bytes) => problem.at(source, bytes),
        None => problem.about(&source.name),
    }
}

/// The page of a replay: its steps as lanes of processes.
fn board(plan: &Plan, run: Replayed<'_>) -> Board {
    let title = "Steps".to_owned();
    let told = |v: &Violation| format!("{}: {}", v.property, v.text);
    Board {
        title: plan.name.clone(),
        doc: plan.doc.clone(),
        subtitle: format!("Kubernetes {}", plan.profile.release),
        notes: run.violations.iter().map(told).collect(),
        parts: vec![Part::Steps(lanes(title, run))],
    }
}

/// Writes what is run again.
fn heading(out: &mut dyn Write, plan: &Plan) -> io::Result<()> {
    let deviations = counted(plan.tape.as_deref().unwrap_or_default().len(), "deviation");
    let (name, release) = (&plan.name, &plan.profile.release);
    writeln!(out, "{name} on Kubernetes {release}, {deviations} from the default order")?;
    if !plan.doc.is_empty() {
        writeln!(out, "{}", plan.doc)?;
    }
    writeln!(out)
}
