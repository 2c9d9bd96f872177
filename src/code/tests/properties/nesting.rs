//! Elements of randomly damaged sources: every element lies in the text and in its parent, and containers nest.
//!
//! The sources are the fixtures of all languages, broken at random: parts deleted, doubled, exchanged, ends cut off.
//! Work on each of them must end: if it does not, the file that [`Trail`] names contains the source.

use std::{
    fs,
    path::{Path, PathBuf},
};

use fumi_base::encoding::{EncodingChoice, decode};
use fumi_code::{
    elements::{CodeElement, ElementKind, ElementList},
    extract::extract,
    languages::all,
    parse::{SourceFile, parse},
};
use proptest::{collection::vec, prelude::*, sample::select, test_runner::TestCaseError};
use tokio_util::sync::CancellationToken;

use super::{fault_of, runner};

const CASES: u32 = 800;

/// The languages in which members may lie outside the type that they belong to: receivers, definitions with a qualified
/// name.
const APART: [&str; 3] = ["go", "cpp", "lua"];

/// Returns each fixture's path, language and text.
pub(crate) fn fixtures() -> Vec<(String, &'static str, String)> {
    let mut found = Vec::new();
    for language in all() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages").join(language.name);
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.file_stem().is_some_and(|stem| stem == "fixture") {
                let text = fs::read_to_string(&path).expect("a fixture");
                found.push((path.display().to_string(), language.name, text));
            }
        }
    }
    assert!(found.len() > 7, "fixtures are missing");
    found
}

/// A way to break a text, at fractions of its length.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Delete(f64, f64),
    Truncate(f64),
    Double(f64, f64),
    Insert(f64, &'static str),
}

fn damages() -> impl Strategy<Value = Damage> {
    let part = || 0.0_f64..1.0;
    let short = || 0.0_f64..0.05;
    prop_oneof![
        4 => (part(), short()).prop_map(|(at, length)| Damage::Delete(at, length)),
        1 => part().prop_map(Damage::Truncate),
        2 => (part(), short()).prop_map(|(at, length)| Damage::Double(at, length)),
        3 => (part(), select(vec!["{", "}", "(", ")", "\"", "'", "/*", "<", ">", "\n", "\r\n", "名前", "😀", "end", "="]))
            .prop_map(|(at, text)| Damage::Insert(at, text)),
    ]
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "parts of small numbers")]
fn boundary(text: &str, part: f64) -> usize {
    text.floor_char_boundary((part.min(1.0) * text.len() as f64) as usize)
}

impl Damage {
    fn done_to(self, text: &mut String) {
        match self {
            Self::Delete(at, length) => {
                let range = boundary(text, at)..boundary(text, at + length);
                text.replace_range(range, "");
            }
            Self::Truncate(at) => text.truncate(boundary(text, at)),
            Self::Double(at, length) => {
                let part = text[boundary(text, at)..boundary(text, at + length)].to_owned();
                text.insert_str(boundary(text, at), &part);
            }
            Self::Insert(at, piece) => text.insert_str(boundary(text, at), piece),
        }
    }
}

/// A file with the source under test, for the case that the test has to be stopped.
struct Trail(PathBuf);

impl Trail {
    fn new() -> Self {
        let name = format!("nesting-{}", std::process::id());
        Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    fn leave(&self, language: &str, text: &str) {
        fs::write(self.0.with_extension(language), text).expect("the target folder can be written to");
    }

    /// Removes the file of a finished language.
    fn clear(&self, language: &str) {
        fs::remove_file(self.0.with_extension(language)).expect("it was left before");
    }
}

#[test]
fn elements_of_broken_sources_nest_and_lie_in_the_text() {
    let cases = (select(fixtures()), vec(damages(), 0..5), any::<bool>());
    let trail = Trail::new();
    runner(CASES)
        .run(&cases, |((path, language, mut text), damages, is_crlf)| {
            if is_crlf {
                text = text.replace('\n', "\r\n");
            }
            for damage in damages {
                damage.done_to(&mut text);
            }
            trail.leave(language, &text);
            let decoded = decode(text.as_bytes(), EncodingChoice::Auto);
            let size = text.len() as u64;
            let cancel = CancellationToken::new();
            let source = SourceFile::new(&path, decoded, size, Some(language)).expect("a known language");
            let parsed = parse(source, &cancel).expect("parsed");
            let elements = extract(&parsed, &cancel).expect("elements");
            let text = &parsed.source.text;
            trail.clear(language);
            nests(&elements, text, APART.contains(&language)).map_err(TestCaseError::fail)?;
            for error in &parsed.errors {
                let lines = text.split('\n').count();
                prop_assert!((1..=lines).contains(&error.line), "{error:?}");
                prop_assert!(super::byte_of(text, error.line, error.column).is_some(), "{error:?}");
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

fn nests(elements: &ElementList, text: &str, may_stand_apart: bool) -> Result<(), String> {
    let shown = |element: &CodeElement| format!("{} {} {:?}", element.kind.name(), element.name, element.span);
    let list = &elements.list;
    for (at, element) in list.iter().enumerate() {
        if let Some(fault) = fault_of(element.span, text) {
            return Err(format!("{}: {fault}", shown(element)));
        }
        if at > 0 && list[at - 1].span.start_byte > element.span.start_byte {
            return Err(format!("{} comes after {}", shown(element), shown(&list[at - 1])));
        }
        if let Some(parent) = element.parent {
            let stands_apart = may_stand_apart && (element.kind.is_callable() || element.kind == ElementKind::Field);
            if parent >= at && !stands_apart {
                return Err(format!("the parent of {} comes after it", shown(element)));
            }
            let (outer, inner) = (list[parent].span, element.span);
            // A comment after the last line of a function belongs to it, though the function's text has ended.
            let is_within = if element.kind == ElementKind::Comment {
                outer.start_line <= inner.start_line && inner.end_line <= outer.end_line
            } else {
                outer.contains(&inner)
            };
            if !is_within && !stands_apart {
                return Err(format!("{} leaves {}", shown(element), shown(&list[parent])));
            }
        }
    }
    let containers: Vec<&CodeElement> = list.iter().filter(|element| element.kind.is_container()).collect();
    for (at, one) in containers.iter().enumerate() {
        for other in &containers[at + 1..] {
            let (first, second) = (one.span, other.span);
            if second.start_byte < first.end_byte && second.end_byte > first.end_byte {
                return Err(format!("{} and {} overlap", shown(one), shown(other)));
            }
        }
    }
    Ok(())
}
