//! `-o`: the form in which a command prints its results, the same in every command.

use super::failure::Failure;
use crate::language::Problem;
use clap::ValueEnum;

/// The forms that most commands have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// A JSON document
    Json,
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
}

/// Refuses the choice of a table where none is printed.
///
/// # Errors
/// A table is named, and it is not CSV that is asked for.
pub(crate) fn table_fits(is_named: bool, form: TableFormat) -> Result<(), Failure> {
    if is_named && form != TableFormat::Csv {
        let problem = Problem::new("--table is about tables");
        return Err(Failure::Input(problem.help("give -o csv with it")));
    }
    Ok(())
}

/// In which of its forms a command prints its results; the last one counts where several are given.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct OutputArg<F: ValueEnum + Default + Send + Sync + 'static> {
    /// In which form to print results on standard output
    #[arg(
        id = "output",
        long = "output",
        short = 'o',
        alias = "format",
        overrides_with = "output",
        value_enum,
        value_name = "FORMAT",
        default_value_t
    )]
    pub(crate) form: F,
}

impl<F: ValueEnum + Default + Send + Sync + 'static> OutputArg<F> {
    /// Says it anew, where something is said.
    ///
    /// # Errors
    /// The command has no such form.
    pub(crate) fn say(&mut self, text: Option<&str>) -> Result<(), Failure> {
        let Some(text) = text else { return Ok(()) };
        self.form = F::from_str(text, false).map_err(|_| {
            let names: Vec<String> = F::value_variants()
                .iter()
                .filter_map(|v| v.to_possible_value())
                .map(|v| v.get_name().to_owned())
                .collect();
            let problem = Problem::new(format!(
                "the command of this work plan cannot print its results as {text:?}"
            ));
            Failure::Input(problem.help(format!("one of {}", names.join(", "))))
        })?;
        Ok(())
    }
}
