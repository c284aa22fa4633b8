//! Simpler words in place of single values: times and numbers with fewer digits, delays that do not
//! vary.
//!
//! A time is simpler if it has fewer significant digits, or as many and is smaller; a number if it
//! is smaller. So nothing is simplified for ever.

use crate::kernel::{Dur, Time};
use crate::language::duration;

const SECOND: u64 = 1_000_000_000;
/// Numbers up to this are lowered one by one, too.
const STEP_BY_STEP: u64 = 20;

/// What may stand in place of a piece that has no brackets, the simplest first.
pub(super) fn simpler(head: &str) -> Vec<String> {
    let (name, value) = head
        .split_once(": ")
        .map_or(("", head), |(name, value)| (name, value));
    let whole = |value: String| {
        if name.is_empty() {
            value
        } else {
            format!("{name}: {value}")
        }
    };
    if let Ok(number) = value.parse::<u64>() {
        return numbers(number)
            .into_iter()
            .map(|n| whole(n.to_string()))
            .collect();
    }
    let Some(text) = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) else {
        return Vec::new();
    };
    if let Some((from, to)) = text.split_once("..")
        && duration::parse(from).is_ok()
        && duration::parse(to).is_ok()
    {
        return [from, to]
            .into_iter()
            .map(|t| whole(format!("\"{t}\"")))
            .collect();
    }
    let unit = text.ends_with(|c: char| c.is_ascii_alphabetic());
    match duration::parse(text).ok().filter(|_| unit) {
        Some(time) => rounded(time)
            .into_iter()
            .map(|t| whole(format!("\"{}\"", duration::format(t))))
            .collect(),
        None => Vec::new(),
    }
}

/// The ends that a run may have in place of a later one, the earliest first.
pub(super) fn horizons(head: &str, violated: Time) -> Vec<String> {
    let Some(now) = head.split('"').nth(1).and_then(|t| duration::parse(t).ok()) else {
        return Vec::new();
    };
    let at = violated.as_nanos();
    let ends = [SECOND, 10 * SECOND, 60 * SECOND]
        .map(|unit| Dur::from_nanos(at.div_ceil(unit).saturating_mul(unit)));
    ends.into_iter()
        .filter(|e| *e < now && !e.is_zero())
        .map(|e| format!("horizon: \"{}\"", duration::format(e)))
        .collect()
}

/// How many digits a number has, without the zeros at its end.
fn digits(mut number: u64) -> u32 {
    while number > 0 && number.is_multiple_of(10) {
        number /= 10;
    }
    number.checked_ilog10().map_or(0, |d| d + 1)
}

fn is_simpler(a: u64, b: u64) -> bool {
    (digits(a), a) < (digits(b), b)
}

/// The least numbers, then ever nearer ones; for a large number not the next one, which would take
/// too many steps.
fn numbers(number: u64) -> Vec<u64> {
    let mut all = vec![0, 1, number / 2, number / 4 * 3, number / 10 * 9];
    if number <= STEP_BY_STEP {
        all.push(number.saturating_sub(1));
    }
    all.retain(|n| *n < number);
    all.sort_unstable();
    all.dedup();
    all
}

/// The times near to one that are simpler, by ever smaller units; of each unit the earlier one
/// first.
fn rounded(time: Dur) -> Vec<Dur> {
    let ns = time.as_nanos();
    let units = [
        60 * SECOND,
        10 * SECOND,
        SECOND,
        SECOND / 10,
        SECOND / 100,
        SECOND / 1_000,
        SECOND / 1_000_000,
    ];
    let mut all = Vec::new();
    for unit in units {
        for rounded in [ns / unit * unit, ns.div_ceil(unit).saturating_mul(unit)] {
            if is_simpler(rounded, ns) && !all.contains(&rounded) {
                all.push(rounded);
            }
        }
    }
    all.into_iter().map(Dur::from_nanos).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_simpler_and_never_the_same() {
        let simpler = |head: &str| simpler(head).join(" | ");
        assert_eq!(
            simpler("at: \"40.002s\""),
            "at: \"0s\" | at: \"1m\" | at: \"40s\" | at: \"50s\" | at: \"41s\" | at: \"40.1s\" | at: \"40.01s\""
        );
        assert_eq!(
            simpler("count: 30"),
            "count: 0 | count: 1 | count: 15 | count: 21 | count: 27"
        );
        assert_eq!(simpler("count: 3"), "count: 0 | count: 1 | count: 2");
        assert_eq!(
            simpler("request: \"1ms..4ms\""),
            "request: \"1ms\" | request: \"4ms\""
        );
        for kept in [
            "at: \"cut b + 50s\"",
            "name: \"web\"",
            "operator: Exists",
            "zone: \"0\"",
            "at: \"0s\"",
            "replicas: 0",
        ] {
            assert_eq!(simpler(kept), "", "{kept}");
        }
    }

    #[test]
    fn a_run_ends_after_the_violation() {
        let ends = horizons("horizon: \"4m\"", Time::from_millis(150_500));
        assert_eq!(
            ends,
            [
                "horizon: \"2m31s\"",
                "horizon: \"2m40s\"",
                "horizon: \"3m\""
            ]
        );
        assert!(horizons("horizon: \"2m31s\"", Time::from_millis(150_500)).is_empty());
    }
}
