//! Who makes the choices: drawn from a seed or always the first, with deviations from a tape laid
//! over it, and a record kept if wanted.

use super::drawn::{Deviation, Drawn, GROUP_SLOTS, Held, Object, PointId, Span, THOUSAND};
use super::keyed;
use super::pct::{Pct, first_ranked};
use crate::kernel::table::Texts;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// What is chosen where the tape says nothing.
#[derive(Clone, Copy, Debug, Default)]
enum Base {
    /// Always the first alternative, the least number, the order as given.
    #[default]
    Default,
    /// Drawn, keyed by the seed.
    Seeded(u64),
}

/// What a choice is to be, and whether it has come up.
#[derive(Clone, Copy, Debug)]
struct Planned {
    value: u64,
    /// If it is drawn from several values, the greatest of them.
    most: Option<u64>,
    met: bool,
}

/// Deviations at one point, by object's hash and ordinal.
type Plan = BTreeMap<(u64, u32), Planned>;

/// A choice point.
#[derive(Debug)]
struct Point {
    name: &'static str,
    /// The key of its draws, made with the first: most points of a run have none.
    key: OnceCell<u64>,
    plan: Plan,
    /// Choices made so far by object number plus one; first those for no object.
    ordinals: Vec<u32>,
}

impl Point {
    fn key(&self, base: Base) -> u64 {
        *self.key.get_or_init(|| match base {
            Base::Default => 0,
            Base::Seeded(seed) => keyed::key_of(seed, self.name),
        })
    }

    fn next_ordinal(&mut self, object: Object) -> u32 {
        let i = object.id.wrapping_add(1) as usize;
        if i >= self.ordinals.len() {
            self.ordinals.resize(i + 1, 0);
        }
        let ordinal = self.ordinals[i];
        self.ordinals[i] = ordinal.wrapping_add(1);
        ordinal
    }
}

/// Makes the choices of one run.
#[derive(Debug, Default)]
pub struct Choices {
    base: Base,
    points: Vec<Point>,
    names: Texts,
    /// Deviations at points that have not been named yet.
    plans: BTreeMap<Cow<'static, str>, Plan>,
    /// Whether there are any deviations at all.
    taped: bool,
    log: Option<Vec<Drawn>>,
    /// If not zero, turns and yields are drawn, too, one time in this many; else they are the usual ones.
    free: u64,
    /// Whether draws are to come to what is rare: the ends of a range more often than what lies in
    /// between, and things of one time in any order.
    searches: bool,
    /// Whether turns are drawn, or were when the tape was made.
    draws_turns: bool,
    pct: Option<Pct>,
    /// What the priorities or the ranks choose for the present turn.
    picked: Option<u32>,
    /// Ranks of objects and of events, by the hashes of their names.
    ranks: BTreeMap<u64, u64>,
}

/// A search that draws takes each end of a range one time in this many: there things meet that else miss each other.
const ENDS: u64 = 8;

/// The choice of whether turns are drawn. A tape has it of its run, so that its replay has the same steps.
const TURNS: &str = "turns-drawn";

/// In how many of a thousand instants one processor takes all goroutines: fitted to recordings of two busy ones.
const ALONE: u64 = 200;

/// How many times in a thousand what a step sets off goes next in the other instants (`runnext`); else another
/// processor has come first. Fitted, too.
const GOES_ON: u64 = 500;

impl Choices {
    fn over(base: Base) -> Self {
        Self { base, ..Self::default() }
    }

    /// Draws everything, keyed by the seed. Never yields.
    pub fn seeded(seed: u64) -> Self {
        Self::over(Base::Seeded(seed))
    }

    /// Draws everything, which event of an instant comes next included. For a kernel that searches.
    pub fn free(seed: u64) -> Self {
        Self::loose(seed, 1)
    }

    /// As [`Self::free`], but which event of an instant comes next, and whether to yield, is drawn
    /// one time in `one_in`.
    pub fn loose(seed: u64, one_in: u64) -> Self {
        Self { free: one_in, searches: true, ..Self::over(Base::Seeded(seed)) }
    }

