//! Rule `missing_particle`: finds nouns and stems after which a particle or an ending is missing: 硝子戸開けると.

use super::{RuleReporter, phrasing, stretches};
use crate::{
    checks::{Severity, material::CheckMaterial},
    lexicons::bare_nouns::BARE_NOUNS,
    manuscript::{TextVoice, is_kanji},
    morphology::{Morpheme, WordOrigin},
};

/// The number of kanji from which nouns without particles may be an idiom.
const IDIOM: usize = 4;

/// The number of sentences in dialect from which the narrator speaks it.
const DIALECT: usize = 2;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let severity = if speaks_dialect(material) { Severity::Info } else { Severity::Medium };
    let mut findings = Vec::new();
    let mut sentences = 0;
    for words in stretches::narration_stretches(material) {
        sentences += 1;
        for at in 1..words.len() {
            let (before, rest) = words.split_at(at);
            let [.., noun] = before else { continue };
            let start = start_of_noun(before);
            // 平身低頭詫びる: an idiom of four kanji is an adverb.
            let is_idiom =
                before[start..].iter().flat_map(|word| word.surface.chars()).filter(|c| is_kanji(*c)).count() >= IDIOM
                    && before[start..].iter().all(|word| word.surface.chars().all(is_kanji));
            let is_free = is_idiom || is_counted(before) || is_sound(before);
            if (!is_free && (is_object_of(before, rest) || is_held(before, rest)))
                || is_cut_stem(noun, &rest[0])
                || is_cut_form(noun, &rest[0])
                || is_bare_subject(before, rest)
                || is_bare_place(before, rest)
            {
                findings.push((severity, phrasing::at(material, &words[start..=at])));
            }
        }
    }
    found.push_manner(findings, sentences);
}

/// True if the narrator speaks a dialect that drops particles.
fn speaks_dialect(material: &CheckMaterial<'_>) -> bool {
    let narration = material.sentences_in_voice(TextVoice::Narration);
    let is_dialect = narration.filter(|(_, _, words)| {
        let spoken = words.iter().filter(|word| !word.has_parts(&["記号"]));
        BARE_NOUNS.is_dialect(&spoken.map(|word| word.surface).collect::<String>())
    });
    is_dialect.take(DIALECT).count() == DIALECT
}

