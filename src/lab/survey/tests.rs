//! Surveys of small clusters, worked out by hand.

use super::still::{Still, Why};
use super::{Hit, How, Kind, Survey, Surveyed, Wanted};
use crate::api::workload::WorkloadKind;
use crate::kernel::{Dur, Time};
use crate::lab::shards::Desk;
use crate::language::{Problem, Tree};
use crate::scenario::{self, Loaded, Overrides, parse, replace_timeline};
use std::path::Path;

/// Two zones of three nodes with a core each, and as many pods of a core; a StatefulSet on two of
/// the nodes, which asks for nothing, and needs both of its pods; a job's worth of a single pod.
const CLUSTER: &str = r#"Scenario(
    version: 1,
    horizon: "30m",
    timing: Ideal,
    nodes: [
        (names: "a-{0..2}", zone: "a", labels: {"rack": "1"}, capacity: {"cpu": "1", "pods": "10"}),
        (names: "b-{0..2}", zone: "b", labels: {"rack": "2"}, capacity: {"cpu": "1", "pods": "10"}),
    ],
    workloads: [
        Deployment(name: "web", replicas: 6, placement: Spread(All), template: (labels: {"app": "web"}, requests: {"cpu": "1"})),
        StatefulSet(name: "db", replicas: 2, needs: "100%", placement: Nodes(["a-0", "b-0"])),
        Deployment(name: "one", replicas: 1, placement: Nodes(["a-2"])),
    ],
    podDisruptionBudgets: [(name: "all", minAvailable: 6, selector: (matchLabels: {"app": "web"}))],
    timeline: [(at: "1m", do: Crash(node: "b-2"))],
)"#;

fn loaded() -> Loaded {
    parse("cluster.ron", CLUSTER.as_bytes().to_vec(), Path::new("")).expect("it is a scenario")
}

pub(super) fn survey(loaded: &Loaded, wanted: Wanted) -> Survey<'_> {
    Survey {
        loaded,
        overrides: Overrides::default(),
        wanted,
        how: How::Machine,
        lasts: Dur::from_secs(600),
        window: Dur::from_secs(300),
    }
}

pub(super) fn kinds(kinds: &[Kind]) -> Wanted {
    Wanted { kinds: kinds.to_vec(), ..Wanted::default() }
}

pub(super) fn surveyed(wanted: Wanted, jobs: usize) -> Surveyed {
    let loaded = loaded();
    survey(&loaded, wanted).run(jobs, &|_| true, Desk::Here).expect("it runs")
}

#[test]
fn what_is_lost_with_each_node_and_zone() {
    let done = surveyed(Wanted::default(), 2);
    let names: Vec<(String, usize)> =
        done.lost.iter().map(|l| (l.loss.name(), l.loss.like.len())).collect();
    // a-0 has db and web, a-1 and the b nodes without db only web, a-2 also `one`. a-1 is alone in
    // its zone with nothing but web; b-1 and b-2 are alike.
    let mut sorted = names.clone();
    sorted.sort();
    let expected = [
        ("api", 0),
        ("controller", 0),
        ("node/a-0", 0),
        ("node/a-1", 0),
        ("node/a-2", 0),
        ("node/b-0", 0),
        ("node/b-1", 1),
        ("zone/a", 0),
        ("zone/b", 0),
    ];
    assert_eq!(sorted, expected.map(|(n, like)| (n.to_owned(), like)));
    assert_eq!((done.losses, done.asked, done.left_out), (10, 10, 1));
    assert_eq!((done.size.nodes, done.size.pods), (6, 9));

    let of = |name: &str| done.lost.iter().find(|l| l.loss.name() == name).expect(name);
    // Three cores are missing for three pods of web; db waits for its node; `one` moves, as it asks
    // for nothing.
    let zone = of("zone/a");
    assert_eq!(zone.damage.size, (3, 5));
    let hit = |workload: &str| {
        zone.damage.hits.iter().find(|h| h.workload.ends_with(workload)).expect(workload)
    };
    let web = hit("web");
    assert_eq!((web.pending, web.cores, web.spared), (3, Some(3.0), 3));
    assert_eq!(web.still.map(|s| (s.why, s.below)), Some((Why::NoRoom, true)));
    let db = hit("db");
    assert_eq!((db.stuck, db.pending), (1, 0));
    assert_eq!(db.still.map(|s| (s.why, s.below)), Some((Why::Waits, true)));
    // db is below its need from the loss until the machine is back ten minutes later and its pod
    // has ended and begun anew, which takes less than a minute.
    let range = Dur::from_secs(600)..Dur::from_secs(660);
    assert!(range.contains(&db.down), "{:?}", db.down);
    // `one` is gone until it is evicted, 300 s behind the taint, which comes within 55 s and, as
    // the zone is dark and three nodes wait, one every ten seconds.
    let one = hit("one");
    let range = Dur::from_secs(340)..Dur::from_secs(390);
    assert!(one.still.is_none() && range.contains(&one.down), "{:?}", one.down);
    // Nothing happens to nodes because of the controllers alone.
    assert_eq!(of("controller").damage.figures, super::hit::Figures::default());
    assert_eq!(done.lost[0].loss.name(), "zone/a");
}

