//! For programs: one JSON document.

use super::{Status, Tested, counts};
use crate::scenario::Problem;
use serde_json::{Value, json};

/// All of it. The document has no times of the machine, so that the same tests give the same bytes.
pub fn document(all: &[Tested]) -> Value {
    let [passed, failed, wrong, without, not_run] = counts(all);
    let scenarios: Vec<Value> = all.iter().map(scenario).collect();
    json!({
        "passed": passed,
        "failed": failed,
        "wrong": wrong,
        "without_expectations": without,
        "not_run": not_run,
        "scenarios": scenarios,
    })
}

fn scenario(t: &Tested) -> Value {
    let found: Vec<Value> = match &t.status {
        Status::Passed | Status::NoExpectations | Status::NotRun => Vec::new(),
        Status::Wrong(problems) => problems.0.iter().map(|p| problem(p, "mistake", &[])).collect(),
        Status::Failed(failed) => failed.iter().map(|f| problem(&f.problem, &f.kind, &f.notes)).collect(),
    };
    json!({
        "file": t.file,
        "name": t.name,
        "status": t.status.word(),
        "expectations": t.expectations,
        "runs": t.runs,
        "failures": found,
    })
}

fn problem(p: &Problem, kind: &str, notes: &[String]) -> Value {
    let (line, column) = p.line_and_column().map_or((Value::Null, Value::Null), |(l, c)| (l.into(), c.into()));
    json!({ "kind": kind, "line": line, "column": column, "message": p.message, "help": p.help, "notes": notes })
}
