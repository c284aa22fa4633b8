//! For spreadsheets and data frames: a row for each test case.

use super::tested::Tested;
use crate::report::tables::{Cell, Column, Each, Kind, Table};
use std::io;

/// The test cases of all scenarios.
pub(crate) struct CasesTable<'a>(pub(crate) &'a [Tested]);

impl Table for CasesTable<'_> {
    fn name(&self) -> &'static str {
        "cases"
    }

    fn columns(&self) -> Vec<Column> {
        Column::all(&[
            ("scenario", Kind::Text),
            ("case", Kind::Text),
            ("status", Kind::Text),
            ("messages", Kind::Texts),
            ("notes", Kind::Texts),
            ("runs", Kind::Natural),
        ])
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        for tested in self.0 {
            for case in &tested.cases {
                let (messages, notes): (Vec<_>, Vec<_>) = tested.told(case).into_iter().unzip();
                each(&[
                    Cell::Text(tested.id.as_str().into()),
                    Cell::Text(case.name.as_str().into()),
                    Cell::Text(case.came.word().into()),
                    Cell::Texts(messages.into()),
                    Cell::Texts(notes.concat().into()),
                    Cell::Natural(tested.runs as u64),
                ])?;
            }
        }
        Ok(())
    }
}
