//! Choosing a node for a pod (`schedule_one.go: schedulePod`): a search for nodes that pass the
//! filters, which ends early in large clusters, then scores.
//!
//! What filters and scores make of a node on its own is remembered until the node changes, for each
//! kind of pod. A pod that names the few nodes that it can be on, as each daemon pod does, is of a
//! kind of its own: nothing is remembered of it, and only those nodes are looked at.

use super::cache::Cache;
use super::framework::{
    Plugins, Rejection, Rejections, Verdict, cluster_filters, feasible_nodes_to_find, node_filters,
};
use super::memo::{Found, Memo};
use super::node_info::{NodeInfo, Placed};
use super::nominator::Nominator;
use super::plugins::{
    balanced_allocation, inter_pod_affinity, node_affinity, node_ports, node_resources_fit,
    node_unschedulable, pod_topology_spread, selector_spread, taint_toleration,
};
use super::shape::{Shape, Spread};
use crate::api::labels::Selector;
use crate::api::names::NodeId;
use crate::api::pod::Pod;
use crate::plan::Strategy;
use crate::plan::switches::scheduler::Switches;
use crate::trace::Plugin;
use std::rc::Rc;

/// Of pods that name no more nodes than this, nothing is remembered.
const FEW_NAMED: usize = 4;

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

/// A pod to be placed.
#[derive(Clone, Copy)]
pub struct Incoming<'a> {
    /// The pod.
    pub pod: &'a Rc<Pod>,
    /// Its shape.
    pub shape: &'a Rc<Shape>,
    /// The selector of its owner, where it has one that selects.
    pub owners: Option<&'a Rc<Selector>>,
}

/// What filters know of pods on other nodes.
#[derive(Clone, Debug, Default)]
pub struct ClusterState {
    spread: Option<pod_topology_spread::FilterState>,
    affinity: Option<inter_pod_affinity::FilterState>,
}

impl ClusterState {
    /// No filter needs to know of pods on other nodes.
    fn is_empty(&self) -> bool {
        self.spread.is_none() && self.affinity.is_none()
    }
}

/// Why a pod fits nowhere (`framework.Diagnosis`).
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// How many nodes there are.
    pub nodes: usize,
    /// Nodes that were looked at, with the number of their rejection.
    pub rejected: Vec<(NodeId, u32)>,
    /// Why nodes that were not looked at are out.
    pub left_out: Option<&'static str>,
    /// A rejection of the pod before any node was looked at.
    pub at_once: Option<Rejection>,
    /// Who rejected.
    pub plugins: Plugins,
    /// What filters knew, for the dry runs of preemption.
    pub state: ClusterState,
}

/// So many nodes that are equally good.
#[derive(Clone, Copy, Debug)]
pub enum Tied {
    /// One of them is drawn.
    ByLot(u32),
    /// The one at the top of a heap of them is taken, 0; which one that is hangs on the order in
    /// which goroutines were done with them.
    InHeap(u32),
}

/// What came of an attempt.
#[derive(Debug)]
pub enum Outcome {
    /// A node was found.
    Fits(NodeId),
    /// There is no node at all.
    NoNodes,
    /// No node will do.
    Unfit(Box<Diagnosis>),
}

/// The choosing of nodes.
pub struct Algorithm {
    /// How.
    pub choice: Choice,
    /// What is known.
    pub cache: Cache,
    /// The rejections so far, by number.
    pub rejections: Rejections,
    next_start: usize,
    memo: Memo,
    /// The kind of the pod that is being placed, if anything is remembered of it.
    kind: Option<usize>,
    /// By shape: the selector of the owner, and what came of it.
    default_spread: Vec<Option<DefaultSpread>>,
    spare: Spare,
}

/// The selector of an owner, and the default constraints that come of it.
type DefaultSpread = (Rc<Selector>, Rc<[Spread]>);

/// Lists of an attempt that the next one fills again: there are many attempts.
#[derive(Default)]
struct Spare {
    places: Vec<u32>,
    feasible: Vec<NodeId>,
    found: Vec<Found>,
    totals: Vec<i64>,
}

