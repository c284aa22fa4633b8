//! Files of a folder that are packed where they would be large.
//!
//! Packed are blocks, each for itself and on other threads while what follows is written, and each
//! is a member of gzip of its own: whatever reads gzip reads members one after the other. The blocks
//! depend on what is written alone, so that the same content gives the same bytes.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, TryRecvError};

/// What the name of a packed file ends in.
pub(crate) const PACKED: &str = ".gz";

/// A file of more bytes than this is packed, unless something else was asked for.
const PLAIN_MAX: usize = 16 << 20;

/// As [`PLAIN_MAX`], of a document.
const DOCUMENT_MAX: usize = 1 << 20;

/// The bytes of a block; what is packed becomes no smaller with larger ones.
const BLOCK: usize = 1 << 20;

/// How many blocks are packed, or wait for it, at once.
const BLOCKS: usize = 16;

/// How hard it is tried: a run is waited for, and twice the time saves a tenth.
const LEVEL: u32 = 3;

/// When files are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// Those of more than that many bytes.
    Beyond(usize),
    /// None.
    Never,
    /// All.
    Always,
}

impl Default for Packing {
    fn default() -> Self {
        Self::Beyond(PLAIN_MAX)
    }
}

impl Packing {
    /// The same, but for what is opened whole, and by people, too, and is large sooner.
    pub(crate) fn of_a_document(self) -> Self {
        match self {
            Self::Beyond(_) => Self::Beyond(DOCUMENT_MAX),
            asked => asked,
        }
    }
}

/// A file that may turn out to be large.
pub(crate) struct LargeFile<'a> {
    folder: &'a Path,
    name: &'a str,
    state: State,
}

enum State {
    /// All that there is of it, while it is no more than so many bytes.
    Held(Vec<u8>, usize),
    Plain(BufWriter<File>),
    Packed(Packed),
}

/// A file that is packed.
struct Packed {
    file: File,
    /// What is not packed yet: less than a block.
    rest: Vec<u8>,
    /// Blocks that are being packed, in their order.
    ahead: VecDeque<Receiver<io::Result<Vec<u8>>>>,
    is_empty: bool,
}

impl<'a> LargeFile<'a> {
    /// Begins the file `name` of a folder; packed, its name ends in [`PACKED`].
    ///
    /// # Errors
    /// It cannot be created.
    pub(crate) fn create(folder: &'a Path, name: &'a str, packing: Packing) -> io::Result<Self> {
        let mut file = LargeFile { folder, name, state: State::Held(Vec::new(), 0) };
        match packing {
            Packing::Beyond(most) => file.state = State::Held(Vec::new(), most),
            Packing::Never => file.state = file.plain()?,
            Packing::Always => file.state = file.packed(Vec::new())?,
        }
        Ok(file)
    }

    fn plain(&self) -> io::Result<State> {
        let file = File::create_new(self.folder.join(self.name))?;
        Ok(State::Plain(BufWriter::with_capacity(1 << 16, file)))
    }

    fn packed(&self, held: Vec<u8>) -> io::Result<State> {
        let name = format!("{}{PACKED}", self.name);
        let file = File::create_new(self.folder.join(name))?;
        let mut packed = Packed { file, rest: Vec::new(), ahead: VecDeque::new(), is_empty: true };
        packed.add(&held)?;
        Ok(State::Packed(packed))
    }

    /// Writes what is left; the file's name, and its size in bytes.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn finish(mut self) -> io::Result<(String, u64)> {
        if let State::Held(held, _) = &mut self.state {
            let held = std::mem::take(held);
            self.state = self.plain()?;
            self.write_all(&held)?;
        }
        match self.state {
            State::Plain(out) => {
                let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                Ok((self.name.to_owned(), file.metadata()?.len()))
            }
            State::Packed(packed) => {
                let file = packed.finish()?;
                Ok((format!("{}{PACKED}", self.name), file.metadata()?.len()))
            }
            State::Held(..) => Ok((self.name.to_owned(), 0)),
        }
    }
}

