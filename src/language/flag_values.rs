//! How the values of flags are read, and written again.

use super::duration;
use super::values;
use crate::kernel::Dur;
use crate::language::{FlagValue, Problem};
use crate::plan::{Admission, PriorityPeriods};

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
pub(super) fn maybe<T: ToString>(
    to: &mut Option<T>,
    given: Option<&FlagValue>,
    read: impl FnOnce(&FlagValue) -> Result<T, Problem>,
) -> Result<String, Problem> {
    if let Some(value) = given {
        *to = Some(read(value)?);
    }
    Ok(to.as_ref().map_or_else(String::new, T::to_string))
}

/// A span longer than none.
pub(super) fn positive(value: &FlagValue) -> Result<Dur, Problem> {
    match value {
        FlagValue::Text(text) => values::positive(text),
        other => {
            let seconds = format!("{other}s");
            let is_one = values::positive(&seconds).is_ok();
            let help = is_one.then(|| format!("\"{seconds}\" is {other} seconds"));
            let wrong = format!("expected a duration in quotes, found {other}");
            Err(Problem::new(wrong).maybe_help(help))
        }
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
    let wrong =
        || Problem::new(format!("a rate of {value} per second is not between 0 and 1000000"));
    (0.0..=1e6).contains(&rate).then_some(rate as f32).ok_or_else(wrong)
}

/// A rate above zero.
pub(super) fn positive_rate(value: &FlagValue) -> Result<f32, Problem> {
    let rate = rate(value)?;
    if rate > 0.0 { Ok(rate) } else { Err(Problem::new("this rate must be above zero")) }
}

/// A share between none and all.
pub(super) fn share(value: &FlagValue) -> Result<f32, Problem> {
    let share = number(value)?;
    let wrong = || Problem::new(format!("a threshold of {value} is not between 0 and 1"));
    (0.0..=1.0).contains(&share).then_some(share as f32).ok_or_else(wrong)
}

/// A whole number between two others.
pub(super) fn whole<T: TryFrom<i64>>(
    least: i64,
    most: i64,
) -> impl FnOnce(&FlagValue) -> Result<T, Problem> {
    move |value| {
        let (number, seconds) = match value {
            FlagValue::Int(n) => (Some(*n), None),
            FlagValue::Text(text) => (text.parse().ok(), duration::whole_seconds(text)),
            _ => (None, None),
        };
        let number = number.ok_or_else(|| {
            let help = seconds.map(|s| format!("{value} is {s} seconds: write {s}"));
            Problem::new(format!("expected a whole number, found {value}")).maybe_help(help)
        })?;
        let fitting = Some(number).filter(|n| (least..=most).contains(n));
        fitting
            .and_then(|n| T::try_from(n).ok())
            .ok_or_else(|| Problem::new(format!("{number} is not between {least} and {most}")))
    }
}

/// A text that says something of several signals.
pub(super) fn statements<T>(
    read: fn(&str) -> Result<T, Problem>,
) -> impl FnOnce(&FlagValue) -> Result<String, Problem> {
    move |value| {
        let text = value.to_string();
        read(&text).map(|_| text)
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
    let fits = span.is_zero() || span >= Dur::from_secs(1);
    let wrong = || Problem::new(format!("{text} must be either zero or otherwise >= 1 sec"));
    fits.then_some(span).ok_or_else(wrong)
}

/// How long the back-off of a container may become (`pkg/kubelet/apis/config/validation`).
pub(super) fn restart_period(value: &FlagValue) -> Result<Dur, Problem> {
    let span = positive(value)?;
    let seconds = span.as_nanos() as f64 / 1e9;
    let wrong = || {
        Problem::new(format!(
            "CrashLoopBackOff.MaxContainerRestartPeriod (got: {seconds} seconds) must be set between 1s and 300s"
        ))
    };
    (1_000..=300_000).contains(&span.as_millis()).then_some(span).ok_or_else(wrong)
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

/// Whether an admission plugin is modelled.
pub(crate) fn known_plugin(name: &str) -> bool {
    PLUGINS.contains(&name)
}

/// The admission plugins that are modelled, in the order in which the API server has them
/// (`pkg/kubeapiserver/options/plugins.go`). Left out: plugins that change nothing here.
pub const PLUGINS: [&str; 4] = [
    "DefaultTolerationSeconds",
    "TaintNodesByCondition",
    "PodTolerationRestriction",
    "ExtendedResourceToleration",
];

/// Switches plugins on or off, where a value is given; those that are so then.
pub(super) fn switch_plugins(
    admission: &mut Admission,
    given: Option<&FlagValue>,
    on: bool,
) -> Result<String, Problem> {
    let all = [
        &mut admission.default_toleration_seconds,
        &mut admission.taint_nodes_by_condition,
        &mut admission.pod_toleration_restriction,
        &mut admission.extended_resource_toleration,
    ];
    let text = given.map(FlagValue::to_string);
    for name in text.iter().flat_map(|t| t.split(',')).map(str::trim) {
        let place = PLUGINS.iter().position(|plugin| *plugin == name);
        let place = place.ok_or_else(|| {
            Problem::new(format!("`{name}` is not an admission plugin that is modelled"))
                .meant(name, PLUGINS)
        })?;
        *all[place] = on;
    }
    let those = PLUGINS.iter().zip(&all).filter(|(_, is_on)| ***is_on == on);
    Ok(those.map(|(name, _)| *name).collect::<Vec<_>>().join(","))
}
