//! For programs: one JSON document.
//!
//! TAP, version 13, which `prove` reads: a test point per test case, and comments on those that
//! failed.
//!
//! JUnit, in the shape that CI systems read: a test suite per scenario, a test case for it and for
//! each of its expectations; of recordings a test suite per release, a test case for each.

use super::case::{Came, Case, MISTAKE};
use super::tested::{Tested, counts};
use crate::files::line;
use crate::language::Problem;
use crate::report::prelude::*;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::time::Duration;

/// All of it. The document has no times and no folders of the machine, so that the same tests give
/// the same bytes.
pub(crate) fn document(all: &[Tested]) -> Value {
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
    let problem = |p: &Problem, kind: &str, notes: &[String]| {
        let (line, column) = t.place(p).unzip();
        json!({ "kind": kind, "line": line, "column": column, "message": p.message, "help": p.help, "notes": notes })
    };
    let failed = t.cases.iter().filter(|c| !matches!(c.came, Came::Nothing));
    let failures = failed.flat_map(|c| c.came.faults(&t.id));
    let failures = failures.map(|(kind, p, notes)| problem(&p, kind, &notes));
    let cases = t.cases.iter().map(|c| json!({ "name": c.name, "status": c.came.word() }));
    json!({
        "file": t.id,
        "name": t.name,
        "status": t.status().word(),
        "expectations": t.expectations,
        "runs": t.runs,
        "cases": cases.collect::<Vec<_>>(),
        "warnings": t.warnings.iter().map(|p| problem(p, "warning", &[])).collect::<Vec<_>>(),
        "failures": failures.collect::<Vec<_>>(),
    })
}

/// Writes all of it.
///
/// # Errors
/// Those of `out`.
pub(crate) fn tap(out: &mut dyn Write, all: &[Tested]) -> io::Result<()> {
    let cases: usize = all.iter().map(|t| t.cases.len()).sum();
    writeln!(out, "TAP version 13\n1..{cases}")?;
    let of_all = all.iter().flat_map(|t| t.cases.iter().map(move |c| (t, c)));
    for (i, (t, case)) in of_all.enumerate() {
        // A hash would begin a directive, a backslash an escape.
        let name =
            line(&format!("{}: {}", t.id, case.name)).replace('\\', "\\\\").replace('#', "\\#");
        let (ok, directive) = match case.came {
            Came::Met => ("ok", ""),
            Came::NotRun => ("ok", " # SKIP another scenario failed"),
            Came::Undecided(_) => ("ok", " # SKIP undecided"),
            Came::Failed(_) | Came::Wrong(_) | Came::Nothing => ("not ok", ""),
        };
        writeln!(out, "{ok} {} - {name}{directive}", i + 1)?;
        if case.name == super::case::SCENARIO {
            for line in t.warned().iter().flat_map(|w| w.lines()) {
                writeln!(out, "# warning: {line}")?;
            }
        }
        // Comments, not YAML: readers of version 13 know little of that.
        for (message, notes) in t.told(case) {
            for comment in std::iter::once(&message).chain(&notes).flat_map(|text| text.lines()) {
                writeln!(out, "# {comment}")?;
            }
        }
    }
    Ok(())
}

type Xml = Writer<Vec<u8>>;

/// The XML.
///
/// # Errors
/// Those of the writer.
pub fn junit(all: &[Tested]) -> io::Result<String> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 4);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let cases = || all.iter().flat_map(|t| &t.cases);
    // The schema knows skipped tests of a suite, not of all suites.
    xml.create_element("testsuites")
        .with_attribute(("name", "taintsim"))
        .with_attribute(("tests", cases().count().to_string().as_str()))
        .with_attribute(("failures", count(cases(), "failure").as_str()))
        .with_attribute(("errors", count(cases(), "error").as_str()))
        .with_attribute(("time", seconds(all.iter().map(|t| t.took).sum()).as_str()))
        .write_inner_content(|xml| all.iter().try_for_each(|t| suite(xml, t)))?;
    xml.write_indent()?;
    String::from_utf8(xml.into_inner()).map_err(io::Error::other)
}

