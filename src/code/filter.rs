//! Filters over elements: `name=~get*,public=true`, parsed once, then matched many times.
//!
//! Commas mean "and". `=` is exact, `=~` a glob or, between slashes, a regular expression, `!=` and `!~` their
//! opposites; numbers can also be compared with `<`, `<=`, `>`, `>=`. A name may be qualified: `name=A.p`. A term whose
//! key has no value in an element never matches, nor does its opposite. `decorator` is compared with each decorator as
//! written, with its name and with the last part of the name: `app.route("/x")`, `app.route`, `route`.

use std::borrow::Cow;

use fumi_base::{nearest::nearest, text::BilingualText};
use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;

use crate::{
    elements::{CodeElement, DefinitionFacts, ElementDetail, Visibility, decorator_names},
    errors::structure::StructureError,
};

/// The maximum length of a filter, in characters; a longer one is rejected.
const MAX_CHARACTERS: usize = 1_000;

/// A parsed filter with its source text.
#[derive(Clone, Debug, Default)]
pub struct ElementFilter {
    text: String,
    terms: Vec<FilterTerm>,
}

#[derive(Clone, Debug)]
struct FilterTerm {
    key: FilterKey,
    test: FilterTest,
    is_negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilterKey {
    Name,
    Params,
    Static,
    Public,
    Private,
    Protected,
    Async,
    Visibility,
    Type,
    Lines,
    Decorator,
}

const KEYS: [(&str, FilterKey); 11] = [
    ("name", FilterKey::Name),
    ("params", FilterKey::Params),
    ("static", FilterKey::Static),
    ("public", FilterKey::Public),
    ("private", FilterKey::Private),
    ("protected", FilterKey::Protected),
    ("async", FilterKey::Async),
    ("visibility", FilterKey::Visibility),
    ("type", FilterKey::Type),
    ("lines", FilterKey::Lines),
    ("decorator", FilterKey::Decorator),
];

#[derive(Clone, Debug)]
enum FilterTest {
    Equals(String),
    Glob(GlobMatcher),
    Regex(Regex),
    Is(bool),
    Number(std::ops::RangeInclusive<usize>),
}

/// The properties of a row that a filter tests; an element that is not a definition has only a name, a type and lines.
#[derive(Clone, Copy, Debug)]
pub struct FilterSubject<'e> {
    pub name: &'e str,
    /// The qualified name of the element around it, if there is one and the filter needs it.
    pub parent: Option<&'e str>,
    /// The kind or capture, such as `method`.
    pub kind: &'e str,
    /// The number of lines that it touches.
    pub lines: usize,
    /// True if it can have parameters.
    pub is_callable: bool,
    /// The declared type of a definition, or the type of a key's value.
    pub type_name: Option<&'e str>,
    pub code: Option<&'e DefinitionFacts>,
}

impl<'e> From<&'e CodeElement> for FilterSubject<'e> {
    fn from(element: &'e CodeElement) -> Self {
        Self {
            name: &element.name,
            parent: None,
            kind: element.kind.name(),
            lines: element.span.lines(),
            is_callable: element.kind.is_callable(),
            type_name: match &element.detail {
                ElementDetail::Code(code) => code.type_name.as_deref(),
                ElementDetail::Key { type_name, .. } => Some(type_name),
                _ => None,
            },
            code: element.code(),
        }
    }
}

