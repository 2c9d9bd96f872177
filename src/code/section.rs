//! Extraction of sections from a file: by lines and columns, by several ranges, or by the name of an element.
//!
//! Lines are 1-based and inclusive, columns 0-based in characters, the end column exclusive. Only an end past the end
//! of the file is clamped, which is reported; a start past it is an error. `raw` is the file's exact text, including
//! the last line end.

use fumi_base::{encoding::Decoded, nearest::nearest};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    elements::{ElementDetail, ElementKind, ElementList},
    errors::structure::StructureError,
    extract::last_name,
    parse::LineIndex,
};

/// The maximum length of an element's text, in lines and bytes, that a reply about several elements contains.
pub(crate) const READ_LINES: usize = 120;
pub(crate) const READ_BYTES: usize = 20_000;

/// The length above which a line counts as minified, in characters: an element on it is cut by columns, without its
/// neighbours on the line.
const LONG_LINE: usize = 500;

/// The range of a file to cut out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionRange {
    /// The 1-based first line.
    pub start_line: usize,
    /// The 1-based last line, inclusive; the end of the file if `None`.
    pub end_line: Option<usize>,
    /// The 0-based column on the first line, in characters.
    pub start_column: Option<usize>,
    /// The 0-based column on the last line, in characters, exclusive.
    pub end_column: Option<usize>,
}

impl SectionRange {
    /// Creates a range of whole lines.
    pub const fn lines(start_line: usize, end_line: Option<usize>) -> Self {
        Self { start_line, end_line, start_column: None, end_column: None }
    }
}

/// The output format of a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema, fumi_base::Named)]
#[serde(rename_all = "lowercase")]
pub enum SectionFormat {
    /// Each line with its number.
    #[default]
    Text,
    /// One string for each line, without line ends.
    Json,
    /// The exact text, including original line ends.
    Raw,
}

/// A section cut out of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSection {
    /// The 1-based first line.
    pub start_line: usize,
    /// The 1-based last line, inclusive; never past the end of the file.
    pub end_line: usize,
    /// The requested start column.
    pub start_column: Option<usize>,
    /// The requested end column, clamped to the line.
    pub end_column: Option<usize>,
    /// The number of lines of the file.
    pub total_lines: usize,
    /// True if the requested end was past the end of the file or of its line.
    pub is_clamped: bool,
    /// The qualified name, if the section was cut by name.
    pub element: Option<String>,
    /// The text in the requested format.
    pub content: SectionContent,
}

/// The text of a section in its format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionContent {
    /// The text of `text` and `raw`.
    One(String),
    /// The lines of `json`.
    Lines(Vec<String>),
}

/// A decoded file that can be cut many times.
#[derive(Debug)]
pub struct SectionCutter<'t> {
    path: &'t str,
    text: &'t str,
    lines: LineIndex,
}

impl<'t> SectionCutter<'t> {
    /// Indexes the lines of a decoded file.
    pub fn new(path: &'t str, decoded: &'t Decoded) -> Self {
        Self::from_text(path, &decoded.text)
    }

    /// Indexes the lines of a text.
    pub fn from_text(path: &'t str, text: &'t str) -> Self {
        Self { path, text, lines: LineIndex::new(text) }
    }

    /// Returns the number of lines of the file.
    pub fn total_lines(&self) -> usize {
        self.lines.count()
    }

