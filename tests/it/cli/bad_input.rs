//! Every kind of bad input: a clear message, the documented exit code, no panic, no hang, nothing
//! half-written.

use super::Scratch;

/// `run` and `validate` refuse a file alike, and nothing is written.
fn refused(scratch: &Scratch, file: &str, said: &[&str]) {
    scratch.call(&["run", file]).fails(2, said);
    scratch
        .call(&["sweep", file, "--seeds", "2", "--set", "horizon=1m,2m", "--quiet"])
        .fails(2, &[]);
    let validated = scratch.call(&["validate", file]);
    assert!([2, 4].contains(&validated.code), "{}", validated.stderr);
    assert!(!scratch.path("output").exists());
}

#[test]
fn files_that_are_no_scenarios() {
    let scratch = Scratch::with_starter();
    std::fs::create_dir(scratch.path("folder.ron")).expect("a folder");
    scratch.write("binary.ron", b"Scenario(\n\xff\xfe");
    scratch.write("empty.ron", "");
    scratch.write("syntax.ron", "Scenario(version: 1 horizon: \"1m\")");
    refused(&scratch, "missing.ron", &["cannot read missing.ron: there is no such file"]);
    refused(&scratch, "folder.ron", &["folder.ron is a directory"]);
    refused(&scratch, "binary.ron", &["line 2 is not UTF-8"]);
    refused(&scratch, "empty.ron", &["the file is empty", "taintsim init"]);
    refused(&scratch, "syntax.ron", &["syntax.ron:1:21", "expected a comma"]);
}

#[test]
fn mistakes_in_a_scenario() {
    let scratch = Scratch::with_starter();
    let wrong = |from: &str, to: &str, said: &[&str]| {
        scratch.edited("b.ron", from, to);
        refused(&scratch, "b.ron", said);
    };
    wrong("timeline:", "timelin:", &["`timelin` is not a field", "did you mean `timeline`?"]);
    wrong("node: \"a-3\"", "node: \"a-9\"", &["there is no node `a-9`"]);
    wrong("duration: \"7m\"", "duration: \"-7m\"", &["-7m is negative"]);
    wrong("horizon: \"30m\"", "horizon: \"99999999h\"", &["longer than 292 years"]);
    wrong("horizon: \"30m\"", "horizon: \"18446744073709551616ns\"", &["18446744073709551616ns"]);
    wrong("zone: \"a\")", "zone: \"a\", capacity: { \"cpu\": \"-1\" })", &["-1 is negative"]);
    wrong(
        "zone: \"a\")",
        "zone: \"a\", capacity: { \"cpu\": \"99999999999999999999Ei\" })",
        &["99999999999999999999Ei"],
    );
    wrong("zone: \"a\")", "zone: \"a\", capacity: { \"cpu\": \"lots\" })", &["lots"]);
    wrong(
        "taint: \"maintenance=true:NoExecute\"",
        "taint: \"maintenance=true:NoExcute\"",
        &["NoExcute", "did you mean"],
    );
    wrong(
        "taint: \"maintenance=true:NoExecute\"",
        "taint: \"main tenance=true:NoExecute\"",
        &["main tenance"],
    );
    wrong("count: 20", "count: -20", &["out of range"]);
    wrong("tolerationSeconds: 120", "tolerationSeconds: 99999999999999999999", &["out of range"]);
    wrong("timeline: [", "sweep: [], timeline: [", &["`sweep` is not a field of a scenario"]);
    wrong(
        "Never(PodStuck)",
        "Never(PodStock)",
        &["`PodStock` is not a claim", "did you mean `PodStuck`?"],
    );
}

