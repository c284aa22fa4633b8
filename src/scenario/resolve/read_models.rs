//! Fault models as they are written, with every name looked up and every number checked.

use super::super::loaded::Loaded;
use super::found::said;
use super::models::{Act, Model, Models, Object, Repair, When, YEAR_S};
use super::select::Nodes;
use super::tilt::Tilt;
use crate::api::node::{LABEL_REGION, LABEL_REGION_BETA, LABEL_ZONE, LABEL_ZONE_BETA};
use crate::kernel::{Dur, Time};
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, at, with};
use crate::language::values;
use crate::language::{
    Distribution as Written, DurationText, FaultAct, FaultGroups, FaultModel, FaultRate, Problem,
    RepairAct, Scenario,
};
use crate::outages::{Distribution, Spans};
use crate::plan::{NodeIndex, NodeStart};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most outages of a run, on average.
const OUTAGES_MAX: f64 = 300_000.0;
/// The most draws for nodes that fail: a few hundred megabytes.
const DRAWS_MAX: f64 = 3_000_000.0;
/// The longest mean of a distribution, in seconds: a hundred years.
const MEAN_MAX: f64 = 100.0 * YEAR_S;

/// The fault models of a scenario; none if there is a complaint about them. A machine that was
/// stopped takes `boot` until its node is heard again.
pub(super) fn read(
    spec: &Scenario,
    loaded: &Loaded,
    nodes: &Nodes,
    boot: Dur,
    end: Option<Time>,
    complaints: &mut Complaints,
) -> Option<Models> {
    let mut models =
        Models { nodes: nodes.plans.iter().map(|n| n.name.clone()).collect(), ..Models::default() };
    let Some(faults) = &spec.faults else {
        return Some(models);
    };
    let mut names = BTreeSet::new();
    let mut whole = true;
    for (i, written) in faults.models.iter().enumerate() {
        let place = at!["faults", "models", i];
        if written.name.is_empty() {
            complaints
                .say(with(&place, "name"), "a fault model has a name, of which its draws depend");
        } else if !names.insert(&written.name) {
            let text = format!("two fault models are called `{}`", written.name);
            complaints.say(with(&place, "name"), text);
        }
        let reader = Reader { written, loaded, nodes, boot: seconds(boot), place };
        match reader.read(complaints) {
            Some(model) => models.list.push(model),
            None => whole = false,
        }
    }
    if let Some(written) = &faults.repair {
        models.repair = repair(written, complaints);
        whole &= models.repair.is_some();
    }
    let years = end.map_or(0.0, |e| e.as_nanos() as f64 / 1e9 / YEAR_S);
    let outages: f64 = models.list.iter().map(Model::per_year).sum::<f64>() * years;
    if outages > OUTAGES_MAX {
        let text = format!(
            "these models make {outages:.0} outages until the end of the run on average, and a run has at most {OUTAGES_MAX}"
        );
        let problem = Problem::new(text).help("a lower rate, fewer nodes, or a shorter `horizon`");
        complaints.add(at!["faults", "models"], problem);
        return None;
    }
    let end = end.map_or(0.0, |e| e.as_nanos() as f64 / 1e9);
    let draws: f64 = models.list.iter().map(|m| m.draws_up_to(end)).sum();
    if draws > DRAWS_MAX {
        let text = format!(
            "these models may draw {draws:.0} failures of a node until the end of the run, and {DRAWS_MAX} is the most"
        );
        let problem = Problem::new(text).help(
            "a lower rate, fewer nodes in a group, a shorter `horizon`; where most gaps are far shorter than their mean, \
             a shape nearer to 1, or a smaller sigma",
        );
        complaints.add(at!["faults", "models"], problem);
        return None;
    }
    whole.then_some(models)
}

