//! Who makes the choices: drawn from a seed or always the first, with deviations from a tape laid
//! over it, and a record kept if wanted.

use super::drawn::{Deviation, Drawn, Span};
use super::keyed;
use super::object::{Object, PointId};
use super::orders::{Coming, Orders};
use crate::kernel::Time;
use crate::kernel::texts::Texts;
use std::collections::BTreeMap;

/// What is chosen where the tape says nothing.
#[derive(Clone, Copy, Debug)]
enum Base {
    /// Always the first alternative, the least number, the order as given.
    Default,
    /// Drawn, keyed by the seed.
    Seeded(u64),
}

/// A deviation's value, and whether its choice has come up.
#[derive(Clone, Copy, Debug)]
struct Planned {
    value: u64,
    met: bool,
}

/// Deviations at one point, by object's hash and ordinal.
type Plan = BTreeMap<(u64, u32), Planned>;

/// A choice point.
#[derive(Debug)]
struct Point {
    name: &'static str,
    key: u64,
    plan: Plan,
    /// Choices made so far by object number plus one; first those for no object.
    ordinals: Vec<u32>,
}

impl Point {
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
#[derive(Debug)]
pub struct Choices {
    base: Base,
    points: Vec<Point>,
    names: Texts,
    /// Deviations at points that have not been named yet.
    plans: BTreeMap<String, Plan>,
    /// Whether there are any deviations at all.
    taped: bool,
    log: Option<Vec<Drawn>>,
    /// Turns and yields are drawn, too, one time in so many; in between they are the usual ones.
    /// Never where zero.
    free: u64,
    pct: Option<Pct>,
    orders: Orders,
    /// What the orders or the priorities say of the present turn.
    picked: Option<u32>,
}

/// Priorities for turns, as PCT has them: every process has one, drawn, and at drawn turns the
/// first in line is put last.
#[derive(Clone, Debug)]
struct Pct {
    key: u64,
    /// The turns at which the first in line is put last, in order.
    changes: Vec<u64>,
    turns: u64,
    /// Those who were put last, in the order in which they were.
    last: Vec<u64>,
}

impl Pct {
    /// Which of these comes next.
    fn pick(&mut self, candidates: &[u64]) -> u32 {
        let turn = self.turns;
        self.turns += 1;
        if self.changes.binary_search(&turn).is_ok() {
            let first = self.first(candidates);
            self.last.retain(|l| *l != candidates[first as usize]);
            self.last.push(candidates[first as usize]);
        }
        self.first(candidates)
    }

    fn first(&self, candidates: &[u64]) -> u32 {
        let priority = |c: &u64| match self.last.iter().position(|l| l == c) {
            Some(place) => (false, u64::MAX - place as u64),
            None => (true, keyed::bits(self.key, *c, 0)),
        };
        let best = candidates
            .iter()
            .enumerate()
            .max_by_key(|(i, c)| (priority(c), std::cmp::Reverse(*i)));
        best.map_or(0, |(i, _)| i as u32)
    }
}

/// Slots of a group of Go's maps (`internal/runtime/maps: groupSlots`; before Go 1.24 the slots of
/// a bucket).
const SLOTS: u32 = 8;

/// A search that draws takes each end of a range one time in so many: two things meet there that do
/// not in between.
const ENDS: u64 = 8;

impl Choices {
    fn over(base: Base) -> Self {
        Self {
            base,
            points: Vec::new(),
            names: Texts::default(),
            plans: BTreeMap::new(),
            taped: false,
            log: None,
            free: 0,
            pct: None,
            orders: Orders::default(),
            picked: None,
        }
    }

    /// Draws everything, keyed by the seed. Never yields.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self::over(Base::Seeded(seed))
    }

    /// Draws everything, which event of an instant comes next included. For a kernel that searches.
    #[must_use]
    pub fn free(seed: u64) -> Self {
        Self::loose(seed, 1)
    }

    /// As [`Self::free`], but which event of an instant comes next, and whether to yield, is drawn
    /// one time in so many.
    #[must_use]
    pub fn loose(seed: u64, one_in: u64) -> Self {
        Self {
            free: one_in,
            ..Self::over(Base::Seeded(seed))
        }
    }

