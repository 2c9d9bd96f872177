//! Shortens a reply that is too large and has no rows to page: keeps the beginning of its longest lists and texts.
//!
//! Invariant: the result is within the caps in the form that the client gets, still fits the output schema, and names what
//! was cut, the original sizes, and the way to get the rest. Rows are cut before, with a cursor ([`super::cut_rows::fit`]).
//! This module does not know the meaning of a reply.

use fumi_base::text::{BilingualText, Locale};
use serde_json::{Value, json};

use super::{
    QuestionReply,
    cut_rows::{Caps, FittedAnswer, excess},
    reply::Rendered,
    schema::LEFT_OUT,
};

/// The number of entries from which a list loses entries; in a shorter one, the entries themselves are cut.
const LIST: usize = 8;
/// The number of fields above which an object is a table by names, and cut like a list; no answer has so many of its
/// own.
const TABLE: usize = 50;
/// The length of a text that is never cut, in characters.
const UNCUT_CHARS: usize = 200;
/// The bytes reserved for the note about the cut.
const NOTE: usize = 1_000;
/// The largest number of cut places that the note names.
const NAMED: usize = 4;
/// The number of cuts after which it stops: each removes at least a twentieth of the excess, or a whole entry.
const CUTS: usize = 500;

/// A cut value: its pointer, the kept amount and the original amount.
struct CutValue {
    pointer: String,
    kept: usize,
    of: usize,
}

/// The way to get the rest of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestAdvice {
    /// By `output_file` in the same call.
    File,
    /// By `output_file` in the call that submits the answer.
    Later,
    /// In the output file, which has been written.
    Written,
    /// By a narrower call.
    Narrower,
    /// Not possible: the beginning of an error explains it.
    Nothing,
}

/// Cuts a reply to the caps if it exceeds them.
pub fn shorten(mut fitted: FittedAnswer, caps: Caps, way: RestAdvice, locale: Locale) -> FittedAnswer {
    let Some((limit, _)) = excess(&fitted, caps) else {
        return fitted;
    };
    // The operator chose caps that the note alone would fill.
    if caps.bytes <= 3 * NOTE || caps.tokens <= NOTE {
        return fitted;
    }
    let inner = Caps { tokens: caps.tokens.saturating_sub(NOTE), bytes: caps.bytes.saturating_sub(NOTE), ..caps };
    let mut room = inner.bytes;
    let mut cuts: Vec<CutValue> = Vec::new();
    let whole = fitted.text.len();
    while excess(&fitted, inner).is_some() && room > NOTE {
        if caps.form.has_structure() {
            cut_to(&mut fitted.structured, room, &mut cuts);
        }
        cut_text(&mut fitted.text, room.saturating_sub('…'.len_utf8()));
        // Tokens may still be exceeded when the bytes fit.
        room = room * 9 / 10;
    }
    // A list that was cut later may no longer contain an entry that was cut before.
    cuts.retain(|cut| fitted.structured.pointer(&cut.pointer).is_some());
    let note = note(&cuts, (fitted.text.len(), whole), (limit, caps), way, locale);
    fitted.text.push('\n');
    fitted.text.push_str(&note);
    if let Value::Object(fields) = &mut fitted.structured {
        fields.insert(LEFT_OUT.to_owned(), json!(note));
    }
    fitted
}

/// Cuts the report of a question on the work so far; the question itself stays whole.
pub fn shorten_question(ask: &mut QuestionReply, caps: Caps, locale: Locale) {
    let (structured, text) = (Rendered::structured(ask).to_string().len(), Rendered::text(ask, locale).len());
    if structured.max(text) <= caps.bytes {
        return;
    }
    let room = caps.bytes.saturating_sub(NOTE);
    let (mut cuts, whole) = (Vec::new(), ask.report.len());
    let mut more = Value::Object(std::mem::take(&mut ask.more));
    let most = more.to_string().len().saturating_sub(structured.saturating_sub(room));
    cut_to(&mut more, most, &mut cuts);
    cut_text(&mut ask.report, whole.saturating_sub(text.saturating_sub(room)));
    let note = note(&cuts, (ask.report.len(), whole), ("bytes", caps), RestAdvice::Later, locale);
    ask.report.push('\n');
    ask.report.push_str(&note);
    if let Value::Object(mut more) = more {
        more.insert(LEFT_OUT.to_owned(), json!(note));
        ask.more = more;
    }
}

fn cut_to(value: &mut Value, room: usize, cuts: &mut Vec<CutValue>) {
    for _ in 0..CUTS {
        let over = value.to_string().len().saturating_sub(room);
        if over == 0 || !cut(value, over, cuts) {
            return;
        }
    }
}

