//! Outages as a file has them, and as they are handed on.

use super::sample::Spans;
use crate::language::{Problem, counted};
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
    /// It had not ended when the file did, or its node was gone: `lasts` is what it is taken for.
    pub(crate) open: bool,
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
    /// From when to when each node was there, in seconds: those that come and go are there for a part of `length`.
    pub(crate) there: Vec<(f64, f64)>,
    /// How many outages began before the file, or as it ended; they are left out.
    pub(crate) open: usize,
    /// How many outages of no length there were; they are left out.
    pub(crate) empty: usize,
    /// Outages begin when the cluster noticed them, some time after nodes went away.
    pub(crate) noticed: bool,
    /// The file names only nodes that failed: how many others there were, it does not say.
    pub(crate) failures_only: bool,
    /// What the store of metrics says of its answer: some of it may be lacking.
    pub(crate) warnings: Vec<String>,
}

/// There is no outage, or none that has both ends and a length.
fn nothing(history: &History) -> Problem {
    let help = "an outage without an end has no length: give its end, or a history that is longer";
    let looked_for = match history.noticed {
        true => {
            "looked for samples of kube_node_status_condition{condition=\"Ready\",status=\"true\"} that are 0 between two that are 1: ask for a \
             longer time, or give outages as CSV with the heading node,start,end"
        }
        false => "give a history in which nodes were away: of CSV a line is node,start,end",
    };
    match (history.open, history.empty) {
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

/// The lines that say something and are no comments (`%` begins those of SimGrid), without blanks around them, each with its number.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let all = (1..).zip(text.lines().map(str::trim));
    all.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']))
}

/// A time in seconds, no earlier than `least`.
pub(super) fn seconds(text: &str, least: f64, line: usize) -> Result<f64, Problem> {
    let read = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= least);
    read.ok_or_else(|| wrong(line, format!("{text:?} is no time in seconds")))
}

/// Outages as a file has them.
#[derive(Default)]
pub(super) struct Raw {
    /// By name of the node: begin, end if it has one, and the line that says so.
    pub(super) outages: BTreeMap<String, Vec<(f64, Option<f64>, usize)>>,
    /// From when to when it was looked, where the file says so.
    pub(super) looked: Option<(f64, f64)>,
    /// By name of the node from when to when it was there, where the file says so of each.
    pub(super) there: BTreeMap<String, (f64, f64)>,
    /// By name of the node since when it is away, of states one after the other.
    pub(super) away: BTreeMap<String, f64>,
    /// What is handed on, as far as it is known.
    pub(super) history: History,
}

/// Times from here on, the year 5138, are none in seconds; nor are those as long before 1970.
pub(super) const LATEST_S: f64 = 1e11;
const YEAR_S: f64 = 365.2425 * 86_400.0;
/// An outage of no length would be none.
const SHORTEST_S: f64 = 1e-3;

impl Raw {
    pub(super) fn node(&mut self, name: &str) -> &mut Vec<(f64, Option<f64>, usize)> {
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
        self.node(node).push((start, Some(end), line));
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<History, Problem> {
        for (node, since) in std::mem::take(&mut self.away) {
            self.node(&node).push((since, None, 0));
        }
        let mut history = self.history;
        let Some((from, to)) = self.looked else { return Err(nothing(&history)) };
        history.length = to - from;
        for (i, (name, outages)) in (0u32..).zip(&mut self.outages) {
            let end = |o: &(f64, Option<f64>, usize)| o.1.unwrap_or(f64::INFINITY);
            outages.sort_by(|a, b| a.0.total_cmp(&b.0).then(end(a).total_cmp(&end(b))));
            let meets = |p: &&[(f64, Option<f64>, usize)]| p[0].1.is_some_and(|end| p[1].0 < end);
            if let Some(pair) = outages.windows(2).find(meets) {
                let (line, earlier) = (pair[1].2, pair[0].2);
                let text = format!(
                    "this outage of `{name}` begins before the one of line {earlier} is over"
                );
                let help = "a node is away once at a time: make one outage of the two";
                return Err(wrong(line, text).help(help));
            }
            history.nodes.push(name.clone());
            let there = self.there.get(name).map_or((from, to), |there| *there);
            history.there.push((there.0 - from, there.1 - from));
            for (place, &(start, end, _)) in outages.iter().enumerate() {
                let seen = outages.get(place + 1).map_or(there.1, |next| next.0);
                let (lasts, open) = (end.unwrap_or(seen) - start, end.is_none());
                match open {
                    _ if lasts > 0.0 => {
                        let start = start - from;
                        history.outages.push(Recorded { node: i, start, lasts, open });
                    }
                    true => history.open += 1,
                    false => history.empty += 1,
                }
            }
        }
        if history.outages.iter().all(|o| o.open) {
            history.open += history.outages.len();
            return Err(nothing(&history));
        }
        history.outages.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.node.cmp(&b.node)));
        history.close();
        Ok(history)
    }
}

