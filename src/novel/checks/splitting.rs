//! Splitting of a long sentence of narration in two without rewording: after a conjunctive が or ので with a comma.
//!
//! 〜たが、 becomes 〜た。だが、 and 〜たので、 becomes 〜た。だから、. A cut point counts only if both parts are
//! certainly sentences: the part before it ends as a sentence does, and nothing after it is quoted, since a quotation
//! may begin before the cut point. A 連用中止 is never cut, since that would need rewording.

use std::collections::BTreeSet;

use super::{finding::Edit, material::CheckMaterial, metrics::is_comma};
use crate::{manuscript::CharacterCounts, morphology::Morpheme};

/// The minimum number of characters of a part; a shorter part is not a sentence of its own.
const LEAST: usize = 15;

/// A point where a sentence can be cut.
struct CutPoint {
    /// The number of characters of the sentence up to and including the comma.
    characters: usize,
    edit: Edit,
}

/// Returns the edits that cut a sentence until no part is longer than the limit or no cut point is left, nearest to the
/// middle first. `sentence` is an index into [`CheckMaterial::sentences`].
pub(super) fn cut_edits(material: &CheckMaterial<'_>, sentence: usize, longest: usize) -> Vec<Edit> {
    let (places, all) = places(material, sentence);
    let mut chosen = BTreeSet::new();
    let mut parts = vec![(0, all)];
    while let Some((from, to)) = parts.pop() {
        if to - from <= longest {
            continue;
        }
        let first = places.partition_point(|place| place.characters < from + LEAST);
        let end = places.partition_point(|place| place.characters + LEAST <= to);
        let middle = from.midpoint(to);
        let after = places.partition_point(|place| place.characters < middle);
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
        let near = near.filter(|at| (first..end).contains(at));
        let nearest = near.min_by_key(|at| places[*at].characters.abs_diff(middle));
        if let Some(nearest) = nearest {
            let cut = places[nearest].characters;
            chosen.insert(nearest);
            parts.extend([(from, cut), (cut, to)]);
        }
    }
    let places = places.into_iter().enumerate();
    let places = places.filter(|(at, _)| chosen.contains(at));
    places.map(|(_, place)| place.edit).collect()
}

/// Returns the cut points of a sentence, and its number of characters.
fn places(material: &CheckMaterial<'_>, sentence: usize) -> (Vec<CutPoint>, usize) {
    let words = material.words_of(sentence);
    let after_quotes = (0..words.len()).rev().find(|at| is_quoting(words, *at));
    let after_quotes = after_quotes.map_or(0, |at| at + 1);
    // A polite form in the middle of a plain sentence is speech without brackets.
    let end = words.iter().rposition(|word| !word.has_parts(&["記号"]) && !word.has_parts(&["助詞"]));
    let is_polite_at_end = end.is_some_and(|end| is_polite(&words[..=end]));
    let (mut places, mut characters, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, word) in words.iter().enumerate() {
        let is_comma_of_place = at >= after_quotes.max(2) && depth == 0 && word.surface.starts_with(is_comma);
        characters += CharacterCounts::count(word.surface).characters;
        depth += usize::from(word.has_parts(&["記号", "括弧開"]));
        depth = depth.saturating_sub(usize::from(word.has_parts(&["記号", "括弧閉"])));
        if is_comma_of_place
            && is_polite(&words[..at - 1]) == is_polite_at_end
            // 誰か知らないが only introduces the main clause.
            && !words[at.saturating_sub(4)..at].iter().any(|word| matches!(word.base, "知る" | "しる" | "知れる"))
            && is_whole(&words[at - 2])
            && let Some(text) = connective(&words[at - 1], is_polite_at_end)
            && words[at - 2].source.end == words[at - 1].source.start
            && words[at - 1].source.end == word.source.start
        {
            places.push(CutPoint {
                characters,
                edit: Edit { range: words[at - 1].source.clone(), text: format!("。{text}") },
            });
        }
    }
    (places, characters)
}

/// True if a sentence could end with the word. Excluded are だろう and 行こう before が, which mean "no matter
/// whether", and だ, since 話だが and のだが often only introduce the main clause.
fn is_whole(word: &Morpheme<'_>) -> bool {
    word.inflection.is_some_and(|own| own.form == "基本形" && !matches!(own.kind, "不変化型" | "特殊・ダ" | "特殊・ヌ"))
}

