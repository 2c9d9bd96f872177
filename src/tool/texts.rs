//! The texts of a tool: a Markdown file per language beside it.
//!
//! `# Title`, then the description, then one `## argument` section each (`## sections.start_line` for nested ones).
//! A test matches the sections and the properties of the schema in both directions; there is no default text.

use std::collections::BTreeMap;

use fumi_base::text::Locale;

use super::Spec;

/// The parsed texts of one tool in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolTexts {
    /// A short human title.
    pub title: String,
    /// What it does and when to use it.
    pub description: String,
    /// Argument texts by dotted path.
    pub arguments: BTreeMap<String, String>,
}

impl ToolTexts {
    /// Reads one file.
    #[must_use]
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
            } else {
                body.push_str(line);
                body.push('\n');
            }
        }
        close(&mut texts, section, &mut body);
        texts
    }

    /// The texts of a tool, with those of its shared options where it has none of its own.
    #[must_use]
    pub fn of(spec: &Spec, locale: Locale) -> Self {
        let (own, shared) = match locale {
            Locale::En => (spec.texts.en, include_str!("options.en.md")),
            Locale::Ja => (spec.texts.ja, include_str!("options.ja.md")),
        };
        let mut texts = Self::parse(own);
        let shared = Self::parse(shared);
        for name in spec.options.iter().flat_map(|option| option.names()) {
            if let Some(text) = shared.arguments.get(*name) {
                texts
                    .arguments
                    .entry((*name).to_owned())
                    .or_insert_with(|| text.clone());
            }
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::ToolTexts;

    #[test]
    fn sections_become_argument_texts() {
        let texts = ToolTexts::parse("# List\nLists files.\n\nMore.\n\n## roots\nWhere.\n\n## a.b\nInner.\n");
        assert_eq!(texts.title, "List");
        assert_eq!(texts.description, "Lists files.\n\nMore.");
        assert_eq!(texts.arguments["roots"], "Where.");
        assert_eq!(texts.arguments["a.b"], "Inner.");
    }
}
