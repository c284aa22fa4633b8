//! Reads the texts of single values: durations, delays, whole seconds.

use super::duration;
use crate::kernel::Dur;
use crate::language::Problem;
use crate::plan::Delay;

/// The longest span a scenario may state: a year. Longer ones are slips, and sums of these cannot
/// overflow.
pub(crate) const SPAN_MAX: Dur = Dur::from_secs(366 * 24 * 3600);

/// How long pods take to stop where nothing says so.
pub(crate) const POD_STOP: Dur = Dur::from_secs(1);

/// Nanoseconds, negative ones too.
pub(crate) fn signed(text: &str) -> Result<i64, Problem> {
    let ns = stored(text)?;
    if ns.unsigned_abs() > SPAN_MAX.as_nanos() {
        return Err(Problem::new(format!(
            "{text} is longer than a year, the most that a run can span"
        )));
    }
    Ok(ns)
}

/// A span, zero or longer.
pub(crate) fn span(text: &str) -> Result<Dur, Problem> {
    let ns = signed(text)?;
    u64::try_from(ns)
        .map(Dur::from_nanos)
        .map_err(|_| Problem::new(format!("{text} is negative; this duration cannot be")))
}

/// A span longer than zero.
pub(crate) fn positive(text: &str) -> Result<Dur, Problem> {
    let span = Some(span(text)?).filter(|span| !span.is_zero());
    span.ok_or_else(|| Problem::new("this duration must be longer than zero"))
}

/// `"2ms"` or `"1ms..4ms"`.
pub(crate) fn delay(text: &str) -> Result<Delay, Problem> {
    let (min, max) = match text.split_once("..") {
        Some((min, max)) => (span(min.trim())?, span(max.trim())?),
        None => (span(text)?, span(text)?),
    };
    let wrong = || Problem::new(format!("{text} runs backwards"));
    (min <= max).then_some(Delay { min, max }).ok_or_else(wrong)
}

/// A time as the API stores it, in whole seconds from the start of the run, rounded down. An
/// imported condition may be older than a run can be long: as far as a duration reaches, 292 years.
pub(crate) fn stored_seconds(text: &str) -> Result<i64, Problem> {
    stored(text).map(|ns| ns.div_euclid(1_000_000_000))
}

fn stored(text: &str) -> Result<i64, Problem> {
    duration::parse_signed(text).map_err(|e| Problem::new(&e).maybe_help(e.hint))
}

/// A time in the past as a lease stores it, in microseconds from the start of the run, rounded
/// down.
pub(crate) fn past_micros(text: &str) -> Result<i64, Problem> {
    let us = stored(text)?.div_euclid(1000);
    if us > 0 { Err(Problem::new(format!("{text} is after the start of the run"))) } else { Ok(us) }
}

/// The release of a scenario that names none: the newest one that timelines were recorded from and
/// that is still common.
pub(crate) const KUBERNETES: &str = "1.34";
/// The seed of a scenario that names none.
pub(crate) const SEED: u64 = 1;

/// Whether a value is the one that stands for a field that is not written.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_limits() {
        assert_eq!(span("1m30s").unwrap(), Dur::from_secs(90));
        assert_eq!(span("0").unwrap(), Dur::from_nanos(0));
        assert_eq!(span("-1s").unwrap_err().message, "-1s is negative; this duration cannot be");
        assert_eq!(positive("0s").unwrap_err().message, "this duration must be longer than zero");
        assert!(span("9000h").unwrap_err().message.contains("longer than a year"));
        assert!(span("99999999999999999999h").is_err() && span("5").is_err() && span("").is_err());
    }

    #[test]
    fn delays_are_constant_or_drawn() {
        let ms = Dur::from_millis;
        assert_eq!(delay("2ms").unwrap(), Delay { min: ms(2), max: ms(2) });
        assert_eq!(delay("1ms .. 4ms").unwrap(), Delay { min: ms(1), max: ms(4) });
        assert_eq!(delay("4ms..1ms").unwrap_err().message, "4ms..1ms runs backwards");
    }

    #[test]
    fn stored_times_round_down() {
        assert_eq!(stored_seconds("-1.5s").unwrap(), -2);
        assert_eq!(stored_seconds("-26280h").unwrap(), -94_608_000, "three years");
        assert_eq!(past_micros("-1.5us").unwrap(), -2);
        assert_eq!(past_micros("1s").unwrap_err().message, "1s is after the start of the run");
    }
}
