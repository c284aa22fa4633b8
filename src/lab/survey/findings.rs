//! What a person should know of a survey, in words: each with the loss and the object that show it.

use super::cases::{
    Case, Few, apart, are_of_jobs, attached, held, losses_of, missing, volumes_hold, waiting, who,
    worst,
};
use super::freed::outcomes;
use super::hit::{Bound, Hit, LATER, Lost, up_to, whole};
use super::holder::{Holder, blocked, first_sentence, tolerates_for_good};
use super::losses::{How, Kind, Part};
use super::still::Why;
use super::told::{runs_short, told};
use crate::analysis::{Frees, words};
use crate::lab::prelude::*;

/// Something that a person should know.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Finding {
    /// In words.
    pub(crate) text: String,
    /// The loss that shows it.
    pub(crate) loss: Option<String>,
    /// The object that `explain` tells of it.
    pub(crate) object: Option<String>,
    /// Nodes are drained instead of lost.
    pub(crate) drained: bool,
}

/// Everything that is worth saying, the worst first.
pub(super) fn findings(plan: &Plan, lost: &[Lost], lasts: Dur, how: How) -> Vec<Finding> {
    let there = plan.size().nodes as usize;
    let tainted = lost.iter().filter_map(of_taints);
    let others = lost.iter().filter(|l| l.damage.evicted.is_none());
    let (whole, lost): (Vec<&Lost>, Vec<&Lost>) =
        others.partition(|l| there > 0 && l.damage.size.0 >= there);
    let tolerant = plan.owners(&|template| tolerates_for_good(plan, template));
    let survey = All { lost, plan, lasts, how, tolerant };
    let mut found: Vec<Finding> = tainted.collect();
    found.extend(survey.short_of_pods());
    found.extend(survey.pressed());
    found.extend(whole.first().map(|l| of_everything(l)));
    found.extend(survey.together());
    found.extend(survey.below());
    found.extend(survey.paced());
    found.extend(blocked(plan).map(|(text, node)| Finding {
        text,
        loss: Some(format!("node/{node}")),
        object: Some(format!("node/{node}")),
        drained: true,
    }));
    found
}

/// What a taint of devices did.
fn of_taints(lost: &Lost) -> Option<Finding> {
    let first = lost.damage.evicted.as_ref()?.pods.first();
    let (loss, object) = (Some(lost.loss.name()), first.map(|e| format!("pod/{}", e.pod)));
    Some(Finding { text: told(lost)?, loss, object, drained: false })
}

/// The sentences that come first: who is below its need already, what the worst loss does, and for
/// whom nothing comes back while a loss lasts.
pub(super) fn lead(plan: &Plan, already: &[String], lost: &[Lost], how: How) -> Vec<String> {
    if plan.pods.is_empty() && plan.workloads.is_empty() {
        return vec!["There are no pods, so that nothing is lost with a node.".to_owned()];
    }
    let mut lead = Vec::new();
    if !already.is_empty() {
        let names = few(3, already.iter().map(String::as_str));
        lead.push(format!("Below what they need without any loss: {names}."));
    }
    let Some(worst) = lost.first().and_then(of_the_worst) else {
        let one = if already.is_empty() { "a" } else { "another" };
        lead.push(format!("None of these losses takes {one} workload below what it needs."));
        return lead;
    };
    lead.push(worst);
    // Of each workload why that is, by losses that may differ; the one that the worst of them hits comes first.
    let mut whys: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    let all = lost.iter().flat_map(|l| l.damage.hits.iter().map(|hit| (l.damage.is_dark(), hit)));
    for (is_dark, hit) in all {
        let Some(still) = hit.still.filter(|s| s.below) else { continue };
        let why = match still.why {
            Why::Waits if hit.kind == Some(WorkloadKind::Job) => "a Job waits for its node",
            Why::Waits if hit.behind.is_some() => "a StatefulSet waits for a pod on another node",
            Why::Waits => "a StatefulSet waits for its node",
            Why::Volume => "its volume stays attached to the lost node",
            // Whoever is short of a new pod is so because hardly a node was tainted before.
            Why::NoRoom | Why::Held | Why::NotEvicted if is_dark => {
                "all zones are dark: evictions stop"
            }
            Why::NoRoom => "no room",
            Why::Held => Holder::of(hit.held_by.as_deref().unwrap_or_default()).brief(),
            Why::NotEvicted => "not evicted in time",
            Why::DaemonSet => "a DaemonSet's pods wait for their nodes",
            Why::Bare => "nothing replaces them",
            Why::Endless => "an init container never ends well",
            Why::JobFailed | Why::Late => continue,
        };
        let place = whys.len();
        whys.entry(hit.name()).or_insert((place, BTreeSet::new())).1.insert(why);
    }
    let mut by: BTreeMap<Vec<&str>, BTreeMap<usize, &str>> = BTreeMap::new();
    for (name, (place, whys)) in whys {
        by.entry(Vec::from_iter(whys)).or_default().insert(place, name);
    }
    let said = |(whys, names): (Vec<&str>, BTreeMap<usize, &str>)| {
        format!("{} ({})", listed(&Vec::from_iter(names.into_values())), whys.join(", or "))
    };
    let all: Vec<String> = by.into_iter().map(said).collect();
    if !all.is_empty() {
        let long = match how {
            How::ApiServer => "from when they are evicted to the end of a loss",
            _ => "for as long as a loss lasts",
        };
        lead.push(format!("Below what they need {long}: {}.", all.join("; ")));
    }
    for (what, fails) in [(words::JOBS_FAIL, true), (words::JOBS_WAIT, false)] {
        let is_one = |h: &&Hit| if fails { h.failed.is_some() } else { h.unfinished };
        let hits = lost.iter().flat_map(|l| &l.damage.hits).filter(is_one);
        let names: BTreeSet<&str> = hits.map(Hit::name).collect();
        if !names.is_empty() {
            lead.push(format!("{what}: {}.", few(3, names)));
        }
    }
    lead
}

