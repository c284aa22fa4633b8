//! Courses side by side: the figures of each, and what each changes of who goes, and when.

use super::super::said::{ALONE, FEW, Outlook, SAME, fails, how_many, number, unless_all, volumes};
use super::parts::pending;
use crate::analysis::clock::apart;
use crate::analysis::course::{Goes, Happening};
use crate::analysis::ranges;
use crate::lab::forecast::{ByWhen, Count, Left};
use crate::report::results::*;

/// The pods that a course deletes and another neither does nor is about to: by name where nearly all seeds delete them
/// or it is one; where it is chance which of a workload these are, how many of them. Jobs that fail, and on the other
/// in less than half as many seeds, are behind them.
fn only(course: &Outlook<'_>, against: &Outlook<'_>) -> Vec<String> {
    let mut there = against.deleted();
    there.extend(against.forecast.due.keys());
    let (mut named, mut counts) = (Vec::new(), Vec::new());
    for (workload, mut pods) in course.by_workload(&[Happening::PodDeleted]) {
        pods.retain(|f| !there.contains(&f.object));
        let mut in_seeds = vec![0; course.forecast.seeds as usize];
        pods.iter().flat_map(|f| &f.in_seeds).for_each(|seed| in_seeds[*seed as usize] += 1);
        // One that goes in several ways does so in several seeds.
        let names: BTreeSet<&String> = pods.iter().map(|f| &f.object).collect();
        let (all, count) = (names.len() as u64, Count::of(in_seeds.into_iter()));
        if count.low == all {
            named.extend(names);
        } else if count.median > 0 {
            let of = if workload == ALONE { "" } else { "of " };
            counts.push(match Vec::from_iter(names)[..] {
                [one] => format!("{one}{}", unless_all(pods.iter().map(|f| f.when.share).sum())),
                _ => format!("{} of {} {of}{workload}", number(&count), counted(all, "pod")),
            });
        }
    }
    named.sort_unstable();
    let named = (!named.is_empty()).then(|| ranges(&named));
    let is_new = |job: &&Left| share(&against.forecast.failed, &job.pod) * 2.0 < job.share;
    let jobs = course.forecast.failed.iter().filter(is_new).map(fails);
    named.into_iter().chain(counts).chain(jobs).collect()
}

/// In what part of the seeds a pod or a Job is among those that are left.
fn share(left: &[Left], name: &str) -> f64 {
    left.iter().filter(|l| l.pod == *name).map(|l| l.share).sum()
}

/// The pods that a course deletes and another only later, when all is over that is looked at.
fn late(course: &Outlook<'_>, against: &Outlook<'_>) -> Option<String> {
    let (gone, pods) = (against.deleted(), course.deleted().into_iter());
    let pods = pods.filter(|pod| !gone.contains(pod));
    let (pods, due): (Vec<&String>, Vec<Time>) =
        pods.filter_map(|pod| Some((pod, against.forecast.due.get(pod)?.median))).unzip();
    let due = between(against, *due.iter().min()?, *due.iter().max()?);
    let (name, pods) = (against.name, ranges(&pods));
    Some(format!("{name}: {pods} not before the end; due {due} if nothing changes"))
}

/// The pods that are stuck on a course in most of its seeds and on another not, but for those that this one does not delete.
fn stuck<'a>(course: &'a Outlook<'_>, against: &Outlook<'_>) -> Vec<&'a String> {
    let stays = |outlook: &Outlook<'_>, pod: &String| share(&outlook.forecast.stuck, pod) > 0.5;
    let [gone, there] = [course, against].map(Outlook::deleted);
    let all: BTreeSet<&String> = course.forecast.stuck.iter().map(|l| &l.pod).collect();
    let all = all.into_iter().filter(|pod| stays(course, pod) && !stays(against, pod));
    all.filter(|pod| !gone.contains(pod) || there.contains(pod)).collect()
}

/// Of pods that are freed those of StatefulSets that are not made anew all the same, as another pod of theirs is still stuck
/// (`podManagementPolicy: OrderedReady`).
fn unmade(other: &Outlook<'_>, freed: &[&String]) -> String {
    let made = other.of(Happening::PodCreated);
    let set = |pod: &String| pod.rsplit_once('-').map(|(set, _)| set.to_owned());
    let is_of_set = |w: &String| w.starts_with("StatefulSet ");
    let stuck = other.forecast.stuck.iter().filter(|l| l.share > 0.5);
    let mut stuck: Vec<&Left> =
        stuck.filter(|l| l.workload.as_ref().is_some_and(is_of_set)).collect();
    let mut pods = freed.to_vec();
    pods.retain(|pod| {
        let is_made = made.iter().any(|f| f.object == **pod);
        !is_made && stuck.iter().any(|l| set(&l.pod) == set(pod))
    });
    stuck.retain(|l| pods.iter().any(|pod| set(&l.pod) == set(pod)));
    let stuck = ranges(&Vec::from_iter(stuck.iter().map(|l| &l.pod)));
    match pods.is_empty() {
        true => String::new(),
        false => format!("; none comes in place of {} while {stuck} is stuck", ranges(&pods)),
    }
}

