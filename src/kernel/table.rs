//! Tables by dense numbers, such as ids: they grow as numbers come up.

/// The entry of a number; one that is new is what there is by default.
pub(crate) fn slot<T: Default>(table: &mut Vec<T>, number: usize) -> &mut T {
    if table.len() <= number {
        table.resize_with(number + 1, T::default);
    }
    &mut table[number]
}
