//! A run for each loss, on several threads, beside the run in which nothing is lost.

use super::findings::{Finding, findings, lead};
use super::freed::{DONE, SEEN_FOR, freed};
use super::hit::{Bound, Damage, Figures, Hit, LATER, Lost, Seen, hits};
use super::losses::{How, Loss, Wanted, is_there, losses};
use super::placed::{Placed, placed};
use super::pressed::Pressed;
use super::still::Why;
use super::tainted::{Evicted, status_of};
use crate::analysis::disruption::{Disrupted, Pace, disruptions};
use crate::analysis::moment::evicted_after;
use crate::analysis::summary::with_evictions;
use crate::api::quantity::Quantity;
use crate::lab::prelude::*;
use crate::scenario::replace_timeline;
use std::rc::Rc;

/// When things are lost: an export's controllers have found their feet by then.
const BEGIN: Time = Time::from_secs(150);
/// By then a rule has said in its status what it would do.
const STATUS: Dur = Dur::from_secs(10);
/// How long a run goes on when what was lost is back: machines boot, pods start again.
const AFTERWARDS: Dur = Dur::from_secs(600);

/// What to lose, and of what.
pub(crate) struct Survey<'a> {
    /// The scenario.
    pub(crate) loaded: &'a Loaded,
    /// What is changed in it.
    pub(crate) overrides: Overrides,
    /// What is lost.
    pub(crate) wanted: Wanted,
    /// How nodes are lost.
    pub(crate) how: How,
    /// How long everything is lost.
    pub(crate) lasts: Dur,
    /// How soon a node must be back for an eviction to have been needless.
    pub(crate) window: Dur,
}

/// A survey that is done.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Surveyed {
    /// The losses, worst first.
    pub(crate) lost: Vec<Lost>,
    /// How many losses that are, alike ones counted, and how many were asked for.
    pub(crate) losses: usize,
    /// How many were asked for.
    pub(crate) asked: usize,
    /// What a person should know first, a sentence each.
    pub(crate) lead: Vec<String>,
    /// What a person should know, one for each reason.
    pub(crate) findings: Vec<Finding>,
    /// What was asked for and is not there, a sentence each.
    pub(crate) skipped: Vec<String>,
    /// How many entries of the scenario's own timeline were left out.
    pub(crate) left_out: usize,
    /// How many nodes and pods there are when nothing is lost yet.
    pub(crate) size: Size,
}

impl Survey<'_> {
    /// The scenario as a plan in which nothing happens.
    ///
    /// # Errors
    /// What is wrong with it.
    fn quiet(&self) -> Result<Plan, Problems> {
        let mut plan = scenario::build(self.loaded, &self.overrides)?;
        plan.tape = None;
        plan.horizon = BEGIN.saturating_add(self.lasts).saturating_add(AFTERWARDS.max(self.window));
        replace_timeline(&mut plan, &[]);
        Ok(plan)
    }

    /// The losses of the survey as far as is known before a run: nodes that only their pods tell apart are alike.
    ///
    /// # Errors
    /// What is wrong with the scenario, or nothing of a kind that was asked for.
    pub(crate) fn losses(&self) -> Result<Vec<Loss>, Problems> {
        let found = losses(&self.quiet()?, &self.wanted, &[]);
        found.map(|(losses, _)| losses).map_err(Problems::one)
    }

    /// A loss as a scenario, which `run` and `explain` take.
    ///
    /// # Errors
    /// What is wrong with the scenario.
    pub(crate) fn as_scenario(&self, loss: &Loss) -> Result<Scenario, Problems> {
        let plan = self.quiet()?;
        let outages = loss.outages(&plan, BEGIN, self.lasts, self.how);
        let mut spec = scenario::changed(self.loaded, &self.overrides)?;
        scenario::instead(&mut spec, &plan, &outages);
        Ok(spec)
    }

    /// Runs everything in one round of the desk, on `jobs` threads. `watch` is called for each loss that is done, and asked now
    /// and then whether to go on; what was run until then is the result.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(crate) fn run(
        &self,
        jobs: usize,
        watch: &(dyn Fn(Event) -> bool + Sync),
        desk: Desk<'_>,
    ) -> Result<Surveyed> {
        let seed = scenario::seed(self.loaded, &self.overrides)?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let watched = Watched::new(watch);
        let running = || watched.goes_on(Event::Running);
        let runs = |plan| Runs { survey: self, plan, seed, goes_on: &running };
        let mut here = runs(self.quiet()?);
        let trace = here.traced(&[]).ok_or(Stopped::Asked)?;
        let (without, quiet) = (here.seen(&trace, here.over()), here.plan);
        let pods = placed(&Analysis::new(&quiet, &trace), BEGIN);
        drop(trace);
        let (losses, skipped) = losses(&quiet, &self.wanted, &pods).map_err(Problems::one)?;
        let piece = |runs: &mut Runs<'_>, number: u64| {
            let loss = &losses[number as usize];
            Ok(runs.damage(loss, &pods, &without).inspect(|_| {
                for _ in 0..loss.count() {
                    watched.goes_on(Event::Done);
                }
            }))
        };
        let worker = || self.quiet().map(&runs);
        let work = |mine: &[u64]| Ok(watched.pieces(&threads, mine, worker, piece)?);
        let done = desk.round(losses.len() as u64, Damage::is_sound, work)?;
        let lost = |(number, damage): (u64, Damage)| Lost {
            loss: losses[number as usize].clone(),
            damage,
        };
        let mut lost: Vec<Lost> = done.into_iter().map(lost).collect();
        lost.sort_by(|a, b| worse(&b.damage.figures, &a.damage.figures));
        let lead = lead(&quiet, &without.seen.below(), &lost, self.how);
        let findings = findings(&quiet, &lost, self.lasts, self.how);
        Ok(Surveyed {
            losses: lost.iter().map(|l| l.loss.count()).sum(),
            asked: losses.iter().map(Loss::count).sum(),
            lost,
            lead,
            findings,
            skipped,
            left_out: self.loaded.spec.timeline.len(),
            size: quiet.size(),
        })
    }

    /// Complains about a time of loss that no run can span.
    ///
    /// # Errors
    /// It is zero, or longer than a month.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let most = Dur::from_secs(31 * 24 * 3600);
        if self.lasts.is_zero() || self.lasts > most {
            let said = duration::format(self.lasts);
            return Err(Problem::new(format!("nothing can be lost for {said}"))
                .help("from a moment to a month: `--for 10m`"));
        }
        Ok(())
    }
}

