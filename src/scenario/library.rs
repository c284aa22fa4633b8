//! Every scenario under `scenarios/` does what its comments say.
//!
//! A comment that begins with `//=` is a claim, worked out by hand, that this test holds against runs with three seeds:
//!
//! ```text
//! //= FROM..TO WHAT OBJECT WORDS…      every such record lies between these times, and there is at least one
//! //= FROM..TO first WHAT OBJECT WORDS… the first of them lies between these times
//! //= FROM..  last WHAT OBJECT WORDS…  the last of them is not before FROM
//! //= never WHAT OBJECT WORDS…         there is none
//! //= N times WHAT OBJECT WORDS…       there are so many
//! //= N..M times WHAT OBJECT WORDS…    there are at least N and at most M
//! ```
//!
//! WHAT is a kind of record (`node-taints`), OBJECT a node, pod or zone with `*` for any letters, WORDS each a type, status
//! or reason, or `+key:Effect` and `-key:Effect` of a taint, the key without `node.kubernetes.io/` if one likes.

use super::{Overrides, build, load, spec};
use crate::kernel::Choices;
use crate::scenario::duration;
use crate::sim;
use crate::trace::{Fields, Trace};
use std::path::{Path, PathBuf};

/// A claim of a scenario's comments.
#[derive(Debug)]
struct Claim {
    text: String,
    when: When,
    what: String,
    object: String,
    words: Vec<String>,
}

#[derive(Debug)]
enum When {
    Within(u64, u64),
    First(u64, u64),
    LastFrom(u64),
    Times(usize, usize),
}

fn claims(text: &str) -> Vec<Claim> {
    text.lines().filter_map(|line| line.strip_prefix("//= ")).map(claim).collect()
}

fn claim(text: &str) -> Claim {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let first = words.remove(0);
    let nanos = |t: &str| duration::parse(t).unwrap_or_else(|e| panic!("{text}: {e}")).as_nanos();
    let number = |t: &str| t.parse::<usize>().unwrap_or_else(|e| panic!("{text}: {e}"));
    let when = if first == "never" {
        When::Times(0, 0)
    } else if words[0] == "times" {
        words.remove(0);
        let (least, most) = first.split_once("..").unwrap_or((first, first));
        When::Times(number(least), number(most))
    } else if words[0] == "last" {
        words.remove(0);
        When::LastFrom(nanos(first.trim_end_matches("..")))
    } else {
        let (from, to) = first.split_once("..").unwrap_or_else(|| panic!("{text}: no span"));
        let (from, to) = (nanos(from), nanos(to));
        if words[0] == "first" {
            words.remove(0);
            When::First(from, to)
        } else {
            When::Within(from, to)
        }
    };
    let what = words.remove(0).to_owned();
    let object = if words.is_empty() { "*" } else { words.remove(0) }.to_owned();
    Claim { text: text.to_owned(), when, what, object, words: words.into_iter().map(str::to_owned).collect() }
}

fn matches(claim: &Claim, fields: &Fields) -> bool {
    let object = fields.pod.as_deref().or(fields.node.as_deref()).or(fields.object.as_deref()).unwrap_or_default();
    let taint = |text: &str| {
        let (sign, rest) = text.split_at(1);
        let all = if sign == "+" { &fields.added } else { &fields.removed };
        all.iter().any(|t| t == rest || t.strip_prefix("node.kubernetes.io/") == Some(rest))
    };
    let word = |w: &String| match w.as_bytes()[0] {
        b'+' | b'-' => taint(w),
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
fn contradiction(claim: &Claim, trace: &Trace) -> Option<String> {
    let found: Vec<u64> = trace.iter().filter(|r| matches(claim, &trace.fields(r))).map(|r| r.at.as_nanos()).collect();
    let seconds = |ns: u64| format!("{} s", ns as f64 / 1e9);
    let all = || found.iter().take(20).map(|&t| seconds(t)).collect::<Vec<_>>().join(", ");
    let holds = match claim.when {
        When::Within(from, to) => !found.is_empty() && found.iter().all(|t| (from..=to).contains(t)),
        When::First(from, to) => found.first().is_some_and(|t| (from..=to).contains(t)),
        When::LastFrom(from) => found.last().is_some_and(|&t| t >= from),
        When::Times(least, most) => (least..=most).contains(&found.len()),
    };
    (!holds).then(|| format!("//= {}\n    found {}: {}", claim.text, found.len(), all()))
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ron"));
    files.sort();
    files
}

#[test]
fn every_scenario_does_what_its_comments_say() {
    let mut wrong = String::new();
    for file in files() {
        let loaded = load(&file).unwrap_or_else(|p| panic!("{p}"));
        let claims = claims(&loaded.source.text);
        assert!(!claims.is_empty(), "{} claims nothing", file.display());
        assert!(!loaded.spec.doc.is_empty() && loaded.spec.version == 1, "{} has no doc", file.display());
        let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
        for seed in 1..=3 {
            let trace = sim::run(&plan, Choices::seeded(seed));
            for text in claims.iter().filter_map(|c| contradiction(c, &trace)) {
                wrong.push_str(&format!("{}, seed {seed}: {text}\n", file.file_name().unwrap_or_default().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn claims_are_read_and_held() {
    assert!(glob("b-*", "b-01") && glob("*", "") && glob("*large", "region:large") && !glob("b-*", "a-1") && !glob("b", "b-1"));
    let claim = claim("1m..2m node-taints b-* +unreachable:NoExecute");
    let added = vec!["node.kubernetes.io/unreachable:NoExecute".to_owned()];
    let fields = Fields { what: "node-taints", node: Some("b-1".to_owned()), added, ..Fields::default() };
    assert!(matches(&claim, &fields));
    assert!(!matches(&claim, &Fields { added: Vec::new(), ..fields }));
    let parsed: Vec<_> = spec::Scenario::clone(&load(&files()[0]).unwrap().spec).timeline;
    assert!(!parsed.is_empty(), "every scenario has a timeline");
}
