//! Machines that are told to go off at 60 s, beside upstream's own shutdown manager of kubelets.
//!
//! `tests/shutdown` has what the manager did with an imitated logind and imitated pods: when the node is posted NotReady, when the
//! containers of each pod have stopped and with which condition, which pods are refused and in which words, when the lock is given back.
//! Where logind refuses the time that a kubelet asks for, that has no lock, which is a run without grace periods.

use super::cases::hold;
use super::plans::plan;
use serde::Deserialize;
use std::collections::BTreeMap;
use taintsim::kernel::{Choices, Time};
use taintsim::sim::run;
use taintsim::trace::{Record, Trace};

#[derive(Deserialize)]
struct Case {
    flags: BTreeMap<String, String>,
    logind: Logind,
    pods: Vec<CasePod>,
    late: Vec<Late>,
}

#[derive(Deserialize)]
struct Logind {
    /// Seconds.
    delay: u64,
    /// It takes a longer delay.
    obeys: bool,
}

#[derive(Deserialize)]
struct CasePod {
    name: String,
    priority: Option<i32>,
    /// Seconds.
    grace: u32,
    /// Milliseconds.
    stop: u32,
}

#[derive(Deserialize)]
struct Late {
    name: String,
    /// Milliseconds after the machine is told.
    at: u32,
}

impl Case {
    /// The milliseconds that logind is asked for.
    fn requested(&self) -> u64 {
        let flag = |name: &str| self.flags.get(name).map_or("", String::as_str);
        let seconds = flag("shutdown-grace-period-by-pod-priority").split(',');
        let seconds = seconds.filter_map(|pair| pair.split_once('=')?.1.parse::<u64>().ok());
        let all = flag("shutdown-grace-period").trim_end_matches("ms").parse().unwrap_or(0);
        all + 1000 * seconds.sum::<u64>()
    }

    fn scenario(&self, version: &str) -> String {
        let is_granted = self.logind.obeys || self.requested() <= 1000 * self.logind.delay;
        let flags = if is_granted { self.flags.clone() } else { BTreeMap::new() };
        let pods: String = self.pods.iter().map(CasePod::line).collect();
        let late: String = self.late.iter().map(Late::line).collect();
        format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "5m", flags: (kubelet: {flags:?}), nodes: [(name: "n")], pods: [{pods}],
            timeline: [(at: "60s", do: Shutdown(node: "n")), {late}])"#
        )
    }
}

impl CasePod {
    fn line(&self) -> String {
        let Self { name, priority, grace, stop } = self;
        let priority = priority.map_or(String::new(), |p| format!("priority: {p},"));
        format!(
            r#"(name: "{name}", on: Node("n"), {priority} terminationGracePeriodSeconds: {grace}, pod_stop: "{stop}ms"),"#
        )
    }
}

impl Late {
    fn line(&self) -> String {
        let (name, at) = (&self.name, 60_000 + self.at);
        format!(r#"(at: "{at}ms", do: CreatePod(pod: (name: "{name}", on: Node("n")))),"#)
    }
}

/// What became of the machine and its pods from 60 s on, until it was off.
fn told(trace: &Trace, version: &str) -> Vec<String> {
    let short = |name: Option<String>| {
        name.unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned()
    };
    // Up to 1.21 a pod has failed before its containers end, at once if it has no time. Whether they have before the machine is off
    // is not told then.
    let fails_first = ["1.20.", "1.21."].iter().any(|v| version.starts_with(v));
    let line = |r: &Record| {
        let f = trace.fields(r);
        let (why, is) = (f.reason.unwrap_or_default().to_string(), f.status.unwrap_or_default());
        Some(match f.what {
            "machine-off" => "off".to_owned(),
            "event" => {
                let about = f.object.unwrap_or_default();
                let pod = about.strip_prefix("Pod/default/").map(|pod| format!("{pod} "));
                let is_of_it = ["Shutdown", "NodeShutdown"].contains(&why.as_str());
                is_of_it.then(|| {
                    format!("{}{why} {}", pod.unwrap_or_default(), f.message.unwrap_or_default())
                })?
            }
            "node-condition" if (f.kind, is) == (Some("Ready"), "False") => "NotReady".to_owned(),
            "containers-stopped" => format!("{} stopped", short(f.pod)),
            "pod-condition" if f.kind == Some("DisruptionTarget") => {
                format!("{} DisruptionTarget {why}", short(f.pod))
            }
            "pod-phase" if fails_first && is == "Failed" => Some(short(f.pod))
                .filter(|pod| !pod.starts_with("late"))
                .map(|pod| format!("{pod} Failed"))?,
            _ => return None,
        })
    };
    let all = trace.iter().filter_map(|r| Some((r.at, line(r)?)));
    let mut all: Vec<(Time, String)> = all.filter(|(at, _)| at.as_millis() >= 60_000).collect();
    all.sort();
    let off = all.iter().find(|(_, what)| what == "off").map_or(Time::MAX, |(at, _)| *at);
    let failed = |(at, what): &(Time, String)| {
        all.iter().any(|(then, w)| then == at && *w == what.replace(" stopped", " Failed"))
    };
    let all =
        all.iter().filter(|one| one.0 <= off && !(one.1.ends_with(" stopped") && failed(one)));
    all.map(|(at, what)| format!("{} {what}", at.as_millis() as f64 / 1000.0)).collect()
}

#[test]
fn shutdowns_are_those_of_upstreams_manager() {
    hold("shutdown", |case: &Case, version| {
        told(&run(&plan(&case.scenario(version)), Choices::seeded(1)), version)
    });
}
