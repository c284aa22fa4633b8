//! What a person should know before a figure or a passed test is believed, and where it is said.

use super::{Scratch, unfolded};

/// A StatefulSet of sixty without a placement makes its pods one after another, at two seconds of
/// start each: it cannot be whole one minute after the start. The nodes of zone b are cut off then.
const NOT_YET_WHOLE: &str = r#"Scenario(version: 1, horizon: "12m",
    nodes: [(names: "a-{0..2}", zone: "a"), (names: "b-{0..2}", zone: "b")],
    workloads: [StatefulSet(name: "db", replicas: 60)],
    timeline: [(at: "1m", name: "cut b", do: Partition(nodes: Zone("b"), duration: "5m"))])"#;

#[test]
fn what_was_not_whole_when_a_fault_came_is_not_undamaged() {
    let scratch = Scratch::new();
    scratch.write("late.ron", NOT_YET_WHOLE);
    let ran = scratch.call(&["run", "late.ron", "--summary", "--html"]);
    let words = unfolded(&ran.stdout);
    for said in [
        "late.ron:4:33: Still being made when `cut b` came, at 1m",
        "StatefulSet default/db (whole at ",
        "Give workloads a `placement`",
        "when it was first whole; cut b came before",
        "of 1 workload not counted before first whole",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
    assert!(!words.contains("always up"), "{words}");
    let summary = scratch.text("output/late/summary.json");
    assert!(summary.contains("Still being made when `cut b` came"));
    assert!(summary.contains("\"not_whole_at_first_fault\": true"));
    let chart = scratch.text("output/late/workloads.svg");
    assert!(chart.contains("when it was first whole; cut b came before"));
    // As `explain` and `sweep` say of it.
    let explained = scratch.call(&["explain", "late.ron", "statefulset/db"]);
    let words = explained.stdout.split_whitespace().collect::<Vec<_>>();
    let words = words.join(" ");
    assert!(words.contains("when it was first whole; cut b came before"), "{words}");
    assert!(!words.contains("it never had too few;") && !words.ends_with("it never had too few"));
    let sweep = ["sweep", "late.ron", "--seeds", "2", "-q"];
    let ran = scratch.call(&sweep);
    let words = unfolded(&ran.stdout);
    let said = "what was missing before is not counted: StatefulSet default/db (in 2 of 2 runs)";
    assert!(words.contains(said), "{words}");
    let json = scratch.call(&[&sweep[..], &["-o", "json"]].concat());
    assert!(json.stdout.contains(said), "{}", json.stdout);
    // Cut off at 1m they are whole only after that, and nothing of it counts; by 5m they are, as 60 pods take two minutes
    // and some.
    let at = "timeline.cut b.at=1m,5m";
    let ran = scratch.call(&["sweep", "late.ron", "--seeds", "2", "-q", "--set", at]);
    let words = unfolded(&ran.stdout);
    assert!(words.contains("StatefulSet default/db (in 2 of 4 runs, of row 1m)"), "{words}");
    assert!(words.contains(" missing 1m - - 0 0 "), "{words}");
    // With a placement they are there from the start.
    let placed = NOT_YET_WHOLE.replace("replicas: 60", "replicas: 60, placement: Spread(All)");
    scratch.write("placed.ron", placed);
    let ran = scratch.call(&["run", "placed.ron", "--summary"]);
    assert!(!ran.stdout.contains("Still being made"), "{}", ran.stdout);
    let ran = scratch.call(&["sweep", "placed.ron", "--seeds", "2", "-q"]);
    assert!(!ran.stdout.contains("Still being made"), "{}", ran.stdout);
}

/// What of pods that are still being made is not counted is met in silence nowhere: not by what is true, nor by the API,
/// over a moment or the run. Cut off from 1:00 to 6:00, the 30 pods that are not there by then, and are made one after
/// another, are there by 9:00. Six that take two minutes to start are not at 1:00 either.
#[test]
fn a_test_of_what_was_not_whole_is_warned_of() {
    let scratch = Scratch::new();
    let said = |text: &str, expect: &str| {
        let text = text.strip_suffix(')').unwrap();
        said_by_a_test(&scratch, &format!("{text}, expect: [{expect}])"))
    };
    let of_db = [
        r#"AtMost(of: missing("db"), is: 0)"#,
        r#"Equal(of: missing("*"), is: 0, during: ("0s", "5m"))"#,
        r#"AtMost(of: dead_endpoints("db"), is: 0)"#,
        r#"AtMost(of: below_need("db"), is: "0s")"#,
        r#"AtMost(of: unavailable("db"), is: 0)"#,
        r#"AtMost(of: unavailable_seconds("db"), is: "1s")"#,
        r#"AtMost(of: longest_gap("db"), is: "1s")"#,
        r#"Always(AtMost(of: missing("db"), is: 0))"#,
        r#"Never(AtLeast(of: missing("db"), is: 5))"#,
        r#"Eventually(that: AtMost(of: missing("db"), is: 0), after: "cut b", within: "1m")"#,
    ];
    for expect in of_db {
        let words = said(NOT_YET_WHOLE, expect);
        let kind = &expect[..expect.find('(').unwrap()];
        let why = format!("{kind}: StatefulSet default/db is counted from 7m");
        assert!(words.contains(&why), "{expect}: {words}");
        assert!(words.contains("when it was first whole; cut b came before"), "{expect}: {words}");
        assert!(words.contains("help: give it a `placement`"), "{expect}: {words}");
    }
    // At 2:00 nobody knows yet whether it is ever whole.
    let words = said(&NOT_YET_WHOLE.replacen("12m", "2m", 1), of_db[0]);
    assert!(words.contains("default/db is not counted, as it was never whole; cut b came before"));
    for expect in [
        r#"AtMost(of: missing("db"), is: 0, during: ("0s", "59s"))"#,
        r#"AtMost(of: missing("db"), is: 0, during: ("9m", "12m"))"#,
        r#"AtMost(of: pending("db"), is: 60)"#,
    ] {
        let words = said(NOT_YET_WHOLE, expect);
        assert!(!words.contains("came before"), "{expect}: {words}");
    }
    let web = r#"Scenario(version: 1, horizon: "15m",
        nodes: [(names: "a-{0..2}", zone: "a"), (names: "b-{0..2}", zone: "b")],
        workloads: [Deployment(name: "web", replicas: 6, template: (pod_start: "2m"))],
        timeline: [(at: "1m", name: "cut b", do: Crash(nodes: Zone("b"), duration: "9m"))])"#;
    let all = [
        r#"AtMost(of: missing("web"), is: 0)"#,
        r#"AtMost(of: below_need("web"), is: "0s")"#,
        r#"AtMost(of: longest_below_need("web"), is: "1s")"#,
    ];
    let words = said(web, &all.join(", "));
    assert_eq!(words.matches("Deployment default/web is counted from").count(), 3, "{words}");
}

