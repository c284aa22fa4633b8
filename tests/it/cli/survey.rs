//! Surveys: the table, findings with commands that work, exports as they stand, limits.

use super::{Called, Scratch, unfolded};

#[test]
fn an_export_as_it_stands() {
    let scratch = Scratch::new();
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/healthy-all.json.gz");
    let called = scratch.call(&["survey", export, "-q", "--lose", "zone"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("zone/"), "{}", called.stdout);
    assert!(called.stdout.contains("Findings"), "{}", called.stdout);
}

#[test]
fn a_limit_that_is_broken_ends_with_one() {
    let scratch = Scratch::with_starter();
    let run =
        |limit| scratch.call(&["survey", "a.ron", "-q", "--lose", "node,zone", "--fail-on", limit]);
    let broken = run("evicted>0");
    assert_eq!(broken.code, 1, "{}", broken.stderr);
    let said = unfolded(&broken.stdout);
    assert!(said.contains("--fail-on 'evicted>0'"), "{said}");
    assert_eq!(run("evicted>1000").code, 0);
    let refused = run("down>5");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("missing unit"), "{}", refused.stderr);
}

/// The explanation of the table is one paragraph of over 400 letters.
#[test]
fn lines_are_as_wide_as_the_terminal() {
    let scratch = Scratch::with_starter();
    let widest = |called: Called| called.stdout.lines().map(|l| l.chars().count()).max();
    let asked = ["survey", "a.ron", "-q", "--lose", "zone"];
    let (usual, narrow) = (widest(scratch.call(&asked)), widest(scratch.narrow(&asked)));
    assert!(usual > Some(80) && usual <= Some(100), "{usual:?}");
    assert!(narrow <= Some(80), "{narrow:?}");
}

