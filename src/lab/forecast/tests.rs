//! What is foreseen, from courses made by hand.

use super::*;
use std::path::Path;

/// Two seeds of three nodes: the first at 10 s and 12 s, the last at 30 s and 40 s, b or c, whose
/// own medians are 20 s and 30 s.
#[test]
fn the_first_and_the_last_of_a_queue_are_over_the_seeds() {
    let course = |at_s: [(&str, u64); 3]| Course {
        happenings: at_s
            .iter()
            .map(|(n, s)| {
                let what = (Happening::NodeNoExecute, (*n).to_owned());
                (what, Time::from_secs(*s))
            })
            .collect(),
        zones_of: at_s.iter().map(|(n, _)| ((*n).to_owned(), "z".to_owned())).collect(),
        ..Course::default()
    };
    let courses =
        [course([("a", 10), ("b", 20), ("c", 30)]), course([("a", 12), ("b", 40), ("c", 30)])];
    let queues = Forecast::of(&courses).queues;
    assert_eq!(queues.len(), 1);
    let queue = &queues[0];
    assert_eq!((queue.zone.as_str(), queue.nodes), ("z", 3));
    let medians = (queue.first.median.as_secs(), queue.last.median.as_secs());
    assert_eq!(medians, (10, 30));
    // Ten seconds twice in the first seed, 18 s and 10 s in the second.
    assert_eq!((queue.names.len(), queue.each), (3, Dur::from_secs(10)));
}

/// Two nodes wait in one seed and three in the other: the middle one of two is the first, wherever nodes are counted.
#[test]
fn a_queue_is_as_long_as_nodes_are_many() {
    let of = |nodes: &[(&str, u64)]| {
        let name = |(node, s): &(&str, u64)| {
            ((Happening::NodeNoExecute, (*node).to_owned()), Time::from_secs(*s))
        };
        let zone = |(node, _): &(&str, u64)| ((*node).to_owned(), "z".to_owned());
        Course {
            happenings: nodes.iter().map(name).collect(),
            zones_of: nodes.iter().map(zone).collect(),
            ..Course::default()
        }
    };
    let all = [("a", 10), ("b", 20), ("c", 30)];
    let forecast = Forecast::of(&[of(&all[..2]), of(&all)]);
    assert_eq!((forecast.queues[0].nodes, forecast.by_when[0].all.median), (2, 2));
    assert_eq!(forecast.queues[0].names, ["a", "b", "c"]);
}

/// Of three nodes of a zone that are given up at 50 s, at 51 s and, in each seed a second later, from
/// 172 s on, two wait for each other, 1 s to 11 s long, and the last for nobody. If they had their taints
/// at 160 s and 172 s only, it might.
#[test]
fn nodes_that_die_apart_are_no_queue() {
    let names = |taints: [u64; 2]| {
        let of = |seed: u64| {
            let mut course = Course::default();
            let last = 172 + seed;
            for (node, given_up, tainted) in
                [("a", 50, taints[0]), ("b", 51, taints[1]), ("c", last, last)]
            {
                course.zones_of.insert(node.to_owned(), "z".to_owned());
                let of = |what| (what, node.to_owned());
                let times =
                    [(Happening::NodeUnknown, given_up), (Happening::NodeNoExecute, tainted)];
                let times = times.map(|(what, s)| (of(what), Time::from_secs(s)));
                course.happenings.extend(times);
            }
            course
        };
        let queues = Forecast::of(&(0..2).map(of).collect::<Vec<_>>()).queues;
        queues.into_iter().map(|queue| (queue.nodes, queue.names)).collect::<Vec<_>>()
    };
    let all = |names: &[&str]| (names.len(), names.iter().map(|n| (*n).to_owned()).collect());
    assert_eq!(names([51, 62]), [all(&["a", "b"])]);
    assert_eq!(names([160, 172]), [all(&["a", "b", "c"])]);
}

