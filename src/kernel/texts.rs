//! Numbers for names that are written in the program, in the order in which they are first asked
//! for.

use super::HashIndex;

/// The names, and where they are in memory: each is asked for again and again from the same places.
#[derive(Default, Debug)]
pub(super) struct Texts {
    names: Vec<&'static str>,
    places: Vec<(&'static str, u32)>,
    index: HashIndex,
}

impl Texts {
    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The number of a name; calls `add` if it is new.
    pub(super) fn number(&mut self, name: &'static str, add: impl FnOnce()) -> u32 {
        let place = name.as_ptr().addr() as u64;
        if let Some(i) = self.index.find(place, |i| std::ptr::eq(self.places[i as usize].0, name)) {
            return self.places[i as usize].1;
        }
        let number = self.names.iter().position(|n| *n == name).unwrap_or_else(|| {
            add();
            self.names.push(name);
            self.names.len() - 1
        }) as u32;
        self.index.insert(place, self.places.len() as u32);
        self.places.push((name, number));
        number
    }
}