impl ElementFilter {
    /// Parses a filter. An empty filter matches every row.
    pub fn parse(text: &str) -> Result<Self, StructureError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut reader = FilterParser { text, at: 0 };
        if text.chars().count() > MAX_CHARACTERS {
            return Err(reader.error_at(0, "it is longer than 1000 characters", "1000 文字を超えています"));
        }
        let mut terms = Vec::new();
        loop {
            terms.push(reader.term()?);
            reader.skip_spaces();
            if reader.at == text.len() {
                return Ok(Self { text: text.to_owned(), terms });
            }
            if !reader.take(",") {
                return Err(reader.error_at(reader.at, "a comma is expected here", "ここにはカンマが必要です"));
            }
        }
    }

    /// Returns the source text of the filter.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if every row matches.
    pub const fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the name that every row must have, if the filter contains an exact name that is a plain word. A file
    /// that does not contain this word has no matching row. Names that fumi generates (`given_Ordering` of Scala) are
    /// excluded.
    pub fn exact_name(&self) -> Option<&str> {
        self.terms.iter().find_map(|term| match &term.test {
            FilterTest::Equals(name) if term.key == FilterKey::Name && !term.is_negated => {
                let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
                (is_word && !name.starts_with("given_")).then_some(name.as_str())
            }
            _ => None,
        })
    }

    /// True if rows are chosen by their names, whole or in part.
    pub fn is_by_name(&self) -> bool {
        let mut terms = self.terms.iter();
        terms.any(|term| term.key == FilterKey::Name && !term.is_negated)
    }

    /// True if a name is compared with qualified ones.
    pub fn is_by_qualified_name(&self) -> bool {
        self.terms.iter().any(|term| {
            term.key == FilterKey::Name && matches!(&term.test, FilterTest::Equals(name) if name.contains(['.', ':']))
        })
    }

    /// True if a row matches every term.
    pub fn matches(&self, subject: FilterSubject<'_>) -> bool {
        self.terms.iter().all(|term| term.holds(subject).is_some_and(|holds| holds != term.is_negated))
    }
}

