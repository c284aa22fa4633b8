//! A survey as text: what a person should know, a table, the worst loss first, and the commands
//! that show it, as the survey was called.

use crate::analysis::size_in_words;
use crate::lab::survey::{Finding, Lost, Surveyed};
use crate::report::prelude::*;
use crate::report::text::{BOLD, DIM, PLAIN, Printer, RED, YELLOW, fold};
use crate::report::trials::quoted;

/// A survey that has run, and what is said with it.
pub(crate) struct SurveyReport<'a> {
    /// The scenario's name.
    pub(crate) name: String,
    /// Release, timing and seed.
    pub(crate) line: String,
    /// What the runs rest on ([`manifest::basis`](crate::report::manifest)), and how nodes are lost.
    pub(crate) basis: Value,
    /// The notes of the plan.
    pub(crate) notes: Vec<String>,
    /// How long everything was lost.
    pub(crate) lasts: Dur,
    /// How many rows are shown.
    pub(crate) rows: usize,
    pub(crate) survey: &'a Surveyed,
    pub(crate) called: Called,
    /// Which limits which losses break, a sentence each.
    pub(crate) broken: Vec<String>,
}

/// Writes a survey.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, report: &SurveyReport<'_>) -> io::Result<()> {
    let survey = report.survey;
    p.title(&report.name)?;
    p.indented(&format!("{}; {}", size_in_words(&survey.size), report.line), 2, PLAIN)?;
    p.indented(&runs(report), 2, PLAIN)?;
    if survey.losses < survey.asked {
        let (losses, asked) = (grouped(survey.losses as u64), grouped(survey.asked as u64));
        p.notes(&[format!("Interrupted: {losses} of {asked} losses.")])?;
    }
    p.notes(&left_out(report))?;
    writeln!(p.out)?;
    survey.lead.iter().try_for_each(|text| p.folded(text, 0, BOLD))?;
    p.findings(survey)?;
    let shown = &survey.lost[..survey.lost.len().min(report.rows)];
    let rows: Vec<[String; COLUMNS.len()]> = shown.iter().map(row).collect();
    let is_shown = |i: usize| i < 2 || rows.iter().any(|r| r[i] != "-");
    p.losses(&rows, &Vec::from_iter((0..COLUMNS.len()).filter(|i| is_shown(*i))))?;
    let all = survey.lost.len();
    if all > report.rows {
        let more = counted(all - report.rows, "more loss");
        p.folded(&format!("{more} of no more cost; --rows {all} shows all."), 0, DIM)?;
    }
    p.folded(&words(is_shown), 0, DIM)?;
    if shown.iter().any(Lost::is_least) {
        p.folded(LEAST, 0, YELLOW)?;
    }
    p.commands(survey, &report.called)?;
    report.broken.iter().try_for_each(|text| p.folded(text, 0, RED))
}

/// How many losses are told, and how many of them by one run for several.
pub(super) fn runs(report: &SurveyReport<'_>) -> String {
    let survey = report.survey;
    let each = if survey.losses == 1 { "" } else { " each" };
    let mut runs = format!("{} for {}{each}", counted(survey.losses, "loss"), short(report.lasts));
    if survey.lost.len() < survey.losses {
        let alike = survey.lost.iter().filter(|l| !l.loss.like.is_empty());
        let count: usize = alike.clone().map(|l| l.loss.count()).sum();
        let (count, groups) = (grouped(count as u64), counted(alike.count(), "group"));
        runs += &format!("; {count} of them are alike, in {groups} of which one run tells");
    }
    runs
}

/// What the survey left out of the scenario, and what else is to be known of it.
pub(super) fn left_out(report: &SurveyReport<'_>) -> Vec<String> {
    let entries = report.survey.left_out;
    let timeline = (entries > 0).then(|| {
        format!("The scenario's own timeline ({}) is left out.", counted(entries, "entry"))
    });
    let others = report.survey.skipped.iter().chain(&report.notes).cloned();
    timeline.into_iter().chain(others).collect()
}

/// What the figures mean, of those columns of the table that are shown.
pub(super) fn words(is_shown: impl Fn(usize) -> bool) -> String {
    let shown = COLUMNS.iter().enumerate().filter(|(i, c)| is_shown(*i) && !c.1.is_empty());
    let words = shown.map(|(_, c)| c.1).chain(["All beyond what it is without the loss."]);
    Vec::from_iter(words).join(" ")
}

