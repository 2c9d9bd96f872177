//! Slips after a pause in writing: a particle typed twice, a word left behind.

use fumi_novel::{checks::CheckMaterial, manuscript::TextVoice, morphology::Morpheme};

use super::{Fault, is_bare, is_kanji, is_katakana};

/// A particle directly after itself.
pub(super) fn doubled_particle(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let mut places = Vec::new();
    for (_, _, words) in clean.sentences_in_voice(TextVoice::Narration) {
        for three in words.windows(3) {
            let [noun, particle, next] = three else { continue };
            if is_noun(noun)
                && is_particle(particle)
                && is_bare(clean, particle)
                && begins_apart(next)
                && are_joined(three)
            {
                let particle = (particle.source.clone(), particle.surface.repeat(2));
                places.push(Fault::replaced(particle.0, particle.1));
            }
        }
    }
    places
}

/// A word with its particle, or a noun of two kanji and more, directly after itself.
pub(super) fn repeated_word(clean: &CheckMaterial<'_>) -> Vec<Fault> {
    let mut places = Vec::new();
    for (_, _, words) in clean.sentences_in_voice(TextVoice::Narration) {
        for four in words.windows(4) {
            let [last, noun, particle, next] = four else { continue };
            let stands_alone = !matches!(last.parts[0], "名詞" | "接頭詞" | "連体詞");
            if !stands_alone || !is_noun(noun) || !is_bare(clean, noun) || is_emphatic(noun) || !are_joined(&four[1..])
            {
                continue;
            }
            let with_particle = noun.source.start..particle.source.end;
            if is_particle(particle) && is_bare(clean, particle) && begins_apart(next) {
                let both = format!("{}{}", noun.surface, particle.surface);
                places.push(Fault::replaced(with_particle, both.repeat(2)));
                if noun.surface.chars().count() >= 2 && noun.surface.chars().all(is_kanji) {
                    places.push(Fault::replaced(noun.source.clone(), noun.surface.repeat(2)));
                }
            }
        }
    }
    places
}

/// Nouns that are doubled on purpose: 最後の最後.
fn is_emphatic(noun: &Morpheme<'_>) -> bool {
    matches!(
        noun.surface,
        "最後" | "最初" | "本当" | "一番" | "昔" | "奥" | "先" | "次" | "ここ" | "そこ" | "人"
    )
}

fn is_noun(word: &Morpheme<'_>) -> bool {
    word.parts[0] == "名詞" && matches!(word.parts[1], "一般" | "サ変接続" | "固有名詞" | "代名詞")
}

/// The particles that are typed twice. と is left out: it quotes, and a second one may follow.
fn is_particle(word: &Morpheme<'_>) -> bool {
    let is_kind = word.has_parts(&["助詞", "格助詞", "一般"])
        || word.has_parts(&["助詞", "係助詞"])
        || word.has_parts(&["助詞", "連体化"]);
    is_kind && matches!(word.surface, "を" | "に" | "が" | "の" | "で" | "は" | "も" | "へ")
}

/// True if a word begins with a letter that does not merge with a particle.
fn begins_apart(word: &Morpheme<'_>) -> bool {
    word.surface.starts_with(|c: char| is_kanji(c) || is_katakana(c))
}

/// True if words follow one another directly.
fn are_joined(words: &[Morpheme<'_>]) -> bool {
    words.windows(2).all(|two| two[0].source.end == two[1].source.start)
}
