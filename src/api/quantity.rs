//! Kubernetes quantities, "500m", "32Gi", "1e3", and lists of resources.
//!
//! `apimachinery/pkg/api/resource/quantity.go`, v1.34. A quantity is exact in billionths of its
//! unit and rounded up (away from zero) beyond that, as upstream does when it parses. It remembers
//! the kind of its suffix, and is written in canonical form: no fraction, and the largest suffix
//! that loses nothing.
//!
//! Where ours differs: more than 2^63-1 units is an error (upstream caps binary suffixes there and
//! lets decimal ones grow), a sign or a point without a digit is an error, and a text that upstream
//! would echo as it was written (`1.500`) is written in canonical form too (`1500m`).

#[cfg(test)]
mod tests;

use crate::api::prelude::*;
use crate::api::spelling::shown;
use std::cmp::Ordering;
use thiserror::Error;

/// The largest magnitude, 2^63-1 units.
const LARGEST: u128 = i64::MAX as u128 * NANO as u128;

/// The kind of suffix a quantity is written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Format {
    /// `n`, `u`, `m`, none, `k`, `M`, `G`, `T`, `P`, `E`: powers of 1000.
    #[default]
    DecimalSi,
    /// `Ki`, `Mi`, `Gi`, `Ti`, `Pi`, `Ei`: powers of 1024.
    BinarySi,
    /// `e3`: powers of ten.
    DecimalExponent,
}

/// An amount of a resource. Amounts compare by size alone, however they are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    nano: i128,
    format: Format,
}

impl Quantity {
    /// An amount of whole units.
    pub fn from_units(units: i64) -> Self {
        Self { nano: i128::from(units) * NANO, format: Format::DecimalSi }
    }

    /// An amount of whole units that is written with a binary suffix, as bytes are.
    pub(crate) fn from_binary(units: i64) -> Self {
        Self { format: Format::BinarySi, ..Self::from_units(units) }
    }

    /// An amount given in thousandths of a unit.
    pub fn from_milli(milli: i64) -> Self {
        Self { nano: i128::from(milli) * (NANO / 1000), format: Format::DecimalSi }
    }

    /// Reads a quantity (`ParseQuantity`).
    ///
    /// # Errors
    /// What is not a quantity, and what is larger than 2^63-1.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let wrong = || QuantityError::Format(shown(text));
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
        let (integer, rest) = unsigned.split_at(digits(unsigned));
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(after) => after.split_at(digits(after)),
            None => ("", rest),
        };
        if integer.is_empty() && fraction.is_empty() {
            return Err(wrong());
        }
        let bad_suffix = || QuantityError::Suffix { text: shown(text), suffix: shown(suffix) };
        let (nano, mut format) =
            if let Some((_, exponent)) = DECIMAL.iter().find(|(s, _)| *s == suffix) {
                (decimal(integer, fraction, i64::from(*exponent)), Format::DecimalSi)
            } else if let Some((_, exponent)) = BINARY.iter().find(|(s, _)| *s == suffix) {
                (binary(integer, fraction, *exponent), Format::BinarySi)
            } else {
                let exponent = suffix.strip_prefix(['e', 'E']).ok_or_else(bad_suffix)?;
                let exponent = exponent.parse().map_err(|_| bad_suffix())?;
                (decimal(integer, fraction, exponent), Format::DecimalExponent)
            };
        let nano = nano.filter(|nano| *nano <= LARGEST);
        let nano = nano.ok_or_else(|| QuantityError::Overflow(shown(text)))? as i128;
        // Below one there is no binary suffix to write.
        if format == Format::BinarySi && nano < NANO {
            format = Format::DecimalSi;
        }
        Ok(Self { nano: if text.starts_with('-') { -nano } else { nano }, format })
    }

    /// Whole units, rounded up (`Value`): what is counted in memory, pods, devices.
    pub fn value(self) -> i128 {
        round_up(self.nano, NANO)
    }

    /// Thousandths, rounded up (`MilliValue`): what is counted in CPU.
    pub fn milli_value(self) -> i128 {
        round_up(self.nano, NANO / 1000)
    }

    /// Whether it is nothing.
    pub fn is_zero(self) -> bool {
        self.nano == 0
    }

    /// Whether it is below zero, which no resource may be.
    pub fn is_negative(self) -> bool {
        self.nano < 0
    }

    /// The sum, written as `self` is unless that is zero; none if it does not fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let format = if self.nano == 0 { other.format } else { self.format };
        Some(Self { nano: self.nano.checked_add(other.nano)?, format })
    }
}

/// Division rounded away from zero, as upstream's `Value` and `MilliValue`.
fn round_up(amount: i128, divisor: i128) -> i128 {
    amount / divisor + (amount % divisor).signum()
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nano.cmp(&other.nano)
    }
}

