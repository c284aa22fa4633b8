//! Records a scenario of ours with the project's recorder, a program of its own.
//!
//! The scenario goes to its standard input and the recording comes from its standard output; what it
//! says beside that, of a release that has to be built first, goes to ours.

use super::args::ConformArgs;
use crate::recorded::{Recorded, parse, scenario_of};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use taintsim::cli::load;
use taintsim::plan::Plan;
use taintsim::scenario::{self, Overrides};

/// Runs of upstream's controllers at most: with thirty-six a verdict takes less than a minute, and an outcome that
/// has one part in twenty of the odds is missed in 16 of 100 recordings (0.95^36).
const MOST: &str = "36";

/// The recordings of a scenario, or why there are none. Delays and limits that the recorder cannot have give way to those of
/// `Ideal`, unless they were asked for.
pub(super) fn record(file: &Path, args: &ConformArgs) -> Result<Vec<Recorded>, String> {
    let plan = plan_of(file, args, args.timing.clone())?;
    let (text, plan) = match (scenario_of(&plan), &args.timing) {
        (Ok(text), _) => (text, plan),
        (Err(missing), Some(_)) => return Err(cannot_say(file, &missing)),
        (Err(missing), None) => {
            let ideal = plan_of(file, args, Some("Ideal".to_owned()))?;
            let text = scenario_of(&ideal).map_err(|still| cannot_say(file, &still))?;
            eprintln!(
                "note: {} is recorded and compared with `timing: Ideal`, as the recorder does not have:\n  {}",
                file.display(),
                missing.join("\n  ")
            );
            (text, ideal)
        }
    };
    let minor = minor_of(&plan.profile.release);
    let bytes = recorded_by(&args.recorder, &[minor, "--most", MOST], &text)?;
    parse(&bytes).map_err(|e| format!("what the recorder gave {e}"))
}

fn plan_of(file: &Path, args: &ConformArgs, timing: Option<String>) -> Result<Plan, String> {
    let changes = Overrides { kubernetes: args.kubernetes.clone(), timing, ..Overrides::default() };
    load(file).and_then(|loaded| scenario::build(&loaded, &changes)).map_err(|problems| {
        let texts: Vec<&str> = problems.0.iter().map(|p| p.message.as_str()).collect();
        format!("{}: {}", file.display(), texts.join("; "))
    })
}

fn cannot_say(file: &Path, missing: &[String]) -> String {
    format!("the recorder cannot say all of {}:\n  {}", file.display(), missing.join("\n  "))
}

/// `1.34` of `v1.34.4`: the recorder has one patch of each minor release.
pub(crate) fn minor_of(release: &str) -> &str {
    let release = release.trim_start_matches('v');
    release.rsplit_once('.').map_or(release, |(minor, _)| minor)
}

/// Runs the recorder with a release, and what else it is to heed.
pub(crate) fn recorded_by(folder: &Path, args: &[&str], scenario: &str) -> Result<Vec<u8>, String> {
    let program = folder.join("record");
    let failed = |e: std::io::Error| {
        format!(
            "{} cannot be run: {e}; it is in the project's repository, and needs Python 3 and Go",
            program.display()
        )
    };
    let mut child = Command::new(&program)
        .args(args)
        .args(["-", "--print"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // One that has ended already says why by itself.
        let _ = input.write_all(scenario.as_bytes());
    }
    let done = child.wait_with_output().map_err(failed)?;
    if done.status.success() {
        Ok(done.stdout)
    } else {
        Err("the recorder has recorded nothing; it says why above".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_recorded_with_its_minor_release() {
        assert_eq!(minor_of("v1.34.4"), "1.34");
        assert_eq!(minor_of("1.20.2"), "1.20");
        assert_eq!(minor_of("v1.38.0-alpha.0"), "1.38.0-alpha", "any alpha of it");
    }
}
