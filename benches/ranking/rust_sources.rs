//! Questions about crates, with answers by syn: public names, and first sentences of documentation.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use proc_macro2::Span;
use regex::Regex;
use serde_json::Value;
use syn::{
    Attribute, Expr, Ident, Lit, Meta, Visibility,
    spanned::Spanned as _,
    visit::{self, Visit},
};

use crate::questions::{Element, Place, Question};

const NAMES: usize = 100;
const SENTENCES: usize = 100;
/// A sentence must say something, and a function must do something.
const CONTENT_WORDS: usize = 5;
const CODE_LINES: usize = 5;

/// Makes the trees `crates` and `crates-bare` (without documentation) and the questions about them.
pub(crate) fn questions(trees: &Path) -> (Vec<Question>, Vec<Element>) {
    let tree = trees.join("crates");
    let bare = trees.join("crates-bare");
    for made in [&tree, &bare] {
        if made.exists() {
            fs::remove_dir_all(made).expect("removed");
        }
    }
    let mut items = Items::default();
    for (package, folder) in crates() {
        for path in sources(&folder) {
            let relative = Path::new(&package).join(path.strip_prefix(&folder).expect("below it"));
            let text = fs::read_to_string(&path).expect("readable");
            write(&tree.join(&relative), &text);
            write(&bare.join(&relative), &without_docs(&text));
            items.read(&relative.to_string_lossy(), &text);
        }
    }
    let mut asked = items.names();
    asked.extend(items.sentences("sentences, Rust", "crates"));
    asked.extend(items.sentences("sentences, Rust, documentation removed", "crates-bare"));
    (asked, items.elements)
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("written");
}

/// Empties the lines of outer and inner documentation, so that no line moves.
fn without_docs(text: &str) -> String {
    text.split('\n')
        .map(|line| {
            let code = line.trim_start();
            let is_doc = code.starts_with("///") || code.starts_with("//!");
            if is_doc { "" } else { line }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns name with version and folder of each crate, by fumi's own lock file.
fn crates() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pinned = fs::read_to_string(root.join("benches/ranking/packages.toml")).expect("packages.toml is there");
    let pinned: toml::Table = pinned.parse().expect("packages.toml is valid");
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--locked"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo metadata failed");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let names = pinned["crates"]["names"].as_array().expect("names");
    names
        .iter()
        .map(|name| {
            let name = name.as_str().expect("text");
            let package = metadata["packages"]
                .as_array()
                .into_iter()
                .flatten()
                .find(|package| package["name"] == name)
                .unwrap_or_else(|| panic!("{name} is a dependency of fumi's"));
            let text = |key: &str| package[key].as_str().expect("text");
            let folder = Path::new(text("manifest_path")).parent().expect("a folder");
            (format!("{name}-{}", text("version")), folder.to_path_buf())
        })
        .collect()
}

fn sources(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.insert(path);
            }
        }
    }
    found
}

/// The definitions of all files.
#[derive(Default)]
struct Items {
    /// The path of the current file.
    file: String,
    elements: Vec<Element>,
    by_name: BTreeMap<String, Vec<Place>>,
    public: BTreeSet<String>,
    by_sentence: BTreeMap<String, Vec<Place>>,
}

impl Items {
    fn read(&mut self, file: &str, text: &str) {
        // Examples and benchmarks of the crates belong to the project as well; what syn rejects is not Rust.
        let Ok(parsed) = syn::parse_file(text) else { return };
        file.clone_into(&mut self.file);
        self.visit_file(&parsed);
    }

    fn names(&self) -> Vec<Question> {
        drawn(self.public.iter(), NAMES, "name")
            .into_iter()
            .map(|name| question("names, Rust", "crates", name, &self.by_name[name]))
            .collect()
    }

    fn sentences(&self, set: &str, tree: &str) -> Vec<Question> {
        drawn(self.by_sentence.keys(), SENTENCES, "sentence")
            .into_iter()
            .map(|sentence| question(set, tree, sentence, &self.by_sentence[sentence]))
            .collect()
    }

    fn define(&mut self, name: &Ident, whole: Span) -> Place {
        let place = Place {
            file: self.file.clone(),
            name: name.to_string(),
            line: name.span().start().line,
        };
        self.by_name.entry(place.name.clone()).or_default().push(place.clone());
        self.elements.push(Element {
            file: self.file.clone(),
            name: place.name.clone(),
            first: whole.start().line,
            last: whole.end().line,
        });
        place
    }

    fn publish(&mut self, name: &Ident, visibility: &Visibility) {
        if matches!(visibility, Visibility::Public(_)) {
            self.public.insert(name.to_string());
        }
    }

