//! The settings of a scenario: every path that `--set` takes, and what it is set to.

use super::results::*;
use crate::scenario::Setting;

/// Values of longer paths stand below them.
const PATH_COLUMNS: usize = 50;

/// Writes a setting to a line, or to two where it is long.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, settings: &[Setting]) -> io::Result<()> {
    let paths = settings.iter().map(|s| s.path.chars().count());
    let column = paths.filter(|n| *n <= PATH_COLUMNS).max().unwrap_or(0) + 2;
    for setting in settings {
        let said = match (&setting.value, setting.is_default()) {
            (Some(value), false) => value.clone(),
            (Some(value), true) => format!("{value} (default)"),
            (None, _) => "(default)".to_owned(),
        };
        if setting.path.chars().count() < column && column + said.chars().count() <= p.style.width {
            writeln!(p.out, "{:column$}{said}", setting.path)?;
            continue;
        }
        writeln!(p.out, "{}", setting.path)?;
        p.indented(&said, 4, PLAIN)?;
    }
    Ok(())
}

/// What is told of a setting.
fn fields<'s>() -> [Field<&'s Setting>; 4] {
    [
        ("path", Kind::Text, |s| Cell::text(Some(s.path.clone()))),
        ("value", Kind::Text, |s| Cell::text(s.value.clone())),
        ("default", Kind::Text, |s| Cell::text(s.default.clone())),
        ("is_default", Kind::Truth, |s| Cell::Truth(s.is_default())),
    ]
}

pub(crate) fn table(settings: &[Setting]) -> Rows {
    Rows::of("settings", &fields(), settings)
}

/// The same as JSON.
pub(crate) fn document(scenario: &str, settings: &[Setting]) -> Value {
    let settings: Vec<_> = settings.iter().map(|s| object(&fields(), s)).collect();
    json!({ "scenario": scenario, "settings": settings })
}
