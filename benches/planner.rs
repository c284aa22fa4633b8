//! What the planner's answers take, as whole commands: a year of a large cluster with all that
//! fails in it, a plan of nine values beside a sweep of as many runs, and every single loss.
//!
//! `cargo bench --bench planner`, with a part of a name to run only that. Each is run three times;
//! seconds are those of the clock on the wall, on as many threads as there are processors.
//! `cargo test --bench planner` runs everything once, with a small cluster and little time.

#![expect(clippy::print_stdout, reason = "a bench's output is its result")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench measures time by the clock on the wall"
)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// How large everything is: as it is measured, or as it is tested.
struct Size {
    rounds: usize,
    /// Nodes of the cluster that is planned for, and of the large one.
    nodes: [usize; 2],
    precision: &'static str,
    budget: &'static str,
}

const MEASURED: Size = Size {
    rounds: 3,
    nodes: [99, 999],
    precision: "5%",
    budget: "1h",
};
const TESTED: Size = Size {
    rounds: 1,
    nodes: [6, 12],
    precision: "90%",
    budget: "20s",
};
/// The values of a toleration that are planned for and swept.
const NINE: &str = "workloads.*.template.tolerations[unreachable].tolerationSeconds=0,15,30,60,120,180,300,600,none";
/// One value alone: a single row.
const ONE: &str = "flags.kube-controller-manager.node-monitor-grace-period=50s";

/// A cluster of three zones with twenty Deployments, ten pods for each node.
fn cluster(nodes: usize, timeline: &str) -> String {
    let zone = |z: char| {
        let last = nodes / 3 - 1;
        let capacity = r#"{ "cpu": "16", "memory": "64Gi", "pods": "110" }"#;
        format!(r#"(names: "{z}-{{0..{last}}}", zone: "{z}", capacity: {capacity}),"#)
    };
    let workload = |i: usize| {
        let requests = r#"{ "cpu": "500m", "memory": "1Gi" }"#;
        let replicas = nodes / 2;
        format!(
            r#"Deployment(name: "web{i}", replicas: {replicas}, placement: Spread(All), template: (requests: {requests})),"#
        )
    };
    let zones: String = "abc".chars().map(zone).collect();
    let workloads: String = (0..20).map(workload).collect();
    format!(
        r#"Scenario(version: 1, horizon: "1h", nodes: [{zones}], workloads: [{workloads}], timeline: [{timeline}])"#
    )
}

/// A folder of its own, and how a command is run in it.
struct Place {
    folder: PathBuf,
    rounds: usize,
}

impl Place {
    fn new(rounds: usize) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("planner-bench");
        fs::create_dir_all(&folder).expect("a folder for the bench");
        Self { folder, rounds }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).expect("a scenario for the bench");
    }

    fn taintsim(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taintsim"));
        command.args(args).current_dir(&self.folder);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The median of the seconds that a command takes.
    fn seconds(&self, args: &[&str]) -> f64 {
        let mut times: Vec<f64> = (0..self.rounds)
            .map(|_| {
                let start = Instant::now();
                let status = self.taintsim(args).status().expect("the program runs");
                assert!(status.success(), "{args:?}: {status}");
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[self.rounds / 2]
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str()));
    // Cargo says so where it is a bench that is wanted.
    let size = match std::env::args().any(|a| a == "--bench") {
        true => MEASURED,
        false => TESTED,
    };
    let [few, many] = size.nodes;
    let place = Place::new(size.rounds);
    let lost = r#"(at: "10m", do: Partition(node: "a-1"))"#;
    place.write("hundred.ron", &cluster(few, ""));
    place.write("outage.ron", &cluster(few, lost));
    place.write("thousand.ron", &cluster(many, ""));
    println!("{:48} {:>8}", "what", "seconds");
    let say = |name: &str, seconds: f64| println!("{name:48} {seconds:>8.2}");

    if is_wanted("year") {
        let drawn = [
            "faults",
            "thousand.ron",
            "--preset",
            "on-prem",
            "--as",
            "scenario",
        ];
        let year = place
            .taintsim(&drawn)
            .stdout(Stdio::piped())
            .output()
            .expect("the program runs");
        place.write("year.ron", &String::from_utf8_lossy(&year.stdout));
        let sweep = [
            "sweep", "year.ron", "--seeds", "1", "--set", ONE, "--jobs", "1", "-q",
        ];
        say(
            &format!("a year of {many} nodes, ten pods each, one seed"),
            place.seconds(&sweep),
        );
    }
    if is_wanted("plan") {
        let plan = [
            "plan",
            "hundred.ron",
            "--preset",
            "on-prem",
            "--choose",
            NINE,
            "--precision",
            size.precision,
            "--budget",
            size.budget,
            "-q",
        ];
        say(
            &format!("a plan of nine values, {few} nodes, ten pods each"),
            place.seconds(&plan),
        );
        let kept = fs::read_to_string(place.folder.join("output/hundred-plan/plan.json"))
            .expect("the plan's results");
        let kept: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
        let models = kept["models"].as_array().map_or(0, Vec::len) as u64;
        let seeds = kept["replications"].as_u64().unwrap_or(0) * models;
        let rows = kept["rows"].as_array().map_or(0, Vec::len) as u64;
        let runs = seeds * rows;
        let seeds = seeds.to_string();
        let sweep = [
            "sweep",
            "outage.ron",
            "--seeds",
            &seeds,
            "--set",
            NINE,
            "-q",
        ];
        say(
            &format!("a sweep of {runs} runs of an hour"),
            place.seconds(&sweep),
        );
    }
    if is_wanted("survey") {
        say(
            &format!("every single loss of {many} nodes"),
            place.seconds(&["survey", "thousand.ron", "-q"]),
        );
    }
}
