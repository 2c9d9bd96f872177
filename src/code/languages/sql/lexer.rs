//! A lexer for SQL that is independent of the dialect: splits a text into statements and their words.
//!
//! Strings, quoted names and dollar quotes are single words and comments are skipped, so nothing in them is taken for
//! syntax. `DELIMITER`, `GO`, a lone `/`, psql's commands and the data of `COPY` are handled; expressions are not
//! parsed.

/// A word of a statement, with its position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SqlWord<'t> {
    /// The word as written in the text.
    pub(super) text: &'t str,
    /// The byte offset at which the word begins.
    pub(super) start: usize,
    pub(super) kind: WordKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A keyword or a bare name.
    Bare,
    /// A name in quotes or brackets.
    Quoted,
    /// A string, in single or dollar quotes.
    Text,
    Sign,
}

impl SqlWord<'_> {
    /// Returns the byte offset after the word.
    pub(super) const fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// True if the word is this keyword, ignoring case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.kind == WordKind::Bare && self.text.eq_ignore_ascii_case(keyword)
    }

    /// True if the word is one of these keywords, ignoring case.
    pub(super) fn is_any(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(keyword))
    }

    /// True if the word is this sign.
    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.kind == WordKind::Sign && self.text == sign
    }

    /// True if the word can be a name.
    pub(super) const fn is_name(&self) -> bool {
        matches!(self.kind, WordKind::Bare | WordKind::Quoted)
    }

    /// Returns the name without its quotes.
    pub(super) fn name(&self) -> String {
        if self.kind == WordKind::Quoted {
            let inner = self.text.get(1..self.text.len() - 1).unwrap_or_default();
            return inner.replace("\"\"", "\"").replace("``", "`").replace("]]", "]");
        }
        self.text.to_owned()
    }
}

/// The maximum distance to search for a closing sign that may be missing, in bytes; without it a long line takes
/// quadratic time.
const MAX_LOOKAHEAD: usize = 1_000;

/// Returns the statements of a text, in order, without their terminators. Calls `is_stopped` from time to time and ends
/// early if it returns true.
pub(super) fn statements(text: &str, mut is_stopped: impl FnMut() -> bool) -> Vec<Vec<SqlWord<'_>>> {
    let mut reader = SqlLexer { text, at: 0, delimiter: None, is_fresh: true };
    let mut found = Vec::new();
    let mut current = StatementBuilder::default();
    let mut read = 0_u32;
    loop {
        read = read.wrapping_add(1);
        if read.is_multiple_of(4_096) && is_stopped() {
            return found;
        }
        match reader.next(current.words.is_empty()) {
            SqlToken::End => {
                if !current.words.is_empty() {
                    found.push(current.words);
                }
                return found;
            }
            SqlToken::Break => {
                if !current.words.is_empty() {
                    found.push(std::mem::take(&mut current).words);
                }
            }
            SqlToken::Word(word) => {
                if word.text.starts_with('\\') && word.text.len() > 1 {
                    found.push(vec![word]);
                    continue;
                }
                let ends = word.is_sign(";") && reader.delimiter.is_none() && !current.is_open();
                if !ends {
                    current.push(word);
                    continue;
                }
                if current.is_copy() {
                    reader.skip_data();
                }
                if !current.words.is_empty() {
                    found.push(std::mem::take(&mut current).words);
                }
            }
        }
    }
}

/// A statement that is being read.
#[derive(Default)]
struct StatementBuilder<'t> {
    words: Vec<SqlWord<'t>>,
    /// True if the statement creates something that has a body of statements.
    has_body: bool,
    /// The number of open `BEGIN` and `CASE` blocks.
    blocks: usize,
    /// True between `AS` or `IS` and `BEGIN`, where declarations end with semicolons.
    declares: bool,
    /// True if the last word was an `END`.
    after_end: bool,
}

impl<'t> StatementBuilder<'t> {
    fn push(&mut self, word: SqlWord<'t>) {
        if self.words.len() < 8
            && self.words.first().is_some_and(|first| first.is_any(&["create", "alter"]))
            && word.is_any(&["function", "procedure", "trigger", "event", "package"])
        {
            self.has_body = true;
        }
        if self.has_body {
            self.track_blocks(word);
        }
        self.words.push(word);
    }

    fn track_blocks(&mut self, word: SqlWord<'t>) {
        let previous = self.words.last().copied();
        if std::mem::take(&mut self.after_end) && word.is_any(&["if", "loop", "while", "repeat", "for"]) {
            // `END IF` closes an IF, which was not counted; `END CASE` closes a CASE, which was.
            self.blocks += 1;
            return;
        }
        if previous.is_some_and(|previous| previous.is("end")) && word.is("case") {
            return;
        }
        let after_as = previous.is_some_and(|previous| previous.is_any(&["as", "is"]));
        if word.is("begin") {
            self.declares = false;
            self.blocks += 1;
        } else if word.is("case") {
            self.blocks += 1;
        } else if word.is("end") {
            self.declares &= self.blocks > 0;
            self.blocks = self.blocks.saturating_sub(1);
            self.after_end = true;
        } else if previous.is_some_and(|previous| previous.is("begin")) && word.is_any(&["tran", "transaction"]) {
            // A transaction ends with COMMIT.
            self.blocks = self.blocks.saturating_sub(1);
        } else if word.is("declare") && self.blocks == 0 {
            self.declares = true;
        } else if after_as && self.blocks == 0 && word.kind == WordKind::Bare && !word.is_any(&STATEMENTS) {
            self.declares = !is_alias(&self.words);
        }
    }