/// All at once, sixty are whole long before 1:00, and the thirty of zone b are cut off for five minutes: 150
/// replica-minutes. One after another they are not, and what they cost is not known, which is no nought to compare with.
#[test]
fn what_is_not_counted_is_not_compared() {
    let scratch = Scratch::new();
    scratch.write("late.ron", NOT_YET_WHOLE);
    let parallel = "replicas: 60, podManagementPolicy: Parallel";
    scratch.write("parallel.ron", NOT_YET_WHOLE.replace("replicas: 60", parallel));
    let said = "what was missing before is not counted: StatefulSet default/db (in";
    let both = ["diff", "late.ron", "parallel.ron"];
    let words = unfolded(&scratch.call(&both).stdout);
    for said in
        [format!("{said} 1 of 2 runs, of side A)").as_str(), "replica-minutes missing - 150.00 -"]
    {
        assert!(words.contains(said), "{said}: {words}");
    }
    assert!(!words.contains("+150.00") && !words.contains("pods up at worst"), "{words}");
    let csv = scratch.call(&[&both[..], &["-o", "csv"]].concat()).stdout;
    assert!(csv.contains("\n,replica_minutes_missing,,150,,false,"), "{csv}");
    let json = scratch.call(&[&both[..], &["-o", "json"]].concat()).stdout;
    assert!(json.contains(said), "{json}");
    let releases = ["diff", "late.ron", "--against", "1.32"];
    for (seeds, runs, row) in [("1", "in 2 of 2", "- - -"), ("2", "in 4 of 4", "- - - 0 0")] {
        let many = if seeds == "1" { vec![] } else { vec!["--seeds", seeds, "-q"] };
        let words = unfolded(&scratch.call(&[&releases[..], &many[..]].concat()).stdout);
        for said in [format!("{runs} runs)"), format!("replica-minutes missing {row}")] {
            assert!(words.contains(&said), "{said}: {words}");
        }
        assert!(!words.contains("every figure"), "{words}");
    }
}

/// A pod is made once the one before it is up, which takes 2 s and some milliseconds: 60 of them are not there before
/// the 29th is bound to a node that is cut off, and not at 7:30. What never was whole is not counted, whenever the run ends. Nodes have room for
/// 24 pods of a CPU, which takes 50 s: that the 25th waits is no doing of a fault at 1:00.
#[test]
fn what_is_never_whole_is_counted_only_where_it_could_not_be() {
    let scratch = Scratch::new();
    let words = |name: &str| unfolded(&scratch.call(&["run", name, "--summary"]).stdout);
    let true_in = |name: &str| {
        let summary = scratch.text(&format!("output/{name}/summary.json"));
        summary.contains("\"not_whole_at_first_fault\": true")
    };
    for horizon in ["2m", "5m", "7m30s"] {
        let text = NOT_YET_WHOLE.replacen("12m", horizon, 1);
        scratch.write("never.ron", text);
        let words = words("never.ron");
        for said in [
            "StatefulSet default/db (never whole)",
            "not counted, as it was never whole; cut b came before",
            "0.0 replica-minutes missing; of 1 workload not counted before first whole",
        ] {
            assert!(words.contains(said), "{horizon}: {said}: {words}");
        }
        assert!(true_in("never"), "{horizon}");
    }
    let full = NOT_YET_WHOLE
        .replace("replicas: 60", "replicas: 60, template: (requests: {\"cpu\": \"1\"})");
    scratch.write("full.ron", full);
    let words = words("full.ron");
    assert!(words.contains("24 of 60 up at the end; never whole, as its pods were held up before cut b came, at worst 0"), "{words}");
    assert!(!words.contains("Still being made"), "{words}");
    assert!(true_in("full"));
}

