//! Healthy clusters: random scenarios in which nothing fails that Kubernetes does not survive. No run
//! of them violates a property, whatever trouble is left to its choices.
//!
//! [`healthy`] writes the scenario of a seed, and [`alarms`] runs it: in the default order, by drawn
//! choices, and by drawn choices with each kind of trouble and with all of them.

use super::scenario::built;
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, check};
use taintsim::kernel::Choices;
use taintsim::lab::dice::Dice;
use taintsim::plan::{Perturb, Plan};
use taintsim::scenario::switch_on;
use taintsim::sim;

/// Tolerates whatever taint there is, as daemons do.
const EVERYTHING: &str = "tolerations: [(operator: Exists)]";
/// Tolerates the taint of dedicated nodes for ever.
const DEDICATED: &str = "tolerations: [(key: \"dedicated\", operator: Exists)]";
/// What each of the small pods asks for. Nodes have room for twenty of them.
const SMALL: &str = "requests: {\"cpu\": \"400m\"}";

/// A kind of trouble as `--perturb` has it, and how many runs are drawn with it.
const TROUBLE: [(&str, u64); 6] = [
    ("", 2),
    ("stale", 2),
    ("crash", 2),
    ("coalesce", 2),
    ("request", 2),
    ("stale,crash,coalesce,request", 1),
];

/// What upstream itself does under trouble, so that a run that shows it raises no alarm: the property,
/// the kind of trouble that it takes, and why.
pub(crate) const UPSTREAM: [(&str, &str, &str); 4] = [
    ("timer-reset", "crash", "a new process begins every countdown anew (#108268)"),
    (
        "taint-stale",
        "request",
        "a write of taints for conditions that fails is logged and not tried again until the node \
         changes (doNoScheduleTaintingPassWorker)",
    ),
    (
        "false-unknown",
        "outage",
        "a watch of leases that is back late after an outage shows no renewals, and healthy nodes \
         are marked Unknown (#138698, #132831, to 1.36)",
    ),
    (
        "false-unknown",
        "clock",
        "a lease counts as renewed only if its renewTime is later than the one seen before \
         (tryUpdateNodeHealth), so that a node whose clock was set back is marked Unknown",
    ),
];

/// A property that is violated in a run of a healthy cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alarm {
    /// The seed of the scenario.
    pub seed: u64,
    /// The property by its name.
    pub property: &'static str,
    /// The trouble that was left to the run's choices, as `--perturb` has it.
    pub trouble: &'static str,
    /// The arguments of `taintsim explore` that make this run, beside the scenario's file.
    pub again: String,
    /// What happened.
    pub text: String,
}

/// The runs of one cluster.
#[derive(Default)]
struct Runs {
    seed: u64,
    properties: Vec<Property>,
    /// The kinds of trouble that the timeline itself has.
    own: Vec<&'static str>,
    alarms: Vec<Alarm>,
    count: u64,
}

impl Runs {
    /// Makes one; `how` are the arguments of `taintsim explore` that make it again.
    fn make(&mut self, plan: &Plan, trouble: &'static str, choices: Choices, how: &str) {
        self.count += 1;
        let trace = sim::search(plan, choices).trace;
        let analysis = Analysis::new(plan, &trace);
        for property in &self.properties {
            let name = property.name();
            let is_there = |kind: &str| trouble.contains(kind) || self.own.contains(&kind);
            let is_upstreams = UPSTREAM.iter().any(|(p, kind, _)| *p == name && is_there(kind));
            let is_known = self.alarms.iter().any(|a| (a.property, a.trouble) == (name, trouble));
            if let Some(first) = check(property, &analysis).first()
                && !is_upstreams
                && !is_known
            {
                self.alarms.push(Alarm {
                    seed: self.seed,
                    property: name,
                    trouble,
                    again: format!("-p {name} {how}"),
                    text: first.text.clone(),
                });
            }
        }
    }
}

