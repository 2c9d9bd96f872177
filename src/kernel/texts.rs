//! The texts of a tool: a Markdown file per language beside it.
//!
//! `# Title`, then `summary: sentence`, then `> words` if users search for the tool by words that no other part of the
//! file contains (for clients that search their tools), then the description, then one `## argument` section each
//! (`## sections.start_line` for nested ones). A test matches the sections and the properties of the schema in both
//! directions, and another one checks the summaries; no default text exists. Figures are written as `{{name}}` and
//! filled from measured.toml, which `./bench tokens` writes; an unknown name stays unchanged, and a test fails.

use std::{collections::BTreeMap, sync::LazyLock};

use fumi_base::{embedded, template, text::Locale};

use super::ToolSpec;

/// The parsed texts of one tool in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolTexts {
    /// A short human title.
    pub title: String,
    /// One sentence about the effect of the tool, for people: in documents, not in the tool list of MCP clients.
    pub summary: String,
    /// The purpose of the tool and when to use it.
    pub description: String,
    /// Search words for the tool; empty if the description contains them.
    pub hint: String,
    /// Argument texts by dotted path.
    pub arguments: BTreeMap<String, String>,
}

impl ToolTexts {
    /// Parses one text file.
    pub fn parse(markdown: &str) -> Self {
        let mut texts = Self::default();
        let mut section: Option<String> = None;
        let mut body = String::new();
        let close = |texts: &mut Self, section: Option<String>, body: &mut String| {
            let text = std::mem::take(body).trim().to_owned();
            match section {
                Some(argument) => drop(texts.arguments.insert(argument, text)),
                None => texts.description = text,
            }
        };
        for line in markdown.lines() {
            if let Some(title) = line.strip_prefix("# ") {
                title.trim().clone_into(&mut texts.title);
            } else if let Some(argument) = line.strip_prefix("## ") {
                close(&mut texts, section.take(), &mut body);
                section = Some(argument.trim().to_owned());
            } else if let (None, Some(summary)) = (&section, line.strip_prefix("summary: ")) {
                summary.trim().clone_into(&mut texts.summary);
            } else if let (None, Some(words)) = (&section, line.strip_prefix("> ")) {
                words.trim().clone_into(&mut texts.hint);
            } else {
                body.push_str(line);
                body.push('\n');
            }
        }
        close(&mut texts, section, &mut body);
        texts
    }

    /// Returns the texts of a tool, with those of its shared options where it has none of its own.
    pub fn for_spec(spec: &ToolSpec, locale: Locale) -> Self {
        let (own, shared) = match locale {
            Locale::En => (spec.texts.en, include_str!("options.en.md")),
            Locale::Ja => (spec.texts.ja, include_str!("options.ja.md")),
        };
        let mut texts = Self::parse(&fill(own));
        let shared = Self::parse(&fill(shared));
        for name in spec.shared() {
            if let Some(text) = shared.arguments.get(*name) {
                texts.arguments.entry((*name).to_owned()).or_insert_with(|| text.clone());
            }
        }
        texts
    }
}

/// The measured figures by name.
static MEASURED: LazyLock<BTreeMap<String, i64>> =
    LazyLock::new(|| embedded::toml("measured.toml", include_str!("measured.toml")));

/// Replaces the names of figures by the figures.
fn fill(text: &str) -> String {
    template::fill(text, ("{{", "}}"), |name| MEASURED.get(name).map(|figure| rounded(*figure).into()))
}

/// Rounds a figure to two digits: more would promise what another project does not reach, and change with every
/// measurement.
fn rounded(figure: i64) -> String {
    let mut unit = 1;
    while figure.abs() / unit >= 100 {
        unit *= 10;
    }
    let half = unit / 2 * figure.signum();
    let digits = ((figure + half) / unit * unit).to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digit.is_ascii_digit() && text != "-" && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{MEASURED, ToolTexts, fill, rounded};

    #[test]
    fn figures_are_filled_with_two_digits_and_an_unknown_name_stays() {
        assert!(!MEASURED.is_empty());
        let name = MEASURED.keys().next().expect("it is not empty");
        let filled = fill(&format!("a {{{{{name}}}}} b {{{{no.such.figure}}}} c {{{{"));
        assert_eq!(filled, format!("a {} b {{{{no.such.figure}}}} c {{{{", rounded(MEASURED[name])));
        for (figure, text) in [
            (0, "0"),
            (8, "8"),
            (99, "99"),
            (104, "100"),
            (995, "1,000"),
            (12_499, "12,000"),
            (12_500, "13,000"),
            (1_234_567, "1,200,000"),
            (-125, "-130"),
        ] {
            assert_eq!(rounded(figure), text, "{figure}");
        }
    }

    #[test]
    fn sections_become_argument_texts() {
        let texts = ToolTexts::parse(
            "# List\nsummary: List files.\n> find a folder\nLists files.\n\nMore.\n\n## roots\nWhere.\n\n## a.b\nsummary: of all.\n",
        );
        assert_eq!(texts.title, "List");
        assert_eq!(texts.summary, "List files.");
        assert_eq!(texts.hint, "find a folder");
        assert_eq!(texts.description, "Lists files.\n\nMore.");
        assert_eq!(texts.arguments["roots"], "Where.");
        assert_eq!(texts.arguments["a.b"], "summary: of all.");
    }
}
