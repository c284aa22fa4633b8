//! The steps of entries that make nodes, watches or clocks fail.

use super::limits::MENTIONS_MAX;
use super::primitive::{Of, Primitive, START};
use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::kernel::Dur;
use crate::language::Problem;
use crate::language::complaints::Complaints;
use crate::language::values;
use crate::language::{ApiClient, ConditionKind, Cut, DurationText, NodeSelector, RestartKind};
use crate::plan::{Clients, Connections, Do, NodeIndex, Phase, Resource, RuntimeFails, Successor};
use crate::trace::Actor;

impl Of<'_> {
    /// Nodes are cut off, and back at the end.
    pub(super) fn partition(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        (cut, connections): (Cut, Connections),
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        let mut steps = cutting(n.clone(), (cut, connections), START, Phase::Begin);
        steps.extend(self.lasts.into_iter().flat_map(|d| healing(n.clone(), cut, d, Phase::End)));
        Some(steps)
    }

    /// Nodes are dead, and boot at the end.
    pub(super) fn crash(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        self.lasting(Do::Crash(n.clone()), Do::Boot(n))
    }

    /// Nodes are down for no time at all.
    pub(super) fn reboot(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        Some(vec![(START, Phase::Begin, Do::Crash(n.clone())), (START, Phase::Step, Do::Boot(n))])
    }

    /// Kubelets are dead, and fresh ones start at the end.
    pub(super) fn kubelet_restart(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        self.lasts?;
        self.lasting(Do::StopKubelet(n.clone()), Do::StartKubelet(n))
    }

    /// Nodes are cut off and back, time after time.
    pub(super) fn flap(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        (cut, connections): (Cut, Connections),
        (down, up): (&DurationText, &DurationText),
        times: u32,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        // Both were read with the entry's length.
        let (down, up) =
            (values::positive(down.as_str()).ok()?, values::positive(up.as_str()).ok()?);
        self.lasts?;
        if u64::from(times).saturating_mul(4 * n.len() as u64) > MENTIONS_MAX {
            complaints.say(
                self.at("times"),
                "so many nodes cannot flap so often: the timeline would be too long",
            );
            return None;
        }
        let mut steps = Vec::with_capacity(4 * times as usize);
        for k in 0..u64::from(times) {
            let begin = down.saturating_add(up).saturating_mul(k);
            let first = if k == 0 { Phase::Begin } else { Phase::Step };
            let last = if k + 1 == u64::from(times) { Phase::End } else { Phase::Step };
            steps.extend(cutting(n.clone(), (cut, connections), begin, first));
            steps.extend(healing(n.clone(), cut, begin.saturating_add(down), last));
        }
        Some(steps)
    }

    /// Kubelets report less often.
    pub(super) fn slow_heartbeats(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        period: &DurationText,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let period = complaints.take(self.at("period"), values::positive(period.as_str()));
        let n = self.nodes(node, nodes, complaints)?;
        self.lasting(Do::HeartbeatPeriod(n.clone(), Some(period?)), Do::HeartbeatPeriod(n, None))
    }

    /// A condition of nodes has another status.
    pub(super) fn condition(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        kind: ConditionKind,
        wanted: ConditionStatus,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        if kind == ConditionKind::OutOfDisk && !self.world.profile.node_lifecycle.out_of_disk {
            complaints.say(
                self.at("type"),
                format!(
                    "Kubernetes {} has no condition OutOfDisk; 1.13 was the last",
                    self.world.profile.release
                ),
            );
        }
        let (kind, n) = (kind.of_api(), self.nodes(node, nodes, complaints)?);
        let healthy = if kind == NodeConditionType::Ready {
            ConditionStatus::True
        } else {
            ConditionStatus::False
        };
        self.lasting(Do::Condition(n.clone(), kind, wanted), Do::Condition(n, kind, healthy))
    }

    /// The container runtime of nodes fails.
    pub(super) fn runtime(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        fails: RuntimeFails,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes(node, nodes, complaints)?;
        self.lasting(Do::Runtime(n.clone(), Some(fails)), Do::Runtime(n, None))
    }

    /// Some of several API servers die.
    pub(super) fn servers_die(
        &self,
        share: &str,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let Some((gone, all)) = share_of(share) else {
            let problem = Problem::new("this is no share of servers")
                .help("`of: \"one of three\"`, or `\"1 of 3\"`: at least one, and not all of at most nine");
            complaints.add(self.at("of"), problem);
            return None;
        };
        self.lasting(Do::ServersDie(gone, all), Do::Over)
    }

    /// Watches hear later of changes.
    pub(super) fn watch_lag(
        &self,
        resource: Resource,
        lag: &DurationText,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let lag = complaints.take(self.at("lag"), values::positive(lag.as_str()))?;
        self.lasting(Do::WatchLag(resource, lag), Do::WatchLag(resource, START))
    }

    /// Requests are rejected, of these clients or of all.
    pub(super) fn too_many_requests(
        &self,
        clients: &Option<Vec<ApiClient>>,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let whose = match clients {
            None => Clients::All,
            Some(named) if named.is_empty() => {
                let help = "leave `clients` out for everybody, or name some: `clients: [NodeLifecycle, Scheduler]`";
                let problem = Problem::new("this rejects nobody's requests").help(help);
                complaints.add(self.at("clients"), problem);
                return None;
            }
            Some(named) => {
                let mut actors: Vec<Actor> = named.iter().map(|c| self.actor(*c)).collect();
                actors.sort();
                actors.dedup();
                Clients::Of(actors)
            }
        };
        let lasts = self.lasts.unwrap_or(Dur::MAX);
        self.lasting(Do::RejectRequests(whose, lasts), Do::Over)
    }

    /// Whose client it is. Up to 1.28 the taint manager is a part of the node lifecycle controller.
    fn actor(&self, client: ApiClient) -> Actor {
        match client {
            ApiClient::NodeLifecycle => Actor::NodeLifecycle,
            ApiClient::TaintEviction if self.world.profile.taint_eviction.separate_controller => {
                Actor::TaintEviction
            }
            ApiClient::TaintEviction => Actor::NodeLifecycle,
            ApiClient::PodGc => Actor::PodGc,
            ApiClient::GarbageCollector => Actor::GarbageCollector,
            ApiClient::Deployment => Actor::Deployment,
            ApiClient::ReplicaSet => Actor::ReplicaSet,
            ApiClient::StatefulSet => Actor::StatefulSet,
            ApiClient::DaemonSet => Actor::DaemonSet,
            ApiClient::Job => Actor::Job,
            ApiClient::Cloud => Actor::Cloud,
            ApiClient::Disruption => Actor::Disruption,
            ApiClient::Scheduler => Actor::Scheduler,
            ApiClient::Kubectl => Actor::User,
        }
    }

    /// The controllers' process dies, and another takes over by leader election.
    pub(super) fn replace_leader(
        &self,
        kind: Option<RestartKind>,
        downtime: Option<&DurationText>,
        complaints: &mut Complaints,
    ) -> Option<Do> {
        let Some(kind) = kind else {
            complaints.add(
                self.place(),
                Problem::new("this needs `downtime`, or `kind`").help(
                    "`downtime: \"20s\"` states how long nobody is in charge; `kind: Standby` or `Same` leaves it to leader election",
                ),
            );
            return None;
        };
        if self.world.leader_election.is_none() {
            complaints.add(
                self.at("kind"),
                Problem::new("there is no leader election, which `kind` leaves the time to").help(
                    "give `downtime` alone, or use `timing: Typical` without `leader-elect: false`",
                ),
            );
            return None;
        }
        match (kind, downtime) {
            (RestartKind::Standby, None) => Some(Do::ReplaceLeader(Successor::Standby)),
            (RestartKind::Standby, Some(_)) => {
                complaints.say(
                    self.at("downtime"),
                    "a process that stands by is not started: with `kind: Standby` there is no `downtime`",
                );
                None
            }
            (RestartKind::Same, None) => Some(Do::ReplaceLeader(Successor::Same(START))),
            (RestartKind::Same, Some(text)) => complaints
                .take(self.at("downtime"), values::span(text.as_str()))
                .map(|down| Do::ReplaceLeader(Successor::Same(down))),
        }
    }

    /// The clocks of nodes are wrong.
    pub(super) fn clock_skew(
        &self,
        node: &Option<String>,
        nodes: &Option<NodeSelector>,
        skew: &DurationText,
        complaints: &mut Complaints,
    ) -> Option<Vec<Primitive>> {
        let skew = complaints.take(self.at("skew"), values::signed(skew.as_str()));
        let n = self.nodes(node, nodes, complaints)?;
        self.lasting(Do::ClockSkew(n.clone(), skew?), Do::ClockSkew(n, 0))
    }
}

