//! Plain English in every text that people or models read: some phrases that read as riddles are forbidden.
//!
//! Each kind of place has a reader that returns its English texts. A test per place asserts a minimum count, so that a
//! reader that finds nothing fails, and that no text has a forbidden phrase. Texts in Japanese are not read.

use std::{
    fs,
    path::{Path, PathBuf},
};

use fumi::http::router::all_errors;
use fumi_base::text::Locale;
use fumi_kernel::texts::ToolTexts;
use regex::Regex;
use serde_json::Value;

use crate::{
    command_line::{help_pages, subcommands},
    sample::Sample,
};

/// Sentences of committed reports that change when `./bench` writes the report again: file and words. An entry that no
/// longer matches fails the test of the documents.
const MEASURED_REPORTS: [(&str, &str); 3] = [
    ("docs/browser-benchmarks.md", "nobody sees"),
    ("docs/coverage.md", "Whoever runs it again"),
    ("docs/faults.md", "nobody would correct"),
];

/// An English text with the place where it is written.
#[expect(clippy::struct_field_names, reason = "the text is the main part of a text")]
struct Text {
    /// A path below the repository, or a description of the place.
    at: String,
    /// The line of the file at which the text begins; `None` if the reader does not know it.
    line: Option<usize>,
    text: String,
}

impl Text {
    fn new(at: impl Into<String>, line: usize, text: impl Into<String>) -> Self {
        let (at, text) = (at.into(), text.into());
        Self { at, line: Some(line), text }
    }

    fn without_line(at: impl Into<String>, text: impl Into<String>) -> Self {
        let (at, text) = (at.into(), text.into());
        Self { at, line: None, text }
    }
}

/// A forbidden phrase in a text.
#[derive(Debug, PartialEq)]
struct Offender {
    at: String,
    line: Option<usize>,
    /// The line of the text in which the phrase begins.
    passage: String,
}

impl Offender {
    fn shown(&self, data: &[(String, String)]) -> String {
        let (at, line) = self.line.map_or_else(
            || located(data, &self.passage).unwrap_or((self.at.as_str(), 0)),
            |line| (self.at.as_str(), line),
        );
        format!("{at}:{line}: {}", self.passage)
    }
}

/// Returns every forbidden phrase of the texts, also one that is wrapped over two lines.
fn offenders(texts: &[Text]) -> Vec<Offender> {
    let forbidden = Regex::new(r"\s(?:is|are)\s+no\s|[Ww]hoever|(?:[Nn]obody|[Ss]omebody)\s").unwrap();
    let mut found = Vec::new();
    for Text { at, line, text } in texts {
        for phrase in forbidden.find_iter(text) {
            // A phrase may begin with the line break before it.
            let start = phrase.start() + (phrase.len() - phrase.as_str().trim_start().len());
            let before = &text[..start];
            let rest = &text[before.rfind('\n').map_or(0, |end| end + 1)..];
            found.push(Offender {
                at: at.clone(),
                line: line.map(|line| line + before.matches('\n').count()),
                passage: rest.lines().next().unwrap_or_default().trim().to_owned(),
            });
        }
    }
    found
}

/// Returns the file and line of a passage among the data files of the program.
fn located<'d>(data: &'d [(String, String)], passage: &str) -> Option<(&'d str, usize)> {
    data.iter().find_map(|(file, content)| {
        let at = content.lines().position(|line| line.contains(passage))?;
        Some((file.as_str(), at + 1))
    })
}

/// Asserts that a place has at least this many texts and no forbidden phrase.
#[track_caller]
fn assert_plain(place: &str, texts: &[Text], at_least: usize) {
    assert_count(place, texts, at_least);
    assert_none(place, &offenders(texts));
}

#[track_caller]
fn assert_count(place: &str, texts: &[Text], at_least: usize) {
    let count = texts.len();
    assert!(count >= at_least, "{place}: {count} texts were found, not {at_least}");
}

