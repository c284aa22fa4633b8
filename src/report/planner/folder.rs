//! The folder of a plan, written as a whole.

use super::told::Told;
use super::{charts, json::document, text};
use crate::lab::planner::Kept;
use crate::report::charts::{draw_figures, draw_plane};
use crate::report::output::write_drawing;
use crate::report::{Folder, OutputError, Style, Written, html, json};
use serde_json::json;
use std::path::Path;

/// Writes the folder `parent/NAME` of a plan; an earlier one of that name is replaced as a whole;
/// a `page` is part of it where one is given.
///
/// # Errors
/// [`OutputError`]; nothing is left behind then, and an earlier folder stays as it was.
pub(crate) fn write_folder(
    all: &[Told<'_>],
    kept: &Kept,
    parent: &Path,
    name: &str,
    page: Option<&html::Page>,
) -> Result<Written, OutputError> {
    let mut folder = Folder::create(parent, name)?;
    folder.write("plan.txt", |out| text::write(out, all, None, Style::default()))?;
    folder.write("plan.json", |out| json::write(out, &document(all, kept)))?;
    for (i, told) in all.iter().enumerate() {
        // Of several settings each has charts of its own.
        let before = match all.len() {
            1 => String::new(),
            _ => format!("{}-", i + 1),
        };
        charts_of(&mut folder, told, &before)?;
    }
    if let Some(page) = page {
        folder.write(html::FILE, |out| html::write(out, page))?;
    }
    Ok(folder.finish_with(json!({ "plan": kept.scenario }))?)
}

/// Writes the charts of a plan, their names with something before them.
fn charts_of(folder: &mut Folder, told: &Told<'_>, before: &str) -> Result<(), OutputError> {
    let planes = [
        ("cost", Some(charts::cost(told))),
        ("front", Some(charts::front(told))),
        ("years", charts::years(told)),
    ];
    for (name, plane) in planes {
        let Some(plane) = plane else { continue };
        write_drawing(folder, &format!("{before}{name}"), &draw_plane(&plane))?;
    }
    if !told.answer.sensitivities.is_empty() {
        let drawing = draw_figures(&charts::tornado(told));
        write_drawing(folder, &format!("{before}tornado"), &drawing)?;
    }
    Ok(())
}
