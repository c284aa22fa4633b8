//! The result files of shards.
//!
//! A file is a line of JSON, which says what it is the result of, and the result, packed by gzip. It
//! is written under a temporary name and renamed when it is whole, so that a shard which is killed
//! leaves nothing that could be taken for a result.

use super::packed::{Packed, VERSION, hash};
use crate::cli::file::write_whole;
use crate::files::{self, fnv1a64};
use crate::lab::Keeper;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The most bytes of one result.
const BYTES_MAX: u64 = 4 << 30;

/// What a result file says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
struct Head {
    taintsim: String,
    version: u32,
    plan: String,
    round: u32,
    shard: u32,
    of: u32,
    pieces: u64,
    bytes: u64,
    hash: String,
}

/// How a shard's result file is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// It is whole.
    Whole(Vec<u8>),
    /// It is not there.
    Missing,
    /// Something is wrong with it.
    Damaged(String),
}

/// The result files of a plan, in their folder.
#[derive(Debug)]
pub(super) struct Kept<'a> {
    packed: &'a Packed,
    folder: &'a Path,
    /// What the shard that is done here found: round, shard, pieces, and the result itself.
    new: OnceLock<(u32, u32, u64, Vec<u8>)>,
}

impl<'a> Kept<'a> {
    pub(super) fn new(packed: &'a Packed, folder: &'a Path) -> Self {
        Self {
            packed,
            folder,
            new: OnceLock::new(),
        }
    }

    /// Where the result of a shard of a round is.
    pub(super) fn place(&self, round: u32, shard: u32) -> PathBuf {
        self.folder
            .join(format!("round-{round}.shard-{shard}.result"))
    }

    /// How the result of a shard of a round is.
    pub(super) fn state(&self, round: u32, shard: u32) -> State {
        match files::read(&self.place(round, shard), BYTES_MAX) {
            Ok(bytes) => self
                .read(&bytes, round, shard)
                .map_or_else(State::Damaged, State::Whole),
            Err(files::ReadError::Io(e)) if e.kind() == io::ErrorKind::NotFound => State::Missing,
            Err(error) => State::Damaged(error.to_string()),
        }
    }

    fn read(&self, bytes: &[u8], round: u32, shard: u32) -> Result<Vec<u8>, String> {
        let no_result = || "it is no result of a shard".to_owned();
        let line = bytes
            .iter()
            .position(|b| *b == b'\n')
            .ok_or_else(no_result)?;
        let (head, body) = (&bytes[..line], &bytes[line + 1..]);
        let head: Head = serde_json::from_slice(head).map_err(|_| no_result())?;
        if (head.taintsim.as_str(), head.version) != (env!("CARGO_PKG_VERSION"), VERSION) {
            return Err(format!("taintsim {} made it", head.taintsim));
        }
        if (&head.plan, head.of) != (&self.packed.hash, self.packed.shards) {
            return Err("it is of another work plan: other inputs, or another command".to_owned());
        }
        if (head.round, head.shard) != (round, shard) {
            return Err(format!(
                "it is of shard {} in round {}",
                head.shard, head.round
            ));
        }
        let damaged = || "it is cut short, or damaged".to_owned();
        if (body.len() as u64, hash(fnv1a64(body))) != (head.bytes, head.hash) {
            return Err(damaged());
        }
        files::unpack(body.to_vec(), BYTES_MAX).map_err(|_| damaged())
    }

    /// Writes what the shard that is done here found; gives the file, and how many pieces it is of.
    pub(super) fn write(&self) -> Result<Option<(PathBuf, u64)>, crate::cli::failure::Failure> {
        let Some((round, shard, pieces, result)) = self.new.get() else {
            return Ok(None);
        };
        let body = packed(result)?;
        let head = Head {
            taintsim: env!("CARGO_PKG_VERSION").to_owned(),
            version: VERSION,
            plan: self.packed.hash.clone(),
            round: *round,
            shard: *shard,
            of: self.packed.shards,
            pieces: *pieces,
            bytes: body.len() as u64,
            hash: hash(fnv1a64(&body)),
        };
        let mut bytes = serde_json::to_vec(&head).map_err(io::Error::from)?;
        bytes.push(b'\n');
        bytes.extend(body);
        let place = self.place(*round, *shard);
        write_whole(&place, &bytes)?;
        Ok(Some((place, *pieces)))
    }
}

fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes)?;
    out.finish()
}

impl Keeper for Kept<'_> {
    fn result(&self, round: u32, shard: u32) -> Option<Vec<u8>> {
        match self.state(round, shard) {
            State::Whole(result) => Some(result),
            State::Missing | State::Damaged(_) => None,
        }
    }

    fn keep(&self, round: u32, shard: u32, pieces: u64, result: Vec<u8>) {
        // A shard does one round in a call.
        let _ = self.new.set((round, shard, pieces, result));
    }
}
