//! How `ron` reads and writes the scenario language.

use super::syntax::DEPTH_MAX;
use ron::extensions::Extensions;

/// `Some(…)` is never written, and neither are the second parentheses of `Deployment((…))`.
pub(crate) fn extensions() -> Extensions {
    Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES
}

/// How a scenario is read.
pub(crate) fn options() -> ron::Options {
    ron::Options::default()
        .with_default_extension(extensions())
        .with_recursion_limit(DEPTH_MAX)
}
