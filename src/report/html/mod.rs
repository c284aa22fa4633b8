//! `report.html`: one file that shows what was found in a browser, without asking anybody for
//! anything.
//!
//! What is shown goes into the page as columns of numbers and texts (`columns`), deflated, and the
//! page's own modules in `extra/web/` draw it. Nothing of it is markup: names come from clusters of
//! strangers. `run` makes the columns of a run; they need no command line, so that the same modules
//! show a run that was simulated in a browser.

#[cfg(feature = "cli")]
pub(crate) mod board;
mod columns;
#[cfg(feature = "cli")]
mod page;
mod run;

#[cfg(feature = "cli")]
pub(crate) use page::{FILE, Page, SHARED, UPLOT, UPLOT_LICENCE, is_page, modules, style, write};
pub use run::columns_of;
