//! Finished runs: scenarios that are run for a command that asks about them, and folders of results,
//! whose scenario is run again.

use super::prelude::*;
use super::run::{self, Ready};
use crate::files::{ReadError, hash_text};
use crate::report::files::may_replace;
use crate::report::{Written, events};

/// A run that is over.
pub(crate) struct Finished {
    /// What was run.
    pub(crate) ready: Ready,
    /// What happened.
    pub(crate) trace: Trace,
    /// How soon a node must be back for an eviction to have been needless.
    pub(crate) window: Dur,
    /// The folder it was read from.
    pub(crate) written: Option<Written>,
}

/// What of a manifest it takes to run again.
#[derive(Deserialize)]
struct Manifest {
    taintsim: String,
    format: Option<u64>,
    scenario: Scenario,
    #[serde(default)]
    sweep: serde_json::Value,
    #[serde(default)]
    search: bool,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    needless_window_s: f64,
    #[serde(default)]
    records_hash: String,
    files: Vec<Entry>,
}

#[derive(Deserialize)]
struct Scenario {
    name: String,
    file: String,
    hash: String,
    inputs: Vec<Input>,
    set: Vec<String>,
}

#[derive(Deserialize)]
struct Input {
    file: String,
    bytes: usize,
    hash: String,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    bytes: u64,
}

const AGAIN: &str = "run the scenario again: `taintsim run` replaces the folder";
const ELSEWHERE: &str =
    "run the scenario again into another folder with --out, or remove this one first";

/// Opens a folder of results, or reads and runs a scenario with those changes.
pub(crate) fn open(path: &Path, overrides: Overrides, terminal: &Terminal) -> Result<Finished> {
    if path.is_dir() {
        let shown = path.display();
        let text = format!("{shown} is a finished run, which nothing can be changed in any more");
        refuse_if(!overrides.words().is_empty(), text, "give the scenario's file instead")?;
        return read(path, terminal);
    }
    simulate(run::prepare(path, overrides)?, terminal)
}

/// Runs a scenario.
pub(crate) fn simulate(ready: Ready, terminal: &Terminal) -> Result<Finished> {
    run::tell_imported(&ready.imported, terminal);
    let trace = traced(&ready, terminal)?;
    Ok(Finished { ready, trace, window: DEFAULT_NEEDLESS_WINDOW, written: None })
}

fn traced(ready: &Ready, terminal: &Terminal) -> Result<Trace> {
    let progress = run::progress(&ready.plan, terminal);
    let trace = run::simulate(ready, &progress, "")?;
    progress.clear();
    Ok(trace)
}

/// Runs again what the folder of a run holds, whose records must be those of the manifest.
pub(crate) fn read(folder: &Path, terminal: &Terminal) -> Result<Finished> {
    let manifest = manifest_of(folder)?;
    let ready = ready_of(folder, &manifest)?;
    let trace = traced(&ready, terminal)?;
    let records = events::write(&mut io::sink(), &Analysis::new(&ready.plan, &trace))?;
    if hash_text(records) != manifest.records_hash {
        let what = format!(
            "the run has other records than those that taintsim {} wrote: it was another version or build of it, or somebody changed the folder",
            manifest.taintsim
        );
        return Err(spoilt(&folder.join(manifest::FILE), &what));
    }
    let window = Dur::from_nanos((manifest.needless_window_s.clamp(0.0, 1e9) * 1e9).round() as u64);
    let mut files: Vec<(String, u64)> =
        manifest.files.into_iter().map(|f| (f.name, f.bytes)).collect();
    let own = std::fs::metadata(folder.join(manifest::FILE)).map_or(0, |m| m.len());
    files.push((manifest::FILE.to_owned(), own));
    // As `run` names it: without a slash at the end.
    let folder: PathBuf = folder.components().collect();
    Ok(Finished { ready, trace, window, written: Some(Written { folder, files }) })
}

/// What was run, ready to run, as a folder holds it.
pub(crate) fn stored(folder: &Path) -> Result<Ready> {
    ready_of(folder, &manifest_of(folder)?)
}

