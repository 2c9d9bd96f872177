//! The layout of added members: that of the text around them, as a person would have written it.

use std::ops::Range;

use jsonc_parser::{
    ast::{Object, Value as Ast},
    common::Ranged as _,
};
use serde_json::{Map, Value};

use crate::edit::{Edit, line_start, nest, newline_of};

/// The indentation of a file that has none of its own.
const DEFAULT_INDENT: &str = "  ";

/// The habits of a text.
pub(super) struct Layout<'t> {
    text: &'t str,
    newline: &'static str,
    /// The indentation of one level.
    indent: &'t str,
    /// The space after colons and commas on one line: one, or none as `JSON.stringify` writes it.
    space: &'static str,
}

impl<'t> Layout<'t> {
    pub(super) fn new(text: &'t str, root: &Object) -> Self {
        let first = root.properties.first();
        let indent =
            first.and_then(|member| own_line_indent(text, member.range.start)).filter(|indent| !indent.is_empty());
        let is_dense = first.is_some_and(|member| text[..member.value.range().start].ends_with(':'));
        Self {
            text,
            newline: newline_of(text),
            indent: indent.unwrap_or(DEFAULT_INDENT),
            space: if is_dense { "" } else { " " },
        }
    }

    /// Returns the edits that add a member whose value is a new table.
    pub(super) fn insert_table(&self, object: &Object, key: &str, table: &Value) -> Vec<Edit> {
        // The table must be on several lines if the object is: see `is_created`.
        self.insert(object, key, table, false)
    }

    /// Returns the edits that add a member, on one line if the member before it is an object on one line.
    pub(super) fn insert_value(&self, object: &Object, key: &str, value: &Value) -> Vec<Edit> {
        let before = object.properties.last().map(|member| &member.value);
        let on_one_line = match before {
            Some(Ast::Object(before)) => {
                !before.properties.is_empty() && !self.text[before.range.start..before.range.end].contains('\n')
            }
            _ => false,
        };
        self.insert(object, key, value, on_one_line)
    }

    fn insert(&self, object: &Object, key: &str, value: &Value, on_one_line: bool) -> Vec<Edit> {
        let Some(last) = object.properties.last() else { return vec![self.insert_only(object, key, value)] };
        let gap = Gap::scan(self.text, last.range.end..object.range.end - 1);
        let at = gap.same_line_end;
        let own_line = own_line_indent(self.text, last.range.start);
        let indent = match own_line {
            Some(indent) => Some(indent.to_owned()),
            None if gap.same_line_ends_with_line_comment => Some(self.line_indent(object.range.start) + self.indent),
            None => None,
        };
        let member = match indent {
            Some(indent) if own_line.is_none() || on_one_line => {
                format!("{}{indent}{}", self.newline, self.member_on_one_line(key, value))
            }
            Some(indent) => format!("{0}{indent}{1}", self.newline, self.member(key, value, &indent)),
            None => format!("{}{}", self.space, self.member_on_one_line(key, value)),
        };
        match gap.comma {
            Some(_) => vec![Edit::insert(at, member + ",")],
            None => vec![Edit::insert(last.range.end, ","), Edit::insert(at, member)],
        }
    }

    /// Returns the edit that adds the only member of an object.
    fn insert_only(&self, object: &Object, key: &str, value: &Value) -> Edit {
        let close = object.range.end - 1;
        let gap = Gap::scan(self.text, object.range.start + 1..close);
        let member = self.member_on_one_line(key, value);
        if self.text[gap.end..close].contains('\n') {
            let indent = self.line_indent(close) + self.indent;
            Edit::insert(gap.end, format!("{}{indent}{member}", self.newline))
        } else {
            Edit::insert(gap.end, format!(" {member} "))
        }
    }

    /// Returns the indentation of the line that contains a position.
    fn line_indent(&self, at: usize) -> String {
        let line = &self.text[line_start(self.text, at)..at];
        line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned()
    }

    fn member(&self, key: &str, value: &Value, indent: &str) -> String {
        format!("{}: {}", quoted(key), self.on_lines(value, indent))
    }

