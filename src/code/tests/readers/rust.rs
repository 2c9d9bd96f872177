//! Comparison with `syn` over the sources of packages in Cargo's registry: the same modules, types, traits, impls,
//! functions, constants, macros, fields, variants and uses, with the same names, lines, visibility, complexity and
//! first line of documentation.
//!
//! The files are those that building fumi downloaded. Files that `syn` rejects are not Rust and are skipped; the parts
//! that `syn` keeps as mere tokens, such as a function without its body, are not compared. `#![doc = "..."]` inside the
//! documented item is not read.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    thread,
};

use fumi_code::{
    elements::{ElementDetail, ElementKind, ElementList},
    extract::extract,
    parse::parse,
};
use proc_macro2::{LineColumn, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    AttrStyle, Attribute, Expr, Fields, Lit, Meta, Type, UseTree, Visibility,
    spanned::Spanned as _,
    visit::{self, Visit},
};
use tokio_util::sync::CancellationToken;

use super::{compare, source};

/// The number of files of each package: together they contain every construct of everyday Rust, and the test stays
/// below ten seconds. `FUMI_READER_FILES` raises it.
const FILES: usize = 3;

#[test]
fn items_match_syn() {
    // Expressions nest deeper than the stack of a test thread allows.
    let checked = thread::Builder::new().stack_size(256 << 20).spawn(check).expect("a thread");
    if let Err(panic) = checked.join() {
        std::panic::resume_unwind(panic);
    }
}

fn check() {
    let mut theirs = BTreeMap::new();
    let mut unread = BTreeMap::new();
    let mut packages = BTreeSet::new();
    for (package, path) in sources() {
        let text = fs::read_to_string(&path).expect("a source");
        if let Some(reader) = read(&text) {
            packages.insert(package);
            theirs.insert(path.display().to_string(), reader.facts);
            unread.insert(path.display().to_string(), reader.unread);
        }
    }
    assert!(theirs.len() >= 300, "only {} sources were read", theirs.len());
    assert!(packages.len() >= 20, "only sources of {packages:?} were read");
    compare(&theirs, 10_000, |path| ours(path, &unread[path]));
}

/// Returns an even sample of each unpacked package of the registry.
fn sources() -> Vec<(String, PathBuf)> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let registry = home.expect("Cargo has a home").join("registry/src");
    let wanted = env::var("FUMI_READER_FILES").ok().and_then(|files| files.parse().ok()).unwrap_or(FILES);
    let mut found = Vec::new();
    for package in folders(&registry).iter().flat_map(|index| folders(index)) {
        let name = package.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut files = BTreeSet::new();
        let mut open = vec![package];
        while let Some(folder) = open.pop() {
            open.extend(folders(&folder));
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
                    files.insert(path);
                }
            }
        }
        let step = files.len().div_ceil(wanted).max(1);
        found.extend(files.into_iter().step_by(step).map(|file| (name.clone(), file)));
    }
    found.sort();
    found
}

fn folders(of: &Path) -> Vec<PathBuf> {
    fs::read_dir(of).into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

fn read(text: &str) -> Option<Reader<'_>> {
    let file = syn::parse_file(text).ok()?;
    let mut reader = Reader {
        lines: text.lines().collect(),
        facts: BTreeSet::new(),
        unread: Vec::new(),
        names: Vec::new(),
        decisions: Vec::new(),
    };
    reader.doc("", &file.attrs);
    reader.visit_file(&file);
    Some(reader)
}

struct Reader<'t> {
    lines: Vec<&'t str>,
    facts: BTreeSet<String>,
    /// The lines of items kept as tokens.
    unread: Vec<(usize, usize)>,
    /// The enclosing names, each true if it is a function.
    names: Vec<(String, bool)>,
    /// The decision counts of the enclosing functions.
    decisions: Vec<usize>,
}

