//! The kubelets' flags of node-pressure eviction, and what a scenario says of usage.
//!
//! `pkg/kubelet/eviction/helpers.go` (`ParseThresholdConfig`, `parseThresholdStatement`, `parseGracePeriods`,
//! `parseMinimumReclaims`), with its words.

use super::values;
use crate::api::quantity::Quantity;
use crate::api::usage::{Piece, Usage, Usages, Used};
use crate::kernel::Dur;
use crate::language::{Problem, UsageText};
use crate::plan::{Amount, Eviction, Signal, Threshold, with_allocatable};
use std::collections::BTreeMap;

/// The flags as given; none is the release's default.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EvictionFlags {
    /// `--eviction-hard`
    pub(crate) hard: Option<String>,
    /// `--eviction-soft`
    pub(crate) soft: Option<String>,
    /// `--eviction-soft-grace-period`
    pub(crate) soft_grace_period: Option<String>,
    /// `--eviction-minimum-reclaim`
    pub(crate) minimum_reclaim: Option<String>,
    /// `--eviction-pressure-transition-period`
    pub(crate) pressure_transition_period: Option<Dur>,
    /// `--eviction-max-pod-grace-period`
    pub(crate) max_pod_grace_period: Option<i64>,
}

impl EvictionFlags {
    /// Whether any is given.
    pub(crate) fn any(&self) -> bool {
        *self != Self::default()
    }

    /// What they come to over a release's defaults; the problem with the flag that has it (`ParseThresholdConfig`). What is
    /// wrong with one alone is said where that is read.
    pub(crate) fn read(&self, defaults: Eviction) -> Result<Eviction, (&'static str, Problem)> {
        let mut all = match &self.hard {
            Some(hard) => thresholds(hard).map_err(|p| ("eviction-hard", p))?,
            None => {
                let own = |t: &Threshold| t.signal != Signal::AllocatableMemoryAvailable;
                defaults.thresholds.into_iter().filter(own).collect()
            }
        };
        let graces = grace_periods(self.soft_grace_period.as_deref().unwrap_or_default())
            .map_err(|p| ("eviction-soft-grace-period", p))?;
        let soft = thresholds(self.soft.as_deref().unwrap_or_default());
        for mut soft in soft.map_err(|p| ("eviction-soft", p))? {
            let grace = graces.iter().find(|(signal, _)| *signal == soft.signal);
            let name = soft.signal.as_str();
            soft.grace_period = grace.map(|(_, grace)| *grace).ok_or_else(|| {
                let text = format!(
                    "grace period must be specified for the soft eviction threshold {name}"
                );
                let help = format!("`\"eviction-soft-grace-period\": \"{name}=1m30s\"`");
                ("eviction-soft", Problem::new(text).help(help))
            })?;
            all.push(soft);
        }
        let reclaims = minimum_reclaims(self.minimum_reclaim.as_deref().unwrap_or_default())
            .map_err(|p| ("eviction-minimum-reclaim", p))?;
        for t in &mut all {
            let own = reclaims.iter().find(|(signal, _)| *signal == t.signal);
            t.min_reclaim = own.map(|(_, amount)| *amount);
        }
        let (period, grace) = (self.pressure_transition_period, self.max_pod_grace_period);
        Ok(Eviction {
            thresholds: with_allocatable(all),
            pressure_transition_period: period.unwrap_or(defaults.pressure_transition_period),
            max_pod_grace_period_seconds: grace.unwrap_or(defaults.max_pod_grace_period_seconds),
        })
    }
}

/// What a flag says of each signal, with a sign between the two.
fn statements<'a>(text: &'a str, sign: char) -> Result<Vec<(Signal, &'a str)>, Problem> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let read = |part: &'a str| {
        let (name, value) = part.split_once(sign).ok_or_else(|| {
            Problem::new(format!("`{part}` says nothing of a signal"))
                .help(format!("`memory.available{sign}…`, several with commas between them"))
        })?;
        let name = name.trim();
        let signal = Signal::parse(name).ok_or_else(|| {
            let problem = Problem::new(format!("unsupported eviction signal {name}"));
            if name.starts_with("containerfs.") {
                return problem.help("a container filesystem of its own is not simulated; upstream sets its thresholds to those of nodefs or imagefs");
            }
            problem.meant(name, Signal::ALL.map(Signal::as_str))
        })?;
        Ok((signal, value.trim()))
    };
    parts.map(read).collect()
}

