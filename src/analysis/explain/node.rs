//! What became of a node: silence, condition, queue, taints, and the way back.

use super::super::clock::{absolute, short};
use super::super::rows::grouped;
use super::super::setting::{is_no_execute, zone_name};
use super::super::state::{Follow, Health};
use super::super::words;
use super::drain::Refusals;
use super::{Explanation, Question, Remedy, Step, rules};
use crate::api::meta::{ConditionStatus, Timestamp};
use crate::api::names::{NodeId, TextId};
use crate::api::node::NodeConditionType;
use crate::kernel::{Dur, Time};
use crate::plan::NodeStart;
use crate::trace::{Actor, Note, Record, RecordId, What, ZoneState};

/// What a step means for the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It was heard, or is Ready, or lost its taints.
    Recovery,
    /// It fell silent, or is not Ready.
    Harm,
    /// Anything else.
    Other,
}

/// A node's steps.
pub(super) struct Story {
    pub(super) steps: Vec<(Step, Kind)>,
    /// The times of the latest expiry: of the last pass with news, and of the pass that found the
    /// node expired.
    expired: Option<(Time, Time)>,
    /// When it was heard and Ready again after that.
    heard_at: Option<Time>,
    ready_at: Option<Time>,
    /// Pods that were evicted from it.
    evicted: u64,
    /// Evictions from it that budgets refused.
    refused: Refusals,
    health: Health,
}

/// What an export shows of a node, or a scenario of its taints, at the start of the run.
#[derive(Default)]
pub(super) struct AtStart {
    /// In words; empty where there is nothing to tell.
    pub(super) said: Vec<String>,
    /// It was not Ready, or nobody heard it.
    pub(super) unready: bool,
    /// It had a NoExecute taint.
    pub(super) no_execute: bool,
}

/// What was amiss with a node before anything happened in the run.
pub(super) fn at_start(question: Question<'_>, node: NodeId) -> AtStart {
    let analysis = question.analysis;
    let mut found = AtStart::default();
    let Some(plan) = (0..)
        .zip(&analysis.plan.nodes)
        .find(|(i, _)| analysis.node_id(*i) == node)
        .map(|(_, n)| n)
    else {
        return found;
    };
    let ago = |at: Timestamp| {
        u64::try_from(-at.0)
            .ok()
            .filter(|s| *s > 0)
            .map(|s| format!(", since {} before", short(Dur::from_secs(s))))
    };
    if let NodeStart::Imported {
        conditions, cut, ..
    } = &plan.start
    {
        let ready = conditions
            .iter()
            .find(|c| c.kind == NodeConditionType::Ready);
        match ready {
            Some(c) if c.status != ConditionStatus::True => {
                let said = if c.status == ConditionStatus::Unknown {
                    "Unknown"
                } else {
                    "NotReady"
                };
                found.said.push(format!(
                    "{said}{}",
                    ago(c.last_transition_time).unwrap_or_default()
                ));
            }
            None => found.said.push("without a Ready condition".to_owned()),
            Some(_) if *cut => found.said.push("silent".to_owned()),
            Some(_) => {}
        }
        found.unready = !found.said.is_empty();
    }
    if plan.unschedulable && !matches!(plan.start, NodeStart::Absent) {
        found.said.push("cordoned".to_owned());
    }
    for taint in plan
        .taints
        .iter()
        .filter(|t| is_no_execute(t.effect) && !matches!(plan.start, NodeStart::Absent))
    {
        found.no_execute = true;
        found.said.push(format!(
            "tainted {}{}",
            words::short_taint(taint),
            taint.time_added.and_then(ago).unwrap_or_default()
        ));
    }
    found
}

