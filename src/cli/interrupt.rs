//! Ctrl-C, and the signals that end a program from outside. While a command simulates or writes, it
//! is only asked to stop, so that nothing half-written is left under a final name; at any other
//! time, and at the second Ctrl-C, the program ends at once. SIGTERM, as a CI system or a service
//! manager sends it, and SIGHUP, when the terminal goes away, are the same; a SIGHUP that `nohup`
//! has switched off stays so.

#![expect(clippy::disallowed_types, reason = "the handler of a signal runs on a thread of its own")]

use super::failure::Exit;
use crate::files;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Mutex, PoisonError};

/// Ctrl-C was pressed.
static ASKED: AtomicBool = AtomicBool::new(false);
/// Somebody looks at [`asked`] often.
static HEEDED: AtomicBool = AtomicBool::new(false);
/// The folder or file that is being written under a temporary name.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The command of a person's that is waited for.
static CALLED: Mutex<Option<Child>> = Mutex::new(None);

/// Begins to listen. Where the system does not let us, signals end the program as they end any
/// other.
pub(crate) fn listen() {
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(heard);
    #[cfg(unix)]
    listen_for_signals();
}

fn heard() {
    let first = !ASKED.swap(true, SeqCst);
    take_away();
    // What is read may never come, and nobody looks at anything else meanwhile.
    if !first || !HEEDED.load(SeqCst) || files::is_reading() {
        std::process::exit(i32::from(Exit::Interrupted.code()));
    }
}

/// SIGINT and SIGTERM, and SIGHUP unless the program was started with it ignored. SIGXFSZ only says that a
/// file has become as large as `ulimit -f` lets it, and whoever writes to it is told as of a full disk.
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "the handler of a signal runs on a thread of its own"
)]
fn listen_for_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    let all = [SIGXFSZ, SIGINT, SIGTERM, SIGHUP];
    let wanted = if ignores(SIGHUP) { &all[..3] } else { &all[..] };
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) {
        let ends = |signal: &i32| *signal != SIGXFSZ;
        std::thread::spawn(move || signals.forever().filter(ends).for_each(|_| heard()));
    }
}

/// Whether the program was started with a signal ignored, as far as the system says so.
#[cfg(unix)]
fn ignores(signal: i32) -> bool {
    let status = files::read(Path::new("/proc/self/status"), 1 << 16).and_then(files::text).ok();
    let mask = status.as_deref().and_then(|s| {
        u64::from_str_radix(s.split("SigIgn:").nth(1)?.split_whitespace().next()?, 16).ok()
    });
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Does as if Ctrl-C was pressed, for a program that listens for itself.
pub fn ask() {
    ASKED.store(true, SeqCst);
    take_away();
}

/// Forgets that Ctrl-C was pressed: what was to end has ended.
pub fn forget() {
    ASKED.store(false, SeqCst);
}

/// Whether Ctrl-C was pressed.
pub fn asked() -> bool {
    ASKED.load(SeqCst)
}

/// Does something that looks at [`asked`] often enough, or that ends once its temporary folder is
/// gone.
pub fn heeding<T>(work: impl FnOnce() -> T) -> T {
    let before = HEEDED.swap(true, SeqCst);
    let result = work();
    HEEDED.store(before, SeqCst);
    result
}

/// Writes a folder or file, which [`unfinished`] gets under its temporary name.
pub(crate) fn writing<T>(write: impl FnOnce() -> T) -> T {
    heeding(|| {
        let written = write();
        // It has got its final name, or is gone.
        taken(&UNFINISHED);
        written
    })
}

/// From here to the end of [`writing`], Ctrl-C takes this temporary folder or file away, so that what writes
/// to it fails.
pub(crate) fn unfinished(path: &Path) {
    hold(&UNFINISHED, path.to_owned());
}

fn hold<T>(place: &Mutex<Option<T>>, held: T) {
    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
    // Ctrl-C may have come just before.
    if asked() {
        take_away();
    }
}

fn taken<T>(place: &Mutex<Option<T>>) -> Option<T> {
    place.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Does something while a command runs; gives that back, unless it was killed by who asked for an end.
pub(crate) fn calling<T>(child: Child, work: impl FnOnce() -> T) -> (T, Option<Child>) {
    hold(&CALLED, child);
    (work(), taken(&CALLED))
}

fn take_away() {
    if let Some(mut child) = taken(&CALLED) {
        let _ = io::stderr().write_all(b"interrupted\n");
        // One that is over already cannot be killed.
        let _ = child.kill();
    }
    if let Some(path) = taken(&UNFINISHED) {
        // If it is gone already it was finished.
        let _ = files::take_away(&path);
    }
}
