//! What a plan's figures are worth, kept with the scenario.

use super::duration;
use crate::language::Problem;
use crate::language::prelude::*;

/// Writes the prices and the names of the figures that have them, in that order.
macro_rules! priced {
    ($($(#[$doc:meta])* $figure:ident,)*) => {
        /// The names of the figures that can have a price.
        pub(crate) const PRICED: [&str; [$(stringify!($figure)),*].len()] =
            [$(stringify!($figure)),*];

        /// What figures of a year are worth to whoever plans. Without a currency a price is downtime of one
        /// replica: a duration, or a number of replica-minutes.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Prices {
            /// What prices are counted in; then every figure that counts needs one, and all are numbers.
            pub(crate) currency: Option<String>,
            $($(#[$doc])* pub(crate) $figure: Option<FlagValue>,)*
        }

        impl Prices {
            /// Each figure with its price, if it has one.
            pub(crate) fn each(&self) -> impl Iterator<Item = (&'static str, &FlagValue)> {
                let all = [$(&self.$figure),*];
                PRICED.into_iter().zip(all).filter_map(|(name, price)| Some((name, price.as_ref()?)))
            }
        }
    };
}

priced! {
    /// A minute of a replica that is missing; 1 without a currency.
    missing,
    /// A minute in which a workload is below what it needs.
    below,
    /// A minute of requests that are lost.
    lost,
    /// An eviction.
    evicted,
    /// An eviction that was needless, beside its price as an eviction.
    needless,
    /// A restart of a container.
    restarts,
    /// A minute in which a pod waits for a node.
    pending,
    /// A minute of a pod that runs although it was deleted.
    ghosts,
    /// An hour of a node, used or spare.
    node_hour,
}

/// What a year costs with higher ones is no number that could be written.
const PRICE_MAX: f64 = 1e9;

/// Reads a price: a number of the currency; without one replica-minutes, or a duration.
pub(crate) fn price(text: &str, currency: Option<&str>) -> Result<f64, Problem> {
    if currency.is_some_and(|unit| unit.trim().is_empty()) {
        return Err(Problem::new("the currency has no name").help("such as EUR"));
    }
    let text = text.trim();
    let number = text.parse::<f64>().ok().filter(|p| p.is_finite());
    let spoken = duration::parse(text).ok().filter(|_| currency.is_none());
    let value = number.or(spoken.map(|d| d.as_nanos() as f64 / 60e9));
    match value {
        Some(value) if value < 0.0 => {
            let problem = Problem::new(format!("a price of {text} is negative"));
            Err(problem.help("more of a figure is never better"))
        }
        Some(value) if value > PRICE_MAX => {
            let problem = Problem::new(format!("a price of {text} is more than a year comes to"));
            Err(problem.help("1e9 at most; only how prices compare counts"))
        }
        Some(value) => Ok(value),
        None => Err(match currency {
            Some(unit) => {
                Problem::new(format!("{text:?} is no price in {unit}")).help("write a number")
            }
            None => Problem::new(format!("{text:?} is no price"))
                .help("write a number of replica-minutes, or a duration such as 5m"),
        }),
    }
}
