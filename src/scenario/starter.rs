//! The scenario that `taintsim init` writes.

/// A commented scenario that runs as it stands.
pub(crate) fn starter() -> &'static str {
    include_str!("starter.ron")
}

#[cfg(test)]
mod tests {
    use super::super::{Overrides, parse};
    use crate::scenario::build;
    use std::path::Path;

    #[test]
    fn the_starter_builds() {
        let loaded =
            parse("starter.ron", super::starter().as_bytes().to_vec(), Path::new("")).unwrap();
        let plan = build(&loaded, &Overrides::default()).unwrap();
        // Two zones of five nodes; 20 web pods on them, and an agent on each node.
        assert_eq!((plan.nodes.len(), plan.pods.len()), (10, 30));
        assert_eq!(plan.timeline.len(), 2);
    }
}