    fn member_on_one_line(&self, key: &str, value: &Value) -> String {
        format!("{}:{}{}", quoted(key), self.space, self.on_one_line(value))
    }

    /// Formats a value with one member of an object a line.
    fn on_lines(&self, value: &Value, indent: &str) -> String {
        let Value::Object(members) = value else { return self.on_one_line(value) };
        let (inner, newline) = (format!("{indent}{}", self.indent), self.newline);
        let members: Vec<String> =
            members.iter().map(|(key, value)| format!("{newline}{inner}{}", self.member(key, value, &inner))).collect();
        format!("{{{}{newline}{indent}}}", members.join(","))
    }

    pub(super) fn on_one_line(&self, value: &Value) -> String {
        let separator = format!(",{}", self.space);
        match value {
            Value::Object(members) => {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| self.member_on_one_line(key, value)).collect();
                format!("{{{}}}", members.join(&separator))
            }
            Value::Array(values) => {
                let values: Vec<String> = values.iter().map(|value| self.on_one_line(value)).collect();
                format!("[{}]", values.join(&separator))
            }
            value => value.to_string(),
        }
    }
}

/// Returns the edit that adds a whole document to a text of spaces and comments.
pub(super) fn new_document(text: &str, path: &[String], entry: &Map<String, Value>) -> Edit {
    let layout = Layout { text, newline: newline_of(text), indent: DEFAULT_INDENT, space: " " };
    let document = layout.on_lines(&nest(path, entry), "");
    let newline = layout.newline;
    if text.is_empty() || text.ends_with('\n') {
        Edit::insert(text.len(), document + newline)
    } else {
        Edit::insert(text.len(), format!("{newline}{document}"))
    }
}

/// True if an object with one member is laid out as `add` creates objects: on several lines together with its member, or
/// without spaces inside its braces.
pub(super) fn is_created(text: &str, object: &Object) -> bool {
    let [member] = object.properties.as_slice() else { return false };
    let before = &text[object.range.start + 1..member.range.start];
    let after = &text[member.range.end..object.range.end - 1];
    let is_on_lines = text[member.range.start..member.range.end].contains('\n') && before.contains('\n');
    before.trim().is_empty() && after.trim().is_empty() && (is_on_lines || (before.is_empty() && after.is_empty()))
}

/// The text between two members, or between a member and a brace.
#[derive(Debug)]
pub(super) struct Gap {
    pub comma: Option<usize>,
    /// The end of the last comma or comment in the gap; the start of the gap if it has none.
    pub end: usize,
    pub ends_with_line_comment: bool,
    /// The end of the comma and of the comments that follow on its line; without a comma, of those on the first line of the
    /// gap.
    pub same_line_end: usize,
    pub same_line_ends_with_line_comment: bool,
}

impl Gap {
    pub(super) fn scan(text: &str, range: Range<usize>) -> Self {
        let mut gap = Self {
            comma: None,
            end: range.start,
            ends_with_line_comment: false,
            same_line_end: range.start,
            same_line_ends_with_line_comment: false,
        };
        let mut at = range.start;
        let mut is_same_line = true;
        while at < range.end {
            let rest = &text[at..range.end];
            let is_line_comment = rest.starts_with("//");
            let length = if is_line_comment {
                rest.find(['\n', '\r']).unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                let char = rest.chars().next().map_or(1, char::len_utf8);
                if rest.starts_with(',') {
                    gap.comma = Some(at);
                    is_same_line = true;
                } else {
                    is_same_line &= !rest.starts_with('\n');
                    at += char;
                    continue;
                }
                char
            };
            at += length;
            gap.end = at;
            gap.ends_with_line_comment = is_line_comment;
            if is_same_line {
                gap.same_line_end = at;
                gap.same_line_ends_with_line_comment = is_line_comment;
                is_same_line = !rest[..length].contains('\n');
            }
        }
        gap
    }
}

/// Returns the space before a position if nothing else is before it on its line, and the line is not the first.
fn own_line_indent(text: &str, at: usize) -> Option<&str> {
    let start = line_start(text, at);
    let before = &text[start..at];
    (start > 0 && before.trim_matches([' ', '\t']).is_empty()).then_some(before)
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
