//! Reads the text of `elements.scm`: the part of tree-sitter's query language that these files use.
//!
//! Anything else is an error, never ignored: repetitions, supertypes, wildcards and siblings at the root of a pattern.

use std::num::NonZeroU16;

use regex::bytes::Regex;
use tree_sitter::Language;

use super::{
    patterns::{ChildPattern, Condition, KindPattern, NodePattern, Pattern, Patterns, TextCondition},
    plan::ids,
};

/// Reads all patterns of a file. The error quotes the text that is wrong.
pub(super) fn read_patterns(text: &str, grammar: &Language) -> Result<Patterns, String> {
    let mut reader =
        PatternReader { rest: without_blanks(text), grammar, captures: Vec::new(), conditions: Vec::new() };
    let mut list = Vec::new();
    while !reader.rest.is_empty() {
        let pattern = reader.rest;
        let roots = reader.item()?;
        let is_kind = |root: &NodePattern| matches!(root.kind, KindPattern::OneOf(_));
        if roots.is_optional || !roots.nodes.iter().all(is_kind) {
            return Err(format!("a pattern begins with the name of a node kind: {}", line(pattern)));
        }
        list.push(Pattern { roots: roots.nodes, conditions: std::mem::take(&mut reader.conditions) });
    }
    Ok(Patterns { captures: reader.captures, list })
}

struct PatternReader<'s> {
    /// The text that was not read yet, without blanks before it.
    rest: &'s str,
    grammar: &'s Language,
    /// The names of the captures read so far.
    captures: Vec<String>,
    /// The conditions of the current pattern.
    conditions: Vec<Condition>,
}

/// A node, a token or alternatives.
struct Item {
    nodes: Vec<NodePattern>,
    is_optional: bool,
}

impl<'s> PatternReader<'s> {
    /// Reads an item with the captures behind it.
    fn item(&mut self) -> Result<Item, String> {
        let mut nodes = Vec::new();
        if self.take("[") {
            while !self.take("]") {
                nodes.extend(self.item()?.nodes);
            }
        } else if self.rest.starts_with('"') {
            let token = self.string()?;
            nodes.push(node(KindPattern::OneOf(ids(self.grammar, &token, false)?)));
        } else if self.take("_") {
            nodes.push(node(KindPattern::Any));
        } else if self.take("(") && self.rest.starts_with(['(', '[']) {
            // A group of one item and its conditions.
            nodes = self.item()?.nodes;
            while !self.take(")") {
                self.condition()?;
            }
        } else {
            nodes.push(self.node()?);
        }
        let is_optional = self.take("?");
        while self.take("@") {
            let capture = self.capture()?;
            for node in &mut nodes {
                node.captures.push(capture);
            }
        }
        Ok(Item { nodes, is_optional })
    }

    /// Reads a node behind its opening bracket.
    fn node(&mut self) -> Result<NodePattern, String> {
        let mut found = node(match self.word()? {
            "_" => KindPattern::Named,
            // The text that the parser could not understand.
            "ERROR" => KindPattern::OneOf(vec![u16::MAX]),
            name => KindPattern::OneOf(ids(self.grammar, name, true)?),
        });
        let mut is_next = false;
        while !self.take(")") {
            if self.take(".") {
                is_next = true;
            } else if self.take("!") {
                let name = self.word()?;
                found.absent_fields.push(self.field(name)?);
            } else if self.rest.starts_with("(#") {
                self.condition()?;
            } else {
                let field = self.field_before_child()?;
                let item = self.item()?;
                found.children.push(ChildPattern {
                    field,
                    alternatives: item.nodes,
                    is_optional: item.is_optional,
                    is_next: std::mem::take(&mut is_next),
                    is_last: false,
                });
            }
        }
        if let Some(last) = found.children.last_mut() {
            last.is_last = is_next;
        }
        Ok(found)
    }

    /// Reads `(#eq? @capture "text")` and the like.
    fn condition(&mut self) -> Result<(), String> {
        let all = self.rest;
        let operator = self.take("(#").then(|| self.word()).transpose()?;
        self.expect("?")?;
        self.expect("@")?;
        let capture = self.capture()?;
        let mut texts = Vec::new();
        while !self.take(")") {
            texts.push(self.string()?);
        }
        let regex = |texts: &[String]| Regex::new(&texts.concat()).map_err(|error| error.to_string());
        let text = match (operator, texts.len()) {
            (Some("eq"), 1) | (Some("any-of"), _) => TextCondition::OneOf(texts),
            (Some("match"), 1) => TextCondition::Matches(regex(&texts)?),
            (Some("not-match"), 1) => TextCondition::Differs(regex(&texts)?),
            _ => return Err(format!("unknown condition: {}", line(all))),
        };
        self.conditions.push(Condition { capture, text });
        Ok(())
    }

