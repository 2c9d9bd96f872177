//! Words that occur once more a few words later in the same clause: 突然、電話が突然鳴り出した.
//!
//! An author who moves a word to another place in the sentence leaves it in both. Parallels (もっと水を、もっと火を) and two
//! clauses (ゆっくり歩き、ゆっくり話す) repeat a word on purpose: a verb or a comma stands between
//! the two occurrences.

use crate::{lexicons::repetitions::REPETITIONS, morphology::Morpheme};

/// The largest number of words between the two occurrences.
const BETWEEN: usize = 5;

/// Returns the number of words from the first word to the end of its repetition, and the number of words repeated.
pub(super) fn slip(words: &[Morpheme<'_>]) -> Option<(usize, usize)> {
    adverb(words)
        .or_else(|| connective(words))
        .or_else(|| topic(words))
        .or_else(|| action(words))
        .or_else(|| modifier(words))
}

/// Returns the place of the same words again, at least one and at most a few words later, if the words between satisfy a
/// condition.
fn again(words: &[Morpheme<'_>], length: usize, between: impl Fn(&[Morpheme<'_>]) -> bool) -> Option<(usize, usize)> {
    let once = &words[..length];
    (length + 1..=length + BETWEEN).find_map(|at| {
        let other = words.get(at..at + length)?;
        let is_same = once.iter().zip(other).all(|(one, other)| one.surface == other.surface);
        let is_clause = other[length - 1].sentence == once[0].sentence && between(&words[length..at]);
        (is_same && is_clause).then_some((at + length, length))
    })
}

/// Finds an adverb before the noun and once more before the verb: そっと庭をそっと覗いた.
fn adverb(words: &[Morpheme<'_>]) -> Option<(usize, usize)> {
    let length = adverb_length(words)?;
    let text: String = words[..length].iter().map(|word| word.surface).collect();
    if text.chars().count() < 2 || REPETITIONS.loose.contains(&text) || REPETITIONS.loose.contains(words[0].surface) {
        return None;
    }
    let (end, length) = again(words, length, |between| {
        let inner = after_comma(between);
        let is_joined = |word: &Morpheme<'_>| {
            !word.has_parts(&["動詞"])
                && !word.has_parts(&["形容詞"])
                && !word.has_parts(&["助動詞"])
                && !word.has_parts(&["記号"])
                && !matches!(word.surface, "も" | "と" | "や" | "か" | "たり")
        };
        inner.last().is_some_and(|word| word.has_parts(&["助詞"])) && inner.iter().all(is_joined)
    })?;
    // The second one stands before a verb.
    let next = words.get(end)?;
    (!next.has_parts(&["記号"]) && !next.has_parts(&["助詞"])).then_some((end, length))
}

/// Returns the words after a comma at their beginning: 突然、電話が.
fn after_comma<'w, 'a>(words: &'w [Morpheme<'a>]) -> &'w [Morpheme<'a>] {
    match words {
        [comma, rest @ ..] if comma.has_parts(&["記号", "読点"]) => rest,
        all => all,
    }
}

