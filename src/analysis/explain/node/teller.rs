//! Walks through the trace and notes the steps of a node.

use super::super::super::disruption::{Disruptions, disruptions};
use super::super::prelude::*;
use super::super::rules;
use super::story::{Kind, Story, at_start};

/// Tells what happened to several nodes, in one walk: their stories in their order.
pub(crate) fn stories(question: Question<'_>, nodes: &[NodeId]) -> Vec<Story> {
    let analysis = question.analysis;
    let places: BTreeMap<NodeId, usize> = nodes.iter().copied().zip(0..).collect();
    let mut tellers: Vec<Teller<'_>> = nodes.iter().map(|n| Teller::new(question, *n)).collect();
    let mut tokens = Tokens(vec![Vec::new(); analysis.zones.len().max(1)]);
    let (mut follow, disrupted) = (Follow::new(analysis), disruptions(analysis));
    while let Some((id, r, step)) = follow.step_until(question.until) {
        let on = |node: Option<NodeId>| node.and_then(|n| places.get(&n)).copied();
        if let Some((_, pod)) = step.eviction(r)
            && let Some(place) = on(pod.node_id())
        {
            tellers[place].story.evicted += 1;
        }
        if let Some(place) = step.pod.and_then(|(_, before, _)| on(before.node_id())) {
            tellers[place].story.refused.add(question, id, r);
        }
        match on(r.node()) {
            Some(place) => tellers[place].own(id, r, &tokens),
            None => tell_all(question, &mut tellers, (id, r), &disrupted),
        }
        tokens.record(question, r);
    }
    tellers.into_iter().map(|teller| teller.finish(&follow)).collect()
}

/// Tells those whom it concerns a record that is about no node alone, but about the nodes of a zone, or
/// about the controllers.
fn tell_all(
    question: Question<'_>,
    tellers: &mut [Teller<'_>],
    found: Told<'_>,
    disrupted: &Disruptions,
) {
    let analysis = question.analysis;
    match found.1.what {
        What::Zone(state) => {
            let name = analysis.zone_told(found.1);
            let Some(zone) = analysis.find_zone(&name) else { return };
            let pace = disrupted.pace(&name, found.1.at);
            let rule = rules::zone(analysis.plan, state, analysis.zone_size(zone), pace);
            let of_zone = tellers.iter_mut().filter(|t| analysis.zone_of[t.node.index()] == zone);
            of_zone.for_each(|t| t.of_zone(found, state, rule.clone()));
        }
        What::MasterDisruptionEntered
        | What::MasterDisruptionLeft
        | What::ControllersStopped
        | What::ControllersStarted => tellers.iter_mut().for_each(|t| t.of_all(found)),
        _ => {}
    }
}

/// By zone: which of its nodes got NoExecute taints, and when. Each took a token of the zone's
/// limiter, which is one of the process.
struct Tokens(Vec<Vec<(Time, NodeId)>>);

impl Tokens {
    /// Notes the token that a new NoExecute taint took; a swap of one for the other takes none.
    fn record(&mut self, question: Question<'_>, r: &Record) {
        let analysis = question.analysis;
        match r.what {
            What::ControllersStarted if r.at > Time::ZERO => self.0.iter_mut().for_each(Vec::clear),
            What::NodeTaints(_) if r.actor == Actor::NodeLifecycle => {
                let takes = |c: &TaintChange| c.adds_no_execute() && !has_no_execute(&c.removed);
                let takes = analysis.trace.taint_change(r).is_some_and(takes);
                if let Some(node) = r.node().filter(|_| takes) {
                    self.0[usize::from(analysis.zone_of[node.index()])].push((r.at, node));
                }
            }
            _ => {}
        }
    }
}

/// Tells the story of a node while walking through the trace.
struct Teller<'a> {
    question: Question<'a>,
    node: NodeId,
    story: Story,
    zone: ZoneState,
    /// When its Ready condition turned last, and to what.
    turned: Option<(Time, ConditionStatus)>,
    queued_at: Option<Time>,
    silent_since: Option<Time>,
    /// When the controllers' process began.
    started_at: Time,
    /// Since when its zone is in its state.
    zone_since: Time,
}

impl<'a> Teller<'a> {
    /// Stands at the start of the run, with what was wrong before anything happened in it.
    fn new(question: Question<'a>, node: NodeId) -> Self {
        let mut story = Story::default();
        let before = at_start(question, node);
        let is_harm = before.unready || before.silent || before.no_execute;
        let kind = if is_harm { Kind::Harm } else { Kind::Other };
        story.steps.extend(before.step(question, node).map(|step| (step, kind)));
        Teller {
            question,
            node,
            story,
            zone: ZoneState::Normal,
            turned: None,
            queued_at: None,
            silent_since: None,
            started_at: Time::ZERO,
            zone_since: Time::ZERO,
        }
    }

