//! What choosing a node for a pod works on, and its result.

use super::cycle_state::ClusterState;
use super::framework::Plugins;
use super::memo::Memo;
use super::single_node::Found;
use super::text::{Histogram, reasons};
use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::{FitText, FitWords};

pub use super::cycle_state::Incoming;
pub use super::framework::Choice;

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
    pub(crate) plugins: Plugins,
    /// What filters knew, for the dry runs of preemption.
    pub(crate) state: ClusterState,
}

impl Diagnosis {
    /// "0/3 nodes are available: …", as the release words it; `post_filter` is what came of preemption, if it was tried.
    pub fn text(&self, post_filter: &str, rejections: &Rejections, switches: &Switches) -> String {
        let words = switches.fit_words;
        let mut histogram = Histogram::default();
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        for (_, number) in &self.rejected {
            *numbers.entry(*number).or_insert(0) += 1;
        }
        for (number, nodes) in &numbers {
            if let Some(r) = rejections.get(*number) {
                histogram.add(reasons(r, words), *nodes);
            }
        }
        if let Some(reason) = self.left_out.filter(|_| self.rejected.len() < self.nodes) {
            histogram.add([reason].into_iter(), self.nodes - self.rejected.len());
        }
        let none = "No nodes are available that match all of the";
        let mut text = match words {
            FitWords::Following => format!("{none} following predicates::"),
            FitWords::Predicates => format!("{none} predicates:"),
            FitWords::Names | FitWords::Described => {
                format!("0/{} nodes are available:", self.nodes)
            }
        };
        let old = matches!(switches.fit_text, FitText::Reasons | FitText::WithPreemption);
        match &self.at_once {
            Some(r) if !old => {
                text += &format!(" {}.", reasons(r, words).collect::<Vec<_>>().join(", "));
            }
            Some(r) => {
                histogram.add(reasons(r, words), self.nodes);
                text += &format!(" {}.", histogram.text(words));
            }
            None if old || !histogram.is_empty() => text += &format!(" {}.", histogram.text(words)),
            None => {}
        }
        let more = if switches.fit_text == FitText::Reasons { "" } else { post_filter };
        if !more.is_empty() {
            let stop = if switches.fit_text == FitText::TwoStops { "." } else { "" };
            text += &format!(" {more}{stop}");
        }
        text
    }
}

/// Nodes that are equally good: how many.
#[derive(Clone, Copy, Debug)]
pub enum Tied {
    /// One of them is drawn.
    ByLot(u32),
    /// Upstream takes the one at the top of a heap, which is number 0 here. The order in which
    /// goroutines finish looking at nodes decides which node that is.
    InHeap(u32),
    /// Which of so many nodes was found out of its order: the one of that number, before the one ahead of it;
    /// 0 if none. Whether the node that was looked at first is among them.
    Overtaken(u32, bool),
}

/// The result of an attempt.
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
    pub(super) next_start: usize,
    pub(super) memo: Memo,
    /// The kind of the pod that is being placed, if anything is remembered of it.
    pub(super) kind: Option<usize>,
    /// By shape: the selector of the owner, and the constraints that follow from it.
    pub(super) default_spread: Vec<Option<DefaultSpread>>,
    pub(super) spare: Spare,
}

/// The selector of an owner, and the default constraints that come of it.
pub(super) type DefaultSpread = (Rc<Selector>, Rc<[Spread]>);

/// Lists of an attempt that the next one fills again: there are many attempts.
#[derive(Default)]
pub(super) struct Spare {
    pub(super) places: Vec<u32>,
    pub(super) feasible: Vec<NodeId>,
    pub(super) found: Vec<Found>,
    pub(super) totals: Vec<i64>,
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
}