impl Reader<'_> {
    fn qualified(&self, name: &str) -> String {
        let mut names: Vec<&str> = self.names.iter().map(|(name, _)| name.as_str()).collect();
        names.push(name);
        bare(&names.join("."))
    }

    fn is_local(&self) -> bool {
        self.names.last().is_some_and(|(_, is_function)| *is_function)
    }

    /// Adds one fact for an item, and one for its documentation.
    fn item(
        &mut self,
        kind: &str,
        name: &str,
        visibility: Option<&Visibility>,
        node: &impl ToTokens,
        attrs: &[Attribute],
    ) {
        let tokens: Vec<TokenTree> = node.to_token_stream().into_iter().collect();
        let (start, end) = self.range(&tokens);
        let name = self.qualified(name);
        let seen = visibility.map_or("-", seen);
        self.facts.insert(format!("{kind}\t{name}\t{seen}\t{start}\t{end}"));
        self.doc(&name, attrs);
    }

    /// Returns the lines of an item, from the first attribute that is not written as a comment.
    fn range(&self, tokens: &[TokenTree]) -> (usize, usize) {
        let mut rest = tokens;
        while let [TokenTree::Punct(sign), TokenTree::Group(_), after @ ..] = rest
            && sign.as_char() == '#'
            && self.is_comment(sign.span().start())
        {
            rest = after;
        }
        let start = rest.first().map_or(0, |token| token.span().start().line);
        let end = rest.last().map_or(0, |token| token.span().end().line);
        (start, end)
    }

    fn pass_over(&mut self, tokens: &TokenStream) {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        self.unread.push(self.range(&tokens));
    }

    fn is_comment(&self, at: LineColumn) -> bool {
        let line = self.lines.get(at.line - 1).copied().unwrap_or_default();
        let rest: String = line.chars().skip(at.column).take(2).collect();
        rest == "//" || rest == "/*"
    }

    fn doc(&mut self, name: &str, attrs: &[Attribute]) {
        let lines: Vec<String> = attrs
            .iter()
            .filter(|attribute| {
                matches!(attribute.style, AttrStyle::Outer) || self.is_comment(attribute.span().start())
            })
            .filter_map(documentation)
            .collect();
        let first = lines.iter().flat_map(|text| text.lines()).map(unstarred).find(|line| !line.is_empty());
        if let Some(first) = first {
            self.facts.insert(format!("doc\t{name}\t{}", bare(&first)));
        }
    }

    fn fields(&mut self, owner: &str, fields: &Fields, is_inherited: bool) {
        match fields {
            Fields::Named(named) => {
                self.names.push((owner.to_owned(), false));
                for field in &named.named {
                    let name = field.ident.as_ref().map_or_else(String::new, ToString::to_string);
                    let visibility = (!is_inherited).then_some(&field.vis);
                    self.item("field", &name, visibility, field, &field.attrs);
                }
                self.names.pop();
            }
            Fields::Unnamed(unnamed) if !unnamed.unnamed.is_empty() => {
                let count = unnamed.unnamed.len();
                self.facts.insert(format!("components\t{}\t{count}", self.qualified(owner)));
            }
            _ => {}
        }
    }

    fn within(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        self.names.push((name.to_owned(), false));
        visit(self);
        self.names.pop();
    }

    fn function(&mut self, name: &str, visit: impl FnOnce(&mut Self), has_body: bool) {
        self.names.push((name.to_owned(), true));
        self.decisions.push(0);
        visit(self);
        self.names.pop();
        let decisions = self.decisions.pop().unwrap_or_default();
        if has_body {
            let name = self.qualified(name);
            self.facts.insert(format!("complexity\t{name}\t{}", decisions + 1));
        }
    }

    fn decide(&mut self, by: usize) {
        if let Some(decisions) = self.decisions.last_mut() {
            *decisions += by;
        }
    }

    fn constant(
        &mut self,
        kind: &str,
        name: &str,
        visibility: Option<&Visibility>,
        node: &impl ToTokens,
        attrs: &[Attribute],
    ) -> bool {
        let is_kept = !self.is_local();
        if is_kept {
            self.item(kind, name, visibility, node, attrs);
            self.names.push((name.to_owned(), false));
        }
        is_kept
    }

    fn used(tree: &UseTree, path: &str, out: &mut Vec<String>) {
        let joined = |name: &str| {
            if path.is_empty() || path == "::" { format!("{path}{name}") } else { format!("{path}::{name}") }
        };
        match tree {
            UseTree::Path(inner) => Self::used(&inner.tree, &joined(&inner.ident.to_string()), out),
            UseTree::Name(name) => out.push(joined(&name.ident.to_string())),
            UseTree::Rename(name) => out.push(format!("{}>{}", joined(&name.ident.to_string()), name.rename)),
            UseTree::Glob(_) => out.push(joined("*")),
            UseTree::Group(group) => {
                for inner in &group.items {
                    Self::used(inner, path, out);
                }
            }
        }
    }

    /// Returns the type of an impl without references, generics and path.
    fn self_type(&self, declared: &Type) -> String {
        match declared {
            Type::Reference(reference) => self.self_type(&reference.elem),
            Type::Ptr(pointer) => self.self_type(&pointer.elem),
            Type::Path(path) => path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string()),
            _ => self.written(declared.to_token_stream()),
        }
    }

    /// Returns the source text of a type name: printing tokens would change the spacing.
    fn written(&self, tokens: TokenStream) -> String {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return String::new();
        };
        let (start, end) = (first.span().start(), last.span().end());
        let mut text = String::new();
        for number in start.line..=end.line {
            let line = self.lines.get(number - 1).copied().unwrap_or_default();
            let skipped = if number == start.line { start.column } else { 0 };
            let taken = if number == end.line { end.column } else { usize::MAX };
            text.extend(line.chars().take(taken).skip(skipped));
        }
        text
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        let name = node.ident.to_string();
        self.item("module", &name, Some(&node.vis), node, &node.attrs);
        self.within(&name, |reader| visit::visit_item_mod(reader, node));
    }

    fn visit_item_struct(&mut self, node: &'ast syn::ItemStruct) {
        let name = node.ident.to_string();
        self.item("struct", &name, Some(&node.vis), node, &node.attrs);
        self.fields(&name, &node.fields, false);
        self.within(&name, |reader| visit::visit_item_struct(reader, node));
    }

    fn visit_item_union(&mut self, node: &'ast syn::ItemUnion) {
        let name = node.ident.to_string();
        self.item("union", &name, Some(&node.vis), node, &node.attrs);
        self.fields(&name, &Fields::Named(node.fields.clone()), false);
        self.within(&name, |reader| visit::visit_item_union(reader, node));
    }

    fn visit_item_enum(&mut self, node: &'ast syn::ItemEnum) {
        let name = node.ident.to_string();
        self.item("enum", &name, Some(&node.vis), node, &node.attrs);
        self.within(&name, |reader| {
            for variant in &node.variants {
                let name = variant.ident.to_string();
                reader.item("enum_member", &name, None, variant, &variant.attrs);
                reader.fields(&name, &variant.fields, true);
                reader.within(&name, |reader| visit::visit_variant(reader, variant));
            }
        });
    }

    fn visit_item_trait(&mut self, node: &'ast syn::ItemTrait) {
        let name = node.ident.to_string();
        self.item("trait", &name, Some(&node.vis), node, &node.attrs);
        self.within(&name, |reader| {
            for item in &node.items {
                match item {
                    syn::TraitItem::Fn(function) => {
                        let name = function.sig.ident.to_string();
                        reader.item("method", &name, None, function, &function.attrs);
                        let has_body = function.default.is_some();
                        reader.function(&name, |reader| visit::visit_trait_item_fn(reader, function), has_body);
                    }
                    syn::TraitItem::Const(constant) => {
                        let name = constant.ident.to_string();
                        reader.item("constant", &name, None, constant, &constant.attrs);
                        reader.within(&name, |reader| visit::visit_trait_item_const(reader, constant));
                    }
                    syn::TraitItem::Type(declared) => {
                        reader.item("type", &declared.ident.to_string(), None, declared, &declared.attrs);
                    }
                    syn::TraitItem::Verbatim(tokens) => reader.pass_over(tokens),
                    _ => {}
                }
            }
        });
    }

    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        let name = self.self_type(&node.self_ty);
        self.item("impl", &name, None, node, &node.attrs);
        if let Some((path, _)) = &node.trait_ {
            let sign = if node.modifiers.polarity.is_some() { "!" } else { "" };
            let fact =
                format!("implements\t{}\t{sign}{}", self.qualified(&name), cut(&self.written(path.to_token_stream())));
            self.facts.insert(fact);
        }
        let is_inherent = node.trait_.is_none();
        self.within(&name, |reader| {
            reader.visit_generics(&node.generics);
            if let Some((path, _)) = &node.trait_ {
                reader.visit_path(path);
            }
            reader.visit_type(&node.self_ty);
            for item in &node.items {
                match item {
                    syn::ImplItem::Fn(function) => {
                        let name = function.sig.ident.to_string();
                        let visibility = is_inherent.then_some(&function.vis);
                        reader.item("method", &name, visibility, function, &function.attrs);
                        reader.function(&name, |reader| visit::visit_impl_item_fn(reader, function), true);
                    }
                    syn::ImplItem::Const(constant) => {
                        let name = constant.ident.to_string();
                        let visibility = is_inherent.then_some(&constant.vis);
                        reader.item("constant", &name, visibility, constant, &constant.attrs);
                        reader.within(&name, |reader| visit::visit_impl_item_const(reader, constant));
                    }
                    syn::ImplItem::Type(declared) => {
                        let visibility = is_inherent.then_some(&declared.vis);
                        reader.item("type", &declared.ident.to_string(), visibility, declared, &declared.attrs);
                    }
                    // Without a body, for a macro to write it.
                    syn::ImplItem::Verbatim(tokens) => reader.pass_over(tokens),
                    _ => {}
                }
            }
        });
    }

    fn visit_item(&mut self, node: &'ast syn::Item) {
        match node {
            syn::Item::Verbatim(tokens) => self.pass_over(tokens),
            _ => visit::visit_item(self, node),
        }
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        let name = node.sig.ident.to_string();
        self.item("function", &name, Some(&node.vis), node, &node.attrs);
        self.function(&name, |reader| visit::visit_item_fn(reader, node), true);
    }

    fn visit_foreign_item(&mut self, node: &'ast syn::ForeignItem) {
        match node {
            syn::ForeignItem::Verbatim(tokens) => self.pass_over(tokens),
            _ => visit::visit_foreign_item(self, node),
        }
    }

    fn visit_foreign_item_fn(&mut self, node: &'ast syn::ForeignItemFn) {
        let name = node.sig.ident.to_string();
        self.item("function", &name, Some(&node.vis), node, &node.attrs);
    }

    fn visit_foreign_item_static(&mut self, node: &'ast syn::ForeignItemStatic) {
        if !self.is_local() {
            self.item("variable", &node.ident.to_string(), Some(&node.vis), node, &node.attrs);
        }
    }

    fn visit_foreign_item_type(&mut self, node: &'ast syn::ForeignItemType) {
        self.item("type", &node.ident.to_string(), Some(&node.vis), node, &node.attrs);
    }

    fn visit_item_const(&mut self, node: &'ast syn::ItemConst) {
        let is_kept = self.constant("constant", &node.ident.to_string(), Some(&node.vis), node, &node.attrs);
        visit::visit_item_const(self, node);
        if is_kept {
            self.names.pop();
        }
    }

    fn visit_item_static(&mut self, node: &'ast syn::ItemStatic) {
        let is_kept = self.constant("variable", &node.ident.to_string(), Some(&node.vis), node, &node.attrs);
        visit::visit_item_static(self, node);
        if is_kept {
            self.names.pop();
        }
    }

    fn visit_item_type(&mut self, node: &'ast syn::ItemType) {
        self.item("type", &node.ident.to_string(), Some(&node.vis), node, &node.attrs);
    }

    fn visit_item_macro(&mut self, node: &'ast syn::ItemMacro) {
        if let Some(name) = &node.ident
            && node.mac.path.is_ident("macro_rules")
        {
            self.item("macro", &name.to_string(), None, node, &node.attrs);
        }
    }

    fn visit_item_use(&mut self, node: &'ast syn::ItemUse) {
        let mut names = Vec::new();
        let path = if node.leading_colon.is_some() { "::" } else { "" };
        Self::used(&node.tree, path, &mut names);
        let tokens: Vec<TokenTree> = node.to_token_stream().into_iter().collect();
        let (start, end) = self.range(&tokens);
        let exported = if matches!(node.vis, Visibility::Inherited) { "" } else { "pub " };
        self.facts.insert(format!("import\t{exported}{}\t{start}\t{end}", names.join(",")));
    }

    fn visit_item_extern_crate(&mut self, node: &'ast syn::ItemExternCrate) {
        let alias = node.rename.as_ref().map_or_else(String::new, |(_, name)| format!(">{name}"));
        let tokens: Vec<TokenTree> = node.to_token_stream().into_iter().collect();
        let (start, end) = self.range(&tokens);
        let exported = if matches!(node.vis, Visibility::Inherited) { "" } else { "pub " };
        self.facts.insert(format!("import\t{exported}{}{alias}\t{start}\t{end}", node.ident));
    }

    fn visit_expr(&mut self, node: &'ast Expr) {
        match node {
            Expr::If(_) | Expr::While(_) | Expr::ForLoop(_) => self.decide(1),
            Expr::Match(found) => self.decide(found.arms.len().saturating_sub(1)),
            Expr::Binary(found) if matches!(found.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => self.decide(1),
            _ => {}
        }
        visit::visit_expr(self, node);
    }

    fn visit_pat_guard(&mut self, node: &'ast syn::PatGuard) {
        self.decide(1);
        visit::visit_pat_guard(self, node);
    }

    fn visit_local(&mut self, node: &'ast syn::Local) {
        let leaves = node.init.as_ref().is_some_and(|init| init.diverge.is_some());
        self.decide(usize::from(leaves));
        visit::visit_local(self, node);
    }
}