/// The canonical form (`CanonicalizeBytes`).
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nano == 0 {
            return f.write_str("0");
        }
        let whole = self.nano % NANO == 0;
        if self.format == Format::BinarySi
            && whole
            && self.nano.unsigned_abs() >= 1024 * NANO as u128
        {
            let mut mantissa = self.nano / NANO;
            let mut suffix = "";
            for (next, _) in BINARY {
                if mantissa % 1024 != 0 {
                    break;
                }
                mantissa /= 1024;
                suffix = next;
            }
            return write!(f, "{mantissa}{suffix}");
        }
        let mut mantissa = self.nano;
        let mut exponent = -9;
        // Beyond the largest suffix a decimal exponent could go on; no single quantity does.
        while mantissa % 1000 == 0 && exponent < 18 {
            mantissa /= 1000;
            exponent += 3;
        }
        match self.format {
            Format::DecimalExponent if exponent != 0 => write!(f, "{mantissa}e{exponent}"),
            _ => {
                let suffix =
                    DECIMAL.iter().find(|(_, e)| *e == exponent).map_or("", |(suffix, _)| suffix);
                write!(f, "{mantissa}{suffix}")
            }
        }
    }
}

/// Billionths in one unit.
const NANO: i128 = 1_000_000_000;

/// `integer.fraction * 10^exponent` in billionths, rounded up; none if it surely is too large.
pub(crate) fn decimal(integer: &str, fraction: &str, exponent: i64) -> Option<u128> {
    let integer = integer.trim_start_matches('0');
    // The digits that count: the first is not zero, unless all are.
    let (digits, point) = if integer.is_empty() {
        let digits = fraction.trim_start_matches('0');
        (["", digits], -((fraction.len() - digits.len()) as i64))
    } else {
        ([integer, fraction], integer.len() as i64)
    };
    if digits.iter().all(|part| part.is_empty()) {
        return Some(0);
    }
    // How many of them lie before the point once it has moved to billionths.
    let whole = point.checked_add(exponent)?.checked_add(9)?;
    if whole > 30 {
        return None;
    }
    let mut value: u128 = 0;
    let mut rounded = false;
    for (i, digit) in digits.iter().flat_map(|part| part.bytes()).enumerate() {
        if (i as i64) < whole {
            value = value * 10 + u128::from(digit - b'0');
        } else {
            rounded |= digit != b'0';
        }
    }
    let given = (digits[0].len() + digits[1].len()) as i64;
    for _ in given..whole {
        value *= 10;
    }
    Some(value + u128::from(rounded))
}

/// `integer.fraction * 2^exponent` in billionths, rounded up; none if it surely is too large.
pub(crate) fn binary(integer: &str, fraction: &str, exponent: u32) -> Option<u128> {
    let integer = integer.trim_start_matches('0');
    let units: u64 = if integer.is_empty() { 0 } else { integer.parse().ok()? };
    // Below 2^64 * 2^60.
    let whole = (u128::from(units) << exponent).checked_mul(NANO as u128)?;
    // 0.abc * K is (a*K + (b*K + c*K/10)/10)/10, and rounding down in between changes nothing but
    // the remainder.
    let unit = (1u128 << exponent) * NANO as u128;
    let mut part: u128 = 0;
    let mut rounded = false;
    for digit in fraction.bytes().rev() {
        let sum = u128::from(digit - b'0') * unit + part;
        rounded |= !sum.is_multiple_of(10);
        part = sum / 10;
    }
    whole.checked_add(part)?.checked_add(u128::from(rounded))
}

/// Powers of ten.
const DECIMAL: [(&str, i32); 10] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];
/// Powers of two.
const BINARY: [(&str, u32); 6] =
    [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

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
                let decimal = DECIMAL.iter().map(|(s, _)| *s).filter(|s| !s.is_empty());
                let mut known = BINARY.iter().map(|(s, _)| *s).chain(decimal);
                let meant = known.clone().find(|s| *s == without_byte);
                let meant = meant.or_else(|| known.find(|s| s.eq_ignore_ascii_case(without_byte)));
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

/// Resource name to amount, `v1.ResourceList`.
pub type Resources = BTreeMap<String, Quantity>;

/// Adds the resources of `more` to `total`; false, and `total` in part as it was, if a sum does not
/// fit.
pub fn add_resources(total: &mut Resources, more: &Resources) -> bool {
    for (name, amount) in more {
        let sum = total.entry(name.clone()).or_default();
        let Some(new) = sum.checked_add(*amount) else { return false };
        *sum = new;
    }
    true
}
