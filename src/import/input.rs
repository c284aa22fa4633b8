//! From files and standard input to text: gzip by its magic number, byte order marks, limits, and a
//! look at what it is.
//!
//! Everything is read into memory: an export of 10,000 pods has 70 MiB. What kubectl prints for
//! people (tables, `describe`, `-o name`, its error messages) is recognised by its first line and
//! refused with the command to use.

use super::error::ImportError;
use crate::files::fnv1a64;
use crate::files::{self, ReadError};
use std::io::Read;
use std::path::Path;

/// The most text that one file may hold, after decompression: a hundred thousand pods and some
/// room.
const LIMIT: u64 = 1024 << 20;

/// The text of one export.
#[derive(Debug)]
pub struct Input {
    /// Its name, for messages.
    pub file: String,
    /// What it says, without a byte order mark.
    pub text: String,
    /// How many bytes it was read from.
    pub bytes: usize,
    /// The hash of those bytes.
    pub hash: u64,
}

impl Input {
    /// Reads a file, or `stdin` where the path is `-`.
    ///
    /// # Errors
    /// The file cannot be read, is too large, is damaged gzip, is no text, or is not JSON or YAML
    /// at first sight.
    pub(crate) fn read(path: &str, stdin: &mut dyn Read) -> Result<Self, ImportError> {
        if path == "-" {
            Self::from_reader("standard input", stdin)
        } else {
            Self::open(Path::new(path))
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub(crate) fn open(path: &Path) -> Result<Self, ImportError> {
        Self::packed(path, path)
    }

    /// Reads a file from the place where it lies.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub(crate) fn packed(path: &Path, place: &Path) -> Result<Self, ImportError> {
        let name = path.display().to_string();
        let bytes = files::read(place, LIMIT).map_err(|e| unreadable(&name, e))?;
        Self::from_bytes(&name, bytes)
    }

    /// Reads whatever `reader` gives; `file` is its name for messages.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub(crate) fn from_reader(file: &str, reader: &mut dyn Read) -> Result<Self, ImportError> {
        Self::from_bytes(
            file,
            files::read_from(reader, LIMIT).map_err(|e| unreadable(file, e))?,
        )
    }

    /// Takes bytes, decompressed first if they are gzip; `file` is their name for messages.
    ///
    /// # Errors
    /// As `Input::read`.
    pub fn from_bytes(file: &str, bytes: Vec<u8>) -> Result<Self, ImportError> {
        Self::limited(file, bytes, LIMIT)
    }

    fn limited(file: &str, bytes: Vec<u8>, limit: u64) -> Result<Self, ImportError> {
        if bytes.len() as u64 > limit {
            return Err(unreadable(file, ReadError::TooLarge { limit }));
        }
        let (read, hash) = (bytes.len(), fnv1a64(&bytes));
        let text = files::unpack(bytes, limit)
            .and_then(files::text)
            .map_err(|e| unreadable(file, e))?;
        if let Some(error) = refuse(file, &text) {
            return Err(error);
        }
        Ok(Input {
            file: file.to_owned(),
            text,
            bytes: read,
            hash,
        })
    }
}

/// Why an export cannot be read, in the words of an export.
fn unreadable(file: &str, error: ReadError) -> ImportError {
    let file = file.to_owned();
    match error {
        ReadError::Io(source) => ImportError::Io { file, source },
        ReadError::Directory => ImportError::Directory { file },
        ReadError::Special(_) | ReadError::Elsewhere => ImportError::Io {
            file,
            source: std::io::Error::other(error),
        },
        ReadError::TooLarge { limit } | ReadError::Unpacked { limit } => ImportError::TooLarge {
            file,
            limit_mib: limit >> 20,
        },
        ReadError::Bomb => ImportError::Bomb { file },
        ReadError::Gzip(message) => ImportError::Gzip { file, message },
        ReadError::NotText { offset, .. } => ImportError::NotText { file, offset },
    }
}

/// What a text is that holds no objects at all, judged by its first line that says anything.
fn refuse(file: &str, text: &str) -> Option<ImportError> {
    let says_nothing = |l: &&str| {
        l.is_empty() || l.starts_with('#') || *l == "---" || *l == "..." || l.starts_with('%')
    };
    let Some(line) = text.lines().map(str::trim).find(|l| !says_nothing(l)) else {
        return Some(ImportError::Empty {
            file: file.to_owned(),
        });
    };
    let what = other_output(line, text)?;
    Some(ImportError::OtherOutput {
        file: file.to_owned(),
        what,
    })
}

