//! Fault models as they are written, with every name looked up and every number checked.

use super::models::{Act, Dealt, Model, Models, Object, Repair, When, YEAR_S};
use super::prelude::*;
use super::spans;
use crate::api::node::{named_zone, region};
use crate::language::Distribution as Written;
use crate::outages::Distribution;
use crate::plan::NodeStart;

/// The most that a node or a group fails in a year, some thirty times a second.
const RATE_MAX: f64 = 1e9;
/// The most outages of a run, on average.
pub(crate) const OUTAGES_MAX: f64 = 300_000.0;
/// The most draws for nodes that fail: a few hundred megabytes.
const DRAWS_MAX: f64 = 3_000_000.0;

/// The fault models of a scenario; none if there is a complaint about them. A machine that was
/// stopped takes `boot` until its node is heard again.
pub(super) fn read(
    spec: &Scenario,
    loaded: &Loaded,
    nodes: &Nodes,
    boot: Dur,
    end: Option<Time>,
    complaints: &Complaints,
) -> Option<Models> {
    let mut models =
        Models { nodes: nodes.plans.iter().map(|n| n.name.clone()).collect(), ..Models::default() };
    let Some(faults) = &spec.faults else { return Some(models) };
    let mut names = BTreeSet::new();
    let mut whole = true;
    for (place, written) in complaints.at(at!["faults", "models"]).each(&faults.models) {
        if written.name.is_empty() {
            place.part("name").say("a fault model has a name, of which its draws depend");
        } else if !names.insert(&written.name) {
            place.part("name").say(format!("two fault models are called `{}`", written.name));
        }
        let boot = boot.as_secs_f64();
        match (Reader { written, loaded, nodes, boot, place }).read() {
            Some(model) => models.list.push(model),
            None => whole = false,
        }
    }
    if let Some(written) = &faults.repair {
        models.repair = repair(written, complaints);
        whole &= models.repair.is_some();
    }
    let end = end.unwrap_or_default().as_secs_f64();
    let outages: f64 = models.list.iter().map(Model::per_year).sum::<f64>() * (end / YEAR_S);
    if outages > OUTAGES_MAX {
        let text = format!(
            "these models make {} outages until the end of the run on average, and a run has at most {OUTAGES_MAX}",
            legible(outages.round())
        );
        let problem = Problem::new(text).help("a lower rate, fewer nodes, or a shorter `horizon`");
        return complaints.at(at!["faults", "models"]).refuse(problem);
    }
    let draws: f64 = models.list.iter().map(|m| m.draws_up_to(end)).sum();
    if draws > DRAWS_MAX {
        let text = format!(
            "these models may draw {} failures of a node until the end of the run, and {DRAWS_MAX} is the most",
            legible(draws.round())
        );
        let problem = Problem::new(text).help(
            "a lower rate, fewer nodes in a group, a shorter `horizon`; where most gaps are far shorter than their mean, \
             a shape nearer to 1, or a smaller sigma",
        );
        return complaints.at(at!["faults", "models"]).refuse(problem);
    }
    whole.then_some(models)
}

