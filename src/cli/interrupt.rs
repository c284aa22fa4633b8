//! Ctrl-C. While a command simulates or writes, it is only asked to stop, so that nothing half-written is left under a
//! final name; at any other time, and at the second Ctrl-C, the program ends at once.

#![expect(clippy::disallowed_types, reason = "the handler of a signal runs on a thread of its own")]

use super::exit::Exit;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

/// Ctrl-C was pressed.
static ASKED: AtomicBool = AtomicBool::new(false);
/// Somebody looks at [`asked`] often.
static HEEDED: AtomicBool = AtomicBool::new(false);
/// The folder or file that is being written under a temporary name.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Begins to listen. Where the system does not let us, Ctrl-C ends the program as it ends any other.
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        let first = !ASKED.swap(true, SeqCst);
        take_away();
        if !first || !HEEDED.load(SeqCst) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(SeqCst)
}

/// Does something that looks at [`asked`] often enough, or that ends once its temporary folder is gone.
pub(crate) fn heeding<T>(work: impl FnOnce() -> T) -> T {
    HEEDED.store(true, SeqCst);
    let result = work();
    HEEDED.store(false, SeqCst);
    result
}

/// From here to [`finished`], Ctrl-C takes this temporary folder or file away, so that what writes to it fails.
pub(crate) fn unfinished(path: &Path) {
    *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.to_owned());
    // Ctrl-C may have come just before.
    if asked() {
        take_away();
    }
}

/// The temporary folder or file has got its final name, or is gone.
pub(crate) fn finished() {
    *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Renamed before it is removed: its writer then fails at the next file, and cannot complete a folder that lacks some.
fn take_away() {
    if let Some(path) = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".interrupted");
        let aside = path.with_file_name(name);
        // If it is gone already it was finished.
        if fs::rename(&path, &aside).is_ok() {
            let _ = if aside.is_dir() { fs::remove_dir_all(&aside) } else { fs::remove_file(&aside) };
        }
    }
}
