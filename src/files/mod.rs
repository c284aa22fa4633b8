//! What comes in from the outside and what goes out to it: readers with a bound, writers that leave
//! the old or the new and nothing between, and texts of others made harmless.
//!
//! Every file that the program reads is read by [`read()`] or a function beside it, and every file
//! that it writes is written through `replace()`, `append()` or a `Temporary`;
//! `tests/it/tidy.rs` holds the code to that. Nothing here prints unasked, and nothing from `kernel` to
//! `sim` knows that there are files.

mod fingerprint;
mod large;
mod read;
mod replace;
mod shown;
mod temporary;

pub use fingerprint::fnv1a64;
pub(crate) use fingerprint::{
    COPIED, Fingerprint, InputFile, Places, copy_name, fnv1a64_more, hash_text,
};
pub(crate) use large::{LargeFile, PACKED, Packing};
pub use read::{ReadError, beginning, read, text, unpack, within};
pub(crate) use read::{beside, ending, is_gzip, is_reading, read_from, said, said_of, text_anyway};
pub(crate) use replace::{append, make_folder, replace, replaceable, restore};
pub use shown::{Escaped, Form};
pub(crate) use shown::{STDIN, acts, called, cell, line, shown};
pub(crate) use temporary::{Temporary, take_away};