    /// Cuts out one range.
    pub fn cut(&self, range: &SectionRange, format: SectionFormat) -> Result<FileSection, StructureError> {
        let total = self.lines.count();
        if total == 0 {
            let path = self.path.to_owned();
            return Err(StructureError::EmptyFile { path });
        }
        let bad = || StructureError::InvalidRange {
            path: self.path.to_owned(),
            start: range.start_line,
            end: range.end_line,
            total,
        };
        let asked_end = range.end_line.unwrap_or(total);
        // A range must start inside the file and not end before it starts.
        if range.start_line == 0 || range.start_line > total || asked_end < range.start_line {
            return Err(bad());
        }
        let end_line = asked_end.min(total);
        let (start, start_column) = self.offset_of_column(range.start_line, range.start_column.unwrap_or(0));
        let (mut end, mut end_column) = (self.bytes(end_line).end, None);
        let mut is_clamped = asked_end > total;
        if let Some(asked) = range.end_column.filter(|_| !is_clamped) {
            let (byte, column) = self.offset_of_column(end_line, asked);
            (end, end_column) = (byte, Some(column));
            is_clamped = column < asked;
        }
        if range.start_column.is_some_and(|asked| asked > start_column) || end < start {
            return Err(StructureError::InvalidColumns {
                path: self.path.to_owned(),
                line: range.start_line,
                start: range.start_column.unwrap_or(0),
                end: range.end_column.unwrap_or(usize::MAX).min(self.width(end_line)),
                width: self.width(range.start_line),
            });
        }
        Ok(FileSection {
            start_line: range.start_line,
            end_line,
            start_column: range.start_column,
            end_column,
            total_lines: total,
            is_clamped,
            element: None,
            content: show(&self.text[start..end], range.start_line, format),
        })
    }

    /// Cuts out an element by its qualified name, or by its simple name if that is unique.
    pub fn cut_element(
        &self,
        name: &str,
        elements: &ElementList,
        format: SectionFormat,
    ) -> Result<FileSection, StructureError> {
        let at = find_element(self.path, name, elements)?;
        let span = elements.list[at].span;
        let mut range = SectionRange::lines(span.start_line, Some(span.end_line));
        // Whole lines include an element's indentation and trailing comments, unless the line is minified.
        if self.width(span.start_line) > LONG_LINE || self.width(span.end_line) > LONG_LINE {
            range.start_column = Some(span.start_column);
            range.end_column = Some(span.end_column);
        }
        let mut section = self.cut(&range, format)?;
        section.element = Some(elements.qualified_name(at));
        Ok(section)
    }

    fn bytes(&self, line: usize) -> std::ops::Range<usize> {
        self.lines.line_bytes(line, self.text).unwrap_or(self.text.len()..self.text.len())
    }

    /// Returns a line without its line end.
    fn bare(&self, line: usize) -> &'t str {
        self.text[self.bytes(line)].trim_end_matches(['\n', '\r'])
    }

    fn width(&self, line: usize) -> usize {
        self.bare(line).chars().count()
    }

    /// Returns the byte offset of a column, and the column clamped to the line.
    fn offset_of_column(&self, line: usize, column: usize) -> (usize, usize) {
        let bare = self.bare(line);
        let start = self.bytes(line).start;
        match bare.char_indices().nth(column) {
            Some((byte, _)) => (start + byte, column),
            None => (start + bare.len(), column.min(bare.chars().count())),
        }
    }
}

fn show(text: &str, first_line: usize, format: SectionFormat) -> SectionContent {
    let lines = || text.split_inclusive('\n').map(|line| line.trim_end_matches(['\n', '\r']));
    match format {
        SectionFormat::Raw => SectionContent::One(text.to_owned()),
        SectionFormat::Json => SectionContent::Lines(lines().map(str::to_owned).collect()),
        SectionFormat::Text => {
            let numbered = lines().zip(first_line..);
            let numbered: Vec<String> = numbered.map(|(line, number)| format!("{number}:{line}")).collect();
            SectionContent::One(numbered.join("\n"))
        }
    }
}

