//! The profile of the release that a scenario names, with its feature gates.

use crate::language::Problem;
use crate::language::Scenario;
use crate::language::complaints::Complaints;
use crate::language::defaults::KUBERNETES;
use crate::language::text::place::at;
use crate::plan::Profile;
use crate::profiles::{self, GateError};
use std::collections::BTreeMap;

/// The profile; where the release or a gate is not known, that of a known release, so that the rest
/// of the scenario can be looked at.
pub(super) fn profile(spec: &Scenario, complaints: &mut Complaints) -> Option<Profile> {
    let version = spec.kubernetes.as_deref().unwrap_or(KUBERNETES);
    let problem = match profiles::with_gates(version, &spec.feature_gates) {
        Ok(profile) => return Some(profile),
        Err(error) => Problem::new(error.to_string()).maybe_help(error.hint()),
    };
    // One gate after the other, so that each mistake is named.
    let mut named = false;
    for (name, value) in &spec.feature_gates {
        match profiles::with_gates(version, &BTreeMap::from([(name.clone(), *value)])) {
            Ok(_) => {}
            Err(GateError::Release(_)) => break,
            Err(error) => {
                complaints.add_name(
                    at!["feature_gates", name],
                    Problem::new(error.to_string()).maybe_help(error.hint()),
                );
                named = true;
            }
        }
    }
    if !named {
        complaints.add(at!["kubernetes"], problem);
    }
    // The release without gates, so that the rest can be looked at.
    profiles::profile(version).or_else(|_| profiles::profile(KUBERNETES)).ok()
}