impl Algorithm {
    /// One that knows nothing yet.
    pub fn new(choice: Choice) -> Self {
        Self {
            choice,
            cache: Cache::new(choice.indexed, choice.switches.confirmed_pods_last),
            rejections: Rejections::default(),
            next_start: 0,
            memo: Memo::default(),
            kind: None,
            default_spread: Vec::new(),
            spare: Spare::default(),
        }
    }

    /// Finds a node (`schedulePod`). `pick` chooses among nodes that are equally good.
    pub fn schedule(
        &mut self,
        of: Incoming<'_>,
        nominator: &Nominator,
        pick: &mut dyn FnMut(Tied) -> u32,
    ) -> Outcome {
        if self.cache.list().is_empty() {
            return Outcome::NoNodes;
        }
        let mut diagnosis = Diagnosis {
            nodes: self.cache.list().len(),
            ..Diagnosis::default()
        };
        let (feasible, found) = self.feasible(of, nominator, &mut diagnosis);
        let outcome = match feasible.as_slice() {
            [] => {
                for (_, number) in &diagnosis.rejected {
                    if let Some(r) = self.rejections.get(*number) {
                        diagnosis.plugins.insert(r.plugin);
                    }
                }
                if let Some(r) = &diagnosis.at_once {
                    diagnosis.plugins.insert(r.plugin);
                }
                Outcome::Unfit(Box::new(diagnosis))
            }
            [only] => Outcome::Fits(*only),
            several => Outcome::Fits(self.best(of, several, &found, pick)),
        };
        (self.spare.feasible, self.spare.found) = (feasible, found);
        outcome
    }

    /// The nodes that will do, and what was found out about each (`findNodesThatFitPod`). Where
    /// that is no more than a score, it is left where it is, and the places of the nodes are noted.
    fn feasible(
        &mut self,
        of: Incoming<'_>,
        nominator: &Nominator,
        diagnosis: &mut Diagnosis,
    ) -> (Vec<NodeId>, Vec<Found>) {
        let narrows = self.choice.switches.affinity_narrows;
        let named = match self.named_nodes(of.shape) {
            Err(rejection) if narrows => {
                diagnosis.at_once = Some(rejection);
                return (Vec::new(), Vec::new());
            }
            named => named.unwrap_or(None),
        };
        let few = named
            .as_ref()
            .filter(|named| self.choice.indexed && named.len() <= FEW_NAMED);
        self.kind = (self.choice.indexed && few.is_none()).then(|| self.memo.kind(of.shape));
        diagnosis.state = ClusterState {
            spread: pod_topology_spread::FilterState::of(
                of.shape,
                &self.cache,
                &self.choice.switches,
            ),
            affinity: inter_pod_affinity::FilterState::of(of.shape, &self.cache),
        };
        let nominated = of.pod.unscheduled.as_ref().and_then(|u| u.nominated);
        if let Some(node) = nominated
            .filter(|n| self.choice.switches.nominated_node_first && self.cache.node(*n).is_some())
        {
            let found = self.filter(of, node, &diagnosis.state, nominator);
            match found.rejection {
                0 => return (vec![node], vec![found]),
                number => diagnosis.rejected.push((node, number)),
            }
        }
        let all = self.cache.list().len();
        if let Some(few) = few.filter(|_| !narrows && nominated.is_none())
            && let Some(found) = self.feasible_of(few, of, &diagnosis.state, nominator)
        {
            return found;
        }
        let named = named.filter(|_| narrows);
        let narrowed = named.is_some();
        let count = named.as_ref().map_or(all, Vec::len);
        if narrowed && self.choice.switches.left_out_counted {
            diagnosis.left_out = Some("node(s) didn't satisfy plugin(s) [NodeAffinity]");
            diagnosis.plugins.insert(Plugin::NodeAffinity);
        }
        let wanted = feasible_nodes_to_find(count, self.choice.percentage_of_nodes_to_score);
        let (mut feasible, mut all_found) = (
            std::mem::take(&mut self.spare.feasible),
            std::mem::take(&mut self.spare.found),
        );
        feasible.clear();
        all_found.clear();
        let mut at = if count == 0 {
            0
        } else {
            self.next_start % count
        };
        let alone =
            !narrowed && nominated.is_none() && nominator.is_empty() && diagnosis.state.is_empty();
        if let Some(kind) = self.kind.filter(|_| alone) {
            // Each node for itself, which is what most attempts are about.
            let mut known = self.memo.of(kind, &self.cache);
            let list = self.cache.list();
            let places = &mut self.spare.places;
            places.clear();
            let looked_at = known.search(
                at,
                wanted,
                &self.cache,
                &self.choice,
                &mut self.rejections,
                places,
            );
            feasible.extend(places.iter().map(|place| list[*place as usize]));
            if known.notable() {
                all_found.extend(places.iter().map(|place| known.found(*place as usize)));
            }
            if feasible.is_empty() {
                let rejection = |place| {
                    (
                        list[place],
                        known.rejection(place, &self.cache, &self.choice, &mut self.rejections),
                    )
                };
                diagnosis.rejected = (at..all).chain(0..at).map(rejection).collect();
            }
            self.next_start = (self.next_start + looked_at) % all;
            return (feasible, all_found);
        }
        for _ in 0..count {
            let node = named
                .as_ref()
                .map_or_else(|| self.cache.list()[at], |named| named[at]);
            at = if at + 1 == count { 0 } else { at + 1 };
            let found = self.filter(of, node, &diagnosis.state, nominator);
            match found.rejection {
                0 => {
                    feasible.push(node);
                    all_found.push(found);
                }
                number
                    if nominated == Some(node)
                        && diagnosis.rejected.first().is_some_and(|(n, _)| *n == node) =>
                {
                    diagnosis.rejected[0].1 = number;
                }
                number => diagnosis.rejected.push((node, number)),
            }
            if feasible.len() == wanted {
                break;
            }
        }
        let modulus = if self.choice.switches.narrow_search_resets_start {
            count.max(1)
        } else {
            all
        };
        self.next_start = (self.next_start + feasible.len() + diagnosis.rejected.len()) % modulus;
        (feasible, all_found)
    }

