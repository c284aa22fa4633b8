//! A file that appears as a whole or not at all.

use super::failure::Failure;
use super::interrupt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under a temporary name beside it and renames it. What is there and no plain file, `/dev/stdout` say, is
/// written to directly.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    interrupt::heeding(|| write(path, bytes)).map_err(|error| {
        if interrupt::asked() { Failure::Interrupted(format!("interrupted; {} was not written", path.display())) } else { error }
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::write(path, &error),
    };
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path).and_then(|mut f| f.write_all(bytes)).map_err(failed);
    }
    let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    };
    let temporary = path.with_file_name(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
    interrupt::unfinished(&temporary);
    let written = File::create(&temporary).and_then(|mut f| f.write_all(bytes)).and_then(|()| fs::rename(&temporary, path));
    interrupt::finished();
    if written.is_err() {
        // Nothing is left behind, if the file was created at all.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(failed)
}
