//! The steps of entries that make nodes, watches or clocks fail.

use super::group_names::MENTIONS_MAX;
use super::primitive::{Primitive, Reader, START, faults, partition};
use crate::api::meta::ConditionStatus;
use crate::kernel::Dur;
use crate::language::{ApiClient, ConditionKind, Cut, DurationText, Problem, RestartKind, values};
use crate::plan::{Clients, Connections, Do, NodeFault, Phase, Successor};
use crate::trace::Actor;

impl Reader<'_> {
    /// Nodes are reached again, whatever cut them off.
    pub(super) fn heal(&mut self) -> Option<Vec<Primitive>> {
        let all = partition(Cut::Network, Connections::Dropped);
        Some(faults(Do::Recover, &self.nodes()?, &all, START, Phase::Begin).collect())
    }

    /// Nodes are down for no time at all.
    pub(super) fn reboot(&mut self) -> Option<Vec<Primitive>> {
        let n = self.nodes()?;
        let off = [NodeFault::Off];
        let down = faults(Do::Fail, &n, &off, START, Phase::Begin);
        Some(down.chain(faults(Do::Recover, &n, &off, START, Phase::Step)).collect())
    }

    /// Nodes are cut off and back, time after time.
    pub(super) fn flap(
        &mut self,
        partition: &[NodeFault],
        down: &DurationText,
        up: &DurationText,
        times: u32,
    ) -> Option<Vec<Primitive>> {
        let n = self.nodes()?;
        // Both were read with the entry's length.
        let (down, up) =
            (values::positive(down.as_str()).ok()?, values::positive(up.as_str()).ok()?);
        self.lasts?;
        if u64::from(times).saturating_mul(4 * n.len() as u64) > MENTIONS_MAX {
            self.say("times", "so many nodes cannot flap so often: the timeline would be too long");
            return None;
        }
        let mut steps = Vec::with_capacity(4 * times as usize);
        for k in 0..u64::from(times) {
            let begin = down.saturating_add(up).saturating_mul(k);
            let first = if k == 0 { Phase::Begin } else { Phase::Step };
            let last = if k + 1 == u64::from(times) { Phase::End } else { Phase::Step };
            steps.extend(faults(Do::Fail, &n, partition, begin, first));
            steps.extend(faults(Do::Recover, &n, partition, begin.saturating_add(down), last));
        }
        Some(steps)
    }

    /// A condition of nodes has another status.
    pub(super) fn condition(
        &mut self,
        kind: ConditionKind,
        wanted: ConditionStatus,
    ) -> Option<Vec<Primitive>> {
        let profile = self.world.profile;
        if kind == ConditionKind::OutOfDisk && !profile.node_lifecycle.out_of_disk {
            let release = &profile.release;
            let text =
                format!("Kubernetes {release} has no condition OutOfDisk; 1.13 was the last");
            self.say("type", text);
        }
        self.fails(&[NodeFault::Condition(kind.of_api(), wanted)])
    }

    /// Some of several API servers die.
    pub(super) fn servers_die(&mut self, share: &str) -> Option<Vec<Primitive>> {
        let Some((gone, all)) = share_of(share) else {
            let problem = Problem::new("this is no share of servers")
                .help("`of: \"one of three\"`, or `\"1 of 3\"`: at least one, and not all of at most nine");
            self.complaints.add(self.at("of"), problem);
            return None;
        };
        self.lasting(Do::ServersDie(gone, all), Do::Over)
    }

    /// Requests are rejected, of these clients or of all.
    pub(super) fn too_many_requests(
        &mut self,
        clients: Option<&[ApiClient]>,
    ) -> Option<Vec<Primitive>> {
        let whose = match clients {
            None => Clients::All,
            Some([]) => {
                let help = "leave `clients` out for everybody, or name some: `clients: [NodeLifecycle, Scheduler]`";
                let problem = Problem::new("this rejects nobody's requests").help(help);
                self.complaints.add(self.at("clients"), problem);
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
        &mut self,
        kind: Option<RestartKind>,
        downtime: Option<&DurationText>,
    ) -> Option<Do> {
        let Some(kind) = kind else {
            self.complaints.add(
                self.place(),
                Problem::new("this needs `downtime`, or `kind`").help(
                    "`downtime: \"20s\"` states how long nobody is in charge; `kind: Standby` or `Same` leaves it to leader election",
                ),
            );
            return None;
        };
        if self.world.leader_election.is_none() {
            self.complaints.add(
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
                self.complaints.say(
                    self.at("downtime"),
                    "a process that stands by is not started: with `kind: Standby` there is no `downtime`",
                );
                None
            }
            (RestartKind::Same, None) => Some(Do::ReplaceLeader(Successor::Same(START))),
            (RestartKind::Same, Some(text)) => self
                .complaints
                .take(self.at("downtime"), values::span(text.as_str()))
                .map(|down| Do::ReplaceLeader(Successor::Same(down))),
        }
    }
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
