//! Where what happens to volumes happens in most seeds.

use super::count::most;
use crate::analysis::course::{Course, Happening as H};
use crate::lab::prelude::*;

/// The nodes on which things happen in half of the seeds or more: those that have to do with volumes, which come sooner where a
/// volume is already. Where anything else happens is chance alone.
pub(super) type Usual<'c> = BTreeMap<&'c (H, String), String>;

pub(super) fn usual(courses: &[Course]) -> Usual<'_> {
    let mut nodes: BTreeMap<&(H, String), Vec<&String>> = BTreeMap::new();
    for (what, node) in courses.iter().flat_map(|c| &c.on) {
        if matches!(what.0, H::VolumeDetached | H::VolumeAttached | H::PodReady) {
            nodes.entry(what).or_default().push(node);
        }
    }
    let of_most = |(what, nodes): (_, Vec<&String>)| {
        let (node, on_it) = most(nodes.iter().copied())?;
        (on_it * 2 >= nodes.len()).then_some((what, node))
    };
    nodes.into_iter().filter_map(of_most).collect()
}
