//! A file that appears as a whole or not at all, and takes the place of no other unasked; "did you
//! mean" for one that is not there.

use super::failure::{Exit, Failure, Outcome, Result, refuse_if};
use super::interrupt;
use super::output::print_text;
use super::terminal::{Terminal, unless_unread};
use crate::api::spelling;
use crate::files;
pub(crate) use crate::files::STDIN;
use crate::import::EXPORT_BYTES_MAX;
use crate::language::{Problem, Problems};
use crate::report::charts::Drawing;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Where a command writes the scenario that it makes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ScenarioOut {
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// In which form to print results, as in every command; what is no form is a file, as --out
    #[arg(id = "output", long = "output", short = 'o', aliases = ["format", "as"])]
    #[arg(value_name = "FORMAT|FILE", overrides_with = "output")]
    output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

/// What `-o` takes for a form and not for a file, whichever of them a command has.
const FORMS: [&str; 13] = [
    "text", "json", "yaml", "csv", "parquet", "scenario", "html", "junit", "tap", "github",
    "mermaid", "klog", "perfetto",
];

impl ScenarioOut {
    /// The file; none for standard output. One that is there is refused, and what is read, before any work is done
    /// for it.
    pub(crate) fn file(&self, inputs: &[PathBuf]) -> Result<Option<&Path>> {
        let other = self.output.as_deref().filter(|_| self.form().is_none());
        let word = other.and_then(Path::to_str).filter(|word| !word.contains(['.', '/']));
        if let Some(near) = word.and_then(|word| spelling::nearest(word, FORMS)) {
            let word = word.unwrap_or_default();
            let help = format!("did you mean `{near}`? a file of that name is `--out {word}`");
            return Err(Failure::input(format!("{word} is no form of results"), help));
        }
        if let (Some(a), Some(b)) = (&self.out, other) {
            let text = format!("-o {} and --out {} are two files", b.display(), a.display());
            return Err(Failure::input(text, "give one of them"));
        }
        let file = self.out.as_deref().or(other);
        let file = file.filter(|out| out.as_os_str() != "-");
        let is_vain = self.force && file.is_none();
        refuse_if(is_vain, "--force is about a file that is there", "name it with --out")?;
        replaces_only_by_force(file, self.force, inputs)?;
        Ok(file)
    }

    /// The form that is asked for.
    pub(crate) fn form(&self) -> Option<&str> {
        let word = self.output.as_deref()?.to_str()?;
        FORMS.contains(&word).then_some(word)
    }

    /// Refuses every form but that of a scenario, which is all that some commands write.
    pub(crate) fn only_scenarios(&self) -> Result<()> {
        let other = self.form().filter(|form| *form != "scenario");
        other.map_or(Ok(()), |form| Err(no_such_form(form, &["scenario"])))
    }
}

/// A form that a command does not have.
pub(crate) fn no_such_form(form: &str, those: &[&str]) -> Failure {
    let problem = Problem::new(format!("this command cannot print its results as {form}"));
    let names = those.join(", ");
    let help = format!("-o takes one of {names}; a file of that name is `--out {form}`");
    Failure::Input(problem.help(help))
}

/// Refuses to replace a file that is there, unless by force, one that is read, which that is not about, and one that could
/// not be written.
pub(crate) fn replaces_only_by_force(
    file: Option<&Path>,
    force: bool,
    inputs: &[PathBuf],
) -> Result<()> {
    let Some(path) = file else { return Ok(()) };
    let text = format!("{} exists; it is left as it is", path.display());
    let help = "name another file, or replace this one with --force";
    refuse_if(!force && path.symlink_metadata().is_ok(), text, help)?;
    let is_read = inputs.iter().any(|input| place(input) == place(path));
    let text = format!("{} is what is read; it is left as it is", path.display());
    refuse_if(is_read, text, "name another file")?;
    writable(path)
}

/// Whether something that was written can be read again: `/dev/stdout` cannot.
pub(crate) fn is_kept(file: &Path) -> bool {
    file.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// How many bytes at the beginning of a file, or at its end, tell what kind of report it is.
pub(crate) const MARK: u64 = 1024;

/// Refuses to replace what does not begin as a report of that kind does, by `is_one` of its
/// beginning, and what could not be written. One that is there and empty is replaced.
pub(crate) fn replaces_only_reports(path: &Path, is_one: impl Fn(&str) -> bool) -> Result<()> {
    let there = files::beginning(path, MARK).unwrap_or_default();
    let is_other = !there.is_empty() && !is_one(&String::from_utf8_lossy(&there));
    let text = format!("{} is no such report; it is left as it is", path.display());
    refuse_if(is_other, text, "name another file, or remove this one")?;
    writable(path)
}

/// One name for the place of a file, which need not be there, however it is written.
pub(crate) fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Fails now, and not after a long run, where a file could not be written.
pub(crate) fn writable(path: &Path) -> Result<()> {
    files::replaceable(path).map_err(|error| Failure::write(path, &error))
}

/// Writes a text to a file, as [`write_whole`] does, or to standard output.
pub(crate) fn write_text(file: Option<&Path>, text: &str, terminal: &Terminal) -> Outcome {
    // In a scenario such characters stand in its strings, which mean the same with them escaped.
    let text = files::shown(text);
    match file {
        Some(path) => write_whole(path, text.as_bytes()).map(|()| Exit::Fine),
        None => print_text(terminal, |out| out.write_all(text.as_bytes())),
    }
}

/// Reads the name of a file for a drawing, whose ending says its format.
pub(crate) fn chart_file(text: &str) -> Result<PathBuf, String> {
    match Path::new(text).extension().and_then(|e| e.to_str()) {
        Some("svg" | "png") => Ok(text.into()),
        _ => Err("it ends in neither .svg nor .png".to_owned()),
    }
}

/// Writes a drawing to such a file.
pub(crate) fn write_chart(path: &Path, drawing: &Drawing) -> Result<()> {
    let bytes = match path.extension().is_some_and(|e| e == "svg") {
        true => drawing.svg().map(String::into_bytes),
        false => drawing.png(),
    };
    write_whole(path, &bytes.map_err(Failure::Io)?)
}

/// Writes a file as a whole or not at all, as [`crate::files`] replaces files.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = interrupt::writing(|| files::replace(path, bytes, interrupt::unfinished));
    unless_unread(written, ()).map_err(|error| match interrupt::asked() {
        true => Failure::Interrupted(format!("interrupted; {} was not written", path.display())),
        false => Failure::write(path, &error),
    })
}

/// What people call an input; `-` is standard input.
pub(crate) fn shown(path: &Path) -> String {
    files::called(&path.display().to_string()).to_owned()
}

/// Whether a path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What standard input holds. It ends once: a second reader finds nothing in it.
pub(crate) fn stdin() -> Result<Vec<u8>, Problems> {
    static READ: AtomicBool = AtomicBool::new(false);
    let failed = |error| Problems::one(Problem::new(format!("cannot read {STDIN}: {error}")));
    let bytes = files::read_from(io::stdin().lock(), EXPORT_BYTES_MAX).map_err(failed)?;
    if READ.swap(true, Relaxed) && bytes.is_empty() {
        let problem = Problem::new(format!("{STDIN} can be read once only, and it has been"));
        return Err(Problems::one(
            problem.help("`-` stands for one input; save the other in a file"),
        ));
    }
    Ok(bytes)
}

/// The nearest file or folder beside one that is not there.
pub(crate) fn nearest(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let names = files::beside(path);
    let near = spelling::nearest(name, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

/// Refuses a path where nothing is.
pub(crate) fn there(path: &Path) -> Result<()> {
    missing(path).map_or(Ok(()), |problem| Err(problem.into()))
}

/// What is wrong with a path if nothing is there.
pub fn missing(path: &Path) -> Option<Problem> {
    let error = fs::metadata(path).err()?;
    let what = files::said_of(path, &error);
    let help = nearest(path).map(|near| format!("did you mean `{near}`?"));
    Some(Problem::new(format!("cannot read {}: {what}", path.display())).maybe_help(help))
}