/// Tells what happened to a node up to a time.
pub(super) fn story(question: Question<'_>, node: NodeId, until: Time) -> Story {
    let analysis = question.analysis;
    let mut teller = Teller {
        question,
        node,
        story: Story {
            steps: Vec::new(),
            expired: None,
            heard_at: None,
            ready_at: None,
            evicted: 0,
            refused: Refusals::default(),
            health: Health::Absent,
        },
        zone: ZoneState::Normal,
        turned: None,
        queued_at: None,
        started_at: Time::ZERO,
        zone_since: Time::ZERO,
        tokens: Vec::new(),
    };
    let before = at_start(question, node);
    if !before.said.is_empty() {
        let text = format!(
            "when the run began, {} was {}",
            analysis.node_name(node),
            before.said.join("; ")
        );
        let kind = if before.unready || before.no_execute {
            Kind::Harm
        } else {
            Kind::Other
        };
        teller.story.steps.push((
            Step {
                at: Time::ZERO,
                text,
                rule: None,
                record: None,
            },
            kind,
        ));
    }
    let mut follow = Follow::new(analysis);
    for (id, r) in analysis
        .trace
        .iter()
        .enumerate()
        .take_while(|(_, r)| r.at <= until)
    {
        let id = id as RecordId;
        let step = follow.apply(id, r);
        if let Some((_, pod)) = step.eviction(r)
            && pod.node_id() == Some(node)
        {
            teller.story.evicted += 1;
        }
        if step
            .pod
            .is_some_and(|(_, before, _)| before.node_id() == Some(node))
        {
            teller.story.refused.add(question, id, r);
        }
        teller.record(id, r);
    }
    let refused = teller.story.refused.steps(question);
    teller
        .story
        .steps
        .extend(refused.into_iter().map(|s| (s, Kind::Other)));
    teller.story.health = follow.node(node).health();
    teller.story.steps.sort_by_key(|(s, _)| s.at);
    teller
        .story
        .steps
        .dedup_by(|(a, _), (b, _)| a.at == b.at && a.text == b.text);
    teller.story
}

struct Teller<'a> {
    question: Question<'a>,
    node: NodeId,
    story: Story,
    zone: ZoneState,
    /// When its Ready condition turned last, and to what.
    turned: Option<(Time, ConditionStatus)>,
    queued_at: Option<Time>,
    /// When the controllers' process began.
    started_at: Time,
    /// Since when its zone is in its state.
    zone_since: Time,
    /// Which nodes of its zone got NoExecute taints, and when: each took a token of the zone's
    /// limiter, which is one of the process.
    tokens: Vec<(Time, NodeId)>,
}

