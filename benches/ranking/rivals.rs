//! What fumi is compared with: plain BM25 over elements, and `rg` as an agent uses it.

use std::{
    collections::{BTreeMap, HashMap},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::questions::{Element, Hit};

/// The usual parameters of Okapi BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Plain BM25 over the elements of a tree, and over what lies outside of them in each file.
pub(crate) struct Bm25 {
    documents: Vec<(Hit, f64)>,
    /// For each word, the documents with their counts.
    words: HashMap<String, Vec<(usize, f64)>>,
    average: f64,
}

impl Bm25 {
    pub(crate) fn new(tree: &Path, elements: &[Element]) -> Self {
        let mut by_file: BTreeMap<&str, Vec<&Element>> = BTreeMap::new();
        for element in elements {
            by_file.entry(&element.file).or_default().push(element);
        }
        let mut index = Self {
            documents: Vec::new(),
            words: HashMap::new(),
            average: 0.0,
        };
        for path in files(tree) {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let file = path
                .strip_prefix(tree)
                .expect("below it")
                .to_string_lossy()
                .into_owned();
            index.add(&file, &text, by_file.get(file.as_str()).map_or(&[], Vec::as_slice));
        }
        let total: f64 = index.documents.iter().map(|(_, length)| length).sum();
        index.average = total / count(index.documents.len());
        index
    }

    /// Gives each line to the innermost element around it.
    fn add(&mut self, file: &str, text: &str, elements: &[&Element]) {
        let mut owners: Vec<Option<usize>> = vec![None; text.lines().count() + 1];
        let mut order: Vec<usize> = (0..elements.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(elements[*at].last - elements[*at].first));
        for at in order {
            let (first, last) = (elements[at].first, elements[at].last.min(owners.len() - 1));
            owners[first.min(last)..=last].fill(Some(at));
        }
        let mut texts: BTreeMap<Option<usize>, Vec<String>> = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            texts.entry(owners[at + 1]).or_default().extend(words(line));
        }
        for (owner, words) in texts {
            let hit = match owner {
                Some(at) => Hit {
                    file: file.to_owned(),
                    name: elements[at].name.clone(),
                    first: elements[at].first,
                    last: elements[at].last,
                },
                None => Hit {
                    file: file.to_owned(),
                    name: String::new(),
                    first: 1,
                    last: text.lines().count(),
                },
            };
            let document = self.documents.len();
            self.documents.push((hit, count(words.len())));
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            for word in words {
                *counts.entry(word).or_default() += 1.0;
            }
            for (word, times) in counts {
                self.words.entry(word).or_default().push((document, times));
            }
        }
    }

    pub(crate) fn search(&self, query: &str) -> Vec<Hit> {
        let mut asked = words(query);
        asked.sort();
        asked.dedup();
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for found in asked.iter().filter_map(|word| self.words.get(word)) {
            let (all, with) = (count(self.documents.len()), count(found.len()));
            let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for (document, times) in found {
                let length = self.documents[*document].1 / self.average;
                let discount = K1 * (1.0 - B + B * length);
                *scores.entry(*document).or_default() += rarity * times * (K1 + 1.0) / (times + discount);
            }
        }
        let mut order: Vec<(usize, f64)> = scores.into_iter().collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order
            .iter()
            .map(|(document, _)| self.documents[*document].0.clone())
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn count(number: usize) -> f64 {
    number as f64
}

/// Splits a text into words in lower case, identifiers at case and underscores; characters of Japanese stand alone.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for character in text.chars() {
        let is_part = character.is_alphanumeric();
        if !is_part || !character.is_ascii() || (was_lower && character.is_uppercase()) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if is_part && character.is_ascii() {
            word.push(character.to_ascii_lowercase());
        } else if is_part {
            words.push(character.to_lowercase().collect());
        }
        was_lower = character.is_lowercase();
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Returns the files of a tree, by path.
pub(crate) fn files(tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![tree.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// `rg` in one tree, as an agent uses it that knows nothing else.
pub(crate) struct Rg {
    tree: PathBuf,
    /// What was searched already: many questions have the same words.
    found: HashMap<String, Vec<(usize, String)>>,
}

impl Rg {
    pub(crate) fn new(tree: &Path) -> Self {
        Self {
            tree: tree.to_path_buf(),
            found: HashMap::new(),
        }
    }

    /// Returns the files that the agent opens: those with the most lines of the rarest word of the question first.
    pub(crate) fn files(&mut self, query: &str) -> Vec<String> {
        let words: Vec<String> = query
            .split(|character: char| !character.is_alphanumeric() && character != '_')
            .filter(|word| word.chars().count() > 1)
            .map(str::to_lowercase)
            .collect();
        for word in &words {
            if !self.found.contains_key(word) {
                self.found.insert(word.clone(), lines(&self.tree, word));
            }
        }
        let rarest = words
            .iter()
            .map(|word| &self.found[word])
            .filter(|found| !found.is_empty())
            .min_by_key(|found| found.iter().map(|(count, _)| count).sum::<usize>());
        let mut found = rarest.cloned().unwrap_or_default();
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.into_iter().map(|(_, file)| file).collect()
    }
}

/// Returns the files with a word and the number of its lines in each.
fn lines(tree: &Path, word: &str) -> Vec<(usize, String)> {
    let tools = env::var("FUMI_TOOLS").expect("./bench sets FUMI_TOOLS");
    let output = Command::new(Path::new(&tools).join("rg"))
        .args(["--count", "--ignore-case", "--fixed-strings", "--", word, "."])
        .current_dir(tree)
        .output()
        .expect("rg runs");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.rsplit_once(':'))
        .filter_map(|(file, lines)| Some((lines.parse().ok()?, file.trim_start_matches("./").to_owned())))
        .collect()
}