fn documentation(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("doc") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Removes the star at the start of a line in a block comment.
fn unstarred(line: &str) -> String {
    let line = line.trim();
    line.strip_prefix('*').filter(|rest| rest.is_empty() || rest.starts_with(' ')).unwrap_or(line).trim().to_owned()
}

fn seen(visibility: &Visibility) -> &'static str {
    match visibility {
        Visibility::Public(_) => "public",
        Visibility::Restricted(limited) if limited.path.is_ident("self") => "private",
        Visibility::Restricted(_) => "package",
        Visibility::Inherited => "private",
    }
}

/// Removes white space, since the spacing of a type is irrelevant.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Cuts a type to a length that ours certainly keeps.
fn cut(text: &str) -> String {
    bare(text).chars().take(150).collect()
}

fn ours(path: &str, unread: &[(usize, usize)]) -> BTreeSet<String> {
    let cancel = CancellationToken::new();
    let parsed = parse(source(path), &cancel).expect("parsed");
    let elements = extract(&parsed, &cancel).expect("elements");
    let mut facts = BTreeSet::new();
    if let Some(first) = elements.doc.as_deref().and_then(first_line) {
        facts.insert(format!("doc\t\t{first}"));
    }
    for at in 0..elements.list.len() {
        // The tokens do not include attributes.
        let line = elements.list[at].span.end_line;
        if !unread.iter().any(|(start, end)| (*start..=*end).contains(&line)) {
            add(&elements, at, &mut facts);
        }
    }
    facts
}

