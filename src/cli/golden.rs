//! Golden timelines of scenarios that are tested: compared with their runs, or written anew.

use super::file::place;
use super::prelude::*;
use crate::lab::Trial;
use crate::report::trials::{self, Came, Case, Failed, Tested};
use crate::scenario::FILE_BYTES_MAX;

/// What a test case of a golden timeline is called.
const CASE: &str = "golden";

/// A golden timeline to write.
pub(super) struct Golden {
    path: PathBuf,
    text: String,
    /// A problem where the scenario names it.
    placed: Problem,
}

/// Writes those that there are, each that of the scenario in the same place of `files` and `tested`, unless two of
/// them would be one file. Whether all could be written; of one that could not the test case says why.
pub(super) fn write(
    files: &[PathBuf],
    tested: &mut [Tested],
    all: Vec<Option<Golden>>,
    terminal: &Terminal,
) -> Result<bool> {
    let mut of = BTreeMap::new();
    for (file, g) in files.iter().zip(&all).filter_map(|(file, g)| Some((file, g.as_ref()?))) {
        if let Some(other) = of.insert(place(&g.path), file) {
            let (one, other, path) = (shown(file), shown(other), g.path.display());
            let text = format!(
                "{path} is the golden timeline of both {other} and {one}; nothing is written"
            );
            return Err(Failure::input(text, "give each of them a golden timeline of its own"));
        }
    }
    let mut is_all = true;
    for (tested, g) in tested.iter_mut().zip(all) {
        let Some(Golden { path, text, placed }) = g else { continue };
        let folder = path.parent().unwrap_or(Path::new(""));
        let made = files::make_folder(folder).map_err(|error| Failure::write(folder, &error));
        match made.and_then(|()| write_whole(&path, text.as_bytes())) {
            Ok(()) => terminal.note(&format!("wrote {}", path.display())),
            Err(Failure::Io(message)) => {
                is_all = false;
                if let Some(case) = tested.cases.iter_mut().find(|case| case.name == CASE) {
                    case.came = Came::Wrong(Problems::one(Problem { message, ..placed }));
                }
            }
            Err(other) => return Err(other),
        }
    }
    Ok(is_all)
}

/// The test case of the golden timeline, with `text` as the timeline of the run, if it was run; and
/// what is to be written, if `update` asks for that.
pub(super) fn case(trial: &Trial<'_>, run: Option<String>, update: bool) -> (Case, Option<Golden>) {
    let loaded = trial.loaded;
    let (mut came, mut written) = (Came::Met, None);
    if let (Some((name, bytes)), Some(text)) = (&trial.expectations().golden, run) {
        let path = loaded.folder.join(name);
        let placed = |problem: Problem| problem.at(&loaded.source, bytes.clone());
        let compared = if update {
            its_own(trial, name).and_then(|()| may_replace(&path, name, &text)).map(|()| None)
        } else {
            compare(trial, (&path, name), &text)
        };
        match compared {
            Ok(None) if update => {
                written = Some(Golden { path, text, placed: placed(Problem::new("")) })
            }
            Ok(None) => {}
            Ok(Some((problem, lines))) => {
                came = Came::Failed(Failed::other(CASE, placed(problem), lines))
            }
            Err(problem) => came = Came::Wrong(Problems::one(placed(problem))),
        }
    }
    let case = Case { name: CASE.to_owned(), came };
    (case, written)
}

/// Compares a run's timeline with the golden one, which the scenario calls `name`: what is wrong,
/// and the lines that differ.
fn compare(
    trial: &Trial<'_>,
    (path, name): (&Path, &str),
    text: &str,
) -> Result<Option<(Problem, Vec<String>)>, Problem> {
    // It is written where it is not there, or is an older one; nothing else is replaced.
    let help = || match may_replace(path, name, text) {
        Ok(()) => Some("`taintsim test --update` writes it".to_owned()),
        Err(problem) => problem.help,
    };
    let golden = files::read(path, FILE_BYTES_MAX).and_then(files::text).map_err(|error| {
        Problem::new(format!("cannot read the golden timeline {name}: {error}")).maybe_help(help())
    })?;
    let found = trials::compare(&golden, text).map_err(|why| {
        Problem::new(format!("{name} is no golden timeline: {why}")).maybe_help(help())
    })?;
    Ok(found.map(|found| {
        let problem = Problem::new(format!("the timeline is not that of {name}"));
        let problem = match found.releases {
            None if is_alone(trial) => problem.help("`taintsim test --update` writes it anew"),
            None => {
                let seed = scenario::seed(trial.loaded, &Overrides::default());
                let seed = seed.map_or(String::new(), |seed| format!(", with seed {seed}"));
                problem.help(format!(
                    "the file is of the scenario alone{seed}, and this run is of what --seed, --timing or --set make of it"
                ))
            }
            Some((file, run)) => problem.help(format!(
                "the file is of Kubernetes {file}, and this run is of {run}; {ANOTHER}"
            )),
        };
        (problem, found.lines)
    }))
}

/// How to have golden timelines of several releases.
const ANOTHER: &str = "`golden: \"NAME-{release}.timeline\"` keeps a file for each release";

/// Whether the command line changes no more of a scenario than the release, of which the file says which it is.
fn is_alone(trial: &Trial<'_>) -> bool {
    let Overrides { kubernetes: _, timing, seed, sets, at_once: _, other: _ } = &trial.overrides;
    timing.is_none() && seed.is_none() && sets.is_empty()
}

/// Refuses the run of a scenario that is changed by more than that: without it the scenario has another timeline.
fn its_own(trial: &Trial<'_>, name: &str) -> Result<(), Problem> {
    if is_alone(trial) {
        return Ok(());
    }
    let text = format!("{name} is left as it is: this run is not that of the scenario alone");
    let help = "write it without --seed, --timing and --set, or change the scenario";
    Err(Problem::new(text).help(help))
}

/// Whether the golden timeline of a run may take the place of what is there.
fn may_replace(path: &Path, name: &str, text: &str) -> Result<(), Problem> {
    match files::read(path, FILE_BYTES_MAX) {
        Err(files::ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Problem::new(format!("cannot read the golden timeline {name}: {error}"))),
        Ok(there) => {
            let there = String::from_utf8_lossy(&there);
            trials::may_replace(&there, text).map_err(|why| {
                let help = match trials::is_golden(&there) {
                    true => format!("remove it to have it written anew; {ANOTHER}"),
                    // Nobody should remove what is something else, the scenario itself say.
                    false => {
                        "name a file that is not there yet: `golden: \"NAME.timeline\"`".to_owned()
                    }
                };
                Problem::new(format!("{name} is left as it is: {why}")).help(help)
            })
        }
    }
}
