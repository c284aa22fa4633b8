//! State that several processes use: a cell that lends itself to closures only, so that no guard
//! can be held across an `await`.

use std::cell::RefCell;

/// A cell whose content is reached only inside a closure.
///
/// The state inside should hold neither a `Ctx` nor an `Rc` to what owns the cell: then a closure
/// cannot come back to the cell it is in. If one does, it panics at the line of the inner call.
#[derive(Default, Debug)]
pub(crate) struct Shared<T>(RefCell<T>);

impl<T> Shared<T> {
    /// Puts a value into a cell.
    pub(crate) const fn new(value: T) -> Self {
        Self(RefCell::new(value))
    }

    /// Lends the value for change.
    #[track_caller]
    #[inline]
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        f(&mut self.0.borrow_mut())
    }

    /// Lends the value for reading.
    #[track_caller]
    #[inline]
    pub(crate) fn with_ref<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        f(&self.0.borrow())
    }
}
