//! What the scheduler's filters said of nodes in an attempt that placed its pod nowhere. As
//! upstream, only the first filter that rejects a node is known.
//!
//! Most attempts for a pod end with the same answers, so each set of answers is held once, in runs
//! of nodes that were rejected for the same reason.

use crate::api::names::NodeId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Why a filter said no.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rejection {
    /// The filter: `TaintToleration`.
    pub plugin: &'static str,
    /// Its reasons, in the words of the event FailedScheduling, with commas between several.
    pub reason: Box<str>,
}

/// Nodes with neighbouring numbers that were rejected for one reason: the first, how many, and the
/// reason's number.
type Run = (NodeId, u32, u32);

/// An attempt's answers. Without nodes it is the pod that was rejected, before any node was looked
/// at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Answers {
    Pod(u32),
    Nodes(Box<[Run]>),
}

/// The answers of all attempts of a run that placed their pod nowhere, each held once.
#[derive(Default, Debug)]
pub(crate) struct Verdicts {
    rejections: Vec<Rejection>,
    numbers: BTreeMap<Rejection, u32>,
    answers: Vec<Rc<Answers>>,
    known: BTreeMap<Rc<Answers>, u32>,
}

impl Verdicts {
    /// The number of a rejection.
    pub(crate) fn rejection(&mut self, rejection: Rejection) -> u32 {
        if let Some(number) = self.numbers.get(&rejection) {
            return *number;
        }
        let number = self.rejections.len() as u32;
        self.rejections.push(rejection.clone());
        self.numbers.insert(rejection, number);
        number
    }

    /// The number of the answers about nodes, each with the number of its rejection, for
    /// [`What::PodUnplaced`](super::What::PodUnplaced).
    pub(crate) fn of_nodes(&mut self, mut rejected: Vec<(NodeId, u32)>) -> u32 {
        rejected.sort_unstable();
        let mut runs: Vec<Run> = Vec::new();
        for (node, number) in rejected {
            match runs.last_mut() {
                Some((first, n, of)) if *of == number && first.0 + *n == node.0 => *n += 1,
                _ => runs.push((node, 1, number)),
            }
        }
        self.number(Answers::Nodes(runs.into()))
    }

    /// The number of the answer about the pod itself, for
    /// [`What::PodUnplaced`](super::What::PodUnplaced).
    pub(crate) fn of_pod(&mut self, rejection: u32) -> u32 {
        self.number(Answers::Pod(rejection))
    }

    /// The answers of this number, in runs of nodes: the first, how many, and why they were
    /// rejected.
    pub(super) fn runs(
        &self,
        number: Option<u32>,
    ) -> impl Iterator<Item = (Option<NodeId>, u32, &Rejection)> {
        let answers = number.and_then(|n| self.answers.get(n as usize));
        let (pod, runs) = match answers.map(|a| &**a) {
            Some(Answers::Pod(number)) => (Some((None, 0, *number)), &[][..]),
            Some(Answers::Nodes(runs)) => (None, &**runs),
            None => (None, &[][..]),
        };
        let nodes = runs.iter().map(|(first, count, number)| (Some(*first), *count, *number));
        pod.into_iter()
            .chain(nodes)
            .map(|(first, count, number)| (first, count, &self.rejections[number as usize]))
    }

    fn number(&mut self, answers: Answers) -> u32 {
        if let Some(number) = self.known.get(&answers) {
            return *number;
        }
        let (number, answers) = (self.answers.len() as u32, Rc::new(answers));
        self.answers.push(answers.clone());
        self.known.insert(answers, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::trace::record::{Actor, NO_RECORD, Record, What};
    use crate::trace::records::Trace;

    fn record(what: What) -> Record {
        Record {
            at: Time::ZERO,
            cause: NO_RECORD,
            saw: NO_RECORD,
            object: 0,
            what,
            actor: Actor::Scheduler,
        }
    }

    /// Nodes come back by number, whatever the order in which they were tried; equal answers are
    /// one.
    #[test]
    fn answers_come_back() {
        let mut trace = Trace::default();
        let v = &mut trace.verdicts;
        let taint = v.rejection(Rejection { plugin: "TaintToleration", reason: "tainted".into() });
        let full = v
            .rejection(Rejection { plugin: "NodeResourcesFit", reason: "Insufficient cpu".into() });
        assert_eq!(
            v.rejection(Rejection { plugin: "TaintToleration", reason: "tainted".into() }),
            taint
        );
        let nodes = |list: [(u32, u32); 4]| list.map(|(id, why)| (NodeId(id), why)).to_vec();
        let first = v.of_nodes(nodes([(7, full), (2, taint), (1, taint), (3, full)]));
        assert_eq!(v.of_nodes(nodes([(1, taint), (2, taint), (3, full), (7, full)])), first);
        let pod = v.of_pod(taint);
        let told = |what| {
            trace
                .verdicts(&record(what))
                .map(|(n, r)| (n.map(|n| n.0), r.plugin))
                .collect::<Vec<_>>()
        };
        let (t, f) = ("TaintToleration", "NodeResourcesFit");
        assert_eq!(
            told(What::PodUnplaced(first)),
            [(Some(1), t), (Some(2), t), (Some(3), f), (Some(7), f)]
        );
        assert_eq!(told(What::PodUnplaced(pod)), [(None, t)]);
        assert_eq!(told(What::PodGone), []);
    }
}
