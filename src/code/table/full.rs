//! The full table: package, imports, classes, the members of each class by visibility, functions, variables.
//!
//! Empty sections are left out. Members are those directly in their class; nested classes have their own sections under
//! their qualified names.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    DOC, TableWriter, doc, heading, import_signature, join_words, lines, prefix, signature, write_keys, write_table,
};
use crate::{
    elements::{CodeElement, ElementDetail, ElementKind, ElementList, Visibility},
    languages::facts::LanguageFamily,
    outline::Outline,
    parse::one_line,
};

pub(super) fn render(file: &Outline, elements: &ElementList) -> String {
    let facts = &file.source.language.facts;
    let mut out = heading(file) + "\n";
    if let Some(doc) = elements.doc.as_deref().and_then(|doc| doc.lines().next()) {
        let _ = writeln!(out, "\n{}", one_line(doc, 200));
    }
    if facts.family == LanguageFamily::Document {
        write_document(&mut out, elements, write_table);
    } else if facts.family == LanguageFamily::Data {
        write_data(&mut out, elements);
    } else {
        let page = FullTable { file, elements };
        page.write(&mut out);
    }
    out
}

struct FullTable<'p> {
    file: &'p Outline,
    elements: &'p ElementList,
}

impl FullTable<'_> {
    fn write(&self, out: &mut String) {
        for element in self.elements.list.iter().filter(|element| element.kind == ElementKind::Package) {
            let _ = writeln!(out, "\nPackage: {}", element.name);
        }
        self.imports(out);
        let classes = self.classes();
        self.overview(out, &classes);
        for class in classes {
            self.class(out, class);
        }
        self.members(out, "## Methods of types elsewhere", |element| {
            element.kind == ElementKind::Method && element.parent.is_none()
        });
        self.members(out, "## Functions", |element| element.kind == ElementKind::Function);
        self.values(out, "## Macros", |element| element.kind == ElementKind::Macro);
        self.values(out, "## Variables", |element| {
            matches!(element.kind, ElementKind::Variable | ElementKind::Constant | ElementKind::Type)
        });
    }

    /// Returns classes, and other elements with members of classes: modules of Ruby, types of Go.
    fn classes(&self) -> Vec<usize> {
        let owners: BTreeSet<usize> = self
            .elements
            .list
            .iter()
            .filter(|element| {
                matches!(element.kind, ElementKind::Method | ElementKind::Constructor | ElementKind::Field)
            })
            .filter_map(|element| element.parent)
            .filter(|owner| !self.elements.list[*owner].kind.is_callable())
            .collect();
        let is_class = |at: &usize| self.elements.list[*at].kind.is_class_like() || owners.contains(at);
        (0..self.elements.list.len()).filter(is_class).collect()
    }

    fn indexes(&self, wanted: impl Fn(&CodeElement) -> bool) -> Vec<usize> {
        (0..self.elements.list.len()).filter(|at| wanted(&self.elements.list[*at])).collect()
    }

    fn prefix(&self, element: &CodeElement) -> String {
        prefix(element, &self.file.source.language.facts)
    }

    fn imports(&self, out: &mut String) {
        let rows: Vec<Vec<String>> = self
            .elements
            .list
            .iter()
            .filter_map(|element| match &element.detail {
                ElementDetail::Import(import) => Some(vec![
                    one_line(&import_signature(import, &self.file.source.language.facts), 200),
                    import.modifiers.join(" "),
                    lines(element),
                ]),
                _ => None,
            })
            .collect();
        if !rows.is_empty() {
            let _ = writeln!(out, "\n## Imports");
            write_table(out, &["Import", "Kind", "Lines"], &rows);
        }
    }

    fn overview(&self, out: &mut String, classes: &[usize]) {
        let mut members = vec![(0_usize, 0_usize); self.elements.list.len()];
        for element in &self.elements.list {
            if let Some(parent) = element.parent {
                match element.kind {
                    ElementKind::Field | ElementKind::EnumMember => members[parent].0 += 1,
                    ElementKind::Method | ElementKind::Constructor => members[parent].1 += 1,
                    _ => {}
                }
            }
        }
        let rows: Vec<Vec<String>> = classes
            .iter()
            .map(|at| {
                let element = &self.elements.list[*at];
                let visibility = element.code().map_or("", |code| code.visibility.name());
                let around =
                    element.parent.map_or_else(String::new, |parent| self.elements.qualified_name(parent) + ".");
                vec![
                    format!("{around}{}", signature(element, &self.file.source.language.facts)),
                    join_words(&[&self.prefix(element), element.kind.name()]),
                    visibility.to_owned(),
                    lines(element),
                    members[*at].0.to_string(),
                    members[*at].1.to_string(),
                    doc(element, DOC),
                ]
            })
            .collect();
        if !rows.is_empty() {
            let _ = writeln!(out, "\n## Classes");
            write_table(out, &["Class", "Kind", "Visibility", "Lines", "Fields", "Methods", "Doc"], &rows);
        }
    }

    fn class(&self, out: &mut String, class: usize) {
        let element = &self.elements.list[class];
        let mut inside = String::new();
        let is_member = |element: &CodeElement| element.parent == Some(class);
        self.values(&mut inside, "### Fields", |element| {
            is_member(element) && matches!(element.kind, ElementKind::Field | ElementKind::EnumMember)
        });
        self.members(&mut inside, "### Constructors", |element| {
            is_member(element) && matches!(element.kind, ElementKind::Constructor | ElementKind::Initializer)
        });
        for (title, visibility) in [
            ("### Public methods", Visibility::Public),
            ("### Protected methods", Visibility::Protected),
            ("### Package methods", Visibility::Package),
            ("### Private methods", Visibility::Private),
        ] {
            self.members(&mut inside, title, |element| {
                is_member(element)
                    && element.kind == ElementKind::Method
                    && element.code().is_some_and(|code| code.visibility == visibility)
            });
        }
        if !inside.is_empty() {
            let _ = write!(out, "\n## {} ({})\n{inside}", self.elements.qualified_name(class), lines(element));
        }
    }

    fn members(&self, out: &mut String, title: &str, wanted: impl Fn(&CodeElement) -> bool) {
        let at_top = title.starts_with("## ");
        let rows: Vec<Vec<String>> = self
            .indexes(wanted)
            .into_iter()
            .map(|at| {
                let element = &self.elements.list[at];
                let around = element
                    .parent
                    .filter(|_| at_top)
                    .map_or_else(String::new, |parent| self.elements.qualified_name(parent) + ".");
                vec![
                    format!("{around}{}", signature(element, &self.file.source.language.facts)),
                    self.prefix(element),
                    lines(element),
                    element.code().and_then(|code| code.complexity).map_or_else(String::new, |value| value.to_string()),
                    doc(element, DOC),
                ]
            })
            .collect();
        if !rows.is_empty() {
            let _ = writeln!(out, "\n{title}");
            write_table(out, &["Signature", "Modifiers", "Lines", "Complexity", "Doc"], &rows);
        }
    }

    fn values(&self, out: &mut String, title: &str, wanted: impl Fn(&CodeElement) -> bool) {
        let at_top = title.starts_with("## ");
        let rows: Vec<Vec<String>> = self
            .elements
            .list
            .iter()
            .filter(|element| wanted(element))
            .filter_map(|element| {
                let code = element.code()?;
                let around = element
                    .parent
                    .filter(|_| at_top)
                    .map_or_else(String::new, |parent| self.elements.qualified_name(parent) + ".");
                Some(vec![
                    format!("{around}{}", element.name),
                    code.type_name.clone().unwrap_or_default(),
                    code.value.clone().unwrap_or_default(),
                    join_words(&[code.visibility.name(), &self.prefix(element)]),
                    lines(element),
                ])
            })
            .collect();
        if !rows.is_empty() {
            let _ = writeln!(out, "\n{title}");
            write_table(out, &["Name", "Type", "Value", "Modifiers", "Lines"], &rows);
        }
    }
}

