//! Every language's fixture: `fixture.*` in its folder, and one line for each of its elements in `expected.txt`.
//!
//! The expectation is written and read by people: it names the construct, not the code that finds it.

use std::{fmt::Write as _, fs, path::Path};

use tokio_util::sync::CancellationToken;

use crate::{
    elements::{Detail, Elements},
    extract::extract,
    parse::{one_line, tests::parsed},
    table::{TableFormat, render, signature},
};

#[test]
fn every_language_reads_its_fixture_as_expected() {
    let mut wrong = String::new();
    for language in super::all() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("languages")
            .join(language.name);
        let Some(fixture) = fs::read_dir(&folder)
            .expect("a folder of its own")
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .find(|path| path.file_stem().is_some_and(|stem| stem == "fixture"))
        else {
            let _ = writeln!(wrong, "languages/{} has no fixture", language.name);
            continue;
        };
        let text = fs::read_to_string(&fixture).expect("a fixture");
        let expected = fs::read_to_string(folder.join("expected.txt")).unwrap_or_default();
        let parsed = parsed(&fixture.to_string_lossy(), &text);
        assert_eq!(parsed.source.language, language);
        if !parsed.errors.is_empty() {
            let _ = writeln!(wrong, "languages/{}: {:?}", language.name, parsed.errors);
        }
        let elements = extract(&parsed, &CancellationToken::new()).expect("elements");
        let actual = outline(&elements, &language.facts);
        if actual != expected {
            let _ = writeln!(wrong, "languages/{}/expected.txt should be:\n{actual}", language.name);
        }
        for format in [
            TableFormat::Full,
            TableFormat::Compact,
            TableFormat::Csv,
            TableFormat::Html,
            TableFormat::Signatures,
        ] {
            assert!(!render(format, &parsed, &elements).is_empty());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// One line an element: lines, kind, qualified name, then what is known of it.
fn outline(elements: &Elements, facts: &super::facts::Facts) -> String {
    let mut out = String::new();
    for element in &elements.list {
        let span = element.span;
        let name = match element.parent {
            Some(parent) => format!("{} > {}", elements.qualified_name(parent), element.name),
            None => element.name.clone(),
        };
        let _ = write!(
            out,
            "{}-{} {} {name}",
            span.start_line,
            span.end_line,
            element.kind.name()
        );
        match &element.detail {
            Detail::Code(code) => {
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
            Detail::Import(import) => {
                let _ = write!(out, " | {}", signature(element, facts));
                if !import.modifiers.is_empty() {
                    let _ = write!(out, " [{}]", import.modifiers.join(" "));
                }
            }
            Detail::Markup(markup) => {
                let _ = write!(out, " | {} {}", markup.element_class, signature(element, facts));
                if !markup.text.is_empty() {
                    let _ = write!(out, " {:?}", markup.text);
                }
                if markup.is_unclosed {
                    let _ = write!(out, " unclosed");
                }
            }
            Detail::Style(style) => {
                let _ = write!(out, " | {}", style.property_class);
                let properties: Vec<String> = style
                    .properties
                    .iter()
                    .map(|(name, value, class)| format!("{name}: {value} ({class})"))
                    .collect();
                if !properties.is_empty() {
                    let _ = write!(out, " {{ {} }}", properties.join("; "));
                }
                if !style.media.is_empty() {
                    let _ = write!(out, " in {}", style.media.join(" / "));
                }
            }
            Detail::Heading { level } => {
                let _ = write!(out, " | h{level}");
            }
            Detail::Block { info } => {
                if !info.is_empty() {
                    let _ = write!(out, " | {}", one_line(info, 60));
                }
            }
        }
        out.push('\n');
    }
    out
}
