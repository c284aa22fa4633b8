//! From a file to a [`Scenario`](crate::language::Scenario): limits, and mistakes of form.
//!
//! What kubectl printed of a cluster is as good as a scenario: it is imported, and read as what
//! `taintsim import` would have written.
//!
//! What mistakes of form leave of a scenario is then looked at for mistakes of meaning; those that
//! may only follow from what was lost come last.
//!
//! Builds what was imported before it is written, so that every scenario that is written builds;
//! a problem is reported at the object that it comes from.

use super::attach::{self, attach_cluster};
use super::form::{Read, read_text, refers};
use super::loaded::Loaded;
use super::prelude::*;
use crate::files::{self, Places, ReadError};
use crate::import::{
    EXPORT_BYTES_MAX, ImportError, ImportedCluster, Input, is_export, is_meant_as_export,
};
use crate::scenario::resolve::{Overrides, build, mistakes};

/// The largest scenario file, in bytes.
pub(crate) const FILE_BYTES_MAX: u64 = 64 << 20;

/// Reads a scenario from a file.
pub fn load(path: &Path) -> Result<Loaded, Problems> {
    parse_packed_file(path, read(path)?, &Places::default())
}

/// Reads a scenario from the bytes that [`read()`] gave of a file, where the files that it points at
/// may lie in other places.
pub(crate) fn parse_packed_file(
    path: &Path,
    bytes: Vec<u8>,
    places: &Places,
) -> Result<Loaded, Problems> {
    let folder = path.parent().unwrap_or(Path::new(""));
    parse_packed(&path.display().to_string(), bytes, folder, places)
}

/// The bytes of a scenario's file, or of one that may be a scenario.
pub fn read(path: &Path) -> Result<Vec<u8>, Problems> {
    let shown = path.display();
    let limit = match path.extension().is_some_and(|e| e == "ron") {
        true => FILE_BYTES_MAX,
        false => EXPORT_BYTES_MAX,
    };
    files::read(path, limit).map_err(|error| {
        let ReadError::Io(error) = error else {
            return Problems::one(match error {
                ReadError::Directory => {
                    Problem::new(format!("{shown} is a directory, not a scenario file"))
                        .help(inside(path))
                }
                ReadError::TooLarge { .. } => {
                    Problem::new(format!("cannot read {shown}: {error} of a scenario"))
                }
                error => Problem::new(format!("cannot read {shown}: {error}")),
            });
        };
        let what = files::said_of(path, &error);
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let help = did_you_mean(&name, files::beside(path));
        Problems::one(Problem::new(format!("cannot read {shown}: {what}")).maybe_help(help))
    })
}

/// Reads a scenario from bytes, of standard input say. `shown` names them in problems, `folder` is
/// where paths in the scenario start.
pub fn parse(shown: &str, bytes: Vec<u8>, folder: &Path) -> Result<Loaded, Problems> {
    parse_packed(shown, bytes, folder, &Places::default())
}

/// As [`parse`], where the files that the scenario points at lie in other places.
pub(crate) fn parse_packed(
    shown: &str,
    bytes: Vec<u8>,
    folder: &Path,
    places: &Places,
) -> Result<Loaded, Problems> {
    let shown_plain = shown.strip_suffix(".gz").unwrap_or(shown);
    let stem = Path::new(shown_plain).file_stem().unwrap_or_default().to_string_lossy();
    let name = if stem.is_empty() { "scenario" } else { &stem };
    from_bytes(shown, name, bytes, folder.to_path_buf(), (None, places))
}

/// Reads a scenario as a folder of results holds it: its text, its name, and the copy of the file
/// that it points at.
pub(crate) fn parse_stored(
    shown: &str,
    name: &str,
    bytes: Vec<u8>,
    cluster: Option<PathBuf>,
) -> Result<Loaded, Problems> {
    from_bytes(shown, name, bytes, PathBuf::new(), (cluster, &Places::default()))
}

/// What to do about a directory where a scenario should be.
fn inside(path: &Path) -> String {
    let mut files = files::beside(&path.join("x"));
    files.retain(|name| name.ends_with(".ron"));
    if files.is_empty() {
        return "there is no scenario (*.ron) in it; `taintsim test` and `taintsim validate` take folders".to_owned();
    }
    let list = few(6, files.iter().map(|name| path.join(name).display().to_string()));
    format!("name a file in it: {list}; `taintsim test` and `taintsim validate` take folders")
}

