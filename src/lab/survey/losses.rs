//! What can be lost, and which losses are alike.
//!
//! Two nodes are alike if nothing that a scheduler or controller looks at tells them apart: labels
//! but for the host name, taints, resources, devices, conditions, how they start, and which pods are there when the loss
//! begins, by template. The losses of such nodes come to the same but for chance, and are run once.

use super::placed::Placed;
use super::tainted::{self, Tainted};
use crate::api::labels::Labels;
use crate::api::node::{named_zone, region, zone};
use crate::lab::prelude::*;
use crate::language::Cut;

/// What is lost at one time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// A node.
    Node,
    /// All nodes of a zone.
    Zone,
    /// All nodes of a region.
    Region,
    /// All nodes with the same value of a label.
    Label(String),
    /// The controllers' process.
    Controller,
    /// The API server.
    Api,
    /// A device, as its driver taints it: each, or `DRIVER/POOL/DEVICE`.
    Device(Option<String>),
    /// What the DeviceTaintRules of a file do.
    Rule(String),
}

impl Kind {
    /// Reads `node`, `zone`, `region`, `label=rack`, `controller`, `api`, `device`, `device=DRIVER/POOL/DEVICE`,
    /// `rule=FILE`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let of = text.split_once('=').filter(|(_, of)| !of.is_empty());
        let of = of.and_then(|(word, of)| match word {
            "label" => Some(Self::Label(of.to_owned())),
            "device" => Some(Self::Device(Some(of.to_owned()))),
            "rule" => Some(Self::Rule(of.to_owned())),
            _ => None,
        });
        let all = [Self::Node, Self::Zone, Self::Region, Self::Controller, Self::Api];
        let mut all =
            all.into_iter().chain([Self::Device(None)]).filter(|kind| kind.word() == text);
        all.next().or(of).ok_or_else(|| {
            format!("{text:?} is nothing that can be lost: write node, zone, region, label=KEY, controller, api, device, device=DRIVER/POOL/DEVICE or rule=FILE")
        })
    }

    /// As [`parse`](Self::parse) reads it.
    pub(crate) fn written(&self) -> String {
        match self {
            Self::Label(key) => format!("label={key}"),
            Self::Device(Some(name)) => format!("device={name}"),
            Self::Rule(file) => format!("rule={file}"),
            other => other.word().to_owned(),
        }
    }

    /// What one of them is called: `zone`, `rack`.
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Node => "node",
            Self::Zone => "zone",
            Self::Region => "region",
            Self::Label(key) => key.rsplit('/').next().unwrap_or(key),
            Self::Controller => "controller",
            Self::Api => "api",
            Self::Device(_) => "device",
            Self::Rule(_) => "rule",
        }
    }

    /// Where a node belongs; none if it belongs nowhere.
    fn of(&self, labels: &Labels) -> Option<String> {
        match self {
            Self::Zone => named_zone(labels),
            Self::Region => region(labels).map(str::to_owned),
            Self::Label(key) => labels.get(key).cloned(),
            _ => None,
        }
    }
}

/// How nodes are lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum How {
    /// Their machines are dead
    #[default]
    Machine,
    /// They are cut off from everybody
    Network,
    /// They are cut off from the API server alone; clients still reach their pods.
    ApiServer,
    /// They are drained, and their machines are off
    Drain,
}

impl How {
    /// What tolerationSeconds are to pods that nothing replaces, of Jobs or others.
    pub(super) fn tolerated(self, are_of_jobs: bool) -> &'static str {
        match (self, are_of_jobs) {
            (Self::ApiServer, false) => {
                "clients reach pods that are not evicted: a tolerationSeconds longer than the loss keeps them up"
            }
            (Self::ApiServer | Self::Network, true) => {
                "pods that are not evicted work on: a tolerationSeconds longer than the loss keeps them up"
            }
            _ => "no tolerationSeconds changes that",
        }
    }
}

/// One thing that is lost.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Part {
    /// What kind of thing.
    pub(crate) kind: Kind,
    /// Its name; of the controllers and the API server the kind's.
    pub(crate) name: String,
    /// The nodes that are gone with it.
    pub(crate) nodes: Vec<NodeIndex>,
    /// It is a taint of devices.
    pub(super) tainted: Option<Tainted>,
}

impl Part {
    /// What people call it: `node a-03`.
    pub(super) fn called(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
    }

    fn text(&self) -> String {
        match self.kind {
            Kind::Controller | Kind::Api => self.kind.word().to_owned(),
            _ => format!("{}/{}", self.kind.word(), self.name),
        }
    }
}

/// A loss: one thing, or two at one time.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Loss {
    /// What is lost.
    pub(crate) parts: Vec<Part>,
    /// The losses that come to the same, by their names.
    pub(crate) like: Vec<String>,
}

