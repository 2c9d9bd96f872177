//! Finds the person who acts in a clause whose predicate raises or lowers that person, for the rule `humble_honorific`:
//! 妻がお作りになった, 先生が私に差し上げた.

use super::humble_honorific::{Misused, is_order, is_particle, polite_noun};
use crate::{lexicons::humble::HUMBLE, morphology::Morpheme};

/// The maximum number of words of a clause before its predicate.
const CLAUSE: usize = 24;

/// The maximum number of words of a surname.
const SURNAME: usize = 3;

/// The one who acts in a clause.
struct Subject<'w, 'a> {
    /// The words before the noun.
    before: &'w [Morpheme<'a>],
    noun: &'w Morpheme<'a>,
    particle: &'a str,
    /// The words between the particle and the predicate.
    between: &'w [Morpheme<'a>],
    /// True if a clause about a noun or something said is between, so that the noun may be the subject of that.
    is_far: bool,
}

/// A predicate with お or ご, or with a verb that has a humble or honorific one beside it.
struct Act {
    /// The number of words.
    length: usize,
    expected: String,
}

/// 母がお作りになった, 私どもの課長がご説明なさいます, わたくしも召し上がります: an honorific predicate for one's own side.
pub(super) fn own_raised(before: &[Morpheme<'_>], words: &[Morpheme<'_>], is_spoken: bool) -> Option<Misused> {
    let act = raising(words)?;
    // 出張していらっしゃる has a verb before the auxiliary.
    let clause = if words[0].has_parts(&["動詞", "非自立"]) { before_auxiliary(before)? } else { before };
    let subject = subject_before(clause)?;
    let is_speaker = is_speaker(subject.before, subject.noun);
    let is_determined = is_determined_own(subject.before, subject.noun);
    let is_own = is_speaker || (is_spoken && (is_determined || is_bare_own(subject.before, subject.noun)));
    let has_comma = subject.between.first().is_some_and(|word| word.surface == "、");
    // 父がよろしくとおっしゃった: what is said has no subject of its own.
    let is_near = !subject.is_far || (subject.particle == "が" && has_comma) || subject.particle == "は";
    // 父がくださった: a father may give with honour, the speaker never.
    let is_gift = matches!(words[0].base, "くださる" | "下さる");
    if !is_own || !is_near || (is_gift && !(is_speaker && subject.particle == "が")) {
        return None;
    }
    let said = End::new(&words[act.length..]);
    let is_sure = match subject.particle {
        "が" if is_speaker => said.is_statement || (said.is_about_noun && !has_comma) || said.is_likened,
        "が" => said.is_statement || (said.is_about_noun && !has_comma && is_determined),
        // 私は、ご覧になるとよいと思います: the topic of what someone else does.
        _ => said.is_statement,
    };
    is_sure.then(|| Misused { back: before.len() - subject.before.len(), length: act.length, expected: act.expected })
}

/// 先生が私に差し上げた, 教授がお書きした, お客様が存じています: a humble predicate for someone to be honoured.
pub(super) fn honoured_lowered(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let (act, toward) = lowering(words)?;
    let subject = subject_before(before)?;
    let noun = subject.noun;
    let has_prefix = subject.before.last().is_some_and(|word| word.has_parts(&["接頭詞"]) && is_prefix(word.surface));
    let is_other = HUMBLE.is_honoured(noun) || HUMBLE.is_title(noun) || has_prefix;
    let is_own = is_determined_own(subject.before, noun) || subject.particle == "も";
    let is_topic = subject.particle == "は";
    if !is_other || is_own || (subject.is_far && !is_topic) {
        return None;
    }
    let is_exalted = HUMBLE.is_exalted(noun);
    let rest = &words[act.length..];
    if matches!(rest, [next, ..] if matches!(next.base, "れる" | "られる")) {
        return None;
    }
    let is_addressed = HUMBLE.addressed.contains(noun.surface);
    let is_at_home = subject.between.iter().any(|word| HUMBLE.own_places.contains(word.surface));
    let to_speaker = is_at_home
        || subject.between.windows(2).any(|pair| {
            HUMBLE.speaker.contains(pair[0].surface)
                && matches!(pair[1].surface, "に" | "へ" | "を" | "ども" | "の" | "たち")
        });
    // 先生が陛下に申し上げた raises someone else, and so does お連れしたお客様.
    let head = rest.iter().find(|word| word.has_parts(&["名詞"]) && !word.has_parts(&["名詞", "非自立"]));
    let raises_another =
        subject.between.iter().chain(head).any(|word| HUMBLE.is_honoured(word) || HUMBLE.is_title(word));
    let head_follows = End::new(rest).is_about_noun;
    let has_object = subject.between.iter().any(|word| word.surface == "を");
    let has_aim = subject.between.iter().any(|word| matches!(word.surface, "に" | "へ" | "から" | "の"));
    let is_sure = match toward {
        Toward::Nobody => !is_topic || has_object,
        Toward::Someone => (to_speaker && (!is_topic || has_object)) || (is_addressed && !is_topic),
        Toward::Place => !is_topic && (is_addressed || (is_exalted && is_at_home)),
        Toward::Seen => (has_object || (head_follows && !is_topic)) && (to_speaker || (is_exalted && !has_aim)),
        Toward::Known => !is_topic && is_exalted,
        Toward::Guest => !is_topic && is_exalted && !has_aim,
    };
    (is_sure && !raises_another).then(|| Misused {
        back: before.len() - subject.before.len(),
        length: act.length,
        expected: act.expected,
    })
}

