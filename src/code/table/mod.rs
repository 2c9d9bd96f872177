//! Tables of elements: one module for each format.
//!
//! Formats are compiled in and total: each has a form for every family of languages. Cells never break a table: line
//! ends and separators are escaped here. Typed rows, for JSON, are in [`rows`].

mod compact;
pub mod csv;
mod full;
mod html;
pub mod rows;
mod signatures;

use std::fmt::Write as _;

use crate::{
    elements::{CodeElement, DefinitionFacts, ElementDetail, ElementKind, ElementList, ImportFacts, decorator_names},
    extract::VALUE_CHARACTERS,
    languages::facts::{LanguageFacts, LanguageFamily},
    notation::{encoding_mark, line_range},
    outline::Outline,
    parse::one_line,
};

/// The maximum length of a decorator, in characters, as of any value. A route with its path and methods fits; a
/// longer list of options is cut, and its rest is found at the element's lines.
const DECORATOR: usize = VALUE_CHARACTERS;

/// The maximum length of all decorators of one element, in characters: a command with twenty options is still one row.
const DECORATORS: usize = 200;

/// The maximum length of a documentation's first line, in characters.
const DOC: usize = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableFormat {
    /// Markdown by section: imports, classes, members, functions.
    #[default]
    Full,
    /// Markdown, with one row for each member.
    Compact,
    /// CSV according to RFC 4180.
    Csv,
    /// Markdown for tags and rules.
    Html,
    /// Declarations only, in the order of the text.
    Signatures,
}

/// Renders the elements of a file in a format.
pub fn render(format: TableFormat, file: &Outline) -> String {
    match (format, file.source.language.facts.family) {
        (TableFormat::Csv, family) => csv::render(family, &rows::rows(file)),
        (TableFormat::Signatures, _) => signatures::render(file, &file.elements),
        (TableFormat::Compact, _) => compact::render(file, &file.elements),
        (TableFormat::Full | TableFormat::Html, LanguageFamily::Markup | LanguageFamily::Style) => {
            html::render(file, &file.elements)
        }
        (
            TableFormat::Full | TableFormat::Html,
            LanguageFamily::Code | LanguageFamily::Document | LanguageFamily::Data,
        ) => full::render(file, &file.elements),
    }
}

/// Returns the first line of a text about a file: path, language, lines and an encoding other than UTF-8.
pub fn heading(file: &Outline) -> String {
    let count = file.lines.count();
    let lines = if count == 1 { "line" } else { "lines" };
    let encoding = encoding_mark(&file.source.encoding);
    let (path, title) = (&file.source.path, &file.source.language.facts.title);
    format!("# {path} ({title}, {count} {lines}){encoding}")
}

/// Returns the declaration of an element on one line, with types in its language's notation.
pub fn signature(element: &CodeElement, facts: &LanguageFacts) -> String {
    let mut out = element.name.clone();
    match &element.detail {
        ElementDetail::Code(code) => code_signature(&mut out, element.kind, code, facts),
        ElementDetail::Import(import) => out = import_signature(import, facts),
        ElementDetail::Heading { level } => out.insert_str(0, &format!("{} ", "#".repeat(usize::from(*level)))),
        ElementDetail::Markup(markup) => {
            out = format!("<{}", markup.tag);
            for (name, value) in &markup.attributes {
                // Writing to a String cannot fail.
                let _ = write!(out, " {name}");
                if !value.is_empty() {
                    let _ = write!(out, "=\"{value}\"");
                }
            }
            out.push('>');
        }
        ElementDetail::Style(style) => {
            if let [(name, value, _)] = style.properties.as_slice()
                && element.kind == ElementKind::Property
            {
                out = format!("{name}: {value}");
            } else {
                style.selector.clone_into(&mut out);
            }
        }
        ElementDetail::Key { type_name, value } => {
            let said = if value.is_empty() { type_name } else { value.as_str() };
            let _ = write!(out, ": {said}");
        }
        ElementDetail::Block { .. } => {}
    }
    one_line(&out, 300)
}

