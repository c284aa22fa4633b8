//! Times as the Kubernetes API prints them: RFC 3339 with a `T`, an offset or `Z`, and an optional
//! fraction.
//!
//! `metav1.Time` has whole seconds, `metav1.MicroTime` six digits; Go's
//! `time.Parse(time.RFC3339, …)` accepts any fraction and any offset. Finer digits than
//! microseconds are cut off, as `MicroTime` does when it marshals. Leap seconds (`:60`) are
//! refused, as Go refuses them. No clock is read and no time zone database is needed.

/// Microseconds since 1970-01-01T00:00:00Z, negative before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamp(pub i64);

/// Microseconds in a second.
pub(super) const SECOND_US: i64 = 1_000_000;

impl Stamp {
    /// This instant, or the next whole second if it lies between two.
    pub(crate) fn ceil_to_second(self) -> Self {
        // Years have four digits, so there is ample room above.
        Stamp(-(-self.0).div_euclid(SECOND_US) * SECOND_US)
    }

    /// Microseconds from `zero` to this instant.
    pub(crate) fn us_since(self, zero: Stamp) -> i64 {
        self.0 - zero.0
    }

    /// Whole seconds from `zero` to this instant, rounded down.
    pub(crate) fn seconds_since(self, zero: Stamp) -> i64 {
        self.us_since(zero).div_euclid(SECOND_US)
    }

    /// The instant in UTC: `2026-11-20T04:40:49Z`, with six digits of fraction if there is one.
    pub fn to_rfc3339(self) -> String {
        let seconds = self.0.div_euclid(SECOND_US);
        let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        let fraction = self.0.rem_euclid(SECOND_US);
        let head = format!(
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}",
            of_day / 3600,
            of_day / 60 % 60,
            of_day % 60
        );
        if fraction == 0 {
            format!("{head}Z")
        } else {
            format!("{head}.{fraction:06}Z")
        }
    }
}

/// Reads a time; `None` if it is not one.
pub(super) fn parse(text: &str) -> Option<Stamp> {
    let b = text.as_bytes();
    // 2006-01-02T15:04:05 is 19 bytes; at least a Z follows.
    if b.len() < 20
        || b[4] != b'-'
        || b[7] != b'-'
        || b[10] != b'T'
        || b[13] != b':'
        || b[16] != b':'
    {
        return None;
    }
    let year = digits(&b[0..4])?;
    let month = digits(&b[5..7])?;
    let day = digits(&b[8..10])?;
    let (hour, minute, second) = (
        digits(&b[11..13])?,
        digits(&b[14..16])?,
        digits(&b[17..19])?,
    );
    if !(1..=12).contains(&month)
        || day < 1
        || day > days_in_month(year, month)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    let (fraction_us, rest) = fraction(&b[19..])?;
    let offset_s = offset(rest)?;
    let seconds =
        days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset_s;
    Some(Stamp(seconds * SECOND_US + fraction_us))
}

fn digits(b: &[u8]) -> Option<i64> {
    b.iter().try_fold(0, |n, c| {
        c.is_ascii_digit().then(|| n * 10 + i64::from(c - b'0'))
    })
}

/// Splits off `.123456`, in microseconds.
fn fraction(b: &[u8]) -> Option<(i64, &[u8])> {
    let Some(rest) = b.strip_prefix(b".") else {
        return Some((0, b));
    };
    let count = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let kept = count.min(6);
    let scale = 10_i64.pow(6 - kept as u32);
    Some((digits(&rest[..kept])? * scale, &rest[count..]))
}

/// `Z` or `+02:00`, in seconds east of Greenwich.
fn offset(b: &[u8]) -> Option<i64> {
    match b {
        b"Z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let seconds = hours * 3600 + minutes * 60;
            Some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the Gregorian calendar, years counted from March so that the leap day
/// comes last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The inverse of [`days_from_civil`].
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * of_year + 2) / 153;
    let day = of_year - (153 * m + 2) / 5 + 1;
    let month = if m < 10 { m + 3 } else { m - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from `date -u -d … +%s`.
    #[test]
    fn known_instants() {
        for (text, us) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600_000_000),
            ("2026-11-20T04:40:49Z", 1_795_149_649_000_000),
            ("2026-11-20T04:41:10.361681Z", 1_795_149_670_361_681),
            ("2026-11-20T06:41:10.361681+02:00", 1_795_149_670_361_681),
            ("2026-11-19T23:11:10.5-05:30", 1_795_149_670_500_000),
            ("2026-11-20T04:41:10.3616819Z", 1_795_149_670_361_681),
            ("1969-12-31T23:59:59Z", -1_000_000),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
        ] {
            assert_eq!(parse(text), Some(Stamp(us)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "Z",
            "2026-11-20",
            "2026-11-20 04:40:49Z",
            "2026-11-20T04:40:49",
            "2026-11-20T04:40:49z",
            "2026-13-20T04:40:49Z",
            "2026-02-29T04:40:49Z",
            "2100-02-29T04:40:49Z",
            "2026-11-20T24:00:00Z",
            "2026-11-20T04:40:60Z",
            "2026-11-20T04:40:49.Z",
            "2026-11-20T04:40:49+2:00",
            "2026-11-20T04:40:49+24:00",
            "2026-11-20T04:40:49Zx",
            "+026-11-20T04:40:49Z",
            "２026-11-20T04:40:49Z",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn printing_is_the_inverse_of_reading() {
        for text in [
            "1969-12-31T23:59:59Z",
            "2000-02-29T12:00:00Z",
            "1900-02-28T23:59:59Z",
            "2026-11-20T04:41:10.361681Z",
            "2026-12-31T00:00:00.000001Z",
            "9999-12-31T23:59:59Z",
        ] {
            assert_eq!(parse(text).map(Stamp::to_rfc3339).as_deref(), Some(text));
        }
    }

    #[test]
    fn whole_seconds() {
        assert_eq!(Stamp(1_000_001).ceil_to_second(), Stamp(2_000_000));
        assert_eq!(Stamp(1_000_000).ceil_to_second(), Stamp(1_000_000));
        assert_eq!(Stamp(-1).ceil_to_second(), Stamp(0));
        assert_eq!(
            Stamp(1_500_000).seconds_since(Stamp(2_000_000)),
            -1,
            "half a second before is in the second before"
        );
    }
}
