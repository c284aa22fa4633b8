//! A folder of results that appears as a whole or not at all.
//!
//! Files are written into a temporary folder beside the final one; when all are complete, the two
//! swap their names. What stood there before goes away only then, and only if this program wrote
//! all of it.

use super::{json, manifest};
use crate::files::{self, Escaped, Form, ReadError, Temporary, said};
use crate::files::{COPIED, InputFile, LargeFile, PACKED, Packing};
use serde_json::Value;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// The name of a run does not make a folder's name.
    #[error("{name:?} cannot be the name of a folder of results")]
    Name { name: String },
    /// A folder cannot be created or put into its place, a file not be written or copied, or a chart
    /// not be drawn: the disk is full, say.
    #[error("{0}")]
    Failed(String),
    /// What stands in the place of the folder was not written by this program, and what shows that.
    #[error("{} exists and holds no results of taintsim ({why}); it is left as it is", path.display())]
    NotOurs { path: PathBuf, why: String },
    /// There is something beside the results that this program did not write.
    #[error("{} holds {name:?} beside the results of a run; it is left as it is", path.display())]
    More { path: PathBuf, name: String },
    /// A file that the scenario points at is not what was run any more.
    #[error("{} was changed while the scenario ran; run it again", path.display())]
    Changed { path: PathBuf },
}

/// The folder of a run, as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub(crate) folder: PathBuf,
    /// Its files with their sizes in bytes, in the order in which they were written.
    pub(crate) files: Vec<(String, u64)>,
}

impl Written {
    /// The names of its files.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.files.iter().map(|f| f.0.as_str()).collect()
    }
}

/// A folder of results while it is written. Dropped before [`Folder::finish`], it leaves nothing
/// behind.
pub(crate) struct Folder {
    place: PathBuf,
    temporary: Temporary,
    files: Vec<(String, u64)>,
}

impl Folder {
    /// Begins the folder `parent/name`. What killed runs of that name left beside it is restored or
    /// removed.
    ///
    /// # Errors
    /// The name is not a plain one, what stands there is not ours, or the temporary folder cannot
    /// be created.
    pub(crate) fn create(parent: &Path, name: &str) -> Result<Self, FileError> {
        let mut parts = Path::new(name).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            return Err(FileError::Name { name: name.to_owned() });
        }
        let place = parent.join(name);
        may_replace(&place)?;
        fs::create_dir_all(parent).map_err(failed("create the folder", parent))?;
        files::restore(&place);
        let temporary = Temporary::folder(&place).map_err(failed("create the folder", &place))?;
        Ok(Folder { place, temporary, files: Vec::new() })
    }

    /// Where files are written until the folder is finished; it has to be removed if the process is
    /// ended before that.
    pub(crate) fn temporary(&self) -> &Path {
        self.temporary.path()
    }

    /// The names of what stands in a folder; none where there is no such folder.
    pub(crate) fn standing(parent: &Path) -> Vec<String> {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten();
        entries.filter_map(|e| e.file_name().into_string().ok()).collect()
    }

    /// Whether a file of that name is written, packed or not.
    pub(crate) fn has(&self, name: &str) -> bool {
        let is = |written: &str| written.strip_suffix(PACKED).unwrap_or(written) == name;
        self.files.iter().any(|(written, _)| is(written))
    }

    /// Writes one file. What acts instead of showing something, a control character say, is escaped
    /// in every form that is not read again as it is.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub(crate) fn write(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FileError> {
        self.write_large(name, Packing::Never, fill)
    }

    /// Writes one file that may be large, and is packed then, under a name that says so.
    ///
    /// # Errors
    /// As [`Folder::write`].
    pub(crate) fn write_large(
        &mut self,
        name: &str,
        packing: Packing,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let folder = self.temporary.path();
        let result = LargeFile::create(folder, name, packing).and_then(|mut out| {
            fill(&mut Escaped::new(&mut out, form(name)))?;
            out.finish()
        });
        self.files.push(result.map_err(failed("write", &self.place.join(name)))?);
        Ok(())
    }

    /// Copies a file that was read before into the folder under another name.
    ///
    /// # Errors
    /// It cannot be read any more, is not what it was, or the copy cannot be written.
    pub(crate) fn copy(&mut self, input: &InputFile) -> Result<(), FileError> {
        let (from, name) = (Path::new(&input.file), input.copy.clone());
        let failed = |error: io::Error| {
            let (from, to) = (from.display(), self.place.join(&name));
            let why = said(&error);
            FileError::Failed(format!("cannot copy {from} to {}: {why}", to.display()))
        };
        // A pipe has nothing left, and might wait for ever.
        if !fs::metadata(from).is_ok_and(|m| m.is_file()) {
            return Err(failed(io::Error::other("it is no plain file, or not there any more")));
        }
        let bytes = match files::read(from, input.bytes as u64) {
            Ok(bytes) if input.is(&bytes) => bytes,
            Ok(_) | Err(ReadError::TooLarge { .. }) => {
                return Err(FileError::Changed { path: from.to_owned() });
            }
            Err(error) => return Err(failed(io::Error::other(error))),
        };
        self.write(&name, |out| out.write_all(&bytes))
    }

    /// Writes the manifest of a folder that came from that, and puts the folder into its place,
    /// instead of what stood there.
    ///
    /// # Errors
    /// The manifest cannot be written, or as [`Folder::finish`].
    pub(crate) fn finish_with(mut self, came_from: Value) -> Result<Written, FileError> {
        let manifest = manifest::whole(came_from, &self.files);
        // Last, so that a folder with a manifest is complete.
        self.write(manifest::FILE, |out| json::pretty(out, &manifest))?;
        let files = self.files.clone();
        Ok(Written { folder: self.finish()?, files })
    }

    /// Puts the folder into its place, instead of what stood there.
    ///
    /// # Errors
    /// It cannot be renamed, or the disk is full; what stood there before then stands there still.
    fn finish(self) -> Result<PathBuf, FileError> {
        let Folder { place, temporary, files } = self;
        if fs::symlink_metadata(&place).is_ok() {
            // Earlier results go away for these, which are to be there even if the power fails.
            let names = files.iter().map(|(name, _)| name);
            temporary.sync(names).map_err(failed("replace", &place))?;
        }
        temporary.put(&place, || may_replace(&place), failed("replace", &place))?;
        Ok(place)
    }
}