    /// Draws everything about as often as upstream comes to it, which event of an instant comes next
    /// included. For a kernel that searches.
    pub fn natural(seed: u64) -> Self {
        Self { searches: false, draws_turns: true, ..Self::free(seed) }
    }

    /// Draws everything, and has turns go by drawn priorities of processes, which change
    /// `depth - 1` times within `turns` turns (PCT).
    pub(crate) fn pct(seed: u64, depth: u32, turns: u64) -> Self {
        let pct = Some(Pct::new(seed, depth, turns));
        Self { searches: true, pct, ..Self::over(Base::Seeded(seed)) }
    }

    /// As `self`, but what has a rank, by the hash of its name, goes in the order of the ranks: as an
    /// object of an arbitrary order, and as an event in the place of another that has one. At each
    /// point where things may yield, all do or none does.
    pub fn ranked(self, ranks: BTreeMap<u64, u64>) -> Self {
        Self { ranks, ..self }
    }

    /// Always the first alternative, the least number, the order as given, and no yield.
    pub fn default_order() -> Self {
        Self::over(Base::Default)
    }

    /// As `base`, except for the deviations. Of two for the same choice the later one holds.
    pub fn tape(deviations: Vec<Deviation>, base: Self) -> Self {
        base.planned(deviations.into_iter().map(|d| (d, None)))
    }

    /// As `base`, except for choices that are drawn from a part of their values alone, where any of these
    /// can be chosen.
    pub(crate) fn held(held: Vec<Held>, base: Self) -> Self {
        base.planned(held.into_iter().map(|h| (h.choice, Some(h.most))))
    }

    fn planned(mut self, all: impl Iterator<Item = (Deviation, Option<u64>)>) -> Self {
        for (d, most) in all {
            self.taped = true;
            self.draws_turns |= d.point == TURNS && d.value == 1;
            let plan = match self.points.iter().position(|p| p.name == d.point) {
                Some(i) => &mut self.points[i].plan,
                None => self.plans.entry(d.point).or_default(),
            };
            plan.insert((d.object, d.ordinal), Planned { value: d.value, most, met: false });
        }
        self
    }

    /// `self`, of which nothing has been chosen yet, in the tables of a run that is over.
    pub(crate) fn in_tables_of(self, over: Self) -> Self {
        let (mut points, names, mut plans) = (over.points, over.names, self.plans);
        for point in &mut points {
            point.key = OnceCell::new();
            point.plan = plans.remove(point.name).unwrap_or_default();
            point.ordinals.clear();
        }
        Self { points, names, plans, ..self }
    }

    /// As `inner`, with a record of every choice.
    #[cfg(test)]
    pub(crate) fn recorded(inner: Self) -> Self {
        inner.recorded_in(Vec::new())
    }

    /// With a record of every choice, in the place of one that is of no more use.
    pub(crate) fn recorded_in(self, mut log: Vec<Drawn>) -> Self {
        log.clear();
        Self { log: Some(log), ..self }
    }

    /// The choices made so far, in order; empty unless they are being recorded.
    pub(crate) fn log(&self) -> &[Drawn] {
        self.log.as_deref().unwrap_or_default()
    }

    /// Hands out the record of the choices made so far.
    pub(crate) fn take_log(&mut self) -> Vec<Drawn> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The deviations whose choice has not come up, sorted.
    pub(crate) fn unmet(&self) -> Vec<Deviation> {
        let named = self.points.iter().map(|p| (p.name, &p.plan));
        let unnamed = self.plans.iter().map(|(name, plan)| (&**name, plan));
        let mut unmet: Vec<_> = named
            .chain(unnamed)
            .flat_map(|(name, plan)| plan.iter().map(move |(key, planned)| (name, key, planned)))
            .filter(|(_, _, planned)| !planned.met)
            .map(|(name, &(object, ordinal), planned)| {
                let point = name.to_owned().into();
                Deviation { point, object, ordinal, value: planned.value }
            })
            .collect();
        unmet.sort();
        unmet
    }

    /// The choice point of this name.
    pub fn point(&mut self, name: &'static str) -> PointId {
        let Self { names, points, plans, .. } = self;
        PointId(names.number(name, || {
            let plan = plans.remove(name).unwrap_or_default();
            points.push(Point { name, key: OnceCell::new(), plan, ordinals: Vec::new() });
        }))
    }

