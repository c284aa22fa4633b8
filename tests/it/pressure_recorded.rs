//! What kubelets evict for want of something, and when, beside upstream's own eviction manager.
//!
//! `tests/pressure` has what the manager said of pods that it evicted, and which conditions it had whenever the node's status was
//! posted.

use super::cases::hold;
use super::plans::plan;
use super::pressure::told;
use serde::Deserialize;
use std::collections::BTreeMap;
use taintsim::kernel::Choices;
use taintsim::sim::run;

#[derive(Deserialize)]
struct Case {
    seconds: u32,
    flags: BTreeMap<String, String>,
    capacity: BTreeMap<String, String>,
    usage: BTreeMap<String, String>,
    unused_images: Option<String>,
    pods: Vec<CasePod>,
}

#[derive(Deserialize)]
struct CasePod {
    name: String,
    priority: i32,
    requests: BTreeMap<String, String>,
    usage: BTreeMap<String, String>,
    stop: u32,
}

impl Case {
    fn scenario(&self, version: &str) -> String {
        let pods: Vec<String> = self.pods.iter().map(CasePod::line).collect();
        let images = self.unused_images.iter().map(|i| format!("unused_images: {i:?}, "));
        format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "{}s", timing: Ideal, flags: (kubelet: {:?}),
            nodes: [(name: "n", capacity: {:?}, usage: {:?}, {} lease_offset: "3s", status_offset: "4s")], pods: [{}])"#,
            self.seconds,
            self.flags,
            self.capacity,
            self.usage,
            images.collect::<String>(),
            pods.join(", ")
        )
    }
}

impl CasePod {
    fn line(&self) -> String {
        let Self { name, priority, requests, usage, stop } = self;
        format!(
            r#"(name: "{name}", on: Node("n"), priority: {priority}, requests: {requests:?}, usage: {usage:?}, pod_stop: "{stop}ms")"#
        )
    }
}

#[test]
fn evictions_are_those_of_upstreams_manager() {
    hold("pressure", |case: &Case, version| {
        let trace = run(&plan(&case.scenario(version)), Choices::seeded(1));
        told(&trace).into_iter().filter(|line| !line.ends_with(" Failed")).collect()
    });
}