fn repair(written: &crate::language::Repair, complaints: &Complaints) -> Option<Repair> {
    let place = |field: &str| complaints.at(at!["faults", "repair", field]);
    let after = place("after").take(values::positive(&written.after));
    let takes = place("takes").take(values::span(&written.takes));
    let share = written.unless_share.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&share) {
        return place("unless_share")
            .deny(format!("a share of {} is not from 0 to 1", legible(share)));
    }
    Some(Repair {
        after: after?.as_secs_f64(),
        takes: takes?.as_secs_f64(),
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
    place: Spot<'a>,
}

impl<'a> Reader<'a> {
    fn at(&self, field: &str) -> Spot<'a> {
        self.place.part(field)
    }

    fn read(&mut self) -> Option<Model> {
        let w = self.written;
        let objects = self.objects();
        let act = self.act();
        let when = self.when(objects.as_deref().unwrap_or_default());
        let lasts = self.lasts();
        let (hits, within) = self.spread();
        Some(Model {
            name: w.name.clone(),
            objects: objects?,
            when: when?,
            lasts: lasts?,
            hits: hits?,
            within: within?,
            apart: w.apart,
            act: act?,
            tilt: None,
        })
    }

    /// What fails: single nodes, or groups of them. Nodes that join later do not.
    fn objects(&mut self) -> Option<Vec<Object>> {
        let name = |n: NodeIndex| self.nodes.plans[n as usize].name.clone();
        let there = |n: &NodeIndex| self.nodes.plans[*n as usize].start != NodeStart::Absent;
        match (&self.written.nodes, &self.written.groups) {
            (Some(selector), None) => {
                let found = self.at("nodes").take(self.nodes.select(selector))?;
                let single = |n: NodeIndex| Object { name: name(n), nodes: vec![n] };
                Some(found.into_iter().filter(there).map(single).collect())
            }
            (None, Some(groups)) => self.groups(groups),
            (Some(_), Some(_)) => {
                self.at("groups").deny("give either `nodes` or `groups`, not both")
            }
            (None, None) => {
                let problem = Problem::new("this needs `nodes` or `groups`").help(
                    "`nodes: All` for each node by itself, `groups: Zones` or `groups: ByLabel(\"rack\")` for nodes that fail as one",
                );
                self.place.refuse(problem)
            }
        }
    }

    fn groups(&mut self, groups: &FaultGroups) -> Option<Vec<Object>> {
        let mut found: BTreeMap<String, Vec<NodeIndex>> = BTreeMap::new();
        for (i, node) in (0u32..).zip(&self.nodes.plans) {
            let group = group_of(groups, &node.labels);
            if let Some(group) = group.filter(|_| node.start != NodeStart::Absent) {
                found.entry(group).or_default().push(i);
            }
        }
        if found.is_empty() {
            if !self.nodes.incomplete && !self.nodes.labels_incomplete {
                self.at("groups").say(no_group(groups));
            }
            return None;
        }
        let object = |(name, nodes)| Object { name, nodes };
        Some(found.into_iter().map(object).collect())
    }

    fn act(&mut self) -> Option<Act> {
        Some(match &self.written.act {
            FaultAct::Crash => Act::Crash,
            FaultAct::Partition { cut } => Act::Partition(*cut),
            FaultAct::Maintain => Act::Maintain,
            FaultAct::Reclaim { notice, unheeded, replaced } => {
                let place = self.at("do");
                let notice = place.part("notice").take(values::span(notice));
                let replaced = place.part("replaced").take(values::span(replaced));
                Act::Reclaim { notice: notice?, unheeded: *unheeded, replaced: replaced? }
            }
        })
    }

    fn when(&mut self, objects: &[Object]) -> Option<When> {
        let w = self.written;
        let given = [w.rate.is_some(), w.up.is_some(), w.trace.is_some()];
        if given.iter().filter(|g| **g).count() != 1 {
            let problem = Problem::new("this needs one of `rate`, `up` and `trace`").help(
                "`rate: PerNodeYear(4.2)`, `up: Exponential(mean: \"720h\")`, or `trace: (file: \"outages.csv\")`",
            );
            return self.place.refuse(problem);
        }
        if let Some(rate) = w.rate {
            // Where neither nodes nor groups are given, that is what is wrong.
            let (per_year, fits, word) = match rate {
                FaultRate::PerNodeYear(r) => (r, w.groups.is_none(), "PerGroupYear"),
                FaultRate::PerGroupYear(r) => (r, w.nodes.is_none(), "PerNodeYear"),
            };
            if per_year.is_nan() || per_year <= 0.0 {
                let text = format!("a rate of {} a year is not above 0", legible(per_year));
                return self.at("rate").deny(text);
            }
            if per_year > RATE_MAX {
                let text = format!(
                    "a rate of {} a year is above {RATE_MAX}, some thirty a second",
                    legible(per_year)
                );
                return self.at("rate").deny(text);
            }
            if !fits {
                let text = "this rate is of nodes where groups fail, or the other way round";
                let problem = Problem::new(text).help(format!("write `{word}({per_year})`"));
                return self.at("rate").refuse(problem);
            }
            return Some(When::Rate(YEAR_S / per_year));
        }
        if let Some(up) = &w.up {
            return self.distribution("up", up).map(When::Renewal);
        }
        let trace = w.trace.as_ref()?;
        if w.groups.is_some() {
            let text = "what was recorded is of single nodes: `nodes`, and not `groups`";
            return self.at("trace").deny(text);
        }
        // A file that could not be read has been reported.
        let history = self.loaded.histories.get(&trace.file)?;
        if history.is_of_one_time() {
            let text = "this history tells of outages of one time, and not how often they come";
            let help = format!(
                "one of more time; or `rate: PerNodeYear(…), lasts: Empirical({:?})`, with how often",
                trace.file
            );
            return self.at("trace").refuse(Problem::new(text).help(help));
        }
        let history = match self.booting() {
            0.0 => Arc::clone(history),
            boot => Arc::new(history.switched_off(boot)),
        };
        Some(When::Recorded(Dealt::new(history, objects)))
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
    fn lasts(&mut self) -> Option<Option<Distribution>> {
        let w = self.written;
        let says_itself = w.trace.is_some() || matches!(w.act, FaultAct::Reclaim { .. });
        match &w.lasts {
            Some(_) if says_itself => {
                let text = "how long it lasts is said already, by `trace` or by `Reclaim`";
                self.at("lasts").deny(text)
            }
            None if says_itself => Some(None),
            Some(lasts) => self.distribution("lasts", lasts).map(Some),
            None => {
                let problem = Problem::new("`lasts` is missing: how long an outage lasts")
                    .help("`lasts: LogNormal(median: \"10m\", sigma: 1.2)`, `Fixed(\"5m\")`, `Empirical(\"outages.csv\")`");
                self.place.refuse(problem)
            }
        }
    }

    /// Which part of a group it takes, and over how many seconds.
    fn spread(&mut self) -> (Option<f64>, Option<f64>) {
        let w = self.written;
        if w.groups.is_none() {
            let given =
                [("hits", w.hits.is_some()), ("within", w.within.is_some()), ("apart", w.apart)];
            for (field, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
                self.at(field).say("this is about groups of nodes: `groups`");
            }
        }
        let hits = w.hits.unwrap_or(1.0);
        let in_range = hits > 0.0 && hits <= 1.0;
        if !in_range {
            let hits = legible(hits);
            self.at("hits").say(format!("a share of {hits} is not above 0 and at most 1"));
        }
        let within = self.place.maybe("within", w.within.as_ref(), |text| values::span(text));
        let within = within.map(|span| span.map_or(0.0, Dur::as_secs_f64));
        (in_range.then_some(hits), within)
    }

    fn distribution(&mut self, field: &str, written: &Written) -> Option<Distribution> {
        // A file that could not be read has been reported.
        let recorded = |file: &str| {
            let history = self.loaded.histories.get(file)?;
            let boot = if field == "lasts" { self.booting() } else { 0.0 };
            Some(Distribution::Measured(Arc::new(history.switched_off(boot).spans()?)))
        };
        spans::distribution(written, &self.at(field), recorded)
    }
}

/// The group of nodes that one with these labels fails with.
pub(crate) fn group_of(groups: &FaultGroups, labels: &Labels) -> Option<String> {
    match groups {
        FaultGroups::Zones => named_zone(labels),
        FaultGroups::Regions => region(labels).map(str::to_owned),
        FaultGroups::ByLabel(key) => labels.get(key).cloned(),
        FaultGroups::Cluster => Some("the cluster".to_owned()),
    }
}

/// That no node is in such a group.
pub(crate) fn no_group(groups: &FaultGroups) -> String {
    match groups {
        FaultGroups::Zones => "no node is in a zone".to_owned(),
        FaultGroups::Regions => "no node is in a region".to_owned(),
        FaultGroups::ByLabel(key) => format!("no node has a label `{key}`"),
        FaultGroups::Cluster => "there are no nodes".to_owned(),
    }
}
