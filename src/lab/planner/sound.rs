//! Which figures from a file can be reckoned with: anybody may have written it.

/// No plan counts more outages, years, nodes or pods than this.
pub(super) const COUNT_MAX: u64 = 1 << 48;

/// The largest figure that is taken from a file: its square is a number still.
pub(super) const FIGURE_MAX: f64 = 1e100;

/// Whether figures from a file can be reckoned with.
pub(super) fn are_figures<'a>(all: impl IntoIterator<Item = &'a f64>) -> bool {
    all.into_iter().all(|x| x.abs() <= FIGURE_MAX)
}