/// Finds the one element with a name: its whole path with dots (or `::`, `#`, `\`), or else the end of that path.
pub fn find_element(path: &str, name: &str, elements: &ElementList) -> Result<usize, StructureError> {
    // Data keys may contain any character: the name is tried first as written, then with normalised separators.
    let written = name.trim();
    let heading = written.trim_start_matches('#');
    // `## Title`, as the tables show a heading; `#title` is an id.
    let written = if heading.starts_with(' ') { heading.trim_start() } else { written };
    let wanted = written.trim_end_matches("()").replace("::", ".").replace(['#', '\\'], ".");
    let wanted = separate_list_items(&wanted);
    let can_be_named = |at: &usize| {
        let element = &elements.list[*at];
        !matches!(element.kind, ElementKind::Comment) && !element.name.is_empty()
    };
    let named: Vec<(usize, String)> = (0..elements.list.len())
        .filter(can_be_named)
        .map(|at| (at, elements.qualified_name(at).replace('\\', ".")))
        .collect();
    let exact: Vec<&(usize, String)> = named
        .iter()
        .filter(|(at, qualified)| *qualified == wanted || *qualified == written || elements.list[*at].name == written)
        .collect();
    let (ending, written_ending) = (format!(".{wanted}"), format!(".{written}"));
    let whole: Vec<&(usize, String)> =
        named.iter().filter(|(_, qualified)| *qualified == wanted || *qualified == written).collect();
    let found = if whole.len() == 1 {
        whole
    } else if exact.is_empty() {
        named
            .iter()
            .filter(|(_, qualified)| qualified.ends_with(&ending) || qualified.ends_with(&written_ending))
            .collect()
    } else {
        exact
    };
    // Types and definitions take precedence over elements with the same name: implementations, prototypes, imports, exports.
    let defined: Vec<&(usize, String)> = found
        .iter()
        .filter(|(at, _)| {
            let element = &elements.list[*at];
            let is_prototype = element.code().is_some_and(|code| code.has_modifier("prototype"));
            !matches!(element.kind, ElementKind::Impl | ElementKind::Import | ElementKind::Export) && !is_prototype
        })
        .copied()
        .collect();
    let found = if defined.len() == 1 { defined } else { found };
    let found = if found.is_empty() { find_by_id(written, &named, elements) } else { found };
    let found = if found.is_empty() { find_by_depth(&wanted, &named, elements) } else { found };
    match found.as_slice() {
        [(at, _)] => Ok(*at),
        [] => {
            let simple = last_name(&wanted);
            let all = named.iter().map(|(_, qualified)| qualified.as_str());
            let mut near: Vec<String> = nearest(&wanted, all, 3).into_iter().map(str::to_owned).collect();
            for (at, qualified) in &named {
                if near.len() < 3 && elements.list[*at].name.eq_ignore_ascii_case(simple) && !near.contains(qualified) {
                    near.insert(0, qualified.clone());
                }
            }
            Err(StructureError::UnknownElement {
                path: path.to_owned(),
                element: name.to_owned(),
                nearest: near,
                count: named.len(),
                broken: None,
            })
        }
        several => Err(StructureError::AmbiguousElement {
            path: path.to_owned(),
            element: name.to_owned(),
            candidates: several
                .iter()
                .map(|(at, qualified)| {
                    let span = elements.list[*at].span;
                    (qualified.clone(), span.start_line, span.end_line)
                })
                .collect(),
        }),
    }
}

/// Finds tags by their id, which is written `#id`.
fn find_by_id<'a>(written: &str, named: &'a [(usize, String)], elements: &ElementList) -> Vec<&'a (usize, String)> {
    let has_id = |at: usize| match &elements.list[at].detail {
        ElementDetail::Markup(markup) => {
            markup.attributes.iter().any(|(name, value)| name == "id" && written.strip_prefix('#') == Some(value))
        }
        _ => false,
    };
    named.iter().filter(|(at, _)| has_id(*at)).collect()
}

/// Finds elements by a name of the compact table, which has a leading dot for each enclosing element. Returns those at
/// that depth, or else those at any depth but the top. Empty if the name begins without a dot.
fn find_by_depth<'a>(shown: &str, named: &'a [(usize, String)], elements: &ElementList) -> Vec<&'a (usize, String)> {
    let name = shown.trim_start_matches('.');
    let depth = shown.len() - name.len();
    if depth == 0 || name.is_empty() {
        return Vec::new();
    }
    let ending = format!(".{name}");
    let by_end: Vec<_> = named.iter().filter(|(_, qualified)| qualified.ends_with(&ending)).collect();
    let depth_of =
        |at: usize| std::iter::successors(elements.list[at].parent, |parent| elements.list[*parent].parent).count();
    let at_depth: Vec<_> = by_end.iter().filter(|(at, _)| depth_of(*at) == depth).copied().collect();
    if at_depth.is_empty() { by_end } else { at_depth }
}