/// Twenty seeds; in each, pods are deleted at its number of seconds and at 25 s. By 10 s ten seeds
/// have a deletion and ten none: the tenth of the sorted counts is 0, and 1 a second later; the
/// ends are the first and the last of twenty. By 20 s all have one, by 25 s two.
#[test]
fn counts_are_over_the_seeds() {
    let courses: Vec<Course> = (1..=20).map(|s| course(&[("x/a", s), ("x/b", 25)])).collect();
    let forecast = Forecast::of(&courses);
    assert_eq!(forecast.times.len(), 26);
    let by = |s: usize| {
        let all = &forecast.by_when[0];
        assert_eq!((all.what, &all.workload), (Happening::PodDeleted, &None));
        let c = all.counts[s];
        (c.low, c.median, c.high)
    };
    assert_eq!(
        [by(0), by(10), by(11), by(20), by(25)],
        [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (2, 2, 2)]
    );
}

fn of_seeds(count: usize) -> Seeds<'static> {
    Seeds { count, acts: &[], end: Time::MAX }
}

/// Three seeds, in which a node is given up after 50 s, 54 s and 58 s: four seconds apart, the range would begin at 46 s and
/// end at 62 s. The node was heard of 1.5 s before the start, and the grace period is 50 s; the run ends at 59.5 s.
#[test]
fn a_range_holds_nothing_that_cannot_be() {
    let of = |at_s: u64| Course {
        happenings: BTreeMap::from([(
            (Happening::NodeUnknown, "n".to_owned()),
            Time::from_secs(at_s),
        )]),
        least: BTreeMap::from([("n".to_owned(), Time::from_millis(48_500))]),
        end: Time::from_millis(59_500),
        ..Course::default()
    };
    let forecast = Forecast::of(&[50, 54, 58].map(of));
    let whole = |when: When| (when.low.as_secs(), when.high.as_secs());
    assert_eq!(whole(forecast.happenings[0].when), (48, 60));
    assert_eq!(whole(forecast.by_when[0].first), (48, 60));
    assert_eq!(
        whole(When::of([50, 54, 58].map(Time::from_secs).into(), of_seeds(3)).unwrap()),
        (46, 62)
    );
}

/// Three seeds in which a volume's pod is Ready at 40 s, 43 s and 46 s, three seconds apart, so that the range would begin at
/// 37 s. Of a node that comes back at 39 s it begins there; what is done at 42 s it cannot come of.
#[test]
fn a_range_begins_no_sooner_than_what_is_done() {
    let acts = [0, 10, 39, 42].map(Time::from_secs);
    let times = || [40, 43, 46].map(Time::from_secs).into();
    let low =
        |acts: &[Time]| When::of(times(), Seeds { acts, ..of_seeds(3) }).unwrap().low.as_secs();
    assert_eq!([low(&[]), low(&acts[..2]), low(&acts)], [37, 37, 39]);
}

/// A node is Unknown after 40, 44, 48 and 52 s, and tainted a second later in the two seeds in which that is before 47 s. Of an even
/// number the middle is the lower one: 44 s of the four, 41 s of the two.
#[test]
fn nothing_is_told_before_what_it_comes_of() {
    let of = |at_s: u64| {
        let unknown = (Happening::NodeUnknown, at_s);
        let tainted = (Happening::NodeNoExecute, at_s + 1);
        let all = [unknown, tainted].into_iter().filter(|(_, s)| *s < 47 || *s == at_s);
        Course {
            happenings: all.map(|(what, s)| ((what, "n".to_owned()), Time::from_secs(s))).collect(),
            ..Course::default()
        }
    };
    let told = Forecast::of(&[40, 44, 48, 52].map(of)).happenings;
    let medians: Vec<_> = told.iter().map(|f| (f.what, f.when.median.as_secs())).collect();
    assert_eq!(medians, [(Happening::NodeUnknown, 44), (Happening::NodeNoExecute, 45)]);
}