#[test]
fn sizes_that_no_machine_could_hold() {
    let scratch = Scratch::with_starter();
    for (from, to, said) in [
        ("a-{0..4}", "a-{0..9999999}", "there is room for 200000"),
        ("a-{0..4}", "a-{0..999}-{0..999}-{0..999}-{0..999}", "room"),
        ("a-{0..4}", "a-{0..18446744073709551615}", ""),
        ("count: 20", "count: 4000000000", "too many"),
        (
            "at: \"5m\", name: \"cut b\"",
            "at: \"5m\", every: \"1ns\", times: 1000000000, name: \"cut b\"",
            "",
        ),
    ] {
        scratch.edited("b.ron", from, to);
        refused(&scratch, "b.ron", &[said]);
    }
}

/// A guard is looked at by `test --guards` alone; that it cannot be set is a mistake all the same.
#[test]
fn guards_are_settings_that_can_be_set() {
    let scratch = Scratch::with_starter();
    let text = "(version: 1, horizon: \"1m\", nodes: [(name: \"a\")], workloads: [Deployment(name: \"web\")],\n \
         guards: [\"workloads.web.replicas=x\", \"timeline.q.at=1m\", \"workloads.web.replicas=3\"],\n \
         expect: [NotEvicted(workload: \"web\")])";
    scratch.write("guards.ron", text);
    let places = ["guards.ron:2:11", "guards.ron:2:39", "2 mistakes in 1 file"];
    scratch.call(&["validate", "guards.ron"]).fails(2, &places);
    let text = "(version: 1, horizon: \"1m\", nodes: [(name: \"a\")], workloads: [Deployment(name: \"web\", replicas: 3)],\n \
         guards: [\"workloads.web.replicas=3\", \"kubernetes=1.34\", \"workloads[0].replicas=4\"],\n \
         expect: [NotEvicted(workload: \"web\")])";
    scratch.write("as-it-is.ron", text);
    let places = ["as-it-is.ron:2:11", "as-it-is.ron:2:39", "nothing breaks", "2 mistakes"];
    scratch.call(&["validate", "as-it-is.ron"]).fails(2, &places);
}

#[test]
fn one_more_than_the_limits() {
    let scratch = Scratch::with_starter();
    // A group of one is one more, too.
    scratch.write(
        "over.ron",
        "(version: 1, horizon: \"1m\", nodes: [(names: \"a-{0..199999}\"), (name: \"b\")])",
    );
    scratch
        .call(&["validate", "over.ron"])
        .fails(2, &["a cluster has at most 200000 nodes", "over.ron:1:"]);
    let long = format!(
        "(version: 1, horizon: \"1m\", nodes: [(names: \"{}{{0..199999}}\")])",
        "x".repeat(10_000)
    );
    scratch.write("long.ron", long);
    let called = scratch.call(&["validate", "long.ron"]);
    called.fails(2, &["names of 10006 characters", "no more than 317"]);
    assert!(called.stderr.len() < 1000, "{}", called.stderr);
    let counted = format!(
        "(version: 1, horizon: \"1m\", nodes: [(name: \"a\")], pods: [(name: \"{}\", on: Unbound, count: 5000000)])",
        "x".repeat(10_000)
    );
    scratch.write("counted.ron", counted);
    scratch.call(&["validate", "counted.ron"]).fails(2, &["no more than 253"]);
    let entry = "(at: \"1m\", do: Cordon(node: \"a\")),\n";
    let crowd = format!(
        "(version: 1, horizon: \"1h\", nodes: [(name: \"a\")], timeline: [\n{}])",
        entry.repeat(1_000_000)
    );
    scratch.write("crowd.ron", crowd);
    scratch
        .call(&["validate", "crowd.ron"])
        .fails(2, &["`timeline` has more than 100000 elements", "crowd.ron:100002:1"]);
}

/// 1.27 has no --pod-eviction-timeout, 1.26 has (`nodelifecyclecontroller.go: AddFlags`).
#[test]
fn validate_asks_whether_a_scenario_survives_an_upgrade() {
    let scratch = Scratch::new();
    let flags = r#"(kube-controller-manager: {"pod-eviction-timeout": "1m"})"#;
    scratch.write("f.ron", format!("(version: 1, horizon: \"1m\", kubernetes: \"1.26\", nodes: [(name: \"a\")], flags: {flags})"));
    assert_eq!(scratch.call(&["validate", "f.ron"]).code, 0);
    let upgraded = scratch.call(&["validate", "f.ron", "--kubernetes", "1.27"]);
    upgraded.fails(2, &["has no flag --pod-eviction-timeout; those up to 1.26 have it"]);
}