/// Nodes are cut off.
pub(super) fn cutting(
    nodes: Vec<NodeIndex>,
    (cut, connections): (Cut, Connections),
    at: Dur,
    phase: Phase,
) -> Vec<Primitive> {
    let isolate = (cut == Cut::Network).then(|| (at, Phase::Step, Do::Isolate(nodes.clone())));
    std::iter::once((at, phase, Do::Cut(nodes, connections))).chain(isolate).collect()
}

/// What [`cutting`] did ends.
pub(super) fn healing(nodes: Vec<NodeIndex>, cut: Cut, at: Dur, phase: Phase) -> Vec<Primitive> {
    let reconnect = (cut == Cut::Network).then(|| (at, Phase::Step, Do::Reconnect(nodes.clone())));
    std::iter::once((at, phase, Do::Heal(nodes))).chain(reconnect).collect()
}

/// "one of three", "1 of 3".
fn share_of(text: &str) -> Option<(u32, u32)> {
    const WORDS: [&str; 9] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let number = |word: &str| {
        let word = word.trim();
        let written = WORDS.iter().position(|w| *w == word);
        let digit = || word.parse().ok().filter(|n| (1..=9).contains(n));
        written.map(|i| i as u32 + 1).or_else(digit)
    };
    let (gone, all) = text.split_once(" of ")?;
    let (gone, all) = (number(gone)?, number(all)?);
    (gone < all).then_some((gone, all))
}
