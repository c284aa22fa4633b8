//! How the parts of a forecast are set.

use crate::files::line;
use crate::report::prelude::*;
use crate::report::text::{PLAIN, Printer};

/// At most this many nodes, and as many pods that are evicted or stuck, are listed by default.
pub(super) const FEW: usize = 12;

impl Printer<'_> {
    /// The title of a part that is set apart from the one before.
    pub(super) fn part(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out)?;
        self.title(text)
    }

    pub(super) fn item(&mut self, name: &str, said: &str) -> io::Result<()> {
        let (name, said) = (line(name), line(said));
        let column = 31.max(name.chars().count() + 3);
        // Names of nodes are not broken: beside a long one of a zone they may have no room.
        let longest = said.split(' ').map(|w| w.chars().count()).max();
        if column > 31 && column + longest.unwrap_or(0) > self.style.width {
            write!(self.out, "  {name}\n{:31}", "")?;
            return self.folded(&said, 31, PLAIN);
        }
        write!(self.out, "  {name:<28} ")?;
        self.folded(&said, column, PLAIN)
    }

    pub(super) fn pod(&mut self, pod: &str, said: &str) -> io::Result<()> {
        let pod = line(pod);
        write!(self.out, "    {pod:<34} ")?;
        let column = 39.max(pod.chars().count() + 5);
        self.folded(&line(said), column, PLAIN)
    }
}
