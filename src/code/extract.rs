//! Extraction of elements from a syntax tree: runs the language's `elements.scm` and reads the parts that its facts
//! name.
//!
//! The capture names are the contract: `@class`, `@function`, `@variable`, `@import`, `@comment` and so on (every
//! [`ElementKind`]) mark a definition; a suffix (`@function.lambda`) adds a modifier; `@name`, `@params`, `@type_name`,
//! `@value`, `@decorator` and `@modifier` mark its parts; `@outer` marks an enclosing node whose range the element
//! takes, `@inner` a nested one (an arrow function) that has parts of its own; `@scope` marks a function that is not an
//! element although its declarations are local, `@scope.open` one that runs in place, so that its declarations are not
//! local; `@_x` only serves predicates. Matches of one node with one name are one element, whose kind is that of the
//! last pattern. The module contains no rules for particular languages.

use std::{cmp::Reverse, collections::HashMap};

use tokio_util::sync::CancellationToken;
use tree_sitter::{Node, Query, QueryCursor, QueryCursorOptions, QueryMatch, StreamingIterator as _};

use crate::{
    complexity,
    elements::{
        CodeElement, DefinitionFacts, ElementDetail, ElementKind, ElementList, ImportFacts, MarkupFacts, Param,
        ParamKind, SourceSpan, StyleFacts, Visibility,
    },
    errors::structure::StructureError,
    languages::{Language, facts::LanguageFacts},
    match_starts::start_kinds,
    parse::{ParsedFile, WalkStep, one_line, stop_if, walk},
};

/// The maximum length of a stored value, in characters; the section itself has the whole text.
pub(crate) const VALUE_CHARACTERS: usize = 80;

/// The maximum length of a stored type or parameter, in characters.
pub(crate) const TEXT_CHARACTERS: usize = 200;

/// The maximum length of a stored name, in characters: long enough for the whole of a name that a bindings generator
/// makes.
const NAME_CHARACTERS: usize = 1_000;

/// The maximum length of stored documentation, in characters.
const DOC_CHARACTERS: usize = 2_000;

/// Returns the elements of a parsed file.
pub fn extract(parsed: &ParsedFile, cancel: &CancellationToken) -> Result<ElementList, StructureError> {
    let language = parsed.source.language;
    let plan = language.plan();
    let mut drafts = collect_matches(parsed, plan, cancel)?;
    for draft in &mut drafts {
        draft.read_parts(parsed, plan);
    }
    assign_parents(&mut drafts);
    classify(&mut drafts, &language.facts);
    document(parsed, &mut drafts, &language.facts);
    (language.refine)(parsed, &mut drafts);
    if cancel.is_cancelled() {
        return Err(StructureError::Cancelled);
    }
    complexity::measure(parsed, plan, &mut drafts, cancel)?;
    drop_locals(&mut drafts);
    let doc = if language.facts.docstrings {
        docstring(parsed, parsed.tree.root_node())
    } else {
        file_doc(parsed, &drafts, &language.facts)
    };
    let mut list = finish_elements(drafts);
    attach_embedded(parsed, &mut list, cancel)?;
    Ok(ElementList { list, doc })
}

/// Adds the elements of embedded texts in other languages. They become children of their tag or front matter; those of
/// a code block become children of the section around it, because a block's name is its first line.
fn attach_embedded(
    parsed: &ParsedFile,
    list: &mut Vec<CodeElement>,
    cancel: &CancellationToken,
) -> Result<(), StructureError> {
    if parsed.embedded.is_empty() {
        return Ok(());
    }
    let hosts: HashMap<usize, usize> = list
        .iter()
        .enumerate()
        .filter(|(_, element)| {
            matches!(
                element.kind,
                ElementKind::Markup | ElementKind::CodeBlock | ElementKind::FrontMatter
            )
        })
        .map(|(at, element)| (element.span.start_byte, at))
        .collect();
    for embedded in &parsed.embedded {
        let host = hosts.get(&embedded.host).copied();
        let around = host.and_then(|at| match list[at].kind {
            ElementKind::CodeBlock => list[at].parent,
            _ => Some(at),
        });
        let base = list.len();
        for mut element in extract(&embedded.parsed, cancel)?.list {
            element.parent = element.parent.map_or(around, |parent| Some(base + parent));
            let span = element.span;
            let (start, end) = (embedded.file_start(span.start_byte), embedded.file_end(span.end_byte));
            element.span = parsed.lines.span(&parsed.source.text, start, end.max(start));
            list.push(element);
        }
    }
    in_order(list);
    Ok(())
}

