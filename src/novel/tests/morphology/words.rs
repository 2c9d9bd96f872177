//! Tests of words against grammar: parts of speech, inflection, base forms, readings, positions.

use fumi_novel::{
    manuscript::{Manuscript, ManuscriptOptions},
    morphology::{Ipadic, Morpheme, NameLexicon, WordAnalysis, WordOrigin},
    text::Sentences,
};

/// Formats the words of a text with a function.
pub(crate) fn words_of(text: &str, names: &NameLexicon, show: impl Fn(&Morpheme<'_>) -> String) -> Vec<String> {
    let manuscript = Manuscript::read(text, ManuscriptOptions::default());
    let sentences = Sentences::find(&manuscript);
    let analysis = WordAnalysis::new(&manuscript, &sentences, names, Ipadic::shared());
    analysis.words().iter().map(show).collect()
}

fn words(text: &str) -> Vec<String> {
    words_of(text, &NameLexicon::default(), |word| word.surface.to_owned())
}

#[test]
fn a_word_has_its_parts_of_speech_base_and_reading() {
    let show = |word: &Morpheme<'_>| {
        let (kind, form) = word.inflection.map_or(("", ""), |inflection| (inflection.kind, inflection.form));
        let reading = word.reading.unwrap_or_default();
        [word.surface, word.parts[0], word.parts[1], kind, form, word.base, reading].join("/")
    };
    assert_eq!(
        words_of("猫が静かに歩いた。", &NameLexicon::default(), show),
        [
            "猫/名詞/一般///猫/ネコ",
            "が/助詞/格助詞///が/ガ",
            "静か/名詞/形容動詞語幹///静か/シズカ",
            "に/助詞/副詞化///に/ニ",
            "歩い/動詞/自立/五段・カ行イ音便/連用タ接続/歩く/アルイ",
            "た/助動詞/*/特殊・タ/基本形/た/タ",
            "。/記号/句点///。/。",
        ]
    );
}

#[test]
fn speech_in_a_sentence_is_read_apart_from_it() {
    assert_eq!(words("彼は「行け」と言った。"), ["彼", "は", "と", "言っ", "た", "。", "「", "行け", "」"]);
    // The words are not joined to 花火 across the quotation.
    let reading = |word: &Morpheme<'_>| word.reading.unwrap_or_default().to_owned();
    let found = words_of("花「ええ」火を見る。", &NameLexicon::default(), reading);
    assert_eq!(found[..2], ["ハナ", "ヒ"]);
}

#[test]
fn markup_is_in_no_word_and_every_word_leads_back_to_it() {
    let source = "昨日、|東風《こち》が吹《ふ》いた。";
    let manuscript = Manuscript::read(source, ManuscriptOptions::default());
    let (sentences, names) = (Sentences::find(&manuscript), NameLexicon::default());
    let analysis = WordAnalysis::new(&manuscript, &sentences, &names, Ipadic::shared());
    let places: Vec<_> = analysis.words().iter().map(|word| (word.surface, &source[word.source.clone()])).collect();
    assert_eq!(
        places,
        [
            ("昨日", "昨日"),
            ("、", "、"),
            ("東風", "東風"),
            ("が", "が"),
            ("吹い", "吹《ふ》い"),
            ("た", "た"),
            ("。", "。"),
        ]
    );
}

#[test]
fn unknown_words_have_unknown_origin() {
    let show = |word: &Morpheme<'_>| format!("{} {:?} {:?}", word.surface, word.origin, word.reading);
    let found = words_of("ムニャルカ\u{e000}が", &NameLexicon::default(), show);
    assert_eq!(
        found,
        [
            format!("ムニャルカ {:?} None", WordOrigin::Unknown),
            format!("\u{e000} {:?} None", WordOrigin::Unknown),
            format!("が {:?} Some(\"ガ\")", WordOrigin::Dictionary),
        ]
    );
}

#[test]
fn parts_of_speech_are_asked_for_by_name() {
    let manuscript = Manuscript::read("走ることがある。", ManuscriptOptions::default());
    let (sentences, names) = (Sentences::find(&manuscript), NameLexicon::default());
    let analysis = WordAnalysis::new(&manuscript, &sentences, &names, Ipadic::shared());
    let of = |asked: &[&str]| {
        analysis.words().iter().filter(|word| word.has_parts(asked)).map(|word| word.surface).collect::<Vec<_>>()
    };
    assert_eq!(of(&["名詞", "非自立"]), ["こと"]);
    assert_eq!(of(&["助詞", "格助詞", "一般"]), ["が"]);
    assert_eq!(of(&["動詞"]), ["走る", "ある"]);
    let content: Vec<&str> =
        analysis.words().iter().filter(|word| word.is_content()).map(|word| word.surface).collect();
    assert_eq!(content, ["走る", "ある"]);
}