impl Loss {
    /// Its name: `node/a-03`, `zone/b+node/a-03`.
    pub(crate) fn name(&self) -> String {
        let texts: Vec<String> = self.parts.iter().map(Part::text).collect();
        texts.join("+")
    }

    /// The same without what stands between two slashes: `zone/b` for `zone/eu/b`.
    fn short(&self) -> String {
        let last = |p: &Part| p.name.rsplit('/').next().unwrap_or_default().to_owned();
        let short = |p: &Part| Part { name: last(p), ..p.clone() };
        Self { parts: self.parts.iter().map(short).collect(), like: Vec::new() }.name()
    }

    /// How many losses it stands for.
    pub(crate) fn count(&self) -> usize {
        1 + self.like.len()
    }

    /// The nodes that are gone.
    pub(crate) fn nodes(&self) -> Vec<NodeIndex> {
        let mut nodes: Vec<NodeIndex> = self.parts.iter().flat_map(|p| p.nodes.clone()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Whether all nodes from which volumes of some zone are reached are gone; nodes without a zone are in none.
    pub(crate) fn takes_a_zone(&self, plan: &Plan) -> bool {
        let nodes = self.nodes();
        let zone = |n: NodeIndex| zone(&plan.nodes[n as usize].labels);
        let gone: BTreeSet<&str> = nodes.iter().filter_map(|&n| zone(n)).collect();
        let is_left = |n: &NodeIndex| is_there(plan, *n) && nodes.binary_search(n).is_err();
        let left = (0..plan.nodes.len() as NodeIndex).filter(is_left);
        let left: BTreeSet<&str> = left.filter_map(zone).collect();
        !gone.is_subset(&left)
    }

    /// The rule among its parts, if there is one.
    pub(super) fn rule(&self) -> Option<&NewRule> {
        self.parts.iter().find_map(|part| match &part.tainted {
            Some(Tainted::Rule(_, rule)) => Some(&**rule),
            _ => None,
        })
    }

    /// Whether devices are tainted.
    pub(super) fn taints(&self) -> bool {
        self.parts.iter().any(|part| part.tainted.is_some())
    }

    /// The outages that it comes down to, in the order of their times.
    pub(crate) fn outages(&self, plan: &Plan, at: Time, lasts: Dur, how: How) -> Vec<Outage> {
        let what = |part: &Part, nodes: &[NodeIndex]| match (&part.kind, how) {
            (Kind::Controller, _) => Away::Controllers,
            (Kind::Api, _) => Away::ApiServer,
            (_, How::Machine) => Away::Machines,
            (_, How::Network) => Away::Network(Cut::Network),
            (_, How::ApiServer) => Away::Network(Cut::ApiServer),
            (_, How::Drain) => Away::Maintained(nodes.len(), lasts),
        };
        let mut outages = Vec::new();
        for part in &self.parts {
            match &part.tainted {
                Some(tainted) => outages.extend(tainted.outages(at, lasts, &part.text())),
                None => {
                    // Nodes that somebody had cordoned stay so after their drain, so that they are an outage of their own.
                    let is_closed =
                        |n: &NodeIndex| how == How::Drain && plan.nodes[*n as usize].unschedulable;
                    let (closed, open) = part.nodes.iter().copied().partition(is_closed);
                    let mut all: Vec<(Vec<NodeIndex>, &str)> =
                        vec![(open, ""), (closed, ", which was cordoned")];
                    all.retain(|(nodes, _)| !nodes.is_empty() || part.nodes.is_empty());
                    // Controllers are no nodes.
                    all.truncate(part.nodes.len().max(1));
                    for (nodes, more) in all {
                        let (name, what) =
                            (format!("{} lost{more}", part.text()), what(part, &nodes));
                        outages.push(Outage { at, lasts: Some(lasts), name, nodes, what });
                    }
                }
            }
        }
        outages.sort_by_key(|o| o.at);
        outages
    }
}

/// Which losses are wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// What is lost alone; empty for what the cluster has of nodes, zones, controllers and API
    /// server.
    pub(crate) kinds: Vec<Kind>,
    /// What is lost in pairs.
    pub(crate) pairs: Vec<(Kind, Kind)>,
    /// Only these, by their names; empty for all.
    pub(crate) only: Vec<String>,
    /// The rules of the files that kinds name.
    pub(crate) rules: BTreeMap<String, Vec<DeviceTaintRule>>,
}

/// The most losses of a survey, alike ones counted once.
const LOSSES_MAX: usize = 100_000;

/// The losses that are wanted, alike ones as one where these pods are placed, and what there is nothing of, a
/// sentence each: a kind that is missing does not stop the others.
///
/// # Errors
/// There is nothing of any kind that was asked for, or too much.
pub(crate) fn losses(
    plan: &Plan,
    wanted: &Wanted,
    pods: &[Placed],
) -> Result<(Vec<Loss>, Vec<String>), Problem> {
    // Who asks for one loss means that one, and not another one like it.
    let shapes =
        if wanted.only.is_empty() { shapes(plan, pods) } else { (0..plan.nodes.len()).collect() };
    let kinds = if wanted.kinds.is_empty() { usual(plan) } else { wanted.kinds.clone() };
    let mut found = Found { shapes, ..Found::default() };
    let mut missing = Vec::new();
    for kind in once(&kinds) {
        match parts(plan, kind, wanted) {
            Ok(parts) => parts.into_iter().for_each(|part| found.add(vec![part])),
            Err(problem) => missing.push(problem),
        }
    }
    for (first, second) in once(&wanted.pairs) {
        match (parts(plan, first, wanted), parts(plan, second, wanted)) {
            (Ok(a), Ok(b)) => found.add_pairs((&a, &b), first == second)?,
            (Err(problem), _) | (_, Err(problem)) => missing.push(problem),
        }
    }
    let skipped = (missing.iter()).map(|p| format!("Left out: {}.", p.message)).collect();
    if found.losses.is_empty() {
        let nothing = || Problem::new("there is nothing here that can be lost");
        return Err(missing.into_iter().next().unwrap_or_else(nothing));
    }
    let names = wanted.only.as_slice();
    let losses = if names.is_empty() { found.losses } else { only(found.losses, names)? };
    Ok((losses, skipped))
}

/// Each of what is asked for once, however often it is named.
fn once<T: PartialEq>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().enumerate().filter(move |(i, one)| !all[..*i].contains(one)).map(|(_, one)| one)
}