/// Both zones together are the whole cluster, and neither is alone. A cluster without nodes has nothing that takes all of it.
#[test]
fn what_is_the_whole_cluster() {
    let said = |done: Surveyed| {
        let all = done.findings.into_iter().map(|f| f.text);
        all.filter(|text| text.contains("nothing is left")).collect::<Vec<_>>()
    };
    let pairs = Wanted { pairs: vec![(Kind::Zone, Kind::Zone)], ..Wanted::default() };
    assert_eq!(
        said(surveyed(pairs, 1)),
        ["zone a and zone b are the whole cluster: nothing is left when both are lost"]
    );
    let empty = "Scenario(version: 1, horizon: \"10m\")";
    let loaded = parse("empty.ron", empty.into(), Path::new("")).expect("it is a scenario");
    let done = survey(&loaded, Wanted::default()).run(1, &|_| true, Desk::Here).expect("it runs");
    assert!(said(done).is_empty());
}

/// A pod that nothing owns is evicted and never replaced; one of a Deployment waits for a core until its node is back.
#[test]
fn bare_pods_do_not_come_back() {
    let text = r#"Scenario(version: 1, horizon: "30m", timing: Ideal, nodes: [(names: "n-{0..1}", capacity: {"cpu": "1", "pods": "10"})],
        pods: [(name: "p", on: Node("n-0"))],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All), template: (requests: {"cpu": "1"}))])"#;
    let loaded = parse("bare.ron", text.into(), Path::new("")).expect("it is a scenario");
    let done =
        survey(&loaded, kinds(&[Kind::Node])).run(1, &|_| true, Desk::Here).expect("it runs");
    let of = |lost: &super::Lost| {
        let figures = lost.damage.figures;
        // Web has a pod left, which is what it needs; the pod without a workload is none that needs one.
        assert_eq!((figures.workloads_down, figures.down_sum_s), (0, 0));
        (lost.loss.name(), figures.pending, figures.not_back, lost.why_not_back().concat())
    };
    let mut all: Vec<_> = done.lost.iter().map(of).collect();
    all.sort();
    let expected = [("node/n-0", 1, 1, "bare"), ("node/n-1", 1, 0, "")];
    assert_eq!(all, expected.map(|(n, p, b, why)| (n.to_owned(), p, b, why.to_owned())));
}

/// Drained at 150 s, off for ten minutes, and looked at for ten more: 1,200 s, in which the pod of the drained node is
/// missing. It ends with 0, so that it has Succeeded from 1.27 on, and Failed before.
#[test]
fn a_drained_pod_without_a_workload_is_gone() {
    for version in ["1.26", "1.34"] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "30m", nodes: [(names: "n-{{0..1}}")],
            pods: [(name: "one", on: Node("n-0")), (name: "two", on: Node("n-1"))])"#
        );
        let loaded = parse("bare.ron", text.into(), Path::new("")).expect("it is a scenario");
        let mut survey = survey(&loaded, kinds(&[Kind::Node]));
        survey.how = How::Drain;
        let done = survey.run(1, &|_| true, Desk::Here).expect("it runs");
        for lost in &done.lost {
            let figures = lost.damage.figures;
            assert_eq!((figures.evicted, figures.not_back), (1, 1), "{version}");
            assert!((figures.missing_minutes - 20.0).abs() < 0.1, "{version}: {figures:?}");
        }
        let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
        let said = "any node lost: up to 1 pod without a workload: nothing replaces it";
        assert!(texts.contains(&said), "{version}: {texts:#?}");
    }
}

