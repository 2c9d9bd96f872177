//! Detection of a file's language: by the caller's choice, then the file name, then the `#!` line, then the content.
//!
//! Detection is deterministic: the first language of the table that matches a file wins. It never uses statistics.

use std::{borrow::Cow, path::Path, sync::LazyLock};

use fumi_base::encoding::{self, Decoded, EncodingChoice};
use regex::Regex;

use super::{Language, all, by_name};
use crate::errors::structure::StructureError;

/// The number of bytes in which a NUL marks a file as binary: ripgrep's check, shortened.
pub(crate) const TEXT_PROBE: usize = 8 * 1024;

/// The number of bytes searched at the start of a file; a `#!` line, a doctype or an import lies within them.
const HEAD_BYTES: usize = 4_096;

/// Returns the language of a file, or the language `asked` for if the caller named one.
///
/// A file of a dialect keeps its dialect if its base language is named: `typescript` for `view.tsx` is still TSX.
pub fn detect(path: &str, text: &str, asked: Option<&str>) -> Result<&'static Language, StructureError> {
    let Some(name) = asked.filter(|name| !name.trim().is_empty()) else {
        return guess(path, text).ok_or_else(|| {
            let path = path.to_owned();
            match text {
                "" => StructureError::EmptyFile { path },
                _ => StructureError::UnsupportedLanguage { path },
            }
        });
    };
    let language = by_name(name)?;
    let dialect = by_file_name(path).filter(|dialect| dialect.facts.dialect_of.as_deref() == Some(language.name));
    Ok(dialect.unwrap_or(language))
}

/// Returns the language of a file without a caller's choice, or `None` if nothing identifies it.
pub fn guess(path: &str, text: &str) -> Option<&'static Language> {
    by_file_name(path)
        .map(|owner| by_shared_extension(path, text).unwrap_or(owner))
        .or_else(|| by_shebang(text))
        .or_else(|| by_content(text))
}

/// Returns the text of a file and its language, or `None` if nothing identifies it. A file with a NUL near its start is text
/// only if its name says so.
pub(crate) fn guess_of_bytes(path: &str, bytes: &[u8]) -> Option<(Decoded, &'static Language)> {
    let has_nul = bytes[..bytes.len().min(TEXT_PROBE)].contains(&0);
    if has_nul && by_file_name(path).is_none() {
        return None;
    }
    let decoded = encoding::decode(bytes, EncodingChoice::Auto);
    let language = guess(path, &decoded.text)?;
    Some((decoded, language))
}

/// The language of a file as far as it is known without reading the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FileLanguage {
    /// The language, whatever the content is.
    Known(&'static Language),
    /// The content decides.
    Unclear,
    /// The file is in no language.
    None,
}

/// True if a file is binary: it has a NUL near its start, and its name does not say that it is in a language.
pub fn is_binary(path: &str, text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(TEXT_PROBE)];
    head.contains(&0) && by_file_name(path).is_none()
}

/// Returns the language of a file by its name alone.
pub fn language_of_name(path: &str) -> FileLanguage {
    let extension = name_and_extension(path).1;
    let is_shared = |language: &'static Language| {
        let shared = &language.facts.shared.extensions;
        extension.as_ref().is_some_and(|extension| shared.contains(extension))
    };
    match by_file_name(path) {
        Some(_) if all().any(is_shared) => FileLanguage::Unclear,
        Some(owner) => FileLanguage::Known(owner),
        None if Path::new(path).extension().is_some() => FileLanguage::None,
        None => FileLanguage::Unclear,
    }
}

/// Returns the language by the file name alone: for a shared extension, the language that owns it.
pub fn by_file_name(path: &str) -> Option<&'static Language> {
    let (name, extension) = name_and_extension(path);
    all().find(|language| language.facts.file_names.iter().any(|known| known == name)).or_else(|| {
        let extension = extension?;
        all().find(|language| language.facts.extensions.contains(&extension))
    })
}

fn name_and_extension(path: &str) -> (&str, Option<String>) {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    (name, extension)
}

/// Returns the language that shares the extension with its owner, if the text shows that language.
fn by_shared_extension(path: &str, text: &str) -> Option<&'static Language> {
    static SHARING: LazyLock<Vec<Sharing>> = LazyLock::new(|| {
        let compiled = |patterns: &[String]| {
            patterns.iter().map(|pattern| Regex::new(pattern).expect("a test compiles every content pattern")).collect()
        };
        all()
            .filter(|language| !language.facts.shared.extensions.is_empty())
            .map(|language| Sharing {
                language,
                content: compiled(&language.facts.shared.content),
                except: compiled(&language.facts.shared.except),
                guarded: compiled(&language.facts.shared.guarded),
            })
            .collect()
    });
    let extension = name_and_extension(path).1?;
    SHARING
        .iter()
        .filter(|sharing| sharing.language.facts.shared.extensions.contains(&extension))
        .find(|sharing| {
            let all = without(Cow::Borrowed(text), &sharing.except);
            let open = without(all.clone(), &sharing.guarded);
            let is_directive = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
            let read = if open.lines().all(is_directive) { all } else { open };
            sharing.content.iter().any(|pattern| pattern.is_match(&read))
        })
        .map(|sharing| sharing.language)
}

