//! A pod that was evicted: what led to it, what came after, and what would have kept it from it.

use super::prelude::*;
use crate::api::probe::RestartPolicy;
use crate::trace::NO_BUDGET;

impl Case<'_, '_> {
    /// Explains an eviction; `timer` is the one that led to it.
    pub(super) fn evicted(&mut self, moment: &Moment<'_>, timer: Option<&Timer<'_>>) {
        let from = self.place("from", moment.node);
        let evicted = format!("evicted at {}{from}", absolute(moment.at));
        match (moment.r.actor, moment.node) {
            (Actor::User, _) => self.by_the_eviction_api(evicted, moment),
            (Actor::DeviceTaintEviction, _) => {
                let trace = self.analysis().trace;
                let why = chain(trace, moment.record).find_map(|(_, r)| match r.what {
                    What::Noted(Note::DeviceEvictionReason, why) => Some(TextId(why)),
                    _ => None,
                });
                // Which taint of which device, and whose it is; for how long it is tolerated the step tells.
                let why = why.map(|why| trace.names.text_of(why).split(", ").take(2));
                let why = why
                    .map_or(String::new(), |why| format!(": {}", Vec::from_iter(why).join(", ")));
                let led_to = self.of.question.led_to(moment.record);
                self.tell(format!("{evicted} for a taint of its devices{why}"), led_to);
            }
            (Actor::Kubelet, _) => {
                let said = self.said_under_pressure(moment.record);
                self.tell(format!("{evicted} by its kubelet: node pressure"), said);
                self.step(moment, None);
            }
            (_, None) => self.unbound(moment),
            (_, Some(node)) => self.for_a_taint(evicted, moment, node, timer),
        }
        self.aftermath(moment);
    }

    /// Explains an eviction by the eviction API, or by a drain.
    fn by_the_eviction_api(&mut self, evicted: String, moment: &Moment<'_>) {
        let (question, trace) = (self.of.question, self.analysis().trace);
        let by = match trace.get(moment.r.cause).map(|c| c.what) {
            Some(What::DrainDeletes) => "kubectl drain --disable-eviction, which no budget stops",
            _ => "the eviction API (drain)",
        };
        self.tell(format!("{evicted} by {by}"), question.led_to(moment.record));
        for step in &mut self.found.steps {
            let what = step.record.and_then(|id| trace.get(id)).map(|r| r.what);
            if what == Some(What::EvictionGranted(NO_BUDGET)) {
                step.rule = Some("no budget had to be asked".to_owned());
            }
        }
        let refused = &self.seen.refused;
        self.found.steps.extend(refused.steps(question));
        self.found.sort();
        if let Some(since) = refused.held().map(|h| h.since).min() {
            let late = to_the_millisecond(moment.at.since(since));
            let verdict = refused.verdict(question, "its eviction");
            self.found.notes.push(format!("{verdict} for {late}"));
            self.found.notes.extend(refused.namesakes(question));
        }
    }

    /// Explains the eviction from a tainted node, or from one that was silent for too long.
    fn for_a_taint(
        &mut self,
        evicted: String,
        moment: &Moment<'_>,
        node: NodeId,
        timer: Option<&Timer<'_>>,
    ) {
        let (steps, story) = self.of.taint_steps(node, moment.record);
        self.tell(evicted, steps);
        let could_stay = match timer {
            Some(timer) => {
                let rule = match self.of.deciding(&timer.set) {
                    Some(_) => self.timer_rule(timer),
                    None => Some(self.untolerated(&timer.set)),
                };
                self.step(&timer.set, rule);
                let is_of_it = |c: &&Moment<'_>| c.record < moment.record;
                let last = self.seen.cancelled.iter().rfind(is_of_it);
                if let Some(cancelled) = last.filter(|c| timer.cancelled_too_late(c)) {
                    let rule = "too late: the eviction was under way, and goes on, although an event says that it is cancelled";
                    self.step(cancelled, Some(rule.to_owned()));
                }
                self.changed_meanwhile(&timer.set, moment, node);
                self.step(moment, Some(self.out_rule(moment, timer)));
                self.remedies(timer.due(), node, &timer.set)
            }
            None => {
                let rule = if moment.r.actor == Actor::NodeLifecycle {
                    format!(
                        "--pod-eviction-timeout={}: there are no NoExecute taints in this mode",
                        short(self.analysis().plan.flags.pod_eviction_timeout)
                    )
                } else {
                    self.namesake(moment).unwrap_or_else(|| self.untolerated(moment))
                };
                self.step(moment, Some(rule));
                self.remedies(moment.at, node, moment)
            }
        };
        self.lost_countdowns(moment);
        if let Some(story) = story.filter(|_| could_stay)
            && self.found.steps.iter().any(|s| s.text.ends_with("Ready is Unknown"))
        {
            self.found.remedies.extend(story.grace_remedy(self.of.question, node));
        }
    }

