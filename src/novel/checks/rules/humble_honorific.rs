//! Rule `humble_honorific`: finds humble verbs that are to honour someone, and honorific ones for one's own side: 部長が申された.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::humble::HUMBLE, manuscript::TextVoice, morphology::Morpheme};

/// The maximum number of words between a subject and its verb.
const REACH: usize = 4;

/// A misused word: the number of words from a place on, and what is expected instead.
type Misused = (usize, String);

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for stretch in stretches::story_stretches(material) {
        let words = stretch.words;
        for at in 0..words.len() {
            let (before, rest) = words.split_at(at);
            let misused = honouring_humble(rest)
                .or_else(|| prefixed(rest))
                .or_else(|| own_side_honoured(before, rest).filter(|_| is_spoken(material, rest)))
                .or_else(|| honoured_humbled(rest))
                .or_else(|| asked_humbly(rest));
            if let Some((length, expected)) = misused {
                found.push(phrasing::at(material, &rest[..length]).with("expected", expected));
            }
        }
    }
}

fn is_spoken(material: &CheckMaterial<'_>, words: &[Morpheme<'_>]) -> bool {
    words.first().is_some_and(|word| material.voice_at(word.source.start) != TextVoice::Narration)
}

fn is_particle(word: Option<&Morpheme<'_>>, surfaces: &[&str]) -> bool {
    word.is_some_and(|word| word.has_parts(&["助詞"]) && surfaces.contains(&word.surface))
}

fn is_kudasaru(word: &Morpheme<'_>) -> bool {
    matches!(word.base, "くださる" | "下さる")
}

fn is_nasaru(word: Option<&Morpheme<'_>>) -> bool {
    word.is_some_and(|word| matches!(word.base, "なさる" | "為さる"))
}

