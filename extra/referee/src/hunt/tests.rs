//! Tests of `hunt`: what it keeps, and that it keeps the same however it is cut up.

use super::cluster::Cluster;
use super::corpus::{Corpus, Settings};
use super::known::{Class, Known};
use super::small::{Small, small};
use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, check};
use taintsim::cli::load_any;
use taintsim::lab::tape::Texts;
use taintsim::scenario::{self, Overrides, build};
use taintsim::sim;

/// A folder that is not there yet.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("taintsim-hunt-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

fn races() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/races")
}

fn settings(shard: (u64, u64)) -> Settings {
    Settings::new(1, shard, vec!["1.36".to_owned(), "1.37".to_owned()], 16)
}

/// Goes on with a hunt, in calls of so many clusters each.
fn hunt(folder: &Path, shard: (u64, u64), calls: &[u64], threads: usize) -> Corpus {
    for clusters in calls {
        let mut corpus = Corpus::open(folder, settings(shard)).expect("it opens");
        let done = command::some(&corpus, *clusters, &pool(threads), &|| true);
        assert_eq!(done.len() as u64, *clusters);
        command::keep(&mut corpus, done).expect("it is written");
    }
    Corpus::open(folder, settings(shard)).expect("it opens")
}

/// The files of a folder with what is in them.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let all = fs::read_dir(folder).expect("it is there").map(|entry| {
        let entry = entry.expect("a file");
        let text = fs::read_to_string(entry.path()).expect("a text");
        (entry.file_name().into_string().expect("UTF-8"), text)
    });
    all.collect()
}

/// Neither where a call ends nor how many threads there are changes what is kept; and what is kept does what its name
/// says when it is replayed.
#[test]
fn a_hunt_in_parts_is_one_in_one_go() {
    let [parts, whole] = ["parts", "whole"].map(folder);
    let in_parts = hunt(&parts, (1, 1), &[2, 1, 5], 1);
    let in_one_go = hunt(&whole, (1, 1), &[8], 2);
    assert_eq!(files(&parts), files(&whole));
    assert_eq!(in_parts.progress, in_one_go.progress);
    assert_eq!(in_one_go.progress.tried.clusters, 8);
    assert!(!in_one_go.causes.is_empty());
    for cause in in_one_go.causes.values() {
        let (loaded, overrides) = load_any(&cause.file).expect("a tape");
        let named = loaded.spec.tape.as_ref().and_then(|t| t.property.clone());
        let property = Property::parse(&named.expect("a property")).expect("one that there is");
        let plan = build(&loaded, &overrides).expect("a scenario");
        let run = sim::replay(&plan);
        assert!(run.unmet.is_empty(), "{}", cause.file.display());
        let found = check(&property, &Analysis::new(&plan, &run.trace));
        assert!(found.iter().any(|v| cause::core(v, &run.trace) == cause.core), "{cause:?}");
    }
    [parts, whole].iter().for_each(|f| fs::remove_dir_all(f).expect("it is removed"));
}

/// Each seed is of one shard, and folders of shards are one when their files are copied together.
#[test]
fn shards_have_no_cluster_in_common() {
    let seeds = |shard: (u64, u64), count: u64| {
        (0..count).map(|n| settings(shard).seed_of(n)).collect::<Vec<u64>>()
    };
    let mut all: Vec<u64> = (1..=3).flat_map(|k| seeds((k, 3), 10)).collect();
    all.sort_unstable();
    assert_eq!(all, seeds((1, 1), 30));
    let [first, second] = ["first", "second"].map(folder);
    let (one, other) = (hunt(&first, (1, 2), &[3], 1), hunt(&second, (2, 2), &[3], 1));
    for (name, text) in files(&second) {
        let place = first.join(&name);
        assert!(!place.exists() || fs::read_to_string(&place).expect("a text") == text, "{name}");
        fs::write(place, text).expect("it is copied");
    }
    let both = Corpus::open(&first, settings((2, 2))).expect("it opens");
    assert_eq!(both.progress, other.progress);
    assert_eq!(both.skipped, [] as [String; 0]);
    let names: Vec<&String> = both.causes.keys().collect();
    let mut of_each: Vec<&String> = one.causes.keys().chain(other.causes.keys()).collect();
    of_each.sort();
    of_each.dedup();
    assert_eq!(names, of_each);
    [first, second].iter().for_each(|f| fs::remove_dir_all(f).expect("it is removed"));
}