    /// Draws everything, and has turns go by drawn priorities of processes, which change
    /// `depth - 1` times within so many turns (PCT).
    #[must_use]
    pub fn pct(seed: u64, depth: u32, turns: u64) -> Self {
        let key = keyed::key_of(seed, "pct");
        let mut changes: Vec<u64> = (1..depth)
            .map(|i| keyed::up_to(keyed::bits(key, 1, i), turns.saturating_sub(1)))
            .collect();
        changes.sort_unstable();
        Self {
            pct: Some(Pct {
                key,
                changes,
                turns: 0,
                last: Vec::new(),
            }),
            ..Self::over(Base::Seeded(seed))
        }
    }

    /// Always the first alternative, the least number, the order as given, and no yield.
    #[must_use]
    pub fn default_order() -> Self {
        Self::over(Base::Default)
    }

    /// As `base`, but for the deviations. Of two for the same choice the later one holds.
    #[must_use]
    pub fn tape(deviations: Vec<Deviation>, base: Self) -> Self {
        let mut choices = base;
        choices.taped |= !deviations.is_empty();
        for d in deviations {
            let plan = match choices.points.iter().position(|p| p.name == d.point) {
                Some(i) => &mut choices.points[i].plan,
                None => choices.plans.entry(d.point).or_default(),
            };
            plan.insert(
                (d.object, d.ordinal),
                Planned {
                    value: d.value,
                    met: false,
                },
            );
        }
        choices
    }

    /// As `base`, but the steps of some instants come in orders of their own, unless a tape says
    /// otherwise.
    #[must_use]
    pub fn ordered(orders: Orders, base: Self) -> Self {
        Self { orders, ..base }
    }

    /// The default order for another run, in the tables of one that is over. Every choice is
    /// recorded, in `log`.
    pub(in crate::kernel) fn again(self, mut log: Vec<Drawn>) -> Self {
        log.clear();
        let (mut points, names) = (self.points, self.names);
        for point in &mut points {
            point.key = 0;
            point.plan.clear();
            point.ordinals.clear();
        }
        Self {
            points,
            names,
            log: Some(log),
            ..Self::default_order()
        }
    }

    /// As `inner`, with a record of every choice.
    #[must_use]
    pub fn recorded(inner: Self) -> Self {
        Self {
            log: Some(inner.log.unwrap_or_default()),
            ..inner
        }
    }

    /// The choices made so far, in order; empty unless they are being recorded.
    #[must_use]
    pub fn log(&self) -> &[Drawn] {
        self.log.as_deref().unwrap_or_default()
    }

    /// Hands out the record of the choices made so far.
    pub fn take_log(&mut self) -> Vec<Drawn> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The deviations whose choice has not come up, sorted.
    #[must_use]
    pub fn unmet(&self) -> Vec<Deviation> {
        let named = self.points.iter().map(|p| (p.name, &p.plan));
        let unnamed = self.plans.iter().map(|(name, plan)| (name.as_str(), plan));
        let mut unmet: Vec<_> = named
            .chain(unnamed)
            .flat_map(|(name, plan)| plan.iter().map(move |(key, planned)| (name, key, planned)))
            .filter(|(_, _, planned)| !planned.met)
            .map(|(name, key, planned)| Deviation {
                point: name.to_owned(),
                object: key.0,
                ordinal: key.1,
                value: planned.value,
            })
            .collect();
        unmet.sort();
        unmet
    }

    /// The choice point of this name.
    pub fn point(&mut self, name: &'static str) -> PointId {
        let Self {
            names,
            points,
            plans,
            base,
            ..
        } = self;
        PointId(names.number(name, || {
            let key = match base {
                Base::Default => 0,
                Base::Seeded(seed) => keyed::key_of(*seed, name),
            };
            let plan = plans.remove(name).unwrap_or_default();
            points.push(Point {
                name,
                key,
                plan,
                ordinals: Vec::new(),
            });
        }))
    }

    fn ask(&mut self, point: PointId, object: Object, span: Span) -> u64 {
        let ordinal = self.points[point.0 as usize].next_ordinal(object);
        self.ask_at(point, object, ordinal, span)
    }

