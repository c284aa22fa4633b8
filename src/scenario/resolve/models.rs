//! Fault models with every name looked up, as they are drawn from, and importance sampling: which outages
//! are drawn more often than they come, and the weights that make up for it.

use crate::outages::{Distribution, History};
use crate::scenario::prelude::*;

/// The seconds of a year.
pub(crate) const YEAR_S: f64 = 365.0 * 24.0 * 3_600.0;

/// The fault models of a scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct Models {
    /// The kinds of faults.
    pub(crate) list: Vec<Model>,
    /// What is done about machines that are away for long.
    pub(crate) repair: Option<Repair>,
    /// The names of all nodes; draws depend on them.
    pub(super) nodes: Vec<String>,
    /// Of each node whether its kubelet ends its pods before its machine goes off that is told to.
    pub(super) graceful: Vec<bool>,
}

/// One kind of fault.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Its name.
    pub(crate) name: String,
    /// What fails: single nodes, or groups.
    pub(crate) objects: Vec<Object>,
    /// How often each of them does.
    pub(crate) when: When,
    /// How long for, in seconds; none where the act says it.
    pub(crate) lasts: Option<Distribution>,
    /// Which part of a group's nodes is taken.
    pub(crate) hits: f64,
    /// Over how many seconds the beginnings of a group's nodes are spread.
    pub(crate) within: f64,
    /// Each node of a group is away for a time of its own.
    pub(crate) apart: bool,
    /// What happens.
    pub(crate) act: Act,
    /// Which outages are drawn more often than they come, where they are drawn one at a time; they are in no span then.
    pub(crate) tilt: Option<Tilt>,
}

/// Something that fails as one.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Its name.
    pub(crate) name: String,
    /// The nodes that it takes with it.
    pub(crate) nodes: Vec<NodeIndex>,
}

/// How often something fails.
#[derive(Clone, Debug)]
pub(crate) enum When {
    /// At any time alike, with this mean time between beginnings, in seconds.
    Rate(f64),
    /// After it has run for a time of this distribution, in seconds.
    Renewal(Distribution),
    /// As it was recorded.
    Recorded(Dealt),
}

/// A history, as it is dealt to what fails.
#[derive(Clone, Debug)]
pub(crate) struct Dealt {
    pub(super) history: Arc<History>,
    /// Of each object the nodes of the history whose outages it has, in order, and how often these had been dealt before.
    pub(super) nodes: Vec<(Vec<usize>, u32)>,
    /// How many outages all of them have in the time of the history: of those that are called as one of its nodes their own, and of
    /// others as many as is to be expected.
    outages: f64,
}

impl Dealt {
    /// A place of the history with a node that is called as an object is that one's, and the others are dealt one after the other. A
    /// file that has only nodes that failed, some of these among them, is taken to be of these: others were there, and did not fail.
    pub(super) fn new(history: Arc<History>, objects: &[Object]) -> Self {
        let names: BTreeSet<&str> = objects.iter().map(|o| &*o.name).collect();
        let is_named = |name: &str| names.contains(name);
        let (mut named, mut rest) = (BTreeMap::new(), Vec::new());
        for mut place in history.places(is_named) {
            let name = place.iter().map(|i| &*history.nodes[*i]).find(|name| is_named(name));
            place.sort_unstable();
            match name {
                Some(name) => _ = named.insert(name, place),
                None => rest.push(place),
            }
        }
        if history.failures_only && !named.is_empty() {
            rest.clear();
        }
        let mut of_node = vec![0.0; history.nodes.len()];
        history.outages.iter().for_each(|o| of_node[o.node as usize] += 1.0);
        let of = |place: &Vec<usize>| place.iter().map(|i| of_node[*i]).sum::<f64>();
        let others = (objects.len() - named.len()) as f64;
        let dealt = others * rest.iter().map(of).sum::<f64>() / rest.len().max(1) as f64;
        let outages = named.values().map(of).sum::<f64>() + dealt;
        let mut turns = 0_usize..;
        let mut deal = |o: &Object| {
            let own = named.remove(&*o.name).map(|place| (place, 0));
            own.or_else(|| {
                let turn = turns.next()?;
                let place = rest.get(turn.checked_rem(rest.len())?)?;
                Some((place.clone(), (turn / rest.len()) as u32))
            })
        };
        let nodes = objects.iter().map(|o| deal(o).unwrap_or_default()).collect();
        Self { history, nodes, outages }
    }
}

/// What happens to what fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Act {
    /// Machines are dead.
    Crash,
    /// Nodes are cut off.
    Partition(Cut),
    /// Nodes are drained and away.
    Maintain,
    /// Machines are taken back and replaced.
    Reclaim {
        /// How long before it is told.
        notice: Dur,
        /// Nobody drains them meanwhile.
        unheeded: bool,
        /// How long until others join.
        replaced: Dur,
    },
}

