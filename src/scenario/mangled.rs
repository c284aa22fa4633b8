//! Mangled scenarios: whatever stands in a file, reading it ends, with a plan or with problems that
//! have places in it.

use super::{Overrides, parse, starter};
use crate::scenario::build;
use proptest::prelude::*;
use std::path::Path;

/// A scenario that uses most of the language.
fn rich() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/valid/timeline.ron");
    std::fs::read_to_string(folder).unwrap()
}

fn read(text: &str) {
    let result = parse("f.ron", text.as_bytes().to_vec(), Path::new(""))
        .and_then(|loaded| build(&loaded, &Overrides::default()));
    if let Err(problems) = result {
        assert!(!problems.0.is_empty());
        for problem in &problems.0 {
            assert!(!problem.message.is_empty());
            if let Some(bytes) = problem.bytes() {
                assert!(
                    bytes.end <= text.len() && problem.text().is_some(),
                    "{problem} at {bytes:?}"
                );
            }
        }
        assert!(!crate::report::diagnostics::draw(&problems, false, 80).is_empty());
    }
}

/// Pieces that are likely to hit something.
const PIECES: [&str; 24] = [
    "",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "\\",
    "//",
    "/*",
    "r#\"",
    "-1",
    "99999999999999999999",
    "None",
    "Some(",
    "All",
    "\"a-{0..9}\"",
    "ä",
    "\"-5s\"",
    "1e999",
    "'",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_mangled_scenario_is_read_or_refused(
        which in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, prop::sample::select(&PIECES[..])), 1..4),
    ) {
        let mut text = if which { starter().to_owned() } else { rich() };
        for (index, length, piece) in edits {
            let boundaries: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
            let start = index.get(&boundaries);
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(*start..end, piece);
        }
        read(&text);
    }

    #[test]
    fn a_set_is_applied_or_refused(path in "[a-z_.\\[\\]\"*{}0-9-]{0,30}", value in ".{0,12}") {
        let loaded = parse("f.ron", starter().as_bytes().to_vec(), Path::new("")).unwrap();
        for path in [path.clone(), format!("pods.{path}"), format!("nodes.a.{path}"), format!("timeline.cut b.{path}")] {
            let overrides = Overrides { sets: vec![format!("{path}={value}")], ..Overrides::default() };
            if let Err(problems) = build(&loaded, &overrides) {
                prop_assert!(!problems.0.is_empty());
            }
        }
    }

    #[test]
    fn known_paths_take_any_value_or_refuse_it(index in any::<prop::sample::Index>(), value in "(-?[0-9]{1,20}(s|m|h)?|true|a-\\{0\\.\\.[0-9]{1,12}\\}|.{0,8})") {
        let loaded = parse("f.ron", starter().as_bytes().to_vec(), Path::new("")).unwrap();
        let paths = super::paths::known_paths(&loaded.spec);
        let overrides = Overrides { sets: vec![format!("{}={value}", index.get(&paths))], ..Overrides::default() };
        if let Err(problems) = build(&loaded, &overrides) {
            prop_assert!(!problems.0.is_empty());
        }
    }
}
