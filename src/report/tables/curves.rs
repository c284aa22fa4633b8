//! Curves: how many pods and nodes were in which state, from each time on.
//!
//! | Column | Meaning |
//! |---|---|
//! | `time_s` | from when on, in seconds from the start |
//! | `workload` | `Kind/namespace/name`, `pods without a workload`; empty: of the whole cluster |
//! | `figure` | what is counted; docs/data.md has the names |
//! | `value` | how many |
//!
//! A row stands where a figure changes, and at its beginning; the value holds until its next row.

use super::table::{Cell, Column, Each, Kind, Table};
use crate::analysis::curves::{Curve, Curves};
use crate::analysis::serving::{Served, Serving};
use crate::report::prelude::*;

/// The curves of a run: those of the cluster, then those of each workload.
#[derive(Clone, Copy, Debug)]
pub struct CurvesTable<'a> {
    curves: &'a Curves,
    serving: &'a Serving,
}

impl<'a> CurvesTable<'a> {
    /// Those of a run.
    pub fn new(curves: &'a Curves, serving: &'a Serving) -> Self {
        CurvesTable { curves, serving }
    }
}

impl Table for CurvesTable<'_> {
    fn name(&self) -> &'static str {
        "curves"
    }

    fn columns(&self) -> Vec<Column> {
        Column::all(&[
            ("time_s", Kind::Seconds),
            ("workload", Kind::Text),
            ("figure", Kind::Text),
            ("value", Kind::Whole),
        ])
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        let mut row = |at: Time, workload: Option<&str>, figure: &str, value: u32| {
            each(&[
                Cell::Seconds(at),
                Cell::text(workload),
                Cell::Text(figure.into()),
                Cell::Whole(value.into()),
            ])
        };
        for curve in Curve::ALL {
            for &(at, value) in self.curves.of(curve) {
                row(at, None, curve.as_str(), value)?;
            }
        }
        for served in &self.serving.workloads {
            for (name, figure) in Served::FIGURES {
                for (at, value) in served.course(figure) {
                    row(at, Some(&served.name), name, value)?;
                }
            }
        }
        Ok(())
    }
}
