//! Files that lie elsewhere than their names say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where files lie that were packed: by the names under which they were read, and are asked for
/// still. What is not listed lies where its name says.
#[derive(Clone, Debug, Default)]
pub struct Places(BTreeMap<PathBuf, PathBuf>);

impl Places {
    /// A file lies in another place.
    pub(crate) fn put(&mut self, name: &Path, place: PathBuf) {
        self.0.insert(name.to_owned(), place);
    }

    /// Where a file lies.
    pub(crate) fn of<'a>(&'a self, name: &'a Path) -> &'a Path {
        self.0.get(name).map_or(name, PathBuf::as_path)
    }
}
