//! JUnit: a test suite per scenario, a test case per failure, or one for all that passed.

use super::{Status, Tested};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The XML.
///
/// # Errors
/// Those of the writer.
pub fn junit(all: &[Tested]) -> Result<String, SerializeError> {
    let mut report = Report::new("taintsim");
    report.set_time(all.iter().map(|t| t.took).sum());
    for t in all {
        let mut suite = TestSuite::new(t.file.clone());
        suite.set_time(t.took);
        let took = if t.runs == 0 { Duration::ZERO } else { t.took };
        let mut case = |name: String, status: TestCaseStatus, time: Duration| {
            let mut case = TestCase::new(name, status);
            case.set_classname(t.file.clone()).set_time(time);
            suite.add_test_case(case);
        };
        let non_success = |kind, message: String, notes: &[String], ty: &str| {
            let mut status = TestCaseStatus::non_success(kind);
            let text = std::iter::once(message.as_str()).chain(notes.iter().map(String::as_str)).collect::<Vec<_>>().join("\n");
            status.set_type(ty).set_message(message.clone()).set_description(text);
            status
        };
        match &t.status {
            Status::Passed => case(t.name.clone(), TestCaseStatus::success(), took),
            Status::NotRun => {
                let mut status = TestCaseStatus::skipped();
                status.set_message("another scenario failed");
                case(t.name.clone(), status, took);
            }
            Status::NoExpectations => {
                let status = non_success(NonSuccessKind::Error, "the scenario expects nothing".to_owned(), &[], "no-expectations");
                case(t.name.clone(), status, took);
            }
            Status::Wrong(problems) => {
                let message = problems.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
                case(t.name.clone(), non_success(NonSuccessKind::Error, message, &[], "mistake"), took);
            }
            Status::Failed(failed) => {
                for (i, f) in failed.iter().enumerate() {
                    let line = f.problem.line_and_column().map(|(line, _)| format!(", line {line}")).unwrap_or_default();
                    let name = format!("{}: {}{line}", t.name, f.kind);
                    let status = non_success(NonSuccessKind::Failure, f.problem.to_string(), &f.notes, &f.kind);
                    case(name, status, if i == 0 { took } else { Duration::ZERO });
                }
            }
        }
        report.add_test_suite(suite);
    }
    let xml = report.to_string()?;
    // The schema knows skipped tests of a suite, not of all suites.
    let skipped = all.iter().filter(|t| matches!(t.status, Status::NotRun)).count();
    Ok(xml.replacen(&format!(" skipped=\"{skipped}\""), "", 1))
}
