//! Editing of JSON with comments.
//!
//! The parser says where objects are; the text between them is never rewritten. How a member is laid out says what
//! [`removal`] must restore: a table that existed and was empty gets its member on one line, a table that an addition
//! creates is written on several lines, or without spaces inside its braces. So removing is the inverse of adding.

mod layout;

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Object, ObjectProp, Value as Ast},
    common::Ranged as _,
    parse_to_ast,
};
use serde_json::{Map, Value};

use crate::{
    SERVER_NAME,
    edit::{Edit, leading_newline, nest, position, trailing_newline},
    error::TextError,
};
use layout::{Gap, Layout};

/// Comments and trailing commas are what clients accept beyond JSON.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Returns the edits of one missing or different part of the entry `fumi` in the table at `path`, or none if the entry is
/// complete. Keys of an existing entry stay unless `entry` has them or `contradicts` names them.
pub(crate) fn next_addition(
    text: &str,
    path: &[String],
    entry: &Map<String, Value>,
    contradicts: &[String],
) -> Result<Vec<Edit>, TextError> {
    let Some(root) = parse(text)? else { return Ok(vec![layout::new_document(text, path, entry)]) };
    let mut object = object_of(text, "the file", &root)?;
    let layout = Layout::new(text, object);
    for (depth, key) in path.iter().enumerate() {
        let Some(member) = find(text, object, key)? else {
            let table = nest(&path[depth + 1..], entry);
            return Ok(layout.insert_table(object, key, &table));
        };
        object = object_of(text, &format!("`{key}`"), &member.value)?;
    }
    let Some(member) = find(text, object, SERVER_NAME)? else {
        return Ok(layout.insert_value(object, SERVER_NAME, &Value::Object(entry.clone())));
    };
    let existing = object_of(text, &format!("`{SERVER_NAME}`"), &member.value)?;
    for key in contradicts {
        if find(text, existing, key)?.is_some() {
            return Ok(remove_member(text, existing, key));
        }
    }
    merge(text, &layout, existing, entry)
}

/// Returns the edits for the first key of `wanted` that an object lacks or that differs in it.
fn merge(text: &str, layout: &Layout, object: &Object, wanted: &Map<String, Value>) -> Result<Vec<Edit>, TextError> {
    for (key, value) in wanted {
        let edits = match (find(text, object, key)?, value) {
            (None, value) => layout.insert_value(object, key, value),
            (Some(ObjectProp { value: Ast::Object(nested), .. }), Value::Object(wanted)) => {
                merge(text, layout, nested, wanted)?
            }
            (Some(member), value) if is_equal(&member.value, value) => continue,
            (Some(member), value) => {
                let range = member.value.range();
                vec![Edit { range: range.start..range.end, text: layout.on_one_line(value) }]
            }
        };
        if !edits.is_empty() {
            return Ok(edits);
        }
    }
    Ok(Vec::new())
}

/// True if a value in a text equals a wanted one. Numbers do not occur in entries.
fn is_equal(value: &Ast, wanted: &Value) -> bool {
    match (value, wanted) {
        (Ast::StringLit(text), Value::String(wanted)) => text.value == wanted.as_str(),
        (Ast::BooleanLit(value), Value::Bool(wanted)) => value.value == *wanted,
        (Ast::Array(values), Value::Array(wanted)) => {
            values.elements.len() == wanted.len()
                && values.elements.iter().zip(wanted).all(|(value, wanted)| is_equal(value, wanted))
        }
        _ => false,
    }
}

