//! Tables for a terminal: a head and rows, no lines between.

use comfy_table::{CellAlignment, Table, presets::NOTHING};

use super::ink::line;

/// A table; columns whose cells are all numbers stand at the right. Foreign text cannot move the cursor.
pub fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(head.iter().copied());
    let numbers: Vec<bool> = (0..head.len())
        .map(|column| {
            rows.iter()
                .all(|row| row.get(column).is_some_and(|cell| is_number(cell)))
        })
        .collect();
    for row in rows {
        table.add_row(row.iter().map(|cell| line(cell)));
    }
    for (column, number) in numbers.into_iter().enumerate() {
        if let Some(column) = table.column_mut(column).filter(|_| number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = table.trim_fmt();
    out.push('\n');
    out
}

fn is_number(cell: &str) -> bool {
    !cell.is_empty()
        && cell
            .chars()
            .all(|c| c.is_ascii_digit() || "+-.".contains(c))
}
