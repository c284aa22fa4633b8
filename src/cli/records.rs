//! `--records`: in which forms the tables of a run or a sweep are written.

use super::failure::Failure;
use crate::language::Problem;
use crate::report::TableForms;
use crate::report::tables::HAS_PARQUET;

/// A form of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum RecordsForm {
    /// Every table as CSV
    Csv,
    /// Every table as Parquet, for DuckDB, pandas and Polars
    Parquet,
}

/// Which tables are written.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RecordsArg {
    /// Write the tables in these forms, too; docs/data.md tells their columns
    #[arg(long, value_name = "FORM,…", value_enum, value_delimiter = ',')]
    records: Vec<RecordsForm>,
}

impl RecordsArg {
    /// The forms that are asked for.
    ///
    /// # Errors
    /// One that this build does not have.
    pub(crate) fn forms(&self) -> Result<TableForms, Failure> {
        let parquet = self.records.contains(&RecordsForm::Parquet);
        if parquet && !HAS_PARQUET {
            let problem = Problem::new("this taintsim was built without Parquet");
            return Err(Failure::Input(problem.help(
                "build it with `--features parquet`, which is a default, or write --records csv",
            )));
        }
        Ok(TableForms {
            csv: self.records.contains(&RecordsForm::Csv),
            parquet,
        })
    }
}
