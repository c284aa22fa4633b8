//! Who makes the choices: drawn from a seed or always the first, with deviations from a tape laid over it, and a record kept if wanted.

use super::drawn::{Deviation, Drawn, Span};
use super::keyed;
use super::object::{Object, PointId};
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
    by_name: BTreeMap<&'static str, PointId>,
    /// Deviations at points that have not been named yet.
    plans: BTreeMap<String, Plan>,
    /// Whether there are any deviations at all.
    taped: bool,
    log: Option<Vec<Drawn>>,
}

impl Choices {
    fn over(base: Base) -> Self {
        Self { base, points: Vec::new(), by_name: BTreeMap::new(), plans: BTreeMap::new(), taped: false, log: None }
    }

    /// Draws everything, keyed by the seed. Never yields.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self::over(Base::Seeded(seed))
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
            let known = choices.by_name.get(d.point.as_str()).map(|p| p.0 as usize);
            let plan = match known {
                Some(i) => &mut choices.points[i].plan,
                None => choices.plans.entry(d.point).or_default(),
            };
            plan.insert((d.object, d.ordinal), Planned { value: d.value, met: false });
        }
        choices
    }

    /// As `inner`, with a record of every choice.
    #[must_use]
    pub fn recorded(inner: Self) -> Self {
        Self { log: Some(Vec::new()), ..inner }
    }

    /// The choices made so far, in order; empty unless they are being recorded.
    #[must_use]
    pub fn log(&self) -> &[Drawn] {
        self.log.as_deref().unwrap_or_default()
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
            .map(|(name, key, planned)| Deviation { point: name.to_owned(), object: key.0, ordinal: key.1, value: planned.value })
            .collect();
        unmet.sort();
        unmet
    }

    /// The choice point of this name.
    pub fn point(&mut self, name: &'static str) -> PointId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let key = match self.base {
            Base::Default => 0,
            Base::Seeded(seed) => keyed::key_of(seed, name),
        };
        let plan = self.plans.remove(name).unwrap_or_default();
        let id = PointId(self.points.len() as u32);
        self.points.push(Point { name, key, plan, ordinals: Vec::new() });
        self.by_name.insert(name, id);
        id
    }

    fn ask(&mut self, point: PointId, object: Object, span: Span) -> u64 {
        let p = &mut self.points[point.0 as usize];
        let ordinal = p.next_ordinal(object);
        let planned = if p.plan.is_empty() { None } else { p.plan.get_mut(&(object.hash, ordinal)) };
        let value = match (planned, self.base) {
            (Some(planned), _) => {
                planned.met = true;
                span.fit(planned.value)
            }
            (None, Base::Default) => span.default_value(),
            (None, Base::Seeded(_)) => {
                let bits = keyed::bits(p.key, object.hash, ordinal);
                match span {
                    Span::Alternatives(n) => keyed::below(bits, u128::from(n)),
                    Span::Range(min, max) => min + keyed::below(bits, u128::from(max - min) + 1),
                    Span::Bits | Span::Rank => bits,
                    // A run between yield points is what `run` simulates; only a tape asks for another.
                    Span::Yield => span.default_value(),
                }
            }
        };
        if let Some(log) = &mut self.log {
            log.push(Drawn { point: p.name, object: object.hash, ordinal, span, value });
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

    /// A number from `min` to `max`, both included; `min`, and no draw, where there is no choice.
    pub fn uniform(&mut self, point: PointId, object: Object, min: u64, max: u64) -> u64 {
        if max <= min {
            return min;
        }
        self.ask(point, object, Span::Range(min, max))
    }

    /// 64 uniform bits.
    pub fn draw(&mut self, point: PointId, object: Object) -> u64 {
        self.ask(point, object, Span::Bits)
    }

    /// Whether the process yields here.
    pub fn yields(&mut self, point: PointId) -> bool {
        (self.taped || self.log.is_some()) && self.ask(point, Object::NONE, Span::Yield) == 1
    }

    /// Puts items into an arbitrary order; as given where nothing is random.
    pub fn order<T>(&mut self, point: PointId, items: &mut [T], object: impl Fn(&T) -> Object) {
        let fixed = matches!(self.base, Base::Default) && !self.taped && self.log.is_none();
        if fixed || items.len() <= 1 {
            return;
        }
        items.sort_by_cached_key(|item| self.ask(point, object(item), Span::Rank));
    }
}
