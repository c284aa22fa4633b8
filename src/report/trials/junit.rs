//! JUnit: a test suite per scenario, a test case for it and for each of its expectations; of
//! recordings a test suite per release, a test case for each.

use super::case::Came;
use super::tested::Tested;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::io;
use std::time::Duration;

/// The XML.
///
/// # Errors
/// Those of the writer.
pub fn junit(all: &[Tested]) -> io::Result<String> {
    let mut report = Report::new("taintsim");
    report.set_time(all.iter().map(|t| t.took).sum());
    for t in all {
        let mut suite = TestSuite::new(t.id.clone());
        suite.set_time(t.took);
        for (i, c) in t.cases.iter().enumerate() {
            let non_success = |kind, ty: &str| {
                let mut status = TestCaseStatus::non_success(kind);
                let told = t.told(c);
                let messages: Vec<&str> =
                    told.iter().map(|(message, _)| message.as_str()).collect();
                let lines =
                    told.iter().flat_map(|(message, notes)| std::iter::once(message).chain(notes));
                let text = lines.map(String::as_str).collect::<Vec<_>>().join("\n");
                status.set_type(ty).set_message(messages.join("\n")).set_description(text);
                status
            };
            let skipped = |why: &str| {
                let mut status = TestCaseStatus::skipped();
                status.set_message(why);
                status
            };
            let status = match &c.came {
                Came::Met => TestCaseStatus::success(),
                Came::NotRun => skipped("another scenario failed"),
                Came::Undecided(why) => skipped(why),
                Came::Nothing => non_success(NonSuccessKind::Error, "no-expectations"),
                Came::Wrong(_) => non_success(NonSuccessKind::Error, "mistake"),
                Came::Failed(f) => non_success(NonSuccessKind::Failure, &f.kind),
            };
            let mut case = TestCase::new(c.name.clone(), status);
            // All of them are looked at in the same runs.
            case.set_classname(t.id.clone()).set_time(if i == 0 { t.took } else { Duration::ZERO });
            suite.add_test_case(case);
        }
        let warned = t.warned();
        if !warned.is_empty() {
            suite.set_system_out(format!("warning: {}", warned.join("\nwarning: ")));
        }
        report.add_test_suite(suite);
    }
    let xml = report.to_string().map_err(io::Error::other)?;
    // The schema knows skipped tests of a suite, not of all suites.
    let skipped = all
        .iter()
        .flat_map(|t| &t.cases)
        .filter(|c| matches!(c.came, Came::NotRun | Came::Undecided(_)))
        .count();
    Ok(xml.replacen(&format!(" skipped=\"{skipped}\""), "", 1))
}
