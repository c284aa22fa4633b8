//! Which pods and nodes an expectation means.

use super::Reader;
use crate::plan::PodStart;
use crate::scenario::expectations::{Pods as Selected, glob};
use crate::scenario::prelude::*;
use crate::scenario::resolve::select::{Nothing, ambiguous, namespaced, those};

impl Reader<'_> {
    /// The pods that are meant; `Some(None)` if none are named.
    pub(super) fn pods(&self, c: &Common, place: &Spot) -> Option<Option<Selected>> {
        let mut selected = Selected::default();
        let mut written = Vec::new();
        if let Some(name) = c.pod {
            written.push(format!("pod {name}"));
            selected.glob = Some(self.pod_named(name, &place.part("pod"))?);
        }
        if let Some(selector) = c.pods {
            let place = place.part("pods");
            written.push(self.chosen(selector, &mut selected, &place)?);
        }
        if let Some(name) = c.workload {
            written.push(format!("pods of {name}"));
            let found = place.part("workload").take(self.workload_named(name))?;
            if let Some(found) = found {
                selected.workloads = Some(BTreeSet::from([found]));
            } else {
                let names = place.part("workload").take(self.grouped(name))?;
                let earlier = selected.names.take();
                selected.names = earlier.map(|earlier| &earlier & &names).or(Some(names));
            }
        }
        if let Some(text) = c.label {
            written.push(format!("{}with {text}", if written.is_empty() { "pods " } else { "" }));
            selected.labels.push(label(text, &place.part("label"))?);
        }
        if let Some(namespace) = c.namespace {
            let pods = if written.is_empty() { "pods " } else { "" };
            written.push(format!("{pods}in namespace {namespace}"));
            // A workload whose namespace this is may have no pods in a run; of another one there are none.
            let is_there = |w: &String| w.split('/').nth(1) == Some(namespace.as_str());
            let of = selected.workloads.iter().flatten();
            if let Some(other) = of.clone().next().filter(|_| !of.clone().any(is_there)) {
                let problem = Problem::new(format!("`{other}` has no pods in {namespace}"));
                return place.part("namespace").refuse(problem.help("leave the namespace out"));
            }
            selected.namespace = Some(namespace.clone());
        }
        selected.written = written.join(" ");
        Some((!written.is_empty()).then_some(selected))
    }

    /// The full name of a pod, in which `*` may stand. Pods of workloads get their names in the
    /// run: the workload's, with a dash and more behind it. A long one is cut.
    fn pod_named(&self, name: &str, place: &Spot) -> Option<String> {
        const WHOLE: usize = 50;
        // A star that comes first stands for the namespace, too.
        let full = if name.starts_with('*') { name.to_owned() } else { namespaced(name) };
        let may_have = |w: &WorkloadPlan| {
            let own = w.name.split_once('/').map_or("", |(_, own)| own);
            own.len() > WHOLE || full.strip_prefix(own).is_some_and(|rest| rest.starts_with('-'))
        };
        if !name.contains('*')
            && !self.pods.by_name.contains_key(full.as_str())
            && !self.workloads.plans.iter().any(may_have)
            && !self.incomplete()
        {
            let known = self.pods.by_name.keys().map(|n| n.strip_prefix("default/").unwrap_or(n));
            let problem = Problem::new(format!("there is no pod `{name}`"));
            let several =
                matches!(self.workload_named(name), Ok(Some(_))) || self.pods.group(name).is_some();
            let help = several.then(|| format!("`workload: {name:?}` is all pods of it"));
            return place.refuse(problem.maybe_help(help.or_else(|| did_you_mean(name, known))));
        }
        Some(full)
    }

    /// Narrows the selection to the pods of a selector; how that is written in words.
    fn chosen(&self, selector: &PodSelector, to: &mut Selected, place: &Spot) -> Option<String> {
        let written = match selector {
            PodSelector::All => return Some("all pods".to_owned()),
            PodSelector::Label(text) => {
                to.labels.push(label(text, place)?);
                return Some(format!("pods with {text}"));
            }
            PodSelector::Pod(name) | PodSelector::Group(name) => format!("pods {name}"),
            PodSelector::Pods(names) => format!("pods {}", names.join(", ")),
        };
        let found = place.take(self.pods.select(selector))?;
        to.names = Some(self.called(found));
        Some(written)
    }

    /// Whether one of these pods, or of all, may be on a node as it is created: one that the timeline binds itself, or
    /// the mirror of a static one. All others are bound later.
    pub(super) fn are_created_on_nodes(&self, of: Option<&Selected>) -> bool {
        let template = |p: &PodPlan| &self.pods.templates[p.template as usize];
        let is_created =
            |p: &PodPlan| p.start == PodStart::Absent || template(p).source != PodSource::Api;
        let is_meant = |p: &PodPlan, of: &Selected| {
            of.has(&p.name, Some(&template(p).labels))
                && (of.workloads.is_none() || template(p).owner.is_some())
        };
        let mut all = self.pods.plans.iter().filter(|p| p.node.is_some() && is_created(p));
        all.any(|p| of.is_none_or(|of| is_meant(p, of))) || self.incomplete()
    }

    /// Something could not be declared for a mistake of its own, so that an unknown name is no
    /// mistake.
    pub(super) fn incomplete(&self) -> bool {
        self.pods.incomplete || self.workloads.incomplete
    }

    /// The workload of that name, `Kind/namespace/name`, of which parts may be left out from the
    /// left; nothing if there is none.
    pub(super) fn workload_named(&self, name: &str) -> Result<Option<String>, Problem> {
        // A Deployment's own ReplicaSet is not what people mean.
        let own =
            self.workloads.plans.iter().filter(|w| w.owner.is_none() && is_called(&w.name, name));
        let found: BTreeSet<&str> = own.map(|w| w.name.as_str()).collect();
        if found.len() > 1 {
            return Err(ambiguous(name, "workload", found.iter().copied()));
        }
        Ok(found.first().map(|full| (*full).to_owned()))
    }

    /// The names of pods.
    fn called(&self, pods: Vec<PodIndex>) -> BTreeSet<String> {
        pods.into_iter().map(|i| self.pods.plans[i as usize].name.to_string()).collect()
    }

    /// The names of the pods of a group, or of those that state an owner of that name.
    fn grouped(&self, name: &str) -> Result<BTreeSet<String>, Nothing> {
        let found: Vec<PodIndex> = if self.pods.group(name).is_some() {
            self.pods.select(&PodSelector::Group(name.to_owned()))?
        } else {
            // Owners that are not declared: their pods say who they are.
            let full = |p: &PodPlan| {
                let owner = self.pods.templates[p.template as usize].owner.as_ref()?;
                Some(format!("{}/{}/{}", owner.kind, namespace_of(&p.name), owner.name))
            };
            let owned = |p: &PodPlan| full(p).filter(|full| is_called(full, name));
            let owners: BTreeSet<String> = self.pods.plans.iter().filter_map(owned).collect();
            if owners.len() > 1 {
                let owners = owners.iter().map(String::as_str);
                return Err(Some(ambiguous(name, "owner", owners)));
            }
            those(&self.pods.plans, |p| owned(p).is_some())
        };
        if !found.is_empty() {
            return Ok(self.called(found));
        }
        if self.incomplete() {
            return Err(None);
        }
        let short = |full: &str| full.rsplit('/').next().unwrap_or_default().to_owned();
        let groups = self.pods.groups.iter().map(|g| g.name.clone());
        let workloads = self.workloads.plans.iter().map(|w| short(&w.name));
        let known: BTreeSet<String> = workloads.chain(groups).collect();
        let problem = Problem::new(format!("there is no workload and no group of pods `{name}`"));
        // What stands before the name may be the mistake: `Deployment/db` of a StatefulSet.
        let own = name.rsplit('/').next().filter(|own| known.contains(*own));
        let help = own.map(|own| format!("did you mean `{own}`?"));
        let help = help.or_else(|| did_you_mean(name, &known));
        Err(Some(problem.maybe_help(help)))
    }

    /// The nodes that are meant; `Some(None)` is all.
    pub(super) fn nodes(&self, c: &Common, place: &Spot) -> Option<Option<BTreeSet<NodeIndex>>> {
        let mut all: Option<BTreeSet<NodeIndex>> = None;
        let mut narrow = |found: Vec<NodeIndex>| {
            let found: BTreeSet<NodeIndex> = found.into_iter().collect();
            all = all.take().map(|earlier| &earlier & &found).or(Some(found));
        };
        if let Some(name) = c.node {
            let found = match name.contains('*') {
                true => self.nodes.like(name, glob),
                false => self.nodes.named(name).map(|n| vec![n]),
            };
            narrow(place.part("node").take(found)?);
        }
        if let Some(selector) = c.nodes {
            narrow(place.part("nodes").take(self.nodes.select(selector))?);
        }
        if let Some(zone) = c.zone {
            narrow(place.part("zone").take(self.nodes.select(&NodeSelector::Zone(zone.clone())))?);
        }
        if all.as_ref().is_some_and(BTreeSet::is_empty) {
            return place.deny("no node is in all that is selected here");
        }
        Some(all)
    }
}

fn label(text: &str, place: &Spot) -> Option<Selector> {
    place.take(Selector::parse(text).map_err(Problem::new))
}
