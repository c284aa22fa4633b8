//! An amount: how it is read, counted and written.

use super::digits::{NANO, binary, decimal};
use super::error::{QuantityError, shown};
use super::suffixes::{BINARY, DECIMAL};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

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
                (
                    decimal(integer, fraction, exponent.parse().map_err(|_| bad_suffix())?),
                    Format::DecimalExponent,
                )
            };
        let nano = nano
            .filter(|nano| *nano <= LARGEST)
            .ok_or_else(|| QuantityError::Overflow(shown(text)))? as i128;
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
    pub(crate) fn is_zero(self) -> bool {
        self.nano == 0
    }

    /// Whether it is below zero, which no resource may be.
    pub fn is_negative(self) -> bool {
        self.nano < 0
    }

    /// The sum, written as `self` is unless that is zero; none if it does not fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        Some(Self { nano: self.nano.checked_add(other.nano)?, format: self.format_with(other) })
    }

    fn format_with(self, other: Self) -> Format {
        if self.nano == 0 { other.format } else { self.format }
    }
}

/// Division rounded away from zero, as upstream's `Value` and `MilliValue`.
fn round_up(amount: i128, divisor: i128) -> i128 {
    amount / divisor + (amount % divisor).signum()
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        Self::parse(text)
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}

impl Eq for Quantity {}

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nano.hash(state);
    }
}

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