/// 私に差し上げてください, うちの息子にお小遣いを差し上げる: a gift to one's own side with a verb that raises who receives it.
pub(super) fn own_given(before: &[Morpheme<'_>], words: &[Morpheme<'_>], is_spoken: bool) -> Option<Misused> {
    let give = words.first().filter(|word| matches!(word.base, "差し上げる" | "さしあげる"))?;
    // 教えて差し上げる is an auxiliary, 私に差し上げられるもの is what the speaker can give.
    let is_possible = words.get(1).is_some_and(|next| matches!(next.base, "られる" | "れる"));
    if is_possible || give.has_parts(&["動詞", "非自立"]) {
        return None;
    }
    let start = before.len().saturating_sub(CLAUSE / 2);
    let to = (start.max(1)..before.len()).rev().take_while(|at| is_within_clause(&before[*at]));
    let to = to.into_iter().find(|at| is_particle(before.get(*at), &["に", "へ"]))?;
    let (ahead, noun) = (&before[..to - 1], &before[to - 1]);
    let is_own = is_speaker(ahead, noun)
        || (is_spoken
            && HUMBLE.own_side.contains(noun.surface)
            && (is_determined_own(ahead, noun) || HUMBLE.own_young.contains(noun.surface) && is_bare_own(ahead, noun)));
    let expected = if is_speaker(ahead, noun) { "くださる" } else { "やる" };
    is_own.then(|| Misused { back: before.len() - to + 1, length: 1, expected: expected.to_owned() })
}

/// 妻がご病気でして, 母はお元気です: an honorific state of one's own side.
pub(super) fn own_state(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let (_, state, rest) = polite_noun(words)?;
    rest.first().filter(|word| matches!(word.base, "だ" | "です" | "で"))?;
    let subject = subject_before(before)?;
    let is_determined = is_determined_own(subject.before, subject.noun) || subject.particle == "が";
    // 父はご存じです may say that someone knows the father.
    let is_own = is_determined_own(subject.before, subject.noun)
        || (is_bare_own(subject.before, subject.noun) && (is_determined || state != "存じ"));
    let end = End::new(rest);
    let is_sure = is_own && !subject.is_far && HUMBLE.states.contains(state) && end.is_statement;
    let length = words.len() - rest.len();
    is_sure.then(|| Misused { back: before.len() - subject.before.len(), length, expected: state.to_owned() })
}

/// 先生は何と申していましたか: a question about what someone to be honoured said.
pub(super) fn honoured_quoted(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let (verb, rest) = words.split_first().filter(|(verb, _)| verb.base == "申す")?;
    let (te, rest) = rest.split_first().filter(|(te, _)| te.surface == "て")?;
    let asked = rest.iter().take(5).position(|word| word.surface == "か")?;
    let is_polite = rest[..asked].iter().any(|word| word.base == "ます");
    let start = before.len().saturating_sub(CLAUSE);
    let end = start + before[start..].iter().rposition(|word| is_particle(Some(word), &["は", "が"]))?;
    let subject = subject_before(&before[..=end])?;
    let is_other = HUMBLE.is_honoured(subject.noun) && !is_determined_own(subject.before, subject.noun);
    let is_plain = verb.inflection.is_some() && te.has_parts(&["助詞"]);
    (is_plain && is_polite && is_other).then(|| Misused {
        back: before.len() - subject.before.len(),
        length: 1,
        expected: "おっしゃる".to_owned(),
    })
}

