//! Drawn faults: what they depend on, how often they come, and that what is written of them is what
//! is run.

use super::{Away, Drawn, Outage, Overrides, build, changed, drawn, instead, parse};
use crate::kernel::{Dur, Time};
use crate::language::Tree;
use std::path::Path;

const YEAR: Dur = Dur::from_secs(365 * 86_400);

fn scenario(faults: &str) -> String {
    format!(
        r#"Scenario(version: 1, doc: "What fails.", horizon: "8760h",
        nodes: [(names: "{{a,b}}-{{0..9}}", zone: "a"), (names: "c-{{0..9}}", zone: "c", labels: {{"rack": "7"}})],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))],
        faults: ({faults}))"#
    )
}

fn of(faults: &str) -> Drawn {
    of_sets(faults, &[])
}

fn of_sets(faults: &str, sets: &[&str]) -> Drawn {
    let text = scenario(faults);
    let loaded = parse("f.ron", text.clone().into_bytes(), Path::new(""))
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let overrides =
        Overrides { sets: sets.iter().map(|s| (*s).to_owned()).collect(), ..Overrides::default() };
    drawn(&loaded, &overrides).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const REBOOTS: &str = r#"models: [(name: "reboot", nodes: All, do: Crash, rate: PerNodeYear(10), lasts: Exponential(mean: "10m"))]"#;

const EVERYTHING: &str = r#"models: [
    (name: "reboot", nodes: Zone("a"), do: Crash, rate: PerNodeYear(10), lasts: LogNormal(median: "4m", sigma: 1.2)),
    (name: "machine", nodes: All, do: Crash, up: Weibull(shape: 0.48, scale: "816.6h"), lasts: Weibull(shape: 0.58, scale: "2.18h")),
    (name: "rack", groups: ByLabel("rack"), do: Crash, rate: PerGroupYear(6), within: "10s", lasts: Uniform("1h", "6h")),
    (name: "link", groups: Zones, do: Partition(cut: ApiServer), rate: PerGroupYear(4), hits: 0.3, apart: true, lasts: Values(["1m", "9m"])),
    (name: "roll", nodes: Label("rack=7"), do: Maintain, rate: PerNodeYear(3), lasts: Fixed("10m")),
    (name: "spot", nodes: Node("a-3"), do: Reclaim(notice: "2m", replaced: "3m"), up: Exponential(mean: "480h")),
], repair: (after: "30m", do: Replace, takes: "3m", unless_share: 0.2)"#;

/// Twenty seeds of thirty nodes with ten outages a year are 6,000 of them on average, and four
/// deviations of a Poisson number are 310; half of them last longer than 10 ln 2 minutes.
#[test]
fn as_many_come_as_the_rate_says() {
    let d = of(REBOOTS);
    let all: Vec<Outage> = (1..=20).flat_map(|seed| d.models.draw(seed, YEAR)).collect();
    assert!((5_690..=6_310).contains(&all.len()), "{}", all.len());
    let median = Dur::from_millis((600_000.0 * std::f64::consts::LN_2) as u64);
    let long = all.iter().filter(|o| o.lasts.is_some_and(|l| l > median)).count();
    // Four deviations of Binomial(6000, 1/2) are 155.
    assert!(long.abs_diff(all.len() / 2) < 155, "{long} of {}", all.len());
}

/// Up for 100 h and down for 25 h on average: of a long time a fifth is spent down, and an outage
/// begins every 125 h: 30 nodes and 8,760 h make 2,102.
#[test]
fn renewals_come_to_their_long_run_share() {
    let d = of(
        r#"models: [(name: "m", nodes: All, do: Crash, up: Weibull(shape: 0.6, scale: "66.4659h"), lasts: Exponential(mean: "25h"))]"#,
    );
    // Γ(1 + 1/0.6) = 1.50458: a mean of 100 h.
    assert!((d.models.list[0].per_year() - 2_102.4).abs() < 1.0, "{}", d.models.list[0].per_year());
    let counts: Vec<f64> = (1..=10).map(|seed| d.models.draw(seed, YEAR).len() as f64).collect();
    let mean = counts.iter().sum::<f64>() / 10.0;
    assert!((mean - 2_102.4).abs() < 80.0, "{mean}");
}