/// While no volume is made no pod is up, which is no fault of nodes: nothing is counted before 20:00, and nothing at all
/// of a run that ends before that. A cordon of every node at 0 s holds pods up as well.
#[test]
fn what_an_outage_keeps_from_starting_is_not_well() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "45m", nodes: [(names: "a-{0..2}", zone: "a")],
        workloads: [StatefulSet(name: "db", replicas: 3, podManagementPolicy: Parallel,
            template: (volumes: [(claim: "10Gi", provision: "8s")]))],
        timeline: [(at: "0s", do: ProvisioningOutage(duration: "20m"))])"#;
    let outage = "do: ProvisioningOutage(duration: \"20m\")";
    assert!(text.contains(outage));
    let never = "not counted, as it was never whole; ";
    for (name, text, said) in [
        ("late.ron", text.to_owned(), "when it was first whole; provisioning outage came before"),
        ("never.ron", text.replace("45m", "19m"), never),
        ("cordon.ron", text.replace(outage, "do: Cordon(nodes: All)"), never),
    ] {
        scratch.write(name, &text);
        let ran = scratch.call(&["run", name, "--summary"]);
        let words = unfolded(&ran.stdout);
        for said in ["Still being made when", "0.0 replica-minutes missing; of 1 workload", said] {
            assert!(words.contains(said), "{name}: {said}: {words}");
        }
        assert!(!words.contains("were up from"), "{name}: {words}");
    }
    let explained = scratch.call(&["explain", "late.ron", "statefulset/db"]);
    let words = unfolded(&explained.stdout);
    assert!(words.contains("provisioning outage came before; it never had too few from then on"));
}

/// Without `placement`, and with a fault long after: up from when it was whole, and not always.
#[test]
fn what_was_made_first_was_not_always_up() {
    let scratch = Scratch::new();
    let later = NOT_YET_WHOLE.replace("replicas: 60", "replicas: 2");
    scratch.write("made.ron", later.replace("at: \"1m\"", "at: \"11m59s\""));
    let ran = scratch.call(&["run", "made.ron", "--summary"]);
    assert!(!ran.stdout.contains("always up"), "{}", ran.stdout);
}

#[test]
fn nothing_is_said_of_the_pods_of_a_workload_that_wants_none() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(name: "a", zone: "x")],
        workloads: [Deployment(name: "w", replicas: 0)],
        timeline: [(at: "0s", do: Crash(node: "a"))])"#;
    scratch.write("none.ron", text);
    let ran = scratch.call(&["run", "none.ron", "--summary"]);
    assert!(
        !ran.stdout.contains("always up") && !ran.stdout.contains("pods take"),
        "{}",
        ran.stdout
    );
    // One that is scaled later has some.
    scratch.write(
        "later.ron",
        text.replace("Crash(node: \"a\")", "Scale(workload: \"w\", replicas: 1)"),
    );
    let ran = scratch.call(&["run", "later.ron", "--summary"]);
    assert!(ran.stdout.contains("pods take"), "{}", ran.stdout);
}

/// The crash is noticed after 40 s at the earliest: ten seconds after it the API still has all
/// three pods, as it had before.
#[test]
fn a_test_that_is_met_at_its_first_moment_is_warned_of_in_every_form() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))],
        timeline: [(at: "1m", name: "c", do: Crash(node: "a-1"))],
        expect: [Eventually(that: AtLeast(of: available("web"), is: 3), after: "c", within: "10s")])"#;
    scratch.write("vacuous.ron", text);
    for form in ["human", "json=said.json", "junit=said.xml", "github", "tap"] {
        let tested = scratch.call(&["test", "vacuous.ron", "--reporter", form]);
        assert_eq!(tested.code, 0, "{form}: {}", tested.stderr);
        let said = form.split_once('=').map_or(tested.stdout, |(_, file)| scratch.text(file));
        assert!(said.contains("first moment") && said.contains("warning"), "{form}: {said}");
    }
}

/// Pods of six cores on nodes of four.
#[test]
fn pods_larger_than_their_nodes_are_warned_of() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{0..3}", capacity: {"cpu": "4"})],
        workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All), template: (requests: {"cpu": "6"}))],
        timeline: [(at: "1m", name: "c", do: Crash(node: "a-1"))],
        expect: [Never(PodStuck)])"#;
    scratch.write("over.ron", text);
    for words in [
        &["validate", "over.ron"][..],
        &["validate", "over.ron", "-o", "json"],
        &["test", "over.ron"],
        &["run", "over.ron", "--summary"],
    ] {
        let called = scratch.call(words);
        let said = unfolded(&format!("{}{}", called.stdout, called.stderr));
        assert!(
            said.contains("No node is large enough for a pod of default/web"),
            "{words:?}: {said}"
        );
        assert!(
            said.contains("request more than there is on a-0, a-1, a-2, a-3"),
            "{words:?}: {said}"
        );
    }
}

/// A label that no node has, a budget for another label, and a toleration with a letter missing: each is
/// read without complaint, as the API would, and changes nothing of what was meant.
#[test]
fn what_is_about_nothing_is_said() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{0..2}", zone: "a", labels: {"disk": "ssd"}, taints: ["node.kubernetes.io/unschedulabel:PreferNoSchedule"])],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All), template: (nodeSelector: {"disk": "sdd"}, tolerations: [
            (key: "node.kubernetes.io/unreachble", operator: Exists, effect: NoExecute, tolerationSeconds: 30),
            (key: "node.kubernetes.io/unschedulabel", operator: Exists), (key: "example.com/not-ready", operator: Exists)]))],
        podDisruptionBudgets: [(name: "keep", minAvailable: 2, selector: (matchLabels: {"app": "wbe"}))])"#;
    let said = |text: &str| {
        scratch.write("odd.ron", text);
        let called = scratch.call(&["validate", "odd.ron"]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        unfolded(&called.stderr)
    };
    let odd = said(text);
    for wanted in [
        "No node has the labels that nodeSelector or node affinity of default/web asks for",
        "odd.ron:3:19: default/web tolerates `node.kubernetes.io/unreachble`, a taint that nobody sets: is `node.kubernetes.io/unreachable` meant?",
        "the selector of budget default/keep asks for: it protects nothing",
    ] {
        assert!(odd.contains(wanted), "{odd}");
    }
    let even =
        text.replace("sdd", "ssd").replace("unreachble", "unreachable").replace("wbe", "web");
    assert_eq!(said(&even), "");
}

