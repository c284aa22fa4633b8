//! The API server's admission plugins: which are modelled, and the flags that switch them.
//!
//! `pkg/kubeapiserver/options/plugins.go`. Left out: plugins that change nothing here.

use crate::language::{FlagValue, Problem, did_you_mean_or_list};
use crate::plan::Admission;

/// Whether an admission plugin is modelled.
pub(crate) fn known_plugin(name: &str) -> bool {
    PLUGINS.contains(&name)
}

/// The admission plugins that are modelled, in the order in which the API server has them.
pub const PLUGINS: [&str; 4] = [
    "DefaultTolerationSeconds",
    "TaintNodesByCondition",
    "PodTolerationRestriction",
    "ExtendedResourceToleration",
];

/// Switches plugins on or off, where a value is given; those that are so then.
pub(super) fn set(
    admission: &mut Admission,
    given: Option<&FlagValue>,
    on: bool,
) -> Result<String, Problem> {
    let all = [
        &mut admission.default_toleration_seconds,
        &mut admission.taint_nodes_by_condition,
        &mut admission.pod_toleration_restriction,
        &mut admission.extended_resource_toleration,
    ];
    let text = given.map(FlagValue::to_string);
    for name in text.iter().flat_map(|t| t.split(',')).map(str::trim) {
        let place = PLUGINS.iter().position(|plugin| *plugin == name);
        let place = place.ok_or_else(|| {
            Problem::new(format!("`{name}` is not an admission plugin that is modelled"))
                .maybe_help(did_you_mean_or_list(name, &PLUGINS))
        })?;
        *all[place] = on;
    }
    let those = PLUGINS.iter().zip(&all).filter(|(_, is_on)| ***is_on == on);
    Ok(those.map(|(name, _)| *name).collect::<Vec<_>>().join(","))
}
