//! Pages for a browser: that they are written where they are asked for, are the same again, and are
//! as small as they should be. What they do in a browser is tested by `web/tests`.

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
    assert!(page.len() < 155_000, "{} bytes", page.len());
    let body = page.split_once("-->").unwrap().1;
    for word in [
        "src=",
        "href=",
        "url(",
        "@import",
        "fetch(",
        "XMLHttpRequest",
    ] {
        assert!(!body.contains(word), "{word}");
    }
}
