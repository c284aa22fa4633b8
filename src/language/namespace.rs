//! Namespaces, as far as the admission plugin PodTolerationRestriction reads them.

use super::cluster::Toleration;
use super::texts::NamesText;
use serde::{Deserialize, Serialize};

/// What a namespace says of the tolerations of its pods. It counts where `enable-admission-plugins`
/// has PodTolerationRestriction.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Namespace {
    /// The name of a single namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The names of several, `"team-{1..3}"`; instead of `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<NamesText>,
    /// The annotation `scheduler.alpha.kubernetes.io/defaultTolerations`: what new pods get.
    #[serde(default, rename = "defaultTolerations", skip_serializing_if = "Option::is_none")]
    pub default_tolerations: Option<Vec<Toleration>>,
    /// The annotation `scheduler.alpha.kubernetes.io/tolerationsWhitelist`: what pods may have;
    /// anything where it is empty.
    #[serde(default, rename = "tolerationsWhitelist", skip_serializing_if = "Option::is_none")]
    pub tolerations_whitelist: Option<Vec<Toleration>>,
}
