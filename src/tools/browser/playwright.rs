//! Playwright lines in TypeScript that do the same as a call, for callers that record a test.
//!
//! Locators are requested before the act, since the element may be gone afterwards, and only if the caller wants the
//! code.

use fumi_browser::{Tab, Target};

/// The placeholder of a locator in a line. Values cannot contain it, because they are quoted.
pub(super) const LOCATOR: char = '\u{1}';

/// A line of code whose locators are not known yet.
#[derive(Debug)]
pub struct CodeLine {
    text: String,
    targets: Vec<Target>,
}

impl CodeLine {
    /// Returns a line that calls a method of the page, such as `goto('...')`.
    pub(super) fn page(call: &str) -> Self {
        Self::raw(&format!("page.{call}"), Vec::new())
    }

    /// Returns a line that calls a method of one element, such as `click()`.
    pub(super) fn on(target: Target, call: &str) -> Self {
        Self::raw(&format!("page.{LOCATOR}.{call}"), vec![target])
    }

    /// Returns a line with one [`LOCATOR`] for each target, in their order.
    pub(super) fn raw(call: &str, targets: Vec<Target>) -> Self {
        Self { text: format!("await {call};"), targets }
    }
}

/// Returns the lines with their locators. A line whose element is missing is left out: the act itself returns the
/// error.
pub(super) async fn lines(tab: &Tab, lines: &[CodeLine]) -> Option<String> {
    let mut code = Vec::new();
    for line in lines {
        let mut text = line.text.clone();
        let mut is_whole = true;
        for target in &line.targets {
            match tab.locator(target).await {
                Ok(locator) => text = text.replacen(LOCATOR, &locator, 1),
                Err(_) => is_whole = false,
            }
        }
        if is_whole {
            code.push(text);
        }
    }
    (!code.is_empty()).then(|| code.join("\n"))
}

/// Returns a text as a TypeScript string literal.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Line terminators in older engines.
            '\u{2028}' | '\u{2029}' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if c.is_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// Returns a list of texts as a TypeScript array: `['a', 'b']`.
pub(super) fn list(texts: &[String]) -> String {
    let quoted: Vec<_> = texts.iter().map(|text| self::quoted(text)).collect();
    format!("[{}]", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{list, quoted};

    #[test]
    fn quotes_are_what_typescript_reads_back() {
        assert_eq!(quoted("it's\n\u{1}\\"), r"'it\'s\n\x01\\'");
        assert_eq!(list(&["a".to_owned(), "名".to_owned()]), "['a', '名']");
    }
}
