//! Trouble that is left to the choices of a run.

use super::settings::Controllers;
use crate::trace::Actor;

/// Trouble that controllers have to survive, each kind a choice where it is on; without deviations
/// nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Perturb {
    /// A watch is held back: what it would deliver comes later (`watch-held`).
    pub stale: Whom,
    /// The controllers' process dies after one of its writes and starts anew (`crash`).
    pub crash: Whom,
    /// A watch breaks, and the list that follows shows only the last of several changes
    /// (`watch-broken`).
    pub coalesce: Whom,
    /// A request of a controller is lost, rejected, fails at the API server, or is applied with its reply lost
    /// (`request-fails`); another's write comes before one that holds for a version only
    /// (`request-conflicts`); or it waits before the API server takes it (`request-late`).
    pub request: Whom,
}

/// Whom a kind of trouble meets: controllers, of which each has a client of its own, and processes, of
/// which each has watches of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Whom(u32);

impl Whom {
    /// Nobody: the kind is off.
    pub const NOBODY: Self = Self(0);
    /// Everybody.
    pub const ALL: Self = Self(u32::MAX);
    const SCHEDULER: Self = Self::of(Actor::Scheduler);
    /// All controllers but the scheduler, in one process.
    const MANAGER: Self = Self(!Self::SCHEDULER.0);
    /// The processes by their names.
    const PROCESSES: [(&'static str, Self); 2] =
        [("kube-controller-manager", Self::MANAGER), ("kube-scheduler", Self::SCHEDULER)];

    const fn of(actor: Actor) -> Self {
        Self(1 << actor as u32)
    }

    /// Whether it meets a controller.
    pub(crate) const fn has(self, actor: Actor) -> bool {
        self.0 & Self::of(actor).0 != 0
    }

    /// Whether it meets somebody, and not everybody.
    pub(crate) fn is_partial(self) -> bool {
        self != Self::NOBODY && self != Self::ALL
    }

    /// Their names; none where it is everybody.
    fn names(self) -> Vec<&'static str> {
        if self == Self::ALL {
            return Vec::new();
        }
        let is_in = |of: Self| self.0 & of.0 == of.0;
        let processes = Self::PROCESSES.iter().filter(|(_, of)| is_in(*of)).map(|(name, _)| *name);
        let of_manager = Actor::ALL.iter().filter(|a| Self::MANAGER.has(**a) && self.has(**a));
        let alone = of_manager.map(|a| a.as_str()).filter(|_| !is_in(Self::MANAGER));
        processes.chain(alone).collect()
    }
}

/// A word that names no kind of trouble, or nobody whom it can meet, and the words that do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unknown<'a> {
    pub(crate) word: &'a str,
    /// It is to be a kind of trouble, or else somebody.
    pub(crate) is_kind: bool,
    pub(crate) known: Vec<&'static str>,
}

impl Perturb {
    /// The names of all kinds.
    pub(crate) const NAMES: [&'static str; 4] = ["stale", "crash", "coalesce", "request"];

    /// Switches a kind on: `request`, or for one of these clients alone, `request of taint-eviction`,
    /// `stale of kube-scheduler`. All controllers of a process share its watches.
    pub(crate) fn switch_on<'a>(
        &mut self,
        text: &'a str,
        clients: &[Actor],
    ) -> Result<(), Unknown<'a>> {
        let (name, of) = match text.split_once(" of ") {
            Some((name, of)) => (name.trim(), Some(of.trim())),
            None => (text, None),
        };
        let whom = match name {
            "stale" => &mut self.stale,
            "crash" => &mut self.crash,
            "coalesce" => &mut self.coalesce,
            "request" => &mut self.request,
            _ => return Err(Unknown { word: name, is_kind: true, known: Self::NAMES.to_vec() }),
        };
        let mut known: Vec<(&'static str, Whom)> = Vec::from(Whom::PROCESSES);
        known.retain(|(_, of)| clients.iter().any(|c| of.has(*c)));
        if ["crash", "request"].contains(&name) {
            let of_manager = clients.iter().filter(|c| Whom::MANAGER.has(**c));
            known.extend(of_manager.map(|c| (c.as_str(), Whom::of(*c))));
        }
        let met = match of {
            None => Some(Whom::ALL),
            Some(of) => known.iter().find(|(name, _)| *name == of).map(|(_, whom)| *whom),
        };
        let Some(met) = met else {
            let known = known.into_iter().map(|(name, _)| name).collect();
            return Err(Unknown { word: of.unwrap_or_default(), is_kind: false, known });
        };
        whom.0 |= met.0;
        Ok(())
    }

