//! Pages for a browser: that they are written where they are asked for, are the same again, and are
//! as small as they should be. What they do in a browser is tested by `extra/web/tests`.

use super::Scratch;

#[test]
fn a_run_writes_its_page_only_where_it_is_asked_to() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    assert!(!scratch.path("output/a/report.html").exists());
    let printed = scratch.call(&["run", "a.ron", "--html"]);
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    assert!(printed.stdout.contains("report.html"));
    let page = scratch.text("output/a/report.html");
    assert!(page.starts_with("<!doctype html>"));
    // The manifest lists it, so that the next run may replace the folder.
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    assert!(!scratch.path("output/a/report.html").exists());
}

#[test]
fn a_page_of_a_finished_run_is_the_one_that_the_run_wrote() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron", "--html"]).code, 0);
    let page = scratch.text("output/a/report.html");
    let again = scratch.call(&["report", "output/a", "--as", "html"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    assert!(again.stdout == page, "on standard output");
    let again = scratch.call(&["report", "output/a", "--as", "html", "--out", "b.html"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    assert!(scratch.text("b.html") == page, "in a file");
}

/// A page holds its script and its style, and asks for nothing.
#[test]
fn a_page_of_a_small_run_is_small_and_asks_for_nothing() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron", "--html"]).code, 0);
    let page = scratch.text("output/a/report.html");
    assert!(page.len() < 157_000, "{} bytes", page.len());
    let body = page.split_once("-->").unwrap().1;
    for word in ["src=", "href=", "url(", "@import", "fetch(", "XMLHttpRequest"] {
        assert!(!body.contains(word), "{word}");
    }
}

/// Notes of a person's are under the page's name: they stay. A page of an earlier time does not.
#[test]
fn a_page_replaces_only_pages() {
    let scratch = Scratch::with_starter();
    scratch.write("note.html", "<!doctype html>\n<title>mine</title>\n");
    scratch.write("h.csv", "node,start,end\na,0,60\na,900,960\n");
    let events = super::repository().join("tests/real/degraded-events.json.gz");
    let events = events.to_str().unwrap();
    let seeds = ["--seeds", "1", "-q"];
    let export = super::repository().join("tests/exports/healthy-all.json.gz");
    let export = export.to_str().unwrap();
    for args in [
        &["test", "a.ron"][..],
        &["diff", "a.ron", "--against-seed", "2"],
        &["survey", "a.ron", "-q"],
        &["forecast", export, seeds[0], seeds[1], seeds[2]],
        &["incident", events, seeds[0], seeds[1], seeds[2]],
        &["outages", "h.csv"],
    ] {
        let called = scratch.call(&[args, &["--html=note.html"]].concat());
        called.fails(2, &["note.html is no page of taintsim", "name another file"]);
        assert!(scratch.text("note.html").contains("mine"), "{args:?}");
        // Nothing is printed, which comes before the page: no run was made for it.
        let called = scratch.call(&[args, &["--html=gone/page.html"]].concat());
        called.fails(3, &["cannot write gone/page.html: there is no such file or folder"]);
    }
    for file in ["junit=gone/r.xml", "json=gone/r.json"] {
        let called = scratch.call(&["test", "a.ron", "--reporter", "human", "--reporter", file]);
        called.fails(3, &["cannot write gone/r."]);
    }
    // Where there is a folder of results it is there that the page stands.
    for command in ["run", "sweep", "plan"] {
        let called = scratch.call(&[command, "a.ron", "--html=page.html"]);
        called.fails(2, &["folder of results, which --out names: say --html alone"]);
    }
    let page = ["test", "a.ron", "--html=page.html"];
    for _ in 0..2 {
        assert_eq!(scratch.call(&page).code, 0);
        assert!(scratch.text("page.html").contains("name=\"generator\""));
    }
}

/// `incident` writes a scenario as `import` does.
#[test]
fn an_outage_replaces_a_file_only_by_force() {
    let scratch = Scratch::new();
    let events = super::repository().join("tests/real/degraded-events.json.gz");
    let events = events.to_str().unwrap();
    let args = ["incident", events, "--seeds", "1", "-q", "--out", "o.ron"];
    scratch.write("o.ron", "mine");
    scratch.call(&args).fails(2, &["o.ron exists; it is left as it is", "--force"]);
    assert_eq!(scratch.text("o.ron"), "mine");
    let called = scratch.call(&[&args[..], &["--force"]].concat());
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(scratch.text("o.ron").contains("Scenario("));
}