#[track_caller]
fn assert_none(place: &str, found: &[Offender]) {
    if found.is_empty() {
        return;
    }
    let data: Vec<(String, String)> = files("src", &["md", "toml"]).iter().map(|path| read(path)).collect();
    let shown: Vec<String> = found.iter().map(|offender| offender.shown(&data)).collect();
    panic!("{place}: {} forbidden phrases\n{}", shown.len(), shown.join("\n"));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files below a folder, or the file itself, with one of these extensions, in order.
fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![root().join(folder)];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| extensions.contains(&extension))
        {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the path below the repository and the content of a file.
fn read(path: &Path) -> (String, String) {
    let content = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (path.strip_prefix(root()).unwrap().display().to_string(), content)
}

/// Returns the paragraphs of a Markdown file, each with its first line.
fn paragraphs(file: &str, markdown: &str) -> Vec<Text> {
    let mut found: Vec<Text> = Vec::new();
    let mut is_open = false;
    for (at, line) in markdown.lines().enumerate() {
        if line.trim().is_empty() {
            is_open = false;
        } else if let (true, Some(last)) = (is_open, found.last_mut()) {
            last.text.push('\n');
            last.text.push_str(line);
        } else {
            found.push(Text::new(file, at + 1, line));
            is_open = true;
        }
    }
    found
}

/// Returns all comments of a TOML file, one text for each run of lines.
fn comments(file: &str, toml: &str) -> Vec<Text> {
    let bare: Vec<&str> =
        toml.lines().map(|line| line.trim_start().strip_prefix('#').unwrap_or_default().trim()).collect();
    paragraphs(file, &bare.join("\n"))
}

/// Returns the texts of a tool, as they are published.
fn texts_of_tool(name: &str, texts: &ToolTexts) -> Vec<Text> {
    let own = [&texts.title, &texts.summary, &texts.description, &texts.hint];
    let all = own.into_iter().chain(texts.arguments.values());
    all.filter(|text| !text.is_empty()).map(|text| Text::without_line(format!("tool {name}"), text)).collect()
}

/// Returns the English messages and next steps of a list of errors, as `GET /v1/errors` returns it.
fn texts_of_errors(errors: &Value) -> Vec<Text> {
    let mut found = Vec::new();
    for (name, entry) in errors.as_object().unwrap() {
        for part in ["message", "next"] {
            let text = entry[part]["en"].as_str();
            let text = text.unwrap_or_else(|| panic!("error {name} has no English {part}"));
            found.push(Text::without_line(format!("error {name}"), text));
        }
    }
    found
}

/// Returns the English texts of a manual page: everything below a key `en`, and the units and sources of thresholds.
fn texts_of_page(file: &str, toml: &str) -> Vec<Text> {
    fn collect(value: &toml::Value, is_english: bool, found: &mut Vec<String>) {
        match value {
            toml::Value::String(text) if is_english => found.push(text.clone()),
            toml::Value::Array(values) => values.iter().for_each(|value| collect(value, is_english, found)),
            toml::Value::Table(table) => {
                for (key, value) in table {
                    collect(value, is_english || ["en", "unit", "source"].contains(&key.as_str()), found);
                }
            }
            _ => {}
        }
    }
    let page: toml::Table = toml.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut found = Vec::new();
    collect(&toml::Value::Table(page), false, &mut found);
    found.into_iter().map(|text| with_line(file, toml, text)).collect()
}

/// Returns the reasons for empty columns of a language.
fn reasons(file: &str, toml: &str) -> Vec<Text> {
    let language: toml::Table = toml.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
    let empty = language.get("empty").and_then(toml::Value::as_table);
    let reasons = empty.into_iter().flat_map(|empty| empty.values());
    reasons.filter_map(toml::Value::as_str).map(|reason| with_line(file, toml, reason.to_owned())).collect()
}

/// Returns a text with its first line in a TOML file, or with line 1 if it is written there with escapes.
fn with_line(file: &str, toml: &str, text: String) -> Text {
    let before = toml.find(text.as_str()).map_or("", |at| &toml[..at]);
    Text::new(file, before.matches('\n').count() + 1, text)
}

/// A token of Rust source. Comments and white space are not tokens.
#[derive(Clone, Debug, PartialEq)]
enum Token<'s> {
    /// A string literal with its first line, as written between its quotes.
    Literal(usize, &'s str),
    /// A name, a keyword or a number.
    Word(&'s str),
    /// Any other character.
    Mark(char),
}

/// Splits Rust source into tokens.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let literal = Regex::new(r#"^(?:[bc]?r(#*)"|[bc]?")"#).unwrap();
    let character = Regex::new(r"^b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'])'").unwrap();
    let word = Regex::new(r"^\w+").unwrap();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += block_comment(rest);
        } else if let Some(opened) = literal.captures(rest) {
            let content = &rest[opened[0].len()..];
            let length = match opened.get(1) {
                Some(signs) => content.find(&format!("\"{}", signs.as_str())).unwrap_or(content.len()),
                None => plain_literal(content),
            };
            let line = source[..at].matches('\n').count() + 1;
            found.push(Token::Literal(line, &content[..length]));
            let closing = 1 + opened.get(1).map_or(0, |signs| signs.len());
            at = (at + opened[0].len() + length + closing).min(source.len());
        } else if let Some(character) = character.find(rest) {
            at += character.len();
        } else if let Some(word) = word.find(rest) {
            found.push(Token::Word(word.as_str()));
            at += word.len();
        } else {
            found.push(Token::Mark(first));
            at += first.len_utf8();
        }
    }
    found
}

