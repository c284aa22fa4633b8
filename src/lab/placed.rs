//! Where pods are at a time of a run: some are placed before it, and others only in it.

use crate::lab::prelude::*;

/// What is made of the pods that have a node just before a time.
pub(super) fn placed<T>(
    analysis: &Analysis<'_>,
    at: Time,
    mut of: impl FnMut(PodId, &PodState, NodeIndex) -> Option<T>,
) -> Vec<T> {
    let mut follow = Follow::new(analysis);
    let before = (0..).zip(analysis.trace.iter()).take_while(|(_, r)| r.at < at);
    before.for_each(|(id, r)| _ = follow.apply(id, r));
    let one = |(pod, state): (PodId, &PodState)| of(pod, state, state.node_id()?.0);
    follow.pods().filter_map(one).collect()
}
