//! Work plans: what shards find, put together, is what one machine writes, byte for byte; and what
//! is missing, damaged or of something else is named, with what makes up for it.

use super::{Called, Scratch, repository};
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

const TOLERATION: &str = "pods.web.tolerations[unreachable].tolerationSeconds";

/// A sweep of two values over nine seeds.
fn sweep() -> Vec<String> {
    let set = format!("{TOLERATION}=0,600");
    words(&["sweep", "a.ron", "--quiet", "--seeds", "9", "--set", &set])
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

fn call(scratch: &Scratch, args: &[String], more: &[&str]) -> Called {
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    scratch.call(&args)
}

/// All files below a folder, by name.
fn files(scratch: &Scratch, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for name in scratch.names(folder) {
        let path = format!("{folder}/{name}");
        match fs::metadata(scratch.path(&path)).expect("it is there").is_dir() {
            true => all.extend(files(scratch, &path)),
            false => {
                all.insert(path.clone(), scratch.read(&path));
            }
        }
    }
    all
}

fn shard(scratch: &Scratch, plan: &str, number: u32) -> String {
    let called = scratch.call(&["shard", plan, &number.to_string(), "--jobs", "1"]);
    assert_eq!((called.code, called.stdout.as_str()), (0, ""), "{}", called.stderr);
    called.stderr
}

/// Does all shards, round by round, the last one first, until they can be gathered: what that came
/// to, and how many rounds it took.
fn gathered(scratch: &Scratch, plan: &str, of: u32, out: &[&str]) -> (Called, u32) {
    for round in 0.. {
        let called = scratch.call(&[&["gather", plan][..], out].concat());
        if called.code != 5 {
            return (called, round);
        }
        assert!(called.stderr.contains("taintsim shard"), "{}", called.stderr);
        assert!(round < 100, "it does not end: {}", called.stderr);
        for number in (0..of).rev() {
            shard(scratch, plan, number);
        }
    }
    unreachable!("it ends")
}

/// Holds what `of` shards come to against what one machine comes to; how many rounds it took.
fn same(scratch: &Scratch, args: &[String], of: u32, writes: bool) -> u32 {
    let plan = format!("plan-{of}");
    let out: &[&str] = if writes { &["--out", "results"] } else { &[] };
    let one = call(scratch, args, out);
    let before = if writes { files(scratch, "results") } else { BTreeMap::new() };
    let _ = fs::remove_dir_all(scratch.path("results"));
    let planned = call(scratch, args, &["--plan-shards", &of.to_string(), "--out", &plan]);
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    assert!(!scratch.path("results").exists(), "a plan runs nothing");
    let (many, rounds) = gathered(scratch, &plan, of, out);
    assert_eq!(many.code, one.code, "{}", many.stderr);
    assert_eq!(many.stdout, one.stdout, "{of} shards");
    if writes {
        assert_eq!(files(scratch, "results"), before, "{of} shards");
    }
    rounds
}

#[test]
fn a_sweep_is_the_same_bytes_whatever_the_number_of_shards() {
    let scratch = Scratch::with_starter();
    for of in [1, 2, 7] {
        assert_eq!(same(&scratch, &sweep(), of, true), 1);
    }
    // Once more, and again: what is done stays as it is.
    let before = files(&scratch, "plan-7");
    assert!(shard(&scratch, "plan-7", 3).contains("every shard of plan-7 is done"));
    assert_eq!(files(&scratch, "plan-7"), before);
    let (again, rounds) = gathered(&scratch, "plan-7", 7, &["--out", "results"]);
    assert_eq!((again.code, rounds), (0, 0), "{}", again.stderr);
}

#[test]
fn a_work_plan_needs_nothing_but_itself() {
    let scratch = Scratch::new();
    for file in ["production-zone-lost.ron", "production.json"] {
        let from = repository().join("tests/exports").join(file);
        if let Ok(bytes) = fs::read(&from) {
            scratch.write(file, bytes);
        }
    }
    let export = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[
        {\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n-0\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}},
        {\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n-1\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}},
        {\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},\"spec\":{\"nodeName\":\"n-0\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}]}";
    scratch.write("cluster.json", export);
    scratch.write(
        "of.ron",
        "Scenario(version: 1, horizon: \"20m\", cluster: From(\"cluster.json\"),
            timeline: [(at: \"3m\", do: Partition(nodes: Node(\"n-0\"), duration: \"10m\"))])",
    );
    let args =
        words(&["sweep", "of.ron", "--quiet", "--seeds", "4", "--set", "kubernetes=1.30,1.34"]);
    let one = call(&scratch, &args, &[]);
    assert_eq!(one.code, 0, "{}", one.stderr);
    let before = files(&scratch, "output");
    let planned = call(&scratch, &args, &["--plan-shards", "2", "--out", "plan"]);
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    for gone in ["of.ron", "cluster.json"] {
        fs::remove_file(scratch.path(gone)).expect("it was there");
    }
    fs::remove_dir_all(scratch.path("output")).expect("it was there");
    // On another machine, under another name.
    fs::rename(scratch.path("plan"), scratch.path("elsewhere")).expect("it was there");
    let (many, _) = gathered(&scratch, "elsewhere", 2, &[]);
    assert_eq!((many.code, &many.stdout), (0, &one.stdout), "{}", many.stderr);
    assert_eq!(files(&scratch, "output"), before);
}

#[test]
fn standard_input_is_packed_too() {
    let scratch = Scratch::with_starter();
    let set = format!("{TOLERATION}=0,600");
    let args = ["sweep", "-", "--quiet", "--seeds", "2", "--set", &set];
    let one = scratch.call_with(&args, scratch.text("a.ron"));
    let plan = [&args[..], &["--plan-shards", "3", "--out", "plan"]].concat();
    assert_eq!(scratch.call_with(&plan, scratch.text("a.ron")).code, 0);
    let (many, _) = gathered(&scratch, "plan", 3, &[]);
    assert_eq!((many.code, many.stdout), (0, one.stdout), "{}", many.stderr);
}

#[test]
fn a_survey_is_the_same_bytes() {
    let scratch = Scratch::with_starter();
    for format in ["text", "json"] {
        let args = words(&[
            "survey",
            "a.ron",
            "--quiet",
            "--for",
            "5m",
            "-o",
            format,
            "--fail-on",
            "evicted>3",
        ]);
        for of in [1, 2, 7] {
            assert_eq!(same(&scratch, &args, of, false), 1);
            // As the command itself, with a folder that nothing would be in.
            let plan = format!("plan-{of}");
            let refused = scratch.call(&["gather", &plan, "--out", "results"]);
            refused.fails(2, &["survey writes no folder of results, and --out names one"]);
            fs::remove_dir_all(scratch.path(&plan)).expect("it was there");
        }
    }
}

/// Ten nodes with a pod each, which fail now and then.
const FAILING: &str = r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{00..09}", zone: "a")],
    workloads: [Deployment(name: "web", replicas: 10, placement: Spread(All), template: (tolerations: [
        (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 300)]))],
    faults: (models: [(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Exponential(mean: "10m"))]))"#;

#[test]
fn a_plan_goes_in_rounds_and_ends_where_one_machine_ends() {
    let scratch = Scratch::new();
    scratch.write("f.ron", FAILING);
    let choose = "workloads.web.template.tolerations[unreachable].tolerationSeconds=0,60,300";
    let args = words(&["plan", "f.ron", "--quiet", "--choose", choose, "--precision", "4%"]);
    // As a work plan has it: no limit of time.
    let one = call(&scratch, &args, &["--budget", "1h", "--out", "results"]);
    let before = files(&scratch, "results");
    assert!(one.code <= 1, "{}", one.stderr);
    for of in [1, 2, 7] {
        let plan = format!("plan-{of}");
        let planned = call(&scratch, &args, &["--plan-shards", &of.to_string(), "--out", &plan]);
        assert_eq!(planned.code, 0, "{}", planned.stderr);
        fs::remove_dir_all(scratch.path("results")).expect("it was there");
        let (many, rounds) = gathered(&scratch, &plan, of, &["--out", "results"]);
        assert_eq!((many.code, &many.stdout), (one.code, &one.stdout), "{}", many.stderr);
        assert_eq!(files(&scratch, "results"), before);
        // Of 24 replications in the first round too little is known, and each round at least
        // doubles what there is: 24, 48, 96 … 24 · 2^10 are more than the most there can be.
        assert!((2..=10).contains(&rounds), "{rounds}");
    }
    let refused = call(&scratch, &args, &["--plan-shards", "2", "--out", "p", "--budget", "5m"]);
    refused.fails(2, &["a work plan cannot have a time, --budget"]);
}

#[test]
fn a_search_goes_batch_by_batch() {
    let scratch = Scratch::new();
    let rapid = fs::read(repository().join("scenarios/rapid.ron")).expect("it ships");
    scratch.write("rapid.ron", rapid);
    for (strategy, batch) in [("exhaustive", "20"), ("random", "40"), ("pct", "256")] {
        let asked = ["explore", "rapid.ron", "--quiet", "--runs", "100", "--strategy", strategy];
        // Where all is drawn there is no depth.
        let depth: &[&str] = if strategy == "random" { &[] } else { &["--depth", "1"] };
        let args = words(&[&asked[..], depth, &["--batch", batch]].concat());
        for of in [1, 3] {
            let rounds = same(&scratch, &args, of, true);
            fs::remove_dir_all(scratch.path(&format!("plan-{of}"))).expect("it was there");
            // A level begins a batch of its own; the other strategies have no levels. The last round draws
            // runs to say how often what was found is.
            match strategy {
                "random" => assert_eq!(rounds, 3 + 1, "100 runs in batches of 40"),
                "pct" => assert_eq!(rounds, 1 + 1),
                _ => assert!(rounds >= 2, "{rounds}"),
            }
        }
    }
}

#[test]
fn what_is_missing_or_damaged_is_named_with_what_makes_up_for_it() {
    let scratch = Scratch::with_starter();
    let one = call(&scratch, &sweep(), &[]);
    let planned = call(&scratch, &sweep(), &["--plan-shards", "4", "--out", "my plan"]);
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    for said in [
        "The work plan 'my plan' has 4 shards.",
        " taintsim shard 'my plan' I     for each I from 0 to 3;",
    ] {
        assert!(planned.stdout.contains(said), "{}", planned.stdout);
    }
    scratch.call(&["gather", "my plan"]).fails(
        5,
        &["no shard of my plan is done yet", "`taintsim shard 'my plan' I` for each I from 0 to 3"],
    );
    for number in [0, 1, 3] {
        assert!(shard(&scratch, "my plan", number).contains(&format!("shard {number} of 4: ")));
    }
    assert!(shard(&scratch, "my plan", 3).contains("shard 3 of 4 is done already"));
    let file = |number: u32| format!("my plan/round-0.shard-{number}.result");
    // Cut short, another byte, another version, another plan, of another shard, none at all.
    let whole = scratch.read(&file(1));
    let line = whole.iter().position(|b| *b == b'\n').expect("a line of JSON");
    let head = String::from_utf8(whole[..line].to_vec()).expect("UTF-8");
    let with = |head: String| [head.as_bytes(), &whole[line..]].concat();
    let mut flipped = whole.clone();
    flipped[line + 20] ^= 1;
    let version = format!("\"taintsim\":\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(head.contains(&version) && head.contains("\"plan\":\"fnv1a64:"), "{head}");
    let damaged = [
        (whole[..whole.len() - 1].to_vec(), "cut short, or damaged"),
        (flipped, "cut short, or damaged"),
        (with(head.replace(&version, "\"taintsim\":\"0.0.9\"")), "taintsim 0.0.9 made it"),
        (
            with(head.replace("fnv1a64:", "fnv1a64:0")),
            "it is of another work plan: other inputs, or another command",
        ),
        (scratch.read(&file(0)), "it is of shard 0 in round 0"),
        (b"nothing".to_vec(), "it is no result of a shard"),
    ];
    for (bytes, what) in damaged {
        scratch.write(&file(1), bytes);
        let called = scratch.call(&["gather", "my plan"]);
        called.fails(
            5,
            &[
                "my plan lacks 2 of 4 shards: shard 1 is no good: my plan/round-0.shard-1.result: ",
                what,
                "; shard 2 is missing",
                "`taintsim shard 'my plan' 1`, `taintsim shard 'my plan' 2`",
            ],
        );
    }
    // The commands that were named make up for it.
    shard(&scratch, "my plan", 1);
    shard(&scratch, "my plan", 2);
    assert_eq!(scratch.read(&file(1)), whole);
    let many = scratch.call(&["gather", "my plan"]);
    assert_eq!((many.code, many.stdout), (0, one.stdout), "{}", many.stderr);
    scratch.call(&["shard", "my plan", "4"]).fails(2, &["my plan has no shard 4: it has 4"]);
}

