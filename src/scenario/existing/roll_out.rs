//! Takes what changed to the pods that exist.

use super::defaults::defaults;
use super::reached::Reached;
use super::templates::templates;
use crate::api::taint::{NOT_READY, UNREACHABLE};
use crate::language::Exported;
use crate::language::Scenario;

/// Takes what changed in templates and in the default tolerations' flags to the pods that exist.
/// `was` is the scenario before its settings were changed.
pub(crate) fn roll_out(
    spec: &mut Scenario,
    was: &Scenario,
    exported: Option<&Exported>,
) -> Vec<Reached> {
    let mut reached = templates(spec, was);
    for (key, flag, short) in [
        (NOT_READY, "default-not-ready-toleration-seconds", "not-ready"),
        (UNREACHABLE, "default-unreachable-toleration-seconds", "unreachable"),
    ] {
        reached.extend(defaults(spec, was, exported, key, flag, short));
    }
    reached
}
