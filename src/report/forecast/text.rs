//! A forecast for people: clock times, and how long it is until then.

mod beside;
mod parts;

pub(crate) use self::beside::write_beside;
use self::parts::{Blocking, pending};
use super::said::{ALONE, FEW, Outlook, done, how_many, node, number, unless_all};
use crate::analysis::course::{Happening, Way};
use crate::analysis::{Kept, ranges, shortened};
use crate::lab::Forecast;
use crate::lab::forecast::{ByWhen, Left, LeftAlike, Queue};
use crate::report::model::from_now;
use crate::report::results::*;
use crate::trace::ZoneState;
use std::cmp::Reverse;

/// At most this many workloads have a line in a table by default.
const WORKLOADS: usize = 15;

/// Writes a forecast: the totals first; of many nodes and pods their queues and counts, or `all` of
/// them one by one.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, outlook: &Outlook<'_>, all: bool) -> io::Result<()> {
    p.head(outlook)?;
    outlook.answer().iter().try_for_each(|said| p.indented(&line(said), 2, BOLD))?;
    let whole = p.counts(outlook, all)?;
    p.zones(outlook)?;
    let whole = p.nodes(outlook, all)? && whole;
    let whole = p.by_workload(outlook, all)? && whole;
    let whole = p.volumes(outlook, all)? && whole;
    let whole = p.stuck(outlook, all)? && whole;
    p.pending(outlook)?;
    let mut last = match outlook.forecast.seeds {
        1 => "Times and numbers are those of one seed.".to_owned(),
        n => format!(
            "Times and numbers are the middle ones of {n} seeds; in brackets stands between which nine in ten of what may come should lie, a little wider than nine in ten of these seeds."
        ),
    };
    last += " What comes depends on what people do meanwhile.";
    if !whole {
        last += " Every node and pod: `--all`, `-o csv`.";
    }
    p.folded(&last, 0, DIM)
}

/// Which of the times of counts have a column: at most five, as far apart as each other, that end
/// with the last.
fn columns(by: &[&ByWhen]) -> Vec<usize> {
    const COLUMNS: usize = 5;
    let firsts = by.iter().filter_map(|b| b.counts.iter().position(|c| c.high > 0));
    // Until all that come have come, in the middle seed and in the last.
    let done = |b: &&&ByWhen| {
        let last = b.counts.last()?;
        b.counts.iter().position(|c| c == last)
    };
    let Some((first, last)) = firsts.min().zip(by.iter().filter_map(|b| done(&b)).max()) else {
        return Vec::new();
    };
    let step = (last - first).div_ceil(COLUMNS - 1).max(1);
    let columns = (0..COLUMNS).filter_map(|i| last.checked_sub(i * step));
    let columns: Vec<usize> = columns.take_while(|i| *i + step > first).collect();
    columns.into_iter().rev().collect()
}

