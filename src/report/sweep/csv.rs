//! The table as CSV, and the figures of every run.

use super::figures::{Heading, Row};
use crate::analysis::Spread;
use crate::kernel::{Dur, Time};
use crate::lab::Case;
use crate::report::seconds;
use ::csv::Writer;
use std::io::{self, Write};

/// Writes a line per row of the table: the values, then each figure's median, least and greatest over the seeds. What did not
/// happen in any run is empty. Times are in seconds.
///
/// # Errors
/// Those of `out`.
pub fn cases(out: &mut dyn Write, heading: &Heading, rows: &[Row]) -> io::Result<()> {
    let mut csv = Writer::from_writer(out);
    let mut names: Vec<String> = heading.axes.iter().map(|a| a.path.clone()).collect();
    names.push("seeds".to_owned());
    for figure in ["evicted", "needless", "replica_minutes_missing", "detection_s", "eviction_s"] {
        names.extend(["median", "min", "max"].map(|which| format!("{figure}_{which}")));
    }
    names.push("undecided".to_owned());
    csv.write_record(&names)?;
    for row in rows {
        let f = &row.figures;
        let mut cells = row.values.clone();
        cells.push(heading.seeds.to_string());
        cells.extend(three(f.evicted, |n| n.to_string()));
        cells.extend(three(f.needless, |n| n.to_string()));
        cells.extend(three(f.missing_ns, minutes));
        cells.extend(three(f.detection, in_seconds));
        cells.extend(three(f.eviction, in_seconds));
        cells.push(f.undecided.to_string());
        csv.write_record(&cells)?;
    }
    csv.flush()
}

/// Writes a line per run: the values, the seed, the figures. Latencies are the median, the least and the greatest of the run.
///
/// # Errors
/// Those of `out`.
pub fn runs(out: &mut dyn Write, heading: &Heading, cases: &[Case]) -> io::Result<()> {
    let mut csv = Writer::from_writer(out);
    let mut names: Vec<String> = heading.axes.iter().map(|a| a.path.clone()).collect();
    names.extend(["seed", "evicted", "needless", "undecided", "replica_minutes_missing"].map(str::to_owned));
    for figure in ["detection_s", "tainting_s", "eviction_s"] {
        names.extend(["median", "min", "max"].map(|which| format!("{figure}_{which}")));
    }
    csv.write_record(&names)?;
    for case in cases {
        for run in &case.runs {
            let m = &run.metrics;
            let mut cells = case.values.clone();
            cells.extend([run.seed, m.evicted, m.needless, m.undecided].map(|n| n.to_string()));
            cells.push(minutes(m.costs.missing_ns));
            for spread in [m.detection, m.tainting, m.eviction] {
                cells.extend(three(spread, in_seconds));
            }
            csv.write_record(&cells)?;
        }
    }
    csv.flush()
}

fn three<T>(spread: Option<Spread<T>>, text: impl Fn(T) -> String) -> [String; 3] {
    spread.map_or_else(Default::default, |s| [text(s.median), text(s.min), text(s.max)])
}

fn in_seconds(d: Dur) -> String {
    seconds(Time::from_nanos(d.as_nanos()))
}

/// Minutes to a thousandth, rounded half up.
fn minutes(ns: u128) -> String {
    let thousandths = (ns + 30_000_000) / 60_000_000;
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}