/// Each of three nodes has 16 GiB, of which it uses 1 itself, and two pods that use 5.4 each and ask for 2: 11.7 GiB. The pods of a lost
/// node make three, 17.1 GiB, and one of each three is evicted for as long as the scheduler has not heard of it: two of six stay Pending,
/// as both nodes are tainted. With 32 GiB nothing of that happens.
#[test]
fn nodes_that_are_left_and_run_short_are_told() {
    let of = |memory: &str| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "30m",
            nodes: [(names: "n-{{0..2}}", capacity: {{"cpu": "8", "memory": "{memory}", "pods": "10"}}, usage: {{"memory": "1Gi"}})],
            workloads: [Deployment(name: "web", replicas: 6, placement: Spread(All),
                template: (requests: {{"memory": "2Gi"}}, usage: {{"memory": "5500Mi"}}))])"#
        );
        let loaded = parse("short.ron", text.into(), Path::new("")).expect("it is a scenario");
        let only = Wanted { only: vec!["node/n-0".to_owned()], ..Wanted::default() };
        survey(&loaded, only).run(1, &|_| true, Desk::Here).expect("it runs")
    };
    let done = of("16Gi");
    let damage = &done.lost[0].damage;
    let nodes: Vec<_> =
        damage.pressed.0.iter().map(|(name, n)| (&**name, n.memory_used_up)).collect();
    assert_eq!(nodes, [("n-1", true), ("n-2", true)]);
    let web = &damage.hits[0];
    assert_eq!((web.pending, web.held), (2, 0), "{web:?}");
    assert_eq!(web.still.map(|s| s.why), Some(Why::NoRoom));
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    let has = |part: &str| texts.iter().any(|t| t.contains(part));
    assert!(has("memory of n-1, n-2 runs short: "), "{texts:#?}");
    assert!(
        has("evicted by their kubelets; a look at n-1, n-2 found no memory left"),
        "{texts:#?}"
    );
    assert!(
        has("2 pods of web Pending") && has("the nodes left run short themselves"),
        "{texts:#?}"
    );
    assert!(!has("whatever room there is"), "{texts:#?}");
    let done = of("32Gi");
    assert!(done.lost[0].damage.pressed.is_empty(), "{:?}", done.lost[0].damage.pressed);
    assert!(done.findings.iter().all(|f| !f.text.contains("short: ")), "{:#?}", done.findings);
}

#[test]
fn findings_say_it_in_words() {
    let done = surveyed(Wanted::default(), 2);
    let texts: Vec<&str> = done.findings.iter().map(|f| f.text.as_str()).collect();
    let has =
        |start: &str, part: &str| texts.iter().any(|t| t.starts_with(start) && t.contains(part));
    assert!(
        has(
            "any of 2 of 6 nodes (a-0, b-0), or any zone lost: db is below",
            "no tolerationSeconds changes that"
        ),
        "{texts:#?}"
    );
    assert!(
        has("any node, or any zone lost: up to 3 pods of web Pending", "3 cores missing"),
        "{texts:#?}"
    );
    assert!(has("one has a single pod: it is down for", "when its node is lost"), "{texts:#?}");
    assert!(has("budget all allows no eviction while all is well", "needs 6 of 6"), "{texts:#?}");
    assert!(done.findings.iter().all(|f| f.loss.is_some()));
}