/// What it means that something cannot be done with a file or folder, which was going to have that
/// name.
fn failed(what: &str, path: &Path) -> impl Fn(io::Error) -> FileError {
    move |e| FileError::Failed(format!("cannot {what} {}: {}", path.display(), said(&e)))
}

/// How a file is written, by its name: what is read again as it is stays as it is.
fn form(name: &str) -> Form {
    match Path::new(name).extension().and_then(|e| e.to_str()) {
        _ if name.starts_with(COPIED) => Form::Binary,
        Some("json" | "jsonl") => Form::Json,
        Some("csv" | "svg" | "md") => Form::Plain,
        _ => Form::Binary,
    }
}

/// Nothing stands there, or an empty folder, or results of an earlier run and nothing else.
///
/// # Errors
/// What stands there.
pub(crate) fn may_replace(place: &Path) -> Result<(), FileError> {
    let not_ours = |why: &str| FileError::NotOurs { path: place.to_owned(), why: why.to_owned() };
    match fs::symlink_metadata(place) {
        Err(error)
            if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) =>
        {
            return Ok(());
        }
        Err(source) => return Err(failed("replace", place)(source)),
        Ok(m) if m.is_symlink() => return Err(not_ours("it is a link")),
        Ok(m) if !m.is_dir() => return Err(not_ours("it is no folder")),
        Ok(_) => {}
    }
    let entries = fs::read_dir(place).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(failed("replace", place))?;
    if entries.is_empty() {
        return Ok(());
    }
    let named = named(place).map_err(|why| not_ours(&why))?;
    for entry in entries {
        let name = entry.file_name();
        let known = name.to_str().is_some_and(|n| n == manifest::FILE || is_ours(place, n, &named));
        if !known || !entry.file_type().is_ok_and(|t| t.is_file()) {
            let (path, name) = (place.to_owned(), name.to_string_lossy().into_owned());
            return Err(FileError::More { path, name });
        }
    }
    Ok(())
}

