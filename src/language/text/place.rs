//! The place of a value in a scenario: the steps that lead to it from the top of the file.

/// A step from a value into one of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A field of a struct, or of an enum's variant; or an entry of a map.
    Key(String),
    /// An element of a list, or of an enum's variant without field names.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<&String> for Step {
    fn from(key: &String) -> Self {
        Self::Key(key.clone())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A value's place: the steps to it from the top of the file.
pub(crate) type Place = Vec<Step>;

/// Writes a [`Place`]: `at!["nodes", 3, "zone"]`.
macro_rules! at {
    ($($step:expr),* $(,)?) => { vec![$($crate::language::text::place::Step::from($step)),*] };
}
pub(crate) use at;