/// What is kept of a run.
struct Run {
    seen: Seen,
    paced: Vec<(String, Pace)>,
    evicted: Evicted,
    pressed: Pressed,
}

/// The runs of a survey, one after the other, with one plan of its scenario; each is none if it was stopped.
struct Runs<'a> {
    survey: &'a Survey<'a>,
    plan: Plan,
    seed: u64,
    goes_on: GoesOn<'a>,
}

impl Runs<'_> {
    /// When what is lost is back.
    fn over(&self) -> Time {
        BEGIN.saturating_add(self.survey.lasts)
    }

    /// What happens where these fail.
    fn traced(&mut self, outages: &[Outage]) -> Option<Trace> {
        replace_timeline(&mut self.plan, outages);
        seeded(&self.plan, self.seed, self.goes_on)
    }

    /// The same up to another end.
    fn traced_to(&mut self, end: Time, outages: &[Outage]) -> Option<Trace> {
        let horizon = std::mem::replace(&mut self.plan.horizon, end);
        let trace = self.traced(outages);
        self.plan.horizon = horizon;
        trace
    }

    /// What is kept of that.
    fn one(&mut self, outages: &[Outage]) -> Option<Run> {
        let trace = self.traced(outages)?;
        Some(self.seen(&trace, self.over()))
    }

    /// What is kept of a run whose loss is over by then.
    fn seen(&self, trace: &Trace, over: Time) -> Run {
        let analysis = Analysis::new(&self.plan, trace);
        let (summary, serving, _) = with_evictions(&analysis, self.survey.window);
        let found = disruptions(&analysis);
        let slow = |(zone, states): (&String, &Vec<Disrupted>)| {
            Some((zone.clone(), longest(states, (BEGIN, over))?))
        };
        let has_devices = self.plan.has_devices;
        Run {
            seen: Seen::new(&analysis, (summary.metrics, &serving), (BEGIN, over)),
            paced: found.zones.iter().filter_map(slow).collect(),
            evicted: if has_devices { Evicted::of(&analysis, BEGIN) } else { Evicted::default() },
            pressed: Pressed::of(&analysis, (BEGIN, over)),
        }
    }

    /// What a loss does, beside the run without one.
    fn damage(&mut self, loss: &Loss, pods: &[Placed], without: &Run) -> Option<Damage> {
        let outages = loss.outages(&self.plan, BEGIN, self.survey.lasts, self.survey.how);
        let with = self.one(&outages)?;
        let (figures, mut hits) = hits(&self.plan, &without.seen, &with.seen);
        let nodes = loss.nodes();
        let on = |p: &&Placed| nodes.binary_search(&p.node).is_ok();
        let on_them: Vec<&Placed> = pods.iter().filter(on).collect();
        let is_left = |n| is_there(&self.plan, n) && nodes.binary_search(&n).is_err();
        let mut kept: BTreeMap<&String, BTreeSet<Kept>> = BTreeMap::new();
        for p in &on_them {
            let template = &self.plan.templates[p.template as usize];
            let volumes = Kept::of(&self.plan, &p.name, template, p.node, is_left);
            kept.entry(p.workload.as_ref().unwrap_or(&p.name)).or_default().extend(volumes);
        }
        hits.iter_mut().for_each(|hit| hit.kept = kept.remove(&hit.workload).unwrap_or_default());
        let beyond = with.evicted.beyond(&without.evicted);
        let evicted = if loss.taints() { Some(self.evicted(loss, beyond)?) } else { None };
        let pods = evicted.as_ref().map_or(on_them.len(), |evicted| evicted.pods.len());
        let paced = with.paced.into_iter().filter(|p| !without.paced.contains(p));
        let (paced, size) = (paced.collect(), (nodes.len(), pods));
        let names = nodes.iter().map(|n| self.plan.nodes[*n as usize].name.as_str());
        let pressed = with.pressed.beyond(&without.pressed, &names.collect::<Vec<_>>());
        let mut damage = Damage { figures, hits, paced, size, evicted, pressed };
        self.without_limits(&outages, without, &mut damage)?;
        self.go_on(loss, &mut damage)?;
        self.see_to(loss, without, &mut damage)?;
        Some(damage)
    }

    /// Adds to who is evicted by a rule what it would say in its status with the effect None.
    fn evicted(&mut self, loss: &Loss, evicted: Evicted) -> Option<Evicted> {
        let Some(rule) = loss.rule() else { return Some(evicted) };
        let what = Away::Rule(Box::new(NewRule { previews: true, ..rule.clone() }));
        let (lasts, name, nodes) = (None, String::new(), Vec::new());
        let outage = Outage { at: BEGIN, lasts, name, nodes, what };
        let trace = self.traced_to(BEGIN.saturating_add(STATUS), &[outage])?;
        Some(Evicted { preview: status_of(&trace, &rule.name), ..evicted })
    }

    /// Tells pods that wait for room from those that something else holds: runs a loss again, with
    /// room without end on the nodes that are left, where the scheduler spoke of room, or of taints
    /// where nodes ran short.
    fn without_limits(
        &mut self,
        outages: &[Outage],
        without: &Run,
        damage: &mut Damage,
    ) -> Option<()> {
        let mut roomy = None;
        let pressed = &damage.pressed;
        if damage.hits.iter().any(|hit| hit.may_lack_room(pressed)) {
            let before = self.plan.nodes.clone();
            // More than any cluster asks for, and no more than the scheduler's scores can be
            // reckoned with: 35 million million cores, bytes and pods.
            let endless = Quantity::from_units(1 << 45);
            for node in &mut self.plan.nodes {
                let names = node.allocatable.keys().cloned();
                node.allocatable = Rc::new(names.map(|name| (name, endless)).collect());
            }
            let run = self.one(outages);
            self.plan.nodes = before;
            roomy = Some(run?);
        }
        for hit in damage.hits.iter_mut().filter(|h| h.pending > 0) {
            let (held, by) = match roomy.as_ref().filter(|_| hit.may_lack_room(pressed)) {
                None => (hit.pending, hit.why.clone()),
                Some(roomy) => {
                    let of = [roomy, without].map(|run| run.seen.workloads.get(&hit.workload));
                    let pending = of.map(|of| of.map_or(0, |of| of.moment.pending as i64));
                    (pending[0] - pending[1], of[0].and_then(|of| of.why.clone()))
                }
            };
            hit.hold(&self.plan, held, by);
        }
        Some(())
    }

    /// Runs a loss on where pods were left on lost nodes, and notes when they would have been
    /// evicted.
    fn go_on(&mut self, loss: &Loss, damage: &mut Damage) -> Option<()> {
        if !damage.hits.iter().any(Hit::is_left) {
            return Some(());
        }
        let lasts = self.survey.lasts + LATER;
        let outages = loss.outages(&self.plan, BEGIN, lasts, self.survey.how);
        let trace = self.traced_to(BEGIN.saturating_add(lasts), &outages)?;
        let after = evicted_after(&Analysis::new(&self.plan, &trace), self.over());
        for hit in damage.hits.iter_mut().filter(|h| h.is_left()) {
            let of = |id: &WorkloadId| trace.names.workload_name(*id) == hit.workload;
            let last = after.iter().find(|(id, _)| id.as_ref().is_some_and(of));
            hit.evicted_after = last.and_then(|(_, at)| at.map(|at| at.since(BEGIN)));
        }
        Some(())
    }

    /// Runs a loss on where workloads wait for lost nodes, once for all that is done to these when it would be over, and
    /// notes what that does for them.
    fn see_to(&mut self, loss: &Loss, without: &Run, damage: &mut Damage) -> Option<()> {
        let (how, nodes) = (self.survey.how, loss.nodes());
        let waits = |hit: &Hit| {
            let may_move = matches!(Bound::of(hit), Bound::Free | Bound::Detached);
            let waits = hit.still.is_some_and(|still| still.why == Why::Waits);
            may_move && waits && hit.behind.is_none()
        };
        let waiting: Vec<bool> = damage.hits.iter().map(waits).collect();
        if how == How::ApiServer || nodes.is_empty() || !waiting.contains(&true) {
            return Some(());
        }
        let (over, frees) = (self.over(), Frees::of(&self.plan));
        let end = over.saturating_add(SEEN_FOR);
        for (place, what) in DONE.into_iter().enumerate() {
            if what == Away::OutOfService && !frees.out_of_service {
                continue;
            }
            let mut outages = loss.outages(&self.plan, BEGIN, self.survey.lasts + LATER, how);
            let (name, nodes) = (String::new(), nodes.clone());
            outages.push(Outage { at: over, lasts: None, name, nodes, what });
            outages.sort_by_key(|o| o.at);
            let trace = self.traced_to(end, &outages)?;
            let with = self.seen(&trace, end).seen;
            for (hit, _) in damage.hits.iter_mut().zip(&waiting).filter(|(_, waits)| **waits) {
                hit.freed[place] = freed(&self.plan, &hit.workload, &with, &without.seen);
            }
        }
        Some(())
    }
}

