//! Cases of upstream's own tests of controllers, as small scenarios in the recorder's form.
//!
//! What is expected is what upstream's test asserts, with times worked out by hand beside it.

mod daemon_set;
mod own_writes;
mod pod_gc;
mod stateful_set;

use taintsim::analysis::conformance::lines;
use taintsim::kernel::Choices;
use taintsim::scenario::recorded::{Line, parse};
use taintsim::sim::{Plan, run};

/// The plan of a scenario with these fields under a release.
fn plan(release: &str, fields: &str) -> Plan {
    let text = format!(
        r#"{{"kubernetes": "{release}", "runs": 1, "distinct": 1, "outcomes": [{{"count": 1, "events": []}}],
            "scenario": {{"name": "case", {fields}}}}}"#
    );
    parse(text.as_bytes()).unwrap().remove(0).plan().unwrap_or_else(|e| panic!("{fields}: {e}"))
}

/// What one actor did in a run: time in milliseconds, what, about which object, and how.
fn done_by(actor: &str, plan: &Plan) -> Vec<String> {
    let text = |l: &Line| {
        let about = format!("{}{}", l.pod, l.object);
        let mut parts = vec![l.ms().to_string(), l.what.clone(), about, l.kind.clone(), l.status.clone(), l.reason.clone(), l.node.clone()];
        parts.extend(l.grace.map(|g| format!("grace {g}")));
        parts.push(l.message.clone());
        parts.retain(|p| !p.is_empty());
        parts.join(" ")
    };
    lines(&run(plan, Choices::default_order())).iter().filter(|l| l.actor == actor).map(text).collect()
}
