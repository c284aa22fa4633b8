//! What one entry of the timeline does: how long it lasts, and its primitive steps, those included that
//! make nodes, watches or clocks fail.

use super::prelude::*;
use super::primitive::{Reader, START, Steps, failing, faults, once, partition, removing};
use crate::plan::{ProvisioningFails, RefuseVolumes};

impl Reader<'_> {
    /// Nodes are reached again, whatever cut them off.
    pub(super) fn heal(&mut self) -> Steps {
        let all = partition(Cut::Network, Connections::Dropped);
        Some(faults(Do::Recover, &self.nodes()?, &all, START, Phase::Begin).collect())
    }

    /// Nodes are down for no time at all.
    fn reboot(&mut self) -> Steps {
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
    ) -> Steps {
        let n = self.nodes()?;
        // Both were read with the entry's length.
        let (down, up) = (values::positive(down).ok()?, values::positive(up).ok()?);
        self.lasts?;
        if u64::from(times).saturating_mul(4 * n.len() as u64) > MENTIONS_MAX {
            let text = "so many nodes cannot flap so often: the timeline would be too long";
            return self.at("times").deny(text);
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
    pub(super) fn condition(&mut self, kind: ConditionKind, wanted: ConditionStatus) -> Steps {
        let profile = self.world.profile;
        if kind == ConditionKind::OutOfDisk && !profile.node_lifecycle.out_of_disk {
            let release = &profile.release;
            let why = "has no condition OutOfDisk; 1.13 was the last";
            self.at("type").say(format!("Kubernetes {release} {why}"));
        }
        self.fails(&[NodeFault::Condition(kind.of_api(), wanted)])
    }

    /// Some of several API servers die.
    pub(super) fn servers_die(&mut self, share: &str) -> Steps {
        let Some((gone, all)) = share_of(share) else {
            let problem = Problem::new("this is no share of servers")
                .help("`of: \"one of three\"`, or `\"1 of 3\"`: at least one, and not all of at most nine");
            return self.at("of").refuse(problem);
        };
        self.lasting(Do::ServersDie(gone, all), Do::Over)
    }

    /// Drivers make no volumes: that of this name, or all, in this zone, or everywhere.
    fn refuse_volumes(
        &self,
        driver: Option<&String>,
        zone: Option<&String>,
        fails: ProvisioningFails,
    ) -> Steps {
        let claims = self.world.pods.templates.iter().flat_map(|template| &template.claims);
        let made = claims.filter(|claim| claim.provision.is_some());
        let known: BTreeSet<&str> = made.filter_map(|claim| claim.driver.as_deref()).collect();
        if let Some(unknown) = driver.filter(|driver| !known.contains(driver.as_str())) {
            let text = format!("no claim with `provision` has the driver `{unknown}`");
            let help =
                "`volumes: [(claim: \"10Gi\", driver: \"ebs.csi.aws.com\", provision: \"8s\")]`";
            return self
                .at("driver")
                .refuse(Problem::new(text).meant(unknown, known).or_help(help));
        }
        let zone = match zone {
            Some(zone) => Some(self.at("zone").take(self.world.nodes.zone(zone))?.0),
            None => None,
        };
        let refused = RefuseVolumes { driver: driver.cloned(), zone, fails };
        self.lasting(Do::RefuseVolumes(vec![refused]), Do::RefuseVolumes(Vec::new()))
    }

    /// Requests are rejected, of these clients or of all.
    fn too_many_requests(&mut self, clients: Option<&[ApiClient]>) -> Steps {
        let whose = match clients {
            None => Clients::All,
            Some([]) => {
                let help = "leave `clients` out for everybody, or name some: `clients: [NodeLifecycle, Scheduler]`";
                let problem = Problem::new("this rejects nobody's requests").help(help);
                return self.at("clients").refuse(problem);
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
            ApiClient::TaintEviction if !self.world.profile.taint_eviction.separate_controller => {
                Actor::NodeLifecycle
            }
            ApiClient::Kubectl => Actor::User,
            // All others are called as they are there.
            _ => {
                let is_it = |actor: &Actor| format!("{actor:?}") == format!("{client:?}");
                Actor::ALL.into_iter().find(is_it).unwrap_or(Actor::User)
            }
        }
    }

    /// The controllers' process dies, and another takes over by leader election.
    pub(super) fn replace_leader(
        &mut self,
        kind: Option<RestartKind>,
        downtime: Option<&DurationText>,
    ) -> Option<Do> {
        let Some(kind) = kind else {
            return self.place().refuse(Problem::new("this needs `downtime`, or `kind`").help(
                    "`downtime: \"20s\"` states how long nobody is in charge; `kind: Standby` or `Same` leaves it to leader election",
                ));
        };
        if self.world.leader_election.is_none() {
            let help =
                "give `downtime` alone, or use `timing: Typical` without `leader-elect: false`";
            let text = "there is no leader election, which `kind` leaves the time to";
            return self.at("kind").refuse(Problem::new(text).help(help));
        }
        match (kind, downtime) {
            (RestartKind::Standby, None) => Some(Do::ReplaceLeader(Successor::Standby)),
            (RestartKind::Standby, Some(_)) => {
                self.at("downtime").deny("a process that stands by is not started: with `kind: Standby` there is no `downtime`")
            }
            (RestartKind::Same, downtime) => {
                let down = self.place().maybe("downtime", downtime, |text| values::span(text))?;
                Some(Do::ReplaceLeader(Successor::Same(down.unwrap_or(START))))
            }
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

/// How many partitions one flapping entry may stand for.
const FLAPS_MAX: u32 = 100_000;

/// How long an entry lasts, if it ends; complaints about its durations. One that is wrong ends all the same: that its
/// end is not known would be told of whatever refers to it.
pub(super) fn lasts(i: usize, step: &Step, complaints: &Complaints) -> Option<Dur> {
    let place = complaints.at(at!["timeline", i, "do"]);
    let read = |text: &DurationText, field| {
        place.part(field).take(values::positive(text)).unwrap_or_default()
    };
    match step {
        Step::Partition { duration, .. }
        | Step::Crash { duration, .. }
        | Step::Shutdown { duration, .. }
        | Step::SlowHeartbeats { duration, .. }
        | Step::Condition { duration, .. }
        | Step::RuntimeFailure { duration, .. }
        | Step::ApiOutage { duration, .. }
        | Step::RegistryOutage { duration, .. }
        | Step::ProvisioningOutage { duration, .. }
        | Step::TooManyRequests { duration, .. }
        | Step::WatchLag { duration, .. }
        | Step::ClockSkew { duration, .. } => duration.as_ref().map(|d| read(d, "duration")),
        Step::WatchStall { duration, .. } => Some(read(duration, "duration")),
        Step::KubeletRestart { downtime, .. } => Some(read(downtime, "downtime")),
        Step::ControllerRestart { downtime, kind: None } => {
            place.read("downtime", downtime, values::span)
        }
        Step::Flap { down, up, times, .. } => {
            let (down, up) = (read(down, "down"), read(up, "up"));
            if *times == 0 || *times > FLAPS_MAX {
                let text = format!("a flapping node is cut off between 1 and {FLAPS_MAX} times");
                return place.part("times").deny(text);
            }
            Some(down.saturating_add(up).saturating_mul(u64::from(*times)).saturating_sub(up))
        }
        _ => None,
    }
}

/// The flags of a drain that is an entry of its own.
fn drain_flags(step: &Step) -> DrainFlags {
    let Step::Drain {
        force,
        ignore_daemonsets,
        delete_emptydir_data,
        disable_eviction,
        grace_period_seconds,
        timeout,
        skip_wait_for_delete_timeout,
        ..
    } = step
    else {
        return DrainFlags::default();
    };
    DrainFlags {
        force: *force,
        ignore_daemonsets: Some(*ignore_daemonsets),
        delete_emptydir_data: *delete_emptydir_data,
        disable_eviction: *disable_eviction,
        grace_period_seconds: *grace_period_seconds,
        timeout: timeout.clone(),
        skip_wait_for_delete_timeout: skip_wait_for_delete_timeout.clone(),
    }
}

/// The steps of an entry; nothing if a complaint is about it.
pub(super) fn primitives(mut reader: Reader<'_>) -> Steps {
    let step = reader.step;
    match step {
        Step::Partition { cut, connections, .. } => reader.fails(&partition(*cut, *connections)),
        Step::Heal { .. } => reader.heal(),
        Step::Crash { .. } => reader.fails(&[NodeFault::Off]),
        Step::Shutdown { at_most, .. } => {
            let read = |text: &DurationText| values::positive(text);
            let at_most = reader.place().maybe("at_most", at_most.as_ref(), read)?;
            reader.fails(&[NodeFault::Shutdown(at_most)])
        }
        Step::Reboot { .. } => reader.reboot(),
        Step::KubeletRestart { .. } => reader.fails(&[NodeFault::NoKubelet]),
        Step::Flap { cut, connections, down, up, times, .. } => {
            reader.flap(&partition(*cut, *connections), down, up, *times)
        }
        Step::SlowHeartbeats { period, .. } => {
            let (period, nodes) = (reader.positive("period", period), reader.nodes());
            Some(failing(&nodes?, &[NodeFault::SlowHeartbeats(period?)], reader.lasts))
        }
        Step::Condition { kind, status, .. } => reader.condition(*kind, *status),
        Step::RuntimeFailure { fails, .. } => reader.fails(&[NodeFault::Runtime(*fails)]),
        Step::ApiOutage { of: Some(share), .. } => reader.servers_die(share),
        Step::ApiOutage { watch_cache, .. } => reader.lasting(Do::ApiDown, Do::ApiUp(*watch_cache)),
        Step::RegistryOutage { fails, .. } => {
            reader.lasting(Do::Registry(Some(*fails)), Do::Registry(None))
        }
        Step::ProvisioningOutage { driver, zone, fails, .. } => {
            reader.refuse_volumes(driver.as_ref(), zone.as_ref(), *fails)
        }
        Step::TooManyRequests { clients, .. } => reader.too_many_requests(clients.as_deref()),
        Step::WatchLag { resource, lag, .. } => {
            let (resource, lag) = (*resource, reader.positive("lag", lag)?);
            reader.lasting(Do::WatchLag(resource, lag), Do::WatchLag(resource, START))
        }
        Step::WatchStall { resource, .. } => {
            reader.lasting(Do::StallWatches(*resource, reader.lasts?), Do::Over)
        }
        Step::ControllerRestart { kind: None, downtime: Some(_) } => {
            once(Do::RestartControllers(reader.lasts?))
        }
        Step::ControllerRestart { kind, downtime } => {
            once(reader.replace_leader(*kind, downtime.as_ref())?)
        }
        Step::ClockSkew { skew, .. } => {
            let skew = reader.at("skew").take(values::signed(skew));
            let nodes = reader.nodes()?;
            Some(failing(&nodes, &[NodeFault::ClockSkew(skew?)], reader.lasts))
        }
        Step::AddNode { .. } => reader.each_added(Do::AddNode),
        Step::DeleteNode { .. } => once(Do::DeleteNode(reader.nodes()?)),
        Step::Taint { taint, overwrite, .. } => reader.taint(taint.texts(), *overwrite),
        Step::Untaint { taint, .. } => reader.taint(&removing(taint.texts()), false),
        Step::Cordon { .. } => once(Do::Cordon(reader.nodes()?, true)),
        Step::Uncordon { .. } => once(Do::Cordon(reader.nodes()?, false)),
        Step::Label { labels, .. } => reader.label(labels),
        Step::CreatePod { .. } => reader.each_added(Do::CreatePod),
        Step::DeletePod { grace_period_seconds, .. } => reader.delete_pod(*grace_period_seconds),
        Step::BindPod { pod, node } => reader.bind_pod(pod, node),
        Step::PatchTolerations { tolerations, .. } => reader.patch_tolerations(tolerations),
        Step::Instance { state, .. } => once(Do::Instance(reader.nodes()?, *state)),
        Step::Drain { .. } => reader.drain(&drain_flags(reader.step)),
        Step::Scale { workload, replicas } => reader.scale(workload, *replicas),
        Step::CreateWorkload { .. } => reader.each_added(Do::CreateWorkload),
        Step::DeleteWorkload { workload, cascade } => {
            let index = reader.workload(workload)?;
            once(Do::DeleteWorkload(index, cascade.unwrap_or_default()))
        }
        Step::CreateBudget { .. } => reader.each_added(Do::CreateBudget),
        Step::PatchBudget { budget, min_available, max_unavailable } => {
            reader.patch_budget(budget, min_available.as_ref(), max_unavailable.as_ref())
        }
        Step::DeleteBudget { budget } => once(Do::DeleteBudget(reader.budget(budget)?)),
        Step::CreateDeviceTaintRule { rule } => reader.create_rule(rule),
        Step::UpdateDeviceTaintRule { rule } => reader.update_rule(rule),
        Step::DeleteDeviceTaintRule { rule } => reader.delete_rule(rule),
        Step::TaintDevices { driver, device, taint, .. } => {
            reader.taint_devices([driver, device], taint, true)
        }
        Step::UntaintDevices { driver, device, taint, .. } => {
            reader.taint_devices([driver, device], taint, false)
        }
        Step::CreateNodeReadinessRule { rule } => reader.create_readiness_rule(rule),
        Step::DeleteNodeReadinessRule { rule } => once(Do::DeleteReadinessRule(rule.clone())),
        Step::SetCondition { kind, status, .. } => reader.set_condition(kind, *status),
        Step::Maintain { at_a_time, drain, off, then, if_not_drained, .. } => {
            reader.maintain(at_a_time.as_ref(), drain, off, *then, *if_not_drained)
        }
    }
}
