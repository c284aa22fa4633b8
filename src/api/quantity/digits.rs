//! Digits with an exponent as a whole number of billionths, rounded up.

/// Billionths in one unit.
pub(super) const NANO: i128 = 1_000_000_000;

/// `integer.fraction * 10^exponent` in billionths, rounded up; none if it surely is too large.
pub(super) fn decimal(integer: &str, fraction: &str, exponent: i64) -> Option<u128> {
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
pub(super) fn binary(integer: &str, fraction: &str, exponent: u32) -> Option<u128> {
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
