//! Rule `twisted_predicate`: finds predicates that do not fit their subject: 夢は、劇場で演じたい.

use std::collections::HashSet;

use super::{RuleReporter, phrasing, stretches};
use crate::{checks::material::CheckMaterial, lexicons::topics::TOPICS, morphology::Morpheme};

/// The smallest number of words between the subject and its predicate; shorter sentences have other subjects (夢は叶った).
const SHORTEST: usize = 6;

/// The number of words before のは that may judge or feel: 私が驚いたのは, 印象に残っているのは.
const JUDGEMENT: usize = 6;

/// The number of words at the end in which an ending is searched.
const TAIL: usize = 8;

pub(super) fn check(material: &CheckMaterial<'_>, found: &mut RuleReporter<'_, '_>) {
    for words in stretches::narration_stretches(material) {
        let topic = words.iter().position(|word| word.surface == "は" && word.has_parts(&["助詞", "係助詞"]));
        if let Some(noun) = topic.and_then(|topic| said_topic(words, topic)) {
            found.push(phrasing::at(material, words).with("value", noun.surface));
            continue;
        }
        let Some(subject) = topic.and_then(|topic| Subject::before(words, topic)) else { continue };
        if subject.is_twisted() {
            found.push(phrasing::at(material, words).with("value", subject.noun.surface));
        }
    }
}

/// Returns the topic of a sentence that repeats it as a verb of saying: 口癖は、急ぐなと言っていた.
fn said_topic<'w, 'a>(words: &'w [Morpheme<'a>], topic: usize) -> Option<&'w Morpheme<'a>> {
    let noun = &words[topic.checked_sub(1)?];
    let rest = words.get(topic + 1..)?;
    let quoting = rest.iter().rposition(|word| word.surface == "と" && word.has_parts(&["助詞", "格助詞", "引用"]))?;
    let predicate = &rest[quoting + 1..];
    let says = predicate.first().is_some_and(|verb| TOPICS.saying.contains(verb.base));
    let is_end =
        predicate.len() <= TAIL && predicate.iter().all(|word| is_predicate(word) || word.has_parts(&["記号"]));
    (TOPICS.said.contains(noun.surface) && says && is_end).then_some(noun)
}

/// The subject of a sentence with what is said of it.
struct Subject<'w, 'a> {
    /// The noun before は; の in a cleft sentence.
    noun: &'w Morpheme<'a>,
    /// The words before the noun.
    before: &'w [Morpheme<'a>],
    /// The words after は and its comma.
    rest: &'w [Morpheme<'a>],
}