/// `The worst: zone/a lost takes 12 workloads below what they need, the longest for 10m; …`
fn of_the_worst(worst: &Lost) -> Option<String> {
    let f = &worst.damage.figures;
    let mut parts = Vec::new();
    if f.workloads_down > 0 {
        let least = if worst.is_least() { "at least " } else { "" };
        let workloads = counted(f.workloads_down, "workload");
        let it = if f.workloads_down == 1 { "it needs" } else { "they need, the longest" };
        parts.push(format!("takes {workloads} below what {it} {}", worst.down(least)));
    }
    if f.pending > 0 {
        parts.push(format!("leaves {} without a node", up_to(1, f.pending, "pod")));
    }
    (!parts.is_empty()).then(|| {
        let name = worst.loss.name();
        format!("The worst: the loss of {name} {}.", parts.join(", and "))
    })
}

/// A loss that leaves nothing.
fn of_everything(lost: &Lost) -> Finding {
    let text = match &lost.loss.parts[..] {
        [one] => {
            let of = if one.kind == Kind::Node { "the only node" } else { "the whole cluster" };
            format!("{} is {of}: nothing is left when it is lost", one.called())
        }
        several => {
            let names: Vec<String> = several.iter().map(Part::called).collect();
            let names = names.join(" and ");
            format!("{names} are the whole cluster: nothing is left when both are lost")
        }
    };
    Finding { text, loss: Some(lost.loss.name()), ..Finding::default() }
}

/// The losses to talk about.
struct All<'a> {
    lost: Vec<&'a Lost>,
    plan: &'a Plan,
    lasts: Dur,
    how: How,
    /// The workloads whose pods no taint of a lost node evicts.
    tolerant: BTreeSet<String>,
}

