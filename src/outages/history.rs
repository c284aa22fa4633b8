//! Outages as a file has them, and as they are handed on.

use super::sample::Spans;
use crate::language::Problem;
use std::collections::BTreeMap;
use std::fmt;

/// An outage that was recorded, in seconds from the beginning of its file's time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recorded {
    /// Which node.
    pub(crate) node: u32,
    /// When it began.
    pub(crate) start: f64,
    /// How long it was.
    pub(crate) lasts: f64,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct History {
    /// The nodes by their names in the file, those that never failed included where it has them.
    pub(crate) nodes: Vec<String>,
    /// By beginning, then node. Outages of one node do not overlap; none is of no length.
    pub(crate) outages: Vec<Recorded>,
    /// How long it was looked, in seconds.
    pub(crate) length: f64,
    /// How long its nodes were there, all together, in seconds: those that come and go are there for a part of `length`.
    pub(crate) watched: f64,
    /// How many outages had not ended when the file did, or began before it; they are left out.
    pub(crate) open: usize,
    /// How many outages of no length there were; they are left out.
    pub(crate) empty: usize,
    /// Outages begin when the cluster noticed them, some time after nodes went away.
    pub(crate) noticed: bool,
    /// The file names only nodes that failed: how many others there were, it does not say.
    pub(crate) failures_only: bool,
}

/// There is no outage, or none that has both ends and a length: so many have no beginning or no end, so many no
/// length. `noticed`: they are samples of a condition.
fn nothing(open: usize, empty: usize, noticed: bool) -> Problem {
    let help = "an outage without an end has no length: give its end, or a history that is longer";
    let looked_for = match noticed {
        true => {
            "looked for samples of kube_node_status_condition{condition=\"Ready\",status=\"true\"} that are 0 between two that are 1: ask for a \
             longer time, or give outages as CSV with the heading node,start,end"
        }
        false => "give a history in which nodes were away: of CSV a line is node,start,end",
    };
    match (open, empty) {
        (0, 0) => Problem::new("there is no outage in it").help(looked_for),
        (0, _) => Problem::new("there is no outage in it that lasts for any time"),
        _ => Problem::new("there is no outage in it that has ended").help(help),
    }
}

/// Objects as kubectl prints them stand where a history was meant.
pub(super) fn of_kubectl() -> Problem {
    let text = "these are objects as kubectl prints them, and no history of outages: a node tells when its condition Ready changed last \
                (lastTransitionTime), and events of the last hour, but not when each outage began and ended";
    Problem::new(text).help(
        "give a range of kube_node_status_condition from Prometheus, or CSV with the heading node,start,end; of a single outage `taintsim incident` \
         reads events, audit logs and controllers' logs, and an export in which nodes are away `taintsim forecast`",
    )
}

/// A line that is wrong, by its number from 1 on.
pub(super) fn wrong(line: usize, text: impl fmt::Display) -> Problem {
    Problem::new(format!("line {line}: {text}"))
}

/// The lines that say something, without blanks around them, each with its number.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let all = (1..).zip(text.lines().map(str::trim));
    all.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// A time in seconds, no earlier than `least`.
pub(super) fn seconds(text: &str, least: f64, line: usize) -> Result<f64, Problem> {
    let read = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= least);
    read.ok_or_else(|| wrong(line, format!("{text:?} is no time in seconds")))
}

/// Outages as a file has them.
#[derive(Default)]
pub(super) struct Raw {
    /// By name of the node: begin, end, and the line that says so.
    pub(super) outages: BTreeMap<String, Vec<(f64, f64, usize)>>,
    /// From when to when it was looked, where the file says so.
    pub(super) looked: Option<(f64, f64)>,
    /// How long its nodes were there, all together, where the file says so of each.
    pub(super) watched: Option<f64>,
    /// By name of the node since when it is away, of states one after the other.
    pub(super) away: BTreeMap<String, f64>,
    pub(super) open: usize,
    pub(super) noticed: bool,
    pub(super) failures_only: bool,
}

/// Times from here on, the year 5138, are none in seconds; nor are those as long before 1970.
pub(super) const LATEST_S: f64 = 1e11;
const YEAR_S: f64 = 365.2425 * 86_400.0;
/// An outage of no length would be none.
const SHORTEST_S: f64 = 1e-3;

impl Raw {
    pub(super) fn node(&mut self, name: &str) -> &mut Vec<(f64, f64, usize)> {
        self.outages.entry(name.to_owned()).or_default()
    }

