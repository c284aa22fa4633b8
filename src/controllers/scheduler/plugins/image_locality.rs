//! ImageLocality (`plugins/imagelocality/image_locality.go`): nodes that have the pod's image are liked better, the more so the
//! larger it is and the more nodes have it, lest all pods come to the few that do.
//!
//! How many nodes have an image is counted at each attempt; upstream's number is as old as the last change that it has seen of
//! the node it scores.

use crate::api::container::{Container, Role};
use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::ImageScores;

/// What counts as nothing, and from where on more counts no more, of each container (`minThreshold`, `maxContainerThreshold`).
const THRESHOLDS: (i64, i64) = (23 << 20, 1000 << 20);

/// The scores of nodes; none where it is not known how large the pod's images are.
pub(crate) fn score(
    shape: &Shape,
    nodes: &[NodeId],
    cache: &Cache,
    how: ImageScores,
) -> Option<Vec<i64>> {
    let template = &shape.template;
    let counts = |c: &&Container| how == ImageScores::WithInit || c.role == Role::Beside;
    let others = template.containers.iter().filter(counts);
    let containers = if how == ImageScores::AsOne { 1 } else { 1 + others.clone().count() };
    let own = template.image.iter().chain(others.filter_map(|c| c.image.as_ref()));
    let has = |id: &NodeId, name: &Rc<str>| {
        let images = cache.node(*id).and_then(|n| n.node.as_ref()?.images.as_ref());
        images.is_some_and(|all| all.contains(name))
    };
    let all = cache.list();
    let sized = own.filter(|image| image.size > 0).map(|image| {
        let having = all.iter().filter(|id| has(id, &image.name)).count();
        (&image.name, scaled_image_score(image.size, having, all.len()))
    });
    let sized: Vec<(&Rc<str>, i64)> = sized.collect();
    let sum = |id: &NodeId| {
        let there = sized.iter().filter(|(name, _)| has(id, name)).map(|(_, score)| *score);
        there.fold(0, i64::saturating_add)
    };
    let score = |id| calculate_priority(sum(id), containers);
    (!sized.is_empty()).then(|| nodes.iter().map(score).collect())
}

/// `scaledImageScore`
fn scaled_image_score(size: i64, having: usize, all: usize) -> i64 {
    (size as f64 * (having as f64 / all as f64)) as i64
}

/// `calculatePriority`
fn calculate_priority(sum: i64, containers: usize) -> i64 {
    let (least, most) = THRESHOLDS;
    let most = most * containers as i64;
    MAX_NODE_SCORE * (sum.clamp(least, most) - least) / (most - least)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In MiB, of 977 between 23 and 1000: 250 - 23 = 227 is 23.2 in a hundred, 500 - 23 = 477 is 48.8.
    #[test]
    fn large_images_that_many_nodes_have_count_most() {
        for (size, having, all, expected) in [
            (500, 2, 2, 48),
            (500, 1, 2, 23),
            (500, 1, 20, 0),
            (40, 1, 2, 0),
            (23, 2, 2, 0),
            (1000, 3, 3, 100),
            (9000, 1, 3, 100),
        ] {
            let scaled = scaled_image_score(size << 20, having, all);
            assert_eq!(calculate_priority(scaled, 1), expected, "{size} {having}/{all}");
        }
        // Of two containers 477 of 1977 are 24.1 in a hundred.
        assert_eq!(calculate_priority(500 << 20, 2), 24);
    }
}
