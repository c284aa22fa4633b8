//! The simulation as a module for the browser, which `extra/web/playground` is built into.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::{self, Write};

/// Its name beside the program, where a release has it.
pub(crate) const FILE: &str = "taintsim-playground.wasm";

/// What every module begins with.
const MAGIC: &[u8] = b"\0asm";

/// A module of this release.
#[derive(Debug)]
pub(crate) struct Module(Vec<u8>);

impl Module {
    /// Takes the bytes of a file.
    ///
    /// # Errors
    /// What they are instead, as the predicate of a sentence about the file.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, &'static str> {
        let own = concat!("taintsim-playground ", env!("CARGO_PKG_VERSION"), ";");
        if !bytes.starts_with(MAGIC) {
            Err("is no WebAssembly module")
        } else if !contains(&bytes, b"taintsim-playground ") {
            Err("is not taintsim's simulation for a browser")
        } else if !contains(&bytes, own.as_bytes()) {
            Err("is that of another release of taintsim")
        } else {
            Ok(Self(bytes))
        }
    }

    /// The module deflated, so that it is small from every server.
    ///
    /// # Errors
    /// None in memory.
    pub(super) fn packed(&self) -> io::Result<Vec<u8>> {
        let mut out = DeflateEncoder::new(Vec::new(), Compression::best());
        out.write_all(&self.0)?;
        out.finish()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::Module;

    #[test]
    fn only_a_module_of_this_release_is_taken() {
        let of = |text: &str| Module::new(text.as_bytes().to_vec()).map(drop);
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(of("#!/bin/sh"), Err("is no WebAssembly module"));
        assert_eq!(of("\0asm of others"), Err("is not taintsim's simulation for a browser"));
        assert_eq!(
            of(&format!("\0asm taintsim-playground {version}.1;")),
            Err("is that of another release of taintsim")
        );
        assert_eq!(of(&format!("\0asm taintsim-playground {version};")), Ok(()));
    }
}