    /// Reads `name:`, if the next child has it.
    fn field_before_child(&mut self) -> Result<Option<u16>, String> {
        let length = self.word_length();
        if !self.rest[length..].starts_with(':') {
            return Ok(None);
        }
        let name = self.word()?;
        self.expect(":")?;
        self.field(name).map(Some)
    }

    fn field(&self, name: &str) -> Result<u16, String> {
        let field = self.grammar.field_id_for_name(name).map(NonZeroU16::get);
        field.ok_or_else(|| format!("the grammar has no field {name:?}"))
    }

    /// Reads a capture's name, and returns its index.
    fn capture(&mut self) -> Result<usize, String> {
        let name = self.word()?;
        let known = self.captures.iter().position(|known| known == name);
        Ok(known.unwrap_or_else(|| {
            self.captures.push(name.to_owned());
            self.captures.len() - 1
        }))
    }

    fn word(&mut self) -> Result<&'s str, String> {
        let (word, rest) = self.rest.split_at(self.word_length());
        if word.is_empty() {
            return Err(format!("a name is missing: {}", line(self.rest)));
        }
        self.rest = without_blanks(rest);
        Ok(word)
    }

    fn word_length(&self) -> usize {
        let is_in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        self.rest.find(|c| !is_in_word(c)).unwrap_or(self.rest.len())
    }

    /// Reads a text in quotes.
    fn string(&mut self) -> Result<String, String> {
        let all = self.rest;
        let mut found = String::new();
        let mut signs = all.strip_prefix('"').unwrap_or_default().chars();
        while let Some(sign) = signs.next() {
            match sign {
                '"' => {
                    self.rest = without_blanks(signs.as_str());
                    return Ok(found);
                }
                '\\' => match signs.next() {
                    Some('n') => found.push('\n'),
                    Some('t') => found.push('\t'),
                    Some(sign) => found.push(sign),
                    None => break,
                },
                sign => found.push(sign),
            }
        }
        Err(format!("a text in quotes is missing: {}", line(all)))
    }

    /// Reads a sign, if it is next.
    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.map_or(self.rest, without_blanks);
        rest.is_some()
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.take(sign) {
            return Ok(());
        }
        Err(format!("{sign:?} is missing: {}", line(self.rest)))
    }
}

fn node(kind: KindPattern) -> NodePattern {
    NodePattern { kind, captures: Vec::new(), absent_fields: Vec::new(), children: Vec::new() }
}

/// Removes white space and comments from the start.
fn without_blanks(text: &str) -> &str {
    let mut text = text.trim_start();
    while let Some(comment) = text.strip_prefix(';') {
        text = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    text
}

fn line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tree_sitter::Language;

    use super::read_patterns;

    #[test]
    fn unsupported_patterns_are_errors() {
        let python = Language::from(tree_sitter_python::LANGUAGE);
        let read = |text: &str| read_patterns(text, &python).map(|patterns| patterns.list.len());
        assert_eq!(
            read("; why\n(class_definition) @a\n[(assignment) (comment)] @b ((string) @c (#eq? @c \"\\\"\"))"),
            Ok(3)
        );
        for (text, reason) in [
            ("(_ name: (identifier)) @a", "begins with the name"),
            ("(comment)? @a", "begins with the name"),
            ("((comment) @a . (assignment) @b)", "is missing"),
            // Nodes never have a supertype as their kind: they have one of its subtypes.
            ("(expression) @a", "no node"),
            ("(unknown) @a", "no node"),
            ("(comment \"unknown\") @a", "no token"),
            ("(assignment unknown: (_)) @a", "no field"),
            ("(block (comment)* @a)", "is missing"),
            ("((comment) @a (#is? @a \"b\"))", "unknown condition"),
            ("((comment) @a (#match? @a \"(\"))", "unclosed group"),
            ("(comment", "is missing"),
        ] {
            let result = read(text);
            assert!(result.as_ref().is_err_and(|error| error.contains(reason)), "{text}: {result:?}");
        }
    }
}
