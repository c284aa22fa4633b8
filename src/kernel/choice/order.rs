//! Orders of Go's walks over maps.

use super::{Choices, GROUP_SLOTS, Object, PointId, Span};

/// The walk over a map: the next at its point, or one of a given ordinal, for walks that may be
/// skipped.
#[derive(Clone, Copy)]
pub(crate) struct Walk {
    pub(crate) point: PointId,
    pub(crate) ordinal: Option<u32>,
}

impl Walk {
    /// Puts items into an order in which Go may walk a map of them, given the order in which they
    /// were put in; as given where nothing is random.
    ///
    /// A map of up to eight entries is one group of eight slots, which Go walks from a random slot
    /// on: the order is a rotation. In a larger one each item draws its own rank, so that one more
    /// item changes nothing in the order of the others.
    pub(crate) fn order<T>(
        self,
        choices: &mut Choices,
        items: &mut [T],
        object: impl Fn(&T) -> Object,
    ) {
        let whole = items.len();
        if let Some(from) = self.begin(choices, whole, items, <[T]>::len, object) {
            items.rotate_left(if from < whole { from } else { 0 });
        }
    }

    /// The order of some of `whole` items when Go walks a map of all of them; `place` says how many
    /// of all were put in before an item, in whose order the items are given.
    pub(crate) fn order_some<T>(
        self,
        choices: &mut Choices,
        whole: usize,
        items: &mut [T],
        place: impl Fn(&T) -> usize,
        object: impl Fn(&T) -> Object,
    ) {
        // What a place costs grows with how many there are: only a map of one group asks for it.
        let slots = |items: &[T]| items.iter().map(&place).max().map_or(0, |last| last + 1);
        if let Some(from) = self.begin(choices, whole, items, slots, object) {
            items.sort_by_cached_key(|item| (place(item) + GROUP_SLOTS - from) % GROUP_SLOTS);
        }
    }

    /// From which slot on a map of one group is walked, of which so many slots have items. Those of a larger one are
    /// sorted here; then, and where the order stays as given, none.
    fn begin<T>(
        self,
        choices: &mut Choices,
        whole: usize,
        items: &mut [T],
        slots: impl Fn(&[T]) -> usize,
        object: impl Fn(&T) -> Object,
    ) -> Option<usize> {
        if choices.is_fixed() || items.len() <= 1 {
            return None;
        }
        let mut ask = |object, span| match self.ordinal {
            Some(ordinal) => choices.ask_at(self.point, object, ordinal, span),
            None => choices.ask(self.point, object, span),
        };
        if whole > GROUP_SLOTS {
            items.sort_by_cached_key(|item| ask(object(item), Span::Rank));
            return None;
        }
        Some(ask(Object::NONE, Span::Slot(slots(items).min(GROUP_SLOTS) as u32)) as usize)
    }
}