/// Returns the length of the block comment that a text begins with. Rust nests them.
fn block_comment(text: &str) -> usize {
    let mark = Regex::new(r"/\*|\*/").unwrap();
    let mut depth = 0;
    for found in mark.find_iter(text) {
        depth += if found.as_str() == "/*" { 1 } else { -1 };
        if depth == 0 {
            return found.end();
        }
    }
    text.len()
}

/// Returns the length of a string's content up to its closing quote. A backslash hides the character after it.
fn plain_literal(content: &str) -> usize {
    let mut is_hidden = false;
    for (at, character) in content.char_indices() {
        match character {
            _ if is_hidden => is_hidden = false,
            '\\' => is_hidden = true,
            '"' => return at,
            _ => {}
        }
    }
    content.len()
}

/// Returns the number of tokens of an attribute that compiles an item for tests only, such as `#[cfg(test)]`.
fn test_attribute(tokens: &[Token<'_>]) -> Option<usize> {
    let [Token::Mark('#'), Token::Mark('['), Token::Word("cfg"), ..] = tokens else {
        return None;
    };
    let length = tokens.iter().position(|token| *token == Token::Mark(']'))? + 1;
    let has = |word| tokens[..length].contains(&Token::Word(word));
    (has("test") && !has("not")).then_some(length)
}

/// Returns the number of tokens up to the end of an item: its semicolon, or the brace that closes its body.
fn item_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']') => depth -= 1,
            Token::Mark('}') => {
                depth -= 1;
                if depth <= 0 {
                    return at + 1;
                }
            }
            Token::Mark(';') if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Returns the string literals of Rust source outside test items, and the names of test modules in files of their own.
fn literals<'s>(file: &str, source: &'s str) -> (Vec<Text>, Vec<&'s str>) {
    let continued = Regex::new(r"\\\n[ \t]*").unwrap();
    let tokens = tokens(source);
    let (mut texts, mut modules) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        if let Some(attribute) = test_attribute(&tokens[at..]) {
            let item = &tokens[at + attribute..][..item_length(&tokens[at + attribute..])];
            if let [.., Token::Word("mod"), Token::Word(name), Token::Mark(';')] = item {
                modules.push(*name);
            }
            at += attribute + item.len();
            continue;
        }
        if let Token::Literal(line, content) = tokens[at] {
            let text = continued.replace_all(content, "\n").replace("\\n", " ").replace("\\\"", "\"");
            texts.push(Text::new(file, line, text));
        }
        at += 1;
    }
    (texts, modules)
}

/// Returns the path, without an extension, of a module that a file declares.
fn module_path(file: &str, name: &str) -> String {
    let file = Path::new(file);
    let parent = file.parent().unwrap();
    let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("mod" | "lib" | "main") => parent.to_owned(),
        stem => parent.join(stem.unwrap_or_default()),
    };
    folder.join(name).display().to_string()
}