impl FilterTerm {
    /// True if the wanted name is the end of the qualified name: `A.p` or `A::p` of `m.A.p`.
    fn is_end_of_qualified(&self, subject: FilterSubject<'_>) -> bool {
        let (FilterTest::Equals(wanted), Some(parent)) = (&self.test, subject.parent) else {
            return false;
        };
        let wanted = wanted.replace("::", ".");
        let outer = wanted.strip_suffix(subject.name).and_then(|outer| outer.strip_suffix('.'));
        outer.is_some_and(|outer| parent.strip_suffix(outer).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
    }

    /// Returns `None` if the subject has no value for the key.
    fn holds(&self, subject: FilterSubject<'_>) -> Option<bool> {
        let flag = |value: bool| match &self.test {
            FilterTest::Is(wanted) => value == *wanted,
            _ => false,
        };
        let number = |value: usize| match &self.test {
            FilterTest::Number(range) => range.contains(&value),
            _ => false,
        };
        let text = |value: &str| match &self.test {
            FilterTest::Equals(wanted) => value == wanted,
            FilterTest::Glob(glob) => glob.is_match(value),
            FilterTest::Regex(regex) => regex.is_match(value),
            _ => false,
        };
        let seen = |visibility: Visibility| subject.code.map(|code| flag(code.visibility == visibility));
        match self.key {
            FilterKey::Name => Some(text(subject.name) || self.is_end_of_qualified(subject)),
            FilterKey::Type => Some(text(subject.kind) || subject.type_name.is_some_and(text)),
            FilterKey::Lines => Some(number(subject.lines)),
            // Elements that cannot have parameters, such as a class or a field, do not count as having zero.
            FilterKey::Params => subject
                .code
                .filter(|code| subject.is_callable || !code.params.is_empty())
                .map(|code| number(code.params.len())),
            FilterKey::Static => subject.code.map(|code| flag(code.is_static)),
            FilterKey::Async => subject.code.map(|code| flag(code.is_async)),
            FilterKey::Public => seen(Visibility::Public),
            FilterKey::Private => seen(Visibility::Private),
            FilterKey::Protected => seen(Visibility::Protected),
            // A definition without decorators has an empty list: `decorator!=test` matches it.
            FilterKey::Decorator => subject.code.map(|code| {
                let mut decorators = code.decorators.iter();
                decorators.any(|decorator| is_decorator(decorator, text))
            }),
            FilterKey::Visibility => subject.code.map(|code| text(code.visibility.name())),
        }
    }
}

/// A parser that reads a filter from left to right.
struct FilterParser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> FilterParser<'t> {
    fn error_at(
        &self,
        at: usize,
        en: impl Into<Cow<'static, str>>,
        ja: impl Into<Cow<'static, str>>,
    ) -> StructureError {
        StructureError::InvalidFilter {
            filter: self.text.to_owned(),
            column: self.text.get(..at).unwrap_or(self.text).chars().count(),
            reason: BilingualText::new(en, ja),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    fn term(&mut self) -> Result<FilterTerm, StructureError> {
        self.skip_spaces();
        let start = self.at;
        let length = self.rest().find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let word = &self.rest()[..length];
        if word.is_empty() {
            return Err(self.error_at(start, "a key is expected here", "ここにはキーが必要です"));
        }
        let Some((_, key)) = KEYS.iter().find(|(name, _)| *name == word) else {
            let near = nearest(word, KEYS.iter().map(|(name, _)| *name), 1);
            let (mean, mean_ja) = near.first().map_or((String::new(), String::new()), |near| {
                (format!("; did you mean {near}"), format!("。もしかして: {near}"))
            });
            return Err(self.error_at(
                start,
                format!("unknown key {word:?}{mean}"),
                format!("{word:?} というキーはありません{mean_ja}"),
            ));
        };
        self.at += length;
        self.skip_spaces();
        let operator_at = self.at;
        let Some(operator) =
            ["=~", "!=", "!~", "<=", ">=", "==", "=", "<", ">"].into_iter().find(|operator| self.take(operator))
        else {
            return Err(self.error_at(
                operator_at,
                "an operator (=, =~, !=) is expected after the key",
                "キーの後には演算子（=、=~、!=）が必要です",
            ));
        };
        self.skip_spaces();
        let value_at = self.at;
        let value = self.value(operator)?;
        let test = self.test(*key, operator, &value, (operator_at, value_at))?;
        Ok(FilterTerm { key: *key, test, is_negated: operator.starts_with('!') })
    }

    /// Parses a value: quoted, a regular expression between slashes, or everything up to the next comma.
    fn value(&mut self, operator: &str) -> Result<FilterValue, StructureError> {
        let start = self.at;
        let rest = self.rest();
        let is_regex = operator.ends_with('~') && rest.starts_with('/');
        let quote = rest.chars().next().filter(|c| is_regex || matches!(c, '"' | '\''));
        if let Some(quote) = quote {
            let mut is_escaped = false;
            for (offset, c) in rest.char_indices().skip(1) {
                if is_escaped {
                    is_escaped = false;
                } else if c == '\\' {
                    is_escaped = true;
                } else if c == quote {
                    let inner = rest[1..offset].replace(&format!("\\{quote}"), &quote.to_string());
                    self.at += offset + 1;
                    return Ok(if is_regex { FilterValue::Regex(inner) } else { FilterValue::Plain(inner) });
                }
            }
            return Err(self.error_at(
                start,
                format!("the closing {quote} is missing"),
                format!("閉じる {quote} がありません"),
            ));
        }
        // A glob may contain alternatives: the comma of `{get,set}*` does not end it.
        let mut depth = 0_usize;
        let end = rest
            .find(|c| {
                match c {
                    '{' | '[' | '<' | '(' => depth += 1,
                    '}' | ']' | '>' | ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            })
            .unwrap_or(rest.len());
        let plain = rest[..end].trim();
        if plain.is_empty() {
            return Err(self.error_at(start, "a value is missing", "値がありません"));
        }
        self.at += end;
        Ok(FilterValue::Plain(plain.to_owned()))
    }

    fn test(
        &self,
        key: FilterKey,
        operator: &str,
        value: &FilterValue,
        (operator_at, value_at): (usize, usize),
    ) -> Result<FilterTest, StructureError> {
        let is_pattern = operator.ends_with('~');
        let is_comparison = operator.starts_with(['<', '>']);
        match (key, value) {
            (FilterKey::Params | FilterKey::Lines, FilterValue::Plain(text)) if !is_pattern => {
                let number: usize = text
                    .parse()
                    .map_err(|_| self.error_at(value_at, "a whole number is expected", "整数を指定してください"))?;
                Ok(FilterTest::Number(match operator {
                    "<" if number == 0 => {
                        return Err(self.error_at(value_at, "nothing is below 0", "0 未満の値はありません"));
                    }
                    "<" => 0..=number - 1,
                    "<=" => 0..=number,
                    ">" => number.saturating_add(1)..=usize::MAX,
                    ">=" => number..=usize::MAX,
                    _ => number..=number,
                }))
            }
            (FilterKey::Params | FilterKey::Lines, _) => Err(self.error_at(
                operator_at,
                "this key is a number: use =, !=, <, <=, > or >=",
                "このキーは数値です。=、!=、<、<=、>、>= を使ってください",
            )),
            _ if is_comparison => Err(self.error_at(
                operator_at,
                "only params and lines are numbers",
                "数値で比べられるのは params と lines だけです",
            )),
            (
                FilterKey::Static | FilterKey::Public | FilterKey::Private | FilterKey::Protected | FilterKey::Async,
                FilterValue::Plain(text),
            ) if !is_pattern => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "1" => Ok(FilterTest::Is(true)),
                "false" | "no" | "0" => Ok(FilterTest::Is(false)),
                _ => Err(self.error_at(value_at, "true or false is expected", "true か false を指定してください")),
            },
            (
                FilterKey::Static | FilterKey::Public | FilterKey::Private | FilterKey::Protected | FilterKey::Async,
                _,
            ) => Err(self.error_at(
                operator_at,
                "this key is true or false: use = or !=",
                "このキーの値は true か false です。= か != を使ってください",
            )),
            (_, FilterValue::Regex(pattern)) => Regex::new(pattern)
                .map(FilterTest::Regex)
                .map_err(|error| self.error_at(value_at, regex_error_reason(&error), regex_error_reason(&error))),
            (FilterKey::Decorator, FilterValue::Plain(text)) if without_signs(text) != text => {
                let bare = FilterValue::Plain(without_signs(text).to_owned());
                self.test(key, operator, &bare, (operator_at, value_at))
            }
            (_, FilterValue::Plain(pattern)) if is_pattern => GlobBuilder::new(pattern)
                .literal_separator(false)
                .build()
                .map(|glob| FilterTest::Glob(glob.compile_matcher()))
                .map_err(|error| self.error_at(value_at, error.kind().to_string(), error.kind().to_string())),
            (_, FilterValue::Plain(text)) => Ok(FilterTest::Equals(text.clone())),
        }
    }
}

/// True if a test matches a decorator, its name or the last part of the name, bare or with the punctuation that a
/// language writes around it.
fn is_decorator(decorator: &str, test: impl Fn(&str) -> bool) -> bool {
    let bare = std::iter::once(decorator).chain(decorator_names(decorator));
    bare.into_iter().any(|name| {
        test(name) || test(&format!("@{name}")) || test(&format!("#[{name}]")) || test(&format!("[{name}]"))
    })
}

/// Returns a decorator without the punctuation that languages write around it: `@route`, `#[test]`, `[HttpGet]`.
fn without_signs(decorator: &str) -> &str {
    let inside = |before: &str| decorator.strip_prefix(before)?.strip_suffix(']');
    inside("#[").or_else(|| inside("[")).or_else(|| decorator.strip_prefix('@')).unwrap_or(decorator)
}

enum FilterValue {
    Plain(String),
    Regex(String),
}

/// Returns the last line of a regex error, which contains the reason; the lines before it draw the position.
fn regex_error_reason(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{ElementFilter, FilterSubject};
    use crate::{
        elements::{DefinitionFacts, Param, Visibility},
        errors::structure::StructureError,
    };

    fn passes(filter: &str) -> bool {
        let code = DefinitionFacts {
            params: vec![Param::default(), Param::default()],
            visibility: Visibility::Protected,
            type_name: Some("Map<K, V>".to_owned()),
            decorators: vec!["app.route(\"/x\", methods=[\"GET\"])".to_owned(), "cached".to_owned()],
            is_async: true,
            ..DefinitionFacts::default()
        };
        let subject = FilterSubject {
            parent: None,
            name: "get_user",
            kind: "method",
            lines: 12,
            is_callable: true,
            type_name: code.type_name.as_deref(),
            code: Some(&code),
        };
        ElementFilter::parse(filter).expect(filter).matches(subject)
    }

    fn refused(filter: &str) -> (usize, String) {
        match ElementFilter::parse(filter) {
            Err(StructureError::InvalidFilter { column, reason, .. }) => (column, reason.en.into_owned()),
            other => panic!("{filter}: {other:?}"),
        }
    }

    #[test]
    fn terms_are_joined_by_and() {
        for filter in [
            "",
            "name=get_user",
            "name=~get*",
            "name=~{get,set}_*",
            "name=~/^get_\\w+$/",
            "name=~/a{0,1}/",
            "name!=main",
            "params=2",
            "params>=2,lines<20",
            "async=true",
            "static=false",
            "protected=true",
            "visibility=protected",
            "type=method",
            "type=Map<K, V>",
            "name = get_user , async=true",
            "name=\"get_user\"",
            "name!~set*",
            "decorator=app.route",
            "decorator=~route",
            "decorator=@cached",
            "decorator=#[cached]",
            "decorator=[cached]",
            "decorator=~app.*,decorator=cached",
            "decorator=~/\"GET\"/",
            "decorator=~/^@app\\.route/",
            "decorator=~@app.*",
            "decorator=@route",
            "decorator!=deprecated",
            "decorator=~*",
        ] {
            assert!(passes(filter), "{filter}");
        }
        for filter in [
            "name=get",
            "name=~get",
            "params=0",
            "public=true",
            "name=get_user,static=true",
            "lines>12",
            "decorator=app",
            "decorator=~rout",
            "decorator!=cached",
            "decorator!~*",
        ] {
            assert!(!passes(filter), "{filter}");
        }
    }

    #[test]
    fn elements_without_parameters_match_no_parameter_term() {
        let subject = FilterSubject {
            name: "os",
            parent: None,
            kind: "import",
            lines: 1,
            is_callable: false,
            type_name: None,
            code: None,
        };
        for filter in ["params=0", "params!=0", "public=true", "public=false", "decorator=test", "decorator!=test"] {
            assert!(!ElementFilter::parse(filter).expect(filter).matches(subject), "{filter}");
        }
    }

    #[test]
    fn exact_name_is_returned_for_plain_words() {
        let name = |filter: &str| {
            let filter = ElementFilter::parse(filter).expect("a filter");
            filter.exact_name().map(str::to_owned)
        };
        assert_eq!(name("public=true,name=get_all").as_deref(), Some("get_all"));
        for other in ["", "name!=get", "name=~get*", "name=A.get", "name=given_Ord", "type=get"] {
            assert_eq!(name(other), None, "{other}");
        }
    }

    #[test]
    fn malformed_filters_report_the_column() {
        assert_eq!(refused("名=x").0, 0);
        assert_eq!(refused("nam=x"), (0, "unknown key \"nam\"; did you mean name".to_owned()));
        assert_eq!(refused("name").0, 4);
        assert_eq!(refused("name=").0, 5);
        assert_eq!(refused("name=a,").0, 7);
        assert_eq!(refused("params=two").0, 7);
        assert_eq!(refused("static=maybe").0, 7);
        assert_eq!(refused("name=~/(/").0, 6);
        assert_eq!(refused("name=~/abc").0, 6);
        assert_eq!(refused("name>3").0, 4);
        assert_eq!(refused("name=\"a\" b").0, 9);
    }
}
