//! What steps declare to a search: the state that they read and write, and what they are called.

use super::{Ctx, Key, Keys, Name, Object};

/// What steps touch, for searches. It is declared where it happens, and costs no more than a test
/// of a flag where the run is not part of a search.
impl Ctx {
    /// The family of state of this name.
    pub(crate) fn keys(&self, name: &'static str) -> Keys {
        if self.0.searching.get() { self.0.notes.borrow_mut().keys(name) } else { Keys::UNDECLARED }
    }

    /// A new piece of state.
    pub(crate) fn key(&self) -> Key {
        if self.0.searching.get() { self.0.notes.borrow_mut().thing() } else { Key::default() }
    }

    /// The running step reads a piece of state.
    #[inline]
    pub(crate) fn reads(&self, key: Key) {
        self.0.note(|notes| notes.touch(key, false));
    }

    /// The running step changes a piece of state.
    #[inline]
    pub(crate) fn writes(&self, key: Key) {
        self.0.note(|notes| notes.touch(key, true));
    }

    /// The running step answers a request that writes nothing.
    pub(crate) fn answers(&self, about: Object, reads: bool, failed: Option<&'static str>) {
        self.0.note(|notes| notes.answer(about.hash, reads, failed));
    }

    /// The running step works for one whose state nobody declares; see [`Name::home_key`].
    pub(crate) fn at_home(&self, home: Option<Key>) {
        if let Some(key) = home {
            self.writes(key);
        }
    }

    /// The running process is called so from here on. One that only waits for work is [at
    /// rest](Name::at_rest).
    pub(crate) fn becomes(&self, name: Name) {
        if let (true, Some(slot)) = (self.0.searching.get(), self.0.running.get()) {
            let mut notes = self.0.notes.borrow_mut();
            notes.rename(slot, name);
            notes.name = name;
            drop(notes);
            self.at_home(name.home_key());
        }
    }

    /// Does something under another name.
    pub(crate) fn under<R>(&self, name: Name, f: impl FnOnce() -> R) -> R {
        if !self.0.searching.get() {
            return f();
        }
        let before = std::mem::replace(&mut self.0.notes.borrow_mut().name, name);
        let result = f();
        self.0.notes.borrow_mut().name = before;
        result
    }

    /// Whether the run is part of a search.
    #[inline]
    pub(crate) fn is_searching(&self) -> bool {
        self.0.searching.get()
    }
}
