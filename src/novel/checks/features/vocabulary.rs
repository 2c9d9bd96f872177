//! Content words: the base forms that characterise a text, without words that every text has.

use std::{collections::HashSet, ops::Range};

use crate::{
    checks::{AnalysedDraft, material::CheckMaterial, morphology},
    manuscript::ManuscriptOptions,
    morphology::{Morpheme, WordAnalysis, WordOrigin},
};

/// Words too common to characterise a text.
const COMMON: [&str; 59] = [
    "する",
    "なる",
    "ある",
    "いる",
    "おる",
    "できる",
    "出来る",
    "やる",
    "いう",
    "言う",
    "云う",
    "見る",
    "見える",
    "聞く",
    "思う",
    "行く",
    "来る",
    "くる",
    "いく",
    "出る",
    "出す",
    "入る",
    "持つ",
    "取る",
    "付く",
    "つく",
    "付ける",
    "つける",
    "立つ",
    "置く",
    "分かる",
    "わかる",
    "知る",
    "考える",
    "ない",
    "人",
    "物",
    "者",
    "事",
    "こと",
    "もの",
    "とき",
    "時",
    "中",
    "上",
    "下",
    "前",
    "後",
    "今",
    "日",
    "方",
    "所",
    "気",
    "自分",
    "何",
    "一",
    "もう",
    "また",
    "まだ",
];

/// True if a base form characterises a text.
pub fn is_characteristic(base: &str) -> bool {
    !COMMON.contains(&base)
}

/// True if a word is a name, a noun or a verb that characterises a text.
pub fn is_characteristic_word(word: &Morpheme<'_>) -> bool {
    word.is_content() && (word.has_parts(&["名詞"]) || word.has_parts(&["動詞"])) && is_characteristic(word.base)
}

/// Iterates over the characterising words of the story that begin in a range of the visible text, as indices into
/// [`CheckMaterial::words`].
pub fn characteristic_words<'m>(
    material: &'m CheckMaterial<'_>,
    visible: &'m Range<usize>,
) -> impl Iterator<Item = usize> + 'm {
    let words = material.words().iter().enumerate();
    words.filter_map(move |(at, word)| {
        let is_there = visible.contains(&word.visible.start) && material.sentences()[word.sentence].is_story();
        (is_there && is_characteristic_word(word)).then_some(at)
    })
}

/// Returns the characterising words of a text outside the story, such as a meaning or a purpose. Names of the novel are
/// kept whole.
pub fn characteristic_words_of(material: &CheckMaterial<'_>, text: &str) -> HashSet<String> {
    let draft = AnalysedDraft::read(text, ManuscriptOptions::default());
    let analysis = WordAnalysis::new(&draft.manuscript, &draft.sentences, &material.context().names, morphology());
    let told = analysis.words().iter().filter(|word| is_characteristic_word(word));
    told.map(|word| key(material, word).to_owned()).collect()
}

/// Returns the key of a word: its base form; for a name, the main name of its entry in the glossary.
pub fn key<'k>(material: &'k CheckMaterial<'_>, word: &'k Morpheme<'_>) -> &'k str {
    let named =
        || material.glossary().entry_named(word.surface).map(|entry| material.glossary().entries[entry].name.as_str());
    if word.origin == WordOrigin::Name { named().unwrap_or(word.base) } else { word.base }
}