impl Packed {
    /// Adds to what is there. Only whole blocks are packed, so that where they end does not depend
    /// on how they came.
    fn add(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while self.rest.len() + bytes.len() >= BLOCK {
            let (now, later) = bytes.split_at(BLOCK - self.rest.len());
            self.rest.extend_from_slice(now);
            self.pack()?;
            bytes = later;
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    /// Has what is there packed.
    fn pack(&mut self) -> io::Result<()> {
        let block = std::mem::replace(&mut self.rest, Vec::with_capacity(BLOCK));
        let (done, member) = mpsc::channel();
        self.ahead.push_back(member);
        self.is_empty = false;
        rayon::spawn(move || {
            let mut member = GzEncoder::new(Vec::new(), Compression::new(LEVEL));
            let packed = member.write_all(&block).and_then(|()| member.finish());
            // Nobody waits for it where something else went wrong.
            let _ = done.send(packed);
        });
        while self.ahead.len() > BLOCKS {
            self.write_first()?;
        }
        Ok(())
    }

    /// Writes the first of the blocks that are being packed.
    fn write_first(&mut self) -> io::Result<()> {
        let Some(first) = self.ahead.pop_front() else { return Ok(()) };
        let member = loop {
            // Who is to pack it must not wait for it.
            let waits = rayon::current_thread_index().is_none();
            let came = if waits { first.recv().map_err(Into::into) } else { first.try_recv() };
            match came {
                Ok(member) => break member?,
                Err(TryRecvError::Empty) => _ = rayon::yield_now(),
                Err(TryRecvError::Disconnected) => {
                    return Err(io::Error::other("it could not be packed"));
                }
            }
        };
        self.file.write_all(&member)
    }

    /// Writes what is left. A file without content has a member, too.
    fn finish(mut self) -> io::Result<File> {
        if self.is_empty || !self.rest.is_empty() {
            self.pack()?;
        }
        while !self.ahead.is_empty() {
            self.write_first()?;
        }
        Ok(self.file)
    }
}

impl Write for LargeFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let State::Held(held, most) = &mut self.state
            && held.len() + bytes.len() > *most
        {
            let held = std::mem::take(held);
            self.state = self.packed(held)?;
        }
        match &mut self.state {
            State::Held(held, _) => held.extend_from_slice(bytes),
            State::Plain(out) => out.write_all(bytes)?,
            State::Packed(packed) => packed.add(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{read, unpack};

    /// What a file of so many bytes, written so many at a time, becomes: its name and its bytes.
    fn written(test: &str, bytes: &[u8], at_a_time: usize, packing: Packing) -> (String, Vec<u8>) {
        let folder = std::env::temp_dir().join(format!("taintsim-{}-{test}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).expect("a folder");
        let mut file = LargeFile::create(&folder, "a.csv", packing).expect("can be created");
        for part in bytes.chunks(at_a_time) {
            file.write_all(part).expect("can be written");
        }
        let (name, size) = file.finish().expect("can be ended");
        let bytes = read(&folder.join(&name), u64::MAX).expect("it is there");
        assert_eq!(size, bytes.len() as u64);
        std::fs::remove_dir_all(&folder).expect("it is there");
        (name, bytes)
    }

    #[test]
    fn what_is_too_large_is_packed_and_comes_back() {
        let lines: Vec<u8> = (0..8_000_000_u32)
            .flat_map(|n| format!("{}\n", n % 977).into_bytes())
            .take(PLAIN_MAX + 3 * BLOCK / 2)
            .collect();
        let plain = |bytes, packing| {
            let (name, bytes) = written("plain", bytes, 1 << 16, packing);
            assert_eq!(name, "a.csv");
            bytes
        };
        // So many bytes are the last that are left as they are.
        assert!(plain(&lines[..PLAIN_MAX], Packing::default()) == lines[..PLAIN_MAX]);
        assert!(plain(&lines, Packing::Never) == lines);
        let (name, packed) = written("large", &lines, 1 << 16, Packing::default());
        assert_eq!(name, "a.csv.gz");
        assert!(unpack(packed.clone(), u64::MAX).expect("it is gzip") == lines);
        let document = Packing::default().of_a_document();
        assert!(plain(&lines[..DOCUMENT_MAX], document) == lines[..DOCUMENT_MAX]);
        let (name, _) = written("document", &lines[..=DOCUMENT_MAX], 1 << 16, document);
        assert_eq!(name, "a.csv.gz");
        assert!(plain(&lines, Packing::Never.of_a_document()) == lines);
        // However it was written.
        assert!(written("all", &lines, 999_983, Packing::Always).1 == packed);
    }

    #[test]
    fn nothing_is_something_to_unpack() {
        let (name, packed) = written("nothing", b"", 1, Packing::Always);
        assert_eq!(name, "a.csv.gz");
        assert_eq!(unpack(packed, 10).expect("it is gzip"), b"");
        assert_eq!(written("none", b"", 1, Packing::default()).1, b"");
    }
}