/// The properties that are violated in the runs of a seed's scenario, each once for each kind of
/// trouble; and how many runs there were.
///
/// # Panics
/// If the scenario is none.
pub fn alarms(seed: u64) -> (Vec<Alarm>, u64) {
    let text = healthy(seed);
    let own = [("ControllerRestart", "crash"), ("ApiOutage", "request"), ("ApiOutage", "outage")];
    let mut runs = Runs {
        seed,
        properties: Property::NAMES.iter().filter_map(|name| Property::parse(name).ok()).collect(),
        own: own.iter().filter(|(step, _)| text.contains(step)).map(|(_, kind)| *kind).collect(),
        ..Runs::default()
    };
    let (_, mut plan) = match built(text) {
        Ok(built) => built,
        Err(problems) => panic!("the healthy cluster of seed {seed} is none: {problems:?}"),
    };
    runs.make(&plan, "", Choices::default_order(), "--depth 0");
    for (trouble, count) in TROUBLE {
        let clients = plan.clients();
        plan.perturb = Perturb::default();
        for kind in trouble.split(',').filter(|kind| !kind.is_empty()) {
            if let Err(problem) = switch_on(&mut plan.perturb, kind, &clients) {
                panic!("{kind:?} of seed {seed}: {problem:?}");
            }
        }
        let option =
            if trouble.is_empty() { String::new() } else { format!("--perturb {trouble} ") };
        for i in 0..count {
            let drawn = seed.wrapping_mul(1_000).wrapping_add(i);
            let how = format!("{option}--strategy random --runs 1 --seed {drawn}");
            runs.make(&plan, trouble, Choices::free(drawn), &how);
        }
    }
    (runs.alarms, runs.count)
}

/// The scenario of a seed.
pub fn healthy(seed: u64) -> String {
    let releases: Vec<String> = (20..38).map(|minor| format!("1.{minor}")).collect();
    drawn(seed, &releases, false)
}

/// The scenario of a seed for a hunt, of one of these releases: a healthy cluster whose pods leave their
/// nodes soon, and nodes that people taint.
pub(crate) fn hunted(seed: u64, releases: &[String]) -> String {
    drawn(seed, releases, true)
}

fn drawn(seed: u64, releases: &[String], is_hunted: bool) -> String {
    let mut dice = Dice::new(seed);
    loop {
        // Where two entries do not go together another scenario is drawn.
        let text = Cluster::drawn(Dice::new(dice.any()), is_hunted).text(releases);
        if built(text.clone()).is_ok() {
            return text;
        }
    }
}

/// What a scenario is made of.
struct Cluster {
    dice: Dice,
    /// What taint eviction does is to be seen within minutes.
    is_hunted: bool,
    /// How long the run is.
    minutes: u64,
    /// Each as RON has it; the same below.
    nodes: Vec<String>,
    workloads: Vec<String>,
    pods: Vec<String>,
    budgets: Vec<String>,
    /// When, in milliseconds, and what.
    timeline: Vec<(u64, String)>,
}

impl Cluster {
    fn drawn(dice: Dice, is_hunted: bool) -> Self {
        let mut cluster = Self {
            dice,
            is_hunted,
            minutes: 4,
            nodes: Vec::new(),
            workloads: Vec::new(),
            pods: Vec::new(),
            budgets: Vec::new(),
            timeline: Vec::new(),
        };
        cluster.nodes();
        cluster.workloads();
        // A Job has to be looked at for long, as its bound is eleven minutes.
        cluster.minutes = if cluster.dice.once_in(8) { 14 } else { 4 + cluster.dice.below(3) };
        let entries = 1 + cluster.dice.below(5);
        for i in 0..entries {
            let from = 20 + i * (cluster.minutes * 60 - 80) / entries;
            let at = from * 1_000 + cluster.dice.below(40_000);
            cluster.happens(at);
        }
        if is_hunted {
            cluster.tainted();
        }
        cluster
    }

    fn text(mut self, releases: &[String]) -> String {
        let release = &releases[self.dice.index(releases.len())];
        self.timeline.sort();
        let lines = |name: &str, items: Vec<String>| {
            let items: String = items.iter().map(|item| format!("\n        {item},")).collect();
            format!("    {name}: [{items}\n    ],\n")
        };
        let entry = |(at, what)| format!("(at: \"{at}ms\", do: {what})");
        [
            "Scenario(\n    version: 1,\n".to_owned(),
            format!("    kubernetes: \"{release}\",\n    horizon: \"{}m\",\n", self.minutes),
            lines("nodes", self.nodes),
            lines("workloads", self.workloads),
            lines("pods", self.pods),
            lines("podDisruptionBudgets", self.budgets),
            lines("timeline", self.timeline.into_iter().map(entry).collect()),
            ")\n".to_owned(),
        ]
        .concat()
    }

