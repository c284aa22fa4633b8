//! Durations as Go writes them, "1h30m", "1.5s", "300ms": the syntax of every duration in a
//! scenario.
//!
//! `src/time/format.go: ParseDuration` and `src/time/time.go: Duration.String` of Go 1.26: a
//! sequence of decimal numbers, each with an optional fraction and a unit of `ns`, `us`, `µs`,
//! `ms`, `s`, `m` or `h`; only `0` may lack its unit. At most 2^63-1 ns, which is 292 years.

use crate::api::spelling::{self, shown};
use crate::kernel::Dur;
use thiserror::Error;

/// Why a text is not a duration, in Go's words where Go refuses it too.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text}")]
pub struct DurationError {
    text: String,
    /// What to write instead, where that can be said.
    pub hint: Option<String>,
}

impl DurationError {
    /// Not built like a duration at all.
    fn syntax(text: &str) -> Self {
        let hint = "durations are written \"90s\", \"1m30s\", \"1.5h\" or \"200ms\"";
        Self { text: format!("invalid duration {:?}", shown(text)), hint: Some(hint.to_owned()) }
    }

    /// Longer than 2^63-1 ns.
    fn overflow(text: &str) -> Self {
        Self { text: format!("duration {:?} is longer than 292 years", shown(text)), hint: None }
    }

    fn missing_unit(text: &str) -> Self {
        let text = shown(text);
        let hint = format!("add a unit: \"{text}s\" for seconds, \"{text}m\" for minutes");
        Self { text: format!("missing unit in duration {text:?}"), hint: Some(hint) }
    }

    /// A unit that Go does not know.
    fn unknown_unit(text: &str, unit: &str) -> Self {
        const UNITS: &str = "units are ns, us, ms, s, m and h";
        let (text, unit) = (shown(text), shown(unit));
        let whole: String = text.split_whitespace().collect();
        let hint = match unit.as_str() {
            spaced if spaced.contains(char::is_whitespace) => match parse_signed(&whole) {
                Ok(_) => format!("without spaces: {whole:?}"),
                Err(_) => format!("without spaces; {UNITS}"),
            },
            "d" | "day" | "days" => "Go's durations have no days: 1 day is \"24h\"".to_owned(),
            "w" | "week" | "weeks" => "Go's durations have no weeks: 1 week is \"168h\"".to_owned(),
            _ => match meant_unit(&unit) {
                Some(near) => format!("did you mean {near:?}? {UNITS}"),
                None => UNITS.to_owned(),
            },
        };
        Self { text: format!("unknown unit {unit:?} in duration {text:?}"), hint: Some(hint) }
    }

    /// Below zero where only what lies ahead makes sense.
    fn negative(text: &str) -> Self {
        let text = shown(text);
        let hint = text.strip_prefix('-').map(|positive| format!("did you mean {positive:?}?"));
        Self { text: format!("duration {text:?} is negative"), hint }
    }
}

/// The unit a word stands for: `sec`, `minutes`, `H`.
fn meant_unit(word: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 4] = [
        ("s", "s sec secs second seconds"),
        ("m", "m min mins minutes"),
        ("h", "h hr hours"),
        ("ms", "ms milliseconds"),
    ];
    let near = spelling::nearest(word, WORDS.iter().flat_map(|(_, words)| words.split(' ')))?;
    let is_its = |words: &str| words.split(' ').any(|word| word == near);
    WORDS.iter().find(|(_, words)| is_its(words)).map(|(unit, _)| *unit)
}

/// Reads a duration of zero or more.
///
/// # Errors
/// What Go refuses, and what is below zero.
pub fn parse(text: &str) -> Result<Dur, DurationError> {
    let nanos = parse_signed(text)?;
    u64::try_from(nanos).map(Dur::from_nanos).map_err(|_| DurationError::negative(text))
}

/// Reads a duration, with what may help in what is wrong with it.
///
/// # Errors
/// Those of [`parse`], as a text.
pub fn spoken(text: &str) -> Result<Dur, String> {
    parse(text).map_err(|e| e.hint.as_ref().map_or_else(|| e.to_string(), |h| format!("{e}; {h}")))
}

/// Reads a duration that may be negative, a clock's skew say, in nanoseconds.
///
/// # Errors
/// What Go refuses.
pub fn parse_signed(text: &str) -> Result<i64, DurationError> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if unsigned == "0" {
        return Ok(0);
    }
    if unsigned.is_empty() {
        return Err(DurationError::syntax(text));
    }
    // Go sums into a uint64 that may hold 2^63, the magnitude of the most negative duration.
    let mut total: u64 = 0;
    let mut rest = unsigned;
    while !rest.is_empty() {
        let (amount, after) = one_amount(rest, text)?;
        total = total
            .checked_add(amount)
            .filter(|t| *t <= 1 << 63)
            .ok_or_else(|| DurationError::overflow(text))?;
        rest = after;
    }
    if negative { Some((total as i64).wrapping_neg()) } else { i64::try_from(total).ok() }
        .ok_or_else(|| DurationError::overflow(text))
}

