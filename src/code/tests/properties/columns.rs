//! Columns cut out what they name: matches of a search from the returned line, captures and elements from the file.

use std::fs;

use fumi_base::{
    encoding::{EncodingChoice, decode},
    project::Project,
};
use fumi_code::{
    filter::ElementFilter,
    parse::{SourceFile, parse},
    query::{QueryKind, TEXT_CHARACTERS, prepare, run},
    search::{RowDemand, ScopeOptions, SearchScope, SearchTargets, search},
    section::{SectionContent, SectionCutter, SectionFormat, SectionRange},
    text_query::{CaseSensitivity, QuerySyntax, TextQuery, TextQueryOptions},
    user_queries::UserQueries,
};
use proptest::{prelude::*, sample::select};
use tokio_util::sync::CancellationToken;

use super::{fault_of, nesting::fixtures, runner, texts::texts};

const SEARCHES: u32 = 400;

/// Expressions that match only letters, so that line ends do not affect their matches.
const EXPRESSIONS: [&str; 12] = [
    r"名前",
    r"[名前を]+",
    r"\w+",
    r"\p{Han}",
    r"(?:カ|、|a)+",
    r"e\x{301}",
    r"😀|ß",
    r"a*",
    r"[^\s]",
    r"Z_?0*",
    r"\b",
    r"(?i)z",
];

#[test]
fn columns_of_matches_cut_them_out_of_the_returned_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = Project::open(&folder.path().canonicalize().expect("it exists")).expect("a project");
    let query = prop_oneof![
        3 => select(EXPRESSIONS.to_vec()).prop_map(|text| (text.to_owned(), QuerySyntax::Regex)),
        2 => "[a名を😀.(]{1,3}".prop_map(|text| (text, QuerySyntax::Literal)),
    ];
    runner(SEARCHES)
        .run(&(texts(), query), |((text, written), (query, syntax))| {
            fs::write(folder.path().join("a.txt"), written.bytes(&text)).expect("a file");
            let options = TextQueryOptions {
                syntax,
                case: CaseSensitivity::Sensitive,
                encoding: written.choice(),
                ..TextQueryOptions::new(&query)
            };
            let compiled = TextQuery::new(&options).expect("a query");
            let scope = SearchScope::new(&project, &ScopeOptions::default(), u64::MAX).expect("a scope");
            let targets = SearchTargets { roots: Vec::new(), files: vec![project.resolve("a.txt").expect("a file")] };
            let need = RowDemand::Rows { keep: usize::MAX };
            let found = search(&compiled, &targets, &scope, need, &CancellationToken::new()).expect("found");
            let pattern = if syntax == QuerySyntax::Literal { regex::escape(&query) } else { query };
            let wanted = regex::Regex::new(&pattern).expect("an expression");
            let expected: Vec<(u64, Vec<(&str, bool)>)> = (1..)
                .zip(text.split_inclusive('\n'))
                .map(|(line, text)| {
                    let bare = text.trim_end_matches(['\r', '\n']);
                    (line, {
                        let at_end = |found: &regex::Match<'_>| found.is_empty() && found.start() == bare.len();
                        wanted.find_iter(bare).map(|found| (found.as_str(), at_end(&found))).collect()
                    })
                })
                .filter(|(_, found): &(u64, Vec<(&str, bool)>)| !found.is_empty())
                .collect();
            let rows: Vec<_> = found.files.iter().flat_map(|file| &file.lines).collect();
            let lines: Vec<u64> = rows.iter().map(|row| row.line).collect();
            prop_assert_eq!(lines, expected.iter().map(|(line, _)| *line).collect::<Vec<_>>());
            for (row, (_, mut expected)) in rows.iter().zip(expected) {
                let characters: Vec<char> = row.text.chars().collect();
                let whole = text.split('\n').nth(usize::try_from(row.line).expect("small") - 1).unwrap_or_default();
                prop_assert!(whole.contains(row.text.as_str()));
                // An empty match at the end of a line depends on the line end, as in ripgrep.
                expected.retain(|(_, at_end)| !at_end);
                let expected: Vec<&str> = expected.into_iter().map(|(found, _)| found).collect();
                let mut cut = Vec::new();
                for [start, end] in &row.spans {
                    let part = characters.get(*start..*end);
                    prop_assert!(part.is_some(), "{start}-{end} leaves {:?}", row.text);
                    cut.push(part.into_iter().flatten().collect::<String>());
                }
                // Positions before and after a carriage return are the same in the displayed text.
                let end = [characters.len(); 2];
                let at_end = row.spans.iter().rev().take_while(|span| **span == end).count();
                cut.truncate(cut.len() - at_end);
                if row.line_truncated {
                    // The displayed part may end within a match.
                    prop_assert!(cut.len() <= expected.len());
                    if let Some((last, before)) = cut.split_last() {
                        prop_assert_eq!(before, &expected[..before.len()]);
                        prop_assert!(expected[before.len()].starts_with(last.as_str()));
                    }
                } else {
                    prop_assert_eq!(cut, expected);
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn columns_of_captures_and_elements_cut_them_out_of_the_file() {
    let cancel = CancellationToken::new();
    for (path, language, text) in fixtures() {
        // The same with multi-byte characters everywhere, and with the other line end.
        for text in [text.replace("\r\n", "\n").replace('\n', "\r\n"), text.replace(' ', "\u{3000} ")] {
            let decoded = decode(text.as_bytes(), EncodingChoice::Auto);
            let source = SourceFile::new(&path, decoded, 0, Some(language)).expect("a known language");
            let parsed = parse(source, &cancel).expect("parsed");
            let text = &parsed.source.text;
            let every = QueryKind::Query("(_) @node".to_owned());
            let every = prepare(&every, parsed.source.language, &UserQueries::default()).expect("a query");
            let found = run(&every, &ElementFilter::default(), &parsed, usize::MAX, &cancel).expect("found");
            assert!(found.total > 0 && found.total == found.list.len(), "{path}: {}", found.total);
            let sheet = SectionCutter::from_text(&path, text);
            for one in found.list {
                assert_eq!(fault_of(one.span, text), None, "{path}: {}", one.kind);
                let own = &text[one.span.start_byte..one.span.end_byte];
                let shown: String = own.chars().take(TEXT_CHARACTERS).collect();
                assert!(one.text == own || one.text == format!("{shown}…"), "{path}: {:?}", one.text);
                let range = SectionRange {
                    start_line: one.span.start_line,
                    end_line: Some(one.span.end_line),
                    start_column: Some(one.span.start_column),
                    end_column: Some(one.span.end_column),
                };
                // A range that begins inside a line end cannot be expressed in columns of its line.
                if own.trim().is_empty() || own.starts_with(['\r', '\n']) {
                    continue;
                }
                let section = sheet.cut(&range, SectionFormat::Raw).expect("within the file");
                let SectionContent::One(cut) = section.content else {
                    panic!("raw text was asked for");
                };
                assert_eq!(cut.trim_end(), own.trim_end(), "{path}: {}", one.kind);
            }
        }
    }
}