fn other_output(line: &str, text: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_heading = |w: &str| {
        w.len() > 1
            && w.bytes()
                .all(|b| b.is_ascii_uppercase() || matches!(b, b'-' | b'(' | b')'))
    };
    let shown: String = line.chars().take(80).collect();
    if is_heading(first) && words.next().is_some_and(is_heading) {
        Some(
            "is the table that kubectl prints for people, with only a part of each object"
                .to_owned(),
        )
    } else if line.starts_with("Name:")
        && text
            .lines()
            .any(|l| l.starts_with("Labels:") || l.starts_with("Annotations:"))
    {
        Some("is what `kubectl describe` prints for people".to_owned())
    } else if line.starts_with("No resources found") {
        Some("says that kubectl found no resources".to_owned())
    } else if [
        "error:",
        "Error from server",
        "Unable to connect",
        "The connection to the server",
    ]
    .iter()
    .any(|p| line.starts_with(p))
    {
        Some(format!("holds an error message of kubectl ({shown})"))
    } else if line.starts_with("Warning:") {
        Some(format!(
            "begins with a warning of kubectl ({shown}); keep standard error out of the file"
        ))
    } else if line.starts_with("Scenario") || line.starts_with("//") {
        Some("is a scenario already, not an export".to_owned())
    } else if !line.contains([' ', ':', '{', '[', '"'])
        && line.split('/').filter(|w| !w.is_empty()).count() == 2
    {
        Some("is a list of names (`-o name`), without the objects".to_owned())
    } else if line.starts_with(['{', '[', '-', '&', '!', '"', '\'', '?'])
        || line.contains(": ")
        || line.ends_with(':')
    {
        None
    } else {
        Some(format!(
            "begins with {shown:?}, which is neither JSON nor YAML of an object"
        ))
    }
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
        Input::from_bytes("f", bytes.to_vec())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn gzip_is_known_by_its_magic_number() {
        assert_eq!(
            Input::from_bytes("f", gz(b"kind: List\n")).unwrap().text,
            "kind: List\n"
        );
        let two = [gz(b"kind: List\n"), gz(b"items: []\n")].concat();
        assert_eq!(
            Input::from_bytes("f", two).unwrap().text,
            "kind: List\nitems: []\n"
        );
    }

    #[test]
    fn damaged_gzip() {
        let whole = gz(&b"kind: List\n".repeat(1000));
        for cut in [2, 9, whole.len() / 2, whole.len() - 1] {
            assert!(
                error(&whole[..cut]).contains("cut short or damaged"),
                "{cut}"
            );
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
    fn what_kubectl_prints_for_people_is_refused() {
        for (text, words) in [
            (
                "NAME     STATUS   ROLES    AGE   VERSION\nn1       Ready    <none>   1d    v1.34.0\n",
                "is the table",
            ),
            (
                "NAMESPACE   NAME   READY\ndefault     a      1/1\n",
                "is the table",
            ),
            ("\nNAME  READY\n", "is the table"),
            (
                "Name:               n1\nRoles:              <none>\nLabels:             a=b\n",
                "kubectl describe",
            ),
            (
                "No resources found in default namespace.\n",
                "found no resources",
            ),
            (
                "error: the server doesn't have a resource type \"nods\"\n",
                "error message",
            ),
            (
                "Error from server (Forbidden): nodes is forbidden\n",
                "error message",
            ),
            (
                "The connection to the server localhost:8080 was refused - did you specify the right host or port?\n",
                "error message",
            ),
            (
                "Warning: v1 ComponentStatus is deprecated in v1.19+\napiVersion: v1\n",
                "keep standard error out",
            ),
            ("node/n1\nnode/n2\n", "list of names"),
            ("deployment.apps/web\n", "list of names"),
            (
                "n1   Ready   <none>   1d   v1.34.0\n",
                "neither JSON nor YAML",
            ),
            ("// A cluster.\nScenario(version: 1)\n", "scenario already"),
        ] {
            let e = error(text.as_bytes());
            assert!(e.contains(words), "{text:?}: {e}");
            assert!(
                e.contains("kubectl get nodes,pods,leases,deployments,")
                    && e.contains(" -A -o json"),
                "{e}"
            );
        }
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
        let read = |path: &str| Input::read(path, &mut std::io::empty()).unwrap_err();
        assert!(matches!(read("src"), ImportError::Directory { .. }));
        assert!(matches!(read("no/such/file"), ImportError::Io { .. }));
        assert!(read("-").to_string().starts_with("standard input is empty"));
    }
}
