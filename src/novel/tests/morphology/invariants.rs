//! Invariants of the sentences and words of all texts, including random and degenerate ones.

use std::ops::Range;

use fumi_novel::{
    manuscript::{LineKind, Manuscript, ManuscriptOptions, ManuscriptSyntax, ThoughtBrackets},
    morphology::{Ipadic, LONGEST_STRETCH, NameKind, NameLexicon, WordAnalysis},
    text::{ManuscriptSentence, Sentences},
};
use proptest::{prelude::*, sample::select};

use super::{bocchan, sample};
use crate::properties::runner;

/// Returns a violated invariant of the sentences and words of a manuscript, if there is one.
fn fault_of(manuscript: &Manuscript, names: &NameLexicon) -> Option<String> {
    let sentences = Sentences::find(manuscript);
    let visible = manuscript.visible().text();
    // Counts for each byte the sentences and the words that contain it.
    let mut in_sentence = vec![0_u8; visible.len()];
    let mut in_word = vec![0_u8; visible.len()];
    let mark = |marks: &mut [u8], range: &Range<usize>| marks[range.clone()].iter_mut().for_each(|mark| *mark += 1);
    let mut before = 0;
    for sentence in sentences.all() {
        if sentence.visible().start < before {
            return Some(format!("out of order at {before}"));
        }
        before = sentence.visible().start;
        for piece in &sentence.pieces {
            mark(&mut in_sentence, &piece.visible);
            let line = &manuscript.lines()[sentence.line].content;
            if piece.source.start < line.start || piece.source.end > line.end {
                return Some(format!("{piece:?} is not in its line {line:?}"));
            }
            if !manuscript.visible_in(&piece.source).contains(visible[piece.visible.clone()].trim()) {
                return Some(format!("{piece:?} is elsewhere in the source"));
            }
        }
    }
    let analysis = WordAnalysis::new(manuscript, &sentences, names, Ipadic::shared());
    for word in analysis.words() {
        if word.surface != &visible[word.visible.clone()] || word.surface.is_empty() {
            return Some(format!("{word:?} differs from the text at its place"));
        }
        mark(&mut in_word, &word.visible);
    }
    for (at, c) in visible.char_indices() {
        let spaces = usize::from(c.is_whitespace());
        match (in_sentence[at], in_word[at]) {
            (1, 1) => {}
            (_, 0) if spaces == 1 || c.is_control() => {}
            counts => return Some(format!("{c:?} at {at} is in {counts:?} sentences and words")),
        }
    }
    let by_sentence: usize = (0..sentences.all().len()).map(|at| analysis.of_sentence(at).len()).sum();
    (by_sentence != analysis.words().len()).then(|| "words without a sentence".to_owned())
}

fn names() -> NameLexicon {
    let mut names = NameLexicon::default();
    for name in ["東京", "みちる", "カナ", "梶", "あ", "。", "「", "x"] {
        names.add(name, None, NameKind::Person);
    }
    names
}

fn texts() -> impl Strategy<Value = String> {
    let pieces = &[
        "梶みちる",
        "は",
        "行く。",
        "！？",
        "「",
        "」",
        "『",
        "』",
        "（",
        "）",
        "……",
        "――",
        "え？",
        "と言った",
        "カナタ",
        "、",
        "\n",
        "\n\n",
        "　",
        " ",
        "|東京《とうきょう》",
        "《《点》》",
        "《",
        "3.14",
        "３．１４",
        "か\u{3099}",
        "🙂",
        "\u{e000}",
        "# 題\n",
        "［＃「点」に傍点］",
        "\u{200b}",
        "\r\n",
        "＊\n",
        "x",
    ][..];
    prop::collection::vec(select(pieces), 0..30).prop_map(|pieces| pieces.concat())
}

fn readings() -> impl Strategy<Value = ManuscriptOptions> {
    let syntax = select(&[ManuscriptSyntax::Web, ManuscriptSyntax::Aozora][..]);
    let thoughts = select(&[ThoughtBrackets::Parentheses, ThoughtBrackets::DoubleQuotes][..]);
    (syntax, thoughts).prop_map(|(syntax, thoughts)| ManuscriptOptions { syntax, thoughts })
}

