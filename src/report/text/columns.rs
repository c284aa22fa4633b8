//! Columns of text beside each other, each as wide as its widest line.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// A heading, and what stands below it in each row; both may have several lines.
pub(crate) type Filled = (String, Vec<String>);

/// The room that a column takes, with the space behind it.
pub(crate) fn width((heading, cells): &Filled) -> usize {
    let lines = std::iter::once(heading).chain(cells).flat_map(|t| t.lines());
    lines.map(|t| t.chars().count()).max().unwrap_or(0) + 2
}

/// The columns of one table or more, each as wide as that and with all of the names: figures that have no room beside others
/// follow in a table of their own.
pub(crate) fn tables(names: &[Filled], figures: Vec<Filled>, wide: usize) -> Vec<Vec<Filled>> {
    // What stands behind the last column needs no room.
    let room = (wide + 2).saturating_sub(names.iter().map(width).sum());
    let mut tables = vec![(0, names.to_vec())];
    for column in figures {
        let own = width(&column);
        match tables.last_mut() {
            Some((taken, columns)) if *taken == 0 || *taken + own <= room => {
                *taken += own;
                columns.push(column);
            }
            _ => tables.push((own, names.iter().cloned().chain([column]).collect())),
        }
    }
    tables.into_iter().map(|(_, columns)| columns).collect()
}

/// A table of these columns, which are aligned at the right but for those that are `left`.
pub(crate) fn table(columns: &[Filled], left: impl Fn(usize) -> bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The name takes 9 of 32, two more than there are, as nothing stands behind the last column; of the figures with 10, 8 and 10 two
    /// have room in 23, and no cell is folded.
    #[test]
    fn figures_without_room_follow_in_a_table_of_their_own() {
        let column = |head: &str, cell: &str| (head.to_owned(), vec![cell.to_owned()]);
        let names = [column("model", "the-top")];
        let figures = [("expected", "24,000"), ("drawn", "23,782"), ("longest", "3h34m55s")]
            .map(|(h, c)| column(h, c));
        let [expected, drawn, longest] = figures.clone();
        let all = tables(&names, figures.into(), 30);
        let [name] = names;
        assert_eq!(all, [vec![name.clone(), expected, drawn], vec![name, longest]]);
        assert_eq!(table(&all[1], |i| i == 0), "model     longest\nthe-top  3h34m55s");
    }
}
