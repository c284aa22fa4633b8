//! The race lab: searching changes nothing by itself, finds what it should, and gives the same
//! report whoever counts.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, check};
use taintsim::api::names::stable_hash;
use taintsim::kernel::choice::{Deviation, Span};
use taintsim::kernel::search::Wanted;
use taintsim::kernel::{Choices, Dur};
use taintsim::lab::explore::{
    BATCH, Change, Changing, Explore, Faults, Of, Outcome, Report, Strategy, digest, explore,
    shorter,
};
use taintsim::lab::replay::departure;
use taintsim::lab::tape::{self, Tape, Texts};
use taintsim::plan::switches::taint_eviction::FinishedEntry;
use taintsim::plan::{Perturb, Plan, Whom};
use taintsim::scenario::{self, Overrides};
use taintsim::sim;
use taintsim::trace::{Actor, Trace, What};

/// A StatefulSet's pod tolerates a taint for 30 s, and the taint goes in the very instant in which
/// the time is over: each request takes 10 ms, so that an untaint that is handled behind the timer
/// comes amid the deletion (#107543). In the default order it comes before.
pub(crate) const RAPID: &str = r#"(
    version: 1,
    kubernetes: "1.32",
    horizon: "170s",
    timing: Custom(request: "5ms", response: "5ms", watch: "1ms", user: Raw),
    nodes: [(name: "node-1")],
    workloads: [StatefulSet(name: "db", placement: Nodes(["node-1"]), template: (
        terminationGracePeriodSeconds: 0,
        tolerations: [(key: "maintenance", operator: Exists, effect: NoExecute, tolerationSeconds: 30)],
    ))],
    timeline: [
        (at: "10s", do: Taint(node: "node-1", taint: "maintenance:NoExecute")),
        (at: "40s", do: Untaint(node: "node-1", taint: "maintenance:NoExecute")),
        (at: "60s", do: Taint(node: "node-1", taint: "maintenance:NoExecute")),
    ],
)"#;

fn plan(text: &str) -> Plan {
    let loaded = scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new(""))
        .expect("the scenario is right");
    scenario::build(&loaded, &Overrides::default()).expect("the scenario is right")
}

fn property() -> Property {
    Property::parse("pod-stuck").expect("a property")
}

fn wanted<'a>(
    plan: &'a (dyn Fn() -> Plan + Sync),
    properties: &'a [Property],
    strategy: Strategy,
    depth: u32,
    runs: u64,
) -> Explore<'a> {
    Explore {
        plan,
        properties,
        expect: &[],
        strategy,
        depth,
        runs,
        seed: 1,
        until_found: false,
        batch: BATCH,
        prune: true,
        beside: 0,
        spent: &|| 0.0,
        until: 1.0,
        changing: None,
    }
}

fn on(search: &Explore<'_>, jobs: usize) -> Report {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().expect("threads");
    let (report, finished) = explore(search, &pool, &|_| true);
    assert!(finished);
    report
}

/// Time goes on with each question whether to, of which every run asks at least one: by 3,000 of 10,000 there are no more than
/// 3,000 runs with few deviations, where a batch would be 256 more, and by 4,500 others were drawn.
#[test]
fn each_part_of_an_automatic_search_has_its_part_of_the_time() {
    let (make, properties, asked) = (|| plan(RAPID), [property()], AtomicU64::new(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let spent = || asked.load(Ordering::Relaxed) as f64 / 10_000.0;
    let auto = wanted(&make, &properties, Strategy::Auto, 64, u64::MAX);
    let search = Explore { spent: &spent, beside: BATCH as u64, ..auto };
    let goes_on = |_: u64| asked.fetch_add(1, Ordering::Relaxed) < 10_000;
    let report = explore(&search, &pool, &goes_on).0;
    assert!((2..=3_000).contains(&report.runs), "{}", report.runs);
    assert!(report.beside.is_some_and(|beside| beside.runs > 0));
    assert!(report.untried.is_empty() && !report.exhausted, "{:?}", report.untried);
    // The first run takes half of the time, which the parts of those that are drawn are within.
    let ran = AtomicU64::new(0);
    let spent = || if ran.load(Ordering::Relaxed) > 0 { 0.5 } else { 0.0 };
    let goes_on = |runs: u64| ran.fetch_max(runs, Ordering::Relaxed) < u64::MAX;
    let report = explore(&Explore { spent: &spent, ..search }, &pool, &goes_on).0;
    assert_eq!((report.runs, report.beside), (1, None));
    assert_eq!(report.untried, ["random", "pct"]);
}

fn same(a: &Trace, b: &Trace) -> bool {
    a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x == y)
}

/// A run that was drawn as upstream comes to it has steps that the usual order has not. A tape that is cut
/// from it says so, and is replayed to the same records and the same choices.
#[test]
fn a_tape_of_a_drawn_run_is_replayed_to_the_same_run() {
    let plan = plan(RAPID);
    for seed in 1..=8 {
        let drawn = sim::search(&plan, Choices::natural(seed));
        let deviating = drawn.choices.iter().filter(|d| d.deviates());
        let tape: Vec<Deviation> = deviating.map(|d| (*d).into()).collect();
        assert!(tape.iter().any(|d| d.point == "turns-drawn"));
        let again = sim::search(&plan, Choices::tape(tape, Choices::default_order()));
        let values = |run: &sim::Searched| -> Vec<(&str, u64, u32, u64)> {
            run.choices.iter().map(|d| (d.point, d.object, d.ordinal, d.value)).collect()
        };
        assert_eq!(values(&again), values(&drawn), "seed {seed}");
        assert!(again.trace.iter().eq(drawn.trace.iter()), "seed {seed}");
    }
}

#[test]
fn a_search_without_deviations_runs_as_run_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("scenarios").flatten().map(|e| e.path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "ron"));
    files.sort();
    for file in files {
        let loaded = scenario::load(&file).expect("the scenario is right");
        let mut plan =
            scenario::build(&loaded, &Overrides::default()).expect("the scenario is right");
        if plan.nodes.len() > 30 {
            continue;
        }
        // Trouble that is left to the choices does nothing by itself.
        plan.perturb =
            Perturb { stale: Whom::ALL, crash: Whom::ALL, coalesce: Whom::ALL, request: Whom::ALL };
        let expected = sim::run(&plan, Choices::default_order());
        let searched = sim::search(&plan, Choices::default_order());
        assert!(same(&expected, &searched.trace), "{}", file.display());
        // Nor do watches of each process's own.
        for kind in ["stale of kube-controller-manager", "request of node-lifecycle"] {
            plan.perturb = Perturb::default();
            let clients = plan.clients();
            scenario::switch_on(&mut plan.perturb, kind, &clients).expect("trouble");
            let searched = sim::search(&plan, Choices::default_order());
            assert!(same(&expected, &searched.trace), "{kind}: {}", file.display());
        }
        plan.perturb = Perturb::default();
        let expected = sim::run(&plan, Choices::seeded(3));
        let searched = sim::search(&plan, Choices::seeded(3));
        assert!(same(&expected, &searched.trace), "{}", file.display());
    }
}

