//! What the planner's answers take, as whole commands: a year of a large cluster with all that
//! fails in it, a plan of nine values beside a sweep of as many runs, and every single loss.
//!
//! `cargo bench --bench planner`, with a part of a name to run only that. Each is run three times;
//! seconds are those of the clock on the wall, on as many threads as there are processors.
//! `cargo test --bench planner` runs everything once, with a small cluster and little time.
//!
//! `coverage` is about what a plan says, and not about how long it takes: plans of small clusters by
//! several seeds and budgets, each beside a long plan of the same cluster as the truth. It counts how
//! often the truth lies in what was said, and how often the recommended value is worse than the best
//! one by more than the report admits. With `--profile dev` nothing is built anew for it.

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
    /// Of each small cluster: budgets with how many plans there are of each, and that of the truth.
    budgets: &'static [(&'static str, u64)],
    truth: &'static str,
    clusters: usize,
}

const MEASURED: Size = Size {
    rounds: 3,
    nodes: [99, 999],
    precision: "5%",
    budget: "1h",
    budgets: &[("2s", 14), ("5s", 4), ("15s", 1), ("60s", 1)],
    truth: "60s",
    clusters: 10,
};
const TESTED: Size = Size {
    rounds: 1,
    nodes: [6, 12],
    precision: "90%",
    budget: "20s",
    budgets: &[("1s", 1)],
    truth: "2s",
    clusters: 1,
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

/// A small cluster, another one for each number: nodes, how things fail, and how many pods of the
/// workload there are beside those of others.
fn small(number: usize) -> String {
    let nodes = [4, 6, 9, 12, 20][number % 5];
    let pods = [2, 3, 6][number % 3];
    let lasts = [
        r#"Exponential(mean: "10m")"#,
        r#"LogNormal(median: "4m", sigma: 1.2)"#,
        r#"Weibull(shape: 0.5, scale: "15m")"#,
        r#"LogNormal(median: "40m", sigma: 1.4)"#,
    ][number % 4];
    let act = ["Crash", "Partition()"][number % 2];
    format!(
        r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{{0..{}}}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: {pods}, placement: Spread(All)),
            Deployment(name: "api", replicas: {}, placement: Spread(All)),
            StatefulSet(name: "db", replicas: 2, placement: Spread(All))],
        faults: (models: [
            (name: "node", nodes: All, do: {act}, rate: PerNodeYear(6), lasts: {lasts}),
            (name: "zone", groups: Zones, do: Partition(), rate: PerGroupYear(0.5), lasts: Uniform("10m", "1h")),
        ]))"#,
        nodes - 1,
        2 * nodes,
    )
}

/// A value, and where it lies.
struct Said {
    mean: f64,
    low: f64,
    high: f64,
}

fn said(row: &serde_json::Value, mean: &str, span: &str) -> Said {
    let number = |v: &serde_json::Value| v.as_f64().unwrap_or(f64::NAN);
    Said { mean: number(&row[mean]), low: number(&row[span][0]), high: number(&row[span][1]) }
}

/// What a plan says: its document.
fn planned(place: &Place, number: usize, seed: u64, budget: &str) -> Option<serde_json::Value> {
    let price = ["2m", "5m", "20m"][number % 3];
    let (seed, price) = (seed.to_string(), format!("evicted={price}"));
    let choose =
        "workloads.web.template.tolerations[unreachable].tolerationSeconds=0,60,300,900,none";
    let args = [
        "plan",
        "small.ron",
        "--choose",
        choose,
        "--price",
        &price,
        "--seed",
        &seed,
        "--budget",
        budget,
        "--count",
        "outages",
        "--jobs",
        "1",
        "-q",
        "-o",
        "json",
    ];
    let output = place.taintsim(&args).stdout(Stdio::piped()).output();
    serde_json::from_slice(&output.expect("the program runs").stdout).ok()
}