/// What is done about machines that are away for long.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Repair {
    /// For how long, in seconds.
    pub(crate) after: f64,
    /// How long it takes, in seconds.
    pub(crate) takes: f64,
    /// The node is deleted, and joins again.
    pub(crate) replaces: bool,
    /// Not while more than this part of all nodes is away.
    pub(crate) unless_share: f64,
}

impl Model {
    /// Its outages are those of a history.
    pub(crate) fn is_recorded(&self) -> bool {
        self.record().is_some()
    }

    /// The history that it is.
    pub(crate) fn record(&self) -> Option<&History> {
        if let When::Recorded(dealt) = &self.when { Some(&dealt.history) } else { None }
    }

    /// How long its nodes are away, where that is drawn and nobody drains them before.
    pub(crate) fn away(&self) -> Option<&Distribution> {
        let at_once = matches!(self.act, Act::Crash | Act::Partition(_));
        self.lasts.as_ref().filter(|_| at_once && !self.is_recorded())
    }

    /// Clients still reach the pods of its nodes.
    pub(crate) fn is_reached(&self) -> bool {
        self.act == Act::Partition(Cut::ApiServer)
    }

    /// Its machines stop, and boot when that is over; their pods start anew.
    pub(crate) fn stops_machines(&self) -> bool {
        self.act == Act::Crash
    }

    /// How often it fails in a year, all of its objects together, as far as its distributions say.
    pub(crate) fn per_year(&self) -> f64 {
        let objects = self.objects.len() as f64;
        match &self.when {
            When::Rate(gap) => objects * YEAR_S / gap,
            When::Renewal(up) => objects * YEAR_S / self.cycle(up).max(1.0),
            When::Recorded(dealt) => dealt.outages * YEAR_S / dealt.history.length.max(1.0),
        }
    }

    /// How long it is from one outage to the next, of that much time without one.
    pub(super) fn cycle(&self, up: &Distribution) -> f64 {
        up.mean() + self.lasts.as_ref().map_or(0.0, Distribution::mean)
    }

    /// How many failures of a node are drawn at the most until `end` seconds of a run, on average.
    /// Where most gaps are far shorter than their mean there are far more than `per_year` says: a
    /// renewal process of gaps X has at most 2 t / E[min(X, t)] renewals by t (Erickson, 1973).
    pub(super) fn draws_up_to(&self, end: f64) -> f64 {
        let nodes: usize = self.objects.iter().map(|o| o.nodes.len()).sum();
        match &self.when {
            When::Renewal(up) => {
                nodes as f64 * 2.0 * end / up.mean_up_to(end).max(f64::MIN_POSITIVE)
            }
            When::Rate(gap) => nodes as f64 * end / gap,
            // Of a history there are as many as the file has, again and again.
            When::Recorded(_) => self.per_year() * end / YEAR_S,
        }
    }
}

/// Which outages are drawn one at a time more often than they come (importance sampling). A weight makes
/// up for it, so that means stay what they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tilt {
    /// By object the part of the draws that it has; nothing where all have the same.
    pub(crate) objects: Vec<f64>,
    /// Lengths from the shortest to the longest in spans: which part of the outages each has, and which
    /// part of the draws. Nothing where outages are drawn as long as they are.
    pub(crate) lengths: Vec<[f64; 2]>,
}

impl Tilt {
    /// The object that a number between zero and one falls to, with its weight.
    pub(super) fn object(&self, unit: f64, objects: usize) -> (usize, f64) {
        let mut left = unit;
        for (i, part) in self.objects.iter().enumerate() {
            if left < *part {
                return (i, 1.0 / objects as f64 / part);
            }
            left -= part;
        }
        let i = (unit * objects as f64) as usize;
        (i.min(objects.saturating_sub(1)), 1.0)
    }

    /// What a number between zero and one, which says how long an outage lasts, becomes; with its weight.
    pub(super) fn length(&self, unit: f64) -> (f64, f64) {
        let (mut left, mut before) = (unit, 0.0);
        for [part, drawn] in &self.lengths {
            if left < *drawn {
                return (before + part * left / drawn, part / drawn);
            }
            (left, before) = (left - drawn, before + part);
        }
        (unit, 1.0)
    }

    /// The most that an outage weighs.
    pub(crate) fn most(&self) -> f64 {
        let alike = 1.0 / self.objects.len() as f64;
        let object = self.objects.iter().map(|part| alike / part).fold(1.0, f64::max);
        let length = self.lengths.iter().map(|[part, drawn]| part / drawn).fold(1.0, f64::max);
        object * length
    }
}
