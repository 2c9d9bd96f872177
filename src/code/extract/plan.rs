//! A language's query and facts, compiled for extraction.

use std::{collections::HashMap, num::NonZeroU16};

use tree_sitter::Node;

use super::{landmarks::Landmarks, pattern_reader::read_patterns, patterns::Patterns};
use crate::{
    elements::ElementKind,
    languages::{Language, facts::LanguageFacts},
    parse::ParsedFile,
};

/// The meaning of a capture of `elements.scm`.
#[derive(Clone, Debug)]
pub(super) enum CaptureRole {
    Definition(ElementKind, Option<String>),
    Name,
    Outer,
    Inner,
    Part(DefinitionPart),
    Scope(bool),
    Helper,
}

/// A syntactic part of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefinitionPart {
    Params,
    TypeName,
    TypeParams,
    Extends,
    Implements,
    Value,
    Body,
    Modifier,
    Decorator,
    Group,
}

/// A language's compiled query and facts, indexed by the grammar's node kind and field ids.
#[derive(Debug)]
pub(crate) struct ExtractionPlan {
    pub(super) patterns: Patterns,
    /// The indexes of the patterns that can begin at a node of the kind.
    starts: Vec<Vec<usize>>,
    /// The meanings of the captures.
    pub(super) roles: Vec<CaptureRole>,
    pub(super) field_parts: Vec<Option<DefinitionPart>>,
    kind_parts: Vec<Option<DefinitionPart>>,
    pub(super) param_fields: ParamFields,
    /// The meanings of each node kind, bits of [`meaning`]. Most kinds have none, so most nodes cost one look-up.
    meanings: Vec<u16>,
    /// `None` if all nodes are visited.
    pub(super) landmarks: Option<Landmarks>,
    /// The texts that a node of the kind must have, one of them, to be a decision.
    decision_texts: HashMap<u16, Vec<String>>,
    /// The id of the field that a node of the kind must have to be a decision.
    decision_fields: HashMap<u16, u16>,
    /// The text of the first child that marks a decision as the default branch, which does not count.
    defaults: HashMap<u16, String>,
}

/// The ids of the fields that a parameter can have. Grammars name them alike.
#[derive(Debug)]
pub(super) struct ParamFields {
    pub(super) name: Option<u16>,
    /// The ids of the field of the name, or of the pattern in its place.
    pub(super) holder: Vec<u16>,
    pub(super) type_name: Option<u16>,
    pub(super) default: Vec<u16>,
}

impl ParamFields {
    fn new(grammar: &tree_sitter::Language) -> Self {
        let id = |name: &str| grammar.field_id_for_name(name).map(NonZeroU16::get);
        Self {
            name: id("name"),
            holder: ["name", "pattern", "left"].into_iter().filter_map(id).collect(),
            type_name: id("type"),
            default: ["value", "right"].into_iter().filter_map(id).collect(),
        }
    }
}

/// The meanings that a node's kind can have for the walk over the tree.
pub(super) mod meaning {
    /// A match can begin there.
    pub(in super::super) const START: u16 = 1;
    /// A function body. Nodes that are [`LOCAL`] are skipped inside it.
    pub(in super::super) const BODY: u16 = 2;
    pub(in super::super) const LOCAL: u16 = 4;
    pub(in super::super) const DECISION: u16 = 8;
    /// A token that is a decision where it is used as an operator.
    pub(in super::super) const OPERATOR: u16 = 16;
    /// One of its decisions does not count.
    pub(in super::super) const EXHAUSTIVE: u16 = 32;
    /// The decisions in it do not count.
    pub(in super::super) const OPAQUE: u16 = 64;
    /// Makes the function around it a generator.
    pub(in super::super) const GENERATOR: u16 = 128;
    /// All of its children are visited, not only those with landmarks.
    pub(in super::super) const WHOLE: u16 = 256;
}

