//! For programs: one JSON document.

use super::case::Came;
use super::tested::{Tested, counts};
use crate::language::Problem;
use serde_json::{Value, json};

/// The version of the document: fields may be added, those that are there keep their names and
/// meanings.
const VERSION: u32 = 1;

/// All of it. The document has no times and no folders of the machine, so that the same tests give
/// the same bytes.
pub(crate) fn document(all: &[Tested]) -> Value {
    let [passed, failed, wrong, without, not_run] = counts(all);
    let scenarios: Vec<Value> = all.iter().map(scenario).collect();
    json!({
        "version": VERSION,
        "passed": passed,
        "failed": failed,
        "wrong": wrong,
        "without_expectations": without,
        "not_run": not_run,
        "scenarios": scenarios,
    })
}

fn scenario(t: &Tested) -> Value {
    let found = |came: &Came| -> Vec<Value> {
        match came {
            Came::Met | Came::Nothing | Came::NotRun | Came::Undecided(_) => Vec::new(),
            Came::Wrong(problems) => {
                problems.0.iter().map(|p| problem(p, "mistake", &[])).collect()
            }
            Came::Failed(f) => vec![problem(&f.problem, &f.kind, &f.notes(&t.id))],
        }
    };
    let cases = t.cases.iter().map(|c| json!({ "name": c.name, "status": c.came.word() }));
    json!({
        "file": t.id,
        "name": t.name,
        "status": t.status().word(),
        "expectations": t.expectations,
        "runs": t.runs,
        "cases": cases.collect::<Vec<_>>(),
        "warnings": t.warnings.iter().map(|p| problem(p, "warning", &[])).collect::<Vec<_>>(),
        "failures": t.cases.iter().flat_map(|c| found(&c.came)).collect::<Vec<_>>(),
    })
}

fn problem(p: &Problem, kind: &str, notes: &[String]) -> Value {
    let (line, column) =
        p.line_and_column().map_or((Value::Null, Value::Null), |(l, c)| (l.into(), c.into()));
    json!({ "kind": kind, "line": line, "column": column, "message": p.message, "help": p.help, "notes": notes })
}
