//! `--html` of commands that write no folder of results, and runs for the pages of those that look
//! at many.

use super::file::writable;
use super::prelude::*;
use super::run::{Ready, progress, ready, simulate};
use crate::report::html;
use crate::report::{Report, Style};
use std::ffi::OsStr;

/// The runs that a page holds, at most.
pub(super) const RUNS_MAX: usize = 24;

/// How many bytes at the beginning have the head of a page.
const HEAD: u64 = 4_096;

/// Where a page is written.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct HtmlArg {
    /// Write a page, too, that shows it in a browser [default file: report.html]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = html::FILE)]
    pub(super) html: Option<PathBuf>,
    /// The folder that it is in, to be made where it is not there.
    #[arg(skip)]
    folder: Option<PathBuf>,
}

impl HtmlArg {
    /// Has the page of a work plan, whose maker is somebody else, written under its name in the
    /// folder for results, wherever the plan says.
    pub(super) fn put_into(&mut self, folder: &Path) {
        if let Some(path) = &mut self.html {
            let name = path.file_name().unwrap_or(OsStr::new(html::FILE));
            *path = folder.join(name);
            self.folder = Some(folder.to_owned());
        }
    }

    /// Refuses a file that is no page of ours, or could not be written, before any work is done for it.
    pub(crate) fn fits(&self) -> Result<()> {
        let Some(path) = &self.html else { return Ok(()) };
        let is_other = files::beginning(path, HEAD).is_ok_and(|bytes| !html::is_page(&bytes));
        let text = format!("{} is no page of taintsim; it is left as it is", path.display());
        let help = "name another file: --html replaces only pages that taintsim wrote";
        refuse_if(is_other, text, help)?;
        // The folder for results is there once there are any.
        if self.folder.is_some() { Ok(()) } else { writable(path) }
    }

    /// Writes the page that `make` makes, if one is asked for.
    pub(super) fn write(&self, make: impl FnOnce() -> Result<Page>) -> Result<()> {
        let Some(path) = &self.html else { return Ok(()) };
        self.fits()?;
        let mut bytes = Vec::new();
        html::write(&mut bytes, &make()?)?;
        if let Some(folder) = &self.folder {
            files::make_folder(folder).map_err(|e| Failure::write(folder, &e))?;
        }
        write_whole(path, &bytes)
    }
}

/// A page of parts, with the runs that they show, by name; `board` may show what is printed, too.
pub(super) fn page(
    print: impl FnOnce(&mut Printer<'_>) -> io::Result<()>,
    board: impl FnOnce(String) -> Board,
    runs: Vec<(String, Vec<u8>)>,
) -> Result<Page> {
    let mut text = Vec::new();
    print(&mut Printer::new(&mut text, Style { colour: false, width: 120 }))?;
    let board = board(String::from_utf8_lossy(&text).into_owned());
    Ok(Page::of_board(&board, text, runs))
}

/// A run as the columns of a page.
pub(super) fn columns(analysis: &Analysis<'_>, ready: &Ready, window: Dur) -> Vec<u8> {
    let report = Report::new(analysis, &ready.source, window);
    html::columns_of(&report, Some(&ready.groups))
}

/// Runs a scenario for a page.
pub(super) fn run_for_page(loaded: &Loaded, overrides: Overrides, window: Dur) -> Result<Vec<u8>> {
    let ready = ready(loaded.clone(), loaded.source.name.to_string(), overrides)?;
    let trace = simulate(&ready, &progress(&ready.plan, &Terminal::default().quietly(true)), "")?;
    Ok(columns(&Analysis::new(&ready.plan, &trace), &ready, window))
}
