//! A random scenario that builds.
//!
//! It is drawn field by field and written with each entry on a line of its own; what a problem
//! points at is taken away, until none is left. So a scenario is as likely to have any entry that
//! the language accepts, and nothing here needs to know what it refuses.

use super::draw::Draw;
use super::used::{settings, used};
use super::words::NAMESPACES;
use super::written::written;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;
use taintsim::language::Problems;
use taintsim::language::text::Tree;
use taintsim::language::{Scenario, Shape};
use taintsim::language::{duration, names};
use taintsim::plan::Plan;
use taintsim::scenario::{Loaded, Overrides, build, parse};

/// How often what is wrong is taken away before another scenario is drawn.
const ROUNDS: u32 = 40;

/// A random scenario.
#[derive(Clone, Debug)]
pub struct Random {
    /// As read from its text.
    pub loaded: Loaded,
    /// The plan that it is built into.
    pub plan: Plan,
    /// Which fields and words of the language it has: `Partition.cut`, `Effect=NoExecute`,
    /// `release 1.34`.
    pub used: BTreeSet<String>,
}

/// The scenario of a seed: of any release, with up to about sixty nodes, and with anything that the
/// language has.
pub fn random(schema: &Value, seed: u64) -> Random {
    // If nothing is left of a draw, another follows; each seed has a stream of its own for that.
    let mut salt = 0_u64;
    loop {
        let drawn = Draw::new(schema, seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if let Some(random) = attempt(drawn, seed) {
            return random;
        }
        salt += 1;
    }
}

fn attempt(mut draw: Draw<'_>, seed: u64) -> Option<Random> {
    let value = whole(&mut draw, seed);
    let mut tree = Tree::of(&written(Shape::scenario(), &value).typed::<Scenario>().ok()?);
    for _ in 0..ROUNDS {
        let (text, paths) = lines(&tree);
        match built(text) {
            Ok((loaded, plan)) => {
                let mut used = used(&loaded.spec);
                let release: Vec<&str> = plan.profile.released().split('.').take(2).collect();
                used.insert(format!("release {}", release.join(".")));
                used.extend(settings(&loaded.spec));
                return Some(Random { loaded, plan, used });
            }
            Err(problems) => {
                let wrong: BTreeSet<&Vec<usize>> = problems
                    .0
                    .iter()
                    .filter_map(|p| paths.get(p.line_and_column()?.0 - 1))
                    .collect();
                if wrong.is_empty() {
                    return None;
                }
                // The last ones first, so that the places of those before them stay.
                for path in wrong.into_iter().rev() {
                    // Nothing is left of a scenario without its brackets.
                    path.last()?;
                    tree.remove(path);
                }
            }
        }
    }
    None
}

/// Reads and builds a text.
pub(super) fn built(text: String) -> Result<(Loaded, Plan), Problems> {
    let loaded = parse("soak.ron", text.into_bytes(), Path::new(""))?;
    let plan = build(&loaded, &Overrides::default())?;
    Ok((loaded, plan))
}

/// A whole scenario, not yet looked at.
fn whole(draw: &mut Draw<'_>, seed: u64) -> Value {
    let mut all = Map::new();
    all.insert("version".to_owned(), 1.into());
    let horizon = draw.field("horizon");
    draw.known.seconds =
        horizon.as_str().and_then(|h| duration::parse(h).ok()).map_or(60, |h| h.as_secs().max(1));
    all.insert("horizon".to_owned(), horizon);
    all.insert("seed".to_owned(), seed.into());
    draw.known.devices = draw.dice.once_in(10);
    draw.known.readiness = draw.dice.once_in(10);
    for field in ["kubernetes", "timing", "controllers"] {
        if !draw.dice.once_in(4) {
            all.insert(field.to_owned(), draw.field(field));
        }
    }
    for field in [
        "doc",
        "begins",
        "notes",
        "feature_gates",
        "controllers_start",
        "scheduler",
        "existing",
        "seeds",
    ] {
        if draw.dice.once_in(4) {
            all.insert(field.to_owned(), draw.field(field));
        }
    }
    if draw.dice.once_in(2) {
        all.insert("flags".to_owned(), draw.field("flags"));
    }
    let most = [
        ("nodes", 3),
        ("pods", 3),
        ("priorityClasses", 2),
        ("podDisruptionBudgets", 2),
        ("namespaces", 2),
        ("workloads", 4),
    ];
    for (field, most) in most {
        let least = u64::from(field == "nodes" && !draw.dice.once_in(20));
        let items = list(draw, field, least + draw.dice.clone().below(most + 1));
        all.insert(field.to_owned(), items);
    }
    if draw.dice.once_in(4) {
        all.insert("memory".to_owned(), draw.field("memory"));
    }
    happens(draw, &mut all);
    // Seldom: heartbeats are not computed then.
    if draw.dice.once_in(20) {
        all.insert("lease_records".to_owned(), draw.field("lease_records"));
    }
    Value::Object(all)
}

/// What happens in a scenario, what it expects, and its tape.
fn happens(draw: &mut Draw<'_>, all: &mut Map<String, Value>) {
    if draw.dice.once_in(3) {
        all.insert("needs".to_owned(), draw.field("needs"));
    }
    if draw.dice.once_in(5) {
        all.insert("faults".to_owned(), draw.field("faults"));
    }
    let entries = draw.dice.below(9);
    all.insert("timeline".to_owned(), list(draw, "timeline", entries));
    if draw.dice.once_in(2) {
        let expectations = 1 + draw.dice.below(5);
        all.insert("expect".to_owned(), list(draw, "expect", expectations));
    }
    if draw.dice.once_in(12) {
        let mut tape = draw.field("tape");
        if let (Some(of), Some(own)) =
            (tape.get_mut("release"), all.get("kubernetes").filter(|k| k.is_string()))
        {
            *of = own.clone();
        }
        all.insert("tape".to_owned(), tape);
    }
    if draw.known.devices {
        // They need a release and gates, which chance alone seldom brings together, nor a rule
        // with its end.
        if draw.dice.once_in(2)
            && let Some(timeline) = all.get_mut("timeline").and_then(Value::as_array_mut)
        {
            let rule = serde_json::json!({ "name": "passing", "taint": "ecc:NoExecute" });
            timeline.push(serde_json::json!({ "at": "5s", "do": { "CreateDeviceTaintRule": { "rule": rule } } }));
            let rule = serde_json::json!({ "name": "passing", "driver": "gpu.example.com", "taint": "ecc=bad:None" });
            timeline.push(serde_json::json!({ "at": "20s", "do": { "UpdateDeviceTaintRule": { "rule": rule } } }));
            timeline.push(serde_json::json!({ "at": "40s", "do": { "DeleteDeviceTaintRule": { "rule": "passing" } } }));
        }
        if draw.dice.once_in(2) {
            there(all);
        }
        all.insert("kubernetes".to_owned(), draw.dice.one(&["1.35", "1.36", "1.37"]).into());
        let shared = |namespace: &&str| serde_json::json!({ "name": "shared", "namespace": namespace, "spec": { "count": 1 } });
        all.insert("resourceClaims".to_owned(), NAMESPACES.iter().map(shared).collect());
        let gates = serde_json::json!({ "DRADeviceTaints": true, "DRADeviceTaintRules": true });
        all.insert("feature_gates".to_owned(), gates);
    } else if draw.dice.once_in(25) {
        // Operators that compare need them, too.
        all.insert("kubernetes".to_owned(), draw.dice.one(&["1.35", "1.36", "1.37"]).into());
        all.insert(
            "feature_gates".to_owned(),
            serde_json::json!({ "TaintTolerationComparisonOperators": true }),
        );
    }
    if draw.known.readiness {
        let rules = 1 + draw.dice.below(2);
        all.insert("node_readiness_rules".to_owned(), list(draw, "node_readiness_rules", rules));
        if draw.dice.once_in(2) {
            let field = "node_readiness_controller";
            all.insert(field.to_owned(), draw.field(field));
        }
    }
    if draw.dice.once_in(20) {
        all.insert("prices".to_owned(), draw.field("prices"));
    }
}

/// A device that its driver has tainted, a pod that has it from the start, and a rule: chance alone seldom has one fit
/// the other.
fn there(all: &mut Map<String, Value>) {
    let devices = serde_json::json!([{
        "names": "gpu-0", "pool": "big", "taints": ["ecc:NoExecute"], "taintsAdded": { "ecc:NoExecute": "-5s" },
    }]);
    let pod = serde_json::json!({ "name": "has", "on": { "Node": "big-1" }, "resourceClaims": [{}], "devices": ["gpu-0"] });
    let rule = serde_json::json!({ "name": "there", "pool": "big", "taint": "hot:NoExecute", "added": "-9s" });
    for (list, item) in [
        ("nodes", serde_json::json!({ "name": "big-1", "devices": devices })),
        ("pods", pod),
        ("deviceTaintRules", rule),
    ] {
        let all = all.entry(list).or_insert_with(|| Value::Array(Vec::new()));
        all.as_array_mut().into_iter().for_each(|all| all.push(item.clone()));
    }
}

/// As many items of a list of the scenario, each drawn for itself.
fn list(draw: &mut Draw<'_>, field: &str, count: u64) -> Value {
    let kind = match field {
        "nodes" => "NodeGroup",
        "pods" => "PodGroup",
        "priorityClasses" => "PriorityClass",
        "podDisruptionBudgets" => "PodDisruptionBudget",
        "namespaces" => "Namespace",
        "workloads" => "Workload",
        "timeline" => "Entry",
        "node_readiness_rules" => "NodeReadinessRule",
        _ => "Expectation",
    };
    let mut items = Vec::new();
    for _ in 0..count {
        let item = draw.of(kind);
        // What kind of workload it is comes first.
        let fields = if kind == "Workload" {
            item.as_object().and_then(|o| o.values().next()).unwrap_or(&item)
        } else {
            &item
        };
        let text =
            |name: &str| fields[name].as_str().or(fields[name][0].as_str()).unwrap_or_default();
        let named = [text("name"), text("names")].concat();
        let named = names::expand(&named, 200).unwrap_or_default();
        match kind {
            "NodeGroup" => {
                draw.known.nodes.extend(named);
                draw.known.groups += 1;
            }
            "PodGroup" => draw.known.pods.extend(named),
            "Workload" => draw.known.workloads.extend(named),
            "Entry" => {
                draw.known.entries += 1;
                draw.known.groups += 1;
            }
            _ => {}
        }
        items.push(item);
    }
    items.into()
}

/// The text of a scenario, and for each line where in the tree it comes from.
fn lines(tree: &Tree) -> (String, Vec<Vec<usize>>) {
    let mut lines = (String::new(), Vec::new());
    put(tree, '(', &[], &mut lines);
    let (text, paths) = lines;
    (text.trim_end_matches([',', '\n']).to_owned(), paths)
}

/// An item that has items of its own has them on lines of their own; `of` is the bracket that it
/// stands in.
fn put(tree: &Tree, of: char, path: &[usize], lines: &mut (String, Vec<Vec<usize>>)) {
    let mut line = |text: &str| {
        lines.0.push_str(text);
        lines.1.push(path.to_vec());
    };
    // A text may hold line breaks only as escapes.
    line(&tree.head(of));
    let Some(open) = tree.open() else {
        lines.0.push_str(",\n");
        return;
    };
    lines.0.push(open);
    lines.0.push('\n');
    for (i, part) in tree.parts().iter().enumerate() {
        put(part, open, &[path, &[i]].concat(), lines);
    }
    let close = match open {
        '(' => "),\n",
        '[' => "],\n",
        _ => "},\n",
    };
    lines.0.push_str(close);
    lines.1.push(path.to_vec());
}
