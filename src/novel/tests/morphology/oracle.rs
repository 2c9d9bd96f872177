//! Comparison of word boundaries with `MeCab` and the complete IPADIC on the same sentences.
//!
//! Both are Debian packages that `./test` installs. The embedded dictionary has no proper nouns; words that `MeCab`
//! classifies as proper nouns are not compared.

use std::{collections::HashSet, io::Read as _, ops::Range, process::Command};

use fumi_novel::{
    manuscript::Manuscript,
    morphology::{Ipadic, NameLexicon, WordAnalysis},
    text::Sentences,
};

use super::{bocchan, sample};

const INSTALL: &str = "install it: sudo apt-get install -y --no-install-recommends mecab mecab-ipadic-utf8";
const DICTIONARY: &str = "/var/lib/mecab/dic/ipadic-utf8";

/// The smallest accepted share of equal boundaries. It was 0.9996 for 坊っちゃん when this was written.
const EXPECTED: f64 = 0.995;

/// A word from `MeCab`: its byte range in the sentence, part of speech in two levels, base form.
type Theirs = (Range<usize>, [String; 2], String);

/// Runs `MeCab` on sentences, one per line.
fn mecab(sentences: &[String]) -> Vec<Vec<Theirs>> {
    assert!(std::path::Path::new(DICTIONARY).is_dir(), "{DICTIONARY} is missing; {INSTALL}");
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("sentences");
    std::fs::write(&input, sentences.join("\n") + "\n").expect("written");
    let run = Command::new("mecab")
        .args([
            "-d",
            DICTIONARY,
            "-b",
            "1000000",
            "-F",
            "%m\t%f[0]\t%f[1]\t%f[6]\n",
            "-U",
            "%m\t%f[0]\t%f[1]\t*\n",
            "-E",
            "\n",
        ])
        .arg(&input)
        .output()
        .unwrap_or_else(|error| panic!("mecab: {error}; {INSTALL}"));
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let output = String::from_utf8(run.stdout).expect("UTF-8");
    let mut said = output.split('\n');
    let mut all = Vec::new();
    for sentence in sentences {
        let (mut words, mut at) = (Vec::new(), 0);
        for line in said.by_ref().take_while(|line| !line.is_empty()) {
            let mut columns = line.split('\t');
            // `MeCab` prints nothing for `*`.
            let mut next = || columns.next().filter(|column| !column.is_empty()).unwrap_or("*");
            let surface = next();
            let start = at + sentence[at..].find(surface).expect("in the sentence");
            at = start + surface.len();
            words.push((start..at, [next().to_owned(), next().to_owned()], next().to_owned()));
        }
        all.push(words);
    }
    all
}

/// The extent of agreement with `MeCab`.
#[derive(Default)]
struct Agreement {
    compared: usize,
    same_place: usize,
    same_parts: usize,
    same_base: usize,
    different: Vec<String>,
}

impl Agreement {
    fn add(&mut self, manuscript: &Manuscript) {
        let (sentences, none) = (Sentences::find(manuscript), NameLexicon::default());
        let analysis = WordAnalysis::new(manuscript, &sentences, &none, Ipadic::shared());
        // Only sentences of one piece, because `MeCab` would analyse interrupting speech too.
        let whole = sentences.all().iter().enumerate();
        let whole: Vec<_> = whole.filter(|(_, sentence)| sentence.pieces.len() == 1).collect();
        let texts: Vec<String> = whole.iter().map(|(_, sentence)| sentence.text(manuscript)).collect();
        for ((at, sentence), (text, theirs)) in whole.iter().zip(texts.iter().zip(mecab(&texts))) {
            let from = sentence.visible().start;
            let ours = analysis.of_sentence(*at);
            let places: HashSet<Range<usize>> =
                ours.iter().map(|word| word.visible.start - from..word.visible.end - from).collect();
            for (place, parts, base) in theirs {
                if parts[1] == "固有名詞" {
                    continue;
                }
                self.compared += 1;
                if !places.contains(&place) {
                    self.different.push(format!("{} in {text}", &text[place]));
                    continue;
                }
                self.same_place += 1;
                let same = ours.iter().find(|word| word.visible.start - from == place.start);
                let same = same.expect("a word there");
                self.same_parts += usize::from(same.parts[..2] == parts);
                self.same_base += usize::from(same.base == base || base == "*");
            }
        }
    }

    fn shares(&self) -> [f64; 3] {
        [self.same_place, self.same_parts, self.same_base].map(|same| same as f64 / self.compared as f64)
    }

    fn check(&self, what: &str) {
        let [place, parts, base] = self.shares();
        println!(
            "{what}: of {} words {place:.4} at the same place, {parts:.4} the same part of speech, {base:.4} the same base",
            self.compared
        );
        for different in self.different.iter().step_by(self.different.len() / 20 + 1) {
            println!("  {different}");
        }
        assert!(place >= EXPECTED && parts >= EXPECTED && base >= EXPECTED, "{place} {parts} {base}");
    }
}

#[test]
#[ignore = "needs MeCab"]
fn the_dictionary_is_what_its_sources_give() {
    let sources = std::path::Path::new(super::ipadic::SOURCES);
    assert!(sources.is_dir(), "{} is missing; {INSTALL}", sources.display());
    let (made, kept, dropped) = super::ipadic::made_from(sources).expect("a dictionary");
    assert_eq!((kept, dropped), (240_930, 151_197));
    let packed = &include_bytes!("../../assets/ipadic.zst")[..];
    let mut unpacked = Vec::new();
    let mut reader = ruzstd::decoding::StreamingDecoder::new(packed).expect("a zstd frame");
    reader.read_to_end(&mut unpacked).expect("unpacked");
    assert!(made == unpacked, "run make_dictionary, and check the changes in the other tests");
}

#[test]
#[ignore = "needs MeCab"]
fn bocchan_has_the_words_that_mecab_sees() {
    let mut agreement = Agreement::default();
    agreement.add(&bocchan());
    assert!(agreement.compared > 50_000);
    agreement.check("坊っちゃん");
}

#[test]
#[ignore = "needs MeCab"]
fn the_sample_has_the_words_that_mecab_sees() {
    let mut agreement = Agreement::default();
    for episode in sample().0 {
        agreement.add(&episode);
    }
    assert!(agreement.compared > 5_000);
    agreement.check("the sample");
}
