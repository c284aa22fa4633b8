//! Every scenario that ships does what its comments say.
//!
//! A comment that begins with `//=` is a claim, worked out by hand in the comment above it, that these tests hold against runs in the
//! default order and with three seeds: what is left to chance must not matter.
//!
//! ```text
//! //= AT, AT, 3xAT WHAT OBJECT WORDS…      the records are at exactly these times (whole milliseconds), 3 of them at the last
//! //= FROM..TO WHAT OBJECT WORDS…          every such record lies between these times, and there is at least one
//! //= FROM..TO first WHAT OBJECT WORDS…    the first of them lies between these times
//! //= SPAN.. apart WHAT OBJECT WORDS…      from the first to the last of them it is at least so long
//! //= SPAN..SPAN apart WHAT OBJECT WORDS…  the same, and at most so long
//! //= never WHAT OBJECT WORDS…             there is none
//! //= N times WHAT OBJECT WORDS…           there are so many
//! //= N..M times WHAT OBJECT WORDS…        there are at least N and at most M
//! ```
//!
//! WHAT is a kind of record (`node-taints`), OBJECT a node, pod or zone with `*` for any letters, WORDS each a type, status or
//! reason, `on:NODE` of a pod that was created on or bound to a node, or `+key:Effect` and `-key:Effect` of a taint, the key without `node.kubernetes.io/` if one likes.

use std::path::{Path, PathBuf};
use taintsim::kernel::Choices;
use taintsim::scenario::{Overrides, build, duration, load};
use taintsim::sim::run;
use taintsim::trace::{Fields, Trace};

/// A claim of a scenario's comments.
#[derive(Debug)]
pub(crate) struct Claim {
    text: String,
    when: When,
    what: String,
    object: String,
    words: Vec<String>,
}

/// Times are nanoseconds.
#[derive(Debug, PartialEq)]
enum When {
    At(Vec<u64>),
    Within(u64, u64),
    First(u64, u64),
    Apart(u64, u64),
    Times(usize, usize),
}

const MILLISECOND: u64 = 1_000_000;

fn nanos(text: &str) -> u64 {
    duration::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")).as_nanos()
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Reads a claim.
pub(crate) fn claim(text: &str) -> Claim {
    let words: Vec<&str> = text.split_whitespace().collect();
    let span = words[0].split_once("..");
    let nanos_of = |(from, to): (&str, &str)| (nanos(from), if to.is_empty() { u64::MAX } else { nanos(to) });
    let (when, used) = match (span, words[0], words[1]) {
        (None, "never", _) => (When::Times(0, 0), 1),
        (None, n, "times") => (When::Times(number(n), number(n)), 2),
        (Some((least, most)), _, "times") => (When::Times(number(least), number(most)), 2),
        (Some(span), _, word) => {
            let (from, to) = nanos_of(span);
            match word {
                "first" => (When::First(from, to), 2),
                "apart" => (When::Apart(from, to), 2),
                _ => (When::Within(from, to), 1),
            }
        }
        (None, ..) => {
            let used = words.iter().take_while(|w| w.ends_with(',')).count() + 1;
            let times = words[..used].iter().flat_map(|w| {
                let w = w.trim_end_matches(',');
                let (n, at) = w.split_once('x').unwrap_or(("1", w));
                vec![nanos(at); number(n)]
            });
            (When::At(times.collect()), used)
        }
    };
    let mut rest = words[used..].iter().map(|&w| w.to_owned());
    let what = rest.next().unwrap_or_else(|| panic!("{text}: which records?"));
    let object = rest.next().unwrap_or_else(|| "*".to_owned());
    Claim { text: text.to_owned(), when, what, object, words: rest.collect() }
}

fn matches(claim: &Claim, fields: &Fields) -> bool {
    let object = fields.pod.as_deref().or(fields.node.as_deref()).or(fields.object.as_deref()).unwrap_or_default();
    let taint = |sign: char, text: &str| {
        let all = if sign == '+' { &fields.added } else { &fields.removed };
        all.iter().any(|t| t == text || t.strip_prefix("node.kubernetes.io/") == Some(text))
    };
    let word = |w: &String| match w.chars().next() {
        Some(sign @ ('+' | '-')) => taint(sign, &w[1..]),
        _ if w.starts_with("on:") => fields.node.as_deref().is_some_and(|node| glob(&w[3..], node)),
        _ => [fields.kind, fields.status, fields.reason].contains(&Some(w.as_str())),
    };
    fields.what == claim.what && glob(&claim.object, object) && claim.words.iter().all(word)
}

/// `*` stands for any letters.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => {
            text.strip_prefix(head).is_some_and(|rest| (0..=rest.len()).any(|i| rest.is_char_boundary(i) && glob(tail, &rest[i..])))
        }
    }
}