    /// What changed while its time ran and did not change that: other tolerations, and that its node
    /// was deleted (`pkg/controller/tainteviction/taint_eviction.go: processPodOnNode`,
    /// `handleNodeUpdate`).
    fn changed_meanwhile(&mut self, set: &Moment<'_>, evicted: &Moment<'_>, node: NodeId) {
        let of = self.of;
        let meanwhile = |record: RecordId| record > set.record && record < evicted.record;
        for other in self.seen.tolerations.iter().filter(|m| meanwhile(m.record)) {
            let rule = "longer seconds change nothing for the countdown that runs";
            self.step(other, Some(rule.to_owned()));
        }
        for (id, r) in of.comings(node, set.record).filter(|(id, _)| meanwhile(*id)) {
            let gone = "the controller forgets its taints, and lets the countdown run on";
            let rule = (r.what == What::NodeDeleted).then(|| gone.to_owned());
            self.found.steps.push(of.question.step((id, r), rule));
        }
        self.found.sort();
    }

    /// What its kubelet last said of a pod up to a record, as its node was short of something.
    pub(super) fn said_under_pressure(&self, until: RecordId) -> Vec<Step> {
        let last = self.seen.pressed.iter().copied().rfind(|id| *id <= until);
        self.of.question.steps(last).collect()
    }

    /// Explains a pod that its kubelet had not admitted under pressure before a record; whether it is such a pod.
    pub(super) fn not_admitted(&mut self, before: RecordId) -> bool {
        let trace = self.analysis().trace;
        let refusal = self.seen.pressed.iter().rev().filter(|id| **id < before).find_map(|id| {
            let r = trace.get(*id)?;
            (trace.said_of_pod(r) == Some(EventText::RefusedUnderPressure)).then_some((*id, r))
        });
        let Some((id, r)) = refusal else { return false };
        let said = self.of.question.steps([id]);
        let verdict = format!("not admitted at {} by its kubelet: node pressure", absolute(r.at));
        self.tell(verdict, self.came().chain(said));
        true
    }

    /// Explains the eviction of a pod that was on no node: no taint and no toleration decided that.
    fn unbound(&mut self, moment: &Moment<'_>) {
        let (at, by) = (absolute(moment.at), moment.r.actor.by());
        let verdict = format!("deleted at {at} by {by}, although it was on no node");
        self.tell(verdict, self.of.question.led_to(moment.record));
        let no_node = || "it was on no node, so that no taint was the reason".to_owned();
        let rule = self.namesake(moment).unwrap_or_else(no_node);
        if let Some(last) = self.found.steps.last_mut() {
            last.rule = Some(rule);
        }
    }

