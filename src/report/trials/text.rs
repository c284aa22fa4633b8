//! For people: a line per scenario, the failures in full, and one line at the end; the same as a
//! page; and for spreadsheets and data frames a row for each test case.

use super::case::{Came, Case, SCENARIO, Status};
use super::tested::{Tested, tally};
use crate::language::Problems;
use crate::report::Style;
use crate::report::diagnostics::draw_folded;
use crate::report::html::board::{Board, Item, Part, Table};
use crate::report::results::*;
use crate::report::text::{fold, painted};

/// `passed  scenarios/zone-partition.ron (12 expectations, 1 run)`
///
/// # Errors
/// Those of `out`.
pub(crate) fn line(out: &mut dyn Write, t: &Tested, style: Style) -> io::Result<()> {
    let status = t.status();
    let ansi = match status {
        Status::Passed => GREEN,
        Status::Failed | Status::Wrong => RED,
        Status::NoExpectations | Status::NotRun => YELLOW,
    };
    let of_case = |c: &Case| if let Came::Wrong(p) = &c.came { p.0.len() } else { 0 };
    let mistakes = || t.cases.iter().map(of_case).sum::<usize>();
    let detail = match status {
        Status::Passed => format!(" ({})", t.size()),
        Status::Failed => {
            let failed = t.cases.iter().filter(|c| matches!(c.came, Came::Failed(_))).count();
            format!(" ({failed} failed of {})", t.size())
        }
        Status::Wrong => {
            format!(" ({})", if mistakes() == 1 { "1 mistake" } else { "several mistakes" })
        }
        Status::NoExpectations | Status::NotRun => String::new(),
    };
    writeln!(out, "{}  {}{detail}", painted(&format!("{:<7}", status.word()), ansi, style), t.file)
}

/// `warning: s.ron: The run ends …`, `warning: s.ron:4:9: …`: the file is named once, also where its place stands in what is said.
pub(crate) fn warned(file: &str, said: impl std::fmt::Display) -> String {
    let file = file.trim_start_matches("./");
    let said = said.to_string();
    let said = said.trim_start_matches("./");
    format!("warning: {file}: {said}").replacen(&format!("{file}: {file}"), file, 1)
}

/// Everything that was not as it should be, in full; before it what is to be known of those that
/// passed.
///
/// # Errors
/// Those of `out`.
pub(crate) fn details(out: &mut dyn Write, all: &[Tested], style: Style) -> io::Result<()> {
    for t in all {
        for (i, warning) in t.warned().iter().enumerate() {
            if i == 0 {
                writeln!(out)?;
            }
            let said = warned(&t.file, warning);
            let lines = said.lines().flat_map(|l| fold(l, style.width.max(40) - 4));
            let lines: Vec<String> = lines.map(|l| painted(&l, YELLOW, style)).collect();
            writeln!(out, "{}", lines.join("\n    "))?;
        }
    }
    for (t, case) in all.iter().flat_map(|t| t.cases.iter().map(move |c| (t, c))) {
        match &case.came {
            Came::Met | Came::NotRun | Came::Undecided(_) => {}
            Came::Nothing => {
                let expect = "`expect: [Evicted(…), Never(PodStuck)]`";
                let file = &t.file;
                writeln!(out, "\n{file}: the scenario expects nothing, so that nothing can fail")?;
                writeln!(out, "  help: add {expect}; docs/expectations.md lists what there is")?;
            }
            Came::Wrong(problems) => {
                write!(out, "\n{}", draw_folded(problems, style.colour, style.width))?
            }
            Came::Failed(f) => {
                let problem = Problems::one(f.problem.clone());
                write!(out, "\n{}", draw_folded(&problem, style.colour, style.width))?;
                for note in f.notes(&t.file) {
                    writeln!(out, "    {}", hung(&note, style.width.max(40)))?;
                }
            }
        }
    }
    let usual = all.iter().find(|t| t.in_usual_order && t.status() == Status::Passed);
    let Some(file) = usual.map(|t| &t.file) else { return Ok(()) };
    let note = format!(
        "note: whatever the seed, what comes in one instant comes in its usual order: `taintsim odds {file} --of expect` draws that, too"
    );
    writeln!(out, "\n{}", fold(&note, style.width.max(40)).join("\n  "))
}

/// A note four columns from the left: what is folded of it stands two columns right of where its text begins, which may be
/// behind blanks or `why: `.
fn hung(note: &str, width: usize) -> String {
    let text = note.strip_prefix("why: ").unwrap_or(note.trim_start());
    let depth = note.len() - text.len();
    // What can be pasted stays in one line.
    let room = if note.contains('`') { usize::MAX } else { width - 6 - depth };
    let below = format!("\n{:1$}", "", 6 + depth);
    format!("{}{}", &note[..depth], fold(text, room).join(&below))
}

