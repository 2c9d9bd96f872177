//! Tests of every language's fixture: `fixture.*` in its folder, with one line for each of its elements in
//! `expected.txt`.
//!
//! People write and read the expectations: they name the construct, not the code that finds it.

use std::{fmt::Write as _, fs, path::Path};

use super::Language;
use crate::{
    elements::{CodeElement, ElementDetail, ElementKind, ElementList, Visibility},
    outline::Outline,
    parse::{one_line, tests},
    table::{TableFormat, render, signature},
};

/// A column's name, and a predicate for the elements that belong in it.
type Column = (&'static str, fn(&CodeElement) -> bool);

/// The columns of the table of languages. `docs/regenerate` counts the same.
const COLUMNS: [Column; 10] = [
    ("classes", |element| element.kind.is_class_like()),
    ("methods", |element| matches!(element.kind, ElementKind::Method | ElementKind::Constructor)),
    ("functions", |element| element.kind == ElementKind::Function),
    ("imports", |element| element.kind == ElementKind::Import),
    ("variables", |element| {
        matches!(
            element.kind,
            ElementKind::Variable
                | ElementKind::Constant
                | ElementKind::Field
                | ElementKind::EnumMember
                | ElementKind::Property
        )
    }),
    ("comments", |element| element.kind == ElementKind::Comment),
    ("complexity", |element| element.code().is_some_and(|code| code.complexity.is_some())),
    ("docs", |element| element.code().is_some_and(|code| code.doc.is_some())),
    ("parameters", |element| {
        element.code().is_some_and(|code| element.kind.is_callable() && !code.params_text.is_empty())
    }),
    ("visibility", |element| element.code().is_some_and(|code| code.visibility != Visibility::Public)),
];

/// The contents of a language's folder.
struct Fixture {
    language: &'static Language,
    file: Outline,
    expected: String,
}

/// Returns the path and the text of every language's fixture.
pub(crate) fn fixture_texts() -> Vec<(String, String)> {
    let files = |language: &Language| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(language.name);
        fs::read_dir(&folder).expect("a folder of its own").filter_map(Result::ok).map(|entry| entry.path())
    };
    super::all()
        .flat_map(files)
        .filter(|path| path.file_stem().is_some_and(|stem| stem == "fixture"))
        .map(|path| (path.to_string_lossy().into_owned(), fs::read_to_string(&path).expect("a fixture")))
        .collect()
}

fn fixtures(wrong: &mut String) -> Vec<Fixture> {
    let mut found = Vec::new();
    for language in super::all() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(language.name);
        let fixture = fs::read_dir(&folder)
            .expect("a folder of its own")
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .find(|path| path.file_stem().is_some_and(|stem| stem == "fixture"));
        let Some(fixture) = fixture else {
            let _ = writeln!(wrong, "languages/{} has no fixture", language.name);
            continue;
        };
        let text = fs::read_to_string(&fixture).expect("a fixture");
        let file = tests::outline(&fixture.to_string_lossy(), &text);
        assert_eq!(file.source.language, language);
        found.push(Fixture {
            language,
            file,
            expected: fs::read_to_string(folder.join("expected.txt")).unwrap_or_default(),
        });
    }
    found
}

#[test]
fn every_fixture_yields_expected_elements() {
    let mut wrong = String::new();
    for fixture in fixtures(&mut wrong) {
        let name = fixture.language.name;
        if !fixture.file.errors.is_empty() {
            let _ = writeln!(wrong, "languages/{name}: {:?}", fixture.file.errors);
        }
        let actual = outline(&fixture.file.elements, &fixture.language.facts);
        if actual != fixture.expected {
            let _ = writeln!(wrong, "languages/{name}/expected.txt should be:\n{actual}");
        }
        for format in
            [TableFormat::Full, TableFormat::Compact, TableFormat::Csv, TableFormat::Html, TableFormat::Signatures]
        {
            assert!(!render(format, &fixture.file).is_empty());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn only_empty_language_columns_have_reasons() {
    let mut wrong = String::new();
    for Fixture { language, file, .. } in fixtures(&mut wrong) {
        let reasons = &language.facts.empty;
        for (column, belongs) in COLUMNS {
            let count = file.elements.list.iter().filter(|element| belongs(element)).count();
            let problem = match (count, reasons.get(column)) {
                (0, None) => "is empty in the fixture: add what is missing, or the reason to [empty]",
                (1.., Some(_)) => "has a reason in [empty], though the fixture has such elements",
                _ => continue,
            };
            let _ = writeln!(wrong, "languages/{}: {column} {problem}", language.name);
        }
        for column in reasons.keys() {
            if COLUMNS.iter().all(|(known, _)| known != column) {
                let _ = writeln!(wrong, "languages/{}: [empty] names no column {column}", language.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns one line for each element: lines, kind, qualified name, then the known details.
fn outline(elements: &ElementList, facts: &super::facts::LanguageFacts) -> String {
    let mut out = String::new();
    for element in &elements.list {
        let span = element.span;
        let name = match element.parent {
            Some(parent) => format!("{} > {}", elements.qualified_name(parent), element.name),
            None => element.name.clone(),
        };
        let _ = write!(out, "{}-{} {} {name}", span.start_line, span.end_line, element.kind.name());
        match &element.detail {
            ElementDetail::Code(code) => {
                let _ = write!(out, " | {}", signature(element, facts));
                let _ = write!(out, " | {}", code.visibility.name());
                if !code.modifiers.is_empty() {
                    let _ = write!(out, " [{}]", code.modifiers.join(" "));
                }
                if code.is_generator {
                    let _ = write!(out, " generator");
                }
                if let Some(complexity) = code.complexity {
                    let _ = write!(out, " cx={complexity}");
                }
                if !code.decorators.is_empty() {
                    let _ = write!(out, " @{}", code.decorators.join(" @"));
                }
                if code.doc.is_some() {
                    let _ = write!(out, " doc={:?}", code.doc_line());
                }
            }
            ElementDetail::Import(import) => {
                let _ = write!(out, " | {}", signature(element, facts));
                if !import.modifiers.is_empty() {
                    let _ = write!(out, " [{}]", import.modifiers.join(" "));
                }
            }
            ElementDetail::Markup(markup) => {
                let _ = write!(out, " | {} {}", markup.element_class, signature(element, facts));
                if !markup.text.is_empty() {
                    let _ = write!(out, " {:?}", markup.text);
                }
                if markup.is_unclosed {
                    let _ = write!(out, " unclosed");
                }
            }
            ElementDetail::Style(style) => {
                let _ = write!(out, " | {}", style.property_class);
                let properties: Vec<String> =
                    style.properties.iter().map(|(name, value, class)| format!("{name}: {value} ({class})")).collect();
                if !properties.is_empty() {
                    let _ = write!(out, " {{ {} }}", properties.join("; "));
                }
                if !style.media.is_empty() {
                    let _ = write!(out, " in {}", style.media.join(" / "));
                }
            }
            ElementDetail::Heading { level } => {
                let _ = write!(out, " | h{level}");
            }
            ElementDetail::Key { type_name, value } => {
                let _ = write!(out, " | {type_name} {value}");
            }
            ElementDetail::Block { info } => {
                if !info.is_empty() {
                    let _ = write!(out, " | {}", one_line(info, 60));
                }
            }
        }
        out.push('\n');
    }
    out
}