    /// Has the next choice for an object at a point made.
    pub fn ask(&mut self, point: PointId, object: Object, span: Span) -> u64 {
        let ordinal = self.points[point.0 as usize].next_ordinal(object);
        self.ask_at(point, object, ordinal, span)
    }

    /// That of a given ordinal: the same whichever came before.
    pub(crate) fn ask_at(&mut self, point: PointId, object: Object, nth: u32, span: Span) -> u64 {
        // Nearly all choices are these, and nobody has a say in them.
        if let (Base::Seeded(_), Span::Range(min, max)) = (self.base, span)
            && !(self.searches || self.taped || self.log.is_some())
        {
            let key = self.points[point.0 as usize].key(self.base);
            return min + keyed::up_to(keyed::bits(key, object.hash, nth), max - min);
        }
        self.choose_at(point, object, nth, span)
    }

    fn choose_at(&mut self, point: PointId, object: Object, ordinal: u32, span: Span) -> u64 {
        let natural = self.is_natural();
        let p = &mut self.points[point.0 as usize];
        let key = p.key(self.base);
        let planned =
            if p.plan.is_empty() { None } else { p.plan.get_mut(&(object.hash, ordinal)) };
        let odds = |p: &Planned, most| span.natural_odds((p.value, most));
        let planned = planned.filter(|p| p.most.is_none_or(|most| odds(p, most) > 0.0));
        let value = match (planned, self.base) {
            (Some(planned), _) => {
                planned.met = true;
                let most = span.fit(planned.most.unwrap_or(planned.value));
                let least = span.fit(planned.value);
                match most.saturating_sub(least) {
                    0 => least,
                    more => least + keyed::up_to(keyed::bits(key, object.hash, ordinal), more),
                }
            }
            (None, _) if matches!(span, Span::Turn(_)) && self.picked.is_some() => {
                self.picked.map_or(0, u64::from)
            }
            (None, _)
                if matches!(span, Span::Rank | Span::Place)
                    && self.ranks.contains_key(&object.hash) =>
            {
                self.ranks[&object.hash]
            }
            (None, _) if matches!(span, Span::Yield(_)) && !self.ranks.is_empty() => {
                keyed::bits(key, 0, 0) >> 63
            }
            (None, Base::Default) => span.default_value(),
            (None, Base::Seeded(_)) => {
                let bits = keyed::bits(key, object.hash, ordinal);
                let one_of = |n: u32| keyed::up_to(bits, u64::from(n) - 1);
                let comes = |odds| u64::from(keyed::up_to(bits, THOUSAND - 1) < u64::from(odds));
                match span {
                    Span::Alternatives(n) => one_of(n),
                    Span::Slot(_) => keyed::up_to(bits, GROUP_SLOTS as u64 - 1),
                    Span::Trouble(_) if natural => 0,
                    Span::Trouble(n) => keyed::seldom(key, bits, u64::from(n) - 1),
                    Span::Range(min, max) if self.searches => match bits >> (64 - ENDS.ilog2()) {
                        0 => min,
                        1 => max,
                        _ => min + keyed::up_to(bits << ENDS.ilog2(), max - min),
                    },
                    Span::Range(min, max) => min + keyed::up_to(bits, max - min),
                    Span::Bits | Span::Rank => bits,
                    Span::Chance(odds) => comes(odds),
                    Span::Place if self.searches => bits,
                    Span::Turn(n) if natural => one_of(n),
                    Span::TurnOf(_, place) if natural => place.into(),
                    Span::Turn(n) if self.free > 0 && bits.is_multiple_of(self.free) => one_of(n),
                    Span::Yield(odds) if natural => comes(odds),
                    Span::Yield(_) if self.free > 0 && bits.is_multiple_of(self.free) => bits >> 63,
                    // The usual order is what `run` simulates; only a search asks for another.
                    Span::Yield(_) | Span::Place | Span::Turn(_) | Span::TurnOf(..) => {
                        span.default_value()
                    }
                }
            }
        };
        if let Some(log) = &mut self.log {
            log.push(Drawn { point: p.name, object: object.hash, ordinal, span, value });
        }
        value
    }

