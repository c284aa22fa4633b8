//! What a command found, and `-o`: the form in which it is printed, the same in every command.

use super::failure::{Exit, Failure, Outcome, refuse_if};
use super::terminal::Terminal;
use crate::files::Packing;
use crate::language::Problem;
use crate::report::html::Page;
use crate::report::tables::{self, HAS_PARQUET, Rows, Table};
use crate::report::text::Printer;
use crate::report::{Style, TableForms, json};
use clap::ValueEnum;
use serde_json::Value;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// The forms that most commands have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// A JSON document
    Json,
}

/// The forms of a command that checks one thing after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// A JSON document
    Json,
    /// A file of JUnit
    Junit,
}

/// The forms of a command whose results are a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For people
    #[default]
    Text,
    /// A JSON document
    Json,
    /// A table as CSV; docs/data.md tells its columns
    Csv,
    /// The same as Parquet, for DuckDB, pandas and Polars
    Parquet,
}

impl TableFormat {
    /// The form of the table, where one is printed.
    pub(crate) fn of_table(self) -> Option<tables::Form> {
        match self {
            Self::Text | Self::Json => None,
            Self::Csv => Some(tables::Form::Csv),
            Self::Parquet => Some(tables::Form::Parquet),
        }
    }

    /// Refuses, before anything is done for it, what cannot be printed, and the choice of a table
    /// where none is printed.
    ///
    /// # Errors
    /// Those of [`can_print`]; or a table is named, and none is asked for.
    pub(crate) fn fits(self, is_table_named: bool) -> Result<(), Failure> {
        let is_vain = is_table_named && self.of_table().is_none();
        refuse_if(is_vain, "--table is about tables", "give -o csv or -o parquet with it")?;
        self.of_table().map_or(Ok(()), |form| can_print(form, None))
    }

    /// Prints results on standard output: a text for people, the document, or the table.
    pub(crate) fn print(
        self,
        terminal: &Terminal,
        text: impl FnOnce(&mut Printer<'_>) -> io::Result<()>,
        document: impl FnOnce() -> Value,
        table: impl FnOnce() -> Rows,
    ) -> Result<(), Failure> {
        let mut out = terminal.out_as(self.of_table());
        self.write(&mut out, terminal.style(), text, document, table)?;
        Ok(out.flush()?)
    }

    /// Writes them.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn write(
        self,
        out: &mut dyn Write,
        style: Style,
        text: impl FnOnce(&mut Printer<'_>) -> io::Result<()>,
        document: impl FnOnce() -> Value,
        table: impl FnOnce() -> Rows,
    ) -> io::Result<()> {
        match (self, self.of_table()) {
            (_, Some(form)) => {
                let document = document();
                let scenario = document["scenario"].as_str();
                let about = scenario.map(|name| ("scenario", name.to_owned()));
                tables::write(out, &table(), form, about.as_slice())
            }
            (Self::Json, _) => json::write(out, &document()),
            _ => text(&mut Printer::new(out, style)),
        }
    }
}

/// Prints a text on standard output, and ends well.
pub(crate) fn print_text(
    terminal: &Terminal,
    text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Outcome {
    let mut out = terminal.out();
    text(&mut out)?;
    out.flush()?;
    Ok(Exit::Fine)
}

/// Refuses Parquet on a terminal, and in a build that does not have it; `file` is where it is
/// written instead of standard output.
///
/// # Errors
/// That it cannot be printed.
pub(crate) fn can_print(form: tables::Form, file: Option<&Path>) -> Result<(), Failure> {
    if form != tables::Form::Parquet {
        return Ok(());
    }
    can_write_parquet()?;
    let help = "direct standard output into a file, or name one where the command has --out";
    let is_read = file.is_none() && io::stdout().is_terminal();
    refuse_if(is_read, "Parquet is nothing for a terminal", help)
}

/// In which of its forms a command prints its results; the last one counts where several are given.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct OutputArg<F: ValueEnum + Default + Send + Sync + 'static> {
    /// In which form to print results on standard output
    #[arg(id = "output", long = "output", short = 'o', alias = "format")]
    #[arg(overrides_with = "output", value_enum, value_name = "FORMAT", default_value_t)]
    pub form: F,
}

impl<F: ValueEnum + Default + Send + Sync + 'static> OutputArg<F> {
    /// Says it anew, where something is said.
    ///
    /// # Errors
    /// The command has no such form.
    pub(crate) fn say(&mut self, text: Option<&str>) -> Result<(), Failure> {
        let Some(text) = text else { return Ok(()) };
        self.form = F::from_str(text, false).map_err(|_| {
            let all = F::value_variants().iter().filter_map(|v| v.to_possible_value());
            let names: Vec<String> = all.map(|v| v.get_name().to_owned()).collect();
            Failure::input(
                format!("the command of this work plan cannot print its results as {text:?}"),
                format!("one of {}", names.join(", ")),
            )
        })?;
        Ok(())
    }
}

/// A form of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum RecordsForm {
    /// JSON lines and CSV as they are, however large
    Jsonl,
    /// JSON lines and CSV packed by gzip, however small
    Gzip,
    /// Every table as CSV
    Csv,
    /// Every table as Parquet, for DuckDB, pandas and Polars
    Parquet,
}

/// Which tables are written.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RecordsArg {
    /// In which forms records and tables are written. Without `jsonl` and `gzip`, files of text of
    /// more than 16 MiB are packed; `csv` and `parquet` write more tables, which docs/data.md tells
    #[arg(long, value_name = "FORM,…", value_enum, value_delimiter = ',')]
    records: Vec<RecordsForm>,
}

impl RecordsArg {
    /// The forms that are asked for.
    ///
    /// # Errors
    /// One that this build does not have, or two that exclude each other.
    pub(crate) fn forms(&self) -> Result<TableForms, Failure> {
        let asked = |form| self.records.contains(&form);
        let packing = match (asked(RecordsForm::Jsonl), asked(RecordsForm::Gzip)) {
            (false, false) => Packing::default(),
            (true, false) => Packing::Never,
            (false, true) => Packing::Always,
            (true, true) => {
                let problem = Problem::new("--records has jsonl, which packs nothing, and gzip");
                return Err(problem.help("give one of them").into());
            }
        };
        let parquet = asked(RecordsForm::Parquet);
        if parquet {
            can_write_parquet()?;
        }
        Ok(TableForms { packing, csv: asked(RecordsForm::Csv), parquet })
    }
}

/// Refuses Parquet where this build does not have it.
fn can_write_parquet() -> Result<(), Failure> {
    let help = "build it with `--features parquet`, which is a default, or take csv";
    refuse_if(!HAS_PARQUET, "this taintsim was built without Parquet", help)
}

/// What a command found.
pub(crate) struct Found {
    /// The document that it prints as JSON.
    pub(crate) document: Value,
    /// Its page, which also says it in plain text.
    pub(crate) page: Page,
    /// Its tables by name.
    pub(crate) tables: Tables,
}

/// The tables of a command: `rows`, and what else it has.
pub(crate) type Tables = Vec<(&'static str, Box<dyn Table + Send + Sync>)>;

impl Found {
    /// What has one table.
    pub(crate) fn of(document: Value, page: Page, rows: Rows) -> Self {
        Self { document, page, tables: vec![("rows", Box::new(rows))] }
    }
}

/// Where it is kept for whoever asked.
pub(crate) type Keeping = RefCell<Option<Found>>;