    /// What a search through all nodes finds for a pod that can be on these only. None if none of
    /// them will do, so that all the others have to say why not, or if so many do that the search
    /// ends early.
    fn feasible_of(
        &mut self,
        named: &[NodeId],
        of: Incoming<'_>,
        state: &ClusterState,
        nominator: &Nominator,
    ) -> Option<(Vec<NodeId>, Vec<Found>)> {
        let all = self.cache.list().len();
        let first = self.next_start % all;
        let mut named = named.to_vec();
        named.sort_by_key(|node| {
            self.cache
                .place_of(*node)
                .map(|place| (place + all - first) % all)
        });
        let found: Vec<Found> = named
            .iter()
            .map(|node| self.filter(of, *node, state, nominator))
            .collect();
        let (feasible, found): (Vec<_>, Vec<_>) = named
            .into_iter()
            .zip(found)
            .filter(|(_, found)| found.rejection == 0)
            .unzip();
        let wanted = feasible_nodes_to_find(all, self.choice.percentage_of_nodes_to_score);
        if feasible.is_empty() || feasible.len() >= wanted {
            return None;
        }
        // It looked at every node, and the next one begins where it began.
        self.next_start = first;
        Some((feasible, found))
    }

    /// The nodes that required affinity names, by name, if it names all that it admits; an error if
    /// its terms contradict each other.
    fn named_nodes(&self, shape: &Shape) -> Result<Option<Vec<NodeId>>, Rejection> {
        let terms = shape.spec().and_then(|s| s.required_nodes.as_ref());
        let Some(names) = terms.and_then(|t| node_affinity::named_nodes(t)) else {
            return Ok(None);
        };
        if names.is_empty() {
            return Err(Rejection::unresolvable(
                Plugin::NodeAffinity,
                "pod affinity terms conflict",
            ));
        }
        Ok(Some(
            names
                .iter()
                .filter_map(|name| self.cache.named(name))
                .collect(),
        ))
    }