impl History {
    /// Of an outage that had not ended nothing is known but that it was longer than it was seen for. It lasts as long as one of
    /// those that were, each with the same chance, by which their lengths come to what the product-limit estimator says (Kaplan
    /// and Meier, 1958); as long as it was seen where none was.
    fn close(&mut self) {
        // Multiples of it fall evenly between those of one, in whatever order they are needed.
        const GOLDEN: f64 = 0.618_033_988_749_895;
        let (open, ended): (Vec<usize>, Vec<usize>) =
            (0..self.outages.len()).partition(|i| self.outages[*i].open);
        let by_length = |all: Vec<usize>| {
            let mut all = Vec::from_iter(all.into_iter().map(|i| (self.outages[i].lasts, i)));
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            all
        };
        let (open, ended) = (by_length(open), by_length(ended));
        let mut known: Vec<f64> = ended.into_iter().map(|(lasts, _)| lasts).collect();
        for (turn, (seen, i)) in open.into_iter().rev().enumerate() {
            let longer = &known[known.partition_point(|lasts| *lasts <= seen)..];
            let place = (0.5 + turn as f64 * GOLDEN).fract() * longer.len() as f64;
            let lasts = longer.get(place as usize).copied().unwrap_or(seen);
            known.insert(known.partition_point(|known| *known < lasts), lasts);
            self.outages[i].lasts = lasts;
        }
    }

    /// What is said of outages that had not ended, where there are some.
    pub(crate) fn unended(&self) -> Option<String> {
        let open = self.outages.iter().filter(|o| o.open).count();
        let taken = "taken to be as long as one that was longer than it was seen for, or as that where none was";
        (open > 0).then(|| format!("{} had not ended: {taken}", counted(open, "outage")))
    }

    /// How long its nodes were there, all together, in seconds.
    pub(crate) fn watched(&self) -> f64 {
        self.there.iter().map(|(from, to)| to - from).sum()
    }

    /// Its nodes by places in the cluster, each with those that were there one after the other: as many places as there were
    /// nodes at one time. No place has two nodes that are named.
    pub(crate) fn places(&self, is_named: impl Fn(&str) -> bool) -> Vec<Vec<usize>> {
        let mut nodes: Vec<usize> = (0..self.nodes.len()).collect();
        nodes.sort_by(|a, b| self.there[*a].0.total_cmp(&self.there[*b].0));
        let mut places: Vec<(f64, bool, Vec<usize>)> = Vec::new();
        for node in nodes {
            let ((from, to), named) = (self.there[node], is_named(&self.nodes[node]));
            let is_free =
                |(until, has, _): &&mut (f64, bool, Vec<usize>)| *until <= from && !(named && *has);
            match places.iter_mut().find(is_free) {
                Some((until, has, nodes)) => {
                    (*until, *has) = (to, *has || named);
                    nodes.push(node);
                }
                None => places.push((to, named, vec![node])),
            }
        }
        places.into_iter().map(|(.., nodes)| nodes).collect()
    }

    /// Whether it tells of outages of one time only, and not how often they come: it begins with its first
    /// outage and ends with its last, and all began within the length of one.
    pub(crate) fn is_of_one_time(&self) -> bool {
        let ends = [self.outages.first(), self.outages.last()].map(|o| o.map_or(0.0, |o| o.start));
        let ended = || self.outages.iter().filter(|o| !o.open);
        let longest = ended().map(|o| o.lasts).fold(0.0, f64::max);
        let over = ended().map(|o| o.start + o.lasts).fold(0.0, f64::max);
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
