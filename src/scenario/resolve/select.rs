//! Which nodes, pods and workloads a name or a selector means: one thing, nothing, or several. Selectors
//! look at nodes and pods as they are declared, not as they are at the time: which ones are meant does
//! not depend on the run.

use super::group_names::{NODES_MAX, PODS_MAX};
use crate::api::node::{is_in_zone, named_zone, region};
pub(super) use crate::language::ambiguous;
use crate::scenario::prelude::*;

/// The nodes that were declared so far.
#[derive(Default)]
pub(super) struct Nodes {
    /// In the order of their declaration.
    pub(super) plans: Vec<NodePlan>,
    /// By name.
    pub(super) by_name: BTreeMap<String, NodeIndex>,
    /// Nodes that could not be declared for a mistake of their own: that one of their names is not
    /// known is no mistake.
    pub(super) incomplete: bool,
    /// Labels of some nodes are lost to a mistake of their own: that nothing matches is no mistake.
    pub(super) labels_incomplete: bool,
}

/// The pods that were declared so far.
#[derive(Default)]
pub(super) struct Pods {
    /// In the order of their declaration.
    pub(super) plans: Vec<PodPlan>,
    /// By `namespace/name`; of several lives of one name, the first.
    pub(super) by_name: BTreeMap<Box<str>, PodIndex>,
    /// The pods of each group that has a name, and of each workload.
    pub(super) groups: Vec<PodsOf>,
    /// What pods and workloads refer to.
    pub(super) templates: Vec<PodTemplate>,
    /// Pods that could not be declared for a mistake of their own.
    pub(super) incomplete: bool,
}

/// The pods of a group, or of a workload.
pub(super) struct PodsOf {
    pub(super) name: String,
    /// What stands before it: `pods/default` of a group, `Deployment/shop` of a workload.
    pub(super) of: String,
    /// The pods.
    pub(super) pods: Range<PodIndex>,
}

impl PodsOf {
    fn full(&self) -> String {
        format!("{}/{}", self.of, self.name)
    }
}

impl Nodes {
    /// The node of that name.
    pub(super) fn named(&self, name: &str) -> Result<NodeIndex, Nothing> {
        self.by_name.get(name).copied().ok_or_else(|| {
            (!self.incomplete).then(|| {
                Problem::new(format!("there is no node `{name}`")).meant(name, self.by_name.keys())
            })
        })
    }

    /// The nodes whose names fit a pattern.
    pub(super) fn like(&self, pattern: &str, fits: impl Fn(&str, &str) -> bool) -> Found {
        self.matching(|n| fits(pattern, &n.name), || format!("no node is called `{pattern}`"), None)
    }

    /// The nodes a selector means, at least one, in the order of their declaration (as listed, for
    /// `Nodes`).
    pub(super) fn select(&self, selector: &NodeSelector) -> Found {
        match selector {
            NodeSelector::All => self.matching(|_| true, || "there are no nodes".to_owned(), None),
            NodeSelector::Node(name) => self.named(name).map(|n| vec![n]),
            NodeSelector::Nodes(texts) => {
                let (mut nodes, mut seen) = (Vec::new(), BTreeSet::new());
                for text in texts {
                    for name in names::expand(text, NODES_MAX).map_err(Problem::new)? {
                        let node = self.named(&name)?;
                        if seen.insert(node) {
                            nodes.push(node);
                        }
                    }
                }
                let none = || Some(Problem::new("no node is named here"));
                Some(nodes).filter(|nodes| !nodes.is_empty()).ok_or_else(none)
            }
            NodeSelector::Zone(name) => self.zone(name).map(|(_, nodes)| nodes),
            NodeSelector::Region(name) => {
                let nothing = || format!("there is no region `{name}`");
                let known = || self.plans.iter().filter_map(|n| region(&n.labels));
                let help = || did_you_mean_or_list(name, known().collect::<BTreeSet<&str>>());
                self.matching(|n| region(&n.labels) == Some(name), nothing, Some(&help))
            }
            NodeSelector::Label(text) => {
                let selector = Selector::parse(text).map_err(Problem::new)?;
                let nothing = || format!("no node matches `{text}`");
                self.matching(|n| selector.matches(&n.labels), nothing, None)
            }
            NodeSelector::Share { of, fraction, random } => self.share(of, *fraction, *random),
        }
    }

