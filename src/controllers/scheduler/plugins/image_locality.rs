//! ImageLocality (`plugins/imagelocality/image_locality.go`): nodes that have the pod's image are liked better, the more so the
//! larger it is and the more nodes have it, lest all pods come to the few that do.
//!
//! A pod has one image here. How many nodes have it is counted at each attempt; upstream's number is as old as the last
//! change that it has seen of the node it scores.

use crate::controllers::scheduler::prelude::*;

/// What counts as nothing, and from where on more counts no more (`minThreshold`, `maxContainerThreshold`).
const THRESHOLDS: (i64, i64) = (23 << 20, 1000 << 20);

/// The scores of nodes; none where it is not known how large the pod's image is.
pub(crate) fn score(shape: &Shape, nodes: &[NodeId], cache: &Cache) -> Option<Vec<i64>> {
    let image = shape.template.image.as_ref().filter(|image| image.size > 0)?;
    let has = |id: &NodeId| {
        let images = cache.node(*id).and_then(|n| n.node.as_ref()?.images.as_ref());
        images.is_some_and(|all| all.contains(&image.name))
    };
    let all = cache.list();
    let having = all.iter().filter(|id| has(id)).count();
    let score = calculate_priority(scaled_image_score(image.size, having, all.len()));
    Some(nodes.iter().map(|id| if has(id) { score } else { 0 }).collect())
}

/// `scaledImageScore`
fn scaled_image_score(size: i64, having: usize, all: usize) -> i64 {
    (size as f64 * (having as f64 / all as f64)) as i64
}

/// `calculatePriority`
fn calculate_priority(sum: i64) -> i64 {
    let (least, most) = THRESHOLDS;
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
            assert_eq!(calculate_priority(scaled), expected, "{size} {having}/{all}");
        }
    }
}