    /// That a deletion was meant for the pod of the same name before, where the controller knew of
    /// no taint that could be its reason: it deletes by name.
    fn namesake(&self, moment: &Moment<'_>) -> Option<String> {
        if !moment.taints.is_empty() {
            return None;
        }
        let made = self.seen.created.as_ref()?;
        let timers = self.before.iter().flat_map(|seen| &seen.timers).map(|t| &t.set);
        let earlier = timers.chain(self.before.iter().flat_map(Seen::ends));
        let node = self.analysis().node_name(earlier.max_by_key(|m| m.record)?.node?);
        Some(format!(
            "the controller deletes by name: it meant the pod of this name before, which was on {node}; this one was made at {}",
            absolute(made.at)
        ))
    }

    /// Why the pod was evicted at that moment, its timer having run out.
    fn out_rule(&self, moment: &Moment<'_>, timer: &Timer<'_>) -> String {
        let due = timer.due();
        let late = moment.at.since(due);
        let timing = &self.analysis().plan.timing;
        let client = timing.taint_eviction_client.or(timing.node_lifecycle_client);
        match client {
            Some(limits) if late > Dur::from_millis(500) => format!(
                "the timer ran out at {}; then it waited {} for its turn: the controller's client may send {} requests per second",
                absolute(due),
                to_the_millisecond(late),
                limits.qps
            ),
            _ if timer.seconds == 0 => "at once".to_owned(),
            _ => "the timer ran out".to_owned(),
        }
    }

    /// The countdowns before an eviction that began and died with the controllers' process.
    fn lost_countdowns(&mut self, evicted: &Moment<'_>) {
        let seen = self.seen;
        // A process that starts anew finds the taint without a record that leads to it.
        let is_timer = |s: &&Step| seen.timers.iter().any(|t| Some(t.set.record) == s.record);
        let led_to = self.found.steps.first().filter(|s| !is_timer(s));
        let begins = led_to.map_or(Time::ZERO, |s| s.at);
        for lost in seen.lost.iter().filter(|m| m.at >= begins && m.at < evicted.at) {
            let Some(timer) = seen.timers.iter().rfind(|t| t.set.record < lost.record) else {
                continue;
            };
            let died = Some(format!(
                "the countdown died with the process; it would have ended at {}",
                absolute(timer.due())
            ));
            match self.found.steps.iter_mut().find(|s| s.record == Some(lost.record)) {
                Some(step) => step.rule = died,
                None => self.step(lost, died),
            }
            let node = timer.set.node;
            let led = node.map_or(Vec::new(), |n| self.of.taint_steps(n, timer.set.record).0);
            let rule = self.timer_rule(timer);
            self.found.add(led.into_iter().chain([self.of.step(&timer.set, rule)]));
        }
        self.found.steps.sort_by_key(|s| s.at);
    }

