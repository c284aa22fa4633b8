//! Draws from fault models. A draw depends on the seed, the model, what fails and the number of
//! the outage, and on nothing that a setting changes: every setting meets the same outages, and a
//! longer run the same ones and more.

use super::models::{Act, Dealt, Model, Models, Object, Repair, Tilt, When};
use super::outages::{Away, Outage};
use crate::kernel::choice::{Keyed, hash_name};
use crate::outages::{Distribution, Recorded};
use crate::scenario::prelude::*;

impl Model {
    /// What a draw of one outage goes by, the draw of which object it is of, that object, whichever
    /// it may be, and the weight of it.
    fn any(&self, seed: u64, number: u32) -> (Draws, Keyed, &Object, f64) {
        let tilt = self.tilt.clone().unwrap_or_default();
        let draws = Draws { tilt, ..Draws::new(seed, &self.name) };
        let which = Keyed::new(seed, &format!("faults.which.{}", self.name));
        let (i, weight) = draws.tilt.object(which.unit(0, number), self.objects.len());
        (draws, which, &self.objects[i], weight)
    }

    /// How many of an object's nodes an outage takes.
    pub(crate) fn taken(&self, object: &Object) -> usize {
        let all = object.nodes.len();
        ((all as f64 * self.hits).round() as usize).clamp(1, all)
    }

    /// Its nodes go down one by one and are back together, so that on average they are away for a shorter time than it lasts,
    /// by more than a twentieth.
    pub(crate) fn is_slow(&self) -> bool {
        let several = !self.apart && self.objects.iter().any(|o| self.taken(o) > 1);
        several && self.away().is_some_and(|lasts| self.within / 2.0 > lasts.mean() / 20.0)
    }
}

/// No outage is longer than a run can be: a year.
pub(crate) const LONGEST_S: f64 = 365.0 * 24.0 * 3_600.0;

/// A part of an outage: nodes that go and come together.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// Seconds from the start of the run.
    at: f64,
    /// In seconds; what reclaims says so itself.
    lasts: f64,
    nodes: Vec<NodeIndex>,
    act: Act,
    name: String,
}

/// The draws of a model.
struct Draws {
    gap: Keyed,
    lasts: Keyed,
    hit: Keyed,
    begin: Keyed,
    own: Keyed,
    tilt: Tilt,
}

impl Draws {
    /// How long an outage of something lasts, of the lengths from the shortest to the longest; with the
    /// weight of that draw.
    fn length(&self, object: u64, number: u32) -> (f64, f64) {
        self.tilt.length(self.lasts.unit(object, number))
    }

    fn new(seed: u64, model: &str) -> Self {
        let keyed = |what: &str| Keyed::new(seed, &format!("faults.{what}.{model}"));
        Self {
            gap: keyed("gap"),
            lasts: keyed("lasts"),
            hit: keyed("hit"),
            begin: keyed("begin"),
            own: keyed("own"),
            tilt: Tilt::default(),
        }
    }
}

impl Models {
    /// The outages of a seed that begin within a span from the start of the run on, by beginning: of the models whose outages
    /// are not drawn one at a time.
    pub(crate) fn draw(&self, seed: u64, window: Dur) -> Vec<Outage> {
        let end = window.as_secs_f64();
        let mut parts = Vec::new();
        for model in self.list.iter().filter(|model| model.tilt.is_none()) {
            let draws = Draws::new(seed, &model.name);
            for (i, object) in model.objects.iter().enumerate() {
                self.failing(model, object, &draws).until(i, end, &mut parts);
            }
        }
        self.outages(parts)
    }

    /// One outage of a model, begun at a time of the run: of one of its objects, whichever it may
    /// be. The number says which of many draws it is.
    pub(crate) fn one(&self, model: usize, seed: u64, number: u32, at: Time) -> Vec<Outage> {
        let model = &self.list[model];
        let (draws, which, object, _) = model.any(seed, number);
        let at = at.as_secs_f64();
        let failing = self.failing(model, object, &draws);
        let mut parts = Vec::new();
        if let Some(history) = model.record() {
            let place = which.unit(1, number) * history.outages.len() as f64;
            let lasts = history.outages[(place as usize).min(history.outages.len() - 1)].lasts;
            let name = format!("{} of {}", model.name, object.name);
            parts.push(failing.part(object.nodes.clone(), at, lasts, name));
        } else {
            failing.event(number, at, &mut parts);
        }
        self.outages(parts)
    }