#[test]
fn threads_do_not_matter_and_a_part_is_that_part() {
    let all = surveyed(Wanted::default(), 1);
    assert_eq!(all, surveyed(Wanted::default(), 3));
    let only = Wanted { only: vec!["node/b-2".to_owned()], ..Wanted::default() };
    let one = surveyed(only, 1);
    // b-2 is told with b-1 when all are run; its loss comes to the same but for chance: how long its
    // machine takes to boot.
    let like = all.lost.iter().find(|l| l.loss.like == ["node/b-2"]);
    let (a, b) = (one.lost[0].damage.figures, like.expect("b-2 is like b-1").damage.figures);
    assert_eq!((a.pending, a.evicted, a.stuck), (b.pending, b.evicted, b.stuck));
    assert!((a.missing_minutes - b.missing_minutes).abs() < 0.5, "{a:?} {b:?}");
}

#[test]
fn racks_and_pairs() {
    let rack = Kind::parse("label=rack").expect("a kind");
    let done = surveyed(kinds(std::slice::from_ref(&rack)), 1);
    let names: Vec<String> = done.lost.iter().map(|l| l.loss.name()).collect();
    assert_eq!(names, ["rack/1", "rack/2"]);
    // Beside the six nodes, two zones, controllers and API server each of two zones with each of the
    // three nodes that are not in it; in zone b two are alike.
    let pairs = Wanted { pairs: vec![(Kind::Zone, Kind::Node)], ..Wanted::default() };
    let done = surveyed(pairs, 2);
    assert_eq!((done.losses, done.lost.len()), (10 + 6, 9 + 5));
    let loaded = loaded();
    for (wanted, said) in [
        (kinds(&[Kind::Label("rak".to_owned())]), "no node has a label `rak`"),
        (kinds(&[Kind::Region]), "there is no region"),
        (
            Wanted { only: vec!["node/c-1".to_owned()], ..Wanted::default() },
            "there is no loss `node/c-1`",
        ),
    ] {
        let refused = survey(&loaded, wanted).losses().expect_err(said);
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

/// Zone 1 of a region is not zone 1 of another one, and is lost alone. There is one zone 3: its region need not be named.
#[test]
fn zones_are_of_their_regions() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "e-{0..1}", zone: "1", region: "eu"),
        (names: "u-{0..1}", zone: "1", region: "us"), (name: "z", zone: "2"), (name: "v", zone: "3", region: "us")])"#;
    let loaded = parse("s.ron", text.into(), Path::new("")).expect("it is a scenario");
    let losses = survey(&loaded, kinds(&[Kind::Zone])).losses().expect("there are zones");
    let all: Vec<_> = losses.iter().map(|loss| (loss.name(), loss.nodes())).collect();
    let zones = [
        ("zone/2", vec![4]),
        ("zone/eu/1", vec![0, 1]),
        ("zone/us/1", vec![2, 3]),
        ("zone/us/3", vec![5]),
    ];
    assert_eq!(all, zones.map(|(name, nodes)| (name.to_owned(), nodes)));
    // What is named twice is lost once.
    let twice = survey(&loaded, kinds(&[Kind::Zone, Kind::Zone])).losses();
    assert_eq!(twice.map(|all| all.len()).ok(), Some(4));
    let only = |name: &str| {
        let pairs = vec![(Kind::Zone, Kind::Node); 2];
        let names = vec![name.to_owned(); 2];
        let only = Wanted { only: names, pairs, ..kinds(&[Kind::Zone]) };
        let losses = survey(&loaded, only).losses().map_err(|problems| problems.0[0].clone())?;
        Ok::<_, Problem>(losses.iter().map(|loss| loss.name()).collect::<Vec<_>>())
    };
    assert_eq!(only("zone/3"), Ok(vec!["zone/us/3".to_owned()]));
    assert_eq!(only("zone/us/1+node/v"), Ok(vec!["zone/us/1+node/v".to_owned()]));
    assert_eq!(only("zone/3+node/z"), Ok(vec!["zone/us/3+node/z".to_owned()]));
    let several = only("zone/1").expect_err("there are two");
    assert_eq!(several.message, "`zone/1` may be any of zone/eu/1, zone/us/1");
    assert!(only("zone/4").is_err() && only("zone/").is_err());
}

