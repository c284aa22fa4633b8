//! What is said of a scenario's form, mistake by mistake.

use super::Overrides;
use super::load::*;
use std::path::Path;

fn problems(text: &str) -> String {
    let loaded = parse("f.ron", text.as_bytes().to_vec(), Path::new(""));
    let built = loaded.and_then(|l| crate::scenario::build(&l, &Overrides::default()));
    built.map_or_else(|p| p.to_string(), |_| "nothing is wrong".to_owned())
}

#[test]
fn every_mistake_of_form_is_named_at_once() {
    let text = r#"Scenario(
    version: 1,
    horizn: "30m",
    horizon: 30,
    nodes: [(name: "a", zoone: "b"), (name: 3), (names: "a-{0..1}", labels: ["x"])],
    pods: [(name: "w", count: -1, on: Node("a-0")), (name: "v")],
    timeline: [
        (at: "1m", do: Partion(nodes: All)),
        (at: "1m", do: Flap(node: "a-0", down: "3s")),
        (at: "1m", do: Crash(nodes: ["a-0"])),
    ],
    expect: [Evikted(pod: "w")],
)"#;
    assert_eq!(
        problems(text),
        "f.ron:3:5: `horizn` is not a field of a scenario\n  help: did you mean `horizon`?\n\
         f.ron:4:14: expected a duration in quotes, such as \"5m30s\", found integer `30`\n  help: write `\"30s\"` for seconds\n\
         f.ron:5:25: `zoone` is not a field of a node group\n  help: did you mean `zone`?\n\
         f.ron:5:45: expected a text in quotes\n  help: write `\"3\"`\n\
         f.ron:5:77: expected a map: `{ \"key\": … }`\n\
         f.ron:6:31: this number is out of range here\n  help: from 0 to 18446744073709551615\n\
         f.ron:6:53: `on` is missing in a pod group\n  help: every pod says where it is: `on: Node(\"a-03\")`, \
         `on: Spread(Zone(\"b\"))`, `on: Each(All)`, `on: Unbound`\n\
         f.ron:8:24: `Partion` is not a fault or action\n  help: did you mean `Partition`?\n\
         f.ron:9:24: `up` is missing in `Flap`\n\
         f.ron:10:37: expected a word without quotes, one of All, Node, Nodes, Zone, Region, Label, Share\n  help: write `Nodes([\"a-0\"])`\n\
         f.ron:12:14: `Evikted` is not an expectation\n  help: did you mean `Evicted`?"
    );
}

/// Each of these has what was misread: that it lacks it follows from the mistake.
#[test]
fn what_follows_from_a_mistake_is_none_of_its_own() {
    let text = r#"Scenario(
    version: 1,
    horizon: "30m",
    nodes: [(names: "a-{0..1}")],
    workloads: [StatefulSet(nam: "db", replicas: 1)],
    faults: (models: [(name: "m", nodes: All, do: Crash, rate: PerNodeYear(1),
        lasts: Lognormal(median: "5m", sigma: 1))]),
    timeline: [(at: "1m", do: Crash(nodes: Range("b")))],
)"#;
    let said = problems(text);
    let mistakes: Vec<&str> = said.lines().filter(|l| l.starts_with("f.ron")).collect();
    assert_eq!(
        mistakes,
        [
            "f.ron:5:29: `nam` is not a field of `StatefulSet`",
            "f.ron:7:16: `Lognormal` is not a distribution",
            "f.ron:8:44: `Range` is not a node selector",
        ],
        "{said}"
    );
}

#[test]
fn a_text_where_one_word_wraps_it_is_shown_wrapped() {
    assert_eq!(
        problems("(version: 1, horizon: \"1m\", cluster: \"c.json\")"),
        "f.ron:1:38: expected `From(\"c.json\")`"
    );
}