    /// The zone that a person calls so, as a run names it, and its nodes. One that a single region has needs no region's name
    /// before its own.
    pub(super) fn zone(&self, name: &str) -> Result<(String, Vec<NodeIndex>), Nothing> {
        let labels = |node: &NodeIndex| &self.plans[*node as usize].labels;
        let names = |nodes: &[NodeIndex]| -> BTreeSet<String> {
            nodes.iter().filter_map(|node| named_zone(labels(node))).collect()
        };
        let help = || did_you_mean_or_list(name, names(&those(&self.plans, |_| true)));
        let nothing = || format!("there is no zone `{name}`");
        let mut found = self.matching(|n| is_in_zone(&n.labels, name), nothing, Some(&help))?;
        let first = region(labels(&found[0]));
        if found.iter().any(|node| region(labels(node)) != first) {
            let zones = names(&found);
            if !zones.contains(name) {
                let several = names_several(name, "zone", zones.into_iter());
                return Err(Some(several.help("say which, with what stands before its name")));
            }
            // That of no region.
            found.retain(|node| named_zone(labels(node)).as_deref() == Some(name));
        }
        Ok((named_zone(labels(&found[0])).unwrap_or_default(), found))
    }

    fn matching(
        &self,
        matches: impl Fn(&NodePlan) -> bool,
        nothing: impl Fn() -> String,
        help: Option<&dyn Fn() -> Option<String>>,
    ) -> Found {
        let nodes = those(&self.plans, matches);
        if nodes.is_empty() {
            return Err((!self.incomplete && !self.labels_incomplete)
                .then(|| Problem::new(nothing()).maybe_help(help.and_then(|h| h()))));
        }
        Ok(nodes)
    }

    fn share(&self, of: &NodeSelector, fraction: f64, random: bool) -> Found {
        if !(fraction > 0.0 && fraction <= 1.0) {
            let text = format!("a share of {} is not above 0 and at most 1", legible(fraction));
            return Err(Some(Problem::new(text)));
        }
        let mut nodes = self.select(of)?;
        let wanted = ((nodes.len() as f64 * fraction).round() as usize).max(1);
        let name = |i: &NodeIndex| &self.plans[*i as usize].name;
        let place = |i: &NodeIndex| (random.then(|| stable_hash(name(i))), name(i).clone());
        nodes.sort_by_key(place);
        nodes.truncate(wanted);
        nodes.sort_unstable();
        Ok(nodes)
    }
}

/// Why pods may not be there that somebody means.
const MADE_LATER: &str = "pods that a workload makes in the run are not meant; with `placement: Spread(All)` they are there from the start";

/// The places of those that are so.
pub(super) fn those<T>(all: &[T], are_so: impl Fn(&T) -> bool) -> Vec<u32> {
    (0u32..).zip(all).filter(|(_, one)| are_so(one)).map(|(i, _)| i).collect()
}

/// `web-0` is `default/web-0`.
pub(super) fn namespaced(name: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("default/{name}") }
}

impl Pods {
    /// The pod of that name, with its namespace unless that is `default`.
    pub(super) fn named(&self, name: &str) -> Result<PodIndex, Nothing> {
        let full = namespaced(name);
        self.by_name.get(&*full).copied().ok_or_else(|| {
            (!self.incomplete).then(|| {
                let problem = Problem::new(format!("there is no pod `{full}`"));
                match self.group(name).is_some_and(|g| !g.pods.is_empty()) {
                    true => problem.help(format!("`pods: Group({name:?})` is all pods of it")),
                    false => problem.meant(&full, self.by_name.keys()),
                }
            })
        })
    }

    /// The first group of that name.
    pub(super) fn group(&self, name: &str) -> Option<&PodsOf> {
        self.groups.iter().find(|g| is_called(&g.full(), name))
    }