    fn ask_at(&mut self, point: PointId, object: Object, ordinal: u32, span: Span) -> u64 {
        let p = &mut self.points[point.0 as usize];
        let planned = if p.plan.is_empty() {
            None
        } else {
            p.plan.get_mut(&(object.hash, ordinal))
        };
        let value = match (planned, self.base) {
            (Some(planned), _) => {
                planned.met = true;
                span.fit(planned.value)
            }
            (None, _) if matches!(span, Span::Turn(_)) && self.picked.is_some() => {
                self.picked.map_or(0, u64::from)
            }
            (None, Base::Default) => span.default_value(),
            (None, Base::Seeded(_)) => {
                let bits = keyed::bits(p.key, object.hash, ordinal);
                match span {
                    Span::Alternatives(n) => keyed::up_to(bits, u64::from(n) - 1),
                    Span::Range(min, max) if self.free > 0 || self.pct.is_some() => {
                        match bits >> (64 - ENDS.ilog2()) {
                            0 => min,
                            1 => max,
                            _ => min + keyed::up_to(bits << ENDS.ilog2(), max - min),
                        }
                    }
                    Span::Range(min, max) => min + keyed::up_to(bits, max - min),
                    Span::Bits | Span::Rank => bits,
                    Span::Place if self.free > 0 => bits,
                    Span::Turn(n) if self.free > 0 && bits.is_multiple_of(self.free) => {
                        keyed::up_to(bits, u64::from(n) - 1)
                    }
                    Span::Yield if self.free > 0 && bits.is_multiple_of(self.free) => bits >> 63,
                    // The usual order is what `run` simulates; only a search asks for another.
                    Span::Yield | Span::Place | Span::Turn(_) => span.default_value(),
                }
            }
        };
        if let Some(log) = &mut self.log {
            log.push(Drawn {
                point: p.name,
                object: object.hash,
                ordinal,
                span,
                value,
            });
        }
        value
    }

    /// One of `0..alternatives`; 0, and no draw, where there is no choice.
    pub fn choose(&mut self, point: PointId, object: Object, alternatives: u32) -> u32 {
        if alternatives <= 1 {
            return 0;
        }
        self.ask(point, object, Span::Alternatives(alternatives)) as u32
    }

