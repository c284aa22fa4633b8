//! Whole exports of a real API server in, clusters and messages out. What is expected of the
//! exports was counted in the files with another program's parsers.

mod at_rest;
mod attachments;
mod bad_input;
mod containers;
mod devices;
mod ends;
mod exports;
mod images;
mod mutated;
mod objects;
mod pace;
mod plans;
mod probes;
mod readiness;
mod replica_sets;
mod storage_classes;
mod volumes;

use super::{ImportedCluster, Input};
use crate::language::{NodeGroup, PodGroup};
use serde_json::Value;

/// An export of `tests/exports`.
fn export(name: &str) -> Input {
    let path = format!("tests/exports/{name}");
    let input = Input::open(path.as_ref()).unwrap();
    Input { file: name.to_owned(), ..input }
}

fn exports(names: &[&str]) -> ImportedCluster {
    let inputs: Vec<Input> = names.iter().map(|n| export(n)).collect();
    ImportedCluster::read(&inputs).unwrap_or_else(|e| panic!("{names:?}: {e}"))
}

/// A text as one file named `f`.
fn read(text: &str) -> Result<ImportedCluster, super::ImportError> {
    ImportedCluster::read(&[Input::from_bytes("f", text.as_bytes().to_vec())?])
}

fn good(text: &str) -> ImportedCluster {
    read(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What these objects come to, and as it is written.
fn written(objects: impl Into<Value>) -> (ImportedCluster, String) {
    let cluster = good(&objects.into().to_string());
    let text = cluster.to_scenario();
    (cluster, text)
}

fn error(text: &str) -> String {
    match read(text) {
        Ok(cluster) => panic!("{text:?} was taken: {:?}", cluster.summary),
        Err(e) => e.to_string(),
    }
}

fn node_names(g: &NodeGroup) -> Vec<String> {
    names(g.name.as_ref(), g.names.as_ref())
}

fn pod_names(g: &PodGroup) -> Vec<String> {
    names(g.name.as_ref(), g.names.as_ref())
}

fn names(one: Option<&String>, many: Option<&crate::language::OneOrMany>) -> Vec<String> {
    let short = one.into_iter().chain(many.iter().flat_map(|m| m.texts()));
    short.flat_map(|t| crate::language::names::expand(t, 100_000).unwrap()).collect()
}

/// The group of a node.
fn node<'c>(cluster: &'c ImportedCluster, name: &str) -> &'c NodeGroup {
    cluster
        .nodes
        .iter()
        .find(|g| node_names(g).iter().any(|n| n == name))
        .unwrap_or_else(|| panic!("no node {name}"))
}

/// The group of a pod.
fn pod<'c>(cluster: &'c ImportedCluster, namespace: &str, name: &str) -> &'c PodGroup {
    let fits = |g: &&PodGroup| {
        g.namespace.as_deref().unwrap_or("default") == namespace
            && pod_names(g).iter().any(|n| n == name)
    };
    cluster.pods.iter().find(fits).unwrap_or_else(|| panic!("no pod {namespace}/{name}"))
}
