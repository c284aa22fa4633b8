//! A cluster as a person has it: a scenario, or what kubectl printed, as it stands.

use super::failure::Failure;
use super::run;
use super::shards::Inputs;
use super::suggest;
use super::terminal::Terminal;
use crate::import::{ImportError, ImportedCluster, Input};
use crate::language::Problem;
use crate::scenario::{self, Loaded};
use std::path::Path;

/// Reads a scenario or an export; `-` is standard input. Says what was taken of an export, unless
/// it is to be quiet.
pub(super) fn given(
    file: &Path,
    inputs: &Inputs,
    quiet: bool,
    terminal: &Terminal,
) -> Result<Loaded, Failure> {
    let is_stdin = file.as_os_str() == "-";
    if !is_stdin
        && !inputs.has(file)
        && let Some(problem) = suggest::missing(file)
    {
        return Err(Failure::Input(problem));
    }
    if file.extension().is_some_and(|e| e == "ron") || file.is_dir() {
        let loaded = inputs.load(file)?;
        run::tell_imported(&loaded.imported, quiet, terminal);
        return Ok(loaded);
    }
    let shown = match is_stdin {
        true => "<stdin>".to_owned(),
        false => file.display().to_string(),
    };
    let bytes = inputs.read(file)?;
    if is_scenario(&bytes) {
        let folder = file.parent().filter(|_| !is_stdin).unwrap_or(Path::new(""));
        let loaded = scenario::parse_packed(&shown, bytes, folder, inputs.places())?;
        run::tell_imported(&loaded.imported, quiet, terminal);
        return Ok(loaded);
    }
    exported(&shown, bytes, quiet, terminal)
}

/// Whether a text is in the scenario language: it begins, behind comments, with a bracket or the
/// word `Scenario`, as neither JSON nor YAML does.
fn is_scenario(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 12)]);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    ["//", "/*", "#![", "(", "Scenario"]
        .iter()
        .any(|s| head.starts_with(s))
}

fn exported(
    shown: &str,
    bytes: Vec<u8>,
    quiet: bool,
    terminal: &Terminal,
) -> Result<Loaded, Failure> {
    let refused = |e: ImportError| Failure::Input(Problem::new(e.to_string()));
    let input = Input::from_bytes(shown, bytes).map_err(refused)?;
    let cluster = ImportedCluster::read(&[input])
        .and_then(ImportedCluster::simulable)
        .and_then(ImportedCluster::builds)
        .map_err(refused)?;
    for line in cluster.summary.lines().iter().filter(|_| !quiet) {
        terminal.note(line);
    }
    // `cluster.json.gz` is called `cluster`.
    let name = Path::new(shown).file_name().map(|n| n.to_string_lossy());
    let name = name
        .as_deref()
        .unwrap_or(shown)
        .split('.')
        .next()
        .unwrap_or(shown);
    Ok(scenario::parse(
        name,
        cluster.to_scenario().into_bytes(),
        Path::new(""),
    )?)
}