#[test]
fn the_same_search_gives_the_same_report_on_any_number_of_threads() {
    let (make, properties) = (|| plan(RAPID), [property()]);
    for (strategy, runs) in
        [(Strategy::Exhaustive, 700), (Strategy::Random, 300), (Strategy::Pct, 300)]
    {
        let search = wanted(&make, &properties, strategy, 2, runs);
        let one = on(&search, 1);
        assert_eq!(one, on(&search, 1), "{strategy:?}");
        assert_eq!(one, on(&search, 2), "{strategy:?}");
        assert_eq!(one.runs, runs, "{strategy:?}");
    }
}

/// The scenario under 1.34, which forgets an entry when its work is done, but for this one switch:
/// the bug is back.
fn seeded_bug() -> Plan {
    let mut plan = plan(&RAPID.replace("1.32", "1.34"));
    plan.profile.taint_eviction.finished_entry = FinishedEntry::Nil;
    plan
}

#[test]
fn each_strategy_finds_a_seeded_bug() {
    let properties = [property()];
    for (strategy, depth, runs) in
        [(Strategy::Exhaustive, 1, 1_000), (Strategy::Pct, 2, 1_000), (Strategy::Random, 1, 1_000)]
    {
        let sound = || plan(&RAPID.replace("1.32", "1.34"));
        let report = on(&wanted(&sound, &properties, strategy, depth, 300), 2);
        assert_eq!(report.violations, [], "{strategy:?}: 1.34 forgets finished entries");
        let search = Explore {
            until_found: true,
            ..wanted(&seeded_bug, &properties, strategy, depth, runs)
        };
        let report = on(&search, 2);
        let found = report.violations.first().unwrap_or_else(|| panic!("{strategy:?} finds it"));
        // In the default order the untaint comes first, so that something has to be otherwise; and
        // one thing is enough, or two that are of no use alone.
        let most = if strategy == Strategy::Exhaustive { 1 } else { 2 };
        assert!((1..=most).contains(&found.tape.len()), "{strategy:?}: {:?}", found.tape);
        let run =
            sim::search(&seeded_bug(), Choices::tape(found.tape.clone(), Choices::default_order()));
        let deleted = run
            .trace
            .iter()
            .filter(|r| r.actor == Actor::TaintEviction && r.what == What::PodGone)
            .count();
        assert_eq!(deleted, 1, "the first pod is deleted, its successor never");
    }
}

#[test]
fn what_was_found_is_made_small_as_far_as_there_is_time() {
    let (make, properties) = (seeded_bug, [property()]);
    let search = Explore {
        until_found: true,
        batch: 64,
        ..wanted(&make, &properties, Strategy::Random, 1, 1_000)
    };
    let pool = rayon::ThreadPoolBuilder::new().build().expect("threads");
    // Time is over as soon as something was found, and later.
    let found_after = explore(&search, &pool, &|_| true).0.runs;
    let (cut, _) = explore(&search, &pool, &|runs| runs < found_after);
    let all = on(&search, 2);
    assert_eq!((cut.runs, all.runs), (found_after, found_after));
    let (cut, all) = (&cut.violations[0], &all.violations[0]);
    assert_eq!((cut.is_small, all.is_small), (false, true));
    assert!(cut.tape.len() > all.tape.len(), "{}", cut.tape.len());
    // Where time is short no more is drawn once something was found.
    let late = Explore { until_found: false, spent: &|| 1.0, ..search };
    let (report, finished) = explore(&late, &pool, &|_| true);
    assert_eq!((report.runs, finished), (found_after, false));
    assert!(report.violations.iter().all(|v| v.is_small));
}