    /// Two zones of two or three nodes each, and perhaps one that is dedicated to somebody.
    fn nodes(&mut self) {
        for zone in ["a", "b"] {
            let last = 1 + self.dice.below(2);
            self.nodes.push(format!(
                "(names: \"{zone}-{{0..{last}}}\", zone: \"{zone}\", labels: {{\"pool\": \"main\"}}, capacity: {{\"cpu\": \"8\", \"pods\": \"110\"}})"
            ));
        }
        if self.dice.once_in(2) {
            let effect = self.dice.one(&["NoExecute", "NoSchedule"]);
            self.nodes.push(format!(
                "(name: \"gpu\", zone: \"a\", taints: [\"dedicated=gpu:{effect}\"], capacity: {{\"cpu\": \"8\", \"pods\": \"110\"}})"
            ));
            self.workloads.push(format!(
                "ReplicaSet(name: \"training\", replicas: 2, template: ({DEDICATED}, {SMALL}), placement: Node(\"gpu\"))"
            ));
            self.pods.push(format!("(name: \"notebook\", on: Node(\"gpu\"), {EVERYTHING})"));
        }
    }

    /// Workloads of some kinds, most of them placed from the start.
    fn workloads(&mut self) {
        let kinds = ["Deployment", "StatefulSet", "DaemonSet", "Job", "ReplicaSet"];
        for kind in kinds {
            if self.dice.once_in(4) {
                continue;
            }
            let count = 1 + self.dice.below(5);
            let is_new = self.dice.once_in(3);
            let spread = if is_new { "" } else { ", placement: Spread(Label(\"pool=main\"))" };
            let each = if is_new { "" } else { ", placement: Each(All)" };
            // A pod that is deleted without a grace period may run on: no StatefulSet should do that.
            let grace = (self.dice.below(3) + u64::from(kind == "StatefulSet")) * 15;
            let leaves = self.leaves();
            let template =
                format!("template: ({SMALL}, terminationGracePeriodSeconds: {grace}{leaves})");
            let policy = self.dice.one(&["OrderedReady", "Parallel"]);
            self.workloads.push(match kind {
                "DaemonSet" => format!("DaemonSet(name: \"daemonset\", template: ({EVERYTHING}){each})"),
                "StatefulSet" => format!("StatefulSet(name: \"statefulset\", replicas: {count}, podManagementPolicy: {policy}, {template}{spread})"),
                "Job" => format!("Job(name: \"job\", parallelism: {count}, completions: {count}, {template}{spread})"),
                kind => format!("{kind}(name: \"{}\", replicas: {count}, {template}{spread})", kind.to_lowercase()),
            });
            if !["DaemonSet", "Job"].contains(&kind) && self.dice.once_in(2) {
                let name = kind.to_lowercase();
                let rule = self.dice.one(&[
                    "maxUnavailable: 1",
                    "minAvailable: \"50%\"",
                    "minAvailable: 1",
                    "maxUnavailable: \"30%\"",
                ]);
                self.budgets.push(format!(
                    "(name: \"{name}\", selector: (matchLabels: {{\"app\": \"{name}\"}}), {rule})"
                ));
            }
        }
        if self.dice.once_in(2) {
            self.pods
                .push("(name: \"bare\", count: 2, on: Spread(Label(\"pool=main\")))".to_owned());
        }
    }

    /// How long pods stay on a node that is out of reach, or that people taint: not at all, for some seconds,
    /// or for the usual five minutes.
    fn leaves(&mut self) -> String {
        if !self.is_hunted {
            return String::new();
        }
        let mut tolerations = String::new();
        for key in ["maintenance", "node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"]
        {
            if !self.dice.once_in(3) {
                let seconds = self.dice.one(&["0", "5", "30", "60"]);
                tolerations += &format!(
                    "(key: \"{key}\", operator: Exists, effect: NoExecute, tolerationSeconds: {seconds}), "
                );
            }
        }
        format!(", tolerations: [{tolerations}]")
    }