/// Returns the byte offset at which the beginning of a text ends that takes at most `most` bytes as JSON.
pub fn json_end(text: &str, most: usize) -> usize {
    let mut left = most;
    let over = text.char_indices().find(|(_, letter)| {
        let size = match letter {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            letter if letter.is_ascii_control() => 6,
            letter => letter.len_utf8(),
        };
        let is_over = size > left;
        left = left.saturating_sub(size);
        is_over
    });
    over.map_or(text.len(), |(at, _)| at)
}

/// Truncates a text after the last line that fits.
fn cut_text(text: &mut String, room: usize) {
    if text.len() > room {
        let end = text.floor_char_boundary(room);
        let end = text[..end].rfind('\n').filter(|line| *line > end / 2).unwrap_or(end);
        text.truncate(end);
        text.push('…');
    }
}

/// Removes `over` bytes, as far as possible, from the longest value. Returns false if nothing can be removed.
fn cut(value: &mut Value, over: usize, cuts: &mut Vec<CutValue>) -> bool {
    let Some(pointer) = longest(value) else { return false };
    let Some(place) = value.pointer_mut(&pointer) else {
        return false;
    };
    let size = place.to_string().len().max(1);
    let left = |of: usize| (of.saturating_mul(size.saturating_sub(over)) / size * 19 / 20).min(of.saturating_sub(1));
    let (kept, of) = match place {
        Value::Array(entries) => {
            let of = entries.len();
            let mut room = size.saturating_sub(over);
            let fits = entries.iter().take_while(|entry| {
                let size = entry.to_string().len() + 1;
                let fits = size <= room;
                room = room.saturating_sub(size);
                fits
            });
            let kept = fits.count().min(of.saturating_sub(1));
            entries.truncate(kept);
            (kept, of)
        }
        Value::String(text) => {
            let of = text.chars().count();
            let kept = left(of).max(UNCUT_CHARS / 2);
            *text = text.chars().take(kept).chain(['…']).collect();
            (kept, of)
        }
        Value::Object(fields) => {
            let of = fields.len();
            let kept = left(of);
            *fields = std::mem::take(fields).into_iter().take(kept).collect();
            (kept, of)
        }
        _ => return false,
    };
    match cuts.iter_mut().find(|cut| cut.pointer == pointer) {
        Some(before) => before.kept = kept,
        None => cuts.push(CutValue { pointer, kept, of }),
    }
    true
}

/// Returns a pointer to the largest value that may be cut: the first long list on the way from the root to the largest
/// value, else a text or a list there.
fn longest(value: &Value) -> Option<String> {
    let size = |value: &Value| value.to_string().len();
    match value {
        Value::Object(fields) if fields.len() > TABLE => Some(String::new()),
        Value::Object(fields) => {
            let mut by_size: Vec<_> = fields.iter().filter(|(_, field)| !field.is_null()).collect();
            by_size.sort_by_key(|(_, field)| std::cmp::Reverse(size(field)));
            by_size.into_iter().find_map(|(name, field)| {
                let name = name.replace('~', "~0").replace('/', "~1");
                Some(format!("/{name}{}", longest(field)?))
            })
        }
        Value::Array(entries) => {
            let sizes: Vec<usize> = entries.iter().map(size).collect();
            let (at, largest) = sizes.iter().copied().enumerate().max_by_key(|(_, size)| *size)?;
            // A long list is cut as a list, unless one entry is most of it.
            if entries.len() >= LIST && 2 * largest <= sizes.iter().sum() {
                return Some(String::new());
            }
            let inside = longest(&entries[at]).map(|inside| format!("/{at}{inside}"));
            inside.or_else(|| (entries.len() > 1).then(String::new))
        }
        Value::String(text) => (text.chars().nth(UNCUT_CHARS).is_some()).then(String::new),
        _ => None,
    }
}

fn note(
    cuts: &[CutValue],
    (kept, whole): (usize, usize),
    (limit, caps): (&str, Caps),
    way: RestAdvice,
    locale: Locale,
) -> String {
    let most = if limit == "tokens" { caps.tokens } else { caps.bytes };
    let mut places: Vec<_> = cuts
        .iter()
        .map(|CutValue { pointer, kept, of }| format!("{} {kept} / {of}", pointer.chars().take(40).collect::<String>()))
        .take(NAMED)
        .collect();
    if let more @ 1.. = cuts.len().saturating_sub(NAMED) {
        places.push(match locale {
            Locale::En => format!("{more} more places"),
            Locale::Ja => format!("ほか {more} か所"),
        });
    }
    if kept < whole {
        places.push(match locale {
            Locale::En => format!("text {kept} / {whole} bytes"),
            Locale::Ja => format!("本文 {kept} / {whole} バイト"),
        });
    }
    let places = places.join(", ");
    let how = match way {
        RestAdvice::File => BilingualText::new(
            ": output_file \"report.md\" gets everything, to be read by lines; or name expectation.fields",
            "。output_file \"report.md\" なら全件を書き出せ、行範囲で読めます。expectation.fields で項目を選ぶこともできます",
        ),
        RestAdvice::Later => BilingualText::new(
            ": output_file in the call that submits the answer gets everything",
            "。回答を渡す呼び出しに output_file を付けると全件を書き出せます",
        ),
        RestAdvice::Written => {
            BilingualText::new(": the output file has everything", "。出力ファイルには全件があります")
        }
        RestAdvice::Narrower => BilingualText::new(
            ": narrow the call, or name expectation.fields",
            "。条件を絞るか、expectation.fields で項目を選んでください",
        ),
        RestAdvice::Nothing => BilingualText::new("", ""),
    };
    let cut = BilingualText::new(
        format!("cut to the limit of a reply, {most} {limit} ({places})"),
        format!("1 回の返答の上限 {most} {limit} に収まらないため省略しました（{places}）"),
    );
    format!("{}{}", cut.get(locale), how.get(locale))
}