impl Teller<'_> {
    fn push(&mut self, at: Time, record: RecordId, text: String, rule: Option<String>, kind: Kind) {
        self.story.steps.push((
            Step {
                at,
                text,
                rule,
                record: Some(record),
            },
            kind,
        ));
    }

    /// The entry of the timeline that led to a record, as a step of its own.
    fn entry(&mut self, r: &Record) {
        let analysis = self.question.analysis;
        if let Some(cause) = analysis.trace.get(r.cause)
            && matches!(cause.what, What::FaultBegan | What::FaultEnded)
        {
            let text = words::record(analysis, cause);
            self.push(cause.at, r.cause, text, None, Kind::Other);
        }
    }

    fn record(&mut self, id: RecordId, r: &Record) {
        let analysis = self.question.analysis;
        let plan = analysis.plan;
        let say =
            |me: &mut Self, rule, kind| me.push(r.at, id, words::record(analysis, r), rule, kind);
        match r.what {
            What::Zone(state)
                if zone_name(analysis.trace.names.text_of(TextId(r.object)))
                    == analysis.zone_name(self.node) =>
            {
                let nodes = analysis
                    .zone_of
                    .iter()
                    .filter(|z| **z == analysis.zone_of[self.node.index()])
                    .count();
                if state != self.zone
                    && let Some(rule) = rules::zone(plan, state, nodes)
                {
                    say(self, Some(rule), Kind::Other);
                }
                if state != self.zone {
                    (self.zone, self.zone_since) = (state, r.at);
                }
            }
            What::MasterDisruptionEntered
            | What::MasterDisruptionLeft
            | What::ControllersStopped => say(self, None, Kind::Other),
            What::ControllersStarted if r.at > Time::ZERO => {
                (self.started_at, self.queued_at) = (r.at, None);
                self.tokens.clear();
                say(self, None, Kind::Other);
            }
            What::NodeTaints(change) if r.node() != Some(self.node) => {
                let zone = |n: NodeId| analysis.zone_of.get(n.index());
                if let Some(node) = r
                    .node()
                    .filter(|n| zone(*n) == zone(self.node) && r.actor == Actor::NodeLifecycle)
                {
                    self.token(r.at, node, change);
                }
            }
            _ if r.node() == Some(self.node) => self.own(id, r),
            _ => {}
        }
    }

    /// Notes the token that a new NoExecute taint took; a swap of one for the other takes none.
    fn token(&mut self, at: Time, node: NodeId, change: u32) {
        let has =
            |taints: &[crate::api::taint::Taint]| taints.iter().any(|t| is_no_execute(t.effect));
        if self
            .question
            .analysis
            .trace
            .taints
            .get(change as usize)
            .is_some_and(|c| has(&c.added) && !has(&c.removed))
        {
            self.tokens.push((at, node));
        }
    }

    /// Why it was tainted when it was, having waited in its zone's queue.
    fn rate(&self, since: Time, at: Time) -> String {
        let analysis = self.question.analysis;
        let before = self.tokens.iter().filter(|(at, _)| *at > since).count();
        let rule = rules::rate(analysis.plan, self.zone, before);
        if before > 0 || at.since(since) <= Dur::from_millis(500) {
            return rule;
        }
        if self.zone_since > since {
            return format!(
                "{rule}, and its zone was in another state, with another rate, until {}",
                absolute(self.zone_since)
            );
        }
        match self.tokens.last() {
            Some((taken, node)) => {
                format!(
                    "{rule}, and the zone's last token went to {} at {}",
                    analysis.node_name(*node),
                    absolute(*taken)
                )
            }
            None => format!("{rule}, and the zone had no token before"),
        }
    }

    fn own(&mut self, id: RecordId, r: &Record) {
        let analysis = self.question.analysis;
        let plan = analysis.plan;
        let said = words::record(analysis, r);
        let name = analysis.node_name(self.node);
        match r.what {
            // What a node begins with.
            _ if r.at == Time::ZERO => {}
            What::NodeSilent => {
                self.entry(r);
                self.push(r.at, id, said, None, Kind::Harm);
            }
            What::MachineOff => self.push(r.at, id, said, None, Kind::Harm),
            What::MachineOn => self.push(r.at, id, said, None, Kind::Recovery),
            What::NodeHeard => {
                self.entry(r);
                self.push(r.at, id, said, None, Kind::Recovery);
                self.story.heard_at.get_or_insert(r.at);
            }
            What::Noted(Note::LastHeartbeat, ms) => {
                let at = r.at.saturating_sub(Dur::from_millis(ms.into()));
                let text = if plan.profile.node_lifecycle.leases {
                    "its lease is renewed"
                } else {
                    "its status is posted"
                };
                self.push(
                    at,
                    id,
                    format!("the last heartbeat of {name} that arrives: {text}"),
                    None,
                    Kind::Other,
                );
            }
            What::Noted(Note::NodeExpired, ms) => {
                let at = r.at.saturating_sub(Dur::from_millis(ms.into()));
                let text = format!(
                    "the last pass that finds a new heartbeat of {name}: its grace period begins"
                );
                self.push(at, id, text, None, Kind::Other);
                (self.story.expired, self.story.heard_at, self.story.ready_at) =
                    (Some((at, r.at)), None, None);
            }
            What::NodeCondition(NodeConditionType::Ready, ConditionStatus::Unknown, _) => {
                self.turned = Some((r.at, ConditionStatus::Unknown));
                self.push(r.at, id, said, Some(rules::grace(plan)), Kind::Harm);
            }
            What::NodeCondition(NodeConditionType::Ready, status, _) => {
                self.turned = Some((r.at, status));
                let kind = if status == ConditionStatus::True {
                    Kind::Recovery
                } else {
                    Kind::Harm
                };
                if status == ConditionStatus::True {
                    self.story.ready_at.get_or_insert(r.at);
                }
                self.push(r.at, id, said, None, kind);
            }
            What::NodeCondition(_, ConditionStatus::Unknown, _)
            | What::Noted(Note::TaintsKnown, _) => {}
            What::Noted(Note::TaintsGone, _) => self.push(r.at, id, said, None, Kind::Recovery),
            What::NodeQueued => {
                self.queued_at = Some(r.at);
                let rule = match self.turned {
                    Some((turned, _)) if turned < self.started_at => {
                        "it is so already when the new process of the controllers looks at it for the first time".to_owned()
                    }
                    Some((_, ConditionStatus::False)) => "the first pass that finds it NotReady queues it".to_owned(),
                    // The pass is over as soon as its writes are; the next one is a period away.
                    Some((turned, _)) if r.at.since(turned) < plan.flags.node_monitor_period.saturating_add(Dur::from_millis(500)) => {
                        rules::queued(plan)
                    }
                    _ => "a pass queues every node that is not Ready and has no NoExecute taint, unless all zones are dark".to_owned(),
                };
                self.push(r.at, id, said, Some(rule), Kind::Other);
            }
            What::NodeTaints(change) => {
                let index = change;
                let Some(change) = analysis.trace.taints.get(index as usize) else {
                    return;
                };
                let (adds, removes) = (&change.added, &change.removed);
                let no_execute = |taints: &[crate::api::taint::Taint]| {
                    taints.iter().any(|t| is_no_execute(t.effect))
                };
                let rule = match (r.actor, self.queued_at) {
                    (Actor::NodeLifecycle, _) if no_execute(adds) && no_execute(removes) => {
                        Some("the condition changed: one taint is swapped for the other at once, without waiting".to_owned())
                    }
                    (Actor::NodeLifecycle, Some(since)) if no_execute(adds) => Some(self.rate(since, r.at)),
                    (Actor::NodeLifecycle, _) if no_execute(removes) && self.turned.is_some_and(|(at, status)| {
                        status != ConditionStatus::True && at < self.started_at
                    }) => Some(
                        "a new process of the controllers takes the taint off every node that it sees for the first time, whatever its \
                         condition (markNodeAsReachable)"
                            .to_owned(),
                    ),
                    (Actor::User, _) => Some("written by the timeline's user".to_owned()),
                    _ => None,
                };
                let back = adds.is_empty() && no_execute(removes);
                if r.actor == Actor::NodeLifecycle {
                    self.token(r.at, self.node, index);
                }
                self.push(
                    r.at,
                    id,
                    said,
                    rule,
                    if back { Kind::Recovery } else { Kind::Other },
                );
            }
            What::NodeEvent(..) => {}
            _ => self.push(r.at, id, said, None, Kind::Other),
        }
    }
}