/// The pace at which a zone was for most of a loss. While its nodes are found out, in two passes
/// say, it is in a state that lasts for seconds and decides nothing.
pub(super) fn longest(states: &[Disrupted], (from, to): (Time, Time)) -> Option<Pace> {
    let mut paces: Vec<(Pace, Dur)> = Vec::new();
    for state in states {
        let (begin, end) = (state.from.max(from), state.to.min(to));
        let lasts = end.checked_since(begin).filter(|d| !d.is_zero());
        let Some(lasts) = lasts else { continue };
        match paces.iter_mut().find(|(pace, _)| *pace == state.pace) {
            Some((_, sum)) => *sum += lasts,
            None => paces.push((state.pace, lasts)),
        }
    }
    // Of equal ones the first.
    let most = paces.into_iter().rev().max_by_key(|(_, lasts)| *lasts);
    most.map(|(pace, _)| pace)
}

/// Which of two losses is worse: time below need first, then pods missing, then pods that found no
/// node. What differs by less than is told is a tie.
fn worse(a: &Figures, b: &Figures) -> std::cmp::Ordering {
    let told = |minutes: f64| match (minutes * 10.0).round() as i64 {
        0 => (minutes * 600.0).round() as i64,
        tenths => tenths * 60,
    };
    let key = |f: &Figures| [f.down_sum_s as i64, told(f.missing_minutes), f.pending, f.evicted];
    key(a).cmp(&key(b))
}

#[cfg(test)]
mod tests {
    use super::super::hit::whole;
    use super::*;

    /// 5m48s both, to the second, and 28.6 replica-minutes against 22.5; 22.52 and 22.48 are both 22.5, and more were
    /// evicted. Below a tenth of a minute it is seconds that are told.
    #[test]
    fn what_is_told_alike_is_a_tie() {
        let [more, less] = [347_892, 347_866].map(|ms| whole(Dur::from_millis(ms)).as_secs());
        let of = |down_sum_s, missing_minutes, evicted| Figures {
            down_sum_s,
            missing_minutes,
            evicted,
            ..Figures::default()
        };
        let least = of(more, 22.52, 3);
        for worst in [of(less, 28.6, 3), of(less, 22.48, 4), of(349, 0.0, 0)] {
            assert!(worse(&worst, &least).is_gt() && worse(&least, &worst).is_lt(), "{worst:?}");
        }
        assert!(worse(&of(0, 2.4 / 60.0, 0), &of(0, 1.2 / 60.0, 9)).is_gt());
        assert!(worse(&least, &of(less, 22.48, 3)).is_eq());
    }
}