    /// The story, its steps in their order, and the node's health then.
    fn finish(self, follow: &Follow<'_>) -> Story {
        let mut story = self.story;
        let refused = story.refused.steps(self.question).into_iter();
        story.steps.extend(refused.map(|s| (s, Kind::Other)));
        let silent = self.silent_since.map(|since| self.question.until.since(since));
        let was_unready = self.turned.is_some() || at_start(self.question, self.node).unready;
        story.unnoticed = story.unnoticed.max(silent).filter(|_| !was_unready);
        story.health = follow.node(self.node).health();
        story.steps.sort_by_key(|(s, _)| s.at);
        story.steps.dedup_by(|(a, _), (b, _)| a.at == b.at && a.text == b.text);
        story
    }

    /// A step for a record.
    fn say(&mut self, found: Told<'_>, rule: Option<String>, kind: Kind) {
        self.story.steps.push((self.question.step(found, rule), kind));
    }

    /// A step that was `ms` milliseconds before the record that tells of it; one before the run is told of at its start.
    fn before(&mut self, (id, r): Told<'_>, ms: u32, mut text: String) {
        let at = r.at.saturating_sub(Dur::from_millis(ms.into()));
        let before = u64::from(ms).saturating_sub(r.at.as_millis());
        if before > 0 {
            text += &format!(", {} before the run began", short(Dur::from_millis(before)));
        }
        self.story.steps.push((Step { at, text, rule: None, record: Some(id) }, Kind::Other));
    }

    /// The entry of the timeline that led to a record, as a step of its own.
    fn entry(&mut self, r: &Record) {
        if let Some(cause) = self.question.analysis.trace.get(r.cause)
            && matches!(cause.what, What::FaultBegan | What::FaultEnded)
        {
            self.say((r.cause, cause), None, Kind::Other);
        }
    }

    /// A record about its zone, which is in that state then, and what that means.
    fn of_zone(&mut self, found: Told<'_>, state: ZoneState, rule: Option<String>) {
        if state == self.zone {
            return;
        }
        if rule.is_some() {
            self.say(found, rule, Kind::Other);
        }
        (self.zone, self.zone_since) = (state, found.1.at);
    }

    /// A record about the controllers.
    fn of_all(&mut self, found: Told<'_>) {
        if found.1.what == What::ControllersStarted {
            if found.1.at == Time::ZERO {
                return;
            }
            (self.started_at, self.queued_at) = (found.1.at, None);
        }
        self.say(found, None, Kind::Other);
    }

    /// Why it was tainted when it was, having waited in its zone's queue.
    fn rate(&self, since: Time, at: Time, tokens: &Tokens) -> String {
        let analysis = self.question.analysis;
        let tokens = &tokens.0[usize::from(analysis.zone_of[self.node.index()])];
        let before = tokens.len() - tokens.partition_point(|(at, _)| *at <= since);
        let rule = rules::rate(analysis.plan, self.zone, before);
        if before > 0 || at.since(since) <= Dur::from_millis(500) {
            return rule;
        }
        match tokens.last() {
            _ if self.zone_since > since => format!(
                "{rule}, and its zone was in another state, with another rate, until {}",
                absolute(self.zone_since)
            ),
            Some((taken, node)) => {
                let (node, taken) = (analysis.node_name(*node), absolute(*taken));
                format!("{rule}, and the zone's last token went to {node} at {taken}")
            }
            None => format!("{rule}, and the zone had no token before"),
        }
    }

    /// A record about the node itself.
    fn own(&mut self, id: RecordId, r: &Record, tokens: &Tokens) {
        let found = (id, r);
        match r.what {
            // What a node begins with.
            _ if r.at == Time::ZERO => {}
            What::NodeSilent => {
                self.silent_since = Some(r.at);
                self.entry(r);
                self.say(found, None, Kind::Harm);
            }
            What::MachineOff => self.say(found, None, Kind::Harm),
            What::MachineOn => self.say(found, None, Kind::Recovery),
            What::NodeHeard => {
                let silent = self.silent_since.take().map(|since| r.at.since(since));
                self.story.unnoticed = self.story.unnoticed.max(silent);
                self.entry(r);
                self.say(found, None, Kind::Recovery);
                self.story.heard_at.get_or_insert(r.at);
            }
            What::Noted(Note::LastHeartbeat, ms) => self.last_heartbeat(found, ms),
            What::Noted(Note::LeaseForgotten, ms) => self.lease_forgotten(found, ms),
            What::Noted(Note::NodeExpired, ms) => self.expired(found, ms),
            What::Noted(Note::RenewalUnseen, _) => {
                if let Some((last, _)) = self.story.steps.last_mut() {
                    last.text = last.text.replace("that arrives", "that the controller has seen");
                }
                self.say(found, None, Kind::Other);
            }
            What::NodeCondition(NodeConditionType::Ready, status, _) => {
                self.turned = Some((r.at, status));
                let grace = || rules::grace(self.question.analysis.plan);
                let rule = (status == ConditionStatus::Unknown).then(grace);
                let is_ready = status == ConditionStatus::True;
                if is_ready {
                    self.story.ready_at.get_or_insert(r.at);
                }
                self.say(found, rule, if is_ready { Kind::Recovery } else { Kind::Harm });
            }
            What::NodeCondition(_, ConditionStatus::Unknown, _)
            | What::Noted(Note::TaintsKnown | Note::LeaseRenewed, _) => {}
            What::Noted(Note::TaintsGone, _) => self.say(found, None, Kind::Recovery),
            What::NodeQueued => {
                self.queued_at = Some(r.at);
                let rule = self.queue_rule(r.at);
                self.say(found, Some(rule), Kind::Other);
            }
            What::NodeTaints(_) => self.taints(id, r, tokens),
            What::NodeEvent(..) | What::NodeMessage(_) => {}
            _ => self.say(found, None, Kind::Other),
        }
    }

