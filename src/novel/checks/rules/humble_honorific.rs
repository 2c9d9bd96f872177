//! Rule `humble_honorific`: finds humble verbs that are to honour someone, and honorific ones for one's own side: 部長が申された.

use super::{RuleReporter, phrasing, raised_acts, stretches};
use crate::{checks::material::CheckMaterial, lexicons::humble::HUMBLE, manuscript::TextVoice, morphology::Morpheme};

/// The maximum number of words between a subject and its verb.
const REACH: usize = 4;

/// The maximum number of words that are looked at within a sentence, such as from a subject over a quotation to its verb.
const SENTENCE_REACH: usize = 16;

/// A misused predicate.
pub(super) struct Misused {
    /// The number of words before the current one at which the finding begins: at its subject.
    pub back: usize,
    /// The number of words from the current one on.
    pub length: usize,
    pub expected: String,
}

impl Misused {
    fn from_here(length: usize, expected: impl Into<String>) -> Self {
        Self { back: 0, length, expected: expected.into() }
    }
}

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for stretch in stretches::story_stretches(material) {
        let words = stretch.words;
        for at in 0..words.len() {
            let (before, rest) = words.split_at(at);
            if let Some(misused) = misused(material, before, rest) {
                let words = &stretch.words[at - misused.back..at + misused.length];
                found.push(phrasing::at(material, words).with("expected", misused.expected));
            }
        }
    }
}

fn misused(material: &CheckMaterial<'_>, before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let is_spoken = is_spoken(material, words);
    honouring_humble(before, words)
        .or_else(|| prefixed(before, words))
        .or_else(|| honoured_humbled(words))
        .or_else(|| asked_humbly(words))
        .or_else(|| knows_humbly(before, words))
        .or_else(|| asked_directly(before, words))
        .or_else(|| asked_done(before, words))
        .or_else(|| raised_acts::own_raised(before, words, is_spoken))
        .or_else(|| raised_acts::own_given(before, words, is_spoken))
        .or_else(|| raised_acts::own_state(before, words).filter(|_| is_spoken))
        .or_else(|| raised_acts::own_titled(before, words).filter(|_| is_spoken))
        .or_else(|| raised_acts::own_named(before, words).filter(|_| is_spoken))
        .or_else(|| raised_acts::own_wish(words))
        .or_else(|| raised_acts::own_gift(before, words))
        .or_else(|| raised_acts::honoured_quoted(before, words))
        .or_else(|| raised_acts::honoured_lowered(before, words))
}

fn is_spoken(material: &CheckMaterial<'_>, words: &[Morpheme<'_>]) -> bool {
    words.first().is_some_and(|word| material.voice_at(word.source.start) != TextVoice::Narration)
}

pub(super) fn is_particle(word: Option<&Morpheme<'_>>, surfaces: &[&str]) -> bool {
    word.is_some_and(|word| word.has_parts(&["助詞"]) && surfaces.contains(&word.surface))
}

pub(super) fn is_order(word: &Morpheme<'_>) -> bool {
    word.inflection.is_some_and(|inflection| inflection.form.starts_with("命令"))
}

fn is_kudasaru(word: &Morpheme<'_>) -> bool {
    matches!(word.base, "くださる" | "下さる")
}

