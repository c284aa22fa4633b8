//! A folder of results that appears as a whole or not at all.
//!
//! Files are written into a temporary folder beside the final one; when all are complete, that is renamed into its place. What
//! stood there before goes away only then, and only if this program wrote it.

use super::manifest;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The name of a run does not make a folder's name.
    #[error("{name:?} cannot be the name of a folder of results")]
    Name {
        /// That name.
        name: String,
    },
    /// The folder cannot be created.
    #[error("cannot create the folder {}: {source}", path.display())]
    Create {
        /// That folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written: the disk is full, say.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// That file, under the name that it was going to have.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be copied.
    #[error("cannot copy {} to {}: {source}", from.display(), path.display())]
    Copy {
        /// The file.
        from: PathBuf,
        /// Its copy, under the name that it was going to have.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder cannot be put into its place.
    #[error("cannot replace {}: {source}", path.display())]
    Replace {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What stands in the place of the folder was not written by this program.
    #[error("{} exists and holds no results of taintsim; it is left as it is", path.display())]
    NotOurs {
        /// What stands there.
        path: PathBuf,
    },
}

/// A folder of results while it is written. Dropped before [`Folder::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct Folder {
    place: PathBuf,
    temporary: PathBuf,
    old: PathBuf,
    files: Vec<(String, u64)>,
}

impl Folder {
    /// Begins the folder `parent/name`.
    ///
    /// # Errors
    /// The name is not a plain one, what stands there is not ours, or the temporary folder cannot be created.
    pub fn create(parent: &Path, name: &str) -> Result<Self, FileError> {
        let mut parts = Path::new(name).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            return Err(FileError::Name { name: name.to_owned() });
        }
        let place = parent.join(name);
        if !may_replace(&place) {
            return Err(FileError::NotOurs { path: place });
        }
        // The process's number keeps two runs at once apart.
        let beside = |kind: &str| parent.join(format!(".{name}.{}.{kind}", std::process::id()));
        let (temporary, old) = (beside("tmp"), beside("old"));
        fs::create_dir_all(parent).map_err(|source| FileError::Create { path: parent.to_owned(), source })?;
        // A process of the same number may have been killed here.
        let _ = fs::remove_dir_all(&temporary);
        fs::create_dir(&temporary).map_err(|source| FileError::Create { path: place.clone(), source })?;
        Ok(Folder { place, temporary, old, files: Vec::new() })
    }

    /// Where files are written until the folder is finished; whoever ends the process in between removes it.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// The files written so far, with their sizes in bytes.
    pub fn files(&self) -> &[(String, u64)] {
        &self.files
    }

    /// Writes one file.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub fn write(&mut self, name: &str, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
        let result = File::create(self.temporary.join(name)).and_then(|file| {
            let mut out = BufWriter::with_capacity(1 << 16, file);
            fill(&mut out)?;
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            Ok(file.metadata()?.len())
        });
        match result {
            Ok(bytes) => self.files.push((name.to_owned(), bytes)),
            Err(source) => return Err(FileError::Write { path: self.place.join(name), source }),
        }
        Ok(())
    }

    /// Copies a file into the folder under another name.
    ///
    /// # Errors
    /// It cannot be read any more, or the copy cannot be written.
    pub fn copy(&mut self, from: &Path, name: &str) -> Result<(), FileError> {
        match fs::copy(from, self.temporary.join(name)) {
            Ok(bytes) => self.files.push((name.to_owned(), bytes)),
            Err(source) => return Err(FileError::Copy { from: from.to_owned(), path: self.place.join(name), source }),
        }
        Ok(())
    }

    /// Puts the folder into its place, instead of what stood there.
    ///
    /// # Errors
    /// A rename fails; what stood there before then stands there still.
    pub fn finish(self) -> Result<PathBuf, FileError> {
        let failed = |source| FileError::Replace { path: self.place.clone(), source };
        if !may_replace(&self.place) {
            return Err(FileError::NotOurs { path: self.place.clone() });
        }
        let had_old = self.place.exists();
        if had_old {
            let _ = fs::remove_dir_all(&self.old);
            fs::rename(&self.place, &self.old).map_err(failed)?;
        }
        if let Err(source) = fs::rename(&self.temporary, &self.place) {
            if had_old {
                // Best effort: if this fails, too, the old results are still beside their place.
                let _ = fs::rename(&self.old, &self.place);
            }
            return Err(failed(source));
        }
        if had_old {
            let _ = fs::remove_dir_all(&self.old);
        }
        Ok(self.place.clone())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // After the rename there is nothing here any more.
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

/// Nothing stands there, or an empty folder, or results of an earlier run.
fn may_replace(place: &Path) -> bool {
    match fs::symlink_metadata(place) {
        Err(_) => true,
        Ok(m) if !m.is_dir() => false,
        Ok(_) => place.join(manifest::FILE).is_file() || fs::read_dir(place).is_ok_and(|mut d| d.next().is_none()),
    }
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
            let mut names: Vec<String> =
                fs::read_dir(&self.0).into_iter().flatten().flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
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

    #[test]
    fn a_rerun_replaces_the_folder_as_a_whole() {
        let scratch = Scratch::new("rerun");
        write(&scratch.0, "run", &[(manifest::FILE, "1"), ("only-before", "x")]).expect("can be written");
        let place = write(&scratch.0, "run", &[(manifest::FILE, "2")]).expect("can be written again");
        assert_eq!(fs::read_to_string(place.join(manifest::FILE)).ok().as_deref(), Some("2"));
        assert!(!place.join("only-before").exists());
        assert_eq!(scratch.entries(), ["run"]);
    }

    #[test]
    fn an_error_leaves_what_was_there_and_nothing_else() {
        let scratch = Scratch::new("error");
        let place = write(&scratch.0, "run", &[(manifest::FILE, "1")]).expect("can be written");
        let mut folder = Folder::create(&scratch.0, "run").expect("can be begun");
        let full = |_: &mut dyn Write| Err(io::Error::from(io::ErrorKind::StorageFull));
        let error = folder.write("events.jsonl", full).expect_err("the disk is full");
        let said = error.to_string();
        assert!(said.contains("events.jsonl") && said.contains("no storage space"), "{said}");
        drop(folder);
        assert_eq!(fs::read_to_string(place.join(manifest::FILE)).ok().as_deref(), Some("1"));
        assert_eq!(scratch.entries(), ["run"]);
    }

    #[test]
    fn what_is_not_ours_stays() {
        let scratch = Scratch::new("foreign");
        fs::create_dir_all(scratch.0.join("src")).expect("can be created");
        fs::write(scratch.0.join("src/main.rs"), "fn main() {}").expect("can be written");
        fs::write(scratch.0.join("file"), "text").expect("can be written");
        for name in ["src", "file"] {
            assert!(matches!(write(&scratch.0, name, &[]), Err(FileError::NotOurs { .. })), "{name}");
        }
        assert!(scratch.0.join("src/main.rs").is_file());
        for name in ["", "..", ".", "a/b", "/"] {
            assert!(matches!(write(&scratch.0, name, &[]), Err(FileError::Name { .. })), "{name:?}");
        }
        // The parent is a file.
        assert!(matches!(write(&scratch.0.join("file"), "run", &[]), Err(FileError::Create { .. })));
    }
}