    const fn is_open(&self) -> bool {
        self.blocks > 0 || self.declares
    }

    /// True for `COPY t FROM stdin;`, which is followed by data.
    fn is_copy(&self) -> bool {
        self.words.first().is_some_and(|first| first.is("copy")) && self.words.iter().any(|word| word.is("stdin"))
    }
}

/// Keywords that begin a routine body of a single statement.
const STATEMENTS: [&str; 16] = [
    "select", "insert", "update", "delete", "with", "return", "set", "exec", "execute", "call", "values", "merge",
    "truncate", "perform", "table", "external",
];

/// True if the last `AS` names an alias in a query or the tables of a trigger, instead of opening a body.
fn is_alias(words: &[SqlWord<'_>]) -> bool {
    words.iter().any(|word| word.is_any(&["select", "referencing", "returns", "language"]))
}

enum SqlToken<'t> {
    Word(SqlWord<'t>),
    /// The end of a statement, whatever is open.
    Break,
    End,
}

struct SqlLexer<'t> {
    text: &'t str,
    at: usize,
    /// The terminator of statements set by `DELIMITER`.
    delimiter: Option<&'t str>,
    /// True if only white space precedes the position on its line.
    is_fresh: bool,
}

impl<'t> SqlLexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn line(&self) -> &'t str {
        self.rest().split('\n').next().unwrap_or_default()
    }

    fn next(&mut self, at_statement: bool) -> SqlToken<'t> {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                return SqlToken::End;
            };
            if first.is_whitespace() {
                let blank = rest.len() - rest.trim_start().len();
                self.is_fresh |= rest[..blank].contains('\n');
                self.at += blank;
            } else if rest.starts_with("--") || (first == '#' && self.is_fresh) {
                self.at += self.line().len();
            } else if rest.starts_with("/*") {
                self.at += comment_length(rest);
            } else if let Some(delimiter) = self.delimiter.filter(|delimiter| rest.starts_with(delimiter)) {
                self.at += delimiter.len();
                return SqlToken::Break;
            } else if let Some(token) = self.command(at_statement) {
                return token;
            } else {
                return SqlToken::Word(self.word(first));
            }
        }
    }

    /// Reads a line that is meant for a client program.
    fn command(&mut self, at_statement: bool) -> Option<SqlToken<'t>> {
        let first = self.rest().as_bytes().first().copied()?;
        if !matches!(first, b'\\' | b'/' | b'g' | b'G' | b'd' | b'D') || !self.is_fresh {
            return None;
        }
        let line = self.line();
        let bare = line.trim();
        let mut words = bare.split_whitespace();
        let word = words.next()?;
        if bare == "/"
            || (word.eq_ignore_ascii_case("go") && words.next().is_none_or(|count| count.parse::<u32>().is_ok()))
        {
            self.at += line.len();
            return Some(SqlToken::Break);
        }
        if at_statement && word.eq_ignore_ascii_case("delimiter") {
            let delimiter = words.next().unwrap_or(";");
            self.delimiter = Some(delimiter).filter(|delimiter| *delimiter != ";");
            self.at += line.len();
            return Some(SqlToken::Break);
        }
        // `\i file`, `\connect name`: a statement of its own, kept for its words.
        if at_statement && bare.starts_with('\\') {
            let start = self.at + (line.len() - line.trim_start().len());
            self.at += line.len();
            return Some(SqlToken::Word(SqlWord { text: bare, start, kind: WordKind::Sign }));
        }
        None
    }

    fn word(&mut self, first: char) -> SqlWord<'t> {
        let rest = self.rest();
        let (length, kind) = match first {
            '\'' => (string_length(rest, b'\''), WordKind::Text),
            '"' => (string_length(rest, b'"'), WordKind::Quoted),
            '`' => (string_length(rest, b'`'), WordKind::Quoted),
            '[' => bracketed(rest),
            '$' => dollar_quoted(rest),
            _ if is_name_start(first) => bare(rest),
            _ if first.is_ascii_digit() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
                (end, WordKind::Sign)
            }
            _ if rest.starts_with(":=") || rest.starts_with("::") => (2, WordKind::Sign),
            _ => (first.len_utf8(), WordKind::Sign),
        };
        let start = self.at;
        self.at += length;
        self.is_fresh = false;
        SqlWord { text: &rest[..length], start, kind }
    }

    /// Skips the rows of a dump, which end with a line of their own.
    fn skip_data(&mut self) {
        let rest = self.rest();
        self.at += rest.find("\n\\.").map_or(rest.len(), |end| end + 3);
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '@' | '#')
}