fn suite(xml: &mut Xml, t: &Tested) -> io::Result<()> {
    let element = xml
        .create_element("testsuite")
        .with_attribute(("name", clean(&t.id).as_str()))
        .with_attribute(("tests", t.cases.len().to_string().as_str()))
        .with_attribute(("skipped", count(&t.cases, "skipped").as_str()))
        .with_attribute(("errors", count(&t.cases, "error").as_str()))
        .with_attribute(("failures", count(&t.cases, "failure").as_str()))
        .with_attribute(("time", seconds(t.took).as_str()));
    let warned = t.warned();
    if t.cases.is_empty() && warned.is_empty() {
        return element.write_empty().map(drop);
    }
    let inner = |xml: &mut Xml| {
        // All of them are looked at in the same runs.
        let times = std::iter::once(t.took).chain(std::iter::repeat(Duration::ZERO));
        t.cases.iter().zip(times).try_for_each(|(c, took)| case(xml, t, c, took))?;
        if warned.is_empty() {
            return Ok(());
        }
        let text = clean(&format!("warning: {}", warned.join("\nwarning: ")));
        xml.create_element("system-out").write_text_content(BytesText::new(&text)).map(drop)
    };
    element.write_inner_content(inner).map(drop)
}

fn case(xml: &mut Xml, t: &Tested, c: &Case, took: Duration) -> io::Result<()> {
    let element = xml
        .create_element("testcase")
        .with_attribute(("name", clean(&c.name).as_str()))
        .with_attribute(("classname", clean(&t.id).as_str()))
        .with_attribute(("time", seconds(took).as_str()));
    let Some(kind) = element_of(&c.came) else { return element.write_empty().map(drop) };
    let (fault, why) = match &c.came {
        Came::Failed(f) => (Some(f.kind.as_str()), ""),
        Came::Wrong(_) => (Some(MISTAKE), ""),
        Came::Nothing => (Some("no-expectations"), ""),
        Came::Undecided(why) => (None, why.as_str()),
        Came::Met | Came::NotRun => (None, "another scenario failed"),
    };
    let told = t.told(c);
    let messages: Vec<&str> = told.iter().map(|(message, _)| message.as_str()).collect();
    let lines = told.iter().flat_map(|(message, notes)| std::iter::once(message).chain(notes));
    let text = lines.map(String::as_str).collect::<Vec<_>>().join("\n");
    let message = if fault.is_some() { clean(&messages.join("\n")) } else { clean(why) };
    let inner = |xml: &mut Xml| {
        let element = xml.create_element(kind).with_attribute(("message", message.as_str()));
        match fault {
            None => element.write_empty().map(drop),
            Some(fault) => {
                let element = element.with_attribute(("type", clean(fault).as_str()));
                element.write_text_content(BytesText::new(&clean(&text))).map(drop)
            }
        }
    };
    element.write_inner_content(inner).map(drop)
}

/// The element that says what became of a case; of one that is as expected there is none.
fn element_of(came: &Came) -> Option<&'static str> {
    match came {
        Came::Met => None,
        Came::NotRun | Came::Undecided(_) => Some("skipped"),
        Came::Nothing | Came::Wrong(_) => Some("error"),
        Came::Failed(_) => Some("failure"),
    }
}

fn count<'c>(cases: impl IntoIterator<Item = &'c Case>, element: &str) -> String {
    cases.into_iter().filter(|c| element_of(&c.came) == Some(element)).count().to_string()
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// A text without what XML has no characters for: control characters, and what terminals take for
/// colours.
fn clean(text: &str) -> String {
    let mut text = anstream::adapter::strip_str(text).to_string();
    text.retain(|c| c == '\n' || !c.is_control());
    text
}
