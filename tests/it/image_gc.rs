//! Images that kubelets delete because their disk is too full, or because nobody has used them for too long: what follows from
//! upstream's source (`pkg/kubelet/images/image_gc_manager.go`) by arithmetic. With `timing: Ideal` collectors begin with the run, and
//! look every five minutes: at 0, 300, 600 s and so on.

use super::plans::{built, plan, ran};
use taintsim::trace::Trace;

/// What becomes of images, in seconds: those that are deleted, and what kubelets say when they cannot free enough.
fn told(trace: &Trace) -> Vec<String> {
    let line = |r: &taintsim::trace::Record| {
        let f = trace.fields(r);
        let at = r.at.as_millis() as f64 / 1000.0;
        match (f.what, f.reason.as_deref()) {
            ("image-deleted", _) => Some(format!("{at} {}", f.message.unwrap_or_default())),
            ("event", Some(reason @ ("FreeDiskSpaceFailed" | "ImageGCFailed"))) => {
                Some(format!("{at} {reason} {}", f.message.unwrap_or_default()))
            }
            _ => None,
        }
    };
    trace.iter().filter_map(line).collect()
}

/// The times alone, each with the word behind it.
fn in_short(told: &[String]) -> Vec<String> {
    let short = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    told.iter().map(short).collect()
}

/// A node of 100 GiB that uses so many itself and has these images from the start, under these flags, whose disk is never short.
fn node(version: &str, used: u32, flags: &str, images: &str, more: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "22m", timing: Ideal,
            flags: (kubelet: {{"eviction-hard": "memory.available<100Mi", {flags}}}),
            nodes: [(name: "n", capacity: {{"ephemeral-storage": "100Gi"}}, usage: {{"ephemeral-storage": "{used}Gi"}}, images: [{images}])], {more})"#
    )
}

/// A pod of an image of so many GiB.
fn pod(name: &str, size: u32) -> String {
    format!(
        r#"(name: "{name}", on: Node("n"), image: (name: "{name}:1", pull: "30s", size: "{size}Gi")),"#
    )
}

