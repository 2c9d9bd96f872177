//! The terms of a query, and their occurrences in a text.
//!
//! A word is found by its stem, inside identifiers too: `retrying` finds `retry`, `max_retries` and `RetryPolicy`. What
//! is written as a regular expression, or with options that change the matching, stays as it is. Stop words, such as
//! `the` and `どこ`, are left out unless nothing else is left. Japanese, which has no spaces, is cut into pairs of
//! characters. A query of one word is exactly the word, so that its counts are those of `rg`.

use std::collections::HashMap;

use grep_matcher::Matcher as _;

use super::words::{self, Stem};
use crate::{
    errors::search::SearchError,
    text_query::{CaseSensitivity, MatchEngine, QuerySyntax, TextQuery, TextQueryOptions},
};

/// The maximum number of terms of one query; more is a text rather than a query. The terms of a line are bits of a `u32`.
const TERMS: usize = 32;

/// The characters that make a regular expression of a term, once punctuation at its ends is gone.
const PATTERN_CHARACTERS: &[char] = &['\\', '[', ']', '{', '}', '*', '+', '^', '$', '|', '?'];

/// A compiled query with its terms.
#[derive(Debug)]
pub struct RankedQuery {
    /// Matches any of the terms: the query of the search.
    pub(super) any: TextQuery,
    /// The terms as shown in replies.
    pub(super) terms: Vec<String>,
    /// Matches the words among the terms.
    words: Option<TextQuery>,
    /// The terms of what `words` matches, in lower case.
    stems: HashMap<String, usize>,
    /// The terms that are regular expressions.
    patterns: Vec<(usize, TextQuery)>,
    /// The name that the query consists of, if it is one.
    pub(super) name: Option<QueryName>,
    /// All words of the query in lower case, for what it asks for expressly.
    pub(super) asked: Vec<String>,
}

/// A query that is a name: `parse_args`, `Parser.parse_args`, `Parser::parse_args`.
#[derive(Debug)]
pub(super) struct QueryName {
    /// The last part.
    pub(super) last: String,
    /// The parts, joined as in qualified names.
    pub(super) qualified: String,
}

/// The agreement of an element's name with the name that a query consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameMatch {
    Different,
    /// The names differ in case only.
    OtherCase,
    Same,
}

/// The agreement of an occurrence with a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// A word of its own, perhaps with another ending.
    Whole,
    /// A part of a longer word.
    Part,
}

impl RankedQuery {
    /// Splits a query into its terms and compiles them.
    pub fn new(options: &TextQueryOptions) -> Result<Self, SearchError> {
        // The whole query is compiled first, so that errors refer to the text that its author wrote.
        let whole = TextQuery::new(options);
        let is_regex = options.syntax == QuerySyntax::Regex;
        // Several words that do not parse as a regular expression, such as a sentence with a lone bracket, are text.
        let is_text = is_regex && whole.is_err() && is_text(&options.query);
        if !is_text {
            whole?;
        }
        let mut draft = Draft::default();
        let written = if is_regex && !is_text { split_terms(&options.query) } else { vec![options.query.clone()] };
        for term in written {
            if is_text || (is_regex && !is_pattern(&term)) {
                draft.asked.extend(words::spoken(&term));
            } else {
                draft.add(term, None);
            }
        }
        if draft.terms.is_empty() && draft.asked.is_empty() {
            // Nothing but punctuation or particles: looked for as it is.
            draft.add(options.query.clone(), None);
        }
        draft.add_words(options.word || options.case == CaseSensitivity::Sensitive);
        draft.compile(options)
    }

    /// Calls `found` with each occurrence of a term: its number, its first byte, and its likeness.
    pub(super) fn each_match(&self, text: &str, mut found: impl FnMut(usize, usize, Likeness)) {
        self.each_place(text, |term, start, end| {
            let is_pattern = self.patterns.iter().any(|(pattern, _)| *pattern == term);
            found(term, start, if is_pattern { Likeness::Whole } else { words::likeness(text, start, end) });
            true
        });
    }