    /// The nodes that an outage of [`Models::one`] takes, each with the seconds that were drawn for
    /// it: before anything is repaired, and as if all began at one time. Their means are those of
    /// the model's distribution. Nothing where a model has none
    /// ([`Model::away`]).
    pub(crate) fn drawn_lengths(
        &self,
        model: usize,
        seed: u64,
        number: u32,
    ) -> Vec<(NodeIndex, f64)> {
        let model = &self.list[model];
        let Some(lasts) = model.away() else { return Vec::new() };
        let (draws, _, object, _) = model.any(seed, number);
        let failing = self.failing(model, object, &draws);
        let nodes = failing.hit(number);
        let own = model.apart && nodes.len() > 1;
        let of = |node: NodeIndex| {
            let unit = match own {
                true => draws.own.unit(failing.of_node(node), number),
                false => draws.length(failing.hash, number).0,
            };
            (node, length(lasts, unit))
        };
        nodes.into_iter().map(of).collect()
    }

    /// How often an outage of [`Models::one`] comes beside how often it is drawn.
    pub(crate) fn weight(&self, model: usize, seed: u64, number: u32) -> f64 {
        let (draws, _, object, of_object) = self.list[model].any(seed, number);
        of_object * draws.length(hash_name(&object.name), number).1
    }

    fn failing<'a>(
        &'a self,
        model: &'a Model,
        object: &'a Object,
        draws: &'a Draws,
    ) -> Failing<'a> {
        Failing { names: &self.nodes, model, object, hash: hash_name(&object.name), draws }
    }

    /// Parts as outages, repaired.
    fn outages(&self, mut parts: Vec<Part>) -> Vec<Outage> {
        parts.sort_by(|a, b| a.at.total_cmp(&b.at).then_with(|| a.name.cmp(&b.name)));
        let repaired = match self.repair {
            Some(repair) => repaired(&parts, repair, self.nodes.len()),
            None => vec![false; parts.len()],
        };
        let mut all = Vec::with_capacity(parts.len());
        // Until when the machine of a node is another one that has not come yet.
        let mut gone: BTreeMap<NodeIndex, Time> = BTreeMap::new();
        for (mut part, is_repaired) in parts.into_iter().zip(repaired) {
            let at = time(part.at);
            part.nodes.retain(|n| gone.get(n).is_none_or(|&until| until <= at));
            if part.nodes.is_empty() {
                continue;
            }
            let repair = self.repair.filter(|_| is_repaired);
            put(part, (repair, &self.graceful), &mut gone, &mut all);
        }
        all.sort_by_key(|o| o.at);
        all
    }
}

/// One thing that fails, with what draws of it go by.
struct Failing<'a> {
    /// The names of all nodes.
    names: &'a [String],
    model: &'a Model,
    object: &'a Object,
    /// That of its name.
    hash: u64,
    draws: &'a Draws,
}

