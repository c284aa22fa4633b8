//! The build itself: a scenario with its overrides in, a plan out.

use super::assembly::{Drawn, plan};
use super::overrides::{Changed, Overrides, overridden};
use super::prelude::*;
use crate::language::values::SEED;

/// The seed of a run.
pub fn seed(loaded: &Loaded, overrides: &Overrides) -> Result<u64, Problems> {
    changed(loaded, overrides).map(|spec| spec.seed.unwrap_or(SEED))
}

/// The plan of a run.
///
/// # Errors
/// Everything that is wrong with the scenario or the overrides, each with its place.
pub fn build(loaded: &Loaded, overrides: &Overrides) -> Result<Plan, Problems> {
    drawn(loaded, overrides).map(|drawn| drawn.plan)
}

/// The plan of a run whose faults can be drawn again, for other seeds.
///
/// # Errors
/// As [`build`].
pub(crate) fn drawn(loaded: &Loaded, overrides: &Overrides) -> Result<Drawn, Problems> {
    both(loaded, overrides).map(|(drawn, _)| drawn)
}

/// The plan of a run, and what the scenario expects of it.
///
/// # Errors
/// As [`build`].
pub fn expecting(loaded: &Loaded, overrides: &Overrides) -> Result<(Plan, Expectations), Problems> {
    both(loaded, overrides).map(|(drawn, expectations)| (drawn.plan, expectations))
}

fn both(loaded: &Loaded, overrides: &Overrides) -> Result<(Drawn, Expectations), Problems> {
    let changed = overridden(loaded, overrides)?;
    let complaints = Complaints::default();
    let seed = changed.spec.seed.unwrap_or(SEED);
    let plan = plan(&changed, loaded, seed, Damage::default(), &complaints);
    complaints.finish(&loaded.source, None, &changed.sets)?;
    // Without a complaint there is a plan: whoever reads this message has found a bug.
    let why = "this scenario cannot be built, and nothing says why: please report it";
    plan.ok_or_else(|| Problems::one(Problem::new(why)))
}

/// Mistakes of meaning in what is left of a scenario with mistakes of form; `left` is its tree
/// without those.
pub(crate) fn mistakes(loaded: &Loaded, left: &Tree, damage: Damage) -> Vec<Problem> {
    let complaints = Complaints::default();
    let changed = Changed { spec: loaded.spec.clone(), ..Changed::default() };
    plan(&changed, loaded, SEED, damage, &complaints);
    complaints.finish(&loaded.source, Some(left), &[]).err().map_or_else(Vec::new, |all| all.0)
}

/// What a scenario says, with the command line's changes; its nodes and pods may come from an
/// export.
///
/// # Errors
/// What is wrong with the changes, each with its place.
pub fn changed(loaded: &Loaded, overrides: &Overrides) -> Result<Scenario, Problems> {
    overridden(loaded, overrides).map(|changed| changed.spec)
}
