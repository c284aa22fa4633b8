//! Mangled scenarios: whatever stands in a file, reading it ends, with a plan or with problems that
//! have places in it. Our reader is held to ron's: what both take is the same, and what ron refuses
//! is refused.

use super::{Overrides, parse, starter};
use crate::language::{Scenario, Tree};
use crate::scenario::build;
use proptest::prelude::*;
use ron::extensions::Extensions;
use std::path::{Path, PathBuf};

/// A scenario that uses most of the language.
fn rich() -> String {
    std::fs::read_to_string("tests/scenarios/valid/timeline.ron").unwrap()
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
        assert!(!problems.to_string().is_empty());
    }
}

/// Reads a text with both readers; whether ron takes it. It knows no names with dashes.
fn beside_ron(text: &str) -> bool {
    let text = &text
        .replace("kube-controller-manager", "kube_controller_manager")
        .replace("kube-apiserver", "kube_apiserver");
    let by_ron = ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES)
        .with_recursion_limit(100)
        .from_str::<Scenario>(text);
    let ours = Tree::read(text).and_then(|tree| tree.typed::<Scenario>());
    match (&by_ron, &ours) {
        (Ok(by_ron), Ok(ours)) => assert_eq!(by_ron, ours, "{text}"),
        (Err(error), Ok(_)) => panic!("ron refuses with {error}:\n{text}"),
        (Ok(_) | Err(_), Err(_)) => {}
    }
    by_ron.is_ok()
}

#[test]
fn scenarios_are_read_as_ron_reads_them() {
    let mut folders = vec![PathBuf::from("scenarios"), PathBuf::from("tests/scenarios")];
    let mut taken = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ron") {
                let text = std::fs::read_to_string(&path).unwrap();
                if beside_ron(&text) {
                    let ours = Tree::read(&text).unwrap().typed::<Scenario>();
                    assert!(ours.is_ok(), "{}: {ours:?}", path.display());
                    taken += 1;
                }
            }
        }
    }
    assert!(taken > 40, "{taken}");
}

#[test]
fn numbers_are_read_as_ron_reads_them() {
    fn same<T: serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(word: &str) {
        let by_ron = ron::from_str::<T>(word).ok();
        let ours = Tree::read(word).and_then(|tree| tree.typed::<T>()).ok();
        assert_eq!(by_ron, ours, "{word}");
    }
    let words = "0 -0 -5 +7 255 256 1_000 1__0 0xff -0x10 0b101 0o17 0x _1 -_1 --1 1e3 1.5 -.5 5. . - \
        1_0.5 1._5 1e_3 1.5.5 inf -inf infinity nan 9223372036854775807 9223372036854775808 \
        -9223372036854775809 18446744073709551616 1e999 1x";
    for word in words.split(' ') {
        same::<u8>(word);
        same::<i64>(word);
        same::<u64>(word);
        same::<f64>(word);
    }
}

#[test]
fn keys_are_read_as_ron_reads_them() {
    type Labels = std::collections::BTreeMap<String, u8>;
    for (key, is_one) in [
        ("\"a\"", true),
        ("\"\"", true),
        ("r\"5\"", true),
        ("5", false),
        ("99999999999999999999", false),
        ("a", false),
        ("None", false),
    ] {
        let text = format!("{{{key}: 1}}");
        let by_ron = ron::from_str::<Labels>(&text).ok();
        let ours = Tree::read(&text).and_then(|tree| tree.typed::<Labels>()).ok();
        assert_eq!((by_ron.is_some(), by_ron), (is_one, ours), "{text}");
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
        beside_ron(&text);
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
