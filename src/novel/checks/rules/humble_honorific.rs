//! Rule `humble_honorific`: finds humble verbs that are to honour someone, and honorific ones for one's own side: 部長が申された.

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::humble::HUMBLE, manuscript::TextVoice, morphology::Morpheme};

/// The maximum number of words between a subject and its verb.
const REACH: usize = 4;

/// The maximum number of words from a subject to the verb after what it says.
const QUOTATION: usize = 16;

/// A misused word: the number of words from a place on, and what is expected instead.
type Misused = (usize, String);

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for stretch in stretches::story_stretches(material) {
        let words = stretch.words;
        for at in 0..words.len() {
            let (before, rest) = words.split_at(at);
            let misused = honouring_humble(before, rest)
                .or_else(|| prefixed(rest))
                .or_else(|| own_side_honoured(before, rest).filter(|_| is_spoken(material, rest)))
                .or_else(|| honoured_humbled(rest))
                .or_else(|| asked_humbly(rest))
                .or_else(|| knows_humbly(rest));
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

fn is_order(word: &Morpheme<'_>) -> bool {
    word.inflection.is_some_and(|inflection| inflection.form.starts_with("命令"))
}

fn is_kudasaru(word: &Morpheme<'_>) -> bool {
    matches!(word.base, "くださる" | "下さる")
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
    // 皆様に助けていただかれた has an auxiliary verb.
    if word.has_parts(&["動詞", "非自立"]) || is_toward_another(before, word, rest) {
        return None;
    }
    // 拝見 is a noun with する or なさる.
    let (length, after) = match rest {
        [nasaru, ..] if is_noun && matches!(nasaru.base, "なさる" | "為さる") => {
            return (!is_order(nasaru)).then(|| (2, honorific.to_owned()));
        }
        [suru, after @ ..] if is_noun && suru.base == "する" => (2, after),
        _ if is_noun => return None,
        after => (1, after),
    };
    let honouring = match after {
        [first, ..] if first.has_parts(&["動詞", "接尾"]) && matches!(first.base, "れる" | "られる") => 1,
        [te, asked, ..] if te.surface == "て" && is_kudasaru(asked) => 2,
        _ => return None,
    };
    Some((length + honouring, honorific.to_owned()))
}

/// ご利用できます, ご利用してください, お伺いください: お or ご with a humble form for what someone else does.
fn prefixed(words: &[Morpheme<'_>]) -> Option<Misused> {
    let (prefix, act, rest) = polite_noun(words)?;
    let length = words.len() - rest.len();
    match rest {
        [can, ..] if matches!(can.base, "できる" | "出来る") && HUMBLE.guest_actions.contains(act) => {
            Some((length + 1, format!("{prefix}{act}になれる")))
        }
        [suru, te, asked, ..] if suru.base == "する" && te.surface == "て" && is_kudasaru(asked) => {
            let is_own = HUMBLE.guest_actions.contains(act) || HUMBLE.own_actions.contains(act);
            // お教えしてくださった: what someone did for the speaker.
            let is_favour = !is_order(asked) && prefix == "お";
            (is_own || is_favour).then(|| (length + 3, format!("{prefix}{act}{}", asked.surface)))
        }
        // お求めしやすい
        [suru, ease, ..] if suru.base == "する" && HUMBLE.guest_actions.contains(act) => {
            let is_ease = matches!(ease.base, "やすい" | "にくい" | "づらい" | "易い" | "難い");
            is_ease.then(|| (length + 2, format!("{prefix}{act}になり{}", ease.surface)))
        }
        [asked, ..] if is_kudasaru(asked) => Some((length + 1, HUMBLE.asked_of(act)?.to_owned())),
        [ni, naru, ..] if ni.surface == "に" && matches!(naru.base, "なる" | "なれる") => {
            Some((length + 2, HUMBLE.asked_of(act)?.to_owned()))
        }
        _ => None,
    }
}

/// Returns お or ご, what follows it in the same noun, and the words after that: of お|利用|でき|ます and お待ち|し|て.
fn polite_noun<'w, 'a>(words: &'w [Morpheme<'a>]) -> Option<(&'a str, &'a str, &'w [Morpheme<'a>])> {
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
    // いらっしゃい and おっしゃるとおり are others' words, and ご覧に入れる is humble.
    let after = &rest[verb + 1..];
    let is_said = match after {
        [ni, naru, ..] if rest[verb].has_parts(&["名詞"]) => ni.surface == "に" && naru.base == "なる",
        [next, ..] if is_order(next) => false,
        [next, ..] => next.has_parts(&["助動詞"]) || matches!(next.surface, "て" | "ながら"),
        [] => false,
    };
    if !is_said {
        return None;
    }
    // おっしゃった言葉, おっしゃったと: the verb may have another subject.
    let after = after.iter().find(|word| !word.has_parts(&["助動詞"]) && !word.has_parts(&["動詞", "接尾"]));
    let is_clause = after.is_some_and(|word| word.has_parts(&["名詞"]) || word.surface == "と");
    (!is_clause || is_speaker).then(|| (2 + verb + 1, HUMBLE.humble(&rest[verb]).unwrap_or_default().to_owned()))
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
    (!is_honoured_twice).then(|| (2 + verb + 1, honorific.to_owned()))
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
    let is_descent = is_ori && rest[..verb].iter().any(|word| matches!(word.surface, "を" | "で"));
    let is_asked = matches!(&rest[verb + 1..], [masu, ka, ..] if masu.base == "ます" && ka.surface == "か");
    let expected = if is_ori { "いらっしゃる" } else { HUMBLE.honorific(&rest[verb])? };
    (is_asked && !is_name && !is_descent).then(|| (2 + verb + 3, expected.to_owned()))
}

/// 存じていますか: a question to someone with a humble verb for what that person knows.
fn knows_humbly(words: &[Morpheme<'_>]) -> Option<Misused> {
    match words {
        [know, te, rest @ ..] if matches!(know.base, "存じる" | "存ずる") && matches!(te.surface, "て" | "てい") =>
        {
            let asked = rest.iter().take(4).position(|word| word.surface == "か")?;
            let is_polite = rest[..asked].iter().any(|word| matches!(word.base, "ます" | "です"));
            let is_own = rest[..asked].iter().any(|word| matches!(word.base, "おる" | "ない" | "ん"));
            (is_polite && !is_own).then(|| (2 + asked + 1, "ご存じですか".to_owned()))
        }
        _ => None,
    }
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
    let sentence = rest.iter().take(QUOTATION).take_while(|word| !word.has_parts(&["記号", "句点"])).count();
    let subject = |word: &Morpheme<'_>| is_particle(Some(word), &["が", "は", "も"]);
    (REACH + 1..sentence)
        .find(|at| is_verb(&rest[*at]) && is_particle(Some(&rest[at - 1]), &["と"]) && !rest[..*at].iter().any(subject))
}
