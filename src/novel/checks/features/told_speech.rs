//! Speech that a narrator tells without brackets: ええ宿直です。宿直ですから、泊る事は泊りますと云い捨てた。
//!
//! Nothing marks its beginning; its end is marked by と or って and a verb of speaking. A sentence that is told belongs to
//! its speaker, and its manner is not a slip of the narrator.

use crate::{checks::material::CheckMaterial, lexicons::VERBS, morphology::Morpheme};

/// The maximum number of sentences after a told one up to its end.
const LONGEST_SPEECH: usize = 4;

/// The maximum number of words between と and the verb: adverbs, a listener, an object (来ましょうと、進まないのを無理に勧める).
const LONGEST_GAP: usize = 8;

/// Verbs that report words only after と or って: 来いと誘う, 済まないと書く.
const TELLING: [&str; 8] = ["聞く", "きく", "すすめる", "勧める", "書く", "誘う", "ある", "思う"];

/// Words before には or に that introduce told words.
const SOURCES: [&str; 10] = ["云う", "言う", "いう", "書く", "手紙", "葉書", "返事", "文面", "書面", "電報"];

/// True if a sentence of narration tells speech, together with the sentences after it in its paragraph.
pub fn is_told_speech(material: &CheckMaterial<'_>, sentence: usize) -> bool {
    let sentences = material.sentences();
    let Some(own) = sentences.get(sentence) else { return false };
    let own_words = material.words_of(sentence);
    let paragraph = (sentence..sentences.len()).take_while(|at| sentences[*at].line == own.line);
    // ご苦労さまです。と席に戻った。
    let is_closed = material.words_of(sentence + 1).first().is_some_and(|word| matches!(word.surface, "と" | "などと"));
    is_closed
        || is_introduced(own_words)
        || paragraph.take(LONGEST_SPEECH + 1).any(|at| {
            // A thought of the narrator ends within its own sentence.
            let is_verb = |word: &Morpheme<'_>| at == sentence || word.base != "思う";
            ends_speech(material, at, is_verb)
        })
}

/// True if words are quoted with と or って before a verb of speaking, without brackets.
fn ends_speech(material: &CheckMaterial<'_>, sentence: usize, is_verb: impl Fn(&Morpheme<'_>) -> bool) -> bool {
    let words = material.words_of(sentence);
    let is_bracketed = |at: usize| {
        let before = &material.text()[..words[at].visible.start];
        before.trim_end().ends_with(['」', '』', '）'])
    };
    words.iter().enumerate().any(|(at, word)| {
        let is_quoting = matches!(word.surface, "と" | "って") && word.has_parts(&["助詞"]);
        let gap =
            words[at + 1..].iter().take_while(|next| !next.has_parts(&["記号", "句点"])).take(LONGEST_GAP + 1).count();
        // In …のだという the kana いう is hearsay.
        let tells = |verb: usize| {
            let word = &words[verb];
            let is_speech = word.base != "いう" && VERBS.speech.at(words, verb).is_some();
            is_speech || (TELLING.contains(&word.base) && is_verb(word))
        };
        is_quoting && !is_bracketed(at) && (at + 1..=at + gap).any(tells)
    })
}

/// True if a sentence names the source of the words that follow: 亭主が云うには, 添えた手紙には.
fn is_introduced(words: &[Morpheme<'_>]) -> bool {
    let is_place = |word: &Morpheme<'_>| word.has_parts(&["助詞"]) && matches!(word.surface, "に" | "には");
    words.windows(2).any(|pair| SOURCES.contains(&pair[0].base) && is_place(&pair[1]))
}