    /// What came after an eviction: the end of the pod, its replacement, other evictions of its
    /// name.
    fn aftermath(&mut self, moment: &Moment<'_>) {
        let (of, analysis) = (self.of, self.analysis());
        let (until, horizon) = (of.question.until, analysis.horizon());
        let end = if until < horizon { absolute(until) } else { "the end of the run".to_owned() };
        let health = moment.node.and_then(|n| of.story(n, until)).map(|story| story.health);
        let owner = analysis.trace.names.owner_of(self.pod);
        let owner = owner.map_or("", |w| analysis.trace.names.workload_name(w));
        let stays = match (moment.r.actor, moment.r.what, health) {
            (Actor::Kubelet, ..) => {
                format!("it stays as one that has Failed: nobody has cleared it away by {end}")
            }
            (_, What::PodDeleting(grace), Some(Health::Ready)) => format!(
                "it is Terminating at {end}: its kubelet stops its containers, which have {grace} s from {} on",
                absolute(moment.at)
            ),
            _ => {
                let waits = rules::waits(analysis.plan, owner);
                let waits = waits.map_or(String::new(), |waits| format!("; {waits}"));
                let idle = moment.node.and_then(|n| rules::out_of_service(of.now(), n));
                format!(
                    "it is Terminating to {end}: no kubelet says that its containers have stopped{}{waits}",
                    idle.unwrap_or_default()
                )
            }
        };
        if let Some(done) = of.job_ends().done(self.pod, until) {
            let rule = rules::of_done(analysis.plan, owner);
            self.found.steps.push(of.question.step(done, Some(rule)));
        }
        let found = &mut self.found;
        match of.gone(self.pod, moment.record) {
            // Without a grace period the eviction itself was the end.
            Some((id, _)) if id == moment.record => {}
            Some((_, r)) if r.at > until => found.notes.push(stays),
            Some(gone) => {
                let forced = (gone.1.actor == Actor::User).then(|| FORCED.to_owned());
                found.steps.push(of.question.step(gone, forced));
            }
            None => found.notes.push(stays),
        }
        let next = of.workloads().replacements.get(&moment.record);
        if let Some(next) = next.filter(|next| next.created_at <= until) {
            let on = next.node.map_or(String::new(), |n| format!(", on {}", analysis.node_name(n)));
            let ready = next.ready_at.filter(|at| *at <= until);
            let ready = match (ready, until < horizon) {
                (Some(at), _) => format!(", Ready at {}", absolute(at)),
                (None, true) => format!(", not Ready by {end}"),
                (None, false) => ", never Ready".to_owned(),
            };
            let (pod, made) = (analysis.pod_name(next.pod), absolute(next.created_at));
            found.notes.push(format!("its workload made {pod} in its place at {made}{on}{ready}"));
        }
        let others = self.before.iter().flat_map(|seen| &seen.evicted);
        let others: Vec<String> = others.map(|(m, _)| absolute(m.at)).collect();
        if !others.is_empty() {
            found.notes.push(format!(
                "a pod of this name was evicted before, too: at {} (--at tells of those)",
                others.join(", ")
            ));
        }
    }

    /// The taints that the pod does not tolerate for any time.
    fn untolerated(&self, m: &Moment<'_>) -> String {
        let missing = m.taints.iter().filter(|t| self.of.toleration(m, t).is_none());
        let taints: Vec<String> = missing.copied().map(short_taint).collect();
        match taints.is_empty() {
            true => "the pod does not tolerate the taint".to_owned(),
            false => format!("no toleration for {}: at once", taints.join(", ")),
        }
    }