#[test]
fn tool_texts_are_plain() {
    let app = Sample::empty().app();
    let entries = app.catalogue.entries();
    let texts: Vec<Text> = entries
        .iter()
        .flat_map(|entry| texts_of_tool(entry.spec.name, &ToolTexts::for_spec(&entry.spec, Locale::En)))
        .collect();
    let summaries = entries.iter().map(|entry| &entry.published(Locale::En).summary);
    assert_eq!(summaries.filter(|summary| summary.is_empty()).count(), 0);
    assert_plain("tools", &texts, 500);
}

#[test]
fn error_catalogues_are_plain() {
    assert_plain("errors", &texts_of_errors(&all_errors(&fumi_tools::errors())), 200);
}

#[test]
fn prompts_and_guides_are_plain() {
    let mut guides = files("src", &["md"]);
    // The texts of tools are read as they are published.
    guides.retain(|path| path.to_str().is_some_and(|path| path.ends_with(".en.md")));
    let (tools, prompts) = (root().join("src/tools"), root().join("src/tools/novel/prompts"));
    guides.retain(|path| !path.starts_with(&tools) || path.starts_with(&prompts));
    guides.push(root().join("deploy/claude/commands/noveler.md"));
    guides.push(root().join("src/setup/skill.md"));
    for name in ["src/mcp/instructions.en.md", "src/tools/novel/prompts/write.en.md"] {
        assert!(guides.contains(&root().join(name)), "{name} is missing");
    }
    let texts: Vec<Text> =
        guides.iter().map(|path| read(path)).flat_map(|(file, markdown)| paragraphs(&file, &markdown)).collect();
    assert_plain("prompts and guides", &texts, 60);
}

#[test]
fn help_of_the_command_line_is_plain() {
    // Help does not list the hidden command.
    let texts: Vec<Text> = help_pages(&[&[], &["parser-process"]])
        .into_iter()
        .map(|(command, help)| Text::new(format!("{command} --help"), 1, help))
        .collect();
    for subcommand in ["fumi serve --help", "fumi token new --help"] {
        assert!(texts.iter().any(|text| text.at == subcommand), "{subcommand}");
    }
    assert_plain("help", &texts, 12);
}

#[test]
fn the_default_configuration_is_plain() {
    let (file, toml) = read(&root().join("config/default.toml"));
    assert_plain("configuration", &comments(&file, &toml), 50);
}

#[test]
fn documents_are_plain() {
    let mut texts = Vec::new();
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "examples"];
    for path in pages.iter().flat_map(|page| files(page, &["md"])) {
        let (file, markdown) = read(&path);
        // Generated pages are not committed; their texts are read at their sources.
        if !file.ends_with(".ja.md") && !file.starts_with("docs/generated/") {
            texts.extend(paragraphs(&file, &markdown));
        }
    }
    assert_count("documents", &texts, 400);
    let mut found = offenders(&texts);
    for (file, words) in MEASURED_REPORTS {
        let before = found.len();
        found.retain(|offender| offender.at != file || !offender.passage.contains(words));
        assert!(found.len() < before, "MEASURED_REPORTS: {file} does not say {words:?} any more");
    }
    assert_none("documents", &found);
}

#[test]
fn manual_pages_of_the_checks_are_plain() {
    let pages = ["src/novel/checks/rules", "src/novel/checks/items"];
    let texts: Vec<Text> = pages
        .iter()
        .flat_map(|folder| files(folder, &["toml"]))
        .map(|path| read(&path))
        .flat_map(|(file, toml)| texts_of_page(&file, &toml))
        .collect();
    assert_plain("manual pages", &texts, 500);
}

#[test]
fn reasons_for_empty_columns_are_plain() {
    let mut languages = files("src/code/languages", &["toml"]);
    languages.retain(|path| path.ends_with("language.toml"));
    let texts: Vec<Text> =
        languages.iter().map(|path| read(path)).flat_map(|(file, toml)| reasons(&file, &toml)).collect();
    assert_plain("reasons", &texts, 30);
}

