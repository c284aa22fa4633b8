//! `false-unknown`: a healthy node is marked Unknown.
//!
//! A node is healthy if its kubelet reaches the API server, however slowly, or was cut off from it
//! for no longer than the bound allows. What counts is what the API server has: a kubelet that is
//! back is silent until a renewal has come that a watch could have delivered by the time of the
//! decision. While the API server itself is away nobody is heard.

use super::prelude::*;

/// A time in which nothing that a kubelet sends arrives.
#[derive(Clone, Copy)]
struct Silence {
    from: Time,
    to: Time,
    record: RecordId,
}

/// What is known of a node's heartbeats.
#[derive(Clone, Default)]
struct Heard {
    silences: Vec<Silence>,
    /// The latest heartbeat that the controller saw, or could have seen.
    at: Time,
}

impl Heard {
    /// The silence that a decision at `at` looks back on: the first that no heartbeat followed.
    fn silence<'a>(&'a self, outages: &'a [Silence], at: Time) -> Option<&'a Silence> {
        let all = self.silences.iter().chain(outages);
        all.filter(|s| s.to > self.at && s.from <= at).min_by_key(|s| s.from)
    }

    /// A heartbeat is known to have come that long before `at`.
    fn ago(&mut self, at: Time, ms: u64) {
        self.at = self.at.max(at.saturating_sub(Dur::from_millis(ms)));
    }
}

pub(super) fn check<'a>(analysis: &'a Analysis<'a>, found: &mut Found, silent: Dur) {
    let mut walk = Walk::new(analysis);
    let heard = |node: u32| {
        let silent = walk.follow.node(NodeId(node)).silent;
        let silences = silent.then(|| ongoing(Time::ZERO, NO_RECORD)).into_iter().collect();
        Heard { silences, at: Time::ZERO }
    };
    let mut nodes: Vec<Heard> = (0..analysis.node_count() as u32).map(heard).collect();
    let outages = outages(analysis);
    let delay = analysis.plan.timing.watch.max;
    while let Some((id, r, step)) = walk.step() {
        let Some((node, before, after)) = step.node else { continue };
        let heard = &mut nodes[node.index()];
        match r.what {
            _ if after.silent && !before.silent => heard.silences.push(ongoing(r.at, id)),
            _ if before.silent && !after.silent => {
                heard.silences.iter_mut().for_each(|s| s.to = s.to.min(r.at));
            }
            // Milliseconds are cut: it may be nearly one longer ago.
            What::Noted(Note::NodeExpired, ms) => heard.ago(r.at, u64::from(ms) + 1),
            What::Noted(Note::RenewalUnseen, ms) if Dur::from_millis(ms.into()) > delay => {
                heard.ago(r.at, u64::from(ms) + 1);
            }
            _ => {}
        }
        let is_marked =
            after.ready == Some(ConditionStatus::Unknown) && before.ready != after.ready;
        if !is_marked || r.actor != Actor::NodeLifecycle {
            continue;
        }
        let silence = heard.silence(&outages, r.at);
        // What a search holds up meanwhile makes nobody less silent.
        if silence.is_some_and(|s| r.at > s.from.saturating_add(silent)) {
            continue;
        }
        let name = walk.analysis.node_name(node);
        let why =
            silence.map_or("in touch".to_owned(), |s| format!("silent only since {:#}", s.from));
        let text =
            format!("{name} was marked Unknown at {:#} although its kubelet was {why}", r.at);
        found.add(r.at, (None, Some(node)), text, &[silence.map_or(NO_RECORD, |s| s.record), id]);
    }
}

fn ongoing(from: Time, record: RecordId) -> Silence {
    Silence { from, to: Time::MAX, record }
}

/// When the API server answers nobody.
fn outages(analysis: &Analysis<'_>) -> Vec<Silence> {
    let mut outages: Vec<Silence> = Vec::new();
    for action in &analysis.plan.actions {
        match action.act {
            Do::ApiDown => outages.push(ongoing(action.at, NO_RECORD)),
            Do::ApiUp(_) => outages.iter_mut().for_each(|o| o.to = o.to.min(action.at)),
            _ => {}
        }
    }
    outages
}
