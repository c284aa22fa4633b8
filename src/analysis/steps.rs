//! Step functions of time.

use crate::kernel::Time;

/// A step function: the value from each time on. Times rise; the first is zero.
pub(crate) type Steps = Vec<(Time, u32)>;

/// The value of a step function at a time; 0 before its first.
pub(crate) fn value_at<T: Copy + Default>(steps: &[(Time, T)], at: Time) -> T {
    steps[..steps.partition_point(|s| s.0 <= at)].last().map_or_else(T::default, |s| s.1)
}

/// Sets the value from a time on, over another one of the same instant.
pub(super) fn set<T: Copy + PartialEq>(steps: &mut Vec<(Time, T)>, at: Time, value: T) {
    match steps.last_mut() {
        Some(last) if last.0 == at => last.1 = value,
        Some(last) if last.1 == value => {}
        _ => steps.push((at, value)),
    }
}

/// The same, where a value that is as it was before that instant is no step.
pub(crate) fn set_over<T: Copy + PartialEq>(steps: &mut Vec<(Time, T)>, at: Time, value: T) {
    match steps.as_mut_slice() {
        [.., before, last] if last.0 == at && before.1 == value => {
            steps.pop();
        }
        [.., last] if last.0 == at => last.1 = value,
        [.., last] if last.1 == value => {}
        _ => steps.push((at, value)),
    }
}

/// Steps by the millisecond, as they are shown: the last value in each.
pub(super) fn by_millis<T: Copy + PartialEq>(steps: Vec<(Time, T)>) -> Vec<(Time, T)> {
    let mut all = Vec::new();
    steps.into_iter().for_each(|(at, value)| set_over(&mut all, at.whole_millis(), value));
    all
}