fn code_signature(out: &mut String, kind: ElementKind, code: &DefinitionFacts, facts: &LanguageFacts) {
    if let Some(declared) = code.type_name.as_ref().filter(|_| kind == ElementKind::Impl) {
        // Several impls have the same name: the whole type, including its parameters, distinguishes them.
        declared.clone_into(out);
    } else if let Some(generics) = &code.type_params {
        let _ = write!(out, "<{generics}>");
    }
    if kind.is_callable() && kind != ElementKind::Initializer {
        let _ = write!(out, "({})", code.params_text);
        if let Some(declared) = &code.type_name {
            let _ = write!(out, "{}{declared}", facts.return_arrow);
        }
    } else if kind.is_class_like() {
        if !code.params.is_empty() {
            let _ = write!(out, "({})", code.params_text);
        }
        if !code.extends.is_empty() {
            let _ = write!(out, " extends {}", code.extends.join(", "));
        }
        if !code.implements.is_empty() {
            let _ = write!(out, " implements {}", code.implements.join(", "));
        }
    } else {
        if !code.params.is_empty() && !code.params_text.is_empty() {
            let _ = write!(out, "({})", code.params_text);
        }
        if let Some(declared) = &code.type_name {
            let _ = write!(out, ": {declared}");
        }
        if let Some(value) = &code.value {
            let _ = write!(out, " = {value}");
        }
    }
}

/// Returns an import on one line: as a path in languages with import paths, otherwise the module, a colon and the
/// names.
fn import_signature(import: &ImportFacts, facts: &LanguageFacts) -> String {
    let names: Vec<String> = import
        .names
        .iter()
        .map(|name| match &name.alias {
            Some(alias) => format!("{} as {alias}", name.name),
            None => name.name.clone(),
        })
        .collect();
    let module = &import.module;
    match (names.as_slice(), &facts.import_path) {
        (names, _) if module.is_empty() => names.join(", "),
        ([], _) => module.clone(),
        ([name], Some(separator)) => format!("{module}{separator}{name}"),
        (names, Some(separator)) => format!("{module}{separator}{{{}}}", names.join(", ")),
        (names, None) => format!("{module}: {}", names.join(", ")),
    }
}

/// Returns the modifiers before the name, without the visibility, which has its own column.
fn modifiers(element: &CodeElement) -> String {
    shown_modifiers(element, |_| true)
}

fn shown_modifiers(element: &CodeElement, wanted: impl Fn(&str) -> bool) -> String {
    let modifiers = match &element.detail {
        ElementDetail::Code(code) => code.modifiers.as_slice(),
        ElementDetail::Import(import) => import.modifiers.as_slice(),
        _ => &[],
    };
    modifiers
        .iter()
        .map(String::as_str)
        .filter(|modifier| crate::elements::Visibility::from_name(modifier).is_none())
        .filter(|modifier| *modifier != "decorated" && wanted(modifier))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the decorators on one line in the language's notation, at most [`DECORATOR`] characters of each and
/// [`DECORATORS`] in all.
pub fn decorators(element: &CodeElement, facts: &LanguageFacts) -> String {
    let [before, after] = &facts.decorator_signs;
    let decorators = element.code().map_or(&[][..], |code| &code.decorators);
    let shown: Vec<String> =
        decorators.iter().map(|decorator| format!("{before}{}{after}", one_line(decorator, DECORATOR))).collect();
    one_line(&shown.join(" "), DECORATORS)
}

/// Modifiers that exist for filters and are not words of the language; a [`prefix`] does not show them.
const GRAMMAR_WORDS: [&str; 3] = ["assigned", "parameter", "pointer"];

/// Words before a name that say its kind: `let a`, `table t`.
const KIND_WORDS: [&str; 6] = ["const", "let", "table", "val", "var", "view"];

/// Returns the decorators, then the modifiers that no decorator implies: `@staticmethod` implies `static`.
fn prefix(element: &CodeElement, facts: &LanguageFacts) -> String {
    let decorators = decorators(element, facts);
    let meant: Vec<&String> = element
        .code()
        .map_or(&[][..], |code| &code.decorators)
        .iter()
        .filter_map(|decorator| facts.decorators.get(decorator_names(decorator)[1]))
        .collect();
    let modifiers = shown_modifiers(element, |modifier| {
        !GRAMMAR_WORDS.contains(&modifier) && meant.iter().all(|meant| *meant != modifier)
    });
    join_words(&[&decorators, &modifiers])
}

/// Returns the kind of an element to write after its [`prefix`]; empty if the prefix says it.
fn kind_word(element: &CodeElement, prefix: &str) -> &'static str {
    let can_be_said = matches!(element.kind, ElementKind::Variable | ElementKind::Constant | ElementKind::Relation);
    if can_be_said && prefix.split(' ').any(|word| KIND_WORDS.contains(&word)) { "" } else { element.kind.name() }
}

