//! Builds what was imported before it is written, so that every scenario that is written builds;
//! a problem is reported at the object that it comes from.

use super::load::parse;
use crate::import::{ImportError, ImportedCluster};
use crate::scenario::resolve::{Overrides, build};
use std::path::Path;

impl ImportedCluster {
    /// Makes sure that the scenario that would be written can be run.
    ///
    /// # Errors
    /// An object is not as the API would have accepted it.
    pub fn builds(self) -> Result<Self, ImportError> {
        let text = self.to_scenario();
        let built = parse("the scenario", text.clone().into_bytes(), Path::new(""));
        match built.and_then(|loaded| build(&loaded, &Overrides::default())) {
            Ok(_) => Ok(self),
            Err(problems) => Err(problems
                .0
                .first()
                .map_or_else(|| self.of_no_object("it cannot be built"), |p| self.blame(p, &text))),
        }
    }
}
