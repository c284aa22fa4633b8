//! What is chosen, what counts, and what must hold.

use super::closed::Closed;
use crate::lab::prelude::*;
use crate::language::Prices;
use crate::language::prices::{self, PRICED};

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

/// The place of the minutes below need.
pub(crate) const BELOW: usize = 1;
/// The places of figures that formulas know, which are those of [`OWN`].
pub(crate) const MISSING: usize = 0;
pub(crate) const EVICTED: usize = 3;
pub(crate) const NEEDLESS: usize = 4;
pub(crate) const BY_FORMULA: [usize; 3] = [MISSING, EVICTED, NEEDLESS];
/// Those of figures that outages which were drawn have by formula.
pub(super) const DRAWN: [usize; 4] = [MISSING, EVICTED, NEEDLESS, BELOW];

/// The figures that are kept of a workload whose setting is chosen, for itself.
pub(crate) const OWN: [Figure; 3] =
    [Figure::ReplicaMinutesMissing, Figure::Evicted, Figure::Needless];

/// The place of a figure by its name, short or long.
fn place(name: &str) -> Result<usize, String> {
    let names = &PRICED[..FIGURES.len()];
    let long = |f: &Figure| f.name() == name;
    let found = names.iter().position(|n| *n == name);
    found
        .or_else(|| FIGURES.iter().position(long))
        .ok_or_else(|| format!("{name:?} is no figure: {}", names.join(", ")))
}

/// What a price of nodes is called.
const NODE_HOUR: &str = "node_hour";
/// The hours of a year.
const YEAR_H: f64 = 8_760.0;

/// What a unit of each figure costs. Without a price a minute of a missing replica costs one, and
/// nothing else does: costs are replica-minutes then.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Objective {
    /// By the place in [`FIGURES`].
    pub(crate) prices: [f64; FIGURES.len()],
    /// Of an hour of a node.
    pub(crate) node_hour: f64,
    /// What a price is counted in.
    pub(crate) unit: String,
}

/// What prices are counted in where there is no currency.
const REPLICA_MINUTES: &str = "replica-minutes";

impl Objective {
    /// Without a price: downtime of replicas, or a currency in which nothing has a price yet.
    pub(crate) fn new(currency: Option<&str>) -> Self {
        let mut prices = [0.0; FIGURES.len()];
        if currency.is_none() {
            prices[0] = 1.0;
        }
        Self { prices, node_hour: 0.0, unit: currency.unwrap_or(REPLICA_MINUTES).to_owned() }
    }

    /// What a scenario says.
    ///
    /// # Errors
    /// A price that makes no sense.
    pub(crate) fn written(written: &Prices) -> Result<Self, Problem> {
        let mut objective = Self::new(written.currency.as_deref());
        for (name, price) in written.each() {
            objective.put(name, &price.to_string())?;
        }
        Ok(objective)
    }

    /// With other prices, such as `evicted=5m`, in place of those of these figures: a duration is so
    /// much downtime of one replica, a number is of the unit. In another currency all are said anew.
    ///
    /// # Errors
    /// A figure or price that makes no sense, or nothing that has a price.
    pub(crate) fn with(
        mut self,
        prices: &[String],
        currency: Option<&str>,
    ) -> Result<Self, Problem> {
        if let Some(currency) = currency.filter(|c| *c != self.unit) {
            self = Self::new(Some(currency));
        }
        for text in prices {
            let (name, price) = text.split_once('=').ok_or_else(|| {
                Problem::new(format!("{text:?} is no price"))
                    .help("write FIGURE=PRICE, such as evicted=5m")
            })?;
            self.put(name.trim(), price)?;
        }
        if self.prices.iter().all(|p| *p == 0.0) && self.node_hour == 0.0 {
            let problem = Problem::new("nothing has a price");
            return Err(problem.help("give at least one, such as missing=0.02"));
        }
        Ok(self)
    }

    fn put(&mut self, name: &str, price: &str) -> Result<(), Problem> {
        let currency = (self.unit != REPLICA_MINUTES).then_some(self.unit.as_str());
        let value = || {
            prices::price(price, currency)
                .map_err(|p| Problem { message: format!("{name}: {}", p.message), ..p })
        };
        if name == NODE_HOUR {
            self.node_hour = value()?;
        } else {
            let i = place(name).map_err(|text| Problem::new(format!("{text}, {NODE_HOUR}")))?;
            self.prices[i] = value()?;
        }
        Ok(())
    }

