//! Folders of scenarios as CI keeps them: what `test` and `validate` take from them, and golden timelines beside them.

use super::{Scratch, unfolded};
use std::fs;

/// Nothing happens to the node.
const WELL: &str = r#"Scenario(version: 1, horizon: "2m", nodes: [(name: "n")], pods: [(name: "p", on: Node("n"))],
    golden: "NAME.timeline", expect: [Bound(pod: "p", count: 0)])"#;

fn with_golden(name: &str) -> String {
    WELL.replace("NAME", name)
}

/// The folder of a run holds a copy of its scenario, which a test that writes golden timelines would add one to: then the next run
/// of the scenario would leave the folder as it is.
#[test]
fn results_and_hidden_folders_are_passed_over() {
    let dir = Scratch::new();
    dir.write("s.ron", with_golden("s"));
    assert_eq!(dir.call(&["run", "-q", "s.ron"]).code, 0);
    fs::create_dir_all(dir.path(".venv/lib")).unwrap();
    dir.write(".venv/lib/wrong.ron", "Scenario(");
    let files = dir.names("output/s");
    assert!(files.contains(&"scenario.ron".to_owned()), "{files:?}");
    for args in [&["validate", "."][..], &["validate", "**/*.ron"]] {
        let called = dir.call(args);
        assert_eq!((called.code, called.stdout.lines().count()), (0, 1), "{}", called.stdout);
    }
    let updated = dir.call(&["test", "-q", "--update", "."]);
    assert!(updated.stdout.contains("1 scenario: 1 passed"), "{}", updated.stdout);
    assert_eq!(dir.names("output/s"), files);
    assert_eq!(dir.call(&["run", "-q", "s.ron"]).code, 0, "the folder is results still");
    // Where that leaves nothing it is said; what is named is taken.
    for command in ["test", "validate"] {
        for folder in ["output", "output/s"] {
            dir.call(&[command, folder]).fails(
                4,
                &["there is no scenario", "passed over (output/s); name the file that is meant"],
            );
        }
        assert_eq!(dir.call(&[command, ".venv"]).code, 2, "a hidden folder by its name");
    }
    let copy = dir.call(&["validate", "output/s/scenario.ron"]);
    assert_eq!(copy.code, 0, "{}", copy.stderr);
    // A page's manifest, say, is none of ours.
    fs::create_dir(dir.path("page")).unwrap();
    dir.write("page/manifest.json", r#"{"name": "app", "icons": []}"#);
    dir.write("page/wrong.ron", "Scenario(");
    assert_eq!(dir.call(&["validate", "page"]).code, 2);
}

/// A scenario under another name does the same, so that its golden timeline is the same file.
#[test]
fn a_golden_timeline_is_that_of_a_scenario_by_any_name() {
    let dir = Scratch::new();
    dir.write("s.ron", with_golden("g"));
    assert_eq!(dir.call(&["test", "-q", "--update", "s.ron"]).code, 0);
    let golden = dir.read("g.timeline");
    fs::rename(dir.path("s.ron"), dir.path("renamed.ron")).unwrap();
    assert_eq!(dir.call(&["test", "-q", "renamed.ron"]).code, 0);
    assert_eq!(dir.call(&["test", "-q", "--update", "renamed.ron"]).code, 0);
    assert_eq!(dir.read("g.timeline"), golden);
}

/// The folder of the second golden timeline is a link to nothing: the third is written, in a folder that is made, all the same, and every
/// report has all three.
#[cfg(unix)]
#[test]
fn a_golden_timeline_that_cannot_be_written_keeps_no_other() {
    let dir = Scratch::new();
    for (file, name) in [("a.ron", "a"), ("b.ron", "nowhere/b"), ("c.ron", "new/c")] {
        dir.write(file, with_golden(name));
    }
    std::os::unix::fs::symlink("gone", dir.path("nowhere")).unwrap();
    let called = dir.call(&["test", "-q", "--update", "a.ron", "b.ron", "c.ron"]);
    assert_eq!(called.code, 3, "{}", called.stderr);
    let told = unfolded(&called.stdout);
    for part in ["cannot write nowhere: ", "b.ron:2:13", "3 scenarios: 2 passed, 1 wrong"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(dir.path("a.timeline").is_file() && dir.path("new/c.timeline").is_file());
    assert_eq!(dir.call(&["test", "-q", "a.ron", "c.ron"]).code, 0);
}

/// What is wrong with `--set` stands in no line of the scenario.
#[test]
fn a_line_is_one_of_the_file() {
    let dir = Scratch::new();
    dir.write("s.ron", with_golden("s"));
    let args = ["test", "-q", "--set", "nodes[9].zone=b", "./s.ron", "--reporter"];
    let github = dir.call(&[&args[..], &["github"]].concat()).stdout;
    let wanted = "::error file=s.ron,title=wrong scenario::--set: there is no node group number 9";
    assert!(github.starts_with(wanted), "{github}");
    assert_eq!(dir.call(&[&args[..], &["json=out.json"]].concat()).code, 2);
    let json: serde_json::Value = serde_json::from_slice(&dir.read("out.json")).unwrap();
    let failure = &json["scenarios"][0]["failures"][0];
    assert_eq!((&failure["line"], &failure["column"]), (&().into(), &().into()), "{failure}");
}

/// A name that begins as an option does is given again so that it is none.
#[test]
fn a_name_that_looks_like_an_option_is_none_in_what_to_call() {
    let dir = Scratch::new();
    dir.write(
        "-s.ron",
        with_golden("s").replace(r#"Bound(pod: "p", count: 0)"#, r#"Evicted(pod: "p")"#),
    );
    let told = dir.call(&["test", "-q", "--update", "--", "-s.ron"]);
    assert_eq!(told.code, 1, "{}", told.stderr);
    assert!(told.stdout.contains("`taintsim explain ./-s.ron pod/default/p"), "{}", told.stdout);
    let tap = dir.call(&["test", "-q", "--reporter", "tap", "--", "-s.ron"]).stdout;
    assert!(tap.contains("ok 1 - -s.ron: scenario"), "{tap}");
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_told_and_no_other_is_meant() {
    let dir = Scratch::new();
    dir.write("s.ron", with_golden("s"));
    std::os::unix::fs::symlink("nowhere.ron", dir.path("gone.ron")).unwrap();
    for (args, path) in [(["validate", "."], "./gone.ron"), (["validate", "gone.ron"], "gone.ron")]
    {
        let called = dir.call(&args);
        let said = format!("cannot read {path}: it is a link to nothing");
        assert_eq!(called.code, 2, "{}", called.stderr);
        assert!(called.stderr.contains(&said), "{}", called.stderr);
        assert!(!called.stderr.contains("did you mean"), "{}", called.stderr);
    }
    assert!(dir.call(&["validate", "."]).stdout.contains("s.ron: fine"), "the other is checked");
}
