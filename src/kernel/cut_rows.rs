//! Cuts the rows of a typed answer to the caps of a reply, and renders them as structure and text.
//!
//! Invariant: structure and text contain the same rows, and what the client gets of the two is within every cap. An
//! answer is cut here, after the cache, so that one cached answer serves callers with different caps.

use fumi_base::{text::Locale, tokens};
use serde_json::{Map, Value, json};

use super::{
    NextPage, ResultForm, fields,
    reply::{Block, Rendered, tokens_of},
    schema::UNKNOWN_FIELDS,
};

/// The limits of one reply. The reply names the first cap that is exceeded.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// The largest number of rows of a list.
    pub rows: usize,
    /// The largest estimate of tokens.
    pub tokens: usize,
    /// The largest number of bytes.
    pub bytes: usize,
    /// The form that the client gets, to which the limits apply: each of the two renderings, or one.
    pub form: ResultForm,
}

/// An answer cut to the caps.
pub struct FittedAnswer {
    pub structured: Value,
    pub text: String,
    pub blocks: Vec<Block>,
}

impl FittedAnswer {
    /// Returns the estimated tokens, like [`ToolReply::tokens`].
    pub fn tokens(&self, form: ResultForm) -> usize {
        tokens_of(&self.text, &self.structured, form)
    }
}

/// The part of an answer that fits the caps. Finding it takes several renderings, using it again takes one.
#[derive(Clone, Copy, Debug)]
pub enum AnswerCut {
    /// The whole answer fits.
    Whole,
    /// Only some rows fit.
    Rows {
        /// The number of rows.
        take: usize,
        /// The first cap that is exceeded.
        limit: &'static str,
    },
}

/// The limits of a reply, and the fields to which it is narrowed.
#[derive(Clone, Copy)]
pub struct ReplyLimits<'a> {
    /// The caps of the reply.
    pub caps: Caps,
    /// The only fields that are kept; empty means all. Dropped fields do not count against the caps.
    pub fields: &'a [String],
    /// The language of the texts.
    pub locale: Locale,
    /// True if the call can write the whole answer to a file.
    pub takes_file: bool,
}

/// Cuts an answer to the caps, beginning at a row. `cursor` returns the value that continues at a row; `known` is the
/// cut that the same answer had before with the same limits and from the same beginning.
pub fn fit(
    answer: &dyn Rendered,
    from: usize,
    room: ReplyLimits<'_>,
    cursor: Option<&dyn Fn(usize) -> String>,
    known: Option<AnswerCut>,
) -> (FittedAnswer, AnswerCut) {
    let caps = room.caps;
    let rows = answer.rows();
    let may_be_whole = match known {
        Some(AnswerCut::Whole) => return (render(answer, room), AnswerCut::Whole),
        Some(AnswerCut::Rows { .. }) => false,
        None => from == 0 && rows <= caps.rows,
    };
    if may_be_whole {
        let fitted = render(answer, room);
        if rows <= 1 || excess(&fitted, caps).is_none() {
            return (fitted, AnswerCut::Whole);
        }
    }
    let (mut take, mut limit) = match known {
        Some(AnswerCut::Rows { take, limit }) => (take, limit),
        _ => (caps.rows.min(rows.saturating_sub(from)).max(1), "rows"),
    };
    loop {
        let (mut page, end) = answer.page(from..(from + take).min(rows));
        if end < rows {
            page.mark(&NextPage {
                cursor: cursor.map(|cursor| cursor(end)),
                limit,
                shown: end,
                of: rows,
                hint: hint(room, cursor.is_some()),
            });
        }
        let fitted = render(page.as_ref(), room);
        let excess = if known.is_none() { excess(&fitted, caps) } else { None };
        match excess {
            Some((name, share)) if take > 1 => {
                limit = name;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a number of rows, shrunk by a factor below one"
                )]
                let smaller = (take as f64 * share * 0.95) as usize;
                take = smaller.clamp(1, take - 1);
            }
            // The rows fit, or a single row does not: it is returned nevertheless, since the size of a row is bounded.
            _ => return (fitted, AnswerCut::Rows { take, limit }),
        }
    }
}