/// A node's zone is its field or its label `topology.kubernetes.io/zone`: a label `zone` of one that has neither, from the start
/// or given on the way, says nothing of it.
#[test]
fn a_label_that_is_only_called_zone_is_told() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(name: "n", labels: {"zone": "x"}), (name: "m"), (name: "k"),
            (name: "z", zone: "x", labels: {"zone": "x"}), (name: "t", labels: {"zone": "x", "topology.kubernetes.io/zone": "x"})],
        timeline: [(at: "1m", do: Label(node: "m", labels: {"zone": "x"})), (at: "2m", do: Label(node: "k", labels: {"zone": None}))])"#;
    scratch.write("zone.ron", text);
    let said = unfolded(&scratch.call(&["validate", "zone.ron"]).stderr);
    assert!(said.contains("zone.ron:1:"), "{said}");
    assert!(said.contains("The label `zone` of n, m says nothing of a zone"), "{said}");
}

/// No figure is less than nothing, so that neither of the first two can fail; and a claim without its name
/// is told what a field is.
#[test]
fn what_cannot_fail_is_said() {
    let scratch = Scratch::new();
    let of = |expect: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "2m", nodes: [(name: "a")], workloads: [Deployment(name: "web", replicas: 1)],
            expect: [{expect}])"#
        );
        scratch.write("so.ron", text);
        let tested = scratch.call(&["test", "so.ron"]);
        format!("{}{}", tested.stdout, tested.stderr)
    };
    let so = of(r#"Always(AtLeast(of: available("web"), is: 0)), AtLeast(of: evicted("*"), is: 0),
        Always(AtMost(of: available("web"), is: 1))"#);
    assert_eq!(so.matches("at least 0 is so whatever happens").count(), 2, "{so}");
    let nameless = of(r#"Eventually(AtLeast(of: available("web"), is: 1))"#);
    assert!(nameless.contains("expected a field: its name, a colon, and its value"), "{nameless}");
}

/// Nodes with two devices each, of which a pod wants three, and a volume of zone a that a pod has in zone b.
#[test]
fn what_no_scheduler_would_have_done_is_said() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m",
        nodes: [(name: "a-0", zone: "a", devices: [(names: "gpu-{0..1}")]), (name: "b-0", zone: "b")],
        workloads: [
            Deployment(name: "train", replicas: 1, template: (resourceClaims: [(count: 3)])),
            StatefulSet(name: "db", replicas: 2, placement: Nodes(["a-0", "b-0"]), template: (volumes: [(claim: "data", zone: "a")])),
        ])"#;
    scratch.write("odd.ron", text);
    let said = |text: &str| {
        scratch.write("odd.ron", text);
        let called = scratch.call(&["validate", "odd.ron"]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        unfolded(&format!("{}{}", called.stdout, called.stderr))
    };
    let both = said(text);
    assert!(both.contains("No node is large enough for a pod of default/train:"), "{both}");
    assert!(both.contains("start on b-0 have volumes that are not reached from there"), "{both}");
    assert!(!both.contains("on several nodes share"), "{both}");
    let deleted =
        said(&text.replace(r#"(name: "b-0", zone: "b")"#, r#"(name: "b-0", start: Deleted)"#));
    assert!(!deleted.contains("not reached from there"), "{deleted}");
    let shared = said(&text.replace("StatefulSet(", "Deployment("));
    assert!(shared.contains("may have, of default/data: it would not"), "{shared}");
    let none =
        said(&text.replace("count: 3", "count: 2").replace(r#"zone: "a")]"#, r#"access: RWX)]"#));
    assert!(!none.contains("large enough") && !none.contains("not reached"), "{none}");
}

/// A limit of a driver that no volume has and an image that no container has, each one letter beside what is meant; of what a node
/// has beside that nothing is said. A node that takes no volume of a driver is too small for a pod that has one.
#[test]
fn drivers_and_images_of_nodes_may_be_misspelt() {
    let scratch = Scratch::new();
    let said = |driver: &str, limit: u32, image: &str| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "5m",
                nodes: [(names: "n-{{0..1}}", capacity: {{"attachable-volumes-csi-{driver}": "{limit}"}}, images: ["{image}"])],
                workloads: [Deployment(name: "web", replicas: 1, template: (
                    image: (name: "web:1", pull: "10s"), volumes: [(claim: "data", driver: "ebs.csi.aws.com")]))])"#
        );
        scratch.write("n.ron", &text);
        let called = scratch.call(&["validate", "n.ron"]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        unfolded(&format!("{}{}", called.stdout, called.stderr))
    };
    let both = said("ebs.csi.aws.con", 1, "web:2");
    for wanted in [
        "`attachable-volumes-csi-ebs.csi.aws.con` of nodes limits nothing: no volume has that driver, did you mean `ebs.csi.aws.com`?",
        "Nodes have the image `web:2`, which is no container's: did you mean `web:1`?",
    ] {
        assert!(both.contains(wanted), "{wanted} in {both}");
    }
    let none = said("ebs.csi.aws.com", 1, "web:1");
    assert!(!none.contains("did you mean") && !none.contains("large enough"), "{none}");
    let small = said("ebs.csi.aws.com", 0, "web:1");
    assert!(small.contains("No node is large enough for a pod of default/web"), "{small}");
}

/// A claim on all devices of a node, of which it may be allocated 32 (`AllocationResultsMaxSize` of
/// `staging/src/k8s.io/api/resource/v1/types.go`): a node of 33 has too many, and what another driver has is none of them.
#[test]
fn all_devices_of_a_node_may_be_too_many() {
    let scratch = Scratch::new();
    let said = |devices: &str, claim: &str| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m", nodes: [(name: "a-0", devices: [{devices}])],
            workloads: [Deployment(name: "train", replicas: 1, template: (resourceClaims: [({claim})]))])"#
        );
        scratch.write("all.ron", text);
        let called = scratch.call(&["validate", "all.ron"]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        let said = unfolded(&format!("{}{}", called.stdout, called.stderr));
        (
            said.contains("large enough for a pod of default/train:"),
            said.contains("32 devices at most"),
        )
    };
    let other = r#"(names: "gpu-0"), (driver: "nic.example.com", names: "nic-{0..32}")"#;
    let all = "allocationMode: All";
    assert_eq!(said(r#"(names: "gpu-{0..32}")"#, all), (true, true));
    assert_eq!(said(r#"(names: "gpu-{0..31}")"#, all), (false, false));
    assert_eq!(said(other, all), (false, false));
    assert_eq!(said(other, "count: 2"), (true, false));
}

/// A pod that is bound and has not started waits for the volume that another node has.
#[test]
fn a_pod_that_has_not_started_shares_no_volume() {
    let scratch = Scratch::new();
    for (start, shares) in [("", true), (", start: Pending", false)] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "1m", nodes: [(names: "a-{{0..1}}")], pods: [
                (name: "old", on: Node("a-0"), volumes: [(claim: "data")]),
                (name: "new", on: Node("a-1"), volumes: [(claim: "data")]{start})])"#
        );
        scratch.write("shared.ron", text);
        let called = scratch.call(&["validate", "shared.ron"]);
        let said = unfolded(&format!("{}{}", called.stdout, called.stderr));
        assert_eq!((called.code, said.contains("share a volume")), (0, shares), "{start}: {said}");
    }
}

/// A user taints two of three nodes: nodes that fail are none, and the two are told beside them.
#[test]
fn nodes_that_others_taint_are_told() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "5m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))],
        timeline: [(at: "1m", do: Taint(nodes: Nodes(["a-0", "a-1"]), taint: "k:NoExecute")),
            (at: "2m", do: Taint(node: "a-2", taint: "k:NoSchedule"))])"#;
    scratch.write("by.ron", text);
    let ran = scratch.call(&["run", "by.ron", "--summary"]);
    let words = unfolded(&ran.stdout);
    assert!(words.contains("nodes NoExecute 0; 2 by others"), "{words} {}", ran.stderr);
    let summary = scratch.text("output/by/summary.json");
    assert!(summary.contains("\"nodes_tainted_by_others\": 2"), "{summary}");
}