#[test]
fn every_visible_character_is_in_one_sentence_and_one_word() {
    let names = names();
    let result = runner(3_000).run(&(texts(), readings()), |(text, reading)| {
        prop_assert_eq!(fault_of(&Manuscript::read(text, reading), &names), None);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(fault_of(&bocchan(), &NameLexicon::default()), None);
    let (episodes, names) = sample();
    for episode in episodes {
        assert_eq!(fault_of(&episode, &names), None);
    }
}

/// Returns the visible ranges of sentences, without line numbers.
fn places(sentences: &[ManuscriptSentence]) -> Vec<Range<usize>> {
    sentences.iter().map(ManuscriptSentence::visible).collect()
}

#[test]
fn a_paragraph_more_changes_no_sentence_before_it() {
    let result = runner(2_000).run(&(texts(), texts()), |(text, more)| {
        let more = more.replace(['「', '」', '『', '』', '（', '）', '\n', '\r'], "");
        let longer = Manuscript::read(format!("{text}\nだ{more}"), ManuscriptOptions::default());
        let last = longer.lines().len() - 1;
        prop_assume!(matches!(longer.lines()[last].kind, LineKind::Paragraph));
        let longer = Sentences::find(&longer);
        let kept: Vec<ManuscriptSentence> = longer.all().iter().filter(|one| one.line != last).cloned().collect();
        let shorter = Sentences::find(&Manuscript::read(format!("{text}\n"), ManuscriptOptions::default()));
        prop_assert_eq!(places(&kept), places(shorter.all()));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// More text in the same paragraph may change only the end of its last sentence.
#[test]
fn more_text_in_a_paragraph_changes_only_the_last_sentence() {
    let plain = |text: String| text.replace(|c| "「」『』（）\n\r#＊《》|［］".contains(c), "");
    let result = runner(2_000).run(&(texts(), texts()), |(text, more)| {
        let (text, more) = (format!("だ{}", plain(text)), plain(more));
        let shorter = Sentences::find(&Manuscript::read(text.clone(), ManuscriptOptions::default()));
        let longer = Sentences::find(&Manuscript::read(text + &more, ManuscriptOptions::default()));
        let settled = shorter.all().len().saturating_sub(1);
        prop_assert_eq!(&places(longer.all())[..settled], &places(shorter.all())[..settled]);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// No time limit is needed: quadratic time would take hours, and quadratic memory would exhaust the machine.
#[test]
fn a_sentence_without_an_end_costs_no_more_than_its_share() {
    for sign in [
        "あ",
        "漢",
        "カ",
        "x",
        "「",
        "（",
        "・",
        "！",
        "あ、",
        "い　",
        "…",
        "すもももももももものうち",
        "「あ」い",
        "（あ。）",
        "あ「",
        "「あ。」」",
        "梶",
    ] {
        let length = (1 << 17) / sign.chars().count();
        let manuscript = Manuscript::read(sign.repeat(length), ManuscriptOptions::default());
        assert_eq!(fault_of(&manuscript, &names()), None, "{sign}");
    }
    let manuscript = Manuscript::read("彼は歩いた、".repeat(10_000), ManuscriptOptions::default());
    let (sentences, none) = (Sentences::find(&manuscript), NameLexicon::default());
    let analysis = WordAnalysis::new(&manuscript, &sentences, &none, Ipadic::shared());
    assert_eq!((sentences.all().len(), analysis.cut()), (1, &[0][..]));
    // The stretches end after commas, so that no word is cut.
    assert_eq!(analysis.words().len(), 50_000);
    let short = Manuscript::read("あ".repeat(LONGEST_STRETCH), ManuscriptOptions::default());
    let sentences = Sentences::find(&short);
    assert_eq!(WordAnalysis::new(&short, &sentences, &none, Ipadic::shared()).cut(), [0; 0]);
}