/// Of two pods one goes after 10 s and the other after 20 s, by turns. Ten seconds wider than the seeds are, each's own
/// range would begin at 0 s and end at 30 s; but the first goes at 10 s in both, and the last at 20 s. So it is of their
/// workloads, of which each has one.
#[test]
fn nobody_comes_before_the_first_or_after_the_last() {
    let courses = [[10, 20], [20, 10]].map(|[a, b]| Course {
        workloads: ["x/a", "x/b"].map(|pod| (pod.to_owned(), format!("Deployment {pod}"))).into(),
        ..course(&[("x/a", a), ("x/b", b)])
    });
    let forecast = Forecast::of(&courses);
    let ends = forecast.happenings.iter().map(|f| (f.when.low, f.when.high));
    let of_all = forecast.by_when.iter().map(|b| (b.first.low, b.last.high));
    let between = (Time::from_secs(10), Time::from_secs(20));
    assert_eq!(Vec::from_iter(ends), [between; 2]);
    assert_eq!(Vec::from_iter(of_all), [between; 3]);
}

/// Three seeds: a node that dies at 100 s is tainted then, or 20 s or 40 s later, so that its pod goes no sooner than at 400 s,
/// and is made anew at once. That another workload's goes at 150 s makes that no sooner; by the spread of seeds alone it
/// would be at 380 s.
#[test]
fn no_pod_is_made_anew_before_one_of_its_workload_goes() {
    let of = |late: u64| {
        let mut course = course(&[("x/early-0", 150), ("x/late-0", 400 + late)]);
        for (what, object, at_s) in [
            (Happening::NodeNoExecute, "n", 100 + late),
            (Happening::PodCreated, "x/early-1", 150),
            (Happening::PodCreated, "x/late-1", 400 + late),
        ] {
            course.happenings.insert((what, object.to_owned()), Time::from_secs(at_s));
        }
        for pod in ["early-0", "early-1", "late-0", "late-1"] {
            let workload = pod.split('-').next().unwrap();
            course.workloads.insert(format!("x/{pod}"), format!("Deployment x/{workload}"));
        }
        Course { acts: vec![Time::from_secs(100)], ..course }
    };
    let forecast = Forecast::of(&[0, 20, 40].map(of));
    let first = |what: Happening| {
        let is_it =
            |b: &&ByWhen| b.what == what && b.workload.as_deref() == Some("Deployment x/late");
        forecast.by_when.iter().find(is_it).map(|b| b.first.low.as_secs())
    };
    assert_eq!([Happening::PodDeleted, Happening::PodCreated].map(first), [Some(400); 2]);
}

fn course(at_s: &[(&str, u64)]) -> Course {
    let happenings = at_s
        .iter()
        .map(|(pod, s)| ((Happening::PodDeleted, (*pod).to_owned()), Time::from_secs(*s)));
    Course { happenings: happenings.collect(), ..Course::default() }
}

/// Twenty seeds with two nodes that are given up 40 s after the start and tainted in turns, one at
/// once and the other 200 s to 295 s later; their pods go 300 s after their nodes' taints. As far
/// apart as the seeds are, each range would begin before what it comes of: nothing can be before
/// 40 s, and no pod can go before 340 s. The first of both comes at these times in all seeds. A pod
/// under a new name follows the first, 0 s to 0.95 s later: it is not before 340 s, either.
#[test]
fn nothing_comes_before_what_it_comes_of() {
    let of = |seed: u64| {
        let at_s = |s: u64| Time::from_secs(40 + s);
        let mut delays = [("a", 0), ("b", 200 + 5 * seed)];
        if seed % 2 == 1 {
            delays = [("b", 0), ("a", 200 + 5 * seed)];
        }
        let mut course = Course::default();
        for (node, s) in delays {
            let pod = format!("x/{node}");
            course.on.insert((Happening::PodDeleted, pod.clone()), node.to_owned());
            course.zones_of.insert(node.to_owned(), "z".to_owned());
            course.happenings.extend([
                ((Happening::NodeUnknown, node.to_owned()), at_s(0)),
                ((Happening::NodeNoExecute, node.to_owned()), at_s(s)),
                ((Happening::PodDeleted, pod), at_s(s + 300)),
            ]);
        }
        let new = (Happening::PodCreated, format!("x/new-{seed}"));
        course.happenings.insert(new, Time::from_millis(340_000 + 50 * seed));
        course
    };
    let forecast = Forecast::of(&(0..20).map(of).collect::<Vec<_>>());
    let s = |t: Time| t.as_secs();
    for f in &forecast.happenings {
        let least = match f.what {
            Happening::PodDeleted | Happening::PodCreated => 340,
            _ => 40,
        };
        assert_eq!(s(f.when.low), least, "{f:?}");
    }
    let firsts = forecast.by_when.iter().map(|b| (b.what, s(b.first.low), s(b.first.high)));
    let firsts: BTreeSet<_> = firsts.collect();
    let expected = [
        (Happening::NodeUnknown, 40, 40),
        (Happening::NodeNoExecute, 40, 40),
        (Happening::PodDeleted, 340, 340),
        (Happening::PodCreated, 340, 341),
    ];
    assert_eq!(firsts, BTreeSet::from(expected));
    let queue = &forecast.queues[0];
    assert_eq!([s(queue.first.low), s(queue.first.high)], [40, 40]);
    // The last is between 240 s and 335 s, five seconds wider at both ends.
    assert_eq!([s(queue.last.low), s(queue.last.high)], [235, 340]);
}