/// Six pods end with their node, which is told to go off; the head of the scenario has when. Those of the
/// DaemonSet that are refused ran at no time.
#[test]
fn pods_that_end_with_their_node_are_counted() {
    let scratch = Scratch::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/graceful-shutdown.ron");
    let ran = scratch.call(&["run", file, "--summary"]);
    let words = unfolded(&ran.stdout);
    assert!(words.contains("shut down 6 pods, with their nodes"), "{words}");
    let summary = scratch.text("output/graceful-shutdown/summary.json");
    assert!(summary.contains("\"pods_shut_down\": 6"), "{summary}");
}

/// What `test` says of a scenario, `so.ron`, whose expectations are met.
pub(super) fn said_by_a_test(scratch: &Scratch, text: &str) -> String {
    scratch.write("so.ron", text);
    let tested = scratch.call(&["test", "so.ron"]);
    assert_eq!(tested.code, 0, "{}", tested.stderr);
    unfolded(&format!("{}{}", tested.stdout, tested.stderr))
}

/// Any number of evictions, and none before the fault: neither can fail. With a bound on their
/// number or their times, and past the fault, they can.
#[test]
fn records_that_cannot_fail_are_said() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))],
        timeline: [(at: "1m", name: "c", do: Crash(node: "a-1"))],
        expect: [
            Evicted(workload: "web", count: "0.."),
            Pending(workload: "web", count: "0.."),
            NotEvicted(workload: "web", during: ("0s", "59s")),
            Always(AnyOf([AtLeast(of: available("web"), is: 0), AtMost(of: timers("*"), is: 0)])),
            Evicted(workload: "web", count: "0..3"),
            Evicted(workload: "web", count: "0..", after: "c"),
            NotEvicted(workload: "web", during: ("0s", "2m")),
        ])"#;
    let said = said_by_a_test(&scratch, text);
    for (line, why) in [
        (5, "Evicted: none or more of them is so whatever happens"),
        (6, "Pending: none or more of them is so whatever happens"),
        (7, "NotEvicted: it is looked at until 59s only, and the first that happens is c, at 1m"),
        (8, "Always: at least 0 is so whatever happens"),
    ] {
        assert!(said.contains(&format!("so.ron:{line}:13: {why}")), "{line}: {said}");
    }
    assert_eq!(said.matches("warning: ").count(), 4, "{said}");
}

/// The crash of one minute ends thirty minutes later, and the run after ten: what is to be changed is `horizon`.
#[test]
fn a_warning_of_a_test_has_its_line() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1,
        horizon: "10m", nodes: [(name: "a")],
        timeline: [(at: "1m", name: "late", do: Crash(node: "a", duration: "30m"))],
        expect: [Condition(node: "a", type: Ready, status: Unknown)])"#;
    let said = said_by_a_test(&scratch, text);
    let wanted = "warning: so.ron:2:9: The run ends at 10m, and late would end at 31m";
    assert!(said.contains(wanted), "{said}");
    let ran = unfolded(&scratch.call(&["run", "so.ron", "--summary"]).stdout);
    assert!(ran.contains(wanted.trim_start_matches("warning: ")), "{ran}");
    // Of many files it is said of which one, once.
    for command in ["validate", "test"] {
        let called = scratch.call(&[command, "./so.ron"]);
        let said = unfolded(&format!("{}{}", called.stdout, called.stderr));
        assert!(said.contains(wanted), "{command}: {said}");
    }
}