/// What is lost where nothing is asked for.
fn usual(plan: &Plan) -> Vec<Kind> {
    let mut all = vec![Kind::Node, Kind::Zone, Kind::Controller, Kind::Api];
    let has_zones = plan.nodes.iter().any(|n| Kind::Zone.of(&n.labels).is_some());
    all.retain(|kind| has_zones || *kind != Kind::Zone);
    all
}

/// Whether a node is there to be lost.
pub(super) fn is_there(plan: &Plan, node: NodeIndex) -> bool {
    !matches!(
        plan.nodes[node as usize].start,
        NodeStart::Absent | NodeStart::Silent | NodeStart::Imported { cut: true, .. }
    )
}

/// Everything of a kind that can be lost.
fn parts(plan: &Plan, kind: &Kind, wanted: &Wanted) -> Result<Vec<Part>, Problem> {
    let there = (0..plan.nodes.len() as NodeIndex).filter(|&n| is_there(plan, n));
    let part = |name: &str, nodes: Vec<NodeIndex>| {
        let (kind, name) = (kind.clone(), name.to_owned());
        Part { kind, name, nodes, tainted: None }
    };
    let tainted = |all: Vec<(String, Tainted)>| {
        let of = |(name, tainted): (String, Tainted)| Part {
            tainted: Some(tainted),
            ..part(&name, Vec::new())
        };
        all.into_iter().map(of).collect()
    };
    let found: Vec<Part> = match kind {
        Kind::Controller | Kind::Api => vec![part(kind.word(), Vec::new())],
        Kind::Device(one) => tainted(tainted::devices(plan, there, one.as_deref())?),
        Kind::Rule(file) => {
            let rules = wanted.rules.get(file).map(Vec::as_slice).unwrap_or_default();
            tainted(tainted::rules(plan, file, rules)?)
        }
        Kind::Node => there.map(|n| part(&plan.nodes[n as usize].name, vec![n])).collect(),
        Kind::Zone | Kind::Region | Kind::Label(_) => {
            let mut groups: BTreeMap<String, Vec<NodeIndex>> = BTreeMap::new();
            for n in there {
                if let Some(group) = kind.of(&plan.nodes[n as usize].labels) {
                    groups.entry(group).or_default().push(n);
                }
            }
            groups.into_iter().map(|(g, nodes)| part(&g, nodes)).collect()
        }
    };
    if found.is_empty() {
        return Err(nothing_of(plan, kind));
    }
    Ok(found)
}

fn nothing_of(plan: &Plan, kind: &Kind) -> Problem {
    let Kind::Label(key) = kind else {
        return Problem::new(format!("there is no {} here that can be lost", kind.word()));
    };
    let keys: BTreeSet<&String> = plan.nodes.iter().flat_map(|n| n.labels.keys()).collect();
    Problem::new(format!("no node has a label `{key}`")).maybe_help(did_you_mean_or_list(key, keys))
}