/// Sorts elements by position and renumbers their parents. The sort is stable for elements at the same position.
fn in_order(list: &mut Vec<CodeElement>) {
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by_key(|at| (list[*at].span.start_byte, Reverse(list[*at].span.end_byte)));
    let mut places = vec![0; list.len()];
    for (place, at) in order.iter().enumerate() {
        places[*at] = place;
    }
    let mut elements: Vec<Option<CodeElement>> = list.drain(..).map(Some).collect();
    list.extend(order.into_iter().filter_map(|at| {
        let mut element = elements[at].take()?;
        element.parent = element.parent.map(|parent| places[parent]);
        Some(element)
    }));
}

/// An element under construction, with the nodes that it comes from.
#[derive(Debug)]
pub(crate) struct ElementDraft<'t> {
    /// The node of the definition itself.
    pub(crate) node: Node<'t>,
    /// The enclosing node whose range the element takes, if that is not the definition.
    pub(crate) outer: Option<Node<'t>>,
    /// The function or class that the definition names, if that is a node of its own.
    pub(crate) inner: Option<Node<'t>>,
    /// The nodes searched for parts: the definition, and every node around or in it that a pattern captured.
    holders: Vec<Node<'t>>,
    /// The node of the body, if the definition has one.
    pub(crate) body: Option<Node<'t>>,
    /// The element that the draft becomes.
    pub(crate) element: CodeElement,
    /// True if the element becomes part of the result.
    pub(crate) keep: bool,
    parts: Vec<(DefinitionPart, Node<'t>)>,
}

/// The meaning of a capture of `elements.scm`.
#[derive(Clone, Debug)]
enum CaptureRole {
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
pub(crate) enum DefinitionPart {
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
    query: Query,
    /// True at the id of each node kind at which a match can begin; `None` if matches may begin anywhere.
    starts: Option<Vec<bool>>,
    roles: Vec<CaptureRole>,
    field_parts: Vec<Option<DefinitionPart>>,
    kind_parts: Vec<Option<DefinitionPart>>,
    /// True at the ids of node kinds that are bodies. Nodes marked in `locals` are skipped inside them.
    bodies: Vec<bool>,
    locals: Vec<bool>,
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

    fn kind_part(&self, node: Node<'_>) -> Option<DefinitionPart> {
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

/// Runs the query and groups its matches by node and name.
fn collect_matches<'t>(
    parsed: &'t ParsedFile,
    plan: &ExtractionPlan,
    cancel: &CancellationToken,
) -> Result<Vec<ElementDraft<'t>>, StructureError> {
    let mut gathered = DraftCollector {
        parsed,
        plan,
        drafts: Vec::new(),
        patterns: Vec::new(),
        known: HashMap::new(),
    };
    let (root, text) = (parsed.tree.root_node(), parsed.source.text.as_bytes());
    let mut cursor = QueryCursor::new();
    if let Some(starts) = &plan.starts {
        // Depth 0: only matches that begin at this very node.
        cursor.set_max_start_depth(Some(0));
        let mut body_end = 0;
        walk(root, cancel, |node| {
            let kind = usize::from(node.kind_id());
            if plan.bodies.get(kind).copied().unwrap_or(false) {
                body_end = body_end.max(node.end_byte());
            }
            let is_local = plan.locals.get(kind).copied().unwrap_or(false) && node.start_byte() < body_end;
            if !is_local && starts.get(kind).copied().unwrap_or(true) {
                let mut matches = cursor.matches(&plan.query, node, text);
                while let Some(found) = matches.next() {
                    gathered.take(found);
                }
            }
            WalkStep::Into
        })?;
        return Ok(gathered.drafts);
    }
    let mut poll = |_: &tree_sitter::QueryCursorState| stop_if(cancel);
    let options = QueryCursorOptions::new().progress_callback(&mut poll);
    let mut matches = cursor.matches_with_options(&plan.query, root, text, options);
    while let Some(found) = matches.next() {
        gathered.take(found);
    }
    drop(matches);
    if cancel.is_cancelled() {
        return Err(StructureError::Cancelled);
    }
    Ok(gathered.drafts)
}

/// The drafts gathered so far.
struct DraftCollector<'t, 'p> {
    parsed: &'t ParsedFile,
    plan: &'p ExtractionPlan,
    drafts: Vec<ElementDraft<'t>>,
    /// The number of the last pattern that matched each draft.
    patterns: Vec<usize>,
    /// Indexes of drafts by the node ids of definition and name.
    known: HashMap<(usize, usize), usize>,
}

impl<'t> DraftCollector<'t, '_> {
    /// Adds a function that is not an element: a draft that is dropped later, but is the parent of its declarations
    /// until then.
    fn scope(&mut self, node: Node<'t>, is_open: bool) {
        // A separate key: an element without a name may belong to the same node.
        let at = *self.known.entry((node.id(), usize::MAX)).or_insert_with(|| {
            self.drafts.push(ElementDraft::scope(self.parsed, node));
            self.patterns.push(usize::MAX);
            self.drafts.len() - 1
        });
        if is_open {
            self.drafts[at].set_kind(ElementKind::Namespace);
        }
    }