impl<'a> All<'a> {
    fn cases(&self) -> impl Iterator<Item = Case<'a>> {
        self.lost.iter().flat_map(|&l| l.damage.hits.iter().map(move |h| (l, h)))
    }

    /// Workloads whose pods are not replaced for as long as the loss lasts, by reason.
    fn short_of_pods(&self) -> Vec<Finding> {
        let mut by: BTreeMap<_, Vec<Case<'a>>> = BTreeMap::new();
        for (lost, hit) in self.cases() {
            let Some(still) = hit.still else { continue };
            let freed = outcomes(hit);
            let mut add = |why, holder, bound| {
                let cases = by.entry((why, holder, bound, freed)).or_default();
                cases.push((lost, hit));
            };
            match still.why {
                // Who is left behind is told below.
                Why::NotEvicted | Why::Late => {}
                // Each loses a pod with any node, which is what it is for.
                Why::DaemonSet if !still.below => {}
                Why::Waits => {
                    add(Why::Waits, hit.behind.as_ref().map(|_| Holder::Lower), Bound::of(hit));
                }
                Why::JobFailed | Why::Volume | Why::DaemonSet | Why::Bare | Why::Endless => {
                    add(still.why, None, Bound::Free);
                }
                Why::NoRoom | Why::Held => {
                    if hit.pending > hit.held {
                        add(Why::NoRoom, None, Bound::Free);
                    }
                    if let Some(by) = &hit.held_by {
                        add(Why::Held, Some(Holder::of(by)), Bound::Free);
                    }
                }
            }
            if hit.is_left() {
                let holder = match hit.evicted_after {
                    Some(_) => Holder::Queue,
                    None if self.tolerant.contains(&hit.workload) => Holder::Toleration,
                    None => Holder::Nobody,
                };
                add(Why::NotEvicted, Some(holder), Bound::Free);
            }
        }
        let found = apart(by).into_iter();
        found
            .map(|((why, holder, bound, _), cases)| self.short(why, holder, bound, &cases))
            .collect()
    }

    fn short(&self, why: Why, holder: Option<Holder>, bound: Bound, cases: &[Case<'_>]) -> Finding {
        let subject = self.subject(cases);
        let (who, one) = who(cases);
        let (_, hit) = cases[0];
        let count = |of: fn(&Hit) -> i64| {
            let most = worst(cases, &|h| of(h) as f64).0 as i64;
            up_to(losses_of(cases).len(), most, "pod")
        };
        let text = match why {
            Why::JobFailed => {
                let (its, it) = if one { ("its", "it") } else { ("their", "them") };
                let fails = Frees::of(self.plan).frail(self.plan, &hit.workload, it);
                format!(
                    "{subject} lost: {who} {}. Nobody makes {its} pods anew{}",
                    hit.failed.as_deref().unwrap_or("failed"),
                    fails.map_or(String::new(), |fails| format!("; {fails}")),
                )
            }
            Why::Waits => waiting(&subject, bound, cases, (self.plan, self.how)),
            Why::Volume => format!(
                "{subject} lost: {} of {who} bound to another node and down for as long as it lasts, as {} attached to the lost node; {}. What frees it: {}",
                count(|h| h.unattached),
                attached(cases),
                self.how.tolerated(are_of_jobs(cases)),
                Frees::of(self.plan).volume(),
            ),
            Why::NoRoom => {
                let shown = worst(cases, &|h| (h.pending - h.held) as f64).1;
                // Room would help them, though the scheduler speaks of taints alone.
                let why = match shown.lacks_room() {
                    true => first_sentence(shown.why.as_deref()),
                    false => "the nodes left run short themselves, and their taints keep pods away",
                };
                let mut missing = missing(cases);
                if !missing.is_empty() && cases.iter().any(|c| c.1.is_left()) {
                    missing.push_str(" so far");
                }
                format!(
                    "{subject} lost: {} of {who} Pending for as long as it lasts{missing}: {why}",
                    count(|h| h.pending - h.held),
                )
            }
            Why::Held => format!(
                "{subject} lost: {} of {who} Pending for as long as it lasts, whatever room there is: {}",
                count(|h| h.held),
                held(holder.unwrap_or(Holder::Other), cases, self.plan)
            ),
            Why::NotEvicted => {
                let last = cases.iter().filter_map(|(_, h)| h.evicted_after).max();
                let then = match (holder, last) {
                    (Some(Holder::Queue), Some(last)) => {
                        format!("the last would be evicted {} into it", short(whole(last)))
                    }
                    (Some(Holder::Toleration), _) => {
                        "nor ever: they tolerate the taint of a lost node for good, which tolerationSeconds would end"
                            .to_owned()
                    }
                    _ => format!("nor would all be within {} more", short(LATER)),
                };
                let left = count(|h| h.left);
                let it = if left == "1 pod" { "it" } else { "them" };
                format!(
                    "{subject} lost: {left} of {who} not evicted after {}, so that nothing replaces {it}; {then}",
                    short(self.lasts),
                )
            }
            Why::DaemonSet => {
                let (is, it) = if one { ("is", "it needs") } else { ("are", "they need") };
                format!(
                    "{subject} lost: {who} {is} below what {it} until enough nodes are back, as a DaemonSet's pods belong to their nodes"
                )
            }
            Why::Endless => format!(
                "{subject} lost: {} of {who} made anew and never up, as an init container never ends well",
                count(|h| h.gone)
            ),
            Why::Bare | Why::Late => {
                let is_one = one && worst(cases, &|h| h.gone as f64).0 <= 1.0;
                let (pods, it) = (count(|h| h.gone), if is_one { "it" } else { "them" });
                format!("{subject} lost: {pods} without a workload: nothing replaces {it}")
            }
        };
        finding(text, cases, hit)
    }

    /// Nodes that are left and run short.
    fn pressed(&self) -> Option<Finding> {
        let is_one = |l: &&Lost| !l.damage.pressed.is_empty();
        let lost: Vec<&Lost> = self.lost.iter().copied().filter(is_one).collect();
        let (text, worst) = runs_short(&self.of_losses(&lost), &lost)?;
        let object = worst.damage.pressed.0.keys().next().map(|name| format!("node/{name}"));
        Some(Finding { text, loss: Some(worst.loss.name()), object, drained: false })
    }

    /// Workloads all of whose pods go at one time.
    fn together(&self) -> Option<Finding> {
        let mut by: BTreeMap<&str, Case<'a>> = BTreeMap::new();
        for (lost, hit) in self.cases() {
            let several = hit.desired > 1 && hit.kind != Some(WorkloadKind::DaemonSet);
            let alone = matches!(lost.loss.parts.as_slice(), [one] if !one.nodes.is_empty());
            if several && hit.up > 0 && hit.spared == 0 && hit.kind.is_some() && alone {
                let least = by.entry(&hit.workload).or_insert((lost, hit));
                if lost.damage.size.0 < least.0.damage.size.0 {
                    *least = (lost, hit);
                }
            }
        }
        let cases: Vec<Case<'a>> = by.into_values().collect();
        let &(lost, hit) = cases.first()?;
        let place = |(lost, _): &Case<'_>| lost.loss.parts[0].called();
        let is_whole = |hit: &Hit| hit.up >= hit.desired;
        let pods = |hit: &Hit| match is_whole(hit) {
            true => format!("all {}", hit.desired),
            false => format!("{} of {}", hit.up, hit.desired),
        };
        let up = if cases.iter().all(|c| is_whole(c.1)) { "" } else { " that are up" };
        let text = match cases.as_slice() {
            [one] if is_whole(hit) => {
                format!("{}: all {} pods are on {}", hit.name(), hit.desired, place(one))
            }
            [one] => format!("{}: all pods{up} ({}) are on {}", hit.name(), pods(hit), place(one)),
            _ => {
                let say = |c: &Case<'_>| format!("{} ({} on {})", c.1.name(), pods(c.1), place(c));
                let (count, names) = (grouped(cases.len() as u64), few(3, cases.iter().map(say)));
                format!("{count} workloads have all their pods{up} in one place: {names}")
            }
        };
        Some(finding(text, &[(lost, hit)], hit))
    }

    /// Workloads that are below their need until their pods are replaced: those of several pods,
    /// those of one on a lost node, and those whose pods nobody makes meanwhile. What a node's loss does is not what a
    /// zone's does, but to a single pod.
    fn below(&self) -> Vec<Finding> {
        let mut by: BTreeMap<(Few, bool, Vec<&str>), Vec<Case<'a>>> = BTreeMap::new();
        for (lost, hit) in self.cases() {
            let passes = hit.still.is_none_or(|s| match s.why {
                Why::DaemonSet => !s.below,
                why => why == Why::Late,
            });
            if !hit.down.is_zero() && passes && hit.kind.is_some() {
                let few = Few::of(lost, hit);
                let of = if few == Few::Single { Vec::new() } else { kinds(lost) };
                let key = (few, hit.not_simulated, of);
                by.entry(key).or_default().push((lost, hit));
            }
        }
        let mut by: Vec<_> = by.into_iter().collect();
        let longest = |cases: &[Case<'a>]| cases.iter().map(|c| c.1.down).max();
        by.sort_by_key(|((few, ..), cases)| (*few, std::cmp::Reverse(longest(cases))));
        by.into_iter().map(|((few, volumes, _), cases)| self.few(few, volumes, cases)).collect()
    }

    fn few(&self, few: Few, volumes: bool, mut cases: Vec<Case<'a>>) -> Finding {
        // The first of several that are alike is of the worst loss. What is said of a lost node is
        // of those that take no other one, where there are such.
        let is_more = |(lost, _): &Case<'_>| few == Few::Single && lost.loss.nodes().len() > 1;
        let one_node = cases.iter().any(|c| !is_more(c));
        cases.sort_by_key(|c| (one_node && is_more(c), std::cmp::Reverse(c.1.down)));
        let (longest, down) = (cases[0].1, short(whole(cases[0].1.down)));
        let worst = cases.iter().max_by_key(|c| c.1.down).filter(|c| c.1.down > longest.down);
        let more = worst.map_or_else(String::new, |w| {
            format!("; {} with {}", short(whole(w.1.down)), w.0.loss.name())
        });
        let (who, one) = who(&cases);
        let most = if cases.len() > 1 { "up to " } else { "" };
        let for_ = if volumes {
            let holds = volumes_hold(&cases, self.plan);
            format!(
                "for {down} and longer: how long is not known, as volumes are not simulated. {holds}"
            )
        } else {
            format!("for {most}{down}{}{more}", few.until(one))
        };
        let text = match (few, one) {
            (Few::Single, true) => format!("{who} has a single pod: it is down {for_}"),
            (Few::Single, false) => format!("{who} have a single pod each and are down {for_}"),
            (Few::Several | Few::NobodyMakesPods, _) => {
                let subject = self.subject(&cases);
                let is = if one { "is below what it needs" } else { "are below what they need" };
                format!("{subject} lost: {who} {is} {for_}")
            }
        };
        finding(text, &cases, longest)
    }

    /// Zones in which evictions slow down or stop.
    fn paced(&self) -> Vec<Finding> {
        let mut by: BTreeMap<String, Vec<&Lost>> = BTreeMap::new();
        for &lost in &self.lost {
            for (_, pace) in &lost.damage.paced {
                by.entry(pace.words(self.plan)).or_default().push(lost);
            }
        }
        let say = |(words, mut lost): (String, Vec<&Lost>)| {
            lost.dedup_by_key(|l| l.loss.name());
            let zones = lost.iter().flat_map(|l| &l.damage.paced);
            let zones: BTreeSet<&str> = zones.map(|(zone, _)| zone.as_str()).collect();
            let place = match zones.first() {
                Some(zone) if zones.len() == 1 && !zone.is_empty() => format!("zone {zone}"),
                _ => "the zone".to_owned(),
            };
            let object = lost[0].damage.paced.first().map(|(zone, _)| format!("zone/{zone}"));
            let text = format!("{} lost: in {place} {words}", self.of_losses(&lost));
            let (loss, object) = (Some(lost[0].loss.name()), object.filter(|o| o != "zone/"));
            Finding { text, loss, object, drained: false }
        };
        by.into_iter().map(say).collect()
    }

    /// The losses of some cases in words.
    fn subject(&self, cases: &[Case<'_>]) -> String {
        self.of_losses(&losses_of(cases))
    }

    /// `any zone`, `node a-03`, `any of 3 nodes (a-03, b-01, c-02)`.
    fn of_losses(&self, lost: &[&Lost]) -> String {
        let mut by: BTreeMap<Vec<&str>, Vec<&Lost>> = BTreeMap::new();
        for l in lost {
            by.entry(kinds(l)).or_default().push(l);
        }
        let say = |(kind, lost): (Vec<&str>, Vec<&Lost>)| {
            let count = |lost: &[&Lost]| lost.iter().map(|l| l.loss.count()).sum::<usize>();
            let of_kind: Vec<&Lost> =
                self.lost.iter().copied().filter(|l| kinds(l) == kind).collect();
            let (these, all) = (count(&lost), count(&of_kind));
            let (word, words) = match kind[..] {
                [one, other] if one == other => (format!("two {one}s"), format!("pairs of {one}s")),
                [one] => (one.to_owned(), format!("{one}s")),
                _ => (kind.join(" and "), format!("pairs of {}", kind.join(" and "))),
            };
            match lost[0].loss.parts.as_slice() {
                [one] if one.nodes.is_empty() => word,
                parts if these == 1 => {
                    parts.iter().map(Part::called).collect::<Vec<_>>().join(" and ")
                }
                _ if these == all => format!("any {word}"),
                _ => {
                    let names =
                        |l: &&Lost| std::iter::once(l.loss.name()).chain(l.loss.like.clone());
                    let names: Vec<String> = lost.iter().flat_map(names).collect();
                    let plain: Vec<&str> = names.iter().map(|n| plain(n)).collect();
                    let (these, all) = (grouped(these as u64), grouped(all as u64));
                    format!("any of {these} of {all} {words} ({})", listed(&plain))
                }
            }
        };
        by.into_iter().map(say).collect::<Vec<_>>().join(", or ")
    }
}

fn kinds(lost: &Lost) -> Vec<&str> {
    lost.loss.parts.iter().map(|p| p.kind.word()).collect()
}

/// `a-03` of `node/a-03`; pairs stay as they are.
fn plain(name: &str) -> &str {
    let of_one = name.split_once('/').map(|(_, rest)| rest).filter(|rest| !rest.contains('+'));
    of_one.unwrap_or(name)
}

fn finding(text: String, cases: &[Case<'_>], hit: &Hit) -> Finding {
    let of_hit = cases.iter().find(|(_, h)| std::ptr::eq(*h, hit));
    let loss = of_hit.or(cases.first()).map(|(l, _)| l.loss.name());
    Finding { text, loss, object: hit.object(), drained: false }
}