/// Losses with those that are alike.
#[derive(Default)]
struct Found {
    /// What shape each node has.
    shapes: Vec<usize>,
    losses: Vec<Loss>,
    /// By what makes losses alike, the place of the first.
    first: BTreeMap<Vec<(Kind, Vec<usize>)>, usize>,
}

impl Found {
    fn add(&mut self, parts: Vec<Part>) {
        let shapes = &self.shapes;
        let alike = |p: &Part| {
            // Groups of several nodes are told apart by the nodes' own places.
            let shape = match (&p.tainted, p.nodes.as_slice()) {
                (Some(Tainted::Device(node, place, _)), _) => vec![shapes[*node as usize], *place],
                (Some(Tainted::Rule(place, _)), _) => vec![*place],
                (None, [one]) if p.kind == Kind::Node => vec![shapes[*one as usize]],
                (None, several) => several.iter().map(|n| usize::MAX - *n as usize).collect(),
            };
            (p.kind.clone(), shape)
        };
        let key: Vec<(Kind, Vec<usize>)> = parts.iter().map(alike).collect();
        let loss = Loss { parts, like: Vec::new() };
        let place = *self.first.entry(key).or_insert(self.losses.len());
        match self.losses.get_mut(place) {
            Some(first) => first.like.push(loss.name()),
            None => self.losses.push(loss),
        }
    }

    /// Every pair of two kinds; what is part of the other is no pair with it.
    fn add_pairs(&mut self, (a, b): (&[Part], &[Part]), alike: bool) -> Result<(), Problem> {
        let is_part =
            |a: &Part, b: &Part| !a.nodes.is_empty() && a.nodes.iter().all(|n| b.nodes.contains(n));
        for (i, one) in a.iter().enumerate() {
            let from = if alike { i + 1 } else { 0 };
            for other in &b[from.min(b.len())..] {
                if is_part(other, one) || is_part(one, other) {
                    continue;
                }
                self.add(vec![one.clone(), other.clone()]);
                if self.losses.len() > LOSSES_MAX {
                    let problem =
                        Problem::new(format!("there are more than {LOSSES_MAX} such pairs"));
                    return Err(problem.help("pairs of groups instead: `--pairs zone+zone`"));
                }
            }
        }
        Ok(())
    }
}

/// Those of some names, or of short ones where one alone is called so.
fn only(losses: Vec<Loss>, names: &[String]) -> Result<Vec<Loss>, Problem> {
    let mut found = Vec::new();
    for wanted in names {
        let short = || losses.iter().filter(|l| l.short() == *wanted).collect();
        let exact = losses.iter().find(|l| l.name() == *wanted);
        let called: Vec<&Loss> = exact.map_or_else(short, |loss| vec![loss]);
        let [loss] = called[..] else {
            let of_none = Problem::new(format!("there is no loss `{wanted}`"));
            return Err(match called.is_empty() {
                true => of_none.meant(wanted, losses.iter().map(Loss::name)),
                false => {
                    let all = few(8, called.iter().map(|l| l.name()));
                    Problem::new(format!("`{wanted}` may be any of {all}"))
                }
            });
        };
        if !found.iter().any(|other: &Loss| other.name() == loss.name()) {
            found.push(loss.clone());
        }
    }
    Ok(found)
}

/// For each node a number that those have in common that are alike.
fn shapes(plan: &Plan, pods: &[Placed]) -> Vec<usize> {
    let mut by_node: Vec<Vec<(u32, &str)>> = vec![Vec::new(); plan.nodes.len()];
    for p in pods {
        by_node[p.node as usize].push((p.template, &p.state));
    }
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut shape = |(i, pods): (usize, &mut Vec<(u32, &str)>)| {
        pods.sort_unstable();
        let n = &plan.nodes[i];
        let labels: Vec<_> =
            n.labels.iter().filter(|(key, _)| *key != "kubernetes.io/hostname").collect();
        let start = match &n.start {
            // When its lease was renewed last is chance.
            NodeStart::Imported { conditions, cut, .. } => {
                let of =
                    |c: &crate::api::node::NodeCondition| format!("{:?}{:?}", c.kind, c.status);
                format!("{cut}{:?}", conditions.iter().map(of).collect::<Vec<_>>())
            }
            other => format!("{other:?}"),
        };
        let said = format!(
            "{labels:?} {:?} {} {:?} {:?} {:?} {:?} {start} {pods:?}",
            n.taints, n.unschedulable, n.allocatable, n.devices, n.readiness, n.bootstrap_completed
        );
        let next = known.len();
        *known.entry(said).or_insert(next)
    };
    by_node.iter_mut().enumerate().map(&mut shape).collect()
}
