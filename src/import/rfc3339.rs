//! Times as the Kubernetes API prints them: RFC 3339 with a `T`, an offset or `Z`, and an optional
//! fraction.
//!
//! `metav1.Time` has whole seconds, `metav1.MicroTime` six digits; Go's
//! `time.Parse(time.RFC3339, …)` accepts any fraction and any offset. Finer digits than
//! microseconds are cut off, as `MicroTime` does when it marshals. Leap seconds (`:60`) are
//! refused, as Go refuses them. No clock is read and no time zone database is needed.

use chrono::{DateTime, SecondsFormat};

/// Microseconds since 1970-01-01T00:00:00Z, negative before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamp(pub i64);

/// Microseconds in a second.
pub(crate) const SECOND_US: i64 = 1_000_000;

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
        let format = if self.0.rem_euclid(SECOND_US) == 0 {
            SecondsFormat::Secs
        } else {
            SecondsFormat::Micros
        };
        // Years that are read have four digits, which is within what can be printed.
        DateTime::from_timestamp_micros(self.0).unwrap_or_default().to_rfc3339_opts(format, true)
    }
}

/// Reads a time; `None` if it is not one.
pub(crate) fn parse(text: &str) -> Option<Stamp> {
    // The standard allows small letters, a space for the `T`, and leap seconds; Go does not.
    let strict = text.as_bytes().get(10) == Some(&b'T')
        && text.as_bytes().get(17) != Some(&b'6')
        && !text.ends_with('z');
    let time = DateTime::parse_from_rfc3339(text).ok().filter(|_| strict)?;
    Some(Stamp(time.timestamp_micros()))
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