#[cfg(test)]
mod tests {
    use fumi_base::text::Locale;
    use serde_json::json;

    use super::{RestAdvice, json_end, shorten};
    use crate::{
        ResultForm,
        cut_rows::{Caps, FittedAnswer, excess},
        schema::LEFT_OUT,
    };

    const CAPS: Caps = Caps { rows: 10, tokens: 2_000, bytes: 4_000, form: ResultForm::Both };

    #[test]
    fn lists_and_texts_are_cut_to_the_caps_and_named() {
        let rows: Vec<_> = (0..500).map(|at| json!({"line": at, "message": "文".repeat(20)})).collect();
        let table: serde_json::Map<_, _> = (0..900).map(|at| (format!("name {at}"), json!(at))).collect();
        let long = "a \"quoted\" word\n".repeat(1_000);
        for (structured, text, named) in [
            (json!({"success": true, "issues": rows}), "x".repeat(3), "/issues "),
            (json!({"success": true, "inner": {"content": long}}), long.clone(), "/inner/content "),
            (json!({"success": true, "groups": [{"rows": rows}, {"rows": [1]}]}), "x".to_owned(), "/groups/0/rows "),
            (json!({"success": true}), "行\n".repeat(5_000), "text "),
            (json!({"success": true, "by_name": table}), "x".to_owned(), "/by_name "),
            (json!({"a~/b": long, "c": rows}), "日本".repeat(9_000), "/a~0~1b "),
        ] {
            for locale in Locale::ALL {
                let fitted = FittedAnswer { structured: structured.clone(), text: text.clone(), blocks: Vec::new() };
                let fitted = shorten(fitted, CAPS, RestAdvice::File, locale);
                assert!(excess(&fitted, CAPS).is_none(), "{named}");
                let note = fitted.structured[LEFT_OUT].as_str().expect("a note");
                let named = if locale == Locale::Ja { named.replace("text", "本文") } else { named.to_owned() };
                assert!(note.contains(&named) && note.contains("output_file"), "{named}: {note}");
                assert!(fitted.text.ends_with(note));
            }
        }
    }

    #[test]
    fn the_end_is_counted_as_json_writes_it() {
        let text = "a\"b\n\u{1}文字\\";
        for most in 0..30 {
            let end = json_end(text, most);
            let written = |end: usize| json!(text[..end]).to_string().len() - 2;
            assert!(written(end) <= most);
            let next = text[end..].chars().next().map(|letter| end + letter.len_utf8());
            assert!(next.is_none_or(|next| written(next) > most), "{most}");
        }
    }

    #[test]
    fn long_entry_is_cut_before_its_list() {
        let mut rows: Vec<_> = (0..8).map(|at| json!({"text": format!("row {at}")})).collect();
        rows[0]["text"] = json!("long ".repeat(100_000));
        let structured = json!({"success": true, "rows": rows});
        let (text, blocks) = ("8 rows".to_owned(), Vec::new());
        let fitted = shorten(FittedAnswer { structured, text, blocks }, CAPS, RestAdvice::Written, Locale::En);
        assert!(excess(&fitted, CAPS).is_none());
        assert_eq!(fitted.structured["rows"].as_array().map(Vec::len), Some(8));
        let note = fitted.structured[LEFT_OUT].as_str().expect("a note");
        assert!(note.contains("/rows/0/text") && note.contains("the output file has everything"), "{note}");
    }

    #[test]
    fn reply_within_caps_is_unchanged() {
        let structured = json!({"success": true, "rows": [1, 2, 3]});
        let fitted = FittedAnswer { structured: structured.clone(), text: "3 rows".to_owned(), blocks: Vec::new() };
        let fitted = shorten(fitted, CAPS, RestAdvice::File, Locale::En);
        assert_eq!((fitted.structured, fitted.text.as_str()), (structured, "3 rows"));
    }
}
