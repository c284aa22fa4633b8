//! What a forecast says of volumes that somebody waits for.

use super::super::said::{Outlook, of, percent, when};
use super::parts::FEW;
use crate::analysis::course::Happening;
use crate::report::prelude::*;
use crate::report::text::{DIM, Printer};

/// What frees a volume that a node keeps, and how soon. A release before 1.26 heeds the taint by a gate alone.
const FREES: &str = "A volume begins to be detached when its node is back and says so, within 10s; within 20s of the taint out-of-service; or 6 minutes after its pod is gone by force or with its node. \
`--what-if 'COMMAND @TIME'` says what each would change.";

/// What becomes of volumes that somebody waits for, by claim, and when the pods that have volumes are Ready.
pub(super) fn said(outlook: &Outlook<'_>) -> Vec<(String, String)> {
    let mut said: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (what, word) in
        [(Happening::VolumeDetached, "detached from"), (Happening::VolumeAttached, "attached to")]
    {
        for f in of(outlook, what) {
            let node = f.node.as_deref().unwrap_or("a node");
            let line = format!("{word} {node} {}", when(outlook, &f.when));
            said.entry(&f.object).or_default().push(line);
        }
    }
    for left in &outlook.forecast.held {
        let share = match left.share < 1.0 {
            true => format!(" ({})", percent(left.share)),
            false => String::new(),
        };
        said.entry(&left.pod).or_default().push(format!("{}{share}", left.said));
    }
    let line = |(claim, said): (&str, Vec<String>)| (claim.to_owned(), said.join("; "));
    let mut lines: Vec<(String, String)> = said.into_iter().map(line).collect();
    lines.extend(of(outlook, Happening::PodReady).into_iter().map(|f| {
        let on = f.node.as_ref().map_or(String::new(), |node| format!(" on {node}"));
        (f.object.clone(), format!("Ready {}{on}", when(outlook, &f.when)))
    }));
    lines
}

impl Printer<'_> {
    /// Which volumes are where somebody waits for them, and what becomes of them.
    pub(super) fn volumes(&mut self, outlook: &Outlook<'_>, all: bool) -> io::Result<bool> {
        let volumes = said(outlook);
        if volumes.is_empty() {
            return Ok(true);
        }
        self.part("Volumes, and the pods that have them")?;
        let most = if all { usize::MAX } else { FEW };
        for (name, said) in volumes.iter().take(most) {
            self.item(name, said)?;
        }
        let left = volumes.len().saturating_sub(most);
        if left > 0 {
            writeln!(
                self.out,
                "  {}",
                self.painted(&format!("{} more", grouped(left as u64)), DIM)
            )?;
        }
        if !outlook.forecast.held.is_empty() {
            self.indented(FREES, 2, DIM)?;
        }
        Ok(left == 0)
    }
}
