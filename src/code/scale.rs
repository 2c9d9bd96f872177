//! How large a file is, how complex, and how to read it at the least cost.
//!
//! A line is code, comment or blank, never two of them: a line with code and a comment is code, a string that documents is
//! code. The token estimate comes from the caller. The advice is data, in `scale.toml`; nothing here measures time.

use std::sync::LazyLock;

use fumi_base::text::Text;
use serde::Deserialize;

use crate::{
    elements::{Elements, Kind},
    outline::Outline,
};

/// What a file has less of in each category: lines, bytes, characters of its longest line. From the last on it is very large.
const BOUNDS: [([usize; 3], Category); 3] = [
    ([100, 10_000, 2_000], Category::Small),
    ([500, 50_000, 10_000], Category::Medium),
    ([1_500, 150_000, 50_000], Category::Large),
];

/// How large a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Under 100 lines.
    Small,
    /// Under 500 lines.
    Medium,
    /// Under 1,500 lines.
    Large,
    /// More.
    VeryLarge,
}

impl Category {
    /// The category of a text: its lines, bytes and longest line decide, whichever is the largest.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let longest = text.lines().map(|line| line.chars().count()).max();
        let measured = [text.lines().count(), text.len(), longest.unwrap_or_default()];
        let is_below = |bounds: &[usize; 3]| measured.iter().zip(bounds).all(|(measure, bound)| measure < bound);
        let found = BOUNDS.iter().find(|(bounds, _)| is_below(bounds));
        found.map_or(Self::VeryLarge, |(_, category)| *category)
    }

    /// The published name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
            Self::VeryLarge => "very_large",
        }
    }
}

/// Lines by what stands on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// All of them: line feeds, plus one if the last line is not empty.
    pub total: usize,
    /// With anything but comments and white space.
    pub code: usize,
    /// With nothing but comments.
    pub comment: usize,
    /// With nothing but white space, outside of comments.
    pub blank: usize,
}

/// How complex a file is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Complexity {
    /// Elements other than comments.
    pub total_elements: usize,
    /// Classes, interfaces, enums, records, structs.
    pub classes: usize,
    /// Methods and constructors.
    pub methods: usize,
    /// Functions outside of classes.
    pub functions: usize,
    /// Fields, enum members.
    pub fields: usize,
    /// Imports.
    pub imports: usize,
    /// Cyclomatic complexity over all callables.
    pub cyclomatic: Cyclomatic,
}

/// Cyclomatic complexity over the callables of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cyclomatic {
    /// The sum.
    pub total: usize,
    /// The mean, 0 without callables.
    pub average: f64,
    /// The highest.
    pub max: usize,
    /// The qualified name of the first callable that has it.
    pub max_element: Option<String>,
}

/// What to do with a file of this size.
#[derive(Clone, Debug, Deserialize)]
pub struct Guidance {
    /// In one sentence.
    pub approach: Sentence,
    /// In order.
    pub steps: Vec<Sentence>,
    /// Where tokens are saved.
    pub tokens: Sentence,
    /// The strategy's short name.
    pub strategy: Sentence,
}

/// A sentence of `scale.toml`.
#[derive(Clone, Debug, Deserialize)]
pub struct Sentence {
    en: String,
    ja: String,
}