    /// People taint nodes for a while, perhaps again when they have just taken the taint away.
    fn tainted(&mut self) {
        for _ in 0..1 + self.dice.below(2) {
            let node = self.dice.one(&["a-0", "a-1", "b-0", "b-1"]).to_owned();
            let mut at = 20_000 + self.dice.below(100_000);
            for _ in 0..1 + self.dice.below(2) {
                // A pod that tolerates NoExecute for a while would come back otherwise.
                for (what, first, second) in
                    [("Taint", "NoSchedule", "NoExecute"), ("Untaint", "NoExecute", "NoSchedule")]
                {
                    for (after, effect) in [(0, first), (500, second)] {
                        let taint = format!("maintenance:{effect}");
                        let entry = format!("{what}(node: \"{node}\", taint: \"{taint}\")");
                        self.timeline.push((at + after, entry));
                    }
                    at += 2_000 + 1_000 * self.dice.below(40);
                }
            }
        }
    }

    /// Something that people do, or that Kubernetes survives.
    fn happens(&mut self, at: u64) {
        let node = self.dice.one(&["a-0", "a-1", "b-0", "b-1"]).to_owned();
        let of_main = "Nodes([\"a-0\", \"b-0\", \"b-1\"])";
        let short = 1 + self.dice.below(15);
        let resource = self
            .dice
            .one(&["Nodes", "Pods", "Leases", "ReplicaSets", "StatefulSets", "DaemonSets", "Jobs"])
            .to_owned();
        let timeout = self.dice.one(&["20s", "60s", "2m"]).to_owned();
        let not_drained = self.dice.one(&["Skip", "GoOn", "Stop"]).to_owned();
        let what = match self.dice.below(15) {
            0 => self.scaled(),
            1 => format!(
                "Maintain(nodes: {of_main}, at_a_time: 1, off: \"{short}s\", drain: (force: true, timeout: \"{timeout}\"), if_not_drained: {not_drained})"
            ),
            2 => {
                self.timeline.push((at + 100_000, format!("Uncordon(node: \"{node}\")")));
                format!(
                    "Drain(node: \"{node}\", force: true, ignore_daemonsets: true, timeout: \"{timeout}\")"
                )
            }
            3 => {
                self.timeline.push((at + 30_000, format!("Uncordon(node: \"{node}\")")));
                format!("Cordon(node: \"{node}\")")
            }
            4 => format!(
                "AddNode(node: (name: \"late-{at}\", zone: \"b\", labels: {{\"pool\": \"main\"}}, capacity: {{\"cpu\": \"8\", \"pods\": \"110\"}}))"
            ),
            5 => format!("ControllerRestart(downtime: \"{short}s\")"),
            6 => "ControllerRestart(kind: Standby)".to_owned(),
            7 => format!("Partition(node: \"{node}\", duration: \"{short}s\")"),
            8 => format!("KubeletRestart(node: \"{node}\", downtime: \"{short}s\")"),
            9 => format!("WatchStall(resource: {resource}, duration: \"{short}s\")"),
            10 => format!("WatchLag(resource: {resource}, lag: \"{short}s\", duration: \"30s\")"),
            11 => format!("TooManyRequests(duration: \"{short}s\")"),
            12 => format!("ApiOutage(duration: \"{short}s\")"),
            13 => format!("Flap(node: \"{node}\", down: \"{short}s\", up: \"20s\", times: 3)"),
            _ if self.has("Deployment") => "DeletePod(pods: Label(\"app=deployment\"))".to_owned(),
            _ => self.scaled(),
        };
        self.timeline.push((at, what));
    }

    /// A workload that is there is scaled; controllers restart where there is none.
    fn scaled(&mut self) -> String {
        let replicas = self.dice.below(7);
        match ["Deployment", "StatefulSet", "Job"].into_iter().find(|kind| self.has(kind)) {
            Some(kind) => {
                format!("Scale(workload: \"{}\", replicas: {replicas})", kind.to_lowercase())
            }
            None => "ControllerRestart(downtime: \"2s\")".to_owned(),
        }
    }

    fn has(&self, kind: &str) -> bool {
        self.workloads.iter().any(|workload| workload.starts_with(kind))
    }
}
