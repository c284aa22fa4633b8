//! Trials: scenarios run as tests, each with its seeds, and compared with what it expects.
//!
//! A trial fails where an expectation is not met in all of its runs, or in the share of them that
//! it asks for. One that makes no sense for any of its runs (a pod that there never was) is a
//! mistake of the file, neither passed nor failed. Nothing here does IO.

use super::prelude::*;
use super::replay::{Departure, played};
use crate::analysis::expect::{Empty, Failed, Verdict, about_nothing, takes_harm, verdicts};
use crate::analysis::explain::{Object, Question, Step, explain};
use crate::language::{Flags, Place, Timing, Tree, at};
use crate::plan::{Do, NodeStart};
use crate::scenario::expectations::{Expectation, Expectations};

/// How many runs share a plan.
const SEEDS_AT_ONCE: usize = 8;

/// The most rules that are shown of one failure: the last ones, which are the nearest to it.
const RULES: usize = 6;

/// How long after a fault nothing comes of it any more: whatever was held up is tried again by then (client-go's reflector waits for
/// 30 s, and up to as long again).
const RETRIED: Dur = Dur::from_secs(60);

/// A scenario that can be tried.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The scenario.
    pub(crate) loaded: &'a Loaded,
    /// What the command line changes in it.
    pub(crate) overrides: Overrides,
    expectations: Expectations,
    /// What a person should know of the scenario before its results are believed.
    pub(crate) notes: Vec<Problem>,
    /// Nothing happens in it that could evict a pod.
    is_idle: bool,
}

/// The result of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How many runs there were.
    pub runs: usize,
    /// What became of each expectation, in the order of the file.
    pub held: Vec<Held>,
    /// What is met without saying anything, each with its place in the file.
    pub(crate) warnings: Vec<Problem>,
}

/// What became of an expectation.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    /// It was met in as many runs as it has to be.
    Met,
    /// It was not.
    Failed(Failure),
    /// It makes no sense for any of the runs.
    Wrong(Problem),
}

impl Outcome {
    /// The expectations that failed.
    pub fn failures(&self) -> Vec<&Failure> {
        let held = self.held.iter();
        held.filter_map(|h| if let Held::Failed(f) = h { Some(f) } else { None }).collect()
    }

    /// What is wrong with those that make no sense for a run.
    pub fn problems(&self) -> Vec<&Problem> {
        let held = self.held.iter();
        held.filter_map(|h| if let Held::Wrong(p) = h { Some(p) } else { None }).collect()
    }
}

/// An expectation that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The word it begins with: `Evicted`.
    pub(crate) kind: String,
    /// Where it stands in the file, and in one sentence what came instead.
    pub problem: Problem,
    /// What the first run that failed tells of it.
    pub(crate) told: Told,
    /// The seed of that run.
    pub(crate) seed: u64,
    /// In how many runs it was not met.
    pub failed_runs: usize,
    /// In how large a part of them it had to be, where not in all.
    pub(crate) share: Option<f64>,
}

/// For each expectation what one run makes of it.
type Judged = Vec<Seen>;

/// What one run makes of an expectation.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Why it does not meet it.
    failed: Option<Told>,
    /// Why it says nothing that it does.
    empty: Option<Empty>,
    /// Why it makes no sense for this run.
    wrong: Option<Problem>,
}

/// Why it says nothing what is met wherever nothing happens.
const IDLE: &str = "nothing harms a node or pod in this scenario, which has no timeline";
/// The same, of one that is done something in.
const CORDONS: &str = "nothing but cordons is in the timeline, which harm no node or pod";

/// Whether there is nothing beside the timeline in a scenario that could evict a pod: no faults that are drawn, no flags and delays,
/// under which healthy nodes may seem lost, nothing that is tainted, away or short of anything from the start.
fn is_idle(plan: &Plan, spec: &Scenario) -> bool {
    let is_well = |n: &NodePlan| {
        let has_taints = !n.taints.is_empty() || n.devices.iter().any(|d| !d.taints.is_empty());
        matches!(n.start, NodeStart::Ready) && !has_taints && n.kubelet.is_none()
    };
    spec.faults.is_none()
        && spec.flags == Flags::default()
        && !matches!(spec.timing, Some(Timing::Custom { .. }))
        && plan.nodes.iter().all(is_well)
        && !plan.states_usage()
        && !plan.collects_images()
        && plan.device_taint_rules.is_empty()
        && plan.readiness.rules.is_empty()
}

