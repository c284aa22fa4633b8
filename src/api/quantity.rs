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

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use thiserror::Error;

/// Resource name to amount, `v1.ResourceList`.
pub type Resources = BTreeMap<String, Quantity>;

/// Billionths in one unit.
const NANO: i128 = 1_000_000_000;
/// The largest magnitude, 2^63-1 units.
const LARGEST: u128 = i64::MAX as u128 * NANO as u128;

/// The kind of suffix a quantity is written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
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
const BINARY: [(&str, u32); 6] = [
    ("Ki", 10),
    ("Mi", 20),
    ("Gi", 30),
    ("Ti", 40),
    ("Pi", 50),
    ("Ei", 60),
];

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self {
        nano: 0,
        format: Format::DecimalSi,
    };

    /// So many whole units.
    pub fn from_units(units: i64) -> Self {
        Self {
            nano: i128::from(units) * NANO,
            format: Format::DecimalSi,
        }
    }

    /// So many thousandths.
    pub fn from_milli(milli: i64) -> Self {
        Self {
            nano: i128::from(milli) * (NANO / 1000),
            format: Format::DecimalSi,
        }
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
        let bad_suffix = || QuantityError::Suffix {
            text: shown(text),
            suffix: shown(suffix),
        };
        let (nano, mut format) =
            if let Some((_, exponent)) = DECIMAL.iter().find(|(s, _)| *s == suffix) {
                (
                    decimal(integer, fraction, i64::from(*exponent)),
                    Format::DecimalSi,
                )
            } else if let Some((_, exponent)) = BINARY.iter().find(|(s, _)| *s == suffix) {
                (binary(integer, fraction, *exponent), Format::BinarySi)
            } else {
                let exponent = suffix.strip_prefix(['e', 'E']).ok_or_else(bad_suffix)?;
                (
                    decimal(
                        integer,
                        fraction,
                        exponent.parse().map_err(|_| bad_suffix())?,
                    ),
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
        Ok(Self {
            nano: if text.starts_with('-') { -nano } else { nano },
            format,
        })
    }

    /// How it is written.
    pub fn format(self) -> Format {
        self.format
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
        Some(Self {
            nano: self.nano.checked_add(other.nano)?,
            format: self.format_with(other),
        })
    }

    /// The difference, written as `self` is unless that is zero; none if it does not fit.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        Some(Self {
            nano: self.nano.checked_sub(other.nano)?,
            format: self.format_with(other),
        })
    }

    fn format_with(self, other: Self) -> Format {
        if self.nano == 0 {
            other.format
        } else {
            self.format
        }
    }
}

/// Adds the resources of `more` to `total`; false, and `total` in part as it was, if a sum does not
/// fit.
pub fn add_resources(total: &mut Resources, more: &Resources) -> bool {
    for (name, amount) in more {
        let sum = total.entry(name.clone()).or_default();
        match sum.checked_add(*amount) {
            Some(new) => *sum = new,
            None => return false,
        }
    }
    true
}

