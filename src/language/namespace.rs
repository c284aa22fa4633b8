//! Namespaces, as far as the admission plugin PodTolerationRestriction reads them.

use super::cluster::Toleration;
use super::texts::NamesText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a namespace says of the tolerations of its pods. It counts where `enable-admission-plugins`
/// has PodTolerationRestriction.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Namespace {
    /// The name of a single namespace.
    pub name: Option<String>,
    /// The names of several, `"team-{1..3}"`; instead of `name`.
    pub names: Option<NamesText>,
    /// The annotation `scheduler.alpha.kubernetes.io/defaultTolerations`: what new pods get.
    pub default_tolerations: Option<Vec<Toleration>>,
    /// The annotation `scheduler.alpha.kubernetes.io/tolerationsWhitelist`: what pods may have;
    /// anything where it is empty.
    pub tolerations_whitelist: Option<Vec<Toleration>>,
}
