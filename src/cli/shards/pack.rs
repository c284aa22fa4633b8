//! Writes a work plan: a folder with the command, its inputs as they are now, and hashes of them.
//!
//! All of it is in one folder without folders in it, so that it fits into whatever carries files
//! from one machine to another, a ConfigMap for one.

use super::packed::{self, VERSION};
use crate::cli::failure::Exit;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::run::folder_failure;
use crate::cli::terminal::Terminal;
use crate::files::{self, InputFile, fnv1a64, hash_text};
use crate::language::Problem;
use crate::report::{FileError, Folder, OutputError};
use crate::scenario::Loaded;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

/// Writes the work plan of a command line, cut into so many shards, as the folder `out`. `read` is
/// what the command was given, by name.
pub(super) fn pack(
    (arguments, shards): (&[OsString], u32),
    read: &[(String, Vec<u8>)],
    loaded: &[&Loaded],
    out: &Path,
    terminal: &Terminal,
) -> Outcome {
    let arguments = texts(arguments)?;
    let place = place(out)?;
    let failed = |error: FileError| folder_failure(&OutputError::File(error));
    let mut folder = Folder::create(place.0, &place.1).map_err(failed)?;
    let mut inputs: Vec<Value> = Vec::new();
    let mut add = |file: &str, bytes: &[u8]| -> Result<(), Failure> {
        if inputs.iter().any(|i| i["file"] == file) {
            return Ok(());
        }
        let copy = copy_name(inputs.len(), file);
        let hash = hash_text(fnv1a64(bytes));
        folder.write(&copy, |out| out.write_all(bytes)).map_err(failed)?;
        inputs.push(json!({ "file": file, "copy": copy, "bytes": bytes.len(), "hash": hash }));
        Ok(())
    };
    for (file, bytes) in read {
        add(file, bytes)?;
    }
    for input in loaded.iter().flat_map(|l| &l.inputs) {
        add(&input.file, &bytes_of(input)?)?;
    }
    let work = json!({ "version": VERSION, "arguments": arguments, "shards": shards });
    folder.finish_with(json!({ "work": work, "inputs": inputs })).map_err(failed)?;
    // As it was asked for, without a `./` or `.\` in front.
    say(&out.display().to_string(), shards, terminal)?;
    Ok(Exit::Fine)
}

fn say(dir: &str, shards: u32, terminal: &Terminal) -> Result<(), Failure> {
    let mut out = terminal.out();
    let dir = packed::quoted(dir);
    let (shards, each) = match shards {
        1 => ("1 shard".to_owned(), "I is 0".to_owned()),
        _ => (format!("{shards} shards"), format!("for each I from 0 to {}", shards - 1)),
    };
    writeln!(out, "The work plan {dir} has {shards}. Then, anywhere:")?;
    writeln!(
        out,
        "  taintsim shard {dir} I     {each}; `--for slurm` and `--for kubernetes` write what does that"
    )?;
    writeln!(
        out,
        "  taintsim gather {dir}      once the result files are in one place; it says what is missing"
    )?;
    Ok(out.flush()?)
}

/// The folder that the plan's is made in, and its name there.
fn place(out: &Path) -> Result<(&Path, String), Failure> {
    let name = out.file_name().and_then(|n| n.to_str());
    let name = name.ok_or_else(|| {
        let text = format!("{} cannot be the folder of a work plan", out.display());
        Failure::Input(Problem::new(text).help("name a new folder with --out"))
    })?;
    let parent = out.parent().filter(|p| !p.as_os_str().is_empty());
    Ok((parent.unwrap_or(Path::new(".")), name.to_owned()))
}

/// The arguments as texts, so that they can be written down.
fn texts(arguments: &[OsString]) -> Result<Vec<&str>, Failure> {
    let text = |a: &'_ OsString| -> Failure {
        let said = a.to_string_lossy();
        let problem = Problem::new(format!("{said:?} is not UTF-8, and cannot be written down"));
        Failure::Input(problem.help("rename the file"))
    };
    arguments.iter().map(|a| a.to_str().ok_or_else(|| text(a))).collect()
}

/// `input-0-zone.ron`; of standard input `input-0-stdin`.
fn copy_name(number: usize, file: &str) -> String {
    let name = Path::new(file).file_name().and_then(|n| n.to_str());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = match name {
        None | Some("-") => "stdin".to_owned(),
        Some(name) => name.chars().map(|c| if plain(c) { c } else { '_' }).take(100).collect(),
    };
    format!("{}{number}-{name}", files::COPIED)
}

/// The bytes of a file that a scenario points at, if it is still what was read.
fn bytes_of(input: &InputFile) -> Result<Vec<u8>, Failure> {
    let bytes = files::read(Path::new(&input.file), input.bytes as u64).ok();
    bytes.filter(|b| input.is(b)).ok_or_else(|| {
        let text = format!("{} was changed while it was packed", input.file);
        Failure::Input(Problem::new(text).help("do it again; a pipe cannot be packed"))
    })
}
