//! Converts the errors that the page's script returns into [`BrowserError`]s with full sentences.

use fumi_base::text::BilingualText;
use serde::Deserialize;

use crate::errors::BrowserError;

/// A reply of the page's script: a result or an error.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum ScriptReply<T> {
    /// The script did not do it, for this reason.
    Refused(Box<ScriptError>),
    /// The result of the call.
    Done(T),
}

impl<T> ScriptReply<T> {
    /// Returns the result, or the error with `target`, the caller's name of the element.
    pub(crate) fn into_result(self, target: &str) -> Result<T, BrowserError> {
        match self {
            Self::Done(done) => Ok(done),
            Self::Refused(refusal) => Err(refusal.into_browser_error(target)),
        }
    }
}

/// An error of the page's script: a code and its details.
#[derive(Debug, Deserialize)]
pub(crate) struct ScriptError {
    /// The code of the error. A reply without it is a result.
    pub(crate) error: String,
    #[serde(flatten)]
    about: ScriptErrorDetails,
}

/// The details of an error; each code uses some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ScriptErrorDetails {
    was: String,
    nearest: Vec<ElementLine>,
    candidates: Vec<ElementLine>,
    count: usize,
    message: String,
    by: String,
    role: String,
    #[serde(rename = "type")]
    kind: String,
    given: String,
    example: String,
    min: Option<String>,
    max: Option<String>,
    step: Option<String>,
    missing: MissingOptions,
    options: Vec<String>,
    of: usize,
    option: String,
    visible: bool,
}

/// An element as a line of a snapshot.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ElementLine {
    #[serde(rename = "ref")]
    reference: String,
    #[serde(rename = "line")]
    whole: String,
    role: String,
    name: String,
}

impl ElementLine {
    fn into_line(self) -> String {
        if self.whole.is_empty() {
            format!("{} \"{}\" [ref={}]", self.role, self.name, self.reference)
        } else {
            self.whole
        }
    }
}

/// One missing option or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum MissingOptions {
    One(String),
    Several(Vec<String>),
}

impl Default for MissingOptions {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl MissingOptions {
    fn quoted(&self) -> String {
        match self {
            Self::One(name) => format!("\"{name}\""),
            Self::Several(names) => listed(names),
        }
    }
}

/// The roles of elements that `browser_fill_form` checks.
const CHECKED: [&str; 5] = ["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"];

impl ScriptError {
    /// True if the element that the error is about is visible.
    pub(crate) fn is_visible(&self) -> bool {
        self.about.visible
    }

    /// True if the element is gone, so that it may be searched for again.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.error.as_str(), "stale" | "none")
    }

    /// Converts this error; `target` is the caller's name of the element.
    pub(crate) fn into_browser_error(self, target: &str) -> BrowserError {
        let target = target.to_owned();
        let lines = |lines: Vec<ElementLine>| lines.into_iter().map(ElementLine::into_line).collect();
        match self.error.as_str() {
            "stale" => {
                BrowserError::StaleRef { reference: target, was: self.about.was, nearest: lines(self.about.nearest) }
            }
            "none" => BrowserError::NoSuchElement { target, nearest: lines(self.about.nearest) },
            "several" => BrowserError::SeveralElements {
                target,
                count: self.about.count,
                candidates: lines(self.about.candidates),
            },
            "covered" => BrowserError::ElementCovered { target, by: self.about.by },
            "selector" => BrowserError::BadSelector { selector: target, reason: self.about.message },
            "format" => argument("value", self.format()),
            "options" => argument("values", self.no_option()),
            "single" => argument(
                "values",
                BilingualText::new(
                    "this list takes only one value",
                    "このリストで選べるのは 1 つだけですが、複数の値が渡されました",
                ),
            ),
            "regex" => BrowserError::BadPattern { pattern: target, reason: self.about.message },
            "invisible" | "moving" | "outside" | "disabled" if self.about.option.is_empty() => {
                BrowserError::ElementInert { reason: self.inert(), target }
            }
            _ => BrowserError::ElementUnsuitable { reason: self.inert(), target },
        }
    }

