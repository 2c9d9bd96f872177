//! Editing of TOML.
//!
//! As in JSON, the parser says where keys, values and headers are, and the text between them is never rewritten. An
//! addition appends a table with a blank line before it, or none to an empty text; [`removal`] is the inverse.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{Document, InlineTable, Item, Key, Table, TableLike};

use crate::{
    SERVER_NAME,
    edit::{Edit, leading_newline, line_end, line_start, nest, newline_of, position, trailing_newline},
    error::TextError,
};

/// Returns the edits of one missing or different part, as in JSON.
pub(crate) fn next_addition(
    text: &str,
    path: &[String],
    entry: &Map<String, Value>,
    contradicts: &[String],
) -> Result<Vec<Edit>, TextError> {
    let document = parse(text)?;
    let mut item = document.as_item();
    for (depth, key) in path.iter().enumerate() {
        let Some(next) = table_of(text, key, item)?.get(key) else {
            return Ok(vec![match item.as_inline_table() {
                Some(table) => insert_inline(text, table, key, &nest(&path[depth + 1..], entry)),
                None => append_section(text, path, entry),
            }]);
        };
        item = next;
    }
    let Some(existing) = table_of(text, path.last().map_or("", String::as_str), item)?.get(SERVER_NAME) else {
        return Ok(vec![match item.as_inline_table() {
            Some(table) => insert_inline(text, table, SERVER_NAME, &Value::Object(entry.clone())),
            None => append_section(text, path, entry),
        }]);
    };
    let table = table_of(text, SERVER_NAME, existing)?;
    for key in contradicts {
        if let Some((key, item)) = table.get_key_value(key) {
            return Ok(match existing.as_inline_table() {
                Some(table) => remove_inline(text, table, key),
                None => delete(text, key, item),
            });
        }
    }
    for (key, value) in entry {
        let formatted = format(value);
        let Some(item) = table.get(key) else {
            return Ok(vec![match existing {
                Item::Table(table) if table.is_dotted() => insert_dotted(text, table, key, &formatted),
                Item::Table(table) if table.is_implicit() => append_section(text, path, entry),
                Item::Table(table) => insert_line(text, section(text, table).end, &format!("{key} = {formatted}")),
                existing => insert_inline(text, existing.as_inline_table().unwrap_or(&InlineTable::new()), key, value),
            }]);
        };
        let span = item.span().unwrap_or_default();
        if !item.is_value() {
            let (line, column) = position(text, span.start);
            return Err(TextError::WrongType { what: format!("`{key}`"), expected: "a value", line, column });
        }
        if item.as_str() != value.as_str() || (item.as_str().is_none() && text[span.clone()] != formatted) {
            return Ok(vec![Edit { range: span, text: formatted }]);
        }
    }
    Ok(Vec::new())
}

/// Returns the edits that remove the entry `fumi` of the table at `path`, or none if it does not exist.
pub(crate) fn removal(text: &str, path: &[String]) -> Result<Vec<Edit>, TextError> {
    let document = parse(text)?;
    let mut item = document.as_item();
    for key in path {
        let Some(next) = table_of(text, key, item)?.get(key) else { return Ok(Vec::new()) };
        item = next;
    }
    let servers = table_of(text, path.last().map_or("", String::as_str), item)?;
    let Some((key, server)) = servers.get_key_value(SERVER_NAME) else { return Ok(Vec::new()) };
    table_of(text, SERVER_NAME, server)?;
    Ok(match item.as_inline_table() {
        Some(table) => remove_inline(text, table, key),
        None => delete(text, key, server),
    })
}

fn parse(text: &str) -> Result<Document<&str>, TextError> {
    Document::parse(text).map_err(|error| {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        let reason = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        TextError::Syntax { format: "TOML", line, column, reason }
    })
}

/// Returns an item as a table. Dotted keys inside of braces are refused, because the parser gives them no range.
fn table_of<'i>(text: &str, name: &str, item: &'i Item) -> Result<&'i dyn TableLike, TextError> {
    let is_dotted_inline = item.as_inline_table().is_some_and(InlineTable::is_dotted);
    item.as_table_like().filter(|_| !is_dotted_inline).ok_or_else(|| {
        let (line, column) = position(text, item.span().unwrap_or_default().start);
        let expected = if is_dotted_inline { "a table without dotted keys" } else { "a table" };
        TextError::WrongType { what: format!("`{name}`"), expected, line, column }
    })
}

/// Returns the edit that adds the table of the entry at the end.
fn append_section(text: &str, path: &[String], entry: &Map<String, Value>) -> Edit {
    let newline = newline_of(text);
    let mut lines = vec![format!("[{}.{SERVER_NAME}]", path.join("."))];
    lines.extend(entry.iter().map(|(key, value)| format!("{key} = {}", format(value))));
    let section = lines.join(newline);
    let inserted = match text {
        "" => section + newline,
        text if text.ends_with('\n') => format!("{newline}{section}{newline}"),
        _ => format!("{newline}{newline}{section}"),
    };
    Edit::insert(text.len(), inserted)
}

/// Returns the edit that adds a line at the end of another.
fn insert_line(text: &str, end: usize, line: &str) -> Edit {
    let newline = newline_of(text);
    Edit::insert(end, if text[..end].ends_with('\n') { format!("{line}{newline}") } else { format!("{newline}{line}") })
}

/// Returns the edit that adds a key to a table of dotted keys, with the prefix of the keys that it has.
fn insert_dotted(text: &str, table: &Table, key: &str, formatted: &str) -> Edit {
    let siblings = table.iter().filter_map(|(name, _)| {
        let (key, item) = table.get_key_value(name)?;
        Some((leaf_end(item)?, start_of(key)))
    });
    let (end, start) = siblings.max().unwrap_or_default();
    let prefix = &text[line_start(text, start)..start];
    insert_line(text, line_end(text, end), &format!("{prefix}{key} = {formatted}"))
}

