//! Measures the size and complexity of a file, and recommends the cheapest way to read it.
//!
//! A line is either code, comment or blank: a line with code and a comment is code, and so is a docstring. The token
//! estimate comes from the caller. The advice is data, in `scale.toml`; this module does not measure time.

use std::sync::LazyLock;

use fumi_base::{embedded, text::BilingualText};
use serde::Deserialize;

use crate::{
    elements::{ElementKind, ElementList},
    outline::Outline,
};

/// The exclusive upper bounds of each category: lines, bytes, characters of the longest line. Anything else is very
/// large.
const BOUNDS: [([usize; 3], SizeCategory); 3] = [
    ([100, 10_000, 2_000], SizeCategory::Small),
    ([500, 50_000, 10_000], SizeCategory::Medium),
    ([1_500, 150_000, 50_000], SizeCategory::Large),
];

/// The size category of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, fumi_base::Named)]
pub enum SizeCategory {
    /// A file of fewer than 100 lines.
    Small,
    /// A file of fewer than 500 lines.
    Medium,
    /// A file of fewer than 1,500 lines.
    Large,
    /// A file of 1,500 lines or more.
    VeryLarge,
}

impl SizeCategory {
    /// Returns the category of a text: the largest of those that its lines, bytes and longest line give.
    pub fn from_text(text: &str) -> Self {
        let longest = text.lines().map(|line| line.chars().count()).max();
        let measured = [text.lines().count(), text.len(), longest.unwrap_or_default()];
        let is_below = |bounds: &[usize; 3]| measured.iter().zip(bounds).all(|(measure, bound)| measure < bound);
        let found = BOUNDS.iter().find(|(bounds, _)| is_below(bounds));
        found.map_or(Self::VeryLarge, |(_, category)| *category)
    }
}

/// The numbers of lines by their content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// The number of all lines: line feeds, plus one if the last line is not empty.
    pub total: usize,
    /// The number of lines with anything but comments and white space.
    pub code: usize,
    /// The number of lines with nothing but comments.
    pub comment: usize,
    /// The number of lines with nothing but white space, outside of comments.
    pub blank: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileComplexity {
    /// The number of elements other than comments.
    pub total_elements: usize,
    /// The number of class-like elements: classes, interfaces, enums, records, structs and similar.
    pub classes: usize,
    /// The number of methods and constructors.
    pub methods: usize,
    /// The number of functions outside of classes.
    pub functions: usize,
    /// The number of fields and enum members.
    pub fields: usize,
    pub imports: usize,
    /// The cyclomatic complexity of all callables.
    pub cyclomatic: CyclomaticTotals,
}

/// The cyclomatic complexity of a file's callables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CyclomaticTotals {
    /// The sum over all callables.
    pub total: usize,
    /// The mean; 0 without callables.
    pub average: f64,
    /// The maximum of all callables.
    pub max: usize,
    /// The qualified name of the first callable with the maximum.
    pub max_element: Option<String>,
}

/// The advice for a file of this size.
#[derive(Clone, Debug, Deserialize)]
pub struct SizeGuidance {
    /// The approach, in one sentence.
    pub approach: ScaleSentence,
    /// The steps, in order.
    pub steps: Vec<ScaleSentence>,
    /// The advice on saving tokens.
    pub tokens: ScaleSentence,
    /// The strategy's short name.
    pub strategy: ScaleSentence,
}

/// A sentence of `scale.toml`.
#[derive(Clone, Debug, Deserialize)]
pub struct ScaleSentence {
    en: String,
    ja: String,
}

