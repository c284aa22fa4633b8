//! Folders of results whose text is packed, and their tables in more forms.

use super::{Scratch, unfolded};
use flate2::read::MultiGzDecoder;
use std::io::{Read, Write};

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut plain).expect("it is gzip");
    plain
}

#[test]
fn a_packed_folder_holds_the_same_and_is_read_the_same() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let called = scratch.call(&["run", "a.ron", "--records", "gzip", "--out", "packed"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    // What is packed is said, and how to have it otherwise.
    let said = unfolded(&called.stdout);
    assert!(
        said.contains("events.jsonl.gz, evictions.csv.gz, summary.json.gz, names.json.gz are packed: `--records jsonl` leaves them as text"),
        "{said}"
    );
    for name in ["events.jsonl", "evictions.csv", "summary.json", "names.json"] {
        let packed = scratch.read(&format!("packed/a/{name}.gz"));
        assert!(unpacked(&packed) == scratch.read(&format!("output/a/{name}")), "{name}");
        assert!(!scratch.path(&format!("packed/a/{name}")).exists());
    }
    assert_eq!(scratch.call(&["report", "packed/a"]).stdout, called.stdout);
    for command in [&["report", "FOLDER", "-o", "perfetto"][..], &["explain", "FOLDER", "b-1"]] {
        let of = |folder: &str| {
            let words: Vec<&str> =
                command.iter().map(|w| if *w == "FOLDER" { folder } else { w }).collect();
            let called = scratch.call(&words);
            assert_eq!(called.code, 0, "{}", called.stderr);
            called.stdout
        };
        assert_eq!(of("packed/a"), of("output/a"), "{command:?}");
    }
    let same = scratch.call(&["diff", "output/a", "packed/a"]);
    assert_eq!(same.code, 0, "{}", same.stdout);
    // A rerun replaces what was packed by what is not.
    assert_eq!(scratch.call(&["run", "a.ron", "--out", "packed"]).code, 0);
    assert_eq!(scratch.names("packed/a"), scratch.names("output/a"));
}

/// A scenario that somebody packed is what it was, with its name.
#[test]
fn a_scenario_may_be_packed() {
    let scratch = Scratch::with_starter();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&scratch.read("a.ron")).expect("memory");
    let packed = gz.finish().expect("memory");
    scratch.write("a.ron.gz", &packed);
    for (file, out) in [("a.ron", "one"), ("a.ron.gz", "other")] {
        let called = scratch.call(&["run", "-q", file, "--out", out]);
        assert_eq!(called.code, 0, "{}", called.stderr);
    }
    for name in ["scenario.ron", "events.jsonl", "summary.json"] {
        let of = |out: &str| scratch.read(&format!("{out}/a/{name}"));
        assert!(of("one") == of("other"), "{name}");
    }
    let called = scratch.call_with(&["test", "-q", "-"], packed);
    assert_eq!(called.code, 0, "{}", called.stderr);
}

#[test]
fn tables_in_more_forms() {
    let scratch = Scratch::with_starter();
    let called = scratch.call(&["run", "a.ron", "--records", "csv,parquet"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    for table in ["records", "evictions", "curves"] {
        let text = scratch.text(&format!("output/a/{table}.csv"));
        assert!(text.lines().count() > 1, "{table}");
        let bytes = scratch.read(&format!("output/a/{table}.parquet"));
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
    }
    let lines = scratch.text("output/a/events.jsonl").lines().count();
    assert_eq!(scratch.text("output/a/records.csv").lines().count(), lines + 1);
    // The same bytes again, and the same figures where shards are put together.
    let before = scratch.read("output/a/records.parquet");
    assert_eq!(scratch.call(&["run", "a.ron", "--records", "parquet"]).code, 0);
    assert!(before == scratch.read("output/a/records.parquet"));
    let sweep = ["sweep", "a.ron", "--seeds", "2", "--records", "parquet"];
    assert_eq!(scratch.call(&sweep).code, 0);
    assert!(scratch.read("output/a-sweep/runs.parquet").starts_with(b"PAR1"));
    scratch
        .call(&["run", "a.ron", "--records", "jsonl,gzip"])
        .fails(2, &["packs nothing", "one of them"]);
    scratch.call(&["run", "a.ron", "--records", "arrow"]).fails(2, &["jsonl, gzip, csv, parquet"]);
}
