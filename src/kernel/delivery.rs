//! Delivers a result to a file, to the reply, or to both.
//!
//! The file gets everything (up to the 10,000 rows that are kept), the reply as much as fits. Invariant: a refused call
//! has written nothing, because the name is checked before the work starts and the file is written after it succeeded.

use fumi_base::{
    files::{OutputError, OutputName, write_output},
    project::Project,
    text::Locale,
    tokens,
};
use serde_json::{Map, Value, json};

use super::{cut_rows::FittedAnswer, fields, reply::Rendered, schema::LEFT_OUT};

/// The largest object that a receipt keeps; one with more fields is data, not counts.
const RECEIPT_ENTRIES: usize = 12;
/// The longest string that a receipt keeps, in characters; longer ones are data.
const RECEIPT_CHARS: usize = 200;

/// Writes the whole result. Returns the path.
pub fn write(
    project: &Project,
    name: &OutputName,
    answer: &dyn Rendered,
    locale: Locale,
) -> Result<String, OutputError> {
    let bytes = if name.is_json() { answer.structured().to_string() } else { answer.text(locale) };
    write_output(project, name, bytes.as_bytes())?;
    Ok(name.shown())
}

/// Returns the replacement of an answer that exceeds the caller's limit although it was cut as far as possible: its counts,
/// and a hint on getting the rest.
pub fn left_out(answer: &dyn Rendered, used: usize, most: usize, locale: Locale) -> FittedAnswer {
    // A list was cut to its first row, which is still too large.
    let is_list = answer.rows() > 1;
    let note = match locale {
        Locale::En if is_list => format!(
            "even the first row takes about {used} tokens, and expectation.maxTokens allows {most}: raise it, name expectation.fields, or narrow the call"
        ),
        Locale::Ja if is_list => format!(
            "最初の 1 行だけで約 {used} トークンあり、expectation.maxTokens の {most} に収まりません。値を上げるか、expectation.fields で項目を選ぶか、条件を絞ってください"
        ),
        Locale::En => format!(
            "the result takes about {used} tokens, and expectation.maxTokens allows {most}: raise it, name expectation.fields, or narrow the call"
        ),
        Locale::Ja => format!(
            "結果は約 {used} トークンで、expectation.maxTokens の {most} に収まりません。値を上げるか、expectation.fields で項目を選ぶか、条件を絞ってください"
        ),
    };
    let whole = answer.structured();
    let counts = keep_counts(&whole, 0).filter(|counts| tokens::estimate(&counts.to_string()) < most);
    let mut structured = counts.unwrap_or_else(|| json!({}));
    // Kept even if it exceeds the caller's limit.
    if let (Value::Object(kept), Value::Object(missed)) =
        (fields::keep(&whole, &[], answer.required_fields()).0, &mut structured)
    {
        missed.extend(kept);
    }
    let text = [note.clone(), in_words(&structured)].join("\n").trim_end().to_owned();
    structured[LEFT_OUT] = json!(note);
    FittedAnswer { structured, text, blocks: answer.blocks() }
}

/// Returns the rest of an answer whose output is suppressed: counts, flags, short strings.
pub fn receipt(answer: &dyn Rendered, locale: Locale) -> FittedAnswer {
    let structured = answer.structured();
    let counts = keep_counts(&structured, 0).unwrap_or_else(|| json!({}));
    let text = match locale {
        Locale::En => "Result suppressed.",
        Locale::Ja => "結果は省略しました。",
    };
    FittedAnswer {
        text: format!("{text} {}", in_words(&counts)).trim_end().to_owned(),
        structured: counts,
        blocks: Vec::new(),
    }
}

/// Returns counts as `name: value`, with the path of nested ones; without what every result has.
fn in_words(counts: &Value) -> String {
    fn walk(value: &Value, path: &str, words: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                let fields = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "success" | "elapsed_ms"));
                for (name, value) in fields {
                    let dot = if path.is_empty() { "" } else { "." };
                    walk(value, &format!("{path}{dot}{name}"), words);
                }
            }
            Value::String(text) => words.push(format!("{path}: {text}")),
            other => words.push(format!("{path}: {other}")),
        }
    }
    let mut words = Vec::new();
    walk(counts, "", &mut words);
    words.join(", ")
}

fn keep_counts(value: &Value, depth: usize) -> Option<Value> {
    match value {
        Value::Number(_) | Value::Bool(_) => Some(value.clone()),
        Value::String(text) => (text.chars().count() <= RECEIPT_CHARS).then(|| value.clone()),
        Value::Object(fields) if depth < 3 && fields.len() <= RECEIPT_ENTRIES => {
            let kept: Map<_, _> = fields
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), keep_counts(value, depth + 1)?)))
                .collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        _ => None,
    }
}
