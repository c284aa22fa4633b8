//! Names, numbers and times as findings write them.

use crate::analysis::grouped;
use crate::kernel::Dur;

/// How many names are written out.
const NAMES: usize = 3;

/// `up to 14 pods`, or `14 pods` of a single loss.
pub(super) fn up_to(of: usize, n: i64, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    let up_to = if of > 1 { "up to " } else { "" };
    format!("{up_to}{} {what}{plural}", grouped(n.max(0).unsigned_abs()))
}

/// The first names, and how many more there are.
pub(super) fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMES);
    let first = names[..names.len().min(NAMES)].join(", ");
    match more {
        0 => first,
        more => format!("{first} and {} more", grouped(more as u64)),
    }
}

/// To the second, as people tell downtimes.
pub(crate) fn whole(d: Dur) -> Dur {
    Dur::from_secs((d.as_millis() + 500) / 1000)
}