impl ScaleSentence {
    /// Returns the sentence in both languages.
    pub fn text(&self) -> BilingualText {
        BilingualText::new(self.en.clone(), self.ja.clone())
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AdviceBySize {
    small: SizeGuidance,
    medium: SizeGuidance,
    large: SizeGuidance,
    very_large: SizeGuidance,
    text: SizeGuidance,
    empty: SizeGuidance,
    binary: SizeGuidance,
}

static ADVICE: LazyLock<AdviceBySize> = LazyLock::new(|| embedded::toml("scale.toml", include_str!("scale.toml")));

/// The size of a file with advice.
#[derive(Clone, Debug)]
pub struct Scale {
    pub lines: LineCounts,
    /// The category, by lines, bytes and the longest line.
    pub category: SizeCategory,
    /// The number of tokens of the whole file.
    pub token_estimate: usize,
    /// The advice for this category.
    pub guidance: &'static SizeGuidance,
    /// The complexity, if the language is known.
    pub complexity: Option<FileComplexity>,
}

/// Assesses a file in a known language.
pub fn assess(file: &Outline, token_estimate: usize) -> Scale {
    let category = SizeCategory::from_text(&file.source.text);
    Scale {
        lines: count_lines(&file.source.text, &file.elements),
        category,
        token_estimate,
        guidance: match file.source.text.as_str() {
            "" => &ADVICE.empty,
            _ => guidance(category),
        },
        complexity: Some(complexity(&file.elements)),
    }
}

/// Assesses a text in no known language: every line that is not blank counts as code.
pub fn assess_text(text: &str, token_estimate: usize) -> Scale {
    let category = SizeCategory::from_text(text);
    Scale {
        lines: count_lines(text, &ElementList::default()),
        category,
        token_estimate,
        guidance: match category {
            _ if text.is_empty() => &ADVICE.empty,
            _ if is_binary(text) => &ADVICE.binary,
            SizeCategory::Small => &ADVICE.small,
            // Such a text has no elements by which it could be cut.
            _ => &ADVICE.text,
        },
        complexity: None,
    }
}

/// True if a decoded text has NUL characters, by which ripgrep recognises a binary file.
pub fn is_binary(text: &str) -> bool {
    memchr::memchr(0, text.as_bytes()).is_some()
}

/// Returns the advice for a category.
pub fn guidance(category: SizeCategory) -> &'static SizeGuidance {
    match category {
        SizeCategory::Small => &ADVICE.small,
        SizeCategory::Medium => &ADVICE.medium,
        SizeCategory::Large => &ADVICE.large,
        SizeCategory::VeryLarge => &ADVICE.very_large,
    }
}

/// Counts lines by their content; comments are those among the elements.
pub fn count_lines(text: &str, elements: &ElementList) -> LineCounts {
    let mut lines = LineCounts::default();
    let mut comments = elements
        .list
        .iter()
        .filter(|element| element.kind == ElementKind::Comment)
        .map(|element| element.span.start_byte..element.span.end_byte)
        .peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let (mut has_comment, mut has_code) = (false, false);
        let mut at = start;
        while at < end {
            while comments.peek().is_some_and(|comment| comment.end <= at) {
                comments.next();
            }
            let next = comments.peek().filter(|comment| comment.start < end);
            let code_end = next.map_or(end, |comment| comment.start.max(at));
            has_code |= text.get(at..code_end).is_some_and(|part| !part.trim().is_empty());
            let Some(comment) = next else { break };
            has_comment = true;
            at = comment.end.max(code_end + 1);
        }
        lines.total += 1;
        if has_code {
            lines.code += 1;
        } else if has_comment {
            lines.comment += 1;
        } else {
            lines.blank += 1;
        }
        start = end;
    }
    lines
}

/// Counts elements and aggregates their cyclomatic complexity.
pub fn complexity(elements: &ElementList) -> FileComplexity {
    let mut cyclomatic = CyclomaticTotals::default();
    let mut callables = 0_u32;
    for (at, element) in elements.list.iter().enumerate() {
        let Some(value) = element.code().and_then(|code| code.complexity) else {
            continue;
        };
        callables += 1;
        cyclomatic.total += value;
        if value > cyclomatic.max {
            cyclomatic.max = value;
            cyclomatic.max_element = Some(elements.qualified_name(at));
        }
    }
    if callables > 0 {
        // Sums of complexity stay far below the 52 bits that a float represents exactly.
        let total = cyclomatic.total as f64;
        cyclomatic.average = (total / f64::from(callables) * 100.0).round() / 100.0;
    }
    FileComplexity {
        total_elements: elements.count(|kind| kind != ElementKind::Comment),
        classes: elements.count(ElementKind::is_class_like),
        methods: elements.count(|kind| matches!(kind, ElementKind::Method | ElementKind::Constructor)),
        functions: elements.count(|kind| kind == ElementKind::Function),
        fields: elements.count(|kind| matches!(kind, ElementKind::Field | ElementKind::EnumMember)),
        imports: elements.count(|kind| kind == ElementKind::Import),
        cyclomatic,
    }
}