fn repair(written: &crate::language::Repair, complaints: &mut Complaints) -> Option<Repair> {
    let place = |field: &str| at!["faults", "repair", field];
    let after = complaints.take(place("after"), values::positive(written.after.as_str()));
    let takes = complaints.take(place("takes"), values::span(written.takes.as_str()));
    let share = written.unless_share.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&share) {
        complaints.say(place("unless_share"), format!("a share of {share} is not from 0 to 1"));
        return None;
    }
    Some(Repair {
        after: seconds(after?),
        takes: seconds(takes?),
        replaces: written.act == RepairAct::Replace,
        unless_share: share,
    })
}

/// Reads one model.
struct Reader<'a> {
    written: &'a FaultModel,
    loaded: &'a Loaded,
    nodes: &'a Nodes,
    /// How long a machine takes to boot, in seconds.
    boot: f64,
    place: Place,
}

impl Reader<'_> {
    fn at(&self, field: &str) -> Place {
        with(&self.place, field)
    }

    fn read(&self, complaints: &mut Complaints) -> Option<Model> {
        let w = self.written;
        let objects = self.objects(complaints);
        let act = self.act(complaints);
        let when = self.when(complaints);
        let lasts = self.lasts(complaints);
        let (hits, within) = self.spread(complaints);
        Some(Model {
            name: w.name.clone(),
            objects: objects?,
            when: when?,
            lasts: lasts?,
            hits: hits?,
            within: within?,
            apart: w.apart,
            act: act?,
            tilt: Tilt::default(),
        })
    }

    /// What fails: single nodes, or groups of them. Nodes that join later do not.
    fn objects(&self, complaints: &mut Complaints) -> Option<Vec<Object>> {
        let name = |n: NodeIndex| self.nodes.plans[n as usize].name.clone();
        let there = |n: &NodeIndex| self.nodes.plans[*n as usize].start != NodeStart::Absent;
        match (&self.written.nodes, &self.written.groups) {
            (Some(selector), None) => {
                let found = said(self.nodes.select(selector), self.at("nodes"), complaints)?;
                let single = |n: NodeIndex| Object { name: name(n), nodes: vec![n] };
                Some(found.into_iter().filter(there).map(single).collect())
            }
            (None, Some(groups)) => self.groups(groups, complaints),
            (Some(_), Some(_)) => {
                complaints.say(self.at("groups"), "give either `nodes` or `groups`, not both");
                None
            }
            (None, None) => {
                let problem = Problem::new("this needs `nodes` or `groups`").help(
                    "`nodes: All` for each node by itself, `groups: Zones` or `groups: ByLabel(\"rack\")` for nodes that fail as one",
                );
                complaints.add(self.place.clone(), problem);
                None
            }
        }
    }

    fn groups(&self, groups: &FaultGroups, complaints: &mut Complaints) -> Option<Vec<Object>> {
        let mut found: BTreeMap<String, Vec<NodeIndex>> = BTreeMap::new();
        for (i, node) in (0u32..).zip(&self.nodes.plans) {
            let either = |beta: &str, stable: &str| {
                node.labels.get(beta).or_else(|| node.labels.get(stable)).cloned()
            };
            let group = match groups {
                FaultGroups::Zones => either(LABEL_ZONE_BETA, LABEL_ZONE),
                FaultGroups::Regions => either(LABEL_REGION_BETA, LABEL_REGION),
                FaultGroups::ByLabel(key) => node.labels.get(key).cloned(),
                FaultGroups::Cluster => Some("the cluster".to_owned()),
            };
            if let Some(group) = group.filter(|_| node.start != NodeStart::Absent) {
                found.entry(group).or_default().push(i);
            }
        }
        if found.is_empty() {
            if !self.nodes.incomplete && !self.nodes.labels_incomplete {
                let text = match groups {
                    FaultGroups::Zones => "no node is in a zone".to_owned(),
                    FaultGroups::Regions => "no node is in a region".to_owned(),
                    FaultGroups::ByLabel(key) => format!("no node has a label `{key}`"),
                    FaultGroups::Cluster => "there are no nodes".to_owned(),
                };
                complaints.say(self.at("groups"), text);
            }
            return None;
        }
        let object = |(name, nodes)| Object { name, nodes };
        Some(found.into_iter().map(object).collect())
    }

    fn act(&self, complaints: &mut Complaints) -> Option<Act> {
        Some(match &self.written.act {
            FaultAct::Crash => Act::Crash,
            FaultAct::Partition { cut } => Act::Partition(*cut),
            FaultAct::Maintain => Act::Maintain,
            FaultAct::Reclaim { notice, unheeded, replaced } => {
                let place = |field: &str| with(&self.at("do"), field);
                let notice = complaints.take(place("notice"), values::span(notice.as_str()));
                let replaced = complaints.take(place("replaced"), values::span(replaced.as_str()));
                Act::Reclaim { notice: notice?, unheeded: *unheeded, replaced: replaced? }
            }
        })
    }

    fn when(&self, complaints: &mut Complaints) -> Option<When> {
        let w = self.written;
        let given = [w.rate.is_some(), w.up.is_some(), w.trace.is_some()];
        if given.iter().filter(|g| **g).count() != 1 {
            let problem = Problem::new("this needs one of `rate`, `up` and `trace`").help(
                "`rate: PerNodeYear(4.2)`, `up: Exponential(mean: \"720h\")`, or `trace: (file: \"outages.csv\")`",
            );
            complaints.add(self.place.clone(), problem);
            return None;
        }
        if let Some(rate) = w.rate {
            // Where neither nodes nor groups are given, that is what is wrong.
            let (per_year, fits, word) = match rate {
                FaultRate::PerNodeYear(r) => (r, w.groups.is_none(), "PerGroupYear"),
                FaultRate::PerGroupYear(r) => (r, w.nodes.is_none(), "PerNodeYear"),
            };
            if !(per_year > 0.0 && per_year.is_finite()) {
                let text = format!("a rate of {per_year} a year is not above 0");
                complaints.say(self.at("rate"), text);
                return None;
            }
            if !fits {
                let text = "this rate is of nodes where groups fail, or the other way round";
                let problem = Problem::new(text).help(format!("write `{word}({per_year})`"));
                complaints.add(self.at("rate"), problem);
                return None;
            }
            return Some(When::Rate(YEAR_S / per_year));
        }
        if let Some(up) = &w.up {
            return self.distribution("up", up, complaints).map(When::Renewal);
        }
        let trace = w.trace.as_ref()?;
        if w.groups.is_some() {
            let text = "what was recorded is of single nodes: `nodes`, and not `groups`";
            complaints.say(self.at("trace"), text);
            return None;
        }
        // A file that could not be read has been reported.
        let history = self.loaded.histories.get(&trace.file)?;
        Some(When::Recorded(match self.booting() {
            0.0 => Arc::clone(history),
            boot => Arc::new(history.switched_off(boot)),
        }))
    }

    /// How much of a recorded outage is the boot at its end: a record ends when the node was heard
    /// again, and what stops machines has them boot after it is over.
    fn booting(&self) -> f64 {
        match self.written.act {
            FaultAct::Crash | FaultAct::Maintain => self.boot,
            FaultAct::Partition { .. } | FaultAct::Reclaim { .. } => 0.0,
        }
    }

    /// How long it lasts; within, none where the act or the history says it.
    fn lasts(&self, complaints: &mut Complaints) -> Option<Option<Distribution>> {
        let w = self.written;
        let says_itself = w.trace.is_some() || matches!(w.act, FaultAct::Reclaim { .. });
        match &w.lasts {
            Some(_) if says_itself => {
                let text = "how long it lasts is said already, by `trace` or by `Reclaim`";
                complaints.say(self.at("lasts"), text);
                None
            }
            None if says_itself => Some(None),
            Some(lasts) => self.distribution("lasts", lasts, complaints).map(Some),
            None => {
                let problem = Problem::new("`lasts` is missing: how long an outage lasts")
                    .help("`lasts: LogNormal(median: \"10m\", sigma: 1.2)`, `Fixed(\"5m\")`, `Empirical(\"outages.csv\")`");
                complaints.add(self.place.clone(), problem);
                None
            }
        }
    }

    /// Which part of a group it takes, and over how many seconds.
    fn spread(&self, complaints: &mut Complaints) -> (Option<f64>, Option<f64>) {
        let w = self.written;
        if w.groups.is_none() {
            for (field, is_given) in
                [("hits", w.hits.is_some()), ("within", w.within.is_some()), ("apart", w.apart)]
            {
                if is_given {
                    complaints.say(self.at(field), "this is about groups of nodes: `groups`");
                }
            }
        }
        let hits = w.hits.unwrap_or(1.0);
        let in_range = hits > 0.0 && hits <= 1.0;
        if !in_range {
            let text = format!("a share of {hits} is not above 0 and at most 1");
            complaints.say(self.at("hits"), text);
        }
        let within = match &w.within {
            None => Some(0.0),
            Some(text) => {
                complaints.take(self.at("within"), values::span(text.as_str())).map(seconds)
            }
        };
        (in_range.then_some(hits), within)
    }

    fn distribution(
        &self,
        field: &str,
        written: &Written,
        complaints: &mut Complaints,
    ) -> Option<Distribution> {
        let place = self.at(field);
        let mut span = |text: &DurationText, part: &str| {
            let place = with(&place, part);
            complaints.take(place, values::positive(text.as_str())).map(seconds)
        };
        let read = match written {
            Written::Exponential { mean } => Distribution::Exponential(span(mean, "mean")?),
            Written::Weibull { shape, scale } => {
                let scale = span(scale, "scale")?;
                self.is_positive(field, "shape", *shape, complaints)?;
                Distribution::Weibull(*shape, scale)
            }
            Written::LogNormal { median, sigma } => {
                let median = span(median, "median")?;
                self.is_positive(field, "sigma", *sigma, complaints)?;
                Distribution::LogNormal(libm::log(median), *sigma)
            }
            Written::Uniform(from, to) => {
                let ends = [from, to]
                    .map(|t| complaints.take(place.clone(), values::span(t.as_str())).map(seconds));
                let [from, to] = [ends[0]?, ends[1]?];
                if from >= to {
                    complaints.say(place, "the second span is not longer than the first one");
                    return None;
                }
                Distribution::Uniform(from, to)
            }
            Written::Fixed(text) => Distribution::Fixed(seconds(
                complaints.take(place, values::positive(text.as_str()))?,
            )),
            Written::Values(texts) => {
                let mut spans = Vec::new();
                for text in texts {
                    spans.push(seconds(
                        complaints.take(place.clone(), values::positive(text.as_str()))?,
                    ));
                }
                let Some(spans) = Spans::new(spans) else {
                    complaints.say(place, "there is no value in it");
                    return None;
                };
                Distribution::Measured(Arc::new(spans))
            }
            // A file that could not be read has been reported.
            Written::Empirical(file) => {
                let history = self.loaded.histories.get(file)?;
                let boot = if field == "lasts" { self.booting() } else { 0.0 };
                Distribution::Measured(Arc::new(history.switched_off(boot).spans()?))
            }
        };
        let mean = read.mean();
        if !(mean > 0.0 && mean <= MEAN_MAX) {
            let text = "the mean of this distribution is longer than a hundred years";
            let problem = Problem::new(text).help("a shape nearer to 1, or a smaller sigma");
            complaints.add(self.at(field), problem);
            return None;
        }
        Some(read)
    }

    fn is_positive(
        &self,
        field: &str,
        part: &str,
        value: f64,
        complaints: &mut Complaints,
    ) -> Option<()> {
        let fine = value > 0.0 && value.is_finite();
        if !fine {
            let place = with(&self.at(field), part);
            complaints.say(place, format!("{value} is not above 0"));
        }
        fine.then_some(())
    }
}

fn seconds(d: Dur) -> f64 {
    d.as_nanos() as f64 / 1e9
}