#[test]
fn a_plan_that_is_not_what_was_packed_is_refused() {
    let scratch = Scratch::with_starter();
    assert_eq!(call(&scratch, &sweep(), &["--plan-shards", "2", "--out", "p"]).code, 0);
    let manifest = scratch.text("p/manifest.json");
    let anew = format!(
        "taintsim sweep a.ron --quiet --seeds 9 --set '{TOLERATION}=0,600' --plan-shards 2 --out p"
    );
    for command in [&["shard", "p", "0"][..], &["gather", "p"]] {
        let version = format!("\"taintsim\": \"{}\"", env!("CARGO_PKG_VERSION"));
        scratch.write("p/manifest.json", manifest.replace(&version, "\"taintsim\": \"9.9.9\""));
        scratch.call(command).fails(2, &["p was planned by taintsim 9.9.9", &anew]);
        for (own, other, told) in [
            ("\"version\": 1,", "\"version\": 99,", "(plan 99, folder 3), and this is"),
            ("\"format\": 3,", "\"format\": 99,", "(plan 1, folder 99), and this is"),
        ] {
            scratch.write("p/manifest.json", manifest.replace(own, other));
            scratch.call(command).fails(2, &[told, &anew]);
        }
        scratch.write("p/manifest.json", &manifest);
        let input = scratch.text("p/input-0-a.ron");
        scratch.write("p/input-0-a.ron", input.replace("120", "121"));
        scratch
            .call(command)
            .fails(2, &["p/input-0-a.ron, the copy of a.ron: it is not what was packed", &anew]);
        fs::remove_file(scratch.path("p/input-0-a.ron")).expect("it was there");
        scratch.call(command).fails(2, &["p/input-0-a.ron, the copy of a.ron", &anew]);
        scratch.write("p/input-0-a.ron", input);
    }
    assert_eq!(call(&scratch, &sweep(), &["--out", "q"]).code, 0);
    scratch.call(&["gather", "q/a-sweep"]).fails(2, &["these are results, and no work plan"]);
    scratch.call(&["gather", "q"]).fails(2, &["this is no work plan"]);
    // Results of shards are not thrown away for another plan.
    shard(&scratch, "p", 0);
    call(&scratch, &sweep(), &["--plan-shards", "3", "--out", "p"])
        .fails(2, &["p holds \"round-0.shard-0.result\"", "move it away"]);
}

