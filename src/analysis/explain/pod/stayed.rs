//! A pod that was not evicted, and why not; also one that was in no danger.

use super::prelude::*;
use crate::plan::switches::taint_eviction::FinishedEntry;

impl Case<'_, '_> {
    /// Explains why a pod was not evicted, or not yet.
    pub(super) fn stayed(&mut self) {
        let (seen, until) = (self.seen, self.of.question.until);
        let (came, state) = (self.came(), &seen.state);
        if !state.exists {
            return self.tell(format!("there is no such pod at {}", absolute(until)), came);
        }
        let Some(node) = state.node_id() else {
            if !self.waits_to_be_bound() {
                let steps = came.chain(pending::steps(&seen.told));
                let gates = self.template().map_or(&[][..], PodTemplate::gates);
                self.tell(pending::verdict(&seen.told, gates, until), steps);
                self.tell_of_topologies();
            }
            return self.tell_of_claims();
        };
        self.placed(node);
        self.waited_for_a_node();
    }

    /// Explains why a pod that has a node was not evicted from it.
    fn placed(&mut self, node: NodeId) {
        if self.kept(node) {
            return;
        }
        if !self.imported() {
            self.untainted(node);
        }
        self.waited_for_provisioning();
        self.waited_for_a_volume(node);
    }

    /// Explains a pod that was to be evicted from its node and was not, or that does not serve there; whether it is such a
    /// pod.
    pub(super) fn kept(&mut self, node: NodeId) -> bool {
        let seen = self.seen;
        if self.waits_for_a_volume(node) {
            return true;
        }
        let since = seen.timers.last().map_or(Time::ZERO, |t| t.set.at);
        if seen.refused.last().is_some_and(|last| last >= since) {
            self.held_up();
            return true;
        }
        if self.stops_under_pressure() || self.shut_down(node) || self.ended_first() {
            return true;
        }
        if self.spared(node) {
            self.ended_then();
            return true;
        }
        let phase = seen.state.phase;
        if phase == PodPhase::Failed && self.not_admitted(RecordId::MAX) {
            return true;
        }
        if phase.is_terminal() {
            self.tell(format!("not evicted: it is {}", phase.as_str()), self.came());
            return true;
        }
        self.is_not_ready_by_itself() || self.starts(node)
    }

    /// Explains a pod that stayed because no budget let it go.
    fn held_up(&mut self) {
        let (question, refused, trace) =
            (self.of.question, &self.seen.refused, self.analysis().trace);
        let verdict = refused.verdict(question, "its eviction");
        self.tell(format!("not evicted: {verdict}"), refused.steps(question));
        for held in refused.held() {
            let entry = chain(trace, held.first).find(|(_, r)| r.what == What::FaultBegan);
            self.found.add(entry.map(|began| question.step(began, None)));
        }
        let leaves = |r: &Record| trace.drain_end(r).is_some_and(|e| e.left.contains(&self.pod));
        let records = (0..).zip(trace.iter()).filter(|(_, r)| r.at <= question.until && leaves(r));
        self.found.add(records.map(|ended| question.step(ended, None)));
        self.found.sort();
        self.found.notes.extend(refused.namesakes(question));
        self.found.remedies = refused.remedies(question, Some(self.pod));
    }

    /// Explains a pod that is bound to a node that is well, and has not started yet; whether it is
    /// such a pod.
    fn starts(&mut self, node: NodeId) -> bool {
        let (of, until) = (self.of, self.of.question.until);
        let well = of.story(node, until).is_some_and(|story| story.health == Health::Ready);
        let (bound, pending) = (self.seen.bound.last(), self.seen.state.is_pending());
        if !(well && pending && (bound.is_some() || self.is_initializing())) {
            return false;
        }
        let name = self.analysis().node_name(node);
        let at = bound.map_or(String::new(), |bound| format!(" at {}", absolute(bound.at)));
        let what = self.seen.noted.start(self.template());
        let until = absolute(until);
        let verdict = format!("bound to {name}{at}, and {what}: Pending at {until}");
        let own = self.own_steps();
        self.tell(verdict, self.came().chain(own));
        true
    }