/// Whether a folder holds results of this program.
pub(crate) fn is_results(folder: &Path) -> bool {
    named(folder).is_ok()
}

/// The files that the manifest of a folder names, or why it holds no results.
fn named(folder: &Path) -> Result<Vec<String>, String> {
    match files::read(&folder.join(manifest::FILE), manifest::BYTES_MAX) {
        Ok(bytes) => manifest::files(&bytes),
        Err(ReadError::Io(e)) if e.kind() == io::ErrorKind::NotFound => {
            Err(format!("it has no {}", manifest::FILE))
        }
        Err(error) => Err(format!("{}: {error}", manifest::FILE)),
    }
}

/// Whether a file is one of those, or was one that somebody packed or unpacked since.
fn is_ours(place: &Path, name: &str, named: &[String]) -> bool {
    let is_named = |name: &str| named.iter().any(|of| of == name);
    let instead = |of: &str| is_named(of) && !place.join(of).exists();
    is_named(name)
        || is_named(&format!("{name}{PACKED}"))
        || name.strip_suffix(PACKED).is_some_and(instead)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for a test, removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(test: &str) -> Self {
            let path = std::env::temp_dir().join(format!("taintsim-{}-{test}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Scratch(path)
        }

        fn entries(&self) -> Vec<String> {
            let mut names: Vec<String> = fs::read_dir(&self.0)
                .into_iter()
                .flatten()
                .flatten()
                .map(|e| e.file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn write(parent: &Path, name: &str, files: &[(&str, &str)]) -> Result<PathBuf, FileError> {
        let mut folder = Folder::create(parent, name)?;
        for (file, text) in files {
            folder.write(file, |out| out.write_all(text.as_bytes()))?;
        }
        folder.finish()
    }

    /// What a folder with these files says of itself.
    const OURS: &str = r#"{"taintsim": "0.1.0", "format": 2, "files": [{"name": "a", "bytes": 1}, {"name": "b", "bytes": 1}]}"#;

    #[test]
    fn a_rerun_replaces_the_folder_as_a_whole() {
        let scratch = Scratch::new("rerun");
        write(&scratch.0, "run", &[("a", "1"), ("b", "x"), (manifest::FILE, OURS)])
            .expect("can be written");
        let place = write(&scratch.0, "run", &[("a", "2"), (manifest::FILE, OURS)])
            .expect("can be written again");
        assert_eq!(fs::read_to_string(place.join("a")).ok().as_deref(), Some("2"));
        assert!(!place.join("b").exists());
        assert_eq!(scratch.entries(), ["run"]);
    }

    #[test]
    fn what_stands_beside_results_stays() {
        let scratch = Scratch::new("beside");
        let place = write(&scratch.0, "run", &[("a", "1"), (manifest::FILE, OURS)])
            .expect("can be written");
        fs::write(place.join("notes.txt"), "mine").expect("can be written");
        let error = write(&scratch.0, "run", &[]).expect_err("a file is not ours").to_string();
        assert!(error.contains("\"notes.txt\" beside the results"), "{error}");
        fs::remove_file(place.join("notes.txt")).expect("it is there");
        // A folder, and a link, under the name of a file that is ours.
        fs::create_dir(place.join("b")).expect("can be created");
        assert!(matches!(write(&scratch.0, "run", &[]), Err(FileError::More { .. })));
        fs::remove_dir(place.join("b")).expect("it is there");
        // Whatever a stranger's manifest says.
        for text in [
            "{}",
            "[]",
            "",
            "\0",
            r#"{"taintsim": 1, "format": 2, "files": []}"#,
            r#"{"name": "app", "icons": []}"#,
            r#"{"taintsim": "1", "files": []}"#,
        ] {
            fs::write(place.join(manifest::FILE), text).expect("can be written");
            assert!(
                matches!(write(&scratch.0, "run", &[]), Err(FileError::NotOurs { .. })),
                "{text}"
            );
        }
        assert_eq!(fs::read_to_string(place.join("a")).ok().as_deref(), Some("1"));
        assert_eq!(scratch.entries(), ["run"]);
    }

    #[test]
    fn what_killed_runs_left_is_put_right() {
        let scratch = Scratch::new("left");
        let leave = |name: &str, files: &[(&str, &str)]| {
            fs::create_dir_all(scratch.0.join(name)).expect("can be created");
            files.iter().for_each(|(file, text)| {
                fs::write(scratch.0.join(name).join(file), text).expect("can be written")
            });
        };
        leave(".run.77.tmp", &[("a", "half")]);
        leave(".run.78-3.tmp.interrupted", &[]);
        leave(".run.x.tmp", &[("a", "not a number")]);
        leave(".run.79.tmp", &[("a", "of another")]);
        fs::create_dir(scratch.0.join(".run.79.tmp/below")).expect("can be created");
        leave(".run.80.old", &[("a", "old"), (manifest::FILE, OURS)]);
        leave(".run.2.81.tmp", &[("a", "of the run `run.2`")]);
        // A folder that is being written.
        let alive = Folder::create(&scratch.0, "run").expect("can be begun");
        assert_eq!(
            fs::read_to_string(scratch.0.join("run/a")).ok().as_deref(),
            Some("old"),
            "put aside by a killed run"
        );
        let name = |folder: &Folder| {
            folder.temporary().file_name().expect("a name").to_string_lossy().into_owned()
        };
        let first = name(&alive);
        let second = Folder::create(&scratch.0, "run").expect("two at once");
        assert_ne!(name(&second), first);
        let mut expected =
            [".run.2.81.tmp", ".run.79.tmp", first.as_str(), &name(&second), ".run.x.tmp", "run"];
        expected.sort_unstable();
        assert_eq!(scratch.entries(), expected);
        for mut folder in [alive, second] {
            folder.write("a", |out| out.write_all(b"new")).expect("can be written");
            folder
                .write(manifest::FILE, |out| out.write_all(OURS.as_bytes()))
                .expect("can be written");
            folder.finish().expect("both end well");
        }
        assert_eq!(fs::read_to_string(scratch.0.join("run/a")).ok().as_deref(), Some("new"));
        assert_eq!(scratch.entries(), [".run.2.81.tmp", ".run.79.tmp", ".run.x.tmp", "run"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_of_a_folder_stays() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new("mode");
        let place = write(&scratch.0, "run", &[(manifest::FILE, OURS)]).expect("can be written");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o700)).expect("it is ours");
        write(&scratch.0, "run", &[(manifest::FILE, OURS)]).expect("can be written");
        assert_eq!(fs::metadata(&place).expect("it is there").permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn an_error_leaves_what_was_there_and_nothing_else() {
        let scratch = Scratch::new("error");
        let place = write(&scratch.0, "run", &[("a", "1"), (manifest::FILE, OURS)])
            .expect("can be written");
        let mut folder = Folder::create(&scratch.0, "run").expect("can be begun");
        let full = |_: &mut dyn Write| Err(io::Error::from(io::ErrorKind::StorageFull));
        let error = folder.write("events.jsonl", full).expect_err("the disk is full");
        let said = error.to_string();
        assert!(said.contains("events.jsonl") && said.contains("no storage space"), "{said}");
        drop(folder);
        assert_eq!(fs::read_to_string(place.join("a")).ok().as_deref(), Some("1"));
        assert_eq!(scratch.entries(), ["run"]);
    }

    #[test]
    fn what_is_not_ours_stays() {
        let scratch = Scratch::new("foreign");
        fs::create_dir_all(scratch.0.join("src")).expect("can be created");
        fs::write(scratch.0.join("src/main.rs"), "fn main() {}").expect("can be written");
        fs::write(scratch.0.join("file"), "text").expect("can be written");
        for name in ["src", "file"] {
            assert!(
                matches!(write(&scratch.0, name, &[]), Err(FileError::NotOurs { .. })),
                "{name}"
            );
        }
        assert!(scratch.0.join("src/main.rs").is_file());
        for name in ["", "..", ".", "a/b", "/"] {
            assert!(
                matches!(write(&scratch.0, name, &[]), Err(FileError::Name { .. })),
                "{name:?}"
            );
        }
        // The parent is a file.
        assert!(matches!(
            write(&scratch.0.join("file"), "run", &[]),
            Err(FileError::Failed { .. })
        ));
    }
}
