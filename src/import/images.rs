//! Images: how large they are, and which nodes have them.
//!
//! A kubelet lists the names of images with the registry they come from and a tag or a digest (`distribution/reference`,
//! `ParseNormalizedNamed`), pods mostly without.

use super::node::NamedNode;
use super::prelude::*;

/// How many images a kubelet lists where it is not configured otherwise (`nodeStatusMaxImages`).
const LISTED: usize = 50;

/// A name with what goes without saying.
fn normalized(name: &str) -> String {
    let (host, rest) = name.split_once('/').unwrap_or(("", name));
    let is_host = host.contains(['.', ':']) || host == "localhost";
    let full = match (is_host, host) {
        (true, _) => name.to_owned(),
        (false, "") => format!("docker.io/library/{rest}"),
        (false, _) => format!("docker.io/{name}"),
    };
    let last = full.rsplit('/').next().unwrap_or_default();
    if last.contains([':', '@']) { full } else { full + ":latest" }
}

/// How large these images are, as the first node says that lists one.
pub(super) fn sizes(nodes: &Named<RawNode>, images: &BTreeSet<String>) -> BTreeMap<String, i64> {
    let mut sizes = BTreeMap::new();
    for image in nodes.iter().flat_map(|n| &n.status.images).filter(|i| i.size_bytes > 0) {
        for name in image.names.iter().flatten() {
            sizes.entry(normalized(name)).or_insert(image.size_bytes);
        }
    }
    images.iter().filter_map(|i| Some((i.clone(), *sizes.get(&normalized(i))?))).collect()
}

/// Says of nodes which of these images they have. What is told of nodes that list as many images as a kubelet does at most.
pub(super) fn tell_of_nodes(
    nodes: &Named<RawNode>,
    images: &BTreeSet<String>,
    shapes: &mut [NamedNode],
) -> Option<String> {
    if images.is_empty() {
        return None;
    }
    let wanted: BTreeMap<String, &String> = images.iter().map(|i| (normalized(i), i)).collect();
    let has = |node: &RawNode| -> BTreeSet<String> {
        let names = node.status.images.iter().flat_map(|i| &i.names).flatten();
        names.filter_map(|n| wanted.get(&normalized(n)).map(|i| (*i).clone())).collect()
    };
    for (name, shape) in shapes {
        shape.images = nodes.get(name).map(|(_, node)| has(node)).unwrap_or_default();
    }
    let full = nodes.iter().filter(|n| n.status.images.len() >= LISTED).count();
    (full > 0).then(|| {
        let list = if full == 1 { "lists" } else { "list" };
        format!(
            "{} {list} {LISTED} images or more, and a kubelet tells of no more than {LISTED} by default (nodeStatusMaxImages): others may be there, and are pulled in a run",
            counted(full, "node")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_the_container_runtime_has_them() {
        for (name, full) in [
            ("web", "docker.io/library/web:latest"),
            ("web:2", "docker.io/library/web:2"),
            ("shop/web:2", "docker.io/shop/web:2"),
            ("registry.example/shop/web", "registry.example/shop/web:latest"),
            ("localhost:5000/web:2", "localhost:5000/web:2"),
            ("web@sha256:12", "docker.io/library/web@sha256:12"),
        ] {
            assert_eq!(normalized(name), full);
        }
    }
}
