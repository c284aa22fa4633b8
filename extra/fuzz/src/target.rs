//! What is fuzzed: a reader, what it may be given, and what must hold of it.

use std::fmt::{self, Display, Write};
use std::hash::{DefaultHasher, Hasher};

/// How an input ended: the way that it took, or what must not be.
pub(crate) type Outcome = Result<Way, String>;

/// The way that an input took: a hash of the shape of what came of it, and whether it was taken or
/// refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Way {
    /// Whether it was taken.
    pub(crate) taken: bool,
    shape: u64,
}

/// An input that was taken; `shape` tells apart what came of it.
pub(crate) fn taken(shape: u64) -> Outcome {
    Ok(Way { taken: true, shape })
}

/// An input that was refused; `shape` tells apart why.
pub(crate) fn refused(shape: u64) -> Outcome {
    Ok(Way { taken: false, shape })
}

/// A reader that is given inputs.
pub(crate) type Check = Box<dyn FnMut(&[u8]) -> Outcome>;

/// Which kind of input a target takes; a kind has its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Texts of some words.
    Small,
    /// Texts of some words inside of something whole, which they may make large: `a-{0..99999}`.
    Inside,
    /// Whole files.
    File,
    /// Whole runs.
    Run,
}

impl Kind {
    /// The longest input, in bytes.
    pub(crate) fn length_max(self) -> usize {
        match self {
            Kind::Small | Kind::Inside => 96,
            Kind::File => 6 << 10,
            Kind::Run => 4 << 10,
        }
    }

    /// The most that an input may make a reader hold, in MiB.
    pub(crate) fn memory_mib_max(self) -> f32 {
        match self {
            Kind::Small => 64.0,
            Kind::Inside | Kind::File | Kind::Run => 2560.0,
        }
    }
}

/// One target.
#[derive(Debug)]
pub(crate) struct Target {
    /// How it is called.
    pub(crate) name: &'static str,
    /// Its kind.
    pub(crate) kind: Kind,
    /// Whether inputs are texts; otherwise bytes.
    pub(crate) text: bool,
    /// How many inputs a long run gives it.
    pub(crate) long: u64,
    /// What begins the pool.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Tokens of its syntax.
    pub(crate) words: &'static [&'static str],
    /// Makes the reader.
    pub(crate) check: fn() -> Check,
}

/// The lines of a file of small inputs.
pub(crate) fn lines(text: &'static str) -> Vec<Vec<u8>> {
    text.lines().map(|l| l.as_bytes().to_vec()).collect()
}

/// A check of a text; bytes that are none are shown as any terminal shows them.
pub(crate) fn of_text(mut check: impl FnMut(&str) -> Outcome + 'static) -> Check {
    Box::new(move |input| check(&String::from_utf8_lossy(input)))
}

/// The shape of what a reader says: the first letters of it that it does not quote.
pub(crate) fn shape(of: &dyn Display) -> u64 {
    const LETTERS: u32 = 40;
    #[derive(Default)]
    struct Words {
        hash: DefaultHasher,
        letters: u32,
        /// The mark that ends what is quoted.
        quoted: Option<u8>,
        escaped: bool,
    }
    impl Write for Words {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for b in text.bytes() {
                match self.quoted {
                    Some(mark) => {
                        if b == mark && !self.escaped {
                            self.quoted = None;
                        }
                        self.escaped = b == b'\\' && !self.escaped;
                    }
                    None if matches!(b, b'"' | b'`') => {
                        (self.quoted, self.escaped) = (Some(b), false)
                    }
                    None => {}
                }
                if self.quoted.is_none() && b.is_ascii_lowercase() && self.letters < LETTERS {
                    self.letters += 1;
                    self.hash.write_u8(b);
                }
            }
            Ok(())
        }
    }
    let mut words = Words::default();
    // Writing to a hasher cannot fail.
    _ = write!(words, "{of}");
    words.hash.finish()
}

/// Fails unless both are equal.
pub(crate) fn same<T: PartialEq + fmt::Debug>(
    what: &str,
    left: &T,
    right: &T,
) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left:?} is not {right:?}")) }
}
