//! Containers that are probed, beside upstream's own prober of kubelets.
//!
//! `tests/probes` has what the prober did with an imitated command that answers while a container serves, and an imitated kubelet
//! that syncs the pod when a result has changed and when a container is seen to run or to have ended: when containers start, which
//! of them are killed for a probe, how long they wait to be started again, and when the pod is Ready. A case in which that sync is held
//! up by the end of one container while another waits for it has no outcome: here none is.

use super::cases::hold;
use super::plans::plan;
use super::probes;
use serde::Deserialize;
use std::collections::BTreeMap;
use taintsim::kernel::Choices;
use taintsim::sim::run;

/// All spans without a unit are in milliseconds.
#[derive(Deserialize)]
struct Case {
    until: u32,
    start: u32,
    stop: u32,
    containers: Vec<CaseContainer>,
}

#[derive(Deserialize)]
struct CaseContainer {
    name: String,
    probes: BTreeMap<String, CaseProbe>,
    after: u32,
    /// 0 is for ever.
    r#for: u32,
    /// 0 is never.
    ends: u32,
}

#[derive(Deserialize)]
struct CaseProbe {
    delay: u32,
    period: u32,
    success: u32,
    failure: u32,
}

impl Case {
    fn scenario(&self, version: &str) -> String {
        let Self { until, start, stop, containers } = self;
        let beside: String = containers[1..]
            .iter()
            .map(|c| format!(r#"(name: "{}", {}),"#, c.name, c.life()))
            .collect();
        format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "{until}ms", timing: Ideal, nodes: [(name: "n")],
            pods: [(name: "p", on: Node("n"), start: Pending, pod_start: "{start}ms", pod_stop: "{stop}ms", {} containers: [{beside}])])"#,
            containers[0].life()
        )
    }
}

impl CaseContainer {
    fn life(&self) -> String {
        let Self { probes, after, r#for, ends, .. } = self;
        let probe = |(kind, p): (&String, &CaseProbe)| {
            let CaseProbe { delay, period, success, failure } = p;
            format!(
                "{kind}Probe: (initialDelaySeconds: {delay}, periodSeconds: {period}, successThreshold: {success}, failureThreshold: {failure}),"
            )
        };
        let mut life: String = probes.iter().map(probe).collect();
        life += &format!(r#"serves_after: "{after}ms","#);
        if *r#for > 0 {
            life += &format!(r#"serves_for: "{}ms","#, r#for);
        }
        if *ends > 0 {
            life += &format!(r#"ends: (after: "{ends}ms", exit_code: 1),"#);
        }
        life
    }
}

/// What became of the pod, of which the last word of an instant counts.
fn told(lines: Vec<String>) -> Vec<String> {
    let mut all: Vec<(u64, String)> = Vec::new();
    let mut ready: Vec<(u64, String)> = Vec::new();
    for line in lines {
        let Some((at, what)) = line.split_once(' ') else { continue };
        let at = (at.parse::<f64>().unwrap() * 1000.0).round() as u64;
        if what.starts_with("Ready=") {
            ready.pop_if(|last| last.0 == at);
            if ready.last().is_none_or(|last| last.1 != what) {
                ready.push((at, what.to_owned()));
            }
        } else if what == "runs" || what.ends_with(" fails") || what.starts_with("back-off") {
            all.push((at, what.to_owned()));
        }
    }
    all.append(&mut ready);
    all.sort();
    all.dedup();
    all.into_iter().map(|(at, what)| format!("{} {what}", at as f64 / 1000.0)).collect()
}

#[test]
fn probes_are_those_of_upstreams_prober() {
    hold("probes", |case: &Case, version| {
        let trace = run(&plan(&case.scenario(version)), Choices::seeded(1));
        told(probes::told(&trace))
    });
}
