//! Keeps only some fields of a structure: those that JSON pointers name.
//!
//! A pointer follows RFC 6901, with `*` for every element or member. Kept values stay in their place, so that the
//! published schema of the whole still describes them; elements of a list without any kept value are left out. A
//! pointer that matches nothing is reported, never silently ignored.

use serde_json::{Map, Value};

/// The number of names that are shown if a pointer matches nothing.
const SHOWN_NAMES: usize = 20;

/// True if a text is a pointer: empty (the whole), or `/` before each name, with `~` only in `~0` and `~1`.
pub fn is_pointer(text: &str) -> bool {
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escapes
}

/// Returns the unescaped names of a pointer.
pub fn names(pointer: &str) -> Vec<String> {
    let parts = pointer.split('/').skip(1);
    parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

/// Returns the kept part of a structure, and a line for each pointer of `fields` that matches nothing. `also` is kept
/// too where it exists.
pub fn keep(structured: &Value, fields: &[String], also: &[&str]) -> (Value, Vec<String>) {
    let wanted = fields.iter().map(String::as_str).chain(also.iter().copied());
    let paths: Vec<Vec<String>> = wanted.map(names).collect();
    let mut found = vec![false; paths.len()];
    let all: Vec<PointerRest<'_>> = paths.iter().enumerate().map(|(of, path)| PointerRest { of, path }).collect();
    let kept = select(structured, &all, &mut found).unwrap_or_else(|| Value::Object(Map::new()));
    let unknown = fields.iter().enumerate().filter(|(at, _)| !found[*at]);
    let unknown =
        unknown.map(|(at, pointer)| format!("{pointer}: {}", describe_mismatch(structured, &paths[at]))).collect();
    (kept, unknown)
}

/// The unmatched rest of a pointer, with the index of the pointer.
#[derive(Clone, Copy)]
struct PointerRest<'p> {
    of: usize,
    path: &'p [String],
}

impl PointerRest<'_> {
    fn beyond(self, name: &str) -> Option<Self> {
        let (first, path) = self.path.split_first()?;
        (first == name || first == "*").then_some(Self { of: self.of, path })
    }
}

fn select(value: &Value, left: &[PointerRest<'_>], found: &mut [bool]) -> Option<Value> {
    let arrived: Vec<_> = left.iter().filter(|left| left.path.is_empty()).collect();
    if !arrived.is_empty() {
        // Pointers into a value that is kept whole are still followed, so that unmatched ones are reported.
        for left in arrived {
            found[left.of] = true;
        }
        let rest: Vec<_> = left.iter().copied().filter(|left| !left.path.is_empty()).collect();
        if !rest.is_empty() {
            let _ = select(value, &rest, found);
        }
        return Some(value.clone());
    }
    let inside = |name: &str| -> Vec<PointerRest<'_>> { left.iter().filter_map(|left| left.beyond(name)).collect() };
    let is_empty = match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => return None,
    };
    if is_empty {
        // A `*` on an empty value is a valid pointer that matches nothing.
        let every = left.iter().filter(|left| left.path.first().is_some_and(|name| name == "*"));
        let every: Vec<_> = every.collect();
        for left in &every {
            found[left.of] = true;
        }
        return (!every.is_empty()).then(|| value.clone());
    }
    match value {
        Value::Object(fields) => {
            let kept: Map<String, Value> = fields
                .iter()
                .filter_map(|(name, value)| {
                    let left = inside(name);
                    let kept = if left.is_empty() { None } else { select(value, &left, found) };
                    Some((name.clone(), kept?))
                })
                .collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        Value::Array(items) => {
            let kept: Vec<Value> = items
                .iter()
                .enumerate()
                .filter_map(|(at, value)| {
                    let left = inside(&at.to_string());
                    if left.is_empty() { None } else { select(value, &left, found) }
                })
                .collect();
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        _ => None,
    }
}

/// Returns how far a pointer matches, and the contents at that point.
fn describe_mismatch(structured: &Value, path: &[String]) -> String {
    let mut at = structured;
    let mut walked = String::new();
    for name in path {
        let next = match at {
            Value::Object(fields) if name == "*" => fields.values().next(),
            Value::Array(items) if name == "*" => items.first(),
            Value::Object(fields) => fields.get(name),
            Value::Array(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => break,
        }
        walked.push('/');
        walked.push_str(name);
    }
    format!("{walked}/ = {}", inventory(at))
}

/// Summarises a value in a few words: the names of an object, the length of a list, the type of anything else.
pub fn inventory(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let names: Vec<_> = fields.keys().take(SHOWN_NAMES).map(String::as_str).collect();
            let more = if fields.len() > SHOWN_NAMES { ", …" } else { "" };
            format!("{{{}{more}}}", names.join(", "))
        }
        Value::Array(items) => format!("[entries: {}]", items.len()),
        Value::String(_) => "string".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Null => "null".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{is_pointer, keep};

    fn kept(fields: &[&str]) -> (Value, Vec<String>) {
        let structured = json!({
            "success": true,
            "results": [{"file": "a", "line": 1}, {"file": "b"}, {"line": 3}],
            "counts": {"x": 1, "y/z": 2},
            "none": [],
        });
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        keep(&structured, &fields, &["/next"])
    }

    #[test]
    fn kept_fields_stay_in_place_and_empty_elements_are_dropped() {
        for (fields, expected) in [
            (&["/results/*/file"][..], json!({"results": [{"file": "a"}, {"file": "b"}]})),
            (&["/results/2/line"], json!({"results": [{"line": 3}]})),
            (&["/results/0", "/success"], json!({"success": true, "results": [{"file": "a", "line": 1}]})),
            (&["/counts/y~1z"], json!({"counts": {"y/z": 2}})),
            (&["/counts/*"], json!({"counts": {"x": 1, "y/z": 2}})),
            (&["/none/*/file"], json!({"none": []})),
            (&["/counts", "/counts/x"], json!({"counts": {"x": 1, "y/z": 2}})),
        ] {
            assert_eq!(kept(fields), (expected, Vec::new()), "{fields:?}");
        }
    }

    #[test]
    fn unmatched_pointer_lists_available_names() {
        let (structured, unknown) = kept(&["/results/*/lines", "/reslts", "/success"]);
        assert_eq!(structured, json!({"success": true}));
        assert_eq!(
            unknown,
            ["/results/*/lines: /results/*/ = {file, line}", "/reslts: / = {success, results, counts, none}"]
        );
    }

    #[test]
    fn pointers_have_a_form() {
        for good in ["", "/", "/a/*/b", "/a~1b/~0"] {
            assert!(is_pointer(good), "{good}");
        }
        for bad in ["a", "a/b", "/a~", "/a~2", "$.a"] {
            assert!(!is_pointer(bad), "{bad}");
        }
    }
}