/// 私からお電話をくださいます: a gift of the speaker with a verb that raises the giver.
pub(super) fn own_gift(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let [give, masu, ..] = words else { return None };
    let is_gift =
        give.has_parts(&["動詞", "自立"]) && matches!(give.base, "くださる" | "下さる") && masu.base == "ます";
    let start = before.len().saturating_sub(CLAUSE / 2);
    let clause = &before[start..];
    let from = clause.iter().rposition(|word| word.surface == "から")?;
    let has_subject = clause[from..].iter().any(|word| is_particle(Some(word), &["が", "は", "も"]));
    let speaker = clause[..from].iter().rposition(|word| HUMBLE.speaker.contains(word.surface))?;
    let is_side =
        clause[speaker + 1..from].iter().all(|word| matches!(word.surface, "の" | "ほう" | "方" | "ども" | "たち"));
    let is_whole = End::new(&words[1..]).is_statement && clause[from..].iter().all(is_within_clause);
    (is_gift && is_side && is_whole && !has_subject && clause.get(from + 1).is_some_and(|word| word.surface != "の"))
        .then(|| Misused { back: clause.len() - speaker, length: 2, expected: "差し上げる".to_owned() })
}

/// 弊社の社長様, 私どもの社長の黒田様は: 様 after someone of one's own house.
pub(super) fn own_titled(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let title = words.first().filter(|word| HUMBLE.is_title(word) && is_determined_own(before, word))?;
    // A surname may be several nouns to the dictionary.
    let name = match words.get(1)?.surface {
        "様" => return Some(Misused { back: 0, length: 2, expected: title.surface.to_owned() }),
        "の" => words[2..].iter().take(SURNAME + 1).take_while(|word| word.has_parts(&["名詞"])),
        _ => return None,
    };
    let length = 2 + name.clone().position(|word| word.surface == "様").filter(|length| *length > 0)?;
    let name: String = words[1..length].iter().map(|word| word.surface).collect();
    Some(Misused { back: 0, length: length + 1, expected: format!("{}{name}", title.surface) })
}

/// 担当は私でいらっしゃいます: an honorific verb of being for one's own side.
pub(super) fn own_named(before: &[Morpheme<'_>], words: &[Morpheme<'_>]) -> Option<Misused> {
    let [noun, de, verb, rest @ ..] = words else { return None };
    let is_own = is_speaker(before, noun) || is_determined_own(before, noun);
    let is_being = de.surface == "で" && verb.base == "いらっしゃる" && !rest.is_empty();
    let end = End::new(rest);
    (is_own && is_being && end.is_statement)
        .then(|| Misused { back: 0, length: 3, expected: "ございます".to_owned() })
}

