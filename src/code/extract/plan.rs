//! A language's query and facts, compiled for extraction.

use std::collections::HashMap;

use tree_sitter::{Node, Query};

use crate::{
    elements::ElementKind,
    languages::{Language, facts::LanguageFacts},
    match_starts::start_kinds,
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
    pub(super) query: Query,
    /// True at the id of each node kind at which a match can begin; `None` if matches may begin anywhere.
    pub(super) starts: Option<Vec<bool>>,
    pub(super) roles: Vec<CaptureRole>,
    pub(super) field_parts: Vec<Option<DefinitionPart>>,
    kind_parts: Vec<Option<DefinitionPart>>,
    /// True at the ids of node kinds that are bodies. Nodes marked in `locals` are skipped inside them.
    pub(super) bodies: Vec<bool>,
    pub(super) locals: Vec<bool>,
    /// True at the ids of node kinds that are decisions.
    pub(crate) decisions: Vec<bool>,
    /// True at the ids of tokens that are decisions where they are used as operators.
    pub(crate) operators: Vec<bool>,
    /// The texts that a node of the kind must have, one of them, to be a decision.
    pub(crate) decision_texts: HashMap<usize, Vec<String>>,
    /// The id of the field that a node of the kind must have to be a decision.
    pub(crate) decision_fields: Vec<Option<u16>>,
    /// True at the ids of node kinds of whose decisions one does not count.
    pub(crate) exhaustive: Vec<bool>,
    /// The text of the first child that marks a decision as the default branch, which does not count.
    pub(crate) defaults: Vec<Option<String>>,
    /// True at the ids of node kinds whose content does not count.
    pub(crate) opaque: Vec<bool>,
    /// True at the ids of node kinds that make a function a generator.
    pub(crate) generators: Vec<bool>,
}

impl ExtractionPlan {
    /// Compiles a language. The error names the mistake in the language's files.
    pub(crate) fn compile(language: &Language) -> Result<Self, String> {
        let grammar = language.grammar();
        let query = Query::new(&grammar, &language.elements_scm).map_err(|error| error.to_string())?;
        let roles = query
            .capture_names()
            .iter()
            .map(|name| CaptureRole::parse(name).ok_or_else(|| format!("unknown capture @{name}")))
            .collect::<Result<_, _>>()?;
        let parts = &language.facts.parts;
        let mut plan = Self {
            starts: start_kinds(&query, &language.elements_scm, &grammar),
            query,
            roles,
            field_parts: vec![None; grammar.field_count() + 1],
            kind_parts: vec![None; grammar.node_kind_count()],
            bodies: vec![false; grammar.node_kind_count()],
            locals: vec![false; grammar.node_kind_count()],
            decisions: vec![false; grammar.node_kind_count()],
            operators: vec![false; grammar.node_kind_count()],
            decision_texts: HashMap::new(),
            decision_fields: vec![None; grammar.node_kind_count()],
            exhaustive: vec![false; grammar.node_kind_count()],
            defaults: vec![None; grammar.node_kind_count()],
            opaque: vec![false; grammar.node_kind_count()],
            generators: vec![false; grammar.node_kind_count()],
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
                let is_meant = |named| named || field.is_none();
                let is_kind = mark(&grammar, name, is_meant, |id| plan.kind_parts[id] = Some(part));
                if field.is_none() && !is_kind {
                    return Err(format!("the grammar has neither a field nor a node {name:?}"));
                }
            }
        }
        let locals = &language.facts.locals;
        if !locals.nodes.is_empty() && plan.starts.is_none() {
            return Err("a pattern can begin at any node, so bodies cannot be skipped".to_owned());
        }
        plan.mark_decisions(&grammar, &language.facts)?;
        Ok(plan)
    }

    /// Marks the nodes and tokens that are decisions, and those that are skipped. Fails if the grammar lacks one of
    /// them.
    fn mark_decisions(&mut self, grammar: &tree_sitter::Language, facts: &LanguageFacts) -> Result<(), String> {
        let (locals, facts) = (&facts.locals, &facts.complexity);
        for name in &facts.nodes {
            let (name, field) = match name.split_once('.') {
                Some((name, field)) => (name, Some(field)),
                None => (name.as_str(), None),
            };
            let field_id = field.and_then(|field| grammar.field_id_for_name(field));
            if let Some(field) = field.filter(|_| field_id.is_none()) {
                return Err(format!("the grammar has no field {field:?}"));
            }
            let is_kind = mark(
                grammar,
                name,
                |named| named,
                |id| {
                    self.decisions[id] = true;
                    self.decision_fields[id] = field_id.map(std::num::NonZeroU16::get);
                },
            );
            if !is_kind {
                return Err(format!("the grammar has no node {name:?}"));
            }
        }
        for (name, text) in &facts.defaults {
            if !mark(
                grammar,
                name,
                |named| named,
                |id| self.defaults[id] = Some(text.clone()),
            ) {
                return Err(format!("the grammar has no node {name:?}"));
            }
        }
        for (name, texts) in &facts.texts {
            let is_kind = mark(
                grammar,
                name,
                |named| named,
                |id| {
                    self.decisions[id] = true;
                    self.decision_texts.insert(id, texts.clone());
                },
            );
            if !is_kind {
                return Err(format!("the grammar has no node {name:?}"));
            }
        }
        for (names, marks, wants_named) in [
            (&locals.bodies, &mut self.bodies, true),
            (&locals.nodes, &mut self.locals, true),
            (&facts.exhaustive, &mut self.exhaustive, true),
            (&facts.opaque, &mut self.opaque, true),
            (&facts.generators, &mut self.generators, true),
            (&facts.tokens, &mut self.decisions, false),
            (&facts.operators, &mut self.operators, false),
        ] {
            for name in names {
                if !mark(grammar, name, |named| named == wants_named, |id| marks[id] = true) {
                    let what = if wants_named { "node" } else { "token" };
                    return Err(format!("the grammar has no {what} {name:?}"));
                }
            }
        }
        Ok(())
    }

    pub(super) fn kind_part(&self, node: Node<'_>) -> Option<DefinitionPart> {
        self.kind_parts.get(usize::from(node.kind_id())).copied().flatten()
    }
}

/// Calls `found` with every id that the grammar gives to a node kind. Returns true if at least one exists.
fn mark(
    grammar: &tree_sitter::Language,
    name: &str,
    wanted: impl Fn(bool) -> bool,
    mut found: impl FnMut(usize),
) -> bool {
    let mut any = false;
    for id in 0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX) {
        if grammar.node_kind_for_id(id) == Some(name) && wanted(grammar.node_kind_is_named(id)) {
            found(usize::from(id));
            any = true;
        }
    }
    any
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
                let (kind, modifier) = name
                    .split_once('.')
                    .map_or((name, None), |(kind, rest)| (kind, Some(rest)));
                Self::Definition(ElementKind::from_name(kind)?, modifier.map(str::to_owned))
            }
        })
    }
}