/// 申された, 拝見される, 拝見なさる, いただいてください: a humble verb with what honours its subject.
fn honouring_humble(words: &[Morpheme<'_>]) -> Option<Misused> {
    let (word, rest) = words.split_first()?;
    let honorific = HUMBLE.honorific(word)?;
    // 拝見 is a noun with する.
    let has_suru = rest.first().is_some_and(|next| next.base == "する");
    // 皆様に助けていただかれた has an auxiliary verb.
    if (word.has_parts(&["名詞"]) != has_suru && !is_nasaru(rest.first())) || word.has_parts(&["動詞", "非自立"]) {
        return None;
    }
    let has_suru = has_suru || (word.has_parts(&["名詞"]) && is_nasaru(rest.first()));
    let length = match &rest[usize::from(has_suru)..] {
        _ if is_nasaru(rest.first()) => 0,
        [first, ..] if first.has_parts(&["動詞", "接尾"]) && matches!(first.base, "れる" | "られる") => 1,
        [te, asked, ..] if te.surface == "て" && is_kudasaru(asked) => 2,
        _ => return None,
    };
    Some((1 + usize::from(has_suru) + length, honorific.to_owned()))
}

/// ご利用できます, ご利用してください, お伺いください: お or ご with a humble form for what someone else does.
fn prefixed(words: &[Morpheme<'_>]) -> Option<Misused> {
    let [prefix, word, rest @ ..] = words else { return None };
    if !prefix.has_parts(&["接頭詞"]) || !matches!(prefix.surface, "お" | "ご" | "御") {
        return None;
    }
    let (prefix, noun) = (prefix.surface, word.surface);
    match rest {
        [can, ..] if matches!(can.base, "できる" | "出来る") && HUMBLE.guest_actions.contains(noun) => {
            Some((3, format!("{prefix}{noun}になれる")))
        }
        [suru, te, asked, ..] if suru.base == "する" && te.surface == "て" && is_kudasaru(asked) => {
            let is_verb = word.has_parts(&["動詞"]) || word.has_parts(&["名詞", "サ変接続"]) || word.has_parts(&["名詞", "一般"]);
            let asked = asked.surface;
            (is_verb && !HUMBLE.polite_nouns.contains(noun)).then(|| (5, format!("{prefix}{noun}{asked}")))
        }
        [asked, ..] if is_kudasaru(asked) && matches!(noun, "伺い" | "うかがい" | "拝見" | "拝読" | "申し" | "頂き" | "いただき") => {
            Some((3, "お尋ねください".to_owned())).filter(|_| matches!(noun, "伺い" | "うかがい")).or_else(|| {
                let honorific = HUMBLE.honorific(word)?;
                Some((3, honorific.to_owned()))
            })
        }
        [ni, naru, ..] if ni.surface == "に" && matches!(naru.base, "なる" | "なれる") && matches!(noun, "拝見" | "拝読" | "申し") => {
            Some((4, HUMBLE.honorific(word)?.to_owned()))
        }
        _ => None,
    }
}

/// 父はいらっしゃいません, 私がおっしゃったように: an honorific verb for one's own side.
fn own_side_honoured(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let [subject, particle, rest @ ..] = words else { return None };
    let is_speaker = HUMBLE.speaker.contains(subject.surface);
    let particles: &[&str] = if is_speaker { &["が"] } else { &["は", "が", "も"] };
    if !is_particle(Some(particle), particles) {
        return None;
    }
    let is_own = match before {
        // 弊社の部長が
        [.., house, no] if no.surface == "の" && HUMBLE.own_house.contains(house.surface) => {
            HUMBLE.is_title(subject) || HUMBLE.own_side.contains(subject.surface)
        }
        // 殿下の母が, お父様が, 亡くなった父が: perhaps someone else's.
        [.., last]
            if ["接頭詞", "連体詞", "名詞"].iter().any(|part| last.has_parts(&[part]))
                || last.inflection.is_some()
                || last.surface == "の" =>
        {
            false
        }
        _ => is_speaker || HUMBLE.own_side.contains(subject.surface),
    };
    if !is_own {
        return None;
    }
    let verb = verb_of_subject(rest, |word| HUMBLE.humble(word).is_some())?;
    // おっしゃった言葉, おっしゃると: the verb may have another subject.
    let after = rest[verb + 1..].iter().find(|word| !word.has_parts(&["助動詞"]) && !word.has_parts(&["動詞", "接尾"]));
    let is_clause = after.is_some_and(|word| word.has_parts(&["名詞"]) || word.surface == "と");
    (!is_clause || is_speaker).then(|| (2 + verb + 1, HUMBLE.humble(&rest[verb]).unwrap_or_default().to_owned()))
}

/// お客様が申しました: a humble verb for someone to be honoured.
fn honoured_humbled(words: &[Morpheme<'_>]) -> Option<Misused> {
    let [subject, particle, rest @ ..] = words else { return None };
    if !HUMBLE.is_honoured(subject) || !is_particle(Some(particle), &["が"]) {
        return None;
    }
    let verb = verb_of_subject(rest, |word| matches!(word.base, "申す" | "申し上げる" | "拝見" | "拝読" | "伺う" | "存じる"))?;
    let honorific = HUMBLE.honorific(&rest[verb])?;
    let is_honoured_twice = rest.get(verb + 1).is_some_and(|next| matches!(next.base, "れる" | "られる"));
    (!is_honoured_twice).then(|| (2 + verb + 1, honorific.to_owned()))
}

/// 先生も参りますか, 部長はおりますか, 何をいただきますか: a question with a humble verb.
fn asked_humbly(words: &[Morpheme<'_>]) -> Option<Misused> {
    let is_asked = |words: &[Morpheme<'_>]| matches!(words, [masu, ka, ..] if masu.base == "ます" && ka.surface == "か");
    let expected = |word: &Morpheme<'_>| match word.base {
        "おる" => Some("いらっしゃる"),
        _ => HUMBLE.honorific(word),
    };
    match words {
        [taken, asked @ ..] if matches!(taken.base, "いただく" | "頂く") && taken.has_parts(&["動詞", "自立"]) && is_asked(asked) => {
            Some((3, HUMBLE.honorific(taken)?.to_owned()))
        }
        [subject, particle, rest @ ..]
            if (HUMBLE.is_honoured(subject) || HUMBLE.is_title(subject)) && is_particle(Some(particle), &["は", "が", "も"]) =>
        {
            let verb = verb_of_subject(rest, |word| {
                matches!(word.base, "おる" | "参る" | "まいる" | "申す" | "拝見" | "拝読" | "存じる" | "頂く" | "いただく") && !word.has_parts(&["動詞", "非自立"])
            })?;
            is_asked(&rest[verb + 1..]).then_some(())?;
            Some((2 + verb + 3, expected(&rest[verb])?.to_owned()))
        }
        _ => None,
    }
}

/// Returns the index of the verb that follows a subject, without another subject or the end of a sentence between them.
fn verb_of_subject(rest: &[Morpheme<'_>], is_verb: impl Fn(&Morpheme<'_>) -> bool) -> Option<usize> {
    let near = rest.iter().take(REACH + 1);
    let verb = near.clone().position(is_verb)?;
    let has_other = rest[..verb].iter().any(|word| {
        word.has_parts(&["記号", "句点"]) || is_particle(Some(word), &["が", "は", "も"]) || word.has_parts(&["動詞", "自立"])
    });
    (!has_other).then_some(verb)
}