impl ExtractionPlan {
    /// Compiles a language. The error names the mistake in the language's files.
    pub(crate) fn compile(language: &Language) -> Result<Self, String> {
        let grammar = language.grammar();
        let patterns = read_patterns(&language.elements_scm, &grammar)?;
        let roles = patterns
            .captures
            .iter()
            .map(|name| CaptureRole::parse(name).ok_or_else(|| format!("unknown capture @{name}")))
            .collect::<Result<_, _>>()?;
        let starts = patterns.by_root(grammar.node_kind_count());
        let parts = &language.facts.parts;
        let mut plan = Self {
            patterns,
            roles,
            field_parts: vec![None; grammar.field_count() + 1],
            kind_parts: vec![None; grammar.node_kind_count()],
            param_fields: ParamFields::new(&grammar),
            meanings: starts.iter().map(|starts| u16::from(!starts.is_empty()) * meaning::START).collect(),
            starts,
            landmarks: Landmarks::new(&language.facts.landmarks),
            decision_texts: HashMap::new(),
            decision_fields: HashMap::new(),
            defaults: HashMap::new(),
        };
        for (part, names) in [
            (DefinitionPart::Params, &parts.params),
            (DefinitionPart::TypeName, &parts.type_name),
            (DefinitionPart::TypeParams, &parts.type_params),
            (DefinitionPart::Extends, &parts.extends),
            (DefinitionPart::Implements, &parts.implements),
            (DefinitionPart::Value, &parts.value),
            (DefinitionPart::Body, &parts.body),
            (DefinitionPart::Modifier, &parts.modifiers),
            (DefinitionPart::Decorator, &parts.decorators),
            (DefinitionPart::Group, &parts.groups),
        ] {
            for name in names {
                let field = grammar.field_id_for_name(name);
                if let Some(id) = field {
                    plan.field_parts[usize::from(id.get())] = Some(part);
                }
                // A name can be both a field and a node (`modifiers` of Java); a token with a field's name (`type`) is
                // never meant.
                let mut is_kind = false;
                for id in kind_ids(&grammar, name) {
                    if field.is_none() || grammar.node_kind_is_named(id) {
                        plan.kind_parts[usize::from(id)] = Some(part);
                        is_kind = true;
                    }
                }
                if field.is_none() && !is_kind {
                    return Err(format!("the grammar has neither a field nor a node {name:?}"));
                }
            }
        }
        plan.mark_meanings(&grammar, &language.facts)?;
        Ok(plan)
    }

    /// Sets the meanings of node kinds and tokens. Fails if the grammar lacks one of them.
    fn mark_meanings(&mut self, grammar: &tree_sitter::Language, facts: &LanguageFacts) -> Result<(), String> {
        let (locals, landmarks, facts) = (&facts.locals, &facts.landmarks, &facts.complexity);
        let fields: Vec<(&str, &str)> = facts.nodes.iter().filter_map(|name| name.split_once('.')).collect();
        let without_field = |name: &String| name.split('.').next().unwrap_or_default().to_owned();
        let decisions: Vec<String> = facts.nodes.iter().map(without_field).chain(facts.texts.keys().cloned()).collect();
        for (names, meaning, wants_named) in [
            (&decisions, meaning::DECISION, true),
            (&facts.tokens, meaning::DECISION, false),
            (&facts.operators, meaning::OPERATOR, false),
            (&facts.exhaustive, meaning::EXHAUSTIVE, true),
            (&facts.opaque, meaning::OPAQUE, true),
            (&facts.generators, meaning::GENERATOR, true),
            (&locals.bodies, meaning::BODY, true),
            (&locals.nodes, meaning::LOCAL, true),
            (&landmarks.nodes, meaning::WHOLE, true),
        ] {
            for name in names {
                for id in ids(grammar, name, wants_named)? {
                    self.meanings[usize::from(id)] |= meaning;
                }
            }
        }
        for (name, field) in fields {
            let field = grammar.field_id_for_name(field);
            let field = field.ok_or_else(|| format!("the grammar has no field of {name:?} by that name"))?;
            for id in ids(grammar, name, true)? {
                self.decision_fields.insert(id, field.get());
            }
        }
        for (name, texts) in &facts.texts {
            for id in ids(grammar, name, true)? {
                self.decision_texts.insert(id, texts.clone());
            }
        }
        for (name, text) in &facts.defaults {
            for id in ids(grammar, name, true)? {
                self.defaults.insert(id, text.clone());
            }
        }
        Ok(())
    }