/// `12:05:06`, `12:05:06–12:10:11`
fn between(outlook: &Outlook<'_>, first: Time, last: Time) -> String {
    let (first, last) = (outlook.clock(first), outlook.clock(last));
    if first == last { first } else { format!("{first}–{last}") }
}

/// What another course changes of who goes, and when; that it changes nothing of it.
fn changed(base: &Outlook<'_>, other: &Outlook<'_>) -> Vec<String> {
    let name = other.name;
    let lists = [("spares", only(base, other)), ("costs", only(other, base))];
    let lists = lists.into_iter().filter(|(_, pods)| !pods.is_empty());
    let mut said: Vec<String> =
        lists.map(|(word, pods)| format!("{name} {word} {}", pods.join("; "))).collect();
    said.extend([late(base, other), late(other, base)].into_iter().flatten());
    let freed = stuck(base, other);
    let waits = other.forecast.pending.iter().filter(|l| l.share > 0.5 && freed.contains(&&l.pod));
    let waits = match ranges(&Vec::from_iter(waits.map(|l| &l.pod))) {
        none if none.is_empty() => none,
        pods => format!("; Pending instead: {pods}"),
    };
    let unmade = unmade(other, &freed);
    let [freed, left] = [freed, stuck(other, base)].map(|pods| ranges(&pods));
    let frees = || format!("{name} frees {freed}, stuck otherwise{waits}{unmade}");
    said.extend((!freed.is_empty()).then(frees));
    said.extend((!left.is_empty()).then(|| format!("{name} leaves {left} stuck")));
    let rows = |outlook: &Outlook<'_>| -> BTreeMap<_, ByWhen> {
        let all = outlook.forecast.by_when.iter().filter(|b| b.what == Happening::PodDeleted);
        all.filter_map(|b| Some((b.workload.clone()?, b.clone()))).collect()
    };
    let (was, is) = (rows(base), rows(other));
    let mut same = was.keys().eq(is.keys());
    same &= base.forecast.left[0].median == other.forecast.left[0].median;
    for (workload, was) in &was {
        let Some(is) = is.get(workload) else { continue };
        let ends = [(was.first, is.first), (was.last, is.last)];
        same &= was.all == is.all && ends.iter().all(|(a, b)| apart(a.median, b.median) <= SAME);
        // Who is first and who is last is chance; that both ranges have nothing in common is none.
        let differ = ends.iter().any(|(a, b)| a.high < b.low || b.high < a.low);
        if was.all.median == is.all.median && differ {
            let pods = match workload.as_str() {
                "" => format!("pods {ALONE}"),
                workload => format!("pods of {workload}"),
            };
            let from = between(base, was.first.median, was.last.median);
            let to = between(other, is.first.median, is.last.median);
            said.push(format!("{name} moves {pods} from {from} to {to}"));
        }
    }
    if said.is_empty() && same {
        let bound = |o: &Outlook<'_>| o.span(Happening::PodBound, None).map_or(0, |b| b.all.median);
        let [was, is] = [bound(base), bound(other)];
        let nothing = format!("{name} changes nothing of who is evicted or deleted, and when");
        let pods = format!("; {} bound instead of {was}", counted(is, "pod"));
        said.push(if was == is { nothing } else { nothing + &pods });
    }
    said
}

/// Writes the figures of several courses side by side: of each its name and its forecast.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_beside(p: &mut Printer<'_>, courses: &[Outlook<'_>]) -> io::Result<()> {
    if courses.len() < 2 {
        return Ok(());
    }
    p.part("Side by side")?;
    for (i, outlook) in courses.iter().enumerate() {
        let done = |all: &ByWhen| {
            let (count, share) = all.in_all();
            let (first, last) = (outlook.clock(all.first.median), outlook.clock(all.last.median));
            let when = match first == last {
                true => format!("at {first}"),
                false => format!("from {first} to {last}"),
            };
            let goes = all.goes.map_or("", Goes::as_str);
            format!("{} {goes} {when}{}", how_many(&count, "pod"), unless_all(share))
        };
        let pods = match Vec::from_iter(outlook.forecast.done.iter().map(done)) {
            none if none.is_empty() => "0 pods evicted".to_owned(),
            some => some.join(", "),
        };
        // Those that the export has tainted already are none of them.
        let noun = if outlook.basis.tainted { "more node" } else { "node" };
        let nodes = outlook.total(Happening::NodeNoExecute, noun);
        // Those of the first stand above.
        let waiting = if i == 0 { Vec::new() } else { pending(outlook, " Pending") };
        let [stuck, pending] = outlook.forecast.left.map(|count| number(&count));
        let said = format!(
            "{nodes} tainted NoExecute, {pods}, {stuck} stuck, {pending} Pending at the end"
        );
        p.indented(&line(outlook.name), 2, BOLD)?;
        p.indented(&said, 6, PLAIN)?;
        outlook.refused().iter().try_for_each(|said| p.indented(&line(said), 6, YELLOW))?;
        for (name, said) in volumes(outlook).iter().take(FEW).chain(waiting.iter().take(FEW)) {
            p.indented(&line(&format!("{name}: {said}")), 6, PLAIN)?;
        }
    }
    let Some((base, others)) = courses.split_first() else { return Ok(()) };
    let mut said = others.iter().flat_map(|other| changed(base, other));
    said.try_for_each(|said| p.indented(&line(&said), 2, PLAIN))
}
