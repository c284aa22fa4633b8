//! Times and durations as people and programs read them, by integer arithmetic, and how far apart
//! times are.

use crate::kernel::{Dur, Time};

/// How far apart two times are.
pub(crate) fn apart(a: Time, b: Time) -> Dur {
    a.max(b).since(a.min(b))
}

/// How long it is from one time to another as both are shown, by the millisecond.
pub(crate) fn lasted((from, to): (Time, Time)) -> Dur {
    to.whole_millis().since(from.whole_millis())
}

/// `10:50.500`, or `1:10:50.500` from an hour on.
pub(crate) fn absolute(at: Time) -> String {
    format!("{}.{:03}", whole(at), at.as_millis() % 1_000)
}

/// `10:50`, or `1:10:50` from an hour on; the fraction is cut off.
pub(crate) fn whole(at: Time) -> String {
    let s = at.as_secs();
    if s < 3_600 {
        format!("{}:{:02}", s / 60, s % 60)
    } else {
        format!("{}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60)
    }
}

/// `50.5s`, `2m20s`, `1h5m`, in Go's manner, to the millisecond; shorter ones than that to the
/// nanosecond, `1.5us`.
pub(crate) fn short(d: Dur) -> String {
    if d < Dur::from_millis(1) {
        return d.to_string().replace('\u{b5}', "u");
    }
    let ms = d.as_millis();
    let (h, m, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms % 60_000);
    let mut out = String::new();
    if h > 0 {
        out += &format!("{h}h");
    }
    if m > 0 {
        out += &format!("{m}m");
    }
    if rest > 0 {
        out += &Time::from_millis(rest).to_string();
    }
    out
}

/// The same to the millisecond, whatever is behind it cut off.
pub(crate) fn to_the_millisecond(d: Dur) -> String {
    short(d.whole_millis())
}

/// Seconds as a decimal without needless zeros: `405.1`.
pub(crate) fn seconds(at: Time) -> String {
    let mut text = at.to_string();
    text.pop();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_people_write_them() {
        assert_eq!(absolute(Time::from_millis(650_500)), "10:50.500");
        assert_eq!(absolute(Time::from_millis(3_600_001)), "1:00:00.001");
        assert_eq!(whole(Time::from_millis(740_999)), "12:20");
        assert_eq!(seconds(Time::from_millis(405_100)), "405.1");
        assert_eq!(seconds(Time::from_nanos(1)), "0.000000001");
        assert_eq!(seconds(Time::from_secs(30)), "30");
    }

    #[test]
    fn durations_read_as_go_writes_them() {
        for (ns, text) in [
            (0, "0s"),
            (999, "999ns"),
            (1_500, "1.5us"),
            (1_000_000, "0.001s"),
            (50_500_000_000, "50.5s"),
            (140_000_000_000, "2m20s"),
            (343_400_999_999, "5m43.4s"),
            (3_900_000_000_000, "1h5m"),
            (3_600_000_000_000, "1h"),
        ] {
            assert_eq!(short(Dur::from_nanos(ns)), text);
        }
    }
}