/// What contradicts a claim, if anything does.
pub(crate) fn contradiction(claim: &Claim, trace: &Trace) -> Option<String> {
    let found: Vec<u64> = trace.iter().filter(|r| matches(claim, &trace.fields(r))).map(|r| r.at.as_nanos()).collect();
    let within = |from: u64, to: u64, t: u64| (from..=to).contains(&t);
    let holds = match &claim.when {
        When::At(times) => found.iter().map(|t| t - t % MILLISECOND).eq(times.iter().copied()),
        When::Within(from, to) => !found.is_empty() && found.iter().all(|&t| within(*from, *to, t)),
        When::First(from, to) => found.first().is_some_and(|&t| within(*from, *to, t)),
        When::Apart(from, to) => found.first().zip(found.last()).is_some_and(|(a, b)| within(*from, *to, b - a)),
        When::Times(least, most) => (*least..=*most).contains(&found.len()),
    };
    let times = || found.iter().take(20).map(|&t| format!("{} s", t as f64 / 1e9)).collect::<Vec<_>>().join(", ");
    (!holds).then(|| format!("//= {}\n    found {}: {}", claim.text, found.len(), times()))
}

/// The scenarios of a folder.
pub(crate) fn scenarios(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ron"));
    files.sort();
    files
}

/// Runs the scenarios of a folder and says which claims do not hold. Each must claim something.
fn broken_claims(folder: &str) -> String {
    let mut broken = String::new();
    for file in scenarios(folder) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let loaded = load(&file).unwrap_or_else(|p| panic!("{}", p.render(false, 120)));
        let claims: Vec<Claim> = loaded.source.text.lines().filter_map(|l| l.strip_prefix("//= ")).map(claim).collect();
        assert!(!claims.is_empty(), "{name} claims nothing");
        assert!(!loaded.spec.doc.is_empty(), "{name} does not say what it is about");
        let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{}", p.render(false, 120)));
        for seed in [None, Some(1), Some(2), Some(3)] {
            let trace = run(&plan, seed.map_or_else(Choices::default_order, Choices::seeded));
            let refused = claim("never refused");
            for text in claims.iter().chain([&refused]).filter_map(|c| contradiction(c, &trace)) {
                let how = seed.map_or("default order".to_owned(), |s| format!("--seed {s}"));
                broken.push_str(&format!("taintsim run {folder}/{name} ({how}): {text}\n"));
            }
        }
    }
    broken
}

#[test]
fn every_scenario_does_what_its_comments_say() {
    assert!(scenarios("scenarios").len() >= 12);
    let broken = broken_claims("scenarios");
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn the_measured_cases_have_the_shape_that_was_measured() {
    let broken = broken_claims("scenarios/measured");
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn claims_are_read_and_held() {
    assert!(glob("b-*", "b-01") && glob("*", "") && glob("*large", "region:large") && !glob("b-*", "a-1") && !glob("b", "b-1"));
    let s = 1_000_000_000;
    assert_eq!(claim("1m..2m node-taints").when, When::Within(60 * s, 120 * s));
    assert_eq!(claim("1s, 2x3s node-taints a").when, When::At(vec![s, 3 * s, 3 * s]));
    assert_eq!(claim("10s.. apart node-taints").when, When::Apart(10 * s, u64::MAX));
    let claim = claim("1m..2m node-taints b-* +unreachable:NoExecute");
    let added = vec!["node.kubernetes.io/unreachable:NoExecute".to_owned()];
    let fields = Fields { what: "node-taints", node: Some("b-1".to_owned()), added, ..Fields::default() };
    assert!(matches(&claim, &fields));
    assert!(!matches(&claim, &Fields { added: Vec::new(), ..fields }));
}