    /// Calls `found` with each occurrence of a term while it returns true: its number, its first byte, and its end.
    pub(super) fn each_place(&self, text: &str, mut found: impl FnMut(usize, usize, usize) -> bool) {
        let mut goes_on = true;
        if let Some(words) = &self.words {
            each(words, text, |start, end| {
                let matched = text.get(start..end).unwrap_or_default();
                let term = match self.stems.get(matched) {
                    Some(term) => Some(term),
                    None => self.stems.get(&matched.to_lowercase()),
                };
                goes_on = term.is_none_or(|term| found(*term, start, end));
                goes_on
            });
        }
        for (term, pattern) in &self.patterns {
            if goes_on {
                each(pattern, text, |start, end| {
                    goes_on = found(*term, start, end);
                    goes_on
                });
            }
        }
    }

    /// Calls `found` with each word that a part of an identifier abbreviates: `env` is found for `environment`.
    pub(super) fn each_abbreviated(&self, name: &str, mut found: impl FnMut(usize)) {
        for part in words::parts(name) {
            let part = part.to_lowercase();
            for (form, term) in &self.stems {
                if form.len() > part.len() && form.starts_with(&part) && !words::is_stop_word(&part) {
                    found(*term);
                }
            }
        }
    }
}

/// The terms of a query before compilation.
#[derive(Default)]
struct Draft {
    terms: Vec<String>,
    /// The stem of each term, or `None` for a regular expression.
    stems: Vec<Option<Stem>>,
    asked: Vec<String>,
}

impl Draft {
    fn add(&mut self, term: String, stem: Option<Stem>) {
        let is_known = match &stem {
            Some(stem) => self.stems.iter().flatten().any(|known| known == stem),
            None => self.terms.contains(&term),
        };
        if !is_known && self.terms.len() < TERMS {
            self.terms.push(term);
            self.stems.push(stem);
        }
    }

    /// Adds the words that are not stop words, or all words if there is nothing else. With `is_exact`, their endings stay.
    fn add_words(&mut self, is_exact: bool) {
        let has_patterns = !self.terms.is_empty();
        let telling: Vec<String> = self.asked.iter().filter(|word| !words::is_stop_word(word)).cloned().collect();
        let chosen = if telling.is_empty() && !has_patterns { self.asked.clone() } else { telling };
        let is_alone = chosen.len() == 1 && self.asked.len() == 1 && !has_patterns;
        for word in chosen {
            if is_alone || is_exact {
                self.add(word.clone(), Some(Stem::exact(&word)));
                continue;
            }
            let parts = words::parts(&word);
            let stem = Stem::new(&word);
            self.add(word, Some(stem));
            if parts.len() > 1 {
                for part in parts.into_iter().filter(|part| !words::is_stop_word(part)) {
                    let stem = Stem::new(&part);
                    self.add(part, Some(stem));
                }
            }
        }
        self.asked = self.asked.iter().map(|word| word.to_lowercase()).collect();
    }

    fn compile(self, options: &TextQueryOptions) -> Result<RankedQuery, SearchError> {
        let compile =
            |query: String, case: CaseSensitivity| TextQuery::new(&TextQueryOptions { query, case, ..options.clone() });
        let mut forms: Vec<String> = Vec::new();
        let mut stems = HashMap::new();
        let mut patterns = Vec::new();
        for (term, stem) in self.stems.iter().enumerate() {
            match stem {
                Some(stem) => {
                    forms.extend(stem.forms.iter().cloned());
                    stems.extend(stem.forms.iter().map(|form| (form.to_lowercase(), term)));
                }
                None => patterns.push((term, compile(self.terms[term].clone(), options.case)?)),
            }
        }
        // The longest first: the engine takes the first alternative that matches.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        let forms: Vec<String> = forms.iter().map(|form| regex_syntax::escape(form)).collect();
        // With several terms, a capital may only begin a sentence, so case is ignored. A single term follows smart case, as
        // in `rg`.
        let case = match options.case {
            CaseSensitivity::Smart if self.terms.len() > 1 => CaseSensitivity::Insensitive,
            case => case,
        };
        let words = if forms.is_empty() { None } else { Some(compile(forms.join("|"), case)?) };
        let any = match (&words, patterns.as_slice()) {
            (Some(words), []) => words.clone(),
            (None, [(_, only)]) => only.clone(),
            _ => {
                let parts = patterns.iter().map(|(term, _)| format!("(?:{})", self.terms[*term]));
                let flag = if case == CaseSensitivity::Sensitive { "" } else { "i" };
                let words = words.iter().map(|_| format!("(?{flag}:{})", forms.join("|")));
                compile(parts.chain(words).collect::<Vec<_>>().join("|"), options.case)?
            }
        };
        Ok(RankedQuery {
            name: QueryName::new(options),
            any,
            terms: self.terms,
            words,
            stems,
            patterns,
            asked: self.asked,
        })
    }
}

