//! Help, version, what goes to which stream, suggestions, colours.

use super::{Scratch, unfolded};
use std::process::Command;

#[test]
fn without_arguments_there_is_help_with_an_example_that_runs() {
    let scratch = Scratch::new();
    let help = scratch.call(&[]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    // The example is followed to the letter.
    let examples: Vec<Vec<&str>> = help
        .stdout
        .lines()
        .filter_map(|l| l.trim().strip_prefix("taintsim "))
        .map(|l| l.split("   ").next().unwrap_or(l).split_whitespace().collect())
        .collect();
    assert_eq!(examples.len(), 4, "{}", help.stdout);
    for example in examples {
        let called = scratch.call(&example);
        assert_eq!(called.code, 0, "{example:?}: {}", called.stderr);
    }
    assert_eq!(scratch.names("output"), ["first", "first-sweep"]);
}

#[test]
fn help_and_version_are_data() {
    let scratch = Scratch::new();
    for args in [&["--help"][..], &["-h"], &["help"], &["run", "--help"], &["sweep", "--help"]] {
        let called = scratch.call(args);
        assert_eq!((called.code, called.stderr.as_str()), (0, ""), "{args:?}");
        assert!(called.stdout.contains("Usage: taintsim"), "{args:?}: {}", called.stdout);
    }
    let version = scratch.call(&["--version"]);
    assert_eq!(version.stdout, format!("taintsim {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_option_that_takes_a_number_or_time_says_its_default() {
    let scratch = Scratch::new();
    let (run, sweep) =
        (scratch.call(&["run", "--help"]).stdout, scratch.call(&["sweep", "--help"]).stdout);
    for (text, words) in [
        (&run, "[default: the scenario's, or 1]"),
        (&run, "[default: the scenario's, an export's newest kubelet's, or 1.34]"),
        (&run, "[default: the scenario's, or typical]"),
        (&run, "a duration such as 90s or 5m [default: 5m]"),
        (&run, "[default: output]"),
        (&sweep, "[default: 10]"),
        (&sweep, "[default: one for each processor]"),
    ] {
        assert!(unfolded(text).contains(words), "{words}: {text}");
    }
}

#[test]
fn slips_get_a_suggestion() {
    let scratch = Scratch::with_starter();
    scratch.call(&["rn", "a.ron"]).fails(2, &["unrecognized subcommand 'rn'", "'run'"]);
    scratch.call(&["swep", "a.ron"]).fails(2, &["'sweep'"]);
    scratch.call(&["a.ron"]).fails(2, &["taintsim run a.ron"]);
    scratch.call(&["run", "b.ron"]).fails(2, &["cannot read b.ron", "did you mean `a.ron`?"]);
    scratch
        .call(&["validate", "aa.ron"])
        .fails(2, &["cannot read aa.ron", "did you mean `a.ron`?"]);
    scratch.call(&["import", "aa.ron"]).fails(2, &["cannot read aa.ron", "did you mean `a.ron`?"]);
    scratch.call(&["run", "a.ron", "--sed", "3"]).fails(2, &["--seed"]);
    scratch.call(&["run", "a.ron", "--timing", "idael"]).fails(2, &["did you mean `ideal`?"]);
    scratch.call(&["run", "a.ron", "--kubernetes", "1.99"]).fails(2, &["1.99"]);
    scratch.call(&["run", "a.ron", "--set", "pods.wbe.count=3"]).fails(2, &["did you mean `web`?"]);
    scratch.call(&["run", "a.ron", "--set", "horizn=3m"]).fails(2, &["did you mean `horizon`?"]);
    scratch.call(&["run", "a.ron", "--needless-within", "5min"]).fails(2, &["did you mean \"m\"?"]);
}

#[test]
fn a_run_prints_its_report_and_nothing_else() {
    let scratch = Scratch::with_starter();
    let called = scratch.call(&["run", "a.ron"]);
    assert_eq!((called.code, called.stderr.as_str()), (0, ""));
    for words in [
        "Zone b loses its network",
        "Kubernetes 1.34.",
        "timing Typical, seed 1,",
        "Summary",
        "output/a",
        "One seed is one sample",
    ] {
        assert!(called.stdout.contains(words), "{words:?} in: {}", called.stdout);
    }
    // Overrides show in the header.
    let called = scratch.call(&[
        "run",
        "a.ron",
        "--seed",
        "7",
        "--kubernetes",
        "1.20.2",
        "--timing",
        "ideal",
    ]);
    assert!(
        called.stdout.contains("Kubernetes 1.20.2, timing Ideal, seed 7,"),
        "{}",
        called.stdout
    );
    assert!(scratch.text("output/a/manifest.json").contains("\"seed\": 7"));
}

#[test]
fn json_is_one_document_for_each_scenario() {
    let scratch = Scratch::with_starter();
    scratch.edited("b.ron", "duration: \"7m\"", "duration: \"10s\"");
    let called = scratch.call(&["run", "a.ron", "b.ron", "--format", "json"]);
    assert_eq!((called.code, called.stderr.as_str()), (0, ""));
    let documents: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&called.stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .expect("JSON");
    let names: Vec<_> =
        documents.iter().map(|d| d["run"]["scenario"].as_str().unwrap_or_default()).collect();
    assert_eq!(names, ["a", "b"]);
    // Ten pods of zone b wait two minutes and the outage lasts seven; three pods of a-3 do not
    // tolerate the user's taint.
    let evicted: Vec<_> = documents.iter().map(|d| d["summary"]["evicted"].as_u64()).collect();
    assert_eq!(evicted, [Some(13), Some(3)]);
    assert_eq!(documents[0]["files"]["folder"], "output/a");
}

#[test]
fn standard_input_is_a_scenario_too() {
    let scratch = Scratch::with_starter();
    let called = scratch.call_with(&["run", "-"], scratch.read("a.ron"));
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert_eq!(scratch.names("output"), ["stdin"]);
    scratch.call_with(&["run", "-"], "Scenario(").fails(2, &["--> stdin:1:"]);
    scratch.call_with(&["import", "-"], "").fails(2, &["stdin is empty"]);
    scratch.call_with(&["outages", "-"], "x").fails(2, &["stdin: this is no history"]);
    let checked = scratch.call_with(&["validate", "-"], scratch.read("a.ron"));
    assert!(checked.stdout.starts_with("stdin: fine"), "{}", checked.stdout);
    assert_eq!(checked.code, 0);
}

/// It ends once, so that one input can come by it; of two sides of one scenario both come from it.
#[test]
fn standard_input_is_read_once() {
    let scratch = Scratch::with_starter();
    for args in [&["diff", "-", "-"][..], &["run", "-", "-"], &["import", "-", "-"]] {
        let given = match args[0] {
            "import" => r#"{"kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n-1"}}]}"#.to_owned(),
            _ => String::from_utf8(scratch.read("a.ron")).expect("a text"),
        };
        scratch.call_with(args, given).fails(2, &["stdin can be read once only", "save the other"]);
    }
    let args = ["diff", "-", "--against-set", "horizon=19m"];
    let compared = scratch.call_with(&args, scratch.read("a.ron"));
    assert_eq!(compared.code, 1, "{}", compared.stderr);
    assert!(compared.stdout.starts_with("A  stdin: "), "{}", compared.stdout);
}

#[test]
fn colours_are_for_terminals_or_for_those_who_ask() {
    let scratch = Scratch::with_starter();
    let escape = '\u{1b}';
    assert!(!scratch.call(&["run", "a.ron"]).stdout.contains(escape));
    assert!(scratch.call(&["run", "a.ron", "--color", "always"]).stdout.contains(escape));
    assert!(scratch.call(&["--color=always", "run", "b.ron"]).stderr.contains(escape));
    assert!(scratch.call(&["rum", "--color", "always"]).stderr.contains(escape));
    assert!(scratch.call(&["--color=always"]).stdout.contains(escape));
    let forced = |args: &[&str]| {
        scratch
            .command(args)
            .env("CLICOLOR_FORCE", "1")
            .output()
            .expect("it runs")
            .stdout
            .contains(&0x1b)
    };
    assert!(forced(&["run", "a.ron"]));
    assert!(!forced(&["run", "a.ron", "--color", "never"]));
    scratch.call(&["run", "a.ron", "--color", "blue"]).fails(2, &["blue"]);
}

#[test]
fn validate_names_every_mistake_and_counts_them() {
    let scratch = Scratch::with_starter();
    let fine = scratch.call(&["validate", "a.ron"]);
    assert_eq!((fine.code, fine.stderr.as_str()), (0, ""));
    // Two zones of five nodes; 20 web pods and ten agents.
    assert!(
        fine.stdout.starts_with(
            "a.ron: fine (10 nodes, 30 pods, 2 entries in the timeline, Kubernetes 1.34."
        ),
        "{}",
        fine.stdout
    );
    scratch.edited("b.ron", "horizon: \"30m\"", "horizon: \"30\", horizonn: 3");
    let wrong = scratch.call(&["validate", "."]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stdout.contains("a.ron: fine") && !wrong.stdout.contains("b.ron"),
        "{}",
        wrong.stdout
    );
    for words in [
        "b.ron:16:",
        "horizonn",
        "did you mean `horizon`?",
        "missing unit",
        "2 mistakes in 1 of 2 files",
    ] {
        assert!(wrong.stderr.contains(words), "{words:?} in: {}", wrong.stderr);
    }
    scratch.write("empty.txt", "");
    std::fs::create_dir(scratch.path("none")).expect("a folder");
    scratch.call(&["validate", "none"]).fails(4, &["no scenario"]);
}

#[test]
fn completions_and_a_manual_are_printed_and_listed() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish"] {
        let called = scratch.call(&["completions", shell]);
        assert_eq!(called.code, 0);
        assert!(called.stdout.contains("taintsim") && called.stdout.contains("sweep"), "{shell}");
    }
    assert!(scratch.call(&["man"]).stdout.contains(".TH taintsim 1"));
    let page = scratch.call(&["man", "run"]).stdout;
    assert!(page.contains("needless"));
    let title = concat!(".TH taintsim-run 1  \"taintsim ", env!("CARGO_PKG_VERSION"), "\"");
    assert!(page.contains(title), "{page}");
    for section in ["EXIT STATUS\"", "ENVIRONMENT", "EXAMPLES", "SEE ALSO\""] {
        assert!(
            page.contains(&format!(".SH \"{section}")) || page.contains(&format!(".SH {section}")),
            "{page}"
        );
    }
    scratch.call(&["man", "rum"]).fails(2, &["`rum`"]);
    let help = scratch.call(&["--help"]).stdout;
    assert!(help.contains("completions") && help.contains("  man "), "{help}");
}

#[test]
fn a_shell_offers_what_the_scenario_of_the_line_has() {
    let scratch = Scratch::new();
    assert_eq!(scratch.call(&["init", "a.ron"]).code, 0);
    let offered = |words: &[&str]| {
        // As readline calls it: with the line's words, and the one that is being written.
        let script = "taintsim() { \"$program\" \"$@\"; }
            source <(taintsim completions bash)
            COMP_WORDS=(taintsim \"$@\"); COMP_CWORD=$#
            _taintsim taintsim \"${!#}\" \"${COMP_WORDS[COMP_CWORD-1]}\"
            for word in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$word\"; done";
        let output = Command::new("bash")
            .args(["-c", script, "bash"])
            .args(words)
            .env("program", env!("CARGO_BIN_EXE_taintsim"))
            .current_dir(&scratch.0)
            .output()
            .expect("bash");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(offered(&["run", "a.ron", "--set", "hori"]), "horizon=\n");
    // Bash breaks words at `=`, and puts what is offered after it.
    assert_eq!(offered(&["run", "a.ron", "--set", "=", "hori"]), "horizon=\n");
    assert_eq!(offered(&["settings", "a.ron", "--set", "="]).lines().next(), Some("begins="));
    assert_eq!(
        offered(&["sweep", "a.ron", "--set", "workloads.web.repl"]),
        "workloads.web.replicas=\n"
    );
    assert_eq!(offered(&["explain", "a.ron", "deployment/"]), "deployment/default/web\n");
    // Options stay what they are, and files are Bash's own.
    assert!(offered(&["run", "a.ron", "--kube"]).contains("--kubernetes"));
    assert_eq!(offered(&["run", "a"]), "");
}

#[test]
fn an_import_runs() {
    let scratch = Scratch::new();
    let nodes = r#"{"kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n-1"}}]}"#;
    let called = scratch.call_with(&["import", "-"], nodes);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("Scenario(") && called.stdout.contains("n-1"),
        "{}",
        called.stdout
    );
    assert!(called.stderr.contains("1 node"), "{}", called.stderr);
    scratch.write("nodes.json", nodes);
    let called = scratch.call(&["import", "nodes.json", "--out", "c.ron"]);
    assert_eq!((called.code, called.stdout.as_str()), (0, ""), "{}", called.stderr);
    assert_eq!(scratch.call(&["run", "c.ron"]).code, 0);
    scratch
        .call(&["import", "nodes.json", "--out", "c.ron"])
        .fails(2, &["c.ron exists", "--force"]);
    scratch
        .call_with(&["import", "-"], "NAME   STATUS   ROLES   AGE   VERSION\n")
        .fails(2, &["kubectl get"]);
}

/// Lines keep to the width that COLUMNS asks for, where words allow.
#[test]
fn text_is_folded_at_eighty_columns() {
    let scratch = Scratch::with_starter();
    let export = format!("{}/tests/exports/healthy-all.json.gz", env!("CARGO_MANIFEST_DIR"));
    let cut = "timeline: [(at: \"1m\", name: \"cut\", do: Crash(nodes: Zone(\"eu-west-1c\")))]";
    scratch.write(
        "z.ron",
        format!("(version: 1, horizon: \"15m\", cluster: From({export:?}), {cut})"),
    );
    let nodes = "version: 1, horizon: \"5m\", nodes: [(names: \"a-{00..29}\")]";
    let wrong = "expect: [\nTainted(taint: \"unreachable:NoExecute\", node: \"a-*\", count: 1, after: \"a moment\", within: \"1m\")]";
    scratch.write("wrong.ron", format!("({nodes}, {wrong})"));
    let flag = "flags: (kube-controller-manager: {\n\"pod-eviction-timeout\": \"5m\" })";
    scratch.write("flag.ron", format!("({nodes}, {flag})"));
    let failing = "timeline: [(at: \"1m\", name: \"a moment\", do: Crash(node: \"a-00\"))],
        expect: [Tainted(taint: \"unreachable:NoExecute\", node: \"a-*\", count: 9)]";
    scratch.write("failing.ron", format!("({nodes}, {failing})"));
    for args in [
        &["test", "failing.ron"][..],
        &["validate", "wrong.ron", "flag.ron"],
        &["faults", "a.ron", "--preset", "on-prem"],
        &[
            "sweep",
            "failing.ron",
            "--set",
            "timeline.a moment.at=1m,2m",
            "--set",
            "flags.kube-controller-manager.node-eviction-rate=0.1,0.2",
            "--seeds",
            "3",
        ],
        &[
            "run",
            "z.ron",
            "--set",
            "flags.kube-apiserver.default-unreachable-toleration-seconds=60",
        ],
        &["run", "a.ron"],
        &["explain", "a.ron", "node/b-0"],
        &["explain", "z.ron", "deployment/shop/api"],
        &["test", "a.ron"],
        &["validate", "a.ron"],
        &["diff", "a.ron", "--against", "1.33"],
        &[
            "import",
            "no-such-file-of-a-name-that-is-long-enough-to-need-folding-at-eighty-columns.json",
        ],
    ] {
        let called = scratch.narrow(args);
        for line in called.stdout.lines().chain(called.stderr.lines()) {
            let longest = line.split_whitespace().map(|w| w.chars().count()).max().unwrap_or(0);
            assert!(line.chars().count() <= 80 || longest > 30, "{args:?}: {line}");
        }
    }
}

/// What came by standard input has no name that a scenario could write; of one outage nobody knows how
/// often they come.
#[test]
fn a_history_by_standard_input_leaves_blanks_in_its_model() {
    let scratch = Scratch::new();
    let one = "node,start,end\na,2026-01-06T10:26:45Z,2026-01-06T10:27:45Z\n";
    let said = scratch.call_with(&["outages", "-"], one).stdout;
    assert!(said.starts_with("stdin\n"), "{said}");
    assert!(said.contains("rate: PerNodeYear(…), lasts: Empirical(\"…\")"), "{said}");
    assert!(!said.contains("a node and year"), "{said}");
    let json = scratch.call_with(&["outages", "-", "-o", "json"], one).stdout;
    assert!(json.contains("\"per_node_year\": null"), "{json}");
    // Four weeks in which a node failed twice: 26.07 a year.
    let two = "node,start,end\na,0,60\na,2419140,2419200\n";
    scratch.write("h.csv", two);
    let said = scratch.call(&["outages", "h.csv"]).stdout;
    assert!(said.contains("rate: PerNodeYear(26.1), lasts: Empirical(\"h.csv\")"), "{said}");
}
