//! Content words: the base forms that characterise a text, without words that every text has.

use std::{collections::HashSet, ops::Range};

use crate::{
    checks::{Draft, material::Material, morphology},
    manuscript::Reading,
    morphology::{Analysis, Morpheme, Origin},
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
#[must_use]
pub fn is_telling(base: &str) -> bool {
    !COMMON.contains(&base)
}

/// True if a word is a name, a noun or a verb that characterises a text.
#[must_use]
pub fn tells(word: &Morpheme<'_>) -> bool {
    word.is_content() && (word.is(&["名詞"]) || word.is(&["動詞"])) && is_telling(word.base)
}

/// Iterates over the characterising words of the story that begin in a range of the visible text, as indices into
/// [`Material::words`].
pub fn telling<'m>(material: &'m Material<'_>, visible: &'m Range<usize>) -> impl Iterator<Item = usize> + 'm {
    let words = material.words().iter().enumerate();
    words.filter_map(move |(at, word)| {
        let is_there = visible.contains(&word.visible.start) && material.sentences()[word.sentence].is_story();
        (is_there && tells(word)).then_some(at)
    })
}

/// Returns the characterising words of a text outside the story, such as a meaning or a purpose. Names of the novel are
/// kept whole.
#[must_use]
pub fn telling_of(material: &Material<'_>, text: &str) -> HashSet<String> {
    let draft = Draft::read(text, Reading::default());
    let analysis = Analysis::of(
        &draft.manuscript,
        &draft.sentences,
        &material.context().names,
        morphology(),
    );
    let told = analysis.words().iter().filter(|word| tells(word));
    told.map(|word| key(material, word).to_owned()).collect()
}

/// Returns the key of a word: its base form; for a name, the main name of its entry in the glossary.
#[must_use]
pub fn key<'k>(material: &'k Material<'_>, word: &'k Morpheme<'_>) -> &'k str {
    let named = || {
        material
            .glossary()
            .named(word.surface)
            .map(|entry| material.glossary().entries[entry].name.as_str())
    };
    if word.origin == Origin::Name {
        named().unwrap_or(word.base)
    } else {
        word.base
    }
}
