//! The whole command line: the program with its commands. It stands above the commands; what they
//! share is in `args`.

use super::shards::{gather, shard};
use super::terminal::ColorArg;
use super::{
    complete, completions, diff, explain, explore_args, faults, forecast, import, incident, init,
    man, odds, outages, plan, playground, replay, report, run, settings, shrink, survey, sweep,
    test, validate,
};
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Try it:
  taintsim init first.ron        write a commented scenario
  taintsim run first.ron         simulate it: timeline, summary, charts
  taintsim test first.ron        hold it against what it expects
  taintsim sweep first.ron --set workloads.web.replicas=10,20
                                 try two values over ten seeds: table and chart

Exit codes:
  0 fine                         3 internal error, or something cannot be read or written
  1 an expectation is not met;   4 nothing was selected, or is known yet
    runs or recordings differ  130 interrupted
  2 wrong usage or input         5 shards of a work plan are to be done";

/// Simulates how Kubernetes handles failing nodes: who is evicted, when, and why.
///
/// Give it a cluster and what goes wrong, as a scenario file, and it tells which pods are evicted,
/// when and why, as the controllers of the chosen Kubernetes release would have done it. The same
/// scenario and seed give the same result.
#[derive(Debug, Parser)]
#[command(name = "taintsim", version, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) color: ColorArg,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate scenarios: prints a timeline and a summary, writes records and charts
    Run(run::RunArgs),
    /// Run scenarios as tests: holds them against what they expect
    Test(test::TestArgs),
    /// Say what sets two runs apart: two scenarios or folders of results, or one scenario under two
    /// settings; over many seeds, too
    Diff(diff::DiffArgs),
    /// Say why something happened to a pod, node, workload or zone, or did not, and what would have
    /// changed it
    Explain(explain::ExplainArgs),
    /// Render the results of a run again: text, JSON, CSV, the controllers' log lines, or a trace
    /// for Perfetto
    Report(report::ReportArgs),
    /// Simulate a scenario with several values of a setting and over many seeds: prints one table,
    /// writes CSV and a chart
    Sweep(sweep::SweepArgs),
    /// Lose every node, zone and rack of a cluster, one after the other: prints a table, worst first,
    /// and what to know of it
    Survey(survey::SurveyArgs),
    /// Say which value of a setting costs least, given how things fail, and how sure that is
    Plan(plan::PlanArgs),
    /// Draw faults by models of how things fail, and write them as a scenario
    Faults(faults::FaultsArgs),
    /// Say what a history of outages comes to, and which timeout is best for it
    Outages(outages::OutagesArgs),
    /// Do one shard of a work plan, which `--plan-shards` of sweep, plan, survey and explore writes
    Shard(shard::ShardArgs),
    /// Put the shards of a work plan together: prints and writes what one machine would have
    Gather(gather::GatherArgs),
    /// Search a scenario's interleavings for one that violates a property: prints what it found,
    /// writes tapes
    Explore(explore_args::ExploreArgs),
    /// Say how often a scenario violates a property, however rare it is
    Odds(odds::OddsArgs),
    /// Run a tape again: prints who did what, having seen what
    Replay(replay::ReplayArgs),
    /// Take away from a scenario what the violation of a property does not need
    Shrink(shrink::ShrinkArgs),
    /// Turn what kubectl prints of a cluster into a scenario
    Import(import::ImportArgs),
    /// Say what comes of an outage that is under way, from what kubectl prints of the cluster: who is
    /// evicted, and when
    Forecast(forecast::ForecastArgs),
    /// Put a past outage together from events, audit logs, logs and metrics, run it, and say what of
    /// it is explained
    Incident(incident::IncidentArgs),
    /// List what can be set in a scenario with `--set`, with the values that it has
    Settings(settings::SettingsArgs),
    /// Check scenarios, and name every mistake in them
    Validate(validate::ValidateArgs),
    /// Write a commented scenario to start from
    Init(init::InitArgs),
    /// Print the JSON Schema of the scenario language
    Schema(init::SchemaArgs),
    /// Write a page for a web server, to edit scenarios and see what comes of them in the browser
    Playground(playground::PlaygroundArgs),
    /// Print completions for a shell
    Completions(completions::CompletionsArgs),
    /// Print what can stand where a word is being written, for shells
    #[command(hide = true)]
    Complete(complete::CompleteArgs),
    /// Print a page of the manual, as roff
    Man(man::ManArgs),
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    /// What prints no results: it writes files, or what has one form.
    const WITHOUT: [&str; 7] =
        ["shard", "init", "schema", "playground", "complete", "completions", "man"];

    #[test]
    fn every_command_with_results_takes_the_forms_that_its_page_tells() {
        let page = include_str!("../../docs/commands.md");
        let mut told = Vec::new();
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            let output = command.get_arguments().find(|a| a.get_short() == Some('o'));
            let Some(output) = output else {
                assert!(WITHOUT.contains(&name), "`{name}` has no -o");
                continue;
            };
            assert_eq!(output.get_long(), Some("output"), "{name}");
            let row = format!("\n| `{name}` | ");
            let forms = page.split("## -o").nth(1).and_then(|p| p.split_once(&row));
            let forms = forms.and_then(|(_, rest)| rest.split_once(" |\n")).map(|(f, _)| f);
            let forms =
                forms.unwrap_or_else(|| panic!("docs/commands.md does not tell -o of `{name}`"));
            let those: Vec<String> = output
                .get_possible_values()
                .iter()
                .map(|v| format!("`{}`", v.get_name()))
                .collect();
            if those.is_empty() {
                told.push(name.to_owned());
            } else {
                assert_eq!(forms, those.join(", "), "docs/commands.md, -o of `{name}`");
            }
        }
        assert_eq!(told, ["faults", "gather", "shrink", "import"]);
    }
}