/// A quantity of the API.
pub(crate) fn quantity(text: &str) -> Result<Quantity, Problem> {
    Quantity::parse(text).map_err(|e| Problem::new(e.to_string()).maybe_help(e.hint()))
}

/// The share of a text in percent (`parsePercentage`).
fn share(text: &str, percent: &str) -> Result<f32, Problem> {
    let wrong = || Problem::new(format!("`{text}` is no percentage"));
    let share: f32 = percent.trim().parse().map_err(|_| wrong().help("`10%`"))?;
    if share.is_nan() { Err(wrong()) } else { Ok(share / 100.0) }
}

/// The same of a threshold.
fn threshold_share(signal: Signal, text: &str, percent: &str) -> Result<f32, Problem> {
    let name = signal.as_str();
    let must = |be: &str| format!("eviction percentage threshold {name} must be {be}: {text}");
    match share(text, percent)? {
        s if s < 0.0 => Err(Problem::new(must(">= 0%"))),
        s if s > 1.0 => Err(Problem::new(must("<= 100%"))),
        s => Ok(s),
    }
}

/// The thresholds of a flag, as if they were hard (`parseThresholdStatements`).
pub(crate) fn thresholds(text: &str) -> Result<Vec<Threshold>, Problem> {
    let mut all = Vec::new();
    for (signal, value) in statements(text, '<')? {
        let value = match value.strip_suffix('%') {
            // Those are no thresholds.
            Some("0" | "100") => continue,
            Some(percent) => Amount::Share(threshold_share(signal, value, percent)?),
            None => {
                let amount = quantity(value)?;
                if amount.is_negative() || amount.is_zero() {
                    let name = signal.as_str();
                    let text = format!("eviction threshold {name} must be positive: {value}");
                    return Err(Problem::new(text));
                }
                Amount::Quantity(amount)
            }
        };
        all.push(Threshold { signal, value, min_reclaim: None, grace_period: Dur::ZERO });
    }
    Ok(all)
}

/// The graces of soft thresholds (`parseGracePeriods`).
pub(crate) fn grace_periods(text: &str) -> Result<Vec<(Signal, Dur)>, Problem> {
    let read = |(signal, value): (Signal, &str)| {
        let must = "must be a positive value";
        let wrong = || format!("invalid eviction grace period specified: {value}, {must}");
        // Zero is none below zero, and makes of the threshold a hard one.
        let grace = u64::try_from(values::signed(value)?).map_err(|_| Problem::new(wrong()))?;
        Ok((signal, Dur::from_nanos(grace)))
    };
    statements(text, '=')?.into_iter().map(read).collect()
}

/// How much is reclaimed at least (`parseMinimumReclaims`).
pub(crate) fn minimum_reclaims(text: &str) -> Result<Vec<(Signal, Amount)>, Problem> {
    let read = |(signal, value): (Signal, &str)| {
        let name = signal.as_str();
        let must =
            || format!("eviction percentage minimum reclaim {name} must be positive: {value}");
        let negative = || format!("negative eviction minimum reclaim specified for {name}");
        match value.strip_suffix('%') {
            Some(percent) => match share(value, percent)? {
                share if share <= 0.0 => Err(Problem::new(must())),
                share => Ok((signal, Amount::Share(share))),
            },
            None => match quantity(value)? {
                amount if amount.is_negative() => Err(Problem::new(negative())),
                amount => Ok((signal, Amount::Quantity(amount))),
            },
        }
    };
    statements(text, '=')?.into_iter().map(read).collect()
}

/// What is used of each resource; `request` says how much of it is requested, where anything is. The problem with the resource
/// that has it.
pub(crate) fn usages(
    written: &BTreeMap<String, UsageText>,
    request: impl Fn(Used) -> Option<i64>,
) -> Result<Usages, (String, Problem)> {
    let mut all = Usages::default();
    for (name, text) in written {
        let with = |problem: Problem| (name.clone(), problem);
        let used = Used::parse(name).ok_or_else(|| {
            let problem = Problem::new(format!("`{name}` is nothing that kubelets watch"));
            with(problem.meant(name, Used::ALL.map(Used::as_str)))
        })?;
        all.0[used as usize] = Some(usage(text, request(used)).map_err(with)?);
    }
    Ok(all)
}