/// Returns the edit that adds a key to an inline table.
fn insert_inline(text: &str, table: &InlineTable, key: &str, value: &Value) -> Edit {
    let span = table.span().unwrap_or_default();
    let member = format!("{key} = {}", format(value));
    let ends = table.iter().filter_map(|(key, _)| leaf_end(table.get_key_value(key)?.1));
    match ends.max() {
        None => Edit::insert(span.start + 1, format!(" {member} ")),
        Some(end) => match comma_in(text, end..span.end) {
            None => Edit::insert(end, format!(", {member}")),
            Some(comma) => Edit::insert(comma + 1, format!(" {member},")),
        },
    }
}

/// Returns the edits that remove a key from an inline table, with one comma.
fn remove_inline(text: &str, table: &InlineTable, key: &Key) -> Vec<Edit> {
    let close = table.span().unwrap_or_default().end - 1;
    let mut before = None;
    let mut after = None;
    let mut range = start_of(key)..start_of(key);
    for (name, _) in table {
        let Some((other, item)) = table.get_key_value(name) else { continue };
        if other.get() == key.get() {
            range.end = leaf_end(item).unwrap_or(range.end);
        } else if start_of(other) < range.start {
            before = before.max(leaf_end(item));
        } else {
            after = after.or(Some(start_of(other)));
        }
    }
    if let Some(comma) = before.and_then(|end| comma_in(text, end..range.start)) {
        return vec![Edit::delete(comma..range.end)];
    }
    if let Some(next) = after {
        return vec![Edit::delete(range.start..next)];
    }
    let comma = comma_in(text, range.end..close);
    range.start -= usize::from(text[..range.start].ends_with(' '));
    range.end += usize::from(comma.is_none() && text[range.end..].starts_with(' '));
    let mut edits = vec![Edit::delete(range)];
    edits.extend(comma.map(|comma| Edit::delete(comma..comma + 1)));
    edits
}

/// Returns the first comma outside of comments in a text between two members.
fn comma_in(text: &str, range: Range<usize>) -> Option<usize> {
    let mut is_comment = false;
    text[range.clone()].char_indices().find_map(|(at, char)| {
        match char {
            '#' => is_comment = true,
            '\n' => is_comment = false,
            _ => {}
        }
        (char == ',' && !is_comment).then_some(range.start + at)
    })
}

/// Whole lines of an item.
struct Lines {
    range: Range<usize>,
    /// True if they start with a header.
    is_section: bool,
}

/// Collects the lines of an item and of its tables.
fn collect_lines(text: &str, key: &Key, item: &Item, lines: &mut Vec<Lines>) {
    match item {
        Item::Table(table) => collect_table(text, table, lines),
        Item::ArrayOfTables(tables) => tables.iter().for_each(|table| collect_table(text, table, lines)),
        item => {
            let end = item.span().unwrap_or_default().end;
            lines.push(Lines { range: line_start(text, start_of(key))..line_end(text, end), is_section: false });
        }
    }
}

fn collect_table(text: &str, table: &Table, lines: &mut Vec<Lines>) {
    let has_header = !table.is_dotted() && !table.is_implicit();
    if has_header {
        lines.push(Lines { range: section(text, table), is_section: true });
    }
    for (name, _) in table {
        let Some((key, item)) = table.get_key_value(name) else { continue };
        let is_in_section = match item {
            Item::Table(table) => table.is_dotted(),
            Item::ArrayOfTables(_) => false,
            _ => true,
        };
        if !(has_header && is_in_section) {
            collect_lines(text, key, item, lines);
        }
    }
}

/// Returns the lines of a table from its header to its last value.
fn section(text: &str, table: &Table) -> Range<usize> {
    let header = table.span().unwrap_or_default();
    let ends = table.iter().filter_map(|(_, item)| leaf_end(item));
    line_start(text, header.start)..line_end(text, ends.max().unwrap_or(header.end))
}

/// Returns the end of a value, or of the last value of dotted keys. A table with a header has none.
fn leaf_end(item: &Item) -> Option<usize> {
    match item {
        Item::Table(table) if table.is_dotted() => table.iter().filter_map(|(_, item)| leaf_end(item)).max(),
        Item::Value(value) => Some(value.span()?.end),
        _ => None,
    }
}

/// Returns the edits that remove an item: its lines, and the blank line before a header, which `add` puts there.
fn delete(text: &str, key: &Key, item: &Item) -> Vec<Edit> {
    let mut lines = Vec::new();
    collect_lines(text, key, item, &mut lines);
    lines.sort_by_key(|lines| lines.range.start);
    let mut last_end = 0;
    // The end of the lines that are removed from the start on.
    let mut start_of_text = 0;
    let mut edits = Vec::new();
    for Lines { range: Range { mut start, mut end }, is_section } in lines {
        let newline = trailing_newline(&text[..start]);
        let is_after_blank_line = line_start(text, start - newline) == start - newline;
        if is_section && end == text.len() && !text.ends_with('\n') {
            start -= newline;
            start -= trailing_newline(&text[..start]);
        } else if is_section && newline > 0 && is_after_blank_line {
            start -= newline;
        }
        if start <= start_of_text {
            end += if is_section { leading_newline(&text[end..]) } else { 0 };
            start_of_text = end;
        }
        start = start.max(last_end);
        last_end = end;
        edits.push(Edit::delete(start..end));
    }
    edits
}

fn start_of(key: &Key) -> usize {
    key.span().unwrap_or_default().start
}

/// Formats a value on one line.
fn format(value: &Value) -> String {
    toml::Value::try_from(value).expect("entries have no null").to_string()
}
