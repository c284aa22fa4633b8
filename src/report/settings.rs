//! The settings of a scenario: every path that `--set` takes, and what it is set to.

use super::Style;
use super::text::fold;
use crate::scenario::Setting;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Values of longer paths stand below them.
const PATH_COLUMNS: usize = 50;

/// Writes a setting to a line, or to two where it is long.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(out: &mut dyn Write, settings: &[Setting], style: Style) -> io::Result<()> {
    let paths = settings.iter().map(|s| s.path.chars().count());
    let column = paths.filter(|n| *n <= PATH_COLUMNS).max().unwrap_or(0) + 2;
    for setting in settings {
        let said = match (&setting.value, setting.is_default()) {
            (Some(value), false) => value.clone(),
            (Some(value), true) => format!("{value} (default)"),
            (None, _) => "(default)".to_owned(),
        };
        if setting.path.chars().count() < column && column + said.chars().count() <= style.width {
            writeln!(out, "{:column$}{said}", setting.path)?;
            continue;
        }
        writeln!(out, "{}", setting.path)?;
        for line in fold(&said, style.width.saturating_sub(4)) {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

/// The same as JSON.
pub(crate) fn document(scenario: &str, settings: &[Setting]) -> Value {
    let one = |s: &Setting| json!({ "path": s.path, "value": s.value, "default": s.default, "is_default": s.is_default() });
    json!({
        "version": 1,
        "scenario": scenario,
        "settings": settings.iter().map(one).collect::<Vec<_>>(),
    })
}