/// Each of thirty nodes has its turn within 30 minutes, and the outage is over after ten: a third of them go down, for
/// (10 - U(0, 10)) minutes; all are back at one time. Of twenty seeds of 52 outages each that are 20 * 52 * 30 / 3 = 10,400; four
/// deviations are 4 * sqrt(1040 * (10 * 10 + 30 * 2 / 9)) = 1,332. Of their mean they are 4 * 173 s / sqrt(10,400) = 7 s.
#[test]
fn nobody_goes_down_when_the_outage_is_over() {
    let d = of(
        r#"models: [(name: "cooling", groups: Cluster, do: Crash, rate: PerGroupYear(52), within: "30m", lasts: Fixed("10m"))]"#,
    );
    let all: Vec<Outage> = (1..=20).flat_map(|seed| d.models.draw(seed, YEAR)).collect();
    assert!(all.len().abs_diff(10_400) < 1_332, "{}", all.len());
    let lasts: Vec<f64> = all.iter().filter_map(|o| o.lasts).map(Dur::as_secs_f64).collect();
    let mean = lasts.iter().sum::<f64>() / all.len() as f64;
    assert!((mean - 300.0).abs() < 7.0 && lasts.iter().all(|l| *l <= 600.0), "{mean}");
}

#[test]
fn no_setting_and_no_end_changes_what_is_drawn() {
    let d = of(EVERYTHING);
    let year = d.models.draw(7, YEAR);
    for sets in [
        &["flags.kube-controller-manager.node-monitor-grace-period=80s"][..],
        &["workloads.web.replicas=9"],
        &["kubernetes=1.29"],
    ] {
        let other = of_sets(EVERYTHING, sets);
        assert_eq!(format!("{year:?}"), format!("{:?}", other.models.draw(7, YEAR)), "{sets:?}");
    }
    // Half of the time has the same outages, up to its end.
    let half = d.models.draw(7, Dur::from_secs(182 * 86_400));
    let end = Time::from_secs(182 * 86_400);
    let begun = |o: &&Outage| o.at < end && !matches!(o.what, Away::Joins | Away::Deleted);
    let names =
        |list: &[Outage]| list.iter().filter(begun).map(|o| o.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&half), names(&year));
    assert_ne!(names(&year), names(&d.models.draw(8, YEAR)));
}

