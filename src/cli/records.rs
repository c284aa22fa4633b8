//! `--records`: in which forms the tables of a run or a sweep are written.

use super::failure::Failure;
use crate::files::Packing;
use crate::language::Problem;
use crate::report::TableForms;
use crate::report::tables::HAS_PARQUET;

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
                return Err(Failure::Input(problem.help("give one of them")));
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
pub(crate) fn can_write_parquet() -> Result<(), Failure> {
    if HAS_PARQUET {
        return Ok(());
    }
    let problem = Problem::new("this taintsim was built without Parquet");
    Err(Failure::Input(
        problem.help("build it with `--features parquet`, which is a default, or take csv"),
    ))
}