/// Twenty seeds, a deleted at 1 s to 20 s, b only in five of them. A further seed lies below the
/// first of twenty with one chance in 21, and above the last with another; the tenth is the
/// median. Of 39 seeds the second is 5 % of forty, and the 38th 95 %. Seeds are a second apart
/// there, 36/38 of one, which makes a range so much wider at both ends, up to whole seconds.
#[test]
fn ranges_and_shares_are_over_the_seeds() {
    let courses: Vec<Course> = (1..=20)
        .map(|s| match s {
            1..=5 => course(&[("x/a", s), ("x/b", 100)]),
            _ => course(&[("x/a", s)]),
        })
        .collect();
    let forecast = Forecast::of(&courses);
    let of = |i: usize| {
        let f: &Foreseen = &forecast.happenings[i];
        let s = |t: Time| t.as_secs();
        let w = f.when;
        (f.object.as_str(), s(w.low), s(w.median), s(w.high), w.share)
    };
    assert_eq!(of(0), ("x/a", 0, 10, 21, 1.0));
    assert_eq!(of(1), ("x/b", 100, 100, 100, 0.25));
    let many = (1..=39).map(Time::from_secs).collect();
    let when = When::of(many, of_seeds(39)).unwrap();
    assert_eq!((when.low.as_secs(), when.high.as_secs()), (1, 39));
    // What all seeds have at one time is told to its second.
    let same = vec![Time::from_millis(72_500); 20];
    let when = When::of(same, of_seeds(20)).unwrap();
    assert_eq!((when.low.as_secs(), when.high.as_secs()), (72, 73));
}

/// A zone is PartialDisruption on the way to its loss at 49 s in one of three seeds, and at 922 s on the way back in two: two
/// times, each with its share, and no range from the one to the other.
#[test]
fn a_zone_on_its_way_back_has_a_row_of_its_own() {
    let of = |way: Way, at_s: u64| {
        let key = ("z".to_owned(), ZoneState::PartialDisruption, way);
        let zones = BTreeMap::from([(key, Time::from_secs(at_s))]);
        Course { zones, end: Time::from_secs(1_800), ..Course::default() }
    };
    let forecast = Forecast::of(&[of(Way::There, 49), of(Way::Back, 922), of(Way::Back, 924)]);
    let all = forecast.zones.iter().map(|(_, _, way, at)| (*way, at.median.as_secs(), at.share));
    let expected = [(Way::There, 49, 1.0 / 3.0), (Way::Back, 922, 2.0 / 3.0)];
    assert_eq!(all.collect::<Vec<_>>(), expected);
}

