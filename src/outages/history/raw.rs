//! Outages as a file has them, and as they are handed on.

use crate::outages::sample::Spans;
use std::collections::BTreeMap;

/// An outage that was recorded, in seconds from the beginning of its file's time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recorded {
    /// Which node.
    pub node: u32,
    /// When it began.
    pub start: f64,
    /// How long it was.
    pub lasts: f64,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct History {
    /// The nodes by their names in the file, those that never failed included where it has them.
    pub nodes: Vec<String>,
    /// By beginning, then node. Outages of one node do not overlap; none is of no length.
    pub outages: Vec<Recorded>,
    /// How long it was looked, in seconds.
    pub length: f64,
    /// How many outages had not ended when the file did; they are left out.
    pub open: usize,
    /// How many outages of no length there were; they are left out.
    pub empty: usize,
}

/// Why a history cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HistoryError {
    /// A line is wrong.
    #[error("line {line}: {text}")]
    Line {
        /// Its number, from 1 on.
        line: usize,
        /// What is wrong with it.
        text: String,
    },
    /// An outage ends before it begins.
    #[error("line {line}: the outage of `{node}` ends before it begins")]
    Backwards {
        /// Its line, from 1 on.
        line: usize,
        /// Its node.
        node: String,
    },
    /// Two outages of one node overlap.
    #[error("line {line}: this outage of `{node}` begins before the one of line {earlier} is over")]
    Overlap {
        /// The line of the second one, from 1 on.
        line: usize,
        /// That of the first one.
        earlier: usize,
        /// Their node.
        node: String,
    },
    /// There is no outage, or none that has ended.
    #[error("there is no outage in it{}", if *open { " that has ended" } else { "" })]
    Nothing {
        /// Some have begun.
        open: bool,
    },
    /// The whole is wrong.
    #[error("{0}")]
    Whole(String),
}

impl HistoryError {
    /// What to do about it, where that does not follow from what is wrong.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self {
            Self::Backwards { .. } => Some("its start stands first, its end behind it"),
            Self::Overlap { .. } => {
                Some("a node is away once at a time: make one outage of the two")
            }
            Self::Nothing { open: true } => Some(
                "an outage without an end has no length: give its end, or a history that is longer",
            ),
            Self::Nothing { open: false } | Self::Line { .. } | Self::Whole(_) => None,
        }
    }
}

/// A line that is wrong.
pub(super) fn wrong(line: usize, text: impl Into<String>) -> HistoryError {
    HistoryError::Line {
        line,
        text: text.into(),
    }
}

/// Outages as a file has them.
#[derive(Default)]
pub(super) struct Raw {
    /// By name of the node: begin, end, and the line that says so.
    pub(super) outages: BTreeMap<String, Vec<(f64, f64, usize)>>,
    /// From when to when it was looked, where the file says so.
    looked: Option<(f64, f64)>,
    pub(super) open: usize,
}

impl Raw {
    pub(super) fn node(&mut self, name: &str) -> &mut Vec<(f64, f64, usize)> {
        self.outages.entry(name.to_owned()).or_default()
    }

    pub(super) fn saw(&mut self, at: f64) {
        let (from, to) = self.looked.unwrap_or((at, at));
        self.looked = Some((from.min(at), to.max(at)));
    }

    pub(super) fn add(
        &mut self,
        node: &str,
        start: f64,
        end: f64,
        line: usize,
    ) -> Result<(), HistoryError> {
        if !(start.is_finite() && end.is_finite()) || end < start {
            let node = node.to_owned();
            return Err(HistoryError::Backwards { line, node });
        }
        self.saw(start);
        self.saw(end);
        self.node(node).push((start, end, line));
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<History, HistoryError> {
        let Some((from, to)) = self.looked else {
            return Err(HistoryError::Nothing { open: false });
        };
        let mut history = History {
            length: to - from,
            open: self.open,
            ..History::default()
        };
        for (i, (name, outages)) in (0u32..).zip(&mut self.outages) {
            outages.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            if let Some(pair) = outages.windows(2).find(|p| p[1].0 < p[0].1) {
                return Err(HistoryError::Overlap {
                    line: pair[1].2,
                    earlier: pair[0].2,
                    node: name.clone(),
                });
            }
            history.nodes.push(name.clone());
            for &(start, end, _) in outages.iter() {
                if end <= start {
                    history.empty += 1;
                    continue;
                }
                history.outages.push(Recorded {
                    node: i,
                    start: start - from,
                    lasts: end - start,
                });
            }
        }
        if history.outages.is_empty() {
            return Err(HistoryError::Nothing { open: true });
        }
        history
            .outages
            .sort_by(|a, b| a.start.total_cmp(&b.start).then(a.node.cmp(&b.node)));
        Ok(history)
    }
}

impl History {
    /// The lengths of its outages.
    pub(crate) fn spans(&self) -> Option<Spans> {
        Spans::new(self.outages.iter().map(|o| o.lasts))
    }
}