#[test]
fn string_literals_are_plain() {
    let (mut texts, mut test_modules) = (Vec::new(), Vec::new());
    for path in files("src", &["rs"]) {
        let (file, source) = read(&path);
        if file.ends_with("/tests.rs") || file.contains("/tests/") {
            continue;
        }
        let (found, modules) = literals(&file, &source);
        test_modules.extend(modules.into_iter().map(|name| module_path(&file, name)));
        texts.extend(found);
    }
    let is_test = |text: &Text| {
        test_modules.iter().any(|module| {
            let rest = text.at.strip_prefix(module.as_str());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    };
    texts.retain(|text| !is_test(text));
    assert_plain("string literals", &texts, 5_000);
}

/// Asserts that exactly one phrase is found, on this line.
#[track_caller]
fn assert_found(texts: &[Text], line: Option<usize>, passage: &str) {
    let found: Vec<_> = offenders(texts).into_iter().map(|offender| (offender.line, offender.passage)).collect();
    assert_eq!(found, [(line, passage.to_owned())]);
}

#[test]
fn an_offender_is_found_in_each_kind_of_place() {
    let tool = ToolTexts::parse("# Title\nsummary: Lists.\nLists files.\n\n## roots\nThere are no\nfolders.\n");
    assert_found(&texts_of_tool("list", &tool), None, "There are no");
    let tool = ToolTexts::parse("# Title\nsummary: Whoever lists.\nLists files.\n");
    assert_found(&texts_of_tool("list", &tool), None, "Whoever lists.");

    let errors = serde_json::json!({"A": {
        "message": {"en": "It failed.", "ja": "失敗"},
        "next": {"en": "Ask somebody else.", "ja": "失敗"},
    }});
    assert_found(&texts_of_errors(&errors), None, "Ask somebody else.");

    let markdown = "# Guide\n\nThe file\nis no text.\n\nIs no match; nor is nobody.\n";
    assert_found(&paragraphs("guide.md", markdown), Some(4), "is no text.");

    let defaults = "# The size is\n# no limit.\nkey = \"nobody reads values\"\n";
    assert_found(&comments("default.toml", defaults), Some(1), "The size is");

    let help =
        "Serves.\n\nCommands:\n  new   Makes what nobody has\n        at all\n  help  Prints\n\nOptions:\n  -h\n";
    assert_eq!(subcommands(help), ["new"]);
    assert_found(&[Text::new("fumi --help", 1, help)], Some(4), "new   Makes what nobody has");

    let page = "[en]\nmanual = \"\"\"\nFirst.\nNobody knows.\n\"\"\"\n[ja]\nmanual = \"there is no one\"\n";
    assert_found(&texts_of_page("rule.toml", page), Some(4), "Nobody knows.");
    let page = "[[threshold]]\nname = \"a\"\nsource = \"there is no source\"\n";
    assert_found(&texts_of_page("rule.toml", page), Some(3), "there is no source");

    let language = "title = \"there is no title\"\n[empty]\nclasses = \"it is no language\"\n";
    assert_found(&reasons("language.toml", language), Some(3), "it is no language");

    let source = r#"
        //! "Whoever reads comments."
        /* /* "nobody " */ "somebody " */
        const QUOTE: char = '"';
        fn shown<'a>(text: &'a str) -> String {
            format!("it \"fails\"\n\
                     and {text} is no name")
        }
        #[cfg(test)]
        mod tests {
            const TEXT: [&str; 1] = ["there is no text"];
        }
        #[cfg(test)]
        mod contract;
    "#;
    let (texts, modules) = literals("src/a.rs", source);
    assert_eq!(modules, ["contract"]);
    assert_found(&texts, Some(7), "and {text} is no name");
    let (texts, _) = literals("src/a.rs", "#[cfg(not(test))]\nconst A: &str = r#\"say \"somebody \"\"#;\n");
    assert_found(&texts, Some(2), "say \"somebody \"");
}

#[test]
fn test_modules_are_found_beside_their_parents() {
    assert_eq!(module_path("src/store/mod.rs", "contract"), "src/store/contract");
    assert_eq!(module_path("src/store.rs", "contract"), "src/store/contract");
    assert_eq!(module_path("src/main.rs", "tests"), "src/tests");
}

#[test]
fn a_text_without_a_line_is_located_in_the_data_files() {
    let data = [("src/errors.toml".to_owned(), "[A]\nen = \"There is no file.\"\n".to_owned())];
    let found = offenders(&[Text::without_line("error A", "There is no file.")]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].shown(&data), "src/errors.toml:2: There is no file.");
    assert_eq!(found[0].shown(&[]), "error A:0: There is no file.");
}
