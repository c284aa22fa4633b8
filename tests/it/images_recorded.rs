//! What kubelets pull, start again and delete, and when, beside upstream's own managers of images and the back-offs of containers.
//!
//! `tests/images` has what those did with an imitated container runtime, registry and disk, and with pods that are synced when a
//! container has ended and when a back-off is over: when pulls are asked for, end and fail, and for how long they are not tried again; when
//! containers start, end and are in CrashLoopBackOff; when pods that are deleted are gone; which images are deleted, and what is said where
//! that frees too little. Up to 1.26 there are no cases in which a pod is deleted while its image is pulled: there the pull goes on.

use super::cases::hold;
use super::plans::plan;
use serde::Deserialize;
use std::collections::BTreeMap;
use taintsim::kernel::Choices;
use taintsim::sim::run;
use taintsim::trace::{Record, Trace};

#[derive(Deserialize)]
struct Case {
    seconds: u32,
    flags: BTreeMap<String, String>,
    gates: BTreeMap<String, bool>,
    /// GiB of the disk's 100.
    used: u32,
    there: Vec<String>,
    images: BTreeMap<String, CaseImage>,
    pods: Vec<CasePod>,
    /// Milliseconds: from when on, how long.
    outages: Vec<(u32, u32)>,
}

#[derive(Deserialize)]
struct CaseImage {
    /// GiB.
    size: u32,
    /// Milliseconds, as all that follows.
    pull: u32,
    check: u32,
}

#[derive(Deserialize)]
struct CasePod {
    name: String,
    /// It runs already where nothing is said.
    at: Option<u32>,
    gone: Option<u32>,
    policy: String,
    stop: u32,
    containers: Vec<CaseContainer>,
}

#[derive(Deserialize)]
struct CaseContainer {
    image: String,
    always: bool,
    /// After how long, and with what.
    ends: Option<(u32, u32)>,
}

impl Case {
    fn scenario(&self, version: &str) -> String {
        let (mut pods, mut timeline) = (String::new(), String::new());
        for pod in &self.pods {
            let name = &pod.name;
            match pod.at {
                None => pods += &format!("{},", self.pod(pod)),
                Some(at) => {
                    timeline +=
                        &format!(r#"(at: "{at}ms", do: CreatePod(pod: {})),"#, self.pod(pod));
                }
            }
            if let Some(gone) = pod.gone {
                timeline += &format!(r#"(at: "{gone}ms", do: DeletePod(pod: "{name}")),"#);
            }
        }
        for (at, lasts) in &self.outages {
            timeline += &format!(r#"(at: "{at}ms", do: RegistryOutage(duration: "{lasts}ms")),"#);
        }
        let Self { seconds, flags, gates, used, there, .. } = self;
        let mut flags = flags.clone();
        flags.insert("eviction-hard".to_owned(), "memory.available<1Mi".to_owned());
        format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "{seconds}s", timing: Ideal, feature_gates: {gates:?}, flags: (kubelet: {flags:?}),
            nodes: [(name: "n", images: {there:?}, capacity: {{"ephemeral-storage": "100Gi"}}, usage: {{"ephemeral-storage": "{used}Gi"}})],
            pods: [{pods}], timeline: [{timeline}])"#
        )
    }

    fn pod(&self, pod: &CasePod) -> String {
        let CasePod { name, policy, stop, .. } = pod;
        let containers: Vec<String> = pod.containers.iter().map(|c| self.container(c)).collect();
        let beside = containers.iter().enumerate().skip(1);
        let beside: String = beside.map(|(n, c)| format!(r#"(name: "c{n}", {c}),"#)).collect();
        format!(
            r#"(name: "{name}", on: Node("n"), pod_start: "0s", pod_stop: "{stop}ms", restartPolicy: {policy}, {} containers: [{beside}])"#,
            containers[0]
        )
    }

    fn container(&self, container: &CaseContainer) -> String {
        let CaseContainer { image: name, always, ends } = container;
        let CaseImage { size, pull, check } = &self.images[name];
        let policy = if *always { "Always" } else { "IfNotPresent" };
        let ends = ends.map_or(String::new(), |(after, code)| {
            format!(r#"ends: (after: "{after}ms", exit_code: {code}),"#)
        });
        format!(
            r#"image: (name: "{name}", pull: "{pull}ms", check: "{check}ms", size: "{size}Gi", imagePullPolicy: {policy}), {ends}"#
        )
    }
}

/// What became of images, pods and their containers.
fn told(trace: &Trace) -> Vec<String> {
    let line = |r: &Record| {
        let f = trace.fields(r);
        let pod = f.pod.as_deref().unwrap_or_default().trim_start_matches("default/");
        let words = f.message.unwrap_or_default();
        let seconds = f.seconds.unwrap_or_default();
        let told = match (f.what, f.reason.as_deref()) {
            ("image-pulling", _) => format!("{pod} pulls"),
            ("image-pulled", _) => format!("{pod} pulled"),
            ("image-pull-failed", _) => format!("{pod} failed {seconds}"),
            ("container-started" | "container-restarted" | "containers-started", _) => {
                format!("{pod} runs")
            }
            ("container-ended", _) => format!("{pod} ended {}", f.count.unwrap_or_default()),
            ("back-off", _) => format!("{pod} back-off {seconds}"),
            ("pod-gone", _) => format!("{pod} gone"),
            ("image-deleted", _) => format!("{} deleted", words.trim_start_matches("image ")),
            ("event", Some("FreeDiskSpaceFailed")) => format!("FreeDiskSpaceFailed {words}"),
            ("event", Some("ImageGCFailed")) => "ImageGCFailed".to_owned(),
            _ => return None,
        };
        Some((r.at.as_millis(), told))
    };
    let mut all: Vec<(u64, String)> = trace.iter().filter_map(line).collect();
    all.sort();
    all.into_iter().map(|(at, told)| format!("{} {told}", at as f64 / 1000.0)).collect()
}

#[test]
fn images_are_those_of_upstreams_managers() {
    hold("images", |case: &Case, version| {
        told(&run(&plan(&case.scenario(version)), Choices::seeded(1)))
    });
}