/// A name without a namespace is one of `default`; a star before all else is any of any.
#[test]
fn a_first_star_stands_for_the_namespace_too() {
    let scratch = Scratch::new();
    let tested = |pod: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "5m", nodes: [(name: "a")],
                workloads: [StatefulSet(name: "db", namespace: "shop", replicas: 1, placement: Node("a"))],
                timeline: [(at: "1m", do: Taint(node: "a", taint: "x=y:NoExecute"))], expect: [NotEvicted(pod: "{pod}")])"#
        );
        scratch.write("star.ron", text);
        scratch.call(&["test", "-q", "star.ron"]).code
    };
    assert_eq!([tested("*-0"), tested("*"), tested("shop/*")], [1, 1, 1]);
    // There is none in `default`.
    assert_eq!(tested("d*"), 2);
}

/// Without a timeline nobody can be evicted; under a flag by which kubelets are heard of too seldom, or with a taint from the
/// start, somebody may be.
#[test]
fn an_eviction_that_nothing_could_bring_about_is_said() {
    let scratch = Scratch::new();
    let text = |node: &str, more: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..2}}"{node})], {more}
                workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All))],
                expect: [NotEvicted(workload: "web"), AtLeast(of: available("web"), is: 2)])"#
        )
    };
    let flag = "flags: (kubelet: {\"node-status-update-frequency\": \"11s\"}),";
    let said = said_by_a_test(&scratch, &text("", ""));
    let why = "so.ron:3:26: NotEvicted: nothing harms a node or pod in this scenario, which has no timeline";
    assert!(said.contains(why), "{said}");
    // That both are there all the time is no more than that.
    assert_eq!(said.matches("warning: ").count(), 2, "{said}");
    for text in [text("", flag), text(", taints: [\"a=b:NoSchedule\"]", "")] {
        let said = said_by_a_test(&scratch, &text);
        assert!(!said.contains("nothing harms"), "{said}");
    }
}

/// A reason that no event has is a mistake. A taint that nothing sets is told, also by its effect, and one that a
/// controller or the scenario sets is not, even where it was not set.
#[test]
fn what_is_misspelt_is_not_met_by_being_absent() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "5m", nodes: [(names: "a-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 1)],
        timeline: [(at: "1m", do: Taint(node: "a-1", taint: "maintenance:NoSchedule"))],
        expect: [
            Event(reason: "TaintManagerEviction", count: 0),
            Tainted(taint: "unreachble:NoExecute", count: 0),
            Tainted(taint: "unreachable:NoExecute", count: 0),
            Tainted(taint: "maintenance:NoExecute", count: 0),
            Untainted(taint: "node.kubernetes.io/out-of-service", count: 0),
        ])"#;
    let said = said_by_a_test(&scratch, text);
    for (line, kind, key) in [
        (6, "Tainted", "unreachble"),
        (8, "Tainted", "maintenance:NoExecute"),
        (9, "Untainted", "node.kubernetes.io/out-of-service"),
    ] {
        let why = format!("so.ron:{line}:13: {kind}: nothing sets a taint `{key}` in this run");
        assert!(said.contains(&why), "{why}: {said}");
    }
    assert_eq!(said.matches("warning: ").count(), 3, "{said}");
    scratch.write("typo.ron", text.replace("TaintManagerEviction", "TaintManagerEvicton"));
    let typo = scratch.call(&["validate", "typo.ron"]);
    assert_eq!(typo.code, 2, "{}", typo.stdout);
    assert!(typo.stderr.contains("did you mean `TaintManagerEviction`?"), "{}", typo.stderr);
    scratch.write("strange.ron", text.replace("TaintManagerEviction", "Strange"));
    let strange = scratch.call(&["validate", "strange.ron"]);
    assert!(strange.stderr.contains("one of `BackOff`, "), "{}", strange.stderr);
}

/// Four pods of zone b, of which the queue of the zone has taken some: why there are not four is a
/// pod of zone b, whatever the pods of zone a are called.
#[test]
fn a_missing_pod_is_one_that_the_expectation_is_about() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "8m",
        nodes: [(names: "a-{0..3}", zone: "a"), (names: "b-{0..3}", zone: "b")],
        workloads: [Deployment(name: "web", replicas: 8, placement: Spread(All))],
        timeline: [(at: "1m", name: "cut", do: Partition(nodes: Zone("b"), duration: "3m"))],
        expect: [Evicted(workload: "web", zone: "b", count: 4)])"#;
    scratch.write("zone.ron", text);
    let tested = scratch.call(&["test", "zone.ron", "-o", "json"]);
    let json: serde_json::Value = serde_json::from_str(&tested.stdout).expect("JSON");
    let notes = json["scenarios"][0]["failures"][0]["notes"].to_string();
    let why = notes.split("why: pod ").nth(1).unwrap_or_else(|| panic!("{notes}"));
    let pod = why.split(':').next().unwrap_or_default();
    let told = scratch.call(&["explain", "zone.ron", &format!("pod/{pod}"), "-q"]);
    assert!(told.stdout.contains("b-"), "{pod}: {}", told.stdout);
}