fn hint(room: ReplyLimits<'_>, continues: bool) -> String {
    let way = match (room.locale, continues) {
        (Locale::En, true) => "pass next.cursor as cursor, or narrow the call",
        (Locale::En, false) => "narrow the call",
        (Locale::Ja, true) => "next.cursor を cursor に渡すか、条件を絞ってください",
        (Locale::Ja, false) => "条件を絞ってください",
    };
    let file = match room.locale {
        _ if !room.takes_file => "",
        Locale::En => "; output_file gets everything",
        Locale::Ja => "。output_file なら全件を書き出せます",
    };
    format!("{way}{file}")
}

/// The pointers to the marks of a cut answer, which are kept whatever fields are requested, so that a cut answer never
/// looks complete.
const MARKS: [&str; 4] = ["/next", "/truncated", "/*/next", "/*/truncated"];

fn render(answer: &dyn Rendered, room: ReplyLimits<'_>) -> FittedAnswer {
    let structured = answer.structured();
    let blocks = answer.blocks();
    let is_alone = room.caps.form == ResultForm::Text;
    if room.fields.is_empty() {
        let text = if is_alone { answer.text_alone(room.locale) } else { answer.text(room.locale) };
        return FittedAnswer { structured, text, blocks };
    }
    let is_cut = structured["truncated"] == true || structured.get("next").is_some();
    let is_cut = is_cut || structured.as_object().is_some_and(|all| all.values().any(|part| part["truncated"] == true));
    let marks = if is_cut { &MARKS[..] } else { &[] };
    let also: Vec<&str> = marks.iter().chain(answer.required_fields()).copied().collect();
    let (mut structured, unknown) = fields::keep(&structured, room.fields, &also);
    let mut text = match &structured {
        // Not as JSON, which clients that get the text alone would take for the structure.
        Value::Object(fields) if is_alone => in_lines(fields),
        structured => structured.to_string(),
    };
    if !unknown.is_empty() {
        let lead = match room.locale {
            Locale::En => "Not in the result:",
            Locale::Ja => "結果にない項目:",
        };
        text.push_str(&format!("\n{lead} {}", unknown.join("; ")));
        structured[UNKNOWN_FIELDS] = json!(unknown);
    }
    FittedAnswer { structured, text, blocks }
}

/// Renders the kept fields of an answer as text: a list of equal rows as one line of names and then a line for each row,
/// with tabs between the values; everything else as `name: value`.
fn in_lines(fields: &Map<String, Value>) -> String {
    let mut lines = Vec::new();
    for (name, value) in fields {
        match columns(value) {
            Some((names, rows)) => {
                lines.push(format!("{name}: {}", names.join("\t")));
                lines.extend(rows);
            }
            None => lines.push(format!("{name}: {}", plain(value))),
        }
    }
    lines.join("\n")
}

/// Returns the names and rows of a list whose objects have the same single-line values; `None` for any other value.
fn columns(value: &Value) -> Option<(Vec<&str>, Vec<String>)> {
    let rows: Vec<&Map<String, Value>> = value.as_array()?.iter().map(Value::as_object).collect::<Option<_>>()?;
    let names: Vec<&str> = rows.first()?.keys().map(String::as_str).collect();
    let is_single = |value: &Value| match value {
        Value::String(text) => !text.contains(['\t', '\n', '\r']),
        other => !other.is_array() && !other.is_object(),
    };
    let is_alike = |row: &&Map<String, Value>| row.keys().eq(names.iter().copied()) && row.values().all(is_single);
    rows.iter().all(is_alike).then(|| {
        let line = |row: &&Map<String, Value>| row.values().map(plain).collect::<Vec<_>>().join("\t");
        (names, rows.iter().map(line).collect())
    })
}

/// Returns a string without quotes, any other value as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the cap that an answer exceeds in the form of the caps, and the share of the answer that would fit.
pub fn excess(fitted: &FittedAnswer, caps: Caps) -> Option<(&'static str, f64)> {
    let json = caps.form.has_structure().then(|| fitted.structured.to_string());
    let text = (caps.form != ResultForm::Structured).then_some(&fitted.text);
    let renderings = || json.iter().chain(text);
    let over = |name, used: usize, cap: usize| {
        let share = cap as f64 / used.max(1) as f64;
        (used > cap).then_some((name, share))
    };
    let bytes = renderings().map(String::len).max().unwrap_or_default();
    // A token is at least one byte: most answers need no estimate.
    let used = if bytes <= caps.tokens {
        bytes
    } else {
        renderings().map(|rendering| tokens::estimate(rendering)).max().unwrap_or_default()
    };
    over("tokens", used, caps.tokens).or_else(|| over("bytes", bytes, caps.bytes))
}