impl QueryName {
    fn new(options: &TextQueryOptions) -> Option<Self> {
        let text = name_beside_kind(options.query.trim());
        let parts: Vec<&str> = text.split(['.', ':', '/']).filter(|part| !part.is_empty()).collect();
        let is_name = parts.iter().all(|part| part.chars().all(is_name_character)) && !text.ends_with(['.', ':', '/']);
        let last = parts.last().filter(|_| is_name)?;
        Some(Self { last: (*last).to_owned(), qualified: parts.join(".") })
    }

    /// True if the line of an occurrence seems to define it: something other than a member access stands before the whole
    /// name, or it begins a line that opens a block. Only for choosing files; their elements decide.
    pub(super) fn seems_defined(&self, text: &str, start: usize) -> bool {
        let Some(after) = text.get(start..).and_then(|rest| rest.strip_prefix(self.last.as_str())) else {
            return false;
        };
        let line = text[..start].rsplit('\n').next().unwrap_or_default();
        let is_whole = !after.starts_with(is_name_character) && !line.ends_with(is_name_character);
        let before = line.trim_start();
        let is_after_word =
            before.ends_with(' ') && before.trim_end().ends_with(|c: char| is_name_character(c) || "*&>]".contains(c));
        let is_used = words::is_before_use(before.split_whitespace().next_back().unwrap_or_default());
        let opens = after.lines().next().unwrap_or_default().trim_end().ends_with(['{', ':']);
        is_whole && ((is_after_word && !is_used) || (before.is_empty() && opens))
    }

    /// Compares the name of an element with this one. A qualified name must also agree with the element's qualified name.
    pub(super) fn compare(&self, name: &str, qualified: &str) -> NameMatch {
        if self.last != self.qualified && !qualified.ends_with(&self.qualified) {
            NameMatch::Different
        } else if name == self.last {
            NameMatch::Same
        } else if name.to_lowercase() == self.last.to_lowercase() {
            NameMatch::OtherCase
        } else {
            NameMatch::Different
        }
    }
}

/// Returns the name of `struct Mutex` or `HTTPConnection class`, or else the whole query. A kind that is also a word of
/// sentences is one only beside a name with a capital or an underscore: not in `type check`.
fn name_beside_kind(query: &str) -> &str {
    let words: Vec<&str> = query.split_whitespace().collect();
    let is_telling = |name: &str| name.contains(|c: char| c.is_uppercase() || c == '_');
    match words.as_slice() {
        [kind, name] if words::is_keyword(kind) || (words::is_kind(kind) && is_telling(name)) => name,
        [name, kind] if words::is_kind(kind) && is_telling(name) => name,
        _ => query,
    }
}

fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// True if a term is a regular expression rather than a word with punctuation.
fn is_pattern(term: &str) -> bool {
    let ends: &[char] = &['.', ',', ';', ':', '!', '?', '(', ')', '"', '\''];
    term.trim_matches(ends).contains(PATTERN_CHARACTERS)
}

/// True if a query has several words.
fn is_text(query: &str) -> bool {
    query.split_whitespace().count() > 1 && !query.contains('\\')
}

/// Splits a regular expression into words and alternatives at its top level, not within brackets or groups.
pub(super) fn split_terms(query: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let (mut depth, mut in_class, mut is_escaped) = (0_usize, false, false);
    for c in query.chars() {
        let is_plain = !is_escaped;
        is_escaped = is_plain && c == '\\';
        if is_plain {
            match c {
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => depth += 1,
                ')' if !in_class => depth = depth.saturating_sub(1),
                c if (c == '|' || c.is_whitespace()) && depth == 0 && !in_class => {
                    terms.push(String::new());
                    continue;
                }
                _ => {}
            }
        }
        if let Some(term) = terms.last_mut() {
            term.push(c);
        }
    }
    terms.retain(|term| !term.is_empty());
    if terms.is_empty() {
        terms.push(query.to_owned());
    }
    terms
}

