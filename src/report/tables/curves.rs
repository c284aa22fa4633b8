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

use super::table::{Cell, Column, Each, Kind, Streamed, Table};
use crate::analysis::curves::{Curve, Curves};
use crate::analysis::serving::{Served, Serving};
use crate::report::prelude::*;

/// The curves of a run: those of the cluster, then those of each workload.
pub fn curves_table(curves: &Curves, serving: &Serving) -> impl Table {
    let columns = Column::all(&[
        ("time_s", Kind::Seconds),
        ("workload", Kind::Text),
        ("figure", Kind::Text),
        ("value", Kind::Whole),
    ]);
    let rows = move |each: &mut Each<'_>| -> io::Result<()> {
        let mut row = |at: Time, workload: Option<&str>, figure: &str, value: u32| {
            let (figure, value) = (Cell::Text(figure.into()), Cell::Whole(value.into()));
            each(&[Cell::Seconds(at), Cell::text(workload), figure, value])
        };
        for curve in Curve::ALL {
            for &(at, value) in curves.of(curve) {
                row(at, None, curve.as_str(), value)?;
            }
        }
        for served in &serving.workloads {
            for (name, figure) in Served::FIGURES {
                for (at, value) in served.course(figure) {
                    row(at, Some(&served.name), name, value)?;
                }
            }
        }
        Ok(())
    };
    Streamed { name: "curves", columns, rows }
}