    /// Returns the indexes of the patterns that can begin at a node.
    pub(super) fn starts(&self, node: Node<'_>) -> &[usize] {
        self.starts.get(usize::from(node.kind_id())).map_or(&[], Vec::as_slice)
    }

    /// Returns the meanings of a node's kind, bits of [`meaning`].
    pub(super) fn meanings(&self, node: Node<'_>) -> u16 {
        self.meanings.get(usize::from(node.kind_id())).copied().unwrap_or(0)
    }

    /// True if a node, whose kind can be a decision, is one: it has the field and the text that the language demands, and is
    /// not the default branch.
    pub(super) fn is_decision(&self, parsed: &ParsedFile, node: Node<'_>) -> bool {
        let kind = node.kind_id();
        let has_field = |field: &u16| node.child_by_field_id(*field).is_some();
        let has_text = |texts: &Vec<String>| texts.iter().any(|text| text == parsed.text(node));
        let begins_with = |text: &String| node.named_child(0).is_some_and(|first| parsed.text(first) == text);
        self.decision_fields.get(&kind).is_none_or(has_field)
            && self.decision_texts.get(&kind).is_none_or(has_text)
            && !self.defaults.get(&kind).is_some_and(begins_with)
    }

    pub(super) fn kind_part(&self, node: Node<'_>) -> Option<DefinitionPart> {
        self.kind_parts.get(usize::from(node.kind_id())).copied().flatten()
    }
}

/// Returns the ids that the grammar gives to a node kind or a token, at least one.
pub(super) fn ids(grammar: &tree_sitter::Language, name: &str, is_named: bool) -> Result<Vec<u16>, String> {
    let ids: Vec<u16> = kind_ids(grammar, name).filter(|id| grammar.node_kind_is_named(*id) == is_named).collect();
    if ids.is_empty() {
        let what = if is_named { "node" } else { "token" };
        return Err(format!("the grammar has no {what} {name:?}"));
    }
    Ok(ids)
}

/// Returns the ids of every node kind and token with a name.
fn kind_ids<'g>(grammar: &'g tree_sitter::Language, name: &'g str) -> impl Iterator<Item = u16> + 'g {
    let all = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
    (0..all).filter(move |id| grammar.node_kind_for_id(*id) == Some(name))
}

impl CaptureRole {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "name" => Self::Name,
            "outer" => Self::Outer,
            "inner" => Self::Inner,
            "params" => Self::Part(DefinitionPart::Params),
            "type_name" => Self::Part(DefinitionPart::TypeName),
            "type_params" => Self::Part(DefinitionPart::TypeParams),
            "extends" => Self::Part(DefinitionPart::Extends),
            "implements" => Self::Part(DefinitionPart::Implements),
            "value" => Self::Part(DefinitionPart::Value),
            "body" => Self::Part(DefinitionPart::Body),
            "modifier" => Self::Part(DefinitionPart::Modifier),
            "decorator" => Self::Part(DefinitionPart::Decorator),
            "scope" => Self::Scope(false),
            "scope.open" => Self::Scope(true),
            _ if name.starts_with('_') => Self::Helper,
            _ => {
                let (kind, modifier) = name.split_once('.').map_or((name, None), |(kind, rest)| (kind, Some(rest)));
                Self::Definition(ElementKind::from_name(kind)?, modifier.map(str::to_owned))
            }
        })
    }
}
