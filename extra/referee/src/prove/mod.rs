//! `taintsim prove`: whether upstream's own controllers do what a tape does.
//!
//! The tape's scenario is told to the recorder, which runs upstream's unchanged controllers in virtual time. A run of theirs
//! confirms the tape where its own records violate the property; for properties of which records show
//! too little, where it comes out as the tape's run in the model, record by record.

mod args;
mod judge;
mod kept;
mod proofs;
mod recalled;
mod report;
mod runs;
mod steer;
#[cfg(test)]
mod tests;
mod told;

pub use args::ProveArgs;

use crate::conform::exit_of;
use crate::conform::record::minor_of;
use crate::conform::recordings::{is_release, numbers};
use crate::conform::run::answer;
use judge::{By, Tape, by};
use kept::{Recorder, Remade, remade};
use proofs::{Patched, Proofs};
use report::{Proof, Report, Steering};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use steer::{Steered, moved};
use taintsim::analysis::properties::Property;
use taintsim::cli::{Exit, Failure, Outcome, Progress, Terminal, load_any, missing};
use taintsim::files::{self, Escaped, Form};
use taintsim::language::Problem;
use taintsim::plan::Plan;
use taintsim::scenario::{self, Loaded, Overrides};
use taintsim::sim::{self, Searched};
use told::{Told, told};

/// How many bytes a file of runs may hold.
const MOST_BYTES: u64 = 1 << 30;

/// Runs the command.
pub fn prove(args: &ProveArgs, terminal: &Terminal) -> Outcome {
    for file in [Some(&args.file), args.patch.as_ref()].into_iter().flatten() {
        if let Some(problem) = missing(file) {
            return Err(Failure::Input(problem));
        }
    }
    let (loaded, mut overrides) = load_any(&args.file)?;
    if args.kubernetes.is_some() {
        overrides.kubernetes.clone_from(&args.kubernetes);
    }
    let plan = scenario::build(&loaded, &overrides).map_err(Failure::Problems)?;
    let property = judged_by(property_of(args, &loaded).map_err(input)?, args.patch.is_some())?;
    let tape = sim::replay(&plan);
    let asked = Asked { args, property, tape };
    let mut out = terminal.out();
    let file = args.file.display().to_string();
    let mut found = Proofs { file, proofs: Vec::new(), patch: None };
    if args.on.is_empty() {
        let said = asked.said(&plan, false)?;
        if let (true, Ok(said)) = (args.print, &said) {
            writeln!(out, "{}", said.scenario)?;
            out.flush()?;
            return Ok(Exit::Fine);
        }
        match args.patch.as_ref().filter(|_| said.is_ok()).map(|p| p.display().to_string()) {
            None => found.proofs.push(asked.proof(&said, None)?),
            Some(patch) => {
                // First what may be refused.
                let with = asked.proof(&said, Some(&patch))?;
                found.proofs = vec![asked.proof(&said, None)?, with];
                let remade = made_again(args, &plan, &patch, terminal)?;
                found.patch = Some(Patched { file: patch, property, remade });
            }
        }
    }
    for release in &args.on {
        let overrides = Overrides { kubernetes: Some(release.clone()), ..overrides.clone() };
        let plan = scenario::build(&loaded, &overrides).map_err(Failure::Problems)?;
        found.proofs.push(asked.proof(&asked.said(&plan, true)?, None)?);
    }
    let code = answer(
        Ok(found),
        args.output.form,
        &mut out,
        &mut Escaped::new(io::stderr(), Form::Plain),
    )?;
    out.flush()?;
    Ok(exit_of(code))
}

fn input(text: String) -> Failure {
    Failure::Input(Problem::new(text))
}

/// What a property is judged by where a change may be in the program: its runs are not to come out as the tape, so that records alone
/// have to say it.
fn judged_by(property: Property, is_patched: bool) -> Result<Property, Failure> {
    match by(&property) {
        By::Tape(Some(shown)) if is_patched => Ok(shown),
        By::Tape(None) if is_patched => Err(input(format!(
            "{property} cannot be judged with --patch: no record shows it, and runs with a change do not come out as the tape"
        ))),
        _ => Ok(property),
    }
}