    /// What is on, as [`Self::switch_on`] takes it.
    pub(crate) fn names(self) -> Vec<String> {
        let on = [self.stale, self.crash, self.coalesce, self.request];
        let each = Self::NAMES.iter().zip(on).filter(|(_, whom)| *whom != Whom::NOBODY);
        each.flat_map(|(kind, whom)| match whom.names() {
            names if names.is_empty() => vec![(*kind).to_owned()],
            names => names.iter().map(|name| format!("{kind} of {name}")).collect(),
        })
        .collect()
    }
}

impl Controllers {
    /// Those that there are with clients of their own; up to 1.28 taint eviction acts through the client of node
    /// lifecycle, but under its own name.
    pub(crate) fn clients(self, taint_eviction: bool) -> Vec<Actor> {
        let all = [
            (Actor::NodeLifecycle, true),
            (Actor::TaintEviction, taint_eviction),
            (Actor::DeviceTaintEviction, self.device_taint_eviction),
            (Actor::ResourceClaim, self.resource_claim),
            (Actor::PodGc, self.pod_gc),
            (Actor::GarbageCollector, self.garbage_collector),
            (Actor::Deployment, self.deployment),
            (Actor::ReplicaSet, self.replica_set),
            (Actor::StatefulSet, self.stateful_set),
            (Actor::DaemonSet, self.daemon_set),
            (Actor::Job, self.job),
            (Actor::Cloud, self.cloud),
            (Actor::Disruption, self.disruption),
            (Actor::Scheduler, self.scheduler),
            (Actor::AttachDetach, self.attach_detach),
            (Actor::NodeReadiness, self.node_readiness),
        ];
        all.into_iter().filter(|(_, there)| *there).map(|(actor, _)| actor).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENTS: [Actor; 3] = [Actor::NodeLifecycle, Actor::TaintEviction, Actor::Scheduler];

    #[test]
    fn what_is_on_is_said_as_it_is_switched_on() {
        let texts = [
            "stale of kube-scheduler",
            "coalesce",
            "request of node-lifecycle",
            "request of taint-eviction",
        ];
        let mut perturb = Perturb::default();
        for text in texts {
            assert_eq!(perturb.switch_on(text, &CLIENTS), Ok(()), "{text}");
        }
        assert_eq!(perturb.names(), texts);
        assert_eq!(perturb.switch_on("request of kube-scheduler", &CLIENTS), Ok(()));
        assert!(perturb.names().contains(&"request of kube-scheduler".to_owned()));
        assert_eq!(perturb.switch_on("request of kube-controller-manager", &CLIENTS), Ok(()));
        assert_eq!(perturb.names(), ["stale of kube-scheduler", "coalesce", "request"]);
        assert!(perturb.stale.has(Actor::Scheduler) && !perturb.stale.has(Actor::NodeLifecycle));
    }

    #[test]
    fn who_is_not_there_is_answered_with_those_that_are() {
        let processes = vec!["kube-controller-manager", "kube-scheduler"];
        let mut all = processes.clone();
        all.extend(["node-lifecycle", "taint-eviction"]);
        let kinds = Perturb::NAMES.to_vec();
        for (text, word, is_kind, known) in [
            ("slow", "slow", true, kinds),
            ("request of job", "job", false, all.clone()),
            ("crash of scheduler", "scheduler", false, all),
            // Its watches are those of its process.
            ("stale of taint-eviction", "taint-eviction", false, processes),
        ] {
            let unknown = Perturb::default().switch_on(text, &CLIENTS);
            assert_eq!(unknown, Err(Unknown { word, is_kind, known }), "{text}");
        }
    }
}
