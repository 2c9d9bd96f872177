//! Rule `typo`: finds slips of typing that leave no word or no form of a verb: 書いあった, 猫がを, 認めづに.

use super::{RuleReporter, phrasing, stretches};
use crate::{
    checks::{finding::Finding, material::CheckMaterial},
    lexicons::typos::TYPOS,
    manuscript::is_kanji,
    morphology::Morpheme,
};

/// The particles of case and topic, of which only some pairs may follow a noun.
const PARTICLES: [&str; 7] = ["を", "が", "は", "に", "で", "へ", "と"];

/// The pairs that may. と may follow every particle, since it also ends a quotation (馬鹿がと思う), and に a noun in で
/// (物詣でに).
const ALLOWED_PAIRS: [&str; 9] = ["には", "では", "とは", "へは", "へで", "とを", "とが", "とで", "でに"];

/// The first letters of what may follow 書い, 取っ and 仰い: た, て, だ, で, ちゃ, じゃ, とく, どく, ます, and sounds of speech.
const AFTER_EUPHONIC_FORM: &str = "ただてでちじづとどまっつこし";

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let mut findings = Vec::new();
    for words in stretches::narration_stretches(material) {
        let place = phrasing::visible(words);
        for (typo, right) in TYPOS.find(&material.text()[place.clone()]) {
            let typo = place.start + typo.start..place.start + typo.end;
            findings.push(phrasing::finding_with_wording_at(material, &typo, right));
        }
        findings.extend((1..words.len()).filter_map(|at| between(material, words, at)));
    }
    findings.sort_by_key(|finding| finding.source.start);
    for finding in findings {
        found.push(finding);
    }
}

/// Returns the slip between the words `at - 1` and `at` of a stretch.
fn between(material: &CheckMaterial<'_>, words: &[Morpheme<'_>], at: usize) -> Option<Finding> {
    let (before, rest) = words.split_at(at);
    let ([earlier @ .., word], [next, after @ ..]) = (before, rest) else { return None };
    let pair = &words[at - 1..=at];
    let written = |text: String| Some(phrasing::finding_with_wording(material, pair, &text));
    let unclear = |text: String| Some(phrasing::at(material, pair).with("expected", text));
    let (own, following) = (word.surface, next.surface);
    let form = form_of(word);
    let is_adjective = word.has_parts(&["形容詞"]);
    if word.has_parts(&["動詞"]) && form == "連用タ接続" && is_cut_euphonic_form(own, following) {
        let ending = if own.ends_with('ん') { ["だ", "で"] } else { ["た", "て"] };
        return unclear(ending.map(|ending| format!("{own}{ending}")).join("／"));
    }
    if word.has_parts(&["動詞"]) && form == "未然形" && following == "い" && ends_clause(after) {
        return written(format!("{own}ない"));
    }
    if word.has_parts(&["動詞"]) && form == "連用形" && next.base == "しまう" && next.has_parts(&["動詞"]) {
        return written(format!("{own}て{following}"));
    }
    if is_adjective && form == "基本形" && following.starts_with("かっ") {
        return written(format!("{}{following}", own.trim_end_matches('い')));
    }
    if own == "よう" && word.has_parts(&["名詞", "非自立"]) && lacks_ni(earlier, next) {
        return written(format!("{own}に{following}"));
    }
    if is_cut_verb(earlier, word) && following == "て" && after.first().is_some_and(|word| word.has_parts(&["動詞"]))
    {
        return unclear(["いて", "って", "んで"].map(|ending| format!("{own}{ending}")).join("／"));
    }
    if word.has_parts(&["動詞"]) && form == "未然形" && is_five_step(word) && matches!(following, "た" | "て") {
        return unclear(format!("{own}れ{following}"));
    }
    if let Some(right) = ending(word, next) {
        return written(right);
    }
    let [.., first] = earlier else { return None };
    if let Some((count, right)) = particle([first, word, next], after) {
        return Some(phrasing::finding_with_wording(material, &words[at + 1 - count..=at], &right));
    }
    let follows_noun = first.has_parts(&["名詞"]);
    if follows_noun && own == "わ" && word.has_parts(&["助詞"]) && begins_word(next) {
        return written(format!("は{following}"));
    }
    if is_wrong_pair(earlier, [word, next], after) {
        return unclear([own, following].join("／"));
    }
    None
}

/// Returns the right ending of a verb or of a form of だ: だた, ましたた, 見るた.
fn ending(word: &Morpheme<'_>, next: &Morpheme<'_>) -> Option<String> {
    if next.surface != "た" || !next.has_parts(&["助動詞"]) {
        return None;
    }
    let inflection = word.inflection?;
    if word.has_parts(&["助動詞"]) && matches!(word.surface, "だ" | "た") {
        return Some(if word.surface == "だ" { "だった" } else { "た" }.to_owned());
    }
    // A verb of one stem loses る before た; others change otherwise (飲むた).
    let is_plain = word.has_parts(&["動詞"]) && inflection.form == "基本形" && inflection.kind.starts_with("一段");
    word.surface.strip_suffix('る').filter(|_| is_plain).map(|stem| format!("{stem}た"))
}

