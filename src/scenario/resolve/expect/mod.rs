//! Expectations: names are looked up, windows are read and checked against the run, counts and
//! limits are read.

mod expected;
mod figures;
mod selected;
mod sought;

use crate::scenario::resolve::prelude::*;
use crate::scenario::resolve::when::Resolver;
use serde::Serialize;

/// What expectations refer to.
pub(crate) struct Reader<'a> {
    pub(crate) moments: &'a Resolver<'a>,
    pub(crate) horizon: Time,
    pub(crate) nodes: &'a Nodes,
    pub(crate) pods: &'a Pods,
    pub(crate) workloads: &'a Workloads,
}

/// A time as people write it: `10m0s`.
pub(super) fn from_start(time: Time) -> Dur {
    Dur::from_nanos(time.as_nanos())
}

/// Complains about a name that none of those actors has that are meant.
pub(super) fn actor(name: &str, is_meant: fn(&Actor) -> bool, place: &Spot) -> Option<()> {
    let meant = Actor::ALL.iter().filter(|a| is_meant(a));
    let known: Vec<&str> = meant.map(|a| a.as_str()).collect();
    if known.contains(&name) {
        return Some(());
    }
    let help = did_you_mean(name, &known).unwrap_or_else(|| format!("one of {}", known.join(", ")));
    place.refuse(Problem::new(format!("nobody is called `{name}`")).help(help))
}

/// The word that an expectation or a claim begins with.
pub(super) fn word<T: Serialize>(written: &T) -> String {
    Tree::of(written).word().to_owned()
}
