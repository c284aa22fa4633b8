//! Putting what is new into the place of what is old, at one stroke.

use super::read::{is_of_system, special};
use super::temporary::{Temporary, again, beside, left_over, remove_plain};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// How often a place is tried that others write to at the same time.
const TRIES_MAX: usize = 100;

/// Writes a file under a temporary name and renames it, so that a file with several names is left
/// as it is under the others. The mode and, where we may, the owner of a file that is replaced are
/// kept. A link, a FIFO, a socket or a device is refused: the folder may be somebody else's, and
/// whoever made it does not decide what else is written to. What the system itself has under such
/// a name, `/dev/stdout` say, is added to, but for a file that is open under another number. `begun`
/// is given the temporary file, for whoever ends the process early.
///
/// # Errors
/// The system says why, or what is in the place is no plain file; it is then left as it was.
pub(crate) fn replace(path: &Path, bytes: &[u8], begun: impl FnOnce(&Path)) -> io::Result<()> {
    let Some((temporary, old)) = place(path)? else {
        return write_on(path, bytes);
    };
    begun(temporary.path());
    let mut file = temporary.handle().ok_or(ErrorKind::NotFound)?;
    if let Some(old) = &old {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            // Only root may give a file away; everybody else's files are their own already.
            let _ = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
        }
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    // Renamed without this, it might be there and empty after a power failure.
    again(|| file.sync_all())?;
    again(|| fs::rename(temporary.path(), path))?;
    temporary.kept();
    Ok(())
}

/// Whether [`replace`] could write to that place, for whoever will have something to write much later.
///
/// # Errors
/// As of [`replace`].
pub(crate) fn replaceable(path: &Path) -> io::Result<()> {
    place(path).map(drop)
}

/// A new file beside the one that it replaces, and what is known of that; none for what the system has under such a name.
fn place(path: &Path) -> io::Result<Option<(Temporary, Option<fs::Metadata>)>> {
    let old = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(found) if found.is_file() => Some(found),
        Ok(_) if is_of_system(path) && can_be_added_to(path)? => return Ok(None),
        Ok(found) => {
            let what = special(found.file_type()).unwrap_or("no plain file");
            return Err(io::Error::other(format!("it is {what}; nothing is written through one")));
        }
        Err(_) if path.file_name().is_none() => return Err(ErrorKind::IsADirectory.into()),
        Err(_) => None,
    };
    Ok(Some((Temporary::file(path, old.is_some())?, old)))
}

/// Writes to what the system has under a name.
fn write_on(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut out = match standard(path) {
        Some(out) => out,
        None => Box::new(OpenOptions::new().append(true).open(path)?),
    };
    out.write_all(bytes)?;
    out.flush()
}

/// Whether nobody writes over what is added. Linux opens a file anew that is open here, and whoever opened it writes on where
/// that was.
fn can_be_added_to(path: &Path) -> io::Result<bool> {
    Ok(standard(path).is_some() || !fs::metadata(path)?.is_file())
}

/// Standard output or error by the system's name for it. Its own descriptor knows where in a file it is, and so does what is
/// printed after.
fn standard(path: &Path) -> Option<Box<dyn Write>> {
    let is = |names: [&str; 3]| names.iter().any(|name| path == Path::new(name));
    if is(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) {
        return Some(Box::new(io::stdout()));
    }
    is(["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"]).then(|| Box::new(io::stderr()) as _)
}

/// Makes a folder, and those that it is in, where they are not there.
///
/// # Errors
/// The system says why.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Adds to the end of a file.
///
/// # Errors
/// The system says why.
pub(crate) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes)
}