#[cfg(unix)]
#[test]
fn a_shard_that_is_killed_leaves_nothing_and_is_done_again() {
    let scratch = Scratch::with_starter();
    // A node that comes and goes for months keeps the controllers busy.
    scratch.edited("long.ron", "horizon: \"30m\"", "horizon: \"3000h\"");
    let flap = "timeline: [(at: \"1h\", do: Flap(node: \"a-1\", down: \"55s\", up: \"30s\", times: 100000)),";
    let text = scratch.text("long.ron").replacen("timeline: [", flap, 1);
    scratch.write("long.ron", text);
    let args = words(&["sweep", "long.ron", "--seeds", "50", "--plan-shards", "1", "--out", "p"]);
    assert_eq!(call(&scratch, &args, &[]).code, 0);
    let before = scratch.names("p");
    let mut child = Command::new(env!("CARGO_BIN_EXE_taintsim"))
        .current_dir(&scratch.0)
        .args(["shard", "p", "0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Its first line of progress.
    let mut line = String::new();
    let stderr = child.stderr.take().expect("it is piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stderr), &mut line).expect("UTF-8");
    assert!(line.contains('%'), "progress: {line}");
    child.kill().expect("it runs");
    let killed = child.wait().expect("it ends");
    assert_eq!(killed.code(), None, "it ended by a signal");
    assert_eq!(scratch.names("p"), before);
    scratch.call(&["gather", "p"]).fails(5, &["no shard of p is done yet"]);

    // A temporary file of one that was killed while it wrote does not count, and goes away.
    let planned = call(&scratch, &sweep(), &["--plan-shards", "1", "--out", "q"]);
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    assert!(
        planned.stdout.starts_with(
            "The work plan q has 1 shard. Then, anywhere:\n  taintsim shard q I     I is 0;"
        ),
        "{}",
        planned.stdout
    );
    scratch.write("q/.round-0.shard-0.result.1-0.tmp", "half");
    scratch.call(&["gather", "q"]).fails(5, &["no shard of q is done yet"]);
    shard(&scratch, "q", 0);
    assert!(!scratch.path("q/.round-0.shard-0.result.1-0.tmp").exists());
    let one = call(&scratch, &sweep(), &[]);
    let many = scratch.call(&["gather", "q"]);
    assert_eq!((many.code, many.stdout), (0, one.stdout), "{}", many.stderr);
}

/// The folder of the program, first in the path.
#[expect(
    clippy::disallowed_methods,
    reason = "a script finds the program, and what it calls itself, by the path"
)]
fn path() -> std::ffi::OsString {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_taintsim"));
    let own = program.parent().expect("a folder").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others)))
        .expect("folders without colons")
}

