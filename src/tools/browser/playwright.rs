//! An action as a line of Playwright in TypeScript, for who records a test.
//!
//! Locators are asked for before the action, since afterwards the element may be gone; and only when the line is wanted.

use fumi_browser::{Tab, Target};

/// Stands for a locator in a line. No value holds it, because values are quoted.
pub(super) const LOCATOR: char = '\u{1}';

/// One line before its locators are known.
#[derive(Debug)]
pub struct Line {
    text: String,
    targets: Vec<Target>,
}

impl Line {
    /// A line about the page as a whole: `goto('...')`.
    pub(super) fn page(call: &str) -> Self {
        Self::raw(&format!("page.{call}"), Vec::new())
    }

    /// A line about one element: `click()`.
    pub(super) fn on(target: Target, call: &str) -> Self {
        Self::raw(&format!("page.{LOCATOR}.{call}"), vec![target])
    }

    /// A line with a [`LOCATOR`] for each target, in their order.
    pub(super) fn raw(call: &str, targets: Vec<Target>) -> Self {
        Self {
            text: format!("await {call};"),
            targets,
        }
    }
}

/// The lines with their locators. One whose element is not there is left out: the action will say why.
pub(super) async fn lines(tab: &Tab, lines: &[Line]) -> Option<String> {
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

/// A text as TypeScript writes it.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Ends of lines in older engines.
            '\u{2028}' | '\u{2029}' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if c.is_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// A list of texts: `['a', 'b']`.
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
