//! Columns of text beside each other, each as wide as its widest line.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// A heading, and what stands below it in each row; both may have several lines.
pub(crate) type Filled = (String, Vec<String>);

/// The room that a column takes, with the space behind it.
pub(crate) fn width((heading, cells): &Filled) -> usize {
    let lines = std::iter::once(heading).chain(cells).flat_map(|t| t.lines());
    lines.map(|t| t.chars().count()).max().unwrap_or(0) + 2
}

/// A table of these columns, which are aligned at the right but for those that are `left`. With a
/// width, what is wider is folded.
pub(crate) fn table(
    columns: &[Filled],
    width: Option<usize>,
    left: impl Fn(usize) -> bool,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    table.set_header(columns.iter().map(|c| &c.0));
    for row in 0..columns.first().map_or(0, |c| c.1.len()) {
        table.add_row(columns.iter().map(|c| Cell::new(&c.1[row])));
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        let alignment = if left(i) { CellAlignment::Left } else { CellAlignment::Right };
        column.set_cell_alignment(alignment);
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}