impl Failing<'_> {
    /// All of its outages that begin before that time; it is the one of that place among the model's.
    fn until(&self, place: usize, end: f64, parts: &mut Vec<Part>) {
        let Self { model, hash, draws, .. } = *self;
        match &model.when {
            When::Rate(gap) => {
                let gaps = Distribution::Exponential(*gap);
                let mut at = 0.0;
                for number in 0.. {
                    at += gaps.quantile(draws.gap.unit(hash, number));
                    if at >= end {
                        break;
                    }
                    self.event(number, at, parts);
                }
            }
            When::Renewal(up) => {
                let lasts = model.lasts.as_ref();
                let down =
                    |number| lasts.map_or(0.0, |d| length(d, draws.lasts.unit(hash, number)));
                // As at any moment of a long time: up or down, with what is left of that. What began
                // before the run is not seen.
                let left =
                    |span: &Distribution| span.left_at_any_time(draws.begin.unit(hash, u32::MAX));
                let is_up = draws.begin.unit(hash, u32::MAX - 1) * model.cycle(up) < up.mean();
                let mut at = match lasts {
                    Some(lasts) if !is_up => {
                        left(lasts) + up.quantile(draws.gap.unit(hash, u32::MAX))
                    }
                    _ => left(up),
                };
                for number in 0.. {
                    if at >= end {
                        break;
                    }
                    self.event(number, at, parts);
                    at += down(number) + up.quantile(draws.gap.unit(hash, number));
                }
            }
            When::Recorded(dealt) => self.recorded(dealt, place, end, parts),
        }
    }

    /// One outage of it.
    fn event(&self, number: u32, at: f64, parts: &mut Vec<Part>) {
        let Self { model, object, hash, draws, .. } = *self;
        let lasts = model.lasts.as_ref();
        let all = lasts.map_or(0.0, |d| length(d, draws.length(hash, number).0));
        let nodes = self.hit(number);
        let name = format!("{} {} of {}", model.name, u64::from(number) + 1, object.name);
        if nodes.len() == 1 || model.within <= 0.0 && !model.apart {
            parts.push(self.part(nodes, at, all, name));
            return;
        }
        for node in nodes {
            let of_node = self.of_node(node);
            let later = model.within * draws.begin.unit(of_node, number);
            let lasts = match lasts {
                Some(d) if model.apart => length(d, draws.own.unit(of_node, number)),
                // Its turn comes when that is over.
                Some(_) if later >= all => continue,
                // All are back at one time; who goes last is away for a moment at least.
                _ => (all - later).max(1.0),
            };
            let name = format!("{name}: {}", self.names[node as usize]);
            parts.push(self.part(vec![node], at + later, lasts, name));
        }
    }

    /// The key of a node in what is drawn for it.
    fn of_node(&self, node: NodeIndex) -> u64 {
        self.hash ^ hash_name(&self.names[node as usize]).rotate_left(1)
    }

    /// The nodes of a group that an outage takes.
    fn hit(&self, number: u32) -> Vec<NodeIndex> {
        let Self { model, object, draws, .. } = *self;
        let count = model.taken(object);
        if count == object.nodes.len() {
            return object.nodes.clone();
        }
        let drawn = |&n: &NodeIndex| (draws.hit.bits(self.of_node(n), number), n);
        let mut nodes: Vec<(u64, NodeIndex)> = object.nodes.iter().map(drawn).collect();
        nodes.sort_unstable();
        let mut nodes: Vec<NodeIndex> = nodes.into_iter().take(count).map(|(_, n)| n).collect();
        nodes.sort_unstable();
        nodes
    }

    /// The outages of a history that fall to a node. They begin somewhere in the file, the same for all nodes, and go round.
    fn recorded(&self, dealt: &Dealt, place: usize, end: f64, parts: &mut Vec<Part>) {
        let Self { model, object, draws, .. } = *self;
        let (history, (of, round)) = (&dealt.history, &dealt.nodes[place]);
        let length = history.length.max(1.0);
        let offset = length * draws.gap.unit(u64::MAX, *round);
        let mut number = 0;
        let mut rounds = 0.0;
        // Those behind the offset come first.
        let is_own = |o: &&Recorded| of.binary_search(&(o.node as usize)).is_ok();
        let own = history.outages.iter().filter(is_own);
        let mut starts: Vec<(f64, f64)> =
            own.map(|o| ((o.start - offset).rem_euclid(length), o.lasts)).collect();
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        while !starts.is_empty() && rounds * length < end {
            for (start, lasts) in &starts {
                let at = start + rounds * length;
                if at >= end {
                    return;
                }
                number += 1;
                let name = format!("{} {number} of {}", model.name, object.name);
                parts.push(self.part(object.nodes.clone(), at, lasts.min(LONGEST_S), name));
            }
            rounds += 1.0;
        }
    }

    fn part(&self, nodes: Vec<NodeIndex>, at: f64, lasts: f64, name: String) -> Part {
        Part { at, lasts, nodes, act: self.model.act, name }
    }
}