/// What gives bytes for ever, wherever a file is read.
#[cfg(target_os = "linux")]
#[test]
fn endless_files() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    for command in ["run", "sweep", "explore", "validate", "replay", "shrink", "test"] {
        let args: &[&str] = if command == "shrink" {
            &["shrink", "/dev/zero", "--property", "pod-stuck"]
        } else {
            &[command, "/dev/zero"]
        };
        let called = scratch.call(args);
        assert_eq!(called.code, 2, "{command}: {}", called.stderr);
        assert!((called.stderr + &called.stdout).contains("MiB, the limit"), "{command}");
    }
    scratch.call(&["import", "/dev/zero"]).fails(2, &["more than 1024 MiB"]);
    for file in ["manifest.json", "scenario.ron"] {
        let kept = scratch.read(&format!("output/a/{file}"));
        std::fs::remove_file(scratch.path(&format!("output/a/{file}"))).expect("it is there");
        std::os::unix::fs::symlink("/dev/zero", scratch.path(&format!("output/a/{file}")))
            .expect("a link");
        for args in [
            &["report", "output/a"][..],
            &["explain", "output/a", "b-1"],
            &["diff", "output/a", "a.ron"],
        ] {
            scratch.call(args).fails(2, &[file, "no plain file"]);
        }
        std::fs::remove_file(scratch.path(&format!("output/a/{file}"))).expect("it is there");
        scratch.write(&format!("output/a/{file}"), kept);
    }
    // A file of a terabyte that has no bytes.
    let sparse = std::fs::OpenOptions::new()
        .write(true)
        .open(scratch.path("output/a/scenario.ron"))
        .expect("it is there");
    sparse.set_len(1 << 40).expect("a file may have a hole");
    scratch.call(&["report", "output/a"]).fails(2, &["scenario.ron", "2048 MiB, the limit"]);
}

/// A bomb is known long before it is unpacked, whoever reads it.
#[test]
fn gzip_bombs() {
    use std::io::Write;
    let scratch = Scratch::new();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..200).for_each(|_| gz.write_all(&[b' '; 1 << 20]).expect("memory"));
    scratch.write("bomb.json.gz", gz.finish().expect("memory"));
    scratch.call(&["import", "bomb.json.gz"]).fails(2, &["gzip bomb", "200 times", "limit"]);
    scratch.write("points.ron", "(version: 1, horizon: \"1m\", cluster: From(\"bomb.json.gz\"))");
    scratch.call(&["validate", "points.ron"]).fails(2, &["gzip bomb"]);
}

/// A mark before the text, and UTF-16, as editors and shells of other systems write them.
#[test]
fn byte_order_marks() {
    let scratch = Scratch::with_starter();
    let marked = |text: &str| -> [Vec<u8>; 3] {
        let wide = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
            mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
        };
        [
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            wide([0xff, 0xfe], u16::to_le_bytes),
            wide([0xfe, 0xff], u16::to_be_bytes),
        ]
    };
    let node = r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}"#;
    for bytes in marked(&scratch.text("a.ron")) {
        scratch.write("b.ron", &bytes);
        assert_eq!(scratch.call(&["validate", "b.ron"]).stderr, "");
        assert_eq!(scratch.call_with(&["validate", "-"], bytes).code, 0);
        // What is read again is what was run.
        assert_eq!(scratch.call(&["run", "b.ron"]).code, 0);
        assert_eq!(scratch.call(&["report", "output/b"]).code, 0);
    }
    for bytes in marked(node) {
        scratch.write("node.json", &bytes);
        assert_eq!(scratch.call(&["import", "node.json"]).code, 0);
    }
    scratch.write("tapeless.ron", "\u{feff}Tape(version: 99)");
    scratch.call(&["replay", "tapeless.ron"]).fails(2, &["tapeless.ron is not a tape"]);
    scratch.write("short.ron", "Tape(version: 1, file: \"a.ron\", scenario: \"Scen");
    scratch
        .call(&["replay", "short.ron"])
        .fails(2, &["short.ron is not a tape", "may not be whole"]);
    scratch.write("wide.ron", b"\xff\xfe\x00\xd8(\x00");
    scratch.call(&["validate", "wide.ron"]).fails(2, &["not UTF-8"]);
}