    fn inert(&self) -> BilingualText {
        let role = &self.about.role;
        let (en, ja) = match self.error.as_str() {
            "invisible" => ("it is not visible", "表示されていません"),
            "disabled" if !self.about.option.is_empty() => {
                return BilingualText::new(
                    format!("its option \"{}\" is disabled", self.about.option),
                    format!("選択肢「{}」は無効になっています", self.about.option),
                );
            }
            "disabled" => ("it is disabled", "無効（disabled）になっています"),
            "readonly" => ("it is read-only", "読み取り専用です"),
            "moving" => ("it does not stop moving", "動き続けていて位置が定まりません"),
            "outside" => (
                "it lies outside the viewport and cannot be scrolled into it",
                "表示領域の外にあり、スクロールしても入りません",
            ),
            "place" => (
                "it has no list that reaches the position after the @; omit the position",
                "@ の後の位置まで続く一覧が、この中にありません。位置を付けずに指定してください",
            ),
            "radio" => (
                "to switch off a radio button, choose another one of its group",
                "ラジオボタンは、同じグループの別の項目を選ぶことで解除します",
            ),
            "select" => (
                "it is a list of options: use browser_select_option",
                "選択リストです。browser_select_option で選んでください",
            ),
            "not-editable" if CHECKED.contains(&role.as_str()) => {
                return BilingualText::new(
                    format!("it takes no text (its role is {role}); use browser_click or browser_fill_form"),
                    format!(
                        "文字を入力できない要素です（役割: {role}）。browser_click か browser_fill_form を使ってください"
                    ),
                );
            }
            "not-editable" => {
                return BilingualText::new(
                    format!("it takes no text (its role is {role})"),
                    format!("文字を入力できない要素です（役割: {role}）"),
                );
            }
            "not-select" => {
                return BilingualText::new(
                    format!("it is not a <select> (its role is {role}); click it, then its option"),
                    format!("<select> ではありません（役割: {role}）。クリックして開き、項目をクリックしてください"),
                );
            }
            "not-checkable" => {
                return BilingualText::new(
                    format!("it cannot be checked (its role is {role})"),
                    format!("チェックできる要素ではありません（役割: {role}）"),
                );
            }
            other => return BilingualText::new(other.to_owned(), other.to_owned()),
        };
        BilingualText::new(en, ja)
    }

    fn format(&self) -> BilingualText {
        let ScriptErrorDetails { kind, given, example, .. } = &self.about;
        let limits = [("min", &self.about.min), ("max", &self.about.max), ("step", &self.about.step)];
        let limits: String = limits
            .into_iter()
            .filter_map(|(name, limit)| limit.as_ref().map(|limit| format!(", {name}={limit}")))
            .collect();
        BilingualText::new(
            format!("a field of type {kind} does not take \"{given}\"; write it as {example}{limits}"),
            format!("{kind} 型の欄に「{given}」は入りません。{example} の形で指定してください{limits}"),
        )
    }

    fn no_option(&self) -> BilingualText {
        let (missing, options) = (self.about.missing.quoted(), listed(&self.about.options));
        let (shown, of) = (self.about.options.len(), self.about.of);
        let (more_en, more_ja) = if of > shown {
            (format!(" and {} more", of - shown), format!(" ほか {} 件", of - shown))
        } else {
            (String::new(), String::new())
        };
        BilingualText::new(
            format!("unknown option {missing}; options: {options}{more_en}"),
            format!("選択肢 {missing} はありません。あるのは {options}{more_ja} です"),
        )
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn argument(argument: &'static str, reason: BilingualText) -> BrowserError {
    BrowserError::BadBrowserArgument { argument, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(said: &str) -> BrowserError {
        let said: ScriptReply<Box<serde_json::value::RawValue>> = serde_json::from_str(said).expect("JSON");
        said.into_result("e7").expect_err("a refusal")
    }

    #[test]
    fn script_errors_become_browser_errors_with_details() {
        assert_eq!(
            refused(r#"{"error":"covered","by":"<div#consent>"}"#).to_string(),
            "\"e7\" is covered by <div#consent>: a click would hit that element instead."
        );
        assert_eq!(refused(r#"{"error":"disabled"}"#).to_string(), "\"e7\" cannot be acted on: it is disabled.");
        assert_eq!(
            refused(r#"{"error":"disabled","option":"Green"}"#).to_string(),
            "\"e7\" does not take this: its option \"Green\" is disabled."
        );
        assert_eq!(
            refused(r#"{"error":"not-editable","role":"checkbox"}"#).to_string(),
            "\"e7\" does not take this: it takes no text (its role is checkbox); use browser_click or browser_fill_form."
        );
        assert_eq!(
            refused(r#"{"error":"format","type":"date","given":"soon","example":"2026-01-31","min":"2026-01-01"}"#)
                .to_string(),
            "value: a field of type date does not take \"soon\"; write it as 2026-01-31, min=2026-01-01."
        );
        assert_eq!(
            refused(r#"{"error":"options","missing":["Blue"],"options":["Red","Green"],"of":30}"#).to_string(),
            "values: unknown option \"Blue\"; options: \"Red\", \"Green\" and 28 more."
        );
        let done: ScriptReply<Done> = serde_json::from_str(r#"{"selected":["Red"]}"#).expect("JSON");
        assert_eq!(done.into_result("e7").expect("done").selected, ["Red"]);
    }

    #[derive(Debug, Deserialize)]
    struct Done {
        selected: Vec<String>,
    }
}
