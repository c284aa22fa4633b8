//! Virtual time in whole nanoseconds: an instant (`Time`) and a span (`Dur`), both 64 bits, with
//! arithmetic that never wraps.
//!
//! 64 bits hold 584 years, more than any run: what would be later is the end of time, which no run
//! reaches. Whoever has to tell the two apart uses the checked forms. There are no time zones, no
//! calendar and no wall clock here.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
const SEC: u64 = 1_000_000_000;

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time(u64);

/// A span of time in nanoseconds.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Deserialize, Serialize,
)]
#[serde(transparent)]
pub struct Dur(u64);

/// What instants and spans have in common: a number of nanoseconds, since the start of the run or at
/// all.
macro_rules! nanoseconds {
    ($name:ident) => {
        impl $name {
            /// The start of the run, or no time at all.
            pub const ZERO: Self = Self(0);
            /// The last that can be written, 584 years.
            pub const MAX: Self = Self(u64::MAX);

            /// Made of nanoseconds.
            pub const fn from_nanos(ns: u64) -> Self {
                Self(ns)
            }

            /// Made of microseconds, at most [`Self::MAX`].
            pub const fn from_micros(us: u64) -> Self {
                Self(us.saturating_mul(MICRO))
            }

            /// Made of milliseconds, at most [`Self::MAX`].
            pub const fn from_millis(ms: u64) -> Self {
                Self(ms.saturating_mul(MILLI))
            }

            /// Made of seconds, at most [`Self::MAX`].
            pub const fn from_secs(s: u64) -> Self {
                Self(s.saturating_mul(SEC))
            }

            /// In nanoseconds.
            pub const fn as_nanos(self) -> u64 {
                self.0
            }

            /// In whole microseconds; the rest is cut off.
            pub const fn as_micros(self) -> u64 {
                self.0 / MICRO
            }

            /// In whole milliseconds; the rest is cut off.
            pub const fn as_millis(self) -> u64 {
                self.0 / MILLI
            }

            /// Without what is behind its millisecond, as it is shown.
            pub(crate) const fn whole_millis(self) -> Self {
                Self(self.0 - self.0 % MILLI)
            }

            /// In whole seconds; the rest is cut off.
            pub const fn as_secs(self) -> u64 {
                self.0 / SEC
            }

            /// In seconds as a float, for reports and charts only.
            pub fn as_secs_f64(self) -> f64 {
                self.0 as f64 / SEC as f64
            }

            /// With `d` on top, or nothing if that is beyond [`Self::MAX`].
            pub fn checked_add(self, d: Dur) -> Option<Self> {
                self.0.checked_add(d.0).map(Self)
            }

            /// Without `d`, or nothing if that is less than [`Self::ZERO`].
            pub(crate) fn checked_sub(self, d: Dur) -> Option<Self> {
                self.0.checked_sub(d.0).map(Self)
            }

            /// With `d` on top, at most [`Self::MAX`].
            pub const fn saturating_add(self, d: Dur) -> Self {
                Self(self.0.saturating_add(d.0))
            }

            /// Without `d`, at least [`Self::ZERO`].
            pub const fn saturating_sub(self, d: Dur) -> Self {
                Self(self.0.saturating_sub(d.0))
            }
        }

        impl Add<Dur> for $name {
            type Output = Self;
            fn add(self, d: Dur) -> Self {
                self.saturating_add(d)
            }
        }

        impl AddAssign<Dur> for $name {
            fn add_assign(&mut self, d: Dur) {
                *self = *self + d;
            }
        }
    };
}

nanoseconds!(Time);
nanoseconds!(Dur);

impl Time {
    /// How long ago `earlier` was; zero if it is still to come.
    pub const fn since(self, earlier: Self) -> Dur {
        Dur(self.0.saturating_sub(earlier.0))
    }

    /// How long ago `earlier` was, or nothing if it is still to come.
    pub(crate) fn checked_since(self, earlier: Self) -> Option<Dur> {
        self.0.checked_sub(earlier.0).map(Dur)
    }
}

impl Dur {
    /// Whether the span is empty.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The span `n` times over, or nothing if it is longer than [`Dur::MAX`].
    pub(crate) fn checked_mul(self, n: u64) -> Option<Self> {
        self.0.checked_mul(n).map(Self)
    }

    /// The span `n` times over, at most [`Dur::MAX`].
    pub const fn saturating_mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl Sub for Dur {
    type Output = Self;
    #[track_caller]
    fn sub(self, d: Self) -> Self {
        self.checked_sub(d).expect("a longer duration is taken from a shorter one")
    }
}

impl Mul<u64> for Dur {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        self.saturating_mul(n)
    }
}

