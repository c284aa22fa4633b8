//! Files that lie elsewhere than their names say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where files lie that were packed: by the names under which they were read, and are asked for
/// still. What is not listed lies where its name says, unless everything was packed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    of: BTreeMap<PathBuf, PathBuf>,
    /// Where whatever is not listed would be, and is not.
    nowhere: Option<PathBuf>,
}

impl Places {
    /// Those of a folder into which every file was packed: whatever else is asked for is not there,
    /// as a stranger's list must not lead to files of whoever reads it.
    pub(crate) fn packed(folder: &Path) -> Self {
        Self { of: BTreeMap::new(), nowhere: Some(folder.join("what was not packed")) }
    }

    /// A file lies in another place.
    pub(crate) fn put(&mut self, name: &Path, place: PathBuf) {
        self.of.insert(name.to_owned(), place);
    }

    /// Where a file lies.
    pub(crate) fn of<'a>(&'a self, name: &'a Path) -> &'a Path {
        let listed = self.of.get(name).or(self.nowhere.as_ref());
        listed.map_or(name, PathBuf::as_path)
    }
}