    /// Whether the tape says something of the choice that is made next at a point for an object.
    pub(crate) fn is_planned(&self, point: PointId, object: Object) -> bool {
        let p = &self.points[point.0 as usize];
        let made = p.ordinals.get(object.id.wrapping_add(1) as usize).copied().unwrap_or(0);
        p.plan.contains_key(&(object.hash, made))
    }

    /// Whether what the latest step set off goes before anybody else, as Go has it (`runnext`): always where
    /// one processor takes all goroutines of the instant. Otherwise other processors take part, and any may
    /// be next. `step` counts the steps of the instant.
    pub(crate) fn goes_on(&self, point: PointId, nanos: u64, step: u32) -> bool {
        let key = self.points[point.0 as usize].key(self.base);
        let comes = |nth, odds| keyed::up_to(keyed::bits(key, nanos, nth), THOUSAND - 1) < odds;
        comes(0, ALONE) || comes(step + 1, GOES_ON)
    }

    /// Which of these events of one instant, given by the hashes of their names, comes next; where
    /// turns are drawn, that one if it is `known`.
    pub(crate) fn turn(
        &mut self,
        point: PointId,
        object: Object,
        events: impl ExactSizeIterator<Item = u64>,
        known: Option<u32>,
    ) -> u32 {
        let count = events.len() as u32;
        let pct = self.pct.as_mut();
        self.picked = match pct {
            Some(pct) => Some(pct.pick(&events.collect::<Vec<_>>())),
            None if self.ranks.is_empty() => None,
            None => first_ranked(events.map(|event| self.ranks.get(&event).copied())),
        };
        let span = known.map_or(Span::Turn(count), |place| Span::TurnOf(count, place));
        self.ask(point, object, span) as u32
    }

    /// Sums up the numbers from 0 to `max` that [`Self::ask_at`] draws for one ordinal after the other,
    /// each with `each` added to it, as long as the sum is no more than `most` and there are
    /// ordinals: how many they are, and their sum. None where each choice is seen by somebody, or made
    /// otherwise than by the seed.
    pub(crate) fn sum_at(
        &self,
        point: PointId,
        object: Object,
        ordinals: std::ops::Range<u32>,
        (max, each): (u64, u64),
        most: u64,
    ) -> Option<(u32, u64)> {
        if self.is_choosing() || self.pct.is_some() || !matches!(self.base, Base::Seeded(_)) {
            return None;
        }
        let draws = keyed::Draws::new(self.points[point.0 as usize].key(self.base), object.hash);
        let mut sum = 0;
        for ordinal in ordinals.clone() {
            let with_this = sum + each + keyed::up_to(draws.bits(ordinal), max);
            if with_this > most {
                return Some((ordinal - ordinals.start, sum));
            }
            sum = with_this;
        }
        Some((ordinals.len() as u32, sum))
    }

    /// Whether goroutines take turns about as often as upstream's do, or did when the tape was made: then
    /// there are steps that the usual order has no use for.
    pub(crate) fn draws_turns(&self) -> bool {
        self.draws_turns
    }

    /// Whether another event of an instant may come next than the usual one, whatever the tape says.
    pub(crate) fn may_turn(&self) -> bool {
        self.draws_turns || self.free > 0 || self.pct.is_some() || !self.ranks.is_empty()
    }

    /// Whether everything is drawn about as often as upstream comes to it.
    pub(crate) const fn is_natural(&self) -> bool {
        self.free > 0 && !self.searches
    }

    /// Has the record say at its beginning that turns are drawn.
    pub(crate) fn note_turns(&mut self) {
        if self.draws_turns {
            let point = self.point(TURNS);
            self.ask(point, Object::NONE, Span::TurnOf(2, 1));
        }
    }

    /// Whether nothing is random, and nobody asks what would be.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(self.base, Base::Default) && !self.taped && self.log.is_none()
    }

    /// Whether another than the usual order can be asked for at all: there is a tape, turns are
    /// drawn, or the choices are recorded.
    pub(crate) fn is_choosing(&self) -> bool {
        self.taped || self.free > 0 || self.log.is_some()
    }
}
