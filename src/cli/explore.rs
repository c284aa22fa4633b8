//! `taintsim explore`: searches the interleavings of a scenario for one that must not be.

use super::explore_args::{ExploreArgs, releases};
use super::findings::{self, Asked};
use super::html;
use super::prelude::*;
use super::run::{tell_imported, writable};
use super::shards::Work;
use crate::analysis::properties::{Violation, check};
use crate::lab::explore::{Change, Changing, Faults, Of, Report, explore_at as search};
use crate::lab::not_violable;
use crate::lab::tape;
use crate::report::explore::{
    Says, Searched, answer, document, shown_by, table, told, write, write_table,
};
use crate::report::html::board::{Part, Steps, Table};
use crate::report::replay::{Replayed, lanes};
use std::cell::RefCell;

/// Runs of a search that is given neither their number nor a time.
const RUNS: u64 = 20_000;
/// How many runs are drawn where all of few deviations were tried. An outcome that one run in a
/// hundred has is missed with a probability of 0.99^256 = 0.08.
const BESIDE: u64 = 256;
/// The part of the time in which there is a search, as a run may be made for the names in tapes; and where what it finds is to
/// be made small for a report.
const SEARCHING: [f64; 2] = [0.9, 0.6];
/// Runs the command.
pub(crate) fn explore(args: &ExploreArgs, work: &Work<'_>, terminal: &Terminal) -> Outcome {
    let terminal = &terminal.quietly(args.quiet);
    args.output.form.fits(false)?;
    let (slack, faults) = args.changes()?;
    let clock = Stopwatch::start();
    let help = "give the most runs instead, --runs";
    (args.shards).refuses(args.time.is_some(), "a time, --time", help)?;
    let help = "replay and shrink the tapes that gather writes";
    (args.shards).refuses(args.report.is_some(), "reports, --report", help)?;
    let loaded = work.inputs.load(&args.file)?;
    let (properties, releases) = (args.properties(), releases(args.kubernetes.as_deref())?);
    let searcher = Searching {
        args,
        desk: work.desk(),
        terminal,
        clock: &clock,
        loaded: &loaded,
        properties: &properties,
        slack,
        faults: &faults,
    };
    for (i, release) in releases.iter().enumerate() {
        let plan = scenario::build(&loaded, &args.overrides(release.as_deref(), &[]))?;
        if i == 0 && !work.desk().is_shared() {
            terminal.aside(plan.warnings().map(|note| loaded.noted(note).to_string()));
            terminal.aside(searcher.impossible(release.as_deref(), &plan)?.0);
        }
        args.perturb(&plan)?;
        searcher.can_happen(release.as_deref(), &plan)?;
    }
    let is_vain = loaded.spec.expect.is_empty() && properties.contains(&Property::Expect);
    let help = "leave `--property expect` out, or add `expect: [Never(PodStuck)]`";
    refuse_if(is_vain, format!("{} expects nothing", shown(&args.file)), help)?;
    let name = format!("{}-explore", loaded.name);
    if let Some(planned) = work.planned(&args.shards, &args.out, &[&loaded], terminal) {
        return planned;
    }
    if work.writes() {
        args.html.fits()?;
        writable(&args.out, &name)?;
        args.report.iter().try_for_each(|dir| findings::writable(dir, &properties))?;
    }
    tell_imported(&loaded.imported, terminal);
    let pool = threads(args.jobs)?;
    let mut reports: Vec<Reported> = Vec::new();
    let mut interrupted = false;
    let count = releases.len() as f64;
    let time = args.time.map_or(f64::INFINITY, |t| t.as_nanos() as f64 / 1e9);
    let searching = time * SEARCHING[usize::from(args.report.is_some())];
    for (i, release) in releases.into_iter().enumerate() {
        // Each release has its part of the time, and what those before it left.
        let end = searching * (i as f64 + 1.0) / count;
        let report = searcher.one(release.as_deref(), &pool, end)?;
        reports.push((release, report));
        interrupted = interrupt::asked();
        if interrupted {
            break;
        }
    }
    work.desk().over()?;
    if !loaded.spec.expect.is_empty() && !properties.contains(&Property::Expect) {
        terminal.aside(["what the scenario expects is not looked at; `--property expect` holds every run against it"]);
    }
    // What was found is written, whether Ctrl-C came before or comes now.
    let names = RefCell::default();
    let mut searches =
        interrupt::heeding(|| searcher.tapes(&name, &reports, &mut names.borrow_mut()))?;
    if let Some(dir) = &args.report {
        let (loaded, clock) = (&loaded, &clock);
        let asked = Asked { loaded, dir, terminal, end: time, clock };
        let tape_of = |i: usize, v: &Violated| {
            searcher.tape(reports[i].0.as_deref(), v, &mut names.borrow_mut())
        };
        findings::write(&asked, &mut searches, &tape_of)?;
    }
    searcher.print(&searches)?;
    args.html.write(|| searcher.page(&searches))?;
    interrupted_if(interrupted, "interrupted; this is what was found so far")?;
    let is_fine = reports.iter().all(|(_, r)| r.violations.is_empty());
    // Where nothing was run, that nothing was found says nothing.
    let untried = searches.iter().filter(|s| s.report.all_runs() == 0);
    let untried: Vec<&str> = untried.map(|s| s.release.as_str()).collect();
    if !untried.is_empty() {
        let text = format!("the time was over before a run was made under {}", untried.join(", "));
        refuse_if(is_fine, &text, "a longer one, `--time 1m`")?;
        terminal.note(&text);
    }
    Ok(Exit::fine_if(is_fine))
}