/// The facts about one file for a project's statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct FileStatistics {
    /// The name of the language.
    pub language: &'static str,
    pub lines: LineCounts,
    /// The qualified name, first line and cyclomatic complexity of every callable.
    pub callables: Vec<(String, usize, usize)>,
}

pub fn statistics(file: &Outline) -> FileStatistics {
    let elements = &file.elements;
    let callables = elements
        .list
        .iter()
        .enumerate()
        .filter_map(|(at, element)| {
            let complexity = element.code()?.complexity?;
            Some((elements.qualified_name(at), element.span.start_line, complexity))
        })
        .collect();
    FileStatistics { language: file.source.language.name, lines: count_lines(&file.source.text, elements), callables }
}

#[cfg(test)]
mod tests {
    use super::{LineCounts, SizeCategory, assess, assess_text, guidance, statistics};
    use crate::parse::tests::outline;

    const TEXT: &str = "# about\n\nimport os  # code\n\ndef f(x):\n    \"\"\"Doc.\"\"\"\n    # why\n    if x and os:\n        return 1\n    return [y for y in x if y]\n\nclass A:\n    def g(self): pass\n";

    #[test]
    fn lines_are_code_or_comment_or_blank() {
        let file = outline("a.py", TEXT);
        let scale = assess(&file, 70);
        assert_eq!(scale.lines, LineCounts { total: 13, code: 8, comment: 2, blank: 3 });
        let complexity = scale.complexity.expect("of Python");
        assert_eq!((complexity.classes, complexity.methods, complexity.functions, complexity.imports), (1, 1, 1, 1));
        // The complexity of f: if, and, for, if of the comprehension; and that of g.
        let cyclomatic = complexity.cyclomatic;
        assert_eq!((cyclomatic.total, cyclomatic.max, cyclomatic.max_element.as_deref()), (6, 5, Some("f")));
        assert!((cyclomatic.average - 3.0).abs() < f64::EPSILON);
        let statistics = statistics(&file);
        assert_eq!(statistics.callables, [("f".to_owned(), 5, 5), ("A.g".to_owned(), 13, 1)]);
    }

    #[test]
    fn categories_follow_bounds_and_have_guidance() {
        let lines = |count: usize| "x\n".repeat(count);
        for (text, category) in [
            (String::new(), SizeCategory::Small),
            (lines(99), SizeCategory::Small),
            (lines(100), SizeCategory::Medium),
            (lines(499), SizeCategory::Medium),
            (lines(500), SizeCategory::Large),
            (lines(1_499), SizeCategory::Large),
            (lines(1_500), SizeCategory::VeryLarge),
            ("x".repeat(1_999), SizeCategory::Small),
            ("x".repeat(2_000), SizeCategory::Medium),
            ("x".repeat(50_000), SizeCategory::VeryLarge),
            (format!("{}\n", "x".repeat(1_000)).repeat(20), SizeCategory::Medium),
        ] {
            assert_eq!(SizeCategory::from_text(&text), category, "{} bytes", text.len());
            let advice = guidance(category);
            assert!(!advice.steps.is_empty());
            for sentence in advice.steps.iter().chain([&advice.approach, &advice.tokens, &advice.strategy]) {
                assert!(!sentence.en.is_empty() && !sentence.ja.is_ascii());
            }
        }
        let advice = |text: &str| assess_text(text, 2).guidance.strategy.en.clone();
        assert_eq!([advice("a"), advice("a\0")], ["read whole", "not text"]);
        assert_eq!(assess_text("a\n\nb", 2).lines, LineCounts { total: 3, code: 2, comment: 0, blank: 1 });
    }
}