/// One number with its unit, in nanoseconds, and what follows it. `whole` is for error messages.
fn one_amount<'a>(text: &'a str, whole: &str) -> Result<(u64, &'a str), DurationError> {
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let integer_len = digits(text);
    let (integer, mut rest) = text.split_at(integer_len);
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        (fraction, rest) = after.split_at(digits(after));
    }
    if integer.is_empty() && fraction.is_empty() {
        return Err(DurationError::syntax(whole));
    }
    let unit_len = rest.bytes().take_while(|b| *b != b'.' && !b.is_ascii_digit()).count();
    let (unit, rest) = rest.split_at(unit_len);
    let nanos: u64 = match unit {
        "" => return Err(DurationError::missing_unit(whole)),
        "ns" => 1,
        // The micro sign and the Greek letter.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return Err(DurationError::unknown_unit(whole, unit)),
    };
    let overflow = || DurationError::overflow(whole);
    let count: u64 =
        if integer.is_empty() { 0 } else { integer.parse().map_err(|_| overflow())? };
    let amount = count.checked_mul(nanos).filter(|a| *a <= 1 << 63).ok_or_else(overflow)?;
    let amount = amount
        .checked_add(fraction_of(fraction, nanos))
        .filter(|a| *a <= 1 << 63)
        .ok_or_else(overflow)?;
    Ok((amount, rest))
}