/// One node fewer changes no draw of any other node.
#[test]
fn nodes_do_not_depend_on_each_other() {
    let d = of(REBOOTS);
    let fewer = scenario(REBOOTS).replace(r#""c-{0..9}""#, r#""c-{0..8}""#);
    let loaded = parse("f.ron", fewer.into_bytes(), Path::new("")).unwrap();
    let fewer = drawn(&loaded, &Overrides::default()).unwrap();
    let without = |d: &Drawn| {
        let mut all = d.models.draw(3, YEAR);
        all.retain(|o| !o.name.ends_with("of c-9"));
        all
    };
    assert_eq!(without(&d), without(&fewer));
}

/// What is written as a timeline builds into the very steps that a run of the models has.
#[test]
fn what_is_drawn_can_be_written() {
    let text = scenario(EVERYTHING);
    let loaded = parse("f.ron", text.into_bytes(), Path::new("")).unwrap();
    for seed in 1..4 {
        let overrides = Overrides { seed: Some(seed), ..Overrides::default() };
        let mut d = drawn(&loaded, &overrides).unwrap();
        let outages = d.models.draw(seed, YEAR);
        let kinds = |f: fn(&Away) -> bool| outages.iter().filter(|o| f(&o.what)).count();
        assert!(
            kinds(|w| matches!(w, Away::Deleted)) > 0
                && kinds(|w| matches!(w, Away::Drained(_))) > 0
        );
        let mut spec = changed(&loaded, &overrides).unwrap();
        instead(&mut spec, &d.plan, &outages);
        assert_eq!(spec.doc, "");
        let written = Tree::of(&spec).file();
        let again =
            parse("w.ron", written.clone().into_bytes(), Path::new("")).expect("it is a scenario");
        let again = build(&again, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"));
        let plan = d.of(seed);
        assert_eq!(plan.timeline, again.timeline);
        assert_eq!(plan.actions, again.actions);
    }
}

/// A node away for longer than half an hour is deleted then, and joins three minutes later; not
/// while more than a fifth of all are away.
#[test]
fn the_provider_replaces_what_is_away_for_long() {
    let one = |lasts: &str, more: &str| {
        of(&format!(
            r#"models: [(name: "m", {more}, lasts: Fixed("{lasts}"))], repair: (after: "30m", do: Replace, takes: "3m", unless_share: 0.2)"#
        ))
    };
    let single = r#"nodes: Node("a-1"), do: Crash, rate: PerNodeYear(20)"#;
    let first = |d: &Drawn| {
        let all = d.models.draw(1, YEAR);
        let at = all[0].at;
        let near: Vec<(u64, bool)> = all
            .iter()
            .filter(|o| o.at < at.saturating_add(Dur::from_secs(7_200)))
            .map(|o| (o.at.since(at).as_secs(), o.lasts.is_some()))
            .collect();
        near
    };
    assert_eq!(first(&one("2h", single)), [(0, false), (1_800, false), (1_980, false)]);
    assert_eq!(first(&one("20m", single)), [(0, true)]);
    // A node is away once, however many of its outages overlap, and no longer than until it is replaced.
    let often = single.replace("20", "2000");
    let all = one("96h", &often).models.draw(1, YEAR);
    assert!(all.len() > 1_000 && all.iter().all(|o| o.lasts.is_none()));
    // Zone a has two thirds of the nodes.
    let zone = r#"groups: Zones, do: Crash, rate: PerGroupYear(20)"#;
    let all = one("2h", zone).models.draw(1, YEAR);
    let of_a = all.iter().filter(|o| o.name.ends_with("of a")).collect::<Vec<_>>();
    assert!(!of_a.is_empty() && of_a.iter().all(|o| o.lasts.is_some()), "{of_a:?}");
}

#[test]
fn mistakes_are_named() {
    let ok = r#"nodes: All, do: Crash, rate: PerNodeYear(1), lasts: Fixed("1m")"#;
    for (model, said) in [
        (ok.replace("PerNodeYear(1)", "PerNodeYear(-1)"), "a rate of -1 a year is not above 0"),
        (
            ok.replace("PerNodeYear(1)", "PerNodeYear(1e99)"),
            "a rate of 1e99 a year is above 1000000000, some thirty a second",
        ),
        (ok.replace("PerNodeYear(1)", "PerNodeYear(-1e99)"), "a rate of -1e99 a year is not above"),
        (
            ok.replace("Fixed(\"1m\")", "LogNormal(median: \"1m\", sigma: -1e99)"),
            "-1e99 is not above 0",
        ),
        (format!("{ok}, hits: 1e99"), "a share of 1e99 is not above 0 and at most 1"),
        (
            ok.replace("PerNodeYear(1)", "PerGroupYear(1)"),
            "this rate is of nodes where groups fail",
        ),
        (ok.replace("All", "Node(\"x\")"), "there is no node `x`"),
        (ok.replace("nodes: All", "groups: ByLabel(\"rak\")"), "no node has a label `rak`"),
        (ok.replace("nodes: All, ", ""), "this needs `nodes` or `groups`"),
        (ok.replace(", lasts: Fixed(\"1m\")", ""), "`lasts` is missing"),
        (ok.replace("Fixed(\"1m\")", "Fixed(\"-1m\")"), "-1m is negative"),
        (ok.replace("Fixed(\"1m\")", "Uniform(\"2m\", \"1m\")"), "the second span is not longer"),
        (
            ok.replace("Fixed(\"1m\")", "Weibull(shape: 0.05, scale: \"24h\")"),
            "longer than a hundred years",
        ),
        (ok.replace("Fixed(\"1m\")", "Weibull(shape: 0, scale: \"24h\")"), "0 is not above 0"),
        (ok.replace("Fixed(\"1m\")", "Values([])"), "there is no value in it"),
        (ok.replace("Fixed(\"1m\")", "Empirical(\"nowhere.csv\")"), "cannot read nowhere.csv"),
        (ok.replace("PerNodeYear(1)", "PerNodeYear(1000000)"), "a run has at most 300000"),
        // Two zones of 20 and 10 nodes, all of which fail: 140,000 times 30.
        (
            ok.replace("PerNodeYear(1)", "PerGroupYear(140000)")
                .replace("nodes: All", "groups: Zones, within: \"1m\""),
            "these models may draw 4200000 failures",
        ),
        (format!("{ok}, hits: 0.5"), "this is about groups of nodes"),
        (format!("{ok}, up: Fixed(\"1h\")"), "this needs one of `rate`, `up` and `trace`"),
    ] {
        let text = scenario(&format!(r#"models: [(name: "m", {model})]"#));
        let refused = parse("f.ron", text.clone().into_bytes(), Path::new(""))
            .and_then(|l| drawn(&l, &Overrides::default()))
            .expect_err(&text);
        assert!(refused.to_string().contains(said), "{said}: {refused}");
    }
    let twice = scenario(&format!(r#"models: [(name: "m", {ok}), (name: "m", {ok})]"#));
    let refused = parse("f.ron", twice.into_bytes(), Path::new(""))
        .and_then(|l| drawn(&l, &Overrides::default()))
        .expect_err("two of a name");
    assert!(refused.to_string().contains("two fault models are called `m`"), "{refused}");
}
