//! How the values of flags are read, and written again.

use super::duration;
use super::values;
use crate::kernel::Dur;
use crate::language::{FlagValue, Problem};
use crate::plan::PriorityPeriods;

/// Sets a flag to what is given; the value that it has then.
pub(super) fn put<T: ToString>(
    to: &mut T,
    given: Option<&FlagValue>,
    read: impl FnOnce(&FlagValue) -> Result<T, Problem>,
) -> Result<String, Problem> {
    if let Some(value) = given {
        *to = read(value)?;
    }
    Ok(to.to_string())
}

/// The same of a flag that the release decides where none is given.
pub(super) fn maybe(
    to: &mut Option<Dur>,
    given: Option<&FlagValue>,
    read: impl FnOnce(&FlagValue) -> Result<Dur, Problem>,
) -> Result<String, Problem> {
    if let Some(value) = given {
        *to = Some(read(value)?);
    }
    Ok(to.as_ref().map_or_else(String::new, Dur::to_string))
}

/// A span longer than none.
pub(super) fn positive(value: &FlagValue) -> Result<Dur, Problem> {
    match value {
        FlagValue::Text(text) => values::positive(text),
        other => Err(Problem::new(format!("expected a duration in quotes, found {other}"))
            .help(format!("\"{other}s\" is {other} seconds"))),
    }
}

fn number(value: &FlagValue) -> Result<f64, Problem> {
    let number = match value {
        FlagValue::Int(n) => Some(*n as f64),
        FlagValue::Float(x) => Some(*x),
        FlagValue::Text(text) => text.parse().ok(),
        FlagValue::Bool(_) => None,
    };
    number
        .filter(|n: &f64| n.is_finite())
        .ok_or_else(|| Problem::new(format!("expected a number, found {value}")))
}

/// A rate per second.
pub(super) fn rate(value: &FlagValue) -> Result<f32, Problem> {
    let rate = number(value)?;
    if (0.0..=1e6).contains(&rate) {
        Ok(rate as f32)
    } else {
        Err(Problem::new(format!("a rate of {value} per second is not between 0 and 1000000")))
    }
}

/// A rate above zero.
pub(super) fn positive_rate(value: &FlagValue) -> Result<f32, Problem> {
    let rate = rate(value)?;
    if rate > 0.0 { Ok(rate) } else { Err(Problem::new("this rate must be above zero")) }
}

/// A share between none and all.
pub(super) fn share(value: &FlagValue) -> Result<f32, Problem> {
    let share = number(value)?;
    if (0.0..=1.0).contains(&share) {
        Ok(share as f32)
    } else {
        Err(Problem::new(format!("a threshold of {value} is not between 0 and 1")))
    }
}

/// A whole number between two others.
pub(super) fn whole(value: &FlagValue, least: i64, most: i64) -> Result<i64, Problem> {
    let number = match value {
        FlagValue::Int(n) => Some(*n),
        FlagValue::Text(text) => text.parse().ok(),
        _ => None,
    };
    let number = number.ok_or_else(|| {
        let seconds =
            if let FlagValue::Text(text) = value { duration::whole_seconds(text) } else { None };
        let help = seconds.map(|s| format!("{value} is {s} seconds: write {s}"));
        Problem::new(format!("expected a whole number, found {value}")).maybe_help(help)
    })?;
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(Problem::new(format!("{number} is not between {least} and {most}")))
    }
}

/// True or false.
pub(super) fn boolean(value: &FlagValue) -> Result<bool, Problem> {
    match value {
        FlagValue::Bool(b) => Ok(*b),
        FlagValue::Text(text) if text == "true" => Ok(true),
        FlagValue::Text(text) if text == "false" => Ok(false),
        other => Err(Problem::new(format!("expected true or false, found {other}"))),
    }
}

/// Seconds of whole length, or none: `shutdownGracePeriod` is "either zero or otherwise >= 1 sec"
/// (`pkg/kubelet/apis/config/validation`).
pub(super) fn none_or_a_second(value: &FlagValue) -> Result<Dur, Problem> {
    let FlagValue::Text(text) = value else { return positive(value) };
    let span = values::span(text)?;
    if span.is_zero() || span >= Dur::from_secs(1) {
        Ok(span)
    } else {
        Err(Problem::new(format!("{text} must be either zero or otherwise >= 1 sec")))
    }
}

/// `"0=20,2000000000=10"`: a priority and the seconds of pods from it on, and so on.
pub(super) fn priority_periods(value: &FlagValue) -> Result<PriorityPeriods, Problem> {
    let text = value.to_string();
    let one = |pair: &str| {
        let (priority, seconds) = pair.split_once('=')?;
        let seconds = seconds.trim().parse().ok().filter(|s| (0..=86_400).contains(s))?;
        Some((priority.trim().parse().ok()?, seconds))
    };
    let read: Option<Vec<(i32, i64)>> = text.split(',').map(one).collect();
    let mut periods = read.ok_or_else(|| {
        Problem::new(format!("expected priorities with their seconds, found {text:?}"))
            .help("\"0=20,2000000000=10\" gives pods of priority 0 and above 20 s, and critical ones then 10 s")
    })?;
    periods.sort_by_key(|(priority, _)| *priority);
    Ok(PriorityPeriods(periods))
}
