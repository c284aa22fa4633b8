//! Names that are long, in eighty columns, and what is counted over seeds.

use super::super::Basis;
use super::*;
use crate::analysis::Frees;
use crate::analysis::course::{Course, Goes};
use crate::report::{Style, WallClock};

/// A node's name of 41 characters beside a zone's of 40 does not fit into eighty columns.
#[test]
fn long_names_of_zones_and_nodes_stand_below_each_other() {
    let mut out = Vec::new();
    let style = Style { colour: false, width: 80 };
    let mut p = Printer::new(&mut out, style);
    let node = "ip-10-1-0-0.eu-central-1.compute.internal";
    p.item("40 nodes of eu-central-1/eu-central-1a", node).unwrap();
    p.item("a", node).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines.iter().all(|l| l.len() <= 80), "{text}");
    assert_eq!(lines[1].find(node), lines[2].find(node), "{text}");
}

/// What is printed of courses, with one space between its words.
fn printed(courses: &[Course]) -> String {
    beside(courses, courses)
}

/// The same with those of what somebody does beside them.
fn beside(courses: &[Course], others: &[Course]) -> String {
    beside_in(false, courses, others)
}

/// The same, of an export some nodes of which are `tainted`.
fn beside_in(tainted: bool, courses: &[Course], others: &[Course]) -> String {
    let basis = Basis {
        ran: serde_json::Value::Null,
        clock: WallClock(0),
        silent: Vec::new(),
        course: String::new(),
        head: String::new(),
        notes: Vec::new(),
        frees: Frees::ALL,
        horizon: Time::from_secs(60),
        open: None,
        tainted,
    };
    let [forecast, other] = [courses, others].map(Forecast::of);
    let outlook = Outlook { basis: &basis, name: "as it is", forecast: &forecast };
    let other = Outlook { name: "patch", forecast: &other, ..outlook };
    let mut out = Vec::new();
    let mut p = Printer::new(&mut out, Style { colour: false, width: 100 });
    write(&mut p, &outlook, false).unwrap();
    write_beside(&mut p, &[outlook, other]).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One pod has no room in each of five seeds: of a in three of them, of b in two. Thirteen are
/// stuck, on n1 in three seeds and on n2 in two, one of the latter without the thirteenth.
#[test]
fn what_is_left_is_said_as_seeds_have_it() {
    let of = |seed: usize| {
        let (one, node) = if seed < 3 { ("a", "n1") } else { ("b", "n2") };
        let mut course = Course::default();
        course.pending.insert(format!("x/{one}"), "no room".to_owned());
        course.workloads.insert(format!("x/{one}"), format!("Deployment x/{one}"));
        for i in 1..=if seed == 4 { 12 } else { 13 } {
            course.stuck.insert(format!("x/old-{i}"), node.to_owned());
        }
        course
    };
    let said = printed(&(0..5).map(of).collect::<Vec<_>>());
    for wanted in [
        "13 pods (12 to 13) are Terminating on nodes that do not answer at the end.",
        "1 pod is Pending at the end.",
        "Deployment x/a 1 pod: no room (in 60 % of the seeds)",
        "Deployment x/b 1 pod: no room (in 40 % of the seeds)",
        "without a workload 13 pods (12 to 13) on some of these 2 nodes: n1..n2",
        "13 (12 to 13) stuck, 1 Pending at the end",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

/// The pod of sum is stuck in both seeds, all fails in one, and done waits for a pod in both.
#[test]
fn a_job_that_waits_and_one_that_fails_are_told() {
    let of = |fails: bool| {
        let mut course = Course::default();
        course.stuck.insert("x/sum-a".to_owned(), "n1".to_owned());
        course.workloads.insert("x/sum-a".to_owned(), "Job x/sum".to_owned());
        course.waits.insert("Job x/sum".to_owned());
        let failed = || ("Job x/all".to_owned(), "BackoffLimitExceeded".to_owned());
        course.failed.extend(fails.then(failed));
        course.unfinished.insert("Job x/done".to_owned(), "Complete".to_owned());
        course
    };
    let said = printed(&[of(true), of(false)]);
    for wanted in [
        "Jobs that fail, and are not done by anybody: Job x/all (BackoffLimitExceeded) (in 50 % of the seeds).",
        "Jobs that have ended, but whose condition waits for their Terminating pods: Job x/done (Complete).",
        "x/sum-a on n1, of Job x/sum: no successor until it is gone",
        "What frees those that others wait for: the node comes back; or,",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

/// A Job that replaces failed pods alone is not helped by who deletes its pod by force: the finalizer stays until the pod is counted,
/// which takes its phase (`isPodFailed`). With nobody else the last of the remedies is that the node is deleted.
#[test]
fn what_frees_pods_is_told_by_whose_they_are() {
    let of = |owners: &[&str]| {
        let mut course = Course::default();
        for (i, owner) in owners.iter().enumerate() {
            let pod = format!("x/{i}");
            course.stuck.insert(pod.clone(), "n1".to_owned());
            course.kept.insert(pod.clone(), BTreeSet::new());
            course.workloads.insert(pod, (*owner).to_owned());
            course.waits.insert((*owner).to_owned());
        }
        course.frail.insert("Job x/frail".to_owned());
        printed(&[course])
    };
    let jobs = of(&["Job x/frail", "Job x/sum"]);
    let wanted = "; or `kubectl delete node n1`. But the out-of-service taint and deleting the node fail the pods, and by that Job x/frail for good; \
                  the node's return does, too, unless their containers end with 0.";
    assert!(jobs.contains(wanted) && !jobs.contains("--force"), "{jobs}");
    let both = of(&["Job x/sum", "StatefulSet x/db"]);
    let wanted = "; or `kubectl delete node n1`; or, but for pods of Job x/sum, `kubectl delete pod POD --force`. Times";
    assert!(both.contains(wanted), "{both}");
    let set = of(&["StatefulSet x/db"]);
    assert!(set.contains("delete node n1`; or `kubectl delete pod POD --force`. Times"), "{set}");
}

/// One Job fails on both courses, another in two of three seeds on one of them.
#[test]
fn jobs_that_fail_on_one_course_alone_are_told() {
    let of = |frail: bool| {
        let mut course = Course::default();
        course.failed.insert("Job x/all".to_owned(), "BackoffLimitExceeded".to_owned());
        let failed = || ("Job x/frail".to_owned(), "PodFailurePolicy".to_owned());
        course.failed.extend(frail.then(failed));
        course
    };
    let (one, other) = ([false; 3].map(of), [true, true, false].map(of));
    let job = "Job x/frail (PodFailurePolicy) (in 67 % of the seeds)";
    for (courses, word) in [([&one, &other], "costs"), ([&other, &one], "spares")] {
        let said = beside(courses[0], courses[1]);
        assert!(said.ends_with(&format!(" patch {word} {job}")), "{said}");
    }
}

/// Two pods of a set are stuck, and of db-0 no node left reaches the disk: nothing that is done to n1 helps. On the other
/// course both are gone, and db-0 finds no node.
#[test]
fn no_remedy_is_given_that_a_volume_out_of_reach_defeats() {
    let db = |i: usize| format!("x/db-{i}");
    let of = |stuck: &[usize]| {
        let mut course = Course::default();
        for i in [0, 1] {
            course.workloads.insert(db(i), "StatefulSet x/db".to_owned());
        }
        course.waits.insert("StatefulSet x/db".to_owned());
        course.stuck.extend(stuck.iter().map(|i| (db(*i), format!("n{}", i + 1))));
        let disk = Kept {
            claim: "x/data-db-0".to_owned(),
            volume: None,
            attach: true,
            from: Some("zone a".to_owned()),
            out_of_reach: true,
        };
        course.kept.insert(db(0), [disk].into());
        course
    };
    let lost = "No node left reaches volume of claim x/data-db-0, which is reached from zone a alone. What frees it: a node there, back, or new once the lost ones are deleted; else only a copy of the data elsewhere helps.";
    let one = printed(&[of(&[0])]);
    assert!(one.contains(lost) && !one.contains("kubectl"), "{one}");
    let mut freed = of(&[]);
    freed.pending.insert(db(0), "volume node affinity conflict".to_owned());
    let both = beside(&[of(&[0, 1])], &[freed]);
    for wanted in [
        lost,
        "kubectl taint nodes n2 node.kubernetes.io/out-of-service",
        "0 stuck, 1 Pending at the end StatefulSet x/db: 1 pod Pending: volume node affinity conflict",
        "patch frees x/db-0..x/db-1, stuck otherwise; Pending instead: x/db-0",
    ] {
        assert!(both.contains(wanted), "{wanted} in {both}");
    }
}

/// db-0 and db-2 are stuck, on two nodes. On the other course db-2 is gone, and not made anew before db-0 is.
#[test]
fn of_a_set_that_waits_for_another_pod_none_comes() {
    let of = |stuck: &[&str]| {
        let mut course = Course::default();
        for pod in stuck {
            course.workloads.insert((*pod).to_owned(), "StatefulSet x/db".to_owned());
            course.stuck.insert((*pod).to_owned(), "n1".to_owned());
        }
        course
    };
    let all = of(&["x/db-0", "x/db-2"]);
    let said = beside(std::slice::from_ref(&all), &[of(&["x/db-0"])]);
    let frees = "patch frees x/db-2, stuck otherwise";
    let none = "; none comes in place of x/db-2 while x/db-0 is stuck";
    assert!(said.contains(&format!("{frees}{none}")), "{said}");
    let mut made = of(&["x/db-0"]);
    let created = (Happening::PodCreated, "x/db-2".to_owned());
    made.happenings.insert(created, Time::from_secs(10));
    let said = beside(&[all], &[made]);
    assert!(said.contains(frees) && !said.contains("none comes"), "{said}");
}

/// A disk comes to n2 in eleven of twenty seeds, to n3 in the others but one, in which it comes to none; its holder
/// is n1 in that one. A Deployment's pods are made under new names and deleted later, one in each seed and two in the
/// last; a StatefulSet's comes back under its own.
#[test]
fn what_differs_by_seed_is_not_said_of_all() {
    let of = |seed: u64| {
        let mut course = Course::default();
        let mut add = |what: Happening, object: &str, at_s: u64| {
            course.happenings.insert((what, object.to_owned()), Time::from_secs(at_s));
        };
        add(Happening::PodDeleted, "x/db-0", 10);
        add(Happening::PodCreated, "x/db-0", 20);
        let twice = ["a", "b"].iter().take(if seed == 19 { 2 } else { 1 });
        let names: Vec<String> = twice.map(|i| format!("x/web-{seed}-{i}")).collect();
        for name in &names {
            add(Happening::PodCreated, name, 20);
            add(Happening::PodDeleted, name, 30);
        }
        if seed < 19 {
            add(Happening::VolumeAttached, "x/data", 40);
            let node = if seed < 11 { "n2" } else { "n3" };
            let attached = (Happening::VolumeAttached, "x/data".to_owned());
            course.on.insert(attached, node.to_owned());
        } else {
            course.held.insert("x/data".to_owned(), "is attached to n1".to_owned());
        }
        let of_web = names.into_iter().map(|name| (name, "Deployment x/web".to_owned()));
        course.workloads.extend(of_web);
        course.workloads.insert("x/db-0".to_owned(), "StatefulSet x/db".to_owned());
        course
    };
    let courses: Vec<Course> = (0..20).map(of).collect();
    let said = printed(&courses);
    // 11, 8 and 1 of 20.
    let disk = "attached 00:00:40 (in 40s; in 55 % of the seeds) to n2; attached 00:00:40 (in 40s; in 40 % of the seeds) to n3; is attached to n1 (in 5 % of the seeds)";
    assert!(said.contains(disk), "{said}");
    let forecast = Forecast::of(&courses);
    let created = |workload: &str| {
        let is_it = |b: &&ByWhen| {
            b.what == Happening::PodCreated && b.workload.as_deref() == Some(workload)
        };
        let row = forecast.by_when.iter().find(is_it).unwrap();
        [row.all, row.again].map(|c| (c.low, c.median, c.high))
    };
    assert_eq!(created("Deployment x/web"), [(1, 1, 2), (0, 0, 0)]);
    assert_eq!(created("StatefulSet x/db"), [(1, 1, 1), (1, 1, 1)]);
    let said = printed(&courses[18..]);
    for wanted in [
        "1 pod (1 to 2) created at 00:00:20 (in 20s)",
        "1 pod created at 00:00:20 (in 20s), 1 of them under an old name",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

/// Pods of `Deployment x/web`, deleted at these seconds.
fn deleted(pods: &[(&str, u64)]) -> Course {
    let mut course = Course::default();
    for (pod, at_s) in pods {
        let pod = format!("x/{pod}");
        course.workloads.insert(pod.clone(), "Deployment x/web".to_owned());
        course.happenings.insert((Happening::PodDeleted, pod), Time::from_secs(*at_s));
    }
    course
}

/// Of six pods two go in the first seed, three in the second and six in the third, which the other
/// course spares: the middle of the three is 3, and the mean, 3.67, would be 4. One pod that goes in
/// two of three seeds is named.
#[test]
fn those_that_are_spared_are_counted_as_all_others_are() {
    let pods = ["a", "b", "c", "d", "e", "f"].map(|pod| (pod, 10));
    let courses = [&pods[..2], &pods[2..5], &pods[..]].map(deleted);
    let none = [(); 3].map(|()| Course::default());
    let said = beside(&courses, &none);
    assert!(said.contains("patch spares 3 (2 to 6) of 6 pods of Deployment x/web"), "{said}");
    let courses = [&pods[..1], &pods[..1], &pods[..0]].map(deleted);
    let said = beside(&courses, &none);
    assert!(said.contains("patch spares x/a (in 67 % of the seeds)"), "{said}");
}

/// In three seeds a goes at 10 s and b at 15 s or 16 s. On the other course a stays, or it is due
/// 15 s after the end, or b goes 6 s later, or all is as it was; a range that is as
/// wide as seeds are apart is no wider than from 14 s to 17 s.
#[test]
fn what_another_course_changes_is_told_from_what_it_puts_off() {
    let of = |shift: u64| [15, 16, 15].map(|b| deleted(&[("a", 10), ("b", b + shift)])).to_vec();
    let was = of(0);
    let without_a = |due: Option<u64>| {
        let mut all = was.clone();
        for course in &mut all {
            course.happenings.retain(|(_, pod), _| pod != "x/a");
            course.due.extend(due.map(|at_s| ("x/a".to_owned(), Time::from_secs(at_s))));
        }
        all
    };
    let nothing = "patch changes nothing of who is evicted or deleted, and when";
    for (others, wanted) in [
        (without_a(None), "patch spares x/a"),
        (without_a(Some(75)), "patch: x/a not before the end; due 00:01:15 if nothing changes"),
        (of(6), "patch moves pods of Deployment x/web from 00:00:10–00:00:15 to 00:00:10–00:00:21"),
        (of(0), nothing),
    ] {
        let said = beside(&was, &others);
        assert!(said.contains(wanted), "{wanted} in {said}");
        let all = ["spares", "not before the end", "moves", "changes nothing"];
        let told = all.iter().filter(|word| said.contains(**word)).count();
        assert_eq!(told, 1, "{said}");
    }
    // Nobody else goes where one more comes.
    let mut more = was.clone();
    for course in &mut more {
        course.happenings.insert((Happening::PodBound, "x/c".to_owned()), Time::from_secs(20));
    }
    let said = beside(&was, &more);
    assert!(said.contains(&format!("{nothing}; 1 pod bound instead of 0")), "{said}");
    // Two that are stuck go on the other course, which deletes nobody else; a third that is stuck in one of three seeds may.
    let nobody = vec![deleted(&[]); 3];
    let mut stuck = nobody.clone();
    for (i, course) in stuck.iter_mut().enumerate() {
        for pod in ["x/old-0", "x/old-1", "x/old-7"].iter().take(if i == 0 { 3 } else { 2 }) {
            course.stuck.insert((*pod).to_owned(), "n1".to_owned());
        }
    }
    let said = beside(&stuck, &nobody);
    assert!(said.contains("patch frees x/old-0..x/old-1, stuck otherwise"), "{said}");
    assert!(!said.contains("changes nothing"), "{said}");
    let said = beside(&nobody, &stuck);
    assert!(said.contains("patch leaves x/old-0..x/old-1 stuck"), "{said}");
    // The other way round it is what is done that has it go before the end.
    let said = beside(&without_a(Some(75)), &was);
    assert!(said.contains("as it is: x/a not before the end; due 00:01:15"), "{said}");
}

/// Its workload's controller deletes a at 10 s in three of four seeds; in the fourth it is evicted at 330 s. In half of the seeds or fewer is a
/// share; in more of them it is the number that differs.
#[test]
fn how_a_pod_goes_is_told_apart() {
    let of = |evicted: bool| {
        let mut course = deleted(&[("a", if evicted { 330 } else { 10 })]);
        course.goes.extend((!evicted).then(|| ("x/a".to_owned(), Goes::Deleted)));
        course
    };
    let courses = [false, false, true, false].map(of);
    let none = [(); 4].map(|()| Course::default());
    let said = beside(&courses, &none);
    for wanted in [
        "1 pod is evicted, 00:05:30 to 00:05:30 (in 5m30s; in 25 % of the seeds). 1 pod (0 to 1) is deleted, 00:00:10 to 00:00:10 (in 10s).",
        "x/a on no node, deleted 00:00:10 (in 10s; in 75 % of the seeds) x/a on no node, evicted 00:05:30 (in 5m30s; in 25 % of the seeds)",
        "1 pod evicted at 00:05:30 (in 25 % of the seeds), 1 pod (0 to 1) deleted at 00:00:10, 0 stuck",
        "patch spares x/a",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
    let preempted = || {
        let mut course = deleted(&[("a", 10)]);
        course.goes.insert("x/a".to_owned(), Goes::Preempted);
        course
    };
    let said = printed(&[(); 2].map(|()| preempted()));
    for wanted in ["1 pod is preempted, ", "Pods preempted by", "x/a on no node, preempted "] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

#[test]
fn nodes_that_were_tainted_before_are_none_of_those_that_are() {
    let all = [Course::default()];
    assert!(beside_in(false, &all, &all).contains(" 0 nodes tainted NoExecute"));
    assert!(beside_in(true, &all, &all).contains(" 0 more nodes tainted NoExecute"));
}

/// a-1 at 10 s and a-2 at 20 s, or the other way round: one queue, and no order.
#[test]
fn nodes_of_a_queue_are_told_once() {
    let of = |nodes: [&str; 2]| {
        let mut course = Course::default();
        for (node, at_s) in nodes.into_iter().zip([10, 20]) {
            let what = (Happening::NodeNoExecute, node.to_owned());
            course.happenings.insert(what, Time::from_secs(at_s));
            course.zones_of.insert(node.to_owned(), "z".to_owned());
        }
        course
    };
    let said = printed(&[of(["a-1", "a-2"]), of(["a-2", "a-1"])]);
    let queue = "Nodes 2 nodes of z NoExecute, one each 10s, from 00:00:10 (in 10s) to 00:00:20 (in 20s), in any order: a-1..a-2";
    assert!(said.contains(queue), "{said}");
}
