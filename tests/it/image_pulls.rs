//! Pulls of images before containers start: what follows from upstream's source (`pkg/kubelet/images`) by arithmetic. A container
//! starts a second after its image is there (`timing: Ideal`), unless a pod says otherwise.

use super::cli::{Scratch, unfolded};
use super::plans::{built, plan, ran};
use taintsim::trace::Trace;

/// A node with pods that its kubelet hears of when the run begins.
fn case(pods: &str, more: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "1.37", horizon: "30m", timing: Ideal, nodes: [(name: "n")], pods: [{pods}], {more})"#
    )
}

/// When pods run, in milliseconds, by name.
fn runs(trace: &Trace) -> Vec<(String, u64)> {
    let line = |r: &taintsim::trace::Record| {
        let f = trace.fields(r);
        let pod = f.pod?.trim_start_matches("default/").to_owned();
        (f.what == "containers-started").then(|| (pod, r.at.as_millis()))
    };
    let mut all: Vec<(String, u64)> = trace.iter().filter_map(line).collect();
    all.sort();
    all
}

fn times(text: &str) -> Vec<u64> {
    runs(&ran(&plan(text), 1)).into_iter().map(|(_, at)| at).collect()
}

/// Twenty pods have asked before the image is there. The first pull takes 40 s, each of the others half a second: the k-th of
/// them is there at 40 + k / 2 s. Where the node has the image, nobody pulls. All at once they end with the first.
#[test]
fn pods_in_line_pull_one_after_the_other() {
    let pods = |more: &str| {
        format!(
            r#"(names: "p-{{00..19}}", on: Node("n"), start: Pending, image: (name: "web:2", pull: "40s"{more}))"#
        )
    };
    let one_by_one: Vec<u64> = (0..20).map(|k| 41_000 + 500 * k).collect();
    assert_eq!(times(&case(&pods(""), "")), one_by_one);
    let slower: Vec<u64> = (0..20).map(|k| 41_000 + 2_000 * k).collect();
    assert_eq!(times(&case(&pods(r#", check: "2s""#), "")), slower);
    let unlimited = r#"flags: (kubelet: {"serialize-image-pulls": false, "registry-qps": 0})"#;
    assert_eq!(times(&case(&pods(""), unlimited)), [41_000; 20]);
    let there = case(&pods(""), "").replace(r#"(name: "n")"#, r#"(name: "n", images: ["web:2"])"#);
    assert_eq!(times(&there), [1_000; 20]);
    // Always: each asks the registry, though the image is there.
    let asked = r#", imagePullPolicy: Always"#;
    let there =
        case(&pods(asked), "").replace(r#"(name: "n")"#, r#"(name: "n", images: ["web:2"])"#);
    assert_eq!(times(&there), (1..=20).map(|k| 1_000 + 500 * k).collect::<Vec<u64>>());
    // One of them runs there from the start.
    let runs = r#"(name: "o", on: Node("n"), image: (name: "web:2", pull: "1h")),"#;
    assert_eq!(times(&case(&format!("{runs}{}", pods("")), "")), [1_000; 20]);
}

/// The bucket holds ten and gets five a second. Of twenty pulls at once ten are let through; ten fail, and are tried again
/// when their back-off of 10 s is over. The image is there by then.
#[test]
fn too_many_pulls_at_once_fail() {
    let pods = r#"(names: "p-{00..19}", on: Node("n"), start: Pending, image: (name: "web:2", pull: "5s"))"#;
    let flags = r#"flags: (kubelet: {"serialize-image-pulls": false})"#;
    let mut expected = vec![6_000; 10];
    expected.extend([11_000; 10]);
    let trace = ran(&plan(&case(pods, flags)), 1);
    assert_eq!(runs(&trace).into_iter().map(|(_, at)| at).collect::<Vec<u64>>(), expected);
    let failed = trace.iter().filter(|r| trace.fields(r).what == "image-pull-failed").count();
    assert_eq!(failed, 10);
}

/// Images of 10, 20, 30 and 40 s. One at a time they are there after 10, 30, 60, 100 s; two at a time after 10 and 20 s, then
/// the third from 10 s to 40 s, the fourth from 20 s to 60 s.
#[test]
fn several_pulls_at_a_time() {
    let pod = |n: u32| {
        format!(
            r#"(name: "p-{n}", on: Node("n"), start: Pending, image: (name: "i:{n}", pull: "{n}0s")),"#
        )
    };
    let pods: String = (1..=4).map(pod).collect();
    let flagged = |flags: &str| times(&case(&pods, &format!("flags: (kubelet: {{{flags}}})")));
    assert_eq!(flagged(""), [11_000, 31_000, 61_000, 101_000]);
    assert_eq!(flagged(r#""max-parallel-image-pulls": 1"#), [11_000, 31_000, 61_000, 101_000]);
    assert_eq!(flagged(r#""max-parallel-image-pulls": 2"#), [11_000, 21_000, 41_000, 61_000]);
    let all = r#""serialize-image-pulls": false"#;
    assert_eq!(flagged(all), [11_000, 21_000, 31_000, 41_000]);
}

/// Nobody answers until 65 s: pulls fail at 0, 10, 30 s, with back-offs of 10, 20, 40 s; the one at 70 s takes 40 s. One that is
/// under way when the registry goes fails then. Two outages that overlap are one.
#[test]
fn a_registry_that_nobody_reaches() {
    let pod = r#"(name: "p", on: Node("n"), start: Pending, image: (name: "web:2", pull: "40s"))"#;
    let outage = |lines: &str| times(&case(pod, &format!("timeline: [{lines}]")));
    assert_eq!(outage(r#"(at: "0s", do: RegistryOutage(duration: "65s"))"#), [111_000]);
    // Begun at 0 s, failed at 20 s, tried again at 30 s.
    assert_eq!(outage(r#"(at: "20s", do: RegistryOutage(duration: "1s"))"#), [71_000]);
    let two = r#"(at: "0s", do: RegistryOutage(duration: "65s")), (at: "1s", do: RegistryOutage(duration: "5s"))"#;
    assert_eq!(outage(two), [111_000]);
    assert_eq!(outage(r#"(at: "0s", do: RegistryOutage())"#), Vec::<u64>::new());
}

/// Two images of 40 s and 10 s, one pull at a time. A registry that lets one connect and says nothing from 0 s on holds the first
/// until 300 s and the second until 600 s; one whose packets vanish until 30 s and 60 s. The first has failed then, with a back-off
/// of 10 s, which is over when its turn comes again. Answered at 620 s: the first is asked for at 310 s and begins behind the
/// second at 600 s, to go on at 620 s, so that it runs at 661 s. The second fails at 600 s, waits for the first at 610 s, and runs
/// at 671 s.
#[test]
fn a_registry_that_does_not_answer_holds_the_line() {
    let pod = |name: &str, takes: &str| {
        format!(
            r#"(name: "{name}", on: Node("n"), start: Pending, image: (name: "{name}", pull: "{takes}"))"#
        )
    };
    let two = format!("{}, {}", pod("p", "40s"), pod("q", "10s"));
    let outage = |at: &str, lasts: &str, fails: &str| {
        format!(
            r#"timeline: [(at: "{at}", do: RegistryOutage(duration: "{lasts}", fails: {fails}))]"#
        )
    };
    let failed = |pods: &str, outage: &str| -> Vec<u64> {
        let trace = ran(&plan(&case(pods, outage)), 1);
        let failed = trace.iter().filter(|r| trace.fields(r).what == "image-pull-failed");
        failed.map(|r| r.at.as_millis()).collect()
    };
    assert_eq!(failed(&two, &outage("0s", "620s", "Silent")), [300_000, 600_000]);
    assert_eq!(times(&case(&two, &outage("0s", "620s", "Silent"))), [661_000, 671_000]);
    // p from 0 s, q from 30 s, p from 60 s, q from 90 s on, which goes on at 100 s.
    assert_eq!(failed(&two, &outage("0s", "100s", "Dropped")), [30_000, 60_000, 90_000]);
    assert_eq!(times(&case(&two, &outage("0s", "100s", "Dropped"))), [151_000, 111_000]);
    // Under way: at rest from 15 s on, which the look at 20 s finds to have moved, and those until 320 s not.
    let one = pod("p", "40s");
    for fails in ["Silent", "Dropped"] {
        assert_eq!(failed(&one, &outage("15s", "400s", fails))[0], 320_000, "{fails}");
        // 25 of its 40 s were left.
        assert_eq!(times(&case(&one, &outage("15s", "60s", fails))), [101_000], "{fails}");
    }
    // One that refuses ends what hangs; the later of two outages says how it fails.
    let both = r#"timeline: [(at: "0s", do: RegistryOutage(duration: "2m", fails: Silent)), (at: "20s", do: RegistryOutage(duration: "5s"))]"#;
    assert_eq!(failed(&one, both), [20_000]);
    assert_eq!(times(&case(&one, both)), [161_000]);
}

/// A kubelet that dies at 20 s gives its pull up, and begins it anew: its successor starts at 50 s, in `Ideal` timing at once.
/// A pod that is deleted gives its place in line away.
#[test]
fn pulls_that_are_given_up() {
    let pod = r#"(name: "p", on: Node("n"), start: Pending, image: (name: "web:2", pull: "40s"))"#;
    let dies = r#"timeline: [(at: "20s", do: KubeletRestart(node: "n", downtime: "30s"))]"#;
    assert_eq!(times(&case(pod, dies)), [91_000]);
    let two = format!(
        r#"{pod}, (name: "q", on: Node("n"), start: Pending, image: (name: "db", pull: "10s"))"#
    );
    let deleted = r#"timeline: [(at: "20s", do: DeletePod(pod: "p", gracePeriodSeconds: 0))]"#;
    assert_eq!(times(&case(&two, deleted)), [31_000]);
}

/// A container that is always pulled is so with each start: it runs from 41 s on for 10 s, ends, is noticed at once and asks the
/// registry for half a second.
#[test]
fn a_container_that_is_started_again() {
    let pod = |policy: &str| {
        format!(
            r#"(name: "p", on: Node("n"), start: Pending, ends: (after: "10s", exit_code: 1), image: (name: "web:2", pull: "40s"{policy}))"#
        )
    };
    let first = |policy| times(&case(&pod(policy), ""))[..2].to_vec();
    assert_eq!(first(""), [41_000, 51_000]);
    assert_eq!(first(", imagePullPolicy: Always"), [41_000, 51_500]);
}

/// Pulls of 10 s each, the sandbox in 2 s, init containers of 5 s and 7 s: the first is there at 10 s, runs from 12 s to 17 s;
/// the second is pulled until 27 s and runs to 34 s; the main one is pulled until 44 s, and runs. Where the node has all of
/// them: 2 + 5 + 7. An init container that fails first is started again at once, once: five seconds more.
#[test]
fn init_containers_pull_and_run_one_after_the_other() {
    let pod = |first: &str| {
        format!(
            r#"(name: "p", on: Node("n"), start: Pending, pod_start: "2s", image: (name: "web:2", pull: "10s"), initContainers: [
                (name: "first", image: (name: "a:1", pull: "10s"), ends: (after: "5s"{first})),
                (name: "second", image: (name: "b:1", pull: "10s"), ends: (after: "7s")),
            ])"#
        )
    };
    assert_eq!(times(&case(&pod(""), "")), [44_000]);
    let there = r#"(name: "n", images: ["web:2", "a:1", "b:1"])"#;
    assert_eq!(times(&case(&pod(""), "").replace(r#"(name: "n")"#, there)), [14_000]);
    // A pod that is in line behind the first pull has its own image at 20 s; the second init container's, asked for at 17 s, comes at 30 s.
    let other =
        r#", (name: "q", on: Node("n"), start: Pending, image: (name: "q:1", pull: "10s"))"#;
    assert_eq!(times(&case(&(pod("") + other), "")), [47_000, 21_000]);
    // What always fails is never followed.
    assert_eq!(times(&case(&pod(", exit_code: 1"), "")), Vec::<u64>::new());
    // One that is deleted while its first container is pulled leaves the line to others: those begin at 5 s.
    let deleted = r#"timeline: [(at: "5s", do: DeletePod(pod: "p"))]"#;
    assert_eq!(times(&case(&(pod("") + other), deleted)), [16_000]);
}

/// Containers of 10 s each start in their order, the first a second after its image is there, as that is the sandbox's: 11 s, and
/// the others at 21 s and 31 s, from which on all of them run. One whose image cannot be pulled before 15 s keeps none from
/// starting: it is tried again at 10 s and at 30 s, and is there at 40 s.
#[test]
fn containers_pull_one_after_the_other() {
    let pod = r#"(name: "p", on: Node("n"), start: Pending, image: (name: "web:2", pull: "10s"), containers: [
        (name: "proxy", image: (name: "proxy:1", pull: "10s")), (name: "log", image: (name: "log:1", pull: "10s")),
    ])"#;
    assert_eq!(times(&case(pod, "")), [31_000]);
    let outage = r#"timeline: [(at: "0s", do: RegistryOutage(duration: "15s"))]"#;
    let there = r#"(name: "n", images: ["proxy:1", "log:1"])"#;
    assert_eq!(times(&case(pod, outage).replace(r#"(name: "n")"#, there)), [40_000]);
    // Of a pod that runs there from the start the node has all images.
    let runs = r#"(name: "o", on: Node("n"), image: (name: "web:2", pull: "1h"), containers: [
        (name: "proxy", image: (name: "proxy:1", pull: "1h")), (name: "log", image: (name: "log:1", pull: "1h")),
    ]),"#;
    assert_eq!(times(&case(&format!("{runs}{pod}"), "")), [1_000]);
}

/// Where disk is short, a kubelet deletes the images that no container uses: 80 of 100 Gi and 8 Gi of images leave less than the
/// 15 % that have to be free, without the images there is enough. What is pulled for a pod ten minutes later, when the condition
/// is over, was there otherwise. One that a container uses stays.
#[test]
fn images_that_nobody_uses_are_deleted_where_disk_is_short() {
    let node = |used: &str| {
        format!(
            r#"(name: "n", images: ["web:2"], capacity: {{"ephemeral-storage": "100Gi"}}, usage: {{"ephemeral-storage": "{used}"}}, unused_images: "8Gi")"#
        )
    };
    let image = r#"image: (name: "web:2", pull: "40s")"#;
    let later = format!(
        r#"timeline: [(at: "10m", do: CreatePod(pod: (name: "p", on: Node("n"), {image})))]"#
    );
    let of =
        |used: &str, pods: &str| times(&case(pods, &later).replace(r#"(name: "n")"#, &node(used)));
    assert_eq!(of("5Gi", ""), [601_000]);
    assert_eq!(of("80Gi", ""), [641_000]);
    assert_eq!(of("80Gi", &format!(r#"(name: "o", on: Node("n"), {image})"#)), [601_000]);
}

/// Whatever the images, the spans and the turns: a longer pull makes no pod run sooner, and as many at a time as there are
/// none later than one at a time.
#[test]
fn a_longer_pull_makes_nobody_faster() {
    for seed in 0..40_u64 {
        let draw = |n: u64, most: u64| {
            let x = (seed * 131 + n * 7_919 + 17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (x >> 33) % most
        };
        let pods = |longer: u64, same: bool| -> String {
            (0..8)
                .map(|n| {
                    let image = draw(n, 4);
                    let takes = if same { 20 } else { 5 + draw(image + 50, 40) + longer };
                    format!(
                        r#"(name: "p-{n}", on: Node("n"), start: Pending, image: (name: "i:{image}", pull: "{takes}s")),"#
                    )
                })
                .collect()
        };
        let serial = |longer| times(&case(&pods(longer, false), ""));
        let (short, long) = (serial(0), serial(7));
        assert!(short.iter().zip(&long).all(|(s, l)| s <= l), "{seed}: {short:?} {long:?}");
        let all = r#"flags: (kubelet: {"serialize-image-pulls": false})"#;
        let (one, many) = (times(&case(&pods(0, true), "")), times(&case(&pods(0, true), all)));
        assert!(many.iter().zip(&one).all(|(m, o)| m <= o), "{seed}: {many:?} {one:?}");
    }
}

/// What kubelets say of it, in each release's words (`image_manager.go`). The second pod has waited 40 s for the first one's pull.
#[test]
fn what_kubelets_say() {
    for (version, first, second) in [
        ("1.18", "", ""),
        ("1.26", " in 40s (40s including waiting)", " in 500ms (40.5s including waiting)"),
        (
            "1.37",
            " in 40s (40s including waiting). Image size: 0 bytes.",
            " in 500ms (40.5s including waiting). Image size: 0 bytes.",
        ),
        (
            "1.36",
            " in 40s (40s including waiting). Image size: 838860800 bytes.",
            " in 500ms (40.5s including waiting). Image size: 838860800 bytes.",
        ),
    ] {
        let size = if version == "1.36" { r#", size: "800Mi""# } else { "" };
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "3m", nodes: [(name: "n"), (name: "m", images: ["web:2"])],
                pods: [(names: "p-{{0,1}}", on: Node("n"), start: Pending, image: (name: "web:2", pull: "40s"{size})),
                       (name: "q", on: Node("m"), start: Pending, image: (name: "web:2", pull: "40s"{size}))])"#
        );
        let trace = ran(&plan(&text), 3);
        let said: Vec<String> = trace
            .iter()
            .filter_map(|r| {
                let f = trace.fields(r);
                (f.what == "event").then(|| {
                    format!("{} {}", f.reason.unwrap_or_default(), f.message.unwrap_or_default())
                })
            })
            .filter(|s| s.starts_with("Pull"))
            .collect();
        let accessed = if ["1.36", "1.37"].contains(&version) {
            " and can be accessed by the pod"
        } else {
            ""
        };
        let mut expected = vec![
            "Pulling Pulling image \"web:2\"".to_owned(),
            "Pulling Pulling image \"web:2\"".to_owned(),
            format!("Pulled Container image \"web:2\" already present on machine{accessed}"),
            format!("Pulled Successfully pulled image \"web:2\"{first}"),
            format!("Pulled Successfully pulled image \"web:2\"{second}"),
        ];
        let mut said = said;
        said.sort();
        expected.sort();
        assert_eq!(said, expected, "{version}");
    }
}

/// Which node the pods named `q` come to, with 20 seeds.
fn places(text: &str) -> Vec<String> {
    let of = |seed| {
        let trace = ran(&plan(text), seed);
        let bound = |r: &taintsim::trace::Record| {
            let f = trace.fields(r);
            let is = f.what == "pod-bound" && f.pod?.starts_with("default/q");
            is.then_some(f.node)?
        };
        trace.iter().filter_map(bound).collect::<Vec<String>>()
    };
    (0..20).flat_map(of).collect()
}

/// One of two nodes has the image (`image_locality.go`). Of 500 MiB the half counts, 23 points of 100, so that every pod comes
/// there; of 40 MiB 20, which are fewer than 23 and none, so that the first of two equals is taken, as where no size is said.
#[test]
fn pods_come_to_nodes_that_have_their_image() {
    let text = |size: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.37", horizon: "1m", timing: Ideal, nodes: [(name: "a"), (name: "b", images: ["web:2"])],
                pods: [(name: "q", on: Unbound, image: (name: "web:2", pull: "40s"{size}))])"#
        )
    };
    assert_eq!(places(&text(r#", size: "500Mi""#)), ["b"; 20]);
    for size in ["", r#", size: "40Mi""#] {
        assert_eq!(places(&text(size)), ["a"; 20], "{size}");
    }
}

/// A pod on `a` pulls the image until 40 s. Its node is checked at 5, 15, …, 45 s, and says so then: a pod that comes at 42 s goes
/// to the node that has less on it, one that comes at 50 s to `a`, which the image is worth 23 points and its pod costs one or two.
#[test]
fn the_scheduler_hears_of_an_image_with_a_status() {
    let image = r#"image: (name: "web:2", pull: "40s", size: "500Mi")"#;
    let text = |at: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.37", horizon: "1m", timing: Ideal, nodes: [(names: "{{a,b}}", status_offset: "5s")],
                pods: [(name: "p", on: Node("a"), start: Pending, {image})],
                timeline: [(at: "{at}", do: CreatePod(pod: (name: "q", on: Unbound, {image})))])"#
        )
    };
    assert_eq!(places(&text("42s")), ["b"; 20]);
    assert_eq!(places(&text("50s")), ["a"; 20]);
    // One that runs there from the start has it.
    let runs = text("1s").replace(", start: Pending", "");
    assert_eq!(places(&runs), ["a"; 20]);
}

/// Settings and names that upstream does not take are refused, and where a release lacks one that is said.
#[test]
fn what_is_refused() {
    let pod = r#"(name: "p", on: Node("n"), image: (name: "web:2", pull: "40s"))"#;
    let refused = |text: &str| built(text, &[]).map(drop).unwrap_err();
    let both =
        r#"flags: (kubelet: {"serialize-image-pulls": true, "max-parallel-image-pulls": 3})"#;
    let told = refused(&case(pod, both));
    assert!(told.contains("maxParallelImagePulls cannot be larger than 1"), "{told}");
    let one = r#"flags: (kubelet: {"max-parallel-image-pulls": 3})"#;
    let told = refused(&case(pod, one).replace("1.37", "1.26"));
    assert!(told.contains("serialize-image-pulls: false"), "{told}");
    let told = refused(&case(&pod.replace("web:2", "[web]"), ""));
    assert!(told.contains("is not the name of an image"), "{told}");
    let told = refused(&case(&pod.replace(r#""40s""#, r#""40s", size: "-1""#), ""));
    assert!(told.contains("-1 is negative"), "{told}");
    let beside = pod.replace(
        r#"image:"#,
        r#"containers: [(name: "log", image: (name: "[log]", pull: "1s"))], image:"#,
    );
    let told = refused(&case(&beside, ""));
    assert!(told.contains("is not the name of an image"), "{told}");
}

/// The summary says how long pods waited, and `explain` in which place one stands in line.
#[test]
fn people_are_told() {
    let scratch = Scratch::new();
    let pods = r#"(names: "p-{0..2}", on: Node("n"), start: Pending, image: (name: "web:2", pull: "40s"))"#;
    scratch.write("case.ron", case(pods, ""));
    let said = scratch.call(&["run", "case.ron", "--out", "out"]).stdout;
    // (40 + 40.5 + 41) / 3
    assert!(said.contains("3 pulls waited for, 40.5s on average, 41s the longest"), "{said}");
    let said = unfolded(&scratch.call(&["explain", "case.ron", "pod/p-2", "--at", "20s"]).stdout);
    let told =
        "it waits for the pull of its image web:2, with 2 before it on its node since 0:00.000";
    assert!(said.contains(told), "{said}");
}
