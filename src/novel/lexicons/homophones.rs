//! The lexicon of words of the same sound (同音異義語), with the words that stand near each of them.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

/// The nouns, loaded on first use.
pub static HOMOPHONES: LazyLock<Homophones> = LazyLock::new(|| Homophones::read(include_str!("homophones.txt")));

/// The verbs and adjectives, in their dictionary forms, loaded on first use.
pub static HOMOPHONE_VERBS: LazyLock<Homophones> =
    LazyLock::new(|| Homophones::read(include_str!("homophone_verbs.txt")));

/// The number of characters on either side of a word in which the cues of another word are searched.
const NEAR: usize = 20;

/// The particles that `~` at the end of a cue stands for, に before は and も included.
const PARTICLES: [char; 8] = ['を', 'が', 'も', 'は', 'に', 'の', 'で', 'へ'];

/// Groups of words of the same sound. Everything is a part of the embedded file: as strings of their own, the cues would take
/// several megabytes.
#[derive(Debug)]
pub struct Homophones {
    groups: Vec<Vec<Homophone>>,
    /// For each first character of a word, the word's places: the index of its group, and its index in it.
    by_first: HashMap<char, Vec<(usize, usize)>>,
    /// The cues that may stand beside every word, and so prove none.
    common: HashSet<&'static str>,
}

#[derive(Clone, Copy, Debug)]
struct Homophone {
    word: &'static str,
    /// Separated by spaces.
    cues: &'static str,
}

impl Homophones {
    /// Reads a file in the form that the head of `homophones.txt` explains.
    fn read(text: &'static str) -> Self {
        let mut groups: Vec<Vec<Homophone>> = Vec::new();
        let mut common = HashSet::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(cues) = line.strip_prefix("! ") {
                common.extend(cues.split(' '));
                continue;
            }
            match (line.split_once(": "), groups.last_mut()) {
                (Some((word, cues)), Some(group)) => group.push(Homophone { word, cues }),
                _ => groups.push(Vec::new()),
            }
        }
        let mut by_first: HashMap<char, Vec<(usize, usize)>> = HashMap::new();
        for (group, words) in groups.iter().enumerate() {
            for (at, homophone) in words.iter().enumerate() {
                by_first.entry(homophone.word.chars().next().unwrap_or_default()).or_default().push((group, at));
            }
        }
        Self { groups, by_first, common }
    }

    /// Returns the word of the lexicon that stands at a byte of a sentence but does not fit the words around it, as a byte range,
    /// with the word of the same sound that does. `is_action` is true if the written word takes する: then する proves nothing.
    pub fn misfit_at(&self, sentence: &str, start: usize, is_action: bool) -> Option<(Range<usize>, &'static str)> {
        let rest = &sentence[start..];
        let places = self.by_first.get(&rest.chars().next()?)?;
        places.iter().find_map(|(group, at)| {
            let words = &self.groups[*group];
            let written = words.get(*at).filter(|written| rest.starts_with(written.word))?;
            let place = start..start + written.word.len();
            let near = Neighbourhood::near(sentence, &place);
            let proves = |cue: &str| !(self.common.contains(cue) || (is_action && is_suru(cue)));
            let meant = meant(words, written, sentence, &place, &near, proves)?;
            Some((place, meant))
        })
    }

    /// Returns the dictionary form of the word that fits where an inflected word, given by its place and its dictionary form,
    /// does not.
    pub fn meant_instead(&self, sentence: &str, place: &Range<usize>, base: &str) -> Option<&'static str> {
        let places = self.by_first.get(&base.chars().next()?)?;
        places.iter().find_map(|(group, at)| {
            let words = &self.groups[*group];
            let written = words.get(*at).filter(|written| written.word == base)?;
            meant(words, written, sentence, place, &Neighbourhood::within_commas(sentence, place), |_| true)
        })
    }
}