/// A row for each test case of all scenarios.
pub(crate) fn table(all: &[Tested]) -> Rows {
    let fields: [Field<(&Tested, &Case)>; 6] = [
        ("scenario", Kind::Text, |(t, _)| Cell::text(Some(t.id.clone()))),
        ("case", Kind::Text, |(_, c)| Cell::text(Some(c.name.clone()))),
        ("status", Kind::Text, |(_, c)| Cell::Text(c.came.word().into())),
        ("messages", Kind::Texts, |(t, c)| {
            Cell::Texts(t.told(c).into_iter().map(|m| m.0).collect())
        }),
        ("notes", Kind::Texts, |(t, c)| {
            Cell::Texts(t.told(c).into_iter().flat_map(|m| m.1).collect())
        }),
        ("runs", Kind::Natural, |(t, _)| Cell::Natural(t.runs as u64)),
    ];
    Rows::of("cases", &fields, all.iter().flat_map(|t| t.cases.iter().map(move |c| (t, c))))
}

/// Where a word stands in a table: what failed comes first.
fn rank(word: &str) -> usize {
    let order = ["wrong", "failed", "no expectations", "not run"];
    let place = order.iter().position(|w| *w == word);
    place.unwrap_or(order.len())
}

/// The page of what was tested; `runs` are those that the page holds, by scenario.
pub(crate) fn board(all: &[Tested], runs: Vec<Option<String>>) -> Board {
    let doc = tally(all);
    let mut order: Vec<(&Tested, Option<String>)> = all.iter().zip(runs).collect();
    order.sort_by_key(|(t, _)| rank(t.status().word()));
    let (all, runs): (Vec<&Tested>, Vec<Option<String>>) = order.into_iter().unzip();
    let failures: Vec<Item> = all.iter().copied().flat_map(failures).collect();
    let mut parts = Vec::new();
    let warned = all.iter().copied().flat_map(Tested::warned);
    let warnings: Vec<String> = warned.map(|text| text.replace("\n  ", "; ")).collect();
    if !failures.is_empty() {
        parts.push(Part::List { title: "What is wrong".to_owned(), items: failures });
    }
    let scenarios = all.iter().map(|t| json!([t.id, t.status().word(), t.expectations, t.runs]));
    let columns = ["scenario", "status", "expectations", "runs"];
    let shows = runs.iter().any(Option::is_some);
    let title = if shows { "Scenarios, and a run of each that failed" } else { "Scenarios" };
    parts.push(Part::Table(Table { runs, ..Table::new(title, columns, scenarios) }));
    // That a scenario can be read and run is a case, too; called as it, it would seem to be its result.
    let name = |case: &Case| match case.name.as_str() {
        SCENARIO => "the file can be read and run".to_owned(),
        name => name.to_owned(),
    };
    let mut cases: Vec<(&Tested, &Case)> =
        all.iter().flat_map(|t| t.cases.iter().map(move |c| (*t, c))).collect();
    cases.sort_by_key(|(_, c)| rank(c.came.word()));
    let cases = cases.into_iter().map(|(t, c)| json!([name(c), c.came.word(), t.id]));
    parts.push(Part::Table(Table::new("Cases", ["case", "status", "scenario"], cases)));
    Board { title: "Tests".to_owned(), doc, subtitle: String::new(), notes: warnings, parts }
}

/// What is wrong with a scenario, and the commands that tell more.
fn failures(t: &Tested) -> Vec<Item> {
    let item = |(text, notes): (String, Vec<String>)| {
        // What has a place begins with the scenario's name.
        let rest = text.strip_prefix(t.id.as_str());
        let is_named = rest.is_some_and(|rest| rest.starts_with(':'));
        let text = if is_named { text } else { format!("{}: {text}", t.id) };
        Item { text, command: Some(notes.join("\n")).filter(|n| !n.is_empty()) }
    };
    t.cases.iter().flat_map(|c| t.told(c)).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::hung;

    /// Of forty columns four stand before a note, five of its own before the text, and two before what is folded: 29 are left.
    #[test]
    fn what_is_folded_hangs_from_where_its_text_begins() {
        let text = "b-0: Ready is Unknown: at the first pass after it";
        for before in ["     ", "why: "] {
            let folded =
                format!("{before}b-0: Ready is Unknown: at the\n{:11}first pass after it", "");
            assert_eq!(hung(&format!("{before}{text}"), 40), folded);
        }
        assert_eq!(hung("record 7: n", 40), "record 7: n");
    }
}
