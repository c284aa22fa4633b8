//! What is skipped, so that cost follows change: passes that cannot change anything, and nodes
//! about which a pass would find nothing to do. The steps of the controller tell [`Skipper`] what
//! may end that, and a pass asks [`AwakeNodes`] for its nodes.

mod awake_nodes;
mod skipper;

pub(super) use awake_nodes::AwakeNodes;
pub(super) use skipper::Skipper;