    fn take(&mut self, found: &QueryMatch<'_, 't>) {
        let role = |index: u32| &self.plan.roles[index as usize];
        let mut definition = None;
        let (mut name, mut outer, mut inner) = (None, None, None);
        for capture in found.captures() {
            match role(capture.index) {
                CaptureRole::Definition(kind, modifier) => definition = Some((capture.node, *kind, modifier)),
                CaptureRole::Name => name = Some(capture.node),
                CaptureRole::Outer => outer = Some(capture.node),
                CaptureRole::Inner => inner = Some(capture.node),
                CaptureRole::Scope(is_open) => return self.scope(capture.node, *is_open),
                CaptureRole::Part(_) | CaptureRole::Helper => {}
            }
        }
        let Some((node, kind, modifier)) = definition else {
            return;
        };
        let key = (node.id(), name.map_or(0, |name: Node<'_>| name.id()));
        let at = *self.known.entry(key).or_insert_with(|| {
            self.drafts.push(ElementDraft::new(self.parsed, node, kind, name));
            self.patterns.push(found.pattern_index);
            self.drafts.len() - 1
        });
        let draft = &mut self.drafts[at];
        if found.pattern_index > self.patterns[at] {
            self.patterns[at] = found.pattern_index;
            draft.set_kind(kind);
        }
        if let Some(modifier) = modifier {
            draft.add_modifier(modifier);
        }
        if let Some(outer) = outer {
            draft.widen(self.parsed, outer);
        }
        if let Some(inner) = inner {
            draft.inner = Some(inner);
            draft.element.nodes[1] = (inner.start_byte(), inner.end_byte());
            draft.add_holder(inner);
        }
        for capture in found.captures() {
            if let CaptureRole::Part(part) = role(capture.index)
                && !draft.parts.contains(&(*part, capture.node))
            {
                draft.parts.push((*part, capture.node));
            }
        }
    }
}

impl<'t> ElementDraft<'t> {
    /// Creates the draft of a definition. Refinements use it for definitions that a query cannot find.
    pub(crate) fn new(parsed: &ParsedFile, node: Node<'t>, kind: ElementKind, name: Option<Node<'t>>) -> Self {
        let name = match name {
            Some(name) => one_line(parsed.text(name), NAME_CHARACTERS),
            None => one_line(parsed.text(node), VALUE_CHARACTERS),
        };
        Self {
            node,
            outer: None,
            inner: None,
            holders: vec![node],
            body: None,
            element: CodeElement {
                kind,
                name,
                span: parsed.span(node),
                parent: None,
                nodes: [(node.start_byte(), node.end_byte()); 2],
                detail: empty_detail(kind),
            },
            keep: true,
            parts: Vec::new(),
        }
    }

    /// Creates the draft of a function that only encloses others and is dropped later.
    fn scope(parsed: &ParsedFile, node: Node<'t>) -> Self {
        Self {
            keep: false,
            ..Self::from_element(
                node,
                CodeElement {
                    kind: ElementKind::Function,
                    name: String::new(),
                    span: parsed.span(node),
                    parent: None,
                    nodes: [(node.start_byte(), node.end_byte()); 2],
                    detail: empty_detail(ElementKind::Function),
                },
            )
        }
    }

    /// Creates a draft from a finished element that was found in another way, at a node of this tree.
    pub(crate) fn from_element(node: Node<'t>, element: CodeElement) -> Self {
        Self {
            node,
            outer: None,
            inner: None,
            holders: Vec::new(),
            body: None,
            element,
            keep: true,
            parts: Vec::new(),
        }
    }

    /// Changes the kind, and replaces the detail with an empty one if the new kind needs another form.
    pub(crate) fn set_kind(&mut self, kind: ElementKind) {
        if std::mem::discriminant(&empty_detail(kind)) != std::mem::discriminant(&self.element.detail) {
            self.element.detail = empty_detail(kind);
        }
        self.element.kind = kind;
    }

    /// Adds a modifier, if the element's detail has modifiers.
    pub(crate) fn add_modifier(&mut self, modifier: &str) {
        match &mut self.element.detail {
            ElementDetail::Code(code) => code.add_modifier(modifier),
            ElementDetail::Import(import) if !import.modifiers.iter().any(|known| known == modifier) => {
                import.modifiers.push(modifier.to_owned());
            }
            _ => {}
        }
    }

    /// Extends the element to the range of an enclosing node, if that is wider.
    pub(crate) fn widen(&mut self, parsed: &ParsedFile, outer: Node<'t>) {
        self.add_holder(outer);
        let current = self.outer.unwrap_or(self.node);
        if outer.start_byte() <= current.start_byte() && current.end_byte() <= outer.end_byte() {
            self.outer = Some(outer);
            self.element.span = parsed.span(outer);
        }
    }

    fn add_holder(&mut self, node: Node<'t>) {
        if !self.holders.contains(&node) {
            self.holders.push(node);
            self.holders
                .sort_by_key(|node| (node.start_byte(), Reverse(node.end_byte())));
        }
    }

    /// Returns the facts of the definition, or `None` if the element is not a definition.
    pub(crate) fn code(&mut self) -> Option<&mut DefinitionFacts> {
        self.element.code_mut()
    }

    /// Reads the parts that captures and fields name.
    fn read_parts(&mut self, parsed: &ParsedFile, plan: &ExtractionPlan) {
        if !self.keep || !matches!(self.element.detail, ElementDetail::Code(_)) {
            return;
        }
        let mut parts = std::mem::take(&mut self.parts);
        for node in &self.holders {
            scan(*node, plan, &mut parts);
        }
        let has_value = !self.element.kind.is_callable() && !self.element.kind.is_class_like();
        self.body = parts
            .iter()
            .find(|(part, _)| *part == DefinitionPart::Body)
            .map(|(_, node)| *node);
        let facts = &parsed.source.language.facts;
        let ElementDetail::Code(code) = &mut self.element.detail else {
            return;
        };
        for (part, node) in parts {
            let text = parsed.text(node);
            match part {
                DefinitionPart::Params if code.params.is_empty() => {
                    code.params = params(parsed, node, facts);
                    code.params_text = params_text(parsed, node);
                }
                DefinitionPart::TypeName if code.type_name.is_none() => {
                    let bare = text.trim_start_matches([':', ' ']).trim_start_matches("->");
                    code.type_name = Some(one_line(bare, TEXT_CHARACTERS));
                }
                DefinitionPart::TypeParams => {
                    code.type_params = Some(one_line(unbracketed(text).trim_end_matches(','), TEXT_CHARACTERS));
                }
                DefinitionPart::Extends => code.extends = split_heritage(text),
                DefinitionPart::Implements => code.implements = split_heritage(text),
                DefinitionPart::Value if has_value && code.value.is_none() => {
                    code.value = Some(one_line(text, VALUE_CHARACTERS));
                }
                DefinitionPart::Modifier => code.add_modifier(text),
                DefinitionPart::Decorator => {
                    let text = without_comments(parsed, node);
                    let bare = text.trim_start_matches('@');
                    code.decorators.push(one_line(bare, TEXT_CHARACTERS));
                }
                _ => {}
            }
        }
        let meant: Vec<&String> = code
            .decorators
            .iter()
            .filter_map(|decorator| facts.decorators.get(last_name(decorator)))
            .collect();
        let meant: Vec<String> = meant.into_iter().cloned().collect();
        for modifier in meant {
            code.add_modifier(&modifier);
        }
    }
}

/// Collects the parts among a node's children, and among those of its groups.
fn scan<'t>(node: Node<'t>, plan: &ExtractionPlan, parts: &mut Vec<(DefinitionPart, Node<'t>)>) {
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let child = cursor.node();
        let by_field = cursor
            .field_id()
            .and_then(|field| plan.field_parts[usize::from(field.get())]);
        match by_field.or_else(|| plan.kind_part(child)) {
            // Groups are direct children of definitions, and their own groups do not matter: one level is enough.
            Some(DefinitionPart::Group) => {
                let mut inner = child.walk();
                for part in child.children(&mut inner) {
                    if let Some(known) = plan.kind_part(part) {
                        parts.push((known, part));
                    }
                }
            }
            Some(part) => {
                let is_known = parts.iter().any(|(known, other)| *known == part && *other == child);
                if !is_known {
                    parts.push((part, child));
                }
                if part == DefinitionPart::Body {
                    return;
                }
            }
            None => {}
        }
        if !cursor.goto_next_sibling() {
            return;
        }
    }
}

fn empty_detail(kind: ElementKind) -> ElementDetail {
    match kind {
        ElementKind::Import | ElementKind::Export => ElementDetail::Import(Box::<ImportFacts>::default()),
        ElementKind::Markup => ElementDetail::Markup(Box::<MarkupFacts>::default()),
        ElementKind::Rule | ElementKind::AtRule | ElementKind::Property => {
            ElementDetail::Style(Box::<StyleFacts>::default())
        }
        ElementKind::Heading => ElementDetail::Heading { level: 1 },
        ElementKind::Key => ElementDetail::Key {
            type_name: "null".into(),
            value: String::new(),
        },
        ElementKind::Comment
        | ElementKind::CodeBlock
        | ElementKind::Link
        | ElementKind::Image
        | ElementKind::List
        | ElementKind::Table
        | ElementKind::FrontMatter
        | ElementKind::Package => ElementDetail::Block { info: String::new() },
        _ => ElementDetail::Code(Box::<DefinitionFacts>::default()),
    }
}

/// Returns the parameters of a list, or the single parameter written without a list.
fn params(parsed: &ParsedFile, list: Node<'_>, facts: &LanguageFacts) -> Vec<Param> {
    if list.named_child_count() == 0 {
        let text = parsed.text(list);
        let is_bare = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        return if is_bare {
            vec![param(parsed, list, facts)]
        } else {
            Vec::new()
        };
    }
    let mut found: Vec<Param> = Vec::new();
    let mut later = ParamKind::Plain;
    let mut cursor = list.walk();
    for child in list.named_children(&mut cursor) {
        if child.is_extra() || child.is_error() {
            continue;
        }
        if let Some(kind) = facts.params.separators.get(child.kind()) {
            if *kind == ParamKind::PositionalOnly {
                for earlier in &mut found {
                    earlier.kind = ParamKind::PositionalOnly;
                }
            } else {
                later = *kind;
            }
            continue;
        }
        let mut next = param(parsed, child, facts);
        if next.kind == ParamKind::Plain {
            next.kind = later;
        } else if next.kind == ParamKind::Variadic
            && let Some(kind) = facts.params.after_variadic
        {
            later = kind;
        }
        found.push(next);
    }
    found
}

/// Returns the list as written, without brackets and comments.
pub(crate) fn params_text(parsed: &ParsedFile, list: Node<'_>) -> String {
    let text = without_comments(parsed, list);
    one_line(unbracketed(&text).trim_end_matches(','), TEXT_CHARACTERS)
}

/// Returns a node's text without its direct comments: a decorator of Python contains the comment after it.
fn without_comments(parsed: &ParsedFile, node: Node<'_>) -> String {
    let mut text = String::new();
    let mut at = node.start_byte();
    let mut cursor = node.walk();
    for comment in node.children(&mut cursor).filter(Node::is_extra) {
        text.push_str(parsed.source.text.get(at..comment.start_byte()).unwrap_or_default());
        at = comment.end_byte();
    }
    text.push_str(parsed.source.text.get(at..node.end_byte()).unwrap_or_default());
    text
}

fn param(parsed: &ParsedFile, node: Node<'_>, facts: &LanguageFacts) -> Param {
    let field = |names: &[&str]| names.iter().find_map(|name| node.child_by_field_name(name));
    let mut cursor = node.walk();
    let holder = field(&["name", "pattern", "left"])
        .or_else(|| {
            node.named_children(&mut cursor)
                .find_map(|child| child.child_by_field_name("name"))
        })
        .or_else(|| node.named_child(0))
        .unwrap_or(node);
    let kind = [node, holder]
        .iter()
        .find_map(|node| facts.params.kinds.get(node.kind()))
        .copied()
        .unwrap_or_default();
    let text = |node: Node<'_>| one_line(parsed.text(node), TEXT_CHARACTERS);
    let declared = |node: Node<'_>| {
        let text = parsed.text(node);
        one_line(text.trim_start_matches([':', ' ']), TEXT_CHARACTERS)
    };
    Param {
        name: text(holder).trim_start_matches(['*', '.', '&']).trim_start().to_owned(),
        type_name: field(&["type"]).map(declared),
        default: field(&["value", "right"]).map(|node| one_line(parsed.text(node), VALUE_CHARACTERS)),
        kind,
        text: text(node),
    }
}