/// Returns a form of くださる at the beginning of some words, with their number. The dictionary reads くださり as くだ and さり.
fn kudasaru(words: &[Morpheme<'_>]) -> Option<(usize, String)> {
    match words {
        [asked, ..] if is_kudasaru(asked) => Some((1, asked.surface.to_owned())),
        [kuda, sari, ..] if kuda.surface == "くだ" && sari.surface == "さり" => Some((2, "くださり".to_owned())),
        _ => None,
    }
}

/// True if words after て begin with a request for a favour: いただく, いただけませんか, which the dictionary reads as い, た, だけ.
fn asks_favour(words: &[Morpheme<'_>]) -> bool {
    match words {
        [favour, ..] if matches!(favour.base, "いただく" | "頂く" | "いただける" | "頂ける") => true,
        [i, ta, dake, ..] => i.surface == "い" && ta.surface == "た" && dake.surface == "だけ",
        _ => false,
    }
}

/// True if a humble verb rightly honours the one towards whom someone acts: 先生に申し上げてください, and not
/// 係の者に伺ってください; 私からは申し上げられません, and not 先生が申し上げられました.
fn is_toward_another(before: &[Morpheme<'_>], verb: &Morpheme<'_>, rest: &[Morpheme<'_>]) -> bool {
    if !HUMBLE.toward_another.contains(verb.base) {
        return false;
    }
    let near = &before[before.len().saturating_sub(3 * REACH)..];
    let honoured_before = |particles: &[&str]| {
        near.windows(2).any(|pair| {
            (HUMBLE.is_honoured(&pair[0]) || HUMBLE.is_title(&pair[0])) && particles.contains(&pair[1].surface)
        })
    };
    if rest.get(1).is_some_and(is_kudasaru) {
        let asks_staff = near.iter().any(|word| HUMBLE.staff.contains(word.surface));
        let is_toward_honoured = honoured_before(&["に", "へ", "から", "の", "を", "にも"]);
        return !asks_staff && (is_toward_honoured || !HUMBLE.needs_honoured.contains(verb.base));
    }
    let is_negated =
        rest.iter().take(4).any(|word| matches!(word.base, "ない" | "ん" | "ぬ") && word.has_parts(&["助動詞"]));
    is_negated || !honoured_before(&["が", "は", "も", "、"])
}

/// 申された, 拝見される, 拝見なさる, いただいてください: a humble verb with what honours its subject.
fn honouring_humble(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let (word, rest) = words.split_first()?;
    let honorific = HUMBLE.honorific(word)?;
    let is_noun = word.has_parts(&["名詞"]);
    if let ([te, asked, ..], "参る" | "まいる") = (rest, word.base) {
        // お気をつけて参ってください lowers whoever comes, and 墓に参ってください does not.
        let is_coming = before.last().is_some_and(|word| word.surface == "て") && te.surface == "て";
        if is_coming && is_kudasaru(asked) {
            return Some(Misused::from_here(3, honorific));
        }
    }
    // 皆様に助けていただかれた has an auxiliary verb.
    if word.has_parts(&["動詞", "非自立"]) || is_toward_another(before, word, rest) {
        return None;
    }
    // 拝見 is a noun with する or なさる.
    let (length, after) = match rest {
        [nasaru, ..] if is_noun && matches!(nasaru.base, "なさる" | "為さる") => {
            return (!is_order(nasaru)).then(|| Misused::from_here(2, honorific));
        }
        [asked, ..] if is_noun && is_kudasaru(asked) && asked.has_parts(&["動詞"]) => {
            return Some(Misused::from_here(2, honorific));
        }
        [suru, after @ ..] if is_noun && suru.base == "する" => (2, after),
        _ if is_noun => return None,
        after => (1, after),
    };
    let honouring = match after {
        [first, ..] if first.has_parts(&["動詞", "接尾"]) && matches!(first.base, "れる" | "られる") => 1,
        [te, asked, ..] if te.surface == "て" && is_kudasaru(asked) => 2,
        // 拝見していらっしゃる, 申していらっしゃる, 拝見していただく
        [te, state, ..] if te.surface == "て" && state.base == "いらっしゃる" => 2,
        [te, favour @ ..] if is_noun && te.surface == "て" && asks_favour(favour) => 2,
        _ => return None,
    };
    Some(Misused::from_here(length + honouring, honorific))
}

/// ご利用できます, ご利用してください, お伺いください: お or ご with a humble form for what someone else does.
fn prefixed(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let (prefix, act, rest) = polite_noun(words)?;
    let length = words.len() - rest.len();
    match rest {
        [can, ..] if matches!(can.base, "できる" | "出来る") && HUMBLE.guest_actions.contains(act) => {
            Some(Misused::from_here(length + 1, format!("{prefix}{act}になれる")))
        }
        [suru, te, asked, ..]
            if is_humble_suru(suru)
                && te.surface == "て"
                && let Some((words, form)) = kudasaru(&rest[2..]) =>
        {
            let is_addressee_act = is_addressee_act(act);
            // お教えしてくださった: what someone did for the speaker, or 先生を for someone to be honoured.
            let is_polite = HUMBLE.polite_nouns.contains(act);
            let is_favour = !is_order(asked) && !is_polite && (prefix == "お" || !names_receiver(before));
            let is_staff_asked = HUMBLE.asking.contains(act) && names_staff(before);
            let expected = || format!("{prefix}{act}{form}");
            (is_addressee_act || is_favour || is_staff_asked)
                .then(|| Misused::from_here(length + 2 + words, expected()))
        }
        // お待ちしていらっしゃる, ご利用していただく
        [suru, te, state, ..] if suru.base == "する" && te.surface == "て" => {
            let expected = match state.base {
                "いらっしゃる" => format!("{prefix}{act}になる"),
                "いただく" | "頂く" | "いただける" | "頂ける" => {
                    format!("{prefix}{act}{}", state.surface)
                }
                _ => return None,
            };
            (is_addressee_act(act) && !names_receiver(before)).then(|| Misused::from_here(length + 3, expected))
        }
        // お求めしやすい
        [suru, ease, ..] if suru.base == "する" && HUMBLE.guest_actions.contains(act) => {
            let is_ease = matches!(ease.base, "やすい" | "にくい" | "づらい" | "易い" | "難い");
            let expected = || format!("{prefix}{act}になり{}", ease.surface);
            is_ease.then(|| Misused::from_here(length + 2, expected()))
        }
        [asked, ..] if is_kudasaru(asked) || is_thanks(asked) => {
            Some(Misused::from_here(length + 1, HUMBLE.honorific_of_act(act)?))
        }
        [ni, naru, ..] if ni.surface == "に" && matches!(naru.base, "なる" | "なれる") => {
            Some(Misused::from_here(length + 2, HUMBLE.honorific_of_act(act)?))
        }
        _ => None,
    }
}

/// True for acts of the addressee, which お…する would lower.
fn is_addressee_act(act: &str) -> bool {
    HUMBLE.guest_actions.contains(act) || HUMBLE.addressee_actions.contains(act)
}

/// True for what follows an act that one is thankful for: ご拝読ありがとうございます.
fn is_thanks(word: &Morpheme<'_>) -> bool {
    matches!(word.base, "いただく" | "頂く" | "賜る" | "たまわる" | "ありがとう" | "ありがたい")
}

fn is_humble_suru(word: &Morpheme<'_>) -> bool {
    matches!(word.base, "する" | "いたす" | "致す")
}

fn names_staff(before: &[Morpheme<'_>]) -> bool {
    before[before.len().saturating_sub(REACH)..].iter().any(|word| HUMBLE.staff.contains(word.surface))
}

/// True if someone to be honoured receives an act: お客様をご案内してくださった.
fn names_receiver(before: &[Morpheme<'_>]) -> bool {
    let near = &before[before.len().saturating_sub(3 * REACH)..];
    near.windows(2).any(|pair| {
        let is_other = HUMBLE.is_honoured(&pair[0]) || HUMBLE.is_title(&pair[0]);
        is_other && is_particle(Some(&pair[1]), &["を", "に", "へ"])
    })
}

/// Returns お or ご, what follows it in the same noun, and the words after that: of お|利用|でき|ます and お待ち|し|て.
pub(super) fn polite_noun<'w, 'a>(words: &'w [Morpheme<'a>]) -> Option<(&'a str, &'a str, &'w [Morpheme<'a>])> {
    const PREFIXES: [&str; 3] = ["お", "ご", "御"];
    match words {
        [prefix, act, rest @ ..] if prefix.has_parts(&["接頭詞"]) && PREFIXES.contains(&prefix.surface) => {
            Some((prefix.surface, act.surface, rest))
        }
        [whole, rest @ ..] if whole.has_parts(&["名詞"]) => {
            let prefix = PREFIXES.into_iter().find(|prefix| whole.surface.starts_with(prefix))?;
            Some((&whole.surface[..prefix.len()], &whole.surface[prefix.len()..], rest))
        }
        _ => None,
    }
}

/// お客様が申しました: a humble verb for someone to be honoured.
fn honoured_humbled(words: &[Morpheme<'_>]) -> Option<Misused> {
    let [subject, particle, rest @ ..] = words else { return None };
    if !HUMBLE.is_honoured(subject) || !is_particle(Some(particle), &["が"]) {
        return None;
    }
    let verb = verb_of_subject(rest, |word| HUMBLE.never_of_honoured.contains(word.base))?;
    let honorific = HUMBLE.honorific(&rest[verb])?;
    let is_honoured_twice = rest.get(verb + 1).is_some_and(|next| matches!(next.base, "れる" | "られる"));
    (!is_honoured_twice).then(|| Misused::from_here(2 + verb + 1, honorific))
}

/// 先生も参りますか, 部長はおりますか: a question with a humble verb.
fn asked_humbly(words: &[Morpheme<'_>]) -> Option<Misused> {
    let [subject, particle, rest @ ..] = words else { return None };
    let is_other = HUMBLE.is_honoured(subject) || HUMBLE.is_title(subject);
    if !is_other || !is_particle(Some(particle), &["は", "が", "も"]) {
        return None;
    }
    let verb = verb_of_subject(rest, |word| {
        let is_humble = word.surface == "おり" || HUMBLE.asked_verbs.contains(word.base);
        is_humble && !word.has_parts(&["動詞", "非自立"])
    })?;
    // 何と申しますか asks for a name. おり is おりる to the dictionary, which is meant after を and で.
    let is_name = verb.checked_sub(1).is_some_and(|before| rest[before].surface.ends_with('と'));
    let is_ori = rest[verb].surface == "おり";
    let is_descent =
        is_ori && rest[..verb].iter().any(|word| matches!(word.surface, "を" | "で") && word.has_parts(&["助詞"]));
    let is_asked = match &rest[verb + 1..] {
        [masu, ka, ..] if masu.base == "ます" && ka.surface == "か" => true,
        [masu, ta, ka, ..] => masu.base == "ます" && ta.base == "た" && ka.surface == "か",
        _ => false,
    };
    let expected = if is_ori { "いらっしゃる" } else { HUMBLE.honorific(&rest[verb])? };
    (is_asked && !is_name && !is_descent).then(|| Misused::from_here(2 + verb + 3, expected))
}

/// 存じていますか, 社長、存じておりますか: a question to someone with a humble verb for what that person knows.
fn knows_humbly(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    match words {
        [know, te, oide, ..] if know.base == "存じ上げる" && te.surface == "て" && oide.surface == "おいで" => {
            Some(Misused::from_here(3, "ご存じ"))
        }
        [know, te, rest @ ..]
            if matches!(know.base, "存じる" | "存ずる" | "存じ上げる") && matches!(te.surface, "て" | "てい") =>
        {
            let is_asked = |at: &usize| match &rest[*at..] {
                [yo, ne, ..] if yo.surface == "よ" => ne.surface == "ね",
                [ka, ..] => ka.surface == "か",
                [] => false,
            };
            let asked = (0..rest.len().min(4)).find(is_asked)?;
            let is_polite = rest[..asked].iter().any(|word| matches!(word.base, "ます" | "です"));
            let is_of_speaker = rest[..asked].iter().any(|word| match word.base {
                "おる" => !calls_honoured(before, &["、", "は", "が", "も"]),
                base => matches!(base, "ない" | "ん"),
            });
            (is_polite && !is_of_speaker).then(|| Misused::from_here(2 + asked + 1, "ご存じですか"))
        }
        _ => None,
    }
}

/// お客様、どういたしましたか, お飲み物は何にいたしますか: a question with いたす for what someone to be honoured does.
fn asked_directly(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let (verb, rest) = words.split_first().filter(|(verb, _)| matches!(verb.base, "いたす" | "致す"))?;
    let asked = rest.iter().take(3).position(|word| word.surface == "か")?;
    let is_plain = rest[..asked].iter().all(|word| matches!(word.base, "ます" | "た"));
    let is_past = rest[..asked].iter().any(|word| word.base == "た");
    let ends_in = |ends: &[&str]| before.last().is_some_and(|word| ends.contains(&word.surface));
    let chooses = ends_in(&["に"]) && before.len() > 1 && before[before.len() - 2].surface == "何";
    let orders = || before.iter().rev().take(SENTENCE_REACH).any(|word| HUMBLE.orders.contains(word.surface));
    let is_asked = (is_past && ends_in(&["どう", "どうか", "か", "いかが"]) && calls_honoured(before, &["、"]))
        || (chooses && !is_past && (orders() || calls_honoured(before, &["、"])));
    (is_plain && is_asked && verb.inflection.is_some()).then(|| Misused::from_here(1, "なさる"))
}

/// 先生、あの本はもう拝読しましたか, 部長、お昼はいただきましたか: a question about what someone to be honoured has done.
fn asked_done(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let (length, expected) = match (polite_noun(words), words) {
        (Some((prefix, act, rest)), _) => {
            let is_polite_noun = HUMBLE.polite_nouns.contains(act);
            let is_humble_suru = rest.first().is_some_and(|suru| suru.base == "する");
            if is_polite_noun || !is_humble_suru || names_receiver(before) {
                return None;
            }
            (words.len() - rest.len() + 1, format!("{prefix}{act}になる"))
        }
        (None, [noun, suru, ..]) if noun.has_parts(&["名詞"]) && suru.base == "する" => {
            (2, HUMBLE.honorific(noun)?.to_owned())
        }
        (None, [verb, ..]) if HUMBLE.asked_verbs.contains(verb.base) && verb.has_parts(&["動詞", "自立"]) => {
            (1, HUMBLE.honorific(verb)?.to_owned())
        }
        _ => return None,
    };
    let [masu, ta, ka, ..] = &words[length..] else { return None };
    let is_asked = masu.base == "ます" && ta.base == "た" && ka.surface == "か";
    let sentence = before.iter().rev().take(SENTENCE_REACH).take_while(|word| !word.has_parts(&["記号", "句点"]));
    let has_speaker = sentence.into_iter().any(|word| HUMBLE.speaker.contains(word.surface));
    (is_asked && !has_speaker && calls_honoured(before, &["、"])).then(|| Misused::from_here(length, expected))
}

/// True if someone to be honoured is addressed: お客様、.
fn calls_honoured(before: &[Morpheme<'_>], signs: &[&str]) -> bool {
    let sentence =
        before.iter().rev().take(SENTENCE_REACH).take_while(|word| !word.has_parts(&["記号", "句点"])).count();
    before[before.len() - sentence..].windows(2).any(|pair| {
        let is_other = HUMBLE.is_honoured(&pair[0]) || HUMBLE.is_title(&pair[0]);
        is_other && signs.contains(&pair[1].surface)
    })
}

/// Returns the index of the verb that follows a subject, without another subject or the end of a sentence between them.
fn verb_of_subject(rest: &[Morpheme<'_>], is_verb: impl Fn(&Morpheme<'_>) -> bool) -> Option<usize> {
    let verb = rest.iter().take(REACH + 1).position(&is_verb).or_else(|| quoting_verb(rest, is_verb))?;
    // 船長は、軌道を変えたいとおっしゃっています: what is quoted has verbs and particles of its own.
    if verb > REACH {
        return Some(verb);
    }
    let has_other = rest[..verb].iter().any(|word| {
        word.has_parts(&["記号", "句点"])
            || is_particle(Some(word), &["が", "は", "も", "の", "と"])
            || word.has_parts(&["動詞", "自立"])
    });
    (!has_other).then_some(verb)
}

/// Returns the index of the verb after a quotation that follows a subject directly, in the same sentence.
fn quoting_verb(rest: &[Morpheme<'_>], is_verb: impl Fn(&Morpheme<'_>) -> bool) -> Option<usize> {
    let sentence = rest.iter().take(SENTENCE_REACH).take_while(|word| !word.has_parts(&["記号", "句点"])).count();
    let subject = |word: &Morpheme<'_>| is_particle(Some(word), &["が", "は", "も"]);
    (REACH + 1..sentence)
        .find(|at| is_verb(&rest[*at]) && is_particle(Some(&rest[at - 1]), &["と"]) && !rest[..*at].iter().any(subject))
}
