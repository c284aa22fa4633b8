//! `taintsim validate`: names every mistake of scenarios, and of folders of them.

use super::output::CheckFormat;
use super::prelude::*;
use super::run::load;
use super::scenarios::{ids, scenarios};
use crate::analysis::size_in_words;
use crate::files::line;
use crate::report::trials::{self, Came, Case, SCENARIO, Tested};
use crate::scenario::split_values;

/// Arguments of `taintsim validate`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ValidateArgs {
    /// Scenarios to check, folders to search for them (*.ron), or patterns of files; `-` is
    /// standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    change: ChangeArgs,
    #[command(flatten)]
    output: OutputArg<CheckFormat>,
}

/// Runs the command.
pub(crate) fn validate(args: &ValidateArgs, terminal: &Terminal) -> Outcome {
    let all = scenarios(&args.paths)?;
    let files = &all.files;
    if files.is_empty() {
        terminal.error("there is no scenario (*.ron) to check", all.help().as_deref());
        return Ok(Exit::Nothing);
    }
    let mut out = terminal.out();
    let (mut mistakes, mut wrong) = (0, 0);
    let (mut documents, mut checked) = (Vec::new(), Vec::new());
    let (ids, overrides) = (ids(files, &args.paths), args.change.overrides(Vec::new()));
    for (file, id) in files.iter().zip(ids) {
        let loaded = load(file);
        let read = |loaded: &Loaded| read(loaded, &overrides);
        let found = loaded.as_ref().map_err(Problems::clone).and_then(read);
        if let Err(problems) = &found {
            mistakes += problems.0.len();
            wrong += 1;
        }
        match (args.output.form, &found) {
            (CheckFormat::Junit, _) => checked.push(tested(file, id, &found)),
            (CheckFormat::Json, _) => documents.push(document(file, &found)),
            (CheckFormat::Text, Ok(plan)) => {
                fine(&mut out, file, plan)?;
                // Both streams in order where they are the same terminal.
                out.flush()?;
                if let Ok(loaded) = &loaded {
                    for note in plan.warnings() {
                        terminal.note(&trials::warned(&shown(file), loaded.noted(note)));
                    }
                }
            }
            (CheckFormat::Text, Err(problems)) => {
                // Both streams in order where they are the same terminal.
                out.flush()?;
                terminal.problems(problems);
            }
        }
    }
    match args.output.form {
        CheckFormat::Text => {}
        CheckFormat::Json => {
            json::write(&mut out, &json!({ "mistakes": mistakes, "files": documents }))?
        }
        CheckFormat::Junit => out.write_all(trials::junit(&checked)?.as_bytes())?,
    }
    out.flush()?;
    if wrong == 0 {
        return Ok(Exit::Fine);
    }
    let files = if files.len() == 1 {
        "1 file".to_owned()
    } else {
        format!("{wrong} of {} files", files.len())
    };
    terminal.error(&format!("{} in {files}", counted(mistakes, "mistake")), None);
    Ok(Exit::Input)
}

/// The plan of a scenario whose guards are settings that it has, with other values that they take.
fn read(loaded: &Loaded, overrides: &Overrides) -> Result<Plan, Problems> {
    let (plan, expectations) = scenario::expecting(loaded, overrides)?;
    let mut wrong = Vec::new();
    for (guard, bytes) in &expectations.guards {
        let now = |(path, values): (String, Vec<String>)| {
            scenario::set_now(&loaded.spec, &plan, &path).is_some_and(|now| values == [now])
        };
        if split_values(guard).is_ok_and(now) {
            let problem = Problem::new(format!("{guard} is what the scenario has: nothing breaks"));
            wrong.push(problem.at(&loaded.source, bytes.clone()));
            continue;
        }
        let overrides = Overrides { sets: vec![guard.clone()], ..overrides.clone() };
        let Err(problems) = scenario::build(loaded, &overrides) else { continue };
        // An expectation that a guard leaves without its objects is broken, as it has to be.
        if expectations.broken_by(&problems, &loaded.source).is_none() {
            wrong.extend(problems.0.into_iter().map(|p| p.at(&loaded.source, bytes.clone())));
        }
    }
    if wrong.is_empty() { Ok(plan) } else { Err(Problems(wrong)) }
}

/// The line of a scenario without mistakes.
fn fine(out: &mut dyn Write, file: &Path, plan: &Plan) -> io::Result<()> {
    let size = size_in_words(&plan.size());
    let entries = counted(plan.timeline.len(), "entry");
    let (shown, release) = (shown(file), plan.profile.released());
    let file = line(&shown);
    writeln!(out, "{file}: fine ({size}, {entries} in the timeline, Kubernetes {release})")
}

/// What was found of a scenario, as JSON.
fn document(file: &Path, found: &Result<Plan, Problems>) -> Value {
    let mistake = |p: &Problem| {
        let is_of_file = p.source() == Some(&*shown(file));
        let (line, column) = p.line_and_column().filter(|_| is_of_file).unzip();
        json!({ "line": line, "column": column, "message": p.message, "help": p.help })
    };
    let mistakes = found.as_ref().err().into_iter().flat_map(|problems| &problems.0).map(mistake);
    let plan = found.as_ref().ok();
    json!({
        "file": shown(file),
        "fine": plan.is_some(),
        "nodes": plan.map(|p| p.nodes.len()),
        "pods": plan.map(|p| p.pods.len()),
        "entries": plan.map(|p| p.timeline.len()),
        "kubernetes": plan.map(|plan| plan.profile.released()),
        "warnings": plan.into_iter().flat_map(Plan::warnings).collect::<Vec<_>>(),
        "mistakes": mistakes.collect::<Value>(),
    })
}

/// What was found of a scenario, as `test` has it: a scenario that can be read and run.
fn tested(file: &Path, id: String, found: &Result<Plan, Problems>) -> Tested {
    let wrong = |problems: &Problems| Came::Wrong(problems.clone());
    let came = found.as_ref().map_or_else(wrong, |_| Came::Met);
    let name = SCENARIO.to_owned();
    let warnings = found.iter().flat_map(Plan::warnings).map(Problem::new);
    let cases = vec![Case { name, came }];
    Tested { warnings: warnings.collect(), ..Tested::only(shown(file), id, cases) }
}