/// Two are evicted and one is deleted otherwise, in each of three seeds; what somebody asks for is
/// refused in two of them.
#[test]
fn what_is_done_and_what_is_refused_is_counted_by_seed() {
    let of = |refused: bool| {
        let mut course = course(&[("x/a", 10), ("x/b", 20), ("x/c", 1)]);
        course.goes.insert("x/c".to_owned(), Goes::Deleted);
        let said = || ("n".to_owned(), "n not drained: timed out after 1m".to_owned());
        course.refused.extend(refused.then(said));
        course
    };
    let forecast = Forecast::of(&[of(false), of(true), of(true)]);
    let done = forecast.done.iter().map(|b| (b.goes, b.all.low, b.all.median, b.all.high));
    let expected = [(Some(Goes::Evicted), 2, 2, 2), (Some(Goes::Deleted), 1, 1, 1)];
    assert_eq!(Vec::from_iter(done), expected);
    let Left { said, share, .. } = &forecast.refused[0];
    assert_eq!((said.as_str(), *share), ("n not drained: timed out after 1m", 2.0 / 3.0));
}

/// A node is tainted at 30 s. In three of four seeds its pod is deleted at 1 s, as its workload is scaled down, and in one it
/// is evicted at 330 s: two happenings, neither of which has a range from the one to the other.
#[test]
fn what_comes_of_a_pod_in_two_ways_is_two_happenings() {
    let of = |evicted: bool| {
        let mut course = course(&[("x/a", if evicted { 330 } else { 1 })]);
        let tainted = (Happening::NodeNoExecute, "n".to_owned());
        course.happenings.insert(tainted, Time::from_secs(30));
        course.on.insert((Happening::PodDeleted, "x/a".to_owned()), "n".to_owned());
        course.goes.extend((!evicted).then(|| ("x/a".to_owned(), Goes::Deleted)));
        course
    };
    let forecast = Forecast::of(&[false, false, true, false].map(of));
    let s = |t: Time| t.as_secs();
    let of_pod = forecast.happenings.iter().filter(|f| f.what == Happening::PodDeleted);
    let told = of_pod.map(|f| {
        (f.goes, [f.when.low, f.when.median, f.when.high].map(s), f.when.share, f.in_seeds.clone())
    });
    let expected = [
        (Some(Goes::Deleted), [1; 3], 0.75, vec![0, 1, 3]),
        (Some(Goes::Evicted), [330; 3], 0.25, vec![2]),
    ];
    assert_eq!(Vec::from_iter(told), expected);
    let done = forecast.done.iter().map(|b| (b.goes, s(b.first.low), s(b.last.high)));
    let expected = [(Some(Goes::Evicted), 330, 330), (Some(Goes::Deleted), 1, 1)];
    assert_eq!(Vec::from_iter(done), expected);
}

/// In each of five seeds one pod is Pending and two are stuck: of a in three of the seeds, of b in
/// the others. Of c, two of three are Pending in four seeds, by different names, and one in the last.
#[test]
fn what_is_left_is_counted_by_seed() {
    let of = |seed: usize| {
        let mut course = Course::default();
        let one = if seed < 3 { "a" } else { "b" };
        let c: &[&str] = [&["0", "1"][..], &["1", "2"], &["0", "2"], &["0", "1"], &["2"]][seed];
        let c = c.iter().map(|i| (format!("x/c-{i}"), "c"));
        for (pod, workload) in c.chain([(format!("x/{one}"), one)]) {
            course.pending.insert(pod.clone(), "no room".to_owned());
            course.workloads.insert(pod, format!("Deployment x/{workload}"));
        }
        for i in [1, 2] {
            let pod = format!("x/{one}-old-{i}");
            course.stuck.insert(pod.clone(), format!("n{i}"));
            course.workloads.insert(pod, format!("Deployment x/{one}"));
        }
        course
    };
    let forecast = Forecast::of(&(0..5).map(of).collect::<Vec<_>>());
    let all = |c: &Count| (c.low, c.median, c.high);
    assert_eq!((forecast.pending.len(), forecast.stuck.len()), (2 + 3, 4));
    assert_eq!(forecast.left.each_ref().map(all), [(2, 2, 2), (2, 3, 3)]);
    let alike = |left: &'_ LeftAlike| {
        (left.workload.clone().unwrap(), left.said.clone(), all(&left.pods), left.share)
    };
    let row = |workload: &str, said: &str, pods, share| {
        (format!("Deployment x/{workload}"), said.to_owned(), pods, share)
    };
    assert_eq!(
        forecast.pending_alike.iter().map(alike).collect::<Vec<_>>(),
        [
            row("a", "no room", (1, 1, 1), 0.6),
            row("b", "no room", (1, 1, 1), 0.4),
            row("c", "no room", (1, 2, 2), 1.0)
        ]
    );
    assert_eq!(
        forecast.stuck_alike.iter().map(alike).collect::<Vec<_>>(),
        [row("a", "", (2, 2, 2), 0.6), row("b", "", (2, 2, 2), 0.4)]
    );
}