    /// What a year costs with that number of nodes.
    pub(crate) fn of(&self, figures: &[f64], nodes: f64) -> f64 {
        self.failing(figures) + self.standing(nodes)
    }

    /// What these figures cost.
    pub(super) fn failing(&self, figures: &[f64]) -> f64 {
        self.prices.iter().zip(figures).map(|(p, f)| p * f).sum()
    }

    /// The figures with a price, by their places in [`FIGURES`], if formulas know none of them.
    pub(crate) fn unknown_to_formulas(&self) -> Vec<usize> {
        let priced: Vec<usize> = (0..FIGURES.len()).filter(|f| self.prices[*f] > 0.0).collect();
        let known = priced.iter().any(|f| BY_FORMULA.contains(f));
        if known { Vec::new() } else { priced }
    }

    /// What a year's failures cost by formula.
    pub(super) fn of_formula(&self, of: &Closed) -> f64 {
        let all = BY_FORMULA.iter().zip(of.by_formula());
        all.map(|(place, figure)| self.prices[*place] * figure).sum()
    }

    /// What is nothing to choose by: a minute of a replica in a year.
    pub(crate) fn least(&self) -> f64 {
        self.prices[0].max(1e-6)
    }

    /// What that number of nodes costs in a year, whether they fail or not.
    pub(crate) fn standing(&self, nodes: f64) -> f64 {
        self.node_hour * YEAR_H * nodes
    }
}

/// How often each row is run, whatever comes of it.
#[derive(Clone, Debug)]
pub(crate) struct Only {
    /// The values of each.
    pub(crate) rows: Vec<Vec<String>>,
    /// How many replications.
    pub(crate) n: u64,
    /// What is nothing to choose by.
    pub(crate) delta: f64,
    /// What all rows cost in a year in which nothing fails.
    pub(crate) always: Vec<f64>,
    /// The workloads that are below their need in all of it.
    pub(crate) always_below: BTreeSet<String>,
}

/// What a year must not come to: `needless<=20/y`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Bound {
    /// As it was written.
    pub(crate) text: String,
    /// Which figure, a place in [`FIGURES`].
    pub(crate) figure: usize,
    /// What it must not be above, a year.
    pub(crate) most: f64,
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
        let spoken = duration::parse(value).ok().filter(|_| !FIGURES[figure].is_count());
        let most = number.or(spoken.map(|d| d.as_nanos() as f64 / 60e9));
        let most = most.filter(|m| *m >= 0.0 && m.is_finite()).ok_or_else(wrong)?;
        Ok(Self { text: text.to_owned(), figure, most })
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
            // Names have ranges of their own: `a-{0..3}`.
            Some((low, high)) if !value.contains('{') => {
                all.extend(range(low.trim(), high.trim())?);
            }
            _ => all.push(value.clone()),
        }
    }
    let mut seen = BTreeSet::new();
    all.retain(|value: &String| seen.insert(value.clone()));
    Ok(all)
}

const STEPS: u32 = 6;

fn range(low: &str, high: &str) -> Result<Vec<String>, String> {
    let wrong = || {
        format!(
            "\"{low}..{high}\" is no range: write two whole numbers or two durations of whole seconds, the lower first, such as 0..600 or 10s..2m"
        )
    };
    if let (Ok(a), Ok(b)) = (low.parse::<u64>(), high.parse::<u64>()) {
        let all = steps(a, b).ok_or_else(wrong)?;
        return Ok(all.iter().map(u64::to_string).collect());
    }
    let whole = |text| duration::whole_seconds(text)?.try_into().ok();
    let seconds = |text| whole(text).ok_or_else(wrong);
    let all = steps(seconds(low)?, seconds(high)?).ok_or_else(wrong)?;
    Ok(all.iter().map(|s| format!("{s}s")).collect())
}

