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

impl TaintEdit {
    /// tmp
    pub fn apply_raw(&self, taints: &[Taint]) -> Vec<Taint> {
        let mut out: Vec<Taint> = taints.to_vec();
        for (k, e) in &self.remove {
            out.retain(|t| t.key != *k || e.is_some_and(|e| e != t.effect));
        }
        for a in &self.add {
            out.retain(|t| !t.matches(a));
            out.push(a.clone());
        }
        out
    }
    /// tmp
    pub fn apply(&self, taints: &[Taint], _n: &str) -> Result<(Vec<Taint>, u8), String> {
        Ok((self.apply_raw(taints), 0))
    }
}