#[cfg(unix)]
#[test]
fn the_script_for_slurm_does_every_task_of_its_array() {
    let scratch = Scratch::with_starter();
    let one = call(&scratch, &sweep(), &[]);
    assert_eq!(call(&scratch, &sweep(), &["--plan-shards", "3", "--out", "p"]).code, 0);
    let said = scratch.call(&["shard", "p", "--for", "slurm"]);
    assert_eq!((said.code, said.stdout.as_str()), (0, "sbatch p/slurm.sh\n"), "{}", said.stderr);
    let script = scratch.text("p/slurm.sh");
    assert!(script.contains("\n#SBATCH --array=0-2\n"), "{script}");
    // Slurm runs a copy of it, in another folder, with the number in the environment.
    let elsewhere = Scratch::new();
    elsewhere.write("slurm_script", &script);
    for task in ["0", "1", "2", "1"] {
        let status = Command::new("sh")
            .arg("slurm_script")
            .current_dir(&elsewhere.0)
            .env("PATH", path())
            .env("SLURM_ARRAY_TASK_ID", task)
            .stderr(Stdio::null())
            .status()
            .expect("a shell");
        assert!(status.success(), "task {task}");
    }
    let many = scratch.call(&["gather", "p"]);
    assert_eq!((many.code, many.stdout), (0, one.stdout), "{}", many.stderr);
}

