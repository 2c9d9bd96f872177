//! Item A31-021: the share of the characters named here who are described within `window` characters of the first mention
//! or known from the previous episode.

use std::ops::Range;

use crate::{
    checks::{
        CheckMaterial,
        features::{CastMember, content_words},
        items::{ItemThresholds, Measure},
    },
    lexicons::PEOPLE,
    manuscript::{TextVoice, is_counted},
    morphology::Morpheme,
};

pub(super) fn measure(material: &CheckMaterial<'_>, gauge: &ItemThresholds<'_>) -> Measure {
    let members = &material.cast().members;
    let before = material.previous_speech_styles();
    let is_known = |member: usize| before.is_some_and(|before| before.named.contains(&member));
    // The first mention of each character: its sentence and its range.
    let mut first: Vec<Option<(usize, Range<usize>)>> = vec![None; members.len()];
    // For each sentence, the character named last in narration up to its end.
    let mut last_named: Vec<Option<usize>> = Vec::with_capacity(material.sentences().len());
    let mut last = None;
    for (at, sentence) in material.sentences().iter().enumerate() {
        let words = if sentence.is_story() { material.words_of(at) } else { &[] };
        for word in words {
            if let Some(member) = material.names().member_named_by(word) {
                first[member].get_or_insert_with(|| (at, word.visible.clone()));
                last = Some(member).filter(|_| sentence.voice == TextVoice::Narration).or(last);
            }
        }
        last_named.push(last);
    }
    let (mut named, mut introduced, mut bare) = (0_usize, 0_usize, Vec::new());
    for (at, member) in members.iter().enumerate() {
        let Some((from, mention)) = first[at].clone().filter(|_| material.viewpoint().member != Some(at)) else {
            continue;
        };
        named += 1;
        let window = gauge.limit("window");
        if is_known(at)
            || is_described(material, window, (at, member), from, &mention, &last_named)
            || is_described_before(material, window, member, from, &mention, &last_named)
        {
            introduced += 1;
        } else {
            bare.push(material.source_of(&mention));
        }
    }
    if named == 0 {
        return Measure::not_applicable();
    }
    let share = introduced as f64 / named as f64;
    Measure::from_score(share).with_value(share).with_places(bare)
}

/// True if the narration describes a character near the first mention, which is in the sentence `from`.
fn is_described(
    material: &CheckMaterial<'_>,
    window: usize,
    (own, member): (usize, &CastMember),
    from: usize,
    mention: &Range<usize>,
    last_named: &[Option<usize>],
) -> bool {
    let traits = content_words(&member.traits);
    // The end of the window, counted in visible characters.
    let after = material.text()[mention.end..].char_indices().filter(|(_, c)| is_counted(*c));
    let end = after.map(|(at, _)| mention.end + at).nth(window).unwrap_or(usize::MAX);
    // The number of sentences of narration read; only the one of the mention and the next one count.
    let mut follows = 0;
    // If the mention is in speech, the narration around it counts.
    let from = from.saturating_sub(usize::from(material.sentences()[from].voice != TextVoice::Narration));
    for (at, sentence) in material.sentences().iter().enumerate().skip(from) {
        let visible = sentence.visible();
        if visible.start > end {
            return false;
        }
        if sentence.voice != TextVoice::Narration || !sentence.is_story() {
            continue;
        }
        let is_mention = visible.start <= mention.start && mention.end <= visible.end;
        let words = near(material.words_of(at), mention, window);
        let says_who = (is_mention || follows == 1) && !PEOPLE.kin_and_roles.find(words).is_empty();
        if (is_mention || last_named[at] == Some(own)) && (describes(words, &traits) || says_who) {
            return true;
        }
        follows += 1;
    }
    false
}

/// True if the narration describes a character before it names it: near the first mention, in sentences after which no
/// other character but that of the viewpoint is the one named last.
fn is_described_before(
    material: &CheckMaterial<'_>,
    window: usize,
    member: &CastMember,
    from: usize,
    mention: &Range<usize>,
    last_named: &[Option<usize>],
) -> bool {
    let traits = content_words(&member.traits);
    // The beginning of the window, counted in visible characters.
    let before = material.text()[..mention.start].char_indices().rev().filter(|(_, c)| is_counted(*c));
    let begin = before.map(|(at, _)| at).nth(window).unwrap_or(0);
    let sentences = material.sentences()[..from].iter().enumerate().rev();
    let mut near_ones = sentences.take_while(|(_, sentence)| sentence.visible().end > begin);
    near_ones.any(|(at, sentence)| {
        let is_told = sentence.voice == TextVoice::Narration && sentence.is_story();
        let is_free = last_named[at].is_none_or(|named| material.viewpoint().member == Some(named));
        is_told && is_free && describes(near(material.words_of(at), mention, window), &traits)
    })
}

/// Returns the words that can be within a window of a place, so that an endless sentence is not read for each of many
/// names.
fn near<'m, 'a>(words: &'m [Morpheme<'a>], place: &Range<usize>, window: usize) -> &'m [Morpheme<'a>] {
    let bytes = window.saturating_mul('あ'.len_utf8());
    let start = words.partition_point(|word| word.visible.end + bytes <= place.start);
    let end = words.partition_point(|word| word.visible.start < place.end.saturating_add(bytes));
    &words[start..end.max(start)]
}

/// True if the words contain a word of appearance or nature, an age, or one of the sheet's traits.
fn describes(words: &[Morpheme<'_>], traits: &[String]) -> bool {
    let has_age =
        words.windows(2).any(|pair| pair[0].has_parts(&["名詞", "数"]) && matches!(pair[1].surface, "歳" | "才"));
    let is_trait = |word: &Morpheme<'_>| word.is_content() && traits.iter().any(|known| known == word.base);
    !PEOPLE.appearance.find(words).is_empty()
        || !PEOPLE.traits.find(words).is_empty()
        || has_age
        || words.iter().any(is_trait)
}