#[test]
fn nesting_and_endless_lines() {
    let scratch = Scratch::with_starter();
    for (name, text) in [
        ("parens.ron", "(".repeat(1000)),
        ("brackets.ron", "[{".repeat(100_000)),
        (
            "selectors.ron",
            format!(
                "(version: 1, horizon: \"1m\", pods: [(name: \"x\", on: Each({}",
                "Share(of: ".repeat(1000)
            ),
        ),
        ("somes.ron", format!("(version: {}1", "Some(".repeat(100_000))),
        ("comments.ron", "/*".repeat(100_000)),
    ] {
        scratch.write(name, text);
        let called = scratch.call(&["run", name]);
        called.fails(2, &[name]);
        // A line of megabytes is not thrown at the reader.
        assert!(called.stderr.len() < 2000, "{name}: {} bytes", called.stderr.len());
    }
}

#[test]
fn an_export_that_is_a_bomb() {
    let scratch = Scratch::new();
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for i in 1..12 {
        let refs = vec![format!("*a{}", i - 1); 10].join(", ");
        bomb.push_str(&format!("a{i}: &a{i} [{refs}]\n"));
    }
    bomb.push_str("kind: List\napiVersion: v1\nitems: *a11\n");
    scratch.write("bomb.yaml", bomb);
    scratch.call(&["import", "bomb.yaml"]).fails(2, &["bomb.yaml"]);
    scratch.write("deep.json", "[".repeat(100_000));
    scratch.call(&["import", "deep.json"]).fails(2, &["deep.json"]);
    scratch.write("deep.yaml", format!("kind: List\nitems: {}", "[".repeat(5000)));
    scratch.call(&["import", "deep.yaml"]).fails(2, &["deep.yaml"]);
    scratch.write("text.txt", "hello\n");
    scratch.call(&["import", "text.txt"]).fails(2, &["text.txt"]);
    scratch.write("cut.json.gz", b"\x1f\x8b\x08\x00\x00\x00");
    scratch.call(&["import", "cut.json.gz"]).fails(2, &["gzip"]);
    scratch.write("empty.json", "");
    scratch.call(&["import", "empty.json"]).fails(2, &["empty"]);
    scratch.call(&["import", "."]).fails(2, &["directory"]);
    scratch.call(&["import", "missing.json"]).fails(2, &["missing.json"]);
}