/// Returns the number of words of an adverb: そっと, もう一度, 静かに, 怪訝そうに.
fn adverb_length(words: &[Morpheme<'_>]) -> Option<usize> {
    let first = words.first()?;
    let surface = |at: usize| words.get(at).map_or("", |word| word.surface);
    if first.surface == "もう" && surface(1) == "一度" {
        return Some(2);
    }
    if first.surface == "もう" && surface(1) == "一" && surface(2) == "度" {
        return Some(3);
    }
    if first.has_parts(&["副詞"]) {
        return Some(if matches!(surface(1), "と" | "に") { 2 } else { 1 });
    }
    if first.has_parts(&["名詞", "形容動詞語幹"]) && surface(1) == "に" {
        return Some(2);
    }
    if surface(1) == "そう" && surface(2) == "に" {
        return Some(3);
    }
    None
}

/// Finds a connective at the head and once more after the topic: しかし、彼女はしかし.
fn connective(words: &[Morpheme<'_>]) -> Option<(usize, usize)> {
    let first = words.first()?;
    if !first.has_parts(&["接続詞"]) || !REPETITIONS.connectives.contains(first.surface) {
        return None;
    }
    again(words, 1, |between| {
        let inner = after_comma(between);
        !inner.is_empty() && inner.iter().all(|word| !word.has_parts(&["記号"]) && !word.has_parts(&["動詞"]))
    })
}

/// Finds the topic a second time after て: 私は黙って私は.
fn topic(words: &[Morpheme<'_>]) -> Option<(usize, usize)> {
    let [noun, particle, ..] = words else { return None };
    if !noun.has_parts(&["名詞", "代名詞"])
        || particle.surface != "は"
        || matches!(noun.surface, "これ" | "それ" | "あれ" | "何")
    {
        return None;
    }
    again(words, 2, |between| {
        between.last().is_some_and(|last| matches!(last.surface, "て" | "で") && last.has_parts(&["助詞", "接続助詞"]))
            && between.iter().all(|word| !word.has_parts(&["記号"]))
    })
}

/// Finds an action told twice in two forms: 川を下って川を下り, 包丁を研ぎ、包丁を研いで.
fn action(words: &[Morpheme<'_>]) -> Option<(usize, usize)> {
    let [noun, particle, verb, rest @ ..] = words else { return None };
    let is_action = noun.has_parts(&["名詞"])
        && matches!(particle.surface, "を" | "に" | "へ")
        && verb.has_parts(&["動詞", "自立"])
        && !matches!(verb.base, "する" | "なる" | "ある" | "いる")
        && verb.inflection.is_some_and(|inflection| inflection.form.starts_with("連用"));
    if !is_action {
        return None;
    }
    let mut at = usize::from(rest.first().is_some_and(|word| matches!(word.surface, "て" | "で")));
    let has_comma = rest.get(at).is_some_and(|word| word.has_parts(&["記号", "読点"]));
    at += usize::from(has_comma);
    let [other_noun, other_particle, other_verb, next, ..] = rest.get(at..)? else { return None };
    let is_same = other_noun.surface == noun.surface
        && other_particle.surface == particle.surface
        && other_verb.base == verb.base
        && other_verb.sentence == noun.sentence
        && !matches!(next.surface, "ない" | "ぬ" | "ず" | "たり" | "ながら" | "ば");
    // 塩を持て、塩を持てい is a call: with a comma, the same form twice is a slip only in the middle of the sentence.
    let is_call = has_comma && other_verb.surface == verb.surface && !matches!(next.surface, "、" | "て" | "で");
    (is_same && !is_call).then_some((3 + at + 3, 3))
}

/// Finds a modifier of a noun that follows the noun once more: 出てきた男が出てきて, 汗に濡れた髪を汗に濡れた手で.
fn modifier(words: &[Morpheme<'_>]) -> Option<(usize, usize)> {
    let first = words.first()?;
    if first.has_parts(&["動詞", "自立"])
        && words.get(1)?.surface == "て"
        && matches!(words.get(2)?.base, "くる" | "来る" | "いく" | "行く")
    {
        let end = 3 + usize::from(words.get(3)?.surface == "た");
        let [noun, particle, verb, te, coming, ..] = words.get(end..)? else { return None };
        let is_same = noun.has_parts(&["名詞"])
            && matches!(particle.surface, "が" | "は")
            && verb.base == first.base
            && te.surface == "て"
            && coming.base == words[2].base
            && coming.sentence == first.sentence;
        return is_same.then_some((end + 5, end));
    }
    // A noun with its particle, a verb and た.
    let [noun, particle, verb, past, ..] = words else { return None };
    let is_modifier = noun.has_parts(&["名詞"])
        && particle.has_parts(&["助詞", "格助詞"])
        && verb.has_parts(&["動詞", "自立"])
        && past.has_parts(&["助動詞"])
        && matches!(past.surface, "た" | "だ");
    if !is_modifier {
        return None;
    }
    again(words, 4, |between| {
        between.len() <= 2
            && between.iter().all(|word| !word.has_parts(&["記号"]) && word.surface != "と" && word.surface != "も")
    })
}