/// Whatever refers to a part with a mistake of its own, by its name, says nothing new: the class, the length of `cut`
/// and that of `loss` are all that is wrong.
#[test]
fn what_refers_to_a_mistake_by_its_name_says_nothing_new() {
    let said = problems(
        r#"(version: 1, horizon: "10m", nodes: [(name: "a")],
        priorityClasses: [(name: "hi", value: "x")],
        workloads: [ReplicaSet(name: "web", template: (priorityClassName: "hi"))],
        timeline: [
            (at: "1m", name: "cut", do: Crash(node: "a", duration: 5)),
            (at: "end of cut + 5s", do: Cordon(node: "a")),
            (at: "2m", name: "loss", do: Crash(node: "a", duration: "1x")),
            (at: "end of loss", do: Uncordon(node: "a")),
        ],
        expect: [Evicted(workload: "web", between: ("end of cut", "end of loss"))])"#,
    );
    let places: Vec<&str> = said.lines().filter_map(|l| l.strip_prefix("f.ron:")).collect();
    let [value, five, unit] = places[..] else { panic!("{said}") };
    assert!(value.starts_with("2:47:") && five.starts_with("5:68:"), "{said}");
    assert!(unit.contains("unknown unit"), "{said}");
}

#[test]
fn syntax_ends_the_list() {
    assert_eq!(
        problems("Scenario(version: 1 horizon: \"1m\")"),
        "f.ron:1:21: expected a comma, or the closing bracket"
    );
    let step = |fault: &str| {
        problems(&format!("(version: 1, horizon: \"1m\", timeline: [(at: \"1s\", do: {fault})])"))
    };
    assert!(step("Reboot").contains("in brackets: `Reboot(…)`"), "{}", step("Reboot"));
    let said = problems("(version: 1, horizon: \"1m\", expect: [Evicted(first: \"1s..2s\")])");
    assert!(said.contains("write `(\"1s\", \"2s\")`"), "{said}");
    let model =
        "(name: \"m\", nodes: All, do: Crash(), rate: PerNodeYear(1), lasts: Fixed(\"1m\"))";
    let said = problems(&format!("(version: 1, horizon: \"1m\", faults: (models: [{model}]))"));
    assert!(said.contains("nothing is in brackets here: `Crash`"), "{said}");
    assert_eq!(
        problems("Scenario(version: 1, horizon: \"1m)"),
        "f.ron:1:31: this text has no closing quote"
    );
    assert_eq!(
        problems("Senario(version: 1)"),
        "f.ron:1:1: expected `Scenario(…)` or `(…)`, found `Senario`"
    );
    let dashes = problems("(version: 1, horizon: \"1m\", node-monitor-grace-period: \"50s\")");
    assert!(
        dashes.contains(": `node-monitor-grace-period` is not a field of a scenario"),
        "{dashes}"
    );
    assert_eq!(problems("# Notes\n"), "f.ron:1:1: expected `(` here");
    assert_eq!(
        problems("(version: 1)"),
        "f.ron:1:1: `horizon` is missing or empty\n  help: the end of the run: `horizon: \"30m\"`"
    );
    let said = problems("(version: 1, horizon: \"\")");
    assert!(said.starts_with("f.ron:1:23: `horizon` is missing or empty"), "{said}");
    assert_eq!(
        problems("(version: 2, horizon: \"1m\")"),
        "f.ron:1:11: version 2 of the scenario language is not known\n  help: this version of taintsim reads `version: 1`"
    );
    assert_eq!(
        problems("(version: 0, horizon: \"1m\")"),
        "f.ron:1:11: version 0 of the scenario language is not known\n  help: this version of taintsim reads `version: 1`"
    );
    assert_eq!(
        problems("(horizon: \"1m\")"),
        "f.ron:1:1: `version` is missing\n  help: the version of the language is 1: `version: 1`"
    );
    // Columns count characters, not bytes.
    let umlauts = "(/*äöü*/ version: 1, horizn: \"1m\", horizon: \"1m\")";
    assert_eq!(
        problems(umlauts),
        "f.ron:1:22: `horizn` is not a field of a scenario\n  help: did you mean `horizon`?"
    );
    let twice = "(version: 1, horizon: \"1m\", nodes: [(name: \"n\", labels: {\"A\": \"x\", \"A\": \"y\"})])";
    assert_eq!(problems(twice), "f.ron:1:68: `A` stands here twice");
}

#[test]
fn components_may_be_written_with_dashes() {
    for name in [
        "kube_controller_manager",
        "kube-controller-manager",
        "\"kube-controller-manager\"",
        "r#kube-controller-manager",
    ] {
        let text = format!(
            "(version: 1, horizon: \"1m\", flags: ({name}: {{\"node-monitor-period\": \"1s\"}}))"
        );
        assert_eq!(problems(&text), "nothing is wrong", "{name}");
        let text = text.replace("period", "perio");
        let column = text.find("\"node-").unwrap() + 1;
        assert_eq!(
            problems(&text),
            format!(
                "f.ron:1:{column}: `node-monitor-perio` is not a flag of kube-controller-manager that is modelled\n  \
                 help: did you mean `node-monitor-period`?"
            )
        );
    }
    assert!(
        problems("(version: 1, horizon: \"1m\", flags: (kube-api-server: {}))")
            .contains("did you mean `kube-apiserver`?")
    );
}