impl Printer<'_> {
    fn head(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        self.title(&format!("Forecast as of {}", outlook.basis.clock.begins()))?;
        self.indented(&outlook.basis.head, 2, PLAIN)?;
        let (names, course) = (&outlook.basis.silent, &outlook.basis.course);
        let silent = match names.len() as u64 {
            0 => "No node is silent.".to_owned(),
            n => format!("{} silent: {}; {course}", counted(n, "node"), ranges(names)),
        };
        self.indented(&line(&silent), 2, YELLOW)?;
        self.notes(&outlook.notes())?;
        if outlook.forecast.happenings.is_empty() {
            self.indented(&outlook.nothing(), 2, PLAIN)?;
        }
        Ok(())
    }

    /// The states of zones, and who is next and last in their queues.
    fn zones(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let forecast = outlook.forecast;
        if forecast.zones.is_empty() && forecast.master_disruption == [None, None] {
            return Ok(());
        }
        self.part("Zones")?;
        let words = ["all zones fully disrupted", "no longer"];
        for (word, at) in words.iter().zip(&forecast.master_disruption) {
            if let Some(at) = at {
                self.item(word, &outlook.when(at))?;
            }
        }
        let mut zones: Vec<_> = forecast.zones.iter().collect();
        zones.sort_by(|a, b| (&a.0, a.3.median).cmp(&(&b.0, b.3.median)));
        for (zone, state, way, at) in zones {
            let name = if zone.is_empty() { "(no zone)" } else { zone };
            let said = match at.median.as_secs() {
                0 => format!("{} now", state.as_str()),
                _ => {
                    // Between the worst and the best state a zone may be twice.
                    let is_back = (*state, *way) == (ZoneState::PartialDisruption, Way::Back);
                    let back = if is_back { ", on the way back," } else { "" };
                    format!("{}{back} at {}", state.as_str(), outlook.when(at))
                }
            };
            self.item(name, &said)?;
        }
        Ok(())
    }

    /// How many pods are evicted by when, in all and by workload, where times tell them apart.
    fn counts(&mut self, outlook: &Outlook<'_>, all: bool) -> io::Result<bool> {
        let by_when = outlook.forecast.by_when.iter();
        let mut rows: Vec<&ByWhen> = by_when.filter(|b| b.what == Happening::PodDeleted).collect();
        // All of them first, then the workloads that lose most.
        let total = |b: &ByWhen| b.counts.last().map_or(0, |c| c.high);
        rows.sort_by_cached_key(|b| (b.workload.is_some(), Reverse(total(b)), b.workload.clone()));
        let columns = columns(&rows);
        if columns.is_empty() {
            return Ok(true);
        }
        self.part(&format!("Pods {} by", done(&outlook.of(Happening::PodDeleted))))?;
        let row = |of: &dyn Fn(usize) -> String| -> String {
            columns.iter().map(|i| format!("{:>10}", of(*i))).collect()
        };
        let times = &outlook.forecast.times;
        let spans = row(&|i| from_now(times[i]));
        writeln!(self.out, "{:28}{}", "", row(&|i| outlook.clock(times[i])))?;
        writeln!(self.out, "{:28}{}", "", self.painted(&spans, DIM))?;
        let most = if all { usize::MAX } else { WORKLOADS + 1 };
        // A name that is too long has a line of its own.
        for by in rows.iter().take(most) {
            let name = match by.workload.as_deref() {
                None => "all",
                Some("") => ALONE,
                Some(name) => name,
            };
            let middles = row(&|i| grouped(by.counts[i].median));
            let name = line(name);
            if name.chars().count() > 25 {
                writeln!(self.out, "  {name}\n{:28}{middles}", "")?;
            } else {
                writeln!(self.out, "  {name:<26}{middles}")?;
            }
            let differ = |i: &usize| by.counts[*i].low < by.counts[*i].high;
            if by.workload.is_none() && columns.iter().any(differ) {
                let ranges = row(&|i| format!("{}–{}", by.counts[i].low, by.counts[i].high));
                writeln!(self.out, "    {:<24}{ranges}", "nine in ten seeds")?;
            }
        }
        let left = rows.len().saturating_sub(most);
        self.untold(left, &counted(left, "more workload"))?;
        Ok(left == 0)
    }

    /// Nodes by what comes first; those of a queue are one, in any order.
    fn nodes(&mut self, outlook: &Outlook<'_>, all: bool) -> io::Result<bool> {
        let mut said: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut order: Vec<&str> = Vec::new();
        let queues = &outlook.forecast.queues;
        let queued: BTreeSet<&String> = queues.iter().flat_map(|q| &q.names).collect();
        for f in &outlook.forecast.happenings {
            let word = match f.what {
                Happening::NodeUnknown => "Unknown",
                Happening::NodeNoExecute if !queued.contains(&f.object) => "NoExecute",
                _ => continue,
            };
            if !said.contains_key(f.object.as_str()) {
                order.push(&f.object);
            }
            said.entry(&f.object).or_default().push(format!("{word} {}", outlook.when(&f.when)));
        }
        if order.is_empty() && queues.is_empty() {
            return Ok(true);
        }
        self.part("Nodes")?;
        let one_by_one = all || order.len() <= FEW;
        if one_by_one {
            order.iter().try_for_each(|node| self.item(node, &said[node].join(", ")))?;
        } else {
            self.given_up(outlook)?;
        }
        queues.iter().try_for_each(|queue| self.queue(outlook, queue))?;
        // Those that wait for nobody.
        let mut alone = outlook.of(Happening::NodeNoExecute);
        alone.retain(|f| !queued.contains(&f.object));
        if !one_by_one {
            for f in alone.iter().take(FEW) {
                self.item(&f.object, &format!("NoExecute {}", outlook.when(&f.when)))?;
            }
            let left = alone.len().saturating_sub(FEW);
            self.untold(left, &counted(left, "more node"))?;
        }
        Ok(one_by_one)
    }

    /// From when to when nodes are given up.
    fn given_up(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let unknown = outlook.of(Happening::NodeUnknown);
        let Some(all) = outlook.span(Happening::NodeUnknown, None) else { return Ok(()) };
        let names: Vec<&str> = unknown.iter().map(|f| f.object.as_str()).collect();
        let name = outlook.total(Happening::NodeUnknown, "node");
        let (from, to) = (outlook.clock(all.first.low), outlook.clock(all.last.high));
        let said = format!("Unknown {from} to {to}: {}", ranges(&names));
        self.item(&name, &said)
    }

    /// `81 nodes of b`, one each 10 s, from when to when.
    fn queue(&mut self, outlook: &Outlook<'_>, queue: &Queue) -> io::Result<()> {
        let of_zone = match queue.zone.as_str() {
            "" => String::new(),
            zone => format!(" of {zone}"),
        };
        let name = format!("{}{of_zone}", counted(queue.nodes as u64, "node"));
        let each = short(Dur::from_millis((queue.each.as_millis() + 50) / 100 * 100));
        let (first, last) = (outlook.when(&queue.first), outlook.when(&queue.last));
        let span = format!("NoExecute, one each {each}, from {first} to {last}");
        let names = &queue.names;
        let of_these = match names.len() > queue.nodes {
            true => format!(", of these {}: {}", grouped(names.len() as u64), shortened(names).0),
            false => format!(": {}", ranges(names)),
        };
        self.item(&name, &format!("{span}, in any order{of_these}"))
    }

    fn by_workload(&mut self, outlook: &Outlook<'_>, all: bool) -> io::Result<bool> {
        let one_by_one = all || outlook.of(Happening::PodDeleted).len() <= FEW;
        let told = [Happening::PodDeleted, Happening::PodCreated, Happening::PodBound];
        let by_workload = outlook.by_workload(&told);
        if by_workload.is_empty() || !one_by_one {
            return Ok(one_by_one);
        }
        self.part("Workloads")?;
        for (workload, happenings) in by_workload {
            writeln!(self.out, "  {}", line(workload))?;
            let kind = |what| happenings.iter().filter(move |f| f.what == what);
            for f in kind(Happening::PodDeleted) {
                let on = node(f).unwrap_or_else(|| "no node".to_owned());
                let said = format!("on {on}, {} {}", done(&[f]), outlook.when(&f.when));
                self.pod(&f.object, &said)?;
            }
            self.replacements(outlook, workload)?;
        }
        Ok(true)
    }

    /// Pods to come have names that nobody knows yet: they are counted.
    fn replacements(&mut self, outlook: &Outlook<'_>, workload: &str) -> io::Result<()> {
        for (what, word) in [(Happening::PodCreated, "created"), (Happening::PodBound, "bound")] {
            let Some(new) = outlook.span(what, Some(workload)) else { continue };
            let pods = how_many(&new.all, "pod");
            let (begins, ends) = (outlook.when(&new.first), outlook.clock(new.last.median));
            let mut said = match outlook.clock(new.first.median) == ends {
                true => format!("{pods} {word} at {begins}"),
                false => format!("{pods} {word} from {begins} to {ends}"),
            };
            if new.again.high > 0 {
                said += &format!(", {} of them under an old name", number(&new.again));
            }
            self.indented(&said, 4, PLAIN)?;
        }
        Ok(())
    }

    fn stuck(&mut self, outlook: &Outlook<'_>, all: bool) -> io::Result<bool> {
        let Forecast { stuck, waits, kept, .. } = outlook.forecast;
        let one_by_one = all || stuck.len() <= FEW;
        if stuck.is_empty() {
            return Ok(true);
        }
        self.part("Terminating for good, while their nodes do not answer")?;
        let bound: BTreeSet<&str> =
            outlook.of(Happening::PodBound).iter().map(|f| f.object.as_str()).collect();
        let pending = outlook.forecast.pending.iter();
        let unattached = pending.filter(|left| bound.contains(left.pod.as_str()));
        let unattached: BTreeSet<_> = unattached.map(|left| left.workload.as_deref()).collect();
        // Nodes whose dead pods keep a workload from replacing them, or have the volumes of those that replace them, which a
        // node left reaches.
        let mut blocking = Blocking::default();
        let mut nodes_of: BTreeMap<Option<&str>, BTreeSet<&str>> = BTreeMap::new();
        for Left { pod, workload, said, share } in stuck {
            let of = workload.as_deref().unwrap_or(ALONE);
            let blocks = waits.contains(of) || unattached.contains(&workload.as_deref());
            let volumes = kept.get(pod);
            if blocks && volumes.is_none_or(|all| all.iter().all(|v| !v.out_of_reach)) {
                blocking.hosts.insert(said);
                blocking.are_attached |= volumes.is_none_or(|all| all.iter().any(|v| v.attach));
                match waits.contains(of) && of.starts_with("Job ") {
                    true => _ = blocking.jobs.insert(of),
                    false => blocking.elsewhere = true,
                }
            }
            nodes_of.entry(workload.as_deref()).or_default().insert(said);
            if !one_by_one {
                continue;
            }
            let word = if workload.is_some() { "of " } else { "" };
            let mut text = format!("on {said}, {word}{of}");
            if outlook.holds(of) {
                text += ": no successor until it is gone";
            }
            self.pod(pod, &(text + &unless_all(*share)))?;
        }
        if !one_by_one {
            for LeftAlike { workload, pods, share, .. } in &outlook.forecast.stuck_alike {
                let of = workload.as_deref().unwrap_or(ALONE);
                let nodes = nodes_of.remove(&workload.as_deref()).unwrap_or_default();
                let nodes = Vec::from_iter(nodes);
                // Which nodes these are differs from seed to seed.
                let differ = stuck.iter().any(|l| l.workload == *workload && l.share < 1.0);
                let on = match nodes.len() {
                    n if differ && n > 1 => {
                        let (n, names) = (grouped(n as u64), shortened(&nodes).0);
                        format!("some of these {n} nodes: {names}")
                    }
                    _ => ranges(&nodes),
                };
                let mut said = format!("{} on {on}", how_many(pods, "pod"));
                if outlook.holds(of) {
                    let gone = if pods.high == 1 { "it is gone" } else { "they are gone" };
                    said += &format!(": no successor until {gone}");
                }
                self.item(of, &(said + &unless_all(*share)))?;
            }
        }
        if !blocking.hosts.is_empty() {
            self.indented(&line(&blocking.freed_by(outlook, one_by_one)), 2, DIM)?;
        }
        if let Some(volumes) = Kept::out_of_reach(&kept.values().flatten().collect()) {
            self.indented(&line(&format!("No node left reaches {volumes}.")), 2, DIM)?;
        }
        Ok(one_by_one)
    }

    fn pending(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let pending = pending(outlook, "");
        if !pending.is_empty() {
            self.part("Pending at the end")?;
        }
        pending.iter().try_for_each(|(workload, said)| self.item(workload, said))
    }
}

#[cfg(test)]
mod tests;