/// `integer.fraction * 10^exponent` in billionths, rounded up; none if it surely is too large.
fn decimal(integer: &str, fraction: &str, exponent: i64) -> Option<u128> {
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
fn binary(integer: &str, fraction: &str, exponent: u32) -> Option<u128> {
    let integer = integer.trim_start_matches('0');
    let units: u64 = if integer.is_empty() {
        0
    } else {
        integer.parse().ok()?
    };
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

/// Division rounded away from zero, as upstream's `Value` and `MilliValue`.
fn round_up(amount: i128, divisor: i128) -> i128 {
    amount / divisor + (amount % divisor).signum()
}

/// A text for an error message: not longer than a line.
fn shown(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
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
                let suffix = DECIMAL
                    .iter()
                    .find(|(_, e)| *e == exponent)
                    .map_or("", |(suffix, _)| suffix);
                write!(f, "{mantissa}{suffix}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text, canonical form, `Value` and `MilliValue` as printed by apimachinery v0.34.4 for these
    /// inputs.
    #[test]
    fn as_upstream_reads_and_writes() {
        for (text, canonical, value, milli) in [
            ("0", "0", 0, 0),
            ("0.00", "0", 0, 0),
            ("0Ki", "0", 0, 0),
            ("007", "7", 7, 7000),
            ("500m", "500m", 1, 500),
            ("0.5", "500m", 1, 500),
            (".5", "500m", 1, 500),
            ("5.", "5", 5, 5000),
            ("+5", "5", 5, 5000),
            ("1.5", "1500m", 2, 1500),
            ("1000m", "1", 1, 1000),
            ("100n", "100n", 1, 1),
            ("0.1n", "1n", 1, 1),
            ("1500u", "1500u", 1, 2),
            ("0.0000000001", "1n", 1, 1),
            ("3.141592653589793238", "3141592654n", 4, 3142),
            (
                "123456789.123456789123",
                "123456789123456790n",
                123_456_790,
                123_456_789_124,
            ),
            ("1k", "1k", 1000, 1_000_000),
            ("1000k", "1M", 1_000_000, 1_000_000_000),
            ("1.G", "1G", 1_000_000_000, 1_000_000_000_000),
            ("1024M", "1024M", 1_024_000_000, 1_024_000_000_000),
            ("1Ki", "1Ki", 1024, 1_024_000),
            ("1024Ki", "1Mi", 1_048_576, 1_048_576_000),
            ("1000Ki", "1000Ki", 1_024_000, 1_024_000_000),
            ("0.5Ki", "512", 512, 512_000),
            ("0.0001Ki", "102400u", 1, 103),
            ("1.5Gi", "1536Mi", 1_610_612_736, 1_610_612_736_000),
            ("1.1Mi", "1153433600m", 1_153_434, 1_153_433_600),
            ("0.3Gi", "322122547200m", 322_122_548, 322_122_547_200),
            (
                "0.33333333333333333333333333333Gi",
                "357913941333333334n",
                357_913_942,
                357_913_941_334,
            ),
            ("16Gi", "16Gi", 17_179_869_184, 17_179_869_184_000),
            ("1e3", "1e3", 1000, 1_000_000),
            ("1E3", "1e3", 1000, 1_000_000),
            ("1e+3", "1e3", 1000, 1_000_000),
            ("12e6", "12e6", 12_000_000, 12_000_000_000),
            ("1.5e3", "1500", 1500, 1_500_000),
            ("1e1", "10", 10, 10_000),
            ("1e-3", "1e-3", 1, 1),
            ("1e-10", "1e-9", 1, 1),
            ("-9", "-9", -9, -9000),
            ("-1.5Gi", "-1536Mi", -1_610_612_736, -1_610_612_736_000),
            ("-1001m", "-1001m", -2, -1001),
            ("-0.1n", "-1n", -1, -1),
        ] {
            let quantity = Quantity::parse(text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(quantity.to_string(), canonical, "{text}");
            assert_eq!(
                (quantity.value(), quantity.milli_value()),
                (value, milli),
                "{text}"
            );
            assert_eq!(Quantity::parse(canonical), Ok(quantity), "{text}");
        }
        // Upstream's MilliValue overflows here; its Value and text do not.
        for (text, canonical, value) in [
            ("1E", "1E", 1_000_000_000_000_000_000),
            ("7Ei", "7Ei", 8_070_450_532_247_928_832),
            ("0.1Ei", "115292150460684697600m", 115_292_150_460_684_698),
            (
                "9223372036854775807",
                "9223372036854775807",
                i128::from(i64::MAX),
            ),
        ] {
            let quantity = Quantity::parse(text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(
                (quantity.to_string().as_str(), quantity.value()),
                (canonical, value)
            );
        }
    }

    #[test]
    fn what_is_no_quantity() {
        for text in ["", "+", "-", ".", "-.", "a", "Mi", " 1", "--1", "١"] {
            assert!(
                matches!(Quantity::parse(text), Err(QuantityError::Format(_))),
                "{text:?}"
            );
        }
        for text in [
            "1.1.1",
            "1a",
            "1K",
            "1kk",
            "1i",
            "1Gi5",
            "1m1",
            "1e",
            "1e-",
            "1e1.5",
            "1 ",
            "1GB",
            "1e99999999999999999999",
        ] {
            assert!(
                matches!(Quantity::parse(text), Err(QuantityError::Suffix { .. })),
                "{text:?}"
            );
        }
        let long = "9".repeat(1_000_000);
        for text in [
            "9223372036854775808",
            "8Ei",
            "10E",
            "1e19",
            "-10E",
            "1e2147483648",
            "9007199254740993Ki",
            &long,
            &format!("{long}Gi"),
        ] {
            assert!(
                matches!(Quantity::parse(text), Err(QuantityError::Overflow(_))),
                "{}",
                &text[..20.min(text.len())]
            );
        }
        assert_eq!(
            Quantity::parse("0e2147483648").map(|q| q.to_string()),
            Ok("0".to_owned())
        );
        assert_eq!(
            Quantity::parse("1e-2147483648").map(|q| q.to_string()),
            Ok("1e-9".to_owned())
        );
        assert_eq!(
            Quantity::parse(&format!("0.{long}")).map(|q| q.to_string()),
            Ok("1".to_owned())
        );
        assert!(Quantity::parse(&long).unwrap_err().to_string().len() < 120);
    }

    #[test]
    fn refusals_say_what_to_write() {
        for (text, hint) in [
            ("32GiB", "did you mean \"Gi\"?"),
            ("1K", "did you mean \"k\"?"),
            ("1gi", "did you mean \"Gi\"?"),
            (
                "5 pods",
                "suffixes are n, u, m, k, M, G, T, P, E, and Ki, Mi, Gi, Ti, Pi, Ei",
            ),
            (
                "lots",
                "quantities are written \"2\", \"500m\", \"1.5\", \"512Mi\", \"32Gi\" or \"1e3\"",
            ),
        ] {
            assert_eq!(
                Quantity::parse(text).unwrap_err().hint().as_deref(),
                Some(hint),
                "{text}"
            );
        }
    }

    #[test]
    fn amounts_compare_and_add_whatever_their_suffix() {
        let q = |text: &str| Quantity::parse(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(q("1024"), q("1Ki"));
        assert!(q("999m") < q("1") && q("1Gi") > q("1G") && q("-1") < q("0"));
        // The sum is written as the first is, unless that is nothing.
        let sum = |a: &str, b: &str| q(a).checked_add(q(b)).map(|s| s.to_string());
        assert_eq!(sum("1Gi", "1Gi"), Some("2Gi".to_owned()));
        assert_eq!(sum("0", "512Mi"), Some("512Mi".to_owned()));
        assert_eq!(sum("1500m", "500m"), Some("2".to_owned()));
        assert_eq!(sum("1Gi", "1"), Some("1073741825".to_owned()));
        assert_eq!(
            q("2").checked_sub(q("500m")).map(|d| d.to_string()),
            Some("1500m".to_owned())
        );
        assert!(
            q("1")
                .checked_sub(q("2"))
                .is_some_and(Quantity::is_negative)
        );
        // 1.7e38 billionths hold 1.8e10 of the largest quantity: sums over a cluster do not
        // overflow.
        let largest = q("9223372036854775807");
        let many = (0..1000).try_fold(Quantity::ZERO, |total, _| total.checked_add(largest));
        assert_eq!(many.map(Quantity::value), Some(i128::from(i64::MAX) * 1000));
        assert_eq!(
            (Quantity::from_units(2), Quantity::from_milli(1500)),
            (q("2"), q("1.5"))
        );
    }

    #[test]
    fn resources_add_by_name() {
        let q = |text: &str| Quantity::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let list = |items: &[(&str, &str)]| {
            items
                .iter()
                .map(|(name, amount)| ((*name).to_owned(), q(amount)))
                .collect::<Resources>()
        };
        let mut total = list(&[("cpu", "500m")]);
        assert!(add_resources(
            &mut total,
            &list(&[("cpu", "1"), ("memory", "1Gi")])
        ));
        assert_eq!(total, list(&[("cpu", "1500m"), ("memory", "1Gi")]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[-+]?[0-9.]{0,12}[eEinumkKMGTP0-9+-]{0,6}|\\PC{0,20}") {
            if let Ok(quantity) = Quantity::parse(&text) {
                // What is written reads back as the same amount, written the same.
                let written = quantity.to_string();
                let again = Quantity::parse(&written).expect("canonical form");
                proptest::prop_assert_eq!((again, again.to_string()), (quantity, written));
            }
        }
    }
}
