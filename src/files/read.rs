//! Readers with a bound: files and streams, packed and unpacked, whatever their encoding.
//!
//! A FIFO, a socket or a device that somebody left in the place of a file is refused by name, as
//! opening one may wait for ever; those that the system gives a process, as `/dev/stdin` and what a
//! shell makes of `<(…)`, are read. A bound is checked before the bytes are there where the system knows how many there are, and one
//! byte beyond it otherwise, so that an endless device costs no more than the largest honest file.
//!
//! What stands in the place of a file, and is none.

use flate2::bufread::MultiGzDecoder;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

/// How many bytes may come out of one. Text of clusters is packed to a tenth or a fiftieth of its
/// size; only a bomb gives more, about a thousand.
const RATIO_MAX: u64 = 200;

/// This many bytes may come out of any gzip, however small it is.
const UNPACKED_ANYWAY: u64 = 64 << 20;

/// This many bytes are unpacked between two checks of the bounds.
const STEP: u64 = 1 << 20;

/// Why something cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system says why.
    #[error("{}", said(.0))]
    Io(#[from] io::Error),
    /// It is a directory.
    #[error("it is a directory")]
    Directory,
    /// It is neither a file nor a directory: a FIFO, a socket, a device.
    #[error("it is {0}, and no plain file")]
    Special(&'static str),
    /// It lies elsewhere than in the folder that it belongs to.
    #[error("it is no plain file of that folder")]
    Elsewhere,
    /// There are more bytes than the bound.
    #[error("it is larger than {}, the limit", size(*.limit))]
    TooLarge {
        /// The bound in bytes.
        limit: u64,
    },
    /// More comes out of gzip than the bound.
    #[error("it holds more than {} once unpacked, the limit", size(*.limit))]
    Unpacked {
        /// The bound in bytes.
        limit: u64,
    },
    /// Far more comes out of gzip than went in.
    #[error("it is a gzip bomb: more than {RATIO_MAX} times its size once unpacked, the limit")]
    Bomb,
    /// The gzip data is cut short or broken.
    #[error("gzip data is cut short or damaged: {0}")]
    Gzip(String),
    /// What comes out of gzip is gzip.
    #[error("it is gzip within gzip: unpack it once")]
    Twice,
    /// Neither UTF-8 nor UTF-16 with a byte order mark.
    #[error("it is not text in UTF-8: byte {offset}, in line {line}, cannot be decoded")]
    NotText {
        /// Offset of the first bad byte.
        offset: usize,
        /// Its line, from 1.
        line: usize,
    },
}

/// What the system says, in the words of a message of ours and without the number of its error.
pub(crate) fn said(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return "there is no such file or folder".to_owned();
    }
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

/// The same of a path, which may be a link to nothing.
pub(crate) fn said_of(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => "it is a link to nothing".to_owned(),
        _ => said(error),
    }
}

/// How many files of a folder are compared with a misspelt name.
const COMPARED_MAX: usize = 10_000;

/// What there is beside a path, sorted, without its own name: a link to nothing is there, and is not what was meant.
pub(crate) fn beside(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(COMPARED_MAX);
    let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.retain(|other| path.file_name().is_none_or(|own| own != other.as_str()));
    names.sort();
    names
}

/// A number of bytes, as large as one says it.
fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// The bytes of a file, at most `limit` of them.
///
/// # Errors
/// [`ReadError::Io`], [`ReadError::Directory`], [`ReadError::Special`], [`ReadError::TooLarge`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = if is_of_system(path) { File::open(path)? } else { open_plain(path, true)? };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(ReadError::Directory);
    }
    if metadata.is_file() && metadata.len() > limit {
        return Err(ReadError::TooLarge { limit });
    }
    read_from(file, limit)
}