#[test]
fn a_batch_ends_when_time_is_over() {
    let make = || plan(RAPID);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("threads");
    for strategy in [Strategy::Exhaustive, Strategy::Random] {
        let asked = AtomicU64::new(0);
        let search = wanted(&make, &[], strategy, 2, 1_000);
        let (report, finished) =
            explore(&search, &pool, &|_| asked.fetch_add(1, Ordering::Relaxed) < 20);
        assert!(!finished && report.runs <= 20, "{}", report.runs);
    }
}

/// Two nodes and one pod that is deleted as its node is: what is common takes several deviations
/// from the default order.
const COMMON: &str = r#"(version: 1, kubernetes: "1.34", horizon: "60s",
    timing: Custom(request: "2ms", response: "2ms", watch: "2ms", user: Raw),
    nodes: [(name: "a"), (name: "b", unschedulable: true)],
    workloads: [ReplicaSet(name: "r", replicas: 1, placement: Node("b"))],
    timeline: [
        (at: "10s", do: DeletePod(pods: All, gracePeriodSeconds: 0)),
        (at: "10.004s", do: DeleteNode(nodes: Node("a"))),
        (at: "10.004s", do: Uncordon(node: "b")),
    ])"#;

#[test]
fn drawn_runs_show_what_few_deviations_do_not_reach() {
    let make = || plan(COMMON);
    let search = Explore { beside: 256, ..wanted(&make, &[], Strategy::Exhaustive, 1, 10_000) };
    let report = on(&search, 2);
    let beside = report.beside.expect("there are runs with two deviations");
    assert!(report.exhausted && !report.complete);
    assert_eq!(beside.runs, 256);
    assert!(!beside.outcomes.is_empty());
    let known: BTreeSet<&String> = report.outcomes.iter().map(|o| &o.text).collect();
    assert!(beside.outcomes.iter().all(|o| !known.contains(&o.text)));
}