/// お聞きになりたく参りました: an honorific verb for what the speaker wants.
pub(super) fn own_wish(words: &[Morpheme<'_>]) -> Option<Misused> {
    let act = raising(words)?;
    let [tai, verb, ..] = &words[act.length..] else { return None };
    let verb = if verb.surface == "、" || verb.surface == "て" { words.get(act.length + 2)? } else { verb };
    let is_own = matches!(verb.base, "参る" | "まいる" | "伺う" | "うかがう" | "存じる" | "存ずる" | "参上");
    (tai.base == "たい" && is_own).then_some(Misused { back: 0, length: act.length + 1, expected: act.expected })
}

/// How a sentence goes on after a predicate.
struct End {
    /// True if the clause ends there, states something and does not ask.
    is_statement: bool,
    /// True if the predicate describes a noun.
    is_about_noun: bool,
    /// True if よう or とおり follows with an ending between: おっしゃったように.
    is_likened: bool,
}

impl End {
    /// Reads the words after the predicate.
    fn new(after: &[Morpheme<'_>]) -> Self {
        let is_order = after.first().is_some_and(is_order) || after.get(1).is_some_and(is_order);
        let chain = after.iter().take_while(|word| {
            word.has_parts(&["助動詞"])
                || word.has_parts(&["動詞", "接尾"])
                || word.has_parts(&["動詞", "非自立"])
                || matches!(word.surface, "て" | "で" | "ん" | "の")
        });
        let length = chain.count();
        let next = after.get(length);
        let is_asked = after[length..].iter().take(2).any(|word| matches!(word.surface, "か" | "？" | "かしら"));
        let is_supposed =
            after[..length].iter().any(|word| matches!(word.surface, "でしょ" | "でしょう" | "だろ" | "だろう"));
        // 召し上がっていただきたい is another's act, いらっしゃったら、 a condition.
        let is_favour = |word: &Morpheme<'_>| matches!(word.base, "いただく" | "頂く" | "もらう" | "貰う");
        let is_condition =
            |word: &Morpheme<'_>| word.inflection.is_some_and(|inflection| inflection.form.starts_with("仮定"));
        let is_open = after[..length].iter().any(|word| is_favour(word) || is_condition(word));
        // お会いになりましたのは
        let is_fact =
            length > 1 && after[length - 1].surface == "の" && next.is_some_and(|word| word.has_parts(&["助詞"]));
        let is_about_noun =
            is_fact || next.is_some_and(|word| word.has_parts(&["名詞"]) || word.has_parts(&["接頭詞"]));
        let is_whole = next.is_none_or(|word| {
            word.has_parts(&["記号"])
                || word.has_parts(&["助詞", "終助詞"])
                || (word.has_parts(&["助詞", "接続助詞"]) && !matches!(word.surface, "と" | "ば" | "なら"))
        });
        let is_formal = next.is_some_and(|word| word.has_parts(&["名詞", "非自立"]));
        let is_ended = length > 0 || next.is_some_and(|word| matches!(word.surface, "、" | "ながら"));
        Self {
            is_statement: is_ended && !is_order && !is_asked && !is_supposed && !is_open && !is_about_noun && is_whole,
            is_about_noun: is_about_noun && !is_order && !is_formal,
            is_likened: length > 0 && is_formal && !is_order,
        }
    }
}

fn is_prefix(surface: &str) -> bool {
    matches!(surface, "お" | "ご" | "御")
}

/// True if お or ご and a word name an act: お持ち, お借り, ご説明, and not お世話 and ご馳走.
fn is_act(prefix: &str, act: &str, word: &Morpheme<'_>) -> bool {
    if HUMBLE.polite_nouns.contains(act) {
        return false;
    }
    let is_stem = act.ends_with(STEM_ENDS) && act.chars().next().is_some_and(|first| !('ぁ'..='ん').contains(&first));
    let is_verb = word.has_parts(&["動詞"]) && word.inflection.is_some_and(|inflection| inflection.form == "連用形");
    is_stem || is_verb || (prefix != "お" && word.has_parts(&["名詞", "サ変接続"]))
}

/// The last letters of a verb in 連用形.
const STEM_ENDS: [char; 20] = [
    'い', 'き', 'ぎ', 'し', 'ち', 'に', 'び', 'み', 'り', 'え', 'け', 'げ', 'せ', 'て', 'ね', 'べ', 'め', 'れ', 'ぜ',
    'じ',
];

fn raising(words: &[Morpheme<'_>]) -> Option<Act> {
    let word = words.first()?;
    if let Some((prefix, act, rest)) = polite_noun(words) {
        let length = words.len() - rest.len();
        let added = match rest {
            [ni, naru, ..] if ni.surface == "に" && naru.base == "なる" => 2,
            // お召しになる is お召, し, に and なる to the dictionary.
            [shi, ni, naru, ..] if shi.surface == "し" && ni.surface == "に" && naru.base == "なる" => {
                return (act == "召").then(|| Act { length: length + 3, expected: "着る".to_owned() });
            }
            [nasaru, ..] if matches!(nasaru.base, "なさる" | "為さる") => 1,
            _ => return None,
        };
        let expected = HUMBLE.humble(word).map(str::to_owned);
        let is_known = expected.is_some() || is_act(prefix, act, &words[length - 1]);
        return is_known
            .then(|| Act { length: length + added, expected: expected.unwrap_or_else(|| plain(prefix, act)) });
    }
    if word.has_parts(&["動詞", "自立"]) && matches!(word.base, "くださる" | "下さる") {
        return Some(Act { length: 1, expected: "差し上げる".to_owned() });
    }
    let expected = HUMBLE.humble(word).filter(|_| word.has_parts(&["動詞"]))?.to_owned();
    Some(Act { length: 1, expected })
}

/// お持ち becomes お持ちする, and お亡くなり 亡くなる.
fn plain(prefix: &str, act: &str) -> String {
    match act {
        "亡くなり" | "なくなり" => "亡くなる".to_owned(),
        act => format!("{prefix}{act}する"),
    }
}

/// Towards whom a humble act is directed.
enum Toward {
    /// お書きする: towards nobody.
    Nobody,
    /// 差し上げる, お見せする
    Someone,
    /// 拝見する
    Seen,
    /// 存じる
    Known,
    /// お連れする
    Guest,
    /// 参る, 伺う
    Place,
}

fn lowering(words: &[Morpheme<'_>]) -> Option<(Act, Toward)> {
    let word = words.first()?;
    if let Some((prefix, act, rest)) = polite_noun(words) {
        let length = words.len() - rest.len();
        let suru = rest.first().filter(|word| matches!(word.base, "する" | "いたす" | "致す"))?;
        // お召しした is お召 and し twice to the dictionary.
        let added = if rest.get(1).is_some_and(|next| next.base == "する") { 2 } else { 1 };
        let act = if added == 2 { format!("{act}{}", suru.surface) } else { act.to_owned() };
        // お休みする is polite, and neither humble nor honorific.
        if HUMBLE.polite_nouns.contains(&act) {
            return None;
        }
        let toward = if HUMBLE.acts_alone.contains(&act) || HUMBLE.guest_actions.contains(&act) {
            Toward::Nobody
        } else if HUMBLE.acts_on_guests.contains(&act) {
            Toward::Guest
        } else if is_act(prefix, &act, &words[length - 1]) {
            Toward::Someone
        } else {
            return None;
        };
        let expected = format!("{prefix}{act}になる");
        return Some((Act { length: length + added, expected }, toward));
    }
    let expected = HUMBLE.honorific(word)?.to_owned();
    if word.has_parts(&["名詞"]) {
        let suru = words.get(1)?;
        return (suru.base == "する").then_some((Act { length: 2, expected }, Toward::Seen));
    }
    let toward = match word.base {
        "申し上げる" | "差し上げる" => Toward::Someone,
        "存じる" | "存ずる" => Toward::Known,
        "参る" | "まいる" | "伺う" => Toward::Place,
        _ => return None,
    };
    let is_whole = !word.has_parts(&["動詞", "非自立"]);
    is_whole.then_some((Act { length: 1, expected }, toward))
}

fn is_speaker(before: &[Morpheme<'_>], noun: &Morpheme<'_>) -> bool {
    let is_group = matches!(noun.surface, "ども" | "たち" | "達" | "ら");
    HUMBLE.speaker.contains(noun.surface)
        || (is_group
            && before.last().is_some_and(|word| HUMBLE.speaker.contains(word.surface) || word.surface == "手前"))
}

/// True for うちの母 and 弊社の部長.
fn is_determined_own(before: &[Morpheme<'_>], noun: &Morpheme<'_>) -> bool {
    // 弊社の担当者 is one word more to the dictionary.
    let is_agent = noun.surface == "者" && before.last().is_some_and(|word| word.has_parts(&["名詞"]));
    let [.., house, no] = &before[..before.len() - usize::from(is_agent)] else { return false };
    let is_house = HUMBLE.own_house.contains(house.surface);
    let is_speaker = HUMBLE.speaker.contains(house.surface);
    let is_kin = HUMBLE.own_side.contains(noun.surface);
    let is_member = HUMBLE.staff.contains(noun.surface) || HUMBLE.own_members.contains(noun.surface);
    no.surface == "の" && ((is_house && (is_kin || is_member || HUMBLE.is_title(noun))) || (is_speaker && is_kin))
}

/// True for 父, and not for 殿下の母, お父様 and 亡くなった父, who may be someone else's.
fn is_bare_own(before: &[Morpheme<'_>], noun: &Morpheme<'_>) -> bool {
    let is_other = before.last().is_some_and(|last| {
        ["接頭詞", "連体詞", "名詞"].iter().any(|part| last.has_parts(&[part]))
            || last.inflection.is_some()
            || last.surface == "の"
    });
    !is_other && HUMBLE.own_side.contains(noun.surface)
}

/// True if a word neither ends a clause nor has a predicate of its own.
fn is_within_clause(word: &Morpheme<'_>) -> bool {
    !(word.has_parts(&["記号", "句点"])
        || word.has_parts(&["動詞", "自立"])
        || word.has_parts(&["助詞", "接続助詞"])
        || word.has_parts(&["記号", "括弧開"])
        || word.has_parts(&["記号", "括弧閉"]))
}

/// Returns the words before the verb of an auxiliary: 大阪へ of 大阪へ出張していらっしゃる.
fn before_auxiliary<'w, 'a>(before: &'w [Morpheme<'a>]) -> Option<&'w [Morpheme<'a>]> {
    let (te, chain) = before.split_last()?;
    let verb = chain.iter().rposition(|word| word.has_parts(&["動詞", "自立"]))?;
    let is_chain = chain[verb + 1..].iter().all(|word| word.has_parts(&["動詞"]) || word.has_parts(&["助動詞"]));
    (matches!(te.surface, "て" | "で") && is_chain).then_some(&before[..verb])
}

/// Returns the nearest subject before a predicate, without the end of a clause between them.
fn subject_before<'w, 'a>(before: &'w [Morpheme<'a>]) -> Option<Subject<'w, 'a>> {
    // 私が先生のおっしゃるとおりに: の has the subject.
    if before.last().is_some_and(|word| word.surface == "の") {
        return None;
    }
    let mut is_far = false;
    for at in (1..before.len()).rev().take(CLAUSE) {
        let (word, noun) = (&before[at], &before[at - 1]);
        let is_subject =
            word.has_parts(&["助詞"]) && matches!(word.surface, "が" | "は" | "も") && noun.has_parts(&["名詞"]);
        if is_subject && !word.has_parts(&["助詞", "接続助詞"]) {
            // 明日は is a time.
            if noun.has_parts(&["名詞", "副詞可能"]) && word.surface != "が" {
                continue;
            }
            let (ahead, between) = (&before[..at - 1], &before[at + 1..]);
            return Some(Subject { before: ahead, noun, particle: word.surface, between, is_far });
        }
        if word.has_parts(&["助詞", "格助詞"]) && word.surface == "と" && at + 1 == before.len() {
            is_far = true;
        } else if word.has_parts(&["動詞", "自立"]) || word.has_parts(&["形容詞", "自立"]) {
            let is_adverb =
                word.has_parts(&["形容詞"]) && word.inflection.is_some_and(|form| form.form.starts_with("連用"));
            if !is_adverb && !is_attributive(&before[at..]) && !is_far {
                return None;
            }
            // 若い頃に: an adjective has no one who acts.
            is_far |= word.has_parts(&["動詞"]);
        } else if matches!(word.surface, "て" | "で") && word.has_parts(&["助詞", "接続助詞"]) {
            // 黙って拝見し is one act, and after a comma someone else may act.
            if before.get(at + 1).is_some_and(|next| next.surface == "、") {
                return None;
            }
            is_far = true;
        } else if is_likeness(word)
            || word.inflection.is_some_and(|inflection| inflection.form.starts_with("仮定"))
            || !is_within_clause(word)
        {
            return None;
        }
    }
    None
}

/// True for みたい and よう, which end a clause about something else: 私が目上の者か何かみたいに扱いをなさる.
fn is_likeness(word: &Morpheme<'_>) -> bool {
    matches!(word.surface, "みたい" | "よう") && word.has_parts(&["名詞", "非自立"])
}

/// True if a verb and what belongs to it describe a noun: 描いた絵.
fn is_attributive(words: &[Morpheme<'_>]) -> bool {
    let length = words.windows(2).take_while(|pair| pair[1].continues(&pair[0])).count() + 1;
    let is_closed = words[length - 1]
        .inflection
        .is_some_and(|inflection| inflection.form == "基本形" || inflection.form.starts_with("体言接続"));
    let next = words.get(length);
    is_closed && next.is_some_and(|word| word.has_parts(&["名詞"]) || word.has_parts(&["接頭詞"]))
}