    fn function(&mut self, name: &Ident, whole: Span, body: Span, attributes: &[Attribute]) {
        let place = self.define(name, whole);
        if body.end().line + 1 < body.start().line + CODE_LINES {
            return;
        }
        let sentence = first_sentence(attributes).and_then(|text| without_name(&text, &place.name));
        if let Some(sentence) = sentence {
            self.by_sentence.entry(sentence).or_default().push(place);
        }
    }
}

impl<'ast> Visit<'ast> for Items {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.publish(&item.sig.ident, &item.vis);
        self.function(&item.sig.ident, item.span(), item.block.span(), &item.attrs);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.publish(&item.sig.ident, &item.vis);
        self.function(&item.sig.ident, item.span(), item.block.span(), &item.attrs);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        let body = item
            .default
            .as_ref()
            .map_or_else(|| item.sig.span(), syn::spanned::Spanned::span);
        self.function(&item.sig.ident, item.span(), body, &item.attrs);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.publish(&item.ident, &item.vis);
        self.define(&item.ident, item.span());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.publish(&item.ident, &item.vis);
        self.define(&item.ident, item.span());
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.publish(&item.ident, &item.vis);
        self.define(&item.ident, item.span());
        visit::visit_item_trait(self, item);
    }
}

fn question(set: &str, tree: &str, query: &str, right: &[Place]) -> Question {
    let key = fumi_base::files::sha256(format!("half:{query}").as_bytes());
    let is_tune = key.ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']);
    Question {
        set: set.to_owned(),
        tree: tree.to_owned(),
        query: query.to_owned(),
        right: right.to_vec(),
        half: if is_tune { "tune" } else { "test" }.to_owned(),
    }
}

/// Returns the first keys in the order of a hash, which is the same on every machine.
fn drawn<'a>(keys: impl Iterator<Item = &'a String>, count: usize, seed: &str) -> Vec<&'a String> {
    let mut keys: Vec<&String> = keys.collect();
    keys.sort_by_key(|key| fumi_base::files::sha256(format!("{seed}:{key}").as_bytes()));
    keys.truncate(count);
    keys
}

/// Returns the first sentence of a documentation, without links and marks.
fn first_sentence(attributes: &[Attribute]) -> Option<String> {
    let mut lines = Vec::new();
    for attribute in attributes {
        let Meta::NameValue(value) = &attribute.meta else {
            continue;
        };
        let Expr::Lit(literal) = &value.value else { continue };
        if let (true, Lit::Str(line)) = (value.path.is_ident("doc"), &literal.lit) {
            lines.push(line.value());
        }
    }
    let text = lines.join("\n");
    let paragraph = text.trim().split("\n\n").next()?;
    let link = Regex::new(r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?").expect("a pattern");
    let text = link.replace_all(paragraph, "$1").replace('`', "");
    let words: Vec<&str> = text.split_whitespace().collect();
    let ends = words.iter().position(|word| word.ends_with(['.', '!', '?']));
    Some(words[..ends.map_or(words.len(), |end| end + 1)].join(" "))
}

/// Returns a sentence without the words of the function's name, or `None` if it says too little without them.
fn without_name(sentence: &str, name: &str) -> Option<String> {
    let taken: BTreeSet<String> = words(name).iter().map(|word| root(word)).collect();
    let word = Regex::new(r"[A-Za-z0-9_'-]+").expect("a pattern");
    let kept: Vec<&str> = word
        .find_iter(sentence)
        .map(|found| found.as_str())
        .filter(|found| !words(found).iter().any(|part| taken.contains(&root(part))))
        .collect();
    let content: BTreeSet<String> = kept
        .iter()
        .map(|word| word.to_lowercase())
        .filter(|word| word.len() > 1 && !EMPTY_WORDS.contains(&word.as_str()))
        .collect();
    (content.len() >= CONTENT_WORDS && kept.len() <= 40).then(|| kept.join(" "))
}

/// Splits a text into words in lower case, identifiers at case and underscores.
fn words(text: &str) -> Vec<String> {
    let word = Regex::new("[A-Z]?[a-z]+|[A-Z]+|[0-9]+").expect("a pattern");
    word.find_iter(text)
        .map(|found| found.as_str().to_lowercase())
        .collect()
}

/// Returns a word without its ending, to compare a name with a sentence.
fn root(word: &str) -> String {
    ["ing", "ed", "es", "s", "e"]
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|rest| rest.len() >= 3)
        .unwrap_or(word)
        .to_owned()
}

/// The same words as in `python_sources.py`.
const EMPTY_WORDS: [&str; 62] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "do", "does", "for", "from", "has",
    "have", "if", "in", "into", "is", "it", "its", "may", "must", "no", "not", "of", "on", "one", "or", "should", "so",
    "such", "than", "that", "the", "their", "them", "then", "there", "these", "this", "those", "to", "up", "was",
    "were", "when", "which", "while", "will", "with", "would", "you", "your", "all", "any", "eg", "ie", "etc",
];