impl Sentence {
    /// In both languages.
    #[must_use]
    pub fn text(&self) -> Text {
        Text::new(self.en.clone(), self.ja.clone())
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Advice {
    small: Guidance,
    medium: Guidance,
    large: Guidance,
    very_large: Guidance,
    text: Guidance,
    empty: Guidance,
}

static ADVICE: LazyLock<Advice> =
    LazyLock::new(|| toml::from_str(include_str!("scale.toml")).expect("scale.toml is well-formed; a test reads it"));

/// The size of a file and what to do with it.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Lines by what stands on them.
    pub lines: Lines,
    /// By lines, bytes and the longest line.
    pub category: Category,
    /// What reading the whole file costs.
    pub token_estimate: usize,
    /// What to do.
    pub guidance: &'static Guidance,
    /// Of languages that can be taken apart.
    pub complexity: Option<Complexity>,
}

/// The scale of a file in a known language.
#[must_use]
pub fn assess(file: &Outline, token_estimate: usize) -> Scale {
    let category = Category::of(&file.source.text);
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

/// The scale of a text in no known language: every line that is not blank counts as code.
#[must_use]
pub fn assess_text(text: &str, token_estimate: usize) -> Scale {
    let category = Category::of(text);
    Scale {
        lines: count_lines(text, &Elements::default()),
        category,
        token_estimate,
        guidance: match category {
            _ if text.is_empty() => &ADVICE.empty,
            Category::Small => &ADVICE.small,
            // It has no structure and no elements to cut by.
            _ => &ADVICE.text,
        },
        complexity: None,
    }
}

/// The advice for a category.
#[must_use]
pub fn guidance(category: Category) -> &'static Guidance {
    match category {
        Category::Small => &ADVICE.small,
        Category::Medium => &ADVICE.medium,
        Category::Large => &ADVICE.large,
        Category::VeryLarge => &ADVICE.very_large,
    }
}

/// Lines by what stands on them; comments are those among the elements.
#[must_use]
pub fn count_lines(text: &str, elements: &Elements) -> Lines {
    let mut lines = Lines::default();
    let mut comments = elements
        .list
        .iter()
        .filter(|element| element.kind == Kind::Comment)
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

/// Counts elements and folds their complexity.
#[must_use]
pub fn complexity(elements: &Elements) -> Complexity {
    let mut cyclomatic = Cyclomatic::default();
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
        // Sums of complexity stay far below the 52 bits that a float holds exactly.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let total = cyclomatic.total as f64;
        cyclomatic.average = (total / f64::from(callables) * 100.0).round() / 100.0;
    }
    Complexity {
        total_elements: elements.count(|kind| kind != Kind::Comment),
        classes: elements.count(Kind::is_class_like),
        methods: elements.count(|kind| matches!(kind, Kind::Method | Kind::Constructor)),
        functions: elements.count(|kind| kind == Kind::Function),
        fields: elements.count(|kind| matches!(kind, Kind::Field | Kind::EnumMember)),
        imports: elements.count(|kind| kind == Kind::Import),
        cyclomatic,
    }
}

/// What statistics of a project need of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileStatistics {
    /// The language's name.
    pub language: &'static str,
    /// Lines by what stands on them.
    pub lines: Lines,
    /// Of every callable: qualified name, first line, cyclomatic complexity.
    pub callables: Vec<(String, usize, usize)>,
}

/// The statistics of one file.
#[must_use]
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
    FileStatistics {
        language: file.source.language.name,
        lines: count_lines(&file.source.text, elements),
        callables,
    }
}

#[cfg(test)]
mod tests {
    use super::{Category, Lines, assess, assess_text, guidance, statistics};
    use crate::parse::tests::outline;

    const TEXT: &str = "# about\n\nimport os  # code\n\ndef f(x):\n    \"\"\"Doc.\"\"\"\n    # why\n    if x and os:\n        return 1\n    return [y for y in x if y]\n\nclass A:\n    def g(self): pass\n";

    #[test]
    fn lines_are_code_or_comment_or_blank() {
        let file = outline("a.py", TEXT);
        let scale = assess(&file, 70);
        assert_eq!(
            scale.lines,
            Lines {
                total: 13,
                code: 8,
                comment: 2,
                blank: 3
            }
        );
        let complexity = scale.complexity.expect("of Python");
        assert_eq!(
            (
                complexity.classes,
                complexity.methods,
                complexity.functions,
                complexity.imports
            ),
            (1, 1, 1, 1)
        );
        // if, and, for, if of the comprehension; and g.
        let cyclomatic = complexity.cyclomatic;
        assert_eq!(
            (cyclomatic.total, cyclomatic.max, cyclomatic.max_element.as_deref()),
            (6, 5, Some("f"))
        );
        assert!((cyclomatic.average - 3.0).abs() < f64::EPSILON);
        let statistics = statistics(&file);
        assert_eq!(
            statistics.callables,
            [("f".to_owned(), 5, 5), ("A.g".to_owned(), 13, 1)]
        );
    }

    #[test]
    fn categories_begin_at_their_bounds_and_advise_in_both_languages() {
        let lines = |count: usize| "x\n".repeat(count);
        for (text, category) in [
            (String::new(), Category::Small),
            (lines(99), Category::Small),
            (lines(100), Category::Medium),
            (lines(499), Category::Medium),
            (lines(500), Category::Large),
            (lines(1_499), Category::Large),
            (lines(1_500), Category::VeryLarge),
            ("x".repeat(1_999), Category::Small),
            ("x".repeat(2_000), Category::Medium),
            ("x".repeat(50_000), Category::VeryLarge),
            (format!("{}\n", "x".repeat(1_000)).repeat(20), Category::Medium),
        ] {
            assert_eq!(Category::of(&text), category, "{} bytes", text.len());
            let advice = guidance(category);
            assert!(!advice.steps.is_empty());
            for sentence in advice
                .steps
                .iter()
                .chain([&advice.approach, &advice.tokens, &advice.strategy])
            {
                assert!(!sentence.en.is_empty() && !sentence.ja.is_ascii());
            }
        }
        assert_eq!(
            assess_text("a\n\nb", 2).lines,
            Lines {
                total: 3,
                code: 2,
                comment: 0,
                blank: 1
            }
        );
    }
}