    /// The pods a selector means, at least one, in the order of their declaration.
    pub(super) fn select(&self, selector: &PodSelector) -> Found {
        let nothing = |pods: Vec<PodIndex>, text: String| match pods.is_empty() {
            true => Err((!self.incomplete).then(|| Problem::new(text))),
            false => Ok(pods),
        };
        match selector {
            PodSelector::All => {
                let all = (0..self.plans.len() as u32).collect();
                // Whatever has a template without a pod is a workload.
                let made_later = !self.templates.is_empty();
                later(nothing(all, "there are no pods".to_owned()), made_later)
            }
            PodSelector::Pod(name) => self.named(name).map(|p| vec![p]),
            PodSelector::Pods(texts) => {
                let mut pods = Vec::new();
                for text in texts {
                    for name in names::expand(text, PODS_MAX).map_err(Problem::new)? {
                        pods.push(self.named(&name)?);
                    }
                }
                pods.sort_unstable();
                pods.dedup();
                nothing(pods, "no pod is named here".to_owned())
            }
            PodSelector::Group(name) => {
                let found: Vec<&PodsOf> =
                    self.groups.iter().filter(|g| is_called(&g.full(), name)).collect();
                let names: BTreeSet<String> = found.iter().map(|g| g.full()).collect();
                one_of(name, "group", names.iter().map(|full| (full.as_str(), ())))?;
                let pods = found.iter().flat_map(|g| g.pods.clone()).collect();
                let help = || did_you_mean(name, self.groups.iter().map(|g| &g.name));
                nothing(pods, format!("there is no pod group `{name}`"))
                    .map_err(|problem| problem.map(|p| p.maybe_help(help()).or_help(MADE_LATER)))
            }
            PodSelector::Label(text) => {
                let selector = Selector::parse(text).map_err(Problem::new)?;
                let matching: Vec<bool> =
                    self.templates.iter().map(|t| selector.matches(&t.labels)).collect();
                let pods = those(&self.plans, |p| matching[p.template as usize]);
                later(nothing(pods, format!("no pod matches `{text}`")), matching.contains(&true))
            }
        }
    }
}

/// With a hint where nothing is found and a workload makes such pods in the run.
fn later(found: Found, made_later: bool) -> Found {
    found.map_err(|problem| problem.map(|p| if made_later { p.or_help(MADE_LATER) } else { p }))
}

/// Why a name or a selector finds nothing: `None` if that is only because of a mistake that was
/// reported elsewhere.
pub(super) type Nothing = Option<Problem>;

/// The nodes or pods that are found, by their numbers.
type Found = Result<Vec<u32>, Nothing>;

/// The workloads that were declared so far.
#[derive(Default)]
pub(super) struct Workloads {
    /// In the order of their declaration, owners before what they own.
    pub(super) plans: Vec<WorkloadPlan>,
    /// By `Kind/namespace/name`; of several lives of one name, the first.
    pub(super) by_name: BTreeMap<String, WorkloadIndex>,
    /// ReplicaSets that nobody wrote: those of Deployments whose pods run already.
    pub(super) implied: BTreeMap<WorkloadIndex, WorkloadIndex>,
    /// StatefulSets whose pods are not there yet.
    pub(super) numbered: Vec<Numbered>,
    /// StatefulSets whose `ordinals` the release's API server drops.
    pub(super) without_ordinals: Vec<String>,
    /// Workloads that could not be declared for a mistake of their own.
    pub(super) incomplete: bool,
}

/// The pods that a StatefulSet will make: entries of the timeline may name them.
pub(super) struct Numbered {
    pub(super) set: String,
    pub(super) of: String,
    pub(super) names: Vec<String>,
    pub(super) template: u32,
}

impl Workloads {
    /// The workload that a person names: `web`, `shop/web`, `Deployment/web`,
    /// `Deployment/shop/web`.
    pub(super) fn named(&self, text: &str) -> Result<WorkloadIndex, Nothing> {
        let written = |i: WorkloadIndex| !self.implied.values().any(|&set| set == i);
        let all = self.by_name.iter().map(|(full, i)| (full.as_str(), *i));
        one_of(text, "workload", all.filter(|(_, i)| written(*i)))?.ok_or_else(|| {
            (!self.incomplete).then(|| {
                let all = self.by_name.keys().flat_map(|full| [short_name(full), full.as_str()]);
                Problem::new(format!("there is no workload `{text}`"))
                    .maybe_help(did_you_mean(text, all))
            })
        })
    }
}