/// Returns a text without the passages that match some pattern.
fn without<'t>(mut text: Cow<'t, str>, patterns: &[Regex]) -> Cow<'t, str> {
    for pattern in patterns {
        if pattern.is_match(&text) {
            text = Cow::Owned(pattern.replace_all(&text, "").into_owned());
        }
    }
    text
}

/// A language that shares extensions, with its patterns compiled.
struct Sharing {
    language: &'static Language,
    content: Vec<Regex>,
    except: Vec<Regex>,
    guarded: Vec<Regex>,
}

fn by_shebang(text: &str) -> Option<&'static Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    // `#!/usr/bin/env -S python3 -u` and `#!/opt/bin/python3.11` both end in a program's name.
    let program = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    all().find(|language| language.facts.shebangs.iter().any(|known| known == program))
}

fn by_content(text: &str) -> Option<&'static Language> {
    static PATTERNS: LazyLock<Vec<(&'static Language, Regex)>> = LazyLock::new(|| {
        all()
            .flat_map(|language| language.facts.content.iter().map(move |pattern| (language, pattern)))
            .map(|(language, pattern)| (language, Regex::new(pattern).expect("a test compiles every content pattern")))
            .collect()
    });
    let mut end = text.len().min(HEAD_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = &text[..end];
    PATTERNS.iter().find(|(_, pattern)| pattern.is_match(head)).map(|(language, _)| *language)
}

#[cfg(test)]
mod tests {
    use super::detect;

    fn name(path: &str, text: &str, asked: Option<&str>) -> String {
        detect(path, text, asked).map_or_else(|error| format!("{error:?}"), |language| language.name.to_owned())
    }

    #[test]
    fn content_decides_language_of_shared_header() {
        let c = "#ifndef A_H\n#define A_H\n/* a class of\n * namespaces */\nstruct a { int class; };\nint f(void);\n#endif\n";
        assert_eq!(name("a.h", c, None), "c");
        assert_eq!(name("a.h", "#include <vector>\nint f();\n", None), "cpp");
        assert_eq!(name("a.H", "#pragma once\nclass A;\n", None), "cpp");
        assert_eq!(name("a.h", "namespace a {\nint f();\n}\n", None), "cpp");
        assert_eq!(name("a.h", "struct A {\n  int x;\npublic:\n  int y;\n};\n", None), "cpp");
        assert_eq!(name("a.h", "#ifdef __cplusplus\nextern \"C\" {\nclass B;\n#endif\nint f(void);\n", None), "c");
        assert_eq!(name("a.h", "namespace a { int f(); }\n", Some("c")), "c");
    }

    #[test]
    fn name_precedes_shebang_and_shebang_precedes_content() {
        assert_eq!(name("src/a.py", "", None), "python");
        assert_eq!(name("src/A.PYI", "", None), "python");
        assert_eq!(name("bin/tool", "#!/usr/bin/env -S python3.11 -u\n", None), "python");
        assert_eq!(name("bin/tool", "from os import path\n\ndef main():\n    pass\n", None), "python");
        assert_eq!(name("notes.txt", "x = 1", Some("Python3")), "python");
        assert_eq!(name("bin/x", "use std::fmt;\n", None), "rust");
        assert_eq!(name("bin/x", "pub(crate) async fn run<T>(x: T) {}\n", None), "rust");
        assert_eq!(name("x", "#!/usr/bin/env -S cargo +nightly -Zscript\n", None), "rust");
        assert_eq!(name("x.txt", "// A.\npackage main\n\nimport (\n\t\"fmt\"\n)\n", None), "go");
        assert_eq!(name("x.txt", "package main\r\n\r\nfunc main() {\r\n}\r\n", None), "go");
        // Not Go: a Java package ends with a semicolon, Kotlin and Scala import without quotes.
        assert_eq!(name("x", "package a;\nimport a.B;\n", None), "java");
        assert!(name("x", "package a\n\nimport a.B\n", None) != "go");
        assert!(name("notes.txt", "from here on", None).contains("UnsupportedLanguage"));
        assert!(name("a.py", "", Some("klingon")).contains("UnknownLanguage"));
    }
}