/// How often the truth lies in what is said, and how often what is recommended is worse than that.
fn coverage(place: &Place, size: &Size) {
    println!(
        "{:>8} {:>6} {:>6} {:>9} {:>9} {:>9} {:>6}",
        "budget", "plans", "known", "cost in", "saves in", "rows in", "worse"
    );
    let mut counts = vec![[0_u64; 8]; size.budgets.len()];
    for number in 0..size.clusters {
        place.write("small.ron", &small(number));
        let truth = planned(place, number, 999, size.truth).expect("there was time for the truth");
        let rows = |plan: &serde_json::Value| plan["rows"].as_array().cloned().unwrap_or_default();
        let of = |plan: &serde_json::Value, values: &serde_json::Value| {
            rows(plan).into_iter().find(|r| r["values"] == *values).unwrap_or_default()
        };
        // The truth is known to its own interval.
        let holds = |row: &serde_json::Value| {
            let own = said(row, "cost", "interval");
            let known = said(&of(&truth, &row["values"]), "cost", "interval");
            own.low <= known.high && known.low <= own.high
        };
        let cost = |values: &serde_json::Value| said(&of(&truth, values), "cost", "interval").mean;
        // How much a value costs more than another one, and how far the truth of that may be off.
        let least = rows(&truth).iter().map(|r| cost(&r["values"])).fold(f64::MAX, f64::min);
        let off = |values: &serde_json::Value| {
            let more = said(&of(&truth, values), "more", "more_interval");
            more.high - more.mean
        };
        for (counts, (budget, plans)) in counts.iter_mut().zip(size.budgets) {
            for seed in 0..*plans {
                counts[0] += 1;
                let Some(plan) = planned(place, number, seed + 1, budget) else {
                    continue;
                };
                for row in rows(&plan) {
                    counts[5] += 1;
                    counts[6] += u64::from(holds(&row));
                }
                if plan["is_known"] != true {
                    continue;
                }
                counts[1] += 1;
                let (best, now) = (&plan["best"], &plan["now"]);
                counts[2] += u64::from(holds(&of(&plan, best)));
                let saves = said(&of(&plan, now), "more", "more_interval");
                let (known, slack) = (cost(now) - cost(best), off(now).max(off(best)));
                counts[3] += u64::from(saves.low - slack <= known && known <= saves.high + slack);
                let within = plan["within"].as_f64().unwrap_or(0.0);
                counts[4] += u64::from(cost(best) - least > within + off(best));
            }
        }
    }
    let percent = |a: u64, b: u64| format!("{:.1} %", 100.0 * a as f64 / b.max(1) as f64);
    for (c, (budget, _)) in counts.iter().zip(size.budgets) {
        let (cost, saves) = (percent(c[2], c[1]), percent(c[3], c[1]));
        let (rows, worse) = (percent(c[6], c[5]), percent(c[4], c[1]));
        println!("{budget:>8} {:>6} {:>6} {cost:>9} {saves:>9} {rows:>9} {worse:>6}", c[0], c[1]);
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
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
    if is_wanted("coverage") {
        coverage(&place, &size);
    }
    place.write("hundred.ron", &cluster(few, ""));
    place.write("outage.ron", &cluster(few, lost));
    place.write("thousand.ron", &cluster(many, ""));
    println!("{:48} {:>8}", "what", "seconds");
    let say = |name: &str, seconds: f64| println!("{name:48} {seconds:>8.2}");

    if is_wanted("year") {
        let drawn = ["faults", "thousand.ron", "--preset", "on-prem", "--as", "scenario"];
        let year =
            place.taintsim(&drawn).stdout(Stdio::piped()).output().expect("the program runs");
        place.write("year.ron", &String::from_utf8_lossy(&year.stdout));
        let sweep = ["sweep", "year.ron", "--seeds", "1", "--set", ONE, "--jobs", "1", "-q"];
        say(&format!("a year of {many} nodes, ten pods each, one seed"), place.seconds(&sweep));
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
        say(&format!("a plan of nine values, {few} nodes, ten pods each"), place.seconds(&plan));
        let kept = fs::read_to_string(place.folder.join("output/hundred-plan/plan.json"))
            .expect("the plan's results");
        let kept: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
        let models = kept["models"].as_array().map_or(0, Vec::len) as u64;
        let seeds = kept["replications"].as_u64().unwrap_or(0) * models;
        let rows = kept["rows"].as_array().map_or(0, Vec::len) as u64;
        let runs = seeds * rows;
        let seeds = seeds.to_string();
        let sweep = ["sweep", "outage.ron", "--seeds", &seeds, "--set", NINE, "-q"];
        say(&format!("a sweep of {runs} runs of an hour"), place.seconds(&sweep));
    }
    if is_wanted("survey") {
        say(
            &format!("every single loss of {many} nodes"),
            place.seconds(&["survey", "thousand.ron", "-q"]),
        );
    }
}