/// What the sign before a figure means.
const LEAST: &str =
    "≥: at least so much, as volumes of workloads that the loss hits are not simulated.";

impl Printer<'_> {
    fn findings(&mut self, survey: &Surveyed) -> io::Result<()> {
        if survey.findings.is_empty() {
            return writeln!(self.out);
        }
        self.part("Findings")?;
        for (i, finding) in survey.findings.iter().enumerate() {
            write!(self.out, "{:>3} ", i + 1)?;
            self.folded(&finding.text, 4, PLAIN)?;
        }
        writeln!(self.out)
    }

    /// The command that shows each finding, broken between words as a shell reads it.
    fn commands(&mut self, survey: &Surveyed, called: &Called) -> io::Result<()> {
        let all = survey.findings.iter().enumerate();
        let all: Vec<(usize, String)> =
            all.filter_map(|(i, f)| Some((i + 1, called.command(f)?))).collect();
        if all.is_empty() {
            return Ok(());
        }
        self.part("What shows each finding")?;
        for (number, command) in all {
            let lines = fold(&command, self.style.width.saturating_sub(6).max(20));
            let mut begin = format!("{number:>3} ");
            for (i, line) in lines.iter().enumerate() {
                let end = if i + 1 < lines.len() { " \\" } else { "" };
                writeln!(self.out, "{begin}{}", self.painted(&format!("{line}{end}"), DIM))?;
                begin = "      ".to_owned();
            }
        }
        writeln!(self.out)
    }

    /// The table, without the columns that are empty in all rows; where the names are too long for
    /// the width, each stands in a line of its own above its figures.
    fn losses(&mut self, rows: &[[String; COLUMNS.len()]], shown: &[usize]) -> io::Result<()> {
        let width_of = |i: usize| {
            let cells = rows.iter().map(|r| r[i].chars().count());
            cells.chain([COLUMNS[i].0.chars().count()]).max().unwrap_or(0)
        };
        let (names, figures) = shown.split_at(1);
        let name = width_of(names[0]);
        let of_all: usize = figures.iter().map(|&i| width_of(i)).sum();
        let fits =
            |first: usize, gap: usize| first + of_all + gap * figures.len() <= self.style.width;
        let is_beside = fits(name, 1);
        let gap = if fits(if is_beside { name } else { 2 }, 2) { 2 } else { 1 };
        let first = if is_beside { name } else { 2 };
        let line = |cells: [&str; COLUMNS.len()]| -> String {
            let cell = |i: &usize| format!("{:>width$}", cells[*i], width = width_of(*i) + gap);
            figures.iter().map(cell).collect()
        };
        let head =
            format!("{:first$}{}", if is_beside { "lost" } else { "" }, line(COLUMNS.map(|c| c.0)));
        self.title(&head)?;
        for r in rows {
            let cells = line(r.each_ref().map(String::as_str));
            match is_beside {
                true => writeln!(self.out, "{:first$}{cells}", r[0])?,
                false => writeln!(self.out, "{}\n{:first$}{cells}", r[0], "")?,
            }
        }
        Ok(())
    }
}

/// The columns of the table, and what is meant by those whose names do not say it.
const COLUMNS: [(&str, &str); 11] = [
    ("lost", ""),
    ("nodes", ""),
    ("pods", ""),
    (
        "below need",
        "Below need: workloads of which fewer pods were up than they need (`needs`, else what a disruption budget asks for, else one), the longest time of one of them.",
    ),
    ("missing", "Missing: desired pods that were not up, summed over time."),
    ("req.lost", "Requests lost (req.lost): as if all requests had been lost for so long."),
    ("pending", "Pending: pods that the scheduler found no node for when the loss ends."),
    ("evicted", ""),
    ("needless", "Needless: evicted, and the node was back within `--needless-within`."),
    ("stuck", "Stuck: pods whose deletion has not ended when the loss ends."),
    ("not back", "Not back: pods that are not up when the run ends, long after it."),
];