impl Temporary {
    /// Puts the folder into its place. What is there already is replaced if `may_replace` does not
    /// mind, and is gone afterwards.
    ///
    /// # Errors
    /// The system says why; the old folder is then left as it was.
    pub(crate) fn put<E>(
        self,
        place: &Path,
        may_replace: impl Fn() -> Result<(), E>,
        failed: impl Fn(io::Error) -> E,
    ) -> Result<(), E> {
        for _ in 0..TRIES_MAX {
            may_replace()?;
            let placed = match fs::symlink_metadata(place) {
                Ok(old) => self.swap(place, old.permissions()),
                Err(_) => move_to(self.path(), place),
            };
            match placed {
                Ok(()) => {
                    self.kept();
                    return Ok(());
                }
                // Another run came or went in between.
                Err(error)
                    if is_of_another(&error) && fs::symlink_metadata(self.path()).is_ok() => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(ErrorKind::ResourceBusy.into()))
    }

    /// Swaps names with the old folder, and removes that.
    fn swap(&self, place: &Path, permissions: fs::Permissions) -> io::Result<()> {
        fs::set_permissions(self.path(), permissions)?;
        match renamed(self.path(), place, Rename::Exchange) {
            Err(error) if error.kind() == ErrorKind::Unsupported => move_aside(self.path(), place),
            Err(error) => Err(error),
            Ok(()) => {
                // The old folder has the temporary name now. If it cannot be removed, the next run
                // does that.
                let _ = remove_plain(self.path());
                Ok(())
            }
        }
    }

    /// Has the system write everything in the folder to the disk. Windows does so only for whoever
    /// may write to the file.
    ///
    /// # Errors
    /// The system says why: the disk may be full, or broken.
    pub(crate) fn sync(&self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> io::Result<()> {
        let sync = |path: &Path| OpenOptions::new().append(true).open(path)?.sync_all();
        files.into_iter().try_for_each(|name| again(|| sync(&self.path().join(name.as_ref()))))
    }
}

/// What a place that another run writes to at the same time answers.
fn is_of_another(error: &io::Error) -> bool {
    use ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotFound};
    [NotFound, AlreadyExists, DirectoryNotEmpty].contains(&error.kind())
}

/// Gives a folder a name that nothing has.
fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    match renamed(from, to, Rename::NoReplace) {
        // A plain rename replaces an empty folder at most.
        Err(error) if error.kind() == ErrorKind::Unsupported => again(|| fs::rename(from, to)),
        result => result,
    }
}

/// What happens to a file that has the name already.
enum Rename {
    Exchange,
    NoReplace,
}

/// Renames as only some systems do; on others, and on file systems that cannot do it, it is
/// unsupported.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn renamed(from: &Path, to: &Path, how: Rename) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    let flags = match how {
        Rename::Exchange => RenameFlags::EXCHANGE,
        Rename::NoReplace => RenameFlags::NOREPLACE,
    };
    again(|| match renameat_with(CWD, from, CWD, to, flags) {
        // A container's filter of calls answers with a lack of permission.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM) => {
            Err(ErrorKind::Unsupported.into())
        }
        result => Ok(result?),
    })
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn renamed(_: &Path, _: &Path, _: Rename) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Where names cannot be swapped: the old folder steps aside first. A process that is killed just
/// then leaves the old results as a whole under `.NAME.PID-N.old`, and [`restore`] brings them
/// back.
fn move_aside(new: &Path, place: &Path) -> io::Result<()> {
    let old = beside(place, "old");
    again(|| fs::rename(place, &old))?;
    if let Err(error) = again(|| fs::rename(new, place)) {
        // Another run's new results may be there by now, and these older ones are obsolete then.
        let _ = again(|| fs::rename(&old, place));
        return Err(error);
    }
    let _ = remove_plain(&old);
    Ok(())
}

/// Brings back what a process that was killed between two renames had put aside, and removes it
/// where it is not needed any more.
pub(crate) fn restore(place: &Path) {
    for old in left_over(place, "old") {
        // Listed first, looked for then: another run that is between its renames finds its old
        // results in their place and goes on.
        let _ = if fs::symlink_metadata(place).is_ok() {
            remove_plain(&old)
        } else {
            again(|| fs::rename(&old, place))
        };
    }
}