#[cfg(unix)]
#[test]
fn the_command_of_the_manifest_does_every_index_of_the_job() {
    let scratch = Scratch::with_starter();
    let one = call(&scratch, &sweep(), &[]);
    assert_eq!(call(&scratch, &sweep(), &["--plan-shards", "3", "--out", "p"]).code, 0);
    let image = ["shard", "p", "--for", "kubernetes", "--image", "registry.example/taintsim:1"];
    assert_eq!(scratch.call(&image).stdout, "kubectl apply -f p/kubernetes.yaml\n");
    let json =
        taintsim::import::yaml_to_json(&scratch.text("p/kubernetes.yaml")).expect("it is YAML");
    let manifest: serde_json::Value = serde_json::from_str(&json).expect("it is JSON now");
    let job = &manifest["spec"];
    assert_eq!(
        (&manifest["kind"], &job["completionMode"], job["completions"].as_u64()),
        (&"Job".into(), &"Indexed".into(), Some(3))
    );
    let container = &job["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "registry.example/taintsim:1");
    assert_eq!(container["command"], serde_json::json!(["taintsim"]));
    // Its folders, where they are here: the plan as the ConfigMap has it, and the results.
    let results = Scratch::new();
    for index in 0..3 {
        let args: Vec<String> = container["args"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|a| match a.as_str().expect("a text") {
                "/plan" => scratch.path("p").display().to_string(),
                "/results" => results.0.display().to_string(),
                "$(JOB_COMPLETION_INDEX)" => index.to_string(),
                other => other.to_owned(),
            })
            .collect();
        assert_eq!(call(&results, &args, &[]).code, 0);
    }
    let results = results.0.display().to_string();
    let many = scratch.call(&["gather", "p", "--results", &results]);
    assert_eq!((many.code, many.stdout), (0, one.stdout), "{}", many.stderr);
}