/// Calls `found` with the first byte and the end of each match, while it returns true.
fn each(query: &TextQuery, text: &str, mut found: impl FnMut(usize, usize) -> bool) {
    let mut take = |matched: grep_matcher::Match| found(matched.start(), matched.end());
    // An engine that stops at its limits (PCRE2) has reported its matches so far; the counts of the search are exact.
    let _ = match &query.engine {
        MatchEngine::Rust(matcher) => matcher.find_iter(text.as_bytes(), &mut take).map_err(drop),
        MatchEngine::Pcre2(matcher) => matcher.find_iter(text.as_bytes(), &mut take).map_err(drop),
    };
}

#[cfg(test)]
mod tests {
    use super::{Likeness, NameMatch, RankedQuery, split_terms};
    use crate::text_query::TextQueryOptions;

    fn query(text: &str) -> RankedQuery {
        RankedQuery::new(&TextQueryOptions::new(text)).expect("a query")
    }

    #[test]
    fn words_and_alternatives_are_terms() {
        assert_eq!(split_terms("retry backoff|timeout"), ["retry", "backoff", "timeout"]);
        assert_eq!(split_terms(r"(a b|c) [x |] \|y\ z"), ["(a b|c)", "[x |]", r"\|y\ z"]);
        assert_eq!(split_terms("one"), ["one"]);
        assert_eq!(split_terms(" "), [" "]);
    }

    #[test]
    fn a_sentence_becomes_the_words_that_say_something() {
        assert_eq!(query("Where is the delay (in seconds) computed?").terms, ["delay", "seconds", "computed"]);
        assert_eq!(query("a lone ( bracket").terms, ["lone", "bracket"]);
        assert_eq!(query("what is it").terms, ["what", "is", "it"]);
        assert_eq!(query(r"retry \bmax_\w+").terms, [r"\bmax_\w+", "retry"]);
        assert_eq!(query("矩形の重なりを判定").terms, ["矩形", "重", "判定"]);
    }

    #[test]
    fn words_are_found_inside_identifiers_and_with_other_endings() {
        let found = |text: &str| {
            let mut found = Vec::new();
            query("retrying delays").each_match(text, |term, start, likeness| found.push((term, start, likeness)));
            found
        };
        assert_eq!(found("MAX_RETRIES"), [(0, 4, Likeness::Whole)]);
        assert_eq!(found("retryDelay"), [(0, 0, Likeness::Whole), (1, 5, Likeness::Whole)]);
        assert_eq!(found("retryable"), [(0, 0, Likeness::Part)]);
    }

    #[test]
    fn only_a_broken_expression_of_one_word_is_an_error() {
        assert!(RankedQuery::new(&TextQueryOptions::new("foo(")).is_err());
        assert!(RankedQuery::new(&TextQueryOptions::new("")).is_err());
        assert_eq!(query("call foo( with *args").terms, ["call", "foo", "args"]);
    }

    #[test]
    fn whole_words_and_exact_case_are_taken_as_written() {
        let mut options = TextQueryOptions::new("Retries delays");
        options.word = true;
        options.case = crate::text_query::CaseSensitivity::Sensitive;
        let query = RankedQuery::new(&options).expect("a query");
        let mut found = Vec::new();
        query.each_match("Retries retries delay delays", |term, start, _| {
            found.push((term, start));
        });
        assert_eq!(found, [(0, 0), (1, 22)]);
    }

    #[test]
    fn a_name_may_be_qualified() {
        let name = query("Parser::parse").name.expect("a name");
        assert_eq!(name.compare("parse", "Parser.parse"), NameMatch::Same);
        assert_eq!(name.compare("Parse", "Parser.parse"), NameMatch::OtherCase);
        assert_eq!(name.compare("parse", "Other.parse"), NameMatch::Different);
        assert!(query("parse args").name.is_none());
    }
}
