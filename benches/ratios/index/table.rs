//! A table of the page in which figures of several trees share a row: each cell has a line for each tree.

use std::fmt::Write as _;

/// A table. Rows are identified by their first cell.
pub(crate) struct Table {
    head: &'static [&'static str],
    rows: Vec<(String, Vec<Vec<String>>)>,
}

impl Table {
    pub(crate) fn new(head: &'static [&'static str]) -> Self {
        Self { head, rows: Vec::new() }
    }

    /// Adds a line to the row `what`, which is made if it is missing.
    pub(crate) fn add(&mut self, what: &str, cells: Vec<String>) {
        assert_eq!(cells.len() + 1, self.head.len(), "{what} has a cell for each column");
        eprintln!("| {what} | {} |", cells.join(" | "));
        match self.rows.iter_mut().find(|(known, _)| known == what) {
            Some((_, lines)) => lines.push(cells),
            None => self.rows.push((what.to_owned(), vec![cells])),
        }
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("| {} |\n|{}\n", self.head.join(" | "), " --- |".repeat(self.head.len()));
        for (what, lines) in &self.rows {
            let columns = (0..self.head.len() - 1).map(|column| {
                let cells: Vec<&str> = lines.iter().map(|line| line[column].as_str()).collect();
                // A cell of empty lines is empty.
                let is_empty = cells.iter().all(|cell| cell.is_empty());
                if is_empty { String::new() } else { cells.join("<br>") }
            });
            let _ = writeln!(text, "| {what} | {} |", columns.collect::<Vec<_>>().join(" | "));
        }
        text
    }
}