    /// Whether some instants have orders of their own.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        !self.orders.is_empty()
    }

    /// Whether the tape says something of the choice that is made next at a point for an object.
    #[must_use]
    pub fn is_planned(&self, point: PointId, object: Object) -> bool {
        let p = &self.points[point.0 as usize];
        let made = p
            .ordinals
            .get(object.id.wrapping_add(1) as usize)
            .copied()
            .unwrap_or(0);
        p.plan.contains_key(&(object.hash, made))
    }

    /// Which of these events of one instant comes next.
    pub fn turn(
        &mut self,
        point: PointId,
        object: Object,
        at: Time,
        events: impl ExactSizeIterator<Item = Coming>,
    ) -> u32 {
        let count = events.len() as u32;
        self.picked = match &mut self.pct {
            Some(pct) => Some(pct.pick(&events.map(|e| e.0).collect::<Vec<_>>())),
            None => self.orders.pick(at, events),
        };
        self.ask(point, object, Span::Turn(count)) as u32
    }

    /// An event has come.
    pub fn came(&mut self, at: Time, event: Coming) {
        self.orders.came(at, event);
    }

    /// A number from `min` to `max`, both included; `min`, and no draw, where there is no choice.
    pub fn uniform(&mut self, point: PointId, object: Object, min: u64, max: u64) -> u64 {
        if max <= min {
            return min;
        }
        self.ask(point, object, Span::Range(min, max))
    }

    /// The draw of a given ordinal, for what may be skipped: the same number whichever draws came
    /// before.
    pub fn uniform_at(
        &mut self,
        point: PointId,
        object: Object,
        ordinal: u32,
        min: u64,
        max: u64,
    ) -> u64 {
        if max <= min {
            return min;
        }
        self.ask_at(point, object, ordinal, Span::Range(min, max))
    }

    /// 64 uniform bits.
    pub fn draw(&mut self, point: PointId, object: Object) -> u64 {
        self.ask(point, object, Span::Bits)
    }

    /// Whether others come first here.
    pub fn yields(&mut self, point: PointId, object: Object) -> bool {
        self.is_choosing() && self.ask(point, object, Span::Yield) == 1
    }

    /// Whether another than the usual order can be asked for at all: there is a tape, or the
    /// choices are recorded.
    #[must_use]
    pub fn is_choosing(&self) -> bool {
        self.taped || self.log.is_some()
    }

    /// Puts things that upstream treats at one time into the order in which it comes to them: as
    /// given, but in a search.
    pub fn order_ties<T>(
        &mut self,
        point: PointId,
        items: &mut [T],
        object: impl Fn(&T) -> Object,
    ) {
        if items.len() > 1 && self.is_choosing() {
            items.sort_by_cached_key(|item| self.ask(point, object(item), Span::Place));
        }
    }

    /// Puts items into an order in which Go may walk a map of them, given the order in which they
    /// were put in; as given where nothing is random.
    ///
    /// A map of up to eight entries is one group of eight slots, which Go walks from a random slot
    /// on: the order is a rotation. In a larger one each item draws its own rank, so that one more
    /// item changes nothing in the order of the others.
    pub fn order<T>(&mut self, point: PointId, items: &mut [T], object: impl Fn(&T) -> Object) {
        self.order_by(items, |choices, items| {
            if let Some(items) = items {
                items.sort_by_cached_key(|item| choices.ask(point, object(item), Span::Rank));
                return 0;
            }
            choices.ask(point, Object::NONE, Span::Alternatives(SLOTS))
        });
    }

    /// The order of a given ordinal, for walks that may be skipped.
    pub fn order_at<T>(
        &mut self,
        point: PointId,
        ordinal: u32,
        items: &mut [T],
        object: impl Fn(&T) -> Object,
    ) {
        self.order_by(items, |choices, items| {
            if let Some(items) = items {
                items.sort_by_cached_key(|item| {
                    choices.ask_at(point, object(item), ordinal, Span::Rank)
                });
                return 0;
            }
            choices.ask_at(point, Object::NONE, ordinal, Span::Alternatives(SLOTS))
        });
    }

    /// The order of a given ordinal of some of `whole` items, which they have in the order of all
    /// of them. `place` says how many of all come before an item as given.
    pub fn order_some_at<T>(
        &mut self,
        point: PointId,
        ordinal: u32,
        whole: usize,
        items: &mut [T],
        place: impl Fn(&T) -> usize,
        object: impl Fn(&T) -> Object,
    ) {
        let fixed = matches!(self.base, Base::Default) && !self.taped && self.log.is_none();
        if fixed || items.is_empty() || whole <= 1 {
            return;
        }
        if whole > SLOTS as usize {
            items.sort_by_cached_key(|item| self.ask_at(point, object(item), ordinal, Span::Rank));
            return;
        }
        let from = self.ask_at(point, Object::NONE, ordinal, Span::Alternatives(SLOTS)) as usize;
        if from < whole {
            items.rotate_left(items.iter().filter(|item| place(item) < from).count());
        }
    }

    /// Rotates few items by what `f` draws without them, and has it sort many.
    fn order_by<T>(&mut self, items: &mut [T], f: impl Fn(&mut Self, Option<&mut [T]>) -> u64) {
        let fixed = matches!(self.base, Base::Default) && !self.taped && self.log.is_none();
        if fixed || items.len() <= 1 {
            return;
        }
        if items.len() > SLOTS as usize {
            f(self, Some(items));
            return;
        }
        let from = f(self, None) as usize;
        items.rotate_left(if from < items.len() { from } else { 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::choice::first_divergence;

    fn object(i: u32) -> Object {
        Object::named(i, &format!("node-{i}"))
    }

    #[test]
    fn one_more_object_changes_nothing_for_the_others() {
        let draws = |objects: &[Object]| {
            let mut c = Choices::seeded(42);
            let p = c.point("jitter");
            objects
                .iter()
                .map(|o| [c.draw(p, *o), c.draw(p, *o)])
                .collect::<Vec<_>>()
        };
        let (two, three) = (
            draws(&[object(0), object(2)]),
            draws(&[object(0), object(1), object(2)]),
        );
        assert_eq!([two[0], two[1]], [three[0], three[2]]);
        // The number of an object only finds its count: what it draws depends on its name.
        assert_eq!(
            draws(&[Object {
                id: 77,
                ..object(2)
            }])[0],
            two[1]
        );
        assert_ne!(two[0][0], two[0][1]);
    }

    #[test]
    fn points_and_seeds_are_independent() {
        let first = |seed, name| {
            let mut c = Choices::seeded(seed);
            let p = c.point(name);
            assert_eq!(c.point(name), p);
            c.draw(p, Object::NONE)
        };
        assert_ne!(first(1, "a"), first(2, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
        assert_eq!(first(1, "a"), first(1, "a"));
    }

    #[test]
    fn ties_and_yields_are_for_searches() {
        let places = |choices: Choices| {
            let mut c = choices;
            let (tie, pause, mut items) = (c.point("tie"), c.point("pause"), [0, 1, 2]);
            c.order_ties(tie, &mut items, |i| object(*i));
            (items, c.yields(pause, Object::NONE))
        };
        let usual = ([0, 1, 2], false);
        assert_eq!(places(Choices::recorded(Choices::default_order())), usual);
        assert_eq!(
            (1..50)
                .map(|seed| places(Choices::recorded(Choices::seeded(seed))))
                .filter(|p| *p != usual)
                .count(),
            0
        );
        let drawn: std::collections::BTreeSet<_> = (1..200)
            .map(|seed| places(Choices::recorded(Choices::free(seed))))
            .collect();
        assert_eq!(drawn.len(), 12, "six orders, with and without a pause");
        let first = Deviation {
            point: "tie".to_owned(),
            object: object(2).hash,
            ordinal: 0,
            value: 0,
        };
        assert_eq!(
            places(Choices::tape(vec![first], Choices::default_order())),
            ([2, 0, 1], false)
        );
    }

    #[test]
    fn a_search_that_draws_takes_the_ends_of_ranges_more_often() {
        let ends = |mut c: Choices| {
            let p = c.point("latency");
            let drawn: Vec<u64> = (0..8_000)
                .map(|_| c.uniform(p, Object::NONE, 1_000, 2_000_000))
                .collect();
            assert!(drawn.iter().all(|d| (1_000..=2_000_000).contains(d)));
            [1_000, 2_000_000].map(|end| drawn.iter().filter(|d| **d == end).count())
        };
        // One eighth of 8,000 each, standard deviation sqrt(8000 * 1/8 * 7/8) = 30; the draws are
        // fixed, so this cannot flicker.
        for found in [ends(Choices::free(1)), ends(Choices::pct(1, 3, 100))] {
            assert!(found.iter().all(|n| (880..1_120).contains(n)), "{found:?}");
        }
        assert_eq!(ends(Choices::seeded(1)), [0, 0]);
    }

    #[test]
    fn numbers_keep_to_their_range_and_reach_its_ends() {
        let mut c = Choices::seeded(7);
        let p = c.point("die");
        let mut seen = [0_u32; 6];
        for _ in 0..6_000 {
            let n = c.uniform(p, Object::NONE, 10, 15);
            seen[(n - 10) as usize] += 1;
        }
        // 1,000 expected of each, standard deviation sqrt(6000 * 1/6 * 5/6) = 29; the draws are
        // fixed, so this cannot flicker.
        assert!(seen.iter().all(|n| (850..1_150).contains(n)), "{seen:?}");
        assert_eq!(c.uniform(p, Object::NONE, 5, 5), 5);
        assert_eq!(c.uniform(p, Object::NONE, 5, 4), 5);
        let _ = c.uniform(p, Object::NONE, 0, u64::MAX);
        assert_eq!(c.choose(p, Object::NONE, 0), 0);
        assert_eq!(c.choose(p, Object::NONE, 1), 0);
    }

    #[test]
    fn where_there_is_no_choice_nothing_is_drawn() {
        let mut c = Choices::recorded(Choices::seeded(7));
        let p = c.point("p");
        let _ = (
            c.choose(p, Object::NONE, 1),
            c.uniform(p, Object::NONE, 3, 3),
        );
        assert!(c.log().is_empty());
        c.draw(p, Object::NONE);
        assert_eq!(c.log()[0].ordinal, 0);
    }

    #[test]
    fn an_order_keeps_when_an_item_joins() {
        let order = |numbers: &[u32]| {
            let mut c = Choices::seeded(3);
            let p = c.point("walk");
            let mut items = numbers.to_vec();
            c.order(p, &mut items, |i| object(*i));
            items
        };
        // More than eight items, so that each draws a rank of its own.
        let twelve: Vec<u32> = (0..12).collect();
        let eleven: Vec<u32> = (0..12).filter(|i| *i != 3).collect();
        let without = order(&eleven);
        assert_eq!(
            order(&twelve)
                .into_iter()
                .filter(|i| *i != 3)
                .collect::<Vec<_>>(),
            without
        );
        assert_ne!(
            without, eleven,
            "seed 3 does not happen to leave eleven items as they were"
        );
    }

    #[test]
    fn some_of_the_items_are_ordered_as_they_are_among_all() {
        for whole in [2_u32, 3, 7, 8, 9, 40] {
            for seed in 0..20 {
                let mut c = Choices::seeded(seed);
                let p = c.point("walk");
                let mut all: Vec<u32> = (0..whole).collect();
                c.order_at(p, 5, &mut all, |i| object(*i));
                all.retain(|i| i % 3 != 1);
                let mut some: Vec<u32> = (0..whole).filter(|i| i % 3 != 1).collect();
                c.order_some_at(
                    p,
                    5,
                    whole as usize,
                    &mut some,
                    |i| *i as usize,
                    |i| object(*i),
                );
                assert_eq!(some, all, "seed {seed}, {whole} items");
            }
        }
    }

    #[test]
    fn few_items_are_walked_from_one_of_eight_slots_on() {
        let mut seen = std::collections::BTreeMap::new();
        for seed in 0..800 {
            let mut c = Choices::seeded(seed);
            let p = c.point("walk");
            let mut items = [0, 1, 2];
            c.order(p, &mut items, |i| object(*i));
            *seen.entry(items).or_insert(0) += 1;
        }
        // Three of eight slots are taken: from the first, and from the five empty ones behind, the
        // order is as given (6 of 8).
        assert_eq!(
            seen.keys().copied().collect::<Vec<_>>(),
            [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
        );
        assert!((500..700).contains(&seen[&[0, 1, 2]]), "{seen:?}");
    }

    #[test]
    fn the_default_takes_the_first_and_the_least() {
        let mut c = Choices::default_order();
        let p = c.point("p");
        let mut items = [3, 1, 2];
        c.order(p, &mut items, |i| object(*i));
        assert_eq!(items, [3, 1, 2]);
        assert_eq!(
            (
                c.choose(p, Object::NONE, 5),
                c.uniform(p, Object::NONE, 4, 9),
                c.yields(p, Object::NONE)
            ),
            (0, 4, false)
        );
    }

    /// A run of five choices, as a function of who makes them.
    fn run(choices: Choices) -> (Vec<u64>, Choices) {
        let mut c = choices;
        let (p, q) = (c.point("p"), c.point("q"));
        let mut values = vec![
            u64::from(c.choose(p, object(0), 10)),
            c.uniform(q, object(0), 100, 200),
        ];
        values.extend([
            u64::from(c.choose(p, object(1), 10)),
            u64::from(c.choose(p, object(0), 10)),
            u64::from(c.yields(q, Object::NONE)),
        ]);
        (values, c)
    }

    #[test]
    fn a_tape_changes_what_it_names_and_nothing_else() {
        let deviation = |point: &str, i, ordinal, value| Deviation {
            point: point.to_owned(),
            object: object(i).hash,
            ordinal,
            value,
        };
        let tape = vec![
            deviation("p", 0, 1, 4),
            deviation("q", 0, 0, 999),
            deviation("nowhere", 0, 0, 1),
            deviation("p", 1, 7, 2),
        ];
        let (values, c) = run(Choices::tape(tape.clone(), Choices::default_order()));
        assert_eq!(
            values,
            [0, 200, 0, 4, 0],
            "999 is taken to the end of 100..=200"
        );
        assert_eq!(c.unmet(), [tape[2].clone(), tape[3].clone()]);
        let (plain, _) = run(Choices::seeded(5));
        let (values, _) = run(Choices::tape(
            vec![deviation("p", 1, 0, (plain[2] + 1) % 10)],
            Choices::seeded(5),
        ));
        assert_eq!(
            values,
            [plain[0], plain[1], (plain[2] + 1) % 10, plain[3], plain[4]]
        );
    }

    #[test]
    fn a_recorded_run_replays_from_its_log_and_the_first_difference_has_a_name() {
        let (values, recorded) = run(Choices::recorded(Choices::seeded(5)));
        let tape = recorded.log().iter().map(|d| (*d).into()).collect();
        let (again, _) = run(Choices::tape(tape, Choices::default_order()));
        assert_eq!(values, again);
        let (_, other) = run(Choices::recorded(Choices::default_order()));
        let at = first_divergence(recorded.log(), other.log());
        let expected = (0..5).find(|i| values[*i] != [0, 100, 0, 0, 0][*i]);
        assert_eq!(at, expected);
        assert_eq!(first_divergence(recorded.log(), recorded.log()), None);
        assert_eq!(
            first_divergence(recorded.log(), &recorded.log()[..3]),
            Some(3)
        );
    }
}