/// Returns the right wording of a particle that was written as it is heard, or lost a letter (兵お出す, 廊下え逃げる,
/// してわいけない, 探すよに), with the number of words that it replaces.
fn particle([first, word, next]: [&Morpheme<'_>; 3], after: &[Morpheme<'_>]) -> Option<(usize, String)> {
    let (own, following) = (word.surface, next.surface);
    let is_noun = first.has_parts(&["名詞"]);
    let is_verb = next.has_parts(&["動詞"]);
    if own == "お" && word.has_parts(&["接頭詞"]) && is_noun && is_verb {
        // The polite お stands before the form that ends in an i or e, and た never follows it directly.
        let is_finite = matches!(form_of(next), "基本形" | "連用タ接続" | "仮定形");
        let is_past = form_of(next) == "連用形" && after.first().is_some_and(|word| word.surface == "た");
        return (is_finite || is_past).then(|| (2, format!("を{following}")));
    }
    if own == "え" && is_noun && is_verb && (word.has_parts(&["フィラー"]) || word.has_parts(&["感動詞"])) {
        // A single kanji may begin a verb: 圧えつける.
        return (first.surface.chars().count() > 1).then(|| (2, format!("へ{following}")));
    }
    if own == "わ" && word.has_parts(&["助詞"]) && matches!(first.surface, "て" | "で") && is_verb {
        return Some((2, format!("は{following}")));
    }
    let is_attributive = matches!(form_of(first), "基本形" | "体言接続");
    if own == "よ" && word.has_parts(&["名詞"]) && following == "に" && next.has_parts(&["助詞"]) && is_attributive
    {
        return Some((3, format!("{}ように", first.surface)));
    }
    None
}

fn form_of<'d>(word: &Morpheme<'d>) -> &'d str {
    word.inflection.map_or("", |inflection| inflection.form)
}

/// True for a verb of five steps (五段), whose 未然形 is not its 連用形.
fn is_five_step(verb: &Morpheme<'_>) -> bool {
    verb.inflection.is_some_and(|inflection| inflection.kind.starts_with("五段"))
}

/// True if a verb in the form before た and て is followed by something else. A kanji may begin a compound (追っ手), kana alone may
/// be another word, and いい may be good (気立のいい).
fn is_cut_euphonic_form(verb: &str, following: &str) -> bool {
    let next = following.chars().next();
    verb.contains(is_kanji)
        && !(verb.ends_with('い') && following.starts_with('い'))
        && next.is_some_and(|next| matches!(next, 'ぁ'..='ん') && !AFTER_EUPHONIC_FORM.contains(next))
}

/// True if わ before this word ends neither a sentence, as in women's speech, nor a word: 敵わない.
fn begins_word(next: &Morpheme<'_>) -> bool {
    next.surface == "、" || next.surface.starts_with(|letter| is_kanji(letter) || matches!(letter, 'ァ'..='ヶ'))
}

fn ends_clause(after: &[Morpheme<'_>]) -> bool {
    after
        .first()
        .is_none_or(|word| word.has_parts(&["記号"]) || matches!(word.surface, "と" | "か" | "の" | "けど" | "が"))
}

/// True if よう before this word lacks its に: a comparison (氷のよう冷たい), and よう between た and a noun (驚いたよう目を開く). After
/// other verbs, に may be left out (遅れないよう早く).
fn lacks_ni(earlier: &[Morpheme<'_>], next: &Morpheme<'_>) -> bool {
    let is_described = ["形容詞", "動詞", "副詞"].iter().any(|kind| next.has_parts(&[kind]));
    let is_form_of_da = matches!(next.base, "なる" | "ある");
    earlier.last().is_some_and(|word| match word.surface {
        "の" => is_described && !is_form_of_da,
        "た" => word.has_parts(&["助動詞"]) && next.has_parts(&["名詞"]) && next.surface.starts_with(is_kanji),
        _ => false,
    })
}

/// True for a single kanji that seems to be the stem of a verb, since no noun before it makes a longer word: 歩ている.
fn is_cut_verb(earlier: &[Morpheme<'_>], word: &Morpheme<'_>) -> bool {
    let mut letters = word.surface.chars();
    let is_kanji_alone = letters.next().is_some_and(is_kanji) && letters.next().is_none();
    let is_part = |word: &Morpheme<'_>| word.has_parts(&["名詞"]) || word.has_parts(&["接頭詞"]);
    is_kanji_alone && word.has_parts(&["名詞"]) && !earlier.last().is_some_and(is_part)
}

/// True if two particles follow a noun and one of them must be wrong: 猫がを. Not if kana follow, which may form a word with the
/// second (腹がはらはら), nor if the noun is a single kana, which may form a word with the first (や of やに, 脂).
fn is_wrong_pair(earlier: &[Morpheme<'_>], pair: [&Morpheme<'_>; 2], after: &[Morpheme<'_>]) -> bool {
    let follows_noun = earlier.last().is_some_and(|word| {
        word.has_parts(&["名詞"]) && (word.surface.contains(is_kanji) || word.surface.chars().count() > 1)
    });
    let is_pair = pair.iter().all(|word| word.has_parts(&["助詞"]) && PARTICLES.contains(&word.surface));
    let [first, second] = pair.map(|word| word.surface);
    let is_kana = |word: &Morpheme<'_>| word.surface.starts_with(|letter| matches!(letter, 'ぁ'..='ん'));
    let is_allowed = first == second || second == "と" || ALLOWED_PAIRS.contains(&format!("{first}{second}").as_str());
    follows_noun && is_pair && !is_allowed && !after.first().is_some_and(is_kana)
}