#[test]
fn command_lines_that_make_no_sense() {
    let scratch = Scratch::with_starter();
    for args in [
        &["run"][..],
        &["run", "a.ron", "--seed", "-1"],
        &["run", "a.ron", "--seed", "18446744073709551616"],
        &["run", "a.ron", "--format", "yaml"],
        &["run", "a.ron", "--needless-within", "-5m"],
        &["run", "a.ron", "--out"],
        &["sweep"],
        &["sweep", "a.ron", "a.ron"],
        &["init", "b.ron", "c.ron"],
        &["import"],
        &["completions"],
        &["completions", "tcsh"],
        // What would have no effect.
        &["plan", "--kept", "plan.json", "--seed", "2"],
        &["plan", "--kept", "plan.json", "--set", "horizon=1h"],
        &["plan", "--kept", "plan.json", "--html"],
        &["survey", "a.ron", "--only", "node/a-0", "--as", "scenario", "--html=page.html"],
        &["survey", "a.ron", "--context", "mine"],
        &["forecast", "a.json", "--kubeconfig", "mine"],
        &["faults", "--show", "on-prem", "--html=page.html"],
    ] {
        scratch.call(args).fails(2, &["error:"]);
    }
    for (args, said, not) in [
        (&["run", "a.ron", "--seed", "1.5"][..], "a whole number is wanted", "digit"),
        (&["shard", "work", "x"], "a whole number is wanted", "digit"),
        (&["odds", "a.ron", "--of", "bogus"], "known are pod-stuck", "there are"),
        // `complete` is what shells call.
        (&["nope"], "'nope'", "complete"),
        (&["forcast"], "'forecast'", "complete"),
    ] {
        let called = scratch.call(args);
        assert!(!called.stderr.contains(not), "{}", called.stderr);
        called.fails(2, &[said]);
    }
    for more in [&["--out", "x"][..], &["--choose", "replicas=1,2"], &["a.ron"]] {
        let called = scratch.call(&[&["plan", "--kept", "plan.json"], more].concat());
        called.fails(
            2,
            &[
                "--kept answers from runs that are over",
                "without --kept FILE is run anew",
                "Usage: taintsim plan [OPTIONS] <FILE|--kept FILE>",
            ],
        );
    }
    let twice = ["--set", "horizon=20m", "--set", " horizon=30m"];
    let said = ["--set:1:2", "`horizon` has values twice", "taintsim sweep"];
    for command in ["run", "settings", "survey"] {
        scratch.call(&[&[command, "a.ron"], &twice[..]].concat()).fails(2, &said);
    }
    let tested = scratch.call(&[&["test", "a.ron"], &twice[..]].concat());
    assert!(said.iter().all(|said| tested.stdout.contains(said)), "{}", tested.stdout);
    assert_eq!(tested.code, 2);
    let twice = ["--against-set", "horizon=20m", "--against-set", "horizon=30m"];
    let said = ["--against-set:1:1", "`horizon` has values"];
    scratch.call(&[&["diff", "a.ron"], &twice[..]].concat()).fails(2, &said);
    // Beside what it says of both runs, too, and in two spellings.
    let more = ["--set", "pods.web.count=2"];
    scratch.call(&[&["diff", "a.ron"], &twice[..], &more].concat()).fails(2, &["has values twice"]);
    let apart = ["--against-set", "pods.web.count=3", "--against-set", "pods[0].count=4"];
    let called =
        scratch.call(&[&["diff", "a.ron"], &apart[..], &["--set", "horizon=90m"]].concat());
    called.fails(2, &["`pods[0].count` sets what `pods.web.count` sets, too"]);
    // In two spellings, also where the one writes more than the other.
    let long = "pods.web.tolerations[node.kubernetes.io/unreachable].tolerationSeconds";
    let short = "pods.web.tolerations[unreachable].tolerationSeconds";
    for (one, other) in [
        (["pods.web.count", "3"], ["pods[0].count", "4"]),
        ([long, "3"], [short, "4"]),
        (["timing.watch", "10ms"], ["timing", "ideal"]),
    ] {
        let said = format!("`{}` sets what `{}` sets, too", other[0], one[0]);
        let (one, other) = (one.join("="), other.join("="));
        for command in ["run", "settings", "survey"] {
            let called = scratch.call(&[command, "a.ron", "--set", &one, "--set", &other]);
            called.fails(2, &[&said, "--set:1:1"]);
        }
    }
    assert_eq!(scratch.names("."), ["a.ron"]);
    // What a diff says of its second run alone takes the place of what it says of both.
    let sides = ["--set", "pods.web.count=3", "--against-set", "pods[0].count=4"];
    let called = scratch.call(&[&["diff", "a.ron"], &sides[..]].concat());
    assert_eq!(called.code, 1, "{}", called.stderr);
    // Entries are added to those before.
    let entry = |at: &str| format!("timeline[+]=(at: \"{at}\", do: Cordon(node: \"a-0\"))");
    let (one, two) = (entry("1m"), entry("2m"));
    assert_eq!(scratch.call(&["run", "a.ron", "-q", "--set", &one, "--set", &two]).code, 0);
}