/// What happens to one pod of a node happens to others: no violation has more deviations than another one in whose run
/// it is, too.
#[test]
fn no_violation_is_told_with_more_than_another_that_shows_it() {
    let three = RAPID
        .replace(r#"name: "db", "#, r#"name: "db", replicas: 3, podManagementPolicy: Parallel, "#);
    let make = || plan(&three);
    let properties = [property()];
    let report = on(&wanted(&make, &properties, Strategy::Random, 2, 256), 2);
    assert!(report.violations.len() > 1);
    for small in &report.violations {
        let choices = Choices::tape(small.tape.clone(), Choices::default_order());
        let (plan, run) = (make(), sim::search(&make(), choices));
        let shown = check(&properties[0], &Analysis::new(&plan, &run.trace));
        for v in report.violations.iter().filter(|v| v.tape.len() > small.tape.len()) {
            let pod = v.text.split(' ').next().expect("whose it is");
            assert!(shown.iter().all(|s| !s.text.starts_with(&format!("{pod} "))), "{}", v.text);
        }
    }
}

/// One deviation is enough for it, which a run that draws every choice has among many.
#[test]
fn what_an_automatic_search_draws_is_made_small() {
    let make = || plan(RAPID);
    let again = |_: &[Change]| Some(make());
    let entries = vec![Change { of: Of::Entry(0), at: Dur::from_secs(10) }];
    let (slack, faults) = (Dur::from_millis(1), Faults::default());
    let changing = Some(Changing { plan: &again, entries, slack, faults });
    let stuck = [Property::parse("pod-stuck").expect("a property")];
    let search = wanted(&make, &stuck, Strategy::Auto, 0, 4_000);
    let report = on(&Explore { beside: 256, changing, ..search }, 2);
    let [found] = &report.violations[..] else { panic!("{:?}", report.violations) };
    assert!(report.changed > 0 && found.is_small && found.tape.len() == 1, "{found:?}");
}

#[test]
fn a_delivery_is_held_back_once() {
    let mut plan = plan(RAPID);
    plan.perturb.stale = Whom::ALL;
    let mut held = 0;
    for seed in 0..64 {
        let times = sim::search(&plan, Choices::free(seed)).trace.held_up;
        held += times.len();
        // One that is held again is so in the instant in which it was free to go.
        let ends: BTreeSet<_> = times.iter().map(|(at, lasts)| *at + *lasts).collect();
        assert!(times.iter().all(|(at, _)| !ends.contains(at)), "{times:?}");
    }
    assert!(held > 64, "{held}");
}

/// What a search came to: outcomes, and the properties that are violated.
fn found(report: &Report) -> (BTreeSet<String>, BTreeSet<Property>) {
    (
        report.outcomes.iter().map(|o| o.text.clone()).collect(),
        report.violations.iter().map(|v| v.property).collect(),
    )
}

/// All properties but that a run is the same twice, which no search needs.
fn all_properties() -> Vec<Property> {
    let all = Property::NAMES.iter().filter_map(|name| Property::parse(name).ok());
    all.filter(|p| ![Property::Deterministic, Property::Expect].contains(p)).collect()
}

fn race(file: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/races").join(file);
    let loaded = scenario::load(&path).expect("the scenario is right");
    scenario::build(&loaded, &Overrides::default()).expect("the scenario is right")
}

/// Every run with one deviation is made, and then only those that pruning leaves.
fn pruning_loses_nothing(name: &str, plan: &(dyn Fn() -> Plan + Sync)) -> [u64; 2] {
    let properties = all_properties();
    let all = on(
        &Explore { prune: false, ..wanted(plan, &properties, Strategy::Exhaustive, 1, u64::MAX) },
        2,
    );
    let pruned = on(&wanted(plan, &properties, Strategy::Exhaustive, 1, u64::MAX), 2);
    assert!(all.exhausted && pruned.exhausted, "{name}");
    assert_eq!(found(&all), found(&pruned), "{name}");
    [all.runs, pruned.runs]
}

#[test]
fn pruning_loses_no_outcome_and_no_violation() {
    let [all, pruned] = pruning_loses_nothing("rapid", &|| plan(RAPID));
    assert!(pruned * 2 < all, "{pruned} of {all}");
    // 65 of 763; each deviation that is left nearly doubles the number of all runs.
    let [all, pruned] = pruning_loses_nothing("common", &|| plan(COMMON));
    assert!(pruned * 11 < all, "{pruned} of {all}");
    // Those of the catalogue that have less than a thousand runs with one deviation.
    for file in [
        "longer-toleration-ignored.ron",
        "successor-elsewhere-seen-as-one.ron",
        "end-and-successor-seen-as-one.ron",
        "standing-taint.ron",
        "restart-resets-countdown.ron",
        "pods-stay-ready.ron",
        "evicted-by-stale-node.ron",
        "noexecute-one-period-late.ron",
        "foreign-taint-lost.ron",
        "stale-leases.ron",
        "five-refusals.ron",
        "finite-taint-removed.ron",
        "relisted.ron",
        "replacement-lost.ron",
        "restart-before-timer.ron",
        "successor-elsewhere.ron",
        "successor-killed.ron",
    ] {
        pruning_loses_nothing(file, &|| race(file));
    }
}

#[test]
fn pruning_loses_nothing_where_there_is_trouble() {
    let none = Perturb::default();
    for (file, perturb) in [
        ("longer-toleration-ignored.ron", Perturb { stale: Whom::ALL, ..none }),
        ("evicted-by-stale-node.ron", Perturb { coalesce: Whom::ALL, ..none }),
        ("finite-taint-removed.ron", Perturb { crash: Whom::ALL, ..none }),
        (
            "five-refusals.ron",
            Perturb { stale: Whom::ALL, crash: Whom::ALL, coalesce: Whom::ALL, request: Whom::ALL },
        ),
        ("finite-taint-removed.ron", Perturb { request: Whom::ALL, ..none }),
    ] {
        pruning_loses_nothing(&format!("{file} {perturb:?}"), &|| Plan { perturb, ..race(file) });
    }
}

/// Drawn by the numbers of splitmix64, so that a failure comes again.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) % n as u64) as usize
    }
}

/// One choice behind a place taken otherwise, any of them with the same chance for any of its
/// values that the search would try.
fn deviated(run: &sim::Searched, from: usize, draw: &mut Draw) -> Option<(usize, Deviation)> {
    let mut all = Vec::new();
    for (i, d) in run.choices.iter().enumerate().skip(from) {
        let values = match d.span {
            Span::Turn(n)
            | Span::TurnOf(n, _)
            | Span::Alternatives(n)
            | Span::Slot(n)
            | Span::Trouble(n) => (0..u64::from(n)).collect(),
            Span::Range(_, max) => vec![max],
            Span::Yield(_) | Span::Chance(_) => vec![1],
            Span::Rank | Span::Place => vec![0],
            Span::Bits => Vec::new(),
        };
        all.extend(
            values
                .into_iter()
                .filter(|v| *v != d.value)
                .map(|value| (i, Deviation { value, ..(*d).into() })),
        );
    }
    (!all.is_empty()).then(|| all.swap_remove(draw.below(all.len())))
}

