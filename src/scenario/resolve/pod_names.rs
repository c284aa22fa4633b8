//! The names of a group's pods, and the nodes that they are put on.

use super::prelude::*;

/// What the pods of a group are called.
pub(super) fn called<'a>(group: &'a PodGroup, place: &'a Spot<'a>) -> GroupNames<'a> {
    GroupNames {
        name: &group.name,
        names: &group.names,
        place,
        what: "pod group",
        single: "`name` has no ranges",
        example: "`name: \"a\"` for one pod or with `count`, `names: \"db-{0..2}\"` for several",
    }
}

impl Pods {
    /// The names of a group's pods, each with its node.
    pub(super) fn places(
        &self,
        group: &PodGroup,
        place: &Spot,
        nodes: &Nodes,
    ) -> Option<Vec<(String, Option<NodeIndex>)>> {
        if group.count.is_some() && group.replicas.is_some() {
            let text = "`count` and `replicas` mean the same; give one of them";
            return place.part("replicas").deny(text);
        }
        let count = group.count.or(group.replicas);
        let count_place =
            || place.part(if group.replicas.is_some() { "replicas" } else { "count" });
        let on_nodes = placed(&group.on, &place.part("on"), nodes)?;
        if let Placement::Each(_) | Placement::PerNode { .. } = &group.on {
            return self.per_node(group, place, count.map(|_| count_place()), nodes, &on_nodes);
        }
        let names = self.names(&called(group, place), count, &count_place)?;
        if on_nodes.is_empty() && group.on != Placement::Unbound {
            return place.part("on").deny("no node is named here");
        }
        let node = |i: usize| {
            if on_nodes.is_empty() { None } else { Some(on_nodes[i % on_nodes.len()]) }
        };
        Some(names.into_iter().enumerate().map(|(i, name)| (name, node(i))).collect())
    }

    /// How many more pods there may be.
    pub(super) fn left(&self) -> u64 {
        PODS_MAX - self.plans.len() as u64
    }

    /// `agent-NODE`, `web-NODE-0`: names that do not change when a node is added.
    fn per_node(
        &self,
        group: &PodGroup,
        place: &Spot,
        counted: Option<Spot>,
        nodes: &Nodes,
        on: &[NodeIndex],
    ) -> Option<Vec<(String, Option<NodeIndex>)>> {
        let Some(name) = &group.name else {
            return place
                .deny("pods on each node need a `name`, to which their node's name is added");
        };
        if let Some(counted) = counted {
            return counted.deny("the number of these pods follows from their nodes");
        }
        if !is_short(name, place) {
            return None;
        }
        let each =
            if let Placement::PerNode { count, .. } = &group.on { Some(*count) } else { None };
        if each.unwrap_or(1).checked_mul(on.len() as u64).is_none_or(|n| n > self.left()) {
            let text = format!("there would be more than {PODS_MAX} pods, the limit of a cluster");
            return place.part("on").deny(text);
        }
        let of = |node: NodeIndex| {
            let stem = format!("{name}-{}", nodes.plans[node as usize].name);
            match each {
                None => vec![(stem, Some(node))],
                Some(count) => (0..count).map(|i| (format!("{stem}-{i}"), Some(node))).collect(),
            }
        };
        Some(on.iter().flat_map(|&node| of(node)).collect())
    }

    fn names<'c>(
        &self,
        names: &GroupNames,
        count: Option<u64>,
        count_place: &dyn Fn() -> Spot<'c>,
    ) -> Option<Vec<String>> {
        let limit = || format!("a cluster has at most {PODS_MAX} pods");
        let problem = match (names.written()?, count) {
            (Names::One(_), None) if self.left() == 0 => return names.at().deny(limit()),
            (Names::One(name), None) => return Some(vec![name.to_owned()]),
            (Names::One(name), Some(count)) if count <= self.left() => {
                let numbered = (0..count).map(|i| format!("{name}-{i}"));
                return is_short(name, names.place).then(|| numbered.collect());
            }
            (Names::One(_), Some(count)) => {
                Problem::new(format!("{count} pods are too many")).help(limit())
            }
            (Names::Several(_), Some(_)) => {
                Problem::new("the number of these pods follows from `names`")
            }
            (Names::Several(texts), None) => {
                return names.expanded(texts, self.left(), Some(limit()));
            }
        };
        count_place().refuse(problem)
    }
}

/// Whether a name can be that of a pod once something is added to it: looked at before as many
/// names are made of it as there are pods.
fn is_short(name: &str, place: &Spot) -> bool {
    let long = name.len() > NAME_BYTES_MAX;
    let problem = if long { checks::object_name("pod", name) } else { Ok(()) };
    place.part("name").take(problem).is_some()
}

/// The longest name of an object.
const NAME_BYTES_MAX: usize = 253;

/// The nodes that a placement names, in the order in which pods are put on them.
pub(super) fn placed(on: &Placement, place: &Spot, nodes: &Nodes) -> Option<Vec<NodeIndex>> {
    let selected = |selector: &NodeSelector, place: Spot| place.take(nodes.select(selector));
    match on {
        Placement::Unbound => Some(Vec::new()),
        Placement::Node(name) => place.take(nodes.named(name)).map(|node| vec![node]),
        Placement::Nodes(names) if names.iter().all(|n| !n.contains('{')) => {
            // One by one, in this order and with repetitions.
            let mut all = Vec::with_capacity(names.len());
            for (i, name) in names.iter().enumerate() {
                match nodes.named(name) {
                    Ok(node) => all.push(node),
                    Err(nothing) => return place.part(0).part(i).take(Err(nothing)),
                }
            }
            Some(all)
        }
        Placement::Nodes(names) => selected(&NodeSelector::Nodes(names.clone()), place.clone()),
        Placement::Spread(selector) | Placement::Each(selector) => {
            selected(selector, place.part(0))
        }
        Placement::PerNode { nodes: selector, .. } => selected(selector, place.part("nodes")),
    }
}