/// What the text of a usage says.
fn usage(text: &str, request: Option<i64>) -> Result<Usage, Problem> {
    let mut pieces: Vec<Piece> = Vec::new();
    for part in text.split(',') {
        let (from, rest) = match part.split_once(':') {
            Some((from, rest)) => (values::span(from.trim())?, rest),
            None => (Dur::ZERO, part),
        };
        if pieces.last().is_some_and(|before| before.from >= from) {
            let text = format!("`{}` begins no later than what comes before it", part.trim());
            return Err(
                Problem::new(text).help("`500Mi, 60s: 2Gi` is 500 MiB, and 2 GiB from a minute on")
            );
        }
        let (rest, most) = match rest.split_once(" up to ") {
            Some((rest, most)) => (rest, Some(amount(most, request)?)),
            None => (rest, None),
        };
        let (base, per_hour) = match rest.split_once('+') {
            Some((base, rate)) => (amount(base, request)?, self::rate(rate, request)?),
            None => (amount(rest, request)?, 0),
        };
        pieces.push(Piece { from, amount: base, per_hour });
        if let Some(most) = most {
            let growth = i128::from(most) - i128::from(base);
            if per_hour <= 0 || growth <= 0 {
                let text = format!("`{}` never comes up to that", part.trim());
                return Err(Problem::new(text).help("`1Gi + 10Mi/s up to 3Gi`"));
            }
            let after = growth * 3_600_000_000_000 / i128::from(per_hour);
            let after = u64::try_from(after).ok().map(Dur::from_nanos);
            let until = after.filter(|d| *d <= values::SPAN_MAX).map(|d| from + d);
            pieces.extend(until.map(|from| Piece { from, amount: most, per_hour: 0 }));
        }
    }
    Ok(Usage(pieces))
}

/// An amount, or a share of what is requested.
fn amount(text: &str, request: Option<i64>) -> Result<i64, Problem> {
    let text = text.trim();
    if let Some(percent) = text.strip_suffix('%') {
        let share: f64 =
            percent.trim().parse().ok().filter(|s: &f64| (0.0..=1e6).contains(s)).ok_or_else(
                || Problem::new(format!("`{text}` is no share of what is requested")),
            )?;
        let request = request.ok_or_else(|| {
            Problem::new(format!("{text} of what? Nothing of this is requested"))
                .help("state it in `requests`, or an amount in place of the share")
        })?;
        return Ok((share / 100.0 * request as f64) as i64);
    }
    let amount = quantity(text)?;
    if amount.is_negative() {
        return Err(Problem::new(format!("{text} is negative")));
    }
    Ok(i64::try_from(amount.value()).unwrap_or(i64::MAX))
}

