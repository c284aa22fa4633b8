//! `playground`: its folder, and what it says where the simulation for a browser is missing. What
//! the page does is tested in a browser (`extra/web/tests/playground.test.js`).

use super::Scratch;
use std::fs;

/// What passes for the simulation: how a module begins, and what this release is known by.
fn with_module() -> Scratch {
    let scratch = Scratch::new();
    let version = env!("CARGO_PKG_VERSION");
    scratch.write("m.wasm", format!("\0asm\x01\0\0\0 taintsim-playground {version};"));
    scratch
}

const ARGS: [&str; 5] = ["playground", "--out", "site", "--module", "m.wasm"];

#[test]
fn the_folder_has_page_modules_examples_and_licences() {
    let scratch = with_module();
    let called = scratch.call(&ARGS);
    assert_eq!((called.code, called.stdout.as_str()), (0, ""));
    assert!(called.stderr.contains("python3 -m http.server -d site"));
    let page = scratch.text("site/index.html");
    assert!(page.contains("default-src 'none'; "));
    // Whatever the page names is there.
    for part in page.split(['"', ' ']).filter(|p| p.ends_with(".js")) {
        let file = format!("site/{}", part.trim_start_matches("./"));
        assert!(scratch.path(&file).is_file(), "{file}");
    }
    for file in [
        "worker.js",
        "style.css",
        "playground.css",
        "icon.svg",
        "zone-partition.ron",
        "races.five-refusals.ron",
        "manifest.json",
    ] {
        assert!(scratch.path(&format!("site/{file}")).is_file(), "{file}");
    }
    let licences = scratch.text("site/LICENSES.txt");
    assert!(licences.contains("uPlot") && licences.contains("@codemirror/view"));
    let examples: serde_json::Value =
        serde_json::from_slice(&scratch.read("site/examples.json")).expect("is JSON");
    assert_eq!(examples[0]["name"], "starter");
    assert!(examples.as_array().expect("a list").len() > 60);
}

#[test]
fn a_playground_is_replaced_and_nothing_else_is() {
    let scratch = with_module();
    assert_eq!(scratch.call(&ARGS).code, 0);
    assert_eq!(scratch.call(&ARGS).code, 0);
    scratch.write("site/mine.txt", "mine");
    let called = scratch.call(&ARGS);
    assert_eq!(called.code, 2);
    assert!(called.stderr.contains("mine.txt"), "{}", called.stderr);
    fs::create_dir(scratch.path("other")).expect("can be created");
    scratch.write("other/mine.txt", "mine");
    let called = scratch.call(&["playground", "--out", "other", "--module", "m.wasm"]);
    assert_eq!((called.code, called.stdout.as_str()), (2, ""));
    assert!(called.stderr.contains("name another folder with --out"), "{}", called.stderr);
}

#[test]
fn where_the_simulation_is_missing_the_commands_are_said() {
    let scratch = with_module();
    scratch.write("old.wasm", "\0asm taintsim-playground 0.0.0;");
    for (module, said) in [
        ("none.wasm", "none.wasm does not exist"),
        (".", ". is a directory"),
        ("old.wasm", "old.wasm is that of another release"),
    ] {
        let called = scratch.call(&["playground", "--module", module]);
        assert_eq!(called.code, 2, "{}", called.stderr);
        assert!(called.stderr.contains(said), "{}", called.stderr);
        let command = "rustup target add wasm32-unknown-unknown";
        assert!(called.stderr.contains(command), "{}", called.stderr);
        assert!(!scratch.path("playground").exists());
    }
}
