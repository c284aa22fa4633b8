//! A work plan: a folder with a command, its inputs as they are now, and hashes of them. Writes one; reads
//! one, and makes sure that it is what was packed.
//!
//! All of it is in one folder without folders in it, so that it fits into whatever carries files
//! from one machine to another, a ConfigMap for one. The files that a command reads are taken from where
//! they lie, or as they were packed, or are texts that a program gives under a name.

use crate::cli::prelude::*;
use crate::cli::run::place;
use crate::files::{InputFile, Places, fnv1a64, hash_text};
use crate::report::trials::quoted;
use std::cell::RefCell;

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
    format: u64,
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

impl Packed {
    /// Reads the work plan in a folder.
    ///
    /// # Errors
    /// It is none, another version of the program wrote it, or it was changed since.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let wrong = |text: String| {
            let help = "`taintsim sweep … --plan-shards N --out DIR` writes one, and so do plan, survey and explore";
            Failure::input(format!("{}: {text}", folder.display()), help)
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
    ) -> Result<Self> {
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
        let of = |by: &str, format, work| format!("taintsim {by} (plan {work}, folder {format})");
        let planned = of(&document.taintsim, document.format, work.version);
        let this = of(env!("CARGO_PKG_VERSION"), manifest::FORMAT, VERSION);
        if planned != this {
            let text = format!(
                "{} was planned by {planned}, and this is {this}: the results of two versions are not put together",
                folder.display()
            );
            let help = format!("plan it anew with this one: `{}`", packed.command());
            return Err(Failure::input(text, help));
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
        let (folder, command) = (self.folder.display(), self.command());
        let text = format!("{folder}: its command cannot be understood: `{command}`");
        Failure::input(text, "plan it anew; the work plan was changed")
    }

    /// The inputs, which are what was packed.
    ///
    /// # Errors
    /// One of them is missing, or is not.
    pub(super) fn inputs(&self) -> Result<Inputs> {
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
                    continue;
                }
                Ok(_) => "it is not what was packed".to_owned(),
                Err(error) => error.to_string(),
            };
            let copy = self.folder.join(&input.copy);
            let text = format!("{}, the copy of {}: {what}", copy.display(), input.file);
            let help = format!("copy the work plan again, or plan anew: `{}`", self.command());
            return Err(Failure::input(text, help));
        }
        Ok(Inputs { places, is_packed: true, ..Inputs::default() })
    }
}

/// The files that a command is given.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    places: Places,
    is_packed: bool,
    /// What stands for files, by their names on the command line.
    texts: BTreeMap<String, Vec<u8>>,
    /// What was read, by the names on the command line, for whoever packs it.
    pub(super) read: RefCell<Vec<(String, Vec<u8>)>>,
}

impl Inputs {
    /// Files from where they lie, but for these texts.
    pub(crate) fn with_texts(texts: BTreeMap<String, Vec<u8>>) -> Self {
        Self { texts, ..Self::default() }
    }

    /// The text that stands for a file.
    pub(crate) fn text_of(&self, file: &Path) -> Option<&[u8]> {
        self.texts.get(file.to_str()?).map(Vec::as_slice)
    }

    /// Whether it was seen to that a file is there: it was packed with a work plan, or is a text.
    pub(crate) fn has(&self, file: &Path) -> bool {
        self.is_packed || self.text_of(file).is_some()
    }

    /// The bytes of a file, or of standard input where it is `-`.
    pub(crate) fn read(&self, file: &Path) -> Result<Vec<u8>, Problems> {
        let bytes = match self.text_of(file) {
            Some(text) => text.to_vec(),
            None if self.is_packed && !self.places.has(file) => {
                let text = format!("{} was not packed with the work plan", file.display());
                return Err(Problems::one(Problem::new(text).help("plan it anew")));
            }
            None if is_stdin(file) && !self.is_packed => stdin()?,
            None => scenario::read(self.places.of(file))?,
        };
        let name = file.display().to_string();
        self.read.borrow_mut().push((name, bytes.clone()));
        Ok(bytes)
    }

    /// A scenario, from standard input where the file is `-`.
    pub(crate) fn load(&self, file: &Path) -> Result<Loaded, Problems> {
        let bytes = self.read(file)?;
        let shown = match file.to_str() {
            Some("-") => STDIN,
            Some(name) if self.texts.contains_key(name) => name,
            _ => return scenario::parse_packed_file(file, bytes, &self.places),
        };
        scenario::parse_packed(shown, bytes, Path::new(""), &self.places)
    }
}

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
    let (parent, name) = place(out, "a work plan")?;
    let mut folder = Folder::create(parent, name)?;
    let mut inputs: Vec<Value> = Vec::new();
    let mut add = |file: &str, bytes: &[u8]| -> Result<()> {
        if inputs.iter().any(|i| i["file"] == file) {
            return Ok(());
        }
        let copy = copy_name(inputs.len(), file);
        let hash = hash_text(fnv1a64(bytes));
        folder.write(&copy, |out| out.write_all(bytes))?;
        inputs.push(json!({ "file": file, "copy": copy, "bytes": bytes.len(), "hash": hash }));
        Ok(())
    };
    read.iter().try_for_each(|(file, bytes)| add(file, bytes))?;
    let mut inputs_of = loaded.iter().flat_map(|l| &l.inputs);
    inputs_of.try_for_each(|input| add(&input.file, &bytes_of(input)?))?;
    let work = json!({ "version": VERSION, "arguments": arguments, "shards": shards });
    folder.finish_with(json!({ "work": work, "inputs": inputs }))?;
    // As it was asked for, without a `./` or `.\` in front.
    say(&out.display().to_string(), shards, terminal)
}

fn say(dir: &str, shards: u32, terminal: &Terminal) -> Outcome {
    let dir = quoted(dir);
    let (shards, each) = match shards {
        1 => ("1 shard".to_owned(), "I is 0".to_owned()),
        _ => (format!("{shards} shards"), format!("for each I from 0 to {}", shards - 1)),
    };
    let text = format!(
        "The work plan {dir} has {shards}. Then, anywhere:
  taintsim shard {dir} I     {each}; `--for slurm` and `--for kubernetes` write what does that
  taintsim gather {dir}      once the result files are in one place; it says what is missing"
    );
    print_text(terminal, |out| writeln!(out, "{text}"))
}

/// The arguments as texts, so that they can be written down.
fn texts(arguments: &[OsString]) -> Result<Vec<&str>> {
    let is_none = |a: &OsString| {
        let text = format!("{:?} is not UTF-8, and cannot be written down", a.to_string_lossy());
        Failure::input(text, "rename the file")
    };
    arguments.iter().map(|a| a.to_str().ok_or_else(|| is_none(a))).collect()
}

/// `input-0-zone.ron`; of standard input `input-0-stdin`.
fn copy_name(number: usize, file: &str) -> String {
    let name = Path::new(file).file_name().and_then(|n| n.to_str());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = match name {
        None | Some("-") => STDIN.to_owned(),
        Some(name) => name.chars().map(|c| if plain(c) { c } else { '_' }).take(100).collect(),
    };
    format!("{}{number}-{name}", files::COPIED)
}

/// The bytes of a file that a scenario points at, if it is still what was read.
fn bytes_of(input: &InputFile) -> Result<Vec<u8>> {
    let bytes = files::read(Path::new(&input.file), input.bytes as u64).ok();
    bytes.filter(|b| input.is(b)).ok_or_else(|| {
        let text = format!("{} was changed while it was packed", input.file);
        Failure::input(text, "do it again; a pipe cannot be packed")
    })
}
