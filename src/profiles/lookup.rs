//! The profile of a release, with and without feature gates.

use super::gates::{self, gates_of};
use super::oldest::oldest;
use super::release::{ProfileError, Release};
use super::steps::{STEPS, Step};
use super::storage::STORAGE;
use crate::plan::Profile;
use std::collections::BTreeMap;

/// The behaviour of a release: `"1.34"` (or `"v1.34"`) is the last patch of that minor, `"1.20.2"`
/// one patch. What a vendor appends (`v1.34.4+k3s1`, `1.29.3-eks-a737599`) is left away; alpha,
/// beta and candidate releases are refused.
///
/// # Errors
/// What is not a release, or not one of 1.6 to 1.37.
pub fn profile(version: &str) -> Result<Profile, ProfileError> {
    Ok(made(Release::parse(version)?, None, &BTreeMap::new()))
}

/// Every change, those of one switch oldest first.
pub(super) fn steps() -> impl Iterator<Item = &'static Step> {
    STEPS.iter().chain(STORAGE)
}

/// The behaviour of a release with these gates set, without one of its steps. Before gates are looked at every one that it has
/// is taken as on.
fn made(release: Release, left_out: Option<&Step>, settings: &BTreeMap<String, bool>) -> Profile {
    let mut profile = oldest();
    profile.release = release.to_string();
    profile.recorded = release.recorded();
    let taken = |step: &&Step| !left_out.is_some_and(|out| std::ptr::eq(out, *step));
    for step in steps().filter(|step| release.has(step.since)).filter(taken) {
        (step.change)(&mut profile);
    }
    gates::apply(&mut profile, release, settings);
    profile
}

/// The behaviour of a release with feature gates set (`--feature-gates`); those not named have the
/// release's defaults.
///
/// # Errors
/// An unknown release, a gate that is unknown or that this release does not have, a locked gate
/// that is set to something else, and from 1.35 on a gate that is on without one that it needs.
pub fn with_gates(
    version: &str,
    settings: &BTreeMap<String, bool>,
) -> Result<Profile, ProfileError> {
    let release = Release::parse(version)?;
    gates::check(release, settings)?;
    Ok(made(release, None, settings))
}

/// Whether a release lets a gate be set so, as far as that does not depend on others.
///
/// # Errors
/// Those of [`with_gates`], but for what a gate needs of others.
pub fn check_gate(version: &str, name: &str, value: bool) -> Result<(), ProfileError> {
    gates::check_one(Release::parse(version)?, name, value)
}

/// The behaviour of a release without each single change since an older one that makes any difference to it:
/// without one of the steps between them, or with a gate as it stood by default. Its gates are set as in
/// [`with_gates`].
///
/// # Errors
/// Those of [`with_gates`], for either release.
pub fn without_each(
    version: &str,
    older: &str,
    settings: &BTreeMap<String, bool>,
) -> Result<Vec<Profile>, ProfileError> {
    let own = with_gates(version, settings)?;
    let (release, older) = (Release::parse(version)?, Release::parse(older)?);
    let steps = steps().filter(|step| release.has(step.since) && !older.has(step.since));
    let mut profiles: Vec<Profile> =
        steps.map(|step| made(release, Some(step), settings)).collect();
    let before = gates_of(older);
    let own_gates = gates_of(release).into_iter();
    for (name, gate) in own_gates.filter(|(name, _)| !settings.contains_key(*name)) {
        // What the older release has no gate for is off there.
        let was = before.iter().any(|(old, gate)| *old == name && gate.default);
        if was != gate.default {
            let mut settings = settings.clone();
            settings.insert(name.to_owned(), was);
            profiles.push(made(release, None, &settings));
        }
    }
    profiles.retain(|profile| *profile != own);
    Ok(profiles)
}
