//! The files that a command reads: from where they lie, or as they were packed with a work plan.

use crate::cli::run::stdin;
use crate::files::Places;
use crate::language::Problems;
use crate::scenario::{self, Loaded};
use std::cell::RefCell;
use std::path::Path;

/// The files that a command is given.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    places: Places,
    is_packed: bool,
    /// What was read, by the names on the command line, for whoever packs it.
    read: RefCell<Vec<(String, Vec<u8>)>>,
}

impl Inputs {
    /// Those of a work plan.
    pub(super) fn packed(places: Places) -> Self {
        Self {
            places,
            is_packed: true,
            read: RefCell::default(),
        }
    }

    /// Whether they are those of a work plan: it was seen to that they are there.
    pub(crate) fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// Where files lie.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// The bytes of a file, or of standard input where it is `-`.
    pub(crate) fn read(&self, file: &Path) -> Result<Vec<u8>, Problems> {
        let bytes = if file.as_os_str() == "-" && !self.is_packed {
            stdin()?
        } else {
            scenario::read(self.places.of(file))?
        };
        let name = file.display().to_string();
        self.read.borrow_mut().push((name, bytes.clone()));
        Ok(bytes)
    }

    /// A scenario, from standard input where the file is `-`.
    pub(crate) fn load(&self, file: &Path) -> Result<Loaded, Problems> {
        let bytes = self.read(file)?;
        if file.as_os_str() == "-" {
            return scenario::parse_packed("<stdin>", bytes, Path::new(""), &self.places);
        }
        scenario::parse_packed_file(file, bytes, &self.places)
    }

    /// What was read so far, by the names on the command line.
    pub(super) fn what_was_read(&self) -> Vec<(String, Vec<u8>)> {
        self.read.borrow().clone()
    }
}