/// Returns the word of a group that the words around a place prove, if none proves the written one. `proves` is true for
/// a cue that counts for another word.
fn meant(
    words: &[Homophone],
    written: &Homophone,
    sentence: &str,
    place: &Range<usize>,
    near: &Neighbourhood<'_>,
    proves: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    let all = Neighbourhood::whole(sentence, place);
    if written.cues_in(&all).count() > 0 {
        return None;
    }
    let others = words.iter().filter(|other| other.word != written.word && !sentence.contains(other.word));
    let proofs = |other: &Homophone| other.cues_in(near).filter(|cue| proves(cue)).count();
    let (cues, meant) = others.map(|other| (proofs(other), other)).max_by_key(|(cues, _)| *cues)?;
    (cues > 0).then_some(meant.word)
}

/// The text on both sides of a word.
struct Neighbourhood<'t> {
    before: &'t str,
    after: &'t str,
}

impl<'t> Neighbourhood<'t> {
    fn whole(sentence: &'t str, place: &Range<usize>) -> Self {
        Self { before: &sentence[..place.start], after: &sentence[place.end..] }
    }

    fn near(sentence: &'t str, place: &Range<usize>) -> Self {
        let Self { before, after } = Self::whole(sentence, place);
        let start = before.char_indices().rev().nth(NEAR - 1).map_or(0, |(at, _)| at);
        let end = after.char_indices().nth(NEAR).map_or(after.len(), |(at, _)| at);
        Self { before: &before[start..], after: &after[..end] }
    }

    /// Returns the near text up to the commas on both sides: 時間を計り、委員会に諮った has two verbs, each with nouns of its own.
    fn within_commas(sentence: &'t str, place: &Range<usize>) -> Self {
        let Self { before, after } = Self::near(sentence, place);
        let before = before.rsplit('、').next().unwrap_or(before);
        let after = after.split('、').next().unwrap_or(after);
        Self { before, after }
    }

    fn has(&self, cue: &str) -> bool {
        if let Some(noun) = cue.strip_prefix('^').and_then(|cue| cue.strip_suffix('~')) {
            let before = self.before.strip_suffix(PARTICLES);
            before.is_some_and(|before| {
                before.ends_with(noun) || before.strip_suffix('に').is_some_and(|rest| rest.ends_with(noun))
            })
        } else if let Some(before) = cue.strip_prefix('^') {
            self.before.ends_with(before)
        } else if let Some(after) = cue.strip_suffix('$') {
            self.after.starts_with(after)
        } else {
            self.before.contains(cue) || self.after.contains(cue)
        }
    }
}

impl Homophone {
    /// Returns this word's cues in a neighbourhood.
    fn cues_in<'h>(&self, neighbourhood: &'h Neighbourhood<'_>) -> impl Iterator<Item = &'static str> + use<'h> {
        self.cues.split(' ').filter(|cue| neighbourhood.has(cue))
    }
}

/// True for a cue that is a form of する directly after the word.
fn is_suru(cue: &str) -> bool {
    cue.ends_with('$')
        && ["し", "する", "すれ", "され", "させ", "せず", "せよ"].iter().any(|form| cue.starts_with(form))
}

#[cfg(test)]
mod tests {
    use super::{HOMOPHONE_VERBS, HOMOPHONES};

    #[test]
    fn groups_have_several_words_with_cues() {
        assert!(HOMOPHONES.groups.len() > 1_000 && HOMOPHONE_VERBS.groups.len() > 50);
        for group in HOMOPHONES.groups.iter().chain(&HOMOPHONE_VERBS.groups) {
            let mut words: Vec<&str> = group.iter().map(|homophone| homophone.word).collect();
            words.sort_unstable();
            words.dedup();
            assert!(words.len() == group.len() && words.len() > 1, "{words:?}");
            for homophone in group {
                let is_empty = homophone.cues.split(' ').any(|cue| cue.trim_matches(['^', '$', '~']).is_empty());
                assert!(!is_empty, "{}: {:?}", homophone.word, homophone.cues);
            }
        }
    }
}
