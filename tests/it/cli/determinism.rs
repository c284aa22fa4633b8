//! The same bytes from two processes, whatever the number of threads.

use super::Scratch;

#[test]
fn two_processes_give_the_same_bytes() {
    let (a, b) = (Scratch::with_starter(), Scratch::with_starter());
    for args in [
        &["run", "a.ron"][..],
        &["run", "a.ron", "--seed", "9", "--timing", "ideal"],
        &["run", "a.ron", "--format", "json"],
    ] {
        let (one, two) = (a.call(args), b.call(args));
        assert_eq!((one.code, &one.stdout, &one.stderr), (two.code, &two.stdout, &two.stderr));
        let names = a.names("output/a");
        assert_eq!(names, b.names("output/a"));
        assert!(
            names.contains(&"events.jsonl".to_owned())
                && names.contains(&"timeline.png".to_owned()),
            "{names:?}"
        );
        for name in names {
            assert!(
                a.read(&format!("output/a/{name}")) == b.read(&format!("output/a/{name}")),
                "{name} of {args:?}"
            );
        }
    }
}

#[test]
fn another_seed_is_another_sample() {
    let scratch = Scratch::with_starter();
    scratch.call(&["run", "a.ron", "--out", "one"]);
    scratch.call(&["run", "a.ron", "--seed", "2", "--out", "two"]);
    assert_ne!(scratch.read("one/a/events.jsonl"), scratch.read("two/a/events.jsonl"));
}

#[test]
fn jobs_do_not_change_a_sweep() {
    let scratch = Scratch::with_starter();
    let toleration = "pods.web.tolerations[unreachable].tolerationSeconds=0,60,300";
    let sweep = |jobs: &str| {
        let called = scratch.call(&[
            "sweep", "a.ron", "--set", toleration, "--seeds", "5", "--jobs", jobs, "--quiet",
        ]);
        assert_eq!((called.code, called.stderr.as_str()), (0, ""));
        let files = scratch
            .names("output/a-sweep")
            .into_iter()
            .map(|name| scratch.read(&format!("output/a-sweep/{name}")));
        (called.stdout, files.collect::<Vec<_>>())
    };
    let one = sweep("1");
    assert!(one == sweep("2"));
    assert!(one == sweep("7"));
}
