//! A forecast for people: clock times, and how long it is until then.

use super::said::Outlook;
use crate::analysis::course::Happening;
use crate::analysis::ranges;
use crate::files::line;
use crate::kernel::Time;
use crate::lab::forecast::{Foreseen, Left, When};
use crate::report::text::{BOLD, DIM, PLAIN, Printer, Style, YELLOW, counted};
use crate::report::wall_clock::from_now;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// A range that is not wider is not worth a word: its ends are whole seconds.
const NARROW_S: u64 = 2;

/// Writes the whole forecast.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(out: &mut dyn Write, outlook: &Outlook<'_>, style: Style) -> io::Result<()> {
    let mut p = Printer { out, style };
    p.head(outlook)?;
    p.zones(outlook)?;
    p.nodes(outlook)?;
    p.by_workload(outlook)?;
    p.stuck(outlook)?;
    p.pending(outlook)?;
    let last = "Medians; in brackets the range of nine in ten seeds. What comes depends on what people do meanwhile.";
    p.folded(last, 0, DIM)
}

/// Writes the figures of several courses side by side: of each its name and its forecast.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_beside(
    out: &mut dyn Write,
    courses: &[(String, Outlook<'_>)],
    style: Style,
) -> io::Result<()> {
    let mut p = Printer { out, style };
    writeln!(p.out, "{}", p.painted("Side by side", BOLD))?;
    for (name, outlook) in courses {
        let deleted = of(outlook, Happening::PodDeleted);
        let range = deleted
            .first()
            .zip(deleted.iter().map(|f| f.when.median).max())
            .map_or(String::new(), |(first, last)| {
                format!(
                    " from {} to {}",
                    outlook.clock.clock(first.when.median),
                    outlook.clock.clock(last)
                )
            });
        let said = format!(
            "{} tainted NoExecute, {} deleted{range}, {} stuck, {} Pending at the end",
            counted(of(outlook, Happening::NodeNoExecute).len() as u64, "node"),
            counted(deleted.len() as u64, "pod"),
            outlook.forecast.stuck.len(),
            outlook.forecast.pending.len()
        );
        write!(p.out, "  ")?;
        p.folded(&line(name), 2, BOLD)?;
        write!(p.out, "      ")?;
        p.folded(&said, 6, PLAIN)?;
    }
    let Some(((_, base), others)) = courses.split_first() else {
        return Ok(());
    };
    for (name, other) in others {
        p.spared(base, name, other)?;
    }
    Ok(())
}

/// What happens of a kind, in most seeds or in some.
fn of<'f>(outlook: &'f Outlook<'_>, what: Happening) -> Vec<&'f Foreseen> {
    let all = &outlook.forecast.happenings;
    all.iter().filter(|f| f.what == what).collect()
}

/// `02:30:05 (in 8s; 02:30:05 to 02:30:16)`, and in which part of the seeds if not in all.
fn when(outlook: &Outlook<'_>, when: &When) -> String {
    let clock = outlook.clock;
    let mut text = format!("{} ({}", clock.clock(when.median), from_now(when.median));
    if when.high.as_secs() > when.low.as_secs() + NARROW_S {
        text += &format!("; {} to {}", clock.clock(when.low), clock.clock(when.high));
    }
    if when.share < 1.0 {
        text += &format!("; {}", percent(when.share));
    }
    text + ")"
}

/// Names as ranges.
fn list(names: &[String]) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    ranges(&names)
}

fn percent(share: f64) -> String {
    format!("in {:.0} % of the seeds", share * 100.0)
}