fn row(l: &Lost) -> [String; COLUMNS.len()] {
    let f = &l.damage.figures;
    let name = match l.loss.like.len() {
        0 => l.loss.name(),
        more => format!("{} +{} alike", l.loss.name(), grouped(more as u64)),
    };
    let sign = if l.is_least() { "≥" } else { "" };
    let least = |text: String| if text == "-" { text } else { format!("{sign}{text}") };
    let down = match f.workloads_down as u64 {
        0 => "-".to_owned(),
        n => format!("{} {}", grouped(n), l.down(sign)),
    };
    [
        name,
        grouped(l.damage.size.0 as u64),
        grouped(l.damage.size.1 as u64),
        down,
        least(minutes(f.missing_minutes)),
        least(minutes(f.lost_minutes)),
        count(f.pending),
        count(f.evicted),
        count(f.needless),
        count(f.stuck),
        match f.not_back {
            0 => "-".to_owned(),
            n => format!("{n}: {}", l.why_not_back().join(", ")),
        },
    ]
}

/// `12.3m`, nothing as `-`.
fn minutes(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    match tenths {
        0.0 if value.abs() < 1e-9 => "-".to_owned(),
        0.0 if value * 60.0 < 0.05 => "<0.1s".to_owned(),
        0.0 => format!("{:.1}s", value * 60.0),
        _ => {
            let (sign, size) = (if tenths < 0.0 { "-" } else { "" }, tenths.abs());
            let tenths = (size * 10.0).round() as u64;
            format!("{sign}{}.{}m", grouped(tenths / 10), tenths % 10)
        }
    }
}

fn count(n: i64) -> String {
    if n == 0 { "-".to_owned() } else { n.to_string() }
}

/// How a survey was called, so that what shows a finding can be called in the same way.
pub(crate) struct Called {
    /// The file, as it was given; none of a cluster that kubectl was asked for, as a plugin of it.
    pub(crate) file: Option<String>,
    /// The options that change what is run.
    pub(crate) options: Vec<String>,
    /// How nodes are lost, where it is said.
    pub(crate) by: Option<String>,
    /// How soon a node must be back for an eviction to have been needless, where it is said.
    pub(crate) within: Option<String>,
}

impl Called {
    /// The command that shows a finding; none where no loss does.
    pub(crate) fn command(&self, finding: &Finding) -> Option<String> {
        let loss = finding.loss.as_ref()?;
        let program = if self.file.is_some() { "taintsim" } else { "kubectl taintsim" };
        let mut words = vec!["survey"];
        words.extend(self.file.iter().chain(&self.options).map(String::as_str));
        let drained = finding.drained.then_some("drain");
        words.extend(drained.or(self.by.as_deref()).into_iter().flat_map(|by| ["--by", by]));
        words.extend(["--only", loss, "--as", "scenario"]);
        let words: Vec<String> = words.into_iter().map(quoted).collect();
        let scenario = format!("{program} {}", words.join(" "));
        Some(match &finding.object {
            Some(object) => format!("{scenario} | {program} explain - {}", quoted(object)),
            None => {
                let within = self.within.iter().map(|w| format!(" --needless-within {w}"));
                format!("{scenario} | {program} run -{}", within.collect::<String>())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_grouped_as_numbers_are() {
        let said = [1_902.0, 12.34, -12.34, 0.04, 0.0].map(minutes);
        assert_eq!(said, ["1,902.0m", "12.3m", "-12.3m", "2.4s", "-"]);
    }

    #[test]
    fn only_columns_that_are_there_are_explained() {
        let stuck = COLUMNS.iter().position(|c| c.0 == "stuck").unwrap();
        let said = "Stuck: pods whose deletion has not ended when the loss ends. All beyond what it is without the loss.";
        assert_eq!(words(|i| i == stuck || i == 0), said);
    }

    /// What drains leave behind a drain shows, however nodes are lost otherwise; of two `--by` the command line takes none.
    #[test]
    fn how_nodes_are_lost_is_said_once() {
        let said = |by: &str, drained: bool| {
            let called = Called {
                within: Some("1m".to_owned()),
                file: Some("c.json".to_owned()),
                options: vec!["--seed".to_owned(), "7".to_owned()],
                by: Some(by.to_owned()).filter(|by| !by.is_empty()),
            };
            let loss = Some("node/a".to_owned());
            called.command(&Finding { loss, drained, ..Finding::default() }).unwrap_or_default()
        };
        let of = |by: &str| {
            format!(
                "taintsim survey c.json --seed 7{by} --only node/a --as scenario | taintsim run - --needless-within 1m"
            )
        };
        assert_eq!(said("", false), of(""));
        assert_eq!(said("network", false), of(" --by network"));
        for by in ["", "network", "drain"] {
            assert_eq!(said(by, true), of(" --by drain"));
        }
    }
}