/// Splits a heritage clause at the commas outside brackets, after removing its keyword and outer brackets.
fn split_heritage(clause: &str) -> Vec<String> {
    let clause = clause.trim();
    let bare = ["extends", "implements", "permits", ":"]
        .iter()
        .find_map(|keyword| clause.strip_prefix(keyword))
        .unwrap_or_else(|| unbracketed(clause));
    let mut depth = 0_i32;
    bare.split(|c| {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth <= 0
    })
    .map(|part| one_line(part, TEXT_CHARACTERS))
    .filter(|part| !part.is_empty())
    .collect()
}

/// Returns a text without its first and last bracket.
fn unbracketed(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix(['(', '[', '<'])
        .and_then(|rest| rest.strip_suffix([')', ']', '>']))
        .map_or(text, str::trim)
}

/// Returns the last part of a dotted name, without arguments: `app.route("/")` is `route`.
pub(crate) fn last_name(dotted: &str) -> &str {
    let name = dotted.split(['(', '[', '<', ' ']).next().unwrap_or(dotted);
    name.rsplit('.').next().unwrap_or(name)
}

/// Sorts drafts by position and sets the parent of each to the innermost container around it.
pub(crate) fn assign_parents(drafts: &mut [ElementDraft<'_>]) {
    drafts.sort_by_key(|draft| {
        let span = draft.element.span;
        (
            span.start_byte,
            Reverse(span.end_byte),
            !draft.element.kind.is_container(),
            draft.node.start_byte(),
        )
    });
    let mut open: Vec<(usize, SourceSpan)> = Vec::new();
    for (at, draft) in drafts.iter_mut().enumerate() {
        let span = draft.element.span;
        // Of two at the same position (`a, b = 1, 2`), neither contains the other; a following draft belongs to the
        // last of them that can contain it (`typedef struct a { int b; } c`).
        let is_container = draft.element.kind.is_container();
        while open
            .last()
            .is_some_and(|(_, outer)| !outer.contains(&span) || (is_container && *outer == span))
        {
            open.pop();
        }
        draft.element.parent = open
            .iter()
            .rev()
            .find(|(_, outer)| *outer != span)
            .map(|(parent, _)| *parent);
        if is_container {
            open.push((at, span));
        }
    }
}

/// Sets the facts that follow from a definition's name, parent and modifiers.
fn classify(drafts: &mut [ElementDraft<'_>], facts: &LanguageFacts) {
    for at in 0..drafts.len() {
        let parent = drafts[at].element.parent.map(|parent| drafts[parent].element.kind);
        let in_class = parent.is_some_and(ElementKind::is_class_like);
        let element = &mut drafts[at].element;
        element.kind = match element.kind {
            ElementKind::Function if in_class => ElementKind::Method,
            ElementKind::Variable if in_class => ElementKind::Field,
            kind => kind,
        };
        if element.kind == ElementKind::Method && facts.constructors.contains(&element.name) {
            element.kind = ElementKind::Constructor;
        }
        if element.kind == ElementKind::Variable && facts.capital_constants && is_capital(&element.name) {
            element.kind = ElementKind::Constant;
        }
        let is_local = parent.is_some_and(ElementKind::is_callable);
        let name = element.name.clone();
        let Some(code) = element.code_mut() else {
            continue;
        };
        code.is_static |= code.has_modifier("static");
        code.is_async |= code.has_modifier("async");
        code.is_abstract |= code.has_modifier("abstract");
        code.is_exported |= code.has_modifier("export");
        code.is_default |= code.has_modifier("export") && code.has_modifier("default");
        code.visibility = code
            .modifiers
            .iter()
            .find_map(|modifier| Visibility::from_name(modifier))
            .unwrap_or_else(|| {
                if is_local {
                    Visibility::Private
                } else {
                    by_name(&name, facts)
                }
            });
    }
}

fn by_name(name: &str, facts: &LanguageFacts) -> Visibility {
    let rules = &facts.visibility;
    let begins = |prefixes: &[String]| prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
    let is_special = rules.private_prefixes.iter().any(|prefix| {
        name.len() > 2 * prefix.len() && name.starts_with(prefix.as_str()) && name.ends_with(prefix.as_str())
    });
    if is_special {
        rules.default
    } else if begins(&rules.private_prefixes) {
        Visibility::Private
    } else if begins(&rules.protected_prefixes) {
        Visibility::Protected
    } else {
        rules.default
    }
}

fn is_capital(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// Attaches to definitions the comment before them or the docstring in their body.
fn document(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], facts: &LanguageFacts) {
    let mut last_comment: Option<usize> = None;
    let mut after: Vec<usize> = Vec::new();
    for at in 0..drafts.len() {
        let kind = drafts[at].element.kind;
        if kind == ElementKind::Comment {
            let is_after = !facts.doc_after.is_empty() && begins(parsed, &drafts[at], &facts.doc_after);
            if is_after {
                after.push(at);
            }
            last_comment = Some(at).filter(|_| !is_after);
            continue;
        }
        if !drafts[at].keep {
            continue;
        }
        let before = last_comment
            .filter(|_| !facts.doc_prefixes.is_empty() && !facts.doc_lines)
            .and_then(|comment| {
                let comment = drafts[comment].element.span;
                let between = parsed
                    .source
                    .text
                    .get(comment.end_byte..drafts[at].element.span.start_byte)?;
                let text = parsed.source.text.get(comment.start_byte..comment.end_byte)?;
                let is_doc = facts
                    .doc_prefixes
                    .iter()
                    .any(|prefix| text.starts_with(prefix.as_str()));
                (is_doc && between.trim().is_empty()).then(|| strip_comment_markers(text))
            });
        let inside = drafts[at]
            .body
            .filter(|_| facts.docstrings && (kind.is_callable() || kind.is_class_like()))
            .and_then(|body| docstring(parsed, body));
        let lines = || {
            facts
                .doc_lines
                .then(|| lines_before(parsed, drafts, at, facts))
                .flatten()
        };
        if let (Some(doc), Some(code)) = (before.or_else(lines).or(inside), drafts[at].code()) {
            code.doc = Some(doc).filter(|doc| !doc.is_empty());
        }
    }
    for comment in after {
        doc_after(parsed, drafts, comment);
    }
}

/// True if a comment begins with one of the prefixes.
fn begins(parsed: &ParsedFile, comment: &ElementDraft<'_>, prefixes: &[String]) -> bool {
    let span = comment.element.span;
    let text = parsed
        .source
        .text
        .get(span.start_byte..span.end_byte)
        .unwrap_or_default();
    prefixes.iter().any(|prefix| text.starts_with(prefix.as_str()))
}

/// Attaches a trailing comment to the definition before it on the same line.
fn doc_after(parsed: &ParsedFile, drafts: &mut [ElementDraft<'_>], comment: usize) {
    let span = drafts[comment].element.span;
    let text = &parsed.source.text;
    let documented = drafts.iter_mut().take(comment).rev().find(|draft| {
        let before = draft.element.span;
        draft.element.kind != ElementKind::Comment
            && before.end_line == span.start_line
            && text
                .get(before.end_byte..span.start_byte)
                .is_some_and(|between| between.trim_matches([' ', '\t', ',', ';']).is_empty())
    });
    let doc = text.get(span.start_byte..span.end_byte).map(strip_comment_markers);
    if let Some(code) = documented.and_then(ElementDraft::code)
        && code.doc.is_none()
    {
        code.doc = doc.filter(|doc| !doc.is_empty());
    }
}

/// Returns the comments on the lines directly before a definition, each alone on its lines.
fn lines_before(parsed: &ParsedFile, drafts: &[ElementDraft<'_>], at: usize, facts: &LanguageFacts) -> Option<String> {
    let text = parsed.source.text.as_str();
    let definition = drafts[at].element.span.start_byte;
    let mut start = definition;
    let mut end = definition;
    for comment in drafts[..at].iter().rev() {
        let span = comment.element.span;
        // Others of the same declaration: `a` of `var a, b int`.
        if span.start_byte == definition {
            continue;
        }
        // An enclosing element ends after the start: no comment of this definition precedes it.
        let Some(between) = text.get(span.end_byte..start) else {
            break;
        };
        let written = text.get(span.start_byte..span.end_byte)?;
        let is_adjacent = between.trim().is_empty() && between.matches('\n').count() < 2;
        let is_doc =
            comment.element.kind == ElementKind::Comment && facts.doc_prefixes.iter().any(|p| written.starts_with(p));
        let line = text[..span.start_byte].rfind('\n').map_or(0, |feed| feed + 1);
        if !is_adjacent
            || !is_doc
            || begins(parsed, comment, &facts.doc_after)
            || !text[line..span.start_byte].trim().is_empty()
        {
            break;
        }
        if start == definition {
            end = span.end_byte;
        }
        start = span.start_byte;
    }
    Some(strip_comment_markers(text.get(start..end)?)).filter(|doc| !doc.is_empty())
}

/// Returns the documentation of the whole file: the comments that document their enclosing item, or those before the
/// package clause.
fn file_doc(parsed: &ParsedFile, drafts: &[ElementDraft<'_>], facts: &LanguageFacts) -> Option<String> {
    if facts.doc_lines
        && let Some(package) = drafts
            .iter()
            .position(|draft| draft.element.kind == ElementKind::Package)
    {
        return lines_before(parsed, drafts, package, facts);
    }
    let inner: Vec<String> = drafts
        .iter()
        .filter(|draft| draft.element.kind == ElementKind::Comment && draft.element.parent.is_none())
        .filter_map(|draft| inner_doc(parsed, draft, facts))
        .collect();
    Some(cut(inner.join("\n").trim(), DOC_CHARACTERS)).filter(|doc| !doc.is_empty())
}

/// Returns the text of a comment that documents its enclosing item, or `None` for any other comment.
pub(crate) fn inner_doc(parsed: &ParsedFile, comment: &ElementDraft<'_>, facts: &LanguageFacts) -> Option<String> {
    let text = parsed.text(comment.node);
    let is_inner = facts
        .inner_doc_prefixes
        .iter()
        .any(|prefix| text.starts_with(prefix.as_str()));
    // Not in the arguments of a macro, which are not parsed as syntax.
    let is_hidden = || {
        let around = comment.node.parent().map(|parent| parent.kind());
        around.is_some_and(|around| facts.complexity.opaque.iter().any(|kind| kind == around))
    };
    (is_inner && !is_hidden()).then(|| strip_comment_markers(text))
}

/// Returns a documentation comment without its markers.
pub(crate) fn strip_comment_markers(comment: &str) -> String {
    let is_after = ["/**<", "/*!<", "///<", "//!<"]
        .iter()
        .any(|sign| comment.starts_with(sign));
    let has_line_signs = comment.starts_with("//");
    let bare = comment
        .trim_start_matches("/**")
        .trim_start_matches("/*!")
        .trim_start_matches("/*")
        .trim_end_matches("*/");
    let lines: Vec<&str> = bare
        .lines()
        .map(|line| {
            let line = line.trim();
            let line = line
                .strip_prefix("///")
                .or_else(|| line.strip_prefix("//!"))
                .or_else(|| line.strip_prefix("//").filter(|_| has_line_signs))
                .unwrap_or(line);
            let line = line.strip_prefix('*').unwrap_or(line);
            // `///<` documents the definition before it.
            line.strip_prefix('<').filter(|_| is_after).unwrap_or(line).trim()
        })
        .collect();
    cut(lines.join("\n").trim(), DOC_CHARACTERS)
}

/// Returns the string literal that a body begins with.
fn docstring(parsed: &ParsedFile, body: Node<'_>) -> Option<String> {
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).find(|child| !child.is_extra())?;
    let string = if first.kind() == "expression_statement" {
        first.named_child(0)?
    } else {
        first
    };
    if string.kind() != "string" {
        return None;
    }
    let text = parsed.text(string);
    let quote = text.find(['"', '\''])?;
    if text[..quote].contains(['f', 'F', 'b', 'B']) {
        return None;
    }
    let bare = text[quote..].trim_matches(['"', '\'']);
    let lines: Vec<&str> = bare.trim().lines().map(str::trim).collect();
    Some(cut(&lines.join("\n"), DOC_CHARACTERS)).filter(|doc| !doc.is_empty())
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Drops variables inside functions, and those in their values: they are not part of a file's structure.
fn drop_locals(drafts: &mut [ElementDraft<'_>]) {
    for at in 0..drafts.len() {
        if !matches!(drafts[at].element.kind, ElementKind::Variable | ElementKind::Constant) {
            continue;
        }
        let mut around = drafts[at].element.parent;
        // A dropped draft does not count, unless it is a function: its own parent counts instead.
        let says_nothing = |draft: &ElementDraft<'_>| !draft.keep && !draft.element.kind.is_callable();
        while let Some(parent) = around.filter(|parent| says_nothing(&drafts[*parent])) {
            around = drafts[parent].element.parent;
        }
        if around.is_some_and(|parent| drafts[parent].element.kind.is_callable()) {
            drafts[at].keep = false;
        }
    }
}

/// Returns the kept elements in the order of the text, with renumbered parents.
fn finish_elements(drafts: Vec<ElementDraft<'_>>) -> Vec<CodeElement> {
    // Children of a dropped draft belong to its nearest kept ancestor.
    let heir = |mut at: Option<usize>| {
        while let Some(index) = at.filter(|index| !drafts[*index].keep) {
            at = drafts[index].element.parent;
        }
        at
    };
    let parents: Vec<Option<usize>> = drafts.iter().map(|draft| heir(draft.element.parent)).collect();
    let mut order: Vec<usize> = (0..drafts.len()).filter(|at| drafts[*at].keep).collect();
    // Stable: the order of `assign_parents` stays, and drafts that refinements appended are sorted in.
    order.sort_by_key(|at| {
        let span = drafts[*at].element.span;
        (span.start_byte, Reverse(span.end_byte))
    });
    let mut places = vec![0; drafts.len()];
    for (place, at) in order.iter().enumerate() {
        places[*at] = place;
    }
    let mut elements: Vec<Option<CodeElement>> = drafts.into_iter().map(|draft| Some(draft.element)).collect();
    order
        .into_iter()
        .filter_map(|at| {
            let mut element = elements[at].take()?;
            element.parent = parents[at].map(|parent| places[parent]);
            Some(element)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{last_name, split_heritage, strip_comment_markers};

    #[test]
    fn heritage_is_cut_at_the_outer_commas() {
        assert_eq!(
            split_heritage("(Base, Generic[K, V], metaclass=Meta)"),
            ["Base", "Generic[K, V]", "metaclass=Meta"]
        );
        assert_eq!(
            split_heritage("implements Map<K, V>,\n  Cloneable"),
            ["Map<K, V>", "Cloneable"]
        );
        assert_eq!(split_heritage("extends React.Component"), ["React.Component"]);
        assert_eq!(split_heritage("()"), [""; 0]);
    }

    #[test]
    fn comment_markers_are_stripped() {
        assert_eq!(
            strip_comment_markers("/**\n * Adds.\n *\n * @param a one\n */"),
            "Adds.\n\n@param a one"
        );
        assert_eq!(strip_comment_markers("/** Short. */"), "Short.");
    }

    #[test]
    fn last_name_ignores_path_and_arguments() {
        assert_eq!(last_name("functools.lru_cache(maxsize=None)"), "lru_cache");
        assert_eq!(last_name("property"), "property");
    }
}
