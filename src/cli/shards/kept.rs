//! The result files of shards.
//!
//! A file is a line of JSON, which says what it is the result of, and the result, packed by gzip. It
//! is written under a temporary name and renamed when it is whole, so that a shard which is killed
//! leaves nothing that could be taken for a result.

use super::packed::{Packed, VERSION};
use crate::cli::prelude::*;
use crate::files::{fnv1a64, hash_text};
use crate::lab::{self, Keeper};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::sync::{OnceLock, PoisonError, RwLock};

/// The most bytes of one result.
const BYTES_MAX: u64 = 1 << 30;

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

/// The name of the result of a shard of a round.
fn name(round: u32, shard: u32) -> String {
    format!("round-{round}.shard-{shard}.result")
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
pub(super) struct Kept<'a> {
    packed: &'a Packed,
    folder: &'a Path,
    /// What the shard that is done here found: round, shard, pieces, and the result itself.
    new: OnceLock<(u32, u32, u64, Vec<u8>)>,
    /// What is whole, and of no use: round and shard.
    refused: RwLock<BTreeSet<(u32, u32)>>,
}

impl<'a> Kept<'a> {
    pub(super) fn new(packed: &'a Packed, folder: &'a Path) -> Self {
        Self { packed, folder, new: OnceLock::new(), refused: RwLock::default() }
    }

    /// Where the result of a shard of a round is.
    pub(super) fn place(&self, round: u32, shard: u32) -> PathBuf {
        self.folder.join(name(round, shard))
    }

    /// How the result of a shard of a round is.
    pub(super) fn state(&self, round: u32, shard: u32) -> State {
        let found = files::within(self.folder, &name(round, shard));
        match found.and_then(|place| files::read(&place, BYTES_MAX)) {
            Ok(_) if self.is_refused(round, shard) => {
                State::Damaged("what it says cannot be what a shard found".to_owned())
            }
            Ok(bytes) => self.read(&bytes, round, shard).map_or_else(State::Damaged, State::Whole),
            Err(files::ReadError::Io(e)) if e.kind() == io::ErrorKind::NotFound => State::Missing,
            Err(error) => State::Damaged(error.to_string()),
        }
    }

    fn is_refused(&self, round: u32, shard: u32) -> bool {
        let refused = self.refused.read();
        refused.is_ok_and(|refused| refused.contains(&(round, shard)))
    }

    fn read(&self, bytes: &[u8], round: u32, shard: u32) -> Result<Vec<u8>, String> {
        let no_result = || "it is no result of a shard".to_owned();
        let line = bytes.iter().position(|b| *b == b'\n').ok_or_else(no_result)?;
        let (head, body) = (&bytes[..line], &bytes[line + 1..]);
        let head: Head = serde_json::from_slice(head).map_err(|_| no_result())?;
        if (head.taintsim.as_str(), head.version) != (env!("CARGO_PKG_VERSION"), VERSION) {
            return Err(format!("taintsim {} made it", head.taintsim));
        }
        if (&head.plan, head.of) != (&self.packed.hash, self.packed.shards) {
            return Err("it is of another work plan: other inputs, or another command".to_owned());
        }
        if (head.round, head.shard) != (round, shard) {
            return Err(format!("it is of shard {} in round {}", head.shard, head.round));
        }
        let damaged = || "it is cut short, or damaged".to_owned();
        if (body.len() as u64, hash_text(fnv1a64(body))) != (head.bytes, head.hash) {
            return Err(damaged());
        }
        files::unpack(body.to_vec(), BYTES_MAX).map_err(|_| damaged())
    }

    /// Writes what the shard that is done here found; gives the file, and how many pieces it is of.
    pub(super) fn write(&self) -> Result<Option<(PathBuf, u64)>, crate::cli::failure::Failure> {
        let Some((round, shard, pieces, result)) = self.new.get() else { return Ok(None) };
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
            hash: hash_text(fnv1a64(&body)),
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
        let State::Whole(result) = self.state(round, shard) else { return None };
        Some(result)
    }

    fn keep(&self, round: u32, shard: u32, pieces: u64, result: Vec<u8>) {
        // A shard does one round in a call.
        let _ = self.new.set((round, shard, pieces, result));
    }

    fn refuse(&self, round: u32, shard: u32) {
        let refused = self.refused.write();
        (refused.unwrap_or_else(PoisonError::into_inner)).insert((round, shard));
    }
}

/// Reads a result that is of shard 0 of 2 of no plan, and if its first line is right, what is behind
/// it as that of a sweep, packed or not.
///
/// # Errors
/// What is wrong with it.
pub fn result(bytes: &[u8]) -> Result<u64, String> {
    let packed = Packed::default();
    let whole = Kept::new(&packed, Path::new("")).read(bytes, 0, 0);
    let line = bytes.iter().position(|b| *b == b'\n').map_or(0, |i| i + 1);
    let body = match whole {
        Ok(body) => body,
        // A right checksum is easily made, and chance makes none.
        Err(_) => files::unpack(bytes[line..].to_vec(), BYTES_MAX).map_err(|e| e.to_string())?,
    };
    lab::pieces_of(&body).map_or_else(|| Err("it holds no runs".to_owned()), Ok)
}
