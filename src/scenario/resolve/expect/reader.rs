//! What expectations are looked up in.

use crate::kernel::{Dur, Time};
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::text::did_you_mean;
use crate::language::text::place::Place;
use crate::scenario::resolve::select::{Nodes, Pods};
use crate::scenario::resolve::when::Resolver;
use crate::scenario::resolve::workloads::Workloads;
use crate::trace::Actor;

/// What expectations refer to.
pub(crate) struct Reader<'a> {
    pub(crate) moments: &'a Resolver<'a>,
    pub(crate) horizon: Time,
    pub(crate) nodes: &'a Nodes,
    pub(crate) pods: &'a Pods,
    pub(crate) workloads: &'a Workloads,
}

/// The run that the expectations are about.
#[derive(Clone, Copy)]
pub(crate) struct Of<'a> {
    pub(crate) seed: u64,
    pub(crate) release: &'a str,
}

/// A time as people write it: `10m0s`.
pub(super) fn from_start(time: Time) -> Dur {
    Dur::from_nanos(time.as_nanos())
}

/// Complains about a name that no actor has.
pub(super) fn actor(name: &str, place: &Place, complaints: &mut Complaints) -> Option<()> {
    let known: Vec<&str> = Actor::ALL.iter().map(|a| a.as_str()).collect();
    if known.contains(&name) {
        return Some(());
    }
    let help = did_you_mean(name, known.iter().copied())
        .unwrap_or_else(|| format!("one of {}", known.join(", ")));
    complaints.add(place.clone(), Problem::new(format!("nobody is called `{name}`")).help(help));
    None
}
