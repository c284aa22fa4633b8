//! Reads a work plan, and makes sure that it is what was packed.

use super::inputs::Inputs;
use crate::analysis::grouped;
use crate::cli::failure::Failure;
use crate::files::{self, Places, fnv1a64, hash_text};
use crate::language::Problem;
use crate::report::manifest;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The form of a work plan and of the results of its shards.
pub(super) const VERSION: u32 = 1;

/// The largest input of a command: an export.
const INPUT_BYTES_MAX: u64 = 1 << 30;

/// The most shards that a work plan is cut into.
pub(super) const SHARDS_MAX: u32 = 100_000;

/// A work plan.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    /// Its folder.
    pub(super) folder: PathBuf,
    /// The arguments of the command, behind the program's name.
    pub(super) arguments: Vec<String>,
    /// How many shards there are.
    pub(super) shards: u32,
    /// Tells it from every other plan.
    pub(super) hash: String,
    /// How many bytes it has.
    pub(super) bytes: u64,
    inputs: Vec<InputOf>,
}

#[derive(Deserialize)]
struct Document {
    taintsim: String,
    #[serde(default)]
    work: Option<WorkOf>,
    #[serde(default)]
    inputs: Vec<InputOf>,
}

#[derive(Deserialize)]
struct WorkOf {
    version: u32,
    arguments: Vec<String>,
    shards: u32,
}

#[derive(Debug, Deserialize)]
struct InputOf {
    file: String,
    copy: String,
    bytes: u64,
    hash: String,
}

/// A word as a shell takes it for one.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

impl Packed {
    /// Reads the work plan in a folder.
    ///
    /// # Errors
    /// It is none, another version of the program wrote it, or it was changed since.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let wrong = |text: String| {
            let problem = Problem::new(format!("{}: {text}", folder.display()));
            Failure::Input(problem.help("`taintsim sweep … --plan-shards N --out DIR` writes one, and so do plan, survey and explore"))
        };
        let bytes = files::within(folder, manifest::FILE)
            .and_then(|place| files::read(&place, manifest::BYTES_MAX))
            .map_err(|e| wrong(format!("this is no work plan: {}: {e}", manifest::FILE)))?;
        Self::read(folder, &bytes, &wrong)
    }

    /// Reads the manifest of a work plan.
    ///
    /// # Errors
    /// As [`Packed::open`]; `wrong` puts it into words.
    pub(super) fn read(
        folder: &Path,
        bytes: &[u8],
        wrong: &dyn Fn(String) -> Failure,
    ) -> Result<Self, Failure> {
        let document: Document = serde_json::from_slice(bytes)
            .map_err(|e| wrong(format!("this is no work plan: {}: {e}", manifest::FILE)))?;
        let work =
            document.work.ok_or_else(|| wrong("these are results, and no work plan".to_owned()))?;
        let packed = Self {
            folder: folder.to_owned(),
            arguments: work.arguments,
            shards: work.shards,
            hash: hash_text(fnv1a64(bytes)),
            bytes: (document.inputs.iter())
                .fold(bytes.len() as u64, |sum, i| sum.saturating_add(i.bytes)),
            inputs: document.inputs,
        };
        if (document.taintsim.as_str(), work.version) != (env!("CARGO_PKG_VERSION"), VERSION) {
            let text = format!(
                "{} was planned by taintsim {}, and this is taintsim {}: the results of two versions are not put together",
                folder.display(),
                document.taintsim,
                env!("CARGO_PKG_VERSION")
            );
            let help = format!("plan it anew with this one: `{}`", packed.command());
            return Err(Failure::Input(Problem::new(text).help(help)));
        }
        if !(1..=SHARDS_MAX).contains(&packed.shards) {
            let shards = grouped(u64::from(packed.shards));
            let most = grouped(u64::from(SHARDS_MAX));
            let text =
                format!("a work plan has from 1 to {most} shards, and this one says {shards}");
            return Err(wrong(text));
        }
        Ok(packed)
    }

    /// The command that made it.
    pub(super) fn command(&self) -> String {
        let words: Vec<String> = self.arguments.iter().map(|a| quoted(a)).collect();
        format!("taintsim {}", words.join(" "))
    }

    /// The command of the plan is none that this program knows.
    pub(super) fn not_understood(&self) -> Failure {
        let text = format!(
            "{}: its command cannot be understood: `{}`",
            self.folder.display(),
            self.command()
        );
        Failure::Input(Problem::new(text).help("plan it anew; the work plan was changed"))
    }

    /// The inputs, which are what was packed.
    ///
    /// # Errors
    /// One of them is missing, or is not.
    pub(super) fn inputs(&self) -> Result<Inputs, Failure> {
        let mut places = Places::packed(&self.folder);
        for input in &self.inputs {
            let found = files::within(&self.folder, &input.copy)
                .and_then(|place| Ok((files::read(&place, INPUT_BYTES_MAX)?, place)));
            let what = match found {
                Ok((bytes, place))
                    if bytes.len() as u64 == input.bytes
                        && hash_text(fnv1a64(&bytes)) == input.hash =>
                {
                    places.put(Path::new(&input.file), place);
                    None
                }
                Ok(_) => Some("it is not what was packed".to_owned()),
                Err(error) => Some(error.to_string()),
            };
            if let Some(what) = what {
                let copy = self.folder.join(&input.copy);
                let text = format!("{}, the copy of {}: {what}", copy.display(), input.file);
                let help = format!("copy the work plan again, or plan anew: `{}`", self.command());
                return Err(Failure::Input(Problem::new(text).help(help)));
            }
        }
        Ok(Inputs::packed(places))
    }
}