/// What is searched, and for whom.
struct Searching<'a> {
    args: &'a ExploreArgs,
    desk: Desk<'a>,
    terminal: &'a Terminal,
    clock: &'a Stopwatch,
    loaded: &'a Loaded,
    properties: &'a [Property],
    /// How far entries of the timeline move, and what is added to it.
    slack: Dur,
    faults: &'a Faults,
}

/// A release, and what was found under it.
type Reported = (Option<String>, Report);

/// More runs are left to `replay`.
const DRAWN_RUNS: usize = 8;

impl Searching<'_> {
    /// The plan of a release, with entries of the timeline at other times; none where that is no scenario. Without
    /// any it was built before.
    fn plan(&self, release: Option<&str>, changes: &[Change]) -> Option<Plan> {
        let built = scenario::build(self.loaded, &self.args.overrides(release, changes)).ok()?;
        let perturb = self.args.perturb(&built).ok()?;
        Some(Plan { perturb, ..built })
    }

    /// Whether each fault can be added to the scenario.
    fn can_happen(&self, release: Option<&str>, plan: &Plan) -> Result<()> {
        let node = plan.nodes.first().map_or("", |node| &node.name);
        for fault in self.faults.each(node) {
            let change = Change { of: Of::Fault(fault), at: Dur::ZERO };
            // What was added is nowhere in what the person wrote.
            scenario::build(self.loaded, &self.args.overrides(release, &[change])).map_err(
                |problems| {
                    let said = problems.0.into_iter().map(|problem| {
                        let named = Problem { place: None, ..problem.about("--faults") };
                        named.or_help(
                            "nodes of the scenario: `zone b`, `node a-1` or `Label(\"k=v\")`",
                        )
                    });
                    Problems(said.collect())
                },
            )?;
        }
        Ok(())
    }

    /// What is to be said of the properties that were named and nothing can violate, added faults and trouble included; and
    /// whether that are all.
    fn impossible(&self, release: Option<&str>, plan: &Plan) -> Result<(Vec<String>, bool)> {
        let spec = scenario::changed(self.loaded, &self.args.overrides(release, &[]))?;
        let is_all = self.args.faults.is_none() && self.args.perturb.is_empty();
        let mut by: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for property in self.properties {
            if let Some(why) = not_violable(plan, is_all.then_some(&spec), property) {
                by.entry(why).or_default().push(property.to_string());
            }
        }
        let is_vain = by.values().map(Vec::len).sum::<usize>() == self.properties.len();
        let is_told = is_vain || !self.args.properties.is_empty();
        let said = |(why, all): (String, Vec<String>)| {
            format!("nothing can violate {}: {why}", all.join(", "))
        };
        Ok((by.into_iter().filter(|_| is_told).map(said).collect(), is_vain))
    }

    /// Searches under one release, until the clock shows its end.
    fn one(&self, release: Option<&str>, pool: &rayon::ThreadPool, end: f64) -> Result<Report> {
        let Self { args, loaded, clock, slack, .. } = *self;
        let plan =
            || self.plan(release, &[]).unwrap_or_else(|| unreachable!("it was built before"));
        let changed = |changes: &[Change]| self.plan(release, changes);
        let overrides = args.overrides(release, &[]);
        let expected = scenario::expecting(loaded, &overrides)?.1.list;
        let timeline = scenario::changed(loaded, &overrides)?.timeline;
        let entries = Change::none(&timeline);
        let changing = Changing { plan: &changed, entries, slack, faults: self.faults.clone() };
        let (_, is_vain) = self.impossible(release, &plan())?;
        // Nobody knows how many there are in a time. Where nothing can violate any of the properties one run stands for all.
        let known = args.runs.or(args.time.is_none().then_some(RUNS));
        let known = if is_vain { Some(1) } else { known };
        let runs = known.unwrap_or(u64::MAX);
        let (began, desk) = (clock.seconds(), self.desk);
        let spent = || (clock.seconds() - began) / (end - began);
        let wanted = Explore {
            strategy: args.strategy(),
            depth: args.depth(),
            runs,
            until_found: args.until_found,
            batch: args.batch as usize,
            beside: BESIDE,
            spent: &spent,
            changing: Some(changing),
            ..Explore::drawing(&plan, self.properties, &expected, args.seed)
        };
        let known = known.unwrap_or(0);
        let progress = Progress::new(self.terminal, &loaded.name, known, |done, all| match all {
            0 => counted(done, "run"),
            _ => format!("{} of at most {} runs", grouped(done), grouped(all)),
        });
        let goes_on = |runs: u64| progress.reaches(runs) && clock.seconds() < end;
        let (report, _) = progress.during(|| search(&wanted, (pool, desk), &goes_on))?;
        // What others ran says nothing of how fast this machine is.
        if !desk.is_shared() {
            let took = clock.seconds() - began;
            let speed = report.all_runs() as f64 / took.max(1e-9);
            let (runs, speed) = (counted(report.all_runs(), "run"), grouped(speed as u64));
            self.terminal.aside([format!("{runs} in {took:.3} s, {speed} per second")]);
        }
        Ok(report)
    }

    /// Prints what the searches found.
    fn print(&self, searches: &[Searched<'_>]) -> Result<()> {
        let properties = self.properties;
        self.args.output.form.print(
            self.terminal,
            |p| match searches {
                [_, _, ..] => write_table(p, searches, properties),
                _ => searches.iter().try_for_each(|s| write(p, s)),
            },
            || document(&self.loaded.name, searches, properties),
            || table(searches, properties),
        )
    }

    /// The tape of a violation that was found under a release. On a large cluster a run is what takes the time here, and one
    /// is made only for names that no tape before had.
    fn tape(&self, release: Option<&str>, v: &Violated, names: &mut Texts) -> Tape {
        let args = self.args;
        let plan = self.plan(release, &v.changes);
        let plan = plan.unwrap_or_else(|| unreachable!("it was run"));
        names.learn(&v.tape, || {
            sim::search(&plan, Choices::tape(v.tape.clone(), Choices::default_order()))
        });
        Tape {
            version: tape::VERSION,
            doc: format!("{}: {}", plan.profile.release, v.text),
            file: args.file.display().to_string(),
            kubernetes: release.map(str::to_owned),
            timing: args.timing.clone(),
            set: args.overrides(None, &v.changes).sets,
            tape: tape::spec_of(&plan, names, Some(v.property.to_string()), &v.tape),
            scenario: self.loaded.source.text.to_string(),
        }
    }

    /// Writes the tapes, and says where that of each violation is.
    fn tapes<'r>(
        &self,
        name: &str,
        reports: &'r [Reported],
        names: &mut Texts,
    ) -> Result<Vec<Searched<'r>>> {
        let Self { args, loaded, .. } = *self;
        let any = reports.iter().any(|(_, r)| !r.violations.is_empty());
        let mut folder = if any { Some(Folder::create(&args.out, name)?) } else { None };
        let mut searches = Vec::new();
        for (release, report) in reports {
            let written = self.plan(release.as_deref(), &[]);
            let of = release.as_ref().map_or(String::new(), |r| format!("{r}-"));
            let file = |i: usize| {
                format!("{of}{}-{}.tape.ron", report.violations[i].property.name(), i + 1)
            };
            let shown_by = shown_by(&report.violations);
            for (i, v) in report.violations.iter().enumerate() {
                if let Some(folder) = folder.as_mut().filter(|_| shown_by[i] == i) {
                    let tape = self.tape(release.as_deref(), v, names).write();
                    folder.write(&file(i), |out| out.write_all(tape.as_bytes()))?;
                }
            }
            let at = |i: &usize| args.out.join(name).join(file(*i)).display().to_string();
            searches.push(Searched {
                release: written.map(|plan| plan.profile.release).unwrap_or_default(),
                depth: args.depth(),
                changes: args.changes_told(),
                report,
                tapes: shown_by.iter().map(at).collect(),
                reports: Vec::new(),
            });
        }
        if let Some(folder) = folder {
            let file = args.file.display().to_string();
            let scenario =
                manifest::scenario(&loaded.name, &file, &loaded.fingerprint(), &args.sets);
            let came_from = json!({ "search": true, "scenario": scenario });
            folder.finish_with(came_from)?;
        }
        Ok(searches)
    }

    /// The page of a search under one or several releases.
    fn page(&self, searches: &[Searched<'_>]) -> Result<Page> {
        let (loaded, properties) = (self.loaded, self.properties);
        let found =
            Part::List { title: "What was found".to_owned(), items: answer(searches, properties) };
        let mut parts = vec![found, Part::Table(board_table(searches, properties))];
        for searched in searches {
            let left = DRAWN_RUNS.saturating_sub(parts.len() - 2);
            for (i, _) in told(&searched.report.violations).into_iter().take(left) {
                let (violated, tape) = (&searched.report.violations[i], &searched.tapes[i]);
                // A range of releases gives each its own plan; one release, or none, is as it was asked for.
                let release = self.args.kubernetes.as_ref().map(|_| searched.release.as_str());
                let plan = self.plan(release, &violated.changes);
                parts.extend(plan.map(|plan| Part::Steps(taken(&plan, violated, tape))));
            }
        }
        let board = |text| {
            parts.push(Part::text("Report", text));
            let title = format!("{}: interleavings", loaded.name);
            Board { title, doc: loaded.spec.doc.clone(), parts, ..Board::default() }
        };
        html::page(|p| searches.iter().try_for_each(|s| write(p, s)), board, Vec::new())
    }
}

/// What the search says of each property, by release.
fn board_table(searches: &[Searched<'_>], properties: &[Property]) -> Table {
    let mut columns = vec!["property".to_owned()];
    columns.extend(searches.iter().map(|s| s.release.clone()));
    let row = |p: &Property| -> Vec<Value> {
        let says = searches.iter().map(|s| Says::of(s.report, p).words().into());
        std::iter::once(p.to_string().into()).chain(says).collect()
    };
    Table::new("Properties", columns, properties.iter().map(row))
}

/// The steps of the run in which a property does not hold.
fn taken(plan: &Plan, violated: &Violated, tape: &str) -> Steps {
    let choices = Choices::tape(violated.tape.clone(), Choices::default_order());
    let run = sim::search(plan, choices);
    let violations: Vec<Violation> = check(&violated.property, &Analysis::new(plan, &run.trace));
    let title =
        format!("{} on {}: {} ({tape})", violated.property, plan.profile.release, violated.text);
    let steps = &steps(&run, &Texts::of(&run), &violations, None);
    let violations = &violations;
    lanes(title, Replayed { trace: &run.trace, steps, violations, departure: None })
}
