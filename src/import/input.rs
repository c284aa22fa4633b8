//! From files and standard input to text: gzip by its magic number, byte order marks, limits, and a
//! look at what it is.
//!
//! Everything is read into memory: an export of 10,000 pods has 70 MiB.

use super::error::{ImportError, KUBECTL};
use super::sight::refuse;
use crate::files::{self, ReadError, fnv1a64};
use std::path::Path;

/// The most text that one file may hold, after decompression: a hundred thousand pods and some
/// room.
pub(crate) const LIMIT: u64 = 1024 << 20;

/// The text of one export.
#[derive(Debug)]
pub struct Input {
    /// Its name, for messages.
    pub(crate) file: String,
    /// What it says, without a byte order mark.
    pub(crate) text: String,
    /// How many bytes it was read from.
    pub(crate) bytes: usize,
    /// The hash of those bytes.
    pub(crate) hash: u64,
}

impl Input {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, is too large, is damaged gzip, is no text, or is not JSON or YAML
    /// at first sight.
    pub(crate) fn open(path: &Path) -> Result<Self, ImportError> {
        Self::packed(path, path)
    }

    /// Reads a file from the place where it lies.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub(crate) fn packed(path: &Path, place: &Path) -> Result<Self, ImportError> {
        let name = path.display().to_string();
        let bytes = files::read(place, LIMIT).map_err(|e| unreadable(&name, e))?;
        Self::from_bytes(&name, bytes)
    }

    /// Takes bytes, decompressed first if they are gzip; `file` is their name for messages.
    ///
    /// # Errors
    /// As `Input::open`.
    pub fn from_bytes(file: &str, bytes: Vec<u8>) -> Result<Self, ImportError> {
        Self::limited(file, bytes, LIMIT)
    }

    fn limited(file: &str, bytes: Vec<u8>, limit: u64) -> Result<Self, ImportError> {
        if bytes.len() as u64 > limit {
            return Err(unreadable(file, ReadError::TooLarge { limit }));
        }
        let (read, hash) = (bytes.len(), fnv1a64(&bytes));
        let text =
            files::unpack(bytes, limit).and_then(files::text).map_err(|e| unreadable(file, e))?;
        if let Some(error) = refuse(file, &text) {
            return Err(error);
        }
        Ok(Input { file: file.to_owned(), text, bytes: read, hash })
    }
}

/// Why an export cannot be read, in the words of an export.
fn unreadable(file: &str, error: ReadError) -> ImportError {
    let why = match error {
        ReadError::Directory => " is a directory; name the files in it".to_owned(),
        ReadError::TooLarge { limit } | ReadError::Unpacked { limit } => format!(
            " holds more than {} MiB of text; split the export (by namespace, say) or leave out what is not nodes and pods",
            limit >> 20
        ),
        ReadError::NotText { offset, .. } => format!(
            " is not text in UTF-8: byte {offset} cannot be decoded; give the output of `{KUBECTL}` as it is"
        ),
        error => format!(": {error}"),
    };
    ImportError::Wrong(format!("{file}{why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut e = GzEncoder::new(Vec::new(), Compression::default());
        e.write_all(bytes).unwrap();
        e.finish().unwrap()
    }

    fn error(bytes: &[u8]) -> String {
        Input::from_bytes("f", bytes.to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn gzip_is_known_by_its_magic_number() {
        assert_eq!(Input::from_bytes("f", gz(b"kind: List\n")).unwrap().text, "kind: List\n");
        let two = [gz(b"kind: List\n"), gz(b"items: []\n")].concat();
        assert_eq!(Input::from_bytes("f", two).unwrap().text, "kind: List\nitems: []\n");
    }

    #[test]
    fn damaged_gzip() {
        let whole = gz(&b"kind: List\n".repeat(1000));
        for cut in [2, 9, whole.len() / 2, whole.len() - 1] {
            assert!(error(&whole[..cut]).contains("cut short or damaged"), "{cut}");
        }
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 1;
        assert!(error(&flipped).contains("cut short or damaged"));
    }

    #[test]
    fn a_gzip_bomb_stops_at_the_limit() {
        let bomb = gz(&vec![b' '; 4 << 20]);
        let e = Input::limited("f", bomb, 1 << 20).unwrap_err().to_string();
        assert!(e.starts_with("f holds more than 1 MiB of text"), "{e}");
    }

    #[test]
    fn encodings() {
        let text = "kind: Ü\n";
        let le: Vec<u8> = [0xff, 0xfe]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        let be: Vec<u8> = [0xfe, 0xff]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
            .collect();
        let bom = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        for bytes in [le, be, bom] {
            assert_eq!(Input::from_bytes("f", bytes).unwrap().text, text);
        }
        assert!(error(b"kind: \xff\n").contains("byte 6 cannot be decoded"));
        assert!(
            error(&[0xff, 0xfe, 0x6b, 0, 0, 0xd8]).contains("byte 4 cannot be decoded"),
            "half a surrogate pair"
        );
        assert!(
            error(&[0xff, 0xfe, 0x6b]).contains("neither JSON nor YAML"),
            "half a unit, decoded as k"
        );
    }

    #[test]
    fn nothing_at_all() {
        for text in ["", "  \n\t\n", "# only a comment\n---\n...\n", "\u{feff}"] {
            assert!(error(text.as_bytes()).starts_with("f is empty"), "{text:?}");
        }
        assert!(error(&gz(b"")).starts_with("f is empty"));
    }

    #[test]
    fn what_cannot_be_read() {
        let read = |path: &str| Input::open(Path::new(path)).unwrap_err();
        assert_eq!(read("src").to_string(), "src is a directory; name the files in it");
        assert_eq!(
            read("no/such/file").to_string(),
            "no/such/file: there is no such file or folder"
        );
    }
}