fn from_bytes(
    shown: &str,
    name: &str,
    bytes: Vec<u8>,
    folder: PathBuf,
    (cluster, places): (Option<PathBuf>, &Places),
) -> Result<Loaded, Problems> {
    let is_of_cluster = |bytes: &[u8]| is_export(bytes) || is_meant_as_export(shown, bytes);
    // Packed or not a scenario is one. A packed export, or what is damaged, is left to its reader.
    let packed =
        files::is_gzip(&bytes).then(|| files::unpack(bytes.clone(), EXPORT_BYTES_MAX).ok());
    let bytes = packed.flatten().filter(|plain| !is_of_cluster(plain)).unwrap_or(bytes);
    if is_of_cluster(&bytes) {
        return of_export(shown, name, bytes);
    }
    let text = text_of(shown, bytes)?;
    let source = Source::new(shown, text);
    let Read { left, mut problems, mut damage, damaged, names } = read_text(&source);
    let Some((spec, left)) = left else { return Err(Problems(problems)) };
    let mut loaded = Loaded::new(name, source, spec);
    (loaded.folder, loaded.cluster, loaded.places) = (folder, cluster, places.clone());
    if let Err(problem) = attach_cluster(&mut loaded) {
        problems.push(problem);
        (damage.nodes, damage.node_labels, damage.pods, damage.workloads) =
            (true, true, true, true);
    }
    problems.extend(attach::attach_histories(&mut loaded));
    if problems.is_empty() {
        return Ok(loaded);
    }
    let mut meaning = mistakes(&loaded, &left, damage);
    // What is wrong with a value as a whole may follow from what it lost to a mistake, and what is wrong with a
    // name from what that lost which is called so.
    let is_whole =
        |p: &Problem| p.bytes().is_some_and(|b| b.start > 0 && damaged.contains(&b.start));
    let follows = |p: &Problem| p.text().is_some_and(|text| refers(text, &names));
    meaning.retain(|p| !is_whole(p) && !follows(p));
    Err(in_order(problems, meaning))
}

/// Reads what kubectl printed of a cluster; `cluster.json.gz` is called `cluster`.
fn of_export(shown: &str, name: &str, bytes: Vec<u8>) -> Result<Loaded, Problems> {
    let mut cluster = Input::from_bytes(shown, bytes)
        .and_then(|input| ImportedCluster::read(&[input]))
        .and_then(ImportedCluster::simulable)
        .and_then(ImportedCluster::builds)
        .map_err(|error| Problems::one(Problem::new(error)))?;
    let name = name.split('.').find(|part| !part.is_empty()).unwrap_or("cluster");
    let mut loaded = parse(name, cluster.to_scenario().into_bytes(), Path::new(""))?;
    cluster.summary.as_scenario = true;
    loaded.imported = Some(cluster.summary);
    Ok(loaded)
}

/// The text of a file, if it can be one of a scenario.
fn text_of(shown: &str, bytes: Vec<u8>) -> Result<String, Problems> {
    let fail = |text: String| Err(Problems::one(Problem::new(format!("{shown}: {text}"))));
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let most = FILE_BYTES_MAX >> 20;
        return fail(format!("the file is larger than {most} MiB, the limit of a scenario"));
    }
    let text = match files::text(bytes) {
        Ok(text) => text,
        Err(ReadError::NotText { line, .. }) => {
            return fail(format!("line {line} is not UTF-8; a scenario is a text file"));
        }
        Err(error) => return fail(error.to_string()),
    };
    if text.trim().is_empty() {
        let problem = Problem::new(format!("{shown}: the file is empty"));
        return Err(Problems::one(problem.help("`taintsim init` writes a scenario to start from; if kubectl was to fill it, see what that said")));
    }
    Ok(text)
}

/// Mistakes of form and of meaning, in the order of the file. What is wrong with something around a
/// part that is lost to a mistake of form may only follow from that: it comes last.
fn in_order(mut problems: Vec<Problem>, meaning: Vec<Problem>) -> Problems {
    let place = |p: &Problem| p.bytes().map_or(0, |b| b.start);
    let lost: Vec<Range<usize>> = problems.iter().filter_map(Problem::bytes).collect();
    let follows = |p: &Problem| {
        p.bytes().is_some_and(|b| lost.iter().any(|l| b.start <= l.start && l.end <= b.end))
    };
    let (mut last, first): (Vec<Problem>, Vec<Problem>) = meaning.into_iter().partition(follows);
    problems.extend(first);
    problems.sort_by_key(place);
    last.sort_by_key(place);
    problems.extend(last);
    Problems(problems)
}

impl ImportedCluster {
    /// Makes sure that the scenario that would be written can be run.
    ///
    /// # Errors
    /// An object is not as the API would have accepted it.
    pub fn builds(self) -> Result<Self, ImportError> {
        let text = self.to_scenario();
        let built = parse("the scenario", text.clone().into_bytes(), Path::new(""));
        match built.and_then(|loaded| build(&loaded, &Overrides::default())) {
            Ok(_) => Ok(self),
            Err(Problems(problems)) => Err(match problems.first() {
                None => self.of_no_object("it cannot be built"),
                Some(problem) => self.blame(problem, &text),
            }),
        }
    }
}