#[test]
fn nothing_that_must_not_happen_has_bounds() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "5m", nodes: [(name: "a"), (name: "b")],
        timeline: [(at: "1m", name: "x", do: Cordon(node: "a"))],
        workloads: [Deployment(name: "web", replicas: 1)],
        expect: [Bound(node: "a", after: "x", count: 0)])"#;
    scratch.write("bounds.ron", text);
    let called = scratch.call(&["validate", "bounds.ron"]);
    assert_eq!(called.code, 2, "{}", called.stdout);
    assert!(called.stderr.contains(r#"during: ("x", "5m0s")"#), "{}", called.stderr);
    let good = text.replace("after: \"x\"", "during: (\"x\", \"5m\")");
    scratch.write("during.ron", good);
    assert_eq!(scratch.call(&["validate", "during.ron"]).code, 0);
}

#[test]
fn a_field_in_the_wrong_place_is_told_where_it_belongs() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(name: "a")],
        kube-controller-manager: {"node-monitor-grace-period": "50s"})"#;
    scratch.write("top.ron", text);
    let called = scratch.call(&["validate", "top.ron"]);
    let said = "it belongs elsewhere: `flags: (kube-controller-manager: …)`";
    assert!(called.stderr.contains(said), "{}", called.stderr);
}

/// The nodes of zone b go Unknown in several passes, so that its tainting is stopped before no node
/// of it is Ready; a rate of exactly 1 does not start it again, in any release.
#[test]
fn a_rate_of_exactly_one_is_told() {
    let scratch = Scratch::new();
    let race = include_str!("../../../scenarios/races/rate-of-one.ron");
    scratch.write("rate.ron", race);
    let told = scratch.call(&["explain", "rate.ron", "zone/b", "-q"]);
    let said = unfolded(&told.stdout);
    assert!(said.contains("a rate of exactly 1 does not start it again"), "{said}");
    assert!(!said.contains("tainted at --node-eviction-rate=1"), "{said}");
    let ran = scratch.call(&["run", "rate.ron"]);
    assert!(ran.stdout.contains("--node-eviction-rate is exactly 1"));
    assert!(!ran.stdout.contains("one is tainted every 1s"), "{}", ran.stdout);
}

/// `-5m` looks like an option, and is none.
#[test]
fn a_number_below_zero_is_told_as_that() {
    let scratch = Scratch::with_starter();
    for args in [["survey", "a.ron", "--for", "-5m"], ["run", "a.ron", "--seed", "-1"]] {
        scratch.call(&args).fails(2, &["no option takes a number or a duration below zero"]);
    }
}

/// `--seed`, which is like it, would make it a single run.
#[test]
fn how_many_seeds_a_test_has_is_told() {
    let scratch = Scratch::with_starter();
    let refused = scratch.call(&["test", "a.ron", "--seeds", "50"]);
    refused.fails(2, &["`--set seeds=50`"]);
    assert!(!refused.stderr.contains("'--seed'"), "{}", refused.stderr);
}

/// Pods that workloads make are counted, as at the head of a run.
#[test]
fn a_scenario_whose_workloads_make_their_pods_has_pods() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(name: "a")],
        workloads: [Deployment(name: "web", replicas: 12), DaemonSet(name: "agent")])"#;
    scratch.write("made.ron", text);
    let said = scratch.call(&["validate", "made.ron"]).stdout;
    let size = "(1 node, 0 pods, 12 more that workloads make, and those that a DaemonSet makes, 0 entries in the timeline";
    assert!(said.contains(size), "{said}");
}

/// A lease is renewed every 10 s, and up to 4 % later: 10.4 s of silence are those of a healthy node. Up to 1.13 there are none
/// (`kube_features.go`: NodeLease is on from 1.14), and a status is posted as often as the flag says, without jitter.
#[test]
fn a_grace_period_shorter_than_a_renewal_is_told() {
    let scratch = Scratch::with_starter();
    let said = |grace: &str| {
        let set = format!("flags.kube-controller-manager.node-monitor-grace-period={grace}");
        scratch.call(&["run", "a.ron", "--summary", "--set", &set]).stdout
    };
    let note = "Healthy nodes may become Unknown: --node-monitor-grace-period is 10s";
    assert!(said("10s").contains(note), "{}", said("10s"));
    assert!(!said("10400ms").contains("Healthy nodes"));
    let posts = |release: &str, every: &str| {
        let set = format!("flags.kubelet.node-status-update-frequency={every}");
        let arguments = ["run", "a.ron", "--summary", "--kubernetes", release, "--set", &set];
        scratch.call(&arguments).stdout.contains("Healthy nodes may become Unknown")
    };
    let seen = ["1.12", "1.13", "1.14"].map(|release| posts(release, "1m"));
    assert_eq!((seen, posts("1.13", "40s")), ([true, true, false], false));
}

#[test]
fn quiet_prints_nothing() {
    let scratch = Scratch::with_starter();
    let called = scratch.call(&["run", "a.ron", "--quiet"]);
    assert_eq!((called.code, called.stdout.as_str()), (0, ""));
    assert_eq!(called.stderr, "");
}

