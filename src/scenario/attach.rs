//! Brings in the files that a scenario points at: the nodes, workloads and pods of
//! `cluster: From("cluster.json")`, behind those that it writes itself, and the histories of outages of
//! fault models.
//!
//! What a cluster brings are groups of the language like any others: entries of the timeline name them,
//! `--set` changes them, and what is wrong with them is reported at `cluster`.

use super::loaded::Loaded;
use crate::files::{self, InputFile, ReadError};
use crate::import::{ImportedCluster, Input};
use crate::outages::{self, History};
use crate::scenario::prelude::*;

/// Reads the file that the scenario points at, if it points at one.
pub(super) fn attach_cluster(loaded: &mut Loaded) -> Result<(), Problem> {
    let Some(Cluster::From(file)) = &loaded.spec.cluster else { return Ok(()) };
    let place = at!["cluster"];
    is_named(file).map_err(|problem| loaded.located(&place, problem))?;
    let path = loaded.cluster.clone().unwrap_or_else(|| loaded.folder.join(file));
    let copy = files::copy_name(file, &loaded.inputs);
    let read = Input::packed(&path, loaded.places.of(&path)).and_then(|input| {
        let file =
            InputFile { file: input.file.clone(), bytes: input.bytes, hash: input.hash, copy };
        let cluster = ImportedCluster::read(&[input])?;
        // A file of workloads is enough for a scenario that writes nodes itself.
        let own = !loaded.spec.nodes.is_empty() || !loaded.spec.pods.is_empty();
        Ok((file, if own { cluster } else { cluster.simulable()? }))
    });
    let (file, cluster) = read.map_err(|error| {
        let help = "a path is relative to the scenario; `taintsim import` reads the same files";
        loaded.located(&place, Problem::new(error).help(help))
    })?;
    loaded.inputs.push(file);
    loaded.take_in(cluster);
    Ok(())
}

/// Whether anything is named: an empty path would be the folder.
fn is_named(file: &str) -> Result<(), Problem> {
    match file.trim() {
        "" => Err(Problem::new("no file is named").help("a path, relative to the scenario")),
        _ => Ok(()),
    }
}

/// The largest history, in bytes, after decompression.
const BYTES_MAX: u64 = 256 << 20;

/// How long a cluster took to notice outages that its own metrics tell of: the grace period of 40 s,
/// and what lies between heartbeats and between passes. `outages` takes it as `--detection`.
const NOTICED_AFTER_S: f64 = 45.0;

/// Reads every file that a fault model points at, once each; what is wrong with them.
pub(super) fn attach_histories(loaded: &mut Loaded) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, format, place) in named(loaded) {
        if loaded.histories.contains_key(&file) {
            continue;
        }
        match read(loaded, &file, format) {
            Ok((input, history)) => {
                loaded.inputs.push(input);
                loaded.histories.insert(file, Arc::new(history));
            }
            Err(problem) => problems.push(loaded.located(&place, problem)),
        }
    }
    problems
}

/// The files that models name, with their form and where they are named.
fn named(loaded: &Loaded) -> Vec<(String, Option<HistoryFormat>, Place)> {
    let models = loaded.spec.faults.iter().flat_map(|f| f.models.iter().enumerate());
    let mut found = Vec::new();
    for (i, model) in models {
        let place = |field: &str| at!["faults", "models", i, field];
        for (field, of) in [("up", &model.up), ("lasts", &model.lasts)] {
            if let Some(Distribution::Empirical(file)) = of {
                found.push((file.clone(), None, place(field)));
            }
        }
        if let Some(trace) = &model.trace {
            found.push((trace.file.clone(), trace.format, place("trace")));
        }
    }
    found
}

/// Where a file lies: beside the scenario, or as a copy of that name in a folder of results.
fn place(loaded: &Loaded, file: &str, copy: &str) -> PathBuf {
    let stored = loaded.cluster.as_ref().and_then(|copy| copy.parent());
    stored.map_or_else(|| loaded.folder.join(file), |folder| folder.join(copy))
}

fn read(
    loaded: &Loaded,
    file: &str,
    format: Option<HistoryFormat>,
) -> Result<(InputFile, History), Problem> {
    is_named(file)?;
    // Files are read in the order in which models name them, so that a copy is found by its name.
    let copy = files::copy_name(file, &loaded.inputs);
    let path = place(loaded, file, &copy);
    let (mut input, text) = text_of(&path, loaded.places.of(&path))
        .map_err(|problem| problem.help("a path is relative to the scenario"))?;
    input.copy = copy;
    let history = of_text(&path, &text, format)?;
    Ok((input, history.noticed_after(NOTICED_AFTER_S)))
}

/// What a text says, whose file is called so.
fn of_text(path: &Path, text: &str, format: Option<HistoryFormat>) -> Result<History, Problem> {
    outages::read(text, format).map_err(|problem| problem.about(&path.display().to_string()))
}

/// The text of a history, unpacked, from the place where the file lies.
fn text_of(path: &Path, place: &Path) -> Result<(InputFile, String), Problem> {
    let bytes = files::read(place, BYTES_MAX).map_err(|e| unread(path, &e))?;
    let input = InputFile {
        file: path.display().to_string(),
        bytes: bytes.len(),
        hash: files::fnv1a64(&bytes),
        copy: String::new(),
    };
    Ok((input, text(path, bytes)?))
}

/// The text of a file of that name, unpacked.
fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    files::unpack(bytes, BYTES_MAX).and_then(files::text).map_err(|e| unread(path, &e))
}

fn unread(path: &Path, why: &ReadError) -> Problem {
    Problem::new(format!("cannot read {}: {why}", path.display()))
}

/// Reads a history from a file, as it is there.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn history(path: &Path, format: Option<HistoryFormat>) -> Result<History, Problem> {
    of_text(path, &text_of(path, path)?.1, format)
}

/// Reads a history from bytes, of standard input say, which `shown` names in problems.
///
/// # Errors
/// As of [`history`].
pub(crate) fn history_of(
    shown: &str,
    bytes: Vec<u8>,
    format: Option<HistoryFormat>,
) -> Result<History, Problem> {
    of_text(Path::new(shown), &text(Path::new(shown), bytes)?, format)
}
