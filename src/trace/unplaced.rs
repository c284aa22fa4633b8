//! What filters said of a pod, read back by the record of the attempt that placed it nowhere.

use super::record::{Record, What};
use super::records::Trace;
use super::verdicts::Rejection;
use crate::api::names::NodeId;

impl Trace {
    /// What filters said in the attempt that a record of [`What::PodUnplaced`] is about: each node
    /// that was looked at with why it was rejected, by number of node; or, without a node, why the
    /// pod was. Nothing for other records.
    pub fn verdicts(&self, record: &Record) -> impl Iterator<Item = (Option<NodeId>, &Rejection)> {
        self.verdict_runs(record).flat_map(|(first, count, rejection)| {
            let nodes =
                first.into_iter().flat_map(move |n| (n.0..n.0 + count).map(|id| Some(NodeId(id))));
            nodes.chain(first.is_none().then_some(None)).map(move |node| (node, rejection))
        })
    }

    /// As [`Trace::verdicts`], for runs of nodes: the first, and how many.
    pub(super) fn verdict_runs(
        &self,
        record: &Record,
    ) -> impl Iterator<Item = (Option<NodeId>, u32, &Rejection)> {
        self.verdicts.runs(match record.what {
            What::PodUnplaced(number) => Some(number),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::trace::actor::Actor;
    use crate::trace::record::NO_RECORD;

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
