//! Files and folders under a temporary name beside the one that they are going to have.
//!
//! `.NAME.PID-N.tmp` is locked for as long as its process lives, and the system takes the lock away
//! when it dies, so that the next run of NAME knows what a killed one left behind and what is still
//! being written. Where the system has no such locks, nothing is removed.
//!
//! The crate `tempfile` gives names at random, which no later run could take for left over, and
//! makes no folder that swaps places with another.

use super::read::open_plain;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A name in a folder is cut to at most this many bytes, so that with what is added it still fits
/// into the 255 that systems allow.
const NAME_BYTES_MAX: usize = 200;

/// How many temporary names are tried: another machine may write to the same folder, with the same
/// numbers of processes.
const TRIES_MAX: u32 = 1000;

/// Something under a temporary name. Dropped before [`Temporary::kept`], it is removed.
pub(crate) struct Temporary {
    path: PathBuf,
    /// Holds the lock.
    file: Option<File>,
}

impl Temporary {
    /// A new folder beside `place`. What killed processes left there is removed first.
    ///
    /// # Errors
    /// The system says why.
    pub(crate) fn folder(place: &Path) -> io::Result<Self> {
        Self::begin(place, |path| {
            fs::create_dir(path)?;
            match File::open(path) {
                Ok(file) => Ok(Some(file)),
                // Somebody took it for one that was left behind, before it was locked.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    Err(ErrorKind::AlreadyExists.into())
                }
                // Not every system opens folders. Nobody then knows whether this one is still being
                // written.
                Err(_) => Ok(None),
            }
        })
    }

    /// A new file beside `place`, which nobody else can read until it is written. What killed
    /// processes left there is removed first.
    ///
    /// # Errors
    /// The system says why.
    pub(crate) fn file(place: &Path, private: bool) -> io::Result<Self> {
        Self::begin(place, |path| {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            if private {
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            }
            #[cfg(not(unix))]
            let _ = private;
            options.open(path).map(Some)
        })
    }

    fn begin(place: &Path, make: impl Fn(&Path) -> io::Result<Option<File>>) -> io::Result<Self> {
        remove_left_over(place);
        let mut tries = 0;
        loop {
            let path = beside(place, "tmp");
            match again(|| make(&path)) {
                Ok(None) => return Ok(Temporary { path, file: None }),
                Ok(Some(file)) => {
                    let locked = file.try_lock();
                    // Whoever removes what is left over may have had the lock first.
                    if !matches!(locked, Err(fs::TryLockError::WouldBlock))
                        && fs::symlink_metadata(&path).is_ok()
                    {
                        return Ok(Temporary { path, file: Some(file) });
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            tries += 1;
            if tries > TRIES_MAX {
                return Err(ErrorKind::AlreadyExists.into());
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file; none for a folder that the system does not open.
    pub(crate) fn handle(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// It has got its name.
    pub(crate) fn kept(self) {
        // What stands under the temporary name now, if anything, is not this any more.
        let mut this = self;
        this.path = PathBuf::new();
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = remove_plain(&self.path);
        }
    }
}

/// A temporary name beside `place`, which this process has not had before: who removes what was
/// left under a name does not meet what was made under it since.
pub(super) fn beside(place: &Path, kind: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Relaxed);
    place.with_file_name(format!("{}{}-{number}.{kind}", prefix(place), std::process::id()))
}

/// What every temporary name beside `place` begins with.
fn prefix(place: &Path) -> String {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let end = name.floor_char_boundary(NAME_BYTES_MAX.min(name.len()));
    format!(".{}.", &name[..end])
}

/// What is left of killed processes beside `place`, by kind.
pub(super) fn left_over(place: &Path, kind: &str) -> Vec<PathBuf> {
    let folder = place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = prefix(place);
    let is_one = |name: &str| {
        let numbers =
            name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(kind)?.strip_suffix('.'));
        numbers.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|e| e.file_name().to_str().is_some_and(is_one))
        // A link or a FIFO of such a name is somebody's, and none of ours.
        .filter(|e| e.file_type().is_ok_and(|t| t.is_file() || t.is_dir()))
        .map(|e| place.with_file_name(e.file_name()))
        .collect()
}

/// Removes what killed processes left beside `place`; what a living one writes is locked, and
/// stays.
fn remove_left_over(place: &Path) {
    for path in ["tmp", "tmp.interrupted"].into_iter().flat_map(|kind| left_over(place, kind)) {
        let Ok(file) = open_plain(&path, false) else { continue };
        if file.try_lock().is_ok() {
            let _ = remove_plain(&path);
        }
        // Locked until here: whoever has just made it finds it locked, or gone, and takes another
        // name.
        drop(file);
    }
}

/// Takes away what somebody still writes to. Renamed before it is removed: its writer then fails at
/// the next file, and cannot complete a folder that lacks some.
///
/// # Errors
/// The system says why.
pub(crate) fn take_away(path: &Path) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".interrupted");
    let aside = path.with_file_name(name);
    again(|| fs::rename(path, &aside))?;
    remove_plain(&aside)
}

/// Removes a file, or a folder with the files in it. A folder that holds another folder stays,
/// since none of ours does.
pub(super) fn remove_plain(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return again(|| fs::remove_file(path));
    }
    let entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
    for entry in &entries {
        if entry.file_type()?.is_dir() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
    }
    for entry in entries {
        again(|| fs::remove_file(entry.path()))?;
    }
    again(|| fs::remove_dir(path))
}

/// Does something again for as long as a signal interrupts it.
pub(super) fn again<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match work() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
