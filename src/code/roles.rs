//! The role of a match in the syntax of its file: a definition, a call, an import, a type, a write, another mention, a
//! comment or a literal text.
//!
//! The role is that of the first name within the match, or of the defined name if the match contains one, so that
//! `def main` has the role of `main`; the first parts of a dotted name are passed over if the match contains the next, so that
//! `time.Duration` has the role of `Duration`. It follows from the position of the name in the syntax tree alone: a
//! conversion that is written as a call is a call. The positions are data of each language
//! ([`crate::languages::facts::RoleFacts`]).

use std::{collections::HashMap, ops::Range};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree_sitter::Node;

use crate::{
    languages::{Language, by_name, facts::LanguageFacts},
    parse::ParsedFile,
};

/// The maximum number of names of one match that are examined; a match with more is a text rather than a name.
const NAMES: usize = 16;

/// The signs between the parts of a dotted name.
const DOTS: [&str; 5] = [".", "::", "->", "?.", "!."];

/// The role of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HitRole {
    /// The name of a definition or of a parameter.
    Definition,
    /// A function or method that is called, or a type that is constructed.
    Call,
    /// A part of an import.
    Import,
    /// The name of a type where a type is declared or required.
    Type,
    /// A variable or field that is assigned.
    Write,
    /// Any other code.
    Mention,
    /// A part of a comment.
    Comment,
    /// A part of a literal text.
    String,
}

impl HitRole {
    /// Returns the word of the role in texts: the published name, short for a definition.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Definition => "def",
            Self::Call => "call",
            Self::Import => "import",
            Self::Type => "type",
            Self::Write => "write",
            Self::Mention => "mention",
            Self::Comment => "comment",
            Self::String => "string",
        }
    }
}

/// The compiled positions of a language.
#[derive(Debug, Default)]
pub(crate) struct RoleRules {
    /// The meaning of a node, by its kind.
    nodes: HashMap<String, NodeMeaning>,
    /// The meanings of a child, by the kind of its parent.
    children: HashMap<String, Vec<ChildRule>>,
}

#[derive(Debug)]
struct ChildRule {
    /// The field or the word that the parent must have.
    with: Option<String>,
    test: ChildTest,
    neighbour: Option<Neighbour>,
    meaning: ChildMeaning,
}