    /// What is found out about a node, its rejection first of all; nominated pods of the same or
    /// higher priority are taken as there, and then as not there
    /// (`RunFilterPluginsWithNominatedPods`).
    fn filter(
        &mut self,
        of: Incoming<'_>,
        node: NodeId,
        state: &ClusterState,
        nominator: &Nominator,
    ) -> Found {
        if !nominator.is_empty() {
            let verdict = self.with_nominated(of, node, None, state, nominator);
            if verdict.is_err() {
                return Found {
                    rejection: self.rejections.number(verdict),
                    ..Found::default()
                };
            }
        }
        let found = if let Some((kind, place)) = self.kind.zip(self.cache.place_of(node)) {
            let mut known = self.memo.of(kind, &self.cache);
            known.rejection(place, &self.cache, &self.choice, &mut self.rejections);
            known.found(place)
        } else {
            self.cache.node(node).map_or_else(Found::default, |info| {
                look(of.shape, info, &self.choice, &mut self.rejections)
            })
        };
        if found.rejection != 0 || state.is_empty() {
            return found;
        }
        let verdict = check_cluster(of.shape, node, state, &self.cache, &self.choice.switches);
        Found {
            rejection: self.rejections.number(verdict),
            ..found
        }
    }

    /// What filters say of a node, or of `changed` in its place, once nominated pods are added.
    fn with_nominated(
        &self,
        of: Incoming<'_>,
        node: NodeId,
        changed: Option<&NodeInfo>,
        state: &ClusterState,
        nominator: &Nominator,
    ) -> Verdict {
        let stronger = |p: &&super::hints::PodAndShape| {
            p.1.priority >= of.shape.priority && p.0.uid != of.pod.uid
        };
        let added: Vec<_> = nominator.on(node).iter().filter(stronger).collect();
        let Some(mut info) = changed
            .or_else(|| self.cache.node(node))
            .filter(|_| !added.is_empty())
            .cloned()
        else {
            return Ok(());
        };
        let mut state = state.clone();
        for (pod, shape) in added {
            info.add(Placed::new(pod, shape));
            self.change_state(&mut state, of.shape, shape, (node, &info), 1);
        }
        self.check(of.shape, node, &info, &state)
    }

    /// What all filters say of a node with the pods that `info` has.
    fn check(&self, shape: &Shape, node: NodeId, info: &NodeInfo, state: &ClusterState) -> Verdict {
        check_node(shape, info, &self.choice.switches)?;
        check_cluster(shape, node, state, &self.cache, &self.choice.switches)
    }

    /// What filters say of a node in a dry run, nominated pods included.
    pub fn dry_run(
        &self,
        of: Incoming<'_>,
        node: NodeId,
        info: &NodeInfo,
        state: &ClusterState,
        nominator: &Nominator,
    ) -> Verdict {
        self.with_nominated(of, node, Some(info), state, nominator)?;
        self.check(of.shape, node, info, state)
    }

    /// Counts a pod in on a node, or out, in what filters know of pods on all nodes.
    pub fn change_state(
        &self,
        state: &mut ClusterState,
        shape: &Shape,
        other: &Shape,
        node: (NodeId, &NodeInfo),
        by: i64,
    ) {
        if let Some(spread) = &mut state.spread {
            spread.change(shape, other, node, &self.cache, &self.choice.switches, by);
        }
        if let Some(affinity) = &mut state.affinity {
            affinity.change(shape, other, node.0, &self.cache, by);
        }
    }

