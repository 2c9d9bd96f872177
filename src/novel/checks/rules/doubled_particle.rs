//! Rule `doubled_particle`: finds the same particle twice in a row.

use std::ops::Range;

use super::{
    RuleReporter,
    signs::{after, before, is_closing},
};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    manuscript::is_kanji,
    morphology::Morpheme,
};

/// Nouns of position: before these, a の after a pronoun replaces a noun (僕のの隣).
const PLACES: [&str; 20] = [
    "隣",
    "横",
    "上",
    "下",
    "中",
    "前",
    "後ろ",
    "うしろ",
    "後",
    "裏",
    "奥",
    "脇",
    "そば",
    "側",
    "間",
    "方",
    "ほう",
    "先",
    "外",
    "向こう",
];

/// The particles that are typed twice by mistake.
const PARTICLES: [&str; 9] = ["を", "に", "が", "は", "と", "で", "も", "の", "へ"];

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let words = material.words();
    for (at, pair) in words.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        let word = at.checked_sub(1).map(|before| &words[before]);
        let word = word.filter(|word| word.sentence == first.sentence && word.visible.end == first.visible.start);
        let is_row = first.visible.end == second.visible.start && first.surface.ends_with(second.surface);
        if !is_row
            || !PARTICLES.contains(&second.surface)
            || material.sentences()[first.sentence].is_heading
            || is_longer(material.text(), &(second.visible.start - second.surface.len()..second.visible.end))
            || begins_sound(&material.text()[second.visible.start..])
            || word.is_some_and(|word| is_laughter(word, second))
            || !is_doubled(material.text(), word, [first, second], words.get(at + 2))
        {
            continue;
        }
        // In めったに the last letter is a particle, too.
        let start = first.source.end - second.surface.len();
        let finding = Finding::at(start..second.source.end).with("expected", second.surface);
        found.push(finding.with_edit(second.source.clone(), ""));
    }
}

/// True if the letter occurs more than twice in a row, as in laughter.
fn is_longer(text: &str, pair: &Range<usize>) -> bool {
    let letter = after(text, pair.start);
    before(text, pair.start) == letter || after(text, pair.end) == letter
}

/// True if a text begins with the name of a sound or a manner (にこっと, がーん, もぐもぐ, がさりと, へたり込む, がちゃん,
/// にんまり), or with はなから.
fn begins_sound(text: &str) -> bool {
    if text.starts_with("はなから") {
        return true;
    }
    let mut letters = text.chars();
    let letters: [Option<char>; 4] = std::array::from_fn(|_| letters.next());
    let [first, second, third, fourth] = letters;
    let is_kana = |letter: Option<char>| letter.is_some_and(|letter| matches!(letter, 'ぁ'..='ん' | 'ー'));
    let is_repeated = is_kana(second) && first == third && second == fourth;
    let is_clipped = is_kana(second) && matches!(third, Some('っ' | 'ー' | 'ゃ' | 'ゅ' | 'ょ'));
    let ends_adverb = fourth == Some('と') || fourth.is_some_and(|letter| third == Some('り') && is_kanji(letter));
    let is_adverb = is_kana(second) && matches!(third, Some('り' | 'ん')) && ends_adverb;
    let is_long = second == Some('ん') && is_kana(third) && fourth == Some('り');
    matches!(second, Some('っ' | 'ー' | 'ゃ' | 'ゅ' | 'ょ')) || is_repeated || is_clipped || is_adverb || is_long
}

/// True for あはは and うへへ.
fn is_laughter(word: &Morpheme<'_>, letter: &Morpheme<'_>) -> bool {
    matches!(letter.surface, "は" | "へ") && matches!(word.surface, "あ" | "わ" | "う" | "え" | "ぐ" | "む" | "お")
}

fn is_doubled(
    text: &str,
    word: Option<&Morpheme<'_>>,
    [first, second]: [&Morpheme<'_>; 2],
    next: Option<&Morpheme<'_>>,
) -> bool {
    if first.surface != second.surface {
        return first.has_parts(&["副詞"]) && second.surface == "に" && second.has_parts(&["助詞"]);
    }
    let Some(word) = word else {
        // 「行く」とと言う
        let follows_speech = before(text, first.visible.start).is_some_and(is_closing);
        return second.surface == "と" && follows_speech && first.has_parts(&["助詞"]);
    };
    if second.surface == "の" {
        // 赤いのの隣 and 僕のの隣: the first の replaces a noun.
        let is_either = |one: &Morpheme<'_>| one.has_parts(&["助詞"]) || one.has_parts(&["名詞", "非自立"]);
        let is_owner = ["名詞", "副詞", "接頭詞"].iter().any(|kind| word.has_parts(&[kind]));
        let is_place = next.is_some_and(|next| PLACES.contains(&next.surface));
        // In うるさいもののように the dictionary may take いも for a word.
        let is_thing = word.surface.ends_with('も') && !word.has_parts(&["名詞", "固有名詞"]);
        return is_owner
            && !is_thing
            && !(word.has_parts(&["名詞", "代名詞"]) && is_place)
            && is_either(first)
            && is_either(second);
    }
    // Next to another particle, the dictionary takes a second が or で for the conjunction or the form of だ.
    let is_taken = matches!(second.surface, "が" | "で" | "と")
        && (second.has_parts(&["接続詞"]) || second.has_parts(&["助動詞"]));
    let is_word = !word.has_parts(&["記号"]) && (!word.has_parts(&["助詞"]) || word.surface.chars().count() > 1);
    first.has_parts(&["助詞"]) && ((second.has_parts(&["助詞"]) && is_word) || (is_taken && word.has_parts(&["名詞"])))
}