    pub(super) fn saw(&mut self, at: f64, line: usize) -> Result<(), Problem> {
        if at.abs() >= LATEST_S {
            // Beyond that no year says more.
            let year = (1970.0 + at / YEAR_S).clamp(-1e12, 1e12) as i64;
            let help = "a number is taken as seconds: 1767225600.5, not 1767225600500";
            return Err(wrong(line, format!("this time lies in the year {year}")).help(help));
        }
        let (from, to) = self.looked.unwrap_or((at, at));
        self.looked = Some((from.min(at), to.max(at)));
        Ok(())
    }

    /// The next state of a node: up, or away.
    pub(super) fn state(
        &mut self,
        node: &str,
        at: f64,
        is_up: bool,
        line: usize,
    ) -> Result<(), Problem> {
        self.saw(at, line)?;
        if !is_up {
            self.away.entry(node.to_owned()).or_insert(at);
            return Ok(());
        }
        self.away.remove(node).map_or(Ok(()), |since| self.add(node, since, at, line))
    }

    pub(super) fn add(
        &mut self,
        node: &str,
        start: f64,
        end: f64,
        line: usize,
    ) -> Result<(), Problem> {
        self.saw(start, line)?;
        self.saw(end, line)?;
        if end < start {
            let text = format!("the outage of `{node}` ends before it begins");
            return Err(wrong(line, text).help("its start stands first, its end behind it"));
        }
        self.node(node).push((start, end, line));
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<History, Problem> {
        self.open += self.away.len();
        let Some((from, to)) = self.looked else {
            return Err(nothing(self.open, 0, self.noticed));
        };
        let mut history = History {
            length: to - from,
            watched: self.watched.unwrap_or((to - from) * self.outages.len() as f64),
            open: self.open,
            noticed: self.noticed,
            failures_only: self.failures_only,
            ..History::default()
        };
        for (i, (name, outages)) in (0u32..).zip(&mut self.outages) {
            outages.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            if let Some(pair) = outages.windows(2).find(|p| p[1].0 < p[0].1) {
                let (line, earlier) = (pair[1].2, pair[0].2);
                let text = format!(
                    "this outage of `{name}` begins before the one of line {earlier} is over"
                );
                let help = "a node is away once at a time: make one outage of the two";
                return Err(wrong(line, text).help(help));
            }
            history.nodes.push(name.clone());
            for &(start, end, _) in outages.iter() {
                if end <= start {
                    history.empty += 1;
                    continue;
                }
                history.outages.push(Recorded { node: i, start: start - from, lasts: end - start });
            }
        }
        if history.outages.is_empty() {
            return Err(nothing(history.open, history.empty, history.noticed));
        }
        history.outages.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.node.cmp(&b.node)));
        Ok(history)
    }
}

impl History {
    /// Whether it tells of outages of one time only, and not how often they come: it begins with its first
    /// outage and ends with its last, and all began within the length of one.
    pub(crate) fn is_of_one_time(&self) -> bool {
        let ends = [self.outages.first(), self.outages.last()].map(|o| o.map_or(0.0, |o| o.start));
        let longest = self.outages.iter().map(|o| o.lasts).fold(0.0, f64::max);
        let over = self.outages.iter().map(|o| o.start + o.lasts).fold(0.0, f64::max);
        ends[0] <= 0.0 && over >= self.length && ends[1] - ends[0] <= longest
    }

    /// The same with outages from when nodes went away, where they were noticed that much later;
    /// not before the outage before is over.
    pub(crate) fn noticed_after(mut self, delay_s: f64) -> Self {
        if !self.noticed {
            return self;
        }
        let mut over = vec![f64::NEG_INFINITY; self.nodes.len()];
        for outage in &mut self.outages {
            let end = outage.start + outage.lasts;
            let last = &mut over[outage.node as usize];
            outage.start = (outage.start - delay_s).max(*last);
            outage.lasts = end - outage.start;
            *last = end;
        }
        self.outages.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.node.cmp(&b.node)));
        self.noticed = false;
        self
    }

    /// The same with outages that end when machines are switched on, `boot_s` before their nodes are
    /// heard again. One that is no longer than that is switched on at once.
    pub(crate) fn switched_off(&self, boot_s: f64) -> Self {
        let mut history = self.clone();
        for outage in &mut history.outages {
            outage.lasts = (outage.lasts - boot_s).max(SHORTEST_S);
        }
        history
    }

    /// The lengths of its outages.
    pub(crate) fn spans(&self) -> Option<Spans> {
        Spans::new(self.outages.iter().map(|o| o.lasts))
    }
}
