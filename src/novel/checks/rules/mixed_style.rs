//! Rule `mixed_style`: finds polite sentences in a plain narration, and plain ones in a polite one.

use super::{RuleReporter, stretches};
use crate::{
    checks::{
        features::is_told_speech,
        finding::{Finding, Severity},
        material::CheckMaterial,
    },
    manuscript::TextVoice,
    morphology::Morpheme,
    text::ManuscriptSentence,
};

/// The number of consecutive sentences in the rarer style from which they are a passage of their own: a letter, a
/// frame, a thought.
const PASSAGE: usize = 4;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    let (mut styles, mut told): (Vec<(&ManuscriptSentence, bool)>, usize) = (Vec::new(), 0);
    let (mut sentences, mut spoken) = (0_usize, 0_usize);
    for (at, sentence, words) in material.sentences_in_voice(TextVoice::Narration) {
        if is_inset(material, sentence) {
            continue;
        }
        sentences += 1;
        spoken += usize::from(is_to_listener(words));
        let Some(is_polite) = is_polite(words) else { continue };
        if is_polite && is_told_speech(material, at) {
            told += 1;
        } else {
            styles.push((sentence, is_polite));
        }
    }
    let polite = styles.iter().filter(|(_, is_polite)| *is_polite).count();
    let (rarer, is_rarer_polite) =
        if polite * 2 <= styles.len() { (polite, true) } else { (styles.len() - polite, false) };
    if styles.len() < found.limit("least") || rarer as f64 > found.threshold("largest_share") * styles.len() as f64 {
        return;
    }
    // A polite narrator may think plainly for a moment.
    let is_oral = spoken as f64 >= found.threshold("oral_share") * sentences as f64;
    let (value, severity) = if is_rarer_polite && (told > polite || is_oral) {
        // A narrator who tells so much speech without brackets tells the rest as well; one who talks to a listener mixes.
        ("です・ます", Severity::Info)
    } else if is_rarer_polite {
        ("です・ます", Severity::Medium)
    } else {
        ("だ・である", Severity::Low)
    };
    for row in styles.chunk_by(|one, other| one.1 == other.1) {
        if row[0].1 == is_rarer_polite && row.len() < PASSAGE {
            for (sentence, _) in row {
                found.push_with_severity(severity, Finding::at(sentence.source()).with("value", value));
            }
        }
    }
}

/// True if a sentence stands in a paragraph with a deeper indent (a notice, a post, a letter), or in one between 【 and 】 (the
/// voice of a system).
fn is_inset(material: &CheckMaterial<'_>, sentence: &ManuscriptSentence) -> bool {
    let source = material.manuscript().source();
    let start = source[..sentence.source().start].rfind('\n').map_or(0, |end| end + 1);
    let paragraph = source[start..].lines().next().unwrap_or_default();
    paragraph.starts_with("　　") || (paragraph.trim().starts_with('【') && paragraph.trim().ends_with('】'))
}

/// True if a sentence ends in a particle that speaks to a listener: よ, ね, わ.
fn is_to_listener(words: &[Morpheme<'_>]) -> bool {
    let end = words.iter().rev().find(|word| !word.has_parts(&["記号"]));
    end.is_some_and(|word| word.has_parts(&["助詞", "終助詞"]) && word.surface != "か")
}

/// Polite endings of Kyoto and Osaka, which the dictionary does not know.
const POLITE_ENDS: [&str; 8] = ["どす", "どした", "どすえ", "おす", "おした", "まへん", "まへなんだ", "ましてん"];

/// True if a sentence ends politely; `None` if its ending is neutral.
fn is_polite(words: &[Morpheme<'_>]) -> Option<bool> {
    let last = stretches::stretches(words).pop().filter(|stretch| !stretch.is_quoted)?;
    let is_mark = |word: &&Morpheme<'_>| word.has_parts(&["記号"]);
    let end: Vec<&Morpheme<'_>> = last.words.iter().rev().skip_while(is_mark).collect();
    let text: String = end.iter().take(4).rev().map(|word| word.surface).collect();
    if POLITE_ENDS.iter().any(|polite| text.ends_with(polite)) {
        return Some(true);
    }
    let inflection = end.first()?.inflection?;
    let auxiliaries = end.iter().take_while(|word| word.has_parts(&["助動詞"])).count();
    let is_polite = |at: usize| match end[at].base {
        // 部屋でしょう: a plain narrator says so, too.
        "です" if end[at].surface.starts_with("でしょ") => false,
        "です" => true,
        // The まし of 持てあました is not a form of ます.
        "ます" => end.get(at + 1).is_some_and(|before| before.surface != "あ"),
        _ => false,
    };
    if (0..auxiliaries).any(is_polite) {
        return Some(true);
    }
    if end[..auxiliaries].iter().any(|word| word.surface.starts_with("でしょ")) {
        return None;
    }
    // 一まい counts things.
    let is_counter = end[0].surface == "まい" && end.get(1).is_some_and(|before| before.has_parts(&["名詞", "数"]));
    (inflection.form == "基本形" && !is_counter).then_some(false)
}