    /// Adds how long a pod had no node before it was bound, where the scheduler found none at first, and what that said.
    fn waited_for_a_node(&mut self) {
        let seen = self.seen;
        let (made, Some(bound)) = (&seen.created, seen.bound.last()) else { return };
        let told = pending::steps(&seen.told);
        if told.is_empty() {
            return;
        }
        let from = made.as_ref().map_or(Time::ZERO, |m| m.at);
        self.found.verdict +=
            &format!("; it was pending from {} to {}", absolute(from), absolute(bound.at));
        let trace = self.analysis().trace;
        let preempted = self.preempted(made.as_ref().map_or(0, |m| m.record), bound);
        if let Some(victim) = preempted.first().and_then(|id| trace.get(*id)?.pod()) {
            let victim = self.analysis().pod_name(victim);
            let n = preempted.len() as u64 - 1;
            let more =
                if n == 0 { String::new() } else { format!(" and {}", counted(n, "more pod")) };
            self.found.verdict += &format!(", as the scheduler preempted {victim}{more} for it");
        }
        let steps = self.of.question.steps(preempted);
        self.found.add(told.into_iter().chain(self.came()).chain(steps));
        self.found.sort();
    }

    /// The records with which the scheduler took pods from its node before it was bound there, in an attempt to place it:
    /// what led to that attempt led to their deletion.
    fn preempted(&self, made: RecordId, bound: &Moment<'_>) -> Vec<RecordId> {
        let (trace, unplaced) = (self.analysis().trace, &self.seen.unplaced);
        let What::PodBound(node) = bound.r.what else { return Vec::new() };
        let is_for_it = |(id, r): &Told<'_>| {
            let mut tried = unplaced.iter().filter(|tried| (made..*id).contains(tried));
            tried.any(|tried| trace.get(*tried).is_some_and(|tried| tried.cause == r.cause))
        };
        let all = self.of.preempted(NodeId(node), made);
        all.take_while(|(_, r)| r.at <= bound.at).filter(is_for_it).map(|(id, _)| id).collect()
    }

    /// Explains a pod that runs and is not Ready, as a probe or the end of its container has it; whether it is such a pod.
    fn is_not_ready_by_itself(&mut self) -> bool {
        let seen = self.seen;
        // What happens to its containers on a node that is out of reach, the API does not know.
        let is_by_itself = !seen.state.ready && !seen.ready_for_node;
        let Some(last) = seen.own.last().filter(|_| is_by_itself) else { return false };
        let Some(r) = self.analysis().trace.get(*last) else { return false };
        let Some((note, arg)) = seen.noted.last else { return false };
        if self.is_initializing() {
            return false;
        }
        let done = self.template().and_then(|t| seen.noted.done(t));
        let alone = self.template().filter(|_| !self.is_several());
        let image = alone.and_then(|t| t.image.as_ref());
        let image = image.map_or_else(String::new, |image| format!(" {}", image.name));
        let (one, all, its) = match self.is_several() {
            true => ("one of its containers", "each of its containers", "one of its images"),
            false => ("its container", "its container", "its image"),
        };
        let named = seen.noted.name.map(|name| format!("container {name}"));
        let one = named.as_deref().unwrap_or(one);
        let why = match note {
            Note::BackOff => {
                format!("{one} waits {arg} s from its end on to be started again: CrashLoopBackOff")
            }
            Note::ContainerUnhealthy => format!("{one} is killed for a probe"),
            Note::ContainerServes | Note::ContainerEnded if let Some(code) = done => {
                format!("{one} has ended with exit code {code}, and is not started again")
            }
            Note::ContainerServes if arg == 0 => format!("{one} does not serve"),
            Note::ImagePulling => {
                let line = match arg {
                    0 => "first in line".to_owned(),
                    before => format!("with {before} before it on its node"),
                };
                format!("it waits for the pull of {its}{image}, {line} since {}", absolute(r.at))
            }
            Note::ImagePulled => format!("{its} was pulled, and its container starts"),
            Note::ImagePullFailed => format!(
                "{its}{image} could not be pulled, and is not tried again for {arg} s: ImagePullBackOff"
            ),
            Note::ContainerEnded => format!("{one} has ended"),
            _ => format!("no probe has found yet that {all} serves"),
        };
        let own = self.own_steps();
        self.tell(format!("not evicted: it is not Ready, as {why}"), own);
        if note == Note::ImagePulling {
            // It may have been there, and nobody used it.
            let gone = format!(": image{image} deleted, ");
            let of = self.of;
            let node = seen.state.node_id().and_then(|n| of.story(n, of.question.until));
            let steps = node.into_iter().flat_map(node::Story::steps);
            self.found.add(steps.filter(|s| s.text.contains(&gone)).last().cloned());
            self.found.sort();
        }
        true
    }

    /// The last notes of its containers.
    fn own_steps(&self) -> Vec<Step> {
        const LAST: usize = 6;
        let own = &self.seen.own;
        self.of.question.steps(own[own.len().saturating_sub(LAST)..].iter().copied()).collect()
    }

    /// Whether it has not started, and the last that was noted is over: an init container runs, or its others start.
    fn is_initializing(&self) -> bool {
        let is = |t: &PodTemplate| self.seen.noted.is_initializing(t);
        self.seen.state.is_pending() && self.template().is_some_and(is)
    }

    fn is_several(&self) -> bool {
        self.template().is_some_and(|t| !t.containers.is_empty())
    }

    /// Explains a pod that its kubelet ended, as its machine was told to go off; whether it is such a pod.
    fn shut_down(&mut self, node: NodeId) -> bool {
        let (question, analysis) = (self.of.question, self.analysis());
        let Some(ended) = self.seen.ended.last() else { return false };
        if !analysis.is_of_shutdown(ended.record, node) {
            return false;
        }
        let (at, name) = (absolute(ended.at), analysis.node_name(node));
        let phase = self.seen.state.phase.as_str();
        self.found.verdict = format!(
            "not evicted: ended at {at} by its kubelet, as {name} was told to go off; it is {phase}"
        );
        self.found.steps = question.led_to(ended.record);
        if let Some(last) = self.found.steps.last_mut() {
            last.rule = Some(
                "its containers have the shorter one of its terminationGracePeriodSeconds and the seconds of its priority: kubelets' shutdown-grace-period".to_owned(),
            );
        }
        true
    }

    /// Explains a pod that its kubelet evicts, and whose containers have not stopped yet; whether it is such a pod.
    fn stops_under_pressure(&mut self) -> bool {
        let (state, until) = (&self.seen.state, absolute(self.of.question.until));
        if state.asked != Some(EvictionCause::Pressure) || state.phase.is_terminal() {
            return false;
        }
        let said = self.said_under_pressure(RecordId::MAX);
        let since = said.last().map_or(String::new(), |s| format!(" since {}", absolute(s.at)));
        let verdict = format!(
            "not evicted by {until}: its kubelet evicts it for node pressure{since}, and its containers have yet to stop"
        );
        self.tell(verdict, self.came().chain(said));
        true
    }

    /// When its kubelet said that it has ended, of one that has, also in words.
    fn end(&self) -> Option<(&Moment<'_>, String)> {
        let seen = self.seen;
        // One that was not admitted has not run.
        let is_over = seen.state.phase.is_terminal() && seen.pressed.is_empty();
        let ended = seen.ended.last().filter(|_| is_over)?;
        let (at, phase) = (absolute(ended.at), seen.state.phase.as_str());
        Some((ended, format!("it ended at {at} and is {phase}")))
    }

    /// Explains a pod that ended before anything kept it from being evicted; whether it is such a pod.
    fn ended_first(&mut self) -> bool {
        let seen = self.seen;
        let Some((ended, said)) = self.end() else { return false };
        let kept = [&seen.cancelled, &seen.lost, &seen.failed, &seen.exists, &seen.forever];
        let mut kept = kept.into_iter().filter_map(|all| all.first());
        if kept.any(|m| m.record < ended.record) {
            return false;
        }
        let steps: Vec<Step> = self.came().chain([self.of.step(ended, None)]).collect();
        self.tell(format!("not evicted: {said}"), steps);
        true
    }

    /// Adds to why a pod was not evicted that it has ended since.
    fn ended_then(&mut self) {
        let Some((ended, said)) = self.end() else { return };
        let step = self.of.step(ended, None);
        self.found.verdict += &format!("; {said}");
        self.found.add([step]);
        self.found.sort();
    }

    /// Explains a pod that taint eviction looked at and did not evict; whether it is such a pod.
    fn spared(&mut self, node: NodeId) -> bool {
        let seen = self.seen;
        let timer = seen.timers.last();
        let since = timer.map_or(Time::ZERO, |t| t.set.at);
        let cancelled = seen.cancelled.last().filter(|m| m.at >= since);
        let lost = seen.lost.last().filter(|m| m.at >= since);
        let failed = seen.failed.last().filter(|m| m.at >= since);
        let exists = seen.exists.last().filter(|m| m.at > since);
        if let (Some(timer), Some(cancelled)) = (timer, cancelled) {
            self.timer_cancelled(node, timer, cancelled);
        } else if let (Some(timer), Some(lost)) = (timer, lost) {
            self.timer_lost(&timer.set, lost);
        } else if let Some(failed) = failed {
            let at = absolute(failed.at);
            let rule = "after five tries nothing happens until the pod or its node changes";
            let verdict = format!("not evicted: five tries to delete it failed, the last at {at}");
            self.tell_up_to(verdict, failed, Some(rule.to_owned()));
        } else if let Some(exists) = exists {
            self.in_the_way(exists);
        } else if let Some(timer) = timer {
            let (at, due) = (absolute(self.of.question.until), absolute(timer.due()));
            let seconds = timer.seconds;
            let runs = match timer.due() <= self.of.question.until {
                true => format!("ran out at {due}, and its deletion is under way"),
                false => format!("runs until {due}"),
            };
            let verdict = format!("not evicted by {at}: its timer of {seconds} s {runs}");
            self.tell_up_to(verdict, &timer.set, self.timer_rule(timer));
        } else if let Some(forever) = seen.forever.last() {
            self.tolerated(node, forever);
        } else {
            return false;
        }
        true
    }

    /// What is found, the steps up to the taint that led to a moment, and the moment itself.
    fn tell_up_to(&mut self, verdict: String, m: &Moment<'_>, rule: Option<String>) {
        let steps = m.node.map_or(Vec::new(), |n| self.of.taint_steps(n, m.record).0);
        self.tell(verdict, steps);
        self.step(m, rule);
    }

    /// Its timer was cancelled in time.
    fn timer_cancelled(&mut self, node: NodeId, timer: &Timer<'_>, cancelled: &Moment<'_>) {
        let due = timer.due();
        let spare = to_the_millisecond(due.since(cancelled.at));
        let why = if cancelled.taints.is_empty() {
            let name = self.analysis().node_name(node);
            format!("{name} was free of NoExecute taints with {spare} to spare")
        } else {
            format!("the taints that were left are tolerated; {spare} were to spare")
        };
        let (seconds, at) = (timer.seconds, absolute(cancelled.at));
        let verdict = format!("not evicted: its timer of {seconds} s was cancelled at {at}: {why}");
        self.tell_up_to(verdict, &timer.set, self.timer_rule(timer));
        self.step(cancelled, Some(format!("it would have run out at {}", absolute(due))));
        if let Some(Some(t)) = self.of.deciding(&timer.set) {
            let waited = cancelled.at.saturating_add(stay(t)).since(due);
            let most = waited.as_nanos().div_ceil(1_000_000_000).saturating_sub(1);
            let text = format!(
                "with tolerationSeconds <= {most} this pod would have been evicted: it waited for {}",
                to_the_millisecond(waited)
            );
            self.remedy(text, &t.key, &most.to_string());
        }
    }

    /// Its timer, set at a moment, was lost with the controllers' process.
    fn timer_lost(&mut self, set: &Moment<'_>, lost: &Moment<'_>) {
        let at = absolute(lost.at);
        let verdict = format!("not evicted: its timer died with the controllers' process at {at}");
        self.tell_up_to(verdict, set, None);
        let rule = "timers are kept in memory only; a new process sets them anew, if the taint is still there";
        self.step(lost, Some(rule.to_owned()));
    }

    /// An entry of an earlier eviction of its name was in the way.
    fn in_the_way(&mut self, exists: &Moment<'_>) {
        let verdict = format!(
            "not evicted: at {} it was to be, but an entry of an earlier eviction of this name was in the way",
            absolute(exists.at)
        );
        let switches = &self.analysis().plan.profile.taint_eviction;
        let rule = if switches.finished_entry == FinishedEntry::Nil {
            "switch taint_eviction.finished_entry=Nil: an eviction that ended well leaves an entry behind, and no other is scheduled under the name (up to 1.32)"
        } else {
            "an eviction of this name was under way"
        };
        self.tell_up_to(verdict, exists, Some(rule.to_owned()));
    }

    /// It tolerates the taints of its node for ever.
    fn tolerated(&mut self, node: NodeId, forever: &Moment<'_>) {
        let used = self.of.used(forever).unwrap_or_default().into_iter();
        let used: Vec<String> = used.map(rules::toleration).collect();
        let name = self.analysis().node_name(node);
        let verdict = format!("not evicted: it tolerates the NoExecute taints of {name} for ever");
        self.tell_up_to(verdict, forever, Some(used.join(", ")).filter(|s| !s.is_empty()));
    }

    /// Why the pod of a node was in no danger: no NoExecute taint of the node reached the taint
    /// eviction controller.
    pub(super) fn untainted(&mut self, node: NodeId) {
        let (of, analysis) = (self.of, self.analysis());
        let name = analysis.node_name(node);
        let flags = &analysis.plan.flags;
        let story = of.story(node, of.question.until);
        let steps: Vec<Step> = story.map_or(Vec::new(), |story| story.steps().cloned().collect());
        let has = |end: &str| steps.iter().any(|s| s.text.ends_with(end));
        let by_timeout = analysis.plan.evicts_by_timeout();
        let queued = words::queued(analysis.plan);
        let waits = steps.iter().rfind(|s| s.text.ends_with(queued)).map(|s| s.at);
        let master = steps.iter().any(|s| s.text.starts_with("master disruption:"));
        let before = node::at_start(of.question, node);
        let is_taint = |s: &Step| s.text.contains("tainted") && s.text.contains("NoExecute");
        let tainted = steps.iter().any(is_taint);
        let why = if before.no_execute || tainted {
            format!(
                "{name} had a NoExecute taint, but not while this pod was on it and the controllers ran"
            )
        } else if before.unready || has("Ready is Unknown") || has("Ready is False") {
            if master {
                let nobody = if by_timeout { "no pods are deleted" } else { "nobody is tainted" };
                format!(
                    "{name} was not Ready, but all zones were fully disrupted, and then {nobody} (master disruption)"
                )
            } else if let Some(queued) = waits {
                let until = of.question.until;
                let waited = until.since(queued);
                // Asked as soon as it waits: no rate would have been high enough.
                let why = if waited < flags.node_monitor_period {
                    format!(", when it had waited for {}", to_the_millisecond(waited))
                } else {
                    ": its zone's rate was too low".to_owned()
                };
                let waited = match by_timeout {
                    true => "in its zone's queue for its pods to be deleted, which they were not",
                    false => "for its NoExecute taint, which it did not get",
                };
                format!("{name} was not Ready and waited {waited} by {}{why}", absolute(until))
            } else if by_timeout {
                format!(
                    "{name} was not Ready, but not for longer than --pod-eviction-timeout={}",
                    short(flags.pod_eviction_timeout)
                )
            } else {
                format!("{name} was not Ready, but not for long enough to be tainted")
            }
        } else if before.silent || steps.iter().any(|s| s.text.contains("falls silent")) {
            format!(
                "{name} was silent, but not for longer than --node-monitor-grace-period={}",
                short(flags.node_monitor_grace_period)
            )
        } else {
            let (was, always) = match (steps.is_empty(), by_timeout) {
                (true, _) => ("was healthy", "was healthy all the time"),
                (_, true) => ("was Ready", "was always Ready"),
                _ => ("had no NoExecute taint", "never had a NoExecute taint"),
            };
            match of.question.until < analysis.horizon() {
                true => format!("its node {name} {was} up to {}", absolute(of.question.until)),
                false => format!("its node {name} {always}"),
            }
        };
        self.found.verdict = format!("not evicted: {why}");
        self.found.steps = steps;
        self.short_for_some_time(node);
    }
}
