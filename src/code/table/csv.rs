//! The CSV table (RFC 4180): one header row, one row for each element, plain cells.
//!
//! The columns are those of the language's family and do not depend on the file. Line ends are CRLF as the RFC
//! requires.

use super::rows::ElementRow;
use crate::languages::facts::LanguageFamily;

/// The name of a column and the function that fills it.
type CsvColumn = (&'static str, fn(&ElementRow) -> String);

/// Renders the rows of a file in a language of this family.
pub fn render(family: LanguageFamily, rows: &[ElementRow]) -> String {
    let columns: &[CsvColumn] = match family {
        LanguageFamily::Code => &[
            ("type", |row| row.kind.to_owned()),
            ("name", |row| row.name.clone()),
            ("parent", |row| row.parent.clone()),
            ("signature", |row| row.signature.clone()),
            ("visibility", |row| row.visibility.clone()),
            ("modifiers", |row| row.modifiers.clone()),
            ("start_line", |row| row.start_line.to_string()),
            ("end_line", |row| row.end_line.to_string()),
            ("complexity", |row| row.complexity.map_or_else(String::new, |value| value.to_string())),
            ("doc", |row| row.doc.clone()),
            ("decorators", |row| row.decorators.clone()),
        ],
        LanguageFamily::Markup => &[
            ("type", |row| row.kind.to_owned()),
            ("name", |row| row.name.clone()),
            ("element_class", |row| row.class.clone()),
            ("parent", |row| row.parent.clone()),
            ("tag", |row| row.signature.clone()),
            ("text", |row| row.value.clone()),
            ("start_line", |row| row.start_line.to_string()),
            ("end_line", |row| row.end_line.to_string()),
        ],
        LanguageFamily::Style => &[
            ("type", |row| row.kind.to_owned()),
            ("selector", |row| row.name.clone()),
            ("property", |row| row.signature.clone()),
            ("value", |row| row.value.clone()),
            ("property_class", |row| row.class.clone()),
            ("media", |row| row.parent.clone()),
            ("start_line", |row| row.start_line.to_string()),
            ("end_line", |row| row.end_line.to_string()),
        ],
        LanguageFamily::Document => &[
            ("type", |row| row.kind.to_owned()),
            ("name", |row| row.name.clone()),
            ("parent", |row| row.parent.clone()),
            ("info", |row| row.value.clone()),
            ("start_line", |row| row.start_line.to_string()),
            ("end_line", |row| row.end_line.to_string()),
        ],
        LanguageFamily::Data => &[
            ("key", path),
            ("type", |row| row.class.clone()),
            ("value", |row| row.value.clone()),
            ("start_line", |row| row.start_line.to_string()),
            ("end_line", |row| row.end_line.to_string()),
        ],
    };
    let mut out = line(columns.iter().map(|(name, _)| (*name).to_owned()));
    for row in rows {
        out.push_str(&line(columns.iter().map(|(_, cell)| cell(row))));
    }
    out
}

/// Returns the dotted names from the outermost key to this one.
fn path(row: &ElementRow) -> String {
    if row.parent.is_empty() { row.name.clone() } else { format!("{}.{}", row.parent, row.name) }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| quoted(&cell)).collect();
    format!("{}\r\n", cells.join(","))
}

/// Quotes a cell only if the RFC requires it.
fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}