/// What else a change moves.
fn made_again(
    args: &ProveArgs,
    plan: &Plan,
    patch: &str,
    terminal: &Terminal,
) -> Result<Remade, Failure> {
    let release = release_of(&args.recorder, &plan.profile.release).map_err(input)?;
    let jobs = args.jobs.to_string();
    let recorder = Recorder {
        folder: &args.recorder,
        release: release.trim_start_matches('v'),
        patch,
        jobs: &jobs,
    };
    let progress =
        Progress::new(terminal, "prove", 0, |done, _| format!("{done} recordings made again"));
    let told = |done| progress.set(done);
    let remade = remade(&args.recordings, &recorder, args.time, &told).map_err(Failure::Io)?;
    progress.clear();
    Ok(remade)
}

/// What is to be proved.
struct Asked<'a> {
    args: &'a ProveArgs,
    property: Property,
    /// The run of the tape in the model.
    tape: Searched,
}

/// What the recorder of a release is told.
struct Said {
    release: String,
    plan: Plan,
    run: Searched,
    steering: Steering,
    scenario: serde_json::Value,
}

/// What the recorder of a release cannot be told.
struct Missing {
    release: String,
    missing: Vec<String>,
}

impl Asked<'_> {
    /// What the recorder of a plan's release is told, or what it cannot be told and of which release. Of another release than the
    /// tape's choices come at other times.
    fn said(&self, plan: &Plan, is_other: bool) -> Result<Result<Said, Missing>, Failure> {
        let release = release_of(&self.args.recorder, &plan.profile.release).map_err(input)?;
        let Told { text, plan: mut meant, notes } = match told(plan, &release) {
            Ok(told) => told,
            Err(missing) => {
                return Ok(Err(Missing { release, missing }));
            }
        };
        let (run, unmet) = moved(&self.tape, &mut meant, is_other);
        let steered = Steered::of(&run);
        let scenario = steered.scenario(&text).map_err(|e| input(e.to_string()))?;
        let steering = Steering { steered, unmet, notes };
        Ok(Ok(Said { release, plan: meant, run, steering, scenario }))
    }

    /// What comes of a release, with a change if there is one.
    fn proof(&self, said: &Result<Said, Missing>, patch: Option<&str>) -> Result<Proof, Failure> {
        let (args, property) = (self.args, self.property);
        let Said { release, plan, run, steering, scenario } = match said {
            Ok(said) => said,
            Err(Missing { release, missing }) => {
                let (release, missing) = (release.clone(), missing.clone());
                let file = args.file.display().to_string();
                return Ok(Proof::NotSaid { release, file, missing });
            }
        };
        if let By::Nothing(why) = by(&property) {
            let text = format!("{property} cannot be judged by what is recorded: {why}");
            return Err(input(text));
        }
        let tape = Tape::new(plan, &run.trace, property);
        let bytes = match &args.recorded {
            Some(file) => files::read(file, MOST_BYTES)
                .and_then(|bytes| files::unpack(bytes, MOST_BYTES))
                .map_err(|e| input(format!("{} cannot be read: {e}", file.display())))?,
            None => {
                let recorder = Recorder {
                    folder: &args.recorder,
                    release: release.trim_start_matches('v'),
                    patch: patch.unwrap_or_default(),
                    jobs: &args.jobs.to_string(),
                };
                let recorded = recorder.each(&scenario.to_string(), args.runs, patch.is_some());
                // What fails with a change is mostly that: it is refused, or does not compile.
                recorded.map_err(|e| if patch.is_some() { input(e) } else { Failure::Io(e) })?
            }
        };
        let runs = runs::read(&bytes).map_err(|e| input(format!("what was recorded {e}")))?;
        let is_of_it = match patch {
            None => runs.release == *release,
            // Behind the release stands the digest of the change.
            Some(_) => runs.release.starts_with(&format!("{release}+")),
        };
        if !is_of_it || runs.scenario != *scenario {
            let text = format!(
                "what was recorded is of {} and another scenario than this one of {release}",
                runs.release
            );
            return Err(input(text));
        }
        let mut report = Report::new(&tape, runs.release, steering.clone(), &runs.runs, args.diff);
        report.patch = runs.patch;
        Ok(Proof::Recorded(Box::new(report)))
    }
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
pub(crate) fn expected_of(loaded: &Loaded) -> Option<String> {
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
