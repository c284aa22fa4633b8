//! Why a text is not a quantity, and what may have been meant.

use super::suffixes::{BINARY, DECIMAL};
use thiserror::Error;

/// Why a text is not a quantity.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum QuantityError {
    /// Not a number with a suffix.
    #[error("quantity {0:?} is not a number with a suffix")]
    Format(String),
    /// A number with a suffix that is none.
    #[error("unable to parse suffix {suffix:?} of quantity {text:?}")]
    Suffix {
        /// The whole text.
        text: String,
        /// What follows the number.
        suffix: String,
    },
    /// More than 2^63-1 units.
    #[error("quantity {0:?} is larger than 9223372036854775807")]
    Overflow(String),
}

impl QuantityError {
    /// What to write instead.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Format(_) => Some(
                "quantities are written \"2\", \"500m\", \"1.5\", \"512Mi\", \"32Gi\" or \"1e3\""
                    .to_owned(),
            ),
            Self::Suffix { suffix, .. } => {
                let without_byte = suffix.strip_suffix(['B', 'b']).unwrap_or(suffix);
                let known = || {
                    BINARY
                        .iter()
                        .map(|(s, _)| *s)
                        .chain(DECIMAL.iter().map(|(s, _)| *s))
                        .filter(|s| !s.is_empty())
                };
                let meant = known()
                    .find(|s| *s == without_byte)
                    .or_else(|| known().find(|s| s.eq_ignore_ascii_case(without_byte)));
                Some(match meant {
                    Some(meant) => format!("did you mean {meant:?}?"),
                    None => "suffixes are n, u, m, k, M, G, T, P, E, and Ki, Mi, Gi, Ti, Pi, Ei"
                        .to_owned(),
                })
            }
            Self::Overflow(_) => None,
        }
    }
}

/// A text for an error message: not longer than a line.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}