/// What is written is one word away from what says it: the help is that word, and never one that is refused in turn.
#[test]
fn help_leads_to_what_works() {
    let scratch = Scratch::new();
    for (expectation, help) in [
        (r#"Never(Evicted(workload: "web"))"#, "write `NotEvicted(…)`"),
        (r#"Never(Deleted(workload: "web"))"#, "write `Deleted(count: 0, …)`, which stands alone"),
        (r#"Always(Tainted(taint: "a"))"#, "write `Tainted(count: 0, …)`, which stands alone"),
        (
            "Condition(type: CniReady, status: True)",
            "is not a condition that Kubernetes itself sets",
        ),
        (r#"Always(AllOf([AtLeast(of: up("web"), is: 1)]))"#, "did you mean `All`?"),
        ("Evicted(workload: 'web')", "write `\"web\"`"),
        (r#"Tainted(nodes: "a-0", taint: "x")"#, "write `Node(\"a-0\")`"),
        (r#"Tainted(nodes: ["a-0", "a-1"], taint: "x")"#, "write `Nodes([\"a-0\", \"a-1\"])`"),
        (r#"Evicted(pod: "web-0")"#, "`workload: \"web\"` is all pods of it"),
        (r#"Evicted(pod: "web")"#, "`workload: \"web\"` is all pods of it"),
        ("Evicted(pod: web-0)", "write `\"web-0\"`"),
        ("Evicted(pod: “web-0”)", "texts stand in straight quotes"),
        (r#"Evicted(pod: "web-0”, node: "a-0")"#, "texts stand in straight quotes"),
        ("Evicted(workload: \"web\", after: 2m)", "write `\"2m\"`"),
        (r#"Evicted(node: ["a-0"])"#, "several are `nodes: Nodes([\"a-0\"])`"),
        (r#"Evicted(node: Zone("a"))"#, "several are `nodes: …`"),
        (r#"Evicted(pods: "web-0")"#, "write `Pod(\"web-0\")`"),
        ("Never(pod-stuck)", "did you mean `PodStuck`?"),
        ("Never(bound-to-cordoned(0s))", "did you mean `BoundToCordoned`?"),
        (r#"Never("pod-stuck")"#, "did you mean `PodStuck`?"),
    ] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "5m", nodes: [(names: "a-{{0..2}}")],
            workloads: [Deployment(name: "web", replicas: 1)],
            timeline: [(at: "1m", do: Crash(node: "a-1"))],
            expect: [{expectation}])"#
        );
        scratch.write("near.ron", text);
        let tested = scratch.call(&["test", "near.ron"]);
        assert_eq!(tested.code, 2, "{expectation}: {}", tested.stdout);
        let said = tested.stdout + &tested.stderr;
        let said = super::unfolded(&said);
        assert!(said.contains(help), "{expectation}: {said}");
    }
    // The scenario itself is no golden timeline, nor is a text: neither is replaced, and nobody is told to remove it.
    scratch.write("text.txt", "notes\n");
    for golden in ["self.ron", "text.txt"] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "5m", nodes: [(name: "a")], golden: "{golden}")"#
        );
        scratch.write("self.ron", text);
        for args in [&["test", "self.ron"][..], &["test", "self.ron", "--update"]] {
            let tested = scratch.call(args);
            assert_eq!(tested.code, 2, "{golden}: {}", tested.stdout);
            let said = tested.stdout + &tested.stderr;
            let said = super::unfolded(&said);
            assert!(said.contains("name a file that is not there yet"), "{golden}: {said}");
            assert!(!said.contains("remove it"), "{golden}: {said}");
        }
    }
}