fn deleted(at: u32, pod: &str) -> String {
    format!(r#"(at: "{at}s", do: DeletePod(pod: "{pod}")),"#)
}

/// Images of 10, 20 and 5 GiB with 55 others: 90 % are used, 10 GiB have to go for 80 %. The one of 5 has never been used, that of
/// 10 until 100 s and that of 20 until 400 s. From 1.29 on the first is found at 0 s and too young then; at 300 s it goes, and
/// then that of 10, which was last seen in use at 0 s. Before, it counts as old: it goes at 0 s, which is too little, and that of
/// 10 at 300 s, when 85 % are used.
#[test]
fn the_image_goes_first_that_was_used_longest_ago() {
    let case = |version: &str| {
        let pods = [pod("ten", 10), pod("twenty", 20)].concat();
        let later = pod("five", 5);
        let timeline = format!(
            r#"{}{}(at: "21m", do: CreatePod(pod: {}))"#,
            deleted(100, "ten"),
            deleted(400, "twenty"),
            later.trim_end_matches(',')
        );
        let more = format!("pods: [{pods}], timeline: [{timeline}]");
        told(&ran(&plan(&node(version, 55, "", r#""five:1""#, &more)), 1))
    };
    let by_age = ["300 image five:1", "300 image ten:1"];
    let said = "0 FreeDiskSpaceFailed Insufficient free disk space on the node's image filesystem (90% of 100.0 GiB used). \
        Failed to free sufficient space by deleting unused images (freed 0 bytes). \
        Investigate disk usage, as it could be used by active images, logs, volumes, or other data.";
    for version in ["1.35", "1.37"] {
        assert_eq!(case(version), [&[said][..], &by_age[..]].concat(), "{version}");
    }
    let said = "0 FreeDiskSpaceFailed Failed to garbage collect required amount of images. \
        Attempted to free 10737418240 bytes, but only found 0 bytes eligible to free.";
    for version in ["1.29", "1.34"] {
        assert_eq!(case(version), [&[said][..], &by_age[..]].concat(), "{version}");
    }
    let of_old = |said: &str| {
        [
            "0 image five:1".to_owned(),
            format!("0 FreeDiskSpaceFailed {said}"),
            "300 image ten:1".to_owned(),
        ]
    };
    let attempted = "Failed to garbage collect required amount of images. \
        Attempted to free 10737418240 bytes, but only found 5368709120 bytes eligible to free.";
    let wanted = "failed to garbage collect required amount of images. \
        Wanted to free 10737418240 bytes, but freed 5368709120 bytes";
    assert_eq!(case("1.28"), of_old(attempted));
    assert_eq!(case("1.26"), of_old(attempted));
    assert_eq!(case("1.25"), of_old(wanted));
    assert_eq!(case("1.18"), of_old(wanted));
}

/// 90 GiB are used, and nothing can be freed: the second failure in a row has an event more, and so have those after it.
#[test]
fn what_fails_again_is_said_to() {
    let more = format!("pods: [{}]", pod("one", 1));
    let failing = in_short(&told(&ran(&plan(&node("1.37", 89, "", "", &more)), 1)));
    let both =
        |at: u32| ["FreeDiskSpaceFailed", "ImageGCFailed"].map(|said| format!("{at} {said}"));
    let after: Vec<String> = [300, 600, 900, 1200].into_iter().flat_map(both).collect();
    assert_eq!(failing, [&["0 FreeDiskSpaceFailed".to_owned()][..], &after[..]].concat());
    // Of 84 GiB and some bytes 84 % are used; of 85, 85.
    let at =
        |used: u32, flags: &str| told(&ran(&plan(&node("1.37", used, flags, "", &more)), 1)).len();
    assert_eq!([at(82, ""), at(83, ""), at(84, "")], [0, 0, 9]);
    assert_eq!(at(84, r#""image-gc-high-threshold": 86"#), 0);
    assert_eq!(at(89, r#""image-gc-high-threshold": 100"#), 0);
    assert_eq!(at(60, r#""image-gc-high-threshold": 60, "image-gc-low-threshold": 50"#), 9);
}

/// 70 GiB are used; 20 are pulled from 10 to 40 s and used until 100 s. They are found at 300 s, where they are too young, and go at 600 s,
/// so that a pod of 700 s pulls them again. Where nothing is said of their size or of the disk's, where they are small or the disk is
/// large, they stay. With a least age of six minutes they are too young at 600 s, too, and in use from 700 s on.
#[test]
fn what_was_pulled_fills_the_disk_and_is_pulled_again() {
    let create = |at: u32, name: &str, size: &str| {
        format!(
            r#"(at: "{at}s", do: CreatePod(pod: (name: "{name}", on: Node("n"), image: (name: "i:1", pull: "30s"{size})))),"#
        )
    };
    let case = |flags: &str, size: &str| {
        let timeline =
            [create(10, "first", size), deleted(100, "first"), create(700, "second", size)]
                .concat();
        node("1.37", 70, flags, "", &format!("timeline: [{timeline}]"))
    };
    let runs = |trace: &Trace| -> Vec<u64> {
        let starts = trace.iter().filter(|r| trace.fields(r).what == "containers-started");
        starts.map(|r| r.at.as_millis()).collect()
    };
    let size = r#", size: "20Gi""#;
    let trace = ran(&plan(&case("", size)), 1);
    let expected = [
        "300 FreeDiskSpaceFailed",
        "600 image",
        "900 FreeDiskSpaceFailed",
        "1200 FreeDiskSpaceFailed",
        "1200 ImageGCFailed",
    ];
    assert_eq!(in_short(&told(&trace)), expected);
    assert_eq!(runs(&trace), [41_000, 731_000]);
    for other in [
        case("", ""),
        case("", r#", size: "10Gi""#),
        case("", size).replace(r#""ephemeral-storage": "100Gi""#, r#""cpu": "4""#),
        case("", size).replace("100Gi", "200Gi"),
    ] {
        let trace = ran(&plan(&other), 1);
        assert_eq!((told(&trace), runs(&trace)), (Vec::new(), vec![41_000, 701_000]));
    }
    let trace = ran(&plan(&case(r#""minimum-image-ttl-duration": "6m""#, size)), 1);
    let fails = |at: u32| format!("{at} FreeDiskSpaceFailed");
    let again = |at: u32| [fails(at), format!("{at} ImageGCFailed")];
    let expected = [&[fails(300)][..], &[600, 900, 1200].map(again).concat()].concat();
    assert_eq!((in_short(&told(&trace)), runs(&trace)), (expected, vec![41_000, 701_000]));
    // Where thresholds are as upstream has them less than 15 GiB are too little: the look at 40 s finds 10.
    let short = case("", size).replace(r#""eviction-hard": "memory.available<100Mi","#, "");
    let trace = ran(&plan(&short), 1);
    let pressed = trace.iter().find(|r| trace.fields(r).kind == Some("DiskPressure"));
    assert!(pressed.is_some_and(|r| (40_000..=50_000).contains(&r.at.as_millis())));
}

/// Images of all containers take up disk: 60 GiB are used, 1 and 30 are pulled, and 91 % are more than the 85 at which images go. Used until
/// 400 s, both go at 600 s by their last use of 300 s, for 80 %: that of 30 GiB does, whichever container it is of.
#[test]
fn images_of_every_container_take_up_disk() {
    let image = |name: &str, size: u32| {
        format!(r#"image: (name: "{name}:1", pull: "10s", size: "{size}Gi")"#)
    };
    let (small, large) = (image("small", 1), image("large", 30));
    let init = r#"ends: (after: "1s")"#;
    for pod in [
        format!(r#"{large}, containers: [(name: "b", {small})]"#),
        format!(r#"{small}, containers: [(name: "b", {large})]"#),
        format!(r#"{small}, initContainers: [(name: "i", {large}, {init})]"#),
        format!(r#"initContainers: [(name: "i", {large}, {init}), (name: "j", {small}, {init})]"#),
    ] {
        let more = format!(
            r#"pods: [(name: "p", on: Node("n"), start: Pending, {pod})], timeline: [{}]"#,
            deleted(400, "p")
        );
        let told = told(&ran(&plan(&node("1.37", 60, "", "", &more)), 1));
        assert_eq!(in_short(&told)[0], "300 FreeDiskSpaceFailed", "{pod}: {told:?}");
        let large = told.iter().filter(|line| line.ends_with("large:1")).count();
        assert_eq!(large, 1, "{pod}: {told:?}");
    }
}

/// Ten minutes at most. The kubelet has been running for longer than that at 900 s: what was never used goes then, and what was last
/// seen in use at 0 s; that of 300 s is ten minutes old then, and goes at 1200 s.
#[test]
fn images_that_nobody_has_used_for_too_long() {
    let pods = [pod("early", 1), pod("late", 1), pod("kept", 1)].concat();
    let later = pod("never", 1);
    let timeline = format!(
        r#"{}{}(at: "21m30s", do: CreatePod(pod: {}))"#,
        deleted(100, "early"),
        deleted(400, "late"),
        later.trim_end_matches(',')
    );
    let more = format!("pods: [{pods}], timeline: [{timeline}]");
    let of = |flags: &str| told(&ran(&plan(&node("1.30", 10, flags, r#""never:1""#, &more)), 1));
    let expected = ["900 image never:1", "900 image early:1", "1200 image late:1"];
    assert_eq!(of(r#""image-maximum-gc-age": "10m""#), expected);
    // One that is off by its thresholds is on with an age.
    let high = r#""image-gc-high-threshold": 100, "image-maximum-gc-age": "10m""#;
    assert_eq!(of(high), expected);
    assert_eq!(of(""), Vec::<String>::new());
}

/// A finished Job's pod keeps its container, which uses its image: with 55 GiB of the node's own and 1 GiB of a pod that runs, 86 % are
/// used at 600 s, and nothing may go. At 900 s less than 10 GiB are free: where disk is short the kubelet deletes the containers of
/// pods that have ended before the images that nobody uses (`eviction/helpers.go: buildSignalToNodeReclaimFuncs`), which leaves
/// 39 GiB, and nobody is evicted.
#[test]
fn a_finished_pod_keeps_its_image_until_disk_is_short() {
    let pods = pod("web", 1);
    let job = r#"Job(name: "j", placement: Node("n"), template: (ends: (after: "1m"), image: (name: "batch:1", pull: "10s", size: "30Gi")))"#;
    for version in ["1.18", "1.34", "1.37"] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "22m", timing: Ideal,
                flags: (kubelet: {{"eviction-hard": "nodefs.available<10%"}}),
                nodes: [(name: "n", capacity: {{"ephemeral-storage": "100Gi"}}, usage: {{"ephemeral-storage": "40Gi, 6m: 55Gi, 15m: 60Gi"}})],
                pods: [{pods}], workloads: [{job}])"#
        );
        let trace = ran(&plan(&text), 1);
        let expected = ["600 FreeDiskSpaceFailed", "900 image"];
        assert_eq!(in_short(&told(&trace)), expected, "{version}");
        assert!(told(&trace)[1].ends_with("batch:1"));
        assert!(trace.iter().all(|r| trace.fields(r).status != Some("Failed")), "{version}");
    }
}

/// 20 of 100 GiB are free from 600 s on, less than a quarter: the pod is evicted, which takes a second, and is cleaned up a second
/// later. The look of then deletes its containers and its image of 30 GiB; five minutes later the pressure is over.
#[test]
fn the_image_of_an_evicted_pod_goes_with_it() {
    let text = node("1.34", 50, "", "", &format!("pods: [{}]", pod("i", 30)))
        .replace("memory.available<100Mi", "nodefs.available<25%")
        .replace("50Gi", "40Gi, 10m: 50Gi");
    let trace = ran(&plan(&text), 1);
    assert_eq!(told(&trace), ["602 image i:1"]);
    let pressure = |r| Some(trace.fields(r)).filter(|f| f.kind == Some("DiskPressure"));
    let told: Vec<_> = trace.iter().filter_map(pressure).filter_map(|f| f.status).collect();
    assert_eq!(told, ["True", "False"]);
}

/// Of images without names as much goes as it takes, if the flags are given: 30 of 90 GiB, of which 10 have to go; where the threshold of
/// a node is another, none. Without flags and sizes none is ever collected.
#[test]
fn images_without_names_go_as_far_as_it_takes() {
    let case = |flags: &str| {
        let text = node("1.28", 60, flags, "", "");
        let other = text.replace(r#"nodes: [(name: "n","#, r#"nodes: [(names: ["n", "m"],"#);
        other.replace("images: []", r#"unused_images: "30Gi""#)
    };
    let flags = r#""image-gc-high-threshold": 85"#;
    let text = "0 images that nobody uses, 10737418240 bytes";
    assert_eq!(told(&ran(&plan(&case(flags)), 1)), [text, text]);
    assert_eq!(told(&ran(&plan(&case("")), 1)), Vec::<String>::new());
    let own = r#"unused_images: "30Gi"), (name: "o", kubelet: {"image-gc-high-threshold": 95}, capacity: {"ephemeral-storage": "100Gi"}, usage: {"ephemeral-storage": "60Gi"}, unused_images: "30Gi""#;
    let pools = case(flags).replace(r#"unused_images: "30Gi""#, own);
    assert_eq!(told(&ran(&plan(&pools), 1)), [text, text]);
}

/// Collectors of kubelets that have been running for long begin at any time within their period, and what they do is the same whether
/// heartbeats are computed or not.
#[test]
fn collectors_begin_anywhere() {
    let mut begun = std::collections::BTreeSet::new();
    for seed in 0..6 {
        let pods = [pod("ten", 10), pod("twenty", 20)].concat();
        let more = format!("pods: [{pods}], timeline: [{}]", deleted(100, "ten"));
        let text = node("1.37", 60, "", "", &more).replace("timing: Ideal", "timing: Typical");
        let all = told(&ran(&plan(&text), seed));
        let at = |line: &String| line.split(' ').next().and_then(|at| at.parse::<f64>().ok());
        let gone = all.iter().find(|l| l.ends_with("image ten:1")).and_then(at);
        let gone = gone.unwrap_or_else(|| panic!("{all:?}"));
        assert!((100.0..=410.0).contains(&gone), "{all:?}");
        begun.insert(gone as u64);
    }
    assert!(begun.len() > 3, "{begun:?}");
}

/// In upstream's words, where it has some.
#[test]
fn what_is_refused_and_what_is_told() {
    let refused =
        |version: &str, flags: &str| built(&node(version, 1, flags, "", ""), &[]).map(drop);
    for (version, flags, said) in [
        ("1.37", r#""image-gc-high-threshold": 101"#, "101 is not between 0 and 100"),
        (
            "1.37",
            r#""image-gc-high-threshold": 80"#,
            "(--image-gc-low-threshold) 80 must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 80",
        ),
        (
            "1.37",
            r#""image-maximum-gc-age": "1m""#,
            "imageMaximumGCAge 1m0s must be greater than imageMinimumGCAge 2m0s",
        ),
        ("1.29", r#""image-maximum-gc-age": "1h""#, "ImageMaximumGCAge feature gate is required"),
        ("1.37", r#""minimum-image-ttl-duration": 5"#, "\"5s\" is 5 seconds"),
    ] {
        let told = refused(version, flags).unwrap_err();
        assert!(told.contains(said), "{flags}: {told}");
    }
    let gate = node("1.29", 1, r#""image-maximum-gc-age": "1h""#, "", "");
    let gate = gate.replace("timing:", r#"feature_gates: {"ImageMaximumGCAge": true}, timing:"#);
    let notes = |text: &str| plan(text).notes.join("\n");
    let idle = "Not simulated: garbage collection of images.";
    assert!(notes(&gate).contains(idle), "nothing says how large images are");
    assert!(!notes(&gate.replace("images: []", r#"unused_images: "1Gi""#)).contains(idle));
}