/// The pods of three Jobs are evicted some 350 s after their node has died. One of them waits for its pod until the end, and
/// one may not lose any. The third makes another, which is done five minutes later, and waits for the first, too.
#[test]
fn jobs_that_wait_or_fail_are_known() {
    let text = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "n-{0..1}", zone: "a")],
        workloads: [Job(name: "waits", podReplacementPolicy: Failed, placement: Node("n-0")), Job(name: "other", placement: Node("n-0"), template: (ends: (after: "5m"))),
            Job(name: "fails", backoffLimit: 0, placement: Node("n-0"))],
        timeline: [(at: "1m", do: Crash(node: "n-0"))])"#;
    let loaded = scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap();
    let overrides = Overrides::default();
    let of_two = Forecasting { loaded: &loaded, overrides, first: 1, seeds: 2, told_from: None };
    let forecast = Forecast::of(&of_two.courses(1, &|_| true).unwrap());
    assert_eq!(forecast.stuck.len(), 3, "{:?}", forecast.stuck);
    assert_eq!(forecast.waits, BTreeSet::from(["Job default/waits".to_owned()]));
    let said =
        |left: &[Left]| Vec::from_iter(left.iter().map(|l| format!("{} ({})", l.pod, l.said)));
    assert_eq!(said(&forecast.failed), ["Job default/fails (BackoffLimitExceeded)"]);
    let waits = ["Job default/fails (Failed)", "Job default/other (Complete)"];
    assert_eq!(said(&forecast.unfinished), waits);
}

/// Three Jobs replace failed pods alone, and theirs are stuck on a dead node. When it is deleted, whoever collects orphans has them fail
/// within a minute: of the first two that is the end, as a rule and `backoffLimit` have it, and the third makes another.
#[test]
fn jobs_that_fail_with_their_stuck_pods_are_known() {
    let rule = |action: &str| {
        format!(
            "podFailurePolicy: (rules: [(action: {action}, onPodConditions: [(type: DisruptionTarget)])])"
        )
    };
    let of = |then: &str| {
        let job = |(name, how): (&str, String)| {
            format!(
                r#"Job(name: "{name}", {how}, template: (restartPolicy: Never), placement: Node("n-0"))"#
            )
        };
        let jobs = [
            ("frail", rule("FailJob")),
            ("last", "podReplacementPolicy: Failed, backoffLimit: 0".to_owned()),
            ("sturdy", rule("Ignore")),
        ];
        let text = format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "n-{{0..1}}", zone: "a")], workloads: [{}],
            timeline: [(at: "1m", do: Crash(node: "n-0")), {then}])"#,
            jobs.map(job).join(", ")
        );
        let loaded = scenario::parse("s.ron", text.into_bytes(), Path::new("")).unwrap();
        let overrides = Overrides::default();
        let of_one =
            Forecasting { loaded: &loaded, overrides, first: 1, seeds: 1, told_from: None };
        let forecast = Forecast::of(&of_one.courses(1, &|_| true).unwrap());
        let failed = forecast.failed.into_iter().map(|l| (l.pod, l.said));
        (forecast.waits.len(), Vec::from_iter(forecast.frail), Vec::from_iter(failed))
    };
    let job = |name: &str| format!("Job default/{name}");
    assert_eq!(of(""), (3, vec![job("frail"), job("last")], vec![]));
    let failed = [("frail", "PodFailurePolicy"), ("last", "BackoffLimitExceeded")];
    let failed = failed.map(|(name, why)| (job(name), why.to_owned())).to_vec();
    let deleted = of(r#"(at: "13m", do: DeleteNode(nodes: Nodes(["n-0"])))"#);
    assert_eq!(deleted, (0, vec![], failed));
}