/// Whole numbers from one to another, two digits of each but the ends, or as many as tell them apart.
fn steps(a: u64, b: u64) -> Option<Vec<u64>> {
    if a >= b {
        return None;
    }
    let at = |i: u32| {
        let share = f64::from(i * i) / f64::from(STEPS * STEPS);
        let exact = a as f64 + (b - a) as f64 * share;
        let mut unit = 1.0;
        // In a narrow range two digits tell nothing apart.
        while exact / unit >= 100.0 && unit * 10.0 <= (b - a) as f64 / f64::from(STEPS) {
            unit *= 10.0;
        }
        (((exact / unit).round() * unit) as u64).clamp(a, b)
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
    use crate::language::FlagValue;

    #[test]
    fn prices_and_limits() {
        let texts = |all: &[&str]| all.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let of =
            |prices: &[&str], currency| Objective::new(currency).with(&texts(prices), currency);
        let o = of(&["evicted=5m", "needless=2"], None).unwrap();
        // 10 minutes missing, 3 evicted, one of them needless: 10 + 15 + 2.
        let mut figures = [0.0; FIGURES.len()];
        (figures[0], figures[3], figures[4]) = (10.0, 3.0, 1.0);
        assert_eq!((o.of(&figures, 5.0), o.unit.as_str()), (27.0, "replica-minutes"));
        // A year of two nodes has 17,520 hours.
        let o = of(&["missing=0.02", "node_hour=0.1"], Some("EUR")).unwrap();
        assert_eq!((o.of(&figures, 2.0), o.unit.as_str()), (1_752.2, "EUR"));
        // Formulas know nothing of minutes below need, and do of evictions.
        let unknown = |prices: &[&str]| of(prices, None).unwrap().unknown_to_formulas();
        assert_eq!(unknown(&["missing=0", "below=1"]), [BELOW]);
        assert!(unknown(&["missing=0", "below=1", "evicted=5m"]).is_empty());
        for wrong in ["evicted", "evicted=x", "evicted=-1", "evicted=1e308", "pods=1"] {
            assert!(of(&[wrong], None).is_err(), "{wrong}");
        }
        assert!(of(&[], Some("EUR")).is_err());
        assert!(of(&["missing=1"], Some("")).is_err());
        // What a scenario says, and one of its prices anew.
        let written = Prices {
            currency: Some("EUR".to_owned()),
            missing: Some(FlagValue::Float(0.5)),
            evicted: Some(FlagValue::Int(2)),
            ..Prices::default()
        };
        let o = Objective::written(&written).unwrap();
        assert_eq!(o.of(&figures, 0.0), 11.0);
        let o = o.with(&texts(&["evicted=1"]), None).unwrap();
        assert_eq!(o.of(&figures, 0.0), 8.0);
        // In another currency nothing has a price yet.
        assert!(o.clone().with(&[], Some("USD")).is_err());
        let dollars = o.clone().with(&texts(&["evicted=1"]), Some("USD")).unwrap();
        assert_eq!(dollars.of(&figures, 0.0), 3.0);
        assert!(o.with(&texts(&["evicted=5m"]), None).is_err());
        let b = Bound::parse("needless<=20/y").unwrap();
        assert_eq!((b.figure, b.most), (4, 20.0));
        assert_eq!(Bound::parse("below <= 1h/y").unwrap().most, 60.0);
        for wrong in ["needless<20", "needless<=x", "needless<=5m", "x<=1", "lost<=-1m"] {
            assert!(Bound::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_range_is_closer_where_it_begins() {
        let of = |v: &[&str]| expanded(&v.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        // 600 · (1, 4, 9, 16, 25)/36 = 16.7, 66.7, 150, 266.7, 416.7
        assert_eq!(of(&["0..600"]).unwrap(), ["0", "17", "67", "150", "270", "420", "600"]);
        assert_eq!(of(&["10s..13s", "none"]).unwrap(), ["10s", "11s", "12s", "13s", "none"]);
        assert_eq!(of(&["60", "60"]).unwrap(), ["60"]);
        assert_eq!(of(&["a-{0..3}"]).unwrap(), ["a-{0..3}"]);
        // 101 + 4 · (1, 4, 9, 16, 25)/36 = 101.1, 101.4, 102, 102.8, 103.8
        assert_eq!(of(&["101..105"]).unwrap(), ["101", "102", "103", "104", "105"]);
        for wrong in ["9..1", "a..b", "1..2m", "10ms..500ms", "1.5s..9s"] {
            assert!(of(&[wrong]).is_err(), "{wrong}");
        }
    }
}