/// The first bytes of a file that is no link, as many as there are of `most`.
///
/// # Errors
/// [`ReadError::Io`], [`ReadError::Special`].
pub fn beginning(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let file = open_plain(path, false)?;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The last bytes of a file that is no link, as many as there are of `most`.
///
/// # Errors
/// [`ReadError::Io`], [`ReadError::Special`]; it grows meanwhile.
pub(crate) fn ending(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let mut file = open_plain(path, false)?;
    file.seek(SeekFrom::Start(file.metadata()?.len().saturating_sub(most)))?;
    read_from(file, most)
}

/// Where the file of that name lies which belongs to a folder, for [`read()`]. A link is followed as
/// long as it stays in the folder: a volume of Kubernetes is made of such links.
///
/// # Errors
/// [`ReadError::Io`]; [`ReadError::Elsewhere`] if the name is more than a name, or leads out of the
/// folder.
pub fn within(folder: &Path, name: &str) -> Result<PathBuf, ReadError> {
    let mut parts = Path::new(name).components();
    let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else {
        return Err(ReadError::Elsewhere);
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let place = fs::canonicalize(folder.join(name))?;
    if place.starts_with(fs::canonicalize(folder)?) { Ok(place) } else { Err(ReadError::Elsewhere) }
}

/// Opens a file or a directory for reading, and nothing that opening could wait for.
pub(super) fn open_plain(path: &Path, follow: bool) -> Result<File, ReadError> {
    let found = if follow { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
    if let Some(what) = special(found.file_type()) {
        return Err(ReadError::Special(what));
    }
    let file = open_at_once(path, follow)?;
    // Something else may have got the name since.
    match special(file.metadata()?.file_type()) {
        Some(what) => Err(ReadError::Special(what)),
        None => Ok(file),
    }
}

/// Opens without waiting for whoever writes to a FIFO.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn open_at_once(path: &Path, follow: bool) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let mut flags = OFlags::NONBLOCK;
    if !follow {
        flags |= OFlags::NOFOLLOW;
    }
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn open_at_once(path: &Path, _: bool) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// How many readers are reading.
static READING: AtomicU32 = AtomicU32::new(0);

/// Whether something is being read, which may take for ever and looks at nothing else meanwhile.
pub(crate) fn is_reading() -> bool {
    READING.load(SeqCst) > 0
}

/// The bytes that a reader gives, at most `limit` of them.
///
/// # Errors
/// [`ReadError::Io`], [`ReadError::TooLarge`].
pub(crate) fn read_from(reader: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    READING.fetch_add(1, SeqCst);
    let read = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    READING.fetch_sub(1, SeqCst);
    read?;
    if bytes.len() as u64 > limit { Err(ReadError::TooLarge { limit }) } else { Ok(bytes) }
}

/// Whether bytes begin as gzip does (RFC 1952, 2.3.1).
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// The bytes themselves, or what is packed in them if they are gzip, at most `limit` of it.
///
/// # Errors
/// [`ReadError::Gzip`], [`ReadError::Twice`], [`ReadError::Unpacked`], [`ReadError::Bomb`].
pub fn unpack(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, ReadError> {
    if !is_gzip(&bytes) {
        return Ok(bytes);
    }
    let mut decoder = MultiGzDecoder::new(bytes.as_slice());
    let mut plain = Vec::new();
    loop {
        let before = plain.len();
        let read = decoder.by_ref().take(STEP).read_to_end(&mut plain);
        read.map_err(|e| ReadError::Gzip(e.to_string()))?;
        let packed = (bytes.len() - decoder.get_ref().len()) as u64;
        let unpacked = plain.len() as u64;
        if unpacked > limit {
            return Err(ReadError::Unpacked { limit });
        }
        if unpacked > UNPACKED_ANYWAY && unpacked / RATIO_MAX > packed {
            return Err(ReadError::Bomb);
        }
        if plain.len() == before {
            return if is_gzip(&plain) { Err(ReadError::Twice) } else { Ok(plain) };
        }
    }
}

/// The text of some bytes, without a byte order mark: UTF-8, or UTF-16 with a mark, which is what
/// `>` writes in Windows PowerShell.
///
/// # Errors
/// [`ReadError::NotText`].
pub fn text(bytes: Vec<u8>) -> Result<String, ReadError> {
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => {
            let mut text = String::from_utf8(bytes).map_err(|e| {
                let offset = e.utf8_error().valid_up_to();
                let line = e.as_bytes()[..offset].iter().filter(|&&b| b == b'\n').count() + 1;
                ReadError::NotText { offset, line }
            })?;
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            Ok(text)
        }
    }
}

/// As [`text`], with a mark in the place of what cannot be decoded.
pub(crate) fn text_anyway(bytes: &[u8]) -> String {
    let from: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            return String::from_utf8_lossy(bytes).into_owned();
        }
    };
    let all = char::decode_utf16(units(&bytes[2..], from));
    all.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn units(bytes: &[u8], from: fn([u8; 2]) -> u16) -> impl Iterator<Item = u16> {
    bytes.chunks(2).map(move |c| from([c[0], c.get(1).copied().unwrap_or(0)]))
}

/// The text of UTF-16 behind its mark.
fn wide(bytes: &[u8], from: fn([u8; 2]) -> u16) -> Result<String, ReadError> {
    let (mut text, mut offset) = (String::with_capacity(bytes.len() / 2), 2);
    for c in char::decode_utf16(units(bytes, from)) {
        let line = || text.bytes().filter(|&b| b == b'\n').count() + 1;
        let c = c.map_err(|_| ReadError::NotText { offset, line: line() })?;
        offset += 2 * c.len_utf16();
        text.push(c);
    }
    Ok(text)
}

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
    let Ok(rest) = path.strip_prefix("/dev") else { return path.starts_with("/proc") };
    rest.starts_with("fd") || rest.components().count() == 1
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

    #[test]
    fn a_bound_is_the_last_that_is_read() {
        assert_eq!(read_from(&b"four"[..], 4).unwrap(), b"four");
        assert_eq!(
            read_from(&b"fives"[..], 4).unwrap_err().to_string(),
            "it is larger than 4 bytes, the limit"
        );
        assert!(matches!(
            read_from(io::repeat(0), 1 << 20),
            Err(ReadError::TooLarge { limit: 0x10_0000 })
        ));
        assert!(matches!(read(Path::new("src"), 10), Err(ReadError::Directory)));
        assert!(matches!(read(Path::new("Cargo.toml"), 10), Err(ReadError::TooLarge { .. })));
    }

    #[test]
    fn what_is_packed_is_bounded_as_well() {
        assert_eq!(unpack(gz(b"text"), 4).unwrap(), b"text");
        let said = unpack(gz(b"more text"), 4).unwrap_err().to_string();
        assert_eq!(said, "it holds more than 4 bytes once unpacked, the limit");
        // 66 MiB of blanks are some 66 KiB of gzip, a thousandth: more than text is packed,
        // whatever the limit.
        let bomb = gz(&vec![b' '; 66 << 20]);
        assert!(matches!(unpack(bomb, 1 << 40), Err(ReadError::Bomb)));
        assert!(matches!(unpack(vec![0x1f, 0x8b, 8], 10), Err(ReadError::Gzip(_))));
        assert!(matches!(unpack(gz(&gz(b"text")), 1 << 10), Err(ReadError::Twice)));
    }

    #[test]
    fn marks_and_wide_texts() {
        let said = "kind: Ü\n";
        let le: Vec<u8> = [0xff, 0xfe]
            .into_iter()
            .chain(said.encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        let be: Vec<u8> = [0xfe, 0xff]
            .into_iter()
            .chain(said.encode_utf16().flat_map(u16::to_be_bytes))
            .collect();
        for bytes in [le, be, [b"\xef\xbb\xbf", said.as_bytes()].concat(), said.as_bytes().to_vec()]
        {
            assert_eq!(text_anyway(&bytes), said);
            assert_eq!(text(bytes).unwrap(), said);
        }
        assert_eq!(text_anyway(&[0xff, 0xfe, 0x6b, 0, 0, 0xd8, 0x6b, 0]), "k\u{fffd}k");
        assert_eq!(text_anyway(b"\xef\xbb\xbfk\xffk"), "k\u{fffd}k");
        let error = |bytes: &[u8]| text(bytes.to_vec()).unwrap_err().to_string();
        assert_eq!(
            error(b"a\nb: \xff\n"),
            "it is not text in UTF-8: byte 5, in line 2, cannot be decoded"
        );
        assert!(
            error(&[0xff, 0xfe, 0x6b, 0, 0, 0xd8]).contains("byte 4, in line 1,"),
            "half a surrogate pair"
        );
    }

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