/// What an entry that comes as the second of these does not do, in words.
fn refused(fields: &str) -> Vec<String> {
    let text = format!(
        r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "n-{{0..1}}", zone: "a")], {fields})"#
    );
    let loaded = scenario::parse("s.ron", text.into_bytes(), Path::new("")).unwrap();
    let overrides = Overrides::default();
    let told_from = Some(1);
    let of_one = Forecasting { loaded: &loaded, overrides, first: 1, seeds: 1, told_from };
    let forecast = Forecast::of(&of_one.courses(1, &|_| true).unwrap());
    forecast.refused.into_iter().map(|left| left.said).collect()
}

/// The timers of three pods began within a minute of the crash. One entry gives all three other seconds, which changes none of them,
/// and one deletes two pods that are not there any more.
#[test]
fn of_an_entry_all_pods_are_told() {
    let said = refused(
        r#"pods: [(names: "p-{0..2}", on: Node("n-0"))], timeline: [
            (at: "1m", do: Crash(node: "n-0")),
            (at: "4m", do: PatchTolerations(pods: All, tolerations: [
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 600),
            ])),
        ]"#,
    );
    assert_eq!(said, [format!("{KEPT}default/p-0..default/p-2")]);
    let said = refused(
        r#"pods: [(names: "p-{0..1}", on: Node("n-0"))], timeline: [
            (at: "1m", do: DeletePod(pods: All, gracePeriodSeconds: 0)),
            (at: "4m", do: DeletePod(pods: All, gracePeriodSeconds: 0)),
        ]"#,
    );
    let not_found = |i| format!("Error from server (NotFound): pods \"p-{i}\" not found");
    assert_eq!(said, [not_found(0), not_found(1)]);
}

/// A budget asks for both of its pods, one of which is on the node that is drained, for as long as that takes.
#[test]
fn a_drain_that_goes_on_names_what_it_waits_for() {
    let said = refused(
        r#"pods: [(names: "two-{0..1}", on: Nodes(["n-0", "n-1"]), labels: {"app": "two"})],
        podDisruptionBudgets: [(name: "two", selector: (matchLabels: {"app": "two"}), minAvailable: 2)], timeline: [
            (at: "1m", do: Uncordon(nodes: All)),
            (at: "2m", do: Drain(node: "n-0", force: true)),
        ]"#,
    );
    let [said] = &said[..] else { panic!("{said:?}") };
    assert!(said.starts_with("n-0 not drained: drain goes on after "), "{said}");
    let wanted = ", 1 pod left: default/two-0; budget default/two needs 2 of 2 (minAvailable 2)";
    assert!(said.contains(wanted), "{said}");
}