/// Writes `whole` and, behind a point, `rest` of `unit` (a power of ten) without its trailing
/// zeros.
fn write_decimal(f: &mut fmt::Formatter<'_>, whole: u64, rest: u64, unit: u64) -> fmt::Result {
    write!(f, "{whole}")?;
    if rest == 0 {
        return Ok(());
    }
    let (mut rest, mut digits) = (rest, unit.ilog10() as usize);
    while rest.is_multiple_of(10) {
        rest /= 10;
        digits -= 1;
    }
    write!(f, ".{rest:0digits$}")
}

/// Seconds without trailing zeros, `61.7s`; with `#` for people, to the millisecond and as durations are, `1m1.7s`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return Dur(self.0).whole_millis().fmt(f);
        }
        write_decimal(f, self.0 / SEC, self.0 % SEC, SEC)?;
        f.write_str("s")
    }
}

/// Go's syntax (`time.Duration.String`): `5m30s`, `1h0m0s`, `1.5s`, `100ms`, `1ns`, `0s`.
impl fmt::Display for Dur {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0;
        let (unit, name) = match ns {
            0 => return f.write_str("0s"),
            1..MICRO => (1, "ns"),
            MICRO..MILLI => (MICRO, "µs"),
            MILLI..SEC => (MILLI, "ms"),
            _ => {
                let secs = ns / SEC;
                if secs >= 3600 {
                    write!(f, "{}h", secs / 3600)?;
                }
                if secs >= 60 {
                    write!(f, "{}m", secs / 60 % 60)?;
                }
                write_decimal(f, secs % 60, ns % SEC, SEC)?;
                return f.write_str("s");
            }
        };
        write_decimal(f, ns / unit, ns % unit, unit)?;
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_print_as_go_prints_them() {
        // Expected values from the table of Go's time_test.go (durationTests).
        let check = |ns: u64, text: &str| assert_eq!(Dur::from_nanos(ns).to_string(), text);
        check(0, "0s");
        check(1, "1ns");
        check(1_100, "1.1µs");
        check(2_200_000, "2.2ms");
        check(3_300_000_000, "3.3s");
        check(4 * 60 * SEC + 5 * SEC, "4m5s");
        check(4 * 60 * SEC + 5_001 * MILLI, "4m5.001s");
        check(5 * 3600 * SEC + 6 * 60 * SEC + 7_001 * MILLI, "5h6m7.001s");
        check(8 * 60 * SEC + 1, "8m0.000000001s");
        check(i64::MAX as u64, "2562047h47m16.854775807s");
        check(100 * MILLI, "100ms");
        check(3600 * SEC, "1h0m0s");
    }

    #[test]
    fn instants_print_as_seconds() {
        let check = |ns: u64, text: &str| assert_eq!(Time::from_nanos(ns).to_string(), text);
        check(0, "0s");
        check(61_700 * MILLI, "61.7s");
        assert_eq!(format!("{:#}", Time::from_nanos(61_700 * MILLI)), "1m1.7s");
        // Cut and not rounded: it is before 44.65 s.
        assert_eq!(format!("{:#}", Time::from_nanos(44_650 * MILLI - 1)), "44.649s");
        check(SEC + 1, "1.000000001s");
        check(3600 * SEC, "3600s");
    }

    #[test]
    fn arithmetic_stops_at_the_ends() {
        assert_eq!(Time::MAX.checked_add(Dur::from_nanos(1)), None);
        assert_eq!(Time::MAX.saturating_add(Dur::from_nanos(1)), Time::MAX);
        assert_eq!(Time::ZERO.checked_sub(Dur::from_nanos(1)), None);
        assert_eq!(Time::from_secs(1).since(Time::from_secs(2)), Dur::ZERO);
        assert_eq!(Time::from_secs(1).checked_since(Time::from_secs(2)), None);
        assert_eq!(Time::from_secs(5).since(Time::from_secs(2)), Dur::from_secs(3));
        assert_eq!(Dur::MAX.checked_mul(2), None);
        assert_eq!(Dur::from_millis(1_999).as_secs(), 1);
        assert_eq!(Time::from_nanos(1_999_999).as_millis(), 1);
    }

    #[test]
    fn what_is_later_than_the_last_instant_is_the_last_instant() {
        assert_eq!(Time::MAX + Dur::from_nanos(1), Time::MAX);
        assert_eq!(
            (Dur::MAX + Dur::from_nanos(1), Dur::from_secs(u64::MAX), Dur::MAX * 2),
            (Dur::MAX, Dur::MAX, Dur::MAX)
        );
    }
}
