//! Content of the events in the wheel, and the keys to it: cancelling an event empties its place,
//! and the wheel's entry is left to be dropped when it comes up.

/// Names one event until it ran or was cancelled; never used again for another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventKey(u64);

impl EventKey {
    const fn new(slot: u32, generation: u32) -> Self {
        Self((generation as u64) << 32 | slot as u64)
    }

    const fn slot(self) -> usize {
        self.0 as u32 as usize
    }

    const fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot<E> {
    event: E,
    /// Generation of the key that fits, or of the next one if the slot is free.
    generation: u32,
}

#[derive(Debug)]
pub(super) struct Slab<E> {
    slots: Vec<Slot<E>>,
    free: Vec<u32>,
    live: usize,
}

impl<E: Copy> Slab<E> {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), live: 0 }
    }

    /// Without any key, in the same tables.
    pub(super) fn again(mut self) -> Self {
        self.slots.clear();
        self.free.clear();
        Self { live: 0, ..self }
    }

    pub(super) const fn len(&self) -> usize {
        self.live
    }

    #[inline]
    pub(super) fn insert(&mut self, event: E) -> EventKey {
        self.live += 1;
        let Some(slot) = self.free.pop() else { return self.insert_behind(event) };
        let s = &mut self.slots[slot as usize];
        s.event = event;
        EventKey::new(slot, s.generation)
    }

    #[inline(never)]
    fn insert_behind(&mut self, event: E) -> EventKey {
        self.slots.push(Slot { event, generation: 0 });
        EventKey::new(self.slots.len() as u32 - 1, 0)
    }

    /// Whether the event neither ran nor was cancelled.
    #[inline]
    pub(super) fn is_live(&self, key: EventKey) -> bool {
        self.slots[key.slot()].generation == key.generation()
    }

    /// The event, if it neither ran nor was cancelled.
    pub(super) fn get(&self, key: EventKey) -> Option<E> {
        self.is_live(key).then(|| self.slots[key.slot()].event)
    }

    /// Takes the event out, if it neither ran nor was cancelled.
    #[inline]
    pub(super) fn take(&mut self, key: EventKey) -> Option<E> {
        let s = &mut self.slots[key.slot()];
        if s.generation != key.generation() {
            return None;
        }
        self.live -= 1;
        let event = s.event;
        s.generation = s.generation.wrapping_add(1);
        // A slot whose generations are used up is never used again; until then, no generation comes
        // twice.
        if s.generation != u32::MAX {
            self.free.push(key.slot() as u32);
        }
        Some(event)
    }

    /// Forgets all events; their keys fit no more.
    pub(super) fn clear(&mut self) {
        for s in &mut self.slots {
            s.generation = s.generation.saturating_add(1);
        }
        self.free = (0..self.slots.len() as u32)
            .rev()
            .filter(|s| self.slots[*s as usize].generation != u32::MAX)
            .collect();
        self.live = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_used_again_under_another_key() {
        let mut slab = Slab::new();
        let first = slab.insert('a');
        assert_eq!(slab.take(first), Some('a'));
        let second = slab.insert('b');
        assert_eq!(first.slot(), second.slot());
        assert!(!slab.is_live(first) && slab.is_live(second));
        assert_eq!(
            (slab.take(first), slab.take(second), slab.take(second)),
            (None, Some('b'), None)
        );
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_left_alone() {
        let mut slab = Slab::new();
        let key = slab.insert('a');
        slab.slots[0].generation = u32::MAX - 1;
        let last = EventKey::new(0, u32::MAX - 1);
        assert!(!slab.is_live(key));
        assert_eq!(slab.take(last), Some('a'));
        assert_eq!(slab.insert('b').slot(), 1);
    }

    #[test]
    fn clearing_outdates_every_key() {
        let mut slab = Slab::new();
        let (a, b) = (slab.insert('a'), slab.insert('b'));
        slab.take(a);
        slab.clear();
        let again = [slab.insert('c'), slab.insert('d')];
        assert!(!slab.is_live(a) && !slab.is_live(b));
        assert!(again.iter().all(|k| slab.is_live(*k)));
        assert_eq!(slab.len(), 2);
    }
}