/// A node that somebody had cordoned is not opened by the maintenance of its zone: it is a maintenance of its own, which leaves it cordoned.
#[test]
fn what_was_cordoned_stays_so_after_a_drain() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "a-{0..1}", zone: "a"), (name: "shut", zone: "a", unschedulable: true)])"#;
    let loaded = parse("s.ron", text.into(), Path::new("")).expect("it is a scenario");
    let mut survey = survey(&loaded, kinds(&[Kind::Zone]));
    survey.how = How::Drain;
    let losses = survey.losses().expect("there is a zone");
    let written = Tree::of(&survey.as_scenario(&losses[0]).expect("it can be written")).file();
    let entries: Vec<&str> = written.split("Maintain(").skip(1).collect();
    let [open, shut] = entries[..] else { panic!("two entries: {written}") };
    assert!(open.contains("\"a-0\"") && open.contains("\"a-1\"") && !open.contains("Leave"));
    assert!(shut.contains("\"shut\"") && shut.contains("then: Leave"));
}

/// What is written of a loss builds into the very steps that the survey ran.
#[test]
fn a_loss_can_be_written_as_a_scenario() {
    let loaded = loaded();
    for how in [How::Machine, How::Network, How::ApiServer, How::Drain] {
        let mut survey = survey(&loaded, Wanted::default());
        survey.how = how;
        for loss in survey.losses().expect("there are losses") {
            let spec = survey.as_scenario(&loss).expect("it can be written");
            let text = Tree::of(&spec).file();
            let written = parse("loss.ron", text.clone().into_bytes(), Path::new("")).expect(&text);
            let written = scenario::build(&written, &Overrides::default()).expect(&text);
            let mut plan = scenario::build(&loaded, &Overrides::default()).expect("it builds");
            plan.horizon = written.horizon;
            let begin = Time::from_secs(150);
            let outages = loss.outages(&plan, begin, survey.lasts, how);
            replace_timeline(&mut plan, &outages);
            assert_eq!(
                (&plan.timeline, &plan.actions),
                (&written.timeline, &written.actions),
                "{text}"
            );
        }
    }
}

/// Dead machines or a cut network: what is missing is missing for as long.
#[test]
fn a_longer_loss_never_costs_less() {
    let loaded = loaded();
    let missing = |seconds| {
        let mut survey = survey(&loaded, kinds(&[Kind::Zone]));
        survey.lasts = Dur::from_secs(seconds);
        let done = survey.run(2, &|_| true, Desk::Here).expect("it runs");
        done.lost.iter().map(|l| l.damage.figures.missing_minutes).fold(0.0, f64::max)
    };
    let all = [30, 120, 600, 1_800].map(missing);
    assert!(all.is_sorted(), "{all:?}");
}

/// A machine that is gone for an hour: more toleration never costs less, and faster detection never
/// more.
#[test]
fn signs_are_what_a_person_expects() {
    let loaded = loaded();
    let missing = |set: String| {
        let mut survey = survey(&loaded, kinds(&[Kind::Node]));
        survey.lasts = Dur::from_secs(3_600);
        survey.overrides.sets = vec![set];
        let done = survey.run(2, &|_| true, Desk::Here).expect("it runs");
        let one = done.lost.iter().find(|l| l.loss.name() == "node/a-2").expect("a-2");
        let hit = one.damage.hits.iter().find(|h| h.workload.ends_with("/one")).expect("one");
        hit.missing_minutes
    };
    let tolerated = [0, 30, 300, 900].map(|s| {
        missing(format!("flags.kube-apiserver.default-unreachable-toleration-seconds={s}"))
    });
    assert!(tolerated.is_sorted() && tolerated[0] < tolerated[3], "{tolerated:?}");
    let detected = [20, 50, 120]
        .map(|s| missing(format!("flags.kube-controller-manager.node-monitor-grace-period={s}s")));
    assert!(detected.is_sorted() && detected[0] < detected[2], "{detected:?}");
}

/// Nobody makes the pods of a failed Job anew, evicted or not, nor those of one that waits for them while they are there.
#[test]
fn what_a_failed_job_has_on_lost_nodes_is_not_told_again() {
    let hit = |why| Hit {
        kind: Some(WorkloadKind::Job),
        left: 1,
        still: Some(Still { why, below: true }),
        ..Hit::default()
    };
    let is_left = |why| hit(why).is_left();
    assert_eq!([Why::NotEvicted, Why::JobFailed, Why::Waits].map(is_left), [true, false, false]);
}