impl Story {
    /// What would have kept the node from becoming Unknown, if it was heard again.
    pub(super) fn grace_remedy(&self, question: Question<'_>, node: NodeId) -> Option<Remedy> {
        let flags = &question.analysis.plan.flags;
        let ((since, expired), heard, ready) = (self.expired?, self.heard_at?, self.ready_at?);
        if heard < expired {
            return None;
        }
        // A pass after the node is Ready again finds it so; a second for that pass to come.
        let news = ready
            .saturating_add(flags.node_monitor_period)
            .saturating_add(Dur::from_secs(1));
        let grace = Dur::from_secs(news.since(since).as_nanos().div_ceil(1_000_000_000));
        let name = question.analysis.node_name(node);
        let text = format!(
            "with a --node-monitor-grace-period of {} or more {name} would not have become Unknown: it was heard again at {}",
            short(grace),
            absolute(heard)
        );
        Some(Remedy {
            text,
            set: rules::manager_flag("node-monitor-grace-period", short(grace)),
        })
    }

    /// The steps that led to a record: from the last recovery on that was before the harm that led
    /// to it.
    pub(super) fn until(&self, record: RecordId) -> Vec<Step> {
        let Some(end) = self
            .steps
            .iter()
            .rposition(|(s, _)| s.record == Some(record))
        else {
            return Vec::new();
        };
        let harm = self.steps[..end]
            .iter()
            .rposition(|(_, kind)| *kind == Kind::Harm)
            .unwrap_or(end);
        let from = self.steps[..harm]
            .iter()
            .rposition(|(_, kind)| *kind == Kind::Recovery)
            .map_or(0, |i| i + 1);
        self.steps[from..=end]
            .iter()
            .map(|(s, _)| s.clone())
            .collect()
    }
}

/// Explains a node.
pub(super) fn explain(question: Question<'_>, node: NodeId) -> Explanation {
    let analysis = question.analysis;
    let story = story(question, node, question.until);
    let health = match story.health {
        Health::Absent => "there is no such node",
        Health::Ready => "it is Ready",
        Health::Silent => "it is silent, and that is not noticed yet",
        Health::Unknown => "it is Unknown",
        Health::NotReady => "it is NotReady",
    };
    let verdict = match (story.steps.is_empty(), story.evicted) {
        (true, _) => format!(
            "nothing happened to it; at {} {health}",
            absolute(question.until)
        ),
        (_, 0) => format!(
            "no pod was evicted from it; at {} {health}",
            absolute(question.until)
        ),
        (_, n) => {
            let pods = if n == 1 {
                "1 pod was".to_owned()
            } else {
                format!("{} pods were", grouped(n))
            };
            format!(
                "{pods} evicted from it; at {} {health}",
                absolute(question.until)
            )
        }
    };
    let verdict = match story.refused.last() {
        Some(_) => format!(
            "{verdict}; {}",
            story.refused.verdict(question, "its drain")
        ),
        None => verdict,
    };
    let mut remedies: Vec<Remedy> = story.grace_remedy(question, node).into_iter().collect();
    remedies.extend(story.refused.remedies(question, None));
    let zone = analysis.zone_name(node);
    let notes = if zone.is_empty() {
        Vec::new()
    } else {
        vec![format!(
            "it is of zone {zone}: `explain … zone/{zone}` tells of that"
        )]
    };
    let steps = story.steps.into_iter().map(|(s, _)| s).collect();
    Explanation {
        object: format!("node {}", analysis.node_name(node)),
        verdict,
        steps,
        remedies,
        notes,
    }
}
