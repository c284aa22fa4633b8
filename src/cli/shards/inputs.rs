//! The files that a command reads: from where they lie, or as they were packed with a work plan, or
//! texts that a program gives under a name.

use crate::cli::run::stdin;
use crate::files::Places;
use crate::language::Problems;
use crate::scenario::{self, Loaded};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// The files that a command is given.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    places: Places,
    is_packed: bool,
    /// What stands for files, by their names on the command line.
    texts: BTreeMap<String, Vec<u8>>,
    /// What was read, by the names on the command line, for whoever packs it.
    read: RefCell<Vec<(String, Vec<u8>)>>,
}

impl Inputs {
    /// Those of a work plan.
    pub(super) fn packed(places: Places) -> Self {
        Self { places, is_packed: true, texts: BTreeMap::new(), read: RefCell::default() }
    }

    /// Files from where they lie, but for these texts.
    pub(crate) fn with_texts(texts: BTreeMap<String, Vec<u8>>) -> Self {
        Self { texts, ..Self::default() }
    }

    /// The text that stands for a file.
    pub(crate) fn text_of(&self, file: &Path) -> Option<&[u8]> {
        self.texts.get(file.to_str()?).map(Vec::as_slice)
    }

    /// Whether it was seen to that a file is there: it was packed with a work plan, or is a text.
    pub(crate) fn has(&self, file: &Path) -> bool {
        self.is_packed || self.text_of(file).is_some()
    }

    /// The bytes of a file, or of standard input where it is `-`.
    pub(crate) fn read(&self, file: &Path) -> Result<Vec<u8>, Problems> {
        let bytes = match self.text_of(file) {
            Some(text) => text.to_vec(),
            None if file.as_os_str() == "-" && !self.is_packed => stdin()?,
            None => scenario::read(self.places.of(file))?,
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
        if self.text_of(file).is_some() {
            let shown = file.display().to_string();
            return scenario::parse_packed(&shown, bytes, Path::new(""), &self.places);
        }
        scenario::parse_packed_file(file, bytes, &self.places)
    }

    /// What was read so far, by the names on the command line.
    pub(super) fn what_was_read(&self) -> Vec<(String, Vec<u8>)> {
        self.read.borrow().clone()
    }
}