/// Separates list items by dots, as in qualified names: `steps[0].run` becomes `steps.[0].run`.
fn separate_list_items(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (at, c) in name.char_indices() {
        let is_item = c == '[' && name[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if is_item && !out.is_empty() && !out.ends_with('.') {
            out.push('.');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::{SectionContent, SectionCutter, SectionFormat, SectionRange};
    use crate::{errors::structure::StructureError, extract::extract, parse::tests::parsed};

    const TEXT: &str = "one\r\n二つ目の行\r\n\nlast";

    fn cut(start: usize, end: Option<usize>, columns: (Option<usize>, Option<usize>), format: SectionFormat) -> String {
        let range = SectionRange { start_line: start, end_line: end, start_column: columns.0, end_column: columns.1 };
        match SectionCutter::from_text("a.txt", TEXT).cut(&range, format) {
            Ok(section) => {
                let clamped = if section.is_clamped { " clamped" } else { "" };
                match section.content {
                    SectionContent::One(text) => format!("{text}{clamped}"),
                    SectionContent::Lines(lines) => format!("{lines:?}{clamped}"),
                }
            }
            Err(error) => format!("{error:?}").split(' ').next().unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn lines_and_columns_are_cut_exactly() {
        let none = (None, None);
        assert_eq!(cut(2, Some(2), none, SectionFormat::Raw), "二つ目の行\r\n");
        assert_eq!(cut(1, Some(2), none, SectionFormat::Text), "1:one\n2:二つ目の行");
        assert_eq!(cut(2, None, none, SectionFormat::Json), r#"["二つ目の行", "", "last"]"#);
        assert_eq!(cut(2, Some(2), (Some(1), Some(3)), SectionFormat::Raw), "つ目");
        assert_eq!(cut(1, Some(2), (Some(2), Some(1)), SectionFormat::Raw), "e\r\n二");
        assert_eq!(cut(4, Some(99), none, SectionFormat::Raw), "last clamped");
        assert_eq!(cut(4, Some(4), (Some(0), Some(99)), SectionFormat::Raw), "last clamped");
        assert_eq!(cut(2, Some(2), (Some(5), Some(5)), SectionFormat::Raw), "");
    }

    #[test]
    fn impossible_ranges_are_refused() {
        let none = (None, None);
        assert_eq!(cut(5, None, none, SectionFormat::Raw), "InvalidRange");
        assert_eq!(cut(0, Some(1), none, SectionFormat::Raw), "InvalidRange");
        assert_eq!(cut(3, Some(2), none, SectionFormat::Raw), "InvalidRange");
        assert_eq!(cut(1, Some(1), (Some(2), Some(1)), SectionFormat::Raw), "InvalidColumns");
        assert_eq!(cut(1, Some(1), (Some(9), None), SectionFormat::Raw), "InvalidColumns");
    }

    #[test]
    fn type_takes_precedence_over_its_impls() {
        let text = "struct Store;\nimpl Store { fn get(&self) {} }\nimpl Drop for Store { fn drop(&mut self) {} }\n";
        let parsed = parsed("a.rs", text);
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        let sheet = SectionCutter::from_text("a.rs", text);
        let line = |name| sheet.cut_element(name, &elements, SectionFormat::Raw).map(|section| section.start_line);
        assert_eq!(line("Store").expect("one"), 1);
        assert_eq!(line("Store::get").expect("one"), 2);
        assert_eq!(line("Store.drop").expect("one"), 3);
    }

    #[test]
    fn elements_are_cut_by_name() {
        let text = "class A:\n    def run(self):\n        pass\n\nclass B:\n    @property\n    def run(self):\n        pass\n    def only(self): pass\n";
        let parsed = parsed("a.py", text);
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        let sheet = SectionCutter::from_text("a.py", text);
        let cut = |name| sheet.cut_element(name, &elements, SectionFormat::Raw);
        let section = cut("B.run").expect("unique");
        assert_eq!(
            (section.start_line, section.content),
            (6, SectionContent::One("    @property\n    def run(self):\n        pass\n".to_owned()))
        );
        assert_eq!(cut("only").expect("unique").element.as_deref(), Some("B.only"));
        let Err(StructureError::AmbiguousElement { candidates, .. }) = cut("run") else {
            panic!("two elements have this name");
        };
        assert_eq!(candidates, [("A.run".to_owned(), 2, 3), ("B.run".to_owned(), 6, 8)]);
        let Err(StructureError::UnknownElement { nearest, .. }) = cut("A.only") else {
            panic!("no element has this name");
        };
        assert!(nearest.contains(&"B.only".to_owned()), "{nearest:?}");
    }

    #[test]
    fn definition_takes_precedence_over_its_export_and_import() {
        for (path, text) in [
            ("a.js", "class Loader {\n}\nexport { Loader };\n"),
            ("a.js", "class Loader {\n}\nexports.Loader = Loader;\n"),
            ("a.ts", "class Loader {\n}\nimport 'Loader';\n"),
        ] {
            let parsed = parsed(path, text);
            let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
            let section = SectionCutter::from_text(path, text).cut_element("Loader", &elements, SectionFormat::Raw);
            assert_eq!(section.expect(text).start_line, 1, "{text}");
        }
    }

    #[test]
    fn definition_takes_precedence_over_prototype() {
        let cut = |path: &str, text: &str, name: &str| {
            let parsed = parsed(path, text);
            let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
            let section = SectionCutter::from_text(path, text).cut_element(name, &elements, SectionFormat::Raw);
            section.map(|section| (section.start_line, section.end_line)).ok()
        };
        let cpp = "class A {\n  int f(int);\n  int g();\n  int g(int);\n};\nint A::f(int x)\n{\n  return x;\n}\n";
        assert_eq!(cut("a.cpp", cpp, "A::f"), Some((6, 9)));
        assert_eq!(cut("a.cpp", cpp, "f"), Some((6, 9)));
        assert_eq!(cut("a.cpp", cpp, "A::g"), None);
        let php = "<?php\nnamespace App\\Model;\nclass A {\n  function f() {}\n}\n";
        assert_eq!(cut("a.php", php, "App\\Model\\A::f"), Some((4, 4)));
        assert_eq!(cut("a.php", php, "A::f"), Some((4, 4)));
    }

    #[test]
    fn elements_of_a_minified_line_are_cut_by_columns() {
        let text = format!("{{\"filler\":\"{}\",\"a\":{{\"b\":[1]}}}}\n", "x".repeat(600));
        let parsed = parsed("a.json", &text);
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        let sheet = SectionCutter::from_text("a.json", &text);
        let section = sheet.cut_element("a.b", &elements, SectionFormat::Raw).expect("unique");
        assert_eq!(section.content, SectionContent::One("\"b\":[1]".to_owned()));
    }

    #[test]
    fn keys_are_cut_by_their_path() {
        let text = "jobs:\n  build:\n    steps:\n      - run: a\n      - run: b\n        name: \"x::y\"\nx::y: 1\nlabels: {app.kubernetes.io/name: z}\n";
        let parsed = parsed("ci.yml", text);
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        let sheet = SectionCutter::from_text("ci.yml", text);
        for (name, start, end, found) in [
            ("jobs.build.steps.[1]", 5, 6, "jobs.build.steps.[1]"),
            ("jobs.build.steps[1].run", 5, 5, "jobs.build.steps.[1].run"),
            ("steps[0].run", 4, 4, "jobs.build.steps.[0].run"),
            ("x::y", 7, 7, "x::y"),
            ("app.kubernetes.io/name", 8, 8, "labels.app.kubernetes.io/name"),
        ] {
            let section = sheet.cut_element(name, &elements, SectionFormat::Raw).expect(name);
            assert_eq!(
                (section.start_line, section.end_line, section.element.as_deref()),
                (start, end, Some(found)),
                "{name}"
            );
        }
    }
}