    /// What would have kept it, whose time was over at `due`: seconds that outlast the taints, and
    /// tolerations for those of the node that it has none for, up to when the node was free of them.
    /// False where it would have gone all the same before that.
    fn remedies(&mut self, due: Time, node: NodeId, set: &Moment<'_>) -> bool {
        let (of, name) = (self.of, self.analysis().node_name(node));
        let gone = of.untainted(node, due);
        let removed = self.removed_anyway(node, due, gone.unwrap_or(self.analysis().horizon()));
        let keeps = removed.is_none();
        if self.seen.tolerations.iter().any(|m| m.record > set.record && m.at < due) {
            return keeps;
        }
        let mut went = of.comings(node, set.record);
        let deleted = went.find(|(_, r)| gone.is_none() && r.what == What::NodeDeleted);
        let deleted = deleted.map(|(_, r)| {
            let gc = "and with it go its pods (pod garbage collector)";
            (r.at, format!("{name} was deleted at {}, {gc}", absolute(r.at)))
        });
        if let Some((_, why)) = removed.into_iter().chain(deleted).min() {
            let text = format!("no toleration would have kept it for good: {why}");
            self.found.remedies.push(Remedy { text, set: None });
            return keeps;
        }
        let later = of.tainted_later(node, set, gone);
        let all = || set.taints.iter().copied().chain(later.iter().copied());
        // While its time runs no later taint makes it shorter; one that is tolerated for ever has none.
        let last = if gone.is_some() { set.taints.len() } else { usize::MAX };
        let began = self.of.deciding(set).flatten().map_or(Dur::ZERO, stay);
        let seconds =
            gone.map(|g| g.saturating_add(began).since(due).as_nanos().div_ceil(1_000_000_000));
        let is_short = |t: &&Toleration| {
            t.toleration_seconds
                .is_some_and(|own| seconds.is_none_or(|all| i128::from(own) < all.into()))
        };
        let short = unique(all().take(last).filter_map(|t| of.toleration(set, t)).filter(is_short));
        let missing = unique(all().filter(|t| of.toleration(set, t).is_none()));
        let until = match gone {
            Some(gone) => format!("{name} was free of NoExecute taints at {}", absolute(gone)),
            None => format!("{name} was still tainted at the end of the run"),
        };
        match (&short[..], &missing[..], seconds) {
            ([], [], _) => {}
            ([t], [], None) => {
                let text = format!("only a toleration for ever would have kept it: {until}");
                self.remedy(text, &t.key, "none");
            }
            ([t], [], Some(n)) => {
                let text =
                    format!("with tolerationSeconds >= {n} this pod would have stayed: {until}");
                self.remedy(text, &t.key, &n.to_string());
            }
            ([], [one], _) => {
                let text = format!("a toleration for {} would have kept it", short_taint(one));
                self.remedy(text, &one.key, "none");
            }
            ([], all, _) => {
                let all: Vec<String> = all.iter().copied().map(short_taint).collect();
                let text = format!("tolerations for {} would have kept it", all.join(" and "));
                self.found.remedies.push(Remedy { text, set: None });
            }
            (short, missing, _) => {
                let outlasts =
                    seconds.map_or("none, that is for ever".to_owned(), |n| format!(">= {n}"));
                let keys: Vec<&str> = short.iter().map(|t| short_key(&t.key)).collect();
                let mut text =
                    format!("with tolerationSeconds {outlasts} for {}", keys.join(" and for "));
                for taint in missing {
                    text = text + ", and a toleration for " + &short_taint(taint);
                }
                let text = format!("{text}, this pod would have stayed: {until}");
                self.found.remedies.push(Remedy { text, set: None });
            }
        }
        keeps
    }

    /// When the timeline would have taken it from its node before a time, had it not been evicted at
    /// `due`, and by what, or when it would have ended there as its machine stops, of which its kubelet
    /// tells once it is up again. Whether a budget would have stopped a drain is not looked at.
    fn removed_anyway(&self, node: NodeId, due: Time, until: Time) -> Option<(Time, String)> {
        let (analysis, names) = (self.analysis(), &self.analysis().trace.names);
        let (plan, name) = (analysis.plan, analysis.pod_name(self.pod));
        let owner = names.owner_of(self.pod).map_or("", |id| names.workload_name(id));
        // kubectl leaves pods of DaemonSets, and without `--force` those that nobody controls.
        let goes = |force| if owner.is_empty() { force } else { !owner.starts_with("DaemonSet/") };
        let has = |nodes: &[u32]| nodes.contains(&node.0);
        let own = self.of.origins().workload(self.pod);
        let whose = own.map_or(String::new(), |w| w.name.replacen('/', " ", 1));
        let is_own = |w: u32| own.is_some_and(|own| own.name == plan.workloads[w as usize].name);
        let on = analysis.node_name(node);
        let removals = plan.actions.iter().filter_map(|a| {
            let (at, by) = match &a.act {
                Do::Drain(nodes, options) if goes(options.force) && has(nodes) => {
                    (a.at, format!("{on} was drained"))
                }
                Do::Maintain(nodes, how) if goes(how.drain.force) && has(nodes) => {
                    let turn = self.of.cordoned(node, a.at.max(due))?;
                    (turn, format!("{on} was drained for maintenance"))
                }
                Do::DeletePod(pod, _) if *plan.pods[*pod as usize].name == *name => {
                    (a.at, "it was deleted by the user".to_owned())
                }
                Do::Scale(w, to)
                    if is_own(*w) && own.is_some_and(|own| is_beyond(own, *to, name)) =>
                {
                    (a.at, format!("{whose} was scaled to {to}"))
                }
                Do::DeleteWorkload(w, how) if is_own(*w) && *how != Propagation::Orphan => {
                    (a.at, format!("{whose} was deleted"))
                }
                _ => return None,
            };
            (at >= due && at < until).then_some((at, by))
        });
        let never = |t: &&PodTemplate| t.restart_policy == RestartPolicy::Never;
        let off = self.template().filter(never).and_then(|_| analysis.marks.off.get(node.index()));
        let bound = self.seen.bound.last().map_or(0, |m| m.record);
        let mut off = off.into_iter().flatten().filter(|id| **id >= bound);
        let off = off.find_map(|id| analysis.trace.get(*id)).filter(|r| r.at < until);
        let ended = off.map(|r| {
            (r.at, format!("it ends with its machine (restartPolicy Never): that of {on} stopped"))
        });
        let (at, why) = removals.chain(ended).min()?;
        Some((at, format!("{why} at {}", absolute(at))))
    }

