//! A binary heap as Go has it (`container/heap`): of entries of which none is less than the others,
//! which is first follows from how they came and went.

/// Entries, the least of them first.
#[derive(Debug)]
pub(crate) struct Heap<T> {
    entries: Vec<T>,
    less: fn(&T, &T) -> bool,
}

impl<T> Heap<T> {
    /// An empty heap of entries in this order.
    pub(crate) fn new(less: fn(&T, &T) -> bool) -> Self {
        Self { entries: Vec::new(), less }
    }

    /// The first entry.
    pub(crate) fn first(&self) -> Option<&T> {
        self.entries.first()
    }

    /// Puts an entry in (`heap.Push`).
    pub(crate) fn push(&mut self, entry: T) {
        self.entries.push(entry);
        self.up(self.entries.len() - 1);
    }

    /// Takes the entry out that lies first of those that are meant (`heap.Remove`).
    pub(crate) fn remove(&mut self, is_meant: impl FnMut(&T) -> bool) -> Option<T> {
        let place = self.entries.iter().position(is_meant)?;
        let last = self.entries.len() - 1;
        if place != last {
            self.entries.swap(place, last);
            if !self.down(place, last) {
                self.up(place);
            }
        }
        self.entries.pop()
    }

    fn is_less(&self, one: usize, other: usize) -> bool {
        (self.less)(&self.entries[one], &self.entries[other])
    }

    fn up(&mut self, mut child: usize) {
        while child > 0 {
            let parent = (child - 1) / 2;
            if !self.is_less(child, parent) {
                break;
            }
            self.entries.swap(parent, child);
            child = parent;
        }
    }

    /// Moves an entry down among the first `count`. Whether it moved.
    fn down(&mut self, from: usize, count: usize) -> bool {
        let mut parent = from;
        loop {
            let left = 2 * parent + 1;
            if left >= count {
                break;
            }
            let right = left + 1;
            let child = if right < count && self.is_less(right, left) { right } else { left };
            if !self.is_less(child, parent) {
                break;
            }
            self.entries.swap(parent, child);
            parent = child;
        }
        parent > from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four equal entries: the last takes the place of each that is taken from the front, as
    /// `heap.Pop` swaps both.
    #[test]
    fn equal_entries_come_as_in_go() {
        let mut heap = Heap::new(|a: &(u32, char), b| a.0 < b.0);
        ['a', 'b', 'c', 'd'].into_iter().for_each(|c| heap.push((1, c)));
        let taken: String =
            std::iter::from_fn(|| heap.remove(|_| true).map(|entry| entry.1)).collect();
        assert_eq!(taken, "adcb");
    }

    /// What is put in anew with a later time, one after the other: in the end the third is first, as
    /// the last of the old ones kept the front until it was taken out.
    #[test]
    fn restamped_entries_come_as_in_go() {
        let mut heap = Heap::new(|a: &(u32, char), b| a.0 < b.0);
        ['a', 'b', 'c', 'd'].into_iter().for_each(|c| heap.push((1, c)));
        for c in ['a', 'b', 'c', 'd'] {
            heap.remove(|entry| entry.1 == c);
            heap.push((2, c));
        }
        assert_eq!(heap.first().map(|entry| entry.1), Some('c'));
    }
}