/// Joins words by spaces and omits empty ones.
fn join_words(words: &[&str]) -> String {
    words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join(" ")
}

/// Returns the line range as `12` or `12-40`.
fn lines(element: &CodeElement) -> String {
    line_range(element.span.start_line, element.span.end_line)
}

fn doc(element: &CodeElement, characters: usize) -> String {
    element.code().map_or_else(String::new, |code| one_line(code.doc_line(), characters))
}

/// The position of an element among the rows above it.
struct RowPosition {
    /// The number of enclosing elements.
    depth: usize,
    /// The name of its type with a dot, if the type is declared elsewhere (a method of Go); otherwise empty.
    owner: String,
}

fn row_positions(elements: &ElementList) -> Vec<RowPosition> {
    let mut places: Vec<RowPosition> = Vec::with_capacity(elements.list.len());
    for element in &elements.list {
        let around = element.parent.filter(|parent| elements.list[*parent].span.contains(&element.span));
        places.push(RowPosition {
            depth: around.map_or(0, |parent| places[parent].depth + 1),
            owner: match (element.parent, around) {
                (Some(parent), None) => elements.qualified_name(parent) + ".",
                _ => String::new(),
            },
        });
    }
    places
}

/// Writes keys with type, value and lines; `indent` is repeated before a name for each level of its depth.
fn write_keys(out: &mut String, elements: &ElementList, indent: &str, table: TableWriter) {
    let mut depths: Vec<usize> = Vec::with_capacity(elements.list.len());
    for element in &elements.list {
        depths.push(element.parent.map_or(0, |parent| depths[parent] + 1));
    }
    let name = |at: usize| format!("{}{}", indent.repeat(depths[at].min(30)), elements.list[at].name);
    let rows: Vec<Vec<String>> = elements
        .list
        .iter()
        .enumerate()
        .filter_map(|(at, element)| match &element.detail {
            ElementDetail::Key { type_name, value } => {
                Some(vec![name(at), type_name.to_string(), value.clone(), lines(element)])
            }
            _ => None,
        })
        .collect();
    table(out, &["Key", "Type", "Value", "Lines"], &rows);
}

/// A writer of rows below a header.
type TableWriter = fn(&mut String, &[&str], &[Vec<String>]);

/// Writes a Markdown table without padding and without empty columns, or nothing if it has no rows.
fn write_compact_table(out: &mut String, header: &[&str], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let is_used = |at: usize| rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.is_empty()));
    let used: Vec<usize> = (0..header.len()).filter(|at| is_used(*at)).collect();
    let titles: Vec<&str> = used.iter().map(|at| header[*at]).collect();
    let _ = writeln!(out, "|{}|\n|{}", titles.join("|"), "-|".repeat(titles.len()));
    for row in rows {
        let cells: Vec<String> = used.iter().map(|at| escaped(&row[*at])).collect();
        let _ = writeln!(out, "|{}|", cells.join("|"));
    }
}