impl Printer<'_> {
    fn title(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out)?;
        writeln!(self.out, "{}", self.painted(text, BOLD))
    }

    fn item(&mut self, name: &str, said: &str) -> io::Result<()> {
        let name = line(name);
        write!(self.out, "  {name:<28} ")?;
        let column = 31.max(name.chars().count() + 3);
        self.folded(&line(said), column, PLAIN)
    }

    fn head(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let title = format!("Forecast as of {}", outlook.clock.begins());
        writeln!(self.out, "{}", self.painted(&title, BOLD))?;
        write!(self.out, "  ")?;
        self.folded(&outlook.head, 2, PLAIN)?;
        let silent = match outlook.silent {
            [] => "No node is silent.".to_owned(),
            names => format!(
                "{} silent: {}; {}",
                counted(names.len() as u64, "node"),
                list(names),
                outlook.course
            ),
        };
        write!(self.out, "  ")?;
        self.folded(&line(&silent), 2, YELLOW)?;
        self.notes(outlook.notes)?;
        let nothing = outlook.forecast.happenings.is_empty();
        if nothing {
            let end = outlook.clock.clock(outlook.horizon);
            write!(self.out, "  ")?;
            self.folded(&format!("Nothing happens until {end}."), 2, PLAIN)?;
        }
        Ok(())
    }

    /// The states of zones, and who is next and last in their queues.
    fn zones(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let forecast = outlook.forecast;
        if forecast.zones.is_empty() && forecast.master_disruption == [None, None] {
            return Ok(());
        }
        self.title("Zones")?;
        let words = ["all zones fully disrupted", "no longer"];
        for (word, at) in words.iter().zip(&forecast.master_disruption) {
            if let Some(at) = at {
                self.item(word, &when(outlook, at))?;
            }
        }
        let mut zones: Vec<_> = forecast.zones.iter().collect();
        zones.sort_by(|a, b| (&a.0, a.2.median).cmp(&(&b.0, b.2.median)));
        for (zone, state, at) in zones {
            let name = if zone.is_empty() { "(no zone)" } else { zone };
            let said = match at.median.as_secs() {
                0 => format!("{} now", state.as_str()),
                _ => format!("{} at {}", state.as_str(), when(outlook, at)),
            };
            self.item(name, &said)?;
        }
        Ok(())
    }

    /// Nodes by what comes first; those that wait for their taint have an order.
    fn nodes(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let mut said: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut order: Vec<(Time, &str)> = Vec::new();
        for f in &outlook.forecast.happenings {
            let word = match f.what {
                Happening::NodeUnknown => "Unknown",
                Happening::NodeNoExecute => "NoExecute",
                _ => continue,
            };
            if !said.contains_key(f.object.as_str()) {
                order.push((f.when.median, &f.object));
            }
            said.entry(&f.object)
                .or_default()
                .push(format!("{word} {}", when(outlook, &f.when)));
        }
        if order.is_empty() {
            return Ok(());
        }
        self.title("Nodes")?;
        for (_, node) in order {
            self.item(node, &said[node].join(", "))?;
        }
        for queue in &outlook.forecast.queues {
            let zone = match queue.zone.as_str() {
                "" => "one after the other".to_owned(),
                zone => format!("of {zone}, one after the other"),
            };
            let said = format!(
                "{} get their NoExecute taint {zone}: the next {}, which is {} {}; the last {}",
                counted(queue.nodes as u64, "node"),
                when(outlook, &queue.first),
                queue.next,
                percent(queue.next_share),
                when(outlook, &queue.last)
            );
            write!(self.out, "  ")?;
            self.folded(&line(&said), 2, DIM)?;
        }
        Ok(())
    }

    fn by_workload(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let mut by_workload: BTreeMap<&str, Vec<&Foreseen>> = BTreeMap::new();
        for f in &outlook.forecast.happenings {
            if matches!(
                f.what,
                Happening::PodDeleted | Happening::PodCreated | Happening::PodBound
            ) {
                let workload = f.workload.as_deref().unwrap_or("without a workload");
                by_workload.entry(workload).or_default().push(f);
            }
        }
        if by_workload.is_empty() {
            return Ok(());
        }
        self.title("Workloads")?;
        for (workload, happenings) in by_workload {
            writeln!(self.out, "  {}", line(workload))?;
            let kind = |what| happenings.iter().filter(move |f| f.what == what);
            for f in kind(Happening::PodDeleted) {
                let on = f.node.as_deref().unwrap_or("no node");
                let said = format!("on {on}, deleted {}", when(outlook, &f.when));
                self.pod(&f.object, &said)?;
            }
            self.replacements(outlook, &happenings)?;
        }
        Ok(())
    }

    /// Pods to come have names that nobody knows yet: they are counted.
    fn replacements(&mut self, outlook: &Outlook<'_>, of: &[&Foreseen]) -> io::Result<()> {
        let old: BTreeSet<&str> = of
            .iter()
            .filter(|f| f.what == Happening::PodDeleted)
            .map(|f| f.object.as_str())
            .collect();
        for (what, word) in [
            (Happening::PodCreated, "created"),
            (Happening::PodBound, "bound"),
        ] {
            let new: Vec<&&Foreseen> = of.iter().filter(|f| f.what == what).collect();
            let (Some(first), Some(last)) = (new.first(), new.last()) else {
                continue;
            };
            let again = new
                .iter()
                .filter(|f| old.contains(f.object.as_str()))
                .count();
            let mut said = format!(
                "{} {word} from {} to {}",
                counted(new.len() as u64, "pod"),
                when(outlook, &first.when),
                outlook.clock.clock(last.when.median)
            );
            if again > 0 {
                said += &format!(", {again} of them under an old name");
            }
            write!(self.out, "    ")?;
            self.folded(&said, 4, PLAIN)?;
        }
        Ok(())
    }

    fn pod(&mut self, pod: &str, said: &str) -> io::Result<()> {
        let pod = line(pod);
        write!(self.out, "    {pod:<34} ")?;
        let column = 39.max(pod.chars().count() + 5);
        self.folded(&line(said), column, PLAIN)
    }

    fn stuck(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let stuck = &outlook.forecast.stuck;
        if stuck.is_empty() {
            return Ok(());
        }
        self.title("Terminating for good, while their nodes do not answer")?;
        // Nodes whose dead pods keep a StatefulSet from replacing them.
        let mut blocking: BTreeSet<&str> = BTreeSet::new();
        for Left {
            pod,
            workload,
            said,
            share,
        } in stuck
        {
            let of = workload.as_deref().unwrap_or("without a workload");
            let holds = of.starts_with("StatefulSet") || of.starts_with("DaemonSet");
            if of.starts_with("StatefulSet") {
                blocking.insert(said);
            }
            let mut text = format!("on {said}, of {of}");
            if holds {
                text += ": no successor until it is gone";
            }
            if *share < 1.0 {
                text += &format!(" ({})", percent(*share));
            }
            self.pod(pod, &text)?;
        }
        if !blocking.is_empty() {
            let several = blocking.len() > 1;
            let (comes, machine) = match several {
                true => ("their nodes come", "their machines are"),
                false => ("the node comes", "its machine is"),
            };
            let nodes = Vec::from_iter(blocking).join(" ");
            let advice = format!(
                "What frees those of StatefulSets: {comes} back; or, once it is certain that {machine} off, `kubectl taint nodes {nodes} \
                 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`; or `kubectl delete node {nodes}`; or `kubectl delete pod POD --force`."
            );
            write!(self.out, "  ")?;
            self.folded(&line(&advice), 2, DIM)?;
        }
        Ok(())
    }

    fn pending(&mut self, outlook: &Outlook<'_>) -> io::Result<()> {
        let pending = &outlook.forecast.pending;
        if pending.is_empty() {
            return Ok(());
        }
        self.title("Pending at the end")?;
        let mut alike: BTreeMap<(&str, &str), (u64, f64)> = BTreeMap::new();
        for left in pending {
            let workload = left.workload.as_deref().unwrap_or("without a workload");
            let of = alike.entry((workload, &left.said)).or_default();
            (of.0, of.1) = (of.0 + 1, of.1.max(left.share));
        }
        for ((workload, why), (pods, share)) in alike {
            let why = if why.is_empty() { "not tried yet" } else { why };
            let mut said = format!("{}: {why}", counted(pods, "pod"));
            if share < 1.0 {
                said += &format!(" ({})", percent(share));
            }
            self.item(workload, &said)?;
        }
        Ok(())
    }

    /// Which pods another course spares, or costs.
    fn spared(&mut self, base: &Outlook<'_>, name: &str, other: &Outlook<'_>) -> io::Result<()> {
        let deleted = |o: &Outlook<'_>| -> BTreeSet<String> {
            let all = of(o, Happening::PodDeleted);
            all.iter().map(|f| f.object.clone()).collect()
        };
        let (was, is) = (deleted(base), deleted(other));
        let list = |names: Vec<&String>| {
            let names: Vec<String> = names.into_iter().cloned().collect();
            list(&names)
        };
        let spared: Vec<&String> = was.difference(&is).collect();
        let more: Vec<&String> = is.difference(&was).collect();
        for (word, pods) in [("spares", spared), ("costs", more)] {
            if !pods.is_empty() {
                let said = format!("{name} {word} {}", list(pods));
                write!(self.out, "  ")?;
                self.folded(&line(&said), 2, PLAIN)?;
            }
        }
        Ok(())
    }
}