/// Why nothing can violate a property, whatever comes out in a run: there is nothing that it is about, or nothing happens. What
/// happens is that of the scenario, if that is given.
pub(crate) fn not_violable(
    plan: &Plan,
    spec: Option<&Scenario>,
    property: &Property,
) -> Option<String> {
    let of_harm = takes_harm(property) || matches!(property, Property::FalseUnknown(_));
    let cordons = plan.actions.iter().all(|a| matches!(a.act, Do::Cordon(_, true)));
    if of_harm && cordons && spec.is_some_and(|spec| is_idle(plan, spec)) {
        return Some(if plan.timeline.is_empty() { IDLE } else { CORDONS }.to_owned());
    }
    // What takes no harm is done to pods.
    let has_pods = !plan.pods.is_empty() || !plan.workloads.is_empty();
    let no_pod = !has_pods && !of_harm && property.is_of_a_run();
    if no_pod { Some("there is no pod".to_owned()) } else { about_nothing(plan, property) }
}

impl<'a> Trial<'a> {
    /// Builds the scenario with its expectations.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn new(loaded: &'a Loaded, overrides: Overrides) -> Result<Self, Problems> {
        let (plan, expectations) = scenario::expecting(loaded, &overrides)?;
        let spec = scenario::changed(loaded, &overrides)?;
        let is_idle = plan.timeline.is_empty() && is_idle(&plan, &spec);
        let notes = plan.warnings().map(|note| loaded.noted(note)).collect();
        Ok(Trial { loaded, overrides, expectations, notes, is_idle })
    }

    /// What it expects.
    pub fn expectations(&self) -> &Expectations {
        &self.expectations
    }

    /// The outcome if everything were met, without a run.
    pub(crate) fn untried(&self) -> Outcome {
        let held = vec![Held::Met; self.expectations.list.len()];
        Outcome { runs: 0, held, warnings: Vec::new() }
    }

    /// Runs it with each of its seeds, and holds every run against the expectations. `look` sees
    /// the run of the first seed. Without an answer if `goes_on` said no.
    pub fn run<T: Send>(
        &self,
        goes_on: &(dyn Fn() -> bool + Sync),
        look: &(dyn Fn(&Analysis<'_>, u64) -> T + Sync),
    ) -> Option<(Outcome, Option<T>)> {
        let list = &self.expectations.list;
        let seeds = &self.expectations.seeds;
        let of_run = |plan: &Plan, seed: u64| {
            // A scenario with a tape leaves nothing to chance: it is run as `taintsim replay` runs it, which says where it departs
            // from the tape.
            let (trace, departs) = match plan.tape {
                Some(_) => played(plan, goes_on)?,
                None => (seeded(plan, seed, goes_on)?, None),
            };
            let analysis = Analysis::new(plan, &trace);
            let judged = self.judged(&analysis);
            let looked = (seeds.first() == Some(&seed)).then(|| look(&analysis, seed));
            Some((judged, looked, departs))
        };
        // Each piece builds its own plan: plans are not shared between threads.
        let piece = |seeds: &[u64]| -> Option<Vec<_>> {
            // It was built before; what does not build has been refused.
            let mut drawn = scenario::drawn(self.loaded, &self.overrides).ok()?;
            seeds.iter().map(|&seed| of_run(drawn.of(seed), seed)).collect()
        };
        let runs: Vec<Vec<_>> =
            seeds.par_chunks(SEEDS_AT_ONCE).map(piece).collect::<Option<_>>()?;
        let (mut told, mut looked, mut departed) = (Vec::new(), None, None);
        for (run, seen, departs) in runs.into_iter().flatten() {
            told.push(run);
            looked = looked.or(seen);
            departed = departed.or(departs);
        }
        let of = |i: usize| told.iter().map(move |run: &Judged| &run[i]);
        let held = list.iter().enumerate().map(|(i, e)| self.held(e, of(i))).collect();
        let empty = list.iter().enumerate().filter_map(|(i, e)| self.empty(e, of(i)));
        let warnings = departed.map(|d| self.departed(&d)).into_iter().chain(empty).collect();
        Some((Outcome { runs: seeds.len(), held, warnings }, looked))
    }

    /// Holds one run against the expectations.
    fn judged(&self, analysis: &Analysis<'_>) -> Judged {
        let list = &self.expectations.list;
        let told = |(verdict, e): (Verdict, &Expectation)| {
            let wrong = verdict.wrong.map(|wrong| {
                let problem = Problem::new(wrong.message).maybe_help(wrong.help);
                problem.at(&self.loaded.source, e.bytes.clone())
            });
            let failed = verdict.failure.map(|f| Told::new(f, analysis));
            let is_idle = self.is_idle && verdict.is_met_idly;
            let idle = || is_idle.then(|| Empty::of(IDLE.to_owned()));
            Seen { failed, empty: verdict.empty.or_else(idle), wrong }
        };
        let verdicts = verdicts(list, analysis).into_iter();
        verdicts.zip(list).map(told).collect()
    }

    /// That the tape is not one of this run.
    fn departed(&self, departure: &Departure) -> Problem {
        let text = format!("the run departs from its tape: {}", departure.text);
        let help = "what was found with it is not looked at here: search again with `taintsim explore`, or leave the tape out";
        let bytes = self.bytes(&at!["tape"]).unwrap_or_default();
        Problem::new(text).help(help).at(&self.loaded.source, bytes)
    }

    /// Where a place of the scenario stands in its source.
    fn bytes(&self, place: &Place) -> Option<Range<usize>> {
        Tree::read(&self.loaded.source.text).ok()?.find(place).map(Tree::bytes)
    }

    /// What is met in every run without saying anything, or in some only because they are over too soon to tell.
    fn empty<'t>(
        &self,
        e: &Expectation,
        of_runs: impl Iterator<Item = &'t Seen>,
    ) -> Option<Problem> {
        let said = |run: &'t Seen| run.empty.as_ref().filter(|_| run.wrong.is_none());
        let of_runs: Vec<Option<&Empty>> = of_runs.map(said).collect();
        let is_all = of_runs.iter().all(Option::is_some);
        let told = of_runs.iter().flatten().filter(|empty| is_all || empty.is_open);
        let (n, first) = (told.clone().count(), told.clone().next()?);
        let runs = counted(of_runs.len() as u64, "run");
        let often = if is_all { String::new() } else { format!("in {n} of {runs} ") };
        let problem = Problem::new(format!("{}: {often}{}", e.kind, first.why)).help(first.help);
        Some(problem.at(&self.loaded.source, e.bytes.clone()))
    }

    /// Whether an expectation holds over all runs, which are in the order of their seeds.
    fn held<'t>(&self, e: &Expectation, of_runs: impl Iterator<Item = &'t Seen> + Clone) -> Held {
        let seeds = &self.expectations.seeds;
        // What is wrong in one run may be right in another, for the pods that a run has may differ: where it is, a
        // run that lacks them has nothing to meet it with.
        let wrong: Option<Vec<&Problem>> = of_runs.clone().map(|run| run.wrong.as_ref()).collect();
        if let Some(problem) = wrong.as_ref().and_then(|all| all.first()) {
            return Held::Wrong((*problem).clone());
        }
        let failed = of_runs.zip(seeds);
        let failed = failed.filter_map(|(run, &seed)| Some((seed, run.failed.as_ref()?)));
        let failed: Vec<(u64, &Told)> = failed.collect();
        let met = (seeds.len() - failed.len()) as f64 / seeds.len() as f64;
        let Some((seed, first)) = failed.first().filter(|_| met < e.share.unwrap_or(1.0)) else {
            return Held::Met;
        };
        let problem = Problem::new(format!("{}: {}", e.kind, first.text));
        Held::Failed(Failure {
            kind: e.kind.clone(),
            problem: problem.at(&self.loaded.source, e.bytes.clone()),
            told: (*first).clone(),
            seed: *seed,
            failed_runs: failed.len(),
            share: e.share,
        })
    }

    /// Runs it with a guarded setting changed, and says whether an expectation breaks then, as it
    /// must: one that is met without the change.
    ///
    /// # Errors
    /// The setting is not one of the scenario's, or its value is wrong.
    pub fn is_guarded(
        &self,
        guard: &str,
        without: &Outcome,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<bool>, Problems> {
        let mut overrides = Overrides { at_once: 0, ..self.overrides.clone() };
        overrides.sets.push(guard.to_owned());
        let changed = match Trial::new(self.loaded, overrides) {
            Ok(changed) => changed,
            // What the change leaves without its objects is broken.
            Err(problems) => {
                let source = &self.loaded.source;
                let broken = self.expectations.broken_by(&problems, source).ok_or(problems)?;
                return Ok(Some(
                    broken.into_iter().any(|i| without.held.get(i) == Some(&Held::Met)),
                ));
            }
        };
        let breaks = |outcome: Outcome| {
            let mut both = without.held.iter().zip(&outcome.held);
            both.any(|(w, with)| *w == Held::Met && *with != Held::Met)
        };
        Ok(changed.run(goes_on, &|_, _| ()).map(|(outcome, _)| breaks(outcome)))
    }
}