#[test]
fn what_follows_from_a_mistake_is_left_out() {
    let pod = |toleration: &str| {
        format!(
            "(version: 1, horizon: \"1m\", nodes: [(name: \"a\")], pods: [(name: \"p\", on: Node(\"a\"), tolerations: [(key: \"x\", operator: Exists, {toleration})])])"
        )
    };
    let said = problems(&pod("effect: Noexecute, tolerationSeconds: 3"));
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].ends_with("`Noexecute` is not a taint's effect")
            && lines[1].ends_with("did you mean `NoExecute`?"),
        "{said}"
    );
    // That the toleration's seconds need an effect follows from that.
    assert_eq!(lines.len(), 2, "{said}");
    // 2 min × 60 s.
    let said = problems(&pod("effect: NoExecute, tolerationSeconds: \"2m\""));
    assert!(
        said.ends_with(
            "expected a whole number, without quotes\n  help: write 120: these are whole seconds"
        ),
        "{said}"
    );
    assert!(
        problems(&pod("effect: NoExecute, tolerationSeconds: \"30\"")).ends_with("help: write 30")
    );
    assert!(
        problems(&pod("effect: NoExecute, tolerationSeconds: \"1.5s\""))
            .ends_with("without quotes")
    );
}

/// Of what is misspelt in one workload no other mistake follows, and none is hidden.
#[test]
fn a_wrong_field_of_a_workload_hides_no_later_mistake() {
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(name: "a")],
    workloads: [
        Deployment(name: "web", resources: {cpu: "6"}),
        Deployment(name: "api", template: (resources: (requests: {cpu: 500m}))),
        Deployment(name: "x", replicas: -4),
    ],
    timeline: [(at: "1m", do: Scale(workload: "wbe", replicas: 2))],
)"#;
    let said = problems(text);
    for wanted in [
        "f.ron:3:33: `resources` is not a field of `Deployment`",
        "f.ron:4:44: `resources` is not a field of a pod template",
        "must be greater than or equal to 0",
        "`wbe`",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

/// What could stand there is said, as long as that is not many.
#[test]
fn a_mistake_says_what_could_stand_in_its_place() {
    let text = r#"Scenario(version: 1, horizon: "10m", nodes: [(name: "a")],
    workloads: [
        (kind: Deployment, name: "y"),
        Job(name: "z", template: (ends: "5m")),
    ],
    timeline: [(at: "2m", do: Crash(zone: "a"))],
)"#;
    let said = problems(text);
    for wanted in [
        "f.ron:3:9: expected a word before the bracket, one of Deployment, ReplicaSet,",
        "f.ron:4:41: expected `(` here\n  help: write `(after: …, exit_code: …, ran: …)`",
        "f.ron:6:37: `zone` is not a field of `Crash`\n  help: write `nodes: Zone(\"b\")`",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

/// Of a word that means something elsewhere, or in other tools, it is said how it is written here.
#[test]
fn words_of_other_tools_are_told_in_ours() {
    let text = r#"Scenario(version: 1, horizon: "10m", release: "1.34", expectations: [], zones: [], statefulSets: [],
    nodes: [(name: "a", count: 3)], flags: {},
    workloads: [StatefulSet(name: "db", volumes: [])],
)"#;
    let said = problems(text);
    for wanted in [
        "`release` is not a field of a scenario\n  help: write `kubernetes: \"1.34\"`",
        "`expectations` is not a field of a scenario\n  help: write `expect: […]`",
        "`zones` is not a field of a scenario\n  help: write `nodes: [(zone: …)]`",
        "`count` is not a field of a node group\n  help: write `names: \"n-{0..5}\"`",
        "`statefulSets` is not a field of a scenario\n  help: write `workloads: [StatefulSet(…)]`",
        "help: write `(kube-controller-manager: …, kube-apiserver: …, kubelet: …)`",
        "help: it belongs elsewhere: `workloads: [StatefulSet(template: (volumes: …))]`",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

/// Where a field of Kubernetes' API has another name or form here, the mistake says which.
#[test]
fn slips_of_those_who_know_kubernetes_are_told_what_to_write() {
    let wl = |fields: &str| format!(r#"workloads: [Deployment(name: "web", {fields})]"#);
    let pod = |fields: &str| format!(r#"pods: [(name: "p", {fields})]"#);
    let step = |step: &str| format!(r#"timeline: [(at: "1m", do: {step})]"#);
    let node = |fields: &str| format!(r#"nodes: [(name: "b", {fields})]"#);
    for (text, wanted) in [
        (node(r#"resources: {"cpu": "4"}"#), r#"write `capacity: {"cpu": "4"}`"#),
        (node(r#"allocatable: {"cpu": "4"}"#), r#"write `capacity: {"cpu": "4"}`"#),
        (node("replicas: 3"), "write `names: \"n-{0..5}\"`"),
        (node("cordoned: true"), "write `unschedulable: true`"),
        (node(r#"unschedulable: "true""#), "write `true`"),
        (
            node(r#"taints: [(key: "x", value: "y", effect: NoExecute)]"#),
            "write `\"x=y:NoExecute\"`",
        ),
        (node("spec: (unschedulable: true)"), "what is in it stands here, without it"),
        (pod(r#"node: "a""#), "write `on: Node(\"a-0\")`"),
        (pod(r#"nodeName: "a""#), "write `on: Node(\"a-0\")`"),
        (pod(r#"on: "a""#), "write `Node(\"a\")`"),
        (pod(r#"on: Unbound, limits: {"cpu": "1"}"#), r#"write `requests: {"cpu": "1"}`"#),
        (pod("on: Unbound, status: Pending"), "write `start: Pending`"),
        (pod("on: Unbound, gracePeriodSeconds: 5"), "write `terminationGracePeriodSeconds: 30`"),
        (wl("spec: (replicas: 2)"), "what is in it stands here, without it"),
        (wl("template: (spec: (tolerations: []))"), "what is in it stands here, without it"),
        (wl("count: 2"), "write `replicas: 3`"),
        (wl("on: Spread(All)"), "write `placement: Nodes([…])`"),
        (wl("resources: (requests: {})"), "write `template: (requests: {…})`"),
        (wl("serviceName: \"web\""), "leave it out"),
        (step(r#"Crash(zone: "b")"#), "write `nodes: Zone(\"b\")`"),
        (step(r#"Crash(node: "a", duration: 300)"#), "write `\"300s\"` for seconds"),
        (step(r#"NodeDown(node: "a")"#), "write `Crash(node: …)`"),
        (
            step(r#"Taint(node: "a", taint: (key: "x", effect: NoExecute))"#),
            "write `\"x:NoExecute\"`",
        ),
        (step(r#"Scale(deployment: "web", replicas: 3)"#), "write `workload: \"web\"`"),
        (step(r#"DeletePod(name: "web-0")"#), "write `pod: \"web-0\"`"),
        (step(r#"Drain(node: "a", force: "true")"#), "write `true`"),
        (r#"timeline: [(time: "1m", do: Reboot(node: "a"))]"#.to_owned(), "write `at: \"5m\"`"),
        ("nodeMonitorGracePeriod: \"40s\"".to_owned(), "{\"node-monitor-grace-period\": …}"),
        ("kind: \"Scenario\"".to_owned(), "leave it out"),
    ] {
        let nodes = if text.starts_with("nodes") { "" } else { r#"nodes: [(name: "a")], "# };
        let said = problems(&format!(r#"(version: 1, horizon: "10m", {nodes}{text})"#));
        assert!(said.contains("\n  help: ") && said.contains(wanted), "{wanted} in {said}");
    }
    let said = problems("version: 1\nhorizon: 10m\n");
    assert!(said.ends_with("help: all of it is in brackets: `Scenario(version: 1, …)`"), "{said}");
}

/// With a placement the pods are there from the start, and can be meant.
#[test]
fn a_group_whose_pods_are_made_in_the_run_is_told() {
    let text = |pods: &str, placement: &str| {
        format!(
            r#"(version: 1, horizon: "9m", nodes: [(name: "a")], workloads: [Deployment(name: "web"{placement})],
            timeline: [(at: "1m", do: DeletePod(pods: {pods}))])"#
        )
    };
    let later = "with `placement: Spread(All)` they are there from the start";
    for pods in [r#"Group("web")"#, r#"Label("app=web")"#, "All"] {
        let said = problems(&text(pods, ""));
        assert!(said.contains(later), "{pods}: {said}");
        assert_eq!(problems(&text(pods, ", placement: Spread(All)")), "nothing is wrong");
    }
    // No workload makes these.
    let said = problems(&text(r#"Label("app=wbe")"#, ""));
    assert!(said.contains("no pod matches `app=wbe`") && !said.contains(later), "{said}");
}

/// The notes of a scenario's plan.
fn notes(text: &str) -> String {
    let loaded = parse("f.ron", text.as_bytes().to_vec(), Path::new("")).expect("it is read");
    let plan = crate::scenario::build(&loaded, &Overrides::default()).expect("it builds");
    plan.notes.join("\n")
}

/// At 5, 15 and 25 minutes of 30 it comes three times of five; one of four at 35 minutes is told, too.
#[test]
fn times_after_the_end_of_the_run_are_told() {
    let of = |times: u32| {
        notes(&format!(
            r#"(version: 1, horizon: "30m", nodes: [(name: "a")], timeline: [
            (at: "5m", name: "c", every: "10m", times: {times}, do: Crash(node: "a", duration: "1m"))])"#
        ))
    };
    assert!(
        of(5).contains("The run ends at 30m, before all times of c (3 of 5): the others"),
        "{}",
        of(5)
    );
    assert!(of(4).contains("c (3 of 4)") && !of(3).contains("before all times"), "{}", of(3));
}

/// What only imitated kubelets go by is told where the kubelets are others.
#[test]
fn a_field_that_the_kubelets_do_not_go_by_is_told() {
    let notes = |timing: &str, field: &str| {
        notes(&format!(
            r#"(version: 1, horizon: "1m", {timing} nodes: [(name: "a", {field}), (name: "b")])"#
        ))
    };
    for field in ["lease_period", "lease_offset", "status_offset"] {
        let given = format!("{field}: \"4s\"");
        let told = format!("go by nodes' `{field}`: here that changes nothing");
        assert!(notes("", &given).contains(&told), "{field}: {}", notes("", &given));
        assert!(!notes("timing: Ideal,", &given).contains(&told), "{field}");
    }
    assert!(!notes("", "zone: \"a\"").contains("imitated"));
}

/// Taints evict from 1.13 on (gate TaintBasedEvictions), and `--pod-eviction-timeout`, of 5 minutes, before, or where there is no taint
/// manager. What is not heeded is told, unless it says what holds anyway.
#[test]
fn what_a_release_does_not_evict_by_is_told() {
    let told = |version: &str, flag: &str, seconds: u32| {
        let notes = notes(&format!(
            r#"(version: 1, horizon: "1m", kubernetes: "{version}", flags: (kube-controller-manager: {{{flag}}}), nodes: [(name: "a")],
            workloads: [Deployment(name: "web", replicas: 1, template: (tolerations: [
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: {seconds})]))])"#
        ));
        let seconds = notes.contains("`tolerationSeconds` of default/web changes nothing for them");
        (seconds, notes.contains("`pod-eviction-timeout` changes nothing"))
    };
    assert_eq!(told("1.12", "", 30), (true, false));
    assert_eq!(told("1.12", "", 300), (false, false));
    assert_eq!(told("1.13", "", 30), (false, false));
    assert_eq!(told("1.26", r#""enable-taint-manager": false"#, 30), (true, false));
    assert_eq!(told("1.26", r#""pod-eviction-timeout": "1m""#, 30), (false, true));
    assert_eq!(told("1.12", r#""pod-eviction-timeout": "1m""#, 300), (false, false));
}

/// What goes on without the taint manager is eviction by a timeout (`node_lifecycle_controller.go: doEvictionPass`, up to 1.26, 5 m by
/// default), as 300 s of toleration are from 1.27 on.
#[test]
fn what_took_the_place_of_the_taint_manager_evicts_from_lost_nodes() {
    let text = r#"Scenario(version: 1, horizon: "1m", kubernetes: "1.27",
        flags: (kube-controller-manager: {"enable-taint-manager": false}), nodes: [(name: "a")])"#;
    let help = problems(text);
    assert!(help.contains("what `pod-eviction-timeout` was with it off, 300 s"), "{help}");
}

/// With a failure policy a Job replaces only failed pods (`SetDefaults_Job`); before 1.28 it replaces them at once, and waits for
/// the phase all the same, to count them and take their finalizer away (`isPodFailed`). 1.25 drops the policy.
#[test]
fn jobs_that_wait_for_a_phase_are_told_where_no_kubelet_posts_one() {
    let told = |(timing, policy): (&str, &str)| {
        notes(&format!(
            r#"(version: 1, horizon: "1m", {timing} nodes: [(name: "a")], workloads: [Job(name: "sum"{policy})])"#
        ))
        .contains("in which phase pods of default/sum end")
    };
    let policy = ", podReplacementPolicy: Failed";
    let all = [("timing: Ideal,", policy), ("timing: Ideal,", ""), ("", policy)];
    assert_eq!(all.map(told), [true, false, false]);
    let policy = ", podFailurePolicy: (rules: [(action: Ignore, onPodConditions: [(type: DisruptionTarget)])])";
    let all = ["1.25", "1.26", "1.28"].map(|k| format!(r#"kubernetes: "{k}", timing: Ideal,"#));
    assert_eq!(all.each_ref().map(|timing| told((timing, policy))), [false, true, true]);
}

#[test]
fn two_times_in_the_place_of_one_are_told_how_they_are_written() {
    let text = r#"(version: 1, horizon: "9m", nodes: [(name: "a")], expect: [Tainted(taint: "x:NoExecute", at: "4m..5m")])"#;
    let said = problems(text);
    let help = r#"this is one time; expectations take two: `between: ("4m", "5m")`"#;
    assert!(said.contains(help), "{said}");
}

#[test]
fn names_in_maps_are_underlined_where_they_are() {
    let text = r#"(version: 1, horizon: "1m", kubernetes: "1.34", flags: (kube_controller_manager: {"pod-eviction-timeout": "5m"}), feature_gates: {"NodeLeas": true})"#;
    let loaded = parse("f.ron", text.as_bytes().to_vec(), Path::new("")).unwrap();
    let found = crate::scenario::build(&loaded, &Overrides::default()).unwrap_err().0;
    let said: Vec<(&str, &str)> =
        found.iter().map(|p| (p.text().unwrap(), p.message.as_str())).collect();
    assert_eq!(said[0].0, "\"pod-eviction-timeout\"");
    assert_eq!(
        said[0].1,
        "kube-controller-manager of Kubernetes v1.34.12 has no flag --pod-eviction-timeout; those up to 1.26 have it"
    );
    assert!(found[0].help.as_deref().unwrap().contains("default-unreachable-toleration-seconds"));
    assert_eq!(said[1].0, "\"NodeLeas\"");
}

#[test]
fn what_is_no_text_is_refused() {
    assert_eq!(
        problems(" \n"),
        "f.ron: the file is empty\n  help: `taintsim init` writes a scenario to start from; if kubectl was to fill it, see what that said"
    );
    let bad = parse("f.ron", b"Scenario(\n\xff".to_vec(), Path::new("")).unwrap_err();
    assert_eq!(bad.to_string(), "f.ron: line 2 is not UTF-8; a scenario is a text file");
    let deep = format!(
        "(version: 1, horizon: \"1m\", pods: [(name: \"x\", on: Each({}",
        "Share(of: ".repeat(1000)
    );
    assert!(
        problems(&deep).contains("values are nested deeper than 100 levels"),
        "{}",
        problems(&deep)
    );
    assert!(
        problems(&"[".repeat(100_000)).starts_with("f.ron:1, item 1: a list stands where"),
        "{}",
        problems(&"[".repeat(100_000))
    );
    let folder = load(Path::new("src")).unwrap_err().to_string();
    assert_eq!(
        folder,
        "src is a directory, not a scenario file\n  help: there is no scenario (*.ron) in it; `taintsim test` and `taintsim validate` take folders"
    );
    let folder = load(Path::new("scenarios/races")).unwrap_err().to_string();
    assert!(
        folder.contains("help: name a file in it: scenarios/races/c")
            && folder.contains("scenarios/races/crash-while-marking-pods.ron, ")
            && folder.contains(" more; `taintsim test`"),
        "{folder}"
    );
    assert_eq!(
        load(Path::new("src/lib.rss")).unwrap_err().to_string(),
        "cannot read src/lib.rss: there is no such file or folder\n  help: did you mean `lib.rs`?"
    );
}