/// Writes one part down: what happens, and what replaces it.
fn put(
    part: Part,
    (repair, graceful): (Option<Repair>, &[bool]),
    gone: &mut BTreeMap<NodeIndex, Time>,
    all: &mut Vec<Outage>,
) {
    let Part { at, lasts, nodes, act, name } = part;
    let (at, lasts) = (time(at), span(lasts));
    let outage = |at: Time, lasts: Option<Dur>, nodes: &[NodeIndex], what: Away, more: &str| {
        Outage { at, lasts, name: format!("{name}{more}"), nodes: nodes.to_vec(), what }
    };
    let mut replace = |from: Time, joins: Time, all: &mut Vec<Outage>| {
        all.push(outage(from, None, &nodes, Away::Deleted, ", deleted"));
        for &node in &nodes {
            gone.insert(node, joins);
            let more = match nodes.len() {
                1 => ", replaced".to_owned(),
                _ => format!(", {node} replaced"),
            };
            all.push(outage(joins, None, &[node], Away::Joins, &more));
        }
    };
    match (act, repair) {
        (Act::Reclaim { notice, unheeded, replaced }, _) => {
            let taken = at.saturating_add(notice);
            // Who heeds the notice drains; without that the machine is told, and its kubelet may be one that ends its pods.
            let told = |n: &&NodeIndex| graceful.get(**n as usize) == Some(&true);
            let told: Vec<NodeIndex> = nodes.iter().filter(told).copied().collect();
            if !unheeded && !notice.is_zero() {
                all.push(outage(at, None, &nodes, Away::Drained(notice), ", notice"));
            } else if !notice.is_zero() && !told.is_empty() {
                all.push(outage(at, None, &told, Away::Told(notice), ", told"));
            }
            all.push(outage(taken, None, &nodes, Away::Machines, ""));
            replace(taken, taken.saturating_add(replaced), all);
        }
        (Act::Maintain, _) => {
            let off = lasts.max(Dur::from_secs(1));
            all.push(outage(at, None, &nodes, Away::Maintained(nodes.len(), off), ""));
        }
        (act, Some(repair)) if repair.replaces => {
            let from = at.saturating_add(span(repair.after));
            all.push(outage(at, None, &nodes, away_by(act), ""));
            replace(from, from.saturating_add(span(repair.takes)), all);
        }
        (act, repair) => {
            let lasts = repair.map_or(lasts, |r| span(r.after + r.takes));
            all.push(outage(at, Some(lasts), &nodes, away_by(act), ""));
        }
    }
}

fn away_by(act: Act) -> Away {
    match act {
        Act::Partition(cut) => Away::Network(cut),
        Act::Crash | Act::Maintain | Act::Reclaim { .. } => Away::Machines,
    }
}

/// Which parts are repaired: machines that are away for longer than it takes until somebody looks,
/// while not too many others are away. The parts are given by beginning; what began before is looked at before.
fn repaired(parts: &[Part], repair: Repair, nodes: usize) -> Vec<bool> {
    let takes = repair.after + repair.takes;
    let most = repair.unless_share * nodes as f64;
    // What was looked at, and until when it is away.
    let mut seen: Vec<(f64, &Part)> = Vec::new();
    let mut repaired = Vec::with_capacity(parts.len());
    for (i, part) in parts.iter().enumerate() {
        let look = part.at + repair.after;
        seen.retain(|(until, _)| *until > look);
        let is_due = matches!(part.act, Act::Crash | Act::Partition(_)) && part.lasts > takes;
        let unseen =
            || parts[i..].iter().take_while(|p| p.at <= look).filter(|p| p.at + p.lasts > look);
        let away = || {
            let parts = seen.iter().map(|(_, p)| *p).chain(unseen());
            parts.flat_map(|p| p.nodes.iter().copied()).collect::<BTreeSet<NodeIndex>>()
        };
        let is = is_due && (repair.unless_share >= 1.0 || away().len() as f64 <= most);
        seen.push((part.at + if is { takes } else { part.lasts }, part));
        repaired.push(is);
    }
    repaired
}

fn length(of: &Distribution, unit: f64) -> f64 {
    of.quantile(unit).clamp(0.0, LONGEST_S)
}

/// To the millisecond, and no shorter than one, so that it reads well and lasts.
fn span(seconds: f64) -> Dur {
    Dur::from_millis((seconds.clamp(0.0, LONGEST_S) * 1e3).round().max(1.0) as u64)
}

fn time(seconds: f64) -> Time {
    Time::from_millis((seconds * 1e3).round() as u64)
}
