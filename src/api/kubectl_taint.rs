//! `kubectl taint` syntax: add, overwrite and remove, with its rules and error texts.

use super::taint::{Effect, Taint};

/// What one `kubectl taint` command asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaintEdit {
    /// Taints to add.
    pub add: Vec<Taint>,
    /// Taints to remove: key, and effect or every effect.
    pub remove: Vec<(String, Option<Effect>)>,
    /// `--overwrite`
    pub overwrite: bool,
}