/// The fraction of a unit, rounded down with Go's floating-point arithmetic; digits that no longer
/// fit a `u64` are left out, as Go does.
fn fraction_of(digits: &str, unit: u64) -> u64 {
    let mut value: u64 = 0;
    let mut scale: f64 = 1.0;
    for digit in digits.bytes().map(|b| u64::from(b - b'0')) {
        if value > ((1 << 63) - 1) / 10 {
            break;
        }
        let next = value * 10 + digit;
        if next > 1 << 63 {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// Writes a duration as people do, without the parts that are zero: `5m` where Go, and [`Dur`] itself,
/// writes `5m0s`. Reads back the same.
pub fn format(duration: Dur) -> String {
    let go = duration.to_string();
    let go = if go.ends_with("m0s") { &go[..go.len() - 2] } else { &go };
    go.strip_suffix("h0m").map_or_else(|| go.to_owned(), |hours| format!("{hours}h"))
}

/// The seconds of a duration that is a whole number of them: 120 for `2m`.
pub fn whole_seconds(text: &str) -> Option<i64> {
    let ns = parse_signed(text.trim()).ok()?;
    (ns % 1_000_000_000 == 0).then_some(ns / 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;
    const MS: u64 = 1_000_000;
    const S: u64 = 1_000_000_000;
    const M: u64 = 60 * S;
    const H: u64 = 60 * M;

    /// The table of Go's `TestParseDuration` (src/time/time_test.go), with what it has of negative
    /// durations.
    #[test]
    fn what_go_reads() {
        let signed: &[(&str, i64)] = &[
            ("0", 0),
            ("5s", 5 * S as i64),
            ("30s", 30 * S as i64),
            ("1478s", 1478 * S as i64),
            ("-5s", -(5 * S as i64)),
            ("+5s", 5 * S as i64),
            ("-0", 0),
            ("+0", 0),
            ("5.0s", 5 * S as i64),
            ("5.6s", (5 * S + 600 * MS) as i64),
            ("5.s", 5 * S as i64),
            (".5s", (500 * MS) as i64),
            ("1.0s", S as i64),
            ("1.00s", S as i64),
            ("1.004s", (S + 4 * MS) as i64),
            ("1.0040s", (S + 4 * MS) as i64),
            ("100.00100s", (100 * S + MS) as i64),
            ("10ns", 10),
            ("11us", (11 * US) as i64),
            ("12µs", (12 * US) as i64),
            ("12μs", (12 * US) as i64),
            ("13ms", (13 * MS) as i64),
            ("14s", (14 * S) as i64),
            ("15m", (15 * M) as i64),
            ("16h", (16 * H) as i64),
            ("3h30m", (3 * H + 30 * M) as i64),
            ("10.5s4m", (4 * M + 10 * S + 500 * MS) as i64),
            ("-2m3.4s", -((2 * M + 3 * S + 400 * MS) as i64)),
            ("1h2m3s4ms5us6ns", (H + 2 * M + 3 * S + 4 * MS + 5 * US + 6) as i64),
            ("39h9m14.425s", (39 * H + 9 * M + 14 * S + 425 * MS) as i64),
            ("52763797000ns", 52763797000),
            ("0.3333333333333333333h", (20 * M) as i64),
            ("9007199254740993ns", (1 << 53) + 1),
            ("9223372036854775807ns", i64::MAX),
            ("9223372036854775.807us", i64::MAX),
            ("9223372036s854ms775us807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
            ("-9223372036854775.808us", i64::MIN),
            ("-9223372036s854ms775us808ns", i64::MIN),
            ("-2562047h47m16.854775808s", i64::MIN),
            ("0.100000000000000000000h", (6 * M) as i64),
            ("0.830103483285477580700h", (49 * M + 48 * S + 372_539_827) as i64),
        ];
        for (text, nanos) in signed {
            assert_eq!(parse_signed(text), Ok(*nanos), "{text}");
            match u64::try_from(*nanos) {
                Ok(nanos) => assert_eq!(parse(text), Ok(Dur::from_nanos(nanos)), "{text}"),
                Err(_) => assert_eq!(parse(text), Err(DurationError::negative(text))),
            }
        }
    }

    /// The table of Go's `TestParseDurationErrors`, with its messages.
    #[test]
    fn what_go_refuses() {
        for text in ["", "-", ".", "-.", ".s", "+.s", "s", "1s2.", " 1s", "x1s"] {
            let error = parse_signed(text).expect_err(text);
            let known = [DurationError::syntax(text), DurationError::missing_unit(text)];
            assert!(known.contains(&error), "{text:?}: {error}");
        }
        for text in ["3", "1s2", "1.5", "00"] {
            assert_eq!(
                parse_signed(text).unwrap_err().to_string(),
                format!("missing unit in duration {text:?}")
            );
        }
        for (text, unit) in [
            ("1d", "d"),
            ("1sµ", "sµ"),
            ("3000 ms", " ms"),
            ("1s ", "s "),
            ("5min", "min"),
            ("1s-1s", "s-"),
            ("1S", "S"),
        ] {
            let expected = format!("unknown unit {unit:?} in duration {text:?}");
            assert_eq!(parse_signed(text).unwrap_err().to_string(), expected);
        }
        for text in [
            "9223372036854775810ns",
            "9223372036854775808ns",
            "9223372036854775.808us",
            "9223372036854ms775us808ns",
            "9223372036s854ms775us808ns",
            "-9223372036854775809ns",
            "3000000h",
            "99999999999999999999s",
        ] {
            assert_eq!(parse_signed(text), Err(DurationError::overflow(text)), "{text}");
        }
    }

    #[test]
    fn refusals_say_what_to_write() {
        for (text, hint) in [
            ("30", "add a unit: \"30s\" for seconds, \"30m\" for minutes"),
            ("1d", "Go's durations have no days: 1 day is \"24h\""),
            ("5min", "did you mean \"m\"? units are ns, us, ms, s, m and h"),
            ("5sec", "did you mean \"s\"? units are ns, us, ms, s, m and h"),
            ("1h 5m", "without spaces: \"1h5m\""),
            ("5 parsec", "without spaces; units are ns, us, ms, s, m and h"),
            ("5parsec", "units are ns, us, ms, s, m and h"),
            ("-5s", "did you mean \"5s\"?"),
            ("soon", "durations are written \"90s\", \"1m30s\", \"1.5h\" or \"200ms\""),
        ] {
            assert_eq!(parse(text).unwrap_err().hint.as_deref(), Some(hint), "{text}");
        }
        assert!(parse(&"1".repeat(1_000_000)).unwrap_err().to_string().len() < 100);
    }

    /// The table of Go's `TestDurationString`, its positive half.
    #[test]
    fn written_as_go_does() {
        for (nanos, go, short) in [
            (0, "0s", "0s"),
            (1, "1ns", "1ns"),
            (1100, "1.1µs", "1.1µs"),
            (2_200 * US, "2.2ms", "2.2ms"),
            (3_300 * MS, "3.3s", "3.3s"),
            (4 * M + 5 * S, "4m5s", "4m5s"),
            (4 * M + 5 * S + MS, "4m5.001s", "4m5.001s"),
            (5 * H + 6 * M + 7 * S + MS, "5h6m7.001s", "5h6m7.001s"),
            (8 * M + 1, "8m0.000000001s", "8m0.000000001s"),
            (i64::MAX as u64, "2562047h47m16.854775807s", "2562047h47m16.854775807s"),
            (5 * M, "5m0s", "5m"),
            (10 * S, "10s", "10s"),
            (10 * M, "10m0s", "10m"),
            (H, "1h0m0s", "1h"),
            (10 * H, "10h0m0s", "10h"),
            (H + 30 * M, "1h30m0s", "1h30m"),
            (H + S, "1h0m1s", "1h0m1s"),
        ] {
            let duration = Dur::from_nanos(nanos);
            assert_eq!((duration.to_string().as_str(), format(duration).as_str()), (go, short));
            assert_eq!((parse(go), parse(short)), (Ok(duration), Ok(duration)));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_duration_reads_back(nanos in 0..=i64::MAX as u64) {
            let duration = Dur::from_nanos(nanos);
            proptest::prop_assert_eq!(parse(&duration.to_string()), Ok(duration));
            proptest::prop_assert_eq!(parse(&format(duration)), Ok(duration));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-+]?([0-9.]{0,25}(ns|us|µs|ms|s|m|h|d)?){0,3}|\\PC{0,20}") {
            _ = parse(&text);
        }
    }
}
