//! A sentence in the other style: plain narration with one polite sentence.

use fumi_novel::{checks::CheckMaterial, manuscript::TextVoice, morphology::Morpheme};

use super::{Fault, is_bare, verbs::continuing_stem};

/// True if the narration is polite, in more than one sentence of five.
pub(super) fn is_polite(clean: &CheckMaterial<'_>) -> bool {
    let ends: Vec<bool> = clean
        .sentences_in_voice(TextVoice::Narration)
        .map(|(_, _, words)| words.iter().rev().take(4).any(is_polite_word))
        .collect();
    ends.iter().filter(|is_polite| **is_polite).count() * 5 > ends.len()
}

fn is_polite_word(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["助動詞"]) && matches!(word.base, "です" | "ます")
}

/// Puts the end of a plain sentence into です or ます.
pub(super) fn mixed_style(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let narrated = clean.sentences_in_voice(TextVoice::Narration).count();
    if is_polite(clean) || narrated < 12 {
        return Vec::new();
    }
    let mut places = Vec::new();
    for (_, sentence, words) in clean.sentences_in_voice(TextVoice::Narration) {
        let [before @ .., last, stop] = words else { continue };
        let Some(penult) = before.last() else { continue };
        let is_plain = [penult, last]
            .iter()
            .all(|word| is_bare(clean, word) && !is_polite_word(word));
        let is_joined = penult.source.end == last.source.start && last.source.end == stop.source.start;
        if stop.surface != "。" || !is_plain || !is_joined || sentence.source().end != stop.source.end {
            continue;
        }
        let Some((from, text)) = polite(before.len().checked_sub(2).map(|at| &before[at]), penult, last) else {
            continue;
        };
        let range = from..last.source.end;
        let (ahead, behind) = (range.start - sentence.source().start, stop.source.len());
        places.push(Fault::replaced(range, text).reaching(ahead, behind));
    }
    places
}

/// Returns the polite form of an end, and its start.
fn polite(third: Option<&Morpheme<'_>>, penult: &Morpheme<'_>, last: &Morpheme<'_>) -> Option<(usize, String)> {
    if last.surface == "た" || last.surface == "だ" {
        if !last.has_parts(&["助動詞"]) {
            return None;
        }
        if penult.base == "だ" && penult.surface == "だっ" {
            return Some((penult.source.start, "でした".to_owned()));
        }
        if last.base == "だ" {
            let is_noun = matches!(penult.parts[0], "名詞") || penult.has_parts(&["助詞", "副助詞"]);
            return is_noun.then(|| (last.source.start, "です".to_owned()));
        }
        // であった has a form of its own.
        if third.is_some_and(|third| third.base == "だ") {
            return None;
        }
        return masu(penult).map(|stem| (penult.source.start, format!("{stem}ました")));
    }
    if last.has_parts(&["動詞"]) && last.inflection.is_some_and(|inflection| inflection.form == "基本形") {
        return masu(last).map(|stem| (last.source.start, format!("{stem}ます")));
    }
    // のである, である
    if last.base == "ある" && last.has_parts(&["助動詞"]) && penult.surface == "で" && penult.base == "だ" {
        return Some((penult.source.start, "です".to_owned()));
    }
    None
}

/// Returns the form before ます.
fn masu(verb: &Morpheme<'_>) -> Option<String> {
    if !verb.has_parts(&["動詞"]) {
        return None;
    }
    let kind = verb.inflection?.kind;
    match kind {
        "五段・ラ行特殊" => None,
        _ if kind.starts_with("五段") => continuing_stem(verb.base),
        _ if kind.starts_with("一段") => verb.base.strip_suffix('る').map(str::to_owned),
        "サ変・スル" => Some("し".to_owned()),
        "カ変・来ル" => Some("来".to_owned()),
        "カ変・クル" => Some("き".to_owned()),
        _ => None,
    }
}