/// One workload of two says how long its pods take to start: what is assumed is the start of the
/// other's, and how long those of both take to stop. The path is one that `--set` takes.
#[test]
fn what_is_assumed_of_some_pods_is_said_of_those() {
    let scratch = Scratch::new();
    let workload = |name: &str, more: &str| {
        format!("Deployment(name: \"{name}\", replicas: 1, placement: Spread(All){more})")
    };
    let slow = workload("slow", ", template: (pod_start: \"40s\")");
    let write = |more: &str| {
        let text = format!(
            "Scenario(version: 1, horizon: \"2m\", nodes: [(name: \"a\")], workloads: [{}, {slow}])",
            workload("web", more)
        );
        scratch.write("own.ron", text);
    };
    write("");
    let said = |more: &[&str]| {
        let ran = scratch.call(&[&["run", "own.ron", "--summary"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        unfolded(&ran.stdout)
    };
    let words = said(&[]);
    let assumed = "pods of default/web take 2s from binding to Ready, all pods 1s to stop.";
    assert!(words.contains(assumed), "{words}");
    assert!(words.contains("`template.pod_start`"), "{words}");
    let words = said(&["--set", "workloads.web.template.pod_start=40s"]);
    assert!(words.contains("Assumed: pods take 1s to stop."), "{words}");
    write(", template: (initContainers: [(name: \"wait\", ends: (after: \"9s\"))])");
    let words = said(&[]);
    let assumed = "take 2s from binding to Ready beside their init containers, all pods 1s";
    assert!(words.contains(assumed), "{words}");
}

/// An export expects nothing; that it is taken for a scenario is said all the same.
#[test]
fn an_export_that_is_tested_is_told_to_be_one() {
    let scratch = Scratch::new();
    let export = super::repository().join("tests/exports/healthy-all.json.gz");
    let tested = scratch.call(&["test", export.to_str().unwrap()]);
    assert_eq!(tested.code, 4, "{}", tested.stderr);
    let words = tested.stdout + &tested.stderr;
    let words = unfolded(&words);
    assert!(words.contains("is run as `taintsim import` takes it"), "{words}");
}

/// A release that is not out yet is named as such wherever its figures stand; it is asked for by its stage, and comes after those that
/// are out.
#[test]
fn a_pre_release_may_change_before_it_ships() {
    let scratch = Scratch::with_starter();
    let warning =
        "1.38-alpha is a pre-release (v1.38.0-alpha.0): what it does may change before it ships.";
    for args in [
        &["run", "a.ron", "--kubernetes", "1.38-alpha", "--summary"][..],
        &["sweep", "a.ron", "--set", "kubernetes=1.37,1.38-alpha", "--seeds", "1", "-q"],
        &["diff", "a.ron", "--kubernetes", "1.37", "--against", "1.38-alpha"],
    ] {
        let called = scratch.call(args);
        let said = unfolded(&called.stdout);
        assert!(said.contains(warning), "{args:?}: {said} {}", called.stderr);
        assert!(!said.contains("was not checked against recordings"), "{said}");
    }
    let plain = scratch.call(&["run", "a.ron", "--kubernetes", "1.37", "--summary"]);
    assert!(!plain.stdout.contains("pre-release"), "{}", plain.stdout);
    let to_come = scratch.call(&["run", "a.ron", "--kubernetes", "1.38"]);
    let advice = "and the pre-release \"1.38-alpha\" (v1.38.0-alpha.0) are known";
    to_come.fails(2, &["Kubernetes 1.38 is not known yet", advice]);
    let range = ["explore", "a.ron", "--kubernetes", "1.36..1.38-alpha", "--runs", "3"];
    let explored = scratch.call(&range);
    for release in ["1.36.5", "1.37.1", "1.38.0-alpha.0"] {
        assert!(explored.stdout.contains(release), "{}{}", explored.stdout, explored.stderr);
    }
}

/// A budget that never allows one eviction: kubectl tries for as long as it is let, and the run ends
/// before it does.
#[test]
fn a_drain_that_goes_on_is_in_the_summary() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All))],
        podDisruptionBudgets: [(name: "web", minAvailable: "100%", selector: (matchLabels: {"app": "web"}))],
        timeline: [(at: "1m", name: "d", do: Drain(node: "a-1"))])"#;
    scratch.write("d.ron", text);
    let run = scratch.call(&["run", "d.ron"]).stdout;
    assert!(run.contains("still draining    1 node at the end"), "{run}");
    let timed = scratch.call(&["run", "d.ron", "--set", "timeline.d.timeout=1m"]).stdout;
    assert!(timed.contains("not drained       1 node") && !timed.contains("still"), "{timed}");
}

/// A run of ten minutes has six of an outage of an hour that begins at 4m. Ten minutes would do for one of five.
#[test]
fn an_outage_that_outlasts_the_run_is_told() {
    let scratch = Scratch::new();
    scratch.write(
        "short.ron",
        r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{0..1}")],
            timeline: [(at: "4m", name: "cut", do: Crash(node: "a-0", duration: "5m"))])"#,
    );
    let sweep = |durations: &str| {
        let set = format!("timeline.cut.duration={durations}");
        unfolded(&scratch.call(&["sweep", "short.ron", "-q", "--seeds", "1", "--set", &set]).stdout)
    };
    let said = "The run ends at 10m, and cut would end at 1h4m:";
    let told = sweep("5m,1h");
    assert!(told.contains(said), "{told}");
    let told = sweep("5m,6m");
    assert!(!told.contains("The run ends at"), "{told}");
}

/// A pod takes 2 s from binding to Ready, so that three are there within the third second; what is said to leave the start out does.
#[test]
fn a_limit_that_fails_while_the_first_pods_are_made_says_so() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 3)],
        expect: [AtLeast(of: available("web"), is: 3)])"#;
    scratch.write("first.ron", text);
    let called = scratch.call(&["test", "first.ron"]);
    let during = r#"during: ("3s", "10m")"#;
    let said = unfolded(&called.stdout);
    assert!(
        said.contains(&format!("before its pods are there: `{during}` leaves that out")),
        "{said}"
    );
    scratch.write("then.ron", text.replace("is: 3)", &format!("is: 3, {during})")));
    assert_eq!(scratch.call(&["test", "then.ron"]).code, 0);
}
