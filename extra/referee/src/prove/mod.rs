//! `taintsim prove`: whether upstream's own controllers do what a tape does.
//!
//! The tape's scenario is told to the recorder, which runs upstream's unchanged controllers in virtual time. A run of theirs
//! confirms the tape where its own records violate the property; for properties of which records show
//! too little, where it comes out as the tape's run in the model, record by record.

mod args;
mod judge;
mod recalled;
mod report;
mod runs;
mod steer;
#[cfg(test)]
mod tests;
mod told;

pub use args::ProveArgs;

use crate::conform::record::{minor_of, recorded_by};
use crate::conform::recordings::{is_release, numbers};
use judge::{By, Tape, by};
use report::{Report, Steering};
use std::fs;
use std::io::Write;
use std::path::Path;
use steer::{Steered, moved};
use taintsim::analysis::properties::Property;
use taintsim::cli::{Exit, Failure, Outcome, Terminal, load_any, missing};
use taintsim::files;
use taintsim::language::Problem;
use taintsim::scenario::{self, Loaded};
use taintsim::sim;
use told::{Told, told};

/// How many bytes a file of runs may hold.
const MOST_BYTES: u64 = 1 << 30;

/// Runs the command.
pub fn prove(args: &ProveArgs, terminal: &Terminal) -> Outcome {
    let input = |text: String| Failure::Input(Problem::new(text));
    if let Some(problem) = missing(&args.file) {
        return Err(Failure::Input(problem));
    }
    let (loaded, mut overrides) = load_any(&args.file)?;
    if args.kubernetes.is_some() {
        overrides.kubernetes.clone_from(&args.kubernetes);
    }
    let plan = scenario::build(&loaded, &overrides).map_err(Failure::Problems)?;
    let property = property_of(args, &loaded).map_err(input)?;
    let release = release_of(&args.recorder, &plan.profile.release).map_err(input)?;
    let mut out = terminal.out();
    let Told { text, plan: mut meant, notes } = match told(&plan, &release) {
        Ok(told) => told,
        Err(missing) => {
            writeln!(out, "not said: the recorder cannot be told all of {}:", args.file.display())?;
            missing.iter().try_for_each(|what| writeln!(out, "  {what}"))?;
            out.flush()?;
            return Ok(Exit::Nothing);
        }
    };
    let (run, unmet) = moved(&sim::replay(&plan), &mut meant);
    let steered = Steered::of(&run);
    let ours = steered.scenario(&text).map_err(|e| input(e.to_string()))?;
    let text = ours.to_string();
    if args.print {
        writeln!(out, "{text}")?;
        out.flush()?;
        return Ok(Exit::Fine);
    }
    if let By::Nothing(why) = by(&property) {
        let text = format!("{property} cannot be judged by what is recorded: {why}");
        return Err(input(text));
    }
    let tape = Tape::new(&meant, &run.trace, property);
    let bytes = match &args.recorded {
        Some(file) => files::read(file, MOST_BYTES)
            .and_then(|bytes| files::unpack(bytes, MOST_BYTES))
            .map_err(|e| input(format!("{} cannot be read: {e}", file.display())))?,
        None => {
            let (runs, jobs) = (args.runs.to_string(), args.jobs.to_string());
            let release = release.trim_start_matches('v');
            let options = [release, "--each", "--most", &runs, "--jobs", &jobs];
            recorded_by(&args.recorder, &options, &text).map_err(Failure::Io)?
        }
    };
    let runs = runs::read(&bytes).map_err(|e| input(format!("what was recorded {e}")))?;
    if runs.release != release || runs.scenario != ours {
        let text = format!(
            "what was recorded is of {} and another scenario than this one of {release}",
            runs.release
        );
        return Err(input(text));
    }
    let steering = Steering { steered: &steered, unmet, notes: &notes };
    let report = Report::new(&tape, &release, steering, &runs.runs);
    report.write(&mut out, args.diff)?;
    out.flush()?;
    Ok(report.exit())
}

/// What is to be seen violated.
fn property_of(args: &ProveArgs, loaded: &Loaded) -> Result<Property, String> {
    if let Some(property) = args.property {
        return Ok(property);
    }
    let named = loaded.spec.tape.as_ref().and_then(|t| t.property.clone());
    let name = named.or_else(|| expected_of(loaded)).ok_or_else(|| {
        format!(
            "{} names no property, neither by a tape nor by `Violates`; --property does",
            args.file.display()
        )
    })?;
    Property::parse(&name).map_err(|e| e.to_string())
}

/// The first property that a scenario expects to be violated.
fn expected_of(loaded: &Loaded) -> Option<String> {
    let expected = serde_json::to_value(&loaded.spec.expect).ok()?;
    let claims = expected.as_array()?.iter().filter_map(|e| e.get("Violates")).map(|claim| {
        let with_bound = claim.get("Property").and_then(|p| p.as_str());
        with_bound.or_else(|| claim.as_str()).map(str::to_owned)
    });
    claims.flatten().next()
}

/// The patch that the recorder has of a release, `v1.34.4`.
fn release_of(recorder: &Path, release: &str) -> Result<String, String> {
    let folder = recorder.join("versions");
    let minor = minor_of(release);
    let all = fs::read_dir(&folder).map_err(|e| {
        format!(
            "{}: {e}; the recorder is in the project's repository, and --recorder says where",
            folder.display()
        )
    })?;
    let names = all.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let of_minor = names.filter(|name| is_release(name, minor));
    of_minor.max_by_key(|name| numbers(name)).ok_or_else(|| {
        format!("the recorder has no {minor}; {} has those that it has", folder.display())
    })
}