    /// Notes of a node that is short of something that its kubelet evicts no critical pod; of other pods for how long it has to be
    /// short before they are evicted, and when that is, where it is before the node has enough again.
    pub(super) fn short_for_some_time(&mut self, id: NodeId) {
        use NodeConditionType::{DiskPressure, MemoryPressure, PidPressure};
        let (of, node) = (self.of, self.analysis().node_name(id));
        let (until, goes) = (of.question.until, of.goes(self.pod, of.question.until));
        let later = of.story(id, self.analysis().horizon());
        let thresholds = &self.analysis().plan.eviction.thresholds;
        for kind in [MemoryPressure, DiskPressure, PidPressure] {
            let said = format!("{} is ", kind.as_str());
            let last = self.found.steps.iter().rfind(|s| s.text.contains(&said));
            let soft = thresholds.iter().filter(|t| !t.is_hard() && t.signal.condition() == kind);
            let soft = soft.map(|t| format!("{}={}", t.signal.as_str(), short(t.grace_period)));
            let soft: Vec<String> = soft.collect();
            if !last.is_some_and(|s| s.text.ends_with("True")) {
                continue;
            }
            if self.template().is_some_and(PodTemplate::is_critical) {
                let kind = kind.as_str();
                let critical = "static pods, and those of a priority of 2000000000 and more";
                self.found.notes.push(format!(
                    "{node} has {kind}, and its kubelet evicts no critical pods: {critical}"
                ));
            } else if !soft.is_empty() {
                self.found.notes.push(format!(
                    "{node} has {}: its kubelet evicts a pod once a soft threshold has been met for its eviction-soft-grace-period, {}",
                    kind.as_str(),
                    soft.join(", ")
                ));
                let over = format!("{said}False");
                let mut later = later.into_iter().flat_map(node::Story::steps);
                let goes = goes.filter(|(_, goes)| {
                    !later.any(|s| (until..goes.at).contains(&s.at) && s.text.ends_with(&over))
                });
                if let Some((_, goes)) = goes {
                    self.found.verdict = format!(
                        "not evicted by {}: {node} has {}, and its kubelet is to evict it at {} unless that is over before",
                        absolute(until),
                        kind.as_str(),
                        absolute(goes.at)
                    );
                }
            }
        }
    }
}

/// Whether a workload that is scaled to so many pods keeps none of that name; of which pods others keep it is not
/// known before.
fn is_beyond(workload: &WorkloadPlan, to: i32, pod: &str) -> bool {
    let number = parent_and_ordinal(pod).map(|(_, number)| number);
    match (&workload.spec, number) {
        (WorkloadSpec::StatefulSet { first_ordinal, .. }, Some(number)) => {
            number >= first_ordinal.saturating_add(to)
        }
        _ => to == 0,
    }
}

/// The different ones, as they come.
fn unique<'a, T: PartialEq>(all: impl Iterator<Item = &'a T>) -> Vec<&'a T> {
    all.fold(Vec::new(), |mut found, one| {
        if !found.contains(&one) {
            found.push(one);
        }
        found
    })
}
