//! A hash that distinguishes versions of a scenario's files: FNV-1a with 64 bits. It is no
//! protection against somebody who wants two files to have the same hash.
//!
//! Files that lie elsewhere than their names say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The hash of no bytes.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Goes on with a hash.
pub(crate) fn fnv1a64_more(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The hash of some bytes.
pub fn fnv1a64(bytes: &[u8]) -> u64 {
    fnv1a64_more(EMPTY, bytes)
}

/// A hash as manifests have it.
pub(crate) fn hash_text(hash: u64) -> String {
    format!("fnv1a64:{hash:016x}")
}

/// What the names of copies begin with in a folder of results.
pub(crate) const COPIED: &str = "input-";

/// A file that a scenario points at, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputFile {
    /// Its path.
    pub(crate) file: String,
    /// How long it is.
    pub(crate) bytes: usize,
    /// The hash of its bytes.
    pub(crate) hash: u64,
    /// The name of its copy in a folder of results.
    pub(crate) copy: String,
}

/// What a scenario was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// How long the scenario's text is.
    pub(crate) bytes: usize,
    /// A hash of its text, and of the hashes of the files that it points at.
    pub(crate) hash: u64,
    /// Those files.
    pub(crate) inputs: Vec<InputFile>,
}

/// The name of a file's copy in a folder of results, beside those of earlier ones: two files of one
/// name, from two folders, have two copies.
pub(crate) fn copy_name(file: &str, earlier: &[InputFile]) -> String {
    let name =
        Path::new(file).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut copy = format!("{COPIED}{name}");
    let mut number = 2;
    while earlier.iter().any(|e| e.copy == copy) {
        copy = format!("{COPIED}{number}-{name}");
        number += 1;
    }
    copy
}

impl InputFile {
    /// Whether these are its bytes.
    pub(crate) fn is(&self, bytes: &[u8]) -> bool {
        (bytes.len(), fnv1a64(bytes)) == (self.bytes, self.hash)
    }
}

impl Fingerprint {
    /// That of a scenario's text and the files that it points at.
    pub(crate) fn of(text: &[u8], inputs: &[InputFile]) -> Self {
        let more = |hash, input: &InputFile| fnv1a64_more(hash, &input.hash.to_be_bytes());
        let hash = inputs.iter().fold(fnv1a64(text), more);
        Self { bytes: text.len(), hash, inputs: inputs.to_vec() }
    }
}

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

    /// Whether a file is listed.
    pub(crate) fn has(&self, name: &Path) -> bool {
        self.of.contains_key(name)
    }

    /// Where a file lies.
    pub(crate) fn of<'a>(&'a self, name: &'a Path) -> &'a Path {
        self.of.get(name).or(self.nowhere.as_ref()).map_or(name, PathBuf::as_path)
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn agrees_with_the_published_vectors() {
        // From the test vectors of draft-eastlake-fnv.
        assert_eq!(crate::files::fnv1a64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(crate::files::fnv1a64(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(crate::files::fnv1a64(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