/// A word or sign that must stand beside a child.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Neighbour {
    /// Directly before the child.
    Previous(String),
    /// Directly after the child.
    Next(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeMeaning {
    Comment,
    Import,
    Type,
    Text,
    /// Code within a text, or a value within a type.
    Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChildMeaning {
    Role(HitRole),
    /// The child is a pattern, whose names are defined unless they begin with a capital.
    Binding,
    Import,
    Type,
    Code,
    /// The child has the role of its parent.
    Part,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ChildTest {
    Field(String),
    Kind(String),
    First,
    Last,
    Only,
    Any,
}

/// A position as the data of a language write it.
struct Position<'p> {
    kind: &'p str,
    with: Option<&'p str>,
    child: Option<ChildTest>,
    neighbour: Option<Neighbour>,
}

impl RoleRules {
    /// Compiles the positions of a language and of those that it extends.
    pub(crate) fn compile(language: &Language) -> Self {
        let mut rules = Self::default();
        let mut next = Some(language);
        while let Some(language) = next {
            rules.add(&language.facts);
            let base = language.facts.roles.extends.as_deref();
            next = base.and_then(|base| by_name(base).ok());
        }
        rules
    }

    fn add(&mut self, facts: &LanguageFacts) {
        let roles = &facts.roles;
        for (kinds, meaning) in [(&facts.comments, NodeMeaning::Comment), (&roles.strings, NodeMeaning::Text)] {
            self.nodes.extend(kinds.iter().map(|kind| (kind.clone(), meaning)));
        }
        for (positions, child, node) in [
            (&roles.definitions, ChildMeaning::Role(HitRole::Definition), None),
            (&roles.bindings, ChildMeaning::Binding, None),
            (&roles.calls, ChildMeaning::Role(HitRole::Call), None),
            (&roles.writes, ChildMeaning::Role(HitRole::Write), None),
            (&roles.imports, ChildMeaning::Import, Some(NodeMeaning::Import)),
            (&roles.types, ChildMeaning::Type, Some(NodeMeaning::Type)),
            (&roles.code, ChildMeaning::Code, Some(NodeMeaning::Code)),
            (&roles.parts, ChildMeaning::Part, None),
        ] {
            for position in positions {
                let Position { kind, with, child: test, neighbour } = Position::parse(position);
                match (test, node) {
                    (Some(test), _) => self.children.entry(kind.to_owned()).or_default().push(ChildRule {
                        with: with.map(str::to_owned),
                        test,
                        neighbour,
                        meaning: child,
                    }),
                    (None, Some(meaning)) => {
                        self.nodes.insert(kind.to_owned(), meaning);
                    }
                    (None, None) => {}
                }
            }
        }
    }

    /// Returns the meanings of a child of a node.
    fn meanings(&self, parent: &PathStep<'_>, child: &PathStep<'_>) -> Vec<ChildMeaning> {
        let has = |word: &String| {
            let is_word = |at| parent.node.child(at).is_some_and(|child| child.kind() == word);
            parent.node.child_by_field_name(word).is_some() || (0..parent.node.child_count()).any(is_word)
        };
        let holds = |rule: &&ChildRule| match &rule.test {
            ChildTest::Field(name) => child.field.is_some_and(|field| field == name),
            ChildTest::Kind(kind) => child.node.kind() == kind,
            ChildTest::First => parent.node.named_child(0).is_some_and(|first| first == child.node),
            ChildTest::Last => child.node.next_named_sibling().is_none(),
            ChildTest::Only => parent.node.named_child_count() == 1,
            ChildTest::Any => true,
        };
        let is_beside = |neighbour: &Neighbour| match neighbour {
            Neighbour::Previous(word) => child.node.prev_sibling().is_some_and(|before| before.kind() == word),
            // A bracket is the first child of what it encloses.
            Neighbour::Next(sign) => child
                .node
                .next_sibling()
                .is_some_and(|after| after.kind() == sign || after.child(0).is_some_and(|first| first.kind() == sign)),
        };
        let rules = self.children.get(parent.node.kind()).into_iter().flatten();
        rules
            .filter(holds)
            .filter(|rule| rule.with.as_ref().is_none_or(has))
            .filter(|rule| rule.neighbour.as_ref().is_none_or(is_beside))
            .map(|rule| rule.meaning)
            .collect()
    }

    /// Returns the role of the last node of a path in a text.
    fn role(&self, path: &[PathStep<'_>], text: &str) -> HitRole {
        let (mut is_text, mut is_code, mut is_type) = (false, false, false);
        for (at, step) in path.iter().enumerate().rev() {
            match self.nodes.get(step.node.kind()) {
                Some(NodeMeaning::Comment) => return HitRole::Comment,
                Some(NodeMeaning::Import) => return HitRole::Import,
                Some(NodeMeaning::Text) if !is_code => is_text = true,
                Some(NodeMeaning::Code) if !is_text => is_code = true,
                Some(NodeMeaning::Type) if !is_code => is_type = true,
                _ => {}
            }
            let Some(parent) = at.checked_sub(1).map(|at| &path[at]) else {
                break;
            };
            for meaning in self.meanings(parent, step) {
                match meaning {
                    ChildMeaning::Import => return HitRole::Import,
                    ChildMeaning::Type if !is_code => is_type = true,
                    ChildMeaning::Code if !is_text => is_code = true,
                    _ => {}
                }
            }
        }
        if is_text {
            return HitRole::String;
        }
        let name = path.last().and_then(|step| text.get(step.node.byte_range()));
        let is_capital = name.is_some_and(|name| name.starts_with(char::is_uppercase));
        for pair in path.windows(2).rev() {
            let mut is_part = false;
            for meaning in self.meanings(&pair[0], &pair[1]) {
                match meaning {
                    ChildMeaning::Role(role) => return role,
                    ChildMeaning::Binding if !is_capital => return HitRole::Definition,
                    ChildMeaning::Part => is_part = true,
                    ChildMeaning::Binding | ChildMeaning::Import | ChildMeaning::Type | ChildMeaning::Code => {}
                }
            }
            if !is_part {
                break;
            }
        }
        if is_type { HitRole::Type } else { HitRole::Mention }
    }
}

impl<'p> Position<'p> {
    /// Reads `KIND`, `KIND.FIELD` or `KIND>CHILD`. `KIND[WORD]` is a node with a child in the field `WORD`, or with the word
    /// itself: `range_clause[:=].left`. After a child may follow the word before it or the sign after it:
    /// `token_tree>identifier after fn`, `token_tree>identifier before (`.
    fn parse(position: &'p str) -> Self {
        let (position, neighbour) = match (position.split_once(" after "), position.split_once(" before ")) {
            (Some((position, word)), _) => (position, Some(Neighbour::Previous(word.to_owned()))),
            (None, Some((position, sign))) => (position, Some(Neighbour::Next(sign.to_owned()))),
            (None, None) => (position, None),
        };
        let (head, child) = match (position.split_once('>'), position.rsplit_once('.')) {
            (Some((head, child)), _) => (head, Some(ChildTest::parse(child))),
            (None, Some((head, field))) => (head, Some(ChildTest::Field(field.to_owned()))),
            (None, None) => (position, None),
        };
        let with = head.strip_suffix(']').and_then(|head| head.split_once('['));
        let (kind, with) = with.map_or((head, None), |(kind, word)| (kind, Some(word)));
        Self { kind, with, child, neighbour }
    }
}

impl ChildTest {
    fn parse(child: &str) -> Self {
        match child {
            "first" => Self::First,
            "last" => Self::Last,
            "only" => Self::Only,
            "*" => Self::Any,
            kind => Self::Kind(kind.to_owned()),
        }
    }
}

/// A node on the way from the root of a tree, with the field of its parent in which it is.
#[derive(Clone, Copy)]
struct PathStep<'t> {
    node: Node<'t>,
    field: Option<&'t str>,
}

/// Returns the nodes around a byte, from the root inwards, and the byte at which the search for the next name goes on.
fn path_to(root: Node<'_>, byte: usize) -> (Vec<PathStep<'_>>, usize) {
    let mut cursor = root.walk();
    let mut path = vec![PathStep { node: root, field: None }];
    while cursor.goto_first_child_for_byte(byte).is_some() {
        let node = cursor.node();
        if node.start_byte() > byte {
            return (path, node.start_byte());
        }
        path.push(PathStep { node, field: cursor.field_name() });
    }
    let next = path.last().map_or(byte, |step| step.node.end_byte());
    (path, next.max(byte + 1))
}

/// A match with its role and the name that decided it.
pub(crate) struct NamedRole {
    pub(crate) role: HitRole,
    /// The bytes of the name.
    pub(crate) name: Range<usize>,
}

/// Returns the role of a match at these bytes.
pub(crate) fn role_at(file: &ParsedFile, bytes: &Range<usize>) -> NamedRole {
    for embedded in &file.embedded {
        if let Some(inner) = embedded.inner_range(bytes) {
            let found = role_at(&embedded.parsed, &inner);
            return NamedRole {
                name: embedded.file_start(found.name.start)..embedded.file_end(found.name.end),
                ..found
            };
        }
    }
    let rules = file.source.language.role_rules();
    let root = file.tree.root_node();
    let (mut at, mut first) = (bytes.start, None::<NamedRole>);
    let is_next = |first: &NamedRole, next: &NamedRole| {
        let between = file.source.text.get(first.name.end..next.name.start);
        between.is_some_and(|between| DOTS.contains(&between))
    };
    for _ in 0..NAMES {
        let (path, next) = path_to(root, at);
        let leaf = path[path.len() - 1].node;
        if leaf.is_named() && leaf.child_count() == 0 {
            let found = NamedRole { role: rules.role(&path, &file.source.text), name: leaf.byte_range() };
            if found.role == HitRole::Definition {
                return found;
            }
            first = match first {
                Some(first) if !is_next(&first, &found) => Some(first),
                _ => Some(found),
            };
        }
        at = next;
        if at >= bytes.end {
            break;
        }
    }
    first.unwrap_or_else(|| NamedRole {
        role: match rules.role(&path_to(root, bytes.start).0, &file.source.text) {
            // A sign is neither defined nor called nor assigned.
            HitRole::Definition | HitRole::Call | HitRole::Write => HitRole::Mention,
            role => role,
        },
        name: 0..0,
    })
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::{ChildTest, Neighbour, Position, RoleRules, role_at};
    use crate::{
        languages::{all, by_name},
        parse::{SourceFile, parse},
    };

    /// Returns the roles of the names that are marked with `|` before them.
    fn roles(language: &str, marked: &str) -> Vec<&'static str> {
        let text = marked.replace('|', "");
        let mut at = 0;
        let starts = marked.split('|').map(|part| {
            at += part.len();
            at
        });
        let starts: Vec<usize> = starts.collect();
        let source = SourceFile {
            path: String::new(),
            language: by_name(language).expect("a language"),
            size_bytes: text.len() as u64,
            text,
            encoding: String::new(),
        };
        let file = parse(source, &CancellationToken::new()).expect("parsed");
        assert!(file.errors.is_empty(), "{language}: {:?}", file.errors);
        let names = &starts[..starts.len() - 1];
        let role = |at: &usize| role_at(&file, &(*at..*at + 1)).role.mark();
        names.iter().map(role).collect()
    }

    /// Compares the roles of the marked names of each text, in a language, with those expected.
    fn check(cases: &[(&str, &str, &str)]) {
        let mut wrong = Vec::new();
        for (language, text, expected) in cases {
            let found = roles(language, text).join(" ");
            if found != *expected {
                wrong.push(format!("{language}:\n{text}\n{found}\n{expected}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }

    #[test]
    fn names_have_the_role_of_their_position() {
        check(&[
            (
                "python",
                "import |os\ndef |f(|a, |b: |int = |c) -> |list[|str]:\n    |x.|y = |g(|k=|a)  # |note\n    return f\"|t {|x}\"\n",
                "import def def def type mention type type mention write call mention mention comment string mention",
            ),
            (
                "typescript",
                "import { |a } from \"|m\";\nclass |C extends |B<|T> {\n  |p: |Q = new |R();\n  |m(|x: |S): void { this.|p = `|t ${|u}`; |f(|x); }\n}\n",
                "import import def type type def type call def def type write string mention call mention",
            ),
            (
                "go",
                "package p\n\nimport |f \"|fmt\"\n\nfunc (|r |R) |M(|a |int) |string {\n\t|x := |g(|a)\n\t|r.|n = |x\n\treturn \"|t\"\n}\n",
                "import import def type def def type type def call mention mention write mention string",
            ),
            (
                "rust",
                "use |a::|b;\n\nfn |f(|x: |T) -> |u8 {\n    let |y = |x.|g(|h!());\n    |y = \"|t\";\n    |m::|z(|y)\n}\n",
                "import import def def type type def mention call call write string mention call mention",
            ),
            (
                "rust",
                "fn f(|P { |a, b: |c }: P) {\n    if let |Some(|d) = x {}\n    while let Ok((|e, |F)) = y {}\n    let |Some(|g) = z else { return };\n    match z {\n        |None => 1,\n        |m::N => 2,\n        Ok(|h) if |i => 3,\n        &|k @ 1 => 4,\n        |l => 5,\n    }\n}\n",
                "type def def mention def def mention mention def mention mention def mention def def",
            ),
            (
                "java",
                "import |a.|B;\n\nclass |C extends |D {\n  |E |f = new |G();\n  void |m(|H |x) { this.|f = |x; |n(\"|t\"); }\n}\n",
                "import import def type type def call def type def write mention call string",
            ),
            (
                "c",
                "#include \"|a.h\"\n#define |M 1\nstruct |s { int |f; };\nint |g(char *|p) {\n  |p->|f = |h(|p, \"|t\");\n  return |M;\n}\n",
                "import def def def def def mention write call mention string mention",
            ),
            (
                "csharp",
                "using |A;\nclass |C : |B {\n  |D |f;\n  void |M(|E |x) { this.|f = |x; |N(\"|t\"); var |y = new |F(); }\n}\n",
                "import def type type def def type def write mention call string def call",
            ),
            (
                "kotlin",
                "import a.|b\n\nclass |C(val |p: |T) {\n    fun |m(|x: |S) { |y = |f(|x); |z.|g(\"|t\") }\n}\n",
                "import def def type def def type write call mention mention call string",
            ),
            (
                "php",
                "<?php\nuse A\\|B;\nclass |C extends |D {\n  function |m(|E $|x) { $this->|f = |g($|x); new |F('|t'); }\n}\n",
                "import def type def type def write call mention call string",
            ),
            (
                "ruby",
                "class |C < |D\n  def |m(|x)\n    @|y = |f(|x, \"|t\")\n    |z.|g\n  end\nend\n",
                "def type def def write call mention string mention call",
            ),
            (
                "lua",
                "local |x = |f(\"|t\")\nfunction |g(|a)\n  |t.|u = |a\n  |t.|v()\nend\n",
                "write call string def def mention write mention mention call",
            ),
            ("bash", "|f() {\n  |x=\"|t $|y\"\n  |g \"$|x\"\n}\n", "def write string mention call mention"),
            (
                "scala",
                "import a.|B\n\nclass |C(|p: |T) extends |D {\n  def |m(|x: |S): Int = |f(|x)\n  val |v = new |E(\"|t\")\n}\n",
                "import def def type type def def type call mention def call string",
            ),
            (
                "swift",
                "import |A\n\nclass |C: |D {\n  func |m(x |y: |S) { |z.|p = |f(|y); |g.|h(\"|t\") }\n}\n",
                "import def type def def type mention write call mention mention call string",
            ),
            (
                "cpp",
                "#include <|a>\nclass |C : public |B {\n  |D |f;\n};\nvoid |C::|m(|E &|x) { this->|f = |g(|x); auto |y = new |F(\"|t\"); }\n",
                "import def type type def type def type def write call mention def call string",
            ),
        ]);
    }

    #[test]
    fn qualifiers_loops_and_patterns_have_their_roles() {
        check(&[
            (
                "python",
                "class |C(|a.|B, |k=|v):\n    def |f(self, *|r: |x.|T): pass\nmatch |s:\n    case |D([|E.|F, *|g], |n=|c): pass\n    \
                 case |h as |i: pass\nwith |l as |m: |u = f\"{|w:|08x}\"\n",
                "def mention type mention type def def mention type mention type mention mention write mention write \
                 write write mention write write mention string",
            ),
            (
                "tsx",
                "let |a: |n.|T<typeof |v> = |b;\nclass |C extends |m.|D(|x) {}\nfor (const |i of |a) for (|j in |i) |f(<|b>|t</b>);\n\
                 type |L = `|s${|U}`;\n",
                "def mention type mention mention def mention call mention def mention write mention call mention string \
                 def string type",
            ),
            (
                "go",
                "package |p\n\nfunc |f(|a |m.|T) {\n\tfor |i := range |a {\n\t\t|b[|i] = (*|U)(&|m.|V{|k: |i})\n\t}\n\tfor _, |c = range |a {\n\
                 \t\t|c++\n\t}\n}\n",
                "def def def mention type def mention mention mention type mention call mention mention write mention write",
            ),
        ]);
    }

    #[test]
    fn names_in_the_arguments_of_a_macro_have_their_roles() {
        check(&[(
            "rust",
            "cfg_net! {\n    pub fn |f(x: |u8) -> T { |g(|x) }\n    struct |S;\n}\nfn t() {\n    assert_eq!(|a.|b(|c), |D::|e(1), \
             |h![2], \"|t\");\n    w!(|i != (1), !|j(k), { let |l = vec![|m(|n)]; });\n}\n",
            "def type call mention def mention call mention mention call call string mention call def call mention",
        )]);
    }

    #[test]
    fn match_with_a_definition_has_the_role_of_the_defined_name() {
        let text = "async def main():\n    return main()\n\nlog.info(main)\n".to_owned();
        let source = SourceFile {
            path: String::new(),
            language: by_name("python").expect("a language"),
            size_bytes: text.len() as u64,
            text,
            encoding: String::new(),
        };
        let file = parse(source, &CancellationToken::new()).expect("parsed");
        let mark = |bytes| role_at(&file, &bytes).role.mark();
        assert_eq!([mark(0..14), mark(0..5), mark(22..33)], ["def", "mention", "call"]);
        // The bracket of the parameters.
        assert_eq!(mark(14..15), "mention");
        assert_eq!([mark(37..45), mark(37..40)], ["call", "mention"], "of a dotted name, the last part");
    }

    #[test]
    fn every_kind_and_field_of_a_position_exists_in_the_grammar() {
        for language in all() {
            let (roles, grammar) = (&language.facts.roles, language.grammar());
            let lists = [
                &roles.calls,
                &roles.definitions,
                &roles.writes,
                &roles.types,
                &roles.imports,
                &roles.strings,
                &roles.code,
                &roles.parts,
            ];
            for position in lists.into_iter().flatten() {
                let Position { kind, with, child, neighbour } = Position::parse(position);
                if let Some(Neighbour::Previous(word) | Neighbour::Next(word)) = neighbour {
                    assert_ne!(grammar.id_for_node_kind(&word, false), 0, "{}: {position}", language.name);
                }
                let mut kinds = vec![kind];
                if let Some(ChildTest::Kind(child)) = &child {
                    kinds.push(child);
                }
                for kind in kinds {
                    assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{}: {position}", language.name);
                }
                if let Some(word) = with {
                    let is_word = grammar.id_for_node_kind(word, false) != 0;
                    assert!(is_word || grammar.field_id_for_name(word).is_some(), "{}: {position}", language.name);
                }
                if let Some(ChildTest::Field(field)) = &child {
                    assert!(grammar.field_id_for_name(field).is_some(), "{}: {position}", language.name);
                }
            }
            assert!(!RoleRules::compile(language).nodes.is_empty(), "{}", language.name);
        }
    }
}