/// What a run tells of an expectation that it does not meet.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Told {
    /// What was expected, and what came.
    text: String,
    /// The records that decided it: number and text.
    pub(crate) records: Vec<(RecordId, String)>,
    /// Why it came so: the verdict on the object that decided it, and the rules behind that.
    pub(crate) why: Vec<String>,
    /// That object, as `explain` takes it, and the moment in question where that is not the end of
    /// the run.
    pub(crate) about: Option<(String, Option<Time>)>,
}

impl Told {
    fn new(failed: Failed, analysis: &Analysis<'_>) -> Self {
        let trace = analysis.trace;
        let told = |&id: &RecordId| {
            let r = trace.get(id)?;
            let at = short(r.at.since(Time::ZERO));
            Some((id, format!("{at} {}", trace.sentence(r))))
        };
        let records = failed.records.iter().filter_map(told).collect();
        let mut why = Vec::new();
        if let Some((object, at)) = &failed.about {
            let until = at.unwrap_or(analysis.horizon());
            let found = explain(Question { analysis, until, groups: &[] }, object);
            why.push(format!("{}: {}", found.object, found.verdict));
            // How it stands then says why something is not there yet; of a workload that is what is said of its pods.
            let late = |id: &RecordId| trace.get(*id).is_some_and(|r| r.at > until);
            let is_late = !failed.records.is_empty() && failed.records.iter().all(late);
            let stands = |note: &&String| match object {
                Object::Pod(_) => is_late,
                Object::Workload(_) => note.starts_with(|c: char| c.is_ascii_digit()),
                Object::Node(_) | Object::Zone(_) => false,
            };
            why.extend(found.notes.iter().filter(stands).cloned());
            let steps = Vec::from_iter(found.steps.iter().filter(|s| s.rule.is_some()));
            let leads = |(place, step): &(usize, &&Step)| {
                let Some(end) = over(trace, step) else { return true };
                let next = steps[place + 1..].iter().find(|s| over(trace, s).is_none());
                next.is_none_or(|next| next.at <= end.saturating_add(RETRIED))
            };
            let rules = steps.iter().enumerate().filter(leads);
            let rules =
                rules.filter_map(|(_, s)| Some(format!("{}: {}", s.text, s.rule.as_ref()?)));
            let rules: Vec<String> = rules.collect();
            why.extend_from_slice(&rules[rules.len().saturating_sub(RULES)..]);
        }
        let about = failed.about.map(|(object, at)| (object.name(analysis), at));
        let text = format!("expected {}, got {}", failed.expected, failed.got);
        Told { text, records, why, about }
    }
}

/// When a fault was over whose beginning a step tells.
fn over(trace: &Trace, step: &Step) -> Option<Time> {
    let began = trace.get(step.record?).filter(|r| r.what == What::FaultBegan)?;
    let is_its_end = |r: &&Record| r.what == What::FaultEnded && r.object == began.object;
    trace.iter().filter(is_its_end).find(|r| r.at >= began.at).map(|r| r.at)
}
