//! Which release's API server stores which fields: `pkg/features/kube_features.go` of the releases beside each other.

use super::*;
use crate::plan::switches::api_fields::ApiField::{self, *};

fn dropped(profile: &Profile, field: ApiField) -> Option<Option<&'static str>> {
    profile.dropped_fields.get(&field).copied()
}

/// The last release with the gate off where nobody sets it, or without it, and the first with it on.
#[test]
fn a_field_is_stored_from_the_release_on_whose_gate_is_on() {
    for (field, without, with) in [
        (TopologySpreadConstraints, "1.17.17", "1.18.0"),
        (StartupProbe, "1.17.17", "1.18.0"),
        (PreemptionPolicy, "1.18.20", "1.19.0"),
        (NamespaceSelector, "1.21.14", "1.22.0"),
        (MinReadySeconds, "1.22.17", "1.23.0"),
        (ProbeGracePeriod, "1.24.17", "1.25.0"),
        (NodeInclusionPolicies, "1.25.16", "1.26.0"),
        (PodFailurePolicy, "1.25.16", "1.26.0"),
        (MinDomains, "1.26.15", "1.27.0"),
        (MatchLabelKeys, "1.26.15", "1.27.0"),
        (SchedulingGates, "1.26.15", "1.27.0"),
        (Ordinals, "1.26.15", "1.27.0"),
        (UnhealthyPodEvictionPolicy, "1.26.15", "1.27.0"),
        (PodReplacementPolicy, "1.28.15", "1.29.0"),
        (ContainerRestartPolicy, "1.28.15", "1.29.0"),
    ] {
        let word = field.as_str();
        assert!(dropped(&profile(without).unwrap(), field).is_some(), "{word} in {without}");
        assert_eq!(dropped(&profile(with).unwrap(), field), None, "{word} in {with}");
    }
    let of = |version: &str| profile(version).unwrap().dropped_fields;
    assert_eq!(of("1.6.0").len(), ApiField::ALL.len());
    assert!(["1.29.0", "1.34.4", "1.37.1"].iter().all(|version| of(version).is_empty()));
}

/// Where a release has the gate and that is off, it is the gate's doing; where it has none, nobody can have the field.
#[test]
fn a_gate_says_whether_a_field_is_stored() {
    let gate = "PDBUnhealthyPodEvictionPolicy";
    let field = |profile: Profile| dropped(&profile, UnhealthyPodEvictionPolicy);
    assert_eq!(field(profile("1.25").unwrap()), Some(None));
    assert_eq!(field(profile("1.26").unwrap()), Some(Some(gate)));
    assert_eq!(field(gated("1.26", &[(gate, true)]).unwrap()), None);
    assert_eq!(field(gated("1.30", &[(gate, false)]).unwrap()), Some(Some(gate)));
}