#[test]
fn what_two_deviations_lead_to_is_found_with_pruning() {
    let properties = all_properties();
    let plans: [(&str, &(dyn Fn() -> Plan + Sync)); 7] = [
        ("rapid", &|| plan(RAPID)),
        ("common", &|| plan(COMMON)),
        ("longer toleration", &|| race("longer-toleration-ignored.ron")),
        ("stale node", &|| race("evicted-by-stale-node.ron")),
        ("foreign taint", &|| race("foreign-taint-lost.ron")),
        ("five refusals", &|| race("five-refusals.ron")),
        ("finite taint, stale", &|| Plan {
            perturb: Perturb { stale: Whom::ALL, ..Perturb::default() },
            ..race("finite-taint-removed.ron")
        }),
    ];
    for (name, make) in plans {
        let (outcomes, violated) =
            found(&on(&wanted(make, &properties, Strategy::Exhaustive, 2, u64::MAX), 2));
        let (plan, mut draw) = (make(), Draw(1));
        let run = |tape: &[Deviation]| {
            sim::search(&plan, Choices::tape(tape.to_vec(), Choices::default_order()))
        };
        let plain = run(&[]);
        for _ in 0..150 {
            let Some((place, first)) = deviated(&plain, 0, &mut draw) else {
                break;
            };
            let Some((_, second)) =
                deviated(&run(std::slice::from_ref(&first)), place + 1, &mut draw)
            else {
                continue;
            };
            let tape = [first, second];
            let trace = run(&tape).trace;
            let outcome = Outcome::of(&trace).text;
            assert!(outcomes.contains(&outcome), "{name}: {tape:?} leads to {outcome}");
            for property in
                properties.iter().filter(|p| !check(p, &Analysis::new(&plan, &trace)).is_empty())
            {
                assert!(violated.contains(property), "{name}: {tape:?} violates {property}");
            }
        }
    }
}

/// The shortest tape of the bug, as a file.
fn a_tape() -> (Tape, Trace) {
    let (make, properties) = (|| plan(RAPID), [property()]);
    let search =
        Explore { until_found: true, ..wanted(&make, &properties, Strategy::Exhaustive, 1, 1_000) };
    let found = on(&search, 2).violations.remove(0);
    let run = sim::search(&make(), Choices::tape(found.tape.clone(), Choices::default_order()));
    let tape = Tape {
        version: tape::VERSION,
        doc: found.text,
        file: "s.ron".to_owned(),
        kubernetes: None,
        timing: None,
        set: Vec::new(),
        tape: tape::spec_of(
            &make(),
            &tape::Texts::of(&run),
            Some(property().to_string()),
            &found.tape,
        ),
        scenario: RAPID.to_owned(),
    };
    (tape, run.trace)
}

fn replayed(tape: &Tape) -> (Plan, sim::Searched) {
    let loaded = tape.loaded(Path::new("")).expect("its scenario is right");
    let plan = scenario::build(&loaded, &tape.overrides()).expect("its scenario is right");
    let run = sim::replay(&plan);
    (plan, run)
}

#[test]
fn a_tape_replays_record_for_record() {
    let (tape, expected) = a_tape();
    let again = Tape::read("t.ron", &tape.write()).expect("it can be read");
    assert_eq!(again, tape);
    let (plan, run) = replayed(&again);
    assert!(same(&expected, &run.trace));
    assert_eq!(digest(&expected), digest(&run.trace));
    assert_eq!(departure(&run, plan.tape.as_deref().unwrap_or_default(), &Texts::of(&run)), None);
    // Where nobody asks for its choices, none are kept, and the run is the same.
    let played = sim::play(&plan, &|| true).expect("it goes on");
    assert!(same(&expected, &played));
}

#[test]
fn a_tape_that_does_not_fit_says_where() {
    let (mut tape, _) = a_tape();
    tape.tape.deviations[0].3 = 99;
    let (plan, run) = replayed(&tape);
    let parts = departure(&run, plan.tape.as_deref().unwrap_or_default(), &Texts::of(&run))
        .expect("there are not so many");
    assert!(parts.text.starts_with("the tape says "), "{}", parts.text);
    assert!(run.notes.steps[parts.step].at.as_secs() == 40, "where the choice is");
    tape.tape.deviations[0].1 = "nobody".to_owned();
    let (plan, run) = replayed(&tape);
    let parts = departure(&run, plan.tape.as_deref().unwrap_or_default(), &Texts::of(&run))
        .expect("nobody is not there");
    assert!(parts.text.starts_with("a choice of the tape did not come up"), "{}", parts.text);
    let other = tape.write().replace("choices: 1", "choices: 0");
    assert!(Tape::read("t.ron", &other).is_err_and(|e| e.to_string().contains("choice format 0")));
}

#[test]
fn what_a_violation_does_not_need_is_left_out() {
    let (make, properties) = (|| plan(RAPID), [property()]);
    let search = wanted(&make, &properties, Strategy::Exhaustive, 1, 1_000);
    let (tape, _) = a_tape();
    let (plan, _) = replayed(&tape);
    let needed = plan.tape.clone().unwrap_or_default();
    // Others that change nothing that matters: a late heartbeat, the order of two workers that have
    // nothing to do.
    let run = sim::search(&plan, Choices::default_order());
    let mut long = needed.clone();
    let others = run.choices.iter().filter(|d| d.point != "next" && !d.deviates()).take(3);
    long.extend(others.map(|d| Deviation { value: u64::MAX, ..(*d).into() }));
    let (tape, is_small, text) =
        shorter(&search, (property(), "default/db-0 node-1"), long.clone(), &|| true);
    assert_eq!((tape, is_small), (needed, true));
    assert!(text.is_some_and(|text| text.starts_with("default/db-0 is still on node-1 ")));
    // A violation of other objects needs all of its tape, as no run has it.
    let other = shorter(&search, (property(), "default/db-1 node-1"), long.clone(), &|| true);
    assert_eq!(other, (long, true, None));
}

