//! What is chosen, what counts, and what must hold.

use crate::analysis::Figure;
use crate::language::duration;

/// The figures that are kept of every run.
pub(crate) const FIGURES: [Figure; 8] = [
    Figure::ReplicaMinutesMissing,
    Figure::MinutesBelowNeed,
    Figure::RequestsLostMinutes,
    Figure::Evicted,
    Figure::Needless,
    Figure::Restarts,
    Figure::PendingMinutes,
    Figure::GhostMinutes,
];

/// What people call them.
const NAMES: [&str; 8] = [
    "missing", "below", "lost", "evicted", "needless", "restarts", "pending", "ghosts",
];

/// The place of a figure by its name, short or long.
fn place(name: &str) -> Result<usize, String> {
    let long = |f: &Figure| f.name() == name;
    let found = NAMES.iter().position(|n| *n == name);
    found
        .or_else(|| FIGURES.iter().position(long))
        .ok_or_else(|| format!("{name:?} is no figure: {}", NAMES.join(", ")))
}

/// What a unit of each figure costs. Without a price a minute of a missing replica costs one, and
/// nothing else does: costs are replica-minutes then.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Objective {
    /// By the place in [`FIGURES`].
    pub prices: [f64; FIGURES.len()],
    /// What a price is counted in.
    pub unit: String,
}

impl Objective {
    /// Of prices such as `evicted=5m`: a duration is so much downtime of one replica, a number is
    /// of the unit.
    ///
    /// # Errors
    /// A figure or price that makes no sense.
    pub(crate) fn new(prices: &[String], currency: Option<&str>) -> Result<Self, String> {
        let mut objective = Self {
            prices: [0.0; FIGURES.len()],
            unit: currency.unwrap_or("replica-minutes").to_owned(),
        };
        if currency.is_none() {
            objective.prices[0] = 1.0;
        }
        for text in prices {
            let (name, price) = text.split_once('=').ok_or_else(|| {
                format!("{text:?} is no price: write FIGURE=PRICE, such as evicted=5m")
            })?;
            let i = place(name.trim())?;
            let price = price.trim();
            let number = price.parse::<f64>().ok().filter(|p| p.is_finite());
            let spoken = duration::parse(price).ok().filter(|_| currency.is_none());
            let value = number.or(spoken.map(|d| d.as_nanos() as f64 / 60e9));
            let wrong = || match currency {
                Some(unit) => format!("{price:?} is no price in {unit}: write a number"),
                None => format!(
                    "{price:?} is no price: write a number of replica-minutes, or a duration such as 5m"
                ),
            };
            let value = value.ok_or_else(wrong)?;
            if value < 0.0 {
                return Err(format!(
                    "the price of {name} is negative: more of a figure is never better"
                ));
            }
            objective.prices[i] = value;
        }
        if objective.prices.iter().all(|p| *p == 0.0) {
            return Err("nothing has a price: give at least one, such as missing=0.02".to_owned());
        }
        Ok(objective)
    }

    /// What a year costs.
    pub(crate) fn of(&self, figures: &[f64]) -> f64 {
        self.prices.iter().zip(figures).map(|(p, f)| p * f).sum()
    }
}

/// The weights of a row's cost.
pub(super) fn weights(objective: &Objective, row: usize, sign: f64) -> Vec<(usize, f64)> {
    let prices = objective.prices.iter().enumerate().filter(|p| *p.1 != 0.0);
    prices
        .map(|(f, p)| (row * FIGURES.len() + f, sign * p))
        .collect()
}

/// What a year must not come to: `needless<=20/y`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bound {
    /// As it was written.
    pub text: String,
    /// Which figure, a place in [`FIGURES`].
    pub figure: usize,
    /// What it must not be above, a year.
    pub most: f64,
}

impl Bound {
    /// Reads `needless<=20/y`; times are minutes, or durations.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is no limit: write FIGURE<=VALUE/y, such as needless<=20/y or below<=30m/y"
            )
        };
        let (name, value) = text.split_once("<=").ok_or_else(wrong)?;
        let value = value.trim();
        let value = value.strip_suffix("/y").unwrap_or(value).trim();
        let figure = place(name.trim())?;
        let number = value.parse::<f64>().ok();
        let spoken = duration::parse(value)
            .ok()
            .filter(|_| !FIGURES[figure].is_count());
        let most = number.or(spoken.map(|d| d.as_nanos() as f64 / 60e9));
        let most = most
            .filter(|m| *m >= 0.0 && m.is_finite())
            .ok_or_else(wrong)?;
        Ok(Self {
            text: text.to_owned(),
            figure,
            most,
        })
    }
}