/// Returns the conjunction that begins the next sentence in place of a particle.
fn connective(particle: &Morpheme<'_>, is_polite: bool) -> Option<&'static str> {
    match (particle.surface, is_polite) {
        _ if !particle.has_parts(&["助詞", "接続助詞"]) => None,
        ("が", false) => Some("だが"),
        ("が", true) => Some("ですが"),
        ("ので", false) => Some("だから"),
        ("ので", true) => Some("ですから"),
        _ => None,
    }
}

/// True if です or ます is among the auxiliary verbs at the end of the words.
fn is_polite(words: &[Morpheme<'_>]) -> bool {
    let mut verbal = words.iter().rev().take_while(|word| word.has_parts(&["助動詞"]));
    verbal.any(|word| word.inflection.is_some_and(|own| matches!(own.kind, "特殊・マス" | "特殊・デス")))
}

/// True if the word quotes or names what precedes it: と言った, という, って. The と of 着くと does not.
fn is_quoting(words: &[Morpheme<'_>], at: usize) -> bool {
    let word = &words[at];
    let is_after_verb = at.checked_sub(1).is_some_and(|before| words[before].has_parts(&["動詞"]));
    word.has_parts(&["助詞", "格助詞", "引用"])
        || (word.has_parts(&["助詞", "格助詞", "連語"]) && word.surface.starts_with(['と', 'っ']))
        || (word.has_parts(&["助詞", "接続助詞"]) && word.surface == "と" && !is_after_verb)
        || (word.has_parts(&["助詞"]) && word.surface == "って")
}

#[cfg(test)]
mod tests {
    use super::cut_edits;
    use crate::{
        checks::{AnalysedDraft, CheckMaterial, NovelContext, Tuning},
        manuscript::ManuscriptOptions,
        morphology::Ipadic,
    };

    /// Cuts the first sentence of a text down to a limit.
    fn cut(text: &str, longest: usize) -> String {
        let (draft, context, tuning) =
            (AnalysedDraft::read(text, ManuscriptOptions::default()), NovelContext::default(), Tuning::default());
        let material = CheckMaterial::new(&draft, &context, &tuning, Ipadic::shared());
        let mut cut = text.to_owned();
        for edit in cut_edits(&material, 0, longest).into_iter().rev() {
            cut.replace_range(edit.range, &edit.text);
        }
        cut
    }

    #[test]
    fn sentences_are_split_after_ga_and_node() {
        let text = "　港には朝から冷たい雨が降っていたが、夕方には沖へ船を出すことができた。";
        assert_eq!(cut(text, 100), text);
        assert_eq!(cut(text, 30), text.replace("たが、", "た。だが、"));
        let because = "　港には朝から冷たい雨が降っていたので、夕方まで沖へ船を出すことができなかった。";
        assert_eq!(cut(because, 30), because.replace("たので、", "た。だから、"));
        let polite = "　港には朝から冷たい雨が降っていましたが、夕方には沖へ船を出すことができました。";
        assert_eq!(cut(polite, 30), polite.replace("たが、", "た。ですが、"));
    }

    #[test]
    fn incomplete_parts_are_not_split_off() {
        let whole = [
            // The quotation began before the cut point.
            "　港には朝から冷たい雨が降っていたが、夕方には風も止んで海は静かになったと父は言った。",
            "　港には朝から冷たい雨が降っていたが、夕方には風も止んで静かになったという話を聞いた。",
            "　朝から冷たい雨が降っていますが、夕方には止みますよ、さあ出かけましょう、と母は歌った。",
            // The が means "no matter whether".
            "　朝から冷たい雨が降り続いていようが、昼から強い風が吹き荒れようが、父は必ず船を出した。",
            // The first part would end in 静かな。
            "　港は朝から波一つ立たないほど静かなので、父はいつもより一時間も早く沖へ船を出した。",
            // A part would have only a few characters.
            "　雨は降ったが、父は夜の明けないうちに小さな船を出して遠い沖の漁場へ向かっていった。",
            // The cut point is within brackets.
            "　父は船を（朝から冷たい雨が降り続いていたが、風はもうなかった）暗い沖へ向けて出した。",
        ];
        for text in whole {
            assert_eq!(cut(text, 30), text);
        }
    }
}