/// Returns the index of the first word of the compound noun that ends here: 硝子 of 硝子戸.
fn start_of_noun(words: &[Morpheme<'_>]) -> usize {
    let parts = words.iter().rev().skip(1).take_while(|word| word.has_parts(&["名詞", "一般"]));
    words.len() - 1 - parts.count()
}

/// True if a number belongs to the last noun: 三ブロック行く, 一芝居打つ.
fn is_counted(before: &[Morpheme<'_>]) -> bool {
    let [.., number, _] = before else { return false };
    number.has_parts(&["名詞", "数"]) || matches!(number.surface, "ひと" | "一" | "何" | "数")
}

/// True for a repeated sound in katakana: ガタガタ, and クス|クス.
fn is_sound(before: &[Morpheme<'_>]) -> bool {
    let [.., last] = before else { return false };
    let is_twice = before.iter().rev().nth(1).is_some_and(|first| first.surface == last.surface);
    let letters: Vec<char> = last.surface.chars().collect();
    let is_katakana = letters.iter().all(|letter| matches!(letter, 'ァ'..='ヺ' | 'ー'));
    is_katakana && (is_twice || (letters.len() == 4 && letters[..2] == letters[2..]))
}

/// True if a thing is directly followed by the part of the body that holds it: 燭台手に取る, 双眼鏡首にかける.
fn is_held(before: &[Morpheme<'_>], rest: &[Morpheme<'_>]) -> bool {
    let ([.., thing], [part, after @ ..]) = (before, rest) else { return false };
    let is_thing = (thing.has_parts(&["名詞", "一般"]) || thing.has_parts(&["名詞", "接尾", "一般"]))
        && thing.origin == WordOrigin::Dictionary
        && thing.surface.contains(is_kanji)
        && BARE_NOUNS.needs_particle(thing.surface);
    // The dictionary has にかけ as one word.
    let text = |words: usize| after.iter().take(words).map(|word| word.base).collect::<String>();
    is_thing && [1, 2].iter().any(|words| BARE_NOUNS.is_held_in(part.surface, &text(*words)))
}

/// True if a verb follows its noun without a particle.
fn is_object_of(before: &[Morpheme<'_>], rest: &[Morpheme<'_>]) -> bool {
    let ([.., noun], [verb, after @ ..]) = (before, rest) else { return false };
    let kinds: [&[&str]; 3] = [&["名詞", "一般"], &["名詞", "接尾", "一般"], &["名詞", "サ変接続"]];
    let is_person = noun.has_parts(&["名詞", "代名詞"]) && BARE_NOUNS.is_thing(noun.surface);
    // 戸 of 硝子戸 is a counter to the dictionary.
    let is_compound = before.iter().rev().nth(1).is_some_and(|first| first.has_parts(&["名詞", "一般"]));
    let is_counter = is_compound && noun.has_parts(&["名詞", "接尾", "助数詞"]) && BARE_NOUNS.is_thing(noun.surface);
    let is_noun = is_person || is_counter || kinds.iter().any(|kind| noun.has_parts(kind));
    // The kind of an unknown word is a guess.
    let is_thing = is_noun && noun.origin == WordOrigin::Dictionary;
    let is_verb = verb.has_parts(&["動詞", "自立"]) && verb.surface.contains(is_kanji) && is_finite(verb, after);
    // 眉暗く、 is literary.
    let is_changed = after.first().is_some_and(|next| matches!(next.base, "た" | "なる" | "て"));
    let is_quality = BARE_NOUNS.qualities.contains(verb.base) && BARE_NOUNS.is_thing(noun.surface) && is_changed;
    is_thing
        && (is_verb || is_quality)
        && BARE_NOUNS.needs_particle(noun.surface)
        && !BARE_NOUNS.joins(noun.surface, verb.base)
}

/// True if は or が is missing between a person and the next word: 彼女何も, 祖父少し. If that word is not an adverb, only a
/// pronoun before it counts, because 父親 is one word.
fn is_bare_subject(before: &[Morpheme<'_>], rest: &[Morpheme<'_>]) -> bool {
    let ([earlier @ .., person], [next, after @ ..]) = (before, rest) else { return false };
    // 男女 and 私達 are words of their own, 若い男女 too.
    let is_compound = earlier.last().is_some_and(|word| word.has_parts(&["名詞"]) || word.has_parts(&["接頭詞"]));
    let is_adverb = next.has_parts(&["副詞"]) && next.surface.chars().count() > 1;
    let kinds: [&[&str]; 6] = [
        &["名詞", "一般"],
        &["名詞", "サ変接続"],
        &["名詞", "代名詞"],
        &["名詞", "副詞可能"],
        &["形容詞", "自立"],
        &["連体詞"],
    ];
    let is_long = next.surface.chars().count() > 1 && next.origin == WordOrigin::Dictionary;
    let is_word = (is_long || next.has_parts(&["名詞", "代名詞"])) && kinds.iter().any(|kind| next.has_parts(kind));
    // 彼愛用の万年筆
    let is_described = after.first().is_some_and(|word| word.surface == "の");
    let is_own = !BARE_NOUNS.after_persons.contains(next.surface) && !is_described;
    let is_meant = (BARE_NOUNS.persons.contains(person.surface) && is_adverb)
        || (BARE_NOUNS.pronouns.contains(person.surface) && (is_adverb || is_word));
    is_meant && is_own && !is_compound
}

/// True if の is missing between a place and the thing that is there: 机の上珈琲は, 田のあいだ細い道を.
fn is_bare_place(before: &[Morpheme<'_>], rest: &[Morpheme<'_>]) -> bool {
    let ([.., whole, of, place], [thing, particle, ..]) = (before, rest) else { return false };
    let is_thing = thing.origin == WordOrigin::Dictionary
        && thing.surface.chars().count() > 1
        && (thing.has_parts(&["名詞", "一般"])
            || (thing.has_parts(&["形容詞", "自立"]) && particle.has_parts(&["名詞"])));
    let is_followed = thing.has_parts(&["形容詞"])
        || particle.has_parts(&["助詞", "格助詞"])
        || particle.has_parts(&["助詞", "係助詞"]);
    of.surface == "の"
        && whole.has_parts(&["名詞"])
        && BARE_NOUNS.places.contains(place.surface)
        && is_thing
        && is_followed
        && !BARE_NOUNS.after_places.contains(thing.surface)
}

/// True if a verb is inflected, so that it is neither the second half of a noun (手紙書き) nor modifies one (星降る夜).
fn is_finite(verb: &Morpheme<'_>, after: &[Morpheme<'_>]) -> bool {
    let form = verb.inflection.map_or("", |inflection| inflection.form);
    let next = after.first();
    let is_noun = next.is_some_and(|next| next.has_parts(&["名詞"]));
    match form {
        "仮定形" | "未然形" | "連用タ接続" => true,
        // 扉閉まる音
        "基本形" => !is_noun || next.is_some_and(|next| matches!(next.surface, "音" | "気配")),
        // 封筒取り出し、; 草取り、 is a noun.
        "連用形" => next.is_some_and(|next| {
            let is_compound = verb.base.chars().filter(|c| is_kanji(*c)).count() > 1;
            matches!(next.base, "た" | "ます" | "たい" | "て" | "ながら")
                || (is_compound && next.has_parts(&["記号", "読点"]))
        }),
        _ => false,
    }
}

/// True if a verb in a form that demands て is directly followed by an auxiliary verb: 走っいた, 読んしまう.
fn is_cut_form(verb: &Morpheme<'_>, next: &Morpheme<'_>) -> bool {
    let is_form = verb.inflection.is_some_and(|inflection| inflection.form == "連用タ接続");
    let is_auxiliary = next.has_parts(&["動詞", "非自立"]) || matches!(next.base, "いる" | "しまう");
    verb.has_parts(&["動詞", "自立"])
        && is_form
        && verb.surface.ends_with(['っ', 'ん'])
        && is_auxiliary
        && matches!(next.base, "いる" | "いく" | "くる" | "しまう" | "おく")
        && verb.visible.end == next.visible.start
}

/// True if the inflection is missing between a stem and たい or ます: 帰たい.
fn is_cut_stem(stem: &Morpheme<'_>, next: &Morpheme<'_>) -> bool {
    stem.has_parts(&["名詞"])
        && stem.surface.chars().count() == 1
        && stem.surface.contains(is_kanji)
        && next.has_parts(&["助動詞"])
        && (next.base == "たい" || matches!(next.surface, "ます" | "ませ"))
}
