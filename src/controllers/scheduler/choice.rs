//! How the scheduler chooses nodes (`KubeSchedulerConfiguration`).

use crate::plan::Strategy;
use crate::plan::switches::scheduler::Switches;

/// How nodes are chosen (`KubeSchedulerConfiguration`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the release does.
    pub switches: Switches,
    /// `percentageOfNodesToScore`; 0 is the default, which depends on the size of the cluster.
    pub percentage_of_nodes_to_score: u32,
    /// `scoringStrategy` of NodeResourcesFit.
    pub strategy: Strategy,
    /// What is known of nodes is kept up to date; otherwise it is worked out anew for each pod,
    /// with the same result.
    pub indexed: bool,
}