/// The finds of a cluster that is written.
fn finds(seed: u64, text: String) -> Vec<Small> {
    let cluster = Cluster::of(seed, text);
    let runs = cluster.hunt(16, &pool(1), &|| true).expect("nobody ends it");
    let all = runs.found.iter().map(|raw| small(&cluster, raw, &|| true).expect("nobody ends it"));
    all.collect()
}

/// A race of the catalogue is put into two clusters under other names and at other times, in one of them with a pod that is gone
/// as it is deleted: it is one find, of that race, and not of another one of the same property.
#[test]
fn a_planted_race_is_found_once_and_known() {
    let file = races().join("longer-toleration-ignored.ron");
    let text = fs::read_to_string(file).expect("it is there");
    let other = text.replace("node-1", "machine").replace("web", "store").replace("10s", "11s");
    let at_once = "terminationGracePeriodSeconds: 0, tolerations: [(key: \"maintenance\"";
    let other = other.replacen("tolerations: [(key: \"maintenance\"", at_once, 1);
    assert!(text != other && other.contains(at_once));
    let place = folder("planted");
    let mut corpus = Corpus::open(&place, settings((1, 1))).expect("it opens");
    let mut added = Vec::new();
    let is_it = |small: &&Small| small.core.starts_with("needless-eviction");
    for small in finds(1, text).iter().chain(&finds(2, other)).filter(is_it) {
        added.push(corpus.add(small).expect("it is written").1);
    }
    assert_eq!(added, [true, false]);
    let (_, cause) = corpus.causes.first_key_value().expect("one");
    let known = Known::of(&races()).expect("the catalogue");
    let class = |known: &Known| known.class(&cause.core, &cause.takes, cause.by_itself);
    assert_eq!(class(&known), Class::Race("longer-toleration-ignored.ron".to_owned()));
    assert_eq!(class(&Known::default()), Class::ByItself);
    fs::remove_dir_all(place).expect("it is removed");
}

/// A file that was cut off is named and left alone; the others count.
#[test]
fn a_file_that_was_cut_off_is_named_and_skipped() {
    let place = folder("cut-off");
    let text =
        fs::read_to_string(races().join("countdown-outlives-node.ron")).expect("it is there");
    let mut corpus = Corpus::open(&place, settings((1, 1))).expect("it opens");
    for small in finds(1, text) {
        corpus.add(&small).expect("it is written");
    }
    corpus.note().expect("it is written");
    let whole = corpus.causes.len();
    let cut = corpus.causes.values().next().expect("one").file.clone();
    let bytes = fs::read(&cut).expect("it is there");
    fs::write(&cut, &bytes[..bytes.len() / 2]).expect("it is written");
    let mut corpus = Corpus::open(&place, settings((1, 1))).expect("it opens");
    assert_eq!(corpus.causes.len(), whole - 1);
    let [skipped] = &corpus.skipped[..] else { panic!("{:?}", corpus.skipped) };
    assert!(skipped.starts_with(&cut.display().to_string()), "{skipped}");
    // So is how far the hunt has come, which begins anew then.
    corpus.progress.tried.clusters = 7;
    corpus.note().expect("it is written");
    let progress = files(&place).into_iter().find(|(name, _)| name.starts_with("progress-"));
    let (name, text) = progress.expect("one");
    fs::write(place.join(&name), &text[..text.len() / 2]).expect("it is written");
    let corpus = Corpus::open(&place, settings((1, 1))).expect("it opens");
    assert_eq!((corpus.progress.tried.clusters, corpus.skipped.len()), (0, 2));
    assert!(corpus.skipped[1].contains(&name), "{:?}", corpus.skipped);
    fs::remove_dir_all(place).expect("it is removed");
}

/// A watch of the scheduler's is in a tape by its name, and read as the one it was.
#[test]
fn a_tape_names_whose_watch_it_is() {
    for name in ["nodes", "nodes of kube-scheduler"] {
        let text = format!(
            "Scenario(version: 1, horizon: \"1m\", nodes: [(name: \"a\")], \
             tape: (choices: 1, deviations: [(\"watch-held\", \"{name}\", 0, 1)]))"
        );
        let loaded = scenario::parse("named.ron", text.into_bytes(), Path::new(""));
        let plan = build(&loaded.expect("it reads"), &Overrides::default()).expect("it builds");
        let tape = plan.tape.as_ref().expect("it has one");
        let run = sim::replay(&plan);
        assert_eq!(Texts::of(&run).object(tape[0].object), name);
    }
}