/// Two pods of a set, each with a disk of its zone: where both nodes of a die, none reaches that of a; of b, b-1 is left.
#[test]
fn volumes_that_no_node_left_reaches_are_known() {
    let of = |dies: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..1}}", zone: "a"), (names: "b-{{0..1}}", zone: "b")],
            workloads: [StatefulSet(name: "db", replicas: 2, placement: Nodes(["a-0", "b-0"]), template: (volumes: [(claim: "1Gi")]))],
            timeline: [(at: "1m", do: Crash(nodes: Nodes([{dies}])))])"#
        );
        let loaded = scenario::parse("s.ron", text.into_bytes(), Path::new("")).unwrap();
        let overrides = Overrides::default();
        let of_one =
            Forecasting { loaded: &loaded, overrides, first: 1, seeds: 1, told_from: None };
        let forecast = Forecast::of(&of_one.courses(1, &|_| true).unwrap());
        let said = Kept::out_of_reach(&forecast.kept.values().flatten().collect());
        (forecast.stuck.len(), said.unwrap_or_default())
    };
    let (stuck, said) = of(r#""a-0", "a-1", "b-0""#);
    assert!(
        stuck == 2
            && said.starts_with(
                "volume of claim default/data-db-0, which is reached from zone a alone."
            ),
        "{stuck} {said}"
    );
    assert_eq!(of(r#""a-0", "b-0""#), (2, String::new()));
}

/// Zone a, with two disks, is gone. A new node there takes neither: db-0 has no successor, and that of web waits for the disk
/// that a-1 has. With the lost nodes deleted after 13 minutes their pods are gone within a minute, and the disks six later.
#[test]
fn a_new_node_takes_the_volumes_of_nodes_that_are_deleted() {
    let of = |then: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "25m", nodes: [(names: "a-{{0..1}}", zone: "a"), (names: "b-{{0..1}}", zone: "b")],
            workloads: [StatefulSet(name: "db", replicas: 2, placement: Nodes(["a-0", "b-0"]), template: (volumes: [(claim: "1Gi")])),
                Deployment(name: "web", replicas: 1, placement: Node("a-1"), template: (volumes: [(claim: "w", zone: "a")]))],
            timeline: [(at: "1m", do: Crash(nodes: Nodes(["a-0", "a-1"]))), (at: "12m", do: AddNode(node: (name: "a-2", zone: "a"))), {then}])"#
        );
        let loaded = scenario::parse("s.ron", text.into_bytes(), Path::new("")).unwrap();
        let overrides = Overrides::default();
        let of_one =
            Forecasting { loaded: &loaded, overrides, first: 1, seeds: 1, told_from: None };
        let forecast = Forecast::of(&of_one.courses(1, &|_| true).unwrap());
        (forecast.stuck.len(), forecast.pending.len())
    };
    assert_eq!(of(""), (2, 1));
    assert_eq!(of(r#"(at: "14m", do: DeleteNode(nodes: Nodes(["a-0", "a-1"])))"#), (0, 0));
}

/// Of ten seeds a pod is Ready on n3 in seven, from 21 s to 27 s; on n1, where the
/// volume still is, in three, at 11 s to 13 s. The middle of seven is the fourth, that of three the second. Of pods that are
/// spread over as many nodes as there are seeds, all times are put together.
#[test]
fn a_pods_times_are_those_on_the_node_that_is_named() {
    let of = |seed: u64| {
        let moved = seed >= 3;
        let (node, at_s) = if moved { ("n3", 18 + seed) } else { ("n1", 11 + seed) };
        let mut course = Course::default();
        let mut add = |what: Happening, object: &str, node: &str, at_s: u64| {
            let what = (what, object.to_owned());
            course.happenings.insert(what.clone(), Time::from_secs(at_s));
            course.on.insert(what, node.to_owned());
        };
        add(Happening::PodReady, "x/db-0", node, at_s);
        add(Happening::PodReady, "x/web-0", &format!("n{seed}"), at_s);
        if moved {
            add(Happening::VolumeAttached, "x/data", "n3", at_s - 2);
        }
        course
    };
    let courses: Vec<Course> = (0..10).map(of).collect();
    let forecast = Forecast::of(&courses);
    let told = |what: Happening, object: &str| -> Vec<_> {
        let all = forecast.happenings.iter().filter(|f| f.what == what && f.object == object);
        let row = |f: &Foreseen| {
            (f.node.clone().unwrap(), f.node_share, f.when.median.as_secs(), f.when.share)
        };
        all.map(row).collect()
    };
    let on = |node: &str, at_s, share| (node.to_owned(), 1.0, at_s, share);
    assert_eq!(told(Happening::PodReady, "x/db-0"), [on("n1", 12, 0.3), on("n3", 24, 0.7)]);
    assert_eq!(told(Happening::VolumeAttached, "x/data"), [on("n3", 22, 0.7)]);
    // The fifth of ten.
    let web = told(Happening::PodReady, "x/web-0");
    assert_eq!(web, [("n0".to_owned(), 0.1, 22, 1.0)]);
}