fn first_line(doc: &str) -> Option<String> {
    doc.lines().map(unstarred).find(|line| !line.is_empty()).map(|line| bare(&line))
}

fn add(elements: &ElementList, at: usize, facts: &mut BTreeSet<String>) {
    let element = &elements.list[at];
    let (start, end) = (element.span.start_line, element.span.end_line);
    let code = match &element.detail {
        ElementDetail::Code(code) => code,
        ElementDetail::Import(import) => {
            let names: Vec<String> = import
                .names
                .iter()
                .map(|name| {
                    let colons = if import.module.is_empty() { "" } else { "::" };
                    let alias = name.alias.as_ref().map_or_else(String::new, |alias| format!(">{alias}"));
                    format!("{}{colons}{}{alias}", import.module, name.name)
                })
                .collect();
            let is_export = import.modifiers.iter().any(|modifier| modifier == "re-export");
            let exported = if is_export { "pub " } else { "" };
            facts.insert(format!("import\t{exported}{}\t{start}\t{end}", names.join(",")));
            return;
        }
        _ => return,
    };
    let name = bare(&elements.qualified_name(at));
    // Only members inherit; a block in the head of an impl can contain anything.
    let is_member = matches!(
        element.kind,
        ElementKind::Method | ElementKind::Constant | ElementKind::Type | ElementKind::Field | ElementKind::EnumMember
    );
    let is_inherited = element.parent.map(|parent| &elements.list[parent]).is_some_and(|parent| match parent.kind {
        ElementKind::Trait | ElementKind::Enum | ElementKind::EnumMember => true,
        ElementKind::Impl => parent.code().is_some_and(|code| !code.implements.is_empty()),
        _ => false,
    });
    let seen = if is_member && is_inherited
        || matches!(element.kind, ElementKind::Impl | ElementKind::Macro | ElementKind::EnumMember)
    {
        "-"
    } else {
        code.visibility.name()
    };
    facts.insert(format!("{}\t{name}\t{seen}\t{start}\t{end}", element.kind.name()));
    if let Some(first) = code.doc.as_deref().and_then(first_line) {
        facts.insert(format!("doc\t{name}\t{first}"));
    }
    if let Some(complexity) = code.complexity {
        facts.insert(format!("complexity\t{name}\t{complexity}"));
    }
    for implemented in &code.implements {
        facts.insert(format!("implements\t{name}\t{}", cut(implemented)));
    }
    if matches!(element.kind, ElementKind::Struct | ElementKind::EnumMember) && !code.params.is_empty() {
        facts.insert(format!("components\t{name}\t{}", code.params.len()));
    }
}
