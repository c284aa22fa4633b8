//! What is refused of a timeline, and what of it changes nothing.

use super::drains::{drain_ended, drains};
use super::prelude::*;

/// Those of the entries from that one on, a sentence each: what kubectl or the API server refuse, drains
/// that do not end, and nodes that are to come back although they were not silent.
pub(crate) fn refusals(analysis: &Analysis<'_>, from: u32) -> Vec<String> {
    let trace = analysis.trace;
    let (mut said, mut cordoned) = (Vec::new(), BTreeSet::new());
    let mut follow = Follow::new(analysis);
    for (id, r) in (0..).zip(trace.iter()) {
        let node = r.node();
        let was_silent = node.is_some_and(|node| follow.node(node).silent);
        follow.apply(id, r);
        let entry = chain(trace, id).find(|(_, c)| c.what == What::FaultBegan);
        let Some((began, _)) = entry.filter(|(_, c)| c.object >= from) else { continue };
        let name = || node.map_or("", |node| analysis.node_name(node));
        match r.what {
            What::Refused(text) => said.push(trace.names.text_of(TextId(text)).to_owned()),
            What::DrainEnded(_) => {
                let end = trace.drain_end(r).filter(|end| end.outcome != DrainOutcome::Drained);
                said.extend(end.map(|end| drain_ended(analysis, name(), end)));
            }
            What::NodeUnschedulable(true) => cordoned.extend(node),
            What::NetworkBack if r.cause == began && !was_silent => {
                said.push(format!("{} is not silent", name()));
            }
            _ => {}
        }
    }
    let open = drains(analysis).into_iter().filter(|d| d.goes_on() && cordoned.contains(&d.node));
    said.extend(open.map(|d| format!("{} not drained: {}", analysis.node_name(d.node), d.words())));
    said
}