fn bare(rest: &str) -> (usize, WordKind) {
    let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '@' | '#')).unwrap_or(rest.len());
    // `E'...'`, `N'...'`, `x'...'` are strings.
    let is_prefix = end <= 2 && rest[end..].starts_with('\'') && rest.is_char_boundary(end);
    if is_prefix && rest[..end].chars().all(|c| matches!(c.to_ascii_lowercase(), 'e' | 'n' | 'x' | 'b' | 'u' | 'q')) {
        let is_escaped = rest[..end].eq_ignore_ascii_case("e");
        return (end + quoted_length(&rest[end..], b'\'', is_escaped), WordKind::Text);
    }
    (end, WordKind::Bare)
}

fn string_length(rest: &str, quote: u8) -> usize {
    // A backslash escapes in MySQL and is plain in the standard: it counts as an escape only if the string would not
    // end otherwise.
    let plain = quoted_length(rest, quote, false);
    let ends_escaped = plain >= 2 && rest.as_bytes().get(plain - 2) == Some(&b'\\');
    let line = rest.bytes().skip(plain).take(MAX_LOOKAHEAD).take_while(|byte| *byte != b'\n');
    if ends_escaped && quote != b'`' && line.into_iter().any(|byte| byte == quote) {
        quoted_length(rest, quote, true)
    } else {
        plain
    }
}

/// Returns the length of a quoted text, in which a doubled quote is one character.
fn quoted_length(rest: &str, quote: u8, has_escapes: bool) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        if has_escapes && bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at] != quote {
            at += 1;
        } else if bytes.get(at + 1) == Some(&quote) {
            at += 2;
        } else {
            return at + 1;
        }
    }
    rest.len()
}

/// Reads `[a name]` of T-SQL; `[1]` and `[]` are subscripts.
fn bracketed(rest: &str) -> (usize, WordKind) {
    let is_name = rest[1..].starts_with(is_name_start);
    let end = rest.bytes().take(MAX_LOOKAHEAD).position(|byte| matches!(byte, b']' | b'\n'));
    match end.filter(|end| is_name && rest.as_bytes()[*end] == b']') {
        Some(end) => (end + 1, WordKind::Quoted),
        None => (1, WordKind::Sign),
    }
}

/// Reads `$$ ... $$` and `$name$ ... $name$`; `$1` is a parameter.
fn dollar_quoted(rest: &str) -> (usize, WordKind) {
    let tag_end = rest[1..]
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|end| rest[1 + end..].starts_with('$') && !rest[1..].starts_with(|c: char| c.is_ascii_digit()));
    let Some(tag_end) = tag_end else {
        return (1, WordKind::Sign);
    };
    let tag = &rest[..tag_end + 2];
    let length = rest[tag.len()..].find(tag).map_or(rest.len(), |end| end + 2 * tag.len());
    (length, WordKind::Text)
}

/// Returns the length of a comment; comments nest in some dialects.
fn comment_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut at, mut depth) = (2, 1_usize);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => {
                depth += 1;
                at += 2;
            }
            Some(b"*/") => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    // In dialects without nesting, the first end counts.
    rest.find("*/").map_or(rest.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::statements;

    /// Returns the first and last word of each statement.
    fn ends(text: &str) -> Vec<String> {
        statements(text, || false)
            .iter()
            .map(|words| format!("{} {}", words[0].text, words[words.len() - 1].text))
            .collect()
    }

    #[test]
    fn statements_end_by_their_dialect() {
        for (text, expected) in [
            ("select 1; select ';' -- ;\n, 2 /* ; /* ; */ */; x", vec!["select 1", "select 2", "x x"]),
            (
                "create function f() returns int as $a$ begin; $$ ; end $a$ language sql; select 2",
                vec!["create sql", "select 2"],
            ),
            (
                "create trigger t before insert on x begin select case a when 1 then 2 end; end; select 2",
                vec!["create end", "select 2"],
            ),
            (
                "DELIMITER $$\ncreate procedure p() begin if a then b; end if; end$$\nDELIMITER ;\nselect 1;",
                vec!["create end", "select 1"],
            ),
            (
                "create or replace procedure p (a number) is\n v number;\nbegin\n v := 1;\nend p;\n/\nselect 1;",
                vec!["create p", "select 1"],
            ),
            ("create procedure [p] @a int as select @a\nGO\nselect 1\nGO 5\n", vec!["create @a", "select 1"]),
            ("copy t (a) from stdin;\n1;2\nit's\n\\.\nselect 1;", vec!["copy stdin", "select 1"]),
            (
                "\\echo use psql \\quit\ncreate table a (b int);",
                vec!["\\echo use psql \\quit \\echo use psql \\quit", "create )"],
            ),
            ("create view v as select a as b from t; select 1", vec!["create t", "select 1"]),
            ("insert into t values ('a\\'b;', \"c\"); select 1", vec!["insert )", "select 1"]),
            ("create function f() returns int return 1; select 1", vec!["create 1", "select 1"]),
        ] {
            assert_eq!(ends(text), expected, "{text}");
        }
    }
}