/// Writes a Markdown table, or nothing if it has no rows.
fn write_table(out: &mut String, header: &[&str], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "| {} |", header.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(header.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
}

/// Returns a cell on one line, with escaped pipes.
fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::{TableFormat, render};
    use crate::parse::tests::outline;

    fn write_table(format: TableFormat, path: &str, text: &str) -> String {
        render(format, &outline(path, text))
    }

    const TEXT: &str = "import os\n\nclass Store:\n    limit: int | None = 3\n    def __init__(self): pass\n    def _get(self, key: str, *, default=\",\") -> int | None:\n        \"\"\"Find \"one\".\"\"\"\n        return key and default\n\nasync def main(): pass\n";

    #[test]
    fn compact_has_a_row_for_each_member_and_escapes_pipes() {
        assert_eq!(
            write_table(TableFormat::Compact, "a.py", TEXT),
            "# a.py (Python, 10 lines)\nImports (1): os\n\
             |Signature|+ public, # protected|Lines|Complexity|Doc|\n|-|-|-|-|-|\n\
             |class Store|+|3-8|||\n\
             |field .limit: int \\| None = 3|+|4|||\n\
             |.__init__(self)|+|5|1||\n\
             |._get(self, key: str, *, default=\",\") -> int \\| None|#|6-8|2|Find \"one\".|\n\
             |async main()|+|10|1||\n"
        );
    }

    #[test]
    fn full_has_only_non_empty_sections() {
        let full = write_table(TableFormat::Full, "a.py", TEXT);
        let titles: Vec<&str> = full.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(
            titles,
            [
                "# a.py (Python, 10 lines)",
                "## Imports",
                "## Classes",
                "## Store (3-8)",
                "### Fields",
                "### Constructors",
                "### Protected methods",
                "## Functions"
            ]
        );
    }

    #[test]
    fn csv_cells_are_quoted_per_rfc_4180() {
        let csv = write_table(TableFormat::Csv, "a.py", TEXT);
        let lines: Vec<&str> = csv.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 7);
        assert!(lines[0].starts_with("type,name,parent,signature,"));
        assert_eq!(
            lines[5],
            "method,_get,Store,\"_get(self, key: str, *, default=\"\",\"\") -> int | None\",protected,,6,8,2,\"Find \"\"one\"\".\","
        );
        let css = write_table(TableFormat::Csv, "a.css", "a { color: red; margin: 0 }");
        assert!(css.contains("rule,a,color,red,typography,,1,1\r\nrule,a,margin,0,box_model,,1,1\r\n"), "{css}");
    }

    #[test]
    fn data_is_a_table_of_keys_in_every_format() {
        let text = "{\"a\": {\"b\": [1, 2]}, \"c\": [{\"d|e\": null}]}";
        assert_eq!(
            write_table(TableFormat::Compact, "a.json", text),
            "# a.json (JSON, 1 line)\n|Key|Type|Value|Lines|\n|-|-|-|-|\n\
             |a|mapping||1|\n|.b|list|[1, 2]|1|\n|c|list||1|\n|.[0]|mapping||1|\n|..d\\|e|null|null|1|\n"
        );
        assert_eq!(
            write_table(TableFormat::Csv, "a.json", text),
            "key,type,value,start_line,end_line\r\na,mapping,,1,1\r\na.b,list,\"[1, 2]\",1,1\r\nc,list,,1,1\r\n\
             c.[0],mapping,,1,1\r\nc.[0].d|e,null,null,1,1\r\n"
        );
        assert_eq!(
            write_table(TableFormat::Signatures, "a.json", text),
            "1: a: mapping\n1:   b: [1, 2]\n1: c: list\n1:   [0]: mapping\n1:     d|e: null\n"
        );
        assert!(write_table(TableFormat::Full, "a.json", text).contains("| · · d\\|e | null | null | 1 |"));
    }

    #[test]
    fn compact_has_no_empty_columns_and_members_without_facts_beside_their_enum() {
        assert_eq!(
            write_table(
                TableFormat::Compact,
                "a.ts",
                "export enum Status { New, Paid }\nexport enum Level { Low = 1 }\nlet count = 1;\n"
            ),
            "# a.ts (TypeScript, 3 lines)\n|Signature|Lines|\n|-|-|\n\
             |export enum Status: New, Paid|1|\n|export enum Level|2|\n|enum_member .Low = 1|2|\n|let count = 1|3|\n"
        );
        assert_eq!(write_table(TableFormat::Signatures, "a.ts", "let count = 1;\n"), "1: let count = 1\n");
    }

    #[test]
    fn methods_of_types_elsewhere_have_qualified_names() {
        let text = "package a\n\ntype T struct{ n int }\n\nfunc help() {}\n\nfunc (t T) Get() int { return t.n }\n\nfunc (u U) Put() {}\n";
        assert_eq!(
            write_table(TableFormat::Signatures, "a.go", text),
            "1: package a\n3: struct T\n3:   field n: int\n5: help()\n7: T.Get() int\n9: U.Put()\n"
        );
        let full = write_table(TableFormat::Full, "a.go", text);
        assert!(full.contains("| Get() int |") && full.contains("## Methods of types elsewhere"), "{full}");
    }

    #[test]
    fn impl_shows_whole_type_and_variant_its_fields() {
        let text = "struct S<T>(T);\nimpl<T: Clone> From<T> for S<Vec<T>> {}\nenum E { A(u8, u8), B = 2 }\n";
        assert_eq!(
            write_table(TableFormat::Signatures, "a.rs", text),
            "1: struct S<T>(T)\n2: impl S<Vec<T>> implements From<T>\n3: enum E\n3:   enum_member A(u8, u8)\n\
             3:   enum_member B = 2\n"
        );
    }
}