/// Returns the edits that remove the entry `fumi` of the table at `path`, and the table if it was created with the entry;
/// or none if the entry does not exist.
pub(crate) fn removal(text: &str, path: &[String]) -> Result<Vec<Edit>, TextError> {
    let Some(root) = parse(text)? else { return Ok(Vec::new()) };
    let mut object = object_of(text, "the file", &root)?;
    // The objects from the root to the table, each with the key that leads on.
    let mut chain = Vec::new();
    for key in path {
        let Some(member) = find(text, object, key)? else { return Ok(Vec::new()) };
        chain.push((object, key.as_str()));
        object = object_of(text, &format!("`{key}`"), &member.value)?;
    }
    if find(text, object, SERVER_NAME)?.is_none() {
        return Ok(Vec::new());
    }
    chain.push((object, SERVER_NAME));
    while let Some((object, key)) = chain.pop() {
        if !layout::is_created(text, object) {
            return Ok(remove_member(text, object, key));
        }
    }
    let range = root.range();
    let (mut start, mut end) = (range.start, range.end);
    match leading_newline(&text[end..]) {
        0 => start -= trailing_newline(&text[..start]),
        length => end += length,
    }
    Ok(vec![Edit::delete(start..end)])
}

/// Returns the edits that remove a member with its comma and the space before it. Comments stay.
fn remove_member(text: &str, object: &Object, key: &str) -> Vec<Edit> {
    let members = &object.properties;
    let Some(at) = members.iter().position(|member| member.name.as_str() == key) else { return Vec::new() };
    let member = &members[at].range;
    let close = object.range.end - 1;
    let before_start = if at == 0 { object.range.start + 1 } else { members[at - 1].range.end };
    let before = Gap::scan(text, before_start..member.start);
    let after = Gap::scan(text, member.end..members.get(at + 1).map_or(close, |next| next.range.start));

    let is_last = at + 1 == members.len();
    let spaces = |from: usize| text[from..].len() - text[from..].trim_start_matches([' ', '\t']).len();
    let mut start = before.end;
    let mut end = after.comma.map_or(member.end, |comma| comma + 1);
    if members.len() == 1 && !text[start..member.start].contains('\n') {
        // `add` put one space on each side.
        start = member.start - usize::from(text[start..member.start].ends_with(' '));
        if after.comma.is_none() && text[end..].starts_with(' ') {
            end += 1;
        }
    } else if at == 0 && start == member.start && !is_last {
        end += spaces(end);
    }
    // The rest of the line must not become part of a line comment.
    let rest = &text[end..];
    let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
    if before.ends_with_line_comment && !rest.trim().is_empty() {
        start = member.start;
        end += spaces(end);
    }
    let mut edits = Vec::new();
    if let Some(comma) = after.comma {
        edits.push(Edit::delete(start..member.end));
        edits.push(Edit::delete(comma..end));
    } else {
        if is_last && let Some(comma) = before.comma {
            edits.push(Edit::delete(comma..comma + 1));
        }
        edits.push(Edit::delete(start..end));
    }
    edits
}

/// Returns the value of a text, or `None` if it has only spaces and comments.
fn parse(text: &str) -> Result<Option<Ast<'_>>, TextError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS).map_err(|error| {
        let (line, column) = position(text, error.range().start);
        TextError::Syntax { format: "JSON", line, column, reason: error.kind().to_string() }
    })?;
    Ok(parsed.value)
}

fn object_of<'v, 't>(text: &str, what: &str, value: &'v Ast<'t>) -> Result<&'v Object<'t>, TextError> {
    value.as_object().ok_or_else(|| {
        let (line, column) = position(text, value.range().start);
        TextError::WrongType { what: what.to_owned(), expected: "an object", line, column }
    })
}

/// Returns the member with a key. A repeated key is an error, because clients differ in which one they use.
fn find<'o, 't>(text: &str, object: &'o Object<'t>, key: &str) -> Result<Option<&'o ObjectProp<'t>>, TextError> {
    let mut members = object.properties.iter().filter(|member| member.name.as_str() == key);
    let found = members.next();
    match members.next() {
        None => Ok(found),
        Some(repeated) => {
            let (line, column) = position(text, repeated.range.start);
            Err(TextError::DuplicateKey { key: key.to_owned(), line, column })
        }
    }
}