/// How a trouble shows in a run that has it.
fn troubled(perturb: Perturb, point: &str, object: Option<&str>, value: u64) -> (Trace, Trace) {
    let mut plan = plan(RAPID);
    plan.perturb = perturb;
    let plain = sim::search(&plan, Choices::default_order());
    let at = |d: &&taintsim::kernel::choice::Drawn| {
        d.point == point && object.is_none_or(|o| d.object == stable_hash(o))
    };
    let choice = plain.choices.iter().find(at).unwrap_or_else(|| panic!("{point} is asked for"));
    let tape = vec![Deviation { value, ..(*choice).into() }];
    let run = sim::search(&plan, Choices::tape(tape, Choices::default_order()));
    assert_eq!(run.unmet, []);
    (plain.trace, run.trace)
}

fn first(trace: &Trace, is: impl Fn(&What) -> bool) -> Option<u64> {
    trace.iter().find(|r| is(&r.what)).map(|r| r.at.as_nanos() / 1_000_000)
}

#[test]
fn a_watch_held_back_shows_later_what_it_shows() {
    let (plain, held) = troubled(
        Perturb { stale: Whom::ALL, ..Perturb::default() },
        "watch-held",
        Some("nodes"),
        3,
    );
    let timer = |t: &Trace| first(t, |w| matches!(w, What::TimerSet(_)));
    // The taint of 10 s comes 1 ms later, and held back for 10 s after that.
    assert_eq!((timer(&plain), timer(&held)), (Some(10_001), Some(20_001)));
}

#[test]
fn a_process_that_crashed_comes_back() {
    let (plain, crashed) =
        troubled(Perturb { crash: Whom::ALL, ..Perturb::default() }, "crash", None, 1);
    let stops = |t: &Trace| t.iter().filter(|r| r.what == What::ControllersStopped).count();
    let starts = |t: &Trace| t.iter().filter(|r| r.what == What::ControllersStarted).count();
    assert_eq!((stops(&plain), starts(&plain)), (0, 1));
    assert_eq!((stops(&crashed), starts(&crashed)), (1, 2));
}

/// The eviction's first request, which reads the pod, arrives 5 ms after its countdown, and two more follow each 10 ms
/// after the other. Where its connection breaks or it is rejected, client-go sends it again a second after that is known, 5 ms
/// later; where the API server fails, or has not answered in 60 s, the controller tries again 10 ms after that is known. A
/// deletion that fails is not sent again by client-go, and of the five tries, each of which reads the pod and deletes
/// it, each comes 30 ms after the one before; one that the API server has not done in 34 s comes 34 s later. Where
/// the deletion is applied and its reply lost or too late, it is tried again, too, and meets the successor. A request that waits
/// for 1 s or 10 s makes all after it as much later.
#[test]
fn a_request_fails_and_is_tried_again() {
    let mut plan = plan(RAPID);
    plan.perturb.request = Whom::ALL;
    // Of the pod's requests these are the eviction's; an event of 40 s and one of 90 s come before and between.
    let failing = |point: &str, ordinals: &[u32], value: u64| {
        let failing = |ordinal: &u32| Deviation {
            point: point.to_owned().into(),
            object: stable_hash("default/db-0"),
            ordinal: *ordinal,
            value,
        };
        let tape = ordinals.iter().map(failing).collect();
        let run = sim::search(&plan, Choices::tape(tape, Choices::default_order()));
        assert_eq!(run.unmet, []);
        let gone = run.trace.iter().filter(|r| r.what == What::PodGone);
        gone.map(|r| r.at.as_nanos() / 1_000_000).collect::<Vec<_>>()
    };
    let (get, delete) = (2, 5);
    for (fate, later) in
        [(0, 0), (1, 1_010), (2, 1_010), (3, 1_010), (4, 20), (5, 60_020), (6, 60_020)]
    {
        assert_eq!(failing("request-fails", &[get], fate), [90_026 + later], "{fate}");
    }
    for (deletes, fate, later) in [(1, 4, 30), (2, 4, 60), (3, 4, 90), (1, 5, 34_030)] {
        let ordinals: Vec<u32> = (0..deletes).map(|i| delete + 2 * i).collect();
        assert_eq!(failing("request-fails", &ordinals, fate), [90_026 + later], "{fate}");
    }
    // The pod that is read next is the successor, and after 34 s the successor's, which its own countdown of 30 s ended.
    for (fate, all, last) in [(2, 2, 90_066), (6, 3, 124_066)] {
        let gone = failing("request-fails", &[delete], fate);
        assert_eq!((gone[0], gone.len(), gone.last()), (90_026, all, Some(&last)), "{fate}");
    }
    for (request, value, later) in [(get, 1, 1_000), (get, 2, 10_000), (delete, 2, 10_000)] {
        assert_eq!(failing("request-late", &[request], value), [90_026 + later], "{request}");
    }
}