fn ready_of(folder: &Path, manifest: &Manifest) -> Result<Ready> {
    let (seed, sets) = (Some(manifest.seed), manifest.scenario.set.clone());
    let overrides = Overrides { seed, sets, ..Overrides::default() };
    let loaded = scenario_of(folder, manifest)?;
    Ok(run::ready(loaded, manifest.scenario.file.clone(), overrides)?)
}

/// Reads the scenario of a run, which must be the one that the manifest names.
fn scenario_of(folder: &Path, manifest: &Manifest) -> Result<Loaded> {
    let place = |name: &str| folder.join(name);
    let text = contents(&place(manifest::SCENARIO))?;
    let cluster =
        manifest.scenario.inputs.first().map(|input| place(&files::copy_name(&input.file, &[])));
    let shown = place(manifest::SCENARIO).display().to_string();
    if let Some(missing) = cluster.as_deref().filter(|c| !c.is_file()) {
        let what = "the copy of the cluster's file is missing";
        return Err(spoilt(missing, what));
    }
    let mut loaded = scenario::parse_stored(&shown, &manifest.scenario.name, text, cluster)?;
    for (input, given) in loaded.inputs.iter_mut().zip(&manifest.scenario.inputs) {
        if hash_text(input.hash) != given.hash || input.bytes != given.bytes {
            let what = "this is not the file that was run: its hash is not that of the manifest";
            return Err(spoilt(&place(&input.copy), what));
        }
        input.file.clone_from(&given.file);
    }
    if hash_text(loaded.fingerprint().hash) != manifest.scenario.hash {
        let what = "this is not the text that was run: its hash is not that of the manifest";
        return Err(spoilt(&place(manifest::SCENARIO), what));
    }
    Ok(loaded)
}

/// The largest file of a folder that is read, in bytes.
const BYTES_MAX: u64 = 2 << 30;

fn manifest_of(folder: &Path) -> Result<Manifest> {
    let path = folder.join(manifest::FILE);
    file::there(folder)?;
    if !folder.is_dir() {
        let help = "a run's results are in the folder that `taintsim run` names, `output/NAME`";
        return Err(fail(folder, "this is a file, not a folder of results", help));
    }
    if !path.exists() {
        let what =
            format!("this folder has no {} and so holds no results of a run", manifest::FILE);
        return Err(spoilt(folder, &what));
    }
    let manifest: Manifest = serde_json::from_slice(&contents(&path)?)
        .map_err(|e| spoilt(&path, &format!("this is not the manifest of a run: {e}")))?;
    if !manifest.sweep.is_null() {
        let help = "`taintsim run` writes those of a run";
        return Err(fail(folder, "these are the results of a sweep, not of a run", help));
    }
    if manifest.search {
        let what = "these are the tapes of a search, not the results of a run";
        return Err(fail(folder, what, "`taintsim replay` runs one of them"));
    }
    match manifest.format {
        Some(manifest::FORMAT) => Ok(manifest),
        other => {
            let form = other.map_or("an older form".to_owned(), |n| format!("form {n}"));
            let (version, own) = (manifest.taintsim, manifest::FORMAT);
            let what =
                format!("taintsim {version} wrote it in {form}, and this one reads form {own}");
            Err(spoilt(&path, &what))
        }
    }
}

fn contents(path: &Path) -> Result<Vec<u8>> {
    // Every file of a folder of results is a plain one; what has no end is none.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(spoilt(path, "this is no plain file"));
    }
    files::read(path, BYTES_MAX).map_err(|error| match error {
        ReadError::Io(e) if e.kind() == io::ErrorKind::NotFound => {
            spoilt(path, "the file is missing")
        }
        error @ ReadError::Io(_) => Failure::Io(format!("cannot read {}: {error}", path.display())),
        other => spoilt(path, &other.to_string()),
    })
}

/// What is wrong with a folder of results, or a file of it, so that the run has to be done again.
fn spoilt(path: &Path, what: &str) -> Failure {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    fail(path, what, if may_replace(folder).is_ok() { AGAIN } else { ELSEWHERE })
}

fn fail(path: &Path, what: &str, help: &str) -> Failure {
    Failure::input(format!("{}: {what}", path.display()), help)
}