    /// The node with the highest score (`prioritizeNodes`, `selectHost`).
    fn best(
        &mut self,
        of: Incoming<'_>,
        nodes: &[NodeId],
        found: &[Found],
        pick: &mut dyn FnMut(Tied) -> u32,
    ) -> NodeId {
        let totals = self.totals(of, nodes, found);
        let (mut most, mut count) = (i64::MIN, 0);
        for total in &totals {
            if *total > most {
                (most, count) = (*total, 0);
            }
            count += u32::from(*total == most);
        }
        let mut ties = totals
            .iter()
            .enumerate()
            .filter(|(_, t)| **t == most)
            .map(|(i, _)| i);
        let chosen = if self.choice.switches.ties_by_heap {
            match pick(Tied::InHeap(count)) {
                0 => ties.min_by(|a, b| heap_order(*a, *b)),
                another => {
                    let mut places: Vec<usize> = ties.collect();
                    places.sort_by(|a, b| heap_order(*a, *b));
                    places.get(another as usize).copied()
                }
            }
        } else {
            ties.nth(pick(Tied::ByLot(count)) as usize)
        };
        let chosen = nodes[chosen.unwrap_or(0)];
        self.spare.totals = totals;
        chosen
    }

    /// The weighted sums of the scores of feasible nodes.
    fn totals(&mut self, of: Incoming<'_>, nodes: &[NodeId], found: &[Found]) -> Vec<i64> {
        let (switches, shape) = (self.choice.switches, of.shape);
        let weights = switches.weights;
        let most_taints = found.iter().map(|f| f.taints).max().unwrap_or(0);
        let most_liked = found.iter().map(|f| f.affinity).max().unwrap_or(0);
        let own = |f: &Found| {
            i64::from(f.score)
                + weights.taint_toleration
                    * taint_toleration::normalize(i64::from(f.taints), i64::from(most_taints))
                + weights.node_affinity
                    * node_affinity::normalize(i64::from(f.affinity), i64::from(most_liked))
        };
        let mut totals = std::mem::take(&mut self.spare.totals);
        totals.clear();
        match found {
            [] => {
                let (alike, known) = (
                    own(&Found::default()),
                    self.kind.map_or(&[][..], |kind| self.memo.found(kind)),
                );
                totals.extend(
                    self.spare
                        .places
                        .iter()
                        .map(|place| alike + i64::from(known[*place as usize].score)),
                );
            }
            found => totals.extend(found.iter().map(own)),
        }
        let add = |totals: &mut [i64], scores: &[i64], weight: i64| {
            totals
                .iter_mut()
                .zip(scores)
                .for_each(|(t, s)| *t += weight * s)
        };
        let by_default = !shape.has_spread();
        let constraints = if by_default {
            self.default_constraints(of)
        } else {
            None
        };
        let constraints = constraints.as_deref().unwrap_or(&shape.soft_spread);
        if !constraints.is_empty() {
            let places = found.is_empty().then_some(&*self.spare.places);
            let raw = pod_topology_spread::score(
                shape,
                constraints,
                !by_default,
                (nodes, places),
                &mut self.cache,
                &switches,
            );
            let of_class = pod_topology_spread::normalize(&raw.of_class, switches.spread_score);
            let weighted: Vec<i64> = of_class
                .iter()
                .map(|score| weights.topology_spread * score)
                .collect();
            totals
                .iter_mut()
                .zip(&raw.class_of)
                .for_each(|(total, class)| *total += weighted[*class as usize]);
            self.cache.spare = raw.class_of;
        }
        if let Some(raw) = inter_pod_affinity::score(shape, nodes, &self.cache) {
            add(
                &mut totals,
                &inter_pod_affinity::normalize(&raw),
                weights.inter_pod_affinity,
            );
        }
        if switches.selector_spread
            && by_default
            && let Some(selector) = of.owners
        {
            add(
                &mut totals,
                &selector_spread::score(&shape.namespace, selector, nodes, &self.cache),
                1,
            );
        }
        totals
    }