/// What an amount grows by in an hour: `10Mi/s`.
fn rate(text: &str, request: Option<i64>) -> Result<i64, Problem> {
    let wrong =
        || Problem::new(format!("`{}` is no rate", text.trim())).help("`10Mi/s`, `2Gi/m`, `1Gi/h`");
    let (much, unit) = text.rsplit_once('/').ok_or_else(wrong)?;
    let in_an_hour = match unit.trim() {
        "s" => 3_600,
        "m" => 60,
        "h" => 1,
        _ => return Err(wrong()),
    };
    Ok(amount(much, request)?.saturating_mul(in_an_hour))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles;

    const MI: i64 = 1 << 20;

    fn read(flags: EvictionFlags) -> Result<Eviction, String> {
        let defaults = Eviction::defaults(&profiles::profile("1.34").unwrap());
        flags.read(defaults).map_err(|(flag, problem)| format!("{flag}: {}", problem.message))
    }

    fn given(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    /// As `TestParseThresholdConfig` has it: hard ones, soft ones with their grace, and what is to be reclaimed.
    #[test]
    fn thresholds_are_read_as_upstream_reads_them() {
        let flags = EvictionFlags {
            hard: given("memory.available<150Mi"),
            soft: given("memory.available<300Mi"),
            soft_grace_period: given("memory.available=30s"),
            minimum_reclaim: given("memory.available=0"),
            ..EvictionFlags::default()
        };
        let all = read(flags).unwrap().thresholds;
        let shown: Vec<_> = all
            .iter()
            .map(|t| (t.signal, t.value.of(0).to_string(), t.grace_period.as_secs()))
            .collect();
        let memory = Signal::MemoryAvailable;
        assert_eq!(
            shown,
            [
                (memory, "150Mi".to_owned(), 0),
                (memory, "300Mi".to_owned(), 30),
                (Signal::AllocatableMemoryAvailable, "150Mi".to_owned(), 0)
            ]
        );
        let percent = EvictionFlags { hard: given("memory.available<10%"), ..Default::default() };
        assert_eq!(read(percent).unwrap().thresholds[0].value, Amount::Share(0.1));
        let none = EvictionFlags { hard: given("memory.available<0%"), ..Default::default() };
        assert!(read(none).unwrap().thresholds.is_empty());
    }

    #[test]
    fn what_upstream_refuses_is_refused_in_its_words() {
        let hard = |text| read(EvictionFlags { hard: given(text), ..Default::default() });
        let soft = |text| read(EvictionFlags { soft: given(text), ..Default::default() });
        let grace =
            |text| read(EvictionFlags { soft_grace_period: given(text), ..Default::default() });
        let reclaim =
            |text| read(EvictionFlags { minimum_reclaim: given(text), ..Default::default() });
        for (result, words) in [
            (
                hard("mem.available<150Mi"),
                "eviction-hard: unsupported eviction signal mem.available",
            ),
            (
                hard("memory.available<-150Mi"),
                "eviction-hard: eviction threshold memory.available must be positive: -150Mi",
            ),
            (
                hard("memory.available<-10%"),
                "eviction-hard: eviction percentage threshold memory.available must be >= 0%: -10%",
            ),
            (
                hard("memory.available<110%"),
                "eviction-hard: eviction percentage threshold memory.available must be <= 100%: 110%",
            ),
            (
                soft("memory.available<300Mi"),
                "eviction-soft: grace period must be specified for the soft eviction threshold memory.available",
            ),
            (
                grace("memory.available=-1s"),
                "eviction-soft-grace-period: invalid eviction grace period specified: -1s, must be a positive value",
            ),
            (
                reclaim("memory.available=-1Mi"),
                "eviction-minimum-reclaim: negative eviction minimum reclaim specified for memory.available",
            ),
            (
                reclaim("memory.available=0%"),
                "eviction-minimum-reclaim: eviction percentage minimum reclaim memory.available must be positive: 0%",
            ),
        ] {
            assert_eq!(result.unwrap_err(), words);
        }
        // These it takes: a grace of zero, and any share that is to be reclaimed.
        assert!(grace("memory.available=0s").is_ok() && reclaim("memory.available=150%").is_ok());
    }

    /// 1000 MiB and 10 MiB a second come up to 2 GiB, 1048 MiB more, after 104.8 s.
    #[test]
    fn usage_is_read() {
        let read = |text: &str| usage(text, Some(200 * MI));
        let piece = |secs, mi, per_hour| Piece {
            from: Dur::from_millis(secs),
            amount: mi * MI,
            per_hour: per_hour * MI,
        };
        let pieces = |text: &str| read(text).unwrap().0;
        assert_eq!(pieces("500Mi"), [piece(0, 500, 0)]);
        assert_eq!(pieces("150%"), [piece(0, 300, 0)]);
        assert_eq!(pieces("500Mi, 60s: 2Gi"), [piece(0, 500, 0), piece(60_000, 2048, 0)]);
        assert_eq!(
            pieces("1000Mi + 10Mi/s up to 2Gi"),
            [piece(0, 1000, 36_000), piece(104_800, 2048, 0)]
        );
        for (text, words) in [
            ("1Gi + 10Mi", "`10Mi` is no rate"),
            ("1Gi, 2Gi", "`2Gi` begins no later than what comes before it"),
            ("2Gi + 1Mi/s up to 1Gi", "`2Gi + 1Mi/s up to 1Gi` never comes up to that"),
            ("many", "quantity \"many\" is not a number with a suffix"),
        ] {
            let said = read(text).unwrap_err().message;
            assert!(said.starts_with(words), "{text}: {said}");
        }
        assert!(usage("80%", None).unwrap_err().message.contains("of what?"));
    }
}
