//! What stands in the place of a file, and is none.

use std::fs::FileType;
use std::path::{Component, Path};

/// What this is, in words, if it is neither a plain file nor a directory.
pub(super) fn special(found: FileType) -> Option<&'static str> {
    if found.is_file() || found.is_dir() {
        return None;
    }
    if found.is_symlink() {
        return Some("a link");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return Some("a FIFO");
        }
        if found.is_socket() {
            return Some("a socket");
        }
    }
    Some("a device")
}

/// Whether a path is the system's own name for what a process has open, or for a device: whoever
/// writes one of these means it. `/dev/shm` is a folder like any other.
pub(super) fn is_of_system(path: &Path) -> bool {
    if path.components().any(|part| part == Component::ParentDir) {
        return false;
    }
    path.strip_prefix("/dev").map_or_else(
        |_| path.starts_with("/proc"),
        |rest| rest.starts_with("fd") || rest.components().count() == 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_system_are_no_others() {
        for path in ["/dev/stdout", "/dev/fd/63", "/proc/self/fd/1"] {
            assert!(is_of_system(Path::new(path)), "{path}");
        }
        for path in ["/dev", "/dev/shm/a", "/dev/../etc/a", "/proc/../etc/a", "dev/null", "a"] {
            assert!(!is_of_system(Path::new(path)), "{path}");
        }
    }
}