    /// The constraints that a pod gets that has none, if its owner selects pods.
    fn default_constraints(&mut self, of: Incoming<'_>) -> Option<Rc<[Spread]>> {
        let selector = of
            .owners
            .filter(|s| self.choice.switches.default_spread && !s.is_empty())?;
        let shape = of.shape.id as usize;
        if let Some(Some((known, spread))) = self.default_spread.get(shape)
            && Rc::ptr_eq(known, selector)
        {
            return Some(spread.clone());
        }
        let spread: Rc<[Spread]> = pod_topology_spread::default_constraints(
            &mut self.cache,
            &of.shape.namespace,
            selector,
        )
        .into();
        if self.default_spread.len() <= shape {
            self.default_spread.resize(shape + 1, None);
        }
        self.default_spread[shape] = Some((selector.clone(), spread.clone()));
        Some(spread)
    }
}

/// The filters that look at one node alone, in the release's order.
fn check_node(shape: &Shape, info: &NodeInfo, switches: &Switches) -> Verdict {
    let Some(node) = &info.node else {
        return Ok(());
    };
    for plugin in node_filters(switches.filter_order) {
        match plugin {
            Plugin::NodeUnschedulable => node_unschedulable::filter(shape, node)?,
            Plugin::TaintToleration => taint_toleration::filter(
                shape,
                node,
                switches.taint_message,
                switches.comparison_operators,
            )?,
            Plugin::NodeAffinity => node_affinity::filter(
                shape,
                &info.name,
                &node.labels,
                switches.node_affinity_message,
            )?,
            Plugin::NodePorts => node_ports::filter(shape, info)?,
            _ => node_resources_fit::filter(shape, info, switches)?,
        }
    }
    Ok(())
}

/// The filters that look at pods on other nodes.
fn check_cluster(
    shape: &Shape,
    node: NodeId,
    state: &ClusterState,
    cache: &Cache,
    switches: &Switches,
) -> Verdict {
    for plugin in cluster_filters(switches.filter_order) {
        match (plugin, &state.spread, &state.affinity) {
            (Plugin::PodTopologySpread, Some(spread), _) => spread.filter(shape, node, cache)?,
            (Plugin::InterPodAffinity, _, Some(affinity)) => {
                affinity.filter(shape, node, cache, switches.pod_affinity_also)?
            }
            _ => {}
        }
    }
    Ok(())
}

/// What filters and scores make of a node on its own.
pub fn look(shape: &Shape, info: &NodeInfo, choice: &Choice, rejections: &mut Rejections) -> Found {
    let rejection = rejections.number(check_node(shape, info, &choice.switches));
    let Some(node) = info.node.as_ref().filter(|_| rejection == 0) else {
        return Found {
            rejection,
            ..Found::default()
        };
    };
    let fit = node_resources_fit::score(shape, info, choice.strategy);
    let balance = balanced_allocation::score(shape, info, choice.switches.balance);
    Found {
        rejection,
        score: i32::try_from(fit.wrapping_add(balance)).unwrap_or(0),
        taints: i32::try_from(taint_toleration::score(
            shape,
            node,
            choice.switches.comparison_operators,
        ))
        .unwrap_or(i32::MAX),
        affinity: i32::try_from(node_affinity::score(shape, &info.name, &node.labels))
            .unwrap_or(i32::MAX),
    }
}

/// Which of two equal elements comes to the top of a Go heap: the first from above, left before
/// right.
fn heap_order(a: usize, b: usize) -> std::cmp::Ordering {
    // The path from the root: the bits of the place, counted from one, after the first.
    let (x, y) = (a + 1, b + 1);
    let (depth_x, depth_y) = (x.ilog2(), y.ilog2());
    let shallower = depth_x.min(depth_y);
    (x >> (depth_x - shallower))
        .cmp(&(y >> (depth_y - shallower)))
        .then(depth_x.cmp(&depth_y))
}

#[cfg(test)]
mod tests {
    use super::heap_order;

    /// The reference, §1.6: before its children stands a node, before the right subtree the left
    /// one. Of seven places, counted from 0: 0, 1, 3, 4, 2, 5, 6.
    #[test]
    fn the_order_of_a_heap() {
        let mut places: Vec<usize> = (0..7).collect();
        places.sort_by(|a, b| heap_order(*a, *b));
        assert_eq!(places, [0, 1, 3, 4, 2, 5, 6]);
    }
}
