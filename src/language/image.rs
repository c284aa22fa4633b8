//! The image of a pod's container.

use super::spans::HowLong;
use super::texts::DurationText;
use crate::language::prelude::*;

/// An image, and how long it takes to get it onto a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Image {
    /// Its name. A node has an image for all pods that name it alike.
    pub(crate) name: String,
    /// How long it takes to pull it onto a node that does not have it, from when its turn comes.
    pub(crate) pull: HowLong,
    /// How long a pull takes where the node has it already; half a second where not given.
    pub(crate) check: Option<DurationText>,
    /// `IfNotPresent` where not given.
    #[serde(rename = "imagePullPolicy")]
    pub(crate) image_pull_policy: Option<PullPolicy>,
}

/// `spec.containers[].imagePullPolicy`
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
pub(crate) enum PullPolicy {
    /// It is pulled where the node does not have it.
    IfNotPresent,
    /// It is pulled with each start of a container.
    Always,
}