fn troubled_by(text: &str, trouble: &str) -> Plan {
    let mut plan = plan(text);
    let clients = plan.clients();
    scenario::switch_on(&mut plan.perturb, trouble, &clients).expect("trouble");
    plan
}

/// A run of a plan that leaves this trouble to the choices, with these deviations.
fn with_trouble(text: &str, trouble: &str, tape: Vec<Deviation>) -> sim::Searched {
    sim::search(&troubled_by(text, trouble), Choices::tape(tape, Choices::default_order()))
}

/// A silent node's status is written with the version that was read. Where somebody else writes the node just before, the
/// conflict is known 5 ms later, and 20 ms after that (`retrySleepTime`) the node is read again, which takes 10 ms; the next
/// write arrives 5 ms later. So it is with its taint NoSchedule (`PatchNodeTaints`) after 100 ms (`UpdateTaintBackoff`), while
/// the taint NoExecute comes when it did.
#[test]
fn a_write_of_an_old_version_conflicts_and_is_tried_again() {
    let text = r#"(
        version: 1,
        kubernetes: "1.34",
        horizon: "90s",
        timing: Custom(request: "5ms", response: "5ms", watch: "1ms", user: Raw),
        nodes: [(names: "node-{1..3}")],
        timeline: [(at: "10s", do: Crash(node: "node-1"))],
    )"#;
    let tainted = |conflicts: std::ops::Range<u32>| {
        let conflict = |ordinal| Deviation {
            point: "request-conflicts".into(),
            object: stable_hash("node-1"),
            ordinal,
            value: 1,
        };
        let run =
            with_trouble(text, "request of node-lifecycle", conflicts.map(conflict).collect());
        assert_eq!(run.unmet, []);
        let taints = run.trace.iter().filter(|r| matches!(r.what, What::NodeTaints(_)));
        taints.map(|r| r.at.as_nanos() / 1_000_000).collect::<Vec<_>>()
    };
    let plain = tainted(0..0);
    assert_eq!(plain.len(), 2);
    for tries in 1..=3 {
        assert_eq!(tainted(0..tries)[0], plain[0] + 40 * u64::from(tries));
    }
    assert_eq!(tainted(1..2), [plain[1], plain[0] + 120]);
}

/// A binding that the API server could not do is written again from 1.37 on (`BindPod`): 10 ms after that is known,
/// 5 ms later, and so 20 ms after the first. Before, the pod waits for its back-off of a second.
#[test]
fn a_binding_that_fails_is_written_again_by_the_newest_scheduler() {
    let bound = |release: &str, fate: u64| {
        let text = format!(
            r#"(
                version: 1,
                kubernetes: "{release}",
                horizon: "30s",
                timing: Custom(request: "5ms", response: "5ms", watch: "1ms", user: Raw),
                nodes: [(name: "node-1")],
                timeline: [(at: "10s", do: CreatePod(pod: (name: "web", on: Unbound)))],
            )"#
        );
        let fails = Deviation {
            point: "request-fails".into(),
            object: stable_hash("default/web"),
            ordinal: 0,
            value: fate,
        };
        let run = with_trouble(&text, "request of kube-scheduler", vec![fails]);
        assert_eq!(run.unmet, []);
        first(&run.trace, |w| matches!(w, What::PodBound(_))).expect("it is bound")
    };
    assert_eq!(bound("1.37", 4), bound("1.37", 0) + 20);
    assert!(bound("1.36", 4) >= bound("1.36", 0) + 1_000);
}

/// Only requests of the one who is named fail: of the taint eviction controller those are about pods.
#[test]
fn trouble_of_one_client_leaves_the_others_alone() {
    let asked = |trouble: &str| -> BTreeSet<u64> {
        let run = with_trouble(RAPID, trouble, Vec::new());
        run.choices.iter().filter(|d| d.point == "request-fails").map(|d| d.object).collect()
    };
    let pod = BTreeSet::from([stable_hash("default/db-0")]);
    assert_eq!(asked("request of taint-eviction"), pod);
    assert!(asked("request").is_superset(&asked("request of kube-controller-manager")));
    assert!(asked("request").len() > 1);
}

/// #119862: the scheduler has heard that the taint is gone, kube-controller-manager has not.
#[test]
fn a_watch_of_one_process_is_late() {
    let text = r#"(
        version: 1,
        kubernetes: "1.34",
        horizon: "60s",
        timing: Custom(request: "5ms", response: "5ms", watch: "1ms", user: Raw),
        nodes: [(name: "node-1", taints: ["agent-not-ready:NoExecute"])],
        pods: [(name: "web", on: Unbound)],
        timeline: [(at: "10s", do: Untaint(node: "node-1", taint: "agent-not-ready"))],
    )"#;
    let properties = [Property::parse("needless-eviction").expect("a property")];
    let found = |trouble: &str| {
        let make = || troubled_by(text, trouble);
        let report = on(&wanted(&make, &properties, Strategy::Exhaustive, 1, u64::MAX), 2);
        assert!(report.exhausted);
        report.violations.len()
    };
    assert_eq!(found("stale"), 0);
    assert_eq!(found("stale of kube-scheduler"), 0);
    assert_eq!(found("stale of kube-controller-manager"), 1);
}