/// Writes the keys of data, indented by their depth.
fn write_data(out: &mut String, elements: &ElementList) {
    let _ = writeln!(out, "\n## Keys ({})", elements.count(|kind| kind == ElementKind::Key));
    write_keys(out, elements, "· ", write_table);
}

/// Writes the headings of a document as a tree, then its blocks.
pub(super) fn write_document(out: &mut String, elements: &ElementList, table: TableWriter) {
    let headings: Vec<Vec<String>> = elements
        .list
        .iter()
        .filter_map(|element| match element.detail {
            ElementDetail::Heading { level } => {
                Some(vec![format!("{} {}", "#".repeat(usize::from(level)), element.name), lines(element)])
            }
            _ => None,
        })
        .collect();
    if !headings.is_empty() {
        let _ = writeln!(out, "\n## Headings ({})", headings.len());
        table(out, &["Heading", "Lines"], &headings);
    }
    for (title, kind) in [
        ("Front matter", ElementKind::FrontMatter),
        ("Code blocks", ElementKind::CodeBlock),
        ("Tables", ElementKind::Table),
        ("Lists", ElementKind::List),
        ("Links", ElementKind::Link),
        ("Images", ElementKind::Image),
    ] {
        let rows: Vec<Vec<String>> = elements
            .list
            .iter()
            .filter(|element| element.kind == kind)
            .map(|element| {
                let info = match &element.detail {
                    ElementDetail::Block { info } => info.clone(),
                    _ => String::new(),
                };
                let within = element.parent.map_or_else(String::new, |parent| elements.qualified_name(parent));
                vec![one_line(&element.name, 80), info, within, lines(element)]
            })
            .collect();
        if !rows.is_empty() {
            let _ = writeln!(out, "\n## {title} ({})", rows.len());
            table(out, &["Name", "Info", "In", "Lines"], &rows);
        }
    }
}