    /// The last heartbeat that arrived, `ms` milliseconds before the note of it.
    fn last_heartbeat(&mut self, found: Told<'_>, ms: u32) {
        let analysis = self.question.analysis;
        let name = analysis.node_name(self.node);
        let leases = analysis.plan.profile.node_lifecycle.leases;
        let text = if leases { "its lease is renewed" } else { "its status is posted" };
        self.before(found, ms, format!("the last heartbeat of {name} that arrives: {text}"));
    }

    /// Its status was reported after its last renewal, `ms` milliseconds before the note of it.
    fn lease_forgotten(&mut self, found: Told<'_>, ms: u32) {
        if let Some((renewed, _)) = self.story.steps.last_mut() {
            renewed.text = renewed.text.replace("last heartbeat", "last but one heartbeat");
        }
        let name = self.question.analysis.node_name(self.node);
        self.before(found, ms, format!("the last heartbeat of {name} that arrives: its status"));
        if let Some((reported, _)) = self.story.steps.last_mut() {
            reported.rule = Some("the pass that sees it makes a new record, without the lease (tryUpdateNodeHealth); the next one takes the lease for renewed, and the grace period begins anew".to_owned());
        }
    }

    /// A pass finds its grace period to be over, which began `ms` milliseconds before.
    fn expired(&mut self, found: Told<'_>, ms: u32) {
        let name = self.question.analysis.node_name(self.node);
        let text =
            format!("the last pass that finds a new heartbeat of {name}: its grace period begins");
        self.before(found, ms, text);
        let (story, silent) = (&mut self.story, Dur::from_millis(ms.into()));
        (story.expired, story.heard_at, story.ready_at) = (Some((silent, found.1.at)), None, None);
    }

    /// Why it was queued for the NoExecute taint at that time.
    fn queue_rule(&self, at: Time) -> String {
        let plan = self.question.analysis.plan;
        // The pass is over as soon as its writes are; the next one is a period away.
        let period = plan.flags.node_monitor_period.saturating_add(Dur::from_millis(500));
        match self.turned {
            _ if plan.evicts_by_timeout() => rules::queued_by_timeout(plan),
            Some((turned, _)) if turned < self.started_at => {
                "it is so already when the new process of the controllers looks at it for the first time".to_owned()
            }
            Some((_, ConditionStatus::False)) => "the first pass that finds it NotReady queues it".to_owned(),
            Some((turned, _)) if at.since(turned) < period => rules::queued(plan),
            _ => "a pass queues every node that is not Ready and has no NoExecute taint, unless all zones are dark".to_owned(),
        }
    }

    /// A change of its taints.
    fn taints(&mut self, id: RecordId, r: &Record, tokens: &Tokens) {
        let analysis = self.question.analysis;
        let Some(change) = analysis.trace.taint_change(r) else { return };
        let rule = self.taint_rule(r, change, tokens);
        let back = change.added.is_empty() && has_no_execute(&change.removed);
        let kind = if back { Kind::Recovery } else { Kind::Other };
        self.say((id, r), rule, kind);
    }

    /// Why its taints changed then.
    fn taint_rule(&self, r: &Record, change: &TaintChange, tokens: &Tokens) -> Option<String> {
        let adds = change.adds_no_execute();
        let removes = has_no_execute(&change.removed);
        let before = self.turned.filter(|(at, _)| *at < self.started_at);
        let was_unready = before.is_some_and(|(_, status)| status != ConditionStatus::True);
        match (r.actor, self.queued_at) {
            (Actor::NodeLifecycle, _) if adds && removes => Some(
                "the condition changed: one taint is swapped for the other at once, without waiting"
                    .to_owned(),
            ),
            (Actor::NodeLifecycle, Some(since)) if adds => Some(self.rate(since, r.at, tokens)),
            (Actor::NodeLifecycle, _) if removes && was_unready => Some(
                "a new process of the controllers takes the taint off every node that it sees for the first time, whatever its \
                 condition (markNodeAsReachable)"
                    .to_owned(),
            ),
            (Actor::User, _) => Some("written by the timeline's user".to_owned()),
            _ => None,
        }
    }
}

/// Whether one of these taints has the effect NoExecute.
fn has_no_execute(taints: &[Taint]) -> bool {
    taints.iter().any(|t| t.effect == Effect::NoExecute)
}
