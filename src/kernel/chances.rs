//! What a simulation asks of its choices through the handle to the kernel.

use super::choice::{Deviation, Object, PointId, Span, Walk};
use super::{Ctx, Dur};

/// Choices.
impl Ctx {
    /// The choice point of this name.
    pub(crate) fn point(&self, name: &'static str) -> PointId {
        self.0.choices.borrow_mut().point(name)
    }

    /// The deviations of the tape whose choice has not come up, sorted.
    pub(crate) fn unmet(&self) -> Vec<Deviation> {
        self.0.choices.borrow().unmet()
    }

    fn ask(&self, point: PointId, object: Object, span: Span) -> u64 {
        self.0.choosing(|c| c.ask(point, object, span))
    }

    /// One of `0..alternatives`; 0, and no draw, where there is no choice.
    pub(crate) fn choose(&self, point: PointId, object: Object, alternatives: u32) -> u32 {
        if alternatives <= 1 {
            return 0;
        }
        self.ask(point, object, Span::Alternatives(alternatives)) as u32
    }

    /// As [`Self::choose`], of nothing (0) and of troubles that are seldom where they are drawn.
    pub(crate) fn trouble(&self, point: PointId, object: Object, alternatives: u32) -> u32 {
        self.ask(point, object, Span::Trouble(alternatives)) as u32
    }

    /// Whether something comes about that does so `odds` times in a thousand; no, and no draw, where
    /// it never does.
    pub(crate) fn chance(&self, point: PointId, object: Object, odds: u32) -> bool {
        odds > 0 && self.ask(point, object, Span::Chance(odds)) == 1
    }

    /// Whether others come first at a place where upstream lets them: `odds` times in a thousand where the
    /// order within an instant is drawn; only a search may say so otherwise.
    pub(crate) fn yields(&self, point: PointId, object: Object, odds: u32) -> bool {
        self.is_choosing() && self.ask(point, object, Span::Yield(odds)) == 1
    }

    /// A place where upstream lets others in between two steps. Costs nothing, and no event, unless
    /// the choices let all others of this instant go first here, which they do `odds` times in a
    /// thousand where the order within an instant is drawn.
    pub(crate) async fn yield_point(&self, point: PointId, odds: u32) {
        if self.yields(point, Object::NONE, odds) {
            self.after_others().await;
        } else {
            self.0.note(|notes| notes.went_on(self.0.choices.borrow().log().len()));
        }
    }

    /// Whether goroutines take turns about as often as upstream's do.
    pub(crate) fn draws_turns(&self) -> bool {
        self.0.choices.borrow().draws_turns()
    }

    /// Whether another than the usual order can be asked for at all.
    pub(crate) fn is_choosing(&self) -> bool {
        self.0.choices.borrow().is_choosing()
    }

    /// Puts things that upstream treats at one time into the order in which it comes to them: as
    /// given, except in a search.
    pub(crate) fn order_ties<T>(&self, point: PointId, items: &mut [T], of: impl Fn(&T) -> Object) {
        if items.len() > 1 && self.is_choosing() {
            items.sort_by_cached_key(|item| self.ask(point, of(item), Span::Place));
        }
    }

    /// A number from `min` to `max`, both included; `min`, and no draw, where there is no choice.
    pub(crate) fn uniform(&self, point: PointId, object: Object, min: u64, max: u64) -> u64 {
        if max <= min { min } else { self.ask(point, object, Span::Range(min, max)) }
    }

    /// How long it takes until the next turn of a loop that began long before: less than its
    /// period.
    pub(crate) fn phase(&self, point: PointId, period: Dur) -> Dur {
        Dur::from_nanos(self.uniform(point, Object::NONE, 0, period.as_nanos().saturating_sub(1)))
    }

    /// The number of a given ordinal, for what may be skipped: the same whichever draws came
    /// before.
    pub(crate) fn uniform_at(
        &self,
        point: PointId,
        object: Object,
        ordinal: u32,
        min: u64,
        max: u64,
    ) -> u64 {
        if max <= min {
            return min;
        }
        self.0.choosing(|c| c.ask_at(point, object, ordinal, Span::Range(min, max)))
    }

    /// The sum of such numbers, each with `each` added to it, for one ordinal after the other as
    /// long as it is no more than `most`: how many they are, and their sum. None where each draw is
    /// seen by somebody, and has to be asked for.
    pub(crate) fn sum_at(
        &self,
        point: PointId,
        object: Object,
        ordinals: std::ops::Range<u32>,
        (max, each): (u64, u64),
        most: u64,
    ) -> Option<(u32, u64)> {
        self.0.choices.borrow().sum_at(point, object, ordinals, (max, each), most)
    }

    /// A thing's place in an arbitrary order, the same each time; all are alike without randomness.
    pub(crate) fn rank(&self, point: PointId, object: Object) -> u64 {
        self.0.choosing(|c| c.ask_at(point, object, 0, Span::Rank))
    }

    /// 64 uniform bits; 0 in the default order.
    pub fn draw(&self, point: PointId, object: Object) -> u64 {
        self.ask(point, object, Span::Bits)
    }

    /// Puts items into the order in which Go walks a map: an arbitrary one. Each item draws its own
    /// rank, so that one more item changes nothing in the order of the others. Without randomness
    /// the order stays as given.
    pub(crate) fn order<T>(&self, point: PointId, items: &mut [T], object: impl Fn(&T) -> Object) {
        self.0.choosing(|c| Walk { point, ordinal: None }.order(c, items, object));
    }

    /// The order of some of `whole` items, as Go has it when it walks a map of all of them, of a given
    /// ordinal or the next; `place` says how many of all were put in before an item.
    pub(crate) fn order_some<T>(
        &self,
        point: PointId,
        ordinal: Option<u32>,
        whole: usize,
        items: &mut [T],
        place: impl Fn(&T) -> usize,
        object: impl Fn(&T) -> Object,
    ) {
        self.0.choosing(|c| Walk { point, ordinal }.order_some(c, whole, items, place, object));
    }

    /// The order of a given ordinal, for walks that may be skipped: the same whichever came before.
    pub(crate) fn order_at<T>(
        &self,
        point: PointId,
        ordinal: u32,
        items: &mut [T],
        object: impl Fn(&T) -> Object,
    ) {
        self.0.choosing(|c| Walk { point, ordinal: Some(ordinal) }.order(c, items, object));
    }
}
