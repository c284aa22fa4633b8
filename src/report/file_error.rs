//! Why a folder of results could not be written.

use crate::files::said;
use std::io;
use std::path::PathBuf;

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// The name of a run does not make a folder's name.
    #[error("{name:?} cannot be the name of a folder of results")]
    Name { name: String },
    /// A folder cannot be created or put into its place, or a file not be written: the disk is full, say.
    #[error("cannot {what} {}: {}", path.display(), said(source))]
    Failed {
        /// What cannot be done: "write".
        what: &'static str,
        /// The file or folder, under the name that it was going to have.
        path: PathBuf,
        source: io::Error,
    },
    /// A file cannot be copied.
    #[error("cannot copy {} to {}: {}", from.display(), path.display(), said(source))]
    Copy {
        /// The file.
        from: PathBuf,
        /// Its copy, under the name that it was going to have.
        path: PathBuf,
        source: io::Error,
    },
    /// What stands in the place of the folder was not written by this program.
    #[error("{} exists and holds no results of taintsim ({why}); it is left as it is", path.display())]
    NotOurs {
        /// What stands there.
        path: PathBuf,
        /// What shows that.
        why: String,
    },
    /// There is something beside the results that this program did not write.
    #[error("{} holds {name:?} beside the results of a run; it is left as it is", path.display())]
    More {
        /// The folder.
        path: PathBuf,
        /// That file or folder.
        name: String,
    },
    /// A file that the scenario points at is not what was run any more.
    #[error("{} was changed while the scenario ran; run it again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
}
