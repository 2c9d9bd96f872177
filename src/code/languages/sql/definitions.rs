//! The definitions found so far in a file of SQL, and the comments that document them.

use std::collections::HashMap;

use tree_sitter::Node;

use super::lexer::SqlWord;
use crate::{
    elements::{CodeElement, DefinitionFacts, ElementDetail, ElementKind, ImportFacts, SourceSpan},
    extract::ElementDraft,
    parse::{ParsedFile, one_line},
};

/// The maximum length of a type, a value or a list of columns, in characters.
pub(super) const TEXT_CHARACTERS: usize = 80;

pub(super) struct SqlDefinitions<'t, 'd> {
    pub(super) parsed: &'t ParsedFile,
    pub(super) root: Node<'t>,
    pub(super) drafts: &'d mut Vec<ElementDraft<'t>>,
    /// Tables and views, keyed by name in lower case and without a schema.
    pub(super) relations: HashMap<String, usize>,
    /// Routines, indexes, types and schemas, keyed in the same way.
    pub(super) routines: HashMap<String, usize>,
    /// The spans of comments, in the order of the text.
    pub(super) comments: Vec<SourceSpan>,
}

impl<'t> SqlDefinitions<'t, '_> {
    pub(super) fn import(&mut self, words: &[SqlWord<'t>], module: &str, modifier: &str) {
        let detail = ElementDetail::Import(Box::new(ImportFacts {
            module: module.to_owned(),
            names: Vec::new(),
            modifiers: vec![modifier.to_owned()],
        }));
        let span = self.span(words);
        let element = CodeElement {
            kind: ElementKind::Import,
            name: module.to_owned(),
            span,
            parent: None,
            nodes: [(span.start_byte, span.end_byte); 2],
            detail,
        };
        self.drafts.push(ElementDraft::from_element(self.root, element));
    }

    /// Adds a definition that covers a whole statement, with the comment before it.
    pub(super) fn define(
        &mut self,
        words: &[SqlWord<'t>],
        kind: ElementKind,
        name: String,
        mut facts: DefinitionFacts,
    ) -> usize {
        facts.doc = words.first().and_then(|first| self.doc(first.start));
        self.push(words, kind, name, facts, None)
    }

    pub(super) fn push(
        &mut self,
        words: &[SqlWord<'t>],
        kind: ElementKind,
        name: String,
        facts: DefinitionFacts,
        parent: Option<usize>,
    ) -> usize {
        let span = self.span(words);
        let element = CodeElement {
            kind,
            name,
            span,
            parent,
            nodes: [(span.start_byte, span.end_byte); 2],
            detail: ElementDetail::Code(Box::new(facts)),
        };
        self.drafts.push(ElementDraft::from_element(self.root, element));
        self.drafts.len() - 1
    }

    fn span(&self, words: &[SqlWord<'_>]) -> SourceSpan {
        let start = words.first().map_or(0, |word| word.start);
        let end = words.last().map_or(start, SqlWord::end);
        self.parsed.lines.span(&self.parsed.source.text, start, end)
    }

    /// Returns words as written, on one line.
    pub(super) fn text(&self, words: &[SqlWord<'_>]) -> String {
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return String::new();
        };
        let text = self.parsed.source.text.get(first.start..last.end()).unwrap_or_default();
        one_line(text, TEXT_CHARACTERS)
    }

    /// Returns the comments directly above a statement, without their comment signs.
    fn doc(&self, start: usize) -> Option<String> {
        let text = &self.parsed.source.text;
        let mut at = self.comments.partition_point(|comment| comment.end_byte <= start);
        let mut next = start;
        let mut lines: Vec<String> = Vec::new();
        while let Some(comment) = at.checked_sub(1).and_then(|at| self.comments.get(at)) {
            let between = text.get(comment.end_byte..next)?;
            let is_own_line = text[..comment.start_byte]
                .bytes()
                .rev()
                .take_while(|byte| *byte != b'\n')
                .all(|byte| byte.is_ascii_whitespace());
            if !between.trim().is_empty() || between.matches('\n').count() > 1 || !is_own_line {
                break;
            }
            let written = text.get(comment.start_byte..comment.end_byte)?;
            let bare = written.trim_start_matches("/*").trim_end_matches("*/");
            let bare: Vec<&str> = bare.lines().map(|line| line.trim().trim_start_matches(['-', '*']).trim()).collect();
            lines.insert(0, bare.join("\n").trim().to_owned());
            next = comment.start_byte;
            at -= 1;
        }
        let doc = lines.join("\n").trim().chars().take(2_000).collect::<String>();
        Some(doc).filter(|doc| !doc.is_empty())
    }
}

pub(super) fn code(modifiers: &[&str]) -> DefinitionFacts {
    let mut code = DefinitionFacts::default();
    for modifier in modifiers {
        code.add_modifier(&modifier.to_ascii_lowercase());
    }
    code
}