impl<'w, 'a> Subject<'w, 'a> {
    /// Returns the subject before は and a comma. `None` if the sentence is short, or has another topic.
    fn before(words: &'w [Morpheme<'a>], topic: usize) -> Option<Self> {
        let noun = topic.checked_sub(1)?;
        let (comma, rest) = words[topic + 1..].split_first()?;
        let is_topic_of_all = comma.has_parts(&["記号", "読点"]) && rest.iter().all(|word| word.surface != "は");
        (is_topic_of_all && rest.len() >= SHORTEST).then(|| Self { noun: &words[noun], before: &words[..noun], rest })
    }

    /// True if the predicate says what someone does or wants instead of what the subject is.
    fn is_twisted(&self) -> bool {
        let noun = self.noun.surface;
        if self.has_noun_predicate() {
            return self.repeats_subject();
        }
        let (has_subject, has_object) = (self.has_particle("が"), self.has_particle("を"));
        // 歌手になりたい has no object.
        let wants = self.predicate_has(&["たい"]) && (has_object || self.predicate_has(&["なる"]));
        if TOPICS.aims.contains(noun) {
            let is_done = TOPICS.activities.contains(noun) && has_object && self.is_habit();
            // With an object of its own the wish cannot be about the topic: 夢は、いつか叶えたい.
            return (wants && has_object) || ((wants || is_done) && !self.ends_near(&TOPICS.carried_out));
        }
        let judges = self.is_cleft()
            && self.names_feeling()
            && ["が", "を", "も", "まで"].iter().any(|particle| self.has_particle(particle));
        let is_fact = TOPICS.facts.contains(noun);
        let is_deed = self.ends_in_verb() && !self.ends_near(&TOPICS.known_by);
        // 違いは、誰もが目を見張るほど際立っている says how great the difference is.
        let is_state =
            TOPICS.stated.contains(noun) && self.is_habit() && self.rest.iter().all(|word| word.surface != "ほど");
        ((is_fact || judges) && (wants || (has_subject && self.is_bound())))
            || ((is_state || TOPICS.causes.contains(noun)) && has_subject && has_object && is_deed)
            || (judges && (is_deed || self.ends_in_adjective()))
            || (TOPICS.features.contains(noun) && has_subject && self.ends_in_adjective())
    }

    /// Returns the words without an opinion at the end: …ことだと思う.
    fn stated(&self) -> &'w [Morpheme<'a>] {
        let end = self.rest.iter().rposition(|word| !word.has_parts(&["記号"])).unwrap_or(0);
        let opinion = self.rest[..end]
            .iter()
            .rposition(|word| word.surface == "と" && word.has_parts(&["助詞", "格助詞", "引用"]));
        let thinks = |from: usize| {
            self.rest[from + 1..=end].iter().any(|word| matches!(word.base, "思う" | "考える" | "信じる"))
        };
        opinion.filter(|from| end - from <= 4 && thinks(*from)).map_or(self.rest, |from| &self.rest[..from])
    }

    /// Returns the words of the predicate, the last one first.
    fn predicate(&self) -> impl Iterator<Item = &Morpheme<'a>> {
        self.stated().iter().rev().skip_while(|word| word.has_parts(&["記号"])).take_while(|word| is_predicate(word))
    }

    fn predicate_has(&self, bases: &[&str]) -> bool {
        self.predicate().any(|word| bases.contains(&word.base))
    }

    /// True if the sentence ends in a noun with だ or a form of it, in ある, or in a guess (らしい, だろう, まい). です after an
    /// adjective or たい is polite only: 見ていただきたいです.
    fn has_noun_predicate(&self) -> bool {
        let ends = ["だ", "ある", "らしい", "う", "まい"];
        let mut words = self.predicate().peekable();
        while let Some(word) = words.next() {
            let before = words.peek();
            let is_polite =
                before.is_some_and(|before| before.has_parts(&["形容詞"]) || matches!(before.base, "たい" | "ない"));
            if (ends.contains(&word.base) && !is_past(word)) || (word.base == "です" && !is_polite) {
                return true;
            }
        }
        false
    }

    /// 原因は、古い配線が原因だった.
    fn repeats_subject(&self) -> bool {
        let mut end = self.rest.iter().rev().skip_while(|word| word.has_parts(&["記号"]) || is_predicate(word));
        let (noun, particle) = (end.next(), end.next());
        noun.is_some_and(|noun| noun.surface == self.noun.surface)
            && particle.is_some_and(|particle| particle.surface == "が")
    }

    fn has_particle(&self, surface: &str) -> bool {
        self.rest.iter().any(|word| word.surface == surface && word.has_parts(&["助詞"]))
    }

    fn ends_in_verb(&self) -> bool {
        self.predicate().any(|word| word.has_parts(&["動詞"]))
    }

    /// True if one of the last words is one of these.
    fn ends_near(&self, bases: &HashSet<String>) -> bool {
        self.rest.iter().rev().take(TAIL).any(|word| bases.contains(word.base))
    }

    fn tail(&self) -> String {
        self.rest[self.rest.len().saturating_sub(TAIL)..].iter().map(|word| word.surface).collect()
    }

    /// True if the predicate is what someone always does: 調べていた, 歩く; not what happened once, or to someone.
    fn is_habit(&self) -> bool {
        let is_over = self.predicate().any(is_past) && !self.predicate_has(&["いる"]);
        self.ends_in_verb() && !is_over && !self.predicate_has(&["れる", "られる", "せる", "させる"])
    }

    /// True if the predicate is an adjective, and no set phrase (仕方がない).
    fn ends_in_adjective(&self) -> bool {
        let is_adjective =
            |word: &Morpheme<'_>| word.has_parts(&["形容詞"]) || matches!(word.base, "た" | "ない" | "ます" | "ん");
        let tail = self.tail();
        // 弱点は、本人が思うほど多くない says how great the feature is.
        let is_measure = !self.is_cleft() && self.predicate().any(|word| TOPICS.measures.contains(word.base));
        self.predicate().all(is_adjective)
            && self.predicate().any(|word| word.has_parts(&["形容詞", "自立"]))
            && !is_measure
            && !TOPICS.set_ends.iter().any(|end| tail.contains(end.as_str()))
    }

    /// True for 驚いたのは, 大切なのは, 案じているのは, and not for what may be an act (驚くのは).
    fn is_cleft(&self) -> bool {
        let is_state = self.before.last().is_some_and(|word| {
            word.inflection.is_some() && (!word.has_parts(&["動詞", "自立"]) || word.base == "いる")
        });
        self.noun.surface == "の" && is_state
    }

    fn names_feeling(&self) -> bool {
        self.before.iter().rev().take(JUDGEMENT).any(|word| TOPICS.felt.contains(word.base))
    }

    fn is_bound(&self) -> bool {
        let tail = self.tail();
        TOPICS.bound.iter().any(|end| tail.trim_end_matches('。').ends_with(end.as_str()))
    }
}

/// True for た, and for だ of 読んだ.
fn is_past(word: &Morpheme<'_>) -> bool {
    word.inflection.is_some_and(|inflection| inflection.kind == "特殊・タ")
}

fn is_predicate(word: &Morpheme<'_>) -> bool {
    word.has_parts(&["助動詞"])
        || word.has_parts(&["動詞"])
        || word.has_parts(&["形容詞"])
        || matches!(word.surface, "て" | "で")
}