/// The taint goes at 10 s and a pod comes. The controllers are back at 11.5 s, and a list of nodes that is 10 s old still
/// has the taint: where kube-controller-manager's first list may be old, the pod is evicted.
#[test]
fn the_first_list_of_a_process_may_be_old() {
    let found = |release: &str, trouble: &str| {
        let text = format!(
            r#"(
                version: 1,
                kubernetes: "{release}",
                horizon: "20s",
                timing: Custom(request: "5ms", response: "5ms", watch: "1ms", user: Raw),
                nodes: [(name: "node-1", taints: ["agent-not-ready:NoExecute"])],
                pods: [(name: "web", on: Unbound)],
                timeline: [
                    (at: "10s", do: Untaint(node: "node-1", taint: "agent-not-ready")),
                    (at: "10.5s", do: ControllerRestart(downtime: "1s")),
                ],
            )"#
        );
        let properties = [Property::parse("needless-eviction").expect("a property")];
        let make = || troubled_by(&text, trouble);
        let report = on(&wanted(&make, &properties, Strategy::Exhaustive, 1, u64::MAX), 2);
        assert!(report.exhausted);
        report.violations.iter().map(|v| v.tape[0].point.clone()).collect::<Vec<_>>()
    };
    for release in ["1.31", "1.33"] {
        assert_eq!(found(release, "stale"), ["list-old"], "{release}");
    }
    for release in ["1.32", "1.34"] {
        assert_eq!(found(release, "stale"), [""; 0], "{release}");
    }
    assert_eq!(found("1.31", "stale of kube-scheduler"), [""; 0]);
}

#[test]
fn a_watch_that_broke_misses_a_state() {
    let (plain, broken) = troubled(
        Perturb { coalesce: Whom::ALL, ..Perturb::default() },
        "watch-broken",
        Some("nodes"),
        1,
    );
    let timer = |t: &Trace| first(t, |w| matches!(w, What::TimerSet(_)));
    // The watch of nodes breaks when it is to deliver the taint of 10 s; the list a second later
    // shows it.
    assert_eq!((timer(&plain), timer(&broken)), (Some(10_001), Some(11_001)));
}

/// One searcher makes all its runs in the same tables, and notes of each what is wanted: neither
/// shows in the run or in the rest.
#[test]
fn runs_in_old_tables_are_those_in_new_ones() {
    let plan = plan(RAPID);
    let plain = sim::search(&plan, Choices::default_order());
    let mut searcher = sim::Searcher::new(self::plan(RAPID));
    for (i, drawn) in plain.choices.iter().enumerate().step_by(7) {
        let value = if matches!(drawn.span, Span::Range(..)) { u64::MAX } else { 1 };
        let tape = vec![Deviation { value, ..(*drawn).into() }];
        let new = sim::search(&plan, Choices::tape(tape.clone(), Choices::default_order()));
        for (from, only_states) in [(0, false), (i + 1, false), (i + 1, true)] {
            let old = searcher.search(
                tape.clone(),
                Wanted { from, only_states, ..Wanted::default() },
                &mut |_| false,
                &|| true,
            );
            assert!(same(&old.trace, &new.trace), "{drawn:?}");
            let key = |d: &taintsim::kernel::choice::Drawn| (d.point, d.object, d.ordinal, d.value);
            assert!(old.choices.iter().map(key).eq(new.choices.iter().map(key)), "{drawn:?}");
            assert_eq!((old.notes.fingerprint, &old.unmet), (new.notes.fingerprint, &new.unmet));
            let before = new.notes.asked.partition_point(|a| (a.choice as usize) < from);
            assert_eq!(old.notes.states, new.notes.states[before..]);
            if only_states {
                assert_eq!(
                    (old.notes.steps.len(), old.notes.touches.len(), old.notes.candidates.len()),
                    (0, 0, 0)
                );
            } else {
                assert_eq!((&old.notes.touches, &old.records), (&new.notes.touches, &new.records));
            }
            searcher.take_back(old);
        }
    }
}

/// A race of the catalogue whose default order is not what upstream mostly did: whether anybody
/// looks between two changes of one instant.
#[test]
fn who_looks_between_two_changes_sees_both() {
    for (file, property) in [
        ("end-and-successor-seen-as-one.ron", "pod-stuck"),
        ("successor-elsewhere-seen-as-one.ron", "pod-stuck"),
        ("successor-elsewhere.ron", "wrong-pod"),
    ] {
        let (plan, property) = (race(file), Property::parse(property).expect("a property"));
        let violates =
            |run: &sim::Searched| !check(&property, &Analysis::new(&plan, &run.trace)).is_empty();
        let plain = sim::search(&plan, Choices::default_order());
        assert!(violates(&plain), "{file}");
        let gaps = plain.choices.iter().filter(|d| d.point == "watch-gap");
        let between = |gap: &taintsim::kernel::choice::Drawn| {
            let tape = vec![Deviation { value: 1, ..(*gap).into() }];
            sim::search(&plan, Choices::tape(tape, Choices::default_order()))
        };
        assert!(gaps.map(between).any(|run| !violates(&run)), "{file}: one deviation is enough");
    }
}