/// The values of a setting: as they are written, or seven from one to another, closer together at
/// the beginning, where most changes.
///
/// # Errors
/// A range that does not rise, or whose ends are neither numbers nor durations.
pub(crate) fn expanded(values: &[String]) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for value in values {
        match value.split_once("..") {
            Some((low, high)) => all.extend(range(low.trim(), high.trim())?),
            None => all.push(value.clone()),
        }
    }
    let mut once: Vec<String> = Vec::new();
    for value in all {
        if !once.contains(&value) {
            once.push(value);
        }
    }
    Ok(once)
}

const STEPS: u32 = 6;

fn range(low: &str, high: &str) -> Result<Vec<String>, String> {
    let wrong = || {
        format!(
            "\"{low}..{high}\" is no range: write two numbers or two durations, the lower first, such as 0..600 or 10s..2m"
        )
    };
    if let (Ok(a), Ok(b)) = (low.parse::<u64>(), high.parse::<u64>()) {
        let all = steps(a, b).ok_or_else(wrong)?;
        return Ok(all.iter().map(u64::to_string).collect());
    }
    let seconds = |text| {
        duration::parse(text)
            .map(|d| d.as_secs())
            .map_err(|_| wrong())
    };
    let all = steps(seconds(low)?, seconds(high)?).ok_or_else(wrong)?;
    Ok(all.iter().map(|s| format!("{s}s")).collect())
}

/// Whole numbers from one to another, two digits of each but the ends.
fn steps(a: u64, b: u64) -> Option<Vec<u64>> {
    if a >= b {
        return None;
    }
    let at = |i: u32| {
        let share = f64::from(i * i) / f64::from(STEPS * STEPS);
        let exact = a as f64 + (b - a) as f64 * share;
        let mut unit = 1.0;
        while exact / unit >= 100.0 {
            unit *= 10.0;
        }
        ((exact / unit).round() * unit) as u64
    };
    let mut all: Vec<u64> = (1..STEPS).map(at).collect();
    all.extend([a, b]);
    all.sort_unstable();
    all.dedup();
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_and_limits() {
        let o = Objective::new(&["evicted=5m".to_owned(), "needless=2".to_owned()], None).unwrap();
        // 10 minutes missing, 3 evicted, one of them needless: 10 + 15 + 2.
        let mut figures = [0.0; FIGURES.len()];
        (figures[0], figures[3], figures[4]) = (10.0, 3.0, 1.0);
        assert_eq!((o.of(&figures), o.unit.as_str()), (27.0, "replica-minutes"));
        let o = Objective::new(&["missing=0.02".to_owned()], Some("EUR")).unwrap();
        assert_eq!((o.of(&figures), o.unit.as_str()), (0.2, "EUR"));
        for wrong in ["evicted", "evicted=x", "evicted=-1", "pods=1"] {
            assert!(
                Objective::new(&[wrong.to_owned()], None).is_err(),
                "{wrong}"
            );
        }
        assert!(Objective::new(&[], Some("EUR")).is_err());
        let b = Bound::parse("needless<=20/y").unwrap();
        assert_eq!((b.figure, b.most), (4, 20.0));
        assert_eq!(Bound::parse("below <= 1h/y").unwrap().most, 60.0);
        for wrong in [
            "needless<20",
            "needless<=x",
            "needless<=5m",
            "x<=1",
            "lost<=-1m",
        ] {
            assert!(Bound::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_range_is_closer_where_it_begins() {
        let of = |v: &[&str]| expanded(&v.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        // 600 · (1, 4, 9, 16, 25)/36 = 16.7, 66.7, 150, 266.7, 416.7
        assert_eq!(
            of(&["0..600"]).unwrap(),
            ["0", "17", "67", "150", "270", "420", "600"]
        );
        assert_eq!(
            of(&["10s..13s", "none"]).unwrap(),
            ["10s", "11s", "12s", "13s", "none"]
        );
        assert_eq!(of(&["60", "60"]).unwrap(), ["60"]);
        for wrong in ["9..1", "a..b", "1..2m"] {
            assert!(of(&[wrong]).is_err(), "{wrong}");
        }
    }
}