/// The command below a finding, taken apart at its pipe, shows it.
#[test]
fn what_is_printed_below_a_finding_can_be_called() {
    let scratch = Scratch::new();
    let planning = include_str!("../../../scenarios/planning.ron");
    scratch.write("planning.ron", planning);
    let called = scratch.call(&["survey", "planning.ron", "-q", "-o", "json", "--seed", "3"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let document: serde_json::Value = serde_json::from_str(&called.stdout).expect("JSON");
    let basis = &document["basis"];
    let asked = (&basis["seed"], &basis["by"], &basis["needless_window_s"]);
    assert_eq!(asked, (&3.into(), &"machine".into(), &300.0.into()));
    let findings = document["findings"].as_array().expect("findings");
    assert!(!findings.is_empty());
    let rows = document["rows"].as_array().expect("rows");
    for finding in findings {
        // The loss that shows it, under its name in the rows.
        assert!(rows.iter().any(|row| row["lost"] == finding["lost"]), "{finding}");
        let command = finding["command"].as_str().expect("a command");
        let (write, tell) = command.split_once(" | ").expect("two commands");
        assert!(write.contains(" --seed 3 "), "{command}");
        let words: Vec<&str> = write.split(' ').skip(1).collect();
        let written = scratch.call(&words);
        assert_eq!(written.code, 0, "{command}: {}", written.stderr);
        scratch.write("loss.ron", &written.stdout);
        let tell = tell.replace(" -", " loss.ron");
        let words: Vec<&str> = tell.split(' ').skip(1).collect();
        let told = scratch.call(&words);
        assert_eq!(told.code, 0, "{command}: {}", told.stderr);
    }
}

/// A survey of three nodes with two devices each, four of them in use, under these options; as JSON.
fn of_devices(scratch: &Scratch, options: &[&str]) -> serde_json::Value {
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/devices.json");
    let called = scratch.call(&[&["survey", export, "-q", "-o", "json"], options].concat());
    assert_eq!(called.code, 0, "{}", called.stderr);
    serde_json::from_str(&called.stdout).expect("JSON")
}

/// A rule, as kubectl takes it.
fn rule(selector: &str, key: &str, effect: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata:\n  name: broken\nspec:\n  deviceSelector: {selector}\n  taint:\n    key: {key}\n    effect: {effect}\n"
    )
}

/// Each pod that is evicted and after how many whole seconds, and how many pods are Pending at the end.
fn evicted(document: &serde_json::Value) -> (Vec<(String, u64)>, u64) {
    let row = &document["rows"][0];
    let pods = row["evicted_for_devices"]["pods"].as_array().expect("pods");
    let of = |p: &serde_json::Value| {
        let pod = p["pod"].as_str().expect("a name").replace("ml/train-7c9-", "");
        (pod, p["after_s"].as_f64().expect("seconds") as u64)
    };
    let pending = row["figures"]["pending"].as_f64().expect("a number") as u64;
    let mut pods: Vec<_> = pods.iter().map(of).collect();
    pods.sort();
    (pods, pending)
}

/// The claims tolerate `ecc` for 60 s. A rule on the pool n-1 evicts the two pods there after that time, and their
/// successors find the free devices of n-2 and n-3. Another taint evicts at once; where it is on every device, no
/// successor finds one, and all four wait. A tolerated one on every device makes a loop: a pod a second and more.
#[test]
fn what_a_rule_would_evict() {
    let scratch = Scratch::new();
    let asked = |selector: &str, key: &str, effect: &str| {
        scratch.write("rule.yaml", rule(selector, key, effect));
        of_devices(&scratch, &["--lose", "rule=rule.yaml"])
    };
    let all = |names: &[&str], after: u64| -> Vec<(String, u64)> {
        names.iter().map(|n| ((*n).to_owned(), after)).collect()
    };
    let document = asked("{pool: n-1}", "ecc", "NoExecute");
    assert_eq!(evicted(&document), (all(&["a", "b"], 60), 0));
    let text = document["findings"][0]["text"].as_str().expect("a text");
    assert!(
        text.starts_with("rule broken (ecc on pool n-1): evicts 2 pods after 1m (ml/train-7c9-a, ml/train-7c9-b). ml/train loses 2 of 4 pods, "),
        "{text}"
    );
    assert!(text.contains("the successors find devices"), "{text}");
    let document = asked("{}", "hot", "NoExecute");
    assert_eq!(evicted(&document), (all(&["a", "b", "c", "d"], 0), 4));
    let text = document["findings"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("rule broken (hot on EVERY DEVICE OF THE CLUSTER, as its deviceSelector is empty, and no rate holds it back): evicts 4 pods at once ("), "{text}");
    assert!(text.contains("4 successors find no device as long as it is there"), "{text}");
    let document = asked("{}", "ecc", "NoExecute");
    assert_eq!(evicted(&document).0, all(&["a", "b", "c", "d"], 60));
    assert!(document["rows"][0]["evicted_for_devices"]["again"].as_u64() > Some(500));
    // A rule that only says what it would do is told as what NoExecute would do, with upstream's own words.
    let document = asked("{pool: n-1}", "hot", "None");
    assert_eq!(evicted(&document), (all(&["a", "b"], 0), 0));
    assert_eq!(
        document["rows"][0]["evicted_for_devices"]["preview"],
        "2 published devices selected. 2 allocated devices selected. 2 pods would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update."
    );
    let document = asked("{pool: n-1}", "hot", "NoSchedule");
    assert_eq!(evicted(&document), (Vec::new(), 0));
}

/// A device that its driver taints: the pod that has it goes, and its successor finds another.
#[test]
fn a_device_that_is_lost() {
    let scratch = Scratch::new();
    let one = of_devices(&scratch, &["--lose", "device=gpu.example.com/n-1/gpu-b"]);
    assert_eq!(evicted(&one), (vec![("a".to_owned(), 0)], 0));
    assert_eq!(one["rows"][0]["lost"], "device/gpu.example.com/n-1/gpu-b");
    // All six of them; the nodes n-2 and n-3 are alike, and so are their devices.
    let all = of_devices(&scratch, &["--lose", "device"]);
    assert_eq!((&all["losses"], all["rows"].as_array().map(Vec::len)), (&6.into(), Some(4)));
}

/// What is wrong with a rule is said with its file, before anything runs.
#[test]
fn a_rule_that_fits_nothing() {
    let scratch = Scratch::new();
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/devices.json");
    for (text, words) in [
        (
            rule("{pool: n-9}", "ecc", "NoExecute"),
            "rule.yaml: rule `broken`: no node has a device with the pool `n-9`",
        ),
        (
            rule("{pools: n-1}", "ecc", "NoExecute"),
            "spec.deviceSelector.pools: the API does not know it and drops it",
        ),
        (rule("null", "ecc", "NoExecute"), "`deviceSelector: {}` selects every device"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n".to_owned(), "is no DeviceTaintRule"),
    ] {
        scratch.write("rule.yaml", &text);
        let called = scratch.call(&["survey", export, "-q", "--lose", "rule=rule.yaml"]);
        assert_eq!(called.code, 2, "{}", called.stdout);
        assert!(called.stderr.contains(words), "{}", called.stderr);
    }
}
